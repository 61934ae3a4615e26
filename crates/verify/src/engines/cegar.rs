//! Predicate abstraction with interpolants, for comparison.

use super::{Engine, ProgramCall, Row, Takes};
use crate::figures::AbstractionFigures;
use answer::Unit;
use program::Verdict;

/// See the module's head.
pub struct Cegar;

impl Engine for Cegar {
    fn row(&self) -> &Row {
        &Row {
            name: "cegar",
            about: "Predicate abstraction, refined by interpolants, for comparison",
            programs: true,
            circuits: false,
            proves: true,
            refutes: true,
            unit: Unit::Refinements,
            grows: false,
            takes_lemmas: false,
            joins: false,
            takes: Takes::Automaton,
            looks: 200,
        }
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        let mut figures = AbstractionFigures::new(call.reached.clone());
        let options = cegar::Options::default();
        let ProgramCall { pool, cfa, allowance, settings, .. } = call;
        let solvers = settings.solvers;
        let verdict = cegar::check(pool, cfa, &options, solvers, allowance, &mut figures);
        figures.finish();
        verdict
    }
}
