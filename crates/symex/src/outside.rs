//! Memory from outside the program, which pointers that the environment gives may point to.
//!
//! Nothing is known of such a pointer, so nothing is proved of a run that follows one: it is cut
//! ([`Why::Pointer`](crate::found::Why::Pointer)). But the environment may well have memory of its own
//! there, and the interpreter knows a region for it ([`Layout::outside`]). So each pointer from outside,
//! a *source*, gets an object in that region, and the runs in which the pointer has the address of its
//! middle are followed: programs look behind such an address and, where it is that of a field, before
//! it. What is in the object is what the environment has put there, so pointers that are read from it are
//! sources again.
//!
//! Two sources get two objects, and never one of the program's own: this is for finding runs. An address
//! that the program has made of a number leads nowhere, as for the models
//! ([`program::model::outside`]).

use crate::execute::Executor;
use crate::object::Base;
use crate::pointer::Case;
use program::interpret::layout::Layout;
use program::program::Cause;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Op, Pool, Sort, Term};

/// How many bytes such an object has.
const SIZE: u64 = 1 << 14;
/// Where in it the pointer points.
const MIDDLE: u64 = SIZE / 2;
/// The most objects.
const OBJECTS: u64 = 256;
/// The most sources that one address may be computed from.
const WAYS: usize = 16;
/// How deep a source is looked for in an address.
const DEPTH: u32 = 32;

/// The pointers from outside.
#[derive(Default)]
pub(crate) struct Sources {
    /// Those that were given as values.
    given: FxHashSet<Term>,
    /// What is behind those that were followed.
    objects: FxHashMap<Term, Base>,
}

/// Whether a term is an address in the region of such memory.
pub(crate) fn is_outside(pool: &Pool, term: Term) -> bool {
    let (Sort::BitVec(width @ 8..=64), Some(bits)) = (pool.sort(term), pool.as_bits(term)) else {
        return false;
    };
    let (start, size) = Layout::new(width).outside();
    bits.to_u64().is_some_and(|address| address.wrapping_sub(start) < size)
}

impl Executor<'_> {
    /// A value is a pointer; the environment may have given it.
    pub(crate) fn note_source(&mut self, value: Term, cause: &Cause) {
        if let (Some(sources), Cause::Input(_) | Cause::Unknown(_)) = (&mut self.sources, cause) {
            sources.given.insert(value);
        }
    }

    /// The memory from outside that an address may be in: if it is a number, and computed from what the
    /// environment gave.
    pub(crate) fn outside(&mut self, case: &Case) -> Vec<Case> {
        if self.sources.is_none() {
            return Vec::new();
        }
        let pool = self.pool;
        let middle = pool.bv(MIDDLE, self.width);
        let mut found = Vec::new();
        let mut pending = vec![Case { offset: middle, ..*case }];
        // Beside each case, what is still to be added to its offset.
        let mut rest = vec![case.offset];
        while let (Some(case), Some(term)) = (pending.pop(), rest.pop()) {
            if found.len() + pending.len() >= WAYS {
                break;
            }
            if self.is_source(term) {
                let Some((base, address)) = self.behind(term) else { continue };
                let there = pool.eq(term, pool.bv(address + MIDDLE, self.width));
                let guard = pool.and([case.guard, there]);
                found.push(Case { guard, base: Some(base), ..case });
                continue;
            }
            let mut follow = |case: Case, term: Term| {
                pending.push(case);
                rest.push(term);
            };
            match (pool.op(term), pool.args(term)) {
                (Op::Ite, &[condition, then, otherwise]) => {
                    for (holds, way) in [(condition, then), (pool.not(condition), otherwise)] {
                        follow(Case { guard: pool.and([case.guard, holds]), ..case }, way);
                    }
                }
                (Op::BvAdd, &[a, b]) => {
                    let (pointer, by) = if self.leads_outside(a, DEPTH) { (a, b) } else { (b, a) };
                    follow(Case { offset: pool.bv_add(case.offset, by), ..case }, pointer);
                }
                (Op::BvSub, &[a, b]) => {
                    follow(Case { offset: pool.bv_sub(case.offset, b), ..case }, a);
                }
                _ => {}
            }
        }
        found
    }

    /// Whether an address is computed from a source.
    fn leads_outside(&self, term: Term, depth: u32) -> bool {
        if depth == 0 || self.pool.value(term).is_some() {
            return false;
        }
        let leads = |term: &Term| self.leads_outside(*term, depth - 1);
        match (self.pool.op(term), self.pool.args(term)) {
            (Op::Var(_), _) => self.is_source(term),
            (Op::Ite, args) => args[1..].iter().any(leads),
            (Op::BvAdd, args) => args.iter().any(leads),
            (Op::BvSub, args) => leads(&args[0]),
            _ => false,
        }
    }

    fn is_source(&self, term: Term) -> bool {
        let Some(sources) = &self.sources else { return false };
        let known = sources.given.contains(&term) || sources.objects.contains_key(&term);
        let is_pointer = self.pool.sort(term) == Sort::BitVec(self.width);
        let read = || matches!(self.pool.op(term), Op::Var(_)) && is_pointer;
        known || read() && self.objects.iter().any(|(_, object)| object.is_given(term))
    }

    /// The object behind a source, and where it begins; none if there are too many.
    fn behind(&mut self, source: Term) -> Option<(Base, u64)> {
        let sources = self.sources.as_mut()?;
        let (start, size) = Layout::new(self.width).outside();
        let number = sources.objects.len() as u64;
        let base = match sources.objects.get(&source) {
            Some(base) => *base,
            None if number < OBJECTS.min(size / SIZE) => {
                let extent = (start + number * SIZE, SIZE);
                let base = self.objects.add_outside(self.pool, extent, self.width);
                sources.objects.insert(source, base);
                base
            }
            None => return None,
        };
        let address = self.objects[base].base;
        Some((base, self.number(address)?))
    }
}
