//! Mutated texts for as long as one likes: no panic, no hang.
//!
//! ```text
//! SECONDS=600 cargo test --release -p cairn-front-st --test fuzz -- --ignored --nocapture
//! ```
//!
//! `SEED` chooses another sequence. Bytes are changed, and words are exchanged, repeated, removed and
//! taken from other texts. What is still accepted is printed and read again. The target `st` in
//! `fuzz/` does the same guided by coverage.

mod kit;

use front_st::dialect::Dialect;
use kit::{Numbers, again, read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// No small text takes longer, on any machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Texts that have something of everything.
const TEXTS: [&str; 5] = [
    include_str!("texts/everything.st"),
    include_str!("texts/block.scl"),
    include_str!("texts/ladder.xml"),
    include_str!("texts/chart.xml"),
    include_str!("texts/pou.TcPOU"),
];

/// Bytes that mean something to a lexer.
const PUNCTUATION: &[u8] = b"(){}[];:=,.#%'\"$^*/<>&_@0Te\n";

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

fn mutate_words<'t>(words: &mut Vec<&'t str>, others: &[&'t str], numbers: &mut Numbers) {
    for _ in 0..1 + numbers.below(8) {
        let at = numbers.below(words.len());
        match numbers.below(6) {
            0 if words.len() > 1 => drop(words.remove(at)),
            1 => words[at] = words[numbers.below(words.len())],
            2 => words[at] = others[numbers.below(others.len())],
            3 => words.insert(at, others[numbers.below(others.len())]),
            4 => {
                let from = numbers.below(others.len());
                let to = (from + numbers.below(30)).min(others.len());
                words.splice(at..at, others[from..to].iter().copied());
            }
            _ => {
                let end = (at + 1 + numbers.below(6)).min(words.len());
                let piece = words[at..end].repeat(1 + numbers.below(400));
                words.splice(at..at, piece);
            }
        }
    }
}

fn fuzz(duration: Duration, seed: u64) -> (u64, u64) {
    let all: Vec<Vec<&str>> = TEXTS.iter().map(|text| words(text)).collect();
    let mut numbers = Numbers(seed);
    let end = Instant::now() + duration;
    let (mut count, mut accepted) = (0, 0);
    while Instant::now() < end {
        let mut chosen = all[numbers.below(all.len())].clone();
        let others = &all[numbers.below(all.len())];
        if numbers.below(4) > 0 {
            mutate_words(&mut chosen, others, &mut numbers);
        }
        let mut bytes = chosen.concat().into_bytes();
        if numbers.below(3) == 0 {
            for _ in 0..1 + numbers.below(4) {
                let at = numbers.below(bytes.len());
                bytes[at] = match numbers.below(2) {
                    0 => numbers.next() as u8,
                    _ => PUNCTUATION[numbers.below(PUNCTUATION.len())],
                };
            }
        }
        let dialect = [None, Some(Dialect::Iec), Some(Dialect::Scl)][numbers.below(3)];
        let begin = Instant::now();
        let survived = catch_unwind(AssertUnwindSafe(|| {
            let unit = read(&bytes, "fuzz.st", dialect);
            let xml = bytes.trim_ascii_start().starts_with(b"<");
            if let (Ok(unit), false) = (&unit, xml) {
                again(unit);
            }
            unit.is_ok()
        }));
        let text = || String::from_utf8_lossy(&bytes).into_owned();
        match survived {
            Ok(true) => accepted += 1,
            Ok(false) => {}
            Err(_) => panic!("panics ({dialect:?}):\n{}", text()),
        }
        assert!(begin.elapsed() < PATIENCE, "hangs:\n{}", text());
        count += 1;
    }
    (count, accepted)
}

#[test]
fn a_few_mutated_texts_survive() {
    let (count, accepted) = fuzz(Duration::from_secs(3), 1);
    assert!(count > 0 && accepted > 0);
}

#[test]
fn deep_and_long_texts_survive() {
    let program = |code: String| format!("PROGRAM p {code} END_PROGRAM");
    let long = 100_000;
    let cases = [
        program(format!("x := {}1{};", "(".repeat(long), ")".repeat(long))),
        program(format!("x := {}1;", "NOT ".repeat(long))),
        program(format!("x := {}1;", "1 + ".repeat(long))),
        program(format!("x := a{};", ".b".repeat(long))),
        program(format!("x := a{};", "[1]".repeat(long))),
        program("IF a THEN ".repeat(long)),
        program("CASE a OF 1: ".repeat(long)),
        program("(* ".repeat(long)),
        program("VAR x : STRUCT ".repeat(long)),
        program(format!("VAR x : {} INT; END_VAR", "ARRAY[0..1] OF ".repeat(long))),
        program("x".repeat(long)),
        program("x; ".repeat(long)),
        program("END_IF ".repeat(long)),
        format!("{}{}", "NAMESPACE a ".repeat(long), "END_NAMESPACE ".repeat(long)),
        "<a>".repeat(long),
        "<project>".to_owned() + &"<pou name='x' pouType='program'>".repeat(5000),
    ];
    for case in cases {
        let begin = Instant::now();
        let _ = read(case.as_bytes(), "deep.st", None);
        assert!(begin.elapsed() < PATIENCE, "{}", &case[..60]);
    }
}

#[test]
#[ignore = "takes as long as one likes; see the head of this file"]
fn long_run() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let seconds = number("SECONDS", 600);
    let (count, accepted) = fuzz(Duration::from_secs(seconds), number("SEED", 7));
    eprintln!("{count} texts in {seconds} s, {accepted} accepted");
}
