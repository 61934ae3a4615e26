//! IC3 whose literals are interval bounds, with k-induction inside it.

use super::{Engine, ProgramCall, Row, Takes};
use crate::figures::SearchFigures;
use answer::Unit;
use program::verdict::{Invariant, Proof};
use program::{Cfa, Verdict};
use term::{Pool, Term};

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

    /// Others do better where there are integers alone.
    fn suits(&self, pool: &Pool, cfa: &Cfa) -> bool {
        ic3icp::has_floats(pool, cfa)
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        let ProgramCall { pool, cfa, allowance, settings, .. } = call;
        call.await_findings();
        let held = call.findings.known(pool).unwrap_or_default();
        let assuming = cfa.assuming(pool, &bounds(pool, &held));
        let mut figures = SearchFigures::new(call.reached.clone());
        let (options, solvers) = (&settings.icp, settings.solvers);
        let verdict = ic3icp::check(pool, &assuming, options, solvers, allowance, &mut figures);
        figures.finish();
        with(verdict, &held)
    }
}

/// What is known to hold and is a bound of a variable: that is what the solver makes most of.
fn bounds(pool: &Pool, held: &Invariant) -> Invariant {
    let is_bound = |formula: &&Term| {
        let bound = icp::Bound::read(pool, **formula);
        bound.is_some_and(|bound| bound.domain != icp::Domain::Truth)
    };
    let of = |formulas: &Vec<Term>| formulas.iter().filter(is_bound).copied().collect();
    Invariant { at: held.at.iter().map(|(at, formulas)| (at, of(formulas))).collect() }
}

/// A proof with what it was allowed to assume.
fn with(verdict: Verdict, held: &Invariant) -> Verdict {
    match verdict {
        Verdict::Safe(Proof::Inductive(mut invariant)) => {
            invariant.add(held);
            Verdict::Safe(Proof::Inductive(invariant))
        }
        Verdict::Safe(Proof::KInductive { k, mut invariant }) => {
            invariant.add(held);
            Verdict::Safe(Proof::KInductive { k, invariant })
        }
        other => other,
    }
}
