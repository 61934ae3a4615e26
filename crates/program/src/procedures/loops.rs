//! Loops as recursion: procedures without cycles of edges.
//!
//! A partitioned encoding has one formula a call, and a formula has no loops, so the thesis assumes that
//! loops are recursive functions (\[Fed15 §2.2.3\]). Here each outermost loop of a procedure becomes a
//! procedure of its own, which goes through the loop once and calls itself where it would begin again:
//!
//! ```text
//! f:  … → head ⟲ → after              f:  … → call f@loop(x) → x, way → [way = i] → after
//!                                     f@loop:  one round → call f@loop(x) → exit
//!                                                        → way := i       → exit
//! ```
//!
//! Its parameters are the variables that are live at the head and that the loop mentions, its results
//! those that it assigns and that are live behind it, and by which way it was left, if there are several.
//! Loops inside it are treated alike afterwards. A loop that is entered at several places gets a head from
//! which it is decided where to go.
//!
//! A loop has variables of its own, which are called like those of its function.

use super::{Action, Call, Callee, Edge, Procedure, ProcedureId, Procedures};
use crate::cfa::{Command, Location, LocationId, Origin};
use crate::place::Place;
use crate::program::Reading;
use crate::scc::components;
use la_arena::{Arena, Idx, RawIdx};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;
use term::traverse::{Substitution, free_vars};
use term::{Pool, Sort, Term};

/// The width of the variable that says by which way a loop is left.
const WAY: u32 = 32;

fn number<T>(index: Idx<T>) -> usize {
    index.into_raw().into_u32() as usize
}

impl Procedures {
    /// The same procedures with recursion in the place of loops: the edges of each have no cycle.
    ///
    /// The procedures that there were keep their numbers.
    ///
    /// Requires: memory is variables.
    pub fn with_loops_as_recursion(&self, pool: &Pool) -> Procedures {
        let mut made: Vec<Procedure> = self.procedures.values().cloned().collect();
        let mut next = 0;
        while next < made.len() {
            let procedure = one_head_a_loop(pool, made[next].clone());
            let (flat, loops) = Cutter::new(pool, &procedure, made.len()).cut();
            made[next] = flat;
            made.extend(loops);
            next += 1;
        }
        Procedures { procedures: made.into_iter().collect(), ..self.clone() }
    }
}

/// The edges between locations that runs can be at, and the number of each location's component.
fn graph(procedure: &Procedure) -> (Vec<bool>, Vec<u32>) {
    let count = procedure.locations.len();
    let mut leaving = vec![Vec::new(); count];
    for edge in procedure.edges.values() {
        leaving[number(edge.from)].push(number(edge.to));
    }
    let mut reached = vec![false; count];
    let mut pending = vec![number(procedure.entry)];
    while let Some(at) = pending.pop() {
        if !std::mem::replace(&mut reached[at], true) {
            pending.extend(&leaving[at]);
        }
    }
    let edges: Vec<(usize, usize)> = procedure
        .edges
        .values()
        .map(|edge| (number(edge.from), number(edge.to)))
        .filter(|(from, _)| reached[*from])
        .collect();
    (reached, components(count, &edges))
}

/// Where each loop is entered: the components with an edge inside, by number.
fn heads(
    procedure: &Procedure,
    reached: &[bool],
    component: &[u32],
) -> BTreeMap<u32, Vec<LocationId>> {
    let mut heads: BTreeMap<u32, Vec<LocationId>> = BTreeMap::new();
    let live = || procedure.edges.values().filter(|edge| reached[number(edge.from)]);
    for edge in live() {
        if component[number(edge.from)] == component[number(edge.to)] {
            heads.entry(component[number(edge.to)]).or_default();
        }
    }
    let entries = live()
        .filter(|edge| component[number(edge.from)] != component[number(edge.to)])
        .map(|edge| edge.to)
        .chain([procedure.entry]);
    for entry in entries {
        if let Some(heads) = heads.get_mut(&component[number(entry)])
            && !heads.contains(&entry)
        {
            heads.push(entry);
        }
    }
    heads
}

/// The same procedure, in which every outermost loop is entered at one place.
fn one_head_a_loop(pool: &Pool, mut procedure: Procedure) -> Procedure {
    let (reached, component) = graph(&procedure);
    for heads in heads(&procedure, &reached, &component).into_values() {
        if heads.len() < 2 {
            continue;
        }
        let way = way(pool, &mut procedure, "entered");
        let place = procedure.locations[heads[0]].place.clone();
        let head = procedure.locations.alloc(Location { place, ..Location::default() });
        let inside = |location: LocationId| {
            reached.get(number(location)) == Some(&true)
                && component[number(location)] == component[number(heads[0])]
        };
        // Ways from outside must not pass what is inside the loop before its head.
        let mut into: FxHashMap<(LocationId, bool), LocationId> = FxHashMap::default();
        for (n, &old) in heads.iter().enumerate() {
            let value = pool.bv(n as u64, WAY);
            for from_inside in [false, true] {
                let to_head = procedure.locations.alloc(Location::default());
                into.insert((old, from_inside), to_head);
                let set = Action::Command(Command::Assign(way, value));
                step(&mut procedure, to_head, head, set);
            }
            if old == procedure.entry {
                procedure.entry = into[&(old, false)];
            }
            let is = Action::Command(Command::Assume(pool.eq(way, value)));
            step(&mut procedure, head, old, is);
        }
        for edge in procedure.edges.iter_mut().map(|(_, edge)| edge) {
            if edge.from != head
                && let Some(to_head) = into.get(&(edge.to, inside(edge.from)))
            {
                edge.to = *to_head;
            }
        }
    }
    procedure
}

/// A new variable of a procedure that tells ways apart.
fn way(pool: &Pool, procedure: &mut Procedure, name: &str) -> Term {
    let sort = Sort::BitVec(WAY);
    let way = pool.fresh_var(name, sort);
    let reading = Reading::Unsigned;
    let origin = Origin { sort, variable: None, context: None, name: name.into(), reading };
    procedure.variables.push((way, origin));
    way
}

fn step(procedure: &mut Procedure, from: LocationId, to: LocationId, action: Action) {
    let place = procedure.locations[from].place.clone();
    procedure.edges.alloc(Edge { from, to, action, place, violates: None });
}

/// What turns the outermost loops of a procedure into procedures.
struct Cutter<'a> {
    pool: &'a Pool,
    procedure: &'a Procedure,
    /// The number that the next new procedure will have.
    next: usize,
    reached: Vec<bool>,
    component: Vec<u32>,
    live: Live,
}

impl<'a> Cutter<'a> {
    fn new(pool: &'a Pool, procedure: &'a Procedure, next: usize) -> Self {
        let (reached, component) = graph(procedure);
        let live = Live::of(pool, procedure);
        Cutter { pool, procedure, next, reached, component, live }
    }

    /// The procedure without loops, and its loops.
    fn cut(mut self) -> (Procedure, Vec<Procedure>) {
        let loops = heads(self.procedure, &self.reached, &self.component);
        let mut flat = Procedure { edges: Arena::new(), ..self.procedure.clone() };
        let edges = self.procedure.edges.values().filter(|edge| self.reached[number(edge.from)]);
        for edge in edges.filter(|edge| !loops.contains_key(&self.component[number(edge.from)])) {
            flat.edges.alloc(edge.clone());
        }
        let mut made = Vec::new();
        for (component, heads) in &loops {
            assert_eq!(heads.len(), 1, "a loop is entered at one place");
            made.push(self.cut_loop(&mut flat, *component, heads[0]));
            self.next += 1;
        }
        (flat, made)
    }

    fn in_loop(&self, component: u32, location: LocationId) -> bool {
        self.reached[number(location)] && self.component[number(location)] == component
    }

    /// One loop as a procedure, and its call.
    fn cut_loop(&self, flat: &mut Procedure, component: u32, head: LocationId) -> Procedure {
        let place = self.procedure.locations[head].place.clone();
        let mut made = Procedure::new(name(&self.procedure.name, &place), flat.function, place);
        let edges: Vec<&Edge> = self
            .procedure
            .edges
            .values()
            .filter(|edge| self.in_loop(component, edge.from))
            .collect();
        let mut exits: Vec<LocationId> = Vec::new();
        for edge in &edges {
            let stays = self.in_loop(component, edge.to);
            let special = [self.procedure.error, self.procedure.dead_end].contains(&edge.to);
            if !stays && !special && !exits.contains(&edge.to) {
                exits.push(edge.to);
            }
        }
        let way = (exits.len() > 1).then(|| way(self.pool, flat, "way"));
        let origin = way.and_then(|way| flat.variables.iter().find(|(v, _)| *v == way).cloned());
        self.declare(&mut made, &edges, &exits, head, origin);
        let call = Call {
            callee: Callee::Procedure(ProcedureId::from_raw(RawIdx::from(self.next as u32))),
            arguments: made.parameters.clone(),
            results: made.results.clone(),
            instruction: None,
        };
        self.body(&mut made, &edges, &exits, (component, head), way, &call);
        rename(self.pool, &mut made);
        let behind = flat.locations.alloc(Location::default());
        step(flat, head, behind, Action::Call(Box::new(call)));
        for (n, exit) in exits.iter().enumerate() {
            let taken = way.map(|way| self.pool.eq(way, self.pool.bv(n as u64, WAY)));
            let taken = taken.unwrap_or_else(|| self.pool.tru());
            step(flat, behind, *exit, Action::Command(Command::Assume(taken)));
        }
        made
    }

    /// Gives a loop its variables, parameters and results.
    fn declare(
        &self,
        made: &mut Procedure,
        edges: &[&Edge],
        exits: &[LocationId],
        head: LocationId,
        way: Option<(Term, Origin)>,
    ) {
        let (mut mentioned, mut assigned) = (FxHashSet::default(), FxHashSet::default());
        for edge in edges {
            edge.action.for_each_read(&mut |term| mentioned.extend(free_vars(self.pool, &[term])));
            edge.action.for_each_definition(&mut |variable| {
                assigned.insert(variable);
            });
        }
        mentioned.extend(&assigned);
        let own = self.procedure.variables.iter().filter(|(v, _)| mentioned.contains(v));
        made.variables = own.cloned().collect();
        let variables: Vec<Term> = made.variables.iter().map(|(v, _)| *v).collect();
        let is_live = |variable: &Term, at: LocationId| self.live.holds(at, *variable);
        made.parameters = variables.iter().copied().filter(|v| is_live(v, head)).collect();
        made.results = variables
            .iter()
            .copied()
            .filter(|v| assigned.contains(v) && exits.iter().any(|exit| is_live(v, *exit)))
            .collect();
        if let Some((way, origin)) = way {
            made.variables.push((way, origin));
            made.results.push(way);
        }
    }

    /// One round of the loop.
    fn body(
        &self,
        made: &mut Procedure,
        edges: &[&Edge],
        exits: &[LocationId],
        (component, head): (u32, LocationId),
        way: Option<Term>,
        call: &Call,
    ) {
        let mut map: FxHashMap<LocationId, LocationId> = FxHashMap::default();
        map.insert(self.procedure.error, made.error);
        map.insert(self.procedure.dead_end, made.dead_end);
        map.insert(head, made.entry);
        for (n, exit) in exits.iter().enumerate() {
            let leave = made.locations.alloc(Location::default());
            map.insert(*exit, leave);
            let value = self.pool.bv(n as u64, WAY);
            let set = way.map_or(Command::skip(), |way| Command::Assign(way, value));
            step(made, leave, made.exit, Action::Command(set));
        }
        let again = made.locations.alloc(self.procedure.locations[head].clone());
        step(made, again, made.exit, Action::Call(Box::new(call.clone())));
        for edge in edges {
            let mut copied = |old: LocationId, made: &mut Procedure| {
                *map.entry(old)
                    .or_insert_with(|| made.locations.alloc(self.procedure.locations[old].clone()))
            };
            let from = copied(edge.from, made);
            let to = match edge.to == head && self.in_loop(component, edge.to) {
                true => again,
                false => copied(edge.to, made),
            };
            made.edges.alloc(Edge { from, to, ..(*edge).clone() });
        }
    }
}

/// Gives a procedure variables of its own.
fn rename(pool: &Pool, procedure: &mut Procedure) {
    let mut own: FxHashMap<Term, Term> = FxHashMap::default();
    for (variable, origin) in &mut procedure.variables {
        let fresh = pool.fresh_var(&origin.name, pool.sort(*variable));
        own.insert(*variable, fresh);
        *variable = fresh;
    }
    let mut map = Substitution::new(own);
    let mut apply = |term: &mut Term| *term = map.apply(pool, *term);
    procedure.parameters.iter_mut().for_each(&mut apply);
    procedure.results.iter_mut().for_each(&mut apply);
    for edge in procedure.edges.iter_mut().map(|(_, edge)| edge) {
        match &mut edge.action {
            Action::Command(command) => command.map_terms(&mut |term| map.apply(pool, term)),
            action => {
                action.map_terms(&mut |term| map.apply(pool, term));
                if let Action::Call(call) = action {
                    call.results.iter_mut().for_each(|into| *into = map.apply(pool, *into));
                }
            }
        }
    }
}

/// What a loop is called.
fn name(function: &str, place: &Place) -> Arc<str> {
    let function = function.split(" (loop").next().unwrap_or(function);
    match place.is_known() {
        true => format!("{function} (loop in line {})", place.line).into(),
        false => format!("{function} (loop)").into(),
    }
}

/// The variables of a procedure that are read before they are assigned, by location.
struct Live {
    numbers: FxHashMap<Term, usize>,
    at: Vec<Vec<u64>>,
}

impl Live {
    fn of(pool: &Pool, procedure: &Procedure) -> Live {
        let own = procedure.variables.iter().enumerate();
        let numbers: FxHashMap<Term, usize> =
            own.map(|(n, (variable, _))| (*variable, n)).collect();
        let words = numbers.len().div_ceil(64);
        let mut live = Live { numbers, at: vec![vec![0; words]; procedure.locations.len()] };
        let mut at_exit = vec![0; words];
        procedure.results.iter().for_each(|result| live.add(pool, &mut at_exit, *result));
        live.at[number(procedure.exit)] = at_exit;
        let mut arriving = vec![Vec::new(); procedure.locations.len()];
        for edge in procedure.edges.values() {
            arriving[number(edge.to)].push(edge);
        }
        let mut pending: Vec<usize> = (0..procedure.locations.len()).rev().collect();
        let mut waits = vec![true; procedure.locations.len()];
        while let Some(location) = pending.pop() {
            waits[location] = false;
            for edge in &arriving[location] {
                let mut before = live.at[location].clone();
                live.before(pool, &mut before, &edge.action);
                let from = number(edge.from);
                let known = &mut live.at[from];
                let changed = known.iter().zip(&before).any(|(old, new)| new & !old != 0);
                known.iter_mut().zip(&before).for_each(|(old, new)| *old |= new);
                if changed && !std::mem::replace(&mut waits[from], true) {
                    pending.push(from);
                }
            }
        }
        live
    }

    fn holds(&self, at: LocationId, variable: Term) -> bool {
        let n = self.numbers.get(&variable);
        n.is_some_and(|n| self.at[number(at)][n / 64] >> (n % 64) & 1 == 1)
    }

    fn add(&self, pool: &Pool, set: &mut [u64], term: Term) {
        for variable in free_vars(pool, &[term]) {
            if let Some(n) = self.numbers.get(&variable) {
                set[n / 64] |= 1 << (n % 64);
            }
        }
    }

    fn remove(&self, set: &mut [u64], variable: Term) {
        if let Some(n) = self.numbers.get(&variable) {
            set[n / 64] &= !(1 << (n % 64));
        }
    }

    /// What is live before an action, from what is live behind it.
    fn before(&self, pool: &Pool, set: &mut Vec<u64>, action: &Action) {
        match action {
            Action::Command(command) => self.before_command(pool, set, command),
            _ => {
                action.for_each_definition(&mut |variable| self.remove(set, variable));
                action.for_each_read(&mut |term| self.add(pool, set, term));
            }
        }
    }

    fn before_command(&self, pool: &Pool, set: &mut Vec<u64>, command: &Command) {
        match command {
            Command::Assume(formula) => self.add(pool, set, *formula),
            Command::Assign(variable, value) => {
                self.remove(set, *variable);
                self.add(pool, set, *value);
            }
            Command::Havoc(variable, _) => self.remove(set, *variable),
            Command::Sequence(commands) => {
                commands.iter().rev().for_each(|command| self.before_command(pool, set, command));
            }
            Command::Choice(commands) => {
                let mut all = vec![0; set.len()];
                for command in commands {
                    let mut one = set.clone();
                    self.before_command(pool, &mut one, command);
                    all.iter_mut().zip(one).for_each(|(all, one)| *all |= one);
                }
                *set = all;
            }
        }
    }
}
