//! Time and memory limits of a run.
//!
//! Engines know their deadline. Memory is watched by a thread that raises the engines' interrupt
//! when the process grows beyond its limit, so that a run ends with a verdict and not with a kill.
//! Behind all of them stands a [`last_resort`]: a phase that does not look at the clock often
//! enough (reading, bit-blasting, a solver's preprocessing) can't hold the answer back.

use sat::{Interrupt, Limits};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often memory is looked at.
const WATCH: Duration = Duration::from_millis(50);

/// The limits of one run.
pub struct Budget {
    start: Instant,
    /// For every solver of the run.
    pub limits: Limits,
    /// Ends every solver of the run.
    pub interrupt: Interrupt,
    out_of_memory: Arc<AtomicBool>,
}

impl Budget {
    /// Starts the clock, and the watch if there is a memory limit.
    pub fn start(seconds: Option<f64>, megabytes: Option<u64>) -> Self {
        let start = Instant::now();
        let deadline = seconds.map(|s| start + Duration::from_secs_f64(s));
        let budget = Budget {
            start,
            limits: Limits { deadline, ..Limits::default() },
            interrupt: Interrupt::new(),
            out_of_memory: Arc::new(AtomicBool::new(false)),
        };
        if let Some(megabytes) = megabytes {
            let (interrupt, full) = (budget.interrupt.clone(), budget.out_of_memory.clone());
            // The thread ends with the process.
            std::thread::spawn(move || {
                while resident_bytes().is_none_or(|bytes| bytes < megabytes << 20) {
                    std::thread::sleep(WATCH);
                }
                full.store(true, Ordering::Relaxed);
                interrupt.raise();
            });
        }
        budget
    }

    /// Seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Whether the memory limit ended the run.
    pub fn out_of_memory(&self) -> bool {
        self.out_of_memory.load(Ordering::Relaxed)
    }
}

/// How late a run may be before the last resort.
const GRACE: f64 = 0.04;
const LEAST_GRACE: Duration = Duration::from_millis(300);

/// Calls `answer` and exits with the code it returns, if the process still runs shortly after
/// `seconds`.
///
/// The process ends there: nothing that was begun is finished, and nothing needs to be.
pub fn last_resort(seconds: Option<f64>, answer: impl FnOnce() -> i32 + Send + 'static) {
    let Some(seconds) = seconds else { return };
    let grace = LEAST_GRACE.max(Duration::from_secs_f64(seconds * GRACE));
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs_f64(seconds) + grace);
        let code = answer();
        std::process::exit(code);
    });
}

/// The memory that the process has in use, where the system tells.
fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
