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

pub mod annotation;
pub mod ask;
pub mod difference;
pub mod execute;
pub mod flat;
pub mod floats;
pub mod foreign;
pub mod guess;
pub mod harness;
pub mod inputs;
pub mod linear;
pub mod observe;
pub mod product;
pub mod progress;
pub mod prove;
pub mod read;
pub mod relation;
pub mod shape;

use annotation::{Annotations, Outputs};
use answer::Allowance;
use difference::{Difference, Pair, Tried};
use inputs::{Constants, Inputs};
use observe::Trial;
use program::Program;
use read::Version;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use term::traverse::substitute;
use term::{Pool, Term, Value};
use verify::Rejection;

/// What is known of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// The versions give the same, if what is listed holds.
    Same(Vec<String>),
    /// There is no run of both versions that counts.
    Nothing,
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

/// Compares functions: first, both versions are executed on many inputs; then proofs are looked for. A
/// difference is enough. Where no run of a function counts, what it calls is compared, too.
pub fn compare(
    old: &Version,
    new: &Version,
    functions: &[String],
    allowance: &Allowance,
) -> Result<Vec<Answer>, Rejection> {
    let annotations = Annotations::read([old.text(), new.text()]);
    let mut functions = functions.to_vec();
    let mut subjects = Vec::new();
    while let Some(function) = functions.get(subjects.len()).cloned() {
        let programs = [old.lower(&function)?, new.lower(&function)?];
        let mut subject = Subject::new(&function, programs, &annotations);
        let time = allowance.share(0.2, Duration::from_secs(6)) / functions.len() as u32;
        subject.look(0..3_000, &allowance.within(time));
        if let Some(difference) = subject.tried.difference.take() {
            let finding = Finding::Different(Box::new(difference));
            return Ok(vec![Answer { function, finding }]);
        }
        if subject.trials.is_some() && subject.tried.runs == 0 {
            let called = subject.called().into_iter().filter(|name| !functions.contains(name));
            functions.extend(called.collect::<Vec<_>>());
        }
        subjects.push(subject);
    }
    let mut answers = Vec::new();
    for (number, subject) in subjects.iter_mut().enumerate() {
        // Each of those that are left gets its part of the time that is left.
        let share = 0.95 / (functions.len() - number) as f64;
        let left = allowance.left().map(|left| allowance.within(left.mul_f64(share)));
        let finding = subject.decide(&left.unwrap_or_else(|| allowance.clone()));
        let answer = Answer { function: subject.function.clone(), finding };
        if matches!(answer.finding, Finding::Different(_)) {
            return Ok(vec![answer]);
        }
        answers.push(answer);
    }
    Ok(answers)
}

/// A function of both versions.
struct Subject<'a> {
    function: String,
    programs: [Program; 2],
    trials: Option<[Trial; 2]>,
    constants: Constants,
    annotations: &'a Annotations,
    tried: Tried,
}

impl<'a> Subject<'a> {
    fn new(function: &str, programs: [Program; 2], annotations: &'a Annotations) -> Subject<'a> {
        let constants = Constants::of([&programs[0], &programs[1]]);
        let trials = Trial::new(&programs[0], function).zip(Trial::new(&programs[1], function));
        let same = signature(&programs[0], function) == signature(&programs[1], function);
        let trials = trials.filter(|_| same).map(|(old, new)| [old, new]);
        let (function, tried) = (function.to_owned(), Tried::default());
        Subject { function, programs, trials, constants, annotations, tried }
    }

    /// The functions that both versions call, with a body.
    fn called(&self) -> BTreeSet<String> {
        let [old, new] = [&self.programs[0], &self.programs[1]].map(|program| {
            let defined = program.functions.iter().filter(|(id, f)| {
                *id != program.start && f.body.is_some() && *f.name != *self.function
            });
            defined.map(|(_, f)| f.name.to_string()).collect::<BTreeSet<String>>()
        });
        old.intersection(&new).cloned().collect()
    }

    /// Executes both versions.
    fn look(&mut self, seeds: std::ops::Range<u64>, allowance: &Allowance) {
        self.with_pair(false, |pair, tried| pair.search(seeds, allowance, tried));
    }

    fn with_pair(&mut self, wraps: bool, act: impl FnOnce(&Pair<'_>, &mut Tried)) {
        let Some([old, new]) = &self.trials else { return };
        let pool = Pool::new();
        let parameters = &self.programs[0].functions;
        let mut entry = parameters.iter().map(|(_, f)| f);
        let entry = entry.find(|f| *f.name == *self.function && f.body.is_some());
        let inputs = entry.into_iter().flat_map(|entry| entry.parameters.iter().enumerate());
        let inputs: Vec<(String, Term)> = inputs
            .map(|(number, id)| {
                let name = format!("#{number}");
                let term = pool.var(&name, self.programs[0].variables[*id].sort);
                (name, term)
            })
            .collect();
        let known = prove::parameters(&self.programs, &self.function, &inputs);
        let (formula, whole) = self.annotations.formula(&pool, &known);
        let claims = whole && self.annotations.outputs != Outputs::Other;
        let counts = |values: &BTreeMap<String, Value>| {
            let held = inputs
                .iter()
                .filter_map(|(name, term)| Some((*term, pool.constant(values.get(name)?.clone()))));
            let formula = substitute(&pool, formula, held);
            // What is left is about pointers, whose objects lie anywhere.
            claims && pool.as_bool(formula) != Some(false)
        };
        let result_only = self.annotations.outputs == Outputs::Result;
        let constants = &self.constants;
        let pair = Pair { old, new, constants, counts: &counts, result_only, wraps };
        act(&pair, &mut self.tried);
    }

    fn decide(&mut self, allowance: &Allowance) -> Finding {
        if self.trials.is_none() {
            let why = "the versions take other parameters, or return something else";
            return Finding::Unknown(why.to_owned());
        }
        let share = allowance.within(allowance.share(0.85, Duration::from_secs(600)));
        let proof = prove::prove(&self.programs, &self.function, self.annotations, &share);
        if let Some(assumptions) = proof.proved {
            return match &self.tried.undefined {
                Some((property, _)) if property.is_fatal() => Finding::Unknown(why(&self.tried)),
                _ if proof.nothing && self.tried.runs == 0 => Finding::Nothing,
                // Runs have shown what a proof excludes: they are of values that it takes otherwise.
                _ if proof.nothing => Finding::Unknown(why(&self.tried)),
                _ => Finding::Same(assumptions),
            };
        }
        self.with_pair(false, |pair, tried| {
            for (number, hint) in (0..).zip(&proof.hints) {
                let fixed = hint.iter().cloned().collect();
                pair.attempt(&Inputs { seed: number, fixed }, allowance, tried);
            }
            let share = allowance.within(allowance.share(0.5, Duration::from_secs(600)));
            pair.search(3_000..20_000, &share, tried);
        });
        // Where signed arithmetic overflows in nearly all runs, those count in which it wraps around.
        if self.tried.runs * 10 <= self.tried.overflowed {
            self.with_pair(true, |pair, tried| {
                for (number, hint) in (0..).zip(&proof.hints) {
                    let fixed = hint.iter().cloned().collect();
                    pair.attempt(&Inputs { seed: number, fixed }, allowance, tried);
                }
                pair.search(0..20_000, allowance, tried);
            });
        }
        match self.tried.difference.take() {
            Some(difference) => Finding::Different(Box::new(difference)),
            None => Finding::Unknown(why(&self.tried)),
        }
    }
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
