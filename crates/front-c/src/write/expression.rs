//! Formulas as C expressions that mean the same to every C compiler.
//!
//! A term is rendered bottom-up as an expression of a definite C type: an integer of 8, 16, 32 or
//! 64 bits, signed or not, `float`, `double`, or a truth value. Arithmetic is done on unsigned
//! operands of at least 32 bits and cut back to the width, so that no expression overflows;
//! comparisons of variables of the source stay as a person would write them. Where SMT-LIB gives a
//! meaning that C does not (division by zero, a shift by too much), only the cases are rendered where
//! both agree.
//!
//! What has no C form (arrays, identity of floats, names that are not in scope) gives `None`; callers
//! drop the conjunct, which only weakens an invariant.

use rustc_hash::FxHashMap;
use term::traverse::subterms;
use term::{Op, Pool, Sort, Term, Value};
use value::{Bits, Rounding};

/// Longer expressions are of no use to a reader.
const LONGEST: usize = 2_000;

/// A variable in the source.
#[derive(Clone, Debug)]
pub struct Name {
    /// An expression that names it.
    pub text: String,
    /// Whether its type is signed.
    pub signed: bool,
}

/// The type of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Truth,
    Integer { width: u32, signed: bool },
    Float { double: bool },
}

#[derive(Clone, Debug)]
struct Expression {
    text: String,
    ty: Type,
    /// The width of the term; an integer's type may be wider, then the upper bits are zero.
    width: u32,
    /// Whether it needs no parentheses as an operand.
    atom: bool,
    /// Of a comparison, the opposite one.
    opposite: Option<String>,
}

/// The C form of a formula over variables that have names.
pub fn c_expression(
    pool: &Pool,
    formula: Term,
    name: &dyn Fn(Term) -> Option<Name>,
) -> Option<String> {
    let mut done: FxHashMap<Term, Expression> = FxHashMap::default();
    for term in subterms(pool, &[formula]) {
        let arguments: Option<Vec<&Expression>> =
            pool.args(term).iter().map(|argument| done.get(argument)).collect();
        // What has no form is missing; so is all that uses it, unless a conjunct can go.
        let Some(arguments) = arguments else { continue };
        let rendered = match pool.op(term) {
            Op::Var(_) => variable(pool, term, name),
            Op::Value(value) => constant(value),
            op => operation(pool, op, term, &arguments),
        };
        if let Some(rendered) = rendered.filter(|rendered| rendered.text.len() <= LONGEST) {
            done.insert(term, rendered);
        }
    }
    done.remove(&formula).filter(|whole| whole.ty == Type::Truth).map(|whole| whole.text)
}

/// The least C type that holds so many bits.
fn container(width: u32) -> Option<u32> {
    [8, 16, 32, 64].into_iter().find(|container| width <= *container)
}

fn type_name(width: u32, signed: bool) -> &'static str {
    match (width, signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned int",
        (_, true) => "long long",
        (_, false) => "unsigned long long",
    }
}

impl Expression {
    fn truth(text: String) -> Expression {
        Expression { text, ty: Type::Truth, width: 1, atom: false, opposite: None }
    }

    fn compared(left: &str, symbol: &str, opposite: &str, right: &str) -> Expression {
        let opposite = Some(format!("{left} {opposite} {right}"));
        Expression { opposite, ..Expression::truth(format!("{left} {symbol} {right}")) }
    }

    fn operand(&self) -> String {
        if self.atom { self.text.clone() } else { format!("({})", self.text) }
    }

    fn is_signed(&self) -> bool {
        matches!(self.ty, Type::Integer { signed: true, .. })
    }

    /// The value as an unsigned number in a type of at least 32 bits.
    fn unsigned(&self) -> Option<String> {
        let Type::Integer { width, signed } = self.ty else { return None };
        let wide = width.max(32);
        if !signed && width >= 32 {
            return Some(self.operand());
        }
        // A narrow signed number must not be extended by its sign.
        let narrow = match signed && width < 32 {
            true => format!("({}){}", type_name(width, false), self.operand()),
            false => self.operand(),
        };
        Some(format!("({}){narrow}", type_name(wide, false)))
    }

    /// The value as a signed number.
    fn signed(&self) -> Option<String> {
        let Type::Integer { width, signed } = self.ty else { return None };
        if signed {
            return Some(self.operand());
        }
        if self.width == width {
            return Some(format!("({}){}", type_name(width, true), self.operand()));
        }
        // The sign bit of an odd width is moved to the top and back.
        let (shift, wide) = (64 - self.width, type_name(64, true));
        let up = format!("({}){} << {shift}", type_name(64, false), self.operand());
        Some(format!("(({wide})({up}) >> {shift})"))
    }
}

/// An unsigned result, of an expression whose type has at least 32 bits, cut to its width.
fn unsigned(text: String, width: u32) -> Option<Expression> {
    let container = container(width)?;
    let (text, container) = if container != width {
        let suffix = if width < 32 { "U" } else { "ULL" };
        (format!("({text}) & {}{suffix}", ones(width)), container.max(32))
    } else if width < 32 {
        (format!("({})({text})", type_name(width, false)), width)
    } else {
        (text, width)
    };
    let ty = Type::Integer { width: container, signed: false };
    Some(Expression { text, ty, width, atom: false, opposite: None })
}

/// A signed result, of an expression whose type has at least the width.
fn signed(text: String, width: u32) -> Option<Expression> {
    if container(width) != Some(width) {
        return None;
    }
    let ty = Type::Integer { width, signed: true };
    let text = format!("({})({text})", type_name(width, true));
    Some(Expression { text, ty, width, atom: false, opposite: None })
}

fn ones(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn variable(pool: &Pool, term: Term, name: &dyn Fn(Term) -> Option<Name>) -> Option<Expression> {
    let Name { text, signed } = name(term)?;
    let (ty, width) = match pool.sort(term) {
        Sort::Bool => (Type::Truth, 1),
        Sort::BitVec(width) if container(width) == Some(width) => {
            (Type::Integer { width, signed }, width)
        }
        Sort::Float(format) => match (format.exponent(), format.significand()) {
            (8, 24) => (Type::Float { double: false }, 32),
            (11, 53) => (Type::Float { double: true }, 64),
            _ => return None,
        },
        _ => return None,
    };
    Some(Expression { text, ty, width, atom: true, opposite: None })
}

fn constant(value: &Value) -> Option<Expression> {
    match value {
        Value::Bool(value) => {
            let text = u8::from(*value).to_string();
            Some(Expression { text, ty: Type::Truth, width: 1, atom: true, opposite: None })
        }
        Value::Bits(bits) => {
            let container = container(bits.width())?;
            let ty = Type::Integer { width: container, signed: false };
            let text = number(bits, false);
            Some(Expression { text, ty, width: bits.width(), atom: true, opposite: None })
        }
        Value::Float(float) if !float.is_nan() && !float.is_infinite() => {
            let (ty, text) = match float.to_bits().width() {
                32 => (Type::Float { double: false }, format!("(float){}", decimal(float))),
                64 => (Type::Float { double: true }, decimal(float)),
                _ => return None,
            };
            let width = float.to_bits().width();
            Some(Expression { text: format!("({text})"), ty, width, atom: true, opposite: None })
        }
        Value::Rounding(Rounding::NearestEven) => {
            // Only there so that operations have all their arguments; it is never written.
            Some(Expression {
                text: String::new(),
                ty: Type::Truth,
                width: 0,
                atom: true,
                opposite: None,
            })
        }
        _ => None,
    }
}

/// Enough digits to name the float.
fn decimal(float: &value::Float) -> String {
    let text = float.to_decimal();
    if text.contains(['.', 'e', 'E']) { text } else { format!("{text}.0") }
}

/// A number of a width, as a literal of its type.
fn number(bits: &Bits, signed: bool) -> String {
    let long = if bits.width() > 32 { "LL" } else { "" };
    if !signed {
        return format!("{}U{long}", bits.to_biguint());
    }
    let value = bits.to_bigint();
    // The least number has no literal.
    if *bits == Bits::min_signed(bits.width()) && bits.width() >= 32 {
        return format!("(-{}{long} - 1)", Bits::max_signed(bits.width()).to_biguint());
    }
    if value.to_string().starts_with('-') {
        format!("({value}{long})")
    } else {
        format!("{value}{long}")
    }
}

fn operation(pool: &Pool, op: &Op, term: Term, arguments: &[&Expression]) -> Option<Expression> {
    let joined = |symbol: &str| {
        let parts: Vec<String> = arguments.iter().map(|part| part.operand()).collect();
        Expression::truth(parts.join(symbol))
    };
    match op {
        Op::And => Some(joined(" && ")),
        Op::Or => Some(joined(" || ")),
        Op::Not => Some(match &arguments[0].opposite {
            Some(opposite) => Expression::truth(opposite.clone()),
            None => Expression::truth(format!("!{}", arguments[0].operand())),
        }),
        Op::Eq => equality(pool, term, arguments),
        Op::BvUlt => comparison(pool, term, arguments, false),
        Op::BvSlt => comparison(pool, term, arguments, true),
        Op::Ite => choice(arguments),
        Op::FpLt => Some(joined(" < ")),
        Op::FpLeq => Some(joined(" <= ")),
        Op::FpEq => Some(joined(" == ")),
        Op::FpIsNan => {
            let operand = arguments[0].operand();
            Some(Expression::compared(&operand, "!=", "==", &operand))
        }
        Op::FpIsZero => {
            let operand = arguments[0].operand();
            Some(Expression::compared(&operand, "==", "!=", "0.0"))
        }
        Op::FpNeg => {
            let text = format!("-{}", arguments[0].operand());
            Some(Expression { text, atom: false, ..arguments[0].clone() })
        }
        Op::FpAdd | Op::FpMul | Op::FpDiv => {
            // With any other rounding mode the first argument would be missing.
            let symbol = match op {
                Op::FpAdd => "+",
                Op::FpMul => "*",
                _ => "/",
            };
            let text = format!("{} {symbol} {}", arguments[1].operand(), arguments[2].operand());
            // The type makes sure that the result is rounded, whatever the precision of operations.
            let name = match arguments[1].ty {
                Type::Float { double: true } => "double",
                Type::Float { double: false } => "float",
                _ => return None,
            };
            Some(Expression {
                text: format!("({name})({text})"),
                atom: false,
                ..arguments[1].clone()
            })
        }
        _ => arithmetic(pool, op, term, arguments),
    }
}

/// Two operands in one type for a comparison: as the source has them if they agree.
fn sides(
    pool: &Pool,
    term: Term,
    arguments: &[&Expression],
    signed: bool,
) -> Option<(String, String)> {
    let side = |index: usize| -> Option<String> {
        if let Some(Value::Bits(bits)) = pool.value(pool.args(term)[index]) {
            return Some(number(bits, signed));
        }
        if signed { arguments[index].signed() } else { arguments[index].unsigned() }
    };
    Some((side(0)?, side(1)?))
}

fn equality(pool: &Pool, term: Term, arguments: &[&Expression]) -> Option<Expression> {
    match arguments[0].ty {
        Type::Truth => {
            let (a, b) = (arguments[0].operand(), arguments[1].operand());
            Some(Expression::truth(format!("!{a} == !{b}")))
        }
        Type::Integer { .. } => {
            let signed = arguments.iter().any(|argument| argument.is_signed());
            let (a, b) = sides(pool, term, arguments, signed)?;
            Some(Expression::compared(&a, "==", "!=", &b))
        }
        // Identity is more than equality: zeros differ, a NaN is itself. A number that is not zero
        // is identical to what it equals.
        Type::Float { .. } => {
            let sure = pool.args(term).iter().any(|&argument| match pool.value(argument) {
                Some(Value::Float(float)) => !float.is_nan() && !float.is_zero(),
                _ => false,
            });
            let (a, b) = (arguments[0].operand(), arguments[1].operand());
            sure.then(|| Expression::truth(format!("{a} == {b}")))
        }
    }
}

fn comparison(
    pool: &Pool,
    term: Term,
    arguments: &[&Expression],
    signed: bool,
) -> Option<Expression> {
    let (a, b) = sides(pool, term, arguments, signed)?;
    Some(Expression::compared(&a, "<", ">=", &b))
}

fn choice(arguments: &[&Expression]) -> Option<Expression> {
    let [condition, then, otherwise] = arguments else { return None };
    let width = then.width;
    let (a, b) = match then.ty {
        Type::Integer { .. } => (then.unsigned()?, otherwise.unsigned()?),
        _ => (then.operand(), otherwise.operand()),
    };
    let text = format!("{} ? {a} : {b}", condition.operand());
    match then.ty {
        Type::Integer { .. } => unsigned(format!("({text})"), width),
        ty => Some(Expression { text, ty, width, atom: false, opposite: None }),
    }
}

/// Operators on bit-vectors.
fn arithmetic(pool: &Pool, op: &Op, term: Term, arguments: &[&Expression]) -> Option<Expression> {
    let Sort::BitVec(width) = pool.sort(term) else { return None };
    let first = arguments.first()?;
    let constant = |index: usize| match pool.value(*pool.args(term).get(index)?) {
        Some(Value::Bits(bits)) => bits.to_u64(),
        _ => None,
    };
    let infix = |symbol: &str| -> Option<Expression> {
        let text = format!("{} {symbol} {}", first.unsigned()?, arguments[1].unsigned()?);
        unsigned(text, width)
    };
    match op {
        Op::BvAdd => infix("+"),
        Op::BvSub => infix("-"),
        Op::BvMul => infix("*"),
        Op::BvAnd => infix("&"),
        Op::BvOr => infix("|"),
        Op::BvXor => infix("^"),
        Op::BvUdiv if constant(1)? != 0 => infix("/"),
        Op::BvUrem if constant(1)? != 0 => infix("%"),
        Op::BvShl if constant(1)? < u64::from(width) => infix("<<"),
        Op::BvLshr if constant(1)? < u64::from(width) => infix(">>"),
        // Where signed division overflows, C gives it no meaning.
        Op::BvSdiv | Op::BvSrem if constant(1)? != 0 && constant(1)? != ones(width) => {
            let symbol = if *op == Op::BvSdiv { "/" } else { "%" };
            let (_, divisor) = sides(pool, term, arguments, true)?;
            signed(format!("{} {symbol} {divisor}", first.signed()?), width)
        }
        Op::BvAshr if constant(1)? < u64::from(width) => {
            signed(format!("{} >> {}", first.signed()?, constant(1)?), width)
        }
        Op::BvConcat => {
            let wide = type_name(container(width)?.max(32), false);
            let (upper, lower) = (first.unsigned()?, arguments[1].unsigned()?);
            let shifted = format!("({wide})({upper}) << {}", arguments[1].width);
            match constant(1) {
                Some(0) => unsigned(shifted, width),
                _ => unsigned(format!("({shifted}) | ({wide})({lower})"), width),
            }
        }
        Op::BvNot => unsigned(format!("~{}", first.unsigned()?), width),
        Op::BvNeg => unsigned(format!("-{}", first.unsigned()?), width),
        Op::BvZeroExtend(_) => {
            let wide = type_name(container(width)?.max(32), false);
            unsigned(format!("({wide}){}", parenthesized(&first.unsigned()?)), width)
        }
        Op::BvSignExtend(_) if container(width) == Some(width) => {
            let text = format!("({}){}", type_name(width, true), parenthesized(&first.signed()?));
            let ty = Type::Integer { width, signed: true };
            Some(Expression { text, ty, width, atom: false, opposite: None })
        }
        Op::BvExtract { low, .. } => {
            let whole = first.unsigned()?;
            let text = if *low == 0 { whole } else { format!("{whole} >> {low}") };
            let narrow = container(width)?.max(32);
            let wide = matches!(first.ty, Type::Integer { width: 64, .. });
            match wide && narrow == 32 {
                true => unsigned(format!("(unsigned int)({text})"), width),
                false => unsigned(text, width),
            }
        }
        _ => None,
    }
}

fn parenthesized(text: &str) -> String {
    format!("({text})")
}
