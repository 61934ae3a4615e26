//! Decisions, and when to stop deciding.
//!
//! Most questions of IC3 are decided by propagation and a handful of choices. For them the search
//! *justifies* (as circuit solvers do: Abramovici, Breuer and Friedman, "Digital Systems Testing
//! and Testable Design", 1990, on the J-frontier): it decides only where something is left to be
//! satisfied. A partial assignment is a model as soon as
//!
//! * every assigned variable that is defined has all clauses of its definition satisfied, and
//! * every *required* clause is satisfied: the clauses added for good, and the definitions of
//!   variables of the permanent domain that are fixed (see the head of `cone.rs`).
//!
//! Where one is not yet satisfied, a literal of it is decided to be true. Only clauses of a
//! definition that contain the false literal of the defined variable can be unsatisfied, and of
//! these only those with more than two literals, as propagation takes care of the others. The
//! temporary clause needs the same care as a required one.
//!
//! Everything before `progress` is justified by the current assignment. Assigning more doesn't
//! change that; each decision level remembers the progress at its opening, for backtracking.
//!
//! A question that turns out to be hard is searched by activity instead, until all variables of
//! the domain are assigned.

use super::ConeSolver;
use super::assignment::{TRUE, UNASSIGNED};
use super::clause::ClauseRef;
use super::literal::Literal;
use super::watch::{Target, Watch};

/// How the search chooses its decisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Justify,
    Activity,
}

impl ConeSolver {
    /// The next decision; `None` where the assignment is a model.
    pub(super) fn decide(&mut self) -> Option<Literal> {
        match self.mode {
            Mode::Justify => self.decide_by_justification(),
            Mode::Activity => self.decide_by_activity(),
        }
    }

    fn decide_by_activity(&mut self) -> Option<Literal> {
        while let Some(var) = self.activity.pop() {
            let positive = Literal::positive(var);
            if self.assignment.value(positive) == UNASSIGNED {
                return Some(match self.restarts.target(var) {
                    Some(true) => positive,
                    Some(false) => !positive,
                    None => self.assignment.preferred(var),
                });
            }
        }
        None
    }

    fn decide_by_justification(&mut self) -> Option<Literal> {
        while let Some(&literal) = self.assignment.trail.get(self.progress.trail) {
            for &watch in self.domain.support(!literal) {
                if let Some(decision) = self.satisfying_choice(watch) {
                    return Some(decision);
                }
            }
            self.progress.trail += 1;
        }
        while let Some(&watch) = self.required.get(self.progress.required) {
            if self.assignment.value(watch.blocker) != TRUE {
                if let Some(decision) = self.satisfying_choice(watch) {
                    return Some(decision);
                }
                self.remember_true_literal(self.progress.required);
            }
            self.progress.required += 1;
        }
        self.temporary.and_then(|clause| self.choice_in_clause(clause))
    }

    /// A literal to satisfy the clause with; `None` where it is satisfied.
    #[inline]
    fn satisfying_choice(&self, watch: Watch) -> Option<Literal> {
        let a = watch.blocker;
        if self.assignment.is_true(a) {
            return None;
        }
        match watch.target() {
            Target::Ternary(b) => {
                if self.assignment.is_true(b) {
                    return None;
                }
                Some(self.better(a, b))
            }
            Target::Clause(clause) => self.choice_in_clause(clause),
            Target::Binary => unreachable!("two literals are a clause for propagation alone"),
        }
    }

    fn choice_in_clause(&self, clause: ClauseRef) -> Option<Literal> {
        let mut choice = None;
        for literal in self.arena.literals(clause) {
            match self.assignment.value(literal) {
                TRUE => return None,
                UNASSIGNED => {
                    choice = Some(choice.map_or(literal, |other| self.better(other, literal)));
                }
                _ => {}
            }
        }
        debug_assert!(choice.is_some(), "propagation has missed a violated clause");
        choice
    }

    /// The better of two literals to decide: one that agrees with the saved phase, then the more
    /// active one. A literal that is false already is no choice.
    #[inline]
    fn better(&self, a: Literal, b: Literal) -> Literal {
        if self.assignment.value(a) != UNASSIGNED {
            return b;
        }
        if self.assignment.value(b) != UNASSIGNED {
            return a;
        }
        match (self.assignment.phase_agrees(a), self.assignment.phase_agrees(b)) {
            (true, false) => a,
            (false, true) => b,
            _ if self.activity.score(b.var()) > self.activity.score(a.var()) => b,
            _ => a,
        }
    }

    /// Makes a true literal of a required clause its blocker: with the phases saved it will
    /// probably be true in the next question as well.
    fn remember_true_literal(&mut self, position: usize) {
        let watch = self.required[position];
        self.required[position] = match watch.target() {
            Target::Ternary(other) => Watch::ternary(other, watch.blocker),
            Target::Clause(clause) => {
                let holds = |&l: &Literal| self.assignment.is_true(l);
                match self.arena.literals(clause).find(holds) {
                    Some(literal) => Watch::clause(clause, literal),
                    None => watch,
                }
            }
            Target::Binary => watch,
        };
    }
}
