//! Values that are computed and never used: assignments to local variables that nothing reads before the
//! next one, or the end.

use crate::report::UnusedValue;
use program::coverage::Map;
use program::liveness::dead_assignments;
use program::program::{Instruction, Program};
use rustc_hash::FxHashMap;

/// The assignments whose values nothing reads, in functions that are looked at, in the order of the
/// source.
#[must_use]
pub fn unused(program: &Program, map: &Map) -> Vec<UnusedValue> {
    let dead = dead_assignments(program);
    // A variable of the source may be assigned at one place by several instructions.
    let mut found: FxHashMap<UnusedValue, bool> = FxHashMap::default();
    for ((function, edge), step) in program.edges() {
        let Instruction::Assign(variable, _) = &step.instruction else { continue };
        let name = &program.functions[function].name;
        let looked_at = map.functions.iter().any(|function| function.name == *name);
        let Some(variable) = &program.variables[*variable].name else { continue };
        if !looked_at || !step.place.is_known() || step.place.is_beyond() {
            continue;
        }
        let (place, variable, function_name) = (step.place.clone(), variable.clone(), name.clone());
        let value = UnusedValue { place, variable, function: function_name };
        *found.entry(value).or_insert(true) &= dead.contains(&(function, edge));
    }
    let unused = found.into_iter().filter(|(_, dead)| *dead).map(|(value, _)| value);
    let mut unused: Vec<UnusedValue> = unused.collect();
    unused.sort_by(|a, b| (&a.place, &a.variable).cmp(&(&b.place, &b.variable)));
    unused
}
