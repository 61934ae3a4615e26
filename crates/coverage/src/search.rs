//! Looks for what is known of all goals: runs first, then engines and runs in turns.
//!
//! A question is about many events at once, then about halves of them, down to single ones; what could not
//! be answered in its share of the time is asked again, with more. Everything that is found is for all
//! goals: a run covers all it passes, an excluded event counts for each goal that it could show.

use crate::explore::{Effort, Explorer};
use crate::goal::{Goal, Kind, What, goals};
use crate::judge::{Judge, Judgement, Pairs};
use crate::probes::{Event, Probed};
use crate::prove::{Answered, Prover};
use crate::report::{Counts, Judged, Report};
use crate::select::select;
use crate::status::{Evidence, Exclusion, How, Open, Status, Witness};
use crate::suite::Suite;
use crate::values::unused as unused_values;
use answer::{Exhausted, Reason};
use front_c::coverage::Map;
use program::program::Assumption;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};
use verify::{Failure, Limits, Settings, Task};

/// What is asked.
pub struct Question<'q> {
    /// The program, read for coverage ([`verify::languages::C::read_covered`]).
    pub task: &'q Task,
    /// What there is to cover.
    pub map: &'q Map,
    /// The kinds of goals.
    pub kinds: BTreeSet<Kind>,
    /// Which pairs count for MC/DC.
    pub pairs: Pairs,
    /// Whether test vectors are wanted.
    pub vectors: bool,
    /// How engines look for answers.
    pub settings: Settings,
    /// What it may cost.
    pub limits: Limits,
    /// What need not be shown: the beginning of a goal's name or its place, and why.
    pub justified: Vec<(String, String)>,
}

/// Hears how far it is.
pub trait Watcher: verify::Listener {
    /// A goal has its answer.
    fn judged(&mut self, judged: &Judged) {
        let _ = judged;
    }

    /// So many goals have answers, after so many runs.
    fn progress(&mut self, counts: Counts, effort: Effort) {
        let _ = (counts, effort);
    }
}

impl Watcher for () {}

/// The part of the time that runs have before engines are asked, and for how long nothing new may be seen.
const FIRST_RUNS: f64 = 0.3;
const PATIENCE: (f64, f64) = (1.5, 0.6);
/// The part of the time that is kept for making vectors, and the most.
const KEPT: f64 = 0.08;
const MOST_KEPT: Duration = Duration::from_secs(6);
/// How long runs may take that are played again: what is covered is owed its vectors.
const MOST_REPLAY: Duration = Duration::from_secs(3600);
/// The time without a limit: for a round of runs, and for the first question.
const UNLIMITED: Duration = Duration::from_secs(20);
/// How often goals are looked at while runs are executed.
const JUDGE: Duration = Duration::from_millis(300);
/// How many events are asked about together, at most.
const TOGETHER: usize = 24;
/// The least time for a question.
const LEAST: Duration = Duration::from_millis(400);

/// Looks for what is known of all goals.
pub fn cover(question: &Question<'_>, watcher: &mut dyn Watcher) -> Result<Report, Failure> {
    let begun = question.limits.since.unwrap_or_else(Instant::now);
    let Some(code) = question.task.code() else { return Ok(Report::empty(question.map.clone())) };
    let reading = &question.task.reading;
    // A step function is called for ever by what the program starts with.
    let looping = match reading.caller.cycle {
        Some(_) => &*code.program.functions[code.program.start].name,
        None => &reading.entry,
    };
    let probed = Probed::new(&code.program, question.map, looping);
    let mut search = Search::new(question, &probed, begun);
    search.first_runs(watcher);
    search.rounds(watcher)?;
    Ok(search.report(watcher))
}

struct Search<'q> {
    question: &'q Question<'q>,
    goals: Vec<Goal>,
    judge: Judge,
    explorer: Option<Explorer<'q>>,
    prover: Prover<'q>,
    /// What is known of each goal.
    known: Vec<Option<Judgement>>,
    begun: Instant,
    /// When to stop looking.
    end: Option<Instant>,
    /// When to stop at all.
    deadline: Option<Instant>,
    probed: &'q Probed,
}

impl<'q> Search<'q> {
    fn new(question: &'q Question<'q>, probed: &'q Probed, begun: Instant) -> Search<'q> {
        let deadline = question.limits.time.and_then(|time| begun.checked_add(time));
        let kept = question.limits.time.map_or(Duration::ZERO, |time| time.mul_f64(KEPT));
        let kept = kept.min(MOST_KEPT);
        let end = deadline.and_then(|deadline| deadline.checked_sub(kept));
        let limits = Limits {
            time: question.limits.time.map(|time| time.saturating_sub(kept)),
            ..question.limits.clone()
        };
        let goals = goals(question.map, &question.kinds);
        Search {
            judge: Judge::new(question.map, probed, question.pairs),
            explorer: Explorer::new(probed, question.settings.seed),
            prover: Prover::new(probed, question.settings.clone(), &limits),
            known: vec![None; goals.len()],
            goals,
            question,
            begun,
            end,
            deadline,
            probed,
        }
    }

    /// The time that is left for looking.
    fn left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    fn is_over(&self) -> bool {
        let late = self.left().is_some_and(|left| left < LEAST);
        late || self.question.limits.interrupt.is_raised()
    }

    /// Looks again at goals that have no answer; tells those that have one now. Answers what may show
    /// those that are open.
    fn judge(&mut self, watcher: &mut dyn Watcher) -> Vec<Event> {
        let Some(explorer) = self.explorer.take() else { return Vec::new() };
        let open = self.judge_by(&explorer, watcher);
        self.explorer = Some(explorer);
        open
    }

    /// The same, by what this explorer has seen.
    fn judge_by(&mut self, explorer: &Explorer<'_>, watcher: &mut dyn Watcher) -> Vec<Event> {
        let mut open = Vec::new();
        let mut listed = FxHashSet::default();
        for number in 0..self.goals.len() {
            if self.known[number].is_some() {
                continue;
            }
            let (what, excluded) = (self.goals[number].what, &self.prover.excluded);
            match explorer.look(|seen| self.judge.judge(what, seen, excluded)) {
                Judgement::Open(events, _) => {
                    open.extend(events.into_iter().filter(|event| listed.insert(*event)));
                }
                judgement => {
                    self.known[number] = Some(judgement);
                    watcher.judged(&self.judged(number, &FxHashMap::default()));
                }
            }
        }
        watcher.progress(self.counts(), explorer.effort);
        open
    }

    fn judgement(&self, number: usize) -> Option<Judgement> {
        let excluded = &self.prover.excluded;
        let explorer = self.explorer.as_ref()?;
        Some(explorer.look(|seen| self.judge.judge(self.goals[number].what, seen, excluded)))
    }

    fn effort(&self) -> Effort {
        self.explorer.as_ref().map(|explorer| explorer.effort).unwrap_or_default()
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for known in &self.known {
            match known {
                Some(Judgement::Excluded(..)) => counts.infeasible += 1,
                Some(Judgement::Open(..)) | None => counts.open += 1,
                Some(_) => counts.covered += 1,
            }
        }
        counts
    }

    /// Runs, until nothing new has been seen for a while.
    fn first_runs(&mut self, watcher: &mut dyn Watcher) {
        let most = self.question.limits.time.map_or(UNLIMITED, |time| time.mul_f64(FIRST_RUNS));
        self.runs(most, PATIENCE, watcher);
    }

    /// Runs for some time, or until nothing new has been seen for so many seconds and for such a part of
    /// the time.
    fn runs(&mut self, most: Duration, patience: (f64, f64), watcher: &mut dyn Watcher) {
        if self.judge(watcher).is_empty() && self.explorer.is_none() {
            return;
        }
        let Some(mut explorer) = self.explorer.take() else { return };
        let end = Instant::now() + self.left().map_or(most, |left| left.min(most));
        let interrupt = self.question.limits.interrupt.clone();
        let (least, part) = patience;
        let patience = |spent: Duration| spent.mul_f64(part).max(Duration::from_secs_f64(least));
        // Goals are looked at again when something was seen, now and then.
        let (mut kept, mut open, mut judged) = (usize::MAX, true, Instant::now());
        explorer.explore(end, &patience, &mut |explorer| {
            if explorer.kept.len() != kept && judged.elapsed() > JUDGE {
                kept = explorer.kept.len();
                open = !self.judge_by(explorer, watcher).is_empty();
                judged = Instant::now();
            }
            watcher.progress(self.counts(), explorer.effort);
            open && !interrupt.is_raised()
        });
        self.explorer = Some(explorer);
        self.judge(watcher);
    }

    /// Questions and runs in turns.
    fn rounds(&mut self, watcher: &mut dyn Watcher) -> Result<(), Failure> {
        let (mut patience, mut together) = (1, TOGETHER);
        loop {
            let open = self.judge(watcher);
            if open.is_empty() || self.is_over() {
                return Ok(());
            }
            let before = open.len();
            self.round(open, (patience, together), watcher)?;
            // What is left was asked about one by one.
            together = (together / 4).max(1);
            if self.is_over() {
                return Ok(());
            }
            let left = self.judge(watcher).len();
            if left > 0 {
                let share = self.left().map_or(UNLIMITED, |left| left.mul_f64(0.15));
                self.runs(share, (1.0, 0.5), watcher);
            }
            if left == before {
                // Without a limit, what nobody can answer is asked a few times, with more time each.
                if self.end.is_none() && patience >= 64 {
                    return Ok(());
                }
                patience *= 4;
            }
        }
    }

    /// Asks about all that is open, in ever smaller groups.
    fn round(
        &mut self,
        open: Vec<Event>,
        (patience, together): (u32, usize),
        watcher: &mut dyn Watcher,
    ) -> Result<(), Failure> {
        let open = self.by_place(open);
        let mut groups: VecDeque<Vec<Event>> = open.chunks(together).map(<[_]>::to_vec).collect();
        while let Some(group) = groups.pop_front() {
            let wanted: FxHashSet<Event> = self.judge(watcher).into_iter().collect();
            let group: Vec<Event> = group.into_iter().filter(|e| wanted.contains(e)).collect();
            if group.is_empty() {
                continue;
            }
            if self.is_over() {
                return Ok(());
            }
            let waiting: usize = groups.iter().map(Vec::len).sum();
            let time = self.share(group.len(), waiting, wanted.len(), patience);
            match self.prover.ask(&group, time, watcher)? {
                Answered::Excluded => self.audit()?,
                Answered::Shown(runs) => {
                    let shown = self.follow(&runs, &group);
                    if shown {
                        groups.push_front(group);
                    } else if group.len() > 1 {
                        self.split(group, &mut groups);
                    }
                }
                Answered::Open if group.len() > 1 => self.split(group, &mut groups),
                Answered::Open => {}
            }
        }
        Ok(())
    }

    /// What is excluded has not been seen: otherwise a proof, or a run, is wrong.
    fn audit(&self) -> Result<(), Failure> {
        let Some(explorer) = &self.explorer else { return Ok(()) };
        let excluded = &self.prover.excluded;
        let seen =
            explorer.look(|seen| excluded.keys().find(|e| seen.event(**e).is_some()).copied());
        let Some(event) = seen else { return Ok(()) };
        let engine = excluded.get(&event).map(|number| &self.prover.proofs[*number].engine);
        Err(Failure::Defect {
            who: engine.map_or_else(String::new, ToString::to_string),
            why: format!("a run shows what a proof excludes ({event:?})"),
        })
    }

    /// The time for a group.
    fn share(&self, size: usize, waiting: usize, all: usize, patience: u32) -> Duration {
        let Some(left) = self.left() else {
            return Duration::from_secs(4) * patience;
        };
        // A group that is split needs time for its parts.
        let part = match size {
            1 => 1.0 / (waiting + 1) as f64,
            _ => 0.3 * size as f64 / all.max(1) as f64,
        };
        left.mul_f64(part.min(0.5)).max(LEAST)
    }

    fn split(&self, mut group: Vec<Event>, groups: &mut VecDeque<Vec<Event>>) {
        let size = group.len().div_ceil(4);
        while !group.is_empty() {
            let rest = group.split_off(size.min(group.len()));
            groups.push_back(group);
            group = rest;
        }
    }

    /// In the order of the source, so that what is near stays together.
    fn by_place(&self, mut events: Vec<Event>) -> Vec<Event> {
        let map = self.question.map;
        events.sort_by_key(|event| match event {
            Event::Point(point) => (&map.points[*point].spot.place, *event),
            Event::Decision(decision, _) => (&map.decisions[*decision].spot.place, *event),
        });
        events
    }

    /// Follows runs of engines; says whether one has shown an event of the group.
    fn follow(
        &mut self,
        runs: &[program::counterexample::Counterexample],
        group: &[Event],
    ) -> bool {
        let end = self.deadline.unwrap_or_else(|| Instant::now() + UNLIMITED);
        let Some(explorer) = &mut self.explorer else { return false };
        for run in runs {
            explorer.follow(run, end);
        }
        explorer.look(|seen| group.iter().any(|event| seen.event(*event).is_some()))
    }

    /// What is known in the end.
    fn report(mut self, watcher: &mut dyn Watcher) -> Report {
        self.judge(watcher);
        let interrupted = self.question.limits.interrupt.is_raised();
        let (suite, numbers) = self.suite();
        let mut goals: Vec<Judged> =
            (0..self.goals.len()).map(|number| self.judged(number, &numbers)).collect();
        self.withdraw(&suite, &mut goals);
        self.justify(&mut goals);
        let open = goals.iter().any(|judged| matches!(judged.status, Status::Open(_)));
        let late = self.end.is_some_and(|end| Instant::now() + LEAST >= end);
        let exhausted = match (open, interrupted, late) {
            (true, true, _) => Some(Exhausted::Interrupted),
            (true, _, true) => Some(Exhausted::Time),
            _ => None,
        };
        let code = self.question.task.code();
        let unused = code.iter().flat_map(|code| &code.unused);
        let unused = unused.map(|unused| (unused.name.clone(), unused.place.clone()));
        let ends = self.explorer.iter().flat_map(|explorer| &explorer.ends);
        let ends = ends.map(|(place, (what, count))| (place.clone(), what.clone(), *count));
        let effort = self.effort();
        Report {
            map: self.question.map.clone(),
            goals,
            suite,
            unused: unused.collect(),
            unused_values: code
                .map_or_else(Vec::new, |code| unused_values(&code.program, self.question.map)),
            ends: ends.collect(),
            assumptions: self.assumptions(),
            exhausted,
            runs: (effort.runs, effort.cycles),
            seconds: self.begun.elapsed().as_secs_f64(),
        }
    }

    fn assumptions(&self) -> Vec<Assumption> {
        let mut all: Vec<Assumption> = self.probed.program.assumptions.clone();
        for assumption in self.prover.asking.assumptions() {
            if !all.iter().any(|known| known.text == assumption.text) {
                all.push(assumption.clone());
            }
        }
        all
    }

    /// The vectors that show what is covered, and the numbers of the runs that they are.
    fn suite(&mut self) -> (Suite, Numbers) {
        let Some(explorer) = &mut self.explorer else { return Default::default() };
        if !self.question.vectors {
            return Default::default();
        }
        // What was executed once can be executed again; whoever can't wait has what is known already.
        let end = Instant::now() + MOST_REPLAY;
        let known = self.known.iter().zip(&self.goals).enumerate();
        let goals: Vec<(usize, What, &Judgement)> = known
            .filter_map(|(number, (known, goal))| Some((number, goal.what, known.as_ref()?)))
            .collect();
        select(explorer, &goals, end)
    }

    /// What is known of a goal, with the numbers of vectors.
    fn judged(&self, number: usize, numbers: &Numbers) -> Judged {
        let goal = self.goals[number].clone();
        let status = match &self.known[number] {
            Some(Judgement::Shown(event, first)) => {
                Status::Covered(Evidence::Run(witness(*event, *first, numbers)))
            }
            Some(Judgement::Paired(yes, no)) => {
                let decision = match goal.what {
                    What::Independence { decision, .. } => decision,
                    _ => 0,
                };
                let [yes, no] = [yes, no].map(|(values, first)| {
                    witness(Event::Decision(decision, *values), *first, numbers)
                });
                Status::Covered(Evidence::Pair(yes, no))
            }
            Some(Judgement::Excluded(how, events)) => {
                Status::Infeasible(self.exclusion(*how, events))
            }
            Some(Judgement::Open(events, half)) => Status::Open(self.open(events, *half)),
            None => match self.judgement(number) {
                Some(Judgement::Open(events, half)) => Status::Open(self.open(&events, half)),
                _ => Status::Open(self.open(&[], false)),
            },
        };
        Judged { goal, status }
    }

    fn exclusion(&self, how: How, events: &[Event]) -> Exclusion {
        let proof = events.iter().find_map(|event| self.prover.excluded.get(event));
        let proof = proof.map(|number| self.prover.proofs[*number].clone());
        // Where most runs end, what comes later may be excluded for that reason.
        let explorer = self.explorer.as_ref();
        let ends = explorer.and_then(|explorer| {
            let most = explorer.ends.iter().max_by_key(|(_, (_, count))| *count);
            most.filter(|(_, (_, count))| 2 * *count as u64 >= explorer.effort.runs)
        });
        let ends = ends.map(|(place, (what, _))| (place.clone(), what.clone()));
        Exclusion { how, ends: ends.filter(|_| proof.is_some()), proof }
    }

    fn open(&self, events: &[Event], half: bool) -> Open {
        let reason = events.iter().find_map(|event| self.prover.reasons.get(event));
        let interrupted = self.question.limits.interrupt.is_raised();
        let usual = match (interrupted, self.end) {
            (true, _) => Reason::Stopped(Exhausted::Interrupted),
            (false, Some(_)) => Reason::Stopped(Exhausted::Time),
            (false, None) => Reason::NoEngine,
        };
        Open { reason: reason.cloned().unwrap_or(usual), cycles: None, half }
    }

    /// What no vector of the suite shows is not covered, if vectors are wanted.
    fn withdraw(&self, suite: &Suite, goals: &mut [Judged]) {
        let count = suite.vectors.len();
        for judged in goals.iter_mut().filter(|_| self.question.vectors) {
            let Status::Covered(evidence) = &judged.status else { continue };
            if evidence.witnesses().any(|witness| witness.vector >= count) {
                let reason = Reason::ReplayStopped { by: "another run".to_owned() };
                judged.status = Status::Open(Open { reason, cycles: None, half: false });
            }
        }
    }

    /// What the project justifies need not be covered.
    fn justify(&self, goals: &mut [Judged]) {
        for judged in goals {
            let place = judged.goal.place().to_string();
            let named = |(what, _): &&(String, String)| {
                judged.goal.id.starts_with(what.as_str()) || place.starts_with(what.as_str())
            };
            let Some((_, reason)) = self.question.justified.iter().find(named) else { continue };
            let infeasible = matches!(judged.status, Status::Infeasible(_));
            if !matches!(judged.status, Status::Covered(_)) {
                judged.status = Status::Justified { reason: reason.clone(), infeasible };
            }
        }
    }
}

/// The vectors and cycles where events are shown in the suite.
pub type Numbers = FxHashMap<Event, (usize, usize)>;

fn witness(event: Event, first: crate::explore::seen::First, numbers: &Numbers) -> Witness {
    let (vector, cycle) =
        numbers.get(&event).copied().unwrap_or((usize::MAX, first.cycle as usize));
    let values = match event {
        Event::Decision(_, values) => values,
        Event::Point(_) => 0,
    };
    Witness { vector, cycle, values }
}
