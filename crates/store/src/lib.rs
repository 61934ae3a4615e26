//! What is kept between runs: documents under the sums of what they rest on.
//!
//! A store is a folder with one SQLite file. It knows nothing of programs or engines: a *document*
//! is bytes of some [`Kind`], found by the [`Key`] of the content that it rests on, or by what it
//! is *about*. **Nothing that a store gives is to be believed**: it may come from another version
//! of the tool, from another user, or from a disk that forgets. It is a candidate, to be checked
//! again by whoever asked.
//!
//! | file | subject |
//! |---|---|
//! | `document` | kinds, keys, documents and their entries in a list |
//! | `error` | what can go wrong, in words for the user, and notices of fresh starts |
//! | `file` | opening: the format, the lock of those who open, setting aside what does not fit |
//! | `rows` | documents as rows: reading, writing, removal of the least recently used |
//! | `store` | the door: every operation, and what is done when the file turns out to be damaged |
//!
//! # What holds
//!
//! * *Several processes at once.* The file is in write-ahead mode where the file system allows it:
//!   readers wait for nobody, writers wait for each other, but no longer than
//!   [`Settings::patience`].
//! * *Durable.* What [`Store::put`] was given is on the disk when it returns. A process that is
//!   killed leaves a whole file.
//! * *Damage.* A row whose sum does not fit is removed and not given. A file that is damaged, or
//!   of another format, is renamed and a fresh one begun; [`Store::take_notices`] says so.
//! * *Size.* Pages in use never exceed [`Settings::limit`]; what was used least recently goes
//!   first. That a document was read is written down at the next writing, or when the store is
//!   closed, so that reading does not wait for writers.
//!
//! A store must not be used in a process that was forked after it was opened (SQLite's rule).
//! Two machines that share a folder over a network are not supported: write-ahead mode needs
//! memory that all processes share.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

mod document;
mod error;
mod file;
mod rows;
mod store;

pub use document::{Document, Entry, Fault, Filter, Key, Kind, New, NoKey, NoKind, Pruned};
pub use error::{Error, Notice, Unfit};
pub use store::{FILE, Settings, Store};
