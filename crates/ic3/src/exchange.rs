//! Lemmas shared between engines that work on the same property [Bra11 §8].
//!
//! Engines post the lemmas they add, with their frames, on a [`Board`], and read what others
//! have posted since. Reading needs no proof of its own, because of the order of posts: a lemma
//! of frame i was shown inductive relative to the poster's F_{i-1}, all of which is on the board
//! before it. So an engine that takes over *all* posts *in order* keeps the frame invariants (see
//! [`lemmas::frames`]), as far as its frontier reaches. What was posted for a higher frame is
//! added up to the frontier, and kept to be added again when the frontier moves: a later post may
//! rely on it there.
//!
//! Unlike \[Bra11\] there is no lockstep: engines may be at different frontiers.

use crate::cube::Cube;
use crate::engine::Ic3;
use lemmas::INFINITE;
use rustc_hash::FxHasher;
use sat::Solver;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A lemma on the board.
#[derive(Clone)]
struct Post {
    author: usize,
    frame: usize,
    lemma: Cube,
}

/// What all engines of a team have posted.
#[derive(Default)]
pub struct Board {
    posts: Mutex<Vec<Post>>,
    /// The number of posts, to see without the lock that there is nothing new.
    count: AtomicUsize,
}

impl Board {
    /// The view of one of `size` members.
    pub fn member(&self, index: usize, size: usize) -> Member<'_> {
        Member { board: self, index, size: size.max(1), read: 0, waiting: Vec::new() }
    }
}

/// One engine's view of the board.
pub struct Member<'a> {
    board: &'a Board,
    index: usize,
    size: usize,
    /// How many posts were read.
    read: usize,
    /// Lemmas of frames above the frontier.
    waiting: Vec<(usize, Cube)>,
}

impl Member<'_> {
    /// Tells the others of a lemma.
    fn post(&self, frame: usize, lemma: Cube) {
        // A thread that panicked while it held the lock has posted whole lemmas or none.
        let mut posts = self.board.posts.lock().unwrap_or_else(PoisonError::into_inner);
        posts.push(Post { author: self.index, frame, lemma });
        self.board.count.store(posts.len(), Ordering::Release);
    }

    /// What others have posted since the last call, in order.
    fn read(&mut self) -> Vec<(usize, Cube)> {
        if self.board.count.load(Ordering::Acquire) == self.read {
            return Vec::new();
        }
        let posts = self.board.posts.lock().unwrap_or_else(PoisonError::into_inner);
        let news = posts[self.read..].iter().filter(|p| p.author != self.index);
        let news = news.map(|p| (p.frame, p.lemma.clone())).collect();
        self.read = posts.len();
        news
    }

    /// Whether it is this member's turn to propagate the lemma first.
    fn owns(&self, lemma: &Cube) -> bool {
        let mut hasher = FxHasher::default();
        lemma.hash(&mut hasher);
        (hasher.finish() >> 32) as usize % self.size == self.index
    }
}

impl<S: Solver + Default> Ic3<'_, S> {
    /// Tells the team, if there is one, of a lemma.
    pub(crate) fn post(&self, frame: usize, lemma: &Cube) {
        if let Some(member) = &self.member {
            member.post(frame, lemma.clone());
        }
    }

    /// Takes over what the team has found.
    pub(crate) fn take_over(&mut self) {
        let Some(member) = &mut self.member else { return };
        let news = member.read();
        self.adopt(news);
    }

    /// Gives waiting lemmas to the new frontier.
    pub(crate) fn take_over_waiting(&mut self) {
        let Some(member) = &mut self.member else { return };
        let waiting = std::mem::take(&mut member.waiting);
        self.adopt(waiting);
    }

    fn adopt(&mut self, lemmas: Vec<(usize, Cube)>) {
        let frontier = self.frames.frontier();
        for (frame, lemma) in lemmas {
            if frame == INFINITE {
                self.insert_infinite(lemma);
                continue;
            }
            if frontier > 0 {
                self.insert_lemma(frame.min(frontier), lemma.clone());
            }
            if frame > frontier
                && let Some(member) = &mut self.member
            {
                member.waiting.push((frame, lemma));
            }
        }
    }

    /// Splits lemmas into those this engine should propagate first and the others, which a team
    /// mate may be about to propagate.
    pub(crate) fn divide(&self, lemmas: Vec<Cube>) -> (Vec<Cube>, Vec<Cube>) {
        match &self.member {
            None => (lemmas, Vec::new()),
            Some(member) => lemmas.into_iter().partition(|l| member.owns(l)),
        }
    }
}
