//! Strings: characters in memory with a zero after the last one.

use super::Lowerer;
use super::argument::Given;
use super::expression::{Text, Value};
use super::place::Place;
use super::storage::Node;
use crate::ast::BinaryOp;
use crate::types::Type;
use program::program::{Cause, Instruction};
use source::Diagnostic;
use source::diagnostic::Result;
use term::Term;

impl<'a> Lowerer<'a> {
    /// Whether a value is a string.
    pub(super) fn is_text(&self, value: &Value<'a>) -> bool {
        match value {
            Value::Text(_) => true,
            Value::Place(place) => matches!(place.ty, Type::String { .. }),
            _ => false,
        }
    }

    /// The place of a character by its number from zero; nothing is checked.
    pub(super) fn character_place(&mut self, place: &Place<'a>, number: Term) -> Result<Place<'a>> {
        let Type::String { wide, .. } = place.ty else {
            return Err(Diagnostic::error(self.span, "a string is needed here"));
        };
        let address = self.address_of(place)?;
        let offset = match wide {
            true => self.pool.bv_mul(number, self.address(2)),
            false => number,
        };
        let node = Node::Memory(self.pool.bv_add(address, offset));
        Ok(Place::new(Type::Bits(if wide { 16 } else { 8 }), node))
    }

    /// A character by its number from zero.
    pub(super) fn character(&mut self, place: &Place<'a>, number: u64) -> Result<Term> {
        let number = self.address(number);
        let place = self.character_place(place, number)?;
        self.read(&place)
    }

    /// A new string that is written before it is read.
    pub(super) fn text_buffer(&mut self, ty: &Type<'a>) -> Result<Place<'a>> {
        let size = self.layout(ty)?.0;
        self.buffers += 1;
        let name = format!("text {}", self.buffers);
        let wide = matches!(ty, Type::String { wide: true, .. });
        let unit = if wide { 2 } else { 1 };
        let address = self.new_object(name.into(), size, u64::from(unit), vec![unit])?;
        Ok(Place::new(ty.clone(), Node::Memory(address)))
    }

    /// A string literal in memory.
    pub(super) fn text_object(&mut self, text: &Text) -> Result<Place<'a>> {
        let characters = self.characters(text);
        let length = u32::try_from(characters.len()).unwrap_or(u32::MAX);
        let ty = Type::String { wide: text.wide, length };
        let place = self.text_buffer(&ty)?;
        // The object has its bytes from the start; nobody writes to it.
        let object = self.objects.iter().last().map(|(id, _)| id).expect("it was just made");
        let width = if text.wide { 16 } else { 8 };
        let initial = characters.iter().enumerate().filter(|(_, c)| **c != 0);
        let initial = initial.map(|(at, c)| {
            let bits = self.pool.bv(u64::from(*c), width);
            (at as u64 * u64::from(width / 8), bits)
        });
        let initial: Vec<_> = initial.collect();
        self.objects[object].initial = initial;
        Ok(Place { constant: true, ..place })
    }

    /// The units of a literal: characters that don't fit one are cut to their lower bits, and in a
    /// plain string those above 127 are written in UTF-8, as files have them.
    fn characters(&self, text: &Text) -> Vec<u32> {
        if text.wide {
            return text.chars.iter().map(|c| c & 0xffff).collect();
        }
        let mut units = Vec::new();
        for &c in text.chars.iter() {
            match char::from_u32(c) {
                Some(c) if !c.is_ascii() && u32::from(c) > 0xff => {
                    units.extend(c.to_string().bytes().map(u32::from));
                }
                _ => units.push(c & 0xff),
            }
        }
        units
    }

    /// A string into a place, cut to its length.
    pub(super) fn store_text(&mut self, place: &Place<'a>, value: Value<'a>) -> Result<()> {
        let Type::String { wide, length } = place.ty else {
            return Err(Diagnostic::error(self.span, "a string is assigned to no string"));
        };
        match value {
            Value::Text(text) => {
                let mut characters = self.characters(&text);
                characters.truncate(length as usize);
                characters.push(0);
                let width = if wide { 16 } else { 8 };
                let address = self.address_of(place)?;
                for (at, c) in characters.into_iter().enumerate() {
                    let offset = self.address(at as u64 * u64::from(width / 8));
                    let to = self.pool.bv_add(address, offset);
                    let value = self.pool.bv(u64::from(c), width);
                    self.emit(Instruction::Store { address: to, value });
                }
                Ok(())
            }
            Value::Place(from) if matches!(from.ty, Type::String { .. }) => {
                if from.memory().is_some() && from.memory() == place.memory() {
                    return Ok(());
                }
                let target = self.single(place)?;
                let from = self.single(&from)?;
                self.library("__copy", vec![Given::Place(from), Given::Place(target)])?;
                Ok(())
            }
            Value::Unknown(name) => self.forget(place, &name),
            value => {
                // A character.
                let unit = Type::Bits(if wide { 16 } else { 8 });
                let term = self.coerce(value, &unit)?;
                let (first, second) = (self.address(0), self.address(1));
                let character = self.character_place(place, first)?;
                self.write(&character, term)?;
                let end = self.character_place(place, second)?;
                let zero = self.pool.bv(0, if wide { 16 } else { 8 });
                self.write(&end, zero)
            }
        }
    }

    /// One of several strings as one place with an unknown address.
    fn single(&mut self, place: &Place<'a>) -> Result<Place<'a>> {
        let address = self.address_of(place)?;
        let address = self.keep(address);
        Ok(Place::new(place.ty.clone(), Node::Memory(address)))
    }

    /// How two strings compare, character by character.
    pub(super) fn compared_texts(
        &mut self,
        op: BinaryOp,
        a: Value<'a>,
        b: Value<'a>,
    ) -> Result<Value<'a>> {
        if let (Value::Unknown(name), _) | (_, Value::Unknown(name)) = (&a, &b) {
            return Ok(Value::Unknown(name.clone()));
        }
        if !self.is_text(&a) || !self.is_text(&b) {
            // A character and a string of one.
            let byte = Type::Bits(8);
            let (x, y) = (self.coerce(a, &byte)?, self.coerce(b, &byte)?);
            return Ok(Value::Scalar(self.comparison(op, x, y, &byte), Type::Bool));
        }
        let (a, b) = (self.temporary_place(a)?, self.temporary_place(b)?);
        let (a, b) = (self.single(&a)?, self.single(&b)?);
        let order = self.library("__compare", vec![Given::Place(a), Given::Place(b)])?;
        self.binary(op, order, Value::Integer(0))
    }

    /// Any string.
    pub(super) fn unknown_text(&mut self, place: &Place<'a>, cause: &Cause) -> Result<()> {
        let Type::String { wide, length } = place.ty else { return Ok(()) };
        let unit = if wide { 2 } else { 1 };
        let address = self.address_of(place)?;
        let length = self.address(unit * u64::from(length));
        self.emit(Instruction::HavocBytes { address, length, cause: cause.clone() });
        let end = self.pool.bv_add(address, length);
        let value = self.pool.bv(0, 8 * unit as u32);
        self.emit(Instruction::Store { address: end, value });
        Ok(())
    }
}
