//! Bounded model checking of control-flow automata.
//!
//! Runs are followed edge by edge from the initial location, all at once: at each depth every
//! location that can be reached has one symbolic state ([`unroll`]). Values are folded on the
//! way, so a loop over constants costs no question. After each step the solver says whether the
//! error location is reached; where time allows it is also asked which locations can't be
//! reached at this depth after all. When none is left, every run has been followed to its end,
//! and the program is safe.
//!
//! Questions about float arithmetic are hard for bit-blasting and often easy for bounds, so the
//! solver is one that knows both ([`Solvers::floats`]).

mod explicit;
pub mod induction;
mod unroll;

use crate::Observer;
use ::program::Cfa;
use ::program::cfa::{EdgeId, LocationId};
use ::program::verdict::{Invariant, Proof, Reason, Run, Verdict};
use answer::Allowance;
use smt::{Answer, Error, Solver, Solvers};
use term::{Pool, Term, Value};
use unroll::Unrolling;

/// Conflicts that a question about a location's reachability may take: it is asked to save
/// work, so it must not become the work.
const PRUNING_CONFLICTS: u64 = 500;
/// Of the work, measured as [`ProgramBmc::work`] does, so much may go into these questions.
const PRUNING_SHARE: (u64, u64) = (2, 5);
/// What a new term, a question and a conflict cost, roughly in microseconds.
const COSTS: (u64, u64, u64) = (4, 50, 40);

/// Looks for runs into the error location by increasing length.
pub struct ProgramBmc<'a> {
    pool: &'a Pool,
    unrolling: Unrolling<'a>,
    solver: Box<dyn Solver>,
    allowance: Allowance,
    /// The terms of the pool when the engine was made.
    terms: usize,
    /// The work that went into pruning.
    pruning: u64,
    /// No run of so many edges or fewer ends in the error location.
    depth: usize,
}

impl<'a> ProgramBmc<'a> {
    /// The engine for an automaton whose terms are of the pool.
    ///
    /// `None` if it has no error location or no initial one: nothing can go wrong.
    pub fn new(pool: &'a Pool, cfa: &'a Cfa, solvers: &dyn Solvers) -> Option<Self> {
        let unrolling = Unrolling::new(pool, cfa)?;
        Some(ProgramBmc {
            pool,
            unrolling,
            solver: solvers.floats(),
            allowance: Allowance::default(),
            terms: pool.len(),
            pruning: 0,
            depth: 0,
        })
    }

    /// No run of so many edges or fewer ends in the error location.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// What the run may use; its work is the conflicts of one question.
    pub fn set_allowance(&mut self, allowance: Allowance) {
        self.solver.set_allowance(allowance.clone());
        self.allowance = allowance;
    }

    /// Follows runs of up to `bound` edges; after a bound, it goes on from there.
    pub fn check(&mut self, bound: usize, observer: &mut dyn Observer) -> Verdict {
        self.run(bound, observer).unwrap_or_else(|error| gave_up(&error))
    }

    fn run(&mut self, bound: usize, observer: &mut dyn Observer) -> Result<Verdict, Error> {
        for depth in self.depth + 1..=bound {
            observer.depth(depth);
            if let Some(exhausted) = self.allowance.exhausted() {
                return Ok(Verdict::Unknown(exhausted.into()));
            }
            let arrived = self.unrolling.advance();
            self.tell(&arrived.definitions)?;
            if let Some(reached) = arrived.error {
                // SAT? a run of `depth` edges ∧ it ends in the error location
                match self.solver.check(self.pool, &[reached])? {
                    Answer::Sat => return Ok(Verdict::Unsafe(self.read_run()?)),
                    Answer::Unsat => self.tell(&[self.pool.not(reached)])?,
                    Answer::Unknown(reason) => return Ok(Verdict::Unknown(why(reason))),
                }
            }
            self.depth = depth;
            self.prune()?;
            if self.unrolling.is_done() {
                return Ok(Verdict::Safe(Proof::Exhausted { depth }));
            }
        }
        Ok(Verdict::Unknown(Reason::GaveUp(format!("no violation within {bound} steps"))))
    }

    /// After all runs were followed to their ends: the combinations of values that control variables had
    /// ([`explicit`]), which may be an inductive invariant. None if that takes too much.
    pub fn explicit(&mut self, allowance: &Allowance) -> Option<Invariant> {
        let ProgramBmc { pool, unrolling, solver, .. } = self;
        solver.set_allowance(allowance.clone());
        explicit::combinations(pool, unrolling, &mut **solver, allowance).ok().flatten()
    }

    /// Looks for a run that takes these edges, one after the other, into the error location. Not
    /// after [`ProgramBmc::check`].
    pub fn along(&mut self, path: &[EdgeId]) -> Verdict {
        self.follow(path).unwrap_or_else(|error| gave_up(&error))
    }

    fn follow(&mut self, path: &[EdgeId]) -> Result<Verdict, Error> {
        let mut error = None;
        for &edge in path {
            if let Some(exhausted) = self.allowance.exhausted() {
                return Ok(Verdict::Unknown(exhausted.into()));
            }
            let arrived = self.unrolling.advance_by(edge);
            self.tell(&arrived.definitions)?;
            error = arrived.error;
        }
        let none = Verdict::Unknown(Reason::GaveUp("no run takes the path".to_owned()));
        let Some(reached) = error else { return Ok(none) };
        // SAT? a run along the path ∧ it ends in the error location
        Ok(match self.solver.check(self.pool, &[reached])? {
            Answer::Sat => Verdict::Unsafe(self.read_run()?),
            Answer::Unsat => none,
            Answer::Unknown(reason) => Verdict::Unknown(why(reason)),
        })
    }

    /// The work done, in a measure that depends on the input alone, so that equal runs prune alike.
    fn work(&self) -> u64 {
        let (term, query, conflict) = COSTS;
        let terms = (self.pool.len() - self.terms) as u64;
        let statistics = self.solver.statistics();
        term * terms + query * statistics.queries + conflict * statistics.conflicts
    }

    /// Gives the solver what holds: the meaning of names on the way, and what is known of them.
    fn tell(&mut self, formulas: &[Term]) -> Result<(), Error> {
        formulas.iter().try_for_each(|formula| self.solver.assert(self.pool, *formula))
    }

    /// Drops the locations that no run reaches at this depth, as far as that is cheap.
    fn prune(&mut self) -> Result<(), Error> {
        let begin = self.work();
        let budget = begin * PRUNING_SHARE.0 / PRUNING_SHARE.1;
        self.solver.set_work(Some(PRUNING_CONFLICTS));
        let frontier: Vec<(LocationId, Term)> = self.unrolling.frontier().collect();
        for (location, reached) in frontier {
            let spent = self.pruning + (self.work() - begin);
            if self.pool.as_bool(reached).is_some() || spent > budget {
                continue;
            }
            // SAT? a run of this depth ∧ it ends in the location
            if self.solver.check(self.pool, &[reached])? == Answer::Unsat {
                self.unrolling.drop_location(location);
                self.tell(&[self.pool.not(reached)])?;
            }
        }
        self.solver.set_work(self.allowance.work);
        self.pruning += self.work() - begin;
        Ok(())
    }

    /// After [`Answer::Sat`]: the run that the model describes.
    fn read_run(&mut self) -> Result<Run, Error> {
        let ProgramBmc { pool, unrolling, solver, .. } = self;
        unrolling.run(&mut |term| solver.value(pool, term))
    }
}

/// Why an engine ends that a solver gave no answer.
fn why(reason: smt::Reason) -> Reason {
    match reason {
        smt::Reason::Stopped(exhausted) => Reason::Stopped(exhausted),
        smt::Reason::Incomplete(_) => Reason::GaveUp(reason.to_string()),
    }
}

/// What is known after an error of the solver.
fn gave_up(error: &Error) -> Verdict {
    Verdict::Unknown(Reason::GaveUp(error.to_string()))
}

/// Reads a Bool of a model.
fn holds(value: &Value) -> bool {
    *value == Value::Bool(true)
}
