//! `cairn man`, `cairn completions`: made from the one table of options.

use crate::exit::Exit;
use crate::options::CommandLine;
use clap::CommandFactory;
use std::io::{Write, stdout};

/// Prints the manual page of Cairn, followed by those of its verbs.
pub fn page() -> Exit {
    let command = CommandLine::command();
    let mut text = Vec::new();
    let mut rendered = clap_mangen::Man::new(command.clone()).render(&mut text);
    for verb in command.get_subcommands() {
        let page = clap_mangen::Man::new(verb.clone()).title(format!("cairn-{}", verb.get_name()));
        rendered = rendered.and_then(|()| page.render(&mut text));
    }
    let printed = rendered.and_then(|()| stdout().write_all(&text));
    match printed {
        Ok(()) => Exit::Success,
        Err(error) => {
            eprintln!("the manual page can't be printed: {error}");
            Exit::Input
        }
    }
}

/// Prints the completions for a shell.
pub fn completions(shell: clap_complete::Shell) -> Exit {
    clap_complete::generate(shell, &mut CommandLine::command(), "cairn", &mut stdout());
    Exit::Success
}
