//! A whole IC3 over boxes: locations as nodes, bounds of two variables as literals, enumeration as
//! its solver. It shows that the books suffice for an engine whose literals imply each other, and
//! compares it with the search of all states.

mod bound;

use bound::{Bound, Direction};
use lemmas::audit::{Frame, Questions};
use lemmas::{Cube, Frames, ObligationId, Obligations, Order, audit};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::convert::Infallible;

const NODES: usize = 3;
const SIDE: i64 = 4;

/// A node and the values of two variables.
type State = (usize, [i64; 2]);

fn all_states() -> impl Iterator<Item = State> {
    (0..NODES).flat_map(|n| (0..SIDE).flat_map(move |x| (0..SIDE).map(move |y| (n, [x, y]))))
}

fn holds(cube: &Cube<Bound>, point: [i64; 2]) -> bool {
    cube.literals().iter().all(|b| b.holds(point[b.variable]))
}

/// The box of one point.
fn point_cube(point: [i64; 2]) -> Cube<Bound> {
    let bounds = (0..2).flat_map(|variable| {
        [Direction::AtLeast, Direction::AtMost].map(|direction| Bound {
            variable,
            direction,
            value: point[variable],
        })
    });
    Cube::new(bounds.collect())
}

#[derive(Clone, Debug)]
struct Graph {
    initial: BTreeSet<State>,
    bad: BTreeSet<State>,
    steps: BTreeSet<(State, State)>,
}

impl Graph {
    fn is_safe(&self) -> bool {
        let mut reached = self.initial.clone();
        loop {
            let next = self.steps.iter().filter(|(from, _)| reached.contains(from));
            let next: Vec<State> = next.map(|(_, to)| *to).collect();
            let before = reached.len();
            reached.extend(next);
            if reached.len() == before {
                return reached.is_disjoint(&self.bad);
            }
        }
    }

    fn begins_in(&self, node: usize, cube: &Cube<Bound>) -> bool {
        self.initial.iter().any(|(n, point)| *n == node && holds(cube, *point))
    }

    fn contains(&self, frame: &Frame<'_, usize, Bound>, state: &State) -> bool {
        match frame.is_initial() {
            true => self.initial.contains(state),
            false => !frame.lemmas(state.0).any(|lemma| holds(lemma, state.1)),
        }
    }

    /// A state of the frame outside of the cube, if that is given as premise, with a step into it.
    fn predecessor(
        &self,
        frame: Frame<'_, usize, Bound>,
        node: usize,
        cube: &Cube<Bound>,
        premise: bool,
    ) -> Option<State> {
        let within = |s: &State| s.0 == node && holds(cube, s.1);
        let mut into = self.steps.iter().filter(|(_, to)| within(to)).map(|(from, _)| *from);
        into.find(|from| !(premise && within(from)) && self.contains(&frame, from))
    }
}

/// For the audit: consecution without the premise.
impl Questions<usize, Bound> for &Graph {
    type Error = Infallible;

    fn initial(&mut self, node: usize, cube: &Cube<Bound>) -> Result<bool, Infallible> {
        Ok(self.begins_in(node, cube))
    }

    fn consecution(
        &mut self,
        frame: Frame<'_, usize, Bound>,
        node: usize,
        cube: &Cube<Bound>,
    ) -> Result<bool, Infallible> {
        Ok(self.predecessor(frame, node, cube, false).is_some())
    }

    fn bad(&mut self, frame: Frame<'_, usize, Bound>) -> Result<bool, Infallible> {
        Ok(self.bad.iter().any(|s| self.contains(&frame, s)))
    }
}

enum End {
    Safe,
    /// The first obligation of a path to a bad state.
    Unsafe(ObligationId),
}

struct Ic3<'a> {
    graph: &'a Graph,
    frames: Frames<usize, Bound>,
    obligations: Obligations<usize, Bound, ()>,
}

impl Ic3<'_> {
    fn run(&mut self) -> End {
        loop {
            if let Some(first) = self.strengthen() {
                return End::Unsafe(first);
            }
            self.frames.extend();
            self.propagate();
            let Ok(broken) = audit(&self.frames, &mut &*self.graph);
            assert_eq!(broken, None);
            if self.frames.fixpoint().is_some() {
                return End::Safe;
            }
        }
    }

    fn strengthen(&mut self) -> Option<ObligationId> {
        let frontier = self.frames.frontier();
        loop {
            while let Some(id) = self.obligations.pop(frontier) {
                let o = self.obligations.get(id);
                let (frame, node, cube) = (o.frame, o.node, o.cube.clone());
                if self.graph.begins_in(node, &cube) {
                    return Some(id);
                }
                self.block(id, frame, node, &cube);
            }
            let top = Frame::new(&self.frames, frontier);
            let (node, point) = *self.graph.bad.iter().find(|s| self.graph.contains(&top, s))?;
            self.obligations.add(frontier, node, point_cube(point), (), None);
        }
    }

    fn block(&mut self, id: ObligationId, frame: usize, node: usize, cube: &Cube<Bound>) {
        if let Some(excluded) = self.frames.excluded_at(node, frame, cube) {
            self.obligations.put_forward(id, excluded + 1);
            return;
        }
        let below = Frame::new(&self.frames, frame - 1);
        if let Some((from, point)) = self.graph.predecessor(below, node, cube, true) {
            self.obligations.add(frame - 1, from, point_cube(point), (), Some(id));
            self.obligations.put_back(id);
            return;
        }
        let lemma = self.generalize(frame, node, cube);
        self.frames.add(node, frame, lemma);
        self.obligations.put_forward(id, frame + 1);
    }

    /// Drops bounds, or makes them weaker.
    fn generalize(&self, frame: usize, node: usize, cube: &Cube<Bound>) -> Cube<Bound> {
        let mut lemma = cube.clone();
        for bound in cube.literals() {
            let rest = lemma.literals().iter().filter(|b| *b != bound).copied();
            let rest: Vec<Bound> = rest.collect();
            let weaker = match bound.direction {
                Direction::AtLeast => Bound { value: bound.value - 1, ..*bound },
                Direction::AtMost => Bound { value: bound.value + 1, ..*bound },
            };
            for candidate in [rest.clone(), [&rest[..], &[weaker]].concat()] {
                let candidate = Cube::new(candidate);
                let below = Frame::new(&self.frames, frame - 1);
                if !self.graph.begins_in(node, &candidate)
                    && self.graph.predecessor(below, node, &candidate, true).is_none()
                {
                    lemma = candidate;
                    break;
                }
            }
        }
        assert!(lemma.subsumes(cube));
        lemma
    }

    fn propagate(&mut self) {
        for frame in self.frames.unpropagated()..self.frames.frontier() {
            for node in self.frames.nodes() {
                for lemma in self.frames.at(node, frame).to_vec() {
                    let here = Frame::new(&self.frames, frame);
                    if self.graph.predecessor(here, node, &lemma, false).is_none() {
                        self.frames.add(node, frame + 1, lemma);
                    }
                }
            }
        }
        self.frames.end_propagation();
    }
}

fn graph() -> impl Strategy<Value = Graph> {
    let state = || prop::sample::select(all_states().collect::<Vec<_>>());
    let states = |most| prop::collection::btree_set(state(), 1..=most);
    (states(3), states(4), prop::collection::btree_set((state(), state()), 0..70))
        .prop_map(|(initial, bad, steps)| Graph { initial, bad, steps })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn an_ic3_over_boxes_agrees_with_search(
        graph in graph(),
        order in prop::sample::select(vec![Order::LongestChain, Order::Smallest, Order::Largest, Order::Random { seed: 3 }]),
        distinct in any::<bool>(),
    ) {
        let obligations = if distinct { Obligations::distinct(order) } else { Obligations::new(order) };
        let mut engine = Ic3 { graph: &graph, frames: Frames::new(NODES), obligations };
        match engine.run() {
            End::Safe => prop_assert!(graph.is_safe()),
            End::Unsafe(first) => {
                prop_assert!(!graph.is_safe());
                let path: Vec<State> = engine
                    .obligations
                    .chain(first)
                    .map(|o| (o.node, [0, 1].map(|v| o.cube.literals()[2 * v].value)))
                    .collect();
                prop_assert!(graph.initial.contains(&path[0]));
                prop_assert!(path.windows(2).all(|w| graph.steps.contains(&(w[0], w[1]))));
                prop_assert!(path.last().is_some_and(|s| graph.bad.contains(s)));
            }
        }
    }
}
