//! Linked lists on the heap: built, searched, changed by pointers to pointers, freed.

use super::{Writer, with};

const PUSH: &str = "static struct @node *@push(struct @node *list, int value) {
  struct @node *n = malloc(sizeof *n);
  n->value = value; n->next = list;
  return n;
}";

const APPEND: &str = "static void @append(struct @node **list, int value) {
  while (*list) list = &(*list)->next;
  *list = @push(0, value);
}";

const INSERT: &str = "static void @insert(struct @node **list, int value) {
  while (*list && (*list)->value $O value) list = &(*list)->next;
  *list = @push(*list, value);
}";

const REMOVE: &str = "static int @remove(struct @node **list, int value) {
  for (; *list; list = &(*list)->next)
    if ((*list)->value == value) {
      struct @node *gone = *list;
      *list = gone->next;
      free(gone);
      return 1;
    }
  return 0;
}";

const REVERSE: &str = "static struct @node *@reverse(struct @node *list) {
  struct @node *back = 0;
  while (list) { struct @node *next = list->next; list->next = back; back = list; list = next; }
  return back;
}";

const FOLD: &str = "static int @fold(const struct @node *list) {
  int h = $C;
  for (; list; list = list->next) h = (h * 3 + list->value) & $M;
  return h;
}";

const SUM: &str = "static int @sum(const struct @node *list) {
  return list ? list->value + @sum(list->next) : 0;
}";

const LENGTH: &str = "static int @length(const struct @node *list) {
  int n = 0;
  while (list) { n++; list = list->next; }
  return n;
}";

const NTH: &str = "static struct @node *@nth(struct @node *list, int n) {
  while (list && n-- > 0) list = list->next;
  return list;
}";

const DESTROY: &str = "static void @destroy(struct @node *list) {
  while (list) { struct @node *next = list->next; free(list); list = next; }
}";

/// A list, some changes of it, and what it holds then.
pub fn part(w: &mut Writer<'_>) {
    if w.once_in(4) {
        return ring(w);
    }
    let ty = w.pick(&["int", "int", "short", "long", "signed char"]);
    let fields = match w.below(3) {
        0 => format!("struct @node *next; {ty} value;"),
        1 => format!("{ty} value; char mark; struct @node *next;"),
        _ => format!("{ty} value; struct @node *next;"),
    };
    w.global("node", &format!("struct @node {{ {fields} }};"));
    w.global("push", PUSH);
    let list = w.name("list");
    w.line(&format!("struct @node *{list} = 0;"));
    build(w, &list);
    for _ in 0..w.below(4) + 1 {
        change(w, &list);
    }
    for _ in 0..w.below(2) + 1 {
        look(w, &list);
    }
    if !w.once_in(5) {
        destroy(w, &list);
    }
}

fn build(w: &mut Writer<'_>, list: &str) {
    let (i, value) = (w.name("i"), w.operand());
    let bound = match w.once_in(2) {
        true => w.index(4),
        false => w.number(1, 3),
    };
    let step = w.pick(&["i * 2", "i ^ $V", "$V - i", "i + $V", "i * $V & 7"]);
    let step = with(&step.replace('i', &i), &[("V", &value)]);
    w.line(&format!("for (int {i} = 0; {i} < {bound}; {i}++) {list} = @push({list}, {step});"));
}

fn change(w: &mut Writer<'_>, list: &str) {
    let value = w.operand();
    match w.below(7) {
        0 => w.act(&format!("{list} = @push({list}, {value});")),
        1 => {
            w.global("append", APPEND);
            w.act(&format!("@append(&{list}, {value});"));
        }
        2 | 3 => {
            let operator = w.pick(&["<", "<=", ">", "!="]);
            w.global("insert", &with(INSERT, &[("O", operator)]));
            w.act(&format!("@insert(&{list}, {value});"));
        }
        4 => {
            w.global("remove", REMOVE);
            w.observe(&format!("@remove(&{list}, {value})"));
        }
        5 => {
            w.global("reverse", REVERSE);
            w.act(&format!("{list} = @reverse({list});"));
        }
        _ => drop_first(w, list),
    }
}

/// The first node is freed; what is risky is to use it then.
fn drop_first(w: &mut Writer<'_>, list: &str) {
    let old = w.name("old");
    let guard = if w.risk() { "" } else { &*format!("if ({list}) ") };
    w.line(&format!("struct @node *{old} = {list};"));
    w.line(&format!("{guard}{{ {list} = {list}->next; free({old}); }}"));
    if w.risk() {
        let condition = w.condition();
        let use_ = w.pick(&["$O->value = 1;", "free($O);", "$L = $O;"]);
        let use_ = with(use_, &[("O", &old), ("L", list)]);
        w.line(&format!("if ({condition} && {old}) {{ {use_} }}"));
    }
}

fn look(w: &mut Writer<'_>, list: &str) {
    match w.below(5) {
        0 => {
            let (start, mask) = (w.number(0, 3), w.pick(&["63", "127", "255"]));
            w.global("fold", &with(FOLD, &[("C", &start), ("M", mask)]));
            w.observe(&format!("@fold({list})"));
        }
        1 => {
            w.global("sum", SUM);
            w.observe(&format!("@sum({list})"));
        }
        2 => {
            w.global("length", LENGTH);
            w.observe(&format!("@length({list})"));
        }
        3 => {
            w.global("nth", NTH);
            let (index, found) = (w.index(3), w.name("found"));
            w.line(&format!("struct @node *{found} = @nth({list}, {index});"));
            match w.risk() {
                true => w.observe(&format!("{found}->value")),
                false => w.observe(&format!("{found} ? {found}->value : -1")),
            }
        }
        _ => w.observe(&format!("{list} && {list}->next ? {list}->next->value : 5")),
    }
}

fn destroy(w: &mut Writer<'_>, list: &str) {
    w.global("destroy", DESTROY);
    let condition = w.condition();
    match w.risk() {
        true => {
            w.line(&format!("if ({condition}) @destroy({list});\n  if ({condition}) free({list});"))
        }
        false => w.line(&format!("@destroy({list});")),
    }
}

const RING: &str = "struct @ring { int value; struct @ring *next, *prev; };
static void @link(struct @ring *at, struct @ring *n) {
  n->next = at->next; n->prev = at; at->next->prev = n; at->next = n;
}
static void @unlink(struct @ring *n) { n->prev->next = n->next; n->next->prev = n->prev; }
static struct @ring *@knot(int value) {
  struct @ring *n = malloc(sizeof *n);
  n->value = value; n->next = n->prev = n;
  return n;
}
static int @around(struct @ring *head, int back) {
  int h = 0;
  for (struct @ring *p = back ? head->prev : head->next; p != head; p = back ? p->prev : p->next)
    h = (h * 5 + p->value) & 127;
  return h;
}";

/// A ring with a head, linked both ways.
fn ring(w: &mut Writer<'_>) {
    w.global("ring", RING);
    let head = w.name("head");
    w.line(&format!("struct @ring {head} = {{0, &{head}, &{head}}};"));
    let count = w.below(3) + 1;
    let mut nodes = Vec::new();
    for _ in 0..count {
        let (node, value) = (w.name("n"), w.operand());
        w.line(&format!("struct @ring *{node} = @knot({value});"));
        let at = w.pick(&["&$H", "$H.next", "$H.prev"]);
        w.line(&format!("@link({}, {node});", with(at, &[("H", &head)])));
        nodes.push(node);
    }
    for _ in 0..w.below(2) + 1 {
        let (node, condition) = (nodes[w.below(count)].clone(), w.condition());
        let to = w.pick(&["&$H", "$H.prev"]);
        let to = with(to, &[("H", &head)]);
        w.line(&format!("if ({condition}) {{ @unlink({node}); @link({to}, {node}); }}"));
    }
    let back = w.index(2);
    w.observe(&format!("@around(&{head}, {back})"));
    if w.risk() {
        let (node, condition) = (nodes[w.below(count)].clone(), w.condition());
        w.line(&format!("if ({condition}) free({node});"));
    }
    w.observe(&format!("{head}.next->value - {head}.prev->prev->value"));
    for node in nodes {
        w.line(&format!("@unlink({node}); free({node});"));
    }
}
