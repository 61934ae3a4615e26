//! Certificate circuits: a proof of safety as an AIGER file that an independent tool can check.
//!
//! The conventions are those of Certifaiger (Yu, Froleyks, Biere, Heljanko: *Towards
//! compositional hardware model checking certification*, FMCAD 2023; constraints as in Froleyks,
//! Yu, Biere, Heljanko: *Certifying phase abstraction*, IJCAR 2024). A certificate is a circuit
//! that simulates the model and whose own property is inductive. For an inductive invariant Inv
//! of the model itself it is the model with
//!
//! ```text
//! bad' = bad ∨ ¬Inv        so  P' = P ∧ Inv
//! ```
//!
//! With R the resets, C the constraints, F the transition and P = ¬bad, the checks are
//!
//! | check      | formula                           | why it holds                          |
//! |------------|-----------------------------------|---------------------------------------|
//! | reset      | R ∧ C ⇒ R' ∧ C'                   | same latches, resets and constraints  |
//! | transition | F ∧ C₀ ∧ C₁ ∧ C₀' ⇒ F' ∧ C₁'      | same functions                        |
//! | property   | C ∧ C' ⇒ (P' ⇒ P)                 | P' = P ∧ Inv                          |
//! | base       | R' ∧ C' ⇒ P'                      | Init ⇒ Inv and Inv ∧ C ⇒ P            |
//! | step       | P₀' ∧ F' ∧ C₀' ∧ C₁' ⇒ P₁'        | Inv ∧ C ∧ T ⇒ Inv' and Inv ∧ C ⇒ P    |
//!
//! The first three hold by construction, the last two exactly where Inv is what it claims to be:
//! Init ⇒ Inv, Inv ∧ C ∧ T ⇒ Inv', Inv ∧ C ⇒ ¬bad. Older versions of the checker, without
//! constraints in reset and transition, ask less, and hold too.
//!
//! Inputs and latches of certificate and model correspond by their order, which is the checker's
//! default where the symbol table names nothing; so the certificate has no symbols. Versions
//! before 2024 match literals instead of positions. That is the same for every binary file, and
//! for every ascii file that numbers its inputs first and its latches next.
//!
//! The checker looks at the first property of the model. To certify another one, compare with a
//! model that has only this one ([`single_property`]).

use crate::invariant::{Clause, conjunction, unknown_latch};
use crate::system::{Signal, SystemError, TransitionSystem};

/// Why there is no certificate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CertificateError {
    /// The model is malformed.
    #[error(transparent)]
    System(#[from] SystemError),
    /// No such property.
    #[error("the system has {count} bad properties; there is no number {bad}")]
    NoSuchBad {
        /// The property asked for.
        bad: usize,
        /// How many there are.
        count: usize,
    },
    /// A clause about a latch that does not exist.
    #[error("the invariant names latch {0}, which the system does not have")]
    NoSuchLatch(usize),
}

/// The certificate circuit for bad property number `bad` of the model and an invariant given as
/// a conjunction of clauses over the model's latches. Write it with [`crate::aiger`].
///
/// Whether the invariant is inductive is not checked here: that is what a certificate is for.
pub fn circuit(
    model: &TransitionSystem,
    bad: usize,
    invariant: &[Clause],
) -> Result<TransitionSystem, CertificateError> {
    let mut certificate = single_property(model, bad)?;
    if let Some(latch) = unknown_latch(model, invariant) {
        return Err(CertificateError::NoSuchLatch(latch));
    }
    let latches = &certificate.latches;
    let inductive = conjunction(&mut certificate.aig, invariant, |l| latches[l].state);
    let violated = certificate.aig.or(certificate.bads[0].edge, !inductive);
    certificate.bads = vec![Signal::unnamed(violated)];
    certificate.comments = vec![format!("WITNESS b{bad}")];
    for input in &mut certificate.inputs {
        input.name = None;
    }
    for latch in &mut certificate.latches {
        latch.name = None;
    }
    for constraint in &mut certificate.constraints {
        constraint.name = None;
    }
    Ok(certificate)
}

/// The model with one of its bad properties and without outputs; inputs and latches unchanged.
pub fn single_property(
    model: &TransitionSystem,
    bad: usize,
) -> Result<TransitionSystem, CertificateError> {
    model.check()?;
    let count = model.bads.len();
    let property = model.bads.get(bad).ok_or(CertificateError::NoSuchBad { bad, count })?;
    let mut single = model.clone();
    single.bads = vec![property.clone()];
    single.outputs.clear();
    Ok(single)
}
