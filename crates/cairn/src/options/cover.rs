//! What there is to cover.

use super::forms::seconds;
use super::{CProgram, Format};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use verify::Limits;

/// `cairn cover`
#[derive(Args, Clone)]
pub struct Cover {
    /// The program
    #[arg(required_unless_present = "compile_commands")]
    pub files: Vec<PathBuf>,

    /// What is to be covered; statement, decision, condition and mcdc include the ones before
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "mcdc",
        value_parser = ["statement", "decision", "condition", "mcdc", "call", "all"])]
    pub goal: Vec<String>,

    /// Which pairs of evaluations show that a condition decides by itself
    #[arg(long, value_enum, default_value_t = Mcdc::Masking)]
    pub mcdc: Mcdc,

    /// What counts as a failure beside open goals: goals that nothing can show and nobody justifies
    #[arg(long, value_enum)]
    pub fail_on: Option<FailOn>,

    /// What is written beside the answer
    #[command(flatten)]
    pub written: CoverFiles,

    /// How the answer is looked for
    #[command(flatten)]
    pub asking: CoverAsking,
}

/// What is written of a report.
#[derive(Args, Clone, Default)]
pub struct CoverFiles {
    /// Write the test vectors into this folder: vectors.json, vectors.csv, and suite.c, which gcc compiles
    /// with the program, and which runs them and checks what the program computes
    #[arg(long, value_name = "DIR")]
    pub vectors: Option<PathBuf>,

    /// Write a page with metrics, goals and annotated source into this folder: index.html
    #[arg(long, value_name = "DIR")]
    pub html: Option<PathBuf>,

    /// Write the goals as test cases of JUnit's XML
    #[arg(long, value_name = "FILE.xml")]
    pub junit: Option<PathBuf>,
}

/// `cairn dead`
#[derive(Args, Clone)]
pub struct Dead {
    /// The program
    #[arg(required_unless_present = "compile_commands")]
    pub files: Vec<PathBuf>,

    /// How the answer is looked for
    #[command(flatten)]
    pub asking: CoverAsking,
}

/// Which pairs count for MC/DC.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Mcdc {
    /// Others may change too, where they are masked
    Masking,
    /// No other condition changes; one that is not evaluated may
    Unique,
}

/// What counts as a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FailOn {
    /// Goals that nothing can show and nobody justifies
    Dead,
}

/// How goals are looked at.
#[derive(Args, Clone)]
pub struct CoverAsking {
    /// How programs are read and modelled
    #[command(flatten)]
    pub c: CProgram,

    /// Stop after so many seconds; what is known then is told
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,

    /// Stop when the process has so many megabytes in use
    #[arg(long, value_name = "MB")]
    pub memory_limit: Option<u64>,

    /// The file that says which goals are justified; without it, cairn.toml if there is one
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,

    /// A line for every goal, also for those that are covered
    #[arg(long)]
    pub all: bool,

    /// Decides which runs are tried
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Print the last line alone
    #[arg(long)]
    pub quiet: bool,

    /// Print answers as they are found on standard error
    #[arg(long)]
    pub stats: bool,
}

impl CoverAsking {
    /// What the answer may cost.
    pub fn limits(&self) -> Limits {
        let time = self.time_limit.map(Duration::from_secs_f64);
        Limits { time, memory: self.memory_limit, ..Limits::default() }
    }
}
