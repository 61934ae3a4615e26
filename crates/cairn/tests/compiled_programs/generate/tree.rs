//! Binary trees on the heap: built and walked by recursion and by pointers to pointers.

use super::{Writer, with};

const RECURSIVE: &str = "static struct @tree *@add(struct @tree *t, int key) {
  if (!t) {
    t = $A;
    t->key = key; t->left = t->right = 0; t->count = 1;
    return t;
  }
  if (key < t->key) t->left = @add(t->left, key);
  else if (key > t->key) t->right = @add(t->right, key);
  else t->count++;
  return t;
}";

const ITERATIVE: &str = "static struct @tree *@add(struct @tree *t, int key) {
  struct @tree **at = &t;
  while (*at && (*at)->key != key) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  if (*at) { (*at)->count += 1; return t; }
  *at = $A;
  (*at)->key = key; (*at)->count = 1; (*at)->left = 0; (*at)->right = 0;
  return t;
}";

const LOOKS: [(&str, &str); 6] = [
    (
        "depth",
        "static int @depth(struct @tree *t) {
  if (!t) return 0;
  int l = @depth(t->left), r = @depth(t->right);
  return 1 + (l > r ? l : r);
}",
    ),
    (
        "total",
        "static int @total(struct @tree *t) {
  return t ? t->key * t->count + @total(t->left) - @total(t->right) : 0;
}",
    ),
    (
        "leaves",
        "static int @leaves(struct @tree *t) {
  if (!t) return 0;
  if (!t->left && !t->right) return 1;
  return @leaves(t->left) + @leaves(t->right);
}",
    ),
    (
        "walk",
        "static int @seen;
static void @visit(struct @tree *t) {
  if (t) { @visit(t->left); @seen = (@seen * 7 + t->key + t->count) & 255; @visit(t->right); }
}
static int @walk(struct @tree *t) { @seen = 0; @visit(t); return @seen; }",
    ),
    (
        "least",
        "static int @least(struct @tree *t) {
  if (!t) return -9;
  while (t->left) t = t->left;
  return t->key;
}",
    ),
    (
        "turn",
        "static int @turn(struct @tree *t) {
  if (!t) return 1;
  struct @tree *l = t->left;
  t->left = t->right; t->right = l;
  return @turn(t->left) + 2 * @turn(t->right) & 63;
}",
    ),
];

const FELL: &str = "static void @fell(struct @tree *t) {
  if (t) { @fell(t->left); @fell(t->right); free(t); }
}";

/// A tree of a few keys, and what it looks like.
pub fn part(w: &mut Writer<'_>) {
    let fields = w.pick(&[
        "int key; unsigned char count; struct @tree *left, *right;",
        "struct @tree *left, *right; int key, count;",
        "short key, count; struct @tree *left; struct @tree *right;",
    ]);
    w.global("tree", &format!("struct @tree {{ {fields} }};"));
    let add = w.pick(&[RECURSIVE, ITERATIVE]);
    let from_pool = w.once_in(4);
    if from_pool {
        w.global("pool", "static struct @tree @pool[5];\nstatic int @used;");
    }
    let room = if from_pool { "&@pool[@used++]" } else { "malloc(sizeof(struct @tree))" };
    w.global("add", &with(add, &[("A", room)]));
    let tree = w.name("tree");
    w.line(&format!("struct @tree *{tree} = 0;"));
    let count = if from_pool { 2 } else { w.below(2) + 2 };
    for _ in 0..count {
        let key = w.expression(1);
        w.line(&format!("{tree} = @add({tree}, {key});"));
    }
    if !from_pool && w.once_in(2) {
        let key = w.operand();
        w.act(&format!("{tree} = @add({tree}, {key});"));
    }
    for _ in 0..w.below(3) + 1 {
        let (name, text) = LOOKS[w.below(LOOKS.len())];
        w.global(name, text);
        w.observe(&format!("@{name}({tree})"));
    }
    let side = w.pick(&["left", "right"]);
    match w.risk() {
        // At most one of the children may be missing.
        true => w.observe(&format!("{tree}->{side}->key")),
        false => w.observe(&format!("{tree}->{side} ? {tree}->{side}->key : 100")),
    }
    if !from_pool && !w.once_in(4) {
        w.global("fell", FELL);
        if w.risk() {
            let condition = w.condition();
            w.line(&format!("if ({condition}) @fell({tree}->{side});"));
        }
        w.line(&format!("@fell({tree});"));
    }
}
