//! Structures by value, nested, in arrays, behind pointers to pointers and to their members.

use super::{Writer, with};

/// A few objects of structure types, changed and looked at.
pub fn part(w: &mut Writer<'_>) {
    types(w);
    for _ in 0..w.below(2) + 1 {
        match w.below(4) {
            0 => by_value(w),
            1 => array(w),
            2 => pointers(w),
            _ => nested(w),
        }
    }
}

fn types(w: &mut Writer<'_>) {
    let point =
        w.pick(&["int x; short y;", "short x, y;", "char tag; int x; char y;", "long x; int y;"]);
    let line = w.pick(&[
        "struct @point from, to; int weight;",
        "unsigned char weight; struct @point from, to;",
        "struct @point from; int weight; struct @point to;",
    ]);
    w.global("point", &format!("struct @point {{ {point} }};\nstruct @line {{ {line} }};"));
}

const VALUES: &str = "static struct @point @make(int x, int y) {
  struct @point p = {.y = y, .x = x};
  return p;
}
static struct @point @swap(struct @point p) { int t = p.x; p.x = p.y; p.y = t; return p; }
static struct @point @plus(struct @point p, const struct @point *q) {
  p.x += q->x; p.y -= q->y;
  return p;
}
static struct @line @join(struct @point p, struct @point q, int w) {
  return (struct @line){.from = p, .to = q, .weight = w};
}
static int @measure(struct @line l) { l.weight++; return (l.from.x - l.to.y) * l.weight + l.to.x; }";

/// Arguments and results that are structures.
fn by_value(w: &mut Writer<'_>) {
    w.global("values", VALUES);
    let (p, q, line) = (w.name("p"), w.name("q"), w.name("l"));
    let (a, b, c, d) = (w.operand(), w.operand(), w.operand(), w.operand());
    w.line(&format!("struct @point {p} = @make({a}, {b}), {q} = @swap({p});"));
    let names = [("P", &*p), ("Q", &*q), ("C", &*c), ("D", &*d), ("L", &*line)];
    for _ in 0..w.below(3) {
        let text = w.pick(&[
            "$P = @plus($P, &$Q);",
            "$Q = @plus($Q, &$Q);",
            "$P.x = $C; $Q = $P;",
            "{ struct @point t = $P; $P = $Q; $Q = t; }",
            "$Q = @swap(@make($C, $D));",
            "$P = $C > $D ? $P : $Q;",
        ]);
        w.act(&with(text, &names));
    }
    w.line(&with("struct @line $L = @join($Q, $P, $C);", &names));
    w.observe(&with("@measure($L) + $L.weight", &names));
    w.observe(&with("@swap($L.to).x * 2 - @plus($P, &$L.from).y", &names));
}

/// Arrays of structures.
fn array(w: &mut Writer<'_>) {
    let (array, i, at) = (w.name("array"), w.name("i"), w.name("at"));
    let place = w.pick(&["", "static "]);
    w.line(&format!(
        "{place}struct @point {array}[4] = {{{{1, 2}}, {{.x = 3}}, [3] = {{.y = 5}}}};"
    ));
    let (value, index) = (w.operand(), w.index(4));
    let names = [("A", &*array), ("I", &*i), ("P", &*at), ("V", &*value), ("K", &*index)];
    let bound = if w.risk() { w.pick(&["5", "4 + ($V > 2)", "$K + 2"]) } else { "4" };
    let text = w.pick(&[
        "for (int $I = 0; $I < $N; $I++) $A[$I].x += $I * $V;",
        "for (struct @point *$P = $A; $P != $A + $N; $P++) $P->y = $P->x - $V;",
        "for (int $I = 1; $I < $N; $I++) $A[$I].y = $A[$I - 1].x;",
        "for (int $I = 0; $I < $N; ++$I) if ($A[$I].x > $V) $A[$I].x = $A[$I].y;",
    ]);
    w.line(&with(&text.replace("$N", bound), &names));
    for _ in 0..w.below(2) + 1 {
        let text = w.pick(&[
            "$A[$K] = $A[3 - $K];",
            "$A[$K].x = $V;",
            "memcpy(&$A[0], &$A[$K | 1], sizeof $A[0]);",
            "memmove($A + 1, $A, 2 * sizeof *$A);",
            "{ struct @point *p = &$A[$K]; p->x ^= 3; (*p).y++; }",
            "{ struct @point p = $A[$K]; p.x = 50; $A[0].y = p.y; }",
        ]);
        w.act(&with(text, &names));
    }
    let look = w.pick(&[
        "$A[$K].x + $A[1].y",
        "(&$A[$K])->x - $A[3 - $K].y",
        "$A[$A[0].x & 3].y",
        "(int)(&$A[$K] - $A) + $A[$K].y",
        "(int)((char *)&$A[1].y - (char *)&$A[1].x)",
    ]);
    w.observe(&with(look, &names));
}

/// Pointers to structures, to members, and to pointers.
fn pointers(w: &mut Writer<'_>) {
    let (x, y, p, pp, m) = (w.name("x"), w.name("y"), w.name("p"), w.name("pp"), w.name("m"));
    let (a, b, condition) = (w.operand(), w.operand(), w.condition());
    let names = [
        ("X", &*x),
        ("Y", &*y),
        ("PP", &*pp),
        ("P", &*p),
        ("M", &*m),
        ("A", &*a),
        ("B", &*b),
        ("C", &*condition),
    ];
    w.line(&with(
        "struct @line $X = {.weight = $A & 7}, $Y = {.from = {.x = $B}, .weight = 2};",
        &names,
    ));
    w.line(&with("struct @line *$P = &$X, **$PP = &$P;", &names));
    w.line(&with("struct @point *$M = $C ? &$X.to : &$Y.from;", &names));
    for _ in 0..w.below(3) + 1 {
        let text = w.pick(&[
            "*$PP = &$Y;",
            "(*$PP)->weight += 3;",
            "$M->x = $A;",
            "$P->to = *$M;",
            "$M = &(**$PP).from; $M->y = 6;",
            "**$PP = $C ? $X : $Y;",
            "$P = $P == &$X ? &$Y : &$X;",
            "*&$M->x -= $B;",
        ]);
        w.act(&with(text, &names));
    }
    if w.once_in(2) {
        // From the member to the structure that it is in.
        let whole = w.name("whole");
        w.line(&with("$M = &$X.to;", &names));
        w.line(&format!(
            "struct @line *{whole} = (struct @line *)((char *){m} - \
             __builtin_offsetof(struct @line, to));"
        ));
        w.observe(&format!("{whole}->weight * 2 + {whole}->from.x"));
    }
    w.observe(&with("$P->weight + $M->x", &names));
    w.observe(&with("$X.to.x - (*$PP)->from.x + ($M == &$X.to)", &names));
}

const GRID: &str = "struct @cell { unsigned char kind; struct { int a; short b[3]; } inner; };
struct @grid { struct @cell cells[2][2]; struct @cell *best; int count; };
static void @mark(struct @grid *g, int row, int column, int value) {
  struct @cell *c = &g->cells[row][column];
  c->kind = value;
  c->inner.a += value;
  c->inner.b[value & 1]++;
  if (!g->best || c->inner.a > g->best->inner.a) g->best = c;
  g->count++;
}";

/// Arrays in structures in arrays in structures.
fn nested(w: &mut Writer<'_>) {
    w.global("grid", GRID);
    let (grid, other) = (w.name("g"), w.name("g"));
    let start = w.pick(&[
        "struct @grid $G = {0};",
        "struct @grid $G; memset(&$G, 0, sizeof $G); $G.best = 0;",
        "struct @grid $G = {{{{1}, {2, {3, {4, 5}}}}}, .count = 1};",
    ]);
    w.line(&with(start, &[("G", &grid)]));
    for _ in 0..w.below(2) + 1 {
        let (row, column, value) = (w.index(2), w.index(2), w.operand());
        w.line(&format!("@mark(&{grid}, {row}, {column}, {value});"));
    }
    let (i, j, k) = (w.index(2), w.index(2), w.index(3));
    let names = [("G", &*grid), ("H", &*other), ("I", &*i), ("J", &*j), ("K", &*k)];
    w.line(&with("struct @grid $H = $G;", &names));
    w.act(&with("$H.cells[$I][$J] = $G.cells[$J][$I]; $H.best = &$H.cells[1][0];", &names));
    if w.risk() {
        w.line(&with("$H.cells[$I][$J].inner.b[$K + $I] = 1;", &names));
    }
    let look = w.pick(&[
        "$H.best->inner.a + $H.cells[$I][$J].kind",
        "$G.cells[$I][$J].inner.b[$K]",
        "$H.cells[$I][1].inner.a * 2 - $G.cells[1][$J].inner.a",
        "($H.best == &$G.cells[0][0]) + $H.count",
    ]);
    w.observe(&with(look, &names));
}
