//! Questions to solvers.

use super::forms::seconds;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

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

/// `cairn skolem`
#[derive(Args)]
pub struct Skolem {
    /// The script, or `-` for standard input
    pub file: PathBuf,

    /// Print the Skolem relation after the functions
    #[arg(long)]
    pub relation: bool,

    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
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
    /// CDCL over interval bounds, with bit-blasting where that does not get to an answer
    Icp,
    /// Z3
    Z3,
    /// The program `bitwuzla`
    Bitwuzla,
    /// The program `cvc5`
    Cvc5,
}
