//! Every operator against exact bit-vectors: all inputs up to width 5, random ones up to 130.

use super::*;
use crate::simulation::{Circuit, all as all_inputs, random_bits};
use rand::SeedableRng;
use rand::rngs::StdRng;
use value::Bits;

type Operator = fn(&mut Aig, &[Edge], &[Edge]) -> Word;
type Reference = fn(&Bits, &Bits) -> Bits;

fn bit(edge: Edge) -> Word {
    vec![edge]
}

fn truth(value: bool) -> Bits {
    Bits::from_bool(value)
}

/// All pairs for small widths, random ones for larger.
fn check(name: &str, operator: Operator, reference: Reference) {
    let circuit =
        |width: u32| Circuit::new(&[width, width], |g, words| operator(g, &words[0], &words[1]));
    for width in 1..=5 {
        let name = format!("{name} at width {width}");
        circuit(width).check(&name, all_inputs(&[width, width]), |a| reference(&a[0], &a[1]));
    }
    let mut rng = StdRng::seed_from_u64(7);
    for width in [6, 7, 8, 11, 16, 17, 24, 31, 32, 33, 53, 64, 65, 100, 128, 129, 130] {
        let name = format!("{name} at width {width}");
        let pairs: Vec<_> = (0..192)
            .map(|_| vec![random_bits(&mut rng, width), random_bits(&mut rng, width)])
            .collect();
        circuit(width).check(&name, pairs, |a| reference(&a[0], &a[1]));
    }
}

#[test]
fn bitwise() {
    check("and", and, |a, b| a.and(b));
    check("or", or, |a, b| a.or(b));
    check("xor", xor, |a, b| a.xor(b));
    check("not", |_, a, _| not(a), |a, _| a.not());
    check("ite", |g, a, b| ite(g, a[0], a, b), |a, b| if a.bit(0) { a } else { b }.clone());
    check("concat", |_, a, b| concat(a, b), |a, b| b.concat(a));
    check("zero extend", |_, a, _| zero_extend(a, a.len() + 3), |a, _| a.zero_extend(3));
    check("sign extend", |_, a, _| sign_extend(a, a.len() + 3), |a, _| a.sign_extend(3));
}

#[test]
fn reductions() {
    check("any", |g, a, _| bit(any(g, a)), |a, _| truth(a.redor()));
    check("is zero", |g, a, _| bit(is_zero(g, a)), |a, _| truth(a.is_zero()));
    check("all", |g, a, _| bit(all(g, a)), |a, _| truth(a.redand()));
    check("parity", |g, a, _| bit(parity(g, a)), |a, _| truth(a.redxor()));
}

#[test]
fn comparisons() {
    check("equal", |g, a, b| bit(equal(g, a, b)), |a, b| truth(a == b));
    check("less", |g, a, b| bit(less(g, a, b)), |a, b| truth(a.ult(b)));
    check("less equal", |g, a, b| bit(less_equal(g, a, b)), |a, b| truth(a.ule(b)));
    check("signed less", |g, a, b| bit(signed_less(g, a, b)), |a, b| truth(a.slt(b)));
    check("signed less equal", |g, a, b| bit(signed_less_equal(g, a, b)), |a, b| truth(a.sle(b)));
}

#[test]
fn addition() {
    check("add", add, |a, b| a.add(b));
    check("subtract", subtract, |a, b| a.sub(b));
    check("negate", |g, a, _| negate(g, a), |a, _| a.neg());
    check("absolute", |g, a, _| absolute(g, a), |a, _| a.abs());
    check(
        "add with carry",
        |g, a, b| {
            let (mut sum, carry) = add_carry(g, a, b, a[0]);
            sum.push(carry);
            sum
        },
        |a, b| {
            let (a, b) = (a.zero_extend(1), b.zero_extend(1));
            let carry = Bits::from_bool(a.bit(0)).resize_unsigned(a.width());
            a.add(&b).add(&carry)
        },
    );
    check(
        "increment",
        |g, a, b| {
            let (mut sum, carry) = increment(g, a, b[0]);
            sum.push(carry);
            sum
        },
        |a, b| {
            let carry = Bits::from_bool(b.bit(0)).resize_unsigned(a.width() + 1);
            a.zero_extend(1).add(&carry)
        },
    );
}

/// The product in full.
fn full(a: &Bits, b: &Bits) -> Bits {
    a.zero_extend(b.width()).mul(&b.zero_extend(a.width()))
}

#[test]
fn multiplication() {
    check("multiply", multiply, |a, b| a.mul(b));
    check("multiply in full", multiply_full, full);
    check("square", |g, a, _| square_full(g, a), |a, _| full(a, a));
    check("square, cut", |g, a, _| multiply(g, a, a), |a, _| a.mul(a));
    check(
        "product of half and whole",
        |g, a, b| multiply_full(g, &a[..a.len().div_ceil(2)], b),
        |a, b| full(&a.resize_unsigned(a.width().div_ceil(2)), b),
    );
}

#[test]
fn multiplication_of_narrow_numbers() {
    fn twice(a: &Bits) -> Bits {
        a.sign_extend(a.width())
    }
    check(
        "signed product in full",
        |g, a, b| multiply(g, &sign_extend(a, 2 * a.len()), &sign_extend(b, 2 * b.len())),
        |a, b| twice(a).mul(&twice(b)),
    );
    check(
        "signed by unsigned",
        |g, a, b| multiply(g, &sign_extend(a, 2 * a.len() + 1), &zero_extend(b, 2 * b.len() + 1)),
        |a, b| a.sign_extend(a.width() + 1).mul(&b.zero_extend(b.width() + 1)),
    );
}

#[test]
fn multiplication_by_constants() {
    let mut rng = StdRng::seed_from_u64(11);
    for width in [1, 2, 3, 4, 5, 8, 13, 32, 64, 130] {
        for _ in 0..20 {
            let constant = random_bits(&mut rng, width);
            let word: Word = constant.iter().map(Edge::constant).collect();
            let circuit = Circuit::new(&[width], |g, words| {
                let product = multiply_full(g, &words[0], &word);
                assert_eq!(product, multiply_full(g, &word, &words[0]));
                product
            });
            let values: Vec<_> = (0..64).map(|_| vec![random_bits(&mut rng, width)]).collect();
            circuit.check("multiply by a constant", values, |a| full(&a[0], &constant));
        }
    }
}

#[test]
fn division() {
    check("quotient", |g, a, b| divide(g, a, b).0, |a, b| a.udiv(b));
    check("remainder", |g, a, b| divide(g, a, b).1, |a, b| a.urem(b));
    check("signed quotient", signed_divide, |a, b| a.sdiv(b));
    check("signed remainder", signed_remainder, |a, b| a.srem(b));
    check("signed modulo", signed_modulo, |a, b| a.smod(b));
}

#[test]
fn shifts() {
    check("shift left", shift_left, |a, b| a.shl(b));
    check("shift right", shift_right, |a, b| a.lshr(b));
    check("signed shift right", shift_right_signed, |a, b| a.ashr(b));
    check(
        "sticky shift right",
        |g, a, b| {
            let (mut out, sticky) = shift_right_sticky(g, a, b);
            out.push(sticky);
            out
        },
        |a, b| {
            let shifted = a.lshr(b);
            let lost = shifted.shl(b) != *a;
            truth(lost).concat(&shifted)
        },
    );
}

#[test]
fn leading_zeros_and_normalization() {
    check(
        "leading zeros",
        |g, a, _| zero_extend(&leading_zeros(g, a), 8),
        |a, _| Bits::from_u128(8, u128::from(a.leading_zeros())),
    );
    check("normalize", |g, a, _| normalize(g, a).0, |a, _| a.shl_by(a.leading_zeros()));
}

/// Gates are the currency: these bounds catch a change that spends them.
#[test]
fn sizes() {
    let gates = |operator: Operator, width: usize| {
        let mut g = Aig::new();
        let a = inputs(&mut g, width);
        let b = inputs(&mut g, width);
        let before = g.len();
        operator(&mut g, &a, &b);
        g.len() - before
    };
    assert!(gates(add, 32) <= 7 * 32);
    assert!(gates(subtract, 32) <= 7 * 32);
    assert!(gates(multiply, 32) <= 4 * 32 * 32);
    assert!(gates(|g, a, b| divide(g, a, b).0, 32) <= 6 * 32 * 32);
}
