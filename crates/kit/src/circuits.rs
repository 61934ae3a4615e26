//! Small circuits with known answers.

use circuit::explicit::{self, Outcome};
use circuit::random::{Shape, system};
use circuit::{Init, TransitionSystem};

/// A circuit and one of its properties.
pub struct Case {
    /// What to call it.
    pub name: String,
    /// The circuit.
    pub system: TransitionSystem,
    /// The bad property.
    pub property: usize,
    /// Whether it holds.
    pub safe: bool,
}

/// A counter of so many bits that starts at zero and skips from `last` to zero; bad at `bad`.
fn counter(width: usize, last: u64, bad: u64) -> TransitionSystem {
    let mut system = TransitionSystem::new();
    let bits: Vec<_> = (0..width).map(|_| system.add_latch(Init::constant(false), None)).collect();
    let is = |system: &mut TransitionSystem, number: u64| {
        let bits: Vec<_> = (0..width).map(|at| bits[at].xor(number >> at & 1 == 0)).collect();
        system.aig.and_all(bits)
    };
    let (at_last, at_bad) = (is(&mut system, last), is(&mut system, bad));
    let mut carry = !at_last;
    for (at, &bit) in bits.iter().enumerate() {
        let sum = system.aig.xor(bit, carry);
        carry = system.aig.and(bit, carry);
        system.latches[at].next = system.aig.and(sum, !at_last);
    }
    system.add_bad(at_bad, None);
    system
}

/// One token that goes around; bad if two places have it.
fn ring(places: usize, tokens: usize) -> TransitionSystem {
    let mut system = TransitionSystem::new();
    let latches: Vec<_> =
        (0..places).map(|at| system.add_latch(Init::constant(at < tokens), None)).collect();
    for at in 0..places {
        system.latches[at].next = latches[(at + places - 1) % places];
    }
    let bad = system.aig.and(latches[0], latches[places / 2]);
    system.add_bad(bad, None);
    system
}

/// The circuits whose answers are known by thought.
pub fn known() -> Vec<Case> {
    let case = |name: &str, system, safe| Case { name: name.to_owned(), system, property: 0, safe };
    vec![
        case("counter that wraps before", counter(5, 20, 25), true),
        case("counter that comes there", counter(5, 20, 17), false),
        case("counter at its start", counter(3, 7, 0), false),
        case("ring with one token", ring(8, 1), true),
        case("ring with many tokens", ring(8, 5), false),
    ]
}

/// A random circuit, whose answers are known by visiting every state.
pub fn random(seed: u64) -> Vec<Case> {
    let system = system(seed, Shape::default());
    let case = |property| {
        let outcome = explicit::check(&system, property).ok()?;
        let safe = matches!(outcome, Outcome::Safe { .. });
        Some(Case { name: format!("random {seed}"), system: system.clone(), property, safe })
    };
    (0..system.bads.len()).filter_map(case).collect()
}
