//! Unreachable locations, and locations from which the error can't be reached.

use super::Work;
use super::back::{Formulas, Undo};
use super::pass::Done;
use crate::cfa::{Cfa, Command, Edge, LocationId};
use crate::scc::Successors;
use std::sync::Arc;
use term::Pool;

/// What was removed: locations where no run comes, and locations from which no error is reached.
#[derive(Debug)]
struct Pruned {
    unreachable: Vec<LocationId>,
    harmless: Vec<LocationId>,
}

impl Undo for Pruned {
    fn undo(&self, pool: &Pool, at: &mut Formulas) {
        for &location in &self.unreachable {
            at.insert(location, vec![pool.fls()]);
        }
        for &location in &self.harmless {
            at.insert(location, vec![pool.tru()]);
        }
    }
}

/// Removes edges that can't be taken, edges from where no run comes, and edges to where no error
/// is reached from.
pub(super) fn prune(work: &mut Work) -> Done {
    let cfa = &mut work.cfa;
    let index = |location: LocationId| location.into_raw().into_u32() as usize;
    let count = cfa.locations.len();
    let touched = touched(cfa);
    let possible = |command: &Command| !matches!(command, Command::Choice(c) if c.is_empty());
    let forward: Vec<(usize, usize)> = cfa
        .edges
        .values()
        .filter(|edge| Some(edge.from) != cfa.error && possible(&edge.command))
        .map(|edge| (index(edge.from), index(edge.to)))
        .collect();
    let backward: Vec<(usize, usize)> = forward.iter().map(|&(from, to)| (to, from)).collect();
    let reached = reach(count, cfa.initial.map(index), &forward);
    let relevant = reach(count, cfa.error.map(index), &backward);
    let error = cfa.error;
    let kept = |edge: &Edge| {
        let (from, to) = (index(edge.from), index(edge.to));
        let useful = reached[from] && relevant[to] && Some(edge.from) != error;
        useful && possible(&edge.command)
    };
    if cfa.edges.values().all(kept) {
        return Done::Nothing;
    }
    let edges = std::mem::take(&mut cfa.edges);
    for (_, edge) in edges.into_iter().filter(|(_, edge)| kept(edge)) {
        cfa.edges.alloc(edge);
    }
    let kept =
        |location: &LocationId| Some(*location) == cfa.initial || Some(*location) == cfa.error;
    let gone = cfa.locations.iter().map(|(location, _)| location);
    let gone = gone.filter(|location| touched[index(*location)] && !kept(location));
    let (reachable, unreachable): (Vec<_>, Vec<_>) =
        gone.partition(|location| reached[index(*location)]);
    let harmless = reachable.into_iter().filter(|location| !relevant[index(*location)]).collect();
    Done::With(Arc::new(Pruned { unreachable, harmless }))
}

/// The locations that have an edge.
fn touched(cfa: &Cfa) -> Vec<bool> {
    let mut touched = vec![false; cfa.locations.len()];
    for location in cfa.edges.values().flat_map(|edge| [edge.from, edge.to]) {
        touched[location.into_raw().into_u32() as usize] = true;
    }
    touched
}

fn reach(count: usize, start: Option<usize>, edges: &[(usize, usize)]) -> Vec<bool> {
    let successors = Successors::new(count, edges);
    let mut reached = vec![false; count];
    let mut pending: Vec<usize> = start.into_iter().collect();
    while let Some(location) = pending.pop() {
        if !std::mem::replace(&mut reached[location], true) {
            pending.extend(successors.of(location).iter().map(|&n| n as usize));
        }
    }
    reached
}
