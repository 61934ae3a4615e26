//! Proofs of automata, for those who have an automaton and no program: all engines that can give an
//! inductive invariant race for it.
//!
//! What they say is not checked here; whoever asks does it.

use crate::board::Reached;
use crate::engines::{Engine, ProgramCall, Takes};
use crate::exchange::{Findings, imported};
use crate::question::Settings;
use crate::schedule::baton::{Runner, Work};
use crate::schedule::{Next, Schedule, Traveller, Workers};
use answer::{Allowance, EngineName, Exhausted, Interrupt, Reason};
use program::Cfa;
use program::verdict::{Invariant, Proof, Verdict};
use std::time::Duration;
use term::Pool;

/// How often limits are looked at.
const WATCH: Duration = Duration::from_millis(20);

/// What an engine answers: a verdict, and the pool its terms are of.
type Played = (Pool, Verdict);

/// An inductive invariant that excludes the error location, `known` included; none if no engine finds
/// one, or one finds a run.
///
/// Requires: `known` is inductive.
pub fn invariant(
    pool: &Pool,
    cfa: &Cfa,
    known: &Invariant,
    settings: &Settings,
    allowance: &Allowance,
) -> Option<Invariant> {
    let assuming = cfa.assuming(pool, known);
    let workers = Workers::default();
    let interrupt = Interrupt::new();
    let players = players(pool, &assuming, settings, allowance, (&interrupt, &workers));
    let jobs = settings.jobs.unwrap_or(players.len().max(1));
    let mut schedule = Schedule::start(players, jobs, workers.starter());
    let mut found = None;
    while found.is_none() && allowance.exhausted().is_none() {
        match schedule.next(WATCH) {
            Next::Over => break,
            Next::Quiet => {}
            Next::Found(answer) => match answer.answer {
                (theirs, Verdict::Safe(Proof::Inductive(invariant))) => {
                    found = Some(imported(&theirs, &invariant, pool));
                }
                (_, Verdict::Unsafe(_)) => break,
                // Another proof says nothing location by location.
                (_, Verdict::Safe(_) | Verdict::Unknown(_)) => {}
            },
        }
    }
    // Whoever is still at work ends now, and is waited for.
    interrupt.raise();
    drop((schedule, workers));
    let mut invariant = found?;
    invariant.add(known);
    Some(invariant)
}

/// The engines that take part, each with an automaton of its own. Nobody watches memory here, so those
/// whose formulas grow with the length of runs do not.
fn players(
    pool: &Pool,
    cfa: &Cfa,
    settings: &Settings,
    allowance: &Allowance,
    (interrupt, workers): (&Interrupt, &Workers),
) -> Vec<Traveller<Played>> {
    let suits = |engine: &&&'static dyn Engine| {
        let row = engine.row();
        let takes = row.programs && row.takes == Takes::Automaton;
        takes && row.joins && row.proves && !row.grows && engine.suits(pool, cfa)
    };
    let engines: Vec<_> = settings.table.iter().filter(suits).copied().collect();
    let in_turns = settings.jobs.is_some_and(|jobs| jobs < engines.len());
    let player = |engine: &'static dyn Engine| -> Traveller<Played> {
        let row = engine.row();
        let (theirs, cfa, settings) = (pool.clone(), cfa.clone(), settings.clone());
        let deadline = allowance.deadline;
        let work: Work<Played> = Box::new(move |interrupt| {
            let verdict = engine.program(&ProgramCall {
                pool: &theirs,
                cfa: &cfa,
                allowance: Allowance { deadline, work: None, interrupt },
                settings: &settings,
                reached: Reached::default(),
                findings: Findings::default(),
                // Nobody publishes anything that would have to be waited for.
                alone: true,
                in_turns,
            });
            (theirs, verdict)
        });
        // There is no room for its stack.
        let excuse = || (Pool::new(), Verdict::Unknown(Reason::Stopped(Exhausted::Memory)));
        let name = EngineName::new(row.name);
        let excuse = Box::new(excuse);
        Box::new(Runner::new(name, row.looks, interrupt, workers.starter(), work, excuse))
    };
    engines.into_iter().map(player).collect()
}
