//! CaDiCaL with a record of its steps.
//!
//! Two of CaDiCaL's techniques are switched off, because their steps are not resolutions over
//! the variables of the formula: bounded variable addition (`factor`), which defines new
//! variables, and covered clause elimination (`cover`), which extends clauses. Blocked and
//! globally blocked clause elimination (`block`, `condition`) are off as in CaDiCaL's defaults:
//! they only put clauses aside, but those are then clauses that a proof by resolution may need.
//! Everything else CaDiCaL justifies by antecedents, variable elimination and equivalent
//! literals included.

use super::record::{ProofError, Record, SharedRecord};
use super::{Partition, Proof};
use crate::cadical::{Cadical, Preset};
use crate::lit::{Lit, Var};
use crate::solver::{Answer, Solver, Statistics};
use answer::Allowance;

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
        Self::with_record(preset, Record::new())
    }

    fn with_record(preset: Preset, record: Record) -> Self {
        let record = SharedRecord::new(record);
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

    /// What each of the questions to come may use; its work is counted in conflicts.
    pub fn set_allowance(&mut self, allowance: Allowance) {
        self.cadical.set_allowance(allowance);
    }

    /// Changes the conflicts that each of the questions to come may use, and nothing else.
    pub fn set_work(&mut self, conflicts: Option<u64>) {
        self.cadical.set_work(conflicts);
    }

    /// Counters since the solver was made.
    pub fn statistics(&self) -> Statistics {
        self.cadical.statistics()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    /// Questions to one formula, with a record that is cleaned all the time and one that never
    /// is: the proofs must be the same, and the record smaller.
    #[test]
    fn cleaning_the_record_loses_nothing() {
        const VARS: usize = 130;
        let mut rng = StdRng::seed_from_u64(7);
        let cleaned = Record::with_smallest_collection(2_000);
        let cleaned = ProvingSolver::with_record(Preset::Standard, cleaned);
        let hoarding = Record::with_smallest_collection(usize::MAX);
        let hoarding = ProvingSolver::with_record(Preset::Standard, hoarding);
        let mut solvers = [cleaned, hoarding];
        for solver in &mut solvers {
            while solver.var_count() < VARS {
                solver.new_var();
            }
        }
        let mut random_lit = || Var::new(rng.random_range(0..VARS)).lit(rng.random());
        let mut refuted = 0;
        for question in 0..200 {
            let new_clauses = if question == 0 { 500 } else { question % 2 };
            for _ in 0..new_clauses {
                let clause = [random_lit(), random_lit(), random_lit()];
                for solver in &mut solvers {
                    solver.add_clause_in(Partition(0), &clause);
                }
            }
            let assumptions: Vec<_> = (0..5).map(|_| (random_lit(), Partition(1))).collect();
            // SAT? formula ∧ ⋀ assumptions
            let answers = solvers.each_mut().map(|solver| solver.solve(&assumptions));
            assert_eq!(answers[0], answers[1]);
            if answers[0] == Answer::Unsat {
                refuted += 1;
                let proofs = solvers.each_ref().map(|solver| solver.proof().expect("a proof"));
                assert_eq!(proofs[0], proofs[1]);
                assert!(proofs[0].check().expect("right").is_well_formed());
            }
        }
        solvers[0].record.lock().collect();
        let [kept, all] = solvers.each_ref().map(ProvingSolver::recorded_steps);
        assert!(refuted > 100, "only {refuted} questions were unsatisfiable");
        assert!(kept * 4 < all * 3 && all > 2_000, "{kept} of {all} steps kept");
    }
}
