//! Random well-sorted terms: support for tests, here and in other crates.
//!
//! Behind the feature `generate`, which is off by default. A [`Generator`] builds terms of any
//! sort to a given depth from all kernel operators, and reuses earlier terms, so that results
//! have sharing. Terms pass through the simplifying constructors like all others.

use crate::op::Op;
use crate::pool::{Pool, Term};
use crate::sort::Sort;
use crate::value::Value;
use num_bigint::BigInt;
use num_rational::BigRational;
use rand::Rng;
use rand::seq::IndexedRandom;
use rustc_hash::FxHashMap;
use value::{Bits, Float, Format, Rounding};

/// What generated terms may contain.
#[derive(Clone, Debug)]
pub struct Options {
    /// The sorts of variables, array elements, function arguments and compared terms.
    /// Bit-vectors of other widths occur as parts of these.
    pub sorts: Vec<Sort>,
    /// How many variables of each sort there are.
    pub variables: u32,
    /// Whether there are uninterpreted functions.
    pub functions: bool,
    /// Whether there are quantifiers.
    pub quantifiers: bool,
    /// Whether there are operators whose result SMT-LIB leaves open for some arguments
    /// (division of integers and reals, minimum of zeros, floats to integers and reals).
    pub partial: bool,
}

impl Options {
    /// Terms of every theory.
    pub fn all(pool: &Pool) -> Self {
        let mut sorts = Self::bits_and_floats(pool).sorts;
        let element = Sort::Uninterpreted(pool.symbol("U"));
        sorts.extend([
            Sort::Int,
            Sort::Real,
            element,
            pool.array_sort(Sort::Int, Sort::Real),
            pool.array_sort(element, pool.array_sort(Sort::Bool, Sort::BitVec(8))),
        ]);
        Options { sorts, variables: 3, functions: true, quantifiers: true, partial: true }
    }

    /// Quantifier-free terms over bit-vectors, small floats and arrays of them.
    pub fn bits_and_floats(pool: &Pool) -> Self {
        let mut sorts = Self::bits(pool).sorts;
        let small = Format::new(3, 5).expect("a format of 8 bits");
        let tiny = Format::new(2, 3).expect("a format of 5 bits");
        sorts.extend([Sort::RoundingMode, Sort::Float(small), Sort::Float(tiny)]);
        Options { sorts, variables: 3, functions: false, quantifiers: false, partial: false }
    }

    /// Quantifier-free terms over bit-vectors and arrays of them.
    pub fn bits(pool: &Pool) -> Self {
        let byte = Sort::BitVec(8);
        let sorts = vec![
            Sort::Bool,
            Sort::BitVec(1),
            Sort::BitVec(5),
            byte,
            pool.array_sort(Sort::BitVec(2), byte),
        ];
        Options { sorts, variables: 3, functions: false, quantifiers: false, partial: false }
    }
}

/// The widest bit-vector that is generated as a part of another.
const MAX_WIDTH: u32 = 40;

/// Builds random terms.
pub struct Generator<'p, R> {
    pool: &'p Pool,
    random: R,
    options: Options,
    /// Terms of each sort built before, without variables that were bound.
    earlier: FxHashMap<Sort, Vec<Term>>,
    /// The variables of the enclosing quantifiers.
    bound: Vec<Term>,
}

impl<'p, R: Rng> Generator<'p, R> {
    /// A generator over a pool; the same source of randomness yields the same terms.
    pub fn new(pool: &'p Pool, random: R, options: Options) -> Self {
        Generator { pool, random, options, earlier: FxHashMap::default(), bound: Vec::new() }
    }

    /// One of the sorts of the options.
    pub fn sort(&mut self) -> Sort {
        *self.options.sorts.choose(&mut self.random).unwrap_or(&Sort::Bool)
    }

    /// The variables of a sort.
    pub fn variables(&self, sort: Sort) -> Vec<Term> {
        let name = self.sort_name(sort);
        (0..self.options.variables).map(|i| self.pool.var(&format!("{name}.{i}"), sort)).collect()
    }

    /// A sort as part of a symbol.
    fn sort_name(&self, sort: Sort) -> String {
        crate::print::sort_to_string(self.pool, sort).replace(['(', ')', ' ', '|'], "")
    }

    /// A term of a sort, with operators nested up to `depth`.
    pub fn term(&mut self, sort: Sort, depth: u32) -> Term {
        let open = !self.bound.is_empty();
        if let Some(terms) = self.earlier.get(&sort)
            && self.random.random_ratio(1, 5)
        {
            return *terms.choose(&mut self.random).expect("a list is made with its first");
        }
        let term = match depth {
            0 => self.leaf(sort),
            _ => self.composed(sort, depth - 1),
        };
        if !open {
            self.earlier.entry(sort).or_default().push(term);
        }
        term
    }

    /// A value of a sort without uninterpreted parts; special cases are frequent.
    pub fn value(&mut self, sort: Sort) -> Value {
        let r = &mut self.random;
        match sort {
            Sort::Bool => Value::Bool(r.random()),
            Sort::BitVec(width) => Value::Bits(random_bits(r, width)),
            Sort::Float(format) => Value::Float(match r.random_range(0..8) {
                0 => Float::nan(format),
                1 => Float::infinity(format, r.random()),
                2 => Float::zero(format, r.random()),
                _ => Float::from_bits(format, &random_bits(r, format.width())),
            }),
            Sort::RoundingMode => {
                Value::Rounding(*Rounding::ALL.choose(r).expect("there are five"))
            }
            Sort::Int => Value::Int(random_int(r)),
            Sort::Real => {
                let denominator: BigInt = r.random_range(1..20).into();
                Value::Real(BigRational::new(random_int(r), denominator))
            }
            Sort::Uninterpreted(symbol) => Value::Element(symbol, r.random_range(0..4)),
            Sort::Array(_) => {
                let (index, element) = self.array_parts(sort);
                let entries = Default::default();
                let mut array = crate::ArrayValue { sort, default: self.value(element), entries };
                for _ in 0..self.random.random_range(0..3) {
                    array = array.store(self.value(index), self.value(element));
                }
                Value::Array(array.into())
            }
        }
    }

    fn array_parts(&self, sort: Sort) -> (Sort, Sort) {
        self.pool.array_parts(sort).expect("only asked of array sorts")
    }

    fn has(&self, sort: Sort) -> bool {
        self.options.sorts.contains(&sort)
    }

    fn leaf(&mut self, sort: Sort) -> Term {
        let bound: Vec<Term> =
            self.bound.iter().copied().filter(|v| self.pool.sort(*v) == sort).collect();
        if let Some(var) = bound.choose(&mut self.random)
            && self.random.random_ratio(2, 3)
        {
            return *var;
        }
        // Elements of uninterpreted sorts have no name in scripts.
        let constant = !self.mentions_uninterpreted(sort) && self.random.random_ratio(1, 3);
        if constant {
            let value = self.value(sort);
            return self.pool.constant(value);
        }
        *self.variables(sort).choose(&mut self.random).expect("there are variables")
    }

    fn mentions_uninterpreted(&self, sort: Sort) -> bool {
        match (sort, self.pool.array_parts(sort)) {
            (Sort::Uninterpreted(_), _) => true,
            (_, Some((index, element))) => {
                self.mentions_uninterpreted(index) || self.mentions_uninterpreted(element)
            }
            _ => false,
        }
    }

    /// `op` on arguments of these sorts.
    fn apply(&mut self, op: Op, sorts: &[Sort], depth: u32) -> Term {
        let args: Vec<Term> = sorts.iter().map(|sort| self.term(*sort, depth)).collect();
        self.pool.make(op, &args)
    }

    fn one_of(&mut self, ops: &[Op]) -> Op {
        ops.choose(&mut self.random).expect("the lists are not empty").clone()
    }

    fn composed(&mut self, sort: Sort, depth: u32) -> Term {
        match self.random.random_range(0..12) {
            0 => return self.apply(Op::Ite, &[Sort::Bool, sort, sort], depth),
            1 => {
                let arrays: Vec<Sort> = self.arrays_of(sort);
                if let Some(array) = arrays.choose(&mut self.random).copied() {
                    let index = self.array_parts(array).0;
                    return self.apply(Op::Select, &[array, index], depth);
                }
            }
            2 if self.options.functions => return self.function(sort, depth),
            _ => {}
        }
        match sort {
            Sort::Bool => self.formula(depth),
            Sort::BitVec(width) => self.bit_vector(width, depth),
            Sort::Float(format) => self.float(format, depth),
            Sort::Int => self.integer(depth),
            Sort::Real => self.real(depth),
            Sort::Array(_) => self.array(sort, depth),
            Sort::RoundingMode | Sort::Uninterpreted(_) => self.leaf(sort),
        }
    }

    fn arrays_of(&self, element: Sort) -> Vec<Sort> {
        let of = |s: &Sort| self.pool.array_parts(*s).is_some_and(|(_, e)| e == element);
        self.options.sorts.iter().copied().filter(of).collect()
    }

    fn function(&mut self, result: Sort, depth: u32) -> Term {
        let params: Vec<Sort> = (0..self.random.random_range(1..4)).map(|_| self.sort()).collect();
        // One name for one signature, as scripts need it.
        let sorts = params.iter().chain([&result]).map(|sort| self.sort_name(*sort));
        let sorts: Vec<String> = sorts.collect();
        let name = format!("f{}.{}", self.random.random_range(0..2), sorts.join("."));
        let func = self.pool.function(&name, &params, result);
        self.apply(Op::Apply(func), &params, depth)
    }

    fn formula(&mut self, depth: u32) -> Term {
        match self.random.random_range(0..10) {
            0 => self.apply(Op::Not, &[Sort::Bool], depth),
            1 | 2 => {
                let op = self.one_of(&[Op::And, Op::Or]);
                let count = self.random.random_range(2..5);
                self.apply(op, &vec![Sort::Bool; count], depth)
            }
            3 if self.options.quantifiers => self.quantified(depth),
            4 | 5 => {
                let sort = self.sort();
                self.apply(Op::Eq, &[sort, sort], depth)
            }
            _ => self.predicate(depth),
        }
    }

    fn quantified(&mut self, depth: u32) -> Term {
        let before = self.bound.len();
        for _ in 0..self.random.random_range(1..4) {
            let sort = self.sort();
            self.bound.push(self.pool.bound_var("q", sort));
        }
        let body = self.term(Sort::Bool, depth);
        let vars = self.bound.split_off(before);
        let op = self.one_of(&[Op::Forall, Op::Exists]);
        self.pool.make(op, &[&vars[..], &[body]].concat())
    }

    fn predicate(&mut self, depth: u32) -> Term {
        let sort = self.sort();
        match sort {
            Sort::BitVec(_) => {
                let op = self.one_of(&[Op::BvUlt, Op::BvSlt]);
                self.apply(op, &[sort, sort], depth)
            }
            Sort::Int | Sort::Real => {
                let op = self.one_of(&[Op::Lt, Op::Le]);
                self.apply(op, &[sort, sort], depth)
            }
            Sort::Float(_) if self.random.random() => {
                let op = self.one_of(&[Op::FpLt, Op::FpLeq, Op::FpEq]);
                self.apply(op, &[sort, sort], depth)
            }
            Sort::Float(_) => {
                let op = self.one_of(&[
                    Op::FpIsNormal,
                    Op::FpIsSubnormal,
                    Op::FpIsZero,
                    Op::FpIsInfinite,
                    Op::FpIsNan,
                    Op::FpIsNegative,
                    Op::FpIsPositive,
                ]);
                self.apply(op, &[sort], depth)
            }
            _ => self.apply(Op::Eq, &[sort, sort], depth),
        }
    }

    fn bit_vector(&mut self, width: u32, depth: u32) -> Term {
        let same = Sort::BitVec(width);
        match self.random.random_range(0..12) {
            0 => {
                let op = self.one_of(&[Op::BvNot, Op::BvNeg]);
                self.apply(op, &[same], depth)
            }
            1 if width > 1 => {
                let low = self.random.random_range(1..width);
                let parts = [Sort::BitVec(width - low), Sort::BitVec(low)];
                self.apply(Op::BvConcat, &parts, depth)
            }
            2 if width < MAX_WIDTH => {
                let (low, above) = (self.random.random_range(0..4), self.random.random_range(0..4));
                let op = Op::BvExtract { high: width - 1 + low, low };
                self.apply(op, &[Sort::BitVec(width + low + above)], depth)
            }
            3 if width > 1 => {
                let n = self.random.random_range(1..width);
                let op = self.one_of(&[Op::BvZeroExtend(n), Op::BvSignExtend(n)]);
                self.apply(op, &[Sort::BitVec(width - n)], depth)
            }
            4 | 5 => self.converted_bits(width, depth),
            _ => {
                let op = self.one_of(&[
                    Op::BvAnd,
                    Op::BvOr,
                    Op::BvXor,
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
                ]);
                self.apply(op, &[same, same], depth)
            }
        }
    }

    fn converted_bits(&mut self, width: u32, depth: u32) -> Term {
        match self.some_format() {
            Some(format) if format.width() == width => {
                self.apply(Op::FpToBits, &[Sort::Float(format)], depth)
            }
            Some(format) if self.options.partial => {
                let op = self.one_of(&[Op::FpToUbv(width), Op::FpToSbv(width)]);
                self.apply(op, &[Sort::RoundingMode, Sort::Float(format)], depth)
            }
            _ if self.has(Sort::Int) => self.apply(Op::IntToBv(width), &[Sort::Int], depth),
            _ => self.leaf(Sort::BitVec(width)),
        }
    }

    fn some_format(&mut self) -> Option<Format> {
        let formats: Vec<Format> = self.options.sorts.iter().filter_map(|s| s.format()).collect();
        formats.choose(&mut self.random).copied()
    }

    fn float(&mut self, format: Format, depth: u32) -> Term {
        let (same, mode) = (Sort::Float(format), Sort::RoundingMode);
        match self.random.random_range(0..10) {
            0 => {
                let op = self.one_of(&[Op::FpAbs, Op::FpNeg]);
                self.apply(op, &[same], depth)
            }
            1 => {
                let op = self.one_of(&[Op::FpSqrt, Op::FpRoundToIntegral]);
                self.apply(op, &[mode, same], depth)
            }
            2 if self.options.partial => {
                let op = self.one_of(&[Op::FpMin, Op::FpMax]);
                self.apply(op, &[same, same], depth)
            }
            3 => self.apply(Op::FpRem, &[same, same], depth),
            4 => self.apply(Op::FpFma, &[mode, same, same, same], depth),
            5 | 6 => self.converted_float(format, depth),
            _ => {
                let op = self.one_of(&[Op::FpAdd, Op::FpMul, Op::FpDiv]);
                self.apply(op, &[mode, same, same], depth)
            }
        }
    }

    fn converted_float(&mut self, format: Format, depth: u32) -> Term {
        let mode = Sort::RoundingMode;
        match self.random.random_range(0..4) {
            0 => self.apply(Op::FpFromBits(format), &[Sort::BitVec(format.width())], depth),
            1 if self.has(Sort::Real) => {
                self.apply(Op::FpFromReal(format), &[mode, Sort::Real], depth)
            }
            2 => {
                let from = self.some_format().unwrap_or(format);
                self.apply(Op::FpToFp(format), &[mode, Sort::Float(from)], depth)
            }
            _ => {
                let op = self.one_of(&[Op::FpFromSbv(format), Op::FpFromUbv(format)]);
                let width = self.random.random_range(1..10);
                self.apply(op, &[mode, Sort::BitVec(width)], depth)
            }
        }
    }

    fn integer(&mut self, depth: u32) -> Term {
        match self.random.random_range(0..8) {
            0 => self.apply(Op::Neg, &[Sort::Int], depth),
            1 if self.options.partial => {
                let op = self.one_of(&[Op::IntDiv, Op::IntMod]);
                self.apply(op, &[Sort::Int, Sort::Int], depth)
            }
            2 if self.has(Sort::Real) => self.apply(Op::ToInt, &[Sort::Real], depth),
            3 => {
                let width = self.random.random_range(1..10);
                self.apply(Op::BvToNat, &[Sort::BitVec(width)], depth)
            }
            _ => {
                let op = self.one_of(&[Op::Add, Op::Sub, Op::Mul]);
                self.apply(op, &[Sort::Int, Sort::Int], depth)
            }
        }
    }

    fn real(&mut self, depth: u32) -> Term {
        match (self.random.random_range(0..8), self.some_format()) {
            (0, _) => self.apply(Op::Neg, &[Sort::Real], depth),
            (1, _) if self.options.partial => {
                self.apply(Op::RealDiv, &[Sort::Real, Sort::Real], depth)
            }
            (2, _) if self.has(Sort::Int) => self.apply(Op::ToReal, &[Sort::Int], depth),
            (3, Some(format)) if self.options.partial => {
                self.apply(Op::FpToReal, &[Sort::Float(format)], depth)
            }
            _ => {
                let op = self.one_of(&[Op::Add, Op::Sub, Op::Mul]);
                self.apply(op, &[Sort::Real, Sort::Real], depth)
            }
        }
    }

    fn array(&mut self, sort: Sort, depth: u32) -> Term {
        let (index, element) = self.array_parts(sort);
        match self.random.random_range(0..4) {
            0 => self.apply(Op::ConstArray(sort), &[element], depth),
            _ => self.apply(Op::Store, &[sort, index, element], depth),
        }
    }
}

fn random_bits(random: &mut impl Rng, width: u32) -> Bits {
    match random.random_range(0..8) {
        0 => Bits::zero(width),
        1 => Bits::one(width),
        2 => Bits::ones(width),
        3 => Bits::min_signed(width),
        4 => Bits::max_signed(width),
        _ => Bits::from_u128(width, random.random()),
    }
}

fn random_int(random: &mut impl Rng) -> BigInt {
    match random.random_range(0..6) {
        0 => BigInt::from(random.random::<i128>()),
        _ => BigInt::from(random.random_range(-9..10)),
    }
}
