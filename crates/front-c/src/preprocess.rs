//! The system's preprocessor, for files that are not preprocessed yet; and what it says of the machine.

use crate::flags::{Flag, machine};
use crate::types::DataModel;
use std::ffi::OsString;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How to preprocess.
#[derive(Clone, Debug)]
pub struct Options {
    /// The compiler to run with `-E`; without one, the first of gcc, cc and clang that exists.
    pub command: Option<PathBuf>,
    /// How long it may take.
    pub timeout: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options { command: None, timeout: Duration::from_secs(60) }
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

/// The standard, where no flag says another.
const STANDARD: &str = "-std=gnu11";

/// Whether compilers for this processor know `-m64`. Others have no other machine to choose.
const HAS_OTHER: bool = cfg!(any(
    target_arch = "x86",
    target_arch = "x86_64",
    target_arch = "powerpc64",
    target_arch = "s390x",
    target_arch = "sparc64"
));

/// The preprocessed text of a file, with line markers, and its comments if they are wanted.
pub fn preprocess(
    path: &Path,
    model: DataModel,
    flags: &[&Flag],
    comments: bool,
    options: &Options,
) -> Result<Vec<u8>, PreprocessError> {
    let mut arguments: Vec<OsString> = ["-E", "-x", "c", STANDARD].map(OsString::from).to_vec();
    let of_machine = |flag: &&&Flag| matches!(flag, Flag::Machine(_));
    arguments.extend(flags.iter().filter(|flag| !of_machine(flag)).flat_map(|flag| flag.words()));
    if comments {
        arguments.push("-C".into());
    }
    if HAS_OTHER || model == DataModel::Ilp32 {
        arguments.push(machine(model).into());
    }
    // A name that starts with a hyphen is still a file.
    let plain = path.is_absolute() || !path.as_os_str().as_encoded_bytes().starts_with(b"-");
    arguments.push(if plain { path.into() } else { Path::new(".").join(path).into() });
    run(&arguments, &path.display().to_string(), options)
}

/// The data model of the machine that the compiler makes programs for if nothing is said; where no
/// compiler can be asked, that of the machine this runs on. The error is the number of bytes of a
/// `long` and of a pointer, where they are those of no data model that we know.
pub fn usual_model(options: &Options) -> Result<DataModel, (u32, u32)> {
    let arguments = ["-E", "-dM", "-x", "c", "/dev/null"].map(OsString::from);
    let macros = run(&arguments, "/dev/null", options).unwrap_or_default();
    let macros = String::from_utf8_lossy(&macros);
    let size = |name: &str| -> Option<u32> {
        let value =
            |line: &str| line.strip_prefix("#define ")?.strip_prefix(name)?.trim().parse().ok();
        macros.lines().find_map(value)
    };
    match (size("__SIZEOF_LONG__"), size("__SIZEOF_POINTER__")) {
        (Some(4), Some(4)) => Ok(DataModel::Ilp32),
        (Some(8), Some(8)) => Ok(DataModel::Lp64),
        (Some(long), Some(pointer)) => Err((long, pointer)),
        _ if cfg!(target_pointer_width = "64") => Ok(DataModel::Lp64),
        _ => Ok(DataModel::Ilp32),
    }
}

/// What the first compiler that exists prints.
fn run(arguments: &[OsString], file: &str, options: &Options) -> Result<Vec<u8>, PreprocessError> {
    let candidates: Vec<PathBuf> = match &options.command {
        Some(command) => vec![command.clone()],
        None => ["gcc", "cc", "clang"].map(PathBuf::from).to_vec(),
    };
    let file = file.to_owned();
    for candidate in &candidates {
        let mut command = Command::new(candidate);
        command.args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        match command.spawn() {
            Ok(child) => return collect(child, &file, options.timeout),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(source) => return Err(PreprocessError::Io { file, source }),
        }
    }
    let names: Vec<_> = candidates.iter().map(|c| c.display().to_string()).collect();
    Err(PreprocessError::Missing { file, tried: names.join(", ") })
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
