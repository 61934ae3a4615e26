//! Which literals to keep: activity of latches.
//!
//! [Bra11 §7] reports that any changing order in which literals are dropped beats a fixed one.
//! What became standard is VSIDS' idea: a latch that occurs in a lemma gains activity, and all
//! activities fade. Dropping the least active literals first makes lemmas of few latches, those
//! that mattered lately.

use crate::options::Ordering;
use circuit::random::Random;
use sat::Lit;

/// The factor by which older contributions fade with each lemma.
const DECAY: f64 = 0.99;
/// Rescaling keeps activities finite.
const RESCALE: f64 = 1e100;

/// The activities of all latches, and the order they give.
pub struct Activity {
    ordering: Ordering,
    scores: Vec<f64>,
    increment: f64,
    random: Random,
}

impl Activity {
    /// All latches alike.
    pub fn new(latches: usize, ordering: Ordering, seed: u64) -> Self {
        // A tiny head start by seed makes runs with different seeds differ from the beginning.
        let mut random = Random::new(seed);
        let scores = match seed {
            0 => vec![0.0; latches],
            _ => (0..latches).map(|_| random.below(1 << 20) as f64 * 1e-9).collect(),
        };
        Activity { ordering, scores, increment: 1.0, random }
    }

    /// The latches of a new lemma gain activity.
    pub fn bump(&mut self, cube: &[Lit]) {
        self.increment /= DECAY;
        for literal in cube {
            self.scores[literal.var().index()] += self.increment;
        }
        if self.increment > RESCALE {
            self.scores.iter_mut().for_each(|s| *s /= RESCALE);
            self.increment /= RESCALE;
        }
    }

    /// Sorts literals so that those to drop first come first.
    pub fn sort(&mut self, literals: &mut [Lit]) {
        match self.ordering {
            Ordering::Static => literals.sort_unstable(),
            Ordering::Random => {
                literals.sort_unstable();
                for i in (1..literals.len()).rev() {
                    literals.swap(i, self.random.below(i + 1));
                }
            }
            Ordering::Activity => {
                let score = |l: &Lit| self.scores[l.var().index()];
                literals.sort_by(|a, b| score(a).total_cmp(&score(b)).then(a.cmp(b)));
            }
        }
    }
}
