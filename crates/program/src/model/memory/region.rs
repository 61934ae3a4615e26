//! How each class of memory is represented.
//!
//! * **Cells**: every object of the class has a fixed address, and every access is to a constant
//!   offset of one of them, or to few candidates; cells do not overlap. One scalar variable a
//!   cell.
//! * **Words**: all accesses have one size and are aligned to it. An array of words.
//! * **Bytes**: an array of bytes, for everything else.
//!
//! If a class of words or bytes consists of one fixed object, the array's index is the offset in
//! it, as narrow as the object is small; otherwise it is the address.

use super::super::alignment::{Alignment, MOST};
use super::super::objects::{Kind, Objects};
use super::super::points_to::Classes;
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

/// The representation of a class.
#[derive(Clone, Debug)]
pub(super) enum Region {
    /// Scalars by object and offset, with their sizes.
    Cells(BTreeMap<Cell, CellShape>),
    /// Words of this many bytes.
    Words { size: u64, element: Sort },
    /// Bytes.
    Bytes,
}

/// A cell's size and sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CellShape {
    pub size: u64,
    pub sort: Sort,
}

/// How many bytes a value of a sort takes.
pub(super) fn bytes_of(sort: Sort) -> Option<u64> {
    let bits = match sort {
        Sort::BitVec(width) => width,
        Sort::Float(format) => format.width(),
        _ => return None,
    };
    (bits % 8 == 0).then_some(u64::from(bits / 8))
}

/// An access of a constant size, to a constant place if `cell` says which.
struct Access {
    class: usize,
    address: Term,
    cell: Option<Cell>,
    sort: Sort,
    size: u64,
}

/// A range of bytes that is copied, filled or made unknown.
struct Range {
    class: usize,
    address: Term,
    cell: Option<Cell>,
    length: Option<u64>,
}

/// What the steps of a program do to each class.
pub(super) struct Survey {
    accesses: Vec<Access>,
    ranges: Vec<Range>,
    /// Pairs of ranges, target first.
    copies: Vec<(usize, usize)>,
}

impl Survey {
    fn of(pool: &Pool, procedures: &Procedures, objects: &Objects, classes: &Classes) -> Survey {
        let mut survey = Survey { accesses: Vec::new(), ranges: Vec::new(), copies: Vec::new() };
        for edge in procedures.edges() {
            match edge.action {
                Action::Load { into: value, address, .. } | Action::Store { address, value } => {
                    let sort = pool.sort(value);
                    survey.accesses.push(Access {
                        class: classes.of(address),
                        address,
                        cell: objects.resolve(pool, address),
                        sort,
                        size: bytes_of(sort).unwrap_or(0),
                    });
                }
                Action::Fill { to: address, length, .. }
                | Action::HavocBytes { address, length, .. } => {
                    survey.range(pool, address, length, objects, classes);
                }
                Action::Copy { to, from, length } => {
                    let to = survey.range(pool, to, length, objects, classes);
                    let from = survey.range(pool, from, length, objects, classes);
                    survey.copies.push((to, from));
                }
                _ => {}
            }
        }
        survey
    }

    fn range(
        &mut self,
        pool: &Pool,
        address: Term,
        length: Term,
        objects: &Objects,
        classes: &Classes,
    ) -> usize {
        self.ranges.push(Range {
            class: classes.of(address),
            address,
            cell: objects.resolve(pool, address),
            length: pool.as_bits(length).and_then(|bits| bits.to_u64()),
        });
        self.ranges.len() - 1
    }
}

/// Chooses the representation of each class.
pub(super) fn choose(
    program: &Program,
    procedures: &Procedures,
    objects: &Objects,
    classes: &Classes,
    alignment: &mut Alignment,
) -> Vec<Region> {
    let survey = Survey::of(&program.pool, procedures, objects, classes);
    let mut members = vec![Vec::new(); classes.len()];
    for (object, &class) in classes.of_object.iter().enumerate() {
        members[class].push(object);
    }
    let mut chooser = Chooser { program, objects, classes, members, survey, alignment };
    chooser.choose()
}

struct Chooser<'a, 'p> {
    program: &'a Program,
    objects: &'a Objects,
    classes: &'a Classes,
    members: Vec<Vec<usize>>,
    survey: Survey,
    alignment: &'a mut Alignment<'p>,
}

impl Chooser<'_, '_> {
    fn choose(&mut self) -> Vec<Region> {
        let mut cells = self.cells();
        self.copy_cells(&mut cells);
        let mut regions: Vec<Region> = Vec::with_capacity(cells.len());
        for (class, cells) in cells.into_iter().enumerate() {
            regions.push(match cells {
                Some(cells) => Region::Cells(cells),
                None => self.words(class).unwrap_or(Region::Bytes),
            });
        }
        self.copy_words(&mut regions);
        regions
    }

    /// The cells of each class that can be made of cells.
    fn cells(&mut self) -> Vec<Option<BTreeMap<Cell, CellShape>>> {
        let mut cells: Vec<_> = (0..self.classes.len())
            .map(|class| {
                let fixed = |o: &usize| {
                    let object = &self.objects.all[*o];
                    object.address.is_some() && object.size.is_some()
                };
                let fixed = self.members[class].iter().all(fixed);
                (fixed && !self.classes.external[class]).then(BTreeMap::new)
            })
            .collect();
        for n in 0..self.survey.accesses.len() {
            let access = &self.survey.accesses[n];
            let (class, size, sort) = (access.class, access.size, access.sort);
            if cells[class].is_none() {
                continue;
            }
            let places = match access.cell {
                Some(cell) => Some(vec![cell]),
                None => self.candidates(class, access.address, size),
            };
            let fits = places.is_some_and(|places| {
                let map = cells[class].as_mut().expect("looked at above");
                places.into_iter().all(|cell| self.add_cell(map, cell, size, sort))
            });
            if !fits {
                cells[class] = None;
            }
        }
        for range in &self.survey.ranges {
            let known = range.cell.is_some() && range.length.is_some();
            let whole = cells[range.class].as_ref().is_some_and(|map| known && covers(map, range));
            if !whole {
                cells[range.class] = None;
            }
        }
        for (class, map) in cells.iter_mut().enumerate() {
            if map.as_ref().is_some_and(|map| map.len() > CELLS * (1 + self.members[class].len())) {
                *map = None;
            }
        }
        cells
    }

    /// The places that an access of a size can be to; none if they are too many.
    fn candidates(&mut self, class: usize, address: Term, size: u64) -> Option<Vec<Cell>> {
        candidates(self.objects, &self.members[class], self.alignment, address, size)
    }

    /// Adds a cell; false if it overlaps another or leaves its object.
    fn add_cell(
        &self,
        map: &mut BTreeMap<Cell, CellShape>,
        cell: Cell,
        size: u64,
        sort: Sort,
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
            if shape.sort != sort {
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
            map.insert(cell, CellShape { size, sort });
        }
        clear_before && clear_after
    }

    /// Copies between classes of cells need the same cells on both sides; where that can't be,
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
                        changed |= cells[source.class].take().is_some();
                        continue;
                    };
                    if cells[target.class].is_none() {
                        // The other side can't have cells; an array takes any pieces only if it is
                        // of bytes, so this side gives up its cells as well.
                        changed |= cells[source.class].take().is_some();
                        continue;
                    }
                    let Some(map) = &cells[source.class] else { continue };
                    let end = at.1.saturating_add(length);
                    let inside = map.range(at..(at.0, end));
                    let pieces: Vec<_> =
                        inside.map(|(cell, shape)| (cell.1 - at.1, *shape)).collect();
                    let whole = covers(map, source);
                    let map = cells[target.class].as_mut().expect("looked at above");
                    let before = map.len();
                    let mut fits = whole;
                    for (offset, shape) in pieces {
                        let cell = (into.0, into.1 + offset);
                        fits = fits && self.add_cell(map, cell, shape.size, shape.sort);
                    }
                    changed |= map.len() != before;
                    if !fits {
                        cells[target.class] = None;
                        cells[source.class] = None;
                        changed = true;
                    }
                }
            }
            // Ranges must still cover whole cells.
            for range in &self.survey.ranges {
                if cells[range.class].as_ref().is_some_and(|map| !covers(map, range)) {
                    cells[range.class] = None;
                    changed = true;
                }
            }
        }
    }

    /// Words, if all accesses of the class have one size and are aligned.
    fn words(&mut self, class: usize) -> Option<Region> {
        let mut accesses = self.survey.accesses.iter().filter(|access| access.class == class);
        let first = accesses.next()?;
        let (size, mut element) = (first.size, first.sort);
        if !size.is_power_of_two() || size > 1 << MOST {
            return None;
        }
        for access in accesses {
            if access.size != size {
                return None;
            }
            if access.sort != element {
                element = Sort::BitVec(size as u32 * 8);
            }
        }
        let zeros = size.trailing_zeros();
        let accesses = self.survey.accesses.iter().filter(|access| access.class == class);
        let addresses: Vec<Term> = accesses.map(|access| access.address).collect();
        let ranges = self.survey.ranges.iter().filter(|range| range.class == class);
        let known = ranges.clone().all(|r| r.length.is_some_and(|length| length % size == 0));
        let ranges: Vec<Term> = ranges.map(|range| range.address).collect();
        let mut addresses = addresses.into_iter().chain(ranges);
        let aligned = known
            && addresses.all(|address| self.alignment.zeros(address) >= zeros)
            && self.members[class].iter().all(|&object| self.base_aligned(object, size));
        aligned.then_some(Region::Words { size, element })
    }

    /// Whether an object begins and is initialized at multiples of a size.
    fn base_aligned(&self, object: usize, size: u64) -> bool {
        let object = &self.objects.all[object];
        let base = match object.address {
            Some(address) => u64::from(self.objects.numbers[&address].trailing_zeros()),
            None => u64::from(object.align.max(1).trailing_zeros()),
        };
        let initial = match object.kind {
            Kind::Static(id) => &self.program.objects[id].initial[..],
            _ => &[],
        };
        let sized = object.size.is_none_or(|bytes| bytes % size == 0);
        let word = |term: Term| bytes_of(self.program.pool.sort(term)) == Some(size);
        base >= u64::from(size.trailing_zeros())
            && sized
            && initial.iter().all(|&(offset, term)| offset % size == 0 && word(term))
    }

    /// A copy between words of different sizes needs bytes on both sides.
    fn copy_words(&self, regions: &mut [Region]) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &(to, from) in &self.survey.copies {
                let (to, from) = (self.survey.ranges[to].class, self.survey.ranges[from].class);
                let unit = |region: &Region| match region {
                    Region::Words { size, .. } => Some(*size),
                    Region::Bytes => Some(1),
                    Region::Cells(_) => None,
                };
                let (a, b) = (unit(&regions[to]), unit(&regions[from]));
                if a != b {
                    regions[to] = Region::Bytes;
                    regions[from] = Region::Bytes;
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

/// The places of some objects that an access of a size can be to; none if they are too many.
pub(super) fn candidates(
    objects: &Objects,
    members: &[usize],
    alignment: &mut Alignment,
    address: Term,
    size: u64,
) -> Option<Vec<Cell>> {
    let zeros = alignment.zeros(address);
    let mut places = Vec::new();
    for &object in members {
        let base = objects.all[object].address?;
        if objects.all[object].kind == Kind::Function {
            continue;
        }
        let base_zeros = objects.numbers[&base].trailing_zeros().min(MOST);
        let stride = 1u64 << zeros.min(base_zeros);
        let last = match objects.all[object].size?.checked_sub(size) {
            Some(last) => last,
            None => continue,
        };
        if last / stride >= CANDIDATES as u64 {
            return None;
        }
        places.extend((0..=last).step_by(stride as usize).map(|offset| (object, offset)));
        if places.len() > CANDIDATES {
            return None;
        }
    }
    Some(places)
}
