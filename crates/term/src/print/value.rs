//! Values.

use super::symbol::{append, sort_to_string};
use crate::pool::Pool;
use crate::value::Value;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};
use value::{Bits, Float};

/// A value as SMT-LIB writes it: `#b01`, `(fp #b0 #b00 #b1)`, `(- 5)`, `(/ 1.0 3.0)`, arrays as
/// stores on a constant array.
pub fn value_to_string(pool: &Pool, value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value, &|sort| sort_to_string(pool, sort));
    text
}

/// Writes a value; `sort_name` writes sorts.
pub(super) fn write_value(
    text: &mut String,
    value: &Value,
    sort_name: &dyn Fn(crate::Sort) -> String,
) {
    /// What is left to write.
    enum Piece<'v> {
        Value(&'v Value),
        Text(&'static str),
    }
    let mut pending = vec![Piece::Value(value)];
    while let Some(piece) = pending.pop() {
        let value = match piece {
            Piece::Text(piece) => {
                text.push_str(piece);
                continue;
            }
            Piece::Value(value) => value,
        };
        match value {
            Value::Bool(value) => append(text, format_args!("{value}")),
            Value::Bits(bits) => write_bits(text, bits),
            Value::Float(float) => write_float(text, float),
            Value::Rounding(mode) => text.push_str(mode.name()),
            Value::Int(n) => write_int(text, n),
            Value::Real(r) => write_real(text, r),
            Value::Element(name, n) => {
                let sort = sort_name(crate::Sort::Uninterpreted(*name));
                append(text, format_args!("(as @{n} {sort})"));
            }
            Value::Array(array) => {
                for _ in &array.entries {
                    text.push_str("(store ");
                }
                append(text, format_args!("((as const {}) ", sort_name(array.sort)));
                for (index, element) in array.entries.iter().rev() {
                    pending.extend([
                        Piece::Text(")"),
                        Piece::Value(element),
                        Piece::Text(" "),
                        Piece::Value(index),
                        Piece::Text(" "),
                    ]);
                }
                pending.extend([Piece::Text(")"), Piece::Value(&array.default)]);
            }
        }
    }
}

fn write_bits(text: &mut String, bits: &Bits) {
    if bits.width().is_multiple_of(4) {
        append(text, format_args!("#x{}", bits.to_hex()));
    } else {
        append(text, format_args!("#b{}", bits.to_binary()));
    }
}

fn write_float(text: &mut String, float: &Float) {
    let format = float.format();
    let name = match (float.is_negative(), float) {
        _ if float.is_nan() => "NaN",
        (false, f) if f.is_infinite() => "+oo",
        (true, f) if f.is_infinite() => "-oo",
        (false, f) if f.is_zero() => "+zero",
        (true, f) if f.is_zero() => "-zero",
        _ => {
            let (sign, exponent, significand) = float.fields();
            let fields = [Bits::from_bool(sign), exponent, significand];
            let [sign, exponent, significand] = fields.map(|bits| bits.to_binary());
            append(text, format_args!("(fp #b{sign} #b{exponent} #b{significand})"));
            return;
        }
    };
    append(text, format_args!("(_ {name} {} {})", format.exponent(), format.significand()));
}

fn write_int(text: &mut String, n: &BigInt) {
    if n.is_negative() {
        append(text, format_args!("(- {})", n.magnitude()));
    } else {
        append(text, format_args!("{n}"));
    }
}

fn write_real(text: &mut String, r: &BigRational) {
    let (numerator, denominator) = (r.numer().magnitude(), r.denom());
    if r.is_negative() {
        text.push_str("(- ");
    }
    if denominator.is_one() {
        append(text, format_args!("{numerator}.0"));
    } else {
        append(text, format_args!("(/ {numerator}.0 {denominator}.0)"));
    }
    if r.is_negative() {
        text.push(')');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sort;
    use crate::value::ArrayValue;
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use value::Format;

    #[test]
    fn values_of_every_sort() {
        let pool = Pool::new();
        let show = |value: &Value| value_to_string(&pool, value);
        let bits = |width, n| Value::Bits(Bits::from_u64(width, n));
        assert_eq!(show(&Value::Bool(true)), "true");
        assert_eq!(show(&bits(8, 0xa5)), "#xa5");
        assert_eq!(show(&bits(5, 3)), "#b00011");
        assert_eq!(show(&Value::Int((-7).into())), "(- 7)");
        let real = |n: i32, d: i32| Value::Real(BigRational::new(n.into(), d.into()));
        assert_eq!(show(&real(2, 1)), "2.0");
        assert_eq!(show(&real(-1, 3)), "(- (/ 1.0 3.0))");
        let half = Format::new(5, 11).expect("a format");
        let float = |f| show(&Value::Float(f));
        assert_eq!(float(Float::nan(half)), "(_ NaN 5 11)");
        assert_eq!(float(Float::infinity(half, true)), "(_ -oo 5 11)");
        assert_eq!(float(Float::zero(half, false)), "(_ +zero 5 11)");
        assert_eq!(float(Float::one(half, true)), "(fp #b1 #b01111 #b0000000000)");
        assert_eq!(show(&Value::Element(pool.symbol("a b"), 3)), "(as @3 |a b|)");
    }

    #[test]
    fn arrays_are_stores_on_a_constant_array() {
        let pool = Pool::new();
        let inner = pool.array_sort(Sort::Bool, Sort::Int);
        let outer = pool.array_sort(Sort::Int, inner);
        let constant = |n: i32| ArrayValue {
            sort: inner,
            default: Value::Int(n.into()),
            entries: BTreeMap::new(),
        };
        let one = constant(0).store(Value::Bool(true), Value::Int(1.into()));
        let array = ArrayValue {
            sort: outer,
            default: Value::Array(Arc::new(constant(0))),
            entries: BTreeMap::new(),
        };
        let array = array
            .store(Value::Int(1.into()), Value::Array(Arc::new(one)))
            .store(Value::Int(2.into()), Value::Array(Arc::new(constant(5))));
        assert_eq!(
            value_to_string(&pool, &Value::Array(Arc::new(array))),
            "(store (store ((as const (Array Int (Array Bool Int))) \
             ((as const (Array Bool Int)) 0)) \
             1 (store ((as const (Array Bool Int)) 0) true 1)) \
             2 ((as const (Array Bool Int)) 5))"
        );
    }
}
