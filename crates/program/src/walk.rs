//! A run of one automaton followed on another that has the same inputs, such as the one before
//! minimization: by the values of its havocs, not by its edges.
//!
//! Each input has its queue of values, in the order of the run; where it is empty, the value is
//! zero, as nothing in the run depends on it. Of a run that the interpreter saw, the inputs that stand
//! for one instruction, each in its chain of calls, have one queue together. Where several edges leave a location the first is
//! taken whose assumptions hold: in programs they exclude each other.

use crate::cfa::{Cfa, Command, EdgeId, InputId, LocationId};
use crate::counterexample::Counterexample;
use crate::interpret::Part;
use crate::program::{EdgeId as ProgramEdgeId, FunctionId};
use crate::verdict::{Run, Step};
use la_arena::ArenaMap;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use term::eval::default_value;
use term::{Pool, Term, Value};

/// The most edges that are followed.
pub(crate) const STEPS: usize = 2_000_000;

/// What is taken back if an edge can't be taken after all.
enum Undo {
    Assigned(Term, Option<Value>),
    Read(usize, Value),
}

/// Where a run is.
pub(crate) struct Walk<'a> {
    pool: &'a Pool,
    cfa: &'a Cfa,
    leaving: ArenaMap<LocationId, Vec<EdgeId>>,
    at: Option<LocationId>,
    /// The number of each input's queue.
    inputs: FxHashMap<InputId, usize>,
    queues: Vec<VecDeque<Value>>,
    state: FxHashMap<Term, Value>,
    log: Vec<Undo>,
    /// The values of the havocs on the last edge.
    taken: Vec<(InputId, Value)>,
}

impl<'a> Walk<'a> {
    /// At the beginning of a run with these inputs.
    pub fn new(pool: &'a Pool, cfa: &'a Cfa, run: &Run) -> Self {
        let mut inputs = FxHashMap::default();
        let mut queues: Vec<VecDeque<Value>> = Vec::new();
        for (input, value) in run.steps.iter().flat_map(|step| &step.inputs) {
            let queue = *inputs.entry(*input).or_insert(queues.len());
            queues.resize_with(queues.len().max(queue + 1), VecDeque::new);
            queues[queue].push_back(value.clone());
        }
        Walk::with_queues(pool, cfa, inputs, queues)
    }

    /// At the beginning of a run that takes the values of one that the interpreter saw.
    fn taking(pool: &'a Pool, cfa: &'a Cfa, run: &Counterexample) -> Self {
        let mut of: FxHashMap<(FunctionId, ProgramEdgeId), usize> = FxHashMap::default();
        let mut queues: Vec<VecDeque<Value>> = Vec::new();
        for taken in run.taken.iter().filter(|taken| taken.part == Part::Whole) {
            let queue = *of.entry(taken.instruction).or_insert(queues.len());
            queues.resize_with(queues.len().max(queue + 1), VecDeque::new);
            queues[queue].push_back(taken.value.clone());
        }
        let queue = |(id, input): (InputId, &crate::cfa::Input)| {
            let (_, function, edge) = input.instruction?;
            Some((id, *of.get(&(function, edge))?))
        };
        let inputs = cfa.inputs.iter().filter_map(queue).collect();
        Walk::with_queues(pool, cfa, inputs, queues)
    }

    fn with_queues(
        pool: &'a Pool,
        cfa: &'a Cfa,
        inputs: FxHashMap<InputId, usize>,
        queues: Vec<VecDeque<Value>>,
    ) -> Self {
        Walk {
            pool,
            cfa,
            leaving: cfa.leaving(),
            at: cfa.initial,
            inputs,
            queues,
            state: FxHashMap::default(),
            log: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// Takes the next edge; none at the error location and where no edge can be taken.
    pub fn advance(&mut self) -> Option<EdgeId> {
        let here = self.at.filter(|here| Some(*here) != self.cfa.error)?;
        let leaving = std::mem::take(&mut self.leaving[here]);
        let edge = leaving.iter().copied().find(|&edge| self.take(edge));
        self.leaving[here] = leaving;
        let edge = edge?;
        self.at = Some(self.cfa.edges[edge].to);
        Some(edge)
    }

    /// Takes an edge if its assumptions hold.
    fn take(&mut self, edge: EdgeId) -> bool {
        self.log.clear();
        self.taken.clear();
        let cfa = self.cfa;
        let taken = self.execute(&cfa.edges[edge].command);
        if !taken {
            for undo in std::mem::take(&mut self.log).into_iter().rev() {
                match undo {
                    Undo::Assigned(variable, Some(value)) => {
                        self.state.insert(variable, value);
                    }
                    Undo::Assigned(variable, None) => {
                        self.state.remove(&variable);
                    }
                    Undo::Read(queue, value) => self.queues[queue].push_front(value),
                }
            }
        }
        taken
    }

    /// The value of a term where the run is.
    pub fn value(&self, term: Term) -> Value {
        term::evaluate(self.pool, term, &self.state)
            .unwrap_or_else(|_| default_value(self.pool, self.pool.sort(term)))
    }

    fn assign(&mut self, variable: Term, value: Value) {
        let before = self.state.insert(variable, value);
        self.log.push(Undo::Assigned(variable, before));
    }

    /// Whether the command gets through. The automaton before minimization has no choices inside
    /// of edges: of one, the first branch counts.
    fn execute(&mut self, command: &Command) -> bool {
        match command {
            Command::Assume(formula) => self.value(*formula) == Value::Bool(true),
            Command::Assign(variable, term) => {
                let value = self.value(*term);
                self.assign(*variable, value);
                true
            }
            Command::Havoc(variable, input) => {
                let queue = self.inputs.get(input).copied();
                let next = queue.and_then(|queue| Some((queue, self.queues[queue].pop_front()?)));
                let value = match next {
                    Some((queue, value)) => {
                        self.log.push(Undo::Read(queue, value.clone()));
                        value
                    }
                    None => default_value(self.pool, self.pool.sort(*variable)),
                };
                self.taken.push((*input, value.clone()));
                self.assign(*variable, value);
                true
            }
            Command::Sequence(commands) => commands.iter().all(|command| self.execute(command)),
            Command::Choice(commands) => {
                commands.first().is_some_and(|command| self.execute(command))
            }
        }
    }
}

/// The run of an automaton that has the inputs of a run of another; none if it does not reach the
/// error location.
pub fn follow_inputs(pool: &Pool, cfa: &Cfa, run: &Run) -> Option<Run> {
    into_error(Walk::new(pool, cfa, run))
}

/// The run of an automaton that takes the values that a run of the program takes; none if it does not
/// reach the error location.
pub fn follow_taken(pool: &Pool, cfa: &Cfa, run: &Counterexample) -> Option<Run> {
    into_error(Walk::taking(pool, cfa, run))
}

fn into_error(mut walk: Walk<'_>) -> Option<Run> {
    let mut steps = Vec::new();
    while steps.len() < STEPS
        && let Some(edge) = walk.advance()
    {
        steps.push(Step { edge, inputs: std::mem::take(&mut walk.taken) });
    }
    (walk.at.is_some() && walk.at == walk.cfa.error).then_some(Run { steps })
}
