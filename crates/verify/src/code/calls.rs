//! Proofs and runs call by call, by summaries of functions ([`summary`]), and if that has found nothing,
//! by IC3 over the call graph ([`super::by_clauses`]).
//!
//! The program is modelled with its calls, and with recursion in the place of loops
//! ([`program::procedures`]). What is found there is a claim like any other: summaries are checked by
//! `certify` on the procedures, and the unknown values of a run are given to the interpreter. Summaries of
//! another version are where the upgrade check begins.

use super::test::{Scripted, Values};
use super::{Claim, Decider, PROCEDURES, Stage, encode};
use crate::accept::replay::violation;
use crate::engines::Takes;
use crate::failure::Failure;
use crate::listener::{Listener, Note};
use crate::question::Choice;
use answer::{Ended, EngineName, Reason};
use portable::Calls;
use program::cfa::InputId;
use program::counterexample::Watched;
use program::interpret::{Interpreter, Limits, Outcome};
use program::model;
use program::procedures::{Procedures, Summaries};
use std::time::Duration;
use summary::search::Search;
use summary::upgrade::{Status, upgrade};
use summary::{Answer, Encoding, Means};
use term::Value;

/// The name under which such claims are told.
pub const NAME: &str = "summaries";
/// How much of the time that is left goes into summaries where there are other engines.
const SHARE: f64 = 0.3;
/// And how much of what is left then into the clauses of the procedures.
const CLAUSES_SHARE: f64 = 0.4;
/// How much at most.
const TIME: Duration = Duration::from_secs(60);

/// A proof call by call.
pub(crate) struct CallProof {
    /// What it is about.
    pub procedures: Procedures,
    /// What is known of calls.
    pub summaries: Summaries,
    /// If they are of another version: the number of the piece of knowledge.
    pub recalled: Option<usize>,
}

impl Decider<'_, '_> {
    /// Whether nobody but the engine of this step is asked.
    pub(super) fn takes_calls(&self) -> bool {
        let Choice::One(name) = self.setup.settings.choice else { return false };
        let engine = self.setup.settings.engine(name);
        engine.is_some_and(|engine| engine.row().takes == Takes::Procedures)
    }

    /// Decides the program call by call.
    pub(super) fn call_by_call(
        &mut self,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        if self.setup.settings.choice == Choice::One(PROCEDURES) {
            self.stage = Stage::Last;
            return self.by_clauses(None, listener);
        }
        let alone = self.takes_calls();
        self.stage = if alone { Stage::Last } else { Stage::first_model() };
        if !alone && self.found_by(PROCEDURES) {
            let share = self.setup.budget.allowance.share(CLAUSES_SHARE, TIME);
            if let Some(claim) = self.by_clauses(Some(share), listener)? {
                return Ok(Some(claim));
            }
        }
        let program = self.program;
        let options = encode::options(self.setup.settings, self.properties);
        let procedures = match model::procedures(program, &options) {
            Ok(procedures) => procedures.with_loops_as_recursion(&program.pool),
            Err(error) if alone => return Err(encode::refusal(&error)),
            Err(_) => return Ok(None),
        };
        let whole = &self.setup.budget.allowance;
        if !alone && whole.exhausted().is_some() {
            return Ok(None);
        }
        let allowance = if alone { whole.clone() } else { whole.within(whole.share(SHARE, TIME)) };
        let settings = self.setup.settings;
        let encoding = Encoding::new(&program.pool, &procedures, &settings.summary);
        let means = Means { solvers: settings.solvers, allowance };
        let mut search = Search::new(&encoding, &settings.summary, &means);
        let answer = search.decide(&encoding.checks);
        let figures = search.figures();
        let ended = match &answer {
            Answer::Safe(_) => Ended::Safe,
            Answer::Unsafe(values) => Ended::Unsafe { steps: values.len() },
            Answer::Open { reason } => Ended::Unknown(reason.clone()),
        };
        let (engine, seconds) = (EngineName::new(NAME), self.setup.budget.elapsed());
        let figures = figures.lines();
        let note = Note::Ended { engine: &engine, goal: None, ended: &ended, figures, seconds };
        listener.note(&note);
        drop(search);
        let assumptions = program.assumptions.iter().chain(&procedures.assumptions);
        match answer {
            Answer::Safe(summaries) => {
                self.record.assume(assumptions, listener);
                drop(encoding);
                Ok(Some(Claim::Called(Box::new(CallProof {
                    procedures,
                    summaries,
                    recalled: None,
                }))))
            }
            Answer::Unsafe(values) => {
                let claim = self.play_values(NAME, &procedures, &values);
                if claim.is_some() {
                    self.record.assume(&program.assumptions, listener);
                } else if alone {
                    let what = "a run that is wrong could not be followed".to_owned();
                    self.reason = Reason::GaveUp(what).of(&engine);
                }
                Ok(claim)
            }
            Answer::Open { reason } => {
                if alone {
                    self.reason = reason.of(&engine);
                    return Ok(None);
                }
                // What has no summaries by interpolation may have them by IC3.
                drop(encoding);
                let share = self.setup.budget.allowance.share(CLAUSES_SHARE, TIME);
                self.by_clauses(Some(share), listener)
            }
        }
    }

    /// The upgrade check \[Fed15, Alg. 4\]: whether summaries of another version, with those repaired that
    /// do not hold, prove this one. Those of functions that have not changed are believed, if `trusting`:
    /// the checker says whether they may be.
    pub(super) fn recall_calls(
        &mut self,
        number: usize,
        calls: &Calls,
        trusting: bool,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        let program = self.program;
        let settings = self.setup.settings;
        let options = encode::options(settings, self.properties);
        let Ok(procedures) = model::procedures(program, &options) else { return Ok(None) };
        let procedures = procedures.with_loops_as_recursion(&program.pool);
        let encoding = Encoding::new(&program.pool, &procedures, &settings.summary);
        let known = calls.on(program, &program.pool, &procedures, &encoding.interfaces);
        let Some((believed, mut changed)) = known else { return Ok(None) };
        if !trusting {
            changed.extend(procedures.procedures.iter().map(|(id, _)| id));
        }
        let allowance = self.setup.budget.allowance.within(self.patience_for_known());
        let means = Means { solvers: settings.solvers, allowance };
        let upgraded = upgrade(&encoding, &settings.summary, &means, &believed, &changed);
        // Summaries of another version may say what no solver understands.
        let Ok(upgraded) = upgraded else { return Ok(None) };
        let seconds = self.setup.budget.elapsed();
        let count = |status| upgraded.statuses.values().filter(|s| **s == status).count();
        listener.note(&Note::Upgraded {
            untouched: count(Status::Untouched),
            held: count(Status::Holds),
            repaired: count(Status::Repaired),
            lost: count(Status::Lost),
            proves: upgraded.proof.is_some(),
            seconds,
        });
        let Some(summaries) = upgraded.proof else { return Ok(None) };
        self.record.assume(program.assumptions.iter().chain(&procedures.assumptions), listener);
        drop(encoding);
        let recalled = Some(number);
        Ok(Some(Claim::Called(Box::new(CallProof { procedures, summaries, recalled }))))
    }

    /// Lets the interpreter follow the run that takes some values.
    pub(super) fn play_values(
        &self,
        engine: &'static str,
        procedures: &Procedures,
        values: &[(InputId, Value)],
    ) -> Option<Claim> {
        let mut script = Scripted::default();
        for (input, value) in values {
            if let Some((_, function, edge)) = procedures.inputs[*input].instruction {
                script.add((function, edge), value.clone());
            }
        }
        let interpreter = Interpreter::new(self.program).ok()?.with_properties(self.properties);
        let allowance = self.setup.budget.allowance.clone();
        let interpreter = interpreter.with_limits(Limits { allowance, ..Limits::default() });
        let values = Values::scripted(script);
        let mut watched = Watched::new(self.program, values.clone());
        let outcome = interpreter.watch(&mut watched.clone(), &mut watched);
        let Outcome::Violation { property, at, .. } = outcome else { return None };
        if !values.are_possible() {
            return None;
        }
        let run = violation(self.program, property, &at, watched.notes());
        Some(Claim::Failed(EngineName::new(engine), run))
    }
}
