//! What is kept is given: by key, by what it is about, to others, and in the order of its use.

mod common;

use common::{Folder, content, key};
use std::time::{Duration, Instant};
use store::{Error, Filter, Kind, New, Settings, Store};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn documents_come_back() {
    let folder = Folder::new();
    let lengths = [0, 1, 100, 4096, 5000, 1 << 20];
    {
        let store = folder.open();
        for (number, &length) in (0..).zip(&lengths) {
            let bytes = content(number, length);
            store.put(common::kind(number), &key(number), "main.c:f/ä", &bytes).expect("kept");
        }
    }
    let store = folder.open();
    for (number, &length) in (0..).zip(&lengths) {
        let kind = common::kind(number);
        let document = store.get(kind, &key(number)).expect("read").expect("there");
        assert_eq!(document.bytes, content(number, length));
        assert_eq!((document.kind, document.key), (kind, key(number)));
        assert_eq!(document.about, "main.c:f/ä");
        assert!(document.written.elapsed().expect("in the past") < 60 * SECOND);
        let other = common::kind(number + 1);
        assert_eq!(store.get(other, &key(number)).expect("read"), None);
    }
    assert_eq!(store.verify().expect("read"), []);
    assert!(store.take_notices().is_empty());
}

#[test]
fn a_later_document_replaces() {
    let folder = Folder::new();
    let store = folder.open();
    store.put(Kind::Lemmas, &key(1), "old", b"one").expect("kept");
    store.put(Kind::Lemmas, &key(1), "new", b"two").expect("kept");
    let twice = |bytes| New { kind: Kind::Input, key: key(2), about: "x", bytes };
    store.put_all(&[twice(b"first"), twice(b"second")]).expect("kept");
    let get = |kind, number| store.get(kind, &key(number)).expect("read").expect("there").bytes;
    assert_eq!(get(Kind::Lemmas, 1), b"two");
    assert_eq!(get(Kind::Input, 2), b"second");
    assert!(store.latest(Kind::Lemmas, "old", 9).expect("read").is_empty());
    assert_eq!(store.list(&Filter::default()).expect("read").len(), 2);
}

#[test]
fn the_latest_come_first() {
    let folder = Folder::new();
    let store = folder.open();
    for number in 0..10 {
        let about = ["f", "g"][number as usize % 2];
        store.put(Kind::Invariant, &key(number), about, &number.to_le_bytes()).expect("kept");
    }
    store.put(Kind::Invariant, &key(2), "f", &[99]).expect("kept");
    let keys = |limit| -> Vec<_> {
        let latest = store.latest(Kind::Invariant, "f", limit).expect("read");
        latest.into_iter().map(|document| document.key).collect()
    };
    assert_eq!(keys(3), [key(2), key(8), key(6)]);
    assert_eq!(keys(usize::MAX).len(), 5);
    assert!(keys(0).is_empty());
    assert!(store.latest(Kind::Verdict, "f", 3).expect("read").is_empty());
}

#[test]
fn lists_are_filtered() {
    let folder = Folder::new();
    let store = folder.open();
    store.put(Kind::Verdict, &key(1), "main.c:main/reach", b"safe").expect("kept");
    store.put(Kind::Summary, &key(2), "main.c:f", b"ensures").expect("kept");
    store.put(Kind::Summary, &key(3), "lib.c:g", b"").expect("kept");
    let list = |filter: Filter| -> Vec<_> {
        store.list(&filter).expect("read").into_iter().map(|entry| entry.key).collect()
    };
    let about = |text: &str| Some(text.to_owned());
    assert_eq!(list(Filter::default()), [key(3), key(2), key(1)]);
    assert_eq!(list(Filter { kind: Some(Kind::Summary), ..Filter::default() }), [key(3), key(2)]);
    assert_eq!(list(Filter { about: about("main.c"), ..Filter::default() }), [key(2), key(1)]);
    let digits = Some(key(1).to_string()[..9].to_uppercase());
    assert_eq!(list(Filter { key: digits, ..Filter::default() }), [key(1)]);
    let entry = store.list(&Filter { about: about("f"), ..Filter::default() }).expect("read");
    assert_eq!((entry[0].kind, entry[0].size), (Kind::Summary, 7));
    assert!(entry[0].used >= entry[0].written);
}

#[test]
fn two_stores_see_each_other() {
    let folder = Folder::new();
    let (one, two) = (folder.open(), folder.open());
    for number in 0..50 {
        let (writer, reader) = if number % 2 == 0 { (&one, &two) } else { (&two, &one) };
        writer.put(Kind::Verdict, &key(number), "x", &content(number, 300)).expect("kept");
        let document = reader.get(Kind::Verdict, &key(number)).expect("read").expect("there");
        assert_eq!(document.bytes, content(number, 300));
    }
    drop(one);
    assert_eq!(two.list(&Filter::default()).expect("read").len(), 50);
}

#[test]
fn threads_share_a_store() {
    let folder = Folder::new();
    let store = folder.open();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for number in (0..20).map(|number| 100 * thread + number) {
                    store.put(Kind::Input, &key(number), "x", b"1").expect("kept");
                    assert!(store.get(Kind::Input, &key(number)).expect("read").is_some());
                }
            });
        }
    });
    assert_eq!(store.list(&Filter::default()).expect("read").len(), 80);
}

/// The file stays below the limit, and what remains is what was used last.
#[test]
fn the_least_recently_used_go() {
    let folder = Folder::new();
    let limit = 1 << 20;
    let mut store = folder.open_with(limit, SECOND);
    let favourite = key(1_000_000);
    store.put(Kind::Summary, &favourite, "favourite", b"often").expect("kept");
    for number in 0..600 {
        let length = [10, 500, 3000, 9000, 40_000][number as usize % 5];
        let bytes = content(number, length);
        store.put(Kind::Lemmas, &key(number), "x", &bytes).expect("kept");
        let last = store.get(Kind::Lemmas, &key(number)).expect("read").expect("the newest stays");
        assert_eq!(last.bytes, bytes);
        assert!(store.get(Kind::Summary, &favourite).expect("read").is_some(), "{number}");
        assert!(store.size().expect("read") <= limit);
        if number % 100 == 99 {
            // Uses are not lost when the store is closed.
            store = folder.open_with(limit, SECOND);
        }
    }
    let list = store.list(&Filter::default()).expect("read");
    let there = list.iter().filter(|entry| entry.kind == Kind::Lemmas).count() as u64;
    assert!((60..600).contains(&there), "{there}");
    for number in 0..600 {
        let kept = store.get(Kind::Lemmas, &key(number)).expect("read").is_some();
        assert_eq!(kept, number >= 600 - there, "{number} of the last {there}");
    }
    assert_eq!(store.verify().expect("read"), []);
    drop(store);
    let size = std::fs::metadata(folder.file()).expect("a file").len();
    assert!(size <= limit && size > limit / 2, "{size}");
}

/// Who only reads says so when it ends.
#[test]
fn reading_is_use() {
    let folder = Folder::new();
    for number in 0..4 {
        folder.open().put(Kind::Verdict, &key(number), "x", b"1").expect("kept");
    }
    let order = || -> Vec<_> {
        let list = folder.open().list(&Filter::default()).expect("read");
        list.into_iter().map(|entry| entry.key).collect()
    };
    assert_eq!(order(), [3, 2, 1, 0].map(key));
    assert!(folder.open().get(Kind::Verdict, &key(1)).expect("read").is_some());
    assert_eq!(order(), [1, 3, 2, 0].map(key));
    let store = folder.open();
    for number in [0, 2, 0] {
        assert!(store.get(Kind::Verdict, &key(number)).expect("read").is_some());
    }
    drop(store);
    assert_eq!(order(), [0, 2, 1, 3].map(key));
    assert_eq!(folder.open().latest(Kind::Verdict, "x", 9).expect("read").len(), 4);
    assert_eq!(order(), [3, 2, 1, 0].map(key));
}

#[test]
fn small_documents_obey_the_limit() {
    let folder = Folder::new();
    let limit = 256 << 10;
    let store = folder.open_with(limit, SECOND);
    for round in 0..30 {
        let keys: Vec<_> = (0..100).map(|number| key(100 * round + number)).collect();
        let new = |key| New { kind: Kind::Input, key, about: "main.c:main", bytes: b"0123456789" };
        store.put_all(&keys.iter().map(|&key| new(key)).collect::<Vec<_>>()).expect("kept");
        assert!(keys.iter().all(|key| store.get(Kind::Input, key).expect("read").is_some()));
        assert!(store.size().expect("read") <= limit);
    }
    assert!(store.list(&Filter::default()).expect("read").len() > 300);
}

#[test]
fn what_is_too_large_is_refused_and_removes_nothing() {
    let folder = Folder::new();
    let store = folder.open_with(200_000, SECOND);
    store.put(Kind::Verdict, &key(1), "x", &content(1, 50_000)).expect("kept");
    for length in [130_000, 190_000, 200_000, 10_000_000] {
        let refused = store.put(Kind::Verdict, &key(2), "x", &content(2, length));
        match refused {
            Err(Error::TooLarge { size, limit: 200_000, .. }) => assert_eq!(size, length as u64),
            // It fits alone.
            Ok(()) => assert_eq!(length, 130_000),
            other => panic!("{length}: {other:?}"),
        }
        if length == 130_000 {
            store.put(Kind::Verdict, &key(1), "x", &content(1, 50_000)).expect("kept");
        }
        assert!(store.get(Kind::Verdict, &key(1)).expect("read").is_some());
    }
}

/// More than SQLite takes is no damage.
#[test]
fn what_is_larger_than_any_row_is_refused() {
    let folder = Folder::new();
    let store = folder.open_with(u64::MAX, SECOND);
    let refused = store.put(Kind::Verdict, &key(1), "x", &vec![0; 1_000_000_001]);
    assert!(matches!(refused, Err(Error::TooLarge { .. })));
    assert!(store.take_notices().is_empty());
}

#[test]
fn pruning_shrinks_the_file() {
    let folder = Folder::new();
    let store = folder.open();
    for number in 0..100 {
        store.put(Kind::Verdict, &key(number), "x", &content(number, 20_000)).expect("kept");
    }
    assert!(store.get(Kind::Verdict, &key(0)).expect("read").is_some());
    let before = store.size().expect("read");
    let pruned = store.prune(500_000).expect("pruned");
    assert!(pruned.left <= 500_000 && pruned.left > 400_000, "{pruned:?}");
    assert!((70..85).contains(&pruned.documents), "{pruned:?}");
    assert_eq!(pruned.left, before - pruned.bytes);
    assert_eq!(std::fs::metadata(folder.file()).expect("a file").len(), pruned.left);
    let get = |number| store.get(Kind::Verdict, &key(number)).expect("read").is_some();
    assert!(get(0) && get(99) && !get(1));
    let pruned = store.prune(0).expect("pruned");
    assert!(pruned.left < 40_000, "{pruned:?}");
    assert!(store.list(&Filter::default()).expect("read").is_empty());
    assert_eq!(store.prune(0).expect("pruned").documents, 0);
    assert_eq!(store.verify().expect("read"), []);
}

/// While somebody writes, readers do not wait, and writers give up.
#[test]
fn waiting_ends() {
    let folder = Folder::new();
    let patience = Duration::from_millis(1500);
    let store = folder.open_with(1 << 30, patience);
    store.put(Kind::Verdict, &key(1), "x", b"1").expect("kept");
    let other = rusqlite::Connection::open(folder.file()).expect("a connection");
    other.execute_batch("BEGIN IMMEDIATE; DELETE FROM document").expect("the lock");
    let begun = Instant::now();
    assert!(store.get(Kind::Verdict, &key(1)).expect("read").is_some());
    assert_eq!(store.latest(Kind::Verdict, "x", 1).expect("read").len(), 1);
    assert_eq!(store.list(&Filter::default()).expect("read").len(), 1);
    assert_eq!(store.verify().expect("read"), []);
    drop(folder.open_with(1 << 30, patience));
    assert!(begun.elapsed() < patience, "readers waited for {:?}", begun.elapsed());
    let begun = Instant::now();
    let refused = store.put(Kind::Verdict, &key(2), "x", b"2");
    let message = refused.expect_err("nobody else may write").to_string();
    assert!(message.contains("was busy for 1.5 s"), "{message}");
    assert!(begun.elapsed() >= patience && begun.elapsed() < 2 * patience);
    other.execute_batch("ROLLBACK").expect("the end");
    store.put(Kind::Verdict, &key(2), "x", b"2").expect("kept");
}

/// A file that is gone while a store is open is begun afresh.
#[test]
fn a_removed_folder_is_made_again() {
    let folder = Folder::new();
    let (one, two) = (folder.open(), folder.open());
    one.put(Kind::Verdict, &key(1), "x", b"1").expect("kept");
    std::fs::remove_dir_all(folder.path()).expect("removed");
    one.put(Kind::Verdict, &key(2), "x", b"2").expect("kept");
    assert!(two.get(Kind::Verdict, &key(1)).expect("read").is_none());
    assert!(two.get(Kind::Verdict, &key(2)).expect("read").is_some());
    drop(one);
    assert!(folder.open().get(Kind::Verdict, &key(2)).expect("read").is_some());
}

#[test]
fn folders_that_cannot_be_used_are_errors() {
    let folder = Folder::new();
    let file = folder.path().join("file");
    std::fs::write(&file, "text").expect("written");
    for path in [file.clone(), file.join("below"), "/proc/self".into(), "/proc/none".into()] {
        let Err(error) = Store::open(&path, Settings::default()) else { panic!("{path:?}") };
        let message = error.to_string();
        assert!(message.contains(path.to_str().expect("plain")), "{message}");
        assert!(message.contains("name a"), "{message}");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), "text");
}
