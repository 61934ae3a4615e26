//! The places of a program that a run can come to or not, and what is known of each.
//!
//! Code is reached block by block: a *goal* is a place of the source where a block begins, with all
//! locations of the program that stand for it (a macro or a short circuit can have several). It is
//! dead if no run comes to any of them. The end of a function is no goal: a function that never
//! returns is not dead code.

use crate::task::Task;
use answer::{EngineName, Reason};
use program::Property;
use program::interpret::{Effect, Step};
use program::place::Place;
use program::program::{Body, Edge, Function, FunctionId, Instruction, LocationId, Program};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A place where a block of code begins.
pub struct Goal {
    pub place: Place,
    pub function: FunctionId,
    locations: Vec<LocationId>,
    pub state: State,
}

/// What is known of a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// Nothing yet.
    Open,
    /// A run comes there.
    Reached,
    /// There is a proof that no run does, found by an engine.
    Dead(Option<EngineName>),
    /// All ways there lead over one that is dead.
    BehindDead,
    /// Nobody knows, and why.
    Unknown(Reason),
}

fn number(location: LocationId) -> usize {
    location.into_raw().into_u32() as usize
}

/// The goals of a task's program, in the order of the source.
pub fn goals(task: &Task, program: &Program) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (id, function) in program.functions.iter() {
        let Some(body) = function.body.as_ref().filter(|_| task.is_of_user(&function.place)) else {
            continue;
        };
        goals.extend(goals_of(id, function, body));
    }
    goals.sort_by(|a, b| a.place.cmp(&b.place));
    goals
}

fn goals_of(id: FunctionId, function: &Function, body: &Body) -> Vec<Goal> {
    let begins = block_beginnings(body);
    let next = next_places(body);
    let mut places: BTreeMap<Place, (Vec<LocationId>, bool)> = BTreeMap::new();
    for (location, _) in body.locations.iter() {
        let entry = location == body.entry;
        let place = if entry { Some(&function.place) } else { next[number(location)] };
        let Some(place) = place.filter(|_| location != body.exit) else { continue };
        let (locations, block) = places.entry(place.clone()).or_default();
        locations.push(location);
        *block |= begins[number(location)];
    }
    let blocks = places.into_iter().filter(|(_, (_, block))| *block);
    blocks
        .map(|(place, (locations, _))| Goal { place, function: id, locations, state: State::Open })
        .collect()
}

/// The place of what is executed next, by location; none where nothing is, as on the other side of an
/// `if` without `else`.
fn next_places(body: &Body) -> Vec<Option<&Place>> {
    let mut next: Vec<Option<&Place>> = vec![None; body.locations.len()];
    for edge in body.edges.values().filter(|edge| edge.place.is_known()) {
        let first = &mut next[number(edge.from)];
        if edge.instruction != Instruction::Skip && first.is_none_or(|place| edge.place < *place) {
            *first = Some(&edge.place);
        }
    }
    next
}

/// The locations where a block begins: the entry, where ways part or meet, where a call returns to,
/// and where no way leads.
fn block_beginnings(body: &Body) -> Vec<bool> {
    let count = body.locations.len();
    let mut leaving = vec![0usize; count];
    let mut arriving = vec![0usize; count];
    for edge in body.edges.values() {
        leaving[number(edge.from)] += 1;
        arriving[number(edge.to)] += 1;
    }
    let mut begins: Vec<bool> = (0..count).map(|n| arriving[n] != 1 && leaving[n] > 0).collect();
    begins[number(body.entry)] = true;
    for edge in body.edges.values() {
        let called = matches!(edge.instruction, Instruction::Call { .. });
        begins[number(edge.to)] |= called || leaving[number(edge.from)] > 1;
    }
    begins
}

impl Goal {
    /// Puts a check that always fails before each location of the goal; answers the body as it was.
    pub fn ask(&self, program: &mut Program) -> Option<Body> {
        let never = program.pool.fls();
        let body = program.functions[self.function].body.as_mut()?;
        let before = body.clone();
        for &location in &self.locations {
            let mut after = body.locations[location].clone();
            (after.label, after.loop_head) = (None, false);
            let after = body.locations.alloc(after);
            for (_, edge) in body.edges.iter_mut() {
                if edge.from == location {
                    edge.from = after;
                }
            }
            let instruction = Instruction::Check(Property::DeadCode, never);
            let place = self.place.clone();
            body.edges.alloc(Edge { from: location, to: after, instruction, place });
        }
        Some(before)
    }

    /// Takes the checks away again.
    pub fn withdraw(&self, program: &mut Program, before: Body) {
        program.functions[self.function].body = Some(before);
    }
}

/// The locations that runs have come to.
#[derive(Default)]
pub struct Visited(FxHashSet<(FunctionId, LocationId)>);

impl Visited {
    /// A run takes a step.
    pub fn step(&mut self, program: &Program, step: &Step<'_>) {
        let edge = &program.functions[step.function].body().edges[step.edge];
        self.0.insert((step.function, edge.from));
        if let Effect::Called(callee, _) = step.effect
            && let Some(body) = &program.functions[callee].body
        {
            self.0.insert((callee, body.entry));
        }
        // A call is a step when it begins, too.
        if !matches!(edge.instruction, Instruction::Call { .. }) {
            self.0.insert((step.function, edge.to));
        }
    }

    /// Marks the goals that are open and were come to.
    pub fn mark(&self, goals: &mut [Goal]) {
        for goal in goals.iter_mut().filter(|goal| goal.state == State::Open) {
            let mut locations = goal.locations.iter();
            if locations.any(|location| self.0.contains(&(goal.function, *location))) {
                goal.state = State::Reached;
            }
        }
    }
}

/// Marks the open goals of a function that all ways from its entry lead to over dead ones.
pub fn mark_behind_dead(program: &Program, function: FunctionId, goals: &mut [Goal]) {
    let body = program.functions[function].body();
    let mut blocked = vec![false; body.locations.len()];
    let of_function = |goal: &&mut Goal| goal.function == function;
    for goal in goals.iter().filter(|goal| goal.function == function) {
        if matches!(goal.state, State::Dead(_)) {
            goal.locations.iter().for_each(|location| blocked[number(*location)] = true);
        }
    }
    let mut leaving = vec![Vec::new(); body.locations.len()];
    for edge in body.edges.values() {
        leaving[number(edge.from)].push(number(edge.to));
    }
    let mut reached = vec![false; body.locations.len()];
    let mut pending = vec![number(body.entry)];
    while let Some(location) = pending.pop() {
        if !blocked[location] && !std::mem::replace(&mut reached[location], true) {
            pending.extend(&leaving[location]);
        }
    }
    let open = goals.iter_mut().filter(of_function).filter(|goal| goal.state == State::Open);
    for goal in open {
        // That no way leads to a place is worth telling by itself.
        let alone = goal.locations.iter().any(|location| {
            *location != body.entry && body.edges.values().all(|edge| edge.to != *location)
        });
        if !alone && goal.locations.iter().all(|location| !reached[number(*location)]) {
            goal.state = State::BehindDead;
        }
    }
}
