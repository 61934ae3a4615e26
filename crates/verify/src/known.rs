//! What a question has taught, and what another one may begin with.
//!
//! A question hands out what it found ([`Outcome::learned`]); a later one, about the same program or its
//! next version, is given it ([`Settings::known`]). Nothing of it is believed: formulas are candidates
//! for a proof that is checked like any other, inputs are executed. What is written down is in the words
//! of [`portable`].
//!
//! [`Outcome::learned`]: crate::Outcome::learned
//! [`Settings::known`]: crate::question::Settings::known

use crate::code::encode::{FIRST_DEPTH, Scope};
use portable::{Calls, Clauses, Inputs, Lemmas, Relations, Stimulus};
use serde::{Deserialize, Serialize};

/// What a run has found that later ones may begin with.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Knowledge {
    /// Formulas of an automaton: a proof, or what a search had come to.
    Lemmas {
        /// How the program was modelled.
        extent: Extent,
        /// The sum of the program that they are about ([`portable::difference::Signatures::sum`]): of the
        /// very same program they are tried first, and with patience.
        #[serde(default)]
        form: u64,
        /// How many seconds it took to find them where nothing was known: what it is worth to try them.
        worth: f64,
        /// How many of these the check of the proof took.
        #[serde(default)]
        check: f64,
        /// The engine that found them, if it is known: it may be the best here too.
        #[serde(default)]
        engine: Option<String>,
        /// The formulas.
        lemmas: Lemmas,
    },
    /// Summaries that proved a program call by call.
    Summaries {
        /// The sum of the program, as of lemmas.
        form: u64,
        /// How many seconds it took to find them, and to check them.
        worth: f64,
        /// See `worth`.
        check: f64,
        /// The summaries.
        calls: Calls,
    },
    /// Relations that solve the clauses that a program's procedures stand for.
    Relations {
        /// The sum of the program, as of lemmas.
        form: u64,
        /// How many seconds it took to find them, and to check them.
        worth: f64,
        /// See `worth`.
        check: f64,
        /// The relations.
        relations: Relations,
    },
    /// Of the checks that hold, those that no run comes to.
    Unreachable {
        /// The sum of the program, as of lemmas.
        form: u64,
        /// Their numbers in the table of checks.
        checks: Vec<usize>,
        /// How many checks the table has.
        of: usize,
    },
    /// Who decided, perhaps with evidence that is not kept: a refutation of all runs is sooner found anew.
    Finder {
        /// The engine.
        engine: String,
        /// How many seconds it took until the answer was there.
        seconds: f64,
        /// How far it came, in its unit, if that is known.
        #[serde(default)]
        reached: Option<u64>,
        /// The sum of the program, as of lemmas, if that is known.
        #[serde(default)]
        form: Option<u64>,
    },
    /// Unknown values with which a run failed.
    Inputs(Inputs),
    /// Clauses over the latches of a circuit.
    Clauses(Clauses),
    /// Values with which a circuit failed.
    Stimulus(Stimulus),
}

/// How long formulas are tried that somebody has guessed, in seconds, if there is that much time.
const GUESS: f64 = 60.0;

impl Knowledge {
    /// Formulas that may hold of the program's first model, as somebody has guessed.
    pub fn guessed(lemmas: Lemmas) -> Knowledge {
        let (depth, scope) = (FIRST_DEPTH, Scope::Fitting);
        let extent = Extent { depth, scope, unplaced: false, beyond_null: false };
        let (worth, check) = (GUESS, GUESS);
        Knowledge::Lemmas { extent, form: 0, worth, check, engine: None, lemmas }
    }

    /// Whether it is what a search without an end had come to.
    pub fn is_unfinished(&self) -> bool {
        match self {
            Knowledge::Lemmas { lemmas, .. } => !lemmas.proof,
            Knowledge::Clauses(clauses) => clauses.clauses.iter().any(|c| c.frame.is_some()),
            Knowledge::Inputs(_)
            | Knowledge::Stimulus(_)
            | Knowledge::Finder { .. }
            | Knowledge::Summaries { .. }
            | Knowledge::Relations { .. }
            | Knowledge::Unreachable { .. } => false,
        }
    }
}

/// Of what automaton something is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Extent {
    /// How deep recursion was unrolled.
    pub depth: u32,
    /// What was modelled.
    pub scope: Scope,
    /// Whether it is that of the program that sees nothing of where objects lie.
    pub unplaced: bool,
    /// Whether it is that of the program whose pointers that are always null may be anything.
    #[serde(default)]
    pub beyond_null: bool,
}
