//! In which order the values of each variable are: the intervals of a solver are intervals of that order.
//!
//! Floats have one order, NaN above all. Bit-vectors are read signed if the program compares them signed
//! more often than unsigned, and as their source reads them where it does not compare them.

use icp::Domain;
use program::cfa::{Cfa, Command};
use program::program::Reading;
use rustc_hash::FxHashMap;
use term::traverse::{free_vars, subterms};
use term::{Op, Pool, Sort, Term};

/// The domains of the variables of an automaton.
#[derive(Clone, Debug, Default)]
pub struct Domains(FxHashMap<Term, Domain>);

impl Domains {
    /// The domains of those variables of an automaton whose values have an order.
    pub fn new(pool: &Pool, cfa: &Cfa) -> Domains {
        let votes = votes(pool, cfa);
        let domain = |(&variable, origin): (&Term, &program::cfa::Origin)| {
            let vote = votes.get(&variable).copied().unwrap_or(0);
            let signed = vote > 0 || vote == 0 && origin.reading == Reading::Signed;
            let domain = match Domain::of(pool.sort(variable))? {
                Domain::Unsigned(width) if signed => Domain::Signed(width),
                domain => domain,
            };
            Some((variable, domain))
        };
        Domains(cfa.variables.iter().filter_map(domain).collect())
    }

    /// The domain of a variable.
    ///
    /// # Panics
    /// If it has none.
    pub fn of(&self, variable: Term) -> Domain {
        self.0[&variable]
    }

    /// Whether a variable has a domain.
    pub fn has(&self, variable: Term) -> bool {
        self.0.contains_key(&variable)
    }
}

/// For each variable, how many more signed than unsigned comparisons there are in which it occurs.
fn votes(pool: &Pool, cfa: &Cfa) -> FxHashMap<Term, i64> {
    let mut votes = FxHashMap::default();
    for term in subterms(pool, &formulas(cfa)) {
        let vote = match pool.op(term) {
            Op::BvSlt => 1,
            Op::BvUlt => -1,
            _ => continue,
        };
        for variable in free_vars(pool, &[term]) {
            *votes.entry(variable).or_default() += vote;
        }
    }
    votes
}

/// The formulas and values of an automaton.
fn formulas(cfa: &Cfa) -> Vec<Term> {
    let mut terms = Vec::new();
    for edge in cfa.edges.values() {
        edge.command.for_each_atom(&mut |command| match command {
            Command::Assume(term) | Command::Assign(_, term) => terms.push(*term),
            _ => {}
        });
    }
    terms
}

/// Whether an automaton computes with floats, and with nothing that has no order.
pub fn has_floats(pool: &Pool, cfa: &Cfa) -> bool {
    let sorts = || cfa.variables.keys().map(|variable| pool.sort(*variable));
    let floats = sorts().any(|sort| matches!(sort, Sort::Float(_)))
        || subterms(pool, &formulas(cfa))
            .iter()
            .any(|term| matches!(pool.sort(*term), Sort::Float(_)));
    floats && sorts().all(|sort| Domain::of(sort).is_some())
}
