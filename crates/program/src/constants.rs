//! The numbers that a program's text names: where it decides by them, tests have to try them.

use crate::program::Program;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use term::traverse::subterms;
use term::{Term, Value};
use value::Bits;

/// The most that are told.
const MOST: usize = 200;

/// The bit-vectors that occur in a program's terms, of those with the same number one, in the order in
/// which they were made; the first ones if they are many.
pub fn constants(program: &Program) -> Arc<[Bits]> {
    let pool = &program.pool;
    let terms: Vec<Term> = program.edges().flat_map(|(_, edge)| edge.instruction.terms()).collect();
    let mut terms = subterms(pool, &terms);
    terms.sort_unstable();
    let mut seen = FxHashSet::default();
    let bits = terms.into_iter().filter_map(|term| match pool.value(term) {
        Some(Value::Bits(bits)) if (2..=64).contains(&bits.width()) => {
            let signed = bits.sign_extend(64 - bits.width());
            seen.insert(signed.clone()).then_some(signed)
        }
        _ => None,
    });
    bits.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::{Oracle, Part, Random, Request};
    use crate::program::Cause;
    use la_arena::{Idx, RawIdx};
    use term::Sort;

    /// Numbers that matter are among the random ones, of any width, with their neighbours.
    #[test]
    fn numbers_that_matter_are_tried() {
        let numbers: Arc<[Bits]> = Arc::new([Bits::from_u64(64, 123_456)]);
        let mut random = Random::new(5).among(numbers);
        let mut tried = FxHashSet::default();
        for _ in 0..200 {
            let request = Request {
                function: Idx::from_raw(RawIdx::from(0)),
                edge: Idx::from_raw(RawIdx::from(0)),
                calls: &[],
                cause: &Cause::Uninitialized,
                sort: Sort::BitVec(32),
                part: Part::Whole,
            };
            tried.extend(random.value(&request));
        }
        for number in [123_455, 123_456, 123_457] {
            assert!(tried.contains(&Value::Bits(Bits::from_u64(32, number))), "{number}");
        }
    }
}
