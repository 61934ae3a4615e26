//! The contents of memory before the program starts.
//!
//! Static objects hold what is said of them. Where objects are allocated that nobody has written to, what
//! they hold is unknown; that is said where they are allocated if they are small, and of all memory at
//! once if not. In the first case memory that belongs to no object is zero, so that something can hold of
//! all elements of an array, as of all objects in a list.

use super::super::fields::bytes_of;
use super::super::objects::Kind;
use super::{Array, Code, Encoder, Store};
use crate::interpret::layout::Layout;
use crate::place::Place;
use crate::program::ObjectId;
use std::collections::BTreeMap;
use term::{Sort, Term};
use value::Bits;

/// Objects of at most this many elements are written one by one, zeros too.
const UNROLLED: usize = 1024;
/// The most elements of an object that become unknown where it is allocated.
const FEW: usize = 8;

impl Encoder<'_> {
    /// Puts the initialization before the first location of the start.
    pub(super) fn initialize(&mut self) {
        let first = self.body().entry;
        let start = self.location(first);
        self.body().entry = start;
        let mut code = Code { at: start, commands: Vec::new(), place: Place::default() };
        if let Some((heap, stack)) = self.tops {
            let layout = Layout::new(self.width);
            let tops = self.objects.tops;
            code.assign(heap, self.pool.bv(tops.0.max(layout.heap), self.width));
            code.assign(stack, self.pool.bv(tops.1.max(layout.stack), self.width));
        }
        for alive in self.alive.clone().into_iter().flatten() {
            code.assign(alive, self.pool.fls());
        }
        for region in 0..self.stores.len() {
            self.leave_open(&mut code, region);
            match &self.stores[region] {
                Store::Cells(_) => self.initialize_cells(&mut code, region),
                Store::Array(array) => {
                    let array = *array;
                    self.initialize_array(&mut code, region, array);
                }
            }
            self.initialize_marks(&mut code, region);
            self.cut(&mut code);
        }
        self.finish(code, first, None);
    }

    /// The static objects of a region's class whose contents are known.
    fn known(&self, region: usize) -> Vec<(usize, ObjectId)> {
        let members = self.classes.class_of(region).members.iter();
        let known = members.filter_map(|&(object, _)| match self.objects.all[object].kind {
            Kind::Static(id) if !self.program.objects[id].unknown => Some((object, id)),
            _ => None,
        });
        known.collect()
    }

    /// What holds first contents that nothing defines gets them by a havoc, so that a run tells
    /// what they are.
    fn leave_open(&mut self, code: &mut Code, region: usize) {
        let known: Vec<usize> = self.known(region).into_iter().map(|(object, _)| object).collect();
        let class = self.classes.class_of(region);
        let (members, external) = (class.members.len(), class.external);
        let open: Vec<Term> = match &self.stores[region] {
            Store::Cells(map) => map
                .iter()
                .filter(|(cell, _)| !known.contains(&cell.0))
                .map(|(_, (variable, _))| *variable)
                .collect(),
            Store::Array(array) if known.len() == members && !external || array.clean => Vec::new(),
            Store::Array(array) => vec![array.variable],
        };
        for variable in open {
            self.forget(code, variable);
        }
    }

    fn initialize_cells(&mut self, code: &mut Code, region: usize) {
        for (object, id) in self.known(region) {
            let bytes = Contents::of(self, id);
            let Store::Cells(map) = &self.stores[region] else { return };
            for (cell, (variable, shape)) in map.range((object, 0)..(object + 1, 0)) {
                let value = bytes.read(self, cell.1, shape.size, shape.sort);
                code.assign(*variable, value);
            }
        }
    }

    fn initialize_array(&mut self, code: &mut Code, region: usize, array: Array) {
        let known = self.known(region);
        let zero = self.zero(array.element);
        let mut contents = array.variable;
        let class = self.classes.class_of(region);
        // Where every object is static and known, nobody can tell what is between them.
        let all = known.len() == class.members.len() && !class.external || array.clean;
        if known.is_empty() && !array.clean {
            return;
        }
        if all {
            contents = self.pool.const_array(self.pool.sort(array.variable), zero);
        } else {
            for &(object, _) in &known {
                self.for_elements(code, (region, object), UNROLLED, |encoder, code, at| {
                    let written = encoder.written(array, array.variable, at, zero, array.unit);
                    code.assign(array.variable, written);
                });
            }
        }
        for (object, id) in known {
            let bytes = Contents::of(self, id);
            for offset in self.initialized(region, array, object, &bytes) {
                let value = bytes.read(self, offset, array.unit, array.element);
                let at = self.address_of(object, offset);
                contents = self.written(array, contents, at, value, array.unit);
            }
        }
        code.assign(array.variable, contents);
    }

    /// Whether objects can become unknown one by one where they are allocated: those of a region that is
    /// indexed by address, if each has few elements.
    pub(super) fn can_be_clean(&self, region: usize, array: Array) -> bool {
        let class = self.classes.class_of(region);
        let few = |&(object, _): &(usize, i64)| match self.objects.all[object].kind {
            Kind::Static(id) => !self.program.objects[id].unknown,
            Kind::Function => true,
            Kind::Allocated(_) => {
                self.objects.all[object].size.is_some()
                    && self.elements(region, array, object).take(FEW + 1).count() <= FEW
            }
        };
        array.object.is_none() && !class.external && class.members.iter().all(few)
    }

    /// The offsets of a region's elements in an object that has a size.
    pub(super) fn elements(
        &self,
        region: usize,
        array: Array,
        object: usize,
    ) -> impl Iterator<Item = u64> + use<> {
        let shift = self.classes.of_object[object].1;
        let size = self.objects.all[object].size.unwrap_or(0);
        let unit = array.unit;
        let region = &self.classes.regions[region];
        // Of an exact region offsets are of elements, of another one they are of bytes.
        let exact = region.element() == Some(unit);
        let bytes = region.element().filter(|_| !exact).unwrap_or(1);
        region
            .offsets(shift, size)
            .flat_map(move |offset| offset..offset + bytes)
            .filter(move |offset| exact || (offset % unit == 0 && offset + unit <= size))
    }

    /// The offsets of the elements in a known object that do not begin as zero.
    fn initialized(
        &self,
        region: usize,
        array: Array,
        object: usize,
        bytes: &Contents,
    ) -> Vec<u64> {
        if bytes.values.is_empty() {
            return Vec::new();
        }
        let written = |offset: &u64| {
            let last = bytes.values.range(..offset + array.unit).next_back();
            last.is_some_and(|(start, (_, size))| start + size > *offset)
        };
        self.elements(region, array, object).filter(written).collect()
    }
}

/// The initial contents of an object by offset.
struct Contents {
    values: BTreeMap<u64, (Term, u64)>,
}

impl Contents {
    fn of(encoder: &Encoder<'_>, id: ObjectId) -> Contents {
        let initial = encoder.program.objects[id].initial.iter();
        let values = initial.filter_map(|&(offset, term)| {
            Some((offset, (term, bytes_of(encoder.pool.sort(term))?)))
        });
        Contents { values: values.collect() }
    }

    /// The value of so many bytes at an offset.
    fn read(&self, encoder: &Encoder<'_>, offset: u64, size: u64, sort: Sort) -> Term {
        let pool = encoder.pool;
        if let Some(&(value, _)) = self.values.get(&offset).filter(|(_, s)| *s == size) {
            return encoder.convert(value, sort);
        }
        let mut bits = self.byte(encoder, offset);
        for k in 1..size {
            bits = pool.bv_concat(self.byte(encoder, offset + k), bits);
        }
        encoder.convert(bits, sort)
    }

    fn byte(&self, encoder: &Encoder<'_>, offset: u64) -> Term {
        let pool = encoder.pool;
        if let Some((&start, &(value, size))) = self.values.range(..=offset).next_back()
            && offset - start < size
        {
            let bits = encoder.convert(value, Sort::BitVec(size as u32 * 8));
            let low = (offset - start) as u32 * 8;
            return pool.bv_extract(bits, low + 7, low);
        }
        pool.bits(Bits::zero(8))
    }
}
