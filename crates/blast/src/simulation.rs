//! What the tests share: circuits simulated on values, 64 at a time.

use crate::word::{self, Word};
use aig::simulate::Words;
use aig::{Aig, Edge};
use rand::Rng;
use rand::rngs::StdRng;
use value::Bits;

/// A circuit on input words of these widths.
pub struct Circuit {
    graph: Aig,
    widths: Vec<u32>,
    out: Word,
}

impl Circuit {
    pub fn new(widths: &[u32], build: impl FnOnce(&mut Aig, &[Word]) -> Word) -> Circuit {
        let mut graph = Aig::new();
        let words: Vec<Word> =
            widths.iter().map(|w| word::inputs(&mut graph, *w as usize)).collect();
        let out = build(&mut graph, &words);
        Circuit { graph, widths: widths.to_vec(), out }
    }

    /// The output for each of at most 64 inputs.
    fn run(&self, patterns: &[Vec<Bits>]) -> Vec<Bits> {
        let mut inputs = Vec::new();
        for (operand, width) in self.widths.iter().enumerate() {
            for i in 0..*width {
                inputs.push(
                    patterns.iter().enumerate().fold(0, |word, (p, pattern)| {
                        word | u64::from(pattern[operand].bit(i)) << p
                    }),
                );
            }
        }
        let words = Words::simulate(&self.graph, |i| inputs[i]);
        (0..patterns.len())
            .map(|p| {
                let bit = |e: &Edge| words.word(*e) >> p & 1 == 1;
                Bits::from_bits(&self.out.iter().map(bit).collect::<Vec<_>>())
            })
            .collect()
    }

    /// Compares with the reference on the inputs given.
    pub fn check(
        &self,
        name: &str,
        patterns: impl IntoIterator<Item = Vec<Bits>>,
        reference: impl Fn(&[Bits]) -> Bits,
    ) {
        let mut patterns = patterns.into_iter();
        loop {
            let chunk: Vec<Vec<Bits>> = patterns.by_ref().take(64).collect();
            if chunk.is_empty() {
                return;
            }
            for (pattern, found) in std::iter::zip(&chunk, self.run(&chunk)) {
                assert_eq!(found, reference(pattern), "{name} of {pattern:?}");
            }
        }
    }
}

/// All inputs of these widths.
pub fn all(widths: &[u32]) -> impl Iterator<Item = Vec<Bits>> + use<> {
    let widths = widths.to_vec();
    let total: u32 = widths.iter().sum();
    (0..1u128 << total).map(move |mut code| {
        widths
            .iter()
            .map(|width| {
                let bits = Bits::from_u128(*width, code & ((1 << width) - 1));
                code >>= width;
                bits
            })
            .collect()
    })
}

/// A bit-vector, often one of few ones or few zeros or a small number.
pub fn random_bits(rng: &mut StdRng, width: u32) -> Bits {
    let any: Vec<bool> = (0..width).map(|_| rng.random()).collect();
    let any = Bits::from_bits(&any);
    let amount = rng.random_range(0..width);
    match rng.random_range(0..8) {
        0 => any.lshr_by(amount),
        1 => any.lshr_by(amount).not(),
        2 => Bits::one(width).shl_by(amount),
        3 => Bits::one(width).shl_by(amount).not(),
        4 => Bits::from_u128(width, rng.random_range(0..u128::from(2 * width + 1))),
        _ => any,
    }
}
