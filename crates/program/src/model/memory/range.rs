//! Copies, fills and forgetting of ranges of bytes.

use super::super::Error;
use super::super::fields::Part;
use super::region::{Cell, CellShape};
use super::{Array, Code, Encoder, Store};
use crate::cfa::{Command, Input};
use crate::procedures::Instance;
use crate::program::Cause;
use term::{Sort, Term};

/// Ranges of at most this many elements are written one by one, larger ones in a loop.
const UNROLLED: u64 = 64;

impl Encoder<'_> {
    fn constant(&self, length: Term) -> Option<u64> {
        self.pool.as_bits(length).and_then(|bits| bits.to_u64())
    }

    /// The parts of a range of bytes, which must be within an object.
    fn parts(&mut self, code: &mut Code, address: Term, length: Term) -> Result<Vec<Part>, Error> {
        self.require_range(code, address, length)?;
        Ok(self.classes.parts(address, self.constant(length)))
    }

    /// The address of a part, and its length, of a range of this length.
    fn extent(&self, address: Term, part: Part, length: Term) -> (Term, Term) {
        let at = self.pool.bv_add(address, self.pool.bv(part.distance, self.width));
        let rest = part.length.map_or(length, |length| self.pool.bv(length, self.width));
        (at, rest)
    }

    /// The cells in a part of a range at a constant place; their distances from its beginning.
    fn cells_in(&self, address: Term, part: Part) -> Vec<(u64, Term, CellShape)> {
        let Store::Cells(map) = &self.stores[part.region] else { return Vec::new() };
        let place = self.objects.resolve(self.pool, address).zip(part.length);
        let Some(((object, start), length)) = place else { return Vec::new() };
        let first = start + part.distance;
        let end: Cell = (object, first.saturating_add(length).max(first));
        let cells = map.range((object, first)..end);
        cells.map(|(cell, &(variable, shape))| (cell.1 - start, variable, shape)).collect()
    }

    /// The byte repeated, as a value of a sort.
    fn pattern(&self, byte: Term, sort: Sort, size: u64) -> Term {
        let bits = (1..size).fold(byte, |low, _| self.pool.bv_concat(byte, low));
        self.convert(bits, sort)
    }

    pub(super) fn fill(
        &mut self,
        code: &mut Code,
        to: Term,
        byte: Term,
        length: Term,
    ) -> Result<(), Error> {
        let parts = self.parts(code, to, length)?;
        self.require_writable(code, to);
        for part in parts {
            if let Store::Cells(_) = &self.stores[part.region] {
                for (_, variable, shape) in self.cells_in(to, part) {
                    code.assign(variable, self.pattern(byte, shape.sort, shape.size));
                    self.set_mark(code, variable, self.pool.tru());
                }
                continue;
            }
            let array = self.array_of(part.region);
            let element = self.pattern(byte, array.element, array.unit);
            if self.is_whole(array, to, length) {
                let sort = self.pool.sort(array.variable);
                code.assign(array.variable, self.pool.const_array(sort, element));
                self.mark_all(code, array, true);
                continue;
            }
            let (to, length) = self.extent(to, part, length);
            self.each(code, array, length, |encoder, code, distance| {
                let at = encoder.pool.bv_add(to, distance);
                let written = encoder.written(array, array.variable, at, element, array.unit);
                code.assign(array.variable, written);
                encoder.mark(code, array, at, array.unit, true);
            });
        }
        Ok(())
    }

    /// Whether a range is all of the object that an array is of.
    fn is_whole(&self, array: Array, address: Term, length: Term) -> bool {
        let resolved = self.objects.resolve(self.pool, address);
        array.object.is_some_and(|object| {
            resolved == Some((object, 0)) && self.objects.all[object].size == self.constant(length)
        })
    }

    /// Does something for the distance of every element of a range.
    fn each(
        &mut self,
        code: &mut Code,
        array: Array,
        length: Term,
        mut body: impl FnMut(&mut Self, &mut Code, Term),
    ) {
        match self.constant(length) {
            Some(length) if length / array.unit <= UNROLLED => {
                for distance in (0..length).step_by(array.unit as usize) {
                    let distance = self.pool.bv(distance, self.width);
                    body(self, code, distance);
                }
            }
            _ => self.loop_over(code, length, array.unit, body),
        }
    }

    pub(super) fn copy(
        &mut self,
        code: &mut Code,
        to: Term,
        from: Term,
        length: Term,
    ) -> Result<(), Error> {
        let sources = self.parts(code, from, length)?;
        let targets = self.parts(code, to, length)?;
        self.require_writable(code, to);
        debug_assert!(sources.iter().zip(&targets).all(|(s, t)| s.distance == t.distance));
        let overlapping = sources.iter().any(|s| targets.iter().any(|t| t.region == s.region));
        // All values are read before one is written where the ranges may overlap.
        let mut cells = Vec::new();
        let mut arrays: Vec<(usize, Array, Option<Array>)> = Vec::new();
        for &part in &sources {
            if let Store::Array(array) = self.stores[part.region] {
                if arrays.iter().any(|(region, ..)| *region == part.region) {
                    continue;
                }
                let number = arrays.len();
                let marks = self.marks_of(array);
                let [values, marks] = [Some(array), marks].map(|array| {
                    let array = array?;
                    let variable = match overlapping {
                        true => self.snapshot(code, array.variable, number),
                        false => array.variable,
                    };
                    Some(Array { variable, ..array })
                });
                arrays.push((part.region, values.unwrap_or(array), marks));
                continue;
            }
            for (distance, mut variable, _) in self.cells_in(from, part) {
                let mut mark = self.mark_of_cell(variable);
                if overlapping {
                    let number = cells.len();
                    variable = self.snapshot(code, variable, number);
                    if self.pool.as_bool(mark).is_none() {
                        mark = self.snapshot(code, mark, number);
                    }
                }
                cells.push((distance, variable, mark));
            }
        }
        for (part, source) in targets.into_iter().zip(sources) {
            if let Store::Cells(_) = &self.stores[part.region] {
                self.take_cells(code, to, part, &cells);
                continue;
            }
            let out_of = arrays.iter().find(|(region, ..)| *region == source.region);
            let Some(&(_, out_of, marks)) = out_of else { continue };
            let into = self.array_of(part.region);
            let ((to, length), (from, _)) =
                (self.extent(to, part, length), self.extent(from, source, length));
            self.each(code, into, length, |encoder, code, distance| {
                let at = encoder.pool.bv_add(from, distance);
                let value = encoder.read(out_of, at, out_of.unit);
                let mark = encoder.mark_at(source.region, marks, at);
                let at = encoder.pool.bv_add(to, distance);
                let written = encoder.written(into, into.variable, at, value, into.unit);
                code.assign(into.variable, written);
                encoder.mark_as(code, into, at, mark);
            });
        }
        Ok(())
    }

    /// What a term is now, in a variable.
    pub(super) fn snapshot(&mut self, code: &mut Code, term: Term, number: usize) -> Term {
        let scratch = self.scratch(self.pool.sort(term), number);
        code.assign(scratch, term);
        scratch
    }

    /// The cells of a part of a range take values, and whether these were written, by their distances,
    /// which are sorted.
    fn take_cells(&mut self, code: &mut Code, to: Term, part: Part, values: &[(u64, Term, Term)]) {
        for (distance, variable, shape) in self.cells_in(to, part) {
            if let Ok(k) = values.binary_search_by_key(&distance, |(distance, ..)| *distance) {
                let value = self.convert(values[k].1, shape.sort);
                code.assign(variable, value);
                self.set_mark(code, variable, values[k].2);
            }
        }
    }

    pub(super) fn havoc_bytes(
        &mut self,
        code: &mut Code,
        address: Term,
        length: Term,
        cause: &Cause,
        instruction: Instance,
    ) -> Result<(), Error> {
        let parts = self.parts(code, address, length)?;
        self.require_writable(code, address);
        let written = *cause != Cause::Uninitialized;
        // A replay asks for every byte in order, hence also for those between what is modelled.
        let mut done = 0;
        for part in parts {
            if let Store::Cells(_) = &self.stores[part.region] {
                for (distance, variable, shape) in self.cells_in(address, part) {
                    self.pass_over(code, distance - done, cause, instruction);
                    self.unknown(code, variable, cause, instruction);
                    self.set_mark(code, variable, self.pool.bool(written));
                    done = distance + shape.size;
                }
                continue;
            }
            self.pass_over(code, part.distance - done, cause, instruction);
            done = part.distance + part.length.unwrap_or(0);
            let array = self.array_of(part.region);
            let (at, length) = self.extent(address, part, length);
            self.each(code, array, length, |encoder, code, distance| {
                let value = encoder.scratch(array.element, 0);
                encoder.unknown(code, value, cause, instruction);
                let at = encoder.pool.bv_add(at, distance);
                let changed = encoder.written(array, array.variable, at, value, array.unit);
                code.assign(array.variable, changed);
                encoder.mark(code, array, at, array.unit, written);
            });
        }
        let rest = self.constant(length).unwrap_or(0).saturating_sub(done);
        self.pass_over(code, rest, cause, instruction);
        Ok(())
    }

    fn pass_over(&mut self, code: &mut Code, bytes: u64, cause: &Cause, instruction: Instance) {
        let Some(width) = u32::try_from(bytes).ok().and_then(|bytes| bytes.checked_mul(8)) else {
            return;
        };
        if width > 0 {
            let unused = self.scratch(Sort::BitVec(width), 0);
            self.unknown(code, unused, cause, instruction);
        }
    }

    fn unknown(&mut self, code: &mut Code, variable: Term, cause: &Cause, instruction: Instance) {
        let sort = self.pool.sort(variable);
        let input = Input { instruction: Some(instruction), cause: cause.clone(), sort };
        code.commands.push(Command::Havoc(variable, self.out.inputs.alloc(input)));
    }

    /// The contents of an object become unknown.
    pub(super) fn forget_object(&mut self, code: &mut Code, object: usize) {
        for region in self.classes.classes[self.classes.of_object[object].0].regions.clone() {
            self.forget_in(code, region, object);
        }
    }

    /// What is in clean memory of an object at an address becomes unknown.
    pub(super) fn forget_clean(&mut self, code: &mut Code, object: usize, address: Term) {
        for region in self.classes.classes[self.classes.of_object[object].0].regions.clone() {
            let Store::Array(array) = self.stores[region] else { continue };
            if !array.clean {
                continue;
            }
            for offset in self.elements(region, array, object).collect::<Vec<u64>>() {
                let at = self.pool.bv_add(address, self.pool.bv(offset, self.width));
                self.forget_element(code, array, at);
            }
        }
    }

    fn forget_element(&mut self, code: &mut Code, array: Array, at: Term) {
        let value = self.scratch(array.element, 0);
        self.forget(code, value);
        let written = self.written(array, array.variable, at, value, array.unit);
        code.assign(array.variable, written);
    }

    /// What is in one region of an object becomes unknown.
    fn forget_in(&mut self, code: &mut Code, region: usize, object: usize) {
        if let Store::Cells(map) = &self.stores[region] {
            let cells = map.range((object, 0)..(object + 1, 0));
            let cells: Vec<Term> = cells.map(|(_, (variable, _))| *variable).collect();
            for variable in cells {
                self.forget(code, variable);
                self.set_mark(code, variable, self.pool.fls());
            }
            return;
        }
        let array = self.array_of(region);
        if array.object == Some(object) {
            self.forget(code, array.variable);
            self.mark_all(code, array, false);
            return;
        }
        self.for_elements(code, (region, object), UNROLLED as usize, |encoder, code, at| {
            encoder.forget_element(code, array, at);
            encoder.mark(code, array, at, array.unit, false);
        });
    }

    /// Does something at the address of every element of a region in an object, in a loop if they are
    /// more than that.
    pub(super) fn for_elements(
        &mut self,
        code: &mut Code,
        (region, object): (usize, usize),
        most: usize,
        mut body: impl FnMut(&mut Self, &mut Code, Term),
    ) {
        let array = self.array_of(region);
        let offsets: Vec<u64> = self.elements(region, array, object).take(most + 1).collect();
        if offsets.len() <= most {
            for offset in offsets {
                let at = self.address_of(object, offset);
                body(self, code, at);
            }
            return;
        }
        let (first, step) = (offsets[0], offsets[1] - offsets[0]);
        let base = self.address_of(object, first);
        let size = self.objects.all[object].size.unwrap_or(0) - first;
        // Behind the last element may be a part of another one.
        let length = self.pool.bv(size.saturating_sub(array.unit - 1), self.width);
        self.loop_over(code, length, step, |encoder, code, distance| {
            let at = encoder.pool.bv_add(base, distance);
            body(encoder, code, at);
        });
    }
}
