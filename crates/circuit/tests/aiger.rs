//! AIGER: round trips, semantics of the sections, and every way a file can be wrong.

use aig::simulate::Words;
use circuit::aiger::{Problem, read, write_ascii, write_binary};
use circuit::random::{self, Random, Shape};
use circuit::{Init, Place, TransitionSystem};
use proptest::prelude::*;

const LARGE: Shape = Shape { inputs: 9, latches: 12, gates: 300, bads: 4, constraints: 3 };

/// The values of all functions under random patterns of inputs and latches, in file order.
fn fingerprint(system: &TransitionSystem) -> Vec<u64> {
    let sources = system.sources().expect("the system is well formed");
    let inputs = system.inputs.len();
    let mut random = Random::new(1);
    let patterns: Vec<u64> = (0..inputs + system.latches.len()).map(|_| random.word()).collect();
    let words = Words::simulate(&system.aig, |k| match sources[k] {
        circuit::Source::Input(i) => patterns[i],
        circuit::Source::Latch(l) => patterns[inputs + l],
    });
    system.roots().map(|e| words.word(e)).collect()
}

fn assert_same(a: &TransitionSystem, b: &TransitionSystem) {
    b.check().expect("a read system is well formed");
    assert_eq!(fingerprint(a), fingerprint(b));
    let names = |s: &TransitionSystem| {
        let signals = [&s.inputs, &s.bads, &s.constraints, &s.outputs]
            .map(|v| v.iter().map(|signal| signal.name.clone()).collect::<Vec<_>>());
        let latches: Vec<_> = s.latches.iter().map(|l| (l.init, l.name.clone())).collect();
        (signals, latches, s.comments.clone())
    };
    assert_eq!(names(a), names(b));
}

#[test]
fn round_trips_in_both_encodings() {
    for seed in 0..400 {
        let mut system = random::system(seed, LARGE);
        if seed % 3 == 0 {
            system.comments = vec!["generated".to_owned(), String::new(), "c".to_owned()];
        }
        let ascii = write_ascii(&system).expect("well formed");
        let binary = write_binary(&system).expect("well formed");
        let from_ascii = read(&ascii).expect("what we write we read");
        let from_binary = read(&binary).expect("what we write we read");
        assert_same(&system, &from_ascii);
        assert_same(&system, &from_binary);
        assert_eq!(write_ascii(&from_ascii).expect("well formed"), ascii);
        assert_eq!(write_ascii(&from_binary).expect("well formed"), ascii);
        assert_eq!(write_binary(&from_ascii).expect("well formed"), binary);
    }
}

/// Gates in any order and variables with gaps: the ascii form shuffled and renumbered means the
/// same.
#[test]
fn order_and_numbering_do_not_matter() {
    for seed in 0..100 {
        let system = random::system(seed, LARGE);
        let ascii = String::from_utf8(write_ascii(&system).expect("well formed")).expect("text");
        let mut random = Random::new(seed);
        let mut lines: Vec<String> = ascii.lines().map(str::to_owned).collect();
        let counts: Vec<usize> =
            lines[0].split(' ').skip(1).map(|n| n.parse().expect("a number")).collect();
        let fixed = 1 + counts[1] + counts[2];
        let body = fixed + counts[3] + counts.get(5).unwrap_or(&0) + counts.get(6).unwrap_or(&0);
        // Every variable moves up to a random place of a larger range, in a random order.
        let mut places: Vec<usize> = (1..=3 * counts[0]).collect();
        for k in (1..places.len()).rev() {
            places.swap(k, random.below(k + 1));
        }
        let moved = |word: &str| -> String {
            let literal: usize = word.parse().expect("a literal");
            let variable = if literal < 2 { 0 } else { places[literal / 2 - 1] };
            (2 * variable + literal % 2).to_string()
        };
        for line in &mut lines[1..body + counts[4]] {
            *line = line.split(' ').map(moved).collect::<Vec<_>>().join(" ");
        }
        for k in (1..counts[4]).rev() {
            lines.swap(body + k, body + random.below(k + 1));
        }
        let maximum = (3 * counts[0]).to_string();
        lines[0] = {
            let mut words: Vec<&str> = lines[0].split(' ').collect();
            words[1] = &maximum;
            words.join(" ")
        };
        let shuffled = lines.join("\n");
        let read_back = read(shuffled.as_bytes()).expect("order is free in ascii files");
        assert_same(&system, &read_back);
    }
}

#[test]
fn sections_and_resets() {
    let file = b"aag 5 1 3 1 1 1 1\n2\n4 10 0\n6 4 1\n8 3 8\n6\n10\n9\n10 2 4\n\
        i0 request\nl2 some name\nb0 bad\nc0 assumed\no0 out\nc\nfirst\n\nlast";
    let system = read(file).expect("a valid file");
    let inits: Vec<Init> = system.latches.iter().map(|l| l.init).collect();
    assert_eq!(inits, [Init::Zero, Init::One, Init::Free]);
    assert_eq!(system.latches[1].next, system.latches[0].state);
    assert_eq!(system.latches[2].next, !system.inputs[0].edge);
    assert_eq!(system.constraints[0].edge, !system.latches[2].state);
    assert_eq!(system.outputs[0].edge, system.latches[1].state);
    assert_eq!(system.bads[0].edge, system.latches[0].next);
    assert_eq!(system.inputs[0].name.as_deref(), Some("request"));
    assert_eq!(system.latches[2].name.as_deref(), Some("some name"));
    assert_eq!(system.constraints[0].name.as_deref(), Some("assumed"));
    assert_eq!(system.comments, ["first", "", "last"]);
}

#[test]
fn outputs_are_bads_where_there_are_no_bads() {
    let system = read(b"aag 1 1 0 2 0\n2\n2\n3\no1 second\n").expect("a valid file");
    assert_eq!(system.bads.len(), 2);
    assert!(system.outputs.is_empty());
    assert_eq!(system.bads[1].name.as_deref(), Some("second"));
    let kept = read(b"aag 1 1 0 1 0 1\n2\n2\n3\n").expect("a valid file");
    assert_eq!((kept.bads.len(), kept.outputs.len()), (1, 1));
}

#[test]
fn line_ends_of_windows_and_none_at_the_end() {
    let system = read(b"aag 3 2 0 1 1\r\n2\r\n4\r\n6\r\n6 2 4\r\ni0 a\r\nc\r\nx").expect("valid");
    assert_eq!(system.inputs[0].name.as_deref(), Some("a"));
    assert_eq!(system.comments, ["x"]);
    read(b"aag 0 0 0 1 0\n0").expect("the last line need not end");
}

/// The example of the format's description: a half adder, in both encodings.
#[test]
fn binary_gates() {
    let ascii = read(b"aag 7 2 0 2 3\n2\n4\n6\n12\n6 13 15\n12 2 4\n14 3 5\n").expect("valid");
    let binary = read(b"aig 5 2 0 2 3\n10\n6\n\x02\x02\x03\x02\x01\x02").expect("valid");
    assert_eq!(fingerprint(&ascii), fingerprint(&binary));
}

/// A file without bads would turn the outputs into bads, so the outputs are left out.
#[test]
fn outputs_never_become_bads_by_writing() {
    let mut system = read(b"aag 1 1 0 1 0 1\n2\n2\n3\n").expect("a valid file");
    system.bads.clear();
    let written = read(&write_ascii(&system).expect("well formed")).expect("valid");
    assert!(written.bads.is_empty());
}

fn problem(file: &[u8]) -> (Place, Problem) {
    let error = read(file).map(|_| ()).expect_err("the file is wrong");
    assert!(!error.to_string().is_empty());
    (error.place, error.problem)
}

fn text(line: usize, column: usize) -> Place {
    Place::Text { line, column }
}

#[test]
fn malformed_headers() {
    use Problem::*;
    assert_eq!(problem(b""), (text(1, 1), NotAiger));
    assert_eq!(problem(b"aigg 0 0 0 0 0"), (text(1, 1), NotAiger));
    assert_eq!(problem(b"aag"), (text(1, 1), NotAiger));
    assert!(matches!(problem(b"aag 1 "), (Place::Text { line: 1, column: 7 }, Truncated(_))));
    assert!(matches!(problem(b"aag 1 x 0 0 0\n"), (_, Unexpected { .. })));
    assert!(matches!(problem(b"aag -1 0 0 0 0\n"), (_, Unexpected { .. })));
    assert!(matches!(problem(b"aag 0 0 0 0 0 0 0 0 0 0\n"), (_, Unexpected { .. })));
    assert!(matches!(
        problem(b"aag 1 1 1 0 0\n"),
        (Place::Text { line: 1, column: 5 }, Maximum { maximum: 1, sum: 2, .. })
    ));
    assert!(matches!(problem(b"aig 3 1 1 0 0\n"), (_, Maximum { maximum: 3, sum: 2, .. })));
    assert!(matches!(problem(b"aag 9999999999 0 0 0 0\n"), (_, NumberTooLarge(_))));
    assert!(matches!(problem(b"aag 99999999999999999999999999 0 0 0 0\n"), (_, NumberTooLarge(_))));
    assert!(matches!(
        problem(b"aag 0 0 0 0 0 0 0 1\n1\n0\n"),
        (Place::Text { line: 1, column: 19 }, Liveness { what: "justice properties", count: 1 })
    ));
    assert!(matches!(
        problem(b"aag 0 0 0 0 0 0 0 0 2\n0\n0\n"),
        (_, Liveness { what: "fairness constraints", count: 2 })
    ));
}

/// Claims without data end at once, whatever is claimed.
#[test]
fn hostile_headers_fail_fast() {
    use Problem::*;
    let most = (1u64 << 31) - 3;
    for (kind, counts) in [("aag", [0, 0, 0, most]), ("aig", [0, 0, 0, most])] {
        for rotation in 0..4 {
            let mut counts = counts;
            counts.rotate_left(rotation);
            let [i, l, o, a] = counts;
            let file = format!("{kind} {} {i} {l} {o} {a}\n", i + l + a);
            let found = problem(file.as_bytes()).1;
            assert!(matches!(found, Truncated(_) | TooManyInputs { .. }), "{file}: {found}");
        }
    }
    let system = read(b"aag 2147483645 1 0 1 0\n4294967290\n4294967291\n").expect("valid, sparse");
    assert_eq!(system.bads[0].edge, !system.inputs[0].edge);
    assert!(read(b"aig 1048576 1048576 0 0 0\n").is_ok());
}

#[test]
fn malformed_ascii_bodies() {
    use Problem::*;
    let cases: &[(&[u8], Place, Problem)] = &[
        (b"aag 1 1 0 0 0\n4\n", text(2, 1), LiteralTooLarge { literal: 4, maximum: 3 }),
        (b"aag 1 1 0 0 0\n3\n", text(2, 1), NotDefinable { what: "an input", literal: 3 }),
        (b"aag 1 0 1 0 0\n0 2\n", text(2, 1), NotDefinable { what: "a latch", literal: 0 }),
        (b"aag 1 0 0 0 1\n3 0 1\n", text(2, 1), NotDefinable { what: "a gate", literal: 3 }),
        (b"aag 2 1 0 1 0\n2\n5\n", text(3, 1), Undefined(5)),
        (b"aag 3 1 1 0 0\n2\n4 6\n", text(3, 3), Undefined(6)),
        (b"aag 3 1 0 0 1\n2\n4 2 7\n", text(3, 5), Undefined(7)),
        (b"aag 3 1 0 0 1\n2\n4 6 2\n", text(3, 3), Undefined(6)),
        (
            b"aag 3 1 1 0 1\n2\n6 6\n2 4 6\n",
            text(4, 1),
            Redefined { variable: 1, literal: 2, first: 2 },
        ),
        (b"aag 2 2 0 0 0\n2\n2\n", text(3, 1), Redefined { variable: 1, literal: 2, first: 2 }),
        (b"aag 1 0 0 0 1\n2 2 1\n", text(2, 1), Cycle(2)),
        (b"aag 3 0 0 0 3\n2 4 1\n4 6 1\n6 3 1\n", text(4, 1), Cycle(6)),
        (b"aag 2 1 1 0 0\n2\n4 2 2\n", text(3, 5), Reset { latch: 4, reset: 2 }),
        (b"aag 2 1 1 0 0\n2\n4 2 5\n", text(3, 5), Reset { latch: 4, reset: 5 }),
        (b"aag 1 1 0 0 0\n2\ni1 x\n", text(3, 1), NoSuchSymbol { kind: 'i', index: 1, count: 1 }),
        (b"aag 0 0 0 0 0\nb0 x\n", text(2, 1), NoSuchSymbol { kind: 'b', index: 0, count: 0 }),
        (b"aag 0 0 0 0 0\nc0 x\n", text(2, 1), NoSuchSymbol { kind: 'c', index: 0, count: 0 }),
        (b"aag 1 1 0 0 0\n2\ni0 x\ni0 y\n", text(4, 1), SymbolTwice { kind: 'i', index: 0 }),
    ];
    for (file, place, expected) in cases {
        let name = String::from_utf8_lossy(file);
        assert_eq!(problem(file), (*place, expected.clone()), "{name}");
    }
    for (file, place) in [
        (&b"aag 1 1 0 0 0\n\n"[..], text(2, 1)),
        (b"aag 1 1 0 0 0\n2 4\n", text(2, 3)),
        (b"aag 1 1 0 0 0\n2x\n", text(2, 2)),
        (b"aag 1 0 1 0 0\n2\n", text(2, 2)),
        (b"aag 1 0 1 0 0\n2 2 0 0\n", text(2, 7)),
        (b"aag 1 0 0 0 1\n2 1\n", text(2, 4)),
        (b"aag 0 0 0 0 0\n2\n", text(2, 1)),
        (b"aag 0 0 0 0 0\nj0 x\n", text(2, 1)),
        (b"aag 1 1 0 0 0\n2\ni0\n", text(3, 3)),
        (b"aag 1 1 0 0 0\n2\nix y\n", text(3, 2)),
    ] {
        let (found, what) = problem(file);
        assert!(matches!(what, Unexpected { .. }), "{what}");
        assert_eq!(found, place, "{}", String::from_utf8_lossy(file));
    }
}

#[test]
fn malformed_binary_bodies() {
    use Problem::*;
    let cases: &[(&[u8], Place, Problem)] = &[
        (b"aig 1 0 1 0 0\n4\n", Place::Byte(14), LiteralTooLarge { literal: 4, maximum: 3 }),
        (b"aig 1 0 1 0 0\n2 3\n", Place::Byte(16), Reset { latch: 2, reset: 3 }),
        (b"aig 1 0 0 0 1\n\x00\x00", Place::Byte(14), NotAbove(2)),
        (b"aig 1 0 0 0 1\n\x03\x00", Place::Byte(14), Difference { difference: 3, from: 2 }),
        (b"aig 1 0 0 0 1\n\x01\x02", Place::Byte(15), Difference { difference: 2, from: 1 }),
        (b"aig 1 0 0 0 1\n\xff\xff\xff\xff\xff\xff", Place::Byte(14), NumberTooLarge(4294967295)),
        (b"aig 1 0 0 0 1\n\x01", Place::Byte(15), Truncated("the code of a gate")),
        (b"aig 1 0 0 0 1\n\x80", Place::Byte(15), Truncated("the code of a gate")),
        (b"aig 1 1 0 2 0\n2\n", Place::Byte(16), Truncated("the literal of an output")),
    ];
    for (file, place, expected) in cases {
        assert_eq!(problem(file), (*place, expected.clone()), "{}", String::from_utf8_lossy(file));
    }
    assert!(matches!(problem(b"aig 1 0 0 0 1\n\x01\x01\x01\x01").1, Unexpected { .. }));
}

/// A long chain of gates, written from the top down: no recursion, no quadratic search.
#[test]
fn deep_chains_of_gates() {
    let length = 300_000;
    let mut file = format!("aag {} 2 0 1 {length}\n2\n4\n{}\n", length + 2, 2 * (length + 2));
    for k in (0..length).rev() {
        let out = 2 * (k + 3);
        // Alternating operands and signs keep the gates from folding away.
        let other = if k % 2 == 0 { 2 } else { 4 };
        file.push_str(&format!("{out} {} {other}\n", if k == 0 { 4 } else { out - 1 }));
    }
    let system = read(file.as_bytes()).expect("a valid file");
    assert_eq!(system.bads.len(), 1);
}

#[test]
fn truncation_is_always_an_error_or_a_valid_file() {
    let system = random::system(11, LARGE);
    for file in [write_ascii(&system), write_binary(&system)] {
        let file = file.expect("well formed");
        for end in 0..file.len() {
            if let Ok(read) = read(&file[..end]) {
                read.check().expect("what is read is well formed");
            }
        }
    }
}

fn damaged(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let system = random::system(seed, LARGE);
    let written = if random.one_in(2) { write_ascii(&system) } else { write_binary(&system) };
    let mut file = written.expect("well formed");
    for _ in 0..1 + random.below(4) {
        let place = random.below(file.len());
        match random.below(3) {
            0 => file[place] = random.word() as u8,
            1 => drop(file.remove(place)),
            _ => file.insert(place, b"0123456789 \nilobc"[random.below(17)]),
        }
    }
    file
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
        for head in [&b"aag 5 1 1 1 2\n"[..], b"aig 4 1 1 1 1 1 1\n"] {
            let _ = read(&[head, &bytes[..]].concat());
        }
    }

    #[test]
    fn damaged_files_never_panic(seed in any::<u64>()) {
        if let Ok(system) = read(&damaged(seed)) {
            system.check().expect("what is read is well formed");
        }
    }
}

#[test]
#[ignore = "takes minutes; run before releases"]
fn damaged_files_never_panic_long() {
    for seed in 0..2_000_000 {
        if let Ok(system) = read(&damaged(seed)) {
            system.check().expect("what is read is well formed");
        }
    }
}
