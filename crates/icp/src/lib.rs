//! A solver for bit-vectors and IEEE floats that reasons on interval bounds (\[Sch §II-D\]): CDCL
//! whose literals are simple bounds (`x ≥ 5`, `x > 7`), with contractors of the operators as
//! propagation.
//!
//! # For engines
//!
//! * [`Icp::new`] makes a solver, or [`Solvers`] where a factory is asked for. It is an
//!   [`smt::Solver`]: formulas are asserted, levels pushed and popped, questions asked under
//!   assumptions, as of any other.
//! * **Literals are terms.** A literal of IC3 is a [`Bound`]: `x ≥ v` or `x ≤ v` of a term in the
//!   order of its [`Domain`]. [`Bound::formula`] is its term, [`Bound::read`] goes back,
//!   [`Bound::complement`] is its negation. As assumptions such terms cost no auxiliary variable.
//! * **The order of floats is total**: −∞ < … < −0 < +0 < … < +∞ < NaN. NaN is the greatest value,
//!   so every bound from above but `x ≤ NaN` excludes it; −0 and +0 are different. The values of a
//!   model become bounds by [`Bound::new`]: `x ≥ v` and `x ≤ v` together say that x is v, NaN
//!   included.
//! * **The order of assumptions matters.** They are decided one by one in the order given, each
//!   followed by propagation, which is what literal rotation rests on (\[Sch §III-A\]). An
//!   assumption that is implied by those before it is not decided; one that is refuted by them ends
//!   the question. Those that never change (activation of formulas) come first.
//! * **Cores are assumptions**: [`smt::Solver::core`] returns the terms that were given, first the
//!   one that failed, then those that refute it in the order given: the list with which
//!   \[Sch §III-A\] goes on (step 5).
//! * **Bounds are generalized** (\[Sch §III-B\]): after `unsat`, [`Icp::weakest`] has for each term
//!   of the core the weakest bound in its place with which, all replaced at once, the question
//!   stays unsatisfiable as far as the refutation shows.

//!
//! # How it works
//!
//! `encode` decomposes terms into variables, clauses of bounds and primitive constraints, whose
//! contractors are those of [`intervals::contract`]. `engine` searches: propagation by clauses and
//! contractors, decisions and splits, 1UIP conflict analysis, restarts and deletion. `model` lets
//! [`term::eval`] accept a point before it counts. [`solver`] gives the search some effort and then
//! bit-blasting some (`pruned`), which is told what the search knows of bounds, and both again with
//! more, so that every question about vectors and floats ends.
//!
//! Deviations from \[Sch §II-D\]: bound literals are not made lazily but are no objects at all, a
//! literal is a variable and a number (`lit`), so bound-implication clauses are implicit in a
//! variable's interval and in the chain of its bounds on the trail. The clause of a deduction is made
//! when conflict analysis asks for it, and is weakened by asking the contractor again (`engine::explain`).
//! In debug builds each such clause is evaluated at points of its box.
//!
//! # References
//!
//! * \[Sch\] K. Scheibler, F. Winterer, T. Seufert, T. Teige, C. Scholl, B. Becker: *ICP and IC3*.
//!   DATE 2021.
//! * M. Fränzle, C. Herde, T. Teige, S. Ratschan, T. Schubert: *Efficient Solving of Large
//!   Non-Linear Arithmetic Constraint Systems with Complex Boolean Structure*. JSAT 1, 2007 (iSAT).
//! * M. Brain, V. D'Silva, A. Griggio, L. Haller, D. Kroening: *Deciding Floating-Point Logic with
//!   Abstract Conflict Driven Clause Learning*. FMSD 45, 2014.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod bound;
mod encode;
mod engine;
mod lit;
mod model;
mod pruned;
pub mod solver;
pub mod solvers;

pub use bound::{Bound, Side};
pub use engine::Counters;
pub use intervals::keys::{Domain, Key};
pub use solver::{Icp, Means, Weakest};
pub use solvers::Solvers;
