//! Annotations of llreve in comments: what holds of inputs, and which outputs are compared.
//!
//! `/*@ rel_in F @*/` and `/*@ pre F @*/` state a formula about the parameters of both versions
//! (`n$1`, `n$2`), `/*@ rel_out F @*/` what must be equal in the end. Formulas are SMT-LIB over
//! mathematical integers; parameters are read as signed; that memory is equal is how both begin in
//! any case. A part that is not understood is not assumed by proofs, and then no difference is
//! claimed, since it might exclude it.

use term::{Pool, Sort, Term};
use value::Bits;

/// What the comments of both versions say.
#[derive(Clone, Default, Debug)]
pub struct Annotations {
    inputs: Vec<Sexp>,
    /// Which outputs are compared, if that is said.
    pub outputs: Outputs,
}

/// Which outputs are compared.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Outputs {
    /// All.
    #[default]
    All,
    /// The result.
    Result,
    /// Others.
    Other,
}

#[derive(Clone, PartialEq, Debug)]
enum Sexp {
    Atom(String),
    List(Vec<Sexp>),
}

/// The parameters of both versions: names in the old and in the new one, and the input.
pub type Parameters = [(Option<String>, Option<String>, Term)];

impl Annotations {
    /// Those of two texts.
    pub fn read(texts: [&str; 2]) -> Annotations {
        let mut annotations = Annotations::default();
        for text in texts {
            for comment in text.split("/*@").skip(1) {
                let Some((comment, _)) = comment.split_once("@*/") else { continue };
                let comment = comment.trim();
                let (word, rest) = comment.split_once(char::is_whitespace).unwrap_or((comment, ""));
                let forms = parse(rest);
                match word {
                    "rel_in" | "pre" => annotations.inputs.extend(forms),
                    "rel_out" => {
                        let result = parse("(= result$1 result$2)");
                        annotations.outputs =
                            if forms == result { Outputs::Result } else { Outputs::Other };
                    }
                    "addfuncond" => annotations.inputs.push(Sexp::Atom(word.to_owned())),
                    _ => {}
                }
            }
        }
        annotations
    }

    /// What holds of inputs, and whether all of it was understood.
    pub fn formula(&self, pool: &Pool, parameters: &Parameters) -> (Term, bool) {
        let mut whole = true;
        let parts: Vec<Term> = self
            .inputs
            .iter()
            .flat_map(conjuncts)
            .filter_map(|part| {
                if is_equal_memory(part) {
                    return None;
                }
                let formula = boolean(pool, part, parameters);
                whole &= formula.is_some();
                formula
            })
            .collect();
        (pool.and(parts), whole)
    }
}

fn conjuncts(form: &Sexp) -> Vec<&Sexp> {
    match form {
        Sexp::List(parts) if parts.first() == Some(&Sexp::Atom("and".into())) => {
            parts[1..].iter().flat_map(conjuncts).collect()
        }
        _ => vec![form],
    }
}

/// Whether a formula says that both memories are equal.
fn is_equal_memory(form: &Sexp) -> bool {
    let known = ["(= HEAP$1 HEAP$2)", "(forall ((i Int)) (= (select HEAP$1 i) (select HEAP$2 i)))"];
    known.iter().any(|text| parse(text).first() == Some(form))
}

fn boolean(pool: &Pool, form: &Sexp, parameters: &Parameters) -> Option<Term> {
    let Sexp::List(parts) = form else { return None };
    let (Sexp::Atom(word), arguments) = parts.split_first()? else { return None };
    let all = || -> Option<Vec<Term>> {
        arguments.iter().map(|part| boolean(pool, part, parameters)).collect()
    };
    match (word.as_str(), arguments) {
        ("and", _) => Some(pool.and(all()?)),
        ("or", _) => Some(pool.or(all()?)),
        ("not", [_]) => Some(pool.not(all()?[0])),
        ("=>", [_, _]) => {
            let all = all()?;
            Some(pool.implies(all[0], all[1]))
        }
        (_, [a, b]) => {
            let (a, b) = (number(pool, a, parameters)?, number(pool, b, parameters)?);
            Some(match word.as_str() {
                "=" => pool.eq(a, b),
                "distinct" => pool.ne(a, b),
                "<=" | "bvsle" => pool.bv_sle(a, b),
                "<" | "bvslt" => pool.bv_slt(a, b),
                ">=" | "bvsge" => pool.bv_sle(b, a),
                ">" | "bvsgt" => pool.bv_slt(b, a),
                _ => return None,
            })
        }
        _ => None,
    }
}

/// A number as a bit-vector that is wide enough for sums of inputs.
fn number(pool: &Pool, form: &Sexp, parameters: &Parameters) -> Option<Term> {
    const WIDTH: u32 = 80;
    match form {
        Sexp::Atom(word) => {
            if let Ok(number) = word.parse::<i64>() {
                return Some(pool.bits(Bits::from_i64(64, number)))
                    .map(|term| pool.bv_sign_extend(term, WIDTH - 64));
            }
            let (name, rest) = word.split_once('$')?;
            let known = parameters.iter().find(|(old, new, _)| {
                let own = if rest.starts_with('1') { old } else { new };
                own.as_deref() == Some(name)
            })?;
            let Sort::BitVec(width) = pool.sort(known.2) else { return None };
            (width < WIDTH).then(|| pool.bv_sign_extend(known.2, WIDTH - width))
        }
        Sexp::List(parts) => match &parts[..] {
            [Sexp::Atom(mark), Sexp::Atom(number), Sexp::Atom(_)] if mark == "_" => {
                let number = number.strip_prefix("bv")?.parse::<i64>().ok()?;
                let term = pool.bits(Bits::from_i64(64, number));
                Some(pool.bv_sign_extend(term, WIDTH - 64))
            }
            [Sexp::Atom(word), a, b] => {
                let (a, b) =
                    (self::number(pool, a, parameters)?, self::number(pool, b, parameters)?);
                match word.as_str() {
                    "+" => Some(pool.bv_add(a, b)),
                    "-" => Some(pool.bv_sub(a, b)),
                    _ => None,
                }
            }
            [Sexp::Atom(word), a] if word == "-" => {
                Some(pool.bv_neg(self::number(pool, a, parameters)?))
            }
            _ => None,
        },
    }
}

/// The forms of a text; what is not closed is left out.
fn parse(text: &str) -> Vec<Sexp> {
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or_default());
    let text = lines.collect::<Vec<_>>().join(" ").replace('(', " ( ").replace(')', " ) ");
    let mut open: Vec<Vec<Sexp>> = vec![Vec::new()];
    for word in text.split_whitespace() {
        match word {
            "(" => open.push(Vec::new()),
            ")" => {
                let Some(list) = open.pop() else { return Vec::new() };
                let Some(outer) = open.last_mut() else { return Vec::new() };
                outer.push(Sexp::List(list));
            }
            word => {
                if let Some(list) = open.last_mut() {
                    list.push(Sexp::Atom(word.to_owned()));
                }
            }
        }
    }
    if open.len() == 1 { open.pop().unwrap_or_default() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_about_parameters_are_read() {
        let text = "/*@ rel_in (and (= n$1 n$2) (>= n$1 0) (= HEAP$1 HEAP$2)) @*/ int f(int n);";
        let annotations = Annotations::read([text, ""]);
        let pool = Pool::new();
        let n = pool.var("n", Sort::BitVec(32));
        let known = [(Some("n".to_owned()), Some("n".to_owned()), n)];
        let (formula, whole) = annotations.formula(&pool, &known);
        assert!(whole);
        assert_ne!(formula, pool.tru());
        assert_eq!(annotations.outputs, Outputs::All);
        let other = Annotations::read(["/*@ pre (strange x$1) @*/", ""]);
        assert!(!other.formula(&pool, &known).1);
    }
}
