//! What a language must be able to do: read files into a [`Task`], and write what is found in its own
//! words. Everything above the front ends asks the task's language and knows none.
//!
//! A new language is a crate that reads it, a file in [`crate::languages`] that implements this trait,
//! and a row of [`crate::LANGUAGES`].

use crate::Build;
use crate::task::{DataModel, Reading, Task};
use program::counterexample::{Counterexample, Taken};
use program::program::Reading as ValueReading;
use source::SourceMap;
use source::diagnostic::Diagnostic;
use std::fmt;
use std::path::PathBuf;
use term::{Pool, Term, Value};

/// A language that questions are asked in.
pub trait Language: Sync {
    /// The name in documents, such as `C`.
    fn name(&self) -> &'static str;

    /// The name on the command line, such as `c`.
    fn option(&self) -> &'static str {
        self.endings()[0]
    }

    /// A line of help.
    fn about(&self) -> &'static str;

    /// The endings of its files, the usual one first.
    fn endings(&self) -> &'static [&'static str];

    /// Reads files as one task.
    fn read(&'static self, inputs: &[Input], reading: &Reading) -> Result<Task, Rejection>;

    /// Reads files for structural coverage: the program has probes, and nothing is asked of it; none if that
    /// is not measured of the language's programs.
    fn read_covered(&'static self, _: &[Input], _: &Reading) -> Option<Covered> {
        None
    }

    /// The syntax tree of files, for those who want to see it.
    fn tree(&self, _: &[Input], _: &Reading, _: Picture) -> Option<Result<String, Rejection>> {
        None
    }

    /// Whether its files are programs, and not circuits.
    fn has_programs(&self) -> bool {
        true
    }

    /// Whether its files are Horn clauses, and neither programs nor circuits.
    fn has_clauses(&self) -> bool {
        false
    }

    /// Whether runs depend on the sizes of a machine's types.
    fn has_data_model(&self) -> bool {
        false
    }

    /// The data model that files are for, where nobody has named one: as their flags say, or that of the
    /// machine.
    fn data_model(&self, _files: &[PathBuf], _: &Build) -> Result<DataModel, Rejection> {
        Ok(DataModel::default())
    }

    /// A formula as an expression over variables that have names; none if the language has no such
    /// expression.
    fn expression(&self, _: &Pool, _: Term, _: &dyn Fn(Term) -> Option<Name>) -> Option<String> {
        None
    }

    /// A value as the language writes it.
    fn value(&self, value: &Value, reading: ValueReading) -> String {
        program::counterexample::written(value, reading)
    }

    /// What an unknown value of a run is to the user.
    fn role(&self, _: &Taken) -> Role {
        Role::Input
    }

    /// Whether the user knows a variable that a run assigns to, by its name.
    fn is_known(&self, _: &str) -> bool {
        true
    }

    /// A file that drives the compiled program along a run. What a copy of a file of the task would be
    /// called follows from its number, from one, and its ending.
    fn harness(
        &self,
        _: &Task,
        _: &Counterexample,
        _: &dyn Fn(usize, &str) -> String,
    ) -> Option<Harness> {
        None
    }

    /// A file that drives the program along several runs one by one; the error says in words what stands
    /// against it. None if the language leaves that to others.
    fn suite(&self, _: &Task, _: &[Counterexample]) -> Option<Result<String, String>> {
        None
    }
}

impl fmt::Debug for dyn Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A program with probes, and what there is to cover.
pub type Covered = Result<(Task, program::coverage::Map), Rejection>;

/// Something to read.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file on disk.
    File(PathBuf),
    /// A text under a name.
    Text {
        /// The name that messages give it.
        name: String,
        /// Its bytes.
        text: Vec<u8>,
    },
}

impl Input {
    /// How messages call it.
    pub fn name(&self) -> String {
        match self {
            Input::File(path) => path.display().to_string(),
            Input::Text { name, .. } => name.clone(),
        }
    }

    /// Its bytes.
    pub fn bytes(&self) -> Result<Vec<u8>, Rejection> {
        match self {
            Input::Text { text, .. } => Ok(text.clone()),
            Input::File(path) => std::fs::read(path)
                .map_err(|error| Rejection::new(format!("{}: {error}", path.display()))),
        }
    }
}

/// A variable in the source.
#[derive(Clone, Debug)]
pub struct Name {
    /// An expression that names it.
    pub text: String,
    /// Whether its type is signed.
    pub signed: bool,
}

/// What an unknown value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Something that the environment chooses.
    Input,
    /// What a function returns that checks or assumes something.
    Check,
    /// A decision on a quantified formula.
    Quantifier,
    /// A part of such a decision, which says nothing by itself.
    Part,
}

/// Ways to print a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Picture {
    /// For reading.
    Text,
    /// For Graphviz.
    Dot,
}

/// An executable counterexample.
#[derive(Clone, Debug)]
pub struct Harness {
    /// Its text.
    pub text: String,
    /// Copies of the program's files that it needs instead of them: name and text.
    pub copies: Vec<(String, String)>,
}

/// Why an input is not accepted: messages with places, in the order in which they should be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .messages.join("\n"))]
pub struct Rejection {
    /// The messages; perhaps several lines each.
    pub messages: Vec<String>,
}

impl Rejection {
    /// One message.
    pub fn new(message: impl Into<String>) -> Rejection {
        Rejection { messages: vec![message.into()] }
    }

    /// Everything that is wrong with texts.
    pub fn diagnostics<'d>(
        diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
        sources: &SourceMap,
    ) -> Rejection {
        let messages = diagnostics.into_iter().map(|diagnostic| diagnostic.render(sources));
        Rejection { messages: messages.collect() }
    }
}

/// The language that the ending of a name tells.
pub fn by_ending(
    languages: &'static [&'static dyn Language],
    file: &std::path::Path,
) -> Option<&'static dyn Language> {
    let ending = file.extension()?.to_str()?;
    languages.iter().copied().find(|language| language.endings().contains(&ending))
}
