//! What can be asked of a program, and what a check is about.

use std::fmt;

/// A kind of check.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Property {
    /// `reach_error`, `__VERIFIER_error` or a label named by the user is never reached.
    Reach,
    /// Assertions hold (`assert`, `__VERIFIER_assert`, `__assert_fail` is never called).
    Assert,
    /// No signed operation overflows.
    Overflow,
    /// No division by zero.
    DivisionByZero,
    /// Shifts are by less than the width, and not of negative values.
    Shift,
    /// Indices are within their arrays.
    Bounds,
    /// Dereferenced pointers point to a living object, with all bytes of the access.
    Pointer,
    /// What is freed was allocated and is alive, or null.
    Free,
    /// No object is read before it is written.
    Uninitialized,
    /// A library function that must not be given overlapping blocks of memory is not.
    Overlap,
    /// A function whose value is used returns one; one that never returns does not.
    Return,
    /// Whatever is allocated is freed before the program ends.
    Cleanup,
    /// Whatever is allocated and not freed when the program ends can still be reached.
    Tracked,
    /// What a program promises the compiler holds: `__builtin_unreachable` is not reached, and zeros are
    /// counted of numbers other than zero (`__builtin_clz`, `__builtin_ctz`).
    Promise,
    /// No floating operation turns numbers into a NaN or an infinity.
    Float,
    /// No loop goes on for ever within a cycle of a controller.
    Termination,
    /// All code is reached by some run. A question of its own for each place, made where that is
    /// asked; its check stands at the place and always fails.
    DeadCode,
    /// No recursion is deeper than it was unrolled. Made by unrolling, never by a front end: a
    /// violation says that the model ends here, not that the program fails.
    Unwinding,
    /// What somebody claims of the program, as an invariant of a witness, holds. Made where a
    /// witness is checked.
    Claim,
}

impl Property {
    /// All that a user can ask for.
    pub const ALL: [Property; 17] = [
        Property::Reach,
        Property::Assert,
        Property::Overflow,
        Property::DivisionByZero,
        Property::Shift,
        Property::Bounds,
        Property::Pointer,
        Property::Free,
        Property::Uninitialized,
        Property::Overlap,
        Property::Return,
        Property::Promise,
        Property::Cleanup,
        Property::Tracked,
        Property::Float,
        Property::Termination,
        Property::DeadCode,
    ];

    /// What a program must do to have a meaning at all: the run-time errors of the C standard.
    pub const DEFINED: [Property; 10] = [
        Property::Overflow,
        Property::DivisionByZero,
        Property::Shift,
        Property::Bounds,
        Property::Pointer,
        Property::Free,
        Property::Uninitialized,
        Property::Overlap,
        Property::Return,
        Property::Promise,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Property::Reach => "reach",
            Property::Assert => "assert",
            Property::Overflow => "overflow",
            Property::DivisionByZero => "div0",
            Property::Shift => "shift",
            Property::Bounds => "bounds",
            Property::Pointer => "pointer",
            Property::Free => "free",
            Property::Uninitialized => "uninit",
            Property::Overlap => "overlap",
            Property::Return => "return",
            Property::Promise => "promise",
            Property::Cleanup => "memcleanup",
            Property::Tracked => "memtrack",
            Property::Float => "float",
            Property::Termination => "termination",
            Property::DeadCode => "dead-code",
            Property::Unwinding => "unwinding",
            Property::Claim => "claim",
        }
    }

    /// The property with a name.
    pub fn named(name: &str) -> Option<Property> {
        Property::ALL.into_iter().find(|property| property.name() == name)
    }

    /// Whether a run that fails the check ends there, where the check is not asked for: no machine
    /// goes on after a division by zero or an access through a null pointer. A failed check of the
    /// other kinds is without consequence (signed overflow wraps, a shift by too much gives what
    /// SMT-LIB says) or ends the run by other means.
    pub fn is_fatal(self) -> bool {
        matches!(
            self,
            Property::DivisionByZero
                | Property::Bounds
                | Property::Pointer
                | Property::Free
                | Property::Unwinding
        )
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
