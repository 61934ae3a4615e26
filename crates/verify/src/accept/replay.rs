//! A run counts if the interpreter follows it into the violation, on the program itself.
//!
//! The interpreter is the reference of what a run is; it knows nothing of models, minimization or
//! engines. What it does on the way is noted, and is what people are shown.

use super::{Judgement, approximation, computed, outside};
use crate::code::encode::{self, Encoding, Scope};
use crate::code::{Decider, violated};
use crate::failure::Failure;
use crate::task::Registers;
use answer::{EngineName, Interrupt, Reason};
use passes::Back;
use program::counterexample::{Counterexample, Script, Taken, Watched};
use program::interpret::{
    Fault, Interpreter, Limits, Lockstep, Malformed, Outcome, Placement, Position,
};
use program::minimize::{self, Pass};
use program::program::Cause;
use program::verdict::Run;
use program::{Cfa, Command, Program, Property};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use term::Term;

/// How long a run may be to be tried again without garbage: with other values it need not end.
const GARBAGE_STEPS: u64 = 5_000_000;

/// How long a run into the end of an unrolling may be replayed.
const UNWINDING_STEPS: u64 = 300_000;

/// How long a run that was found in the slice of the properties is followed in the program.
const SLICE_PATIENCE: Duration = Duration::from_secs(5);

/// What was noted of a run, with where it ends and by which calls it came there.
pub(crate) fn violation(
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

/// Replays a run and notes what it shows.
pub(super) fn judge(
    decider: &Decider<'_, '_>,
    engine: &EngineName,
    run: &Run,
) -> Result<Judgement, Failure> {
    let defect = |why: String| Failure::defect(engine, why);
    let encoding = decider.encoding().ok_or_else(|| defect("a run of no model".to_owned()))?;
    if let Some(source) = approximation::source(encoding, run) {
        return Ok(Judgement::Refused(Reason::Approximated { source }));
    }
    let _held = decider.hold(decider.patience());
    let last = run.steps.last().map(|step| &encoding.minimized.cfa.edges[step.edge]);
    let unwinding = last.is_some_and(|edge| edge.violates == Some(Property::Unwinding));
    let limits = limits(decider, encoding, unwinding);
    let interpreter = interpreter(decider, &limits).map_err(|error| defect(error.to_string()))?;
    let replay = Replay { decider, encoding, limits: &limits, interpreter: &interpreter };
    let (outcome, noted, unwritten) =
        replay.follow(run).ok_or_else(|| defect("the run has no way back".to_owned()))?;
    Ok(match outcome {
        Outcome::Violation { property, at, .. } => replay.accepted(property, &at, noted),
        _ if unwinding => Judgement::Deeper,
        Outcome::Undefined { at, fault } => {
            if let Fault::Access { .. } = fault
                && let Some(accepted) = replay.with_outside(run)
            {
                return Ok(accepted);
            }
            let (place, fault) = (at.place(decider.program), fault.to_string());
            Judgement::Refused(Reason::Undefined { place, fault })
        }
        Outcome::Stopped { by, .. } => {
            Judgement::Refused(Reason::ReplayStopped { by: format!("{by:?}") })
        }
        _ if computed::is_taken(encoding, run) => match replay.with_computed(run) {
            Some(accepted) => accepted,
            None => Judgement::Refused(Reason::Approximated {
                source: computed::first(encoding, run).unwrap_or_default(),
            }),
        },
        _ if unwritten => Judgement::Refused(Reason::Unwritten),
        // The interpreter goes by addresses: what is beyond one object may be in another one here.
        _ if last.is_some_and(|edge| edge.violates == Some(Property::Pointer)) => {
            let what = "a run that is wrong leads from one object into another".to_owned();
            Judgement::Refused(Reason::GaveUp(what))
        }
        outcome => {
            return Err(defect(format!("the run does not replay into the violation: {outcome:?}")));
        }
    })
}

/// How a run of a model is followed.
struct Replay<'a, 'd, 's, 'p> {
    decider: &'a Decider<'d, 's>,
    encoding: &'a Encoding,
    limits: &'a Limits,
    interpreter: &'a Interpreter<'p>,
}

impl Replay<'_, '_, '_, '_> {
    /// What the interpreter says of a run, what it noted, and whether it asked for memory that nothing
    /// is known of; none if the run has no way back.
    fn follow(&self, run: &Run) -> Option<(Outcome, Counterexample, bool)> {
        let back = self.encoding.model.back(self.decider.program, self.limits);
        let lockstep = Lockstep(Rc::new(RefCell::new(back.run(run.clone())?)));
        let mut watched = Watched::new(self.decider.program, lockstep.clone());
        let outcome = self.interpreter.watch(&mut watched.clone(), &mut watched);
        let unwritten = lockstep.0.borrow().memory_asked();
        Some((outcome, watched.notes(), unwritten))
    }

    fn accepted(&self, property: Property, at: &Position, noted: Counterexample) -> Judgement {
        let decider = self.decider;
        let run = violation(decider.program, property, at, noted);
        let plain = without_garbage(decider, &run);
        let explains = decider.setup.settings.explain;
        let matter = explains.then(|| matter(decider.program, &self.encoding.model.cfa));
        Judgement::Accepted(violated(plain.unwrap_or(run), matter))
    }

    /// The same path with the results that functions have.
    fn with_computed(&self, run: &Run) -> Option<Judgement> {
        let run = computed::same_path(self.decider, self.encoding, run)?;
        match self.follow(&run)? {
            (Outcome::Violation { property, at, .. }, noted, _) => {
                Some(self.accepted(property, &at, noted))
            }
            _ => None,
        }
    }

    /// The same path with memory from outside where pointers from there point to.
    fn with_outside(&self, run: &Run) -> Option<Judgement> {
        let run = outside::same_path(self.decider, self.encoding, run)?;
        let interpreter = interpreter(self.decider, self.limits).ok()?;
        let interpreter = interpreter.with_placement(Placement::default().with_outside());
        let replay = Replay { interpreter: &interpreter, ..*self };
        match replay.follow(&run)? {
            (Outcome::Violation { property, at, .. }, noted, _) => {
                Some(replay.accepted(property, &at, noted))
            }
            _ => None,
        }
    }
}

/// The interpreter of the program itself.
fn interpreter<'p>(
    decider: &Decider<'p, '_>,
    limits: &Limits,
) -> Result<Interpreter<'p>, Malformed> {
    let interpreter = Interpreter::new(decider.program)?;
    Ok(interpreter.with_properties(decider.properties).with_limits(limits.clone()))
}

/// How long a run is followed.
fn limits(decider: &Decider<'_, '_>, encoding: &Encoding, unwinding: bool) -> Limits {
    let whole = &decider.setup.budget.allowance;
    // A run of the slice need not end in the program.
    let allowance = match encoding.model.cone {
        true => whole.within(SLICE_PATIENCE),
        false => whole.clone(),
    };
    let limits = Limits { allowance, ..Limits::default() };
    match unwinding {
        // Where the model ends the run may still fail, but need not end.
        true => Limits { steps: UNWINDING_STEPS, ..limits },
        false => limits,
    }
}

/// The same run with zeros for what was not initialized, if it still leads to the violation: a
/// compiled program can be made to take them.
fn without_garbage(decider: &Decider<'_, '_>, run: &Counterexample) -> Option<Box<Counterexample>> {
    let garbage = |taken: &Taken| taken.cause == Cause::Uninitialized && !taken.is_zero();
    if !run.taken.iter().any(garbage) {
        return None;
    }
    let script = Script::with_zeros(run);
    let strayed: Interrupt = script.strayed();
    let deadline = decider.setup.budget.allowance.deadline;
    let allowance = answer::Allowance { deadline, work: None, interrupt: strayed.clone() };
    let limits = Limits { steps: GARBAGE_STEPS, allowance, ..Limits::default() };
    let interpreter = Interpreter::new(decider.program).ok()?;
    let interpreter = interpreter.with_properties(decider.properties).with_limits(limits);
    let interpreter = interpreter.with_placement(run.placement.clone().unwrap_or_default());
    let mut oracle = Watched::new(decider.program, script);
    let mut listener = oracle.clone();
    match interpreter.watch(&mut oracle, &mut listener) {
        Outcome::Violation { property, at, .. }
            if Some(property) == run.property && !strayed.is_raised() =>
        {
            Some(violation(decider.program, property, &at, oracle.notes()))
        }
        _ => None,
    }
}

/// The registers on which violations of a program can depend, if somebody wants to know.
pub(super) fn matter_to(decider: &Decider<'_, '_>) -> Option<Registers> {
    let settings = decider.setup.settings;
    if !settings.explain {
        return None;
    }
    let program = decider.program;
    if let Some(encoding) = decider.encoding() {
        return Some(matter(program, &encoding.model.cfa));
    }
    let (properties, depth) = (decider.properties, encode::FIRST_DEPTH);
    let model = encode::model_of(program, properties, settings, depth, Scope::Fitting).ok()?;
    Some(matter(program, &model.cfa))
}

/// The registers on which violations can depend.
fn matter(program: &Program, cfa: &Cfa) -> Registers {
    let passes = [Pass::Prune, Pass::Slice].into();
    let options = minimize::Options { passes, ..minimize::Options::default() };
    let sliced = minimize::minimize(&program.pool, cfa, &options).cfa;
    let mut written = FxHashSet::default();
    for edge in sliced.edges.values() {
        assigned(&edge.command, &mut written);
    }
    let origins = written.iter().filter_map(|variable| sliced.variables.get(variable));
    origins.filter_map(|origin| origin.variable).collect()
}

/// The variables that a command writes.
fn assigned(command: &Command, into: &mut FxHashSet<Term>) {
    match command {
        Command::Assume(_) => {}
        Command::Assign(variable, _) | Command::Havoc(variable, _) => {
            into.insert(*variable);
        }
        Command::Sequence(commands) | Command::Choice(commands) => {
            commands.iter().for_each(|command| assigned(command, into));
        }
    }
}
