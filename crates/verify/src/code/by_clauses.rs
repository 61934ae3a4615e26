//! Programs by IC3 over their call graph: their procedures become Horn clauses
//! ([`horn::encode`]), a model of which is a proof, and a derivation from which is a run.
//!
//! The model is checked by `certify` on the clauses of the procedures; the unknown values of the run are
//! given to the interpreter.

use super::{Claim, Decider, encode};
use crate::failure::Failure;
use crate::figures::SearchFigures;
use crate::listener::{Listener, Note};
use answer::{Ended, EngineName, Reason};
use horn::encode::of_procedures;
use horn::simplify::simplify;
use horn::{Model, System, Verdict};
use passes::Back;
use program::model;
use std::time::Duration;

/// The name under which such claims are told.
pub const NAME: &str = "procedures";

/// A model of the clauses that a program's procedures stand for; terms are of the program's pool.
pub(crate) struct ClausesProof {
    /// The clauses.
    pub system: System,
    /// The model.
    pub model: Model,
}

impl Decider<'_, '_> {
    /// Decides the program by the clauses of its procedures, for so long at most.
    pub(super) fn by_clauses(
        &mut self,
        most: Option<Duration>,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        let alone = most.is_none();
        let program = self.program;
        let (pool, settings) = (&program.pool, self.setup.settings);
        let procedures =
            match model::procedures(program, &encode::options(settings, self.properties)) {
                Ok(procedures) => procedures,
                Err(error) if alone => return Err(encode::refusal(&error)),
                Err(_) => return Ok(None),
            };
        let whole = &self.setup.budget.allowance;
        let allowance = most.map_or_else(|| whole.clone(), |most| whole.within(most));
        let late = || !alone && allowance.exhausted().is_some();
        if late() {
            return Ok(None);
        }
        let engine = EngineName::new(NAME);
        let encoded = match of_procedures(pool, &procedures) {
            Ok(encoded) => encoded,
            Err(error) => {
                self.reason = Reason::Unsupported { what: error.to_string() }.of(&engine);
                return Ok(None);
            }
        };
        if late() {
            return Ok(None);
        }
        let simplified = simplify(pool, &encoded.system, &allowance);
        let row = crate::engines::row(NAME);
        let reached = row.map(|row| self.record.board.enter(row, None)).unwrap_or_default();
        let mut figures = SearchFigures::new(reached);
        let (solvers, system) = (settings.solvers, &simplified.system);
        let verdict = callgraph::decide(pool, system, solvers, &allowance, &mut figures);
        figures.finish();
        let ended = match &verdict {
            Verdict::Safe(_) => Ended::Safe,
            Verdict::Unsafe(refutation) => Ended::Unsafe { steps: refutation.steps.len() },
            Verdict::Unknown(reason) => Ended::Unknown(reason.clone()),
        };
        let figures = self.record.board.ended(&engine, None, ended.clone());
        let (ended, goal, seconds) = (&ended, None, self.setup.budget.elapsed());
        listener.note(&Note::Ended { engine: &engine, goal, ended, figures, seconds });
        let no_way = || Failure::defect(&engine, "there is no way back over the simplification");
        match verdict {
            Verdict::Safe(model) => {
                let model = simplified.back.invariant(model).ok_or_else(no_way)?;
                let assumptions = program.assumptions.iter().chain(&procedures.assumptions);
                self.record.assume(assumptions, listener);
                drop(simplified);
                let proof = ClausesProof { system: encoded.system, model };
                Ok(Some(Claim::Modelled(Box::new(proof))))
            }
            Verdict::Unsafe(refutation) => {
                let refutation = simplified.back.run(refutation).ok_or_else(no_way)?;
                let values = encoded.inputs(pool, &refutation);
                let claim = self.play_values(NAME, &procedures, &values);
                if claim.is_some() {
                    self.record.assume(&program.assumptions, listener);
                } else if alone {
                    let what = "a run that is wrong could not be followed".to_owned();
                    self.reason = Reason::GaveUp(what).of(&engine);
                }
                Ok(claim)
            }
            Verdict::Unknown(reason) => {
                if alone {
                    self.reason = reason.of(&engine);
                }
                Ok(None)
            }
        }
    }
}
