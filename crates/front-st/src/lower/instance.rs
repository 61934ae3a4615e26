//! Instances that something refers to: by an interface, or by a pointer or reference to a block that
//! others extend. Which code a call runs depends on the instance, so it is a choice between all there
//! are [IEC 61131-3 §6.6.7.6, dynamic name binding].
//!
//! An interface holds the number of an instance, zero for none. A pointer holds an address, and each
//! instance in memory is known with its own ([`Lowerer::note_instances`]). Which instances interfaces
//! refer to and which are in memory shows while lowering ([`super::Wanted`]).

use super::Lowerer;
use super::expression::Value;
use super::place::Place;
use super::storage::Node;
use crate::ast::{Expr, ExprKind};
use crate::types::{POINTER_WIDTH, PouId, Type};
use program::Property;
use source::Diagnostic;
use source::diagnostic::Result;
use std::sync::Arc;
use term::Term;

/// The width of an instance's number.
const NUMBER_WIDTH: u32 = 16;

/// An instance in byte memory.
#[derive(Clone)]
pub(super) struct InMemory {
    path: Arc<str>,
    pou: PouId,
    address: Term,
}

/// An instance that may be meant.
struct Choice<'a> {
    /// When it is.
    when: Term,
    instance: Place<'a>,
    pou: PouId,
}

/// What the chosen code gives.
enum Joined<'a> {
    /// Nothing so far.
    Nothing,
    /// This variable has it.
    In(Place<'a>),
    /// Nobody knows.
    Unknown,
}

impl<'a> Lowerer<'a> {
    /// Notes blocks and clocks in a variable that is in memory.
    pub(super) fn note_instances(&mut self, place: &Place<'a>, path: &str) -> Result<()> {
        if !self.holds_blocks(&place.ty)? {
            return Ok(());
        }
        if let Type::Array(array) = place.ty.clone() {
            for number in 0..array.count() {
                let index = super::storage::index_text(&array, number);
                let element = self.known_element(place, &array, i128::from(number))?;
                self.note_instances(&element, &format!("{path}[{index}]"))?;
            }
            return Ok(());
        }
        if let (Type::Block(pou), Some(address)) = (&place.ty, place.memory()) {
            let (pou, path): (PouId, Arc<str>) = (*pou, path.into());
            self.instances.insert(path.clone(), (pou, Node::Memory(address)));
            self.in_memory.push(InMemory { path, pou, address });
        }
        let Some(fields) = self.fields(&place.ty)? else { return Ok(()) };
        for field in fields.iter().filter(|field| Self::is_stored(field)) {
            let Some(inner) = self.member_variable(place, &field.key)? else { continue };
            let path = format!("{path}.{}", field.name);
            if let Some(spot) = inner.spots.first() {
                self.note_direct(field, &path, &spot.node);
            }
            if *field.key == *crate::library::SINCE
                && let Some(address) = inner.memory()
            {
                self.timers.push(Node::Memory(address));
            }
            self.note_instances(&inner, &path)?;
        }
        Ok(())
    }

    /// An instance that lasts must be known before anything chooses between instances: those after
    /// `count` are new here.
    pub(super) fn known_too_late(&self, count: usize) -> Result<()> {
        for new in &self.in_memory[count..] {
            let line = self.table.ancestry(new.pou);
            if self.chosen_from.iter().any(|base| line.contains(base)) {
                let message = format!(
                    "'{}' comes after a pointer that may point to it was followed",
                    new.path
                );
                return Err(Diagnostic::error(self.span, message)
                    .help("declare the instance in the unit that runs, or as a global variable"));
            }
        }
        Ok(())
    }

    /// Whether an instance may be one of a block that extends its declared one.
    pub(super) fn may_be_derived(&self, place: &Place<'a>) -> bool {
        let Type::Block(pou) = place.ty else { return false };
        let Some(address) = place.memory() else { return false };
        self.table.is_extended(pou) && !self.in_memory.iter().any(|i| i.address == address)
    }

    /// Does something with the instance that an interface or pointer refers to.
    pub(super) fn choose_instance(
        &mut self,
        place: &Place<'a>,
        work: impl FnMut(&mut Self, &Place<'a>, PouId) -> Result<Value<'a>>,
    ) -> Result<Value<'a>> {
        if let (Type::Block(base), Some(address)) = (&place.ty, place.memory()) {
            let choices = self.at_an_address(address, *base);
            self.chosen_from.push(*base);
            let name = self.table.pous[*base].name.text.clone();
            return self.choose(choices, (&name, true), work);
        }
        let Type::Interface(interface) = place.ty.clone() else {
            return Err(Diagnostic::error(self.span, "this is no interface"));
        };
        let number = self.read(place)?;
        let number = self.keep(number);
        let none = self.pool.bv(0, NUMBER_WIDTH);
        self.check(Property::Pointer, self.pool.ne(number, none));
        let mut choices = Vec::new();
        for (at, path) in self.wanted.instances.iter().enumerate() {
            let Some((pou, node)) = self.instances.get(path).cloned() else { continue };
            if self.table.implements(pou, &interface) {
                let when = self.pool.eq(number, self.pool.bv(at as u64 + 1, NUMBER_WIDTH));
                let instance = Place::new(Type::Block(pou), node);
                choices.push(Choice { when, instance, pou });
            }
        }
        self.choose(choices, (&interface, false), work)
    }

    /// The instances of a block, and of those that extend it, that may be at an address.
    fn at_an_address(&mut self, address: Term, base: PouId) -> Vec<Choice<'a>> {
        let address = self.keep(address);
        let mut choices = Vec::new();
        for known in self.in_memory.clone() {
            if self.table.ancestry(known.pou).contains(&base) {
                let when = self.pool.eq(address, known.address);
                let instance = Place::new(Type::Block(known.pou), Node::Memory(known.address));
                choices.push(Choice { when, instance, pou: known.pou });
            }
        }
        choices
    }

    /// Does something with the instance that is meant. A pointer must point to one of them.
    fn choose(
        &mut self,
        choices: Vec<Choice<'a>>,
        (name, pointer): (&Arc<str>, bool),
        mut work: impl FnMut(&mut Self, &Place<'a>, PouId) -> Result<Value<'a>>,
    ) -> Result<Value<'a>> {
        let done = self.new_location();
        let mut result = Joined::Nothing;
        for choice in choices {
            let (then, next) = (self.new_location(), self.new_location());
            self.split(choice.when, then, next);
            self.continue_at(then);
            let value = work(self, &choice.instance, choice.pou)?;
            result = self.joined(result, value, name)?;
            self.jump(done);
            self.continue_at(next);
        }
        if pointer {
            self.check(Property::Pointer, self.pool.fls());
        }
        if let Joined::In(place) = &result {
            self.initialize(&place.clone(), None, false)?;
        }
        self.jump(done);
        self.continue_at(done);
        match result {
            Joined::In(place) => self.value_of(place),
            // In the first round no instance is known yet.
            Joined::Nothing | Joined::Unknown => Ok(Value::Unknown(name.clone())),
        }
    }

    /// Keeps a value where all choices put theirs.
    fn joined(
        &mut self,
        result: Joined<'a>,
        value: Value<'a>,
        name: &Arc<str>,
    ) -> Result<Joined<'a>> {
        if let Value::Void = value {
            return Ok(result);
        }
        if let (Value::Unknown(_), _) | (_, Joined::Unknown) = (&value, &result) {
            return Ok(Joined::Unknown);
        }
        let place = match result {
            Joined::In(place) => place,
            _ => {
                let ty = match &value {
                    Value::Place(place) => place.ty.clone(),
                    Value::Text(_) => self.temporary_place(value.clone())?.ty,
                    value => self.typed(value.clone())?.1,
                };
                self.calls += 1;
                let path = format!("{name}#{}.result", self.calls);
                let node = self.allocate(&ty, &path, "")?;
                Place::new(ty, node)
            }
        };
        self.store(&place, value)?;
        Ok(Joined::In(place))
    }

    /// The number of an instance, as interfaces hold it.
    pub(super) fn instance_number(&mut self, place: &Place<'a>) -> Result<Term> {
        let mut result = self.pool.bv(0, NUMBER_WIDTH);
        for spot in place.spots.iter().rev() {
            let number = match &spot.node {
                Node::Parts(parts) => self.number_of(&parts.0.clone()),
                Node::Memory(address) => match place.ty {
                    Type::Block(pou) => self.number_at(*address, pou, None),
                    _ => continue,
                },
                Node::Register(_) | Node::Nothing => continue,
            };
            result = match spot.guard {
                Some(guard) => self.pool.ite(guard, number, result),
                None => number,
            };
        }
        Ok(result)
    }

    /// The number of the instance with a path, which interfaces may refer to from now on.
    fn number_of(&mut self, path: &Arc<str>) -> Term {
        let known = self.wanted.instances.iter().position(|other| other == path);
        if !self.found.instances.contains(path) {
            self.found.instances.push(path.clone());
        }
        self.pool.bv(known.map_or(0, |at| at as u64 + 1), NUMBER_WIDTH)
    }

    /// The number of the instance at an address, if it implements an interface.
    fn number_at(&mut self, address: Term, base: PouId, interface: Option<&str>) -> Term {
        let address = self.keep(address);
        let mut result = self.pool.bv(0, NUMBER_WIDTH);
        for known in self.in_memory.clone() {
            let fits = interface.is_none_or(|name| self.table.implements(known.pou, name));
            if fits && self.table.ancestry(known.pou).contains(&base) {
                let number = self.number_of(&known.path);
                let here = self.pool.eq(address, known.address);
                result = self.pool.ite(here, number, result);
            }
        }
        self.chosen_from.push(base);
        result
    }

    /// `target ?= value`: a reference if what it refers to is of the target's type, else none
    /// [IEC 61131-3 §6.6.7.8].
    pub(super) fn attempt(&mut self, target: &'a Expr, value: &'a Expr) -> Result<()> {
        let Some(place) = self.raw_place(target, true)? else {
            return Err(Diagnostic::error(target.span, "this is no reference"));
        };
        let term = match &place.ty {
            Type::Unknown(_) => return Ok(()),
            Type::Interface(interface) => self.as_interface(value, &interface.clone())?,
            Type::Pointer(to, _) => match self.target(&to.clone())? {
                Type::Block(pou) => self.as_pointer(value, pou)?,
                _ => return self.bind_reference(target, value),
            },
            _ => return Err(Diagnostic::error(target.span, "this is no reference")),
        };
        self.write(&place, term)
    }

    /// What an attempt begins with; none for `NULL`.
    fn attempted(&mut self, value: &'a Expr) -> Result<Option<Place<'a>>> {
        if let ExprKind::Null = value.kind {
            return Ok(None);
        }
        let place = match self.raw_place(value, true)? {
            Some(place) => place,
            None => {
                let value = self.expression(value)?;
                self.temporary_place(value)?
            }
        };
        let Type::Pointer(to, _) = place.ty.clone() else { return Ok(Some(place)) };
        let to = self.target(&to)?;
        let address = self.read(&place)?;
        let address = self.keep(address);
        Ok(Some(Place::new(to, Node::Memory(address))))
    }

    /// The number of what is referred to, if it implements an interface.
    fn as_interface(&mut self, value: &'a Expr, interface: &str) -> Result<Term> {
        let none = self.pool.bv(0, NUMBER_WIDTH);
        let Some(from) = self.attempted(value)? else { return Ok(none) };
        match (&from.ty, from.memory()) {
            (Type::Interface(_), _) => {
                let number = self.read(&from)?;
                let number = self.keep(number);
                let mut fits = Vec::new();
                for (at, path) in self.wanted.instances.iter().enumerate() {
                    let Some((pou, _)) = self.instances.get(path) else { continue };
                    if self.table.implements(*pou, interface) {
                        fits.push(self.pool.eq(number, self.pool.bv(at as u64 + 1, NUMBER_WIDTH)));
                    }
                }
                let fits = self.pool.or(fits);
                Ok(self.pool.ite(fits, number, none))
            }
            (Type::Block(pou), Some(address)) => Ok(self.number_at(address, *pou, Some(interface))),
            (Type::Block(pou), None) if self.table.implements(*pou, interface) => {
                self.instance_number(&from)
            }
            (Type::Block(_), None) => Ok(none),
            (Type::Unknown(_), _) => {
                let ty = Type::Interface(interface.into());
                self.coerce(Value::Unknown(interface.into()), &ty)
            }
            _ => Err(Diagnostic::error(value.span, "this refers to no instance")),
        }
    }

    /// The address of what is referred to, if it is an instance of a block or of one that extends it.
    fn as_pointer(&mut self, value: &'a Expr, pou: PouId) -> Result<Term> {
        let none = self.address(0);
        let Some(from) = self.attempted(value)? else { return Ok(none) };
        match (&from.ty, from.memory()) {
            (Type::Interface(_), _) => {
                let number = self.read(&from)?;
                let number = self.keep(number);
                let mut result = none;
                for (at, path) in self.wanted.instances.clone().iter().enumerate() {
                    let Some((own, node)) = self.instances.get(path).cloned() else { continue };
                    if self.table.ancestry(own).contains(&pou) {
                        let address = self.address_of(&Place::new(Type::Block(own), node))?;
                        let is = self.pool.bv(at as u64 + 1, NUMBER_WIDTH);
                        let is = self.pool.eq(number, is);
                        result = self.pool.ite(is, address, result);
                    }
                }
                Ok(result)
            }
            (Type::Block(_), Some(address)) => {
                let fits = self.at_an_address(address, pou);
                self.chosen_from.push(pou);
                let here = self.pool.or(fits.iter().map(|choice| choice.when).collect::<Vec<_>>());
                Ok(self.pool.ite(here, address, none))
            }
            (Type::Block(own), None) if self.table.ancestry(*own).contains(&pou) => {
                self.address_of(&from)
            }
            (Type::Block(_), None) => Ok(none),
            (Type::Unknown(name), _) => {
                self.coerce(Value::Unknown(name.clone()), &Type::Bits(POINTER_WIDTH))
            }
            _ => Err(Diagnostic::error(value.span, "this refers to no instance")),
        }
    }

    /// `__QUERYINTERFACE(from, to)` and `__QUERYPOINTER(from, to)`: an attempt, and whether it gave
    /// a reference.
    pub(super) fn query(&mut self, from: &'a Expr, to: &'a Expr) -> Result<Value<'a>> {
        self.attempt(to, from)?;
        let Some(place) = self.raw_place(to, true)? else {
            return Err(Diagnostic::error(to.span, "this is no reference"));
        };
        if let Type::Unknown(name) = place.ty {
            return Ok(Value::Unknown(name));
        }
        let term = self.read(&place)?;
        let none = self.zero(self.pool.sort(term));
        Ok(Value::Scalar(self.pool.ne(term, none), Type::Bool))
    }
}
