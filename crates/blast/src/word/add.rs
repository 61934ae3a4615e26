//! Addition and what follows from it: ripple-carry chains of full adders.
//!
//! A full adder is seven conjunctions: the two halves of each exclusive-or are the products
//! that the carry needs. To share them whatever the polarity of the operands (subtraction
//! inverts one), the exclusive-ors are built here from the edges as they are, not from the plain
//! nodes as [`Aig::xor`] does; for plain operands both are the same nodes.

use super::{Word, zip};
use aig::{Aig, Edge};

/// Sum and carry of two bits.
pub fn half_add(g: &mut Aig, a: Edge, b: Edge) -> (Edge, Edge) {
    let both = g.and(a, b);
    let neither = g.and(!a, !b);
    (g.and(!both, !neither), both)
}

/// Sum and carry of three bits.
pub fn full_add(g: &mut Aig, a: Edge, b: Edge, c: Edge) -> (Edge, Edge) {
    let (a, b, c) = constants_last(a, b, c);
    let (sum, first) = half_add(g, a, b);
    let (sum, second) = half_add(g, sum, c);
    (sum, g.or(first, second))
}

/// A constant among the operands goes last: the other two form the exclusive-or then.
fn constants_last(a: Edge, b: Edge, c: Edge) -> (Edge, Edge, Edge) {
    match (a.as_constant(), b.as_constant()) {
        (Some(_), _) => (b, c, a),
        (_, Some(_)) => (a, c, b),
        _ => (a, b, c),
    }
}

/// a + b + carry, and the carry out.
pub fn add_carry(g: &mut Aig, a: &[Edge], b: &[Edge], mut carry: Edge) -> (Word, Edge) {
    let mut sum = Word::with_capacity(a.len());
    for (a, b) in zip(a, b) {
        let (bit, next) = full_add(g, a, b, carry);
        sum.push(bit);
        carry = next;
    }
    (sum, carry)
}

/// a + b, modulo 2^width
pub fn add(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    add_carry(g, a, b, Edge::FALSE).0
}

/// a − b, modulo 2^width
pub fn subtract(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    add_carry(g, a, &super::not(b), Edge::TRUE).0
}

/// a plus one bit, and the carry out.
pub fn increment(g: &mut Aig, a: &[Edge], bit: Edge) -> (Word, Edge) {
    let mut carry = bit;
    let sum = a
        .iter()
        .map(|a| {
            let (sum, next) = half_add(g, *a, carry);
            carry = next;
            sum
        })
        .collect();
    (sum, carry)
}

/// −a, modulo 2^width
pub fn negate(g: &mut Aig, a: &[Edge]) -> Word {
    // −a flips the bits above the lowest one.
    let mut below = Edge::FALSE;
    a.iter()
        .map(|a| {
            let bit = g.xor(*a, below);
            below = g.or(below, *a);
            bit
        })
        .collect()
}

/// if negative then −a else a
pub fn negate_if(g: &mut Aig, negative: Edge, a: &[Edge]) -> Word {
    let mut below = Edge::FALSE;
    a.iter()
        .map(|a| {
            let flip = g.and(negative, below);
            below = g.or(below, *a);
            g.xor(*a, flip)
        })
        .collect()
}

/// |a| of a two's-complement number, as an unsigned number of the same width.
pub fn absolute(g: &mut Aig, a: &[Edge]) -> Word {
    let negative = a.last().copied().unwrap_or(Edge::FALSE);
    negate_if(g, negative, a)
}
