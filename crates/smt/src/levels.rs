//! The formulas of a solver that keeps them itself, level by level.

use term::Term;

/// The formulas of each level, the ground level first.
pub(crate) struct Levels(Vec<Vec<Term>>);

impl Default for Levels {
    fn default() -> Self {
        Levels(vec![Vec::new()])
    }
}

impl Levels {
    /// Opens a level.
    pub fn push(&mut self) {
        self.0.push(Vec::new());
    }

    /// Closes so many, and forgets their formulas.
    ///
    /// # Panics
    /// If fewer are open.
    pub fn pop(&mut self, levels: usize) {
        assert!(levels < self.0.len(), "pop without push");
        self.0.truncate(self.0.len() - levels);
    }

    /// Adds a formula to the innermost level.
    pub fn assert(&mut self, formula: Term) {
        self.0.last_mut().expect("the ground level stays").push(formula);
    }

    /// The formulas of each level, from the ground up.
    pub fn by_level(&self) -> impl Iterator<Item = &[Term]> {
        self.0.iter().map(Vec::as_slice)
    }

    /// All formulas, the oldest first.
    pub fn formulas(&self) -> impl DoubleEndedIterator<Item = Term> {
        self.0.iter().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{Pool, Sort};

    #[test]
    fn levels_forget_their_formulas() {
        let pool = Pool::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| pool.var(name, Sort::Bool));
        let mut levels = Levels::default();
        levels.assert(a);
        levels.push();
        levels.assert(b);
        levels.push();
        levels.assert(c);
        assert_eq!(levels.formulas().collect::<Vec<_>>(), [a, b, c]);
        assert!(levels.by_level().eq([[a], [b], [c]]));
        levels.pop(2);
        assert_eq!(levels.formulas().collect::<Vec<_>>(), [a]);
        levels.pop(0);
        levels.push();
        levels.pop(1);
        assert_eq!(levels.formulas().collect::<Vec<_>>(), [a]);
    }

    #[test]
    #[should_panic(expected = "pop without push")]
    fn the_ground_level_stays() {
        Levels::default().pop(1);
    }
}
