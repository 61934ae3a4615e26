//! Automata for people as text, and programs and automata as graphs in the DOT language. (Programs
//! as text are the language of the crate `ivl`.)
//!
//! ```text
//! L0: initial
//!   -> L1  i := 0                                  sum.c:3:9
//! L1: loop
//!   -> L2  assume i <u n                           sum.c:4:5
//! ```
//!
//! Terms are written as C would write them, as far as C can ([`term`]); [`infix`] is what they
//! have in common with the terms of `ivl`.

mod dot;
pub mod infix;
mod procedures;
pub mod term;
mod text;

pub use dot::{cfa_dot, program_dot};
pub use procedures::procedures_text;
pub use text::{cfa_text, instruction_text};

use ::term::{Pool, Sort};

/// A sort in a word: `bool`, `bv32`, `float`, `double`.
pub fn sort_text(pool: &Pool, sort: Sort) -> String {
    match sort {
        Sort::Bool => "bool".into(),
        Sort::BitVec(width) => format!("bv{width}"),
        Sort::Float(format) => match (format.exponent(), format.significand()) {
            (8, 24) => "float".into(),
            (11, 53) => "double".into(),
            (exponent, significand) => format!("float<{exponent},{significand}>"),
        },
        Sort::RoundingMode => "rounding".into(),
        Sort::Int => "int".into(),
        Sort::Real => "real".into(),
        Sort::Array(_) => {
            let (index, element) = pool.array_parts(sort).expect("an array sort has parts");
            // Nested as deep as the sort was built; models use arrays of scalars.
            format!("[{}]{}", sort_text(pool, index), sort_text(pool, element))
        }
        Sort::Uninterpreted(name) => pool.name(name).into(),
    }
}

#[cfg(test)]
mod tests;
