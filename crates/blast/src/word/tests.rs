//! Every operator against native integers: all inputs up to width 5, random ones up to 64.

use super::*;
use aig::simulate::Words;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

type Circuit = fn(&mut Aig, &[Edge], &[Edge]) -> Word;
type Reference = fn(u128, u128, u32) -> u128;

fn ones(width: u32) -> u128 {
    if width == 128 { u128::MAX } else { (1 << width) - 1 }
}

fn signed(a: u128, width: u32) -> i128 {
    (a as i128) << (128 - width) >> (128 - width)
}

fn bit(edge: Edge) -> Word {
    vec![edge]
}

/// Builds the circuit on two inputs of one width and compares it on all pairs given.
fn check(name: &str, width: u32, pairs: &[(u128, u128)], circuit: Circuit, reference: Reference) {
    let mut g = Aig::new();
    let a = inputs(&mut g, width as usize);
    let b = inputs(&mut g, width as usize);
    let out = circuit(&mut g, &a, &b);
    for chunk in pairs.chunks(64) {
        let words = Words::simulate(&g, |i| {
            chunk.iter().enumerate().fold(0, |word, (p, (a, b))| {
                let bits = if i < width as usize { a >> i } else { b >> (i - width as usize) };
                word | ((bits & 1) as u64) << p
            })
        });
        for (p, (a, b)) in chunk.iter().enumerate() {
            let found = out
                .iter()
                .enumerate()
                .fold(0, |sum, (i, e)| sum | u128::from(words.word(*e) >> p & 1) << i);
            let expected = reference(*a, *b, width) & ones(out.len() as u32);
            assert_eq!(found, expected, "{name} of {a:#x} and {b:#x} at width {width}");
        }
    }
}

fn random(rng: &mut StdRng, width: u32) -> u128 {
    let any: u128 = rng.random();
    let number = match rng.random_range(0..6) {
        0 => any >> rng.random_range(0..128),
        1 => !(any >> rng.random_range(0..128)),
        2 => 1 << rng.random_range(0..128),
        3 => rng.random_range(0..70),
        _ => any,
    };
    number & ones(width)
}

/// All pairs for small widths, random ones for larger.
fn check_all(name: &str, circuit: Circuit, reference: Reference) {
    for width in 1..=5 {
        let range = 0..=ones(width);
        let pairs: Vec<_> =
            range.clone().flat_map(|a| range.clone().map(move |b| (a, b))).collect();
        check(name, width, &pairs, circuit, reference);
    }
    let mut rng = StdRng::seed_from_u64(7);
    for width in [6, 7, 8, 11, 16, 17, 24, 31, 32, 33, 48, 53, 63, 64] {
        let pairs: Vec<_> =
            (0..192).map(|_| (random(&mut rng, width), random(&mut rng, width))).collect();
        check(name, width, &pairs, circuit, reference);
    }
}

#[test]
fn bitwise() {
    check_all("and", and, |a, b, _| a & b);
    check_all("or", or, |a, b, _| a | b);
    check_all("xor", xor, |a, b, _| a ^ b);
    check_all("not", |_, a, _| not(a), |a, _, _| !a);
    check_all("ite", |g, a, b| ite(g, a[0], a, b), |a, b, _| if a & 1 == 1 { a } else { b });
    check_all("concat", |_, a, b| concat(a, b), |a, b, w| a | b << w);
    check_all("zero extend", |_, a, _| zero_extend(a, a.len() + 3), |a, _, _| a);
    check_all("sign extend", |_, a, _| sign_extend(a, a.len() + 3), |a, _, w| signed(a, w) as u128);
}

#[test]
fn reductions() {
    check_all("any", |g, a, _| bit(any(g, a)), |a, _, _| u128::from(a != 0));
    check_all("is zero", |g, a, _| bit(is_zero(g, a)), |a, _, _| u128::from(a == 0));
    check_all("all", |g, a, _| bit(all(g, a)), |a, _, w| u128::from(a == ones(w)));
    check_all("parity", |g, a, _| bit(parity(g, a)), |a, _, _| u128::from(a.count_ones() % 2));
}

#[test]
fn comparisons() {
    check_all("equal", |g, a, b| bit(equal(g, a, b)), |a, b, _| u128::from(a == b));
    check_all("less", |g, a, b| bit(less(g, a, b)), |a, b, _| u128::from(a < b));
    check_all("less equal", |g, a, b| bit(less_equal(g, a, b)), |a, b, _| u128::from(a <= b));
    check_all(
        "signed less",
        |g, a, b| bit(signed_less(g, a, b)),
        |a, b, w| u128::from(signed(a, w) < signed(b, w)),
    );
    check_all(
        "signed less equal",
        |g, a, b| bit(signed_less_equal(g, a, b)),
        |a, b, w| u128::from(signed(a, w) <= signed(b, w)),
    );
    check_all("maximum", add::maximum, |a, b, _| a.max(b));
}

#[test]
fn addition() {
    check_all("add", add, |a, b, _| a.wrapping_add(b));
    check_all("subtract", subtract, |a, b, _| a.wrapping_sub(b));
    check_all("negate", |g, a, _| negate(g, a), |a, _, _| a.wrapping_neg());
    check_all("absolute", |g, a, _| absolute(g, a), |a, _, w| signed(a, w).unsigned_abs());
    check_all(
        "add with carry",
        |g, a, b| {
            let (mut sum, carry) = add_carry(g, a, b, a[0]);
            sum.push(carry);
            sum
        },
        |a, b, _| a + b + (a & 1),
    );
    check_all(
        "increment",
        |g, a, b| {
            let (mut sum, carry) = increment(g, a, b[0]);
            sum.push(carry);
            sum
        },
        |a, b, _| a + (b & 1),
    );
}

#[test]
fn multiplication() {
    check_all("multiply", multiply, |a, b, _| a.wrapping_mul(b));
    check_all("multiply in full", multiply_full, |a, b, _| a * b);
    check_all("square", |g, a, _| square_full(g, a), |a, _, _| a * a);
    check_all("square, cut", |g, a, _| multiply(g, a, a), |a, _, _| a.wrapping_mul(a));
}

#[test]
fn multiplication_by_constants() {
    let mut rng = StdRng::seed_from_u64(11);
    for width in [1, 2, 3, 4, 5, 8, 13, 32, 64] {
        for _ in 0..20 {
            let c = random(&mut rng, width);
            let mut g = Aig::new();
            let a = inputs(&mut g, width as usize);
            let c_word = constant(c as i128, width as usize);
            let full = multiply_full(&mut g, &a, &c_word);
            let swapped = multiply_full(&mut g, &c_word, &a);
            assert_eq!(full, swapped);
            let values: Vec<u128> = (0..64).map(|_| random(&mut rng, width)).collect();
            let words = Words::simulate(&g, |i| {
                (0..64).fold(0, |word, p| word | ((values[p] >> i & 1) as u64) << p)
            });
            for (p, value) in values.iter().enumerate() {
                let found = full
                    .iter()
                    .enumerate()
                    .fold(0, |sum, (i, e)| sum | u128::from(words.word(*e) >> p & 1) << i);
                assert_eq!(found, value * c, "{value} · {c} at width {width}");
            }
        }
    }
}

#[test]
fn division() {
    let quotient: Circuit = |g, a, b| divide(g, a, b).0;
    let remainder: Circuit = |g, a, b| divide(g, a, b).1;
    check_all("quotient", quotient, |a, b, w| a.checked_div(b).unwrap_or(ones(w)));
    check_all("remainder", remainder, |a, b, _| a.checked_rem(b).unwrap_or(a));
    check_all("signed quotient", signed_divide, |a, b, w| {
        let (a, b) = (signed(a, w), signed(b, w));
        let by_zero = if a < 0 { 1 } else { -1 };
        a.checked_div(b).unwrap_or(by_zero) as u128
    });
    check_all("signed remainder", signed_remainder, |a, b, w| {
        let (a, b) = (signed(a, w), signed(b, w));
        a.checked_rem(b).unwrap_or(a) as u128
    });
    check_all("signed modulo", signed_modulo, |a, b, w| {
        let (a, b) = (signed(a, w), signed(b, w));
        let r = a.checked_rem(b).unwrap_or(a);
        (if b != 0 && r != 0 && (r < 0) != (b < 0) { r + b } else { r }) as u128
    });
}

#[test]
fn shifts() {
    check_all("shift left", shift_left, |a, b, w| if b >= u128::from(w) { 0 } else { a << b });
    check_all("shift right", shift_right, |a, b, w| if b >= u128::from(w) { 0 } else { a >> b });
    check_all("signed shift right", shift_right_signed, |a, b, w| {
        (signed(a, w) >> b.min(127)) as u128
    });
    check_all(
        "sticky shift right",
        |g, a, b| {
            let (mut out, sticky) = shift_right_sticky(g, a, b);
            out.push(sticky);
            out
        },
        |a, b, w| {
            let shifted = if b >= 128 { 0 } else { a >> b };
            let lost = if b >= 128 { a } else { a & ((1 << b) - 1) };
            shifted | u128::from(lost != 0) << w
        },
    );
}

#[test]
fn leading_zeros_and_normalization() {
    check_all(
        "leading zeros",
        |g, a, _| leading_zeros(g, a),
        |a, _, w| u128::from(a.leading_zeros() - (128 - w)),
    );
    check_all(
        "normalize",
        |g, a, _| normalize(g, a).0,
        |a, _, w| {
            if a == 0 { 0 } else { a << (a.leading_zeros() - (128 - w)) }
        },
    );
}

/// Gates are the currency: these bounds catch a change that spends them.
#[test]
fn sizes() {
    let gates = |circuit: Circuit, width: usize| {
        let mut g = Aig::new();
        let a = inputs(&mut g, width);
        let b = inputs(&mut g, width);
        let before = g.len();
        circuit(&mut g, &a, &b);
        g.len() - before
    };
    assert!(gates(add, 32) <= 7 * 32);
    assert!(gates(subtract, 32) <= 7 * 32);
    assert!(gates(multiply, 32) <= 4 * 32 * 32);
    assert!(gates(|g, a, b| divide(g, a, b).0, 32) <= 6 * 32 * 32);
}
