//! ρ: which states of source and target are related, and what has to hold for that (\[Fed15\] (4.7)).
//!
//! At each cut-point of the source, ρ is a conjunction of equalities between a variable of the
//! source and one of the target, and of definitions of target variables by Skolem functions.
//! Variables of the target that are abstracted away are quantified: they are locals of its edges
//! (\[Fed15\] Lemma 5).
//!
//! The formulas are made with the values of variables in place of primed copies, so what is left to
//! be found is what an edge of the target leaves open.

use crate::graph::{Edge, Graph};
use crate::matching::Unrolling;
use aeval::Question;
use rustc_hash::FxHashSet;
use term::traverse::{free_vars, substitute};
use term::{Pool, Term};

/// ρ at one cut-point of the source.
#[derive(Clone, Default, Debug)]
pub struct Relation {
    /// Variables of the source with the variables of the target that they equal.
    pub equal: Vec<(Term, Term)>,
    /// Variables of the target with what they are, in terms of the source.
    pub defined: Vec<(Term, Term)>,
}

impl Relation {
    /// ρ as a formula.
    pub fn formula(&self, pool: &Pool) -> Term {
        pool.and(self.pairs().map(|(q, p)| pool.eq(q, p)))
    }

    /// All pairs of what the source has and the variable of the target that is it.
    pub fn pairs(&self) -> impl Iterator<Item = (Term, Term)> + '_ {
        let defined = self.defined.iter().map(|(p, q)| (*q, *p));
        self.equal.iter().copied().chain(defined)
    }
}

/// SYNTHESIZE (\[Fed15\] Algorithm 12): at each point, variables with the same name and sort are
/// equal; what is left over is paired in order, sort by sort.
pub fn synthesize(pool: &Pool, source: &Graph, target: &Graph, sigma: &[usize]) -> Vec<Relation> {
    let renamed = renamed(pool, source, target, sigma);
    let at = |(point, &other): (usize, &usize)| {
        let theirs = &target.points[other].variables;
        let pair = |q: &crate::graph::Variable| {
            let same = theirs
                .iter()
                .find(|p| p.name == q.name && pool.sort(p.term) == pool.sort(q.term))
                .map(|p| p.term);
            let other = || {
                let found = renamed.iter().find(|(ours, _)| *ours == q.term)?;
                theirs.iter().any(|p| p.term == found.1).then_some(found.1)
            };
            Some((q.term, same.or_else(other)?))
        };
        let equal = source.points[point].variables.iter().filter_map(pair).collect();
        Relation { equal, defined: Vec::new() }
    };
    sigma.iter().enumerate().map(at).collect()
}

/// Variables of the source whose names the target has not, each with one of the target whose name the
/// source has not: of the same sort, in order of their first points.
fn renamed(pool: &Pool, source: &Graph, target: &Graph, sigma: &[usize]) -> Vec<(Term, Term)> {
    let names = |graph: &Graph| -> FxHashSet<String> {
        graph.points.iter().flat_map(|p| &p.variables).map(|v| v.name.clone()).collect()
    };
    let (ours, theirs) = (names(source), names(target));
    let mut pairs: Vec<(Term, Term)> = Vec::new();
    for (point, other) in sigma.iter().enumerate() {
        for q in &source.points[point].variables {
            if theirs.contains(&q.name) || pairs.iter().any(|(known, _)| *known == q.term) {
                continue;
            }
            let free = target.points[*other].variables.iter().find(|p| {
                !ours.contains(&p.name)
                    && pool.sort(p.term) == pool.sort(q.term)
                    && !pairs.iter().any(|(_, taken)| *taken == p.term)
            });
            pairs.extend(free.map(|p| (q.term, p.term)));
        }
    }
    pairs
}

/// What has to hold for an edge of the source, or at its entry.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// The edge; none for the entry.
    pub edge: Option<usize>,
    /// S ⇒ ∃y. T
    pub question: Question,
}

/// How a formula is made.
pub struct Setting<'a> {
    /// The pool of both graphs.
    pub pool: &'a Pool,
    /// Q
    pub source: &'a Graph,
    /// P
    pub target: &'a Graph,
    /// σ
    pub sigma: &'a [usize],
    /// ρ, by points of the source.
    pub rho: &'a [Relation],
    /// The variables of the target that are abstracted away.
    pub abstracted: &'a FxHashSet<Term>,
    /// An inductive invariant of the target, by its points; empty for none.
    pub invariant: &'a [Vec<Term>],
    /// What may match a step.
    pub unrolling: Unrolling,
}

impl Setting<'_> {
    /// CREATEFORMULA: one obligation an edge, and one for the entry.
    pub fn obligations(&self) -> Vec<Obligation> {
        let edges = (0..self.source.edges.len()).map(|edge| self.of_edge(edge));
        std::iter::once(self.at_entry()).chain(edges).collect()
    }

    /// ∀x ∃y. ρ(en)(x, y)
    fn at_entry(&self) -> Obligation {
        let pool = self.pool;
        let conclusion = self.rho[self.source.entry].formula(pool);
        let variables = &self.target.points[self.target.entry].variables;
        let variables = variables.iter().map(|v| v.term).collect();
        let question = Question { premise: pool.tru(), conclusion, variables };
        Obligation { edge: None, question }
    }

    /// (4.7) for one edge of the source.
    pub fn of_edge(&self, number: usize) -> Obligation {
        let pool = self.pool;
        let edge = &self.source.edges[number];
        let (from, to) = (self.sigma[edge.from], self.sigma[edge.to]);
        // y is x where ρ says so.
        let related: Vec<(Term, Term)> = self.rho[edge.from].pairs().map(|(q, p)| (p, q)).collect();
        let here = |term: Term| substitute(pool, term, related.iter().copied());
        let known = self.invariant.get(from).into_iter().flatten().copied();
        let plain = |t: &Term| !free_vars(pool, &[*t]).iter().any(|v| self.abstracted.contains(v));
        let known = pool.and(known.filter(plain).map(here));
        let premise = pool.and([edge.guard, known]);
        let mut variables: Vec<Term> = Vec::new();
        let mut ways = Vec::new();
        for way in self.ways(from, to, edge.from != edge.to) {
            let matched = self.rho[edge.to].pairs().map(|(q, p)| {
                let ours = substitute(pool, q, edge.values.iter().map(|(v, t)| (*v, *t)));
                let theirs = way.values.get(&p).map_or(p, |value| here(*value));
                pool.eq(ours, theirs)
            });
            ways.push(pool.and(matched.chain([here(way.guard)])));
            variables.extend(&way.locals);
        }
        let conclusion = pool.or(ways);
        let free = free_vars(pool, &[conclusion]);
        variables.extend(free.into_iter().filter(|v| self.abstracted.contains(v)));
        Obligation { edge: Some(number), question: Question { premise, conclusion, variables } }
    }

    /// What the target can do between two points; nothing at all only if the source moves on.
    fn ways(&self, from: usize, to: usize, moves: bool) -> Vec<Edge> {
        let (pool, target) = (self.pool, self.target);
        let mut ways: Vec<Edge> = target.between(from, to).map(|e| e.renamed(pool)).collect();
        if from == to && moves && self.unrolling > Unrolling::Steps {
            ways.push(Edge::stutter(target, pool, from));
        }
        if self.unrolling == Unrolling::Pairs {
            for first in target.edges.iter().filter(|e| e.from == from) {
                let first = first.renamed(pool);
                ways.extend(target.between(first.to, to).map(|next| first.then(pool, next)));
            }
        }
        ways
    }
}
