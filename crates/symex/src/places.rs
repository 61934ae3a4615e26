//! Where in an object an access with an unknown offset can be.
//!
//! The offset is looked at as it is written: `24·i + 8` is at 8, 32, 56 and so on, if the product does
//! not wrap around; what is known of its lowest bits holds in any case. So an access to a field of
//! an array of structures touches no other field.

use term::{Op, Pool, Term};

/// How deep an offset is looked at.
const DEPTH: u32 = 12;
/// The longest stride, in bits.
const STRIDE: u32 = 20;

/// Places a stride apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Places {
    /// The first one.
    pub first: u64,
    /// From each to the next.
    pub stride: u64,
    /// How many there are.
    pub count: u64,
}

impl Places {
    /// Where an offset can be, up to a last one.
    pub fn of(pool: &Pool, offset: Term, last: u64) -> Places {
        let low = low(pool, offset, DEPTH);
        let known = low.known.min(STRIDE);
        let stepped = steps(pool, offset, DEPTH);
        let (first, stride) = match stepped.stride > 1 << known {
            true => (stepped.first.rem_euclid(stepped.stride), stepped.stride as u64),
            false => (i128::from(low.value & ((1 << known) - 1)), 1 << known),
        };
        let first = first as u64;
        let count = last.checked_sub(first).map_or(0, |room| room / stride + 1);
        Places { first, stride, count }
    }

    /// The offsets.
    pub fn offsets(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |k| self.first + k * self.stride)
    }
}

/// A number and a multiple of a stride, as signed numbers; no multiple if the stride is zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Steps {
    first: i128,
    stride: i128,
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// How many bits a signed number has, its sign included.
fn bits(pool: &Pool, term: Term, depth: u32) -> u32 {
    let width = pool.width(term);
    if let Some(bits) = pool.as_bits(term) {
        let rest = if bits.is_negative() { bits.not() } else { bits.clone() };
        return (1..width).find(|n| rest.extract(width - 1, n - 1).is_zero()).unwrap_or(width);
    }
    if depth == 0 {
        return width;
    }
    let of = |term: Term| bits(pool, term, depth - 1);
    let found = match (pool.op(term), pool.args(term)) {
        (Op::BvZeroExtend(_), &[a]) => pool.width(a) + 1,
        (Op::BvSignExtend(_), &[a]) => of(a),
        (Op::BvAdd | Op::BvSub, &[a, b]) => of(a).max(of(b)) + 1,
        (Op::BvMul, &[a, b]) => of(a) + of(b),
        (Op::Ite, &[_, a, b]) => of(a).max(of(b)),
        (Op::BvConcat, &[a, b]) => of(a) + pool.width(b),
        _ => width,
    };
    found.min(width)
}

/// What a term is as steps, if nothing in it wraps around; any number otherwise.
fn steps(pool: &Pool, term: Term, depth: u32) -> Steps {
    let any = Steps { first: 0, stride: 1 };
    if let Some(bits) = pool.as_bits(term) {
        return bits.to_i128().map_or(any, |first| Steps { first, stride: 0 });
    }
    // A sum or a product as wide as the term may have wrapped around.
    if depth == 0 || bits(pool, term, depth) >= pool.width(term) {
        return any;
    }
    let of = |term: Term| steps(pool, term, depth - 1);
    match (pool.op(term), pool.args(term)) {
        (Op::BvAdd, &[a, b]) => {
            let (a, b) = (of(a), of(b));
            Steps { first: a.first + b.first, stride: gcd(a.stride, b.stride) }
        }
        (Op::BvSub, &[a, b]) => {
            let (a, b) = (of(a), of(b));
            Steps { first: a.first - b.first, stride: gcd(a.stride, b.stride) }
        }
        (Op::BvMul, &[a, b]) => match (of(a), of(b)) {
            (Steps { first, stride: 0 }, other) | (other, Steps { first, stride: 0 }) => {
                times(other, first)
            }
            _ => any,
        },
        (Op::BvConcat, &[a, b]) if pool.as_bits(b).is_some_and(|bits| bits.is_zero()) => {
            times(of(a), 1 << pool.width(b).min(100))
        }
        (Op::Ite, &[_, a, b]) => {
            let (a, b) = (of(a), of(b));
            let apart = gcd(a.first - b.first, gcd(a.stride, b.stride));
            Steps { first: a.first, stride: apart }
        }
        _ => any,
    }
}

fn times(steps: Steps, by: i128) -> Steps {
    let times = |number: i128| number.checked_mul(by);
    match (times(steps.first), times(steps.stride)) {
        (Some(first), Some(stride)) => Steps { first, stride: stride.abs() },
        _ => Steps { first: 0, stride: 1 },
    }
}

/// The lowest bits of a term, as far as they are known: how many, and their value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Low {
    known: u32,
    value: u64,
}

impl Low {
    fn new(known: u32, value: u64) -> Low {
        let known = known.min(32);
        Low { known, value: value & ((1 << known) - 1) }
    }

    /// How many of the known bits are zero before the first one.
    fn zeros(self) -> u32 {
        self.value.trailing_zeros().min(self.known)
    }
}

/// What is known of the lowest bits of a term.
fn low(pool: &Pool, term: Term, depth: u32) -> Low {
    let width = pool.width(term);
    if let Some(bits) = pool.as_bits(term) {
        let value = (0..width.min(32)).filter(|k| bits.bit(*k)).map(|k| 1 << k).sum();
        // Above a number of fewer bits than that nothing is known to its users but zeros or ones.
        return Low::new(width, value);
    }
    let nothing = Low { known: 0, value: 0 };
    if depth == 0 {
        return nothing;
    }
    let of = |term: Term| low(pool, term, depth - 1);
    let both = |a: Term, b: Term, operator: fn(u64, u64) -> u64| {
        let (a, b) = (of(a), of(b));
        Low::new(a.known.min(b.known), operator(a.value, b.value))
    };
    match (pool.op(term), pool.args(term)) {
        (Op::BvAdd, &[a, b]) => both(a, b, u64::wrapping_add),
        (Op::BvSub, &[a, b]) => both(a, b, u64::wrapping_sub),
        (Op::BvOr, &[a, b]) => both(a, b, |a, b| a | b),
        (Op::BvXor, &[a, b]) => both(a, b, |a, b| a ^ b),
        (Op::BvMul, &[a, b]) => {
            let (a, b) = (of(a), of(b));
            let known = (a.known + b.zeros()).min(b.known + a.zeros());
            Low::new(known.min(width), a.value.wrapping_mul(b.value))
        }
        (Op::Ite, &[_, a, b]) => {
            let (a, b) = (of(a), of(b));
            let equal = (a.value ^ b.value).trailing_zeros();
            Low::new(a.known.min(b.known).min(equal), a.value)
        }
        (Op::BvConcat, &[_, tail]) => of(tail),
        (Op::BvExtract { high, low: 0 }, &[a]) => {
            let a = of(a);
            Low::new(a.known.min(*high + 1), a.value)
        }
        (Op::BvShl, &[a, b]) => {
            let Some(by) = pool.as_bits(b).and_then(|bits| bits.to_u64()) else { return nothing };
            let (a, by) = (of(a), by.min(32) as u32);
            Low::new((a.known + by).min(width), a.value << by)
        }
        (Op::BvZeroExtend(_) | Op::BvSignExtend(_), &[a]) => of(a),
        _ => nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Sort;

    #[test]
    fn fields_of_structures_in_arrays() {
        let pool = Pool::new();
        let i = pool.bv_sign_extend(pool.var("i", Sort::BitVec(32)), 32);
        let field = pool.bv_add(pool.bv_mul(i, pool.bv(24, 64)), pool.bv(12, 64));
        let places = Places::of(&pool, field, 68);
        assert_eq!(places, Places { first: 12, stride: 24, count: 3 });
        // A product that may wrap around can be at every multiple of eight.
        let wide = pool.var("w", Sort::BitVec(64));
        let field = pool.bv_add(pool.bv_mul(wide, pool.bv(24, 64)), pool.bv(12, 64));
        assert_eq!(Places::of(&pool, field, 68), Places { first: 4, stride: 8, count: 9 });
    }

    #[test]
    fn choices_and_differences() {
        let pool = Pool::new();
        let (c, b) = (pool.var("c", Sort::Bool), pool.var("b", Sort::BitVec(8)));
        let either = pool.ite(c, pool.bv(8, 64), pool.bv(20, 64));
        assert_eq!(Places::of(&pool, either, 31), Places { first: 8, stride: 12, count: 2 });
        let byte = pool.bv_zero_extend(b, 56);
        let places = Places::of(&pool, byte, 31);
        assert_eq!((places.first, places.stride, places.count), (0, 1, 32));
        let before = pool.bv_sub(pool.bv_mul(byte, pool.bv(24, 64)), pool.bv(8, 64));
        assert_eq!(Places::of(&pool, before, 63), Places { first: 16, stride: 24, count: 2 });
    }
}
