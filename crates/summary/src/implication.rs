//! The assertion implication relation (\[Fed15 §2.2.7\], Algorithm 3).
//!
//! A check implies a later one of the same procedure if, whatever the inputs and whatever calls give, the
//! later one holds on every way through the body on which the earlier one does (Definition 9). That is a
//! question about one body. Beyond the thesis, several checks together may imply a later one: it is asked
//! first whether all before it do, and the answer says which of them are needed; if they do not, none
//! of them does. Of few that are needed, it is asked whether one is enough.
//!
//! What is implied by checks that hold need not be asked about (*forward*: the strongest first); what
//! alone implies a check that fails, fails (*backward*: the weakest first). The second is so where runs go on
//! behind a check that fails ([`crate::Checks::Pass`]); where they end there, as in C, only the first is.

use crate::body::{Body, Checks, bodies};
use crate::{Check, Encoding, Means};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Solver};
use term::{Pool, Term};

/// How many checks before one are tried as reasons for it.
const WINDOW: usize = 200;
/// How many that are needed together are tried one by one.
const FEW: usize = 8;
/// Conflicts of one question.
const CONFLICTS: u64 = 1_000;

/// Which checks imply which.
#[derive(Clone, Debug, Default)]
pub struct Implications {
    /// Pairs of checks, by their numbers in [`Encoding::checks`]: the stronger one first.
    pub pairs: Vec<(usize, usize)>,
    /// Checks that imply another one together, where no single one is known to do it.
    pub sets: Vec<(Vec<usize>, usize)>,
    /// How many questions it took.
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
        // What a body says of a check says nothing of the same place in another one.
        let mut homes = vec![0usize; encoding.checks.len()];
        for (_, body) in passing.iter() {
            let here = body.failures.iter().map(|f| (f.property, f.place.clone()));
            let here: FxHashSet<usize> = here.filter_map(|c| numbers.get(&c).copied()).collect();
            here.into_iter().for_each(|check| homes[check] += 1);
        }
        let numbers: FxHashMap<&Check, usize> =
            numbers.into_iter().filter(|(_, check)| homes[*check] == 1).collect();
        let mut found = Implications::default();
        for (_, body) in passing.iter() {
            found.add(encoding, means, body, &numbers)?;
        }
        found.pairs.sort_unstable();
        found.pairs.dedup();
        found.sets.sort_unstable();
        found.sets.dedup();
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
        // A place that stands for several checks has no one condition.
        let number = |n: usize| {
            let failure = &body.failures[n];
            let number = numbers.get(&(failure.property, failure.place.clone())).copied();
            number.filter(|_| !occurs_twice(body, n)).map(|number| (number, failure.condition))
        };
        let mut checks: Vec<(usize, Term)> = (0..body.failures.len()).filter_map(number).collect();
        // In the order of the text, which is mostly that of runs; failures are in any order.
        checks.sort_by_key(|(n, _)| {
            let (_, place) = &encoding.checks[*n];
            (place.line, place.column)
        });
        for (position, &(later, fails)) in checks.iter().enumerate() {
            if means.allowance.exhausted().is_some() {
                return Ok(());
            }
            let earlier = &checks[position.saturating_sub(WINDOW)..position];
            let earlier: Vec<(usize, Term)> =
                earlier.iter().map(|(n, condition)| (*n, pool.not(*condition))).collect();
            self.relate(pool, &mut *solver, (later, fails), &earlier)?;
        }
        Ok(())
    }

    /// Adds what implies a check, of those before it, which are given by what holds if they do.
    fn relate(
        &mut self,
        pool: &Pool,
        solver: &mut dyn Solver,
        (later, fails): (usize, Term),
        earlier: &[(usize, Term)],
    ) -> Result<(), smt::Error> {
        if earlier.is_empty() {
            return Ok(());
        }
        let holding: Vec<Term> = earlier.iter().map(|(_, holds)| *holds).collect();
        self.questions += 1;
        // SAT? the later one fails, and none before it does
        if solver.check_with(pool, &holding, &[fails])? != Answer::Unsat {
            return Ok(());
        }
        let core = solver.core();
        let mut needed: Vec<(usize, Term)> =
            earlier.iter().copied().filter(|(_, holds)| core.contains(holds)).collect();
        if (2..=FEW).contains(&needed.len()) {
            for &(number, holds) in &needed {
                self.questions += 1;
                // SAT? the later one fails, and this one does not
                if solver.check_with(pool, &[holds], &[fails])? == Answer::Unsat {
                    self.pairs.push((number, later));
                    return Ok(());
                }
            }
            let mut position = 0;
            while position < needed.len() {
                let mut fewer = needed.clone();
                fewer.remove(position);
                let holding: Vec<Term> = fewer.iter().map(|(_, holds)| *holds).collect();
                self.questions += 1;
                // SAT? the later one fails, and none of the others does
                match solver.check_with(pool, &holding, &[fails])? {
                    Answer::Unsat => needed = fewer,
                    _ => position += 1,
                }
            }
        }
        match needed[..] {
            // It holds whatever the inputs are, and nothing need be decided before it.
            [] => self.sets.push((Vec::new(), later)),
            [(number, _)] => self.pairs.push((number, later)),
            _ => self.sets.push((needed.into_iter().map(|(number, _)| number).collect(), later)),
        }
        Ok(())
    }

    /// The order in which a strategy decides so many checks: what implies others before them, or after them.
    pub fn order(&self, checks: usize, strategy: Strategy) -> Vec<usize> {
        let one = |(stronger, weaker): &(usize, usize)| (vec![*stronger], *weaker);
        let all: Vec<(Vec<usize>, usize)> =
            self.pairs.iter().map(one).chain(self.sets.iter().cloned()).collect();
        let mut level = vec![0usize; checks];
        // Chains are not longer than there are checks.
        for _ in 0..checks {
            let before = level.clone();
            for (stronger, weaker) in &all {
                for &stronger in stronger {
                    let (low, high) = match strategy {
                        Strategy::Forward => (stronger, *weaker),
                        Strategy::Backward => (*weaker, stronger),
                    };
                    level[high] = level[high].max(level[low] + 1);
                }
            }
            if level == before {
                break;
            }
        }
        let mut order: Vec<usize> = (0..checks).collect();
        order.sort_by_key(|check| level[*check]);
        order
    }
}

/// Whether a place stands for several checks of a body.
fn occurs_twice(body: &Body, n: usize) -> bool {
    let own = &body.failures[n];
    let same = body.failures.iter().filter(|f| f.property == own.property && f.place == own.place);
    same.count() > 1
}
