//! The command line of Cairn: the only crate that prints, exits or reads the environment.
//!
//! One verb, one module. What was typed becomes a question ([`options`]); `verify` decides it, and
//! `report` says what is printed. Exit codes are in [`exit`]. The tables of languages and engines are
//! handed in, so that help and checks of the command line follow from them.
//!
//! Everything is printed by [`output`]: the macros of the standard library panic where nobody listens.

#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod allocator;
mod build;
mod caller;
mod check;
mod compile_commands;
mod cover;
mod cover_files;
mod diff;
mod equivalence;
mod exit;
mod explain;
mod kept;
mod limits;
mod manual;
pub mod options;
mod output;
mod pages;
mod requirements;
mod revision;
mod run;
mod shelf;
mod show;
mod simulate;
mod skolem;
mod solve;
mod store;
mod validate;
mod versions;
mod voice;
mod world;

use exit::Exit;
use options::{Tables, Verb};
use std::process::ExitCode;

/// Does what the arguments of the process say.
pub fn run(tables: Tables) -> ExitCode {
    allocator::reserve_little();
    limits::survive_file_limit();
    let command_line = match options::parse(tables) {
        Ok(command_line) => command_line,
        Err(error) => {
            // Help and version were asked for; everything else is a mistake in the usage.
            let asked = !error.use_stderr();
            if asked {
                output::print_with(|_| error.print());
                return output::settled(Exit::Success).into();
            }
            // Nothing is left to do if even this can't be printed.
            let _ = error.print();
            return Exit::Usage.into();
        }
    };
    let exit = match command_line.verb {
        Verb::Check(arguments) => check::run(&arguments, tables),
        Verb::Cover(arguments) => cover::run(&arguments, tables),
        Verb::Dead(arguments) => cover::dead(&arguments, tables),
        Verb::Explain(arguments) => explain::run(&arguments),
        Verb::Validate(arguments) => validate::run(&arguments, tables),
        Verb::Diff(arguments) => diff::run(&arguments, tables),
        Verb::Store(arguments) => shelf::run(&arguments.verb),
        Verb::Show(arguments) => show::run(&arguments, tables),
        Verb::Simulate(arguments) => simulate::run(&arguments, tables),
        Verb::Run(arguments) => run::run(&arguments, tables),
        Verb::Solve(arguments) => solve::run(&arguments),
        Verb::Skolem(arguments) => skolem::run(&arguments),
        Verb::Man => manual::page(tables),
        Verb::Completions(arguments) => manual::completions(arguments.shell, tables),
    };
    revision::clean();
    output::settled(exit).into()
}
