//! Runs that look for what has not been seen: by chance, and guided by what was new before.
//!
//! A run that shows something new is kept, up to the cycle in which it did, with the state that it leaves.
//! Later runs go on from there, or a little before, by chance, so that what takes a long way is found step by
//! step. Beside events that goals ask for, what says that a run gets on counts as new ([`progress`]): that is
//! how a counter or the state of a machine is seen to move on.

pub mod domain;
pub mod player;
mod progress;
mod random;
pub mod seen;
pub mod tape;

use crate::order::Range;
use crate::probes::{Event, Probed};
use answer::Allowance;
use player::{AFTER, Given, Handle, Pace, Plan, Played, Player, Start};
use program::Place;
use program::counterexample::{Counterexample, Taken, Watched};
use program::interpret::{Ending, Interpreter, Limits, Outcome, Snapshot};
use random::Random;
use rustc_hash::FxHashMap;
use seen::Seen;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tape::Tape;
use term::Sort;

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
/// How many bytes the states of runs may take.
const MOST_SAVED: u64 = 400 << 20;
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
    /// Where the run began that was kept.
    origin: Option<Rc<Start>>,
    /// The state behind the cycle.
    pub end: Option<Rc<Start>>,
}

/// How a run is told, in cycles and steps.
#[derive(Clone, Copy, Default, Debug)]
pub struct Effort {
    /// Runs.
    pub runs: u64,
    /// Cycles of all of them.
    pub cycles: u64,
    /// States from which a solver was asked for inputs.
    pub states: u64,
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
    /// Where all runs can begin: where cycles do, if that is the same for all.
    first: Option<Rc<Start>>,
    /// How many of those kept have shown an event.
    showing: usize,
    /// How many bytes the states take that are kept.
    saved: u64,
    /// How long all runs took.
    spent: Duration,
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
            first: None,
            showing: 0,
            saved: 0,
            spent: Duration::ZERO,
        })
    }

    /// The ranges of the values that registers of the state have had ([`Probed::states`]).
    pub fn ranges(&self) -> Vec<Option<Range>> {
        self.player.borrow().progress.ranges()
    }

    /// The constants that the program computes with, by sort.
    pub fn constants(&self) -> FxHashMap<Sort, Vec<u64>> {
        self.player.borrow().dictionary.clone()
    }

    /// States that were saved, so many at most.
    pub fn states(&self, most: usize) -> Vec<(&Interpreter<'p>, &Snapshot)> {
        let states = (0..self.kept.len()).filter_map(|number| self.state(number));
        let states: Vec<_> = states.collect();
        let step = states.len().div_ceil(most).max(1);
        states.into_iter().step_by(step).collect()
    }

    /// The state behind a run that is kept, if it was saved.
    pub fn state(&self, number: usize) -> Option<(&Interpreter<'p>, &Snapshot)> {
        Some((&self.interpreter, &self.kept.get(number)?.end.as_ref()?.snapshot))
    }

    /// How long it takes to execute those that have shown something, from the start of the program.
    pub fn showing_time(&self) -> Duration {
        let showing = self.kept.iter().filter(|kept| kept.shows);
        let cycles: u64 = showing.map(|kept| u64::from(kept.cycle) + 1).sum();
        self.spent.mul_f64(cycles as f64 / self.effort.cycles.max(1) as f64)
    }

    /// These events are what is open.
    pub fn set_open(&mut self, events: &[Event]) {
        let decisions = events.iter().filter_map(|event| match event {
            Event::Decision(decision, _) => Some(*decision),
            Event::Point(_) => None,
        });
        self.player.borrow_mut().progress.set_open(decisions);
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
        if self.effort.runs == 0 {
            self.find_beginning(end);
        }
        while Instant::now() + SHORTEST < end {
            let before = self.showing;
            let plan = self.plan();
            self.execute(plan, end);
            if self.showing > before {
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

    /// Executes a run up to its second cycle, to have the state at the first.
    fn find_beginning(&mut self, end: Instant) {
        let plan = Plan { cycles: 1, ..Plan::default() };
        let (mut played, _) = self.play(&plan, end);
        // Nothing but the first cycle has begun.
        self.first = played.start.take_if(|start| start.cycle == 0).map(Rc::new);
        self.keep(&mut played, &plan);
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
            let start = self.first.clone();
            return Plan { start, pace, cycles: length, seed, ..Plan::default() };
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
        let is_before = |start: &&Rc<Start>| start.cycle <= from;
        let starts = [&kept.end, &kept.origin, &self.first].into_iter().flatten();
        let start = starts.filter(is_before).max_by_key(|start| start.cycle).cloned();
        let cycles = from.saturating_add(length);
        Plan { start, tape, from, pace, cycles, seed, ..Plan::default() }
    }

    /// Executes a run, and again with other values where an assumption refuses it.
    fn execute(&mut self, mut plan: Plan, end: Instant) {
        for repair in 0..REPAIRS {
            let (mut played, refused) = self.play(&plan, end);
            self.keep(&mut played, &plan);
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
        let given = |taken: &Taken| {
            let (function, edge) = taken.instruction;
            (function, edge, taken.part, taken.value.clone())
        };
        let script = run.taken.iter().map(given).collect();
        let choices = run.choices.iter().map(|choice| *choice as u32).collect();
        let tape = Tape { changes: Vec::new(), choices };
        self.play_script(Plan { tape, script, ..Plan::default() }, end);
    }

    /// Goes on behind a run that is kept, with these values; what that shows is kept.
    pub fn go_on(&mut self, number: usize, script: VecDeque<Given>, end: Instant) {
        let kept = &self.kept[number];
        let (tape, from, start) = (kept.tape.clone(), kept.cycle + 1, kept.end.clone());
        self.play_script(Plan { start, tape, from, script, ..Plan::default() }, end);
    }

    fn play_script(&mut self, plan: Plan, end: Instant) {
        let pace = Pace { hold: 4, frozen: 50, season: 0, keep: 50 };
        let plan = Plan { pace, cycles: plan.from + AFTER, seed: self.random.next(), ..plan };
        let (mut played, _) = self.play(&plan, end);
        self.keep(&mut played, &plan);
    }

    /// Plays a run; says what it has shown, and whether an assumption has refused it.
    fn play(&mut self, plan: &Plan, end: Instant) -> (Played, bool) {
        let saves = self.saved < MOST_SAVED;
        self.begin(plan, self.kept.len(), saves, end);
        let mut handle = Handle(self.player.clone());
        let mut oracle = handle.clone();
        let begun = Instant::now();
        let outcome = match &plan.start {
            Some(start) => self.interpreter.resume(&start.snapshot, &mut oracle, &mut handle),
            None => self.interpreter.watch(&mut oracle, &mut handle),
        };
        self.spent += begun.elapsed();
        self.finish(plan, &outcome)
    }

    fn begin(&mut self, plan: &Plan, number: usize, saves: bool, end: Instant) {
        let allowance = Allowance { deadline: Some(end), ..Allowance::default() };
        self.interpreter.set_limits(Limits { steps: STEPS, allowance, ..Limits::default() });
        self.player.borrow_mut().begin(plan, number, saves);
    }

    fn finish(&mut self, plan: &Plan, outcome: &Outcome) -> (Played, bool) {
        let refused = matches!(outcome, Outcome::Ended { by: Ending::Assumption, .. });
        let played = self.player.borrow_mut().end(refused);
        let before = plan.start.as_ref().map_or(0, |start| start.cycle);
        self.effort.runs += 1;
        self.effort.cycles += u64::from(played.cycles - before);
        self.cyclic |= played.cycles > 0;
        if let Outcome::Undefined { at, fault } = outcome {
            let place = at.place(&self.probed.program);
            self.ends.entry(place).or_insert_with(|| (fault.to_string(), 0)).1 += 1;
        }
        (played, refused)
    }

    /// Keeps a run that has shown something, with the state behind it.
    fn keep(&mut self, played: &mut Played, plan: &Plan) {
        let (shows, cycle) = match (played.news.iter().max(), played.states.iter().max()) {
            (Some(cycle), _) => (true, *cycle),
            (None, Some(cycle)) if self.kept.len() < MOST_KEPT => (false, *cycle),
            _ => return,
        };
        let end = played.start.take().filter(|start| start.cycle == cycle + 1).map(Rc::new);
        self.saved += end.as_ref().map_or(0, |end| end.snapshot.size());
        self.showing += usize::from(shows);
        let (tape, origin) = (played.tape.until(cycle), plan.start.clone());
        self.kept.push(Kept { tape, cycle, shows, tried: 0, origin, end });
    }

    /// The plan of a run that is kept.
    fn again(&self, number: usize) -> Plan {
        let kept = &self.kept[number];
        let (tape, cycles) = (kept.tape.clone(), kept.cycle + 1);
        Plan { tape, from: u32::MAX, cycles, ..Plan::default() }
    }

    /// Plays a run that is kept once more, from the start of the program: all that it shows.
    pub fn events(&mut self, number: usize, end: Instant) -> Played {
        let plan = self.again(number);
        self.begin(&plan, number, false, end);
        self.player.borrow_mut().note_all();
        let mut handle = Handle(self.player.clone());
        let outcome = self.interpreter.watch(&mut handle.clone(), &mut handle);
        self.finish(&plan, &outcome).0
    }

    /// The same up to a cycle: the values that it takes, and where its cycles begin.
    pub fn replay(
        &mut self,
        number: usize,
        cycle: usize,
        end: Instant,
    ) -> (Counterexample, Vec<usize>) {
        let plan = Plan { cycles: cycle as u32 + 1, ..self.again(number) };
        self.begin(&plan, number, false, end);
        let mut handle = Handle(self.player.clone());
        let watched = Watched::new(&self.probed.program, handle.clone());
        let outcome = self.interpreter.watch(&mut watched.clone(), &mut handle);
        let (played, _) = self.finish(&plan, &outcome);
        (watched.notes(), played.begins)
    }
}
