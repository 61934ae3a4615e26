//! Memory: living objects, and their bytes as far as anybody has looked at them.
//!
//! An object of any size costs what was touched of it: it has a background (one byte value
//! everywhere, or unknown), and pages where it differs.
//!
//! Of each byte it is known whether the program has written it; that is not whether it has a value
//! here: what the oracle says of a byte that nobody has written is no write, and bytes may be written
//! with values that nobody has asked for yet.

use super::layout::{GAP, Layout};
use super::outcome::Fault;
use super::placement::{Misplaced, Misplacement, OUTSIDE, misplacement};
use crate::program::{Cause, Extent, Storage};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a page.
const PAGE: u64 = 4096;
/// For how many parts of memory it is remembered which object was found there last.
const RECENT: usize = 64;
/// The bytes of such a part.
const PART: u64 = 1024;

/// A byte; none if nothing is known of it yet.
pub(super) type Byte = Option<u8>;

/// What an object without a page for a byte has there.
pub(super) type Background = Byte;

/// A byte has a value.
const KNOWN: u8 = 1;
/// The program has written a byte.
const WRITTEN: u8 = 2;

#[derive(Clone, Debug)]
struct Page {
    bytes: Box<[u8]>,
    /// [`KNOWN`] and [`WRITTEN`] by byte.
    state: Box<[u8]>,
}

impl Page {
    fn new(length: u64, background: Background, written: bool) -> Page {
        // At most `PAGE`.
        let length = length as usize;
        let bytes = vec![background.unwrap_or(0); length].into();
        Page { bytes, state: vec![state(background.is_some(), written); length].into() }
    }
}

fn state(known: bool, written: bool) -> u8 {
    (if known { KNOWN } else { 0 }) | (if written { WRITTEN } else { 0 })
}

/// A living object.
#[derive(Clone, Debug)]
pub(super) struct Living {
    start: u64,
    size: u64,
    /// None for a static object.
    storage: Option<Storage>,
    constant: bool,
    /// Why bytes are unknown.
    cause: Cause,
    background: Background,
    /// Whether bytes without a page were written.
    written: bool,
    /// Most objects fit into one page.
    first: Option<Page>,
    others: FxHashMap<u64, Page>,
}

impl Living {
    /// Whether it has all the bytes.
    #[inline]
    fn has(&self, address: u64, length: u64) -> bool {
        let offset = address.wrapping_sub(self.start);
        offset <= self.size && length <= self.size - offset
    }

    #[inline]
    fn page(&self, number: u64) -> Option<&Page> {
        if number == 0 { self.first.as_ref() } else { self.others.get(&number) }
    }

    /// The page with a number, made if need be; says how many bytes of the interpreter's memory that
    /// took.
    #[inline]
    fn page_mut(&mut self, number: u64) -> (&mut Page, u64) {
        let length = (self.size - number * PAGE).min(PAGE);
        let (background, written) = (self.background, self.written);
        let mut used = 0;
        let mut new = || {
            used = 2 * length;
            Page::new(length, background, written)
        };
        let page = if number == 0 {
            self.first.get_or_insert_with(&mut new)
        } else {
            self.others.entry(number).or_insert_with(&mut new)
        };
        (page, used)
    }

    /// The word of so many bytes, if these are known and in one page.
    #[inline]
    fn word(&self, offset: u64, length: usize) -> Option<u64> {
        let (number, within) = (offset / PAGE, (offset % PAGE) as usize);
        if within + length > PAGE as usize {
            return None;
        }
        let mut bytes = [0; 8];
        match self.page(number) {
            None => bytes[..length].fill(self.background?),
            Some(page) => {
                if !page.state[within..within + length].iter().all(|state| state & KNOWN != 0) {
                    return None;
                }
                bytes[..length].copy_from_slice(&page.bytes[within..within + length]);
            }
        }
        Some(u64::from_le_bytes(bytes))
    }

    /// Sets so many bytes, if they are in one page; says how many bytes of the interpreter's memory
    /// that took.
    #[inline]
    fn set_word(&mut self, offset: u64, length: usize, word: u64) -> Option<u64> {
        let (number, within) = (offset / PAGE, (offset % PAGE) as usize);
        if within + length > PAGE as usize {
            return None;
        }
        let (page, used) = self.page_mut(number);
        page.bytes[within..within + length].copy_from_slice(&word.to_le_bytes()[..length]);
        page.state[within..within + length].fill(KNOWN | WRITTEN);
        Some(used)
    }

    fn get(&self, offset: u64) -> Byte {
        let (number, within) = (offset / PAGE, (offset % PAGE) as usize);
        match self.page(number) {
            None => self.background,
            Some(page) => (page.state[within] & KNOWN != 0).then(|| page.bytes[within]),
        }
    }

    fn is_written(&self, offset: u64) -> bool {
        let (number, within) = (offset / PAGE, (offset % PAGE) as usize);
        self.page(number).map_or(self.written, |page| page.state[within] & WRITTEN != 0)
    }

    /// Makes a byte unknown; says how many bytes of the interpreter's memory it took.
    fn forget(&mut self, offset: u64, written: bool) -> u64 {
        if self.get(offset).is_none() && self.is_written(offset) == written {
            return 0;
        }
        let (number, within) = (offset / PAGE, (offset % PAGE) as usize);
        let (page, used) = self.page_mut(number);
        page.state[within] = state(false, written);
        used
    }

    /// Sets a byte; says how many bytes of the interpreter's memory it took.
    fn set(&mut self, offset: u64, byte: u8, written: bool) -> u64 {
        let (number, within) = (offset / PAGE, (offset % PAGE) as usize);
        let (page, used) = self.page_mut(number);
        page.bytes[within] = byte;
        page.state[within] = state(true, written);
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
#[derive(Clone, Debug)]
pub(super) struct Memory {
    layout: Layout,
    heap_top: u64,
    stack_top: u64,
    /// By their starts, their places in the list.
    objects: BTreeMap<u64, usize>,
    living: Vec<Living>,
    /// Places in the list of objects that live no more.
    gone: Vec<usize>,
    /// Places in the list of objects that were found last.
    recent: [Cell<usize>; RECENT],
    /// What it takes of the interpreter's memory, about.
    used: u64,
    /// Where functions are, if the run has a placement: no object may lie there.
    functions: BTreeSet<u64>,
}

impl Memory {
    pub(super) fn new(layout: Layout) -> Memory {
        let (heap_top, stack_top) = (layout.heap, layout.stack);
        Memory {
            layout,
            heap_top,
            stack_top,
            objects: BTreeMap::new(),
            living: Vec::new(),
            gone: Vec::new(),
            recent: [const { Cell::new(0) }; RECENT],
            used: 0,
            functions: BTreeSet::new(),
        }
    }

    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// A static object.
    pub(super) fn place(&mut self, start: u64, size: u64, background: Background, cause: Cause) {
        let (storage, constant) = (None, false);
        let (first, others) = (None, FxHashMap::default());
        let written = true;
        let object =
            Living { start, size, storage, constant, cause, background, written, first, others };
        self.used += OBJECT;
        let place = match self.gone.pop() {
            Some(place) => {
                self.living[place] = object;
                place
            }
            None => {
                self.living.push(object);
                self.living.len() - 1
            }
        };
        self.objects.insert(start, place);
    }

    /// The object that begins at the address.
    fn at(&mut self, start: u64) -> Option<&mut Living> {
        let place = *self.objects.get(&start)?;
        Some(&mut self.living[place])
    }

    /// The object that begins at the address is constant from now on.
    pub(super) fn make_constant(&mut self, start: u64) {
        if let Some(object) = self.at(start) {
            object.constant = true;
        }
    }

    /// The contents of the object that begins at the address, which is new, count as written.
    pub(super) fn make_written(&mut self, start: u64) {
        if let Some(object) = self.at(start) {
            object.written = true;
        }
    }

    /// A new object with unknown contents; none if no address is left.
    pub(super) fn allocate(&mut self, size: u64, align: u64, storage: Storage) -> Option<u64> {
        let top = match storage {
            Storage::Heap => &mut self.heap_top,
            Storage::Stack => &mut self.stack_top,
        };
        let allocation = self.layout.place(storage, *top, size, align)?;
        *top = allocation.top;
        Some(self.begin(allocation.address, size, storage))
    }

    /// A new object with unknown contents at the address, which is free.
    fn begin(&mut self, address: u64, size: u64, storage: Storage) -> u64 {
        self.place(address, size, None, Cause::Uninitialized);
        if let Some(object) = self.at(address) {
            (object.storage, object.written) = (Some(storage), false);
        }
        address
    }

    /// Ends the life of the object that begins at the address.
    pub(super) fn free(&mut self, address: u64, storage: Storage) -> Result<(), Fault> {
        let Some(object) = self.at(address).filter(|object| object.storage == Some(storage)) else {
            return Err(Fault::Free { address });
        };
        let used = object.used();
        // It has no bytes any more, whoever remembers it.
        (object.size, object.first, object.others) = (0, None, FxHashMap::default());
        self.used -= used;
        self.gone.extend(self.objects.remove(&address));
        Ok(())
    }

    /// The place in the list of the object that has all the bytes.
    #[inline]
    fn find(&self, address: u64, length: u64) -> Option<usize> {
        let recent = &self.recent[(address / PART) as usize % RECENT];
        let place = recent.get();
        // No byte is in two objects, but an address can be the end of one and the start of another.
        if length > 0 && self.living.get(place).is_some_and(|object| object.has(address, length)) {
            return Some(place);
        }
        let (_, &place) = self.objects.range(..=address).next_back()?;
        let found = self.living[place].has(address, length);
        recent.set(place);
        found.then_some(place)
    }

    /// The word of so many bytes at an address, if it is that easy.
    #[inline]
    pub(super) fn word(&self, address: u64, length: u64) -> Option<u64> {
        let object = &self.living[self.find(address, length)?];
        object.word(address - object.start, length as usize)
    }

    /// Sets the word of so many bytes at an address, and says whether it was that easy.
    #[inline]
    pub(super) fn set_word(&mut self, address: u64, length: u64, word: u64) -> bool {
        let Some(place) = self.find(address, length) else { return false };
        let object = &mut self.living[place];
        if object.constant {
            return false;
        }
        let used = object.set_word(address - object.start, length as usize, word);
        self.used += used.unwrap_or(0);
        used.is_some()
    }

    /// The object that has all the bytes.
    pub(super) fn readable(&self, address: u64, length: u64) -> Result<&Living, Fault> {
        let place = self.find(address, length);
        let place = place.ok_or(Fault::Access { address, length, write: false })?;
        Ok(&self.living[place])
    }

    /// How many bytes the object at an address has there; none if there is no object.
    pub(super) fn measure(&self, address: u64, extent: Extent) -> u64 {
        let Some(place) = self.find(address, 1) else { return 0 };
        let object = &self.living[place];
        match extent {
            Extent::Before => address - object.start,
            Extent::Writable if object.constant => 0,
            Extent::Rest | Extent::Writable => object.size - (address - object.start),
        }
    }

    /// The object that has all the bytes and may be written.
    pub(super) fn writable(&mut self, address: u64, length: u64) -> Result<Writer<'_>, Fault> {
        let fault = Fault::Access { address, length, write: true };
        let place = self.find(address, length).ok_or(fault)?;
        if self.living[place].constant {
            return Err(Fault::Constant { address });
        }
        Ok(self.writer(place))
    }

    /// The object that has all the bytes, to be told its unknown ones.
    pub(super) fn completed(&mut self, address: u64, length: u64) -> Result<Writer<'_>, Fault> {
        let place = self.find(address, length);
        let place = place.ok_or(Fault::Access { address, length, write: false })?;
        Ok(self.writer(place))
    }

    fn writer(&mut self, place: usize) -> Writer<'_> {
        Writer { object: &mut self.living[place], used: &mut self.used }
    }
}

// What others see of it.
impl Memory {
    /// The living objects: where each begins, and how many bytes it has.
    pub(super) fn objects(&self) -> impl Iterator<Item = (u64, u64)> {
        self.objects.iter().map(|(start, place)| (*start, self.living[*place].size))
    }

    /// The byte at an address, if it is known.
    pub(super) fn known(&self, address: u64) -> Byte {
        self.living[self.find(address, 1)?].byte(address)
    }
}

// Objects whose places are given.
impl Memory {
    /// The function at this address has it for itself.
    pub(super) fn reserve(&mut self, address: u64) -> Result<(), Misplaced> {
        self.admit(address, 1, 1)?;
        self.functions.insert(address);
        Ok(())
    }

    /// Whether an object may lie there.
    pub(super) fn admit(&self, address: u64, size: u64, align: u64) -> Result<(), Misplaced> {
        let why = misplacement(address, size, align, self.layout.last)
            .or_else(|| Some(Misplacement::Overlaps(self.overlapped(address, size)?.0)));
        why.map_or(Ok(()), |why| Err(Misplaced { address, size, why }))
    }

    /// The memory that comes from outside.
    pub(super) fn place_outside(&mut self) -> Result<(), Misplaced> {
        let (start, size) = self.layout.outside();
        self.admit(start, size, 1)?;
        self.place(start, size, None, Cause::Unknown(OUTSIDE.into()));
        Ok(())
    }

    /// A new object with unknown contents at an address.
    pub(super) fn allocate_at(
        &mut self,
        address: u64,
        size: u64,
        align: u64,
        storage: Storage,
    ) -> Result<u64, Misplaced> {
        self.admit(address, size, align)?;
        Ok(self.begin(address, size, storage))
    }

    /// A new object with unknown contents at the next place of the layout that is free; none if no
    /// address is left.
    pub(super) fn allocate_beside(
        &mut self,
        size: u64,
        align: u64,
        storage: Storage,
    ) -> Option<u64> {
        let mut top = match storage {
            Storage::Heap => self.heap_top,
            Storage::Stack => self.stack_top,
        };
        let allocation = loop {
            let allocation = self.layout.place(storage, top, size, align)?;
            match self.overlapped(allocation.address, size) {
                None => break allocation,
                Some((_, end)) => top = end.checked_add(GAP)?,
            }
        };
        match storage {
            Storage::Heap => self.heap_top = allocation.top,
            Storage::Stack => self.stack_top = allocation.top,
        }
        Some(self.begin(allocation.address, size, storage))
    }

    /// Where the last object or function begins and ends that would overlap an object there.
    fn overlapped(&self, address: u64, size: u64) -> Option<(u64, u64)> {
        let end = address.saturating_add(size.max(1));
        // Living objects do not overlap: if any of them does, the last one before the end does.
        let object = self.objects.range(..end).next_back();
        let object = object.map(|(start, place)| (*start, start + self.living[*place].size.max(1)));
        let function = self.functions.range(address..end).next_back().map(|at| (*at, at + 1));
        object.filter(|(_, end)| *end > address).max(function)
    }
}

impl Living {
    /// The byte at an address that the object has.
    pub(super) fn byte(&self, address: u64) -> Byte {
        self.get(address - self.start)
    }

    /// Whether the program has written the byte at an address that the object has.
    pub(super) fn has_written(&self, address: u64) -> bool {
        self.is_written(address - self.start)
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
    /// Writes the byte at an address that the object has.
    pub(super) fn set(&mut self, address: u64, byte: u8) {
        self.set_as(address, byte, true);
    }

    /// Gives the byte at an address that the object has a value, whether that is a write or not.
    pub(super) fn set_as(&mut self, address: u64, byte: u8, written: bool) {
        *self.used += self.object.set(address - self.object.start, byte, written);
    }

    /// Gives a byte the value that the oracle says it has.
    pub(super) fn complete(&mut self, address: u64, byte: u8) {
        self.set_as(address, byte, self.object.has_written(address));
    }

    /// Makes bytes unknown, whether that is a write or not.
    pub(super) fn forget(&mut self, address: u64, length: u64, written: bool) {
        if self.set_all(address, length, None, written) {
            return;
        }
        let first = address - self.object.start;
        for offset in first..first + length {
            *self.used += self.object.forget(offset, written);
        }
    }

    /// Sets all bytes of the object, or makes them all unknown, if the range is all of it.
    pub(super) fn set_all(
        &mut self,
        address: u64,
        length: u64,
        background: Background,
        written: bool,
    ) -> bool {
        let object = &mut *self.object;
        if address != object.start || length != object.size {
            return false;
        }
        *self.used -= object.used() - OBJECT;
        (object.background, object.written) = (background, written);
        object.first = None;
        object.others = FxHashMap::default();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::seq::IndexedRandom;
    use rand::{Rng, SeedableRng};

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
    fn objects_are_measured_from_where_one_stands() {
        let mut memory = memory();
        let a = memory.allocate(8, 4, Storage::Heap).expect("there is room");
        memory.place(0x1000, 4, Some(0), Cause::Uninitialized);
        memory.make_constant(0x1000);
        let at = |address: u64| Extent::ALL.map(|extent| memory.measure(address, extent));
        // The rest, what may be written of it, and what is before.
        assert_eq!(at(a), [8, 8, 0]);
        assert_eq!(at(a + 3), [5, 5, 3]);
        assert_eq!(at(a + 8), [0, 0, 0]);
        assert_eq!(at(0), [0, 0, 0]);
        assert_eq!(at(0x1001), [3, 0, 1]);
        memory.free(a, Storage::Heap).expect("it lives");
        assert_eq!(memory.measure(a, Extent::Rest), 0);
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
        assert!(memory.writable(a, size).expect("in bounds").set_all(a, size, Some(7), true));
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

    /// Random accesses to objects that come and go, against bytes in a map.
    #[test]
    fn words_are_their_bytes() {
        let mut random = StdRng::seed_from_u64(7);
        let mut memory = memory();
        let mut bytes: FxHashMap<u64, Byte> = FxHashMap::default();
        let mut objects: Vec<(u64, u64)> = Vec::new();
        let mut easy = 0;
        for _ in 0..200_000 {
            if objects.len() < 4 {
                let size =
                    *[4, 20, PAGE - 2, PAGE + 6, 3 * PAGE].choose(&mut random).expect("some");
                let start = memory.allocate(size, 2, Storage::Heap).expect("there is room");
                bytes.extend((start..start + size).map(|address| (address, None)));
                objects.push((start, size));
            }
            let (start, size) = *objects.choose(&mut random).expect("there are four");
            let length = *[1, 2, 4, 8].choose(&mut random).expect("some");
            // Mostly around a page's end, sometimes beyond the object's.
            let page = start + random.random_range(0..=size / PAGE) * PAGE;
            let address = page + random.random_range(0..24) - 12;
            let inside = (address..address + length).all(|at| bytes.contains_key(&at));
            match random.random_range(0..100) {
                0 => {
                    memory.free(start, Storage::Heap).expect("it lives");
                    objects.retain(|object| object.0 != start);
                    bytes.retain(|at, _| !(start..start + size).contains(at));
                }
                1 if inside => {
                    memory.writable(address, length).expect("inside").forget(address, length, true);
                    bytes.extend((address..address + length).map(|at| (at, None)));
                }
                2..50 => {
                    let word: u64 = random.random();
                    let set = memory.set_word(address, length, word);
                    assert!(inside || !set);
                    assert_eq!(memory.writable(address, length).is_ok(), inside);
                    if set {
                        let new = (address..address + length).zip(word.to_le_bytes());
                        bytes.extend(new.map(|(at, byte)| (at, Some(byte))));
                    }
                }
                _ => {
                    let word = memory.word(address, length);
                    assert_eq!(memory.readable(address, length).is_ok(), inside);
                    if let Some(word) = word {
                        easy += 1;
                        for (at, byte) in (address..address + length).zip(word.to_le_bytes()) {
                            assert_eq!(bytes[&at], Some(byte));
                        }
                    }
                    if let (true, Ok(object)) = (inside, memory.readable(address, length)) {
                        for at in address..address + length {
                            assert_eq!(object.byte(at), bytes[&at]);
                        }
                    }
                }
            }
        }
        assert!(easy > 10_000, "{easy}");
    }

    /// Objects at random places of a small room, one right after another and where others were,
    /// against a map of bytes and the objects that they are of.
    #[test]
    fn placed_objects_stay_apart() {
        let (first, room) = (0x1000, 64);
        let mut random = StdRng::seed_from_u64(11);
        let mut memory = memory();
        let mut objects: BTreeMap<u64, u64> = BTreeMap::new();
        let mut bytes: BTreeMap<u64, (u64, Byte)> = BTreeMap::new();
        let (mut refused, mut across) = (0, 0);
        for number in 0..100_000 {
            let address = first + random.random_range(0..room);
            let length = *[1, 2, 4, 8].choose(&mut random).expect("some");
            let range = address..address + length;
            match random.random_range(0..4) {
                0 => {
                    let size = random.random_range(1..12);
                    let free = !bytes.keys().any(|at| (address..address + size).contains(at));
                    let new = memory.allocate_at(address, size, 1, Storage::Heap);
                    assert_eq!(new.is_ok(), free, "{new:?}");
                    refused += usize::from(!free);
                    if free {
                        objects.insert(address, size);
                        bytes.extend((address..address + size).map(|at| (at, (address, None))));
                    }
                }
                1 => {
                    let freed = memory.free(address, Storage::Heap).is_ok();
                    assert_eq!(freed, objects.remove(&address).is_some());
                    bytes.retain(|_, (of, _)| !freed || *of != address);
                }
                kind => {
                    let all: Vec<_> = range.clone().filter_map(|at| bytes.get(&at)).collect();
                    let whole = all.len() as u64 == length;
                    let inside = whole && all.iter().all(|(of, _)| *of == all[0].0);
                    across += usize::from(whole && !inside);
                    assert_eq!(memory.readable(address, length).is_ok(), inside);
                    if let Some(object) =
                        memory.readable(address, length).ok().filter(|_| kind == 2)
                    {
                        for at in range {
                            assert_eq!(object.byte(at), bytes[&at].1);
                        }
                    } else {
                        assert_eq!(memory.set_word(address, length, number), inside);
                        for (at, byte) in range.zip(number.to_le_bytes()).filter(|_| inside) {
                            bytes.entry(at).and_modify(|(_, old)| *old = Some(byte));
                        }
                    }
                }
            }
        }
        assert!(refused > 1000 && across > 1000, "{refused} {across}");
    }

    #[test]
    fn the_layout_goes_around_what_was_placed() {
        let mut memory = memory();
        let heap = Layout::new(32).heap;
        // Right where the layout would put something, and a function after that.
        memory.allocate_at(heap + 4, 8, 4, Storage::Stack).expect("it is free");
        memory.reserve(heap + 12 + GAP + 2).expect("it is free");
        let new = memory.allocate_beside(8, 4, Storage::Heap);
        assert_eq!(new, Some((heap + 12 + GAP + 3 + GAP).next_multiple_of(4)));
        let next = memory.allocate_beside(0, 1, Storage::Heap);
        assert_eq!(next, new.map(|new| new + 8 + GAP));
        let overlap = memory.allocate_at(heap + 4, 0, 1, Storage::Heap);
        assert_eq!(overlap.map_err(|m| m.why), Err(Misplacement::Overlaps(heap + 4)));
        // Where the layout is full, there is no place.
        assert_eq!(memory.allocate_beside(1 << 31, 1, Storage::Heap), None);
    }

    #[test]
    fn what_begins_where_another_was_is_unknown() {
        let mut memory = memory();
        let a = memory.allocate(4, 4, Storage::Heap).expect("there is room");
        assert!(memory.set_word(a, 4, 7));
        memory.free(a, Storage::Heap).expect("it lives");
        for (address, size) in [(a, 4), (a - 4, 16), (a + 1, 1)] {
            memory.allocate_at(address, size, 1, Storage::Stack).expect("it is free");
            assert_eq!(memory.word(address, 1), None);
            assert!(memory.readable(address, size).is_ok());
            assert!(memory.set_word(address, 1, 9));
            memory.free(address, Storage::Stack).expect("it lives");
        }
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
