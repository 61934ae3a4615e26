//! Slicing: outputs of calls that no check depends on are left out (\[Fed15 §5.1\]).
//!
//! A check depends on the conditions under which runs come to it, and on what these are computed from:
//! backwards over calls, an output of a callee that its caller does not need takes the inputs with it that
//! nothing else is computed from. A call that is not unwound says only what its summary says, so what is
//! computed from an output of which nothing is said is as free as that output is.

use crate::body::{Body, Site};
use la_arena::ArenaMap;
use program::procedures::{Interface, ProcedureId, Procedures};
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::free_vars;
use term::{Pool, Term};

/// Marks the outputs that are needed.
pub(crate) fn slice(
    pool: &Pool,
    procedures: &Procedures,
    interfaces: &ArenaMap<ProcedureId, Interface>,
    bodies: &mut ArenaMap<ProcedureId, Body>,
) {
    let mut slicer = Slicer {
        pool,
        interfaces,
        outputs: interfaces.iter().map(|(id, i)| (id, vec![false; i.outputs.len()])).collect(),
        variables: bodies.iter().map(|(id, _)| (id, FxHashSet::default())).collect(),
        changed: true,
    };
    while std::mem::take(&mut slicer.changed) {
        for (id, _) in procedures.procedures.iter() {
            slicer.pass(id, &bodies[id]);
        }
    }
    for (id, needed) in slicer.outputs.iter() {
        bodies[id].needed.clone_from(needed);
    }
}

struct Slicer<'a> {
    pool: &'a Pool,
    interfaces: &'a ArenaMap<ProcedureId, Interface>,
    /// The outputs that somebody needs.
    outputs: ArenaMap<ProcedureId, Vec<bool>>,
    /// The variables of bodies that are needed.
    variables: ArenaMap<ProcedureId, FxHashSet<Term>>,
    changed: bool,
}

impl Slicer<'_> {
    /// What a body needs, as far as it is known what is needed of it.
    fn pass(&mut self, id: ProcedureId, body: &Body) {
        let definitions: FxHashMap<Term, Term> = body.definitions.iter().copied().collect();
        let mut roots = vec![body.returns];
        roots.extend(body.failures.iter().map(|failure| failure.condition));
        roots.extend(body.sites.iter().map(|site| site.start));
        let values = body.values.iter().zip(&self.outputs[id]);
        roots.extend(values.filter(|(_, needed)| **needed).map(|(value, _)| *value));
        for site in &body.sites {
            roots.extend(self.arguments(site));
        }
        let mut pending = free_vars(self.pool, &roots);
        while let Some(variable) = pending.pop() {
            if self.variables[id].insert(variable) {
                self.changed = true;
                let definition = definitions.get(&variable).copied();
                pending.extend(definition.iter().flat_map(|d| free_vars(self.pool, &[*d])));
            }
        }
        for site in &body.sites {
            for (n, output) in site.outputs.iter().enumerate() {
                if self.variables[id].contains(output) && !self.outputs[site.callee][n] {
                    self.outputs[site.callee][n] = true;
                    self.changed = true;
                }
            }
        }
    }

    /// The arguments of a call that its callee needs.
    fn arguments(&self, site: &Site) -> Vec<Term> {
        let inputs = self.interfaces[site.callee].inputs.iter().zip(&site.arguments);
        let needed = inputs.filter(|(input, _)| self.variables[site.callee].contains(input));
        needed.map(|(_, argument)| *argument).collect()
    }
}
