//! Threads that take turns.
//!
//! Engines are written to run to their end; with fewer jobs than engines they still share the
//! processor fairly, and with one job a run can be repeated: however many threads there are, as
//! many as there are jobs are awake, and they change places after an amount of work, not of time.
//! Work is counted where engines and solvers look at their [`sat::Interrupt`], which they do every
//! so many steps; so an engine can be put to sleep in the middle of a hard question.
//!
//! With one job, the main thread has a seat as well: it gets its turn after all engines have had
//! theirs, and whenever one ends, and decides then, with nobody else awake. Turns grow, so that
//! little is lost by changing and nobody waits long for a start.

use sat::Pace;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// How turns grow.
pub const GROWTH: (u64, u64) = (9, 8);
/// How many times as long as the first the longest turn is.
pub const LONGEST: u64 = 50;
/// In what parts of a look the lengths of turns are counted, so that short ones can grow.
const PARTS: u64 = 16;

/// Who is awake, and who comes next.
pub struct Turns {
    state: Mutex<State>,
    changed: Condvar,
    /// The seat of the main thread.
    main: usize,
}

struct State {
    /// Who sleeps, in the order of waking up.
    queue: VecDeque<usize>,
    /// Whether a seat is awake.
    awake: Vec<bool>,
    /// Engines that have not ended.
    engines: usize,
    /// Whether nobody waits any more.
    released: bool,
}

impl Turns {
    /// Turns for so many engines. With one job the main thread, who is awake, takes part.
    pub fn new(jobs: usize, engines: usize) -> Arc<Turns> {
        let mut awake = vec![false; engines + 1];
        let mut queue: VecDeque<usize> = (0..engines).collect();
        match jobs {
            0 | 1 => awake[engines] = true,
            _ => queue.drain(..jobs.min(engines)).for_each(|seat| awake[seat] = true),
        }
        let state = State { queue, awake, engines, released: false };
        Arc::new(Turns { state: Mutex::new(state), changed: Condvar::new(), main: engines })
    }

    /// The seat of an engine, whose first turn has so many looks at the interrupt.
    pub fn seat(self: &Arc<Self>, number: usize, looks: u64) -> Arc<Seat> {
        Arc::new(Seat {
            turns: self.clone(),
            number,
            left: AtomicU64::new(looks),
            length: AtomicU64::new(PARTS * looks),
            longest: PARTS * LONGEST * looks,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sleep(&self, mut state: MutexGuard<'_, State>, seat: usize) {
        while !state.awake[seat] && !state.released {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets the next one work, and waits for its own turn.
    fn pass(&self, seat: usize) {
        let mut state = self.lock();
        if state.released {
            return;
        }
        let Some(next) = state.queue.pop_front() else { return };
        state.queue.push_back(seat);
        (state.awake[seat], state.awake[next]) = (false, true);
        self.changed.notify_all();
        self.sleep(state, seat);
    }

    /// The main thread lets the engines work, each for one turn, or until one of them ends.
    pub fn round(&self) {
        self.pass(self.main);
    }

    /// Whether there are engines that have not ended.
    pub fn engines(&self) -> bool {
        self.lock().engines > 0
    }

    /// From now on nobody waits.
    pub fn release(&self) {
        self.lock().released = true;
        self.changed.notify_all();
    }
}

/// A place in the queue.
pub struct Seat {
    turns: Arc<Turns>,
    number: usize,
    /// The looks that are left of this turn.
    left: AtomicU64,
    /// Of a turn, in parts of a look.
    length: AtomicU64,
    longest: u64,
}

impl Seat {
    /// Waits for the first turn.
    pub fn enter(&self) {
        self.turns.sleep(self.turns.lock(), self.number);
    }

    /// The engine has ended: the main thread comes next, if it waits, else whoever is next.
    pub fn leave(&self) {
        let mut state = self.turns.lock();
        state.engines -= 1;
        // One that never entered still waits for its turn.
        state.queue.retain(|seat| *seat != self.number);
        if std::mem::replace(&mut state.awake[self.number], false) {
            let main = state.queue.iter().position(|seat| *seat == self.turns.main);
            if let Some(next) = state.queue.remove(main.unwrap_or(0)) {
                state.awake[next] = true;
            }
        }
        self.turns.changed.notify_all();
    }
}

impl Pace for Seat {
    // Only the seat's own thread counts here, so the order of the accesses does not matter.
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
        self.turns.pass(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    /// The order in which three workers come to their looks.
    fn order(jobs: usize) -> Vec<usize> {
        let turns = Turns::new(jobs, 3);
        let (sender, seen) = channel();
        for number in 0..3 {
            let (seat, sender) = (turns.seat(number, 100), sender.clone());
            std::thread::spawn(move || {
                seat.enter();
                for _ in 0..1_000 {
                    // Nobody listens only if the test has failed.
                    let _ = sender.send(number);
                    seat.worked();
                }
                seat.leave();
            });
        }
        drop(sender);
        if jobs == 1 {
            while turns.engines() {
                turns.round();
            }
        }
        seen.iter().collect()
    }

    #[test]
    fn one_job_gives_one_order() {
        let first = order(1);
        assert_eq!(first.len(), 3_000);
        assert_eq!(first[..300], [[0; 100], [1; 100], [2; 100]].concat());
        for _ in 0..5 {
            assert_eq!(order(1), first);
        }
    }

    #[test]
    fn several_jobs_finish_all_work() {
        for jobs in 2..6 {
            assert_eq!(order(jobs).len(), 3_000);
        }
    }

    #[test]
    fn who_leaves_early_is_not_waited_for() {
        let turns = Turns::new(1, 2);
        let (stays, leaves) = (turns.seat(0, 5), turns.seat(1, 5));
        leaves.leave();
        let worker = std::thread::spawn(move || {
            stays.enter();
            (0..100).for_each(|_| stays.worked());
            stays.leave();
        });
        while turns.engines() {
            turns.round();
        }
        worker.join().expect("the worker gets through");
    }

    #[test]
    fn nobody_waits_after_a_release() {
        let turns = Turns::new(1, 2);
        let seats = [turns.seat(0, 1), turns.seat(1, 200)];
        turns.release();
        for seat in seats {
            seat.enter();
            (0..1_000).for_each(|_| seat.worked());
            seat.leave();
        }
        assert!(!turns.engines());
    }
}
