//! A layer over any solver that remembers answers, after [Lan18 §5.1.3].
//!
//! Exact predecessors repeat cubes, and repeated cubes repeat questions. [`Cached`] keys a
//! question by the asserted formulas, the set of assumptions and the clause. `Sat` and `Unsat` are
//! true whatever the time limit was; an unknown is kept with the time it was given and answers
//! only questions that grant no more than that. Least recently used entries go first, so memory is
//! bounded.
//!
//! A model is not stored: a question whose answer came from the cache is asked again the first
//! time that a value of its model is read.

use crate::solver::{Answer, Error, Reason, Solver, Statistics};
use answer::{Allowance, Exhausted};
use lru::LruCache;
use rustc_hash::FxHashMap;
use std::num::NonZeroUsize;
use std::time::Duration;
use term::{Pool, Term, Value};

/// What identifies a question.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Question {
    /// The asserted formulas, as a node of [`Cached::states`].
    state: u32,
    /// Sorted, once each.
    assumptions: Vec<Term>,
    clause: Vec<Term>,
}

/// What was answered.
#[derive(Clone)]
struct Entry {
    answer: Answer,
    core: Vec<Term>,
    /// For an unknown: the time it had; `None` for no limit.
    granted: Option<Duration>,
    conflicts: Option<u64>,
}

/// A solver with a memory.
pub struct Cached<S> {
    solver: S,
    entries: LruCache<Question, Entry>,
    /// Numbers for sequences of asserted formulas: a state and one more formula is a state.
    states: FxHashMap<(u32, Term), u32>,
    /// The state of each open level, the ground level first.
    levels: Vec<u32>,
    core: Vec<Term>,
    /// The last question, if it was answered from memory and its model is not at hand.
    recalled: Option<Question>,
    allowance: Allowance,
    hits: u64,
    misses: u64,
}

impl<S: Solver> Cached<S> {
    /// Wraps a solver without formulas; at most `capacity` answers are kept.
    pub fn new(solver: S, capacity: NonZeroUsize) -> Self {
        Cached {
            solver,
            entries: LruCache::new(capacity),
            states: FxHashMap::default(),
            levels: vec![0],
            core: Vec::new(),
            recalled: None,
            allowance: Allowance::default(),
            hits: 0,
            misses: 0,
        }
    }

    /// Questions answered from memory, and questions that were asked.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits, self.misses)
    }

    fn granted(&self) -> Option<Duration> {
        self.allowance.left()
    }

    /// A remembered answer that is good enough for the limits of this question.
    fn recall(&mut self, question: &Question) -> Option<Entry> {
        let granted = self.granted();
        let entry = self.entries.get(question)?;
        let sufficient = match entry.answer {
            Answer::Sat | Answer::Unsat => true,
            Answer::Unknown(_) => {
                at_least(entry.granted, granted) && at_least(entry.conflicts, self.allowance.work)
            }
        };
        sufficient.then(|| entry.clone())
    }

    fn ask(&mut self, pool: &Pool, question: &Question) -> Result<Answer, Error> {
        let granted = self.granted();
        let answer = self.solver.check_with(pool, &question.assumptions, &question.clause)?;
        self.core = if answer == Answer::Unsat { self.solver.core() } else { Vec::new() };
        // An interruption says nothing about the question.
        if answer != Answer::Unknown(Reason::Stopped(Exhausted::Interrupted)) {
            let entry = Entry {
                answer: answer.clone(),
                core: self.core.clone(),
                granted,
                conflicts: self.allowance.work,
            };
            self.entries.put(question.clone(), entry);
        }
        Ok(answer)
    }
}

/// Whether a bound is at least another; `None` is no bound.
fn at_least<T: PartialOrd>(bound: Option<T>, other: Option<T>) -> bool {
    match (bound, other) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(a), Some(b)) => a >= b,
    }
}

impl<S: Solver> Solver for Cached<S> {
    fn name(&self) -> &'static str {
        self.solver.name()
    }

    fn push(&mut self) {
        self.levels.push(self.levels[self.levels.len() - 1]);
        self.solver.push();
    }

    fn pop(&mut self, levels: usize) {
        self.solver.pop(levels);
        self.levels.truncate(self.levels.len() - levels);
    }

    fn assert(&mut self, pool: &Pool, formula: Term) -> Result<(), Error> {
        self.solver.assert(pool, formula)?;
        let state = self.levels.last_mut().expect("the ground level stays");
        let next = self.states.len() as u32 + 1;
        *state = *self.states.entry((*state, formula)).or_insert(next);
        Ok(())
    }

    fn check_with(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error> {
        let sorted = |terms: &[Term]| {
            let mut terms = terms.to_vec();
            terms.sort_unstable();
            terms.dedup();
            terms
        };
        let question = Question {
            state: self.levels[self.levels.len() - 1],
            assumptions: sorted(assumptions),
            clause: sorted(clause),
        };
        if let Some(entry) = self.recall(&question) {
            self.hits += 1;
            self.core = entry.core;
            self.recalled = (entry.answer == Answer::Sat).then_some(question);
            return Ok(entry.answer);
        }
        self.misses += 1;
        self.recalled = None;
        self.ask(pool, &question)
    }

    fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error> {
        if let Some(question) = self.recalled.take() {
            // SAT? the remembered question, for its model; it is satisfiable, so no limit is set.
            let interrupt = self.allowance.interrupt.clone();
            self.solver.set_allowance(Allowance::interruptible(interrupt));
            let answer = self.ask(pool, &question)?;
            self.solver.set_allowance(self.allowance.clone());
            if answer != Answer::Sat {
                let message = format!("answered Sat before and {answer:?} now");
                return Err(Error::External { solver: self.name().into(), message });
            }
        }
        self.solver.value(pool, term)
    }

    fn core(&self) -> Vec<Term> {
        self.core.clone()
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.allowance = allowance.clone();
        self.solver.set_allowance(allowance);
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.allowance.work = conflicts;
        self.solver.set_work(conflicts);
    }

    fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }
}
