//! A thread with a stack deep enough for the bounded recursion of front ends.

/// Front ends descend at most a few thousand levels: each bounds the nesting that it accepts, and
/// says so in a message. This leaves them tens of kilobytes per level, far more than an
/// unoptimized build takes. The pages are only touched when used.
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
