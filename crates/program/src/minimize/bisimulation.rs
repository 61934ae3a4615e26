//! Locations with the same future become one: the coarsest partition of the locations in which
//! equivalent ones have edges with the same commands to equivalent ones, by refinement of a
//! partition with one class for all but the initial and the error location.

use super::Work;
use super::back::{Formulas, Undo};
use super::pass::Done;
use crate::cfa::{Command, LocationId};
use crate::property::Property;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use term::Pool;

/// Rounds of refinement after which the pass gives up: only long chains need more, and
/// large blocks have none.
const ROUNDS: usize = 100;

/// An edge as seen from where it leaves: what it does, and which class it leads to.
type Move = (u32, u32, Option<Property>);

/// Locations, each with the one that stands for it.
#[derive(Debug)]
struct Merged(Vec<(LocationId, LocationId)>);

impl Undo for Merged {
    fn undo(&self, _: &Pool, at: &mut Formulas) {
        for &(location, representative) in &self.0 {
            if let Some(formulas) = at.get(representative).cloned() {
                at.insert(location, formulas);
            }
        }
    }
}

/// Merges equivalent locations.
pub(super) fn merge(work: &mut Work) -> Done {
    let cfa = &mut work.cfa;
    let index = |location: LocationId| location.into_raw().into_u32() as usize;
    let count = cfa.locations.len();
    let mut numbers: FxHashMap<&Command, u32> = FxHashMap::default();
    let mut moves: Vec<Vec<(u32, usize, Option<Property>)>> = vec![Vec::new(); count];
    for edge in cfa.edges.values() {
        let next = numbers.len() as u32;
        let number = *numbers.entry(&edge.command).or_insert(next);
        moves[index(edge.from)].push((number, index(edge.to), edge.violates));
    }
    let mut class = vec![0u32; count];
    if let Some(initial) = cfa.initial {
        class[index(initial)] = 1;
    }
    if let Some(error) = cfa.error {
        class[index(error)] = 2;
    }
    let mut classes = class.iter().collect::<FxHashSet<_>>().len();
    let mut stable = false;
    for _ in 0..ROUNDS {
        let mut signatures: FxHashMap<(u32, Vec<Move>), u32> = FxHashMap::default();
        let refined: Vec<u32> = (0..count)
            .map(|n| {
                let mut signature: Vec<Move> =
                    moves[n].iter().map(|&(c, to, p)| (c, class[to], p)).collect();
                signature.sort_unstable();
                signature.dedup();
                let next = signatures.len() as u32;
                *signatures.entry((class[n], signature)).or_insert(next)
            })
            .collect();
        let found = signatures.len();
        class = refined;
        if found == classes {
            stable = true;
            break;
        }
        classes = found;
    }
    if !stable {
        return Done::Nothing;
    }
    let mut representative: FxHashMap<u32, LocationId> = FxHashMap::default();
    let mut merged = Vec::new();
    let mut stands_for: Vec<LocationId> = Vec::with_capacity(count);
    let has_edges: Vec<bool> = moves.iter().map(|moves| !moves.is_empty()).collect();
    for (location, _) in cfa.locations.iter() {
        let first = *representative.entry(class[index(location)]).or_insert(location);
        stands_for.push(first);
        if first != location && has_edges[index(location)] {
            merged.push((location, first));
        }
    }
    if merged.is_empty() {
        return Done::Nothing;
    }
    let edges = std::mem::take(&mut cfa.edges);
    for (_, mut edge) in edges.into_iter() {
        // The representative has the same edges.
        if stands_for[index(edge.from)] == edge.from {
            edge.to = stands_for[index(edge.to)];
            cfa.edges.alloc(edge);
        }
    }
    Done::With(Arc::new(Merged(merged)))
}
