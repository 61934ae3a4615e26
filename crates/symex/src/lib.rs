//! Bounded model checking of programs by symbolic execution.
//!
//! The program itself is executed, with its calls, its objects and its pointers, on terms instead of
//! values; where ways meet they are merged, and at the end one formula says what can go wrong. This is
//! how CBMC works (E. Clarke, D. Kroening, F. Lerda: *A tool for checking ANSI-C programs*, TACAS
//! 2004); what is merged and when follows V. Kuznetsov, J. Kinder, S. Bucur, G. Candea: *Efficient
//! state merging in symbolic execution*, PLDI 2012.
//!
//! | file | |
//! |---|---|
//! | [`mod@execute`], [`call`] | functions, edges, loops; calls |
//! | [`order`] | in which order locations are executed, so that ways meet |
//! | [`path`], [`state`] | path conditions, registers and memory that are shared, forks and merges |
//! | [`object`], [`contents`] | objects, each with cells of the widths that are accessed |
//! | [`mod@pointer`], [`follow`] | which objects an address can be in |
//! | [`outside`] | memory behind pointers from outside, where runs may lead |
//! | [`places`], [`access`] | where in them; loads, stores, copies |
//! | [`written`] | which bytes were written |
//! | [`placement`] | what C promises of addresses, and no more |
//! | [`found`], [`question`] | what may go wrong; the question whether it does |
//! | [`each`] | all that goes wrong in a few steps |
//! | [`mod@runs`] | runs that were found, as models tell them |
//! | [`replay`] | a run that was found, for the interpreter |
//!
//! **Memory.** An address is a term over *bases*, a variable for each object. A constant offset into a
//! known object is a cell of its own, updated in place; an allocation in a loop makes an object each
//! time. Bytes appear only where a program looks at bytes.
//!
//! **Placement.** Nothing is said of where objects lie, so a proof holds for every placement; a run
//! that needs one says which.
//!
//! **Bounds.** Loops whose conditions are constants are executed to their end. Of the others, turns are
//! bounded, by a number that grows until nothing is cut any more or time is over. Where a loop seems to
//! have no end, a small number comes first.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod access;
pub mod call;
pub mod contents;
pub mod each;
pub mod execute;
pub mod follow;
pub mod found;
pub mod object;
pub mod order;
pub mod outside;
pub mod path;
pub mod placement;
pub mod places;
pub mod pointer;
pub mod question;
pub mod replay;
pub mod runs;
pub mod state;
pub mod written;

use answer::{Allowance, Reason};
use execute::{Bounds, Stop, execute};
use found::Why;
use program::{Place, Program, Property};
use question::{Asking, ask};
use replay::Script;
use runs::runs;
use sat::proof::Proof;
use smt::Solvers;
use term::Term;

/// The first bound on turns, and by how much it grows.
const TURNS: (u32, u32) = (32, 4);
/// Bounds on turns that are tried before these where a loop may have no end: many runs go wrong soon.
const FEW: [u32; 3] = [1, 2, 4];
/// A program with more edges than this begins with them: with all that it does in each turn, it takes long
/// to see that a loop goes on and on.
pub const LARGE: usize = 500;
/// The most terms.
const TERMS: usize = 12_000_000;

/// What is known of a program.
pub enum Verdict {
    /// All runs were followed, and none goes wrong.
    Safe {
        /// What was refuted: a formula of the program's pool.
        formula: Term,
        /// The refutation of its clauses.
        proof: Box<Proof>,
        /// The bound on turns that sufficed.
        turns: u32,
        /// A check that some run comes to, if one is known.
        reached: Option<Place>,
    },
    /// A run that goes wrong, and others that fail other checks.
    Unsafe(Vec<Script>),
    /// Neither.
    Unknown(Reason),
}

/// Somebody who wants to know how far an execution is.
pub trait Observer {
    /// The bound on turns that is tried now.
    fn bound(&mut self, turns: u32);

    /// All runs were followed to their ends; now it is asked whether one goes wrong.
    fn followed(&mut self);

    /// A loop goes on and on: perhaps it has no end.
    fn doubtful(&mut self);

    /// Runs are still being followed; said now and then.
    fn going_on(&mut self);
}

impl Observer for () {
    fn bound(&mut self, _: u32) {}

    fn followed(&mut self) {}

    fn doubtful(&mut self) {}

    fn going_on(&mut self) {}
}

/// Decides a program by executing it with growing bounds.
///
/// If `every` check is asked for, and one fails, runs to others that do are looked for too.
///
/// Requires: a deep stack, as calls of the program are calls here.
pub fn decide(
    program: &Program,
    properties: &[Property],
    every: bool,
    allowance: &Allowance,
    solvers: &dyn Solvers,
    observer: &mut dyn Observer,
) -> Verdict {
    decide_from(program, properties, every, None, allowance, solvers, observer)
}

/// The same, beginning with a bound that sufficed for another version: smaller ones would be in vain.
pub fn decide_from(
    program: &Program,
    properties: &[Property],
    every: bool,
    first: Option<u32>,
    allowance: &Allowance,
    solvers: &dyn Solvers,
    observer: &mut dyn Observer,
) -> Verdict {
    let large = program.edges().nth(LARGE).is_some();
    let (mut turns, mut doubts) = match first {
        Some(turns) => (turns, false),
        None if large => (FEW[0], false),
        None => (TURNS.0, true),
    };
    loop {
        observer.bound(turns);
        let bounds = Bounds {
            turns,
            doubts,
            beyond: false,
            outside: true,
            terms: TERMS,
            allowance: allowance.clone(),
        };
        let executed = match execute(program, properties, bounds, solvers.bits(), observer) {
            Ok(executed) => executed,
            Err(Stop::Doubtful) => {
                (turns, doubts) = (FEW[FEW.len() - 1], false);
                continue;
            }
            Err(stop) => return Verdict::Unknown(why(stop)),
        };
        let bounded = executed.found.cuts.iter().any(|cut| cut.why == Why::Bound);
        if !bounded {
            observer.followed();
        }
        match ask(program, &executed, allowance) {
            Ok(Asking::Refuted { formula, proof }) => {
                let reached = executed.found.reached;
                return Verdict::Safe { formula, proof, turns, reached };
            }
            Ok(Asking::Run(script)) => {
                return match runs(program, &executed, *script, every, allowance) {
                    Ok(scripts) => Verdict::Unsafe(scripts),
                    Err(error) => Verdict::Unknown(Reason::GaveUp(error.to_string())),
                };
            }
            Ok(Asking::Cut) => {}
            Ok(Asking::Exhausted(exhausted)) => return Verdict::Unknown(exhausted.into()),
            Err(error) => return Verdict::Unknown(Reason::GaveUp(error.to_string())),
        }
        let more = match FEW.iter().position(|few| *few == turns) {
            Some(number) => Some(FEW.get(number + 1).copied().unwrap_or(TURNS.0)),
            None => turns.checked_mul(TURNS.1),
        };
        let Some(more) = more.filter(|_| bounded) else {
            let open = executed.found.cuts.iter().find(|cut| cut.why != Why::Bound);
            let what = match open {
                Some(cut) => format!("{}: {}", cut.place, cut.why),
                None => "the bound on turns is at its end".to_owned(),
            };
            return Verdict::Unknown(Reason::GaveUp(what));
        };
        turns = more;
    }
}

fn why(stop: Stop) -> Reason {
    match stop {
        Stop::Exhausted(exhausted) => exhausted.into(),
        Stop::Unsupported(what) => Reason::GaveUp(what),
        Stop::Large => Reason::GaveUp("the formulas are too large".to_owned()),
        Stop::Doubtful => Reason::GaveUp("a loop may have no end".to_owned()),
    }
}
