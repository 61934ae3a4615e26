//! Splitting of ranges and bit-blasting as one solver: for the few large questions about whole
//! paths of a program, in which float arithmetic may be what is hard.
//!
//! A question goes to [`Boxes`] first and then to bit-blasting, each with a bound that grows from
//! round to round, until one of them has an answer; where boxes have nothing to say, bit-blasting
//! is asked alone and without that bound. Bit-blasting is told of formulas only when it is asked:
//! it builds circuits of what it gets, asked or not, and boxes may never need them.

use crate::boxes::Boxes;
use crate::solver::{Answer, Error, Reason, Solver, Statistics};
use answer::{Allowance, Exhausted};
use term::{Pool, Term, Value};

/// The first effort by boxes, in evaluations of subterms, and by bit-blasting, in conflicts. A
/// question that is worth fewer conflicts is not worth boxes.
const FIRST_EFFORT: u64 = 20_000_000;
const FIRST_CONFLICTS: u64 = 20_000;
/// How they grow.
const GROWTH: u64 = 4;

/// Who gave the last answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answered {
    Boxes,
    Bits,
}

/// The formulas of a level.
#[derive(Default)]
struct Level {
    formulas: Vec<Term>,
    /// How many of them bit-blasting has.
    told: usize,
}

/// Boxes beside a solver that bit-blasts.
pub struct Floats<S> {
    boxes: Boxes,
    bits: S,
    /// The ground level first.
    levels: Vec<Level>,
    /// How many levels bit-blasting has, the ground level included.
    opened: usize,
    answered: Answered,
    allowance: Allowance,
    queries: u64,
}

impl<S: Solver> Floats<S> {
    /// Requires: the solver is new.
    pub fn new(bits: S) -> Self {
        Floats {
            boxes: Boxes::new(),
            bits,
            levels: vec![Level::default()],
            opened: 1,
            answered: Answered::Bits,
            allowance: Allowance::default(),
            queries: 0,
        }
    }

    /// Gives bit-blasting the formulas that it does not have.
    fn tell(&mut self, pool: &Pool) -> Result<(), Error> {
        for (depth, level) in self.levels.iter_mut().enumerate() {
            if depth == self.opened {
                self.bits.push();
                self.opened += 1;
            }
            for formula in &level.formulas[level.told..] {
                self.bits.assert(pool, *formula)?;
                level.told += 1;
            }
        }
        Ok(())
    }
}

impl<S: Solver> Solver for Floats<S> {
    fn name(&self) -> &'static str {
        match self.answered {
            Answered::Boxes => self.boxes.name(),
            Answered::Bits => self.bits.name(),
        }
    }

    fn push(&mut self) {
        self.boxes.push();
        self.levels.push(Level::default());
    }

    fn pop(&mut self, levels: usize) {
        self.boxes.pop(levels);
        self.levels.truncate(self.levels.len() - levels);
        if self.opened > self.levels.len() {
            self.bits.pop(self.opened - self.levels.len());
            self.opened = self.levels.len();
        }
    }

    fn assert(&mut self, pool: &Pool, formula: Term) -> Result<(), Error> {
        self.boxes.assert(pool, formula)?;
        self.levels.last_mut().expect("the ground level stays").formulas.push(formula);
        Ok(())
    }

    fn check_with(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error> {
        self.queries += 1;
        let allowed = self.allowance.work.unwrap_or(u64::MAX);
        let mut by_boxes = allowed >= FIRST_CONFLICTS;
        let (mut effort, mut conflicts) = (FIRST_EFFORT, FIRST_CONFLICTS);
        loop {
            if by_boxes {
                self.boxes.set_work(Some(effort));
                self.answered = Answered::Boxes;
                // SAT? formulas ∧ ⋀ assumptions ∧ ⋁ clause, by ranges
                match self.boxes.check_with(pool, assumptions, clause)? {
                    Answer::Unknown(Reason::Stopped(Exhausted::Work)) => {}
                    Answer::Unknown(_) => by_boxes = false,
                    answer => return Ok(answer),
                }
            }
            self.tell(pool)?;
            let bounded = by_boxes && conflicts < allowed;
            self.bits.set_work(if bounded { Some(conflicts) } else { self.allowance.work });
            self.answered = Answered::Bits;
            // SAT? formulas ∧ ⋀ assumptions ∧ ⋁ clause, by bits
            let answer = self.bits.check_with(pool, assumptions, clause)?;
            if !bounded || answer != Answer::Unknown(Reason::Stopped(Exhausted::Work)) {
                return Ok(answer);
            }
            (effort, conflicts) = (effort.saturating_mul(GROWTH), conflicts.saturating_mul(GROWTH));
            by_boxes = self.allowance.exhausted().is_none();
        }
    }

    fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error> {
        match self.answered {
            Answered::Boxes => self.boxes.value(pool, term),
            Answered::Bits => self.bits.value(pool, term),
        }
    }

    fn core(&self) -> Vec<Term> {
        match self.answered {
            Answered::Boxes => self.boxes.core(),
            Answered::Bits => self.bits.core(),
        }
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.boxes.set_allowance(allowance.clone());
        self.bits.set_allowance(allowance.clone());
        self.allowance = allowance;
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.allowance.work = conflicts;
    }

    fn statistics(&self) -> Statistics {
        Statistics { queries: self.queries, ..self.bits.statistics() }
    }
}
