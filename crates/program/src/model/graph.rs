//! Which steps are on cycles.

use super::flat::Step;
use crate::cfa::Cfa;

/// For each step, whether it can be executed more than once in a run: whether its ends are in
/// one strongly connected component (Tarjan's algorithm with an explicit stack).
pub(super) fn on_cycles(cfa: &Cfa, steps: &[Step]) -> Vec<bool> {
    let index = |location: crate::cfa::LocationId| location.into_raw().into_u32() as usize;
    let edges: Vec<(usize, usize)> =
        steps.iter().map(|step| (index(step.from), index(step.to))).collect();
    let component = crate::scc::components(cfa.locations.len(), &edges);
    edges.iter().map(|&(from, to)| component[from] == component[to]).collect()
}
