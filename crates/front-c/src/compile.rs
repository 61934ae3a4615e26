//! From files to a typed program: all stages in order.

use crate::ast::Unit;
use crate::check::Checker;
use crate::claim::{self, Claim};
use crate::diagnostic::{Diagnostic, Severity};
use crate::flags::Build;
use crate::lexer::lex;
use crate::parse::{Claimed, parse_with};
use crate::preprocess::{self, PreprocessError, preprocess};
use crate::source::{FileId, SourceError, SourceMap};
use crate::stack::with_deep_stack;
use crate::symbol::Symbols;
use crate::token::Keywords;
use crate::typed::Program;
use crate::types::DataModel;
use std::path::PathBuf;

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// The data model.
    pub model: DataModel,
    /// The flags that files are compiled with.
    pub build: Build,
    /// How to preprocess files that need it.
    pub preprocess: preprocess::Options,
}

impl Options {
    /// Everything as usual for a data model.
    #[must_use]
    pub fn new(model: DataModel) -> Options {
        let (build, preprocess) = (Build::default(), preprocess::Options::default());
        Options { model, build, preprocess }
    }
}

/// A file of the program.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file on disk; it is preprocessed unless its name ends in `.i`.
    File(PathBuf),
    /// A preprocessed text.
    Text {
        /// The name that messages give it.
        name: String,
        /// Its bytes.
        text: Vec<u8>,
    },
}

/// A file could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// It could not be preprocessed.
    #[error(transparent)]
    Preprocess(#[from] PreprocessError),
    /// It is not readable or too large.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// The result of compiling files that could be read.
#[derive(Debug)]
pub struct Compiled {
    /// The texts, for rendering messages and places.
    pub sources: SourceMap,
    /// The program, if there were no errors.
    pub program: Option<Program>,
    /// Errors and warnings, in the order they were found.
    pub diagnostics: Vec<Diagnostic>,
}

impl Compiled {
    /// The errors alone.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|d| d.severity == Severity::Error)
    }
}

/// Compiles files as one program.
pub fn compile(inputs: &[Input], options: &Options) -> Result<Compiled, InputError> {
    compile_with(inputs, options, &[])
}

/// Compiles files as one program, with what is claimed of it. A claim that has no place in it is
/// an error.
pub fn compile_with(
    inputs: &[Input],
    options: &Options,
    claims: &[Claim],
) -> Result<Compiled, InputError> {
    let mut sources = SourceMap::new();
    let mut files = Vec::new();
    for input in inputs {
        files.push(load(&mut sources, input, options)?);
    }
    let texts = claim::add(&mut sources, claims)?;
    let work = || check(&mut sources, &files, options.model, claims, texts);
    let (program, diagnostics) = with_deep_stack(work);
    Ok(Compiled { sources, program, diagnostics })
}

fn load(sources: &mut SourceMap, input: &Input, options: &Options) -> Result<FileId, InputError> {
    let path = match input {
        Input::Text { name, text } => return Ok(sources.add(name, text.as_slice())?),
        Input::File(path) => path,
    };
    let name = path.display().to_string();
    let text = sources.read(path)?;
    if path.extension().is_some_and(|e| e == "i") {
        return Ok(sources.add(&name, text)?);
    }
    let flags = options.build.of(path);
    let made = |comments| preprocess(path, options.model, &flags, comments, &options.preprocess);
    let mut preprocessed = made(has_annotations(&text))?;
    if !has_annotations(&text) && includes_annotations(&preprocessed) {
        preprocessed = made(true)?;
    }
    sources.add_original(&name, text);
    Ok(sources.add(&name, preprocessed)?)
}

/// Whether a text has comments that may be contracts.
fn has_annotations(text: &[u8]) -> bool {
    text.windows(3).any(|three| three == b"/*@" || three == b"//@")
}

/// Whether a file that a text was made from, and that is not the system's, has such comments.
fn includes_annotations(preprocessed: &[u8]) -> bool {
    let text = String::from_utf8_lossy(preprocessed);
    let mut seen = std::collections::BTreeSet::new();
    let markers = text.lines().filter(|line| line.starts_with("# "));
    markers.into_iter().any(|line| {
        let Some((file, flags)) = line.split_once('"').and_then(|(_, rest)| rest.rsplit_once('"'))
        else {
            return false;
        };
        let system = flags.split_whitespace().any(|flag| flag == "3");
        !system
            && seen.insert(file.to_owned())
            && std::fs::read(file).is_ok_and(|text| has_annotations(&text))
    })
}

fn check(
    sources: &mut SourceMap,
    files: &[FileId],
    model: DataModel,
    claims: &[Claim],
    texts: Vec<FileId>,
) -> (Option<Program>, Vec<Diagnostic>) {
    let mut symbols = Symbols::default();
    let keywords = Keywords::seed(&mut symbols);
    let loaded = match claim::lex_all(sources, texts, &mut symbols, &keywords) {
        Ok(loaded) => loaded,
        Err(error) => return (None, vec![*error]),
    };
    let mut units = Vec::new();
    let mut errors = Vec::new();
    for &file in files {
        let mut lexed = match lex(sources.file(file), &mut symbols, &keywords) {
            Ok(lexed) => lexed,
            Err(error) => {
                errors.push(*error);
                continue;
            }
        };
        sources.set_markers(file, std::mem::take(&mut lexed.markers));
        let claimed = (!claims.is_empty()).then(|| Claimed::new(claims, &loaded, sources));
        match parse_with(&lexed, &mut symbols, claimed) {
            Ok(unit) => units.push(unit),
            Err(error) => errors.push(*error),
        }
    }
    for (number, (claim, &text)) in claims.iter().zip(&loaded.files).enumerate() {
        let is_here = |unit: &Unit| unit.claims.placed.contains(&(number as u32));
        if errors.is_empty() && !units.iter().any(is_here) {
            errors.push(claim::misplaced(sources, claim, text));
        }
    }
    if !errors.is_empty() {
        return (None, errors);
    }
    let mut checker = Checker::new(model, symbols);
    for unit in &units {
        checker.unit(unit);
    }
    checker.finish()
}
