//! Circuits with several properties: each has its answer, and one that is too hard takes nothing from
//! the others.

use answer::{Exhausted, Verdict};
use circuit::aiger::write_ascii;
use circuit::{Init, TransitionSystem};
use std::time::{Duration, Instant};
use verify::outcome::{Answer, Finding};
use verify::{
    Board, Input, Language, Limits, Listener, Question, Reading, Task, decide, decide_with,
    languages,
};

/// Bits that count up from zero, while `go` holds.
fn counter(system: &mut TransitionSystem, width: usize) -> Vec<aig::Edge> {
    let go = system.add_input(None);
    let bits: Vec<_> = (0..width).map(|_| system.add_latch(Init::constant(false), None)).collect();
    let mut carry = go;
    for (number, bit) in bits.iter().enumerate() {
        let next = system.aig.xor(*bit, carry);
        carry = system.aig.and(*bit, carry);
        let latch = system.latches.len() - width + number;
        system.latches[latch].next = next;
    }
    bits
}

/// A multiplier whose product of two registers that grow is compared with a constant: hard.
fn hard(system: &mut TransitionSystem) -> aig::Edge {
    const WIDTH: usize = 28;
    let (a, b) = (counter(system, WIDTH), counter(system, WIDTH));
    let mut sum = vec![aig::Edge::constant(false); 2 * WIDTH];
    for (shift, &factor) in b.iter().enumerate() {
        let mut carry = aig::Edge::constant(false);
        for (at, digit) in sum.iter_mut().enumerate().skip(shift) {
            let bit = a.get(at - shift).copied().unwrap_or(aig::Edge::constant(false));
            let term = system.aig.and(bit, factor);
            let (x, y) = (*digit, system.aig.xor(term, carry));
            let both = system.aig.and(term, carry);
            let with = system.aig.and(x, y);
            carry = system.aig.or(both, with);
            *digit = system.aig.xor(x, y);
        }
    }
    // A product of two large primes: only one pair of factors makes it true.
    let product: u64 = 268_435_399 * 268_435_367;
    let equal = (0..2 * WIDTH).map(|at| sum[at].xor(product >> at & 1 == 0));
    let equal: Vec<_> = equal.collect();
    system.aig.and_all(equal)
}

fn task(system: &TransitionSystem) -> Task {
    let text = write_ascii(system).expect("a well-formed system");
    let input = Input::Text { name: "goals.aag".to_owned(), text };
    languages::Aiger.read(&[input], &Reading::default()).expect("a circuit")
}

/// The first property is too hard, the others are easy: even ones safe, odd ones unsafe.
fn several(easy: usize) -> TransitionSystem {
    let mut system = TransitionSystem::new();
    let bad = hard(&mut system);
    system.add_bad(bad, Some("hard".to_owned()));
    for number in 0..easy {
        let bits = counter(&mut system, 4);
        // Two copies of one counter agree, or a counter comes to its end.
        let bad = match number % 2 {
            0 => {
                let both = system.aig.and(bits[0], bits[3]);
                let not = system.aig.and(both, !bits[3]);
                let latch = system.add_latch(Init::constant(false), None);
                let at = system.latches.len() - 1;
                let keeps = system.aig.and(latch, bits[1]);
                system.latches[at].next = system.aig.or(keeps, not);
                latch
            }
            _ => system.aig.and_all(bits),
        };
        system.add_bad(bad, None);
    }
    system
}

struct Told(Vec<(String, Instant)>);

impl Listener for Told {
    fn answered(&mut self, answer: &Answer) {
        self.0.push((answer.goal.to_string(), Instant::now()));
    }
}

#[test]
fn one_hard_property_leaves_the_others_their_time() {
    let task = task(&several(6));
    for jobs in [1, 2] {
        let limits = Limits { time: Some(Duration::from_secs(8)), ..Limits::default() };
        let mut question = Question { limits, ..Question::new(&task) };
        question.settings.jobs = Some(jobs);
        let (mut told, begun) = (Told(Vec::new()), Instant::now());
        let outcome = decide_with(&question, &Board::default(), &mut told).expect("no defect");
        for (number, answer) in outcome.answers.iter().enumerate().skip(1) {
            let expected = if number % 2 == 1 { Verdict::Safe } else { Verdict::Unsafe };
            assert_eq!(answer.finding.verdict(), expected, "property {number}");
        }
        match &outcome.answers[0].finding {
            Finding::Unknown(reason) => assert_eq!(reason.exhausted(), Some(Exhausted::Time)),
            other => assert_eq!(other.verdict(), Verdict::Unsafe),
        }
        let easy: Vec<_> = told.0.iter().filter(|(goal, _)| goal != "b0 hard").collect();
        assert_eq!(easy.len(), 6);
        for (goal, at) in easy {
            assert!(at.duration_since(begun) < Duration::from_secs(6), "{goal} came late");
        }
    }
}

#[test]
fn what_is_found_for_one_goal_answers_others() {
    // The same violation under two names, and the same proof.
    let mut system = TransitionSystem::new();
    let bits = counter(&mut system, 3);
    let all = system.aig.and_all(bits.clone());
    system.add_bad(all, None);
    system.add_bad(all, None);
    let stuck = system.add_latch(Init::constant(false), None);
    let at = system.latches.len() - 1;
    system.latches[at].next = system.aig.and(stuck, bits[0]);
    system.add_bad(stuck, None);
    let both = system.aig.and(stuck, bits[1]);
    system.add_bad(both, None);
    let task = task(&system);
    let outcome = decide(&Question::new(&task)).expect("no defect");
    let verdicts: Vec<Verdict> = outcome.answers.iter().map(|a| a.finding.verdict()).collect();
    assert_eq!(verdicts, [Verdict::Unsafe, Verdict::Unsafe, Verdict::Safe, Verdict::Safe]);
}
