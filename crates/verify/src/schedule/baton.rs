//! Turns for engines that are written to run to their end.
//!
//! Such an engine has a thread that sleeps until it is handed the baton, and hands it back after an
//! amount of work. Work is counted where engines and solvers look at their [`Interrupt`], which they
//! do every so many steps; so an engine can be put to sleep in the middle of a hard question. Turns
//! grow, so that little is lost by changing and nobody waits long for a start.

use super::{Player, Starter};
use answer::{EngineName, Interrupt, Pace};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How turns grow.
pub const GROWTH: (u64, u64) = (9, 8);
/// How many times as long as the first the longest turn is.
pub const LONGEST: u64 = 50;
/// In what parts of a look the lengths of turns are counted, so that short ones can grow.
const PARTS: u64 = 16;

/// Who may work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Holder {
    Scheduler,
    Engine,
    /// Both: nobody waits any more.
    Everybody,
}

/// What is handed to and fro.
pub struct Baton {
    holder: Mutex<Holder>,
    changed: Condvar,
    /// The looks that are left of this turn.
    left: AtomicU64,
    /// Of a turn, in parts of a look.
    length: AtomicU64,
    longest: u64,
}

impl Baton {
    /// With the scheduler. The first turn has so many looks at the interrupt.
    pub fn new(looks: u64) -> Arc<Baton> {
        Arc::new(Baton {
            holder: Mutex::new(Holder::Scheduler),
            changed: Condvar::new(),
            left: AtomicU64::new(looks),
            length: AtomicU64::new(PARTS * looks),
            longest: PARTS * LONGEST * looks,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Holder> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until somebody may work.
    fn await_turn(&self, mut holder: MutexGuard<'_, Holder>, who: Holder) {
        while *holder != who && *holder != Holder::Everybody {
            holder = self.changed.wait(holder).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Hands the baton over; none of it counts once everybody may work.
    fn hand_to(&self, who: Holder) -> MutexGuard<'_, Holder> {
        let mut holder = self.lock();
        if *holder != Holder::Everybody {
            *holder = who;
        }
        self.changed.notify_all();
        holder
    }

    /// From now on nobody waits.
    pub fn release(&self) {
        drop(self.hand_to(Holder::Everybody));
    }
}

impl Pace for Baton {
    // Only the engine's own thread counts here, so the order of the accesses does not matter.
    fn worked(&self) {
        let left = self.left.load(Ordering::Relaxed);
        if left > 1 {
            self.left.store(left - 1, Ordering::Relaxed);
            return;
        }
        let length = self.length.load(Ordering::Relaxed) * GROWTH.0 / GROWTH.1;
        let length = length.min(self.longest);
        self.length.store(length, Ordering::Relaxed);
        self.left.store(length / PARTS, Ordering::Relaxed);
        let holder = self.hand_to(Holder::Scheduler);
        self.await_turn(holder, Holder::Engine);
    }
}

/// Hands the baton back for good, also after a panic.
struct Leave(Arc<Baton>);

impl Drop for Leave {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// What an engine does, from its beginning to its end.
pub type Work<A> = Box<dyn FnOnce(Interrupt) -> A + Send>;

/// What is said for an engine that can't speak.
pub type Excuse<A> = Box<dyn Fn() -> A + Send>;

/// An engine that runs to its end, as a player.
pub struct Runner<A> {
    name: EngineName,
    baton: Arc<Baton>,
    interrupt: Interrupt,
    state: State<A>,
    starter: Starter,
    /// What is said if there is no thread for it, or if it ends without a word.
    excuse: Excuse<A>,
    /// Whether its thread has a deep stack.
    deep: bool,
}

enum State<A> {
    Waiting(Work<A>),
    Running(Receiver<A>),
    Done,
}

impl<A: Send + 'static> Runner<A> {
    /// An engine whose first turn has so many looks at its interrupt.
    pub fn new(
        name: EngineName,
        looks: u64,
        interrupt: &Interrupt,
        starter: &Starter,
        work: Work<A>,
        excuse: Excuse<A>,
    ) -> Self {
        let (baton, state) = (Baton::new(looks), State::Waiting(work));
        let (interrupt, starter) = (interrupt.clone(), starter.clone());
        Runner { name, baton, interrupt, state, starter, excuse, deep: true }
    }

    /// The same with a stack as usual, for those of whom there are many.
    pub fn shallow(mut self) -> Self {
        self.deep = false;
        self
    }

    /// From now on the engine needs no turns: it works beside the others.
    pub fn set_free(&mut self) {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Waiting(work) => {
                self.begin(work);
            }
            state => self.state = state,
        }
        self.baton.release();
    }

    /// What the engine says, if it has ended; waits for so long at most.
    pub fn poll(&mut self, patience: Duration) -> Option<A> {
        let State::Running(results) = &self.state else { return None };
        match results.recv_timeout(patience) {
            Ok(answer) => Some(answer),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some((self.excuse)()),
        }
    }

    /// Starts the thread; it waits for the baton.
    fn begin(&mut self, work: Work<A>) -> bool {
        let (sender, results) = channel();
        let (baton, interrupt) = (self.baton.clone(), self.interrupt.paced(self.baton.clone()));
        let run = move || {
            let leave = Leave(baton);
            leave.0.await_turn(leave.0.lock(), Holder::Engine);
            // Nobody listens any more once an answer was accepted.
            let _ = sender.send(work(interrupt));
        };
        let started = match self.deep {
            true => self.starter.start(self.name.as_str(), run),
            false => self.starter.start_shallow(self.name.as_str(), run),
        };
        self.state = State::Running(results);
        started
    }
}

impl<A: Send + 'static> Player<A> for Runner<A> {
    fn name(&self) -> &EngineName {
        &self.name
    }

    fn play(&mut self) -> A {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Waiting(work) => work(self.interrupt.clone()),
            State::Running(_) | State::Done => (self.excuse)(),
        }
    }

    fn turn(&mut self, _: usize) -> Option<A> {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Waiting(work) => {
                if !self.begin(work) {
                    return Some((self.excuse)());
                }
            }
            state => self.state = state,
        }
        let State::Running(results) = &self.state else { return Some((self.excuse)()) };
        let holder = self.baton.hand_to(Holder::Engine);
        self.baton.await_turn(holder, Holder::Scheduler);
        let over = *self.baton.lock() == Holder::Everybody;
        over.then(|| results.recv().unwrap_or_else(|_| (self.excuse)()))
    }

    fn without_thread(&self) -> A {
        (self.excuse)()
    }
}

/// Who is put away does not wait for a turn any more.
impl<A> Drop for Runner<A> {
    fn drop(&mut self) {
        self.baton.release();
    }
}
