//! Equations that follow, and some that do not.

use super::*;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

#[test]
fn consequences_by_linear_combination_and_product() {
    let pool = Pool::new();
    let sort = Sort::BitVec(32);
    let [a, b, i, n] = ["a", "b", "i", "n"].map(|name| pool.var(name, sort));
    let number = |value| pool.bv(value, 32);
    // a + b = 3·i and n = 2·i
    let first = pool.eq(pool.bv_add(a, b), pool.bv_mul(number(3), i));
    let second = pool.eq(n, pool.bv_mul(i, number(2)));
    let equations = Equations::new(&pool, &[first, second]);
    let next = |x, by| pool.bv_add(x, number(by));
    let way = pool.var("way", Sort::Bool);
    let (one, two) = (number(1), number(2));
    // By either way, a and b grow by 3 in sum.
    let x = pool.bv_add(a, pool.ite(way, one, two));
    let y = pool.bv_add(b, pool.ite(way, two, one));
    let after = pool.eq(pool.bv_add(x, y), pool.bv_mul(number(3), next(i, 1)));
    assert!(equations.imply(after));
    let wrong = pool.eq(pool.bv_add(x, b), pool.bv_mul(number(3), next(i, 1)));
    assert!(!equations.imply(wrong));
    // 2·(a + b) = 3·n, and i·n = 2·i·i
    let double = pool.bv_mul(number(2), pool.bv_add(a, b));
    assert!(equations.imply(pool.eq(double, pool.bv_mul(number(3), n))));
    assert!(!equations.imply(pool.eq(a, b)));
    let either = pool.or([pool.not(after), pool.eq(a, b)]);
    assert_eq!(equations.consequences(&[either]), [after]);
}

#[test]
fn ways_are_told_apart_by_whole_conditions() {
    let pool = Pool::new();
    let sort = Sort::BitVec(32);
    let [sum, i] = ["sum", "i"].map(|name| pool.var(name, sort));
    let parts: Vec<Term> = (0..12).map(|n| pool.var(&format!("part{n}"), sort)).collect();
    let one = pool.bv(1, 32);
    let all = |parts: &[Term]| parts.iter().fold(sum, |sum, part| pool.bv_add(sum, *part));
    let equations = Equations::new(&pool, &[pool.eq(all(&parts), i)]);
    // if (way0 && i % 2 == 0) part0++; else if (way1 && i % 3 == 0) part1++; …; else sum++;
    let mut after = parts.clone();
    let mut otherwise = pool.bv_add(sum, one);
    for (n, part) in parts.iter().enumerate().rev() {
        let way = pool.var(&format!("way{n}"), Sort::Bool);
        let rest = pool.bv_urem(i, pool.bv(n as u64 + 2, 32));
        let taken = pool.and([way, pool.eq(rest, pool.bv(0, 32))]);
        for (later, before) in after.iter_mut().zip(&parts).skip(n + 1) {
            *later = pool.ite(taken, *before, *later);
        }
        after[n] = pool.ite(taken, pool.bv_add(*part, one), *part);
        otherwise = pool.ite(taken, sum, otherwise);
    }
    let total = after.iter().fold(otherwise, |sum, part| pool.bv_add(sum, *part));
    assert!(equations.imply(pool.eq(total, pool.bv_add(i, one))));
    assert!(!equations.imply(pool.eq(total, i)));
    // Without the last alternative the sum may stay as it was.
    let total = after.iter().fold(sum, |sum, part| pool.bv_add(sum, *part));
    assert!(!equations.imply(pool.eq(total, pool.bv_add(i, one))));
}

#[test]
fn products_of_equations_and_conditions_of_cases() {
    let pool = Pool::new();
    let sort = Sort::BitVec(64);
    let [x, y, z] = ["x", "y", "z"].map(|name| pool.var(name, sort));
    let one = pool.bv(1, 64);
    let minus = |a, b| pool.bv_sub(a, b);
    // x·z − x − y + 1 = 0 is kept by x := x·z + 1, y := y·z: it is multiplied by z.
    let claim = |x, y| {
        let sum = pool.bv_add(minus(minus(pool.bv_mul(x, z), x), y), one);
        pool.eq(sum, pool.bv(0, 64))
    };
    let equations = Equations::new(&pool, &[claim(x, y)]);
    let grown = pool.bv_add(pool.bv_mul(x, z), one);
    assert!(equations.imply(claim(grown, pool.bv_mul(y, z))));
    assert!(!equations.imply(claim(grown, y)));
    // Nothing is known of y but where it is one more than z.
    let nothing = Equations::new(&pool, &[]);
    let condition = pool.eq(y, pool.bv_add(z, one));
    let chosen = pool.ite(condition, minus(y, one), z);
    let plus = |a| pool.bv_add(pool.bv_mul(x, y), a);
    assert!(nothing.imply(pool.eq(plus(chosen), plus(z))));
    let other = pool.ite(condition, z, minus(y, one));
    assert!(!nothing.imply(pool.eq(plus(other), plus(z))));
}

#[test]
fn comparisons_that_say_what_is_assumed() {
    let pool = Pool::new();
    let [i, j] = ["i", "j"].map(|name| pool.var(name, Sort::BitVec(32)));
    let number = |n| pool.bv(n, 32);
    let near = |i, j| pool.bv_sle(pool.bv_sub(i, j), number(9));
    let known = Equations::new(&pool, &[near(i, j)]);
    let way = pool.var("way", Sort::Bool);
    let by = pool.ite(way, number(1), number(7));
    let next = |x| pool.bv_add(x, by);
    assert!(known.imply(near(next(i), next(j))));
    assert!(!known.imply(near(next(i), j)));
    assert!(!known.imply(pool.not(near(next(i), next(j)))));
    assert!(!known.imply(pool.bv_ule(pool.bv_sub(i, j), number(9))));
    // i ≤ j + 9 is another claim: j + 9 may wrap.
    assert!(!known.imply(pool.bv_sle(i, pool.bv_add(j, number(9)))));
    let nothing = Equations::new(&pool, &[]);
    assert!(!nothing.imply(near(i, j)));
}

#[test]
fn inverses() {
    for width in [1, 2, 3, 5, 32, 64, 100] {
        for odd in [1u64, 3, 5, 0xdead_beef] {
            let odd = Bits::from_u64(width, odd);
            assert!(odd.mul(&inverse(&odd)).is_one(), "{odd:?}");
        }
    }
}

/// Random terms of three variables of three bits: few enough values to try them all.
struct Terms<'a> {
    pool: &'a Pool,
    variables: [Term; 3],
    random: SmallRng,
}

impl Terms<'_> {
    const WIDTH: u32 = 3;

    fn term(&mut self, depth: usize) -> Term {
        let pool = self.pool;
        if depth == 0 {
            return match self.random.random_range(0..5) {
                0 => pool.bv(self.random.random_range(0..8), Self::WIDTH),
                n => self.variables[n % 3],
            };
        }
        let (a, b) = (self.term(depth - 1), self.term(depth - 1));
        match self.random.random_range(0..7) {
            0 | 1 => pool.bv_add(a, b),
            2 => pool.bv_sub(a, b),
            3 => pool.bv_mul(a, b),
            4 => pool.bv_neg(a),
            5 => {
                let by = self.random.random_range(1..Self::WIDTH);
                pool.bv_concat(pool.bv_extract(a, Self::WIDTH - 1 - by, 0), pool.bv(0, by))
            }
            _ => {
                let condition = self.equation();
                pool.ite(condition, a, b)
            }
        }
    }

    fn equation(&mut self) -> Term {
        let (a, b) = (self.term(1), self.term(1));
        self.pool.eq(a, b)
    }

    /// The same by a law of rings, with a mistake now and then.
    fn rewritten(&mut self, term: Term) -> Term {
        let pool = self.pool;
        let [p, q, r] = [0; 3].map(|_| self.term(1));
        let left = pool.bv_mul(pool.bv_add(p, q), r);
        let right = pool.bv_add(pool.bv_mul(p, r), pool.bv_mul(q, r));
        let same = pool.bv_sub(pool.bv_add(term, left), right);
        let mistaken = self.random.random_range(0..5) == 0;
        if mistaken { pool.bv_add(same, self.variables[0]) } else { same }
    }

    fn comparison(&mut self) -> Term {
        let (a, b) = (self.term(1), self.term(1));
        let less = if self.random.random() { Pool::bv_ult } else { Pool::bv_slt };
        let formula = less(self.pool, a, b);
        if self.random.random() { self.pool.not(formula) } else { formula }
    }

    /// What has a chance to follow: multiples of equations that are assumed, or a comparison that
    /// is, written in another way.
    fn goal(&mut self, assumed: &[Term]) -> Term {
        let pool = self.pool;
        let compared = assumed.iter().find_map(|formula| compared(pool, *formula));
        if let Some((holds, signed, a, b)) = compared.filter(|_| self.random.random()) {
            let less = if signed { Pool::bv_slt } else { Pool::bv_ult };
            let formula = less(pool, self.rewritten(a), self.rewritten(b));
            return if holds { formula } else { pool.not(formula) };
        }
        let mut left = self.term(1);
        let mut right = self.rewritten(left);
        for equation in assumed.iter().filter(|formula| *pool.op(**formula) == Op::Eq) {
            let (&[a, b], factor) = (pool.args(*equation), self.term(1)) else { continue };
            left = pool.bv_add(left, pool.bv_mul(a, factor));
            right = pool.bv_add(right, pool.bv_mul(factor, b));
        }
        pool.eq(left, right)
    }

    /// Whether a formula is true whatever the variables are.
    fn is_valid(&self, formula: Term) -> bool {
        (0..1u64 << (3 * Self::WIDTH)).all(|bits| {
            let value = |(i, x): (usize, &Term)| {
                let value = bits >> (i as u32 * Self::WIDTH) & 7;
                (*x, self.pool.bv(value, Self::WIDTH))
            };
            let values: Vec<_> = self.variables.iter().enumerate().map(value).collect();
            self.pool.as_bool(substitute(self.pool, formula, values)) == Some(true)
        })
    }
}

#[test]
fn what_follows_is_true_of_all_values() {
    let mut followed = 0;
    for seed in 0..1000 {
        let pool = Pool::new();
        let variables = ["x", "y", "z"].map(|name| pool.var(name, Sort::BitVec(Terms::WIDTH)));
        let mut terms = Terms { pool: &pool, variables, random: SmallRng::seed_from_u64(seed) };
        let count = terms.random.random_range(0..3);
        let mut assumed = Vec::new();
        for _ in 0..count {
            let formula = if terms.random.random() { terms.equation() } else { terms.comparison() };
            let compares = compared(&pool, formula).is_some();
            if compares || width_of(&pool, formula) == Some(Terms::WIDTH) {
                assumed.push(formula);
            }
        }
        let goal = terms.goal(&assumed);
        let equations = Equations::new(&pool, &assumed);
        if equations.imply(goal) {
            followed += 1;
            let claim = pool.implies(pool.and(assumed.clone()), goal);
            assert!(terms.is_valid(claim), "seed {seed}");
        }
    }
    assert!(followed > 100, "{followed} are no test");
}
