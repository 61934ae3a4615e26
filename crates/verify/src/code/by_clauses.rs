//! Programs by IC3 over their call graph: their procedures become Horn clauses
//! ([`horn::encode`]), a model of which is a proof, and a derivation from which is a run.
//!
//! The model is checked by `certify` on the clauses of the procedures; the unknown values of the run are
//! given to the interpreter. A model of another version's clauses is sifted ([`callgraph::sift`]): what is
//! left of it may solve these, and otherwise is where IC3 begins.

use super::{Claim, Decider, encode};
use crate::failure::Failure;
use crate::figures::SearchFigures;
use crate::known::Knowledge;
use crate::listener::{Listener, Note};
use answer::{Ended, EngineName, Reason};
use callgraph::sift::sift;
use horn::encode::{Encoded, of_procedures};
use horn::simplify::simplify;
use horn::{Interpretation, Model, System, Verdict};
use passes::Back;
use portable::Relations;
use portable::relations::Standing;
use program::model;
use program::procedures::Procedures;
use std::time::Duration;
use term::traverse::free_vars;
use term::{Pool, Term};

/// The name under which such claims are told.
pub const NAME: &str = "procedures";

/// A model of the clauses that a program's procedures stand for; terms are of the program's pool.
pub(crate) struct ClausesProof {
    /// The procedures.
    procedures: Procedures,
    /// The clauses.
    pub encoded: Encoded,
    /// The model.
    pub model: Model,
    /// Whether it is what is left of another version's.
    pub recalled: bool,
}

/// What a predicate is to the procedures.
fn standing(encoded: &Encoded, predicate: usize) -> Standing<'_> {
    let at = encoded.locations[predicate];
    let parameters = &encoded.system.predicates[predicate].parameters;
    Standing { at, arguments: &encoded.arguments[at.0], parameters }
}

/// What may hold of the predicates that are left of a system, if relations of another version did.
fn candidates(
    pool: &Pool,
    procedures: &Procedures,
    encoded: &Encoded,
    simple: &System,
    relations: &Relations,
) -> Option<Vec<Vec<Term>>> {
    let all = simple.clauses.iter().flat_map(|clause| clause.body.iter().chain(&clause.head));
    let mut left: Vec<usize> = all.map(|application| application.predicate).collect();
    left.sort_unstable();
    left.dedup();
    let standings: Vec<Standing<'_>> = left.iter().map(|p| standing(encoded, *p)).collect();
    let found = relations.on(pool, procedures, &standings)?;
    let mut candidates = vec![Vec::new(); simple.predicates.len()];
    for (predicate, formulas) in left.into_iter().zip(found) {
        let parameters = &simple.predicates[predicate].parameters;
        let fits = |f: &Term| free_vars(pool, &[*f]).iter().all(|v| parameters.contains(v));
        candidates[predicate] = formulas.into_iter().filter(fits).collect();
    }
    Some(candidates)
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
        let simplified = simplify(pool, &encoded.system, settings.solvers, &allowance);
        let row = crate::engines::row(NAME);
        let reached = row.map(|row| self.record.board.enter(row, None)).unwrap_or_default();
        let mut figures = SearchFigures::new(reached);
        let (solvers, system) = (settings.solvers, &simplified.system);
        let known = self.recalling.relations.take();
        let known = known.and_then(|known| candidates(pool, &procedures, &encoded, system, &known));
        let verdict = match known {
            None => callgraph::decide(pool, system, solvers, &allowance, &mut figures),
            Some(known) => {
                callgraph::decide_from(pool, system, known, solvers, &allowance, &mut figures)
            }
        };
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
                let proof = ClausesProof { procedures, encoded, model, recalled: false };
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

    /// Whether what is left of another version's model solves the clauses of this one.
    pub(super) fn recall_relations(
        &mut self,
        relations: &Relations,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        let program = self.program;
        let (pool, settings) = (&program.pool, self.setup.settings);
        self.recalling.relations = Some(relations.clone());
        let options = encode::options(settings, self.properties);
        let Ok(procedures) = model::procedures(program, &options) else { return Ok(None) };
        let Ok(encoded) = of_procedures(pool, &procedures) else { return Ok(None) };
        let allowance = self.setup.budget.allowance.within(self.patience_for_known());
        let simplified = simplify(pool, &encoded.system, settings.solvers, &allowance);
        let system = &simplified.system;
        let Some(candidates) = candidates(pool, &procedures, &encoded, system, relations) else {
            return Ok(None);
        };
        let count = candidates.iter().map(Vec::len).sum();
        let Ok(held) = sift(pool, system, candidates, settings.solvers, &allowance) else {
            self.recalling.cut_short();
            return Ok(None);
        };
        let (kept, proves) = (held.of.iter().map(Vec::len).sum(), held.proves);
        let seconds = self.setup.budget.elapsed();
        listener.note(&Note::Recalled { count, kept, proves, seconds });
        if !proves {
            return Ok(None);
        }
        let model = held.weakened(pool, Model::everywhere(system, pool.tru()));
        let no_way = || {
            Failure::defect(EngineName::new(NAME), "there is no way back over the simplification")
        };
        let model = simplified.back.invariant(model).ok_or_else(no_way)?;
        drop(simplified);
        self.record.assume(program.assumptions.iter().chain(&procedures.assumptions), listener);
        let proof = ClausesProof { procedures, encoded, model, recalled: true };
        Ok(Some(Claim::Modelled(Box::new(proof))))
    }

    /// Notes a model for later versions.
    pub(super) fn learn_relations(&mut self, proof: &ClausesProof, check: Option<f64>) {
        let ClausesProof { procedures, encoded, model, recalled } = proof;
        let said =
            model.relations.iter().enumerate().filter_map(|(predicate, relation)| match relation {
                Interpretation::Formula(formula) => Some((standing(encoded, predicate), *formula)),
                Interpretation::Clauses => None,
            });
        let relations = Relations::of(&self.program.pool, procedures, said);
        let elapsed = self.setup.budget.elapsed();
        let worth = if *recalled { self.recalling.worth } else { elapsed };
        let (form, check) = (self.form(), check.unwrap_or_default());
        self.record.learned.push(Knowledge::Relations { form, worth, check, relations });
    }
}
