//! Refutations of formulas: a list of resolutions that ends in the empty clause.
//!
//! The formula's clauses are made anew, by the bit-blaster that all share, and every clause that the
//! proof begins with must be one of them; then each step is replayed (`sat::proof`). Neither the solver
//! nor what it was told has to be believed.

use answer::Allowance;
use rustc_hash::FxHashSet;
use sat::proof::{CheckError, Proof};
use sat::{Answer, Lit, Solver, Statistics, Var};
use smt::BitBlast;
use smt::Solver as _;
use term::{Pool, Term};

/// Why a refutation is not accepted.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum RefutationRejection {
    /// A step is none.
    #[error("the refutation has a step that does not follow: {0}")]
    Step(#[from] CheckError),
    /// It begins with something that the formula does not say.
    #[error("the refutation begins with a clause that is not of the formula")]
    Foreign,
    /// The formula has no clauses.
    #[error("the formula can't be made clauses of: {0}")]
    Formula(#[from] smt::Error),
}

/// Checks that a formula has no model.
pub fn check_refutation(
    pool: &Pool,
    formula: Term,
    proof: &Proof,
) -> Result<(), RefutationRejection> {
    let mut blasted = BitBlast::new(Clauses::default());
    blasted.assert(pool, formula)?;
    let refutation = proof.check()?;
    let clauses = &blasted.sat().clauses;
    let known = |(_, clause): (_, &[Lit])| clauses.contains(&sorted(clause));
    match refutation.leaves().all(known) {
        true => Ok(()),
        false => Err(RefutationRejection::Foreign),
    }
}

fn sorted(clause: &[Lit]) -> Box<[Lit]> {
    let mut clause = clause.to_vec();
    clause.sort_unstable();
    clause.dedup();
    clause.into()
}

/// Collects clauses, and solves nothing.
#[derive(Default)]
struct Clauses {
    variables: usize,
    clauses: FxHashSet<Box<[Lit]>>,
}

impl Solver for Clauses {
    fn name(&self) -> &'static str {
        "clauses"
    }

    fn new_var(&mut self) -> Var {
        self.variables += 1;
        Var::new(self.variables - 1)
    }

    fn var_count(&self) -> usize {
        self.variables
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.clauses.insert(sorted(clause));
    }

    fn solve_with(&mut self, _: &[Lit], _: &[Lit]) -> Answer {
        Answer::Unknown(answer::Exhausted::Work)
    }

    fn value(&self, _: Lit) -> Option<bool> {
        None
    }

    fn failed(&self, _: Lit) -> bool {
        false
    }

    fn set_allowance(&mut self, _: Allowance) {}

    fn set_work(&mut self, _: Option<u64>) {}

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}
