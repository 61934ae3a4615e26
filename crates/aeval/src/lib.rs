//! Validity of S(x) ⇒ ∃y. T(x, y), with a Skolem relation (\[Fed15\] ch. 3 and §4.2.3).
//!
//! * [`mod@project`]: model-based projection. From a formula and a model of it to a formula without
//!   some of the variables, which is true in the model and implies that values for them exist.
//!   Useful by itself: predecessors, interpolants, elimination of quantifiers.
//! * [`mod@decide`]: AE-VAL, which asks for projections until they cover S.
//! * [`skolem`], [`factor`], [`guards`]: Skolem relations as guarded cases, functions of single
//!   variables, guards over few variables.
//! * [`check`]: what a second solver says of all that.
//! * [`shape`]: formulas with quantifiers as questions.
//! * [`model`]: [`Model`], what projection needs to know of a solver's model.
//! * [`linear`]: sums over integers and reals.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod check;
pub mod decide;
pub mod factor;
pub mod guards;
pub mod linear;
pub mod model;
pub mod project;
pub mod shape;
pub mod skolem;

pub use decide::{Broken, Effort, Question, Validity, Why, decide, eliminate};
pub use factor::local_factor;
pub use model::Model;
pub use project::{Definition, Projection, Stuck, project};
pub use shape::Shape;
pub use skolem::{Case, Skolem};
