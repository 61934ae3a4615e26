//! What is seen of a run: the variables of the units that run, in words that have nothing to do
//! with where they are stored.
//!
//! In a program that is lowered to be observed, each scalar has a register of its own that takes
//! its value at the end of each cycle, and variables that are given have a register that says
//! whether they are set in this cycle, and one for the value.

use super::Lowerer;
use super::place::Place;
use super::storage::index_text;
use crate::types::{Clock, Shape, Type};
use program::program::{Cause, VariableId};
use source::diagnostic::Result;
use std::sync::Arc;
use term::Sort;

/// What is seen of a run.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The variables, in order.
    pub entries: Vec<Entry>,
    /// Takes the number of the cycle when all of them have their values.
    pub cycle: Option<VariableId>,
    /// What is asked for in each cycle.
    pub asked: Vec<Asked>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name; `@return` for the result of a function.
    pub name: Arc<str>,
    /// What it is to the unit.
    pub role: Role,
    /// Its values.
    pub value: Tree,
}

/// What a variable is to its unit.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// The environment writes it.
    Input,
    /// The environment reads it.
    Output,
    /// Neither.
    Internal,
}

/// The values of a variable.
#[derive(Clone, Debug)]
pub enum Tree {
    /// One value, in this register at the end of a cycle.
    Scalar(VariableId, Kind),
    /// The characters of a string, up to a zero.
    Text(Vec<VariableId>),
    /// Elements; of several dimensions, row by row.
    Array(Vec<Tree>),
    /// Fields by their names.
    Fields(Vec<(Arc<str>, Tree)>),
    /// Nothing is known.
    Nothing,
}

/// How a value is written.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `TRUE`, `FALSE`
    Bool,
    /// A number with a sign.
    Signed,
    /// A number without.
    Unsigned,
    /// A float.
    Real,
    /// A time.
    Time(Clock),
    /// A value of an enumeration, by its number.
    Enumeration(Vec<(Arc<str>, i128)>),
}

/// A value that a run asks for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The register that takes the answer.
    pub register: VariableId,
    /// What is asked.
    pub what: Question,
}

/// What a run asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// How many milliseconds the last cycle took.
    Elapsed,
    /// What the clock reads in the first cycle, in milliseconds.
    Clock,
    /// Whether a scalar is set in this cycle.
    IsSet(Arc<str>),
    /// To what.
    Value(Arc<str>),
}

impl<'a> Lowerer<'a> {
    /// The values of a variable now, in registers of their own.
    pub(super) fn observe(&mut self, place: &Place<'a>) -> Result<Tree> {
        if let Some(shape) = place.ty.shape() {
            let term = self.read(place)?;
            let register = self.temporary(shape.sort());
            // Also where nothing changes: it is what is seen.
            self.emit(program::program::Instruction::Assign(register, term));
            return Ok(Tree::Scalar(register, kind(&place.ty, shape)));
        }
        Ok(match place.ty.clone() {
            Type::String { wide, length } => {
                let mut registers = Vec::new();
                for at in 0..=u64::from(length) {
                    let term = self.character(place, at)?;
                    let register = self.temporary(Sort::BitVec(if wide { 16 } else { 8 }));
                    self.emit(program::program::Instruction::Assign(register, term));
                    registers.push(register);
                }
                Tree::Text(registers)
            }
            Type::Array(array) => {
                let mut trees = Vec::new();
                for number in 0..array.count() {
                    let element = self.known_element(place, &array, i128::from(number))?;
                    trees.push(self.observe(&element)?);
                }
                Tree::Array(trees)
            }
            Type::Structure(_) | Type::Block(_) => {
                let fields = self.fields(&place.ty)?.expect("structures and blocks have fields");
                let mut trees = Vec::new();
                for field in fields.iter().filter(|field| Self::is_stored(field)) {
                    if let Some(inner) = self.member_variable(place, &field.key)? {
                        trees.push((field.name.clone(), self.observe(&inner)?));
                    }
                }
                Tree::Fields(trees)
            }
            _ => Tree::Nothing,
        })
    }

    /// Sets a variable where the run says so; each scalar in it is asked for by its path.
    pub(super) fn settable(&mut self, place: &Place<'a>, path: &str) -> Result<()> {
        if let Some(shape) = place.ty.shape() {
            let is_set = self.temporary(Sort::Bool);
            let value = self.temporary(shape.sort());
            let name: Arc<str> = path.into();
            self.observed
                .asked
                .push(Asked { register: is_set, what: Question::IsSet(name.clone()) });
            self.observed.asked.push(Asked { register: value, what: Question::Value(name) });
            self.havoc(is_set, Cause::Input("set".into()));
            let (set, term) = (self.term_of(is_set), self.term_of(value));
            let (then, next) = (self.new_location(), self.new_location());
            self.split(set, then, next);
            self.continue_at(then);
            self.havoc(value, Cause::Input("value".into()));
            self.write(place, term)?;
            self.jump(next);
            self.continue_at(next);
            return Ok(());
        }
        match place.ty.clone() {
            Type::Array(array) => {
                for number in 0..array.count() {
                    let element = self.known_element(place, &array, i128::from(number))?;
                    let path = format!("{path}[{}]", index_text(&array, number));
                    self.settable(&element, &path)?;
                }
            }
            Type::String { length, .. } => {
                for at in 0..=u64::from(length) {
                    let number = self.address(at);
                    let character = self.character_place(place, number)?;
                    self.settable(&character, &format!("{path}[{at}]"))?;
                }
            }
            Type::Structure(_) | Type::Block(_) => {
                let fields = self.fields(&place.ty)?.expect("structures and blocks have fields");
                for field in fields.iter().filter(|field| Self::is_stored(field)) {
                    if let Some(inner) = self.member_variable(place, &field.key)? {
                        self.settable(&inner, &format!("{path}.{}", field.key))?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn kind(ty: &Type<'_>, shape: Shape) -> Kind {
    match (ty, shape) {
        (Type::Enumeration(e), _) => Kind::Enumeration(e.values.clone()),
        (Type::Clock(clock), _) => Kind::Time(*clock),
        (_, Shape::Bool) => Kind::Bool,
        (_, Shape::Float(_)) => Kind::Real,
        (_, Shape::Number { signed: true, .. }) => Kind::Signed,
        (_, Shape::Number { signed: false, .. }) => Kind::Unsigned,
    }
}
