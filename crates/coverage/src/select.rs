//! Chooses the runs that show all covered goals, and makes test vectors of them.
//!
//! Runs that have shown something are played again, which gives all that they show, until everything has
//! been shown again; then the run that shows most of what is still to be shown is taken, again and again.

use crate::explore::Explorer;
use crate::explore::player::Played;
use crate::goal::What;
use crate::judge::Judgement;
use crate::probes::Event;
use crate::search::Numbers;
use crate::suite::{Suite, Vector};
use program::counterexample::Counterexample;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Instant;

/// The vectors for what was judged, and where each event is shown.
pub fn select(
    explorer: &mut Explorer<'_>,
    goals: &[(usize, What, &Judgement)],
    end: Instant,
) -> (Suite, Numbers) {
    let mut wanted: FxHashMap<Event, Vec<usize>> = FxHashMap::default();
    let mut runs: BTreeMap<usize, Vec<Event>> = BTreeMap::new();
    for (number, what, judgement) in goals {
        for (event, run) in shown(*what, judgement) {
            wanted.entry(event).or_default().push(*number);
            runs.entry(run).or_default().push(event);
        }
    }
    // The longest ones first: others may be their beginnings, and show nothing else.
    let mut runs: Vec<(usize, Vec<Event>)> = runs.into_iter().collect();
    runs.sort_by_key(|(run, _)| (Reverse(explorer.kept[*run].cycle), *run));
    let mut played: Vec<(usize, Played)> = Vec::new();
    let mut found: FxHashSet<Event> = FxHashSet::default();
    for (run, events) in runs {
        if events.iter().all(|event| found.contains(event)) {
            continue;
        }
        let what = explorer.events(run, end);
        found.extend(what.events.keys());
        played.push((run, what));
    }
    let mut left: FxHashSet<Event> = wanted.keys().copied().collect();
    let (mut suite, mut numbers) = (Suite::default(), Numbers::default());
    loop {
        let worth = |(_, played): &&(usize, Played)| {
            played.events.keys().filter(|event| left.contains(event)).count()
        };
        // Of those that show as much, the shortest one.
        let best = played.iter().max_by_key(|run| (worth(run), Reverse(run.1.cycles)));
        let Some(best) = best.filter(|best| worth(best) > 0) else { break };
        let number = suite.vectors.len();
        let mut kept_for = Vec::new();
        let (mut last, mut events) = (0, Vec::new());
        for (event, cycle) in &best.1.events {
            if left.contains(event) {
                events.push((*event, *cycle as usize));
                last = last.max(*cycle as usize);
                kept_for.extend(wanted[event].iter().copied());
            }
        }
        for (event, cycle) in events {
            left.remove(&event);
            numbers.insert(event, (number, cycle));
        }
        kept_for.sort_unstable();
        kept_for.dedup();
        let (notes, begins) = explorer.replay(best.0, last, end);
        suite.vectors.push(vector(&notes, begins, last, kept_for));
    }
    (suite, numbers)
}

/// The events that show a goal, and the runs in which they were seen.
fn shown(what: What, judgement: &Judgement) -> Vec<(Event, usize)> {
    match (what, judgement) {
        (_, Judgement::Shown(event, first)) => vec![(*event, first.run)],
        (What::Independence { decision, .. }, Judgement::Paired(yes, no)) => [yes, no]
            .map(|(values, first)| (Event::Decision(decision, *values), first.run))
            .to_vec(),
        _ => Vec::new(),
    }
}

/// The inputs of a run up to a cycle.
fn vector(
    notes: &Counterexample,
    mut begins: Vec<usize>,
    last: usize,
    goals: Vec<usize>,
) -> Vector {
    let end = begins.get(last + 1).copied().unwrap_or(notes.taken.len());
    begins.truncate(last + 1);
    let inputs = notes.taken[..end.min(notes.taken.len())].to_vec();
    Vector { inputs, cycles: begins, choices: notes.choices.clone(), goals }
}
