//! The command line of Cairn: the only crate that prints, exits or reads the environment.
//!
//! One verb, one module. Exit codes are in [`exit`].

mod allocator;
mod check;
mod exit;
mod explain;
mod hardware;
mod limits;
mod manual;
mod options;
mod progress;
mod software;
mod solve;
mod validate;

use clap::Parser;
use exit::Exit;
use options::{CommandLine, Verb};
use std::process::ExitCode;

/// Terms, cubes and clauses are many small things that come and go; the system's allocator took a
/// fifth of the time of minimizing a large program.
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    allocator::reserve_little();
    let command_line = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        Err(error) => {
            // Help and version were asked for; everything else is a mistake in the usage.
            let asked = !error.use_stderr();
            // Nothing is left to do if even this can't be printed.
            let _ = error.print();
            return if asked { ExitCode::SUCCESS } else { Exit::Usage.into() };
        }
    };
    let exit = match command_line.verb {
        Verb::Check(arguments) => check::run(&arguments),
        Verb::Explain(arguments) => explain::run(&arguments),
        Verb::Validate(arguments) => validate::run(&arguments),
        Verb::Show(arguments) => software::show(&arguments),
        Verb::Solve(arguments) => solve::run(&arguments),
        Verb::Man => manual::page(),
        Verb::Completions(arguments) => manual::completions(arguments.shell),
    };
    exit.into()
}
