//! Inlining: one instance of a procedure for every chain of calls that leads to it, all in one
//! procedure.
//!
//! Each instance has registers of its own, except that the first one of a procedure takes the
//! procedure's own; so a program without repeated calls keeps its names. Instances are
//! expanded from a worklist, never by recursion. Recursion is unrolled to a depth; where that cuts,
//! an edge to the error location with [`Property::Unwinding`] makes a proof say that the depth
//! suffices.
//!
//! Of the slice of some properties less is built: as no call changes the registers of its
//! callers, what a parameter is given takes its place where nothing assigns the parameter; branches
//! that turn out impossible thereby are not built, nor what only they lead to.

use super::copy::{Calling, Calls, Copier, Scope, blank};
use super::{Error, Options};
use crate::cfa::{Command, Context, ContextId, LocationId, Origin};
use crate::place::Place;
use crate::procedures::{Action, Callee, EdgeId, Extent, Procedure, ProcedureId, Procedures};
use crate::property::Property;
use la_arena::{Arena, ArenaMap};
use rustc_hash::FxHashSet;
use term::traverse::{Substitution, subterms};
use term::{Op, Pool, Term};

/// One procedure without a call that does what the start does.
pub(super) fn inline(
    pool: &Pool,
    options: &Options,
    source: &Procedures,
) -> Result<Procedures, Error> {
    let (mut copier, root) = Copier::new(pool, options, source);
    let (entry, exit) = (copier.procedure.entry, copier.procedure.exit);
    let mut instances =
        Instances { pending: Vec::new(), chains: ArenaMap::default(), taken: FxHashSet::default() };
    if source.procedures[source.start].extent == Extent::Body {
        instances.open(&mut copier, source.start, root, None, (entry, exit), &[]);
    }
    while let Some(instance) = instances.pending.pop() {
        instances.expand(&mut copier, instance)?;
    }
    let empty = blank(&source.procedures[source.start]);
    let procedure = std::mem::replace(&mut copier.procedure, empty);
    let mut procedures = Arena::new();
    let start = procedures.alloc(procedure);
    Ok(copier.finish(procedures, start))
}

/// A call that is open, with the one around it.
struct Chain {
    parent: Option<ContextId>,
    procedure: ProcedureId,
}

/// The largest argument that takes the place of a parameter.
const LARGEST_ARGUMENT: usize = 12;

/// Registers with the values that they take.
type Assignments = Vec<(Term, Term)>;

/// A body that is to be copied.
struct Instance {
    procedure: ProcedureId,
    entry: LocationId,
    exit: LocationId,
    scope: Scope,
}

/// Whether a run takes an edge of an instance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    Never,
    /// But it does not go on after it.
    AsTheLast,
    Maybe,
}

struct Instances {
    pending: Vec<Instance>,
    chains: ArenaMap<ContextId, Chain>,
    /// Procedures whose own registers an instance has taken.
    taken: FxHashSet<ProcedureId>,
}

impl Calls for Instances {
    fn call(
        &mut self,
        copier: &mut Copier<'_>,
        call: &Calling<'_>,
        callee: ProcedureId,
        from: LocationId,
    ) -> Result<(), Error> {
        if self.is_cut(copier, call.here.0, callee) {
            return copier.violation(from, copier.pool.tru(), Property::Unwinding, call.place);
        }
        let mut calls = copier.contexts[call.here.0].calls.clone();
        calls.push((call.here.1, call.here.2));
        let context = copier.contexts.alloc(Context { calls });
        // With nothing to assign, the body begins and ends where the call does.
        let ends = (from, call.to);
        let parent = Some(call.here.0);
        let (bound, values) = self.open(copier, callee, context, parent, ends, &call.arguments);
        let returned = call.results.iter().copied().zip(values);
        let returned = returned.zip(call.into).filter(|(_, into)| is_needed(copier, **into));
        let returned: Assignments = returned.map(|(binding, _)| binding).collect();
        let whole = copier.source.slice.is_none();
        if whole || !bound.is_empty() {
            let entry = copier.location();
            assign_all(copier, from, entry, bound.into_iter(), call.place)?;
            if let Some(instance) = self.pending.last_mut() {
                instance.entry = entry;
            }
        }
        if whole || !returned.is_empty() {
            let exit = copier.location();
            assign_all(copier, exit, call.to, returned.into_iter(), call.place)?;
            if let Some(instance) = self.pending.last_mut() {
                instance.exit = exit;
            }
        }
        Ok(())
    }
}

impl Instances {
    /// Puts an instance with registers of its own on the worklist, and answers which registers take
    /// which arguments, and the results.
    fn open(
        &mut self,
        copier: &mut Copier<'_>,
        procedure: ProcedureId,
        context: ContextId,
        parent: Option<ContextId>,
        (entry, exit): (LocationId, LocationId),
        arguments: &[Term],
    ) -> (Assignments, Vec<Term>) {
        let (pool, source) = (copier.pool, copier.source);
        let definition = &source.procedures[procedure];
        self.chains.insert(context, Chain { parent, procedure });
        let own = self.taken.insert(procedure);
        let mut map = Vec::new();
        let mut replaced: FxHashSet<Term> = FxHashSet::default();
        if source.slice.is_some() {
            for (&parameter, &argument) in definition.parameters.iter().zip(arguments) {
                let fixed = !definition.results.contains(&parameter)
                    && !definition.assigned.contains(&parameter);
                if fixed && is_lasting(copier, argument) {
                    map.push((parameter, argument));
                    replaced.insert(parameter);
                }
            }
        }
        for (variable, origin) in &definition.variables {
            if replaced.contains(variable) {
                continue;
            }
            let mut term = *variable;
            if !own {
                let name = pool.var_name(term).unwrap_or("register");
                term = pool.fresh_var(name, origin.sort);
                map.push((*variable, term));
            }
            let origin = Origin { context: Some(context), ..origin.clone() };
            copier.procedure.variables.push((term, origin));
        }
        let mut registers = Substitution::new(map);
        let bound = definition.parameters.iter().zip(arguments);
        let bound = bound.filter(|(p, _)| !replaced.contains(p) && is_needed(copier, **p));
        let bound = bound.map(|(p, argument)| (registers.apply(pool, *p), *argument)).collect();
        let results = definition.results.iter().map(|r| registers.apply(pool, *r)).collect();
        let scope = Scope { context, registers };
        self.pending.push(Instance { procedure, entry, exit, scope });
        (bound, results)
    }

    /// Copies the body of an instance.
    fn expand(&mut self, copier: &mut Copier<'_>, mut instance: Instance) -> Result<(), Error> {
        let source = copier.source;
        let procedure = &source.procedures[instance.procedure];
        if source.slice.is_some() {
            return self.expand_part(copier, instance, procedure);
        }
        let mut map = instance.ends(copier, procedure);
        for (id, location) in procedure.locations.iter() {
            if !map.contains_idx(id) {
                map.insert(id, copier.copy_location(location, &instance.scope));
            }
        }
        for edge in procedure.edges.values() {
            copier.edge(self, &mut instance.scope, edge, map[edge.from], map[edge.to])?;
        }
        Ok(())
    }

    /// The same for a procedure of a slice, of which only that is copied which is possible in this
    /// instance.
    fn expand_part(
        &mut self,
        copier: &mut Copier<'_>,
        mut instance: Instance,
        procedure: &Procedure,
    ) -> Result<(), Error> {
        let (locations, edges) = self.possible(copier, &mut instance, procedure);
        let mut map = instance.ends(copier, procedure);
        let returns =
            |edge: &&crate::procedures::Edge| matches!(edge.action, Action::Return { .. });
        // What a return is preceded by comes first, whether it is reached or not.
        for edge in procedure.edges.values().filter(returns) {
            let copy = copier.copy_location(&procedure.locations[edge.from], &instance.scope);
            map.insert(edge.from, copy);
            copier.edge(self, &mut instance.scope, edge, copy, map[edge.to])?;
        }
        for location in locations {
            if !map.contains_idx(location) {
                let copy = copier.copy_location(&procedure.locations[location], &instance.scope);
                map.insert(location, copy);
            }
        }
        let dead_end = copier.procedure.dead_end;
        let at = |location: LocationId| map.get(location).copied().unwrap_or(dead_end);
        for id in edges {
            let edge = &procedure.edges[id];
            copier.edge(self, &mut instance.scope, edge, at(edge.from), at(edge.to))?;
        }
        Ok(())
    }

    /// The locations that a run can reach in an instance, and the edges that it can take, but for
    /// returns.
    fn possible(
        &self,
        copier: &Copier<'_>,
        instance: &mut Instance,
        procedure: &Procedure,
    ) -> (Vec<LocationId>, Vec<EdgeId>) {
        let mut leaving: ArenaMap<LocationId, Vec<EdgeId>> = ArenaMap::default();
        for (id, edge) in procedure.edges.iter() {
            if !matches!(edge.action, Action::Return { .. }) {
                leaving.entry(edge.from).or_default().push(id);
            }
        }
        let mut locations = vec![procedure.entry];
        let mut seen: FxHashSet<LocationId> =
            [procedure.entry, procedure.dead_end].into_iter().collect();
        let mut edges = Vec::new();
        let mut next = 0;
        while let Some(&location) = locations.get(next) {
            next += 1;
            for &id in leaving.get(location).into_iter().flatten() {
                let edge = &procedure.edges[id];
                let taken = self.taken(copier, instance, &edge.action);
                if taken != Taken::Never {
                    edges.push(id);
                }
                if taken == Taken::Maybe && seen.insert(edge.to) {
                    locations.push(edge.to);
                }
            }
        }
        (locations, edges)
    }

    fn taken(&self, copier: &Copier<'_>, instance: &mut Instance, action: &Action) -> Taken {
        let pool = copier.pool;
        match action {
            Action::Command(Command::Assume(formula)) => {
                match pool.as_bool(instance.scope.registers.apply(pool, *formula)) {
                    Some(false) => Taken::Never,
                    _ => Taken::Maybe,
                }
            }
            Action::Call(call) => match call.callee {
                Callee::Procedure(callee)
                    if self.is_cut(copier, instance.scope.context, callee) =>
                {
                    Taken::AsTheLast
                }
                _ => Taken::Maybe,
            },
            _ => Taken::Maybe,
        }
    }

    /// Whether a call of a procedure is too deep in a context to be unrolled.
    fn is_cut(&self, copier: &Copier<'_>, context: ContextId, callee: ProcedureId) -> bool {
        copier.source.procedures[callee].extent == Extent::Body
            && self.open_calls(context, callee) >= copier.options.recursion.max(1)
    }

    /// How many calls of a procedure are open in a context.
    fn open_calls(&self, context: ContextId, procedure: ProcedureId) -> u32 {
        let mut count = 0;
        let mut next = Some(context);
        while let Some(chain) = next.and_then(|context| self.chains.get(context)) {
            count += u32::from(chain.procedure == procedure);
            next = chain.parent;
        }
        count
    }
}

impl Instance {
    /// Where the special locations of the procedure go.
    fn ends(&self, copier: &Copier<'_>, procedure: &Procedure) -> ArenaMap<LocationId, LocationId> {
        let mut map = ArenaMap::default();
        map.insert(procedure.error, copier.procedure.error);
        map.insert(procedure.dead_end, copier.procedure.dead_end);
        map.insert(procedure.entry, self.entry);
        map.insert(procedure.exit, self.exit);
        map
    }
}

/// Whether a register, as the procedure calls it, is one of those that are built.
fn is_needed(copier: &Copier<'_>, register: Term) -> bool {
    copier.source.slice.as_ref().is_none_or(|slice| slice.needed.contains(&register))
}

/// Whether an argument is small and keeps its value during a call: it reads no register that the
/// callee can assign.
fn is_lasting(copier: &Copier<'_>, argument: Term) -> bool {
    let Some(slice) = &copier.source.slice else { return false };
    let local = |term: &Term| !slice.globals.contains(term);
    match copier.pool.op(argument) {
        Op::Value(_) => true,
        Op::Var(_) => local(&argument),
        _ => {
            let subterms = subterms(copier.pool, &[argument]);
            subterms.len() <= LARGEST_ARGUMENT && subterms.iter().all(local)
        }
    }
}

/// Assignments one after the other. Requires: no assigned register occurs in a later term.
fn assign_all(
    copier: &mut Copier<'_>,
    from: LocationId,
    to: LocationId,
    assignments: impl Iterator<Item = (Term, Term)>,
    place: &Place,
) -> Result<(), Error> {
    let mut here = from;
    let mut assignments = assignments.peekable();
    if assignments.peek().is_none() {
        return copier.step(from, to, Action::skip(), place);
    }
    while let Some((register, term)) = assignments.next() {
        let next = if assignments.peek().is_some() { copier.location() } else { to };
        let assign = Action::Command(Command::Assign(register, term));
        copier.step(here, next, assign, place)?;
        here = next;
    }
    Ok(())
}
