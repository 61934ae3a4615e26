//! Pairs of loops and of recursions that are the same for reasons of their own, and what becomes of
//! them when one version is damaged: a constant that is one more or less, a comparison with or without
//! equality, an operator for another. What is proved is the same by execution on all inputs, and most of
//! what nobody damaged is proved. `PAIRS` says how many pairs, `START` the first seed.

use answer::Allowance;
use equivalence::annotation::Annotations;
use equivalence::prove::prove;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::time::Duration;
use truth::{number, read, truth};

mod truth;

/// Bodies of both versions, over `a` and `b` from 0 to 7, with `K` and `L` for constants: what is
/// before the function, and what is in it.
const PAIRS: [[(&str, &str); 2]; 16] = [
    // An index that begins elsewhere.
    [
        ("", "int s = b; for (int i = K; i < a + K; i++) s += i - K; return s;"),
        ("", "int s = b; for (int i = 0; i < a; i++) s += i; return s;"),
    ],
    // Another step.
    [
        ("", "int s = 0; for (int i = 0; i < a; i++) s += K * i; return s;"),
        ("", "int s = 0; for (int i = 0; i < K * a; i += K) s += i; return s;"),
    ],
    // A closed form.
    [("", "int s = L; for (int i = 0; i < a; i++) s += K; return s;"), ("", "return K * a + L;")],
    // From the last to the first.
    [
        ("", "int s = 0; for (int i = 0; i < a; i++) s += K; return s;"),
        ("", "int s = 0; for (int i = a; i > 0; i--) s += K; return s;"),
    ],
    // A first iteration that does nothing.
    [
        ("", "int s = K; for (int i = 0; i <= a; i++) s += i * 2; return s;"),
        ("", "int s = K; for (int i = 1; i <= a; i++) s += i * 2; return s;"),
    ],
    // A last iteration that does nothing, after another loop.
    [
        (
            "",
            "int s = K; for (int i = 0; i < b; i++) s = s * 2 + L; \
             for (int n = a; n >= 0; n--) s += n; return s;",
        ),
        (
            "",
            "int s = K; for (int i = 0; i < b; i++) s = s * 2 + L; \
             for (int n = a; n > 0; n--) s += n; return s;",
        ),
    ],
    // A counter that could wrap around, in a loop that would not end then.
    [
        (
            "",
            "unsigned char t[4] = { 1, K, 3, L }; unsigned char c = 0; \
             while (c < 4 && t[c] != b) c++; return c;",
        ),
        (
            "",
            "unsigned char t[4] = { 1, K, 3, L }; int i = 0; \
             while (i < 4 && t[i] != b) i++; return i;",
        ),
    ],
    // A counter that does wrap around, and what stops the loop is in memory.
    [
        (
            "",
            "unsigned char c = 0; g = 0; do { c += 64; g = g + K; } while (g < 8 * K); return c + a;",
        ),
        (
            "",
            "int i = 0; g = 0; do { i += 64; g = g + K; } while (g < 8 * K); return (i & 255) + a;",
        ),
    ],
    // Two calls at once.
    [
        ("int r(int n) { if (n <= 0) return 0; return r(n - 1) + K; }\n", "return r(a) + b;"),
        (
            "int r(int n) { if (n <= 0) return 0; if (n == 1) return K; return r(n - 2) + 2 * K; }\n",
            "return r(a) + b;",
        ),
    ],
    // What a call gives is never negative.
    [
        (
            "int r(int n) { if (n > 0) n = r(n - 1) + 1; if (n < 0) n = 0; return n; }\n",
            "return r(a - K);",
        ),
        (
            "int r(int n) { if (n > 1) n = r(n - 2) + 2; if (n < 0) n = 0; return n; }\n",
            "return r(a - K);",
        ),
    ],
    // A number that is compared as a float.
    [
        ("", "int s = 0; while (a < K + 0.5) { s += b; a++; } return s;"),
        ("", "int s = 0; while (a <= K) { s += b; a++; } return s;"),
    ],
    // What holds of inputs where one loop is left out.
    [
        (
            "",
            "int s = 0; if (a > K) for (int i = 0; i < b; i++) s += L; \
             if (a <= K) s = L * b; return s;",
        ),
        ("", "int s = 0; for (int i = 0; i < b; i++) s += L; return s;"),
    ],
    // A loop that two ways lead to, of which one says something of inputs.
    [
        (
            "",
            "int s = 0; if (a < K) for (int i = 0; i < b; i++) s += L; \
             for (int j = 0; j < b; j++) s += a < K ? 1 : 2 ; return s;",
        ),
        (
            "",
            "int s = 0; if (a < K) for (int i = 0; i < b; i++) s += L; \
             for (int j = 0; j < b; j++) s += a >= K ? 2 : 1 ; return s;",
        ),
    ],
    // A loop that comes back to where it began, but for memory.
    [
        (
            "",
            "int t[2] = { 0, b }; int c = 0; do { t[0] = t[0] + 1; c = c ^ 1; } \
             while (t[0] < K); return 5 * c + t[0] + t[1];",
        ),
        (
            "",
            "int t[2] = { 0, b }; int c = 0; do { t[0] = t[0] + 1; c = 1 - c; } \
             while (t[0] < K); return 5 * c + t[0] + t[1];",
        ),
    ],
    // An element and a variable.
    [
        (
            "",
            "int t[12]; t[0] = K; int i = 0; while (i < a) { t[i + 1] = t[i] + L; i++; } return t[i];",
        ),
        ("", "int v = K; for (int i = 0; i < a; i++) v = v + L; return v;"),
    ],
    // A loop within a loop.
    [
        (
            "",
            "int s = 0; for (int i = 0; i < a; i++) for (int j = 0; j < K; j++) \
             if (j != b) s += i; return s;",
        ),
        (
            "",
            "int s = 0, n = K; for (int i = 0; i < a; i++) for (int j = 1; j <= n; j++) \
             if (j - 1 != b) s += i; return s;",
        ),
    ],
];

/// Bodies that differ only after some iterations: in each, something holds at first that a proof might
/// rest on.
const DIFFERENT: [[&str; 2]; 3] = [
    // The registers come back to where they began, but memory does not.
    [
        "int t[2] = { 0, 0 }; int c = 0; \
         do { t[0]++; if (c == 1) t[1]++; c = c ^ 1; } while (t[0] < 7); return t[1];",
        "int t[2] = { 0, 0 }; int c = 0; \
         do { t[0]++; if (c == 1) t[1]++; c = c + 1; } while (t[0] < 7); return t[1];",
    ],
    // A counter wraps around, and the loop ends by another one.
    [
        "unsigned char c = 0; int n = 0; while (n < 40 * a) { c += 32; n += 32; } return c;",
        "int c = 0, n = 0; while (n < 40 * a) { c += 32; n += 32; } return c;",
    ],
    // The last of few calls is another one.
    [
        "int s = 0; for (int i = 0; i <= a; i++) s += i == 7 ? b : i; return s;",
        "int s = 0; for (int i = 0; i <= a; i++) s += i; return s;",
    ],
];

#[test]
fn late_differences_are_not_overlooked() {
    for [old, new] in DIFFERENT {
        let whole = |body| format!("int g;\nint f(int a, int b) {{ a &= 7; b &= 7; {body} }}\n");
        let texts = [whole(old), whole(new)];
        let versions = read(&texts);
        assert!(!truth(&versions), "{old}");
        let programs = [0, 1].map(|i| versions[i].lower("f").expect("it can be lowered"));
        let allowance = Allowance::default().within(Duration::from_secs(4));
        let proof = prove(&programs, "f", &Annotations::default(), &allowance);
        assert!(proof.proved.is_none(), "proved: {old} {new}");
    }
}

/// A text with one constant, comparison or operator changed; the same if there is none.
fn damaged(text: &str, random: &mut StdRng) -> String {
    let tokens: Vec<&str> = text.split_inclusive(' ').collect();
    let changed = |token: &str| -> Option<String> {
        let word = token.trim_end_matches([' ', ';', ')', ',']);
        let rest = &token[word.len()..];
        let other = match word {
            "<" => "<=",
            "<=" => "<",
            ">" => ">=",
            ">=" => ">",
            "!=" => "==",
            "+" => "-",
            "-" => "+",
            "+=" => "-=",
            _ => {
                let value: u32 = word.parse().ok()?;
                return Some(format!("{}{rest}", value + 1));
            }
        };
        Some(format!("{other}{rest}"))
    };
    let places: Vec<usize> =
        (0..tokens.len()).filter(|at| changed(tokens[*at]).is_some()).collect();
    if places.is_empty() {
        return text.to_owned();
    }
    let place = places[random.random_range(0..places.len())];
    let mut tokens: Vec<String> = tokens.into_iter().map(str::to_owned).collect();
    tokens[place] = changed(&tokens[place]).expect("the place was chosen for it");
    tokens.concat()
}

#[test]
fn damaged_loops_are_not_proved() {
    let (start, pairs) = (number("START", 0), number("PAIRS", 96));
    let (mut intact, mut proved_intact, mut different) = (0, 0, 0);
    for seed in start..start + pairs {
        let mut random = StdRng::seed_from_u64(seed);
        let constants = [0, 1].map(|_| random.random_range(2..6).to_string());
        let damage = seed % 3 != 0;
        let side = random.random_range(0..2);
        let pair = PAIRS[(seed / 3) as usize % PAIRS.len()];
        let mut text = |number: usize| {
            let (before, body) = pair[number];
            let body = format!("{body} ").replace('K', &constants[0]).replace('L', &constants[1]);
            let before = before.replace('K', &constants[0]);
            let (before, body) = match damage && number == side {
                true if !before.is_empty() => (damaged(&before, &mut random), body),
                true => (before, damaged(&body, &mut random)),
                false => (before, body),
            };
            format!("int g;\n{before}int f(int a, int b)\n{{\n  a &= 7; b &= 7;\n  {body}\n}}\n")
        };
        let texts = [text(0), text(1)];
        let versions = read(&texts);
        let programs = [0, 1].map(|i| versions[i].lower("f").expect("it can be lowered"));
        let allowance = Allowance::default().within(Duration::from_secs(4));
        let proof = prove(&programs, "f", &Annotations::default(), &allowance);
        let equal = truth(&versions);
        let proved = proof.proved.is_some();
        assert!(equal || !proved, "seed {seed}: proved:\n{}\n{}", texts[0], texts[1]);
        if !damage {
            assert!(equal, "seed {seed}: not the same:\n{}\n{}", texts[0], texts[1]);
            intact += 1;
            proved_intact += u64::from(proved);
        }
        different += u64::from(!equal);
    }
    assert!(
        proved_intact * 10 >= intact * 7,
        "{proved_intact} of {intact} intact pairs are proved"
    );
    assert!(different * 3 >= pairs, "{different} of {pairs} pairs are different");
    println!("{proved_intact} of {intact} intact pairs proved, {different} of {pairs} different");
}
