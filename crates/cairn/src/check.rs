//! `cairn check`: verify, certify, report.

use crate::exit::Exit;
use crate::hardware::{self, Format};
use crate::options::{Check, Engine, Language};
use crate::software;
use std::path::Path;

/// Decides what was asked and prints the verdict as the last line.
pub fn run(arguments: &Check) -> Exit {
    let Some(first) = arguments.files.first() else { return Exit::Usage };
    let Some(lang) = arguments.lang.or_else(|| language(first)) else {
        eprintln!(
            "{}: the language can't be told from the name; name it with --lang, or use one of \
             the endings .c, .i, .aig, .aag, .btor2, .btor",
            first.display()
        );
        return Exit::Input;
    };
    let format = match lang {
        Language::C => return software::check(&arguments.files, arguments),
        Language::Aiger => Format::Aiger,
        Language::Btor2 => Format::Btor2,
    };
    let [file] = &arguments.files[..] else {
        eprintln!("cairn check takes one circuit at a time; {} were given", arguments.files.len());
        return Exit::Usage;
    };
    if matches!(arguments.engine, Engine::Ic3cfa | Engine::Ic3smt | Engine::Treeic3) {
        eprintln!("this engine is for programs; circuits take ic3, bmc, kind or portfolio");
        return Exit::Usage;
    }
    hardware::check(file, format, arguments)
}

/// The language that the name of a file tells.
pub fn language(file: &Path) -> Option<Language> {
    match file.extension()?.to_str()? {
        "c" | "i" => Some(Language::C),
        "aig" | "aag" => Some(Language::Aiger),
        "btor2" | "btor" => Some(Language::Btor2),
        _ => None,
    }
}
