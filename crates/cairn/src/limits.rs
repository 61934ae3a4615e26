//! Time and memory limits of a run, and its interruption from outside.
//!
//! Engines know their deadline. Memory and signals are watched by a thread that raises the engines'
//! interrupt when the process grows beyond its limit or is told to end, so that a run ends with a
//! verdict, with what was found until then, and not with a kill; a second signal kills.
//! Behind all of them stands a [`LastResort`]: a phase that does not look at the clock or at the
//! interrupt often enough (reading, modelling, bit-blasting, a solver's preprocessing) can't hold
//! the answer back.

use crate::allocator::set_last_words;
use crate::exit::Exit;
use answer::Allowance;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often memory, signals and late answers are looked at.
const WATCH: Duration = Duration::from_millis(10);

/// The limits of one run.
pub struct Budget {
    start: Instant,
    /// For every engine and solver of the run.
    pub allowance: Allowance,
    memory: Memory,
    /// Why the interrupt was raised from here.
    ended: Arc<OnceLock<Exhausted>>,
}

/// What a run has used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exhausted {
    /// The time limit has passed.
    Time,
    /// The process is larger than its limit.
    Memory,
    /// The patience of whoever started it: there was a signal.
    Patience,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Exhausted::Time => "time limit",
            Exhausted::Memory => "memory limit",
            Exhausted::Patience => "interrupted",
        })
    }
}

impl Budget {
    /// Starts the clock and the watch.
    pub fn start(seconds: Option<f64>, megabytes: Option<u64>) -> Self {
        let start = Instant::now();
        let deadline = seconds.map(|s| start + Duration::from_secs_f64(s));
        let budget = Budget {
            start,
            allowance: Allowance { deadline, ..Allowance::default() },
            memory: Memory {
                most: megabytes.map(|megabytes| megabytes << 20),
                addresses: address_space(),
            },
            ended: Arc::default(),
        };
        let (interrupt, ended) = (budget.allowance.interrupt.clone(), budget.ended.clone());
        let (memory, signal) = (budget.memory, signal());
        // The thread ends with the process.
        std::thread::spawn(move || {
            let why = loop {
                if memory.is_exceeded() {
                    break Exhausted::Memory;
                }
                if signal.load(Ordering::Relaxed) {
                    break Exhausted::Patience;
                }
                std::thread::sleep(WATCH);
            };
            ended.get_or_init(|| why);
            interrupt.raise();
        });
        budget
    }

    /// The same limits, but for so much time at most.
    pub fn within(&self, time: Duration) -> Budget {
        Budget {
            start: self.start,
            allowance: self.allowance.within(time),
            memory: self.memory,
            ended: self.ended.clone(),
        }
    }

    /// A share of the time that is left, but no more than `most`.
    pub fn share(&self, share: f64, most: Duration) -> Duration {
        self.allowance.share(share, most)
    }

    /// Seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Whether two thirds of the memory are in use, so that those who need much should make room.
    pub fn is_crowded(&self) -> bool {
        self.memory.is_crowded()
    }

    /// What has ended the run, other than an answer or the time limit.
    pub fn ended(&self) -> Option<Exhausted> {
        self.ended.get().copied()
    }
}

/// How late a run may be before the last resort, as a part of its time and at least.
const GRACE: f64 = 0.04;
const LEAST_GRACE: Duration = Duration::from_millis(300);
/// How long a run may take to end after it was told to.
const PATIENCE: Duration = Duration::from_secs(1);
/// How much larger than its limit a process may get in the meantime, as a part of the limit.
const SPARE: u64 = 20;

/// Ends a run that still owes an answer when something is used up.
///
/// The process ends there: nothing that was begun is finished, and nothing needs to be. The run
/// and the last resort print under one lock, so that a question never gets two answers.
pub struct LastResort {
    owed: Arc<Mutex<bool>>,
}

impl LastResort {
    /// Prints what `answer` says and exits with `exit` as soon as an answer is owed beyond the
    /// budget and a little grace. The first question counts as asked.
    pub fn beyond(
        budget: &Budget,
        answer: impl Fn(Exhausted) -> String + Send + 'static,
        exit: Exit,
    ) -> Self {
        set_last_words(answer(Exhausted::Memory), exit);
        let owed = Arc::new(Mutex::new(true));
        let (mut end, theirs) = (End::of(budget), owed.clone());
        std::thread::spawn(move || {
            loop {
                let what = end.wait();
                let owed = theirs.lock().unwrap_or_else(PoisonError::into_inner);
                if *owed {
                    println!("{}", answer(what));
                    std::process::exit(i32::from(exit.code()));
                }
                drop(owed);
                std::thread::sleep(WATCH);
            }
        });
        LastResort { owed }
    }

    /// A question is asked: from now on an answer is owed.
    pub fn ask(&self) {
        *self.lock() = true;
    }

    /// Runs `print`, which gives the answer.
    pub fn answer(&self, print: impl FnOnce()) {
        let mut owed = self.lock();
        print();
        *owed = false;
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a budget ends for good.
struct End {
    latest: Option<Instant>,
    memory: Memory,
    ended: Arc<OnceLock<Exhausted>>,
    /// When the run was first seen to be told.
    told: Option<Instant>,
}

impl End {
    fn of(budget: &Budget) -> End {
        let latest = budget.allowance.deadline.map(|deadline| {
            let grace = deadline.saturating_duration_since(budget.start).mul_f64(GRACE);
            deadline + grace.max(LEAST_GRACE)
        });
        let Memory { most, addresses } = budget.memory;
        let memory = Memory { most: most.map(|most| most + most / SPARE), addresses };
        End { latest, memory, ended: budget.ended.clone(), told: None }
    }

    /// Returns when the end has come.
    fn wait(&mut self) -> Exhausted {
        loop {
            if self.latest.is_some_and(|latest| Instant::now() > latest) {
                return Exhausted::Time;
            }
            if self.memory.is_beyond() {
                return Exhausted::Memory;
            }
            if let Some(&why) = self.ended.get() {
                let told = *self.told.get_or_insert_with(Instant::now);
                if told.elapsed() > PATIENCE {
                    return why;
                }
            }
            std::thread::sleep(WATCH);
        }
    }
}

/// A flag that goes up when the user or the system asks the process to end. The second time ends it.
fn signal() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let again =
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, flag.clone());
        // Where signals can't be caught, they end the process as they always do.
        let _ = again.and_then(|_| signal_hook::flag::register(signal, flag.clone()));
    }
    flag
}

/// How much memory the process may use.
#[derive(Clone, Copy, Debug)]
struct Memory {
    /// The most bytes.
    most: Option<u64>,
    /// The most addresses that the system gives it (`ulimit -v`); an allocation beyond fails.
    addresses: Option<u64>,
}

/// What part of the addresses is kept free, for an allocation that comes before the next look, and
/// what part at the very end.
const FREE_ADDRESSES: (u64, u64) = (8, 16);

impl Memory {
    /// Whether it uses more.
    fn is_exceeded(&self) -> bool {
        self.exceeded(FREE_ADDRESSES.0)
    }

    /// Whether it uses more although the run was told to end.
    fn is_beyond(&self) -> bool {
        self.exceeded(FREE_ADDRESSES.1)
    }

    fn exceeded(&self, free: u64) -> bool {
        let Some(usage) = self.usage() else { return false };
        self.most.is_some_and(|most| usage.resident > most)
            || self.addresses.is_some_and(|all| usage.addresses > all - all / free)
    }

    /// Whether it uses two thirds of what it may.
    fn is_crowded(&self) -> bool {
        let Some(Usage { resident, addresses }) = self.usage() else { return false };
        // Not all addresses that are taken are in use.
        let room = self.addresses.map(|all| resident + all.saturating_sub(addresses));
        room.into_iter().chain(self.most).any(|most| resident > most / 3 * 2)
    }

    /// What is used, where that matters and the system tells.
    fn usage(&self) -> Option<Usage> {
        if self.most.is_none() && self.addresses.is_none() {
            return None;
        }
        let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
        let mut pages = statm.split_whitespace().map(|pages| pages.parse::<u64>().ok());
        let (addresses, resident) = (pages.next()??, pages.next()??);
        Some(Usage { resident: resident * PAGE, addresses: addresses * PAGE })
    }
}

/// The bytes of a page.
const PAGE: u64 = 4096;

/// The memory of the process, in bytes.
struct Usage {
    resident: u64,
    addresses: u64,
}

/// The limit of the process's address space, if it has one.
fn address_space() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find(|line| line.starts_with("Max address space"))?;
    line.split_whitespace().nth(3)?.parse().ok()
}
