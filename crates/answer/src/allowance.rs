//! How long and how hard a question may be worked on, and what ends it.
//!
//! The same three bounds go from the command line down to the SAT solvers: a time, an amount of
//! work, and a flag that others raise. Whether a question is over is asked here and nowhere else.
//!
//! Time and the flag are looked at; work is spent by whoever counts it. What a unit of work is,
//! the one who is given the allowance says: conflicts of a SAT solver, steps, questions.

use crate::interrupt::Interrupt;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::{Duration, Instant};

/// What a question may use; the default has no bounds.
///
/// Clones share the flag.
#[derive(Clone, Default, Debug)]
pub struct Allowance {
    /// Give up at this time. Solvers look often enough to be late by milliseconds, not seconds.
    pub deadline: Option<Instant>,
    /// Give up after so many units of work.
    pub work: Option<u64>,
    /// Give up when somebody raises this.
    pub interrupt: Interrupt,
}

/// What is used up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exhausted {
    /// [`Allowance::deadline`] has passed.
    Time,
    /// There is no room for what would come next.
    Memory,
    /// [`Allowance::work`] is done.
    Work,
    /// Somebody raised the [`Interrupt`].
    Interrupted,
}

impl Exhausted {
    /// All of them.
    pub const ALL: [Exhausted; 4] =
        [Exhausted::Time, Exhausted::Memory, Exhausted::Work, Exhausted::Interrupted];
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Exhausted::Time => "time limit",
            Exhausted::Memory => "memory limit",
            Exhausted::Work => "conflict limit",
            Exhausted::Interrupted => "interrupted",
        })
    }
}

impl std::error::Error for Exhausted {}

impl Allowance {
    /// No bounds but this flag.
    pub fn interruptible(interrupt: Interrupt) -> Self {
        Allowance { interrupt, ..Allowance::default() }
    }

    /// The same, ending at this time at the latest.
    pub fn until(&self, end: Instant) -> Self {
        let deadline = Some(self.deadline.map_or(end, |deadline| deadline.min(end)));
        Allowance { deadline, ..self.clone() }
    }

    /// The same, for so much time at most.
    pub fn within(&self, time: Duration) -> Self {
        // A time beyond what the clock can tell is no bound.
        Instant::now().checked_add(time).map_or_else(|| self.clone(), |end| self.until(end))
    }

    /// The same with another amount of work.
    pub fn with_work(&self, work: u64) -> Self {
        Allowance { work: Some(work), ..self.clone() }
    }

    /// The time that is left; none if there is no deadline.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// A share of the time that is left, but no more than `most`.
    pub fn share(&self, share: f64, most: Duration) -> Duration {
        self.left().map_or(most, |left| left.mul_f64(share).min(most))
    }

    /// Whether the flag is up or the deadline has passed.
    ///
    /// This is one look at the flag, in the sense of [`Interrupt`]: where workers take turns, it
    /// counts as work, and it may take until the turn comes.
    #[inline]
    pub fn exhausted(&self) -> Option<Exhausted> {
        if self.interrupt.is_raised() {
            return Some(Exhausted::Interrupted);
        }
        self.is_late().then_some(Exhausted::Time)
    }

    /// Whether the deadline has passed. Does not look at the flag.
    #[inline]
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::Pace;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn nothing_is_used_up_without_bounds() {
        let allowance = Allowance::default();
        assert_eq!(allowance.exhausted(), None);
        assert_eq!(allowance.left(), None);
        assert_eq!(allowance.share(0.5, Duration::from_secs(3)), Duration::from_secs(3));
        assert_eq!(allowance.within(Duration::MAX).deadline, None);
    }

    #[test]
    fn the_earlier_end_counts() {
        let now = Instant::now();
        let hour = Allowance::default().within(Duration::from_secs(3600));
        assert_eq!(hour.exhausted(), None);
        assert!(hour.left().expect("a deadline") > Duration::from_secs(3500));
        assert!(hour.share(0.5, Duration::MAX) <= Duration::from_secs(1800));
        assert_eq!(hour.until(now).exhausted(), Some(Exhausted::Time));
        assert_eq!(hour.until(now).left(), Some(Duration::ZERO));
        let later = hour.until(now + Duration::from_secs(7200));
        assert_eq!(later.deadline, hour.deadline);
        assert_eq!(hour.with_work(7).work, Some(7));
        assert_eq!(hour.with_work(7).deadline, hour.deadline);
    }

    #[test]
    fn the_flag_is_shared_and_comes_before_the_clock() {
        let allowance = Allowance::default();
        let part = allowance.until(Instant::now()).with_work(1);
        assert_eq!(part.exhausted(), Some(Exhausted::Time));
        allowance.interrupt.raise();
        assert_eq!(part.exhausted(), Some(Exhausted::Interrupted));
        allowance.interrupt.clear();
        assert_eq!(part.exhausted(), Some(Exhausted::Time));
    }

    #[test]
    fn one_question_is_one_look_at_the_flag() {
        struct Looks(AtomicU64);
        impl Pace for Looks {
            fn worked(&self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let looks = Arc::new(Looks(AtomicU64::new(0)));
        let allowance = Allowance::interruptible(Interrupt::new().paced(looks.clone()));
        allowance.exhausted();
        assert_eq!(looks.0.load(Ordering::Relaxed), 1);
        let _ = (allowance.is_late(), allowance.left(), allowance.clone().with_work(3));
        assert_eq!(looks.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn reasons_have_words() {
        use Exhausted::{Interrupted, Memory, Time, Work};
        let words = [Time, Memory, Work, Interrupted].map(|reason| reason.to_string());
        assert_eq!(words, ["time limit", "memory limit", "conflict limit", "interrupted"]);
        let names = serde_json::to_string(&[Time, Memory, Work, Interrupted]).expect("plain words");
        assert_eq!(names, r#"["time","memory","work","interrupted"]"#);
        let back: Vec<Exhausted> = serde_json::from_str(&names).expect("what was written");
        assert_eq!(back, [Time, Memory, Work, Interrupted]);
    }
}
