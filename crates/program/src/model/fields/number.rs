//! What is added to an address: a constant, or a constant and multiples of another one.

use term::{Op, Pool, Sort, Term};

/// A constant plus any multiple of a stride; of stride zero, the constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Step {
    pub shift: i64,
    pub stride: u64,
}

/// Nobody means an offset beyond this.
const FARTHEST: u64 = 1 << 30;
/// How deep a number is looked into.
const DEPTH: u32 = 12;

impl Step {
    /// Nothing is added.
    pub const NONE: Step = Step { shift: 0, stride: 0 };
    /// Nobody knows what.
    pub const ANY: Step = Step { shift: 0, stride: 1 };

    /// What is left of it where numbers wrap around.
    fn wrapped(self) -> Step {
        Step { stride: self.stride & self.stride.wrapping_neg(), ..self }.reduced()
    }

    /// One step and another one.
    pub fn then(self, other: Step) -> Step {
        let shift = self.shift.wrapping_add(other.shift);
        Step { shift, stride: gcd(self.stride, other.stride) }.reduced()
    }

    fn reduced(self) -> Step {
        if self.shift.unsigned_abs() > FARTHEST && self.stride == 0 {
            return Step::ANY;
        }
        match i64::try_from(self.stride) {
            Ok(stride) if stride > 0 => Step { shift: self.shift.rem_euclid(stride), ..self },
            _ => self,
        }
    }

    fn times(self, factor: i64) -> Step {
        let stride = self.stride.checked_mul(factor.unsigned_abs());
        match (self.shift.checked_mul(factor), stride) {
            (Some(shift), Some(stride)) => Step { shift, stride }.reduced(),
            _ => Step::ANY,
        }
    }

    /// One step or another one.
    fn or(self, other: Step) -> Step {
        let apart = self.shift.abs_diff(other.shift);
        Step { shift: self.shift, stride: gcd(gcd(self.stride, other.stride), apart) }.reduced()
    }

    /// What a term is as a number.
    pub fn of(pool: &Pool, term: Term) -> Step {
        number(pool, term, DEPTH)
    }
}

/// The greatest common divisor; zero is divided by everything.
pub(super) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The value of a constant, read as a signed number.
pub(super) fn constant(pool: &Pool, term: Term) -> Option<i64> {
    let bits = pool.as_bits(term)?;
    let width = bits.width();
    let value = bits.to_u64()?;
    match width {
        64.. => Some(value as i64),
        _ if value >> (width - 1) == 1 => Some(value as i64 - (1i64 << width)),
        _ => Some(value as i64),
    }
}

/// The bits that the value of a term takes at most, read as a signed number: its width, if nothing is
/// known.
fn bits(pool: &Pool, term: Term, depth: u32) -> u32 {
    let width = pool.width(term);
    if let Some(value) = constant(pool, term) {
        return 65 - value.unsigned_abs().leading_zeros();
    }
    if depth == 0 {
        return width;
    }
    let arg = |n: usize| bits(pool, pool.args(term)[n], depth - 1);
    let known = match (pool.op(term), pool.args(term)) {
        (Op::BvAdd | Op::BvSub, _) => arg(0).max(arg(1)) + 1,
        (Op::BvMul, _) => arg(0) + arg(1),
        (Op::BvZeroExtend(_), &[inner]) => pool.width(inner) + 1,
        (Op::BvSignExtend(_), _) => arg(0),
        (Op::BvShl, &[_, by]) => match constant(pool, by) {
            Some(by @ 0..=32) => arg(0) + by as u32,
            _ => width,
        },
        (Op::BvConcat, &[high, low]) => bits(pool, high, depth - 1) + pool.width(low),
        (Op::Ite, _) => arg(1).max(arg(2)),
        _ => width,
    };
    known.min(width)
}

/// What is known of a number. Words wrap around at a power of two, which strides that are powers of two
/// survive; others are kept where nothing can wrap.
fn number(pool: &Pool, term: Term, depth: u32) -> Step {
    let Sort::BitVec(width) = pool.sort(term) else { return Step::ANY };
    if let Some(value) = constant(pool, term) {
        return Step { shift: value, stride: 0 };
    }
    if depth == 0 {
        return Step::ANY;
    }
    let arg = |n: usize| number(pool, pool.args(term)[n], depth - 1);
    let step = match (pool.op(term), pool.args(term)) {
        (Op::BvAdd, _) => arg(0).then(arg(1)),
        (Op::BvSub, _) => arg(0).then(arg(1).times(-1)),
        (Op::BvNeg, _) => arg(0).times(-1),
        (Op::BvMul, &[a, b]) => match (constant(pool, a), constant(pool, b)) {
            (Some(factor), _) => arg(1).times(factor),
            (_, Some(factor)) => arg(0).times(factor),
            _ => Step::ANY,
        },
        (Op::BvShl, &[_, by]) => match constant(pool, by) {
            Some(by @ 0..=32) => arg(0).times(1 << by),
            _ => Step::ANY,
        },
        (Op::BvConcat, &[_, low]) if constant(pool, low) == Some(0) && pool.width(low) <= 32 => {
            arg(0).times(1 << pool.width(low))
        }
        // A negative number becomes another one.
        (Op::BvZeroExtend(_), _) => arg(0).wrapped(),
        (Op::BvSignExtend(_), _) => arg(0),
        (Op::Ite, _) => arg(1).or(arg(2)),
        _ => Step::ANY,
    };
    if bits(pool, term, depth) < width { step } else { step.wrapped() }
}
