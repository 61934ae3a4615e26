//! The automaton as the engine sees it: every arrow choice-free.
//!
//! Each edge of the [`Cfa`] becomes one [`Arrow`] for each of its paths (`split`, [Lan18, Def.
//! 4.8]). Where the paths are too many, the command is cut into pieces between nodes that stand
//! for no location of the automaton; such nodes have frames like the others, and as every cycle
//! passes through a location, the invariant can do without them.
//!
//! Guards that are linear equations are brought into the form that seeds have ([`analysis::polynomial`]).
//!
//! Nodes that are unreachable from the initial location, or from which the error location is
//! unreachable, by the graph alone, have no arrows.

use analysis::polynomial::canonical_literal;
use analysis::seeds;
use la_arena::ArenaMap;
use program::cfa::{Cfa, Command, EdgeId, LocationId};
use program::split::{count, split};
use program::wep::Effect;
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::free_vars;
use term::{Pool, Term};

/// A node's index.
pub type NodeId = usize;
/// An arrow's index.
pub type ArrowId = usize;

/// How many paths of one piece of a command become arrows of their own.
const MAX_PATHS: u64 = 24;

/// A point of the program, or one inside an edge.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The location that it stands for.
    pub location: Option<LocationId>,
    /// The arrows that lead here.
    pub incoming: Vec<ArrowId>,
    /// The arrows that leave.
    pub outgoing: Vec<ArrowId>,
}

/// A choice-free step.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// Where it leaves.
    pub from: NodeId,
    /// Where it leads.
    pub to: NodeId,
    /// The edge that it is a path of, or a piece of one.
    pub edge: EdgeId,
    /// What it does.
    pub effect: Effect,
    /// What [`Arrow::before`] has computed.
    images: FxHashMap<Term, Term>,
}

/// The graph.
#[derive(Debug, Default)]
pub struct Graph {
    /// All nodes.
    pub nodes: Vec<Node>,
    /// All arrows.
    pub arrows: Vec<Arrow>,
    /// Where runs start.
    pub initial: NodeId,
    /// Where violations lead.
    pub error: NodeId,
    /// The nodes of locations that no run can reach, by the graph alone.
    pub unreachable: Vec<LocationId>,
}

impl Graph {
    /// The graph of an automaton.
    ///
    /// Requires: the automaton has an initial and an error location.
    pub fn new(pool: &Pool, cfa: &Cfa, initial: LocationId, error: LocationId) -> Graph {
        let mut builder = Builder { pool, graph: Graph::default(), of: FxHashMap::default() };
        builder.graph.initial = builder.node(initial);
        builder.graph.error = builder.node(error);
        let forward = reach(cfa, initial, |edge| (edge.from, edge.to));
        let backward = reach(cfa, error, |edge| (edge.to, edge.from));
        for (id, edge) in cfa.edges.iter() {
            if forward.contains_key(&edge.from) && backward.contains_key(&edge.to) {
                let (from, to) = (builder.node(edge.from), builder.node(edge.to));
                builder.add(id, from, &edge.command, to);
            }
        }
        let mut graph = builder.graph;
        graph.unreachable =
            cfa.locations.iter().map(|(id, _)| id).filter(|id| !forward.contains_key(id)).collect();
        graph
    }

    /// The variables to which some arrow assigns the result of arithmetic on a variable.
    pub fn counters(&self, pool: &Pool) -> FxHashSet<Term> {
        seeds::counters(pool, self.arrows.iter().map(|arrow| &arrow.effect))
    }

    /// An invariant of the automaton from formulas by node; false at the error node and where no
    /// run gets.
    pub(crate) fn by_location(
        &self,
        pool: &Pool,
        cfa: &Cfa,
        formulas: impl Fn(NodeId) -> Vec<Term>,
    ) -> ArenaMap<LocationId, Vec<Term>> {
        let mut at: ArenaMap<LocationId, Vec<Term>> =
            cfa.locations.iter().map(|(id, _)| (id, vec![pool.tru()])).collect();
        for location in &self.unreachable {
            at.insert(*location, vec![pool.fls()]);
        }
        for (node, entry) in self.nodes.iter().enumerate() {
            let Some(location) = entry.location else { continue };
            let formulas = if node == self.error { vec![pool.fls()] } else { formulas(node) };
            if !formulas.is_empty() {
                at.insert(location, formulas);
            }
        }
        at
    }

    /// Whether an arrow leads back to where it leaves.
    pub fn is_loop(&self, arrow: ArrowId) -> bool {
        self.arrows[arrow].from == self.arrows[arrow].to
    }
}

/// The locations that edges lead to from `first`.
fn reach(
    cfa: &Cfa,
    first: LocationId,
    ends: impl Fn(&program::cfa::Edge) -> (LocationId, LocationId),
) -> FxHashMap<LocationId, ()> {
    let mut next: FxHashMap<LocationId, Vec<LocationId>> = FxHashMap::default();
    for (_, edge) in cfa.edges.iter() {
        let (from, to) = ends(edge);
        next.entry(from).or_default().push(to);
    }
    let mut seen = FxHashMap::from_iter([(first, ())]);
    let mut pending = vec![first];
    while let Some(location) = pending.pop() {
        for to in next.get(&location).into_iter().flatten() {
            if seen.insert(*to, ()).is_none() {
                pending.push(*to);
            }
        }
    }
    seen
}

struct Builder<'a> {
    pool: &'a Pool,
    graph: Graph,
    of: FxHashMap<LocationId, NodeId>,
}

impl Builder<'_> {
    fn node(&mut self, location: LocationId) -> NodeId {
        if let Some(node) = self.of.get(&location) {
            return *node;
        }
        let node = self.graph.nodes.len();
        self.graph.nodes.push(Node { location: Some(location), ..Node::default() });
        self.of.insert(location, node);
        node
    }

    /// Adds arrows for a command between two nodes. Nests as the command does.
    fn add(&mut self, edge: EdgeId, from: NodeId, command: &Command, to: NodeId) {
        if count(self.pool, command) <= MAX_PATHS {
            for path in split(self.pool, command) {
                let mut effect = Effect::new(self.pool, &path);
                for guard in &mut effect.guards {
                    *guard = canonical_literal(self.pool, *guard);
                }
                if !effect.is_blocked(self.pool) {
                    let images = FxHashMap::default();
                    self.arrow(Arrow { from, to, edge, effect, images });
                }
            }
            return;
        }
        match command {
            Command::Choice(commands) => {
                for command in commands {
                    self.add(edge, from, command, to);
                }
            }
            Command::Sequence(commands) => self.add_sequence(edge, from, commands, to),
            // A guard has few cases by construction, the other commands have one path.
            Command::Assume(_) | Command::Assign(..) | Command::Havoc(..) => {
                unreachable!("single commands have few paths")
            }
        }
    }

    /// Cuts a sequence into pieces with few paths each.
    fn add_sequence(&mut self, edge: EdgeId, from: NodeId, commands: &[Command], to: NodeId) {
        let mut at = from;
        let mut piece: Vec<Command> = Vec::new();
        let mut paths: u64 = 1;
        for command in commands {
            let more = count(self.pool, command);
            if paths.saturating_mul(more) > MAX_PATHS && !piece.is_empty() {
                let next = self.inner_node();
                let whole = Command::Sequence(std::mem::take(&mut piece));
                self.add(edge, at, &whole, next);
                (at, paths) = (next, 1);
            }
            if more > MAX_PATHS {
                let next = self.inner_node();
                self.add(edge, at, command, next);
                at = next;
            } else {
                piece.push(command.clone());
                paths = paths.saturating_mul(more);
            }
        }
        self.add(edge, at, &Command::Sequence(piece), to);
    }

    fn inner_node(&mut self) -> NodeId {
        self.graph.nodes.push(Node::default());
        self.graph.nodes.len() - 1
    }

    fn arrow(&mut self, arrow: Arrow) {
        let id = self.graph.arrows.len();
        self.graph.nodes[arrow.from].outgoing.push(id);
        self.graph.nodes[arrow.to].incoming.push(id);
        self.graph.arrows.push(arrow);
    }
}

impl Arrow {
    /// A literal after the arrow as one before it, guards left aside ([`Effect::before`]), in the
    /// form that seeds have.
    pub fn before(&mut self, pool: &Pool, literal: Term) -> Term {
        if let Some(image) = self.images.get(&literal) {
            return *image;
        }
        let image = canonical_literal(pool, self.effect.before(pool, literal));
        self.images.insert(literal, image);
        image
    }

    /// The literals of the guards that mention no input: predicates of the program about states
    /// at the node where the arrow leaves.
    pub fn predicates(&self, pool: &Pool) -> Vec<Term> {
        let input = |v: &Term| self.effect.inputs.iter().any(|(_, i)| i == v);
        let of_state = |g: &Term| !free_vars(pool, &[*g]).iter().any(input);
        self.effect.guards.iter().copied().filter(of_state).collect()
    }
}
