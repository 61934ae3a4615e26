//! Which literals a cube can do without: *linear* search ([Lan18, Algorithm 10]) and *binary*
//! search ([Lan18, Algorithm 11]; §4.3.1 lifts both to cubes of formulas).
//!
//! Linear search tries each literal once. Binary search tries to drop half of them at once, and
//! looks closer only where neither half can go: few questions where most literals can be dropped,
//! about twice as many as the linear one where none can. (The thesis says 2^n, but no part of the
//! cube is halved twice.)
//!
//! Deviations from Algorithm 11:
//! * Its queries leave out the support; they are meant with it, as in Algorithm 6 there.
//! * What an answer shows to be enough replaces the whole cube, also in the support.
//! * A cube of one literal is returned as it is there, since the empty cube has initial states.
//!   Here the empty cube may be excluded, by an arrow that can't be taken, so the last literal is
//!   tried too unless it is known that the others are not enough.

use crate::engine::End;
use crate::options::LiteralSearch;
use term::Term;

/// What a search asks about cubes.
///
/// Where a cube that is enough makes every larger cube enough, no literal of a result can be
/// dropped.
pub(crate) trait Question {
    /// Whether a literal stays without being asked about.
    fn stays(&mut self, literal: Term) -> bool {
        let _ = literal;
        false
    }

    /// Literals of the cube that are enough; none if all of them are not.
    fn enough(&mut self, cube: &[Term]) -> Result<Option<Vec<Term>>, End>;
}

impl LiteralSearch {
    /// A part of `cube` that is enough. Literals are tried as `order` has them.
    ///
    /// Requires: the cube is enough, and `order` is an order of it.
    pub(crate) fn part(
        self,
        order: Vec<Term>,
        cube: Vec<Term>,
        question: &mut impl Question,
    ) -> Result<Vec<Term>, End> {
        let mut cube = cube;
        match self {
            LiteralSearch::Linear => {
                for literal in order {
                    if cube.contains(&literal) && !question.stays(literal) {
                        drop(&mut cube, &[literal], question)?;
                    }
                }
            }
            LiteralSearch::Binary => {
                let mut tried = order;
                tried.retain(|literal| !question.stays(*literal));
                halve(&mut cube, tried, true, question)?;
            }
        }
        Ok(cube)
    }
}

/// Algorithm 11 on a part of the cube; the rest of the cube is the support. `open`: whether the
/// support may be enough by itself.
fn halve(
    cube: &mut Vec<Term>,
    mut part: Vec<Term>,
    open: bool,
    question: &mut impl Question,
) -> Result<(), End> {
    part.retain(|literal| cube.contains(literal));
    if part.len() < 2 {
        if open && !part.is_empty() {
            drop(cube, &part, question)?;
        }
        return Ok(());
    }
    // What comes first is to go first.
    let right = part.split_off(part.len() / 2);
    let left = part;
    if drop(cube, &left, question)? {
        halve(cube, right, open, question)
    } else if drop(cube, &right, question)? {
        halve(cube, left, open, question)
    } else {
        // Each half has a literal that is needed beside the other.
        halve(cube, left, false, question)?;
        halve(cube, right, false, question)
    }
}

/// Drops literals from the cube if the others are enough; returns whether they are.
fn drop(
    cube: &mut Vec<Term>,
    literals: &[Term],
    question: &mut impl Question,
) -> Result<bool, End> {
    let without: Vec<Term> = cube.iter().copied().filter(|l| !literals.contains(l)).collect();
    let enough = question.enough(&without)?;
    let dropped = enough.is_some();
    if let Some(enough) = enough {
        *cube = enough;
    }
    Ok(dropped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use term::{Pool, Sort};

    /// A cube is enough if it contains one of these.
    struct Contains {
        least: Vec<Vec<Term>>,
        stays: Vec<Term>,
        asked: usize,
        /// Whether answers are as small as they can be, and not the cube itself.
        cores: bool,
    }

    impl Contains {
        fn found_in(&self, cube: &[Term]) -> Option<&Vec<Term>> {
            self.least.iter().find(|least| least.iter().all(|l| cube.contains(l)))
        }
    }

    impl Question for Contains {
        fn stays(&mut self, literal: Term) -> bool {
            self.stays.contains(&literal)
        }

        fn enough(&mut self, cube: &[Term]) -> Result<Option<Vec<Term>>, End> {
            self.asked += 1;
            let Some(least) = self.found_in(cube) else { return Ok(None) };
            let needed = |l: &Term| !self.cores || least.contains(l) || self.stays.contains(l);
            Ok(Some(cube.iter().copied().filter(needed).collect()))
        }
    }

    fn part(search: LiteralSearch, cube: &[Term], question: &mut Contains) -> Vec<Term> {
        match search.part(cube.to_vec(), cube.to_vec(), question) {
            Ok(part) => part,
            Err(_) => panic!("the question has an answer"),
        }
    }

    fn literals(count: usize) -> Vec<Term> {
        let pool = Pool::new();
        (0..count).map(|i| pool.var(&format!("a{i}"), Sort::Bool)).collect()
    }

    #[test]
    fn results_are_enough_and_nothing_can_be_dropped() {
        let all = literals(12);
        for seed in 0..600 {
            let mut random = StdRng::seed_from_u64(seed);
            let cube = &all[..random.random_range(1..=all.len())];
            let mut some = |p: f64| -> Vec<Term> {
                cube.iter().copied().filter(|_| random.random_bool(p)).collect()
            };
            let mut least: Vec<Vec<Term>> = (0..seed % 4).map(|i| some(0.2 * i as f64)).collect();
            least.push(cube.to_vec());
            let stays = some(0.1);
            for search in [LiteralSearch::Linear, LiteralSearch::Binary] {
                let (least, stays) = (least.clone(), stays.clone());
                let mut question = Contains { least, stays, asked: 0, cores: seed % 2 == 0 };
                let found = part(search, cube, &mut question);
                assert!(question.found_in(&found).is_some(), "seed {seed}, {search:?}");
                for literal in &found {
                    let without: Vec<Term> =
                        found.iter().copied().filter(|l| l != literal).collect();
                    let needed = question.found_in(&without).is_none();
                    let stays = question.stays.contains(literal);
                    assert!(needed || stays, "seed {seed}, {search:?}: {found:?}");
                }
                assert!(question.stays.iter().all(|l| found.contains(l)), "seed {seed}");
                assert!(question.asked <= 2 * cube.len(), "seed {seed}, {search:?}");
            }
        }
    }

    #[test]
    fn binary_search_asks_few_questions_where_little_is_needed() {
        let all = literals(64);
        let asked = |search: LiteralSearch, least: Vec<Term>| {
            let least = vec![least];
            let mut question = Contains { least, stays: Vec::new(), asked: 0, cores: false };
            part(search, &all, &mut question);
            question.asked
        };
        let one = vec![all[37]];
        assert_eq!(asked(LiteralSearch::Linear, one.clone()), 64);
        assert!(asked(LiteralSearch::Binary, one) <= 13);
        assert_eq!(asked(LiteralSearch::Binary, all.clone()), 126);
        assert_eq!(asked(LiteralSearch::Linear, all.clone()), 64);
    }
}
