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
mod tests;
