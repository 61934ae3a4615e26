//! The condition over the inputs under which a run fails as another one does.
//!
//! The run is cut where it passes the head of a loop. Between two cuts lies a part of the automaton
//! without loops, which is executed on terms, all ways at once and merged where they meet. What gets
//! through all parts, in the order of the run, is the weakest existential precondition of *all* runs
//! that pass the heads of loops as often as this one, over the values that they take.
//!
//! What the program assumes of its environment is kept apart: the condition is meant where that holds.

use crate::blocks::loop_heads;
use crate::cfa::{Cfa, Command, EdgeId, InputId, LocationId};
use crate::place::Place;
use crate::program::{Instruction, Program};
use crate::symbolic::{State, execute};
use crate::verdict::Run;
use answer::Allowance;
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use term::eval::default_value;
use term::{Op, Pool, Term, Value};

/// How many edges may be executed, over all parts.
const MOST_EDGES: usize = 60_000;

/// An input of a part: a value that the run, or another one that goes the same rounds, takes.
pub struct Free {
    /// Which input of the automaton.
    pub input: InputId,
    /// What stands for its value.
    pub variable: Term,
    /// Its value in the run; zero if the run does not take it.
    pub value: Value,
    /// How often the run had taken this input before; none if this one is not on its way.
    pub round: Option<usize>,
}

/// The condition.
pub struct Condition {
    /// All inputs, those of the run in its order.
    pub inputs: Vec<Free>,
    /// What is assumed of the environment.
    pub assumed: Vec<Term>,
    /// When such a run fails.
    pub fails: Term,
    /// Variables of the automaton that are given an input's value.
    pub holders: Vec<(Term, Term)>,
}

/// A part between two cuts: its edges, those that leave a location together, in an order in which they
/// can be executed.
struct Part {
    edges: Vec<(LocationId, Vec<EdgeId>)>,
}

struct Parts<'a> {
    cfa: &'a Cfa,
    leaving: ArenaMap<LocationId, Vec<EdgeId>>,
    arriving: ArenaMap<LocationId, Vec<EdgeId>>,
    heads: Vec<bool>,
}

impl Parts<'_> {
    fn is_cut(&self, at: LocationId) -> bool {
        self.heads[at.into_raw().into_u32() as usize] || Some(at) == self.cfa.error
    }

    /// What lies between two cuts.
    fn between(&self, from: LocationId, to: LocationId) -> Part {
        let mut useful: FxHashSet<LocationId> = FxHashSet::default();
        let mut open = vec![to];
        while let Some(at) = open.pop() {
            for edge in &self.arriving[at] {
                let before = self.cfa.edges[*edge].from;
                let inside = before == from || !self.is_cut(before);
                if inside && useful.insert(before) && before != from {
                    open.push(before);
                }
            }
        }
        // Locations by the reverse of the order in which a search leaves them.
        let leads = |edge: &EdgeId| {
            let next = self.cfa.edges[*edge].to;
            next == to || (useful.contains(&next) && !self.is_cut(next) && next != from)
        };
        let edges = |at: LocationId| -> Vec<EdgeId> {
            self.leaving[at].iter().copied().filter(leads).collect()
        };
        let mut order = Vec::new();
        let mut seen = FxHashSet::from_iter([from]);
        let mut path = vec![(from, edges(from), 0)];
        while let Some((at, own, next)) = path.last_mut() {
            let Some(edge) = own.get(*next) else {
                order.push((*at, std::mem::take(own)));
                path.pop();
                continue;
            };
            *next += 1;
            let target = self.cfa.edges[*edge].to;
            if target != to && seen.insert(target) {
                path.push((target, edges(target), 0));
            }
        }
        order.reverse();
        Part { edges: order }
    }
}

/// A way that has been executed so far: when it is taken, and what variables are then.
struct Way {
    guard: Term,
    state: State,
}

struct Execution<'a> {
    pool: &'a Pool,
    parts: Parts<'a>,
    assumptions: Assumptions,
    known: FxHashMap<(LocationId, LocationId), Part>,
    executed: usize,
    rounds: FxHashMap<InputId, usize>,
    condition: Condition,
}

/// The condition of a run of the automaton of a program; none if it is too large.
pub fn condition(
    program: &Program,
    cfa: &Cfa,
    run: &Run,
    allowance: &Allowance,
) -> Option<Condition> {
    let pool = &program.pool;
    let parts =
        Parts { cfa, leaving: cfa.leaving(), arriving: cfa.arriving(), heads: loop_heads(cfa) };
    let mut execution = Execution {
        pool,
        parts,
        assumptions: Assumptions::of(program),
        known: FxHashMap::default(),
        executed: 0,
        rounds: FxHashMap::default(),
        condition: Condition {
            inputs: Vec::new(),
            assumed: Vec::new(),
            fails: pool.tru(),
            holders: Vec::new(),
        },
    };
    let mut state = State::new();
    let mut steps = &run.steps[..];
    while let Some(first) = steps.first() {
        if allowance.is_late() {
            return None;
        }
        let length = steps.iter().position(|step| execution.parts.is_cut(cfa.edges[step.edge].to));
        let (own, rest) = steps.split_at(length? + 1);
        steps = rest;
        let from = cfa.edges[first.edge].from;
        let to = cfa.edges[own.last()?.edge].to;
        let taken: FxHashMap<EdgeId, &[(InputId, Value)]> =
            own.iter().map(|step| (step.edge, &step.inputs[..])).collect();
        state = execution.part(from, to, state, &taken)?;
    }
    let mut condition = execution.condition;
    let variables: FxHashSet<Term> = condition.inputs.iter().map(|free| free.variable).collect();
    condition.holders.retain(|(_, value)| variables.contains(value));
    Some(condition)
}

/// A value without the bits that a wider type has added.
pub fn narrow(pool: &Pool, mut term: Term) -> Term {
    while let Op::BvSignExtend(_) | Op::BvZeroExtend(_) = pool.op(term) {
        term = pool.args(term)[0];
    }
    term
}

/// What a program assumes of its environment.
struct Assumptions {
    /// Where something is assumed, and whether something is checked there, too.
    places: FxHashMap<Place, bool>,
    /// The conditions that are assumed and nowhere checked.
    conditions: FxHashSet<Term>,
}

impl Assumptions {
    fn of(program: &Program) -> Assumptions {
        let (mut assumed, mut checked) = (FxHashMap::default(), FxHashSet::default());
        let (mut conditions, mut checks) = (FxHashSet::default(), FxHashSet::default());
        for (_, edge) in program.edges() {
            match edge.instruction {
                Instruction::Assume(condition) => {
                    assumed.insert(edge.place.clone(), false);
                    conditions.insert(condition);
                }
                Instruction::Check(_, condition) => {
                    checked.insert(edge.place.clone());
                    checks.insert(condition);
                }
                _ => {}
            }
        }
        for (place, both) in &mut assumed {
            *both = checked.contains(place);
        }
        conditions.retain(|condition| !checks.contains(condition));
        Assumptions { places: assumed, conditions }
    }

    /// Whether an edge, the only one that leaves its location, is one of them.
    fn has(&self, place: &Place, condition: Term) -> bool {
        match self.places.get(place) {
            Some(false) => true,
            // Terms tell, unless they are those of a copy of the function.
            Some(true) => self.conditions.contains(&condition),
            None => false,
        }
    }
}

impl Execution<'_> {
    /// Executes a part; the state at its end.
    fn part(
        &mut self,
        from: LocationId,
        to: LocationId,
        state: State,
        taken: &FxHashMap<EdgeId, &[(InputId, Value)]>,
    ) -> Option<State> {
        let part = match self.known.remove(&(from, to)) {
            Some(part) => part,
            None => self.parts.between(from, to),
        };
        self.executed += part.edges.iter().map(|(_, edges)| edges.len()).sum::<usize>();
        if self.executed > MOST_EDGES {
            return None;
        }
        let mut arrived: FxHashMap<LocationId, Vec<Way>> = FxHashMap::default();
        arrived.insert(from, vec![Way { guard: self.pool.tru(), state }]);
        let mut ends = Vec::new();
        for (at, edges) in &part.edges {
            let Some(here) = arrived.remove(at).and_then(|ways| self.merged(ways)) else {
                continue;
            };
            let only = self.parts.leaving[*at].len() == 1;
            for edge in edges {
                let on_way = taken.get(edge).copied();
                let way = self.edge(*edge, &here, only, on_way);
                let target = self.parts.cfa.edges[*edge].to;
                if self.pool.as_bool(way.guard) == Some(false) {
                    continue;
                }
                if target == to {
                    ends.push(way);
                } else {
                    arrived.entry(target).or_default().push(way);
                }
            }
        }
        self.known.insert((from, to), part);
        let Way { guard, state } = self.merged(ends)?;
        self.condition.fails = self.pool.and([self.condition.fails, guard]);
        Some(state)
    }

    /// Executes an edge. `only`: no other one leaves its location, so what it assumes is no branch.
    fn edge(
        &mut self,
        edge: EdgeId,
        here: &Way,
        only: bool,
        on_way: Option<&[(InputId, Value)]>,
    ) -> Way {
        let pool = self.pool;
        let edge = &self.parts.cfa.edges[edge];
        let mut state = here.state.clone();
        let executed = execute(pool, &edge.command, &mut state);
        // The automaton before minimization has no choices.
        let inputs = executed.trail.inputs(&mut |_| true);
        for (number, (input, variable)) in inputs.into_iter().enumerate() {
            let value = on_way.and_then(|taken| taken.get(number)).map(|(_, value)| value.clone());
            let round = value.is_some().then(|| {
                let round = self.rounds.entry(input).or_default();
                *round += 1;
                *round - 1
            });
            let value = value.unwrap_or_else(|| default_value(pool, pool.sort(variable)));
            self.condition.inputs.push(Free { input, variable, value, round });
        }
        if let Command::Assign(variable, _) = edge.command {
            let value = narrow(pool, state.get(variable));
            if matches!(pool.op(value), Op::Var(_)) {
                self.condition.holders.push((variable, value));
            }
        }
        if let Command::Assume(assumed) = edge.command
            && only
            && self.assumptions.has(&edge.place, assumed)
        {
            let reached = pool.and([self.condition.fails, here.guard]);
            self.condition.assumed.push(pool.implies(reached, executed.guard));
        }
        Way { guard: pool.and([here.guard, executed.guard]), state }
    }

    /// Several ways as one; they exclude each other.
    fn merged(&self, ways: Vec<Way>) -> Option<Way> {
        let pool = self.pool;
        let mut ways = ways.into_iter();
        let mut all = ways.next()?;
        for way in ways {
            let mut changed: Vec<Term> =
                way.state.entries().chain(all.state.entries()).map(|(v, _)| v).collect();
            changed.sort_unstable();
            changed.dedup();
            for variable in changed {
                let (new, old) = (way.state.get(variable), all.state.get(variable));
                if new != old {
                    all.state.set(variable, pool.ite(way.guard, new, old));
                }
            }
            all.guard = pool.or([all.guard, way.guard]);
        }
        Some(all)
    }
}
