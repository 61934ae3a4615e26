//! A function without loops, executed symbolically on unknown arguments.

use program::Program;
use program::program::{Body, Callee, FunctionId, Instruction, LocationId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::rewrite;
use term::{Pool, Term};

/// How deep calls of other functions are followed.
const MAX_CALLS: usize = 8;
/// How many locations are executed in all.
const MAX_LOCATIONS: usize = 2_000;

/// A function after its execution, over the terms of its parameters.
pub(super) struct Executed {
    /// Whether it returns.
    pub returns: Term,
    /// Its results then.
    pub results: Vec<Term>,
    /// The calls of recursive functions on the way.
    pub sites: Vec<Site>,
    /// The conditions of its branches.
    pub conditions: Vec<Term>,
}

/// A call of a recursive function.
pub(super) struct Site {
    /// Whether it is called and returns.
    pub at: Term,
    pub callee: FunctionId,
    pub arguments: Vec<Term>,
    /// Unknown values.
    pub results: Vec<Term>,
}

type State = FxHashMap<VariableId, Term>;

struct Executor<'a> {
    program: &'a Program,
    cycle: &'a FxHashSet<FunctionId>,
    sites: Vec<Site>,
    conditions: Vec<Term>,
    locations: usize,
}

/// Executes a function; none if it does what summaries don't cover.
pub(super) fn execute(
    program: &Program,
    function: FunctionId,
    cycle: &FxHashSet<FunctionId>,
) -> Option<Executed> {
    let mut executor =
        Executor { program, cycle, sites: Vec::new(), conditions: Vec::new(), locations: 0 };
    let parameters = &program.functions[function].parameters;
    let state = parameters.iter().map(|id| (*id, program.variables[*id].term)).collect();
    let (returns, results) = executor.call(function, program.pool.tru(), state, 0)?;
    let Executor { sites, conditions, .. } = executor;
    Some(Executed { returns, results, sites, conditions })
}

impl Executor<'_> {
    fn pool(&self) -> &Pool {
        &self.program.pool
    }

    /// Executes a call; the condition under which it returns, and the results.
    fn call(
        &mut self,
        function: FunctionId,
        at: Term,
        state: State,
        depth: usize,
    ) -> Option<(Term, Vec<Term>)> {
        let program = self.program;
        let entry = &program.functions[function];
        let body = entry.body.as_ref().filter(|_| depth < MAX_CALLS)?;
        let mut incoming: FxHashMap<LocationId, Vec<(Term, State)>> = FxHashMap::default();
        incoming.insert(body.entry, vec![(at, state)]);
        for location in order(body)? {
            let Some(arrivals) = incoming.remove(&location) else { continue };
            self.locations += 1;
            if self.locations > MAX_LOCATIONS {
                return None;
            }
            let (at, mut state) = self.merge(arrivals);
            if location == body.exit {
                let results = entry.results.iter().map(|id| self.value(&mut state, *id)).collect();
                return Some((at, results));
            }
            for edge in body.edges.values().filter(|edge| edge.from == location) {
                let mut state = state.clone();
                let taken = self.step(&edge.instruction, function, at, &mut state, depth)?;
                if self.pool().as_bool(taken) != Some(false) {
                    incoming.entry(edge.to).or_default().push((taken, state));
                }
            }
        }
        Some((self.pool().fls(), entry.results.iter().map(|id| self.unknown(*id)).collect()))
    }

    fn unknown(&self, variable: VariableId) -> Term {
        self.pool().fresh_var("unknown", self.program.variables[variable].sort)
    }

    fn value(&self, state: &mut State, variable: VariableId) -> Term {
        *state.entry(variable).or_insert_with(|| self.unknown(variable))
    }

    /// A term with the values of registers in their places.
    fn evaluate(&self, state: &mut State, function: FunctionId, term: Term) -> Option<Term> {
        let pool = self.pool();
        let mut map = FxHashMap::default();
        for variable in term::traverse::free_vars(pool, &[term]) {
            let found = self.program.variables.iter().find(|(_, v)| v.term == variable);
            // An address or a global register: what the function does depends on more than its
            // arguments.
            let (id, entry) = found?;
            if entry.function != Some(function) {
                return None;
            }
            map.insert(variable, self.value(state, id));
        }
        Some(rewrite(pool, term, &mut map, |_| None))
    }

    /// Executes an instruction; the condition under which it gets through.
    fn step(
        &mut self,
        instruction: &Instruction,
        function: FunctionId,
        at: Term,
        state: &mut State,
        depth: usize,
    ) -> Option<Term> {
        let program = self.program;
        let local = |id: VariableId| program.variables[id].function == Some(function);
        match instruction {
            Instruction::Skip | Instruction::Check(..) => Some(at),
            Instruction::Assume(formula) => {
                let condition = self.evaluate(state, function, *formula)?;
                self.conditions.push(condition);
                Some(self.pool().and([at, condition]))
            }
            Instruction::Assign(variable, term) if local(*variable) => {
                let value = self.evaluate(state, function, *term)?;
                state.insert(*variable, value);
                Some(at)
            }
            Instruction::Havoc(variable, _) if local(*variable) => {
                state.insert(*variable, self.unknown(*variable));
                Some(at)
            }
            Instruction::Call { callee: Callee::Function(callee), arguments, results } => {
                if !results.iter().all(|id| local(*id)) {
                    return None;
                }
                let arguments: Option<Vec<Term>> =
                    arguments.iter().map(|term| self.evaluate(state, function, *term)).collect();
                let (taken, values) = self.enter(*callee, arguments?, at, depth)?;
                state.extend(results.iter().copied().zip(values));
                Some(taken)
            }
            _ => None,
        }
    }

    fn enter(
        &mut self,
        callee: FunctionId,
        arguments: Vec<Term>,
        at: Term,
        depth: usize,
    ) -> Option<(Term, Vec<Term>)> {
        let entry = &self.program.functions[callee];
        if !self.cycle.contains(&callee) && entry.body.is_some() {
            let state = entry.parameters.iter().copied().zip(arguments).collect();
            return self.call(callee, at, state, depth + 1);
        }
        let results: Vec<Term> = entry.results.iter().map(|id| self.unknown(*id)).collect();
        if self.cycle.contains(&callee) {
            self.sites.push(Site { at, callee, arguments, results: results.clone() });
        }
        Some((at, results))
    }

    /// One condition and one state for all that arrive at a location.
    fn merge(&self, mut arrivals: Vec<(Term, State)>) -> (Term, State) {
        let pool = self.pool();
        let at = pool.or(arrivals.iter().map(|(taken, _)| *taken));
        let Some((_, mut merged)) = arrivals.pop() else { return (pool.fls(), State::default()) };
        for (taken, state) in arrivals.into_iter().rev() {
            for (variable, value) in state {
                let other = merged.get(&variable).copied().unwrap_or(value);
                merged.insert(variable, pool.ite(taken, value, other));
            }
        }
        (at, merged)
    }
}

/// The locations from the entry, each after those that lead to it; none if there is a loop.
fn order(body: &Body) -> Option<Vec<LocationId>> {
    let mut order = Vec::new();
    let mut state: FxHashMap<LocationId, bool> = FxHashMap::default();
    let mut leaving: FxHashMap<LocationId, Vec<LocationId>> = FxHashMap::default();
    for edge in body.edges.values() {
        leaving.entry(edge.from).or_default().push(edge.to);
    }
    let mut path = vec![(body.entry, 0)];
    state.insert(body.entry, false);
    while let Some((location, next)) = path.last_mut() {
        let Some(&to) = leaving.get(location).and_then(|all| all.get(*next)) else {
            state.insert(*location, true);
            order.push(*location);
            path.pop();
            continue;
        };
        *next += 1;
        match state.get(&to) {
            Some(true) => {}
            Some(false) => return None,
            None => {
                state.insert(to, false);
                path.push((to, 0));
            }
        }
    }
    order.reverse();
    Some(order)
}
