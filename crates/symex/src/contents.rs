//! What an object holds: cells of the widths that the program writes, by offset.
//!
//! A cell is what was stored; a read of the same bytes gives it back as it is. Other reads put
//! together parts of cells, and what was never written comes from the object
//! ([`Object::first_contents`]). So an `int` stays one word until somebody looks at its bytes.

use crate::object::Object;
use imbl::OrdMap;
use term::{Op, Pool, Sort, Term};

/// How often a value of several pieces is taken apart by what they were chosen by.
const ALTERNATIVES: u32 = 6;

/// How many alternatives of a piece are looked at to find the value that it is a part of.
const SEARCH: u32 = 64;

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
    /// When something was written of which it is not known where; never, if there is none.
    blurred: Option<Term>,
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

/// A condition, what a piece is if it holds, and what if not.
type Choice = Option<(Term, [Term; 2])>;

/// What a piece is chosen by.
fn chosen(pool: &Pool, piece: Term) -> Choice {
    match (pool.op(piece), pool.args(piece)) {
        (Op::Ite, &[condition, then, otherwise]) => Some((condition, [then, otherwise])),
        (Op::BvExtract { high, low }, &[whole]) => {
            let (condition, ways) = chosen(pool, whole)?;
            Some((condition, ways.map(|way| pool.bv_extract(way, *high, *low))))
        }
        _ => None,
    }
}

/// Pieces of a value, the lowest first, as one. If they are parts of one value, with perhaps something
/// written into it since, it is that value where nothing was; and where pieces were chosen by one
/// condition, the whole is. So a pointer stays one, whatever is written beside it, and wherever it was
/// copied from.
fn joined(pool: &Pool, pieces: &[Term], alternatives: u32) -> Term {
    let (first, others) = pieces.split_first().expect("a value has at least a byte");
    if others.is_empty() {
        return *first;
    }
    let choices: Vec<Choice> = pieces.iter().map(|piece| chosen(pool, *piece)).collect();
    let conditions = || choices.iter().flatten().map(|(condition, _)| *condition);
    let shared = |condition: &Term| conditions().filter(|other| other == condition).count();
    let by_all = conditions().find(|condition| shared(condition) == pieces.len());
    let by_all = by_all.filter(|_| alternatives > 0);
    if let Some((whole, disturbed)) = undisturbed(pool, pieces)
        && (by_all.is_none() || pool.as_bool(disturbed) == Some(false))
    {
        return pool.ite(disturbed, concatenated(pool, pieces), whole);
    }
    let by_some = || conditions().find(|condition| shared(condition) > 1);
    let Some(condition) = by_all.or_else(by_some).filter(|_| alternatives > 0) else {
        return concatenated(pool, pieces);
    };
    let way = |which: usize| -> Vec<Term> {
        let piece = |(piece, choice): (&Term, &Choice)| match choice {
            Some((by, ways)) if *by == condition => ways[which],
            _ => *piece,
        };
        pieces.iter().zip(&choices).map(piece).collect()
    };
    let then = joined(pool, &way(0), alternatives - 1);
    pool.ite(condition, then, joined(pool, &way(1), alternatives - 1))
}

fn concatenated(pool: &Pool, pieces: &[Term]) -> Term {
    let (first, others) = pieces.split_first().expect("a value has at least a byte");
    others.iter().fold(*first, |low, piece| pool.bv_concat(*piece, low))
}

/// The value that the pieces are of if nothing was written into it since, and when something was.
fn undisturbed(pool: &Pool, pieces: &[Term]) -> Option<(Term, Term)> {
    let width: u32 = pieces.iter().map(|piece| pool.width(*piece)).sum();
    let mut low = 0;
    let parts: Vec<Part> = pieces
        .iter()
        .map(|&piece| {
            let part = Part { piece, high: low + pool.width(piece) - 1, low, width };
            low = part.high + 1;
            part
        })
        .collect();
    let whole = parts.first()?.find(pool, parts[0].piece, &mut { SEARCH })?;
    let mut disturbed = Vec::with_capacity(parts.len());
    for part in &parts {
        disturbed.push(part.disturbed(pool, part.piece, whole, &mut { SEARCH })?);
    }
    let disturbed = pool.or(disturbed);
    (pool.as_bool(disturbed) != Some(true)).then_some((whole, disturbed))
}

/// Some bits of a value.
struct Part {
    piece: Term,
    high: u32,
    low: u32,
    width: u32,
}

impl Part {
    /// The value that a term is this part of, as it is written.
    fn whole(&self, pool: &Pool, term: Term) -> Option<Term> {
        match (pool.op(term), pool.args(term)) {
            (Op::BvExtract { high, low }, &[whole])
                if (*high, *low, pool.width(whole)) == (self.high, self.low, self.width) =>
            {
                Some(whole)
            }
            _ => None,
        }
    }

    /// The low bits of this part and the high ones, if that is how a term is written.
    fn halves(&self, pool: &Pool, term: Term) -> Option<[Part; 2]> {
        let (Op::BvConcat, &[high, low]) = (pool.op(term), pool.args(term)) else { return None };
        let first = self.low + pool.width(low);
        Some([
            Part { piece: low, high: first - 1, ..*self },
            Part { piece: high, low: first, ..*self },
        ])
    }

    /// The value that one of the alternatives of a term is this part of.
    fn find(&self, pool: &Pool, term: Term, budget: &mut u32) -> Option<Term> {
        *budget = budget.checked_sub(1)?;
        // The value may be one that was chosen itself; then it is all of its alternatives.
        if let Some(whole) = self.whole(pool, term) {
            return Some(whole);
        }
        if let Some([low, high]) = self.halves(pool, term) {
            let found = low.find(pool, low.piece, budget);
            return found.or_else(|| high.find(pool, high.piece, budget));
        }
        let (_, [then, otherwise]) = chosen(pool, term)?;
        // Writes come one after the other, the last one outermost.
        let before = self.find(pool, otherwise, budget);
        before.or_else(|| self.find(pool, then, budget))
    }

    /// When a term is not this part of a value; none if that takes too long to say.
    fn disturbed(&self, pool: &Pool, term: Term, whole: Term, budget: &mut u32) -> Option<Term> {
        *budget = budget.checked_sub(1)?;
        if self.whole(pool, term) == Some(whole) {
            return Some(pool.fls());
        }
        if let Some([low, high]) = self.halves(pool, term) {
            let low = low.disturbed(pool, low.piece, whole, budget)?;
            return Some(pool.or([low, high.disturbed(pool, high.piece, whole, budget)?]));
        }
        let Some((condition, [then, otherwise])) = chosen(pool, term) else {
            return Some(pool.tru());
        };
        let then = self.disturbed(pool, then, whole, budget)?;
        let otherwise = self.disturbed(pool, otherwise, whole, budget)?;
        Some(pool.ite(condition, then, otherwise))
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
        let mut pieces = Vec::new();
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
            pieces.push(piece);
            at = next;
        }
        joined(pool, &pieces, ALTERNATIVES)
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

    /// Something is written somewhere, if a condition holds.
    pub fn blur(&mut self, pool: &Pool, condition: Term) {
        self.blurred = Some(pool.or(self.blurred.into_iter().chain([condition])));
    }

    /// When the cells are not what the object holds.
    pub fn blurred(&self) -> Option<Term> {
        self.blurred
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
        condition: Term,
        (first, second): (&Contents, &Contents),
        mut choose: impl FnMut(Term, Term) -> Term,
    ) -> Contents {
        use imbl::ordmap::DiffItem;
        let mut changed: Vec<(u64, u64)> = (first.cells.diff(&second.cells))
            .map(|change| match change {
                DiffItem::Add(at, cell) | DiffItem::Remove(at, cell) => (*at, cell.size),
                DiffItem::Update { old: (at, old), new: (_, new) } => (*at, old.size.max(new.size)),
            })
            .collect();
        // What lies within a larger cell of the other side is merged with it.
        changed.sort_unstable_by_key(|(at, size)| (*at, std::cmp::Reverse(*size)));
        let mut merged = first.clone();
        if first.blurred != second.blurred {
            let [then, otherwise] = [first, second].map(|c| c.blurred.unwrap_or(pool.fls()));
            merged.blurred = Some(pool.ite(condition, then, otherwise));
        }
        let mut end = 0;
        for (at, size) in changed {
            if at + size <= end {
                continue;
            }
            end = at + size;
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
