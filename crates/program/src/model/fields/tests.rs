//! Places, cells and what becomes one.

use super::ranges::{Copied, Ranges, Written};
use super::solver::{Place, Solver};
use super::*;
use term::Pool;

const WIDTH: u32 = 64;

struct Case<'a> {
    pool: &'a Pool,
    solver: Solver<'a>,
    ranges: Ranges,
    objects: Vec<ClassId>,
}

impl<'a> Case<'a> {
    fn new(pool: &'a Pool) -> Self {
        let solver = Solver::new(pool, WIDTH);
        Case { pool, solver, ranges: Ranges::default(), objects: Vec::new() }
    }

    /// A pointer to a new object.
    fn object(&mut self, name: &str) -> Term {
        let class = self.solver.class();
        self.objects.push(class);
        let pointer = self.variable(name);
        let value = self.solver.value(pointer);
        self.solver.point(value, Place { class, offset: 0 });
        self.solver.settle();
        pointer
    }

    fn variable(&self, name: &str) -> Term {
        self.pool.var(name, Sort::BitVec(WIDTH))
    }

    fn at(&self, pointer: Term, offset: u64) -> Term {
        self.pool.bv_add(pointer, self.pool.bv(offset, WIDTH))
    }

    fn indexed(&self, pointer: Term, stride: u64, offset: u64) -> Term {
        let index = self.pool.var("index", Sort::BitVec(32));
        let index = self.pool.bv_zero_extend(index, 32);
        let scaled = self.pool.bv_mul(index, self.pool.bv(stride, WIDTH));
        self.at(self.pool.bv_add(pointer, scaled), offset)
    }

    fn assign(&mut self, register: Term, term: Term) {
        let (from, to) = (self.solver.value(term), self.solver.value(register));
        self.solver.flow(from, to);
        self.solver.settle();
    }

    fn place(&mut self, address: Term) -> Place {
        let value = self.solver.value(address);
        let place = self.solver.place(value);
        self.solver.settle();
        self.solver.normal(place)
    }

    fn access(&mut self, address: Term, size: u64) {
        let place = self.place(address);
        self.solver.cell(place, size, true);
        self.solver.settle();
    }

    /// The cells of the class that an address points into: start, end, whether they are exact.
    fn cells(&mut self, address: Term) -> Vec<(i64, i64, bool)> {
        self.ranges.arrange(&mut self.solver);
        let place = self.place(address);
        let cells = &self.solver.state(place.class).cells;
        cells.iter().map(|(start, cell)| (*start, cell.end, cell.exact)).collect()
    }

    fn copy(&mut self, to: Term, from: Term, length: Option<u64>) {
        let (to, from) = (self.place(to), self.place(from));
        self.ranges.copied.push(Copied { to, from, length });
    }

    fn write(&mut self, to: Term, length: Option<u64>) {
        let place = self.place(to);
        self.ranges.written.push(Written { place, length, points: None });
    }
}

#[test]
fn fields_are_apart_and_overlaps_are_bytes() {
    let pool = Pool::new();
    let mut case = Case::new(&pool);
    let p = case.object("p");
    case.access(p, 4);
    case.access(case.at(p, 8), 8);
    assert_eq!(case.cells(p), [(0, 4, true), (8, 16, true)]);
    case.access(case.at(p, 10), 2);
    assert_eq!(case.cells(p), [(0, 4, true), (8, 16, false)]);
}

#[test]
fn arrays_of_structures_count_modulo_their_size() {
    let pool = Pool::new();
    let mut case = Case::new(&pool);
    let p = case.object("p");
    case.access(case.indexed(p, 24, 0), 8);
    case.access(case.indexed(p, 24, 16), 4);
    assert_eq!(case.cells(p), [(0, 8, true), (16, 20, true)]);
    // The second element from here is the first one.
    case.access(case.at(p, 40), 4);
    assert_eq!(case.cells(p), [(0, 8, true), (16, 20, true)]);
    // Bytes of nobody knows which field.
    case.access(case.indexed(p, 1, 0), 1);
    assert_eq!(case.cells(p), [(0, 1, false)]);
}

#[test]
fn products_that_may_wrap_count_modulo_powers_of_two() {
    let pool = Pool::new();
    let mut case = Case::new(&pool);
    let p = case.object("p");
    let index = case.variable("wide");
    let scaled = pool.bv_mul(index, pool.bv(24, WIDTH));
    case.access(pool.bv_add(p, scaled), 8);
    case.access(case.at(p, 16), 8);
    assert_eq!(case.cells(p), [(0, 8, true)]);
}

#[test]
fn objects_behind_one_pointer_lie_over_each_other() {
    let pool = Pool::new();
    let mut case = Case::new(&pool);
    let (p, q) = (case.object("p"), case.object("q"));
    case.access(p, 4);
    case.access(case.at(q, 8), 4);
    let either = case.variable("either");
    case.assign(either, p);
    // The field of one is all that is seen of the other.
    case.assign(either, case.at(q, 8));
    assert_eq!(case.place(either), case.place(p));
    assert_eq!(case.place(either), case.place(case.at(q, 8)));
    assert_eq!(case.cells(either).len(), 1);
    case.access(q, 4);
    assert_eq!(case.cells(either).len(), 2);
    // A pointer that walks leaves nothing of offsets but its steps.
    case.assign(either, case.at(either, 12));
    let place = case.place(either);
    assert_eq!(case.solver.state(place.class).modulus, 12);
}

#[test]
fn what_is_stored_is_loaded_from_the_same_field_only() {
    let pool = Pool::new();
    let mut case = Case::new(&pool);
    let (p, q, r) = (case.object("p"), case.object("q"), case.object("r"));
    let store = |case: &mut Case<'_>, offset, value| {
        let place = case.place(case.at(p, offset));
        let (cell, value) = (case.solver.cell(place, 8, true), case.solver.value(value));
        case.solver.flow(value, cell);
        case.solver.settle();
    };
    store(&mut case, 0, q);
    store(&mut case, 8, r);
    let loaded = case.variable("loaded");
    let place = case.place(case.at(p, 8));
    let (cell, into) = (case.solver.cell(place, 8, true), case.solver.value(loaded));
    case.solver.flow(cell, into);
    case.solver.settle();
    assert_eq!(case.place(loaded), case.place(r));
    assert_ne!(case.place(q).class, case.place(r).class);
    // Half of each: both may be there, and nobody knows where they point to.
    case.access(case.at(p, 4), 8);
    assert_eq!(case.place(q).class, case.place(r).class);
    let class = case.place(q).class;
    assert_eq!(case.solver.state(class).modulus, 1);
}

#[test]
fn copies_have_the_same_cells_on_both_sides() {
    let pool = Pool::new();
    let mut case = Case::new(&pool);
    let (p, q) = (case.object("p"), case.object("q"));
    case.access(p, 4);
    case.access(case.at(q, 8), 8);
    case.copy(q, p, Some(16));
    assert_eq!(case.cells(p), [(0, 4, true), (8, 16, true)]);
    assert_eq!(case.cells(q), [(0, 4, true), (8, 16, true)]);
    // Half of a field.
    case.copy(q, p, Some(12));
    assert_eq!(case.cells(p), [(0, 4, true), (8, 16, false)]);
    assert_eq!(case.cells(q), [(0, 4, true), (8, 16, false)]);
}

#[test]
fn ranges_of_unknown_length_melt_what_is_behind_them() {
    let pool = Pool::new();
    let mut case = Case::new(&pool);
    let p = case.object("p");
    for offset in [0, 8, 16] {
        case.access(case.at(p, offset), 8);
    }
    case.write(case.at(p, 8), None);
    assert_eq!(case.cells(p), [(0, 8, true), (8, i64::MAX, false)]);
    let q = case.object("q");
    case.access(case.indexed(q, 4, 0), 4);
    case.write(q, Some(64));
    assert_eq!(case.cells(q), [(0, 4, true)]);
    case.copy(q, case.at(p, 8), None);
    assert_eq!(case.cells(q), [(0, 4, false)]);
}

#[test]
fn elements_of_objects_are_found() {
    let pool = Pool::new();
    let mut case = Case::new(&pool);
    let p = case.object("p");
    case.access(case.indexed(p, 8, 4), 4);
    case.access(p, 2);
    let address = case.at(p, 4);
    let addresses = [p, address];
    let outside = case.solver.class();
    let classes = classes::number(&mut case.solver, &addresses, &case.objects, outside);
    let region = |address| &classes.regions[classes.of(address)];
    assert_eq!(region(address).element(), Some(4));
    assert_eq!(region(address).offsets(0, 24).collect::<Vec<u64>>(), [4, 12, 20]);
    assert_eq!(region(p).offsets(0, 24).collect::<Vec<u64>>(), [0, 8, 16]);
    let parts = classes.parts(p, Some(12));
    let parts: Vec<(u64, Option<u64>)> = parts.iter().map(|p| (p.distance, p.length)).collect();
    assert_eq!(parts, [(0, Some(2)), (4, Some(4)), (8, Some(2))]);
}

#[test]
fn long_windows_end_with_the_last_cell() {
    let pool = Pool::new();
    let mut case = Case::new(&pool);
    let (p, q) = (case.object("p"), case.object("q"));
    case.access(case.at(p, 8), 8);
    case.copy(q, p, Some(ANY_LENGTH));
    assert_eq!(case.cells(q), [(8, 16, true)]);
}
