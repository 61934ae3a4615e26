//! Copies, fills and forgetting of ranges of bytes.

use super::super::Error;
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

    /// The cells in a range at a constant place, which it must be within; their distances from its
    /// beginning.
    fn cells_in(
        &mut self,
        code: &mut Code,
        class: usize,
        address: Term,
        length: Term,
    ) -> Result<Vec<(u64, Term, CellShape)>, Error> {
        self.require_range(code, class, address, length)?;
        let Store::Cells(map) = &self.stores[class] else { return Ok(Vec::new()) };
        let place = self.objects.resolve(self.pool, address).zip(self.constant(length));
        let Some(((object, start), length)) = place else { return Ok(Vec::new()) };
        let end: Cell = (object, start.saturating_add(length).max(start));
        let cells = map.range((object, start)..end);
        Ok(cells.map(|(cell, &(variable, shape))| (cell.1 - start, variable, shape)).collect())
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
        let class = self.classes.of(to);
        if let Store::Cells(_) = &self.stores[class] {
            for (_, variable, shape) in self.cells_in(code, class, to, length)? {
                code.assign(variable, self.pattern(byte, shape.sort, shape.size));
            }
            return Ok(());
        }
        self.require_range(code, class, to, length)?;
        self.require_writable(code, class, to);
        let array = self.array_of(class);
        let element = self.pattern(byte, array.element, array.unit);
        if self.is_whole(array, to, length) {
            let sort = self.pool.sort(array.variable);
            code.assign(array.variable, self.pool.const_array(sort, element));
            return Ok(());
        }
        self.each(code, array, length, |encoder, code, distance| {
            let at = encoder.pool.bv_add(to, distance);
            let written = encoder.written(array, array.variable, at, element, array.unit);
            code.assign(array.variable, written);
        });
        Ok(())
    }

    /// Whether a range is all of what an array holds.
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
        let (target, source) = (self.classes.of(to), self.classes.of(from));
        if let Store::Cells(_) = &self.stores[target] {
            let read = self.cells_in(code, source, from, length)?;
            let written = self.cells_in(code, target, to, length)?;
            // All values are read before one is written, as the ranges may overlap.
            let mut values = Vec::new();
            for (k, &(distance, variable, shape)) in read.iter().enumerate() {
                if source == target {
                    let scratch = self.scratch(shape.sort, k);
                    code.assign(scratch, variable);
                    values.push((distance, scratch));
                } else {
                    values.push((distance, variable));
                }
            }
            for (distance, variable, shape) in written {
                if let Ok(k) = values.binary_search_by_key(&distance, |(distance, _)| *distance) {
                    let value = self.convert(values[k].1, shape.sort);
                    code.assign(variable, value);
                }
            }
            return Ok(());
        }
        self.require_range(code, source, from, length)?;
        self.require_range(code, target, to, length)?;
        self.require_writable(code, target, to);
        let (into, mut out_of) = (self.array_of(target), self.array_of(source));
        if source == target {
            let sort = self.pool.sort(out_of.variable);
            let snapshot = self.scratch(sort, 0);
            code.assign(snapshot, out_of.variable);
            out_of.variable = snapshot;
        }
        self.each(code, into, length, |encoder, code, distance| {
            let at = encoder.pool.bv_add(from, distance);
            let value = encoder.read(out_of, at, out_of.unit);
            let at = encoder.pool.bv_add(to, distance);
            let written = encoder.written(into, into.variable, at, value, into.unit);
            code.assign(into.variable, written);
        });
        Ok(())
    }

    pub(super) fn havoc_bytes(
        &mut self,
        code: &mut Code,
        address: Term,
        length: Term,
        cause: &Cause,
        instruction: Instance,
    ) -> Result<(), Error> {
        let class = self.classes.of(address);
        if let Store::Cells(_) = &self.stores[class] {
            // A replay asks for every byte in order, hence also for those between cells.
            let mut done = 0;
            for (distance, variable, shape) in self.cells_in(code, class, address, length)? {
                self.pass_over(code, distance - done, cause, instruction);
                self.unknown(code, variable, cause, instruction);
                done = distance + shape.size;
            }
            let rest = self.constant(length).unwrap_or(0).saturating_sub(done);
            self.pass_over(code, rest, cause, instruction);
            return Ok(());
        }
        self.require_range(code, class, address, length)?;
        self.require_writable(code, class, address);
        let array = self.array_of(class);
        self.each(code, array, length, |encoder, code, distance| {
            let value = encoder.scratch(array.element, 0);
            encoder.unknown(code, value, cause, instruction);
            let at = encoder.pool.bv_add(address, distance);
            let written = encoder.written(array, array.variable, at, value, array.unit);
            code.assign(array.variable, written);
        });
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
        let class = self.classes.of_object[object];
        if let Store::Cells(map) = &self.stores[class] {
            let cells = map.range((object, 0)..(object + 1, 0));
            let cells: Vec<Term> = cells.map(|(_, (variable, _))| *variable).collect();
            for variable in cells {
                self.forget(code, variable);
            }
            return;
        }
        let array = self.array_of(class);
        if array.object == Some(object) {
            self.forget(code, array.variable);
            return;
        }
        let Some(size) = self.objects.all[object].size else { return };
        let base = self.address_of(object, 0);
        let length = self.pool.bv(size, self.width);
        self.each(code, array, length, |encoder, code, distance| {
            let value = encoder.scratch(array.element, 0);
            encoder.forget(code, value);
            let at = encoder.pool.bv_add(base, distance);
            let written = encoder.written(array, array.variable, at, value, array.unit);
            code.assign(array.variable, written);
        });
    }
}
