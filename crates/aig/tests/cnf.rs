//! The encoding means what the graph means: answers and models are compared with all 64
//! valuations of six inputs, with both solvers.

use aig::simulate::Words;
use aig::{Aig, Edge, Encoder};
use proptest::prelude::*;
use sat::cadical::Cadical;
use sat::{Answer, ConeSolver, Solver};

const INPUTS: usize = 6;

/// All 64 valuations: bit p of the word of input k is bit k of p.
fn pattern(input: usize) -> u64 {
    (0..64).filter(|p| p >> input & 1 == 1).fold(0, |w, p| w | 1 << p)
}

/// A graph from numbers: each gate is a conjunction, an exclusive-or or a multiplexer.
fn graph(choices: &[(u8, usize, usize, usize)]) -> (Aig, Vec<Edge>) {
    let mut aig = Aig::new();
    let mut edges = vec![Edge::FALSE];
    edges.extend((0..INPUTS).map(|_| aig.input()));
    for (kind, a, b, c) in choices {
        let get = |k: usize| edges[k / 2 % edges.len()].xor(k % 2 == 1);
        let (a, b, c) = (get(*a), get(*b), get(*c));
        let edge = match kind % 4 {
            0 | 1 => aig.and(a, b),
            2 => aig.xor(a, b),
            _ => aig.ite(a, b, c),
        };
        edges.push(edge);
    }
    (aig, edges)
}

fn choices() -> impl Strategy<Value = Vec<(u8, usize, usize, usize)>> {
    proptest::collection::vec(any::<(u8, usize, usize, usize)>(), 1..40)
}

/// The valuation that the solver's model gives, as the number of the pattern; open inputs get
/// the value of `open`.
fn valuation<S: Solver>(aig: &Aig, encoder: &Encoder, solver: &S, open: bool) -> usize {
    aig.inputs().enumerate().fold(0, |p, (k, input)| {
        let value = encoder.known(input).and_then(|l| solver.value(l)).unwrap_or(open);
        p | usize::from(value) << k
    })
}

fn check_literals<S: Solver + Default>(aig: &Aig, edges: &[Edge]) {
    let words = Words::simulate(aig, pattern);
    let (mut solver, mut encoder) = (S::default(), Encoder::new());
    for pair in edges.windows(2) {
        let [a, b] = [pair[0], !pair[1]];
        let lits = [a, b].map(|e| encoder.lit(aig, &mut solver, e));
        // SAT? a ∧ b
        let answer = solver.solve(&lits);
        let models = words.word(a) & words.word(b);
        assert_eq!(answer == Answer::Sat, models != 0, "{a:?} ∧ {b:?}");
        if answer == Answer::Sat {
            for open in [false, true] {
                let p = valuation(aig, &encoder, &solver, open);
                assert!(models >> p & 1 == 1, "the model is one, whatever is open");
            }
        }
        assert_eq!(encoder.known(a), Some(lits[0]));
        assert_eq!(encoder.known(!a), Some(!lits[0]));
    }
}

fn check_assertions<S: Solver + Default>(aig: &Aig, edges: &[Edge]) {
    let words = Words::simulate(aig, pattern);
    let (mut solver, mut encoder) = (S::default(), Encoder::new());
    let mut models = !0u64;
    for (k, edge) in edges.iter().rev().enumerate().take(6) {
        let edge = edge.xor(k % 2 == 1);
        if k % 3 == 0 {
            encoder.lit(aig, &mut solver, edge);
        }
        encoder.assert(aig, &mut solver, edge);
        models &= words.word(edge);
        // SAT? ⋀ asserted edges
        assert_eq!(solver.solve(&[]) == Answer::Sat, models != 0);
        for input in aig.inputs() {
            let lit = encoder.lit(aig, &mut solver, input);
            for (lit, word) in [(lit, words.word(input)), (!lit, !words.word(input))] {
                // SAT? ⋀ asserted edges ∧ input
                assert_eq!(solver.solve(&[lit]) == Answer::Sat, models & word != 0);
            }
        }
    }
}

proptest! {
    #[test]
    fn literals_are_equivalent_to_their_edges(choices in choices()) {
        let (aig, edges) = graph(&choices);
        check_literals::<ConeSolver>(&aig, &edges);
        check_literals::<Cadical>(&aig, &edges);
    }

    #[test]
    fn assertions_are_equivalent_to_their_edges(choices in choices()) {
        let (aig, edges) = graph(&choices);
        check_assertions::<ConeSolver>(&aig, &edges);
        check_assertions::<Cadical>(&aig, &edges);
    }
}

#[test]
fn bound_inputs_keep_their_literal() {
    let mut aig = Aig::new();
    let (a, b) = (aig.input(), aig.input());
    let both = aig.and(a, b);
    let (mut solver, mut encoder) = (ConeSolver::default(), Encoder::new());
    let shared = solver.new_var().pos();
    encoder.bind(a, shared);
    encoder.bind(!b, shared);
    assert_eq!(encoder.lit(&aig, &mut solver, b), !shared);
    let both = encoder.lit(&aig, &mut solver, both);
    // SAT? a ∧ b, where b was bound to ¬a
    assert_eq!(solver.solve(&[both]), Answer::Unsat);
}

/// Shared conjunctions are asserted once, not once per path to them.
#[test]
fn asserting_shared_conjunctions_takes_linear_time() {
    let mut aig = Aig::new();
    let mut top = aig.input();
    let first = top;
    for _ in 0..200 {
        let (p, q) = (aig.input(), aig.input());
        let (left, right) = (aig.and(top, p), aig.and(top, q));
        top = aig.and(left, right);
    }
    let (mut solver, mut encoder) = (ConeSolver::default(), Encoder::new());
    encoder.assert(&aig, &mut solver, top);
    let first = encoder.lit(&aig, &mut solver, first);
    // SAT? top ∧ ¬first
    assert_eq!(solver.solve(&[!first]), Answer::Unsat);
}

/// No recursion over the depth of the graph.
#[test]
fn deep_graphs() {
    let mut aig = Aig::new();
    let (a, b) = (aig.input(), aig.input());
    let mut top = a;
    for k in 0..100_000 {
        top = if k % 2 == 0 { aig.and(!top, b) } else { aig.and(!top, a) };
    }
    let (mut solver, mut encoder) = (ConeSolver::default(), Encoder::new());
    encoder.lit(&aig, &mut solver, top);
    Encoder::new().assert(&aig, &mut ConeSolver::default(), top);
}
