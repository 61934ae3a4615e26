//! The queue of obligations against a list that is searched.

use lemmas::{Cube, ObligationId, Obligations, Order};
use proptest::prelude::*;
use sat::{Lit, Var};
use std::collections::BTreeSet;

type Queue = Obligations<usize, Lit, &'static str>;

fn cube(size: usize) -> Cube<Lit> {
    Cube::new((0..size).map(|i| Var::new(i).pos()).collect())
}

#[derive(Clone, Debug)]
enum Action {
    /// With the obligation last taken as parent.
    Add {
        frame: usize,
        node: usize,
        size: usize,
    },
    Attempt {
        frame: usize,
        node: usize,
        size: usize,
    },
    Take {
        frame: usize,
    },
    /// The obligation last taken, so many frames higher.
    PutForward {
        frames: usize,
    },
    Collect,
}

fn action() -> impl Strategy<Value = Action> {
    let place = || (1..5usize, 0..2usize, 0..4usize);
    prop_oneof![
        4 => place().prop_map(|(frame, node, size)| Action::Add { frame, node, size }),
        1 => place().prop_map(|(frame, node, size)| Action::Attempt { frame, node, size }),
        4 => (1..5usize).prop_map(|frame| Action::Take { frame }),
        2 => (0..3usize).prop_map(|frames| Action::PutForward { frames }),
        1 => Just(Action::Collect),
    ]
}

/// What the list knows of an obligation.
#[derive(Clone, PartialEq, Debug)]
struct Entry {
    frame: usize,
    node: usize,
    size: usize,
    depth: usize,
    attempt: bool,
    /// When it came.
    age: usize,
    /// Frames and nodes of the chain above it when it was added.
    above: Vec<(usize, usize)>,
}

impl Entry {
    /// What the order compares before the age.
    fn rank(&self, order: Order) -> (usize, bool, i64) {
        let by_order = match order {
            Order::LongestChain => -(self.depth as i64),
            Order::Smallest => self.size as i64,
            Order::Largest => -(self.size as i64),
            Order::Random { .. } => 0,
        };
        (self.frame, self.attempt, if self.attempt { 0 } else { by_order })
    }
}

fn orders() -> impl Strategy<Value = Order> {
    prop_oneof![
        Just(Order::LongestChain),
        Just(Order::Smallest),
        Just(Order::Largest),
        Just(Order::Random { seed: 5 }),
    ]
}

proptest! {
    #[test]
    fn the_queue_is_a_sorted_list(
        order in orders(),
        distinct in any::<bool>(),
        actions in prop::collection::vec(action(), 1..80),
    ) {
        let mut queue = if distinct { Queue::distinct(order) } else { Queue::new(order) };
        let mut list: Vec<Entry> = Vec::new();
        let mut taken: Option<(ObligationId, Entry)> = None;
        let waits = |list: &[Entry], frame, node, size| {
            list.iter().any(|e| (e.frame, e.node, e.size) == (frame, node, size))
        };
        for (age, action) in actions.into_iter().enumerate() {
            match action {
                Action::Add { frame, node, size } => {
                    let parent = taken.as_ref().map(|(id, _)| *id);
                    let id = queue.add(frame, node, cube(size), "step", parent);
                    prop_assert_eq!(id.is_none(), distinct && waits(&list, frame, node, size));
                    if id.is_some() {
                        let (depth, attempt, above) = match &taken {
                            None => (0, false, Vec::new()),
                            Some((_, parent)) => {
                                let mut above = vec![(parent.frame, parent.node)];
                                above.extend(&parent.above);
                                (parent.depth + 1, parent.attempt, above)
                            }
                        };
                        list.push(Entry { frame, node, size, depth, attempt, age, above });
                    }
                }
                Action::Attempt { frame, node, size } => {
                    let id = queue.attempt(frame, node, cube(size), "try");
                    prop_assert_eq!(id.is_none(), distinct && waits(&list, frame, node, size));
                    if id.is_some() {
                        let above = Vec::new();
                        list.push(Entry { frame, node, size, depth: 0, attempt: true, age, above });
                    }
                }
                Action::Take { frame } => {
                    let id = queue.pop(frame);
                    let low: Vec<&Entry> = list.iter().filter(|e| e.frame <= frame).collect();
                    let best = low.iter().map(|e| e.rank(order)).min();
                    prop_assert_eq!(id.is_some(), best.is_some());
                    taken = None;
                    if let Some(id) = id {
                        let o = queue.get(id);
                        let same = |e: &Entry| (e.frame, e.node, e.size, e.depth) == (o.frame, o.node, o.cube.len(), o.depth);
                        let mut found: Vec<usize> = (0..list.len()).filter(|i| same(&list[*i])).collect();
                        found.retain(|i| Some(list[*i].rank(order)) == best);
                        let position = found.into_iter().min_by_key(|i| list[*i].age);
                        let entry = list.remove(position.expect("what is taken was waiting, and first"));
                        prop_assert_eq!(o.attempt.is_some(), entry.attempt);
                        prop_assert_eq!(queue.chain(id).count(), o.depth + 1);
                        taken = Some((id, entry));
                    }
                }
                Action::PutForward { frames } => {
                    let Some((id, mut entry)) = taken.take() else { continue };
                    entry.frame += frames;
                    queue.put_forward(id, entry.frame);
                    if !distinct || !waits(&list, entry.frame, entry.node, entry.size) {
                        // Its number keeps its age.
                        list.push(entry);
                    }
                }
                Action::Collect => {
                    if taken.is_none() {
                        queue.collect();
                        prop_assert!(queue.kept() >= queue.len());
                    }
                }
            }
            prop_assert_eq!(queue.len(), list.len());
            prop_assert_eq!(queue.is_empty(), list.is_empty());
        }
    }
}

#[test]
fn lowest_frame_first_then_longest_chain() {
    let mut queue = Queue::new(Order::LongestChain);
    let root = queue.add(3, 0, cube(0), "bad", None).expect("equal ones are wanted");
    let child = queue.add(2, 0, cube(0), "a", Some(root)).expect("equal ones are wanted");
    let grandchild = queue.add(2, 0, cube(0), "b", Some(child)).expect("equal ones are wanted");
    assert_eq!(queue.pop(3), Some(grandchild));
    assert_eq!(queue.pop(3), Some(child));
    assert_eq!(queue.pop(2), None);
    assert_eq!(queue.pop(3), Some(root));
    assert!(queue.is_empty());
    let steps: Vec<&str> = queue.chain(grandchild).map(|o| o.step).collect();
    assert_eq!(steps, ["b", "a", "bad"]);
}

#[test]
fn collection_keeps_chains_steps_and_order() {
    let mut queue = Queue::new(Order::LongestChain);
    for _ in 0..1 << 14 {
        queue.add(1, 0, cube(0), "gone", None);
    }
    while queue.pop(1).is_some() {}
    let mut parent = None;
    for frame in (2..10).rev() {
        parent = queue.add(frame, frame, cube(frame), "kept", parent);
    }
    queue.collect_if_large();
    assert_eq!(queue.kept(), 8);
    let first = queue.pop(9).expect("eight wait");
    assert!(
        queue
            .chain(first)
            .map(|o| (o.frame, o.node, o.cube.len(), o.step))
            .eq((2..10).map(|frame| (frame, frame, frame, "kept")))
    );
    let kept = queue.kept();
    queue.collect_if_large();
    assert_eq!(queue.kept(), kept, "a small table is left alone");
}

#[test]
fn efforts_fade_as_obligations_move_up() {
    let mut queue = Queue::new(Order::LongestChain);
    queue.add(1, 0, cube(1), "", None);
    let id = queue.pop(1).expect("one waits");
    for expected in [1.0, 2.0, 3.0] {
        assert_eq!(queue.work_on(id), expected);
    }
    queue.put_forward(id, 1);
    assert_eq!(queue.get(id).effort, 3.0, "it did not move");
    queue.pop(1);
    queue.put_forward(id, 3);
    assert!((queue.get(id).effort - 3.0 * 0.36).abs() < 1e-9);
    queue.pop(3);
    queue.put_forward(id, usize::MAX - 1);
    assert!(queue.get(id).effort < 1e-9);
}

#[test]
fn attempts_come_last_are_counted_and_survive_collection() {
    let mut queue = Queue::distinct(Order::Smallest);
    queue.note(9, 0, cube(0), "forgotten", None);
    let first = queue.attempt(2, 0, cube(1), "try").expect("nothing waits");
    assert_eq!(queue.attempt(2, 0, cube(1), "again"), None, "it waits already");
    queue.add(2, 0, cube(3), "must", None);
    let must = queue.pop(2).expect("two wait");
    assert_eq!((queue.get(must).step, queue.get(must).attempt), ("must", None));
    assert_eq!(queue.pop(2), Some(first));
    queue.add(1, 0, cube(2), "child", Some(first));
    queue.put_back(first);
    assert_eq!(queue.attempt_effort(first), 1);
    assert!(!queue.is_given_up(first));
    queue.give_up(first);
    queue.collect();
    assert_eq!(queue.kept(), 2);
    let child = queue.pop(2).expect("the attempt waits");
    assert_eq!(queue.get(child).step, "child");
    let first = queue.get(child).attempt.expect("it belongs to the attempt");
    assert_eq!(queue.get(first).step, "try");
    assert!(queue.is_given_up(first));
    assert_eq!(queue.attempt_effort(first), 1);
    queue.clear();
    assert_eq!((queue.len(), queue.kept()), (0, 0));
    assert!(queue.add(2, 0, cube(1), "anew", None).is_some());
}

#[test]
fn random_orders_differ_by_seed_and_repeat() {
    let taken = |seed| {
        let mut queue = Queue::new(Order::Random { seed });
        for _ in 0..50 {
            queue.add(1, 0, cube(1), "", None);
        }
        std::iter::from_fn(|| queue.pop(1)).collect::<Vec<_>>()
    };
    let first = taken(1);
    assert_eq!(first, taken(1));
    assert_ne!(first, taken(2));
    assert_eq!(first.iter().copied().collect::<BTreeSet<_>>().len(), 50);
}
