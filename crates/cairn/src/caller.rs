//! The options about whoever calls the entry function.

use clap::Args;
use verify::task::{Caller, Cycle, Extent, Input, Nonnull};

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

    /// The function that a cyclic program calls for ever, with any values of its inputs in each step:
    /// its parameters, what functions without a body return, and what --input names
    #[arg(long, value_name = "FUNCTION", conflicts_with_all = ["entry", "any_globals"])]
    pub step: Option<String>,

    /// The function that runs before the first step
    #[arg(long, value_name = "FUNCTION", requires = "step")]
    pub init: Option<String>,

    /// What takes a new value in each step, and within which range: a variable, a parameter of the step,
    /// or a part of one (`in.speed=0..250`, `table[*]`, `*sensor`); of Structured Text, a variable that takes any
    /// value in each cycle, as inputs do
    #[arg(long, value_name = "NAME[=LOW..HIGH]", allow_hyphen_values = true)]
    pub input: Vec<Input>,
}

impl CallerOptions {
    /// The function that a run begins with, if it is not the entry that is named.
    pub fn entry<'e>(&'e self, named: &'e str) -> &'e str {
        self.step.as_deref().unwrap_or(named)
    }

    /// What they say.
    pub fn caller(&self) -> Caller {
        let nonnull = match &self.nonnull[..] {
            [] => Nonnull::None,
            names if names.iter().any(|name| name == ALL) => Nonnull::All,
            names => Nonnull::Named(names.to_vec()),
        };
        let (valid, alias) = (self.valid.clone(), self.alias);
        let inputs = self.input.clone();
        let cycle = self.step.as_ref().map(|_| Cycle { init: self.init.clone(), inputs });
        Caller { valid, nonnull, alias, any_globals: self.any_globals, cycle }
    }
}
