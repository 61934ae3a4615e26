//! Kinds, keys, documents and their entries in a list.

use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// What was answered.
    Verdict,
    /// What holds at places of a program, or in all states of a circuit.
    Invariant,
    /// Clauses with the frames in which they hold.
    Lemmas,
    /// What calls of a function do.
    Summary,
    /// Failing inputs and test vectors.
    Input,
    /// What versions of a program are compared by.
    Form,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 6] =
        [Kind::Verdict, Kind::Invariant, Kind::Lemmas, Kind::Summary, Kind::Input, Kind::Form];

    /// The name, by which lists are filtered.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Verdict => "verdict",
            Kind::Invariant => "invariant",
            Kind::Lemmas => "lemmas",
            Kind::Summary => "summary",
            Kind::Input => "input",
            Kind::Form => "form",
        }
    }

    /// The number that stands for the kind in the file; part of the format.
    pub(crate) fn number(self) -> i64 {
        match self {
            Kind::Verdict => 1,
            Kind::Invariant => 2,
            Kind::Lemmas => 3,
            Kind::Summary => 4,
            Kind::Input => 5,
            Kind::Form => 6,
        }
    }

    pub(crate) fn numbered(number: i64) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.number() == number)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names no kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no kind of documents called '{0}'; kinds are {kinds}", kinds = Kind::ALL.map(Kind::name).join(", "))]
pub struct NoKind(pub String);

impl FromStr for Kind {
    type Err = NoKind;

    fn from_str(word: &str) -> Result<Kind, NoKind> {
        let found = Kind::ALL.into_iter().find(|kind| kind.name() == word);
        found.ok_or_else(|| NoKind(word.to_owned()))
    }
}

/// The sum of the content that a document rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub(crate) [u8; 32]);

impl Key {
    /// The SHA-256 sum of some parts. Each goes in with its length, so that neighbours do not run
    /// together: `["ab", "c"]` and `["a", "bc"]` differ.
    #[must_use]
    pub fn of(parts: &[&[u8]]) -> Key {
        let mut sum = Sha256::new();
        for part in parts {
            sum.update((part.len() as u64).to_le_bytes());
            sum.update(part);
        }
        Key(sum.finalize().into())
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Key> {
        bytes.try_into().ok().map(Key)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

/// A text that is no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no key; a key is 64 hexadecimal digits")]
pub struct NoKey(pub String);

impl FromStr for Key {
    type Err = NoKey;

    fn from_str(text: &str) -> Result<Key, NoKey> {
        let wrong = || NoKey(text.to_owned());
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(wrong());
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).ok_or_else(wrong);
        let mut key = [0; 32];
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        Ok(Key(key))
    }
}

/// What is to be kept.
#[derive(Clone, Copy, Debug)]
pub struct New<'a> {
    /// What it is.
    pub kind: Kind,
    /// What it rests on.
    pub key: Key,
    /// What it is about, for [`Store::latest`](crate::Store::latest) and for people.
    pub about: &'a str,
    /// The document.
    pub bytes: &'a [u8],
}

/// What was kept. Not to be believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// What it is.
    pub kind: Kind,
    /// What it rests on.
    pub key: Key,
    /// What it is about.
    pub about: String,
    /// When it was written.
    pub written: SystemTime,
    /// The document.
    pub bytes: Vec<u8>,
}

/// A document's line in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: Kind,
    /// What it rests on.
    pub key: Key,
    /// What it is about.
    pub about: String,
    /// How many bytes the document has.
    pub size: u64,
    /// When it was written.
    pub written: SystemTime,
    /// When it was last written or given.
    pub used: SystemTime,
}

/// Which documents a list shows: those that fit all of it.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of this kind.
    pub kind: Option<Kind>,
    /// With this text in what they are about.
    pub about: Option<String>,
    /// With a key that begins with these hexadecimal digits.
    pub key: Option<String>,
}

impl Filter {
    pub(crate) fn fits(&self, entry: &Entry) -> bool {
        self.kind.is_none_or(|kind| kind == entry.kind)
            && self.about.as_ref().is_none_or(|text| entry.about.contains(text.as_str()))
            && self.key.as_ref().is_none_or(|digits| {
                entry.key.to_string().starts_with(&digits.to_ascii_lowercase())
            })
    }
}

/// What was removed to save space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// How many documents are gone.
    pub documents: u64,
    /// How many bytes of the file they had.
    pub bytes: u64,
    /// How many bytes of the file are still in use.
    pub left: u64,
}

/// What is wrong in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The file's own structure, as SQLite describes it.
    File(String),
    /// A document whose sum does not fit, or that has no readable kind or key. It is never given,
    /// and removed when it is asked for.
    Document {
        /// Its kind, if that can be read.
        kind: Option<Kind>,
        /// Its key, if that can be read.
        key: Option<Key>,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::File(what) => write!(f, "the file is damaged: {what}"),
            Fault::Document { kind, key } => {
                f.write_str("damaged document")?;
                if let Some(kind) = kind {
                    write!(f, " of kind {kind}")?;
                }
                if let Some(key) = key {
                    write!(f, " with key {key}")?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        let keys = [
            Key::of(&[]),
            Key::of(&[b""]),
            Key::of(&[b"", b""]),
            Key::of(&[b"ab", b"c"]),
            Key::of(&[b"a", b"bc"]),
            Key::of(&[b"abc"]),
        ];
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key));
        }
    }

    #[test]
    fn names_and_digits_are_read_back() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
            assert_eq!(Kind::numbered(kind.number()), Some(kind));
        }
        assert!("proof".parse::<Kind>().is_err_and(|error| error.to_string().contains("lemmas")));
        let key = Key::of(&[b"x"]);
        assert_eq!(key.to_string().parse(), Ok(key));
        assert_eq!(key.to_string().to_uppercase().parse(), Ok(key));
        for text in ["", "12", &"g".repeat(64), &"+1".repeat(32), &"é".repeat(32)] {
            assert!(text.parse::<Key>().is_err(), "{text}");
        }
    }
}
