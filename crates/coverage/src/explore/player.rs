//! Plays a run: gives the interpreter its inputs, from a tape and then by chance, and notes what the
//! probes say.
//!
//! Inputs are held for a while, since controllers count cycles. A value that the next assumption refuses
//! counts against the way in which it was chosen ([`Domain`]).

use super::domain::{Domain, is_made_up};
use super::random::Random;
use super::seen::{First, Seen};
use super::tape::{Change, Tape};
use crate::probes::{CYCLE, Probed, STATE, STATE_DOUBLE, STATE_FLOAT};
use answer::Interrupt;
use program::interpret::{Branch, Listener, Oracle, Request, Step};
use program::program::Cause;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use term::{Sort, Value};
use value::{Bits, Float};

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

/// How a run is played.
#[derive(Clone, Default, Debug)]
pub struct Plan {
    /// What comes first.
    pub tape: Tape,
    /// From this cycle on chance decides.
    pub from: u32,
    /// How long inputs are held then.
    pub pace: Pace,
    /// After so many cycles the run is broken off.
    pub cycles: u32,
    /// What chance decides.
    pub seed: u64,
    /// Values that are given before all others, in the order in which they are taken.
    pub script: VecDeque<Value>,
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
    dictionary: FxHashMap<Sort, Vec<u64>>,
    askers: FxHashMap<u64, u32>,
    domains: Vec<Domain>,
    channels: Vec<Channel>,
    numbers: FxHashMap<(u32, u32), u32>,
    /// What runs have shown.
    pub seen: Seen,
    states: FxHashSet<(u32, u64)>,
    run: Run,
}

/// What is known of the run at hand.
#[derive(Default)]
struct Run {
    pace: Option<Pace>,
    from: u32,
    most: u32,
    random: Option<Random>,
    interrupt: Interrupt,
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
    script: VecDeque<Value>,
    tape: Tape,
    /// What was chosen and may still be refused: askers with ways, and how long the tape was before.
    pending: Vec<(u32, usize, usize)>,
    tainted: bool,
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
#[derive(Clone, Default, Debug)]
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
            states: FxHashSet::default(),
            run: Run::default(),
        }
    }

    /// A run begins; the interrupt ends it. What it shows first is noted under the number.
    pub fn begin(&mut self, plan: &Plan, number: usize, interrupt: Interrupt, all: bool) {
        let mut coming = vec![Vec::new(); self.channels.len()];
        for change in plan.tape.changes.iter().rev() {
            coming[change.channel as usize].push((change.cycle, change.word));
        }
        self.run = Run {
            pace: Some(plan.pace),
            from: plan.from,
            most: plan.cycles,
            random: Some(Random::new(plan.seed)),
            interrupt,
            asked: vec![(0, 0); self.domains.len()],
            coming,
            values: vec![None; self.channels.len()],
            held: vec![0; self.channels.len()],
            choices: plan.tape.choices.clone(),
            script: plan.script.clone(),
            number,
            events: all.then(FxHashMap::default),
            begins: vec![0],
            ..Run::default()
        };
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
        if let Some(word) = run.script.pop_front().and_then(|value| to_word(&value, sort)) {
            run.values[at] = Some(word);
            given = true;
        }
        let free = !given && run.cycle >= run.from && run.coming[at].is_empty();
        let due = run.values[at].is_none() || run.cycle >= run.held[at];
        let mut chosen = None;
        if is_made_up(request.cause) && run.values[at].is_none() {
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

    fn probe(&mut self, number: u32, word: u64) {
        if number == CYCLE {
            self.accept();
            let run = &mut self.run;
            // What comes before the loop belongs to the first round.
            if std::mem::replace(&mut run.started, true) {
                run.cycle += 1;
                run.begins.push(run.taken);
            }
            if run.cycle >= run.most {
                run.interrupt.raise();
            }
            return;
        }
        if self.run.tainted {
            return;
        }
        if number >= STATE {
            // Small numbers by themselves; of others, a few bits behind the first, as of floats.
            let kind = match number {
                STATE_DOUBLE.. => word >> 50,
                STATE_FLOAT.. => word >> 21,
                _ if word < 32 => word,
                _ => u64::from(word.ilog2()) << 8 | word >> (word.ilog2() - 2),
            };
            if self.states.insert((number, kind)) {
                self.run.new_states.push(self.run.cycle);
            }
            return;
        }
        let first = First { run: self.run.number, cycle: self.run.cycle };
        if self.seen.see(self.probed, number, word, first) {
            self.run.news.push(self.run.cycle);
        }
        if let Some(events) = &mut self.run.events
            && let Some(event) = self.probed.event(number, word)
        {
            events.entry(event).or_insert(self.run.cycle);
        }
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

    fn probe(&mut self, number: u32, word: u64) {
        self.0.borrow_mut().probe(number, word);
    }

    fn listens(&self) -> bool {
        false
    }
}
