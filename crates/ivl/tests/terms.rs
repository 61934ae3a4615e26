//! Terms as they are written: every operator on every kind of operand, constants too, comes back
//! without being simplified.

mod support;

use la_arena::Arena;
use program::place::Place;
use program::program::{Body, Edge, Function, Instruction, Location, Reading, Variable};
use program::{Program, Property};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rustc_hash::{FxHashMap, FxHashSet};
use support::{reread, round_trip};
use term::{Op, Pool, Sort, Term, Value};
use value::{Bits, Float, Format, Rounding};

fn operators(pool: &Pool) -> Vec<Op> {
    let tiny = Format::new(2, 6).expect("a format of 8 bits");
    let array = pool.array_sort(Sort::BitVec(8), Sort::Bool);
    let apply = pool.function("zext8", &[Sort::BitVec(8), Sort::Int], Sort::Real);
    let mut all = vec![
        Op::Not,
        Op::And,
        Op::Or,
        Op::Eq,
        Op::Ite,
        Op::BvNot,
        Op::BvAnd,
        Op::BvOr,
        Op::BvXor,
        Op::BvNeg,
        Op::BvAdd,
        Op::BvSub,
        Op::BvMul,
        Op::BvUdiv,
        Op::BvUrem,
        Op::BvSdiv,
        Op::BvSrem,
        Op::BvSmod,
        Op::BvShl,
        Op::BvLshr,
        Op::BvAshr,
        Op::BvUlt,
        Op::BvSlt,
        Op::BvConcat,
        Op::FpToBits,
        Op::FpAbs,
        Op::FpNeg,
        Op::FpAdd,
        Op::FpMul,
        Op::FpDiv,
        Op::FpFma,
        Op::FpSqrt,
        Op::FpRem,
        Op::FpRoundToIntegral,
        Op::FpMin,
        Op::FpMax,
        Op::FpLt,
        Op::FpLeq,
        Op::FpEq,
        Op::FpIsNormal,
        Op::FpIsSubnormal,
        Op::FpIsZero,
        Op::FpIsInfinite,
        Op::FpIsNan,
        Op::FpIsNegative,
        Op::FpIsPositive,
        Op::FpToReal,
        Op::Select,
        Op::Store,
        Op::Neg,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::IntDiv,
        Op::IntMod,
        Op::RealDiv,
        Op::Lt,
        Op::Le,
        Op::ToReal,
        Op::ToInt,
        Op::BvToNat,
        Op::ConstArray(array),
        Op::Apply(apply),
    ];
    for n in [0, 1, 7] {
        all.extend([Op::BvZeroExtend(n), Op::BvSignExtend(n)]);
        all.push(Op::BvExtract { high: n, low: 0 });
        all.push(Op::BvExtract { high: 7, low: n });
        all.extend([Op::FpToUbv(n + 1), Op::FpToSbv(n + 1), Op::IntToBv(n + 1)]);
    }
    for format in [tiny, Format::F32, Format::F64] {
        all.extend([Op::FpFromBits(format), Op::FpToFp(format), Op::FpFromSbv(format)]);
        all.extend([Op::FpFromUbv(format), Op::FpFromReal(format)]);
    }
    all
}

/// Variables and constants of every sort.
fn leaves(pool: &Pool, random: &mut StdRng) -> Vec<Term> {
    let tiny = Format::new(2, 6).expect("a format of 8 bits");
    let mut sorts: Vec<Sort> = [1, 8, 9, 32, 64].map(Sort::BitVec).to_vec();
    sorts.extend([tiny, Format::F32].map(Sort::Float));
    sorts.extend([Sort::Bool, Sort::Int, Sort::Real, Sort::RoundingMode]);
    sorts.push(pool.array_sort(Sort::BitVec(8), Sort::Bool));
    sorts.push(Sort::Uninterpreted(pool.symbol("int")));
    let mut leaves = Vec::new();
    for (i, sort) in sorts.into_iter().enumerate() {
        leaves.push(pool.var(&format!("v{i}"), sort));
        for _ in 0..2 {
            let number: i64 =
                if random.random() { random.random() } else { random.random_range(-9..9) };
            let value = match sort {
                Sort::BitVec(width) => {
                    Value::Bits(Bits::from_i64(64, number).extract(width - 1, 0))
                }
                Sort::Float(format) => {
                    let bits = Bits::from_i64(64, number).extract(format.width() - 1, 0);
                    Value::Float(Float::from_bits(format, &bits))
                }
                Sort::Bool => Value::Bool(random.random()),
                Sort::Int => Value::Int(number.into()),
                Sort::Real => Value::Real(num_rational::BigRational::new(number.into(), 7.into())),
                Sort::RoundingMode => Value::Rounding(Rounding::ALL[random.random_range(0..5)]),
                Sort::Uninterpreted(symbol) => Value::Element(symbol, random.random_range(0..3)),
                Sort::Array(_) => continue,
            };
            leaves.push(pool.constant(value));
        }
    }
    leaves
}

/// A program that assigns each term to a register of its sort.
fn assigning(pool: Pool, terms: &[Term]) -> Program {
    let mut functions = Arena::new();
    let place = Place::default();
    let (parameters, results) = (Vec::new(), Vec::new());
    let start = functions.alloc(Function {
        name: "f".into(),
        place: place.clone(),
        address: None,
        parameters,
        results,
        body: None,
    });
    let mut variables = Arena::new();
    let mut declare = |term: Term| {
        let (sort, name) = (pool.sort(term), None);
        let (reading, function) = (Reading::Unsigned, None);
        variables.alloc(Variable { term, sort, name, reading, function, place: Place::default() })
    };
    let mut seen = FxHashSet::default();
    for term in term::traverse::free_vars(&pool, terms) {
        seen.insert(term);
        declare(term);
    }
    let mut locations = Arena::new();
    let entry = locations.alloc(Location::default());
    let exit = locations.alloc(Location::default());
    let mut edges = Arena::new();
    for (i, term) in terms.iter().enumerate() {
        let into = declare(pool.var(&format!("to{i}"), pool.sort(*term)));
        let instruction = match (pool.sort(*term), i % 2) {
            (Sort::Bool, 0) => Instruction::Check(Property::Assert, *term),
            _ => Instruction::Assign(into, *term),
        };
        edges.alloc(Edge { from: entry, to: exit, instruction, place: Place::default() });
    }
    functions[start].body = Some(Body { locations, edges, entry, exit });
    Program {
        pool,
        variables,
        objects: Arena::new(),
        functions,
        start,
        pointer_width: 32,
        addresses: FxHashMap::default(),
        assumptions: Vec::new(),
        undefined: Vec::new(),
        asked: program::checks::Asked::default(),
    }
}

/// Operands that often fit together: mostly of one sort, sometimes after a rounding mode.
fn operands(pool: &Pool, terms: &[Term], random: &mut StdRng, count: usize) -> Vec<Term> {
    let mut any = |sort: Option<Sort>| {
        let fitting = terms.iter().filter(|t| sort.is_none_or(|sort| pool.sort(**t) == sort));
        let fitting: Vec<&Term> = fitting.collect();
        **fitting.choose(random).expect("there are terms of the sort")
    };
    let first = any(None);
    let sort = Some(pool.sort(first));
    let mut args = vec![first];
    args.extend((1..count).map(|_| any(sort)));
    let (mode, other) = (any(Some(Sort::RoundingMode)), any(None));
    match random.random_range(0..4) {
        0 => args.insert(0, mode),
        1 => args[count - 1] = other,
        _ => {}
    }
    args
}

#[test]
fn every_operator_comes_back() {
    let mut met = FxHashSet::default();
    for seed in 0..60 {
        let pool = Pool::new();
        let mut random = StdRng::seed_from_u64(seed);
        let operators = operators(&pool);
        let mut terms = leaves(&pool, &mut random);
        let mut made = Vec::new();
        while made.len() < 200 {
            let op = operators.choose(&mut random).expect("operators");
            let count = random.random_range(1..=4);
            let args = operands(&pool, &terms, &mut random, count);
            if let Ok(term) = pool.try_exactly(op.clone(), &args)
                && pool.sort(term).width().is_none_or(|width| width < 200)
            {
                met.insert(std::mem::discriminant(op));
                made.push(term);
                terms.push(term);
            }
        }
        // Operands of several sorts seldom meet by chance.
        let of = |sort: Sort| {
            let found = terms.iter().rev().find(|term| pool.sort(**term) == sort);
            *found.expect("there are terms of the sort")
        };
        let (byte, array) = (of(Sort::BitVec(8)), pool.array_sort(Sort::BitVec(8), Sort::Bool));
        let mixed = operators.iter().filter_map(|op| match op {
            Op::Apply(_) => Some((op, vec![byte, of(Sort::Int)])),
            Op::Store => Some((op, vec![of(array), byte, of(Sort::Bool)])),
            Op::Select => Some((op, vec![of(array), byte])),
            _ => None,
        });
        for (op, args) in mixed {
            met.insert(std::mem::discriminant(op));
            made.push(pool.try_exactly(op.clone(), &args).expect("they fit"));
        }
        round_trip(&assigning(pool, &made));
    }
    let operators = operators(&Pool::new());
    let missing = operators.iter().filter(|op| !met.contains(&std::mem::discriminant(*op)));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&Op>::new(), "every operator is met");
}

/// Texts and what they are printed as.
#[test]
fn texts_mean_terms() {
    let declared = "var a: bv32 var b: bv32 var p: bool var q: bool var x: double var y: double \
                    var m: [bv8]bv32 var n: int var r: real var k: bv8";
    for (text, printed) in [
        ("a := a + 1", "a := a + 1"),
        ("a := 1 + a", "a := 1 + a"),
        ("a := a - 1", "a := a - 1"),
        ("a := a + -1", "a := a - 1"),
        ("a := a - bv32(1)", "a := a - bv32(1)"),
        ("a := a - b - a", "a := a - b - a"),
        ("a := a - (b - a)", "a := a - (b - a)"),
        ("a := a + b * a", "a := a + b * a"),
        ("a := 4294967295", "a := -1"),
        ("a := -(5)", "a := -bv32(5)"),
        ("p := a > 5", "p := a > 5"),
        ("p := 5 < a", "p := a > 5"),
        ("p := a <= b", "p := b >= a"),
        ("p := a >=u 7", "p := a >=u 7"),
        ("p := !(a == b)", "p := a != b"),
        ("p := !(a < b)", "p := a >= b"),
        ("p := !(x < y)", "p := !(x < y)"),
        ("p := x >= 1", "p := x >= 1.0"),
        ("p := x != y", "p := x != y"),
        ("p := x !== -0.0", "p := x !== -0.0"),
        ("p := p && q && p || q", "p := p && q && p || q"),
        ("p := p && (q && p)", "p := p && (q && p)"),
        ("p := (p || q) && q", "p := (p || q) && q"),
        ("a := p ? 1 : q ? 2 : 3", "a := p ? 1 : (q ? 2 : 3)"),
        ("p := (p ? 1 : 2) == a", "p := (p ? 1 : 2) == a"),
        ("k := (p ? bv16(1) : 2)[7:0]", "k := (p ? bv16(1) : 2)[7:0]"),
        ("a := zext32(k) << 3 | 1", "a := (zext32(k) << 3) | 1"),
        ("a := k ++ k ++ bv16(1)", "a := k ++ k ++ bv16(1)"),
        ("a := m[k]", "a := m[k]"),
        ("m := m[1 := a][k := 2]", "m := m[1 := a][k := 2]"),
        ("m := all([bv8]bv32, 7)", "m := all([bv8]bv32, 7)"),
        ("x := x - y", "x := x - y"),
        ("x := x - 1", "x := x - 1.0"),
        ("x := x + -y", "x := x - y"),
        ("x := fp.add(RTZ, x, 1)", "x := fp.add(RTZ, x, double(1.0))"),
        ("x := fp.sqrt(x)", "x := fp.sqrt(x)"),
        ("x := 0x3ff8000000000000", "x := 1.5"),
        ("x := double(a)", "x := double(a)"),
        ("x := double_unsigned(RTP, a)", "x := double_unsigned(RTP, a)"),
        ("x := -inf", "x := -inf"),
        ("a := signed32(RTZ, x)", "a := signed32(RTZ, x)"),
        ("n := n / 2 - 3 % n", "n := n / 2 - 3 % n"),
        ("r := r * 0.25 + real(-1/3)", "r := r * real(1/4) + real(-1/3)"),
        ("a := let #s = a + b in #s * #s", "a := (a + b) * (a + b)"),
        (
            "a := let #s = a + b * 1000 * b * b * b in #s * #s",
            "a := let #1 = a + b * 1000 * b * b * b in #1 * #1",
        ),
    ] {
        let program = reread(&format!("{declared} function main() {{ {text} -> exit }}"));
        let found = ivl::print(&program);
        let line = found.lines().find(|line| line.contains(" -> exit")).unwrap_or_default();
        let line = line.split(" -> exit").next().unwrap_or_default().trim();
        assert_eq!(line, printed, "{text}");
        round_trip(&program);
    }
}
