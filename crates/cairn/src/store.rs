//! Files that are written as a whole or not at all: beside their places first, and put there when all
//! are complete. What is no ordinary file (a device, a pipe, a link to
//! nothing yet) is written where it is.

use crate::output::print_all;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes files; the error is a message, and no file was changed then, unless it is none of the
/// ordinary ones.
pub fn store(files: &[(PathBuf, Vec<u8>)]) -> Result<(), String> {
    let mut staged = Vec::new();
    for (number, (path, bytes)) in files.iter().enumerate() {
        let new = Staged::write(path, number, bytes).map_err(|error| refused(path, &error))?;
        staged.push((path, bytes, new));
    }
    for (path, bytes, new) in staged {
        let put = match new {
            Some(new) => new.put(),
            None => write_there(path, bytes),
        };
        put.map_err(|error| refused(path, &error))?;
    }
    Ok(())
}

/// Writes what is no ordinary file.
fn write_there(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Opened anew, a file behind it would be written over by what is printed later.
    if path == Path::new("/dev/stdout") {
        print_all(bytes);
        return Ok(());
    }
    let file = OpenOptions::new().write(true).create(true).truncate(true).open(path);
    file.and_then(|mut file| file.write_all(bytes))
}

/// Whether a file can be written, as far as that can be told before there is something to write. The
/// error is a message.
pub fn can_store(path: &Path) -> Result<(), String> {
    match Staged::write(path, 0, &[]) {
        Ok(_) => Ok(()),
        Err(error) => Err(refused(path, &error)),
    }
}

fn refused(path: &Path, error: &io::Error) -> String {
    format!("{}: can't be written: {error}", path.display())
}

/// A complete file beside its place. It vanishes if it is not put there.
struct Staged {
    temporary: PathBuf,
    place: PathBuf,
}

impl Staged {
    /// Writes a file beside its place; none if there is something that is no ordinary file.
    fn write(path: &Path, number: usize, bytes: &[u8]) -> io::Result<Option<Staged>> {
        let (place, permissions) = match path.metadata() {
            Ok(old) if old.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(old) if !old.is_file() || path.starts_with("/dev") => return Ok(None),
            Ok(old) => {
                // A file that must not be written is not replaced either.
                OpenOptions::new().write(true).open(path)?;
                (path.canonicalize()?, Some(old.permissions()))
            }
            Err(_) if path.is_symlink() => return Ok(None),
            Err(_) => (path.to_owned(), None),
        };
        let name = format!(".cairn-{}-{number}.tmp", std::process::id());
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
        let temporary = folder.unwrap_or(Path::new(".")).join(name);
        let file = File::create_new(&temporary)?;
        let staged = Staged { temporary, place };
        fill(file, bytes, permissions)?;
        Ok(Some(staged))
    }

    /// Puts the file in its place.
    fn put(self) -> io::Result<()> {
        std::fs::rename(&self.temporary, &self.place)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // It has been put in its place, or nothing can be done about it.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

/// Fills a new file, down to the disk: some systems say only then that it is full.
fn fill(mut file: File, bytes: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}
