//! Cut-point graphs (\[Fed15\] Definition 18): heads of loops, joined by loop-free code.
//!
//! An edge is a guard and the values of the variables that are live where it leads, as terms over
//! those that are live where it leaves and over locals: inputs, choices, what is read before it is
//! written. So a transition relation τ(x, x') is ∃ locals. guard ∧ x' = values.

use program::cfa::{Cfa, LocationId};
use program::minimize::live_variables;
use program::place::Place;
use program::symbolic::{State, execute};
use program::verdict::Invariant;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use term::traverse::{conjuncts, free_vars, import, substitute};
use term::{Pool, Term};

/// A program as cut-points and edges.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Its cut-points.
    pub points: Vec<Point>,
    /// Where runs start.
    pub entry: usize,
    /// Where violations lead, if there are any.
    pub error: Option<usize>,
    /// Its loop-free pieces.
    pub edges: Vec<Edge>,
    /// What variables of the automaton are called here.
    pub renamed: FxHashMap<Term, Term>,
}

/// A cut-point.
#[derive(Clone, Debug)]
pub struct Point {
    /// Where it is in the source.
    pub place: Place,
    /// V(u), what is live here.
    pub variables: Vec<Variable>,
}

/// A variable at a cut-point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The variable.
    pub term: Term,
    /// What the source calls it; `#1` and so on behind it for others with the same name.
    pub name: String,
}

/// A loop-free piece.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it leaves.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// For which states and locals it gets through.
    pub guard: Term,
    /// What the live variables of `to` are afterwards.
    pub values: BTreeMap<Term, Term>,
    /// What it leaves open.
    pub locals: Vec<Term>,
    /// Its source.
    pub place: Place,
}

impl Graph {
    /// The graph of an automaton, in a pool that programs share: `prefix` is put before the names of
    /// its variables.
    ///
    /// Requires: the automaton was made of large blocks, so that what is between its locations is
    /// loop-free and its locations are cut-points.
    pub fn of(cfa: &Cfa, from: &Pool, into: &Pool, prefix: &str) -> Option<Graph> {
        let live = live_variables(from, cfa);
        let mut names: FxHashMap<Term, String> = FxHashMap::default();
        let mut map = FxHashMap::default();
        let mut variables: Vec<Term> = cfa.variables.keys().copied().collect();
        variables.sort_unstable();
        let mut count: FxHashMap<&str, usize> = FxHashMap::default();
        for variable in variables {
            let plain = &*cfa.variables[&variable].name;
            let number = count.entry(plain).and_modify(|n| *n += 1).or_default();
            let name = if *number == 0 { plain.into() } else { format!("{plain}#{number}") };
            let exact = from.var_name(variable).unwrap_or_default();
            let sort = term::traverse::import_sort(from, from.sort(variable), into);
            map.insert(variable, into.var(&format!("{prefix}{exact}"), sort));
            names.insert(variable, name);
        }
        let renamed = map.clone();
        let mut number: FxHashMap<LocationId, usize> = FxHashMap::default();
        let mut points = Vec::new();
        for (id, location) in cfa.locations.iter() {
            number.insert(id, points.len());
            let variable = |v: &Term| Variable { term: map[v], name: names[v].clone() };
            let variables = live[id].iter().map(variable).collect();
            points.push(Point { place: location.place.clone(), variables });
        }
        let mut edges = Vec::new();
        for edge in cfa.edges.values() {
            let mut state = State::new();
            let executed = execute(from, &edge.command, &mut state);
            if from.as_bool(executed.guard) == Some(false) {
                continue;
            }
            let mut bring = |term: Term| import(from, term, into, &mut map);
            let guard = bring(executed.guard);
            let values: BTreeMap<Term, Term> =
                live[edge.to].iter().map(|v| (bring(*v), bring(state.get(*v)))).collect();
            let (from, to) = (number[&edge.from], number[&edge.to]);
            let piece = Edge { from, to, guard, values, locals: vec![], place: edge.place.clone() };
            edges.push(piece);
        }
        let mut graph = Graph {
            points,
            entry: number[&cfa.initial?],
            error: cfa.error.map(|error| number[&error]),
            edges,
            renamed,
        };
        for at in 0..graph.edges.len() {
            graph.name_locals(into, at);
        }
        Some(graph)
    }

    /// Makes locals of what an edge reads that is not live where it leaves.
    fn name_locals(&mut self, pool: &Pool, at: usize) {
        let edge = &mut self.edges[at];
        let known = &self.points[edge.from].variables;
        let read: Vec<Term> = edge.values.values().copied().chain([edge.guard]).collect();
        let open = free_vars(pool, &read);
        edge.locals =
            open.into_iter().filter(|v| !known.iter().any(|known| known.term == *v)).collect();
        *edge = edge.renamed(pool);
    }

    /// An invariant of the automaton by points, over what is live there.
    ///
    /// Requires: `cfa` is the automaton that the graph was made of.
    pub fn invariant(
        &self,
        cfa: &Cfa,
        invariant: &Invariant,
        from: &Pool,
        into: &Pool,
    ) -> Vec<Vec<Term>> {
        let mut map = self.renamed.clone();
        let mut all: Vec<Vec<Term>> = Vec::new();
        for (point, (id, _)) in cfa.locations.iter().enumerate() {
            let formulas = invariant.at.get(id).into_iter().flatten();
            let parts = formulas.flat_map(|formula| conjuncts(from, *formula));
            let parts: Vec<Term> = parts.map(|part| import(from, part, into, &mut map)).collect();
            let live = &self.points[point].variables;
            let plain = |part: &Term| {
                let about = free_vars(into, &[*part]);
                about.iter().all(|v| live.iter().any(|known| known.term == *v))
            };
            all.push(parts.into_iter().filter(plain).collect());
        }
        if let Some(error) = self.error {
            all[error] = vec![into.fls()];
        }
        all
    }

    /// What is said at points as an invariant of the automaton, in the terms of its pool.
    ///
    /// Requires: `cfa` is the automaton that the graph was made of, `into` its pool; the formulas are
    /// about what is live.
    pub fn at_locations(
        &self,
        cfa: &Cfa,
        formulas: &[Vec<Term>],
        from: &Pool,
        into: &Pool,
    ) -> Invariant {
        let mut map: FxHashMap<Term, Term> = self.renamed.iter().map(|(a, b)| (*b, *a)).collect();
        let mut invariant = Invariant::default();
        for ((id, _), formulas) in cfa.locations.iter().zip(formulas) {
            let here = formulas.iter().map(|formula| import(from, *formula, into, &mut map));
            invariant.at.insert(id, here.collect());
        }
        invariant
    }

    /// The edges between two points.
    pub fn between(&self, from: usize, to: usize) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(move |edge| edge.from == from && edge.to == to)
    }

    /// α^ψ P (\[Fed15\] Lemma 7): each edge leads anywhere that the invariant allows.
    pub fn proof_abstraction(&self, pool: &Pool, invariant: &[Vec<Term>]) -> Graph {
        let mut graph = self.clone();
        for edge in &mut graph.edges {
            let mut map = Vec::new();
            for variable in edge.values.keys().copied().collect::<Vec<_>>() {
                let any = pool.fresh_var("any", pool.sort(variable));
                edge.values.insert(variable, any);
                map.push((variable, any));
            }
            let holds = pool.and(invariant[edge.to].iter().copied());
            edge.guard = substitute(pool, holds, map.iter().copied());
            edge.locals = map.into_iter().map(|(_, any)| any).collect();
        }
        graph
    }

    /// A point in words.
    pub fn describe(&self, point: usize) -> String {
        let place = &self.points[point].place;
        match point {
            point if point == self.entry => "entry".into(),
            point if Some(point) == self.error => "error".into(),
            _ if place.is_known() => format!("{}:{}:{}", place.file, place.line, place.column),
            point => format!("point {point}"),
        }
    }
}

impl Edge {
    /// The same edge with locals of its own.
    pub fn renamed(&self, pool: &Pool) -> Edge {
        let map: Vec<(Term, Term)> =
            self.locals.iter().map(|v| (*v, pool.fresh_var("local", pool.sort(*v)))).collect();
        let rename = |term: Term| substitute(pool, term, map.iter().copied());
        Edge {
            guard: rename(self.guard),
            values: self.values.iter().map(|(v, t)| (*v, rename(*t))).collect(),
            locals: map.iter().map(|(_, local)| *local).collect(),
            ..self.clone()
        }
    }

    /// The step that does nothing at a point.
    pub fn stutter(graph: &Graph, pool: &Pool, point: usize) -> Edge {
        let variables = &graph.points[point].variables;
        Edge {
            from: point,
            to: point,
            guard: pool.tru(),
            values: variables.iter().map(|v| (v.term, v.term)).collect(),
            locals: Vec::new(),
            place: graph.points[point].place.clone(),
        }
    }

    /// This edge and then another.
    ///
    /// Requires: the other leaves where this one leads.
    pub fn then(&self, pool: &Pool, next: &Edge) -> Edge {
        let next = next.renamed(pool);
        let apply = |term: Term| substitute(pool, term, self.values.iter().map(|(v, t)| (*v, *t)));
        Edge {
            from: self.from,
            to: next.to,
            guard: pool.and([self.guard, apply(next.guard)]),
            values: next.values.iter().map(|(v, t)| (*v, apply(*t))).collect(),
            locals: [&self.locals[..], &next.locals[..]].concat(),
            place: self.place.clone(),
        }
    }
}
