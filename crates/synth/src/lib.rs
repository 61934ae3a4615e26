//! A control-flow automaton as a circuit, for the bit-level engines.
//!
//! The program counter becomes a word of latches, every variable the bits of its value, and one
//! step of the circuit is one edge of the automaton ([Lan18 §4.1] calls this form IC3 with a
//! monolithic transition relation; at the bit level it is a hardware problem like any other). What
//! an edge leaves open (havocs, choices) are inputs of the circuit. A state from which no edge
//! can be taken goes to a sink.
//!
//! A variable is zero wherever it is not read again, in particular before it is first assigned. So
//! states that differ in nothing that matters are one, and bits that no assignment sets are
//! constant, which the reduction of circuits finds out. In the program the variable may have any
//! value there; an invariant is brought back with zero in its place, and is inductive there because
//! no step depends on what is not read again.
//!
//! Large arrays are left open but for a few elements, so the circuit can have more runs than the
//! automaton ([`Circuit::has_more_runs`]): its invariants are the automaton's, its traces then need
//! not be.
//!
//! * [`words`]: variables as words of bits; arrays as (some of) their elements.
//! * [`circuit`]: the circuit, and the way back for its traces and invariants.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod circuit;
pub mod words;

pub use circuit::{Circuit, SynthError, WayBack, is_clause};
