//! Craig interpolants of terms.
//!
//! For formulas A and B with A ∧ B unsatisfiable, an interpolant I has A ⇒ I and I ∧ B ⇒ ⊥ and
//! speaks only of variables that both have; for a sequence φ₀, …, φₙ₋₁ with an unsatisfiable
//! conjunction, *sequence interpolants* are formulas I₀, …, Iₙ₋₂ with φ₀ ⇒ I₀,
//! Iᵢ₋₁ ∧ φᵢ ⇒ Iᵢ and Iₙ₋₂ ∧ φₙ₋₁ ⇒ ⊥ (McMillan, *Lazy Abstraction with Interpolants*, CAV 2006).
//!
//! Theories are below us: the parts are bit-blasted apart, a refutation with antecedents is asked
//! of CaDiCaL ([`sat::proof`]), checked, and the interpolant read off it ([`sat::interpolant`]).
//! What an interpolant is made of is what the parts share in the SAT solver. If that were always
//! single bits, interpolants would say little to whoever looks for an invariant. So the parts share
//! the truth of predicates ([`mod@chain`]), first of such as the parts themselves suggest
//! ([`mod@words`]); only if these do not separate them, the bits of the common variables are added,
//! and of these a refutation is asked to do with few. (Interpolation over a given vocabulary is
//! how Jain, Kroening, Sharygina and Clarke refine abstractions of circuits: *Word-Level Predicate
//! Abstraction and Refinement for Verifying RTL Verilog*, DAC 2005. Solvers with theories, such as
//! the thesis's MathSAT, have word-level proofs instead.)
//!
//! * [`interpolant`]: of two formulas.
//! * [`sequence`], [`sequence_over`]: of a sequence, the second with predicates of the caller's.
//! * [`Chain`]: the same by hand, for whoever knows what is to be shared.

pub mod chain;
pub mod words;

pub use chain::Chain;
pub use sat::interpolant::{System, Tree, TreeError};
pub use words::words;

use crate::solver::{Error, Reason};
use answer::Allowance;
use sat::proof::{CheckError, ProofError};
use std::collections::{BTreeMap, BTreeSet};
use term::{Op, Pool, Sort, Term};
use thiserror::Error;

/// What interpolants are to be like, and what they may cost.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How strong they are.
    pub system: System,
    /// Whether predicates over words are tried before single bits.
    pub words: bool,
    /// How many gates a part may have.
    pub gates: usize,
    /// How many connectives an interpolant may have.
    pub size: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { system: System::McMillan, words: true, gates: 1 << 20, size: 10_000 }
    }
}

/// Why there is no interpolant.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Failure {
    /// The parts have a model together, or none of what they may share tells them apart.
    #[error("nothing that the parts share tells them apart")]
    Inseparable,
    /// It has more connectives than allowed.
    #[error("the interpolant has {size} connectives")]
    TooLarge {
        /// How many.
        size: usize,
    },
    /// The limits.
    #[error("{0}")]
    Stopped(Reason),
    /// A formula beyond bit-blasting.
    #[error(transparent)]
    Solver(#[from] Error),
    /// The SAT solver did not justify its answer.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// Its justification is wrong.
    #[error(transparent)]
    Check(#[from] CheckError),
}

/// Predicates with the cuts at which they may be used. They go together: a refutation that can do
/// without one of them is preferred if it can do without all.
pub type Group = Vec<(usize, Term)>;

/// An interpolant of A = ⋀ `a` and B = ⋀ `b`.
///
/// Ensures: A ⇒ I, I ∧ B ⇒ ⊥, and the variables of I occur in A and in B.
pub fn interpolant(
    pool: &Pool,
    a: &[Term],
    b: &[Term],
    options: &Options,
    allowance: &Allowance,
) -> Result<Term, Failure> {
    let parts = [a.to_vec(), b.to_vec()];
    let mut found = sequence(pool, &parts, options, allowance)?;
    Ok(found.pop().expect("two parts have a cut"))
}

/// Sequence interpolants of parts, each the conjunction of its formulas; one fewer than parts.
///
/// Ensures: the property in the module's head; the variables of Iᵢ occur both in parts up to the
/// i-th and in later ones.
///
/// # Panics
/// If there is no part.
pub fn sequence(
    pool: &Pool,
    parts: &[Vec<Term>],
    options: &Options,
    allowance: &Allowance,
) -> Result<Vec<Term>, Failure> {
    let mut groups: BTreeMap<Term, Group> = BTreeMap::new();
    let mut order = Vec::new();
    if options.words {
        for (cut, predicate) in words(pool, parts) {
            let group = groups.entry(predicate).or_insert_with(|| {
                order.push(predicate);
                Vec::new()
            });
            group.push((cut, predicate));
        }
    }
    let groups: Vec<Group> = order.iter().filter_map(|p| groups.remove(p)).collect();
    sequence_over(pool, parts, &groups, options, allowance)
}

/// As [`sequence`], with these predicates instead of those that the parts suggest; those that
/// come first are preferred. Bits are the last resort as always.
///
/// Requires: the variables of a predicate occur both before and after its cut; otherwise those
/// of the interpolants need not.
///
/// # Panics
/// If there is no part.
pub fn sequence_over(
    pool: &Pool,
    parts: &[Vec<Term>],
    groups: &[Group],
    options: &Options,
    allowance: &Allowance,
) -> Result<Vec<Term>, Failure> {
    let mut chain = Chain::new(pool, parts.len(), options, allowance);
    for (number, part) in parts.iter().enumerate() {
        for formula in part {
            chain.assert(number, *formula)?;
        }
    }
    for (number, group) in groups.iter().enumerate() {
        for (cut, predicate) in group {
            chain.share(number, *cut, [*predicate; 2], *predicate)?;
        }
    }
    if !groups.is_empty() {
        match chain.interpolants() {
            Err(Failure::Inseparable) => {}
            answer => return answer,
        }
    }
    let shared = words::shared(pool, parts);
    let variables: BTreeSet<Term> = shared.iter().flatten().copied().collect();
    let number = |variable: &Term| groups.len() + variables.range(..*variable).count();
    for (cut, shared) in shared.iter().enumerate() {
        for variable in shared {
            share_variable(pool, &mut chain, number(variable), cut, *variable)?;
        }
    }
    chain.interpolants()
}

/// Shares the bits of a variable, if it has some.
fn share_variable(
    pool: &Pool,
    chain: &mut Chain<'_>,
    group: usize,
    cut: usize,
    variable: Term,
) -> Result<(), Failure> {
    let word = match pool.sort(variable) {
        Sort::Bool => return chain.share(group, cut, [variable; 2], variable),
        Sort::BitVec(_) => variable,
        Sort::Float(_) => pool.make(Op::FpToBits, &[variable]),
        _ => return Ok(()),
    };
    chain.share_bits(group, cut, [word; 2], |i| bit(pool, word, i))
}

/// Bit `i` of a Bool or a bit-vector as a formula.
pub fn bit(pool: &Pool, word: Term, i: u32) -> Term {
    match pool.sort(word) {
        Sort::Bool => word,
        _ => pool.eq(pool.bv_extract(word, i, i), pool.bv(1, 1)),
    }
}
