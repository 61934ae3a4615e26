//! What an object holds: cells of the widths that the program writes, by offset.
//!
//! A cell is what was stored; a read of the same bytes gives it back as it is. Other reads put
//! together parts of cells, and what was never written comes from the object
//! ([`Object::first_contents`]). So an `int` stays one word until somebody looks at its bytes.

use crate::object::Object;
use imbl::OrdMap;
use term::{Op, Pool, Sort, Term};

/// So many bytes with a value: a bit-vector or a float of that width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// In bytes.
    pub size: u64,
    /// Its value.
    pub value: Term,
}

/// The cells of an object, without overlap.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Contents {
    cells: OrdMap<u64, Cell>,
}

/// How many bytes a value of a sort takes.
pub fn bytes_of(sort: Sort) -> Option<u64> {
    let bits = match sort {
        Sort::BitVec(width) => width,
        Sort::Float(format) => format.width(),
        _ => return None,
    };
    (bits % 8 == 0 && bits > 0).then_some(u64::from(bits / 8))
}

/// A value as bits.
pub fn as_bits(pool: &Pool, value: Term) -> Term {
    match pool.sort(value) {
        Sort::Float(_) => pool.fp_to_bits(value),
        _ => value,
    }
}

/// A value of the same width as another sort.
pub fn converted(pool: &Pool, value: Term, sort: Sort) -> Term {
    match (pool.sort(value), sort) {
        (from, to) if from == to => value,
        (_, Sort::Float(format)) => pool.make(Op::FpFromBits(format), &[as_bits(pool, value)]),
        _ => as_bits(pool, value),
    }
}

impl Contents {
    /// The cell that begins before or at an offset and reaches beyond it.
    fn covering(&self, at: u64) -> Option<(u64, Cell)> {
        let (start, cell) = self.cells.range(..=at).next_back()?;
        (at < start + cell.size).then_some((*start, *cell))
    }

    /// The value of so many bytes: what was stored there, or bits.
    pub fn read(&self, pool: &Pool, object: &Object, offset: u64, size: u64) -> Term {
        if let Some(cell) = self.cells.get(&offset).filter(|cell| cell.size == size) {
            return cell.value;
        }
        let (mut at, end) = (offset, offset + size);
        let mut value = None;
        while at < end {
            let (piece, next) = match self.covering(at) {
                Some((start, cell)) => {
                    let until = end.min(start + cell.size);
                    let (low, high) = (8 * (at - start) as u32, 8 * (until - start) as u32 - 1);
                    (pool.bv_extract(as_bits(pool, cell.value), high, low), until)
                }
                None => {
                    let next = self.cells.range(at..end).next();
                    let until = next.map_or(end, |(next, _)| *next);
                    (object.first_contents(pool, at, until - at), until)
                }
            };
            value = Some(value.map_or(piece, |low| pool.bv_concat(piece, low)));
            at = next;
        }
        value.expect("a value has at least a byte")
    }

    /// Puts a value in place of so many bytes.
    pub fn write(&mut self, pool: &Pool, offset: u64, size: u64, value: Term) {
        let end = offset + size;
        // What reaches over the ends keeps its other bytes.
        if let Some((start, cell)) = self.covering(offset).filter(|(start, _)| *start < offset) {
            let keep = offset - start;
            let low = pool.bv_extract(as_bits(pool, cell.value), 8 * keep as u32 - 1, 0);
            self.cells.insert(start, Cell { size: keep, value: low });
            self.keep_end(pool, start, cell, end);
        }
        let inside: Vec<(u64, Cell)> =
            self.cells.range(offset..end).map(|(at, cell)| (*at, *cell)).collect();
        for (at, cell) in inside {
            self.cells.remove(&at);
            self.keep_end(pool, at, cell, end);
        }
        self.cells.insert(offset, Cell { size, value });
    }

    /// Keeps what a cell has after an end.
    fn keep_end(&mut self, pool: &Pool, start: u64, cell: Cell, end: u64) {
        if start + cell.size > end {
            let cut = end - start;
            let high = 8 * cell.size as u32 - 1;
            let value = pool.bv_extract(as_bits(pool, cell.value), high, 8 * cut as u32);
            self.cells.insert(end, Cell { size: cell.size - cut, value });
        }
    }

    /// The cells that lie within a range, whole or in part: offset and size of each part, gaps
    /// included.
    pub fn pieces(&self, offset: u64, length: u64) -> Vec<(u64, u64)> {
        let (mut at, end) = (offset, offset + length);
        let mut pieces = Vec::new();
        while at < end {
            let until = match self.covering(at) {
                Some((start, cell)) => end.min(start + cell.size),
                None => self.cells.range(at..end).next().map_or(end, |(next, _)| *next),
            };
            pieces.push((at, until - at));
            at = until;
        }
        pieces
    }

    /// What is there if a condition holds, and what if not.
    pub fn merge(
        pool: &Pool,
        object: &Object,
        (first, second): (&Contents, &Contents),
        mut choose: impl FnMut(Term, Term) -> Term,
    ) -> Contents {
        let mut merged = first.clone();
        for change in first.cells.diff(&second.cells) {
            use imbl::ordmap::DiffItem;
            let (at, size) = match change {
                DiffItem::Add(at, cell) | DiffItem::Remove(at, cell) => (*at, cell.size),
                DiffItem::Update { old: (at, old), new: (_, new) } => (*at, old.size.max(new.size)),
            };
            let then = first.read(pool, object, at, size);
            let otherwise = second.read(pool, object, at, size);
            let (then, otherwise) = match pool.sort(then) == pool.sort(otherwise) {
                true => (then, otherwise),
                false => (as_bits(pool, then), as_bits(pool, otherwise)),
            };
            merged.write(pool, at, size, choose(then, otherwise));
        }
        merged
    }
}
