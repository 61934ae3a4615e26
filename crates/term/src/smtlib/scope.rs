//! Names and what they stand for: assertion levels, and local names of `let` and quantifiers.
//!
//! One map holds the current meaning of every name. What a declaration or a binder hides is
//! remembered on a trail and put back when the level or the binder ends.

use crate::pool::Symbol;
use rustc_hash::FxHashMap;

type Trail<B> = Vec<(Symbol, Option<B>)>;

/// The meaning of names.
pub(super) struct Scope<B> {
    meaning: FxHashMap<Symbol, B>,
    /// What local names hide, innermost last.
    locals: Trail<B>,
    /// What declarations hide, latest last.
    declared: Trail<B>,
    /// The length of `declared` at each `push`.
    levels: Vec<usize>,
}

impl<B> Scope<B> {
    pub(super) fn new(built_in: impl IntoIterator<Item = (Symbol, B)>) -> Self {
        Scope {
            meaning: built_in.into_iter().collect(),
            locals: Vec::new(),
            declared: Vec::new(),
            levels: Vec::new(),
        }
    }

    pub(super) fn get(&self, name: Symbol) -> Option<&B> {
        self.meaning.get(&name)
    }

    /// Gives a name a meaning until the current level ends, or for good.
    pub(super) fn declare(&mut self, name: Symbol, meaning: B, global: bool) {
        let hidden = self.meaning.insert(name, meaning);
        if !global {
            self.declared.push((name, hidden));
        }
    }

    /// Gives a name a meaning until [`Scope::leave`].
    pub(super) fn bind(&mut self, name: Symbol, meaning: B) {
        let hidden = self.meaning.insert(name, meaning);
        self.locals.push((name, hidden));
    }

    /// The mark that [`Scope::leave`] needs to forget all later local names.
    pub(super) fn mark(&self) -> usize {
        self.locals.len()
    }

    /// Forgets the local names bound after the mark.
    pub(super) fn leave(&mut self, mark: usize) {
        undo(&mut self.meaning, &mut self.locals, mark);
    }

    pub(super) fn levels(&self) -> usize {
        self.levels.len()
    }

    pub(super) fn push(&mut self, levels: usize) {
        self.levels.resize(self.levels.len() + levels, self.declared.len());
    }

    /// Requires: there are as many levels.
    pub(super) fn pop(&mut self, levels: usize) {
        let left = self.levels.len() - levels;
        if let Some(mark) = self.levels.get(left).copied() {
            undo(&mut self.meaning, &mut self.declared, mark);
        }
        self.levels.truncate(left);
    }

    /// Forgets all levels and all declarations that are not global.
    pub(super) fn reset(&mut self) {
        self.levels.clear();
        undo(&mut self.meaning, &mut self.declared, 0);
    }
}

fn undo<B>(meaning: &mut FxHashMap<Symbol, B>, trail: &mut Trail<B>, mark: usize) {
    for (name, hidden) in trail.drain(mark..).rev() {
        match hidden {
            Some(meaning_before) => meaning.insert(name, meaning_before),
            None => meaning.remove(&name),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pool;

    #[test]
    fn levels_and_binders_put_back_what_they_hid() {
        let pool = Pool::new();
        let (x, y) = (pool.symbol("x"), pool.symbol("y"));
        let mut scope = Scope::new([(x, 0)]);
        scope.push(2);
        scope.declare(x, 1, false);
        scope.declare(y, 2, true);
        let mark = scope.mark();
        scope.bind(x, 3);
        scope.bind(x, 4);
        assert_eq!(scope.get(x), Some(&4));
        scope.leave(mark);
        assert_eq!(scope.get(x), Some(&1));
        scope.pop(1);
        assert_eq!((scope.get(x), scope.get(y), scope.levels()), (Some(&0), Some(&2), 1));
        scope.declare(x, 5, false);
        scope.reset();
        assert_eq!((scope.get(x), scope.get(y), scope.levels()), (Some(&0), Some(&2), 0));
    }
}
