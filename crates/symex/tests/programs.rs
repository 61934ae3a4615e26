//! Small programs in C: verdicts that are known by thought, and runs that the interpreter follows.

use answer::Allowance;
use front_c::compile::{Input, Options, compile};
use front_c::lower::{self, lower};
use front_c::types::DataModel;
use program::interpret::{Interpreter, Outcome};
use program::{Program, Property};
use symex::replay::Player;
use symex::{Verdict, decide};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);
    extern void *malloc(unsigned long); extern void free(void *); extern void reach_error(void);
    void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
    #define assert(c) do { if (!(c)) reach_error(); } while (0)
    ";

fn lowered(text: &str) -> Program {
    lowered_for(text, &[])
}

/// A program with the checks of these properties beside those that every one has.
fn lowered_for(text: &str, properties: &[Property]) -> Program {
    let text = format!("{HEAD}\n{text}");
    let input = Input::Text { name: "test.c".into(), text: text.clone().into_bytes() };
    let compiled = compile(&[input], &Options::new(DataModel::Lp64)).expect("a small text");
    let errors: Vec<String> = compiled.errors().map(|e| e.render(&compiled.sources)).collect();
    let typed =
        compiled.program.as_ref().unwrap_or_else(|| panic!("{}\n{text}", errors.join("\n")));
    // What is asked is about objects that there are.
    let mut options = lower::Options { world: lower::World::SV_COMP, ..lower::Options::default() };
    options.properties.extend(properties);
    let lowered = lower(typed, &compiled.sources, &options);
    lowered.unwrap_or_else(|_| panic!("the program can be lowered")).program
}

/// What symbolic execution says, with one run where it fails.
fn decided(program: &Program, properties: &[Property]) -> Verdict {
    decide(program, properties, false, &Allowance::default(), &smt::Standard, &mut ())
}

/// What symbolic execution says; a run is played to the interpreter.
fn verdict(text: &str, properties: &[Property]) -> &'static str {
    let program = lowered_for(text, properties);
    match decided(&program, properties) {
        Verdict::Safe { formula, proof, .. } => {
            assert_eq!(certify::check_refutation(&program.pool, formula, &proof), Ok(()));
            "safe"
        }
        Verdict::Unsafe(scripts) => {
            let [script] = scripts.try_into().expect("one run where one is asked for");
            let (script, placement) = script.placed(&program);
            let player = Player::new(script);
            let interpreter = Interpreter::new(&program).expect("well-formed");
            let interpreter = interpreter.with_properties(properties).with_placement(placement);
            let outcome = interpreter.watch(&mut player.clone(), &mut player.clone());
            assert!(matches!(outcome, Outcome::Violation { .. }), "{text}: {outcome:?}");
            assert!(!player.has_strayed(), "{text}");
            "unsafe"
        }
        Verdict::Unknown(_) => "unknown",
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(verdict(text, &[Property::Reach, Property::Assert]), expected, "{text}");
}

#[test]
fn paths_meet_again() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(), y = 0;
        if (x > 3) y = 1; else if (x < -3) y = 2; else y = 3;
        switch (y) { case 1: assert(x > 3); break; case 2: assert(x < -3); break;
            default: assert(x >= LOW && x <= 3); } return 0; }";
    check(&text.replace("LOW", "-3"), "safe");
    check(&text.replace("LOW", "-2"), "unsafe");
}

#[test]
fn loops_end_when_they_must() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(), i, s = 0;
        __VERIFIER_assume(n >= 0 && n <= 40); for (i = 0; i < n; i++) s += i;
        assert(s * 2 == n * (n - 1) + HOLE); return 0; }";
    check(&text.replace("HOLE", "0"), "safe");
    check(&text.replace("HOLE", "(n == 39)"), "unsafe");
}

/// Programs stop in loops without an end.
#[test]
fn loops_that_do_nothing() {
    let text = "void stop(void) { STOP: goto STOP; } int x;
        void count(void) { for (;;) x++; }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n > 3) stop();
            if (n == 2) count(); if (n == 1) for (;;) ;
            assert(n != HOLE); return 0; }";
    check(&text.replace("HOLE", "3"), "unsafe");
    for ended in ["1", "2", "4"] {
        check(&text.replace("HOLE", ended), "safe");
    }
}

#[test]
fn recursion_is_followed() {
    let text = "int f(int n) { return n <= 0 ? 0 : n + f(n - 1); }
        int main(void) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n < 9);
            assert(f(n) <= HOLE); return 0; }";
    check(&text.replace("HOLE", "36"), "safe");
    check(&text.replace("HOLE", "35"), "unsafe");
}

#[test]
fn arrays_with_unknown_indices() {
    let text = "struct s { int *p; int a; char c[3]; } t[4]; int z;
        int main(void) { int i = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
        __VERIFIER_assume(i >= 0 && i < 4 && k >= 0 && k < 3);
        for (int j = 0; j < 4; j++) t[j].p = &z;
        t[i].a = 5; t[i].c[k] = 7; *t[i].p = 9; t[(i + 1) % 4].c[k]++;
        assert(t[i].a == 5 && t[i].c[k] == 7 && z == 9 && t[(i + 1) % 4].a == HOLE); return 0; }";
    check(&text.replace("HOLE", "0"), "safe");
    check(&text.replace("HOLE", "(i == 3)"), "unsafe");
}

#[test]
fn bytes_of_words_and_words_of_bytes() {
    let text = "union u { unsigned w; unsigned char b[4]; };
        int main(void) { union u u; unsigned char copy[4]; unsigned back; float f = 1.0f;
        u.w = __VERIFIER_nondet_int(); memcpy(copy, &u, 4); memcpy(&back, copy, 4);
        assert(back == u.w && (u.w & 255) == u.b[0] && copy[3] == u.w >> 24);
        memset(&f, 0, sizeof f); assert(f == HOLE); return 0; }";
    check(&text.replace("HOLE", "0.0f"), "safe");
    check(&text.replace("HOLE", "1.0f"), "unsafe");
}

#[test]
fn calls_through_pointers() {
    let text = "int one(int x) { return x + 1; } int two(int x) { return x + 2; }
        int (*table[2])(int) = {one, two};
        int main(void) { unsigned k = __VERIFIER_nondet_int(); __VERIFIER_assume(k < 2);
            assert(table[k](5) == 6 + HOLE); return 0; }";
    check(&text.replace("HOLE", "(int)k"), "safe");
    check(&text.replace("HOLE", "0"), "unsafe");
}

#[test]
fn lives_of_objects() {
    let text = "int main(void) { int c = __VERIFIER_nondet_int(); int *p = malloc(4);
        *p = 1; if (c) free(p); if (HOLE) *p = 2; return 0; }";
    let pointer = [Property::Pointer, Property::Free];
    assert_eq!(verdict(&text.replace("HOLE", "!c"), &pointer), "safe");
    assert_eq!(verdict(&text.replace("HOLE", "c == 3"), &pointer), "unsafe");
    let twice = "int main(void) { int c = __VERIFIER_nondet_int(); int *p = malloc(4);
        free(p); if (c == 77) free(p); return 0; }";
    assert_eq!(verdict(twice, &pointer), "unsafe");
    let local = "int *keep; void f(void) { int x = 1; keep = &x; }
        int main(void) { f(); return *keep; }";
    assert_eq!(verdict(local, &pointer), "unsafe");
}

#[test]
fn pointers_that_are_copied_from_an_unknown_place() {
    let text = "void f(void) { } struct task { void (*run)(void); int *x; };
        int main(void) { unsigned k = __VERIFIER_nondet_int(); int a = 1, b = 2;
        struct task t[3] = {{f, &a}, {f, &b}, {HOLE, &b}}; t[0] = t[k % 3];
        t[0].run(); return *t[0].x; }";
    assert_eq!(verdict(&text.replace("HOLE", "f"), &[Property::Pointer]), "safe");
    assert_eq!(verdict(&text.replace("HOLE", "0"), &[Property::Pointer]), "unsafe");
}

/// What is written beside a pointer, byte by byte and word by word, may be written into it as far as
/// one can see at once.
#[test]
fn pointers_beside_what_is_written_at_an_unknown_place() {
    let text = "struct cell { unsigned char kind; short b[2]; int a; };
        struct grid { struct cell cells[4]; struct cell *best; };
        void mark(struct grid *g, int at, int value) {
            struct cell *c = &g->cells[at]; c->kind = value; c->b[value & 1]++;
            if (!g->best || c->kind > g->best->kind) g->best = c; }
        int main(void) { struct grid g = {0}; int n = __VERIFIER_nondet_int();
            mark(&g, n & 3, n); mark(&g, n & 1, n + 1); assert(g.best != HOLE); return 0; }";
    check(&text.replace("HOLE", "0"), "safe");
    check(&text.replace("HOLE", "g.cells"), "unsafe");
}

#[test]
fn unwritten_memory_is_one_unknown_value() {
    let text = "int main(void) { int *p = malloc(8); assert(p[0] == p[0]); int k = p[1];
        assert(k == p[1]); assert(p[0] != HOLE); return 0; }";
    check(&text.replace("HOLE", "p[0] + 1"), "safe");
    check(&text.replace("HOLE", "12345"), "unsafe");
}

/// What is read must have been written, on whatever way, wherever, and by whatever copy.
#[test]
fn memory_that_was_written() {
    let fill =
        "int main(void) { int n = __VERIFIER_nondet_int(), a[8], k = __VERIFIER_nondet_int();
        __VERIFIER_assume(n > 0 && n <= 8 && k >= 0 && k HOLE n);
        for (int i = 0; i < n; i++) a[i] = i; return a[k]; }";
    let ways = "int main(void) { int x, *p = &x, c = __VERIFIER_nondet_int();
        if (c > 3) *p = 1; else if (c < 3) *p = 2; if (c HOLE 3) return x; return 0; }";
    let copies = "struct s { int a, b[2]; }; struct s g; int main(void) { struct s t, u;
        int k = __VERIFIER_nondet_int() & 1; t.a = 1; t.b[k] = 2; u = t; memcpy(&g, &u, sizeof g);
        if (k HOLE 0) return 0; return g.a + g.b[1]; }";
    let again = "int main(void) { int s = 0; for (int i = 0; i < 2; i++) { int t[2], *p = t;
        if (i HOLE 2) t[0] = 1; s += p[0]; } return s; }";
    for (text, safe, unsafe_) in
        [(fill, "<", "<="), (ways, "!=", "=="), (copies, "==", "!="), (again, "<", "==")]
    {
        let asked = [Property::Uninitialized, Property::Pointer];
        for properties in [&asked[..1], &asked[..]] {
            let answer = |hole: &str| verdict(&text.replace("HOLE", hole), properties);
            assert_eq!(answer(safe), "safe", "{text}");
            assert_eq!(answer(unsafe_), "unsafe", "{text}");
        }
    }
}

#[test]
fn every_placement() {
    let order = "int a, b; int main(void) { if ((unsigned long)&a HOLE (unsigned long)&b)
        reach_error(); return 0; }";
    for comparison in ["<", ">", "!="] {
        check(&order.replace("HOLE", comparison), "unsafe");
    }
    check(&order.replace("HOLE", "=="), "safe");
    let ends = "int x[2], y; int main(void) { if (x + HOLE == &y) reach_error(); return 0; }";
    check(&ends.replace("HOLE", "2"), "unsafe");
    check(&ends.replace("HOLE", "1"), "safe");
    let reuse = "int main(void) { char *p = malloc(4); unsigned long k = (unsigned long)p; HOLE
        char *q = malloc(4); if ((unsigned long)q == k) reach_error(); return 0; }";
    check(&reuse.replace("HOLE", "free(p);"), "unsafe");
    check(&reuse.replace("HOLE", ""), "safe");
    let aligned =
        "int x; int main(void) { if ((unsigned long)&x & HOLE) reach_error(); return 0; }";
    check(&aligned.replace("HOLE", "3"), "safe");
    check(&aligned.replace("HOLE", "4"), "unsafe");
}

/// Addresses that were computed lead to the objects that they were made of.
#[test]
fn computed_addresses() {
    let tag = "int main(void) { int c = __VERIFIER_nondet_int(); int *a = malloc(4); *a = 3;
        unsigned long t = (unsigned long)a; if (c & 1) t |= 1;
        int *b = (int *)(t & ~HOLE); assert(*b == 3); free(b); return 0; }";
    let links = "int main(void) { int x = 1, y = 2, c = __VERIFIER_nondet_int();
        unsigned long both = (unsigned long)&x ^ (unsigned long)&y;
        int *q = c ? &x : &y, *p = (int *)(both ^ (unsigned long)q);
        *p += 4; assert(x + y == 7 && *p == (c ? 6 : HOLE)); return 0; }";
    let hash = "int x, y, *table[4];
        int main(void) { unsigned i = (unsigned long)&x >> 4 & 3, k = (unsigned long)&y >> 4 & 3;
        table[i] = &x; table[k] = &y; assert(table[i] == &x HOLE); return 0; }";
    let all = [Property::Reach, Property::Assert, Property::Pointer];
    for (text, safe, unsafe_) in
        [(tag, "1ul", "4ul"), (links, "5", "6"), (hash, "|| i == k", "|| i + k == 99")]
    {
        assert_eq!(verdict(&text.replace("HOLE", safe), &all), "safe", "{text}");
        let broken = text.replace("HOLE", unsafe_);
        // A mask that leaves the tag gives an address in the object, but not its beginning.
        assert_eq!(verdict(&broken, &all), "unsafe", "{text}");
    }
}

/// A pointer from outside may be null; what else it may be is not known.
#[test]
fn pointers_from_outside() {
    let text = "extern int *from(void); int main(void) { int *p = from(); HOLE *p = 1; return 0; }";
    assert_eq!(verdict(&text.replace("HOLE", ""), &[Property::Pointer]), "unsafe");
    let program = lowered(&text.replace("HOLE", "if (!p) return 0;"));
    let found = decided(&program, &[Property::Pointer]);
    assert!(matches!(found, Verdict::Unknown(_)));
}

/// The environment may have memory of its own where its pointers point to: a run leads there, a proof does
/// not. What is read there may be a pointer to more of it; addresses before the pointer's are there as well.
#[test]
fn memory_from_outside() {
    let text = "struct x { int flag; struct x *next; }; extern struct x *get(void);
        struct x own = {1}; extern struct x other;
        int main(void) { struct x *p = get(); GUARD HOLE return 0; }";
    let with = |guard: &str, hole: &str| text.replace("GUARD", guard).replace("HOLE", hole);
    for runs in [
        "assert(p->flag != 2);",
        "p->next->flag = 3; assert(p->next->next->flag != 7 || p->flag == p->next->flag);",
        "p->next = &own; p->next->flag += p->flag; assert(own.flag != 9);",
        "struct x *q = (struct x *)((char *)p - 64); q->flag = 4; assert(q->flag + q[4].flag != 8);",
        "assert(other.next == 0 || other.next->flag != 3);",
        "struct x *q = __VERIFIER_nondet_int() ? p : &own; assert(q->flag != 8);",
        "int n = 0; while (p && n < 5) { n += p->flag == 1; p = p->next; } assert(n < 3);",
    ] {
        check(&with("", runs), "unsafe");
    }
    // What is known of the memory holds, but not that there is some.
    check(&with("", "p->flag = 2; assert(p->flag == 2);"), "unknown");
    // A number is not from there, wherever it was kept.
    for number in ["(struct x *)0x780000002000", "(struct x *)(long)__VERIFIER_nondet_int()"] {
        let kept = format!("p->next = {number}; if (p->next) assert(p->next->flag != 3);");
        check(&with("", &kept), "unknown");
    }
    check(&with("if (p) return 0;", "assert(p == 0);"), "safe");
    check(&with("if (p) return 0;", "assert(p->flag != 1);"), "safe");
}

/// An object that is written at one of too many places is not read any more on the ways that do; on
/// others it is.
#[test]
fn writes_somewhere_in_large_objects() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(), *p = malloc(1 << 20);
        p[0] = 7; p[1] = 8; if (x >= 0 && x < 1000) p[WRITTEN] = 9;
        if (READ) assert(p[1] == 8 && p[0] == 7); return 0; }";
    let text = |written, read| text.replace("WRITTEN", written).replace("READ", read);
    check(&text("1", "x < 3"), "unsafe");
    check(&text("2", "x < 3"), "safe");
    check(&text("2 * x", "x < 3"), "unknown");
    check(&text("2 * x", "x < 0 || x > 1000"), "safe");
    check(&text("1 << 20", "x > 0 && x < 1000"), "safe");
    let arguments = "int main(int argc, char *argv[]) { assert(argc != LEFT_OUT); return 0; }";
    check(&arguments.replace("LEFT_OUT", "5"), "unsafe");
    check(&arguments.replace("LEFT_OUT", "-5"), "safe");
}

/// What is beyond an object, or was freed, may be where another object lies. A run is one in which it
/// is not, if there is any.
#[test]
fn what_is_beyond_an_object_is_in_no_other() {
    let words = "static const char *const words[] = {\"ab\", \"c\", \"\", \"dda\"};
        int main(void) { int k = __VERIFIER_nondet_int() & 1; return words[k % 3][k + 1]; }";
    let freed = "int main(void) { int *p = malloc(4); *p = 1; unsigned long a = (unsigned long)p;
        free(p); int *q = malloc(4); *q = 2; if (a > (unsigned long)q) *p = 3; return 0; }";
    let null = "int main(void) { const char *t = \"abc\"; int *p = __VERIFIER_nondet_int() ? &(int){1} : 0;
        if (((unsigned long)t & 4092) == 0 && (unsigned long)t <= 4096) p[1] = 1; return 0; }";
    for text in [words, freed, null] {
        assert_eq!(verdict(text, &[Property::Pointer]), "unsafe");
    }
    let next = "int x, y; int main(void) { int k = __VERIFIER_nondet_int(), *p = &x + 1;
        if (p == &y) *p = k; return 0; }";
    let program = lowered(next);
    let found = decided(&program, &[Property::Pointer]);
    assert!(matches!(found, Verdict::Unsafe(scripts) if scripts[0].close));
}
