//! Propositional satisfiability: one interface, several solvers, proofs and interpolants.
//!
//! Everything in Cairn that asks a yes/no question ends here. The crate has three subjects:
//!
//! * [`lit`] and [`solver`]: variables, literals, and [`Solver`], the trait every solver
//!   implements (incremental clauses, assumptions, failed assumptions, model, an
//!   [`Allowance`] of time and conflicts).
//! * the solvers: [`cone`], a CDCL of our own for the tiny queries of IC3, and [`cadical`],
//!   CaDiCaL for hard queries, BMC and proofs; [`hybrid`], both as one.
//! * [`proof`] and [`interpolant`]: resolution proofs with antecedents, their checker, and
//!   Craig interpolants computed from them.
//!
//! Nothing here prints, reads the environment or knows what a formula means.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod cadical;
pub mod cone;
pub mod hybrid;
pub mod interpolant;
pub mod lit;
pub mod proof;
pub mod solver;

pub use answer::{Allowance, Exhausted, Held, Interrupt, Pace};
pub use cone::ConeSolver;
pub use hybrid::Hybrid;
pub use lit::{Lit, Var};
pub use solver::{Answer, Solver, Statistics};
