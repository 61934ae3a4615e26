//! Random tests beside the engines: concrete runs go deep where formulas do not, through loops of
//! millions of rounds and large arrays, and a run that fails needs no further proof.
//!
//! The first test takes zero for every unknown value, the others random ones, some of them numbers that
//! the program names. A test ends after a
//! number of steps that is small for most and doubles for every second, every fourth one and so on,
//! so that many short runs and a few long ones share the time.
//!
//! Tests have a thread of their own, or, where engines take turns, a turn.

use super::{Claim, Decider};
use crate::accept::approximation::approximate;
use crate::accept::replay::violation;
use crate::listener::{Listener as Audience, Note};
use crate::schedule::Starter;
use crate::schedule::baton::{GROWTH, LONGEST};
use answer::{Allowance, EngineName, Held, Interrupt};
use portable::inputs::Remembered;
use program::Property;
use program::constants::constants;
use program::counterexample::{Counterexample, Watched};
use program::interpret::{
    Branch, Fixed, Interpreter, Limits, Listener, Oracle, Outcome, Random, Request,
};
use program::program::{Program, Site};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::mem::replace;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use term::Value;
use value::Bits;

/// How many seconds engines are waited for before tests are started.
const START: f64 = 0.5;
/// The steps of a short test.
pub const STEPS: u64 = 20_000;
/// How often they are doubled at most.
const DOUBLINGS: u32 = 12;
/// The most unknown values of a run that can be reported.
const MAX_TAKEN: u64 = 1_000_000;
/// The steps of the first turn; later ones grow as those of engines do.
const TURN: u64 = 2 * STEPS;
/// How many times as long as a test their thread rests after it, and how long at most.
const PAUSE: u32 = 2;
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Tests of one program.
pub struct Tests<'p> {
    program: &'p Program,
    properties: &'p BTreeSet<Property>,
    seed: u64,
    /// The numbers of the program.
    numbers: Arc<[Bits]>,
    /// How many tests were started.
    started: Arc<AtomicU64>,
    runner: Runner<'p>,
    /// Stops the thread.
    interrupt: Interrupt,
}

/// Who runs the tests.
enum Runner<'p> {
    /// Nobody yet: many programs are decided before. The copy is for a thread.
    Nobody { copy: Program },
    /// The caller, in turns of so many steps.
    Caller { interpreter: Interpreter<'p>, turn: u64 },
    /// A thread, which says which test fails, and goes on while somebody might want to know.
    Thread { failed: Receiver<u64>, _wanted: Sender<()> },
    /// Nobody: they can't be run.
    Stopped,
}

impl<'p> Tests<'p> {
    /// The tests that the seed determines.
    pub fn new(program: &'p Program, properties: &'p BTreeSet<Property>, seed: u64) -> Self {
        let runner = Runner::Nobody { copy: program.clone() };
        let (started, interrupt) = (Arc::default(), Interrupt::new());
        let numbers = constants(program);
        Tests { program, properties, seed, numbers, started, runner, interrupt }
    }

    /// Lets the thread wait while the result lives, but not longer than `most`.
    pub fn hold(&self, most: Duration) -> Held<'_> {
        self.interrupt.hold(most)
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }

    /// Tests in a thread until a run fails; waits for that until the time has come.
    pub fn until(&mut self, end: Instant, starter: &Starter) -> Option<Box<Counterexample>> {
        self.runner = match replace(&mut self.runner, Runner::Stopped) {
            Runner::Nobody { copy } => self.start(copy, starter),
            runner => runner,
        };
        let Runner::Thread { failed, .. } = &self.runner else { return None };
        let number = failed.recv_timeout(end.saturating_duration_since(Instant::now())).ok()?;
        self.report(number)
    }

    fn start(&self, program: Program, starter: &Starter) -> Runner<'p> {
        let (sender, failed) = channel();
        let (_wanted, wanted) = channel::<()>();
        let interrupt = self.interrupt.clone();
        let (seed, numbers) = (self.seed, self.numbers.clone());
        let (started, properties) = (self.started.clone(), self.properties.clone());
        let work = move || {
            let Ok(interpreter) = Interpreter::new(&program) else { return };
            let allowance = Allowance::interruptible(interrupt.clone());
            let limits = Limits { allowance, ..Limits::default() };
            let mut interpreter = interpreter.with_properties(&properties);
            while !interrupt.is_raised() {
                let begun = Instant::now();
                let number = started.fetch_add(1, Ordering::Relaxed);
                interpreter.set_limits(Limits { steps: steps(number), ..limits.clone() });
                if fails(&interpreter, Values::new(number, seed, numbers.clone())) {
                    // Nobody listens any more if the answer was found elsewhere.
                    let _ = sender.send(number);
                    return;
                }
                // Engines are more likely to find something.
                let pause = (begun.elapsed() * PAUSE).min(LONGEST_PAUSE);
                if wanted.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected) {
                    return;
                }
            }
        };
        match starter.start_shallow("tests", work) {
            true => Runner::Thread { failed, _wanted },
            false => Runner::Stopped,
        }
    }

    /// The run with zero for every unknown value, if it fails within the limits.
    pub fn zeros(&self, limits: Limits) -> Option<Box<Counterexample>> {
        let interpreter = Interpreter::new(self.program).ok()?.with_properties(self.properties);
        let fails = fails(&interpreter.with_limits(limits), self.values(0));
        fails.then(|| self.report(0)).flatten()
    }

    /// Goes on testing until a run fails or the turn is over: after a number of tests, or one long
    /// one.
    pub fn turn(&mut self, deadline: Option<Instant>) -> Option<Box<Counterexample>> {
        if let Runner::Nobody { .. } = self.runner {
            let interpreter = Interpreter::new(self.program).ok();
            let interpreter = interpreter.map(|new| new.with_properties(self.properties));
            self.runner = match interpreter {
                Some(interpreter) => Runner::Caller { interpreter, turn: TURN },
                None => Runner::Stopped,
            };
        }
        let Runner::Caller { interpreter, turn } = &mut self.runner else { return None };
        let mut left = *turn;
        *turn = (*turn * GROWTH.0 / GROWTH.1).min(LONGEST * TURN);
        while left > 0 && deadline.is_none_or(|end| Instant::now() < end) {
            let number = self.started.fetch_add(1, Ordering::Relaxed);
            let allowance = Allowance { deadline, ..Allowance::default() };
            let limits = Limits { steps: steps(number), allowance, ..Limits::default() };
            left = left.saturating_sub(limits.steps);
            interpreter.set_limits(limits);
            let values = Values::new(number, self.seed, self.numbers.clone());
            if fails(interpreter, values) {
                return self.report(number);
            }
        }
        None
    }

    /// The values of the test with a number.
    fn values(&self, number: u64) -> Values {
        Values::new(number, self.seed, self.numbers.clone())
    }

    /// Repeats a test that fails, and notes what it does.
    fn report(&self, number: u64) -> Option<Box<Counterexample>> {
        let interpreter = Interpreter::new(self.program).ok()?.with_properties(self.properties);
        let mut watched = Watched::new(self.program, self.values(number));
        match interpreter.watch(&mut watched.clone(), &mut watched) {
            Outcome::Violation { property, at, .. } => {
                Some(violation(self.program, property, &at, watched.notes()))
            }
            _ => None,
        }
    }
}

impl Decider<'_, '_> {
    /// Whether a test fails, beside the engines or in its turn.
    pub(super) fn test_beside(&mut self, listener: &mut dyn Audience) -> Option<Claim> {
        let sequential = self.race.as_ref().is_some_and(super::race::Race::is_sequential);
        if !sequential {
            let begun = self.setup.budget.elapsed() >= START;
            return begun.then(|| self.test(Instant::now(), listener)).flatten();
        }
        let deadline = self.setup.budget.allowance.deadline;
        let run = self.tests.as_mut()?.turn(deadline)?;
        Some(self.failed(run, listener))
    }

    /// Tests the program until a run fails or the time has come.
    pub(super) fn test(&mut self, end: Instant, listener: &mut dyn Audience) -> Option<Claim> {
        let run = self.tests.as_mut()?.until(end, self.setup.starter)?;
        Some(self.failed(run, listener))
    }

    fn failed(&mut self, run: Box<Counterexample>, listener: &mut dyn Audience) -> Claim {
        self.record.assume(&self.program.assumptions, listener);
        let number = self.tests.as_ref().map_or(0, Tests::count);
        listener.note(&Note::TestFailed { number, seconds: self.setup.budget.elapsed() });
        Claim::Failed(EngineName::new("tests"), run)
    }
}

impl Drop for Tests<'_> {
    fn drop(&mut self) {
        self.interrupt.raise();
    }
}

/// How long the test with a number may become.
fn steps(number: u64) -> u64 {
    STEPS << (number + 1).trailing_zeros().min(DOUBLINGS)
}

/// Whether the test with these values fails.
fn fails(interpreter: &Interpreter<'_>, values: Values) -> bool {
    interpreter.run(&mut values.clone()).violates().is_some() && values.are_possible()
}

/// The values of one test.
#[derive(Clone)]
pub struct Values {
    source: Source,
    /// How many were taken, and whether one need not exist.
    taken: Rc<Cell<u64>>,
    approximated: Rc<Cell<bool>>,
}

#[derive(Clone)]
enum Source {
    Zero(Fixed),
    Random(Random),
    Remembered(Remembered),
    Scripted(Scripted),
}

/// Values by the instruction that takes them, in order; zero where there are none.
#[derive(Clone, Default)]
pub(crate) struct Scripted {
    values: FxHashMap<Site, VecDeque<Value>>,
}

impl Scripted {
    /// The next value of an instruction.
    pub fn add(&mut self, instruction: Site, value: Value) {
        self.values.entry(instruction).or_default().push_back(value);
    }
}

impl Values {
    /// Those of the test with a number, of a program with these numbers.
    pub fn new(number: u64, seed: u64, numbers: Arc<[Bits]>) -> Values {
        let source = match number {
            0 => Source::Zero(Fixed::default()),
            _ => Source::Random(Random::new(seed.wrapping_add(number)).among(numbers)),
        };
        Values { source, taken: Rc::default(), approximated: Rc::default() }
    }

    /// Those of a run of another version.
    pub fn remembered(values: Remembered) -> Values {
        let source = Source::Remembered(values);
        Values { source, taken: Rc::default(), approximated: Rc::default() }
    }

    /// Those of a run that was found.
    pub(crate) fn scripted(values: Scripted) -> Values {
        let source = Source::Scripted(values);
        Values { source, taken: Rc::default(), approximated: Rc::default() }
    }

    /// Whether the program can take all that it took, and not too much to tell.
    pub fn are_possible(&self) -> bool {
        !self.approximated.get() && self.taken.get() <= MAX_TAKEN
    }
}

impl Oracle for Values {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        self.taken.set(self.taken.get() + 1);
        if approximate(request.cause).is_some() {
            self.approximated.set(true);
        }
        match &mut self.source {
            Source::Zero(fixed) => fixed.value(request),
            Source::Random(random) => random.value(request),
            Source::Remembered(values) => values.value(request),
            Source::Scripted(script) => {
                let values = script.values.get_mut(&(request.function, request.edge));
                values.and_then(VecDeque::pop_front)
            }
        }
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        match &mut self.source {
            Source::Zero(fixed) => fixed.choose(branch),
            Source::Random(random) => random.choose(branch),
            Source::Remembered(values) => values.choose(branch),
            Source::Scripted(_) => 0,
        }
    }
}

/// Watches nothing itself.
impl Listener for Values {
    fn step(&mut self, _: &program::interpret::Step<'_>) {}
}
