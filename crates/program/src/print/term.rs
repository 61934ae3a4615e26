//! Terms in infix notation.
//!
//! Operators are those of C where C has them. Signed operations are plain, unsigned ones have a
//! `u` (`a <u b`, `a /u b`, `a >>u b`); `===` is the identity of floats, `==` their IEEE equality;
//! `a ++ b` joins bits, `a[15:8]` takes some, `zext32(a)` and `sext32(a)` widen to 32 bits;
//! `m[i]` and `m{i := v}` read and write arrays. Float operations round to nearest even unless
//! they name a rounding mode. Numbers are decimal and signed if they are small.
//!
//! A subterm that is used several times and is not small is written once and named, as is one
//! whose text is very long, so that the work is linear in the size of the term:
//! `let $1 = …, $2 = … in …`.

use rustc_hash::FxHashMap;
use term::traverse::subterms;
use term::{Op, Pool, Sort, Term, Value};
use value::{Bits, Rounding};

/// Shared subterms of fewer bytes are written out each time.
const SMALL: usize = 20;

/// Subterms of more bytes have names.
const LONG: usize = 2000;

/// How tightly an operator binds; from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Choice,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Order,
    Shift,
    Sum,
    Product,
    Prefix,
    Atom,
}

#[derive(Clone)]
struct Text {
    text: String,
    binding: Binding,
}

impl Text {
    fn atom(text: impl Into<String>) -> Text {
        Text { text: text.into(), binding: Binding::Atom }
    }

    /// The text where an operator binds so tightly.
    fn within(&self, binding: Binding) -> String {
        if self.binding >= binding { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// A term as text.
pub fn term_text(pool: &Pool, term: Term) -> String {
    let order = subterms(pool, &[term]);
    let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
    for &t in &order {
        for &arg in pool.args(t) {
            *uses.entry(arg).or_default() += 1;
        }
    }
    let mut texts: FxHashMap<Term, Text> = FxHashMap::default();
    let mut bindings: Vec<String> = Vec::new();
    for t in order {
        let mut text = node_text(pool, t, &mut texts, &uses);
        let shared = uses.get(&t).is_some_and(|n| *n > 1) && text.text.len() > SMALL;
        if t != term && (shared || text.text.len() > LONG) {
            let name = format!("${}", bindings.len() + 1);
            bindings.push(format!("{name} = {}", text.text));
            text = Text::atom(name);
        }
        texts.insert(t, text);
    }
    let body = &texts[&term].text;
    if bindings.is_empty() {
        body.clone()
    } else {
        format!("let {} in {body}", bindings.join(", "))
    }
}

/// The argument's text; it is moved to its only user.
fn take(texts: &mut FxHashMap<Term, Text>, uses: &FxHashMap<Term, u32>, term: Term) -> Text {
    let single = uses.get(&term) == Some(&1);
    let text = if single { texts.remove(&term) } else { texts.get(&term).cloned() };
    text.expect("arguments come before their users")
}

fn node_text(
    pool: &Pool,
    term: Term,
    texts: &mut FxHashMap<Term, Text>,
    uses: &FxHashMap<Term, u32>,
) -> Text {
    let node = pool.node(term);
    let args: Vec<Text> = node.args.iter().map(|a| take(texts, uses, *a)).collect();
    match &node.op {
        Op::Var(name) => return Text::atom(pool.name(*name)),
        Op::Value(value) => return value_text(value),
        Op::Ite => {
            let [c, a, b] = [0, 1, 2].map(|i| args[i].within(Binding::Or));
            return Text { text: format!("{c} ? {a} : {b}"), binding: Binding::Choice };
        }
        Op::Not => return negation(pool, node.args[0], &args[0]),
        Op::And => return joined(&args, " && ", Binding::And),
        Op::Or => return joined(&args, " || ", Binding::Or),
        Op::Eq => {
            let float = matches!(pool.sort(node.args[0]), Sort::Float(_));
            return infix(&args, if float { "===" } else { "==" }, Binding::Equality);
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
            Some(constant) => constant_last(&args, constant, symbol, binding),
            None => infix(&args, symbol, binding),
        };
    }
    if let Some((symbol, binding)) = float_operator(&node.op)
        && is_nearest(pool, node.args[0])
    {
        return infix(&args[1..], symbol, binding);
    }
    if let Some(symbol) = prefix_operator(&node.op) {
        let text = format!("{symbol}{}", args[0].within(Binding::Atom));
        return Text { text, binding: Binding::Prefix };
    }
    let skipped = usize::from(node.args.first().is_some_and(|a| is_nearest(pool, *a)));
    let list: Vec<&str> = args[skipped..].iter().map(|a| a.text.as_str()).collect();
    Text::atom(format!("{}({})", function_name(pool, term), list.join(", ")))
}

fn is_nearest(pool: &Pool, term: Term) -> bool {
    pool.value(term) == Some(&Value::Rounding(Rounding::NearestEven))
}

fn joined(args: &[Text], separator: &str, binding: Binding) -> Text {
    let parts: Vec<String> = args.iter().map(|a| a.within(above(binding))).collect();
    Text { text: parts.join(separator), binding }
}

fn infix(args: &[Text], symbol: &str, binding: Binding) -> Text {
    // To the left, the same operator needs no parentheses; of comparisons, it has them.
    let left = if binding > Binding::Order { binding } else { above(binding) };
    let text = format!("{} {symbol} {}", args[0].within(left), args[1].within(above(binding)));
    Text { text, binding }
}

/// `a + 1` rather than `1 + a`, and `a - 1` rather than `a + -1`.
fn constant_last(args: &[Text], constant: usize, symbol: &str, binding: Binding) -> Text {
    let (constant, other) = (&args[constant], args[1 - constant].clone());
    match constant.text.strip_prefix('-') {
        Some(number) if symbol == "+" => infix(&[other, Text::atom(number)], "-", binding),
        _ => infix(&[other, constant.clone()], symbol, binding),
    }
}

/// The next tighter binding; bitwise operators and shifts show their parentheses, as few know
/// the order.
fn above(binding: Binding) -> Binding {
    match binding {
        Binding::Choice => Binding::Or,
        Binding::Or => Binding::And,
        Binding::And => Binding::BitOr,
        Binding::BitOr | Binding::BitXor | Binding::BitAnd => Binding::Prefix,
        Binding::Equality | Binding::Order => Binding::Shift,
        Binding::Shift => Binding::Prefix,
        Binding::Sum => Binding::Product,
        Binding::Product | Binding::Prefix | Binding::Atom => Binding::Prefix,
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
            return Text { text: format!("{left} {opposite} {right}"), binding: text.binding };
        }
    }
    Text { text: format!("!{}", text.within(Binding::Atom)), binding: Binding::Prefix }
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
    Some(match op {
        Op::BvAnd => ("&", Binding::BitAnd),
        Op::BvOr => ("|", Binding::BitOr),
        Op::BvXor => ("^", Binding::BitXor),
        Op::BvAdd | Op::Add => ("+", Binding::Sum),
        Op::BvSub | Op::Sub => ("-", Binding::Sum),
        Op::BvMul | Op::Mul => ("*", Binding::Product),
        Op::BvUdiv => ("/u", Binding::Product),
        Op::BvUrem => ("%u", Binding::Product),
        Op::BvSdiv | Op::RealDiv => ("/", Binding::Product),
        Op::BvSrem => ("%", Binding::Product),
        Op::BvShl => ("<<", Binding::Shift),
        Op::BvLshr => (">>u", Binding::Shift),
        Op::BvAshr => (">>", Binding::Shift),
        Op::BvUlt => ("<u", Binding::Order),
        Op::BvSlt | Op::Lt | Op::FpLt => ("<", Binding::Order),
        Op::FpLeq | Op::Le => ("<=", Binding::Order),
        Op::FpEq => ("==", Binding::Equality),
        Op::BvConcat => ("++", Binding::Sum),
        _ => return None,
    })
}

/// Operators whose first argument is a rounding mode.
fn float_operator(op: &Op) -> Option<(&'static str, Binding)> {
    Some(match op {
        Op::FpAdd => ("+", Binding::Sum),
        Op::FpMul => ("*", Binding::Product),
        Op::FpDiv => ("/", Binding::Product),
        _ => return None,
    })
}

fn prefix_operator(op: &Op) -> Option<&'static str> {
    Some(match op {
        Op::BvNot => "~",
        Op::BvNeg | Op::FpNeg | Op::Neg => "-",
        _ => return None,
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
        Value::Bits(bits) => bits_text(bits),
        Value::Float(float) => {
            let text = float.to_decimal();
            let binding = if text.starts_with('-') { Binding::Prefix } else { Binding::Atom };
            Text { text, binding }
        }
        Value::Int(n) => Text::atom(n.to_string()),
        Value::Real(r) => Text::atom(r.to_string()),
        Value::Rounding(mode) => Text::atom(mode.to_string()),
        Value::Array(_) => Text::atom("{…}"),
        Value::Element(_, n) => Text::atom(format!("@{n}")),
    }
}

fn bits_text(bits: &Bits) -> Text {
    match bits.to_bigint().try_into() {
        Ok(n @ 0i64..=100_000) => Text::atom(n.to_string()),
        Ok(n @ -100_000..0) if bits.width() > 1 => {
            Text { text: n.to_string(), binding: Binding::Prefix }
        }
        _ => match bits.to_u64() {
            Some(n) => Text::atom(format!("{n:#x}")),
            None => Text::atom(format!("0x{}", bits.to_biguint().to_str_radix(16))),
        },
    }
}

/// A value as text: numbers in decimal if they are small.
pub fn value_to_text(value: &Value) -> String {
    value_text(value).text
}
