//! An invariant that is a formula, as clauses over latches.
//!
//! Interpolants have the form of the proofs that they come from; certificates and what others want to know
//! are clauses. So a second search, like IC3 with an oracle, looks for a weaker invariant K that is a
//! set of clauses, R ⇒ K: whenever a state of K is bad, or steps out of K, it is none of R (the states
//! of R are good and step into R ⊆ K), and what of it contradicts R becomes a clause.
//!
//! K can be exponentially larger than R; then the formula itself is the answer of whoever can take it.

use crate::reached::Reached;
use aig::{Edge, Encoder};
use answer::{Allowance, Exhausted};
use circuit::invariant::conjunction;
use circuit::{Clause, LatchLit, TransitionSystem};
use sat::cadical::Cadical;
use sat::{Answer, Lit, Solver};

/// The conflicts that the question whether a literal can be dropped may take.
const DROPPING_CONFLICTS: u64 = 200;

/// Clauses K with R ⇒ K that are inductive and exclude violations; none if there are more than `most`.
///
/// Requires: R is inductive and excludes violations.
pub fn of_invariant(
    system: &TransitionSystem,
    property: usize,
    invariant: &mut Reached,
    most: Option<usize>,
    allowance: &Allowance,
) -> Result<Option<Vec<Clause>>, Exhausted> {
    let mut solver = Cadical::default();
    solver.set_allowance(allowance.clone());
    let mut search = Search { system, invariant, solver, encoder: Encoder::new(), clauses: vec![] };
    for constraint in &system.constraints {
        search.encoder.assert(&search.invariant.graph, &mut search.solver, constraint.edge);
    }
    let too_many = |search: &Search<'_>| most.is_some_and(|most| search.clauses.len() > most);
    // SAT? K ∧ C ∧ bad
    while let Some(state) = search.find(system.bads[property].edge)? {
        search.exclude(&state)?;
        if too_many(&search) {
            return Ok(None);
        }
    }
    let mut next = 0;
    while next < search.clauses.len() {
        let left = search.after(next);
        // SAT? K ∧ C ∧ T ∧ ¬clause'
        while let Some(state) = search.find(left)? {
            search.exclude(&state)?;
            if too_many(&search) {
                return Ok(None);
            }
        }
        next += 1;
    }
    Ok(Some(search.clauses))
}

struct Search<'a> {
    system: &'a TransitionSystem,
    invariant: &'a mut Reached,
    /// Knows K and the step.
    solver: Cadical,
    encoder: Encoder,
    clauses: Vec<Clause>,
}

impl Search<'_> {
    /// A state of K from which an edge holds.
    fn find(&mut self, edge: Edge) -> Result<Option<Vec<Edge>>, Exhausted> {
        if edge == Edge::FALSE {
            return Ok(None);
        }
        let lit = self.encoder.lit(&self.invariant.graph, &mut self.solver, edge);
        match self.solver.solve(&[lit]) {
            Answer::Unsat => Ok(None),
            Answer::Unknown(exhausted) => Err(exhausted),
            Answer::Sat => {
                let latches = self.system.latches.iter();
                let value = |state: Edge| self.solver.value(self.encoder.known(state)?);
                let states = latches.map(|latch| latch.state);
                // What has no value does not matter, and may be false.
                Ok(Some(states.map(|s| s.xor(!value(s).unwrap_or(false))).collect()))
            }
        }
    }

    /// Whether a clause is left by a step.
    fn after(&mut self, clause: usize) -> Edge {
        let (clause, latches) = (&self.clauses[clause..=clause], &self.system.latches);
        !conjunction(&mut self.invariant.graph, clause, |latch| latches[latch].next)
    }

    /// Adds a clause that excludes the state, and holds in R.
    fn exclude(&mut self, state: &[Edge]) -> Result<(), Exhausted> {
        let cube = self.contradiction(state)?;
        let lits: Vec<Lit> = cube
            .iter()
            .map(|edge| !self.encoder.lit(&self.invariant.graph, &mut self.solver, *edge))
            .collect();
        self.solver.add_clause(&lits);
        let literal = |(latch, state): (usize, Edge)| {
            let used = cube.iter().find(|edge| edge.node() == state.node())?;
            Some(LatchLit::new(latch, used.is_inverted() != state.is_inverted()))
        };
        let states = self.system.latches.iter().map(|latch| latch.state).enumerate();
        self.clauses.push(states.filter_map(literal).collect());
        Ok(())
    }

    /// What of a state that is none of R contradicts R: no literal of it can be left out, as far as little
    /// effort shows.
    fn contradiction(&mut self, state: &[Edge]) -> Result<Vec<Edge>, Exhausted> {
        let ask = |invariant: &mut Reached, cube: &[Edge]| {
            let question = [&[invariant.states], cube].concat();
            // SAT? R ∧ cube
            match invariant.possible(&question) {
                Ok(false) => Ok(Some(invariant.core(cube))),
                Ok(true) => Ok(None),
                Err(exhausted) => Err(exhausted),
            }
        };
        self.invariant.set_work(None);
        let refuted = ask(self.invariant, state)?;
        let mut cube = refuted.expect("the states of an inductive invariant are good");
        self.invariant.set_work(Some(DROPPING_CONFLICTS));
        let mut position = 0;
        while position < cube.len() && cube.len() > 1 {
            let mut fewer = cube.clone();
            fewer.remove(position);
            match ask(self.invariant, &fewer) {
                Ok(Some(core)) => cube = core,
                Ok(None) | Err(Exhausted::Work) => position += 1,
                Err(exhausted) => return Err(exhausted),
            }
        }
        self.invariant.set_work(None);
        Ok(cube)
    }
}
