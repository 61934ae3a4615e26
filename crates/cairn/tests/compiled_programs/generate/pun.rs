//! Bytes and bits of objects: unions, copies between types, bit-fields, conversions.

use super::{Writer, with};

/// A few objects seen in two ways.
pub fn part(w: &mut Writer<'_>) {
    for _ in 0..w.below(2) + 1 {
        match w.below(5) {
            0 => words(w),
            1 => fields(w),
            2 => copies(w),
            3 => conversions(w),
            _ => overlay(w),
        }
    }
}

/// A union of numbers of different widths.
fn words(w: &mut Writer<'_>) {
    w.global(
        "word",
        "union @word { unsigned u; int i; unsigned char b[4]; unsigned short h[2]; signed char c[4]; };",
    );
    let word = w.name("word");
    let place = w.pick(&["union @word $W;", "static union @word $W;"]);
    w.line(&with(place, &[("W", &word)]));
    let start = w.pick(&["0", "0x01020304u", "0xff00ff00u", "0x7fffu"]);
    w.line(&format!("{word}.u = {start};"));
    for _ in 0..w.below(3) + 1 {
        let (value, byte, half) = (w.operand(), w.index(4), w.index(2));
        let text = w.pick(&[
            "$W.b[$B] = $V;",
            "$W.h[$H] += $V;",
            "$W.c[$B] = -($V);",
            "$W.i = $V - 3;",
            "$W.u ^= (unsigned)($V) << 8;",
            "$W.b[$B] = $W.b[3 - $B];",
            "{ unsigned char *p = (unsigned char *)&$W + $B; *p = *p + 1; }",
        ]);
        w.act(&with(text, &[("W", &word), ("B", &byte), ("H", &half), ("V", &value)]));
    }
    let (byte, half) = (w.index(4), w.index(2));
    let look = w.pick(&[
        "$W.b[$B]",
        "$W.h[$H]",
        "$W.c[$B] * 2",
        "$W.i >> 8 & 255",
        "(int)($W.u >> 16) - $W.b[0]",
        "$W.i < 0",
        "((const unsigned char *)&$W)[$B] ^ $W.c[3]",
    ]);
    w.observe(&with(look, &[("W", &word), ("B", &byte), ("H", &half)]));
}

/// A structure of bit-fields that fill a word, and that word.
fn fields(w: &mut Writer<'_>) {
    let (first, second) = (w.below(7) + 2, w.below(9) + 1);
    let third = 32 - first - second;
    let kinds =
        [w.pick(&["int", "unsigned"]), w.pick(&["int", "unsigned"]), w.pick(&["int", "unsigned"])];
    w.global(
        "bits",
        &format!(
            "struct @bits {{ {} x : {first}; {} y : {second}; {} z : {third}; }};\n\
             union @both {{ struct @bits f; unsigned word; unsigned char b[4]; }};",
            kinds[0], kinds[1], kinds[2]
        ),
    );
    let bits = w.name("bits");
    let start = w.pick(&["0", "0x12345678u", "0xffffffffu"]);
    w.line(&format!("union @both {bits};"));
    w.line(&format!("{bits}.word = {start};"));
    for _ in 0..w.below(4) + 1 {
        let value = w.expression(1);
        let text = w.pick(&[
            "$B.f.x = $V;",
            "$B.f.y = $V;",
            "$B.f.z = $V;",
            "$B.f.x++;",
            "$B.f.y += 3;",
            "$B.f.z = $B.f.x - $B.f.y;",
            "{ struct @bits copy = $B.f; copy.y ^= $V & 1; copy.z = copy.x; $B.f = copy; }",
            "$B.b[1] = $V;",
        ]);
        w.act(&with(text, &[("B", &bits), ("V", &value)]));
    }
    let look = w.pick(&[
        "$B.f.x * 4 + $B.f.y",
        "$B.f.x < $B.f.y",
        "(int)($B.f.z & 255)",
        "(int)($B.word & 1023)",
        "$B.b[2] - $B.f.x",
        "$B.f.y == -1",
    ]);
    w.observe(&with(look, &[("B", &bits)]));
}

/// Copies of the bytes of one type to another.
fn copies(w: &mut Writer<'_>) {
    let (from, to, i) = (w.name("from"), w.name("to"), w.name("i"));
    let (value, byte) = (w.expression(1), w.index(4));
    let names = [("F", &*from), ("T", &*to), ("I", &*i), ("V", &value), ("B", &byte)];
    let text = w.pick(&[
        "int $F = $V; unsigned char $T[4]; memcpy($T, &$F, 4);",
        "short $F[2] = {$V, 77}; unsigned char $T[4]; memcpy($T, $F, sizeof $F);",
        "float $F = $V; unsigned char $T[4]; memcpy($T, &$F, sizeof $T);",
        "struct { char a; short b; } $F = {$V, 300}; unsigned char $T[4] = {0}; \
         memcpy($T, &$F, 1); memcpy($T + 2, (char *)&$F + 2, 2);",
        "long $F = $V; unsigned char $T[4]; for (int $I = 0; $I < 4; $I++) $T[$I] = $F >> 8 * $I;",
    ]);
    w.line(&with(text, &names));
    let back = w.name("back");
    let look = w.pick(&[
        "$T[$B]",
        "$T[0] + $T[1] * 2 - $T[3]",
        "$T[3] & 128 ? $T[$B] : -1",
        "memcmp($T, &$F, 1) == 0",
    ]);
    w.observe(&with(look, &names));
    if w.once_in(2) {
        w.line(&with("$T[$B & 1] ^= 3;", &names));
        w.line(&format!("unsigned {back}; memcpy(&{back}, {to}, 4);"));
        w.observe(&format!("(int)({back} >> 4 & 4095)"));
    }
}

/// Chains of conversions of one number.
fn conversions(w: &mut Writer<'_>) {
    let types =
        ["signed char", "unsigned char", "short", "unsigned short", "unsigned", "long", "_Bool"];
    let mut value = format!("{} * {}", w.operand(), w.pick(&["37", "100", "-130", "255", "1000"]));
    for _ in 0..w.below(3) + 1 {
        let (ty, change) = (w.pick(&types), w.number(1, 90));
        value = format!("({ty})({value} - {change})");
    }
    let last = w.pick(&[
        "(int)($X & 1023)",
        "($X < $Y)",
        "(int)($X >> 2 & 255)",
        "(short)$X % 50",
        "($X == ($T)$X)",
    ]);
    let (other, ty) = (w.operand(), w.pick(&types));
    w.observe(&with(last, &[("X", &value), ("Y", &other), ("T", ty)]));
}

/// A union of structures with a tag.
fn overlay(w: &mut Writer<'_>) {
    w.global(
        "shape",
        "struct @circle { short tag; short radius; };
struct @box { short tag; signed char width, height; };
union @shape { short tag; struct @circle circle; struct @box box; int all; };
static int @size(const union @shape *s) {
  switch (s->tag) {
    case 0: return s->circle.radius * 3;
    case 1: return s->box.width * s->box.height;
    default: return s->all & 63;
  }
}",
    );
    let shape = w.name("shape");
    let (value, other, tag) = (w.operand(), w.operand(), w.index(3));
    let names = [("S", &*shape), ("V", &*value), ("W", &*other), ("K", &*tag)];
    let start = w.pick(&[
        "union @shape $S = {.circle = {0, $V}};",
        "union @shape $S = {.box = {1, $V, $W}};",
        "union @shape $S; $S.all = 0x30201 + $V;",
    ]);
    w.line(&with(start, &names));
    for _ in 0..w.below(2) + 1 {
        let text = w.pick(&[
            "$S.tag = $K;",
            "$S.circle.radius += $V * 100;",
            "$S.box.height = $W;",
            "{ union @shape t = $S; t.box.width++; $S = t; }",
        ]);
        w.act(&with(text, &names));
    }
    w.observe(&format!("@size(&{shape})"));
    w.observe(&with("$S.circle.radius - $S.box.width", &names));
}
