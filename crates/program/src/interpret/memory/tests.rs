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
            let size = *[4, 20, PAGE - 2, PAGE + 6, 3 * PAGE].choose(&mut random).expect("some");
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
                if let Some(object) = memory.readable(address, length).ok().filter(|_| kind == 2) {
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
