//! What holds of every loop that ends: it does not come back to the state that it began with.
//!
//! A loop that changes nothing but registers does the same again from the same state. So where it is
//! entered, the registers that it changes and reads again are noted, and where it goes back to its head
//! one of them holds something else. Both versions are compared where they end, so that this may be
//! assumed; it tells, for instance, that an unsigned counter does not wrap around.

use crate::flat::{Edge, Flat, Step};
use crate::shape::Shape;
use term::{Pool, Sort, Term};

/// How many registers a loop may change.
const MAX_CHANGED: usize = 2;

/// The same graph with notes where loops are entered and assumptions where they go back.
pub fn with_progress(mut flat: Flat, pool: &Pool, prefix: &str) -> Flat {
    let shape = Shape::of(&flat);
    let live = flat.live(pool);
    for (number, head) in shape.heads.iter().copied().enumerate() {
        let body = &shape.bodies[number];
        let inside: Vec<&Step> = flat
            .edges
            .iter()
            .filter(|edge| body.contains(&edge.from) && body.contains(&edge.to))
            .map(|edge| &edge.step)
            .collect();
        if !inside.iter().all(|step| is_local(step)) {
            continue;
        }
        let mut changed: Vec<Term> = inside.iter().flat_map(|step| step.writes()).collect();
        changed.retain(|register| live[head].contains(register));
        changed.sort_unstable();
        changed.dedup();
        let numbers = changed.iter().all(|v| matches!(pool.sort(*v), Sort::BitVec(_)));
        if changed.is_empty() || changed.len() > MAX_CHANGED || !numbers {
            continue;
        }
        let notes: Vec<(Term, Term)> = changed
            .iter()
            .enumerate()
            .map(|(i, v)| (*v, pool.var(&format!("{prefix}entry {number} {i}"), pool.sort(*v))))
            .collect();
        flat.registers.extend(notes.iter().map(|(_, note)| *note));
        let moved = pool.or(notes.iter().map(|(v, note)| pool.not(pool.eq(*v, *note))));
        for edge in 0..flat.edges.len() {
            if flat.edges[edge].to == head && body.contains(&flat.edges[edge].from) {
                before_head(&mut flat, edge, vec![Step::Assume(moved)]);
            } else if flat.edges[edge].to == head {
                let steps = notes.iter().map(|(v, note)| Step::Assign(*note, *v)).collect();
                before_head(&mut flat, edge, steps);
            }
        }
    }
    flat
}

/// Whether a step does nothing but read and change registers, in the same way each time.
fn is_local(step: &Step) -> bool {
    matches!(
        step,
        Step::Skip
            | Step::Assume(_)
            | Step::Assign(..)
            | Step::Check(..)
            | Step::Load { .. }
            | Step::Abstract { .. }
            | Step::Beyond
            | Step::Unsupported(_)
    ) || matches!(step, Step::Foreign { name, .. }
        if crate::foreign::kind(name) != crate::foreign::Kind::Effect)
}

/// Puts steps between an edge and the node that it leads to.
fn before_head(flat: &mut Flat, edge: usize, steps: Vec<Step>) {
    let head = flat.edges[edge].to;
    let first = flat.nodes;
    flat.edges[edge].to = first;
    flat.nodes += steps.len();
    let end = flat.nodes;
    for (from, step) in (first..).zip(steps) {
        let to = if from + 1 == end { head } else { from + 1 };
        flat.edges.push(Edge { from, to, step });
    }
}
