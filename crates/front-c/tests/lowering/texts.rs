//! Programs that check themselves, as `lowering.rs` runs them and other tests mutate them.

/// The texts with their names. Each is several programs, separated by a line of dashes; a line
/// `? condition` stands for a `return` of the line's number if the condition does not hold.
pub const TEXTS: [(&str, &str); 8] = [
    ("integers", include_str!("integers.c")),
    ("control", include_str!("control.c")),
    ("memory", include_str!("memory.c")),
    ("calls", include_str!("calls.c")),
    ("floats", include_str!("floats.c")),
    ("library", include_str!("library.c")),
    ("extensions", include_str!("extensions.c")),
    ("wide", include_str!("wide.c")),
];
