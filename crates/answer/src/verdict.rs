//! The words of an answer: verdicts, kinds of proof, names of engines, units of their progress,
//! whether a proof says something. Each is written the same way wherever it is read.

use crate::place::Place;
use crate::reason::Reason;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// What is said of a question, without the evidence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No run violates the property.
    Safe,
    /// A run does.
    Unsafe,
    /// Undecided.
    Unknown,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 3] = [Verdict::Safe, Verdict::Unsafe, Verdict::Unknown];

    /// What is known of two questions together: one violation is enough, and safe is what is safe in
    /// all its parts.
    pub fn and(self, other: Verdict) -> Verdict {
        match (self, other) {
            (Verdict::Unsafe, _) | (_, Verdict::Unsafe) => Verdict::Unsafe,
            (Verdict::Safe, Verdict::Safe) => Verdict::Safe,
            _ => Verdict::Unknown,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Safe => "safe",
            Verdict::Unsafe => "unsafe",
            Verdict::Unknown => "unknown",
        })
    }
}

/// Kinds of proof.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProofKind {
    /// An inductive invariant excludes the violation.
    Inductive,
    /// The property is k-inductive.
    KInductive,
    /// All runs end, and were followed.
    Exhausted,
    /// Relations of arguments and results of recursive functions.
    Summaries,
    /// Relations for all predicates with which all Horn clauses hold.
    Model,
    /// There is one run, and it was executed.
    Executed,
    /// The proof was not checked, and is not told.
    Unchecked,
}

impl ProofKind {
    /// All of them.
    pub const ALL: [ProofKind; 7] = [
        ProofKind::Inductive,
        ProofKind::KInductive,
        ProofKind::Exhausted,
        ProofKind::Summaries,
        ProofKind::Model,
        ProofKind::Executed,
        ProofKind::Unchecked,
    ];
}

impl fmt::Display for ProofKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProofKind::Inductive => "inductive",
            ProofKind::KInductive => "k-inductive",
            ProofKind::Exhausted => "exhausted",
            ProofKind::Summaries => "summaries",
            ProofKind::Model => "model",
            ProofKind::Executed => "executed",
            ProofKind::Unchecked => "unchecked",
        })
    }
}

/// Who found an answer: an engine, or a step before the engines. Which names there are is said by
/// the table of engines, so that a new engine is no edit here.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EngineName(Cow<'static, str>);

impl EngineName {
    /// The name of a row of the table.
    pub const fn new(name: &'static str) -> Self {
        EngineName(Cow::Borrowed(name))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What an engine counts its progress in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// The frames of IC3.
    Frames,
    /// Steps of runs: no violation takes fewer.
    Steps,
    /// Refinements of an abstraction.
    Refinements,
    /// The bound on turns of loops.
    Turns,
    /// The open calls of a function.
    Calls,
}

impl Unit {
    /// All of them.
    pub const ALL: [Unit; 5] =
        [Unit::Frames, Unit::Steps, Unit::Refinements, Unit::Turns, Unit::Calls];

    /// So many of them, in words.
    pub fn count(self, number: u64) -> String {
        let plural = if number == 1 { "" } else { "s" };
        let one = match self {
            Unit::Frames => "frame",
            Unit::Steps => "step",
            Unit::Refinements => "refinement",
            Unit::Turns => "turn",
            Unit::Calls => "open call",
        };
        format!("{number} {one}{plural}")
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Frames => "frames",
            Unit::Steps => "steps",
            Unit::Refinements => "refinements",
            Unit::Turns => "turns",
            Unit::Calls => "calls",
        })
    }
}

/// How an engine ended, before anybody has looked at its evidence.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// With a proof.
    Safe,
    /// With a run.
    Unsafe {
        /// Its length, in the engine's own steps.
        steps: usize,
    },
    /// With nothing.
    Unknown(Reason),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Safe => f.write_str("safe"),
            Ended::Unsafe { steps } => write!(f, "unsafe, {steps} steps"),
            Ended::Unknown(reason) => write!(f, "unknown ({reason})"),
        }
    }
}

/// Whether any check of the property is reached at all: if none is, a proof says nothing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vacuity {
    /// Bounded model checking finds a run to a decision on the violation at a place.
    Reached(Option<Place>),
    /// The program has no check of the property.
    NoCheck,
    /// Minimization has found that no run comes to a decision on a violation.
    Minimized,
    /// All runs were followed, and none comes to a decision on a violation.
    Followed,
    /// So many checks are there, but each holds by its own text or is in code that nothing calls.
    HoldByText(usize),
    /// None is reached within the depth to which recursion was unrolled.
    WithinDepth,
    /// A proof that none is reached was not accepted.
    NotAccepted,
    /// The search was stopped after so many tenths of a second.
    Stopped(u64),
}

/// What a [`Vacuity`] comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VacuityStatus {
    /// A check is reached.
    Reached,
    /// None is.
    Vacuous,
    /// Nobody knows.
    Undetermined,
}

impl VacuityStatus {
    /// All of them.
    pub const ALL: [VacuityStatus; 3] =
        [VacuityStatus::Reached, VacuityStatus::Vacuous, VacuityStatus::Undetermined];
}

impl fmt::Display for VacuityStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            VacuityStatus::Reached => "reached",
            VacuityStatus::Vacuous => "vacuous",
            VacuityStatus::Undetermined => "undetermined",
        })
    }
}

impl Vacuity {
    /// What it comes to.
    pub fn status(&self) -> VacuityStatus {
        match self {
            Vacuity::Reached(_) => VacuityStatus::Reached,
            Vacuity::NoCheck | Vacuity::Minimized | Vacuity::Followed => VacuityStatus::Vacuous,
            Vacuity::HoldByText(_)
            | Vacuity::WithinDepth
            | Vacuity::NotAccepted
            | Vacuity::Stopped(_) => VacuityStatus::Undetermined,
        }
    }
}

/// How it was found out, or why not.
impl fmt::Display for Vacuity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Vacuity::Reached(place) => {
                f.write_str("bounded model checking finds a run to a decision")?;
                match place {
                    Some(place) => write!(f, " on the violation from {place}."),
                    None => f.write_str("."),
                }
            }
            Vacuity::NoCheck => f.write_str("The program has no check of it."),
            Vacuity::Minimized => f.write_str(
                "Minimization has found that no run comes to a decision on a violation.",
            ),
            Vacuity::Followed => {
                f.write_str("All runs were followed, and none comes to a decision on a violation.")
            }
            Vacuity::HoldByText(count) => write!(
                f,
                "the program has {count} checks of it, but each holds by its own text or is in \
                 code that nothing calls"
            ),
            Vacuity::WithinDepth => {
                f.write_str("none is reached within the depth to which recursion was unrolled")
            }
            Vacuity::NotAccepted => f.write_str("a proof of it was not accepted"),
            Vacuity::Stopped(tenths) => write!(
                f,
                "bounded model checking was stopped after {}.{} s",
                tenths / 10,
                tenths % 10
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_violation_is_enough() {
        use Verdict::{Safe, Unknown, Unsafe};
        for verdict in Verdict::ALL {
            assert_eq!(verdict.and(Unsafe), Unsafe);
            assert_eq!(verdict.and(Safe), verdict);
            assert_eq!(Safe.and(verdict), verdict);
        }
        assert_eq!(Unknown.and(Unknown), Unknown);
    }

    #[test]
    fn what_is_printed_is_what_is_written() {
        fn same<T: fmt::Display + Serialize>(all: &[T]) {
            for one in all {
                let written = serde_json::to_string(one).expect("words");
                assert_eq!(written, format!("\"{one}\""));
            }
        }
        same(&Verdict::ALL);
        same(&ProofKind::ALL);
        same(&Unit::ALL);
        same(&VacuityStatus::ALL);
        same(&[EngineName::new("ic3")]);
    }
}
