//! Strings and library functions on them, in small arrays whose rooms are known.

use super::{Writer, with};

/// An array of characters with how long its string can be.
struct Text {
    name: String,
    length: usize,
}

/// How many characters every array has.
const ROOM: usize = 12;

/// A few strings, changed and compared.
pub fn part(w: &mut Writer<'_>) {
    let mut texts = vec![declare(w), declare(w)];
    for _ in 0..w.below(4) + 2 {
        change(w, &mut texts);
    }
    for _ in 0..w.below(2) + 1 {
        look(w, &texts);
    }
    if w.risk() {
        beyond(w, &texts);
    }
    for text in texts.iter().filter(|text| text.name.starts_with('h')) {
        w.line(&format!("free({});", text.name));
    }
}

fn declare(w: &mut Writer<'_>) -> Text {
    let literal = w.pick(&["ab", "abc", "bab", "a", "", "cabb"]);
    let length = literal.len();
    let (name, text) = match w.below(4) {
        0 => (w.name("h"), "char *$S = malloc(12); strcpy($S, \"$L\");"),
        1 => (w.name("s"), "static char $S[12] = \"$L\";"),
        2 => (
            w.name("s"),
            "char $S[12]; memset($S, 0, sizeof $S); memcpy($S, \"$L\", sizeof \"$L\");",
        ),
        _ => (w.name("s"), "char $S[12] = \"$L\";"),
    };
    w.line(&with(text, &[("S", &name), ("L", literal)]));
    Text { name, length }
}

/// Statements: what they do to a string `S` of at most `N` characters, perhaps with another one,
/// `T`. Each comes with the length that `S` has at most then, from both lengths.
type Change = (&'static str, fn(usize, usize) -> usize);

const CHANGES: [Change; 13] = [
    ("strcpy($S, $T);", |s, t| s.max(t)),
    ("strcat($S, $T);", |s, t| s + t),
    ("strcat($S, $C ? \"a\" : \"bc\");", |s, _| s + 2),
    ("strncpy($S, $T, $K); $S[$K] = 0;", |s, _| s.max(4)),
    ("memmove($S, $T, strlen($T) + 1);", |s, t| s.max(t)),
    ("memmove($S + 1, $S, strlen($S) + 1); $S[0] = 'a' + $K;", |s, _| s + 1),
    ("if ($S[0]) memmove($S, $S + 1, strlen($S));", |s, _| s),
    ("$S[0] = 'a' + $K; $S[1] = 0;", |s, _| s.max(1)),
    ("for (char *p = $S; *p; p++) if (*p == 'a' + $K) *p = 'c';", |s, _| s),
    ("{ char *p = strchr($S, 'b'); if (p) *p = 0; }", |s, _| s),
    (
        "{ char *p = $S, *q = $S + strlen($S); while (p < q) { char c = *p; *p++ = *--q; *q = c; } }",
        |s, _| s,
    ),
    ("{ const char *from = $T; char *to = $S; while ((*to++ = *from++)); }", |s, t| s.max(t)),
    ("memset($S, 'a' + $K, 2); $S[2] = 0;", |s, _| s.max(2)),
];

fn change(w: &mut Writer<'_>, texts: &mut [Text]) {
    let (to, from) = (w.below(texts.len()), w.below(texts.len()));
    let (change, longest) = CHANGES[w.below(CHANGES.len())];
    let length = longest(texts[to].length, texts[from].length);
    if length >= ROOM || (to == from && change.contains("$T")) {
        return;
    }
    let (few, condition) = (w.index(3), w.condition());
    let names = [("S", &*texts[to].name), ("T", &texts[from].name), ("K", &few), ("C", &condition)];
    w.act(&with(change, &names));
    texts[to].length = length;
}

fn look(w: &mut Writer<'_>, texts: &[Text]) {
    let (first, second) = (w.below(texts.len()), w.below(texts.len()));
    let (few, at, found) = (w.index(3), w.name("at"), w.name("i"));
    let names = [
        ("S", &*texts[first].name),
        ("T", &texts[second].name),
        ("K", &few),
        ("P", &at),
        ("I", &found),
    ];
    let (before, look) = match w.below(8) {
        0 => ("", "(int)strlen($S)"),
        1 => ("", "(strcmp($S, $T) < 0) + 2 * (strcmp($S, $T) == 0)"),
        2 => ("char *$P = strchr($S, 'a' + $K);", "$P ? $P - $S : -1"),
        3 => ("char *$P = strrchr($S, 'b');", "$P ? (int)strlen($P) : -1"),
        4 => ("", "strncmp($S, $T, 2) > 0"),
        5 => ("", "memcmp($S, $T, 1) == 0 ? $S[0] : (int)strlen($T)"),
        6 => ("char *$P = memchr($S, 'a' + $K, strlen($S));", "$P == $S"),
        _ => ("int $P = 0; for (int $I = 0; $S[$I]; $I++) $P = ($P * 3 + $S[$I]) & 255;", "$P"),
    };
    if !before.is_empty() {
        w.line(&with(before, &names));
    }
    w.observe(&with(look, &names));
}

/// What may be beyond the room, by one character.
fn beyond(w: &mut Writer<'_>, texts: &[Text]) {
    let (text, few) = (texts[w.below(texts.len())].name.clone(), w.index(4));
    let (block, size) = (w.name("block"), w.number(2, 5));
    let names = [("S", &*text), ("B", &*block), ("K", &*few), ("N", &*size)];
    let copy = w.pick(&[
        "char *$B = malloc(strlen($S) + $K); strcpy($B, $S); free($B);",
        "char $B[$N]; strcpy($B, $S);",
        "char $B[$N]; memset($B, 1, $K + 3); strncpy($B, $S, $N);",
        "char $B[$N + 1]; memset($B, 'x', $N); $B[$K + 1] = 0; $B[0] += strlen($B) > 2;",
        "char *$B = $S; while (*$B != 'a') $B++; *$B = 'b';",
        "char $B[6]; memcpy($B, $S, 4 + $K); $B[0]++;",
    ]);
    w.line(&with(copy, &names));
}
