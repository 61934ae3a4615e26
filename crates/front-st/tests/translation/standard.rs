//! What programs have besides numbers: timers, counters, edges, strings, structures, pointers,
//! parameters by reference.

use super::writer::Writer;
use super::{BOOL, Both, DINT, INT, Ty, both};
use rand::Rng;

/// What statements may use.
#[derive(Default)]
pub struct Extras {
    /// Names in ST and in C, block, preset.
    timers: Vec<(String, String, &'static str, u32)>,
    /// The same of counters, edges and bistable blocks.
    blocks: Vec<(String, String, &'static str, i32)>,
    /// Names in ST and in C, greatest length.
    strings: Vec<(String, String, usize)>,
    /// Structures of one type, and the array of them; its field that is written, with its type.
    structures: Vec<(String, String)>,
    records: Option<(String, String, Ty)>,
    /// A pointer, and the array that it points into.
    pointer: Option<(String, String, String, String)>,
    /// A function with a parameter by reference and an output.
    by_reference: Option<Called>,
    /// What names in C begin with.
    prefix: String,
}

/// A function, the type of its input, and the variables that it is called with.
#[derive(Clone)]
struct Called {
    name: String,
    input: Ty,
    variables: [(String, String); 3],
}

/// What is declared.
pub struct Declared {
    pub types: Both,
    pub functions: Both,
    pub variables: String,
    /// Statements at the beginning of the program.
    pub begin: String,
    pub shown: Vec<(String, String, Option<Ty>)>,
}

/// Declares all of that. The array has a type and a name in C.
pub fn declare(w: &mut Writer, prefix: &str, (ty, array): (Ty, &str)) -> Declared {
    let mut out = Declared {
        types: both("", ""),
        functions: both("", ""),
        variables: String::new(),
        begin: "IF pt = 0 THEN pt := ADR(arr[0]); END_IF;\n".to_owned(),
        shown: Vec::new(),
    };
    w.extras.prefix = prefix.to_owned();
    blocks(w, prefix, &mut out);
    strings(w, prefix, &mut out);
    structures(w, prefix, &mut out);
    out.variables += &format!("pt : POINTER TO {};\n", ty.st);
    out.types.c += &format!("static {0} {array}[4]; static {0} *{prefix}pt = {array};\n", ty.c);
    w.extras.pointer = Some(("pt".into(), format!("{prefix}pt"), "arr".into(), array.to_owned()));
    w.scope.push(("pt^".into(), format!("(*{prefix}pt)"), ty, true));
    by_reference(w, prefix, &mut out);
    out
}

fn blocks(w: &mut Writer, prefix: &str, out: &mut Declared) {
    for (number, block) in ["TON", "TOF", "TP"].into_iter().enumerate() {
        let (name, c) = (format!("t{number}"), format!("{prefix}t{number}"));
        out.variables += &format!("{name} : {block};\n");
        out.types.c += &format!("static struct timer {c};\n");
        w.scope.push((format!("{name}.Q"), format!("{c}.q"), BOOL, false));
        w.scope.push((format!("TIME_TO_DINT({name}.ET)"), format!("{c}.et"), DINT, false));
        out.shown.push((format!("{name}.Q"), format!("{c}.q"), Some(BOOL)));
        out.shown.push((format!("{name}.ET"), format!("{c}.et"), Some(DINT)));
        let preset = w.rng.random_range(1..40);
        w.extras.timers.push((name, c, block, preset));
    }
    let all = [
        ("CTU", "counter", "Q", "qu"),
        ("CTD", "counter", "Q", "qd"),
        ("CTUD", "counter", "QU", "qu"),
        ("R_TRIG", "bit", "Q", "q"),
        ("F_TRIG", "bit", "Q", "q"),
        ("SR", "bit", "Q1", "q"),
        ("RS", "bit", "Q1", "q"),
    ];
    for (number, (block, kind, output, field)) in all.into_iter().enumerate() {
        let (name, c) = (format!("b{number}"), format!("{prefix}b{number}"));
        out.variables += &format!("{name} : {block};\n");
        out.types.c += &format!("static struct {kind} {c};\n");
        w.scope.push((format!("{name}.{output}"), format!("{c}.{field}"), BOOL, false));
        out.shown.push((format!("{name}.{output}"), format!("{c}.{field}"), Some(BOOL)));
        if kind == "counter" {
            w.scope.push((format!("{name}.CV"), format!("{c}.cv"), INT, false));
            out.shown.push((format!("{name}.CV"), format!("{c}.cv"), Some(INT)));
        }
        let preset = w.rng.random_range(-1..4);
        w.extras.blocks.push((name, c, block, preset));
    }
}

fn strings(w: &mut Writer, prefix: &str, out: &mut Declared) {
    for (number, length) in [6, 12].into_iter().enumerate() {
        let (name, c) = (format!("s{number}"), format!("{prefix}s{number}"));
        out.variables += &format!("{name} : STRING[{length}] := 'ab';\n");
        out.types.c += &format!("static char {c}[{}] = \"ab\";\n", length + 1);
        out.shown.push((name.clone(), c.clone(), None));
        w.extras.strings.push((name, c, length));
    }
    for (name, ty) in [("ln", INT), ("fd", INT), ("bq", BOOL)] {
        let c = format!("{prefix}{name}");
        out.variables += &format!("{name} : {};\n", ty.st);
        out.types.c += &format!("static {} {c};\n", ty.c);
        out.shown.push((name.into(), c.clone(), Some(ty)));
        w.scope.push((name.into(), c, ty, false));
    }
}

fn structures(w: &mut Writer, prefix: &str, out: &mut Declared) {
    let (a, b, e) = (w.any(), w.any(), w.any());
    out.types.st += &format!(
        "TYPE S : STRUCT a : {}; b : {}; c : ARRAY[0..3] OF {}; END_STRUCT END_TYPE\n",
        a.st, b.st, e.st
    );
    out.types.c += &format!("struct {prefix}S {{ {} a; {} b; {} c[4]; }};\n", a.c, b.c, e.c);
    for name in ["r", "q"] {
        let c = format!("{prefix}{name}");
        let initial = w.literal(a);
        out.variables += &format!("{name} : S := (a := {});\n", initial.st);
        out.types.c += &format!("static struct {prefix}S {c} = {{ {} }};\n", initial.c);
        for (field, ty) in [("a", a), ("b", b)] {
            w.scope.push((format!("{name}.{field}"), format!("{c}.{field}"), ty, true));
            out.shown.push((format!("{name}.{field}"), format!("{c}.{field}"), Some(ty)));
        }
        for at in 0..4 {
            out.shown.push((format!("{name}.c[{at}]"), format!("{c}.c[{at}]"), Some(e)));
        }
        w.arrays.push((format!("{name}.c"), format!("{c}.c"), e));
        w.extras.structures.push((name.into(), c));
    }
    out.variables += "sa : ARRAY[0..3] OF S;\n";
    out.types.c += &format!("static struct {prefix}S {prefix}sa[4];\n");
    for at in 0..4 {
        out.shown.push((format!("sa[{at}].b"), format!("{prefix}sa[{at}].b"), Some(b)));
    }
    w.extras.records = Some(("sa".into(), format!("{prefix}sa"), b));
}

/// A function that changes what it is given.
fn by_reference(w: &mut Writer, prefix: &str, out: &mut Declared) {
    let (result, io, k, o) = (w.any(), w.any(), w.any(), w.any());
    let name = format!("{prefix}g");
    let scope = std::mem::take(&mut w.scope);
    let (arrays, extras) = (std::mem::take(&mut w.arrays), std::mem::take(&mut w.extras));
    let instances = std::mem::take(&mut w.instances);
    w.scope = vec![
        ("io".into(), "(*io_)".into(), io, true),
        ("k".into(), "k".into(), k, true),
        ("o".into(), "o".into(), o, true),
        (name.clone(), "result_".into(), result, true),
    ];
    let before = w.loops;
    let body = w.block(3, 2);
    let counters = w.counters(before);
    (w.scope, w.arrays, w.extras, w.instances) = (scope, arrays, extras, instances);
    out.functions.st += &format!(
        "FUNCTION {name} : {}\nVAR_IN_OUT io : {}; END_VAR\nVAR_INPUT k : {}; END_VAR\nVAR_OUTPUT o : {}; END_VAR\nVAR zero : INT;\n{counters}END_VAR\n{}END_FUNCTION\n",
        result.st, io.st, k.st, o.st, body.st
    );
    out.functions.c += &format!(
        "static {} {name}({} *io_, {} k, {} *o_) {{ {} o = 0; {} result_ = 0;\n{}*o_ = o; return result_; }}\n",
        result.c, io.c, k.c, o.c, o.c, result.c, body.c
    );
    let names = [("gr", result), ("gi", io), ("go", o)].map(|(short, ty)| {
        let c = format!("{prefix}{short}");
        out.variables += &format!("{short} : {};\n", ty.st);
        out.types.c += &format!("static {} {c};\n", ty.c);
        out.shown.push((short.into(), c.clone(), Some(ty)));
        w.scope.push((short.into(), c.clone(), ty, true));
        (short.to_owned(), c)
    });
    w.extras.by_reference = Some(Called { name, input: k, variables: names });
}

impl Writer {
    /// A statement about something else than numbers, if there is something.
    pub fn extra(&mut self) -> Option<Both> {
        if self.extras.timers.is_empty() {
            return None;
        }
        Some(match self.rng.random_range(0..8) {
            0 | 1 => {
                let at = self.rng.random_range(0..self.extras.timers.len());
                let (name, c, block, preset) = self.extras.timers[at].clone();
                let input = self.expr(BOOL, 2);
                both(
                    format!("{name}(IN := {}, PT := T#{preset}ms);", input.st),
                    format!("{}(&{c}, {}, {preset});", block.to_lowercase(), input.c),
                )
            }
            2 | 3 => self.call_of_block(),
            4 | 5 => self.about_strings(),
            6 => self.about_structures(),
            _ => self.about_references(),
        })
    }

    fn call_of_block(&mut self) -> Both {
        let at = self.rng.random_range(0..self.extras.blocks.len());
        let (name, c, block, preset) = self.extras.blocks[at].clone();
        let inputs: &[&str] = match block {
            "CTU" => &["CU", "R"],
            "CTD" => &["CD", "LD"],
            "CTUD" => &["CU", "CD", "R", "LD"],
            "SR" => &["S1", "R"],
            "RS" => &["S", "R1"],
            _ => &["CLK"],
        };
        let (mut st, mut arguments) = (Vec::new(), vec![format!("&{c}")]);
        for input in inputs {
            let value = self.expr(BOOL, 1);
            st.push(format!("{input} := {}", value.st));
            arguments.push(value.c);
        }
        if block.starts_with("CT") {
            st.push(format!("PV := {preset}"));
            arguments.push(preset.to_string());
        }
        both(
            format!("{name}({});", st.join(", ")),
            format!("{}({});", block.to_lowercase(), arguments.join(", ")),
        )
    }

    /// A string.
    fn string(&mut self, depth: u32) -> Both {
        let leaf = depth == 0 || self.rng.random_bool(0.2);
        if leaf && self.rng.random_bool(0.6) {
            let at = self.rng.random_range(0..self.extras.strings.len());
            let (name, c, _) = self.extras.strings[at].clone();
            return both(name, c);
        }
        if leaf {
            let length = self.rng.random_range(1..5);
            let letters = (0..length).map(|_| self.rng.random_range('a'..'d'));
            let text: String = letters.collect();
            return both(format!("'{text}'"), format!("\"{text}\""));
        }
        let a = self.string(depth - 1);
        let (l, p) = (self.rng.random_range(0..8), self.rng.random_range(1..8));
        let name = ["CONCAT", "LEFT", "RIGHT", "MID", "INSERT", "DELETE", "REPLACE"]
            [self.rng.random_range(0..7)];
        let (mut st, mut c) = (vec![a.st], vec![a.c]);
        if matches!(name, "CONCAT" | "INSERT" | "REPLACE") {
            let b = self.string(depth - 1);
            st.push(b.st);
            c.push(b.c);
        }
        let numbers: &[i32] = match name {
            "CONCAT" => &[],
            "LEFT" | "RIGHT" => &[l],
            "INSERT" => &[p],
            _ => &[l, p],
        };
        for list in [&mut st, &mut c] {
            list.extend(numbers.iter().map(ToString::to_string));
        }
        both(
            format!("{name}({})", st.join(", ")),
            format!("{}({})", name.to_lowercase(), c.join(", ")),
        )
    }

    fn about_strings(&mut self) -> Both {
        let a = self.string(2);
        let prefix = self.extras.prefix.clone();
        match self.rng.random_range(0..5) {
            0 => both(format!("ln := LEN({});", a.st), format!("{prefix}ln = strlen({});", a.c)),
            1 => {
                let b = self.string(1);
                both(
                    format!("fd := FIND({}, {});", a.st, b.st),
                    format!("{prefix}fd = find({}, {});", a.c, b.c),
                )
            }
            2 => {
                let b = self.string(1);
                let (st, c) = [("=", "=="), ("<>", "!="), ("<", "<"), (">=", ">=")]
                    [self.rng.random_range(0..4)];
                both(
                    format!("bq := {} {st} {};", a.st, b.st),
                    format!("{prefix}bq = strcmp({}, {}) {c} 0;", a.c, b.c),
                )
            }
            _ => {
                let at = self.rng.random_range(0..self.extras.strings.len());
                let (name, c, most) = self.extras.strings[at].clone();
                both(format!("{name} := {};", a.st), format!("set({c}, {most}, {});", a.c))
            }
        }
    }

    fn about_structures(&mut self) -> Both {
        let pick = self.rng.random_range(0..2);
        let (name, c) = self.extras.structures[pick].clone();
        let (other, other_c) = self.extras.structures[1 - pick].clone();
        let (records, records_c, field) = self.extras.records.clone().expect("it is declared");
        let index = self.index(1);
        match self.rng.random_range(0..4) {
            0 => both(format!("{name} := {other};"), format!("{c} = {other_c};")),
            1 => both(
                format!("{records}[{}] := {name};", index.st),
                format!("{records_c}[{}] = {c};", index.c),
            ),
            2 => both(
                format!("{name} := {records}[{}];", index.st),
                format!("{c} = {records_c}[{}];", index.c),
            ),
            _ => {
                let value = self.expr(field, 2);
                both(
                    format!("{records}[{}].b := {};", index.st, value.st),
                    format!("{{ {} v_ = {}; {records_c}[{}].b = v_; }}", field.c, value.c, index.c),
                )
            }
        }
    }

    fn about_references(&mut self) -> Both {
        if self.rng.random_bool(0.4) {
            let (name, c, array, array_c) = self.extras.pointer.clone().expect("it is declared");
            let index = self.index(1);
            return both(
                format!("{name} := ADR({array}[{}]);", index.st),
                format!("{c} = &{array_c}[{}];", index.c),
            );
        }
        let Called { name, input, variables: [result, io, output] } =
            self.extras.by_reference.clone().expect("it is declared");
        let value = self.expr(input, 2);
        both(
            format!(
                "{} := {name}(io := {}, k := {}, o => {});",
                result.0, io.0, value.st, output.0
            ),
            format!("{} = {name}(&{}, {}, &{});", result.1, io.1, value.c, output.1),
        )
    }
}
