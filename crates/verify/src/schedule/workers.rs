//! The threads of a question.

use super::STACK;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// All threads that work on a question; dropping it waits for them. Whoever owns the question tells
/// them to end before.
#[derive(Default)]
pub struct Workers(Starter);

/// Starts threads of a question. Clones are about the same ones.
#[derive(Clone, Default)]
pub struct Starter(Arc<Mutex<Vec<JoinHandle<()>>>>);

impl Starter {
    /// Starts a thread with a deep stack; whether there is room for it.
    pub fn start(&self, name: &str, work: impl FnOnce() + Send + 'static) -> bool {
        self.spawn(Builder::new().name(name.to_owned()).stack_size(STACK), work)
    }

    /// Starts a thread with a stack as usual; whether there is room for it.
    pub fn start_shallow(&self, name: &str, work: impl FnOnce() + Send + 'static) -> bool {
        self.spawn(Builder::new().name(name.to_owned()), work)
    }

    fn spawn(&self, builder: Builder, work: impl FnOnce() + Send + 'static) -> bool {
        self.reap();
        builder.spawn(work).map(|handle| self.threads().push(handle)).is_ok()
    }

    /// Joins the threads that have ended: until then their stacks take addresses.
    fn reap(&self) {
        let ended: Vec<_> = self.threads().extract_if(.., |thread| thread.is_finished()).collect();
        // Whoever has panicked has said so, and gives no answer.
        ended.into_iter().for_each(|thread| drop(thread.join()));
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workers {
    /// For those who start threads.
    pub fn starter(&self) -> &Starter {
        &self.0
    }

    /// How many have not ended.
    pub fn at_work(&self) -> usize {
        self.0.threads().iter().filter(|thread| !thread.is_finished()).count()
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Workers").field(&self.at_work()).finish()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        loop {
            // A thread that is waited for may start another one.
            let Some(thread) = self.0.threads().pop() else { return };
            // Whoever has panicked has said so, and gives no answer.
            let _ = thread.join();
        }
    }
}
