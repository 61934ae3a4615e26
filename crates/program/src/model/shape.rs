//! What inlining needs to know of a function's body, computed once for all its instances.

use crate::program::{Body, EdgeId, Instruction, LocationId, Program, Storage, VariableId};
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use term::Term;

/// The part of a body that its entry reaches.
pub(super) struct Shape {
    /// Locations, the entry first, the exit always among them.
    pub locations: Vec<LocationId>,
    /// The edges between them, but for those that only lead from a location to the one that
    /// stands for it.
    pub edges: Vec<EdgeId>,
    /// The location that stands for one from which a single edge leads on and does nothing.
    stands_for: FxHashMap<LocationId, LocationId>,
    /// The registers that take addresses of objects on the stack.
    pub stack: Vec<VariableId>,
    /// Allocations that can be executed again while an object that they made still lives in the
    /// same call.
    pub several: FxHashSet<EdgeId>,
}

impl Shape {
    pub fn of(program: &Program, body: &Body) -> Shape {
        let mut leaving: ArenaMap<LocationId, Vec<EdgeId>> = ArenaMap::default();
        for (id, edge) in body.edges.iter() {
            leaving.entry(edge.from).or_default().push(id);
        }
        let leaving = |location| leaving.get(location).map_or(&[][..], Vec::as_slice);
        let mut seen: FxHashSet<LocationId> = [body.entry, body.exit].into_iter().collect();
        let mut locations = vec![body.entry];
        if body.exit != body.entry {
            locations.push(body.exit);
        }
        let mut edges = Vec::new();
        let mut next = 0;
        while next < locations.len() {
            let location = locations[next];
            next += 1;
            // A call returns at the exit; edges that leave it are never taken.
            if location == body.exit {
                continue;
            }
            for &id in leaving(location) {
                edges.push(id);
                let to = body.edges[id].to;
                if seen.insert(to) {
                    locations.push(to);
                }
            }
        }
        let mut stack = Vec::new();
        let mut several = FxHashSet::default();
        for &id in &edges {
            let edge = &body.edges[id];
            let Instruction::Allocate { into, storage, .. } = edge.instruction else { continue };
            if storage == Storage::Stack && !stack.contains(&into) {
                stack.push(into);
            }
            let address = program.variables[into].term;
            if returns(body, &leaving, edge.to, edge.from, address) {
                several.insert(id);
            }
        }
        let stands_for = contract(body, &leaving, &locations);
        locations.retain(|location| !stands_for.contains_key(location));
        edges.retain(|edge| !stands_for.contains_key(&body.edges[*edge].from));
        Shape { locations, edges, stands_for, stack, several }
    }

    /// The location that stands for a location.
    pub fn representative(&self, location: LocationId) -> LocationId {
        self.stands_for.get(&location).copied().unwrap_or(location)
    }
}

/// Whether a path leads from one location to another without freeing the object at the address.
fn returns<'a>(
    body: &Body,
    leaving: &impl Fn(LocationId) -> &'a [EdgeId],
    from: LocationId,
    to: LocationId,
    address: Term,
) -> bool {
    let mut seen: FxHashSet<LocationId> = [from].into_iter().collect();
    let mut pending = vec![from];
    while let Some(location) = pending.pop() {
        if location == to {
            return true;
        }
        for &id in leaving(location) {
            let edge = &body.edges[id];
            let frees =
                matches!(edge.instruction, Instruction::Free { address: a, .. } if a == address);
            if !frees && seen.insert(edge.to) {
                pending.push(edge.to);
            }
        }
    }
    false
}

/// Where one edge leaves and does nothing, the location that it leads to in the end. Loop statements
/// keep their locations, and so does one location of a cycle of such edges.
fn contract<'a>(
    body: &Body,
    leaving: &impl Fn(LocationId) -> &'a [EdgeId],
    locations: &[LocationId],
) -> FxHashMap<LocationId, LocationId> {
    let next = |location: LocationId| match leaving(location) {
        &[edge] if location != body.exit && !body.locations[location].loop_head => {
            let edge = &body.edges[edge];
            (edge.instruction == Instruction::Skip).then_some(edge.to)
        }
        _ => None,
    };
    let mut stands_for: FxHashMap<LocationId, LocationId> = FxHashMap::default();
    // Locations that stay though one edge leaves them.
    let mut ends: FxHashSet<LocationId> = FxHashSet::default();
    for &location in locations {
        let mut path = Vec::new();
        let mut on_path: FxHashSet<LocationId> = FxHashSet::default();
        let mut at = location;
        let end = loop {
            if let Some(&end) = stands_for.get(&at) {
                break end;
            }
            let Some(to) = next(at).filter(|_| !ends.contains(&at)) else { break at };
            if !on_path.insert(at) {
                ends.insert(at);
                break at;
            }
            path.push(at);
            at = to;
        };
        for passed in path.into_iter().filter(|passed| *passed != end) {
            stands_for.insert(passed, end);
        }
    }
    stands_for
}
