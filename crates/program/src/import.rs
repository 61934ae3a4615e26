//! An automaton in another pool, and its way back: pools can't be shared between threads, so each
//! engine that has its own thread works in its own, and its evidence comes from there.

use crate::cfa::Cfa;
use crate::verdict::{Invariant, Run};
use passes::Back;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use term::traverse::{import, import_sort};
use term::{ArrayValue, Pool, Value};

/// The way back from [`Cfa::import`]: from the pool that the automaton was brought `into` to the one
/// that it came `from`.
#[derive(Clone, Copy)]
pub struct Imported<'a> {
    /// Where the automaton came from, and evidence goes.
    pub from: &'a Pool,
    /// Where the engine worked.
    pub into: &'a Pool,
}

impl Back for Imported<'_> {
    type Before = Cfa;
    type After = Cfa;

    fn invariant(&self, invariant: Invariant) -> Option<Invariant> {
        let mut map = FxHashMap::default();
        let at = invariant.at.iter().map(|(location, formulas)| {
            let formulas = formulas.iter().map(|&f| import(self.into, f, self.from, &mut map));
            (location, formulas.collect())
        });
        Some(Invariant { at: at.collect() })
    }

    fn run(&self, mut run: Run) -> Option<Run> {
        for (_, value) in run.steps.iter_mut().flat_map(|step| &mut step.inputs) {
            *value = self.value(value);
        }
        Some(run)
    }
}

impl Imported<'_> {
    /// A value with the sorts of the pool; arrays nest as deep as their sorts.
    fn value(&self, value: &Value) -> Value {
        let Value::Array(array) = value else { return value.clone() };
        let entries = array.entries.iter().map(|(index, v)| (self.value(index), self.value(v)));
        let sort = import_sort(self.into, array.sort, self.from);
        let array = ArrayValue::new(sort, self.value(&array.default), entries.collect());
        Value::Array(Arc::new(array))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::{Input, InputId, Location};
    use crate::program::Cause;
    use crate::verdict::Step;
    use la_arena::{Idx, RawIdx};
    use std::collections::BTreeMap;
    use term::Sort;
    use value::Bits;

    #[test]
    fn evidence_comes_back_in_the_pools_own_terms_and_sorts() {
        let (from, into) = (Pool::new(), Pool::new());
        // Sorts and terms have other numbers in the second pool.
        into.array_sort(Sort::Bool, Sort::Bool);
        into.var("other", Sort::Bool);
        let sort = from.array_sort(Sort::BitVec(2), Sort::BitVec(8));
        let x = from.var("x", Sort::BitVec(8));
        let mut cfa = Cfa::default();
        let location = cfa.locations.alloc(Location::default());
        let input: InputId =
            cfa.inputs.alloc(Input { instruction: None, cause: Cause::Uninitialized, sort });
        let theirs = cfa.import(&from, &into);
        let back = Imported { from: &from, into: &into };

        let formula = into.bv_ult(into.var("x", Sort::BitVec(8)), into.bv(5, 8));
        let mut invariant = Invariant::default();
        invariant.at.insert(location, vec![formula]);
        let invariant = back.invariant(invariant).expect("terms can be imported");
        assert_eq!(invariant.at[location], [from.bv_ult(x, from.bv(5, 8))]);

        let bits = |width, n| Value::Bits(Bits::from_u64(width, n));
        let array = |sort| {
            let entries = BTreeMap::from([(bits(2, 1), bits(8, 7))]);
            Value::Array(Arc::new(ArrayValue::new(sort, bits(8, 0), entries)))
        };
        assert_ne!(theirs.inputs[input].sort, sort);
        let inputs = vec![(input, array(theirs.inputs[input].sort))];
        let edge = Idx::from_raw(RawIdx::from(0));
        let run = Run { steps: vec![Step { edge, inputs }] };
        let run = back.run(run).expect("values can be imported");
        assert_eq!(run.steps[0].inputs, [(input, array(sort))]);
    }
}
