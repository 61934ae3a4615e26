//! Choices made when a solver is constructed.

/// Choices made when a solver is constructed; the default suits IC3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Record what is derived, to be checked (see [`super::Step`]).
    pub trace: bool,
    /// Where not 0, variables start with random phases drawn from this seed, so that equal
    /// solvers with different seeds search differently. With 0 they start at false.
    pub seed: u64,
    /// A question that has met so many conflicts counts as hard: from then on all variables of
    /// its domain are decided, the most active first, instead of justifying.
    pub hard_after_conflicts: u64,
    /// Learnt clauses are first reduced after so many conflicts, later at growing intervals.
    pub reduce_after_conflicts: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { trace: false, seed: 0, hard_after_conflicts: 100, reduce_after_conflicts: 1200 }
    }
}

/// The next number of the generator SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
pub(super) fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
