//! Questions to one solver: fixed assumptions first, bounds after them, in an order that matters.
//!
//! The fixed ones, ĉ_a1 of [Sch §III-B], activate formulas and stay; the bounds, ĉ_a2, are what is to
//! become fewer and weaker. A refutation names the bounds that it rests on, the one that failed first,
//! which is the order in which rotation goes on ([Sch §III-A], step 5).

use crate::domains::Domains;
use crate::literal::Literal;
use crate::solver::BoundSolver;
use crate::system::Relation;
use icp::{Bound, Key, Side};
use lemmas::{Literal as _, Observer, Phase};
use smt::{Answer, Error, Reason};
use term::{Pool, Term, Value};

/// What comes of a question.
#[derive(Debug)]
pub(crate) enum Asked {
    /// There is a model, which the solver can be asked about.
    Sat,
    /// There is none, because of these bounds.
    Unsat(Vec<Literal>),
    /// Not decided.
    Open(Reason),
}

/// What stands for a variable in bounds.
#[derive(Clone, Copy)]
pub(crate) enum About<'q> {
    /// Itself: the bounds are about states before a relation.
    Before,
    /// Its value after a relation.
    After(&'q Relation),
}

impl About<'_> {
    fn of(self, variable: Term) -> Term {
        match self {
            About::Before => variable,
            About::After(relation) => relation.after(variable),
        }
    }
}

/// Questions that differ in their bounds.
pub(crate) struct Questions<'q> {
    pub(crate) pool: &'q Pool,
    pub(crate) domains: &'q Domains,
    pub(crate) solver: &'q mut dyn BoundSolver,
    pub(crate) observer: &'q mut dyn Observer,
    pub(crate) phase: Phase,
    /// What stands for a variable.
    pub(crate) about: About<'q>,
    /// The assumptions that stay.
    pub(crate) fixed: Vec<Term>,
    /// A clause; none if it is empty.
    pub(crate) clause: Vec<Term>,
    /// Whether the bounds of a refutation may be weaker than those given.
    pub(crate) weaken: bool,
}

impl Questions<'_> {
    /// SAT? formulas ∧ fixed ∧ clause ∧ ⋀ literals
    pub(crate) fn ask(&mut self, literals: &[Literal]) -> Result<Asked, Error> {
        let mut assumptions = self.fixed.clone();
        for literal in literals {
            let bound = self.bound(literal);
            if let Some(value) = self.pool.value(bound.term) {
                let key = bound.domain.key(value);
                if !bound.interval().contains(key) {
                    self.observer.shortcut(self.phase);
                    return Ok(Asked::Unsat(vec![self.beyond(literal, key)]));
                }
            }
            assumptions.push(bound.formula(self.pool));
        }
        self.observer.query(self.phase);
        Ok(match self.solver.check_with(self.pool, &assumptions, &self.clause)? {
            Answer::Sat => Asked::Sat,
            Answer::Unknown(reason) => Asked::Open(reason),
            Answer::Unsat => {
                let terms = &assumptions[self.fixed.len()..];
                Asked::Unsat(self.core(literals, terms))
            }
        })
    }

    /// After a model: the key of the term that stands for a variable.
    pub(crate) fn key(&mut self, variable: Term) -> Result<Key, Error> {
        let value: Value = self.solver.value(self.pool, self.about.of(variable))?;
        Ok(self.domains.of(variable).key(&value))
    }

    /// The literal about what stands for its variable.
    pub(crate) fn bound(&self, literal: &Literal) -> Bound {
        literal.about(self.domains, self.about.of(literal.variable))
    }

    /// The weakest literal in place of one that excludes a constant.
    fn beyond(&self, literal: &Literal, constant: Key) -> Literal {
        match literal.side {
            _ if !self.weaken => *literal,
            Side::AtLeast => Literal { key: constant + 1, ..*literal },
            Side::AtMost => Literal { key: constant - 1, ..*literal },
        }
    }

    /// The bounds of a refutation, the last of them in the order of the question first: that is the one
    /// which those before it refute.
    fn core(&mut self, literals: &[Literal], terms: &[Term]) -> Vec<Literal> {
        let core = match self.weaken && self.solver.tells_weakest() {
            true => self.solver.weakest(self.pool),
            false => self.solver.core().into_iter().map(|term| (term, term)).collect(),
        };
        let mut used: Vec<(usize, Literal)> = Vec::with_capacity(core.len());
        for (assumption, bound) in core {
            if let Some(position) = terms.iter().position(|term| *term == assumption) {
                used.push((position, self.weaker(&literals[position], bound)));
            }
        }
        used.sort_unstable_by_key(|(position, _)| *position);
        used.dedup_by_key(|(position, _)| *position);
        if let Some(failed) = used.pop() {
            used.insert(0, failed);
        }
        used.into_iter().map(|(_, literal)| literal).collect()
    }

    /// The literal that a weaker bound is, if it is one about the same.
    fn weaker(&self, literal: &Literal, bound: Term) -> Literal {
        let own = self.bound(literal);
        match Bound::read(self.pool, bound) {
            Some(read)
                if (read.term, read.domain, read.side) == (own.term, own.domain, own.side) =>
            {
                let weaker = Literal { key: read.key, ..*literal };
                if literal.implies(&weaker) { weaker } else { *literal }
            }
            _ => *literal,
        }
    }
}
