//! What Cairn hands on to people and to other tools.
//!
//! * [`subject`]: what is reported on.
//! * [`class`]: the class of the failing inputs in words.
//! * [`invariant`]: the invariant of a proof at the loops of the source.
//! * [`result`]: the result of a check as a document, in JSON; [`document`] makes it of an outcome.
//! * [`explain`]: that document in words.
//! * [`witness`]: SV-COMP's witnesses, read and written.
//! * [`files`]: what a check leaves behind: witnesses, certificates, traces and harnesses.
//! * [`cycles`]: runs of controllers' programs cycle by cycle: tables, timing diagrams, pages.
//! * [`mod@coverage`]: what is known of structural coverage.
//! * [`text`]: what is said of an outcome on lines for reading.
//!
//! Expressions, values and harnesses are written by the task's language. Nothing here prints, exits or
//! looks at the clock; texts are returned.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod class;
mod contract;
pub mod coverage;
pub mod cycles;
pub mod document;
pub mod explain;
pub mod files;
pub mod invariant;
pub mod result;
pub mod subject;
pub mod table;
pub mod text;
pub mod witness;

pub use subject::Subject;
