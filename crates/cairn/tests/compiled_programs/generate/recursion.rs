//! Recursive functions: numbers, arrays, pointers into the frames of callers, chains of frames.

use super::{Writer, with};

/// Functions of two small numbers: name, text, and a call.
const FUNCTIONS: [(&str, &str, &str); 10] = [
    (
        "fib",
        "static int @fib(int n) { return n < 2 ? n + $C : @fib(n - 1) + @fib(n - 2); }",
        "@fib($X)",
    ),
    (
        "gcd",
        "static int @gcd(int a, int b) { return b == 0 ? a : @gcd(b, a % b); }",
        "@gcd($X * 2 + 6, $Y + $C)",
    ),
    (
        "odd",
        "static int @odd(int n);
static int @even(int n) { return n == 0 ? $C : @odd(n - 1); }
static int @odd(int n) { return n == 0 ? 0 : @even(n - 1) + (n & 1); }",
        "@even($X + $Y)",
    ),
    (
        "ack",
        "static int @ack(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return @ack(m - 1, $C % 2 + 1);
  return @ack(m - 1, @ack(m, n - 1));
}",
        "@ack($X / 2, $Y)",
    ),
    (
        "down",
        "static void @down(int n, int *out) {
  int local = n * $C;
  if (n > 0) @down(n - 1, &local);
  *out += local - n;
}",
        "",
    ),
    (
        "chain",
        "struct @frame { int value; struct @frame *up; };
static int @chain(int n, struct @frame *up) {
  struct @frame here = {n * $C + 1, up};
  if (n > 0) return @chain(n - 1, &here);
  int h = 0;
  for (struct @frame *f = &here; f; f = f->up) { h = (h * 3 + f->value) & 255; f->value = h; }
  return h;
}",
        "@chain($X, 0)",
    ),
    (
        "choices",
        "static int @choices(const int *items, int count, int left) {
  if (left == 0) return 1;
  if (count == 0 || left < 0) return 0;
  return @choices(items + 1, count - 1, left) + @choices(items + 1, count - 1, left - *items);
}",
        "@choices((const int[]){1, 2, $Y + 1, $C}, 4, $X + 1)",
    ),
    (
        "search",
        "static int @search(const int *a, int low, int high, int key) {
  if (low >= high) return -low;
  int mid = (low + high) / 2;
  if (a[mid] == key) return mid;
  return key < a[mid] ? @search(a, low, mid, key) : @search(a, mid + 1, high, key);
}",
        "@search((const int[]){0, $C, 5, 6, 9}, 0, 5, $X + $Y)",
    ),
    (
        "flip",
        "static void @flip(char *s, int n) {
  if (n < 2) return;
  char c = s[0];
  s[0] = s[n - 1]; s[n - 1] = c + $C;
  @flip(s + 1, n - 2);
}",
        "",
    ),
    (
        "orders",
        "static int @orders(unsigned used, int count, int last) {
  int n = 0;
  if (count == 3) return 1;
  for (int i = 0; i < 3; i++)
    if (!(used & 1u << i) && i - last != $C) n += @orders(used | 1u << i, count + 1, i);
  return n;
}",
        "@orders($X & 3, $Y & 1, $Y)",
    ),
];

/// A function or two and calls of them.
pub fn part(w: &mut Writer<'_>) {
    for _ in 0..w.below(2) + 1 {
        match w.once_in(5) {
            true => asking(w),
            false => call(w),
        }
    }
}

fn call(w: &mut Writer<'_>) {
    let (name, text, call) = FUNCTIONS[w.below(FUNCTIONS.len())];
    let constant = w.number(1, 3);
    w.global(name, &with(text, &[("C", &constant)]));
    // The number that the text was written with may be another one; calls need none in common.
    let (x, y) = (w.index(4), w.index(3));
    let call = with(call, &[("X", &x), ("Y", &y), ("C", &constant)]);
    match name {
        "down" => {
            let out = w.name("out");
            let start = w.operand();
            w.line(&format!("int {out} = {start};"));
            w.line(&format!("@down({x}, &{out});"));
            w.observe(&out);
        }
        "flip" => {
            let text = w.name("text");
            w.line(&format!("char {text}[6] = \"abcde\";"));
            w.line(&format!("{text}[{x}] += {y};"));
            let length = if w.risk() { format!("{y} * 4") } else { format!("{y} + 3") };
            w.line(&format!("@flip({text}, {length});"));
            let at = w.index(5);
            w.observe(&format!("{text}[{at}] * 2 - {text}[4]"));
        }
        _ => w.observe(&call),
    }
}

/// A function that asks for inputs while it descends.
fn asking(w: &mut Writer<'_>) {
    let (constant, base) = (w.number(1, 4), w.number(0, 2));
    let text = "static int @ask(int depth, int sum) {
  #input unsigned char v0 0 3
  if (v0 == $B || depth == 0) return sum;
  int rest = @ask(depth - 1, sum * 2 + v0);
  return rest - (v0 > 2 ? $C : 0);
}";
    w.global("ask", &with(text, &[("B", &base), ("C", &constant)]));
    let start = w.number(0, 3);
    w.observe(&format!("@ask(2, {start})"));
}
