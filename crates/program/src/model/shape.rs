//! What is to be built of a function's body.

use super::cone::Part;
use super::passed::{Move, passed};
use crate::program::{Body, EdgeId, Instruction, LocationId, Program, Storage, VariableId};
use crate::property::Property;
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use term::Term;

/// The part of a body that its entry reaches.
#[derive(Default)]
pub(super) struct Shape {
    /// Locations, the exit always among them.
    pub locations: Vec<LocationId>,
    /// The edges between them, but for those that only lead from a location to the one that
    /// stands for it.
    pub edges: Vec<EdgeId>,
    /// The location that stands for one from which a single edge leads on and does nothing, or for
    /// one from which nothing of interest happens before it; none for a dead end.
    stands_for: FxHashMap<LocationId, Option<LocationId>>,
    /// Edges that do nothing of interest.
    pub idle: FxHashSet<EdgeId>,
    /// Registers that some edge gives a value.
    pub assigned: FxHashSet<VariableId>,
    /// Whether an edge leads back to where calls begin.
    pub entry_repeats: bool,
    /// The registers that take addresses of objects on the stack.
    pub stack: Vec<VariableId>,
    /// Allocations that can be executed again while an object that they made still lives in the
    /// same call.
    pub several: FxHashSet<EdgeId>,
}

impl Shape {
    /// The shape of what is left of a body; checks of the properties asked for stay.
    pub fn of_part(
        program: &Program,
        body: &Body,
        part: &Part,
        properties: &BTreeSet<Property>,
    ) -> Shape {
        let mut leaving: ArenaMap<LocationId, Vec<EdgeId>> = ArenaMap::default();
        for (id, edge) in body.edges.iter() {
            leaving.entry(edge.from).or_default().push(id);
        }
        let leaving = |location| leaving.get(location).map_or(&[][..], Vec::as_slice);
        let mut locations: Vec<LocationId> = vec![body.exit];
        locations.extend(part.leads(body.entry).filter(|first| *first != body.exit));
        let mut seen: FxHashSet<LocationId> = locations.iter().copied().collect();
        let (mut edges, mut idle) = (Vec::new(), FxHashSet::default());
        // The exit is the first.
        let mut next = 1;
        while let Some(&location) = locations.get(next) {
            next += 1;
            for &id in leaving(location) {
                let edge = &body.edges[id];
                let to = part.leads(edge.to);
                if !part.acts(id) {
                    idle.insert(id);
                }
                let guard = matches!(edge.instruction, Instruction::Assume(_));
                if to.is_none() && (guard || !part.acts(id)) {
                    continue;
                }
                edges.push(id);
                locations.extend(to.filter(|to| seen.insert(*to)));
            }
        }
        let stands_for =
            body.locations.iter().map(|(location, _)| (location, part.leads(location))).collect();
        let mut shape = Shape { locations, edges, stands_for, idle, ..Shape::default() };
        shape.leave_out_passed(program, body, properties);
        shape.find_allocations(program, body, &leaving);
        shape.find_assigned(body);
        let first = shape.representative(body.entry);
        let leads_back = |edge: &EdgeId| shape.representative(body.edges[*edge].to) == first;
        shape.entry_repeats = shape.edges.iter().any(leads_back);
        shape
    }

    /// Leaves out checks that have been passed where they stand, and locations after which nothing
    /// happens before another.
    fn leave_out_passed(
        &mut self,
        program: &Program,
        body: &Body,
        properties: &BTreeSet<Property>,
    ) {
        let Some(first) = self.representative(body.entry) else { return };
        let mut number: FxHashMap<LocationId, usize> = [(first, 0)].into_iter().collect();
        for &location in &self.locations {
            let next = number.len();
            number.entry(location).or_insert(next);
        }
        let moves = self.edges.iter().filter_map(|&edge| {
            let (from, to) = (body.edges[edge].from, body.edges[edge].to);
            let (from, to) = (*number.get(&from)?, *number.get(&self.representative(to)?)?);
            Some(Move { from, to, edge, acts: !self.idle.contains(&edge) })
        });
        let moves: Vec<Move> = moves.collect();
        let asked = |edge: &EdgeId| match &body.edges[*edge].instruction {
            Instruction::Check(property, _) => properties.contains(property),
            _ => false,
        };
        let passed = passed(program, body, number.len(), &moves);
        self.idle.extend(passed.into_iter().filter(|edge| !asked(edge)));
        self.contract_idle(body, first);
    }

    /// Locations that one edge leaves, which does nothing, go; but for the first, the exit, and heads
    /// of loops.
    fn contract_idle(&mut self, body: &Body, first: LocationId) {
        let mut only: FxHashMap<LocationId, Option<EdgeId>> = FxHashMap::default();
        for &edge in &self.edges {
            let only = only.entry(body.edges[edge].from);
            only.and_modify(|only| *only = None).or_insert(Some(edge));
        }
        let stays = |location: LocationId| {
            location == first || location == body.exit || body.locations[location].loop_head
        };
        let next = |location: LocationId| {
            let edge = only.get(&location).copied().flatten().filter(|_| !stays(location))?;
            let idle = self.idle.contains(&edge);
            idle.then(|| self.representative(body.edges[edge].to)).flatten()
        };
        let mut ends: FxHashMap<LocationId, LocationId> = FxHashMap::default();
        for &location in &self.locations {
            let (mut at, mut steps) = (location, 0);
            // A cycle in which nothing happens stays as it is.
            while let Some(to) = next(at).filter(|_| steps <= self.locations.len()) {
                (at, steps) = (to, steps + 1);
            }
            if at != location && steps <= self.locations.len() {
                ends.insert(location, at);
            }
        }
        self.edges.retain(|edge| !ends.contains_key(&body.edges[*edge].from));
        self.locations.retain(|location| !ends.contains_key(location));
        for end in self.stands_for.values_mut().flatten() {
            *end = ends.get(end).copied().unwrap_or(*end);
        }
    }

    fn find_assigned(&mut self, body: &Body) {
        for &id in self.edges.iter().filter(|edge| !self.idle.contains(edge)) {
            match &body.edges[id].instruction {
                Instruction::Assign(register, _)
                | Instruction::Havoc(register, _)
                | Instruction::Load { into: register, .. }
                | Instruction::Measure { into: register, .. }
                | Instruction::Written { into: register, .. }
                | Instruction::Allocate { into: register, .. } => {
                    self.assigned.insert(*register);
                }
                Instruction::Call { results, .. } => self.assigned.extend(results),
                _ => {}
            }
        }
    }

    /// The shape of a whole body, of which some edges do nothing.
    pub fn of(program: &Program, body: &Body, idle: impl Fn(EdgeId) -> bool) -> Shape {
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
        let mut shape = Shape { edges, ..Shape::default() };
        shape.find_allocations(program, body, &leaving);
        let stands_for = contract(body, &leaving, &locations, idle);
        locations.retain(|location| !stands_for.contains_key(location));
        shape.edges.retain(|edge| !stands_for.contains_key(&body.edges[*edge].from));
        shape.locations = locations;
        shape.stands_for = stands_for.into_iter().map(|(from, to)| (from, Some(to))).collect();
        shape
    }

    fn find_allocations<'a>(
        &mut self,
        program: &Program,
        body: &Body,
        leaving: &impl Fn(LocationId) -> &'a [EdgeId],
    ) {
        for &id in self.edges.iter().filter(|edge| !self.idle.contains(edge)) {
            let edge = &body.edges[id];
            let Instruction::Allocate { into, storage, .. } = edge.instruction else { continue };
            if storage == Storage::Stack && !self.stack.contains(&into) {
                self.stack.push(into);
            }
            let address = program.variables[into].term;
            if returns(body, leaving, edge.to, edge.from, address) {
                self.several.insert(id);
            }
        }
    }

    /// The location that stands for a location; none for a dead end.
    pub fn representative(&self, location: LocationId) -> Option<LocationId> {
        self.stands_for.get(&location).copied().unwrap_or(Some(location))
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
    idle: impl Fn(EdgeId) -> bool,
) -> FxHashMap<LocationId, LocationId> {
    let next = |location: LocationId| match leaving(location) {
        &[id] if location != body.exit && !body.locations[location].loop_head => {
            let edge = &body.edges[id];
            (edge.instruction == Instruction::Skip || idle(id)).then_some(edge.to)
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
