//! Function summaries: programs proved call by call (\[Fed15\], chapter 2).
//!
//! The program keeps its calls ([`program::procedures`]), and loops are recursion. A formula says what a
//! call does in terms of what it shares with its caller ([`body`], [`unwound`]); the program is unwound as
//! far as a proof or a run needs it ([`search`], Algorithms 1 and 2); from a refutation, interpolants say
//! of each call what the proof needed of it ([`interpolate`]): its *summary*. Summaries stand for calls in
//! later questions ([`search`]), about other assertions or another version ([`upgrade`]). Where summaries
//! are inductive, they hold for calls of any depth ([`inductive`]).
//!
//! | thesis | here |
//! |---|---|
//! | partitioned encoding, `callstart`, error variables (§2.2.2) | [`body`], [`unwound`] |
//! | recursion depth detection (Alg. 1) | [`search`] without summaries |
//! | summaries by tree interpolation (§2.2.5) | [`interpolate`] |
//! | substitution scenarios and refinement (§2.2.6, Alg. 2) | [`search`], [`Refinement`] |
//! | assertion implication relation (§2.2.7, Alg. 3) | [`implication`] |
//! | assertion decomposition (§5.1.2) | `decompose.rs` |
//! | upgrade check (§2.3, Alg. 4) | [`upgrade`] |
//! | properties 2.5 and 2.6 | checked by `certify` |
//!
//! A proof is a graph of summaries ([`Summaries`]), whoever found it. A search that ends at its bound says
//! how far it came, never that the program is safe.
//!
//! \[Fed15\] is G. Fedyukovich: *Incremental Verification* (2015).

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod body;
mod decompose;
pub mod each;
pub mod implication;
pub mod inductive;
pub mod interpolate;
mod prove;
pub mod search;
pub mod settings;
mod slice;
pub mod unwound;
pub mod upgrade;
pub mod vocabulary;

use answer::{Allowance, Reason};
pub use body::Checks;
use body::{Body, Failure};
use la_arena::ArenaMap;
use program::Place;
use program::Property;
use program::cfa::InputId;
use program::procedures::{Interface, ProcedureId, Procedures, Summaries};
use program::program::Reading;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::Solvers;
use std::collections::BTreeSet;
use std::time::Duration;
use term::{Pool, Sort, Term, Value};

/// A check: what must hold, and where.
pub type Check = (Option<Property>, Place);

/// A program as formulas, one a procedure.
pub struct Encoding<'a> {
    /// Where terms live.
    pub pool: &'a Pool,
    /// The program, with recursion in the place of loops.
    pub procedures: &'a Procedures,
    /// What calls and callers share.
    pub interfaces: ArenaMap<ProcedureId, Interface>,
    /// What calls do.
    pub bodies: ArenaMap<ProcedureId, Body>,
    /// Which procedures can be open twice.
    pub recursive: ArenaMap<ProcedureId, bool>,
    /// For each check, the variable that says whether it is asked about.
    asked: FxHashMap<Check, Term>,
    /// All checks, in the order of the procedures.
    pub checks: Vec<Check>,
    /// The variables whose values are signed.
    signed: FxHashSet<Term>,
}

impl<'a> Encoding<'a> {
    /// The formulas of a program.
    ///
    /// Requires: memory is variables, and no procedure has a cycle of edges.
    pub fn new(pool: &'a Pool, procedures: &'a Procedures, options: &Options) -> Self {
        let interfaces = procedures.interfaces(pool);
        let mut bodies = body::bodies(pool, procedures, &interfaces, options.checks);
        if options.slicing {
            slice::slice(pool, procedures, &interfaces, &mut bodies);
        }
        let mut asked: FxHashMap<Check, Term> = FxHashMap::default();
        let mut checks = Vec::new();
        for (_, body) in bodies.iter() {
            for failure in &body.failures {
                let check = (failure.property, failure.place.clone());
                asked.entry(check.clone()).or_insert_with(|| {
                    checks.push(check);
                    pool.fresh_var("asked", Sort::Bool)
                });
            }
        }
        let recursive = procedures.recursive();
        let own = procedures.procedures.values().flat_map(|procedure| &procedure.variables);
        let all = own.map(|(variable, origin)| (variable, origin)).chain(&procedures.globals);
        let signed = all.filter(|(_, origin)| origin.reading == Reading::Signed);
        let signed = signed.map(|(variable, _)| *variable).collect();
        Encoding { pool, procedures, interfaces, bodies, recursive, asked, checks, signed }
    }

    /// Who calls each procedure.
    pub(crate) fn callers(&self) -> FxHashMap<ProcedureId, BTreeSet<ProcedureId>> {
        let mut callers: FxHashMap<ProcedureId, BTreeSet<ProcedureId>> = FxHashMap::default();
        for (caller, body) in self.bodies.iter() {
            for site in &body.sites {
                callers.entry(site.callee).or_default().insert(caller);
            }
        }
        callers
    }

    /// Whether a variable's values are signed.
    pub fn is_signed(&self, variable: Term) -> bool {
        self.signed.contains(&variable)
    }

    /// Whether there is recursion, by loops or by calls.
    pub fn is_recursive(&self) -> bool {
        self.recursive.values().any(|recursive| *recursive)
    }

    /// The variable that says whether a violation is asked about.
    pub(crate) fn asked(&self, failure: &Failure) -> Option<Term> {
        self.asked.get(&(failure.property, failure.place.clone())).copied()
    }

    /// What is true of the variables that say what is asked about.
    pub fn asking(&self, about: &[Check]) -> Vec<Term> {
        let all = self.checks.iter();
        all.map(|check| {
            let asked = self.asked[check];
            if about.contains(check) { asked } else { self.pool.not(asked) }
        })
        .collect()
    }
}

/// How calls are refined that a run comes to and that are not unwound (§2.2.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Refinement {
    /// Those that the run comes to.
    #[default]
    Guided,
    /// All.
    Greedy,
}

/// How a search goes about it.
#[derive(Clone, Debug)]
pub struct Options {
    /// How deep recursion is unwound at first.
    pub depth: usize,
    /// What is unwound when a run is found that need not exist.
    pub refinement: Refinement,
    /// How interpolants are made of a refutation.
    pub interpolation: smt::interpolate::System,
    /// Whether summaries are made and used; without, recursion is unwound as deep as it is needed
    /// (Algorithm 1).
    pub summaries: bool,
    /// Whether summaries are also guessed from the text of the program, and not only read off
    /// refutations.
    pub guesses: bool,
    /// Whether weaker assertions are proved first, so that there are summaries for the stronger ones.
    pub decomposition: bool,
    /// Whether outputs of calls are left out that no check depends on.
    pub slicing: bool,
    /// What runs do where a check fails that is not asked about.
    pub checks: Checks,
    /// How many calls may be unwound.
    pub calls: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            depth: 1,
            refinement: Refinement::Guided,
            interpolation: smt::interpolate::System::McMillan,
            summaries: true,
            guesses: true,
            decomposition: false,
            slicing: true,
            checks: Checks::End,
            calls: 20_000,
        }
    }
}

/// What a search may use.
#[derive(Clone)]
pub struct Means<'a> {
    /// Where solvers come from.
    pub solvers: &'a dyn Solvers,
    /// What they may use.
    pub allowance: Allowance,
}

/// What comes of a search.
#[derive(Clone, Debug)]
pub enum Answer {
    /// No violation is reachable.
    Safe(Summaries),
    /// One is, with these unknown values.
    Unsafe(Vec<(InputId, Value)>),
    /// It is open, and no call deeper than this was looked at.
    Open {
        /// Why.
        reason: Reason,
    },
}

/// What a search did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// Rounds of refinement: questions to the solver.
    pub rounds: usize,
    /// The depth of recursion that was unwound.
    pub depth: usize,
    /// The calls that were unwound.
    pub calls: usize,
    /// The calls of recursive procedures among them.
    pub recursive_calls: usize,
    /// The calls that a summary stood for.
    pub summarized: usize,
    /// How often interpolants were made.
    pub interpolations: usize,
    /// How long that took.
    pub interpolating: Duration,
    /// The weaker assertions that were tried first.
    pub helpers: usize,
    /// The formulas that were found to hold of all calls of a procedure.
    pub inductive: usize,
}

impl Figures {
    /// The figures in words.
    pub fn lines(&self) -> Vec<String> {
        vec![
            format!("{} rounds, recursion to depth {}", self.rounds, self.depth),
            format!(
                "{} calls unwound, {} of recursive functions",
                self.calls, self.recursive_calls
            ),
            format!(
                "{} calls by summaries, {} interpolations, {} formulas that hold of all calls",
                self.summarized, self.interpolations, self.inductive
            ),
        ]
    }
}
