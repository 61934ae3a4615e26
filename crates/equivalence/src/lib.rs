//! Whether two versions of a function give the same outputs for the same inputs.
//!
//! **Which functions.** Those that both versions have with a body: the one that is named, or the
//! *roots*: what no other function calls ([`roots`]).
//!
//! **Inputs** are the parameters, global variables (any values, the same in both; of `main`, their
//! first ones), memory behind pointer parameters, and what functions without a body give
//! ([`foreign`]). Floating-point inputs are finite numbers.
//!
//! **Outputs** are the result, global variables that both versions have, memory behind pointers, and
//! the calls of functions without a body with their arguments, in order. Floats are the same if they
//! are equal as C compares them, or both NaN.
//!
//! **Which runs count.** Those in which both versions end, without undefined behaviour. What one
//! version alone does that is undefined is not called a difference; it is said.
//!
//! A *difference* is a run of both that the interpreter has executed ([`difference`]). A *proof* is a
//! relation between the states of both ([`prove`]).

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod ask;
pub mod difference;
pub mod execute;
pub mod flat;
pub mod foreign;
pub mod inputs;
pub mod observe;
pub mod product;
pub mod prove;
pub mod read;
pub mod relation;
pub mod shape;

use answer::Allowance;
use difference::{Difference, Pair, Tried};
use inputs::{Constants, Inputs};
use observe::Trial;
use program::Program;
use read::Version;
use std::collections::BTreeSet;
use std::time::Duration;
use verify::Rejection;

/// What is known of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// The versions give the same, if what is listed holds.
    Same(Vec<String>),
    /// They do not.
    Different(Box<Difference>),
    /// It is not known, and why.
    Unknown(String),
}

/// A function and what is known of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Its name.
    pub function: String,
    /// What is known.
    pub finding: Finding,
}

/// The functions to compare: both have them, and no other function of the new version calls them.
/// Where others call all of them, those that only functions call which they call themselves.
pub fn roots(old: &Version, new: &Version) -> Vec<String> {
    let functions: BTreeSet<String> =
        old.functions().intersection(&new.functions()).cloned().collect();
    let called = |name: &String| -> BTreeSet<String> {
        let Ok(program) = new.lower(name) else { return BTreeSet::new() };
        let names = program.functions.iter().filter(|(_, f)| f.body.is_some());
        names.map(|(_, f)| f.name.to_string()).filter(|other| other != name).collect()
    };
    let calls: Vec<(String, BTreeSet<String>)> =
        functions.iter().map(|name| (name.clone(), called(name))).collect();
    let reaches = |from: &str, to: &str| {
        calls.iter().any(|(name, called)| name == from && called.contains(to))
    };
    let is_root = |name: &&String| {
        calls.iter().all(|(other, called)| !called.contains(*name) || reaches(name, other))
    };
    functions.iter().filter(is_root).cloned().collect()
}

/// Compares a function.
pub fn compare(
    old: &Version,
    new: &Version,
    function: &str,
    allowance: &Allowance,
) -> Result<Answer, Rejection> {
    let programs = [old.lower(function)?, new.lower(function)?];
    let finding = decide(&programs, function, allowance);
    Ok(Answer { function: function.to_owned(), finding })
}

fn decide(programs: &[Program; 2], function: &str, allowance: &Allowance) -> Finding {
    let unknown = |why: &str| Finding::Unknown(why.to_owned());
    let [old, new] = programs;
    if signature(old, function) != signature(new, function) {
        return unknown("the versions take other parameters, or return something else");
    }
    let (Some(first), Some(second)) = (Trial::new(old, function), Trial::new(new, function)) else {
        return unknown("the function is not called");
    };
    let constants = Constants::of([old, new]);
    let pair = Pair { old: &first, new: &second, constants: &constants };
    let mut tried = Tried::default();
    let first_look = allowance.within(allowance.share(0.15, Duration::from_secs(3)));
    pair.search(0..2_000, &first_look, &mut tried);
    if let Some(difference) = tried.difference {
        return Finding::Different(Box::new(difference));
    }
    let share = allowance.within(allowance.share(0.8, Duration::from_secs(60)));
    let proof = prove::prove(programs, function, &share);
    if let Some(assumptions) = proof.proved {
        if let Some((property, _)) = &tried.undefined
            && property.is_fatal()
        {
            return Finding::Unknown(why(&tried));
        }
        return Finding::Same(assumptions);
    }
    for (number, hint) in (0..).zip(&proof.hints) {
        let fixed = hint.iter().cloned().collect();
        pair.attempt(&Inputs { seed: number, fixed }, allowance, &mut tried);
        if let Some(difference) = tried.difference {
            return Finding::Different(Box::new(difference));
        }
    }
    pair.search(2_000..1_000_000, allowance, &mut tried);
    if let Some(difference) = tried.difference {
        return Finding::Different(Box::new(difference));
    }
    Finding::Unknown(why(&tried))
}

/// Why nothing is known.
fn why(tried: &Tried) -> String {
    match (&tried.undefined, tried.rounding) {
        (_, true) => "results differ, perhaps by rounding alone".to_owned(),
        (Some((property, inputs)), _) => {
            let inputs: Vec<String> = inputs.iter().map(|(n, v)| format!("{n} = {v}")).collect();
            let inputs = inputs.join(", ");
            format!("no proof; the new version violates {property} where {inputs}")
        }
        (None, false) => format!("no proof, and no difference in {} runs", tried.runs),
    }
}

/// The sorts of parameters and results.
fn signature(program: &Program, function: &str) -> Option<(Vec<term::Sort>, Vec<term::Sort>)> {
    let mut named =
        program.functions.iter().filter(|(_, f)| *f.name == *function && f.body.is_some());
    let (_, entry) = named.next()?;
    let sorts = |ids: &[program::program::VariableId]| {
        ids.iter().map(|id| program.variables[*id].sort).collect::<Vec<_>>()
    };
    Some((sorts(&entry.parameters), sorts(&entry.results)))
}
