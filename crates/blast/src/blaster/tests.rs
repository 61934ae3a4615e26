//! Random terms of all operators against the evaluator, and the edges of the interface.

use super::*;
use aig::simulate::Words;
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use term::eval::{Assignment, evaluate_all};
use term::{Func, Symbol, Value};
use value::{Bits, Float as FloatValue, Format, Rounding};

fn format(exponent: u32, significand: u32) -> Format {
    Format::new(exponent, significand).expect("a valid format")
}

/// A term to make: an operator's number, and numbers from which its arguments follow.
type Step = (u8, [u16; 4], u16);

/// Terms by sort, to choose arguments from.
struct Terms<'a> {
    pool: &'a Pool,
    terms: Vec<Term>,
}

const WIDTHS: [u32; 4] = [1, 3, 4, 7];

fn formats() -> [Format; 3] {
    [format(2, 3), format(3, 4), format(3, 2)]
}

impl<'a> Terms<'a> {
    /// Variables of every sort, and a few constants.
    fn new(pool: &'a Pool) -> Self {
        let mut terms = Vec::new();
        for i in 0..2 {
            terms.push(pool.var(&format!("p{i}"), Sort::Bool));
            terms.push(pool.var(&format!("m{i}"), Sort::RoundingMode));
            for width in WIDTHS {
                terms.push(pool.var(&format!("x{width}_{i}"), Sort::BitVec(width)));
            }
            for (k, format) in formats().into_iter().enumerate() {
                terms.push(pool.var(&format!("f{k}_{i}"), Sort::Float(format)));
                terms.push(pool.float(FloatValue::zero(format, i == 0)));
                terms.push(pool.float(FloatValue::one(format, i == 0)));
            }
        }
        for width in WIDTHS {
            terms.push(pool.bits(Bits::one(width)));
        }
        terms.push(pool.rounding(Rounding::TowardNegative));
        Terms { pool, terms }
    }

    /// Some term of a sort; there is always one.
    fn pick(&self, number: u16, sort: Sort) -> Term {
        let fitting: Vec<Term> =
            self.terms.iter().copied().filter(|t| self.pool.sort(*t) == sort).collect();
        fitting[number as usize % fitting.len()]
    }

    /// Adds the term that a step means.
    fn step(&mut self, (operator, [a, b, c, d], extra): Step) {
        let width = WIDTHS[extra as usize % WIDTHS.len()];
        let format = formats()[extra as usize % 3];
        let other = formats()[(extra as usize / 3) % 3];
        let low = u32::from(extra) % width;
        let high = low + u32::from(d) % (width - low);
        let bits = |s: &Self, n: u16| s.pick(n, Sort::BitVec(width));
        let float = |s: &Self, n: u16| s.pick(n, Sort::Float(format));
        let mode = |s: &Self, n: u16| s.pick(n, Sort::RoundingMode);
        let truth = |s: &Self, n: u16| s.pick(n, Sort::Bool);
        use Op::*;
        let unary = [BvNot, BvNeg, BvZeroExtend(2), BvSignExtend(3), BvExtract { high, low }];
        let binary = [
            BvAnd, BvOr, BvXor, BvAdd, BvSub, BvMul, BvUdiv, BvUrem, BvSdiv, BvSrem, BvSmod, BvShl,
            BvLshr, BvAshr, BvUlt, BvSlt, BvConcat, Eq,
        ];
        let float_unary = [
            FpAbs,
            FpNeg,
            FpToBits,
            FpIsNormal,
            FpIsSubnormal,
            FpIsZero,
            FpIsInfinite,
            FpIsNan,
            FpIsNegative,
            FpIsPositive,
        ];
        let float_binary = [FpRem, FpMin, FpMax, FpLt, FpLeq, FpEq, Eq, FpMin, FpMax];
        let rounded_unary =
            [FpSqrt, FpRoundToIntegral, FpToFp(other), FpToUbv(width), FpToSbv(width)];
        let rounded_binary = [FpAdd, FpMul, FpDiv];
        let choose = |ops: &[Op]| ops[a as usize % ops.len()].clone();
        let (op, args) = match operator % 16 {
            0 => (choose(&unary), vec![bits(self, b)]),
            1..=3 => (choose(&binary), vec![bits(self, b), bits(self, c)]),
            4 => (choose(&float_unary), vec![float(self, b)]),
            5 | 6 => (choose(&float_binary), vec![float(self, b), float(self, c)]),
            7 => (choose(&rounded_unary), vec![mode(self, b), float(self, c)]),
            8 | 9 => (choose(&rounded_binary), vec![mode(self, b), float(self, c), float(self, d)]),
            10 => (FpFma, vec![mode(self, a), float(self, b), float(self, c), float(self, d)]),
            11 => (
                choose(&[FpFromSbv(format), FpFromUbv(format)]),
                vec![mode(self, b), bits(self, c)],
            ),
            12 => {
                let sort = Sort::BitVec(format.width());
                if self.terms.iter().all(|t| self.pool.sort(*t) != sort) {
                    return;
                }
                (FpFromBits(format), vec![self.pick(b, sort)])
            }
            13 => (choose(&[And, Or, Eq]), vec![truth(self, b), truth(self, c)]),
            14 => {
                let sorts =
                    [Sort::Bool, Sort::RoundingMode, Sort::Float(format), Sort::BitVec(width)];
                let sort = sorts[a as usize % 4];
                (Ite, vec![truth(self, b), self.pick(c, sort), self.pick(d, sort)])
            }
            _ => (Eq, vec![mode(self, b), mode(self, c)]),
        };
        // Widths beyond those of the variables only grow the circuits.
        let term = self.pool.make(op, &args);
        if self.pool.sort(term).width().is_none_or(|w| w <= 16) {
            self.terms.push(term);
        }
    }
}

/// Variables and applications as one pattern of the inputs has them.
struct Model {
    vars: Vec<(Term, Value)>,
    table: Vec<(Func, Vec<Value>, Value)>,
}

impl Assignment for Model {
    fn var(&self, term: Term, _: Symbol) -> Option<Value> {
        self.vars.iter().find(|(t, _)| *t == term).map(|(_, v)| v.clone())
    }

    fn function(&self, func: Func, args: &[&Value]) -> Option<Value> {
        let same = |found: &[Value]| found.iter().eq(args.iter().copied());
        let entry = self.table.iter().find(|(f, found, _)| *f == func && same(found));
        Some(entry.expect("every open case is an atom").2.clone())
    }
}

/// The model of a pattern, if the atoms in it are functions.
fn model(pool: &Pool, blaster: &Blaster, read: impl Fn(Term) -> Value) -> Option<Model> {
    let mut model = Model { vars: Vec::new(), table: Vec::new() };
    for (term, _) in blaster.blasted.iter() {
        if matches!(pool.op(*term), Op::Var(_)) {
            model.vars.push((*term, read(*term)));
        }
    }
    for atom in blaster.atoms() {
        let Op::Apply(func) = pool.op(*atom) else { unreachable!("the only atoms here") };
        let args: Vec<Value> = pool.args(*atom).iter().map(|a| read(*a)).collect();
        let value = read(*atom);
        let known = model.table.iter().find(|(f, found, _)| f == func && *found == args);
        if known.is_some_and(|(_, _, other)| *other != value) {
            return None;
        }
        model.table.push((*func, args, value));
    }
    Some(model)
}

fn check_program(steps: Vec<Step>, seed: u64) {
    let pool = Pool::new();
    let mut terms = Terms::new(&pool);
    for step in steps {
        terms.step(step);
    }
    let terms = terms.terms;
    let mut blaster = Blaster::new();
    for term in &terms {
        blaster.bits(&pool, *term).expect("all these sorts have bits");
    }
    // Constant arguments of atoms are read back below.
    for atom in blaster.atoms().to_vec() {
        for arg in pool.args(atom) {
            blaster.bits(&pool, *arg).expect("all these sorts have bits");
        }
    }
    let mut rng = StdRng::seed_from_u64(seed);
    let words = Words::simulate(blaster.aig(), |_| rng.random());
    for pattern in 0..64 {
        let read =
            |term: Term| blaster.value(&pool, term, |edge| words.word(edge) >> pattern & 1 == 1);
        let Some(model) = model(&pool, &blaster, read) else { continue };
        let values = evaluate_all(&pool, &terms, &model).expect("there are no quantifiers");
        for term in &terms {
            assert_eq!(read(*term), values[term], "{term:?}: {:?}", pool.node(*term));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_terms_agree_with_the_evaluator(
        steps in proptest::collection::vec(any::<Step>(), 1..60),
        seed in any::<u64>(),
    ) {
        check_program(steps, seed);
    }
}

/// Bits are equal exactly where terms are: also of NaNs and of rounding modes.
#[test]
fn bits_are_canonical() {
    let pool = Pool::new();
    let half = format(3, 3);
    let mut blaster = Blaster::new();
    for sort in [Sort::Float(half), Sort::RoundingMode, Sort::Bool, Sort::BitVec(3)] {
        let name = |n: &str| format!("{n}{sort:?}");
        let (a, b) = (pool.var(&name("a"), sort), pool.var(&name("b"), sort));
        let equal = blaster.bool(&pool, pool.eq(a, b)).expect("sorts with bits");
        let (x, y) = (blaster.bits(&pool, a), blaster.bits(&pool, b));
        let (x, y) = (x.expect("a sort with bits"), y.expect("a sort with bits"));
        let same = word::equal(blaster.aig_mut(), &x, &y);
        let mut rng = StdRng::seed_from_u64(5);
        for _ in 0..100 {
            let words = Words::simulate(blaster.aig(), |_| rng.random());
            assert_eq!(words.word(equal), words.word(same), "at {sort:?}");
        }
    }
}

#[test]
fn a_real_constant_under_any_mode() {
    let pool = Pool::new();
    let small = format(3, 3);
    let third = num_rational_third();
    let mode = pool.var("m", Sort::RoundingMode);
    let term = pool.make(Op::FpFromReal(small), &[mode, pool.constant(Value::Real(third.clone()))]);
    let mut blaster = Blaster::new();
    blaster.bits(&pool, term).expect("a constant real");
    for code in 0..8u64 {
        let words = Words::simulate(blaster.aig(), |i| if code >> i & 1 == 1 { !0 } else { 0 });
        let bit = |edge| words.word(edge) & 1 == 1;
        let Value::Rounding(mode) = blaster.value(&pool, mode, bit) else { unreachable!() };
        let expected = FloatValue::from_rational(small, mode, &third);
        assert_eq!(blaster.value(&pool, term, bit), Value::Float(expected));
    }
}

fn num_rational_third() -> value::BigRational {
    value::BigRational::new(1.into(), 3.into())
}

#[test]
fn other_theories_are_atoms_in_order() {
    let pool = Pool::new();
    let word = Sort::BitVec(8);
    let array = pool.array_sort(word, word);
    let (a, b, i) = (pool.var("a", array), pool.var("b", array), pool.var("i", word));
    let read = pool.select(a, i);
    let equal = pool.eq(a, b);
    let apply = pool.apply(pool.function("f", &[word], Sort::Bool), &[i]);
    let mut blaster = Blaster::new();
    let formula = pool.and([pool.eq(read, i), pool.or([equal, apply])]);
    blaster.bool(&pool, formula).expect("atoms are free");
    let mut atoms = blaster.atoms().to_vec();
    assert_eq!(atoms.len(), 3);
    // A second question adds nothing.
    blaster.bool(&pool, pool.not(formula)).expect("atoms are free");
    assert_eq!(blaster.atoms(), atoms);
    atoms.sort_unstable();
    let mut expected = vec![read, equal, apply];
    expected.sort_unstable();
    assert_eq!(atoms, expected);
    for atom in atoms {
        for edge in blaster.bits(&pool, atom).expect("atoms have bits") {
            assert_eq!(blaster.aig().node(edge.node()), aig::Node::Input);
        }
    }
}

#[test]
fn what_has_no_bits_is_reported() {
    let pool = Pool::new();
    let mut blaster = Blaster::new();
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    let less = pool.lt(x, y);
    let guarded = pool.or([pool.var("p", Sort::Bool), less]);
    let error = blaster.bool(&pool, guarded).expect_err("integers have no bits");
    assert_eq!(error.term, less);
    assert!(matches!(error.reason, Reason::Theory(_)));
    assert!(blaster.bool(&pool, pool.eq(x, y)).is_err());
    assert!(blaster.bits(&pool, x).is_err());
    let bound = pool.bound_var("b", Sort::Bool);
    let free = pool.var("q", Sort::Bool);
    let forall = pool.forall(&[bound], pool.or([bound, free]));
    assert!(blaster.bool(&pool, forall).is_err());
    // What can be blasted still is.
    assert!(blaster.bool(&pool, pool.var("p", Sort::Bool)).is_ok());
}

#[test]
fn absurd_sizes_are_reported() {
    let pool = Pool::new();
    let wide = Sort::BitVec(1 << 20);
    let (x, y) = (pool.var("x", wide), pool.var("y", wide));
    let product = pool.make(Op::BvMul, &[x, y]);
    let mut blaster = Blaster::new();
    let error = blaster.bits(&pool, product).expect_err("a trillion gates");
    assert_eq!(error.term, product);
    assert!(matches!(error.reason, Reason::Size { .. }));
    assert!(blaster.bits(&pool, pool.make(Op::BvAnd, &[x, y])).is_ok());
    let mut small = Blaster::with_limit(1000);
    assert!(small.bits(&pool, x).is_err());
}

/// The walk does not recurse.
#[test]
fn deep_terms() {
    let pool = Pool::new();
    let bit = Sort::BitVec(1);
    let mut term = pool.var("x", bit);
    for i in 0..200_000u32 {
        let other = pool.var(&format!("y{}", i % 7), bit);
        let op = if i % 2 == 0 { Op::BvXor } else { Op::BvAnd };
        let next = pool.make(op, &[term, other]);
        term = if pool.value(next).is_some() { other } else { next };
    }
    let mut blaster = Blaster::new();
    blaster.bits(&pool, term).expect("bit-vectors have bits");
}
