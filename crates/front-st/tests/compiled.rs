//! Random programs, and their translations to C as gcc compiles them: after each of three cycles,
//! all variables have the same values.
//!
//! The translation has rules of its own for what types operands are computed in, so that it checks
//! ours. `PROGRAMS=5000 cargo test --release -p cairn-front-st --test compiled -- --ignored` runs
//! many.

mod common;

use common::{at, observed, written};
use front_st::run::run;
use program::interpret::{Limits, Outcome};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::fmt::Write as _;
use std::process::Command;

/// Types of the variables: name, type in C, width, signed; the width of BOOL is one.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Ty {
    st: &'static str,
    c: &'static str,
    width: u32,
    signed: bool,
    float: bool,
    bits: bool,
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

const BOOL: Ty = ty("BOOL", "bool", 1, false);
const TYPES: [Ty; 15] = [
    BOOL,
    ty("SINT", "int8_t", 8, true),
    ty("INT", "int16_t", 16, true),
    ty("DINT", "int32_t", 32, true),
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

struct Writer {
    rng: StdRng,
    /// Scalars in scope: name in ST, name in C, type, whether it may be written.
    scope: Vec<(String, String, Ty, bool)>,
    /// Arrays of four elements in scope.
    arrays: Vec<(String, String, Ty)>,
    /// Functions of two parameters.
    functions: Vec<(String, Ty, Ty, Ty)>,
    /// Instances with two inputs and an output.
    instances: Vec<(String, String, Ty, Ty, Ty)>,
    loops: usize,
    in_loop: bool,
}

impl Writer {
    fn any(&mut self) -> Ty {
        TYPES[self.rng.random_range(0..TYPES.len())]
    }

    fn number(&mut self) -> Ty {
        loop {
            let ty = self.any();
            if ty.is_number() {
                return ty;
            }
        }
    }

    fn literal(&mut self, ty: Ty) -> Both {
        if ty.width == 1 {
            let truth = self.rng.random_bool(0.5);
            return both(if truth { "TRUE" } else { "FALSE" }, u8::from(truth).to_string());
        }
        if ty.float {
            let number = f64::from(self.rng.random_range(-400i32..400)) / 8.0;
            let st = format!("{}#{number:?}", ty.st);
            return both(st, format!("(({})({number:?}))", ty.c));
        }
        let most = if ty.signed { (1i128 << (ty.width - 1)) - 1 } else { (1i128 << ty.width) - 1 };
        let value = match self.rng.random_range(0..4) {
            0 => self.rng.random_range(0..=most),
            1 => most,
            _ => self.rng.random_range(0..=most.min(20)),
        };
        let value = if ty.signed && self.rng.random_bool(0.3) { -value } else { value };
        let suffix = if ty.signed { "LL" } else { "ULL" };
        both(format!("{}#{value}", ty.st), format!("(({})({value}{suffix}))", ty.c))
    }

    fn leaf(&mut self, ty: Ty) -> Both {
        let known: Vec<_> = self.scope.iter().filter(|(_, _, other, _)| *other == ty).collect();
        if !known.is_empty() && self.rng.random_bool(0.7) {
            let at = self.rng.random_range(0..known.len());
            return both(known[at].0.clone(), known[at].1.clone());
        }
        self.literal(ty)
    }

    fn expr(&mut self, ty: Ty, depth: u32) -> Both {
        if depth == 0 || self.rng.random_bool(0.15) {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        match self.rng.random_range(0..10) {
            0 => {
                let (g, a, b) =
                    (self.expr(BOOL, depth), self.expr(ty, depth), self.expr(ty, depth));
                both(
                    format!("SEL({}, {}, {})", g.st, a.st, b.st),
                    format!("(({}) ? ({}) : ({}))", g.c, b.c, a.c),
                )
            }
            1 if !ty.float => self.converted(ty, depth),
            2 => self.call(ty).unwrap_or_else(|| self.leaf(ty)),
            3 => self.element(ty, depth).unwrap_or_else(|| self.leaf(ty)),
            _ if ty.width == 1 => self.truth(depth),
            _ if ty.float => {
                let op = ["+", "-", "*", "/"][self.rng.random_range(0..4)];
                let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
                both(
                    format!("({} {op} {})", a.st, b.st),
                    format!("(({})({} {op} {}))", ty.c, a.c, b.c),
                )
            }
            _ => self.arithmetic(ty, depth),
        }
    }

    fn converted(&mut self, ty: Ty, depth: u32) -> Both {
        let from = loop {
            let from = self.any();
            if !from.float && from != ty {
                break from;
            }
        };
        let e = self.expr(from, depth);
        let st = format!("{}_TO_{}({})", from.st, ty.st, e.st);
        let c = match ty.width {
            1 => format!("(({}) != 0)", e.c),
            _ => format!("(({})({}))", ty.c, e.c),
        };
        both(st, c)
    }

    fn truth(&mut self, depth: u32) -> Both {
        match self.rng.random_range(0..5) {
            0 => {
                let e = self.expr(BOOL, depth);
                both(format!("(NOT {})", e.st), format!("(!{})", e.c))
            }
            1 | 2 => {
                let (st, c) =
                    [("AND", "&&"), ("OR", "||"), ("XOR", "!=")][self.rng.random_range(0..3)];
                let (a, b) = (self.expr(BOOL, depth), self.expr(BOOL, depth));
                // The operands of C's operators are evaluated both: they have no effects.
                both(format!("({} {st} {})", a.st, b.st), format!("(({}) {c} ({}))", a.c, b.c))
            }
            _ => {
                let (x, y) = (self.number(), self.number());
                let common = joined(x, y);
                let (st, c) =
                    [("<", "<"), ("<=", "<="), ("=", "=="), ("<>", "!="), (">", ">"), (">=", ">=")]
                        [self.rng.random_range(0..6)];
                let (a, b) = (self.expr(x, depth), self.expr(y, depth));
                both(
                    format!("({} {st} {})", a.st, b.st),
                    format!("((({common})({})) {c} (({common})({})))", a.c, b.c),
                )
            }
        }
    }

    fn arithmetic(&mut self, ty: Ty, depth: u32) -> Both {
        let a = self.expr(ty, depth);
        let wrap = |text: String| format!("(({})({text}))", ty.c);
        match self.rng.random_range(0..8) {
            0 if ty.signed => both(format!("(-{})", a.st), wrap(format!("-({})", a.c))),
            1 if ty.bits => both(format!("(NOT {})", a.st), wrap(format!("~({})", a.c))),
            2 => {
                let divisor = self.rng.random_range(2..=100);
                let (st, c) = [("/", "/"), ("MOD", "%")][self.rng.random_range(0..2)];
                let unit = if ty.signed { "" } else { "u" };
                both(
                    format!("({} {st} {divisor})", a.st),
                    wrap(format!("({}) {c} ({})({divisor}{unit})", a.c, ty.c)),
                )
            }
            3 => {
                let b = self.expr(ty, depth);
                let (st, c) = [("MAX", ">"), ("MIN", "<")][self.rng.random_range(0..2)];
                both(
                    format!("{st}({}, {})", a.st, b.st),
                    format!("((({}) {c} ({})) ? ({}) : ({}))", a.c, b.c, a.c, b.c),
                )
            }
            4 if ty.bits => {
                let by = self.rng.random_range(0..ty.width);
                let op = ["SHL", "SHR", "ROL", "ROR"][self.rng.random_range(0..4)];
                let (u, w) = (ty.unsigned(), ty.width);
                let x = format!("(({u})({}))", a.c);
                let back = (w - by) % w;
                let c = match op {
                    "SHL" => format!("{x} << {by}"),
                    "SHR" => format!("{x} >> {by}"),
                    "ROL" => format!("({x} << {by}) | ({x} >> {back})"),
                    _ => format!("({x} >> {by}) | ({x} << {back})"),
                };
                both(format!("{op}({}, {by})", a.st), wrap(c))
            }
            5 if ty.bits => {
                let b = self.expr(ty, depth);
                let (st, c) =
                    [("AND", "&"), ("OR", "|"), ("XOR", "^")][self.rng.random_range(0..3)];
                both(format!("({} {st} {})", a.st, b.st), wrap(format!("({}) {c} ({})", a.c, b.c)))
            }
            _ => {
                let b = self.expr(ty, depth);
                let op = ["+", "-", "*"][self.rng.random_range(0..3)];
                let u = if ty.width < 64 { "uint32_t".into() } else { ty.unsigned() };
                both(
                    format!("({} {op} {})", a.st, b.st),
                    wrap(format!("({u})({}) {op} ({u})({})", a.c, b.c)),
                )
            }
        }
    }

    fn element(&mut self, ty: Ty, depth: u32) -> Option<Both> {
        let known: Vec<_> = self.arrays.iter().filter(|(_, _, other)| *other == ty).collect();
        let (st, c, _) = (*known.first()?).clone();
        let index = self.index(depth);
        Some(both(format!("{st}[{}]", index.st), format!("{c}[{}]", index.c)))
    }

    fn index(&mut self, depth: u32) -> Both {
        let unsigned = TYPES[5];
        let e = self.expr(unsigned, depth.min(1));
        both(format!("{} MOD 4", e.st), format!("({}) % 4", e.c))
    }

    fn call(&mut self, ty: Ty) -> Option<Both> {
        let known: Vec<_> = self.functions.iter().filter(|(_, r, ..)| *r == ty).collect();
        let (name, _, p, q) = (*known.first()?).clone();
        let (a, b) = (self.leaf(p), self.leaf(q));
        Some(both(format!("{name}({}, q := {})", a.st, b.st), format!("{name}({}, {})", a.c, b.c)))
    }

    fn block(&mut self, count: usize, depth: u32) -> Both {
        let mut all = both("", "");
        for _ in 0..count {
            let statement = self.statement(depth);
            writeln!(all.st, "{}", statement.st).expect("a string");
            writeln!(all.c, "{}", statement.c).expect("a string");
        }
        all
    }

    fn assignment(&mut self) -> Both {
        let known: Vec<_> = self.scope.iter().filter(|(.., writable)| *writable).cloned().collect();
        let (st, c, ty, _) = known[self.rng.random_range(0..known.len())].clone();
        let e = self.expr(ty, 3);
        both(format!("{st} := {};", e.st), format!("{c} = {};", e.c))
    }

    fn statement(&mut self, depth: u32) -> Both {
        if depth == 0 {
            return self.assignment();
        }
        let depth = depth - 1;
        match self.rng.random_range(0..12) {
            0 | 1 => {
                let g = self.expr(BOOL, 2);
                let (a, b) = (self.block(2, depth), self.block(1, depth));
                both(
                    format!("IF {} THEN\n{}ELSE\n{}END_IF;", g.st, a.st, b.st),
                    format!("if ({}) {{\n{}}} else {{\n{}}}", g.c, a.c, b.c),
                )
            }
            2 => self.case(depth),
            3 | 4 => self.for_loop(depth),
            5 => self.while_loop(depth),
            6 if self.in_loop => {
                let g = self.expr(BOOL, 1);
                let (st, c) =
                    [("EXIT", "break"), ("CONTINUE", "continue")][self.rng.random_range(0..2)];
                both(format!("IF {} THEN {st}; END_IF;", g.st), format!("if ({}) {c};", g.c))
            }
            7 if !self.instances.is_empty() => {
                let at = self.rng.random_range(0..self.instances.len());
                let (st, c, a, b, _) = self.instances[at].clone();
                let (x, y) = (self.expr(a, 2), self.expr(b, 1));
                both(
                    format!("{st}(a := {}, b := {});", x.st, y.st),
                    format!("{c}_call({}, {});", x.c, y.c),
                )
            }
            8 if !self.arrays.is_empty() => {
                let at = self.rng.random_range(0..self.arrays.len());
                let (st, c, ty) = self.arrays[at].clone();
                let (index, e) = (self.index(1), self.expr(ty, 2));
                both(
                    format!("{st}[{}] := {};", index.st, e.st),
                    format!("{{ {0} v_ = {3}; {1}[{2}] = v_; }}", ty.c, c, index.c, e.c),
                )
            }
            _ => self.assignment(),
        }
    }

    fn case(&mut self, depth: u32) -> Both {
        let selector = self.expr(TYPES[5], 2);
        let (a, b, other) = (self.block(1, depth), self.block(1, depth), self.block(1, depth));
        let cut = self.rng.random_range(1..100);
        // `break` would leave the C switch only, so it is a chain of conditions.
        both(
            format!(
                "CASE {} OF\n0, {cut}: {}{}..200: {}ELSE {}END_CASE;",
                selector.st,
                a.st,
                cut + 1,
                b.st,
                other.st
            ),
            format!(
                "{{ uint8_t s_ = {}; if (s_ == 0 || s_ == {cut}) {{ {} }} else if (s_ > {cut} && s_ <= 200) {{ {} }} else {{ {} }} }}",
                selector.c, a.c, b.c, other.c
            ),
        )
    }

    fn for_loop(&mut self, depth: u32) -> Both {
        self.loops += 1;
        let name = format!("i{}", self.loops);
        let (from, to) = (self.rng.random_range(-2..3), self.rng.random_range(-1..6));
        let by = [1, 2, -1][self.rng.random_range(0..3)];
        let known = self.rng.random_bool(0.5);
        let outer = std::mem::replace(&mut self.in_loop, true);
        let scope = self.scope.clone();
        self.scope.push((name.clone(), format!("{name}_"), TYPES[2], false));
        let body = self.block(2, depth);
        self.scope = scope;
        self.in_loop = outer;
        // A bound that is a variable keeps the loop a loop.
        let (st_to, c_to) = match known {
            true => (to.to_string(), to.to_string()),
            false => (format!("({to} + zero)"), to.to_string()),
        };
        let op = if by > 0 { "<=" } else { ">=" };
        both(
            format!("FOR {name} := {from} TO {st_to} BY {by} DO\n{}END_FOR;", body.st),
            format!(
                "for (int16_t {name}_ = {from}; {name}_ {op} {c_to}; {name}_ += {by}) {{\n{}}}",
                body.c
            ),
        )
    }

    fn while_loop(&mut self, depth: u32) -> Both {
        self.loops += 1;
        let name = format!("i{}", self.loops);
        let turns = self.rng.random_range(0..4);
        let g = self.expr(BOOL, 1);
        let outer = std::mem::replace(&mut self.in_loop, true);
        let body = self.block(1, depth);
        self.in_loop = outer;
        both(
            format!(
                "{name} := 0;\nWHILE {name} < {turns} AND {} DO\n{name} := {name} + 1;\n{}END_WHILE;",
                g.st, body.st
            ),
            format!(
                "{{ int16_t {name}_ = 0;\nwhile ({name}_ < {turns} && ({})) {{ {name}_++;\n{}}} }}",
                g.c, body.c
            ),
        )
    }

    /// Counters of loops are variables of the unit.
    fn counters(&self, from: usize) -> String {
        (from + 1..=self.loops).map(|i| format!("i{i} : INT;\n")).collect()
    }
}

/// A program: its texts, and the variables that are compared, with their types.
struct Program {
    st: String,
    c: String,
    shown: Vec<(String, String, Ty)>,
}

fn program(seed: u64, prefix: &str) -> Program {
    let rng = StdRng::seed_from_u64(seed);
    let mut w = Writer {
        rng,
        scope: Vec::new(),
        arrays: Vec::new(),
        functions: Vec::new(),
        instances: Vec::new(),
        loops: 0,
        in_loop: false,
    };
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
        shown.push((name, c_name, ty));
    }
    let ty = w.any();
    writeln!(declared, "arr : ARRAY[0..3] OF {};", ty.st).expect("a string");
    writeln!(c, "static {} {prefix}arr[4];", ty.c).expect("a string");
    w.arrays.push(("arr".into(), format!("{prefix}arr"), ty));
    let (_, instance_c, .., out) = w.instances[0].clone();
    w.scope.push(("inst.o".into(), format!("{instance_c}_o"), out, false));
    let before = w.loops;
    let body = w.block(8, 3);
    declared.push_str(&w.counters(before));
    let _ =
        writeln!(st, "PROGRAM main\nVAR\n{declared}inst : inner;\nEND_VAR\n{}END_PROGRAM", body.st);
    let _ = writeln!(c, "static void {prefix}main(void) {{\n{}}}", body.c);
    for at in 0..4 {
        shown.push((format!("arr[{at}]"), format!("{prefix}arr[{at}]"), ty));
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

const CYCLES: usize = 3;

/// What compiled programs print, a line for each cycle of each.
fn compiled(programs: &[Program]) -> Vec<String> {
    let mut text = String::from(
        "#include <stdint.h>\n#include <stdbool.h>\n#include <stdio.h>\n#include <inttypes.h>\n#include <string.h>\n\
         static void f32(float f) { uint32_t b; memcpy(&b, &f, 4); if (f != f) printf(\"nan \"); else printf(\"%\" PRIu32 \" \", b); }\n\
         static void f64(double f) { uint64_t b; memcpy(&b, &f, 8); if (f != f) printf(\"nan \"); else printf(\"%\" PRIu64 \" \", b); }\n",
    );
    programs.iter().for_each(|program| text.push_str(&program.c));
    text.push_str("int main(void) {\n");
    for (number, program) in programs.iter().enumerate() {
        for _ in 0..CYCLES {
            let _ = writeln!(text, "p{number}_main();");
            for (_, name, ty) in &program.shown {
                let _ = match (ty.float, ty.width, ty.signed) {
                    (true, width, _) => writeln!(text, "f{width}({name});"),
                    (_, _, true) => writeln!(text, "printf(\"%\" PRId64 \" \", (int64_t){name});"),
                    _ => writeln!(text, "printf(\"%\" PRIu64 \" \", (uint64_t){name});"),
                };
            }
            text.push_str("printf(\"\\n\");\n");
        }
    }
    text.push_str("return 0; }\n");
    let folder = std::env::temp_dir().join(format!("cairn-st-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the translation");
    let (source, binary) = (folder.join("t.c"), folder.join("t"));
    std::fs::write(&source, text).expect("the translation is written");
    let gcc = Command::new("gcc")
        .args(["-w", "-O0", "-fwrapv", "-ffp-contract=off", "-o"])
        .args([&binary, &source])
        .output()
        .expect("gcc runs");
    assert!(gcc.status.success(), "{}", String::from_utf8_lossy(&gcc.stderr));
    let output = Command::new(&binary).output().expect("the translation runs");
    assert!(output.status.success(), "the translation crashed");
    let _ = std::fs::remove_dir_all(&folder);
    String::from_utf8_lossy(&output.stdout).lines().map(|l| l.trim_end().to_owned()).collect()
}

/// The same lines as our interpreter has them.
fn interpreted(program: &Program) -> Vec<String> {
    let compiled = observed(&program.st, "main", CYCLES as u64);
    let lowered = match &compiled.lowered {
        Ok(lowered) => lowered,
        Err(_) => panic!("{}\n{}", program.st, common::messages(&compiled).join("\n")),
    };
    program::wellformed::check(&lowered.program).expect("well-formed");
    let cycles: Vec<_> = (0..CYCLES as u64).map(|cycle| at(cycle, &[])).collect();
    let limits = Limits { steps: 5_000_000, ..Limits::default() };
    let shown = run(lowered, &cycles, limits).expect("known names");
    assert!(
        matches!(shown.outcome, Outcome::Finished { .. }),
        "{:?}\n{}",
        shown.outcome,
        program.st
    );
    let entries = &lowered.observed.entries;
    let line = |row: &Vec<front_st::run::Seen>| {
        let words = program.shown.iter().map(|(name, ..)| {
            let (root, index) = match name.split_once('[') {
                Some((root, index)) => (root, index.trim_end_matches(']').parse().ok()),
                None => (&**name, None),
            };
            let at = entries.iter().position(|e| &*e.name == root).expect("a known variable");
            word(match (&row[at], index) {
                (front_st::run::Seen::List(values), Some(index)) => {
                    let index: usize = index;
                    &values[index]
                }
                (seen, _) => seen,
            })
        });
        words.collect::<Vec<_>>().join(" ")
    };
    shown.cycles.iter().map(line).collect()
}

fn word(seen: &front_st::run::Seen) -> String {
    match seen {
        front_st::run::Seen::Real { value, .. } if value.is_nan() => "nan".into(),
        front_st::run::Seen::Real { value, single: true } => (*value as f32).to_bits().to_string(),
        front_st::run::Seen::Real { value, .. } => value.to_bits().to_string(),
        seen => written(seen),
    }
}

fn compare(seeds: std::ops::Range<u64>) {
    let seeds: Vec<u64> = seeds.collect();
    for batch in seeds.chunks(100) {
        let programs: Vec<Program> =
            (0..).zip(batch).map(|(number, seed)| program(*seed, &format!("p{number}_"))).collect();
        let lines = compiled(&programs);
        for (number, program) in programs.iter().enumerate() {
            let expected = &lines[number * CYCLES..(number + 1) * CYCLES];
            let found = interpreted(program);
            assert_eq!(found, expected, "seed {}\n{}\n{}", batch[number], program.st, program.c);
        }
    }
}

#[test]
fn random_programs_do_what_their_translations_do() {
    compare(0..40);
}

#[test]
#[ignore = "many programs: PROGRAMS=5000 cargo test --release -p cairn-front-st --test compiled -- --ignored"]
fn many_random_programs_do_what_their_translations_do() {
    let count = std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok());
    let start = std::env::var("START").ok().and_then(|start| start.parse().ok()).unwrap_or(1000);
    compare(start..start + count.unwrap_or(5000));
}
