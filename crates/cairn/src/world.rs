//! What undefined behaviour is taken for, as it is typed.

use clap::{Args, ValueEnum};

/// What undefined behaviour is taken for.
#[derive(Args, Clone, Default)]
pub struct World {
    /// What undefined behaviour is: a violation, with an answer for each check of the program
    /// (check), or the end of a run that nobody looks beyond (assume)
    #[arg(long, value_enum, default_value_t = Undefined::Assume)]
    pub undefined: Undefined,
}

/// What undefined behaviour is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Undefined {
    /// A violation, wherever it is
    Check,
    /// The end of a run, unless --property asks for it
    #[default]
    Assume,
}
