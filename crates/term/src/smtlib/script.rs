//! Scripts: the commands of a file, in order, with terms for their formulas.

use super::error::Place;
use crate::pool::{Func, Symbol, Term};
use crate::sort::Sort;

/// A parsed script.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Script {
    /// Its commands, up to and including `(exit)`.
    pub commands: Vec<Located>,
}

impl Script {
    /// The asserted formulas, for scripts in which `push`, `pop` and resets play no role.
    pub fn assertions(&self) -> impl Iterator<Item = Term> {
        self.commands.iter().filter_map(|located| match located.command {
            Command::Assert { term, .. } => Some(term),
            _ => None,
        })
    }

    /// The logic of the first `set-logic`.
    pub fn logic(&self) -> Option<&str> {
        self.commands.iter().find_map(|located| match &located.command {
            Command::SetLogic(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

/// A command and where it starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    /// The place of its opening parenthesis.
    pub place: Place,
    /// The command.
    pub command: Command,
}

/// A term together with the text it was read from, which answers have to repeat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The term.
    pub term: Term,
    /// Its text in the script.
    pub text: String,
}

/// What a `declare-const` or `declare-fun` declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Declared {
    /// A constant.
    Constant(Term),
    /// A function or predicate with at least one argument.
    Function(Func),
}

/// A command. Names and formulas are resolved: scopes, `let` and defined functions are gone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `(set-logic name)`
    SetLogic(String),
    /// `(set-info keyword value)`, the value as written, possibly empty
    SetInfo {
        /// With its colon.
        keyword: String,
        /// As written.
        value: String,
    },
    /// `(set-option keyword value)`, the value as written, possibly empty
    SetOption {
        /// With its colon.
        keyword: String,
        /// As written.
        value: String,
    },
    /// `(declare-sort name arity)`
    DeclareSort {
        /// Its name.
        name: Symbol,
        /// The number of its parameters.
        arity: u32,
    },
    /// `(define-sort name (…) sort)`; uses are expanded.
    DefineSort {
        /// Its name.
        name: Symbol,
    },
    /// `(declare-const …)` and `(declare-fun …)`
    Declare {
        /// The name.
        name: Symbol,
        /// What it is the name of.
        declared: Declared,
    },
    /// `(define-fun …)` and `(define-const …)`; uses are expanded.
    Define {
        /// The name.
        name: Symbol,
        /// The parameters, variables of their own.
        params: Vec<Term>,
        /// The sort of the result.
        result: Sort,
        /// The body over the parameters.
        body: Term,
    },
    /// A `(! term :named name)` inside the command that follows.
    Named {
        /// The name.
        name: Symbol,
        /// The term.
        term: Term,
    },
    /// `(assert term)`
    Assert {
        /// The formula.
        term: Term,
        /// The `:named` name of the whole formula.
        name: Option<Symbol>,
    },
    /// `(declare-var name sort)`: a variable that is free in rules.
    Variable(Term),
    /// `(rule formula)`: a Horn clause over variables that are free in it
    /// ([`Parser::with_rules`](super::Parser::with_rules)).
    Rule(Term),
    /// `(query formula)`: asks whether the rules derive an instance of it.
    Query(Term),
    /// `(push n)`
    Push(u32),
    /// `(pop n)`; there are that many levels.
    Pop(u32),
    /// `(check-sat)`
    CheckSat,
    /// `(check-sat-assuming (…))`
    CheckSatAssuming(Vec<Written>),
    /// `(get-value (…))`
    GetValue(Vec<Written>),
    /// `(get-model)`
    GetModel,
    /// `(get-unsat-core)`
    GetUnsatCore,
    /// `(get-unsat-assumptions)`
    GetUnsatAssumptions,
    /// `(get-assertions)`
    GetAssertions,
    /// `(get-assignment)`
    GetAssignment,
    /// `(get-proof)`
    GetProof,
    /// `(get-info keyword)`, with its colon
    GetInfo(String),
    /// `(get-option keyword)`, with its colon
    GetOption(String),
    /// `(echo "text")`
    Echo(String),
    /// `(reset)`
    Reset,
    /// `(reset-assertions)`
    ResetAssertions,
    /// `(exit)`
    Exit,
    /// A command that Cairn does not know and that may be skipped: the standard has the tool
    /// answer `unsupported`.
    Unsupported {
        /// Its name.
        name: String,
    },
}
