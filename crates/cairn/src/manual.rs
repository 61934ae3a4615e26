//! `cairn man`, `cairn completions`: made from the one table of options.

use crate::exit::Exit;
use crate::options::{Tables, command};
use crate::output::print_all;

/// Prints the manual page of Cairn, followed by those of its verbs.
pub fn page(tables: Tables) -> Exit {
    let command = command(tables);
    let mut text = Vec::new();
    let mut rendered = clap_mangen::Man::new(command.clone()).render(&mut text);
    for verb in command.get_subcommands() {
        let page = clap_mangen::Man::new(verb.clone()).title(format!("cairn-{}", verb.get_name()));
        rendered = rendered.and_then(|()| page.render(&mut text));
    }
    rendered.expect("memory can be written");
    print_all(&text);
    Exit::Success
}

/// Prints the completions for a shell.
pub fn completions(shell: clap_complete::Shell, tables: Tables) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(tables), "cairn", &mut text);
    print_all(&text);
    Exit::Success
}
