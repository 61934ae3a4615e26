//! Walks over shared terms: substitution, free variables, size, conjuncts.
//!
//! Every walk visits a shared node once and keeps its own stack, so a DAG of a million nodes is
//! as harmless deep as it is wide.

use crate::op::Op;
use crate::pool::{Pool, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// All distinct subterms of some terms, arguments before their users.
pub fn subterms(pool: &Pool, roots: &[Term]) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let mut pending = roots.to_vec();
    while let Some(term) = pending.pop() {
        if seen.insert(term) {
            pending.extend(pool.args(term));
        }
    }
    let mut order: Vec<Term> = seen.into_iter().collect();
    // A term is made after its arguments, so its number is larger.
    order.sort_unstable();
    order
}

/// The number of distinct subterms.
pub fn size(pool: &Pool, term: Term) -> usize {
    subterms(pool, &[term]).len()
}

/// The variables that occur and are not bound by a quantifier inside, in order of creation.
pub fn free_vars(pool: &Pool, terms: &[Term]) -> Vec<Term> {
    let mut bound = FxHashSet::default();
    let mut vars = Vec::new();
    for term in subterms(pool, terms) {
        match pool.op(term) {
            Op::Var(_) => vars.push(term),
            Op::Forall | Op::Exists => {
                let args = pool.args(term);
                bound.extend(args[..args.len() - 1].iter().copied());
            }
            _ => {}
        }
    }
    vars.retain(|v| !bound.contains(v));
    vars
}

/// A substitution that remembers what it has rewritten, so that one map can be applied to many
/// terms that share structure.
///
/// Keys are any terms, usually variables; a rewritten term is not looked up again. Bound
/// variables have unique names ([`Pool::bound_var`]), so no capture can happen.
#[derive(Default, Clone)]
pub struct Substitution {
    done: FxHashMap<Term, Term>,
}

impl Substitution {
    /// The substitution that replaces each first term by the second.
    pub fn new(map: impl IntoIterator<Item = (Term, Term)>) -> Self {
        Substitution { done: map.into_iter().collect() }
    }

    /// The term with all replacements made, simplified on the way.
    pub fn apply(&mut self, pool: &Pool, term: Term) -> Term {
        rewrite(pool, term, &mut self.done, |_| None)
    }
}

/// `term` with each subterm for which `replacement` has one replaced, simplified on the way;
/// `done` remembers what was rewritten, and replaces as well.
pub fn rewrite(
    pool: &Pool,
    term: Term,
    done: &mut FxHashMap<Term, Term>,
    replacement: impl Fn(Term) -> Option<Term>,
) -> Term {
    // What has no parts is looked up each time; most terms are small, and most of their parts so.
    let known = |done: &FxHashMap<Term, Term>, term: Term| match done.get(&term) {
        Some(result) => Some(*result),
        None if pool.args(term).is_empty() => Some(replacement(term).unwrap_or(term)),
        None => None,
    };
    if let Some(result) = known(done, term) {
        return result;
    }
    let mut pending: smallvec::SmallVec<[Term; 16]> = smallvec::smallvec![term];
    while let Some(top) = pending.last().copied() {
        if done.contains_key(&top) {
            pending.pop();
            continue;
        }
        if let Some(replaced) = replacement(top) {
            done.insert(top, replaced);
            pending.pop();
            continue;
        }
        let args = pool.args(top);
        let before = pending.len();
        let mut new: smallvec::SmallVec<[Term; 3]> = smallvec::SmallVec::new();
        for &arg in args {
            match known(done, arg) {
                Some(result) => new.push(result),
                None => pending.push(arg),
            }
        }
        if pending.len() > before {
            continue;
        }
        let result = if new[..] == *args { top } else { pool.make(pool.op(top).clone(), &new) };
        done.insert(top, result);
        pending.pop();
    }
    done[&term]
}

/// `term` with each first term of `map` replaced by the second.
pub fn substitute(pool: &Pool, term: Term, map: impl IntoIterator<Item = (Term, Term)>) -> Term {
    Substitution::new(map).apply(pool, term)
}

/// The operands of nested conjunctions, without ⊤, each once.
pub fn conjuncts(pool: &Pool, term: Term) -> Vec<Term> {
    operands(pool, term, &Op::And)
}

/// The operands of nested disjunctions, without ⊥, each once.
pub fn disjuncts(pool: &Pool, term: Term) -> Vec<Term> {
    operands(pool, term, &Op::Or)
}

fn operands(pool: &Pool, term: Term, op: &Op) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let mut result = Vec::new();
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        if !seen.insert(term) {
            continue;
        }
        if pool.op(term) == op {
            pending.extend(pool.args(term).iter().rev());
        } else if pool.as_bool(term) != Some(*op == Op::And) {
            result.push(term);
        }
    }
    result
}

/// The same term in another pool; `map` remembers what was copied before.
pub fn import(from: &Pool, term: Term, into: &Pool, map: &mut FxHashMap<Term, Term>) -> Term {
    for t in subterms(from, &[term]) {
        if map.contains_key(&t) {
            continue;
        }
        let node = from.node(t);
        let args: Vec<Term> = node.args.iter().map(|a| map[a]).collect();
        let copy = match &node.op {
            Op::Var(symbol) => into.var(from.name(*symbol), import_sort(from, node.sort, into)),
            Op::Apply(func) => {
                let function = from.declaration(*func);
                let params: Vec<_> =
                    function.params.iter().map(|s| import_sort(from, *s, into)).collect();
                let result = import_sort(from, function.result, into);
                into.apply(into.function(from.name(function.name), &params, result), &args)
            }
            Op::ConstArray(sort) => {
                into.make(Op::ConstArray(import_sort(from, *sort, into)), &args)
            }
            Op::Value(value) => into.constant(import_value(from, value, into)),
            op => into.make(op.clone(), &args),
        };
        map.insert(t, copy);
    }
    map[&term]
}

/// The same sort in another pool.
pub fn import_sort(from: &Pool, sort: crate::Sort, into: &Pool) -> crate::Sort {
    use crate::Sort;
    match sort {
        Sort::Array(_) => {
            let (index, element) = from.array_parts(sort).expect("an array sort has parts");
            into.array_sort(import_sort(from, index, into), import_sort(from, element, into))
        }
        Sort::Uninterpreted(symbol) => Sort::Uninterpreted(into.symbol(from.name(symbol))),
        plain => plain,
    }
}

fn import_value(from: &Pool, value: &crate::Value, into: &Pool) -> crate::Value {
    match value {
        crate::Value::Element(symbol, n) => {
            crate::Value::Element(into.symbol(from.name(*symbol)), *n)
        }
        // Array values do not occur as constants, the others mention no pool.
        plain => plain.clone(),
    }
}
