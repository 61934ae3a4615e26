//! Inputs to try: numbers near those that the programs mention, small ones, and others.
//!
//! A value is a function of the seed and of what it is for, so that both versions get the same ones.
//! Floating-point inputs are finite.

use program::Program;
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::subterms;
use term::{Sort, Value};
use value::{Bits, Float, Format, Rounding};

/// The inputs of a run.
#[derive(Clone, Default, Debug)]
pub struct Inputs {
    /// What the rest follows from.
    pub seed: u64,
    /// What is known of them, by name.
    pub fixed: FxHashMap<String, Value>,
}

/// The numbers that programs mention.
#[derive(Clone, Default, Debug)]
pub struct Constants {
    integers: Vec<i64>,
    floats: Vec<f64>,
}

impl Constants {
    /// Those of both versions.
    pub fn of(programs: [&Program; 2]) -> Constants {
        let (mut integers, mut floats) = (FxHashSet::default(), FxHashSet::default());
        for program in programs {
            let terms: Vec<_> =
                program.edges().flat_map(|(_, edge)| edge.instruction.terms()).collect();
            for term in subterms(&program.pool, &terms) {
                match program.pool.value(term) {
                    Some(Value::Bits(bits)) if bits.width() <= 64 => {
                        integers.extend(bits.to_i64());
                    }
                    Some(Value::Float(float)) => {
                        let float = float.to_format(Format::F64, Rounding::NearestEven);
                        floats.extend(float.to_f64().filter(|f| f.is_finite()).map(f64::to_bits));
                    }
                    _ => {}
                }
            }
        }
        let mut integers: Vec<i64> = integers.into_iter().collect();
        let mut floats: Vec<f64> = floats.into_iter().map(f64::from_bits).collect();
        integers.sort_unstable();
        floats.sort_unstable_by(f64::total_cmp);
        Constants { integers, floats }
    }
}

/// A number that looks random and follows from two others [Steele, Lea, Flood 2014].
pub fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(b);
    for _ in 0..2 {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
    }
    z
}

/// The same for a text.
pub fn mix_text(a: u64, text: &str) -> u64 {
    text.bytes().fold(a, |z, byte| mix(z, u64::from(byte) + 1))
}

impl Inputs {
    /// The value of what has this name.
    pub fn value(&self, name: &str, sort: Sort, constants: &Constants) -> Option<Value> {
        if let Some(value) = self.fixed.get(name) {
            return Some(value.clone());
        }
        generated(mix_text(self.seed, name), sort, constants)
    }

    /// The byte of an object in memory. Some seeds make small integers of four or eight bytes of
    /// these, others texts.
    pub fn byte(&self, object: &str, offset: u64) -> u8 {
        let number = mix(mix_text(self.seed, object), offset);
        let small = (number % 12) as u8;
        match self.seed % 3 {
            0 => {
                if offset.is_multiple_of(4) {
                    small
                } else {
                    0
                }
            }
            1 => {
                if offset.is_multiple_of(8) {
                    small
                } else {
                    0
                }
            }
            _ => [0, b'a', b'b', b'c', 1, 2, b' ', b'=', b')', b'a', b'b', 3][usize::from(small)],
        }
    }
}

/// A value of a sort that follows from a number.
pub fn generated(number: u64, sort: Sort, constants: &Constants) -> Option<Value> {
    let (which, more) = (number % 16, mix(number, 77));
    Some(match sort {
        Sort::Bool => Value::Bool(number & 1 == 1),
        Sort::BitVec(width) => {
            let integer = match which {
                0..=4 => (more % 13) as i64 - 3,
                5..=6 => (more % 200) as i64 - 60,
                7..=10 if !constants.integers.is_empty() => {
                    let c = constants.integers[(more % constants.integers.len() as u64) as usize];
                    c.wrapping_add(((more >> 40) % 5) as i64 - 2)
                }
                11..=12 => (more % 100_000) as i64,
                13 => -((more % 100_000) as i64),
                14 => (more % 3_000_000_000) as i64 - 1_500_000_000,
                _ => more as i64,
            };
            Value::Bits(
                Bits::from_u128(128, integer as i128 as u128).extract(width.min(128) - 1, 0),
            )
        }
        Sort::Float(format) => {
            let unit = (more >> 11) as f64 / (1u64 << 53) as f64;
            let float = match which {
                0..=3 => (more % 21) as f64 - 8.0,
                4..=6 if !constants.floats.is_empty() => {
                    let c = constants.floats[(more % constants.floats.len() as u64) as usize];
                    [c, c + 1.0, c - 0.5, c * 1.001, -c][(more >> 40) as usize % 5]
                }
                7..=9 => unit * 2.0 - 1.0,
                10..=12 => unit * 40.0 - 15.0,
                13 => unit * 2000.0 - 500.0,
                14 => unit * 1e6,
                _ => unit * 1e-3,
            };
            Value::Float(Float::from_f64(float).to_format(format, Rounding::NearestEven))
        }
        _ => return None,
    })
}
