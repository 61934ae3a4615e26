//! The solver that is used where none is named: bit-blasting, and Z3 for what is beyond it.
//!
//! Formulas go to [`BitBlast`] over our own CDCL with CaDiCaL behind it. The first formula that it
//! does not support (a quantifier, an integer, an array of arrays, …) moves everything over to Z3
//! for good.

use crate::bitblast::BitBlast;
use crate::levels::Levels;
use crate::solver::{Answer, Error, Solver, Statistics};
use crate::z3::Z3;
use answer::Allowance;
use sat::cadical::{Cadical, Preset};
use sat::cone::ConeSolver;
use sat::hybrid::Hybrid;
use term::{Pool, Term, Value};

/// Bit-blasting onto our own CDCL, backed by CaDiCaL for hard questions.
pub type Native = BitBlast<Hybrid<ConeSolver, Cadical>>;

/// A new [`Native`] solver.
pub fn native() -> Native {
    BitBlast::new(Hybrid::new(ConeSolver::new(), Cadical::new(Preset::Standard)))
}

/// Bit-blasting with Z3 as the way out.
pub struct Auto {
    native: Native,
    z3: Option<Z3>,
    /// What was asserted, for the move.
    levels: Levels,
    allowance: Allowance,
}

impl Default for Auto {
    fn default() -> Self {
        Self::new()
    }
}

impl Auto {
    /// A solver with no formulas.
    pub fn new() -> Self {
        Auto {
            native: native(),
            z3: None,
            levels: Levels::default(),
            allowance: Allowance::default(),
        }
    }

    fn active(&mut self) -> &mut dyn Solver {
        match &mut self.z3 {
            Some(z3) => z3,
            None => &mut self.native,
        }
    }

    /// Gives Z3 everything that was asserted so far.
    fn move_to_z3(&mut self, pool: &Pool) -> Result<(), Error> {
        let mut z3 = Z3::new();
        z3.set_allowance(self.allowance.clone());
        for (depth, formulas) in self.levels.by_level().enumerate() {
            if depth > 0 {
                z3.push();
            }
            for formula in formulas {
                z3.assert(pool, *formula)?;
            }
        }
        self.z3 = Some(z3);
        Ok(())
    }

    /// Runs a step, and once more after the move if bit-blasting does not support it.
    fn attempt<T>(
        &mut self,
        pool: &Pool,
        mut step: impl FnMut(&mut dyn Solver) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match step(self.active()) {
            Err(Error::Unsupported { .. }) if self.z3.is_none() => {
                self.move_to_z3(pool)?;
                step(self.active())
            }
            result => result,
        }
    }
}

impl Solver for Auto {
    fn name(&self) -> &'static str {
        match &self.z3 {
            Some(z3) => z3.name(),
            None => self.native.name(),
        }
    }

    fn push(&mut self) {
        self.levels.push();
        self.active().push();
    }

    fn pop(&mut self, levels: usize) {
        self.active().pop(levels);
        self.levels.pop(levels);
    }

    fn assert(&mut self, pool: &Pool, formula: Term) -> Result<(), Error> {
        self.attempt(pool, |solver| solver.assert(pool, formula))?;
        self.levels.assert(formula);
        Ok(())
    }

    fn check_with(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error> {
        self.attempt(pool, |solver| solver.check_with(pool, assumptions, clause))
    }

    fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error> {
        self.active().value(pool, term)
    }

    fn core(&self) -> Vec<Term> {
        match &self.z3 {
            Some(z3) => z3.core(),
            None => self.native.core(),
        }
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.allowance = allowance.clone();
        self.active().set_allowance(allowance);
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.allowance.work = conflicts;
        self.active().set_work(conflicts);
    }

    fn statistics(&self) -> Statistics {
        match &self.z3 {
            Some(z3) => z3.statistics(),
            None => self.native.statistics(),
        }
    }
}
