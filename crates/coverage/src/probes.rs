//! The probes of a program, and what they say.
//!
//! Beside those that the front end has put there, one stands at the head of the outermost loop, where a
//! *cycle* begins, and before it others tell the values of global registers, for those who look for new
//! states. Instructions keep their numbers whatever is made of probes.

use crate::states::live;
use program::Place;
use program::coverage::{Map, Tree};
use program::program::{
    Body, Edge, EdgeId, FunctionId, Instruction, Location, LocationId, Program, Reading, Variable,
    VariableId,
};
use rustc_hash::FxHashMap;
use term::{Sort, Term};
use value::Format;

/// The number of the probe that says which point is reached.
pub const POINT: u32 = 0;
/// That of the first decision's.
pub const DECISION: u32 = 1;
/// That of the one at the beginning of a cycle.
pub const CYCLE: u32 = u32::MAX;
/// Those from here on tell states.
pub const STATE: u32 = 1 << 30;
/// The most registers whose values are told.
const MAX_STATES: usize = 1000;

/// A register that is part of the state.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The register's value as a term.
    pub term: Term,
    /// Its sort.
    pub sort: Sort,
    /// Whether it is a signed number.
    pub signed: bool,
    /// Whether it is an address.
    pub address: bool,
}

impl State {
    /// The register with a term, which is no address.
    pub fn of(term: Term, sort: Sort, signed: bool) -> State {
        State { term, sort, signed, address: false }
    }
}

/// Something that a run does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Event {
    /// It comes to a point.
    Point(usize),
    /// It evaluates a decision, with these values of the conditions that are evaluated, the others being
    /// zero.
    Decision(usize, u64),
}

/// A program with its probes.
pub struct Probed {
    /// The program.
    pub program: Program,
    /// The registers of the probes, and their numbers.
    pub numbers: FxHashMap<VariableId, u32>,
    /// How decisions are made of conditions.
    pub trees: Vec<Tree>,
    /// Where the probes of points stand.
    pub points: Vec<Vec<(FunctionId, EdgeId)>>,
    /// Where those of decisions stand.
    pub decisions: Vec<Vec<(FunctionId, EdgeId)>>,
    /// The registers whose values are told where cycles begin.
    pub states: Vec<State>,
    /// Where the one stands that says that a cycle begins.
    pub cycle: Option<(FunctionId, EdgeId)>,
}

impl Probed {
    /// Puts probes at the beginning of cycles, and finds those that are there.
    #[must_use]
    pub fn new(program: &Program, map: &Map, entry: &str) -> Probed {
        let mut program = program.clone();
        let mut numbers = FxHashMap::default();
        numbers.extend(map.reached.map(|register| (register, POINT)));
        for (number, decision) in (DECISION..).zip(&map.decisions) {
            numbers.extend(decision.seen.map(|register| (register, number)));
        }
        let states = mark_cycles(&mut program, entry, &mut numbers);
        let mut points = vec![Vec::new(); map.points.len()];
        let mut decisions = vec![Vec::new(); map.decisions.len()];
        let mut cycle = None;
        for (site, edge) in program.edges() {
            let Instruction::Assign(into, term) = &edge.instruction else { continue };
            match numbers.get(into) {
                Some(&CYCLE) => cycle = Some(site),
                Some(&POINT) => {
                    let number = program.pool.as_bits(*term).and_then(|bits| bits.to_u64());
                    let sites = number.and_then(|number| points.get_mut(number as usize));
                    sites.into_iter().for_each(|sites| sites.push(site));
                }
                Some(&number) if number < STATE => {
                    decisions[(number - DECISION) as usize].push(site);
                }
                _ => {}
            }
        }
        let trees = map.decisions.iter().map(|decision| decision.tree.clone()).collect();
        Probed { program, numbers, trees, points, decisions, states, cycle }
    }

    /// What a probe says, if it is of an event.
    #[must_use]
    pub fn event(&self, number: u32, word: u64) -> Option<Event> {
        match number {
            POINT => Some(Event::Point(word as usize)),
            number if number < STATE => {
                let decision = (number - DECISION) as usize;
                Some(Event::Decision(decision, canonical(&self.trees[decision], word)))
            }
            _ => None,
        }
    }
}

/// The values of the conditions that are evaluated, the others being zero.
#[must_use]
pub fn canonical(tree: &Tree, values: u64) -> u64 {
    values & tree.evaluate(values).evaluated
}

/// Puts the probes of cycles into the function that the program starts with; answers which registers they
/// tell.
fn mark_cycles(
    program: &mut Program,
    entry: &str,
    numbers: &mut FxHashMap<VariableId, u32>,
) -> Vec<State> {
    let function = program.functions.iter().find(|(_, f)| *f.name == *entry && f.body.is_some());
    let Some((function, Some(body))) = function.map(|(id, f)| (id, f.body.as_ref())) else {
        return Vec::new();
    };
    let Some(head) = outermost_loop(body) else { return Vec::new() };
    let (mut chain, mut states) = (Vec::new(), Vec::new());
    for id in live(program, function, head).into_iter().take(MAX_STATES) {
        let Variable { term, sort, reading, .. } = program.variables[id];
        if !matches!(sort, Sort::Bool | Sort::BitVec(..=64)) && !is_usual(sort) {
            continue;
        }
        let number = STATE + states.len() as u32;
        let into = register(program, &format!("coverage::state {number}"), sort);
        numbers.insert(into, number);
        chain.push(Instruction::Assign(into, term));
        let state = State::of(term, sort, reading == Reading::Signed);
        states.push(State { address: reading == Reading::Address, ..state });
    }
    let cycle = register(program, "coverage::cycle", Sort::Bool);
    numbers.insert(cycle, CYCLE);
    chain.push(Instruction::Assign(cycle, program.pool.tru()));
    if let Some(body) = program.functions[function].body.as_mut() {
        insert(body, head, chain);
    }
    states
}

fn is_usual(sort: Sort) -> bool {
    matches!(sort, Sort::Float(format) if format == Format::F32 || format == Format::F64)
}

fn register(program: &mut Program, name: &str, sort: Sort) -> VariableId {
    let term = program.pool.var(name, sort);
    program.variables.alloc(Variable {
        term,
        sort,
        name: None,
        reading: Reading::Unsigned,
        function: None,
        place: Place::default(),
    })
}

/// Puts instructions behind a location.
fn insert(body: &mut Body, head: LocationId, chain: Vec<Instruction>) {
    let after = body.locations.alloc(Location::default());
    for (_, edge) in body.edges.iter_mut().filter(|(_, edge)| edge.from == head) {
        edge.from = after;
    }
    let mut from = head;
    let last = chain.len() - 1;
    for (number, instruction) in chain.into_iter().enumerate() {
        let to = if number == last { after } else { body.locations.alloc(Location::default()) };
        body.edges.alloc(Edge { from, to, instruction, place: Place::default() });
        from = to;
    }
}

/// The head of the loop that does most: with the most calls and unknown values in it.
fn outermost_loop(body: &Body) -> Option<LocationId> {
    let heads = body.locations.iter().filter(|(_, location)| location.loop_head);
    let heads: Vec<LocationId> = heads.map(|(id, _)| id).collect();
    let (leaving, arriving) = neighbours(body);
    let worth = |head: &LocationId| {
        let (from, to) = (closure(*head, &leaving), closure(*head, &arriving));
        let inside = |id: LocationId| from[number(id)] && to[number(id)];
        let edges = body.edges.values().filter(|edge| inside(edge.from) && inside(edge.to));
        let worth = |edge: &Edge| match edge.instruction {
            Instruction::Call { .. } | Instruction::Havoc(..) => 1000usize,
            _ => 1,
        };
        edges.map(worth).sum::<usize>()
    };
    // Of loops that do as much, the outer one comes first.
    heads.into_iter().rev().max_by_key(worth)
}

fn number(id: LocationId) -> usize {
    id.into_raw().into_u32() as usize
}

type Neighbours = Vec<Vec<LocationId>>;

fn neighbours(body: &Body) -> (Neighbours, Neighbours) {
    let mut leaving = vec![Vec::new(); body.locations.len()];
    let mut arriving = vec![Vec::new(); body.locations.len()];
    for edge in body.edges.values() {
        leaving[number(edge.from)].push(edge.to);
        arriving[number(edge.to)].push(edge.from);
    }
    (leaving, arriving)
}

fn closure(from: LocationId, next: &Neighbours) -> Vec<bool> {
    let mut seen = vec![false; next.len()];
    let mut todo = vec![from];
    seen[number(from)] = true;
    while let Some(at) = todo.pop() {
        for &to in &next[number(at)] {
            if !std::mem::replace(&mut seen[number(to)], true) {
                todo.push(to);
            }
        }
    }
    seen
}
