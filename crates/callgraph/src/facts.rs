//! What certainly can be derived: formulas, each with the clause and the facts that it follows from.

use horn::PredicateId;
use term::Term;

/// Something that can be derived.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Over the parameters of the predicate: all of it can be derived.
    pub formula: Term,
    /// By which clause.
    pub clause: usize,
    /// From which fact of each predicate that the clause assumes.
    pub premises: Vec<usize>,
}

/// The facts of all predicates.
pub struct Facts {
    facts: Vec<Vec<Fact>>,
}

impl Facts {
    /// None of so many predicates.
    pub fn new(predicates: usize) -> Facts {
        Facts { facts: vec![Vec::new(); predicates] }
    }

    /// One more.
    pub fn add(&mut self, predicate: PredicateId, fact: Fact) {
        self.facts[predicate].push(fact);
    }

    /// Those of a predicate.
    pub fn of(&self, predicate: PredicateId) -> &[Fact] {
        &self.facts[predicate]
    }
}
