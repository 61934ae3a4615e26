//! Places in the user's sources.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A line and column of a file, both from 1; line 0 stands for no place at all.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Place {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// The line.
    pub line: u32,
    /// The column, in bytes.
    pub column: u32,
}

impl Place {
    /// Whether it is a place in a source, and not that of something the front end made up.
    pub fn is_known(&self) -> bool {
        self.line > 0
    }

    /// The same line, for what code beyond the program does there: no check of the program.
    #[must_use]
    pub fn beyond(&self) -> Place {
        Place { column: 0, ..self.clone() }
    }

    /// Whether it is where code beyond the program does something.
    pub fn is_beyond(&self) -> bool {
        self.is_known() && self.column == 0
    }

    /// The place, if it is known.
    pub fn known(&self) -> Option<Place> {
        self.is_known().then(|| self.clone())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
