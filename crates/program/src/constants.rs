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
