//! May-obligations: cubes that it would help to exclude, but that need not be unreachable.
//!
//! A lemma that can't be propagated from frame i to i + 1 is worth an attempt: its cube becomes an
//! obligation at i + 1. If the attempt succeeds, the lemma (or a stronger one) has moved up. If it
//! arrives at the initial node, states of the cube are reachable, so the lemma will never hold
//! everywhere and is not tried again. An attempt that needs too many obligations is given up.
//! After Gurfinkel and Ivrii, *Pushing to the Top* (FMCAD 2015), which also keeps the reachable
//! states; [Lan18 §4.3.4] mentions the idea. Here an attempt goes through the same queue as what
//! must be shown, behind it on each frame.

use crate::cube::Cube;
use crate::engine::Engine;
use crate::graph::NodeId;
use crate::observer::Technique;
use lemmas::ObligationId;

/// How many obligations one attempt may take.
const MAX_ATTEMPT: usize = 24;

impl Engine<'_> {
    /// Tries to exclude the cube of a lemma at a frame where it does not hold yet.
    pub(crate) fn try_lemma(&mut self, node: NodeId, frame: usize, cube: &Cube) {
        if frame > self.frames.frontier() || self.refuted.contains(&(node, cube.clone())) {
            return;
        }
        if self.obligations.attempt(frame, node, cube.clone(), None).is_some() {
            self.observer.technique(Technique::MayObligation);
        }
    }

    /// An obligation has led to the initial node. Whether it belongs to an attempt, which ends
    /// then.
    pub(crate) fn refute_attempt(&mut self, id: ObligationId) -> bool {
        let Some(attempt) = self.obligations.get(id).attempt else { return false };
        let first = self.obligations.get(attempt);
        self.refuted.insert((first.node, first.cube.clone()));
        self.obligations.give_up(attempt);
        self.observer.technique(Technique::MayRefuted);
        true
    }

    /// Whether an obligation belongs to an attempt that is over: given up, or too long.
    pub(crate) fn is_futile(&mut self, id: ObligationId) -> bool {
        let Some(attempt) = self.obligations.get(id).attempt else { return false };
        if self.obligations.attempt_effort(attempt) > MAX_ATTEMPT {
            self.obligations.give_up(attempt);
        }
        self.obligations.is_given_up(attempt)
    }
}
