//! Where the objects of a run lie, if not as [`Program::addresses`] and [`layout`](super::layout)
//! say.
//!
//! C leaves open where objects lie: in any order, one right after another, and where another object
//! lay that lives no more. A run that needs one of these ways has a [`Placement`], which gives
//! addresses to static objects, to functions and to allocations. What it says nothing about lies as
//! ever; an allocation that would overlap a living object there takes the next free place of the
//! layout: the region's top moves behind that object and a gap.
//!
//! A placement may also say that there is memory [from outside](super::layout): one object of unknown
//! contents that the environment provides, which pointers from there may point into.
//!
//! A placement is allowed if no object contains address zero or one beyond the last but one (the
//! address after an object is one too), if the objects that it places are aligned, and if no two
//! that live at a time overlap. Functions, and objects without bytes, count as one byte. A run
//! whose placement is not allowed ends at what is misplaced ([`Ending::Placement`]).
//!
//! [`Ending::Placement`]: super::Ending::Placement

use super::code::{Code, functions_at};
use crate::program::Program;
use std::collections::BTreeMap;
use std::fmt;
use term::{Sort, Term};

/// Where objects lie.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Placement {
    /// Static objects and functions, by the terms of [`Program::addresses`]. Other terms are ignored.
    pub statics: BTreeMap<Term, u64>,
    /// Allocations, of stack and heap alike, in the order in which the run makes them.
    pub allocations: Vec<Option<u64>>,
    /// Whether there is memory from outside the program ([`Layout::outside`]).
    ///
    /// [`Layout::outside`]: super::layout::Layout::outside
    pub outside: bool,
}

/// Why the bytes of memory from outside are unknown.
pub const OUTSIDE: &str = "memory from outside";

impl Placement {
    /// Whether it places nothing.
    pub fn is_standard(&self) -> bool {
        let empty = self.statics.is_empty() && self.allocations.iter().all(Option::is_none);
        empty && !self.outside
    }

    /// The same one with memory from outside.
    pub fn with_outside(mut self) -> Placement {
        self.outside = true;
        self
    }

    /// The same one with a static object or a function at an address.
    pub fn with_static(mut self, object: Term, address: u64) -> Placement {
        self.statics.insert(object, address);
        self
    }

    /// The same one with the next allocation at an address; none for where the layout puts it.
    pub fn with_allocation(mut self, address: impl Into<Option<u64>>) -> Placement {
        self.allocations.push(address.into());
        self
    }

    /// Where the allocation with a number lies, counted from zero.
    pub fn allocation(&self, number: usize) -> Option<u64> {
        self.allocations.get(number).copied().flatten()
    }

    /// Where a static object or a function of the program lies, if it has an address.
    pub fn address(&self, program: &Program, term: Term) -> Option<u64> {
        let standard = program.addresses.get(&term)?.to_u64();
        let pointer = program.pool.sort(term) == Sort::BitVec(program.pointer_width);
        self.statics.get(&term).copied().filter(|_| pointer).or(standard)
    }

    /// Gives the addresses of static objects and functions to a program's code.
    pub(super) fn apply(&self, program: &Program, code: &mut Code<'_>) {
        for (term, number) in &code.addresses {
            if program.pool.sort(*term) == Sort::BitVec(program.pointer_width)
                && let Some(address) = self.address(program, *term)
            {
                code.constants.words[*number as usize] = address;
            }
        }
        for ((_, object), at) in program.objects.iter().zip(&mut code.objects) {
            *at = self.address(program, object.address).expect("compiling has found an address");
        }
        code.at = functions_at(program, |term| self.address(program, term));
    }
}

/// An object that may not lie where a placement puts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Misplaced {
    /// Its first byte.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Why it may not.
    pub why: Misplacement,
}

/// What is wrong with a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misplacement {
    /// It is the null pointer.
    Zero,
    /// The address is no multiple of this.
    Unaligned(u64),
    /// It does not end before the last address.
    Wraps,
    /// A living object or a function is there, which begins at this address.
    Overlaps(u64),
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Misplaced { address, size, why } = self;
        write!(f, "an object of {size} bytes can't lie at {address:#x}: ")?;
        match why {
            Misplacement::Zero => write!(f, "that is the null pointer"),
            Misplacement::Unaligned(align) => write!(f, "that is no multiple of {align}"),
            Misplacement::Wraps => write!(f, "it does not end before the last address"),
            Misplacement::Overlaps(other) => write!(f, "it overlaps what lies at {other:#x}"),
        }
    }
}

/// What is wrong with a place for an object, apart from other objects; `last` is the last address.
pub(super) fn misplacement(address: u64, size: u64, align: u64, last: u64) -> Option<Misplacement> {
    let end = address.checked_add(size.max(1));
    if address == 0 {
        Some(Misplacement::Zero)
    } else if !address.is_multiple_of(align.max(1)) {
        Some(Misplacement::Unaligned(align))
    } else if end.is_none_or(|end| end > last) {
        Some(Misplacement::Wraps)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_judged() {
        let last = u64::from(u32::MAX);
        assert_eq!(misplacement(0, 4, 4, last), Some(Misplacement::Zero));
        assert_eq!(misplacement(6, 4, 4, last), Some(Misplacement::Unaligned(4)));
        assert_eq!(misplacement(8, 4, 0, last), None);
        // The address after the last byte is the last address, and then none.
        assert_eq!(misplacement(0xffff_fffb, 4, 1, last), None);
        assert_eq!(misplacement(0xffff_fffc, 4, 4, last), Some(Misplacement::Wraps));
        assert_eq!(misplacement(0xffff_ffff, 0, 1, last), Some(Misplacement::Wraps));
        assert_eq!(misplacement(1 << 32, 4, 4, last), Some(Misplacement::Wraps));
        assert_eq!(misplacement(u64::MAX - 8, u64::MAX, 1, u64::MAX), Some(Misplacement::Wraps));
    }

    #[test]
    fn a_placement_of_nothing_is_the_standard_one() {
        let placement = Placement::default();
        assert!(placement.is_standard());
        assert!(placement.clone().with_allocation(None).is_standard());
        let second = placement.with_allocation(None).with_allocation(0x1000);
        assert!(!second.is_standard());
        assert_eq!([0, 1, 2].map(|n| second.allocation(n)), [None, Some(0x1000), None]);
    }
}
