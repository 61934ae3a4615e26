//! Looks for what is known of all goals: runs first, by chance and by a solver from states that they have
//! come to; then engines and runs in turns, those more that find something.
//!
//! A question is about many events at once, then about parts of them, down to single ones; what could not
//! be answered in its share of the time is asked again, with more. Everything that is found is for all
//! goals: a run covers all it passes, an excluded event counts for each goal that it could show.
//!
//! | file | what |
//! |---|---|
//! | [`look`] | runs |
//! | [`ask`] | questions to engines |
//! | [`mod@report`] | what is known in the end |

mod ask;
mod look;
mod report;

use crate::directed::Directed;
use crate::explore::{Effort, Explorer};
use crate::goal::{Goal, Kind, goals};
use crate::judge::{Judge, Judgement, Pairs};
use crate::probes::{Event, Probed};
use crate::prove::Prover;
use crate::report::{Counts, Judged, Report};
use look::Balance;
use program::Program;
use program::coverage::Map;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use verify::{Failure, Limits, Reading, Settings, Task};

pub use report::Numbers;

/// What is asked.
pub struct Question<'q> {
    /// The program, read for coverage ([`verify::Language::read_covered`]).
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
    /// These are the goals.
    fn begun(&mut self, goals: &[Goal]) {
        let _ = goals;
    }

    /// A goal has its answer.
    fn judged(&mut self, judged: &Judged) {
        let _ = judged;
    }

    /// Runs were looked for.
    fn looked(&mut self, looked: &Looked) {
        let _ = looked;
    }

    /// So many events seem to be excluded by bounds of the state, which took so long to find.
    fn bounded(&mut self, events: usize, time: Duration) {
        let _ = (events, time);
    }

    /// Nothing is looked for any more; the vectors of what was found are made.
    fn settles(&mut self) {}

    /// So many goals have answers, after so many runs.
    fn progress(&mut self, counts: Counts, effort: Effort) {
        let _ = (counts, effort);
    }
}

impl Watcher for () {}

/// What came of a round of looking for runs.
#[derive(Clone, Debug)]
pub struct Looked {
    /// How: by chance, or from states.
    pub how: &'static str,
    /// What was done.
    pub effort: Effort,
    /// How many events were open before and after.
    pub open: (usize, usize),
    /// How long it took.
    pub seconds: f64,
}

/// The part of the time that is kept for making vectors, at least and at most, and the most of the least.
const KEPT: (f64, f64) = (0.08, 0.3);
const LEAST_KEPT: Duration = Duration::from_secs(6);
/// How much longer making vectors takes than executing their runs did.
const REPLAY: f64 = 1.5;
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

/// The function whose outermost loop is the one of the cycles. A step function, or the unit of a
/// controller's program, is called for ever by what the program starts with.
#[must_use]
pub fn looping<'p>(reading: &'p Reading, program: &'p Program) -> &'p str {
    let named = |function: &program::program::Function| *function.name == *reading.entry;
    match reading.caller.cycle.is_none() && program.functions.values().any(named) {
        true => &reading.entry,
        false => &program.functions[program.start].name,
    }
}

/// Looks for what is known of all goals.
pub fn cover(question: &Question<'_>, watcher: &mut dyn Watcher) -> Result<Report, Failure> {
    let begun = question.limits.since.unwrap_or_else(Instant::now);
    let Some(code) = question.task.code() else { return Ok(Report::empty(question.map.clone())) };
    let looping = looping(&question.task.reading, &code.program);
    let probed = Probed::new(&code.program, question.map, looping);
    let mut search = Search::new(question, &probed, begun);
    watcher.begun(&search.goals);
    search.first_look(watcher);
    search.rounds(watcher)?;
    Ok(search.report(watcher))
}

struct Search<'q> {
    question: &'q Question<'q>,
    goals: Vec<Goal>,
    judge: Judge,
    explorer: Option<Explorer<'q>>,
    directed: Directed<'q>,
    prover: Prover<'q>,
    /// What is known of each goal.
    known: Vec<Option<Judgement>>,
    begun: Instant,
    /// When to stop.
    deadline: Option<Instant>,
    probed: &'q Probed,
    balance: Balance,
    /// The least time for a question to engines.
    least: Duration,
}

impl<'q> Search<'q> {
    fn new(question: &'q Question<'q>, probed: &'q Probed, begun: Instant) -> Search<'q> {
        let deadline = question.limits.time.and_then(|time| begun.checked_add(time));
        let kept = question.limits.time.map_or(Duration::ZERO, |time| time.mul_f64(KEPT.0));
        let limits = Limits {
            time: question.limits.time.map(|time| time.saturating_sub(kept.min(LEAST_KEPT))),
            ..question.limits.clone()
        };
        let goals = goals(question.map, &question.kinds);
        // Goals are about numbers of sensors: bounds are what decides most questions about these.
        let settings = Settings { solvers: &icp::Solvers, ..question.settings.clone() };
        Search {
            judge: Judge::new(question.map, probed, question.pairs),
            explorer: Explorer::new(probed, question.settings.seed),
            directed: Directed::new(probed, question.settings.solvers),
            prover: Prover::new(probed, settings, &limits),
            known: vec![None; goals.len()],
            goals,
            question,
            begun,
            deadline,
            probed,
            balance: Balance::default(),
            least: LEAST,
        }
    }

    /// The time that is left for looking, without what making vectors will take.
    fn left(&self) -> Option<Duration> {
        let (deadline, time) = (self.deadline?, self.question.limits.time?);
        let explorer = self.explorer.as_ref().filter(|_| self.question.vectors);
        let replay = explorer.map_or(Duration::ZERO, |e| e.showing_time().mul_f64(REPLAY));
        let least = time.mul_f64(KEPT.0).min(LEAST_KEPT);
        let kept = replay.min(time.mul_f64(KEPT.1)).max(least);
        Some(deadline.saturating_duration_since(Instant::now()).saturating_sub(kept))
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
}
