//! Loads, stores and ranges of bytes.
//!
//! An access is to the objects that its address can be in ([`crate::pointer`]). It must be within a
//! living one: that is a goal if [`Property::Pointer`] is asked for, and a run that does otherwise
//! ends there. At an offset that is not a number, every place of the object that fits is possible: a
//! read chooses among them by the bits of the offset, a write changes each if it is meant. If these are
//! too many, a read is not followed, nor is one of an object after such a write.

use crate::contents::{Contents, as_bits, bytes_of, converted};
use crate::execute::{Executor, Stop};
use crate::found::Why;
use crate::object::{Base, Kind};
use crate::places::Places;
use crate::pointer::{Case, is_data};
use crate::state::State;
use program::Property;
use program::program::{Extent, Storage};
use std::rc::Rc;
use term::{Sort, Term};

/// The most places of an object that an access can be to.
const PLACES: u64 = 2_048;
/// The most bytes of a range whose place or length is not a number.
const OPEN_RANGE: u64 = 512;
/// The most bytes of a range.
const RANGE: u64 = 1 << 20;

/// What is put into a part of a range.
pub(crate) struct Piece {
    /// How many bytes.
    pub size: u64,
    /// What they become.
    pub value: Term,
    /// Which of them were written ([`crate::written`]); all, if nothing is said.
    pub marks: Option<Term>,
}

impl Executor<'_> {
    /// A number, if the term is one.
    pub(crate) fn number(&self, term: Term) -> Option<u64> {
        self.pool.as_bits(term).and_then(|bits| bits.to_u64())
    }

    /// The cases of an address that are accesses to objects, after it was required to be one of
    /// them. None if no run goes on.
    pub(crate) fn reach(
        &mut self,
        state: &mut State,
        address: Term,
        length: Term,
        write: bool,
    ) -> Result<Vec<Case>, Stop> {
        let cases = self.follow(state, address);
        let mut valid = Vec::new();
        let mut reached = Vec::new();
        for case in &cases {
            let Some(base) = case.base else { continue };
            if !is_data(&self.objects, base) {
                self.stray(state, case.guard);
                continue;
            }
            let inside = self.inside(state, base, case.offset, length);
            if matches!(self.objects[base].kind, Kind::Outside(_)) {
                // How large it is, is up to the environment.
                let beyond = self.pool.and([case.guard, self.pool.not(inside)]);
                self.cut(state, beyond, Why::Pointer);
            }
            let writable = !(write && self.objects[base].constant);
            let ok = if writable { inside } else { self.pool.fls() };
            if self.pool.as_bool(ok) != Some(false) {
                valid.push(self.pool.and([case.guard, ok]));
                reached.push(*case);
            }
        }
        let valid = self.pool.or(valid);
        self.require(state, Property::Pointer, valid, true);
        Ok(reached)
    }

    /// How many bytes the living object at an address has there; none if there is no object.
    pub(crate) fn measure(&mut self, state: &State, address: Term, extent: Extent) -> Term {
        let pool = self.pool;
        let mut bytes = pool.bv(0, self.width);
        for case in self.follow(state, address) {
            let Some(base) = case.base.filter(|base| is_data(&self.objects, *base)) else {
                continue;
            };
            let object = &self.objects[base];
            let (size, constant) = (object.size, object.constant);
            let found = match extent {
                Extent::Before => case.offset,
                Extent::Writable if constant => pool.bv(0, self.width),
                Extent::Rest | Extent::Writable => pool.bv_sub(size, case.offset),
            };
            let within = pool.bv_ult(case.offset, size);
            let there = pool.and([case.guard, within, self.lives(state, base)]);
            bytes = pool.ite(there, found, bytes);
        }
        bytes
    }

    /// offset ≤ size ∧ length ≤ size − offset, and the object lives
    fn inside(&self, state: &State, base: Base, offset: Term, length: Term) -> Term {
        let (pool, size) = (self.pool, self.objects[base].size);
        let within = match (self.number(size), self.number(length)) {
            (Some(size), Some(length)) if length > size => pool.fls(),
            (Some(size), Some(length)) => pool.bv_ule(offset, pool.bv(size - length, self.width)),
            _ => {
                let rest = pool.bv_sub(size, offset);
                pool.and([pool.bv_ule(offset, size), pool.bv_ule(length, rest)])
            }
        };
        pool.and([within, self.lives(state, base)])
    }

    /// Whether an object lives.
    pub(crate) fn lives(&self, state: &State, base: Base) -> Term {
        match self.objects[base].kind {
            Kind::Static(_) | Kind::Function(_) | Kind::Marks(_) | Kind::Outside(_) => {
                self.pool.tru()
            }
            Kind::Allocated(..) => state.alive.get(&base).copied().unwrap_or(self.pool.fls()),
        }
    }

    /// Where in an object an access of a size can be; none if it can be at too many places.
    fn places(&self, case: &Case, base: Base, size: u64) -> Option<Places> {
        let last = self.objects[base].most.and_then(|most| most.checked_sub(size));
        let places = last.map(|last| Places::of(self.pool, case.offset, last));
        places.filter(|places| places.count <= PLACES)
    }

    /// The value of so many bytes at a place.
    pub(crate) fn read_at(&self, state: &State, base: Base, offset: u64, size: u64) -> Term {
        let object = &self.objects[base];
        state.with_contents(base, |contents| contents.read(self.pool, object, offset, size))
    }

    /// The value of so many bytes in a case.
    pub(crate) fn read_case(&mut self, state: &State, case: &Case, size: u64) -> Option<Term> {
        let base = case.base?;
        if let Some(blurred) = state.with_contents(base, Contents::blurred) {
            self.cut(state, self.pool.and([case.guard, blurred]), Why::Size);
        }
        if let Some(offset) = self.number(case.offset) {
            return Some(self.read_at(state, base, offset, size));
        }
        let Some(places) = self.places(case, base, size) else {
            self.cut(state, case.guard, Why::Size);
            return None;
        };
        let mut values: Vec<(u64, Term)> = Vec::with_capacity(places.count as usize);
        for offset in places.offsets() {
            let value = self.read_at(state, base, offset, size);
            values.push((offset, as_bits(self.pool, value)));
        }
        match places.stride.is_power_of_two() {
            // From the first place on, so that all parts of a value are chosen by the same bits.
            true => {
                let first = self.pool.bv(places.first, self.width);
                let distance = self.pool.bv_sub(case.offset, first);
                self.select(distance, places.stride.trailing_zeros(), values)
            }
            false => {
                let (_, last) = values.pop()?;
                Some(values.into_iter().rev().fold(last, |rest, (offset, value)| {
                    let here = self.pool.eq(case.offset, self.pool.bv(offset, self.width));
                    self.choose(here, value, rest)
                }))
            }
        }
    }

    /// The value that the bits of an offset choose, from a bit on: a tree.
    fn select(&mut self, offset: Term, mut bit: u32, values: Vec<(u64, Term)>) -> Option<Term> {
        let mut values: Vec<Term> = values.into_iter().map(|(_, value)| value).collect();
        while values.len() > 1 {
            let one = self.pool.bv(1, 1);
            let set = self.pool.eq(self.pool.bv_extract(offset, bit, bit), one);
            let mut half = Vec::with_capacity(values.len().div_ceil(2));
            for pair in values.chunks(2) {
                half.push(match *pair {
                    [even, odd] => self.choose(set, odd, even),
                    _ => pair[0],
                });
            }
            values = half;
            bit += 1;
        }
        values.pop()
    }

    /// One value or the other.
    pub(crate) fn choose(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        self.pointers.choose(self.pool, &self.objects, condition, then, otherwise)
    }

    /// Puts a value in a case, if a condition holds.
    pub(crate) fn write_case(
        &mut self,
        state: &mut State,
        case: &Case,
        condition: Term,
        (size, value): (u64, Term),
    ) {
        let Some(base) = case.base else { return };
        if let Some(offset) = self.number(case.offset) {
            return self.write_at(state, (base, offset), condition, (size, value));
        }
        let Some(places) = self.places(case, base, size) else {
            return state.change(base, |contents| contents.blur(self.pool, condition));
        };
        for offset in places.offsets() {
            let here = self.pool.eq(case.offset, self.pool.bv(offset, self.width));
            let here = self.pool.and([condition, here]);
            if self.pool.as_bool(here) != Some(false) {
                self.write_at(state, (base, offset), here, (size, value));
            }
        }
    }

    /// Puts a value in a place, if a condition holds.
    pub(crate) fn write_at(
        &mut self,
        state: &mut State,
        (base, offset): (Base, u64),
        condition: Term,
        (size, value): (u64, Term),
    ) {
        let value = match self.pool.as_bool(condition) {
            Some(false) => return,
            Some(true) => value,
            None => {
                let old = self.read_at(state, base, offset, size);
                let (new, old) = match self.pool.sort(old) == self.pool.sort(value) {
                    true => (value, old),
                    false => (as_bits(self.pool, value), as_bits(self.pool, old)),
                };
                self.choose(condition, new, old)
            }
        };
        state.change(base, |contents| contents.write(self.pool, offset, size, value));
    }

    fn size_of(&self, sort: Sort) -> Result<u64, Stop> {
        bytes_of(sort).ok_or_else(|| Stop::Unsupported(format!("memory of sort {sort:?}")))
    }

    /// The value at an address.
    pub(crate) fn load(
        &mut self,
        state: &mut State,
        address: Term,
        sort: Sort,
    ) -> Result<Option<Term>, Stop> {
        let size = self.size_of(sort)?;
        let length = self.pool.bv(size, self.width);
        let cases = self.reach(state, address, length, false)?;
        let mut value = None;
        for case in cases.iter().rev() {
            let Some(here) = self.read_case(state, case, size) else { continue };
            let here = converted(self.pool, here, sort);
            value = Some(match value {
                None => here,
                Some(rest) => self.choose(case.guard, here, rest),
            });
        }
        Ok(value)
    }

    /// Puts a value at an address.
    pub(crate) fn store(
        &mut self,
        state: &mut State,
        address: Term,
        value: Term,
    ) -> Result<(), Stop> {
        let size = self.size_of(self.pool.sort(value))?;
        let length = self.pool.bv(size, self.width);
        let cases = self.reach(state, address, length, true)?;
        let alone = cases.len() == 1;
        for case in &cases {
            // What is required above says that it is this one.
            let condition = if alone { self.pool.tru() } else { case.guard };
            self.write_case(state, case, condition, (size, value));
            self.mark_case(state, case, condition, (size, None));
        }
        Ok(())
    }

    /// How many bytes of a range are looked at: its length, or the most that an object has.
    fn extent(&mut self, state: &State, cases: &[Case], length: Term) -> Option<u64> {
        let fixed = cases.iter().all(|case| self.number(case.offset).is_some());
        let most = match self.number(length) {
            Some(length) => Some(length).filter(|l| *l <= if fixed { RANGE } else { OPEN_RANGE }),
            None => {
                let bytes = |case: &Case| self.objects[case.base?].most;
                let most: Option<Vec<u64>> = cases.iter().map(bytes).collect();
                most.and_then(|most| most.into_iter().max()).filter(|most| *most <= OPEN_RANGE)
            }
        };
        if most.is_none() {
            self.cut(state, self.pool.tru(), Why::Size);
        }
        most
    }

    /// A case, some bytes further.
    fn shifted(&self, case: &Case, by: u64) -> Case {
        let offset = self.pool.bv_add(case.offset, self.pool.bv(by, self.width));
        Case { offset, ..*case }
    }

    /// Where a range is cut into pieces: so that no cell is cut that lies within it whole.
    fn pieces(&self, state: &State, cases: &[Case], extent: u64, length: Term) -> Vec<(u64, u64)> {
        let bytes = || (0..extent).map(|at| (at, 1)).collect();
        let [case] = cases else { return bytes() };
        match (case.base, self.number(case.offset), self.number(length)) {
            (Some(base), Some(offset), Some(_)) => state.with_contents(base, |contents| {
                let pieces = contents.pieces(offset, extent);
                let small = |(at, size): (u64, u64)| {
                    // What was never written comes in words.
                    (0..size).step_by(8).map(move |k| (at + k - offset, 8.min(size - k)))
                };
                pieces.into_iter().flat_map(small).collect()
            }),
            _ => bytes(),
        }
    }

    /// Puts values into a range, piece by piece.
    pub(crate) fn write_range(
        &mut self,
        state: &mut State,
        address: Term,
        length: Term,
        mut piece: impl FnMut(&mut Self, &State, u64, Term) -> Piece,
    ) -> Result<(), Stop> {
        let cases = self.reach_range(state, address, length, true)?;
        let Some(extent) = self.extent(state, &cases, length) else { return Ok(()) };
        let mut at = 0;
        while at < extent {
            let meant = self.is_meant(at, length);
            let Piece { size, value, marks } = piece(self, state, at, meant);
            for case in &cases {
                let condition = match cases.len() {
                    1 => meant,
                    _ => self.pool.and([case.guard, meant]),
                };
                let place = self.shifted(case, at);
                if self.fits(&place, size) {
                    self.write_case(state, &place, condition, (size, value));
                    self.mark_case(state, &place, condition, (size, marks));
                }
            }
            at += size;
        }
        Ok(())
    }

    /// Whether a piece can be within its object.
    fn fits(&self, case: &Case, size: u64) -> bool {
        let bytes = case.base.and_then(|base| self.objects[base].bytes);
        match (self.number(case.offset), bytes) {
            (Some(offset), Some(bytes)) => offset.checked_add(size).is_some_and(|end| end <= bytes),
            _ => true,
        }
    }

    /// Whether a byte is within a range.
    fn is_meant(&self, at: u64, length: Term) -> Term {
        self.pool.bv_ult(self.pool.bv(at, self.width), length)
    }

    /// A range of no bytes may be anywhere.
    fn reach_range(
        &mut self,
        state: &mut State,
        address: Term,
        length: Term,
        write: bool,
    ) -> Result<Vec<Case>, Stop> {
        if self.number(length) == Some(0) {
            return Ok(Vec::new());
        }
        self.reach(state, address, length, write)
    }

    /// Copies bytes; the ranges may overlap.
    pub(crate) fn copy(
        &mut self,
        state: &mut State,
        to: Term,
        from: Term,
        length: Term,
    ) -> Result<(), Stop> {
        let cases = self.reach_range(state, from, length, false)?;
        let Some(extent) = self.extent(state, &cases, length) else { return Ok(()) };
        let pieces = self.pieces(state, &cases, extent, length);
        let before = Rc::new(state.clone());
        let mut next = pieces.into_iter();
        self.write_range(state, to, length, |executor, _, at, _| {
            let (offset, size) = next.next().unwrap_or((at, 1));
            debug_assert_eq!(offset, at, "pieces follow each other");
            let places = cases.iter().map(|case| executor.shifted(case, at));
            let places: Vec<Case> = places.filter(|place| executor.fits(place, size)).collect();
            let marks = executor.marks_at(&before, &places, size);
            let value = executor.read_any(&before, &places, size);
            let zero = || executor.pool.bits(value::Bits::zero(8 * size as u32));
            Piece { size, value: value.unwrap_or_else(zero), marks }
        })
    }

    /// The value of so many bytes in one of some cases.
    pub(crate) fn read_any(&mut self, state: &State, cases: &[Case], size: u64) -> Option<Term> {
        let mut value = None;
        for case in cases.iter().rev() {
            let Some(here) = self.read_case(state, case, size) else { continue };
            value = Some(match value {
                None => here,
                Some(rest) => {
                    let (here, rest) = (as_bits(self.pool, here), as_bits(self.pool, rest));
                    self.choose(case.guard, here, rest)
                }
            });
        }
        value
    }

    /// Ends the life of the object that an address begins.
    pub(crate) fn free(
        &mut self,
        state: &mut State,
        address: Term,
        storage: Storage,
    ) -> Result<(), Stop> {
        let cases = self.follow(state, address);
        let mut valid = Vec::new();
        for case in &cases {
            let begins = self.pool.eq(case.offset, self.pool.bv(0, self.width));
            let Some(base) = case.base else {
                if storage == Storage::Heap {
                    valid.push(self.pool.and([case.guard, begins]));
                }
                continue;
            };
            if matches!(self.objects[base].kind, Kind::Allocated(kind, _) if kind == storage) {
                let lives = self.lives(state, base);
                valid.push(self.pool.and([case.guard, begins, lives]));
            }
        }
        let valid = self.pool.or(valid);
        self.require(state, Property::Free, valid, true);
        for case in &cases {
            let Some(base) = case.base else { continue };
            if !matches!(self.objects[base].kind, Kind::Allocated(..)) {
                continue;
            }
            let lives = self.lives(state, base);
            match self.pool.as_bool(case.guard) {
                Some(true) => state.bury(base, &self.objects),
                _ => {
                    let lives = self.pool.and([lives, self.pool.not(case.guard)]);
                    state.alive.insert(base, lives);
                }
            }
        }
        Ok(())
    }
}
