//! Bitwise operators and slices of unsigned numbers.
//!
//! And, or and exclusive or are contracted exactly, digit by digit from the highest: a state says
//! which numbers still run along their bounds, a step chooses a digit of each that the operator
//! allows. Bits that the bounds of a number have in common from the top are known in this way; no
//! others are known of an interval.

use super::Empty;
use crate::keys::{Domain, Interval, Key, ones};
use smallvec::SmallVec;
use term::Op;

/// One of the three operators on vectors of a width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bitwise {
    /// The result for digits a and b is bit 2a + b.
    table: u8,
    width: u32,
}

/// States as a set: a state is six flags, of each number whether it runs along its lower and along
/// its upper bound.
type States = u64;

/// All numbers along both bounds.
const START: States = 1 << 63;

impl Bitwise {
    /// Requires: the operator is one of the three.
    pub fn new(op: &Op, domain: Domain) -> Bitwise {
        let table = match op {
            Op::BvAnd => 0b1000,
            Op::BvOr => 0b1110,
            _ => 0b0110,
        };
        let (Domain::Unsigned(width) | Domain::Signed(width)) = domain else {
            unreachable!("typing: a bit-vector")
        };
        Bitwise { table, width }
    }

    /// Narrows the result and both arguments to the hull of what is possible.
    pub fn contract(self, intervals: &mut [Interval]) -> Result<(), Empty> {
        let numbers = [intervals[0], intervals[1], intervals[2]];
        let alive = self.alive(&numbers)?;
        for (i, interval) in intervals.iter_mut().enumerate() {
            interval.low = self.extreme(&numbers, &alive, i, 0);
            interval.high = self.extreme(&numbers, &alive, i, 1);
        }
        Ok(())
    }

    /// Before each digit, the lowest first, the states from which all digits can be completed; and
    /// those at the start, last.
    fn alive(self, numbers: &[Interval; 3]) -> Result<SmallVec<[States; 65]>, Empty> {
        let mut sets: SmallVec<[States; 65]> = SmallVec::from_elem(0, self.width as usize + 1);
        let top = self.width as usize;
        sets[top] = START;
        for digit in (0..top).rev() {
            sets[digit] = self.step(numbers, digit, sets[digit + 1], None);
        }
        for digit in 0..top {
            let mut kept = 0;
            let mut left = sets[digit + 1];
            while left != 0 {
                let state = left & left.wrapping_neg();
                left ^= state;
                if self.step(numbers, digit, state, None) & sets[digit] != 0 {
                    kept |= state;
                }
            }
            sets[digit + 1] = kept;
        }
        if sets[top] == 0 { Err(Empty) } else { Ok(sets) }
    }

    /// The states after a digit, perhaps with the digit of one number fixed.
    fn step(
        self,
        numbers: &[Interval; 3],
        digit: usize,
        states: States,
        fixed: Option<(usize, u8)>,
    ) -> States {
        let bit = |key: Key| (key >> digit) as u8 & 1;
        let bounds = numbers.map(|number| (bit(number.low), bit(number.high)));
        let mut next = 0;
        for choice in 0..4u8 {
            let digits = [self.table >> choice & 1, choice >> 1, choice & 1];
            if fixed.is_some_and(|(number, digit)| digits[number] != digit) {
                continue;
            }
            let mut left = states;
            while left != 0 {
                let state = left.trailing_zeros() as u8;
                left &= left - 1;
                let mut flags = 0;
                let mut possible = true;
                for (i, (low, high)) in bounds.iter().enumerate() {
                    let along_low = state >> (2 * i) & 1 == 1;
                    let along_high = state >> (2 * i + 1) & 1 == 1;
                    possible &= !(along_low && digits[i] < *low);
                    possible &= !(along_high && digits[i] > *high);
                    flags |= u8::from(along_low && digits[i] == *low) << (2 * i);
                    flags |= u8::from(along_high && digits[i] == *high) << (2 * i + 1);
                }
                if possible {
                    next |= 1 << flags;
                }
            }
        }
        next
    }

    /// The least or the greatest value of a number, by its preferred digits from the top.
    fn extreme(
        self,
        numbers: &[Interval; 3],
        alive: &[States],
        number: usize,
        preferred: u8,
    ) -> Key {
        let mut states = alive[self.width as usize];
        let mut value = 0;
        for digit in (0..self.width as usize).rev() {
            let next = |choice| self.step(numbers, digit, states, Some((number, choice)));
            let wanted = next(preferred) & alive[digit];
            let chosen = if wanted != 0 { preferred } else { 1 - preferred };
            states = if wanted != 0 { wanted } else { next(1 - preferred) & alive[digit] };
            value |= Key::from(chosen) << digit;
        }
        value
    }
}

/// Bits of a number from `low` on, as many as the result has.
pub(super) fn slice(domains: &[Domain], low: u32, intervals: &mut [Interval]) -> Result<(), Empty> {
    let (Domain::Unsigned(width) | Domain::Signed(width)) = domains[0] else {
        unreachable!("typing: a bit-vector")
    };
    let mask = ones(width);
    let part = |key: Key| key >> low & mask;
    let above = |key: Key| key.checked_shr(low + width).unwrap_or(0);
    for _ in 0..2 {
        let [wanted, whole] = [intervals[0], intervals[1]];
        intervals[1] = Interval {
            low: next(whole.low, low, mask, wanted).ok_or(Empty)?,
            high: previous(whole.high, low, mask, wanted).ok_or(Empty)?,
        };
        if intervals[1].is_empty() {
            return Err(Empty);
        }
        let whole = intervals[1];
        if above(whole.low) == above(whole.high) {
            intervals[0] = wanted.meet(Interval::new(part(whole.low), part(whole.high)));
        }
        if intervals[0].is_empty() {
            return Err(Empty);
        }
    }
    Ok(())
}

/// The first number from `key` on whose slice is wanted.
fn next(key: Key, low: u32, mask: Key, wanted: Interval) -> Option<Key> {
    let shifted = key >> low;
    let part = shifted & mask;
    let moved = if wanted.contains(part) {
        return Some(key);
    } else if part < wanted.low {
        shifted - part + wanted.low
    } else {
        (shifted - part).checked_add(mask)?.checked_add(1)?.checked_add(wanted.low)?
    };
    (moved <= Key::MAX >> low).then(|| moved << low)
}

/// The last number up to `key` whose slice is wanted.
fn previous(key: Key, low: u32, mask: Key, wanted: Interval) -> Option<Key> {
    let shifted = key >> low;
    let part = shifted & mask;
    let moved = if wanted.contains(part) {
        return Some(key);
    } else if part > wanted.high {
        shifted - part + wanted.high
    } else {
        (shifted - part).checked_sub(mask)?.checked_sub(1)? + wanted.high
    };
    Some(moved << low | if low == 0 { 0 } else { ones(low) })
}
