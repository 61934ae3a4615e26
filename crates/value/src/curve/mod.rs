//! Functions of `math.h` that IEEE 754 does not define: exponentials, logarithms, angles.
//!
//! C promises no digit of their results. [`Curve::value`] gives the correctly rounded one (by the
//! CORE-MATH library [Sibidanov, Zimmermann, Glondu 2022]), for `float` and `double`; what a library may
//! give beside it is the subject of [`enclosure`].

pub mod enclosure;

use crate::float::{Float, Format};

/// A function of one or two numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Curve {
    /// Arc cosine.
    Acos,
    /// Area hyperbolic cosine.
    Acosh,
    /// Arc sine.
    Asin,
    /// Area hyperbolic sine.
    Asinh,
    /// Arc tangent.
    Atan,
    /// Arc tangent of y/x, by the quadrant of both.
    Atan2,
    /// Area hyperbolic tangent.
    Atanh,
    /// Cube root.
    Cbrt,
    /// Cosine.
    Cos,
    /// Hyperbolic cosine.
    Cosh,
    /// The error function.
    Erf,
    /// One minus the error function.
    Erfc,
    /// Exponential.
    Exp,
    /// A power of ten.
    Exp10,
    /// A power of two.
    Exp2,
    /// Exponential, minus one.
    Expm1,
    /// The length of a vector.
    Hypot,
    /// Natural logarithm.
    Log,
    /// Decimal logarithm.
    Log10,
    /// Natural logarithm of one plus the argument.
    Log1p,
    /// Binary logarithm.
    Log2,
    /// A power.
    Pow,
    /// Sine.
    Sin,
    /// Hyperbolic sine.
    Sinh,
    /// Tangent.
    Tan,
    /// Hyperbolic tangent.
    Tanh,
}

/// Functions of one number: what C calls them for `double`, for both precisions.
type Unary = (Curve, &'static str, fn(f32) -> f32, fn(f64) -> f64);
/// Functions of two.
type Binary = (Curve, &'static str, fn(f32, f32) -> f32, fn(f64, f64) -> f64);

const UNARY: [Unary; 23] = [
    (Curve::Acos, "acos", core_math::acosf, core_math::acos),
    (Curve::Acosh, "acosh", core_math::acoshf, core_math::acosh),
    (Curve::Asin, "asin", core_math::asinf, core_math::asin),
    (Curve::Asinh, "asinh", core_math::asinhf, core_math::asinh),
    (Curve::Atan, "atan", core_math::atanf, core_math::atan),
    (Curve::Atanh, "atanh", core_math::atanhf, core_math::atanh),
    (Curve::Cbrt, "cbrt", core_math::cbrtf, core_math::cbrt),
    (Curve::Cos, "cos", core_math::cosf, core_math::cos),
    (Curve::Cosh, "cosh", core_math::coshf, core_math::cosh),
    (Curve::Erf, "erf", core_math::erff, core_math::erf),
    (Curve::Erfc, "erfc", core_math::erfcf, core_math::erfc),
    (Curve::Exp, "exp", core_math::expf, core_math::exp),
    (Curve::Exp10, "exp10", core_math::exp10f, core_math::exp10),
    (Curve::Exp2, "exp2", core_math::exp2f, core_math::exp2),
    (Curve::Expm1, "expm1", core_math::expm1f, core_math::expm1),
    (Curve::Log, "log", core_math::logf, core_math::log),
    (Curve::Log10, "log10", core_math::log10f, core_math::log10),
    (Curve::Log1p, "log1p", core_math::log1pf, core_math::log1p),
    (Curve::Log2, "log2", core_math::log2f, core_math::log2),
    (Curve::Sin, "sin", core_math::sinf, core_math::sin),
    (Curve::Sinh, "sinh", core_math::sinhf, core_math::sinh),
    (Curve::Tan, "tan", core_math::tanf, core_math::tan),
    (Curve::Tanh, "tanh", core_math::tanhf, core_math::tanh),
];

const BINARY: [Binary; 3] = [
    (Curve::Atan2, "atan2", core_math::atan2f, core_math::atan2),
    (Curve::Hypot, "hypot", core_math::hypotf, core_math::hypot),
    (Curve::Pow, "pow", core_math::powf, core_math::pow),
];

impl Curve {
    /// All of them, in the order of their names.
    pub fn all() -> Vec<Curve> {
        let mut all: Vec<Curve> = UNARY.iter().map(|row| row.0).collect();
        all.extend(BINARY.iter().map(|row| row.0));
        all.sort_unstable();
        all
    }

    /// The function that C calls so for `double`.
    pub fn named(name: &str) -> Option<Curve> {
        Curve::all().into_iter().find(|curve| curve.name() == name)
    }

    /// The function that a call of this name computes, in any of C's precisions.
    pub fn called(name: &str) -> Option<Curve> {
        let stem = || Curve::named(name.strip_suffix(['f', 'l'])?);
        Curve::named(name).or_else(stem)
    }

    /// What C calls it for `double`.
    pub fn name(self) -> &'static str {
        let unary = UNARY.iter().find(|row| row.0 == self).map(|row| row.1);
        let binary = || BINARY.iter().find(|row| row.0 == self).map(|row| row.1);
        unary.or_else(binary).expect("the tables have all functions")
    }

    /// How many numbers it takes.
    pub fn arity(self) -> usize {
        if BINARY.iter().any(|row| row.0 == self) { 2 } else { 1 }
    }

    /// Whether results in the format can be computed.
    pub fn is_computed(format: Format) -> bool {
        format == Format::F32 || format == Format::F64
    }

    /// The correctly rounded result, to nearest even; none in a format that is not computed, or if
    /// there are not as many arguments of one format as it takes.
    pub fn value(self, arguments: &[&Float]) -> Option<Float> {
        match *arguments {
            [x] => self.of_one(x),
            [x, y] => self.of_two(x, y),
            _ => None,
        }
    }

    fn of_one(self, x: &Float) -> Option<Float> {
        let (_, _, single, double) = UNARY.iter().find(|row| row.0 == self)?;
        match (x.to_f32(), x.to_f64()) {
            (Some(x), _) => Some(Float::from_f32(single(x))),
            (_, Some(x)) => Some(Float::from_f64(double(x))),
            _ => None,
        }
    }

    fn of_two(self, x: &Float, y: &Float) -> Option<Float> {
        let (_, _, single, double) = BINARY.iter().find(|row| row.0 == self)?;
        match ((x.to_f32(), y.to_f32()), (x.to_f64(), y.to_f64())) {
            ((Some(x), Some(y)), _) => Some(Float::from_f32(single(x, y))),
            (_, (Some(x), Some(y))) => Some(Float::from_f64(double(x, y))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for curve in Curve::all() {
            assert_eq!(Curve::named(curve.name()), Some(curve));
            let one = Float::from_f32(1.0);
            let arguments = vec![&one; curve.arity()];
            assert!(curve.value(&arguments).is_some(), "{curve:?}");
            assert!(curve.value(&vec![&one; 3 - curve.arity()]).is_none(), "{curve:?}");
        }
    }

    #[test]
    fn values_are_correctly_rounded() {
        let value = |curve: Curve, x: f64| curve.value(&[&Float::from_f64(x)]);
        assert_eq!(value(Curve::Cos, 0.0), Some(Float::from_f64(1.0)));
        assert_eq!(value(Curve::Exp, 1.0), Some(Float::from_f64(std::f64::consts::E)));
        assert_eq!(value(Curve::Acos, -1.0), Some(Float::from_f64(std::f64::consts::PI)));
        let (three, four) = (Float::from_f32(3.0), Float::from_f32(4.0));
        assert_eq!(Curve::Hypot.value(&[&three, &four]), Some(Float::from_f32(5.0)));
        assert_eq!(Curve::Pow.value(&[&three, &four]), Some(Float::from_f32(81.0)));
        assert_eq!(Curve::Pow.value(&[&three, &Float::from_f64(4.0)]), None);
        // The arguments come in C's order: first y, then x.
        let quarter = Curve::Atan2.value(&[&three, &Float::from_f32(0.0)]);
        assert_eq!(quarter, Some(Float::from_f32(std::f32::consts::FRAC_PI_2)));
    }
}
