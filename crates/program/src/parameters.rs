//! Formulas with parameters: what holds for all values of variables that the automaton does not
//! have.
//!
//! An invariant may speak of variables that no command of the automaton reads or writes. Nothing
//! is known of them, so a formula that is preserved holds whatever their values are: with a
//! parameter k, `k < i ⇒ a[k] = 0` says so of all elements of an array below i. Where such
//! formulas are assumed, each of their instances may be, and there are terms that suggest
//! themselves: the indices at which arrays are read.

use crate::cfa::Cfa;
use rustc_hash::FxHashMap;
use term::traverse::{free_vars, rewrite, substitute, subterms};
use term::{Op, Pool, Term};

/// How many writes to one array a read looks through.
const MAX_WRITES: usize = 8;

/// The variables of formulas that are none of the automaton's.
pub fn parameters(pool: &Pool, cfa: &Cfa, formulas: &[Term]) -> Vec<Term> {
    let mut variables = free_vars(pool, formulas);
    variables.retain(|variable| !cfa.variables.contains_key(variable));
    variables
}

/// The indices at which arrays are read in terms.
pub fn read_indices(pool: &Pool, terms: &[Term]) -> Vec<Term> {
    let mut indices = Vec::new();
    for subterm in subterms(pool, terms) {
        if let (Op::Select, &[_, index]) = (pool.op(subterm), pool.args(subterm))
            && !indices.contains(&index)
        {
            indices.push(index);
        }
    }
    indices
}

/// A formula in which an array is read at a parameter after it was written elsewhere: where that
/// was at the same index, what was written is said of the parameter too, so that terms which are equal
/// there are the same.
pub fn read_after_write(pool: &Pool, formula: Term, parameters: &[Term]) -> Term {
    let mut formula = formula;
    // Each round reads through the last write of all chains.
    for _ in 0..MAX_WRITES {
        let mut done = FxHashMap::default();
        let through = rewrite(pool, formula, &mut done, |term| {
            let (Op::Select, &[array, read]) = (pool.op(term), pool.args(term)) else {
                return None;
            };
            let (Op::Store, &[rest, index, value]) = (pool.op(array), pool.args(array)) else {
                return None;
            };
            parameters.contains(&read).then(|| {
                let there = substitute(pool, value, [(index, read)]);
                pool.ite(pool.eq(index, read), there, pool.select(rest, read))
            })
        });
        if through == formula {
            break;
        }
        formula = through;
    }
    formula
}

/// Instances of formulas; those already made are remembered.
#[derive(Default, Debug)]
pub struct Instances {
    parameters: Vec<Term>,
    made: FxHashMap<(Term, Term), Vec<Term>>,
}

impl Instances {
    /// With these parameters.
    pub fn of(parameters: Vec<Term>) -> Instances {
        Instances { parameters, made: FxHashMap::default() }
    }

    /// Whether there is nothing to replace.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// The parameters.
    pub fn parameters(&self) -> &[Term] {
        &self.parameters
    }

    /// A formula with one of the terms in the place of a parameter, where the sorts agree.
    pub fn of_formula(&mut self, pool: &Pool, formula: Term, terms: &[Term]) -> Vec<Term> {
        let mut all = Vec::new();
        for &term in terms {
            let made = self.made.entry((formula, term)).or_insert_with(|| {
                let fits = |parameter: &&Term| pool.sort(**parameter) == pool.sort(term);
                let instances = self
                    .parameters
                    .iter()
                    .filter(fits)
                    .map(|&parameter| substitute(pool, formula, [(parameter, term)]));
                instances.filter(|instance| *instance != formula).collect()
            });
            all.extend(made.iter().copied());
        }
        all
    }
}
