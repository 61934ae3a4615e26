//! What is known of a goal.

use answer::{EngineName, Exhausted, ProofKind, Reason, Unit};
use program::Place;

/// What is known of a goal.
#[derive(Clone, Debug)]
pub enum Status {
    /// Runs show it.
    Covered(Evidence),
    /// No run shows it.
    Infeasible(Exclusion),
    /// Nobody knows.
    Open(Open),
    /// The project says why it need not be shown.
    Justified {
        /// Why.
        reason: String,
        /// What is known otherwise: that no run shows it, or nothing.
        infeasible: bool,
    },
}

impl Status {
    /// In a word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Status::Covered(_) => "covered",
            Status::Infeasible(_) => "infeasible",
            Status::Open(_) => "open",
            Status::Justified { .. } => "justified",
        }
    }
}

/// Where in the suite a goal is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The vector, by its number in the suite; none has it if no suite was asked for.
    pub vector: usize,
    /// The cycle of the vector in which it happens, from zero.
    pub cycle: usize,
    /// Of a decision, the truth values of its conditions, as bits.
    pub values: u64,
}

/// How runs show a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// A run does what is asked for.
    Run(Witness),
    /// Two evaluations of a decision, in which the condition is true and false.
    Pair(Witness, Witness),
}

impl Evidence {
    /// The witnesses.
    pub fn witnesses(&self) -> impl Iterator<Item = &Witness> {
        match self {
            Evidence::Run(run) => [Some(run), None],
            Evidence::Pair(yes, no) => [Some(yes), Some(no)],
        }
        .into_iter()
        .flatten()
    }
}

/// How it is known that no run shows a goal.
#[derive(Clone, Debug)]
pub struct Exclusion {
    /// How.
    pub how: How,
    /// The accepted proof that it rests on; none if the text of the program says it.
    pub proof: Option<Proof>,
    /// Where runs were seen to end before, because of undefined behaviour, and what it was.
    pub ends: Option<(Place, String)>,
}

/// How it is known that no run shows a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// There is a proof that it is not reached.
    Proved,
    /// The condition is known to be constant when the program is translated.
    Constant,
    /// Nothing refers to the function.
    Unused,
    /// No way leads there.
    NoWay,
    /// The decision is never evaluated, or not reached with this condition.
    Unreached,
    /// The condition never has one of its values.
    OneValue,
    /// The condition has both values, but no pair of evaluations that runs can make shows that it decides
    /// by itself.
    NoPair,
}

impl How {
    /// All of them.
    pub const ALL: [How; 7] = [
        How::Proved,
        How::Constant,
        How::Unused,
        How::NoWay,
        How::Unreached,
        How::OneValue,
        How::NoPair,
    ];

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            How::Proved => "proved",
            How::Constant => "constant",
            How::Unused => "unused",
            How::NoWay => "no-way",
            How::Unreached => "unreached",
            How::OneValue => "one-value",
            How::NoPair => "no-pair",
        }
    }

    /// In words.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            How::Proved => "no run does this",
            How::Constant => "the condition is constant",
            How::Unused => "nothing refers to the function",
            How::NoWay => "no way leads there",
            How::Unreached => "no run evaluates it",
            How::OneValue => "the condition never has both values",
            How::NoPair => "no pair of evaluations shows it",
        }
    }
}

/// An accepted proof.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Who found it.
    pub engine: EngineName,
    /// Its kind.
    pub kind: ProofKind,
    /// Of k-induction.
    pub k: Option<usize>,
    /// The number of its formulas.
    pub size: Option<usize>,
    /// How many questions it answers.
    pub questions: usize,
    /// What holds, as formulas of the program, if that was asked for.
    pub invariant: Vec<String>,
}

/// How far it got.
#[derive(Clone, PartialEq, Debug)]
pub struct Open {
    /// Why there is no answer.
    pub reason: Reason,
    /// How far engines came that were asked about it last: so many of what each counts.
    pub reached: Vec<(EngineName, u64, Unit)>,
    /// Of a pair, whether one of its evaluations was shown.
    pub half: bool,
}

impl Open {
    /// Nothing is known when the search is ended.
    #[must_use]
    pub fn stopped(by: Exhausted) -> Open {
        Open { reason: Reason::Stopped(by), reached: Vec::new(), half: false }
    }
}
