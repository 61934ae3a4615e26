//! The invariants of frames as code.
//!
//! [`audit`] checks what the head of [`crate::frames`] states, by asking three questions that the
//! engine answers with a solver other than those it works with.

use crate::cube::Cube;
use crate::frames::{Frames, INFINITE};
use crate::literal::Literal;
use crate::node::Node;
use std::fmt;

/// One frame F_i of all nodes, as questions name it.
#[derive(Clone, Copy)]
pub struct Frame<'a, N, L> {
    frames: &'a Frames<N, L>,
    index: usize,
}

impl<'a, N: Node, L: Literal> Frame<'a, N, L> {
    /// F_index of these frames; F_∞ for [`INFINITE`].
    pub fn new(frames: &'a Frames<N, L>, index: usize) -> Self {
        Frame { frames, index }
    }

    /// i.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Whether this is F_0: exactly where runs begin, whatever the lemmas say.
    pub fn is_initial(&self) -> bool {
        self.index == 0
    }

    /// The lemmas of F_(i,node).
    pub fn lemmas(&self, node: N) -> impl Iterator<Item = &'a Cube<L>> + use<'a, N, L> {
        self.frames.lemmas(node, self.index)
    }
}

/// What the audit asks; an engine answers with a solver that it does not use otherwise.
///
/// All questions about a frame follow each other, so a solver may be made when the frame's index
/// changes and kept until it changes again.
pub trait Questions<N, L> {
    /// Why there is no answer.
    type Error;

    /// May a run begin at the node in a state of the cube? SAT? I_node ∧ c
    fn initial(&mut self, node: N, cube: &Cube<L>) -> Result<bool, Self::Error>;

    /// Does a step from the frame of any node lead into the cube at this node?
    /// SAT? F_(i,m) ∧ T_(m,node) ∧ c'
    fn consecution(
        &mut self,
        frame: Frame<'_, N, L>,
        node: N,
        cube: &Cube<L>,
    ) -> Result<bool, Self::Error>;

    /// Does the frame have a bad state, at any node? SAT? F_i ∧ bad
    fn bad(&mut self, frame: Frame<'_, N, L>) -> Result<bool, Self::Error>;
}

/// An invariant that does not hold; the numbers are those of [`crate::frames`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken<N> {
    /// A lemma excludes a state in which a run may begin.
    Initiation(N),
    /// A frame below the frontier has a bad state.
    Safety(usize),
    /// A step leads from a frame out of the next one.
    Consecution {
        /// From here, or [`INFINITE`].
        frame: usize,
        /// There it arrives.
        node: N,
    },
}

impl<N: fmt::Debug> fmt::Display for Broken<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Initiation(node) => {
                write!(f, "a lemma of node {node:?} excludes an initial state (invariant 1)")
            }
            Broken::Safety(frame) => write!(f, "F_{frame} has a bad state (invariant 2)"),
            Broken::Consecution { frame: INFINITE, node } => {
                write!(f, "a step leads from F_∞ out of it at node {node:?} (invariant 4)")
            }
            Broken::Consecution { frame, node } => {
                write!(f, "a step leads from F_{frame} out of the next at {node:?} (invariant 4)")
            }
        }
    }
}

impl<N: fmt::Debug> std::error::Error for Broken<N> {}

/// The first invariant found broken, if one is.
///
/// Requires: strengthening is done, so that only the frontier may have bad states.
pub fn audit<N: Node, L: Literal, Q: Questions<N, L>>(
    frames: &Frames<N, L>,
    questions: &mut Q,
) -> Result<Option<Broken<N>>, Q::Error> {
    // 1: I ⇒ F_i; F_1 has the lemmas of all frames above.
    for node in frames.nodes() {
        for lemma in frames.lemmas(node, 1) {
            if questions.initial(node, lemma)? {
                return Ok(Some(Broken::Initiation(node)));
            }
        }
    }
    for index in 0..frames.frontier() {
        let frame = Frame::new(frames, index);
        // 2: F_i ⇒ ¬bad
        if questions.bad(frame)? {
            return Ok(Some(Broken::Safety(index)));
        }
        // 4: F_i ∧ T ⇒ F'_{i+1}
        if let Some(node) = escape(frames, index, index + 1, questions)? {
            return Ok(Some(Broken::Consecution { frame: index, node }));
        }
    }
    // 4: F_∞ ∧ T ⇒ F'_∞
    let escaped = escape(frames, INFINITE, INFINITE, questions)?;
    Ok(escaped.map(|node| Broken::Consecution { frame: INFINITE, node }))
}

/// A node at which a step from one frame violates a lemma of another.
fn escape<N: Node, L: Literal, Q: Questions<N, L>>(
    frames: &Frames<N, L>,
    from: usize,
    to: usize,
    questions: &mut Q,
) -> Result<Option<N>, Q::Error> {
    for node in frames.nodes() {
        for lemma in frames.lemmas(node, to) {
            if questions.consecution(Frame::new(frames, from), node, lemma)? {
                return Ok(Some(node));
            }
        }
    }
    Ok(None)
}
