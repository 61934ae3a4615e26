//! What structural coverage is about: statements, decisions with their conditions, labels of selections,
//! and calls, as a front end finds them.
//!
//! A *decision* is a Boolean expression that is not an operand of another one, a *condition* one without
//! Boolean operators in it [DO-178C, glossary].
//!
//! A front end that is asked for it puts *probes* into the program: assignments to registers that nothing
//! reads. One says that a [`Point`] is reached, the others with what truth values of its conditions a
//! decision was evaluated: bit `i` is that of condition `i`. Which conditions were evaluated follows from
//! the values ([`Tree::evaluate`]). What a front end writes out more than once has its probes as often.

mod tree;

pub use tree::{Bitwise, Evaluation, Tree};

use crate::Place;
use crate::program::VariableId;
use std::sync::Arc;

/// The most characters of a condition's text.
const TEXT: usize = 60;

/// A decision with more conditions than this is looked at as a whole only.
pub const MAX_CONDITIONS: usize = 64;

/// What there is to cover.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// The functions that are defined, in the order of the source.
    pub functions: Vec<Function>,
    /// Places that a run comes to, or not.
    pub points: Vec<Point>,
    /// Decisions.
    pub decisions: Vec<Decision>,
    /// The register that says which point is reached, by its number; none if there are no points.
    pub reached: Option<VariableId>,
    /// What the language calls its selections.
    pub words: Words,
}

/// Words for a selection by value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Words {
    /// The statement.
    pub selection: &'static str,
    /// What stands before a label's value.
    pub case: &'static str,
    /// The label of all other values.
    pub default: &'static str,
}

impl Default for Words {
    /// Those of C.
    fn default() -> Words {
        Words { selection: "switch", case: "case ", default: "default" }
    }
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// Where it is defined.
    pub place: Place,
    /// Whether something that can be called refers to it, so that it is part of the program.
    pub used: bool,
}

/// Where something stands in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The place.
    pub place: Place,
    /// The function, by its number.
    pub function: usize,
    /// The macro whose text it is.
    pub in_macro: Option<Arc<str>>,
}

/// A place that a run comes to, or not.
#[derive(Clone, Debug)]
pub struct Point {
    /// Where.
    pub spot: Spot,
    /// What is there.
    pub kind: PointKind,
    /// Whether it counts: a front end may find out late that it is none.
    pub counts: bool,
}

/// What is at a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PointKind {
    /// A function begins.
    Entry,
    /// A statement begins.
    Statement(StatementKind),
    /// A call is about to be made: of the function with this name, or through a pointer.
    Call(Option<Arc<str>>),
    /// The value of the selection with this number has been found to be one of this label.
    Label {
        /// The number of the selection in its function.
        selection: usize,
        /// Which label.
        label: Label,
    },
    /// A transition of a chart fires.
    Transition {
        /// The steps that are left.
        from: Arc<str>,
        /// Those that are entered.
        to: Arc<str>,
    },
}

/// What a statement is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum StatementKind {
    Expression,
    Declaration,
    If,
    Switch,
    Loop,
    Jump,
    Return,
    Assembly,
}

/// A label of a selection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Label {
    /// One with values, by the number among those of the selection and its text.
    Case(usize, Arc<str>),
    /// That of all other values, or none of the labels where there is none.
    Default {
        /// Whether it is written.
        written: bool,
    },
}

/// What a decision decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Which branch of an `if` is taken.
    If,
    /// Whether a loop goes on.
    Loop,
    /// Whether a loop ends.
    Until,
    /// Which operand of `?:` is evaluated.
    Conditional,
    /// Nothing: it is a value.
    Value,
}

/// A decision.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Where.
    pub spot: Spot,
    /// What it decides.
    pub role: Role,
    /// How it is made of its conditions.
    pub tree: Tree,
    /// Its conditions, from left to right.
    pub conditions: Vec<Condition>,
    /// The register that takes the truth values of its conditions, if it is part of the program.
    pub seen: Option<VariableId>,
    /// Whether it counts: a front end may find out late that it is none.
    pub counts: bool,
}

/// A condition.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Where.
    pub spot: Spot,
    /// Its text, shortened.
    pub text: Arc<str>,
    /// The operator that it is an operand of; none if it is the whole decision.
    pub operator: Option<&'static str>,
    /// Its value, if that is known when the program is translated.
    pub constant: Option<bool>,
}

/// A text in one line, without what the preprocessor says of lines, and shortened.
#[must_use]
pub fn shortened(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let text = words.join(" ");
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
