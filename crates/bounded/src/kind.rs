//! k-induction (Sheeran, Singh, Stålmarck: *Checking Safety Properties Using Induction and a
//! SAT-Solver*, FMCAD 2000), incrementally (Eén, Sörensson: *Temporal Induction by Incremental
//! SAT Solving*, BMC 2003).
//!
//! A property holds if no trace violates it within its first k steps, and no k good steps,
//! wherever they start, are followed by a bad one. The steps may be assumed to begin in
//! pairwise different states, for a shortest violation does; this makes the method complete.
//! As Eén and Sörensson propose, difference is demanded only of the pairs that a counterexample
//! to induction shows to be equal.

use crate::Observer;
use crate::bmc::Bmc;
use crate::unroll::{Start, Unrolling};
use answer::{Allowance, Exhausted};
use circuit::TransitionSystem;
use circuit::verdict::{Proof, Reason, Verdict};
use sat::Answer;
use sat::cadical::Cadical;

/// Proves or refutes by increasing k.
pub struct KInduction<'a> {
    base: Bmc<'a>,
    step: Unrolling<'a, Cadical>,
    /// For k below this, k good steps can be followed by a bad one.
    refuted: usize,
    distinct: bool,
}

impl<'a> KInduction<'a> {
    /// The engine for one bad property, given by its index. Where `distinct`, steps begin in
    /// pairwise different states.
    ///
    /// # Panics
    /// If the system has no such property.
    pub fn new(system: &'a TransitionSystem, property: usize, distinct: bool) -> Self {
        let step = Unrolling::new(system, property, Start::Anywhere, Cadical::default());
        KInduction { base: Bmc::new(system, property), step, refuted: 0, distinct }
    }

    /// What the run may use; its work is the conflicts of one question.
    pub fn set_allowance(&mut self, allowance: Allowance) {
        self.base.set_allowance(allowance.clone());
        self.step.set_allowance(allowance);
    }

    /// Tries k = 0, 1, …, `bound`. A run that was stopped can be resumed.
    pub fn check(&mut self, bound: usize, observer: &mut dyn Observer) -> Verdict {
        for k in self.base.good()..=bound {
            observer.depth(k);
            match self.advance(k) {
                Ok(None) => {}
                Ok(Some(verdict)) => return verdict,
                Err(exhausted) => return Verdict::Unknown(exhausted.into()),
            }
        }
        Verdict::Unknown(Reason::Bound(bound))
    }

    /// Requires: no trace violates the property within its first k steps.
    fn advance(&mut self, k: usize) -> Result<Option<Verdict>, Exhausted> {
        if self.refuted == k && self.is_inductive(k)? {
            let proof = Proof::KInductive { k, distinct: self.distinct };
            return Ok(Some(Verdict::Safe(proof)));
        }
        let violated = self.base.advance()?;
        Ok(violated.then(|| Verdict::Unsafe(self.base.trace())))
    }

    /// Whether no k good steps are followed by a bad one.
    ///
    /// Requires: this was found not to be so for all smaller k, and not yet asked for k.
    fn is_inductive(&mut self, k: usize) -> Result<bool, Exhausted> {
        if let Some(exhausted) = self.step.exhausted() {
            return Err(exhausted);
        }
        if self.step.len() == k {
            self.step.extend();
        }
        loop {
            // SAT? C⁰ ∧ ¬bad⁰ ∧ T ∧ … ∧ ¬badᵏ⁻¹ ∧ T ∧ Cᵏ ∧ badᵏ [∧ states distinct]
            match self.step.solve_bad() {
                Answer::Unsat => return Ok(true),
                Answer::Unknown(exhausted) => return Err(exhausted),
                Answer::Sat => {}
            }
            match self.step.repeated_state().filter(|_| self.distinct) {
                Some((first, second)) => self.step.assert_distinct(first, second),
                None => break,
            }
        }
        self.step.assert_good();
        self.refuted += 1;
        Ok(false)
    }
}
