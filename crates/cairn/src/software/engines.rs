//! The engines on a control-flow automaton, side by side.
//!
//! Each has its own thread and its own pool of terms; with its verdict it hands back the pool. As
//! many threads work at once as there are jobs ([`super::turns`]); if nothing is said of jobs, all
//! of them. The first answer that is accepted ends the race. What the analysis before k-induction
//! proves, the others are told.

use super::counting::Counting;
use super::line::ProgressLine;
use super::reached::{Board, Reached};
use super::turns::Turns;
use crate::limits::Budget;
use crate::options::{Check, Engine};
use bounded::{ProgramBmc, ProgramInduction};
use circuit::verdict::{Proof as CircuitProof, Verdict as CircuitVerdict};
use program::cfa::EdgeId;
use program::verdict::{Invariant, Proof, Reason};
use program::{Cfa, Verdict};
use rustc_hash::FxHashMap;
use sat::{Allowance, Exhausted, Held, Interrupt};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use synth::Circuit;
use term::Pool;
use term::traverse::import;

/// The most gates that a program may become.
const MAX_GATES: usize = 4_000_000;
/// How often the run's own interrupt is looked at.
const WATCH: Duration = Duration::from_millis(50);
/// The stack of an engine's thread: terms are walked without recursion, commands with it.
const STACK: usize = 256 << 20;
/// How long IC3 and IC3CFA wait for the analysis, if they have a thread of their own: mostly it ends
/// before, and what it finds (a proof, or lemmas of IC3CFA) is worth more than an early start.
const PATIENCE: Duration = Duration::from_millis(300);
/// How many looks at the interrupt they wait if they take turns.
const PATIENT_LOOKS: usize = 400;

/// The engines that take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Bmc,
    Ic3,
    Ic3cfa,
    /// With the analysis whose invariants the others take.
    Induction,
    Ic3smt,
    Treeic3,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Bmc => "bmc",
            Kind::Ic3 => "ic3",
            Kind::Ic3cfa => "ic3cfa",
            Kind::Induction => "kind",
            Kind::Ic3smt => "ic3smt",
            Kind::Treeic3 => "treeic3",
        }
    }

    /// Whether its formulas grow with the length of runs.
    fn unrolls(self) -> bool {
        matches!(self, Kind::Bmc | Kind::Induction)
    }

    /// The length of the first turn, in looks at the interrupt. What lies between two of them
    /// takes about 20 ms in bounded model checking, which unrolls and bit-blasts without a look, and
    /// a hundredth of that in IC3; with these numbers turns are about equally long.
    fn looks(self) -> u64 {
        match self {
            Kind::Bmc => 2,
            Kind::Induction => 10,
            Kind::Ic3cfa | Kind::Ic3 | Kind::Ic3smt | Kind::Treeic3 => 200,
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
pub struct Race<'a> {
    results: Receiver<Found>,
    /// Ends this race.
    interrupt: Interrupt,
    /// Ends the engines of this race that unroll the program, and so take ever more memory.
    unrolling: Interrupt,
    /// Whether there are others.
    others: bool,
    budget: &'a Budget,
    turns: Arc<Turns>,
    /// Whether the main thread takes turns with the engines.
    sequential: bool,
    progress: ProgressLine,
}

impl<'a> Race<'a> {
    /// Starts the engines that are asked for.
    pub fn start(
        pool: &Pool,
        cfa: &Cfa,
        arguments: &Check,
        budget: &'a Budget,
        board: &Board,
    ) -> Race<'a> {
        let kinds: &[Kind] = match arguments.engine {
            Engine::Auto | Engine::Portfolio => {
                &[Kind::Bmc, Kind::Induction, Kind::Ic3cfa, Kind::Ic3]
            }
            Engine::Bmc => &[Kind::Bmc],
            Engine::Ic3 => &[Kind::Ic3],
            Engine::Ic3cfa => &[Kind::Ic3cfa],
            Engine::Kind => &[Kind::Induction],
            Engine::Ic3smt => &[Kind::Ic3smt],
            Engine::Treeic3 => &[Kind::Treeic3],
        };
        let (sender, results) = channel();
        let (interrupt, unrolling) = (Interrupt::new(), Interrupt::new());
        let findings = Findings::default();
        let jobs = arguments.jobs.unwrap_or(kinds.len().max(2));
        let turns = Turns::new(jobs, kinds.len());
        for (number, &kind) in kinds.iter().enumerate() {
            let seat = turns.seat(number, kind.looks());
            let theirs = Pool::new();
            let cfa = cfa.import(pool, &theirs);
            let engine = Start {
                kind,
                allowance: Allowance {
                    interrupt: match kind.unrolls() {
                        true => unrolling.paced(seat.clone()),
                        false => interrupt.paced(seat.clone()),
                    },
                    ..budget.allowance.clone()
                },
                seed: arguments.seed,
                options: arguments.ic3cfa_options(),
                guesses: arguments.analysis_options(),
                reached: board.enter(kind.name()),
                findings: findings.clone(),
                alone: kinds.len() == 1,
                in_turns: jobs < kinds.len(),
                stats: arguments.stats,
            };
            let theirs_to_say = sender.clone();
            let place = seat.clone();
            let work = move || {
                place.enter();
                let verdict = engine.run(&theirs, &cfa);
                // Nobody listens any more once an answer was accepted.
                let _ = theirs_to_say.send(Found { engine: kind.name(), pool: theirs, verdict });
                place.leave();
            };
            let name = format!("{kind:?}");
            let started = std::thread::Builder::new().name(name).stack_size(STACK).spawn(work);
            if started.is_err() {
                // There is no room for its stack.
                let verdict = Verdict::Unknown(Reason::Stopped(Exhausted::Memory));
                let _ = sender.send(Found { engine: kind.name(), pool: Pool::new(), verdict });
                findings.publish(&Pool::new(), &Invariant::default());
                seat.leave();
            }
        }
        let progress = ProgressLine::new(board.clone(), arguments.quiet);
        let others = kinds.iter().any(|kind| !kind.unrolls());
        let sequential = jobs <= 1;
        Race { results, interrupt, unrolling, others, budget, turns, sequential, progress }
    }

    /// Whether the engines sleep while the main thread works.
    pub fn is_sequential(&self) -> bool {
        self.sequential
    }

    /// Waits for the next verdict, not longer than `patience`; in turns, for one round.
    pub fn next(&self, patience: Option<Duration>) -> Next {
        while self.sequential && self.turns.engines() && !self.interrupt.is_raised() {
            if let Ok(found) = self.results.try_recv() {
                self.progress.clear();
                return Next::Found(Box::new(found));
            }
            if self.budget.allowance.interrupt.is_raised() {
                self.stop();
                break;
            }
            self.make_room();
            self.progress.show();
            self.turns.round();
            if patience.is_some() {
                let found = self.results.try_recv();
                return found.map_or(Next::Quiet, |found| Next::Found(Box::new(found)));
            }
        }
        let end = patience.map(|patience| Instant::now() + patience);
        loop {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            match self.results.recv_timeout(left.unwrap_or(WATCH).min(WATCH)) {
                Ok(found) => {
                    self.progress.clear();
                    return Next::Found(Box::new(found));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.progress.clear();
                    return Next::Over;
                }
                Err(RecvTimeoutError::Timeout) => self.progress.show(),
            }
            if self.budget.allowance.interrupt.is_raised() {
                self.stop();
            }
            self.make_room();
            if left == Some(Duration::ZERO) {
                return Next::Quiet;
            }
        }
    }

    /// Ends the engines that take ever more memory, if that gets scarce: the others may still find
    /// an answer.
    fn make_room(&self) {
        if self.others && self.budget.is_crowded() {
            self.unrolling.raise();
        }
    }

    /// Lets the engines wait for as long as the result lives, but not longer than `most`: what they
    /// have found is checked, which mostly takes little time and decides whether they are needed
    /// any more.
    pub fn hold(&self, most: Duration) -> [Held<'_>; 2] {
        [self.interrupt.hold(most), self.unrolling.hold(most)]
    }

    /// Tells the engines to stop.
    pub fn stop(&self) {
        self.progress.clear();
        self.interrupt.raise();
        self.unrolling.raise();
        self.turns.release();
    }
}

/// What an engine needs to know.
struct Start {
    kind: Kind,
    allowance: Allowance,
    seed: u64,
    /// Of IC3CFA.
    options: ic3cfa::Options,
    /// Of the analysis.
    guesses: analysis::Options,
    /// Hears of the progress.
    reached: Reached,
    /// What is known to hold.
    findings: Findings,
    /// Whether there is no other engine.
    alone: bool,
    /// Whether there are fewer jobs than engines.
    in_turns: bool,
    /// Whether figures are printed.
    stats: bool,
}

impl Start {
    fn run(&self, pool: &Pool, cfa: &Cfa) -> Verdict {
        if !self.alone && matches!(self.kind, Kind::Ic3 | Kind::Ic3cfa) {
            self.await_findings();
        }
        match self.kind {
            Kind::Bmc => self.bmc(pool, cfa),
            Kind::Ic3 => self.ic3(pool, cfa),
            Kind::Ic3cfa | Kind::Ic3smt | Kind::Treeic3 => self.on_automaton(pool, cfa),
            Kind::Induction => self.induction(pool, cfa),
        }
    }

    /// Waits until the analysis has ended, or for as long as that pays.
    fn await_findings(&self) {
        let end = Instant::now() + PATIENCE;
        for _ in 0..PATIENT_LOOKS {
            if self.findings.settled() || self.allowance.interrupt.is_raised() {
                return;
            }
            if !self.in_turns {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return;
                }
                self.findings.wait(left.min(WATCH));
            }
        }
    }

    /// Invariants by analysis, then k-induction with them.
    fn induction(&self, pool: &Pool, cfa: &Cfa) -> Verdict {
        let options = self.guesses;
        let found = match analysis::analyze(pool, cfa, &options, &smt::Standard, &self.allowance) {
            Ok(found) => found,
            Err(error) => {
                self.findings.publish(pool, &Invariant::default());
                return Verdict::Unknown(Reason::GaveUp(error.to_string()));
            }
        };
        if self.stats {
            let count: usize = found.invariant.at.iter().map(|(_, formulas)| formulas.len()).sum();
            eprintln!("analysis: {count} formulas");
        }
        if found.safe {
            return Verdict::Safe(Proof::Inductive(found.invariant));
        }
        self.findings.publish(pool, &found.invariant);
        match ProgramInduction::new(pool, cfa, &found.invariant, &smt::Standard) {
            None => Verdict::Safe(Proof::Exhausted { depth: 0 }),
            Some(mut engine) => {
                engine.set_allowance(self.allowance.clone());
                engine.set_refutes(self.alone);
                engine.check(usize::MAX, &mut self.reached.clone())
            }
        }
    }

    /// IC3CFA, or what it is compared with.
    fn on_automaton(&self, pool: &Pool, cfa: &Cfa) -> Verdict {
        let mut counting = Counting::new(self.reached.clone());
        let (allowance, observer) = (&self.allowance, &mut counting);
        let verdict = match self.kind {
            Kind::Ic3smt => ic3cfa::ic3smt::check(pool, cfa, allowance, observer),
            Kind::Treeic3 => ic3cfa::treeic3::check(pool, cfa, allowance, observer),
            _ => {
                let mut taken = false;
                let mut lemmas = || match taken {
                    true => None,
                    false => {
                        let found = self.findings.take(pool);
                        taken = found.is_some();
                        found
                    }
                };
                let options = &self.options;
                ic3cfa::check_with(pool, cfa, options, allowance, observer, &mut lemmas)
            }
        };
        counting.finish();
        verdict
    }

    fn bmc(&self, pool: &Pool, cfa: &Cfa) -> Verdict {
        self.unroll(pool, cfa, |bmc| bmc.check(usize::MAX, &mut self.reached.clone()))
    }

    /// What an unrolling says.
    fn unroll(
        &self,
        pool: &Pool,
        cfa: &Cfa,
        ask: impl FnOnce(&mut ProgramBmc<'_>) -> Verdict,
    ) -> Verdict {
        match ProgramBmc::new(pool, cfa, &smt::Standard) {
            None => Verdict::Safe(Proof::Exhausted { depth: 0 }),
            Some(mut bmc) => {
                bmc.set_allowance(self.allowance.clone());
                ask(&mut bmc)
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
        let mut reached = self.reached.clone();
        let verdict =
            ic3::check_system(&circuit.system, 0, &options, &self.allowance, &mut reached);
        match verdict {
            Ok(CircuitVerdict::Safe(CircuitProof::Inductive(clauses))) => {
                Verdict::Safe(Proof::Inductive(circuit.lift_invariant(cfa, &clauses)))
            }
            Ok(CircuitVerdict::Unsafe(trace)) => match circuit.lift_trace(cfa, &trace) {
                // Perhaps the program has a run along the same edges.
                Some(run) if circuit.has_more_runs() => {
                    let path: Vec<EdgeId> = run.steps.iter().map(|step| step.edge).collect();
                    self.unroll(pool, cfa, |bmc| bmc.along(&path))
                }
                Some(run) => Verdict::Unsafe(run),
                None => gave_up("the trace of the circuit follows no run".to_owned()),
            },
            Ok(CircuitVerdict::Unknown(reason)) => Verdict::Unknown(match reason {
                circuit::verdict::Reason::Stopped(exhausted) => Reason::Stopped(exhausted),
                other => Reason::GaveUp(other.to_string()),
            }),
            Ok(CircuitVerdict::Safe(CircuitProof::KInductive { k, .. })) => {
                gave_up(format!("the circuit is {k}-inductive, which is no invariant"))
            }
            Err(error) => gave_up(error.to_string()),
        }
    }
}

/// Invariants that one engine has proved, for the others; clones share them.
#[derive(Clone, Default)]
struct Findings(Arc<Published>);

#[derive(Default)]
struct Published {
    invariant: Mutex<Option<(Pool, Invariant)>>,
    changed: Condvar,
}

impl Findings {
    fn lock(&self) -> MutexGuard<'_, Option<(Pool, Invariant)>> {
        self.0.invariant.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands an inductive invariant over.
    fn publish(&self, pool: &Pool, invariant: &Invariant) {
        let copy = Pool::new();
        let invariant = imported(pool, invariant, &copy);
        *self.lock() = Some((copy, invariant));
        self.0.changed.notify_all();
    }

    /// Whether something was handed over.
    fn settled(&self) -> bool {
        self.lock().is_some()
    }

    /// Waits for something to be handed over, not longer than `most`.
    fn wait(&self, most: Duration) {
        let nothing = |found: &mut Option<_>| found.is_none();
        drop(self.0.changed.wait_timeout_while(self.lock(), most, nothing));
    }

    /// What was handed over, as terms of another pool.
    fn take(&self, into: &Pool) -> Option<Invariant> {
        self.lock().as_ref().map(|(pool, invariant)| imported(pool, invariant, into))
    }
}

/// An invariant in terms of another pool.
pub fn imported(from: &Pool, invariant: &Invariant, into: &Pool) -> Invariant {
    let mut map = FxHashMap::default();
    let at = invariant.at.iter().map(|(location, formulas)| {
        let formulas = formulas.iter().map(|&formula| import(from, formula, into, &mut map));
        (location, formulas.collect())
    });
    Invariant { at: at.collect() }
}
