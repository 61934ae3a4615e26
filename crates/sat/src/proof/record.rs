//! The recorder: what CaDiCaL tells of its steps, kept for as long as a proof may need it.
//!
//! CaDiCaL names clauses by numbers that only grow. The record maps them to steps, each with its
//! clause and its antecedents, which are always earlier steps. It is bounded by what is alive:
//! when it has doubled since the last time, steps that no clause of the solver rests on any more
//! are dropped. Clauses that CaDiCaL may bring back (it says so by *weakening* them) and unit
//! clauses are never dropped, even if it reports them as deleted.
//!
//! The record believes nothing: a step that is not a resolution of known steps is marked as
//! unusable with the reason, and a proof that needs such a step is refused.

use super::lists::{Lists, retain_marked};
use super::{Origin, Partition, Proof, StepId, positions};
use crate::lit::Lit;
use cadical_sys::ProofTracer;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Why there is no proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProofError {
    /// The last question was not answered by "unsatisfiable".
    #[error("the last question was not found unsatisfiable")]
    NotRefuted,
    /// The solver used a clause that it had not derived or that it had deleted.
    #[error("the solver used a clause that is not part of its record")]
    UnknownAntecedent,
    /// The solver derived a clause that is not a consequence of its antecedents but only
    /// preserves satisfiability.
    #[error("the solver made a step that is not a resolution")]
    NotAResolution,
    /// The solver brought back a clause that differs from the one it had put aside.
    #[error("the solver restored a clause that it had not put aside")]
    ChangedClause,
    /// The solver's conclusion mentions a literal that was not assumed.
    #[error("the solver's conclusion rests on something that was not assumed")]
    ForeignConclusion,
}

/// How a recorded step is justified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Justification {
    Original(Partition),
    Derived,
    /// Not at all: a proof must not use this step.
    Missing(ProofError),
}

/// Whether a recorded step is still needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    /// The solver has the clause.
    Alive,
    /// The solver may refer to the clause at any time, whatever it says.
    Pinned,
    /// The solver has deleted the clause.
    Deleted,
}

/// All steps that the solver has reported and that may matter.
#[derive(Debug)]
pub(super) struct Record {
    justifications: Vec<Justification>,
    lives: Vec<Life>,
    clauses: Lists<Lit>,
    antecedents: Lists<StepId>,
    /// The step of each of CaDiCaL's clause numbers.
    steps: FxHashMap<i64, StepId>,
    /// The label of original clauses to come.
    partition: Partition,
    /// The steps named by the solver's last conclusion.
    conclusion: Vec<StepId>,
    /// The size at which steps that nothing needs are looked for.
    collect_at: usize,
    smallest_collection: usize,
}

impl Record {
    pub(super) fn new() -> Self {
        Self::with_smallest_collection(1 << 20)
    }

    /// A record that first looks for steps to drop when it has `size` literals and antecedents.
    pub(super) fn with_smallest_collection(size: usize) -> Self {
        Record {
            justifications: Vec::new(),
            lives: Vec::new(),
            clauses: Lists::default(),
            antecedents: Lists::default(),
            steps: FxHashMap::default(),
            partition: Partition(0),
            conclusion: Vec::new(),
            collect_at: size,
            smallest_collection: size,
        }
    }

    /// The label of original clauses to come.
    pub(super) fn set_partition(&mut self, partition: Partition) {
        self.partition = partition;
    }

    /// Forgets the conclusion of the question before.
    pub(super) fn begin_question(&mut self) {
        self.conclusion.clear();
    }

    /// How many steps are kept.
    pub(super) fn len(&self) -> usize {
        self.justifications.len()
    }

    fn push(
        &mut self,
        id: i64,
        clause: &[i32],
        antecedents: &[StepId],
        justification: Justification,
        life: Life,
    ) {
        let step = StepId::new(self.len());
        let mut lits: Vec<Lit> = clause.iter().map(|&lit| Lit::from_dimacs(lit)).collect();
        lits.sort_unstable();
        lits.dedup();
        let life = match life {
            Life::Alive if lits.len() == 1 => Life::Pinned,
            life => life,
        };
        self.clauses.push(lits);
        self.antecedents.push(antecedents.iter().copied());
        self.justifications.push(justification);
        self.lives.push(life);
        self.steps.insert(id, step);
    }

    fn step(&self, id: i64) -> Option<StepId> {
        self.steps.get(&id).copied()
    }

    fn original(&mut self, id: i64, clause: &[i32]) {
        let justification = Justification::Original(self.partition);
        self.push(id, clause, &[], justification, Life::Alive);
    }

    /// The solver takes back a clause that it had put aside; its derivation is that of before.
    fn restored(&mut self, id: i64, clause: &[i32]) {
        let mut lits: Vec<Lit> = clause.iter().map(|&lit| Lit::from_dimacs(lit)).collect();
        lits.sort_unstable();
        lits.dedup();
        match self.step(id) {
            Some(step) if self.clauses.get(step.index()) == lits => {
                self.lives[step.index()] = Life::Pinned;
            }
            _ => {
                let reason = Justification::Missing(ProofError::ChangedClause);
                self.push(id, clause, &[], reason, Life::Alive);
            }
        }
    }

    fn derived(&mut self, id: i64, witness: i32, clause: &[i32], ids: &[i64], life: Life) {
        self.collect_if_large();
        let antecedents: Option<Vec<StepId>> = ids.iter().map(|&id| self.step(id)).collect();
        let missing = |reason| (Vec::new(), Justification::Missing(reason));
        let (antecedents, justification) = match antecedents {
            // Negative numbers are the clauses that a RAT step was checked against.
            _ if witness != 0 || ids.iter().any(|&id| id < 0) => {
                missing(ProofError::NotAResolution)
            }
            Some(antecedents) => (antecedents, Justification::Derived),
            None => missing(ProofError::UnknownAntecedent),
        };
        self.push(id, clause, &antecedents, justification, life);
    }

    fn set_life(&mut self, id: i64, life: Life) {
        if let Some(step) = self.step(id)
            && self.lives[step.index()] != Life::Pinned
        {
            self.lives[step.index()] = life;
        }
    }

    fn conclude(&mut self, ids: &[i64]) {
        self.conclusion.clear();
        let steps = ids.iter().map(|&id| self.step(id).unwrap_or(StepId::NONE));
        self.conclusion = steps.collect();
    }

    fn size(&self) -> usize {
        self.len() + self.clauses.item_count() + self.antecedents.item_count()
    }

    fn collect_if_large(&mut self) {
        if self.size() >= self.collect_at {
            self.collect();
            self.collect_at = (2 * self.size()).max(self.smallest_collection);
        }
    }

    /// Drops the steps that neither a clause of the solver nor the conclusion rests on.
    pub(super) fn collect(&mut self) {
        let mut needed: Vec<bool> = self.lives.iter().map(|&life| life != Life::Deleted).collect();
        for step in &self.conclusion {
            if *step != StepId::NONE {
                needed[step.index()] = true;
            }
        }
        self.mark_antecedents(&mut needed);
        let positions = positions(&needed);
        for (index, &needed) in needed.iter().enumerate() {
            if needed {
                for antecedent in self.antecedents.get_mut(index) {
                    *antecedent = positions[antecedent.index()];
                }
            }
        }
        for step in &mut self.conclusion {
            if *step != StepId::NONE {
                *step = positions[step.index()];
            }
        }
        self.steps.retain(|_, step| {
            *step = positions[step.index()];
            *step != StepId::NONE
        });
        retain_marked(&mut self.justifications, &needed);
        retain_marked(&mut self.lives, &needed);
        self.clauses.retain(&needed);
        self.antecedents.retain(&needed);
    }

    /// Marks what marked steps rest on. Antecedents come before what they justify.
    fn mark_antecedents(&self, needed: &mut [bool]) {
        for index in (0..self.len()).rev() {
            if needed[index] {
                for antecedent in self.antecedents.get(index) {
                    needed[antecedent.index()] = true;
                }
            }
        }
    }

    /// The proof of the last conclusion. `assumptions` are those of the question, with labels.
    pub(super) fn proof(&self, assumptions: &[(Lit, Partition)]) -> Result<Proof, ProofError> {
        if self.conclusion.is_empty() {
            return Err(ProofError::NotRefuted);
        }
        if self.conclusion.contains(&StepId::NONE) {
            return Err(ProofError::UnknownAntecedent);
        }
        let mut labels: FxHashMap<Lit, Partition> = FxHashMap::default();
        for &(lit, partition) in assumptions {
            labels.entry(lit).or_insert(partition);
        }
        self.conflict_of_clashing(&labels).map_or_else(|| self.conflict_of_conclusion(&labels), Ok)
    }

    /// The proof of a question that assumes a literal and its negation: the conclusion is then
    /// the tautology of the two, which nothing justifies.
    fn conflict_of_clashing(&self, labels: &FxHashMap<Lit, Partition>) -> Option<Proof> {
        let mut lits = self.conclusion.iter().flat_map(|step| self.clauses.get(step.index()));
        let &lit = lits.find(|&lit| labels.contains_key(lit) && labels.contains_key(&!*lit))?;
        let mut proof = Proof::new();
        let first = proof.leaf(Origin::Assumption(labels[&lit]), &[lit]);
        let second = proof.leaf(Origin::Assumption(labels[&!lit]), &[!lit]);
        proof.derive(&[], &[first, second]);
        Some(proof)
    }

    /// The proof of the clause that the solver concluded with, which is empty or consists of
    /// negated assumptions, and its resolution with these assumptions.
    fn conflict_of_conclusion(
        &self,
        labels: &FxHashMap<Lit, Partition>,
    ) -> Result<Proof, ProofError> {
        let mut needed = vec![false; self.len()];
        for step in &self.conclusion {
            needed[step.index()] = true;
        }
        self.mark_antecedents(&mut needed);
        let mut proof = self.trimmed(&needed)?;
        let positions = positions(&needed);
        let mut last: Vec<StepId> = Vec::new();
        let mut failed: Vec<Lit> = self
            .conclusion
            .iter()
            .flat_map(|step| self.clauses.get(step.index()).iter().map(|&lit| !lit))
            .collect();
        failed.sort_unstable();
        failed.dedup();
        for lit in failed {
            let &partition = labels.get(&lit).ok_or(ProofError::ForeignConclusion)?;
            last.push(proof.leaf(Origin::Assumption(partition), &[lit]));
        }
        last.extend(self.conclusion.iter().map(|step| positions[step.index()]));
        proof.derive(&[], &last);
        Ok(proof)
    }

    /// The needed steps as a proof.
    fn trimmed(&self, needed: &[bool]) -> Result<Proof, ProofError> {
        let positions = positions(needed);
        let mut proof = Proof::new();
        let mut antecedents = Vec::new();
        for (index, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
            let clause = self.clauses.get(index);
            match self.justifications[index] {
                Justification::Missing(reason) => return Err(reason),
                Justification::Original(partition) => {
                    proof.leaf(Origin::Clause(partition), clause);
                }
                Justification::Derived => {
                    antecedents.clear();
                    let old = self.antecedents.get(index).iter();
                    antecedents.extend(old.map(|step| positions[step.index()]));
                    proof.derive(clause, &antecedents);
                }
            }
        }
        Ok(proof)
    }
}

/// The record as CaDiCaL's tracer and the solver share it.
///
/// The two never run at the same time, so the lock is always free; it is there because the
/// search may run on another thread.
#[derive(Clone, Debug)]
pub(super) struct SharedRecord(Arc<Mutex<Record>>);

impl SharedRecord {
    pub(super) fn new(record: Record) -> Self {
        SharedRecord(Arc::new(Mutex::new(record)))
    }

    /// The record. It has no invariant that a panic elsewhere could break: every step is pushed
    /// whole, and what is read from it is checked.
    pub(super) fn lock(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProofTracer for SharedRecord {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        let mut record = self.lock();
        if restored {
            record.restored(id, clause);
        } else {
            record.original(id, clause);
        }
    }

    fn add_derived_clause(
        &mut self,
        id: i64,
        _redundant: bool,
        witness: i32,
        clause: &[i32],
        antecedents: &[i64],
    ) {
        self.lock().derived(id, witness, clause, antecedents, Life::Alive);
    }

    fn delete_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32]) {
        self.lock().set_life(id, Life::Deleted);
    }

    fn weaken_minus(&mut self, id: i64, _clause: &[i32]) {
        self.lock().set_life(id, Life::Pinned);
    }

    fn strengthen(&mut self, _id: i64) {}

    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}

    fn add_assumption(&mut self, _lit: i32) {}

    fn add_constraint(&mut self, _clause: &[i32]) {}

    fn reset_assumptions(&mut self) {}

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        // The clause justifies one conclusion and is never used again.
        self.lock().derived(id, 0, clause, antecedents, Life::Deleted);
    }

    fn conclude_sat(&mut self, _conclusion_type: i32, _model: &[i32]) {}

    fn conclude_unsat(&mut self, _conclusion_type: i32, clause_ids: &[i64]) {
        self.lock().conclude(clause_ids);
    }

    fn conclude_unknown(&mut self, _trail: &[i32]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Partition = Partition(0);
    const B: Partition = Partition(1);

    fn lit(dimacs: i32) -> Lit {
        Lit::from_dimacs(dimacs)
    }

    /// A record of x, ¬x ∨ y, ¬y with numbers 1, 2, 3 and the clause y as number 4.
    fn small_record() -> Record {
        let mut record = Record::new();
        record.set_partition(A);
        record.original(1, &[1]);
        record.set_partition(B);
        record.original(2, &[-1, 2]);
        record.original(3, &[-2]);
        record.derived(4, 0, &[2], &[1, 2], Life::Alive);
        record
    }

    #[test]
    fn a_conclusion_gives_a_trimmed_proof() {
        let mut record = small_record();
        record.original(5, &[3, 4]);
        record.derived(6, 0, &[], &[4, 3], Life::Alive);
        assert_eq!(record.proof(&[]), Err(ProofError::NotRefuted));
        record.conclude(&[6]);
        let proof = record.proof(&[]).expect("a proof");
        let refutation = proof.check().expect("a right proof");
        assert_eq!(refutation.leaves().count(), 3);
        record.begin_question();
        assert_eq!(record.proof(&[]), Err(ProofError::NotRefuted));
    }

    #[test]
    fn assumptions_are_leaves_of_their_part() {
        let mut record = small_record();
        record.derived(5, 0, &[2, -5], &[4], Life::Deleted);
        record.conclude(&[5]);
        assert_eq!(record.proof(&[]), Err(ProofError::ForeignConclusion));
        assert_eq!(record.proof(&[(lit(5), A)]), Err(ProofError::ForeignConclusion));
        let proof = record.proof(&[(lit(5), A), (lit(-2), B), (lit(-2), A)]).expect("a proof");
        let refutation = proof.check().expect("a right proof");
        let units: Vec<_> = refutation.leaves().filter(|(_, clause)| clause.len() == 1).collect();
        // 5 is not needed once it is known that the clause is 2 alone.
        assert_eq!(units, [(A, &[lit(1)][..]), (B, &[lit(-2)][..])]);
    }

    #[test]
    fn steps_without_a_justification_are_refused() {
        for (witness, antecedents, reason) in [
            (2, &[4_i64, 3][..], ProofError::NotAResolution),
            (0, &[4, -3], ProofError::NotAResolution),
            (0, &[4, 9], ProofError::UnknownAntecedent),
        ] {
            let mut record = small_record();
            record.derived(5, witness, &[], antecedents, Life::Alive);
            record.conclude(&[5]);
            assert_eq!(record.proof(&[]), Err(reason));
        }
        let mut record = small_record();
        record.conclude(&[8]);
        assert_eq!(record.proof(&[]), Err(ProofError::UnknownAntecedent));
    }

    #[test]
    fn a_restored_clause_must_be_the_one_put_aside() {
        let mut record = small_record();
        record.set_life(2, Life::Pinned);
        record.set_life(2, Life::Deleted);
        record.restored(2, &[2, -1]);
        record.derived(5, 0, &[], &[1, 2, 3], Life::Alive);
        record.conclude(&[5]);
        record.proof(&[]).expect("a proof").check().expect("a right proof");
        record.restored(2, &[2]);
        record.derived(6, 0, &[], &[2, 3], Life::Alive);
        record.conclude(&[6]);
        assert_eq!(record.proof(&[]), Err(ProofError::ChangedClause));
    }

    #[test]
    fn steps_that_nothing_rests_on_are_dropped() {
        let mut record = small_record();
        record.original(5, &[6, 7]);
        record.original(6, &[6, -7]);
        record.derived(7, 0, &[6, 8], &[5, 6], Life::Alive);
        record.derived(8, 0, &[6, 8, 9], &[7], Life::Alive);
        for id in [2, 5, 6, 8] {
            record.set_life(id, Life::Deleted);
        }
        record.collect();
        // 8 is gone; 5 and 6 stay because 7 rests on them, and 2 because 4 does.
        assert_eq!(record.len(), 7);
        assert_eq!(record.step(8), None);
        record.set_life(7, Life::Deleted);
        record.collect();
        assert_eq!(record.len(), 4);
        record.derived(9, 0, &[], &[4, 3], Life::Alive);
        record.conclude(&[9]);
        record.set_life(9, Life::Deleted);
        record.collect();
        record.proof(&[]).expect("a proof").check().expect("a right proof");
    }
}
