//! Documents as rows: reading, writing, removal of the least recently used.
//!
//! The functions work within one connection and know nothing of what is done when they fail. A row
//! carries the sum of all that does not change in it; values of unexpected types are no errors but
//! rows that do not fit.
//!
//! *Size* is pages in use times their size: what the file would have without free pages. Documents
//! are removed before a new one is written, so that the file itself does not grow beyond the limit.

use crate::document::{Document, Entry, Fault, Filter, Key, Kind, New, Pruned};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The columns that [`Stored::read`] expects.
const COLUMNS: &str = "id, kind, key, about, written, sum, bytes";

/// A row as it was found.
enum Stored {
    Fits(i64, Document),
    Misfits(i64, Option<Kind>, Option<Key>),
}

impl Stored {
    fn read(row: &Row<'_>) -> rusqlite::Result<Stored> {
        let id = row.get(0)?;
        let kind = integer(row, 1)?.and_then(Kind::numbered);
        let key = bytes(row, 2)?.and_then(Key::from_bytes);
        let about = text(row, 3)?;
        let (written, sum, content) = (integer(row, 4)?, bytes(row, 5)?, bytes(row, 6)?);
        let document = (|| {
            let (kind, key, about, written) = (kind?, key?, about?, written?);
            let (sum, content) = (sum?, content?);
            (sum_of(kind, &key, about, written, content).0.as_slice() == sum).then(|| Document {
                kind,
                key,
                about: about.to_owned(),
                written: time(written),
                bytes: content.to_vec(),
            })
        })();
        Ok(match document {
            Some(document) => Stored::Fits(id, document),
            None => Stored::Misfits(id, kind, key),
        })
    }
}

/// How many bytes a row may have; SQLite takes some more.
pub(crate) const LARGEST: usize = 900_000_000;

/// What a row must carry.
fn sum_of(kind: Kind, key: &Key, about: &str, written: i64, content: &[u8]) -> Key {
    let (kind, written) = (kind.number().to_le_bytes(), written.to_le_bytes());
    Key::of(&[&kind, &key.0, about.as_bytes(), &written, content])
}

fn integer(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<i64>> {
    Ok(row.get_ref(column)?.as_i64().ok())
}

fn bytes<'r>(row: &'r Row<'_>, column: usize) -> rusqlite::Result<Option<&'r [u8]>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Blob(bytes) => Some(bytes),
        _ => None,
    })
}

fn text<'r>(row: &'r Row<'_>, column: usize) -> rusqlite::Result<Option<&'r str>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok(),
        _ => None,
    })
}

fn time(microseconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_micros(u64::try_from(microseconds).unwrap_or(0))
}

/// Documents that were asked for, with their rows, and rows that did not fit.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) documents: Vec<(i64, Document)>,
    pub(crate) misfits: Vec<i64>,
}

impl Found {
    fn add(&mut self, stored: Stored) {
        match stored {
            Stored::Fits(id, document) => self.documents.push((id, document)),
            Stored::Misfits(id, _, _) => self.misfits.push(id),
        }
    }
}

/// The document under a key.
pub(crate) fn by_key(connection: &Connection, kind: Kind, key: &Key) -> rusqlite::Result<Found> {
    let question = format!("SELECT {COLUMNS} FROM document WHERE kind = ?1 AND key = ?2");
    let row = connection.query_row(&question, params![kind.number(), key.0], Stored::read);
    let mut found = Found::default();
    row.optional()?.into_iter().for_each(|stored| found.add(stored));
    Ok(found)
}

/// The documents about something that were written last, newest first.
pub(crate) fn latest(
    connection: &Connection,
    kind: Kind,
    about: &str,
    limit: usize,
) -> rusqlite::Result<Found> {
    let mut question = connection.prepare(&format!(
        "SELECT {COLUMNS} FROM document WHERE kind = ?1 AND about = ?2
         ORDER BY written DESC LIMIT ?3"
    ))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut found = Found::default();
    for stored in question.query_map(params![kind.number(), about, limit], Stored::read)? {
        found.add(stored?);
    }
    Ok(found)
}

/// Removes rows.
pub(crate) fn remove(connection: &Connection, ids: &[i64]) -> rusqlite::Result<()> {
    let mut removal = connection.prepare("DELETE FROM document WHERE id = ?1")?;
    ids.iter().try_for_each(|id| removal.execute([id]).map(|_| ()))
}

/// Removes rows that do not fit, if that is still so: another process may have put something else
/// there.
pub(crate) fn remove_misfits(connection: &Connection, ids: &[i64]) -> rusqlite::Result<()> {
    let question = format!("SELECT {COLUMNS} FROM document WHERE id = ?1");
    for id in ids {
        let stored = connection.query_row(&question, [id], Stored::read).optional()?;
        if matches!(stored, Some(Stored::Misfits(..))) {
            remove(connection, &[*id])?;
        }
    }
    Ok(())
}

/// The next time: that of the clock, unless it is behind what was written.
fn next_time(connection: &Connection) -> rusqlite::Result<i64> {
    let last = connection.query_row("SELECT max(used) FROM document", [], |row| integer(row, 0))?;
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    let clock = i64::try_from(clock).unwrap_or(i64::MAX);
    Ok(last.map_or(clock, |last| clock.max(last.saturating_add(1))))
}

/// Writes down that rows were used, in this order.
pub(crate) fn touch(connection: &Connection, ids: &[i64]) -> rusqlite::Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let mut now = next_time(connection)?;
    let mut update = connection.prepare("UPDATE document SET used = ?1 WHERE id = ?2")?;
    for id in ids {
        update.execute(params![now, id])?;
        now = now.saturating_add(1);
    }
    Ok(())
}

/// Writes documents in place of those that have their keys. Returns whether they fit under the
/// limit; if not, the transaction is to be given up.
pub(crate) fn write(
    connection: &Connection,
    documents: &[New<'_>],
    limit: u64,
) -> rusqlite::Result<bool> {
    let need = space(documents);
    if need > limit || documents.iter().any(|new| new.bytes.len() + new.about.len() > LARGEST) {
        return Ok(false);
    }
    let mut removal = connection.prepare("DELETE FROM document WHERE kind = ?1 AND key = ?2")?;
    for new in documents {
        removal.execute(params![new.kind.number(), new.key.0])?;
    }
    // Whoever must remove does so for the next documents, too.
    if size(connection)?.saturating_add(need) > limit {
        shrink(connection, (limit - limit / 16).saturating_sub(need))?;
    }
    let mut insertion = connection.prepare(
        "INSERT INTO document(kind, key, about, written, used, sum, bytes)
         VALUES(?1, ?2, ?3, ?4, ?4, ?5, ?6)
         ON CONFLICT(kind, key) DO UPDATE SET about = excluded.about, written = excluded.written,
         used = excluded.used, sum = excluded.sum, bytes = excluded.bytes",
    )?;
    let mut now = next_time(connection)?;
    for new in documents {
        let sum = sum_of(new.kind, &new.key, new.about, now, new.bytes);
        let (kind, key) = (new.kind.number(), new.key.0);
        insertion.execute(params![kind, key, new.about, now, sum.0, new.bytes])?;
        now = now.saturating_add(1);
    }
    Ok(size(connection)? <= limit)
}

/// How many bytes of the file documents will need at most.
fn space(documents: &[New<'_>]) -> u64 {
    const PAGE: u64 = 4096;
    let one = |new: &New<'_>| {
        // The row without its content, and its entries in the indices: pages that are filled in
        // any order may be half empty. What it is about is in the row and in an index.
        let row = 2 * (ROW + 2 * new.about.len() as u64);
        // Pages that continue a row lose four bytes each.
        let content = match new.bytes.len() as u64 {
            short if short < PAGE / 4 => 2 * short,
            long => (long.div_ceil(PAGE - 4) + 1) * PAGE,
        };
        row + content
    };
    let bytes = documents.iter().map(one).fold(0, u64::saturating_add);
    // Pages that say what others are for, and new ones on the way to the rows.
    bytes.saturating_add(bytes / 256).saturating_add(16 * PAGE)
}

/// The bytes of pages in use.
pub(crate) fn size(connection: &Connection) -> rusqlite::Result<u64> {
    let number =
        |name| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0)).map(u64::from);
    let pages = number("page_count")?.saturating_sub(number("freelist_count")?);
    Ok(pages.saturating_mul(number("page_size")?))
}

/// Removes what was used least recently until at most so many bytes are in use.
pub(crate) fn shrink(connection: &Connection, target: u64) -> rusqlite::Result<Pruned> {
    let before = size(connection)?;
    let (mut left, mut documents) = (before, 0);
    while left > target {
        let oldest = oldest(connection, left - target)?;
        if oldest.is_empty() {
            break;
        }
        remove(connection, &oldest)?;
        documents += oldest.len() as u64;
        left = size(connection)?;
    }
    Ok(Pruned { documents, bytes: before.saturating_sub(left), left })
}

/// The rows that were used least recently, as many as have so many bytes together.
fn oldest(connection: &Connection, bytes: u64) -> rusqlite::Result<Vec<i64>> {
    let mut question =
        connection.prepare("SELECT id, length(bytes) FROM document ORDER BY used, id")?;
    let mut rows = question.query([])?;
    let (mut ids, mut sum) = (Vec::new(), 0u64);
    while sum < bytes {
        let Some(row) = rows.next()? else { break };
        ids.push(row.get(0)?);
        let length = integer(row, 1)?.and_then(|length| u64::try_from(length).ok());
        sum = sum.saturating_add(length.unwrap_or(0)).saturating_add(ROW);
    }
    Ok(ids)
}

/// About what a row has beside its content, with its entries in the indices.
const ROW: u64 = 200;

/// Gives free pages back to the disk.
pub(crate) fn compact(connection: &Connection) -> rusqlite::Result<()> {
    // One step a page: these statements are done when they have no more rows.
    for statement in ["PRAGMA incremental_vacuum", "PRAGMA wal_checkpoint(TRUNCATE)"] {
        let mut statement = connection.prepare(statement)?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
    }
    Ok(())
}

/// The entries that fit, most recently used first.
pub(crate) fn list(connection: &Connection, filter: &Filter) -> rusqlite::Result<Vec<Entry>> {
    let mut question = connection.prepare(
        "SELECT kind, key, about, length(bytes), written, used FROM document
         ORDER BY used DESC, id DESC",
    )?;
    let entry = |row: &Row<'_>| {
        let kind = integer(row, 0)?.and_then(Kind::numbered);
        let key = bytes(row, 1)?.and_then(Key::from_bytes);
        let about = text(row, 2)?.map(str::to_owned);
        let size = integer(row, 3)?.and_then(|size| u64::try_from(size).ok());
        let (written, used) = (integer(row, 4)?.map(time), integer(row, 5)?.map(time));
        Ok((|| {
            let (kind, key, about) = (kind?, key?, about?);
            Some(Entry { kind, key, about, size: size?, written: written?, used: used? })
        })())
    };
    let mut entries = Vec::new();
    for found in question.query_map([], entry)? {
        // What can't be read is left to `verify`.
        entries.extend(found?.filter(|entry| filter.fits(entry)));
    }
    Ok(entries)
}

/// Everything that is wrong: SQLite's own check, and the sum of every row.
pub(crate) fn faults(connection: &Connection) -> rusqlite::Result<Vec<Fault>> {
    let mut faults = Vec::new();
    let mut check = connection.prepare("PRAGMA integrity_check")?;
    for line in check.query_map([], |row| row.get::<_, String>(0))? {
        let line = line?;
        if line != "ok" {
            faults.push(Fault::File(line));
        }
    }
    let mut all = connection.prepare(&format!("SELECT {COLUMNS} FROM document ORDER BY id"))?;
    for stored in all.query_map([], Stored::read)? {
        if let Stored::Misfits(_, kind, key) = stored? {
            faults.push(Fault::Document { kind, key });
        }
    }
    Ok(faults)
}
