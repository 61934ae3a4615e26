//! Ways through a program: switches, loops, jumps, static locals; and arithmetic that may fail.

use super::{Writer, with};

/// A few pieces of code.
pub fn part(w: &mut Writer<'_>) {
    for _ in 0..w.below(2) + 2 {
        match w.below(6) {
            0 => switch(w),
            1 => counter(w),
            2 => machine(w),
            3 => jumps(w),
            4 => walk(w),
            _ => effects(w),
        }
    }
}

/// A switch with cases that fall through.
fn switch(w: &mut Writer<'_>) {
    let (result, value) = (w.name("t"), w.operand());
    w.line(&format!("int {result} = {value};"));
    let on = w.expression(1);
    w.line(&format!("switch ({on}) {{"));
    let first = w.below(3);
    for case in first..first + 4 {
        let label = match w.below(5) {
            0 if case == first + 1 => "default".to_owned(),
            1 => format!("case {} ... {}", case * 3 + 20, case * 3 + 21),
            _ => format!("case {case}"),
        };
        let text = w.pick(&["$R += 3;", "$R = $R * 2 & 63;", "$R ^= 5;", "$R--;"]);
        let leave = w.pick(&["break;", "", ""]);
        w.line(&format!("  {label}: {} {leave}", with(text, &[("R", &result)])));
    }
    w.line("}");
    w.observe(&result);
}

/// A function that remembers.
fn counter(w: &mut Writer<'_>) {
    let constant = w.number(1, 3);
    let text = w.pick(&[
        "static int @next(int by) { static int n = $C; n += by; return n & 31; }",
        "static int @next(int by) { static int old[2] = {$C}; old[1] = old[0]; old[0] = by; return old[1]; }",
        "static int @next(int by) { static int *last; static int n; if (last) *last += by; else last = &n; return n - $C; }",
    ]);
    w.global("next", &with(text, &[("C", &constant)]));
    for _ in 0..w.below(2) + 1 {
        let by = w.operand();
        w.act(&format!("@next({by});"));
    }
    let by = w.operand();
    w.observe(&format!("@next({by})"));
}

/// States that follow each other, as many times as a loop has rounds.
fn machine(w: &mut Writer<'_>) {
    let (state, i, sum) = (w.name("state"), w.name("i"), w.name("sum"));
    let (value, rounds, start) = (w.operand(), w.number(2, 4), w.index(3));
    let names = [("S", &*state), ("I", &*i), ("M", &*sum), ("V", &*value)];
    w.global("states", "enum @states { @idle, @busy, @done };");
    w.line(&format!("enum @states {state} = {start}; int {sum} = 0;"));
    w.line(&with(&format!("for (int $I = 0; $I < {rounds}; $I++) {{"), &names));
    let (first, second) = (
        w.pick(&[
            "$S = $V > $I ? @busy : @idle;",
            "$S = @busy; $M += 2;",
            "if ($V == $I) $S = @done; else $S++;",
        ]),
        w.pick(&[
            "$S = $M & 1 ? @done : @idle;",
            "$M += $V & 3; if ($M > 4) $S = @done;",
            "$S = ($V + $I) & 1;",
        ]),
    );
    w.line(&with(&format!("  if ($S == @idle) {{ {first} $M++; continue; }}"), &names));
    w.line(&with(&format!("  else if ($S == @busy) {{ {second} }}"), &names));
    let last = w.pick(&["break;", "$M -= 3; $S = @idle;", "$M ^= 9;"]);
    w.line(&with(&format!("  else {{ {last} }}"), &names));
    w.line("}");
    w.observe(&with("$M * 4 + (int)$S", &names));
}

/// Loops by `goto`, and loops within loops that are left early.
fn jumps(w: &mut Writer<'_>) {
    let (n, again, out) = (w.name("n"), w.name("again"), w.name("out"));
    let (value, limit) = (w.operand(), w.number(2, 4));
    let names = [("N", &*n), ("A", &*again), ("O", &*out), ("V", &*value), ("L", &*limit)];
    let text = w.pick(&[
        "int $N = 0; $A: $N++; if ($N < $L && $N != $V) goto $A;",
        "int $N = 0; for (int i = 0; i < $L; i++) for (int j = 0; j < 3; j++) { if (i * j == $V) goto $O; if (j > i) break; $N += i + j; } $O:;",
        "int $N = $V & 7; do { if ($N & 1) { $N += 2; continue; } $N /= 2; } while ($N > 3 && $N < 7);",
        "int $N = 0, $A = 0; while (1) { if (++$A > $L) break; if ($A == $V) continue; $N += $A; }",
        "int $N = 1; for (int i = $V & 3, j = 3; i != j && i < 6; i++, j--) $N = $N * 3 + i - j;",
    ]);
    w.line(&with(text, &names));
    w.observe(&n);
}

/// Pointers that walk over an array.
fn walk(w: &mut Writer<'_>) {
    let (a, p, q) = (w.name("a"), w.name("p"), w.name("q"));
    let (value, index) = (w.operand(), w.index(4));
    let names = [("A", &*a), ("P", &*p), ("Q", &*q), ("V", &*value), ("K", &*index)];
    let ty = w.pick(&["int", "short", "unsigned char"]);
    w.line(&with(&format!("{ty} $A[6] = {{1, 4, 2, 8, 5}}, *$P = $A + $K, *$Q = $A + 5;"), &names));
    for _ in 0..w.below(3) + 1 {
        let text = w.pick(&[
            "*$P = $V;",
            "$P[1] += *$P;",
            "while ($P < $Q && *$P < 5) $P++;",
            "while ($Q > $P && --$Q > $P) *$Q = $Q[-1];",
            "$Q = $P; $P = $A;",
            "*$P++ = $Q - $A; if ($P == $A + 6) $P = $A;",
            "$P = &*$A;",
        ]);
        w.act(&with(text, &names));
        // Both stay on elements that have one behind them, or are set back.
        w.line(&with("if ($P > $A + 4) $P = $A + 4;", &names));
    }
    let look = w.pick(&[
        "$P - $A",
        "*$P + 10 * ($Q - $A)",
        "$P[1] - $A[$K]",
        "$Q - $P",
        "*$P << 1 ^ $A[5]",
    ]);
    if w.risk() {
        w.line(&with("$P += $K; *$P = 7;", &names));
    }
    w.observe(&with(look, &names));
}

/// Operators with effects whose order is known.
fn effects(w: &mut Writer<'_>) {
    let (n, m) = (w.name("n"), w.name("m"));
    let (x, y) = (w.operand(), w.operand());
    let names = [("N", &*n), ("M", &*m), ("X", &*x), ("Y", &*y)];
    w.line(&with("int $N = $X, $M = 0;", &names));
    let text = w.pick(&[
        "if ($N++ > 1 && ($M += 2) > $Y) $N -= $M;",
        "$M = ($N = $N & 3, $N + 1) * 2;",
        "$M = $N > $Y ? $N-- : ++$N;",
        "if (!($N -= $Y) || $N < -2) $M = 8; else $M--;",
        "($Y > 1 ? &$N : &$M)[0] += 7;",
        "$M = ({ int t = $N * 2; $N = t - 1; t ^ $Y; });",
        "$M = -$N ?: 6;",
        "$N = $M = $N == $Y; $M += 1 + sizeof($N++);",
    ]);
    w.line(&with(text, &names));
    w.observe(&with("$N * 3 - $M", &names));
}

/// Arithmetic that is undefined for some operands. None of those is a constant: compilers compute with
/// constants before they look for what is undefined.
pub fn arithmetic(w: &mut Writer<'_>) {
    let (x, y, few) = (w.value(), w.value(), w.number(1, 5));
    let (text, large) = ARITHMETIC[w.below(ARITHMETIC.len())];
    let (c, l) = (w.name("c"), w.name("c"));
    w.line(&format!("int {c} = {few}, {l} = {large};"));
    w.observe(&with(text, &[("X", &x), ("Y", &y), ("C", &c), ("L", &l)]));
}

/// With a large number.
const ARITHMETIC: [(&str, &str); 10] = [
    ("$L / ($X - $Y + $C)", "100"),
    ("($X + $L) % ($Y * 2 - $C)", "40"),
    ("$L << ($X * 4 + $C)", "1"),
    ("$L >> ($X - $C)", "8"),
    ("$L + $X * $C", "2147483640"),
    ("$L - $X + $C", "-2147483646"),
    ("($X + 1) * ($Y + 1) * $L", "99999999"),
    ("($X << 2) + $L", "100"),
    ("($L - ($X == $C)) / ($Y - 4)", "-2147483647"),
    ("(int)((long)$X << ($C + $L) >> 50)", "60"),
];
