//! Restarts and phases of a search by activity.
//!
//! The search alternates between two manners, as CaDiCaL's does (Biere et al., "CaDiCaL 2.0",
//! CAV 2024, after Oh, "Between SAT and UNSAT", SAT 2015):
//!
//! * *focused*: frequent restarts, whenever the recent learnt clauses have a worse LBD than those
//!   of the question on average (Audemard and Simon, "Refining restarts strategies for SAT and
//!   UNSAT", CP 2012; averages after Biere and Fröhlich, POS 2015), good at refuting;
//! * *stable*: rare restarts in Luby's sequence, and decisions that return to the largest
//!   assignment that was free of conflicts (*target phases*), good at finding models.
//!
//! From time to time the saved phases are replaced by the initial ones, their opposites, or those
//! of the largest assignment since the last time.

use super::ConeSolver;
use super::literal::{Literal, VarIndex};

/// The first focused and the first stable stretch last so many conflicts, the n-th ones n² times
/// as many.
const STRETCH: u64 = 1000;
/// The unit of Luby's sequence in conflicts.
const LUBY_UNIT: u64 = 1024;
/// The phases are first replaced after so many conflicts, later at growing intervals.
const REPHASE: u64 = 1000;

/// A mean of the first values that turns into an exponential average of the latest.
#[derive(Clone, Copy)]
struct Average {
    value: f64,
    weight: f64,
    least_weight: f64,
}

impl Average {
    /// An average over about `count` values.
    fn of(count: f64) -> Self {
        Average { value: 0.0, weight: 1.0, least_weight: 1.0 / count }
    }

    fn note(&mut self, value: f64) {
        self.value += (value - self.value) * self.weight;
        self.weight = (self.weight / (1.0 + self.weight)).max(self.least_weight);
    }
}

/// When to restart and which values to prefer.
#[derive(Clone)]
pub(super) struct Restarts {
    fast: Average,
    slow: Average,
    since_restart: u64,
    conflicts: u64,
    stable: bool,
    stretches: u64,
    next_stretch: u64,
    /// How often the search has restarted in the stable manner.
    stable_restarts: u64,
    rephasings: u64,
    next_rephasing: u64,
    target: Snapshot,
    best: Snapshot,
}

/// The phases of a large assignment that was free of conflicts.
#[derive(Clone, Default)]
struct Snapshot {
    size: usize,
    phases: Vec<Option<bool>>,
}

impl Snapshot {
    fn take(&mut self, trail: &[Literal], vars: usize) {
        self.size = trail.len();
        self.phases.resize(vars, None);
        for literal in trail {
            self.phases[literal.slot()] = Some(!literal.is_negated());
        }
    }

    fn clear(&mut self) {
        self.size = 0;
        self.phases.clear();
    }
}

impl Default for Restarts {
    fn default() -> Self {
        Restarts {
            fast: Average::of(32.0),
            slow: Average::of(8192.0),
            since_restart: 0,
            conflicts: 0,
            stable: false,
            stretches: 0,
            next_stretch: STRETCH,
            stable_restarts: 0,
            rephasings: 0,
            next_rephasing: REPHASE,
            target: Snapshot::default(),
            best: Snapshot::default(),
        }
    }
}

impl Restarts {
    const MARGIN: f64 = 1.1;
    const LEAST_INTERVAL: u64 = 3;

    /// A clause of this LBD has been learnt.
    pub fn note(&mut self, lbd: u32) {
        self.fast.note(f64::from(lbd));
        self.slow.note(f64::from(lbd));
        self.since_restart += 1;
        self.conflicts += 1;
    }

    pub fn is_due(&self) -> bool {
        if self.stable {
            return self.since_restart >= LUBY_UNIT * luby(self.stable_restarts);
        }
        self.since_restart >= Self::LEAST_INTERVAL
            && self.fast.value > self.slow.value * Self::MARGIN
    }

    /// The value that the largest conflict-free assignment gave to a variable, in the stable
    /// manner.
    pub fn target(&self, var: VarIndex) -> Option<bool> {
        if self.stable { self.target.phases.get(var as usize).copied().flatten() } else { None }
    }

    /// The search restarts now.
    fn note_restart(&mut self) {
        self.since_restart = 0;
        self.stable_restarts += u64::from(self.stable);
        if self.conflicts >= self.next_stretch {
            self.stretches += 1;
            self.stable = !self.stable;
            let n = self.stretches / 2 + 1;
            self.next_stretch = self.conflicts + STRETCH * n * n;
            self.target.clear();
        }
    }
}

/// Luby's sequence 1, 1, 2, 1, 1, 2, 4, … from index 0.
fn luby(index: u64) -> u64 {
    let mut at = index + 1;
    loop {
        let bits = 64 - at.leading_zeros();
        if at == (1 << bits) - 1 {
            return 1 << (bits - 1);
        }
        at -= (1 << (bits - 1)) - 1;
    }
}

impl ConeSolver {
    /// Before backtracking from a conflict: what stood before the last decision had none.
    pub(super) fn note_conflict_free(&mut self) {
        let level = self.assignment.level();
        let size = self.assignment.level_start(level);
        let vars = self.assignment.var_count();
        let trail = &self.assignment.trail[..size];
        if self.restarts.stable && size > self.restarts.target.size {
            self.restarts.target.take(trail, vars);
        }
        if size > self.restarts.best.size {
            self.restarts.best.take(trail, vars);
        }
    }

    /// Restarts the search, perhaps with other phases.
    pub(super) fn restart(&mut self) {
        self.backtrack(1);
        self.restarts.note_restart();
        if self.restarts.conflicts >= self.restarts.next_rephasing {
            self.rephase();
        }
    }

    fn rephase(&mut self) {
        self.restarts.rephasings += 1;
        let count = self.restarts.rephasings;
        self.restarts.next_rephasing = self.restarts.conflicts + REPHASE * (count + 1);
        for var in self.domain.variables() {
            let positive = Literal::positive(var);
            let phase = match count % 4 {
                1 => Some(false),
                3 => Some(true),
                _ => self.restarts.best.phases.get(var as usize).copied().flatten(),
            };
            match phase {
                Some(true) => self.assignment.set_phase(positive),
                Some(false) => self.assignment.set_phase(!positive),
                None => {}
            }
        }
        self.restarts.target.clear();
        self.restarts.best.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luby_sequence() {
        let sequence: Vec<u64> = (0..15).map(luby).collect();
        assert_eq!(sequence, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }

    #[test]
    fn averages_start_as_means() {
        let mut average = Average::of(4.0);
        for value in [8.0, 2.0, 5.0] {
            average.note(value);
        }
        assert!((average.value - 5.0).abs() < 1e-9);
        (0..100).for_each(|_| average.note(1.0));
        assert!((average.value - 1.0).abs() < 1e-6);
    }
}
