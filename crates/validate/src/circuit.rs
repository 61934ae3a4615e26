//! Certificates and traces of circuits.
//!
//! The kind of the witness is told by its first bytes: an AIGER header is a certificate circuit,
//! anything else a trace in the format of the circuit's language. What is accepted gets the verdict
//! that it stands for; what is not leaves the question open.

use answer::Allowance;
use certify::check_certificate;
use circuit::{TransitionSystem, aiger, btor2, replay};
use std::fmt;
use verify::{Design, Rejection};

/// What a witness shows.
#[derive(Debug)]
pub enum Shown {
    /// That the property holds.
    Safe,
    /// That it is violated.
    Unsafe,
    /// Nothing, and why.
    Nothing(String),
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Safe => f.write_str("safe"),
            Shown::Unsafe => f.write_str("unsafe"),
            Shown::Nothing(why) => write!(f, "unknown (the witness is not accepted: {why})"),
        }
    }
}

fn nothing(why: impl fmt::Display) -> Shown {
    Shown::Nothing(why.to_string())
}

/// What the bytes of a witness show about a circuit. A property, if one is named, is what a
/// certificate is about.
pub fn validate(
    design: &Design,
    property: Option<usize>,
    file: &str,
    witness: (&str, &[u8]),
    allowance: &Allowance,
) -> Result<Shown, Rejection> {
    let (name, bytes) = witness;
    let misread = |error: &dyn fmt::Display| Rejection::new(format!("{name}:{error}"));
    if bytes.starts_with(b"aig ") || bytes.starts_with(b"aag ") {
        let certificate = aiger::read(bytes).map_err(|error| misread(&error))?;
        let count = design.system.bads.len();
        if let Some(property) = property.filter(|property| *property >= count) {
            let message = format!("{file}: there is no bad property {property}, only {count}");
            return Err(Rejection::new(message));
        }
        return Ok(check(design, property, &certificate, allowance));
    }
    match &design.words {
        None => {
            let claims = aiger::read_witnesses(bytes).map_err(|error| misread(&error))?;
            Ok(replay_bits(design, &claims))
        }
        Some((words, _)) => {
            let trace = btor2::witness::read_witness(bytes).map_err(|error| misread(&error))?;
            Ok(match btor2::witness::replay(words, &trace) {
                Ok(()) => Shown::Unsafe,
                Err(error) => nothing(error),
            })
        }
    }
}

/// A certificate is about one property, the first unless another one is named. Where a circuit has
/// several and none is named, it can't show the circuit safe.
fn check(
    design: &Design,
    property: Option<usize>,
    certificate: &TransitionSystem,
    allowance: &Allowance,
) -> Shown {
    let number = property.unwrap_or(0);
    match check_certificate(&design.system, number, certificate, allowance) {
        Err(rejection) => nothing(rejection),
        Ok(()) if property.is_none() && design.system.bads.len() > 1 => {
            nothing("it holds for property b0, and there are more; --property names one")
        }
        Ok(()) => Shown::Safe,
    }
}

fn replay_bits(design: &Design, claims: &[aiger::Witness]) -> Shown {
    let mut violated = false;
    for claim in claims {
        let aiger::Claim::Violated(trace) = &claim.claim else { continue };
        for &bad in &claim.bads {
            if let Err(error) = replay(&design.system, trace, bad) {
                return nothing(format!("property b{bad}: {error}"));
            }
            violated = true;
        }
    }
    if violated { Shown::Unsafe } else { nothing("it has no trace of a violation") }
}
