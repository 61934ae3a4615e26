//! Files of other people: what is accepted is printed, and read again as the same tree.
//!
//! ```text
//! CAIRN_ST_FILES=FOLDER cargo test --release -p cairn-front-st --test corpus -- --ignored --nocapture
//! ```

mod kit;

use std::path::{Path, PathBuf};

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files(&entry, out);
            continue;
        }
        let ending = entry.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
        let known = ["st", "scl", "exp", "iecst", "xml", "ld", "tcpou", "tcdut", "tcgvl", "tcio"];
        if known.contains(&ending.as_str()) {
            out.push(entry);
        }
    }
}

#[test]
#[ignore = "needs files; see the head of this file"]
fn accepted_files_round_trip() {
    let folder = std::env::var("CAIRN_ST_FILES").expect("CAIRN_ST_FILES names a folder");
    let mut all = Vec::new();
    files(Path::new(&folder), &mut all);
    let mut accepted = 0;
    for path in &all {
        let text = std::fs::read(path).expect("a file");
        match kit::read(&text, &path.display().to_string(), None) {
            Ok(unit) => {
                accepted += 1;
                kit::again(&unit);
            }
            Err(errors) => eprint!("{errors}"),
        }
    }
    eprintln!("{accepted} of {} accepted", all.len());
}
