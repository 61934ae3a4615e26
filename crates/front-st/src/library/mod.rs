//! The standard's function blocks, and what standard functions are made of, as text in our own
//! language.
//!
//! Names that begin with two underscores are for the crate alone. What a file declares under one
//! of the other names is meant instead.

use crate::ast::Unit;
use crate::dialect::Dialect;
use crate::parse;
use source::{Diagnostic, SourceMap};

/// The variable of a timer that counts the milliseconds since it was called last.
pub const SINCE: &str = "__since";

/// The texts, by the names that places in them have.
const TEXTS: [(&str, &str); 6] = [
    ("library/bistable.st", include_str!("bistable.st")),
    ("library/counters.st", include_str!("counters.st")),
    ("library/dates.st", include_str!("dates.st")),
    ("library/mathematics.st", include_str!("mathematics.st")),
    ("library/strings.st", include_str!("strings.st")),
    ("library/timers.st", include_str!("timers.st")),
];

/// Reads the library into a program's sources.
pub fn read(sources: &mut SourceMap) -> Result<Unit, Vec<Diagnostic>> {
    let mut files = Vec::new();
    for (name, text) in TEXTS {
        match sources.add(name, text.as_bytes().to_vec()) {
            Ok(file) => files.push(file),
            Err(error) => {
                let message = error.to_string();
                return Err(vec![*Diagnostic::error(source::Span::default(), message)]);
            }
        }
    }
    parse::parse(sources, &files, Some(Dialect::Iec))
}
