//! How each region of memory is represented.
//!
//! * **Cells**: every object of its class has a fixed address, and every access is to a constant
//!   offset of one of them, or to few candidates; cells do not overlap. One scalar variable a
//!   cell.
//! * **Words**: all accesses are to all bytes of an element, because the region is exact, or because all
//!   have one size and are aligned to it. An array of words.
//! * **Bytes**: an array of bytes, for everything else.
//!
//! If a class consists of one fixed object, the index of its arrays is the offset in it, as narrow as the
//! object is small; otherwise it is the address. Low bits that are the same for all accesses are no part
//! of it.

use super::super::alignment::{Alignment, MOST};
use super::super::fields::{Classes, Part, bytes_of};
use super::super::objects::{Kind, Objects};
use crate::procedures::{Action, Procedures};
use crate::program::Program;
use std::collections::BTreeMap;
use term::{Pool, Sort, Term};

/// The most cells that an access through a pointer chooses from.
const CANDIDATES: usize = 8;

/// The most cells of an object that is filled, copied or left unknown at once.
const CELLS: usize = 256;

/// A cell: an object and an offset.
pub(super) type Cell = (usize, u64);

/// The representation of a region.
#[derive(Clone, Debug)]
pub(super) enum Representation {
    /// Scalars by object and offset, with their sizes.
    Cells(BTreeMap<Cell, CellShape>),
    /// Words of this many bytes; so many low bits of their addresses are zero.
    Words { size: u64, element: Sort, dropped: u32 },
    /// Bytes.
    Bytes,
}

/// A cell's size and sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CellShape {
    pub size: u64,
    pub sort: Sort,
}

/// An access of a constant size, to a constant place if `cell` says which.
struct Access {
    region: usize,
    address: Term,
    cell: Option<Cell>,
    /// None if nobody looks at the value.
    sort: Option<Sort>,
    size: u64,
}

/// Bytes of a region that are copied, filled or made unknown.
struct Range {
    region: usize,
    address: Term,
    /// How far from the address they begin.
    distance: u64,
    cell: Option<Cell>,
    length: Option<u64>,
}

/// What the steps of a program do to each region.
pub(super) struct Survey {
    accesses: Vec<Access>,
    ranges: Vec<Range>,
    /// Pairs of ranges, target first.
    copies: Vec<(usize, usize)>,
}

impl Survey {
    fn of(pool: &Pool, procedures: &Procedures, objects: &Objects, classes: &Classes) -> Survey {
        let mut survey = Survey { accesses: Vec::new(), ranges: Vec::new(), copies: Vec::new() };
        let mut looked = Vec::new();
        for edge in procedures.edges() {
            match edge.action {
                Action::Load { into: value, address, .. } | Action::Store { address, value } => {
                    let sort = pool.sort(value);
                    survey.accesses.push(Access {
                        region: classes.of(address),
                        address,
                        cell: objects.resolve(pool, address),
                        sort: Some(sort),
                        size: bytes_of(sort).unwrap_or(0),
                    });
                }
                Action::Written { address, size, .. } => looked.push(Access {
                    region: classes.of(address),
                    address,
                    cell: objects.resolve(pool, address),
                    sort: None,
                    size,
                }),
                Action::Fill { to: address, length, .. }
                | Action::HavocBytes { address, length, .. } => {
                    survey.range(pool, address, length, objects, classes);
                }
                Action::Copy { to, from, length } => {
                    let to = survey.range(pool, to, length, objects, classes);
                    let from = survey.range(pool, from, length, objects, classes);
                    survey.copies.extend(to.zip(from));
                }
                _ => {}
            }
        }
        // The others say of which sorts values are.
        survey.accesses.extend(looked);
        survey
    }

    fn range(
        &mut self,
        pool: &Pool,
        address: Term,
        length: Term,
        objects: &Objects,
        classes: &Classes,
    ) -> std::ops::Range<usize> {
        let first = self.ranges.len();
        let length = pool.as_bits(length).and_then(|bits| bits.to_u64());
        let cell = objects.resolve(pool, address);
        let parts = classes.parts(address, length).into_iter();
        self.ranges.extend(parts.map(|Part { region, distance, length }| {
            let cell = cell.map(|(object, offset)| (object, offset + distance));
            Range { region, address, distance, cell, length }
        }));
        first..self.ranges.len()
    }
}

/// Chooses the representation of each region.
pub(super) fn choose(
    program: &Program,
    procedures: &Procedures,
    objects: &Objects,
    classes: &Classes,
    alignment: &mut Alignment,
) -> Vec<Representation> {
    let survey = Survey::of(&program.pool, procedures, objects, classes);
    Chooser { objects, classes, survey, alignment }.choose()
}

struct Chooser<'a, 'p> {
    objects: &'a Objects,
    classes: &'a Classes,
    survey: Survey,
    alignment: &'a mut Alignment<'p>,
}

impl Chooser<'_, '_> {
    fn choose(&mut self) -> Vec<Representation> {
        let mut cells = self.cells();
        self.copy_cells(&mut cells);
        let mut chosen = Vec::with_capacity(cells.len());
        for (region, cells) in cells.into_iter().enumerate() {
            chosen.push(match cells {
                Some(cells) => Representation::Cells(cells),
                None => self.words(region).unwrap_or(Representation::Bytes),
            });
        }
        self.copy_words(&mut chosen);
        self.index_alike(&mut chosen);
        chosen
    }

    /// The cells of each region that can be made of cells.
    fn cells(&mut self) -> Vec<Option<BTreeMap<Cell, CellShape>>> {
        let mut cells: Vec<_> = (0..self.classes.regions.len())
            .map(|region| {
                let class = self.classes.class_of(region);
                let fixed = class.members.iter().all(|&(object, _)| {
                    let object = &self.objects.all[object];
                    object.address.is_some() && object.size.is_some()
                });
                (fixed && !class.external).then(BTreeMap::new)
            })
            .collect();
        for n in 0..self.survey.accesses.len() {
            let access = &self.survey.accesses[n];
            let (region, size, sort) = (access.region, access.size, access.sort);
            if cells[region].is_none() {
                continue;
            }
            let places = match access.cell {
                Some(cell) => Some(vec![cell]),
                None => self.candidates(region, access.address, size),
            };
            let fits = places.is_some_and(|places| {
                let map = cells[region].as_mut().expect("looked at above");
                places.into_iter().all(|cell| self.add_cell(map, cell, size, sort))
            });
            if !fits {
                cells[region] = None;
            }
        }
        for range in &self.survey.ranges {
            let known = range.cell.is_some() && range.length.is_some();
            let map = cells[range.region].as_ref();
            if !map.is_some_and(|map| known && covers(map, range)) {
                cells[range.region] = None;
            }
        }
        for (region, map) in cells.iter_mut().enumerate() {
            let members = self.classes.class_of(region).members.len();
            if map.as_ref().is_some_and(|map| map.len() > CELLS * (1 + members)) {
                *map = None;
            }
        }
        cells
    }

    /// The places that an access of a size can be to; none if they are too many.
    fn candidates(&mut self, region: usize, address: Term, size: u64) -> Option<Vec<Cell>> {
        candidates(self.objects, self.classes, region, self.alignment, (address, size))
    }

    /// Adds a cell; false if it overlaps another or leaves its object.
    fn add_cell(
        &self,
        map: &mut BTreeMap<Cell, CellShape>,
        cell: Cell,
        size: u64,
        sort: Option<Sort>,
    ) -> bool {
        let (object, offset) = cell;
        let inside = |end: u64| self.objects.all[object].size.is_some_and(|size| end <= size);
        let Some(end) = offset.checked_add(size) else { return true };
        // An access outside its object has no cell; executing it is an error.
        if !inside(end) || size == 0 {
            return true;
        }
        if let Some(shape) = map.get_mut(&cell) {
            if shape.size != size {
                return false;
            }
            if sort.is_some_and(|sort| sort != shape.sort) {
                shape.sort = Sort::BitVec(size as u32 * 8);
            }
            return true;
        }
        let before = map.range(..cell).next_back();
        let clear_before =
            before.is_none_or(|(&(other, at), shape)| other != object || at + shape.size <= offset);
        let after = map.range(cell..).next();
        let clear_after = after.is_none_or(|(&(other, at), _)| other != object || end <= at);
        if clear_before && clear_after {
            let sort = sort.unwrap_or(Sort::BitVec(size as u32 * 8));
            map.insert(cell, CellShape { size, sort });
        }
        clear_before && clear_after
    }

    /// Copies between regions of cells need the same cells on both sides; where that can't be,
    /// neither side has any.
    fn copy_cells(&self, cells: &mut [Option<BTreeMap<Cell, CellShape>>]) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &(to, from) in &self.survey.copies {
                let (to, from) = (&self.survey.ranges[to], &self.survey.ranges[from]);
                for (source, target) in [(from, to), (to, from)] {
                    let (Some(length), Some(at), Some(into)) =
                        (source.length, source.cell, target.cell)
                    else {
                        changed |= cells[source.region].take().is_some();
                        continue;
                    };
                    if cells[target.region].is_none() {
                        // The other side can't have cells; an array takes any pieces only if it is
                        // of bytes, so this side gives up its cells as well.
                        changed |= cells[source.region].take().is_some();
                        continue;
                    }
                    let Some(map) = &cells[source.region] else { continue };
                    let end = at.1.saturating_add(length);
                    let inside = map.range(at..(at.0, end));
                    let pieces: Vec<_> =
                        inside.map(|(cell, shape)| (cell.1 - at.1, *shape)).collect();
                    let whole = covers(map, source);
                    let map = cells[target.region].as_mut().expect("looked at above");
                    let before = map.len();
                    let mut fits = whole;
                    for (offset, shape) in pieces {
                        let cell = (into.0, into.1 + offset);
                        fits = fits && self.add_cell(map, cell, shape.size, Some(shape.sort));
                    }
                    changed |= map.len() != before;
                    if !fits {
                        cells[target.region] = None;
                        cells[source.region] = None;
                        changed = true;
                    }
                }
            }
            // Ranges must still cover whole cells.
            for range in &self.survey.ranges {
                if cells[range.region].as_ref().is_some_and(|map| !covers(map, range)) {
                    cells[range.region] = None;
                    changed = true;
                }
            }
        }
    }

    /// Words, if all accesses are to all bytes of one.
    fn words(&mut self, region: usize) -> Option<Representation> {
        let mut accesses = self.survey.accesses.iter().filter(|access| access.region == region);
        let exact = self.classes.regions[region].element();
        let (size, mut element) = match (accesses.next(), exact) {
            (Some(first), _) => {
                (first.size, first.sort.unwrap_or(Sort::BitVec(first.size as u32 * 8)))
            }
            // It is only copied.
            (None, Some(size)) => (size, Sort::BitVec(size as u32 * 8)),
            (None, None) => return None,
        };
        for access in accesses {
            if access.size != size {
                return None;
            }
            if access.sort.is_some_and(|sort| sort != element) {
                element = Sort::BitVec(size as u32 * 8);
            }
        }
        let mut ranges = self.survey.ranges.iter().filter(|range| range.region == region);
        if size == 0 || !ranges.all(|r| r.length.is_some_and(|length| length % size == 0)) {
            return None;
        }
        let aligned = self.is_aligned(region, size);
        let dropped = if aligned { size.trailing_zeros() } else { 0 };
        (aligned || exact == Some(size)).then_some(Representation::Words { size, element, dropped })
    }

    /// Whether all accesses to a region, of so many bytes, are at multiples of that.
    fn is_aligned(&mut self, region: usize, size: u64) -> bool {
        if !size.is_power_of_two() || size > 1 << MOST {
            return false;
        }
        let zeros = size.trailing_zeros();
        let accesses = self.survey.accesses.iter().filter(|access| access.region == region);
        let ranges = self.survey.ranges.iter().filter(|range| range.region == region);
        let accesses = accesses.map(|access| (access.address, 0));
        let ranges = ranges.map(|range| (range.address, range.distance));
        let addresses: Vec<(Term, u64)> = accesses.chain(ranges).collect();
        addresses.into_iter().all(|(address, distance)| {
            distance % size == 0 && self.alignment.zeros(address) >= zeros
        }) && self.classes.class_of(region).members.iter().all(|&(object, _)| {
            let object = &self.objects.all[object];
            let base = match object.address {
                Some(address) => self.objects.numbers[&address].trailing_zeros(),
                None => object.align.max(1).trailing_zeros(),
            };
            base >= zeros && object.size.is_none_or(|bytes| bytes % size == 0)
        })
    }

    /// The fields of a node have indices of one width, so that what holds of them can be said together.
    fn index_alike(&self, chosen: &mut [Representation]) {
        for class in &self.classes.classes {
            let dropped = class.regions.iter().filter_map(|region| match chosen[*region] {
                Representation::Words { dropped, .. } => Some(dropped),
                _ => None,
            });
            let least = dropped.min().unwrap_or(0);
            for &region in &class.regions {
                if let Representation::Words { dropped, .. } = &mut chosen[region] {
                    *dropped = least;
                }
            }
        }
    }

    /// A copy between words of different sizes needs bytes on both sides.
    fn copy_words(&self, chosen: &mut [Representation]) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &(to, from) in &self.survey.copies {
                let (to, from) = (self.survey.ranges[to].region, self.survey.ranges[from].region);
                let unit = |representation: &Representation| match representation {
                    Representation::Words { size, .. } => Some(*size),
                    Representation::Bytes => Some(1),
                    Representation::Cells(_) => None,
                };
                let (a, b) = (unit(&chosen[to]), unit(&chosen[from]));
                if a != b {
                    chosen[to] = Representation::Bytes;
                    chosen[from] = Representation::Bytes;
                    changed = true;
                }
            }
        }
    }
}

/// Whether a range cuts no cell in two.
fn covers(map: &BTreeMap<Cell, CellShape>, range: &Range) -> bool {
    let (Some((object, start)), Some(length)) = (range.cell, range.length) else { return false };
    let end = start.saturating_add(length);
    let before = map.range(..(object, start)).next_back();
    let last = map.range((object, start)..(object, end.max(start))).next_back();
    before.is_none_or(|(&(other, at), shape)| other != object || at + shape.size <= start)
        && last.is_none_or(|(&(_, at), shape)| at + shape.size <= end)
}

/// The places that an access of a size to a region can be to; none if they are too many.
pub(super) fn candidates(
    objects: &Objects,
    classes: &Classes,
    region: usize,
    alignment: &mut Alignment,
    (address, size): (Term, u64),
) -> Option<Vec<Cell>> {
    let zeros = alignment.zeros(address);
    let exact = classes.regions[region].exact;
    let mut places = Vec::new();
    for &(object, shift) in &classes.class_of(region).members {
        let base = objects.all[object].address?;
        if objects.all[object].kind == Kind::Function {
            continue;
        }
        let base_zeros = objects.numbers[&base].trailing_zeros().min(MOST);
        let stride = if exact { 1 } else { 1u64 << zeros.min(base_zeros) };
        let bytes = objects.all[object].size?;
        let offsets = classes.regions[region].offsets(shift, bytes);
        let fitting = offsets.filter(|offset| offset % stride == 0 && offset + size <= bytes);
        places.extend(fitting.take(CANDIDATES + 1).map(|offset| (object, offset)));
        if places.len() > CANDIDATES {
            return None;
        }
    }
    Some(places)
}
