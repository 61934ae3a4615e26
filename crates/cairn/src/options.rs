//! The one table of verbs and options, from which help is generated.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Proves programs and circuits safe lemma by lemma, or shows a run that fails.
#[derive(Parser)]
#[command(name = "cairn", version, about, disable_help_subcommand = true)]
pub struct CommandLine {
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Subcommand)]
pub enum Verb {
    /// Decide the satisfiability of an SMT-LIB script
    Solve(Solve),
}

/// `cairn solve`
#[derive(Args)]
pub struct Solve {
    /// The script, or `-` for standard input
    pub file: PathBuf,

    /// Which solver decides
    #[arg(long, value_enum, default_value_t = SolverName::Auto)]
    pub solver: SolverName,

    /// Stop after so many seconds; what is undecided then is `unknown`
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,

    /// Print the model after each `sat`
    #[arg(long)]
    pub model: bool,

    /// Print statistics on standard error at the end
    #[arg(long)]
    pub stats: bool,
}

/// The solvers that can be named.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SolverName {
    /// Bit-blasting where it can, Z3 for quantifiers, integers and reals
    Auto,
    /// Bit-blasting onto our own CDCL, backed by CaDiCaL
    Native,
    /// Bit-blasting onto our own CDCL alone
    Cone,
    /// Bit-blasting onto CaDiCaL alone
    Cadical,
    /// Z3
    Z3,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds > 0.0 => Ok(seconds),
        _ => Err("expected a positive number of seconds".into()),
    }
}
