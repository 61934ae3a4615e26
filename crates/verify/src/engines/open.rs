//! IC3CFA on the automaton with memory left open: what it proves needs nothing of what arrays hold.

use super::{Engine, ProgramCall, Row};
use crate::figures::SearchFigures;
use answer::{Reason, Unit};
use program::minimize::{Minimized, minimize};
use program::open::open;
use program::verdict::{Invariant, Proof};
use program::{Cfa, Verdict};

/// See the module's head.
pub struct Open;

impl Engine for Open {
    fn row(&self) -> &Row {
        &Row {
            name: "open",
            about: "IC3CFA on a program of whose arrays nothing is known",
            programs: true,
            circuits: false,
            proves: true,
            refutes: false,
            unit: Unit::Frames,
            grows: false,
            joins: true,
            executes: false,
            looks: 200,
        }
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        let ProgramCall { pool, cfa, allowance, settings, .. } = call;
        let open = match open(pool, cfa) {
            Some(open) => open,
            // There is nothing to leave open: others do the same.
            None if !call.alone => {
                return Verdict::Unknown(Reason::GaveUp("there is no memory".to_owned()));
            }
            None => Cfa::clone(cfa),
        };
        let smaller = minimize(pool, &open, &settings.minimization());
        if !smaller.cfa.edges.values().any(|edge| Some(edge.to) == smaller.cfa.error) {
            return proved(call, &smaller, &Invariant::default());
        }
        let (options, solvers) = (&settings.analysis, settings.solvers);
        let found = match analysis::analyze(pool, &smaller.cfa, options, solvers, allowance) {
            Ok(found) if found.safe => return proved(call, &smaller, &found.invariant),
            Ok(found) => found.invariant,
            Err(error) => return Verdict::Unknown(Reason::GaveUp(error.to_string())),
        };
        search(call, &smaller, &smaller.cfa, found)
    }
}

/// IC3CFA, which knows what the analysis has found.
fn search(
    call: &ProgramCall<'_>,
    smaller: &Minimized,
    automaton: &Cfa,
    found: Invariant,
) -> Verdict {
    let ProgramCall { pool, allowance, settings, .. } = call;
    let mut found = Some(found);
    let mut figures = SearchFigures::new(call.reached.clone());
    let (options, solvers) = (&settings.ic3cfa, settings.solvers);
    let verdict =
        ic3cfa::check_with(pool, automaton, options, solvers, allowance, &mut figures, &mut || {
            found.take()
        });
    figures.finish();
    match verdict {
        Verdict::Safe(Proof::Inductive(invariant)) => proved(call, smaller, &invariant),
        Verdict::Unknown(reason) => Verdict::Unknown(reason),
        Verdict::Safe(_) | Verdict::Unsafe(_) => {
            Verdict::Unknown(Reason::GaveUp("what memory holds matters".to_owned()))
        }
    }
}

/// The proof for the automaton itself: its runs are runs of the open one.
fn proved(call: &ProgramCall<'_>, smaller: &Minimized, invariant: &Invariant) -> Verdict {
    Verdict::Safe(Proof::Inductive(smaller.lift_invariant(call.pool, invariant)))
}
