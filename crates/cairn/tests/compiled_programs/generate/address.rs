//! Addresses: what is the same wherever objects lie, and what is not.
//!
//! Addresses of one object, and whether two living objects are one, are known; the order of
//! objects, whether one ends where another begins, and whether a block gets the address of one that
//! was freed are not, and only programs that ask so are said to look at addresses.

use super::{Writer, with};

/// Objects, and questions about their addresses.
pub fn part(w: &mut Writer<'_>) {
    let objects = objects(w);
    let array = w.name("a");
    let elements = [w.operand(), w.operand(), w.number(0, 5), w.number(0, 5)].join(", ");
    w.line(&format!("int {array}[4] = {{{elements}}};"));
    let depends = w.once_in(2);
    for _ in 0..w.below(2) + 1 {
        known(w, &array, &objects);
    }
    if depends {
        w.addresses = true;
        // Nothing undefined beside what depends on addresses: it would be open who comes to it.
        w.risky = false;
        unknown(w, &array, &objects);
    }
    for object in objects.iter().filter(|object| object.starts_with('h')) {
        w.line(&format!("free({object});"));
    }
}

/// Pointers to three objects of type `int`.
fn objects(w: &mut Writer<'_>) -> Vec<String> {
    w.global("statics", "static int @s1, @s2 = 4;");
    let mut objects = vec!["(&@s1)".to_owned(), "(&@s2)".to_owned()];
    for _ in 0..2 {
        let value = w.operand();
        if w.once_in(2) {
            let name = w.name("x");
            w.line(&format!("int {name} = {value};"));
            objects.push(format!("(&{name})"));
        } else {
            let name = w.name("h");
            w.line(&format!("int *{name} = malloc(sizeof *{name}); *{name} = {value};"));
            objects.push(name);
        }
    }
    objects
}

/// Questions with one answer.
fn known(w: &mut Writer<'_>, array: &str, objects: &[String]) {
    let (p, q, u) = (w.name("p"), w.name("q"), w.name("u"));
    let (i, j, condition) = (w.index(4), w.index(4), w.condition());
    let (x, y) = (w.below(objects.len()), w.below(objects.len()));
    let z = objects[w.below(objects.len())].clone();
    let names = [
        ("A", array),
        ("P", &p),
        ("Q", &q),
        ("U", &u),
        ("I", &i),
        ("J", &j),
        ("C", &condition),
        ("X", &objects[x]),
        ("Y", &objects[y]),
        ("Z", &z),
    ];
    let (before, look) = KNOWN[w.below(KNOWN.len())];
    if !before.is_empty() {
        w.line(&with(before, &names));
    }
    w.observe(&with(look, &names));
}

/// What is written before, and what is asked.
const KNOWN: [(&str, &str); 14] = [
    ("int *$P = &$A[$I], *$Q = &$A[$J];", "($P < $Q) + 2 * ($P == $Q)"),
    ("int *$P = $A + $I; int *$Q = $A + 4;", "$Q - $P"),
    ("", "$X == $Y"),
    ("int *$P = $C ? $X : $Y;", "($P == $X) + 2 * ($P == $Z) + 4 * ($P != $Y)"),
    ("int *$P = $C ? $X : &$A[$I]; *$P = 9;", "*$X + $A[$J] + 20 * ($P == &$A[1])"),
    ("uintptr_t $U = (uintptr_t)&$A[$I];", "(int)($U - (uintptr_t)$A)"),
    ("uintptr_t $U = (uintptr_t)$X ^ 1; int *$P = (int *)($U ^ 1);", "$P == $X ? *$P : -1"),
    (
        "uintptr_t $U = (uintptr_t)$X ^ (uintptr_t)&$A[$I]; int *$P = (int *)($U ^ (uintptr_t)$X);",
        "$P == $A + $J ? *$P : -*$P",
    ),
    (
        "int *$P = $Y, *$Q; unsigned char $U[8]; memcpy($U, &$P, 8); memcpy(&$Q, $U, 8);",
        "*$Q - ($Q == $X)",
    ),
    ("", "((uintptr_t)$X & 3) == 0"),
    (
        "uintptr_t $U = (uintptr_t)$X; _Bool $P = $U < (uintptr_t)$Y, $Q = (uintptr_t)$Y < (uintptr_t)$Z;",
        "$P && $Q && (uintptr_t)$Z < $U",
    ),
    ("uintptr_t $P = (uintptr_t)$X, $Q = (uintptr_t)$Y;", "($P < $Q) + ($Q < $P) + ($P == $Q)"),
    (
        "int **$P = malloc(sizeof *$P); *$P = $C ? $X : $Y; **$P += 2; int *$Q = *$P; free($P);",
        "*$Q",
    ),
    ("long $P = (char *)&$A[$I] - (char *)&$A[$J];", "(int)$P"),
];

/// Questions whose answers depend on where objects lie.
fn unknown(w: &mut Writer<'_>, array: &str, objects: &[String]) {
    let (p, q, u) = (w.name("p"), w.name("q"), w.name("u"));
    let condition = w.condition();
    let (x, y) = (objects[w.below(objects.len())].clone(), objects[w.below(objects.len())].clone());
    let names = [
        ("A", array),
        ("P", &*p),
        ("Q", &*q),
        ("U", &*u),
        ("C", &*condition),
        ("X", &*x),
        ("Y", &*y),
    ];
    let (before, look) = UNKNOWN[w.below(UNKNOWN.len())];
    if !before.is_empty() {
        w.line(&with(before, &names));
    }
    w.observe(&with(look, &names));
}

const UNKNOWN: [(&str, &str); 8] = [
    ("", "(uintptr_t)$X < (uintptr_t)$Y"),
    ("", "$X + 1 == $Y"),
    ("", "(uintptr_t)($A + 4) == (uintptr_t)$X"),
    (
        "int *$P = malloc(4); uintptr_t $U = (uintptr_t)$P; if ($C) free($P); int *$Q = malloc(4);",
        "$U == (uintptr_t)$Q",
    ),
    (
        "int *$P = malloc(8); uintptr_t $U = (uintptr_t)$P; free($P); int *$Q = malloc(4); *$Q = 3;",
        "$U == (uintptr_t)$Q ? *$Q : $U > (uintptr_t)$Q",
    ),
    ("uintptr_t $U = (uintptr_t)$X >> 4;", "(int)($U & 1)"),
    (
        "int *$P = malloc(4), *$Q = malloc(4); *$P = 1; *$Q = $C;",
        "(uintptr_t)$P < (uintptr_t)$Q ? *$P : *$Q",
    ),
    (
        "_Bool $P = (uintptr_t)$X < (uintptr_t)$A, $Q = (uintptr_t)$A < (uintptr_t)$Y;",
        "$P + 2 * $Q",
    ),
];
