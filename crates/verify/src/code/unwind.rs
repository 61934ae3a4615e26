//! All runs of a program at once, by symbolic execution (`symex`).
//!
//! It works on a copy of the program, in a thread of its own. At first it has some time for itself:
//! many bounded programs are decided before there would be a model. Later it works beside the
//! engines, or takes turns with them where there are fewer jobs. If it has followed runs for long, it gives
//! way to the engines: it has what they leave of the processor. If it has followed all runs to their
//! ends, one question is left, and the engines give way to it.
//!
//! If the program asks for a value that does not matter, its slice has been made ([`super::execute`]), and
//! is what is executed; so is that of a large program. A violation of the slice counts if the interpreter
//! follows it in the whole program; otherwise this is executed.

use super::recall::Finder;
use super::vacuity::no_check;
use super::{Claim, Decider, Setup, Stage, encode};
use crate::accept::approximation::approximate;
use crate::accept::computed;
use crate::accept::replay::violation;
use crate::board::Reached;
use crate::engines::Takes;
use crate::failure::Failure;
use crate::listener::{Listener, Note};
use crate::question::{Choice, Goals};
use crate::record::Record;
use crate::schedule::baton::{Runner, Work};
use crate::schedule::{Courtesy, Player as _};
use answer::{Allowance, Ended, EngineName, Exhausted, Interrupt, Reason, Vacuity};
use program::checks::Check;
use program::counterexample::{Counterexample, Watched};
use program::interpret::{
    Ending, Interpreter, Limits, Listener as Spectator, Malformed, Oracle, Outcome, Request, Step,
};
use program::minimize::Pass;
use program::{Instruction, Place, Program, Property, model};
use sat::proof::Proof;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use symex::replay::{Player, Script};
use term::{Pool, Sort, Term, Value};

/// The engine's name.
pub(crate) const NAME: &str = "symex";
/// How long it works before a model is made: while it still follows runs; once it has followed all and
/// asks whether one goes wrong; once it is in a loop that may have no end; and where there is one run,
/// which looks at addresses, so that a model with one placement would say little.
const HEAD_START: [Duration; 4] =
    [Duration::from_millis(5), Duration::from_millis(200), Duration::ZERO, Duration::from_secs(3)];
/// The same in turns, where there are fewer jobs than engines.
const HEAD_TURNS: [usize; 4] = [4, 12, 0, 180];
/// Where it decided an earlier version: how many times as long as that took it is waited for, if that was the
/// very same program and if it was not (it had others beside it, most of the time), and the part of the time
/// that is left that this may take.
const EXPECTED: (f64, f64) = (2.0, 0.4);
const EXPECTED_SHARE: f64 = 0.5;
const FOLLOWED: usize = 1;
const DOUBTFUL: usize = 2;
const ONE_RUN: usize = 3;
/// How long it follows runs before it gives way to the engines. What it decides at all it mostly decides
/// within a second or two of the processor, of which it has a part here.
const PATIENCE: Duration = Duration::from_secs(4);
/// How much less its work counts then, as the system counts it: about a fifteenth of the processor
/// where five engines want it too.
const NICENESS: i32 = 5;
/// How much less the work of the engines counts while the last question is asked: five of them have half
/// of the processor.
const ENGINES_NICENESS: i32 = 7;
/// How long a run of the slice is followed in the program, where it need not end.
const SLICE_PATIENCE: Duration = Duration::from_millis(100);
/// How often it is looked at how far it is, at first.
const LOOK: Duration = Duration::from_millis(2);
/// How often the question's own interrupt is looked at.
const WATCH: Duration = Duration::from_millis(50);

/// A formula that says that a run goes wrong, and its refutation.
pub(crate) struct Unwound {
    /// Where the formula lives.
    pub pool: Pool,
    /// What was refuted.
    pub formula: Term,
    /// How.
    pub proof: Box<Proof>,
    /// A check that a run comes to, if one is known.
    reached: Option<Place>,
}

impl Unwound {
    /// Whether a run is known to come to a check.
    pub fn is_reached(&self) -> bool {
        self.reached.is_some()
    }

    /// Whether the proof says something.
    pub fn vacuity(&self, program: &Program, properties: &BTreeSet<Property>) -> Option<Vacuity> {
        if let Some(place) = &self.reached {
            return Some(Vacuity::Reached(Some(place.clone()).filter(Place::is_known)));
        }
        no_check(program, properties)
    }
}

/// What came of it.
enum Answer {
    Safe(Box<Unwound>),
    /// One that goes wrong, and others that fail other checks.
    Runs(Vec<Script>),
    Unknown(Reason),
}

/// A symbolic execution at work.
pub(crate) struct Unwinding {
    runner: Runner<Box<Answer>>,
    interrupt: Interrupt,
    /// Whether it is the slice of the properties that is executed.
    slice: bool,
    /// Whether it takes turns with the engines.
    in_turns: bool,
    turns: usize,
    /// Whether it is worth waiting for: a place in [`HEAD_START`].
    promise: Arc<AtomicUsize>,
    /// The bound that it tries.
    reached: Reached,
}

/// Tells the board how far the bound is, and the ladder whether it is worth waiting.
struct Progress {
    reached: Reached,
    promise: Arc<AtomicUsize>,
    /// Whether there are engines beside it.
    competes: bool,
    /// Its own thread.
    own: Courtesy,
    begin: Instant,
}

impl Progress {
    fn has_one_run(&self) -> bool {
        self.promise.load(Ordering::Relaxed) == ONE_RUN
    }

    fn give_way(&self) {
        if self.competes {
            self.own.give_way(NICENESS);
        }
    }
}

impl symex::Observer for Progress {
    fn bound(&mut self, turns: u32) {
        self.reached.note(turns as usize);
    }

    fn followed(&mut self) {
        let (from, to) = (0, FOLLOWED);
        let _ = self.promise.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn doubtful(&mut self) {
        if !self.has_one_run() {
            self.promise.store(DOUBTFUL, Ordering::Relaxed);
        }
    }

    fn going_on(&mut self) {
        if self.begin.elapsed() > PATIENCE && !self.has_one_run() {
            self.give_way();
        }
    }
}

impl Unwinding {
    /// One for a program, if symbolic execution is among the engines that are asked for; `first` is the
    /// bound that it begins with, if one is known.
    pub fn wanted(
        setup: &Setup<'_>,
        program: &Program,
        properties: &BTreeSet<Property>,
        first: Option<u32>,
        record: &Record,
    ) -> Option<Unwinding> {
        let settings = setup.settings;
        let row = settings
            .table
            .iter()
            .map(|engine| engine.row())
            .find(|row| row.takes == Takes::Program)?;
        let asked = match settings.choice {
            Choice::Auto | Choice::Portfolio => row.joins,
            Choice::One(name) => row.name == name,
        };
        if !asked {
            return None;
        }
        let engines = settings.table.iter().filter(|e| e.row().programs && e.row().joins).count();
        let in_turns = settings.jobs.is_some_and(|jobs| jobs < engines);
        let interrupt = Interrupt::new();
        // Float arithmetic is hard for the solver, and often easy for those who split ranges.
        let floats = program.variables.values().any(|v| matches!(v.sort, Sort::Float(_)));
        let promise = Arc::new(AtomicUsize::new(if floats { DOUBTFUL } else { 0 }));
        let reached = record.board.enter(row, None);
        let alone = matches!(settings.choice, Choice::One(_));
        let (competes, begin) = (!in_turns && !alone, Instant::now());
        let own = Courtesy::default();
        let (told, promised) = (reached.clone(), promise.clone());
        let mut progress = Progress { reached: told, promise: promised, competes, own, begin };
        let (program, solvers) = (program.clone(), settings.solvers);
        let every = matches!(settings.goals, Goals::Each { stop: false, .. });
        let properties: Vec<Property> = properties.iter().copied().collect();
        let deadline = setup.budget.allowance.deadline;
        let work: Work<Box<Answer>> = Box::new(move |interrupt| {
            let _visit = progress.own.join();
            if floats {
                progress.give_way();
            }
            let allowance = Allowance { deadline, work: None, interrupt };
            let progress = &mut progress;
            let verdict = symex::decide_from(
                &program,
                &properties,
                every,
                first,
                &allowance,
                solvers,
                progress,
            );
            Box::new(match verdict {
                symex::Verdict::Safe { formula, proof, reached, .. } => {
                    let pool = program.pool;
                    Answer::Safe(Box::new(Unwound { pool, formula, proof, reached }))
                }
                symex::Verdict::Unsafe(scripts) => Answer::Runs(scripts),
                symex::Verdict::Unknown(reason) => Answer::Unknown(reason),
            })
        });
        let memory = || Box::new(Answer::Unknown(Reason::Stopped(Exhausted::Memory)));
        let name = EngineName::new(row.name);
        let runner =
            Runner::new(name, row.looks, &interrupt, setup.starter, work, Box::new(memory));
        let slice = false;
        Some(Unwinding { runner, interrupt, slice, in_turns, turns: 0, promise, reached })
    }

    /// The program has one run, which looks at addresses.
    fn expect_one_run(&self) {
        self.promise.store(ONE_RUN, Ordering::Relaxed);
    }

    /// Tells it to stop.
    pub fn stop(&self) {
        self.interrupt.raise();
    }

    fn turn(&mut self) -> Option<Box<Answer>> {
        self.turns += 1;
        self.runner.turn(self.turns - 1)
    }
}

impl Drop for Unwinding {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Decider<'_, '_> {
    /// Symbolic execution alone, for a moment.
    pub(super) fn unwind_first(
        &mut self,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        self.stage = self.next_without_model();
        let budget = self.setup.budget;
        self.begin_unwinding(true);
        let expected = self.expected_unwinding();
        let bound = self.sufficient_bound();
        let Some(unwinding) = &mut self.unwinding else { return Ok(None) };
        let begin = Instant::now();
        let mut answer = None;
        while answer.is_none() && !budget.is_interrupted() {
            let promise = unwinding.promise.load(Ordering::Relaxed);
            let over = match unwinding.in_turns {
                true => unwinding.turns >= HEAD_TURNS[promise],
                false => begin.elapsed() >= HEAD_START[promise],
            };
            // Beyond the bound that sufficed, it is not as it was.
            let astray = bound.is_some_and(|bound| unwinding.reached.number() > bound);
            if over && (astray || begin.elapsed() >= expected) {
                break;
            }
            answer = match unwinding.in_turns {
                true => unwinding.turn(),
                false => unwinding.runner.poll(LOOK),
            };
        }
        self.unwound(answer, listener)
    }

    /// What it needed to decide an earlier version, if it did.
    fn decided_before(&self) -> Option<&Finder> {
        self.recalling.finder.as_ref().filter(|finder| finder.engine == NAME)
    }

    /// The bound that sufficed for an earlier version, if one did.
    fn sufficient_bound(&self) -> Option<u64> {
        self.decided_before().and_then(|finder| finder.reached).filter(|bound| *bound > 0)
    }

    /// How long it is waited for because it decided an earlier version.
    fn expected_unwinding(&self) -> Duration {
        let times = |finder: &Finder| if finder.same { EXPECTED.0 } else { EXPECTED.1 };
        let decided = self.decided_before();
        let seconds = decided.map_or(0.0, |finder| times(finder) * finder.seconds);
        let most = self.setup.budget.allowance.share(EXPECTED_SHARE, Duration::MAX);
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO).min(most)
    }

    /// Begins anew, with the slice, if that is allowed and there is one.
    fn begin_unwinding(&mut self, slice: bool) {
        // A slice need not end the lives of its objects, so it says nothing of places that are used again.
        let blind = |slice: &&Program| {
            let options = encode::options(self.setup.settings, self.properties);
            ends(slice) == ends(self.program) || model::layout_dependence(slice, &options).is_none()
        };
        let large = || self.program.edges().nth(symex::LARGE).is_some();
        let sliced = || {
            let wanted = self.setup.settings.with(Pass::Cone) && large();
            wanted.then(|| model::slice(self.program, self.properties)).flatten()
        };
        let known = self.executed_slice.as_deref();
        let made = if slice && known.is_none() { sliced() } else { None };
        let slice = known.or(made.as_ref()).filter(|_| slice).filter(blind);
        let program = slice.unwrap_or(self.program);
        let first = self.sufficient_bound().and_then(|bound| u32::try_from(bound).ok());
        self.unwinding =
            Unwinding::wanted(&self.setup, program, self.properties, first, self.record);
        if self.executed_placed.is_some() {
            self.unwinding.iter().for_each(Unwinding::expect_one_run);
        }
        let Some(unwinding) = &mut self.unwinding else { return };
        unwinding.slice = slice.is_some();
        if !unwinding.in_turns {
            unwinding.runner.set_free();
        }
    }

    /// A turn beside the engines, or a look whether it has come to its end.
    pub(super) fn unwind_beside(
        &mut self,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        let Some(unwinding) = &mut self.unwinding else { return Ok(None) };
        let answer = match unwinding.in_turns {
            true => unwinding.turn(),
            false => unwinding.runner.poll(Duration::ZERO),
        };
        if unwinding.promise.load(Ordering::Relaxed) == FOLLOWED {
            self.race.iter().for_each(|race| race.courtesy.give_way(ENGINES_NICENESS));
        }
        self.unwound(answer, listener)
    }

    /// The engines are through.
    pub(super) fn unwind_to_the_end(
        &mut self,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        let budget = self.setup.budget;
        let Some(unwinding) = &mut self.unwinding else { return Ok(None) };
        let answer = match unwinding.in_turns {
            true => unwinding.turn(),
            false => unwinding.runner.poll(WATCH),
        };
        if answer.is_none() {
            listener.waiting();
            let exhausted = budget.ended().or_else(|| budget.allowance.exhausted());
            if let Some(exhausted) = exhausted {
                self.unwinding = None;
                if self.reason == Reason::NoEngine {
                    self.reason = Reason::Stopped(exhausted).of(&EngineName::new(NAME));
                }
            }
            return Ok(None);
        }
        listener.resumed();
        self.unwound(answer, listener)
    }

    /// What is made of an answer.
    fn unwound(
        &mut self,
        answer: Option<Box<Answer>>,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        let Some(answer) = answer else { return Ok(None) };
        let engine = EngineName::new(NAME);
        let ended = match &*answer {
            Answer::Safe(_) => Ended::Safe,
            Answer::Runs(scripts) => {
                Ended::Unsafe { steps: scripts.first().map_or(0, |script| script.values.len()) }
            }
            Answer::Unknown(reason) => Ended::Unknown(reason.clone()),
        };
        let seconds = self.setup.budget.elapsed();
        let figures = self.record.board.ended(&engine, None, ended.clone());
        let ended = &ended;
        listener.note(&Note::Ended { engine: &engine, goal: None, ended, figures, seconds });
        let slice = self.unwinding.take().is_some_and(|unwinding| unwinding.slice);
        match *answer {
            Answer::Safe(unwound) => {
                self.record.assume(&self.program.assumptions, listener);
                Ok(Some(Claim::Unwound(unwound)))
            }
            Answer::Runs(scripts) => {
                let mut scripts = scripts.into_iter();
                // If the interpreter may not follow a run, it may follow another one.
                while let Some(script) = scripts.next() {
                    let claim = self.play(script, slice, listener)?;
                    if claim.is_some() && !slice {
                        self.play_others(&mut scripts);
                    }
                    if claim.is_some() || slice {
                        return Ok(claim);
                    }
                }
                Ok(None)
            }
            Answer::Unknown(reason) => {
                if matches!(self.stage, Stage::Last) && self.race.is_none() {
                    self.reason = reason.of(&engine);
                }
                Ok(None)
            }
        }
    }

    /// Lets the interpreter follow a run, perhaps one of the slice.
    fn play(
        &mut self,
        script: Script,
        slice: bool,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        let engine = EngineName::new(NAME);
        let violates = script.violates.as_ref().map(|check| check.property);
        let Played { outcome, run, approximated, computed, placed, close } = self
            .follow(script, slice)
            .map_err(|error| Failure::defect(&engine, error.to_string()))?;
        match (outcome, run) {
            (_, Some(run)) => {
                self.record.assume(&self.program.assumptions, listener);
                Ok(Some(Claim::Failed(engine, run)))
            }
            (Outcome::Violation { .. }, None) => {
                let source = approximated.unwrap_or_default();
                self.reason = Reason::Approximated { source }.of(&engine);
                Ok(None)
            }
            _ if slice => {
                self.begin_unwinding(false);
                Ok(None)
            }
            // With the results that the functions have it goes another way.
            _ if computed.is_some() => {
                let source = computed.unwrap_or_default();
                self.reason = Reason::Approximated { source }.of(&engine);
                Ok(None)
            }
            (Outcome::Stopped { by, .. }, _) => {
                self.reason = Reason::ReplayStopped { by: format!("{by:?}") }.of(&engine);
                Ok(None)
            }
            // Something that the run says nothing about is where one of its objects must lie.
            (Outcome::Ended { by: Ending::Placement(_), .. }, _) if placed => Ok(None),
            // The interpreter goes by addresses: what is beyond one object may be in another one here.
            _ if close || violates == Some(Property::Pointer) => {
                let what = "a run that is wrong leads from one object into another".to_owned();
                self.reason = Reason::GaveUp(what).of(&engine);
                Ok(None)
            }
            (outcome, _) => {
                let what = format!("the run does not replay into the violation: {outcome:?}");
                Err(Failure::defect(&engine, what))
            }
        }
    }

    /// Keeps the runs into other violations that the interpreter can follow. What becomes of the checks
    /// of the others is asked again.
    fn play_others(&mut self, scripts: impl Iterator<Item = Script>) {
        for script in scripts {
            let run = self.follow(script, false).ok().and_then(|played| played.run);
            self.others.extend(run.map(|run| *run));
        }
    }

    /// What the interpreter makes of a run, perhaps one of the slice: wherever objects lie, if that does
    /// not matter.
    fn follow(&self, script: Script, slice: bool) -> Result<Played, Malformed> {
        if !script.placed.is_empty() {
            let mut anywhere = script.clone();
            anywhere.placed.clear();
            let played = self.follow_placed(anywhere, slice)?;
            let same = |run: &Counterexample| {
                let failed = |check: &Check| {
                    check.place == run.place && Some(check.property) == run.property
                };
                script.violates.as_ref().is_some_and(failed)
            };
            if played.run.as_deref().is_some_and(same) {
                return Ok(played);
            }
        }
        self.follow_placed(script, slice)
    }

    /// The same, with objects where the run says.
    fn follow_placed(&self, script: Script, slice: bool) -> Result<Played, Malformed> {
        let (script, placement) = script.placed(self.program);
        let (placed, close) = (!placement.is_standard(), script.close);
        let interpreter = Interpreter::new(self.program)?.with_properties(self.properties);
        let allowance = match slice {
            true => self.setup.budget.allowance.within(SLICE_PATIENCE),
            false => self.setup.budget.allowance.clone(),
        };
        let interpreter = interpreter
            .with_limits(Limits { allowance, ..Limits::default() })
            .with_placement(placement);
        let player = if slice { Player::of_part(script) } else { Player::new(script) };
        let careful = Careful::new(player);
        let mut watched = Watched::new(self.program, careful.clone());
        let outcome = interpreter.watch(&mut watched.clone(), &mut watched);
        let run = match &outcome {
            Outcome::Violation { property, at, .. } if !careful.approximates() => {
                Some(violation(self.program, *property, at, watched.notes()))
            }
            _ => None,
        };
        let approximated = careful.approximates().then(|| careful.source());
        let computed = careful.computed();
        Ok(Played { outcome, run, approximated, computed, placed, close })
    }
}

/// What came of following a run.
struct Played {
    outcome: Outcome,
    /// The run, if it goes wrong and may be told.
    run: Option<Box<Counterexample>>,
    /// The source of a value that need not exist.
    approximated: Option<String>,
    /// The source of a value that is computed.
    computed: Option<String>,
    /// Whether objects must lie at certain places.
    placed: bool,
    /// Whether these may be close to each other.
    close: bool,
}

/// How many instructions end the lives of objects.
fn ends(program: &Program) -> usize {
    let ends = |instruction: &Instruction| matches!(instruction, Instruction::Free { .. });
    program.edges().filter(|(_, edge)| ends(&edge.instruction)).count()
}

/// Notes whether a run takes a value that need not exist.
#[derive(Clone)]
struct Careful {
    player: Player,
    source: Rc<RefCell<Option<String>>>,
    computed: Rc<RefCell<Option<String>>>,
}

impl Careful {
    fn new(player: Player) -> Self {
        Careful { player, source: Rc::default(), computed: Rc::default() }
    }

    /// What has computed a value that the run may have otherwise.
    fn computed(&self) -> Option<String> {
        self.computed.borrow().clone()
    }

    fn approximates(&self) -> bool {
        self.source.borrow().is_some()
    }

    fn source(&self) -> String {
        self.source.borrow().clone().unwrap_or_default()
    }
}

impl Oracle for Careful {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        if let Some(source) = approximate(request.cause) {
            *self.source.borrow_mut() = Some(source.to_string());
        }
        self.player.value(request)
    }

    fn computed(&mut self, request: &Request<'_>, result: Value) -> Value {
        let of_script = self.player.value(request);
        if of_script.is_none_or(|value| value != result) {
            *self.computed.borrow_mut() = computed::source(request.cause);
        }
        result
    }

    fn choose(&mut self, branch: &program::interpret::Branch<'_>) -> usize {
        self.player.choose(branch)
    }
}

impl Spectator for Careful {
    fn step(&mut self, step: &Step<'_>) {
        self.player.step(step);
    }
}
