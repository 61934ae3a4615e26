//! Threads that can be asked to give way to others of the same question.
//!
//! All threads of a question are equal to the system. Where one of them is known to be more, or less,
//! likely to end soon, the others give way to it, or it to them: their work counts less, as the system
//! counts it, and they have what is left of the processor. Where nobody else wants it, nothing changes.

use rustix::process::{Pid, setpriority_process};
use rustix::thread::gettid;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Some threads, and how polite they are. Clones are about the same ones.
#[derive(Clone, Default)]
pub struct Courtesy(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    threads: Vec<Pid>,
    /// How much less their work counts; none while they are equal to others.
    niceness: Option<i32>,
}

impl Courtesy {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread that asks is one of them until it ends the visit.
    pub fn join(&self) -> Visit {
        let thread = gettid();
        let mut state = self.lock();
        state.threads.push(thread);
        if let Some(niceness) = state.niceness {
            lower(thread, niceness);
        }
        drop(state);
        Visit { courtesy: self.clone(), thread }
    }

    /// They give way, also those that join later; only the first time counts.
    pub fn give_way(&self, niceness: i32) {
        let mut state = self.lock();
        if state.niceness.is_none() {
            state.niceness = Some(niceness);
            state.threads.iter().for_each(|thread| lower(*thread, niceness));
        }
    }
}

/// A thread that is one of them.
pub struct Visit {
    courtesy: Courtesy,
    thread: Pid,
}

/// A thread that ended may have handed its number on.
impl Drop for Visit {
    fn drop(&mut self) {
        self.courtesy.lock().threads.retain(|thread| *thread != self.thread);
    }
}

/// The thread gives way.
fn lower(thread: Pid, niceness: i32) {
    // Where the system does not allow it, it is one among equals.
    let _ = setpriority_process(Some(thread), niceness);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::getpriority_process;
    use std::sync::mpsc::channel;
    use std::thread::spawn;

    /// How polite a new thread is: with those who were asked before it joins, or after it.
    fn niceness(courtesy: &Courtesy, late: bool) -> i32 {
        let (joined, is_joined) = channel();
        let (asked, is_asked) = channel();
        let theirs = courtesy.clone();
        let thread = spawn(move || {
            let _visit = theirs.join();
            joined.send(()).expect("somebody waits");
            is_asked.recv().expect("somebody asks");
            getpriority_process(Some(gettid())).expect("a thread knows its own")
        });
        is_joined.recv().expect("it joins");
        if late {
            courtesy.give_way(3);
        }
        asked.send(()).expect("it waits");
        thread.join().expect("it ends")
    }

    #[test]
    fn those_who_are_there_and_those_who_come_give_way() {
        let before = getpriority_process(None).expect("a process knows its own");
        let courtesy = Courtesy::default();
        assert_eq!(niceness(&courtesy, false), before);
        assert_eq!(niceness(&courtesy, true), before + 3);
        assert_eq!(niceness(&courtesy, false), before + 3);
        assert!(courtesy.lock().threads.is_empty());
    }
}
