//! From a cube out of reach to a lemma: fewer literals, weaker ones, a higher frame.
//!
//! A literal goes if the cube without it is still out of reach, where it may be assumed that nothing of
//! the cube itself was derived within less (relative induction). What can't go is weakened
//! ([`crate::weaken`]).

use crate::engine::{Blocked, Search};
use crate::weaken::{Pair, weaker};
use aeval::linear::number;
use answer::Reason;
use horn::PredicateId;
use lemmas::Phase;
use term::Term;

/// How many literals in a row may turn out to be needed before the others are taken to be.
const PATIENCE: usize = 12;
/// Of how many literals pairs are tried to be merged.
const MERGEABLE: usize = 8;
/// How many sums of multiples are tried of a pair.
const SUMS: usize = 3;
/// How often one literal is weakened at most.
const STEPS: usize = 12;

impl Search<'_> {
    /// Learns that nothing of a cube is derived within a height.
    ///
    /// Requires: nothing of it is.
    pub(crate) fn learn(
        &mut self,
        predicate: PredicateId,
        cube: Vec<Term>,
        frame: usize,
    ) -> Result<(), Reason> {
        let mut literals = self.dropped(predicate, cube, frame)?;
        literals = self.merge(predicate, literals, frame)?;
        literals = self.weakened(predicate, literals, frame)?;
        let mut frame = frame;
        while frame < self.frontier && self.holds(predicate, &literals, frame + 1)?.is_some() {
            frame += 1;
        }
        self.observer.lemma(frame, literals.len());
        self.frames.add(self.pool, predicate, literals, frame);
        Ok(())
    }

    /// Whether a cube is out of reach; the literals that are needed for that.
    fn holds(
        &mut self,
        predicate: PredicateId,
        cube: &[Term],
        frame: usize,
    ) -> Result<Option<Vec<Term>>, Reason> {
        let core = self.blocked(predicate, cube, frame, Phase::Generalize, true)?.core();
        Ok(core.map(|core| core.iter().map(|at| cube[*at]).collect()))
    }

    /// Drops literals.
    fn dropped(
        &mut self,
        predicate: PredicateId,
        mut literals: Vec<Term>,
        frame: usize,
    ) -> Result<Vec<Term>, Reason> {
        let mut needed: Vec<Term> = Vec::new();
        let mut failures = 0;
        while let Some(literal) = literals.iter().rev().find(|l| !needed.contains(l)).copied() {
            if failures > PATIENCE {
                break;
            }
            let rest: Vec<Term> = literals.iter().copied().filter(|l| *l != literal).collect();
            match self.holds(predicate, &rest, frame)? {
                Some(core) => {
                    literals = core;
                    failures = 0;
                }
                None => {
                    needed.push(literal);
                    failures += 1;
                }
            }
        }
        Ok(literals)
    }

    /// Puts sums of multiples in the place of pairs of inequalities, which say less.
    fn merge(
        &mut self,
        predicate: PredicateId,
        mut literals: Vec<Term>,
        frame: usize,
    ) -> Result<Vec<Term>, Reason> {
        let mut at = 0;
        while at < literals.len() && literals.len() <= MERGEABLE {
            let mut found = None;
            for other in at + 1..literals.len() {
                found = self.summed(predicate, &literals, (at, other), frame)?;
                if found.is_some() {
                    break;
                }
            }
            match found {
                Some(core) => (literals, at) = (core, 0),
                None => at += 1,
            }
        }
        Ok(literals)
    }

    /// The literals with a sum in the place of two of them, if that is out of reach. Where it is not,
    /// what may be derived tells which multiples to take.
    fn summed(
        &mut self,
        predicate: PredicateId,
        literals: &[Term],
        (first, second): (usize, usize),
        frame: usize,
    ) -> Result<Option<Vec<Term>>, Reason> {
        let pool = self.pool;
        let Some(mut pair) = Pair::of(pool, literals[first], literals[second]) else {
            return Ok(None);
        };
        for _ in 0..SUMS {
            let Some(sum) = pair.sum(pool) else { return Ok(None) };
            let mut cube = literals.to_vec();
            cube.remove(second);
            cube[first] = sum;
            match self.blocked(predicate, &cube, frame, Phase::Generalize, true)? {
                Blocked::By(core) => return Ok(Some(core.iter().map(|at| cube[*at]).collect())),
                Blocked::Not(values) => {
                    let value = |term: Term| values.get(&term).and_then(number);
                    if !pair.exclude(&value) {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Weakens bounds as far as a search with growing steps finds.
    fn weakened(
        &mut self,
        predicate: PredicateId,
        mut literals: Vec<Term>,
        frame: usize,
    ) -> Result<Vec<Term>, Reason> {
        for at in 0..literals.len() {
            let (mut step, mut growing) = (1u64, true);
            for _ in 0..STEPS {
                let Some(candidate) = weaker(self.pool, literals[at], step) else { break };
                let mut cube = literals.clone();
                cube[at] = candidate;
                if self.holds(predicate, &cube, frame)?.is_some() {
                    literals = cube;
                    step = if growing { step.saturating_mul(2) } else { step / 2 };
                } else {
                    growing = false;
                    step /= 2;
                }
                if step == 0 {
                    break;
                }
            }
        }
        Ok(literals)
    }
}
