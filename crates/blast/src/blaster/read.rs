//! Edges back to values: the model of a solver, read term by term.

use super::{Blasted, Blaster};
use crate::float::Float;
use crate::rounding::Mode;
use aig::Edge;
use term::{Pool, Sort, Term, Value};
use value::{Bits, Float as FloatValue, Format};

impl Blaster {
    /// The value of a term where each edge has the value that `edge` tells.
    ///
    /// Only edges of the graph are asked for, never of new nodes, so that a solver's model of
    /// the inputs suffices.
    ///
    /// # Panics
    /// If the term is not blasted.
    pub fn value(&self, pool: &Pool, term: Term, mut edge: impl FnMut(Edge) -> bool) -> Value {
        let mut read = |word: &[Edge]| word.iter().map(|e| edge(*e)).collect::<Vec<bool>>();
        match self.blasted.get(&term) {
            Some(Blasted::Bool(e)) => Value::Bool(edge(*e)),
            Some(Blasted::Bits(word)) => Value::Bits(Bits::from_bits(&read(word))),
            Some(Blasted::Rounding(mode)) => {
                let bits = read(&mode.bits());
                Value::Rounding(Mode::decode([bits[0], bits[1], bits[2]]))
            }
            Some(Blasted::Float(float)) => {
                let Sort::Float(format) = pool.sort(term) else { unreachable!("typing: a float") };
                Value::Float(float_value(format, float, &mut read))
            }
            None => panic!("{term:?} is not blasted"),
        }
    }
}

fn float_value(
    format: Format,
    float: &Float,
    read: &mut impl FnMut(&[Edge]) -> Vec<bool>,
) -> FloatValue {
    let flags = read(&[float.nan, float.infinite, float.zero, float.sign]);
    let [nan, infinite, zero, sign] = flags[..] else { unreachable!("four flags") };
    if nan {
        return FloatValue::nan(format);
    }
    if infinite {
        return FloatValue::infinity(format, sign);
    }
    if zero {
        return FloatValue::zero(format, sign);
    }
    let (exponent, fraction) = match (float.packed_form(), float.normal_form()) {
        (Some(packed), _) => {
            (Bits::from_bits(&read(&packed.exponent)), Bits::from_bits(&read(&packed.fraction)))
        }
        (None, Some(normal)) => {
            let exponent = Bits::from_bits(&read(&normal.exponent)).to_bigint();
            let exponent = i64::try_from(exponent).expect("exponents have few bits");
            fields(format, exponent, &Bits::from_bits(&read(&normal.significand)))
        }
        (None, None) => unreachable!("a float has one of its forms"),
    };
    FloatValue::from_bits(format, &Bits::from_bool(sign).concat(&exponent).concat(&fraction))
}

/// The exponent and fraction fields of a number in normal form.
fn fields(format: Format, exponent: i64, significand: &Bits) -> (Bits, Bits) {
    let below = (format.min_exponent() - exponent).max(0);
    let field = if below > 0 { 0 } else { exponent + format.max_exponent() };
    let shifted = significand.lshr_by(u32::try_from(below).unwrap_or(u32::MAX));
    let fraction = shifted.resize_unsigned(format.significand() - 1);
    (Bits::from_i64(format.exponent(), field), fraction)
}
