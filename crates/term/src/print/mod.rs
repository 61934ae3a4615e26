//! Terms, values, scripts and models as SMT-LIB writes them.
//!
//! A [`Printer`] gives names to variables, functions and sorts, and writes terms with `let` for
//! what is shared, so that a text is as large as its term is as a DAG. [`crate::smtlib`] reads
//! what is written here and yields the same terms (bound variables under other names).
//!
//! Three things have no form in the standard:
//! * the bits of a float, written `fp.to_ieee_bv` as some solvers do; [`standard`] replaces them
//!   for other solvers;
//! * elements of uninterpreted sorts, written `(as @3 S)`;
//! * names with `|` or `\`, names of operators used for variables, and one name for two things:
//!   the printer changes the name.
//!
//! Conversions between bit-vectors and integers are written `bv2nat` and `int2bv`, which more
//! solvers know than the newer names.

mod layout;
mod operator;
mod printer;
mod script;
mod symbol;
mod term;
mod value;

pub use printer::Printer;
pub use script::{logic, script, standard};
pub use symbol::{sort_to_string, symbol_to_string};
pub use value::value_to_string;

use crate::pool::{Pool, Term};

/// A term on its own, with its free symbols under their own names as far as possible.
pub fn term_to_string(pool: &Pool, term: Term) -> String {
    Printer::new(pool).term(term)
}
