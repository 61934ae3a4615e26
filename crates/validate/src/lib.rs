//! Checks somebody's evidence: certificates and traces of circuits, witnesses of programs.
//!
//! * [`circuit`]: certificate circuits by `certify`, traces by simulation.
//! * [`program`](mod@program): SV-COMP's witnesses, whose statements become part of the program, which is
//!   then decided like any other.
//!
//! Nothing here prints or exits.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod circuit;
mod entries;
pub mod program;

use ::program::counterexample::Counterexample;
use answer::Reason;
use std::fmt;

/// What is said of a piece of evidence.
#[derive(Debug)]
pub enum Validity {
    /// It shows what it claims.
    Valid,
    /// It does not, and why.
    Invalid(String),
    /// Nobody knows.
    Unknown(Doubt),
}

/// Why evidence is neither valid nor invalid.
#[derive(Debug)]
pub enum Doubt {
    /// The question that it leads to is open.
    Open(Reason),
    /// It says too little, or something else than the run that was found; in words.
    Unclear(String),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Open(reason) => write!(f, "{reason}"),
            Doubt::Unclear(words) => f.write_str(words),
        }
    }
}

impl fmt::Display for Validity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Validity::Valid => f.write_str("valid"),
            Validity::Invalid(why) => write!(f, "invalid ({why})"),
            Validity::Unknown(why) => write!(f, "unknown ({why})"),
        }
    }
}

/// What became of a witness, with the run that was found.
pub struct Validated {
    /// What is said of it.
    pub validity: Validity,
    /// A run that confirms or refutes it.
    pub run: Option<Box<Counterexample>>,
    /// Threads that have been told to end.
    pub workers: verify::schedule::Workers,
}
