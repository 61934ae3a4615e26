//! What is known in the end: of each goal, with its vectors or its proof.

use super::Search;
use super::{LEAST, MOST_REPLAY, Watcher};
use crate::goal::What;
use crate::judge::Judgement;
use crate::probes::Event;
use crate::report::{Judged, Report};
use crate::select::select;
use crate::status::{Evidence, Exclusion, How, Open, Status, Witness};
use crate::suite::Suite;
use crate::values::unused as unused_values;
use answer::{Exhausted, Reason};
use program::program::Assumption;
use rustc_hash::FxHashMap;
use std::time::Instant;

impl Search<'_> {
    /// What is known in the end.
    pub(super) fn report(mut self, watcher: &mut dyn Watcher) -> Report {
        self.judge(watcher);
        let interrupted = self.question.limits.interrupt.is_raised();
        watcher.settles();
        let (suite, numbers) = self.suite();
        let mut goals: Vec<Judged> =
            (0..self.goals.len()).map(|number| self.judged(number, &numbers)).collect();
        self.withdraw(&suite, &mut goals);
        self.justify(&mut goals);
        let open = goals.iter().any(|judged| matches!(judged.status, Status::Open(_)));
        let late = self.left().is_some_and(|left| left < LEAST);
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
    pub(super) fn judged(&self, number: usize, numbers: &Numbers) -> Judged {
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
        let tried = events.iter().find_map(|event| self.prover.tried.get(event));
        let interrupted = self.question.limits.interrupt.is_raised();
        let usual = match (interrupted, self.deadline) {
            (true, _) => Reason::Stopped(Exhausted::Interrupted),
            (false, Some(_)) => Reason::Stopped(Exhausted::Time),
            (false, None) => Reason::NoEngine,
        };
        let (reason, reached) = match tried {
            Some(tried) => (tried.reason.clone(), tried.reached.clone()),
            None => (usual, Vec::new()),
        };
        Open { reason, reached, half }
    }

    /// What no vector of the suite shows is not covered, if vectors are wanted.
    fn withdraw(&self, suite: &Suite, goals: &mut [Judged]) {
        let count = suite.vectors.len();
        for judged in goals.iter_mut().filter(|_| self.question.vectors) {
            let Status::Covered(evidence) = &judged.status else { continue };
            if evidence.witnesses().any(|witness| witness.vector >= count) {
                let reason = Reason::ReplayStopped { by: "another run".to_owned() };
                judged.status = Status::Open(Open { reason, reached: Vec::new(), half: false });
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
