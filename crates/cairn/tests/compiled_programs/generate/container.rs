//! Small programs of everyday: stacks, queues, hash tables, growing strings, arenas, counted references.

use super::{Writer, with};

/// One container, some calls of its functions.
pub fn part(w: &mut Writer<'_>) {
    match w.below(7) {
        0 => stack(w),
        1 => queue(w),
        2 => table(w),
        3 => text(w),
        4 => arena(w),
        5 => counted(w),
        _ => variadic(w),
    }
}

/// Statements of a list that are executed, some under conditions; what they call is a value.
fn calls(w: &mut Writer<'_>, count: usize, choices: &[&str], names: &[(&str, &str)]) {
    for _ in 0..count {
        let (value, text) = (w.operand(), w.pick(choices));
        let text = with(&with(text, names), &[("V", &value)]);
        match text.strip_prefix("= ") {
            Some(call) => w.observe(call),
            None => w.act(&text),
        }
    }
}

fn stack(w: &mut Writer<'_>) {
    let check = if w.risk() { "" } else { "if (s->top < 3) " };
    let empty = if w.risk() { "" } else { "if (!s->top) return -1; " };
    let text = "struct @stack { int data[3]; int top; };
static void @put(struct @stack *s, int v) { FULLs->data[s->top++] = v; }
static int @take(struct @stack *s) { EMPTYreturn s->data[--s->top]; }";
    w.global("stack", &text.replace("FULL", check).replace("EMPTY", empty));
    let s = w.name("s");
    w.line(&format!("struct @stack {s} = {{{{0}}, 0}};"));
    let count = w.below(4) + 3;
    let choices = ["@put(&$S, $V);", "@put(&$S, $V);", "= @take(&$S)", "$S.top -= $S.top > 1;"];
    calls(w, count, &choices, &[("S", &s)]);
    w.observe(&format!("{s}.top * 10 + {s}.data[0]"));
}

fn queue(w: &mut Writer<'_>) {
    let index = if w.risk() { "q->tail % 5" } else { "q->tail % 4" };
    let text = "struct @queue { unsigned char head, tail; short *slots; };
static int @enter(struct @queue *q, int v) {
  if (q->tail - q->head == 4) return 0;
  q->slots[INDEX] = v; q->tail++;
  return 1;
}
static int @next_of(struct @queue *q) { return q->head == q->tail ? -7 : q->slots[q->head++ % 4]; }";
    w.global("queue", &text.replace("INDEX", index));
    let (q, start) = (w.name("q"), w.pick(&["0", "254", "3"]));
    w.line(&format!("struct @queue {q} = {{{start}, {start}, calloc(4, sizeof(short))}};"));
    let choices = ["@enter(&$Q, $V);", "@enter(&$Q, $V);", "= @enter(&$Q, $V)", "= @next_of(&$Q)"];
    let count = w.below(5) + 3;
    calls(w, count, &choices, &[("Q", &q)]);
    w.observe(&format!("(unsigned char)({q}.tail - {q}.head) * 8 + {q}.slots[1]"));
    w.line(&format!("free({q}.slots);"));
}

fn table(w: &mut Writer<'_>) {
    let (hash, check) =
        (w.pick(&["key & 1", "(unsigned)key % 2", "(key ^ key >> 1) & 1"]), w.risk());
    let text = "struct @pair { struct @pair *next; int key, value; };
static struct @pair *@buckets[2];
static int *@entry_of(int key) {
  struct @pair **p = &@buckets[HASH];
  for (; *p; p = &(*p)->next) if ((*p)->key == key) return &(*p)->value;
  *p = malloc(sizeof **p);
  **p = (struct @pair){.key = key, .value = 0};
  return &(*p)->value;
}
static int @erase(int key) {
  struct @pair **p = &@buckets[HASH], *gone;
  while (CHECK(*p)->key != key) p = &(*p)->next;
  if (!*p) return 0;
  gone = *p; *p = gone->next; free(gone);
  return 1;
}";
    let check = if check { "" } else { "*p && " };
    w.global("buckets", &text.replace("HASH", hash).replace("CHECK", check));
    let choices =
        ["*@entry_of($V) += 3;", "= (*@entry_of($V))++", "= @erase($V)", "*@entry_of($V) = 2;"];
    let count = w.below(3) + 3;
    calls(w, count, &choices, &[]);
    w.observe("@buckets[0] ? @buckets[0]->key * 4 + @buckets[0]->value : 90");
    w.observe("@buckets[1] && @buckets[1]->next ? @buckets[1]->next->value : 91");
}

fn text(w: &mut Writer<'_>) {
    let more = if w.risk() { "t->length" } else { "t->length + 1" };
    let text = "struct @text { char *data; unsigned length, room; };
static void @add_char(struct @text *t, char c) {
  if (MORE >= t->room) {
    char *larger = malloc(t->room * 2);
    memcpy(larger, t->data, t->length);
    free(t->data);
    t->data = larger; t->room *= 2;
  }
  t->data[t->length++] = c;
  t->data[t->length] = 0;
}
static void @add_text(struct @text *t, const char *s) { while (*s) @add_char(t, *s++); }";
    w.global("text", &text.replace("MORE", more));
    let (t, room) = (w.name("t"), w.number(1, 3));
    let names = [("T", &*t), ("R", &*room)];
    w.line(&with("struct @text $T = {malloc($R + 1), 0, $R + 1}; $T.data[0] = 0;", &names));
    let choices = [
        "@add_char(&$T, 'a' + ($V & 3));",
        "@add_text(&$T, $V > 2 ? \"xy\" : \"b\");",
        "if ($T.length) $T.data[--$T.length] = 0;",
        "= (int)strlen($T.data)",
    ];
    let count = w.below(3) + 2;
    calls(w, count, &choices, &names);
    w.observe(&with("$T.data[0] + 2 * (int)strlen($T.data) + (int)$T.room", &names));
    w.line(&with("free($T.data);", &names));
}

fn arena(w: &mut Writer<'_>) {
    let round = if w.risk() { "size" } else { "(size + 7 & ~7u)" };
    let text = "static struct { char *start; unsigned used; } @arena;
static void *@reserve(unsigned size) {
  void *p = @arena.start + @arena.used;
  @arena.used += ROUND;
  return @arena.used <= 32 ? p : 0;
}
struct @item { long weight; struct @item *next; };";
    // Sizes are multiples of eight where it matters, so that all is aligned.
    w.global("arena", &text.replace("ROUND", round));
    let (items, i, value, bytes) = (w.name("items"), w.name("i"), w.operand(), w.name("bytes"));
    let count = w.index(4);
    let names = [("L", &*items), ("I", &*i), ("V", &*value), ("N", &*count), ("B", &*bytes)];
    w.line(&with("@arena.start = malloc(32); @arena.used = 0; struct @item *$L = 0;", &names));
    w.line(&with("char *$B = @reserve($N & 1 ? 8 : 16); $B[0] = 'x'; $B[7] = $V;", &names));
    w.line(&with("for (int $I = 0; $I < $N; $I++) {", &names));
    let guard = if w.risk() { "" } else { "if (!n) break; " };
    w.line(&format!("  struct @item *n = @reserve(sizeof *n); {guard}"));
    w.line(&with("  n->weight = $V + $I; n->next = $L; $L = n;", &names));
    w.line("}");
    w.observe(&with("$L ? (int)$L->weight * 3 + ($L->next != 0) : (int)@arena.used", &names));
    w.observe(&with("(int)((char *)$L - @arena.start) * ($L != 0) + $B[7]", &names));
    w.line("free(@arena.start);");
}

fn counted(w: &mut Writer<'_>) {
    w.global(
        "counted",
        "struct @shared_value { int count; int value; struct @shared_value *inner; };
static int @freed;
static struct @shared_value *@new_value(int v, struct @shared_value *inner) {
  struct @shared_value *s = malloc(sizeof *s);
  s->count = 1; s->value = v; s->inner = inner;
  return s;
}
static void @release(struct @shared_value *s) {
  if (s && --s->count == 0) { @release(s->inner); @freed++; free(s); }
}",
    );
    let (a, b, value) = (w.name("a"), w.name("b"), w.operand());
    let (first, second) = (w.condition(), w.condition());
    let names = [("A", &*a), ("B", &*b), ("V", &*value), ("C", &*first)];
    w.line(&with("struct @shared_value *$A = @new_value($V, 0), *$B = @new_value(2, $A);", &names));
    w.line(&with("if ($C) { $A->count++; $A->value += 5; }", &names));
    w.observe(&with("$B->inner->value + $A->count", &names));
    // The object in B is given away with the first one, unless there is another reference.
    w.line(&with("@release($B);", &names));
    let again = if w.risk() { &second } else { &first };
    w.observe(&with(&format!("{again} ? $A->value * 2 : @freed"), &names));
    w.line(&format!("if ({again}) @release({a});"));
    w.observe("@freed");
}

fn variadic(w: &mut Writer<'_>) {
    w.global(
        "variadic",
        "static int @total_of(int count, ...) {
  __builtin_va_list list;
  int sum = 0;
  __builtin_va_start(list, count);
  while (count-- > 0) sum = sum * 2 + __builtin_va_arg(list, int);
  __builtin_va_end(list);
  return sum & 255;
}
static long @pick_of(const char *kinds, ...) {
  __builtin_va_list list;
  long r = 0;
  __builtin_va_start(list, kinds);
  for (; *kinds; kinds++)
    if (*kinds == 'i') r += __builtin_va_arg(list, int);
    else if (*kinds == 'l') r -= __builtin_va_arg(list, long);
    else if (*kinds == 'd') r += (long)__builtin_va_arg(list, double);
    else r ^= *__builtin_va_arg(list, int *);
  __builtin_va_end(list);
  return r & 1023;
}",
    );
    let (a, b, c, count) = (w.operand(), w.operand(), w.operand(), w.index(4));
    w.observe(&format!("@total_of({count}, {a}, {b}, {c})"));
    let x = w.name("x");
    let names = [("X", &*x), ("A", &*a), ("B", &*b), ("C", &*c)];
    w.line(&with("int $X = $C;", &names));
    let call = w.pick(&[
        "(int)@pick_of(\"ilp\", $A, (long)$B, &$X)",
        "(int)@pick_of(\"dpi\", $A * 1.5, &$X, $B)",
        "(int)@pick_of($A > 1 ? \"p\" : \"pi\", &$X, $B)",
        "(int)@pick_of(\"lld\", (long)$A, (long)$B * 3, 2.0)",
    ]);
    w.observe(&with(call, &names));
}
