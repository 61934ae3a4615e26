//! What earlier runs know of a circuit, tried before the engines.
//!
//! Values with which another version failed are simulated. Clauses that held of another version are
//! candidates at the latches that are called the same ([`portable::circuits`]); those that are not inductive
//! here are dropped (Houdini, by [`ic3`]). What the others exclude is answered, like by any proof. If
//! something is left open, the engines have those that hold as lemmas of all frames, and begin with the
//! rest, each as far as it holds.

use super::Goals;
use super::share::excluded;
use crate::code::RECALL;
use crate::failure::Failure;
use crate::known::Knowledge;
use crate::listener::{Listener, Note};
use crate::outcome::{Finding, Held, Violation};
use crate::record::Record;
use answer::EngineName;
use circuit::verdict::{Proof, Verdict};
use circuit::{Clause, replay};
use ic3::{Ic3, StandardSolver};
use lemmas::INFINITE;
use portable::{Clauses, Stimulus};

/// The part of the time that is left that dropping clauses may take.
const SHARE: u32 = 4;

/// What is known of the circuit as it was read.
#[derive(Default)]
pub(super) struct Recalled {
    /// Clauses that hold.
    pub held: Vec<Clause>,
    /// Clauses that may hold, those that held longest elsewhere first.
    pub begun: Vec<Clause>,
}

impl Goals<'_> {
    /// Tries what is known, one piece after the other.
    pub(super) fn recall(&mut self, listener: &mut dyn Listener) -> Result<(), Failure> {
        let known = self.setup.settings.known.clone();
        for knowledge in known.iter() {
            match knowledge {
                Knowledge::Stimulus(stimulus) => self.simulate(stimulus, listener)?,
                Knowledge::Clauses(clauses) => self.recall_clauses(clauses, listener)?,
                Knowledge::Lemmas { .. }
                | Knowledge::Summaries { .. }
                | Knowledge::Relations { .. }
                | Knowledge::Unreachable { .. }
                | Knowledge::Inputs(_)
                | Knowledge::Finder { .. } => {}
            }
        }
        Ok(())
    }

    fn open(&self) -> Vec<usize> {
        let answers = (0..).zip(&self.answers);
        answers.filter(|(_, answer)| answer.is_none()).map(|(property, _)| property).collect()
    }

    /// Whether values with which another version failed violate something here.
    fn simulate(
        &mut self,
        stimulus: &Stimulus,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let system = self.design.system.clone();
        let trace = stimulus.trace(&system);
        for property in self.open() {
            // A trace ends with the violation, which may come earlier here.
            let mut shorter = trace.clone();
            while !shorter.inputs.is_empty() && replay(&system, &shorter, property).is_err() {
                shorter.inputs.pop();
            }
            if !shorter.inputs.is_empty() {
                let verdict = Verdict::Unsafe(shorter);
                self.answer(property, &EngineName::new(RECALL), &verdict, listener)?;
            }
        }
        Ok(())
    }

    /// Drops the clauses that are not inductive here, and answers what the others exclude.
    fn recall_clauses(
        &mut self,
        clauses: &Clauses,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let system = self.design.system.clone();
        let open = self.open();
        let matched = clauses.matched(&system);
        if open.is_empty() || system.check().is_err() {
            return Ok(());
        }
        let candidates: Vec<Clause> = matched
            .iter()
            .filter(|(frame, _)| *frame == INFINITE)
            .map(|(_, clause)| clause.clone())
            .collect();
        let allowance = &self.setup.budget.allowance;
        let patience = allowance.left().map(|left| left / SHARE);
        let allowance = patience.map_or(allowance.clone(), |most| allowance.within(most));
        let options = self.setup.settings.ic3;
        let mut unheard = ();
        let mut engine = Ic3::<StandardSolver>::new(&system, 0, options, &mut unheard);
        engine.set_allowance(allowance);
        // What is not found in time is left to the engines.
        let _ = engine.learn(&candidates);
        let infinite = engine.unfinished().into_iter().filter(|(frame, _)| *frame == INFINITE);
        let held: Vec<Clause> = infinite.map(|(_, clause)| clause).collect();
        let excluded = excluded(&system, &held, &open);
        let (count, kept, proves) = (matched.len(), held.len(), excluded.len() == open.len());
        let seconds = self.setup.budget.elapsed();
        listener.note(&Note::Recalled { count, kept, proves, seconds });
        let verdict = Verdict::Safe(Proof::Inductive(held.clone()));
        for property in excluded {
            self.answer(property, &EngineName::new(RECALL), &verdict, listener)?;
        }
        self.recalled.held.extend(held);
        self.recalled.begun.extend(matched.into_iter().map(|(_, clause)| clause));
        Ok(())
    }

    /// Tells the engines, now that it is known what they work on.
    pub(super) fn pass_on(&mut self) {
        let lower = |clause: &Clause| self.common.lower(clause);
        let held: Vec<Clause> = self.recalled.held.iter().filter_map(lower).collect();
        if !held.is_empty() {
            self.common.known.add(&held);
        }
        let begun = self.recalled.begun.iter().filter_map(lower).collect();
        self.common.known.begin_with(begun);
    }

    /// Notes what later questions may begin with.
    pub(super) fn learn(&self, record: &mut Record) {
        let system = &self.design.system;
        let mut clauses: Vec<(usize, Clause)> = Vec::new();
        let mut open = false;
        for answer in self.answers.iter() {
            match answer.as_ref().map(|answer| &answer.finding) {
                Some(Finding::Safe(proved)) => {
                    if let Some(Held::Latches(held)) = &proved.invariant {
                        clauses.extend(held.iter().map(|clause| (INFINITE, clause.clone())));
                    }
                }
                Some(Finding::Unsafe(Violation::Circuit(trace))) => {
                    let stimulus = Stimulus::of(system, trace);
                    record.learned.push(Knowledge::Stimulus(stimulus));
                }
                _ => open = true,
            }
        }
        if open {
            clauses.extend(self.common.lift(&self.common.known.left()));
        }
        if !clauses.is_empty() {
            clauses.sort();
            clauses.dedup();
            record.learned.push(Knowledge::Clauses(Clauses::of(system, &clauses)));
        }
    }
}
