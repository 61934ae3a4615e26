//! Who watches Z3 while it is asked: time and the interrupt flag.
//!
//! Z3's own time limit wakes a thread of its own for each question and waits for it afterwards, which is
//! dear where questions take microseconds. So each thread that asks has one watcher, which ends with it.
//! Watchers look every [`POLL`], and what is answered before costs them nothing.

use answer::{Allowance, Interrupt};
use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use z3_sys::{Z3_context, Z3_interrupt};

/// How often a question that lasts is looked at.
const POLL: Duration = Duration::from_millis(10);
/// For how many looks nothing may be asked before the watcher sleeps until something is.
const PATIENCE: usize = 20;
/// What a watcher needs is little.
const STACK: usize = 128 << 10;

/// A question that is being asked.
struct Asked {
    /// The address of the context.
    context: usize,
    interrupt: Interrupt,
    deadline: Option<Instant>,
    /// Whether Z3 was told to end it.
    ended: bool,
}

#[derive(Default)]
struct State {
    asked: Option<Asked>,
    /// How many questions there have been.
    number: u64,
    /// Whether the watcher sleeps until it is woken.
    asleep: bool,
    over: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks until the thread that asks is over.
    fn watch(&self) {
        // The question that was there at the last look, and how often there was none.
        let (mut last, mut idle) = (0, 0);
        let mut state = self.lock();
        while !state.over {
            let Some(asked) = &state.asked else {
                idle += 1;
                state.asleep = idle > PATIENCE;
                state = match state.asleep {
                    true => self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
                    false => self.wait(state),
                };
                continue;
            };
            let (interrupt, deadline) = (asked.interrupt.clone(), asked.deadline);
            (idle, state.asleep) = (0, false);
            let number = state.number;
            if std::mem::replace(&mut last, number) != number {
                state = self.wait(state);
                continue;
            }
            // A look at the flag may take until a worker's turn comes: not under the lock.
            drop(state);
            let over = interrupt.is_raised() || deadline.is_some_and(|end| Instant::now() >= end);
            state = self.lock();
            if over && state.number == number {
                state.asked.iter_mut().for_each(Asked::end);
            }
            state = self.wait(state);
        }
    }

    fn wait<'a>(&'a self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.wake.wait_timeout(state, POLL).unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Asked {
    fn end(&mut self) {
        let context = std::ptr::NonNull::new(self.context as *mut _);
        self.ended = true;
        // SAFETY: who asks takes the question back, under the lock that is held here, before the
        // context goes; Z3_interrupt is the one call that is allowed while another thread is inside.
        unsafe { Z3_interrupt(context.expect("the address of a context")) };
    }
}

/// The watcher of a thread.
struct Watcher {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    fn new() -> Watcher {
        let shared = Arc::new(Shared::default());
        let theirs = shared.clone();
        let builder = std::thread::Builder::new().name("z3 watcher".to_owned()).stack_size(STACK);
        let thread = builder.spawn(move || theirs.watch()).expect("room for a small thread");
        Watcher { shared, thread: Some(thread) }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            // It has nothing to say.
            let _ = thread.join();
        }
    }
}

thread_local! {
    static WATCHER: RefCell<Option<Watcher>> = const { RefCell::new(None) };
}

/// Asks something that may take long. Says as well whether it was ended, after which the context makes
/// nothing any more.
pub(super) fn watched<T>(
    context: Z3_context,
    allowance: &Allowance,
    ask: impl FnOnce() -> T,
) -> (T, bool) {
    let shared = WATCHER
        .with(|watcher| watcher.borrow_mut().get_or_insert_with(Watcher::new).shared.clone());
    let mut state = shared.lock();
    state.number += 1;
    state.asked = Some(Asked {
        context: context.as_ptr() as usize,
        interrupt: allowance.interrupt.clone(),
        deadline: allowance.deadline,
        ended: false,
    });
    if state.asleep {
        shared.wake.notify_one();
    }
    drop(state);
    let answer = ask();
    let asked = shared.lock().asked.take();
    (answer, asked.is_some_and(|asked| asked.ended))
}
