//! Whatever is in the folder: no panic, no error, no document that was not written so.
//!
//! `ROUNDS=100000 cargo test -p cairn-store --test damage` flips bytes so often.

mod common;

use common::{Folder, content, key, kind};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use std::path::Path;
use store::{Fault, Filter, Kind, New, Store, Unfit};

const DOCUMENTS: u64 = 60;

fn length(number: u64) -> usize {
    [0, 30, 700, 5000, 20_000][(number % 5) as usize] + number as usize
}

fn fill(store: &Store, numbers: std::ops::Range<u64>) {
    let numbers: Vec<u64> = numbers.collect();
    for some in numbers.chunks(8) {
        let bytes: Vec<_> = some.iter().map(|&number| content(number, length(number))).collect();
        let new = |(&number, bytes)| New {
            kind: kind(number),
            key: key(number),
            about: "main.c:main",
            bytes,
        };
        let bytes = bytes.iter().map(Vec::as_slice);
        store.put_all(&some.iter().zip(bytes).map(new).collect::<Vec<_>>()).expect("kept");
    }
}

/// A store's file, and what a process that was killed leaves: the file and the one beside it.
fn images() -> [Vec<(&'static str, Vec<u8>)>; 2] {
    let folder = Folder::new();
    fill(&folder.open(), 0..DOCUMENTS);
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    let closed = vec![("cairn.sqlite", read("cairn.sqlite"))];
    let store = folder.open();
    fill(&store, DOCUMENTS / 2..DOCUMENTS);
    let killed = ["cairn.sqlite", "cairn.sqlite-wal"].map(|name| (name, read(name)));
    assert!(killed[1].1.len() > 100_000);
    [closed, killed.into()]
}

fn write(folder: &Path, image: &[(&str, Vec<u8>)]) {
    for (name, bytes) in image {
        std::fs::write(folder.join(name), bytes).expect("written");
    }
}

/// Does everything in some order; returns how many documents were given.
fn exercise(store: &Store, random: &mut StdRng) -> usize {
    let mut given = Vec::new();
    let mut steps = [0, 1, 2, 3, 4, 5];
    steps.shuffle(random);
    for step in steps {
        match step {
            0 => {
                let get = |number| store.get(kind(number), &key(number)).expect("no error");
                given.extend((0..DOCUMENTS).filter_map(get));
            }
            1 => {
                let latest = |kind| store.latest(kind, "main.c:main", 20).expect("no error");
                given.extend(Kind::ALL.into_iter().flat_map(latest));
            }
            2 => drop(store.list(&Filter::default()).expect("no error")),
            3 => drop(store.verify().expect("no error")),
            4 => drop(store.prune(150_000).expect("no error")),
            _ => fill(store, 0..8),
        }
    }
    for document in &given {
        let number = (0..DOCUMENTS).find(|&number| key(number) == document.key);
        let number = number.expect("a key of ours");
        assert_eq!(document.kind, kind(number));
        assert_eq!(document.about, "main.c:main");
        assert!(document.bytes == content(number, length(number)), "document {number} is wrong");
    }
    given.len()
}

/// Bytes flipped anywhere, or the file cut off.
#[test]
fn flipped_bytes_and_lost_ends() {
    let rounds = std::env::var("ROUNDS").map_or(60, |text| text.parse().expect("a number"));
    let images = images();
    let (mut whole, mut fresh, mut given) = (0, 0, 0);
    for round in 0..rounds {
        let mut random = StdRng::seed_from_u64(round);
        let mut image = images[random.random_range(0..2)].clone();
        let which = random.random_range(0..image.len());
        let bytes = &mut image[which].1;
        // Half of the time in the first pages, which all others depend on.
        let end = if random.random() { bytes.len() } else { 5 * 4096 };
        for _ in 0..random.random_range(0..10) {
            bytes[random.random_range(0..end)] ^= 1 << random.random_range(0..8);
        }
        match random.random_range(0..8) {
            0 => bytes.truncate(random.random_range(0..end)),
            1 => bytes[..100].fill(random.random()),
            _ => {}
        }
        let folder = Folder::new();
        write(folder.path(), &image);
        let store = folder.open();
        given += exercise(&store, &mut random);
        let notices = store.take_notices();
        assert!(notices.len() < 2, "{notices:?}");
        if let Some(notice) = notices.first() {
            assert!(notice.aside.exists());
            // What was begun afresh is whole.
            assert_eq!(store.verify().expect("no error"), [], "{notice}");
            fresh += 1;
        }
        whole += u32::from(store.verify().expect("no error").is_empty());
        drop(store);
        exercise(&folder.open(), &mut random);
    }
    println!("{rounds} rounds: {fresh} begun afresh, {whole} whole at the end, {given} given");
    assert!(fresh > rounds / 20 && given > 10 * rounds as usize);
}

/// A content that was changed is found, not given, and gone.
#[test]
fn changed_rows_are_removed() {
    for column in ["bytes = x'00'", "about = 'other'", "written = written + 1", "sum = x''"] {
        let folder = Folder::new();
        let store = folder.open();
        fill(&store, 0..10);
        let change = |set: &str| {
            let other = rusqlite::Connection::open(folder.file()).expect("a connection");
            other.execute(&format!("UPDATE document SET {set} WHERE id = 4"), []).expect("changed");
        };
        change(column);
        let fault = Fault::Document { kind: Some(kind(3)), key: Some(key(3)) };
        assert_eq!(store.verify().expect("read"), [fault], "{column}");
        assert_eq!(store.get(kind(3), &key(3)).expect("read"), None, "{column}");
        assert_eq!(store.verify().expect("read"), [], "{column}");
        assert_eq!(store.list(&Filter::default()).expect("read").len(), 9);
        assert!(store.take_notices().is_empty());
    }
    let folder = Folder::new();
    let store = folder.open();
    fill(&store, 0..10);
    let other = rusqlite::Connection::open(folder.file()).expect("a connection");
    other.execute("UPDATE document SET kind = 77 WHERE id = 4", []).expect("changed");
    other.execute("UPDATE document SET key = x'12' WHERE id = 5", []).expect("changed");
    other.execute("UPDATE document SET used = 9223372036854775807 WHERE id = 6", []).expect("ok");
    assert_eq!(store.list(&Filter::default()).expect("read").len(), 8);
    assert_eq!(store.verify().expect("read").len(), 2);
    fill(&store, 0..20);
    assert_eq!(store.prune(0).expect("pruned").documents, 22);
}

/// Opens a folder in which something else has the file's name.
fn set_aside(make: impl Fn(&Folder)) -> (Folder, Unfit, String) {
    let folder = Folder::new();
    make(&folder);
    let store = folder.open();
    let mut notices = store.take_notices();
    assert_eq!(notices.len(), 1);
    assert!(store.take_notices().is_empty());
    fill(&store, 0..3);
    drop(store);
    let store = folder.open();
    assert!(store.take_notices().is_empty());
    assert_eq!(store.verify().expect("read"), []);
    assert_eq!(store.list(&Filter::default()).expect("read").len(), 3);
    let notice = notices.remove(0);
    assert!(notice.aside.exists());
    let message = notice.to_string().replace(folder.path().to_str().expect("plain"), "DIR");
    (folder, notice.unfit, message)
}

#[test]
fn other_things_are_set_aside() {
    let (_, unfit, message) = set_aside(|folder| {
        std::fs::write(folder.file(), "What was proved is not proved again.\n").expect("written");
    });
    assert!(matches!(unfit, Unfit::Damaged(_)));
    assert_eq!(
        message,
        "the store DIR/cairn.sqlite is damaged (file is not a database): \
         it was renamed to DIR/cairn-damaged.sqlite, and a fresh one is begun"
    );
    let (_, unfit, _) = set_aside(|folder| {
        std::fs::create_dir(folder.file()).expect("made");
        std::fs::write(folder.file().join("file"), "text").expect("written");
    });
    assert!(matches!(unfit, Unfit::Foreign(_)));
    let sql = |folder: &Folder, text: &str| {
        drop(folder.open());
        let other = rusqlite::Connection::open(folder.file()).expect("a connection");
        other.execute_batch(text).expect("changed");
    };
    let (folder, unfit, message) = set_aside(|folder| sql(folder, "PRAGMA user_version = 7"));
    assert_eq!(unfit, Unfit::Format { found: 7, ours: 1 });
    assert_eq!(
        message,
        "the store DIR/cairn.sqlite has format 7, and this version reads format 1 only: \
         it was renamed to DIR/cairn-format-7.sqlite, and a fresh one is begun"
    );
    // A second one does not take the first one's place.
    sql(&folder, "PRAGMA user_version = 7");
    folder.open();
    assert!(folder.names().contains(&"cairn-format-7-2.sqlite".to_owned()));
    let (_, unfit, _) = set_aside(|folder| sql(folder, "PRAGMA application_id = 7"));
    assert!(matches!(unfit, Unfit::Foreign(_)));
    let trap = "CREATE TRIGGER trap AFTER INSERT ON document BEGIN DELETE FROM document; END";
    let (_, unfit, _) = set_aside(|folder| sql(folder, trap));
    assert!(matches!(unfit, Unfit::Damaged(_)));
}

#[test]
fn an_empty_file_is_a_beginning() {
    let folder = Folder::new();
    std::fs::write(folder.file(), "").expect("written");
    let store = folder.open();
    assert!(store.take_notices().is_empty());
    fill(&store, 0..3);
    // Nor does it matter what a killed process left beside it.
    let folder = Folder::new();
    let [_, killed] = images();
    write(folder.path(), &[("cairn.sqlite", Vec::new()), killed[1].clone()]);
    let store = folder.open();
    fill(&store, 0..3);
    assert_eq!(store.verify().expect("read"), []);
    assert_eq!(store.list(&Filter::default()).expect("read").len(), 3);
}

/// Who has a file open that another one sets aside goes on with the fresh one.
#[test]
fn a_fresh_start_is_seen_by_all() {
    let folder = Folder::new();
    let (one, two) = (folder.open(), folder.open());
    fill(&one, 0..DOCUMENTS);
    assert!(one.prune(u64::MAX).expect("pruned").left > 100_000);
    let length = std::fs::metadata(folder.file()).expect("a file").len();
    std::fs::write(folder.file(), vec![0x55; length as usize]).expect("written");
    let three = folder.open();
    assert_eq!(three.take_notices().len(), 1);
    fill(&one, 0..1);
    fill(&two, 1..2);
    fill(&three, 2..3);
    // Nor does the end of one that had the old file take anything away.
    drop(one);
    for store in [&two, &three, &folder.open()] {
        for number in 0..3 {
            assert!(store.get(kind(number), &key(number)).expect("read").is_some(), "{number}");
        }
        assert_eq!(store.verify().expect("read"), []);
        assert!(store.take_notices().is_empty());
    }
    assert!(folder.names().contains(&"cairn-damaged.sqlite".to_owned()));
}

/// Those who find the same damaged file at once set it aside once.
#[test]
fn many_begin_afresh_together() {
    for _ in 0..10 {
        let folder = Folder::new();
        std::fs::write(folder.file(), "no database, but more than a hundred bytes ".repeat(9))
            .expect("written");
        std::thread::scope(|scope| {
            for number in 0..8 {
                let folder = &folder;
                scope.spawn(move || fill(&folder.open(), number..number + 1));
            }
        });
        let store = folder.open();
        assert_eq!(store.list(&Filter::default()).expect("read").len(), 8);
        assert_eq!(store.verify().expect("read"), []);
        let aside = folder.names().iter().filter(|name| name.starts_with("cairn-")).count();
        assert_eq!(aside, 1, "{:?}", folder.names());
    }
}

/// Damage beyond the first page shows when it is read; then reading goes on with a fresh file.
#[test]
fn damage_is_found_while_reading() {
    let folder = Folder::new();
    fill(&folder.open(), 0..DOCUMENTS);
    let mut bytes = std::fs::read(folder.file()).expect("a file");
    bytes[8192..].fill(0x55);
    std::fs::write(folder.file(), bytes).expect("written");
    let store = folder.open();
    assert!(store.take_notices().is_empty());
    assert!(store.verify().expect("read").iter().any(|fault| matches!(fault, Fault::File(_))));
    assert!(store.take_notices().is_empty(), "a check changes nothing");
    assert_eq!(store.get(kind(1), &key(1)).expect("read"), None);
    let notices = store.take_notices();
    assert!(matches!(&notices[..], [notice] if matches!(notice.unfit, Unfit::Damaged(_))));
    fill(&store, 0..3);
    assert_eq!(store.verify().expect("read"), []);
    // It can also be asked for.
    store.set_aside("somebody says so").expect("renamed");
    assert!(store.list(&Filter::default()).expect("read").is_empty());
    assert!(store.take_notices()[0].aside.ends_with("cairn-damaged-2.sqlite"));
}
