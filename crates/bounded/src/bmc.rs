//! Bounded model checking (Biere, Cimatti, Clarke, Zhu: *Symbolic Model Checking without BDDs*,
//! TACAS 1999), incrementally: one solver, one more step at a time.

use crate::Observer;
use crate::unroll::{Start, Unrolling};
use answer::{Allowance, Exhausted};
use circuit::TransitionSystem;
use circuit::verdict::{Reason, Verdict};
use sat::Answer;
use sat::cadical::Cadical;

/// Looks for violations by increasing length.
pub struct Bmc<'a> {
    unrolling: Unrolling<'a, Cadical>,
    /// How many steps are known to be good.
    good: usize,
    /// The work at which the run pauses.
    pause: Option<u64>,
}

impl<'a> Bmc<'a> {
    /// The engine for one bad property, given by its index.
    ///
    /// # Panics
    /// If the system has no such property.
    pub fn new(system: &'a TransitionSystem, property: usize) -> Self {
        let unrolling = Unrolling::new(system, property, Start::Initial, Cadical::default());
        Bmc { unrolling, good: 0, pause: None }
    }

    /// What the run may use; its work is the conflicts of one question.
    pub fn set_allowance(&mut self, allowance: Allowance) {
        self.unrolling.set_allowance(allowance);
    }

    /// Looks for a violation at step 0, 1, …, `bound`. A run that was stopped can be resumed.
    ///
    /// Ensures: a trace that is returned is a shortest one.
    pub fn check(&mut self, bound: usize, observer: &mut dyn Observer) -> Verdict {
        for depth in self.good..=bound {
            observer.depth(depth);
            match self.advance() {
                Ok(false) => {}
                Ok(true) => return Verdict::Unsafe(self.unrolling.trace()),
                Err(exhausted) => return Verdict::Unknown(exhausted.into()),
            }
        }
        Verdict::Unknown(Reason::Bound(bound))
    }

    /// Looks for a violation for about so many units of work more ([`Unrolling::work`]), which it
    /// looks at whenever the limit on conflicts is met; then the run ends by that limit.
    pub fn check_within(&mut self, units: u64, observer: &mut dyn Observer) -> Verdict {
        self.pause = Some(self.unrolling.work().saturating_add(units));
        let verdict = self.check(usize::MAX - 1, observer);
        self.pause = None;
        verdict
    }

    /// How many gates and inputs the unrolling has.
    pub fn size(&self) -> usize {
        self.unrolling.size()
    }

    /// Whether the work allowed is done.
    fn is_paused(&self) -> bool {
        self.pause.is_some_and(|pause| self.unrolling.work() >= pause)
    }

    /// Whether a trace of one more step is a violation.
    ///
    /// Requires: no shorter one is.
    pub(crate) fn advance(&mut self) -> Result<bool, Exhausted> {
        if let Some(exhausted) = self.unrolling.exhausted() {
            return Err(exhausted);
        }
        if self.is_paused() {
            return Err(Exhausted::Work);
        }
        if self.unrolling.len() == self.good {
            self.unrolling.extend();
        }
        // SAT? I ∧ C⁰ ∧ T ∧ … ∧ Cᵏ ∧ badᵏ
        let mut answer = self.unrolling.solve_bad();
        while answer == Answer::Unknown(Exhausted::Work)
            && self.pause.is_some()
            && !self.is_paused()
        {
            // SAT? I ∧ C⁰ ∧ T ∧ … ∧ Cᵏ ∧ badᵏ, going on where the limit had ended the search
            answer = self.unrolling.solve_bad();
        }
        match answer {
            Answer::Sat => Ok(true),
            Answer::Unknown(exhausted) => Err(exhausted),
            Answer::Unsat => {
                self.unrolling.assert_good();
                self.good += 1;
                Ok(false)
            }
        }
    }

    /// How many steps are known to be good.
    pub(crate) fn good(&self) -> usize {
        self.good
    }

    pub(crate) fn trace(&self) -> circuit::Trace {
        self.unrolling.trace()
    }
}
