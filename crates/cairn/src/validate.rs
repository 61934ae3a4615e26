//! `cairn validate`: checks somebody's certificate or trace of a circuit; witnesses of programs are
//! checked in [`crate::software`].
//!
//! The kind of the witness is told by its first bytes: an AIGER header is a certificate circuit,
//! anything else a trace in the format of the circuit's language. What is accepted gets the verdict
//! that it stands for; what is not leaves the question open.

use crate::check::language;
use crate::exit::Exit;
use crate::hardware::{Design, Format, read};
use crate::limits::{Budget, LastResort};
use crate::options::{Language, Validate};
use certify::check_certificate;
use circuit::{aiger, btor2, replay};

/// Checks the witness and prints what it shows.
pub fn run(arguments: &Validate) -> Exit {
    let first = arguments.files.first();
    let lang = arguments.lang.or_else(|| first.and_then(|file| language(file)));
    if lang == Some(Language::C) {
        return crate::software::validate(arguments);
    }
    let budget = Budget::start(arguments.time_limit, None);
    let late = |what| format!("verdict: unknown ({what})");
    let last_resort = LastResort::beyond(&budget, late, Exit::Unknown);
    match validate(arguments, lang, &budget) {
        Ok(Shown { line, exit }) => {
            last_resort.answer(|| println!("verdict: {line}"));
            exit
        }
        Err(message) => {
            eprintln!("{message}");
            Exit::Input
        }
    }
}

/// What a witness shows.
struct Shown {
    line: String,
    exit: Exit,
}

impl Shown {
    fn is_safe() -> Shown {
        Shown { line: "safe".to_owned(), exit: Exit::Success }
    }

    fn is_unsafe() -> Shown {
        Shown { line: "unsafe".to_owned(), exit: Exit::Unsafe }
    }

    fn nothing(why: impl std::fmt::Display) -> Shown {
        Shown { line: format!("unknown (the witness is not accepted: {why})"), exit: Exit::Unknown }
    }
}

/// The error is a message about a file that can't be read.
fn validate(
    arguments: &Validate,
    lang: Option<Language>,
    budget: &Budget,
) -> Result<Shown, String> {
    let [path] = &arguments.files[..] else {
        return Err("a witness of a circuit is about one circuit".to_owned());
    };
    let (file, witness) = (path.display(), arguments.witness.display());
    let format = match lang {
        Some(Language::Aiger) => Format::Aiger,
        Some(Language::Btor2) => Format::Btor2,
        Some(Language::C) | None => {
            return Err(format!(
                "{file}: the language can't be told from the name; --lang names it"
            ));
        }
    };
    let property = match &arguments.property[..] {
        [] => None,
        [number] => Some(number.parse::<usize>().map_err(|_| {
            format!("{file}: a property of a circuit is named by its number, not by {number}")
        })?),
        _ => return Err(format!("{file}: a certificate is about one property")),
    };
    let bytes = std::fs::read(path).map_err(|error| format!("{file}: {error}"))?;
    let design = read(&bytes, format).map_err(|message| format!("{file}:{message}"))?;
    let bytes = std::fs::read(&arguments.witness).map_err(|error| format!("{witness}: {error}"))?;
    let misread = |error: String| format!("{witness}:{error}");
    if bytes.starts_with(b"aig ") || bytes.starts_with(b"aag ") {
        let certificate = aiger::read(&bytes).map_err(|error| misread(error.to_string()))?;
        let count = design.system.bads.len();
        if let Some(property) = property.filter(|property| *property >= count) {
            return Err(format!("{file}: there is no bad property {property}, only {count}"));
        }
        return Ok(check(&design, property, &certificate, budget));
    }
    match &design.words {
        None => {
            let claims = aiger::read_witnesses(&bytes).map_err(|e| misread(e.to_string()))?;
            Ok(replay_bits(&design, &claims))
        }
        Some((words, _)) => {
            let trace = btor2::witness::read_witness(&bytes).map_err(|e| misread(e.to_string()))?;
            Ok(match btor2::witness::replay(words, &trace) {
                Ok(()) => Shown::is_unsafe(),
                Err(error) => Shown::nothing(error),
            })
        }
    }
}

/// A certificate is about one property, the first unless another one is named. Where a circuit has
/// several and none is named, it can't show the circuit safe.
fn check(
    design: &Design,
    property: Option<usize>,
    certificate: &circuit::TransitionSystem,
    budget: &Budget,
) -> Shown {
    let number = property.unwrap_or(0);
    match check_certificate(&design.system, number, certificate, &budget.allowance) {
        Err(rejection) => Shown::nothing(rejection),
        Ok(()) if property.is_none() && design.system.bads.len() > 1 => {
            Shown::nothing("it holds for property b0, and there are more; --property names one")
        }
        Ok(()) => Shown::is_safe(),
    }
}

fn replay_bits(design: &Design, claims: &[aiger::Witness]) -> Shown {
    let mut violated = false;
    for claim in claims {
        let aiger::Claim::Violated(trace) = &claim.claim else { continue };
        for &bad in &claim.bads {
            if let Err(error) = replay(&design.system, trace, bad) {
                return Shown::nothing(format!("property b{bad}: {error}"));
            }
            violated = true;
        }
    }
    if violated { Shown::is_unsafe() } else { Shown::nothing("it has no trace of a violation") }
}
