//! Reproducible random numbers, and small random systems to test engines with.
//!
//! The generator is SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number
//! generators*, OOPSLA 2014): ten lines, the same numbers everywhere and for ever, and good
//! enough for simulation patterns.

use crate::system::{Init, TransitionSystem};
use aig::Edge;

/// A stream of random numbers determined by its seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, or 0 where `bound` is 0; the bias is at most `bound` / 2^64.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.word()) * bound as u128) >> 64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// The largest sizes of a random system.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Inputs.
    pub inputs: usize,
    /// Latches.
    pub latches: usize,
    /// Attempts to add a gate; folding and sharing make the graph smaller.
    pub gates: usize,
    /// Bad properties; there is always one.
    pub bads: usize,
    /// Constraints.
    pub constraints: usize,
}

impl Default for Shape {
    fn default() -> Self {
        Shape { inputs: 4, latches: 8, gates: 60, bads: 1, constraints: 1 }
    }
}

/// A random system of at most the given shape: resets of all kinds, shared functions, latches
/// that are copies, complements or constants in disguise (so that reductions find something), and
/// bads that are conjunctions (so that they are not violated at once).
pub fn system(seed: u64, shape: Shape) -> TransitionSystem {
    let mut random = Random::new(seed);
    let mut system = TransitionSystem::new();
    let mut pool = vec![Edge::TRUE];
    for k in 0..random.below(shape.inputs + 1) {
        let name = random.one_in(2).then(|| format!("in[{k}]"));
        pool.push(system.add_input(name));
    }
    for k in 0..random.below(shape.latches + 1) {
        let init = match random.below(8) {
            0 => Init::Free,
            1 | 2 => Init::One,
            _ => Init::Zero,
        };
        let name = random.one_in(2).then(|| format!("state {k}"));
        pool.push(system.add_latch(init, name));
    }
    let pick =
        |random: &mut Random, pool: &[Edge]| pool[random.below(pool.len())].xor(random.one_in(2));
    for _ in 0..random.below(shape.gates + 1) {
        let (a, b, c) =
            (pick(&mut random, &pool), pick(&mut random, &pool), pick(&mut random, &pool));
        let edge = match random.below(12) {
            0 | 1 => system.aig.xor(a, b),
            2 | 3 => system.aig.ite(a, b, c),
            // Rarely true, so that simulation alone takes it for a constant.
            4 => {
                let parts: Vec<Edge> = (0..12).map(|_| pick(&mut random, &pool)).collect();
                let rare = system.aig.and_all(parts);
                system.aig.xor(rare, a)
            }
            _ => system.aig.and(a, b),
        };
        pool.push(edge);
    }
    for k in 0..system.latches.len() {
        // A copy of an earlier latch's function makes the two correspond where resets agree.
        let copied = (k > 0 && random.one_in(3)).then(|| random.below(k));
        system.latches[k].next = match copied {
            Some(earlier) => {
                let (a, b) = (system.latches[k].init.value(), system.latches[earlier].init.value());
                system.latches[earlier].next.xor(a.is_some() && b.is_some() && a != b)
            }
            None if random.one_in(8) => system.latches[k].state,
            None => pick(&mut random, &pool),
        };
    }
    for k in 0..=random.below(shape.bads) {
        let parts = 1 + random.below(4);
        let edges: Vec<Edge> = (0..parts).map(|_| pick(&mut random, &pool)).collect();
        let edge = system.aig.and_all(edges);
        system.add_bad(edge, random.one_in(2).then(|| format!("bad {k}")));
    }
    for _ in 0..random.below(shape.constraints + 1) {
        let (a, b) = (pick(&mut random, &pool), pick(&mut random, &pool));
        let edge = system.aig.or(a, b);
        system.add_constraint(edge, random.one_in(2).then(|| "assumed".to_owned()));
    }
    if random.one_in(3) {
        let edge = pick(&mut random, &pool);
        system.outputs.push(crate::system::Signal { edge, name: Some("out".to_owned()) });
    }
    system
}
