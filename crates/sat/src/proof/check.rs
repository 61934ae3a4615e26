//! The proof checker, and the conversion of a checked proof into resolutions.
//!
//! The checker knows nothing of solvers: it sees clauses and lists of antecedents. A derived
//! clause C is accepted if unit propagation of ¬C through the listed antecedents, once each and
//! in their order, meets a false clause. An antecedent that is not unit when its turn comes is an
//! error, even if the rest would do without it; one that is already satisfied adds nothing and
//! is passed over.
//!
//! An accepted step becomes a *linear resolution*: start with the false antecedent and resolve
//! with the reasons of its literals in the reverse order of propagation. What remains is a
//! subset of C; the checker goes on with that subset instead of C, which can only make later
//! propagations stronger. (In particular it ends in the empty clause exactly if the proof does.)

use super::lists::{Lists, retain_marked};
use super::{Origin, Partition, Proof, StepId, positions};
use crate::lit::Lit;

/// Why a proof is rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckError {
    /// The last step is not the empty clause.
    #[error("the proof does not end with the empty clause")]
    NoRefutation,
    /// An antecedent is not an earlier step.
    #[error("step {} uses step {}, which does not come before it", step.index(), antecedent.index())]
    ForwardReference {
        /// The step that is rejected.
        step: StepId,
        /// Its antecedent.
        antecedent: StepId,
    },
    /// A derived clause contains a literal and its negation.
    #[error("step {} derives a tautology", step.index())]
    Tautology {
        /// The step that is rejected.
        step: StepId,
    },
    /// An antecedent has two or more literals left when it should propagate.
    #[error("antecedent {} of step {} is not unit", antecedent.index(), step.index())]
    NotUnit {
        /// The step that is rejected.
        step: StepId,
        /// Its antecedent.
        antecedent: StepId,
    },
    /// Propagation through all antecedents makes none of them false.
    #[error("step {} does not follow from its antecedents", step.index())]
    NoConflict {
        /// The step that is rejected.
        step: StepId,
    },
}

/// One resolution of a chain: the clause so far, which contains `¬pivot`, with the antecedent,
/// which contains `pivot`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The literal resolved away, as the antecedent contains it.
    pub pivot: Lit,
    /// The step resolved with.
    pub antecedent: StepId,
}

/// A checked proof as a directed acyclic graph of resolutions that ends in the empty clause.
///
/// Each derived step is a chain: it starts with the clause of [`Refutation::start`] and is
/// resolved with each of [`Refutation::links`] in turn. Every step contributes to the last.
#[derive(Clone, Debug)]
pub struct Refutation {
    origins: Vec<Origin>,
    clauses: Lists<Lit>,
    /// The first clause of each chain; for leaves the leaf itself.
    starts: Vec<StepId>,
    links: Lists<Link>,
    /// One more than the largest index of a variable.
    var_bound: usize,
}

impl Refutation {
    /// The number of steps, leaves included.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// Whether there are no steps, which is never so: there is the empty clause.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// All steps in their order; antecedents come first.
    pub fn steps(&self) -> impl Iterator<Item = StepId> + use<> {
        (0..self.len()).map(StepId::new)
    }

    /// The step of the empty clause.
    pub fn conclusion(&self) -> StepId {
        StepId::new(self.len() - 1)
    }

    /// Where the step's clause comes from.
    pub fn origin(&self, step: StepId) -> Origin {
        self.origins[step.index()]
    }

    /// The step's clause: sorted, without duplicates.
    pub fn clause(&self, step: StepId) -> &[Lit] {
        self.clauses.get(step.index())
    }

    /// The step whose clause begins the chain; the step itself for a leaf.
    pub fn start(&self, step: StepId) -> StepId {
        self.starts[step.index()]
    }

    /// The resolutions of the chain, in their order; none for a leaf.
    pub fn links(&self, step: StepId) -> &[Link] {
        self.links.get(step.index())
    }

    /// How many resolutions there are.
    pub fn resolution_count(&self) -> usize {
        self.links.item_count()
    }

    /// One more than the largest index of a variable that occurs.
    pub fn var_bound(&self) -> usize {
        self.var_bound
    }

    /// The clauses of the formula and the assumptions that the refutation uses.
    pub fn leaves(&self) -> impl Iterator<Item = (Partition, &[Lit])> {
        self.steps().filter_map(|step| Some((self.origin(step).partition()?, self.clause(step))))
    }

    /// The invariant of the type: every chain is a sequence of resolutions with exactly one
    /// pivot each, it yields the step's clause, and the last clause is empty.
    pub fn is_well_formed(&self) -> bool {
        let chains = self.steps().all(|step| {
            self.origin(step) != Origin::Derived || self.resolve_chain(step) == self.clause(step)
        });
        chains && self.clause(self.conclusion()).is_empty()
    }

    /// The clause that the step's chain yields by resolution; a tautology if a link is wrong.
    fn resolve_chain(&self, step: StepId) -> Vec<Lit> {
        let mut clause = self.clause(self.start(step)).to_vec();
        for link in self.links(step) {
            let antecedent = self.clause(link.antecedent);
            if !clause.contains(&!link.pivot) || !antecedent.contains(&link.pivot) {
                return vec![link.pivot, !link.pivot];
            }
            clause.retain(|&lit| lit != !link.pivot);
            clause.extend(antecedent.iter().filter(|&&lit| lit != link.pivot));
            clause.sort_unstable();
            clause.dedup();
            if let Some(&both) = clause.iter().find(|&&lit| clause.contains(&!lit)) {
                return vec![both, !both];
            }
        }
        clause
    }

    /// Keeps the steps that the last one needs.
    fn trim(&mut self) {
        let mut needed = vec![false; self.len()];
        needed[self.conclusion().index()] = true;
        for index in (0..self.len()).rev() {
            if needed[index] {
                needed[self.starts[index].index()] = true;
                for link in self.links.get(index) {
                    needed[link.antecedent.index()] = true;
                }
            }
        }
        self.renumber(&needed);
        retain_marked(&mut self.starts, &needed);
        retain_marked(&mut self.origins, &needed);
        self.clauses.retain(&needed);
        self.links.retain(&needed);
    }

    /// Names the steps that are kept by their future positions.
    fn renumber(&mut self, needed: &[bool]) {
        let positions = positions(needed);
        for (index, &needed) in needed.iter().enumerate() {
            if needed {
                self.starts[index] = positions[self.starts[index].index()];
                for link in self.links.get_mut(index) {
                    link.antecedent = positions[link.antecedent.index()];
                }
            }
        }
    }
}

impl Proof {
    /// Checks every step, and returns the proof as resolutions, trimmed to what the empty clause
    /// at its end needs.
    pub fn check(&self) -> Result<Refutation, CheckError> {
        if self.steps().last().is_none_or(|step| !self.clause(step).is_empty()) {
            return Err(CheckError::NoRefutation);
        }
        let mut checker = Checker::new(self);
        for step in self.steps() {
            checker.step(self, step)?;
        }
        let mut refutation = checker.refutation;
        refutation.trim();
        Ok(refutation)
    }
}

/// The state of a check.
struct Checker {
    refutation: Refutation,
    /// By literal: the step during whose check it was made false.
    falsified: Vec<StepId>,
    /// By literal: the step in whose resolvent it is.
    resolvent: Vec<StepId>,
    /// The literals made true by antecedents, in their order, with these antecedents.
    trail: Vec<Link>,
    chain: Vec<Link>,
    clause: Vec<Lit>,
}

impl Checker {
    fn new(proof: &Proof) -> Self {
        let var_bound = proof
            .steps()
            .flat_map(|step| proof.clause(step))
            .map(|lit| lit.var().index() + 1)
            .max()
            .unwrap_or(0);
        Checker {
            refutation: Refutation {
                origins: proof.origins.clone(),
                clauses: Lists::default(),
                starts: Vec::with_capacity(proof.len()),
                links: Lists::default(),
                var_bound,
            },
            falsified: vec![StepId::NONE; 2 * var_bound],
            resolvent: vec![StepId::NONE; 2 * var_bound],
            trail: Vec::new(),
            chain: Vec::new(),
            clause: Vec::new(),
        }
    }

    fn step(&mut self, proof: &Proof, step: StepId) -> Result<(), CheckError> {
        self.chain.clear();
        self.clause.clear();
        let start = if proof.origin(step) == Origin::Derived {
            let conflict = self.propagate(proof, step)?;
            self.resolve(proof, step, conflict);
            conflict
        } else {
            self.clause.extend_from_slice(proof.clause(step));
            step
        };
        self.clause.sort_unstable();
        self.clause.dedup();
        self.refutation.starts.push(start);
        self.refutation.links.push(self.chain.iter().copied());
        self.refutation.clauses.push(self.clause.iter().copied());
        Ok(())
    }

    /// Propagates the negation of the step's clause through its antecedents, and returns the
    /// antecedent that becomes false.
    fn propagate(&mut self, proof: &Proof, step: StepId) -> Result<StepId, CheckError> {
        self.trail.clear();
        for &lit in proof.clause(step) {
            self.falsified[lit.code()] = step;
            if self.falsified[(!lit).code()] == step {
                return Err(CheckError::Tautology { step });
            }
        }
        for &antecedent in proof.antecedents(step) {
            if antecedent >= step {
                return Err(CheckError::ForwardReference { step, antecedent });
            }
            match self.status(step, antecedent) {
                Status::False => return Ok(antecedent),
                Status::True => {}
                Status::Open => return Err(CheckError::NotUnit { step, antecedent }),
                Status::Unit(pivot) => {
                    self.falsified[(!pivot).code()] = step;
                    self.trail.push(Link { pivot, antecedent });
                }
            }
        }
        Err(CheckError::NoConflict { step })
    }

    fn status(&self, step: StepId, antecedent: StepId) -> Status {
        let mut status = Status::False;
        for &lit in self.refutation.clause(antecedent) {
            if self.falsified[(!lit).code()] == step {
                return Status::True;
            }
            if self.falsified[lit.code()] != step {
                status = match status {
                    Status::False => Status::Unit(lit),
                    _ => Status::Open,
                };
            }
        }
        status
    }

    /// Resolves the false antecedent with the reasons of its literals, latest first, and leaves
    /// the chain and the resulting clause in the checker.
    fn resolve(&mut self, proof: &Proof, step: StepId, conflict: StepId) {
        for &lit in self.refutation.clauses.get(conflict.index()) {
            self.resolvent[lit.code()] = step;
        }
        for &link in self.trail.iter().rev() {
            if self.resolvent[(!link.pivot).code()] == step {
                self.resolvent[(!link.pivot).code()] = StepId::NONE;
                self.chain.push(link);
                for &lit in self.refutation.clauses.get(link.antecedent.index()) {
                    if lit != link.pivot {
                        self.resolvent[lit.code()] = step;
                    }
                }
            }
        }
        let resolvent = &self.resolvent;
        let remaining = proof.clause(step).iter().copied();
        self.clause.extend(remaining.filter(|lit| resolvent[lit.code()] == step));
    }
}

/// A clause under the current assignment.
enum Status {
    True,
    False,
    Unit(Lit),
    Open,
}
