//! Results of `math.h` against their enclosures: the correctly rounded ones, and those of the C library
//! that Rust's `f32` and `f64` call here.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use value::curve::enclosure::{Enclosure, Shape, trend};
use value::{Curve, Float, Format};

/// How far from the correctly rounded result this system's library may be.
const ERROR: u32 = 4;

/// Random points of a format, and all special ones.
fn points(format: Format, count: usize, random: &mut StdRng) -> Vec<Float> {
    let of = |x: f64| Float::from_f64(x).to_format(format, value::Rounding::NearestEven);
    let mut points: Vec<Float> = [0.0, 1.0, 0.5, 2.0, 3.0, std::f64::consts::PI].map(of).to_vec();
    points.extend([
        Float::min_subnormal(format, false),
        Float::min_normal(format, false),
        Float::max_finite(format, false),
        of(1.0).next_up(),
        of(1.0).next_down(),
    ]);
    for k in 1..20 {
        let turn = of(f64::from(k) * std::f64::consts::FRAC_PI_2);
        points.extend([turn.next_down(), turn.next_up(), turn]);
    }
    let negative: Vec<Float> = points.iter().map(Float::neg).collect();
    points.extend(negative);
    for _ in 0..count {
        let bits = value::Bits::from_u64(64, random.random()).extract(format.width() - 1, 0);
        points.push(Float::from_bits(format, &bits));
        points.push(of(random.random_range(-20.0..20.0)));
        points.push(of(random.random_range(-1.0..1.0)));
    }
    points.retain(|x| x.is_finite() && !x.is_zero());
    points
}

/// Whether an argument is one that a table is about.
fn in_domain(shape: &Shape, x: &Float) -> bool {
    let x =
        x.to_format(Format::F64, value::Rounding::NearestEven).to_f64().expect("it is a double");
    match shape {
        Shape::Of(Curve::Log | Curve::Log2 | Curve::Log10) => x > 0.0,
        Shape::PowerOf(y) => x > 0.0 || y.round_to_integral(value::Rounding::TowardZero).ieee_eq(y),
        Shape::Of(Curve::Acos | Curve::Asin) => x.abs() <= 1.0,
        Shape::Of(Curve::Atanh) => x.abs() < 1.0,
        Shape::Of(Curve::Acosh) => x >= 1.0,
        Shape::Of(Curve::Log1p) => x > -1.0,
        _ => true,
    }
}

/// What this system's C library says.
fn of_system(curve: Curve, x: &Float) -> Option<Float> {
    macro_rules! call {
        ($($curve:ident $name:ident),*) => {
            match (curve, x.to_f32(), x.to_f64()) {
                $((Curve::$curve, Some(x), _) => Some(Float::from_f32(x.$name())),
                (Curve::$curve, _, Some(x)) => Some(Float::from_f64(x.$name())),)*
                _ => None,
            }
        };
    }
    call!(
        Acos acos, Asin asin, Atan atan, Cbrt cbrt, Cos cos, Cosh cosh, Exp exp, Exp2 exp2,
        Expm1 exp_m1, Log ln, Log10 log10, Log1p ln_1p, Log2 log2, Sin sin, Sinh sinh, Tan tan,
        Tanh tanh
    )
}

fn shapes() -> Vec<Shape> {
    let unary = Curve::all().into_iter().filter(|curve| curve.arity() == 1).map(Shape::Of);
    let mut shapes: Vec<Shape> = unary.collect();
    for fixed in [0.19, 2.0, -1.0, 3.0, 0.5, -0.25] {
        shapes.push(Shape::PowerOf(Float::from_f32(fixed)));
        shapes.push(Shape::PowerOf(Float::from_f64(f64::from(fixed))));
    }
    for base in [2.0, 10.0, 0.5, 1.0625] {
        shapes.push(Shape::PowerTo(Float::from_f32(base)));
        shapes.push(Shape::PowerTo(Float::from_f64(f64::from(base))));
    }
    shapes
}

#[test]
fn results_lie_in_their_enclosures() {
    let mut random = StdRng::seed_from_u64(11);
    let count = std::env::var("CURVE_POINTS").map_or(600, |n| n.parse().expect("it is a number"));
    for format in [Format::F32, Format::F64] {
        let points = points(format, count, &mut random);
        for shape in shapes() {
            let fixed = match &shape {
                Shape::PowerOf(fixed) | Shape::PowerTo(fixed) => Some(fixed.format()),
                Shape::Of(_) => None,
            };
            if fixed.is_some_and(|fixed| fixed != format) {
                continue;
            }
            let exact = Enclosure::new(&shape, format, 0).expect("it is computed");
            let wide = Enclosure::new(&shape, format, ERROR).expect("it is computed");
            for x in points.iter().filter(|x| in_domain(&shape, x)) {
                let result = shape.value(x).expect("it is computed");
                assert!(exact.contains(x, &result), "{shape:?} of {x:?}: {result:?}");
                assert!(wide.contains(x, &result), "{shape:?} of {x:?}: {result:?}");
                let Shape::Of(curve) = shape else { continue };
                let Some(result) = of_system(curve, x) else { continue };
                assert!(wide.contains(x, &result), "library's {shape:?} of {x:?}: {result:?}");
            }
        }
    }
}

#[test]
fn enclosures_are_tight_enough_to_say_something() {
    let sine = Enclosure::new(&Shape::Of(Curve::Sin), Format::F32, ERROR).expect("it is computed");
    let contains = |x: f32, y: f32| sine.contains(&Float::from_f32(x), &Float::from_f32(y));
    assert!(contains(0.5, 0.479_425_54) && contains(-0.5, -0.479_425_54));
    assert!(!contains(0.5, 0.6) && !contains(0.5, 0.3) && !contains(-0.5, 0.479_425_54));
    assert!(!contains(1.57, 1.000_001), "a sine does not exceed one");
    assert!(contains(1.0e9, -1.0) && !contains(1.0e9, 1.5));
    let log = Enclosure::new(&Shape::Of(Curve::Log), Format::F64, ERROR).expect("it is computed");
    assert!(!log.contains(&Float::from_f64(1.01), &Float::from_f64(-1e-9)));
}

#[test]
fn results_follow_their_trends() {
    let mut random = StdRng::seed_from_u64(12);
    for format in [Format::F32, Format::F64] {
        let points = points(format, 300, &mut random);
        for curve in Curve::all().into_iter().filter(|curve| curve.arity() == 1) {
            let shape = Shape::Of(curve);
            let known = points.iter().filter(|x| in_domain(&shape, x));
            let known: Vec<(&Float, Float)> =
                known.filter_map(|x| Some((x, shape.value(x)?))).collect();
            for (at, here) in known.iter().step_by(7) {
                let Some(trend) = trend(curve, at) else { continue };
                assert!(trend.from.leq(at) && at.leq(&trend.to), "{curve:?} at {at:?}");
                for (x, there) in &known {
                    if !(trend.from.leq(x) && x.leq(&trend.to)) {
                        continue;
                    }
                    let (low, high) = if x.leq(at) { (there, here) } else { (here, there) };
                    let follows = if trend.rises { low.leq(high) } else { high.leq(low) };
                    assert!(follows, "{curve:?} at {at:?} and {x:?}");
                }
            }
        }
    }
}
