//! The loop: unwind, look at paths into the error location, refine.

use crate::abstraction::{Abstract, Source, chosen};
use crate::observer::{Observer, Purpose};
use crate::options::Options;
use crate::path::{Names, PathFormula};
use crate::questions::Questions;
use crate::refine::interpolants;
use crate::step::Step;
use crate::tree::{Open, ROOT, Tree, VertexId};
use la_arena::ArenaMap;
use program::cfa::{Cfa, EdgeId, LocationId};
use program::minimize::live_variables;
use program::verdict::{Invariant, Proof, Reason, Run, Verdict};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Allowance, Solvers};
use std::collections::BTreeSet;
use term::traverse::conjuncts;
use term::{Pool, Term};

/// Decides whether the error location is reachable.
pub fn check(
    pool: &Pool,
    cfa: &Cfa,
    options: &Options,
    solvers: &dyn Solvers,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Verdict {
    let (Some(initial), Some(error)) = (cfa.initial, cfa.error) else {
        // Without a start or an error there is no run into the error.
        let formula = pool.bool(cfa.initial.is_some());
        let at = cfa.locations.iter().map(|(id, _)| (id, vec![formula])).collect();
        return Verdict::Safe(Proof::Inductive(Invariant { at }));
    };
    if initial == error {
        return Verdict::Unsafe(Run::default());
    }
    let questions = Questions::new(pool, solvers, allowance, observer);
    let mut engine = Engine::new(questions, cfa, options, initial, error);
    engine.run().unwrap_or_else(Verdict::Unknown)
}

/// See the module's head.
struct Engine<'a> {
    questions: Questions<'a>,
    cfa: &'a Cfa,
    error: LocationId,
    options: Options,
    abstraction: Box<dyn Abstract>,
    /// The edges that leave a location and from whose ends the error location is reached, by the
    /// graph alone.
    leaving: ArenaMap<LocationId, Vec<EdgeId>>,
    /// The locations from which it is reached.
    relevant: FxHashSet<LocationId>,
    /// Those edges as functions; made when first taken.
    steps: FxHashMap<EdgeId, Step>,
    /// The variables whose values matter at a location.
    live: ArenaMap<LocationId, FxHashSet<Term>>,
    /// The predicates of each location, in the order in which they were found.
    predicates: FxHashMap<LocationId, Vec<Term>>,
    /// All of them.
    known: BTreeSet<Term>,
    names: Names,
    tree: Tree,
}

impl<'a> Engine<'a> {
    fn new(
        questions: Questions<'a>,
        cfa: &'a Cfa,
        options: &Options,
        initial: LocationId,
        error: LocationId,
    ) -> Self {
        let relevant = leading_to(cfa, error);
        let mut leaving = cfa.leaving();
        for (_, edges) in leaving.iter_mut() {
            edges.retain(|edge| relevant.contains(&cfa.edges[*edge].to));
        }
        let live = live_variables(questions.pool, cfa);
        Engine {
            cfa,
            error,
            options: *options,
            abstraction: chosen(options.abstraction),
            leaving,
            relevant,
            steps: FxHashMap::default(),
            live: live.iter().map(|(id, live)| (id, live.iter().copied().collect())).collect(),
            predicates: FxHashMap::default(),
            known: BTreeSet::new(),
            names: Names::default(),
            tree: Tree::new(initial),
            questions,
        }
    }

    fn run(&mut self) -> Result<Verdict, Reason> {
        self.questions.observer.begin(self.relevant.len());
        while let Some(open) = self.tree.next() {
            self.questions.check_allowance()?;
            match open {
                Open::Vertex(vertex) => {
                    if !self.cover(vertex)? {
                        self.unwind(vertex);
                    }
                }
                Open::Edge(vertex, edge) if self.cfa.edges[edge].to == self.error => {
                    if let Some(run) = self.violation(vertex, edge)? {
                        return Ok(Verdict::Unsafe(run));
                    }
                }
                Open::Edge(vertex, edge) => self.follow(vertex, edge)?,
            }
        }
        Ok(Verdict::Safe(Proof::Inductive(self.invariant())))
    }

    /// Opens the edges that leave a vertex. Those into the error location come first.
    fn unwind(&mut self, vertex: VertexId) {
        for &edge in &self.leaving[self.tree.get(vertex).location] {
            let urgent = self.cfa.edges[edge].to == self.error;
            self.tree.open(Open::Edge(vertex, edge), urgent);
        }
    }

    /// Looks for an older vertex of the same location whose state is implied.
    ///
    /// What both have is implied, and a predicate of the location that the vertex lacks is not:
    /// the abstraction would have it. Other formulas are asked about.
    fn cover(&mut self, vertex: VertexId) -> Result<bool, Reason> {
        let location = self.tree.get(vertex).location;
        let older: Vec<VertexId> =
            self.tree.uncovered(location).take_while(|other| *other < vertex).collect();
        let predicates = self.predicates.get(&location).map_or(&[][..], Vec::as_slice);
        let pool = self.questions.pool;
        for other in older {
            let state = &self.tree.get(vertex).state;
            let lacks = |formula: &&Term| !state.contains(formula);
            let missing: Vec<Term> =
                self.tree.get(other).state.iter().filter(lacks).copied().collect();
            if missing.iter().any(|formula| predicates.contains(formula)) {
                continue;
            }
            let broken: Vec<Term> = missing.iter().map(|formula| pool.not(*formula)).collect();
            // SAT? D ∧ ¬D of the other
            let implied = broken.is_empty()
                || !self.questions.satisfiable(location, Purpose::Cover, state, &broken)?;
            if implied {
                self.tree.cover(vertex, other);
                self.questions.observer.covered();
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Follows an edge: makes the abstract successor, if there is one, and opens it.
    fn follow(&mut self, vertex: VertexId, edge: EdgeId) -> Result<(), Reason> {
        if self.tree.len() >= self.options.states {
            let words = format!("more than {} abstract states", self.options.states);
            return Err(Reason::GaveUp(words));
        }
        self.make_step(edge);
        let from = self.tree.get(vertex);
        let to = self.cfa.edges[edge].to;
        let step = self.steps.get_mut(&edge).expect("made above");
        let source = Source { at: from.location, state: &from.state, step };
        let predicates = self.predicates.get(&to).map_or(&[][..], Vec::as_slice);
        let state = self.abstraction.successor(&mut self.questions, source, predicates)?;
        if let Some(state) = state {
            self.questions.observer.state(state.len());
            let child = self.tree.add(to, Some((vertex, edge)), state);
            // Whether it is covered is to be known before anything else is added.
            self.tree.open(Open::Vertex(child), true);
        }
        Ok(())
    }

    fn make_step(&mut self, edge: EdgeId) {
        let (pool, cfa) = (self.questions.pool, self.cfa);
        self.steps.entry(edge).or_insert_with(|| Step::new(pool, cfa, edge));
    }

    /// Looks at an edge into the error location. If it can be taken from the abstract state,
    /// either there is a run along the branch, or the branch is refined.
    fn violation(&mut self, vertex: VertexId, edge: EdgeId) -> Result<Option<Run>, Reason> {
        self.make_step(edge);
        let from = self.tree.get(vertex);
        let mut assumptions = from.state.clone();
        assumptions.extend(&self.steps[&edge].guards);
        // SAT? D ∧ T into the error location
        if !self.questions.satisfiable(from.location, Purpose::Abstract, &assumptions, &[])? {
            return Ok(None);
        }
        let branch = self.tree.branch(vertex);
        let edges = branch.iter().filter_map(|vertex| Some(self.tree.get(*vertex).parent?.1));
        let steps: Vec<(&Step, LocationId)> =
            edges.chain([edge]).map(|e| (&self.steps[&e], self.cfa.edges[e].to)).collect();
        let pool = self.questions.pool;
        let mut path = PathFormula::new(pool, &mut self.names, &self.live, &steps);
        if let Some(run) = path.run(&mut self.questions, self.cfa, &steps)? {
            return Ok(Some(run));
        }
        let options = &self.options.interpolation;
        let found = interpolants(&mut self.questions, &path, &steps, &self.known, options)?;
        let edges = steps.len();
        self.refine(&branch, &found, edges)?;
        Ok(None)
    }

    /// Adds the interpolants of a branch to the predicates, and removes what is below the first
    /// vertex that does not imply its interpolant.
    fn refine(
        &mut self,
        branch: &[VertexId],
        interpolants: &[Term],
        edges: usize,
    ) -> Result<(), Reason> {
        debug_assert_eq!(branch[0], ROOT);
        let pool = self.questions.pool;
        let mut added = 0;
        for (vertex, interpolant) in branch[1..].iter().zip(interpolants) {
            let here = self.predicates.entry(self.tree.get(*vertex).location).or_default();
            for predicate in conjuncts(pool, *interpolant) {
                if pool.as_bool(predicate).is_none() && !here.contains(&predicate) {
                    here.push(predicate);
                    self.known.insert(predicate);
                    added += 1;
                }
            }
        }
        for (vertex, interpolant) in branch[1..].iter().zip(interpolants) {
            let from = self.tree.get(*vertex);
            let broken: Vec<Term> =
                conjuncts(pool, *interpolant).into_iter().map(|p| pool.not(p)).collect();
            // SAT? D ∧ ¬I
            let weak = !broken.is_empty()
                && self.questions.satisfiable(
                    from.location,
                    Purpose::Refine,
                    &from.state,
                    &broken,
                )?;
            if weak {
                let removed = self.tree.remove(*vertex);
                self.questions.observer.refinement(edges, added, removed);
                return Ok(());
            }
        }
        Err(Reason::GaveUp("the interpolants of a path do not exclude it".to_owned()))
    }

    /// The disjunction of the states at each location.
    fn invariant(&self) -> Invariant {
        let pool = self.questions.pool;
        let state = |vertex| pool.and(self.tree.get(vertex).state.iter().copied());
        let at = self.cfa.locations.iter().map(|(location, _)| {
            let formula = if self.relevant.contains(&location) {
                pool.or(self.tree.uncovered(location).map(state))
            } else {
                pool.tru()
            };
            (location, conjuncts(pool, formula))
        });
        let listed = |formulas: Vec<Term>| match formulas.is_empty() {
            true => vec![pool.tru()],
            false => formulas,
        };
        Invariant { at: at.map(|(location, formulas)| (location, listed(formulas))).collect() }
    }
}

/// The locations from which edges lead to `last`.
fn leading_to(cfa: &Cfa, last: LocationId) -> FxHashSet<LocationId> {
    let arriving = cfa.arriving();
    let mut seen = FxHashSet::from_iter([last]);
    let mut pending = vec![last];
    while let Some(location) = pending.pop() {
        for edge in &arriving[location] {
            let from = cfa.edges[*edge].from;
            if seen.insert(from) {
                pending.push(from);
            }
        }
    }
    seen
}
