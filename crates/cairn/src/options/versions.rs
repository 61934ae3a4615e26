//! Two versions of a program, and what is kept between runs.

use super::forms::seconds;
use super::{Asking, CProgram, Format};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `cairn diff`
#[derive(Args)]
pub struct Diff {
    /// The version before: a file, a folder with all its C files, or REV:PATH for either of them in
    /// a revision of a git repository. With --since, the version after
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// The version after, likewise
    #[arg(value_name = "NEW", required_unless_present = "since", conflicts_with = "since")]
    pub new: Option<PathBuf>,

    /// Compare one path as it is with what it was in this revision
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,

    /// Ask whether functions give the same outputs for the same inputs
    #[arg(long)]
    pub equivalence: bool,

    /// Compare this function alone; without it, those that no other function calls
    #[arg(long, value_name = "NAME", requires = "equivalence")]
    pub function: Option<String>,

    /// What is asked, and how the answer is looked for
    #[command(flatten)]
    pub asking: Asking,
}

/// `cairn store`
#[derive(Args)]
pub struct Store {
    /// What to do with it
    #[command(subcommand)]
    pub verb: StoreVerb,
}

/// What to do with a store.
#[derive(Subcommand)]
pub enum StoreVerb {
    /// List what is kept: kind, key, size, when it was written, what it is about
    List {
        /// The folder
        folder: PathBuf,
        /// Only documents of this kind
        #[arg(long)]
        kind: Option<String>,
        /// Only documents about something whose name contains this text
        #[arg(long, value_name = "TEXT")]
        about: Option<String>,
    },
    /// Print documents
    Show {
        /// The folder
        folder: PathBuf,
        /// The beginning of their keys
        key: String,
    },
    /// Remove what was used least recently until so many megabytes are left
    Prune {
        /// The folder
        folder: PathBuf,
        /// How many megabytes
        #[arg(long, value_name = "MB", default_value_t = 0)]
        to: u64,
    },
    /// Look for damage
    Verify {
        /// The folder
        folder: PathBuf,
    },
}

/// `cairn simulate`
#[derive(Args)]
pub struct Simulate {
    /// The program that is simulated
    pub source: PathBuf,

    /// The program that simulates it
    pub target: PathBuf,

    /// Look for a simulation in the other direction too
    #[arg(long)]
    pub both: bool,

    /// Prove the second program safe, and carry the proof to the first
    #[arg(long)]
    pub lift: bool,

    /// How programs are read and modelled
    #[command(flatten)]
    pub c: CProgram,

    /// How to print what is found
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write the formulas that the simulation rests on, in SMT-LIB: all have to be unsatisfiable
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,

    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
}
