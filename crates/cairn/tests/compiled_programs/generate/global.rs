//! Static objects that point to each other from the start, tables, and arrays of arrays.

use super::{Writer, with};

const OBJECTS: &str = "static int @cells[4] = {1, $C, 3};
static int *@at = &@cells[$I], **@way = &@at;
static struct @entry { int *cell; short key; struct @entry *other; } @entries[3] =
  {{&@cells[1], 3, @entries + 1}, {@cells, 5, &@entries[2]}, {.key = 7, .other = @entries}};
static const char *const @words[] = {\"ab\", \"c\", \"\", \"dda\"};
static int @rows[2][3] = {{1, 2, 3}, {4}};
static int @step(int by) { *@at += by; *@way = @at == @cells + 3 ? @cells : @at + 1; return **@way; }
static struct @entry *@find(int key) {
  for (int i = 0; i < 3; i++) if (@entries[i].key == key) return &@entries[i];
  return 0;
}";

/// What is changed in them, and what is there then.
pub fn part(w: &mut Writer<'_>) {
    let (constant, index) = (w.number(2, 8), w.number(0, 3));
    w.global("cells", &with(OBJECTS, &[("C", &constant), ("I", &index)]));
    for _ in 0..w.below(3) + 2 {
        change(w);
    }
    for _ in 0..w.below(2) + 1 {
        look(w);
    }
}

fn change(w: &mut Writer<'_>) {
    let (value, i, j, k) = (w.operand(), w.index(2), w.index(3), w.index(4));
    let names = [("V", &*value), ("I", &*i), ("J", &*j), ("K", &*k)];
    if w.risk() {
        let text = w.pick(&[
            "*@entries[$J].cell = $V;",
            "@find($V)->key = 9;",
            "@rows[$I][$K] = $V;",
            "@entries[$K].key++;",
            "@at += $J; *@at = 5; @at = @cells;",
            "@rows[0][0] += @words[$J][$I + 1];",
        ]);
        return w.act(&with(text, &names));
    }
    let text = w.pick(&[
        "@step($V);",
        "*@way = &@cells[$K];",
        "**@way = $V;",
        "@entries[$J].key = $V;",
        "@entries[$J] = *@entries[$J].other;",
        "{ struct @entry *e = &@entries[$J]; while (!e->cell) e = e->other; *e->cell += 2; }",
        "@entries[$J].other->key -= $V;",
        "{ int (*row)[3] = &@rows[$I]; (*row)[$J] += $V; }",
        "{ int *p = @rows[1]; p[$J] = p[0] + @words[$K][0]; }",
        "for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) @rows[i][j] += i * $V - j;",
        "{ struct @entry *e = @find($V); if (e) e->cell = @at; }",
        "@way = $V > 2 ? &@at : &@entries[0].cell;",
        "memmove(@rows[$I], @rows[1], sizeof @rows[0]);",
    ]);
    w.act(&with(text, &names));
}

fn look(w: &mut Writer<'_>) {
    let (value, i, j, k) = (w.operand(), w.index(2), w.index(3), w.index(4));
    let names = [("V", &*value), ("I", &*i), ("J", &*j), ("K", &*k)];
    let text = w.pick(&[
        "@cells[$K] * 2 + @cells[0]",
        "@at - @cells",
        "**@way - (*@way == @entries[1].cell)",
        "@entries[$J].other->key",
        "@find($V) ? (int)(@find($V) - @entries) : -1",
        "@rows[$I][$J] + @rows[0][2]",
        "(int)strlen(@words[$K]) + (@words[$K][0] == 'a' + $I)",
        "@entries[$J].cell ? *@entries[$J].cell : 50",
        "(&@rows[1][0] - &@rows[0][0]) * $V",
        "@entries[0].other == @entries + $J",
    ]);
    w.observe(&with(text, &names));
}
