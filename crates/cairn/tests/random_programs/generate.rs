//! Random C programs small enough to be executed on all their inputs.
//!
//! Inputs are read by `in()`, which has eight values. Loops end after a few rounds, indices are
//! masked, divisors are odd, shifts are small: no run does anything undefined.

use rand::Rng;
use rand::rngs::StdRng;
use std::fmt::Write;

const VARIABLES: [(&str, &str); 6] = [
    ("int", "a"),
    ("unsigned", "b"),
    ("signed char", "c"),
    ("unsigned short", "d"),
    ("long long", "e"),
    ("_Bool", "f"),
];

/// A program with assertions that may fail.
pub fn program(rng: &mut StdRng) -> String {
    let mut writer = Writer { rng, text: String::new(), loops: 0 };
    writer.text.push_str(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern void reach_error(void);\n\
         static int in(void) { return __VERIFIER_nondet_uchar() & 7; }\n\
         struct pair { int x; short y; };\n\
         static int m[4];\nstatic struct pair s;\n\
         static int add(int x, int y) { m[x & 3] += y; return x + y; }\n\
         static void set(int *p, int v) { if (v & 1) *p = v; else *p += v; }\n\
         int main(void) {\n",
    );
    for (ty, name) in VARIABLES {
        let value = writer.rng.random_range(0..4);
        let _ = writeln!(writer.text, "  {ty} {name} = {value};");
    }
    writer.text.push_str("  int *p = &m[1];\n  int i0, i1, i2;\n");
    let statements = writer.rng.random_range(2..6);
    for _ in 0..statements {
        writer.statement(1);
    }
    let condition = writer.condition();
    let _ = writeln!(writer.text, "  if ({condition}) reach_error();\n  return 0;\n}}");
    writer.text
}

struct Writer<'r> {
    rng: &'r mut StdRng,
    text: String,
    /// How many loops are open or have been written on one level.
    loops: usize,
}

impl Writer<'_> {
    fn variable(&mut self) -> &'static str {
        VARIABLES[self.rng.random_range(0..VARIABLES.len())].1
    }

    fn place(&mut self) -> String {
        match self.rng.random_range(0..10) {
            0 => format!("m[{} & 3]", self.variable()),
            1 => "s.x".to_owned(),
            2 => "s.y".to_owned(),
            3 => "*p".to_owned(),
            _ => self.variable().to_owned(),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.rng.random_range(0..3) {
                0 => self.rng.random_range(-3..9).to_string(),
                _ => self.place(),
            };
        }
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.rng.random_range(0..14) {
            0 => format!("({left} * {right})"),
            1 => format!("({left} / (({right}) | 1))"),
            2 => format!("({left} % (({right}) | 1))"),
            3 => format!("(unsigned)({left}) << (({right}) & 7)"),
            4 => format!("({left} >> (({right}) & 7))"),
            5 => format!("({left} & {right})"),
            6 => format!("({left} ^ {right})"),
            7 => format!("({} ? {left} : {right})", self.condition()),
            8 => format!("(signed char)({left})"),
            9 => format!("add({left}, {right})"),
            10 => format!("(int)((double)({left}) / 4)"),
            11 => format!("({left} - {right})"),
            _ => format!("({left} + {right})"),
        }
    }

    fn condition(&mut self) -> String {
        let operator = ["<", ">", "==", "!=", "<=", ">="][self.rng.random_range(0..6)];
        let left = self.place();
        let right = match self.rng.random_range(0..3) {
            0 => self.place(),
            _ => self.rng.random_range(-4..20).to_string(),
        };
        let condition = format!("{left} {operator} {right}");
        match self.rng.random_range(0..6) {
            0 => format!("({condition} && {} != 1)", self.variable()),
            1 => format!("({condition} || {} > 3)", self.variable()),
            _ => condition,
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(depth));
    }

    fn statement(&mut self, depth: usize) {
        match self.rng.random_range(0..9) {
            0 | 1 if depth < 3 => {
                let condition = self.condition();
                self.line(depth, &format!("if ({condition}) {{"));
                self.statement(depth + 1);
                if self.rng.random() {
                    self.line(depth, "} else {");
                    self.statement(depth + 1);
                }
                self.line(depth, "}");
            }
            2 | 3 if self.loops < 3 => self.repeat(depth),
            4 => {
                let place = self.place();
                self.line(depth, &format!("{place} = in();"));
            }
            5 => {
                let (index, value) = (self.variable(), self.expression(0));
                self.line(depth, &format!("p = &m[{index} & 3]; set(p, {value});"));
            }
            6 => {
                let (place, value) = (self.place(), self.expression(1));
                let operator = ["+=", "-=", "^=", "|=", "&="][self.rng.random_range(0..5)];
                self.line(depth, &format!("{place} {operator} {value};"));
            }
            _ => {
                let (place, value) = (self.place(), self.expression(2));
                self.line(depth, &format!("{place} = {value};"));
            }
        }
    }

    /// A loop of a few rounds, with a fixed bound or one that depends on a variable.
    fn repeat(&mut self, depth: usize) {
        let counter = format!("i{}", self.loops);
        self.loops += 1;
        let bound = match self.rng.random_range(0..3) {
            0 => format!("({} & 3)", self.variable()),
            _ => self.rng.random_range(1..5).to_string(),
        };
        self.line(depth, &format!("for ({counter} = 0; {counter} < {bound}; {counter}++) {{"));
        self.statement(depth + 1);
        if self.rng.random_range(0..4) == 0 {
            let condition = self.condition();
            self.line(depth + 1, &format!("if ({condition}) break;"));
        }
        self.statement(depth + 1);
        self.line(depth, "}");
    }
}
