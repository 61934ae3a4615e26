//! Every float operator against the exact reference: all inputs of tiny formats, random inputs
//! of large and odd ones; every rounding mode; operands in every form.

use super::*;
use crate::rounding::Mode;
use crate::simulation::{Circuit, all, random_bits};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use value::{Bits, Float as Value, Rounding};

/// Interchange bits, special ones often, and exponents near each other often.
fn random_float(rng: &mut StdRng, format: Format, near: u128) -> Bits {
    let exponent = match rng.random_range(0..4) {
        0 => random_bits(rng, format.exponent()),
        1 => Bits::from_u128(format.exponent(), rng.random_range(0..3)),
        _ => {
            let around = near.wrapping_add(rng.random_range(0..8)).wrapping_sub(4);
            Bits::from_u128(format.exponent(), around)
        }
    };
    let sign = Bits::from_bool(rng.random());
    sign.concat(&exponent).concat(&random_bits(rng, format.significand() - 1))
}

/// The forms in which operands reach an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Packed,
    Normal,
    Both,
}

const FORMS: [Form; 3] = [Form::Packed, Form::Normal, Form::Both];

fn operand(g: &mut Aig, format: Format, bits: &[Edge], form: Form) -> Float {
    let float = Float::from_bits(g, Layout::of(format), bits);
    if form != Form::Packed {
        float.normal(g);
    }
    let packed = if form == Form::Normal { OnceCell::new() } else { float.packed.clone() };
    Float { packed, ..float }
}

type Operator = fn(&mut Aig, &Mode, &[Float]) -> Word;
type Reference = fn(Rounding, &[Value]) -> Bits;

/// Builds an operator with a symbolic rounding mode and compares it on all inputs given, which
/// end with the code of the mode.
fn check(
    name: &str,
    format: Format,
    forms: &[Form],
    inputs: impl Iterator<Item = Vec<Bits>>,
    operator: Operator,
    reference: Reference,
) {
    let mut widths = vec![format.width(); forms.len()];
    widths.push(3);
    let circuit = Circuit::new(&widths, |g, words| {
        let floats: Vec<Float> = std::iter::zip(words, forms)
            .map(|(bits, form)| operand(g, format, bits, *form))
            .collect();
        let code = &words[forms.len()];
        let mode = Mode::from_bits(g, [code[0], code[1], code[2]]);
        operator(g, &mode, &floats)
    });
    let name = format!("{name} at {format} in forms {forms:?}");
    circuit.check(&name, inputs, |bits| {
        let (code, bits) = bits.split_last().expect("the code is there");
        let mode = Mode::decode([code.bit(0), code.bit(1), code.bit(2)]);
        let floats: Vec<Value> = bits.iter().map(|b| Value::from_bits(format, b)).collect();
        reference(mode, &floats)
    });
}

fn format(exponent: u32, significand: u32) -> Format {
    Format::new(exponent, significand).expect("a valid format")
}

/// All inputs where there are few, in all forms; random ones of many formats.
fn check_all(name: &str, operands: usize, operator: Operator, reference: Reference) {
    let tiny = [(2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 2), (2, 5)];
    for (eb, sb) in tiny {
        let format = format(eb, sb);
        if operands as u32 * format.width() > 15 {
            continue;
        }
        let mut widths = vec![format.width(); operands];
        widths.push(3);
        // The least formats in all forms, the others as inputs come.
        let few = operands as u32 * format.width() <= 12;
        for form in if few { &FORMS[..] } else { &FORMS[..1] } {
            let mut forms = vec![*form; operands];
            check(name, format, &forms, all(&widths), operator, reference);
            if operands > 1 && *form != Form::Both {
                forms[0] = Form::Both;
                check(name, format, &forms, all(&widths), operator, reference);
            }
        }
    }
    let mut rng = StdRng::seed_from_u64(17);
    for (eb, sb) in
        [(5, 11), (8, 8), (8, 24), (11, 53), (4, 20), (2, 30), (9, 3), (3, 4), (5, 8), (15, 64)]
    {
        let format = format(eb, sb);
        let form = FORMS[rng.random_range(0..3)];
        let forms: Vec<Form> =
            (0..operands).map(|_| if rng.random() { form } else { Form::Both }).collect();
        let inputs: Vec<Vec<Bits>> =
            (0..1500).map(|_| random_inputs(&mut rng, format, operands)).collect();
        check(name, format, &forms, inputs.into_iter(), operator, reference);
    }
}

fn random_inputs(rng: &mut StdRng, format: Format, operands: usize) -> Vec<Bits> {
    let near = rng.random();
    let mut inputs: Vec<Bits> = (0..operands).map(|_| random_float(rng, format, near)).collect();
    if operands > 1 && rng.random_range(0..6) == 0 {
        inputs[1] = inputs[0].clone();
    }
    inputs.push(Bits::from_u128(3, rng.random_range(0..8)));
    inputs
}

fn bit(edge: Edge) -> Word {
    vec![edge]
}

#[test]
fn forms_agree() {
    check_all("bits", 1, |g, _, a| a[0].bits(g), |_, a| a[0].to_bits());
    check_all(
        "fields",
        1,
        |g, _, a| {
            let packed = a[0].packed(g).clone();
            let fraction = word::mask(g, !a[0].nan, &packed.fraction);
            word::concat(&fraction, &packed.exponent)
        },
        |_, a| {
            let (_, exponent, fraction) = a[0].fields();
            let fraction = if a[0].is_nan() { Bits::zero(fraction.width()) } else { fraction };
            exponent.concat(&fraction)
        },
    );
}

#[test]
fn classification() {
    check_all(
        "classes",
        1,
        |g, _, a| {
            let a = &a[0];
            vec![
                a.nan,
                a.infinite,
                a.zero,
                a.is_normal(g),
                a.is_subnormal(g),
                a.is_negative(g),
                a.is_positive(g),
                a.is_finite(g),
            ]
        },
        |_, a| {
            let a = &a[0];
            Bits::from_bits(&[
                a.is_nan(),
                a.is_infinite(),
                a.is_zero(),
                a.is_normal(),
                a.is_subnormal(),
                a.is_negative(),
                a.is_positive(),
                a.is_finite(),
            ])
        },
    );
}

#[test]
fn comparisons() {
    check_all(
        "comparisons",
        2,
        |g, _, a| {
            vec![
                less(g, &a[0], &a[1]),
                less_equal(g, &a[0], &a[1]),
                equal(g, &a[0], &a[1]),
                identical(g, &a[0], &a[1]),
            ]
        },
        |_, a| {
            Bits::from_bits(&[
                a[0].lt(&a[1]),
                a[0].leq(&a[1]),
                a[0].ieee_eq(&a[1]),
                a[0].same(&a[1]),
            ])
        },
    );
}

#[test]
fn signs_and_choices() {
    check_all("negate", 1, |g, _, a| a[0].negate().bits(g), |_, a| a[0].neg().to_bits());
    check_all("absolute", 1, |g, _, a| a[0].absolute().bits(g), |_, a| a[0].abs().to_bits());
    check_all(
        "if-then-else",
        2,
        |g, mode, a| Float::ite(g, mode.bits()[0], &a[0], &a[1]).bits(g),
        |mode, a| {
            let first = matches!(mode, Rounding::NearestAway | Rounding::TowardNegative);
            a[usize::from(!first)].to_bits()
        },
    );
}

/// Of zeros with different signs, the mode's lowest bit chooses.
fn open_or(mode: Rounding, a: &[Value], otherwise: Value) -> Bits {
    if a[0].min_max_is_open(&a[1]) {
        let first = matches!(mode, Rounding::NearestAway | Rounding::TowardNegative);
        a[usize::from(!first)].to_bits()
    } else {
        otherwise.to_bits()
    }
}

#[test]
fn extremes() {
    check_all(
        "minimum",
        2,
        |g, mode, a| minimum(g, &a[0], &a[1], mode.bits()[0]).bits(g),
        |mode, a| open_or(mode, a, a[0].min(&a[1])),
    );
    check_all(
        "maximum",
        2,
        |g, mode, a| maximum(g, &a[0], &a[1], mode.bits()[0]).bits(g),
        |mode, a| open_or(mode, a, a[0].max(&a[1])),
    );
}

#[test]
fn addition() {
    check_all(
        "add",
        2,
        |g, mode, a| add(g, mode, &a[0], &a[1]).bits(g),
        |mode, a| a[0].add(&a[1], mode).to_bits(),
    );
    check_all(
        "double",
        1,
        |g, mode, a| add(g, mode, &a[0], &a[0]).bits(g),
        |mode, a| a[0].add(&a[0], mode).to_bits(),
    );
}

#[test]
fn multiplication() {
    check_all(
        "multiply",
        2,
        |g, mode, a| multiply(g, mode, &a[0], &a[1]).bits(g),
        |mode, a| a[0].mul(&a[1], mode).to_bits(),
    );
    check_all(
        "square",
        1,
        |g, mode, a| multiply(g, mode, &a[0], &a[0]).bits(g),
        |mode, a| a[0].mul(&a[0], mode).to_bits(),
    );
}

#[test]
fn division() {
    check_all(
        "divide",
        2,
        |g, mode, a| divide(g, mode, &a[0], &a[1]).bits(g),
        |mode, a| a[0].div(&a[1], mode).to_bits(),
    );
}

#[test]
fn roots() {
    check_all(
        "square root",
        1,
        |g, mode, a| square_root(g, mode, &a[0]).bits(g),
        |mode, a| a[0].sqrt(mode).to_bits(),
    );
}

#[test]
fn fused_multiplication_and_addition() {
    check_all(
        "fma",
        3,
        |g, mode, a| fma(g, mode, &a[0], &a[1], &a[2]).bits(g),
        |mode, a| a[0].fma(&a[1], &a[2], mode).to_bits(),
    );
}

/// Chains exercise the flags that results carry.
#[test]
fn chains() {
    check_all(
        "a·b + a",
        2,
        |g, mode, a| {
            let product = multiply(g, mode, &a[0], &a[1]);
            add(g, mode, &product, &a[0]).bits(g)
        },
        |mode, a| a[0].mul(&a[1], mode).add(&a[0], mode).to_bits(),
    );
    check_all(
        "(a + b)/b < a",
        2,
        |g, mode, a| {
            let sum = add(g, mode, &a[0], &a[1]);
            let quotient = divide(g, mode, &sum, &a[1]);
            bit(less(g, &quotient, &a[0]))
        },
        |mode, a| Bits::from_bool(a[0].add(&a[1], mode).div(&a[1], mode).lt(&a[0])),
    );
    check_all(
        "the classes of a·b − b",
        2,
        |g, mode, a| {
            let product = multiply(g, mode, &a[0], &a[1]);
            let result = add(g, mode, &product, &a[1].negate());
            let identical = identical(g, &result, &a[0]);
            let equal = equal(g, &result, &product);
            vec![
                result.nan,
                result.infinite,
                result.zero,
                result.is_subnormal(g),
                result.is_negative(g),
                identical,
                equal,
            ]
        },
        |mode, a| {
            let product = a[0].mul(&a[1], mode);
            let result = product.add(&a[1].neg(), mode);
            Bits::from_bits(&[
                result.is_nan(),
                result.is_infinite(),
                result.is_zero(),
                result.is_subnormal(),
                result.is_negative(),
                result.same(&a[0]),
                result.ieee_eq(&product),
            ])
        },
    );
}

#[test]
fn integral_values() {
    check_all(
        "round to integral",
        1,
        |g, mode, a| round_to_integral(g, mode, &a[0]).bits(g),
        |mode, a| a[0].round_to_integral(mode).to_bits(),
    );
}

#[test]
fn remainders_by_long_division() {
    let operator: Operator = |g, _, a| {
        super::remainder::remainder_by(g, &a[0], &a[1], super::remainder::long_division).bits(g)
    };
    check_remainders("remainder by long division", operator, 9);
}

#[test]
fn remainders_by_modular_powers() {
    let operator: Operator = |g, _, a| {
        super::remainder::remainder_by(g, &a[0], &a[1], super::remainder::modular_power).bits(g)
    };
    check_remainders("remainder by modular powers", operator, 11);
    check_remainders("remainder", |g, _, a| remainder(g, &a[0], &a[1]).bits(g), 8);
}

fn check_remainders(name: &str, operator: Operator, exponent_bits: u32) {
    let reference: Reference = |_, a| a[0].rem(&a[1]).to_bits();
    for (eb, sb) in [(2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 2), (2, 5)] {
        let format = format(eb, sb);
        let widths = [format.width(), format.width(), 3];
        check(name, format, &[Form::Packed, Form::Normal], all(&widths), operator, reference);
    }
    let mut rng = StdRng::seed_from_u64(23);
    for (eb, sb) in [(5, 11), (8, 8), (8, 24), (11, 53), (4, 20), (2, 30), (9, 3)] {
        if eb > exponent_bits {
            continue;
        }
        let format = format(eb, sb);
        let inputs: Vec<_> = (0..640).map(|_| random_inputs(&mut rng, format, 2)).collect();
        let forms = [Form::Packed, Form::Packed];
        check(name, format, &forms, inputs.into_iter(), operator, reference);
    }
}

/// Each constant mode folds into a circuit of its own.
#[test]
fn constant_modes() {
    for format in [format(3, 3), format(2, 4)] {
        for rounding in Rounding::ALL {
            let mode = Mode::constant(rounding);
            let widths = [format.width(); 2];
            let circuit = Circuit::new(&widths, |g, words| {
                let a = operand(g, format, &words[0], Form::Packed);
                let b = operand(g, format, &words[1], Form::Packed);
                let sum = add(g, &mode, &a, &b).bits(g);
                let product = multiply(g, &mode, &a, &b).bits(g);
                let quotient = divide(g, &mode, &a, &b).bits(g);
                let integral = round_to_integral(g, &mode, &a).bits(g);
                [integral, quotient, product, sum].concat()
            });
            circuit.check(&format!("arithmetic {rounding}"), all(&widths), |bits| {
                let a = Value::from_bits(format, &bits[0]);
                let b = Value::from_bits(format, &bits[1]);
                let [sum, product, quotient] =
                    [a.add(&b, rounding), a.mul(&b, rounding), a.div(&b, rounding)];
                [product, quotient, a.round_to_integral(rounding)]
                    .iter()
                    .fold(sum.to_bits(), |high, low| high.concat(&low.to_bits()))
            });
        }
    }
}

/// A constant operand, in particular a power of two.
#[test]
fn constant_operands() {
    let format = format(4, 4);
    let widths = [format.width(), 3];
    for constant in all(&[format.width()]).step_by(3) {
        let value = Value::from_bits(format, &constant[0]);
        let word: Word = constant[0].iter().map(Edge::constant).collect();
        let circuit = Circuit::new(&widths, |g, words| {
            let a = operand(g, format, &words[0], Form::Packed);
            let c = operand(g, format, &word, Form::Packed);
            let mode = Mode::from_bits(g, [words[1][0], words[1][1], words[1][2]]);
            let sum = add(g, &mode, &a, &c).bits(g);
            let product = multiply(g, &mode, &c, &a).bits(g);
            let quotient = divide(g, &mode, &a, &c).bits(g);
            [quotient, product, sum].concat()
        });
        circuit.check(&format!("arithmetic with {value}"), all(&widths), |bits| {
            let a = Value::from_bits(format, &bits[0]);
            let mode = Mode::decode([bits[1].bit(0), bits[1].bit(1), bits[1].bit(2)]);
            let sum = a.add(&value, mode).to_bits();
            let product = a.mul(&value, mode).to_bits();
            sum.concat(&product).concat(&a.div(&value, mode).to_bits())
        });
    }
}

#[test]
fn conversions_between_formats() {
    let formats = [
        (2, 2),
        (2, 3),
        (3, 2),
        (3, 4),
        (4, 3),
        (5, 11),
        (8, 8),
        (8, 24),
        (11, 53),
        (2, 30),
        (9, 3),
    ];
    let mut rng = StdRng::seed_from_u64(29);
    for (eb, sb) in formats {
        for (target_eb, target_sb) in formats {
            let (from, to) = (format(eb, sb), format(target_eb, target_sb));
            let widths = [from.width(), 3];
            for form in [Form::Packed, Form::Normal] {
                let circuit = Circuit::new(&widths, |g, words| {
                    let a = operand(g, from, &words[0], form);
                    let mode = Mode::from_bits(g, [words[1][0], words[1][1], words[1][2]]);
                    to_format(g, &mode, &a, Layout::of(to)).bits(g)
                });
                let inputs: Vec<Vec<Bits>> = if from.width() < 8 {
                    all(&widths).collect()
                } else {
                    (0..320).map(|_| random_near(&mut rng, from, to)).collect()
                };
                circuit.check(&format!("{from} to {to}"), inputs, |bits| {
                    let mode = Mode::decode([bits[1].bit(0), bits[1].bit(1), bits[1].bit(2)]);
                    Value::from_bits(from, &bits[0]).to_format(to, mode).to_bits()
                });
            }
        }
    }
}

/// A float of one format whose exponent is near the borders of another, and a mode.
fn random_near(rng: &mut StdRng, from: Format, to: Format) -> Vec<Bits> {
    let borders = [to.least_exponent(), to.min_exponent(), to.max_exponent(), 0];
    let border = borders[rng.random_range(0..4)] + from.max_exponent();
    let near = border as i128 as u128;
    vec![random_float(rng, from, near), Bits::from_u128(3, rng.random_range(0..8))]
}

#[test]
fn conversions_from_integers() {
    let mut rng = StdRng::seed_from_u64(31);
    for (eb, sb) in [(2, 2), (2, 3), (3, 4), (5, 11), (8, 24), (11, 53), (2, 30), (9, 3)] {
        for width in [1, 2, 3, 5, 8, 9, 31, 32, 64, 65, 130] {
            let to = format(eb, sb);
            let layout = Layout::of(to);
            let widths = [width, 3];
            let circuit = Circuit::new(&widths, |g, words| {
                let mode = Mode::from_bits(g, [words[1][0], words[1][1], words[1][2]]);
                let unsigned = from_unsigned(g, &mode, &words[0], layout).bits(g);
                let signed = from_signed(g, &mode, &words[0], layout).bits(g);
                word::concat(&signed, &unsigned)
            });
            let inputs: Vec<Vec<Bits>> = if width < 10 {
                all(&widths).collect()
            } else {
                let mode = |rng: &mut StdRng| Bits::from_u128(3, rng.random_range(0..8));
                (0..320).map(|_| vec![random_bits(&mut rng, width), mode(&mut rng)]).collect()
            };
            circuit.check(&format!("{width} bits to {to}"), inputs, |bits| {
                let mode = Mode::decode([bits[1].bit(0), bits[1].bit(1), bits[1].bit(2)]);
                let unsigned = Value::from_ubv(to, mode, &bits[0]).to_bits();
                unsigned.concat(&Value::from_sbv(to, mode, &bits[0]).to_bits())
            });
        }
    }
}

#[test]
fn conversions_to_integers() {
    let mut rng = StdRng::seed_from_u64(37);
    for (eb, sb) in [(2, 2), (2, 3), (3, 4), (4, 4), (5, 11), (8, 24), (11, 53), (2, 30), (9, 3)] {
        for width in [1, 2, 3, 5, 8, 16, 31, 32, 64, 65, 130] {
            let from = format(eb, sb);
            let widths = [from.width(), 3];
            let circuit = Circuit::new(&widths, |g, words| {
                let mode = Mode::from_bits(g, [words[1][0], words[1][1], words[1][2]]);
                let a = operand(g, from, &words[0], Form::Packed);
                let (unsigned, fits) = to_unsigned(g, &mode, &a, width as usize);
                let mut out = word::mask(g, fits, &unsigned);
                out.push(fits);
                let (signed, fits) = to_signed(g, &mode, &a, width as usize);
                out.extend(word::mask(g, fits, &signed));
                out.push(fits);
                out
            });
            let inputs: Vec<Vec<Bits>> = if from.width() < 9 {
                all(&widths).collect()
            } else {
                (0..320).map(|_| random_sized(&mut rng, from, width)).collect()
            };
            circuit.check(&format!("{from} to {width} bits"), inputs, |bits| {
                let mode = Mode::decode([bits[1].bit(0), bits[1].bit(1), bits[1].bit(2)]);
                let a = Value::from_bits(from, &bits[0]);
                let flagged = |found: Option<Bits>| match found {
                    Some(bits) => Bits::from_bool(true).concat(&bits),
                    None => Bits::zero(width + 1),
                };
                flagged(a.to_sbv(width, mode)).concat(&flagged(a.to_ubv(width, mode)))
            });
        }
    }
}

/// A float whose exponent is near that of 1 or of 2^width, and a mode.
fn random_sized(rng: &mut StdRng, from: Format, width: u32) -> Vec<Bits> {
    let border = from.max_exponent() + i64::from(if rng.random() { width } else { 0 });
    let near = border as i128 as u128;
    vec![random_float(rng, from, near), Bits::from_u128(3, rng.random_range(0..8))]
}
