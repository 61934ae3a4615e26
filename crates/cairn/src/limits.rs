//! Time and memory limits of the process, signals, and the answer that is owed in any case.
//!
//! `verify` obeys the limits of its questions. Signals raise the interrupt of the question, so that it
//! ends with an answer, with what was found until then; a second signal kills. Behind all of that
//! stands a [`LastResort`]: a phase that does not look at the clock or at the interrupt often enough
//! (reading, modelling, bit-blasting, a solver's preprocessing) can't hold the answer back.

use crate::allocator::set_last_words;
use crate::exit::Exit;
use crate::output::{leave, print};
use answer::{Allowance, Exhausted, Interrupt};
use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use verify::{Limits, Memory};

/// How often signals and late answers are looked at.
const WATCH: Duration = Duration::from_millis(10);
/// The same once memory runs short.
const CLOSE_WATCH: Duration = Duration::from_millis(1);

/// The limits of the process, from when it started.
pub struct Watch {
    limits: Limits,
    start: Instant,
    signal: Arc<AtomicBool>,
}

impl Watch {
    /// Starts the clock, and hears signals.
    pub fn start(limits: &Limits) -> Watch {
        let (signal, interrupt) = (signal(), Interrupt::new());
        let (seen, raised) = (signal.clone(), interrupt.clone());
        // The thread ends with the process.
        std::thread::spawn(move || {
            while !seen.load(Ordering::Relaxed) {
                std::thread::sleep(WATCH);
            }
            raised.raise();
        });
        let start = Instant::now();
        let limits = Limits { since: Some(start), interrupt, ..limits.clone() };
        Watch { limits, start, signal }
    }

    /// Whether a signal has told the run to end. What fails afterwards may have failed because of it:
    /// the preprocessor gets the signals of a terminal too.
    pub fn is_interrupted(&self) -> bool {
        self.signal.load(Ordering::Relaxed)
    }

    /// What may be used of the time after a question, for so long at most.
    pub fn allowance(&self, most: Duration) -> Allowance {
        let deadline = self.limits.time.and_then(|time| self.start.checked_add(time));
        let interrupt = self.limits.interrupt.clone();
        Allowance { deadline, ..Allowance::interruptible(interrupt) }.within(most)
    }

    /// What a question may use.
    pub fn limits(&self) -> Limits {
        self.limits.clone()
    }
}

/// How late a run may be before the last resort, as a part of its time and at least.
const GRACE: f64 = 0.04;
const LEAST_GRACE: Duration = Duration::from_millis(300);
/// The same while what was found is made ready to be told.
const SETTLING_GRACE: f64 = 0.5;
const LEAST_SETTLING_GRACE: Duration = Duration::from_secs(10);
/// How long a run may take to end after it was told to.
const PATIENCE: Duration = Duration::from_secs(1);

/// Ends a run that still owes an answer when something is used up.
///
/// The process ends there: nothing that was begun is finished, and nothing needs to be. The run
/// and the last resort print under one lock, so that a question never gets two answers.
pub struct LastResort {
    owed: Arc<Mutex<bool>>,
    settles: Settles,
}

/// Says that nothing is looked for any more, and that what was found is made ready to be told.
#[derive(Clone, Default)]
pub struct Settles(Arc<AtomicBool>);

impl Settles {
    /// It is so from now on.
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl LastResort {
    /// Prints what `answer` says and exits with `exit` as soon as an answer is owed beyond the
    /// limits and a little grace. The first question counts as asked.
    pub fn beyond(
        watch: &Watch,
        answer: impl Fn(Exhausted) -> String + Send + 'static,
        exit: Exit,
    ) -> Self {
        set_last_words(answer(Exhausted::Memory), exit);
        let owed = Arc::new(Mutex::new(true));
        let settles = Settles::default();
        let (mut end, theirs) = (End::of(watch, settles.clone()), owed.clone());
        std::thread::spawn(move || {
            loop {
                let what = end.wait();
                let owed = theirs.lock().unwrap_or_else(PoisonError::into_inner);
                if *owed {
                    print(&answer(what));
                    leave(exit);
                }
                drop(owed);
                std::thread::sleep(WATCH);
            }
        });
        LastResort { owed, settles }
    }

    /// For those who begin to make ready what is told.
    pub fn settles(&self) -> Settles {
        self.settles.clone()
    }

    /// A question is asked: from now on an answer is owed.
    pub fn ask(&self) {
        *self.lock() = true;
    }

    /// Runs `give`, which gives the answer; until it has done so, nothing ends the process.
    pub fn answer<T>(&self, give: impl FnOnce() -> T) -> T {
        let mut owed = self.lock();
        let given = give();
        *owed = false;
        given
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the limits end for good.
struct End {
    latest: Option<Instant>,
    /// The same once the run settles.
    settled: Option<Instant>,
    settles: Settles,
    memory: Memory,
    signal: Arc<AtomicBool>,
    /// When the run was first seen to be told, and why.
    told: Option<(Instant, Exhausted)>,
}

impl End {
    fn of(watch: &Watch, settles: Settles) -> End {
        let end = |part: f64, least: Duration| {
            let late = |time: Duration| watch.start + time + time.mul_f64(part).max(least);
            watch.limits.time.map(late)
        };
        let latest = end(GRACE, LEAST_GRACE);
        let settled = end(SETTLING_GRACE, LEAST_SETTLING_GRACE);
        let memory = Memory::limited(watch.limits.memory);
        End { latest, settled, settles, memory, signal: watch.signal.clone(), told: None }
    }

    /// When the time has come for good.
    fn latest(&self) -> Option<Instant> {
        if self.settles.0.load(Ordering::Relaxed) { self.settled } else { self.latest }
    }

    /// Why the run has been told to end, if it has.
    fn why(&self) -> Option<Exhausted> {
        if self.signal.load(Ordering::Relaxed) {
            return Some(Exhausted::Interrupted);
        }
        self.memory.is_exceeded().then_some(Exhausted::Memory)
    }

    /// Returns when the end has come.
    fn wait(&mut self) -> Exhausted {
        loop {
            if self.latest().is_some_and(|latest| Instant::now() > latest) {
                return Exhausted::Time;
            }
            if self.memory.is_beyond() {
                return Exhausted::Memory;
            }
            if self.told.is_none() {
                self.told = self.why().map(|why| (Instant::now(), why));
            }
            if let Some((at, why)) = self.told
                && at.elapsed() > PATIENCE
            {
                return why;
            }
            std::thread::sleep(if self.memory.is_crowded() { CLOSE_WATCH } else { WATCH });
        }
    }
}

/// Lets a write beyond the system's limit on files (`ulimit -f`) fail, as one to a full disk does,
/// instead of ending the process.
pub fn survive_file_limit() {
    // Where signals can't be caught, it ends the process as it always does.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
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
