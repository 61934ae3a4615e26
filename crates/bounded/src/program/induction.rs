//! k-induction on control-flow automata.
//!
//! If no run of fewer than k edges reaches the error location, and no k edges lead there from
//! anywhere, then none does. *Anywhere* is every location in every state that an invariant allows;
//! the invariant comes from outside and is known to hold (M. Sheeran, S. Singh, G. Stålmarck:
//! *Checking safety properties using induction and a SAT-solver*, FMCAD 2000; with invariants:
//! D. Beyer, M. Dangl, P. Wendler: *Boosting k-induction with continuously-refined invariants*,
//! CAV 2015). That states differ on the way is not demanded: the invariants do more for programs.
//!
//! The step is unrolled forwards and kept: the error location has no edges, so the k edges before
//! it do not touch it, and the next question only adds to the last.
//!
//! The certificate is k with the invariant ([`Proof::KInductive`]), at every location, because
//! locations are what is counted.

use super::unroll::Unrolling;
use super::{ProgramBmc, why};
use crate::Observer;
use ::program::Cfa;
use ::program::verdict::{Invariant, Proof, Reason, Verdict};
use answer::Allowance;
use smt::{Answer, Error, Solver, Solvers};
use term::{Pool, Term};

/// The most terms that the unrolling may make.
const MAX_TERMS: usize = 4_000_000;

/// Proves by k-induction, for growing k.
pub struct ProgramInduction<'a> {
    pool: &'a Pool,
    cfa: &'a Cfa,
    invariant: &'a Invariant,
    unrolling: Unrolling<'a>,
    solver: Box<dyn Solver>,
    allowance: Allowance,
    /// Follows runs from the initial location.
    base: ProgramBmc<'a>,
    /// Whether it does so before each step, and not only once the step holds.
    refutes: bool,
}

impl<'a> ProgramInduction<'a> {
    /// The engine for an automaton and formulas that hold at its locations, inductive together.
    ///
    /// `None` if it has no error location or no initial one: nothing can go wrong.
    pub fn new(
        pool: &'a Pool,
        cfa: &'a Cfa,
        invariant: &'a Invariant,
        solvers: &dyn Solvers,
    ) -> Option<Self> {
        let unrolling = Unrolling::anywhere(pool, cfa)?;
        Some(ProgramInduction {
            pool,
            cfa,
            invariant,
            unrolling,
            solver: solvers.bits(),
            allowance: Allowance::default(),
            base: ProgramBmc::new(pool, cfa, solvers)?,
            refutes: true,
        })
    }

    /// What the run may use; its work is the conflicts of one question.
    pub fn set_allowance(&mut self, allowance: Allowance) {
        self.base.set_allowance(allowance.clone());
        self.solver.set_allowance(allowance.clone());
        self.allowance = allowance;
    }

    /// Whether violations are looked for as well, which is on at first; somebody else may do it.
    pub fn set_refutes(&mut self, refutes: bool) {
        self.refutes = refutes;
    }

    /// Tries k = 1, 2, … up to the bound.
    pub fn check(&mut self, bound: usize, observer: &mut dyn Observer) -> Verdict {
        match self.run(bound, observer) {
            Ok(verdict) => verdict,
            Err(error) => Verdict::Unknown(Reason::GaveUp(error.to_string())),
        }
    }

    fn run(&mut self, bound: usize, observer: &mut dyn Observer) -> Result<Verdict, Error> {
        let before = self.pool.len();
        self.assume_invariant()?;
        for k in 1..=bound {
            if let Some(exhausted) = self.allowance.exhausted() {
                return Ok(Verdict::Unknown(exhausted.into()));
            }
            if self.pool.len() - before > MAX_TERMS {
                let why = format!("k-induction has become too large at k = {k}");
                return Ok(Verdict::Unknown(Reason::GaveUp(why)));
            }
            observer.depth(k);
            if self.refutes
                && let Some(verdict) = self.base(k, &mut ())
            {
                return Ok(verdict);
            }
            let arrived = self.unrolling.advance();
            for definition in arrived.definitions {
                self.solver.assert(self.pool, definition)?;
            }
            let answer = match arrived.error {
                // SAT? invariant along k edges from anywhere ∧ they end in the error location
                Some(reached) => self.solver.check(self.pool, &[reached])?,
                None => Answer::Unsat,
            };
            match answer {
                Answer::Unsat => {
                    return Ok(self.base(k, &mut ()).unwrap_or_else(|| self.proof(k)));
                }
                Answer::Sat => {}
                Answer::Unknown(reason) => return Ok(Verdict::Unknown(why(reason))),
            }
            self.assume_invariant()?;
        }
        Ok(Verdict::Unknown(Reason::GaveUp(format!("not {bound}-inductive"))))
    }

    /// The invariant holds wherever the run is now.
    fn assume_invariant(&mut self) -> Result<(), Error> {
        let pool = self.pool;
        let mut known: Vec<Term> = Vec::new();
        for (location, at, state) in self.unrolling.states() {
            for &formula in self.invariant.at.get(location).into_iter().flatten() {
                if !self.unrolling.is_kept(location, formula) {
                    continue;
                }
                known.push(pool.implies(at, state.apply(pool, formula)));
            }
        }
        for formula in known {
            self.solver.assert(pool, formula)?;
        }
        Ok(())
    }

    /// Follows runs of up to k edges; none if none of them ends in the error location.
    fn base(&mut self, k: usize, observer: &mut dyn Observer) -> Option<Verdict> {
        if self.base.depth() >= k {
            return None;
        }
        let verdict = self.base.check(k, observer);
        let through = matches!(verdict, Verdict::Unknown(_)) && self.base.depth() >= k;
        (!through).then_some(verdict)
    }

    /// Base and step hold for k.
    fn proof(&self, k: usize) -> Verdict {
        let at = self.cfa.locations.iter().map(|(location, _)| {
            let formulas = self.invariant.at.get(location).cloned();
            (location, formulas.unwrap_or_else(|| vec![self.pool.tru()]))
        });
        Verdict::Safe(Proof::KInductive { k, invariant: Invariant { at: at.collect() } })
    }
}
