//! Engines on the automaton of a program, side by side; concrete runs beside them.
//!
//! Each engine has its own pool of terms, which it hands back with its verdict. The first claim that is
//! accepted ends the race. A proof whose check takes long while engines may still find a better one
//! waits; it is checked again, with twice the patience, after the engines have had as much time.

use super::encode::{Encoding, Scope};
use super::recall::Prepared;
use super::{Claim, Decider, Setup, Stage};
use crate::budget::Budget;
use crate::engines::{Engine, ProgramCall, Row, Takes};
use crate::exchange::Findings;
use crate::failure::Failure;
use crate::listener::{Listener, Note};
use crate::question::Choice;
use crate::record::Record;
use crate::schedule::baton::{Runner, Work};
use crate::schedule::{Courtesy, Found, Next, Schedule, Traveller, later};
use answer::{Allowance, Ended, EngineName, Exhausted, Held, Interrupt, Reason};
use program::verdict::Unfinished;
use program::{Cfa, Invariant, Verdict};
use std::sync::Arc;
use std::time::{Duration, Instant};
use term::Pool;

/// How often the question's own interrupt is looked at.
const WATCH: Duration = Duration::from_millis(50);
/// How often it is asked whether a test fails.
const TEST_LOOK: Duration = Duration::from_millis(100);
/// How long a proof is checked while engines may still find a better one, at first.
const FIRST_PATIENCE: Duration = Duration::from_secs(2);

/// The part of the time that is for writing down what engines leave, and the most.
const KEEPING: f64 = 0.02;
const MOST_KEEPING: Duration = Duration::from_secs(2);

/// How long others wait for the engine that was best before: a part of the time that the version before
/// took, and of the time that is left.
const HEAD_START: f64 = 0.5;

/// What an engine answers: a verdict, and the pool its terms are of.
pub(super) type Played = (Pool, Verdict);

/// Engines at work on one model.
pub(crate) struct Race<'a> {
    /// The model.
    pub encoding: Arc<Encoding>,
    /// How deep recursion is unrolled in it, and what was asked for.
    pub extent: (u32, Scope),
    /// What is known to hold of the minimized automaton, which the engines' proofs rest on.
    pub held: Option<Invariant>,
    /// What may hold, which engines begin with.
    pub begun: Unfinished,
    /// What the engines know and leave.
    pub findings: Findings,
    schedule: Schedule<'static, Played>,
    /// Their threads.
    pub courtesy: Courtesy,
    /// Ends this race.
    interrupt: Interrupt,
    /// Ends the engines of this race that unroll the program, and so take ever more memory.
    unrolling: Interrupt,
    /// Whether there are others.
    others: bool,
    /// Whether those were ended for want of memory.
    made_room: bool,
    budget: &'a Budget,
    /// A proof that is to be checked again, and when.
    waiting: Option<(Claim, Instant)>,
    /// How long a proof is checked.
    pub patience: Duration,
}

impl<'a> Race<'a> {
    /// Starts engines.
    pub fn start(
        setup: &Setup<'a>,
        pool: &Pool,
        prepared: Prepared,
        engines: &[&'static dyn Engine],
        favoured: Option<(&str, f64)>,
        record: &Record,
    ) -> Race<'a> {
        let (interrupt, unrolling) = (Interrupt::new(), Interrupt::new());
        let jobs = setup.settings.jobs.unwrap_or(engines.len().max(2));
        let Prepared { extent, encoding, held, begun, .. } = prepared;
        let findings = Findings::default();
        if !begun.is_empty() {
            findings.suggest(pool, &begun);
        }
        let mut strengthened = None;
        if let Some(held) = &held {
            findings.begin_with(pool, held);
            strengthened = Some(encoding.minimized.cfa.assuming(pool, held));
        }
        let plain = &encoding.minimized.cfa;
        let assuming = strengthened.as_ref().unwrap_or(plain);
        let start = Start {
            setup,
            findings: findings.clone(),
            courtesy: Courtesy::default(),
            alone: engines.len() == 1,
            in_turns: jobs < engines.len(),
            favoured: favoured.filter(|(name, _)| engines.iter().any(|e| e.row().name == *name)),
            record,
        };
        let player = |engine: &&'static dyn Engine| {
            let interrupt = if engine.row().grows { &unrolling } else { &interrupt };
            let cfa = if engine.row().takes_lemmas { plain } else { assuming };
            start.player(*engine, pool, cfa, interrupt)
        };
        let players: Vec<Traveller<Played>> = engines.iter().map(player).collect();
        let schedule = Schedule::start(players, jobs, setup.starter);
        let others = engines.iter().any(|engine| !engine.row().grows);
        let (budget, waiting, patience) = (setup.budget, None, FIRST_PATIENCE);
        Race {
            encoding,
            extent,
            held,
            begun,
            findings,
            schedule,
            courtesy: start.courtesy,
            interrupt,
            unrolling,
            others,
            made_room: false,
            budget,
            waiting,
            patience,
        }
    }

    /// Whether the engines sleep while the main thread works.
    pub fn is_sequential(&self) -> bool {
        self.schedule.is_sequential()
    }

    /// Waits for the next verdict, not longer than `patience`; in turns, for one round.
    fn next(&mut self, patience: Option<Duration>, listener: &mut dyn Listener) -> Next<Played> {
        let end = patience.and_then(later);
        loop {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            match self.schedule.next(left.unwrap_or(WATCH).min(WATCH)) {
                Next::Quiet => listener.waiting(),
                next => {
                    listener.resumed();
                    return next;
                }
            }
            if self.budget.is_interrupted() {
                self.stop();
            }
            self.make_room();
            if patience.is_some() && (self.is_sequential() || left == Some(Duration::ZERO)) {
                return Next::Quiet;
            }
        }
    }

    /// Ends the engines that take ever more memory, if that gets scarce: the others may still find
    /// an answer.
    fn make_room(&mut self) {
        if self.others && self.budget.is_crowded() {
            self.made_room = true;
            self.unrolling.raise();
        }
    }

    /// Why an engine had to end, where it knows only that it had to.
    fn why(&self, reason: Reason) -> Reason {
        match (reason, self.budget.ended()) {
            (_, Some(ended)) => Reason::Stopped(ended),
            (Reason::Stopped(Exhausted::Interrupted), None) if self.made_room => {
                Reason::Stopped(Exhausted::Memory)
            }
            (reason, None) => reason,
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
        self.interrupt.raise();
        self.unrolling.raise();
    }
}

impl Drop for Race<'_> {
    fn drop(&mut self) {
        self.stop();
    }
}

/// What engines are started with.
struct Start<'s, 'a> {
    setup: &'s Setup<'a>,
    findings: Findings,
    courtesy: Courtesy,
    alone: bool,
    in_turns: bool,
    /// The engine that was best before, and how many seconds that took.
    favoured: Option<(&'s str, f64)>,
    record: &'s Record,
}

impl Start<'_, '_> {
    /// How long an engine leaves the time to the one that was best before: those that look for proofs do.
    fn head_start(&self, row: &Row) -> Option<Duration> {
        let waits = self.favoured.is_some_and(|(name, _)| name != row.name) && row.proves;
        let worth = self.favoured.map_or(0.0, |(_, worth)| worth);
        let most = Duration::try_from_secs_f64(HEAD_START * worth).unwrap_or_default();
        let left = self.setup.budget.allowance.left();
        let most = left.map_or(most, |left| most.min(left.mul_f64(HEAD_START)));
        (waits && !self.in_turns).then_some(most)
    }

    /// When the engines stop: where it is kept what they leave, a little before the question ends.
    fn deadline(&self) -> Option<Instant> {
        let allowance = &self.setup.budget.allowance;
        if !self.setup.settings.learn {
            return allowance.deadline;
        }
        let keeping = allowance.left()?.mul_f64(KEEPING).min(MOST_KEEPING);
        allowance.deadline.map(|end| end.checked_sub(keeping).unwrap_or(end))
    }

    /// An engine as a player, with a copy of the automaton.
    fn player(
        &self,
        engine: &'static dyn Engine,
        pool: &Pool,
        cfa: &Cfa,
        interrupt: &Interrupt,
    ) -> Traveller<Played> {
        let row = engine.row();
        let favoured = self.favoured.is_some_and(|(name, _)| name == row.name);
        let theirs = Pool::new();
        let cfa = cfa.import(pool, &theirs);
        let reached = self.record.board.enter(row, None);
        let (findings, settings) = (self.findings.clone(), self.setup.settings.clone());
        let (alone, in_turns, courtesy) = (self.alone, self.in_turns, self.courtesy.clone());
        let deadline = self.deadline();
        let head_start = self.head_start(row);
        let work: Work<Played> = Box::new(move |interrupt| {
            let _visit = courtesy.join();
            if let Some(head_start) = head_start {
                findings.wait_for_favoured(head_start, &interrupt);
            }
            let _done = favoured.then(|| findings.favoured());
            let call = ProgramCall {
                pool: &theirs,
                cfa: &cfa,
                allowance: Allowance { deadline, work: None, interrupt },
                settings: &settings,
                reached,
                findings,
                alone,
                in_turns,
            };
            let verdict = engine.program(&call);
            drop(call);
            (theirs, verdict)
        });
        let name = EngineName::new(row.name);
        // There is no room for its stack.
        let excuse = || (Pool::new(), Verdict::Unknown(Reason::Stopped(Exhausted::Memory)));
        let excuse = Box::new(excuse);
        let starter = self.setup.starter;
        Box::new(Runner::new(name, row.looks, interrupt, starter, work, excuse))
    }
}

impl Decider<'_, '_> {
    /// The engines that are asked for about an automaton.
    pub(super) fn engines(&self, cfa: &Cfa) -> Vec<&'static dyn Engine> {
        let settings = self.setup.settings;
        let joins = |engine: &dyn Engine| {
            let row = engine.row();
            row.programs && row.joins && engine.suits(&self.program.pool, cfa)
        };
        let takes = |engine: &&dyn Engine| match settings.choice {
            Choice::Auto | Choice::Portfolio => joins(*engine),
            Choice::One(name) => engine.row().name == name,
        };
        let takes = |engine: &&dyn Engine| takes(engine) && engine.row().takes == Takes::Automaton;
        settings.table.iter().copied().filter(takes).collect()
    }

    /// Waits for the next claim of an engine, or of a run beside them.
    pub(super) fn race(&mut self, listener: &mut dyn Listener) -> Result<Option<Claim>, Failure> {
        let Some(race) = &mut self.race else {
            self.stage = Stage::Last;
            return Ok(None);
        };
        let due = race.waiting.as_ref().is_some_and(|(_, due)| Instant::now() >= *due);
        let beside = self.tests.is_some() || self.unwinding.is_some();
        let quiet = match (due, &race.waiting, beside) {
            (true, ..) => Some(Duration::ZERO),
            (false, None, false) => None,
            _ => Some(TEST_LOOK),
        };
        Ok(match race.next(quiet, listener) {
            Next::Found(found) => self.found(found, listener),
            Next::Over => match race.waiting.take() {
                Some((claim, _)) => self.again(claim),
                None => {
                    self.stage = Stage::Last;
                    None
                }
            },
            Next::Quiet => match race.waiting.take_if(|(_, due)| Instant::now() >= *due) {
                Some((claim, _)) => self.again(claim),
                None => return self.run_beside(listener),
            },
        })
    }

    /// A proof that has waited is checked again, for longer.
    fn again(&mut self, claim: Claim) -> Option<Claim> {
        if let Some(race) = &mut self.race {
            race.patience *= 2;
        }
        Some(claim)
    }

    /// The check of a proof took longer than it is given now.
    pub(super) fn wait_with(&mut self, claim: Claim) {
        match &mut self.race {
            Some(race) => race.waiting = Some((claim, Instant::now() + race.patience)),
            None => self.reason = Reason::Unchecked(Exhausted::Time),
        }
    }

    /// An engine has ended.
    fn found(&mut self, found: Found<Played>, listener: &mut dyn Listener) -> Option<Claim> {
        let Found { player: engine, answer: (pool, verdict) } = found;
        let ended = match &verdict {
            Verdict::Safe(_) => Ended::Safe,
            Verdict::Unsafe(run) => Ended::Unsafe { steps: run.steps.len() },
            Verdict::Unknown(reason) => Ended::Unknown(reason.clone()),
        };
        let seconds = self.setup.budget.elapsed();
        let figures = self.record.board.ended(&engine, None, ended.clone());
        let (ended, goal) = (&ended, None);
        listener.note(&Note::Ended { engine: &engine, goal, ended, figures, seconds });
        match verdict {
            Verdict::Safe(proof) => Some(Claim::Proof(engine, Box::new((pool, proof)))),
            Verdict::Unsafe(run) => Some(Claim::Run(engine, run)),
            Verdict::Unknown(mut reason) => {
                if let Some(race) = &self.race {
                    reason = race.why(reason);
                }
                self.reason = reason.of(&engine);
                None
            }
        }
    }
}
