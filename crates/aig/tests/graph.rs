//! The constructors compute what they say, and the table keeps its invariants.

use aig::simulate::Words;
use aig::{Aig, Edge, Node};
use proptest::prelude::*;

const INPUTS: usize = 6;

/// The patterns of six inputs: together all their 64 valuations.
fn pattern(input: usize) -> u64 {
    [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ][input]
}

/// One call of a constructor; operands are chosen among all edges so far.
#[derive(Clone, Debug)]
enum Call {
    And(usize, usize),
    Or(usize, usize),
    Xor(usize, usize),
    Iff(usize, usize),
    Implies(usize, usize),
    Ite(usize, usize, usize),
    AndAll(Vec<usize>),
    OrAll(Vec<usize>),
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let n = any::<usize>;
    let some = || proptest::collection::vec(any::<usize>(), 0..6);
    let call = prop_oneof![
        4 => (n(), n()).prop_map(|(a, b)| Call::And(a, b)),
        1 => (n(), n()).prop_map(|(a, b)| Call::Or(a, b)),
        1 => (n(), n()).prop_map(|(a, b)| Call::Xor(a, b)),
        1 => (n(), n()).prop_map(|(a, b)| Call::Iff(a, b)),
        1 => (n(), n()).prop_map(|(a, b)| Call::Implies(a, b)),
        2 => (n(), n(), n()).prop_map(|(c, t, e)| Call::Ite(c, t, e)),
        1 => some().prop_map(Call::AndAll),
        1 => some().prop_map(Call::OrAll),
    ];
    proptest::collection::vec(call, 0..60)
}

/// Performs the calls; every edge with the function it must have.
fn build(aig: &mut Aig, calls: &[Call]) -> Vec<(Edge, u64)> {
    let mut made = vec![(Edge::FALSE, 0)];
    for input in 0..INPUTS {
        made.push((aig.input(), pattern(input)));
    }
    for call in calls {
        let get = |k: usize| {
            let (edge, word) = made[k / 2 % made.len()];
            if k % 2 == 1 { (!edge, !word) } else { (edge, word) }
        };
        let pair = |a, b| (get(a), get(b));
        let new = match call {
            Call::And(a, b) => {
                let ((a, x), (b, y)) = pair(*a, *b);
                (aig.and(a, b), x & y)
            }
            Call::Or(a, b) => {
                let ((a, x), (b, y)) = pair(*a, *b);
                (aig.or(a, b), x | y)
            }
            Call::Xor(a, b) => {
                let ((a, x), (b, y)) = pair(*a, *b);
                (aig.xor(a, b), x ^ y)
            }
            Call::Iff(a, b) => {
                let ((a, x), (b, y)) = pair(*a, *b);
                (aig.iff(a, b), !(x ^ y))
            }
            Call::Implies(a, b) => {
                let ((a, x), (b, y)) = pair(*a, *b);
                (aig.implies(a, b), !x | y)
            }
            Call::Ite(c, t, e) => {
                let ((c, x), (t, y)) = pair(*c, *t);
                let (e, z) = get(*e);
                (aig.ite(c, t, e), (x & y) | (!x & z))
            }
            Call::AndAll(all) => {
                let (edges, words): (Vec<Edge>, Vec<u64>) = all.iter().map(|k| get(*k)).unzip();
                (aig.and_all(edges), words.iter().fold(!0, |w, x| w & x))
            }
            Call::OrAll(all) => {
                let (edges, words): (Vec<Edge>, Vec<u64>) = all.iter().map(|k| get(*k)).unzip();
                (aig.or_all(edges), words.iter().fold(0, |w, x| w | x))
            }
        };
        made.push(new);
    }
    made
}

fn assert_invariants(aig: &Aig) {
    assert_eq!(aig.node(0), Node::False);
    let mut seen = std::collections::HashSet::new();
    let mut inputs = aig.inputs();
    for (index, node) in aig.nodes().iter().enumerate().skip(1) {
        match *node {
            Node::False => panic!("a second constant"),
            Node::Input => assert_eq!(inputs.next(), Some(Edge::new(index, false))),
            Node::And(a, b) => {
                assert!(a > b, "the larger operand first, and not twice the same");
                assert!(a.node() < index && b.node() != a.node());
                assert!(b.as_constant().is_none(), "constants are folded");
                assert!(seen.insert((a, b)), "equal conjunctions are one node");
            }
        }
    }
    assert_eq!(inputs.next(), None);
}

proptest! {
    #[test]
    fn constructors_compute_their_functions(calls in calls()) {
        let mut aig = Aig::new();
        let made = build(&mut aig, &calls);
        assert_invariants(&aig);
        let words = Words::simulate(&aig, pattern);
        for (edge, word) in &made {
            prop_assert_eq!(words.word(*edge), *word);
            prop_assert_eq!(words.word(!*edge), !*word);
        }
        // Asking for what is there makes nothing new, in either order of the operands.
        let size = aig.len();
        for (index, node) in aig.nodes().to_vec().into_iter().enumerate() {
            if let Node::And(a, b) = node {
                prop_assert_eq!(aig.and(a, b), Edge::new(index, false));
                prop_assert_eq!(aig.and(b, a), Edge::new(index, false));
            }
        }
        prop_assert_eq!(aig.len(), size);
    }
}

#[test]
fn one_level_of_folding() {
    let mut aig = Aig::new();
    let (a, b) = (aig.input(), aig.input());
    let ab = aig.and(a, b);
    let size = aig.len();
    assert_eq!(aig.and(ab, a), ab);
    assert_eq!(aig.and(ab, !b), Edge::FALSE);
    assert_eq!(aig.len(), size);
    let not_b = aig.and(a, !b);
    assert_eq!(aig.and(!ab, a), not_b, "a ∧ ¬(a ∧ b) = a ∧ ¬b");
    assert_eq!(aig.and(!ab, !b), !b, "¬b ∧ ¬(a ∧ b) = ¬b");
    assert_eq!(aig.and(a, a), a);
    assert_eq!(aig.and(a, !a), Edge::FALSE);
    assert_eq!(aig.and(a, Edge::TRUE), a);
    assert_eq!(aig.and_all([]), Edge::TRUE);
    assert_eq!(aig.or_all([]), Edge::FALSE);
    assert_eq!(aig.or_all([a]), a);
}

#[test]
fn exclusive_ors_of_the_same_nodes_are_shared() {
    let mut aig = Aig::new();
    let (a, b) = (aig.input(), aig.input());
    let x = aig.xor(a, b);
    let size = aig.len();
    assert_eq!(aig.xor(!a, b), !x);
    assert_eq!(aig.xor(b, !a), !x);
    assert_eq!(aig.iff(!b, !a), !x);
    assert_eq!(aig.ite(a, !b, b), x);
    assert_eq!(aig.len(), size);
}

#[test]
fn edges_and_their_codes() {
    let edge = Edge::new(21, true);
    assert_eq!((edge.node(), edge.is_inverted(), edge.code()), (21, true, 43));
    assert_eq!(Edge::from_code(43), edge);
    assert_eq!((!edge).plain(), edge.plain());
    assert_eq!(edge.xor(true), !edge);
    assert_eq!(Edge::constant(true), Edge::TRUE);
    assert_eq!((Edge::TRUE.as_constant(), edge.as_constant()), (Some(true), None));
    assert_eq!(
        (format!("{edge:?}"), format!("{:?}", Edge::FALSE)),
        ("¬n21".into(), "false".into())
    );
}
