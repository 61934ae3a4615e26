//! Blocks on the heap, also of unknown size, and arrays, walked by indices and by pointers.

use super::{Writer, with};

/// A block: its name, the name of its number of elements, and their type.
struct Block {
    name: String,
    count: String,
    ty: &'static str,
}

/// A block or two, what is done with them, and what they hold then.
pub fn part(w: &mut Writer<'_>) {
    if w.once_in(5) {
        return rows(w);
    }
    let block = allocate(w);
    fill(w, &block);
    for _ in 0..w.below(3) + 1 {
        change(w, &block);
    }
    for _ in 0..w.below(2) + 1 {
        look(w, &block);
    }
    release(w, &block);
}

fn allocate(w: &mut Writer<'_>) -> Block {
    let (name, count) = (w.name("b"), w.name("n"));
    let ty = w.pick(&["int", "int", "short", "unsigned char", "long"]);
    let size = match w.once_in(3) {
        true => w.number(2, 4),
        false => format!("{} + 1", w.index(4)),
    };
    w.line(&format!("unsigned {count} = {size};"));
    let allocation = w.pick(&[
        "malloc($N * sizeof *$B)",
        "malloc($N * sizeof($T))",
        "calloc($N, sizeof($T))",
        "calloc(1, sizeof($T[4]))",
    ]);
    let allocation = with(allocation, &[("N", &count), ("B", &name), ("T", ty)]);
    w.line(&format!("{ty} *{name} = {allocation};"));
    Block { name, count, ty }
}

fn fill(w: &mut Writer<'_>, block: &Block) {
    let (value, i) = (w.operand(), w.name("i"));
    // If the block has four elements, and the loop five rounds, it is too small.
    let compare = if w.risk() { "<=" } else { "<" };
    let text = w.pick(&[
        "for (unsigned $I = 0; $I $O $N; $I++) $B[$I] = $I * 3 - $V;",
        "for ($T *$I = $B; $I $O $B + ($N - 1); $I++) *$I = ($I - $B) ^ $V; $B[$N - 1] = $V;",
        "for (int $I = 0; $I $O (int)$N; ++$I) *($B + $I) = $V + $I;",
        "$T *$I = $B; do { *$I++ = $V; } while ($I - $B < (long)$N);",
    ]);
    let names = [
        ("I", &*i),
        ("O", compare),
        ("N", &block.count),
        ("B", &block.name),
        ("T", block.ty),
        ("V", &value),
    ];
    w.line(&with(text, &names));
}

fn change(w: &mut Writer<'_>, block: &Block) {
    let Block { name, count, ty } = block;
    let (value, i, other) = (w.operand(), w.name("i"), w.operand());
    let bound = if w.risk() { "($N + 1)" } else { "$N" };
    let text = w.pick(&[
        "$B[(unsigned)$W % $M] = $V;",
        "$B[(unsigned)$W % $M] += $V & 15;",
        "for (unsigned $I = 1; $I < $M; $I++) $B[$I] += $B[$I - 1] & 7;",
        "for ($T *p = $B, *q = $B + ($M - 1); p < q; p++, q--) { $T t = *p; *p = *q; *q = t; }",
        "memmove($B, $B + 1, ($M - 1) * sizeof *$B);",
        "memset($B + $M / 2, 1, ($N - $N / 2) * sizeof *$B);",
        "{ $T *p = &$B[(unsigned)$W % $M]; *p = *p * 2 & 31; }",
        "{ $T *p = $B + $M; while (p != $B) if ((*--p & 1) == ($V & 1)) *p ^= 2; }",
    ]);
    let text = text.replace("$M", bound);
    let names = [("I", &*i), ("N", count), ("B", name), ("T", ty), ("V", &value), ("W", &other)];
    w.act(&with(&text, &names));
}

const SUMS: &str = "static int @sum_$S(const $T *from, const $T *to) {
  int sum = 0;
  while (from $O to) sum = (sum * $F + *from++) & 1023;
  return sum;
}";

fn look(w: &mut Writer<'_>, block: &Block) {
    let Block { name, count, ty } = block;
    let other = w.operand();
    let names = [("N", &**count), ("B", name), ("T", ty), ("W", &other)];
    let text = match w.below(5) {
        0 => {
            let suffix = ty.replace(' ', "_");
            let (operator, factor) = (w.pick(&["<", "!="]), w.number(1, 3));
            let names = [("S", &*suffix), ("T", ty), ("O", operator), ("F", &factor)];
            w.global(&format!("sum {ty}"), &with(SUMS, &names));
            format!("@sum_{suffix}($B, $B + $N)")
        }
        1 => "$B[(unsigned)$W % $N]".to_owned(),
        2 => "$B[0] + $B[$N - 1]".to_owned(),
        3 => {
            let (at, best) = (w.name("p"), w.name("best"));
            w.line(&with(&format!("{ty} *{best} = $B;"), &names));
            w.line(&with(
                &format!("for ({ty} *{at} = $B + 1; {at} < $B + $N; {at}++) if (*{at} > *{best}) {best} = {at};"),
                &names,
            ));
            format!("{best} - $B")
        }
        _ => "(int)(&$B[$N / 2] - &$B[0]) * 4 + ($B[0] & 3)".to_owned(),
    };
    w.observe(&with(&text, &names));
}

fn release(w: &mut Writer<'_>, block: &Block) {
    let Block { name, count, .. } = block;
    let condition = w.condition();
    if w.risk() {
        let text = w.pick(&[
            "if ($C) free($B); if ($N > 2) $B[0] = 1;",
            "if ($C) free($B); free($B);",
            "if ($C) free($B + $N - 2); else free($B);",
        ]);
        w.line(&with(text, &[("C", &condition), ("B", name), ("N", count)]));
    } else if w.once_in(3) {
        w.line(&format!("if ({condition}) {{ free({name}); {name} = 0; }}"));
        w.observe(&format!("{name} ? 1 + ({name}[0] & 1) : 0"));
        w.line(&format!("free({name});"));
    } else if !w.once_in(5) {
        w.line(&format!("free({name});"));
    }
}

/// A matrix as an array of pointers to rows of different lengths.
fn rows(w: &mut Writer<'_>) {
    let (rows, count, i, j) = (w.name("rows"), w.name("n"), w.name("i"), w.name("j"));
    let size = format!("{} + 1", w.index(3));
    let value = w.operand();
    let names = [("R", &*rows), ("N", &*count), ("I", &*i), ("J", &*j), ("V", &*value)];
    w.line(&with("int $N = $S;", &[("N", &count), ("S", &size)]));
    w.line(&with("int **$R = malloc($N * sizeof *$R);", &names));
    let bound = if w.risk() { "$I + 1" } else { "$I" };
    w.line(&with("for (int $I = 0; $I < $N; $I++) {", &names));
    w.line(&with("  $R[$I] = malloc(($I + 1) * sizeof **$R);", &names));
    w.line(&with(
        &format!("  for (int $J = 0; $J <= {bound}; $J++) $R[$I][$J] = $I * $V - $J;"),
        &names,
    ));
    w.line("}");
    let (left, right) = (w.index(3), w.index(3));
    w.act(&with(
        &format!("{{ int *t = $R[{left} % $N]; $R[{left} % $N] = $R[{right} % $N]; $R[{right} % $N] = t; }}"),
        &names,
    ));
    let at = w.index(3);
    w.observe(&with(&format!("$R[{at} % $N][0] * 2 + *$R[$N - 1]"), &names));
    w.line(&with("for (int $I = 0; $I < $N; $I++) free($R[$I]);", &names));
    w.line(&with("free($R);", &names));
}
