//! Random tests beside the engines: concrete runs go deep where formulas do not, through loops of
//! millions of rounds and large arrays, and a run that fails needs no further proof.
//!
//! The first test takes zero for every unknown value, the others random ones. A test ends after a
//! number of steps that is small for most and doubles for every second, every fourth one and so on,
//! so that many short runs and a few long ones share the time.

use super::evidence::{approximate, violation};
use program::Property;
use program::interpret::{
    Branch, Fixed, Interpreter, Limits, Listener, Oracle, Outcome, Random, Request,
};
use program::program::Program;
use report::counterexample::{Counterexample, Watched};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Instant;
use term::Value;

/// The steps of a short test.
pub const STEPS: u64 = 20_000;
/// How often they are doubled at most.
const DOUBLINGS: u32 = 12;
/// The most unknown values of a run that can be reported.
const MAX_TAKEN: u64 = 1_000_000;

/// Tests of one program.
pub struct Tests<'p> {
    program: &'p Program,
    properties: &'p BTreeSet<Property>,
    /// Made by the first test: many programs are decided before.
    interpreter: Option<Interpreter<'p>>,
    seed: u64,
    /// How many tests were started.
    started: u64,
}

impl<'p> Tests<'p> {
    /// The tests that the seed determines.
    pub fn new(program: &'p Program, properties: &'p BTreeSet<Property>, seed: u64) -> Self {
        Tests { program, properties, interpreter: None, seed, started: 0 }
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.started
    }

    /// Goes on testing until a run fails or the time has come.
    pub fn until(&mut self, end: Instant) -> Option<Box<Counterexample>> {
        while Instant::now() < end {
            let failed = self.next(Some(end))?;
            if let Some(number) = failed {
                return self.report(number);
            }
        }
        None
    }

    /// Goes on testing until a run fails or the turn is over: after a number of tests that depends on
    /// how many there were before, or one long one.
    pub fn turn(&mut self, deadline: Option<Instant>) -> Option<Box<Counterexample>> {
        let mut steps = 0;
        let turn = STEPS * (2 + self.started / 8);
        while steps < turn && deadline.is_none_or(|end| Instant::now() < end) {
            steps += self.steps();
            let failed = self.next(deadline)?;
            if let Some(number) = failed {
                return self.report(number);
            }
        }
        None
    }

    /// How long the next test may become.
    fn steps(&self) -> u64 {
        STEPS << (self.started + 1).trailing_zeros().min(DOUBLINGS)
    }

    /// The next test; its number, if it fails. None if there are no tests.
    fn next(&mut self, deadline: Option<Instant>) -> Option<Option<u64>> {
        let (number, steps) = (self.started, self.steps());
        self.started += 1;
        let limits = Limits { steps, deadline, ..Limits::default() };
        let interpreter = self.interpreter()?.with_limits(limits);
        let values = Values::new(number, self.seed);
        let fails = interpreter.run(&mut values.clone()).violates().is_some();
        self.interpreter = Some(interpreter);
        Some((fails && values.are_possible()).then_some(number))
    }

    fn interpreter(&mut self) -> Option<Interpreter<'p>> {
        let known = self.interpreter.take();
        let new = || Some(Interpreter::new(self.program).ok()?.with_properties(self.properties));
        known.or_else(new)
    }

    /// Repeats a test that fails, and notes what it does.
    fn report(&mut self, number: u64) -> Option<Box<Counterexample>> {
        let interpreter = self.interpreter()?.with_limits(Limits::default());
        let mut watched = Watched::new(self.program, Values::new(number, self.seed));
        match interpreter.watch(&mut watched.clone(), &mut watched) {
            Outcome::Violation { property, at, .. } => {
                Some(violation(self.program, property, &at, watched.notes()))
            }
            _ => None,
        }
    }
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
}

impl Values {
    /// Those of the test with a number.
    pub fn new(number: u64, seed: u64) -> Values {
        let source = match number {
            0 => Source::Zero(Fixed::default()),
            _ => Source::Random(Random::new(seed.wrapping_add(number))),
        };
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
        }
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        match &mut self.source {
            Source::Zero(fixed) => fixed.choose(branch),
            Source::Random(random) => random.choose(branch),
        }
    }
}

/// Watches nothing itself.
impl Listener for Values {
    fn step(&mut self, _: &program::interpret::Step<'_>) {}
}
