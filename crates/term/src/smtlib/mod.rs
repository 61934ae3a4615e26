//! SMT-LIB 2.6 scripts to terms.
//!
//! [`parse`] reads a whole script, [`Parser`] one command after the other. What a script says in
//! the many words of the standard arrives in the few of the kernel ([`crate::op`]): `let`,
//! defined functions and sorts are expanded, which costs nothing where terms are shared, and all
//! operators are expressed by kernel operators.
//!
//! Accepted beyond the standard, because solvers accept it and scripts use it: operators of
//! SMT-LIB 2.7 and of single solvers (overflow predicates, `bvredor`, `fp.to_ieee_bv`, …),
//! `define-const`, Int arguments where Real ones are due, numerals with leading zeros, and
//! unknown commands, which become [`Command::Unsupported`] if skipping them can't change the
//! meaning of others.
//!
//! Rejected: datatypes, recursive definitions, strings and sequences, `match`, `par`, `lambda`.
//!
//! Nothing here recurses on the nesting of the text, and what the script makes the pool grow by
//! is bounded by its length (the `budget` module), so any bytes are safe to feed.
//!
//! # Bound variables
//! Quantified variables and parameters become variables of the pool with names of their own
//! ([`Pool::bound_var`]). All constants a script declares are known before the first variable is
//! bound, so the two never meet within a script.
//!
//! # References
//! C. Barrett, P. Fontaine, C. Tinelli: The SMT-LIB Standard, Version 2.6 (2017), and the theory
//! and logic declarations at smt-lib.org.

mod answer;
mod budget;
mod error;
mod identifier;
pub(crate) mod lexer;
mod logic;
mod macros;
mod parser;
mod rules;
mod scope;
mod script;
mod sorts;
mod terms;
mod theory;

pub use answer::parse_values;
pub use error::{ParseError, Place};
pub use parser::Parser;
pub use script::{Command, Declared, Located, Script, Written};

use crate::pool::Pool;

/// The names of all operators, with and without indices.
pub(crate) fn operator_names() -> impl Iterator<Item = &'static str> {
    theory::operators().map(|(_, operator)| operator.name)
}

/// The commands of a script, with their formulas as terms of the pool.
pub fn parse(pool: &Pool, text: &[u8]) -> Result<Script, ParseError> {
    let commands = Parser::new(pool, text).collect::<Result<Vec<Located>, ParseError>>()?;
    Ok(Script { commands })
}
