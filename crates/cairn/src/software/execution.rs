//! The only run of a program that takes no unknown value.
//!
//! Executing it decides the program. Most programs ask for an input soon, and most that do not are
//! through soon; but a loop of a billion rounds may be one for the engines, and one of a hundred
//! million rounds into an error is one for nobody else. So execution and engines take turns, each of
//! which is as long as all before it.

use super::engines::Race;
use super::{Decision, FIRST_DEPTH, Proved, Run, Scope, Subject, evidence};
use answer::Allowance;
use program::interpret::{Interpreter, Limits, OnlyRun, only_run};
use program::model::layout_dependence;
use report::counterexample::{Counterexample, Script, Watched};
use report::result::Vacuity;
use std::time::{Duration, Instant};

/// How long a program is executed at first.
pub(super) const FIRST: Duration = Duration::from_millis(500);

impl Run<'_> {
    /// Executes the program for a while, as far as that is possible without knowing anything.
    pub(super) fn execute(&mut self, patience: Duration) -> Option<Decision> {
        let end = Instant::now().checked_add(patience);
        let deadline = end.into_iter().chain(self.budget.allowance.deadline).min();
        let allowance = Allowance { deadline, ..Allowance::default() };
        let limits = Limits { allowance, ..Limits::default() };
        let Subject { program, properties, options, .. } = self.subject;
        let executed = only_run(program, properties, limits).ok()?;
        let solving = self.budget.elapsed();
        if self.arguments.stats {
            eprintln!("execution: {executed:?} ({solving:.3} s)");
        }
        let decision = match executed {
            OnlyRun::Safe if layout_dependence(program, options).is_some() => {
                // With objects elsewhere it might do something else.
                self.again = None;
                return None;
            }
            OnlyRun::Safe => {
                self.record.vacuity = self.vacuity_of_execution();
                Decision::Safe(Proved { kind: "executed", ..Proved::default() })
            }
            OnlyRun::Violates { property, at } => {
                let noted = self.watch_execution();
                Decision::Unsafe(evidence::violation(program, property, &at, noted))
            }
            OnlyRun::Unfinished => {
                self.again = Some(2.0 * solving);
                return None;
            }
            OnlyRun::Unclear => return None,
        };
        self.tell(&program.assumptions);
        self.record.engine = Some("execution");
        (self.record.solving, self.record.check) = (solving, Some(0.0));
        Some(decision)
    }

    /// Concrete runs beside the engines: the only one, if there is one and its time has come, or
    /// tests.
    pub(super) fn run_beside(&mut self, race: &Race) -> Option<Decision> {
        let passed = self.budget.elapsed();
        match self.again {
            None => self.test_beside(race).map(Decision::Unsafe),
            Some(due) if passed < due => None,
            Some(_) => {
                let patience = Duration::from_secs_f64(passed);
                let _held = race.hold(patience);
                self.execute(patience)
            }
        }
    }

    /// What the only run does.
    fn watch_execution(&self) -> Counterexample {
        let Subject { program, properties, .. } = self.subject;
        let Some(interpreter) = self.json().then(|| Interpreter::new(program).ok()).flatten()
        else {
            return Counterexample::default();
        };
        let deadline = self.budget.allowance.deadline;
        let allowance = Allowance { deadline, ..Allowance::default() };
        let limits = Limits { allowance, ..Limits::default() };
        let interpreter = interpreter.with_properties(properties).with_limits(limits);
        let mut watched = Watched::new(program, Script::default());
        interpreter.watch(&mut watched.clone(), &mut watched);
        watched.notes()
    }

    /// Whether the only run comes to a check.
    fn vacuity_of_execution(&self) -> Option<Vacuity> {
        let model =
            self.json().then(|| self.subject.model(FIRST_DEPTH, Scope::Whole).ok()).flatten()?;
        Some(self.vacuity(&model, false))
    }
}
