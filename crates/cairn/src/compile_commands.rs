//! Compilation databases, as clang describes them (JSON Compilation Database): how each file of a
//! program is compiled.
//!
//! Paths are relative to the directory of their entry. A file that is compiled several times, for
//! several programs, counts as it is compiled first.

use serde::Deserialize;
use std::path::{Component, Path, PathBuf};
use verify::Flag;

/// How a file is compiled, as the database says.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// A file and its flags.
struct Unit {
    file: PathBuf,
    flags: Vec<Flag>,
}

/// The files of a database, in its order, each once.
pub struct Database {
    units: Vec<Unit>,
}

impl Database {
    /// Reads a database; the error is a message.
    pub fn read(path: &Path) -> Result<Database, String> {
        let name = path.display();
        let text = std::fs::read(path).map_err(|error| format!("{name}: {error}"))?;
        let entries: Vec<Entry> = serde_json::from_slice(&text)
            .map_err(|error| format!("{name}: this is no compilation database: {error}"))?;
        let here = std::path::absolute(path).map_err(|error| format!("{name}: {error}"))?;
        let here = here.parent().unwrap_or(Path::new("/"));
        let mut units: Vec<Unit> = Vec::new();
        for entry in entries {
            let unit = unit(here, entry).map_err(|message| format!("{name}: {message}"))?;
            if !units.iter().any(|earlier| earlier.file == unit.file) {
                units.push(unit);
            }
        }
        Ok(Database { units })
    }

    /// All files, named from the working directory where they are below it.
    pub fn files(&self) -> Vec<PathBuf> {
        let here = std::env::current_dir().unwrap_or_default();
        let short = |unit: &Unit| unit.file.strip_prefix(&here).unwrap_or(&unit.file).to_owned();
        self.units.iter().map(short).collect()
    }

    /// The flags of a file, however it is named.
    pub fn flags(&self, file: &Path) -> Option<&[Flag]> {
        let same = |unit: &&Unit| {
            let absolute = std::path::absolute(file);
            absolute.is_ok_and(|path| plain(path) == unit.file) || is_same(file, &unit.file)
        };
        self.units.iter().find(same).map(|unit| &unit.flags[..])
    }
}

/// What an entry says, with all paths from the root.
fn unit(here: &Path, entry: Entry) -> Result<Unit, String> {
    let Entry { directory, file, arguments, command } = entry;
    let name = file.display();
    let words = match (arguments, command) {
        (Some(arguments), _) => arguments,
        (None, Some(command)) => shlex::split(&command)
            .ok_or_else(|| format!("{name}: a quote of the command has no end: {command}"))?,
        (None, None) => return Err(format!("{name}: neither arguments nor a command")),
    };
    let directory = here.join(directory);
    let mut flags = Flag::all_of(words);
    for flag in &mut flags {
        // A file that is not in the directory is looked for as headers are.
        let searched = matches!(flag, Flag::First(path) if !directory.join(&*path).exists());
        if let Some(path) = flag.path_mut().filter(|_| !searched) {
            *path = plain(directory.join(&*path));
        }
    }
    Ok(Unit { file: plain(directory.join(file)), flags })
}

/// A path without `.` and `..`, if that is still the same file: behind a link, it may not be.
fn plain(path: PathBuf) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(short.pop()),
            part => short.push(part),
        }
    }
    let is_plain = !path.components().any(|part| part == Component::ParentDir);
    if is_plain || is_same(&short, &path) { short } else { path }
}

/// Whether two paths name the same file, which exists.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}
