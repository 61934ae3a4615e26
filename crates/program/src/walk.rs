//! A run of one automaton followed on another that has the same inputs, such as the one before
//! minimization: by the values of its havocs, not by its edges.
//!
//! Each input has its queue of values, in the order of the run; where it is empty, the value is
//! zero, as nothing in the run depends on it. Where several edges leave a location the first is
//! taken whose assumptions hold: in programs they exclude each other.

use crate::cfa::{Cfa, Command, EdgeId, InputId, LocationId};
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
    Read(InputId, Value),
}

/// Where a run is.
pub(crate) struct Walk<'a> {
    pool: &'a Pool,
    cfa: &'a Cfa,
    leaving: ArenaMap<LocationId, Vec<EdgeId>>,
    at: Option<LocationId>,
    inputs: FxHashMap<InputId, VecDeque<Value>>,
    state: FxHashMap<Term, Value>,
    log: Vec<Undo>,
    /// The values of the havocs on the last edge.
    taken: Vec<(InputId, Value)>,
}

impl<'a> Walk<'a> {
    /// At the beginning of a run with these inputs.
    pub fn new(pool: &'a Pool, cfa: &'a Cfa, run: &Run) -> Self {
        let mut inputs: FxHashMap<InputId, VecDeque<Value>> = FxHashMap::default();
        for (input, value) in run.steps.iter().flat_map(|step| &step.inputs) {
            inputs.entry(*input).or_default().push_back(value.clone());
        }
        Walk {
            pool,
            cfa,
            leaving: cfa.leaving(),
            at: cfa.initial,
            inputs,
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
                    Undo::Read(input, value) => {
                        self.inputs.entry(input).or_default().push_front(value);
                    }
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
                let next = self.inputs.get_mut(input).and_then(VecDeque::pop_front);
                let value = match next {
                    Some(value) => {
                        self.log.push(Undo::Read(*input, value.clone()));
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
    let mut walk = Walk::new(pool, cfa, run);
    let mut steps = Vec::new();
    while steps.len() < STEPS
        && let Some(edge) = walk.advance()
    {
        steps.push(Step { edge, inputs: std::mem::take(&mut walk.taken) });
    }
    (walk.at.is_some() && walk.at == cfa.error).then_some(Run { steps })
}
