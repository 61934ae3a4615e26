//! The options about whoever calls the entry function.

use clap::Args;
use verify::task::{Caller, Extent, Nonnull};

/// What stands for all parameters where one may be named.
const ALL: &str = "*";

/// What is assumed of the caller of the entry function.
#[derive(Args, Clone)]
pub struct CallerOptions {
    /// How many elements pointer parameters of the entry function point to
    #[arg(
        long,
        value_name = "NAME[COUNT]",
        help = "How many elements a pointer parameter of the entry function points to: \
                NAME[NUMBER], NAME[PARAMETER], or NAME[] for any number, with <=MOST before the \
                bracket to bound it; one without it"
    )]
    pub valid: Vec<Extent>,

    /// Pointer parameters of the entry function are not null: all, or the one that is named
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ALL
    )]
    pub nonnull: Vec<String>,

    /// Pointer parameters of the entry function that have the same type may point to the same
    /// object
    #[arg(long)]
    pub alias: bool,

    /// Global variables hold any values when the entry function is called, not their initial ones
    #[arg(long)]
    pub any_globals: bool,
}

impl CallerOptions {
    /// What they say.
    pub fn caller(&self) -> Caller {
        let nonnull = match &self.nonnull[..] {
            [] => Nonnull::None,
            names if names.iter().any(|name| name == ALL) => Nonnull::All,
            names => Nonnull::Named(names.to_vec()),
        };
        let (valid, alias) = (self.valid.clone(), self.alias);
        Caller { valid, nonnull, alias, any_globals: self.any_globals }
    }
}
