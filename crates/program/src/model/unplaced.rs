//! A program without what it sees of where its objects lie.
//!
//! Every comparison that depends on the placement ([`super::dependence`]) may go either way. Whatever
//! the placement, each run of the program is one of this one, but for numbers made from addresses,
//! which nobody looks at any more. So a proof for it, found with one placement, holds for all.
//!
//! Two addresses within their objects that are equal in one placement are equal in every other, as
//! objects do not touch here and no address is used twice: where they are equal, so much stays known.

use super::dependence::{Addresses, assigned, tested};
use super::targets::resolve_with_memory;
use crate::program::{Cause, Edge, Instruction, Location, Program, Reading, Site, Variable};
use term::traverse::Substitution;
use term::{Op, Sort, Term};

/// The program with every comparison left open that depends on where objects lie. None if the program
/// goes to places that it computes from addresses.
pub fn unplaced(program: &Program) -> Option<Program> {
    let (targets, memory) = resolve_with_memory(program);
    let mut addresses = Addresses::find(program, &targets, &memory);
    if program.edges().any(|(_, edge)| addresses.computes_place(&edge.instruction)) {
        return None;
    }
    let apart = are_apart(program);
    let mut opened = program.clone();
    for (site, edge) in program.edges() {
        let Some(term) = tested(&edge.instruction).or_else(|| assigned(&edge.instruction)) else {
            continue;
        };
        let mut open = Vec::new();
        for comparison in addresses.comparisons(term) {
            let either = unknown_before(&mut opened, site);
            let pool = &opened.pool;
            let known = match pool.op(comparison.term) {
                Op::Eq if comparison.within && apart => pool.or([comparison.term, either]),
                _ => either,
            };
            open.push((comparison.term, known));
        }
        if !open.is_empty() {
            let term = Substitution::new(open).apply(&opened.pool, term);
            replace(&mut opened, site, term);
        }
    }
    Some(opened)
}

/// Whether no two static objects touch.
fn are_apart(program: &Program) -> bool {
    let at = |term: Term| program.addresses.get(&term).and_then(|bits| bits.to_u64());
    let objects = program.objects.values().map(|object| (at(object.address), object.size));
    let functions = program.functions.values().filter_map(|f| Some((at(f.address?), 1)));
    let places: Option<Vec<(u64, u64)>> =
        objects.chain(functions).map(|(at, size)| Some((at?, size))).collect();
    places.is_some_and(|mut places| {
        places.sort_unstable();
        places.windows(2).all(|pair| pair[0].0.saturating_add(pair[0].1) < pair[1].0)
    })
}

/// A truth value that nothing is known of, taken before an instruction.
fn unknown_before(program: &mut Program, (function, edge): Site) -> Term {
    let sort = Sort::Bool;
    let term = program.pool.fresh_var("placement", sort);
    let Some(body) = &mut program.functions[function].body else { return term };
    let place = body.edges[edge].place.clone();
    let (reading, function) = (Reading::Bool, Some(function));
    let variable = Variable { term, sort, name: None, reading, function, place: place.clone() };
    let variable = program.variables.alloc(variable);
    let to = body.locations.alloc(Location { place: place.clone(), ..Location::default() });
    let from = std::mem::replace(&mut body.edges[edge].from, to);
    let instruction = Instruction::Havoc(variable, Cause::Unknown("where objects lie".into()));
    body.edges.alloc(Edge { from, to, instruction, place });
    term
}

/// Puts a term in place of the one that an instruction tests or assigns.
fn replace(program: &mut Program, (function, edge): Site, new: Term) {
    let Some(body) = &mut program.functions[function].body else { return };
    match &mut body.edges[edge].instruction {
        Instruction::Assume(term) | Instruction::Check(_, term) | Instruction::Assign(_, term) => {
            *term = new;
        }
        _ => {}
    }
}
