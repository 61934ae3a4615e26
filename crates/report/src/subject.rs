//! What is reported on: an outcome and its task.

use crate::contract::contracts;
use crate::cycles::Cycles;
use crate::invariant::{LoopInvariant, loop_invariants};
use crate::result::Contract;
use answer::Allowance;
use std::cell::OnceCell;
use verify::class::{Class, class};
use verify::outcome::{Finding, Held, Outcome, Violation};
use verify::{Settings, Task};

/// An outcome with its task. What is written of it more than once, and takes time, is made once, when
/// it is asked for first.
pub struct Subject<'a> {
    /// What was asked about.
    pub task: &'a Task,
    /// What is known of it.
    pub outcome: &'a Outcome,
    /// By the number of the answer.
    invariants: Vec<OnceCell<Vec<LoopInvariant>>>,
    classes: Vec<OnceCell<Option<Class>>>,
    cycles: Vec<OnceCell<Option<Cycles>>>,
    /// Who looks for classes of failing inputs, and for how long; none if they are not wanted.
    classify: Option<(&'a Settings, Allowance)>,
}

impl<'a> Subject<'a> {
    /// Of which nothing has been written yet.
    pub fn new(task: &'a Task, outcome: &'a Outcome) -> Self {
        let invariants = outcome.answers.iter().map(|_| OnceCell::new()).collect();
        let classes = outcome.answers.iter().map(|_| OnceCell::new()).collect();
        let cycles = outcome.answers.iter().map(|_| OnceCell::new()).collect();
        Subject { task, outcome, invariants, classes, cycles, classify: None }
    }

    /// The same, of whose failing runs the classes of inputs are wanted.
    pub fn with_classes(self, settings: &'a Settings, allowance: Allowance) -> Self {
        Subject { classify: Some((settings, allowance)), ..self }
    }

    /// The failing run of an answer, if it can be told in cycles.
    ///
    /// # Panics
    /// If there are not so many answers.
    pub fn cycles(&self, answer: usize) -> Option<&Cycles> {
        let Finding::Unsafe(Violation::Program { run, .. }) = &self.outcome.answers[answer].finding
        else {
            return None;
        };
        self.cycles[answer].get_or_init(|| Cycles::of(self.task, run)).as_ref()
    }

    /// Which inputs fail as the run of an answer does, if that is wanted and short.
    ///
    /// # Panics
    /// If there are not so many answers.
    pub fn class(&self, answer: usize) -> Option<&Class> {
        let (settings, allowance) = self.classify.as_ref()?;
        let Finding::Unsafe(Violation::Program { run, .. }) = &self.outcome.answers[answer].finding
        else {
            return None;
        };
        let code = self.task.code()?;
        self.classes[answer].get_or_init(|| class(code, run, settings, allowance)).as_ref()
    }

    /// The invariants at the loops of a program that the proof of an answer has; none if it has no
    /// invariant, or is no proof.
    ///
    /// # Panics
    /// If there are not so many answers.
    pub fn loop_invariants(&self, answer: usize) -> &[LoopInvariant] {
        self.invariants[answer].get_or_init(|| self.lifted(answer))
    }

    /// The contracts of functions that the proof of an answer has, if it is one by summaries.
    ///
    /// # Panics
    /// If there are not so many answers.
    pub fn contracts(&self, answer: usize) -> Vec<Contract> {
        let Finding::Safe(proved) = &self.outcome.answers[answer].finding else {
            return Vec::new();
        };
        match (&proved.invariant, self.task.code()) {
            (Some(Held::Procedures(procedures, summaries)), Some(code)) => {
                contracts(self.task.language, &code.program, procedures, summaries)
            }
            _ => Vec::new(),
        }
    }

    fn lifted(&self, answer: usize) -> Vec<LoopInvariant> {
        let Finding::Safe(proved) = &self.outcome.answers[answer].finding else {
            return Vec::new();
        };
        match (&proved.invariant, self.task.code()) {
            (Some(Held::Automaton(cfa, invariant)), Some(code)) => {
                loop_invariants(self.task.language, &code.program, cfa, invariant)
            }
            _ => Vec::new(),
        }
    }
}
