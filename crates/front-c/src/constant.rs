//! Constant values: integers, floating numbers, addresses.
//!
//! Floating constants are rounded to nearest, ties to even, in the format of their type, which
//! for `long double` is the x87 80-bit extended format that gcc uses on x86.

use crate::typed::{ArithOp, Comparison, FunctionId, ObjectId, StringId};
use crate::types::{FloatKind, IntShape};
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Status};

/// A value known at translation time.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Constant {
    /// The bits of an integer, `_Bool`, enum or pointer.
    Int(u128),
    /// A floating number.
    Float(FloatValue),
    /// The address of an object or function, and bytes to add.
    Address(Base, i64),
}

/// What an address constant starts from.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// An object with static storage.
    Object(ObjectId),
    /// A function.
    Function(FunctionId),
    /// A string literal.
    String(StringId),
}

/// A floating number in the format of its type.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct FloatValue {
    /// The type.
    pub kind: FloatKind,
    /// The bits of the format; 80 for `long double`.
    pub bits: u128,
}

/// Runs an expression with `$f` standing for the format of a kind.
macro_rules! with_format {
    ($kind:expr, $f:ident => $body:expr) => {
        match $kind {
            FloatKind::Float => {
                type $f = Single;
                $body
            }
            FloatKind::Double => {
                type $f = Double;
                $body
            }
            FloatKind::LongDouble => {
                type $f = X87DoubleExtended;
                $body
            }
            FloatKind::Quad => {
                type $f = Quad;
                $body
            }
        }
    };
}

/// Longer constants are rejected: reading digits exactly takes quadratic time.
const MAX_DIGITS: usize = 5000;

impl FloatValue {
    /// Reads a decimal or hexadecimal floating constant without suffix.
    pub fn parse(text: &str, kind: FloatKind) -> Result<FloatValue, String> {
        if text.len() > MAX_DIGITS {
            return Err(format!("floating constant has more than {MAX_DIGITS} characters"));
        }
        let invalid = || format!("invalid floating constant '{text}'");
        let bits = match kind {
            FloatKind::Float if !text.starts_with("0x") => {
                u128::from(text.parse::<f32>().map_err(|_| invalid())?.to_bits())
            }
            FloatKind::Double if !text.starts_with("0x") => {
                u128::from(text.parse::<f64>().map_err(|_| invalid())?.to_bits())
            }
            _ => with_format!(kind, F => text.parse::<F>().map_err(|_| invalid())?.to_bits()),
        };
        Ok(FloatValue { kind, bits })
    }

    /// Zero.
    #[must_use]
    pub fn zero(kind: FloatKind) -> FloatValue {
        FloatValue { kind, bits: with_format!(kind, F => F::ZERO.to_bits()) }
    }

    /// Positive infinity.
    #[must_use]
    pub fn infinity(kind: FloatKind) -> FloatValue {
        FloatValue { kind, bits: with_format!(kind, F => F::INFINITY.to_bits()) }
    }

    /// A quiet NaN.
    #[must_use]
    pub fn nan(kind: FloatKind) -> FloatValue {
        FloatValue { kind, bits: with_format!(kind, F => F::NAN.to_bits()) }
    }

    /// The nearest number to an integer.
    #[must_use]
    pub fn from_int(bits: u128, shape: IntShape, kind: FloatKind) -> FloatValue {
        let wide = shape.extend(bits);
        let bits = with_format!(kind, F => {
            let rounded = if shape.signed { F::from_i128(wide as i128) } else { F::from_u128(wide) };
            rounded.value.to_bits()
        });
        FloatValue { kind, bits }
    }

    /// The integer towards zero and whether it fits. C says nothing about what does not fit; as
    /// in gcc's constants it becomes the nearest integer of the type, and a NaN zero.
    #[must_use]
    pub fn to_int(self, shape: IntShape) -> (u128, bool) {
        let width = shape.width as usize;
        let (bits, status) = with_format!(self.kind, F => {
            let value = F::from_bits(self.bits);
            if shape.signed {
                let result = value.to_i128(width);
                (result.value as u128, result.status)
            } else {
                let result = value.to_u128(width);
                (result.value, result.status)
            }
        });
        (shape.wrap(bits), !status.contains(Status::INVALID_OP))
    }

    /// The nearest number of another format.
    #[must_use]
    pub fn convert(self, kind: FloatKind) -> FloatValue {
        let bits = with_format!(self.kind, F => with_format!(kind, G => {
            let converted: G = F::from_bits(self.bits).convert(&mut false).value;
            converted.to_bits()
        }));
        FloatValue { kind, bits }
    }

    /// Whether it is zero, of either sign.
    #[must_use]
    pub fn is_zero(self) -> bool {
        with_format!(self.kind, F => F::from_bits(self.bits).is_zero())
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negate(self) -> FloatValue {
        let bits = with_format!(self.kind, F => (-F::from_bits(self.bits)).to_bits());
        FloatValue { kind: self.kind, bits }
    }

    /// The result of an operator, rounded to nearest; none if it is no floating operator.
    #[must_use]
    pub fn arith(self, op: ArithOp, other: FloatValue) -> Option<FloatValue> {
        let bits = with_format!(self.kind, F => {
            let (a, b) = (F::from_bits(self.bits), F::from_bits(other.bits));
            let result = match op {
                ArithOp::Add => a + b,
                ArithOp::Sub => a - b,
                ArithOp::Mul => a * b,
                ArithOp::Div => a / b,
                _ => return None,
            };
            result.value.to_bits()
        });
        Some(FloatValue { kind: self.kind, bits })
    }

    /// The result of a comparison.
    #[must_use]
    pub fn compare(self, op: Comparison, other: FloatValue) -> bool {
        with_format!(self.kind, F => {
            let (a, b) = (F::from_bits(self.bits), F::from_bits(other.bits));
            match op {
                Comparison::Lt => a < b,
                Comparison::Gt => a > b,
                Comparison::Le => a <= b,
                Comparison::Ge => a >= b,
                Comparison::Eq => a == b,
                Comparison::Ne => a != b,
            }
        })
    }
}

/// The result of an integer operator in two's complement, wrapping; none where C gives the
/// operation no value (division by zero, shifts beyond the width).
#[must_use]
pub fn int_arith(op: ArithOp, left: u128, right: u128, shape: IntShape) -> Option<u128> {
    let (a, b) = (shape.extend(left), shape.extend(right));
    let signed = shape.signed;
    let bits = match op {
        ArithOp::Add => a.wrapping_add(b),
        ArithOp::Sub => a.wrapping_sub(b),
        ArithOp::Mul => a.wrapping_mul(b),
        ArithOp::Div | ArithOp::Rem => divide(op, a, b, signed)?,
        ArithOp::BitAnd => a & b,
        ArithOp::BitOr => a | b,
        ArithOp::BitXor => a ^ b,
        ArithOp::Shl => a.wrapping_shl(shift_count(right, shape)?),
        ArithOp::Shr => {
            let count = shift_count(right, shape)?;
            if signed { ((a as i128) >> count) as u128 } else { a >> count }
        }
    };
    Some(shape.wrap(bits))
}

fn divide(op: ArithOp, a: u128, b: u128, signed: bool) -> Option<u128> {
    let quotient = op == ArithOp::Div;
    if signed {
        let (a, b) = (a as i128, b as i128);
        let result = if quotient { a.checked_div(b) } else { a.checked_rem(b) };
        result.map(|r| r as u128)
    } else if quotient {
        a.checked_div(b)
    } else {
        a.checked_rem(b)
    }
}

/// A shift count that is less than the width.
fn shift_count(count: u128, shape: IntShape) -> Option<u32> {
    u32::try_from(count).ok().filter(|&c| c < shape.width)
}

/// The result of an integer comparison.
#[must_use]
pub fn int_compare(op: Comparison, left: u128, right: u128, shape: IntShape) -> bool {
    let (a, b) = (shape.extend(left), shape.extend(right));
    let order = if shape.signed { (a as i128).cmp(&(b as i128)) } else { a.cmp(&b) };
    match op {
        Comparison::Lt => order.is_lt(),
        Comparison::Gt => order.is_gt(),
        Comparison::Le => order.is_le(),
        Comparison::Ge => order.is_ge(),
        Comparison::Eq => order.is_eq(),
        Comparison::Ne => order.is_ne(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_rounded_to_their_type() {
        let bits = |t: &str, k| FloatValue::parse(t, k).expect("valid").bits;
        assert_eq!(bits("0.1", FloatKind::Float), u128::from(0.1f32.to_bits()));
        assert_eq!(bits("0.1", FloatKind::Double), u128::from(0.1f64.to_bits()));
        assert_eq!(bits("0x1.8p1", FloatKind::Double), u128::from(3.0f64.to_bits()));
        assert_eq!(bits("1.", FloatKind::Double), u128::from(1.0f64.to_bits()));
        assert_eq!(bits("1e5", FloatKind::LongDouble), 0x400f_c350_0000_0000_0000);
        assert_eq!(bits("0.1", FloatKind::LongDouble), 0x3ffb_cccc_cccc_cccc_cccd);
        let tenth = FloatValue::parse("0.1", FloatKind::Double).expect("valid");
        assert_eq!(tenth.convert(FloatKind::Float).bits, u128::from((0.1f64 as f32).to_bits()));
    }

    #[test]
    fn integers_wrap() {
        let int = IntShape { width: 32, signed: true };
        let max = i32::MAX as u128;
        assert_eq!(int_arith(ArithOp::Add, max, 1, int), Some(0x8000_0000));
        assert_eq!(int_arith(ArithOp::Div, 5, 0, int), None);
        let minus_seven = int.wrap(-7i128 as u128);
        assert_eq!(int_arith(ArithOp::Div, minus_seven, 2, int), Some(int.wrap(-3i128 as u128)));
        assert_eq!(int_arith(ArithOp::Shr, minus_seven, 1, int), Some(int.wrap(-4i128 as u128)));
        assert!(int_compare(Comparison::Lt, minus_seven, 0, int));
    }
}
