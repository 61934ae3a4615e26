//! Which bytes were written ([`crate::Instruction::Written`]).
//!
//! Where a program asks, a cell has a mark, a truth value, and an array has one of marks with the same
//! indices, of one bit each. Accesses are to whole cells and elements, so one mark for each suffices.
//! Whoever writes a value sets its mark, a copy copies it, and an object that is made where another
//! was has none again; no other address is used twice, so marks begin as clear where objects are
//! allocated, and as set where they are static.
//!
//! Only what somebody asks about has marks, and what is copied to there; and of that only what can be
//! without: objects that are static, and nothing that may not be written is copied to, are written
//! from the beginning.

use super::super::Error;
use super::super::objects::Kind;
use super::{Array, Code, Encoder, Store};
use crate::procedures::{Action, Allocation};
use crate::program::Cause;
use rustc_hash::FxHashSet;
use term::{Sort, Term};

/// Regions by number.
type Regions = Vec<bool>;

impl Encoder<'_> {
    /// Makes the marks of what needs them.
    pub(super) fn make_marks(&mut self) {
        let (looked, blank) = self.marked_regions();
        for region in (0..self.stores.len()).filter(|region| looked[*region] && blank[*region]) {
            match &self.stores[region] {
                Store::Cells(map) => {
                    let cells: Vec<Term> = map.values().map(|(variable, _)| *variable).collect();
                    for cell in cells {
                        let mark = self.new_mark(cell, Sort::Bool);
                        self.marks.insert(cell, mark);
                    }
                }
                Store::Array(array) => {
                    let (array, bit) = (*array, Sort::BitVec(1));
                    let sort = self.pool.array_sort(Sort::BitVec(array.index), bit);
                    let marks = self.new_mark(array.variable, sort);
                    self.marks.insert(array.variable, marks);
                }
            }
        }
    }

    fn new_mark(&mut self, of: Term, sort: Sort) -> Term {
        let name = self.out.globals.get(&of).map_or("memory", |origin| &origin.name);
        let name = format!("{name} written");
        self.variable(&name, sort)
    }

    /// The regions of which somebody asks what was written, and those with bytes that may not be.
    fn marked_regions(&self) -> (Regions, Regions) {
        let mut looked = vec![false; self.stores.len()];
        let mut blank = vec![false; self.stores.len()];
        let (mut copies, mut unwritten) = (Vec::new(), FxHashSet::default());
        let length_of = |length: Term| self.pool.as_bits(length).and_then(|bits| bits.to_u64());
        for edge in self.out.edges() {
            match &edge.action {
                Action::Written { address, .. } => looked[self.classes.of(*address)] = true,
                Action::HavocBytes { address, length, cause: Cause::Uninitialized, .. } => {
                    for part in self.classes.parts(*address, length_of(*length)) {
                        blank[part.region] = true;
                    }
                }
                Action::Copy { to, from, length } => {
                    let (to, from) = [to, from]
                        .map(|address| self.classes.parts(*address, length_of(*length)))
                        .into();
                    copies.extend(to.iter().zip(&from).map(|(to, from)| (to.region, from.region)));
                }
                Action::Allocate(allocation) if !allocation.written => {
                    unwritten.insert(allocation.object);
                }
                _ => {}
            }
        }
        if !looked.contains(&true) {
            return (looked, blank);
        }
        for (region, blank) in blank.iter_mut().enumerate() {
            let mut members = self.classes.class_of(region).members.iter();
            *blank |= members.any(|(object, _)| unwritten.contains(object));
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &(to, from) in &copies {
                changed |= looked[to] && !std::mem::replace(&mut looked[from], true);
                changed |= blank[from] && !std::mem::replace(&mut blank[to], true);
            }
        }
        (looked, blank)
    }

    /// The marks of an array, if it has some.
    pub(super) fn marks_of(&self, array: Array) -> Option<Array> {
        let variable = *self.marks.get(&array.variable)?;
        Some(Array { variable, element: Sort::BitVec(1), clean: false, ..array })
    }

    /// Whether a cell was written.
    pub(super) fn mark_of_cell(&self, cell: Term) -> Term {
        self.marks.get(&cell).copied().unwrap_or(self.pool.tru())
    }

    /// Whether the element at an address was written, by the marks that an array of the region had.
    pub(super) fn mark_at(&mut self, region: usize, marks: Option<Array>, address: Term) -> Term {
        let Some(marks) = marks else { return self.pool.bv(1, 1) };
        let mark = self.read(marks, address, marks.unit);
        let outside = self.is_from_outside(region, address);
        self.pool.ite(outside, self.pool.bv(1, 1), mark)
    }

    /// Whether an address is in memory from outside, which was written there.
    fn is_from_outside(&self, region: usize, address: Term) -> Term {
        match self.classes.class_of(region).external {
            true => self.pool.not(self.is_below_outside(address)),
            false => self.pool.fls(),
        }
    }

    /// A cell was written, if a condition holds.
    pub(super) fn mark_cell(&mut self, code: &mut Code, cell: Term, condition: Term) {
        if let Some(&mark) = self.marks.get(&cell) {
            code.assign(mark, self.pool.or([mark, condition]));
        }
    }

    /// A cell was written or not.
    pub(super) fn set_mark(&mut self, code: &mut Code, cell: Term, written: Term) {
        if let Some(&mark) = self.marks.get(&cell) {
            code.assign(mark, written);
        }
    }

    /// So many bytes of an array were written, or are as if they were not.
    pub(super) fn mark(
        &mut self,
        code: &mut Code,
        array: Array,
        address: Term,
        size: u64,
        written: bool,
    ) {
        let Some(marks) = self.marks_of(array) else { return };
        let (index, bit) = (self.index(marks, address), self.pool.bv(u64::from(written), 1));
        let elements = 0..size.div_ceil(marks.unit);
        let changed = elements.fold(marks.variable, |before, k| {
            let at = self.pool.bv_add(index, self.pool.bv(k, marks.index));
            self.pool.store(before, at, bit)
        });
        code.assign(marks.variable, changed);
    }

    /// An element of an array gets a mark.
    pub(super) fn mark_as(&mut self, code: &mut Code, array: Array, address: Term, mark: Term) {
        let Some(marks) = self.marks_of(array) else { return };
        let index = self.index(marks, address);
        code.assign(marks.variable, self.pool.store(marks.variable, index, mark));
    }

    /// All of an array was written, or is as if it were not.
    pub(super) fn mark_all(&mut self, code: &mut Code, array: Array, written: bool) {
        let Some(marks) = self.marks_of(array) else { return };
        let bit = self.pool.bv(u64::from(written), 1);
        let sort = self.pool.sort(marks.variable);
        code.assign(marks.variable, self.pool.const_array(sort, bit));
    }

    /// The marks that a region begins with.
    pub(super) fn initialize_marks(&mut self, code: &mut Code, region: usize) {
        let is_static = |encoder: &Self, object: usize| {
            matches!(encoder.objects.all[object].kind, Kind::Static(_))
        };
        match &self.stores[region] {
            Store::Cells(map) => {
                let cells: Vec<(usize, Term)> =
                    map.iter().map(|(cell, (variable, _))| (cell.0, *variable)).collect();
                for (object, cell) in cells {
                    let written = self.pool.bool(is_static(self, object));
                    self.set_mark(code, cell, written);
                }
            }
            Store::Array(array) if self.marks.contains_key(&array.variable) => {
                let array = *array;
                let members =
                    self.classes.class_of(region).members.iter().map(|(object, _)| *object);
                let written: Vec<usize> = members.filter(|o| is_static(self, *o)).collect();
                self.mark_all(code, array, array.object.is_some_and(|o| written.contains(&o)));
                if array.object.is_some() {
                    return;
                }
                for object in written {
                    self.for_elements(code, (region, object), STATIC, |encoder, code, at| {
                        encoder.mark(code, array, at, array.unit, true);
                    });
                }
            }
            Store::Array(_) => {}
        }
    }

    /// A new object whose contents count as written gets marks.
    pub(super) fn mark_new(&mut self, code: &mut Code, allocation: &Allocation, size: Term) {
        let object = allocation.object;
        for region in self.classes.classes[self.classes.of_object[object].0].regions.clone() {
            match &self.stores[region] {
                Store::Cells(map) => {
                    let cells = map.range((object, 0)..(object + 1, 0));
                    let cells: Vec<Term> = cells.map(|(_, (variable, _))| *variable).collect();
                    for cell in cells {
                        self.set_mark(code, cell, self.pool.tru());
                    }
                }
                Store::Array(array) if self.marks.contains_key(&array.variable) => {
                    let array = *array;
                    if array.object == Some(object) {
                        self.mark_all(code, array, true);
                        continue;
                    }
                    // Every index that an element of the object can have.
                    let (start, step) = (allocation.into, 1 << array.dropped);
                    self.loop_over(code, size, step, |encoder, code, distance| {
                        let at = encoder.pool.bv_add(start, distance);
                        encoder.mark(code, array, at, array.unit, true);
                    });
                }
                Store::Array(_) => {}
            }
        }
    }

    /// A register takes whether all of so many bytes at an address were written.
    pub(super) fn look(
        &mut self,
        code: &mut Code,
        into: Term,
        address: Term,
        size: u64,
    ) -> Result<(), Error> {
        let region = self.classes.of(address);
        if let Store::Cells(_) = &self.stores[region] {
            let places = self.places(code, region, address, size);
            let mut written = self.pool.tru();
            for (cell, at) in places {
                let mark = self.mark_of_cell(cell);
                written = self.pool.ite(self.pool.eq(address, at), mark, written);
            }
            code.assign(into, written);
            return Ok(());
        }
        self.require_inside(code, address, size)?;
        let array = self.array_of(region);
        let Some(marks) = self.marks_of(array) else {
            code.assign(into, self.pool.tru());
            return Ok(());
        };
        let bits = self.read(marks, address, size);
        let all = self.pool.bits(value::Bits::ones(self.pool.width(bits)));
        let outside = self.is_from_outside(region, address);
        code.assign(into, self.pool.or([outside, self.pool.eq(bits, all)]));
        Ok(())
    }
}

/// Objects of at most this many elements are marked one by one.
const STATIC: usize = 1024;
