//! Symbolic execution: follows all runs of the program itself, merged where they meet, up to a bound
//! that grows; finds violations, and proves programs whose runs end.

use super::{Engine, Row, Takes};
use answer::Unit;

/// See the module's head. It works on the program before there is an automaton, so it is called by a
/// step of the ladder and not through [`Engine::program`].
pub struct Symex;

impl Engine for Symex {
    fn row(&self) -> &Row {
        &Row {
            name: crate::code::UNWIND,
            about: "Symbolic execution with every object by itself: finds violations, proves programs whose runs end",
            programs: true,
            circuits: false,
            proves: false,
            refutes: true,
            unit: Unit::Turns,
            grows: true,
            takes_lemmas: false,
            joins: true,
            takes: Takes::Program,
            looks: 20,
        }
    }
}
