//! Functions without a body: what is known of them, by name.
//!
//! A function of `math.h` gives equal results for equal arguments, whenever it is called; where a run
//! is executed, its value is what the machine's own library gives. `__mark` and `__splitmark` are
//! notes for another tool (llreve) and stand for all ones, which changes nothing in a conjunction.
//! Any other function does the same when it is called with the same arguments, in the same memory and
//! after the same calls of such functions: what it prints, and what it returns.

use term::Value;
use value::{Bits, Float, Format};

/// What a function without a body is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Its result depends on its arguments alone, and nothing else happens.
    Pure,
    /// A note for somebody else; the result is all ones.
    Mark,
    /// Anything.
    Effect,
}

const UNARY: [&str; 24] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt", "exp10", "erf", "erfc",
    "tgamma",
];
const BINARY: [&str; 5] = ["pow", "atan2", "hypot", "fmod", "nextafter"];
const OTHERS: [&str; 6] = ["lgamma", "frexp", "ldexp", "scalbn", "ilogb", "logb"];
const MARKS: [&str; 2] = ["__mark", "__splitmark"];

/// The name in a list that a function is a variant of.
fn stem<'l>(name: &str, list: &[&'l str]) -> Option<&'l str> {
    let same = |n: &&&str| **n == name || name.strip_suffix(['f', 'l']).is_some_and(|s| **n == s);
    list.iter().find(same).copied()
}

/// What a function is.
pub fn kind(name: &str) -> Kind {
    if MARKS.contains(&name) {
        Kind::Mark
    } else if [&UNARY[..], &BINARY, &OTHERS].iter().any(|list| stem(name, list).is_some()) {
        Kind::Pure
    } else {
        Kind::Effect
    }
}

/// The result of a pure function as the machine's library gives it; none where that is not known.
pub fn evaluate(name: &str, arguments: &[Value]) -> Option<Value> {
    let floats: Option<Vec<&Float>> = arguments.iter().map(|v| v.as_float()).collect();
    let floats = floats?;
    let format = floats.first()?.format();
    if floats.iter().any(|f| f.format() != format) {
        return None;
    }
    if format == Format::F64 && !name.ends_with('l') {
        let values: Option<Vec<f64>> = floats.iter().map(|f| f.to_f64()).collect();
        let name = stem(name, &UNARY).or_else(|| stem(name, &BINARY))?;
        return Some(Value::Float(Float::from_f64(double(name, &values?)?)));
    }
    if format == Format::F32 {
        let values: Option<Vec<f32>> = floats.iter().map(|f| f.to_f32()).collect();
        let name = stem(name, &UNARY).or_else(|| stem(name, &BINARY))?;
        return Some(Value::Float(Float::from_f32(single(name, &values?)?)));
    }
    None
}

fn double(name: &str, values: &[f64]) -> Option<f64> {
    let x = *values.first()?;
    Some(match (name, values.get(1)) {
        ("sin", None) => x.sin(),
        ("cos", None) => x.cos(),
        ("tan", None) => x.tan(),
        ("asin", None) => x.asin(),
        ("acos", None) => x.acos(),
        ("atan", None) => x.atan(),
        ("sinh", None) => x.sinh(),
        ("cosh", None) => x.cosh(),
        ("tanh", None) => x.tanh(),
        ("exp", None) => x.exp(),
        ("exp2", None) => x.exp2(),
        ("expm1", None) => x.exp_m1(),
        ("log", None) => x.ln(),
        ("log2", None) => x.log2(),
        ("log10", None) => x.log10(),
        ("log1p", None) => x.ln_1p(),
        ("cbrt", None) => x.cbrt(),
        ("pow", Some(y)) => x.powf(*y),
        ("atan2", Some(y)) => x.atan2(*y),
        ("hypot", Some(y)) => x.hypot(*y),
        _ => return None,
    })
}

fn single(name: &str, values: &[f32]) -> Option<f32> {
    let x = *values.first()?;
    Some(match (name, values.get(1)) {
        ("sin", None) => x.sin(),
        ("cos", None) => x.cos(),
        ("tan", None) => x.tan(),
        ("exp", None) => x.exp(),
        ("log", None) => x.ln(),
        ("log10", None) => x.log10(),
        ("atan", None) => x.atan(),
        ("pow", Some(y)) => x.powf(*y),
        ("atan2", Some(y)) => x.atan2(*y),
        _ => return None,
    })
}

/// All ones, of so many bits.
pub fn mark(width: u32) -> Value {
    Value::Bits(Bits::ones(width))
}
