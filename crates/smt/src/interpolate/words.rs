//! Predicates over words that interpolants may be made of.
//!
//! A proof by bits knows nothing of `x ≤ 10`; it is offered predicates that the parts themselves
//! suggest ([`words`]): the comparisons in them, also as they are before an assignment, and the
//! bounds that belong to a comparison with a constant ([`with_bounds`]). Which of them are of use,
//! the refutation tells.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use term::traverse::{conjuncts, free_vars, rewrite, subterms};
use term::{Op, Pool, Sort, Term};

/// The largest predicate that is offered, in subterms.
const MAX_SIZE: usize = 24;
/// How many predicates are carried over a part.
const MAX_WORDS: usize = 200;

/// The variables that occur both before and after each cut between parts.
pub(super) fn shared(pool: &Pool, parts: &[Vec<Term>]) -> Vec<BTreeSet<Term>> {
    let variables: Vec<Vec<Term>> = parts.iter().map(|part| free_vars(pool, part)).collect();
    let mut later = vec![BTreeSet::new()];
    for part in variables.iter().skip(1).rev() {
        let mut all: BTreeSet<Term> = later[later.len() - 1].clone();
        all.extend(part);
        later.push(all);
    }
    later.reverse();
    let mut earlier: BTreeSet<Term> = BTreeSet::new();
    let cuts = variables.iter().zip(&later).take(parts.len().saturating_sub(1));
    let common = cuts.map(|(part, later)| {
        earlier.extend(part);
        earlier.intersection(later).copied().collect()
    });
    common.collect()
}

/// Predicates that the parts suggest for the cuts, each with its cut: over variables that occur
/// both before and after it, the more promising ones first.
///
/// They are collected from the last part to the first. What an equation v = t of a part gives the
/// value of is replaced by the value, which is what an assignment does to a condition after it.
pub fn words(pool: &Pool, parts: &[Vec<Term>]) -> Vec<(usize, Term)> {
    let shared = shared(pool, parts);
    let mut found: Vec<BTreeSet<Term>> = vec![BTreeSet::new(); shared.len()];
    let mut carried: BTreeSet<Term> = BTreeSet::new();
    for (number, part) in parts.iter().enumerate().rev() {
        let own = comparisons(pool, part);
        // What the part says is of use at the cut after it, too.
        let cuts = number.saturating_sub(1)..=number;
        if let Some(before) = number.checked_sub(1) {
            let mut defined = definitions(pool, part, &shared[before]);
            let all: Vec<Term> = carried.union(&own).copied().collect();
            let images = all.iter().map(|p| rewrite(pool, *p, &mut defined, |_| None));
            carried = images.filter(|p| is_small(pool, *p)).take(MAX_WORDS).collect();
            found[before].extend(&carried);
        }
        for cut in cuts.filter(|cut| *cut < shared.len()) {
            found[cut].extend(&own);
        }
    }
    let mut all = Vec::new();
    for (cut, (found, shared)) in found.into_iter().zip(&shared).enumerate() {
        let usable = |p: &Term| {
            let variables = free_vars(pool, &[*p]);
            !variables.is_empty() && variables.iter().all(|v| shared.contains(v))
        };
        let found: Vec<Term> = with_bounds(pool, found).into_iter().filter(usable).collect();
        all.extend(found.into_iter().map(|p| (cut, p)));
    }
    all
}

/// The values that equations v = t of a part give to variables that do not occur before it.
fn definitions(pool: &Pool, part: &[Term], before: &BTreeSet<Term>) -> FxHashMap<Term, Term> {
    let mut defined = FxHashMap::default();
    for formula in part.iter().flat_map(|formula| conjuncts(pool, *formula)) {
        let &[a, b] = pool.args(formula) else { continue };
        if *pool.op(formula) != Op::Eq {
            continue;
        }
        for (variable, value) in [(a, b), (b, a)] {
            let is_new = matches!(pool.op(variable), Op::Var(_)) && !before.contains(&variable);
            // Only values that need no other definition: so the order does not matter.
            if is_new && free_vars(pool, &[value]).iter().all(|v| before.contains(v)) {
                defined.entry(variable).or_insert(value);
            }
        }
    }
    defined
}

fn is_small(pool: &Pool, predicate: Term) -> bool {
    pool.as_bool(predicate).is_none() && term::traverse::size(pool, predicate) <= MAX_SIZE
}

/// The smallest formulas in some terms: what is true or false and no combination of such.
pub fn comparisons(pool: &Pool, terms: &[Term]) -> BTreeSet<Term> {
    let is_bool = |t: &Term| pool.sort(*t) == Sort::Bool;
    let is_atom = |t: &Term| match pool.op(*t) {
        Op::Not | Op::And | Op::Or | Op::Ite | Op::Value(_) | Op::Forall | Op::Exists => false,
        Op::Eq => !is_bool(&pool.args(*t)[0]),
        _ => true,
    };
    let all = subterms(pool, terms).into_iter();
    all.filter(|t| is_bool(t) && is_atom(t) && is_small(pool, *t)).collect()
}

/// Predicates and the bounds that go with them: a comparison of a term with a constant suggests
/// the others of the same kind. The more general ones come first, and no predicate beside its
/// negation.
pub fn with_bounds(pool: &Pool, predicates: impl IntoIterator<Item = Term>) -> Vec<Term> {
    let mut ranked: Vec<(u8, usize, Term)> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut add = |rank: u8, predicate: Term| {
        let plain = match pool.op(predicate) {
            Op::Not => pool.args(predicate)[0],
            _ => predicate,
        };
        if pool.as_bool(plain).is_none() && seen.insert(plain) {
            ranked.push((rank, term::traverse::size(pool, plain), plain));
        }
    };
    let predicates: Vec<Term> = predicates.into_iter().collect();
    for predicate in &predicates {
        add(if is_equation(pool, *predicate) { 2 } else { 0 }, *predicate);
    }
    for predicate in &predicates {
        let &[a, b] = pool.args(*predicate) else { continue };
        if !matches!(pool.sort(a), Sort::BitVec(2..)) {
            continue;
        }
        if pool.value(a).is_none() && pool.value(b).is_none() {
            continue;
        }
        let unsigned = [pool.bv_ult(a, b), pool.bv_ult(b, a)];
        let signed = [pool.bv_slt(a, b), pool.bv_slt(b, a)];
        match pool.op(*predicate) {
            Op::BvUlt => unsigned.into_iter().for_each(|p| add(1, p)),
            Op::BvSlt => signed.into_iter().for_each(|p| add(1, p)),
            Op::Eq => unsigned.into_iter().chain(signed).for_each(|p| add(1, p)),
            _ => continue,
        }
        add(2, pool.eq(a, b));
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, _, predicate)| predicate).collect()
}

/// Whether the predicate fixes a value.
fn is_equation(pool: &Pool, predicate: Term) -> bool {
    let constant = |t: &Term| pool.value(*t).is_some();
    *pool.op(predicate) == Op::Eq && pool.args(predicate).iter().any(constant)
}
