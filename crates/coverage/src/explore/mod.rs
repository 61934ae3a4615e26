//! Runs that look for what has not been seen: by chance, and guided by what was new before.
//!
//! A run that shows something new is kept, up to the cycle in which it did. Later runs begin with a part of
//! one that is kept and go on by chance, so that what takes a long way is found step by step. Beside events
//! that goals ask for, a value of a new kind of a global register counts as new: that is how a counter or
//! the state of a machine is seen to move on.

mod domain;
pub mod player;
mod random;
pub mod seen;
pub mod tape;

use crate::probes::Probed;
use answer::{Allowance, Interrupt};
use player::{Handle, Pace, Plan, Played, Player};
use program::Place;
use program::counterexample::{Counterexample, Watched};
use program::interpret::{Ending, Interpreter, Limits, Outcome};
use random::Random;
use seen::Seen;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tape::Tape;

/// The most cycles of a run, at first and at all.
const CYCLES: (u32, u32) = (64, 60_000);
/// The most steps of a run, and the least that are left for one.
const STEPS: u64 = 1 << 24;
const SHORTEST: Duration = Duration::from_millis(20);
/// How often a run is repaired that an assumption has refused.
const REPAIRS: usize = 60;
/// So many of those that were kept last are tried more often.
const LAST: usize = 40;
/// How many runs are kept, those apart that have shown an event.
const MOST_KEPT: usize = 4000;
/// How long inputs are held, of which a run chooses one.
const HOLDS: [u32; 8] = [1, 2, 4, 12, 40, 150, 600, 4000];

/// A run that is kept.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its inputs, up to the cycle of interest.
    pub tape: Tape,
    /// That cycle.
    pub cycle: u32,
    /// Whether it has shown an event, and not a state alone.
    pub shows: bool,
    /// How often it was tried.
    tried: u32,
}

/// How a run is told, in cycles and steps.
#[derive(Clone, Copy, Default, Debug)]
pub struct Effort {
    /// Runs.
    pub runs: u64,
    /// Cycles of all of them.
    pub cycles: u64,
}

/// Where runs end because of undefined behaviour.
pub type Ends = BTreeMap<Place, (String, usize)>;

/// Looks for what has not been seen.
pub struct Explorer<'p> {
    probed: &'p Probed,
    interpreter: Interpreter<'p>,
    player: Rc<RefCell<Player<'p>>>,
    /// What is kept; runs that have shown something are named by their number here.
    pub kept: Vec<Kept>,
    /// How much was done.
    pub effort: Effort,
    /// Where runs ended that did what has no meaning.
    pub ends: Ends,
    random: Random,
    /// Whether runs have cycles.
    cyclic: bool,
    /// How many fresh runs there were.
    fresh: u32,
}

impl<'p> Explorer<'p> {
    /// Nothing is known yet; none if the program can't be executed.
    #[must_use]
    pub fn new(probed: &'p Probed, seed: u64) -> Option<Explorer<'p>> {
        let interpreter = Interpreter::new(&probed.program).ok()?;
        let interpreter = interpreter.with_properties([]).with_probes(&probed.numbers);
        Some(Explorer {
            probed,
            interpreter,
            player: Rc::new(RefCell::new(Player::new(probed))),
            kept: Vec::new(),
            effort: Effort::default(),
            ends: Ends::new(),
            random: Random::new(seed ^ 0x5eed),
            cyclic: false,
            fresh: 0,
        })
    }

    /// What was seen.
    pub fn look<T>(&self, at: impl FnOnce(&Seen) -> T) -> T {
        at(&self.player.borrow().seen)
    }

    /// Executes runs until the time is over, or nothing new has been seen for long; `round` is called
    /// now and then and says whether to go on.
    pub fn explore(
        &mut self,
        end: Instant,
        patience: &dyn Fn(Duration) -> Duration,
        round: &mut dyn FnMut(&Self) -> bool,
    ) {
        let begun = Instant::now();
        let (mut last, mut told) = (Instant::now(), Instant::now());
        while Instant::now() + SHORTEST < end {
            let before = self.kept.iter().filter(|kept| kept.shows).count();
            let plan = self.plan();
            self.execute(plan, end);
            if self.kept.iter().filter(|kept| kept.shows).count() > before {
                last = Instant::now();
            }
            if told.elapsed() > Duration::from_millis(50) {
                told = Instant::now();
                if !round(self) || last.elapsed() > patience(begun.elapsed()) {
                    return;
                }
            }
        }
    }

    /// What to try next.
    fn plan(&mut self) -> Plan {
        let random = &mut self.random;
        let seed = random.next();
        let hold = HOLDS[random.below(HOLDS.len() as u64) as usize];
        let frozen = [0, 0, 20, 60][random.below(4) as usize];
        let season = [0, 0, 10, 60, 400][random.below(5) as usize];
        let keep = [0, 50, 85][random.below(3) as usize];
        let pace = Pace { hold, frozen, season, keep };
        let longest = (CYCLES.0 << (self.fresh / 4).min(10)).min(CYCLES.1);
        let most = [longest, longest / 4, longest / 16][random.below(3) as usize];
        let length = (hold.saturating_mul(6)).clamp(16, most.max(16));
        let again = self.cyclic && !self.kept.is_empty() && random.percent(70);
        if !again {
            self.fresh += 1;
            return Plan {
                tape: Tape::default(),
                from: 0,
                pace,
                cycles: length,
                seed,
                ..Plan::default()
            };
        }
        let last = self.kept.len().saturating_sub(LAST);
        let first = if random.percent(60) { last } else { 0 };
        // Of two, the one that was tried less.
        let among = (self.kept.len() - first) as u64;
        let pair = [0, 1].map(|_| first + random.below(among) as usize);
        let chosen = *pair.iter().min_by_key(|n| self.kept[**n].tried).expect("a pair has two");
        let kept = &mut self.kept[chosen];
        kept.tried += 1;
        // From a little before what was new, from there, or a little after.
        let from = match random.below(4) {
            0 => kept.cycle.saturating_sub(random.below(8) as u32),
            1 | 2 => kept.cycle + 1,
            _ => kept.cycle + 1 + random.below(20) as u32,
        };
        let tape = kept.tape.until(from.saturating_sub(1));
        Plan { tape, from, pace, cycles: from.saturating_add(length), seed, ..Plan::default() }
    }

    /// Executes a run, and again with other values where an assumption refuses it.
    fn execute(&mut self, mut plan: Plan, end: Instant) {
        for repair in 0..REPAIRS {
            let (played, refused) = self.play(&plan, end, false);
            self.keep(&played);
            let Some(suspect) = played.suspect.filter(|_| refused) else { return };
            if Instant::now() > end {
                return;
            }
            // The same with another value; now and then with all others of the cycle.
            let cycle = played.cycles;
            let mut tape = played.tape;
            match repair % 8 == 7 {
                true => tape.changes.retain(|change| change.cycle < cycle),
                false => tape.changes.truncate(suspect),
            }
            let seed = self.random.next();
            let pace = Pace { keep: 100, ..plan.pace };
            plan = Plan { tape, from: cycle, pace, seed, ..plan };
        }
    }

    /// Executes a run that somebody else has found, followed by a few cycles by chance; what it shows is
    /// kept.
    pub fn follow(&mut self, run: &Counterexample, end: Instant) {
        let script = run.taken.iter().map(|taken| taken.value.clone()).collect();
        let choices = run.choices.iter().map(|choice| *choice as u32).collect();
        let tape = Tape { changes: Vec::new(), choices };
        let pace = Pace { hold: 4, frozen: 50, season: 0, keep: 50 };
        let seed = self.random.next();
        let plan = Plan { tape, from: 0, pace, cycles: CYCLES.1, seed, script };
        let (played, _) = self.play(&plan, end, false);
        self.keep(&played);
    }

    /// Plays a run; says what it has shown, and whether an assumption has refused it.
    fn play(&mut self, plan: &Plan, end: Instant, all: bool) -> (Played, bool) {
        let interrupt = Interrupt::new();
        let allowance = Allowance { deadline: Some(end), work: None, interrupt: interrupt.clone() };
        self.interpreter.set_limits(Limits { steps: STEPS, allowance, ..Limits::default() });
        self.player.borrow_mut().begin(plan, self.kept.len(), interrupt, all);
        let mut handle = Handle(self.player.clone());
        let outcome = self.interpreter.watch(&mut handle.clone(), &mut handle);
        self.finish(&outcome)
    }

    fn finish(&mut self, outcome: &Outcome) -> (Played, bool) {
        let refused = matches!(outcome, Outcome::Ended { by: Ending::Assumption, .. });
        let played = self.player.borrow_mut().end(refused);
        self.effort.runs += 1;
        self.effort.cycles += u64::from(played.cycles);
        self.cyclic |= played.cycles > 0;
        if let Outcome::Undefined { at, fault } = outcome {
            let place = at.place(&self.probed.program);
            self.ends.entry(place).or_insert_with(|| (fault.to_string(), 0)).1 += 1;
        }
        (played, refused)
    }

    /// Keeps a run that has shown something.
    fn keep(&mut self, played: &Played) {
        if let Some(&cycle) = played.news.iter().max() {
            let tape = played.tape.until(cycle);
            self.kept.push(Kept { tape, cycle, shows: true, tried: 0 });
        } else if let Some(&cycle) = played.states.iter().max()
            && self.kept.len() < MOST_KEPT
        {
            let tape = played.tape.until(cycle);
            self.kept.push(Kept { tape, cycle, shows: false, tried: 0 });
        }
    }

    /// Plays a run that is kept once more: all that it shows, the values that it takes, and where its
    /// cycles begin.
    pub fn replay(&mut self, number: usize, end: Instant) -> (Played, Counterexample) {
        let kept = &self.kept[number];
        let pace = Pace::default();
        let (tape, cycles) = (kept.tape.clone(), kept.cycle + 1);
        let plan = Plan { tape, from: u32::MAX, pace, cycles, ..Plan::default() };
        let interrupt = Interrupt::new();
        let allowance = Allowance { deadline: Some(end), work: None, interrupt: interrupt.clone() };
        self.interpreter.set_limits(Limits { steps: STEPS, allowance, ..Limits::default() });
        self.player.borrow_mut().begin(&plan, number, interrupt, true);
        let mut handle = Handle(self.player.clone());
        let watched = Watched::new(&self.probed.program, handle.clone());
        let outcome = self.interpreter.watch(&mut watched.clone(), &mut handle);
        let (played, _) = self.finish(&outcome);
        (played, watched.notes())
    }
}
