//! `cairn diff`: two versions of a program.

use crate::equivalence;
use crate::exit::Exit;
use crate::options::Diff;

/// Compares versions as it is asked for.
pub fn run(arguments: &Diff) -> Exit {
    equivalence::run(arguments)
}
