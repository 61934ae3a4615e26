//! The door: every operation, and what is done when the file turns out to be damaged.
//!
//! An operation that meets damage sets the file aside, begins a fresh one and is done on that: a
//! document is then not found, and a new one is kept. The notice of it waits for
//! [`Store::take_notices`].

use crate::document::{Document, Entry, Fault, Filter, Key, Kind, New, Pruned};
use crate::error::{Error, Notice, Trouble, trouble};
use crate::file::{self, File};
use crate::rows::{self, Found};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The name of the file in a store's folder.
pub const FILE: &str = "cairn.sqlite";

/// How a store behaves.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many bytes the file may have.
    pub limit: u64,
    /// How long is waited for others who write.
    pub patience: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { limit: 512 << 20, patience: Duration::from_secs(5) }
    }
}

/// What is kept in a folder. Threads may share it.
pub struct Store {
    folder: PathBuf,
    path: PathBuf,
    settings: Settings,
    state: Mutex<State>,
}

struct State {
    file: File,
    /// Rows that were given and are not yet marked as used.
    touched: Vec<i64>,
    notices: Vec<Notice>,
}

impl Store {
    /// Opens a folder's store or begins one; the folder is made if need be.
    ///
    /// # Errors
    ///
    /// If the folder can't be made or written, or others hold the store for too long.
    pub fn open(folder: &Path, settings: Settings) -> Result<Store, Error> {
        let mut notices = Vec::new();
        let file = file::open(folder, &settings, &mut notices)?;
        let state = Mutex::new(State { file, touched: Vec::new(), notices });
        Ok(Store { folder: folder.to_owned(), path: folder.join(FILE), settings, state })
    }

    /// The store's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was set aside since this was last asked, for the user.
    #[must_use]
    pub fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut self.state().notices)
    }

    /// The document under a key.
    ///
    /// # Errors
    ///
    /// If the file can't be read.
    pub fn get(&self, kind: Kind, key: &Key) -> Result<Option<Document>, Error> {
        let mut state = self.state();
        let found = self.run(&mut state, |connection| rows::by_key(connection, kind, key))?;
        Ok(self.give(&mut state, found).pop())
    }

    /// The documents about something that were written last, newest first.
    ///
    /// # Errors
    ///
    /// If the file can't be read.
    pub fn latest(&self, kind: Kind, about: &str, limit: usize) -> Result<Vec<Document>, Error> {
        let mut state = self.state();
        let found =
            self.run(&mut state, |connection| rows::latest(connection, kind, about, limit))?;
        Ok(self.give(&mut state, found))
    }

    /// Keeps a document, in place of the one that has its kind and key. It is on the disk when
    /// this returns. What was used least recently goes if the size limit asks for it.
    ///
    /// # Errors
    ///
    /// If the file can't be written, others write for too long, or the document is too large.
    /// Then nothing is changed.
    pub fn put(&self, kind: Kind, key: &Key, about: &str, bytes: &[u8]) -> Result<(), Error> {
        self.put_all(&[New { kind, key: *key, about, bytes }])
    }

    /// Keeps several documents, all or none; much faster than one by one.
    ///
    /// # Errors
    ///
    /// As [`Store::put`].
    pub fn put_all(&self, documents: &[New<'_>]) -> Result<(), Error> {
        let limit = self.settings.limit;
        let mut state = self.state();
        // Another process that sets the file aside in this moment has what is written here in a
        // file that nobody reads: then it is written again. More often than twice is no accident.
        for _ in 0..3 {
            let fits = self.change(&mut state, |transaction| {
                let fits = rows::write(&transaction, documents, limit)?;
                if fits {
                    transaction.commit()?;
                }
                Ok(fits)
            })?;
            if !fits {
                let size = documents.iter().map(|new| new.bytes.len() as u64).sum();
                let limit = limit.min(rows::LARGEST as u64);
                return Err(Error::TooLarge { path: self.path.clone(), size, limit });
            }
            if !state.file.moved() {
                return Ok(());
            }
        }
        let cause = "it is renamed or removed again and again".to_owned();
        Err(Error::Failed { path: self.path.clone(), cause })
    }

    /// The documents that fit, most recently used first.
    ///
    /// # Errors
    ///
    /// If the file can't be read.
    pub fn list(&self, filter: &Filter) -> Result<Vec<Entry>, Error> {
        self.run(&mut self.state(), |connection| rows::list(connection, filter))
    }

    /// How many bytes of the file are in use.
    ///
    /// # Errors
    ///
    /// If the file can't be read.
    pub fn size(&self) -> Result<u64, Error> {
        self.run(&mut self.state(), |connection| rows::size(connection))
    }

    /// Removes what was used least recently until at most so many bytes of the file are in use, or
    /// no documents are left (some pages remain in any case), and gives the rest back to the disk
    /// if nobody is reading.
    ///
    /// # Errors
    ///
    /// If the file can't be written, or others write for too long.
    pub fn prune(&self, to_bytes: u64) -> Result<Pruned, Error> {
        let mut state = self.state();
        let pruned = self.change(&mut state, |transaction| {
            let pruned = rows::shrink(&transaction, to_bytes)?;
            transaction.commit()?;
            Ok(pruned)
        })?;
        // The documents are gone already: if there are readers, or if the disk has no room for the
        // moves, the file becomes smaller some other time.
        let _ = rows::compact(&state.file.connection);
        let left = self.run(&mut state, |connection| rows::size(connection))?;
        Ok(Pruned { left, ..pruned })
    }

    /// Everything that is wrong: the file's structure and the sum of every document. Nothing is
    /// changed. A file that could not even be opened was set aside before; see
    /// [`Store::take_notices`].
    ///
    /// # Errors
    ///
    /// If the file can't be read.
    pub fn verify(&self) -> Result<Vec<Fault>, Error> {
        let mut state = self.state();
        self.follow(&mut state)?;
        rows::faults(&state.file.connection).or_else(|error| match self.trouble(error) {
            Trouble::Damaged(cause) => Ok(vec![Fault::File(cause)]),
            Trouble::Other(error) => Err(error),
        })
    }

    /// Sets the file aside and begins a fresh one, for who will not live with what
    /// [`Store::verify`] found; [`Store::take_notices`] says where it is then.
    ///
    /// # Errors
    ///
    /// If the file can't be renamed, or no other one be made.
    pub fn set_aside(&self, cause: &str) -> Result<(), Error> {
        let mut state = self.state();
        self.follow(&mut state)?;
        self.begin_afresh(&mut state, cause.to_owned())
    }

    /// The documents that were found; rows that do not fit go.
    fn give(&self, state: &mut State, found: Found) -> Vec<Document> {
        if !found.misfits.is_empty() {
            // If that fails, they are met again.
            let patience = self.settings.patience;
            let _ = quietly(&mut state.file.connection, patience, |connection| {
                rows::remove_misfits(connection, &found.misfits)
            });
        }
        let (ids, documents): (Vec<_>, Vec<_>) = found.documents.into_iter().unzip();
        // The newest is to be the most recently used one.
        state.touched.extend(ids.into_iter().rev());
        documents
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn trouble(&self, error: rusqlite::Error) -> Trouble {
        trouble(&self.path, self.settings.patience, error)
    }

    /// Opens the file that is now there, if it is another one.
    fn follow(&self, state: &mut State) -> Result<(), Error> {
        if state.file.moved() {
            state.file = file::open(&self.folder, &self.settings, &mut state.notices)?;
            state.touched.clear();
        }
        Ok(())
    }

    fn begin_afresh(&self, state: &mut State, cause: String) -> Result<(), Error> {
        let State { file, notices, touched } = state;
        *file = file::begin_afresh(&self.folder, &self.settings, file, cause, notices)?;
        touched.clear();
        Ok(())
    }

    /// Does some work as one change, after what was used is written down.
    fn change<T>(
        &self,
        state: &mut State,
        mut work: impl FnMut(Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let touched = std::mem::take(&mut state.touched);
        let result = self.run(state, |connection| {
            let transaction = begin(connection)?;
            rows::touch(&transaction, &touched)?;
            work(transaction)
        });
        if result.is_err() {
            state.touched = touched;
        }
        result
    }

    /// Does some work; if that meets damage, once more on a fresh file.
    fn run<T>(
        &self,
        state: &mut State,
        mut work: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        self.follow(state)?;
        let cause = match work(&mut state.file.connection) {
            Ok(result) => return Ok(result),
            Err(error) => match self.trouble(error) {
                Trouble::Damaged(cause) => cause,
                Trouble::Other(error) => return Err(error),
            },
        };
        self.begin_afresh(state, cause)?;
        work(&mut state.file.connection).map_err(|error| match self.trouble(error) {
            Trouble::Damaged(cause) => Error::Failed { path: self.path.clone(), cause },
            Trouble::Other(error) => error,
        })
    }
}

impl Drop for Store {
    /// Marks what was given as used, if nobody else is writing.
    fn drop(&mut self) {
        let mut state = self.state();
        let touched = std::mem::take(&mut state.touched);
        if !touched.is_empty() && !state.file.moved() {
            let patience = self.settings.patience;
            let _ = quietly(&mut state.file.connection, patience, |connection| {
                rows::touch(connection, &touched)
            });
        }
    }
}

fn begin(connection: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate)
}

/// A change that nobody waits for: it is given up if others are writing, and the disk may have it
/// later.
fn quietly(
    connection: &mut Connection,
    patience: Duration,
    change: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_millis(20))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let changed = begin(connection).and_then(|transaction| {
        change(&transaction)?;
        transaction.commit()
    });
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.busy_timeout(patience)?;
    changed
}
