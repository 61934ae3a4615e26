//! Function summaries: the program is unwound call by call as far as a proof or a run needs it; what a
//! proof needed of a call becomes its summary, and summaries that are inductive hold at every depth.

use super::{Engine, Row, Takes};
use answer::Unit;

/// See the module's head. It works on the procedures of a program, so it is called by a step of the ladder
/// and not through [`Engine::program`].
pub struct Summaries;

impl Engine for Summaries {
    fn row(&self) -> &Row {
        &Row {
            name: "summaries",
            about: "Function summaries by interpolation: finds violations, proves programs call by call",
            programs: true,
            circuits: false,
            proves: true,
            refutes: true,
            unit: Unit::Calls,
            grows: true,
            takes_lemmas: false,
            joins: false,
            takes: Takes::Procedures,
            looks: 20,
        }
    }
}
