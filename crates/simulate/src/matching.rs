//! σ: cut-points of the source matched with cut-points of the target (\[Fed15\] Definition 22).
//!
//! Entry goes to entry and error to error, and for each edge of the source there must be a way in
//! the target: an edge, or, where unrolled, nothing at all or two. The search goes depth-first through
//! the points and prefers a point that looks alike (repeated, next to the error, left at all), then
//! one with variables of the same names, then one that comes in the same order.

use crate::graph::Graph;
use rustc_hash::FxHashSet;

/// How far the target may be unrolled.
pub const UNROLLINGS: [Unrolling; 3] = [Unrolling::Steps, Unrolling::Stutter, Unrolling::Pairs];

/// What matches a step of the source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unrolling {
    /// One step of the target.
    Steps,
    /// One, or none if the step of the source leads from one point to another: one that stays would
    /// be matched by standing still for ever.
    Stutter,
    /// The same, or two.
    Pairs,
}

/// How many partial matchings are looked at.
const TRIED: usize = 20_000;

/// Matchings of all points of the source, the most promising first, at most `most`.
pub fn matchings(
    source: &Graph,
    target: &Graph,
    unrolling: Unrolling,
    most: usize,
) -> Vec<Vec<usize>> {
    let ways = ways(target, unrolling);
    let mut search = Search { source, target, ways, found: Vec::new(), most, tried: 0 };
    let mut sigma = vec![None; source.points.len()];
    sigma[source.entry] = Some(target.entry);
    match (source.error, target.error) {
        (Some(error), Some(other)) => sigma[error] = Some(other),
        // A violation of the source has nothing to be matched with.
        (Some(error), None) if source.edges.iter().any(|edge| edge.to == error) => return vec![],
        (Some(error), None) => sigma[error] = Some(target.entry),
        (None, _) => {}
    }
    if search.fits(&sigma) {
        search.extend(&mut sigma);
    }
    search.found
}

/// Between which points of the target there is a way.
fn ways(target: &Graph, unrolling: Unrolling) -> FxHashSet<(usize, usize)> {
    let mut ways: FxHashSet<(usize, usize)> = FxHashSet::default();
    if unrolling > Unrolling::Steps {
        ways.extend((0..target.points.len()).map(|p| (p, p)));
    }
    let single: Vec<(usize, usize)> = target.edges.iter().map(|e| (e.from, e.to)).collect();
    ways.extend(&single);
    if unrolling == Unrolling::Pairs {
        for (from, via) in &single {
            ways.extend(single.iter().filter(|(v, _)| v == via).map(|(_, to)| (*from, *to)));
        }
    }
    ways
}

/// What a point looks like: whether it is repeated, has an edge to the error, is left, is the entry.
fn shape(graph: &Graph, point: usize) -> [bool; 4] {
    [
        graph.between(point, point).next().is_some(),
        graph.error.is_some_and(|error| graph.between(point, error).next().is_some()),
        graph.edges.iter().any(|edge| edge.from == point),
        point == graph.entry,
    ]
}

struct Search<'a> {
    source: &'a Graph,
    target: &'a Graph,
    ways: FxHashSet<(usize, usize)>,
    found: Vec<Vec<usize>>,
    most: usize,
    tried: usize,
}

impl Search<'_> {
    /// (4.6), as far as points are matched.
    fn fits(&self, sigma: &[Option<usize>]) -> bool {
        self.source.edges.iter().all(|edge| match (sigma[edge.from], sigma[edge.to]) {
            (Some(from), Some(to)) => self.ways.contains(&(from, to)),
            _ => true,
        })
    }

    fn extend(&mut self, sigma: &mut Vec<Option<usize>>) {
        self.tried += 1;
        if self.found.len() >= self.most || self.tried > TRIED {
            return;
        }
        // A point next to one that is matched already, if there is one.
        let open = |p: &usize| sigma[*p].is_none();
        let near = |p: &usize| {
            self.source.edges.iter().any(|edge| {
                edge.to == *p && sigma[edge.from].is_some()
                    || edge.from == *p && sigma[edge.to].is_some()
            })
        };
        let all = || (0..sigma.len()).filter(open);
        let Some(point) = all().find(near).or_else(|| all().next()) else {
            self.found.push(sigma.iter().map(|p| p.expect("no point is open")).collect());
            return;
        };
        for candidate in self.candidates(point) {
            sigma[point] = Some(candidate);
            if self.fits(sigma) {
                self.extend(sigma);
            }
            sigma[point] = None;
        }
    }

    /// The points of the target in the order in which they are tried.
    fn candidates(&self, point: usize) -> Vec<usize> {
        let names = |graph: &Graph, p: usize| -> FxHashSet<String> {
            graph.points[p].variables.iter().map(|v| v.name.clone()).collect()
        };
        let own = names(self.source, point);
        let shape = shape(self.source, point);
        let score = |p: usize| {
            let other = names(self.target, p);
            let common = own.intersection(&other).count();
            let different = own.len() + other.len() - 2 * common;
            let unlike = shape.iter().zip(self::shape(self.target, p)).filter(|(a, b)| **a != *b);
            let order = (point * self.target.points.len()).abs_diff(p * self.source.points.len());
            (unlike.count(), different, order)
        };
        let open = |p: &usize| Some(*p) != self.target.error;
        let mut all: Vec<usize> = (0..self.target.points.len()).filter(open).collect();
        all.sort_by_key(|p| score(*p));
        all
    }
}
