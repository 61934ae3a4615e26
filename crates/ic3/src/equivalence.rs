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
use crate::engine::Ic3;
use crate::options::Options;
use circuit::reduction::Fact;
use circuit::sweep;
use circuit::{LatchLit, TransitionSystem};
use lemmas::Phase;
use sat::{Solver, Stop, Var};

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
#[derive(Clone)]
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

    /// The positions of pairs with this highest frame; guesses them first.
    fn at(&mut self, frame: usize, system: &TransitionSystem) -> Vec<usize> {
        if let Equivalences::Unguessed { seed } = *self {
            *self = Equivalences::Pairs(guess(system, seed));
        }
        let Equivalences::Pairs(pairs) = self else { return Vec::new() };
        let here = pairs.iter().enumerate().filter(|(_, pair)| pair.frame == frame);
        here.map(|(position, _)| position).collect()
    }

    fn pairs(&mut self) -> &mut Vec<Pair> {
        match self {
            Equivalences::Pairs(pairs) => pairs,
            _ => unreachable!("somebody has a position of a pair"),
        }
    }
}

/// The pairs of latches that runs don't tell apart.
fn guess(system: &TransitionSystem, seed: u64) -> Vec<Pair> {
    let steps = (SIMULATION / system.aig.len().max(1)).clamp(STEPS.0, STEPS.1);
    let options = sweep::Options { seed, steps, ..sweep::Options::default() };
    let candidates = sweep::sequential::candidates(system, &options)
        .expect("the engine was given a system that fits together");
    let denied = |l: &LatchLit| Var::new(l.latch).lit(!l.value);
    let cube = |clause: &Vec<LatchLit>| Cube::new(clause.iter().map(denied).collect());
    let pair = |fact: &Fact| {
        let clauses = fact.clauses();
        match &clauses[..] {
            [one, other] => Some(Pair { cubes: [cube(one), cube(other)], frame: 0 }),
            _ => None,
        }
    };
    candidates.iter().filter_map(pair).collect()
}

impl<S: Solver + Default> Ic3<'_, S> {
    /// Moves the pairs whose highest frame this is to the next one, if consecution allows.
    ///
    /// Requires: frame < k.
    pub(crate) fn propagate_equivalences(&mut self, frame: usize) -> Result<(), Stop> {
        if matches!(self.equivalences, Equivalences::Unused) {
            return Ok(());
        }
        self.observer.enter(Phase::Seed);
        let mut refuted = Vec::new();
        let positions = self.equivalences.at(frame, self.transition.system());
        let moved = positions.into_iter().try_for_each(|position| {
            self.within_allowance()?;
            if self.propagate_pair(frame, position)? == Held::Nowhere {
                refuted.push(position);
            }
            Ok(())
        });
        for position in refuted.into_iter().rev() {
            self.equivalences.pairs().remove(position);
        }
        self.observer.enter(Phase::Propagate);
        moved
    }

    fn propagate_pair(&mut self, frame: usize, position: usize) -> Result<Held, Stop> {
        let cubes = self.equivalences.pairs()[position].cubes.clone();
        for cube in &cubes {
            if self.obstacles.is_blocked(frame, cube) {
                return Ok(Held::Here);
            }
            // SAT? F_frame ∧ C ∧ T ∧ c', where F_frame has both clauses
            if !self.consecution(frame + 1, cube.literals(), Assume::Nothing, Phase::Seed)? {
                if frame == 0 {
                    return Ok(Held::Nowhere);
                }
                self.note_obstacle(frame, cube);
                return Ok(Held::Here);
            }
        }
        for cube in cubes {
            self.add_lemma(frame + 1, cube);
        }
        self.equivalences.pairs()[position].frame = frame + 1;
        Ok(Held::Higher)
    }
}

/// What became of a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// It moved up.
    Higher,
    /// It stays where it is.
    Here,
    /// It does not hold in all reachable states.
    Nowhere,
}
