//! Loads and stores.

use super::super::Error;
use super::super::fields::bytes_of;
use super::super::objects::Kind;
use super::region::candidates;
use super::{Array, Code, Encoder, Store};
use crate::cfa::Command;
use crate::property::Property;
use term::{Sort, Term};

impl Encoder<'_> {
    pub(super) fn load(&mut self, code: &mut Code, into: Term, address: Term) -> Result<(), Error> {
        let sort = self.pool.sort(into);
        let size = self.size_of(code, sort)?;
        let region = self.classes.of(address);
        if let Store::Cells(_) = &self.stores[region] {
            let places = self.places(code, region, address, size);
            let Some((&(last, _), others)) = places.split_last() else { return Ok(()) };
            let mut value = self.convert(last, sort);
            for &(cell, at) in others {
                let cell = self.convert(cell, sort);
                value = self.pool.ite(self.pool.eq(address, at), cell, value);
            }
            code.assign(into, value);
            return Ok(());
        }
        self.require_inside(code, address, size)?;
        let array = self.array_of(region);
        let value = self.read(array, address, size);
        code.assign(into, self.convert(value, sort));
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        code: &mut Code,
        address: Term,
        value: Term,
    ) -> Result<(), Error> {
        let sort = self.pool.sort(value);
        let size = self.size_of(code, sort)?;
        let region = self.classes.of(address);
        if let Store::Cells(_) = &self.stores[region] {
            let places = self.places(code, region, address, size);
            self.require_writable(code, address);
            let one = places.len() == 1;
            for (cell, at) in places {
                let value = self.convert(value, self.pool.sort(cell));
                let here = if one { self.pool.tru() } else { self.pool.eq(address, at) };
                code.assign(cell, self.pool.ite(here, value, cell));
                self.mark_cell(code, cell, here);
            }
            return Ok(());
        }
        self.require_inside(code, address, size)?;
        self.require_writable(code, address);
        let array = self.array_of(region);
        let written = self.written(array, array.variable, address, value, size);
        code.assign(array.variable, written);
        self.mark(code, array, address, size, true);
        Ok(())
    }

    fn size_of(&self, code: &Code, sort: Sort) -> Result<u64, Error> {
        bytes_of(sort).filter(|size| *size > 0).ok_or_else(|| Error::Malformed {
            place: code.place.clone(),
            what: format!("a value of sort {sort:?} is no number of bytes"),
        })
    }

    pub(super) fn array_of(&self, region: usize) -> Array {
        match self.stores[region] {
            Store::Array(array) => array,
            Store::Cells(_) => unreachable!("the caller looked at the store"),
        }
    }

    /// The cells that an access can be to, each with its address; requires that it is to one of
    /// them.
    pub(super) fn places(
        &mut self,
        code: &mut Code,
        region: usize,
        address: Term,
        size: u64,
    ) -> Vec<(Term, Term)> {
        let cells = match self.objects.resolve(self.pool, address) {
            Some(cell) => vec![cell],
            None => {
                let (classes, alignment) = (self.classes, &mut self.alignment);
                candidates(self.objects, classes, region, alignment, (address, size))
                    .unwrap_or_default()
            }
        };
        let resolved = self.objects.resolve(self.pool, address).is_some();
        let mut places = Vec::new();
        let mut valid = Vec::new();
        for cell in cells {
            let Store::Cells(map) = &self.stores[region] else { continue };
            let Some(&(variable, shape)) = map.get(&cell) else { continue };
            if shape.size != size {
                continue;
            }
            let at = self.address_of(cell.0, cell.1);
            let mut here = if resolved { self.pool.tru() } else { self.pool.eq(address, at) };
            if let Some(alive) = self.alive[cell.0].filter(|_| self.checked) {
                here = self.pool.and([here, alive]);
            }
            valid.push(here);
            places.push((variable, at));
        }
        let valid = self.pool.or(valid);
        self.require(code, valid, Property::Pointer);
        places
    }

    /// A place in a fixed object.
    pub(super) fn address_of(&self, object: usize, offset: u64) -> Term {
        let base = self.objects.all[object].address.expect("a cell's object has a fixed address");
        self.pool.bv_add(base, self.pool.bv(offset, self.width))
    }

    /// Requires that so many bytes at an address are within an object of its class.
    pub(super) fn require_inside(
        &mut self,
        code: &mut Code,
        address: Term,
        size: u64,
    ) -> Result<(), Error> {
        let length = self.pool.bv(size, self.width);
        self.require_range(code, address, length)
    }

    /// The same for a length that is not a constant.
    pub(super) fn require_range(
        &mut self,
        code: &mut Code,
        address: Term,
        length: Term,
    ) -> Result<(), Error> {
        let class = self.classes.class(address);
        if class.external {
            let text = "memory behind pointers that come from outside the program is not that of \
                        its own objects, and aligned";
            self.assume(text, &code.place.clone());
            self.note_outside(address, length);
        }
        let unbounded = |&object: &usize| {
            let object = &self.objects.all[object];
            object.size.is_none() || object.address.is_none()
        };
        let any_unbounded = class.members.iter().any(|(object, _)| unbounded(object));
        if any_unbounded && self.asks(Property::Pointer, &code.place) {
            return Err(Error::Unsupported {
                place: code.place.clone(),
                what: "validity of pointers to objects whose number or size is not known before \
                       the run can't be checked"
                    .to_owned(),
            });
        }
        if let Some((object, offset)) = self.objects.resolve(self.pool, address) {
            let valid = self.inside(object, self.pool.bv(offset, self.width), length);
            if !unbounded(&object) {
                self.require(code, valid, Property::Pointer);
            }
            return Ok(());
        }
        let alone = class.members.len() == 1 && !class.external;
        let known = if self.checked { true } else { alone };
        if !self.checked || any_unbounded {
            let text = "an access is to the objects, and the part of them, that its address was \
                        computed from";
            self.assume(text, &code.place.clone());
            if !known || any_unbounded {
                return Ok(());
            }
        }
        let mut valid = vec![self.pool.eq(length, self.pool.bv(0, self.width))];
        for &(object, _) in &class.members {
            if self.objects.all[object].kind == Kind::Function {
                continue;
            }
            let base = self.address_of(object, 0);
            let offset = super::address::offset(self.pool, address, base);
            valid.push(self.inside(object, offset, length));
        }
        let valid = self.pool.or(valid);
        self.require(code, valid, Property::Pointer);
        Ok(())
    }

    /// offset ≤ size ∧ length ≤ size − offset, and the object lives
    pub(super) fn inside(&self, object: usize, offset: Term, length: Term) -> Term {
        let pool = self.pool;
        let Some(size) = self.objects.all[object].size else { return pool.tru() };
        let within = match pool.as_bits(length).and_then(|bits| bits.to_u64()) {
            Some(length) if length > size => pool.fls(),
            Some(length) => pool.bv_ule(offset, pool.bv(size - length, self.width)),
            None => {
                let size = pool.bv(size, self.width);
                let rest = pool.bv_sub(size, offset);
                pool.and([pool.bv_ule(offset, size), pool.bv_ule(length, rest)])
            }
        };
        match self.alive[object].filter(|_| self.checked) {
            Some(alive) => pool.and([within, alive]),
            None => within,
        }
    }

    /// Requires that an access is not to an object that must not be written.
    pub(super) fn require_writable(&mut self, code: &mut Code, address: Term) {
        if !self.checked {
            return;
        }
        for &(object, _) in &self.classes.class(address).members {
            let Kind::Static(id) = self.objects.all[object].kind else { continue };
            if !self.program.objects[id].constant {
                continue;
            }
            let (base, size) = (self.address_of(object, 0), self.program.objects[id].size);
            let offset = super::address::offset(self.pool, address, base);
            let inside = self.pool.bv_ult(offset, self.pool.bv(size, self.width));
            self.require(code, self.pool.not(inside), Property::Pointer);
        }
    }

    /// The bytes at an address as a bit-vector, or the element itself.
    pub(super) fn read(&mut self, array: Array, address: Term, size: u64) -> Term {
        let index = self.index(array, address);
        let pool = self.pool;
        if size == array.unit {
            return pool.select(array.variable, index);
        }
        let byte =
            |k: u64| pool.select(array.variable, pool.bv_add(index, pool.bv(k, array.index)));
        // Little-endian: the byte at the highest address is the most significant.
        (1..size).fold(byte(0), |low, k| pool.bv_concat(byte(k), low))
    }

    /// The contents `before` with a value at an address.
    pub(super) fn written(
        &mut self,
        array: Array,
        before: Term,
        address: Term,
        value: Term,
        size: u64,
    ) -> Term {
        let index = self.index(array, address);
        let pool = self.pool;
        if size == array.unit {
            return pool.store(before, index, self.convert(value, array.element));
        }
        let bits = self.convert(value, Sort::BitVec(size as u32 * 8));
        let mut contents = before;
        for k in 0..size {
            let low = k as u32 * 8;
            let byte = pool.bv_extract(bits, low + 7, low);
            let at = pool.bv_add(index, pool.bv(k, array.index));
            contents = pool.store(contents, at, byte);
        }
        contents
    }

    /// A loop over the elements of a range: the counter runs from zero in steps of the unit
    /// while it is below the length.
    pub(super) fn loop_over(
        &mut self,
        code: &mut Code,
        length: Term,
        unit: u64,
        body: impl FnOnce(&mut Self, &mut Code, Term),
    ) {
        let pool = self.pool;
        let counter = self.local("counter", Sort::BitVec(self.width));
        code.assign(counter, pool.bv(0, self.width));
        self.cut(code);
        let head = code.at;
        let mut round = Code { at: head, commands: Vec::new(), place: code.place.clone() };
        round.commands.push(Command::Assume(pool.bv_ult(counter, length)));
        body(self, &mut round, counter);
        round.assign(counter, pool.bv_add(counter, pool.bv(unit, self.width)));
        self.finish(round, head, None);
        code.commands.push(Command::Assume(pool.bv_ule(length, counter)));
    }
}
