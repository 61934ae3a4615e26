//! Values as the machine holds them: words where they fit into one.

use crate::interpret::float_word::canonical;
use crate::interpret::word::{self, is_word};
use smallvec::SmallVec;
use term::{Sort, Value};
use value::{Bits, Float, Format};

/// A value in the form of its bank.
#[derive(Clone, Debug)]
pub(super) enum Datum {
    Word(u64),
    Value(Value),
}

impl Datum {
    pub(super) fn new(value: Value, sort: Sort) -> Datum {
        if is_word(sort) { Datum::Word(word::of_value(&value)) } else { Datum::Value(value) }
    }

    pub(super) fn to_value(&self, sort: Sort) -> Value {
        match self {
            Datum::Word(word) => word::to_value(*word, sort),
            Datum::Value(value) => value.clone(),
        }
    }
}

/// The word of a sort that has these bits: there is one NaN.
#[inline]
pub(super) fn readable(word: u64, sort: Sort) -> u64 {
    match sort {
        Sort::Float(format) => canonical(word, format == Format::F32),
        _ => word,
    }
}

/// The bytes of a value, the lowest first.
pub(super) fn to_bytes(datum: &Datum, sort: Sort) -> SmallVec<[u8; 16]> {
    let of = |bits: &Bits| {
        let mut bytes = bits.to_biguint().to_bytes_le();
        bytes.resize(bits.width() as usize / 8, 0);
        SmallVec::from_vec(bytes)
    };
    match datum {
        Datum::Word(word) => {
            let length = match sort {
                Sort::Float(format) => format.width() as usize / 8,
                _ => sort.width().map_or(1, |width| width as usize / 8),
            };
            SmallVec::from_slice(&word.to_le_bytes()[..length])
        }
        Datum::Value(Value::Bits(bits)) => of(bits),
        Datum::Value(Value::Float(float)) => of(&float.to_bits()),
        Datum::Value(_) => unreachable!("compiling has checked the sort"),
    }
}

/// The value of the sort that has these bytes.
pub(super) fn from_bytes(bytes: &[u8], sort: Sort) -> Datum {
    if is_word(sort) {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        return Datum::Word(readable(u64::from_le_bytes(all), sort));
    }
    let of = |width: u32| Bits::from_biguint(width, value::BigUint::from_bytes_le(bytes));
    Datum::Value(match sort {
        Sort::BitVec(width) => Value::Bits(of(width)),
        Sort::Float(format) => Value::Float(Float::from_bits(format, &of(format.width()))),
        _ => unreachable!("compiling has checked the sort"),
    })
}
