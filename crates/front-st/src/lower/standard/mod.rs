//! The standard's functions (IEC 61131-3, tables 22 to 38), as terms.
//!
//! What a file declares itself under one of these names is meant instead. Functions whose values a
//! controller only approximates (`SIN`, `EXP`, …) are unknown to a proof, within what is known of
//! their values; a run computes them ([`numeric`]).

mod conversion;
mod memory;
mod numeric;
mod selection;
mod shift;
mod strings;
mod time;

use super::Lowerer;
use super::expression::{Value, calls};
use crate::ast::{Argument, BinaryOp, Expr, ExprKind, Name};
use crate::types::{Shape, Type};
use source::Diagnostic;
use source::diagnostic::Result;

/// Functions that change nothing, by the beginning of their names where they are families.
const PURE: [&str; 62] = [
    "abs",
    "sqrt",
    "ln",
    "log",
    "exp",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "expt",
    "add",
    "mul",
    "sub",
    "div",
    "mod",
    "move",
    "trunc",
    "round",
    "ceil",
    "floor",
    "shl",
    "shr",
    "rol",
    "ror",
    "and",
    "or",
    "xor",
    "not",
    "sel",
    "max",
    "min",
    "limit",
    "mux",
    "gt",
    "ge",
    "eq",
    "le",
    "lt",
    "ne",
    "len",
    "left",
    "right",
    "mid",
    "concat",
    "insert",
    "delete",
    "replace",
    "find",
    "sizeof",
    "lower_bound",
    "upper_bound",
    "is_valid",
    "is_valid_bcd",
    "day_of_week",
    "add_time",
    "sub_time",
    "mul_time",
    "div_time",
    "concat_date_tod",
];

/// Whether a function of this name changes none of its arguments.
pub(crate) fn is_pure(key: &str) -> bool {
    PURE.contains(&key) || key.contains("_to_") || key.starts_with("to_")
}

/// Operators that are written like calls, with any number of operands.
fn operator(key: &str) -> Option<BinaryOp> {
    Some(match key {
        "add" => BinaryOp::Add,
        "mul" => BinaryOp::Mul,
        "sub" => BinaryOp::Sub,
        "div" => BinaryOp::Div,
        "mod" => BinaryOp::Mod,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        "gt" => BinaryOp::Gt,
        "ge" => BinaryOp::Ge,
        "eq" => BinaryOp::Eq,
        "le" => BinaryOp::Le,
        "lt" => BinaryOp::Lt,
        "ne" => BinaryOp::Ne,
        "expt" => BinaryOp::Power,
        _ => return None,
    })
}

impl<'a> Lowerer<'a> {
    /// A call of a standard function; none if there is none of this name.
    pub(super) fn standard(
        &mut self,
        name: &'a Name,
        arguments: &'a [Argument],
    ) -> Result<Option<Value<'a>>> {
        let key = &*name.key;
        if let Some(value) = self.about_variables(key, arguments)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.memory_function(key, arguments)? {
            return Ok(Some(value));
        }
        if let Some(op) = operator(key) {
            return self.operator_call(op, arguments).map(Some);
        }
        if let Some(value) = self.selection_function(key, arguments)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.numeric_function(key, arguments)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.shift_function(key, arguments)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.string_function(key, arguments)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.time_function(key, arguments)? {
            return Ok(Some(value));
        }
        self.conversion_function(key, arguments)
    }

    /// The arguments' expressions in the order of these names; `INn` has its place by number.
    pub(super) fn ordered(
        &self,
        arguments: impl IntoIterator<Item = &'a Argument>,
        names: &[&str],
    ) -> Result<Vec<&'a Expr>> {
        let mut found: Vec<Option<&'a Expr>> = Vec::new();
        for argument in arguments {
            let (at, expr) = match argument {
                Argument::Positional(expr) => (found.len(), expr),
                Argument::Input(name, Some(expr)) => (place_of(name, names)?, expr),
                Argument::Input(name, None) | Argument::Output(name, ..) => {
                    let message = format!("'{name}' needs a value");
                    return Err(Diagnostic::error(name.span, message));
                }
            };
            if found.len() <= at {
                found.resize(at + 1, None);
            }
            found[at] = Some(expr);
        }
        let missing = || Diagnostic::error(self.span, "an argument is missing");
        found.into_iter().map(|expr| expr.ok_or_else(missing)).collect()
    }

    /// The arguments' values in the order of these names.
    pub(super) fn values(
        &mut self,
        arguments: &'a [Argument],
        names: &[&str],
    ) -> Result<Vec<Value<'a>>> {
        self.values_of(arguments, names)
    }

    /// The same of some arguments.
    pub(super) fn values_of(
        &mut self,
        arguments: impl IntoIterator<Item = &'a Argument>,
        names: &[&str],
    ) -> Result<Vec<Value<'a>>> {
        let expressions = self.ordered(arguments, names)?;
        let keep = expressions.iter().filter(|expr| calls(expr)).count() > 0;
        let mut values = Vec::new();
        for expr in expressions {
            values.push(match self.expression(expr)? {
                Value::Scalar(term, ty) if keep => Value::Scalar(self.keep(term), ty),
                value => value,
            });
        }
        Ok(values)
    }

    /// The same for a function of so many arguments.
    pub(super) fn exactly<const N: usize>(
        &mut self,
        arguments: &'a [Argument],
        names: [&str; N],
    ) -> Result<[Value<'a>; N]> {
        let values = self.values(arguments, &names)?;
        let given = values.len();
        values.try_into().map_err(|_| {
            let message = format!("{given} arguments for a function of {N}");
            Diagnostic::error(self.span, message)
        })
    }

    fn operator_call(&mut self, op: BinaryOp, arguments: &'a [Argument]) -> Result<Value<'a>> {
        let values = self.values(arguments, &["in1", "in2"])?;
        let compares = matches!(
            op,
            BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Le | BinaryOp::Lt | BinaryOp::Ne
        );
        if values.len() < 2 {
            return Err(Diagnostic::error(self.span, "an operator of two operands needs both"));
        }
        if compares {
            // Each of several values with the next.
            let mut all = Vec::new();
            for pair in values.windows(2) {
                let value = self.binary(op, pair[0].clone(), pair[1].clone())?;
                all.push(self.condition(value)?);
            }
            return Ok(Value::Scalar(self.pool.and(all), Type::Bool));
        }
        let mut values = values.into_iter();
        let first = values.next().expect("there are two");
        values.try_fold(first, |sum, value| self.binary(op, sum, value))
    }

    /// Functions of variables, not of values: sizes, addresses, bounds.
    fn about_variables(
        &mut self,
        key: &str,
        arguments: &'a [Argument],
    ) -> Result<Option<Value<'a>>> {
        Ok(Some(match key {
            "adr" | "ref" | "__adr" => {
                let [expr] = self.ordered(arguments, &["in"])?[..] else {
                    return Err(Diagnostic::error(self.span, "one variable is needed"));
                };
                if let ExprKind::Literal(_) = expr.kind {
                    let value = self.expression(expr)?;
                    let place = self.temporary_place(value)?;
                    let address = self.address_of(&place)?;
                    let ty = Type::Pointer(std::rc::Rc::new(place.ty), false);
                    return Ok(Some(Value::Scalar(address, ty)));
                }
                self.reference_to(expr)?
            }
            "__isvalidref" => {
                let [expr] = self.ordered(arguments, &["in"])?[..] else {
                    return Err(Diagnostic::error(self.span, "one reference is needed"));
                };
                let Some(place) = self.raw_place(expr, false)? else {
                    return Err(Diagnostic::error(expr.span, "this is no reference"));
                };
                let term = self.read(&place)?;
                Value::Scalar(self.pool.ne(term, self.address(0)), Type::Bool)
            }
            "__queryinterface" | "__querypointer" => {
                let [from, to] = self.ordered(arguments, &["from", "to"])?[..] else {
                    return Err(Diagnostic::error(self.span, "two references are needed"));
                };
                self.query(from, to)?
            }
            "sizeof" => {
                let [expr] = self.ordered(arguments, &["in"])?[..] else {
                    return Err(Diagnostic::error(self.span, "one variable or type is needed"));
                };
                let ty = match self.place(expr, false)? {
                    Some(place) => place.ty,
                    None => match self.expression(expr)? {
                        Value::Type(ty) | Value::Scalar(_, ty) => ty,
                        Value::Text(text) => Type::String {
                            wide: text.wide,
                            length: u32::try_from(text.chars.len()).unwrap_or(u32::MAX),
                        },
                        _ => return Err(Diagnostic::error(expr.span, "this has no size")),
                    },
                };
                Value::Integer(i128::from(self.layout(&ty)?.0))
            }
            "lower_bound" | "upper_bound" => {
                let [array, dimension] = self.ordered(arguments, &["arr", "dim"])?[..] else {
                    return Err(Diagnostic::error(
                        self.span,
                        "an array and a dimension are needed",
                    ));
                };
                let dimension = self.expression(dimension)?;
                let place = self.assigned_place(array)?;
                let Type::Array(ty) = &place.ty else {
                    return Err(Diagnostic::error(array.span, "this is no array"));
                };
                let bounds = ty.dimensions.iter();
                let bounds =
                    bounds.map(|(low, high)| if key == "lower_bound" { low } else { high });
                let bounds: Vec<i128> = bounds.copied().collect();
                self.bound(dimension, &bounds)?
            }
            _ => return Ok(None),
        }))
    }

    /// The bound of a dimension, which may be known only when the program runs.
    fn bound(&mut self, dimension: Value<'a>, bounds: &[i128]) -> Result<Value<'a>> {
        if let Some(number) = self.known_integer(&dimension) {
            let at = usize::try_from(number - 1).unwrap_or(usize::MAX);
            return bounds.get(at).map(|bound| Value::Integer(*bound)).ok_or_else(|| {
                Diagnostic::error(self.span, format!("the array has no dimension {number}"))
            });
        }
        let number = self.coerce(dimension, &Type::DINT)?;
        let shape = Type::DINT.shape().expect("DINT is a scalar");
        let mut term = self.constant_of(0, shape);
        for (at, bound) in (1..).zip(bounds) {
            let is = self.pool.eq(number, self.constant_of(at, shape));
            term = self.pool.ite(is, self.constant_of(*bound, shape), term);
        }
        Ok(Value::Scalar(term, Type::DINT))
    }

    /// A value as a term of a real type: `LREAL` only if it is one.
    pub(super) fn real(&mut self, value: Value<'a>) -> Result<(term::Term, Type<'a>)> {
        let ty = match &value {
            Value::Scalar(_, ty) => match ty.base() {
                Type::Real { long } => Type::Real { long: *long },
                // What REAL can't hold exactly is computed in LREAL.
                ty => match ty.shape() {
                    Some(Shape::Number { width: 0..=16, .. }) => Type::Real { long: false },
                    _ => Type::Real { long: true },
                },
            },
            _ => Type::Real { long: true },
        };
        Ok((self.coerce(value, &ty)?, ty))
    }
}

/// The place of an argument's name among the parameters.
fn place_of(name: &Name, names: &[&str]) -> Result<usize> {
    if let Some(at) = names.iter().position(|known| name.is(known)) {
        return Ok(at);
    }
    // IN1, IN2, … of functions of any number of arguments count from the first of them.
    let digits = name.key.trim_start_matches(|c: char| !c.is_ascii_digit());
    let first = names.iter().position(|known| {
        known.trim_end_matches(|c: char| c.is_ascii_digit()) == name.key.trim_end_matches(digits)
    });
    match (first, digits.parse::<usize>()) {
        (Some(first), Ok(number)) if number < 1000 => {
            let base = names[first].trim_start_matches(|c: char| !c.is_ascii_digit());
            Ok(first + number - base.parse::<usize>().unwrap_or(1).min(number))
        }
        _ => Err(Diagnostic::error(name.span, format!("there is no parameter '{name}'"))),
    }
}
