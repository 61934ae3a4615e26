//! The suffix IND'ᵢ: what is looked for at the frontier is not a step into the error location but i + 1 of
//! them ([Sch §III-E]).
//!
//! States from which the error location is reached sooner need not be excluded: that no run reaches it
//! within i + 1 edges is known by bounded model checking, so a run into it has a state i + 1 edges before,
//! and such states the frames exclude. What is proved then is (i+1)-induction with the frame as its
//! invariant.
//!
//! Every path of i + 1 edges is a relation of its own, a conjunction.

use crate::system::{NodeId, Relation, RelationId, System};
use program::cfa::{Cfa, EdgeId};
use term::Pool;

/// The most paths that a suffix may have.
const MAX_PATHS: usize = 96;
/// The most that are executed to see whether a state gets through.
const MAX_TRIED: usize = 600;

/// Adds the relations of IND'ᵢ. None, and nothing is added, if there are too many.
///
/// Paths from the initial location are left out: no run is so short.
pub fn add(pool: &Pool, cfa: &Cfa, system: &mut System, i: usize) -> Option<Vec<RelationId>> {
    let relations = relations(pool, cfa, system, i)?;
    Some(relations.into_iter().map(|relation| system.add(relation)).collect())
}

fn relations(pool: &Pool, cfa: &Cfa, system: &System, i: usize) -> Option<Vec<Relation>> {
    let mut paths: Vec<(NodeId, Vec<EdgeId>)> = vec![(system.error, Vec::new())];
    for _ in 0..=i {
        let mut longer = Vec::new();
        for (node, path) in &paths {
            for (from, edge) in &system.edges_into[*node] {
                longer.push((*from, [&[*edge], path.as_slice()].concat()));
            }
        }
        if longer.len() > MAX_TRIED {
            return None;
        }
        // A path of which a part can't be taken can't be taken.
        longer.retain(|(node, path)| execute(pool, cfa, system, *node, path).is_some());
        paths = longer;
    }
    paths.retain(|(node, _)| *node != system.initial);
    if paths.len() > MAX_PATHS {
        return None;
    }
    Some(paths.iter().filter_map(|(node, path)| execute(pool, cfa, system, *node, path)).collect())
}

fn execute(
    pool: &Pool,
    cfa: &Cfa,
    system: &System,
    from: NodeId,
    path: &[EdgeId],
) -> Option<Relation> {
    Relation::new(pool, cfa, &[], path, [from, system.error])
}
