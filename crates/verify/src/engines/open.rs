//! IC3CFA on the automaton with memory left open: what it proves needs nothing of what arrays hold.

use super::{Engine, ProgramCall, Row, Takes};
use crate::figures::SearchFigures;
use answer::{Reason, Unit};
use program::minimize::{Minimized, minimize_again};
use program::open::{Opened, open};
use program::verdict::{Invariant, Proof};
use program::{Cfa, Verdict};
use term::{Pool, Sort};

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
            takes_lemmas: false,
            joins: true,
            takes: Takes::Automaton,
            looks: 200,
        }
    }

    /// Where there is nothing to leave open, others do the same.
    fn suits(&self, pool: &Pool, cfa: &Cfa) -> bool {
        cfa.variables.keys().any(|variable| matches!(pool.sort(*variable), Sort::Array(_)))
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        let ProgramCall { pool, cfa, allowance, settings, .. } = call;
        let open = open(pool, cfa).unwrap_or_else(|| Opened::unchanged(Cfa::clone(cfa)));
        let smaller = minimize_again(pool, &open.cfa, &settings.minimization());
        let way = Way { open, smaller };
        let cfa = &way.smaller.cfa;
        if !cfa.edges.values().any(|edge| Some(edge.to) == cfa.error) {
            return way.proved(pool, &Invariant::default());
        }
        let (options, solvers) = (&settings.analysis, settings.solvers);
        let found = match analysis::analyze(pool, cfa, options, solvers, allowance) {
            Ok(found) if found.safe => return way.proved(pool, &found.invariant),
            Ok(found) => found.invariant,
            Err(error) => return Verdict::Unknown(Reason::GaveUp(error.to_string())),
        };
        search(call, &way, found)
    }
}

/// From the automaton to the one that is searched.
struct Way {
    open: Opened,
    smaller: Minimized,
}

impl Way {
    /// The proof for the automaton itself: its runs are runs of the open one.
    fn proved(&self, pool: &Pool, invariant: &Invariant) -> Verdict {
        let invariant = self.smaller.lift_invariant(pool, invariant);
        Verdict::Safe(Proof::Inductive(self.open.closed(pool, invariant)))
    }
}

/// What the analysis has found, until it is asked for.
struct Found(Option<Invariant>);

impl ic3cfa::Partner for Found {
    fn proved(&mut self) -> Option<Invariant> {
        self.0.take()
    }
}

/// IC3CFA, which knows what the analysis has found.
fn search(call: &ProgramCall<'_>, way: &Way, found: Invariant) -> Verdict {
    let ProgramCall { pool, allowance, settings, .. } = call;
    let mut found = Found(Some(found));
    let mut figures = SearchFigures::new(call.reached.clone());
    let (options, solvers) = (&settings.ic3cfa, settings.solvers);
    let automaton = &way.smaller.cfa;
    let verdict =
        ic3cfa::check_with(pool, automaton, options, solvers, allowance, &mut figures, &mut found);
    figures.finish();
    match verdict {
        Verdict::Safe(Proof::Inductive(invariant)) => way.proved(pool, &invariant),
        Verdict::Unknown(reason) => Verdict::Unknown(reason),
        Verdict::Safe(_) | Verdict::Unsafe(_) => {
            Verdict::Unknown(Reason::GaveUp("what memory holds matters".to_owned()))
        }
    }
}
