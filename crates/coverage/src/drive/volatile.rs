//! Reads of `volatile` objects in a suite: the compiler is told to call a function before each access to
//! memory (`-fsanitize=thread`, without its library), and that function puts the vector's value where the
//! access reads. Before the next access what was there before is put back, so that other reads of the
//! same object see what the program has written.
//!
//! Which value is meant is said by the address, where the source's expression for the object names it
//! everywhere in the file; otherwise by the order. What lies at addresses of devices is made when it is
//! met.

use front_c::write::harness::is_identifier;
use program::program::Program;
use rustc_hash::FxHashSet;
use std::fmt::Write;
use term::Term;

/// How the front end names a read ([`front_c::lower`]).
const NAMED: &str = "volatile read of '";
const WORDS: &str = "volatile read of ";

/// What gcc needs beside other flags.
pub const FLAGS: &str = "-fsanitize=thread --param tsan-distinguish-volatile=1";

/// What is read where the value of an input is that of a `volatile` object: its expression, or nothing.
pub fn read_of<'n>(name: &'n str, names: &Names) -> Option<&'n str> {
    let words = name.strip_prefix(WORDS)?;
    let named = name.strip_prefix(NAMED).and_then(|rest| rest.strip_suffix('\''));
    let known = named.filter(|expression| names.knows(expression));
    Some(known.unwrap_or(&words[..0]))
}

/// The names that mean one variable everywhere in the file.
pub struct Names(FxHashSet<String>);

impl Names {
    /// Of variables that no function has one of the same name as.
    pub fn new(program: &Program) -> Names {
        let name_of = |term: Term| program.pool.var_name(term);
        let is_local = |term: Term| name_of(term).is_none_or(|name| name.contains("::"));
        let (mut global, mut local) = (FxHashSet::default(), FxHashSet::default());
        let variables = program.variables.values();
        let variables =
            variables.map(|v| (v.name.clone(), v.function.is_some() || is_local(v.term)));
        let objects = program.objects.values();
        let objects = objects.map(|o| (Some(o.name.clone()), is_local(o.address)));
        for (name, within) in variables.chain(objects) {
            let Some(name) = name else { continue };
            let root = root(&name).to_owned();
            let set = if within { &mut local } else { &mut global };
            set.insert(root);
        }
        global.retain(|name| is_identifier(name) && !local.contains(name));
        Names(global)
    }

    /// Whether an expression is made of such a name and of constants.
    fn knows(&self, expression: &str) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_.[]->*".contains(c);
        self.0.contains(root(expression)) && expression.chars().all(plain)
    }
}

/// The name that an expression begins with.
fn root(expression: &str) -> &str {
    let expression = expression.trim_start_matches('*');
    expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or("")
}

/// What comes before the program: constants are put where they can be changed, and accesses to them are
/// told.
pub const BEFORE: &str = "\
#ifndef __SANITIZE_THREAD__
#error reads of volatile objects are driven by -fsanitize=thread --param tsan-distinguish-volatile=1
#endif
#define const
";

/// The functions that the compiler calls, if there is anything for them; `sources` are numbers and
/// expressions of what is read.
pub fn hooks(sources: &[(usize, &str)]) -> String {
    if sources.is_empty() {
        return NONE.to_owned();
    }
    let mut text = String::from(
        "/* Whether the next values are for a read at an address. */\n\
         CAIRN_QUIET static int cairn_is_read(int source, volatile void *address) {\n  switch (source) {\n",
    );
    for (number, expression) in sources {
        let is_there = match expression.is_empty() {
            true => "1".to_owned(),
            false => format!("address == (volatile void *)&({expression})"),
        };
        let _ = writeln!(text, "  case {number}: return {is_there};");
    }
    text.push_str("  }\n  return 0;\n}\n\n");
    text.push_str(ACCESSES);
    for (kind, sizes) in [("", &[1, 2, 4, 8, 16][..]), ("unaligned_", &[2, 4, 8, 16])] {
        for size in sizes {
            for way in ["read", "write"] {
                let _ = writeln!(
                    text,
                    "CAIRN_QUIET void __tsan_{kind}{way}{size}(void *a) {{ cairn_restore(); }}"
                );
                let met = match way {
                    "read" => format!("cairn_read(a, {size})"),
                    _ => "cairn_restore(); cairn_map(a)".to_owned(),
                };
                let name = match kind {
                    "" => format!("volatile_{way}"),
                    _ => format!("unaligned_volatile_{way}"),
                };
                let _ =
                    writeln!(text, "CAIRN_QUIET void __tsan_{name}{size}(void *a) {{ {met}; }}");
            }
        }
    }
    text.push('\n');
    text
}

const NONE: &str = "\
static int cairn_is_read(int source, volatile void *address) { return 0; }

";

const ACCESSES: &str = "\
static unsigned char cairn_before[16];
static unsigned char *cairn_changed;
static int cairn_length;

/* What the last read has changed is as it was. */
CAIRN_QUIET static void cairn_restore(void) {
  if (cairn_changed)
    __builtin_memcpy(cairn_changed, cairn_before, cairn_length);
  cairn_changed = 0;
}

/* There is memory at an address, if only now. */
CAIRN_QUIET static void cairn_map(void *address) {
  extern void *cairn_mmap(void *, unsigned long, int, int, int, long) __asm__(\"mmap\");
  static unsigned long cairn_page;
  unsigned long page = (unsigned long)address & ~0xffful;
  if (page != cairn_page)
    cairn_mmap((void *)page, 0x1000, 3, 0x100022, -1, 0); /* private, anonymous, nothing replaced */
  cairn_page = page;
}

CAIRN_QUIET static void cairn_read(void *address, int length) {
  cairn_restore();
  if (!cairn_now)
    return;
  cairn_map(address);
  /* Checks at the end of a cycle read what is as it was. */
  unsigned long long bits = cairn_find(-1, address);
  cairn_changed = address;
  cairn_length = length;
  __builtin_memcpy(cairn_before, address, length);
  __builtin_memcpy(address, &bits, length < 8 ? length : 8);
}

CAIRN_QUIET void __tsan_init(void) {}
CAIRN_QUIET void __tsan_func_entry(void *at) { cairn_restore(); }
CAIRN_QUIET void __tsan_func_exit(void) {}
CAIRN_QUIET void __tsan_read_range(void *a, unsigned long length) { cairn_restore(); }
CAIRN_QUIET void __tsan_write_range(void *a, unsigned long length) { cairn_restore(); }
";
