//! Proof obligations: cubes that must be shown unreachable, in the order of their frames.
//!
//! After \[EMB11\] and [Lan18 §4.2.2, §4.3.4]: an obligation (i, n, c) asks for a lemma that
//! excludes c from F_(i,n). It knows the *step* by which every state of c gets into the parent's
//! cube (inputs, an arrow, a call), so the chain of parents is the suffix of a counterexample. When
//! c is excluded, the obligation need not be discarded: its states will be in the way at higher
//! frames too, and it may wait there for the frontier (\[Bra11\] calls this pushing the
//! generalization forward, [Lan18 §4.2.4] reuse).
//!
//! An *attempt* is an obligation that need not be settled, only helps if it is, with those that
//! follow from it (Gurfinkel, Ivrii: *Pushing to the Top*, FMCAD 2015). Attempts come after
//! everything that must be settled at their frame.
//!
//! Obligations live in one table and refer to each other by index, so that a chain of a million
//! of them is dropped without recursion.

use crate::cube::Cube;
use crate::literal::Literal;
use crate::node::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The index of an obligation.
pub type ObligationId = usize;

/// See the module's head.
#[derive(Clone, Debug)]
pub struct Obligation<N, L, S> {
    /// The frame from which the cube must be excluded.
    pub frame: usize,
    /// Where.
    pub node: N,
    /// The states.
    pub cube: Cube<L>,
    /// How they get into the parent's cube or, without a parent, violate the property.
    pub step: S,
    /// What the states reach in one step; a violation, if nothing.
    pub parent: Option<ObligationId>,
    /// The length of the chain of parents.
    pub depth: usize,
    /// How often the obligation was worked on, fading as it moves up.
    pub effort: f64,
    /// The first obligation of the attempt that this one belongs to; none if it must be settled.
    pub attempt: Option<ObligationId>,
}

/// Which obligation of a frame comes first; the oldest, where this does not decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The one farthest from the violation \[EMB11\].
    LongestChain,
    /// The one with the fewest literals.
    Smallest,
    /// The one with the most literals.
    Largest,
    /// Any.
    Random {
        /// Equal seeds give equal orders.
        seed: u64,
    },
}

/// What is known of an attempt.
#[derive(Clone, Copy, Default, Debug)]
struct Attempt {
    /// How many obligations it has taken.
    effort: usize,
    given_up: bool,
}

/// Frame, then the order's rank, then age.
type Key = (usize, u64, ObligationId);

/// The rank of attempts, after all others.
const LAST: u64 = u64::MAX;
/// The effort that remains of an obligation's when it moves one frame up.
const EFFORT_FADE: f64 = 0.6;
/// The smallest table worth collecting.
const COLLECT_MIN: usize = 1 << 14;

/// All obligations.
#[derive(Clone, Debug)]
pub struct Obligations<N, L, S> {
    table: Vec<Obligation<N, L, S>>,
    queue: BTreeSet<Key>,
    /// What is in the queue, where equal ones are not wanted.
    waiting: Option<FxHashSet<(usize, N, Cube<L>)>>,
    /// By their first obligations.
    attempts: FxHashMap<ObligationId, Attempt>,
    order: Order,
    random: u64,
    /// The size of the table at which unreferenced obligations are collected.
    collect_at: usize,
}

impl<N: Node, L: Literal, S> Obligations<N, L, S> {
    /// None.
    pub fn new(order: Order) -> Self {
        let random = match order {
            Order::Random { seed } => seed ^ 0x9e37_79b9_7f4a_7c15,
            Order::LongestChain | Order::Smallest | Order::Largest => 0,
        };
        Obligations {
            table: Vec::new(),
            queue: BTreeSet::new(),
            waiting: None,
            attempts: FxHashMap::default(),
            order,
            random,
            collect_at: COLLECT_MIN,
        }
    }

    /// None; of those to come, equal ones wait only once.
    pub fn distinct(order: Order) -> Self {
        Obligations { waiting: Some(FxHashSet::default()), ..Self::new(order) }
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// How many are kept, waiting or as somebody's parent.
    pub fn kept(&self) -> usize {
        self.table.len()
    }

    /// The obligation with this index.
    pub fn get(&self, id: ObligationId) -> &Obligation<N, L, S> {
        &self.table[id]
    }

    /// The obligation, its parent, and so on to the violation.
    pub fn chain(&self, id: ObligationId) -> impl Iterator<Item = &Obligation<N, L, S>> {
        std::iter::successors(Some(self.get(id)), |o| o.parent.map(|p| self.get(p)))
    }

    /// Adds an obligation, unless an equal one waits already and that is not wanted.
    pub fn add(
        &mut self,
        frame: usize,
        node: N,
        cube: Cube<L>,
        step: S,
        parent: Option<ObligationId>,
    ) -> Option<ObligationId> {
        if self.is_waiting(frame, node, &cube) {
            return None;
        }
        let id = self.note(frame, node, cube, step, parent);
        self.put_back(id);
        Some(id)
    }

    /// Notes an obligation that does not wait in the queue: a root, or the first of a
    /// counterexample.
    pub fn note(
        &mut self,
        frame: usize,
        node: N,
        cube: Cube<L>,
        step: S,
        parent: Option<ObligationId>,
    ) -> ObligationId {
        let depth = parent.map_or(0, |p| self.table[p].depth + 1);
        let attempt = parent.and_then(|p| self.table[p].attempt);
        if let Some(attempt) = attempt {
            self.attempts.entry(attempt).or_default().effort += 1;
        }
        let effort = 0.0;
        self.table.push(Obligation { frame, node, cube, step, parent, depth, effort, attempt });
        self.table.len() - 1
    }

    /// Begins an attempt, unless an equal obligation waits already and that is not wanted.
    pub fn attempt(
        &mut self,
        frame: usize,
        node: N,
        cube: Cube<L>,
        step: S,
    ) -> Option<ObligationId> {
        if self.is_waiting(frame, node, &cube) {
            return None;
        }
        let first = self.note(frame, node, cube, step, None);
        self.table[first].attempt = Some(first);
        self.attempts.insert(first, Attempt::default());
        self.put_back(first);
        Some(first)
    }

    /// How many obligations have followed from the first of an attempt.
    pub fn attempt_effort(&self, attempt: ObligationId) -> usize {
        self.attempts.get(&attempt).map_or(0, |a| a.effort)
    }

    /// Ends an attempt: its obligations need not be settled.
    pub fn give_up(&mut self, attempt: ObligationId) {
        self.attempts.entry(attempt).or_default().given_up = true;
    }

    /// Whether an attempt has ended.
    pub fn is_given_up(&self, attempt: ObligationId) -> bool {
        self.attempts.get(&attempt).is_some_and(|a| a.given_up)
    }

    /// Takes the next obligation of a frame up to `frame`.
    pub fn pop(&mut self, frame: usize) -> Option<ObligationId> {
        let &(lowest, _, id) = self.queue.first()?;
        if lowest > frame {
            return None;
        }
        self.queue.pop_first();
        if let Some(waiting) = &mut self.waiting {
            let Obligation { frame, node, cube, .. } = &self.table[id];
            waiting.remove(&(*frame, *node, cube.clone()));
        }
        Some(id)
    }

    /// Returns an obligation that was taken to the queue; where equal ones are not wanted and one
    /// waits, forgets it.
    pub fn put_back(&mut self, id: ObligationId) {
        let Obligation { frame, node, cube, depth, attempt, .. } = &self.table[id];
        if let Some(waiting) = &mut self.waiting
            && !waiting.insert((*frame, *node, cube.clone()))
        {
            return;
        }
        let size = cube.len() as u64;
        let rank = match self.order {
            _ if attempt.is_some() => LAST,
            Order::LongestChain => LAST - 1 - *depth as u64,
            Order::Smallest => size,
            Order::Largest => LAST - 1 - size,
            Order::Random { .. } => next_random(&mut self.random).min(LAST - 1),
        };
        self.queue.insert((*frame, rank, id));
    }

    /// Returns an obligation that was taken to the queue, at a higher frame.
    pub fn put_forward(&mut self, id: ObligationId, frame: usize) {
        let obligation = &mut self.table[id];
        debug_assert!(frame >= obligation.frame);
        let steps = (frame - obligation.frame).min(64) as i32;
        obligation.effort *= EFFORT_FADE.powi(steps);
        obligation.frame = frame;
        self.put_back(id);
    }

    /// Counts work on the obligation. Returns the effort so far.
    pub fn work_on(&mut self, id: ObligationId) -> f64 {
        self.table[id].effort += 1.0;
        self.table[id].effort
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.queue.clear();
        self.table.clear();
        self.attempts.clear();
        if let Some(waiting) = &mut self.waiting {
            waiting.clear();
        }
    }

    /// Forgets what no waiting obligation leads to, if that may be much.
    ///
    /// Requires: no obligation is taken.
    pub fn collect_if_large(&mut self) {
        if self.table.len() >= self.collect_at {
            self.collect();
            self.collect_at = (2 * self.table.len()).max(COLLECT_MIN);
        }
    }

    /// Forgets what no waiting obligation leads to.
    ///
    /// Requires: no obligation is taken.
    pub fn collect(&mut self) {
        let numbers = self.numbers_of_kept();
        let renumbered = |id: ObligationId| numbers[id].expect("parents of what is kept are kept");
        let old = std::mem::take(&mut self.table);
        let kept = old.into_iter().zip(&numbers).filter(|(_, number)| number.is_some());
        self.table = kept
            .map(|(o, _)| Obligation {
                parent: o.parent.map(renumbered),
                attempt: o.attempt.map(renumbered),
                ..o
            })
            .collect();
        let attempts = std::mem::take(&mut self.attempts).into_iter();
        self.attempts = attempts.filter_map(|(first, a)| Some((numbers[first]?, a))).collect();
        let queue = std::mem::take(&mut self.queue).into_iter();
        self.queue = queue.map(|(frame, rank, id)| (frame, rank, renumbered(id))).collect();
    }

    /// The new numbers of what is waiting and of its parents; none for the others. The first
    /// obligation of an attempt is the end of its chains.
    fn numbers_of_kept(&self) -> Vec<Option<ObligationId>> {
        let mut numbers = vec![None; self.table.len()];
        for (_, _, id) in &self.queue {
            let mut chain = Some(*id);
            while let Some(id) = chain.filter(|id| numbers[*id].is_none()) {
                numbers[id] = Some(0);
                chain = self.table[id].parent;
            }
        }
        for (number, slot) in numbers.iter_mut().flatten().enumerate() {
            *slot = number;
        }
        numbers
    }

    fn is_waiting(&self, frame: usize, node: N, cube: &Cube<L>) -> bool {
        self.waiting.as_ref().is_some_and(|waiting| waiting.contains(&(frame, node, cube.clone())))
    }
}

/// SplitMix64.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
