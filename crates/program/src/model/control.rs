//! Which branches of a function decide what it does: weak control closure (S. Danicic et al.: *A
//! unifying theory of control dependence and its application to arbitrary program structures*,
//! 2011).
//!
//! Some locations are *kept*, because something of interest happens there. Every location has the
//! kept ones, or the exit, that a run from it can come to first. Where these differ between the
//! edges that leave a location, its branch decides, and the location is kept as well. In the end
//! a run from any location comes to one kept location first, if it comes to one at all: what lies
//! between can go. No postdominators are needed, so endless loops and dead ends are nothing
//! special.
//!
//! A location from which a run comes to none, and not to the exit, is a dead end: runs that go there
//! never come back. They decide nothing; whoever wants a branch that leads there to stay must keep
//! it.

use crate::scc::Successors;

/// Nothing is known yet.
const NONE: u32 = u32::MAX;
/// There are several.
const MANY: u32 = u32::MAX - 1;

/// The graph of a function, and what is kept of it.
pub(super) struct Control {
    exit: usize,
    successors: Successors,
    predecessors: Successors,
    kept: Vec<bool>,
    /// What comes first, by location; true of the kept ones since the last [`Control::close`].
    first: Vec<u32>,
}

impl Control {
    /// A graph with nothing but its exit kept. Requires: fewer than 2³² − 2 locations.
    pub fn new(locations: usize, exit: usize, edges: &[(usize, usize)]) -> Control {
        let backward: Vec<(usize, usize)> = edges.iter().map(|&(from, to)| (to, from)).collect();
        Control {
            exit,
            successors: Successors::new(locations, edges),
            predecessors: Successors::new(locations, &backward),
            kept: vec![false; locations],
            first: vec![NONE; locations],
        }
    }

    /// Keeps a location; says whether that is new.
    pub fn keep(&mut self, location: usize) -> bool {
        !std::mem::replace(&mut self.kept[location], true)
    }

    /// The locations with a way to the exit and one without.
    pub fn ways_to_dead_ends(&self) -> Vec<usize> {
        let mut lives = vec![false; self.kept.len()];
        let mut pending = vec![self.exit];
        while let Some(location) = pending.pop() {
            if !std::mem::replace(&mut lives[location], true) {
                pending.extend(self.predecessors.of(location).iter().map(|n| *n as usize));
            }
        }
        let dead = |n: &u32| !lives[*n as usize];
        let leads = |n: &usize| lives[*n] && self.successors.of(*n).iter().any(dead);
        (0..self.kept.len()).filter(leads).collect()
    }

    /// The kept location, or the exit, that runs from a location come to first; none from a dead
    /// end. Requires: nothing has been kept since the last [`Control::close`].
    pub fn first(&self, location: usize) -> Option<usize> {
        let first = self.first[location];
        (first < MANY).then_some(first as usize)
    }

    /// Keeps the locations whose branches decide what comes first, and answers them.
    pub fn close(&mut self) -> Vec<usize> {
        let mut added = Vec::new();
        loop {
            self.propagate();
            let deciding: Vec<usize> =
                (0..self.kept.len()).filter(|location| self.decides(*location)).collect();
            if deciding.is_empty() {
                return added;
            }
            for &location in &deciding {
                self.kept[location] = true;
            }
            added.extend(deciding);
        }
    }

    /// The least solution of: a kept location and the exit come first to themselves, any other
    /// location to what its successors come to.
    fn propagate(&mut self) {
        let count = self.kept.len();
        self.first = vec![NONE; count];
        let ends = |control: &Control, n: usize| control.kept[n] || n == control.exit;
        let mut pending: Vec<usize> = (0..count).filter(|n| ends(self, *n)).collect();
        for &location in &pending {
            self.first[location] = location as u32;
        }
        while let Some(location) = pending.pop() {
            let value = self.first[location];
            for &before in self.predecessors.of(location) {
                let before = before as usize;
                if ends(self, before) {
                    continue;
                }
                let known = self.first[before];
                let joined = match known {
                    NONE => value,
                    known if known == value => value,
                    _ => MANY,
                };
                if joined != known {
                    self.first[before] = joined;
                    pending.push(before);
                }
            }
        }
    }

    /// Whether the edges that leave a location lead to different ends. (Where all of them lead to
    /// several, the branches after it decide.)
    fn decides(&self, location: usize) -> bool {
        if self.kept[location] || location == self.exit || self.first[location] != MANY {
            return false;
        }
        let ends = self.successors.of(location).iter().map(|n| self.first[*n as usize]);
        let mut ends = ends.filter(|end| *end != NONE);
        let first = ends.next();
        ends.any(|end| Some(end) != first)
    }
}

#[cfg(test)]
mod tests {
    use super::Control;

    /// 0 branches to 1 and 2, which join in 3; 4 is the exit.
    const DIAMOND: [(usize, usize); 5] = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)];

    #[test]
    fn a_branch_with_nothing_in_it_goes() {
        let mut control = Control::new(5, 4, &DIAMOND);
        control.keep(3);
        assert!(control.close().is_empty());
        assert_eq!(control.first(0), Some(3));
    }

    #[test]
    fn a_branch_decides_what_one_side_does() {
        let mut control = Control::new(5, 4, &DIAMOND);
        control.keep(1);
        assert_eq!(control.close(), [0]);
        assert_eq!((control.first(2), control.first(0)), (Some(4), Some(0)));
    }

    #[test]
    fn a_loop_with_nothing_in_it_goes() {
        // 0 is a head that leads to 1 and back, or to the exit 2.
        let mut control = Control::new(3, 2, &[(0, 1), (1, 0), (0, 2)]);
        assert!(control.close().is_empty());
        assert_eq!(control.first(0), Some(2));
    }

    #[test]
    fn a_way_to_a_dead_end_is_no_decision() {
        // 1 is an endless loop.
        let mut control = Control::new(3, 2, &[(0, 1), (1, 1), (0, 2)]);
        assert!(control.close().is_empty());
        assert_eq!((control.first(1), control.first(0)), (None, Some(2)));
        assert_eq!(control.ways_to_dead_ends(), [0]);
    }

    #[test]
    fn decisions_in_an_endless_loop_are_found() {
        // 0 and 1 lead to each other; one to the kept 2, the other to the kept 3; 4 is never
        // reached.
        let mut control = Control::new(5, 4, &[(0, 1), (1, 0), (0, 2), (1, 3), (2, 0), (3, 1)]);
        control.keep(2);
        control.keep(3);
        let mut decisions = control.close();
        decisions.sort_unstable();
        assert_eq!(decisions, [0, 1]);
    }

    /// The definition, by looking at all paths: after closing, the kept locations that can be
    /// reached from a location without passing another are at most one.
    #[test]
    fn closed_sets_leave_no_choice() {
        use rand::{Rng, SeedableRng, rngs::StdRng};
        for seed in 0..500 {
            let mut random = StdRng::seed_from_u64(seed);
            let count = random.random_range(2..12);
            let edges: Vec<(usize, usize)> = (0..random.random_range(1..2 * count))
                .map(|_| (random.random_range(0..count), random.random_range(0..count)))
                .filter(|&(from, _)| from != count - 1)
                .collect();
            let mut control = Control::new(count, count - 1, &edges);
            for _ in 0..random.random_range(0..3) {
                control.keep(random.random_range(0..count));
            }
            control.close();
            for start in 0..count {
                let mut ends = std::collections::BTreeSet::new();
                let mut seen = vec![false; count];
                let mut pending = vec![start];
                while let Some(n) = pending.pop() {
                    if std::mem::replace(&mut seen[n], true) {
                        continue;
                    }
                    if control.kept[n] || n == count - 1 {
                        ends.insert(n);
                        continue;
                    }
                    let next = edges.iter().filter(|(from, _)| *from == n).map(|(_, to)| *to);
                    pending.extend(next);
                }
                assert!(ends.len() <= 1, "seed {seed}: {start} leads to {ends:?}");
                assert_eq!(ends.first().copied(), control.first(start), "seed {seed}");
            }
        }
    }
}
