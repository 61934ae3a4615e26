//! Random formulas over universal and existential variables of each theory.

use num_rational::BigRational;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use term::{Op, Pool, Sort, Term};

/// The theories that formulas are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theory {
    Reals,
    Integers,
    Bits,
    Booleans,
    Arrays,
    Mixed,
}

pub const THEORIES: [Theory; 6] = [
    Theory::Reals,
    Theory::Integers,
    Theory::Bits,
    Theory::Booleans,
    Theory::Arrays,
    Theory::Mixed,
];

/// S(x) and T(x, y) with y.
pub struct Formulas {
    #[allow(dead_code)]
    pub premise: Term,
    pub conclusion: Term,
    pub existential: Vec<Term>,
    pub universal: Vec<Term>,
}

/// Makes formulas; the same seed makes the same.
pub struct Maker<'p> {
    pool: &'p Pool,
    random: StdRng,
    theory: Theory,
    /// The width of bit-vectors.
    pub width: u32,
}

impl<'p> Maker<'p> {
    pub fn new(pool: &'p Pool, theory: Theory, seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let width = *[1, 2, 3, 4, 8].choose(&mut random).expect("not empty");
        Maker { pool, random, theory, width }
    }

    fn sorts(&self) -> Vec<Sort> {
        let bits = Sort::BitVec(self.width);
        match self.theory {
            Theory::Reals => vec![Sort::Real],
            Theory::Integers => vec![Sort::Int],
            Theory::Bits => vec![bits],
            Theory::Booleans => vec![Sort::Bool],
            Theory::Arrays => vec![Sort::Int, self.pool.array_sort(Sort::Int, Sort::Int)],
            Theory::Mixed => vec![Sort::Int, Sort::Real, Sort::Bool, bits],
        }
    }

    /// S ⇒ ∃y. T over `universal` variables x and `existential` ones of each sort.
    pub fn formulas(&mut self, universal: usize, existential: usize, depth: u32) -> Formulas {
        let make = |prefix: &str, count: usize| -> Vec<Term> {
            let sorts = self.sorts().into_iter().enumerate();
            sorts
                .flat_map(|(s, sort)| (0..count).map(move |i| (s, sort, i)))
                .map(|(s, sort, i)| self.pool.var(&format!("{prefix}{s}{i}"), sort))
                .collect()
        };
        let (universal, existential) = (make("x", universal), make("y", existential));
        let all = [universal.clone(), existential.clone()].concat();
        let premise = match self.random.random_range(0..3) {
            0 => self.pool.tru(),
            _ => self.formula(&universal, depth.min(2)),
        };
        let conclusion = self.formula(&all, depth);
        Formulas { premise, conclusion, existential, universal }
    }

    pub fn formula(&mut self, variables: &[Term], depth: u32) -> Term {
        if depth == 0 {
            return self.atom(variables);
        }
        let pool = self.pool;
        let part = |s: &mut Self| s.formula(variables, depth - 1);
        let (a, b) = (part(self), part(self));
        match self.random.random_range(0..10) {
            0..=3 => pool.and([a, b]),
            4..=6 => pool.or([a, b]),
            7 => pool.not(a),
            8 => pool.eq(a, b),
            _ => {
                let c = part(self);
                pool.ite(c, a, b)
            }
        }
    }

    fn atom(&mut self, variables: &[Term]) -> Term {
        let pool = self.pool;
        let sorts = self.sorts();
        let mut sort = *sorts.choose(&mut self.random).expect("not empty");
        if self.theory == Theory::Arrays && self.random.random_ratio(3, 4) {
            sort = Sort::Int;
        }
        let kind = self.random.random_range(0..8);
        match sort {
            Sort::Bool => self.leaf(variables, sort),
            Sort::Array(_) => {
                let (a, b) = (self.array(variables), self.array(variables));
                if kind < 4 { pool.eq(a, b) } else { pool.ne(a, b) }
            }
            _ => {
                let depth = self.random.random_range(0..3);
                let (a, b) = (self.term(variables, sort, depth), self.term(variables, sort, 1));
                let is_bits = sort.width().is_some();
                match kind {
                    0..2 => pool.eq(a, b),
                    2..4 if is_bits => pool.bv_ult(a, b),
                    4..7 if is_bits => pool.bv_slt(a, b),
                    2..4 => pool.lt(a, b),
                    4..7 => pool.le(a, b),
                    _ => pool.ne(a, b),
                }
            }
        }
    }

    fn leaf(&mut self, variables: &[Term], sort: Sort) -> Term {
        let of_sort: Vec<Term> =
            variables.iter().copied().filter(|v| self.pool.sort(*v) == sort).collect();
        if let Some(variable) = of_sort.choose(&mut self.random)
            && (sort == Sort::Bool || self.random.random_ratio(3, 4))
        {
            return *variable;
        }
        let small: i64 = self.random.random_range(-4..8);
        match sort {
            Sort::Bool => self.pool.bool(small < 2),
            Sort::Int => self.pool.int(small),
            Sort::Real => {
                let denominator: i64 = self.random.random_range(1..4);
                self.pool.real(BigRational::new(small.into(), denominator.into()))
            }
            _ => {
                let width = sort.width().expect("a bit-vector");
                let any: u64 = self.random.random();
                self.pool.bv(any & ((1 << width) - 1), width)
            }
        }
    }

    fn array(&mut self, variables: &[Term]) -> Term {
        let pool = self.pool;
        let sort = self.pool.array_sort(Sort::Int, Sort::Int);
        let arrays: Vec<Term> =
            variables.iter().copied().filter(|v| pool.sort(*v) == sort).collect();
        let array = *arrays.choose(&mut self.random).expect("there are arrays");
        if self.random.random_ratio(1, 3) {
            let (index, element) =
                (self.leaf(variables, Sort::Int), self.leaf(variables, Sort::Int));
            return pool.store(array, index, element);
        }
        array
    }

    fn term(&mut self, variables: &[Term], sort: Sort, depth: u32) -> Term {
        if depth == 0 {
            return self.leaf(variables, sort);
        }
        let pool = self.pool;
        let a = self.term(variables, sort, depth - 1);
        let b = self.term(variables, sort, depth - 1);
        let kind = self.random.random_range(0..12);
        if let Sort::BitVec(width) = sort {
            let by = pool.bv(u64::from(kind % width), width);
            return match kind {
                0..2 => pool.bv_add(a, b),
                2 => pool.bv_sub(a, b),
                3 => pool.bv_xor(a, b),
                4 => pool.bv_and(a, b),
                5 => pool.bv_or(a, b),
                6 => pool.bv_mul(a, b),
                7 => pool.bv_shl(a, by),
                8 => pool.bv_lshr(a, by),
                9 => pool.bv_neg(a),
                10 if width > 1 => {
                    pool.bv_concat(pool.bv_extract(a, width - 2, 0), pool.bv_extract(b, 0, 0))
                }
                _ => pool.bv_not(a),
            };
        }
        let number = |n: i64| match sort {
            Sort::Int => pool.int(n),
            _ => pool.real(BigRational::from_integer(n.into())),
        };
        let factor = number(self.random.random_range(-3..4));
        match kind {
            0..3 => pool.add(a, b),
            3..5 => pool.sub(a, b),
            5..7 => pool.mul(a, factor),
            7 => {
                let c = self.formula(variables, 0);
                pool.ite(c, a, b)
            }
            8 if sort == Sort::Int && self.theory != Theory::Arrays => {
                let by = pool.int(self.random.random_range(2..4));
                pool.make(if factor < a { Op::IntMod } else { Op::IntDiv }, &[a, by])
            }
            9 if self.theory == Theory::Arrays => {
                let array = self.array(variables);
                pool.select(array, a)
            }
            9 if self.theory == Theory::Mixed && sort == Sort::Real => {
                let integer = self.leaf(variables, Sort::Int);
                pool.make(Op::ToReal, &[integer])
            }
            _ => a,
        }
    }
}
