//! Conditions on inputs as people write them: `first < pos <= last`, `start`, `not stop`.

use super::literal::{Literal, Range, has_signed};
use program::print::infix::{Binding, Text, operator};
use program::region::narrow;
use term::{Op, Pool, Term, Value};

/// What inputs are called.
pub(super) type Names<'n> = &'n dyn Fn(Term) -> Option<String>;
/// Whether an input's values have signs.
type Signs<'n> = &'n dyn Fn(Term) -> bool;

/// A comparison of two sides, or a condition that is none.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Piece {
    /// `left sign right`
    Compared { left: String, sign: &'static str, right: String },
    /// Words.
    Plain(String),
}

/// A literal in words; none if it has no form that is short.
pub(super) fn pieces(
    pool: &Pool,
    literal: &Literal,
    names: Names<'_>,
    signs: Signs<'_>,
) -> Vec<Piece> {
    match literal {
        Literal::Compared { shown, .. } => {
            comparison(pool, *shown, names, signs).into_iter().collect()
        }
        Literal::Range(Range { variable, scale, low, high }) => {
            let name = names(*variable).unwrap_or_default();
            let number = |key: i128| match scale.value(key) {
                Value::Float(float) => float.to_decimal(),
                _ => key.to_string(),
            };
            if let (Some(low), Some(high)) = (low, high)
                && low == high
            {
                let right = number(*low);
                return vec![Piece::Compared { left: name, sign: "=", right }];
            }
            let low = low.map(|low| Piece::Compared {
                left: number(low),
                sign: "≤",
                right: name.clone(),
            });
            let high = high.map(|high| Piece::Compared {
                left: name.clone(),
                sign: "≤",
                right: number(high),
            });
            low.into_iter().chain(high).collect()
        }
    }
}

/// A comparison of the program in words.
pub(super) fn comparison(
    pool: &Pool,
    literal: Term,
    names: Names<'_>,
    signs: Signs<'_>,
) -> Option<Piece> {
    let (atom, negated) = match pool.op(literal) {
        Op::Not => (pool.args(literal)[0], true),
        _ => (literal, false),
    };
    let args = pool.args(atom);
    let signed = match pool.op(atom) {
        Op::BvSlt => true,
        Op::Eq => args.iter().any(|arg| has_signed(pool, *arg, signs)),
        _ => false,
    };
    let side = |at: usize| Some(text(pool, args[at], signed, names)?.text);
    let compared = |left: usize, sign, right: usize| {
        let sums = match pool.op(atom) {
            Op::BvUlt | Op::BvSlt | Op::Eq => {
                super::sum::sides(pool, [args[left], args[right]], signed, names)
            }
            _ => None,
        };
        let [left, right] = match sums {
            Some(sides) => sides,
            None => [side(left)?, side(right)?],
        };
        Some(Piece::Compared { left, sign, right })
    };
    match (pool.op(atom), negated) {
        (Op::Var(_), negated) => {
            let name = names(atom)?;
            Some(Piece::Plain(if negated { format!("not {name}") } else { name }))
        }
        (Op::BvUlt | Op::BvSlt | Op::FpLt, false) => compared(0, "<", 1),
        (Op::BvUlt | Op::BvSlt, true) => compared(1, "≤", 0),
        (Op::FpLeq, false) => compared(0, "≤", 1),
        // Of floats, one of which may be no number.
        (Op::FpLt | Op::FpLeq, true) => {
            let sign = if *pool.op(atom) == Op::FpLt { "<" } else { "≤" };
            Some(Piece::Plain(format!("not {} {sign} {}", side(0)?, side(1)?)))
        }
        (Op::Eq | Op::FpEq, negated) => compared(0, if negated { "≠" } else { "=" }, 1),
        _ => None,
    }
}

/// A value as an expression.
pub(super) fn text(pool: &Pool, term: Term, signed: bool, names: Names<'_>) -> Option<Text> {
    let args = pool.args(term);
    match pool.op(term) {
        Op::Var(_) => Some(Text::atom(names(term)?)),
        Op::Value(value) => Some(match &**value {
            Value::Bits(bits) if signed => Text::number(bits.to_bigint().to_string()),
            Value::Bits(bits) => Text::number(bits.to_biguint().to_string()),
            Value::Float(float) => Text::number(float.to_decimal()),
            _ => return None,
        }),
        Op::BvSignExtend(_) | Op::BvZeroExtend(_) => {
            let inner = narrow(pool, term);
            let signed = matches!(pool.op(term), Op::BvSignExtend(_));
            text(pool, inner, signed, names)
        }
        Op::BvNeg | Op::FpNeg => {
            let inner = text(pool, args[0], signed, names)?;
            Some(Text::new(format!("-{}", inner.within(Binding::Prefix)), Binding::Prefix))
        }
        op @ (Op::BvAdd
        | Op::BvSub
        | Op::BvMul
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvUdiv
        | Op::BvUrem) => {
            let (sign, binding) = operator(op)?;
            let sign = sign.trim_end_matches('u');
            let [left, right] = [0, 1].map(|at| text(pool, args[at], signed, names));
            Some(Text::infix(&left?, sign, &right?, binding))
        }
        op => {
            let (sign, binding) = program::print::infix::float_operator(op)?;
            let [left, right] = [1, 2].map(|at| text(pool, args[at], signed, names));
            Some(Text::infix(&left?, sign, &right?, binding))
        }
    }
}

/// Conditions with comparisons joined where one ends as another begins: `a < b ≤ c`. Comparisons of
/// several inputs come first, then what is true or not, then bounds of one input.
pub(super) fn joined(pieces: Vec<Piece>) -> Vec<String> {
    let mut plain = Vec::new();
    let mut steps: Vec<(String, &'static str, String)> = Vec::new();
    let mut others = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Plain(text) => plain.push(text),
            Piece::Compared { left, sign, right } if matches!(sign, "<" | "≤") => {
                steps.push((left, sign, right));
            }
            Piece::Compared { left, sign, right } => {
                let (left, right) = if is_number(&left) { (right, left) } else { (left, right) };
                others.push((is_number(&right), format!("{left} {sign} {right}")));
            }
        }
    }
    let mut chains: Vec<(usize, bool, String)> = Vec::new();
    while !steps.is_empty() {
        // A chain begins where no other comparison ends.
        let begins = |step: &(String, &str, String)| {
            is_number(&step.0) || steps.iter().all(|other| other.2 != step.0)
        };
        let first = steps.iter().position(begins).unwrap_or(0);
        let mut chain = vec![steps.remove(first)];
        while let Some(next) = chain
            .last()
            .and_then(|last| steps.iter().position(|step| step.0 == last.2 && !is_number(&last.2)))
        {
            chain.push(steps.remove(next));
        }
        chains.push((chain.len(), about_one(&chain), written(&chain)));
    }
    chains.extend(others.into_iter().map(|(one, text)| (1, one, text)));
    // The longest first: it says most.
    chains.sort_by_key(|(length, ..)| std::cmp::Reverse(*length));
    let (ranges, relations): (Vec<_>, Vec<_>) = chains.into_iter().partition(|(_, one, _)| *one);
    let relations = relations.into_iter().map(|(_, _, text)| text);
    relations.chain(plain).chain(ranges.into_iter().map(|(_, _, text)| text)).collect()
}

fn is_number(text: &str) -> bool {
    text.strip_prefix('-').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a chain bounds one value by numbers.
fn about_one(chain: &[(String, &'static str, String)]) -> bool {
    let sides = chain.iter().map(|step| &step.0).chain(chain.last().map(|step| &step.2));
    sides.filter(|side| !is_number(side)).count() <= 1
}

fn written(chain: &[(String, &'static str, String)]) -> String {
    if let [(left, sign, right)] = chain
        && is_number(left)
    {
        let sign = if *sign == "<" { ">" } else { "≥" };
        return format!("{right} {sign} {left}");
    }
    let mut text = chain.first().map_or(String::new(), |step| step.0.clone());
    for (_, sign, right) in chain {
        text.push_str(&format!(" {sign} {right}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(left: &str, sign: &'static str, right: &str) -> Piece {
        Piece::Compared { left: left.into(), sign, right: right.into() }
    }

    #[test]
    fn comparisons_become_chains_and_relations_come_first() {
        let pieces = vec![
            compared("3", "≤", "x"),
            Piece::Plain("start".into()),
            compared("pos", "<", "last"),
            compared("x", "≤", "7"),
            compared("first", "≤", "pos"),
            compared("5", "<", "y"),
            compared("z", "≠", "0"),
            compared("single", "<", "first"),
        ];
        let expected = ["single < first ≤ pos < last", "start", "3 ≤ x ≤ 7", "y > 5", "z ≠ 0"];
        assert_eq!(joined(pieces), expected);
    }

    #[test]
    fn comparisons_in_a_circle_are_all_written() {
        let pieces = vec![compared("a", "≤", "b"), compared("b", "≤", "a")];
        assert_eq!(joined(pieces), ["a ≤ b ≤ a"]);
    }
}
