//! Where in a formula a variable occurs.

use rustc_hash::FxHashSet;
use term::traverse::subterms;
use term::{Op, Pool, Sort, Term};

/// The subterms of some terms in which a variable occurs.
pub fn containing(pool: &Pool, terms: &[Term], variable: Term) -> FxHashSet<Term> {
    let mut found = FxHashSet::default();
    for term in subterms(pool, terms) {
        if term == variable || pool.args(term).iter().any(|a| found.contains(a)) {
            found.insert(term);
        }
    }
    found
}

/// Whether a term of sort Bool is made of others by connectives.
fn is_connective(pool: &Pool, term: Term) -> bool {
    match pool.op(term) {
        Op::Not | Op::And | Op::Or => true,
        Op::Ite => pool.sort(term) == Sort::Bool,
        Op::Eq => pool.sort(pool.args(term)[0]) == Sort::Bool,
        _ => false,
    }
}

/// The atoms of a formula in which a variable occurs, in order of creation: what is left when
/// connectives are opened. Atoms inside of atoms (the condition of an if-then-else of numbers) are
/// not among them.
pub fn atoms(pool: &Pool, formula: Term, variable: Term) -> Vec<Term> {
    let inside = containing(pool, &[formula], variable);
    let (mut seen, mut atoms) = (FxHashSet::default(), Vec::new());
    let mut pending = vec![formula];
    while let Some(term) = pending.pop() {
        if !inside.contains(&term) || !seen.insert(term) {
            continue;
        }
        if is_connective(pool, term) {
            pending.extend(pool.args(term));
        } else {
            atoms.push(term);
        }
    }
    atoms.sort_unstable();
    atoms
}
