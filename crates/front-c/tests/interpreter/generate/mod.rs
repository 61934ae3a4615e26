//! Random C programs with one meaning: no undefined behaviour under wrapping arithmetic, and
//! nothing that depends on an order of evaluation that C leaves open.
//!
//! How each way to go wrong is avoided:
//!
//! * Division is by `(e & mask) + positive`, shifts are by `e & 31` (63 where the left operand is
//!   wide everywhere), indices are `(unsigned)e % length`; signed overflow wraps (`-fwrapv`).
//! * Every variable is initialized. A pointer points to something that was declared before it,
//!   hence outlives it, and is never null where it is dereferenced.
//! * Expressions are pure, but for the scratch variables: each is used once in a full
//!   expression, and nowhere else. Calls of functions with effects are statements.
//! * Floats become integers by functions that are defined everywhere, and NaNs never get their
//!   bits read.
//! * Loops have a small number of rounds, and all of a program together a supply of fuel.
//!
//! A program is a set of definitions with names of its own (a prefix), so that many fit into one
//! file; `PREFIXrun` returns its checksum. [`PRELUDE`] comes before the first.

mod expression;
mod function;
mod record;
mod statement;
mod types;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use types::{Record, Type};

/// What all programs use.
pub const PRELUDE: &str = include_str!("../prelude.c");

/// How large programs are.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The depth of expressions.
    pub depth: u32,
    /// Statements of a block, at most.
    pub statements: u32,
    /// How deep blocks nest.
    pub nesting: u32,
    /// Functions, at most.
    pub functions: usize,
    /// Global variables, at most.
    pub globals: usize,
}

/// Sizes from small to large: a failing seed is tried with smaller ones first.
pub const SIZES: [Size; 4] = [
    Size { depth: 1, statements: 2, nesting: 1, functions: 1, globals: 2 },
    Size { depth: 2, statements: 3, nesting: 2, functions: 2, globals: 3 },
    Size { depth: 3, statements: 4, nesting: 2, functions: 3, globals: 5 },
    Size { depth: 4, statements: 6, nesting: 3, functions: 5, globals: 8 },
];

/// The definitions of a program, with a prefix for all its names.
pub fn program(seed: u64, size: Size, prefix: &str) -> String {
    let mut generator = Generator {
        rng: StdRng::seed_from_u64(seed),
        size,
        prefix: prefix.to_string(),
        out: String::new(),
        indent: 0,
        names: 0,
        records: Vec::new(),
        variables: Vec::new(),
        functions: Vec::new(),
        tables: Vec::new(),
        scratch: Vec::new(),
        scratch_used: 0,
        pure: false,
        in_loop: 0,
        breakable: 0,
        continuable: 0,
        exits: Vec::new(),
        result: None,
    };
    generator.program();
    generator.out
}

/// A variable that can be named.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    ty: Type,
    /// Not to be assigned: a constant, or the counter of a loop.
    constant: bool,
    /// Defined outside of functions, or static.
    global: bool,
}

/// A function that can be called.
#[derive(Clone, Debug)]
struct Callable {
    name: String,
    /// None for `void`.
    result: Option<Type>,
    parameters: Vec<Type>,
    /// Reads and writes nothing but its arguments.
    pure: bool,
}

/// An array of pointers to pure functions.
#[derive(Clone, Debug)]
struct Table {
    name: String,
    length: usize,
    result: Type,
    parameters: Vec<Type>,
}

struct Generator {
    rng: StdRng,
    size: Size,
    prefix: String,
    out: String,
    indent: usize,
    names: u32,
    records: Vec<Record>,
    /// Those in scope, oldest first.
    variables: Vec<Variable>,
    functions: Vec<Callable>,
    tables: Vec<Table>,
    /// The function's scratch variables.
    scratch: Vec<String>,
    /// How many of them the full expression has used.
    scratch_used: usize,
    /// Whether a pure function is being written.
    pure: bool,
    in_loop: u32,
    /// Whether `break` and `continue` are possible.
    breakable: u32,
    continuable: u32,
    /// Labels after blocks that enclose the statement.
    exits: Vec<String>,
    /// What the function returns, if a statement may.
    result: Option<Option<Type>>,
}

impl Generator {
    fn program(&mut self) {
        let prefix = self.prefix.clone();
        self.line(&format!(
            "enum {prefix}e {{ {prefix}A, {prefix}B = 7, {prefix}C, {prefix}D = 1000 }};"
        ));
        for _ in 0..self.below(4) {
            self.record();
        }
        for _ in 0..1 + self.below(self.size.globals) {
            self.global();
        }
        for _ in 0..self.below(self.size.functions + 1) {
            self.define_function(true);
        }
        self.table();
        for _ in 0..1 + self.below(self.size.functions) {
            self.define_function(false);
        }
        self.run();
    }

    /// A number below another.
    fn below(&mut self, limit: usize) -> usize {
        self.rng.random_range(0..limit.max(1))
    }

    /// True once in so many times.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{}{stem}{}", self.prefix, self.names)
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.indent += 1;
    }

    fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(&format!("}}{text}"));
    }
}
