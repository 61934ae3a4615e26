//! Random programs in both languages: types, and what a program declares.

mod prelude;
mod standard;
mod writer;

pub use prelude::PRELUDE;

use rand::SeedableRng;
use rand::rngs::StdRng;
use std::fmt::Write as _;
use writer::Writer;

/// A type of variables: its name, its type in C, its width; the width of BOOL is one.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Ty {
    pub st: &'static str,
    pub c: &'static str,
    pub width: u32,
    pub signed: bool,
    pub float: bool,
    pub bits: bool,
}

const fn ty(st: &'static str, c: &'static str, width: u32, signed: bool) -> Ty {
    Ty { st, c, width, signed, float: false, bits: false }
}

const fn bits(st: &'static str, c: &'static str, width: u32) -> Ty {
    Ty { st, c, width, signed: false, float: false, bits: true }
}

const fn float(st: &'static str, c: &'static str, width: u32) -> Ty {
    Ty { st, c, width, signed: true, float: true, bits: false }
}

pub const BOOL: Ty = ty("BOOL", "bool", 1, false);
pub const INT: Ty = ty("INT", "int16_t", 16, true);
pub const DINT: Ty = ty("DINT", "int32_t", 32, true);
pub const TYPES: [Ty; 15] = [
    BOOL,
    ty("SINT", "int8_t", 8, true),
    INT,
    DINT,
    ty("LINT", "int64_t", 64, true),
    ty("USINT", "uint8_t", 8, false),
    ty("UINT", "uint16_t", 16, false),
    ty("UDINT", "uint32_t", 32, false),
    ty("ULINT", "uint64_t", 64, false),
    bits("BYTE", "uint8_t", 8),
    bits("WORD", "uint16_t", 16),
    bits("DWORD", "uint32_t", 32),
    bits("LWORD", "uint64_t", 64),
    float("REAL", "float", 32),
    float("LREAL", "double", 64),
];

impl Ty {
    fn is_number(self) -> bool {
        self.width > 1 && !self.float
    }

    fn unsigned(self) -> String {
        format!("uint{}_t", self.width)
    }
}

/// The type in C that two numbers are compared in, by the rules of the documentation.
fn joined(a: Ty, b: Ty) -> String {
    if a.float || b.float {
        return if a.c == "double" || b.c == "double" { "double".into() } else { "float".into() };
    }
    if a.width == 1 || b.width == 1 {
        return if a.width == 1 { b.c.into() } else { a.c.into() };
    }
    if a.signed == b.signed {
        return if a.width >= b.width { a.c.into() } else { b.c.into() };
    }
    let (signed, unsigned) = if a.signed { (a.width, b.width) } else { (b.width, a.width) };
    let width = if signed > unsigned { signed } else { (2 * unsigned).min(64) };
    format!("int{width}_t")
}

/// An expression or statement in both languages.
struct Both {
    st: String,
    c: String,
}

fn both(st: impl Into<String>, c: impl Into<String>) -> Both {
    Both { st: st.into(), c: c.into() }
}

/// A program: its texts, and the variables that are compared, with their names in C and types; a
/// string has no type.
pub struct Program {
    pub st: String,
    pub c: String,
    pub shown: Vec<(String, String, Option<Ty>)>,
}

/// The program of a seed.
pub fn program(seed: u64, prefix: &str) -> Program {
    let rng = StdRng::seed_from_u64(seed);
    let mut w = Writer::new(rng);
    let (mut st, mut c) = (String::new(), String::new());
    function(&mut w, prefix, &mut st, &mut c);
    instance(&mut w, prefix, &mut st, &mut c);
    w.scope.clear();
    let mut declared = "zero : INT;\n".to_owned();
    let mut shown = Vec::new();
    for number in 0..6 {
        let ty = w.any();
        let (name, c_name) = (format!("v{number}"), format!("{prefix}v{number}"));
        let initial = w.literal(ty);
        writeln!(declared, "{name} : {} := {};", ty.st, initial.st).expect("a string");
        writeln!(c, "static {} {c_name} = {};", ty.c, initial.c).expect("a string");
        w.scope.push((name.clone(), c_name.clone(), ty, true));
        shown.push((name, c_name, Some(ty)));
    }
    let ty = w.any();
    writeln!(declared, "arr : ARRAY[0..3] OF {};", ty.st).expect("a string");
    writeln!(c, "static {} {prefix}arr[4];", ty.c).expect("a string");
    w.arrays.push(("arr".into(), format!("{prefix}arr"), ty));
    let (_, instance_c, .., out) = w.instances[0].clone();
    w.scope.push(("inst.o".into(), format!("{instance_c}_o"), out, false));
    let more = standard::declare(&mut w, prefix, (ty, &format!("{prefix}arr")));
    (st, c) = (more.types.st + &st + &more.functions.st, more.types.c + &c + &more.functions.c);
    declared.push_str(&more.variables);
    shown.extend(more.shown);
    let before = w.loops;
    let body = w.block(10, 3);
    declared.push_str(&w.counters(before));
    let _ = writeln!(
        st,
        "PROGRAM main\nVAR\n{declared}inst : inner;\nEND_VAR\n{}{}END_PROGRAM",
        more.begin, body.st
    );
    let _ = writeln!(c, "static void {prefix}main(void) {{\n{}}}", body.c);
    for at in 0..4 {
        shown.push((format!("arr[{at}]"), format!("{prefix}arr[{at}]"), Some(ty)));
    }
    Program { st, c, shown }
}

/// A function of two parameters.
fn function(w: &mut Writer, prefix: &str, st: &mut String, c: &mut String) {
    let (result, p, q, l) = (w.any(), w.any(), w.any(), w.any());
    let name = format!("{prefix}f");
    w.scope = vec![
        ("p".into(), "p".into(), p, true),
        ("q".into(), "q".into(), q, true),
        ("l".into(), "l".into(), l, true),
        (name.clone(), "result_".into(), result, true),
    ];
    let before = w.loops;
    let body = w.block(3, 2);
    let counters = w.counters(before);
    let _ = writeln!(
        st,
        "FUNCTION {name} : {}\nVAR_INPUT p : {}; q : {}; END_VAR\nVAR l : {}; zero : INT;\n{counters}END_VAR\n{}END_FUNCTION",
        result.st, p.st, q.st, l.st, body.st
    );
    let _ = writeln!(
        c,
        "static {} {name}({} p, {} q) {{ {} l = 0; {} result_ = 0;\n{}return result_; }}",
        result.c, p.c, q.c, l.c, result.c, body.c
    );
    w.functions.push((name, result, p, q));
}

/// A function block with two inputs, an output and a state.
fn instance(w: &mut Writer, prefix: &str, st: &mut String, c: &mut String) {
    let (a, b, o, s) = (w.any(), w.any(), w.any(), w.any());
    let inst = format!("{prefix}inst");
    w.scope = vec![
        ("a".into(), format!("{inst}_a"), a, true),
        ("b".into(), format!("{inst}_b"), b, true),
        ("o".into(), format!("{inst}_o"), o, true),
        ("s".into(), format!("{inst}_s"), s, true),
    ];
    for (name, ty) in [("a", a), ("b", b), ("o", o), ("s", s)] {
        let _ = writeln!(c, "static {} {inst}_{name};", ty.c);
    }
    let before = w.loops;
    let body = w.block(3, 2);
    let counters = w.counters(before);
    let _ = writeln!(
        st,
        "FUNCTION_BLOCK inner\nVAR_INPUT a : {}; b : {}; END_VAR\nVAR_OUTPUT o : {}; END_VAR\nVAR s : {}; zero : INT;\n{counters}END_VAR\n{}END_FUNCTION_BLOCK",
        a.st, b.st, o.st, s.st, body.st
    );
    let _ = writeln!(
        c,
        "static void {inst}_call({} a_, {} b_) {{ {inst}_a = a_; {inst}_b = b_;\n{}}}",
        a.c, b.c, body.c
    );
    w.instances.push(("inst".into(), inst, a, b, o));
}
