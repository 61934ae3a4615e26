//! Where objects that are allocated during a run lie: the one formula that the interpreter and
//! every model of memory use, so that a run of a model is a run of the interpreter.
//!
//! Addresses below [`Layout::heap`] are for static objects and functions ([`Program::addresses`]
//! gives theirs); the heap is `[heap, stack)` and the stack `[stack, end)`. Each of the two has a
//! `top`, at first its lower end, and an allocation of `size` bytes does, in numbers without
//! bound,
//!
//! ```text
//! address := (top + align - 1) div align · align
//! top     := address + size + GAP
//! ```
//!
//! If the new top is above the region's upper end, the run ends there: memory is exhausted, and
//! no program can tell how large it is. The tops never go back, neither by `Free` nor when a
//! function returns: no address is used twice, so that a dangling pointer never points to a
//! living object, and memory that was never written has never been written by anybody else. (A run
//! with a [`Placement`] of its own may be otherwise.)
//!
//! The numbers, with n = min(pointer width, 47):
//!
//! ```text
//! heap = 2^(n-2)   stack = 2^(n-1)   end = 2^n - 2^(n-4)
//! ```
//!
//! so with 32 bits the heap begins at 0x4000_0000 and the stack at 0x8000_0000. The 2^(n-5) bytes
//! from `end` on are the *outside* ([`Layout::outside`]): no object of the program lies there unless a
//! [`Placement`] says so, and memory that the environment provides does. The topmost addresses are
//! free, as programs use them to encode errors in pointers.
//!
//! [`Program::addresses`]: crate::Program::addresses
//! [`Placement`]: super::Placement

use crate::program::Storage;

/// Unused bytes after each allocated object, at least.
pub const GAP: u64 = 16;

/// The regions of the address space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Where the heap begins and static objects end.
    pub heap: u64,
    /// Where the stack begins and the heap ends.
    pub stack: u64,
    /// Where the stack ends.
    pub end: u64,
    /// The last address that there is.
    pub last: u64,
}

/// An allocation: where it lies, and the region's top after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// The first byte.
    pub address: u64,
    /// The region's new top.
    pub top: u64,
}

impl Layout {
    /// The layout for addresses of a width.
    ///
    /// # Panics
    /// If the width is below 8: there is no room for anything.
    pub fn new(pointer_width: u32) -> Layout {
        assert!(pointer_width >= 8, "addresses of {pointer_width} bits");
        let n = pointer_width.min(47);
        let last = u64::MAX >> (64 - pointer_width.min(64));
        Layout { heap: 1 << (n - 2), stack: 1 << (n - 1), end: (1 << n) - (1 << (n - 4)), last }
    }

    /// Where memory lies that comes from outside the program: the first byte, and how many there are.
    pub fn outside(&self) -> (u64, u64) {
        // Half of what is between the end and 2^n.
        (self.end, self.end / 30)
    }

    /// A region's lower end, which is its first top, and its upper end.
    pub fn region(&self, storage: Storage) -> (u64, u64) {
        match storage {
            Storage::Heap => (self.heap, self.stack),
            Storage::Stack => (self.stack, self.end),
        }
    }

    /// Where the next object of the region goes; none if memory is exhausted.
    pub fn place(&self, storage: Storage, top: u64, size: u64, align: u64) -> Option<Allocation> {
        let address = top.checked_next_multiple_of(align.max(1))?;
        let top = address.checked_add(size)?.checked_add(GAP)?;
        (top <= self.region(storage).1).then_some(Allocation { address, top })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_apart_and_in_order() {
        for width in [8, 16, 32, 64] {
            let layout = Layout::new(width);
            assert!(0 < layout.heap && layout.heap < layout.stack && layout.stack < layout.end);
            assert!(layout.end < layout.last && layout.last.count_ones() == width);
        }
        assert_eq!(Layout::new(32).heap, 0x4000_0000);
        assert_eq!(Layout::new(32).end, 0xf000_0000);
    }

    #[test]
    fn the_outside_is_above_all_objects_and_below_codes_of_errors() {
        for width in [8, 16, 32, 64] {
            let layout = Layout::new(width);
            let (start, size) = layout.outside();
            assert!(layout.end <= start && size > 0 && start + size < layout.last);
        }
        assert_eq!(Layout::new(32).outside(), (0xf000_0000, 0x0800_0000));
        assert_eq!(Layout::new(64).outside(), (0x7800_0000_0000, 0x0400_0000_0000));
    }

    #[test]
    fn objects_are_aligned_and_apart() {
        let layout = Layout::new(32);
        let first = layout.place(Storage::Heap, layout.heap, 5, 4).expect("there is room");
        assert_eq!(first, Allocation { address: 0x4000_0000, top: 0x4000_0000 + 5 + GAP });
        let second = layout.place(Storage::Heap, first.top, 8, 8).expect("there is room");
        assert_eq!(second.address, 0x4000_0018);
    }

    #[test]
    fn what_does_not_fit_is_not_placed() {
        let layout = Layout::new(32);
        let room = layout.stack - layout.heap - GAP;
        assert!(layout.place(Storage::Heap, layout.heap, room, 1).is_some());
        assert!(layout.place(Storage::Heap, layout.heap, room + 1, 1).is_none());
        assert!(layout.place(Storage::Heap, layout.heap, u64::MAX, 1).is_none());
        assert!(layout.place(Storage::Stack, u64::MAX, 1, 16).is_none());
    }
}
