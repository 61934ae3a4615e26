//! Declarations: sections of variables, types, configurations.

use super::{Expr, Name, Path, Pragma};
use source::Span;

/// What the variables of a section are.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum VariableKind {
    /// `VAR`
    Local,
    /// `VAR_INPUT`
    Input,
    /// `VAR_OUTPUT`
    Output,
    /// `VAR_IN_OUT`
    InOut,
    /// `VAR_TEMP`: new at each call.
    Temp,
    /// `VAR_STAT`: of a function or method, and kept from call to call.
    Stat,
    /// `VAR_INST`: of a method, and kept with the instance.
    Inst,
    /// `VAR_GLOBAL`
    Global,
    /// `VAR_EXTERNAL`: a global one, made visible.
    External,
    /// `VAR_CONFIG`: places and values for variables of instances.
    Config,
    /// `VAR_ACCESS`: names by which others reach variables.
    Access,
}

impl VariableKind {
    /// The keyword.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            VariableKind::Local => "VAR",
            VariableKind::Input => "VAR_INPUT",
            VariableKind::Output => "VAR_OUTPUT",
            VariableKind::InOut => "VAR_IN_OUT",
            VariableKind::Temp => "VAR_TEMP",
            VariableKind::Stat => "VAR_STAT",
            VariableKind::Inst => "VAR_INST",
            VariableKind::Global => "VAR_GLOBAL",
            VariableKind::External => "VAR_EXTERNAL",
            VariableKind::Config => "VAR_CONFIG",
            VariableKind::Access => "VAR_ACCESS",
        }
    }
}

/// What a restart does to variables.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Retention {
    /// Nothing is written.
    #[default]
    Unsaid,
    /// `RETAIN`
    Retain,
    /// `NON_RETAIN`
    NonRetain,
    /// `PERSISTENT`
    Persistent,
    /// `RETAIN PERSISTENT`
    RetainPersistent,
}

/// Who may use something.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Accessibility {
    Public,
    Protected,
    Private,
    Internal,
}

impl Accessibility {
    /// The keyword.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Accessibility::Public => "PUBLIC",
            Accessibility::Protected => "PROTECTED",
            Accessibility::Private => "PRIVATE",
            Accessibility::Internal => "INTERNAL",
        }
    }
}

/// `VAR … END_VAR`.
#[derive(Clone, Debug)]
pub struct VariableSection {
    /// What its variables are.
    pub kind: VariableKind,
    /// `CONSTANT`
    pub constant: bool,
    /// `RETAIN`, …
    pub retention: Retention,
    /// Who may use the variables; none if nothing is written.
    pub access: Option<Accessibility>,
    /// Pragmas after the keyword: `{ref}`.
    pub pragmas: Vec<Pragma>,
    /// The declarations.
    pub variables: Vec<Variables>,
    /// Its place.
    pub span: Span,
}

/// `a, b AT %IX0.0 : TYPE := value;`; also a field of a structure.
#[derive(Clone, Debug)]
pub struct Variables {
    /// The instances on the way to the variable; only in `VAR_CONFIG` not empty.
    pub path: Vec<Name>,
    /// The names that are declared.
    pub names: Vec<Name>,
    /// `AT %IX0.0`. With a place and no name (`AT %IX0.0 : BOOL`), `names` is empty.
    pub location: Option<Direct>,
    /// `AT other` of SCL: the same memory as another variable, seen as this type.
    pub overlays: Option<Name>,
    /// The type. In `VAR_CONFIG` and `VAR_ACCESS` it may be left out; then it is `None`.
    pub ty: Option<TypeSpec>,
    /// `R_EDGE`, `F_EDGE` after the type of an input.
    pub edge: Option<Edge>,
    /// The initial value.
    pub initial: Option<Expr>,
    /// What a name of `VAR_ACCESS` stands for, and whether it may be written (`READ_WRITE`).
    pub access: Option<(Expr, bool)>,
    /// Pragmas before it, or between its name and its type.
    pub pragmas: Vec<Pragma>,
    /// Its place.
    pub span: Span,
}

/// An input that shows edges of its value.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Edge {
    /// `R_EDGE`
    Rising,
    /// `F_EDGE`
    Falling,
}

/// A place in the memory of the controller: `%IX0.0`, `%QW5`, `%M*`.
#[derive(Clone, Debug)]
pub struct Direct {
    /// `I`, `Q` or `M`; a letter of a vendor otherwise.
    pub area: char,
    /// `X`, `B`, `W`, `D`, `L`; none where nothing is written, which is a bit.
    pub size: Option<char>,
    /// The numbers between the dots; empty for `*`, a place that `VAR_CONFIG` says.
    pub address: Vec<u32>,
    /// Its place in the file.
    pub span: Span,
}

/// An entry of `TYPE … END_TYPE`.
#[derive(Clone, Debug)]
pub struct TypeDeclaration {
    /// The name.
    pub name: Name,
    /// `EXTENDS base`, of a structure.
    pub extends: Option<Path>,
    /// What it stands for.
    pub ty: TypeSpec,
    /// The initial value of its variables.
    pub initial: Option<Expr>,
    /// Pragmas before it.
    pub pragmas: Vec<Pragma>,
    /// Its place.
    pub span: Span,
}

/// A type with its place.
#[derive(Clone, Debug)]
pub struct TypeSpec {
    /// What it is.
    pub kind: TypeKind,
    /// Its place.
    pub span: Span,
}

/// What a type is.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// A name: elementary (`INT`, also `STRING` without a length), generic (`ANY_NUM`) or declared.
    Named(Path),
    /// `STRING[80]`, `STRING(80)`, `WSTRING[n]`.
    String {
        /// Whether it is `WSTRING`.
        wide: bool,
        /// The greatest number of characters.
        length: Box<Expr>,
    },
    /// `ARRAY[0..5, 1..n] OF element`
    Array {
        /// The dimensions, at least one.
        dimensions: Vec<Dimension>,
        /// The type of an element.
        element: Box<TypeSpec>,
    },
    /// `INT(0..100)`
    Subrange {
        /// The integer type.
        base: Path,
        /// The least value.
        low: Box<Expr>,
        /// The greatest value.
        high: Box<Expr>,
    },
    /// `(a, b := 5, c)`
    Enum {
        /// The integer or bit string type of the values: `INT (a, b)` or `(a, b) INT`.
        base: Option<Path>,
        /// The values.
        values: Vec<EnumValue>,
    },
    /// `STRUCT … END_STRUCT`
    Struct {
        /// `OVERLAP`: fields may share memory.
        overlap: bool,
        /// The fields; those with an `AT` place lie there within the structure.
        fields: Vec<Variables>,
    },
    /// `UNION … END_UNION`
    Union(Vec<Variables>),
    /// `REF_TO T` and its kin.
    Pointer(Pointer, Box<TypeSpec>),
    /// `T...`, with `{sized}` before it or not: any number of arguments.
    Variadic {
        /// Whether their number and a pointer to them are handed over.
        sized: bool,
        /// The type of an argument.
        element: Box<TypeSpec>,
    },
}

/// The kinds of pointers.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pointer {
    /// `REF_TO T`: dereferenced by `^`.
    RefTo,
    /// `POINTER TO T`: the same, with arithmetic.
    PointerTo,
    /// `REFERENCE TO T`: another name for a variable, bound by `REF=`.
    ReferenceTo,
}

impl Pointer {
    /// How it is written.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Pointer::RefTo => "REF_TO",
            Pointer::PointerTo => "POINTER TO",
            Pointer::ReferenceTo => "REFERENCE TO",
        }
    }
}

/// A dimension of an array.
#[derive(Clone, Debug)]
pub enum Dimension {
    /// `low..high`, both included.
    Range(Expr, Expr),
    /// `*`: that of the argument.
    Open,
    /// `n`, a subrange type whose values index.
    Type(Expr),
}

/// A value of an enumeration.
#[derive(Clone, Debug)]
pub struct EnumValue {
    /// Its name.
    pub name: Name,
    /// Its number; one more than the value before if none is written.
    pub value: Option<Expr>,
}

/// `CONFIGURATION … END_CONFIGURATION`.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// Its name.
    pub name: Name,
    /// `VAR_GLOBAL`, `VAR_ACCESS`, `VAR_CONFIG`, `VAR_EXTERNAL`.
    pub sections: Vec<VariableSection>,
    /// The resources. Tasks and programs that stand directly in the configuration are in one
    /// without a name.
    pub resources: Vec<Resource>,
}

/// `RESOURCE … ON … END_RESOURCE`.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Its name.
    pub name: Option<Name>,
    /// The kind of processor.
    pub on: Option<Name>,
    /// Global variables.
    pub sections: Vec<VariableSection>,
    /// Tasks.
    pub tasks: Vec<Task>,
    /// Programs.
    pub programs: Vec<Instance>,
    /// Its place.
    pub span: Span,
}

/// `TASK name (INTERVAL := T#10ms, PRIORITY := 1);`
#[derive(Clone, Debug)]
pub struct Task {
    /// Its name.
    pub name: Name,
    /// A variable whose rising edge starts it.
    pub single: Option<Expr>,
    /// The time from start to start.
    pub interval: Option<Expr>,
    /// 0 is the most urgent.
    pub priority: Option<Expr>,
    /// Its place.
    pub span: Span,
}

/// `PROGRAM name WITH task : type (in := a, out => b, block WITH task);`
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its name.
    pub name: Name,
    /// `RETAIN`, `NON_RETAIN`
    pub retention: Retention,
    /// The task that runs it; without one it runs whenever it can.
    pub task: Option<Name>,
    /// The program.
    pub program: Path,
    /// What its variables are connected to.
    pub arguments: Vec<ConnectedArgument>,
    /// Its place.
    pub span: Span,
}

/// An entry of an instance's arguments.
#[derive(Clone, Debug)]
pub enum ConnectedArgument {
    /// `in := value`
    Input(Path, Expr),
    /// `out => variable`
    Output(Path, Expr),
    /// `block WITH task`
    Task(Path, Name),
}
