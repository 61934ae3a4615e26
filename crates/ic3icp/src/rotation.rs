//! Literal rotation ([Sch §III-A]).
//!
//! The solver takes assumptions one by one and propagates after each, so which of them a refutation rests on
//! depends on their order. The one that failed goes to the front, and the question is asked again, as
//! often as there are assumptions left: each time the first of them is one that was last before. No
//! question needs a decision, as what it asks was refuted before.
//!
//! Where bounds may be weakened ([Sch §III-B]), every round does so; an essential bound gets its turn to be
//! the one that failed, whose weakest form is the bound that the others imply the opposite of.

use crate::literal::Literal;
use crate::question::{Asked, Questions};
use crate::weakening;
use smt::Error;

/// What is done to the bounds of a refutation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strategy {
    /// Whether they are rotated.
    pub(crate) rotate: bool,
    /// Whether they are dropped one by one: `+ld`.
    pub(crate) drop: bool,
}

/// Fewer and weaker bounds that are refuted too.
///
/// Requires: the literals are a core, the one that failed first.
pub(crate) fn fewer(
    questions: &mut Questions<'_>,
    mut literals: Vec<Literal>,
    strategy: Strategy,
) -> Result<Vec<Literal>, Error> {
    if strategy.rotate {
        let mut rounds = 0;
        while rounds < literals.len() {
            // SAT? G ∧ lⱼ ∧ l'₁ ∧ … ∧ l'ₘ
            match questions.ask(&literals)? {
                Asked::Unsat(core) => literals = core,
                // It was refuted, but perhaps with more effort than is allowed now.
                Asked::Sat | Asked::Open(_) => break,
            }
            rounds += 1;
        }
    }
    if strategy.drop {
        literals = dropped(questions, literals)?;
    }
    if questions.weaken {
        literals = weakening::weaker(questions, literals)?;
    }
    Ok(literals)
}

/// Literal dropping \[EMB11\]: each literal is left out, if the others are refuted without it.
fn dropped(
    questions: &mut Questions<'_>,
    mut literals: Vec<Literal>,
) -> Result<Vec<Literal>, Error> {
    let mut kept = 0;
    while kept < literals.len() {
        let mut without = literals.clone();
        // From the last on, as the failed ones come first and are the least likely to go.
        without.remove(literals.len() - 1 - kept);
        // SAT? G ∧ ⋀ the others
        match questions.ask(&without)? {
            Asked::Unsat(core) => literals = in_order(&literals, core),
            Asked::Sat | Asked::Open(_) => kept += 1,
        }
    }
    Ok(literals)
}

/// The literals of a core in the order that they had before.
fn in_order(before: &[Literal], core: Vec<Literal>) -> Vec<Literal> {
    let of = |literal: &Literal| {
        core.iter().find(|c| (c.variable, c.side) == (literal.variable, literal.side)).copied()
    };
    before.iter().filter_map(of).collect()
}
