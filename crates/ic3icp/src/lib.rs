//! IC3 whose literals are interval bounds, with k-induction inside it: [Sch §III].
//!
//! A cube is a hyper-box over the variables that are read again at a location; a lemma cuts one off. The
//! solver reasons on the same bounds ([`icp`]), so what it needed for a refutation is the lemma: not only
//! which bounds, but how far each could be moved.
//!
//! \[Sch\] checks the transition system of a cyclic program, of which one step is one cycle. Ours are
//! automata, and frames are kept by location, as in [`ic3cfa`]: F_(i,ℓ) holds the states that may be at ℓ
//! after at most i edges. A program counter as one more variable would make every question one about the
//! whole program, with a disjunction over all edges, which is what interval propagation is worst at; by
//! location a question is one edge, a conjunction. After minimization the automaton of a cyclic program
//! has one location that counts, and the two are the same. What \[Sch\] calls I are then the edges that leave
//! the initial location, where any state may be.
//!
//! | file | subject |
//! |---|---|
//! | [`literal`] | bounds as literals, boxes as cubes |
//! | [`domains`] | in which order the values of each variable are |
//! | [`system`], [`suffix`] | edges as relations; those that end in the error location, lengthened to IND'ᵢ [Sch §III-E] |
//! | [`engine`] | the outer loop with its dynamic abort [Sch §III-E, F], and the search of [Sch §II-C] |
//! | `block`, `propagate` | DFS and PUSH of [Sch §II-C], on the queue of [`lemmas`] |
//! | `question` | one relation and its solver, which knows the frames |
//! | `rotation` | literal rotation [Sch §III-A] |
//! | `weakening` | bound generalization where the solver has none of its own [Sch §III-B] |
//! | `generalize` | blocked cubes, with their ungeneralization [Sch §III-C]; literal dropping |
//! | `gentr` | generalization of obligations with the negated transition relation [Sch §III-D] |
//! | [`solver`] | where solvers come from, and what more than [`smt::Solver`] is asked of them |
//! | `audit` | the invariants of frames, checked |
//! | [`options`], [`settings`] | what can be chosen, by the paper's names |
//!
//! # References
//!
//! * \[Sch\] K. Scheibler, F. Winterer, T. Seufert, T. Teige, C. Scholl, B. Becker: *ICP and IC3*. DATE 2021.
//! * \[EMB11\] N. Eén, A. Mishchenko, R. Brayton: *Efficient Implementation of Property Directed
//!   Reachability*. FMCAD 2011.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

mod audit;
mod block;
pub mod domains;
pub mod engine;
mod generalize;
mod gentr;
pub mod literal;
pub mod options;
mod propagate;
mod question;
mod rotation;
pub mod settings;
pub mod solver;
pub mod suffix;
pub mod system;
mod weakening;

pub use domains::has_floats;
pub use engine::check;
pub use options::Options;
