//! Terms in infix notation, so that the reader builds the same term again.
//!
//! A number is written without its sort where the reader knows it: from the other operand, from
//! the register that is assigned, from the parameter. Otherwise the sort stands before it.
//!
//! Subterms that are shared or very long have names ([`program::print::infix`]): nesting stays far
//! below what the reader allows. `let #1 = …, #2 = … in …`

use super::names::Names;
use crate::words::{function_text, name_text, rounds, sort_text};
use ::term::{Op, Pool, Sort, Term, Value};
use program::Program;
use program::print::infix::{
    self, Binding, Piece, bits_text, float_operator, prefix_operator, with_names,
};
use program::program::FunctionId;
use rustc_hash::FxHashSet;
use value::{Float, Rounding};

#[derive(Clone)]
struct Text {
    shown: infix::Text,
    /// The text with its sort, an atom or a choice, if what is shown leaves it open.
    typed: Option<String>,
    /// The opposite, of comparisons.
    negated: Option<String>,
}

impl From<infix::Text> for Text {
    fn from(shown: infix::Text) -> Text {
        Text { shown, typed: None, negated: None }
    }
}

impl Piece for Text {
    fn named(name: String) -> Self {
        Text::atom(name)
    }

    fn text(&self) -> &str {
        &self.shown.text
    }

    fn meaning(self) -> String {
        self.with_sort().shown.text
    }
}

impl Text {
    fn new(text: String, binding: Binding) -> Text {
        infix::Text::new(text, binding).into()
    }

    fn atom(text: impl Into<String>) -> Text {
        infix::Text::atom(text).into()
    }

    /// The text where an operator binds so tightly.
    fn within(&self, binding: Binding) -> String {
        self.shown.within(binding)
    }

    /// The same one with its sort.
    fn with_sort(mut self) -> Text {
        if let Some(typed) = self.typed.take() {
            // A choice stays a choice; a number becomes an atom.
            let choice = self.shown.binding == Binding::Choice;
            let binding = if choice { Binding::Choice } else { Binding::Atom };
            self.shown = infix::Text::new(typed, binding);
        }
        self
    }
}

/// The name of a declared function; the reader takes it for nothing else.
pub(super) fn pure_name(name: &str) -> String {
    let plain = crate::words::function(name).is_none() && !matches!(name, "all" | "element");
    if plain { name_text(name) } else { format!("`{name}`") }
}

struct Writer<'w> {
    pool: &'w Pool,
    names: &'w Names<'w>,
    function: Option<FunctionId>,
}

/// A term as text, in a function or outside of all; `known` if the reader knows its sort.
pub(super) fn term_text(
    program: &Program,
    names: &Names<'_>,
    function: Option<FunctionId>,
    term: Term,
    known: bool,
) -> String {
    let pool = &program.pool;
    let writer = Writer { pool, names, function };
    let last = |text: Text| if known { text.shown.text } else { text.meaning() };
    with_names(pool, &in_order(pool, term), '#', |term, args| writer.node(term, args), last)
}

/// All subterms, each once, arguments before their users and from left to right: an order that
/// follows from the term alone, and not from the numbers that its pool has given out.
fn in_order(pool: &Pool, term: Term) -> Vec<Term> {
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    let mut pending = vec![(term, false)];
    while let Some((term, done)) = pending.pop() {
        if done {
            order.push(term);
        } else if seen.insert(term) {
            pending.push((term, true));
            pending.extend(pool.args(term).iter().rev().map(|arg| (*arg, false)));
        }
    }
    order
}

impl Writer<'_> {
    fn node(&self, term: Term, mut args: Vec<Text>) -> Text {
        let pool = self.pool;
        let node = pool.node(term);
        match &node.op {
            Op::Var(_) => return Text::atom(self.names.register(term, self.function)),
            Op::Value(value) => return value_text(pool, value),
            Op::Ite => return choice(args),
            Op::Not => return negation(args.remove(0)),
            Op::And => return joined(&args, " && ", Binding::And),
            Op::Or => return joined(&args, " || ", Binding::Or),
            Op::BvExtract { high, low } => {
                let operand = args.remove(0).with_sort().within(Binding::Atom);
                return Text::atom(format!("{operand}[{high}:{low}]"));
            }
            Op::Select => {
                let array = args[0].within(Binding::Atom);
                return Text::atom(format!("{array}[{}]", args[1].text()));
            }
            Op::Store => {
                let array = args[0].within(Binding::Atom);
                return Text::atom(format!("{array}[{} := {}]", args[1].text(), args[2].text()));
            }
            Op::ConstArray(sort) => {
                return Text::atom(format!("all({}, {})", sort_text(pool, *sort), args[0].text()));
            }
            Op::Apply(function) => {
                let name = pure_name(pool.name(pool.declaration(*function).name));
                return call(&name, args.into_iter().map(|a| a.shown.text));
            }
            Op::BvConcat => {
                let args: Vec<Text> = args.into_iter().map(Text::with_sort).collect();
                return infix(&args[0], "++", &args[1], Binding::Sum);
            }
            _ => {}
        }
        if let Some(symbol) = prefix_operator(&node.op) {
            let operand = args.remove(0).with_sort().within(Binding::Atom);
            return Text::new(format!("{symbol}{operand}"), Binding::Prefix);
        }
        if let Some(symbols) = comparison(&node.op, pool.sort(node.args[0])) {
            return compare(args, symbols);
        }
        if let Some((symbol, binding)) = operator(&node.op) {
            return arithmetic(args, symbol, binding, &node.op);
        }
        self.rounded(term, args)
    }

    /// Operators with a rounding mode, and all that are written as functions.
    fn rounded(&self, term: Term, mut args: Vec<Text>) -> Text {
        let node = self.pool.node(term);
        let nearest =
            |a: &Term| self.pool.value(*a) == Some(&Value::Rounding(Rounding::NearestEven));
        if rounds(&node.op) && node.args.first().is_some_and(nearest) {
            args.remove(0);
            if let Some((symbol, binding)) = float_operator(&node.op) {
                let negated = *self.pool.op(node.args[2]) == Op::FpNeg
                    && !args[1].text().starts_with('#')
                    && symbol == "+";
                return match args[1].text().strip_prefix('-') {
                    // A negated constant is written as it is: `a - 1.0` is the sum with -1.0.
                    Some(operand)
                        if negated
                            && self.pool.value(self.pool.args(node.args[2])[0]).is_none() =>
                    {
                        let operand = Text::atom(operand);
                        infix(&args.remove(0), "-", &operand, binding)
                    }
                    _ => arithmetic(args, symbol, binding, &node.op),
                };
            }
        }
        let name = function_text(self.pool, &node.op, node.sort);
        // Quantifiers alone have no name: programs have none.
        let name = name.unwrap_or_else(|| format!("{:?}", node.op));
        call(&name, args.into_iter().map(Piece::meaning))
    }
}

fn call(name: &str, args: impl Iterator<Item = String>) -> Text {
    Text::atom(format!("{name}({})", args.collect::<Vec<_>>().join(", ")))
}

/// Open if both branches are.
fn choice(args: Vec<Text>) -> Text {
    let [condition, then, other] = [0, 1, 2].map(|i| args[i].within(Binding::Or));
    let mut text = Text::new(format!("{condition} ? {then} : {other}"), Binding::Choice);
    if args[1].typed.is_some() && args[2].typed.is_some() {
        let then = args[1].clone().with_sort().within(Binding::Or);
        text.typed = Some(format!("{condition} ? {then} : {other}"));
    }
    text
}

fn joined(args: &[Text], separator: &str, binding: Binding) -> Text {
    infix::Text::joined(args.iter().map(|arg| &arg.shown), separator, binding).into()
}

fn infix(left: &Text, symbol: &str, right: &Text, binding: Binding) -> Text {
    infix::Text::infix(&left.shown, symbol, &right.shown, binding).into()
}

/// Operands of one sort: one of two numbers has to say which.
fn one_typed(mut args: Vec<Text>) -> Vec<Text> {
    if args.iter().all(|a| a.typed.is_some()) {
        args = args.into_iter().map(Text::with_sort).collect();
    }
    args
}

/// `a - 1` rather than `a + -1`; the difference of kernel terms shows the sort of a number.
fn arithmetic(args: Vec<Text>, symbol: &str, binding: Binding, op: &Op) -> Text {
    let mut args = one_typed(args);
    if *op == Op::BvSub {
        let right = args.remove(1).with_sort();
        return infix(&args[0], symbol, &right, binding);
    }
    let is_sum = matches!(op, Op::BvAdd | Op::FpAdd);
    let number = args[1].typed.is_some() && args[1].shown.binding == Binding::Prefix;
    match args[1].text().strip_prefix('-') {
        Some(number_text) if is_sum && number => {
            infix(&args[0], "-", &Text::atom(number_text), binding)
        }
        _ => infix(&args[0], symbol, &args[1], binding),
    }
}

/// `!a`, or the opposite comparison.
fn negation(operand: Text) -> Text {
    match operand.negated {
        Some(negated) => Text::new(negated, operand.shown.binding),
        None => Text::new(format!("!{}", operand.within(Binding::Atom)), Binding::Prefix),
    }
}

/// The symbols of a comparison: as it is, with the operands exchanged, and the opposites of both.
type Symbols = ([&'static str; 2], Option<[&'static str; 2]>, Binding);

fn comparison(op: &Op, operands: Sort) -> Option<Symbols> {
    let float = matches!(operands, Sort::Float(_));
    Some(match op {
        Op::Eq if float => (["===", "==="], Some(["!==", "!=="]), Binding::Equality),
        Op::Eq | Op::FpEq => (["==", "=="], Some(["!=", "!="]), Binding::Equality),
        Op::BvSlt => (["<", ">"], Some([">=", "<="]), Binding::Order),
        Op::BvUlt => (["<u", ">u"], Some([">=u", "<=u"]), Binding::Order),
        Op::Lt | Op::FpLt => (["<", ">"], None, Binding::Order),
        Op::Le | Op::FpLeq => (["<=", ">="], None, Binding::Order),
        _ => return None,
    })
}

/// `x > 5` rather than `5 < x`. Equalities keep their order, which the reader keeps too.
fn compare(args: Vec<Text>, (symbols, opposites, binding): Symbols) -> Text {
    let args = one_typed(args);
    let swap = args[0].typed.is_some() && binding == Binding::Order;
    let (left, right) = if swap { (&args[1], &args[0]) } else { (&args[0], &args[1]) };
    let side = usize::from(swap);
    let mut text = infix(left, symbols[side], right, binding);
    text.negated =
        opposites.map(|opposites| infix(left, opposites[side], right, binding).shown.text);
    text
}

/// Operators of bit-vectors, integers and reals that have a symbol.
fn operator(op: &Op) -> Option<(&'static str, Binding)> {
    infix::operator(op).or(match op {
        Op::IntDiv => Some(("/", Binding::Product)),
        Op::IntMod => Some(("%", Binding::Product)),
        _ => None,
    })
}

/// A constant.
fn value_text(pool: &Pool, value: &Value) -> Text {
    match value {
        Value::Bool(b) => Text::atom(b.to_string()),
        Value::Bits(bits) => number(bits_text(bits), &format!("bv{}", bits.width())),
        Value::Float(float) => {
            number(float_text(float), &sort_text(pool, Sort::Float(float.format())))
        }
        Value::Int(n) => number(n.to_string(), "int"),
        Value::Real(r) => Text::atom(format!("real({}/{})", r.numer(), r.denom())),
        Value::Rounding(mode) => Text::atom(mode.to_string()),
        Value::Element(sort, n) => {
            let sort = sort_text(pool, Sort::Uninterpreted(*sort));
            Text::atom(format!("element({sort}, {n})"))
        }
        Value::Array(_) => unreachable!("arrays are not constants of terms"),
    }
}

fn number(text: String, sort: &str) -> Text {
    let typed = Some(format!("{sort}({text})"));
    Text { shown: infix::Text::number(text), typed, negated: None }
}

/// The shortest decimal, or the bits where there is none.
fn float_text(float: &Float) -> String {
    if float.is_nan() {
        return "nan".into();
    }
    let text = float.to_decimal();
    let again = Float::from_decimal(float.format(), Rounding::NearestEven, &text);
    if float.is_infinite() || again.as_ref() == Ok(float) {
        text
    } else {
        format!("0x{}", float.to_bits().to_biguint().to_str_radix(16))
    }
}
