//! Control-flow automata: one graph for a whole program, what engines work on.
//!
//! An edge carries a guarded command [LPN18, Def. 1]. A state is a value for every variable;
//! runs start in [`Cfa::initial`] with any values (initial values are assigned by the first
//! edges), and the program is unsafe if a run reaches [`Cfa::error`]. No edge leaves the error
//! location.
//!
//! Each `Havoc` carries an [`InputId`]; a run is determined by its edges, the branches taken in
//! choices, and the values of its havocs. [`Input`] says which instruction of the [`Program`] in
//! which chain of calls a havoc stands for, so that the interpreter can replay the run.
//!
//! [`Program`]: crate::Program

use crate::place::Place;
use crate::program::{Cause, EdgeId as ProgramEdgeId, FunctionId, Reading, VariableId};
use crate::property::Property;
use crate::verdict::Invariant;
use la_arena::{Arena, ArenaMap, Idx};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;
use term::traverse::free_vars;
use term::{Pool, Sort, Term, traverse};

/// A location's index.
pub type LocationId = Idx<Location>;
/// An edge's index.
pub type EdgeId = Idx<Edge>;
/// An input's index.
pub type InputId = Idx<Input>;
/// A chain of calls.
pub type ContextId = Idx<Context>;

/// A control-flow automaton. Terms are of the pool of the program that it was made of, or of
/// the one given to [`Cfa::import`].
#[derive(Clone, Debug, Default)]
pub struct Cfa {
    /// Points of the program.
    pub locations: Arena<Location>,
    /// Steps.
    pub edges: Arena<Edge>,
    /// State variables; each is a variable of the pool. Every variable of a term on an edge is
    /// among them.
    pub variables: FxHashMap<Term, Origin>,
    /// What havocs stand for.
    pub inputs: Arena<Input>,
    /// Chains of calls.
    pub contexts: Arena<Context>,
    /// Where runs start.
    pub initial: Option<LocationId>,
    /// Where violations lead.
    pub error: Option<LocationId>,
}

/// A point of the program.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// The source's point that comes next.
    pub place: Place,
    /// Whether a loop statement of the source begins here.
    pub loop_head: bool,
    /// The chain of calls that it is in; none where the automaton was not made from calls.
    pub context: Option<ContextId>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it leaves.
    pub from: LocationId,
    /// Where it leads.
    pub to: LocationId,
    /// What it does.
    pub command: Command,
    /// The source of its first instruction.
    pub place: Place,
    /// For an edge to the error location, what is violated.
    pub violates: Option<Property>,
}

/// A guarded command: loop-free code. `skip` is the empty sequence, `false` the empty choice.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Command {
    /// Goes on only if the formula holds.
    Assume(Term),
    /// The variable takes the value of the term.
    Assign(Term, Term),
    /// The variable takes any value of its sort.
    Havoc(Term, InputId),
    /// One after the other.
    Sequence(Vec<Command>),
    /// One of them.
    Choice(Vec<Command>),
}

impl Command {
    /// The command that does nothing.
    pub fn skip() -> Command {
        Command::Sequence(Vec::new())
    }

    /// Whether it does nothing.
    pub fn is_skip(&self) -> bool {
        matches!(self, Command::Sequence(commands) if commands.is_empty())
    }

    /// Visits the commands that are neither sequences nor choices, in order.
    pub fn for_each_atom<'c>(&'c self, visit: &mut impl FnMut(&'c Command)) {
        if !matches!(self, Command::Sequence(_) | Command::Choice(_)) {
            return visit(self);
        }
        let mut pending = vec![self];
        while let Some(command) = pending.pop() {
            match command {
                Command::Sequence(commands) | Command::Choice(commands) => {
                    pending.extend(commands.iter().rev());
                }
                atom => visit(atom),
            }
        }
    }

    /// Replaces every term, assigned variables too.
    pub fn map_terms(&mut self, map: &mut impl FnMut(Term) -> Term) {
        match self {
            Command::Assume(formula) => *formula = map(*formula),
            Command::Assign(variable, term) => {
                *variable = map(*variable);
                *term = map(*term);
            }
            Command::Havoc(variable, _) => *variable = map(*variable),
            Command::Sequence(commands) | Command::Choice(commands) => {
                for command in commands {
                    command.map_terms(map);
                }
            }
        }
    }
}

impl Cfa {
    /// The edges that leave each location.
    pub fn leaving(&self) -> ArenaMap<LocationId, Vec<EdgeId>> {
        self.edges_by(|edge| edge.from)
    }

    /// The edges that lead to each location.
    pub fn arriving(&self) -> ArenaMap<LocationId, Vec<EdgeId>> {
        self.edges_by(|edge| edge.to)
    }

    fn edges_by(&self, end: impl Fn(&Edge) -> LocationId) -> ArenaMap<LocationId, Vec<EdgeId>> {
        let mut edges: ArenaMap<LocationId, Vec<EdgeId>> =
            self.locations.iter().map(|(location, _)| (location, Vec::new())).collect();
        for (id, edge) in self.edges.iter() {
            edges[end(edge)].push(id);
        }
        edges
    }

    /// The same automaton, in which what holds at a location is assumed on the edges that leave it: where
    /// the invariant is inductive, that takes no run away. Formulas with parameters are left out.
    pub fn assuming(&self, pool: &Pool, invariant: &Invariant) -> Cfa {
        let mut cfa = self.clone();
        let plain = |formula: &&Term| {
            free_vars(pool, &[**formula]).iter().all(|v| self.variables.contains_key(v))
        };
        for (_, edge) in cfa.edges.iter_mut() {
            let formulas = invariant.at.get(edge.from).into_iter().flatten().filter(plain);
            let formulas: Vec<Term> = formulas.copied().collect();
            if !formulas.is_empty() {
                let known = Command::Assume(pool.and(formulas));
                let rest = std::mem::replace(&mut edge.command, Command::skip());
                edge.command = Command::Sequence(vec![known, rest]);
            }
        }
        cfa
    }

    /// The same automaton with terms of another pool; pools can't be shared between threads, so
    /// each engine that has its own thread has its own.
    pub fn import(&self, from: &Pool, into: &Pool) -> Cfa {
        let mut map = FxHashMap::default();
        let mut import = |term: Term| traverse::import(from, term, into, &mut map);
        let mut cfa = self.clone();
        for (_, edge) in cfa.edges.iter_mut() {
            edge.command.map_terms(&mut import);
        }
        let imported = |(&term, origin): (&Term, &Origin)| {
            let term = import(term);
            (term, Origin { sort: into.sort(term), ..origin.clone() })
        };
        cfa.variables = self.variables.iter().map(imported).collect();
        for (_, input) in cfa.inputs.iter_mut() {
            input.sort = traverse::import_sort(from, input.sort, into);
        }
        cfa
    }
}

/// Where a variable of an automaton comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Its sort.
    pub sort: Sort,
    /// The register it is an instance of; none for memory.
    pub variable: Option<VariableId>,
    /// The chain of calls whose instance it is; none for global registers and memory.
    pub context: Option<ContextId>,
    /// What to call it in messages.
    pub name: Arc<str>,
    /// How its values are written.
    pub reading: Reading,
}

/// A chain of calls: the calls that are open, outermost first, by function and edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Context {
    /// The open calls.
    pub calls: SmallVec<[(FunctionId, ProgramEdgeId); 4]>,
}

/// What a havoc stands for.
#[derive(Clone, Debug)]
pub struct Input {
    /// The instruction; none for a havoc that no instruction stands for, such as the first
    /// contents of memory or an unknown byte of it.
    pub instruction: Option<(ContextId, FunctionId, ProgramEdgeId)>,
    /// Why the value is unknown.
    pub cause: Cause,
    /// Its sort.
    pub sort: Sort,
}
