//! A folder for a test, and documents with known content.

#![allow(dead_code)] // Each test uses some of it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use store::{Key, Kind, Settings, Store};

/// A folder that is gone when the test is.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cairn-store-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The store's file.
    pub fn file(&self) -> PathBuf {
        self.0.join(store::FILE)
    }

    pub fn open(&self) -> Store {
        Store::open(&self.0, Settings::default()).expect("a store")
    }

    pub fn open_with(&self, limit: u64, patience: Duration) -> Store {
        Store::open(&self.0, Settings { limit, patience }).expect("a store")
    }

    /// The names in the folder.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.expect("an entry").file_name().into_string().expect("a plain name")
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The key of a number.
pub fn key(number: u64) -> Key {
    Key::of(&[&number.to_le_bytes()])
}

/// So many bytes that only this seed gives.
pub fn content(seed: u64, length: usize) -> Vec<u8> {
    use rand::{RngCore, SeedableRng};
    let mut bytes = vec![0; length];
    rand::rngs::StdRng::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes
}

/// The kind of a number.
pub fn kind(number: u64) -> Kind {
    Kind::ALL[(number % 5) as usize]
}
