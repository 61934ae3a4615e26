//! Latches that are equal up to a frame, as lemmas [Bra11 §7].
//!
//! Random runs from the initial states tell which latches may be equal, up to the complement.
//! x = y is two clauses, x ∨ ¬y and ¬x ∨ y. As with lemmas, a pair has a highest frame i up to
//! which it is known to hold, at first 0, because the resets agree. It moves to the next one if
//! both clauses hold there by consecution, relative to all that is known in F_i: to the other pairs
//! too. A pair that fails at F_0 is refuted by a run of one step and forgotten; one that fails
//! higher up is asked about again when F_i gets stronger.
//!
//! Equalities that are inductive by themselves are found before the engine starts
//! (`circuit::sweep`). These need the lemmas of a frame, or are true only for a while.
//!
//! The clauses are put into the frames whole. Ordinary propagation may shorten a clause by a core,
//! where x happens to be constant for some frames, and then lose the pair where it is not; so pairs
//! move before the lemmas of their frame do.
//!
//! The paper does not say which pairs of a class it takes; we take each latch with the first.

use crate::consecution::Assume;
use crate::cube::Cube;
use crate::engine::{Ic3, denied};
use crate::options::Options;
use circuit::{Fact, TransitionSystem, sweep};
use lemmas::Phase;
use sat::{Exhausted, Solver};

/// Gates times steps of simulation.
const SIMULATION: usize = 20_000_000;
/// The least and the most steps of simulation.
const STEPS: (usize, usize) = (16, 256);

/// What is known of equal latches.
pub(crate) enum Equivalences {
    /// They are not looked for.
    Unused,
    /// Nothing yet.
    Unguessed {
        /// Of the simulation.
        seed: u64,
    },
    /// The pairs that were not refuted.
    Pairs(Vec<Pair>),
}

/// Two latches that are equal, or complements, up to a frame.
pub(crate) struct Pair {
    /// The states in which they are not.
    cubes: [Cube; 2],
    /// Up to here it is known to hold.
    frame: usize,
}

impl Equivalences {
    /// What the options ask for.
    pub(crate) fn new(options: &Options) -> Self {
        match options.latch_equivalences {
            true => Equivalences::Unguessed { seed: options.seed },
            false => Equivalences::Unused,
        }
    }

    /// Takes the pairs; guesses them first.
    fn take(&mut self, system: &TransitionSystem) -> Vec<Pair> {
        match self {
            Equivalences::Unused => Vec::new(),
            Equivalences::Unguessed { seed } => guess(system, *seed),
            Equivalences::Pairs(pairs) => std::mem::take(pairs),
        }
    }
}

/// The pairs of latches that runs don't tell apart.
fn guess(system: &TransitionSystem, seed: u64) -> Vec<Pair> {
    let steps = (SIMULATION / system.aig.len().max(1)).clamp(STEPS.0, STEPS.1);
    let options = sweep::Options { seed, steps, ..sweep::Options::default() };
    let candidates = sweep::sequential::candidates(system, &options)
        .expect("the engine was given a system that fits together");
    let pair = |fact: &Fact| {
        let clauses = fact.clauses();
        match &clauses[..] {
            [one, other] => Some(Pair { cubes: [denied(one), denied(other)], frame: 0 }),
            _ => None,
        }
    };
    candidates.iter().filter_map(pair).collect()
}

impl<S: Solver + Default> Ic3<'_, S> {
    /// Moves the pairs whose highest frame this is to the next one, if consecution allows.
    ///
    /// Requires: frame < k.
    pub(crate) fn propagate_equivalences(&mut self, frame: usize) -> Result<(), Exhausted> {
        if matches!(self.equivalences, Equivalences::Unused) {
            return Ok(());
        }
        self.observer.enter(Phase::Seed);
        let mut moved = Ok(());
        let mut pairs = self.equivalences.take(self.transition.system());
        pairs.retain_mut(|pair| {
            if pair.frame != frame || moved.is_err() {
                return true;
            }
            self.propagate_pair(pair).unwrap_or_else(|stop| {
                moved = Err(stop);
                true
            })
        });
        self.equivalences = Equivalences::Pairs(pairs);
        self.observer.enter(Phase::Propagate);
        moved
    }

    /// Moves a pair to the next frame, if consecution allows. Returns false if it is refuted.
    fn propagate_pair(&mut self, pair: &mut Pair) -> Result<bool, Exhausted> {
        self.within_turn()?;
        let frame = pair.frame;
        for cube in &pair.cubes {
            if self.obstacles.is_blocked(frame, cube) {
                return Ok(true);
            }
            // SAT? F_frame ∧ C ∧ T ∧ c', where F_frame has both clauses
            if !self.consecution(frame + 1, cube.literals(), Assume::Nothing, Phase::Seed)? {
                self.note_obstacle(frame, cube);
                return Ok(frame > 0);
            }
        }
        for cube in &pair.cubes {
            self.add_lemma(frame + 1, cube.clone());
        }
        pair.frame = frame + 1;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use circuit::Init;
    use circuit::verdict::Verdict;
    use sat::Var;
    use sat::cone::ConeSolver;

    /// Two latches load the same input; whether they differ is seen three steps later.
    #[test]
    fn pairs_move_up_with_the_frontier() {
        let mut system = TransitionSystem::new();
        let input = system.add_input(None);
        let state: Vec<_> = (0..5).map(|_| system.add_latch(Init::Zero, None)).collect();
        let differ = system.aig.xor(state[0], state[1]);
        for (latch, next) in [input, input, differ, state[2], state[3]].into_iter().enumerate() {
            system.latches[latch].next = next;
        }
        system.add_bad(state[4], None);
        let options = Options { latch_equivalences: true, ..Options::default() };
        let mut observer = ();
        let mut engine = Ic3::<ConeSolver>::new(&system, 0, options, &mut observer);
        assert!(matches!(engine.check(), Verdict::Safe(_)));
        let Equivalences::Pairs(pairs) = &engine.equivalences else { panic!("none was guessed") };
        let different = [Var::new(0).pos(), Var::new(1).neg()];
        let pair = pairs.iter().find(|p| p.cubes.contains(&Cube::new(different.to_vec())));
        let highest = pair.expect("the first two are equal").frame;
        assert!(highest > 1, "frame {highest}, frontier {}", engine.frames().frontier());
    }
}
