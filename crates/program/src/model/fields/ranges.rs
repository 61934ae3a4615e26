//! What writing many bytes at once asks of cells.
//!
//! A range of known length that is not longer than what offsets count modulo is a *window*: it takes the
//! cells in it one by one, and cuts those that it has only a part of. Other ranges are written element
//! by element, so there must be one cell, or elements must be few; if not, the cells *melt* into one.
//! Copies need the same cells on both sides.

use super::number::gcd;
use super::solver::{Cell, Place, Solver, Value};
use rustc_hash::FxHashSet;

/// The most elements that are written one by one where cells differ.
pub(super) const ELEMENTS: u64 = 64;

/// Bytes that are filled or become unknown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub place: Place,
    /// How many, if that is known.
    pub length: Option<u64>,
    /// Where unknown bytes may point to.
    pub points: Option<Place>,
}

/// Bytes that are copied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copied {
    pub to: Place,
    pub from: Place,
    /// How many, if that is known.
    pub length: Option<u64>,
}

/// All ranges.
#[derive(Default)]
pub(super) struct Ranges {
    pub written: Vec<Written>,
    pub copied: Vec<Copied>,
    flows: FxHashSet<(Value, Value)>,
}

impl Ranges {
    /// Changes cells until every range fits; says whether one was changed.
    pub fn arrange(&mut self, solver: &mut Solver<'_>) -> bool {
        solver.settle();
        let mut any = false;
        loop {
            solver.changed = false;
            for written in self.written.clone() {
                arrange_written(solver, written);
            }
            for copied in self.copied.clone() {
                self.arrange_copied(solver, copied);
            }
            solver.settle();
            if !solver.changed {
                return any;
            }
            any = true;
        }
    }

    fn flow(&mut self, solver: &mut Solver<'_>, from: Value, to: Value) {
        if self.flows.insert((from, to)) {
            solver.flow(from, to);
            solver.settle();
        }
    }

    fn arrange_copied(&mut self, solver: &mut Solver<'_>, copied: Copied) {
        let (to, from) = (solver.normal(copied.to), solver.normal(copied.from));
        match copied.length {
            Some(length) if is_window(solver, to, length) && is_window(solver, from, length) => {
                self.mirror(solver, from, to, length);
            }
            _ => {
                alike(solver, to, from);
                let from = solver.cell(from, 1, false);
                let to = solver.cell(to, 1, false);
                self.flow(solver, from, to);
            }
        }
    }

    /// The cells of two windows become the same, and what the first holds flows into the second.
    fn mirror(&mut self, solver: &mut Solver<'_>, from: Place, to: Place, length: u64) {
        for (here, there) in [(from, to), (to, from)] {
            for (start, cell) in window(solver, here, length) {
                let (first, end) = (start.max(0), cell.end.min(length as i64));
                let whole = (first, end) == (start, cell.end);
                if !whole && cell.exact {
                    blur(solver, here, start, cell);
                }
                let other = Place { offset: there.offset.wrapping_add(first), ..there };
                let exact = cell.exact && whole;
                let other = solver.cell(other, (end - first) as u64, exact);
                match here == from {
                    true => self.flow(solver, cell.holds, other),
                    false => self.flow(solver, other, cell.holds),
                }
            }
        }
    }
}

/// Whether a range has each byte of its class at most once.
fn is_window(solver: &mut Solver<'_>, place: Place, length: u64) -> bool {
    let place = solver.normal(place);
    let modulus = solver.state(place.class).modulus;
    modulus == 0 || length <= modulus
}

/// The cells of a window, with offsets from its beginning.
fn window(solver: &mut Solver<'_>, place: Place, length: u64) -> Vec<(i64, Cell)> {
    solver.settle();
    let place = solver.normal(place);
    let state = solver.state(place.class);
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let mut cells = Vec::new();
    let rounds = if state.modulus > 0 { vec![0, state.modulus as i64] } else { vec![0] };
    for round in rounds {
        for (&start, cell) in &state.cells {
            let start = start.saturating_add(round).saturating_sub(place.offset);
            let end = match cell.end {
                i64::MAX => i64::MAX,
                end => end.saturating_add(round).saturating_sub(place.offset),
            };
            if start < length && end > 0 {
                cells.push((start, Cell { end, ..*cell }));
            }
        }
    }
    cells
}

/// A cell of a window is no longer exact.
fn blur(solver: &mut Solver<'_>, place: Place, start: i64, cell: Cell) {
    let at = Place { offset: place.offset.wrapping_add(start), ..place };
    solver.cell(at, (cell.end - start) as u64, false);
    solver.settle();
}

/// From a place on all cells become one.
fn melt(solver: &mut Solver<'_>, place: Place) {
    solver.settle();
    let place = solver.normal(place);
    let state = solver.state_mut(place.class);
    let offset = if state.modulus > 0 { 0 } else { place.offset };
    if state.blob.is_none_or(|blob| blob > offset) {
        state.blob = Some(offset);
        solver.rebuild(place.class);
    }
    solver.settle();
}

/// Whether what is at a place and behind it is one cell, of elements one after the other.
fn is_one(solver: &mut Solver<'_>, place: Place) -> bool {
    solver.settle();
    let place = solver.normal(place);
    let state = solver.state(place.class);
    match (state.modulus, state.cells.first_key_value()) {
        (0, _) => state.blob.is_some_and(|blob| blob <= place.offset),
        (modulus, Some((0, cell))) => cell.end as u64 == modulus,
        _ => false,
    }
}

/// Two ranges of many elements get one cell each, with the same offsets.
fn alike(solver: &mut Solver<'_>, to: Place, from: Place) {
    for (one, other) in [(to, from), (from, to)] {
        let class = solver.normal(one).class;
        let modulus = solver.state(class).modulus;
        if modulus > 0 && is_one(solver, one) {
            let other = solver.normal(other);
            let theirs = solver.state(other.class);
            if theirs.blob.is_none() || theirs.modulus > 0 {
                let stride = gcd(theirs.modulus, modulus);
                solver.stride(other.class, stride);
            }
        }
    }
    let modulus = |solver: &mut Solver<'_>, place| {
        let class = solver.normal(place).class;
        solver.state(class).modulus
    };
    if is_one(solver, to) && is_one(solver, from) && modulus(solver, to) == modulus(solver, from) {
        return;
    }
    melt(solver, to);
    melt(solver, from);
}

fn arrange_written(solver: &mut Solver<'_>, written: Written) {
    let Written { place, length, points } = written;
    let place = solver.normal(place);
    let (modulus, cells) = {
        let state = solver.state(place.class);
        (state.modulus, state.cells.len() as u64)
    };
    match length {
        Some(length) if is_window(solver, place, length) => {
            for (start, cell) in window(solver, place, length) {
                let whole = start >= 0 && cell.end <= length as i64;
                if !whole && cell.exact {
                    blur(solver, place, start, cell);
                }
                if let Some(points) = points {
                    solver.point(cell.holds, points);
                }
            }
            return;
        }
        _ if is_one(solver, place) => {}
        Some(length) if length % modulus == 0 && length / modulus * cells <= ELEMENTS => {}
        _ => melt(solver, place),
    }
    if let Some(points) = points {
        let class = solver.normal(place).class;
        let held: Vec<Value> = solver.state(class).cells.values().map(|cell| cell.holds).collect();
        held.into_iter().for_each(|held| solver.point(held, points));
        solver.settle();
    }
}
