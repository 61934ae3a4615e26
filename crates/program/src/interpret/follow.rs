//! A run on the automaton before minimization: what its loads read.
//!
//! An engine's run says what the unknown contents of memory are in the automaton's terms: as
//! values of array and scalar variables, at addresses that need not be the interpreter's. So the
//! run is followed on the automaton, edge by edge, and what each load takes from memory is noted;
//! the interpreter gets these values where it reads bytes that nothing has written.

use super::Limits;
use crate::cfa::{Command, ContextId, EdgeId, InputId};
use crate::model::Model;
use crate::program::{EdgeId as ProgramEdgeId, FunctionId};
use crate::verdict::Run;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use term::eval::default_value;
use term::{Pool, Term, Value};

/// An instruction in a chain of calls.
pub(super) type Instance = (ContextId, FunctionId, ProgramEdgeId);

/// The most edges that are followed.
const STEPS: usize = 2_000_000;

/// What the loads of a run read, in order.
pub(super) fn loaded(
    model: &Model,
    pool: &Pool,
    run: &Run,
    limits: &Limits,
) -> FxHashMap<Instance, Vec<Value>> {
    let mut inputs: FxHashMap<InputId, VecDeque<Value>> = FxHashMap::default();
    for (input, value) in run.steps.iter().flat_map(|step| &step.inputs) {
        inputs.entry(*input).or_default().push_back(value.clone());
    }
    let leaving = model.cfa.leaving();
    let mut walk = Walk { pool, model, inputs, state: FxHashMap::default(), log: Vec::new() };
    let mut values: FxHashMap<Instance, Vec<Value>> = FxHashMap::default();
    let mut at = model.cfa.initial;
    for number in 0..STEPS {
        let late = || limits.allowance.is_late();
        let Some(here) = at.filter(|here| Some(*here) != model.cfa.error) else { break };
        if number % 1024 == 0 && late() {
            break;
        }
        let Some(edge) = leaving[here].iter().copied().find(|&edge| walk.take(edge)) else { break };
        if let Some(loaded) = model.loads.get(&edge) {
            let value = walk.value(loaded.into);
            values.entry(loaded.instruction).or_default().push(value);
        }
        at = Some(model.cfa.edges[edge].to);
    }
    values
}

/// What is taken back if an edge can't be taken after all.
enum Undo {
    Assigned(Term, Option<Value>),
    Read(InputId, Value),
}

struct Walk<'a> {
    pool: &'a Pool,
    model: &'a Model,
    inputs: FxHashMap<InputId, VecDeque<Value>>,
    state: FxHashMap<Term, Value>,
    log: Vec<Undo>,
}

impl Walk<'_> {
    /// Takes an edge if its assumptions hold.
    fn take(&mut self, edge: EdgeId) -> bool {
        self.log.clear();
        let model = self.model;
        let taken = self.execute(&model.cfa.edges[edge].command);
        if !taken {
            for undo in std::mem::take(&mut self.log).into_iter().rev() {
                match undo {
                    Undo::Assigned(variable, Some(value)) => {
                        self.state.insert(variable, value);
                    }
                    Undo::Assigned(variable, None) => {
                        self.state.remove(&variable);
                    }
                    Undo::Read(input, value) => {
                        self.inputs.entry(input).or_default().push_front(value);
                    }
                }
            }
        }
        taken
    }

    fn value(&self, term: Term) -> Value {
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
                let next = self.inputs.get_mut(input).and_then(VecDeque::pop_front);
                let value = match next {
                    Some(value) => {
                        self.log.push(Undo::Read(*input, value.clone()));
                        value
                    }
                    None => default_value(self.pool, self.pool.sort(*variable)),
                };
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
