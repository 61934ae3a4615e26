//! IC3 whose literals are interval bounds, with k-induction inside it.

use super::{Engine, ProgramCall, Row, Takes};
use crate::figures::SearchFigures;
use answer::{Reason, Unit};
use program::Verdict;

/// See the module's head.
pub struct Icp;

impl Engine for Icp {
    fn row(&self) -> &Row {
        &Row {
            name: "icp",
            about: "IC3 over interval bounds, with k-induction inside it",
            programs: true,
            circuits: false,
            proves: true,
            refutes: true,
            unit: Unit::Frames,
            grows: false,
            takes_lemmas: false,
            joins: true,
            takes: Takes::Automaton,
            looks: 200,
        }
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        let ProgramCall { pool, cfa, allowance, settings, .. } = call;
        if !call.alone && !ic3icp::has_floats(pool, cfa) {
            // Others do better where there are integers alone.
            return Verdict::Unknown(Reason::GaveUp("there are no floats".to_owned()));
        }
        let mut figures = SearchFigures::new(call.reached.clone());
        let (options, solvers) = (&settings.icp, settings.solvers);
        let verdict = ic3icp::check(pool, cfa, options, solvers, allowance, &mut figures);
        figures.finish();
        verdict
    }
}
