//! Looks for inputs of the next few cycles that show something new, from states that runs have come to.
//!
//! Chance finds long ways, and misses a value that one comparison asks for; a solver finds the value, and not
//! the way. So a state that a run has left is taken as it is, the next cycles are executed on terms
//! ([`symex`]), and a solver says which inputs lead to what is open (concolic testing as K. Sen, D. Marinov,
//! G. Agha: *CUTE*, ESEC/FSE 2005, have it, with one formula for all ways of the cycles instead of one for
//! each path). What is found is executed by the interpreter behind the run, and counts as any other.

mod beginning;
mod hull;

use crate::explore::Explorer;
use crate::explore::player::Given;
use crate::probes::Probed;
use answer::Allowance;
use beginning::from_states;
pub use hull::Hull;
use program::interpret::Snapshot;
use program::{Place, Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::Solvers;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use symex::each::{each, possible};
use symex::execute::Bounds;

/// How many cycles are looked at from a state: first one, then more.
const CYCLES: [u32; 4] = [1, 2, 4, 8];
/// Turns of inner loops.
const TURNS: u32 = 40;
/// The most terms beside those of the program.
const TERMS: usize = 1_500_000;
/// Conflicts for a question.
const CONFLICTS: u64 = 4_000;
/// The most runs that are taken from one state.
const RUNS: usize = 40;
/// How many states are looked at together.
const STATES: usize = 300;
/// Every so many states, one is taken by chance and not because it is the youngest.
const CHANCE: u64 = 3;

/// Looks for inputs.
pub struct Directed<'p> {
    probed: &'p Probed,
    solvers: &'static dyn Solvers,
    /// How many of [`CYCLES`] were tried from the states of runs that are kept.
    tried: FxHashMap<usize, usize>,
    turn: u64,
}

impl<'p> Directed<'p> {
    /// Nothing was tried yet.
    pub fn new(probed: &'p Probed, solvers: &'static dyn Solvers) -> Directed<'p> {
        Directed { probed, solvers, tried: FxHashMap::default(), turn: 0 }
    }

    /// Asks a question about runs from one of the states, and follows what is found; false if there is no
    /// state left that was not asked about.
    pub fn ask(
        &mut self,
        question: &Program,
        explorer: &mut Explorer<'_>,
        allowance: &Allowance,
        most: Duration,
    ) -> bool {
        let Some((number, cycles)) = self.choose(explorer) else { return false };
        explorer.effort.states += 1;
        let state = explorer.state(number);
        let program = state.and_then(|(interpreter, snapshot)| {
            from_states(question.clone(), self.probed, interpreter, &[snapshot], cycles, None)
        });
        let Some(program) = program else { return true };
        let allowance = allowance.within(most);
        let end = allowance.deadline;
        let scripts = self.scripts(program, allowance);
        let end = end.unwrap_or_else(|| Instant::now() + most);
        for script in scripts {
            explorer.go_on(number, script, end + most);
        }
        true
    }

    /// Of checks, by their places, those that perhaps a run fails in its next cycle from a state between those
    /// that runs have come to; none if nobody knows.
    pub fn possible(
        &self,
        question: Program,
        explorer: &Explorer<'_>,
        allowance: Allowance,
    ) -> Option<FxHashSet<Place>> {
        let states = explorer.states(STATES);
        let interpreter = states.first()?.0;
        let states: Vec<&Snapshot> = states.iter().map(|(_, state)| *state).collect();
        let program = from_states(question, self.probed, interpreter, &states, 1, None)?;
        let bounds = bounds(&program, allowance);
        let solvers = self.solvers;
        let properties = [Property::DeadCode];
        source::with_deep_stack(move || {
            possible(&program, &properties, bounds, solvers, CONFLICTS).ok()
        })
    }

    /// A state, and how many cycles to look at from there.
    fn choose(&mut self, explorer: &Explorer<'_>) -> Option<(usize, u32)> {
        self.turn += 1;
        let by_chance = self.turn.is_multiple_of(CHANCE);
        let least = (0..explorer.kept.len())
            .filter(|number| explorer.state(*number).is_some())
            .map(|number| self.tried.get(&number).copied().unwrap_or(0))
            .filter(|tried| *tried < CYCLES.len())
            .min()?;
        let of_least = (0..explorer.kept.len()).filter(|number| {
            let tried = self.tried.get(number).copied().unwrap_or(0);
            tried == least && explorer.state(*number).is_some()
        });
        let mut of_least: Vec<usize> = of_least.collect();
        // The youngest first, and those that have shown something.
        of_least.sort_by_key(|number| (explorer.kept[*number].shows, *number));
        let number = match by_chance {
            true => of_least[(self.turn.wrapping_mul(0x9e37_79b9) as usize >> 8) % of_least.len()],
            false => *of_least.last()?,
        };
        *self.tried.entry(number).or_default() += 1;
        Some((number, CYCLES[least]))
    }

    fn scripts(&self, program: Program, allowance: Allowance) -> Vec<VecDeque<Given>> {
        let bounds = bounds(&program, allowance);
        let solvers = self.solvers;
        source::with_deep_stack(move || {
            let mut scripts = Vec::new();
            let mut tell = |script: symex::replay::Script| {
                scripts.push(script.values);
                scripts.len() < RUNS
            };
            let properties = [Property::DeadCode];
            // What stops it leaves what was found before.
            drop(each(&program, &properties, bounds, solvers, CONFLICTS, &mut tell));
            scripts
        })
    }
}

fn bounds(program: &Program, allowance: Allowance) -> Bounds {
    let terms = program.pool.len() + TERMS;
    Bounds { turns: TURNS, doubts: false, beyond: true, outside: false, terms, allowance }
}
