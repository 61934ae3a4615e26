//! Opening: the format, the lock of those who open, setting aside what does not fit.
//!
//! Whoever opens holds the lock of `cairn.lock` while it looks at the file, makes its tables or
//! renames it: without it, one process would set aside what another has just begun afresh. The
//! kernel releases the lock when a process is killed. A process that has a file open that another
//! one renamed sees that by the file's identity ([`File::moved`]) and opens the new one.
//!
//! Only what is cheap is looked at here: the marks in the header and the texts of the tables. The
//! rest of a damaged file shows when it is read.

use crate::error::{Error, Notice, Trouble, Unfit, trouble};
use crate::store::{FILE, Settings};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use rustix::fs::{Access, FlockOperation, access, flock};
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The format of the tables and of what the sums are made from; `PRAGMA user_version`.
const FORMAT: i64 = 1;

/// The mark of our files: "Crn1"; `PRAGMA application_id`.
const APPLICATION: i64 = 0x4372_6e31;

/// The tables and indices by name, as SQLite keeps their texts. `bytes` is last, so that the other
/// columns are read without it. `written` and `used` are microseconds since 1970, but each new one
/// is larger than all before: they are an order, too.
const TABLES: [(&str, &str); 4] = [
    ("about", "CREATE INDEX about ON document(kind, about, written)"),
    (
        "document",
        "CREATE TABLE document(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, key BLOB NOT NULL, \
         about TEXT NOT NULL, written INTEGER NOT NULL, used INTEGER NOT NULL, sum BLOB NOT NULL, \
         bytes BLOB NOT NULL) STRICT",
    ),
    ("key", "CREATE UNIQUE INDEX key ON document(kind, key)"),
    ("used", "CREATE INDEX used ON document(used)"),
];

/// An open file of the right format.
pub(crate) struct File {
    pub(crate) connection: Connection,
    path: PathBuf,
    identity: Option<(u64, u64)>,
}

impl File {
    /// Whether another file, or none, is now where this one was opened.
    pub(crate) fn moved(&self) -> bool {
        self.identity.is_none() || identity(&self.path) != self.identity
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

/// The lock of those who open; released when dropped.
struct Lock {
    _file: std::fs::File,
}

impl Lock {
    fn take(folder: &Path, patience: Duration) -> Result<Lock, Error> {
        let path = folder.join("cairn.lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| match error.kind() {
            ErrorKind::StorageFull => Error::Full { path: folder.join(FILE) },
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                Error::ReadOnly { path: folder.join(FILE), cause: error.to_string() }
            }
            _ => Error::Folder { folder: folder.to_owned(), cause: error },
        })?;
        let begun = Instant::now();
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => {}
                // A file system without such locks: SQLite's own are all there is.
                Err(_) => return Ok(Lock { _file: file }),
            }
            if begun.elapsed() >= patience {
                return Err(Error::Busy { path: folder.join(FILE), patience });
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Opens the folder's file or makes one.
pub(crate) fn open(
    folder: &Path,
    settings: &Settings,
    notices: &mut Vec<Notice>,
) -> Result<File, Error> {
    std::fs::create_dir_all(folder)
        .map_err(|cause| Error::Folder { folder: folder.to_owned(), cause })?;
    let _lock = Lock::take(folder, settings.patience)?;
    open_locked(folder, settings, notices)
}

/// Sets aside what was found to be damaged, unless somebody else did, and opens what is then there.
pub(crate) fn begin_afresh(
    folder: &Path,
    settings: &Settings,
    damaged: &File,
    cause: String,
    notices: &mut Vec<Notice>,
) -> Result<File, Error> {
    let _lock = Lock::take(folder, settings.patience)?;
    if !damaged.moved() {
        notices.push(set_aside(folder, Unfit::Damaged(cause))?);
    }
    open_locked(folder, settings, notices)
}

fn open_locked(
    folder: &Path,
    settings: &Settings,
    notices: &mut Vec<Notice>,
) -> Result<File, Error> {
    match try_open(folder, settings) {
        Ok(file) => Ok(file),
        Err(Failure::Error(error)) => Err(error),
        Err(Failure::Unfit(unfit)) => {
            notices.push(set_aside(folder, unfit)?);
            try_open(folder, settings).map_err(|failure| match failure {
                Failure::Error(error) => error,
                Failure::Unfit(unfit) => {
                    Error::Failed { path: folder.join(FILE), cause: format!("it {unfit}") }
                }
            })
        }
    }
}

/// Why a file was not opened.
enum Failure {
    Unfit(Unfit),
    Error(Error),
}

fn try_open(folder: &Path, settings: &Settings) -> Result<File, Failure> {
    let path = folder.join(FILE);
    // A dangling link is no file either, but SQLite makes one where it points to.
    if std::fs::metadata(&path).is_ok_and(|data| !data.is_file()) {
        return Err(Failure::Unfit(Unfit::Foreign("it is no file".to_owned())));
    }
    let sorted = |error| match trouble(&path, settings.patience, error) {
        Trouble::Damaged(cause) => Failure::Unfit(Unfit::Damaged(cause)),
        Trouble::Other(error) => Failure::Error(error),
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(&path, flags).map_err(sorted)?;
    configure(&connection, settings).map_err(sorted)?;
    let marks = Marks::read(&connection).map_err(sorted)?;
    if connection.is_readonly("main").map_err(sorted)? {
        return Err(match access(&path, Access::WRITE_OK) {
            // The header says that no version of SQLite that we know may write.
            Ok(()) => Failure::Unfit(Unfit::Damaged("its header has unknown marks".to_owned())),
            Err(cause) => {
                Failure::Error(Error::ReadOnly { path: path.clone(), cause: cause.to_string() })
            }
        });
    }
    if !marks.blank() {
        marks.fit().map_err(Failure::Unfit)?;
    } else {
        // Pages that are freed can be given back to the disk one by one.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL").map_err(sorted)?;
    }
    write_ahead(&connection).map_err(sorted)?;
    if marks.blank() {
        make_tables(&mut connection).map_err(sorted)?;
    }
    Ok(File { connection, identity: identity(&path), path })
}

/// What holds for every connection.
fn configure(connection: &Connection, settings: &Settings) -> rusqlite::Result<()> {
    connection.busy_timeout(settings.patience)?;
    // The file may be anybody's: nothing in it is run, and cells are looked at before use.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.execute_batch(
        "PRAGMA cell_size_check = ON;
         PRAGMA temp_store = MEMORY;
         PRAGMA synchronous = FULL;
         PRAGMA journal_size_limit = 4194304;",
    )
}

/// Write-ahead mode where it can be had; every other mode is as right, but readers wait.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let mode = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
    match mode {
        Err(rusqlite::Error::SqliteFailure(error, _))
            if error.code == rusqlite::ErrorCode::DatabaseBusy =>
        {
            Ok(())
        }
        other => other,
    }
}

/// What a file says that it is.
struct Marks {
    application: i64,
    format: i64,
    tables: Vec<(String, String)>,
}

impl Marks {
    fn read(connection: &Connection) -> rusqlite::Result<Marks> {
        let number = |name| connection.pragma_query_value(None, name, |row| row.get(0));
        let mut all = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")?;
        let pair = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        Ok(Marks {
            tables: all.query_map([], pair)?.collect::<rusqlite::Result<_>>()?,
            application: number("application_id")?,
            format: number("user_version")?,
        })
    }

    /// Nothing was written yet, or whoever began was killed.
    fn blank(&self) -> bool {
        self.application == 0 && self.format == 0 && self.tables.is_empty()
    }

    fn fit(&self) -> Result<(), Unfit> {
        if self.application != APPLICATION {
            return Err(Unfit::Foreign("it is another program's database".to_owned()));
        }
        if self.format != FORMAT {
            return Err(Unfit::Format { found: self.format, ours: FORMAT });
        }
        let ours = TABLES.iter().map(|&(name, text)| (name, text));
        if !self.tables.iter().map(|(name, text)| (name.as_str(), text.as_str())).eq(ours) {
            return Err(Unfit::Damaged("its tables are others".to_owned()));
        }
        Ok(())
    }
}

fn make_tables(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // The table comes before its indices.
    let (indices, tables): (Vec<_>, Vec<_>) =
        TABLES.iter().partition(|(_, text)| text.contains(" INDEX "));
    for (_, text) in tables.iter().chain(&indices) {
        transaction.execute_batch(text)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()
}

/// Renames the file, and the files beside it first: a write-ahead file without its database is
/// nothing, but one that lies beside another database would be read into that.
fn set_aside(folder: &Path, unfit: Unfit) -> Result<Notice, Error> {
    let path = folder.join(FILE);
    let aside = free_name(folder, &unfit.word());
    for ending in ["-wal", "-shm", "-journal", ""] {
        let with = |base: &Path| {
            let mut name = base.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        match std::fs::rename(with(&path), with(&aside)) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => {
                return Err(Error::Stuck { path, unfit, cause });
            }
            _ => {}
        }
    }
    Ok(Notice { path, unfit, aside })
}

/// The first name that nothing has: `cairn-damaged.sqlite`, `cairn-damaged-2.sqlite`, ….
fn free_name(folder: &Path, word: &str) -> PathBuf {
    let free = |path: &PathBuf| std::fs::symlink_metadata(path).is_err();
    let first = folder.join(format!("cairn-{word}.sqlite"));
    if free(&first) {
        return first;
    }
    let mut names = (2u64..).map(|number| folder.join(format!("cairn-{word}-{number}.sqlite")));
    names.find(free).expect("there are fewer files than numbers")
}
