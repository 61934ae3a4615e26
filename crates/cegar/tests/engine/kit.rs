//! What the tests are made of: building automata, and holding verdicts against exploration state
//! by state and against the certifier.

use cegar::{Abstraction, Options};
use program::cfa::{Cfa, Command, Edge, EdgeId, Input, Location, LocationId, Origin};
use program::execute::{Values, follow};
use program::explicit::search;
use program::program::{Cause, Reading};
use program::verdict::{Proof, Verdict};
use program::{Place, Property};
use smt::interpolate::{self, System};
use smt::{Allowance, Standard};
use std::time::Duration;
use term::value::all_values;
use term::{Pool, Sort, Term, Value};

/// An automaton under construction.
#[derive(Default)]
pub struct Builder {
    pub pool: Pool,
    pub cfa: Cfa,
}

impl Builder {
    /// So many locations, of which the first is initial and the last the error location.
    pub fn locations<const N: usize>(&mut self) -> [LocationId; N] {
        let locations = [(); N].map(|()| self.cfa.locations.alloc(Location::default()));
        (self.cfa.initial, self.cfa.error) = (Some(locations[0]), Some(locations[N - 1]));
        locations
    }

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

    pub fn havoc(&mut self, variable: Term) -> Command {
        let sort = self.pool.sort(variable);
        let input = Input { instruction: None, cause: Cause::Uninitialized, sort };
        Command::Havoc(variable, self.cfa.inputs.alloc(input))
    }

    pub fn edge(&mut self, from: LocationId, commands: Vec<Command>, to: LocationId) -> EdgeId {
        let violates = (Some(to) == self.cfa.error).then_some(Property::Reach);
        let command = Command::Sequence(commands);
        self.cfa.edges.alloc(Edge { from, to, command, place: Place::default(), violates })
    }

    pub fn check(&self, options: &Options) -> Verdict {
        self.check_watched(options, &mut ())
    }

    pub fn check_watched(&self, options: &Options, observer: &mut dyn cegar::Observer) -> Verdict {
        let allowance = Allowance::default().within(Duration::from_secs(60));
        cegar::check(&self.pool, &self.cfa, options, &Standard, &allowance, observer)
    }

    /// Whether the error location is reached, by visiting every state.
    pub fn is_unsafe(&self) -> bool {
        let search = search(&self.pool, &self.cfa, &self.variables(), usize::MAX);
        search.error.is_some()
    }

    fn variables(&self) -> Vec<Term> {
        let mut variables: Vec<Term> = self.cfa.variables.keys().copied().collect();
        variables.sort_unstable();
        variables
    }

    /// Checks the evidence of a verdict. Returns whether it is safe; `None` if unknown.
    pub fn examine(&self, verdict: &Verdict) -> Option<bool> {
        match verdict {
            Verdict::Unknown(_) => None,
            Verdict::Unsafe(run) => {
                // The run does not tell where it starts: some state must do.
                let executes = |s: &Values| follow(&self.pool, &self.cfa, run, s).is_ok();
                assert!(
                    self.all_states().iter().any(executes),
                    "it executes from no state: {run:?}"
                );
                Some(false)
            }
            Verdict::Safe(proof) => {
                self.certify(proof);
                Some(true)
            }
        }
    }

    /// Lets the certifier check a proof.
    pub fn certify(&self, proof: &Proof) {
        assert!(matches!(proof, Proof::Inductive(_)), "the engine has invariants");
        let allowance = Allowance::default();
        let checked = certify::check_program(&self.pool, &self.cfa, proof, &allowance);
        assert_eq!(checked, Ok(()));
    }

    fn all_states(&self) -> Vec<Values> {
        let mut states = vec![Values::default()];
        for variable in self.variables() {
            let values: Vec<Value> = all_values(self.pool.sort(variable)).collect();
            let with = |state: &Values| {
                let extended = |value: &Value| {
                    let mut state = state.clone();
                    state.insert(variable, value.clone());
                    state
                };
                values.iter().map(extended).collect::<Vec<_>>()
            };
            states = states.iter().flat_map(with).collect();
        }
        states
    }
}

/// All configurations that are tested.
pub fn configurations() -> Vec<(&'static str, Options)> {
    let default = Options::default();
    let boolean = Options { abstraction: Abstraction::Boolean, ..default };
    let with = |options: Options, words: bool, system: System| {
        let interpolation = interpolate::Options { words, system, ..options.interpolation };
        Options { interpolation, ..options }
    };
    vec![
        ("default", default),
        ("Boolean", boolean),
        ("bits", with(default, false, System::McMillan)),
        ("Boolean, bits, Pudlák", with(boolean, false, System::Pudlak)),
        ("dual", with(default, true, System::DualMcMillan)),
    ]
}
