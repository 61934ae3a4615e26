//! Executable counterexamples: a C file that, compiled with the program, drives it along a run.
//!
//! The file defines the functions that the program leaves open; each hands out, call by call, what it
//! returned in the run. Where the run must end is watched in two ways: error functions that the
//! program only declares are defined here, and those it defines are seen by gcc's
//! `-finstrument-functions`, which reports every entry of a function. Violations that are no calls are
//! left to gcc's sanitizers, by the flags named in the file's head.
//!
//! Symbols are bound by assembler names, so that a name that gcc knows as a builtin can be defined
//! with whatever type the run shows.
//!
//! What the run finds on the heap before it has written there is put there by an allocator of the
//! file's own. Uninitialized variables are zero by a flag, or else set by a copy of the program
//! ([`super::uninitialized`]). What can't be decided (addresses, inline assembly) is said in its head.

use super::uninitialized::{self, copy};
pub use crate::bounds::{INSIDE, QUANTIFIERS};
use crate::lower::assembly::INSTRUCTION;
use program::Property;
use program::counterexample::{Counterexample, Object, Taken, written};
use program::interpret::Part;
use program::program::{Cause, Instruction, Program, Reading};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use term::{Sort, Value};

/// The exit code of a harness that has reached the violation.
pub const REACHED: u8 = 10;
/// The exit code of a harness that was asked for a value that the run does not have.
pub const STRAYED: u8 = 11;

/// A harness.
#[derive(Clone, Debug)]
pub struct Harness {
    /// The C file.
    pub text: String,
    /// The flags that gcc needs for it.
    pub flags: Vec<String>,
    /// Copies of the program's files that the harness needs instead of them: name and text.
    pub copies: Vec<(String, String)>,
}

/// A file of the program.
#[derive(Clone, Debug)]
pub struct File {
    /// As the user named it.
    pub name: String,
    /// What it contains, as far as it can be read.
    pub text: Option<String>,
    /// How a copy of it would be called.
    pub copy: String,
    /// The flags that it is compiled with, as a shell reads them.
    pub flags: String,
}

/// What the harness must know of the program beside the run.
#[derive(Clone)]
pub struct Task<'a> {
    /// The files of the program.
    pub files: Vec<File>,
    /// The program.
    pub program: &'a Program,
}

/// A harness for a run.
pub fn harness(task: &Task<'_>, run: &Counterexample) -> Harness {
    let mut flags = flags(task, run.property);
    let driven = !flags.iter().any(|flag| flag.starts_with("-fsanitize"));
    let mut settings = uninitialized::settings(task.program, run);
    let (mut files, mut copies) = (Vec::new(), Vec::new());
    for file in &task.files {
        let text = file.text.as_deref();
        match text.and_then(|text| copy(task.program, &file.name, text, &mut settings)) {
            Some(text) => {
                copies.push((file.copy.clone(), text));
                files.push(file.copy.clone());
                if let Some((folder, _)) = file.name.rsplit_once('/') {
                    flags.extend(["-iquote".to_owned(), folder.to_owned()]);
                }
            }
            None => files.push(file.name.clone()),
        }
    }
    settings.retain(|setting| setting.called);
    let open = |taken: &&Taken| {
        taken.cause == Cause::Uninitialized
            && !(driven && matches!(taken.object, Some((Object::Heap(_), _))))
            && !settings.iter().any(|setting| setting.sets(taken))
    };
    let uninitialized: Vec<&Taken> = run.taken.iter().filter(open).collect();
    if !uninitialized.is_empty() || !settings.is_empty() {
        flags.push("-ftrivial-auto-var-init=zero".to_owned());
    }
    let quantified = quantified(run);
    flags.extend(quantified.keys().map(|name| quantifier_flag(name)));
    if !quantified.is_empty() {
        // These are macros, which a file that counts as preprocessed would not have.
        flags.push("-x c".to_owned());
    }
    let mut text = head(task, &files, run, &flags, &uninitialized);
    text.push_str(HOOKS);
    let mut named = BTreeSet::new();
    for (name, values) in by_function(task.program, run) {
        function(&mut text, &name, &values);
        named.insert(name);
    }
    for name in silent_functions(task.program) {
        if named.insert(name.clone()) {
            let _ = writeln!(text, "QUIET void silent_{name}(void) __asm__(\"{name}\");");
            let _ = writeln!(text, "QUIET void silent_{name}(void) {{}}\n");
        }
    }
    for setting in &settings {
        setting.define(&mut text);
    }
    for (name, values) in &quantified {
        define_quantifier(&mut text, name, values);
    }
    objects(&mut text, run);
    if driven {
        heap(&mut text, run);
    }
    Harness { text, flags, copies }
}

/// How a violation shows when the program is run natively.
enum Shows {
    /// A function is called, which the harness notices.
    ByCall,
    /// A sanitizer, given by gcc's flag, reports it.
    BySanitizer(&'static str),
    /// A checker of memory is needed to see it.
    InMemory,
}

impl Shows {
    fn of(property: Option<Property>) -> Shows {
        match property {
            None
            | Some(
                Property::Reach
                | Property::Assert
                | Property::Termination
                | Property::DeadCode
                | Property::Unwinding
                | Property::Claim,
            ) => Shows::ByCall,
            Some(Property::Overflow) => Shows::BySanitizer("-fsanitize=signed-integer-overflow"),
            Some(Property::DivisionByZero) => {
                Shows::BySanitizer("-fsanitize=integer-divide-by-zero")
            }
            Some(Property::Promise) => Shows::BySanitizer("-fsanitize=unreachable"),
            Some(Property::Shift) => Shows::BySanitizer("-fsanitize=shift"),
            Some(Property::Bounds) => Shows::BySanitizer("-fsanitize=bounds,address"),
            Some(Property::Pointer) => Shows::BySanitizer("-fsanitize=null,address"),
            Some(Property::Free | Property::Overlap) => Shows::BySanitizer("-fsanitize=address"),
            Some(Property::Cleanup | Property::Tracked) => Shows::BySanitizer("-fsanitize=leak"),
            Some(Property::Float) => {
                Shows::BySanitizer("-fsanitize=float-divide-by-zero,float-cast-overflow")
            }
            Some(Property::Uninitialized | Property::Return) => Shows::InMemory,
        }
    }
}

fn flags(task: &Task<'_>, property: Option<Property>) -> Vec<String> {
    let width = if task.program.pointer_width == 32 { "-m32" } else { "-m64" };
    let watched: &[&str] = match Shows::of(property) {
        Shows::ByCall => &["-fwrapv", "-finstrument-functions"],
        Shows::BySanitizer(flag) => &[flag, "-fno-sanitize-recover=all"],
        Shows::InMemory => &["-fwrapv"],
    };
    // What only unreached code refers to is defined nowhere.
    let link = ["-no-pie", "-Wl,--unresolved-symbols=ignore-all"];
    let mut flags: Vec<String> = [width, "-w", "-O0", "-g"].map(str::to_owned).to_vec();
    flags.extend(link.map(str::to_owned));
    flags.extend(watched.iter().map(|flag| (*flag).to_owned()));
    flags.extend(common_flags(task).filter(|flags| !flags.is_empty()).map(str::to_owned));
    flags
}

/// The flags that all files are compiled with; none if they differ.
fn common_flags<'a>(task: &'a Task<'_>) -> Option<&'a str> {
    let first = task.files.first()?.flags.as_str();
    task.files.iter().all(|file| file.flags == first).then_some(first)
}

/// A text that can stand in a comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace(['\n', '\r'], " ")
}

fn head(
    task: &Task<'_>,
    compiled: &[String],
    run: &Counterexample,
    flags: &[String],
    uninitialized: &[&Taken],
) -> String {
    let property = run.property.map_or("reach", Property::name);
    let files: Vec<&str> = task.files.iter().map(|file| file.name.as_str()).collect();
    let zero = uninitialized.iter().all(|taken| taken.is_zero());
    let mut text = format!(
        "/* Drives {} into the violation of '{property}' at {}.\n *\n * gcc {} {} THIS-FILE.c -lm && ./a.out\n",
        comment(&files.join(" ")),
        comment(&run.place.to_string()),
        comment(&flags.join(" ")),
        comment(&compiled.join(" ")),
    );
    match Shows::of(run.property) {
        Shows::ByCall => {
            let _ = writeln!(text, " * exits with code {REACHED} when the violation is reached.");
        }
        Shows::InMemory => {
            text.push_str(" * can be run under a checker of memory (valgrind) to show the read.\n");
        }
        Shows::BySanitizer(_) => {
            text.push_str(" * ends with a report of gcc's sanitizer at the violation.\n")
        }
    }
    if !task.files.is_empty() && common_flags(task).is_none() {
        text.push_str(" *\n * Each file of the program has flags of its own:\n");
        for File { name, flags, .. } in &task.files {
            let _ = writeln!(text, " *   {}", comment(&format!("{name}: {flags}")));
        }
    }
    if !uninitialized.is_empty() {
        let how = match zero {
            true => "zero, as the last flag makes them",
            false => "this file can't set those that are not zero",
        };
        let _ = writeln!(text, " *\n * The run takes these uninitialized values ({how}):");
        for taken in uninitialized.iter().take(20) {
            let value = written(&taken.value, taken.reading);
            let line = format!("{}: {} = {value}", taken.place, taken.what());
            let _ = writeln!(text, " *   {}", comment(&line));
        }
    }
    for taken in &run.taken {
        let address = taken.reading == Reading::Address && !taken.is_zero();
        let device = matches!(&taken.cause, Cause::Input(name) if name.starts_with(INSTRUCTION));
        if taken.cause == Cause::Assembly || device || address {
            let line = format!("{}: {}", taken.place, taken.what());
            let _ = writeln!(text, " * Not driven (address or assembly): {}", comment(&line));
        } else if is_of_the_world(&taken.cause) && taken.part == Part::Whole {
            let value = written(&taken.value, taken.reading);
            let line = format!("{}: {} = {value}", taken.place, taken.what());
            let _ = writeln!(text, " * Not driven: {}", comment(&line));
        } else if let Cause::Input(name) = &taken.cause
            && &**name == "argc"
        {
            let count = written(&taken.value, Reading::Signed);
            let _ = writeln!(text, " * The run has argc = {count}; give as many arguments.");
        }
    }
    for placed in &run.placed {
        let _ = writeln!(text, " * Not driven (address): {}", comment(&placed.to_string()));
    }
    text.push_str(" */\n\n");
    text
}

/// How the violation is noticed.
const HOOKS: &str = "\
#define QUIET __attribute__((no_instrument_function))
extern int dprintf(int, const char *, ...);
extern void _Exit(int);

QUIET static void reached(const char *what) {
  dprintf(2, \"violation reached: %s\\n\", what);
  _Exit(10);
}

QUIET static void strayed(const char *what) {
  dprintf(2, \"the run is over, but %s is called again\\n\", what);
  _Exit(11);
}

/* Error functions; a definition in the program takes precedence. */
QUIET __attribute__((weak)) void reach_error(void) { reached(\"reach_error\"); }
QUIET __attribute__((weak)) void __VERIFIER_error(void) { reached(\"__VERIFIER_error\"); }
#define WITH_CONDITION(name, otherwise) \\
  QUIET __attribute__((weak)) void on_##name(int holds) __asm__(#name); \\
  QUIET __attribute__((weak)) void on_##name(int holds) { if (!holds) otherwise; }
WITH_CONDITION(assert, reached(\"assert\"))
WITH_CONDITION(__VERIFIER_assert, reached(\"assert\"))
WITH_CONDITION(__CPROVER_assert, reached(\"assert\"))
WITH_CONDITION(__ESBMC_assert, reached(\"assert\"))
WITH_CONDITION(__VERIFIER_assume, _Exit(12))
WITH_CONDITION(__CPROVER_assume, _Exit(12))
WITH_CONDITION(__ESBMC_assume, _Exit(12))
WITH_CONDITION(__builtin_assume, _Exit(12))
WITH_CONDITION(assume, _Exit(12))
QUIET void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
  reached(text);
}

/* Called by -finstrument-functions. */
QUIET void __cyg_profile_func_enter(void *function, void *site) {
  if (function == (void *)reach_error) reached(\"reach_error\");
  if (function == (void *)__VERIFIER_error) reached(\"__VERIFIER_error\");
}
QUIET void __cyg_profile_func_exit(void *function, void *site) {}

";

/// Functions of verifiers, which [`HOOKS`] defines.
pub const CHECKS: [&str; 12] = [
    "reach_error",
    "__VERIFIER_error",
    "__assert_fail",
    "assert",
    "__VERIFIER_assert",
    "__CPROVER_assert",
    "__ESBMC_assert",
    "__VERIFIER_assume",
    "__CPROVER_assume",
    "__ESBMC_assume",
    "__builtin_assume",
    "assume",
];

/// A function that the program leaves open.
#[derive(Default)]
struct Open<'a> {
    sort: Option<Sort>,
    /// Fills memory, instead of returning a value.
    fills: bool,
    taken: Vec<&'a Taken>,
}

/// Whether a value is none that a function returns, but one that the world around the program chose,
/// which words describe.
fn is_of_the_world(cause: &Cause) -> bool {
    matches!(cause, Cause::Input(name) | Cause::Unknown(name) if name.contains(' '))
}

/// Whether a name can be that of a function.
pub fn is_identifier(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The functions that the program leaves open, with what they returned in the run.
fn by_function<'a>(program: &Program, run: &'a Counterexample) -> BTreeMap<String, Open<'a>> {
    let mut functions: BTreeMap<String, Open<'a>> = BTreeMap::new();
    let named = |cause: &Cause| match cause {
        Cause::Input(name) | Cause::Unknown(name) if is_identifier(name) => Some(name.to_string()),
        _ => None,
    };
    for (_, edge) in program.edges().filter(|((function, _), _)| *function != program.start) {
        match &edge.instruction {
            Instruction::Havoc(variable, cause) => {
                let Some(name) = named(cause) else { continue };
                let open = functions.entry(name).or_default();
                open.sort = Some(program.variables[*variable].sort);
            }
            Instruction::HavocBytes { cause, .. } => {
                let Some(name) = named(cause) else { continue };
                functions.entry(name).or_default().fills = true;
            }
            _ => {}
        }
    }
    let start = &program.functions[program.start].name;
    for taken in run.taken.iter().filter(|taken| taken.function != *start) {
        if let Some(open) = named(&taken.cause).and_then(|name| functions.get_mut(&name)) {
            open.taken.push(taken);
        }
    }
    functions.retain(|name, _| {
        !CHECKS.contains(&name.as_str()) && !QUANTIFIERS.contains(&name.as_str())
    });
    functions
}

/// How a run decides quantified formulas, one after the other: by the value of the variable that
/// shows it, or without one, by all values.
fn quantified(run: &Counterexample) -> BTreeMap<&str, Vec<Option<&Value>>> {
    let mut found: BTreeMap<&str, Vec<Option<&Value>>> = BTreeMap::new();
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for taken in &run.taken {
        let (Cause::Unknown(name), true) = (&taken.cause, taken.is_of(&QUANTIFIERS)) else {
            continue;
        };
        // The run takes the decision first, then the value if there is one.
        if open.remove(&**name) {
            found.entry(name).or_default().push(Some(&taken.value));
        } else if taken.value == Value::Bool(false) {
            found.entry(name).or_default().push(None);
        } else {
            open.insert(name);
        }
    }
    found
}

/// Makes gcc take a quantified formula for the truth of the formula for the run's value, if there is
/// one.
fn quantifier_flag(name: &str) -> String {
    let by_all = u8::from(name == QUANTIFIERS[0]);
    format!(
        "-D'{name}(v,p)=({{extern int one{name}(void);extern unsigned long long next{name}(void);\
         __typeof__(*(v)) cairn_old=*(v);int cairn_truth={by_all};\
         if(one{name}()){{*(v)=next{name}();cairn_truth=!!(p);}}*(v)=cairn_old;cairn_truth;}})'"
    )
}

fn define_quantifier(text: &mut String, name: &str, decisions: &[Option<&Value>]) {
    let one = decisions.iter().map(|value| u8::from(value.is_some()).to_string());
    switch(text, &format!("int one{name}"), name, one);
    let value = |value: &&Value| literal(value).unwrap_or_else(|| "0".to_owned());
    let values = decisions.iter().flatten().map(value);
    switch(text, &format!("unsigned long long next{name}"), name, values);
}

/// A function that returns one value after the other.
fn switch(text: &mut String, head: &str, name: &str, values: impl Iterator<Item = String>) {
    let _ = writeln!(text, "QUIET {head}(void) {{");
    let _ = writeln!(text, "  static unsigned calls;\n  switch (calls++) {{");
    for (number, value) in values.enumerate() {
        let _ = writeln!(text, "  case {number}: return {value};");
    }
    let _ = writeln!(text, "  default: strayed(\"{name}\"); return 0;\n  }}\n}}\n");
}

/// Functions without a body: where they have no result, the program assumes that they do nothing.
fn silent_functions(program: &Program) -> BTreeSet<String> {
    let names = program.undefined.iter().filter(|name| is_identifier(name));
    let known = |name: &str| CHECKS.contains(&name) || QUANTIFIERS.contains(&name);
    names.filter(|name| !known(name)).map(|name| name.to_string()).collect()
}

/// The C type of a sort, by its size.
pub fn c_type(sort: Sort) -> Option<&'static str> {
    Some(match sort {
        Sort::Bool => "_Bool",
        Sort::BitVec(8) => "unsigned char",
        Sort::BitVec(16) => "unsigned short",
        Sort::BitVec(32) => "unsigned int",
        Sort::BitVec(64) => "unsigned long long",
        Sort::BitVec(128) => "unsigned __int128",
        Sort::Float(format) => match (format.exponent(), format.significand()) {
            (8, 24) => "float",
            (11, 53) => "double",
            (15, 64) => "long double",
            _ => return None,
        },
        _ => return None,
    })
}

/// A value as a C expression, exactly.
pub fn literal(value: &Value) -> Option<String> {
    Some(match value {
        Value::Bool(value) => u8::from(*value).to_string(),
        Value::Bits(bits) if bits.width() <= 64 => format!("{}ULL", bits.to_biguint()),
        Value::Bits(bits) => {
            let (high, low) = (bits.extract(bits.width() - 1, 64), bits.extract(63, 0));
            format!("((unsigned __int128){}ULL << 64 | {}ULL)", high.to_biguint(), low.to_biguint())
        }
        Value::Float(float) if float.is_nan() => "__builtin_nan(\"\")".to_owned(),
        Value::Float(float) if float.is_infinite() => {
            let sign = if float.to_decimal().starts_with('-') { "-" } else { "" };
            format!("{sign}__builtin_inf()")
        }
        Value::Float(float) => {
            let bits = float.to_bits();
            match (bits.width(), bits.to_u64()) {
                (32, Some(bits)) => {
                    format!("((union {{ unsigned b; float f; }}){{ {bits}U }}).f")
                }
                (64, Some(bits)) => {
                    format!("((union {{ unsigned long long b; double f; }}){{ {bits}ULL }}).f")
                }
                _ => format!("{}L", float.to_decimal()),
            }
        }
        _ => return None,
    })
}

fn function(text: &mut String, name: &str, open: &Open<'_>) {
    if open.fills {
        return fills(text, name, open);
    }
    let Some(ty) = open.sort.and_then(c_type) else {
        let _ = writeln!(text, "/* {name} returns what has no C type here. */\n");
        return;
    };
    let _ = writeln!(text, "QUIET {ty} open_{name}(void) __asm__(\"{name}\");");
    let _ = writeln!(text, "QUIET {ty} open_{name}(void) {{");
    if open.taken.is_empty() {
        // It may be called on the way to the violation where nothing depends on it.
        let _ = writeln!(text, "  return 0;\n}}\n");
        return;
    }
    let _ = writeln!(text, "  static unsigned calls;\n  switch (calls++) {{");
    for (number, taken) in open.taken.iter().enumerate() {
        let value = literal(&taken.value).unwrap_or_else(|| "0".to_owned());
        let place = comment(&taken.place.to_string());
        let _ = writeln!(text, "  case {number}: return {value}; /* {place} */");
    }
    let _ = writeln!(text, "  default: strayed(\"{name}\"); return 0;\n  }}\n}}\n");
}

/// A function that fills memory: the bytes of each call, one after the other.
fn fills(text: &mut String, name: &str, open: &Open<'_>) {
    let _ = writeln!(
        text,
        "QUIET void open_{name}(unsigned char *to, __SIZE_TYPE__ length) __asm__(\"{name}\");"
    );
    let _ = writeln!(text, "QUIET void open_{name}(unsigned char *to, __SIZE_TYPE__ length) {{");
    let bytes: Vec<String> =
        open.taken.iter().map(|taken| written(&taken.value, Reading::Unsigned)).collect();
    let _ = writeln!(
        text,
        "  static const unsigned char bytes[] = {{ {} }};",
        match bytes.is_empty() {
            true => "0".to_owned(),
            false => bytes.join(", "),
        }
    );
    let _ = writeln!(
        text,
        "  static unsigned next;\n  while (length--) *to++ = next < {} ? bytes[next++] : 0;\n}}\n",
        bytes.len()
    );
}

/// What the program finds on the heap before it has written there. (Sanitizers have an allocator of
/// their own.)
fn heap(text: &mut String, run: &Counterexample) {
    let mut bytes: BTreeMap<usize, String> = BTreeMap::new();
    for taken in &run.taken {
        if let Some((Object::Heap(block), offset)) = taken.object {
            let value = written(&taken.value, Reading::Unsigned);
            let _ = write!(bytes.entry(block).or_default(), " block[{offset}] = {value};");
        }
    }
    if bytes.is_empty() {
        return;
    }
    text.push_str(HEAP);
    for (block, assignments) in bytes {
        let _ = writeln!(text, "  case {block}:{assignments} break;");
    }
    text.push_str("  }\n  return block;\n}\n\n");
}

/// The allocator of the C library, with known first contents.
const HEAP: &str = "\
extern void *__libc_calloc(__SIZE_TYPE__, __SIZE_TYPE__);
extern void *__libc_realloc(void *, __SIZE_TYPE__);
static unsigned blocks;

QUIET void *calloc(__SIZE_TYPE__ count, __SIZE_TYPE__ size) {
  blocks++;
  return __libc_calloc(count, size);
}

QUIET void *realloc(void *old, __SIZE_TYPE__ size) {
  blocks++;
  return __libc_realloc(old, size);
}

QUIET void *malloc(__SIZE_TYPE__ size) {
  unsigned char *block = __libc_calloc(1, size);
  switch (blocks++) {
";

/// Objects that the program only declares, as far as the run looks at them.
fn objects(text: &mut String, run: &Counterexample) {
    let mut parts: BTreeMap<&str, Vec<&Taken>> = BTreeMap::new();
    for taken in run.taken.iter().filter(|taken| &*taken.function == "<start>") {
        if let (Cause::Unknown(name), Part::Whole) = (&taken.cause, taken.part)
            && is_identifier(name)
        {
            parts.entry(name).or_default().push(taken);
        }
    }
    for (name, values) in parts {
        let [taken] = values[..] else { continue };
        if let (Some(ty), Some(value)) = (taken.sort().and_then(c_type), literal(&taken.value)) {
            let _ = writeln!(text, "{ty} object_{name} __asm__(\"{name}\");");
            let _ = writeln!(
                text,
                "__attribute__((constructor)) QUIET static void set_{name}(void) {{ object_{name} = {value}; }}\n"
            );
        }
    }
}
