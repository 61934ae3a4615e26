//! The slice of the properties as a program of its own, for those who execute programs.
//!
//! What does not act in the slice ([`super::cone`]) is skipped, and so are the ways between what does:
//! an edge leads to where something happens next. Functions, locations, edges and registers keep their
//! numbers, so a position in the slice is one in the program; what no run comes to is left where it is.

use super::asks_for_accesses;
use super::cone::{Cone, Part, cone};
use super::initialized::Unread;
use super::targets::resolve_with_memory;
use crate::program::{Body, Edge, FunctionId, Instruction, Location, LocationId, Program, Site};
use crate::property::Property;
use la_arena::Arena;
use std::collections::BTreeSet;

/// What the properties depend on, if that can be told. The slice has all violations of the program, and
/// maybe more: it goes on where a run of the program ends for another reason, or does not end.
pub fn slice(program: &Program, properties: &BTreeSet<Property>) -> Option<Program> {
    Some(sliced(program, &cone_of(program, properties)?))
}

/// The slice, if an instruction does not belong to it.
pub fn slice_without(
    program: &Program,
    properties: &BTreeSet<Property>,
    (function, edge): Site,
) -> Option<Program> {
    let cone = cone_of(program, properties)?;
    let acts = cone.part(function).is_some_and(|part| part.acts(edge));
    (!acts).then(|| sliced(program, &cone))
}

/// What the properties depend on; none if every access matters, or every object.
fn cone_of(program: &Program, properties: &BTreeSet<Property>) -> Option<Cone> {
    let measures = |edge: &Edge| matches!(edge.instruction, Instruction::Measure { .. });
    if asks_for_accesses(properties) || program.edges().any(|(_, edge)| measures(edge)) {
        return None;
    }
    let (targets, memory) = resolve_with_memory(program);
    Some(cone(program, properties, &targets, &memory, &Unread::find(program)))
}

fn sliced(program: &Program, cone: &Cone) -> Program {
    let mut slice = program.clone();
    let with_body = program.functions.iter().filter(|(_, function)| function.body.is_some());
    let functions: Vec<FunctionId> = with_body.map(|(id, _)| id).collect();
    for function in functions {
        let Some(body) = &mut slice.functions[function].body else { continue };
        match cone.part(function) {
            Some(part) => keep(body, part),
            None => *body = idle(body, cone.returns(function)),
        }
    }
    slice
}

/// Leaves what acts.
fn keep(body: &mut Body, part: &Part) {
    let dead_end = body.locations.alloc(Location::default());
    let next = |location: LocationId| part.leads(location).unwrap_or(dead_end);
    for (id, edge) in body.edges.iter_mut() {
        edge.to = next(edge.to);
        if !part.acts(id) {
            edge.instruction = Instruction::Skip;
        }
    }
    body.entry = next(body.entry);
}

/// A function in which nothing acts: it returns, or it never does.
fn idle(body: &Body, returns: bool) -> Body {
    let (mut locations, mut edges) = (Arena::new(), Arena::new());
    let entry = locations.alloc(body.locations[body.entry].clone());
    let exit = locations.alloc(body.locations[body.exit].clone());
    if returns {
        let (instruction, place) = (Instruction::Skip, body.locations[body.exit].place.clone());
        edges.alloc(Edge { from: entry, to: exit, instruction, place });
    }
    Body { locations, edges, entry, exit }
}
