//! The automaton as relations: one for each edge, as a function of the state before it and of inputs.
//!
//! What a command leaves open (havocs, choices) are inputs, so that a step is a function of a state and its
//! inputs ([`program::symbolic`]). Locations from which the error location is unreachable by the graph
//! alone, or that can't be reached, have no relations.

use crate::domains::Domains;
use crate::literal::Literal;
use la_arena::ArenaMap;
use program::cfa::{Cfa, EdgeId, LocationId};
use program::minimize::live_variables;
use program::symbolic::{State, Trail, execute};
use program::verdict::Step;
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::free_vars;
use term::{Pool, Term, Value};

/// A location's number.
pub type NodeId = usize;
/// A relation's number.
pub type RelationId = usize;

/// Edges in a row, executed.
#[derive(Debug)]
pub struct Relation {
    /// Where the first leaves.
    pub from: NodeId,
    /// Where the last leads.
    pub to: NodeId,
    /// Whether a state and inputs get through.
    pub guard: Term,
    /// What is open: free variables of guard and values that are none of the automaton.
    pub inputs: Vec<Term>,
    /// The values of variables afterwards.
    state: State,
    /// The edges, with what stands for their havocs.
    edges: Vec<(EdgeId, Trail)>,
}

impl Relation {
    /// Executes edges in a row; none if no state gets through.
    pub fn new(
        pool: &Pool,
        cfa: &Cfa,
        live_after: &[Term],
        edges: &[EdgeId],
        [from, to]: [NodeId; 2],
    ) -> Option<Relation> {
        let mut state = State::new();
        let mut guards = Vec::new();
        let mut executed = Vec::new();
        for edge in edges {
            let done = execute(pool, &cfa.edges[*edge].command, &mut state);
            guards.push(done.guard);
            executed.push((*edge, done.trail));
        }
        let guard = pool.and(guards);
        if pool.as_bool(guard) == Some(false) {
            return None;
        }
        let mut mentioned = vec![guard];
        mentioned.extend(live_after.iter().map(|variable| state.get(*variable)));
        for (_, trail) in &executed {
            trail.for_each_term(&mut |term| mentioned.push(term));
        }
        let is_input = |variable: &Term| !cfa.variables.contains_key(variable);
        let inputs = free_vars(pool, &mentioned).into_iter().filter(is_input).collect();
        Some(Relation { from, to, guard, inputs, state, edges: executed })
    }

    /// The value of a variable afterwards.
    pub fn after(&self, variable: Term) -> Term {
        self.state.get(variable)
    }

    /// The literal about the state afterwards, as a formula about state and inputs before.
    pub fn before(&self, pool: &Pool, domains: &Domains, literal: &Literal) -> Term {
        literal.about(domains, self.after(literal.variable)).formula(pool)
    }

    /// The steps of a run by a model.
    pub fn steps<E>(
        &self,
        value: &mut dyn FnMut(Term) -> Result<Value, E>,
    ) -> Result<Vec<Step>, E> {
        let mut steps = Vec::with_capacity(self.edges.len());
        for (edge, trail) in &self.edges {
            let mut failed = None;
            let inputs = trail.inputs(&mut |condition| match value(condition) {
                Ok(value) => value == Value::Bool(true),
                Err(error) => {
                    failed = Some(error);
                    false
                }
            });
            if let Some(error) = failed {
                return Err(error);
            }
            let values = inputs.into_iter().map(|(input, term)| Ok((input, value(term)?)));
            steps.push(Step { edge: *edge, inputs: values.collect::<Result<_, E>>()? });
        }
        Ok(steps)
    }
}

/// All relations between locations, the error location aside.
#[derive(Debug)]
pub struct System {
    /// The locations of the nodes.
    pub locations: Vec<LocationId>,
    /// Where runs begin, in any state.
    pub initial: NodeId,
    /// Where violations lead.
    pub error: NodeId,
    /// Edges that do not lead to the error location; later those that the search adds.
    pub relations: Vec<Relation>,
    /// The relations into each node.
    pub incoming: Vec<Vec<RelationId>>,
    /// The relations from each node.
    pub outgoing: Vec<Vec<RelationId>>,
    /// The variables that are read again at each node.
    pub live: Vec<Vec<Term>>,
    /// Locations that no run reaches, by the graph alone.
    pub unreachable: Vec<LocationId>,
    /// The edges that matter into each node, also into the error location.
    pub edges_into: Vec<Vec<(NodeId, EdgeId)>>,
}

impl System {
    /// The system of an automaton with these initial and error locations.
    pub fn new(pool: &Pool, cfa: &Cfa, initial: LocationId, error: LocationId) -> System {
        let forward = reach(cfa, initial, |edge| (edge.from, edge.to));
        let backward = reach(cfa, error, |edge| (edge.to, edge.from));
        let matters = |id: &LocationId| {
            *id == initial || *id == error || forward.contains(id) && backward.contains(id)
        };
        let locations: Vec<LocationId> =
            cfa.locations.iter().map(|(id, _)| id).filter(matters).collect();
        let number: FxHashMap<LocationId, NodeId> =
            locations.iter().copied().enumerate().map(|(n, id)| (id, n)).collect();
        let live: ArenaMap<LocationId, Vec<Term>> = live_variables(pool, cfa);
        let count = locations.len();
        let mut system = System {
            initial: number[&initial],
            error: number[&error],
            relations: Vec::new(),
            incoming: vec![Vec::new(); count],
            outgoing: vec![Vec::new(); count],
            live: locations.iter().map(|id| live[*id].clone()).collect(),
            unreachable: cfa
                .locations
                .iter()
                .map(|(id, _)| id)
                .filter(|id| !forward.contains(id))
                .collect(),
            edges_into: vec![Vec::new(); count],
            locations,
        };
        for (id, edge) in cfa.edges.iter() {
            let (Some(&from), Some(&to)) = (number.get(&edge.from), number.get(&edge.to)) else {
                continue;
            };
            system.edges_into[to].push((from, id));
            if to != system.error && to != system.initial {
                let relation = Relation::new(pool, cfa, &system.live[to], &[id], [from, to]);
                if let Some(relation) = relation {
                    system.add(relation);
                }
            }
        }
        system
    }

    /// Adds a relation.
    pub fn add(&mut self, relation: Relation) -> RelationId {
        let id = self.relations.len();
        self.incoming[relation.to].push(id);
        self.outgoing[relation.from].push(id);
        self.relations.push(relation);
        id
    }
}

/// The locations that edges lead to from `first`.
fn reach(
    cfa: &Cfa,
    first: LocationId,
    ends: impl Fn(&program::cfa::Edge) -> (LocationId, LocationId),
) -> FxHashSet<LocationId> {
    let mut next: FxHashMap<LocationId, Vec<LocationId>> = FxHashMap::default();
    for (_, edge) in cfa.edges.iter() {
        let (from, to) = ends(edge);
        next.entry(from).or_default().push(to);
    }
    let mut seen = FxHashSet::from_iter([first]);
    let mut pending = vec![first];
    while let Some(location) = pending.pop() {
        for to in next.get(&location).into_iter().flatten() {
            if seen.insert(*to) {
                pending.push(*to);
            }
        }
    }
    seen
}
