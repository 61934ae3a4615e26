//! What is known in the end: an answer for each goal, with its evidence.

use crate::board::Board;
use crate::known::Knowledge;
use crate::schedule::Workers;
use crate::task::Registers;
use answer::{EngineName, ProofKind, Reason, Vacuity, Verdict};
use circuit::{Clause, Trace};
use program::checks::Check;
use program::counterexample::Counterexample;
use program::procedures::{Procedures, Summaries};
use program::program::Assumption;
use program::verdict::Invariant;
use program::{Cfa, Place};
use std::fmt;
use std::sync::Arc;

/// What became of a question.
#[derive(Debug)]
pub struct Outcome {
    /// One for each goal, in the order of the goals; of a program whose checks were asked about one by
    /// one, one for each that fails, one for each proof, and one for what is open.
    pub answers: Vec<Answer>,
    /// The checks of a program, if they were asked about one by one: what fails, what is open, what no
    /// run comes to, what holds.
    pub checks: Vec<Checked>,
    /// What the answers rest on beside the text of the program, without repetitions.
    pub assumptions: Vec<Assumption>,
    /// From the beginning to the end, in seconds.
    pub seconds: f64,
    /// What later questions may begin with, if that was asked for.
    pub learned: Vec<Knowledge>,
    /// The models and engines on the way.
    pub board: Board,
    /// Threads that have been told to end; dropping waits for them.
    pub workers: Workers,
}

impl Outcome {
    /// All answers together.
    pub fn verdict(&self) -> Verdict {
        let verdicts = self.answers.iter().map(|answer| answer.finding.verdict());
        verdicts.fold(Verdict::Safe, Verdict::and)
    }

    /// Why it is unknown, if it is.
    pub fn reason(&self) -> Option<&Reason> {
        if self.verdict() != Verdict::Unknown {
            return None;
        }
        self.answers.iter().find_map(|answer| match &answer.finding {
            Finding::Unknown(reason) => Some(reason),
            _ => None,
        })
    }
}

/// A check, and what is known of it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The check.
    pub check: Check,
    /// The function that it stands in.
    pub function: Arc<str>,
    /// Whether it is of an access that nobody would expect to fail.
    pub plain: bool,
    /// What is known.
    pub status: Status,
    /// The number of the answer with the evidence.
    pub answer: Option<usize>,
}

/// What is known of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// A run fails it.
    Unsafe,
    /// Nobody knows, and why.
    Unknown(Reason),
    /// No run comes to it.
    Unreachable,
    /// No run fails it.
    Safe,
}

impl Status {
    /// How important it is to be told: the least first.
    pub fn rank(&self) -> usize {
        match self {
            Status::Unsafe => 0,
            Status::Unknown(_) => 1,
            Status::Unreachable => 2,
            Status::Safe => 3,
        }
    }

    /// In a word.
    pub fn word(&self) -> &'static str {
        match self {
            Status::Unsafe => "unsafe",
            Status::Unknown(_) => "unknown",
            Status::Unreachable => "unreachable",
            Status::Safe => "safe",
        }
    }
}

/// What a goal is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// One check of a program.
    Check(Check),
    /// All properties of a program, by their names.
    Properties(Vec<&'static str>),
    /// That a run comes to a place of a program. The answer is `unsafe` if none does.
    Place {
        /// The place.
        place: Place,
        /// The function, if the place is its beginning.
        function: Arc<str>,
        /// Whether it is the beginning of its function.
        whole: bool,
    },
    /// A bad property of a circuit.
    Bad {
        /// Its number.
        number: usize,
        /// Its number and name, as they are shown.
        name: String,
    },
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Check(check) => write!(f, "{} {}", check.place, check.property),
            Goal::Properties(names) => f.write_str(&names.join(",")),
            Goal::Place { place, .. } => write!(f, "dead-code {place}"),
            Goal::Bad { name, .. } => f.write_str(name),
        }
    }
}

/// What is known of a goal.
#[derive(Debug)]
pub struct Answer {
    /// The goal.
    pub goal: Goal,
    /// What was found.
    pub finding: Finding,
    /// Who found it.
    pub engine: Option<EngineName>,
    /// When the evidence was there, in seconds since the beginning.
    pub solving: f64,
    /// How long the check of the evidence took; nothing if there was none.
    pub check: Option<f64>,
    /// Whether a proof says something, if that was asked for or is plain.
    pub vacuity: Option<Vacuity>,
}

impl Answer {
    /// An answer that somebody gave.
    pub(crate) fn new(goal: Goal, finding: Finding) -> Answer {
        Answer { goal, finding, engine: None, solving: 0.0, check: None, vacuity: None }
    }
}

/// What was found of a goal. Evidence has been accepted.
#[derive(Debug)]
pub enum Finding {
    /// There is a proof.
    Safe(Proved),
    /// There is a run.
    Unsafe(Violation),
    /// It is open, and why.
    Unknown(Reason),
}

impl Finding {
    /// Without the evidence.
    pub fn verdict(&self) -> Verdict {
        match self {
            Finding::Safe(_) => Verdict::Safe,
            Finding::Unsafe(_) => Verdict::Unsafe,
            Finding::Unknown(_) => Verdict::Unknown,
        }
    }
}

/// The verdict, with the reason where there is none.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Unknown(reason) => write!(f, "unknown ({reason})"),
            finding => write!(f, "{}", finding.verdict()),
        }
    }
}

/// An accepted proof.
#[derive(Debug)]
pub struct Proved {
    /// Its kind.
    pub kind: ProofKind,
    /// Of k-induction.
    pub k: Option<usize>,
    /// The number of its formulas or clauses.
    pub size: Option<usize>,
    /// What holds, if it is an invariant.
    pub invariant: Option<Held>,
}

impl Proved {
    /// A proof of a kind, of which nothing else is told.
    pub(crate) fn of_kind(kind: ProofKind) -> Proved {
        Proved { kind, k: None, size: None, invariant: None }
    }
}

/// An invariant, and what it is of.
#[derive(Debug)]
pub enum Held {
    /// Of the automaton of a program, before minimization; terms are of the program's pool.
    Automaton(Box<Cfa>, Invariant),
    /// Of the calls of a program; terms are of the program's pool.
    Procedures(Box<Procedures>, Summaries),
    /// Of the latches of a circuit.
    Latches(Vec<Clause>),
    /// Relations for the predicates of Horn clauses; terms are of the task's pool.
    Relations(horn::Model),
}

/// A replayed run into a violation.
#[derive(Debug)]
pub enum Violation {
    /// Of a program.
    Program {
        /// The run as the interpreter saw it.
        run: Box<Counterexample>,
        /// The variables on which it can depend, if that was asked for.
        matter: Option<Registers>,
    },
    /// Of a circuit.
    Circuit(Trace),
    /// Of Horn clauses, a derivation of `false`.
    Derivation(Box<horn::Refutation>),
    /// Nothing runs: no run comes to a place.
    Dead(Dead),
}

/// How code is known to be dead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dead {
    /// There is a proof that no run comes there.
    Proved,
    /// All ways there lead over a place that is dead.
    Behind,
    /// Nothing refers to the function.
    Unused,
}
