//! Programs and circuits as clauses, which are satisfiable exactly if no violation can be reached.
//!
//! * [`automaton`]: a predicate a location over the variables that are read later, a clause an edge;
//!   all linear.
//! * [`procedures`](mod@procedures): a predicate a location over the inputs of the call as well; behind
//!   a call both the caller's location and the callee's exit are assumed.
//! * [`circuit`]: one predicate over the latches.

mod automaton;
mod circuit;
mod procedures;

pub use automaton::of_automaton;
pub use circuit::of_circuit;
pub use procedures::{Encoded, Unencodable, of_procedures};
