//! Ranges against exact evaluation: values in the ranges of the leaves give values in the ranges of
//! all subterms, forwards and backwards.

use intervals::bits::BitRange;
use intervals::boxes::{Outcome, cone, decide};
use intervals::float::FloatRange;
use intervals::formula::Formula;
use intervals::range::Range;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use term::eval::evaluate_all;
use term::{Op, Pool, Sort, Term, Value, evaluate};
use value::{Bits, Float, Format, Rounding};

struct Generator {
    random: StdRng,
    bits: Vec<Term>,
    wide: Vec<Term>,
    floats: Vec<Term>,
    doubles: Vec<Term>,
    truths: Vec<Term>,
}

const WIDTH: u32 = 5;

fn single(random: &mut StdRng) -> f32 {
    match random.random_range(0..8) {
        0 => 0.0,
        1 => -0.0,
        2 => f32::INFINITY,
        3 => f32::NEG_INFINITY,
        4 => f32::NAN,
        5 => f32::from_bits(random.random()),
        _ => random.random_range(-40..40) as f32 / 8.0,
    }
}

fn pick(random: &mut StdRng, terms: &[Term]) -> Term {
    terms[random.random_range(0..terms.len())]
}

impl Generator {
    fn new(pool: &Pool, seed: u64) -> Generator {
        let variables = |name: &str, sort: Sort| {
            (0..3).map(|i| pool.var(&format!("{name}{i}"), sort)).collect::<Vec<Term>>()
        };
        let mut generator = Generator {
            random: StdRng::seed_from_u64(seed),
            bits: variables("x", Sort::BitVec(WIDTH)),
            wide: variables("w", Sort::BitVec(2 * WIDTH)),
            floats: variables("f", Sort::Float(Format::F32)),
            doubles: variables("d", Sort::Float(Format::F64)),
            truths: variables("b", Sort::Bool),
        };
        for _ in 0..3 {
            let value = generator.random.random_range(0..32);
            generator.bits.push(pool.bv(value, WIDTH));
            let value = single(&mut generator.random);
            generator.floats.push(pool.float(Float::from_f32(value)));
        }
        generator
    }

    fn grow(&mut self, pool: &Pool) {
        let random = &mut self.random;
        let (x, y) = (pick(random, &self.bits), pick(random, &self.bits));
        let (v, w) = (pick(random, &self.wide), pick(random, &self.wide));
        let (f, g) = (pick(random, &self.floats), pick(random, &self.floats));
        let (d, e) = (pick(random, &self.doubles), pick(random, &self.doubles));
        let (a, b) = (pick(random, &self.truths), pick(random, &self.truths));
        let even = pool.rounding(Rounding::NearestEven);
        let zero = pool.rounding(Rounding::TowardZero);
        match random.random_range(0..46) {
            0 => self.bits.push(pool.bv_add(x, y)),
            1 => self.bits.push(pool.bv_sub(x, y)),
            2 => self.bits.push(pool.bv_mul(x, y)),
            3 => self.bits.push(pool.bv_udiv(x, y)),
            4 => self.bits.push(pool.bv_urem(x, y)),
            5 => self.bits.push(pool.bv_sdiv(x, y)),
            6 => self.bits.push(pool.bv_srem(x, y)),
            7 => self.bits.push(pool.bv_shl(x, y)),
            8 => self.bits.push(pool.bv_lshr(x, y)),
            9 => self.bits.push(pool.bv_ashr(x, y)),
            10 => self.bits.push(pool.bv_and(x, y)),
            11 => self.bits.push(pool.bv_or(x, y)),
            12 => self.bits.push(pool.bv_xor(x, y)),
            13 => self.bits.push(pool.bv_not(x)),
            14 => self.bits.push(pool.bv_neg(x)),
            15 => self.bits.push(pool.ite(a, x, y)),
            16 => self.bits.push(pool.bv_extract(v, WIDTH - 1, 0)),
            17 => self.bits.push(pool.bv_extract(v, WIDTH + 1, 2)),
            18 => self.bits.push(pool.make(Op::FpToSbv(WIDTH), &[zero, f])),
            19 => self.bits.push(pool.make(Op::FpToUbv(WIDTH), &[zero, d])),
            20 => self.wide.push(pool.bv_concat(x, y)),
            21 => self.wide.push(pool.bv_zero_extend(x, WIDTH)),
            22 => self.wide.push(pool.bv_sign_extend(x, WIDTH)),
            23 => self.wide.push(pool.bv_add(v, w)),
            24 => self.floats.push(pool.fp_add(even, f, g)),
            25 => self.floats.push(pool.fp_mul(even, f, g)),
            26 => self.floats.push(pool.fp_div(even, f, g)),
            27 => self.floats.push(pool.fp_sqrt(even, f)),
            28 => self.floats.push(pool.fp_neg(f)),
            29 => self.floats.push(pool.fp_abs(f)),
            30 => self.floats.push(pool.fp_mul(even, f, f)),
            31 => self.floats.push(pool.make(Op::FpMin, &[f, g])),
            32 => self.floats.push(pool.make(Op::FpToFp(Format::F32), &[even, d])),
            33 => self.doubles.push(pool.make(Op::FpToFp(Format::F64), &[even, f])),
            34 => self.doubles.push(pool.fp_mul(even, d, e)),
            35 => self.doubles.push(pool.make(Op::FpFromSbv(Format::F64), &[even, v])),
            36 => self.floats.push(pool.fp_round_to_integral(zero, f)),
            37 => self.truths.push(pool.fp_lt(f, g)),
            38 => self.truths.push(pool.fp_leq(d, e)),
            39 => self.truths.push(pool.fp_eq(f, g)),
            40 => self.truths.push(pool.bv_ult(x, y)),
            41 => self.truths.push(pool.bv_slt(v, w)),
            42 => self.truths.push(pool.eq(x, y)),
            43 => self.truths.push(pool.and([a, pool.not(b)])),
            44 => self.truths.push(pool.or([a, b])),
            _ => self.truths.push(pool.make(Op::FpIsNegative, &[f])),
        }
    }

    /// A value of each variable, and a range around it.
    fn leaves(&mut self, pool: &Pool, formula: &Formula) -> Vec<(Term, usize, Value, Range)> {
        let random = &mut self.random;
        let draw = |(variable, place): (Term, usize)| {
            let (value, range) = match pool.sort(variable) {
                Sort::Bool => {
                    let value = Value::Bool(random.random());
                    let point = Range::point(&value);
                    (value, if random.random() { point } else { Range::full(Sort::Bool) })
                }
                Sort::BitVec(width) => {
                    let most = (1u64 << width) - 1;
                    let (a, b) = (random.random_range(0..=most), random.random_range(0..=most));
                    let value = random.random_range(a.min(b)..=a.max(b));
                    let range = BitRange::unsigned(width, a.min(b), a.max(b));
                    (Value::Bits(Bits::from_u64(width, value)), Range::Bits(range))
                }
                Sort::Float(format) => {
                    let narrow = format == Format::F32;
                    let number = f64::from(single(random));
                    let other = f64::from(single(random));
                    let value = FloatRange::value(narrow, number);
                    let mut range = FloatRange::of(narrow, number);
                    range = range.join(FloatRange::of(narrow, other));
                    (Value::Float(value), Range::Float(range))
                }
                sort => panic!("no variables of {sort:?}"),
            };
            (variable, place, value, range)
        };
        formula.variables().map(draw).collect()
    }
}

#[test]
fn ranges_contain_the_values() {
    for seed in 0..400 {
        let pool = Pool::new();
        let mut generator = Generator::new(&pool, seed);
        for _ in 0..40 {
            generator.grow(&pool);
        }
        let roots: Vec<Term> = [
            &generator.bits,
            &generator.wide,
            &generator.floats,
            &generator.doubles,
            &generator.truths,
        ]
        .into_iter()
        .flatten()
        .copied()
        .collect();
        let formula = Formula::new(&pool, &roots);
        for _ in 0..20 {
            let leaves = generator.leaves(&pool, &formula);
            let mut ranges = formula.unknown();
            let mut model = FxHashMap::default();
            for (variable, place, value, range) in leaves {
                assert!(range.contains(&value), "{range:?} {value:?}");
                ranges[place] = range;
                model.insert(variable, value);
            }
            // What SMT-LIB leaves open has no value.
            let Ok(values) = evaluate_all(&pool, &roots, &model) else { continue };
            formula.forward(&mut ranges).expect("there is a point");
            check(&pool, &formula, &roots, &values, &ranges);
            // Fix the truth of some formulas as it is.
            for truth in &generator.truths {
                if generator.random.random_bool(0.3) {
                    let place = formula.place(*truth).expect("it is a root");
                    ranges[place] = Range::point(&values[truth]);
                }
            }
            formula.propagate(&mut ranges, 5).expect("there is a point");
            check(&pool, &formula, &roots, &values, &ranges);
        }
    }
}

fn check(
    pool: &Pool,
    formula: &Formula,
    roots: &[Term],
    values: &FxHashMap<Term, Value>,
    ranges: &[Range],
) {
    for term in term::traverse::subterms(pool, roots) {
        let range = ranges[formula.place(term).expect("it is a subterm")];
        assert!(
            range.contains(&values[&term]),
            "{}: {:?} is not in {range:?}",
            term::print::Printer::new(pool).term(term),
            values[&term]
        );
    }
}

/// Small formulas are decided as enumeration does.
#[test]
fn boxes_agree_with_enumeration() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..300 {
        let pool = Pool::new();
        let mut generator = Generator::new(&pool, seed);
        let even = pool.rounding(Rounding::NearestEven);
        (generator.floats, generator.doubles) = (
            vec![pool.make(Op::FpFromSbv(Format::F32), &[even, generator.bits[0]])],
            vec![pool.float(Float::from_f64(1.5))],
        );
        generator.bits.truncate(2);
        generator.wide = vec![pool.bv_concat(generator.bits[0], generator.bits[1])];
        generator.truths.truncate(1);
        for _ in 0..30 {
            generator.grow(&pool);
        }
        let count = generator.truths.len();
        let formulas: Vec<Term> = generator.truths[count.saturating_sub(3)..].to_vec();
        let mut expected = Some(false);
        for point in 0..(1u64 << (2 * WIDTH)) * 2 {
            let mut model = FxHashMap::default();
            model.insert(pool.var("x0", Sort::BitVec(WIDTH)), number(point & 31));
            model.insert(pool.var("x1", Sort::BitVec(WIDTH)), number(point >> 5 & 31));
            model.insert(pool.var("b0", Sort::Bool), Value::Bool(point >> 10 == 1));
            let results: Vec<_> = formulas.iter().map(|f| evaluate(&pool, *f, &model)).collect();
            if results.iter().any(Result::is_err) {
                expected = None;
                break;
            }
            if results.iter().all(|r| *r == Ok(Value::Bool(true))) {
                expected = Some(true);
            }
        }
        match (decide(&pool, &formulas, 50_000_000, &mut || false), expected) {
            (Outcome::Unsat, Some(expected)) => {
                assert!(!expected, "seed {seed}");
                unsat += 1;
            }
            (Outcome::Sat(_), Some(expected)) => {
                assert!(expected, "seed {seed}");
                sat += 1;
            }
            _ => {}
        }
    }
    assert!(sat > 30 && unsat > 30, "{sat} and {unsat}");
}

fn number(value: u64) -> Value {
    Value::Bits(Bits::from_u64(WIDTH, value))
}

/// A polynomial in one variable, with a bound that holds and one that does not.
#[test]
fn a_series_of_the_sine_is_bounded() {
    let pool = Pool::new();
    let even = pool.rounding(Rounding::NearestEven);
    let number = |value: f32| pool.float(Float::from_f32(value));
    let x = pool.var("x", Sort::Float(Format::F32));
    let times = |a, b| pool.fp_mul(even, a, b);
    let over = |a, b: f32| pool.fp_div(even, a, number(b));
    let cube = times(times(x, x), x);
    let fifth = times(times(cube, x), x);
    let seventh = times(times(fifth, x), x);
    let mut result = pool.fp_sub(even, x, over(cube, 6.0));
    result = pool.fp_add(even, result, over(fifth, 120.0));
    result = pool.fp_add(even, result, over(seventh, 5040.0));
    let inside = [pool.fp_lt(number(-1.570_796_4), x), pool.fp_lt(x, number(1.570_796_4))];
    let below = |bound: f32| pool.not(pool.fp_leq(result, number(bound)));
    let ask = |bound: f32| {
        decide(&pool, &[inside[0], inside[1], below(bound)], 50_000_000, &mut || false)
    };
    assert_eq!(ask(1.1), Outcome::Unsat);
    assert_eq!(ask(1.01), Outcome::Unsat);
    // The same under a name.
    let name = pool.var("at", Sort::Bool);
    let definition = pool.implies(name, pool.and([inside[0], inside[1], below(1.1)]));
    let formulas = cone(&pool, &[name], [definition].into_iter());
    assert_eq!(formulas.len(), 2);
    assert_eq!(decide(&pool, &formulas, 50_000_000, &mut || false), Outcome::Unsat);
    assert!(matches!(ask(0.99), Outcome::Sat(_)));
}
