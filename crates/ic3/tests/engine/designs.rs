//! Small designs made by hand, with verdicts that are known by thought: counters, shift registers,
//! arbiters, queues.

use aig::Edge;
use circuit::verdict::{Proof, Verdict};
use circuit::{Init, TransitionSystem, replay};
use ic3::{Options, Statistics, check_system};
use sat::Allowance;

fn decide(system: &TransitionSystem) -> Verdict {
    let options = Options::default();
    let verdict = check_system(system, 0, &options, &Allowance::default(), &mut ())
        .expect("the system fits together");
    match &verdict {
        Verdict::Safe(Proof::Inductive(invariant)) => {
            crate::kit::check_invariant(system, 0, invariant, "a design");
        }
        Verdict::Unsafe(trace) => replay(system, trace, 0).expect("the trace replays"),
        Verdict::Safe(Proof::KInductive { .. }) => {}
        Verdict::Unknown(reason) => panic!("{reason}"),
    }
    verdict
}

fn is_safe(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Safe(_))
}

pub fn register(system: &mut TransitionSystem, bits: usize, init: Init) -> Vec<Edge> {
    (0..bits).map(|_| system.add_latch(init, None)).collect()
}

pub fn set_next(system: &mut TransitionSystem, register: &[Edge], next: &[Edge]) {
    for (state, next) in register.iter().zip(next) {
        let latch = system.latches.iter_mut().find(|l| l.state == *state);
        latch.expect("the register's latches belong to the system").next = *next;
    }
}

/// The register plus one, least significant bit first.
pub fn incremented(system: &mut TransitionSystem, register: &[Edge]) -> Vec<Edge> {
    let mut carry = Edge::TRUE;
    let mut sum = Vec::new();
    for bit in register {
        sum.push(system.aig.xor(*bit, carry));
        carry = system.aig.and(*bit, carry);
    }
    sum
}

pub fn equals(system: &mut TransitionSystem, register: &[Edge], value: usize) -> Edge {
    let bits = register.iter().enumerate().map(|(k, bit)| bit.xor(value >> k & 1 == 0));
    let bits: Vec<Edge> = bits.collect();
    system.aig.and_all(bits)
}

/// A counter that returns to 0 after `last`, counting only when enabled.
pub fn counter(bits: usize, last: usize, bad: usize) -> TransitionSystem {
    let mut system = TransitionSystem::new();
    let enable = system.add_input(None);
    let state = register(&mut system, bits, Init::Zero);
    let at_last = equals(&mut system, &state, last);
    let sum = incremented(&mut system, &state);
    let next: Vec<Edge> = state
        .iter()
        .zip(sum)
        .map(|(old, new)| {
            let new = system.aig.and(new, !at_last);
            system.aig.ite(enable, new, *old)
        })
        .collect();
    set_next(&mut system, &state, &next);
    let bad = equals(&mut system, &state, bad);
    system.add_bad(bad, None);
    system
}

#[test]
fn a_counter_never_exceeds_its_last_value() {
    assert!(is_safe(&decide(&counter(8, 200, 201))));
}

#[test]
fn a_counter_reaches_its_last_value() {
    let Verdict::Unsafe(trace) = decide(&counter(6, 40, 40)) else { panic!("40 is reachable") };
    assert!(trace.inputs.len() > 40);
}

#[test]
fn a_constraint_can_keep_a_counter_low() {
    let mut system = counter(5, 20, 12);
    let state: Vec<Edge> = system.latches.iter().map(|l| l.state).collect();
    let at_ten = equals(&mut system, &state, 10);
    system.add_constraint(!at_ten, None);
    assert!(is_safe(&decide(&system)));
}

#[test]
fn constraints_hold_at_the_bad_step_too() {
    let mut system = counter(4, 9, 5);
    let state: Vec<Edge> = system.latches.iter().map(|l| l.state).collect();
    let at_five = equals(&mut system, &state, 5);
    system.add_constraint(!at_five, None);
    assert!(is_safe(&decide(&system)));
}

/// A ring in which one token travels; with `free` the tokens start anywhere.
fn ring(length: usize, free: bool) -> TransitionSystem {
    let mut system = TransitionSystem::new();
    let step = system.add_input(None);
    let mut state = vec![system.add_latch(if free { Init::Free } else { Init::One }, None)];
    state.extend(register(&mut system, length - 1, if free { Init::Free } else { Init::Zero }));
    let next: Vec<Edge> = (0..length)
        .map(|k| system.aig.ite(step, state[(k + length - 1) % length], state[k]))
        .collect();
    set_next(&mut system, &state, &next);
    let bad = system.aig.and(state[0], state[length / 2]);
    system.add_bad(bad, None);
    system
}

#[test]
fn a_ring_keeps_its_single_token() {
    assert!(is_safe(&decide(&ring(12, false))));
}

#[test]
fn a_ring_without_reset_may_have_two_tokens() {
    let Verdict::Unsafe(trace) = decide(&ring(12, true)) else { panic!("two tokens are possible") };
    assert!(!trace.inputs.is_empty());
}

/// A round-robin arbiter: a token decides who is granted; grants are registered.
#[test]
fn an_arbiter_grants_one_at_a_time() {
    let mut system = TransitionSystem::new();
    let clients = 6;
    let requests: Vec<Edge> = (0..clients).map(|_| system.add_input(None)).collect();
    let mut token = vec![system.add_latch(Init::One, None)];
    token.extend(register(&mut system, clients - 1, Init::Zero));
    let grants = register(&mut system, clients, Init::Zero);
    let next_token: Vec<Edge> = (0..clients).map(|k| token[(k + clients - 1) % clients]).collect();
    let next_grants: Vec<Edge> =
        (0..clients).map(|k| system.aig.and(token[k], requests[k])).collect();
    set_next(&mut system, &token, &next_token);
    set_next(&mut system, &grants, &next_grants);
    let mut pairs = Vec::new();
    for i in 0..clients {
        for j in 0..i {
            pairs.push(system.aig.and(grants[i], grants[j]));
        }
    }
    let bad = system.aig.or_all(pairs);
    system.add_bad(bad, None);
    assert!(is_safe(&decide(&system)));
}

/// A queue of one-bit items as a shift register with an occupancy counter, beside a model that
/// watches one item: `capacity` items fit; pushing into a full queue is ignored where `guarded`.
pub fn queue(guarded: bool) -> TransitionSystem {
    let (bits, capacity) = (4, 8);
    let mut system = TransitionSystem::new();
    let (push, pop) = (system.add_input(None), system.add_input(None));
    let count = register(&mut system, bits, Init::Zero);
    let (full, empty) = (equals(&mut system, &count, capacity), equals(&mut system, &count, 0));
    let pushes = if guarded { system.aig.and(push, !full) } else { push };
    let pops = system.aig.and(pop, !empty);
    let grows = system.aig.and(pushes, !pops);
    let shrinks = system.aig.and(pops, !pushes);
    let more = incremented(&mut system, &count);
    // x - 1 = ¬(¬x + 1)
    let inverted: Vec<Edge> = count.iter().map(|b| !*b).collect();
    let less: Vec<Edge> = incremented(&mut system, &inverted).iter().map(|b| !*b).collect();
    let next: Vec<Edge> = (0..bits)
        .map(|k| {
            let stays = system.aig.ite(shrinks, less[k], count[k]);
            system.aig.ite(grows, more[k], stays)
        })
        .collect();
    set_next(&mut system, &count, &next);
    let beyond = equals(&mut system, &count, capacity + 1);
    system.add_bad(beyond, None);
    system
}

#[test]
fn a_guarded_queue_does_not_overflow() {
    assert!(is_safe(&decide(&queue(true))));
}

#[test]
fn an_unguarded_queue_overflows() {
    let Verdict::Unsafe(trace) = decide(&queue(false)) else { panic!("nine pushes overflow it") };
    assert!(trace.inputs.len() >= 10);
}

/// Two copies of a shift register fed alike never differ.
#[test]
fn equal_shift_registers_stay_equal() {
    let mut system = TransitionSystem::new();
    let input = system.add_input(None);
    let copies = [register(&mut system, 20, Init::Zero), register(&mut system, 20, Init::Zero)];
    for copy in &copies {
        let next: Vec<Edge> = std::iter::once(input).chain(copy[..19].iter().copied()).collect();
        set_next(&mut system, copy, &next);
    }
    let bad = system.aig.xor(copies[0][19], copies[1][19]);
    system.add_bad(bad, None);
    assert!(is_safe(&decide(&system)));
}

#[test]
fn properties_without_latches_are_decided() {
    let mut system = TransitionSystem::new();
    let input = system.add_input(None);
    system.add_bad(Edge::FALSE, None);
    system.add_bad(input, None);
    system.add_bad(Edge::TRUE, None);
    let (options, allowance) = (Options::default(), Allowance::default());
    let verdicts: Vec<bool> = (0..3)
        .map(|bad| {
            let verdict = check_system(&system, bad, &options, &allowance, &mut ());
            is_safe(&verdict.expect("the system fits together"))
        })
        .collect();
    assert_eq!(verdicts, [true, false, false]);
    let absent = check_system(&system, 3, &options, &allowance, &mut ());
    assert!(absent.is_err());
}

#[test]
fn equal_runs_are_equal_and_observed() {
    let system = counter(8, 150, 160);
    let run = || {
        let mut statistics = Statistics::default();
        let (options, allowance) = (Options::default(), Allowance::default());
        let verdict = check_system(&system, 0, &options, &allowance, &mut statistics);
        (verdict, statistics.queries, statistics.lemmas, statistics.frames)
    };
    let (first, second) = (run(), run());
    assert_eq!(first, second);
    assert!(first.1.iter().sum::<u64>() > 0 && first.2 > 0 && first.3 > 0);
}

#[test]
fn a_raised_interrupt_and_a_past_deadline_end_the_run() {
    let system = counter(8, 200, 201);
    let allowance = Allowance::default();
    allowance.interrupt.raise();
    let options = Options::default();
    let verdict = check_system(&system, 0, &options, &allowance, &mut ());
    assert!(matches!(verdict, Ok(Verdict::Unknown(_))));
    let allowance = Allowance::default().until(std::time::Instant::now());
    let verdict = check_system(&system, 0, &options, &allowance, &mut ());
    assert!(matches!(verdict, Ok(Verdict::Unknown(_))));
}
