//! Direct calls: procedures in which every call is to one procedure that has a body, and every
//! check is an edge to the error location. Calls stay; procedures that are called no longer, as
//! they have no body, go.

use super::copy::{Calling, Calls, Copier, Scope, blank};
use super::{Error, Options};
use crate::cfa::{ContextId, LocationId, Origin};
use crate::procedures::{Action, Call, Callee, Extent, Procedure, ProcedureId, Procedures};
use crate::program::Reading;
use la_arena::{Arena, ArenaMap};
use rustc_hash::FxHashSet;
use term::traverse::Substitution;
use term::{Pool, Term};

/// The same procedures with direct calls.
pub(super) fn direct(
    pool: &Pool,
    options: &Options,
    source: &Procedures,
) -> Result<Procedures, Error> {
    let mut numbers: ArenaMap<ProcedureId, ProcedureId> = ArenaMap::default();
    let built = source.procedures.iter().filter(|(_, p)| p.extent == Extent::Body);
    for (new, (old, _)) in built.clone().enumerate() {
        numbers.insert(old, ProcedureId::from_raw((new as u32).into()));
    }
    let (mut copier, root) = Copier::new(pool, options, source);
    let mut kept = Kept { numbers };
    let mut procedures = Arena::new();
    for (_, procedure) in built {
        procedures.alloc(kept.procedure(&mut copier, procedure, root)?);
    }
    // A start of which nothing matters goes nowhere.
    let start = match kept.numbers.get(source.start) {
        Some(start) => *start,
        None => procedures.alloc(blank(&source.procedures[source.start])),
    };
    Ok(copier.finish(procedures, start))
}

struct Kept {
    numbers: ArenaMap<ProcedureId, ProcedureId>,
}

impl Kept {
    fn procedure(
        &mut self,
        copier: &mut Copier<'_>,
        procedure: &Procedure,
        context: ContextId,
    ) -> Result<Procedure, Error> {
        let mut scope = Scope { context, registers: Substitution::default() };
        let visible = visible(copier.source, procedure);
        let kept = |registers: &[Term]| {
            registers.iter().copied().filter(|register| visible.contains(register)).collect()
        };
        let new = Procedure {
            parameters: kept(&procedure.parameters),
            results: kept(&procedure.results),
            variables: procedure.variables.clone(),
            ..blank(procedure)
        };
        copier.procedure = new;
        let mut map: ArenaMap<LocationId, LocationId> = ArenaMap::default();
        let copy = &copier.procedure;
        for (from, to) in [
            (procedure.error, copy.error),
            (procedure.dead_end, copy.dead_end),
            (procedure.entry, copy.entry),
            (procedure.exit, copy.exit),
        ] {
            map.insert(from, to);
        }
        for (id, location) in procedure.locations.iter() {
            if !map.contains_idx(id) {
                map.insert(id, copier.copy_location(location, &scope));
            }
        }
        for edge in procedure.edges.values() {
            copier.edge(self, &mut scope, edge, map[edge.from], map[edge.to])?;
        }
        copier.done += copier.procedure.edges.len();
        let empty = blank(procedure);
        Ok(std::mem::replace(&mut copier.procedure, empty))
    }
}

/// The variables that a procedure can use.
fn visible(source: &Procedures, procedure: &Procedure) -> FxHashSet<Term> {
    let own = procedure.variables.iter().map(|(variable, _)| *variable);
    own.chain(source.globals.keys().copied()).collect()
}

impl Calls for Kept {
    fn call(
        &mut self,
        copier: &mut Copier<'_>,
        call: &Calling<'_>,
        callee: ProcedureId,
        from: LocationId,
    ) -> Result<(), Error> {
        let source = copier.source;
        let procedure = &source.procedures[callee];
        // What happens before the first call of all happens at the beginning of the start.
        if callee == source.start {
            let what = "the start of the program is called".to_owned();
            return Err(Error::Malformed { place: call.place.clone(), what });
        }
        let visible = visible(source, procedure);
        let arguments = procedure.parameters.iter().zip(&call.arguments);
        let arguments = arguments.filter(|(parameter, _)| visible.contains(parameter));
        let results = procedure.results.iter().zip(&call.results);
        let results = results.filter(|(result, _)| visible.contains(result));
        let kept = Call {
            callee: Callee::Procedure(self.numbers[callee]),
            arguments: arguments.map(|(_, argument)| *argument).collect(),
            results: results.map(|(_, into)| *into).collect(),
            instruction: Some(call.here),
        };
        declare(copier, &kept.results);
        copier.step(from, call.to, Action::Call(Box::new(kept)), call.place)
    }
}

/// What takes a result and is not in the slice, nobody reads; but it takes it.
fn declare(copier: &mut Copier<'_>, registers: &[Term]) {
    if copier.source.slice.is_none() {
        return;
    }
    for &register in registers {
        let own = &mut copier.procedure.variables;
        let known = copier.source.globals.contains_key(&register)
            || own.iter().any(|(variable, _)| *variable == register);
        if !known {
            let name = copier.pool.var_name(register).unwrap_or("register").into();
            let (sort, reading) = (copier.pool.sort(register), Reading::Unsigned);
            own.push((register, Origin { sort, variable: None, context: None, name, reading }));
        }
    }
}
