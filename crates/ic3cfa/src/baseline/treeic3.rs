//! Tree-IC3: IC3's search on the paths of an abstract reachability tree ([Lan18 §4.1]).
//!
//! The graph is unwound, depth first, into a tree whose vertices carry a node ℓ of the graph and a
//! set of clauses D. A vertex at the error node is an abstract counterexample: the path to it is
//! treated as IC3 treats its frames, with the vertex at depth i in the place of F_i. A cube that
//! must be excluded at depth i is asked about by (4.1), D_(i-1) ∧ T_(i-1) ∧ c', where T is the
//! disjunction of the arrows between the two nodes; it has a predecessor, which must be excluded
//! first, or is generalized and excluded. If the root is reached, the path is real; otherwise D of
//! the error vertex is false in the end. A leaf is *covered* by an older vertex of the same node
//! whose clauses it implies, and is not unwound. When all leaves are covered or false, the
//! disjunction of the labels at each node is an inductive invariant.
//!
//! Invariants:
//! * D of the root, at ℓ₀, is true; D ∧ T ⇒ D' from a vertex to its child;
//! * a vertex is covered only by older ones, so that there is no cycle of covers.
//!
//! So that loops come to an end at all, a leaf may take over the clauses of the vertex that could
//! cover it, where they hold after the step into it.

use super::{NON_CRITICAL_CONFLICTS, Task, decide};
use crate::counterexample::Chain;
use crate::cube::Cube;
use crate::engine::{End, safe};
use crate::graph::{ArrowId, Graph, NodeId};
use crate::observer::{Observer, Phase};
use crate::predecessor::cube_of_states;
use crate::strategy::Predecessors;
use program::cfa::Cfa;
use program::execute::Values;
use program::verdict::{Reason, Verdict};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Allowance, Answer, Solver, Solvers};
use std::time::Instant;
use term::traverse::free_vars;
use term::{Pool, Sort, Term};

/// How large the tree may become.
const MAX_VERTICES: usize = 1 << 20;

type VertexId = usize;
const ROOT: VertexId = 0;

struct Vertex {
    node: NodeId,
    parent: Option<VertexId>,
    depth: usize,
    /// The clauses of D, as the cubes that they deny.
    label: Vec<Cube>,
    /// Activates D in the node's solver.
    active: Term,
    covered_by: Option<VertexId>,
}

/// Decides whether the error location is reachable.
pub fn check(
    pool: &Pool,
    cfa: &Cfa,
    solvers: &dyn Solvers,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Verdict {
    decide(pool, cfa, solvers, allowance, observer, |task| TreeIc3::new(task).run(cfa))
}

/// T between two nodes: its arrows, for each pair that has some.
fn arrows_between(graph: &Graph) -> FxHashMap<(NodeId, NodeId), Vec<ArrowId>> {
    let mut arrows: FxHashMap<(NodeId, NodeId), Vec<ArrowId>> = FxHashMap::default();
    for (id, arrow) in graph.arrows.iter().enumerate() {
        arrows.entry((arrow.from, arrow.to)).or_default().push(id);
    }
    arrows
}

struct TreeIc3<'a> {
    task: Task<'a>,
    arrows: FxHashMap<(NodeId, NodeId), Vec<ArrowId>>,
    vertices: Vec<Vertex>,
    /// What each vertex covers.
    covers: FxHashMap<VertexId, Vec<VertexId>>,
    /// The vertices of each node, oldest first.
    at: FxHashMap<NodeId, Vec<VertexId>>,
    /// One for each node, with the labels of its vertices; made when first asked.
    solvers: Vec<Option<Box<dyn Solver>>>,
}

/// What a query about one step says.
enum Step {
    /// No state of D leads into the cube; literals that are enough.
    Excluded(Vec<Term>),
    /// These states do, by this arrow.
    Reachable(ArrowId, Cube),
    /// The query was not worth more effort.
    Undecided,
}

impl<'a> TreeIc3<'a> {
    fn new(task: Task<'a>) -> Self {
        TreeIc3 {
            arrows: arrows_between(&task.graph),
            vertices: Vec::new(),
            covers: FxHashMap::default(),
            at: FxHashMap::default(),
            solvers: task.graph.nodes.iter().map(|_| None).collect(),
            task,
        }
    }

    fn run(&mut self, cfa: &Cfa) -> Result<Verdict, End> {
        let root = self.add_vertex(self.task.graph.initial, None);
        let mut leaves = vec![root];
        let mut deepest = 0;
        while let Some(leaf) = leaves.pop() {
            let Vertex { node, depth, .. } = self.vertices[leaf];
            if depth > deepest {
                deepest = depth;
                self.task.observer.frontier(depth, &[], leaves.len());
            }
            if node == self.task.graph.error {
                if let Some(chain) = self.block_path(leaf, &mut leaves)? {
                    return self.task.counterexample(cfa, &chain);
                }
            } else if !self.is_false(leaf) && !self.cover(leaf, &mut leaves)? {
                self.unwind(leaf, &mut leaves)?;
            }
        }
        Ok(safe(self.invariant(cfa)))
    }

    fn add_vertex(&mut self, node: NodeId, parent: Option<VertexId>) -> VertexId {
        let id = self.vertices.len();
        let depth = parent.map_or(0, |parent| self.vertices[parent].depth + 1);
        let active = self.task.pool.fresh_var("label", Sort::Bool);
        let label = Vec::new();
        self.vertices.push(Vertex { node, parent, depth, label, active, covered_by: None });
        self.at.entry(node).or_default().push(id);
        id
    }

    /// Gives a leaf its children. The error node is looked at first.
    fn unwind(&mut self, leaf: VertexId, leaves: &mut Vec<VertexId>) -> Result<(), End> {
        if self.vertices.len() > MAX_VERTICES {
            let words = format!("the tree has more than {MAX_VERTICES} vertices");
            return Err(End::Stopped(Reason::GaveUp(words)));
        }
        let node = self.vertices[leaf].node;
        let outgoing = self.task.graph.nodes[node].outgoing.iter();
        let mut next: Vec<NodeId> =
            outgoing.map(|arrow| self.task.graph.arrows[*arrow].to).collect();
        next.sort_unstable_by_key(|to| (*to == self.task.graph.error, *to));
        next.dedup();
        for to in next {
            let child = self.add_vertex(to, Some(leaf));
            leaves.push(child);
        }
        Ok(())
    }

    fn is_false(&self, vertex: VertexId) -> bool {
        self.vertices[vertex].label.iter().any(Cube::is_empty)
    }

    /// Excludes everything at the error vertex, or returns a chain of cubes from the root to it.
    fn block_path(
        &mut self,
        error: VertexId,
        leaves: &mut Vec<VertexId>,
    ) -> Result<Option<Chain>, End> {
        // From the error towards the root: a vertex, the cube to exclude there, and the arrow
        // by which its states lead into the cube before.
        let mut open: Vec<(VertexId, Cube, Option<ArrowId>)> = vec![(error, Cube::default(), None)];
        while let Some((vertex, cube, _)) = open.last().cloned() {
            if self.vertices[vertex].label.iter().any(|lemma| lemma.subsumes(&cube)) {
                open.pop();
                continue;
            }
            let parent = self.vertices[vertex].parent.expect("the root ends the search");
            match self.step(vertex, cube.literals(), Phase::Block)? {
                Step::Reachable(arrow, before) if parent == ROOT => {
                    open.push((parent, before, Some(arrow)));
                    return Ok(Some(chain(&open)));
                }
                Step::Reachable(arrow, before) => {
                    self.task.observer.obligation(self.vertices[parent].depth, before.len());
                    open.push((parent, before, Some(arrow)));
                }
                Step::Excluded(core) => {
                    let lemma = self.generalize(vertex, core)?;
                    self.strengthen(vertex, lemma, leaves)?;
                    open.pop();
                }
                Step::Undecided => unreachable!("critical queries are decided"),
            }
        }
        Ok(None)
    }

    /// (4.1): whether no state of the parent's D leads by T into the cube at a vertex.
    fn step(&mut self, vertex: VertexId, cube: &[Term], phase: Phase) -> Result<Step, End> {
        let Vertex { node, parent, .. } = self.vertices[vertex];
        let parent = parent.expect("the root is never asked about");
        let (from, active) = (self.vertices[parent].node, self.vertices[parent].active);
        let mut used: FxHashSet<Term> = FxHashSet::default();
        for position in 0..self.arrows[&(from, node)].len() {
            let arrow = self.arrows[&(from, node)][position];
            let pool = self.task.pool;
            let effect = &mut self.task.graph.arrows[arrow].effect;
            let before: Vec<Term> = cube.iter().map(|l| effect.before(pool, *l)).collect();
            if let Some(i) = before.iter().position(|l| pool.as_bool(*l) == Some(false)) {
                // A literal that the arrow makes false by itself.
                used.insert(cube[i]);
                continue;
            }
            let mut assumptions = vec![active];
            assumptions.extend(effect.guards.iter().chain(&before));
            // SAT? D ∧ guards ∧ c'
            match self.ask(from, &assumptions, phase)? {
                Answer::Unsat => {
                    let core = self.solver(from).core();
                    let pairs = cube.iter().zip(&before);
                    used.extend(pairs.filter(|(_, b)| core.contains(b)).map(|(l, _)| *l));
                }
                Answer::Sat if phase == Phase::Block => {
                    let before = self.predecessor(arrow, cube)?;
                    return Ok(Step::Reachable(arrow, before));
                }
                Answer::Sat => return Ok(Step::Reachable(arrow, Cube::default())),
                Answer::Unknown(_) => return Ok(Step::Undecided),
            }
        }
        Ok(Step::Excluded(cube.iter().copied().filter(|l| used.contains(l)).collect()))
    }

    /// States before the arrow that lead into the cube.
    ///
    /// Requires: the last query was about this arrow and cube, and satisfiable.
    fn predecessor(&mut self, arrow: ArrowId, cube: &[Term]) -> Result<Cube, End> {
        let (pool, from) = (self.task.pool, self.task.graph.arrows[arrow].from);
        let literals = self.task.graph.arrows[arrow].effect.wep(pool, cube);
        let mut model = Values::default();
        for variable in free_vars(pool, &literals) {
            model.insert(variable, self.solver(from).value(pool, variable)?);
        }
        Ok(cube_of_states(
            pool,
            &self.task.graph.arrows[arrow].effect,
            literals,
            &model,
            Predecessors::Cases,
        ))
    }

    fn ask(&mut self, node: NodeId, assumptions: &[Term], phase: Phase) -> Result<Answer, End> {
        self.task.check_allowance()?;
        let pool = self.task.pool;
        let conflicts = (phase != Phase::Block).then_some(NON_CRITICAL_CONFLICTS);
        let solver = self.solver(node);
        solver.set_work(conflicts);
        let started = Instant::now();
        let answer = solver.check(pool, assumptions)?;
        self.task.observer.asked(phase, started.elapsed());
        match answer {
            Answer::Unknown(smt::Reason::Stopped(smt::Exhausted::Work))
                if phase != Phase::Block =>
            {
                Ok(answer)
            }
            Answer::Unknown(reason) => Err(reason.into()),
            answer => Ok(answer),
        }
    }

    fn solver(&mut self, node: NodeId) -> &mut Box<dyn Solver> {
        self.solvers[node].get_or_insert_with(|| self.task.solver())
    }

    /// Drops literals as long as the step into the vertex does not lead into the cube.
    fn generalize(&mut self, vertex: VertexId, core: Vec<Term>) -> Result<Cube, End> {
        let mut kept = core;
        for literal in kept.clone() {
            let without: Vec<Term> = kept.iter().copied().filter(|l| *l != literal).collect();
            if without.len() == kept.len() {
                continue;
            }
            if let Step::Excluded(core) = self.step(vertex, &without, Phase::Generalize)? {
                kept = core;
            }
        }
        Ok(Cube::new(kept))
    }

    /// Adds a clause to D. What the vertex covers is to be looked at again.
    fn strengthen(
        &mut self,
        vertex: VertexId,
        cube: Cube,
        leaves: &mut Vec<VertexId>,
    ) -> Result<(), End> {
        let pool = self.task.pool;
        let Vertex { node, active, depth, .. } = self.vertices[vertex];
        let clause = pool.or([pool.not(active), cube.negation(pool)]);
        self.solver(node).assert(pool, clause)?;
        self.task.observer.lemma(depth, cube.len());
        let label = &mut self.vertices[vertex].label;
        label.retain(|old| !cube.subsumes(old));
        label.push(cube);
        for covered in self.covers.remove(&vertex).unwrap_or_default() {
            self.vertices[covered].covered_by = None;
            leaves.push(covered);
        }
        Ok(())
    }

    /// Looks for an older vertex of the same node whose D the leaf's implies.
    fn cover(&mut self, leaf: VertexId, leaves: &mut Vec<VertexId>) -> Result<bool, End> {
        let node = self.vertices[leaf].node;
        let older: Vec<VertexId> =
            self.at[&node].iter().copied().take_while(|other| *other < leaf).collect();
        // The youngest is the likeliest: the last round of the same loop.
        for other in older.into_iter().rev() {
            if self.vertices[other].covered_by.is_none()
                && !self.is_false(other)
                && self.implies(leaf, other, leaves)?
            {
                self.vertices[leaf].covered_by = Some(other);
                self.covers.entry(other).or_default().push(leaf);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// D of the leaf ⇒ D of the other? Clauses that hold after the step into the leaf are added
    /// to it.
    fn implies(
        &mut self,
        leaf: VertexId,
        other: VertexId,
        leaves: &mut Vec<VertexId>,
    ) -> Result<bool, End> {
        let Vertex { node, active, .. } = self.vertices[leaf];
        for cube in self.vertices[other].label.clone() {
            if self.vertices[leaf].label.iter().any(|lemma| lemma.subsumes(&cube)) {
                continue;
            }
            let mut assumptions = vec![active];
            assumptions.extend(cube.literals());
            // SAT? D of the leaf ∧ c
            if self.ask(node, &assumptions, Phase::Propagate)? == Answer::Unsat {
                continue;
            }
            match self.step(leaf, cube.literals(), Phase::Propagate)? {
                Step::Excluded(_) => self.strengthen(leaf, cube, leaves)?,
                Step::Reachable(..) | Step::Undecided => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The disjunction of the labels at each location.
    fn invariant(&self, cfa: &Cfa) -> la_arena::ArenaMap<program::cfa::LocationId, Vec<Term>> {
        let pool = self.task.pool;
        let label = |vertex: &VertexId| {
            pool.and(self.vertices[*vertex].label.iter().map(|cube| cube.negation(pool)))
        };
        self.task.graph.by_location(pool, cfa, |node| {
            let vertices = self.at.get(&node).into_iter().flatten();
            let open = vertices.filter(|v| self.vertices[**v].covered_by.is_none());
            vec![pool.or(open.map(label))]
        })
    }
}

/// The chain that a search has followed, from its last cube to its first.
fn chain(open: &[(VertexId, Cube, Option<ArrowId>)]) -> Chain {
    let (_, first, _) = &open[open.len() - 1];
    let steps = open.windows(2).rev().map(|pair| {
        let arrow = pair[1].2.expect("only the first has none");
        (arrow, pair[0].1.clone())
    });
    Chain { first: first.clone(), steps: steps.collect() }
}
