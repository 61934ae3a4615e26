//! The result: classes, their regions, and which region an access is to.

use super::ranges::ELEMENTS;
use super::solver::{ClassId, Solver};
use rustc_hash::FxHashMap;
use term::Term;

/// Objects that lie over each other.
pub(in super::super) struct Class {
    /// The objects, and at which offset of the class each begins.
    pub members: Vec<(usize, i64)>,
    /// What offsets count modulo; zero if they are exact.
    pub modulus: u64,
    /// Whether external memory is in it.
    pub external: bool,
    /// Its regions, in their order.
    pub regions: Vec<usize>,
}

/// Bytes of the objects of a class that are accessed together: a cell.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Region {
    pub class: usize,
    pub start: i64,
    /// The offset behind the last byte; the largest number if there is no last one.
    pub end: i64,
    /// Whether all accesses are to all of its bytes.
    pub exact: bool,
    /// What offsets of its class count modulo.
    modulus: u64,
}

/// A part of a range of bytes that is in one region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct Part {
    pub region: usize,
    /// How far from the beginning of the range.
    pub distance: u64,
    /// None: to the end of the range.
    pub length: Option<u64>,
}

impl Region {
    /// How many bytes an element has, if all accesses are to elements.
    pub fn element(&self) -> Option<u64> {
        self.exact.then(|| (self.end - self.start) as u64)
    }

    /// The offsets in an object that begins at an offset of the class and has so many bytes: where
    /// elements of an exact region are, and the bytes of others.
    pub fn offsets(&self, shift: i64, size: u64) -> impl Iterator<Item = u64> + use<> {
        let (modulus, length) = (self.modulus as i64, self.end.saturating_sub(self.start));
        let first = self.start.saturating_sub(shift);
        let first = if modulus > 0 { first.rem_euclid(modulus) - modulus } else { first };
        let step = if modulus > 0 { modulus } else { i64::MAX };
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        let exact = self.exact;
        let starts = std::iter::successors(Some(first), move |at| at.checked_add(step));
        let starts = starts.take_while(move |at| *at < size);
        starts.flat_map(move |at| {
            let (from, to) = match exact {
                true if at >= 0 && size - at >= length => (at, at + 1),
                true => (0, 0),
                false => (at.max(0), at.saturating_add(length).min(size)),
            };
            (from..to).map(|offset| offset as u64)
        })
    }
}

/// The classes, the regions, and what is where.
pub(in super::super) struct Classes {
    /// The class and the offset that an address points to.
    places: FxHashMap<Term, (usize, i64)>,
    pub classes: Vec<Class>,
    pub regions: Vec<Region>,
    /// The class of each object, and where in it the object begins.
    pub of_object: Vec<(usize, i64)>,
}

impl Classes {
    /// The class that an address points into.
    pub fn class(&self, address: Term) -> &Class {
        &self.classes[self.places[&address].0]
    }

    /// The region that an access is to.
    pub fn of(&self, address: Term) -> usize {
        let (class, offset) = self.places[&address];
        let regions = &self.classes[class].regions;
        let behind = regions.partition_point(|region| self.regions[*region].start <= offset);
        regions[behind.checked_sub(1).expect("an access has a cell")]
    }

    /// The class of a region.
    pub fn class_of(&self, region: usize) -> &Class {
        &self.classes[self.regions[region].class]
    }

    /// The parts of a range of so many bytes, of an unknown number if there is none.
    pub fn parts(&self, address: Term, length: Option<u64>) -> Vec<Part> {
        self.parts_at(self.places[&address], length)
    }

    /// The parts of a range in an object.
    pub fn parts_of(&self, object: usize, offset: u64, length: u64) -> Vec<Part> {
        let (class, shift) = self.of_object[object];
        let mut place = shift.wrapping_add(offset as i64);
        if let modulus @ 1.. = self.classes[class].modulus {
            place = place.rem_euclid(modulus as i64);
        }
        self.parts_at((class, place), Some(length))
    }

    fn parts_at(&self, (class, offset): (usize, i64), length: Option<u64>) -> Vec<Part> {
        let Class { modulus, ref regions, .. } = self.classes[class];
        let several = modulus > 0 && length.is_none_or(|length| length > modulus);
        if let (true, &[region]) = (several, &regions[..])
            && self.regions[region].start == 0
            && self.regions[region].end as u64 == modulus
        {
            return vec![Part { region, distance: 0, length }];
        }
        let size = length.and_then(|length| i64::try_from(length).ok()).unwrap_or(i64::MAX);
        let rounds = match (modulus, length) {
            (0, _) => 1,
            (_, Some(length)) => (length / modulus + 2).min(ELEMENTS + 2),
            (_, None) => 1,
        };
        let mut parts = Vec::new();
        for round in 0..rounds {
            for &region in regions {
                let Region { start, end, .. } = self.regions[region];
                let begin = (round * modulus) as i64 - offset;
                let endless = end == i64::MAX;
                let (first, end) = (start.saturating_add(begin), end.saturating_add(begin));
                let (first, end) = (first.max(0), if endless { size } else { end.min(size) });
                if first < end {
                    let part = (end - first) as u64;
                    let part = (length.is_some() || end < i64::MAX).then_some(part);
                    parts.push(Part { region, distance: first as u64, length: part });
                }
            }
        }
        parts
    }
}

/// Numbers the classes that are accessed or have objects, and their cells.
pub(super) fn number(
    solver: &mut Solver<'_>,
    addresses: &[Term],
    memory: &[ClassId],
    external: ClassId,
) -> Classes {
    let mut numbering =
        Numbering { number: FxHashMap::default(), classes: Vec::new(), regions: Vec::new() };
    let mut of_object = Vec::with_capacity(memory.len());
    for (object, &class) in memory.iter().enumerate() {
        let place = solver.find(class);
        let class = numbering.class(solver, place.class);
        numbering.classes[class].members.push((object, place.offset));
        of_object.push((class, place.offset));
    }
    let mut places = FxHashMap::default();
    for &address in addresses {
        let value = solver.value(address);
        let place = solver.place(value);
        places.insert(address, (numbering.class(solver, place.class), place.offset));
    }
    let outside = solver.find(external).class;
    if let Some(&class) = numbering.number.get(&outside) {
        numbering.classes[class].external = true;
    }
    let Numbering { classes, regions, .. } = numbering;
    Classes { places, classes, regions, of_object }
}

struct Numbering {
    number: FxHashMap<ClassId, usize>,
    classes: Vec<Class>,
    regions: Vec<Region>,
}

impl Numbering {
    fn class(&mut self, solver: &Solver<'_>, id: ClassId) -> usize {
        if let Some(&class) = self.number.get(&id) {
            return class;
        }
        let class = self.classes.len();
        self.number.insert(id, class);
        let state = solver.state(id);
        let modulus = state.modulus;
        let cells = state.cells.iter().map(|(&start, cell)| {
            let (end, exact) = (cell.end, cell.exact);
            Region { class, start, end, exact, modulus }
        });
        let first = self.regions.len();
        self.regions.extend(cells);
        let regions = (first..self.regions.len()).collect();
        self.classes.push(Class { members: Vec::new(), modulus, external: false, regions });
        class
    }
}
