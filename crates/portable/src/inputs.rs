//! The unknown values of a failing run, for another version.
//!
//! A run is determined by the unknown values that it takes. Those of one version are given to another by
//! what asks for them (which `nondet` function, in which function of the program), in order; where the
//! other version asks for more, it gets zero. Whether that run fails, the interpreter says.

use program::counterexample::Taken;
use program::interpret::{Branch, Fixed, Oracle, Request};
use program::program::Cause;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use term::print::value_to_string;
use term::{Pool, Sort, Value, smtlib};

/// The most values that are kept of a run.
const MOST: usize = 100_000;

/// Unknown values in the order in which a run took them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Inputs {
    /// The values.
    pub taken: Vec<Input>,
}

/// An unknown value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// Who asked for it.
    pub asked_by: Asker,
    /// The value as an SMT-LIB term.
    pub value: String,
}

/// Who asks for a value: why it is unknown, and in which function.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Asker {
    /// In a word.
    pub why: String,
    /// The function that gives the value, if it has a name.
    pub name: Option<String>,
}

impl Asker {
    fn of(cause: &Cause) -> Asker {
        let (why, name) = cause.words();
        Asker { why: why.to_owned(), name: name.map(str::to_owned) }
    }
}

impl Inputs {
    /// Of a run; none if it took too many to keep.
    pub fn of(pool: &Pool, taken: &[Taken]) -> Option<Inputs> {
        let input = |taken: &Taken| Input {
            asked_by: Asker::of(&taken.cause),
            value: value_to_string(pool, &taken.value),
        };
        (taken.len() <= MOST).then(|| Inputs { taken: taken.iter().map(input).collect() })
    }

    /// An oracle that gives these values.
    pub fn oracle(&self, pool: &Pool) -> Remembered {
        let mut values: FxHashMap<Asker, VecDeque<(Sort, Value)>> = FxHashMap::default();
        for input in &self.taken {
            if let Some(value) = read(pool, &input.value) {
                values.entry(input.asked_by.clone()).or_default().push_back(value);
            }
        }
        Remembered { values, otherwise: Fixed::default() }
    }
}

/// A value that was written as a term, with its sort.
fn read(pool: &Pool, text: &str) -> Option<(Sort, Value)> {
    let script = smtlib::parse(pool, format!("(get-value ({text}))").as_bytes()).ok()?;
    let term = script.commands.iter().find_map(|located| match &located.command {
        smtlib::Command::GetValue(terms) => terms.first().map(|written| written.term),
        _ => None,
    })?;
    Some((pool.sort(term), pool.value(term)?.clone()))
}

/// Gives the values of an earlier run, then zero.
#[derive(Clone)]
pub struct Remembered {
    values: FxHashMap<Asker, VecDeque<(Sort, Value)>>,
    otherwise: Fixed,
}

impl Oracle for Remembered {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let remembered =
            self.values.get_mut(&Asker::of(request.cause)).and_then(VecDeque::pop_front);
        match remembered {
            Some((sort, value)) if sort == request.sort => Some(value),
            _ => self.otherwise.value(request),
        }
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        self.otherwise.choose(branch)
    }
}
