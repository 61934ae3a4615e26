//! The engines on a control-flow automaton, side by side.
//!
//! Each has its own thread and its own pool of terms; with its verdict it hands back the pool. The
//! first answer that is accepted ends the race.

use super::reached::{Board, Reached};
use crate::limits::Budget;
use crate::options::{Check, Engine};
use bounded::ProgramBmc;
use circuit::verdict::{Proof as CircuitProof, Verdict as CircuitVerdict};
use program::verdict::{Proof, Reason};
use program::{Cfa, Verdict};
use sat::{Held, Interrupt, Limits};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use synth::Circuit;
use term::Pool;

/// The most gates that a program may become.
const MAX_GATES: usize = 4_000_000;
/// How often the run's own interrupt is looked at.
const WATCH: Duration = Duration::from_millis(50);
/// How long engines wait at most while evidence is checked.
const HOLD: Duration = Duration::from_millis(500);
/// The stack of an engine's thread: terms are walked without recursion, commands with it.
const STACK: usize = 256 << 20;

/// The engines that take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Bmc,
    Ic3,
    Ic3cfa,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Bmc => "bmc",
            Kind::Ic3 => "ic3",
            Kind::Ic3cfa => "ic3cfa",
        }
    }
}

/// A verdict, and the pool its terms are of.
pub struct Found {
    /// Who found it.
    pub engine: &'static str,
    /// Where its terms live.
    pub pool: Pool,
    /// What it says.
    pub verdict: Verdict,
}

/// What waiting for the engines came to.
pub enum Next {
    /// A verdict.
    Found(Box<Found>),
    /// Nothing yet.
    Quiet,
    /// All engines are through.
    Over,
}

/// Engines at work.
pub struct Race {
    results: Receiver<Found>,
    /// Ends this race.
    interrupt: Interrupt,
    /// Ends the whole run.
    outer: Interrupt,
}

impl Race {
    /// Starts the engines that are asked for.
    pub fn start(
        pool: &Pool,
        cfa: &Cfa,
        arguments: &Check,
        budget: &Budget,
        board: &Board,
    ) -> Race {
        let kinds: &[Kind] = match arguments.engine {
            Engine::Auto | Engine::Portfolio => &[Kind::Bmc, Kind::Ic3, Kind::Ic3cfa],
            Engine::Bmc => &[Kind::Bmc],
            Engine::Ic3 | Engine::Kind => &[Kind::Ic3],
            Engine::Ic3cfa => &[Kind::Ic3cfa],
        };
        let (sender, results) = channel();
        let interrupt = Interrupt::new();
        for &kind in kinds {
            let theirs = Pool::new();
            let cfa = cfa.import(pool, &theirs);
            let engine = Start {
                kind,
                limits: budget.limits,
                interrupt: interrupt.clone(),
                seed: arguments.seed,
                configuration: arguments.ic3cfa_config,
                reached: board.enter(kind.name()),
            };
            let sender = sender.clone();
            let work = move || {
                let verdict = engine.run(&theirs, &cfa);
                // Nobody listens any more once an answer was accepted.
                let _ = sender.send(Found { engine: kind.name(), pool: theirs, verdict });
            };
            let name = format!("{kind:?}");
            let started = std::thread::Builder::new().name(name).stack_size(STACK).spawn(work);
            started.expect("the system has room for a thread");
        }
        Race { results, interrupt, outer: budget.interrupt.clone() }
    }

    /// Waits for the next verdict, not longer than `patience`.
    pub fn next(&self, patience: Option<Duration>) -> Next {
        let end = patience.map(|patience| Instant::now() + patience);
        loop {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            match self.results.recv_timeout(left.unwrap_or(WATCH).min(WATCH)) {
                Ok(found) => return Next::Found(Box::new(found)),
                Err(RecvTimeoutError::Disconnected) => return Next::Over,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.outer.is_raised() {
                self.stop();
            }
            if left == Some(Duration::ZERO) {
                return Next::Quiet;
            }
        }
    }

    /// Lets the engines wait for as long as the result lives, but not long: what they have found is
    /// checked, which mostly takes little time and decides whether they are needed any more.
    pub fn hold(&self) -> Held<'_> {
        self.interrupt.hold(HOLD)
    }

    /// Tells the engines to stop.
    pub fn stop(&self) {
        self.interrupt.raise();
    }
}

/// What an engine needs to know.
struct Start {
    kind: Kind,
    limits: Limits,
    interrupt: Interrupt,
    seed: u64,
    /// Of IC3CFA.
    configuration: Option<char>,
    /// Hears of the progress.
    reached: Reached,
}

impl Start {
    fn run(&self, pool: &Pool, cfa: &Cfa) -> Verdict {
        match self.kind {
            Kind::Bmc => self.bmc(pool, cfa),
            Kind::Ic3 => self.ic3(pool, cfa),
            Kind::Ic3cfa => {
                let limits = smt::Limits { deadline: self.limits.deadline, conflicts: None };
                let preset = self.configuration.and_then(ic3cfa::Options::preset);
                let options = ic3cfa::Options { seed: self.seed, ..preset.unwrap_or_default() };
                ic3cfa::check(
                    pool,
                    cfa,
                    &options,
                    limits,
                    &self.interrupt,
                    &mut self.reached.clone(),
                )
            }
        }
    }

    fn bmc(&self, pool: &Pool, cfa: &Cfa) -> Verdict {
        match ProgramBmc::new(pool, cfa) {
            None => Verdict::Safe(Proof::Exhausted { depth: 0 }),
            Some(mut engine) => {
                engine.set_limits(self.limits.deadline, self.interrupt.clone());
                engine.check(usize::MAX, &mut self.reached.clone())
            }
        }
    }

    /// Bit-level IC3 on the circuit of the automaton.
    fn ic3(&self, pool: &Pool, cfa: &Cfa) -> Verdict {
        let gave_up = |why: String| Verdict::Unknown(Reason::GaveUp(why));
        let circuit = match Circuit::new(pool, cfa, MAX_GATES) {
            Ok(circuit) => circuit,
            Err(synth::SynthError::Trivial) => {
                return Verdict::Safe(Proof::Exhausted { depth: 0 });
            }
            Err(error) => return gave_up(error.to_string()),
        };
        let options = ic3::Options { seed: self.seed, ..ic3::Options::default() };
        let (mut reached, interrupt) = (self.reached.clone(), &self.interrupt);
        let verdict =
            ic3::check_system(&circuit.system, 0, &options, self.limits, interrupt, &mut reached);
        match verdict {
            Ok(CircuitVerdict::Safe(CircuitProof::Inductive(clauses))) => {
                Verdict::Safe(Proof::Inductive(circuit.lift_invariant(cfa, &clauses)))
            }
            Ok(CircuitVerdict::Unsafe(trace)) => match circuit.lift_trace(cfa, &trace) {
                Some(run) => Verdict::Unsafe(run),
                None => gave_up("the trace of the circuit follows no run".to_owned()),
            },
            Ok(CircuitVerdict::Unknown(reason)) => Verdict::Unknown(match reason {
                circuit::verdict::Reason::Time => Reason::Time,
                circuit::verdict::Reason::Memory => Reason::Memory,
                circuit::verdict::Reason::Interrupted => Reason::Interrupted,
                other => Reason::GaveUp(other.to_string()),
            }),
            Ok(CircuitVerdict::Safe(CircuitProof::KInductive { k, .. })) => {
                gave_up(format!("the circuit is {k}-inductive, which is no invariant"))
            }
            Err(error) => gave_up(error.to_string()),
        }
    }
}
