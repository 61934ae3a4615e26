//! What the arguments of `cairn diff` name: a file, a folder with all its C files, or either of them in
//! a revision of a git repository, as `REV:path`.
//!
//! Git is asked by its own program. Files of a revision are written to a folder of their own, with
//! all headers of that revision beside them, so that they are preprocessed as they were; it is
//! removed when the process ends ([`clean`]).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The endings of what is written of a revision: sources, and what they include.
const WRITTEN: [&str; 6] = ["c", "h", "i", "inc", "def", "ivl"];
/// How many files a folder may have.
const MAX_FILES: usize = 10_000;

/// Folders that are removed in the end.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// A version: as it was named, and its files.
#[derive(Clone, Debug)]
pub struct Version {
    /// The name.
    pub name: String,
    /// The files.
    pub files: Vec<PathBuf>,
    /// Whether they are a copy, which is removed in the end.
    pub is_copy: bool,
}

impl Version {
    /// What an argument names; the error is a message.
    pub fn named(argument: &Path) -> Result<Version, String> {
        let name = argument.display().to_string();
        if !argument.exists()
            && let Some((revision, path)) = name.split_once(':')
            && !revision.is_empty()
        {
            let repository = Repository::around(Path::new("."))
                .ok_or_else(|| format!("{name}: there is no git repository here"))?;
            return repository.version(revision, path);
        }
        Version::at(argument, name)
    }

    /// Both versions of a path: in a revision, and in the working tree.
    pub fn since(revision: &str, path: &Path) -> Result<[Version; 2], String> {
        let name = path.display().to_string();
        let new = Version::at(path, name.clone())?;
        let folder = if path.is_dir() { Some(path) } else { path.parent() };
        let folder = folder.filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let repository = Repository::around(folder)
            .ok_or_else(|| format!("{name}: it is not in a git repository"))?;
        let whole = std::fs::canonicalize(path).map_err(|error| format!("{name}: {error}"))?;
        let inside = whole
            .strip_prefix(&repository.top)
            .map_err(|_| format!("{name}: it is not in the repository of its folder"))?;
        Ok([repository.version(revision, &inside.display().to_string())?, new])
    }

    /// What is at a path: a file, or a folder.
    fn at(path: &Path, name: String) -> Result<Version, String> {
        if !path.is_dir() {
            return Ok(Version { name, files: vec![path.to_owned()], is_copy: false });
        }
        let mut files = Vec::new();
        let mut folders = vec![path.to_owned()];
        while let Some(folder) = folders.pop() {
            let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
            for entry in std::fs::read_dir(&folder).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                // What a link leads to is not looked at: it may lead back.
                let kind = entry.file_type().map_err(failed)?;
                if kind.is_dir() && entry.file_name() != OsStr::new(".git") {
                    folders.push(entry.path());
                } else if kind.is_file() && entry.path().extension() == Some(OsStr::new("c")) {
                    files.push(entry.path());
                }
            }
            if files.len() > MAX_FILES {
                return Err(format!("{name}: it has more than {MAX_FILES} C files"));
            }
        }
        files.sort_unstable();
        match files.is_empty() {
            true => Err(format!("{name}: there is no C file in this folder")),
            false => Ok(Version { name, files, is_copy: false }),
        }
    }
}

/// A git repository.
struct Repository {
    top: PathBuf,
    /// Where relative paths begin, below the top.
    here: String,
}

impl Repository {
    /// The repository that a folder is in.
    fn around(folder: &Path) -> Option<Repository> {
        let line = |what| git(folder, &["rev-parse", what]).map(|text| text.trim_end().to_owned());
        let (top, here) = (line("--show-toplevel")?, line("--show-prefix")?);
        Some(Repository { top: std::fs::canonicalize(top).ok()?, here })
    }

    /// A path in a revision.
    fn version(&self, revision: &str, path: &str) -> Result<Version, String> {
        let name = format!("{revision}:{path}");
        let commit = format!("{revision}^{{commit}}");
        let commit =
            git(&self.top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])
                .ok_or_else(|| format!("{name}: there is no revision '{revision}'"))?;
        let commit = commit.trim_end();
        let path = match path.strip_prefix("./") {
            Some(rest) => format!("{}{rest}", self.here),
            None => path.to_owned(),
        };
        let object = format!("{commit}:{path}");
        if git(&self.top, &["cat-file", "-e", &object]).is_none() {
            return Err(format!("{name}: there is no such path in this revision"));
        }
        let folder = self.written(commit).ok_or_else(|| {
            format!("{name}: the files of this revision can't be written to a folder")
        })?;
        let files = Version::at(&folder.join(path), name.clone())?.files;
        Ok(Version { name, files, is_copy: true })
    }

    /// A folder with the sources and headers of a commit.
    fn written(&self, commit: &str) -> Option<PathBuf> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let own = format!("cairn-{}-{number}", std::process::id());
        let own = std::env::temp_dir().join(own);
        std::fs::create_dir(&own).ok()?;
        FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).push(own.clone());
        let own = std::fs::canonicalize(own).ok()?;
        let (index, folder) = (own.join("index"), own.join(&commit[..commit.len().min(10)]));
        let listed =
            git(&self.top, &["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit])?;
        let wanted = listed.split('\0').filter(|name| {
            let ending = Path::new(name).extension().and_then(OsStr::to_str);
            ending.is_some_and(|ending| WRITTEN.contains(&ending))
        });
        let wanted: String = wanted.map(|name| format!("{name}\0")).collect();
        // An index of its own: that of the repository stays as it is.
        let of_index = |arguments: &[&str]| {
            let mut command = command(&self.top, arguments);
            command.env("GIT_INDEX_FILE", &index);
            command
        };
        let read = of_index(&["read-tree", commit]).status().ok()?;
        let prefix = format!("--prefix={}/", folder.display());
        let mut checkout = of_index(&["checkout-index", "-z", "--stdin", &prefix]);
        let mut checkout = checkout.stdin(Stdio::piped()).spawn().ok()?;
        let given = checkout
            .stdin
            .take()
            .map(|mut input| std::io::Write::write_all(&mut input, wanted.as_bytes()));
        let done = checkout.wait().ok()?;
        (read.success() && done.success() && matches!(given, Some(Ok(())))).then_some(folder)
    }
}

/// A call of git in a folder; it says nothing by itself.
fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// What git prints, if it succeeds.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = command(folder, arguments).stdout(Stdio::piped()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Removes the folders that were made.
pub fn clean() {
    let folders = std::mem::take(&mut *FOLDERS.lock().unwrap_or_else(PoisonError::into_inner));
    for folder in folders {
        // What can't be removed is left to the system, which cleans its folder of temporary files.
        let _ = std::fs::remove_dir_all(folder);
    }
}
