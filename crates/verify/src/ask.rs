//! Questions about variants of one program, one after the other: for those who make goals of their own,
//! as coverage does. They share limits, threads and what is noted; each answer is accepted as any other.

use crate::board::{Board, Effort};
use crate::budget::Budget;
use crate::code::{Decider, Setup};
use crate::failure::Failure;
use crate::known::Knowledge;
use crate::listener::Listener;
use crate::outcome::{Finding, Violation};
use crate::question::{Limits, Settings};
use crate::record::Record;
use crate::schedule::Workers;
use answer::EngineName;
use program::counterexample::Counterexample;
use program::program::Assumption;
use program::{Program, Property};
use std::collections::BTreeSet;
use std::time::Duration;

/// Somebody who asks.
pub struct Asking {
    settings: Settings,
    budget: Budget,
    workers: Workers,
    record: Record,
}

/// What is known of a question.
#[derive(Debug)]
pub struct Asked {
    /// What was found.
    pub finding: Finding,
    /// Who found it.
    pub engine: Option<EngineName>,
    /// Beside a run into a violation, runs into others.
    pub others: Vec<Counterexample>,
    /// How far the engines came.
    pub efforts: Vec<Effort>,
    /// Whether there was a model for engines to work on.
    pub modelled: bool,
    /// What later questions may begin with, if that is wanted ([`Settings::learn`]).
    pub learned: Vec<Knowledge>,
}

impl Asked {
    /// The runs into violations.
    pub fn runs(&self) -> impl Iterator<Item = &Counterexample> {
        let first = match &self.finding {
            Finding::Unsafe(Violation::Program { run, .. }) => Some(&**run),
            _ => None,
        };
        first.into_iter().chain(&self.others)
    }
}

impl Asking {
    /// The clock starts.
    pub fn new(settings: Settings, limits: &Limits) -> Asking {
        let (budget, workers) = (Budget::start(limits), Workers::default());
        Asking { settings, budget, workers, record: Record::default() }
    }

    /// The limits.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What the next questions are asked with.
    pub fn settings(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Decides a program, within so much time.
    pub fn ask(
        &mut self,
        program: &Program,
        properties: &BTreeSet<Property>,
        time: Option<Duration>,
        listener: &mut dyn Listener,
    ) -> Result<Asked, Failure> {
        let within = time.map(|time| self.budget.within(time));
        let budget = within.as_ref().unwrap_or(&self.budget);
        let starter = self.workers.starter();
        self.record.board = Board::default();
        let setup = Setup { settings: &self.settings, budget, starter };
        let decider = Decider::new(setup, program, properties, &mut self.record);
        let decided = decider.awaited(time.is_some()).decide(listener)?;
        let learned = std::mem::take(&mut self.record.learned);
        let (finding, engine, others) = (decided.finding, decided.engine, decided.others);
        let (efforts, modelled) =
            (self.record.board.efforts(), self.record.board.model().is_some());
        Ok(Asked { finding, engine, others, efforts, modelled, learned })
    }

    /// What the answers rest on beside the text of the program.
    pub fn assumptions(&self) -> &[Assumption] {
        &self.record.assumptions
    }
}
