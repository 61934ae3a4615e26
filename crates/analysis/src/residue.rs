//! Residues: what is known of the last bits of a bit-vector.
//!
//! x ≡ value (mod 2^bits). Powers of two are the moduli that wrapping arithmetic respects, so the
//! operators are exact for sums and products (P. Granger: *Static analysis of arithmetical
//! congruences*, 1989, restricted to these moduli).

use rustc_hash::FxHashMap;
use term::traverse::{conjuncts, subterms};
use term::{Op, Pool, Sort, Term};

/// x ≡ value (mod 2^bits); nothing is known with no bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Residue {
    /// How many of the last bits are known, at most 64.
    pub bits: u32,
    /// Their value.
    pub value: u64,
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

impl Residue {
    fn new(bits: u32, value: u64) -> Residue {
        Residue { bits, value: value & mask(bits) }
    }

    /// What both have in common.
    pub fn join(self, other: Residue) -> Residue {
        let agreed = (self.value ^ other.value).trailing_zeros();
        Residue::new(self.bits.min(other.bits).min(agreed), self.value)
    }

    /// What either knows. None if they contradict each other.
    pub fn meet(self, other: Residue) -> Option<Residue> {
        let (less, more) = if self.bits <= other.bits { (self, other) } else { (other, self) };
        (more.value & mask(less.bits) == less.value).then_some(more)
    }

    fn bit(self, i: u32) -> Option<bool> {
        (i < self.bits).then(|| self.value >> i & 1 == 1)
    }

    /// The power of two that surely divides it, as an exponent.
    fn zeros(self) -> u32 {
        self.value.trailing_zeros().min(self.bits)
    }

    /// The last bits of an operator that works bit by bit.
    fn bitwise(
        self,
        other: Residue,
        width: u32,
        op: impl Fn(Option<bool>, Option<bool>) -> Option<bool>,
    ) -> Residue {
        let mut value = 0;
        for i in 0..width {
            match op(self.bit(i), other.bit(i)) {
                Some(bit) => value |= u64::from(bit) << i,
                None => return Residue::new(i, value),
            }
        }
        Residue::new(width, value)
    }
}

/// Residues of terms from those of variables, each term's subterms listed once.
#[derive(Default)]
pub struct Residues {
    orders: FxHashMap<Term, Vec<Term>>,
}

impl Residues {
    /// The residue of a bit-vector term of at most 64 bits.
    pub fn evaluate(
        &mut self,
        pool: &Pool,
        term: Term,
        known: &impl Fn(Term) -> Residue,
    ) -> Residue {
        let order = self.orders.entry(term).or_insert_with(|| subterms(pool, &[term]));
        let mut values: FxHashMap<Term, Residue> = FxHashMap::default();
        for &t in order.iter() {
            let Sort::BitVec(width @ 1..=64) = pool.sort(t) else { continue };
            let residue = match pool.op(t) {
                Op::Var(_) => known(t),
                Op::Value(_) => {
                    let bits = pool.as_bits(t).and_then(value::Bits::to_u64);
                    bits.map_or(Residue::default(), |value| Residue::new(width, value))
                }
                op => operate(pool, op, width, pool.args(t), &values),
            };
            if residue.bits > 0 {
                values.insert(t, residue);
            }
        }
        values.get(&term).copied().unwrap_or_default()
    }

    /// What a formula that holds says about variables: each with its residue.
    pub fn assume(
        &mut self,
        pool: &Pool,
        formula: Term,
        known: &impl Fn(Term) -> Residue,
    ) -> Vec<(Term, Residue)> {
        let mut found = Vec::new();
        for conjunct in conjuncts(pool, formula) {
            let (Op::Eq, &[a, b]) = (pool.op(conjunct), pool.args(conjunct)) else { continue };
            if !matches!(pool.sort(a), Sort::BitVec(1..=64)) {
                continue;
            }
            for (side, other) in [(a, b), (b, a)] {
                let residue = self.evaluate(pool, other, known);
                found.extend(variable_below(pool, side, residue));
            }
        }
        found
    }
}

/// The variable whose last bits a term with a residue consists of.
fn variable_below(pool: &Pool, mut term: Term, mut residue: Residue) -> Option<(Term, Residue)> {
    while residue.bits > 0 {
        let args = pool.args(term);
        term = match pool.op(term) {
            Op::Var(_) => return Some((term, residue)),
            Op::BvExtract { low: 0, .. } => args[0],
            Op::BvZeroExtend(_) | Op::BvSignExtend(_) => {
                residue = Residue::new(residue.bits.min(pool.width(args[0])), residue.value);
                args[0]
            }
            Op::BvUrem => {
                let modulus = pool.as_bits(args[1])?.to_u64().filter(|n| n.is_power_of_two())?;
                residue = Residue::new(residue.bits.min(modulus.trailing_zeros()), residue.value);
                args[0]
            }
            Op::BvAnd => {
                let at = args.iter().position(|a| pool.as_bits(*a).is_some())?;
                let ones = pool.as_bits(args[at])?.to_u64()?.trailing_ones();
                residue = Residue::new(residue.bits.min(ones), residue.value);
                *args.get(1 - at)?
            }
            _ => return None,
        };
    }
    None
}

/// The residue of an operator's result.
fn operate(
    pool: &Pool,
    op: &Op,
    width: u32,
    args: &[Term],
    values: &FxHashMap<Term, Residue>,
) -> Residue {
    let get = |i: usize| values.get(&args[i]).copied().unwrap_or_default();
    match op {
        Op::BvAdd | Op::BvSub => {
            let (a, b) = (get(0), get(1));
            let value = match op {
                Op::BvAdd => a.value.wrapping_add(b.value),
                _ => a.value.wrapping_sub(b.value),
            };
            Residue::new(a.bits.min(b.bits), value)
        }
        Op::BvMul => {
            let (a, b) = (get(0), get(1));
            let bits = (a.bits + b.zeros()).min(b.bits + a.zeros()).min(width);
            Residue::new(bits, a.value.wrapping_mul(b.value))
        }
        Op::BvNeg => Residue::new(get(0).bits, get(0).value.wrapping_neg()),
        Op::BvNot => Residue::new(get(0).bits, !get(0).value),
        Op::BvAnd => get(0).bitwise(get(1), width, |a, b| match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (a, b) => Some(a? && b?),
        }),
        Op::BvOr => get(0).bitwise(get(1), width, |a, b| match (a, b) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (a, b) => Some(a? || b?),
        }),
        Op::BvXor => get(0).bitwise(get(1), width, |a, b| Some(a? != b?)),
        Op::BvShl => match pool.as_bits(args[1]).and_then(value::Bits::to_u64) {
            Some(by) if by < u64::from(width) => {
                let a = get(0);
                Residue::new((a.bits + by as u32).min(width), a.value << by)
            }
            _ => Residue::default(),
        },
        Op::BvExtract { low, .. } => {
            // The argument may be wider than what is kept.
            let a = get(0);
            match a.bits.checked_sub(*low) {
                Some(bits @ 1..) => Residue::new(bits.min(width), a.value >> low),
                _ => Residue::default(),
            }
        }
        Op::BvZeroExtend(by) | Op::BvSignExtend(by) => {
            let (a, narrow) = (get(0), width - by);
            let negative = *op == Op::BvSignExtend(*by) && a.bit(narrow - 1) == Some(true);
            match a.bits == narrow {
                true if negative => Residue::new(width, a.value | !mask(narrow)),
                true => Residue::new(width, a.value),
                false => a,
            }
        }
        Op::BvConcat => {
            let (high, low, narrow) = (get(0), get(1), pool.width(args[1]));
            match low.bits == narrow {
                true => Residue::new(narrow + high.bits, low.value | high.value << narrow),
                false => low,
            }
        }
        Op::BvUrem => match pool.as_bits(args[1]).and_then(value::Bits::to_u64) {
            Some(modulus) if modulus.is_power_of_two() => {
                let (a, kept) = (get(0), modulus.trailing_zeros());
                match a.bits >= kept {
                    true => Residue::new(width, a.value & (modulus - 1)),
                    false => a,
                }
            }
            _ => Residue::default(),
        },
        Op::Ite => get(1).join(get(2)),
        _ => Residue::default(),
    }
}
