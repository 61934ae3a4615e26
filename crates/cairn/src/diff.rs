//! `cairn diff`: two versions of a program.

use crate::exit::Exit;
use crate::options::{Diff, Tables};
use crate::{check, equivalence};

/// Compares versions, or verifies the new one from what is known of the old one.
pub fn run(arguments: &Diff, tables: Tables) -> Exit {
    match arguments.equivalence {
        true => equivalence::run(arguments),
        false => check::run_version(&arguments.old, &arguments.new, &arguments.asking, tables),
    }
}
