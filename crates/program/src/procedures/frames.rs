//! How often procedures are entered, and whether two calls of one can be open at the same time.

use super::{Callee, ProcedureId, Procedures};
use crate::cfa::LocationId;
use crate::scc::components;
use la_arena::ArenaMap;

/// What is known of the calls of each procedure.
pub(crate) struct Frames {
    /// Whether two calls can be open at the same time.
    recursive: Vec<bool>,
    /// Whether a run can enter it more than once.
    repeated: Vec<bool>,
    /// For each procedure, whether an edge can be taken more than once in a call.
    cyclic: ArenaMap<ProcedureId, Vec<bool>>,
}

fn number<T>(index: la_arena::Idx<T>) -> usize {
    index.into_raw().into_u32() as usize
}

impl Frames {
    pub fn of(procedures: &Procedures) -> Frames {
        let count = procedures.procedures.len();
        let mut cyclic: ArenaMap<ProcedureId, Vec<bool>> = ArenaMap::default();
        let mut calls: Vec<(usize, usize)> = Vec::new();
        let mut entered = vec![0usize; count];
        entered[number(procedures.start)] = 1;
        let mut repeated = vec![false; count];
        for (id, procedure) in procedures.procedures.iter() {
            let cycles = on_cycles(procedure.locations.len(), &procedure.edges);
            for (edge, call) in procedure.calls() {
                for callee in callees(&call.callee) {
                    calls.push((number(id), number(callee)));
                    entered[number(callee)] += 1;
                    repeated[number(callee)] |= cycles[number(edge)];
                }
            }
            cyclic.insert(id, cycles);
        }
        let component = components(count, &calls);
        let mut recursive = vec![false; count];
        for &(from, to) in &calls {
            if component[from] == component[to] {
                recursive[from] = true;
            }
        }
        for n in 0..count {
            repeated[n] |= entered[n] > 1 || recursive[n];
        }
        spread(&calls, &mut repeated);
        Frames { recursive, repeated, cyclic }
    }

    /// Whether two calls of a procedure can be open at the same time.
    pub fn is_recursive(&self, procedure: ProcedureId) -> bool {
        self.recursive[number(procedure)]
    }

    /// Whether a run can take an edge of a procedure more than once.
    pub fn is_repeated(&self, procedure: ProcedureId, edge: super::EdgeId) -> bool {
        self.repeated[number(procedure)] || self.cyclic[procedure][number(edge)]
    }
}

/// The procedures that a call can be to.
pub(crate) fn callees(callee: &Callee) -> impl Iterator<Item = ProcedureId> {
    let (one, more) = match callee {
        Callee::Procedure(procedure) => (Some(*procedure), &[][..]),
        Callee::Pointer(behind) => (None, &behind.targets[..]),
    };
    one.into_iter().chain(more.iter().map(|(procedure, _)| *procedure))
}

/// What is called by what is entered repeatedly is entered repeatedly.
fn spread(calls: &[(usize, usize)], repeated: &mut [bool]) {
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &(from, to) in calls {
            if repeated[from] && !std::mem::replace(&mut repeated[to], true) {
                changed = true;
            }
        }
    }
}

/// For each edge, whether its ends are in one strongly connected component.
fn on_cycles(locations: usize, edges: &la_arena::Arena<super::Edge>) -> Vec<bool> {
    let index = |location: LocationId| number(location);
    let edges: Vec<(usize, usize)> =
        edges.values().map(|edge| (index(edge.from), index(edge.to))).collect();
    let component = components(locations, &edges);
    edges.iter().map(|&(from, to)| component[from] == component[to]).collect()
}
