//! Functions defined by `define-fun`, expanded where they are used.
//!
//! A body is a term over parameter variables; a use replaces them. Only the part of the body
//! that depends on a parameter is rebuilt, the rest is shared. Variables bound inside the body
//! are renamed in each copy, so that a bound variable belongs to one quantifier.

use super::budget::{Budget, Refusal};
use crate::pool::{Pool, Symbol, Term};
use crate::sort::Sort;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A defined function with at least one parameter.
pub(super) struct Macro {
    pub(super) name: Symbol,
    pub(super) params: Vec<Term>,
    pub(super) result: Sort,
    pub(super) body: Term,
    /// The variables bound inside the body, with the names they had in the script.
    bound: Vec<(Term, Symbol)>,
}

/// Whether copies of a definition need a copy of a term.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Rebuild {
    #[default]
    Unknown,
    No,
    Yes,
}

/// Which terms depend on the variables of definitions, and the definition being read.
#[derive(Default)]
pub(super) struct Macros {
    /// By the index of a term.
    rebuild: Vec<Rebuild>,
    /// While a definition is being read: the variables bound in it so far.
    open: Option<Vec<(Term, Symbol)>>,
}

impl Macros {
    /// Starts a definition with these parameters.
    pub(super) fn begin(&mut self, params: &[Term]) {
        params.iter().for_each(|param| self.set(*param, Rebuild::Yes));
        self.open = Some(Vec::new());
    }

    /// Ends the definition that was begun.
    pub(super) fn end(
        &mut self,
        name: Symbol,
        params: Vec<Term>,
        result: Sort,
        body: Term,
    ) -> Macro {
        let bound = self.open.take().unwrap_or_default();
        Macro { name, params, result, body, bound }
    }

    /// A variable for a quantifier; remembered if it is inside a definition.
    pub(super) fn bound_var(&mut self, pool: &Pool, name: Symbol, sort: Sort) -> Term {
        let var = pool.bound_var(pool.name(name), sort);
        if let Some(open) = &mut self.open {
            open.push((var, name));
            self.set(var, Rebuild::Yes);
        }
        var
    }

    /// The body with `args` for the parameters.
    pub(super) fn expand(
        &mut self,
        budget: &Budget,
        defined: &Macro,
        args: &[Term],
    ) -> Result<Term, Refusal> {
        let pool = budget.pool;
        self.find_dependent(pool, defined.body);
        budget.spend((args.len() + defined.bound.len()) as u64)?;
        let mut done: FxHashMap<Term, Term> =
            defined.params.iter().copied().zip(args.iter().copied()).collect();
        for (var, name) in &defined.bound {
            done.insert(*var, self.bound_var(pool, *name, pool.sort(*var)));
        }
        let mut pending = vec![defined.body];
        while let Some(top) = pending.last().copied() {
            if done.contains_key(&top) {
                pending.pop();
                continue;
            }
            if self.get(top) != Rebuild::Yes {
                done.insert(top, top);
                continue;
            }
            let old = pool.args(top);
            let before = pending.len();
            pending.extend(old.iter().filter(|a| !done.contains_key(a)));
            if pending.len() > before {
                budget.spend((pending.len() - before) as u64 / 8)?;
                continue;
            }
            let new: SmallVec<[Term; 4]> = old.iter().map(|a| done[a]).collect();
            let result = if new[..] == *old {
                budget.spend(1)?;
                top
            } else {
                budget.make(pool.op(top).clone(), &new)?
            };
            done.insert(top, result);
        }
        Ok(done[&defined.body])
    }

    fn get(&self, term: Term) -> Rebuild {
        self.rebuild.get(term.index()).copied().unwrap_or_default()
    }

    fn set(&mut self, term: Term, rebuild: Rebuild) {
        if self.rebuild.len() <= term.index() {
            self.rebuild.resize(term.index() + 1, Rebuild::Unknown);
        }
        self.rebuild[term.index()] = rebuild;
    }

    /// Decides for a term and all its subterms whether they depend on a definition's variable.
    fn find_dependent(&mut self, pool: &Pool, term: Term) {
        let mut pending = vec![term];
        while let Some(top) = pending.last().copied() {
            if self.get(top) != Rebuild::Unknown {
                pending.pop();
                continue;
            }
            let before = pending.len();
            let args = pool.args(top);
            pending.extend(args.iter().filter(|a| self.get(**a) == Rebuild::Unknown));
            if pending.len() == before {
                let any = args.iter().any(|a| self.get(*a) == Rebuild::Yes);
                self.set(top, if any { Rebuild::Yes } else { Rebuild::No });
            }
        }
    }
}
