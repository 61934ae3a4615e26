//! The syntax tree: what was written, names not yet looked up.
//!
//! One tree for all dialects and for files of XML, whose diagrams become statements when they are
//! read. Nodes own their parts and carry their places. Reading bounds the tree's height
//! ([`crate::parse::MAX_HEIGHT`]), so recursion over it is safe on the stack of
//! [`source::with_deep_stack`].
//!
//! * here: units, program organization units, and what they are made of;
//! * [`declaration`]: sections of variables, types, configurations;
//! * [`expression`], [`statement`]: code;
//! * [`chart`]: sequential function charts.

pub mod chart;
pub mod declaration;
pub mod expression;
pub mod statement;

pub use chart::{Association, Chart, Step, Transition};
pub use declaration::{
    Accessibility, Configuration, ConnectedArgument, Dimension, Direct, Edge, EnumValue, Instance,
    Pointer, Resource, Retention, Task, TypeDeclaration, TypeKind, TypeSpec, VariableKind,
    VariableSection, Variables,
};
pub use expression::{
    Argument, BinaryOp, Element, Expr, ExprKind, FieldValue, Literal, LiteralKind, PartWidth,
    UnaryOp,
};
pub use statement::{AssignOp, Block, CaseArm, CaseLabel, Claim, Stmt, StmtKind};

use crate::dialect::Dialect;
use source::{Diagnostic, Span};
use std::fmt;
use std::sync::Arc;

/// All that was read: the files of a program, in order.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// The dialect that was asked for, or noticed in the first file that shows one.
    pub dialect: Dialect,
    /// What the files declare, in order.
    pub items: Vec<Item>,
    /// What is accepted, but should be known.
    pub warnings: Vec<Diagnostic>,
}

/// How a name is written.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Spelling {
    /// `name`
    #[default]
    Plain,
    /// `#name` of SCL: of this block.
    Local,
    /// `"name"` of SCL: a block, type, data block or tag of the controller.
    Quoted,
    /// `#"name"` of SCL.
    LocalQuoted,
}

/// An identifier. Upper and lower case are the same: compare [`Name::key`].
#[derive(Clone, Debug)]
pub struct Name {
    /// As it is written, without quotes and `#`.
    pub text: Arc<str>,
    /// In small letters; the same for all spellings of one name.
    pub key: Arc<str>,
    /// How it is written.
    pub spelling: Spelling,
    /// Its place.
    pub span: Span,
}

impl Name {
    /// A name that stands plainly at a place.
    #[must_use]
    pub fn new(text: &str, span: Span) -> Name {
        Name { text: text.into(), key: text.to_lowercase().into(), spelling: Spelling::Plain, span }
    }

    /// Whether this is the other name, given in small letters.
    #[must_use]
    pub fn is(&self, key: &str) -> bool {
        *self.key == *key
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Names with dots between them, at least one: `Namespace.Type`.
#[derive(Clone, Debug)]
pub struct Path {
    /// The names.
    pub names: Vec<Name>,
    /// Its place.
    pub span: Span,
}

impl Path {
    /// The last name.
    ///
    /// # Panics
    /// Never for a path that was read.
    #[must_use]
    pub fn last(&self) -> &Name {
        self.names.last().expect("a path has a name")
    }
}

impl From<Name> for Path {
    fn from(name: Name) -> Path {
        Path { span: name.span, names: vec![name] }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.names.iter().enumerate() {
            write!(f, "{}{name}", if i > 0 { "." } else { "" })?;
        }
        Ok(())
    }
}

/// `{text}`: a pragma or attribute, or a line of SCL's block header (`VERSION : 0.1`).
#[derive(Clone, Debug)]
pub struct Pragma {
    /// What stands between the braces, without blanks around it.
    pub text: Arc<str>,
    /// Its place.
    pub span: Span,
}

impl Pragma {
    /// Whether the text begins with this word, whatever its case: `external`, `ref`, `attribute`.
    #[must_use]
    pub fn is(&self, word: &str) -> bool {
        let first = self.text.split(|c: char| !c.is_alphanumeric() && c != '_').next();
        first.is_some_and(|first| first.eq_ignore_ascii_case(word))
    }
}

/// A declaration on the level of files and namespaces.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Pragmas that stand before it.
    pub pragmas: Vec<Pragma>,
    /// Its place, from the first word to the last.
    pub span: Span,
}

/// What an item is.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// A program, function, function block, class or organization block.
    Pou(Box<Pou>),
    /// `INTERFACE … END_INTERFACE`
    Interface(Box<Interface>),
    /// The entries of one `TYPE … END_TYPE`.
    Types(Vec<TypeDeclaration>),
    /// `VAR_GLOBAL … END_VAR` outside of configurations, with the name of the list in TwinCAT.
    Globals(Option<Name>, VariableSection),
    /// `CONFIGURATION … END_CONFIGURATION`
    Configuration(Box<Configuration>),
    /// `VAR_CONFIG … END_VAR` outside of configurations.
    Config(VariableSection),
    /// `NAMESPACE A.B … END_NAMESPACE`
    Namespace(Box<Namespace>),
    /// `USING A.B, C;`
    Using(Vec<Path>),
    /// `ACTIONS pou … END_ACTIONS`: actions of a unit that is declared elsewhere.
    Actions(Name, Vec<Action>),
    /// `DATA_BLOCK … END_DATA_BLOCK` of SCL.
    DataBlock(Box<DataBlock>),
}

/// What sort of unit it is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum PouKind {
    /// `PROGRAM`
    Program,
    /// `FUNCTION`
    Function,
    /// `FUNCTION_BLOCK`
    FunctionBlock,
    /// `CLASS`
    Class,
    /// `ORGANIZATION_BLOCK` of SCL, a program that the controller starts.
    OrganizationBlock,
}

impl PouKind {
    /// The keyword.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            PouKind::Program => "PROGRAM",
            PouKind::Function => "FUNCTION",
            PouKind::FunctionBlock => "FUNCTION_BLOCK",
            PouKind::Class => "CLASS",
            PouKind::OrganizationBlock => "ORGANIZATION_BLOCK",
        }
    }
}

/// A program organization unit, or a class.
#[derive(Clone, Debug)]
pub struct Pou {
    /// What sort it is.
    pub kind: PouKind,
    /// Its name.
    pub name: Name,
    /// Who may use it, and whether it may be inherited from.
    pub modifiers: Modifiers,
    /// `<T: ANY_NUM>`
    pub generics: Vec<Generic>,
    /// `EXTENDS base`
    pub extends: Option<Path>,
    /// `IMPLEMENTS a, b`
    pub implements: Vec<Path>,
    /// The type of the result; `VOID` of SCL is none.
    pub result: Option<TypeSpec>,
    /// `USING` inside.
    pub using: Vec<Path>,
    /// Pragmas and header lines inside, before the body.
    pub pragmas: Vec<Pragma>,
    /// Sections of variables, in order.
    pub sections: Vec<VariableSection>,
    /// Types that are declared inside.
    pub types: Vec<TypeDeclaration>,
    /// Methods.
    pub methods: Vec<Method>,
    /// Properties.
    pub properties: Vec<Property>,
    /// Actions, also those of a chart.
    pub actions: Vec<Action>,
    /// What it does.
    pub body: Body,
}

/// Words before a name that restrict it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Modifiers {
    /// `PUBLIC`, `PRIVATE`, …; none if nothing is written.
    pub access: Option<Accessibility>,
    /// `ABSTRACT`
    pub is_abstract: bool,
    /// `FINAL`
    pub is_final: bool,
    /// `OVERRIDE`
    pub is_override: bool,
}

/// A type parameter.
#[derive(Clone, Debug)]
pub struct Generic {
    /// Its name.
    pub name: Name,
    /// The types it stands for: `ANY_NUM`.
    pub bound: Path,
}

/// What a unit, method or action does.
#[derive(Clone, Debug)]
pub enum Body {
    /// There is none: an `{external}` unit, a method of an interface, an abstract method.
    Missing,
    /// Statements.
    Code(Block),
    /// A sequential function chart.
    Chart(Box<Chart>),
}

/// A method, or the declaration of one in an interface.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name.
    pub name: Name,
    /// Who may call it.
    pub modifiers: Modifiers,
    /// `<T: ANY_NUM>`
    pub generics: Vec<Generic>,
    /// The type of the result.
    pub result: Option<TypeSpec>,
    /// Pragmas before it.
    pub pragmas: Vec<Pragma>,
    /// Sections of variables.
    pub sections: Vec<VariableSection>,
    /// What it does.
    pub body: Body,
    /// Its place.
    pub span: Span,
}

/// A property: a value that is read and written by code.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: Name,
    /// Who may use it.
    pub modifiers: Modifiers,
    /// Its type.
    pub ty: TypeSpec,
    /// Pragmas before it.
    pub pragmas: Vec<Pragma>,
    /// How it is read.
    pub get: Option<Accessor>,
    /// How it is written; the new value has the name of the property.
    pub set: Option<Accessor>,
    /// Its place.
    pub span: Span,
}

/// One of the two halves of a property.
#[derive(Clone, Debug)]
pub struct Accessor {
    /// Who may use it.
    pub modifiers: Modifiers,
    /// Sections of variables.
    pub sections: Vec<VariableSection>,
    /// What it does.
    pub body: Body,
    /// Its place.
    pub span: Span,
}

/// A named piece of a unit's code, which sees the unit's variables.
#[derive(Clone, Debug)]
pub struct Action {
    /// Its name.
    pub name: Name,
    /// Pragmas before it.
    pub pragmas: Vec<Pragma>,
    /// What it does.
    pub body: Body,
    /// Its place.
    pub span: Span,
}

/// An interface.
#[derive(Clone, Debug)]
pub struct Interface {
    /// Its name.
    pub name: Name,
    /// Who may use it.
    pub modifiers: Modifiers,
    /// `EXTENDS a, b`
    pub extends: Vec<Path>,
    /// `USING` inside.
    pub using: Vec<Path>,
    /// Methods without bodies.
    pub methods: Vec<Method>,
    /// Properties without bodies.
    pub properties: Vec<Property>,
}

/// A namespace.
#[derive(Clone, Debug)]
pub struct Namespace {
    /// Its name.
    pub name: Path,
    /// `INTERNAL`: only the namespace around it sees it.
    pub internal: bool,
    /// What it contains; `USING` is among it.
    pub items: Vec<Item>,
}

/// A data block of SCL: one global variable.
#[derive(Clone, Debug)]
pub struct DataBlock {
    /// Its name.
    pub name: Name,
    /// Pragmas and header lines.
    pub pragmas: Vec<Pragma>,
    /// A structure, or the type or function block that it is an instance of.
    pub ty: TypeSpec,
    /// The sections of variables that some write instead of a structure; then `ty` has no fields.
    pub sections: Vec<VariableSection>,
    /// Assignments of start values after `BEGIN`.
    pub initial: Block,
}
