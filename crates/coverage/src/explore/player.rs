//! Plays a run: gives the interpreter its inputs, from a tape and then by chance, and notes what the
//! probes say. Where a cycle that has shown something ends, the state is saved, so that other runs can go
//! on from there.
//!
//! Inputs are held for a while, since controllers count cycles. A value that the next assumption refuses
//! counts against the way in which it was chosen ([`Domain`]).

use super::domain::{Domain, is_made_up};
use super::progress::{Progress, Streak};
use super::random::Random;
use super::seen::{First, Seen};
use super::tape::{Change, Tape};
use crate::probes::{CYCLE, DECISION, Probed, STATE};
use program::interpret::{Branch, Heed, Listener, Oracle, Part, Request, Snapshot, Step};
use program::program::{Cause, EdgeId, FunctionId};
use rustc_hash::{FxHashMap, FxHasher};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use term::{Sort, Value};
use value::{Bits, Float};

/// For how many cycles chance goes on behind a script.
pub const AFTER: u32 = 64;

/// How long inputs are held.
#[derive(Clone, Copy, Default, Debug)]
pub struct Pace {
    /// For so many cycles, about.
    pub hold: u32,
    /// So many of a hundred inputs are held for the whole run.
    pub frozen: u64,
    /// After so many cycles all others change at once; never if zero.
    pub season: u32,
    /// So many of a hundred that have a value keep it for a while where chance begins to decide.
    pub keep: u64,
}

/// Where runs can go on: the beginning of a cycle.
#[derive(Debug)]
pub struct Start {
    /// The state.
    pub snapshot: Snapshot,
    /// The cycle.
    pub cycle: u32,
    /// How many ways were chosen before.
    chosen: usize,
    tainted: bool,
    /// For how long decisions have had their values.
    streaks: Vec<Option<Streak>>,
}

/// A value for the instruction that asks for it.
pub type Given = (FunctionId, EdgeId, Part, Value);

/// How a run is played.
#[derive(Clone, Default, Debug)]
pub struct Plan {
    /// Where it begins; none for the start of the program.
    pub start: Option<Rc<Start>>,
    /// What comes first. What lies before the start is known there.
    pub tape: Tape,
    /// From this cycle on chance decides.
    pub from: u32,
    /// How long inputs are held then.
    pub pace: Pace,
    /// After so many cycles the run is broken off, but not while the script goes on.
    pub cycles: u32,
    /// What chance decides.
    pub seed: u64,
    /// Values that are given before all others, in the order in which they are taken: whoever asks for
    /// one that is not for him gets no more of them.
    pub script: VecDeque<Given>,
}

/// An input.
#[derive(Clone, Copy)]
struct Channel {
    asker: u32,
    sort: Sort,
}

/// What is known of the inputs, of all runs together.
pub struct Player<'p> {
    probed: &'p Probed,
    /// The constants that the program computes with, by sort.
    pub dictionary: FxHashMap<Sort, Vec<u64>>,
    askers: FxHashMap<u64, u32>,
    domains: Vec<Domain>,
    channels: Vec<Channel>,
    numbers: FxHashMap<(u32, u32), u32>,
    /// What runs have shown.
    pub seen: Seen,
    /// What says that a run gets on.
    pub progress: Progress,
    run: Run,
}

/// What is known of the run at hand.
#[derive(Default)]
struct Run {
    pace: Option<Pace>,
    from: u32,
    most: u32,
    random: Option<Random>,
    cycle: u32,
    /// Whether the head of the loop has been met.
    started: bool,
    /// How often each asker has asked, and in which cycle that was.
    asked: Vec<(u32, u32)>,
    /// By channel: the changes that are to come, the last first; the value; until when it is held.
    coming: Vec<Vec<(u32, u64)>>,
    values: Vec<Option<u64>>,
    held: Vec<u32>,
    choices: Vec<u32>,
    chosen: usize,
    script: VecDeque<Given>,
    tape: Tape,
    /// What was chosen and may still be refused: askers with ways, and how long the tape was before.
    pending: Vec<(u32, usize, usize)>,
    tainted: bool,
    /// What was saved last.
    saved: Option<Start>,
    saves: bool,
    streaks: Vec<Option<Streak>>,
    news: Vec<u32>,
    new_states: Vec<u32>,
    number: usize,
    /// How many values were asked for, and how many when each cycle began.
    taken: usize,
    begins: Vec<usize>,
    /// All that was seen, if that is wanted.
    events: Option<FxHashMap<crate::probes::Event, u32>>,
}

/// What a run has shown.
#[derive(Default, Debug)]
pub struct Played {
    /// Its inputs.
    pub tape: Tape,
    /// The cycles in which something new was seen.
    pub news: Vec<u32>,
    /// Those in which a global register had a value of a new kind.
    pub states: Vec<u32>,
    /// How many cycles it had.
    pub cycles: u32,
    /// The channel and way that an assumption may have refused, and how much of the tape comes before.
    pub suspect: Option<usize>,
    /// Where the inputs of each cycle begin.
    pub begins: Vec<usize>,
    /// Behind the last cycle in which something new was seen.
    pub start: Option<Start>,
    /// All that was seen, and the first cycle in which it was, if that was wanted.
    pub events: FxHashMap<crate::probes::Event, u32>,
}

/// The player, for the interpreter's two sides.
#[derive(Clone)]
pub struct Handle<'p>(pub Rc<RefCell<Player<'p>>>);

impl<'p> Player<'p> {
    /// Nothing is known yet.
    pub fn new(probed: &'p Probed) -> Player<'p> {
        Player {
            probed,
            dictionary: super::domain::dictionary(&probed.program),
            askers: FxHashMap::default(),
            domains: Vec::new(),
            channels: Vec::new(),
            numbers: FxHashMap::default(),
            seen: Seen::new(probed),
            progress: Progress::new(probed.states.len(), probed.decisions.len()),
            run: Run::default(),
        }
    }

    /// A run begins. What it shows first is noted under the number; states are saved if that is wanted.
    pub fn begin(&mut self, plan: &Plan, number: usize, saves: bool) {
        let cycle = plan.start.as_ref().map_or(0, |start| start.cycle);
        let changes = &plan.tape.changes;
        let (before, coming) = changes.split_at(changes.partition_point(|c| c.cycle < cycle));
        let mut values = vec![None; self.channels.len()];
        for change in before {
            values[change.channel as usize] = Some(change.word);
        }
        let mut changes = vec![Vec::new(); self.channels.len()];
        for change in coming.iter().rev() {
            changes[change.channel as usize].push((change.cycle, change.word));
        }
        let mut tape = Tape { changes: before.to_vec(), choices: Vec::new() };
        let mut chosen = 0;
        if let Some(start) = &plan.start {
            chosen = start.chosen.min(plan.tape.choices.len());
            tape.choices.extend_from_slice(&plan.tape.choices[..chosen]);
        }
        self.run = Run {
            pace: Some(plan.pace),
            from: plan.from,
            most: plan.cycles,
            random: Some(Random::new(plan.seed)),
            cycle,
            started: plan.start.is_some(),
            asked: vec![(0, 0); self.domains.len()],
            coming: changes,
            values,
            held: vec![0; self.channels.len()],
            choices: plan.tape.choices.clone(),
            chosen,
            script: plan.script.clone(),
            tape,
            tainted: plan.start.as_ref().is_some_and(|start| start.tainted),
            streaks: match &plan.start {
                Some(start) => start.streaks.clone(),
                None => vec![None; self.probed.decisions.len()],
            },
            saves,
            number,
            begins: vec![0],
            ..Run::default()
        };
    }

    /// All that is seen in the run that has begun is wanted.
    pub fn note_all(&mut self) {
        self.run.events = Some(FxHashMap::default());
    }

    /// A run has ended; whether an assumption has refused it.
    pub fn end(&mut self, refused: bool) -> Played {
        let run = std::mem::take(&mut self.run);
        let mut suspect = None;
        if refused && let Some((asker, way, length)) = run.pending.last() {
            self.domains[*asker as usize].learn(*way, false);
            suspect = Some(*length);
        }
        Played {
            tape: run.tape,
            news: run.news,
            states: run.new_states,
            cycles: run.cycle,
            suspect,
            begins: run.begins,
            start: run.saved,
            events: run.events.unwrap_or_default(),
        }
    }

    fn accept(&mut self) {
        for (asker, way, _) in self.run.pending.drain(..) {
            self.domains[asker as usize].learn(way, true);
        }
    }

    /// The input that is asked for.
    fn channel(&mut self, request: &Request<'_>) -> u32 {
        let mut hasher = FxHasher::default();
        (request.calls, request.function, request.edge).hash(&mut hasher);
        let key = hasher.finish();
        let next = self.domains.len() as u32;
        let asker = *self.askers.entry(key).or_insert(next);
        if asker == next {
            let at = (request.function, request.edge);
            let domain = Domain::new(&self.probed.program, request.calls, at, request.sort);
            self.domains.push(domain);
        }
        let run = &mut self.run;
        if run.asked.len() <= asker as usize {
            run.asked.resize(asker as usize + 1, (0, 0));
        }
        let (cycle, count) = &mut run.asked[asker as usize];
        if *cycle != run.cycle {
            (*cycle, *count) = (run.cycle, 0);
        }
        let occurrence = *count;
        *count += 1;
        let next = self.channels.len() as u32;
        let channel = *self.numbers.entry((asker, occurrence)).or_insert(next);
        if channel == next {
            self.channels.push(Channel { asker, sort: request.sort });
        }
        let count = self.channels.len();
        if run.values.len() < count {
            run.values.resize(count, None);
            run.held.resize(count, 0);
            run.coming.resize(count, Vec::new());
        }
        channel
    }

    fn word(&mut self, request: &Request<'_>) -> u64 {
        self.accept();
        let channel = self.channel(request);
        let Channel { asker, sort } = self.channels[channel as usize];
        let run = &mut self.run;
        run.taken += 1;
        let at = channel as usize;
        let before = run.values[at];
        let mut given = false;
        while let Some((_, word)) = run.coming[at].pop_if(|(cycle, _)| *cycle <= run.cycle) {
            run.values[at] = Some(word);
            given = true;
        }
        if let Some(word) = run.scripted(request, sort) {
            run.values[at] = Some(word);
            given = true;
        }
        let free = !given && run.cycle >= run.from && run.coming[at].is_empty();
        let due = run.values[at].is_none() || run.cycle >= run.held[at];
        let mut chosen = None;
        if is_made_up(request.cause) {
            run.values[at] = Some(0);
        } else if free
            && due
            && let (Some(random), Some(pace)) = (&mut run.random, run.pace)
        {
            let first = run.held[at] == 0 && before.is_some();
            run.held[at] = run.cycle.saturating_add(hold(pace, run.cycle, random));
            if !(first && random.percent(pace.keep)) {
                let choice = self.domains[asker as usize].choose(random, &self.dictionary, before);
                run.values[at] = Some(choice.word);
                chosen = Some(choice.way);
            }
        }
        let word = run.values[at].unwrap_or(0);
        debug_assert_eq!(sort, request.sort, "an instruction asks for values of one sort");
        if before != Some(word) || given {
            let length = run.tape.changes.len();
            run.tape.changes.push(Change { cycle: run.cycle, channel, word });
            if let Some(way) = chosen {
                run.pending.push((asker, way, length));
            }
        }
        word
    }

    fn probe(&mut self, number: u32, word: u64) -> Heed {
        if number == CYCLE {
            self.accept();
            return self.run.turn();
        }
        self.see(number, word);
        Heed::GoOn
    }

    fn see(&mut self, number: u32, word: u64) {
        if self.run.tainted {
            return;
        }
        if number >= STATE {
            let number = (number - STATE) as usize;
            let new = self.progress.register(number, self.probed.states[number], word);
            if new && self.run.started {
                self.run.new_states.push(self.run.cycle);
            }
            return;
        }
        let first = First { run: self.run.number, cycle: self.run.cycle };
        if self.seen.see(self.probed, number, word, first) {
            self.run.news.push(self.run.cycle);
        }
        if number >= DECISION {
            let Run { streaks, cycle, .. } = &mut self.run;
            if self.progress.decision(streaks, number - DECISION, word, *cycle) {
                self.run.new_states.push(self.run.cycle);
            }
        }
        if let Some(events) = &mut self.run.events
            && let Some(event) = self.probed.event(number, word)
        {
            events.entry(event).or_insert(self.run.cycle);
        }
    }
}

impl Run {
    /// The next value of the script, if it is for this request. What is made up is so here too: no test
    /// could give it another value.
    fn scripted(&mut self, request: &Request<'_>, sort: Sort) -> Option<u64> {
        let (function, edge, part, _) = self.script.front()?;
        let meant = (*function, *edge, *part) == (request.function, request.edge, request.part);
        if is_made_up(request.cause) {
            drop(meant.then(|| self.script.pop_front()));
            return None;
        }
        if !meant {
            self.script.clear();
        }
        to_word(&self.script.pop_front()?.3, sort)
    }

    /// A cycle ends, and another begins; what comes before the first belongs to it.
    fn turn(&mut self) -> Heed {
        let first = !std::mem::replace(&mut self.started, true);
        let ended = self.cycle;
        if !first {
            self.cycle += 1;
            self.begins.push(self.taken);
        }
        if !self.script.is_empty() {
            self.most = self.most.max(self.cycle.saturating_add(AFTER));
        }
        if self.cycle >= self.most {
            return Heed::Stop;
        }
        let is_last = |cycles: &[u32]| cycles.last() == Some(&ended);
        let new = is_last(&self.news) || is_last(&self.new_states);
        // Where nothing was taken yet, all runs can begin.
        let same = first && self.taken == 0 && self.chosen == 0;
        if self.saves && (new && !first || same) { Heed::Save } else { Heed::GoOn }
    }
}

/// A value as the interpreter has it, if it is of the sort.
fn to_word(value: &Value, sort: Sort) -> Option<u64> {
    match (value, sort) {
        (Value::Bool(value), Sort::Bool) => Some(u64::from(*value)),
        (Value::Bits(bits), Sort::BitVec(width)) if bits.width() == width => bits.to_u64(),
        (Value::Float(float), Sort::Float(format)) if float.format() == format => {
            float.to_bits().to_u64()
        }
        _ => None,
    }
}

/// For how many cycles a value is held.
fn hold(pace: Pace, cycle: u32, random: &mut Random) -> u32 {
    if random.percent(pace.frozen) {
        return u32::MAX;
    }
    let season = match pace.season {
        0 => u32::MAX,
        season => season - cycle % season,
    };
    let own = 1 + random.below(2 * u64::from(pace.hold)) as u32;
    own.min(season)
}

/// Whether the value of a cause need not be one that the program can take.
pub fn is_approximate(cause: &Cause) -> bool {
    matches!(cause, Cause::Approximated(_) | Cause::Assembly)
}

impl Oracle for Handle<'_> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let mut player = self.0.borrow_mut();
        if is_approximate(request.cause) {
            player.run.tainted = true;
        }
        match request.sort {
            Sort::Bool => Some(Value::Bool(player.word(request) & 1 == 1)),
            Sort::BitVec(width) if width <= 64 => {
                let word = player.word(request) & (u64::MAX >> (64 - width));
                Some(Value::Bits(Bits::from_u64(width, word)))
            }
            Sort::Float(format) if format.width() <= 64 => {
                let width = format.width();
                let word = player.word(request) & (u64::MAX >> (64 - width));
                Some(Value::Float(Float::from_bits(format, &Bits::from_u64(width, word))))
            }
            _ => None,
        }
    }

    /// What libraries agree on is no input.
    fn computed(&mut self, _: &Request<'_>, result: Value) -> Value {
        let run = &mut self.0.borrow_mut().run;
        run.taken += 1;
        run.script.pop_front();
        result
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        let mut player = self.0.borrow_mut();
        let run = &mut player.run;
        let known = run.choices.get(run.chosen).copied();
        run.chosen += 1;
        let count = branch.edges.len() as u64;
        let by_chance = |random: &mut Random| random.below(count) as u32;
        let choice =
            known.unwrap_or_else(|| run.random.as_mut().map_or(0, by_chance)).min(count as u32 - 1);
        run.tape.choices.push(choice);
        choice as usize
    }
}

impl Listener for Handle<'_> {
    fn step(&mut self, _: &Step<'_>) {}

    fn probe(&mut self, number: u32, word: u64) -> Heed {
        self.0.borrow_mut().probe(number, word)
    }

    fn saved(&mut self, snapshot: Snapshot) {
        let run = &mut self.0.borrow_mut().run;
        let Run { cycle, chosen, tainted, .. } = *run;
        let streaks = run.streaks.clone();
        run.saved = Some(Start { snapshot, cycle, chosen, tainted, streaks });
    }

    fn listens(&self) -> bool {
        false
    }
}
