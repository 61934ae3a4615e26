//! The runs of an automaton by depth, as terms.
//!
//! A *visit* is a location at a depth. Its condition says whether the run is there; a run is at
//! one location at a time, because wherever several edges leave a location a condition decides
//! between them ([`program::symbolic::exclusive`]). The values of variables at a visit are those
//! at the end of the edge that was taken, by nested `ite`s.
//!
//! Conditions are named by a fresh Bool `at` with `at ⇒ ⋁ taken`, so that they stay small; one that
//! folds to a constant needs no name.

use super::holds;
use ::program::cfa::{Cfa, EdgeId, LocationId};
use ::program::minimize::live_variables;
use ::program::symbolic::{State, Trail, exclusive, execute};
use ::program::verdict::{Run, Step};
use la_arena::ArenaMap;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use term::traverse::free_vars;
use term::{Pool, Sort, Term, Value};

/// A location at a depth.
struct Visit {
    location: LocationId,
    /// Whether the run is here.
    at: Term,
    /// The state here; given up once the visit has been left.
    state: Option<Rc<State>>,
    /// The same for as long as a run may have been here.
    seen: Option<Rc<State>>,
    /// How it was reached, from visits one depth before.
    arrivals: Vec<Arrival>,
}

/// An edge into a visit.
struct Arrival {
    /// The index of the visit it comes from.
    from: usize,
    edge: EdgeId,
    /// Whether the run took it.
    taken: Term,
    trail: Trail,
}

/// What a step adds.
pub struct Arrived {
    /// Formulas that give new names their meaning.
    pub definitions: Vec<Term>,
    /// Whether the run is at the error location now; none if it can't be.
    pub error: Option<Term>,
}

/// The unrolling so far.
pub struct Unrolling<'a> {
    pool: &'a Pool,
    cfa: &'a Cfa,
    leaving: ArenaMap<LocationId, Vec<EdgeId>>,
    /// The variables whose values matter at a location.
    live: ArenaMap<LocationId, Vec<Term>>,
    /// Visits by depth.
    layers: Vec<Vec<Visit>>,
    /// The only edge that is followed next, if it is only one.
    only: Option<EdgeId>,
}

impl<'a> Unrolling<'a> {
    /// The runs of no edge. None if the automaton lacks an initial or an error location.
    pub fn new(pool: &'a Pool, cfa: &'a Cfa) -> Option<Self> {
        let initial = cfa.initial?;
        cfa.error?;
        let state = Some(Rc::new(State::new()));
        let (at, seen, arrivals) = (pool.tru(), state.clone(), Vec::new());
        let first = Visit { location: initial, at, state, seen, arrivals };
        let live = live_variables(pool, cfa);
        let (leaving, layers) = (cfa.leaving(), vec![vec![first]]);
        Some(Unrolling { pool, cfa, leaving, live, layers, only: None })
    }

    /// The runs of no edge that begin anywhere but in the error location, in any state.
    pub fn anywhere(pool: &'a Pool, cfa: &'a Cfa) -> Option<Self> {
        let mut unrolling = Unrolling::new(pool, cfa)?;
        let state = Rc::new(State::new());
        let begins = |location: &LocationId| {
            Some(*location) != cfa.error && !unrolling.leaving[*location].is_empty()
        };
        let locations = cfa.locations.iter().map(|(location, _)| location).filter(begins);
        let first = locations.map(|location| Visit {
            location,
            at: pool.fresh_var("from", Sort::Bool),
            state: Some(state.clone()),
            seen: None,
            arrivals: Vec::new(),
        });
        let first: Vec<Visit> = first.collect();
        unrolling.layers = vec![first];
        Some(unrolling)
    }

    /// Where runs can be now, other than the error location, with the condition for it and the
    /// state there.
    pub fn states(&self) -> impl Iterator<Item = (LocationId, Term, &State)> + '_ {
        let last = self.layers.last().into_iter().flatten();
        last.filter(|visit| Some(visit.location) != self.cfa.error)
            .filter_map(|visit| Some((visit.location, visit.at, visit.state.as_deref()?)))
    }

    /// Whether a formula speaks only of variables that states at the location keep.
    pub fn is_kept(&self, location: LocationId, formula: Term) -> bool {
        free_vars(self.pool, &[formula]).iter().all(|v| self.live[location].contains(v))
    }

    /// Whether no run goes on.
    pub fn is_done(&self) -> bool {
        self.frontier().next().is_none()
    }

    /// Where runs can be now, other than the error location, with the condition for it.
    pub fn frontier(&self) -> impl Iterator<Item = (LocationId, Term)> + '_ {
        let last = self.layers.last().into_iter().flatten();
        last.filter(|visit| visit.state.is_some() && Some(visit.location) != self.cfa.error)
            .map(|visit| (visit.location, visit.at))
    }

    /// Where runs have been, other than the error location, at any depth, with the condition for it and
    /// the state.
    pub fn followed(&self) -> impl Iterator<Item = (LocationId, Term, &State)> + '_ {
        let all = self.layers.iter().flatten();
        all.filter(|visit| Some(visit.location) != self.cfa.error)
            .filter_map(|visit| Some((visit.location, visit.at, visit.seen.as_deref()?)))
    }

    /// All locations but the error location.
    pub fn locations(&self) -> impl Iterator<Item = LocationId> + '_ {
        let all = self.cfa.locations.iter().map(|(location, _)| location);
        all.filter(|location| Some(*location) != self.cfa.error)
    }

    /// The variables whose values matter at a location.
    pub fn live(&self, location: LocationId) -> &[Term] {
        &self.live[location]
    }

    /// No run is at the location now.
    pub fn drop_location(&mut self, location: LocationId) {
        for visit in self.layers.last_mut().into_iter().flatten() {
            if visit.location == location {
                (visit.state, visit.seen) = (None, None);
            }
        }
    }

    /// Follows the runs that take an edge.
    pub fn advance_by(&mut self, edge: EdgeId) -> Arrived {
        self.only = Some(edge);
        let arrived = self.advance();
        self.only = None;
        arrived
    }

    /// Follows every run by one edge.
    pub fn advance(&mut self) -> Arrived {
        let mut by_target: FxHashMap<LocationId, Vec<(Arrival, State)>> = FxHashMap::default();
        let mut order = Vec::new();
        let mut last = std::mem::take(self.layers.last_mut().expect("there is a first layer"));
        for (from, visit) in last.iter_mut().enumerate() {
            let Some(state) = visit.state.take() else { continue };
            for (target, arrival, state) in self.leave(from, visit, &state) {
                let arrivals = by_target.entry(target).or_default();
                if arrivals.is_empty() {
                    order.push(target);
                }
                arrivals.push((arrival, state));
            }
        }
        *self.layers.last_mut().expect("there is a first layer") = last;
        let mut arrived = Arrived { definitions: Vec::new(), error: None };
        let mut layer = Vec::new();
        for location in order {
            let arrivals = by_target.remove(&location).expect("every target has arrivals");
            let visit = self.arrive(location, arrivals, &mut arrived.definitions);
            if Some(location) == self.cfa.error {
                arrived.error = Some(visit.at);
            }
            layer.push(visit);
        }
        self.layers.push(layer);
        arrived
    }

    /// The edges that leave a visit, executed.
    fn leave(
        &self,
        from: usize,
        visit: &Visit,
        state: &Rc<State>,
    ) -> Vec<(LocationId, Arrival, State)> {
        let pool = self.pool;
        let mut executed = Vec::new();
        let followed = |edge: &&EdgeId| self.only.is_none_or(|only| **edge == only);
        for &edge in self.leaving[visit.location].iter().filter(followed) {
            let mut after = State::clone(state);
            let done = execute(pool, &self.cfa.edges[edge].command, &mut after);
            if pool.as_bool(done.guard) != Some(false) {
                executed.push((edge, done, after));
            }
        }
        let guards: Vec<Term> = executed.iter().map(|(_, done, _)| done.guard).collect();
        let mut steps = Vec::new();
        for ((edge, done, state), taken) in executed.into_iter().zip(exclusive(pool, &guards)) {
            let taken = pool.and([visit.at, taken]);
            if pool.as_bool(taken) != Some(false) {
                let arrival = Arrival { from, edge, taken, trail: done.trail };
                steps.push((self.cfa.edges[edge].to, arrival, state));
            }
        }
        steps
    }

    /// Merges what arrives at a location.
    fn arrive(
        &self,
        location: LocationId,
        arrivals: Vec<(Arrival, State)>,
        definitions: &mut Vec<Term>,
    ) -> Visit {
        let pool = self.pool;
        let reached = pool.or(arrivals.iter().map(|(arrival, _)| arrival.taken));
        let at = match pool.as_bool(reached) {
            Some(_) => reached,
            None => {
                let at = pool.fresh_var("at", Sort::Bool);
                definitions.push(pool.implies(at, reached));
                at
            }
        };
        let mut state = State::new();
        for &variable in &self.live[location] {
            let (last, earlier) = arrivals.split_last().expect("something arrives");
            let merge = |rest, (arrival, state): &(Arrival, State)| {
                pool.ite(arrival.taken, state.get(variable), rest)
            };
            let value = earlier.iter().rev().fold(last.1.get(variable), merge);
            if value != variable {
                state.set(variable, value);
            }
        }
        let arrivals = arrivals.into_iter().map(|(arrival, _)| arrival).collect();
        let state = Some(Rc::new(state));
        Visit { location, at, seen: state.clone(), state, arrivals }
    }

    /// The run that a model with the error location reached at the last depth describes.
    pub fn run<E>(&self, value: &mut dyn FnMut(Term) -> Result<Value, E>) -> Result<Run, E> {
        let mut steps = Vec::new();
        let is_error = |visit: &Visit| Some(visit.location) == self.cfa.error;
        let mut index = self.layers.last().and_then(|layer| layer.iter().position(is_error));
        for layer in self.layers.iter().skip(1).rev() {
            let Some(visit) = index.map(|k| &layer[k]) else { break };
            for arrival in &visit.arrivals {
                if holds(&value(arrival.taken)?) {
                    steps.push(self.step(arrival, value)?);
                    index = Some(arrival.from);
                    break;
                }
            }
        }
        steps.reverse();
        Ok(Run { steps })
    }

    fn step<E>(
        &self,
        arrival: &Arrival,
        value: &mut dyn FnMut(Term) -> Result<Value, E>,
    ) -> Result<Step, E> {
        let mut failed = None;
        let inputs = arrival.trail.inputs(&mut |condition| match value(condition) {
            Ok(value) => holds(&value),
            Err(error) => {
                failed = Some(error);
                false
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let values = inputs.into_iter().map(|(input, variable)| Ok((input, value(variable)?)));
        Ok(Step { edge: arrival.edge, inputs: values.collect::<Result<_, E>>()? })
    }
}
