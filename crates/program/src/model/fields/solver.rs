//! The constraints met so far, solved as they come: values, classes, cells, and what becomes one.

use super::number::{Step, constant, gcd};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use term::{Op, Pool, Sort, Term};

/// The most ways from an address to what it is made of that are told apart.
const MAX_WAYS: usize = 4096;

/// A value: a register, an address term, what a cell holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Value(u32);

/// A class of objects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ClassId(u32);

/// A place in a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub class: ClassId,
    pub offset: i64,
}

/// Bytes that are accessed together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// The offset behind the last byte.
    pub end: i64,
    /// Whether all accesses are to all of it.
    pub exact: bool,
    /// What it holds.
    pub holds: Value,
}

#[derive(Debug)]
struct ValueState {
    parent: Value,
    target: Option<Place>,
    /// Where the value flows, while it points nowhere.
    pending: Vec<(Value, Step)>,
    /// Whether it may be put together from parts.
    blurred: bool,
}

#[derive(Debug)]
pub(super) struct ClassState {
    /// Where it lies in another class that it has become part of.
    parent: Place,
    /// What offsets count modulo; zero if they are exact.
    pub modulus: u64,
    /// From where on all cells are one, if there is such an offset.
    pub blob: Option<i64>,
    /// By their first offset.
    pub cells: BTreeMap<i64, Cell>,
}

#[derive(Debug)]
enum Work {
    Join(Place, Place),
    Unite(Value, Value),
    Stride(ClassId, u64),
}

pub(super) struct Solver<'a> {
    pool: &'a Pool,
    width: u32,
    values: Vec<ValueState>,
    classes: Vec<ClassState>,
    value_of: FxHashMap<Term, Value>,
    work: Vec<Work>,
    /// Whether a class or a cell has changed.
    pub changed: bool,
}

impl<'a> Solver<'a> {
    pub fn new(pool: &'a Pool, width: u32) -> Self {
        Solver {
            pool,
            width,
            values: Vec::new(),
            classes: Vec::new(),
            value_of: FxHashMap::default(),
            work: Vec::new(),
            changed: false,
        }
    }

    fn fresh(&mut self) -> Value {
        let value = Value(self.values.len() as u32);
        let (target, pending, blurred) = (None, Vec::new(), false);
        self.values.push(ValueState { parent: value, target, pending, blurred });
        value
    }

    /// A new class.
    pub fn class(&mut self) -> ClassId {
        let class = ClassId(self.classes.len() as u32);
        let parent = Place { class, offset: 0 };
        let (modulus, blob, cells) = (0, None, BTreeMap::new());
        self.classes.push(ClassState { parent, modulus, blob, cells });
        class
    }

    fn value_state(&mut self, value: Value) -> &mut ValueState {
        &mut self.values[value.0 as usize]
    }

    /// What is known of a class that is part of no other.
    pub fn state(&self, class: ClassId) -> &ClassState {
        &self.classes[class.0 as usize]
    }

    pub fn state_mut(&mut self, class: ClassId) -> &mut ClassState {
        &mut self.classes[class.0 as usize]
    }

    fn find_value(&mut self, mut value: Value) -> Value {
        loop {
            let above = self.value_state(value).parent;
            if above == value {
                return value;
            }
            let next = self.value_state(above).parent;
            self.value_state(value).parent = next;
            value = next;
        }
    }

    /// The class that a class is part of, and where it begins there.
    pub fn find(&mut self, class: ClassId) -> Place {
        let parent = self.state(class).parent;
        if parent.class == class {
            return parent;
        }
        let above = self.find(parent.class);
        let offset = parent.offset.wrapping_add(above.offset);
        let place = Place { class: above.class, offset };
        self.state_mut(class).parent = place;
        place
    }

    /// The same place in the class that its class is part of.
    pub fn normal(&mut self, place: Place) -> Place {
        let found = self.find(place.class);
        let offset = place.offset.wrapping_add(found.offset);
        let offset = match self.state(found.class).modulus {
            0 if self.width == 32 => i64::from(offset as i32),
            0 => offset,
            modulus => offset.rem_euclid(modulus as i64),
        };
        Place { class: found.class, offset }
    }

    /// The value of a term: of a register, or what flows into an expression.
    pub fn value(&mut self, term: Term) -> Value {
        if let Some(&value) = self.value_of.get(&term) {
            return value;
        }
        let value = self.fresh();
        self.value_of.insert(term, value);
        for (leaf, step) in self.ways(term) {
            if leaf != term {
                let from = self.value(leaf);
                self.flow_by(from, value, step);
            }
        }
        value
    }

    /// The variables whose values a term's value is made of.
    pub fn leaves(&self, term: Term) -> Vec<Term> {
        let mut leaves: Vec<Term> = self.ways(term).into_iter().map(|(leaf, _)| leaf).collect();
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    /// The same, with what is added to each. Through other operators than sums and choices, nothing is
    /// known of that.
    fn ways(&self, term: Term) -> Vec<(Term, Step)> {
        let pool = self.pool;
        let mut seen: FxHashSet<(Term, Step)> = FxHashSet::default();
        let mut leaves = Vec::new();
        let mut pending = vec![(term, Step::NONE)];
        while let Some((term, mut step)) = pending.pop() {
            if seen.len() > MAX_WAYS || pool.sort(term) != Sort::BitVec(self.width) {
                step = Step::ANY;
            }
            if pool.sort(term) == Sort::Bool || !seen.insert((term, step)) {
                continue;
            }
            match (pool.op(term), pool.args(term)) {
                (Op::Var(_), _) => leaves.push((term, step)),
                (Op::BvAdd, &[a, b]) => {
                    pending.push((a, step.then(Step::of(pool, b))));
                    pending.push((b, step.then(Step::of(pool, a))));
                }
                (Op::BvSub, &[a, b]) if constant(pool, b).is_some() => {
                    pending.push((a, step.then(Step::of(pool, pool.bv_neg(b)))));
                }
                (Op::Ite, &[_, a, b]) => pending.extend([(a, step), (b, step)]),
                (_, args) => pending.extend(args.iter().map(|arg| (*arg, Step::ANY))),
            }
        }
        leaves
    }

    /// Values of the first are among those of the second.
    pub fn flow(&mut self, from: Value, to: Value) {
        self.flow_by(from, to, Step::NONE);
    }

    fn flow_by(&mut self, from: Value, to: Value, step: Step) {
        let from = self.find_value(from);
        match self.value_state(from).target {
            Some(target) => self.point_by(to, target, step),
            None => self.value_state(from).pending.push((to, step)),
        }
    }

    /// A value points to a place.
    pub fn point(&mut self, value: Value, place: Place) {
        self.point_by(value, place, Step::NONE);
    }

    fn point_by(&mut self, value: Value, place: Place, step: Step) {
        let mut queue = vec![(value, place, step)];
        while let Some((value, place, step)) = queue.pop() {
            let place = Place { offset: place.offset.wrapping_add(step.shift), ..place };
            if step.stride > 0 {
                self.work.push(Work::Stride(place.class, step.stride));
            }
            let value = self.find_value(value);
            let state = self.value_state(value);
            if let Some(target) = state.target {
                self.work.push(Work::Join(target, place));
                continue;
            }
            state.target = Some(place);
            let waiting = std::mem::take(&mut state.pending);
            if state.blurred {
                self.work.push(Work::Stride(place.class, 1));
            }
            queue.extend(waiting.into_iter().map(|(to, step)| (to, place, step)));
        }
    }

    /// The place that a value points to; in a new class if there is none yet.
    pub fn place(&mut self, value: Value) -> Place {
        let value = self.find_value(value);
        let place = match self.value_state(value).target {
            Some(place) => place,
            None => {
                let place = Place { class: self.class(), offset: 0 };
                self.point(value, place);
                place
            }
        };
        self.normal(place)
    }

    /// Offsets of a class that are so far apart are one.
    pub fn stride(&mut self, class: ClassId, stride: u64) {
        self.work.push(Work::Stride(class, stride));
        self.settle();
    }

    /// What so many bytes at a place hold.
    pub fn cell(&mut self, place: Place, size: u64, exact: bool) -> Value {
        self.settle();
        let holds = self.fresh();
        let place = self.normal(place);
        self.insert(place.class, place.offset, size as i64, exact, holds);
        self.find_value(holds)
    }

    /// Adds a cell to a class; those that it overlaps become one with it.
    fn insert(&mut self, class: ClassId, start: i64, size: i64, exact: bool, holds: Value) {
        let state = self.state(class);
        let (mut start, mut end, mut exact) = (start, start.saturating_add(size), exact);
        if state.modulus > 0 {
            let modulus = state.modulus as i64;
            start = start.rem_euclid(modulus);
            end = start.saturating_add(size);
            if end > modulus || state.blob.is_some() {
                exact &= start == 0 && size == modulus;
                (start, end) = (0, modulus);
            }
        } else if let Some(blob) = state.blob.filter(|blob| end > *blob) {
            (start, end, exact) = (start.min(blob), i64::MAX, false);
        }
        let before = state.cells.range(..start).next_back().filter(|(_, cell)| cell.end > start);
        let inside = state.cells.range(start..end);
        let met: Vec<(i64, Cell)> =
            before.into_iter().chain(inside).map(|(s, c)| (*s, *c)).collect();
        // A part of a cell of bytes is no news.
        if let [(other, cell)] = met[..]
            && ((other, cell.end) == (start, end)
                || !cell.exact && other <= start && end <= cell.end)
        {
            let exact = exact && (other, cell.end) == (start, end);
            if cell.exact && !exact {
                self.blur(cell.holds);
                self.changed = true;
            }
            let state = self.state_mut(class);
            state.cells.insert(other, Cell { exact: cell.exact && exact, ..cell });
            self.work.push(Work::Unite(cell.holds, holds));
            return;
        }
        self.changed = true;
        exact &= met.is_empty();
        for (other, cell) in met {
            self.state_mut(class).cells.remove(&other);
            (start, end) = (start.min(other), end.max(cell.end));
            self.work.push(Work::Unite(cell.holds, holds));
        }
        if !exact {
            self.blur(holds);
        }
        self.state_mut(class).cells.insert(start, Cell { end, exact, holds });
    }

    /// A value may be put together from parts.
    fn blur(&mut self, value: Value) {
        let value = self.find_value(value);
        let state = self.value_state(value);
        state.blurred = true;
        if let Some(target) = state.target {
            self.work.push(Work::Stride(target.class, 1));
        }
    }

    /// All cells of a class become anew.
    pub fn rebuild(&mut self, class: ClassId) {
        self.changed = true;
        for (start, cell) in std::mem::take(&mut self.state_mut(class).cells) {
            let size = cell.end.saturating_sub(start);
            self.insert(class, start, size, cell.exact, cell.holds);
        }
    }

    /// Makes one of what has to be.
    pub fn settle(&mut self) {
        while let Some(work) = self.work.pop() {
            match work {
                Work::Join(a, b) => self.join(a, b),
                Work::Unite(a, b) => self.unite(a, b),
                Work::Stride(class, stride) => {
                    let class = self.find(class).class;
                    let state = self.state_mut(class);
                    let modulus = gcd(state.modulus, stride);
                    if modulus != state.modulus {
                        state.modulus = modulus;
                        self.rebuild(class);
                    }
                }
            }
        }
    }

    /// Two places are one.
    fn join(&mut self, a: Place, b: Place) {
        let (a, b) = (self.normal(a), self.normal(b));
        if a.class == b.class {
            if a.offset != b.offset {
                self.work.push(Work::Stride(a.class, a.offset.abs_diff(b.offset)));
            }
            return;
        }
        self.changed = true;
        let small = |class: ClassId| self.state(class).cells.len();
        let (a, b) = if small(a.class) < small(b.class) { (b, a) } else { (a, b) };
        let shift = a.offset.wrapping_sub(b.offset);
        let state = self.state_mut(b.class);
        state.parent = Place { class: a.class, offset: shift };
        let (cells, modulus, blob) = (std::mem::take(&mut state.cells), state.modulus, state.blob);
        let state = self.state_mut(a.class);
        let modulus = gcd(state.modulus, modulus);
        let blob = blob.map(|blob| blob.wrapping_add(shift));
        let blob = state.blob.into_iter().chain(blob).min();
        if (modulus, blob) != (state.modulus, state.blob) {
            (state.modulus, state.blob) = (modulus, blob);
            self.rebuild(a.class);
        }
        for (start, cell) in cells {
            let size = cell.end.saturating_sub(start);
            let start = start.wrapping_add(shift);
            self.insert(a.class, start, size, cell.exact, cell.holds);
        }
    }

    /// Two values are one.
    fn unite(&mut self, a: Value, b: Value) {
        let (a, b) = (self.find_value(a), self.find_value(b));
        if a == b {
            return;
        }
        let waits = |solver: &mut Self, value| solver.value_state(value).pending.len();
        let (a, b) = if waits(self, a) < waits(self, b) { (b, a) } else { (a, b) };
        let state = self.value_state(b);
        state.parent = a;
        let (waiting, target) = (std::mem::take(&mut state.pending), state.target);
        let blurred = state.blurred;
        if blurred && !self.value_state(a).blurred {
            self.blur(a);
        }
        if let Some(target) = target {
            if self.value_state(a).blurred {
                self.work.push(Work::Stride(target.class, 1));
            }
            self.point(a, target);
        }
        for (to, step) in waiting {
            self.flow_by(a, to, step);
        }
    }
}
