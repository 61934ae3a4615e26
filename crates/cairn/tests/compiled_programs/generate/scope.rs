//! How long objects live: locals of blocks and of rounds of loops, arrays of unknown length, literals,
//! static locals whose addresses go out.

use super::{Writer, with};

/// A few pieces of code, each with objects of its own.
pub fn part(w: &mut Writer<'_>) {
    for _ in 0..w.below(2) + 2 {
        match w.below(6) {
            0 => rounds(w),
            1 => variable_length(w),
            2 => literal(w),
            3 => statics(w),
            4 => blocks(w),
            _ => left(w),
        }
    }
}

/// A local of a loop is a new one each round.
fn rounds(w: &mut Writer<'_>) {
    let (i, sum, at) = (w.name("i"), w.name("sum"), w.name("at"));
    let (value, bound) = (w.operand(), w.number(2, 4));
    let names = [("I", &*i), ("S", &*sum), ("P", &*at), ("V", &*value), ("N", &*bound)];
    w.line(&with("int $S = 0, *$P = 0;", &names));
    // What is risky is to look at the local of the round before.
    let look = match w.risk() {
        true => "if ($P && $I == $V) $S += *$P;",
        false => "if ($P) $S += 1;",
    };
    let body = w.pick(&[
        "int x = $I ^ $V; $P = &x; *$P += 2; $S += x;",
        "int x[2] = {$I, $V}; $P = &x[$I & 1]; $S = $S * 2 + *$P; $P = x;",
        "struct { int a, *b; } x = {$V, &x.a}; *x.b -= $I; $P = x.b; $S += x.a;",
        "int x; if ($I == 0) x = 1; else x = $S; $P = &x; $S = x + $V;",
    ]);
    // Before the next local lives, perhaps in the same place, which sanitizers don't tell apart.
    w.line(&with(&format!("for (int $I = 0; $I < $N; $I++) {{ {look} {{ {body} }} }}"), &names));
    w.observe(&with("$S & 255", &names));
}

/// Arrays whose length is known when they are declared.
fn variable_length(w: &mut Writer<'_>) {
    let (array, count, i) = (w.name("a"), w.name("n"), w.name("i"));
    let (size, value) = (w.index(4), w.operand());
    let names = [("A", &*array), ("N", &*count), ("I", &*i), ("V", &*value)];
    w.line(&with(&format!("int $N = {size} + 1;"), &names));
    let declaration = w.pick(&[
        "int $A[$N];",
        "unsigned char $A[$N];",
        "int *$A = __builtin_alloca($N * sizeof *$A);",
        "long $A[$N + 1]; $A[$N] = 0;",
    ]);
    w.line(&with(declaration, &names));
    w.line(&with("for (int $I = 0; $I < $N; $I++) $A[$I] = $V - $I;", &names));
    let index = if w.risk() { "(unsigned)$V % ($N + 1)" } else { "(unsigned)$V % $N" };
    let text = w.pick(&["$A[K] = 7;", "$A[K]++;", "$A[0] = $A[K];"]).replace('K', index);
    w.act(&with(&text, &names));
    let look =
        w.pick(&["$A[0] + 2 * $A[$N - 1]", "(int)(sizeof $A / sizeof *$A) * $A[0]", "$A[$N / 2]"]);
    w.observe(&with(look, &names));
}

/// Objects without a name.
fn literal(w: &mut Writer<'_>) {
    let (p, q, value, other) = (w.name("p"), w.name("q"), w.operand(), w.operand());
    let names = [("P", &*p), ("Q", &*q), ("V", &*value), ("W", &*other)];
    let text = w.pick(&[
        "int *$P = (int[]){$V, $W, 3}; int $Q = $P[1] - *$P;",
        "const char *$P = $V > $W ? \"abc\" : \"b\"; int $Q = $P[0] + $P[1];",
        "int $Q = ((struct { int a, b[2]; }){.b = {$V, $W}}).b[$V & 1];",
        "const char $P[] = \"x\\0yz\"; int $Q = (int)sizeof $P * 2 + $P[$V & 3];",
        "int $Q = (int)strlen(&\"hello\"[$V & 3]) + \"hello\"[$W & 3];",
        "int *$P = &(int){$V}; *$P += $W; int $Q = *$P * 2;",
    ]);
    w.line(&with(text, &names));
    w.observe(&q);
}

/// Static locals, seen from outside.
fn statics(w: &mut Writer<'_>) {
    let start = w.number(0, 4);
    let text = "static int *@slot(int k) { static int slots[3] = {$C, 7}; return &slots[k]; }
static int **@shared(void) { static int own, *current = &own; own++; return &current; }";
    w.global("slot", &with(text, &[("C", &start)]));
    let (first, second, value) = (w.index(3), w.index(3), w.operand());
    let p = w.name("p");
    let names = [("P", &*p), ("I", &*first), ("J", &*second), ("V", &*value)];
    w.line(&with("int *$P = @slot($I);", &names));
    for _ in 0..w.below(3) + 1 {
        let text = w.pick(&[
            "*$P = $V;",
            "*@slot($J) += 3;",
            "*@shared() = $P;",
            "**@shared() += 5;",
            "if (*@shared() == $P) *$P -= 1;",
        ]);
        w.act(&with(text, &names));
    }
    let look = w.pick(&[
        "*@slot($J) * 2 + *$P",
        "**@shared()",
        "@slot($J) - @slot(0) + (*@shared() == $P)",
    ]);
    w.observe(&with(look, &names));
}

/// Names of inner blocks, and ways that leave them.
fn blocks(w: &mut Writer<'_>) {
    let (x, done, value, other) = (w.name("x"), w.name("done"), w.operand(), w.operand());
    let names = [("X", &*x), ("D", &*done), ("V", &*value), ("W", &*other)];
    let text = w.pick(&[
        "int $X = $V; { int $X = $W; $X += 5; if ($X > 7) goto $D; } $X--; $D:;",
        "int $X = 1; for (int $D = 0; $D < 3; $D++) { int *p = &$X; { int $X = $V; p = $D == $W ? p : &$X; *p += $D; } *p += 0 * $W; if (p != &$X) break; }",
        "int $X = 0; { int y = $V, *p = &y; while (*p > 0 && $X < 4) { int *q = p; (*q)--; $X++; } }",
        "int $X = $V; switch ($W & 3) { int y; case 0: y = 4; $X += y; break; case 1: y = 2; default: $X -= 3; }",
        "int $X = $V; do { int y = $X / 2; if (y == $W) goto $D; $X = y; } while ($X > 0); $D: $X++;",
    ]);
    // The second one looks at a local of a block that was left, unless it may.
    let text = match text.contains("0 * $W") && !w.risk() {
        true => text.replace("*p += 0 * $W; ", ""),
        false => text.to_owned(),
    };
    w.line(&with(&text, &names));
    w.observe(&x);
}

/// A pointer to a local of a function that was left: risky is to look there.
fn left(w: &mut Writer<'_>) {
    w.global(
        "left",
        "static int *@kept;
static int @leave(int v, int keep) { int x = v, *p = &x; if (keep) @kept = p; *p += 1; return x; }
static int @leaves2(int v) { int y = 0; @kept = &y; int r = @leave(v, v > 2); *@kept += r; return y; }",
    );
    if w.risk() {
        let value = w.operand();
        w.observe(&format!("@leaves2({value})"));
        return;
    }
    let (value, keep) = (w.operand(), w.condition());
    w.observe(&format!("@leave({value}, {keep})"));
    w.observe("@kept != 0");
}
