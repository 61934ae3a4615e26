//! Counter-example guided inductive weakening (\[Fed15\] §4.3.3): of the lemmas of an invariant those
//! that are inductive for another labelling of the edges.
//!
//! # Where this deviates
//! Algorithm 17 disables in each round all lemmas ℓᵢ with m ⊨ xᵢ; a model may set xᵢ where ℓ'ᵢ holds
//! too, and then lemmas go that are kept. Here those go that are false in the model.

use crate::graph::{Edge, Graph};
use aeval::Broken;
use answer::Allowance;
use smt::{Answer, Solver, Solvers};
use std::collections::VecDeque;
use term::traverse::substitute;
use term::{Pool, Term, Value};

/// WEAKPOST (\[Fed15\] Algorithm 17): the lemmas of `post` that hold after the edge wherever `pre`
/// holds before it, together; none if the solver does not know.
pub fn weakest_post(
    pool: &Pool,
    pre: &[Term],
    edge: &Edge,
    post: &[Term],
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<Option<Vec<Term>>, Broken> {
    let after = |lemma: &Term| substitute(pool, *lemma, edge.values.iter().map(|(v, t)| (*v, *t)));
    let mut kept: Vec<(Term, Term)> = post.iter().map(|lemma| (*lemma, after(lemma))).collect();
    let mut solver = solvers.general();
    solver.set_allowance(allowance.clone());
    solver.assert(pool, pool.and(pre.iter().copied().chain([edge.guard])))?;
    loop {
        // SAT? pre ∧ τ ∧ ¬⋀ ℓ'ᵢ
        let broken: Vec<Term> = kept.iter().map(|(_, after)| pool.not(*after)).collect();
        if broken.is_empty() {
            return Ok(Some(Vec::new()));
        }
        match solver.check(pool, &[pool.or(broken)])? {
            Answer::Unsat => return Ok(Some(kept.into_iter().map(|(lemma, _)| lemma).collect())),
            Answer::Unknown(_) => return Ok(None),
            Answer::Sat => {}
        }
        let before = kept.len();
        let mut left = Vec::new();
        for (lemma, after) in kept {
            if solver.value(pool, after)? == Value::Bool(true) {
                left.push((lemma, after));
            }
        }
        kept = left;
        if kept.len() == before {
            // The model can't be read as one that breaks a lemma.
            return Ok(None);
        }
    }
}

/// MKIND (\[Fed15\] Algorithm 16): the largest part of the lemmas, by points, that is inductive for the
/// graph; what the solver does not know counts as lost.
pub fn make_inductive(
    pool: &Pool,
    graph: &Graph,
    lemmas: &[Vec<Term>],
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<Vec<Vec<Term>>, Broken> {
    let mut kept = lemmas.to_vec();
    kept[graph.entry].clear();
    let mut pending: VecDeque<usize> = (0..graph.edges.len()).collect();
    while let Some(number) = pending.pop_front() {
        let edge = &graph.edges[number];
        let (pre, post) = (kept[edge.from].clone(), kept[edge.to].clone());
        if post.is_empty() {
            continue;
        }
        let weaker = weakest_post(pool, &pre, edge, &post, solvers, allowance)?.unwrap_or_default();
        if weaker.len() < post.len() {
            kept[edge.to] = weaker;
            let again = (0..graph.edges.len()).filter(|n| graph.edges[*n].from == edge.to);
            for number in again {
                if !pending.contains(&number) {
                    pending.push_back(number);
                }
            }
        }
    }
    Ok(kept)
}

/// Whether lemmas hold after an edge wherever those before it do.
pub fn preserves(
    pool: &Pool,
    lemmas: &[Vec<Term>],
    edge: &Edge,
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<bool, Broken> {
    let (pre, post) = (&lemmas[edge.from], &lemmas[edge.to]);
    let kept = weakest_post(pool, pre, edge, post, solvers, allowance)?;
    Ok(kept.is_some_and(|kept| kept.len() == post.len()))
}
