//! What a run of a vector leaves behind: the values of global variables at the end of each cycle.
//!
//! A cycle of a step function ends when the step returns; otherwise it ends where the first input of the
//! next one is taken. The last cycle of a vector is followed to its end, too. Variables are those that
//! nobody takes the address of; what lies in memory is not among the outputs.

use crate::suite::Vector;
use answer::{Allowance, Interrupt};
use program::counterexample::Script;
use program::interpret::{
    Branch, Effect, Ending, Interpreter, Limits, Listener, Oracle, Outcome, Request, Step,
};
use program::program::{FunctionId, Program, Reading, Variable, VariableId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use term::Value;

/// How many steps a run may take: its last cycle may be one without end.
const STEPS: u64 = 1 << 26;

/// The values of variables that have changed in a cycle, by their expressions in the source.
pub type Changes = BTreeMap<Arc<str>, Output>;

/// The value of an output.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// The value.
    pub value: Value,
    /// How it is written.
    pub reading: Reading,
}

/// What is left of a run.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Left {
    /// What each cycle changes, as far as their ends are known.
    pub cycles: Vec<Changes>,
    /// Whether an assumption refuses the run in the end.
    pub refused: bool,
}

/// What the cycles of a vector change, in order. `step` is the function that is called for ever, if there is one.
#[must_use]
pub fn outputs(program: &Program, vector: &Vector, step: Option<FunctionId>) -> Left {
    let script = Script::replaying(&vector.inputs, &vector.choices);
    let over = Interrupt::new();
    let watch = Watch {
        program,
        step,
        begins: vector.cycles.clone(),
        count: vector.inputs.len(),
        taken: 0,
        told: told(program),
        changed: FxHashMap::default(),
        last: FxHashMap::default(),
        done: Vec::new(),
        over: over.clone(),
    };
    let watch = Rc::new(RefCell::new(watch));
    let allowance = Allowance { interrupt: over.clone(), ..Allowance::default() };
    let limits = Limits { steps: STEPS, allowance, ..Limits::default() };
    let Ok(interpreter) = Interpreter::new(program) else { return Left::default() };
    let mut player = Player { script, watch: watch.clone() };
    let mut listener = Spectator(watch.clone());
    let outcome = interpreter.with_limits(limits).watch(&mut player, &mut listener);
    let mut watch = watch.borrow_mut();
    let orderly =
        matches!(outcome, Outcome::Finished { .. } | Outcome::Ended { by: Ending::Stop, .. });
    if step.is_none() && !over.is_raised() && orderly {
        watch.end();
    }
    watch.done.truncate(vector.cycles.len().max(1));
    let refused = matches!(outcome, Outcome::Ended { by: Ending::Assumption, .. });
    Left { cycles: std::mem::take(&mut watch.done), refused }
}

/// The expressions that another file can name registers by.
fn told(program: &Program) -> FxHashMap<VariableId, Arc<str>> {
    let expression = |(id, variable): (VariableId, &Variable)| {
        // Variables of functions are named by these, too.
        let local = program.pool.var_name(variable.term)?.contains("::");
        let plain = variable.function.is_none() && !local && variable.reading != Reading::Address;
        Some((id, variable.name.clone().filter(|_| plain)?))
    };
    program.variables.iter().filter_map(expression).collect()
}

struct Watch<'p> {
    program: &'p Program,
    step: Option<FunctionId>,
    begins: Vec<usize>,
    count: usize,
    taken: usize,
    /// The expressions that another file can name registers by.
    told: FxHashMap<VariableId, Arc<str>>,
    /// What was assigned in this cycle, and the values that are told.
    changed: FxHashMap<VariableId, Value>,
    last: FxHashMap<VariableId, Value>,
    done: Vec<Changes>,
    over: Interrupt,
}

impl Watch<'_> {
    /// A cycle is over.
    fn end(&mut self) {
        let mut changes = Changes::new();
        for (id, value) in self.changed.drain() {
            let reading = self.program.variables[id].reading;
            if self.last.get(&id) != Some(&value) {
                self.last.insert(id, value.clone());
                changes.insert(self.told[&id].clone(), Output { value, reading });
            }
        }
        self.done.push(changes);
        if self.done.len() >= self.begins.len().max(1) {
            self.over.raise();
        }
    }

    /// A register is assigned.
    fn note(&mut self, id: VariableId, value: &Value) {
        if self.told.contains_key(&id) {
            self.changed.insert(id, value.clone());
        }
    }

    /// Something is about to be taken.
    fn ask(&mut self) {
        let over = self.taken >= self.count;
        // Cycles without any input begin where the next one does.
        while self.step.is_none()
            && self.begins.get(self.done.len() + 1).is_some_and(|begin| *begin <= self.taken)
            && (self.begins[self.done.len() + 1] > 0 || self.taken > 0)
        {
            self.end();
        }
        if over {
            if self.step.is_none() {
                self.end();
            }
            self.over.raise();
        }
        self.taken += 1;
    }
}

struct Player<'p> {
    script: Script,
    watch: Rc<RefCell<Watch<'p>>>,
}

impl Oracle for Player<'_> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        self.watch.borrow_mut().ask();
        self.script.value(request)
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        self.script.choose(branch)
    }
}

struct Spectator<'p>(Rc<RefCell<Watch<'p>>>);

impl Listener for Spectator<'_> {
    fn step(&mut self, step: &Step<'_>) {
        let mut watch = self.0.borrow_mut();
        let watch = &mut *watch;
        if watch.over.is_raised() {
            return;
        }
        match &step.effect {
            Effect::Assigned(id, value) => watch.note(*id, value),
            Effect::Returned(function, results) => {
                results.iter().for_each(|(id, value)| watch.note(*id, value));
                if Some(*function) == watch.step && step.function == watch.program.start {
                    watch.end();
                }
            }
            _ => {}
        }
    }
}
