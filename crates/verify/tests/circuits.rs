//! Questions about circuits with one job and with teams: right, whatever the timing; with one job they
//! repeat themselves; an interrupt ends them.

use answer::{Exhausted, Verdict};
use circuit::TransitionSystem;
use circuit::explicit::{Outcome as Truth, check};
use circuit::random::{Shape, system};
use std::sync::Arc;
use verify::outcome::{Finding, Held};
use verify::task::{File, Subject};
use verify::{Design, Question, Reading, Task, decide, languages};

const SHAPE: Shape = Shape { inputs: 3, latches: 10, gates: 90, bads: 1, constraints: 1 };

fn task(system: TransitionSystem) -> Task {
    let sum = source::map::Sum::of(b"");
    Task {
        language: &languages::Aiger,
        files: vec![File { name: "random.aag".to_owned(), text: None, sum }],
        reading: Reading::default(),
        subject: Subject::Circuit(Box::new(Design { system: Arc::new(system), words: None })),
    }
}

fn truth(system: &TransitionSystem) -> Verdict {
    match check(system, 0).expect("the case is small") {
        Truth::Safe { .. } => Verdict::Safe,
        Truth::Unsafe(_) => Verdict::Unsafe,
    }
}

#[test]
fn teams_agree_with_explicit_search() {
    for seed in 0..100 {
        let system = system(seed, SHAPE);
        let (expected, task) = (truth(&system), task(system));
        let mut question = Question::new(&task);
        question.settings.jobs = Some(2 + seed as usize % 4);
        let outcome = decide(&question).expect("no defect");
        assert_eq!(outcome.verdict(), expected, "seed {seed}");
        let finder = outcome.answers[0].engine.as_ref().expect("somebody found it");
        assert!(["ic3", "bmc", "kind"].contains(&finder.as_str()), "{finder}");
    }
}

#[test]
fn one_job_agrees_with_explicit_search_and_repeats_itself() {
    for seed in 1300..1380 {
        let system = system(seed, SHAPE);
        let (expected, task) = (truth(&system), task(system));
        let run = || {
            let outcome = decide(&Question::new(&task)).expect("no defect");
            let evidence = match &outcome.answers[0].finding {
                Finding::Safe(proved) => match &proved.invariant {
                    Some(Held::Latches(clauses)) => format!("{clauses:?}"),
                    _ => "no invariant".to_owned(),
                },
                finding => format!("{finding:?}"),
            };
            (outcome.verdict(), evidence)
        };
        let first = run();
        assert_eq!(first.0, expected, "seed {seed}");
        assert_eq!(first, run(), "seed {seed}");
    }
}

#[test]
fn an_interrupt_ends_one_and_many() {
    for jobs in [1, 3] {
        let task = task(system(3, SHAPE));
        let mut question = Question::new(&task);
        question.settings.jobs = Some(jobs);
        question.limits.interrupt.raise();
        let outcome = decide(&question).expect("no defect");
        // An engine may have finished before it saw the flag.
        if let Finding::Unknown(reason) = &outcome.answers[0].finding {
            assert_eq!(reason.exhausted(), Some(Exhausted::Interrupted));
        }
    }
}
