//! Bounded unfolding of Horn clauses: finds derivations, proves nothing.

use super::{ClausesCall, Engine, Row, Takes};
use answer::Unit;
use horn::Verdict;

/// See the module's head.
pub struct Unfold;

impl Engine for Unfold {
    fn row(&self) -> &Row {
        &Row {
            name: "unfold",
            about: "Bounded unfolding of Horn clauses: finds derivations only",
            programs: false,
            circuits: false,
            proves: false,
            refutes: true,
            unit: Unit::Steps,
            grows: true,
            takes_lemmas: false,
            joins: false,
            takes: Takes::Procedures,
            looks: 4,
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
        callgraph::unfold(pool, system, settings.solvers, allowance, &mut call.reached.clone())
    }
}
