//! Small programs with known answers.

use program::explicit::search;
use program::minimize::{self, minimize};
use program::model::{self, build};
use program::{Cfa, Program};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use source::SourceMap;
use std::fmt::Write;
use term::{Pool, Sort, Term};

/// A program, as the automaton that engines see.
pub struct Case {
    /// What to call it.
    pub name: String,
    /// Where its terms live.
    pub pool: Pool,
    /// The automaton.
    pub cfa: Cfa,
    /// Whether no run reaches the error.
    pub safe: bool,
}

/// Known by thought: a name, whether it is safe, and the body of `main` over the registers x, y (bv8)
/// and b (bool).
const KNOWN: &[(&str, bool, &str)] = &[
    ("straight", true, "x := 3 y := x + 4 check assert: y == 7"),
    ("straight-wrong", false, "x := 3 y := x + 5 check assert: y == 7"),
    ("input", false, "x := any input n check assert: x != 200"),
    (
        "counter",
        true,
        "y := any input n x := 0 -> L
         L: loop assume x <u y -> M assume x >=u y -> E
         M: x := x + 1 -> L
         E: check assert: x == y",
    ),
    (
        "counter-wrong",
        false,
        "y := any input n x := 0 -> L
         L: loop assume x <u y -> M assume x >=u y -> E
         M: x := x + 1 -> L
         E: check assert: x <u 9",
    ),
    (
        "in step",
        true,
        "x := 0 y := 0 -> L
         L: loop b := any input go assume b -> M assume !b -> E
         M: x := x + 1 y := y + 1 -> L
         E: check assert: x == y",
    ),
    (
        "even",
        true,
        "x := 0 -> L
         L: loop b := any input go assume b -> M assume !b -> E
         M: x := x + 2 -> L
         E: check assert: x != 7",
    ),
    (
        "lock",
        true,
        "b := false x := 0 -> L
         L: loop check assert: !b assume x <u 200 -> M assume x >=u 200 -> E
         M: b := true x := x + 1 b := false -> L
         E: check assert: !b",
    ),
    (
        "lock-wrong",
        false,
        "b := false x := 0 -> L
         L: loop check assert: !b assume x <u 5 -> M assume x >=u 5 -> E
         M: b := x == 3 x := x + 1 -> L
         E: check assert: true",
    ),
    (
        "two loops",
        true,
        "x := 0 y := 0 -> L
         L: loop assume x <u 10 -> M assume x >=u 10 -> N
         M: x := x + 1 y := y + 2 -> L
         N: loop assume x >u 0 -> P assume x == 0 -> E
         P: x := x - 1 y := y - 2 -> N
         E: check assert: y == 0",
    ),
    (
        "dead error",
        true,
        "x := 1 -> L
         L: loop assume x == 0 -> M assume x != 0 -> N
         M: check assert: false
         goto E
         N: b := any input go assume b -> L assume !b -> E
         E: check assert: x == 1",
    ),
];

/// Reads a program and builds its automaton, minimized as engines see it.
fn automaton(name: &str, text: &str) -> (Program, Cfa) {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text.as_bytes().to_vec()).expect("it is small");
    let program = ivl::read(&sources, file).unwrap_or_else(|errors| {
        let errors: Vec<String> = errors.iter().map(|error| error.render(&sources)).collect();
        panic!("{}\n{text}", errors.join("\n"))
    });
    let cfa = build(&program, &model::Options::default()).expect("it has a model");
    let cfa = minimize(&program.pool, &cfa, &minimize::Options::default()).cfa;
    (program, cfa)
}

/// The programs whose answers are known by thought.
pub fn known() -> Vec<Case> {
    let case = |(name, safe, body): &(&str, bool, &str)| {
        let text = format!("function main() {{ var x: bv8, y: bv8, b: bool\n{body}\n}}");
        let (program, cfa) = automaton(name, &text);
        Case { name: (*name).to_owned(), pool: program.pool, cfa, safe: *safe }
    };
    KNOWN.iter().map(case).collect()
}

/// A random program over words of two or three bits, whose answer is known by visiting every state; none
/// if there are too many.
pub fn random(seed: u64) -> Option<Case> {
    let mut generator = Generator::new(seed);
    let text = generator.program();
    let (program, cfa) = automaton(&format!("random {seed}"), &text);
    let open: Vec<Term> = cfa.variables.keys().copied().collect();
    let small = |term: &Term| match program.pool.sort(*term) {
        Sort::Bool => true,
        Sort::BitVec(width) => width <= 3,
        _ => false,
    };
    if !open.iter().all(small) || open.len() > 5 {
        return None;
    }
    let search = search(&program.pool, &cfa, &open, 20_000);
    (!search.limited).then(|| Case {
        name: format!("random {seed}\n{text}"),
        pool: program.pool,
        cfa,
        safe: search.error.is_none(),
    })
}

/// Writes programs.
struct Generator {
    random: StdRng,
    width: u32,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let width = random.random_range(2..=3);
        Generator { random, width }
    }

    fn any(&mut self, of: &[&'static str]) -> &'static str {
        of.choose(&mut self.random).expect("there are some")
    }

    fn word(&mut self, depth: u32) -> String {
        match self.random.random_range(0..if depth == 0 { 3 } else { 5 }) {
            0 => self.random.random_range(0..1 << self.width).to_string(),
            1 | 2 => self.any(&["x", "y"]).to_owned(),
            _ => {
                let operator = self.any(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {operator} {})", self.variable(), self.word(depth - 1))
            }
        }
    }

    fn variable(&mut self) -> &'static str {
        self.any(&["x", "y"])
    }

    fn guard(&mut self) -> String {
        match self.random.random_range(0..5) {
            0 => "b".to_owned(),
            _ => {
                let operator = self.any(&["==", "!=", "<u", "<=u", "<"]);
                format!("{} {operator} {}", self.variable(), self.word(1))
            }
        }
    }

    /// A straight piece of code.
    fn piece(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.random.random_range(0..3) {
            let line = match self.random.random_range(0..6) {
                0 => format!("{} := any input n", self.variable()),
                1 => format!("b := {}", self.guard()),
                _ => format!("{} := {}", self.variable(), self.word(2)),
            };
            let _ = writeln!(text, "  {line}");
        }
        text
    }

    /// A few pieces that jump among each other, each after a guard and its opposite.
    fn program(&mut self) -> String {
        let (count, width) = (self.random.random_range(2..=4), self.width);
        let mut text =
            format!("function main() {{ var x: bv{width}, y: bv{width}, b: bool\n  goto L0\n");
        for number in 0..count {
            let (guard, piece) = (self.guard(), self.piece());
            let target = |random: &mut StdRng| match random.random_range(0..=count) {
                n if n == count => "E".to_owned(),
                n => format!("L{n}"),
            };
            let (yes, no) = (target(&mut self.random), target(&mut self.random));
            let _ = writeln!(text, "L{number}: loop\n{piece}  goto G{number}");
            let _ = writeln!(
                text,
                "G{number}:\n  assume {guard} -> {yes}\n  assume !({guard}) -> {no}"
            );
        }
        let claim = self.guard();
        let _ = writeln!(text, "E:\n  check assert: {claim}\n}}");
        text
    }
}
