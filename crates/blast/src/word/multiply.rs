//! Multiplication: partial products, summed row by row or column by column.
//!
//! The operands are ordered before anything is built, so that a·b and b·a are the same nodes.
//! A constant operand is recoded into its non-adjacent form (digits −1, 0, 1, at most every
//! second one nonzero), one addition or subtraction per nonzero digit. A square has half the
//! partial products: aᵢaⱼ + aⱼaᵢ is aᵢaⱼ one column further.

use super::add::{full_add, negate_if};
use super::{Word, absolute, add, half_add, subtract, zero_extend, zeros};
use aig::{Aig, Edge};

/// a · b, modulo 2^width
pub fn multiply(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    assert_eq!(a.len(), b.len(), "the words of an operator have one width");
    product(g, a, b, a.len())
}

/// a · b in full: as wide as both operands together.
pub fn multiply_full(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    product(g, a, b, a.len() + b.len())
}

/// a · a in full.
pub fn square_full(g: &mut Aig, a: &[Edge]) -> Word {
    product(g, a, a, 2 * a.len())
}

/// a · b, modulo 2^width
fn product(g: &mut Aig, a: &[Edge], b: &[Edge], width: usize) -> Word {
    let (a, b) = if a < b { (a, b) } else { (b, a) };
    if constant_bits(b) {
        return multiply_constant(g, a, b, width);
    }
    if constant_bits(a) {
        return multiply_constant(g, b, a, width);
    }
    if a.len() == width && b.len() == width {
        let (narrow_a, narrow_b) = (signed_width(a), signed_width(b));
        if narrow_a + narrow_b <= width {
            return signed_product(g, &a[..narrow_a], &b[..narrow_b], width);
        }
    }
    let columns = if a == b { square_columns(g, a, width) } else { columns(g, a, b, width) };
    sum_columns(g, columns)
}

/// How many bits a number has, its sign included, if those above repeat the sign.
fn signed_width(a: &[Edge]) -> usize {
    let Some(sign) = a.last() else { return 0 };
    let repeated = a.iter().rev().take_while(|bit| *bit == sign).count();
    a.len() - repeated + 1
}

/// a · b for signed numbers, as wide as asked for: the product of what they are without their signs.
/// A bound on the operands is then one on the number of rows, which a solver sees at once.
fn signed_product(g: &mut Aig, a: &[Edge], b: &[Edge], width: usize) -> Word {
    let (Some(&sign_a), Some(&sign_b)) = (a.last(), b.last()) else { return zeros(width) };
    let (a, b) = (absolute(g, a), absolute(g, b));
    let mut sum = zeros(a.len() + b.len());
    for (i, bit) in b.iter().enumerate() {
        let row: Word = a.iter().map(|a| g.and(*a, *bit)).collect();
        let row = zero_extend(&row, a.len() + 1);
        let high = add(g, &sum[i..i + a.len() + 1], &row);
        sum.splice(i..i + a.len() + 1, high);
    }
    let sign = g.xor(sign_a, sign_b);
    let mut product = zero_extend(&sum, width.max(sum.len()));
    product.truncate(width);
    negate_if(g, sign, &product)
}

fn constant_bits(a: &[Edge]) -> bool {
    a.iter().all(|e| e.as_constant().is_some())
}

/// a · c, modulo 2^width, by the non-adjacent form of the constant c.
fn multiply_constant(g: &mut Aig, a: &[Edge], c: &[Edge], width: usize) -> Word {
    let a = zero_extend(a, width.max(a.len()));
    let mut sum = zeros(width);
    for (i, digit) in non_adjacent_form(c).into_iter().enumerate().take(width) {
        // The bits of the sum below i stay.
        let row = &a[..width - i];
        let high = match digit {
            0 => continue,
            1 => add(g, &sum[i..], row),
            _ => subtract(g, &sum[i..], row),
        };
        sum.truncate(i);
        sum.extend(high);
    }
    sum
}

/// The digits −1, 0, 1 of an unsigned constant, lowest first, one more than it has bits.
fn non_adjacent_form(c: &[Edge]) -> Vec<i8> {
    let bit = |i: usize| c.get(i).is_some_and(|e| *e == Edge::TRUE);
    let mut carry = false;
    let mut digits = Vec::with_capacity(c.len() + 1);
    for i in 0..=c.len() {
        // Here the rest is worth 2·(higher bits) + bit + carry.
        let odd = bit(i) ^ carry;
        let borrow = odd && bit(i + 1);
        digits.push(if !odd {
            0
        } else if borrow {
            -1
        } else {
            1
        });
        carry = (bit(i) && carry) || borrow;
    }
    digits
}

/// The partial products aᵢbⱼ by their weight i + j.
fn columns(g: &mut Aig, a: &[Edge], b: &[Edge], width: usize) -> Vec<Word> {
    let mut columns = vec![Word::new(); width];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate().take(width.saturating_sub(i)) {
            columns[i + j].push(g.and(*a, *b));
        }
    }
    columns
}

fn square_columns(g: &mut Aig, a: &[Edge], width: usize) -> Vec<Word> {
    let mut columns = vec![Word::new(); width];
    for i in 0..a.len() {
        if 2 * i < width {
            columns[2 * i].push(a[i]);
        }
        for j in i + 1..a.len().min((width - 1).saturating_sub(i)) {
            columns[i + j + 1].push(g.and(a[i], a[j]));
        }
    }
    columns
}

/// The sum of all bits, each with the weight of its column, modulo 2^columns.
///
/// Three bits of a column become one and a carry for the next column. Taking the oldest bits
/// first keeps the tree shallow.
fn sum_columns(g: &mut Aig, mut columns: Vec<Word>) -> Word {
    let mut sum = Word::with_capacity(columns.len());
    for i in 0..columns.len() {
        let mut column = std::mem::take(&mut columns[i]);
        column.retain(|e| *e != Edge::FALSE);
        let mut carries = Word::new();
        let mut next = 0;
        while column.len() - next > 2 {
            let (s, c) = full_add(g, column[next], column[next + 1], column[next + 2]);
            next += 3;
            column.push(s);
            carries.push(c);
        }
        match column[next..] {
            [a, b] => {
                let (s, c) = half_add(g, a, b);
                sum.push(s);
                carries.push(c);
            }
            [a] => sum.push(a),
            _ => sum.push(Edge::FALSE),
        }
        if let Some(column) = columns.get_mut(i + 1) {
            column.extend(carries);
        }
    }
    sum
}
