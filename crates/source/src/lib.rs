//! What all front ends share: texts with places in them, messages about them, and a stack that is
//! deep enough to read them.
//!
//! * [`map`]: the bytes that were read, with names, sums and places ([`SourceMap`], [`Span`]).
//! * [`diagnostic`]: messages with a place, a caret and advice ([`Diagnostic`]).
//! * [`stack`]: a thread with a large stack, for recursive descent.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod diagnostic;
pub mod map;
pub mod stack;

pub use diagnostic::{Diagnostic, Severity};
pub use map::{
    Excerpt, FileId, LineMarker, Position, SourceError, SourceFile, SourceMap, Span, Sum, Text,
};
pub use stack::with_deep_stack;
