//! The checks of a program: each is a property at a place of the source, and can be asked about by
//! itself.
//!
//! Some are instructions ([`Instruction::Check`]), others belong to what accesses memory, frees it or
//! calls through a pointer. All that stand at one place for one property, in whatever calls, are one
//! [`Check`]. What nobody asks about is an assumption: a run that fails there ends, and says nothing of
//! what comes later. So a run violates the first check that it fails, and no other. Nobody asks about
//! what code beyond the program does ([`Place::is_beyond`]).

use crate::place::Place;
use crate::program::{
    Body, Callee, Edge, FunctionId, Instruction, Location, LocationId, Program, Storage,
};
use crate::property::Property;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;
use term::Term;
use term::traverse::free_vars;

/// A property at a place.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Check {
    /// Where.
    pub place: Place,
    /// What must hold there.
    pub property: Property,
}

/// Which checks are asked about.
#[derive(Clone, Debug)]
pub enum Asked {
    /// All but these.
    AllBut(FxHashSet<Check>),
    /// These.
    Only(FxHashSet<Check>),
}

impl Default for Asked {
    fn default() -> Self {
        Asked::AllBut(FxHashSet::default())
    }
}

impl Asked {
    /// Whether a check is asked about.
    pub fn asks(&self, property: Property, place: &Place) -> bool {
        if place.is_beyond() {
            return false;
        }
        let (checks, among) = match self {
            Asked::AllBut(checks) => (checks, false),
            Asked::Only(checks) => (checks, true),
        };
        if checks.is_empty() {
            return !among;
        }
        checks.contains(&Check { place: place.clone(), property }) == among
    }
}

/// A check of a program.
#[derive(Clone, Debug)]
pub struct Found {
    /// The check.
    pub check: Check,
    /// The function that it stands in.
    pub function: Arc<str>,
    /// Whether it is of an access to an object by its own name, which no one would expect to fail,
    /// or has a check of its own.
    pub plain: bool,
}

/// The checks of some properties in a program, in the order of the source.
pub fn checks(program: &Program, properties: &BTreeSet<Property>) -> Vec<Found> {
    let own = own_objects(program);
    let mut found: FxHashMap<Check, Found> = FxHashMap::default();
    for ((function, _), edge) in program.edges() {
        let Some((property, plain)) = checked(program, &edge.instruction, &own) else { continue };
        if !properties.contains(&property) || edge.place.is_beyond() {
            continue;
        }
        if !program.asked.asks(property, &edge.place) {
            continue;
        }
        let check = Check { place: edge.place.clone(), property };
        let function = program.functions[function].name.clone();
        let known = found.entry(check.clone()).or_insert(Found { check, function, plain });
        known.plain &= plain;
    }
    let mut found: Vec<Found> = found.into_values().collect();
    found.sort_by(|a, b| a.check.cmp(&b.check));
    found
}

/// The property that an instruction must satisfy, and whether it plainly does.
fn checked(
    program: &Program,
    instruction: &Instruction,
    own: &FxHashSet<Term>,
) -> Option<(Property, bool)> {
    let pool = &program.pool;
    let plain = |address: &Term| free_vars(pool, &[*address]).iter().any(|v| own.contains(v));
    match instruction {
        Instruction::Check(property, formula) => {
            Some((*property, pool.as_bool(*formula) == Some(true)))
        }
        Instruction::Load { address, .. }
        | Instruction::Written { address, .. }
        | Instruction::Store { address, .. } => Some((Property::Pointer, plain(address))),
        Instruction::Fill { to: address, .. } | Instruction::HavocBytes { address, .. } => {
            Some((Property::Pointer, plain(address)))
        }
        Instruction::Copy { to, from, .. } => Some((Property::Pointer, plain(to) && plain(from))),
        Instruction::Free { storage: Storage::Heap, .. } => Some((Property::Free, false)),
        Instruction::Call { callee: Callee::Pointer(_), .. } => Some((Property::Pointer, false)),
        _ => None,
    }
}

/// The addresses of static objects, and the registers that hold nothing but the address of an object of
/// their own on the stack.
fn own_objects(program: &Program) -> FxHashSet<Term> {
    let mut own: FxHashSet<Term> = program.objects.values().map(|object| object.address).collect();
    let mut others = FxHashSet::default();
    for (_, edge) in program.edges() {
        match &edge.instruction {
            Instruction::Allocate { into, storage: Storage::Stack, .. } => {
                own.insert(program.variables[*into].term);
            }
            Instruction::Allocate { into, .. }
            | Instruction::Assign(into, _)
            | Instruction::Havoc(into, _)
            | Instruction::Measure { into, .. }
            | Instruction::Written { into, .. }
            | Instruction::Load { into, .. } => {
                others.insert(program.variables[*into].term);
            }
            Instruction::Call { results, .. } => {
                others.extend(results.iter().map(|result| program.variables[*result].term));
            }
            _ => {}
        }
    }
    own.retain(|term| !others.contains(term));
    own
}

/// The same program, of which only some checks of some properties are asked about. Their other checks
/// are assumptions.
pub fn restricted(program: &Program, properties: &BTreeSet<Property>, asked: Asked) -> Program {
    let mut program = program.clone();
    for (_, function) in program.functions.iter_mut() {
        let Some(body) = &mut function.body else { continue };
        for (_, edge) in body.edges.iter_mut() {
            if let Instruction::Check(property, formula) = edge.instruction
                && properties.contains(&property)
                && !asked.asks(property, &edge.place)
            {
                edge.instruction = Instruction::Assume(formula);
            }
        }
    }
    program.asked = asked;
    program
}

/// Where a run is when it comes to some checks. A check that always fails stands behind the decisions that
/// lead there, as the call in an assertion that is a macro does: a run comes to the check if it comes to
/// one of them.
pub fn points(
    program: &Program,
    wanted: impl Fn(&Check) -> bool,
) -> Vec<(FunctionId, LocationId, Check)> {
    let own = FxHashSet::default();
    let mut points = Vec::new();
    for ((function, _), edge) in program.edges() {
        let Some((property, _)) = checked(program, &edge.instruction, &own) else { continue };
        let check = Check { place: edge.place.clone(), property };
        if !wanted(&check) || check.place.is_beyond() {
            continue;
        }
        let body = program.functions[function].body();
        let never = matches!(edge.instruction, Instruction::Check(_, formula)
            if program.pool.as_bool(formula) == Some(false));
        let at = if never { decisions(body, edge.from) } else { vec![edge.from] };
        points.extend(at.into_iter().map(|at| (function, at, check.clone())));
    }
    points
}

/// The last locations on the ways to another one where there are several ways on: a condition of several
/// parts is decided in several places.
fn decisions(body: &Body, at: LocationId) -> Vec<LocationId> {
    let (mut found, mut seen, mut open) = (Vec::new(), FxHashSet::default(), vec![at]);
    while let Some(at) = open.pop() {
        for edge in body.edges.values().filter(|edge| edge.to == at) {
            if !seen.insert(edge.from) {
                continue;
            }
            let leaving = body.edges.values().filter(|other| other.from == edge.from);
            match leaving.count() {
                1 => open.push(edge.from),
                _ => found.push(edge.from),
            }
        }
    }
    if found.is_empty() { vec![at] } else { found }
}

/// The same program with a check that always fails ([`Property::DeadCode`]) at each of some points: a run
/// violates the first of these that it comes to. The checks of the properties are assumptions.
pub fn probing(
    program: &Program,
    properties: &BTreeSet<Property>,
    points: &[(FunctionId, LocationId, Check)],
) -> Program {
    let mut probing = restricted(program, properties, Asked::Only(FxHashSet::default()));
    probing.asked = Asked::default();
    let never = probing.pool.fls();
    for (function, location, check) in points {
        let Some(body) = &mut probing.functions[*function].body else { continue };
        let after = body.locations.alloc(Location::default());
        for (_, edge) in body.edges.iter_mut().filter(|(_, edge)| edge.from == *location) {
            edge.from = after;
        }
        let instruction = Instruction::Check(Property::DeadCode, never);
        let place = check.place.clone();
        body.edges.alloc(Edge { from: *location, to: after, instruction, place });
    }
    probing
}
