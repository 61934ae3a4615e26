//! Terms in infix notation.
//!
//! Operators are those of C where C has them. Signed operations are plain, unsigned ones have a
//! `u` (`a <u b`, `a /u b`, `a >>u b`); `===` is the identity of floats, `==` their IEEE equality;
//! `a ++ b` joins bits, `a[15:8]` takes some, `zext32(a)` and `sext32(a)` widen to 32 bits;
//! `m[i]` and `m{i := v}` read and write arrays. Float operations round to nearest even unless
//! they name a rounding mode. Numbers are decimal and signed if they are small.
//!
//! Subterms that are shared or very long have names ([`super::infix`]): `let $1 = …, $2 = … in …`.

use super::infix::{self, Binding, Text, bits_text, float_operator, prefix_operator, with_names};
use rustc_hash::FxHashMap;
use term::traverse::subterms;
use term::{Op, Pool, Sort, Term, Value};
use value::Rounding;

/// Texts of terms, each written once: commands of large blocks repeat theirs.
pub(super) struct Texts<'a> {
    pool: &'a Pool,
    of: FxHashMap<Term, Box<str>>,
}

impl<'a> Texts<'a> {
    pub fn new(pool: &'a Pool) -> Self {
        Texts { pool, of: FxHashMap::default() }
    }

    /// The text of a term.
    pub fn of(&mut self, term: Term) -> &str {
        self.of.entry(term).or_insert_with(|| term_text(self.pool, term).into())
    }
}

/// A term as text.
pub fn term_text(pool: &Pool, term: Term) -> String {
    let order = subterms(pool, &[term]);
    let node = |term, args: Vec<Text>| node_text(pool, term, &args);
    with_names(pool, &order, '$', node, |text| text.text)
}

fn node_text(pool: &Pool, term: Term, args: &[Text]) -> Text {
    let node = pool.node(term);
    match &node.op {
        Op::Var(name) => return Text::atom(pool.name(*name)),
        Op::Value(value) => return value_text(value),
        Op::Ite => {
            let [c, a, b] = [0, 1, 2].map(|i| args[i].within(Binding::Or));
            return Text::new(format!("{c} ? {a} : {b}"), Binding::Choice);
        }
        Op::Not => return negation(pool, node.args[0], &args[0]),
        Op::And => return Text::joined(args.iter(), " && ", Binding::And),
        Op::Or => return Text::joined(args.iter(), " || ", Binding::Or),
        Op::Eq => {
            let float = matches!(pool.sort(node.args[0]), Sort::Float(_));
            return infix(args, if float { "===" } else { "==" }, Binding::Equality);
        }
        Op::BvExtract { high, low } => {
            return Text::atom(format!("{}[{high}:{low}]", args[0].within(Binding::Atom)));
        }
        Op::Select => {
            return Text::atom(format!("{}[{}]", args[0].within(Binding::Atom), args[1].text));
        }
        Op::Store => {
            let array = args[0].within(Binding::Atom);
            return Text::atom(format!("{array}{{{} := {}}}", args[1].text, args[2].text));
        }
        _ => {}
    }
    if let Some((symbol, binding)) = infix_operator(&node.op) {
        let commutes = matches!(node.op, Op::BvAdd | Op::BvMul | Op::BvAnd | Op::BvOr | Op::BvXor);
        let constant = node.args.iter().position(|a| commutes && pool.value(*a).is_some());
        return match constant {
            Some(constant) => constant_last(args, constant, symbol, binding),
            None => infix(args, symbol, binding),
        };
    }
    if let Some((symbol, binding)) = float_operator(&node.op)
        && is_nearest(pool, node.args[0])
    {
        return infix(&args[1..], symbol, binding);
    }
    if let Some(symbol) = prefix_operator(&node.op) {
        return Text::new(format!("{symbol}{}", args[0].within(Binding::Atom)), Binding::Prefix);
    }
    let skipped = usize::from(node.args.first().is_some_and(|a| is_nearest(pool, *a)));
    let list: Vec<&str> = args[skipped..].iter().map(|a| a.text.as_str()).collect();
    Text::atom(format!("{}({})", function_name(pool, term), list.join(", ")))
}

fn is_nearest(pool: &Pool, term: Term) -> bool {
    pool.value(term) == Some(&Value::Rounding(Rounding::NearestEven))
}

fn infix(args: &[Text], symbol: &str, binding: Binding) -> Text {
    Text::infix(&args[0], symbol, &args[1], binding)
}

/// `a + 1` rather than `1 + a`, and `a - 1` rather than `a + -1`.
fn constant_last(args: &[Text], constant: usize, symbol: &str, binding: Binding) -> Text {
    let (constant, other) = (&args[constant], &args[1 - constant]);
    match constant.text.strip_prefix('-') {
        Some(number) if symbol == "+" => Text::infix(other, "-", &Text::atom(number), binding),
        _ => Text::infix(other, symbol, constant, binding),
    }
}

/// `!a`, or the opposite comparison.
fn negation(pool: &Pool, of: Term, text: &Text) -> Text {
    let opposite = match pool.op(of) {
        Op::Eq if !matches!(pool.sort(pool.args(of)[0]), Sort::Float(_)) => Some(("==", "!=")),
        Op::BvSlt => Some(("<", ">=")),
        Op::BvUlt => Some(("<u", ">=u")),
        _ => None,
    };
    if let Some((symbol, opposite)) = opposite {
        let symbol = format!(" {symbol} ");
        // The operands of a comparison have parentheses around comparisons, so that the
        // first one outside of parentheses is its own.
        if let Some(at) = outermost(&text.text, &symbol) {
            let (left, right) = (&text.text[..at], &text.text[at + symbol.len()..]);
            return Text::new(format!("{left} {opposite} {right}"), text.binding);
        }
    }
    Text::new(format!("!{}", text.within(Binding::Atom)), Binding::Prefix)
}

/// Where a text occurs outside of brackets.
fn outermost(text: &str, symbol: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 && text[at..].starts_with(symbol) => return Some(at),
            _ => {}
        }
    }
    None
}

fn infix_operator(op: &Op) -> Option<(&'static str, Binding)> {
    infix::operator(op).or(match op {
        Op::BvUlt => Some(("<u", Binding::Order)),
        Op::BvSlt | Op::Lt | Op::FpLt => Some(("<", Binding::Order)),
        Op::FpLeq | Op::Le => Some(("<=", Binding::Order)),
        Op::FpEq => Some(("==", Binding::Equality)),
        Op::BvConcat => Some(("++", Binding::Sum)),
        _ => None,
    })
}

/// What is written before the arguments of all other operators.
fn function_name(pool: &Pool, term: Term) -> String {
    let sort = || super::sort_text(pool, pool.sort(term));
    match pool.op(term) {
        Op::Apply(function) => pool.name(pool.declaration(*function).name).into(),
        Op::BvZeroExtend(_) => format!("zext{}", pool.width(term)),
        Op::BvSignExtend(_) => format!("sext{}", pool.width(term)),
        Op::FpFromBits(_) => format!("{}_of_bits", sort()),
        Op::FpToBits => "bits_of".into(),
        Op::FpToFp(_) | Op::FpFromSbv(_) | Op::FpFromReal(_) => sort(),
        Op::FpFromUbv(_) => format!("{}_of_unsigned", sort()),
        Op::FpToUbv(width) => format!("unsigned{width}"),
        Op::FpToSbv(width) => format!("signed{width}"),
        Op::ConstArray(_) => "all".into(),
        op => {
            let name = format!("{op:?}");
            let name = name.split(['(', ' ']).next().unwrap_or_default();
            name.strip_prefix("Fp").unwrap_or(name).to_lowercase()
        }
    }
}

fn value_text(value: &Value) -> Text {
    match value {
        Value::Bool(b) => Text::atom(b.to_string()),
        Value::Bits(bits) => Text::number(bits_text(bits)),
        Value::Float(float) => Text::number(float.to_decimal()),
        Value::Int(n) => Text::atom(n.to_string()),
        Value::Real(r) => Text::atom(r.to_string()),
        Value::Rounding(mode) => Text::atom(mode.to_string()),
        Value::Array(_) => Text::atom("{…}"),
        Value::Element(_, n) => Text::atom(format!("@{n}")),
    }
}

/// A value as text: numbers in decimal if they are small.
pub fn value_to_text(value: &Value) -> String {
    value_text(value).text
}
