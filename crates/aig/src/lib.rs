//! And-inverter graphs (AIGs): the common ground of bit-blasted terms and of circuits.
//!
//! A graph is a table of nodes in topological order: node 0 is the constant false, every other
//! node is an input or the conjunction of two earlier edges. An [`Edge`] is a node with an
//! optional inverter. Construction hashes structurally and folds constants, so equal
//! functions that are built alike are one node, once.
//!
//! * [`graph`]: the table and its constructors (`and`, `or`, `xor`, `ite`, …).
//! * [`simulate`]: 64 input patterns at a time through the whole graph.
//! * [`cnf`]: edges to clauses of a [`sat::Solver`], on demand, as definitions of a DAG,
//!   exclusive-ors and multiplexers recognized.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod cnf;
pub mod graph;
pub mod simulate;

pub use cnf::Encoder;
pub use graph::{Aig, Edge, Node};
