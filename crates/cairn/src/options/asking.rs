//! What is asked, and how the answer is looked for.

use super::forms::{
    assignment, configuration, ic3_assignment, icp_assignment, seconds, summary_assignment,
};
use super::{AUTO, CProgram, PORTFOLIO, Tables};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use verify::{Choice, Engine, Goals, Limits, Settings, Undefined};

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

    /// Leave out an engine of those that decide together
    #[arg(long, value_name = "ENGINE", value_delimiter = ',')]
    pub without_engine: Vec<String>,

    /// An option of bit-level IC3, as NAME=VALUE; docs/usage.md lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = ic3_assignment)]
    pub ic3_option: Vec<String>,

    /// The configuration of IC3CFA, A to Q as in table 5.1 of the thesis; without it, our own
    #[arg(long, value_name = "LETTER", value_parser = configuration)]
    pub ic3cfa_config: Option<char>,

    /// An option of IC3CFA, as NAME=VALUE; docs/usage.md lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub ic3cfa_option: Vec<String>,

    /// An option of IC3 over interval bounds, as NAME=VALUE; docs/usage.md lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = icp_assignment)]
    pub icp_option: Vec<String>,

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

    /// Where to write a page with the answers, and failing runs of a controller's program as timing
    /// diagrams
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,

    /// Where to write the cycles of a failing run of a controller's program, as CSV
    #[arg(long, value_name = "FILE.csv")]
    pub csv: Option<PathBuf>,

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

    /// How IC3 over interval bounds works.
    fn icp_options(&self) -> ic3icp::Options {
        let mut options = ic3icp::Options { seed: self.seed, ..ic3icp::Options::default() };
        for assignment in &self.icp_option {
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
        let table = match &self.without_engine[..] {
            [] => tables.engines,
            without => tables.without_engines(without),
        };
        Settings {
            table,
            choice,
            goals: self.goals(),
            jobs: self.jobs,
            seed: self.seed,
            ic3: self.ic3_options(),
            ic3cfa: self.ic3cfa_options(),
            icp: self.icp_options(),
            analysis: self.analysis_options(),
            summary: self.summary_options(),
            certify: !self.no_certify,
            invariant: self.witness.is_some() || self.format == Format::Json,
            explain: self.format == Format::Json,
            vacuity: self.c.entry != "main" || self.c.caller.step.is_some(),
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
