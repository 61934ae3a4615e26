//! Rounding modes as three bits.
//!
//! The codes are 0 nearest-even, 1 nearest-away, 2 toward +∞, 3 toward −∞, 4 toward zero. A
//! free rounding mode is three inputs of which the codes 5, 6 and 7 mean 4 as well: the low bits
//! are masked by the highest, so that every [`Mode`] holds one of the five codes, no side
//! constraint is needed, and two modes are equal exactly where their bits are.

use aig::{Aig, Edge};
use value::Rounding;

/// A rounding mode, possibly symbolic: the bits of its code, lowest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode([Edge; 3]);

impl Mode {
    /// Round to nearest, ties to even.
    pub const NEAREST_EVEN: Mode = Mode::of_code(0);
    /// Round to nearest, ties away from zero.
    pub const NEAREST_AWAY: Mode = Mode::of_code(1);
    /// Round toward +∞.
    pub const UP: Mode = Mode::of_code(2);
    /// Round toward −∞.
    pub const DOWN: Mode = Mode::of_code(3);
    /// Round toward zero.
    pub const TOWARD_ZERO: Mode = Mode::of_code(4);

    const fn of_code(code: u8) -> Mode {
        const fn bit(set: bool) -> Edge {
            if set { Edge::TRUE } else { Edge::FALSE }
        }
        Mode([bit(code & 1 != 0), bit(code & 2 != 0), bit(code & 4 != 0)])
    }

    /// A constant mode.
    pub const fn constant(rounding: Rounding) -> Mode {
        match rounding {
            Rounding::NearestEven => Mode::NEAREST_EVEN,
            Rounding::NearestAway => Mode::NEAREST_AWAY,
            Rounding::TowardPositive => Mode::UP,
            Rounding::TowardNegative => Mode::DOWN,
            Rounding::TowardZero => Mode::TOWARD_ZERO,
        }
    }

    /// The mode that three bits mean as a code, lowest first.
    pub const fn decode(bits: [bool; 3]) -> Rounding {
        match bits {
            [false, false, false] => Rounding::NearestEven,
            [true, false, false] => Rounding::NearestAway,
            [false, true, false] => Rounding::TowardPositive,
            [true, true, false] => Rounding::TowardNegative,
            [_, _, true] => Rounding::TowardZero,
        }
    }

    /// The mode with any three bits as its code; codes above 4 mean 4.
    pub fn from_bits(g: &mut Aig, bits: [Edge; 3]) -> Mode {
        let [low, middle, high] = bits;
        Mode([g.and(low, !high), g.and(middle, !high), high])
    }

    /// The bits of the code, lowest first; always one of the five codes.
    pub fn bits(&self) -> [Edge; 3] {
        self.0
    }

    /// if c then t else e
    pub fn ite(g: &mut Aig, c: Edge, t: Mode, e: Mode) -> Mode {
        Mode([g.ite(c, t.0[0], e.0[0]), g.ite(c, t.0[1], e.0[1]), g.ite(c, t.0[2], e.0[2])])
    }

    /// Whether this is one of the two nearest modes.
    pub fn is_nearest(&self, g: &mut Aig) -> Edge {
        g.and(!self.0[1], !self.0[2])
    }

    /// Whether this is nearest-even.
    pub fn is_nearest_even(&self, g: &mut Aig) -> Edge {
        let nearest = self.is_nearest(g);
        g.and(nearest, !self.0[0])
    }

    /// Whether this is nearest-away.
    pub fn is_nearest_away(&self, g: &mut Aig) -> Edge {
        g.and(!self.0[1], self.0[0])
    }

    /// Whether this is toward −∞.
    pub fn is_down(&self, g: &mut Aig) -> Edge {
        g.and(self.0[1], self.0[0])
    }

    /// Whether numbers of this sign are rounded away from zero: up and positive, or down and
    /// negative.
    pub fn is_outward(&self, g: &mut Aig, sign: Edge) -> Edge {
        let same = g.iff(self.0[0], sign);
        g.and(self.0[1], same)
    }

    /// Whether a magnitude is rounded up to the next one, given its lowest kept bit, the first
    /// bit cut off, and whether any bit below that is one.
    pub fn increments(
        &self,
        g: &mut Aig,
        sign: Edge,
        lowest: Edge,
        guard: Edge,
        sticky: Edge,
    ) -> Edge {
        let above_tie = g.or(sticky, lowest);
        let away = self.is_nearest_away(g);
        let even = self.is_nearest_even(g);
        let to_even = g.and(even, above_tie);
        let nearest = g.or(away, to_even);
        let nearest = g.and(nearest, guard);
        let inexact = g.or(guard, sticky);
        let outward = self.is_outward(g, sign);
        let directed = g.and(outward, inexact);
        g.or(nearest, directed)
    }
}
