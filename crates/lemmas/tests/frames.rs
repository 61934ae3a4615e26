//! Delta-encoded frames against frames as they are defined: a set of lemmas each, none forgotten.

use lemmas::{Cube, Frames, INFINITE, Placement};
use proptest::prelude::*;
use sat::{Lit, Var};

const NODES: usize = 3;

#[derive(Clone, Debug)]
enum Action {
    Extend,
    Add { node: usize, frame: usize, cube: Vec<(usize, bool)> },
    Propagated,
}

fn action() -> impl Strategy<Value = Action> {
    let cube = prop::collection::btree_map(0..5usize, any::<bool>(), 0..4);
    let add = (0..NODES, 0..7usize, cube).prop_map(|(node, frame, cube)| Action::Add {
        node,
        frame,
        cube: cube.into_iter().collect(),
    });
    prop_oneof![1 => Just(Action::Extend), 8 => add, 1 => Just(Action::Propagated)]
}

fn cube(literals: &[(usize, bool)]) -> Cube<Lit> {
    Cube::new(literals.iter().map(|(v, value)| Var::new(*v).lit(*value)).collect())
}

/// Every frame as a set of lemmas, those that others imply included.
#[derive(Default)]
struct Naive {
    /// By node, then by frame.
    frames: Vec<Vec<Vec<Cube<Lit>>>>,
    infinite: Vec<Vec<Cube<Lit>>>,
}

impl Naive {
    fn implied(&self, node: usize, frame: usize, lemma: &Cube<Lit>) -> bool {
        let own = self.frames[node].get(frame).into_iter().flatten();
        own.chain(&self.infinite[node]).any(|l| l.subsumes(lemma))
    }
}

/// The states of five latches that satisfy all lemmas.
fn states<'a>(lemmas: impl Iterator<Item = &'a Cube<Lit>>) -> u32 {
    let lemmas: Vec<&Cube<Lit>> = lemmas.collect();
    let within = |state: u32, c: &Cube<Lit>| {
        c.literals().iter().all(|l| (state >> l.var().index() & 1 == 1) == l.is_pos())
    };
    (0..32).filter(|s| !lemmas.iter().any(|c| within(*s, c))).fold(0, |set, s| set | 1 << s)
}

proptest! {
    #[test]
    fn frames_hold_what_was_added(actions in prop::collection::vec(action(), 1..60)) {
        let mut frames = Frames::<usize, Lit>::new(NODES);
        let mut naive = Naive { frames: vec![vec![Vec::new()]; NODES], infinite: vec![Vec::new(); NODES] };
        let mut lowest_change = 1;
        for action in actions {
            let frontier = frames.frontier();
            match action {
                Action::Extend => {
                    frames.extend();
                    naive.frames.iter_mut().for_each(|f| f.push(Vec::new()));
                }
                Action::Propagated => {
                    frames.end_propagation();
                    lowest_change = frontier;
                }
                Action::Add { node, frame, cube: literals } => {
                    let frame = if frame > frontier { INFINITE } else { frame };
                    if frame == 0 {
                        continue;
                    }
                    let (lemma, time) = (cube(&literals), frames.now());
                    let top = frame.min(frontier);
                    let new_at = |i: usize| !naive.implied(node, i, &lemma);
                    let known = match frame {
                        INFINITE => naive.infinite[node].iter().any(|l| l.subsumes(&lemma)),
                        _ => !new_at(frame),
                    };
                    let first = (1..=top).find(|i| new_at(*i)).unwrap_or(top + 1);
                    let expected = if known { Placement::Known } else { Placement::Added { first } };
                    let changed: Vec<bool> = (0..=frontier)
                        .map(|i| !known && (frame == INFINITE || (i >= 1 && i <= frame && new_at(i))))
                        .collect();
                    let placement = frames.add(node, frame, lemma.clone());
                    prop_assert_eq!(placement, expected);
                    prop_assert_eq!(placement.is_new(), !known);
                    for (i, changed) in changed.into_iter().enumerate() {
                        prop_assert_eq!(frames.changed_since(node, i, time), changed);
                        prop_assert!(!frames.changed_since((node + 1) % NODES, i, time));
                    }
                    if frame == INFINITE {
                        naive.infinite[node].push(lemma);
                    } else {
                        naive.frames[node][1..=frame].iter_mut().for_each(|f| f.push(lemma.clone()));
                        if !known {
                            lowest_change = lowest_change.min(first);
                        }
                    }
                }
            }
            check(&frames, &naive)?;
            prop_assert_eq!(frames.unpropagated(), lowest_change);
        }
    }
}

fn check(frames: &Frames<usize, Lit>, naive: &Naive) -> Result<(), TestCaseError> {
    let frontier = frames.frontier();
    prop_assert_eq!(frontier + 1, naive.frames[0].len());
    let mut counts = vec![0; frontier + 1];
    for node in frames.nodes() {
        for (i, count) in counts.iter_mut().enumerate().skip(1) {
            let own = &naive.frames[node][i];
            let expected = states(own.iter().chain(&naive.infinite[node]));
            prop_assert_eq!(states(frames.lemmas(node, i)), expected, "F_({},{})", i, node);
            *count += frames.at(node, i).len();
            for lemma in frames.at(node, i) {
                prop_assert!(frames.is_at(node, i, lemma));
                prop_assert_eq!(
                    frames.excluded_at(node, 1, lemma),
                    Some(i),
                    "stored where it holds"
                );
            }
        }
        let all = frames.lemmas(node, 1).collect::<Vec<_>>();
        for (i, lemma) in all.iter().enumerate() {
            let others = all[..i].iter().chain(&all[i + 1..]);
            // A weaker lemma is kept only above the stronger one.
            for other in others.filter(|o| o.subsumes(lemma)) {
                let highest = |c| frames.excluded_at(node, 1, c);
                prop_assert!(highest(other) < highest(lemma), "{lemma:?} is not needed");
            }
        }
        prop_assert_eq!(states(frames.infinite(node).iter()), states(naive.infinite[node].iter()));
        prop_assert_eq!(
            states(frames.lemmas(node, INFINITE)),
            states(frames.infinite(node).iter())
        );
    }
    prop_assert_eq!(frames.counts(), &counts[..]);
    prop_assert_eq!(
        frames.infinite_count(),
        frames.nodes().map(|n| frames.infinite(n).len()).sum::<usize>()
    );
    let bare = (1..frontier).find(|i| counts[*i] == 0);
    prop_assert_eq!(frames.fixpoint(), bare);
    prop_assert!((0..=frontier).all(|i| frames.is_bare(i) == (counts[i] == 0)));
    if let Some(i) = bare {
        for node in frames.nodes() {
            prop_assert_eq!(states(frames.lemmas(node, i)), states(frames.lemmas(node, i + 1)));
        }
    }
    Ok(())
}

#[test]
fn one_node_is_a_circuit() {
    let mut frames = Frames::<(), Lit>::new(1);
    for _ in 0..3 {
        frames.extend();
    }
    assert_eq!(frames.nodes().count(), 1);
    assert_eq!(frames.add((), 1, cube(&[(0, true), (1, true)])), Placement::Added { first: 1 });
    assert_eq!(frames.add((), 2, cube(&[(2, false)])), Placement::Added { first: 1 });
    assert_eq!(frames.fixpoint(), None);
    assert_eq!(frames.add((), 3, cube(&[(1, true)])), Placement::Added { first: 1 });
    assert_eq!(frames.fixpoint(), Some(1), "the first lemma is weaker and went");
    assert_eq!(frames.add((), 2, cube(&[(1, true), (4, true)])), Placement::Known);
    let weaker = cube(&[(2, false), (3, false)]);
    assert_eq!(frames.add((), 3, weaker.clone()), Placement::Added { first: 3 });
    assert_eq!(frames.excluded_at((), 2, &weaker), Some(3));
    assert!(frames.add((), INFINITE, Cube::default()).is_new());
    assert_eq!(frames.counts(), [0, 0, 0, 0]);
    assert_eq!(frames.excluded_at((), 1, &weaker), Some(INFINITE));
}
