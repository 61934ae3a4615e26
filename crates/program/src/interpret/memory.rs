//! Memory: living objects, and their bytes as far as anybody has looked at them.
//!
//! An object of any size costs what was touched of it: it has a background (one byte value
//! everywhere, or unknown), and pages where it differs.

use super::layout::Layout;
use super::outcome::Fault;
use crate::program::{Cause, Storage};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Bytes of a page.
const PAGE: u64 = 1024;

/// A byte; none if nothing is known of it yet.
pub(super) type Byte = Option<u8>;

/// What an object without a page for a byte has there.
pub(super) type Background = Byte;

#[derive(Debug)]
struct Page {
    bytes: Box<[u8]>,
    known: Box<[bool]>,
}

impl Page {
    fn new(length: u64, background: Background) -> Page {
        // At most `PAGE`.
        let length = length as usize;
        let bytes = vec![background.unwrap_or(0); length].into();
        Page { bytes, known: vec![background.is_some(); length].into() }
    }
}

/// A living object.
#[derive(Debug)]
pub(super) struct Living {
    start: u64,
    size: u64,
    /// None for a static object.
    storage: Option<Storage>,
    constant: bool,
    /// Why bytes are unknown.
    cause: Cause,
    background: Background,
    /// Most objects fit into one page.
    first: Option<Page>,
    others: FxHashMap<u64, Page>,
}

impl Living {
    fn get(&self, offset: u64) -> Byte {
        let (number, within) = (offset / PAGE, (offset % PAGE) as usize);
        let page = if number == 0 { self.first.as_ref() } else { self.others.get(&number) };
        match page {
            None => self.background,
            Some(page) => page.known[within].then(|| page.bytes[within]),
        }
    }

    /// Makes a byte unknown; says how many bytes of the interpreter's memory it took.
    fn forget(&mut self, offset: u64) -> u64 {
        if self.get(offset).is_none() {
            return 0;
        }
        let used = self.set(offset, 0);
        let (number, within) = (offset / PAGE, (offset % PAGE) as usize);
        let page = if number == 0 { self.first.as_mut() } else { self.others.get_mut(&number) };
        page.expect("a byte of it was set").known[within] = false;
        used
    }

    /// Sets a byte; says how many bytes of the interpreter's memory it took.
    fn set(&mut self, offset: u64, byte: u8) -> u64 {
        let (number, within) = (offset / PAGE, (offset % PAGE) as usize);
        let length = (self.size - number * PAGE).min(PAGE);
        let background = self.background;
        let mut used = 0;
        let mut new = || {
            used = 2 * length;
            Page::new(length, background)
        };
        let page = if number == 0 {
            self.first.get_or_insert_with(&mut new)
        } else {
            self.others.entry(number).or_insert_with(&mut new)
        };
        page.bytes[within] = byte;
        page.known[within] = true;
        used
    }

    /// What its pages take of the interpreter's memory.
    fn used(&self) -> u64 {
        let first = self.first.as_ref().map_or(0, |page| page.bytes.len());
        let others: usize = self.others.values().map(|page| page.bytes.len()).sum();
        2 * (first + others) as u64 + OBJECT
    }
}

/// What an object takes of the interpreter's memory besides its pages, about.
const OBJECT: u64 = 160;

/// All living objects.
#[derive(Debug)]
pub(super) struct Memory {
    layout: Layout,
    heap_top: u64,
    stack_top: u64,
    objects: BTreeMap<u64, Living>,
    /// What it takes of the interpreter's memory, about.
    used: u64,
}

impl Memory {
    pub(super) fn new(layout: Layout) -> Memory {
        let (heap_top, stack_top) = (layout.heap, layout.stack);
        Memory { layout, heap_top, stack_top, objects: BTreeMap::new(), used: 0 }
    }

    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// A static object.
    pub(super) fn place(&mut self, start: u64, size: u64, background: Background, cause: Cause) {
        let (storage, constant) = (None, false);
        let (first, others) = (None, FxHashMap::default());
        let object = Living { start, size, storage, constant, cause, background, first, others };
        self.used += OBJECT;
        self.objects.insert(start, object);
    }

    /// The object that begins at the address is constant from now on.
    pub(super) fn make_constant(&mut self, start: u64) {
        if let Some(object) = self.objects.get_mut(&start) {
            object.constant = true;
        }
    }

    /// A new object with unknown contents; none if no address is left.
    pub(super) fn allocate(&mut self, size: u64, align: u64, storage: Storage) -> Option<u64> {
        let top = match storage {
            Storage::Heap => &mut self.heap_top,
            Storage::Stack => &mut self.stack_top,
        };
        let placement = self.layout.place(storage, *top, size, align)?;
        *top = placement.top;
        self.place(placement.address, size, None, Cause::Uninitialized);
        if let Some(object) = self.objects.get_mut(&placement.address) {
            object.storage = Some(storage);
        }
        Some(placement.address)
    }

    /// Ends the life of the object that begins at the address.
    pub(super) fn free(&mut self, address: u64, storage: Storage) -> Result<(), Fault> {
        match self.objects.get(&address) {
            Some(object) if object.storage == Some(storage) => {
                self.used -= object.used();
                self.objects.remove(&address);
                Ok(())
            }
            _ => Err(Fault::Free { address }),
        }
    }

    fn find(&self, address: u64, length: u64) -> Option<&Living> {
        let (_, object) = self.objects.range(..=address).next_back()?;
        let offset = address - object.start;
        (offset <= object.size && length <= object.size - offset).then_some(object)
    }

    /// The object that has all the bytes.
    pub(super) fn readable(&self, address: u64, length: u64) -> Result<&Living, Fault> {
        self.find(address, length).ok_or(Fault::Access { address, length, write: false })
    }

    /// The object that has all the bytes and may be written.
    pub(super) fn writable(&mut self, address: u64, length: u64) -> Result<Writer<'_>, Fault> {
        let fault = Fault::Access { address, length, write: true };
        let object = self.find(address, length).ok_or(fault)?;
        if object.constant {
            return Err(Fault::Constant { address });
        }
        let start = object.start;
        Ok(self.writer(start))
    }

    /// The object that has all the bytes, to be told its unknown ones.
    pub(super) fn completed(&mut self, address: u64, length: u64) -> Result<Writer<'_>, Fault> {
        let start = self.readable(address, length)?.start;
        Ok(self.writer(start))
    }

    fn writer(&mut self, start: u64) -> Writer<'_> {
        let object = self.objects.get_mut(&start).expect("the caller found it by this key");
        Writer { object, used: &mut self.used }
    }
}

impl Living {
    /// The byte at an address that the object has.
    pub(super) fn byte(&self, address: u64) -> Byte {
        self.get(address - self.start)
    }

    /// Why bytes are unknown.
    pub(super) fn cause(&self) -> &Cause {
        &self.cause
    }
}

/// An object whose bytes are being set.
pub(super) struct Writer<'m> {
    object: &'m mut Living,
    used: &'m mut u64,
}

impl Writer<'_> {
    /// Sets the byte at an address that the object has.
    pub(super) fn set(&mut self, address: u64, byte: u8) {
        *self.used += self.object.set(address - self.object.start, byte);
    }

    /// Makes bytes unknown.
    pub(super) fn forget(&mut self, address: u64, length: u64) {
        if self.set_all(address, length, None) {
            return;
        }
        let first = address - self.object.start;
        for offset in first..first + length {
            *self.used += self.object.forget(offset);
        }
    }

    /// Sets all bytes of the object, or makes them all unknown, if the range is all of it.
    pub(super) fn set_all(&mut self, address: u64, length: u64, background: Background) -> bool {
        let object = &mut *self.object;
        if address != object.start || length != object.size {
            return false;
        }
        *self.used -= object.used() - OBJECT;
        object.background = background;
        object.first = None;
        object.others = FxHashMap::default();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        Memory::new(Layout::new(32))
    }

    #[test]
    fn accesses_stay_within_one_object() {
        let mut memory = memory();
        let a = memory.allocate(8, 4, Storage::Heap).expect("there is room");
        let b = memory.allocate(8, 4, Storage::Heap).expect("there is room");
        assert!(memory.readable(a, 8).is_ok());
        assert!(memory.readable(a + 4, 4).is_ok());
        for (address, length) in [(a, 9), (a + 5, 4), (a + 8, 1), (b - 1, 1), (0, 1), (a - 1, 2)] {
            assert!(memory.readable(address, length).is_err(), "{address:#x} {length}");
            assert!(memory.writable(address, length).is_err(), "{address:#x} {length}");
        }
        assert!(memory.readable(u64::MAX, u64::MAX).is_err());
    }

    #[test]
    fn what_is_freed_is_gone() {
        let mut memory = memory();
        let a = memory.allocate(4, 4, Storage::Heap).expect("there is room");
        assert!(memory.free(a + 1, Storage::Heap).is_err());
        assert!(memory.free(a, Storage::Stack).is_err());
        assert!(memory.free(a, Storage::Heap).is_ok());
        assert!(memory.free(a, Storage::Heap).is_err());
        assert!(memory.readable(a, 1).is_err());
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn constants_are_not_written() {
        let mut memory = memory();
        memory.place(0x1000, 4, Some(0), Cause::Uninitialized);
        memory.make_constant(0x1000);
        assert!(memory.readable(0x1000, 4).is_ok());
        assert!(matches!(memory.writable(0x1000, 4), Err(Fault::Constant { .. })));
    }

    #[test]
    fn huge_objects_cost_what_is_touched() {
        let mut memory = memory();
        let size = 1 << 29;
        let a = memory.allocate(size, 16, Storage::Heap).expect("there is room");
        assert!(memory.writable(a, size).expect("in bounds").set_all(a, size, Some(7)));
        memory.writable(a, size).expect("in bounds").set(a + 12_345_678, 9);
        let object = memory.readable(a, size).expect("in bounds");
        assert_eq!(object.byte(a), Some(7));
        assert_eq!(object.byte(a + size - 1), Some(7));
        assert_eq!(object.byte(a + 12_345_678), Some(9));
        assert_eq!(object.byte(a + 12_345_679), Some(7));
        assert!(memory.used() < 10_000);
        memory.free(a, Storage::Heap).expect("allocated");
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn unknown_bytes_stay_unknown_beside_known_ones() {
        let mut memory = memory();
        let a = memory.allocate(4, 4, Storage::Stack).expect("there is room");
        memory.writable(a + 1, 1).expect("in bounds").set(a + 1, 5);
        let object = memory.readable(a, 4).expect("in bounds");
        assert_eq!([0, 1, 2].map(|i| object.byte(a + i)), [None, Some(5), None]);
    }
}
