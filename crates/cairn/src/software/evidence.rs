//! Whether the evidence of an engine is accepted.
//!
//! A proof comes from another pool and speaks of the minimized automaton: it is imported, lifted,
//! and checked on the automaton before minimization. A run is replayed on the program itself.

use super::engines::imported;
use super::{Attempt, Decision, Proved};
use crate::limits::Budget;
use answer::{Allowance, Exhausted};
use certify::{ProgramRejection, check_program};
use program::interpret::{Interpreter, Limits, Lockstep, Outcome, Position, Recorded};
use program::minimize::Minimized;
use program::model::Model;
use program::program::Cause;
use program::verdict::{Invariant, Proof, Run};
use program::{Program, Property};
use report::counterexample::{Counterexample, Script, Taken, Watched};
use report::invariant::loop_invariants;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};
use term::Pool;

/// How long a run may be to be tried again without garbage: with other values it need not end.
const GARBAGE_STEPS: u64 = 5_000_000;

/// How long a run into the end of an unrolling may be replayed.
const UNWINDING_STEPS: u64 = 300_000;

/// How long a run that was found in the cone of the properties is followed in the program.
const CONE_PATIENCE: Duration = Duration::from_secs(5);

/// Why evidence is not accepted.
pub enum Refusal {
    /// It is no evidence, though nothing is wrong with Cairn: why.
    Open(String),
    /// The check took longer than was allowed.
    Impatient,
    /// It should have been evidence: what went wrong.
    Wrong(String),
}

/// What evidence is checked against.
pub struct Evidence<'a> {
    pub program: &'a Program,
    pub properties: &'a BTreeSet<Property>,
    pub model: &'a Model,
    pub minimized: &'a Minimized,
    pub budget: &'a Budget,
    /// Whether the invariant of a proof is wanted in terms of the source.
    pub lift: bool,
}

/// What was noted of a run, with where it ends and by which calls it came there.
pub fn violation(
    program: &Program,
    property: Property,
    at: &Position,
    noted: Counterexample,
) -> Box<Counterexample> {
    let stack = at.stack(program).skip(1);
    Box::new(Counterexample {
        property: Some(property),
        place: at.place(program),
        function: program.functions[at.function].name.clone(),
        stack: stack.map(|(name, place)| (name.into(), place.clone())).collect(),
        ..noted
    })
}

impl Evidence<'_> {
    /// Checks a proof whose terms are of the pool `theirs`, not longer than `patience`.
    pub fn accept_proof(
        &self,
        theirs: &Pool,
        proof: &Proof,
        patience: Duration,
    ) -> Result<Attempt, Refusal> {
        let pool = &self.program.pool;
        let lift = |invariant: &Invariant| {
            self.minimized.lift_invariant(pool, &imported(theirs, invariant, pool))
        };
        let proof = match proof {
            Proof::Inductive(invariant) => Proof::Inductive(lift(invariant)),
            Proof::KInductive { k, invariant } => {
                Proof::KInductive { k: *k, invariant: lift(invariant) }
            }
            Proof::Exhausted { depth } => Proof::Exhausted { depth: *depth },
        };
        let Budget { allowance, .. } = self.budget;
        let end = Instant::now().checked_add(patience);
        let early = end.filter(|end| allowance.deadline.is_none_or(|deadline| *end < deadline));
        let allowance = early.map_or(allowance.clone(), |end| allowance.until(end));
        match check_program(pool, &self.model.cfa, &proof, &allowance) {
            Ok(()) => Ok(Attempt::Decided(Decision::Safe(self.proved(&proof)))),
            Err(ProgramRejection::Stopped(smt::Reason::Stopped(Exhausted::Time)))
                if early.is_some() =>
            {
                Err(Refusal::Impatient)
            }
            Err(ProgramRejection::Stopped(reason)) => {
                Err(Refusal::Open(format!("{reason} while the proof was checked")))
            }
            Err(rejection) => Err(Refusal::Wrong(rejection.to_string())),
        }
    }

    /// An accepted proof, in terms of the source if that is wanted.
    fn proved(&self, proof: &Proof) -> Proved {
        match proof {
            Proof::Inductive(invariant) | Proof::KInductive { invariant, .. } => Proved {
                kind: match proof {
                    Proof::Inductive(_) => "inductive",
                    _ => "k-inductive",
                },
                k: match proof {
                    Proof::KInductive { k, .. } => Some(*k),
                    _ => None,
                },
                size: Some(self.size(invariant)),
                loops: match self.lift {
                    true => loop_invariants(self.program, &self.model.cfa, invariant),
                    false => Vec::new(),
                },
            },
            Proof::Exhausted { .. } => Proved { kind: "exhausted", ..Proved::default() },
        }
    }

    /// How many formulas say something.
    fn size(&self, invariant: &Invariant) -> usize {
        let all = invariant.at.iter().flat_map(|(_, formulas)| formulas);
        all.filter(|formula| self.program.pool.as_bool(**formula).is_none()).count()
    }

    /// Replays a run and notes what it shows.
    pub fn accept_run(&self, run: &Run) -> Result<Attempt, Refusal> {
        let last = run.steps.last().map(|step| &self.minimized.cfa.edges[step.edge]);
        if let Some(source) = self.approximated(run) {
            let why = format!("the run found takes a value that {source} need not give");
            return Err(Refusal::Open(why));
        }
        let unwinding = last.is_some_and(|edge| edge.violates == Some(Property::Unwinding));
        // A run of the cone need not end in the program.
        let patience = self.model.cone.then(|| Instant::now() + CONE_PATIENCE);
        let deadline = self.budget.allowance.deadline.into_iter().chain(patience).min();
        let allowance = Allowance { deadline, ..Allowance::default() };
        let mut limits = Limits { allowance, ..Limits::default() };
        if unwinding {
            // Where the model ends the run may still fail, but need not end.
            limits.steps = UNWINDING_STEPS;
        }
        let interpreter = Interpreter::new(self.program)
            .map_err(|error| Refusal::Wrong(error.to_string()))?
            .with_properties(self.properties);
        let recorded = Recorded::with_loads(self.model, &self.program.pool, run, &limits);
        let lockstep = Lockstep(Rc::new(RefCell::new(recorded)));
        let mut watched = Watched::new(self.program, lockstep.clone());
        let interpreter = interpreter.with_limits(limits);
        match interpreter.watch(&mut watched.clone(), &mut watched) {
            Outcome::Violation { property, at, .. } => {
                let run = violation(self.program, property, &at, watched.notes());
                let plain = self.without_garbage(&run);
                Ok(Attempt::Decided(Decision::Unsafe(plain.unwrap_or(run))))
            }
            _ if unwinding => Ok(Attempt::Deeper),
            Outcome::Undefined { at, fault } => {
                let place = at.place(self.program);
                Err(Refusal::Open(format!("the run found is undefined at {place}: {fault}")))
            }
            Outcome::Stopped { by, .. } => {
                Err(Refusal::Open(format!("the replay of the run was stopped: {by:?}")))
            }
            _ if lockstep.0.borrow().memory_asked() => {
                let why = "the run found depends on memory that nothing has written";
                Err(Refusal::Open(why.to_owned()))
            }
            outcome => {
                let why = format!("the run does not replay into the violation: {outcome:?}");
                Err(Refusal::Wrong(why))
            }
        }
    }

    /// The same run with zeros for what was not initialized, if it still leads to the violation: a
    /// compiled program can be made to take them.
    fn without_garbage(&self, run: &Counterexample) -> Option<Box<Counterexample>> {
        let garbage = |taken: &Taken| taken.cause == Cause::Uninitialized && !taken.is_zero();
        if !run.taken.iter().any(garbage) {
            return None;
        }
        let script = Script::with_zeros(run);
        let strayed = script.strayed();
        let limits = Limits {
            steps: GARBAGE_STEPS,
            allowance: Allowance { interrupt: strayed.clone(), ..self.budget.allowance.clone() },
            ..Limits::default()
        };
        let interpreter = Interpreter::new(self.program).ok()?;
        let interpreter = interpreter.with_properties(self.properties).with_limits(limits);
        let mut oracle = Watched::new(self.program, script);
        let mut listener = oracle.clone();
        match interpreter.watch(&mut oracle, &mut listener) {
            Outcome::Violation { property, at, .. }
                if Some(property) == run.property && !strayed.is_raised() =>
            {
                Some(violation(self.program, property, &at, oracle.notes()))
            }
            _ => None,
        }
    }

    /// Where the run takes a value from, though nothing says that it can be taken.
    fn approximated(&self, run: &Run) -> Option<String> {
        let inputs = run.steps.iter().flat_map(|step| &step.inputs);
        inputs.map(|(input, _)| &self.minimized.cfa.inputs[*input].cause).find_map(approximate)
    }
}

/// What gives a value that is unknown to us and not to the program; a run that takes one need not
/// exist.
pub fn approximate(cause: &Cause) -> Option<String> {
    match cause {
        Cause::Approximated(function) => Some(format!("{function}()")),
        Cause::Assembly => Some("inline assembly".to_owned()),
        _ => None,
    }
}
