//! Predicate abstraction with counterexample-guided refinement, on control-flow automata.
//!
//! This is the engine that the thesis's verifier has beside IC3CFA and bounded model checking
//! ([Lan18 §5.1.1], "CEGAR"); the thesis names it and no more, so the design is that of the
//! literature:
//!
//! * *Abstraction.* A set of predicates belongs to each location, and what is known of the states
//!   there is said by these alone \[BR01\]. The strongest conjunction of predicates that
//!   holds after an edge is asked of a solver, edge by edge ([`abstraction`]); edges are large
//!   blocks, with all their branches at once \[BCG09\].
//! * *Exploration.* The abstract states are unwound into a tree from the initial location; a state
//!   that implies one found before at the same location is covered by it and not unwound
//!   ([`tree`]). If nothing is left to unwind, the disjunction of the states at each location is an
//!   inductive invariant.
//! * *Refinement.* A path of the tree into the error location is executed symbolically ([`path`]).
//!   If it can be taken, that is a run. Otherwise interpolants of its steps \[HJMM04, McM06\] say
//!   what was forgotten at each location on the way, and become predicates there ([`refine`]). Only
//!   the part of the tree from the first state that was too weak is unwound anew \[HJMS02\].
//!
//! Which predicates the interpolants are made of decides whether the search ends:
//! [`smt::interpolate`] is offered comparisons of the program along the path, and takes single
//! bits only where these are not enough. As bits are finitely many and each refinement excludes its
//! path, every automaton over Bool and bit-vectors is decided in the end; with arrays there may be
//! no interpolant, and the engine gives up.
//!
//! | file | step |
//! |---|---|
//! | [`engine`] | the loop |
//! | [`tree`] | the abstract reachability tree |
//! | [`step`] | edges as functions of states and inputs |
//! | [`abstraction`] | abstract successors, Cartesian and Boolean |
//! | [`path`] | path formulas, and runs from their models |
//! | [`refine`] | predicates from interpolants |
//! | [`questions`] | the solvers |
//! | [`options`], [`observer`] | what can be chosen and what can be watched |
//!
//! # References
//!
//! * \[BR01\] T. Ball, S. K. Rajamani: *Automatically Validating Temporal Safety Properties of
//!   Interfaces*. SPIN 2001.
//! * \[HJMS02\] T. A. Henzinger, R. Jhala, R. Majumdar, G. Sutre: *Lazy Abstraction*. POPL 2002.
//! * \[HJMM04\] T. A. Henzinger, R. Jhala, R. Majumdar, K. L. McMillan: *Abstractions from Proofs*.
//!   POPL 2004.
//! * \[McM06\] K. L. McMillan: *Lazy Abstraction with Interpolants*. CAV 2006.
//! * \[BCG09\] D. Beyer, A. Cimatti, A. Griggio, M. E. Keremoglu, R. Sebastiani: *Software Model
//!   Checking via Large-Block Encoding*. FMCAD 2009.
//! * \[Lan18\] T. Lange: *IC3 Software Model Checking*. PhD thesis, RWTH Aachen, 2018.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod abstraction;
pub mod engine;
pub mod observer;
pub mod options;
pub mod path;
pub mod questions;
pub mod refine;
pub mod step;
pub mod tree;

pub use engine::check;
pub use observer::{Observer, Statistics};
pub use options::{Abstraction, Options};
