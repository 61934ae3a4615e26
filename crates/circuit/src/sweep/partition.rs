//! A partition of latches into candidate classes, refined by patterns.
//!
//! Values are *normalized*: xored with the latch's reset. So all candidates start with 0, two
//! candidates of one class are equal up to the complement that their resets tell, and the
//! members of the first class, the constants, stay 0. Latches without a reset are no candidates:
//! nothing fixes their first value.

use crate::system::TransitionSystem;
use rustc_hash::FxHashMap;

pub(super) struct Partition {
    /// The constants first; of every other class the first member represents it.
    classes: Vec<Vec<usize>>,
    /// The class of each latch; none for a latch that equals no other.
    class_of: Vec<Option<usize>>,
}

impl Partition {
    /// All initialized latches are candidates for constants.
    pub fn coarsest(system: &TransitionSystem) -> Self {
        let initialized = |k: &usize| system.latches[*k].init.value().is_some();
        let candidates: Vec<usize> = (0..system.latches.len()).filter(initialized).collect();
        let mut class_of = vec![None; system.latches.len()];
        for latch in &candidates {
            class_of[*latch] = Some(0);
        }
        Partition { classes: vec![candidates], class_of }
    }

    /// Who stands for a latch.
    pub fn representative(&self, latch: usize) -> Representative {
        match self.class_of[latch] {
            None => Representative::Itself,
            Some(0) => Representative::Constant,
            Some(class) if self.classes[class][0] == latch => Representative::Itself,
            Some(class) => Representative::Latch(self.classes[class][0]),
        }
    }

    /// The latches that another latch or a constant stands for.
    pub fn represented(&self) -> Vec<usize> {
        let all = 0..self.class_of.len();
        all.filter(|k| self.representative(*k) != Representative::Itself).collect()
    }

    /// Separates what the patterns tell apart; `word` gives normalized values. Whether anything
    /// was separated.
    pub fn split(&mut self, word: impl Fn(usize) -> u64) -> bool {
        let mut changed = false;
        for class in 0..self.classes.len() {
            let members = std::mem::take(&mut self.classes[class]);
            let staying = if class == 0 { 0 } else { members.first().map_or(0, |m| word(*m)) };
            let mut parts: FxHashMap<u64, usize> = FxHashMap::default();
            parts.insert(staying, class);
            for latch in members {
                let target = *parts.entry(word(latch)).or_insert_with(|| {
                    self.classes.push(Vec::new());
                    self.classes.len() - 1
                });
                self.classes[target].push(latch);
                if target != class {
                    self.class_of[latch] = Some(target);
                    changed = true;
                }
            }
        }
        changed
    }

    /// Takes a latch out for good.
    pub fn remove(&mut self, latch: usize) {
        if let Some(class) = self.class_of[latch].take() {
            self.classes[class].retain(|l| *l != latch);
        }
    }
}

/// Who stands for a latch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Representative {
    Itself,
    /// Its reset value.
    Constant,
    /// Another latch, complemented where the resets differ.
    Latch(usize),
}
