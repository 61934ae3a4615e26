//! What the contract of the entry function requires, with objects for its pointers.
//!
//! `is_fresh(p, n)`, and in what the entry requires also `r_ok(p, n)` and `\valid(p)`, give the
//! pointer an object of its own with `n` bytes. That must happen before anything is said of what
//! is there, whatever the order in which the contract says it: a part that reads a pointer waits
//! for the part that makes its object.
//!
//! Pointers in these objects lead nowhere or to objects of their own, as everywhere at the entry.
//! Where the contract says that one is equal to another pointer, it is set to that one.

use super::super::Lowerer;
use super::super::expression::Value;
use super::formula::Parts;
use crate::ast::Spelling;
use crate::contract::Contract;
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::{
    Conversion, ExprId, ExprKind, FunctionId, MemoryQuestion, ObjectId, PlaceId, PlaceKind, Storage,
};
use program::program::Storage as Lifetime;
use term::Term;

/// A part of what is required.
struct Part {
    truth: ExprId,
    spelling: Spelling,
    /// The pointer whose object it makes.
    makes: Option<String>,
    /// The pointers that it reads.
    reads: Vec<String>,
}

impl Lowerer<'_> {
    /// Assumes what a contract requires.
    pub(super) fn require(&mut self, contract: &Contract) -> Result<()> {
        let mut parts = self.required_parts(contract);
        while !parts.is_empty() {
            // A pointer that is made twice is made by the first, which waits for nobody then.
            let waits = |part: &Part| {
                let makers = parts.iter().filter_map(|other| other.makes.as_ref());
                makers
                    .into_iter()
                    .any(|made| part.makes.as_ref() != Some(made) && part.reads.contains(made))
            };
            let next = parts.iter().position(|part| !waits(part)).unwrap_or(0);
            let part = parts.remove(next);
            if let Some(made) = &part.makes {
                for other in &mut parts {
                    if other.makes.as_ref() == Some(made) {
                        other.makes = None;
                    }
                }
            }
            let again = self.is_made_again(&part);
            self.made.extend(part.makes.clone());
            let outer = std::mem::replace(&mut self.unbounded, part.spelling == Spelling::Acsl);
            let result = self.full_expression(|l| match (&part.makes, l.parts(part.truth)) {
                (Some(made), Parts::Equal(left, right)) => l.equate(made, left, right),
                _ => l.assume_formula(part.truth, false, !again),
            });
            self.unbounded = outer;
            result?;
        }
        Ok(())
    }

    /// Whether a part is about a pointer that has its object already.
    fn is_made_again(&self, part: &Part) -> bool {
        match self.parts(part.truth) {
            Parts::Memory(_, arguments) => {
                let place = arguments.first().and_then(|pointer| self.pointer_place(*pointer));
                let key = place.and_then(|place| self.place_key(place));
                part.makes.is_none() && key.is_some_and(|key| self.made.contains(&key))
            }
            _ => false,
        }
    }

    /// Sets the pointer that a part makes to what it is equal to.
    fn equate(&mut self, made: &str, left: ExprId, right: ExprId) -> Result<()> {
        for (pointer, other) in [(left, right), (right, left)] {
            let place = self.pointer_place(pointer);
            if let Some(place) = place
                && self.place_key(place).as_deref() == Some(made)
            {
                let value = self.exact_scalar(other)?;
                let spot = self.spot(place, true)?;
                return self.store(&spot, self.c.places[place].ty.ty, Value::Scalar(value));
            }
        }
        Ok(())
    }

    /// Of two pointers that are equal, the one that can be set: nothing else says where it leads.
    fn settable(&self, (left, right): (ExprId, ExprId), parts: &[Part]) -> Option<String> {
        [left, right].into_iter().find_map(|pointer| {
            let place = self.pointer_place(pointer)?;
            let key = self.place_key(place)?;
            let object = self.c.root(place).map(|object| &self.c.objects[object]);
            if object.is_some_and(|o| o.ty.is_const() && o.storage == Storage::Static) {
                return None;
            }
            let made = parts.iter().any(|part| part.makes.as_ref() == Some(&key));
            (!made).then_some(key)
        })
    }

    fn required_parts(&self, contract: &Contract) -> Vec<Part> {
        let mut parts = self.parts_that_make(contract);
        for index in 0..parts.len() {
            if let Parts::Equal(left, right) = self.parts(parts[index].truth) {
                parts[index].makes = self.settable((left, right), &parts);
            }
        }
        parts
    }

    fn parts_that_make(&self, contract: &Contract) -> Vec<Part> {
        let mut parts = Vec::new();
        for formula in &contract.requires {
            let mut todo = vec![formula.truth];
            while let Some(truth) = todo.pop() {
                let makes = match self.parts(truth) {
                    Parts::Two { and: true, left, right } => {
                        todo.extend([right, left]);
                        continue;
                    }
                    Parts::Memory(question, arguments) if makes_memory(question) => arguments
                        .first()
                        .and_then(|pointer| self.pointer_place(*pointer))
                        .and_then(|place| self.place_key(place)),
                    _ => None,
                };
                let reads = self.pointers_read(truth);
                parts.push(Part { truth, spelling: formula.spelling, makes, reads });
            }
        }
        parts
    }

    /// Whether the contract of a function makes the object of a parameter in any case.
    pub(in crate::lower) fn is_made_by_contract(&self, function: FunctionId, name: &str) -> bool {
        let Some(contract) = self.c.functions[function].contract.as_deref() else { return false };
        let parameter = contract.params.iter().find(|object| {
            self.c.objects[**object].name.is_some_and(|symbol| self.symbol_name(symbol) == name)
        });
        let key = parameter.map(|object| object_key(*object));
        key.is_some_and(|key| {
            self.required_parts(contract).iter().any(|part| part.makes.as_ref() == Some(&key))
        })
    }

    /// The pointers that an expression reads, and reads through.
    fn pointers_read(&self, root: ExprId) -> Vec<String> {
        let (mut found, mut todo) = (Vec::new(), vec![root]);
        while let Some(expr) = todo.pop() {
            let kind = &self.c.exprs[expr].kind;
            if let ExprKind::Load(place) = kind {
                found.extend(self.place_key(*place));
            }
            self.c.operands(kind, &mut todo);
        }
        found
    }

    /// The place that a pointer value is read from.
    pub(super) fn pointer_place(&self, mut pointer: ExprId) -> Option<PlaceId> {
        loop {
            match self.c.exprs[pointer].kind {
                ExprKind::Convert(Conversion::PointerToPointer | Conversion::Same, operand) => {
                    pointer = operand;
                }
                // The first element of a range.
                ExprKind::PointerAdd { pointer: base, index, .. } if self.is_zero(index) => {
                    pointer = base;
                }
                ExprKind::Load(place) => return Some(place),
                _ => return None,
            }
        }
    }

    fn is_zero(&self, mut index: ExprId) -> bool {
        while let ExprKind::Convert(_, operand) = self.c.exprs[index].kind {
            index = operand;
        }
        matches!(self.c.exprs[index].kind, ExprKind::Int(0))
    }

    /// A text that is the same for the same place, if nothing changes.
    pub(super) fn place_key(&self, place: PlaceId) -> Option<String> {
        Some(match &self.c.places[place].kind {
            PlaceKind::Object(object) => object_key(*object),
            PlaceKind::Field { base, field, .. } => format!("{}.{field}", self.place_key(*base)?),
            PlaceKind::Deref(pointer) => {
                format!("*({})", self.place_key(self.pointer_place(*pointer)?)?)
            }
            PlaceKind::Index(base, index) => match self.c.exprs[*index].kind {
                ExprKind::Int(index) => format!("{}[{index}]", self.place_key(*base)?),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// How the source calls a place.
    fn place_name(&self, place: PlaceId) -> String {
        match &self.c.places[place].kind {
            PlaceKind::Object(object) => {
                self.c.objects[*object].name.map_or("result", |n| self.symbol_name(n)).to_owned()
            }
            PlaceKind::Field { base, record, field, .. } => {
                let body = self.c.types.records[*record].body.as_ref();
                let name = body.and_then(|body| body.fields[*field as usize].name);
                let name = name.map_or("", |name| self.symbol_name(name));
                match &self.c.places[*base].kind {
                    PlaceKind::Deref(pointer) => match self.pointer_place(*pointer) {
                        Some(pointer) => format!("{}->{name}", self.place_name(pointer)),
                        None => format!("….{name}"),
                    },
                    _ => format!("{}.{name}", self.place_name(*base)),
                }
            }
            PlaceKind::Deref(pointer) => match self.pointer_place(*pointer) {
                Some(pointer) => format!("*{}", self.place_name(pointer)),
                None => "*…".to_owned(),
            },
            PlaceKind::Index(base, _) => format!("{}[…]", self.place_name(*base)),
            _ => "…".to_owned(),
        }
    }

    /// Gives a pointer an object of its own, as what is assumed of it says; false if it is to be
    /// assumed as it is.
    pub(super) fn make_memory(
        &mut self,
        question: MemoryQuestion,
        arguments: &[ExprId],
    ) -> Result<bool> {
        let (true, &[pointer, bytes]) = (makes_memory(question), arguments) else {
            return Ok(false);
        };
        let in_start = self.frame.function.is_none();
        if question != MemoryQuestion::Fresh && !in_start {
            return Ok(false);
        }
        let Some(place) = self.pointer_place(pointer) else {
            if question == MemoryQuestion::Fresh {
                let span = self.c.exprs[pointer].span;
                return Err(Diagnostic::error(span, "what is fresh is not a variable or field"));
            }
            let reads = self.pointers_read(pointer);
            if !reads.is_empty() && !reads.iter().any(|read| self.made.contains(read)) {
                let span = self.c.exprs[pointer].span;
                let message = "memory is required behind something that is no variable or field, \
                               and nothing says what that points into";
                return Err(Diagnostic::error(span, message));
            }
            return Ok(false);
        };
        self.span = self.c.places[place].span;
        let name = self.place_name(place);
        let size = self.bytes_of_object(bytes)?;
        if question != MemoryQuestion::Fresh {
            self.assume_that(format!("'{name}' points to an object of its own"));
        }
        let to = self.c.types.pointee(self.c.places[place].ty.ty);
        let Some(to) = to else { return Ok(false) };
        let whole = self.c.types.size_of(to.ty).map(|size| self.pointer_bits(size));
        let object = match in_start && whole == Some(size) {
            true => {
                self.assume_pointers_in(to, &name);
                self.object_of(to, size, &name, Lifetime::Heap)?
            }
            false => self.allocate_for(to, size, &name, Lifetime::Heap),
        };
        let spot = self.spot(place, true)?;
        self.store(&spot, self.c.places[place].ty.ty, Value::Scalar(object))?;
        Ok(true)
    }

    /// The size of an object that is made; there is room for it.
    fn bytes_of_object(&mut self, bytes: ExprId) -> Result<Term> {
        let ty = self.c.exprs[bytes].ty;
        let term = self.exact_scalar(bytes)?;
        if self.pool.as_bits(term).is_none() {
            self.assume_largest_object();
        }
        let most = self.most_bytes();
        Ok(self.counted_size(ty, term, 1, most))
    }
}

fn makes_memory(question: MemoryQuestion) -> bool {
    use MemoryQuestion as Q;
    matches!(question, Q::Readable | Q::Writable | Q::Fresh)
}

fn object_key(object: ObjectId) -> String {
    format!("{}", object.into_raw())
}
