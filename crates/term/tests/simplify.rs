//! Simplification changes no meaning: random DAGs are built twice, as values by the operators'
//! reference semantics and as terms by the simplifying constructors, and compared under random
//! assignments. Constants are chosen to sit where rules fire: zeros, ones, powers of two.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use term::eval::{apply, evaluate};
use term::{Op, Pool, Sort, Term, Value};
use value::{Bits, Float, Format, Rounding};

const FORMAT: Format = match Format::new(3, 4) {
    Ok(format) => format,
    Err(_) => panic!("a valid format"),
};

fn bits(rng: &mut StdRng, width: u32) -> Bits {
    match rng.random_range(0..6) {
        0 => Bits::zero(width),
        1 => Bits::ones(width),
        2 => Bits::one(width),
        3 => Bits::zero(width).with_bit(rng.random_range(0..width), true),
        _ => Bits::from_u64(width, rng.random()),
    }
}

fn value(pool: &Pool, rng: &mut StdRng, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(rng.random()),
        Sort::BitVec(width) => Value::Bits(bits(rng, width)),
        Sort::Float(format) => Value::Float(Float::from_bits(format, &bits(rng, format.width()))),
        Sort::RoundingMode => Value::Rounding(*Rounding::ALL.choose(rng).expect("five modes")),
        Sort::Int => Value::Int(rng.random_range(-4..5).into()),
        Sort::Array(_) => {
            let (index, element) = pool.array_parts(sort).expect("an array");
            let default = value(pool, rng, element);
            let mut array =
                term::ArrayValue { sort, default, entries: std::collections::BTreeMap::new() };
            for _ in 0..3 {
                array = array.store(value(pool, rng, index), value(pool, rng, element));
            }
            Value::Array(std::sync::Arc::new(array))
        }
        Sort::Real | Sort::Uninterpreted(_) => unreachable!("not generated"),
    }
}

/// A random operator with the sorts of its arguments.
fn operator(pool: &Pool, rng: &mut StdRng) -> (Op, Vec<Sort>) {
    use Sort::{Bool, Int, RoundingMode as Rm};
    let widths = [1, 2, 5, 8];
    let width = *widths.choose(rng).expect("not empty");
    let bv = Sort::BitVec(width);
    let fp = Sort::Float(FORMAT);
    let array = pool.array_sort(Sort::BitVec(2), Sort::BitVec(5));
    let high = rng.random_range(0..width);
    let low = rng.random_range(0..=high);
    let extend = rng.random_range(0..4);
    let any = *[Bool, bv, fp, Rm, Int, array].choose(rng).expect("not empty");
    let bv1 = vec![bv];
    let bv2 = vec![bv, bv];
    let fp2 = vec![fp, fp];
    let choices = vec![
        (Op::Not, vec![Bool]),
        (Op::And, vec![Bool; rng.random_range(2..5)]),
        (Op::Or, vec![Bool; rng.random_range(2..5)]),
        (Op::Eq, vec![any, any]),
        (Op::Eq, bv2.clone()),
        (Op::Ite, vec![Bool, any, any]),
        (Op::Ite, vec![Bool, bv, bv]),
        (Op::Ite, vec![Bool, Bool, Bool]),
        (Op::BvNot, bv1.clone()),
        (Op::BvNeg, bv1.clone()),
        (Op::BvAnd, bv2.clone()),
        (Op::BvOr, bv2.clone()),
        (Op::BvXor, bv2.clone()),
        (Op::BvAdd, bv2.clone()),
        (Op::BvAdd, bv2.clone()),
        (Op::BvSub, bv2.clone()),
        (Op::BvMul, bv2.clone()),
        (Op::BvUdiv, bv2.clone()),
        (Op::BvUrem, bv2.clone()),
        (Op::BvSdiv, bv2.clone()),
        (Op::BvSrem, bv2.clone()),
        (Op::BvSmod, bv2.clone()),
        (Op::BvShl, bv2.clone()),
        (Op::BvLshr, bv2.clone()),
        (Op::BvAshr, bv2.clone()),
        (Op::BvUlt, bv2.clone()),
        (Op::BvSlt, bv2),
        (Op::BvConcat, vec![bv, Sort::BitVec(*widths.choose(rng).expect("not empty"))]),
        (Op::BvExtract { high, low }, bv1.clone()),
        (Op::BvExtract { high, low }, bv1.clone()),
        (Op::BvZeroExtend(extend), bv1.clone()),
        (Op::BvSignExtend(extend), bv1),
        (Op::FpFromBits(FORMAT), vec![Sort::BitVec(FORMAT.width())]),
        (Op::FpToBits, vec![fp]),
        (Op::FpAbs, vec![fp]),
        (Op::FpNeg, vec![fp]),
        (Op::FpAdd, vec![Rm, fp, fp]),
        (Op::FpMul, vec![Rm, fp, fp]),
        (Op::FpDiv, vec![Rm, fp, fp]),
        (Op::FpFma, vec![Rm, fp, fp, fp]),
        (Op::FpSqrt, vec![Rm, fp]),
        (Op::FpRem, fp2.clone()),
        (Op::FpRoundToIntegral, vec![Rm, fp]),
        (Op::FpLt, fp2.clone()),
        (Op::FpLeq, fp2.clone()),
        (Op::FpEq, fp2),
        (Op::FpIsZero, vec![fp]),
        (Op::FpIsNan, vec![fp]),
        (Op::FpIsNegative, vec![fp]),
        (Op::FpToFp(FORMAT), vec![Rm, fp]),
        (Op::FpFromSbv(FORMAT), vec![Rm, bv]),
        (Op::FpFromUbv(FORMAT), vec![Rm, bv]),
        (Op::Select, vec![array, Sort::BitVec(2)]),
        (Op::Store, vec![array, Sort::BitVec(2), Sort::BitVec(5)]),
        (Op::ConstArray(array), vec![Sort::BitVec(5)]),
        (Op::Neg, vec![Int]),
        (Op::Add, vec![Int, Int]),
        (Op::Sub, vec![Int, Int]),
        (Op::Mul, vec![Int, Int]),
        (Op::Lt, vec![Int, Int]),
        (Op::Le, vec![Int, Int]),
        (Op::BvToNat, vec![bv]),
        (Op::IntToBv(5), vec![Int]),
    ];
    choices.choose(rng).expect("not empty").clone()
}

/// A node: its term, and its value under each assignment by the reference semantics.
struct Built {
    term: Term,
    sort: Sort,
    values: Vec<Value>,
}

struct Builder {
    pool: Pool,
    nodes: Vec<Built>,
    assignments: Vec<FxHashMap<Term, Value>>,
}

impl Builder {
    /// Some node of this sort: an old one, a new variable or a new constant.
    fn operand(&mut self, rng: &mut StdRng, sort: Sort) -> usize {
        let old: Vec<usize> =
            (0..self.nodes.len()).filter(|i| self.nodes[*i].sort == sort).collect();
        if let (Some(i), true) = (old.choose(rng), rng.random_bool(0.8)) {
            return *i;
        }
        let (term, values) = if rng.random_bool(0.5) {
            let constant = value(&self.pool, rng, sort);
            let values = vec![constant.clone(); self.assignments.len()];
            (self.pool.constant(constant), values)
        } else {
            let term = self.pool.fresh_var("x", sort);
            let pool = &self.pool;
            let values: Vec<Value> = self
                .assignments
                .iter_mut()
                .map(|assignment| {
                    let value = value(pool, rng, sort);
                    assignment.insert(term, value.clone());
                    value
                })
                .collect();
            (term, values)
        };
        self.nodes.push(Built { term, sort, values });
        self.nodes.len() - 1
    }

    fn step(&mut self, rng: &mut StdRng) {
        let (op, sorts) = operator(&self.pool, rng);
        let args: Vec<usize> = sorts.iter().map(|sort| self.operand(rng, *sort)).collect();
        let terms: Vec<Term> = args.iter().map(|i| self.nodes[*i].term).collect();
        let sort = term::typing::sort_of(&self.pool, &op, &terms).expect("well-sorted");
        let values: Option<Vec<Value>> = (0..self.assignments.len())
            .map(|k| {
                let values: Vec<&Value> = args.iter().map(|i| &self.nodes[*i].values[k]).collect();
                apply(&op, sort, &values)
            })
            .collect();
        let Some(values) = values else { return };
        let term = self.pool.make(op.clone(), &terms);
        assert_eq!(self.pool.sort(term), sort, "{op:?} keeps its sort");
        self.nodes.push(Built { term, sort, values });
    }
}

#[test]
fn simplification_preserves_meaning() {
    for seed in 0..1500 {
        let mut rng = StdRng::seed_from_u64(seed);
        let assignments = vec![FxHashMap::default(); 3];
        let mut builder = Builder { pool: Pool::new(), nodes: Vec::new(), assignments };
        for _ in 0..60 {
            builder.step(&mut rng);
        }
        for node in &builder.nodes {
            for (assignment, expected) in builder.assignments.iter().zip(&node.values) {
                let found = evaluate(&builder.pool, node.term, assignment).expect("no quantifier");
                assert_eq!(
                    found,
                    *expected,
                    "seed {seed}: {}",
                    term::print::term_to_string(&builder.pool, node.term)
                );
            }
        }
    }
}

#[test]
fn a_million_nodes_deep() {
    let pool = Pool::new();
    let x = pool.var("x", Sort::BitVec(32));
    let y = pool.var("y", Sort::BitVec(32));
    let mut t = x;
    for _ in 0..500_000 {
        t = pool.bv_xor(pool.bv_add(t, y), x);
    }
    assert!(term::traverse::size(&pool, t) > 1_000_000);
    assert_eq!(term::traverse::free_vars(&pool, &[t]), vec![x, y]);
    let z = pool.var("z", Sort::BitVec(32));
    let replaced = term::traverse::substitute(&pool, t, [(y, z)]);
    assert_eq!(term::traverse::free_vars(&pool, &[replaced]), vec![x, z]);
    let assignment: FxHashMap<Term, Value> =
        [(x, Value::Bits(Bits::from_u64(32, 7))), (y, Value::Bits(Bits::zero(32)))]
            .into_iter()
            .collect();
    // y = 0, so each step is ⊕ x, and an even number of them gives x back.
    assert_eq!(evaluate(&pool, t, &assignment), Ok(Value::Bits(Bits::from_u64(32, 7))));
}

/// Rules that go down a chain must not do so on the stack: each of these once overflowed it.
#[test]
fn long_chains_of_rules() {
    const LONG: u64 = 300_000;
    let pool = Pool::new();
    let x = pool.var("x", Sort::BitVec(8));
    let chain = |step: &dyn Fn(Term, u64) -> Term| (0..LONG).fold(x, step);
    let masked = chain(&|t, n| pool.bv_not(pool.bv_and(t, pool.bv(n | 1, 8))));
    let ites =
        chain(&|t, n| pool.ite(pool.var(&format!("c{n}"), Sort::Bool), pool.bv(n % 7, 8), t));
    let negated = chain(&|t, n| pool.bv_neg(pool.bv_add(t, pool.bv(n | 1, 8))));
    let flipped = chain(&|t, n| pool.bv_not(pool.bv_xor(t, pool.bv(n | 1, 8))));
    let joined = (0..20_000).fold(x, |t, _| pool.bv_concat(x, t));
    let wide = pool.width(joined);
    let results = [
        pool.eq(pool.bv_extract(masked, 3, 1), pool.bv(2, 3)),
        pool.eq(ites, pool.bv(3, 8)),
        pool.eq(negated, pool.bv(3, 8)),
        pool.eq(flipped, pool.bv(3, 8)),
        pool.eq(joined, pool.bv(0, wide)),
    ];
    let assignment: FxHashMap<Term, Value> = FxHashMap::default();
    // Everything is zero: all conditions are false, so the chain is x, and x is not 3.
    assert_eq!(evaluate(&pool, results[1], &assignment), Ok(Value::Bool(false)));
    assert_eq!(evaluate(&pool, results[4], &assignment), Ok(Value::Bool(true)));
    for result in results {
        evaluate(&pool, result, &assignment).expect("no quantifier");
    }
}
