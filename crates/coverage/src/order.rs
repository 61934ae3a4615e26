//! Values of registers as words, as the interpreter has them, and as numbers in their order.

use crate::probes::State;
use term::Sort;
use value::Format;

/// The least and the greatest of some values, as numbers in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The least.
    pub least: u64,
    /// The greatest.
    pub most: u64,
}

impl State {
    /// Where a word is in the order of the register's values; nowhere if it is no number.
    pub fn number(&self, word: u64) -> Option<u64> {
        let sign = self.sign();
        match self.sort {
            Sort::Float(_) if self.double(word).is_nan() => None,
            // Of negative floats, the greater bits are the lesser number.
            Sort::Float(_) if word & sign != 0 => Some(!word & (sign | (sign - 1))),
            Sort::Float(_) => Some(word | sign),
            _ if self.signed => Some(word ^ sign),
            _ => Some(word),
        }
    }

    /// The word at a place in the order.
    pub fn of_number(&self, number: u64) -> u64 {
        let sign = self.sign();
        match self.sort {
            Sort::Float(_) if number & sign == 0 => !number & (sign | (sign - 1)),
            Sort::Float(_) => number & !sign,
            _ if self.signed => number ^ sign,
            _ => number,
        }
    }

    /// The value as far as a double can say it.
    pub fn double(&self, word: u64) -> f64 {
        match self.sort {
            Sort::Float(format) if format == Format::F32 => f64::from(f32::from_bits(word as u32)),
            Sort::Float(_) => f64::from_bits(word),
            Sort::BitVec(width) if self.signed && word & self.sign() != 0 => {
                (word | !(u64::MAX >> (64 - width))) as i64 as f64
            }
            _ => word as f64,
        }
    }

    /// The bit that says that a number is negative.
    fn sign(&self) -> u64 {
        match self.sort {
            Sort::BitVec(width) => 1 << (width - 1),
            Sort::Float(format) => 1 << (format.width() - 1),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Pool;

    #[test]
    fn numbers_are_in_order_and_lead_back() {
        let pool = Pool::new();
        let state = |sort: Sort, signed| State::of(pool.var("x", sort), sort, signed);
        let float = state(Sort::Float(Format::F32), false);
        let word = |value: f32| u64::from(value.to_bits());
        let floats = [f32::NEG_INFINITY, -2.5, -1e-40, -0.0, 0.0, 1e-40, 3.0, f32::INFINITY];
        let short = state(Sort::BitVec(16), true);
        let shorts = [-32768i16, -3, -1, 0, 5, 32767].map(|n| u64::from(n as u16));
        let check = |state: &State, words: &[u64]| {
            let numbers: Vec<u64> = words.iter().filter_map(|word| state.number(*word)).collect();
            assert!(numbers.len() == words.len() && numbers.is_sorted(), "{numbers:x?}");
            assert!(numbers.iter().zip(words).all(|(n, word)| state.of_number(*n) == *word));
        };
        check(&float, &floats.map(word));
        check(&short, &shorts);
        check(&state(Sort::BitVec(64), true), &[1 << 63, u64::MAX, 0, 7]);
        check(&state(Sort::BitVec(8), false), &[0, 7, 255]);
        assert_eq!(float.number(word(f32::NAN)), None);
        assert_eq!(short.double(0xffff), -1.0);
    }
}
