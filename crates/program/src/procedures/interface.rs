//! What a call of a procedure and its caller share, and what is known of it.
//!
//! A *summary* relates the inputs of a procedure to its outputs (\[Fed15 §2.2.4, Definitions 4–8\]): it
//! holds of every call that comes to an end, by a return or by a violation. Inputs are the parameters and
//! the globals that a call reads or writes, with their values before it; outputs are the results and the
//! globals that it writes, with those after it.
//!
//! *Summaries that prove a program* are a graph of [`Node`]s: one is of the start of the program, and for
//! each call in the procedure of a node other nodes say what is known of that call; nothing is known of
//! calls without one. If in each node the body and what is known of its calls imply its summary (property
//! 2.6), all summaries hold, by induction on the number of calls in a run; if that of the start excludes
//! violations (property 2.5), there is none. Where the graph is a tree, that is the thesis's proof;
//! where a node is known of its own recursive call, there is no bound.

use super::{EdgeId, Frames, ProcedureId, Procedures};
use crate::place::Place;
use crate::property::Property;
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
use term::{Pool, Term};

/// What a call and its caller share.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// Parameters and globals; in summaries each stands for its value before the call.
    pub inputs: Vec<Term>,
    /// Results, then globals.
    pub outputs: Vec<Output>,
    /// How many of the outputs are results.
    pub results: usize,
}

/// What a call gives a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Output {
    /// The variable.
    pub variable: Term,
    /// What stands for its value after the call in summaries.
    pub after: Term,
}

/// What holds of calls of a procedure, as formulas over its interface, all of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Of calls that return: over inputs and outputs.
    pub returns: Vec<Term>,
    /// Of calls in which a violation is reached: over inputs.
    pub fails: Vec<Term>,
}

/// Summaries that prove a program.
#[derive(Clone, Debug, Default)]
pub struct Summaries {
    /// What stands for what in their formulas.
    pub interfaces: ArenaMap<ProcedureId, Interface>,
    /// What is known of calls.
    pub nodes: Vec<Node>,
    /// The node of the start.
    pub start: usize,
}

/// What is known of some calls of a procedure, and why.
#[derive(Clone, Debug)]
pub struct Node {
    /// The procedure.
    pub procedure: ProcedureId,
    /// What is known; none where the body itself is to be put in the place of the call.
    pub summary: Option<Summary>,
    /// For calls in its body, the nodes that they are known by: one, if that has no summary.
    pub calls: FxHashMap<EdgeId, Vec<usize>>,
}

impl Summary {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.returns.is_empty() && self.fails.is_empty()
    }

    /// Adds what another one says, as far as it is not said already.
    pub fn add(&mut self, other: &Summary) {
        for (own, new) in [(&mut self.returns, &other.returns), (&mut self.fails, &other.fails)] {
            let mut known: FxHashSet<Term> = own.iter().copied().collect();
            own.extend(new.iter().filter(|formula| known.insert(**formula)));
        }
    }
}

impl Summaries {
    /// The same without what the node of the start does not rest on.
    #[must_use]
    pub fn pruned(mut self) -> Summaries {
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let (mut order, mut pending) = (Vec::new(), vec![self.start]);
        while let Some(node) = pending.pop() {
            if let Entry::Vacant(entry) = numbers.entry(node) {
                entry.insert(order.len());
                order.push(node);
                pending.extend(self.nodes[node].calls.values().flatten());
            }
        }
        let kept = order.iter().map(|old| {
            let mut node = self.nodes[*old].clone();
            node.calls.values_mut().flatten().for_each(|call| *call = numbers[call]);
            node
        });
        self.nodes = kept.collect();
        self.start = 0;
        self
    }
}

impl Procedures {
    /// The same procedures, in which runs that fail a check that is not asked about end there.
    #[must_use]
    pub fn asking(&self, about: impl Fn(Option<Property>, &Place) -> bool) -> Procedures {
        let mut asking = self.clone();
        for procedure in asking.procedures.iter_mut().map(|(_, procedure)| procedure) {
            for edge in procedure.edges.iter_mut().map(|(_, edge)| edge) {
                if edge.to == procedure.error && !about(edge.violates, &edge.place) {
                    (edge.to, edge.violates) = (procedure.dead_end, None);
                }
            }
        }
        asking
    }

    /// Which procedures can be open twice at the same time.
    pub fn recursive(&self) -> ArenaMap<ProcedureId, bool> {
        let frames = Frames::of(self);
        self.procedures.iter().map(|(id, _)| (id, frames.is_recursive(id))).collect()
    }

    /// The interfaces of all procedures.
    ///
    /// Requires: memory is variables.
    pub fn interfaces(&self, pool: &Pool) -> ArenaMap<ProcedureId, Interface> {
        let effects = self.effects(pool);
        let interface = |(id, procedure): (ProcedureId, &super::Procedure)| {
            let effects = &effects[id];
            let globals = effects.reads.union(&effects.writes).copied();
            let mut inputs = procedure.parameters.clone();
            inputs.extend(globals);
            let results = procedure.results.len();
            let mut variables = procedure.results.clone();
            variables.extend(&effects.writes);
            let output = |variable: Term| {
                let name = pool.var_name(variable).unwrap_or("result").to_owned();
                let after = pool.fresh_var(&format!("{name} after"), pool.sort(variable));
                Output { variable, after }
            };
            (
                id,
                Interface { inputs, outputs: variables.into_iter().map(output).collect(), results },
            )
        };
        self.procedures.iter().map(interface).collect()
    }
}
