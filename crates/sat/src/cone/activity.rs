//! Variable activities and the heap of decision candidates for hard questions.
//!
//! Exponential VSIDS (Moskewicz et al., DAC 2001, in MiniSat's form): variables that take part in
//! conflicts gain activity, and the gain grows from conflict to conflict. Activities are kept
//! between questions. The heap exists only while a question is searched by activity, and contains
//! only variables of its domain.

use super::literal::VarIndex;

const DECAY: f64 = 0.95;
const RESCALE_AT: f64 = 1e100;
const ABSENT: u32 = u32::MAX;

/// Activities of all variables, and a binary heap of some.
#[derive(Clone)]
pub(super) struct Activity {
    scores: Vec<f64>,
    gain: f64,
    heap: Vec<VarIndex>,
    /// Where each variable is in the heap.
    places: Vec<u32>,
}

impl Default for Activity {
    fn default() -> Self {
        Activity { scores: Vec::new(), gain: 1.0, heap: Vec::new(), places: Vec::new() }
    }
}

impl Activity {
    pub fn new_var(&mut self) {
        self.scores.push(0.0);
        self.places.push(ABSENT);
    }

    #[inline]
    pub fn score(&self, var: VarIndex) -> f64 {
        self.scores[var as usize]
    }

    /// The variable takes part in a conflict.
    pub fn bump(&mut self, var: VarIndex) {
        let score = &mut self.scores[var as usize];
        *score += self.gain;
        if *score > RESCALE_AT {
            self.rescale();
        }
        if self.places[var as usize] != ABSENT {
            self.rise(self.places[var as usize] as usize);
        }
    }

    /// A conflict is over: later ones count for more.
    pub fn decay(&mut self) {
        self.gain /= DECAY;
    }

    fn rescale(&mut self) {
        for score in &mut self.scores {
            *score /= RESCALE_AT;
        }
        self.gain /= RESCALE_AT;
    }

    /// Empties the heap.
    pub fn clear(&mut self) {
        for var in self.heap.drain(..) {
            self.places[var as usize] = ABSENT;
        }
    }

    /// Adds a candidate, if it isn't one.
    #[inline]
    pub fn push(&mut self, var: VarIndex) {
        if self.places[var as usize] == ABSENT {
            self.places[var as usize] = self.heap.len() as u32;
            self.heap.push(var);
            self.rise(self.heap.len() - 1);
        }
    }

    /// Removes and returns the most active candidate.
    pub fn pop(&mut self) -> Option<VarIndex> {
        let last = self.heap.pop()?;
        let Some(&top) = self.heap.first() else {
            self.places[last as usize] = ABSENT;
            return Some(last);
        };
        self.heap[0] = last;
        self.places[last as usize] = 0;
        self.places[top as usize] = ABSENT;
        self.sink();
        Some(top)
    }

    fn rise(&mut self, mut at: usize) {
        let var = self.heap[at];
        let score = self.score(var);
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.score(self.heap[parent]) >= score {
                break;
            }
            self.place(self.heap[parent], at);
            at = parent;
        }
        self.place(var, at);
    }

    fn sink(&mut self) {
        let var = self.heap[0];
        let score = self.score(var);
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len()
                && self.score(self.heap[child + 1]) > self.score(self.heap[child])
            {
                child += 1;
            }
            if self.score(self.heap[child]) <= score {
                break;
            }
            self.place(self.heap[child], at);
            at = child;
        }
        self.place(var, at);
    }

    fn place(&mut self, var: VarIndex, at: usize) {
        self.heap[at] = var;
        self.places[var as usize] = at as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pops_by_activity() {
        let mut activity = Activity::default();
        for _ in 0..50 {
            activity.new_var();
        }
        for round in 0..200u32 {
            activity.bump(round * 7919 % 50);
            activity.decay();
        }
        (0..50).for_each(|var| activity.push(var));
        activity.bump(17);
        let order: Vec<_> = std::iter::from_fn(|| activity.pop()).collect();
        assert_eq!(order.len(), 50);
        assert_eq!(order[0], 17);
        assert!(order.windows(2).all(|w| activity.score(w[0]) >= activity.score(w[1])));
    }

    #[test]
    fn rescaling_keeps_the_order() {
        let mut activity = Activity::default();
        for _ in 0..3 {
            activity.new_var();
        }
        for _ in 0..10_000 {
            activity.bump(1);
            activity.decay();
        }
        activity.bump(2);
        assert!(activity.score(1) > activity.score(2) && activity.score(2) > activity.score(0));
        assert!(activity.score(1).is_finite());
    }
}
