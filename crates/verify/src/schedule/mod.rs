//! One scheduler for engines on programs and on circuits.
//!
//! Whoever looks for an answer is a [`Player`]. With as many jobs as players, each has a thread and
//! works to its end: *threads by time*. With fewer, players take *turns measured in work*, not in
//! time: so many threads as there are jobs take the next player, give it a turn, and put it back. With
//! one job that thread is the caller's own, and equal questions are worked on in equal ways.
//!
//! Some engines can be asked to work for a turn and go on later; they are players as they are. Those
//! that are written to run to their end get a thread that sleeps between their turns ([`baton`]).
//!
//! No thread outlives its question: [`Workers`] joins what was told to end.

pub mod baton;
mod courtesy;
mod workers;

pub use courtesy::Courtesy;
pub use workers::{Starter, Workers};

use answer::EngineName;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The stack of an engine's thread: terms are walked without recursion, commands with it.
pub const STACK: usize = 256 << 20;

/// Somebody who looks for an answer.
pub trait Player<A> {
    /// Who it is.
    fn name(&self) -> &EngineName;

    /// Works until there is an answer. Asked once, and never if there are turns.
    fn play(&mut self) -> A;

    /// Works for one turn; none if it wants another one. Turns are counted from zero.
    fn turn(&mut self, number: usize) -> Option<A>;

    /// The answer of a player that can't be given a thread.
    fn without_thread(&self) -> A;
}

/// What a player has found.
pub struct Found<A> {
    /// Who.
    pub player: EngineName,
    /// What.
    pub answer: A,
}

/// What waiting came to.
pub enum Next<A> {
    /// Somebody has found something.
    Found(Found<A>),
    /// Nothing yet; in turns, everybody has had one.
    Quiet,
    /// All are through.
    Over,
}

/// A player that can go from thread to thread.
pub type Traveller<A> = Box<dyn Player<A> + Send>;

/// Players at work.
pub struct Schedule<'p, A> {
    mode: Mode<'p, A>,
}

enum Mode<'p, A> {
    /// The caller's thread gives the turns.
    Caller { players: Vec<(Box<dyn Player<A> + 'p>, usize)>, next: usize },
    /// Threads do.
    Threads { results: Receiver<Found<A>> },
}

impl<'p, A: Send + 'static> Schedule<'p, A> {
    /// Players that take turns on the caller's thread, in this order.
    pub fn in_turns(players: Vec<Box<dyn Player<A> + 'p>>) -> Self {
        let players = players.into_iter().map(|player| (player, 0)).collect();
        Schedule { mode: Mode::Caller { players, next: 0 } }
    }

    /// Players on so many threads, which are started by `starter`. With one job, and several players,
    /// they take turns on the caller's thread.
    pub fn start(players: Vec<Traveller<A>>, jobs: usize, starter: &Starter) -> Self {
        if jobs <= 1 && players.len() > 1 {
            let players = players.into_iter().map(|player| player as Box<dyn Player<A>>);
            return Schedule::in_turns(players.collect());
        }
        let (sender, results) = channel();
        if jobs >= players.len() {
            players.into_iter().for_each(|player| play(player, &sender, starter));
        } else {
            let queue = players.into_iter().map(|player| (player, 0)).collect();
            let queue: Queue<A> = Arc::new(Mutex::new(queue));
            (0..jobs).for_each(|_| serve(&queue, &sender, starter));
        }
        Schedule { mode: Mode::Threads { results } }
    }

    /// Whether players sleep while the caller works.
    pub fn is_sequential(&self) -> bool {
        matches!(self.mode, Mode::Caller { .. })
    }

    /// Waits for the next answer, not longer than `patience`; in turns, until everybody has had one.
    pub fn next(&mut self, patience: Duration) -> Next<A> {
        match &mut self.mode {
            Mode::Caller { players, next } => round(players, next),
            Mode::Threads { results } => match results.recv_timeout(patience) {
                Ok(found) => Next::Found(found),
                Err(RecvTimeoutError::Timeout) => Next::Quiet,
                Err(RecvTimeoutError::Disconnected) => Next::Over,
            },
        }
    }

    /// The first answer that `ends` accepts as one, or the last of the others; none if nobody had
    /// any. `tick` is called now and then, and says whether to go on.
    pub fn first(
        mut self,
        patience: Duration,
        mut ends: impl FnMut(&Found<A>) -> bool,
        mut tick: impl FnMut() -> bool,
    ) -> Option<Found<A>> {
        let mut last = None;
        while tick() {
            match self.next(patience) {
                Next::Found(found) if ends(&found) => return Some(found),
                Next::Found(found) => last = Some(found),
                Next::Quiet => {}
                Next::Over => break,
            }
        }
        last
    }
}

/// One turn for everybody, from where the last round was left.
fn round<A>(players: &mut Vec<(Box<dyn Player<A> + '_>, usize)>, next: &mut usize) -> Next<A> {
    if players.is_empty() {
        return Next::Over;
    }
    while let Some((player, number)) = players.get_mut(*next) {
        let answer = player.turn(*number);
        *number += 1;
        match answer {
            None => *next += 1,
            Some(answer) => {
                let (player, _) = players.remove(*next);
                return Next::Found(Found { player: player.name().clone(), answer });
            }
        }
    }
    *next = 0;
    Next::Quiet
}

/// Gives a player a thread.
fn play<A: Send + 'static>(mut player: Traveller<A>, sender: &Sender<Found<A>>, starter: &Starter) {
    let (name, sender) = (player.name().clone(), sender.clone());
    let excuse = Found { player: name.clone(), answer: player.without_thread() };
    let theirs = sender.clone();
    let work = move || {
        let found = Found { player: player.name().clone(), answer: player.play() };
        // Nobody listens any more once an answer was accepted.
        let _ = theirs.send(found);
    };
    if !starter.start(name.as_str(), work) {
        let _ = sender.send(excuse);
    }
}

/// Players that wait for their next turn.
type Queue<A> = Arc<Mutex<VecDeque<(Traveller<A>, usize)>>>;

/// A thread that gives turns to whoever waits.
fn serve<A: Send + 'static>(queue: &Queue<A>, sender: &Sender<Found<A>>, starter: &Starter) {
    let (queue, sender) = (queue.clone(), sender.clone());
    let work = move || {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        // Who finds nobody waiting is not needed: there are no more players than the other threads.
        while let Some((mut player, number)) = next() {
            match player.turn(number) {
                Some(answer) => {
                    let found = Found { player: player.name().clone(), answer };
                    if sender.send(found).is_err() {
                        return;
                    }
                }
                None => {
                    let mut waiting = queue.lock().unwrap_or_else(PoisonError::into_inner);
                    waiting.push_back((player, number + 1));
                }
            }
        }
    };
    // Without a thread there is one job less.
    starter.start("turns", work);
}

/// The moment after so much time, if the clock can tell it.
pub(crate) fn later(patience: Duration) -> Option<Instant> {
    Instant::now().checked_add(patience)
}

#[cfg(test)]
mod tests;
