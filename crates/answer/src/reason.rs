//! Why there is no answer, as data.
//!
//! Whoever wants to act on a reason matches on it; whoever wants to show it prints it. The words are
//! here and nowhere else.

use crate::allowance::Exhausted;
use crate::place::Place;
use crate::verdict::EngineName;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a question is open.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A limit, or somebody who wanted an end.
    Stopped(Exhausted),
    /// A proof was found, and a limit came before the end of its check.
    Unchecked(Exhausted),
    /// Nothing is found as objects are placed here, which are some places of many, and the program
    /// looks at them.
    Placement(Place),
    /// Runs end at the dereference of a pointer that is always null; what comes behind it is open.
    AlwaysNull(Place),
    /// The run found takes a value that its source need not give.
    Approximated {
        /// What gives the value.
        source: String,
    },
    /// The run found depends on memory that nothing has written.
    Unwritten,
    /// The run found does what the language leaves undefined.
    Undefined {
        /// Where.
        place: Place,
        /// What.
        fault: String,
    },
    /// The replay of the run found was stopped.
    ReplayStopped {
        /// By what.
        by: String,
    },
    /// Recursion is deeper than it was unrolled.
    Recursion {
        /// How many open calls of one function there was room for.
        depth: u32,
    },
    /// Calls that were inlined make too large a model.
    ModelSize {
        /// The call that went beyond.
        place: Place,
        /// How many edges there may be.
        limit: usize,
    },
    /// There is no violation within so many steps, and more are not asked for.
    Bound(usize),
    /// The property is not k-inductive for any k that was asked for.
    NotInductive {
        /// The largest k.
        k: usize,
    },
    /// The run that an engine found in its own model is none of the program.
    NoRun,
    /// The program is too large, or of a kind that an engine can't take.
    Unsupported {
        /// In words.
        what: String,
    },
    /// A solver or an engine gave up; its own words.
    GaveUp(String),
    /// Nobody had anything to say.
    NoEngine,
    /// Of many places, so many are open.
    OpenPlaces(usize),
    /// Why one engine gave no answer, where it is worth to be named.
    Of {
        /// The engine.
        engine: EngineName,
        /// Why.
        reason: Box<Reason>,
    },
}

impl Reason {
    /// The reason itself, without the engine that had it.
    pub fn root(&self) -> &Reason {
        match self {
            Reason::Of { reason, .. } => reason.root(),
            reason => reason,
        }
    }

    /// What was used up, if that is the reason, also of a check.
    pub fn exhausted(&self) -> Option<Exhausted> {
        match self.root() {
            Reason::Stopped(what) | Reason::Unchecked(what) => Some(*what),
            _ => None,
        }
    }

    /// The same, said of an engine.
    pub fn of(self, engine: &EngineName) -> Reason {
        Reason::Of { engine: engine.clone(), reason: Box::new(self) }
    }
}

impl Reason {
    /// One of each kind, in the order of the kinds: for whoever must have something to say of every
    /// reason.
    pub fn samples() -> Vec<Reason> {
        let place = Place { file: "a.c".into(), line: 3, column: 7 };
        vec![
            Reason::Stopped(Exhausted::Time),
            Reason::Unchecked(Exhausted::Memory),
            Reason::Placement(place.clone()),
            Reason::AlwaysNull(place.clone()),
            Reason::Approximated { source: "sin".to_owned() },
            Reason::Unwritten,
            Reason::Undefined { place: place.clone(), fault: "a division by zero".to_owned() },
            Reason::ReplayStopped { by: "a loop without end".to_owned() },
            Reason::Recursion { depth: 4 },
            Reason::ModelSize { place, limit: 9 },
            Reason::Bound(7),
            Reason::NotInductive { k: 7 },
            Reason::NoRun,
            Reason::Unsupported { what: "floats".to_owned() },
            Reason::GaveUp("tired".to_owned()),
            Reason::NoEngine,
            Reason::OpenPlaces(3),
            Reason::Unwritten.of(&EngineName::new("bmc")),
        ]
    }
}

impl From<Exhausted> for Reason {
    fn from(what: Exhausted) -> Self {
        Reason::Stopped(what)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Stopped(what) => write!(f, "{what}"),
            Reason::Unchecked(what) => write!(f, "{what} while the proof was checked"),
            Reason::Placement(place) => {
                write!(f, "no violation as objects are placed here, but {place} looks at addresses")
            }
            Reason::AlwaysNull(place) => write!(
                f,
                "no violation as far as runs get: {place} dereferences a pointer that is always \
                 null"
            ),
            Reason::Approximated { source } => {
                write!(f, "the run found takes a value that {source} need not give")
            }
            Reason::Unwritten => {
                f.write_str("the run found depends on memory that nothing has written")
            }
            Reason::Undefined { place, fault } => {
                write!(f, "the run found is undefined at {place}: {fault}")
            }
            Reason::ReplayStopped { by } => {
                write!(f, "the replay of the run was stopped: {by}")
            }
            Reason::Recursion { depth } => write!(f, "recursion is deeper than {depth} calls"),
            Reason::ModelSize { place, limit } => {
                write!(f, "{place}: calls inlined here make the model larger than {limit} edges")
            }
            Reason::Bound(steps) => write!(f, "no violation within {steps} steps"),
            Reason::NotInductive { k } => write!(f, "not {k}-inductive"),
            Reason::NoRun => {
                f.write_str("the run found in the engine's model is none of the program")
            }
            Reason::Unsupported { what } | Reason::GaveUp(what) => f.write_str(what),
            Reason::NoEngine => f.write_str("no engine has found an answer"),
            Reason::OpenPlaces(1) => f.write_str("1 place is open"),
            Reason::OpenPlaces(count) => write!(f, "{count} places are open"),
            Reason::Of { engine, reason } => write!(f, "{engine}: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of a kind, from 0 on.
    fn kind(reason: &Reason) -> usize {
        // A new kind gets the next number, and a sample.
        match reason {
            Reason::Stopped(_) => 0,
            Reason::Unchecked(_) => 1,
            Reason::Placement(_) => 2,
            Reason::AlwaysNull(_) => 3,
            Reason::Approximated { .. } => 4,
            Reason::Unwritten => 5,
            Reason::Undefined { .. } => 6,
            Reason::ReplayStopped { .. } => 7,
            Reason::Recursion { .. } => 8,
            Reason::ModelSize { .. } => 9,
            Reason::Bound(_) => 10,
            Reason::NotInductive { .. } => 11,
            Reason::NoRun => 12,
            Reason::Unsupported { .. } => 13,
            Reason::GaveUp(_) => 14,
            Reason::NoEngine => 15,
            Reason::OpenPlaces(_) => 16,
            Reason::Of { .. } => 17,
        }
    }

    #[test]
    fn every_kind_has_one_sample() {
        let kinds: Vec<usize> = Reason::samples().iter().map(kind).collect();
        assert_eq!(kinds, (0..18).collect::<Vec<_>>());
    }

    #[test]
    fn reasons_survive_being_written() {
        for reason in Reason::samples() {
            let text = serde_json::to_string(&reason).expect("plain data");
            let read: Reason = serde_json::from_str(&text).expect("what was written");
            assert_eq!(read, reason);
        }
    }

    #[test]
    fn the_root_is_what_was_used_up() {
        let reason = Reason::Unchecked(Exhausted::Time).of(&EngineName::new("bmc"));
        assert_eq!(reason.exhausted(), Some(Exhausted::Time));
        assert_eq!(reason.to_string(), "bmc: time limit while the proof was checked");
        assert_eq!(Reason::NoRun.exhausted(), None);
    }
}
