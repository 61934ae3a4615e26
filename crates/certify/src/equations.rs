//! Equations of bit-vectors that follow from others by the laws of commutative rings.
//!
//! That a + b = 3·i is preserved by a := a + 1, b := b + 2, i := i + 1 is a hard question for a SAT
//! solver, which sees adders in different orders, and an easy one for polynomials modulo 2^width.
//! Values that depend on the way taken are split by cases first.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use term::traverse::{conjuncts, substitute, subterms};
use term::{Op, Pool, Sort, Term};
use value::Bits;

/// How many cases of one equation are looked at.
const MAX_CASES: usize = 256;
/// How many equations on the ways of a piece are looked at.
const MAX_EQUATIONS: usize = 500;
/// How many subterms an equation may have: large ones are the solver's.
const MAX_SIZE: usize = 500;
/// How many monomials a polynomial may have.
const MAX_MONOMIALS: usize = 64;

/// A product of atoms, in order; empty for the constant.
type Monomial = Vec<Term>;
/// A sum of monomials with coefficients other than zero.
type Polynomial = BTreeMap<Monomial, Bits>;

/// For how many equations and how many atoms of them all products are looked at.
const MAX_FACTORS: usize = 10;

/// Equations that are assumed, solved for one monomial each.
#[derive(Clone)]
pub struct Equations<'a> {
    pool: &'a Pool,
    /// By width: polynomials that are zero, in which the named monomial has the coefficient 1 and
    /// which contain no monomial named before.
    solved: FxHashMap<u32, Vec<(Monomial, Polynomial)>>,
    /// By width: what the equations are about.
    atoms: BTreeSet<(u32, Term)>,
    /// Whether there are products among that.
    products: bool,
    /// Comparisons that are assumed.
    comparisons: Vec<Comparison>,
}

/// Whether it holds, whether of signed numbers, and the sides of a < b.
type Comparison = (bool, bool, Polynomial, Polynomial);

impl<'a> Equations<'a> {
    /// The equations among some formulas, and their products with atoms if they contain products.
    pub fn new(pool: &'a Pool, formulas: &[Term]) -> Self {
        let (solved, atoms) = (FxHashMap::default(), BTreeSet::new());
        let comparisons = Vec::new();
        Equations { pool, solved, atoms, products: false, comparisons }.and(formulas)
    }

    /// Whether nothing is assumed.
    pub fn is_empty(&self) -> bool {
        self.solved.is_empty()
    }

    /// The same, with those among the conjuncts of more formulas.
    pub fn and(&self, formulas: &[Term]) -> Self {
        let mut equations = self.clone();
        let conjuncts = formulas.iter().flat_map(|formula| conjuncts(self.pool, *formula));
        let conjuncts: Vec<Term> = conjuncts.collect();
        equations.comparisons.extend(conjuncts.iter().filter_map(|f| self.comparison(*f)));
        let all = conjuncts.into_iter().filter_map(|formula| self.difference(formula));
        let all: Vec<(u32, Polynomial)> = all.collect();
        for (width, polynomial) in &all {
            for monomial in polynomial.keys() {
                equations.atoms.extend(monomial.iter().map(|atom| (*width, *atom)));
                equations.products |= monomial.len() > 1;
            }
            equations.add(*width, polynomial.clone());
        }
        let few = all.len() <= MAX_FACTORS && equations.atoms.len() <= MAX_FACTORS;
        let atoms =
            if equations.products && few { equations.atoms.clone() } else { BTreeSet::new() };
        for (width, polynomial) in &all {
            for (_, atom) in atoms.iter().filter(|(of, _)| of == width) {
                let atom = Polynomial::from([(vec![*atom], Bits::one(*width))]);
                equations.add(*width, multiply(polynomial, &atom));
            }
        }
        equations
    }

    fn add(&mut self, width: u32, polynomial: Polynomial) {
        let rest = self.reduce(width, polynomial);
        let unit = rest.iter().find(|(monomial, factor)| !monomial.is_empty() && factor.bit(0));
        let Some((monomial, factor)) = unit else { return };
        let (monomial, inverse) = (monomial.clone(), inverse(factor));
        let scaled = rest.into_iter().map(|(m, c)| (m, c.mul(&inverse))).collect();
        self.solved.entry(width).or_default().push((monomial, scaled));
    }

    /// Whether a formula is an equation that follows, or a comparison that says what is assumed, in
    /// all cases of its values. What decides a case is assumed there.
    pub fn imply(&self, formula: Term) -> bool {
        let pool = self.pool;
        let compares = compared(pool, formula).is_some();
        if !compares && width_of(pool, formula).is_none() || !is_small(pool, formula) {
            return false;
        }
        let mut pending = vec![(formula, Vec::new())];
        let mut cases = 0;
        while let Some((case, assumed)) = pending.pop() {
            cases += 1;
            if cases > MAX_CASES {
                return false;
            }
            if pool.as_bool(case) == Some(true) {
                continue;
            }
            match self.condition(case) {
                Some(condition) => {
                    for truth in [true, false] {
                        let then = substitute(pool, case, [(condition, pool.bool(truth))]);
                        let known = if truth { condition } else { pool.not(condition) };
                        pending.push((then, [&assumed[..], &[known]].concat()));
                    }
                }
                None if self.reduces(case) => {}
                None if !assumed.is_empty() && self.and(&assumed).reduces(case) => {}
                None => return false,
            }
        }
        true
    }

    /// Whether an equation or comparison without cases follows.
    fn reduces(&self, formula: Term) -> bool {
        let zero = |(width, difference)| self.reduce(width, difference).is_empty();
        self.difference(formula).is_some_and(zero)
            || self.comparison(formula).is_some_and(|found| self.comparisons.contains(&found))
    }

    fn comparison(&self, formula: Term) -> Option<Comparison> {
        let (holds, signed, a, b) = compared(self.pool, formula)?;
        let width = self.pool.width(a);
        let mut known = FxHashMap::default();
        let a = self.polynomial(a, width, &mut known)?;
        Some((holds, signed, a, self.polynomial(b, width, &mut known)?))
    }

    /// The equations among the subterms of some formulas that follow.
    pub fn consequences(&self, formulas: &[Term]) -> Vec<Term> {
        let all = subterms(self.pool, formulas).into_iter();
        let equations = all.filter(|t| *self.pool.op(*t) == Op::Eq).take(MAX_EQUATIONS);
        equations.filter(|t| self.imply(*t)).collect()
    }

    /// What the outermost choice between values in a formula depends on. The variables that a way
    /// changes share one condition, so that each case has the values of one way.
    fn condition(&self, formula: Term) -> Option<Term> {
        let pool = self.pool;
        let choice = |t: &Term| *pool.op(*t) == Op::Ite && matches!(pool.sort(*t), Sort::BitVec(_));
        let outermost = subterms(pool, &[formula]).into_iter().rfind(choice)?;
        Some(pool.args(outermost)[0])
    }

    /// Without the monomials that equations are solved for.
    fn reduce(&self, width: u32, mut polynomial: Polynomial) -> Polynomial {
        for (monomial, zero) in self.solved.get(&width).into_iter().flatten() {
            if let Some(factor) = polynomial.get(monomial).map(Bits::neg) {
                add(&mut polynomial, zero, &factor);
            }
        }
        polynomial
    }

    /// a − b of an equation a = b of bit-vectors.
    fn difference(&self, formula: Term) -> Option<(u32, Polynomial)> {
        let pool = self.pool;
        let width = width_of(pool, formula)?;
        let [a, b] = pool.args(formula)[..] else { return None };
        let mut known = FxHashMap::default();
        let mut difference = self.polynomial(a, width, &mut known)?;
        let minus = self.polynomial(b, width, &mut known)?;
        add(&mut difference, &minus, &Bits::ones(width));
        Some((width, difference))
    }

    /// A term as a polynomial of its atoms; none if that has too many monomials.
    fn polynomial(
        &self,
        root: Term,
        width: u32,
        known: &mut FxHashMap<Term, Polynomial>,
    ) -> Option<Polynomial> {
        let pool = self.pool;
        for term in subterms(pool, &[root]) {
            if known.contains_key(&term) || pool.sort(term) != Sort::BitVec(width) {
                continue;
            }
            let args = pool.args(term);
            let ring = |t: &Term| pool.sort(*t) == Sort::BitVec(width);
            let mut result = Polynomial::new();
            match pool.op(term) {
                Op::Value(_) => {
                    let bits = pool.as_bits(term)?;
                    if !bits.is_zero() {
                        result.insert(Vec::new(), bits.clone());
                    }
                }
                Op::BvAdd | Op::BvSub | Op::BvNeg if args.iter().all(ring) => {
                    let minus = Bits::ones(width);
                    let last = *pool.op(term) != Op::BvAdd;
                    for (i, arg) in args.iter().enumerate() {
                        let negative = last && i + 1 == args.len();
                        let factor = if negative { minus.clone() } else { Bits::one(width) };
                        add(&mut result, &known[arg], &factor);
                    }
                }
                Op::BvMul if args.iter().all(ring) => {
                    result = multiply(&known[&args[0]], &known[&args[1]]);
                }
                _ => match self.shifted(term, width) {
                    Some((whole, by)) => {
                        // The whole is below this term and of its width.
                        let factor = Bits::one(width).shl_by(by);
                        add(&mut result, &known[&whole], &factor);
                    }
                    None => _ = result.insert(vec![term], Bits::one(width)),
                },
            }
            if result.len() > MAX_MONOMIALS {
                return None;
            }
            known.insert(term, result);
        }
        known.get(&root).cloned()
    }

    /// x and k, of the low bits of x above k zeros: x·2^k.
    fn shifted(&self, term: Term, width: u32) -> Option<(Term, u32)> {
        let pool = self.pool;
        let (Op::BvConcat, &[upper, lower]) = (pool.op(term), pool.args(term)) else { return None };
        let by = pool.as_bits(lower).filter(|bits| bits.is_zero())?.width();
        match pool.op(upper) {
            Op::BvExtract { low: 0, high } if *high + 1 + by == width => {
                let whole = pool.args(upper)[0];
                (pool.sort(whole) == Sort::BitVec(width)).then_some((whole, by))
            }
            _ => None,
        }
    }
}

/// Whether a formula says that a < b holds, whether of signed numbers, and the two sides.
fn compared(pool: &Pool, formula: Term) -> Option<(bool, bool, Term, Term)> {
    let (holds, atom) = match pool.op(formula) {
        Op::Not => (false, pool.args(formula)[0]),
        _ => (true, formula),
    };
    match (pool.op(atom), pool.args(atom)) {
        (Op::BvSlt, &[a, b]) => Some((holds, true, a, b)),
        (Op::BvUlt, &[a, b]) => Some((holds, false, a, b)),
        _ => None,
    }
}

/// Whether a term has few subterms; found out without looking at all of many.
fn is_small(pool: &Pool, term: Term) -> bool {
    let mut seen = FxHashSet::default();
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        if seen.insert(term) {
            pending.extend(pool.args(term));
        }
        if seen.len() > MAX_SIZE {
            return false;
        }
    }
    true
}

/// The width of the sides of an equation of bit-vectors.
fn width_of(pool: &Pool, formula: Term) -> Option<u32> {
    match pool.op(formula) {
        Op::Eq => pool.sort(pool.args(formula)[0]).width(),
        _ => None,
    }
}

/// Adds factor · other.
fn add(sum: &mut Polynomial, other: &Polynomial, factor: &Bits) {
    for (monomial, coefficient) in other {
        let added = coefficient.mul(factor);
        let total = sum.remove(monomial).map_or(added.clone(), |before| before.add(&added));
        if !total.is_zero() {
            sum.insert(monomial.clone(), total);
        }
    }
}

fn multiply(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut product = Polynomial::new();
    for (left, factor) in a {
        for (right, other) in b {
            let mut monomial: Monomial = left.iter().chain(right).copied().collect();
            monomial.sort_unstable();
            let single = Polynomial::from([(monomial, other.clone())]);
            add(&mut product, &single, factor);
        }
    }
    product
}

/// The number whose product with an odd number is 1, modulo 2^width: each step of Newton's
/// iteration doubles the bits that are right.
fn inverse(odd: &Bits) -> Bits {
    let two = Bits::one(odd.width()).add(&Bits::one(odd.width()));
    let mut inverse = odd.clone();
    let mut right = 3;
    while right < odd.width() {
        inverse = inverse.mul(&two.sub(&odd.mul(&inverse)));
        right *= 2;
    }
    inverse
}

#[cfg(test)]
mod tests;
