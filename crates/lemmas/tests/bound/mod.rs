//! Bounds of integer variables as literals: what an IC3 over intervals would use.

use lemmas::Literal;

/// Which side of the variable's values is cut off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// variable ≥ value
    AtLeast,
    /// variable ≤ value
    AtMost,
}

/// A bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bound {
    pub variable: usize,
    pub direction: Direction,
    pub value: i64,
}

impl Bound {
    pub fn holds(&self, value: i64) -> bool {
        match self.direction {
            Direction::AtLeast => value >= self.value,
            Direction::AtMost => value <= self.value,
        }
    }
}

impl Literal for Bound {
    type Subject = (usize, Direction);

    fn subject(&self) -> (usize, Direction) {
        (self.variable, self.direction)
    }

    fn code(&self) -> usize {
        2 * self.variable + usize::from(self.direction == Direction::AtMost)
    }

    fn implies(&self, other: &Self) -> bool {
        self.subject() == other.subject() && other.holds(self.value)
    }

    fn contradicts(&self, next: &Self) -> bool {
        self.variable == next.variable
            && self.direction != next.direction
            && !next.holds(self.value)
    }
}
