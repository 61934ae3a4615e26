//! The system's preprocessor, for files that are not preprocessed yet.

use crate::types::DataModel;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How to preprocess.
#[derive(Clone, Debug)]
pub struct Options {
    /// The compiler to run with `-E`; without one, the first of gcc, cc and clang that exists.
    pub command: Option<PathBuf>,
    /// Directories for `#include`.
    pub include: Vec<PathBuf>,
    /// Macros, `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// How long it may take.
    pub timeout: Duration,
}

impl Default for Options {
    fn default() -> Options {
        let timeout = Duration::from_secs(60);
        Options { command: None, include: Vec::new(), define: Vec::new(), timeout }
    }
}

/// Preprocessing failed.
#[derive(Debug, thiserror::Error)]
pub enum PreprocessError {
    /// There is no preprocessor.
    #[error(
        "{file}: no C preprocessor found (tried {tried}); install gcc or clang, or give a \
         preprocessed file (.i)"
    )]
    Missing {
        /// The file to preprocess.
        file: String,
        /// What was looked for.
        tried: String,
    },
    /// It reported errors.
    #[error("{file}: the preprocessor failed:\n{messages}")]
    Failed {
        /// The file.
        file: String,
        /// What it said.
        messages: String,
    },
    /// It took too long.
    #[error("{file}: the preprocessor took longer than {} s", timeout.as_secs())]
    Timeout {
        /// The file.
        file: String,
        /// The limit.
        timeout: Duration,
    },
    /// It produced too much.
    #[error("{file}: the preprocessed text exceeds {} megabytes", MAX_OUTPUT >> 20)]
    TooLarge {
        /// The file.
        file: String,
    },
    /// It could not be run.
    #[error("{file}: cannot run the preprocessor: {source}")]
    Io {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
}

/// More output than this is an error.
const MAX_OUTPUT: u64 = 1 << 30;

/// The preprocessed text of a file, with line markers.
pub fn preprocess(
    path: &Path,
    model: DataModel,
    options: &Options,
) -> Result<Vec<u8>, PreprocessError> {
    let file = path.display().to_string();
    let candidates: Vec<PathBuf> = match &options.command {
        Some(command) => vec![command.clone()],
        None => ["gcc", "cc", "clang"].map(PathBuf::from).to_vec(),
    };
    for candidate in &candidates {
        match command(candidate, path, model, options).spawn() {
            Ok(child) => return collect(child, &file, options.timeout),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(source) => return Err(PreprocessError::Io { file, source }),
        }
    }
    let names: Vec<_> = candidates.iter().map(|c| c.display().to_string()).collect();
    Err(PreprocessError::Missing { file, tried: names.join(", ") })
}

fn command(program: &Path, path: &Path, model: DataModel, options: &Options) -> Command {
    let mut command = Command::new(program);
    command.args(["-E", "-x", "c", "-std=gnu11"]);
    command.arg(match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    });
    for directory in &options.include {
        command.arg("-I").arg(directory);
    }
    for define in &options.define {
        command.arg(format!("-D{define}"));
    }
    // A name that starts with a hyphen is still a file.
    let plain = path.is_absolute() || !path.as_os_str().as_encoded_bytes().starts_with(b"-");
    command.arg(if plain { path.to_path_buf() } else { Path::new(".").join(path) });
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits for the child, reading both its outputs so that it never blocks.
fn collect(mut child: Child, file: &str, timeout: Duration) -> Result<Vec<u8>, PreprocessError> {
    let file = || file.to_owned();
    let io = |source| PreprocessError::Io { file: file(), source };
    let reader = |stream: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(stream) = stream {
                stream.take(MAX_OUTPUT + 1).read_to_end(&mut bytes)?;
            }
            Ok::<_, std::io::Error>(bytes)
        })
    };
    let output = reader(child.stdout.take().map(|s| Box::new(s) as Box<dyn Read + Send>));
    let messages = reader(child.stderr.take().map(|s| Box::new(s) as Box<dyn Read + Send>));
    let deadline = Instant::now() + timeout;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(io)? {
            break status;
        }
        if Instant::now() >= deadline || output.is_finished() && messages.is_finished() {
            // Outputs closed but still running: it gets a moment to end.
            let grace = Instant::now() + Duration::from_millis(200);
            while Instant::now() < grace.min(deadline) && child.try_wait().map_err(io)?.is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            if child.try_wait().map_err(io)?.is_none() {
                child.kill().map_err(io)?;
                child.wait().map_err(io)?;
                let closed = output.is_finished() && Instant::now() < deadline;
                return Err(if closed {
                    PreprocessError::TooLarge { file: file() }
                } else {
                    PreprocessError::Timeout { file: file(), timeout }
                });
            }
            continue;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let joined = |handle: std::thread::JoinHandle<std::io::Result<Vec<u8>>>| {
        handle.join().unwrap_or_else(|_| Err(std::io::Error::other("reader failed"))).map_err(io)
    };
    let (output, messages) = (joined(output)?, joined(messages)?);
    if !status.success() {
        let messages = String::from_utf8_lossy(&messages).trim_end().to_owned();
        return Err(PreprocessError::Failed { file: file(), messages });
    }
    if output.len() as u64 > MAX_OUTPUT {
        return Err(PreprocessError::TooLarge { file: file() });
    }
    Ok(output)
}
