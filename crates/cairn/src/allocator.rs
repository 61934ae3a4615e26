//! The allocator: mimalloc, and an answer where it has nothing left to give.
//!
//! Memory limits are watched ([`crate::limits`]), but one allocation can be larger than all that is
//! left. Rust would abort; a run that owes an answer gives it first.

use crate::exit::Exit;
use libmimalloc_sys::{mi_option_get, mi_option_set};
use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The allocator of the process.
pub struct Allocator;

/// What is printed when there is no memory left, and how the process exits.
static LAST_WORDS: OnceLock<(String, Exit)> = OnceLock::new();

/// The number of mimalloc's option for how many KiB of addresses are reserved at once, and what it
/// is unless somebody says otherwise.
const ARENA_RESERVE: i32 = 23;
const USUAL_RESERVE: i64 = 1 << 20;
/// The least that it takes.
const LEAST_RESERVE: i64 = 32 << 10;

/// Lets the allocator reserve addresses as they are needed: where they are limited (`ulimit -v`),
/// gigabytes that nobody uses would end the run.
pub fn reserve_little() {
    // SAFETY: both may be called at any time; numbers that are no option's are ignored.
    unsafe {
        if mi_option_get(ARENA_RESERVE) == USUAL_RESERVE {
            mi_option_set(ARENA_RESERVE, LEAST_RESERVE);
        }
    }
}

/// Says what the answer is should memory run out; the first to say so is heard.
pub fn set_last_words(words: String, exit: Exit) {
    // Only one run at a time owes an answer.
    let _ = LAST_WORDS.set((words, exit));
}

/// Memory as it was given; without any, the last words, if there are some.
fn given(memory: *mut u8) -> *mut u8 {
    if memory.is_null()
        && let Some((words, exit)) = LAST_WORDS.get()
    {
        say(words);
        std::process::exit(i32::from(exit.code()));
    }
    memory
}

/// Prints a line without allocating and without the lock that somebody else may hold, once.
fn say(words: &str) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: standard output is open as long as the process lives, and not closed here.
    let mut out = ManuallyDrop::new(unsafe { File::from_raw_fd(1) });
    // If nobody listens there is nothing left to say.
    let _ = out.write_all(words.as_bytes()).and_then(|()| out.write_all(b"\n"));
}

// SAFETY: everything is handed on to mimalloc, and comes back as it was given.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is handed on.
        given(unsafe { MiMalloc.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { MiMalloc.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { MiMalloc.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { MiMalloc.dealloc(memory, layout) }
    }
}
