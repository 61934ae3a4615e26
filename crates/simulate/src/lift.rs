//! PROOFADAPT (\[Fed15\] Algorithm 15): the proof ψ of a target carried over σ and ρ to a source.
//!
//! φ(u) = ∃y. ρ(u) ∧ ψ(σ(u)) (4.8). Variables that ρ defines are replaced; the others are eliminated
//! by projections, and a lemma for which that takes too many is left out. What is lifted is made
//! inductive for the source ([`crate::weaken`]), which it is already where ρ is a simulation of the
//! target itself or of an abstraction that ψ is a proof of; then, if it excludes the error, it is a
//! proof. If not, it is what an engine may begin with.

use crate::graph::Graph;
use crate::simabs::Simulation;
use crate::weaken::{make_inductive, preserves};
use aeval::{Broken, eliminate};
use answer::Allowance;
use smt::Solvers;
use term::traverse::{free_vars, substitute};
use term::{Pool, Term};

/// A proof carried over.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// Formulas over the source's variables, by its points: inductive, which was checked.
    pub invariant: Vec<Vec<Term>>,
    /// Whether they exclude the error: then they are a proof.
    pub safe: bool,
    /// The change impact (\[Fed15\] §4.3.6): the edges of the source that do not preserve what was
    /// lifted, before it was made inductive.
    ///
    /// Definition 26 asks the edges of the abstraction; the source's own are asked here, of which
    /// fewer fail, since the abstraction has all their steps.
    pub impact: Vec<usize>,
}

/// Of how many projections an elimination may consist.
const DISJUNCTS: usize = 8;

/// Carries the proof of the target over a simulation of the source.
///
/// σ and ρ may also be a guess: what is lifted is checked all the same.
///
/// Requires: `proof` is ψ by points of the target, with ⊥ at the error (or nothing: that is added).
pub fn lift(
    pool: &Pool,
    source: &Graph,
    target: &Graph,
    simulation: &Simulation,
    proof: &[Vec<Term>],
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<Lifted, Broken> {
    let mut lifted = Vec::with_capacity(source.points.len());
    for point in 0..source.points.len() {
        let other = simulation.sigma[point];
        lifted.push(if Some(point) == source.error {
            vec![pool.fls()]
        } else if Some(other) == target.error {
            Vec::new()
        } else {
            at_point(pool, &proof[other], simulation, source, point, solvers, allowance)?
        });
    }
    lifted[source.entry].clear();
    let mut impact = Vec::new();
    for (number, edge) in source.edges.iter().enumerate() {
        if !preserves(pool, &lifted, edge, solvers, allowance)? {
            impact.push(number);
        }
    }
    let invariant = if impact.is_empty() {
        lifted
    } else {
        make_inductive(pool, source, &lifted, solvers, allowance)?
    };
    let safe = source.error.is_none_or(|error| {
        let reached = source.edges.iter().any(|edge| edge.to == error);
        !reached || invariant[error].contains(&pool.fls())
    });
    Ok(Lifted { invariant, safe, impact })
}

/// (4.8) at one point, lemma by lemma.
fn at_point(
    pool: &Pool,
    lemmas: &[Term],
    simulation: &Simulation,
    source: &Graph,
    point: usize,
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<Vec<Term>, Broken> {
    let map: Vec<(Term, Term)> = simulation.rho[point].pairs().map(|(q, p)| (p, q)).collect();
    let ours = &source.points[point].variables;
    let mut lifted = Vec::new();
    let mut loose = Vec::new();
    for lemma in lemmas {
        let formula = substitute(pool, *lemma, map.iter().copied());
        let foreign = |v: &Term| !ours.iter().any(|known| known.term == *v);
        if free_vars(pool, &[formula]).iter().any(foreign) {
            loose.push(formula);
        } else {
            lifted.push(formula);
        }
    }
    if !loose.is_empty() {
        // Lemmas about the same unrelated variables say more together than one by one.
        let together = pool.and(loose);
        let foreign: Vec<Term> = free_vars(pool, &[together])
            .into_iter()
            .filter(|v| !ours.iter().any(|known| known.term == *v))
            .collect();
        let mut solver = solvers.general();
        solver.set_allowance(allowance.clone());
        lifted.extend(eliminate(pool, together, &foreign, &mut *solver, DISJUNCTS)?);
    }
    Ok(lifted)
}

/// Whether ψ is a proof of the abstraction too: its edges keep it (\[Fed15\] Definition 24).
pub fn is_proof_of(
    pool: &Pool,
    abstraction: &Graph,
    proof: &[Vec<Term>],
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<bool, Broken> {
    for edge in &abstraction.edges {
        if !preserves(pool, proof, edge, solvers, allowance)? {
            return Ok(false);
        }
    }
    Ok(true)
}
