//! Control-flow automata built directly, edge by edge, and the truth about them: every state is
//! visited, and the evidence of a verdict is held against that.
//!
//! * [`random()`]: automata without any shape.
//! * [`machine()`]: loops over a mode, with longer searches.
//! * [`gcd`]: an example of the papers.

mod examples;
mod machine;
mod random;

pub use examples::gcd;
pub use machine::machine;
pub use random::random;

use crate::engines::states;
use program::cfa::{Cfa, Command, Edge, EdgeId, Input, Location, LocationId, Origin};
use program::execute::{Values, follow};
use program::explicit::{self, State, search};
use program::program::{Cause, Reading};
use program::verdict::{Invariant, Proof, Verdict};
use program::{Place, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Pool, Sort, Term};

/// An automaton with the pool of its terms, also while it is built.
#[derive(Default)]
pub struct Automaton {
    /// Where its terms live.
    pub pool: Pool,
    /// The automaton.
    pub cfa: Cfa,
}

impl Automaton {
    /// A new location.
    pub fn location(&mut self) -> LocationId {
        self.cfa.locations.alloc(Location::default())
    }

    /// So many locations, of which the first is initial and the last the error location.
    pub fn locations<const N: usize>(&mut self) -> [LocationId; N] {
        let locations = [(); N].map(|()| self.location());
        (self.cfa.initial, self.cfa.error) = (Some(locations[0]), Some(locations[N - 1]));
        locations
    }

    /// A new variable.
    pub fn variable(&mut self, name: &str, sort: Sort) -> Term {
        let variable = self.pool.var(name, sort);
        let origin = Origin {
            sort,
            variable: None,
            context: None,
            name: name.into(),
            reading: Reading::Unsigned,
        };
        self.cfa.variables.insert(variable, origin);
        variable
    }

    /// The variable gets any value.
    pub fn havoc(&mut self, variable: Term) -> Command {
        let sort = self.pool.sort(variable);
        let input = Input { instruction: None, cause: Cause::Uninitialized, sort };
        Command::Havoc(variable, self.cfa.inputs.alloc(input))
    }

    /// An edge with these commands one after the other.
    pub fn edge(&mut self, from: LocationId, commands: Vec<Command>, to: LocationId) -> EdgeId {
        let violates = (Some(to) == self.cfa.error).then_some(Property::Reach);
        let command = Command::Sequence(commands);
        self.cfa.edges.alloc(Edge { from, to, command, place: Place::default(), violates })
    }

    /// Whether no run reaches the error location, by visiting every state.
    pub fn is_safe(&self) -> bool {
        search(&self.pool, &self.cfa, &self.variables(), usize::MAX).error.is_none()
    }

    /// Checks the evidence of a verdict state by state. Returns whether it is safe; `None` if unknown.
    ///
    /// # Panics
    /// If the evidence is wrong, or a proof has no invariants.
    pub fn examine(&self, verdict: &Verdict) -> Option<bool> {
        match verdict {
            Verdict::Unknown(_) => None,
            Verdict::Unsafe(run) => {
                // The run does not tell where it starts: some state must do.
                let executes = |state: &Values| follow(&self.pool, &self.cfa, run, state).is_ok();
                let executes = self.states().iter().any(executes);
                assert!(executes, "the run executes from no state: {run:?}");
                Some(false)
            }
            Verdict::Safe(Proof::Inductive(invariant)) => {
                self.assert_inductive(invariant);
                Some(true)
            }
            Verdict::Safe(proof) => panic!("the engine has invariants: {proof:?}"),
        }
    }

    /// The invariant allows every state where runs start, none at the error location, and behind an
    /// edge every state that one it allows before the edge leads to.
    fn assert_inductive(&self, invariant: &Invariant) {
        let (pool, cfa, variables) = (&self.pool, &self.cfa, self.variables());
        let in_order = |values: &Values| variables.iter().map(|v| values[v].clone()).collect();
        let states: Vec<State> = self.states().iter().map(in_order).collect();
        let allowed = |location: LocationId| -> FxHashSet<&State> {
            let formulas = invariant.at.get(location).expect("every location has formulas");
            let holds = |state: &&State| {
                formulas.iter().all(|formula| explicit::holds(pool, &variables, *formula, state))
            };
            states.iter().filter(holds).collect()
        };
        let allowed: FxHashMap<LocationId, FxHashSet<&State>> =
            cfa.locations.iter().map(|(location, _)| (location, allowed(location))).collect();
        let initial = cfa.initial.expect("an initial location");
        assert_eq!(allowed[&initial].len(), states.len(), "initiation");
        assert!(allowed[&cfa.error.expect("an error location")].is_empty(), "safety");
        for (_, edge) in cfa.edges.iter() {
            for state in &allowed[&edge.from] {
                for next in explicit::successors(pool, &variables, &edge.command, state) {
                    assert!(allowed[&edge.to].contains(&next), "consecution of {edge:?}");
                }
            }
        }
    }

    fn states(&self) -> Vec<Values> {
        states(&self.pool, &self.cfa, &self.variables())
    }

    fn variables(&self) -> Vec<Term> {
        let mut variables: Vec<Term> = self.cfa.variables.keys().copied().collect();
        variables.sort_unstable();
        variables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::cfa::Command::{Assign, Assume};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// What `examine` says of the formulas start, head and error have, where x counts from 0 by `step`
    /// in two bits and must not be 3; `None` if it panics.
    fn examined(step: u64, formulas: impl Fn(&Pool, Term) -> [Term; 3]) -> Option<bool> {
        let mut automaton = Automaton::default();
        let x = automaton.variable("x", Sort::BitVec(2));
        let [start, head, error] = automaton.locations();
        let pool = &automaton.pool;
        let (first, next) = (Assign(x, pool.bv(0, 2)), Assign(x, pool.bv_add(x, pool.bv(step, 2))));
        let bad = Assume(pool.eq(x, pool.bv(3, 2)));
        let mut invariant = Invariant::default();
        for (location, formula) in [start, head, error].into_iter().zip(formulas(pool, x)) {
            invariant.at.insert(location, vec![formula]);
        }
        automaton.edge(start, vec![first], head);
        automaton.edge(head, vec![next], head);
        automaton.edge(head, vec![bad], error);
        assert_eq!(automaton.is_safe(), step == 2);
        let verdict = Verdict::Safe(Proof::Inductive(invariant));
        catch_unwind(AssertUnwindSafe(|| automaton.examine(&verdict))).ok().flatten()
    }

    #[test]
    fn wrong_proofs_are_not_accepted() {
        let even = |pool: &Pool, x: Term| pool.eq(pool.bv_extract(x, 0, 0), pool.bv(0, 1));
        let not_three = |pool: &Pool, x: Term| pool.ne(x, pool.bv(3, 2));
        let with = |at_start: bool, at_error: bool, head: &dyn Fn(&Pool, Term) -> Term, step| {
            examined(step, |pool, x| [pool.bool(at_start), head(pool, x), pool.bool(at_error)])
        };
        assert_eq!(with(true, false, &even, 2), Some(true));
        assert_eq!(with(true, false, &even, 1), None, "consecution of the loop");
        assert_eq!(with(true, false, &not_three, 2), None, "x = 1 leads to 3");
        assert_eq!(with(false, false, &even, 2), None, "initiation");
        assert_eq!(with(true, true, &even, 2), None, "safety");
    }
}
