//! The checker against the definition: random clause sets, mutated proofs and cut traces are
//! accepted exactly if enumeration of all states and inputs says that they are what they claim.

use aig::simulate::Words;
use certify::{check_certificate, check_circuit};
use circuit::verdict::{Proof, Verdict};
use circuit::{Clause, LatchLit, Source, Trace, TransitionSystem, aiger, certificate, random};
use ic3::{Options, check_system};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sat::Allowance;

/// Small enough for enumeration.
const SHAPE: random::Shape =
    random::Shape { inputs: 3, latches: 6, gates: 20, bads: 1, constraints: 1 };

fn accepted(system: &TransitionSystem, verdict: &Verdict) -> Option<()> {
    check_circuit(system, 0, verdict, &Allowance::default()).ok()
}

/// One step from a state under inputs: constraints hold, bad, next state.
fn step(system: &TransitionSystem, state: u32, inputs: u32) -> (bool, bool, u32) {
    let sources = system.sources().expect("well-formed");
    let words = Words::simulate(&system.aig, |k| match sources[k] {
        Source::Input(i) => u64::from(inputs >> i & 1),
        Source::Latch(l) => u64::from(state >> l & 1),
    });
    let bit = |edge| words.word(edge) & 1 == 1;
    let constrained = system.constraints.iter().all(|c| bit(c.edge));
    let next = system.latches.iter().enumerate();
    let next = next.fold(0, |next, (l, latch)| next | u32::from(bit(latch.next)) << l);
    (constrained, bit(system.bads[0].edge), next)
}

fn satisfies(state: u32, clauses: &[Clause]) -> bool {
    clauses.iter().all(|c| c.iter().any(|l| (state >> l.latch & 1 == 1) == l.value))
}

fn is_initial(system: &TransitionSystem, state: u32) -> bool {
    system
        .latches
        .iter()
        .enumerate()
        .all(|(l, latch)| latch.init.value().is_none_or(|value| (state >> l & 1 == 1) == value))
}

/// Initiation, consecution and safety, by enumeration.
fn is_inductive(system: &TransitionSystem, clauses: &[Clause]) -> bool {
    (0..1u32 << system.latches.len()).all(|state| {
        let inside = satisfies(state, clauses);
        if is_initial(system, state) && !inside {
            return false;
        }
        !inside
            || (0..1u32 << system.inputs.len()).all(|inputs| {
                let (constrained, bad, next) = step(system, state, inputs);
                !constrained || (!bad && satisfies(next, clauses))
            })
    })
}

fn mutated(rng: &mut StdRng, system: &TransitionSystem, clauses: &[Clause]) -> Vec<Clause> {
    let mut clauses = clauses.to_vec();
    let latches = system.latches.len();
    let which = if clauses.is_empty() { None } else { Some(rng.random_range(0..clauses.len())) };
    match (rng.random_range(0..4), which) {
        (0, Some(k)) => {
            clauses.remove(k);
        }
        (1, Some(k)) if !clauses[k].is_empty() => {
            let literal = rng.random_range(0..clauses[k].len());
            clauses[k].remove(literal);
        }
        (2, Some(k)) if !clauses[k].is_empty() => {
            let literal = rng.random_range(0..clauses[k].len());
            clauses[k][literal] = !clauses[k][literal];
        }
        _ if latches > 0 => {
            let literal = || LatchLit::new(0, true);
            let mut clause = vec![literal(); rng.random_range(1..=2)];
            for l in &mut clause {
                *l = LatchLit::new(rng.random_range(0..latches), rng.random());
            }
            clauses.push(clause);
        }
        _ => clauses.push(Vec::new()),
    }
    clauses
}

#[test]
fn verdicts_and_their_mutations() {
    let (mut proofs, mut rejected, mut traces) = (0, 0, 0);
    for seed in 0..400 {
        let system = random::system(seed, SHAPE);
        let mut rng = StdRng::seed_from_u64(seed);
        let verdict = check_system(&system, 0, &Options::default(), &Allowance::default(), &mut ())
            .expect("random systems have a property");
        match verdict {
            Verdict::Safe(Proof::Inductive(clauses)) => {
                proofs += 1;
                let original = Verdict::Safe(Proof::Inductive(clauses.clone()));
                assert_eq!(accepted(&system, &original), Some(()), "seed {seed}");
                for _ in 0..5 {
                    let clauses = mutated(&mut rng, &system, &clauses);
                    let holds = is_inductive(&system, &clauses);
                    let verdict = Verdict::Safe(Proof::Inductive(clauses));
                    assert_eq!(accepted(&system, &verdict).is_some(), holds, "seed {seed}");
                    rejected += usize::from(!holds);
                }
            }
            Verdict::Unsafe(trace) => {
                traces += 1;
                let original = Verdict::Unsafe(trace.clone());
                assert_eq!(accepted(&system, &original), Some(()), "seed {seed}");
                check_cut_traces(&system, &trace);
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(proofs > 50 && rejected > 200 && traces > 50, "{proofs} {rejected} {traces}");
}

/// Every prefix of a trace is accepted exactly if it ends in a bad step.
fn check_cut_traces(system: &TransitionSystem, trace: &Trace) {
    let number = |bits: &[Option<bool>]| {
        bits.iter().enumerate().fold(0, |n, (k, b)| n | u32::from(b.unwrap_or(false)) << k)
    };
    let mut state = number(&trace.initial);
    for (l, latch) in system.latches.iter().enumerate() {
        if trace.initial[l].is_none() && latch.init.value() == Some(true) {
            state |= 1 << l;
        }
    }
    for length in 1..=trace.inputs.len() {
        let (_, bad, next) = step(system, state, number(&trace.inputs[length - 1]));
        let cut = Trace { inputs: trace.inputs[..length].to_vec(), ..trace.clone() };
        assert_eq!(accepted(system, &Verdict::Unsafe(cut)).is_some(), bad);
        state = next;
    }
    let empty = Trace { inputs: Vec::new(), ..trace.clone() };
    assert_eq!(accepted(system, &Verdict::Unsafe(empty)), None);
}

#[test]
fn claims_of_k_induction() {
    let (mut right, mut wrong) = (0, 0);
    for seed in 0..150 {
        let system = random::system(seed, SHAPE);
        let unsafe_at = circuit::explicit::check(&system, 0).expect("small").depth();
        for k in 0..4 {
            for distinct in [false, true] {
                let verdict = Verdict::Safe(Proof::KInductive { k, distinct });
                let claim = accepted(&system, &verdict);
                if unsafe_at.is_some() {
                    assert_eq!(claim, None, "seed {seed}: k = {k} for an unsafe system");
                    wrong += 1;
                } else {
                    right += usize::from(claim.is_some());
                }
            }
        }
    }
    assert!(right > 50 && wrong > 50, "{right} {wrong}");
}

/// Whether no violation can be reached, by enumeration.
fn is_safe(system: &TransitionSystem) -> bool {
    let mut pending: Vec<u32> =
        (0..1u32 << system.latches.len()).filter(|s| is_initial(system, *s)).collect();
    let mut seen = pending.clone();
    while let Some(state) = pending.pop() {
        for inputs in 0..1u32 << system.inputs.len() {
            let (constrained, bad, next) = step(system, state, inputs);
            if constrained && bad {
                return false;
            }
            if constrained && !seen.contains(&next) {
                seen.push(next);
                pending.push(next);
            }
        }
    }
    true
}

/// A certificate circuit is accepted if the invariant in it is inductive, and never for a model
/// that is unsafe; one of another model is not accepted.
#[test]
fn certificate_circuits() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..300 {
        let system = random::system(seed, SHAPE);
        let mut rng = StdRng::seed_from_u64(seed);
        let clauses =
            match check_system(&system, 0, &Options::default(), &Allowance::default(), &mut ()) {
                Ok(Verdict::Safe(Proof::Inductive(clauses))) => clauses,
                _ => Vec::new(),
            };
        for round in 0..4 {
            let clauses =
                if round == 0 { clauses.clone() } else { mutated(&mut rng, &system, &clauses) };
            let circuit = certificate::circuit(&system, 0, &clauses).expect("clauses over latches");
            let file = aiger::write_binary(&circuit).expect("a well-formed circuit");
            let circuit = aiger::read(&file).expect("what was written can be read");
            let check = |model, circuit| {
                check_certificate(model, 0, circuit, &Allowance::default()).is_ok()
            };
            let holds = is_inductive(&system, &clauses);
            let passed = check(&system, &circuit);
            // The checks ask nothing of states that the constraints exclude, so they accept a
            // little more than the invariant's definition; never for a model that is unsafe.
            assert!(passed || !holds, "seed {seed}");
            assert!(!passed || is_safe(&system), "seed {seed}");
            accepted += usize::from(passed);
            rejected += usize::from(!passed);
            if holds && !system.latches.is_empty() {
                // Another step function, another reset: no longer this model.
                let mut other = circuit.clone();
                let latch = rng.random_range(0..other.latches.len());
                other.latches[latch].next = !other.latches[latch].next;
                assert_eq!(
                    check(&system, &other),
                    system_is_constrained_away(&system),
                    "seed {seed}: a changed step"
                );
            }
        }
    }
    assert!(accepted > 100 && rejected > 100, "{accepted} accepted, {rejected} rejected");
}

/// Whether no two steps in a row satisfy the constraints, so that steps say nothing.
fn system_is_constrained_away(system: &TransitionSystem) -> bool {
    let inputs = 1u32 << system.inputs.len();
    (0..1u32 << system.latches.len()).all(|state| {
        (0..inputs).all(|input| {
            let (constrained, _, next) = step(system, state, input);
            !constrained || (0..inputs).all(|input| !step(system, next, input).0)
        })
    })
}
