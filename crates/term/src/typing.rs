//! The sort of an operator's result, or why its arguments do not fit.

use crate::op::Op;
use crate::pool::{Pool, Term};
use crate::sort::Sort;
use crate::value::Value;
use thiserror::Error;

/// Why an operator can't be applied to some arguments.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SortError {
    /// The number of arguments.
    #[error("expected {expected} argument(s), found {found}")]
    Arity {
        /// How many the operator takes.
        expected: usize,
        /// How many there were.
        found: usize,
    },
    /// The sort of one argument.
    #[error("argument {position} must be {expected}, but is {found}")]
    Argument {
        /// Which one, from 1.
        position: usize,
        /// What the operator takes there.
        expected: String,
        /// The sort found, as SMT-LIB writes it.
        found: String,
    },
    /// An index such as a bit range.
    #[error("{0}")]
    Index(String),
}

/// The largest width of a bit-vector. Widths beyond are a mistake or an attack on memory.
pub const MAX_WIDTH: u32 = 1 << 24;

/// The sort of `op` applied to `args`.
pub fn sort_of(pool: &Pool, op: &Op, args: &[Term]) -> Result<Sort, SortError> {
    Checker { pool, args }.check(op)
}

struct Checker<'a> {
    pool: &'a Pool,
    args: &'a [Term],
}

impl Checker<'_> {
    fn arity(&self, expected: usize) -> Result<(), SortError> {
        let found = self.args.len();
        if found == expected { Ok(()) } else { Err(SortError::Arity { expected, found }) }
    }

    fn sort(&self, i: usize) -> Sort {
        self.pool.sort(self.args[i])
    }

    fn mismatch(&self, i: usize, expected: impl Into<String>) -> SortError {
        SortError::Argument {
            position: i + 1,
            expected: expected.into(),
            found: crate::print::sort_to_string(self.pool, self.sort(i)),
        }
    }

    fn expect(&self, i: usize, sort: Sort) -> Result<(), SortError> {
        if self.sort(i) == sort {
            Ok(())
        } else {
            Err(self.mismatch(i, crate::print::sort_to_string(self.pool, sort)))
        }
    }

    fn width(&self, i: usize) -> Result<u32, SortError> {
        self.sort(i).width().ok_or_else(|| self.mismatch(i, "a bit-vector"))
    }

    fn float(&self, i: usize) -> Result<Sort, SortError> {
        match self.sort(i) {
            sort @ Sort::Float(_) => Ok(sort),
            _ => Err(self.mismatch(i, "a floating-point number")),
        }
    }

    fn array(&self, i: usize) -> Result<(Sort, Sort), SortError> {
        self.pool.array_parts(self.sort(i)).ok_or_else(|| self.mismatch(i, "an array"))
    }

    fn arithmetic(&self, i: usize) -> Result<Sort, SortError> {
        match self.sort(i) {
            sort @ (Sort::Int | Sort::Real) => Ok(sort),
            _ => Err(self.mismatch(i, "Int or Real")),
        }
    }

    /// All arguments Bool, at least `least`.
    fn bools(&self, least: usize) -> Result<Sort, SortError> {
        if self.args.len() < least {
            return Err(SortError::Arity { expected: least, found: self.args.len() });
        }
        (0..self.args.len()).try_for_each(|i| self.expect(i, Sort::Bool))?;
        Ok(Sort::Bool)
    }

    /// `n` bit-vectors of one width.
    fn same_width(&self, n: usize) -> Result<Sort, SortError> {
        self.arity(n)?;
        let sort = Sort::BitVec(self.width(0)?);
        (1..n).try_for_each(|i| self.expect(i, sort))?;
        Ok(sort)
    }

    /// `n` floats of one format.
    fn same_format(&self, n: usize) -> Result<Sort, SortError> {
        self.arity(n)?;
        let sort = self.float(0)?;
        (1..n).try_for_each(|i| self.expect(i, sort))?;
        Ok(sort)
    }

    /// A rounding mode and `n` floats of one format.
    fn rounded(&self, n: usize) -> Result<Sort, SortError> {
        self.arity(n + 1)?;
        self.expect(0, Sort::RoundingMode)?;
        let sort = self.float(1)?;
        (2..=n).try_for_each(|i| self.expect(i, sort))?;
        Ok(sort)
    }

    /// `n` arguments, all Int or all Real.
    fn same_arithmetic(&self, n: usize) -> Result<Sort, SortError> {
        self.arity(n)?;
        let sort = self.arithmetic(0)?;
        (1..n).try_for_each(|i| self.expect(i, sort))?;
        Ok(sort)
    }

    fn only(&self, sort: Sort, n: usize) -> Result<(), SortError> {
        self.arity(n)?;
        (0..n).try_for_each(|i| self.expect(i, sort))
    }

    fn rounding_and(&self) -> Result<(), SortError> {
        self.arity(2)?;
        self.expect(0, Sort::RoundingMode)
    }

    fn wide(&self, width: u64) -> Result<Sort, SortError> {
        match u32::try_from(width) {
            Ok(w) if (1..=MAX_WIDTH).contains(&w) => Ok(Sort::BitVec(w)),
            _ => Err(SortError::Index(format!(
                "a bit-vector of width {width} (widths from 1 to {MAX_WIDTH} are supported)"
            ))),
        }
    }

    fn check(&self, op: &Op) -> Result<Sort, SortError> {
        match op {
            Op::Value(value) => {
                self.arity(0)?;
                Ok(value_sort(value))
            }
            Op::Var(_) => Err(SortError::Index("a variable carries its own sort".into())),
            Op::Apply(func) => {
                let function = self.pool.declaration(*func);
                self.arity(function.params.len())?;
                for (i, sort) in function.params.iter().enumerate() {
                    self.expect(i, *sort)?;
                }
                Ok(function.result)
            }
            Op::Not => self.arity(1).and_then(|()| self.bools(1)),
            Op::And | Op::Or => self.bools(2),
            Op::Eq => {
                self.arity(2)?;
                self.expect(1, self.sort(0))?;
                Ok(Sort::Bool)
            }
            Op::Ite => {
                self.arity(3)?;
                self.expect(0, Sort::Bool)?;
                self.expect(2, self.sort(1))?;
                Ok(self.sort(1))
            }
            Op::Forall | Op::Exists => {
                let Some((_, bound)) = self.args.split_last() else {
                    return Err(SortError::Arity { expected: 2, found: 0 });
                };
                if let Some(i) = bound.iter().position(|v| !matches!(self.pool.op(*v), Op::Var(_)))
                {
                    return Err(self.mismatch(i, "a variable"));
                }
                self.expect(bound.len(), Sort::Bool)?;
                Ok(Sort::Bool)
            }
            Op::BvNot | Op::BvNeg => self.same_width(1),
            Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvAdd
            | Op::BvSub
            | Op::BvMul
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvSmod
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr => self.same_width(2),
            Op::BvUlt | Op::BvSlt => self.same_width(2).map(|_| Sort::Bool),
            Op::BvConcat => {
                self.arity(2)?;
                self.wide(u64::from(self.width(0)?) + u64::from(self.width(1)?))
            }
            Op::BvExtract { high, low } => {
                self.arity(1)?;
                let width = self.width(0)?;
                if low > high || *high >= width {
                    return Err(SortError::Index(format!(
                        "bits {high} to {low} of a bit-vector of width {width}"
                    )));
                }
                Ok(Sort::BitVec(high - low + 1))
            }
            Op::BvZeroExtend(n) | Op::BvSignExtend(n) => {
                self.arity(1)?;
                self.wide(u64::from(self.width(0)?) + u64::from(*n))
            }
            Op::FpFromBits(format) => {
                self.only(Sort::BitVec(format.width()), 1)?;
                Ok(Sort::Float(*format))
            }
            Op::FpToBits => {
                self.arity(1)?;
                let format = self.float(0)?.format().expect("float() returns float sorts");
                Ok(Sort::BitVec(format.width()))
            }
            Op::FpAbs | Op::FpNeg => self.same_format(1),
            Op::FpAdd | Op::FpMul | Op::FpDiv => self.rounded(2),
            Op::FpFma => self.rounded(3),
            Op::FpSqrt | Op::FpRoundToIntegral => self.rounded(1),
            Op::FpRem | Op::FpMin | Op::FpMax => self.same_format(2),
            Op::FpLt | Op::FpLeq | Op::FpEq => self.same_format(2).map(|_| Sort::Bool),
            Op::FpIsNormal
            | Op::FpIsSubnormal
            | Op::FpIsZero
            | Op::FpIsInfinite
            | Op::FpIsNan
            | Op::FpIsNegative
            | Op::FpIsPositive => self.same_format(1).map(|_| Sort::Bool),
            Op::FpToFp(format) => {
                self.rounded(1)?;
                Ok(Sort::Float(*format))
            }
            Op::FpFromSbv(format) | Op::FpFromUbv(format) => {
                self.rounding_and()?;
                self.width(1)?;
                Ok(Sort::Float(*format))
            }
            Op::FpFromReal(format) => {
                self.rounding_and()?;
                self.expect(1, Sort::Real)?;
                Ok(Sort::Float(*format))
            }
            Op::FpToUbv(width) | Op::FpToSbv(width) => {
                self.rounded(1)?;
                self.wide(u64::from(*width))
            }
            Op::FpToReal => self.same_format(1).map(|_| Sort::Real),
            Op::Select => {
                self.arity(2)?;
                let (index, element) = self.array(0)?;
                self.expect(1, index)?;
                Ok(element)
            }
            Op::Store => {
                self.arity(3)?;
                let (index, element) = self.array(0)?;
                self.expect(1, index)?;
                self.expect(2, element)?;
                Ok(self.sort(0))
            }
            Op::ConstArray(sort) => {
                self.arity(1)?;
                let Some((_, element)) = self.pool.array_parts(*sort) else {
                    return Err(SortError::Index("a constant array needs an array sort".into()));
                };
                self.expect(0, element)?;
                Ok(*sort)
            }
            Op::Neg => self.same_arithmetic(1),
            Op::Add | Op::Sub | Op::Mul => self.same_arithmetic(2),
            Op::IntDiv | Op::IntMod => self.only(Sort::Int, 2).map(|()| Sort::Int),
            Op::RealDiv => self.only(Sort::Real, 2).map(|()| Sort::Real),
            Op::Lt | Op::Le => self.same_arithmetic(2).map(|_| Sort::Bool),
            Op::ToReal => self.only(Sort::Int, 1).map(|()| Sort::Real),
            Op::ToInt => self.only(Sort::Real, 1).map(|()| Sort::Int),
            Op::BvToNat => self.same_width(1).map(|_| Sort::Int),
            Op::IntToBv(width) => {
                self.only(Sort::Int, 1)?;
                self.wide(u64::from(*width))
            }
        }
    }
}

/// The sort of a value.
pub fn value_sort(value: &Value) -> Sort {
    match value {
        Value::Bool(_) => Sort::Bool,
        Value::Bits(bits) => Sort::BitVec(bits.width()),
        Value::Float(float) => Sort::Float(float.format()),
        Value::Rounding(_) => Sort::RoundingMode,
        Value::Int(_) => Sort::Int,
        Value::Real(_) => Sort::Real,
        Value::Array(array) => array.sort,
        Value::Element(symbol, _) => Sort::Uninterpreted(*symbol),
    }
}
