//! Exit codes: part of the interface, see docs/usage.md.

use crate::output::complain;
use answer::Verdict;
use std::process::ExitCode;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Done; of a check, safe.
    Success,
    /// A violation was found.
    Unsafe,
    /// Undecided: time, memory, or the engine gave up.
    Unknown,
    /// A mistake in the command line.
    Usage,
    /// The input was rejected, with its place and the reason.
    Input,
    /// A failed check or another broken promise of ours.
    Internal,
}

impl Exit {
    /// How a run ends that has said a verdict and stored what it was asked to store, if it could.
    pub fn with(verdict: Verdict, stored: Result<(), String>) -> Exit {
        match (stored, verdict) {
            (Err(message), _) => {
                complain(&message);
                Exit::Input
            }
            (Ok(()), Verdict::Safe) => Exit::Success,
            (Ok(()), Verdict::Unsafe) => Exit::Unsafe,
            (Ok(()), Verdict::Unknown) => Exit::Unknown,
        }
    }

    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Unsafe => 10,
            Exit::Unknown => 5,
            Exit::Usage => 1,
            Exit::Input => 2,
            Exit::Internal => 6,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}
