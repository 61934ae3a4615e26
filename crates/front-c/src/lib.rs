//! C11 with the GNU extensions that real headers contain: from bytes to a typed program.
//!
//! The stages, each a module:
//!
//! * [`source`], [`diagnostic`]: texts, places, messages.
//! * [`lexer`] with [`token`], [`literal`] and [`symbol`]: bytes to tokens.
//! * [`parse`]: tokens to the syntax tree [`ast`].

pub mod ast;
pub mod check;
pub mod compile;
pub mod constant;
pub mod diagnostic;
pub mod layout;
pub mod lexer;
pub mod literal;
pub mod parse;
pub mod preprocess;
pub mod source;
pub mod stack;
pub mod symbol;
pub mod token;
pub mod typed;
pub mod types;
