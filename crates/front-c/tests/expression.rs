//! Formulas as C expressions mean what the formulas mean: gcc's programs against evaluation.

use front_c::write::expression::{Name, c_expression};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::process::Command;
use term::{Op, Pool, Sort, Term, Value};
use value::{Bits, Float, Format, Rounding};

const FORMULAS: usize = 150;
const ROWS: usize = 40;

/// The variables: their C types with their widths and signs.
const TYPES: [(&str, u32, bool); 8] = [
    ("signed char", 8, true),
    ("unsigned char", 8, false),
    ("short", 16, true),
    ("unsigned short", 16, false),
    ("int", 32, true),
    ("unsigned", 32, false),
    ("long long", 64, true),
    ("unsigned long long", 64, false),
];

struct Generator<'p> {
    pool: &'p Pool,
    random: StdRng,
    integers: Vec<Term>,
    doubles: Vec<Term>,
}

impl Generator<'_> {
    /// A term of a width, of any operators.
    fn word(&mut self, width: u32, depth: u32) -> Term {
        let pool = self.pool;
        let same: Vec<Term> = self
            .integers
            .iter()
            .copied()
            .filter(|v| pool.sort(*v) == Sort::BitVec(width))
            .collect();
        if depth == 0 || self.random.random_range(0..5) == 0 {
            return match same.choose(&mut self.random) {
                Some(variable) if self.random.random_range(0..3) > 0 => *variable,
                _ => pool.bv(self.number(), width),
            };
        }
        let choice = self.random.random_range(0..16);
        let a = if choice < 12 { self.word(width, depth - 1) } else { pool.tru() };
        let constant = pool.bv(self.random.random_range(0..u64::from(width)), width);
        match choice {
            0 => pool.bv_add(a, self.word(width, depth - 1)),
            1 => pool.bv_sub(a, self.word(width, depth - 1)),
            2 => pool.bv_mul(a, self.word(width, depth - 1)),
            3 => pool.bv_and(a, self.word(width, depth - 1)),
            4 => pool.make(Op::BvOr, &[a, self.word(width, depth - 1)]),
            5 => pool.make(Op::BvXor, &[a, self.word(width, depth - 1)]),
            6 => pool.make(Op::BvShl, &[a, constant]),
            7 => pool.make(Op::BvLshr, &[a, constant]),
            8 => pool.make(Op::BvAshr, &[a, constant]),
            9 => pool.make(Op::BvNot, &[a]),
            10 => pool.make(Op::BvNeg, &[a]),
            11 => {
                let ops = [Op::BvUdiv, Op::BvUrem, Op::BvSdiv, Op::BvSrem];
                let op = ops.choose(&mut self.random).expect("there are some").clone();
                pool.make(op, &[a, pool.bv(self.number(), width)])
            }
            12 => {
                let condition = self.truth(depth - 1);
                pool.ite(condition, self.word(width, depth - 1), self.word(width, depth - 1))
            }
            13 => {
                let wide = *[8u32, 16, 32, 64].choose(&mut self.random).expect("there are some");
                if wide < width {
                    let narrow = self.word(wide, depth - 1);
                    let by = width - wide;
                    let signed = self.random.random();
                    let op = if signed { Op::BvSignExtend(by) } else { Op::BvZeroExtend(by) };
                    pool.make(op, &[narrow])
                } else {
                    let whole = self.word(wide, depth - 1);
                    let low = self.random.random_range(0..=wide - width);
                    pool.bv_extract(whole, low + width - 1, low)
                }
            }
            _ => {
                let cut = self.random.random_range(1..width);
                let (a, b) = (self.word(width, depth - 1), self.word(width, depth - 1));
                pool.bv_concat(pool.bv_extract(a, width - 1, cut), pool.bv_extract(b, cut - 1, 0))
            }
        }
    }

    fn number(&mut self) -> u64 {
        match self.random.random_range(0..4) {
            0 => self.random.random_range(0..4),
            1 => u64::MAX - self.random.random_range(0..4),
            2 => 1 << self.random.random_range(0..64),
            _ => self.random.random(),
        }
    }

    fn double(&mut self, depth: u32) -> Term {
        let pool = self.pool;
        if depth == 0 || self.random.random() {
            return *self.doubles.choose(&mut self.random).expect("there are some");
        }
        let even = pool.rounding(Rounding::NearestEven);
        let (a, b) = (self.double(depth - 1), self.double(depth - 1));
        match self.random.random_range(0..4) {
            0 => pool.fp_add(even, a, b),
            1 => pool.fp_mul(even, a, b),
            2 => pool.fp_div(even, a, b),
            _ => pool.fp_neg(a),
        }
    }

    fn truth(&mut self, depth: u32) -> Term {
        let pool = self.pool;
        let width = *[8u32, 16, 32, 64].choose(&mut self.random).expect("there are some");
        let below = depth.saturating_sub(1);
        match self.random.random_range(0..if depth == 0 { 5 } else { 8 }) {
            0 => pool.eq(self.word(width, below), self.word(width, below)),
            1 => pool.bv_ult(self.word(width, below), self.word(width, below)),
            2 => pool.bv_slt(self.word(width, below), self.word(width, below)),
            3 => {
                let (a, b) = (self.double(below), self.double(below));
                match self.random.random_range(0..5) {
                    0 => pool.fp_lt(a, b),
                    1 => pool.fp_leq(a, b),
                    2 => pool.fp_eq(a, b),
                    3 => pool.make(Op::FpIsNan, &[a]),
                    _ => pool.make(Op::FpIsZero, &[a]),
                }
            }
            4 => pool.not(pool.eq(self.word(width, below), self.word(width, below))),
            5 => pool.and([self.truth(below), self.truth(below)]),
            6 => pool.or([self.truth(below), self.truth(below)]),
            _ => pool.not(self.truth(below)),
        }
    }

    fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::BitVec(width) => Value::Bits(Bits::from_u64(width, self.number())),
            _ => Value::Float(Float::from_f64(match self.random.random_range(0..5) {
                0 => 0.0,
                1 => -0.0,
                2 => f64::NAN,
                3 => f64::INFINITY,
                _ => f64::from(self.random.random_range(-9..9)) / 4.0,
            })),
        }
    }
}

/// A value as a constant of C.
fn argument(value: &Value) -> String {
    match value {
        Value::Bits(bits) => format!("{}ULL", bits.to_biguint()),
        Value::Float(float) => match float.to_f64().expect("it is a double") {
            number if number.is_nan() => "__builtin_nan(\"\")".to_owned(),
            number if number.is_infinite() => "__builtin_inf()".to_owned(),
            number => format!("{number:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn gcc_and_evaluation_agree() {
    let pool = Pool::new();
    let mut names: FxHashMap<Term, Name> = FxHashMap::default();
    let mut parameters = Vec::new();
    let mut variable = |name: String, sort: Sort, ty: &str, signed: bool| {
        let term = pool.var(&name, sort);
        parameters.push(format!("{ty} {name}"));
        names.insert(term, Name { text: name, signed });
        term
    };
    let mut integers = Vec::new();
    for (number, (ty, width, signed)) in TYPES.iter().enumerate() {
        integers.push(variable(format!("v{number}"), Sort::BitVec(*width), ty, *signed));
    }
    let double = Sort::Float(Format::F64);
    let doubles = vec![
        variable("d0".to_owned(), double, "double", true),
        variable("d1".to_owned(), double, "double", true),
    ];
    let all: Vec<Term> = integers.iter().chain(&doubles).copied().collect();
    let random = StdRng::seed_from_u64(5);
    let mut generator = Generator { pool: &pool, random, integers, doubles };
    let mut formulas = Vec::new();
    let mut text = "extern int printf(const char *, ...);\n".to_owned();
    let mut tried = 0;
    while formulas.len() < FORMULAS {
        tried += 1;
        let formula = generator.truth(3);
        let Some(c) = c_expression(&pool, formula, &|term| names.get(&term).cloned()) else {
            continue;
        };
        let (number, list) = (formulas.len(), parameters.join(", "));
        let _ = writeln!(text, "int f{number}({list}) {{ return {c}; }}");
        formulas.push(formula);
    }
    assert!(tried < 2 * FORMULAS, "{tried} formulas were needed");
    let mut models: Vec<FxHashMap<Term, Value>> = Vec::new();
    for _ in 0..ROWS {
        models.push(all.iter().map(|&v| (v, generator.value(pool.sort(v)))).collect());
    }
    for (variable, parameter) in all.iter().zip(&parameters) {
        let values: Vec<String> = models.iter().map(|model| argument(&model[variable])).collect();
        let _ = writeln!(text, "const {parameter}s[] = {{ {} }};", values.join(", "));
    }
    let names: Vec<String> = all.iter().map(|v| format!("{}s[i]", names[v].text)).collect();
    let arguments = names.join(", ");
    text.push_str("int main(void) {\n  int i;\n");
    let mut expected = String::new();
    for (number, formula) in formulas.iter().enumerate() {
        let call = format!("printf(\"%d\", f{number}({arguments}))");
        let _ = writeln!(text, "  for (i = 0; i < {ROWS}; i++) {call};");
        for model in &models {
            let value = term::evaluate(&pool, *formula, model);
            expected.push(if value == Ok(Value::Bool(true)) { '1' } else { '0' });
        }
    }
    text.push_str("  return 0;\n}\n");
    let base = std::env::temp_dir().join(format!("cairn-expression-{}", std::process::id()));
    let (source, program) = (base.with_extension("c"), base.with_extension("exe"));
    std::fs::write(&source, &text).expect("there is room for a file");
    let flags = ["-w", "-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-o"];
    let compiled = Command::new("gcc").args(flags).arg(&program).arg(&source).output();
    let compiled = compiled.expect("gcc runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&program).output().expect("the program runs");
    let complaint = String::from_utf8_lossy(&run.stderr).into_owned();
    let printed = String::from_utf8_lossy(&run.stdout).into_owned();
    let wrong = printed.chars().zip(expected.chars()).position(|(is, should)| is != should);
    if let Some(at) = wrong {
        let line = text.lines().nth(1 + at / ROWS).unwrap_or_default();
        panic!("evaluation and gcc disagree: {line}");
    }
    assert_eq!(printed.len(), expected.len(), "{complaint}");
    let _ = (std::fs::remove_file(source), std::fs::remove_file(program));
}
