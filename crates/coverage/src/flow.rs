//! What follows from what is excluded: where no way leads any more.
//!
//! Ways are those of the graphs of the functions, and calls. A way ends at a point that is excluded, and
//! where a decision would need values of its conditions that are. What is not reached over the ways that
//! are left is excluded too, by the proofs that cut them.

use crate::probes::{Event, Probed};
use program::program::{Callee, Edge, EdgeId, FunctionId, Instruction, LocationId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::substitute;
use term::{Op, Pool, Term};

/// The ways of a program.
pub struct Flow<'p> {
    probed: &'p Probed,
    leaving: Vec<Vec<Vec<EdgeId>>>,
    /// Functions that are called through pointers.
    addressed: Vec<FunctionId>,
}

fn raw(location: LocationId) -> usize {
    location.into_raw().into_u32() as usize
}

fn number(function: FunctionId) -> usize {
    function.into_raw().into_u32() as usize
}

impl<'p> Flow<'p> {
    /// The ways of the program with its probes.
    #[must_use]
    pub fn new(probed: &'p Probed) -> Flow<'p> {
        let program = &probed.program;
        let leaving = program.functions.values().map(|function| {
            let Some(body) = &function.body else { return Vec::new() };
            let mut leaving = vec![Vec::new(); body.locations.len()];
            for (id, edge) in body.edges.iter() {
                leaving[raw(edge.from)].push(id);
            }
            leaving
        });
        let leaving = leaving.collect();
        let functions = program.functions.iter();
        let addressed = functions.filter(|(_, function)| function.address.is_some());
        Flow { probed, leaving, addressed: addressed.map(|(id, _)| id).collect() }
    }

    /// The locations that are reached over the ways that are left, by function.
    fn reached(&self, cut: &FxHashSet<(FunctionId, EdgeId)>) -> Vec<Vec<bool>> {
        let program = &self.probed.program;
        let mut reached: Vec<Vec<bool>> =
            self.leaving.iter().map(|leaving| vec![false; leaving.len()]).collect();
        let mut todo = Vec::new();
        let mut come = |todo: &mut Vec<(FunctionId, LocationId)>, at: (FunctionId, LocationId)| {
            if !std::mem::replace(&mut reached[number(at.0)][raw(at.1)], true) {
                todo.push(at);
            }
        };
        let entry = |function: FunctionId| {
            let body = program.functions[function].body.as_ref()?;
            Some((function, body.entry))
        };
        entry(program.start).into_iter().for_each(|at| come(&mut todo, at));
        while let Some((function, location)) = todo.pop() {
            let body = program.functions[function].body();
            for &id in &self.leaving[number(function)][raw(location)] {
                if cut.contains(&(function, id)) {
                    continue;
                }
                let edge = &body.edges[id];
                if let Instruction::Call { callee, .. } = &edge.instruction {
                    let callees = match callee {
                        Callee::Function(callee) => std::slice::from_ref(callee),
                        Callee::Pointer(_) => &self.addressed,
                    };
                    callees.iter().filter_map(|f| entry(*f)).for_each(|at| come(&mut todo, at));
                }
                come(&mut todo, (function, edge.to));
            }
        }
        reached
    }

    /// The events that follow to be excluded, and by which proof: the last one.
    #[must_use]
    pub fn excluded(&self, excluded: &FxHashMap<Event, usize>) -> Vec<(Event, usize)> {
        let Some(&last) = excluded.values().max() else { return Vec::new() };
        let reached = self.reached(&self.cuts(excluded));
        let program = &self.probed.program;
        let is_reached = |&(function, edge): &(FunctionId, EdgeId)| {
            let from = program.functions[function].body().edges[edge].from;
            reached[number(function)][raw(from)]
        };
        let gone =
            |sites: &[(FunctionId, EdgeId)]| !sites.is_empty() && !sites.iter().any(is_reached);
        let mut found = Vec::new();
        for (point, sites) in self.probed.points.iter().enumerate() {
            let event = Event::Point(point);
            if gone(sites) && !excluded.contains_key(&event) {
                found.push((event, last));
            }
        }
        for (decision, sites) in self.probed.decisions.iter().enumerate() {
            if !gone(sites) {
                continue;
            }
            self.probed.trees[decision].vectors(crate::judge::MAX_VECTORS, &mut |values| {
                let event = Event::Decision(decision, values);
                if !excluded.contains_key(&event) {
                    found.push((event, last));
                }
            });
        }
        found
    }

    /// The edges that no run takes, as far as that is seen from what is excluded.
    fn cuts(&self, excluded: &FxHashMap<Event, usize>) -> FxHashSet<(FunctionId, EdgeId)> {
        let mut cut = FxHashSet::default();
        let mut decisions = FxHashSet::default();
        for event in excluded.keys() {
            match event {
                Event::Point(point) => cut.extend(&self.probed.points[*point]),
                Event::Decision(decision, _) => drop(decisions.insert(*decision)),
            }
        }
        for decision in decisions {
            let mut left = Vec::new();
            let all =
                self.probed.trees[decision].vectors(crate::judge::MAX_VECTORS, &mut |values| {
                    if !excluded.contains_key(&Event::Decision(decision, values)) {
                        left.push(values);
                    }
                });
            if all {
                for &site in &self.probed.decisions[decision] {
                    self.cut_decision(decision, site, &left, &mut cut);
                }
            }
        }
        cut
    }

    /// The edges behind a probe that none of the values that are left leads over.
    fn cut_decision(
        &self,
        decision: usize,
        site: (FunctionId, EdgeId),
        left: &[u64],
        cut: &mut FxHashSet<(FunctionId, EdgeId)>,
    ) {
        if left.is_empty() {
            cut.insert(site);
            return;
        }
        let Program { pool, functions, .. } = &self.probed.program;
        let body = functions[site.0].body();
        let Edge { to, instruction: Instruction::Assign(_, probe), .. } = &body.edges[site.1]
        else {
            return;
        };
        let tree = &self.probed.trees[decision];
        let behind = &self.leaving[number(site.0)][raw(*to)];
        for &edge in behind {
            let Instruction::Assume(guard) = body.edges[edge].instruction else { continue };
            let never = |values: &u64| {
                let evaluated = tree.evaluate(*values).evaluated;
                let known = known(pool, *probe, *values, evaluated);
                pool.as_bool(substitute(pool, guard, known)) == Some(false)
            };
            if left.iter().all(never) {
                cut.insert((site.0, edge));
            }
        }
    }
}

/// What the values of the conditions that are evaluated say of terms.
fn known(pool: &Pool, probe: Term, values: u64, evaluated: u64) -> Vec<(Term, Term)> {
    let numbers = (0..pool.width(probe)).filter(|number| evaluated >> number & 1 == 1);
    let known = numbers.map(|number| {
        let bit = pool.eq(pool.bv_extract(probe, number, number), pool.bv(1, 1));
        let value = values >> number & 1 == 1;
        match pool.op(bit) {
            Op::Not => (pool.args(bit)[0], pool.bool(!value)),
            _ => (bit, pool.bool(value)),
        }
    });
    known.filter(|(term, _)| pool.value(*term).is_none()).collect()
}
