//! The audit on small explicit graphs: it finds a broken invariant exactly where sets of states
//! say that one is broken.

use lemmas::audit::{Broken, Frame, Questions};
use lemmas::{Cube, Frames, INFINITE, audit};
use proptest::prelude::*;
use sat::{Lit, Var};
use std::convert::Infallible;

const NODES: usize = 2;
const BITS: usize = 3;
const STATES: usize = 1 << BITS;

/// A set of states of all nodes, one bit each.
type Set = u32;

fn bit(node: usize, state: usize) -> Set {
    1 << (node * STATES + state)
}

fn is_in(cube: &Cube<Lit>, state: usize) -> bool {
    cube.literals().iter().all(|l| (state >> l.var().index() & 1 == 1) == l.is_pos())
}

/// The states of a node in a cube.
fn states_of(node: usize, cube: &Cube<Lit>) -> Set {
    (0..STATES).filter(|s| is_in(cube, *s)).fold(0, |set, s| set | bit(node, s))
}

#[derive(Clone, Debug)]
struct Graph {
    initial: Set,
    bad: Set,
    /// The successors of each state of each node.
    next: Vec<Set>,
}

impl Graph {
    fn image(&self, set: Set) -> Set {
        let members = (0..NODES * STATES).filter(|i| set >> i & 1 == 1);
        members.fold(0, |image, i| image | self.next[i])
    }

    fn frame(&self, frames: &Frames<usize, Lit>, index: usize) -> Set {
        if index == 0 {
            return self.initial;
        }
        let all = frames.nodes().flat_map(|node| (0..STATES).map(move |s| bit(node, s)));
        let excluded = frames.nodes().flat_map(|node| {
            frames.lemmas(node, index).map(move |lemma| states_of(node, lemma)).collect::<Vec<_>>()
        });
        all.fold(0, |a, b| a | b) & !excluded.fold(0, |a, b| a | b)
    }

    /// The invariants as inclusions of sets, in the order of the audit.
    fn broken(&self, frames: &Frames<usize, Lit>) -> Option<&'static str> {
        let f = |i| self.frame(frames, i);
        let frontier = frames.frontier();
        if self.initial & !f(1) != 0 {
            return Some("initiation");
        }
        for i in 0..frontier {
            if f(i) & self.bad != 0 {
                return Some("safety");
            }
            if self.image(f(i)) & !f(i + 1) != 0 {
                return Some("consecution");
            }
        }
        (self.image(f(INFINITE)) & !f(INFINITE) != 0).then_some("infinite")
    }
}

/// Answers by enumeration; makes a set when the frame changes, as an engine would a solver.
struct Answers<'a> {
    graph: &'a Graph,
    current: Option<(usize, Set)>,
    made: Vec<usize>,
}

impl Answers<'_> {
    fn states(&mut self, frame: Frame<'_, usize, Lit>) -> Set {
        match self.current {
            Some((index, set)) if index == frame.index() => set,
            _ => {
                self.made.push(frame.index());
                let mut set = self.graph.initial;
                if !frame.is_initial() {
                    set = 0;
                    for node in 0..NODES {
                        let holds = |s: &usize| !frame.lemmas(node).any(|l| is_in(l, *s));
                        set |= (0..STATES).filter(holds).fold(0, |set, s| set | bit(node, s));
                    }
                }
                self.current = Some((frame.index(), set));
                set
            }
        }
    }
}

impl Questions<usize, Lit> for Answers<'_> {
    type Error = Infallible;

    fn initial(&mut self, node: usize, cube: &Cube<Lit>) -> Result<bool, Infallible> {
        Ok(states_of(node, cube) & self.graph.initial != 0)
    }

    fn consecution(
        &mut self,
        frame: Frame<'_, usize, Lit>,
        node: usize,
        cube: &Cube<Lit>,
    ) -> Result<bool, Infallible> {
        let from = self.states(frame);
        Ok(self.graph.image(from) & states_of(node, cube) != 0)
    }

    fn bad(&mut self, frame: Frame<'_, usize, Lit>) -> Result<bool, Infallible> {
        Ok(self.states(frame) & self.graph.bad != 0)
    }
}

fn graph() -> impl Strategy<Value = Graph> {
    let pair = || (0..NODES * STATES, 0..NODES * STATES);
    (
        prop::collection::vec(0..NODES * STATES, 1..3),
        prop::collection::vec(0..NODES * STATES, 0..2),
        prop::collection::vec(pair(), 0..20),
    )
        .prop_map(|(initial, bad, steps)| {
            let set = |members: Vec<usize>| members.into_iter().fold(0, |set, m| set | 1 << m);
            let mut next = vec![0; NODES * STATES];
            for (from, to) in steps {
                next[from] |= 1 << to;
            }
            Graph { initial: set(initial), bad: set(bad), next }
        })
}

fn lemmas_to_add() -> impl Strategy<Value = Vec<(usize, usize, Cube<Lit>)>> {
    let cube = prop::collection::btree_map(0..BITS, any::<bool>(), 1..=BITS)
        .prop_map(|c| Cube::new(c.into_iter().map(|(v, value)| Var::new(v).lit(value)).collect()));
    prop::collection::vec((0..NODES, 1..5usize, cube), 0..25)
}

/// Frames of those lemmas that keep the invariants, and at most one that may not.
fn build(
    graph: &Graph,
    lemmas: Vec<(usize, usize, Cube<Lit>)>,
    careless: usize,
) -> Frames<usize, Lit> {
    let mut frames = Frames::new(NODES);
    for _ in 0..3 {
        frames.extend();
    }
    for (i, (node, frame, lemma)) in lemmas.into_iter().enumerate() {
        let frame = if frame > 3 { INFINITE } else { frame };
        let mut after = frames.clone();
        after.add(node, frame, lemma);
        if i == careless
            || !matches!(graph.broken(&after), Some("initiation" | "consecution" | "infinite"))
        {
            frames = after;
        }
    }
    frames
}

fn name(broken: Option<Broken<usize>>) -> Option<&'static str> {
    broken.map(|b| match b {
        Broken::Initiation(_) => "initiation",
        Broken::Safety(_) => "safety",
        Broken::Consecution { frame: INFINITE, .. } => "infinite",
        Broken::Consecution { .. } => "consecution",
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_audit_agrees_with_sets(
        graph in graph(),
        lemmas in lemmas_to_add(),
        careless in 0..30usize,
    ) {
        let frames = build(&graph, lemmas, careless);
        let mut answers = Answers { graph: &graph, current: None, made: Vec::new() };
        let Ok(found) = audit(&frames, &mut answers);
        prop_assert_eq!(name(found), graph.broken(&frames));
        let mut distinct = answers.made.clone();
        distinct.dedup();
        prop_assert_eq!(&distinct, &answers.made, "questions about a frame follow each other");
        if found.is_none() {
            // What the invariants are for: the frames hold what is reachable.
            let mut reached = graph.initial;
            for i in 1..=frames.frontier() {
                reached |= graph.image(reached);
                prop_assert_eq!(reached & !graph.frame(&frames, i), 0);
                prop_assert!(i == frames.frontier() || reached & graph.bad == 0);
            }
        }
    }
}

/// 0 → 1 → 2 at node 0, with 2 bad: each kind of broken invariant, and where.
#[test]
fn every_kind_is_named() {
    let mut next = vec![0; NODES * STATES];
    (next[0], next[1]) = (bit(0, 1), bit(0, 2));
    let graph = Graph { initial: bit(0, 0), bad: bit(0, 2), next };
    let state = |s: usize| Cube::new((0..BITS).map(|i| Var::new(i).lit(s >> i & 1 == 1)).collect());
    let audit_of = |lemmas: &[(usize, usize)], frontier: usize| {
        let mut frames = Frames::<usize, Lit>::new(NODES);
        for _ in 0..frontier {
            frames.extend();
        }
        for (frame, excluded) in lemmas {
            frames.add(0, *frame, state(*excluded));
        }
        let mut answers = Answers { graph: &graph, current: None, made: Vec::new() };
        let Ok(found) = audit(&frames, &mut answers);
        found
    };
    assert_eq!(audit_of(&[], 1), None, "only the frontier has a bad state");
    assert_eq!(audit_of(&[(1, 2)], 2), None);
    assert_eq!(audit_of(&[], 2), Some(Broken::Safety(1)));
    assert_eq!(audit_of(&[(1, 0)], 1), Some(Broken::Initiation(0)));
    assert_eq!(audit_of(&[(2, 2)], 2), Some(Broken::Consecution { frame: 1, node: 0 }));
    assert_eq!(
        audit_of(&[(INFINITE, 2)], 0),
        Some(Broken::Consecution { frame: INFINITE, node: 0 })
    );
    for broken in [
        Broken::Initiation(7),
        Broken::Safety(7),
        Broken::Consecution { frame: 7, node: 7 },
        Broken::Consecution { frame: INFINITE, node: 7 },
    ] {
        assert!(broken.to_string().contains('7'));
    }
}
