//! Function pointers: in variables, tables and structures, as arguments and results.

use super::{Writer, with};

/// Functions of one type, and ways to call one of them.
pub fn part(w: &mut Writer<'_>) {
    let count = w.below(3) + 2;
    w.global("calls", "static int @calls;");
    for i in 0..count {
        let body = w.pick(&[
            "return x + y;",
            "return x - 2 * y;",
            "return x > y ? x : y;",
            "return (x ^ y) & 31;",
            "@calls++; return x * 2 + @calls;",
            "return x == y;",
            "if (x < $C) return y; return x - $C;",
            "static int last; int old = last; last = x; return old + y;",
        ]);
        let constant = w.number(0, 4);
        let body = with(body, &[("C", &constant)]);
        w.global(&format!("op{i}"), &format!("static int @op{i}(int x, int y) {{ {body} }}"));
    }
    for _ in 0..w.below(2) + 1 {
        match w.below(6) {
            0 => table(w, count),
            1 => members(w, count),
            2 => objects(w, count),
            3 => apply(w, count),
            4 => chosen(w, count),
            _ => variable(w, count),
        }
    }
}

fn op(w: &mut Writer<'_>, count: usize) -> String {
    format!("@op{}", w.below(count))
}

/// A static table whose last entry is null.
fn table(w: &mut Writer<'_>, count: usize) {
    let ops: Vec<String> = (0..count).map(|_| op(w, count)).collect();
    let size = count + 1;
    let ops = ops.join(", ");
    w.global("table", &format!("static int (*@table[{size}])(int, int) = {{{ops}}};"));
    let (at, new) = (w.index(count), op(w, count));
    w.act(&format!("@table[{at}] = {new};"));
    let index = if w.risk() { w.index(size) } else { w.index(count) };
    let (x, y) = (w.operand(), w.operand());
    w.observe(&format!("@table[{index}]({x}, {y})"));
    if w.once_in(2) {
        let (at, other) = (w.index(size), op(w, count));
        w.observe(&format!("(@table[{at}] == {other}) + 2 * !@table[{at}]"));
    }
}

/// Structures that hold a function and an argument.
fn members(w: &mut Writer<'_>, count: usize) {
    w.global("task", "struct @task { int (*run)(int, int); int x; };");
    let tasks = w.name("tasks");
    let entries: Vec<String> =
        (0..3).map(|_| format!("{{{}, {}}}", op(w, count), w.operand())).collect();
    w.line(&format!("struct @task {tasks}[3] = {{{}}};", entries.join(", ")));
    let (from, to) = (w.index(3), w.index(3));
    w.act(&format!("{tasks}[{to}] = {tasks}[{from}];"));
    let (i, sum, bound) = (w.name("i"), w.name("sum"), w.number(2, 3));
    w.line(&format!("int {sum} = 0;"));
    w.line(&format!(
        "for (int {i} = 0; {i} < {bound}; {i}++) \
         {sum} = {tasks}[{i}].run({sum} & 15, {tasks}[{i}].x);"
    ));
    w.observe(&sum);
}

const OBJECTS: &str = "struct @object;
struct @class { int (*get)(const struct @object *); void (*set)(struct @object *, int); };
struct @object { const struct @class *class; int a; struct @object *next; };
static int @get_a(const struct @object *o) { return o->a; }
static int @get_deep(const struct @object *o) {
  return o->next ? o->a + o->next->class->get(o->next) : o->a;
}
static void @set_a(struct @object *o, int v) { o->a = v; }
static void @add_a(struct @object *o, int v) { o->a += v; if (o->next) o->next->a -= v; }
static const struct @class @plain = {@get_a, @set_a}, @deep = {.set = @add_a, .get = @get_deep};";

/// Objects with classes, as C++ would have them.
fn objects(w: &mut Writer<'_>, _count: usize) {
    w.global("objects", OBJECTS);
    let (first, second) = (w.name("o"), w.name("o"));
    let (a, b) = (w.operand(), w.operand());
    let (condition, last) = (w.condition(), w.pick(&["0", "&$F"]));
    let link = if last == "0" { "0".to_owned() } else { format!("&{first}") };
    let class = w.pick(&["&@plain", "&@deep"]);
    w.line(&format!("struct @object {first} = {{{class}, {a}, 0}};"));
    w.line(&format!("struct @object {second} = {{&@deep, {b}, {link}}};"));
    w.line(&format!("if ({condition}) {second}.class = &@plain;"));
    let value = w.operand();
    w.line(&format!("{second}.class->set(&{second}, {value});"));
    w.observe(&format!("{second}.class->get(&{second}) - {first}.class->get(&{first})"));
    w.observe(&format!("{second}.class == {first}.class"));
}

const APPLY: &str = "static int @apply(int (*f)(int, int), int *a, int n) {
  int r = 0;
  for (int i = 0; i < n; i++) { a[i] = f(a[i], i); r += a[i]; }
  return r & 255;
}
static void @sort(int *a, int n, int (*before)(int, int)) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && before(a[j], a[j - 1]) > 0; j--) { int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; }
}
static int @less(int x, int y) { return x < y; }
static int @more(int x, int y) { return x - y; }";

/// Functions as arguments.
fn apply(w: &mut Writer<'_>, count: usize) {
    w.global("apply", APPLY);
    let array = w.name("a");
    let elements = [w.operand(), w.operand(), w.number(0, 5)].join(", ");
    w.line(&format!("int {array}[3] = {{{elements}}};"));
    let length = if w.risk() { format!("{} + 1", w.index(4)) } else { w.number(2, 3) };
    if w.once_in(2) {
        let (f, g, condition) = (op(w, count), op(w, count), w.condition());
        w.observe(&format!("@apply({condition} ? {f} : {g}, {array}, {length})"));
    } else {
        let condition = w.condition();
        w.line(&format!("@sort({array}, {length}, {condition} ? @less : @more);"));
    }
    let at = w.index(3);
    w.observe(&format!("{array}[{at}] * 2 + {array}[0]"));
}

/// A function that returns a function.
fn chosen(w: &mut Writer<'_>, count: usize) {
    let (f, g, h) = (op(w, count), op(w, count), op(w, count));
    w.global("binary", "typedef int (*@binary)(int, int);");
    w.global(
        "choose",
        &format!(
            "static @binary @select(int which) {{\n  switch (which) {{ case 0: return {f}; \
             case 1: return &{g}; }}\n  return {h};\n}}"
        ),
    );
    let (which, x, y) = (w.index(4), w.operand(), w.operand());
    w.observe(&format!("@select({which})({x}, {y})"));
    let other = op(w, count);
    w.observe(&format!("@select({which}) == {other}"));
}

/// A local variable, perhaps behind a pointer.
fn variable(w: &mut Writer<'_>, count: usize) {
    let (f, first, second, condition) = (w.name("f"), op(w, count), op(w, count), w.condition());
    let start = if w.risk() { "0" } else { &*first };
    w.line(&format!("int (*{f})(int, int) = {start};"));
    w.line(&format!("if ({condition}) {f} = {second};"));
    let (x, y) = (w.operand(), w.operand());
    if w.once_in(2) {
        let (pointer, third) = (w.name("pf"), op(w, count));
        w.line(&format!("int (**{pointer})(int, int) = &{f};"));
        w.act(&format!("*{pointer} = {third};"));
        w.observe(&format!("(*{pointer})({x}, {y})"));
    } else {
        w.observe(&format!("{f}({x}, {y})"));
    }
}
