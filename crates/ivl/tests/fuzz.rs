//! Damaged texts are read or refused, never anything else.

mod support;

use front_c::types::DataModel;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use source::SourceMap;

/// Reads bytes; if they are a program, it comes back.
fn survives(bytes: &[u8]) -> bool {
    let mut sources = SourceMap::new();
    let file = sources.add("fuzz.ivl", bytes).expect("a small text");
    match ivl::read(&sources, file) {
        Ok(program) => {
            program::wellformed::check(&program).expect("what is read is well-formed");
            let text = ivl::print(&program);
            assert_eq!(ivl::print(&support::reread(&text)), text);
            true
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            errors.iter().for_each(|error| assert!(!error.render(&sources).is_empty()));
            false
        }
    }
}

/// Pieces of the language.
const PIECES: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ":=",
    ":",
    ",",
    "->",
    "@",
    "&",
    "-",
    "+",
    "<u",
    "?",
    "#1",
    "::",
    "`",
    "\"",
    "\\",
    "0",
    "1",
    "0x",
    "18446744073709551616",
    "-1",
    "1e9999",
    "bv8",
    "bv65536",
    "fp2_2",
    "float",
    "double",
    "nan",
    "inf",
    "true",
    "let",
    "in",
    "all",
    "element",
    "real(1/0)",
    "int",
    "x",
    "main",
    "exit",
    "stop",
    "goto",
    "var",
    "function",
    "object",
    "source none",
    "pointers bv8",
    "at 0",
    "at 0xffffffffffffffff",
    "align 0",
    "any",
    "load",
    "call",
    "\u{e9}",
    "\n",
    "zext8(",
    "sext64(",
    "bits(",
    "fp.rem(",
    "[7:0]",
    "[4294967295:0]",
    "loop",
    "label",
];

fn damaged(random: &mut StdRng, text: &[u8]) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..=bytes.len());
        let end = (at + random.random_range(0..20)).min(bytes.len());
        match random.random_range(0..6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 if at < bytes.len() => bytes[at] = random.random(),
            3 => {
                let copy = bytes[at..end].to_vec();
                let to = random.random_range(0..=bytes.len());
                drop(bytes.splice(to..to, copy));
            }
            _ => {
                let piece = PIECES.choose(random).expect("pieces");
                drop(bytes.splice(at..end.min(at + 3), piece.bytes()));
            }
        }
    }
    bytes
}

#[test]
fn damaged_texts_do_not_panic() {
    let rounds = std::env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(4000);
    let mut random = StdRng::seed_from_u64(1);
    let c = "extern int __VERIFIER_nondet_int(void); int a[3] = {1, 2}; double d = 1.5;
             int main(void) { int i = __VERIFIER_nondet_int(), *p = a;
             while (i < 3) { p[i] = i; i++; if (d > i) d /= 3; } return a[0]; }";
    let mut texts = vec![ivl::print(&support::lowered(c, DataModel::Ilp32))];
    texts.extend((0..8).map(|seed| ivl::print(&support::random::program(seed))));
    let mut accepted = 0;
    for _ in 0..rounds {
        let text = texts.choose(&mut random).expect("texts");
        accepted += u32::from(survives(&damaged(&mut random, text.as_bytes())));
    }
    assert!(accepted > rounds / 100, "{accepted} of {rounds} were accepted");
}

#[test]
fn every_beginning_of_a_text_is_survived() {
    let text = ivl::print(&support::random::program(3));
    let step = (text.len() / 400).max(1);
    for end in (0..text.len()).step_by(step) {
        survives(&text.as_bytes()[..end]);
    }
}

#[test]
fn pieces_without_order_are_survived() {
    let mut random = StdRng::seed_from_u64(2);
    for _ in 0..2000 {
        let count = random.random_range(0..30);
        let pieces: Vec<&str> =
            (0..count).map(|_| *PIECES.choose(&mut random).expect("pieces")).collect();
        survives(format!("function main() {{ {} }}", pieces.join(" ")).as_bytes());
        survives(pieces.join(" ").as_bytes());
    }
}
