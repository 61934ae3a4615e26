//! The algorithms that IC3CFA is compared with in [Lan18 §4.1], after Cimatti and Griggio,
//! *Software Model Checking via IC3* (CAV 2012).
//!
//! They work on the same graph with the same preconditions and solvers as IC3CFA, so that a
//! comparison is about the algorithms. They are kept plain: no seeds, no saturated cubes, no
//! techniques of [Lan18 §4.3].
//!
//! * [`ic3smt`]: the program counter is a variable like others.
//! * [`treeic3`]: the automaton is unwound into a tree, and paths to the error are refuted one by
//!   one.

pub mod ic3smt;
pub mod treeic3;

use crate::counterexample::{Chain, Extraction};
use crate::engine::{End, check_allowance, graph_or_verdict, new_solver};
use crate::graph::Graph;
use crate::observer::Observer;
use program::cfa::Cfa;
use program::verdict::Verdict;
use smt::{Allowance, Solver, Solvers};
use term::Pool;

/// The bound on conflicts of queries that only make a lemma stronger.
const NON_CRITICAL_CONFLICTS: u64 = 5_000;

/// What a search is about, and what it may cost.
struct Task<'a> {
    pool: &'a Pool,
    graph: Graph,
    observer: &'a mut dyn Observer,
    solvers: &'a dyn Solvers,
    allowance: Allowance,
}

/// Lets a search decide whether the error location is reachable, where that is a question.
fn decide<'a>(
    pool: &'a Pool,
    cfa: &Cfa,
    solvers: &'a dyn Solvers,
    allowance: &Allowance,
    observer: &'a mut dyn Observer,
    search: impl FnOnce(Task<'a>) -> Result<Verdict, End>,
) -> Verdict {
    let graph = match graph_or_verdict(pool, cfa) {
        Ok(graph) => graph,
        Err(verdict) => return *verdict,
    };
    observer.begin(graph.nodes.len());
    match search(Task { pool, graph, observer, solvers, allowance: allowance.clone() }) {
        Ok(verdict) => verdict,
        Err(End::Stopped(reason)) => Verdict::Unknown(reason),
        Err(End::Fixpoint(_) | End::Violation(_)) => unreachable!("made verdicts by the search"),
    }
}

impl Task<'_> {
    fn solver(&self) -> Box<dyn Solver> {
        new_solver(self.solvers, &self.allowance)
    }

    fn check_allowance(&self) -> Result<(), End> {
        check_allowance(&self.allowance)
    }

    /// The run along a chain of cubes.
    fn counterexample(&mut self, cfa: &Cfa, chain: &Chain) -> Result<Verdict, End> {
        let mut solver = self.solver();
        let (pool, work) = (self.pool, self.allowance.work);
        let mut extraction =
            Extraction { pool, graph: &mut self.graph, solver: &mut *solver, work };
        extraction.run(cfa, chain).map(Verdict::Unsafe)
    }
}
