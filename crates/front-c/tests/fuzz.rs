//! Mutated programs for as long as one likes: no panic, no hang, no memory blow-up.
//!
//! ```text
//! SECONDS=600 cargo test --release -p cairn-front-c --test fuzz -- --ignored
//! ```
//!
//! `SEED` chooses another sequence. Bytes are changed, and words are exchanged, repeated, removed and
//! taken from other programs. What is still a program is lowered, with all checks. The targets in
//! `fuzz/` do the same guided by coverage.

mod gcc;
#[path = "lowering/texts.rs"]
mod texts;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// No small program takes longer, on any machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// No small program takes more memory, in kilobytes.
const MEMORY: u64 = 2_000_000;

/// Bytes that mean something to a lexer.
const PUNCTUATION: &[u8] = b"(){}[];,*&\"'\\#0x.eL\n";

/// Numbers without a pattern (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Words, numbers and punctuation, with the spaces that follow.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut begin = 0;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        let joins = (is_word(last) && is_word(c)) || c.is_whitespace();
        if at > begin && !joins {
            words.push(&text[begin..at]);
            begin = at;
        }
        last = c;
    }
    words.push(&text[begin..]);
    words
}

/// Exchanges, repeats, removes and inserts words.
fn mutate_words<'t>(words: &mut Vec<&'t str>, others: &[&'t str], numbers: &mut Numbers) {
    for _ in 0..1 + numbers.below(8) {
        let at = numbers.below(words.len());
        match numbers.below(7) {
            0 if words.len() > 1 => drop(words.remove(at)),
            1 => words[at] = words[numbers.below(words.len())],
            2 => words[at] = others[numbers.below(others.len())],
            3 => words.insert(at, others[numbers.below(others.len())]),
            4 => {
                let with = numbers.below(words.len());
                words.swap(at, with);
            }
            5 => {
                let from = numbers.below(others.len());
                let to = (from + numbers.below(30)).min(others.len());
                words.splice(at..at, others[from..to].iter().copied());
            }
            _ => {
                let end = (at + 1 + numbers.below(6)).min(words.len());
                let piece = words[at..end].repeat(1 + numbers.below(200));
                words.splice(at..at, piece);
            }
        }
    }
}

fn mutate_bytes(bytes: &mut [u8], numbers: &mut Numbers) {
    for _ in 0..1 + numbers.below(6) {
        let at = numbers.below(bytes.len());
        bytes[at] = match numbers.below(3) {
            0 => numbers.next() as u8,
            1 => bytes[at] ^ (1 << numbers.below(8)),
            _ => PUNCTUATION[numbers.below(PUNCTUATION.len())],
        };
    }
}

/// The most memory that this process had, where the system says.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn fuzz(duration: Duration, seed: u64) -> u64 {
    let prelude = include_str!("interpreter/prelude.c");
    let texts: Vec<String> = (texts::TEXTS.iter().map(|(_, text)| *text))
        .chain([prelude])
        .flat_map(|text| text.split("\n----\n"))
        .map(|text| text.replace("\n? ", "\n!"))
        .collect();
    let all: Vec<Vec<&str>> = texts.iter().map(|text| words(text)).collect();
    let mut numbers = Numbers(seed);
    let end = Instant::now() + duration;
    let mut count = 0;
    while Instant::now() < end {
        let mut chosen = all[numbers.below(all.len())].clone();
        let others = &all[numbers.below(all.len())];
        if numbers.below(4) > 0 {
            mutate_words(&mut chosen, others, &mut numbers);
        }
        let mut bytes = chosen.concat().into_bytes();
        if numbers.below(4) == 0 {
            mutate_bytes(&mut bytes, &mut numbers);
        }
        let model = gcc::MODELS[numbers.below(2)];
        let begin = Instant::now();
        let survived = catch_unwind(AssertUnwindSafe(|| gcc::survives(&bytes, model)));
        let text = || String::from_utf8_lossy(&bytes).into_owned();
        assert!(survived.is_ok(), "{model:?} panics:\n{}", text());
        assert!(begin.elapsed() < PATIENCE, "{model:?} hangs:\n{}", text());
        assert!(peak().is_none_or(|peak| peak < MEMORY), "{model:?} memory:\n{}", text());
        count += 1;
    }
    count
}

#[test]
fn a_few_mutated_programs_survive() {
    fuzz(Duration::from_secs(3), 1);
}

#[test]
#[ignore = "takes as long as one likes; see the head of this file"]
fn long_run() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let seconds = number("SECONDS", 600);
    let count = fuzz(Duration::from_secs(seconds), number("SEED", 7));
    eprintln!("{count} programs in {seconds} s");
}
