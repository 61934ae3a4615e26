//! The IEEE remainder a − n·b, where n is the integer nearest to a / b, ties to even.
//!
//! With both significands as integers A and B (b's leading bit set) and N one more than the
//! difference of the exponents, a / b is A·2^N / 2B. The rest r of that division and the lowest
//! bit of its quotient decide: the result is r or r − 2B, which is always exact. For negative
//! N the result is a.
//!
//! Two circuits compute r. [`long_division`] doubles and subtracts once for every possible value
//! of N: good for SAT solvers, but N reaches twice the largest exponent. Beyond a bound on the
//! gates, [`modular_power`] computes A·(2^(N−2) mod B) mod B by repeated squaring, whose size
//! grows with the logarithm of N only.

use super::round::{Exact, LastPlace, Special, round};
use super::{Float, Layout, signed_width};
use crate::rounding::Mode;
use crate::word::{self, Word};
use aig::{Aig, Edge};

/// Formats whose long division needs more gates use modular powers.
const LONG_DIVISION_GATES: u128 = 1 << 17;

/// The largest N of a format.
fn greatest_doubling(layout: Layout) -> u128 {
    (layout.bias() - layout.least_exponent() + 1) as u128
}

fn long_division_gates(layout: Layout) -> u128 {
    greatest_doubling(layout) * 12 * (layout.precision as u128 + 1)
}

/// Roughly how many gates the remainder of a format takes.
pub fn remainder_gates(layout: Layout) -> u128 {
    let long = long_division_gates(layout);
    if long <= LONG_DIVISION_GATES {
        return long;
    }
    let squarings = layout.exponent_bits as u128;
    squarings * 16 * (layout.precision as u128).pow(2)
}

/// The IEEE remainder of a and b.
pub fn remainder(g: &mut Aig, a: &Float, b: &Float) -> Float {
    let method = if long_division_gates(a.layout) <= LONG_DIVISION_GATES {
        long_division
    } else {
        modular_power
    };
    remainder_by(g, a, b, method)
}

/// A, B, N to the rest of A·2^N / 2B and the lowest bit of the quotient.
pub(super) type Method = fn(&mut Aig, Layout, &[Edge], &[Edge], &[Edge]) -> (Word, Edge);

pub(super) fn remainder_by(g: &mut Aig, a: &Float, b: &Float, method: Method) -> Float {
    assert_eq!(a.layout, b.layout, "both operands have one format");
    let layout = a.layout;
    let precision = layout.precision;
    let (x, y) = (a.normal(g).clone(), b.normal(g).clone());
    let (mut dividend, mut divisor) = (x.significand, y.significand);
    dividend[precision - 1] = Edge::TRUE;
    divisor[precision - 1] = Edge::TRUE;

    let greatest = greatest_doubling(layout) as i128;
    let width = signed_width(2 - greatest, greatest);
    let ex = word::sign_extend(&x.exponent, width);
    let ey = word::sign_extend(&y.exponent, width);
    let difference = word::subtract(g, &ex, &ey);
    let (doublings, _) = word::increment(g, &difference, Edge::TRUE);
    let negative = doublings[width - 1];
    let doublings = word::mask(g, !negative, &doublings[..width - 1]);
    let (rest, odd) = method(g, layout, &dividend, &divisor, &doublings);

    // Up where r > B, or r = B with an odd quotient.
    let half = word::zero_extend(&divisor, precision + 1);
    let above = word::less(g, &half, &rest);
    let tie = word::equal(g, &half, &rest);
    let tie = g.and(tie, odd);
    let up = g.or(above, tie);
    let twice = word::concat(&[Edge::FALSE], &divisor);
    let complement = word::subtract(g, &twice, &rest);
    let magnitude = word::ite(g, up, &complement, &rest);
    // Both are at most B.
    let (significand, zeros) = word::normalize(g, &magnitude[..precision]);
    let zero = !significand[precision - 1];

    // The unit of r is half a unit in b's last place.
    let width = layout.exponent_width() + 1;
    let zeros = word::zero_extend(&zeros, width);
    let exponent = word::sign_extend(&y.exponent, width);
    let (exponent, _) = word::add_carry(g, &exponent, &word::not(&zeros), Edge::FALSE);
    let sign = g.xor(a.sign, up);
    let range = (layout.least_exponent(), layout.bias() - 1);
    let exact = Exact { sign, exponent, range, significand };
    let nan = g.or_all([a.nan, b.nan, a.infinite, b.zero]);
    let special = Special { nan, infinite: Edge::FALSE, zero };
    let rest = round(g, layout, &Mode::NEAREST_EVEN, &exact, LastPlace::Follows, &special);

    let unchanged = g.or_all([a.zero, b.infinite, negative]);
    let unchanged = g.and(unchanged, !nan);
    Float::ite(g, unchanged, a, &rest)
}

/// One step per possible value of N, from the greatest down: the partial rest is doubled, and A
/// enters where as many doublings follow as N says. Before that the rest is zero.
pub(super) fn long_division(
    g: &mut Aig,
    layout: Layout,
    a: &[Edge],
    b: &[Edge],
    doublings: &[Edge],
) -> (Word, Edge) {
    let precision = layout.precision;
    let divisor = word::not(&word::concat(b, &[Edge::FALSE]));
    let wide = word::concat(a, &[Edge::FALSE]);
    let mut odd = Edge::FALSE;
    let mut rest = word::zeros(precision + 1);
    for step in (0..=greatest_doubling(layout)).rev() {
        let (difference, fits) = word::add_carry(g, &rest, &divisor, Edge::TRUE);
        let left = word::ite(g, fits, &difference[..precision], &rest[..precision]);
        odd = fits;
        let number = word::constant(step as i128, doublings.len());
        let enters = word::equal(g, doublings, &number);
        let entering = word::mask(g, enters, &wide);
        let doubled = word::concat(&[Edge::FALSE], &left);
        rest = word::or(g, &doubled, &entering);
    }
    (rest, odd)
}

/// A·2^N mod 4B is 4·(A·2^(N−2) mod B) for N ≥ 2, and A·2^N for less.
pub(super) fn modular_power(
    g: &mut Aig,
    layout: Layout,
    a: &[Edge],
    b: &[Edge],
    doublings: &[Edge],
) -> (Word, Edge) {
    let precision = layout.precision;
    let two = word::constant(2, doublings.len());
    let (power, enough) = word::add_carry(g, doublings, &word::not(&two), Edge::TRUE);
    let power = word::mask(g, enough, &power);
    let power = power_of_two(g, &power, b);
    let product = word::multiply_full(g, a, &power);
    let product = reduce(g, &product, b);

    let small = word::zero_extend(a, precision + 2);
    let doubled = word::concat(&[Edge::FALSE], &small[..=precision]);
    let few = word::ite(g, doublings[0], &doubled, &small);
    let many = word::concat(&word::zeros(2), &product);
    let rest = word::ite(g, enough, &many, &few);

    let twice = word::concat(&[Edge::FALSE], &word::concat(b, &[Edge::FALSE]));
    let (difference, odd) = word::add_carry(g, &rest, &word::not(&twice), Edge::TRUE);
    let rest = word::ite(g, odd, &difference, &rest);
    (rest[..=precision].to_vec(), odd)
}

/// 2^number mod b: the highest bits of the number give a power directly, each further bit a
/// squaring and perhaps a doubling.
fn power_of_two(g: &mut Aig, number: &[Edge], b: &[Edge]) -> Word {
    // As many bits as keep the first power not much wider than the divisor.
    let direct = (b.len().next_power_of_two().trailing_zeros() as usize).min(number.len());
    let (low, high) = number.split_at(number.len() - direct);
    let mut hot = vec![Edge::TRUE];
    for bit in high {
        let off = word::mask(g, !*bit, &hot);
        hot = word::concat(&off, &word::mask(g, *bit, &hot));
    }
    let mut power = reduce(g, &hot, b);
    for bit in low.iter().rev() {
        let square = word::concat(&word::square_full(g, &power), &[Edge::FALSE]);
        let doubled = word::concat(&[Edge::FALSE], &square[..square.len() - 1]);
        let next = word::ite(g, *bit, &doubled, &square);
        power = reduce(g, &next, b);
    }
    power
}

/// a mod b, where b's highest bit is one.
fn reduce(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    let precision = b.len();
    let divisor = word::not(&word::concat(b, &[Edge::FALSE]));
    // So many bits are below b at once.
    let whole = (precision - 1).min(a.len());
    let (low, high) = a.split_at(a.len() - whole);
    let mut rest = word::zero_extend(high, precision);
    for bit in low.iter().rev() {
        let next = word::concat(&[*bit], &rest);
        let (difference, fits) = word::add_carry(g, &next, &divisor, Edge::TRUE);
        rest = word::ite(g, fits, &difference[..precision], &next[..precision]);
    }
    rest
}
