use super::baton::{Runner, Work};
use super::*;
use answer::Interrupt;
use std::sync::mpsc::channel;

/// Three workers that come to their looks, and the order in which they do.
fn order(jobs: usize) -> Vec<usize> {
    let (workers, interrupt) = (Workers::default(), Interrupt::new());
    let (sender, seen) = channel();
    let player = |number: usize| {
        let sender = sender.clone();
        let work: Work<usize> = Box::new(move |interrupt| {
            for _ in 0..1_000 {
                // Nobody listens only if the test has failed.
                let _ = sender.send(number);
                interrupt.is_raised();
            }
            number
        });
        let runner = Runner::new(
            EngineName::new("worker"),
            100,
            &interrupt,
            workers.starter(),
            work,
            Box::new(|| usize::MAX),
        );
        Box::new(runner) as Traveller<usize>
    };
    let players = (0..3).map(player).collect();
    let schedule = Schedule::start(players, jobs, workers.starter());
    let mut answers = Vec::new();
    let last = schedule.first(
        Duration::from_millis(5),
        |found| {
            answers.push(found.answer);
            false
        },
        || true,
    );
    assert!(last.is_some());
    answers.sort_unstable();
    assert_eq!(answers, [0, 1, 2]);
    drop((sender, workers));
    seen.iter().collect()
}

#[test]
fn one_job_gives_one_order() {
    let first = order(1);
    assert_eq!(first.len(), 3_000);
    assert_eq!(first[..300], [[0; 100], [1; 100], [2; 100]].concat());
    for _ in 0..5 {
        assert_eq!(order(1), first);
    }
}

#[test]
fn several_jobs_finish_all_work() {
    for jobs in 2..6 {
        assert_eq!(order(jobs).len(), 3_000);
    }
}

#[test]
fn who_is_put_away_goes_on_to_its_end() {
    let (workers, interrupt) = (Workers::default(), Interrupt::new());
    let work: Work<()> = Box::new(|interrupt| while !interrupt.is_raised() {});
    let mut runner = Runner::new(
        EngineName::new("slow"),
        5,
        &interrupt,
        workers.starter(),
        work,
        Box::new(|| ()),
    );
    assert!(runner.turn(0).is_none());
    assert!(runner.turn(1).is_none());
    assert_eq!(workers.at_work(), 1);
    interrupt.raise();
    drop(runner);
    drop(workers);
}

#[test]
fn who_panics_is_not_waited_for() {
    let (workers, interrupt) = (Workers::default(), Interrupt::new());
    let work: Work<u8> = Box::new(|interrupt| {
        interrupt.is_raised();
        panic!("as it is meant to")
    });
    let runner = Runner::new(
        EngineName::new("fails"),
        1,
        &interrupt,
        workers.starter(),
        work,
        Box::new(|| 7),
    );
    let schedule = Schedule::in_turns(vec![Box::new(runner) as Box<dyn Player<u8>>]);
    let found = schedule.first(Duration::ZERO, |_| true, || true);
    assert_eq!(found.map(|found| found.answer), Some(7));
}

/// Stacks of threads that have ended are given back before others are started.
#[test]
fn ended_threads_are_not_kept() {
    let workers = Workers::default();
    for _ in 0..50 {
        assert!(workers.starter().start("short", || {}));
        while workers.at_work() > 0 {
            std::thread::yield_now();
        }
    }
    let stacks = std::fs::read_to_string("/proc/self/statm").expect("the system tells");
    let pages: u64 = stacks.split(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    assert!(pages * 4096 < 20 * STACK as u64, "{pages} pages of addresses are taken");
}
