//! Labelled interpolation systems: one refutation, many interpolants.
//!
//! The framework of D'Silva, Kroening, Purandare and Weissenbacher ("Interpolant strength",
//! VMCAI 2010): each literal of each clause of the refutation has a label, *a*, *b* or *ab*,
//! fixed at the leaves; a partial interpolant is computed for every clause,
//!
//! ```text
//! leaf C in A        ⋁ of C's literals labelled b
//! leaf C in B        ¬⋁ of C's literals labelled a
//! resolution on p    a:  I⁺ ∨ I⁻     b:  I⁺ ∧ I⁻     ab:  (p ∨ I⁺) ∧ (¬p ∨ I⁻)
//! ```
//!
//! where I⁺ belongs to the clause with p, and the label of a literal that occurs in both parents
//! is the join of its labels there. The partial interpolant of the empty clause is an
//! interpolant if variables of one side only are labelled by that side.
//!
//! We label variables instead of literal occurrences. Then both occurrences of a pivot, and all
//! copies of a literal, have the same label, joins change nothing, and no labels need to be
//! carried along the proof. The three systems that [`System`] names are of this kind, and so is
//! every other choice per shared variable ([`Interpolator::labelled`]).

use super::formula::{Formula, Formulas};
use crate::lit::{Lit, Var};
use crate::proof::{Partition, Refutation, StepId};

/// The label of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// Treated as a variable of A.
    A,
    /// Treated as a variable of B.
    B,
    /// Treated symmetrically.
    AB,
}

/// The interpolation systems with a name, from the strongest to the weakest interpolant: from
/// one refutation, McMillan's implies Pudlák's, which implies the dual of McMillan's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum System {
    /// McM: shared variables are labelled *b* (McMillan, "Interpolation and SAT-based model
    /// checking", CAV 2003).
    McMillan,
    /// Pud: shared variables are labelled *ab* (Pudlák, "Lower bounds for resolution and
    /// cutting plane proofs and monotone computations", JSL 1997).
    Pudlak,
    /// McP, the dual of McM: shared variables are labelled *a* (D'Silva et al.). It equals the
    /// negation of McM's interpolant with the roles of A and B exchanged.
    DualMcMillan,
}

impl System {
    /// The label of shared variables.
    pub fn label(self) -> Label {
        match self {
            System::McMillan => Label::B,
            System::Pudlak => Label::AB,
            System::DualMcMillan => Label::A,
        }
    }
}

/// In which parts a variable occurs, counting only clauses that the refutation uses.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Occurrence {
    in_a: bool,
    in_b: bool,
}

/// Computes interpolants from one refutation. They share one set of formulas.
#[derive(Debug)]
pub struct Interpolator<'r> {
    refutation: &'r Refutation,
    formulas: Formulas,
}

impl<'r> Interpolator<'r> {
    /// An interpolator for this refutation.
    pub fn new(refutation: &'r Refutation) -> Self {
        Interpolator { refutation, formulas: Formulas::new() }
    }

    /// The formulas computed so far, with all their partial interpolants.
    pub fn formulas(&self) -> &Formulas {
        &self.formulas
    }

    /// The formulas, without most of what the given ones do not consist of; these are renamed
    /// accordingly.
    pub fn into_formulas(self, roots: &mut [Formula]) -> Formulas {
        self.formulas.restricted_to(roots)
    }

    /// An interpolant I for A = the leaves in partitions that `in_a` accepts, B = all others.
    ///
    /// Ensures: A ⇒ I, I ∧ B ⇒ ⊥, and variables of I occur in leaves of both A and B.
    pub fn interpolant(&mut self, system: System, in_a: impl Fn(Partition) -> bool) -> Formula {
        self.labelled(in_a, |_| system.label())
    }

    /// An interpolant as [`Interpolator::interpolant`] computes it, with a label of the caller's
    /// choice for each shared variable.
    pub fn labelled(
        &mut self,
        in_a: impl Fn(Partition) -> bool,
        shared: impl Fn(Var) -> Label,
    ) -> Formula {
        let labels = self.labels(&in_a, &shared);
        let mut partial: Vec<Formula> = Vec::with_capacity(self.refutation.len());
        for step in self.refutation.steps() {
            let interpolant = match self.refutation.origin(step).partition() {
                Some(partition) if in_a(partition) => self.leaf_in_a(step, &labels),
                Some(_) => self.leaf_in_b(step, &labels),
                None => self.resolved(step, &labels, &partial),
            };
            partial.push(interpolant);
        }
        partial[self.refutation.conclusion().index()]
    }

    /// The label of every variable: that of its side, or the choice for shared ones.
    fn labels(
        &self,
        in_a: &impl Fn(Partition) -> bool,
        shared: &impl Fn(Var) -> Label,
    ) -> Vec<Label> {
        let mut occurrences = vec![Occurrence::default(); self.refutation.var_bound()];
        for (partition, clause) in self.refutation.leaves() {
            let in_a = in_a(partition);
            for lit in clause {
                let occurrence = &mut occurrences[lit.var().index()];
                occurrence.in_a |= in_a;
                occurrence.in_b |= !in_a;
            }
        }
        let label = |(index, occurrence): (usize, &Occurrence)| match occurrence {
            Occurrence { in_b: false, .. } => Label::A,
            Occurrence { in_a: false, .. } => Label::B,
            _ => shared(Var::new(index)),
        };
        occurrences.iter().enumerate().map(label).collect()
    }

    fn leaf_in_a(&mut self, step: StepId, labels: &[Label]) -> Formula {
        let clause = self.refutation.clause(step).iter().copied();
        let of_b = |lit: &Lit| labels[lit.var().index()] == Label::B;
        self.formulas.clause(clause.filter(of_b))
    }

    fn leaf_in_b(&mut self, step: StepId, labels: &[Label]) -> Formula {
        let clause = self.refutation.clause(step).iter().copied();
        let of_a = |lit: &Lit| labels[lit.var().index()] == Label::A;
        self.formulas.cube(clause.filter(of_a).map(|lit| !lit))
    }

    fn resolved(&mut self, step: StepId, labels: &[Label], partial: &[Formula]) -> Formula {
        let mut result = partial[self.refutation.start(step).index()];
        for link in self.refutation.links(step) {
            // The antecedent contains the pivot, the clause so far its negation.
            let antecedent = partial[link.antecedent.index()];
            let formulas = &mut self.formulas;
            result = match labels[link.pivot.var().index()] {
                Label::A => formulas.or(result, antecedent),
                Label::B => formulas.and(result, antecedent),
                Label::AB => {
                    let (pivot, negated) =
                        (formulas.literal(link.pivot), formulas.literal(!link.pivot));
                    let with_pivot = formulas.or(pivot, antecedent);
                    let with_negated = formulas.or(negated, result);
                    formulas.and(with_pivot, with_negated)
                }
            };
        }
        result
    }
}
