//! Obstacles: states that keep lemmas from being propagated.
//!
//! A lemma stays at frame i because a state of F_i has a step that violates it. As long as no
//! lemma is added that excludes this very state from F_i, asking again would get the same answer.
//! So the state is kept with the lemma, and compared with the lemmas added since: most questions
//! of [`crate::propagate`] need not be asked at all.
//!
//! A state is what the solver's model says of the latches. Where the model leaves a latch open, a
//! new lemma may count on either value; then the question is asked again, which is always right.

use crate::cube::Cube;
use rustc_hash::FxHashMap;
use sat::Lit;

/// A state, one bit for each literal that is false in it.
type Falsehood = Box<[u64]>;

/// Why a lemma could not be moved on from a frame.
struct Obstacle {
    frame: usize,
    state: Falsehood,
    /// How many lemmas had been added when the state was last seen to be in the frame.
    seen: usize,
}

/// The obstacles of all lemmas, or none where they are not kept.
#[derive(Default)]
pub struct Obstacles(Option<Memory>);

/// The obstacles, and the lemmas in the order in which they were added.
#[derive(Default)]
struct Memory {
    by_lemma: FxHashMap<Cube, Obstacle>,
    /// Each lemma with its highest frame.
    added: Vec<(usize, Cube)>,
}

impl Obstacles {
    /// None yet; there will be some if they are to be kept.
    pub fn new(kept: bool) -> Self {
        Obstacles(kept.then(Memory::default))
    }

    /// Notes a new lemma of F_1, …, F_frame.
    pub fn add_lemma(&mut self, frame: usize, lemma: &Cube) {
        if let Some(memory) = &mut self.0 {
            memory.added.push((frame, lemma.clone()));
        }
    }

    /// Notes a state of F_frame with a step that violates the lemma, by its literals.
    pub fn note(
        &mut self,
        frame: usize,
        lemma: &Cube,
        latches: usize,
        state: impl Iterator<Item = Lit>,
    ) {
        let Some(memory) = &mut self.0 else { return };
        let mut falsehood = vec![0; (2 * latches).div_ceil(64)].into_boxed_slice();
        for literal in state {
            let code = (!literal).code();
            falsehood[code / 64] |= 1 << (code % 64);
        }
        let obstacle = Obstacle { frame, state: falsehood, seen: memory.added.len() };
        memory.by_lemma.insert(lemma.clone(), obstacle);
    }

    /// Whether a state of F_frame is still known that has a step which violates the lemma.
    pub fn is_blocked(&mut self, frame: usize, lemma: &Cube) -> bool {
        let Some(Memory { by_lemma, added }) = &mut self.0 else { return false };
        let Some(obstacle) = by_lemma.get_mut(lemma) else { return false };
        let is_false = |l: &Lit| obstacle.state[l.code() / 64] >> (l.code() % 64) & 1 == 1;
        let holds = |cube: &Cube| cube.literals().iter().any(is_false);
        let mut since = added[obstacle.seen..].iter();
        let stands =
            obstacle.frame == frame && since.all(|(highest, cube)| *highest < frame || holds(cube));
        if stands {
            obstacle.seen = added.len();
        } else {
            by_lemma.remove(lemma);
        }
        stands
    }

    /// Forgets obstacles of lemmas that are gone, and lemmas that all obstacles have seen.
    pub fn collect(&mut self, mut is_at: impl FnMut(usize, &Cube) -> bool) {
        let Some(Memory { by_lemma, added }) = &mut self.0 else { return };
        by_lemma.retain(|lemma, obstacle| is_at(obstacle.frame, lemma));
        let oldest = by_lemma.values().map(|o| o.seen).min().unwrap_or(added.len());
        added.drain(..oldest);
        by_lemma.values_mut().for_each(|o| o.seen -= oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sat::Var;

    fn cube(codes: &[(usize, bool)]) -> Cube {
        Cube::new(codes.iter().map(|(v, positive)| Var::new(*v).lit(*positive)).collect())
    }

    #[test]
    fn an_obstacle_stands_until_a_lemma_may_exclude_it() {
        let mut obstacles = Obstacles::new(true);
        let lemma = cube(&[(0, true)]);
        // Latch 70 is open.
        let state = [Var::new(0).neg(), Var::new(1).pos(), Var::new(2).neg()];
        assert!(!obstacles.is_blocked(3, &lemma));
        obstacles.note(3, &lemma, 71, state.into_iter());
        assert!(obstacles.is_blocked(3, &lemma));
        obstacles.add_lemma(3, &cube(&[(1, true), (2, true)]));
        obstacles.add_lemma(2, &cube(&[(1, true)]));
        assert!(obstacles.is_blocked(3, &lemma), "neither lemma excludes the state from frame 3");
        obstacles.collect(|frame, cube| frame == 3 && *cube == lemma);
        assert!(obstacles.0.as_ref().is_some_and(|memory| memory.added.is_empty()));
        assert!(obstacles.is_blocked(3, &lemma));
        obstacles.add_lemma(4, &cube(&[(1, true), (70, false)]));
        assert!(!obstacles.is_blocked(3, &lemma), "latch 70 may be false");
        obstacles.note(3, &lemma, 71, state.into_iter());
        assert!(!obstacles.is_blocked(2, &lemma), "the state is one of frame 3");
    }

    #[test]
    fn obstacles_that_are_not_kept_never_stand() {
        let mut obstacles = Obstacles::new(false);
        let lemma = cube(&[(0, true)]);
        obstacles.note(3, &lemma, 1, [Var::new(0).neg()].into_iter());
        assert!(!obstacles.is_blocked(3, &lemma));
    }
}
