//! Traces and certificates: replay refuses everything that is no violation, the witness format
//! keeps traces, and certificate circuits satisfy what checkers ask.

mod support;

use circuit::aiger::{self, Claim, Witness, read_witnesses, write_witnesses};
use circuit::certificate::{self, CertificateError};
use circuit::explicit::{Explicit, Outcome};
use circuit::random::{self, Random, Shape};
use circuit::{Clause, LatchLit, ReplayError, Trace, TransitionSystem, replay};
use proptest::prelude::*;

const SHAPE: Shape = Shape { inputs: 3, latches: 5, gates: 40, bads: 2, constraints: 2 };

/// A latch that follows its input, under the constraint that the input is true after reset.
fn follower() -> TransitionSystem {
    let file = b"aag 3 1 2 0 0 1 1\n2\n4 2\n6 6 6\n4\n2\n";
    aiger::read(file).expect("a valid file")
}

fn trace(initial: &[Option<bool>], inputs: &[Option<bool>]) -> Trace {
    Trace { initial: initial.to_vec(), inputs: inputs.iter().map(|i| vec![*i]).collect() }
}

#[test]
fn replay_accepts_violations_only() {
    let system = follower();
    let good = trace(&[Some(false), Some(true)], &[Some(true), Some(true)]);
    assert_eq!(replay(&system, &good, 0), Ok(()));
    let open = trace(&[None, None], &[Some(true), Some(true)]);
    assert_eq!(replay(&system, &open, 0), Ok(()), "open latches start with their resets");

    let wrong = |t: &Trace, bad| replay(&system, t, bad).expect_err("no violation");
    assert_eq!(wrong(&good, 1), ReplayError::NoSuchBad { bad: 1, count: 1 });
    let reset = trace(&[Some(true), None], &[Some(true)]);
    assert_eq!(wrong(&reset, 0), ReplayError::Reset { latch: 0, value: true });
    let short = trace(&[None, None], &[Some(true)]);
    assert_eq!(wrong(&short, 0), ReplayError::NotBad { bad: 0, step: 0 });
    let constrained = trace(&[None, None], &[Some(true), Some(false)]);
    assert_eq!(wrong(&constrained, 0), ReplayError::Constraint { constraint: 0, step: 1 });
    let open_input = trace(&[None, None], &[None, Some(true)]);
    assert_eq!(wrong(&open_input, 0), ReplayError::Constraint { constraint: 0, step: 0 });
    assert_eq!(wrong(&trace(&[None, None], &[]), 0), ReplayError::Empty);
    assert!(matches!(wrong(&trace(&[None], &[None]), 0), ReplayError::Length { .. }));
    let mut long = good.clone();
    long.inputs[1].push(None);
    assert!(matches!(wrong(&long, 0), ReplayError::Length { .. }));
}

/// Changing one value of a violation either gives another violation or is refused, as the
/// explicit graph says.
#[test]
fn replay_agrees_with_the_explicit_graph() {
    let mut refused = 0;
    for seed in 0..300 {
        let system = random::system(seed, SHAPE);
        let explicit = Explicit::new(&system).expect("small");
        let Outcome::Unsafe(mut trace) = explicit.search(0) else { continue };
        let mut random = Random::new(seed);
        for values in std::iter::once(&mut trace.initial).chain(&mut trace.inputs) {
            for value in values {
                if random.one_in(4) {
                    *value = value.map(|v| !v);
                }
            }
        }
        let word = |values: &[Option<bool>]| {
            values.iter().enumerate().fold(0, |w, (k, v)| w | usize::from(v == &Some(true)) << k)
        };
        let mut state = Some(word(&trace.initial));
        state = state.filter(|s| explicit.initial_states().contains(s));
        let mut bad = false;
        for inputs in &trace.inputs {
            let steps = state.map(|s| explicit.steps(s)).unwrap_or_default();
            let step = steps.into_iter().find(|s| s.inputs == word(inputs));
            bad = step.is_some_and(|s| s.bads & 1 == 1);
            state = step.map(|s| s.next);
        }
        assert_eq!(replay(&system, &trace, 0).is_ok(), bad);
        refused += usize::from(!bad);
    }
    assert!(refused > 30, "{refused} changed traces are no violations");
}

fn any_witness() -> impl Strategy<Value = Witness> {
    let bits = |n| proptest::collection::vec(proptest::option::of(any::<bool>()), n);
    let trace = (0..6usize, 0..4usize, 0..5usize).prop_flat_map(move |(l, i, steps)| {
        (bits(l), proptest::collection::vec(bits(i), steps))
            .prop_map(|(initial, inputs)| Trace { initial, inputs })
    });
    let claim = prop_oneof![
        4 => trace.prop_map(Claim::Violated),
        1 => Just(Claim::Holds),
        1 => Just(Claim::Unknown),
    ];
    (proptest::collection::vec(0..40usize, 1..4), claim)
        .prop_map(|(bads, claim)| Witness { bads, claim })
}

proptest! {
    #[test]
    fn witnesses_round_trip(witnesses in proptest::collection::vec(any_witness(), 0..4)) {
        let text = write_witnesses(&witnesses);
        prop_assert_eq!(read_witnesses(&text), Ok(witnesses));
    }

    #[test]
    fn arbitrary_witnesses_never_panic(bytes in "[01x.bcu\n 2-]{0,60}") {
        let _ = read_witnesses(bytes.as_bytes());
    }
}

#[test]
fn witness_files() {
    let read = |text: &str| read_witnesses(text.as_bytes());
    let one = read("c comment\n1\nb0b2\nu 3\n01x\n1\n0\n.\n").expect("valid");
    assert_eq!(one[0].bads, [0, 2]);
    let Claim::Violated(trace) = &one[0].claim else { panic!("a violation") };
    assert_eq!(trace.initial, [Some(false), Some(true), None]);
    assert_eq!(trace.inputs, [vec![Some(true)], vec![Some(false)]]);
    assert_eq!(read("").expect("nothing is claimed"), []);
    assert_eq!(read("0\nb0\n.\n2\nb1\n.\n").expect("two claims").len(), 2);
    // Without latches and inputs the lines are empty.
    let Claim::Violated(empty) = &read("1\nb0\n\n\n\n.\n").expect("valid")[0].claim else {
        panic!("a violation")
    };
    assert_eq!((empty.initial.len(), empty.inputs.len()), (0, 2));
    for (text, line, column) in [
        ("3\n", 1, 1),
        ("1\n", 2, 1),
        ("1\nj0\n", 2, 1),
        ("1\nb\n", 2, 1),
        ("1\nb0 b1\n", 2, 1),
        ("1\nb0\n0a\n", 3, 2),
        ("1\nb0\n0\n1\n", 5, 1),
        ("0\nb0\n1\n", 3, 1),
        ("1\nb99999999999999999999\n", 2, 1),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!(error.place, circuit::Place::Text { line, column }, "{text:?}: {error}");
    }
}

/// All reachable states, as the conjunction of the negations of the others.
fn exact_invariant(system: &TransitionSystem) -> Vec<Clause> {
    let reachable = Explicit::new(system).expect("small").reachable();
    let others = (0..1usize << system.latches.len()).filter(|s| !reachable.contains(s));
    others
        .map(|s| (0..system.latches.len()).map(|l| LatchLit::new(l, s >> l & 1 == 0)).collect())
        .collect()
}

/// Base and step, as the checker asks them: over all states of the certificate.
fn is_inductive(certificate: &TransitionSystem) -> bool {
    let explicit = Explicit::new(certificate).expect("small");
    let safe = |state: usize| explicit.steps(state).iter().all(|s| s.bads & 1 == 0);
    let base = explicit.initial_states().into_iter().all(safe);
    let mut steps =
        (0..1usize << certificate.latches.len()).flat_map(|state| explicit.steps(state));
    base && steps.all(|s| s.bads & 1 == 1 || safe(s.next))
}

#[test]
fn certificates_are_inductive_where_the_invariant_is() {
    let (mut proved, mut refused) = (0, 0);
    for seed in 0..300 {
        let system = random::system(seed, SHAPE);
        for bad in 0..system.bads.len() {
            let invariant = exact_invariant(&system);
            let safe =
                matches!(Explicit::new(&system).expect("small").search(bad), Outcome::Safe { .. });
            let certificate =
                certificate::circuit(&system, bad, &invariant).expect("latches exist");
            assert_eq!(is_inductive(&certificate), safe);
            // What is written is what was meant, and inputs and latches keep their order.
            let written = aiger::write_binary(&certificate).expect("well formed");
            let read = aiger::read(&written).expect("valid");
            assert_eq!(is_inductive(&read), safe);
            assert_eq!(read.inputs.len(), system.inputs.len());
            assert_eq!(read.latches.len(), system.latches.len());
            assert_simulates(&read, &system, bad);
            // A clause too few is usually one too few.
            if safe && !is_inductive(&certificate::circuit(&system, bad, &[]).expect("valid")) {
                refused += 1;
            }
            proved += usize::from(safe);
        }
    }
    assert!(proved > 50 && refused > 5, "{proved} proved, {refused} need their invariant");
}

/// Reset, transition and property: same steps in the same states, and the certificate's property
/// implies the model's.
fn assert_simulates(certificate: &TransitionSystem, model: &TransitionSystem, bad: usize) {
    let (ours, theirs) =
        (Explicit::new(certificate).expect("small"), Explicit::new(model).expect("small"));
    assert_eq!(ours.initial_states(), theirs.initial_states());
    for state in 0..1usize << model.latches.len() {
        let (a, b) = (ours.steps(state), theirs.steps(state));
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(&b) {
            assert_eq!((a.inputs, a.next), (b.inputs, b.next));
            assert!(b.bads >> bad & 1 == 0 || a.bads & 1 == 1);
        }
    }
}

#[test]
fn certificates_of_nothing() {
    let system = follower();
    let no_bad = certificate::circuit(&system, 1, &[]).map(drop);
    assert_eq!(no_bad, Err(CertificateError::NoSuchBad { bad: 1, count: 1 }));
    let no_latch = certificate::circuit(&system, 0, &[vec![LatchLit::new(9, true)]]).map(drop);
    assert_eq!(no_latch, Err(CertificateError::NoSuchLatch(9)));
}
