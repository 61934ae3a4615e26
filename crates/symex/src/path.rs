//! Path conditions: lists of literals that share their beginnings.
//!
//! Where a run forks, both ways go on from the same list; where they meet again, what they have in
//! common is where the lists part. So the condition that tells two ways apart is short, however long
//! the way to the fork was.

use std::rc::Rc;
use term::{Pool, Term};

/// A conjunction of literals, the last one first.
#[derive(Clone, Default)]
pub struct Path(Option<Rc<Node>>);

struct Node {
    before: Path,
    literal: Term,
    depth: usize,
}

/// Where two paths part.
pub struct Parting {
    /// What both have.
    pub common: Path,
    /// What only the first has, and only the second: each a conjunction.
    pub first: Term,
    /// See `first`.
    pub second: Term,
}

impl Path {
    /// How many literals there are.
    pub fn depth(&self) -> usize {
        self.0.as_ref().map_or(0, |node| node.depth)
    }

    /// This path, and a formula.
    pub fn assume(&self, pool: &Pool, formula: Term) -> Path {
        if pool.as_bool(formula) == Some(true) {
            return self.clone();
        }
        let (before, depth) = (self.clone(), self.depth() + 1);
        Path(Some(Rc::new(Node { before, literal: formula, depth })))
    }

    /// Whether the two are one list, not only equal ones.
    pub fn is(&self, other: &Path) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The literal that was assumed last.
    pub fn last(&self) -> Option<Term> {
        self.0.as_ref().map(|node| node.literal)
    }

    /// Its literals, the first one first.
    pub fn literals(&self) -> Vec<Term> {
        let mut literals = self.after(&Path::default());
        literals.reverse();
        literals
    }

    /// The whole condition.
    pub fn condition(&self, pool: &Pool) -> Term {
        pool.and(self.literals())
    }

    /// The literals after a beginning of this path, the last one first.
    fn after(&self, beginning: &Path) -> Vec<Term> {
        let mut literals = Vec::new();
        let mut at = self;
        while let Some(node) = &at.0
            && !at.is(beginning)
        {
            literals.push(node.literal);
            at = &node.before;
        }
        literals
    }

    /// Where two paths part.
    pub fn part(&self, other: &Path, pool: &Pool) -> Parting {
        let (mut a, mut b) = (self, other);
        while !a.is(b) {
            let deeper = if a.depth() >= b.depth() { &mut a } else { &mut b };
            let Some(node) = &deeper.0 else { break };
            *deeper = &node.before;
        }
        let common = a.clone();
        let first = pool.and(self.after(&common));
        let second = pool.and(other.after(&common));
        Parting { common, first, second }
    }
}

/// One node after the other: a list may be long.
impl Drop for Node {
    fn drop(&mut self) {
        let mut next = self.before.0.take();
        while let Some(node) = next {
            match Rc::try_unwrap(node) {
                Ok(mut node) => next = node.before.0.take(),
                Err(_) => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Sort;

    #[test]
    fn paths_part_where_they_fork() {
        let pool = Pool::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| pool.var(name, Sort::Bool));
        let before = Path::default().assume(&pool, a);
        let (one, other) = (before.assume(&pool, b), before.assume(&pool, pool.not(b)));
        let one = one.assume(&pool, c);
        let parting = one.part(&other, &pool);
        assert!(parting.common.is(&before));
        assert_eq!(parting.first, pool.and([b, c]));
        assert_eq!(parting.second, pool.not(b));
        assert_eq!(one.literals(), [a, b, c]);
    }

    #[test]
    fn long_paths_are_dropped_without_recursion() {
        let pool = Pool::new();
        let mut path = Path::default();
        for _ in 0..1_000_000 {
            path = path.assume(&pool, pool.var("a", Sort::Bool));
        }
        assert_eq!(path.depth(), 1_000_000);
    }
}
