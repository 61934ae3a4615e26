//! Simple bounds, and the terms that say the same.
//!
//! A bound is what the solver's literals are ([Sch §II-D]): `x ≥ v` or `x ≤ v` in the total order
//! of a domain ([`intervals::keys`]). The complement of a bound is a bound. Each has one term,
//! [`Bound::formula`], and [`Bound::read`] recognizes these terms and others that say the same, so
//! that engines speak to the solver in terms alone.
//!
//! | bound | term |
//! |---|---|
//! | unsigned `x ≥ v`, `x ≤ v` | `¬(x <ᵤ v)`, `¬(v <ᵤ x)` |
//! | signed `x ≥ v`, `x ≤ v` | `¬(x <ₛ v)`, `¬(v <ₛ x)` |
//! | float `x ≤ v` | `fp.leq x v`; `fp.isNegative x` for v = −0; `¬fp.isNaN x` for v = +∞ |
//! | float `x ≥ v` | the negation of `x ≤` the number before v; so NaN satisfies it |
//! | Boolean | the formula or its negation |
//!
//! `fp.leq v x` is no bound but two: `x ≥ v` and `x ≤ +∞`.

use intervals::keys::{Domain, FloatKeys, Interval, Key};
use term::{Op, Pool, Sort, Term, Value};
use value::Rounding;

/// Which side of an interval a bound is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// `x ≥ v`
    AtLeast,
    /// `x ≤ v`
    AtMost,
}

/// A bound of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bound {
    /// What is bounded.
    pub term: Term,
    /// The order in which it is.
    pub domain: Domain,
    /// From which side.
    pub side: Side,
    /// The value, as its key in the domain.
    pub key: Key,
}

impl Bound {
    /// `term ≥ value` or `term ≤ value`. Requires: the term is of the domain's sort, and so is the
    /// value.
    pub fn new(term: Term, domain: Domain, side: Side, value: &Value) -> Bound {
        Bound { term, domain, side, key: domain.key(value) }
    }

    /// The value of the bound.
    pub fn value(&self) -> Value {
        self.domain.value(self.key)
    }

    /// The keys within the bound.
    pub fn interval(&self) -> Interval {
        match self.side {
            Side::AtLeast => Interval::new(self.key, self.domain.last()),
            Side::AtMost => Interval::new(0, self.key),
        }
    }

    /// Whether every value is within the bound.
    pub fn is_trivial(&self) -> bool {
        self.interval() == Interval::full(self.domain)
    }

    /// The bound that holds where this one does not; `None` if this one always holds.
    pub fn complement(&self) -> Option<Bound> {
        match self.side {
            _ if self.is_trivial() => None,
            Side::AtLeast => Some(Bound { side: Side::AtMost, key: self.key - 1, ..*self }),
            Side::AtMost => Some(Bound { side: Side::AtLeast, key: self.key + 1, ..*self }),
        }
    }

    /// The bound as a term.
    pub fn formula(&self, pool: &Pool) -> Term {
        let Some(complement) = self.complement() else { return pool.tru() };
        match (self.domain, self.side) {
            (Domain::Truth, Side::AtLeast) => self.term,
            (Domain::Truth, Side::AtMost) => pool.not(self.term),
            (Domain::Unsigned(_), side) => {
                let constant = pool.constant(self.value());
                pool.not(match side {
                    Side::AtLeast => pool.bv_ult(self.term, constant),
                    Side::AtMost => pool.bv_ult(constant, self.term),
                })
            }
            (Domain::Signed(_), side) => {
                let constant = pool.constant(self.value());
                pool.not(match side {
                    Side::AtLeast => pool.bv_slt(self.term, constant),
                    Side::AtMost => pool.bv_slt(constant, self.term),
                })
            }
            (Domain::Float(_), Side::AtLeast) => pool.not(complement.formula(pool)),
            (Domain::Float(format), Side::AtMost) => {
                let keys = FloatKeys::new(format);
                if self.key == keys.plus_infinity() {
                    pool.not(pool.fp_is_nan(self.term))
                } else if self.key == keys.minus_zero() {
                    pool.make(Op::FpIsNegative, &[self.term])
                } else {
                    pool.fp_leq(self.term, pool.constant(self.value()))
                }
            }
            (Domain::Rounding, _) => {
                let Interval { low, high } = self.interval();
                let modes = &Rounding::ALL[low as usize..=high as usize];
                pool.or(modes.iter().map(|mode| pool.eq(self.term, pool.rounding(*mode))))
            }
        }
    }

    /// The bound that a formula is: one of those above, or the formula itself as a Boolean that is
    /// true. `None` for terms of other sorts.
    pub fn read(pool: &Pool, formula: Term) -> Option<Bound> {
        let (negated, atom) = match pool.op(formula) {
            Op::Not => (true, pool.args(formula)[0]),
            _ => (false, formula),
        };
        let bound = comparison(pool, atom).or_else(|| {
            let truth = |side, key| Bound { term: atom, domain: Domain::Truth, side, key };
            (pool.sort(atom) == Sort::Bool).then(|| truth(Side::AtLeast, 1))
        })?;
        if negated { bound.complement() } else { Some(bound) }
    }
}

/// The bound that a comparison with a constant is; it neither always nor never holds.
fn comparison(pool: &Pool, atom: Term) -> Option<Bound> {
    let args = pool.args(atom);
    let above = |term, domain: Domain, value| {
        let key = domain.key(value);
        (key < domain.last()).then(|| Bound { term, domain, side: Side::AtLeast, key: key + 1 })
    };
    let below = |term, domain: Domain, value| {
        let key = domain.key(value).checked_sub(1)?;
        Some(Bound { term, domain, side: Side::AtMost, key })
    };
    match pool.op(atom) {
        op @ (Op::BvUlt | Op::BvSlt) => {
            let width = pool.width(args[0]);
            Domain::of(Sort::BitVec(width))?;
            let domain =
                if *op == Op::BvUlt { Domain::Unsigned(width) } else { Domain::Signed(width) };
            match (pool.value(args[0]), pool.value(args[1])) {
                (Some(value), None) => above(args[1], domain, value),
                (None, Some(value)) => below(args[0], domain, value),
                _ => None,
            }
        }
        Op::FpLeq | Op::FpLt => {
            let (format, value) = (pool.sort(args[0]).format()?, pool.value(args[1])?);
            let (domain, keys) = (Domain::of(Sort::Float(format))?, FloatKeys::new(format));
            let key = domain.key(value);
            let zero = (keys.minus_zero()..=keys.plus_zero()).contains(&key);
            let key = match pool.op(atom) {
                _ if key == keys.nan() || pool.value(args[0]).is_some() => return None,
                Op::FpLeq if zero => keys.plus_zero(),
                Op::FpLeq => key,
                _ if zero => keys.minus_zero() - 1,
                _ => key.checked_sub(1)?,
            };
            Some(Bound { term: args[0], domain, side: Side::AtMost, key })
        }
        Op::FpIsNegative | Op::FpIsNan => {
            let format = pool.sort(args[0]).format()?;
            let (domain, keys) = (Domain::of(Sort::Float(format))?, FloatKeys::new(format));
            let (side, key) = match pool.op(atom) {
                Op::FpIsNan => (Side::AtLeast, keys.nan()),
                _ => (Side::AtMost, keys.minus_zero()),
            };
            Some(Bound { term: args[0], domain, side, key })
        }
        Op::Eq => extreme(pool, args[0], args[1]).or_else(|| extreme(pool, args[1], args[0])),
        _ => None,
    }
}

/// Equality with the least or greatest unsigned number is a bound, and simplification prefers it.
fn extreme(pool: &Pool, term: Term, constant: Term) -> Option<Bound> {
    let (value, domain) = (pool.value(constant)?, Domain::of(pool.sort(term))?);
    if !matches!(domain, Domain::Unsigned(_)) || pool.value(term).is_some() {
        return None;
    }
    match domain.key(value) {
        0 => Some(Bound { term, domain, side: Side::AtMost, key: 0 }),
        key if key == domain.last() => Some(Bound { term, domain, side: Side::AtLeast, key }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashMap;
    use term::evaluate;
    use term::value::all_values;
    use value::Format;

    /// Each bound of each domain: its term is true exactly within it, and is read back.
    #[test]
    fn terms_say_what_bounds_say() {
        let format = Format::new(2, 3).expect("a format");
        let cases = [
            (Sort::Bool, Domain::Truth),
            (Sort::BitVec(3), Domain::Unsigned(3)),
            (Sort::BitVec(3), Domain::Signed(3)),
            (Sort::BitVec(1), Domain::Signed(1)),
            (Sort::Float(format), Domain::Float(format)),
            (Sort::RoundingMode, Domain::Rounding),
        ];
        for (sort, domain) in cases {
            let pool = Pool::new();
            let x = pool.var("x", sort);
            for key in 0..=domain.last() {
                for side in [Side::AtLeast, Side::AtMost] {
                    let bound = Bound { term: x, domain, side, key };
                    let formula = bound.formula(&pool);
                    for value in all_values(sort) {
                        let point: FxHashMap<Term, Value> =
                            [(x, value.clone())].into_iter().collect();
                        let within = bound.interval().contains(domain.key(&value));
                        let holds = evaluate(&pool, formula, &point);
                        assert_eq!(holds, Ok(Value::Bool(within)), "{bound:?} {value:?}");
                        let read = Bound::read(&pool, formula).expect("a formula");
                        if read.term == x {
                            let same = read.interval().contains(read.domain.key(&value));
                            assert_eq!(same, within, "{bound:?} {read:?} {value:?}");
                        } else {
                            let constant = pool.value(formula).is_some();
                            assert!(
                                constant || domain == Domain::Rounding || sort == Sort::BitVec(1),
                                "{bound:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_are_read_as_bounds() {
        let pool = Pool::new();
        let x = pool.var("x", Sort::Float(Format::F32));
        let zero = pool.float(value::Float::zero(Format::F32, true));
        let keys = FloatKeys::new(Format::F32);
        let read = |formula| Bound::read(&pool, formula).expect("a formula");
        assert_eq!(read(pool.fp_leq(x, zero)).key, keys.plus_zero());
        assert_eq!(read(pool.fp_lt(x, zero)).key, keys.minus_zero() - 1);
        // Two bounds at once are a formula.
        assert_eq!(read(pool.fp_leq(zero, x)).domain, Domain::Truth);
        assert_eq!(Bound::read(&pool, x), None);
    }
}
