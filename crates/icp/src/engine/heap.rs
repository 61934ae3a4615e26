//! A heap of variables by activity, with the most active on top.

use crate::lit::Var;

const ABSENT: u32 = u32::MAX;

/// See the file's head. The activities are the caller's; between equals the older variable is first.
#[derive(Default)]
pub(super) struct Heap {
    vars: Vec<Var>,
    /// Where each variable is.
    places: Vec<u32>,
}

impl Heap {
    pub fn new_var(&mut self) {
        self.places.push(ABSENT);
    }

    pub fn contains(&self, var: Var) -> bool {
        self.places[var.index()] != ABSENT
    }

    fn before(a: Var, b: Var, activity: &[f64]) -> bool {
        let (x, y) = (activity[a.index()], activity[b.index()]);
        x > y || x == y && a < b
    }

    pub fn insert(&mut self, var: Var, activity: &[f64]) {
        if !self.contains(var) {
            self.places[var.index()] = self.vars.len() as u32;
            self.vars.push(var);
            self.rise(self.vars.len() - 1, activity);
        }
    }

    /// Puts a variable in its place after it became more active.
    pub fn raised(&mut self, var: Var, activity: &[f64]) {
        if self.contains(var) {
            self.rise(self.places[var.index()] as usize, activity);
        }
    }

    pub fn pop(&mut self, activity: &[f64]) -> Option<Var> {
        let top = *self.vars.first()?;
        self.places[top.index()] = ABSENT;
        let last = self.vars.pop().expect("there is a first");
        if last != top {
            self.vars[0] = last;
            self.places[last.index()] = 0;
            self.sink(0, activity);
        }
        Some(top)
    }

    fn rise(&mut self, mut at: usize, activity: &[f64]) {
        while at > 0 {
            let parent = (at - 1) / 2;
            if !Self::before(self.vars[at], self.vars[parent], activity) {
                break;
            }
            self.swap(at, parent);
            at = parent;
        }
    }

    fn sink(&mut self, mut at: usize, activity: &[f64]) {
        loop {
            let left = 2 * at + 1;
            if left >= self.vars.len() {
                break;
            }
            let right = left + 1;
            let best = if right < self.vars.len()
                && Self::before(self.vars[right], self.vars[left], activity)
            {
                right
            } else {
                left
            };
            if !Self::before(self.vars[best], self.vars[at], activity) {
                break;
            }
            self.swap(at, best);
            at = best;
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.vars.swap(a, b);
        self.places[self.vars[a].index()] = a as u32;
        self.places[self.vars[b].index()] = b as u32;
    }
}
