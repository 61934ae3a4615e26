//! Bounded model checking of control-flow automata.
//!
//! Runs are followed edge by edge from the initial location, all at once: at each depth every
//! location that can be reached has one symbolic state ([`unroll`]). Values are folded on the
//! way, so a loop over constants costs no question. After each step the solver says whether the
//! error location is reached; where time allows it is also asked which locations can't be
//! reached at this depth after all. When none is left, every run has been followed to its end,
//! and the program is safe.

mod unroll;

use crate::Observer;
use ::program::verdict::{Proof, Reason, Run, Verdict};
use ::program::{Cfa, cfa::LocationId};
use smt::{Answer, Error, Interrupt, Limits, Native, Solver, native};
use std::time::{Duration, Instant};
use term::{Pool, Term, Value};
use unroll::Unrolling;

/// Conflicts that a question about a location's reachability may take: it is asked to save
/// work, so it must not become the work.
const PRUNING_CONFLICTS: u64 = 500;
/// The share of the time that may go into these questions.
const PRUNING_SHARE: f64 = 0.4;

/// Looks for runs into the error location by increasing length.
pub struct ProgramBmc<'a> {
    pool: &'a Pool,
    unrolling: Unrolling<'a>,
    solver: Native,
    deadline: Option<Instant>,
    interrupt: Interrupt,
    start: Instant,
    pruning: Duration,
}

impl<'a> ProgramBmc<'a> {
    /// The engine for an automaton whose terms are of the pool.
    ///
    /// `None` if it has no error location or no initial one: nothing can go wrong.
    pub fn new(pool: &'a Pool, cfa: &'a Cfa) -> Option<Self> {
        let unrolling = Unrolling::new(pool, cfa)?;
        Some(ProgramBmc {
            pool,
            unrolling,
            solver: native(),
            deadline: None,
            interrupt: Interrupt::new(),
            start: Instant::now(),
            pruning: Duration::ZERO,
        })
    }

    /// Bounds the run, and lets other threads end it.
    pub fn set_limits(&mut self, deadline: Option<Instant>, interrupt: Interrupt) {
        self.deadline = deadline;
        self.solver.set_limits(Limits { deadline, ..Limits::default() });
        self.solver.set_interrupt(interrupt.clone());
        self.interrupt = interrupt;
    }

    /// Follows runs of up to `bound` edges.
    pub fn check(&mut self, bound: usize, observer: &mut dyn Observer) -> Verdict {
        match self.run(bound, observer) {
            Ok(verdict) => verdict,
            Err(error) => Verdict::Unknown(Reason::GaveUp(error.to_string())),
        }
    }

    fn run(&mut self, bound: usize, observer: &mut dyn Observer) -> Result<Verdict, Error> {
        for depth in 1..=bound {
            observer.depth(depth);
            if let Some(reason) = self.exhausted() {
                return Ok(Verdict::Unknown(reason));
            }
            let arrived = self.unrolling.advance();
            for formula in arrived.definitions {
                self.solver.assert(self.pool, formula)?;
            }
            if let Some(reached) = arrived.error {
                // SAT? a run of `depth` edges ∧ it ends in the error location
                match self.solver.check(self.pool, &[reached])? {
                    Answer::Sat => return Ok(Verdict::Unsafe(self.read_run()?)),
                    Answer::Unsat => {
                        let not = self.pool.not(reached);
                        self.solver.assert(self.pool, not)?;
                    }
                    Answer::Unknown(reason) => return Ok(Verdict::Unknown(self.why(&reason))),
                }
            }
            self.prune()?;
            if self.unrolling.is_done() {
                return Ok(Verdict::Safe(Proof::Exhausted { depth }));
            }
        }
        Ok(Verdict::Unknown(Reason::GaveUp(format!("no violation within {bound} steps"))))
    }

    /// Drops the locations that no run reaches at this depth, as far as that is cheap.
    fn prune(&mut self) -> Result<(), Error> {
        let begin = Instant::now();
        let budget = self.start.elapsed().mul_f64(PRUNING_SHARE);
        let limits = Limits { deadline: self.deadline, conflicts: Some(PRUNING_CONFLICTS) };
        self.solver.set_limits(limits);
        let frontier: Vec<(LocationId, Term)> = self.unrolling.frontier().collect();
        for (location, reached) in frontier {
            if self.pool.as_bool(reached).is_some() || self.pruning + begin.elapsed() > budget {
                continue;
            }
            // SAT? a run of this depth ∧ it ends in the location
            if self.solver.check(self.pool, &[reached])? == Answer::Unsat {
                self.unrolling.drop_location(location);
                let not = self.pool.not(reached);
                self.solver.assert(self.pool, not)?;
            }
        }
        self.solver.set_limits(Limits { deadline: self.deadline, ..Limits::default() });
        self.pruning += begin.elapsed();
        Ok(())
    }

    /// Requires: the last answer was that the error location is reached.
    fn read_run(&mut self) -> Result<Run, Error> {
        let ProgramBmc { pool, unrolling, solver, .. } = self;
        unrolling.run(&mut |term| solver.value(pool, term))
    }

    fn exhausted(&self) -> Option<Reason> {
        if self.interrupt.is_raised() {
            return Some(Reason::Interrupted);
        }
        self.deadline.filter(|deadline| Instant::now() >= *deadline).map(|_| Reason::Time)
    }

    fn why(&self, reason: &smt::Reason) -> Reason {
        match reason {
            smt::Reason::Time => Reason::Time,
            smt::Reason::Interrupted => Reason::Interrupted,
            other => Reason::GaveUp(other.to_string()),
        }
    }
}

/// Reads a Bool of a model.
fn holds(value: &Value) -> bool {
    *value == Value::Bool(true)
}
