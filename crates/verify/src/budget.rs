//! What is left for a question: its allowance, and the memory of the process.
//!
//! Solvers and engines know the deadline and the interrupt. Memory is watched by a thread that raises
//! the interrupt when the process has grown beyond its limit, so that a question ends with an answer,
//! with what was found until then. The thread ends with the budget.

use crate::question::Limits;
use answer::{Allowance, Exhausted, Interrupt};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often memory is looked at, and how often once two thirds of it are in use.
const WATCH: Duration = Duration::from_millis(10);
const CLOSE_WATCH: Duration = Duration::from_millis(1);

/// The limits of one question, from when it was asked.
pub struct Budget {
    start: Instant,
    /// For everybody who works on it.
    pub allowance: Allowance,
    memory: Memory,
    /// Why the interrupt was raised from here.
    ended: Arc<OnceLock<Exhausted>>,
    _watch: Option<Arc<Watch>>,
}

/// The thread that looks at memory, until nobody holds the other end of its channel.
struct Watch {
    wanted: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.wanted.take());
        if let Some(thread) = self.thread.take() {
            // It has nothing to say; a panic of its own would be one about sleeping.
            let _ = thread.join();
        }
    }
}

impl Budget {
    /// Starts the clock and the watch.
    pub fn start(limits: &Limits) -> Self {
        let start = limits.since.unwrap_or_else(Instant::now);
        let deadline = limits.time.and_then(|time| start.checked_add(time));
        let interrupt = limits.interrupt.clone();
        let memory = Memory::limited(limits.memory);
        let ended = Arc::default();
        let watch = memory.is_limited().then(|| Watch::start(memory, &interrupt, &ended));
        let allowance = Allowance { deadline, work: None, interrupt };
        Budget { start, allowance, memory, ended, _watch: watch.map(Arc::new) }
    }

    /// The same limits, but for so much time at most.
    pub fn within(&self, time: Duration) -> Budget {
        Budget {
            start: self.start,
            allowance: self.allowance.within(time),
            memory: self.memory,
            ended: self.ended.clone(),
            _watch: self._watch.clone(),
        }
    }

    /// Seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Whether two thirds of the memory are in use, so that those who need much should make room.
    pub fn is_crowded(&self) -> bool {
        self.memory.is_crowded()
    }

    /// Whether the question is to end.
    pub fn is_interrupted(&self) -> bool {
        self.allowance.interrupt.is_raised()
    }

    /// What has ended the question, other than an answer or the time limit.
    pub fn ended(&self) -> Option<Exhausted> {
        let raised = || self.is_interrupted().then_some(Exhausted::Interrupted);
        self.ended.get().copied().or_else(raised)
    }
}

impl Watch {
    fn start(memory: Memory, interrupt: &Interrupt, ended: &Arc<OnceLock<Exhausted>>) -> Watch {
        let (wanted, still_wanted) = channel();
        let (interrupt, ended) = (interrupt.clone(), ended.clone());
        let look = move || {
            let mut next = WATCH;
            while still_wanted.recv_timeout(next) == Err(RecvTimeoutError::Timeout) {
                next = if memory.is_crowded() { CLOSE_WATCH } else { WATCH };
                if memory.is_exceeded() {
                    ended.get_or_init(|| Exhausted::Memory);
                    interrupt.raise();
                    return;
                }
            }
        };
        // Without a thread nobody looks; an allocation that fails ends the process then.
        let thread = std::thread::Builder::new().name("memory".to_owned()).spawn(look).ok();
        Watch { wanted: Some(wanted), thread }
    }
}

/// How much memory the process may use.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The most bytes.
    most: Option<u64>,
    /// The most addresses that the system gives it (`ulimit -v`); an allocation beyond fails.
    addresses: Option<u64>,
}

/// What part of the addresses is kept free, for an allocation that comes before the next look, and
/// what part at the very end.
const FREE_ADDRESSES: (u64, u64) = (8, 16);
/// How much larger than its limit a process may get until it has ended, as a part of the limit.
const SPARE: u64 = 20;

impl Memory {
    /// So many megabytes, and what the system allows.
    pub fn limited(megabytes: Option<u64>) -> Memory {
        Memory { most: megabytes.map(|megabytes| megabytes << 20), addresses: address_space() }
    }

    fn is_limited(&self) -> bool {
        self.most.is_some() || self.addresses.is_some()
    }

    /// Whether the process uses more.
    pub fn is_exceeded(&self) -> bool {
        self.exceeded(self.most, FREE_ADDRESSES.0)
    }

    /// Whether it uses so much more that there is no time to end in good order.
    pub fn is_beyond(&self) -> bool {
        self.exceeded(self.most.map(|most| most + most / SPARE), FREE_ADDRESSES.1)
    }

    fn exceeded(&self, most: Option<u64>, free: u64) -> bool {
        let Some(usage) = self.usage() else { return false };
        most.is_some_and(|most| usage.resident > most)
            || self.addresses.is_some_and(|all| usage.addresses > all - all / free)
    }

    /// Whether it uses two thirds of what it may.
    pub fn is_crowded(&self) -> bool {
        let Some(Usage { resident, addresses }) = self.usage() else { return false };
        // Not all addresses that are taken are in use.
        let room = self.addresses.map(|all| resident + all.saturating_sub(addresses));
        room.into_iter().chain(self.most).any(|most| resident > most / 3 * 2)
    }

    /// What is used, where that matters and the system tells.
    fn usage(&self) -> Option<Usage> {
        if !self.is_limited() {
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
