//! Two solvers as one: a quick one for the many small questions, a strong one for the few hard.
//!
//! Every question goes to the quick solver with a bound on conflicts. Only if it gives up, the
//! strong solver is brought up to date (it has seen no clause before it is needed) and asked
//! without that bound. A run of tiny queries thus pays for one solver, and a hard query costs a
//! little more than asking the strong solver at once.

use crate::lit::{Lit, Var};
use crate::solver::{Answer, Solver, Statistics};
use answer::{Allowance, Exhausted};

/// How many conflicts the quick solver may spend on a question before the strong one is asked.
const QUICK_CONFLICTS: u64 = 2_000;

/// After so many questions in a row that the quick solver gave up, questions go to the strong one
/// first, except for every [`RETRY`]th.
const GIVE_UPS: u32 = 4;
const RETRY: u32 = 16;

/// Which solver gave the last answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answered {
    Quick,
    Strong,
}

/// A quick solver backed by a strong one.
pub struct Hybrid<Q, S> {
    quick: Q,
    strong: S,
    /// Clauses that the strong solver has not seen, one after the other; `ends` tells where each ends.
    literals: Vec<Lit>,
    ends: Vec<usize>,
    answered: Answered,
    /// The conflicts that a question may take.
    work: Option<u64>,
    give_ups: u32,
    skipped: u32,
    queries: u64,
}

impl<Q: Solver, S: Solver> Hybrid<Q, S> {
    /// Both solvers must be new.
    pub fn new(quick: Q, strong: S) -> Self {
        debug_assert!(quick.var_count() == 0 && strong.var_count() == 0, "both must be new");
        Hybrid {
            quick,
            strong,
            literals: Vec::new(),
            ends: Vec::new(),
            answered: Answered::Quick,
            work: None,
            give_ups: 0,
            skipped: 0,
            queries: 0,
        }
    }

    fn remember(&mut self, clause: &[Lit]) {
        self.literals.extend(clause);
        self.ends.push(self.literals.len());
    }

    /// Gives the strong solver what it has missed.
    fn catch_up(&mut self) {
        while self.strong.var_count() < self.quick.var_count() {
            self.strong.new_var();
        }
        let mut start = 0;
        for end in self.ends.drain(..) {
            self.strong.add_clause(&self.literals[start..end]);
            start = end;
        }
        self.literals.clear();
    }

    /// Whether this question is worth a try of the quick solver.
    fn try_quick(&mut self) -> bool {
        if self.give_ups < GIVE_UPS || self.skipped + 1 >= RETRY {
            self.skipped = 0;
            return true;
        }
        self.skipped += 1;
        false
    }
}

impl<Q: Solver, S: Solver> Solver for Hybrid<Q, S> {
    fn name(&self) -> &'static str {
        "hybrid"
    }

    fn new_var(&mut self) -> Var {
        self.quick.new_var()
    }

    fn var_count(&self) -> usize {
        self.quick.var_count()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.remember(clause);
        self.quick.add_clause(clause);
    }

    fn add_definition(&mut self, out: Var, fanin: &[Var], clauses: &[&[Lit]]) {
        for clause in clauses {
            self.remember(clause);
        }
        self.quick.add_definition(out, fanin, clauses);
    }

    fn solve_with(&mut self, assumptions: &[Lit], temporary: &[Lit]) -> Answer {
        self.queries += 1;
        if self.try_quick() {
            let conflicts = self.work.unwrap_or(QUICK_CONFLICTS).min(QUICK_CONFLICTS);
            self.quick.set_work(Some(conflicts));
            self.answered = Answered::Quick;
            // SAT? formula ∧ ⋀ assumptions ∧ ⋁ temporary, with few conflicts
            let answer = self.quick.solve_with(assumptions, temporary);
            let few = self.work.is_some_and(|n| n <= QUICK_CONFLICTS);
            if few || answer != Answer::Unknown(Exhausted::Work) {
                self.give_ups = 0;
                return answer;
            }
            self.give_ups += 1;
        }
        self.catch_up();
        self.strong.set_work(self.work);
        self.answered = Answered::Strong;
        // SAT? formula ∧ ⋀ assumptions ∧ ⋁ temporary
        self.strong.solve_with(assumptions, temporary)
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        match self.answered {
            Answered::Quick => self.quick.value(lit),
            Answered::Strong => self.strong.value(lit),
        }
    }

    fn failed(&self, assumption: Lit) -> bool {
        match self.answered {
            Answered::Quick => self.quick.failed(assumption),
            Answered::Strong => self.strong.failed(assumption),
        }
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.work = allowance.work;
        self.quick.set_allowance(allowance.clone());
        self.strong.set_allowance(allowance);
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.work = conflicts;
    }

    fn statistics(&self) -> Statistics {
        let (quick, strong) = (self.quick.statistics(), self.strong.statistics());
        Statistics {
            queries: self.queries,
            conflicts: quick.conflicts + strong.conflicts,
            decisions: quick.decisions + strong.decisions,
            propagations: quick.propagations + strong.propagations,
        }
    }
}
