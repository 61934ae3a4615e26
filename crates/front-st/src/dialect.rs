//! The families of Structured Text that are read, and what shows which one a file is written in.

use std::fmt;
use std::str::FromStr;

/// A family of Structured Text. All share one grammar that accepts what any of them writes; the
/// dialect decides where the same text means different things.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Dialect {
    /// IEC 61131-3, editions 2 and 3, with what open compilers of it add.
    #[default]
    Iec,
    /// CODESYS.
    Codesys,
    /// TwinCAT 3, which is CODESYS with files of its own.
    Twincat,
    /// Siemens SCL: `"name"` is a name, `#name` a local one.
    Scl,
}

impl Dialect {
    /// All dialects, as the command line names them.
    pub const ALL: [Dialect; 4] = [Dialect::Iec, Dialect::Codesys, Dialect::Twincat, Dialect::Scl];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Iec => "iec",
            Dialect::Codesys => "codesys",
            Dialect::Twincat => "twincat",
            Dialect::Scl => "scl",
        }
    }

    /// Whether `"text"` is a name and not a string of wide characters.
    #[must_use]
    pub fn quotes_names(self) -> bool {
        self == Dialect::Scl
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(text: &str) -> Result<Dialect, String> {
        let found = Dialect::ALL.into_iter().find(|d| d.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| format!("'{text}' is no dialect: iec, codesys, twincat or scl"))
    }
}
