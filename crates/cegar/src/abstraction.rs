//! Abstract successors.
//!
//! Of a state D and an edge with relation T the abstraction by predicates P is asked for. The
//! *Cartesian* one is the conjunction of all p ∈ P with D ∧ T ⇒ p'. It takes few questions: each
//! asks whether some of the predicates that are left can be false, and a model rules out all that
//! are false in it.
//!
//! The *Boolean* one is the strongest Boolean combination of the comparisons that the predicates
//! are made of: the disjunction of the cubes over these that D ∧ T allows, enumerated by models.
//! Where there are too many cubes, the Cartesian abstraction is all that is kept.
//!
//! Both contain the Cartesian abstraction by the predicates themselves. As these are conjuncts of
//! sequence interpolants I_i ([`crate::refine`]), D ⇒ I_i and I_i ∧ T ⇒ I_(i+1) give D' ⇒ I_(i+1)
//! for the successor D': the path that they refute is excluded.

use crate::observer::Purpose;
use crate::options::Abstraction;
use crate::questions::{Questions, gave_up, holds};
use crate::step::Step;
use program::cfa::LocationId;
use program::verdict::Reason;
use smt::interpolate::words::comparisons;
use term::{Pool, Term};

/// How many comparisons a Boolean abstraction may have, and how many cubes.
const MAX_COMPARISONS: usize = 16;
const MAX_CUBES: usize = 48;

/// What an abstract successor is asked of.
pub(crate) struct Source<'s> {
    /// The location that the edge leaves.
    pub(crate) at: LocationId,
    /// The state there.
    pub(crate) state: &'s [Term],
    /// The edge.
    pub(crate) step: &'s mut Step,
}

impl Source<'_> {
    /// D ∧ T: the state before and the guards of the edge.
    fn assumptions(&self) -> Vec<Term> {
        self.state.iter().chain(&self.step.guards).copied().collect()
    }
}

/// A way to abstract.
pub(crate) trait Abstract {
    /// A conjunction of formulas that holds after the edge; none if the edge can't be taken.
    fn successor(
        &self,
        questions: &mut Questions<'_>,
        source: Source<'_>,
        predicates: &[Term],
    ) -> Result<Option<Vec<Term>>, Reason>;
}

/// The abstraction that is chosen.
pub(crate) fn chosen(abstraction: Abstraction) -> Box<dyn Abstract> {
    match abstraction {
        Abstraction::Cartesian => Box::new(Cartesian),
        Abstraction::Boolean => Box::new(Boolean),
    }
}

/// See the module's head.
struct Cartesian;

impl Abstract for Cartesian {
    fn successor(
        &self,
        questions: &mut Questions<'_>,
        mut source: Source<'_>,
        predicates: &[Term],
    ) -> Result<Option<Vec<Term>>, Reason> {
        cartesian(questions, &mut source, predicates.to_vec())
    }
}

/// The predicates that hold after the edge; none if it can't be taken.
fn cartesian(
    questions: &mut Questions<'_>,
    source: &mut Source<'_>,
    predicates: Vec<Term>,
) -> Result<Option<Vec<Term>>, Reason> {
    let pool = questions.pool;
    let assumptions = source.assumptions();
    // SAT? D ∧ T
    if !questions.satisfiable(source.at, Purpose::Abstract, &assumptions, &[])? {
        return Ok(None);
    }
    let image = |p: Term| (p, source.step.before(pool, p));
    let mut left: Vec<(Term, Term)> = predicates.into_iter().map(image).collect();
    loop {
        let mut kept = Vec::with_capacity(left.len());
        for (predicate, image) in left {
            if questions.holds(source.at, image)? {
                kept.push((predicate, image));
            }
        }
        left = kept;
        let broken: Vec<Term> = left.iter().map(|(_, image)| pool.not(*image)).collect();
        let broken: Vec<Term> =
            broken.into_iter().filter(|b| pool.as_bool(*b) != Some(false)).collect();
        // SAT? D ∧ T ∧ ¬⋀ p'
        if broken.is_empty()
            || !questions.satisfiable(source.at, Purpose::Abstract, &assumptions, &broken)?
        {
            return Ok(Some(left.into_iter().map(|(predicate, _)| predicate).collect()));
        }
    }
}

/// See the module's head.
struct Boolean;

impl Abstract for Boolean {
    fn successor(
        &self,
        questions: &mut Questions<'_>,
        mut source: Source<'_>,
        predicates: &[Term],
    ) -> Result<Option<Vec<Term>>, Reason> {
        let pool = questions.pool;
        let parts: Vec<Term> = comparisons(pool, predicates).into_iter().collect();
        let mut all = predicates.to_vec();
        all.extend(parts.iter().flat_map(|p| [*p, pool.not(*p)]));
        all.sort_unstable();
        all.dedup();
        let Some(mut state) = cartesian(questions, &mut source, all)? else { return Ok(None) };
        let decided = |p: &Term| state.contains(p) || state.contains(&pool.not(*p));
        let undecided: Vec<Term> = parts.into_iter().filter(|p| !decided(p)).collect();
        if (2..=MAX_COMPARISONS).contains(&undecided.len()) {
            state.extend(cubes(questions, &mut source, &undecided)?);
        }
        Ok(Some(state))
    }
}

/// The disjunction of the cubes over the predicates that states after the edge are in; none if
/// there are too many.
fn cubes(
    questions: &mut Questions<'_>,
    source: &mut Source<'_>,
    predicates: &[Term],
) -> Result<Option<Term>, Reason> {
    let pool = questions.pool;
    let assumptions = source.assumptions();
    let images: Vec<Term> = predicates.iter().map(|p| source.step.before(pool, *p)).collect();
    let mut solver = questions.solver();
    let mut found = Vec::new();
    // SAT? D ∧ T ∧ none of the cubes found
    while questions.ask(&mut *solver, Purpose::Abstract, &assumptions, &[])? {
        if found.len() == MAX_CUBES {
            return Ok(None);
        }
        let mut cube = Vec::with_capacity(predicates.len());
        let mut other = Vec::with_capacity(predicates.len());
        for (predicate, image) in predicates.iter().zip(&images) {
            let value = holds(pool, &mut *solver, *image)?;
            cube.push(literal(pool, *predicate, value));
            other.push(literal(pool, *image, !value));
        }
        found.push(pool.and(cube));
        solver.assert(pool, pool.or(other)).map_err(gave_up)?;
    }
    Ok(Some(pool.or(found)))
}

fn literal(pool: &Pool, predicate: Term, value: bool) -> Term {
    if value { predicate } else { pool.not(predicate) }
}
