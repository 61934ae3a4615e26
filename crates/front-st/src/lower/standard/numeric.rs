//! Numbers: ABS, SQRT, TRUNC, powers, and the functions that controllers approximate.
//!
//! Two controllers need not agree on the last digits of `SIN(x)`. A proof takes any value in the
//! function's range, which the verdict says; a run computes it in our library to about 15 digits.

use super::super::Lowerer;
use super::super::argument::Given;
use super::super::expression::Value;
use crate::ast::{Argument, BinaryOp};
use crate::dialect::Dialect;
use crate::types::{Shape, Type};
use program::Property;
use program::program::Cause;
use source::Diagnostic;
use source::diagnostic::Result;
use value::{Bits, Rounding};

/// Functions of one real number, and the range of their values where it is narrower than all.
const APPROXIMATED: [(&str, Option<(i128, i128)>); 10] = [
    ("ln", None),
    ("log", None),
    ("exp", None),
    ("sin", Some((-1, 1))),
    ("cos", Some((-1, 1))),
    ("tan", None),
    ("asin", Some((-2, 2))),
    ("acos", Some((0, 4))),
    ("atan", Some((-2, 2))),
    ("atan2", Some((-4, 4))),
];

impl<'a> Lowerer<'a> {
    pub(super) fn numeric_function(
        &mut self,
        key: &str,
        arguments: &'a [Argument],
    ) -> Result<Option<Value<'a>>> {
        if let Some((name, range)) = APPROXIMATED.iter().find(|(name, _)| *name == key) {
            let names: &[&str] = if key == "atan2" { &["y", "x"] } else { &["in"] };
            let values = self.values(arguments, names)?;
            return self.approximated(name, *range, values).map(Some);
        }
        Ok(Some(match key {
            "abs" => {
                let [value] = self.exactly(arguments, ["in"])?;
                self.absolute(value)?
            }
            "sqrt" => {
                let [value] = self.exactly(arguments, ["in"])?;
                let (term, ty) = self.real(value)?;
                let nearest = self.pool.rounding(Rounding::NearestEven);
                Value::Scalar(self.pool.fp_sqrt(nearest, term), ty)
            }
            "trunc" | "trunc_int" | "ceil" | "floor" | "round" => {
                let [value] = self.exactly(arguments, ["in"])?;
                let mode = match key {
                    "ceil" => Rounding::TowardPositive,
                    "floor" => Rounding::TowardNegative,
                    // Siemens rounds halves to the even number, others away from zero.
                    "round" if self.dialect != Dialect::Scl => Rounding::NearestAway,
                    "round" => Rounding::NearestEven,
                    _ => Rounding::TowardZero,
                };
                self.rounded(value, mode, key == "trunc_int")?
            }
            _ => return Ok(None),
        }))
    }

    fn absolute(&mut self, value: Value<'a>) -> Result<Value<'a>> {
        if let Value::Integer(number) = value {
            return Ok(Value::Integer(number.abs()));
        }
        let (term, ty) = self.typed(value)?;
        let term = match ty.shape() {
            Some(Shape::Float(_)) => self.pool.fp_abs(term),
            Some(Shape::Number { width, signed: true }) => {
                let least = self.pool.bits(Bits::min_signed(width));
                self.check(Property::Overflow, self.pool.ne(term, least));
                let negative = self.pool.bv_slt(term, self.pool.bv(0, width));
                self.pool.ite(negative, self.pool.bv_neg(term), term)
            }
            _ => term,
        };
        Ok(Value::Scalar(term, ty))
    }

    /// A real number as an integer: a `DINT`, or a `LINT` for an `LREAL`.
    fn rounded(&mut self, value: Value<'a>, mode: Rounding, short: bool) -> Result<Value<'a>> {
        let (term, ty) = self.typed(value)?;
        if !matches!(ty.shape(), Some(Shape::Float(_))) {
            return Ok(Value::Scalar(term, ty));
        }
        let long = matches!(ty.base(), Type::Real { long: true });
        let to = if short {
            Type::INT
        } else if long {
            Type::LINT
        } else {
            Type::DINT
        };
        let term = self.converted(Value::Scalar(term, ty), &to, mode)?;
        Ok(Value::Scalar(term, to))
    }

    /// A function that controllers approximate.
    fn approximated(
        &mut self,
        name: &str,
        range: Option<(i128, i128)>,
        values: Vec<Value<'a>>,
    ) -> Result<Value<'a>> {
        let long = Type::Real { long: true };
        let mut ty = Type::Real { long: false };
        let mut terms = Vec::new();
        for value in values {
            let (term, own) = self.real(value)?;
            if own == long {
                ty = long.clone();
            }
            terms.push(Value::Scalar(term, own));
        }
        if self.options.observed {
            let given = terms.into_iter().map(Given::Value).collect();
            let value = self.library(&format!("__{name}"), given)?;
            let term = self.coerce(value, &ty)?;
            return Ok(Value::Scalar(term, ty));
        }
        let shape = ty.shape().expect("reals are scalars");
        let cause = Cause::Approximated(name.to_uppercase().into());
        let any = self.unknown(shape.sort(), cause);
        if let Some((low, high)) = range {
            let nan = self.pool.fp_is_nan(any);
            let within = self.pool.and([
                self.pool.fp_leq(self.constant_of(low, shape), any),
                self.pool.fp_leq(any, self.constant_of(high, shape)),
            ]);
            self.assume(self.pool.or([nan, within]));
        }
        let upper = name.to_uppercase();
        self.warn_once(self.span, format!("what {upper} gives is taken as unknown in its range"));
        Ok(Value::Scalar(any, ty))
    }

    /// `a ** b`: multiplied out for a small number; a loop for an integer one.
    pub(in super::super) fn power(&mut self, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>> {
        if let Some(times) = self.known_integer(&b)
            && (0..=64).contains(&times)
        {
            let (mut term, ty) = match a {
                Value::Scalar(term, ty) => (term, ty),
                a => self.real(a)?,
            };
            let shape = ty.shape().expect("a typed term is a scalar");
            let base = term;
            term = self.constant_of(1, shape);
            for _ in 0..times {
                term = self.computed(BinaryOp::Mul, term, base, &ty)?;
            }
            return Ok(Value::Scalar(term, ty));
        }
        let integer = |value: &Value<'a>| match value {
            Value::Integer(_) => true,
            Value::Scalar(_, ty) => ty.is_integer(),
            _ => false,
        };
        let (name, result) = match (integer(&a), integer(&b)) {
            (true, true) => ("__expt_int", Type::LINT),
            (false, true) => ("__expt_real", Type::Real { long: true }),
            _ => ("__expt", Type::Real { long: true }),
        };
        let ty = match &a {
            Value::Scalar(_, ty) => ty.base().clone(),
            _ => result.clone(),
        };
        if name == "__expt" {
            let real = self.approximated("expt", None, vec![a, b])?;
            return Ok(real);
        }
        let value = self.library(name, vec![Given::Value(a), Given::Value(b)])?;
        let term = self.coerce(value, &ty)?;
        Ok(Value::Scalar(term, ty))
    }

    /// A call of a function of our library.
    pub(in super::super) fn library(
        &mut self,
        name: &str,
        given: Vec<Given<'a>>,
    ) -> Result<Value<'a>> {
        let Some(pou) = self.table.pou(name) else {
            return Err(Diagnostic::error(self.span, format!("the library has no '{name}'")));
        };
        let code = self.code_of(pou);
        let parameters = super::super::argument::parameters(code.sections);
        self.run_code(code, None, &parameters, given)
    }
}
