//! A run on the automaton before minimization: what its loads read.
//!
//! An engine's run says what the unknown contents of memory are in the automaton's terms: as
//! values of array and scalar variables, at addresses that need not be the interpreter's. So the
//! run is followed on the automaton, edge by edge, and what each load takes from memory is noted;
//! the interpreter gets these values where it reads bytes that nothing has written.

use super::Limits;
use crate::cfa::ContextId;
use crate::model::Model;
use crate::program::{EdgeId as ProgramEdgeId, FunctionId};
use crate::verdict::Run;
use crate::walk::{STEPS, Walk};
use rustc_hash::FxHashMap;
use term::{Pool, Value};

/// An instruction in a chain of calls.
pub(super) type Instance = (ContextId, FunctionId, ProgramEdgeId);

/// What the loads of a run read, in order.
pub(super) fn loaded(
    model: &Model,
    pool: &Pool,
    run: &Run,
    limits: &Limits,
) -> FxHashMap<Instance, Vec<Value>> {
    let mut walk = Walk::new(pool, &model.cfa, run);
    let mut values: FxHashMap<Instance, Vec<Value>> = FxHashMap::default();
    for number in 0..STEPS {
        let late = || limits.allowance.is_late();
        if number % 1024 == 0 && late() {
            break;
        }
        let Some(edge) = walk.advance() else { break };
        if let Some(loaded) = model.loads.get(&edge) {
            let value = walk.value(loaded.into);
            values.entry(loaded.instruction).or_default().push(value);
        }
    }
    values
}
