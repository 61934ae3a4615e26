//! What tests ask about that are not about run-time errors.

/// Assertions are asked about, unless the arguments ask about something.
pub fn asked(arguments: &[&str]) -> &'static [&'static str] {
    let says = |option: &&str| ["--property", "--undefined", "--only"].contains(option);
    if arguments.iter().any(says) { &[] } else { &["--property", "assert"] }
}
