//! The flag by which solvers on other threads are stopped, or held for a while.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A handle with which another thread ends a running `solve`. Clones share one flag.
///
/// The flag stays up until [`Interrupt::clear`], so that a worker that asks several questions
/// can't miss it between two of them. Solvers can also be held for a while, so that something more
/// urgent has the processor for itself.
///
/// Whoever looks at the flag says by that that it is at work: workers look after equal amounts of
/// it, counted in what they do and not in time. So this is also where a worker that shares the
/// processor with others in turns is made to wait ([`Interrupt::paced`]).
#[derive(Clone, Default)]
pub struct Interrupt {
    flag: Arc<AtomicU64>,
    pace: Option<Arc<dyn Pace>>,
}

/// Hears each time a worker looks at an [`Interrupt`], and lets it wait.
pub trait Pace: Send + Sync {
    /// The worker has done something; it goes on when this returns.
    fn worked(&self);
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Interrupt").field(&self.flag).finish()
    }
}

/// States of the flag. Above them it is held, for so many milliseconds at most.
const DOWN: u64 = 0;
const RAISED: u64 = 1;
const HELD: u64 = 2;

impl Interrupt {
    /// A new flag, down.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same flag, for a worker who keeps the pace.
    pub fn paced(&self, pace: Arc<dyn Pace>) -> Interrupt {
        Interrupt { flag: self.flag.clone(), pace: Some(pace) }
    }

    /// Asks every solver that holds this flag to stop.
    pub fn raise(&self) {
        self.flag.store(RAISED, Ordering::Relaxed);
    }

    /// Takes the flag down again.
    pub fn clear(&self) {
        self.flag.store(DOWN, Ordering::Relaxed);
    }

    /// Whether the flag is up. While it is held, the answer takes until it is not.
    #[inline]
    pub fn is_raised(&self) -> bool {
        if let Some(pace) = &self.pace {
            pace.worked();
        }
        match self.flag.load(Ordering::Relaxed) {
            DOWN => false,
            RAISED => true,
            most => self.wait(Duration::from_millis(most - HELD)),
        }
    }

    /// Lets every solver that looks at the flag wait, until the result is dropped or one of them has
    /// waited for `most`. A raised flag stays raised.
    pub fn hold(&self, most: Duration) -> Held<'_> {
        let held = HELD + u64::try_from(most.as_millis()).unwrap_or(u64::MAX - HELD);
        let _ = self.flag.compare_exchange(DOWN, held, Ordering::Relaxed, Ordering::Relaxed);
        Held(self)
    }

    /// Waits while the flag is held; whether it is up then.
    #[cold]
    fn wait(&self, most: Duration) -> bool {
        let begun = Instant::now();
        while self.flag.load(Ordering::Relaxed) >= HELD {
            if begun.elapsed() >= most {
                self.release();
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.flag.load(Ordering::Relaxed) == RAISED
    }

    fn release(&self) {
        let state = self.flag.load(Ordering::Relaxed);
        if state >= HELD {
            let _ = self.flag.compare_exchange(state, DOWN, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

/// Solvers that are held; they go on when this is dropped.
#[must_use = "solvers go on when this is dropped"]
#[derive(Debug)]
pub struct Held<'i>(&'i Interrupt);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_held_goes_on() {
        let flag = Interrupt::new();
        let begun = Instant::now();
        {
            let _held = flag.hold(Duration::from_secs(60));
            let worker = flag.clone();
            let asked = std::thread::spawn(move || worker.is_raised());
            std::thread::sleep(Duration::from_millis(20));
            assert!(!asked.is_finished());
            drop(_held);
            assert!(!asked.join().expect("it only waits"));
        }
        assert!(begun.elapsed() >= Duration::from_millis(20));
        // Not for ever, and then for nobody.
        let _held = flag.hold(Duration::from_millis(5));
        assert!(!flag.is_raised());
        assert!(!flag.is_raised());
        // Who is to stop does not wait.
        let held = flag.hold(Duration::from_secs(60));
        flag.raise();
        assert!(flag.is_raised());
        drop(held);
        assert!(flag.is_raised());
        let _held = flag.hold(Duration::from_secs(60));
        assert!(flag.is_raised());
    }
}
