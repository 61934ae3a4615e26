//! A disk that takes no more: an error with words, and what was kept is still there.
//!
//! The disk is played by the system's limit on the size of files; the child that has it is this
//! test binary once more.

mod common;

use common::{Folder, content, key};
use std::process::Command;
use std::time::Duration;
use store::{Error, Filter, Kind, Settings, Store};

const TASK: &str = "CAIRN_STORE_FULL";

/// What the child does; as a test it does nothing.
#[test]
fn writer() {
    let Some(folder) = std::env::var_os(TASK) else { return };
    let settings = Settings { limit: u64::MAX, patience: Duration::from_secs(1) };
    let store = Store::open(folder.as_ref(), settings).expect("a store");
    let put = |number| store.put(Kind::Input, &key(number), "x", &content(number, 10_000));
    let kept = (0..1000).take_while(|&number| put(number).is_ok()).count() as u64;
    let error = put(kept).expect_err("there is no room");
    assert!(matches!(error, Error::Failed { .. } | Error::Full { .. }), "{error}");
    println!("\nkept {kept}\n{error}");
    for number in 0..kept {
        let document = store.get(Kind::Input, &key(number)).expect("read").expect("there");
        assert_eq!(document.bytes, content(number, 10_000));
    }
    assert_eq!(store.get(Kind::Input, &key(kept)).expect("read"), None);
    assert_eq!(store.verify().expect("read"), []);
    let large = content(1, 10_000_000);
    assert!(store.put(Kind::Input, &key(9999), "x", &large).is_err());
    assert!(store.take_notices().is_empty());
}

#[test]
fn what_was_kept_stays() {
    let folder = Folder::new();
    let exe = std::env::current_exe().expect("this test");
    let output = Command::new("sh")
        .args(["-c", "ulimit -f 1000; trap '' XFSZ; exec \"$0\" --exact writer --nocapture"])
        .arg(exe)
        .env(TASK, folder.path())
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("cairn.sqlite can't be used: disk I/O error"), "{text}");
    let kept = text.lines().find_map(|line| line.strip_prefix("kept ")?.parse::<usize>().ok());
    assert!(kept.is_some_and(|kept| kept > 10), "{text}");
    let store = folder.open();
    assert_eq!(store.verify().expect("read"), []);
    assert_eq!(Some(store.list(&Filter::default()).expect("read").len()), kept);
    store.put(Kind::Input, &key(1000), "x", &content(1, 1_000_000)).expect("there is room again");
}
