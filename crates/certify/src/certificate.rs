//! Certificate circuits, ours and foreign ones.
//!
//! [`circuit::certificate`] says what such a circuit is and lists the five checks; here they are
//! asked of a solver, so a certificate that no tool of ours has made is worth as much as our
//! own. Inputs and latches of certificate and model correspond by their order; the certificate
//! may have more of both. With K the shared ones, R the resets, C the constraints, F the
//! transition functions, P = ¬bad, and the certificate's marked with a prime:
//!
//! * reset: R ∧ C ⇒ R'|K ∧ C'
//! * transition: F ∧ C₀ ∧ C₁ ∧ C₀' ⇒ F'|K ∧ C₁'
//! * property: C ∧ C' ⇒ (P' ⇒ P)
//! * base: R' ∧ C' ⇒ P'
//! * step: P₀' ∧ F' ∧ C₀' ∧ C₁' ⇒ P₁'

use crate::circuit::{Asker, Rejection};
use crate::unroll::Step;
use aig::{Aig, Edge};
use answer::Allowance;
use circuit::TransitionSystem;
use sat::cadical::{Cadical, Preset};
use thiserror::Error;

/// A check of a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// Runs of the model start where the certificate's do.
    Reset,
    /// Steps of the model are steps of the certificate.
    Transition,
    /// What is bad in the model is bad in the certificate.
    Property,
    /// The certificate's property holds at the start.
    Base,
    /// It is preserved by every step.
    Step,
}

/// Why a certificate is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CertificateRejection {
    /// It can't be a certificate of this model.
    #[error("{0}")]
    Shape(String),
    /// A check fails.
    #[error("the check fails: {0:?}")]
    Fails(Check),
    /// A check was stopped.
    #[error(transparent)]
    Stopped(#[from] Rejection),
}

/// Checks a certificate for bad property number `bad` of the model.
pub fn check_certificate(
    model: &TransitionSystem,
    bad: usize,
    certificate: &TransitionSystem,
    allowance: &Allowance,
) -> Result<(), CertificateRejection> {
    let shape = |text: String| Err(CertificateRejection::Shape(text));
    if bad >= model.bads.len() {
        return shape(format!("the model has no property b{bad}"));
    }
    if certificate.bads.len() != 1 {
        return shape(format!("a certificate has one property, not {}", certificate.bads.len()));
    }
    let (latches, inputs) = (certificate.latches.len(), certificate.inputs.len());
    if latches < model.latches.len() || inputs < model.inputs.len() {
        return shape(format!(
            "the certificate has {latches} latches and {inputs} inputs, fewer than the model's {} \
             and {}",
            model.latches.len(),
            model.inputs.len()
        ));
    }
    let checker = Checker { model, bad, certificate, allowance };
    checker.first_step()?;
    checker.transition()?;
    checker.own(Check::Base)?;
    checker.own(Check::Step)
}

struct Checker<'a> {
    model: &'a TransitionSystem,
    bad: usize,
    certificate: &'a TransitionSystem,
    allowance: &'a Allowance,
}

/// A step of the model and one of the certificate over the same values of what is shared.
struct Both {
    model: Step,
    certificate: Step,
}

impl Checker<'_> {
    fn asker(&self) -> Asker<Cadical> {
        Asker::new(Cadical::new(Preset::Standard), self.allowance)
    }

    /// Requires: `state` has a value for each latch of the certificate.
    fn both(&self, graph: &mut Aig, state: Vec<Edge>) -> Both {
        let inputs: Vec<Edge> = self.certificate.inputs.iter().map(|_| graph.input()).collect();
        let shared = state[..self.model.latches.len()].to_vec();
        let model = Step::with_inputs(graph, self.model, shared, &inputs);
        let certificate = Step::with_inputs(graph, self.certificate, state, &inputs);
        Both { model, certificate }
    }

    /// Reset and property.
    fn first_step(&self) -> Result<(), CertificateRejection> {
        let mut asker = self.asker();
        let state = asker.free_state(self.certificate);
        let both = self.both(&mut asker.graph, state);
        let theirs = both.certificate.constraints(&mut asker.graph, self.certificate);
        let constraints = both.model.constraints(&mut asker.graph, self.model);
        asker.assert(constraints);
        let violated = both.model.edge(self.model.bads[self.bad].edge);
        let good = !both.certificate.edge(self.certificate.bads[0].edge);
        let unnoticed = asker.graph.and_all([theirs, good, violated]);
        // SAT? C ∧ C' ∧ P' ∧ ¬P
        if asker.possible(unnoticed)? {
            return Err(CertificateRejection::Fails(Check::Property));
        }
        let shared = &self.certificate.latches[..self.model.latches.len()];
        let reset = resets(&mut asker.graph, &self.model.latches, &both.model.state);
        let their_reset = resets(&mut asker.graph, shared, &both.model.state);
        let kept = asker.graph.and(their_reset, theirs);
        let lost = asker.graph.and(reset, !kept);
        // SAT? R ∧ C ∧ ¬(R'|K ∧ C')
        if asker.possible(lost)? {
            return Err(CertificateRejection::Fails(Check::Reset));
        }
        Ok(())
    }

    fn transition(&self) -> Result<(), CertificateRejection> {
        let mut asker = self.asker();
        let state = asker.free_state(self.certificate);
        let first = self.both(&mut asker.graph, state);
        let (next, their_next) =
            (first.model.next(self.model), first.certificate.next(self.certificate));
        // The shared latches go where the model takes them, the others where the certificate does.
        let mut state = next.clone();
        state.extend(&their_next[next.len()..]);
        let second = self.both(&mut asker.graph, state);
        for step in [&first, &second] {
            let constraints = step.model.constraints(&mut asker.graph, self.model);
            asker.assert(constraints);
        }
        let theirs = first.certificate.constraints(&mut asker.graph, self.certificate);
        asker.assert(theirs);
        let mut kept = vec![second.certificate.constraints(&mut asker.graph, self.certificate)];
        for (ours, theirs) in next.iter().zip(&their_next) {
            kept.push(asker.graph.iff(*ours, *theirs));
        }
        let kept = asker.graph.and_all(kept);
        // SAT? F ∧ C₀ ∧ C₁ ∧ C₀' ∧ ¬(F'|K ∧ C₁')
        if asker.possible(!kept)? {
            return Err(CertificateRejection::Fails(Check::Transition));
        }
        Ok(())
    }

    /// The checks of the certificate by itself.
    fn own(&self, check: Check) -> Result<(), CertificateRejection> {
        let mut asker = self.asker();
        let bad = self.certificate.bads[0].edge;
        let state = asker.free_state(self.certificate);
        let mut step = Step::new(&mut asker.graph, self.certificate, state);
        let constraints = step.constraints(&mut asker.graph, self.certificate);
        asker.assert(constraints);
        if check == Check::Base {
            let reset = resets(&mut asker.graph, &self.certificate.latches, &step.state);
            asker.assert(reset);
        } else {
            asker.assert(!step.edge(bad));
            let next = step.next(self.certificate);
            step = Step::new(&mut asker.graph, self.certificate, next);
            let constraints = step.constraints(&mut asker.graph, self.certificate);
            asker.assert(constraints);
        }
        // SAT? R' ∧ C' ∧ ¬P', or P₀' ∧ F' ∧ C₀' ∧ C₁' ∧ ¬P₁'
        if asker.possible(step.edge(bad))? {
            return Err(CertificateRejection::Fails(check));
        }
        Ok(())
    }
}

/// The latches have their reset values.
fn resets(graph: &mut Aig, latches: &[circuit::system::Latch], state: &[Edge]) -> Edge {
    let equal = latches
        .iter()
        .zip(state)
        .filter_map(|(latch, now)| latch.init.value().map(|value| now.xor(!value)));
    graph.and_all(equal)
}
