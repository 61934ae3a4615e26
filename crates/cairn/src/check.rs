//! `cairn check`: verify, certify, report.

use crate::exit::Exit;
use crate::hardware;
use crate::options::{Check, Language};
use std::path::Path;

/// Decides what was asked and prints the verdict as the last line.
pub fn run(arguments: &Check) -> Exit {
    let [file] = &arguments.files[..] else {
        eprintln!("cairn check takes one circuit at a time; {} were given", arguments.files.len());
        return Exit::Usage;
    };
    match arguments.lang.or_else(|| language(file)) {
        Some(language @ (Language::Aiger | Language::Btor2)) => {
            hardware::check(file, language, arguments)
        }
        None => {
            eprintln!(
                "{}: the language can't be told from the name; name it with --lang, or use one of \
                 the endings .aig, .aag, .btor2, .btor",
                file.display()
            );
            Exit::Input
        }
    }
}

fn language(file: &Path) -> Option<Language> {
    match file.extension()?.to_str()? {
        "aig" | "aag" => Some(Language::Aiger),
        "btor2" | "btor" => Some(Language::Btor2),
        _ => None,
    }
}
