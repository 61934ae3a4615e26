//! IC3 over a call graph, of Horn clauses that need not be linear and of programs, which become such
//! clauses by a step of the ladder ([`crate::code`]).

use super::{ClausesCall, Engine, Row, Takes};
use crate::figures::SearchFigures;
use answer::Unit;
use horn::Verdict;

/// See the module's head.
pub struct Procedures;

impl Engine for Procedures {
    fn row(&self) -> &Row {
        &Row {
            name: "procedures",
            about: "IC3 over a call graph: recursion of any depth, and Horn clauses",
            programs: true,
            circuits: false,
            proves: true,
            refutes: true,
            unit: Unit::Frames,
            grows: false,
            takes_lemmas: false,
            joins: false,
            takes: Takes::Procedures,
            looks: 200,
        }
    }

    fn takes_clauses(&self) -> bool {
        true
    }

    fn joins_clauses(&self) -> bool {
        true
    }

    fn clauses(&self, call: &ClausesCall<'_>) -> Verdict {
        let ClausesCall { pool, system, allowance, settings, .. } = call;
        let mut figures = SearchFigures::new(call.reached.clone());
        let verdict = callgraph::decide(pool, system, settings.solvers, allowance, &mut figures);
        figures.finish();
        verdict
    }
}
