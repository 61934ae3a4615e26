//! How Structured Text is read, what has to hold of its cycles, and what `cairn run` is given.

use super::{CProgram, Format};
use clap::Args;
use front_st::compile::{Settings, Stated, unfit};
use front_st::dialect::Dialect;
use front_st::requirements;
use program::Place;
use serde_json::Value;
use source::SourceMap;
use std::path::PathBuf;
use verify::Rejection;

/// How programs of controllers are read, and what has to hold of their cycles.
#[derive(Args, Clone, Default)]
pub struct Cyclic {
    /// The dialect of Structured Text: iec, codesys, twincat or scl; without it, what the files show
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<Dialect>,

    /// How long a cycle of a controller takes: any time in this range
    #[arg(long, value_name = "TIME..TIME", value_parser = range, default_value = "1ms..100ms")]
    pub cycle: Option<(u64, u64)>,

    /// After how many cycles of a controller runs end, or unbounded
    #[arg(long, value_name = "N", value_parser = count, default_value = "unbounded")]
    pub cycles: Option<Count>,

    /// An expression in Structured Text that must hold at the end of each cycle
    #[arg(long, value_name = "EXPR")]
    pub assertion: Vec<String>,

    /// A pattern of PLCverif with its expressions, as {"pattern": "implication", "1": "a", "2": "b"}
    #[arg(long, value_name = "JSON", value_parser = pattern)]
    pub pattern: Vec<Stated>,

    /// An expression in Structured Text that must hold at the end of some cycle; safe means that it
    /// does, which a run shows
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["assertion", "pattern"])]
    pub reachable: Option<String>,

    /// How many rounds the loops of one cycle may have together; more are a violation of termination
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub watchdog: Option<u32>,

    /// The file beside the program that states what has to hold, where nothing above does.
    #[arg(skip)]
    pub beside: Option<String>,
}

/// Names of files beside a program that state what has to hold; `*` stands for the program's name.
const BESIDE: [&str; 9] = [
    "*.yaml",
    "*.yml",
    "*.vc3",
    "requirements.yaml",
    "requirements.yml",
    "requirements.json",
    "props.yaml",
    "props.yml",
    "properties.yaml",
];

/// A number of cycles; none for any number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count(pub Option<u64>);

impl Cyclic {
    /// What has to hold.
    pub fn stated(&self) -> Vec<Stated> {
        let assertions = self.assertion.iter().map(|text| Stated::assertion(text));
        let reachable = self.reachable.iter().map(|text| Stated::reachable(text));
        assertions.chain(self.pattern.iter().cloned()).chain(reachable).collect()
    }

    /// Looks for a file of requirements beside the first of these, unless it is said what is asked
    /// about.
    pub fn look_beside(&mut self, files: &[PathBuf], properties: &[String]) -> Option<&str> {
        let program = files.first()?;
        if !properties.is_empty() || !self.stated().is_empty() || self.watchdog.is_some() {
            return None;
        }
        let stem = program.file_stem()?.to_str()?;
        let candidates = BESIDE.iter().map(|name| program.with_file_name(name.replace('*', stem)));
        let found = candidates.into_iter().find(|path| path != program && path.is_file())?;
        self.beside = Some(found.to_str()?.to_owned());
        self.beside.as_deref()
    }

    /// Whether something is said that other languages have no use for.
    pub fn is_given(&self) -> bool {
        self.dialect.is_some()
            || !self.stated().is_empty()
            || self.watchdog.is_some()
            || self.cycles.is_some_and(|c| c.0.is_some())
    }

    /// How files are read, what has to hold, and what the files of requirements among the arguments of
    /// `--property` state.
    pub fn all_settings(
        &self,
        properties: &[String],
        inputs: Vec<String>,
    ) -> Result<Settings, Rejection> {
        let mut settings = self.settings(inputs);
        let arguments = properties.iter().flat_map(|argument| argument.split(','));
        let named = arguments.filter(|argument| requirements::is_file(argument));
        for path in named.chain(self.beside.as_deref()) {
            let wrong = |error: String| Rejection::new(format!("{path}: {error}"));
            let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
            let mut sources = SourceMap::new();
            let file = sources.add(path, text).map_err(|error| wrong(error.to_string()))?;
            let read = requirements::read(sources.file(file));
            let read = read.map_err(|errors| Rejection::diagnostics(&errors, &sources))?;
            let stated = read.into_iter().map(|required| {
                let position = sources.presumed(required.span);
                let (line, column) = (position.line, position.column);
                let place = Place { file: position.file.clone(), line, column };
                Stated { place: Some(place), ..required.stated }
            });
            settings.stated.extend(stated);
        }
        Ok(settings)
    }

    /// Whether requirements are stated, here or in files.
    pub fn states(&self, properties: &[String]) -> bool {
        let mut arguments = properties.iter().flat_map(|argument| argument.split(','));
        let stated = !self.stated().is_empty() || self.beside.is_some();
        stated || arguments.any(requirements::is_file)
    }

    /// How files are read, and what has to hold.
    fn settings(&self, inputs: Vec<String>) -> Settings {
        let usual = Settings::default();
        Settings {
            dialect: self.dialect,
            cycle: self.cycle.unwrap_or(usual.cycle),
            cycles: self.cycles.and_then(|count| count.0),
            inputs,
            stated: self.stated(),
            beside: self.beside.clone(),
            watchdog: self.watchdog,
            ..usual
        }
    }
}

/// `cairn run`
#[derive(Args)]
pub struct Run {
    /// The program or the circuit
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    /// Of a controller's program, the cycles: a JSON list of {"time_us": T, "set": {NAME: VALUE}}; of
    /// other programs, the unknown values in order, as a JSON list; of a circuit, a trace in its
    /// language's witness format
    #[arg(long, value_name = "FILE")]
    pub inputs: PathBuf,

    /// The input language, where the extension does not tell
    #[arg(long)]
    pub lang: Option<String>,

    /// How programs are read
    #[command(flatten)]
    pub c: CProgram,

    /// How to print the values
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Where to write a page with the timing diagram, of a controller's program
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,

    /// Where to write the cycles of a controller's program, as CSV
    #[arg(long, value_name = "FILE.csv")]
    pub csv: Option<PathBuf>,
}

/// `1ms..100ms`, or one time for both.
fn range(text: &str) -> Result<(u64, u64), String> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let (low, high) = (duration(low)?, duration(high)?);
    let longest = 2_000_000_000 * 1_000_000;
    if low > high || high > longest || high < 1_000_000 {
        return Err("expected two times, the first not longer than the second, from 1ms on".into());
    }
    Ok((low, high))
}

/// A time in nanoseconds.
fn duration(text: &str) -> Result<u64, String> {
    let text = text.trim().to_lowercase();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "us" => 1_000,
        "m" => 60_000_000_000,
        unit => return Err(format!("'{unit}' is no unit of time; there are us, ms, s and m")),
    };
    let number: u64 = digits.parse().map_err(|_| format!("'{digits}' is no number"))?;
    let time = number.checked_mul(unit).ok_or_else(|| format!("'{text}' is too long"))?;
    // Timers count milliseconds.
    if time % 1_000_000 == 0 { Ok(time) } else { Err("cycles are whole milliseconds".into()) }
}

fn count(text: &str) -> Result<Count, String> {
    match text {
        "unbounded" => Ok(Count(None)),
        text => text
            .parse()
            .map(|number| Count(Some(number)))
            .map_err(|_| "expected a number of cycles, or unbounded".to_owned()),
    }
}

/// A pattern and its expressions.
fn pattern(text: &str) -> Result<Stated, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let name = value.get("pattern").and_then(Value::as_str);
    let name = name.ok_or("the pattern's name is missing: \"pattern\": \"implication\"")?;
    let name = name.to_lowercase();
    let name = name.strip_prefix("pattern-").unwrap_or(&name).to_owned();
    let mut expressions = Vec::new();
    while let Some(expression) = value.get((expressions.len() + 1).to_string()) {
        expressions.push(match expression {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return Err("the pattern's expressions are texts or numbers".to_owned()),
        });
    }
    match unfit(&name, expressions.len()) {
        Some(message) => Err(message),
        None => Ok(Stated::new(name, expressions)),
    }
}
