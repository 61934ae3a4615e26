//! The assertion implication relation (\[Fed15 §2.2.7\], Algorithm 3).
//!
//! A check implies a later one of the same procedure if, whatever the inputs and whatever calls give, the
//! later one holds on every way through the body on which the earlier one does (Definition 9). That is a
//! question about one body. It is asked of checks that depend on a common variable and are not far apart.
//!
//! What is implied by a check that holds need not be asked about (*forward*: the strongest first); what
//! implies a check that fails, fails (*backward*: the weakest first). The second is so where runs go on
//! behind a check that fails ([`crate::Checks::Pass`]); where they end there, as in C, only the first is.

use crate::body::{Body, Checks, bodies};
use crate::{Check, Encoding, Means};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::Answer;
use term::Term;
use term::traverse::free_vars;

/// How many checks before one are tried as reasons for it.
const WINDOW: usize = 40;
/// Conflicts of one question.
const CONFLICTS: u64 = 1_000;

/// Which checks imply which.
#[derive(Clone, Debug, Default)]
pub struct Implications {
    /// Pairs of checks, by their numbers in [`Encoding::checks`]: the stronger one first.
    pub pairs: Vec<(usize, usize)>,
    /// How many pairs depend on each other, and were asked about.
    pub questions: usize,
}

/// The order in which checks are decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// The strongest first.
    Forward,
    /// The weakest first.
    Backward,
}

impl Implications {
    /// The relation of a program's checks.
    pub fn of(encoding: &Encoding<'_>, means: &Means<'_>) -> Result<Implications, smt::Error> {
        let passing =
            bodies(encoding.pool, encoding.procedures, &encoding.interfaces, Checks::Pass);
        let numbers: FxHashMap<&Check, usize> =
            encoding.checks.iter().enumerate().map(|(n, check)| (check, n)).collect();
        let mut found = Implications::default();
        for (_, body) in passing.iter() {
            found.add(encoding, means, body, &numbers)?;
        }
        found.pairs.sort_unstable();
        found.pairs.dedup();
        Ok(found)
    }

    /// Adds the relation of the checks of one body.
    fn add(
        &mut self,
        encoding: &Encoding<'_>,
        means: &Means<'_>,
        body: &Body,
        numbers: &FxHashMap<&Check, usize>,
    ) -> Result<(), smt::Error> {
        if body.failures.len() < 2 {
            return Ok(());
        }
        let pool = encoding.pool;
        let mut solver = means.solvers.bits();
        solver.set_allowance(means.allowance.with_work(CONFLICTS));
        for (name, condition) in &body.definitions {
            solver.assert(pool, pool.eq(*name, *condition))?;
        }
        let cones: Vec<FxHashSet<Term>> =
            body.failures.iter().map(|failure| cone(encoding, body, failure.condition)).collect();
        let number = |n: usize| {
            let failure = &body.failures[n];
            numbers.get(&(failure.property, failure.place.clone())).copied()
        };
        for later in 1..body.failures.len() {
            for earlier in later.saturating_sub(WINDOW)..later {
                let (Some(i), Some(j)) = (number(earlier), number(later)) else { continue };
                let dependent = cones[later].intersection(&cones[earlier]).next().is_some();
                // A place that stands for several checks has no one condition.
                if i == j || !dependent || self.occurs_twice(body, earlier) {
                    continue;
                }
                if means.allowance.exhausted().is_some() {
                    return Ok(());
                }
                self.questions += 1;
                let holds = pool.not(body.failures[earlier].condition);
                let fails = body.failures[later].condition;
                // SAT? the later one fails, and the earlier one does not
                if solver.check(pool, &[fails, holds])? == Answer::Unsat
                    && !self.occurs_twice(body, later)
                {
                    self.pairs.push((i, j));
                }
            }
        }
        Ok(())
    }

    fn occurs_twice(&self, body: &Body, n: usize) -> bool {
        let own = &body.failures[n];
        let same =
            body.failures.iter().filter(|f| f.property == own.property && f.place == own.place);
        same.count() > 1
    }

    /// The order in which a strategy decides so many checks.
    pub fn order(&self, checks: usize, strategy: Strategy) -> Vec<usize> {
        let mut weight = vec![0usize; checks];
        for (stronger, weaker) in &self.pairs {
            match strategy {
                Strategy::Forward => weight[*weaker] += 1,
                Strategy::Backward => weight[*stronger] += 1,
            }
        }
        let mut order: Vec<usize> = (0..checks).collect();
        order.sort_by_key(|check| weight[*check]);
        order
    }
}

/// The variables that a condition depends on.
fn cone(encoding: &Encoding<'_>, body: &Body, condition: Term) -> FxHashSet<Term> {
    let definitions: FxHashMap<Term, Term> = body.definitions.iter().copied().collect();
    let mut cone = FxHashSet::default();
    let mut pending = free_vars(encoding.pool, &[condition]);
    while let Some(variable) = pending.pop() {
        if cone.insert(variable)
            && let Some(condition) = definitions.get(&variable)
        {
            pending.extend(free_vars(encoding.pool, &[*condition]));
        }
    }
    cone.retain(|variable| !definitions.contains_key(variable));
    cone
}
