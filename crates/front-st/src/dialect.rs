//! The families of Structured Text that are read, and what shows which one a file is written in.

use crate::lex::text::Text;
use crate::lex::token::{Keyword, TokenKind};
use crate::lex::{self, Mode};
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

    /// The dialect that a file shows by its name's ending or its words.
    #[must_use]
    pub fn notice(name: &str, text: &Text) -> Option<Dialect> {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some("scl" | "udt" | "awl") => return Some(Dialect::Scl),
            Some("tcpou" | "tcdut" | "tcgvl" | "tcio") => return Some(Dialect::Twincat),
            Some("exp") => return Some(Dialect::Codesys),
            _ => {}
        }
        if crate::xml::is_xml(&text.bytes) {
            // PLCopen's files; TwinCAT's have endings of their own.
            return Some(Dialect::Codesys);
        }
        let mode = Mode { dialect: Dialect::Iec, requirement: false };
        let tokens = lex::lex(text, mode);
        let mut dialect = None;
        for pair in tokens.tokens.windows(2) {
            match (pair[0].kind, pair[1].kind) {
                // `#name`, `FUNCTION_BLOCK "name"`, blocks that only SCL has.
                (TokenKind::Marked(..), _)
                | (
                    TokenKind::Word(_, Some(Keyword::OrganizationBlock | Keyword::DataBlock)),
                    TokenKind::Word(..) | TokenKind::Literal(_),
                )
                | (
                    TokenKind::Word(
                        _,
                        Some(Keyword::FunctionBlock | Keyword::Function | Keyword::Type),
                    ),
                    TokenKind::Literal(_),
                ) => return Some(Dialect::Scl),
                (TokenKind::Pragma(text), _) => {
                    let text = tokens.text(text).to_ascii_lowercase();
                    if text.starts_with("s7_") {
                        return Some(Dialect::Scl);
                    }
                    if text.starts_with("attribute '") {
                        dialect = Some(Dialect::Codesys);
                    }
                }
                (
                    TokenKind::Word(_, Some(Keyword::Pointer)),
                    TokenKind::Word(_, Some(Keyword::To)),
                ) => {
                    dialect = Some(Dialect::Codesys);
                }
                _ => {}
            }
        }
        dialect
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
