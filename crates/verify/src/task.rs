//! What a question is about: the bytes that were read, their language, and the program or the
//! circuit that they became.
//!
//! A task owns its texts: what a witness says of a file is about the bytes that were verified, also
//! if the file has changed meanwhile.

use crate::Build;
use crate::language::Language;
use circuit::{TransitionSystem, btor2};
pub use front_c::lower::{
    Caller, Cycle, Extent, Input, LibmError, Malloc, Missing, Nonnull, Volatile, World,
};
use portable::difference::SourceUnit;
use program::program::VariableId;
use program::{Place, Program, Property};
use rustc_hash::FxHashSet;
use source::map::Sum;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use term::Pool;

/// What is asked about.
pub struct Task {
    /// The language that it is written in.
    pub language: &'static dyn Language,
    /// The files, in the order in which they were named.
    pub files: Vec<File>,
    /// How they were read.
    pub reading: Reading,
    /// What they became.
    pub subject: Subject,
}

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct File {
    /// As the user named it.
    pub name: String,
    /// Its text, where somebody may want to see it again.
    pub text: Option<Arc<[u8]>>,
    /// The SHA-256 sum of what was read.
    pub sum: Sum,
}

/// What texts become.
pub enum Subject {
    /// A program.
    Program(Box<Code>),
    /// A circuit.
    Circuit(Box<Design>),
    /// Constrained Horn clauses.
    Clauses(Box<Clauses>),
}

/// Constrained Horn clauses, as they were read.
pub struct Clauses {
    /// Where their terms live.
    pub pool: Pool,
    /// The clauses.
    pub system: horn::System,
}

/// A program, and what is asked of it.
pub struct Code {
    /// Functions of instructions.
    pub program: Program,
    /// The properties that must hold.
    pub properties: BTreeSet<Property>,
    /// Functions that are not part of the program, because nothing refers to them.
    pub unused: Vec<Unused>,
    /// What the program's functions are made of, where that is more than one unit of the source.
    pub units: Vec<SourceUnit>,
}

/// A function that nothing refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unused {
    /// Its name.
    pub name: Arc<str>,
    /// Its definition.
    pub place: Place,
}

/// A circuit as it was read.
pub struct Design {
    /// What the engines and the checker see.
    pub system: Arc<TransitionSystem>,
    /// For BTOR2, the words that the system was made of.
    pub words: Option<(btor2::System, btor2::Lowered)>,
}

/// How texts are read. Languages that have no use for a field ignore it.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What must hold.
    pub properties: BTreeSet<Property>,
    /// The function that a program starts with.
    pub entry: String,
    /// Labels that must not be reached.
    pub error_labels: Vec<String>,
    /// What undefined behaviour is taken for.
    pub undefined: Undefined,
    /// The sizes of types.
    pub data_model: DataModel,
    /// The flags that files are compiled with.
    pub build: Build,
    /// What is assumed of whoever calls the function that a program starts with.
    pub caller: Caller,
    /// Whether contracts of functions stand for calls of them.
    pub contracts: bool,
    /// What is assumed of the world around a program.
    pub world: World,
    /// How Structured Text is read, and what has to hold of its cycles.
    pub st: front_st::compile::Settings,
}

impl Default for Reading {
    fn default() -> Self {
        Reading {
            properties: [Property::Reach, Property::Assert].into(),
            entry: "main".to_owned(),
            error_labels: Vec::new(),
            undefined: Undefined::default(),
            data_model: DataModel::default(),
            build: Build::default(),
            caller: Caller::default(),
            contracts: false,
            world: World::default(),
            st: front_st::compile::Settings::default(),
        }
    }
}

impl Reading {
    /// The properties of defined runs that nobody asks about and that are looked at all the same, to
    /// name the places where runs may end.
    pub fn watched(&self) -> BTreeSet<Property> {
        match self.undefined {
            // What was never written is unknown, and a proof holds for all it may be.
            Undefined::Named => Property::DEFINED
                .into_iter()
                .filter(|property| *property != Property::Uninitialized)
                .filter(|property| !self.properties.contains(property))
                .collect(),
            Undefined::Checked | Undefined::Assumed => BTreeSet::new(),
        }
    }
}

/// What undefined behaviour is taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Undefined {
    /// A violation: its properties are among those that are asked about.
    Checked,
    /// What comes after it does not count. A proof is followed by the places where it was not shown to
    /// be impossible.
    Named,
    /// What comes after it does not count, as a proof says.
    #[default]
    Assumed,
}

/// The sizes of a machine's types, by the names that the field uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataModel {
    /// int, long and pointers of 32 bits.
    #[default]
    Ilp32,
    /// long and pointers of 64 bits.
    Lp64,
}

impl DataModel {
    /// All of them.
    pub const ALL: [DataModel; 2] = [DataModel::Ilp32, DataModel::Lp64];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }

    /// The model with a name.
    pub fn named(name: &str) -> Option<DataModel> {
        DataModel::ALL.into_iter().find(|model| model.name().eq_ignore_ascii_case(name))
    }
}

impl From<front_c::types::DataModel> for DataModel {
    fn from(model: front_c::types::DataModel) -> Self {
        match model {
            front_c::types::DataModel::Ilp32 => DataModel::Ilp32,
            front_c::types::DataModel::Lp64 => DataModel::Lp64,
        }
    }
}

impl From<DataModel> for front_c::types::DataModel {
    fn from(model: DataModel) -> Self {
        match model {
            DataModel::Ilp32 => front_c::types::DataModel::Ilp32,
            DataModel::Lp64 => front_c::types::DataModel::Lp64,
        }
    }
}

impl Task {
    /// The program, if it is one.
    pub fn code(&self) -> Option<&Code> {
        match &self.subject {
            Subject::Program(code) => Some(code),
            Subject::Circuit(_) | Subject::Clauses(_) => None,
        }
    }

    /// The circuit, if it is one.
    pub fn design(&self) -> Option<&Design> {
        match &self.subject {
            Subject::Circuit(design) => Some(design),
            Subject::Program(_) | Subject::Clauses(_) => None,
        }
    }

    /// The clauses, if they are some.
    pub fn clauses(&self) -> Option<&Clauses> {
        match &self.subject {
            Subject::Clauses(clauses) => Some(clauses),
            Subject::Program(_) | Subject::Circuit(_) => None,
        }
    }

    /// Whether a place is in one of the files that the user named. A preprocessed file names those
    /// that it was made from.
    pub fn is_of_user(&self, place: &Place) -> bool {
        let preprocessed =
            |file: &File| Path::new(&file.name).extension().is_some_and(|e| e == "i");
        let named = |file: &File| file.name == *place.file;
        place.is_known() && self.files.iter().any(|file| preprocessed(file) || named(file))
    }
}

impl Design {
    /// A bad property's number, and its name if it has one.
    pub fn name(&self, property: usize) -> String {
        match self.system.bads[property].name.as_deref().unwrap_or("") {
            "" => format!("b{property}"),
            name => format!("b{property} {name}"),
        }
    }
}

/// The registers on which a violation can depend.
pub type Registers = FxHashSet<VariableId>;
