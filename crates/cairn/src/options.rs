//! The one table of verbs and options, from which help is generated.

use clap::{Args, Parser, Subcommand, ValueEnum};
use program::minimize::Pass;
use std::path::PathBuf;

/// Proves programs and circuits safe lemma by lemma, or shows a run that fails.
#[derive(Parser)]
#[command(name = "cairn", version, about, disable_help_subcommand = true)]
pub struct CommandLine {
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Subcommand)]
pub enum Verb {
    /// Verify a program or a circuit: C, AIGER or BTOR2, by extension or --lang
    Check(Check),
    /// Say why: the invariant and the assumptions, the run, or what stood in the way of an answer
    Explain(Explain),
    /// Check somebody's certificate or trace of a circuit, or witness of a program
    Validate(Validate),
    /// Print what the engines see of a C program
    Show(Show),
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
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    /// The input language, where the extension does not tell
    #[arg(long, value_enum)]
    pub lang: Option<Language>,

    #[command(flatten)]
    pub c: CProgram,

    /// Which engine decides
    #[arg(long, value_enum, default_value_t = Engine::Auto)]
    pub engine: Engine,

    /// The configuration of IC3CFA, A to Q as in table 5.1 of the thesis; without it, our own
    #[arg(long, value_name = "LETTER", value_parser = configuration)]
    pub ic3cfa_config: Option<char>,

    /// An option of IC3CFA, as NAME=VALUE; docs/usage.md lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub ic3cfa_option: Vec<String>,

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

impl Check {
    /// How IC3CFA works: its configuration, and what is set beside it.
    pub fn ic3cfa_options(&self) -> ic3cfa::Options {
        let preset = self.ic3cfa_config.and_then(ic3cfa::Options::preset);
        let mut options = ic3cfa::Options { seed: self.seed, ..preset.unwrap_or_default() };
        for assignment in &self.ic3cfa_option {
            options.assign(assignment).expect("the command line was checked");
        }
        options
    }

    /// What the analysis guesses.
    pub fn analysis_options(&self) -> analysis::Options {
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
    /// pointer, uninit, float), several with commas, or an SV-COMP property file
    #[arg(long, value_name = "NAME|FILE.prp")]
    pub property: Vec<String>,

    /// The sizes of C's types
    #[arg(long, value_enum, ignore_case = true, default_value_t = DataModel::Ilp32)]
    pub data_model: DataModel,

    /// The function that a program starts with
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// A label of a C program that must not be reached
    #[arg(long, value_name = "NAME")]
    pub error_label: Vec<String>,

    /// Model only what the property depends on, also of small programs
    #[arg(long)]
    pub cone: bool,

    /// Leave out a pass of the minimization (cone, initialized, pointers, prune, slice, blocks,
    /// substitute, propagate, bisimulation)
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = pass)]
    pub without_pass: Vec<Pass>,
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
    /// The C program
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

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
    /// Functions of instructions, as the interpreter runs them
    Program,
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

/// `cairn validate`
#[derive(Args)]
pub struct Validate {
    /// The circuit, or the program
    #[arg(required = true)]
    pub files: Vec<PathBuf>,

    /// The certificate circuit or the trace; of a program, the SV-COMP witness, in YAML
    #[arg(long, value_name = "FILE")]
    pub witness: PathBuf,

    /// The number of the bad property that a certificate is about, where the circuit has several;
    /// of a program, what it must not violate, as for check, if it is not what the witness says
    #[arg(long, value_name = "N|NAME|FILE.prp")]
    pub property: Vec<String>,

    /// The sizes of C's types, if they are not those that the witness says
    #[arg(long, value_enum, ignore_case = true)]
    pub data_model: Option<DataModel>,

    /// The function that a program starts with
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// A label of a C program that must not be reached
    #[arg(long, value_name = "NAME")]
    pub error_label: Vec<String>,

    /// Print the answer alone
    #[arg(long)]
    pub quiet: bool,

    /// Print statistics on standard error
    #[arg(long)]
    pub stats: bool,

    /// The input language, where the extension does not tell
    #[arg(long, value_enum)]
    pub lang: Option<Language>,

    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time_limit: Option<f64>,
}

/// Input languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Language {
    /// C11 with GNU extensions
    C,
    /// AIGER 1.9, ascii or binary
    Aiger,
    /// BTOR2: bit-vectors and arrays
    Btor2,
}

/// Data models of C.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DataModel {
    /// int, long and pointers of 32 bits
    #[value(name = "ILP32")]
    Ilp32,
    /// long and pointers of 64 bits
    #[value(name = "LP64")]
    Lp64,
}

impl From<DataModel> for front_c::types::DataModel {
    fn from(model: DataModel) -> Self {
        match model {
            DataModel::Ilp32 => front_c::types::DataModel::Ilp32,
            DataModel::Lp64 => front_c::types::DataModel::Lp64,
        }
    }
}

/// Engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Engine {
    /// Circuits: IC3, with more engines beside it if there are more jobs; programs: all of them
    Auto,
    /// Bit-level IC3 alone
    Ic3,
    /// IC3 on the control-flow automaton of a program
    Ic3cfa,
    /// IC3 on a program with the program counter as a variable, for comparison
    Ic3smt,
    /// IC3 on the paths of a program's unwinding, for comparison
    Treeic3,
    /// Bounded model checking: finds violations, proves nothing
    Bmc,
    /// k-induction
    Kind,
    /// IC3, bounded model checking and k-induction at once, one thread each
    Portfolio,
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

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds > 0.0 => Ok(seconds),
        _ => Err("expected a positive number of seconds".into()),
    }
}
