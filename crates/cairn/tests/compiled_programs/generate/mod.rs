//! Random C programs with memory, small enough to be executed on all their inputs.
//!
//! A program has a few inputs, one or two parts, each about one subject (a file here), and probes of
//! what the parts compute ([`super::template`]). A part writes statements of `main`, or of a function
//! that `main` calls, and what they need of file scope; what it computes is there for later parts as
//! *values*: expressions of type `int` without effects, not large.
//!
//! Programs are defined, except that some are *risky*: one place may do what is undefined, on some
//! inputs or on none. Nothing is read before it is written, and nothing depends on the order of
//! evaluation. What depends on where objects lie is said ([`Template::addresses`]).

mod address;
mod buffer;
mod floats;
mod flow;
mod function;
mod list;
mod pun;
mod record;
mod recursion;
mod string;
mod tree;

use super::template::Template;
use rand::Rng;
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::collections::BTreeSet;
use std::fmt::Write;

type Part = fn(&mut Writer<'_>);

/// The subjects, with what their programs are called in reports.
pub const SUBJECTS: [(&str, Part); 11] = [
    ("list", list::part),
    ("tree", tree::part),
    ("buffer", buffer::part),
    ("recursion", recursion::part),
    ("pun", pun::part),
    ("float", floats::part),
    ("function", function::part),
    ("address", address::part),
    ("string", string::part),
    ("record", record::part),
    ("flow", flow::part),
];

/// Inputs end when there are so many combinations of them.
const COMBINATIONS: i64 = 300;

/// What the program of a seed is called in reports. Subjects take turns.
pub fn kind(seed: u64) -> &'static str {
    SUBJECTS[(seed % SUBJECTS.len() as u64) as usize].0
}

/// The program of a seed.
pub fn program(seed: u64) -> Template {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut writer = Writer::new(&mut rng);
    for _ in 0..writer.below(2) + 1 {
        writer.input();
    }
    let first = (seed % SUBJECTS.len() as u64) as usize;
    writer.part(SUBJECTS[first].1);
    let second = writer.below(2 * SUBJECTS.len());
    if second < SUBJECTS.len() && second != first {
        writer.part(SUBJECTS[second].1);
    }
    if writer.risk() {
        flow::arithmetic(&mut writer);
    }
    let (left, right) = (writer.expression(2), writer.value());
    writer.probe(&left, &right);
    let text = format!("{}int @main(void) {{\n{}  return 0;\n}}\n", writer.globals, writer.body);
    let (probes, addresses) = (writer.probes, writer.addresses);
    Template { kind: SUBJECTS[first].0, text, probes, addresses }
}

/// A text with `$NAME` replaced by the values of the names.
pub fn with(text: &str, names: &[(&str, &str)]) -> String {
    let mut text = text.to_owned();
    for (name, value) in names {
        text = text.replace(&format!("${name}"), value);
    }
    text
}

/// Writes a program, statement by statement.
pub struct Writer<'r> {
    rng: &'r mut StdRng,
    /// What stands before the function that is being written.
    globals: String,
    body: String,
    /// Parts of file scope that were written, by name.
    written: BTreeSet<String>,
    values: Vec<String>,
    /// How many combinations of inputs there are; none can be added in a function but `main`.
    combinations: i64,
    in_main: bool,
    names: usize,
    probes: usize,
    addresses: bool,
    /// Something undefined may be written, once.
    risky: bool,
}

impl<'r> Writer<'r> {
    fn new(rng: &'r mut StdRng) -> Self {
        let risky = rng.random_range(0..4) > 0;
        Writer {
            rng,
            globals: String::new(),
            body: String::new(),
            written: BTreeSet::new(),
            values: Vec::new(),
            combinations: 1,
            in_main: true,
            names: 0,
            probes: 0,
            addresses: false,
            risky,
        }
    }

    /// A number below another.
    pub fn below(&mut self, bound: usize) -> usize {
        self.rng.random_range(0..bound)
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len())]
    }

    /// A small number as text.
    pub fn number(&mut self, first: i64, last: i64) -> String {
        self.rng.random_range(first..=last).to_string()
    }

    /// Whether something undefined is to be written here.
    pub fn risk(&mut self) -> bool {
        let taken = self.risky && !self.once_in(3);
        self.risky &= !taken;
        taken
    }

    /// A name that is not taken.
    pub fn name(&mut self, start: &str) -> String {
        self.names += 1;
        format!("{start}{}", self.names)
    }

    /// Writes a line of the function.
    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "  {text}");
    }

    /// Writes lines of file scope, once under each name.
    pub fn global(&mut self, name: &str, text: &str) {
        if self.written.insert(name.to_owned()) {
            self.globals.push_str(text);
            self.globals.push('\n');
        }
    }

    /// Writes a statement that declares nothing, sometimes under a condition.
    pub fn act(&mut self, text: &str) {
        match self.once_in(4) {
            true => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{ {text} }}"));
            }
            false => self.line(text),
        }
    }

    /// A new input, or a value if there can be no more.
    pub fn input(&mut self) -> String {
        let ty = self.pick(&[
            "int",
            "int",
            "unsigned char",
            "unsigned char",
            "short",
            "unsigned",
            "_Bool",
        ]);
        let (first, last) = match ty {
            "_Bool" => (0, 1),
            "unsigned char" => (0, [1, 3, 3, 7, 5][self.below(5)]),
            "unsigned" => (self.below(3) as i64, self.rng.random_range(3..7)),
            _ => (self.rng.random_range(-2..2), self.rng.random_range(2..5)),
        };
        let combinations = self.combinations * (last - first + 1);
        if !self.in_main || combinations > COMBINATIONS {
            return self.value();
        }
        self.combinations = combinations;
        let name = self.name("v");
        self.line(&format!("#input {ty} {name} {first} {last}"));
        let value = if ty == "unsigned" { format!("(int){name}") } else { name };
        self.values.push(value.clone());
        value
    }

    /// An input of a floating type, or nothing if there can be no more.
    pub fn float_input(&mut self, ty: &str) -> Option<String> {
        let combinations = self.combinations * 4;
        if !self.in_main || combinations > COMBINATIONS {
            return None;
        }
        self.combinations = combinations;
        let name = self.name("v");
        let choices = ["0.5", "1.5", "-2.25", "3.0", "0.125", "-1.0", "7.75", "100.0", "1e-3"];
        let start = self.below(choices.len());
        let chosen: Vec<&str> = (0..4).map(|i| choices[(start + 2 * i) % choices.len()]).collect();
        let end = if ty == "float" { "f" } else { "" };
        let list: Vec<String> = chosen.iter().map(|value| format!("{value}{end}")).collect();
        self.line(&format!("#input {ty} {name} {}", list.join(" ")));
        Some(name)
    }

    /// A value, mostly one that depends on inputs.
    pub fn value(&mut self) -> String {
        let count = self.values.len();
        if count == 0 {
            return self.number(0, 7);
        }
        // The newest are the most interesting.
        let recent = if self.once_in(2) { count.min(3) } else { count };
        let back = self.below(recent);
        self.values[count - 1 - back].clone()
    }

    /// A value or a constant.
    pub fn operand(&mut self) -> String {
        match self.once_in(4) {
            true => self.number(0, 9),
            false => self.value(),
        }
    }

    /// An expression whose value is not large.
    pub fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.operand();
        }
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        let few = self.number(2, 5);
        match self.below(10) {
            0 => format!("(({left}) * {few} - {right})"),
            1 => format!("(({left}) % {few} + {right})"),
            2 => format!("({left} & {right})"),
            3 => format!("({left} ^ {right})"),
            4 => format!("({} ? {left} : {right})", self.condition()),
            5 => format!("({left} - {right})"),
            6 => format!("(({left}) / {few} + ({right} & 7))"),
            _ => format!("({left} + {right})"),
        }
    }

    /// An expression with a value from zero to below the bound.
    pub fn index(&mut self, bound: usize) -> String {
        let value = self.operand();
        match bound {
            1 => "0".to_owned(),
            2 | 4 | 8 => format!("({value} & {})", bound - 1),
            _ => format!("((unsigned)({value}) % {bound})"),
        }
    }

    pub fn condition(&mut self) -> String {
        let operator = self.pick(&["<", ">", "==", "!=", "<=", ">="]);
        let left = self.value();
        let right = match self.once_in(3) {
            true => self.value(),
            false => self.number(-1, 6),
        };
        match self.below(6) {
            0 => format!("({left} {operator} {right} && {} != 1)", self.value()),
            1 => format!("({left} {operator} {right} || {} > 2)", self.value()),
            _ => format!("{left} {operator} {right}"),
        }
    }

    /// Keeps an expression of type `int` as a new value.
    pub fn keep(&mut self, expression: &str) -> String {
        let name = self.name("r");
        self.line(&format!("int {name} = {expression};"));
        self.values.push(name.clone());
        name
    }

    /// Writes a check of two expressions.
    pub fn probe(&mut self, left: &str, right: &str) {
        let number = self.probes;
        self.probes += 1;
        self.line(&format!("#probe {number}; {left}; {right}"));
    }

    /// Keeps an expression as a new value, and sometimes checks it.
    pub fn observe(&mut self, expression: &str) {
        let kept = self.keep(expression);
        if self.once_in(3) && self.probes < 5 {
            let other = self.value();
            self.probe(&kept, &other);
        }
    }

    /// Writes a part in `main`, or in a function that `main` calls once or twice.
    fn part(&mut self, part: Part) {
        if !self.once_in(3) {
            return part(self);
        }
        let name = self.name("@part");
        let values = std::mem::replace(&mut self.values, vec!["a".to_owned(), "b".to_owned()]);
        let body = std::mem::take(&mut self.body);
        self.in_main = false;
        part(self);
        let result = self.expression(1);
        let body = std::mem::replace(&mut self.body, body);
        self.globals.push_str(&format!(
            "static int {name}(int a, int b) {{\n{body}  return {result};\n}}\n"
        ));
        self.in_main = true;
        self.values = values;
        for _ in 0..self.below(2) + 1 {
            let (a, b) = (self.operand(), self.value());
            self.observe(&format!("{name}({a}, {b})"));
        }
    }
}
