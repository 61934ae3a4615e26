//! Domains against enumeration.
//!
//! Residues and ranges are right of all bit-vectors. Differences and equations are of integers, and
//! right as long as nothing wraps around: the programs for them count a little way from zero.

use analysis::affine::{Affine, equations};
use analysis::facts::Ranges;
use analysis::fixpoint::{fixpoint, terms};
use analysis::formulas;
use analysis::residue::{Residue, Residues};
use intervals::Range;
use program::explicit::{Search, holds, search};
use program::model::{self, build};
use program::{Cfa, Program};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use source::SourceMap;
use std::fmt::Write;
use term::{Pool, Sort, Term, Value, evaluate};

const WIDTH: u32 = 4;

/// Work without end.
const MUCH: usize = 1_000_000;

fn fits(residue: Residue, number: u64) -> bool {
    residue.bits == 0 || number & ((1 << residue.bits) - 1) == residue.value
}

fn residues(width: u32) -> Vec<Residue> {
    let of = |bits| (0..1u64 << bits).map(move |value| Residue { bits, value });
    (0..=width).flat_map(of).collect()
}

#[test]
fn residues_are_joined_and_met_as_sets() {
    for a in residues(WIDTH) {
        for b in residues(WIDTH) {
            let (join, meet) = (a.join(b), a.meet(b));
            for number in 0..1 << WIDTH {
                let (in_a, in_b) = (fits(a, number), fits(b, number));
                assert!(fits(join, number) || !(in_a || in_b), "{a:?} {b:?} {number}");
                let in_meet = meet.is_some_and(|meet| fits(meet, number));
                assert_eq!(in_meet, in_a && in_b, "{a:?} {b:?} {number}");
            }
            // A modulus more would leave out something of one of them.
            let more = |value| Residue { bits: join.bits + 1, value };
            let both = |more: Residue| {
                let all =
                    |one: Residue| (0..1 << WIDTH).filter(|n| fits(one, *n)).all(|n| fits(more, n));
                all(a) && all(b)
            };
            if join.bits < WIDTH {
                let finer = (0..1 << (join.bits + 1)).map(more).any(both);
                assert!(!finer, "{a:?} {b:?} have more in common than {join:?}");
            }
        }
    }
}

struct Words<'a> {
    pool: &'a Pool,
    variables: [Term; 2],
    random: StdRng,
}

impl Words<'_> {
    /// A random word of the width.
    fn word(&mut self, depth: u32) -> Term {
        let pool = self.pool;
        if depth == 0 || self.random.random_range(0..5) == 0 {
            return match self.random.random_range(0..3) {
                0 => pool.bv(self.random.random_range(0..1 << WIDTH), WIDTH),
                n => self.variables[n - 1],
            };
        }
        let a = self.word(depth - 1);
        let number = pool.bv(self.random.random_range(0..1 << WIDTH), WIDTH);
        match self.random.random_range(0..15) {
            0 => pool.bv_neg(a),
            1 => pool.bv_not(a),
            2 => pool.bv_shl(a, pool.bv(self.random.random_range(0..=u64::from(WIDTH)), WIDTH)),
            3 => pool.bv_urem(a, pool.bv(1 << self.random.random_range(0..WIDTH), WIDTH)),
            4 => pool.bv_urem(a, number),
            5 => {
                let (low, high) =
                    (self.random.random_range(0..2), self.random.random_range(2..WIDTH));
                let part = pool.bv_extract(a, high, low);
                let by = WIDTH - (high - low + 1);
                match self.random.random() {
                    true => pool.bv_zero_extend(part, by),
                    false => pool.bv_sign_extend(part, by),
                }
            }
            6 => {
                let b = self.word(depth - 1);
                let half = WIDTH / 2;
                pool.bv_concat(pool.bv_extract(a, half - 1, 0), pool.bv_extract(b, half - 1, 0))
            }
            7 => {
                let (b, c) = (self.word(depth - 1), self.word(depth - 1));
                pool.ite(pool.bv_ult(c, number), a, b)
            }
            operator => {
                let b = self.word(depth - 1);
                match operator {
                    8 => pool.bv_sub(a, b),
                    9 | 10 => pool.bv_mul(a, b),
                    11 => pool.bv_and(a, b),
                    12 => pool.bv_or(a, b),
                    13 => pool.bv_xor(a, b),
                    _ => pool.bv_add(a, b),
                }
            }
        }
    }
}

/// All values of two variables that fit what is known of them.
fn values(known: [Residue; 2], variables: [Term; 2]) -> Vec<FxHashMap<Term, Value>> {
    let of = |number: usize| (0..1u64 << WIDTH).filter(move |n| fits(known[number], *n));
    let bits = |n: u64| Value::Bits(value::Bits::from_u64(WIDTH, n));
    let pair = |a: u64, b: u64| [(variables[0], bits(a)), (variables[1], bits(b))];
    of(0).flat_map(|a| of(1).map(move |b| pair(a, b).into_iter().collect())).collect()
}

fn number(value: &Value) -> u64 {
    let Value::Bits(bits) = value else { panic!("{value:?} is no word") };
    bits.to_u64().expect("few bits")
}

/// Calls with random words, residues of their variables, and all values that fit.
fn on_words(
    count: u64,
    mut check: impl FnMut(&mut Words<'_>, [Residue; 2], Vec<FxHashMap<Term, Value>>),
) {
    let all = residues(WIDTH);
    for seed in 0..count {
        let pool = Pool::new();
        let variables = ["x", "y"].map(|name| pool.var(name, Sort::BitVec(WIDTH)));
        let mut words = Words { pool: &pool, variables, random: StdRng::seed_from_u64(seed) };
        let known = [(); 2].map(|()| all[words.random.random_range(0..all.len())]);
        check(&mut words, known, values(known, variables));
    }
}

#[test]
fn residues_of_terms_are_those_of_their_values() {
    let mut told = 0;
    on_words(2_000, |words, known, values| {
        let (pool, variables) = (words.pool, words.variables);
        let word = words.word(3);
        let of = |term: Term| known[usize::from(term == variables[1])];
        let residue = Residues::default().evaluate(pool, word, &of);
        told += u32::from(residue.bits > 0 && pool.as_bits(word).is_none());
        for values in values {
            let value = evaluate(pool, word, &values).expect("no quantifier");
            assert!(fits(residue, number(&value)), "{word:?} is {value:?}, not {residue:?}");
        }
    });
    assert!(told > 400, "{told} terms have residues");
}

#[test]
fn equations_tell_residues() {
    let mut told = 0;
    on_words(4_000, |words, known, values| {
        let (pool, variables) = (words.pool, words.variables);
        let formula = pool.eq(words.word(1), words.word(2));
        let of = |term: Term| known[usize::from(term == variables[1])];
        let found = Residues::default().assume(pool, formula, &of);
        told += found.len();
        for values in values {
            if evaluate(pool, formula, &values) != Ok(Value::Bool(true)) {
                continue;
            }
            for (variable, residue) in &found {
                let value = number(&values[variable]);
                assert!(fits(*residue, value), "{formula:?}: {value}, not {residue:?}");
            }
        }
    });
    assert!(told > 400, "{told} equations tell something");
}

#[test]
fn ranges_contain_every_state() {
    let (mut told, mut dead) = (0, 0);
    for case in (0..150).filter_map(kit::programs::random) {
        let (pool, cfa) = (&case.pool, Cfa { error: None, ..case.cfa.clone() });
        let open: Vec<Term> = cfa.variables.keys().copied().collect();
        let states = search(pool, &cfa, &open, 200_000);
        let mut ranges = Ranges::new(pool, &terms(&cfa));
        let facts = fixpoint(pool, &cfa, &mut ranges, MUCH).expect("little work");
        dead += cfa.locations.iter().filter(|(at, _)| facts.get(*at).is_none()).count();
        for (location, reached) in &states.reached {
            let Some(known) = facts.get(*location) else {
                panic!("{location:?} is reached in {}", case.name)
            };
            let said = formulas::formulas(pool, known, &states.variables);
            told += said.len();
            for state in reached {
                for (variable, value) in states.variables.iter().zip(state) {
                    let known = known.get(pool, *variable);
                    if let (Range::Bits(range), Value::Bits(bits)) = (known.range, value) {
                        let number = bits.to_u64().expect("few bits");
                        let inside = range.low <= number && number <= range.high;
                        assert!(inside && fits(known.residue, number), "{known:?}: {}", case.name);
                    }
                }
                let wrong = said.iter().find(|f| !holds(pool, &states.variables, **f, state));
                assert!(wrong.is_none(), "{wrong:?} in {state:?}: {}", case.name);
            }
        }
    }
    assert!(told > 5 && dead > 5, "{told} formulas, {dead} dead locations");
}

/// A program with a loop of a few rounds, over numbers that stay near zero, and all its states.
fn counting(seed: u64) -> (Program, Cfa, String) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut any = |of: &[&'static str]| of[random.random_range(0..of.len())];
    let variables = ["x", "y", "z"];
    let numbers = ["0", "1", "2", "3"];
    let mut assignment = || {
        let (into, from) = (any(&variables), any(&variables));
        let number = any(&numbers);
        match any(&["same", "up", "down", "number", "sum"]) {
            "same" => format!("{into} := {from}"),
            "up" => format!("{into} := {from} + {number}"),
            "down" => format!("{into} := {from} - {number}"),
            "sum" => format!("{into} := x + y"),
            _ => format!("{into} := {number}"),
        }
    };
    let first: Vec<String> = (0..3).map(|_| assignment()).collect();
    let [left, right, after] =
        [(); 3].map(|()| [(); 2].map(|()| format!("  {}\n", assignment())).concat());
    let mut guard = || {
        let operator = any(&["<", "<=", "==", "!="]);
        format!("{} {operator} {} + {}", any(&variables), any(&variables), any(&numbers))
    };
    let (branch, end) = (guard(), guard());
    let mut text =
        "function main() { var x: bv12, y: bv12, z: bv12, k: bv12\n  x := 0\n  y := 0\n  z := 0\n"
            .to_owned();
    for line in first {
        let _ = writeln!(text, "  {line}");
    }
    let _ = write!(
        text,
        "  k := 0 -> L
L: loop
  assume k < 4 -> M
  assume !(k < 4) -> N
M:
  assume {branch} -> P
  assume !({branch}) -> Q
P:
{left}  k := k + 1 -> L
Q:
{right}  k := k + 1 -> L
N:
  assume {end}
{after}  check assert: x != y
}}"
    );
    let mut sources = SourceMap::new();
    let file = sources.add("counting", text.as_bytes().to_vec()).expect("it is small");
    let program = ivl::read(&sources, file).unwrap_or_else(|errors| {
        let errors: Vec<String> = errors.iter().map(|error| error.render(&sources)).collect();
        panic!("{}\n{text}", errors.join("\n"))
    });
    let cfa = build(&program, &model::Options::default()).expect("it has a model");
    (program, Cfa { error: None, ..cfa }, text)
}

/// Calls with programs and what a search reaches in them.
fn on_counting(mut check: impl FnMut(&Program, &Cfa, &Search, &str)) {
    for seed in 0..80 {
        let (program, cfa, text) = counting(seed);
        let states = search(&program.pool, &cfa, &[], 100_000);
        assert!(!states.limited);
        check(&program, &cfa, &states, &text);
    }
}

#[test]
fn linear_equations_hold_while_nothing_wraps() {
    let mut told = 0;
    on_counting(|program, cfa, states, text| {
        let pool = &program.pool;
        for mut affine in Affine::all(pool, cfa) {
            let spaces = fixpoint(pool, cfa, &mut affine, MUCH).expect("little work");
            for (location, reached) in &states.reached {
                let Some(space) = spaces.get(*location) else { panic!("{location:?} in {text}") };
                for formula in affine.formulas(space) {
                    told += 1;
                    for state in reached {
                        let holds = holds(pool, &states.variables, formula, state);
                        assert!(holds, "{formula:?} at {location:?} in {state:?} of {text}");
                    }
                }
            }
        }
    });
    assert!(told > 300, "{told} formulas");
}

#[test]
fn equations_of_samples_are_those_that_hold() {
    for seed in 0..200 {
        let mut random = StdRng::seed_from_u64(seed);
        let mut factor = || random.random_range(-5..=5i64);
        // The third number follows from the first two, the last from nothing.
        let (a, b, c) = (factor(), factor(), factor());
        let samples: Vec<Vec<i64>> = (0..8)
            .map(|_| {
                let (x, y, free) = (10 * factor() + factor(), 9 * factor() + factor(), factor());
                vec![x, y, a * x + b * y + c, 13 * free + factor()]
            })
            .collect();
        let found = equations(&samples);
        assert!(!found.is_empty(), "seed {seed}: {samples:?}");
        for equation in &found {
            assert!(equation.iter().any(|factor| *factor != 0), "seed {seed}");
            for sample in &samples {
                let sum: i64 =
                    equation[0] + equation[1..].iter().zip(sample).map(|(f, x)| f * x).sum::<i64>();
                assert_eq!(sum, 0, "seed {seed}: {equation:?} of {sample:?}");
            }
        }
    }
}
