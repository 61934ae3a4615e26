//! The only run of a program that takes no unknown value, or none that matters.
//!
//! Executing it decides the program. If the program asks for a value that the properties do not depend
//! on, their slice is executed ([`program::model::slice_without`]): it has all violations of the
//! program, so its run decides if there is none in it. A violation of the slice counts if the whole
//! program has it with zero for every unknown value.
//!
//! Most programs ask for an input soon, and most that do not are
//! through soon; but a loop of a billion rounds may be one for the engines, and one of a hundred
//! million rounds into an error is one for nobody else. So execution and engines take turns, each of
//! which is as long as all before it.

use super::{Claim, Decider, Stage};
use crate::accept::replay::violation;
use crate::engines::Takes;
use crate::failure::Failure;
use crate::listener::{Listener, Note};
use crate::question::Choice;
use answer::EngineName;
use program::counterexample::{Counterexample, Script, Watched};
use program::interpret::{Interpreter, Limits, OnlyRun, only_run};
use program::minimize::Pass;
use program::model::slice_without;
use program::program::Site;
use program::recursion::recursive;
use std::time::Duration;

/// How long a program is executed at first.
const FIRST: Duration = Duration::from_millis(500);

impl Decider<'_, '_> {
    /// The first step of the ladder, if all engines are asked.
    pub(super) fn execute_first(&mut self, listener: &mut dyn Listener) -> Option<Claim> {
        let claim = self.tests.is_some().then(|| self.execute(FIRST, listener)).flatten();
        if claim.is_none() {
            self.stage = Stage::Unwind;
        }
        claim
    }

    /// What comes before there is a model.
    pub(super) fn next_without_model(&self) -> Stage {
        match self.setup.settings.choice {
            _ if self.takes_calls() => Stage::Calls,
            Choice::One(name) if self.executes(name) => Stage::Last,
            Choice::One(name) if !self.proves(name) => Stage::first_model(),
            _ if !recursive(self.program).is_empty() => Stage::Calls,
            _ => Stage::first_model(),
        }
    }

    /// Whether an engine takes the program itself.
    fn executes(&self, name: &str) -> bool {
        self.setup.settings.engine(name).is_some_and(|engine| engine.row().takes == Takes::Program)
    }

    /// Whether an engine is one that proves.
    fn proves(&self, name: &str) -> bool {
        self.setup.settings.engine(name).is_some_and(|engine| engine.row().proves)
    }

    /// Executes the program for a while, as far as that is possible without knowing anything.
    fn execute(&mut self, patience: Duration, listener: &mut dyn Listener) -> Option<Claim> {
        let allowance = self.setup.budget.allowance.within(patience);
        let limits = Limits { allowance, ..Limits::default() };
        let mut executed = self.only_run(&limits)?;
        if let OnlyRun::Asks(site) = executed
            && self.leave_out(site)
        {
            executed = self.only_run(&limits)?;
        }
        let seconds = self.setup.budget.elapsed();
        let what = match &executed {
            OnlyRun::Asks(_) => "Asks".to_owned(),
            executed if self.executed_slice.is_some() => format!("{executed:?}, of the slice"),
            executed => format!("{executed:?}"),
        };
        listener.note(&Note::Executed { what, seconds });
        let claim = match executed {
            OnlyRun::Safe => Claim::Executed { slice: self.executed_slice.is_some() },
            OnlyRun::Violates { .. } if self.executed_slice.is_some() => {
                let run = self.tests.as_ref().and_then(|tests| tests.zeros(limits));
                if run.is_none() {
                    // It has more violations than the program: there is nothing to follow.
                    self.executed_slice = None;
                }
                Claim::Failed(EngineName::new("execution"), run?)
            }
            OnlyRun::Violates { property, at } => {
                let run = violation(self.program, property, &at, self.watch_execution());
                Claim::Failed(EngineName::new("execution"), run)
            }
            OnlyRun::Unfinished => {
                self.reexecute_at = Some(2.0 * seconds);
                return None;
            }
            OnlyRun::Asks(_) | OnlyRun::Unclear => return None,
        };
        self.record.assume(&self.program.assumptions, listener);
        Some(claim)
    }

    /// Executes the program, or the slice of it if that is known to be needed.
    fn only_run(&self, limits: &Limits) -> Option<OnlyRun> {
        let executed = self.executed_slice.as_deref().unwrap_or(self.program);
        only_run(executed, self.properties, limits.clone()).ok()
    }

    /// Takes the slice of the properties to be executed, if an instruction is not in it.
    fn leave_out(&mut self, site: Site) -> bool {
        if self.executed_slice.is_some() || !self.setup.settings.with(Pass::Cone) {
            return false;
        }
        self.executed_slice = slice_without(self.program, self.properties, site).map(Box::new);
        self.executed_slice.is_some()
    }

    /// Concrete runs beside the engines: the only one, if there is one and its time has come, or
    /// tests; and all runs at once.
    pub(super) fn run_beside(
        &mut self,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        let unwound = self.unwind_beside(listener)?;
        Ok(unwound.or_else(|| self.run_one_beside(listener)))
    }

    fn run_one_beside(&mut self, listener: &mut dyn Listener) -> Option<Claim> {
        let passed = self.setup.budget.elapsed();
        match self.reexecute_at {
            None => self.test_beside(listener),
            Some(due) if passed < due => None,
            Some(_) => {
                let patience = Duration::from_secs_f64(passed);
                let race = self.race.take();
                let held = race.as_ref().map(|race| race.hold(patience));
                let claim = self.execute(patience, listener);
                drop(held);
                self.race = race;
                claim
            }
        }
    }

    /// Engines that gave up have left time for runs, if there is a limit.
    pub(super) fn run_to_the_end(
        &mut self,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        if self.unwinding.is_some() {
            return self.unwind_to_the_end(listener);
        }
        self.stage = Stage::Over;
        if self.awaited {
            return Ok(None);
        }
        let Some(end) = self.setup.budget.allowance.deadline else { return Ok(None) };
        Ok(match self.reexecute_at {
            Some(_) => self.execute(Duration::MAX, listener),
            None => self.test(end, listener),
        })
    }

    /// What the only run does.
    fn watch_execution(&self) -> Counterexample {
        let explains = self.setup.settings.explain;
        let interpreter = explains.then(|| Interpreter::new(self.program).ok()).flatten();
        let Some(interpreter) = interpreter else { return Counterexample::default() };
        let allowance = self.setup.budget.allowance.clone();
        let limits = Limits { allowance, ..Limits::default() };
        let interpreter = interpreter.with_properties(self.properties).with_limits(limits);
        let mut watched = Watched::new(self.program, Script::default());
        interpreter.watch(&mut watched.clone(), &mut watched);
        watched.notes()
    }
}
