//! A procedure's body as a formula over its interface: what a partition of the encoding is made from
//! (\[Fed15 §2.2.2\]).
//!
//! The edges of a procedure have no cycle here (loops are recursion), so all its ways are executed at
//! once, merged where they meet. What is open is a variable of the body: unknown values, which way is
//! taken where several can be, what calls give. The body is a template: each call of the procedure has
//! its own copy of these variables ([`crate::unwound`]).

use la_arena::ArenaMap;
use program::Place;
use program::Property;
use program::cfa::{Command, LocationId};
use program::procedures::{
    Action, Call, Callee, Edge, EdgeId, Interface, Procedure, ProcedureId, Procedures,
};
use program::symbolic::{self, State, Trail, exclusive};
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::{conjuncts, free_vars};
use term::{Pool, Sort, Term};

/// How many conjuncts the condition of a location may have before it gets a name.
const MAX_CONJUNCTS: usize = 4;

/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its calls, in an order in which a run can come to them.
    pub sites: Vec<Site>,
    /// When it returns.
    pub returns: Term,
    /// The values of its outputs then, in the order of the interface.
    pub values: Vec<Term>,
    /// For each output, whether a check can depend on it ([`mod@crate::slice`]).
    pub needed: Vec<bool>,
    /// Its own violations.
    pub failures: Vec<Failure>,
    /// The names of conditions, and what they stand for.
    pub definitions: Vec<(Term, Term)>,
    /// Its unknown values and calls, in an order in which a run can come to them.
    pub events: Vec<Event>,
    /// Its variables but the inputs.
    pub open: Vec<Term>,
}

/// A call in a body.
#[derive(Clone, Debug)]
pub struct Site {
    /// The edge.
    pub edge: EdgeId,
    /// Who is called.
    pub callee: ProcedureId,
    /// When.
    pub start: Term,
    /// The values of the callee's inputs.
    pub arguments: Vec<Term>,
    /// What stands for the callee's outputs.
    pub outputs: Vec<Term>,
    /// Whether it returns.
    pub returned: Term,
    /// Whether it reaches a violation.
    pub failed: Term,
}

/// An edge to the error location.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What is violated.
    pub property: Option<Property>,
    /// Where.
    pub place: Place,
    /// When.
    pub condition: Term,
}

/// Something that happens if its condition holds.
#[derive(Clone, Debug)]
pub enum Event {
    /// Unknown values are taken.
    Values(Term, Trail),
    /// The call with this number.
    Call(usize),
}

/// What runs do where a check fails that nobody asks about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checks {
    /// They end.
    End,
    /// They go on.
    Pass,
}

/// The bodies of all procedures.
pub fn bodies(
    pool: &Pool,
    procedures: &Procedures,
    interfaces: &ArenaMap<ProcedureId, Interface>,
    checks: Checks,
) -> ArenaMap<ProcedureId, Body> {
    let body = |(id, procedure): (ProcedureId, &Procedure)| {
        let builder = Builder {
            pool,
            procedure,
            interfaces,
            checks,
            arrivals: FxHashMap::default(),
            body: Body {
                sites: Vec::new(),
                returns: pool.fls(),
                values: Vec::new(),
                needed: vec![true; interfaces[id].outputs.len()],
                failures: Vec::new(),
                definitions: Vec::new(),
                events: Vec::new(),
                open: Vec::new(),
            },
        };
        (id, builder.build(&interfaces[id]))
    };
    procedures.procedures.iter().map(body).collect()
}

struct Builder<'a> {
    pool: &'a Pool,
    procedure: &'a Procedure,
    interfaces: &'a ArenaMap<ProcedureId, Interface>,
    checks: Checks,
    /// The ways to locations that were not yet passed.
    arrivals: FxHashMap<LocationId, Vec<(Term, State)>>,
    body: Body,
}

impl Builder<'_> {
    fn build(mut self, interface: &Interface) -> Body {
        let mut leaving: FxHashMap<LocationId, Vec<EdgeId>> = FxHashMap::default();
        for (id, edge) in self.procedure.edges.iter() {
            leaving.entry(edge.from).or_default().push(id);
        }
        self.arrivals.insert(self.procedure.entry, vec![(self.pool.tru(), State::new())]);
        for location in order(self.procedure, &leaving) {
            let Some(arrivals) = self.arrivals.remove(&location) else { continue };
            let (guard, state) = self.merge(arrivals);
            if location == self.procedure.exit {
                self.body.returns = guard;
                let values = interface.outputs.iter().map(|output| state.get(output.variable));
                self.body.values = values.collect();
                continue;
            }
            let edges = leaving.get(&location).map_or(&[][..], Vec::as_slice);
            self.leave(guard, &state, edges);
        }
        if self.body.values.is_empty() {
            self.body.values = interface.outputs.iter().map(|output| output.variable).collect();
        }
        self.body.open = self.open(interface);
        self.body
    }

    /// The condition and the state where ways meet.
    fn merge(&mut self, mut arrivals: Vec<(Term, State)>) -> (Term, State) {
        let pool = self.pool;
        let guard = pool.or(arrivals.iter().map(|(guard, _)| *guard));
        let guard = self.named(guard);
        let Some((_, mut merged)) = arrivals.pop() else { return (guard, State::new()) };
        let changed: FxHashSet<Term> =
            arrivals.iter().flat_map(|(_, state)| state.entries().map(|(v, _)| v)).collect();
        let mut variables: Vec<Term> =
            changed.into_iter().chain(merged.entries().map(|(v, _)| v)).collect();
        variables.sort_unstable();
        variables.dedup();
        for variable in variables {
            let mut value = merged.get(variable);
            for (guard, state) in arrivals.iter().rev() {
                value = pool.ite(*guard, state.get(variable), value);
            }
            merged.set(variable, value);
        }
        (guard, merged)
    }

    /// A name for a condition that is not small.
    fn named(&mut self, condition: Term) -> Term {
        let pool = self.pool;
        let is_large = match pool.op(condition) {
            term::Op::Or => true,
            _ => conjuncts(pool, condition).len() > MAX_CONJUNCTS,
        };
        if !is_large {
            return condition;
        }
        let name = pool.fresh_var("here", Sort::Bool);
        self.body.definitions.push((name, condition));
        name
    }

    /// Takes all edges that leave a location.
    fn leave(&mut self, guard: Term, state: &State, edges: &[EdgeId]) {
        let pool = self.pool;
        let mut taken: Vec<(EdgeId, State, Term, Trail)> = Vec::new();
        for &id in edges {
            let mut state = state.clone();
            let (condition, trail) = match &self.command(id, edges) {
                Some(command) => {
                    let executed = symbolic::execute(pool, command, &mut state);
                    (executed.guard, executed.trail)
                }
                None => (pool.tru(), Trail::default()),
            };
            if pool.as_bool(condition) != Some(false) {
                taken.push((id, state, condition, trail));
            }
        }
        let conditions: Vec<Term> = taken.iter().map(|(_, _, condition, _)| *condition).collect();
        let ways = match self.checks {
            // A check that fails and is passed is both failed and passed.
            Checks::Pass if edges.iter().any(|id| self.is_check(*id)) => conditions,
            _ => exclusive(pool, &conditions),
        };
        for ((id, state, _, trail), way) in taken.into_iter().zip(ways) {
            let guard = pool.and([guard, way]);
            let guard = self.named(guard);
            self.take(id, guard, state, trail);
        }
    }

    fn is_check(&self, id: EdgeId) -> bool {
        self.procedure.edges[id].to == self.procedure.error
    }

    /// What an edge does, unless it is a call.
    fn command(&self, id: EdgeId, beside: &[EdgeId]) -> Option<Command> {
        let edge = &self.procedure.edges[id];
        let Action::Command(command) = &edge.action else { return None };
        let passes = |other: &EdgeId| {
            let other = &self.procedure.edges[*other];
            match (&other.action, command) {
                (Action::Command(Command::Assume(fails)), Command::Assume(holds)) => {
                    other.to == self.procedure.error && self.pool.not(*fails) == *holds
                }
                _ => false,
            }
        };
        if self.checks == Checks::Pass && beside.iter().any(passes) {
            return Some(Command::skip());
        }
        Some(command.clone())
    }

    /// What comes of an edge that is taken.
    fn take(&mut self, id: EdgeId, guard: Term, state: State, trail: Trail) {
        let edge = &self.procedure.edges[id];
        if let Action::Call(call) = &edge.action {
            let Callee::Procedure(callee) = call.callee else { return };
            return self.call((id, edge), call, callee, guard, state);
        }
        if !trail.is_empty() {
            self.body.events.push(Event::Values(guard, trail));
        }
        if edge.to == self.procedure.error {
            let (property, place) = (edge.violates, edge.place.clone());
            self.body.failures.push(Failure { property, place, condition: guard });
        } else {
            self.arrivals.entry(edge.to).or_default().push((guard, state));
        }
    }

    fn call(
        &mut self,
        (id, edge): (EdgeId, &Edge),
        call: &Call,
        callee: ProcedureId,
        start: Term,
        mut state: State,
    ) {
        let pool = self.pool;
        let interface = &self.interfaces[callee];
        let values = call.arguments.iter().map(|argument| state.apply(pool, *argument));
        let mut arguments: Vec<Term> = values.collect();
        arguments.extend(interface.inputs[arguments.len()..].iter().map(|g| state.get(*g)));
        let fresh =
            |term: Term| pool.fresh_var(pool.var_name(term).unwrap_or("output"), pool.sort(term));
        let outputs: Vec<Term> =
            interface.outputs.iter().map(|output| fresh(output.variable)).collect();
        let [returned, failed] =
            ["returned", "failed"].map(|name| pool.fresh_var(name, Sort::Bool));
        // The results come first, then globals.
        let (results, globals) = outputs.split_at(interface.results);
        for (output, value) in interface.outputs[interface.results..].iter().zip(globals) {
            state.set(output.variable, *value);
        }
        for (into, value) in call.results.iter().zip(results) {
            state.set(*into, *value);
        }
        self.body.events.push(Event::Call(self.body.sites.len()));
        let guard = self.named(pool.and([start, returned]));
        self.body.sites.push(Site {
            edge: id,
            callee,
            start,
            arguments,
            outputs,
            returned,
            failed,
        });
        self.arrivals.entry(edge.to).or_default().push((guard, state));
    }

    /// The variables of the body but the inputs.
    fn open(&self, interface: &Interface) -> Vec<Term> {
        let body = &self.body;
        let mut terms = vec![body.returns];
        terms.extend(&body.values);
        terms.extend(body.definitions.iter().flat_map(|(name, condition)| [*name, *condition]));
        terms.extend(body.failures.iter().map(|failure| failure.condition));
        for site in &body.sites {
            terms.extend(site.arguments.iter().chain(&site.outputs));
            terms.extend([site.start, site.returned, site.failed]);
        }
        for event in &body.events {
            if let Event::Values(condition, trail) = event {
                terms.push(*condition);
                trail.for_each_term(&mut |term| terms.push(term));
            }
        }
        let inputs: FxHashSet<Term> = interface.inputs.iter().copied().collect();
        free_vars(self.pool, &terms).into_iter().filter(|v| !inputs.contains(v)).collect()
    }
}

/// The locations that runs can be at, each after all from which an edge leads there.
fn order(procedure: &Procedure, leaving: &FxHashMap<LocationId, Vec<EdgeId>>) -> Vec<LocationId> {
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    let mut pending = vec![(procedure.entry, 0)];
    seen.insert(procedure.entry);
    while let Some((location, next)) = pending.last_mut() {
        let edge = leaving.get(location).and_then(|edges| edges.get(*next));
        *next += 1;
        match edge.map(|edge| procedure.edges[*edge].to) {
            Some(to) if seen.insert(to) => pending.push((to, 0)),
            Some(_) => {}
            None => {
                order.push(*location);
                pending.pop();
            }
        }
    }
    order.reverse();
    order
}
