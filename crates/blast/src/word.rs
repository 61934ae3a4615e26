//! Circuits on words: the operators of fixed-width binary arithmetic.
//!
//! A word is a slice of edges, least significant bit first, of any width (most operators want
//! at least one bit). The operators here are the bitwise ones, comparisons, and what only moves
//! bits; the submodules hold arithmetic. All circuits are built for SAT solvers: few gates count
//! more than small depth, gates are shared where two outputs can use them, and constant
//! operands fold away.

pub mod add;
pub mod divide;
pub mod multiply;
pub mod shift;

pub use add::{absolute, add, add_carry, half_add, increment, negate, subtract};
pub use divide::{divide, signed_divide, signed_modulo, signed_remainder};
pub use multiply::{multiply, multiply_full, square_full};
pub use shift::{
    leading_zeros, normalize, shift_left, shift_right, shift_right_signed, shift_right_sticky,
};

use aig::{Aig, Edge};

/// An owned word, least significant bit first.
pub type Word = Vec<Edge>;

/// The word of this width with the low bits of a number, or its sign where the width exceeds
/// 128 bits.
pub fn constant(value: i128, width: usize) -> Word {
    (0..width).map(|i| Edge::constant(value >> i.min(127) & 1 == 1)).collect()
}

/// So many zeros.
pub fn zeros(width: usize) -> Word {
    vec![Edge::FALSE; width]
}

/// Fresh inputs.
pub fn inputs(g: &mut Aig, width: usize) -> Word {
    (0..width).map(|_| g.input()).collect()
}

/// The number, if all bits are constants and it fits.
pub fn as_constant(a: &[Edge]) -> Option<u128> {
    a.iter().enumerate().try_fold(0, |sum, (i, e)| match e.as_constant()? {
        false => Some(sum),
        true if i < 128 => Some(sum | 1 << i),
        true => None,
    })
}

/// Bitwise ¬a
pub fn not(a: &[Edge]) -> Word {
    a.iter().map(|e| !*e).collect()
}

/// Bitwise a ∧ b
pub fn and(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    zip(a, b).map(|(a, b)| g.and(a, b)).collect()
}

/// Bitwise a ∨ b
pub fn or(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    zip(a, b).map(|(a, b)| g.or(a, b)).collect()
}

/// Bitwise a ⊕ b
pub fn xor(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    zip(a, b).map(|(a, b)| g.xor(a, b)).collect()
}

/// Every bit of a ∧ the one bit.
pub fn mask(g: &mut Aig, bit: Edge, a: &[Edge]) -> Word {
    a.iter().map(|a| g.and(bit, *a)).collect()
}

/// if c then t else e
pub fn ite(g: &mut Aig, c: Edge, t: &[Edge], e: &[Edge]) -> Word {
    zip(t, e).map(|(t, e)| g.ite(c, t, e)).collect()
}

/// a = b
pub fn equal(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Edge {
    let bits: Word = zip(a, b).map(|(a, b)| g.iff(a, b)).collect();
    g.and_all(bits)
}

/// Unsigned a < b
pub fn less(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Edge {
    less_chain(g, a, b, Edge::FALSE)
}

/// Unsigned a ≤ b
pub fn less_equal(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Edge {
    less_chain(g, a, b, Edge::TRUE)
}

/// Two's-complement a < b
pub fn signed_less(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Edge {
    let (a, b) = (flip_sign(a), flip_sign(b));
    less(g, &a, &b)
}

/// Two's-complement a ≤ b
pub fn signed_less_equal(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Edge {
    let (a, b) = (flip_sign(a), flip_sign(b));
    less_equal(g, &a, &b)
}

/// The word with its sign bit inverted: adds half the range, which turns the signed order into
/// the unsigned one.
fn flip_sign(a: &[Edge]) -> Word {
    let mut a = a.to_vec();
    if let Some(sign) = a.last_mut() {
        *sign = !*sign;
    }
    a
}

/// The borrow of a − b with a borrow in: majority(¬a, b, borrow) from the lowest bit up.
fn less_chain(g: &mut Aig, a: &[Edge], b: &[Edge], borrow: Edge) -> Edge {
    zip(a, b).fold(borrow, |borrow, (a, b)| {
        let generate = g.and(!a, b);
        let stop = g.and(a, !b);
        let pass = g.and(!stop, borrow);
        g.or(generate, pass)
    })
}

/// The word with zeros above, or cut to the width.
pub fn zero_extend(a: &[Edge], width: usize) -> Word {
    resize(a, width, Edge::FALSE)
}

/// The word with copies of its sign above, or cut to the width; an empty word is zero.
pub fn sign_extend(a: &[Edge], width: usize) -> Word {
    resize(a, width, a.last().copied().unwrap_or(Edge::FALSE))
}

fn resize(a: &[Edge], width: usize, fill: Edge) -> Word {
    let mut a = a.to_vec();
    a.resize(width, fill);
    a
}

/// The low word with the high word above.
pub fn concat(low: &[Edge], high: &[Edge]) -> Word {
    [low, high].concat()
}

/// Whether all bits are zero.
pub fn is_zero(g: &mut Aig, a: &[Edge]) -> Edge {
    !any(g, a)
}

/// Whether some bit is one.
pub fn any(g: &mut Aig, a: &[Edge]) -> Edge {
    g.or_all(a.iter().copied())
}

/// Whether all bits are one.
pub fn all(g: &mut Aig, a: &[Edge]) -> Edge {
    g.and_all(a.iter().copied())
}

/// Whether the number of ones is odd.
pub fn parity(g: &mut Aig, a: &[Edge]) -> Edge {
    a.iter().fold(Edge::FALSE, |odd, a| g.xor(odd, *a))
}

/// Both words bit by bit.
fn zip(a: &[Edge], b: &[Edge]) -> impl Iterator<Item = (Edge, Edge)> {
    assert_eq!(a.len(), b.len(), "the words of an operator have one width");
    std::iter::zip(a.to_vec(), b.to_vec())
}

#[cfg(test)]
mod tests;
