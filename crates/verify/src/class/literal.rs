//! What a class of inputs is described by: comparisons that the program makes, and ranges of inputs.

use program::region::{Condition, narrow};
use rustc_hash::{FxHashMap, FxHashSet};
use term::eval::evaluate_all;
use term::traverse::{free_vars, subterms};
use term::{Op, Pool, Sort, Term, Value, evaluate};
use value::{Bits, Float};

/// Comparisons of more nodes are not shown to anybody.
const LONGEST: usize = 24;
/// How many comparisons of the program are looked at.
const MOST_ATOMS: usize = 1_500;
/// What a range of an input costs, more than any comparison.
const RANGE: usize = 1_000;

/// A condition on inputs that holds at a point.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Literal {
    /// A comparison of the program, or its opposite.
    Compared {
        /// As the program makes it.
        shown: Term,
        /// What it says to people, who read numbers and no bits that wrap.
        exact: Term,
        /// How little it is liked.
        cost: usize,
    },
    /// An input lies between two values, or on one side of one.
    Range(Range),
}

/// A range of an input, by keys of its values.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Range {
    pub variable: Term,
    pub scale: Scale,
    pub low: Option<i128>,
    pub high: Option<i128>,
}

/// How values of an input are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scale {
    Signed(u32),
    Unsigned(u32),
    Float(value::Format),
}

impl Scale {
    /// The order of an input's values; none of those that have no order.
    pub fn of(sort: Sort, signed: bool) -> Option<Scale> {
        match sort {
            Sort::BitVec(width @ 1..=64) if signed => Some(Scale::Signed(width)),
            Sort::BitVec(width @ 1..=64) => Some(Scale::Unsigned(width)),
            Sort::Float(format) if format.width() <= 64 => Some(Scale::Float(format)),
            _ => None,
        }
    }

    /// Where a value stands in the order; none for NaN.
    pub fn key(self, value: &Value) -> Option<i128> {
        match (self, value) {
            (Scale::Signed(_), Value::Bits(bits)) => bits.to_i128(),
            (Scale::Unsigned(_), Value::Bits(bits)) => i128::try_from(bits.to_u128()?).ok(),
            (Scale::Float(_), Value::Float(float)) if !float.is_nan() => {
                let magnitude = i128::try_from(float.abs().to_bits().to_u128()?).ok()?;
                Some(if float.is_negative() { -magnitude } else { magnitude })
            }
            _ => None,
        }
    }

    /// The value with a key.
    pub fn value(self, key: i128) -> Value {
        match self {
            Scale::Signed(width) | Scale::Unsigned(width) => {
                Value::Bits(Bits::from_i128(width, key))
            }
            Scale::Float(format) => {
                let bits = Bits::from_u128(format.width(), key.unsigned_abs());
                let float = Float::from_bits(format, &bits);
                Value::Float(if key < 0 { float.neg() } else { float })
            }
        }
    }

    /// The keys of the least and of the greatest value.
    pub fn ends(self) -> (i128, i128) {
        match self {
            Scale::Signed(width) => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
            Scale::Unsigned(width) => (0, (1 << width) - 1),
            Scale::Float(format) => {
                let most = Float::infinity(format, false).to_bits().to_u128();
                let most = most.and_then(|bits| i128::try_from(bits).ok()).unwrap_or(0);
                (-most, most)
            }
        }
    }

    /// That one value is not above another one.
    pub fn at_most(self, pool: &Pool, a: Term, b: Term) -> Term {
        match self {
            Scale::Signed(_) => pool.bv_sle(a, b),
            Scale::Unsigned(_) => pool.bv_ule(a, b),
            Scale::Float(_) => pool.fp_leq(a, b),
        }
    }
}

impl Literal {
    /// As a formula.
    pub fn term(&self, pool: &Pool) -> Term {
        match self {
            Literal::Compared { exact, .. } => *exact,
            Literal::Range(Range { variable, scale, low, high }) => {
                let bound = |key: &i128| pool.constant(scale.value(*key));
                let low = low.iter().map(|low| scale.at_most(pool, bound(low), *variable));
                let high = high.iter().map(|high| scale.at_most(pool, *variable, bound(high)));
                pool.and(low.chain(high).collect::<Vec<_>>())
            }
        }
    }

    /// How little it is liked.
    pub fn cost(&self) -> usize {
        match self {
            Literal::Compared { cost, .. } => *cost,
            Literal::Range(_) => RANGE,
        }
    }

    /// Weaker literals that may do as well.
    pub fn weaker(&self, pool: &Pool, signs: &dyn Fn(Term) -> bool) -> Vec<Literal> {
        let Literal::Compared { shown, cost, .. } = self else { return Vec::new() };
        let weaker = match (pool.op(*shown), pool.args(*shown)) {
            (Op::BvUlt, [a, b]) => vec![pool.bv_ule(*a, *b)],
            (Op::BvSlt, [a, b]) => vec![pool.bv_sle(*a, *b)],
            (Op::FpLt, [a, b]) => vec![pool.fp_leq(*a, *b)],
            (Op::Eq, [a, b]) => {
                let signed = has_signed(pool, *a, signs) || has_signed(pool, *b, signs);
                let Some(scale) = Scale::of(pool.sort(*a), signed) else { return Vec::new() };
                vec![scale.at_most(pool, *a, *b), scale.at_most(pool, *b, *a)]
            }
            _ => Vec::new(),
        };
        let literal = |shown| {
            let exact = exact(pool, shown, signs)?;
            Some(Literal::Compared { shown, exact, cost: *cost })
        };
        weaker.into_iter().filter_map(literal).collect()
    }
}

/// Whether some input in a term has values with signs.
pub(super) fn has_signed(pool: &Pool, term: Term, signs: &dyn Fn(Term) -> bool) -> bool {
    free_vars(pool, &[term]).iter().any(|variable| signs(*variable))
}

/// Numbers of more bits are left alone.
const WIDEST: u32 = 256;

/// A comparison of integers as it is read: of the numbers, which have no width. The same for other
/// comparisons; none if it is too large.
fn exact(pool: &Pool, literal: Term, signs: &dyn Fn(Term) -> bool) -> Option<Term> {
    let args = pool.args(literal);
    match pool.op(literal) {
        Op::Not => Some(pool.not(exact(pool, args[0], signs)?)),
        op @ (Op::BvSlt | Op::BvUlt | Op::Eq) if matches!(pool.sort(args[0]), Sort::BitVec(_)) => {
            let signed = match op {
                Op::Eq => args.iter().any(|arg| has_signed(pool, *arg, signs)),
                op => *op == Op::BvSlt,
            };
            let [a, b] = [0, 1].map(|at| number(pool, args[at], signed, signs));
            let [a, b] = aligned(pool, a?, b?);
            Some(if *op == Op::Eq { pool.eq(a, b) } else { pool.bv_slt(a, b) })
        }
        _ => Some(literal),
    }
}

/// Two numbers with one width.
fn aligned(pool: &Pool, a: Term, b: Term) -> [Term; 2] {
    let width = pool.width(a).max(pool.width(b));
    [a, b].map(|term| pool.bv_sign_extend(term, width - pool.width(term)))
}

/// An integer with a sign, with as many bits as it needs. `signed`: how constants are read.
fn number(pool: &Pool, term: Term, signed: bool, signs: &dyn Fn(Term) -> bool) -> Option<Term> {
    let args = pool.args(term);
    let of = |at: usize| number(pool, args[at], signed, signs);
    // Room for one more bit.
    let wider = |[a, b]: [Term; 2]| [a, b].map(|term| pool.bv_sign_extend(term, 1));
    let result = match pool.op(term) {
        Op::Var(_) if signs(term) => term,
        Op::Value(_) if signed => term,
        Op::Var(_) | Op::Value(_) => pool.bv_zero_extend(term, 1),
        Op::BvSignExtend(_) => number(pool, narrow(pool, term), true, signs)?,
        Op::BvZeroExtend(_) => number(pool, narrow(pool, term), false, signs)?,
        Op::BvNeg => pool.bv_neg(pool.bv_sign_extend(of(0)?, 1)),
        Op::BvAdd => {
            let [a, b] = wider(aligned(pool, of(0)?, of(1)?));
            pool.bv_add(a, b)
        }
        Op::BvSub => {
            let [a, b] = wider(aligned(pool, of(0)?, of(1)?));
            pool.bv_sub(a, b)
        }
        Op::BvMul => {
            let (a, b) = (of(0)?, of(1)?);
            let (left, right) = (pool.width(a), pool.width(b));
            pool.bv_mul(pool.bv_sign_extend(a, right), pool.bv_sign_extend(b, left))
        }
        op @ (Op::BvSdiv | Op::BvUdiv | Op::BvSrem | Op::BvUrem) => {
            pool.as_bits(args[1]).filter(|divisor| !divisor.is_zero())?;
            let [a, b] = wider(aligned(pool, of(0)?, of(1)?));
            let divides = matches!(op, Op::BvSdiv | Op::BvUdiv);
            if divides { pool.bv_sdiv(a, b) } else { pool.bv_srem(a, b) }
        }
        _ => return None,
    };
    (pool.width(result) <= WIDEST).then_some(result)
}

/// Whether a term is a formula made of formulas.
fn is_connective(pool: &Pool, term: Term) -> bool {
    match pool.op(term) {
        Op::And | Op::Or | Op::Not | Op::Value(_) => true,
        Op::Ite | Op::Eq => pool.args(term).iter().any(|arg| pool.sort(*arg) == Sort::Bool),
        _ => false,
    }
}

/// Whether a term is an input or a number.
fn is_plain(pool: &Pool, term: Term) -> bool {
    matches!(pool.op(narrow(pool, term)), Op::Var(_) | Op::Value(_))
}

/// What a comparison costs: what is easier to read, and says less, is better.
fn cost(pool: &Pool, literal: Term, size: usize) -> usize {
    let (atom, negated) = match pool.op(literal) {
        Op::Not => (pool.args(literal)[0], true),
        _ => (literal, false),
    };
    let plain = pool.args(atom).iter().all(|arg| is_plain(pool, *arg));
    match pool.op(atom) {
        Op::Var(_) => 1,
        Op::BvUlt | Op::BvSlt | Op::FpLt | Op::FpLeq if plain => 2,
        Op::Eq | Op::FpEq if plain && negated => 4,
        Op::Eq | Op::FpEq if plain => 6,
        _ => 10 + size,
    }
}

/// The comparisons of inputs that a condition is made of, as they are at a point: of a value that
/// depends on a choice, what is chosen there.
pub(super) fn comparisons(
    pool: &Pool,
    condition: &Condition,
    inputs: &FxHashSet<Term>,
    signs: &dyn Fn(Term) -> bool,
    point: &FxHashMap<Term, Value>,
) -> Vec<Literal> {
    let Ok(values) = evaluate_all(pool, &[condition.fails], point) else { return Vec::new() };
    // What a short term over inputs is at the point, and how many nodes it has.
    let mut chosen: FxHashMap<Term, (Term, usize)> = FxHashMap::default();
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    for term in subterms(pool, &[condition.fails]) {
        let args = pool.args(term);
        if *pool.op(term) == Op::Ite && pool.sort(term) != Sort::Bool {
            let taken = if values[&args[0]] == Value::Bool(true) { args[1] } else { args[2] };
            if let Some(known) = chosen.get(&taken).copied() {
                chosen.insert(term, known);
            }
            continue;
        }
        let connective = is_connective(pool, term);
        let inner: Option<Vec<(Term, usize)>> =
            args.iter().map(|arg| chosen.get(arg).copied()).collect();
        let Some(inner) = inner.filter(|_| !connective || args.is_empty()) else { continue };
        let size = 1 + inner.iter().map(|(_, size)| size).sum::<usize>();
        let known = !matches!(pool.op(term), Op::Var(_)) || inputs.contains(&term);
        if !known || size > LONGEST {
            continue;
        }
        let terms: Vec<Term> = inner.into_iter().map(|(term, _)| term).collect();
        let here = if terms == args { term } else { pool.make(pool.op(term).clone(), &terms) };
        chosen.insert(term, (here, size));
        if pool.sort(term) != Sort::Bool || found.len() >= MOST_ATOMS {
            continue;
        }
        let shown = if values[&term] == Value::Bool(true) { here } else { pool.not(here) };
        let known = |_| Some(String::new());
        let short = super::words::comparison(pool, shown, &known, signs).is_some();
        if !short || !seen.insert(shown) {
            continue;
        }
        // What is read as numbers may be otherwise where bits wrap.
        let Some(exact) = exact(pool, shown, signs) else { continue };
        if exact == shown || evaluate(pool, exact, point) == Ok(Value::Bool(true)) {
            found.push(Literal::Compared { shown, exact, cost: cost(pool, shown, size) });
        }
    }
    found
}
