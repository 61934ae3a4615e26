//! The one table of verbs and options, from which help is generated.

mod st;

pub use st::Run;

use crate::build::{BuildOptions, Sources, spelled};
use crate::caller::CallerOptions;
use crate::world::{Assumed, World};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use program::Property;
use program::minimize::Pass;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use verify::language::{Picture as GraphPicture, by_ending};
use verify::{
    Choice, DataModel, Engine, Goals, Input, Language, Limits, Reading, Rejection, Settings,
    Undefined, property,
};

/// What there is to choose from: the tables of languages and engines.
#[derive(Clone, Copy)]
pub struct Tables {
    /// Languages.
    pub languages: &'static [&'static dyn Language],
    /// Engines.
    pub engines: &'static [&'static dyn Engine],
}

/// The choices that are no engine of their own.
const AUTO: (&str, &str) = (
    "auto",
    "Circuits: IC3, with more engines beside it if there are more jobs; programs: all that join",
);
const PORTFOLIO: (&str, &str) =
    ("portfolio", "IC3, bounded model checking and k-induction at once, one thread each");

/// The command line, with the names of the tables.
pub fn command(tables: Tables) -> Command {
    let value = |(name, about): (&'static str, &'static str)| PossibleValue::new(name).help(about);
    let rows = tables.engines.iter().map(|engine| (engine.row().name, engine.row().about));
    let engines = [AUTO].into_iter().chain(rows).chain([PORTFOLIO]).map(value);
    let engines = PossibleValuesParser::new(engines.collect::<Vec<_>>());
    let languages = tables.languages.iter().map(|language| (language.option(), language.about()));
    let languages = PossibleValuesParser::new(languages.map(value).collect::<Vec<_>>());
    let mut command = CommandLine::command()
        .mut_subcommand("check", |verb| {
            verb.mut_arg("engine", |arg| arg.value_parser(engines.clone()))
        })
        .mut_subcommand("diff", |verb| verb.mut_arg("engine", |arg| arg.value_parser(engines)));
    for verb in ["check", "diff", "validate", "show", "run"] {
        let languages = languages.clone();
        command = command
            .mut_subcommand(verb, |verb| verb.mut_arg("lang", |arg| arg.value_parser(languages)));
    }
    command
}

/// What was typed.
pub fn parse(tables: Tables) -> Result<CommandLine, clap::Error> {
    let matches = command(tables).try_get_matches_from(spelled(std::env::args_os()))?;
    CommandLine::from_arg_matches(&matches)
}

impl Tables {
    /// The language of files: as it is named, or as all their names tell.
    pub fn language(
        self,
        named: Option<&str>,
        files: &[PathBuf],
    ) -> Result<&'static dyn Language, String> {
        if let Some(name) = named {
            let named = self.languages.iter().copied().find(|language| language.option() == name);
            return named.ok_or_else(|| format!("there is no language {name}"));
        }
        let mut found: Option<(&Path, &'static dyn Language)> = None;
        for file in files {
            let language = by_ending(self.languages, file).ok_or_else(|| self.untold(file))?;
            match found {
                Some((first, other)) if other.name() != language.name() => {
                    let (first, file) = (first.display(), file.display());
                    let (other, language) = (other.name(), language.name());
                    return Err(format!("{file}: this is {language}, and {first} is {other}"));
                }
                _ => found = Some((file, language)),
            }
        }
        found.map(|(_, language)| language).ok_or_else(|| self.untold(Path::new("")))
    }

    /// Says that the name of a file does not tell its language.
    fn untold(self, file: &Path) -> String {
        let endings = self.languages.iter().flat_map(|language| language.endings());
        let endings: Vec<String> = endings.map(|ending| format!(".{ending}")).collect();
        format!(
            "{}: the language can't be told from the name; name it with --lang, or use one of the \
             endings {}",
            file.display(),
            endings.join(", ")
        )
    }
}

/// Files as inputs.
pub fn inputs(files: &[PathBuf]) -> Vec<Input> {
    files.iter().cloned().map(Input::File).collect()
}

/// Proves programs and circuits safe lemma by lemma, or shows a run that fails.
#[derive(Parser)]
#[command(name = "cairn", version, about, disable_help_subcommand = true)]
pub struct CommandLine {
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Subcommand)]
pub enum Verb {
    /// Verify a program or a circuit: C, Structured Text, IVL, AIGER or BTOR2, by extension or --lang
    Check(Box<Check>),
    /// Say why: the invariant and the assumptions, the run, or what stood in the way of an answer
    Explain(Explain),
    /// Check somebody's certificate or trace of a circuit, or witness of a program
    Validate(Validate),
    /// Verify a program from what is known of its version before, or compare the two
    Diff(Box<Diff>),
    /// List, show, remove or check what is kept between runs
    Store(Store),
    /// Print what the engines see of a program
    Show(Show),
    /// Execute a controller's program cycle by cycle, with given inputs and times
    Run(Box<Run>),
    /// Decide the satisfiability of an SMT-LIB script
    Solve(Solve),
    /// Print the manual page, in roff
    Man,
    /// Print a script that completes command lines of Cairn in a shell
    Completions(Completions),
}

/// `cairn completions`
#[derive(Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `cairn check`
#[derive(Args, Clone)]
pub struct Check {
    /// What to verify
    #[arg(required_unless_present = "compile_commands")]
    pub files: Vec<PathBuf>,

    /// What is asked, and how the answer is looked for
    #[command(flatten)]
    pub asking: Asking,
}

/// What is asked of a program or a circuit, and how the answer is looked for.
#[derive(Args, Clone)]
pub struct Asking {
    /// The input language, where the extension does not tell
    #[arg(long)]
    pub lang: Option<String>,

    /// How programs are read and modelled
    #[command(flatten)]
    pub c: CProgram,

    /// Which engine decides
    #[arg(long, default_value = AUTO.0)]
    pub engine: String,

    /// An option of bit-level IC3, as NAME=VALUE; docs/usage.md lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = ic3_assignment)]
    pub ic3_option: Vec<String>,

    /// The configuration of IC3CFA, A to Q as in table 5.1 of the thesis; without it, our own
    #[arg(long, value_name = "LETTER", value_parser = configuration)]
    pub ic3cfa_config: Option<char>,

    /// An option of IC3CFA, as NAME=VALUE; docs/usage.md lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub ic3cfa_option: Vec<String>,

    /// How summaries of functions are read off a refutation: mcmillan, pudlak or dual
    #[arg(long, value_name = "SYSTEM", value_parser = ["mcmillan", "pudlak", "dual"])]
    pub interpolation: Option<String>,

    /// An option of proofs by summaries, as NAME=VALUE; docs/usage.md lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = summary_assignment)]
    pub summary_option: Vec<String>,

    /// Leave out a source of the guesses that the analysis of programs proves
    #[arg(long, value_name = "NAME", value_enum, value_delimiter = ',')]
    pub without_analysis: Vec<Guess>,

    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,

    /// Give up when the process has so many megabytes in use
    #[arg(long, value_name = "MB")]
    pub memory_limit: Option<u64>,

    /// How many threads work on a property; with one, a run can be repeated exactly. Without it, a
    /// circuit has one, and the engines for a program share the processor
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// Where to write the certificate circuit (safe) or the trace (unsafe); of a program, the
    /// SV-COMP witness, in YAML, or in GraphML if the name ends in .graphml
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,

    /// Where to write a C file that drives the compiled program into the violation found
    #[arg(long, value_name = "FILE.c")]
    pub harness: Option<PathBuf>,

    /// An answer for each check of a program whose place, kind or function contains this text
    #[arg(long, value_name = "PATTERN")]
    pub only: Option<String>,

    /// An answer for each check, until the first violation
    #[arg(long)]
    pub stop_at_first: bool,

    /// Decides where runs may differ by luck
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Print the verdict alone
    #[arg(long)]
    pub quiet: bool,

    /// Print statistics on standard error
    #[arg(long)]
    pub stats: bool,

    /// Skip the independent check of the verdict; for measurement only
    #[arg(long)]
    pub no_certify: bool,

    /// Keep what is found in this folder, and begin with what is there; nothing of it is believed
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
}

/// Where the analysis of programs takes its guesses from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Guess {
    /// Ranges and residues of single variables
    Ranges,
    /// Bounds of differences
    Zones,
    /// Linear and polynomial equations
    Equations,
    /// The program's comparisons
    Guards,
    /// Properties of the elements of arrays
    Elements,
}

/// Forms of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For reading; the verdict is the last line
    Text,
    /// One document, as docs/json.md describes it
    Json,
}

impl Asking {
    /// How IC3CFA works: its configuration, and what is set beside it.
    fn ic3cfa_options(&self) -> ic3cfa::Options {
        let preset = self.ic3cfa_config.and_then(ic3cfa::Options::preset);
        let mut options = ic3cfa::Options { seed: self.seed, ..preset.unwrap_or_default() };
        for assignment in &self.ic3cfa_option {
            options.assign(assignment).expect("the command line was checked");
        }
        options
    }

    /// How IC3 works.
    fn ic3_options(&self) -> ic3::Options {
        let mut options = ic3::Options { seed: self.seed, ..ic3::Options::default() };
        for assignment in &self.ic3_option {
            options.assign(assignment).expect("the command line was checked");
        }
        options
    }

    /// How proofs by summaries work.
    fn summary_options(&self) -> summary::Options {
        let mut options = summary::Options::default();
        let system = self.interpolation.iter().map(|system| format!("interpolation={system}"));
        for assignment in self.summary_option.iter().cloned().chain(system) {
            options.assign(&assignment).expect("the command line was checked");
        }
        options
    }

    /// What the analysis guesses.
    fn analysis_options(&self) -> analysis::Options {
        let with = |guess: Guess| !self.without_analysis.contains(&guess);
        analysis::Options {
            ranges: with(Guess::Ranges),
            zones: with(Guess::Zones),
            equations: with(Guess::Equations),
            guards: with(Guess::Guards),
            elements: with(Guess::Elements),
            ..analysis::Options::default()
        }
    }

    /// Who looks for the answer, and how.
    pub fn settings(&self, tables: Tables) -> Settings {
        let named = |engine: &&&'static dyn Engine| engine.row().name == self.engine;
        let choice = match tables.engines.iter().find(named) {
            Some(engine) => Choice::One(engine.row().name),
            None if self.engine == PORTFOLIO.0 => Choice::Portfolio,
            None => Choice::Auto,
        };
        Settings {
            table: tables.engines,
            choice,
            goals: self.goals(),
            jobs: self.jobs,
            seed: self.seed,
            ic3: self.ic3_options(),
            ic3cfa: self.ic3cfa_options(),
            analysis: self.analysis_options(),
            summary: self.summary_options(),
            certify: !self.no_certify,
            invariant: self.witness.is_some() || self.format == Format::Json,
            explain: self.format == Format::Json,
            vacuity: self.c.entry != "main",
            ..self.c.settings()
        }
    }

    /// What gets an answer: all properties together, or each check, where something is said of checks.
    fn goals(&self) -> Goals {
        let table = self.c.undefined() == Undefined::Checked || self.only.is_some();
        let stated = self.c.st.states(&self.c.property) && self.only.is_none();
        if !table && !self.stop_at_first || stated {
            return Goals::Together;
        }
        Goals::Each { only: self.only.clone(), stop: self.stop_at_first }
    }

    /// What the answer may cost.
    pub fn limits(&self) -> Limits {
        let time = self.time_limit.map(Duration::from_secs_f64);
        Limits { time, memory: self.memory_limit, ..Limits::default() }
    }

    /// Whether lines for reading are printed on standard output.
    pub fn talks(&self) -> bool {
        !self.quiet && self.format == Format::Text
    }
}

/// `cairn explain`
#[derive(Args)]
pub struct Explain {
    /// What `cairn check --format json` printed, or `-` for standard input
    pub run: PathBuf,
}

/// How C programs are read.
#[derive(Args, Clone)]
pub struct CProgram {
    /// What a program must not violate: a name (reach, assert, overflow, div0, shift, bounds,
    /// pointer, free, uninit, overlap, return, promise, float, memcleanup, memtrack), several
    /// with commas, or an SV-COMP property file; without it, all of these up to promise, each check
    /// with an answer of its own
    #[arg(long, value_name = "NAME|FILE.prp")]
    pub property: Vec<String>,

    /// The sizes of C's types, if they are not those of the machine's compiler
    #[arg(long, ignore_case = true, value_parser = data_model)]
    pub data_model: Option<DataModel>,

    /// How C files are compiled
    #[command(flatten)]
    pub build: BuildOptions,

    /// The function that a program starts with
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// What is assumed of whoever calls it
    #[command(flatten)]
    pub caller: CallerOptions,

    /// Let contracts of functions stand for calls of them, and invariants for loops
    #[arg(long)]
    pub contracts: bool,

    /// A label of a C program that must not be reached
    #[arg(long, value_name = "NAME")]
    pub error_label: Vec<String>,

    /// What undefined behaviour is taken for
    #[command(flatten)]
    pub world: World,

    /// How programs of controllers are read, and what has to hold of their cycles
    #[command(flatten)]
    pub st: st::Cyclic,

    /// Model only what the property depends on, also of small programs
    #[arg(long)]
    pub cone: bool,

    /// Leave out a pass of the minimization (cone, initialized, pointers, prune, slice, blocks,
    /// substitute, propagate, bisimulation)
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = pass)]
    pub without_pass: Vec<Pass>,
}

impl CProgram {
    /// How files in a language are read.
    pub fn reading(
        &self,
        language: &dyn Language,
        sources: &Sources,
    ) -> Result<Reading, Rejection> {
        let usual = || language.data_model(&sources.files, &sources.build);
        Ok(Reading {
            properties: self.properties().map_err(Rejection::new)?,
            entry: self.entry.clone(),
            error_labels: self.error_label.clone(),
            undefined: self.undefined(),
            data_model: self.data_model.map_or_else(usual, Ok)?,
            build: sources.build.clone(),
            caller: self.caller.caller(),
            contracts: self.contracts,
            world: self.world.assumed.world(property::names_file(&self.property)),
            st: self.st.all_settings(&self.property)?,
        })
    }

    /// What must hold: what is named, and that runs are defined if that is to be checked.
    fn properties(&self) -> Result<BTreeSet<Property>, String> {
        let mut properties = property::parse(&self.property)?;
        if self.undefined() == Undefined::Checked {
            properties.extend(Property::DEFINED);
        }
        Ok(properties)
    }

    /// What undefined behaviour is taken for.
    fn undefined(&self) -> Undefined {
        self.world.undefined(&self.property)
    }

    /// How programs are modelled.
    pub fn settings(&self) -> Settings {
        let (without, slice) = (self.without_pass.clone(), self.cone);
        Settings { without, slice, ..Settings::default() }
    }
}

/// A data model by its name.
fn data_model(name: &str) -> Result<DataModel, String> {
    DataModel::named(name).ok_or_else(|| "there are ILP32 and LP64".to_owned())
}

/// A pass by its name.
fn pass(name: &str) -> Result<Pass, String> {
    Pass::named(name).ok_or_else(|| {
        let names: Vec<&str> = Pass::ALL.iter().map(|pass| pass.name()).collect();
        format!("there is no such pass; there are {}", names.join(", "))
    })
}

/// `cairn show`
#[derive(Args)]
pub struct Show {
    /// The program
    #[arg(required_unless_present = "compile_commands")]
    pub files: Vec<PathBuf>,

    /// The input language, where the extension does not tell
    #[arg(long)]
    pub lang: Option<String>,

    /// How programs are read and modelled
    #[command(flatten)]
    pub c: CProgram,

    /// How far to go
    #[arg(long, value_enum, default_value_t = Stage::Program)]
    pub stage: Stage,

    /// How to print it
    #[arg(long, value_enum, default_value_t = Picture::Text)]
    pub format: Picture,
}

/// Stages of a program on its way to the engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Stage {
    /// The typed syntax tree
    Ast,
    /// Functions of instructions, as the interpreter runs them, in a language that check reads (.ivl)
    Program,
    /// One automaton a function, calls kept, memory as variables
    Procedures,
    /// The control-flow automaton: calls inlined, memory as variables
    Cfa,
    /// The automaton after minimization and large-block encoding, as the engines see it
    Lbe,
}

/// Ways to print a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Picture {
    /// For reading
    Text,
    /// For Graphviz
    Dot,
}

impl From<Picture> for GraphPicture {
    fn from(picture: Picture) -> Self {
        match picture {
            Picture::Text => GraphPicture::Text,
            Picture::Dot => GraphPicture::Dot,
        }
    }
}

/// `cairn diff`
#[derive(Args)]
pub struct Diff {
    /// The version before: a file, a folder with all its C files, or REV:PATH for either of them in
    /// a revision of a git repository. With --since, the version after
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// The version after, likewise
    #[arg(value_name = "NEW", required_unless_present = "since", conflicts_with = "since")]
    pub new: Option<PathBuf>,

    /// Compare one path as it is with what it was in this revision
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,

    /// Ask whether functions give the same outputs for the same inputs
    #[arg(long)]
    pub equivalence: bool,

    /// Compare this function alone; without it, those that no other function calls
    #[arg(long, value_name = "NAME", requires = "equivalence")]
    pub function: Option<String>,

    /// What is asked, and how the answer is looked for
    #[command(flatten)]
    pub asking: Asking,
}

/// `cairn store`
#[derive(Args)]
pub struct Store {
    /// What to do with it
    #[command(subcommand)]
    pub verb: StoreVerb,
}

/// What to do with a store.
#[derive(Subcommand)]
pub enum StoreVerb {
    /// List what is kept: kind, key, size, when it was written, what it is about
    List {
        /// The folder
        folder: PathBuf,
        /// Only documents of this kind
        #[arg(long)]
        kind: Option<String>,
        /// Only documents about something whose name contains this text
        #[arg(long, value_name = "TEXT")]
        about: Option<String>,
    },
    /// Print documents
    Show {
        /// The folder
        folder: PathBuf,
        /// The beginning of their keys
        key: String,
    },
    /// Remove what was used least recently until so many megabytes are left
    Prune {
        /// The folder
        folder: PathBuf,
        /// How many megabytes
        #[arg(long, value_name = "MB", default_value_t = 0)]
        to: u64,
    },
    /// Look for damage
    Verify {
        /// The folder
        folder: PathBuf,
    },
}

/// `cairn validate`
#[derive(Args)]
pub struct Validate {
    /// The circuit, or the program
    #[arg(required_unless_present = "compile_commands")]
    pub files: Vec<PathBuf>,

    /// The certificate circuit or the trace; of a program, the SV-COMP witness, in YAML
    #[arg(long, value_name = "FILE")]
    pub witness: PathBuf,

    /// The number of the bad property that a certificate is about, where the circuit has several;
    /// of a program, what it must not violate, as for check, if it is not what the witness says
    #[arg(long, value_name = "N|NAME|FILE.prp")]
    pub property: Vec<String>,

    /// The sizes of C's types, if they are not those that the witness says
    #[arg(long, ignore_case = true, value_parser = data_model)]
    pub data_model: Option<DataModel>,

    /// How C files are compiled
    #[command(flatten)]
    pub build: BuildOptions,

    /// The function that a program starts with
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// A label of a C program that must not be reached
    #[arg(long, value_name = "NAME")]
    pub error_label: Vec<String>,

    /// What is assumed of the world around a program
    #[command(flatten)]
    pub assumed: Assumed,

    /// Print the answer alone
    #[arg(long)]
    pub quiet: bool,

    /// Print statistics on standard error
    #[arg(long)]
    pub stats: bool,

    /// The input language, where the extension does not tell
    #[arg(long)]
    pub lang: Option<String>,

    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
}

/// `cairn solve`
#[derive(Args)]
pub struct Solve {
    /// The script, or `-` for standard input
    pub file: PathBuf,

    /// Which solver decides
    #[arg(long, value_enum, default_value_t = SolverName::Auto)]
    pub solver: SolverName,

    /// Stop after so many seconds; what is undecided then is `unknown`
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,

    /// Print the model after each `sat`
    #[arg(long)]
    pub model: bool,

    /// Print statistics on standard error at the end
    #[arg(long)]
    pub stats: bool,
}

/// The solvers that can be named.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SolverName {
    /// Bit-blasting where it can, Z3 for quantifiers, integers and reals
    Auto,
    /// Bit-blasting onto our own CDCL, backed by CaDiCaL
    Native,
    /// Bit-blasting onto our own CDCL alone
    Cone,
    /// Bit-blasting onto CaDiCaL alone
    Cadical,
    /// Z3
    Z3,
    /// The program `bitwuzla`
    Bitwuzla,
    /// The program `cvc5`
    Cvc5,
}

fn configuration(text: &str) -> Result<char, String> {
    match text.chars().next() {
        Some(letter @ 'A'..='Q') if text.len() == 1 => Ok(letter),
        _ => Err("expected a letter from A to Q".into()),
    }
}

fn assignment(text: &str) -> Result<String, ic3cfa::settings::SettingError> {
    ic3cfa::Options::default().assign(text)?;
    Ok(text.to_owned())
}

fn ic3_assignment(text: &str) -> Result<String, lemmas::settings::SettingError> {
    ic3::Options::default().assign(text)?;
    Ok(text.to_owned())
}

fn summary_assignment(text: &str) -> Result<String, lemmas::settings::SettingError> {
    summary::Options::default().assign(text)?;
    Ok(text.to_owned())
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds > 0.0 => Ok(seconds),
        _ => Err("expected a positive number of seconds".into()),
    }
}
