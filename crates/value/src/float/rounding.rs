//! The five rounding modes.

use std::fmt;
use std::str::FromStr;

/// How a real number that is not in the format becomes one that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rounding {
    /// `RNE`: to the nearest; of two equally near, to the one with an even significand.
    NearestEven,
    /// `RNA`: to the nearest; of two equally near, to the one of greater magnitude.
    NearestAway,
    /// `RTP`: to the nearest that is not less.
    TowardPositive,
    /// `RTN`: to the nearest that is not greater.
    TowardNegative,
    /// `RTZ`: to the nearest that is not greater in magnitude.
    TowardZero,
}

impl Rounding {
    /// All modes, in SMT-LIB's order.
    pub const ALL: [Rounding; 5] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::TowardPositive,
        Rounding::TowardNegative,
        Rounding::TowardZero,
    ];

    /// SMT-LIB's short name, `RNE` and so on.
    pub const fn name(self) -> &'static str {
        match self {
            Rounding::NearestEven => "RNE",
            Rounding::NearestAway => "RNA",
            Rounding::TowardPositive => "RTP",
            Rounding::TowardNegative => "RTN",
            Rounding::TowardZero => "RTZ",
        }
    }

    /// Whether a magnitude k + δ with 0 ≤ δ < 1 is rounded to k + 1 rather than k, where `odd`
    /// tells about k, `half` whether δ ≥ ½, and `rest` whether δ is neither 0 nor ½.
    #[inline]
    pub(super) fn increments(self, negative: bool, odd: bool, half: bool, rest: bool) -> bool {
        match self {
            Rounding::NearestEven => half && (rest || odd),
            Rounding::NearestAway => half,
            Rounding::TowardPositive => !negative && (half || rest),
            Rounding::TowardNegative => negative && (half || rest),
            Rounding::TowardZero => false,
        }
    }

    /// Whether a magnitude beyond the greatest finite one becomes infinite.
    #[inline]
    pub(super) fn overflows_to_infinity(self, negative: bool) -> bool {
        self.increments(negative, true, true, true)
    }
}

/// The short name: `RNE`, `RNA`, `RTP`, `RTN`, `RTZ`.
impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no rounding mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a rounding mode")]
pub struct ParseRoundingError(pub String);

/// Reads the short (`RNE`) and the long (`roundNearestTiesToEven`) names of SMT-LIB.
impl FromStr for Rounding {
    type Err = ParseRoundingError;

    fn from_str(text: &str) -> Result<Rounding, ParseRoundingError> {
        Ok(match text {
            "RNE" | "roundNearestTiesToEven" => Rounding::NearestEven,
            "RNA" | "roundNearestTiesToAway" => Rounding::NearestAway,
            "RTP" | "roundTowardPositive" => Rounding::TowardPositive,
            "RTN" | "roundTowardNegative" => Rounding::TowardNegative,
            "RTZ" | "roundTowardZero" => Rounding::TowardZero,
            _ => return Err(ParseRoundingError(text.to_owned())),
        })
    }
}
