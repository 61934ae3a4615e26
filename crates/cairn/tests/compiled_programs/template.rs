//! Programs before it is known what their checks compare with, and their two forms: one for
//! compilers, that tells the values of the checks, and one for us, that compares them.
//!
//! A template is C with three additions. `@name` is a name of file scope, which gets a prefix where
//! many programs are one file. A line `#input TYPE NAME FIRST LAST` declares a variable with an
//! unknown value in a range, or, of `float` and `double`, one of a list of values. A line
//! `#probe NUMBER; LEFT; RIGHT` is a check: a condition on the values of the two expressions, which
//! have no effects.

use std::fmt::Write;

/// Declarations of library functions, for both forms.
pub const PRELUDE: &str = include_str!("prelude.c");

const OURS: &str = "extern unsigned char __VERIFIER_nondet_uchar(void);
extern signed char __VERIFIER_nondet_char(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern short __VERIFIER_nondet_short(void);
extern long __VERIFIER_nondet_long(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);
extern void abort(void) __attribute__((noreturn));
void reach_error(void) { abort(); }
";

#[derive(Debug)]
pub struct Template {
    /// What it is about: the names of the generator's subjects.
    pub kind: &'static str,
    pub text: String,
    pub probes: usize,
    /// Where objects lie may decide what it does.
    pub addresses: bool,
}

impl Template {
    /// For compilers: names of file scope get the prefix.
    pub fn native(&self, prefix: &str) -> String {
        let mut text = String::new();
        for line in self.text.lines() {
            let start = line.trim_start();
            let written = match (start.strip_prefix("#input "), start.strip_prefix("#probe ")) {
                (Some(input), _) => native_input(input),
                (_, Some(probe)) => format!("probe({});", probe.replace(';', ",")),
                _ => line.to_owned(),
            };
            text.push_str(&written.replace('@', prefix));
            text.push('\n');
        }
        text
    }

    /// For us: `conditions` say of each probe when it is an error, as comparisons of `left` and
    /// `right`.
    pub fn ours(&self, conditions: &[String]) -> String {
        let mut text = format!("{PRELUDE}{OURS}");
        for line in self.text.lines() {
            let start = line.trim_start();
            let indent = &line[..line.len() - start.len()];
            let written = match (start.strip_prefix("#input "), start.strip_prefix("#probe ")) {
                (Some(input), _) => format!("{indent}{}", our_input(input)),
                (_, Some(probe)) => {
                    let parts: Vec<&str> = probe.split("; ").collect();
                    let [number, left, right] = parts[..] else { panic!("{probe}") };
                    let number: usize = number.parse().expect("a probe has a number");
                    let condition = &conditions[number];
                    format!(
                        "{indent}{{ long left = {left}, right = {right}; \
                         if ({condition}) reach_error(); }}"
                    )
                }
                _ => line.to_owned(),
            };
            text.push_str(&written.replace('@', ""));
            text.push('\n');
        }
        text
    }
}

/// The type, the name and the values of an input.
fn parts(input: &str) -> (String, &str, Vec<&str>) {
    let words: Vec<&str> = input.split_whitespace().collect();
    let name = words.iter().position(|word| word.starts_with('v')).expect("inputs are called v…");
    (words[..name].join(" "), words[name], words[name + 1..].to_vec())
}

fn native_input(input: &str) -> String {
    let (ty, name, values) = parts(input);
    if ty == "float" || ty == "double" {
        let (list, last) = (values.join(", "), values.len() - 1);
        return format!("{ty} {name} = (({ty}[]){{{list}}})[choose(0, {last})];");
    }
    format!("{ty} {name} = choose({}, {});", values[0], values[1])
}

fn our_input(input: &str) -> String {
    let (ty, name, values) = parts(input);
    let call = match &*ty {
        "unsigned char" => "__VERIFIER_nondet_uchar()",
        "signed char" => "__VERIFIER_nondet_char()",
        "short" => "__VERIFIER_nondet_short()",
        "unsigned" => "__VERIFIER_nondet_uint()",
        "long" => "__VERIFIER_nondet_long()",
        "_Bool" => "__VERIFIER_nondet_bool()",
        "float" => "__VERIFIER_nondet_float()",
        "double" => "__VERIFIER_nondet_double()",
        _ => "__VERIFIER_nondet_int()",
    };
    let mut text = format!("{ty} {name} = {call}");
    match (&*ty, &values[..]) {
        ("_Bool", _) => text.push(';'),
        ("float" | "double", _) => {
            let same: Vec<String> = values.iter().map(|v| format!("{name} == {v}")).collect();
            let _ = write!(text, "; __VERIFIER_assume({});", same.join(" || "));
        }
        ("unsigned char", ["0", last @ ("1" | "3" | "7")]) => {
            let _ = write!(text, " & {last};");
        }
        (_, [first, last, ..]) => {
            let _ = write!(text, "; __VERIFIER_assume({name} >= {first} && {name} <= {last});");
        }
        _ => panic!("an input has a first and a last value: {input}"),
    }
    text
}
