//! IC3 on control-flow automata, and what it is compared with.

use super::{Engine, ProgramCall, Row, Takes};
use crate::figures::SearchFigures;
use answer::Unit;
use program::Verdict;

/// IC3CFA, with the invariants that the analysis finds meanwhile.
pub struct Ic3Cfa;

/// The usual row of an IC3 on automata.
const ROW: Row = Row {
    name: "ic3cfa",
    about: "IC3 on the control-flow automaton of a program",
    programs: true,
    circuits: false,
    proves: true,
    refutes: true,
    unit: Unit::Frames,
    grows: false,
    takes_lemmas: true,
    joins: true,
    takes: Takes::Automaton,
    looks: 200,
};

impl Engine for Ic3Cfa {
    fn row(&self) -> &Row {
        &ROW
    }

    fn joins_clauses(&self) -> bool {
        true
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        call.await_findings();
        let mut partner = call.partner();
        let mut figures = SearchFigures::new(call.reached.clone());
        let ProgramCall { pool, cfa, allowance, settings, .. } = call;
        let (options, solvers) = (&settings.ic3cfa, settings.solvers);
        let verdict =
            ic3cfa::check_with(pool, cfa, options, solvers, allowance, &mut figures, &mut partner);
        figures.finish();
        verdict
    }
}

/// IC3 with the program counter as a variable.
pub struct Ic3Smt;

impl Engine for Ic3Smt {
    fn row(&self) -> &Row {
        &Row {
            name: "ic3smt",
            about: "IC3 on a program with the program counter as a variable, for comparison",
            takes_lemmas: false,
            joins: false,
            takes: Takes::Automaton,
            ..ROW
        }
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        let mut figures = SearchFigures::new(call.reached.clone());
        let ProgramCall { pool, cfa, allowance, settings, .. } = call;
        let verdict = ic3cfa::ic3smt::check(pool, cfa, settings.solvers, allowance, &mut figures);
        figures.finish();
        verdict
    }
}

/// IC3 on the paths of a program's unwinding.
pub struct TreeIc3;

impl Engine for TreeIc3 {
    fn row(&self) -> &Row {
        &Row {
            name: "treeic3",
            about: "IC3 on the paths of a program's unwinding, for comparison",
            takes_lemmas: false,
            joins: false,
            takes: Takes::Automaton,
            ..ROW
        }
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        let mut figures = SearchFigures::new(call.reached.clone());
        let ProgramCall { pool, cfa, allowance, settings, .. } = call;
        let verdict = ic3cfa::treeic3::check(pool, cfa, settings.solvers, allowance, &mut figures);
        figures.finish();
        verdict
    }
}
