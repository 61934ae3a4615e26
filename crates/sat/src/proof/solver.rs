//! CaDiCaL with a record of its steps.
//!
//! Two of CaDiCaL's techniques are switched off, because their steps are not resolutions over
//! the variables of the formula: bounded variable addition (`factor`), which defines new
//! variables, and covered clause elimination (`cover`), which extends clauses. Blocked and
//! globally blocked clause elimination (`block`, `condition`) are off as in CaDiCaL's defaults:
//! they only put clauses aside, but those are then clauses that a proof by resolution may need.
//! Everything else CaDiCaL justifies by antecedents, variable elimination and equivalent
//! literals included.

use super::record::{ProofError, SharedRecord};
use super::{Partition, Proof};
use crate::cadical::{Cadical, Preset};
use crate::lit::{Lit, Var};
use crate::solver::{Answer, Interrupt, Limits, Solver, Statistics};

const RESOLUTION_ONLY: [(&str, i32); 4] =
    [("factor", 0), ("cover", 0), ("block", 0), ("condition", 0)];

/// An incremental solver that can prove that a question is unsatisfiable.
///
/// Clauses and assumptions carry the label of the part of the formula they belong to. An
/// assumption counts as a unit clause of its part.
pub struct ProvingSolver {
    cadical: Cadical,
    record: SharedRecord,
    /// The assumptions of the last question, with their labels.
    assumptions: Vec<(Lit, Partition)>,
    answer: Option<Answer>,
}

impl Default for ProvingSolver {
    fn default() -> Self {
        Self::new(Preset::default())
    }
}

impl ProvingSolver {
    /// A solver without variables and clauses.
    pub fn new(preset: Preset) -> Self {
        let record = SharedRecord::new();
        ProvingSolver {
            cadical: Cadical::with_tracer(preset, &RESOLUTION_ONLY, record.clone()),
            record,
            assumptions: Vec::new(),
            answer: None,
        }
    }

    /// A new variable.
    pub fn new_var(&mut self) -> Var {
        self.cadical.new_var()
    }

    /// How many variables there are.
    pub fn var_count(&self) -> usize {
        self.cadical.var_count()
    }

    /// Adds a clause for good, as part of `partition`.
    pub fn add_clause_in(&mut self, partition: Partition, clause: &[Lit]) {
        self.record.lock().set_partition(partition);
        self.cadical.add_clause(clause);
    }

    /// SAT? formula ∧ ⋀ assumptions
    pub fn solve(&mut self, assumptions: &[(Lit, Partition)]) -> Answer {
        self.record.lock().begin_question();
        self.assumptions.clear();
        self.assumptions.extend_from_slice(assumptions);
        let lits: Vec<Lit> = assumptions.iter().map(|&(lit, _)| lit).collect();
        let answer = self.cadical.solve(&lits);
        self.answer = Some(answer);
        answer
    }

    /// After [`Answer::Sat`]: the value of a literal in the model.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        self.cadical.value(lit)
    }

    /// After [`Answer::Unsat`]: whether this assumption was used; see [`Solver::failed`].
    pub fn failed(&self, assumption: Lit) -> bool {
        self.cadical.failed(assumption)
    }

    /// After [`Answer::Unsat`]: the steps that lead to the contradiction, and no others.
    ///
    /// Clauses may have been added since; they are not part of the proof.
    pub fn proof(&self) -> Result<Proof, ProofError> {
        match self.answer {
            Some(Answer::Unsat) => self.record.lock().proof(&self.assumptions),
            _ => Err(ProofError::NotRefuted),
        }
    }

    /// How many steps are recorded at the moment, over all questions.
    pub fn recorded_steps(&self) -> usize {
        self.record.lock().len()
    }

    /// Bounds for the questions to come.
    pub fn set_limits(&mut self, limits: Limits) {
        self.cadical.set_limits(limits);
    }

    /// The flag that stops this solver; see [`Interrupt`].
    pub fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.cadical.set_interrupt(interrupt);
    }

    /// Counters since the solver was made.
    pub fn statistics(&self) -> Statistics {
        self.cadical.statistics()
    }
}
