//! Which globals a call reads and writes.

use super::{ProcedureId, Procedures, frames};
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use term::traverse::free_vars;
use term::{Op, Pool, Term};

/// The globals that a call of a procedure reads and writes, by itself or by what it calls. What it
/// writes and does not read, it may leave as it is on some ways: its value after the call then is
/// the one before it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    /// What edges mention.
    pub reads: BTreeSet<Term>,
    /// What edges assign.
    pub writes: BTreeSet<Term>,
}

impl Procedures {
    /// The effects of each procedure's calls.
    ///
    /// Requires: memory is variables.
    pub fn effects(&self, pool: &Pool) -> ArenaMap<ProcedureId, Effects> {
        let mut effects: ArenaMap<ProcedureId, Effects> = ArenaMap::default();
        let mut calls: FxHashSet<(ProcedureId, ProcedureId)> = FxHashSet::default();
        let mut globals: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
        for (id, procedure) in self.procedures.iter() {
            let mut own = Effects::default();
            for edge in procedure.edges.values() {
                edge.action.for_each_read(&mut |term| {
                    let read = globals.entry(term).or_insert_with(|| self.globals_of(pool, term));
                    own.reads.extend(read.iter());
                });
                edge.action.for_each_definition(&mut |variable| {
                    if self.globals.contains_key(&variable) {
                        own.writes.insert(variable);
                    }
                });
            }
            for (_, call) in procedure.calls() {
                calls.extend(frames::callees(&call.callee).map(|callee| (id, callee)));
            }
            effects.insert(id, own);
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &(caller, callee) in &calls {
                let called = effects[callee].clone();
                let caller = &mut effects[caller];
                let before = (caller.reads.len(), caller.writes.len());
                caller.reads.extend(called.reads);
                caller.writes.extend(called.writes);
                changed |= before != (caller.reads.len(), caller.writes.len());
            }
        }
        effects
    }

    fn globals_of(&self, pool: &Pool, term: Term) -> Vec<Term> {
        let variables = match pool.op(term) {
            Op::Var(_) => vec![term],
            _ => free_vars(pool, &[term]),
        };
        variables.into_iter().filter(|variable| self.globals.contains_key(variable)).collect()
    }
}
