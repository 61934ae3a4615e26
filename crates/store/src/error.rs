//! What can go wrong, in words for the user, and notices of fresh starts.

use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why a store can't do what it was asked for. Whoever asked can go on without it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder can't be made, or is none.
    #[error("the store's folder {} can't be used: {cause}; name a folder that can be made or written to", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The file or its folder can't be written.
    #[error("the store {} can't be written: {cause}; change the permissions of file and folder, or name another folder", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// What the system or SQLite says.
        cause: String,
    },
    /// There is no space for it.
    #[error("the disk of the store {} is full; make room, or remove documents by 'cairn store prune'", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// Others were writing all the time.
    #[error("the store {} was busy for {:.1} s: other processes are writing to it; try again, or use another folder", path.display(), patience.as_secs_f64())]
    Busy {
        /// The file.
        path: PathBuf,
        /// How long it was waited for.
        patience: Duration,
    },
    /// A document does not fit under the size limit.
    #[error("{size} bytes are too many for the store {}, whose limit is {limit} bytes; nothing was kept", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How many bytes were to be kept.
        size: u64,
        /// How many the store may have.
        limit: u64,
    },
    /// What does not fit can't be renamed.
    #[error("the store {} {unfit}, and can't be renamed: {cause}; remove it, or name another folder", path.display())]
    Stuck {
        /// The file.
        path: PathBuf,
        /// Why it was to be renamed.
        unfit: Unfit,
        /// What the system says.
        cause: std::io::Error,
    },
    /// Reading or writing failed in another way.
    #[error("the store {} can't be used: {cause}; check the disk and the permissions, or name another folder", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        cause: String,
    },
}

/// Why a file is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It can't be read as what it should be.
    #[error("is damaged ({0})")]
    Damaged(String),
    /// Another version of the tool wrote it.
    #[error("has format {found}, and this version reads format {ours} only")]
    Format {
        /// The file's format.
        found: i64,
        /// The one of this version.
        ours: i64,
    },
    /// It is something else.
    #[error("is no store of Cairn ({0})")]
    Foreign(String),
}

impl Unfit {
    /// The word in the name under which such a file is set aside.
    pub(crate) fn word(&self) -> String {
        match self {
            Unfit::Damaged(_) => "damaged".to_owned(),
            Unfit::Format { found, .. } => format!("format-{found}"),
            Unfit::Foreign(_) => "foreign".to_owned(),
        }
    }
}

/// A file was set aside and a fresh one begun.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store {} {unfit}: it was renamed to {}, and a fresh one is begun", path.display(), aside.display())]
pub struct Notice {
    /// The store's file.
    pub path: PathBuf,
    /// What was wrong with the one that was there.
    pub unfit: Unfit,
    /// Where that is now.
    pub aside: PathBuf,
}

/// What an error of SQLite means for us.
pub(crate) enum Trouble {
    /// The file is not what we wrote.
    Damaged(String),
    /// Anything else.
    Other(Error),
}

/// Sorts an error.
pub(crate) fn trouble(path: &Path, patience: Duration, error: rusqlite::Error) -> Trouble {
    let path = path.to_owned();
    let cause = error.to_string();
    // What is read has another type or is no text: that was not written by us.
    let rusqlite::Error::SqliteFailure(code, _) = error else { return Trouble::Damaged(cause) };
    Trouble::Other(match code.code {
        // Our own statements are right and our own rows fit: an unknown table, a broken constraint
        // or a row that is too large (`put` looks before) come from the file.
        ErrorCode::DatabaseCorrupt
        | ErrorCode::NotADatabase
        | ErrorCode::ConstraintViolation
        | ErrorCode::TypeMismatch
        | ErrorCode::TooBig
        | ErrorCode::Unknown => return Trouble::Damaged(cause),
        ErrorCode::SystemIoFailure
            if [rusqlite::ffi::SQLITE_IOERR_SHORT_READ, rusqlite::ffi::SQLITE_IOERR_CORRUPTFS]
                .contains(&code.extended_code) =>
        {
            return Trouble::Damaged(cause);
        }
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::FileLockingProtocolFailed => Error::Busy { path, patience },
        ErrorCode::DiskFull => Error::Full { path },
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Error::ReadOnly { path, cause },
        _ => Error::Failed { path, cause },
    })
}
