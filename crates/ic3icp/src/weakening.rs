//! Bound generalization by questions, where the solver does not tell the weakest bounds itself.
//!
//! [Sch §III-B] reads off the implication graph how far a bound may be moved. A solver without such a graph
//! over bounds is asked: for each bound the values between it and the nearest that is reached are
//! halved, in the order of the domain, which for floats is that of their exponents first. A model says
//! where the nearest is, so that few questions are needed.

use crate::literal::Literal;
use crate::question::{Asked, Questions};
use icp::{Key, Side};
use smt::Error;

/// How many questions a bound is worth.
const QUESTIONS: usize = 6;

/// The literals with bounds as weak as a few questions show.
///
/// Requires: the literals are refuted.
pub(crate) fn weaker(
    questions: &mut Questions<'_>,
    mut literals: Vec<Literal>,
) -> Result<Vec<Literal>, Error> {
    if questions.solver.tells_weakest() {
        return Ok(literals);
    }
    for position in 0..literals.len() {
        let domain = questions.domains.of(literals[position].variable);
        let reading = Reading { side: literals[position].side, last: domain.last() };
        // Refuted at `refuted` and below, in the direction of the side; not known up to `open`.
        let mut refuted = reading.distance(literals[position].key);
        let mut open = reading.last;
        for question in 0..QUESTIONS {
            if refuted >= open {
                break;
            }
            // The weakest first: it may be that nothing is reached at all.
            let middle = if question == 0 { open } else { refuted + (open - refuted).div_ceil(2) };
            let mut wider = literals.clone();
            wider[position].key = reading.key(middle);
            // SAT? G ∧ ⋀ literals, with this one weaker
            match questions.ask(&wider)? {
                Asked::Unsat(_) => {
                    refuted = middle;
                    literals = wider;
                }
                Asked::Sat => {
                    let key = questions.key(literals[position].variable)?;
                    open = reading.distance(key).min(middle).saturating_sub(1).max(refuted);
                }
                Asked::Open(_) => open = middle - 1,
            }
        }
    }
    Ok(literals)
}

/// Bounds as distances from the strongest one, so that larger is weaker on both sides.
struct Reading {
    side: Side,
    last: Key,
}

impl Reading {
    fn distance(&self, key: Key) -> Key {
        match self.side {
            Side::AtLeast => self.last - key,
            Side::AtMost => key,
        }
    }

    /// The key at a distance; the weakest bound of all is no literal, and the one before it stands for it.
    fn key(&self, distance: Key) -> Key {
        match self.side {
            Side::AtLeast => self.last - distance,
            Side::AtMost => distance,
        }
    }
}
