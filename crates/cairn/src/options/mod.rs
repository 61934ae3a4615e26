//! The one table of verbs and options, from which help is generated.

mod asking;
mod cover;
mod forms;
mod program;
mod show;
mod solve;
mod st;
mod tables;
mod validate;
mod versions;

pub use asking::{Asking, Check, Format, Guess};
pub use cover::{Cover, CoverAsking, CoverFiles, Dead, FailOn, Mcdc};
pub use program::CProgram;
pub use show::{Picture, Show, Stage};
pub use solve::{Skolem, Solve, SolverName};
pub use st::Run;
pub use tables::Tables;
pub use validate::Validate;
pub use versions::{Diff, Simulate, Store, StoreVerb};

use crate::build::spelled;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::path::PathBuf;
use verify::Input;

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
    let mut command = CommandLine::command();
    for verb in ["check", "diff"] {
        command = command.mut_subcommand(verb, |verb| {
            verb.mut_arg("engine", |arg| arg.value_parser(engines.clone()))
                .mut_arg("without_engine", |arg| arg.value_parser(engines.clone()))
        });
    }
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
    /// Structural coverage of a C program: every goal with a test vector, or a proof that there is none
    Cover(Box<Cover>),
    /// Dead code of a C program: what no run reaches, decides or uses, with proofs
    Dead(Box<Dead>),
    /// Say why: the invariant and the assumptions, the run, or what stood in the way of an answer
    Explain(Explain),
    /// Check somebody's certificate or trace of a circuit, or witness of a program
    Validate(Validate),
    /// Verify a program from what is known of its version before, or compare the two
    Diff(Box<Diff>),
    /// List, show, remove or check what is kept between runs
    Store(Store),
    /// Find out whether a program simulates another, and by which relation
    Simulate(Box<Simulate>),
    /// Print what the engines see of a program
    Show(Box<Show>),
    /// Execute a controller's program cycle by cycle, with given inputs and times
    Run(Box<Run>),
    /// Decide the satisfiability of an SMT-LIB script
    Solve(Solve),
    /// Decide S(x) ⇒ ∃y. T(x, y) of an SMT-LIB script, and print Skolem functions
    Skolem(Skolem),
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

/// `cairn explain`
#[derive(Args)]
pub struct Explain {
    /// What `cairn check --format json` printed, or `-` for standard input
    pub run: PathBuf,
}
