//! Shifts: one layer of multiplexers per bit of the amount.

use super::{Word, any, constant, is_zero, ite, mask};
use aig::{Aig, Edge};

/// How many bits an amount needs to reach every shift below `width`.
fn stages(width: usize) -> usize {
    width.next_power_of_two().trailing_zeros() as usize
}

/// The bits of the amount that matter for `width`, and whether any higher bit is set.
fn split<'a>(g: &mut Aig, amount: &'a [Edge], width: usize) -> (&'a [Edge], Edge) {
    let (low, high) = amount.split_at(stages(width).min(amount.len()));
    (low, any(g, high))
}

/// a · 2^amount, modulo 2^width; zero where the amount is the width or more
pub fn shift_left(g: &mut Aig, a: &[Edge], amount: &[Edge]) -> Word {
    let (low, beyond) = split(g, amount, a.len());
    let mut a = a.to_vec();
    for (k, bit) in low.iter().enumerate() {
        a = ite(g, *bit, &left(&a, 1 << k), &a);
    }
    mask(g, !beyond, &a)
}

/// ⌊a / 2^amount⌋
pub fn shift_right(g: &mut Aig, a: &[Edge], amount: &[Edge]) -> Word {
    shift_right_filled(g, a, amount, Edge::FALSE)
}

/// ⌊a / 2^amount⌋ of a two's-complement number
pub fn shift_right_signed(g: &mut Aig, a: &[Edge], amount: &[Edge]) -> Word {
    let sign = a.last().copied().unwrap_or(Edge::FALSE);
    shift_right_filled(g, a, amount, sign)
}

fn shift_right_filled(g: &mut Aig, a: &[Edge], amount: &[Edge], fill: Edge) -> Word {
    let (low, beyond) = split(g, amount, a.len());
    let mut a = a.to_vec();
    for (k, bit) in low.iter().enumerate() {
        a = ite(g, *bit, &right(&a, 1 << k, fill), &a);
    }
    ite(g, beyond, &vec![fill; a.len()], &a)
}

/// ⌊a / 2^amount⌋, and whether a one was shifted out.
pub fn shift_right_sticky(g: &mut Aig, a: &[Edge], amount: &[Edge]) -> (Word, Edge) {
    let (low, beyond) = split(g, amount, a.len());
    let some = any(g, a);
    let mut sticky = g.and(beyond, some);
    let mut a = a.to_vec();
    for (k, bit) in low.iter().enumerate() {
        let lost = any(g, &a[..a.len().min(1 << k)]);
        let lost = g.and(*bit, lost);
        sticky = g.or(sticky, lost);
        a = ite(g, *bit, &right(&a, 1 << k, Edge::FALSE), &a);
    }
    (mask(g, !beyond, &a), sticky)
}

/// The word moved up by a fixed distance, zeros in.
fn left(a: &[Edge], distance: usize) -> Word {
    let distance = distance.min(a.len());
    let mut moved = vec![Edge::FALSE; distance];
    moved.extend(&a[..a.len() - distance]);
    moved
}

/// The word moved down by a fixed distance.
fn right(a: &[Edge], distance: usize, fill: Edge) -> Word {
    let mut moved = a[distance.min(a.len())..].to_vec();
    moved.resize(a.len(), fill);
    moved
}

/// The word shifted left until its highest bit is one, and by how much. A zero stays zero, and
/// its amount is all ones.
pub fn normalize(g: &mut Aig, a: &[Edge]) -> (Word, Word) {
    let mut a = a.to_vec();
    let mut amount = Word::new();
    for k in (0..stages(a.len())).rev() {
        let distance = 1 << k;
        let bit = is_zero(g, &a[a.len() - distance.min(a.len())..]);
        a = ite(g, bit, &left(&a, distance), &a);
        amount.insert(0, bit);
    }
    (a, amount)
}

/// The number of zeros above the highest one; the width where there is none.
pub fn leading_zeros(g: &mut Aig, a: &[Edge]) -> Word {
    let width = a.len();
    let count = usize::BITS as usize - width.leading_zeros() as usize;
    let (_, mut amount) = normalize(g, a);
    let zero = is_zero(g, a);
    amount.resize(count, Edge::FALSE);
    ite(g, zero, &constant(width as i128, count), &amount)
}
