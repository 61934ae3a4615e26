//! Processes that are killed at random moments while they write to one store.
//!
//! Each child is this test binary once more, told by a variable what to do: it keeps documents and
//! says so after `put` returned. What was said must be there after all are dead, and the store
//! must be whole. `KILLS=300 cargo test -p cairn-store --test kills -- --ignored` does it often.

mod common;

use common::{Folder, content, key, kind};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use store::{Filter, New, Settings, Store};

/// What a child gets: the limit of the store, a number of its own, and the folder.
const TASK: &str = "CAIRN_STORE_TASK";

/// Processes at once.
const WRITERS: u64 = 4;

/// Documents that a child writes again and again; the others it writes once.
const AGAIN: u64 = 3;

/// Stands for a child in the number of a document that all write, large enough to be on the way to
/// the disk for some time; or in a store with a limit, a smaller one.
const COMMON: u64 = 1 << 20;

/// A document of a child: which one, and the how-manieth of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Said {
    number: u64,
    version: u64,
}

impl Said {
    fn of(child: u64, index: u64, version: u64) -> Said {
        Said { number: child << 20 | index, version }
    }

    fn bytes(self) -> Vec<u8> {
        let length = match (self.number >> 20, self.number % 16) {
            (COMMON, 0) => 5_000_000,
            (COMMON, _) => 200_000,
            (_, 0) => 60_000,
            (_, 1..4) => 6_000,
            _ => 200,
        };
        let mut bytes = self.version.to_le_bytes().to_vec();
        bytes.extend(content(self.number << 24 ^ self.version, length));
        bytes
    }

    /// What a store has in the place of a document.
    fn find(self, store: &Store) -> Option<Said> {
        let document = store.get(kind(self.number), &key(self.number)).expect("no error")?;
        let version = document.bytes[..8].try_into().expect("eight bytes");
        let found = Said { number: self.number, version: u64::from_le_bytes(version) };
        assert!(document.bytes == found.bytes(), "{found:?} has another content");
        Some(found)
    }
}

/// What a child does until it is killed; as a test it does nothing.
#[test]
fn writer() {
    let Ok(task) = std::env::var(TASK) else { return };
    let parts: Vec<&str> = task.splitn(3, ' ').collect();
    let number = |index: usize| parts[index].parse::<u64>().expect("a number");
    let (limit, child, folder) = (number(0), number(1), Path::new(parts[2]));
    let settings = Settings { limit, patience: Duration::from_secs(60) };
    let mut store = Store::open(folder, settings).expect("a store");
    let mut random = StdRng::seed_from_u64(child);
    for step in 0u64.. {
        let mut these = vec![Said::of(child, AGAIN + step, 0)];
        if step % 4 == 0 {
            these.push(Said::of(child, step / 4 % AGAIN, step));
        }
        if step % 8 == 7 {
            these.push(Said::of(COMMON, u64::from(limit < u64::MAX), child << 20 | step));
        }
        let bytes: Vec<_> = these.iter().map(|said| said.bytes()).collect();
        let new = |(said, bytes)| {
            let Said { number, .. } = said;
            New { kind: kind(number), key: key(number), about: "x", bytes }
        };
        let new: Vec<_> =
            these.iter().copied().zip(bytes.iter().map(Vec::as_slice)).map(new).collect();
        store.put_all(&new).expect("kept");
        let text: String =
            these.iter().map(|said| format!("\nkept {} {}\n", said.number, said.version)).collect();
        std::io::stdout().write_all(text.as_bytes()).expect("somebody listens");
        match random.random_range(0..40) {
            0 => store = Store::open(folder, settings).expect("a store"),
            1..4 => {
                let other = random.random_range(child.saturating_sub(8)..=child);
                Said::of(other, random.random_range(0..30), 0).find(&store);
            }
            _ => {}
        }
    }
}

fn start(folder: &Folder, limit: u64, child: u64) -> Child {
    Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "writer", "--nocapture"])
        .env(TASK, format!("{limit} {child} {}", folder.path().display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child")
}

/// What a child said, in whole lines only.
fn listen(pipe: ChildStdout) -> Vec<Said> {
    let mut reader = BufReader::new(pipe);
    let (mut all, mut line) = (Vec::new(), String::new());
    while reader.read_line(&mut line).expect("text") > 0 {
        if let Some(numbers) = line.strip_prefix("kept ").and_then(|rest| rest.strip_suffix('\n')) {
            let (number, version) = numbers.split_once(' ').expect("two numbers");
            let [number, version] = [number, version].map(|text| text.parse().expect("a number"));
            all.push(Said { number, version });
        }
        line.clear();
    }
    all
}

#[derive(Debug, Default)]
struct Figures {
    kills: u64,
    /// Kills of children that had kept something.
    writing: u64,
    /// Documents that children said were kept.
    said: u64,
    /// How many of them were asked for and there; removal leaves some.
    found: u64,
    /// Rounds that left a write-ahead file, to be read by whoever opens next.
    left_over: u64,
}

/// Starts some writers, kills each at a moment of its own, and returns what they said.
fn round(folder: &Folder, limit: u64, random: &mut StdRng, figures: &mut Figures) -> Vec<Said> {
    let begun = Instant::now();
    let first = figures.kills;
    let mut children: Vec<(Duration, Child)> = (first..first + WRITERS)
        .map(|child| {
            let moment = Duration::from_micros(random.random_range(0..400_000));
            (moment, start(folder, limit, child))
        })
        .collect();
    let pipe = |(_, child): &mut (Duration, Child)| child.stdout.take().expect("a pipe");
    let pipes: Vec<_> = children.iter_mut().map(pipe).collect();
    let listeners: Vec<_> =
        pipes.into_iter().map(|pipe| std::thread::spawn(move || listen(pipe))).collect();
    children.sort_by_key(|(moment, _)| *moment);
    for (moment, child) in &mut children {
        std::thread::sleep(moment.saturating_sub(begun.elapsed()));
        child.kill().expect("killed");
        let status = child.wait().expect("dead");
        let mut complaint = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut complaint).expect("text");
        assert_eq!(status.code(), None, "a child ended by itself: {complaint}");
        figures.kills += 1;
    }
    let said: Vec<_> = listeners.into_iter().map(|one| one.join().expect("no panic")).collect();
    figures.writing += said.iter().filter(|all| !all.is_empty()).count() as u64;
    figures.left_over += u64::from(folder.names().contains(&"cairn.sqlite-wal".to_owned()));
    said.into_iter().flatten().collect()
}

/// So many kills on one store: nothing is lost that was said, and nothing is damaged.
fn nothing_is_lost(kills: u64) {
    let folder = Folder::new();
    let mut random = StdRng::seed_from_u64(kills);
    let mut figures = Figures::default();
    let mut kept: HashMap<u64, u64> = HashMap::new();
    while figures.kills < kills {
        let said = round(&folder, u64::MAX, &mut random, &mut figures);
        figures.said += said.len() as u64;
        kept.extend(said.iter().map(|said| (said.number, said.version)));
        let store = folder.open_with(u64::MAX, Duration::from_secs(5));
        assert!(store.take_notices().is_empty());
        assert_eq!(store.verify().expect("read"), []);
        figures.found += said.len() as u64;
        let numbers: BTreeSet<u64> = said.iter().map(|said| said.number).collect();
        numbers.into_iter().for_each(|number| check(&store, number, kept[&number]));
    }
    let store = folder.open();
    kept.iter().for_each(|(&number, &version)| check(&store, number, version));
    let documents = store.list(&Filter::default()).expect("read").len();
    println!("{figures:?}, {} documents of {documents} in the end", kept.len());
    assert!(figures.writing > kills / 4 && documents >= kept.len());
    assert!(!folder.names().iter().any(|name| name.contains("damaged")));
}

/// A later version may have been kept without being said, and what all write may be anybody's.
fn check(store: &Store, number: u64, version: u64) {
    let found = Said { number, version }.find(store);
    let fits = |found: Said| found.version >= version || number >> 20 == COMMON;
    assert!(found.is_some_and(fits), "{number} {version}: {found:?}");
}

/// The same while documents are removed: the store is whole and below its limit.
fn nothing_is_damaged_by_removal(kills: u64) {
    let folder = Folder::new();
    let limit = 600_000;
    let mut random = StdRng::seed_from_u64(kills);
    let mut figures = Figures::default();
    while figures.kills < kills {
        let said = round(&folder, limit, &mut random, &mut figures);
        figures.said += said.len() as u64;
        let store = folder.open_with(limit, Duration::from_secs(5));
        assert!(store.take_notices().is_empty());
        assert_eq!(store.verify().expect("read"), []);
        assert!(store.size().expect("read") <= limit);
        // What is still there is what was said.
        figures.found += said.iter().filter(|said| said.find(&store).is_some()).count() as u64;
    }
    println!("{figures:?} with a limit");
}

#[test]
fn a_few_kills() {
    nothing_is_lost(16);
    nothing_is_damaged_by_removal(8);
}

#[test]
#[ignore = "takes minutes"]
fn many_kills() {
    let kills = std::env::var("KILLS").map_or(300, |text| text.parse().expect("a number"));
    nothing_is_lost(kills);
    nothing_is_damaged_by_removal(kills);
}
