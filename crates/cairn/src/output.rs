//! What the process says on standard output and standard error, and what happens where it can't.
//!
//! A pipe that nobody reads any more is no failure: the rest is not printed, and the exit code is what
//! it would have been. If standard output can't be written for another reason (the disk is full), that
//! is said on standard error, nothing more is printed, and the exit code says so ([`settled`]).

use crate::exit::Exit;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the end of what is printed is lost, and whether somebody wanted it.
static ENDED: AtomicBool = AtomicBool::new(false);
static LOST: AtomicBool = AtomicBool::new(false);

/// Prints a line on standard output.
pub fn print(line: &str) {
    print_with(|out| writeln!(out, "{line}"));
}

/// Prints a text as it is.
pub fn print_all(text: impl AsRef<[u8]>) {
    print_with(|out| out.write_all(text.as_ref()));
}

/// Lets somebody print, unless what was printed before is lost.
pub fn print_with(write: impl FnOnce(&mut io::Stdout) -> io::Result<()>) {
    if ENDED.load(Ordering::Relaxed) {
        return;
    }
    let mut out = io::stdout();
    // What is left in the buffer would be lost in silence when the process ends.
    let Err(error) = write(&mut out).and_then(|()| out.flush()) else { return };
    ENDED.store(true, Ordering::Relaxed);
    if error.kind() != ErrorKind::BrokenPipe {
        LOST.store(true, Ordering::Relaxed);
        complain(&format!("standard output: {error}"));
    }
}

/// Says what is wrong, or a figure, on standard error. Where that can't be written, there is nobody to
/// tell.
pub fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// The exit code, where standard output may have been lost.
pub fn settled(exit: Exit) -> Exit {
    if LOST.load(Ordering::Relaxed) { Exit::Input } else { exit }
}

/// Ends the process, with all threads that are still at work.
pub fn leave(exit: Exit) -> ! {
    crate::revision::clean();
    std::process::exit(i32::from(settled(exit).code()))
}
