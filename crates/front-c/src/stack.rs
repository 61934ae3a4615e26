//! A thread with a stack deep enough for the front end's bounded recursion.

/// The recursive parts of the front end descend at most a few thousand levels (nesting is
/// bounded by [`crate::parse::MAX_NESTING`], implicit conversions add a few levels to each);
/// this leaves them tens of kilobytes per level, far more than an unoptimized build takes. The
/// pages are only touched when used.
const STACK_BYTES: usize = 256 << 20;

/// Runs `work` on a deep stack and gives its result. A panic in `work` goes on in the caller.
///
/// # Panics
/// When the system cannot start a thread.
pub fn with_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
        let handle = builder.spawn_scoped(scope, work).expect("the system can start a thread");
        handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
