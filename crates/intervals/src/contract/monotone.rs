//! Operators that are monotone in each argument on cells of their domains.
//!
//! The box is cut into products of cells. On one of them the least and the greatest result are
//! those at two corners. Backwards, a bound of an argument is the first value at which the corner's
//! result reaches the bound of the result, found by search: so rounding, subnormals and signs of
//! zeros are exactly those of the operator. What all products leave is joined.

use super::functions::Function;
use super::{Boxes, Empty};
use crate::keys::{Interval, Key};
use smallvec::SmallVec;

/// The cells of one argument.
type Cells = SmallVec<[Interval; 8]>;
type Corner = SmallVec<[Key; 4]>;

/// Narrows the result, which comes first, and the arguments.
///
/// `same` names two arguments that always have one value.
pub(super) fn contract(
    function: &Function,
    same: Option<(usize, usize)>,
    intervals: &mut [Interval],
) -> Result<(), Empty> {
    let (result, args) = intervals.split_first().expect("the result comes first");
    let cells: SmallVec<[Cells; 4]> =
        (0..args.len()).map(|i| cut(args[i], &function.cuts(args, i))).collect();
    let mut joined: Boxes = SmallVec::from_elem(Interval::EMPTY, intervals.len());
    let mut place: SmallVec<[usize; 4]> = SmallVec::from_elem(0, args.len());
    loop {
        let mut product: Boxes = SmallVec::new();
        product.push(*result);
        product.extend(place.iter().zip(&cells).map(|(i, cells)| cells[*i]));
        // What is one value is in cells of both.
        let mut possible = true;
        if let Some((i, j)) = same {
            let both = product[i + 1].meet(product[j + 1]);
            (product[i + 1], product[j + 1]) = (both, both);
            possible = !both.is_empty();
        }
        if possible && narrow(function, &mut product).is_ok() {
            for (all, part) in joined.iter_mut().zip(&product) {
                *all = all.join(*part);
            }
        }
        // The next product.
        let Some(i) = (0..place.len()).find(|i| place[*i] + 1 < cells[*i].len()) else { break };
        place[i] += 1;
        place[..i].fill(0);
    }
    if joined[0].is_empty() {
        return Err(Empty);
    }
    intervals.copy_from_slice(&joined);
    Ok(())
}

/// Cuts an interval where cells begin; these come in rising order.
fn cut(interval: Interval, begins: &[Key]) -> Cells {
    let mut cells = Cells::new();
    let mut low = interval.low;
    for begin in begins {
        if low < *begin && *begin <= interval.high {
            cells.push(Interval::new(low, begin - 1));
            low = *begin;
        }
    }
    cells.push(Interval::new(low, interval.high));
    cells
}

/// The corners with the least and the greatest result.
fn corners(function: &Function, args: &[Interval]) -> (Corner, Corner) {
    let mut least = Corner::new();
    let mut greatest = Corner::new();
    for (i, interval) in args.iter().enumerate() {
        let (low, high) = (interval.low, interval.high);
        let rises = low == high || function.rises(args, i);
        least.push(if rises { low } else { high });
        greatest.push(if rises { high } else { low });
    }
    (least, greatest)
}

/// Narrows a product of cells.
fn narrow(function: &Function, product: &mut [Interval]) -> Result<(), Empty> {
    let wanted = product[0];
    let (mut least, mut greatest) = corners(function, &product[1..]);
    let results =
        Interval { low: function.apply(&least).low, high: function.apply(&greatest).high };
    product[0] = wanted.meet(results);
    if product[0].is_empty() {
        return Err(Empty);
    }
    if wanted.low <= results.low && results.high <= wanted.high {
        return Ok(());
    }
    for i in 0..least.len() {
        let interval = product[i + 1];
        if interval.low == interval.high {
            continue;
        }
        let rises = least[i] == interval.low;
        // The greatest result, as far as this argument goes, must reach the least that is wanted;
        // it does at the argument's own corner.
        let own = greatest[i];
        let reaches = |key: Key| {
            greatest[i] = key;
            function.apply(&greatest).high >= wanted.low
        };
        let inner = if wanted.low > results.low {
            if rises {
                first(interval.low, interval.high, reaches)
            } else {
                last(interval.low, interval.high, reaches)
            }
        } else {
            least[i]
        };
        greatest[i] = own;
        // The least result must not be above the greatest that is wanted.
        let own = least[i];
        let stays = |key: Key| {
            least[i] = key;
            function.apply(&least).low <= wanted.high
        };
        let outer = if wanted.high < results.high {
            if rises {
                last(interval.low, interval.high, stays)
            } else {
                first(interval.low, interval.high, stays)
            }
        } else {
            greatest[i]
        };
        least[i] = own;
        let narrowed =
            if rises { Interval::new(inner, outer) } else { Interval::new(outer, inner) };
        if narrowed.is_empty() {
            return Err(Empty);
        }
        product[i + 1] = narrowed;
        (least[i], greatest[i]) =
            if rises { (narrowed.low, narrowed.high) } else { (narrowed.high, narrowed.low) };
    }
    Ok(())
}

/// The first key at which a condition holds that holds from some key on, and at `high`.
fn first(low: Key, high: Key, mut holds: impl FnMut(Key) -> bool) -> Key {
    if holds(low) {
        return low;
    }
    // It does not hold at `below`, and does at `above`.
    let (mut below, mut above) = (low, high);
    // A bound moves little more often than far.
    let mut step = 1;
    while above - below > step {
        if holds(below + step) {
            above = below + step;
            break;
        }
        below += step;
        step = step.saturating_mul(16);
    }
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if holds(middle) {
            above = middle;
        } else {
            below = middle;
        }
    }
    above
}

/// The last key at which a condition holds that holds up to some key, and at `low`.
fn last(low: Key, high: Key, mut holds: impl FnMut(Key) -> bool) -> Key {
    high - first(0, high - low, |distance| holds(high - distance))
}
