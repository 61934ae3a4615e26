//! What can be wrong with an AIGER file, and what to do about it.

use crate::place::Place;

/// An AIGER file that can't be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// The file does not start with `aag` or `aig`.
    #[error("not an AIGER file: it starts with neither \"aag \" nor \"aig \"")]
    NotAiger,
    /// Something else was expected here.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What the format wants.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// The file ends too early.
    #[error(
        "the file ends where {0} is expected: it is truncated, or the header's counts are too large"
    )]
    Truncated(&'static str),
    /// A number beyond what can be represented.
    #[error("the number is too large: at most {0} is supported here")]
    NumberTooLarge(u64),
    /// The counts of the header contradict each other.
    #[error(
        "the header's maximum variable {maximum} {wanted} inputs + latches + ands = {sum}; correct the first number"
    )]
    Maximum {
        /// M
        maximum: u64,
        /// The relation that should hold.
        wanted: &'static str,
        /// I + L + A
        sum: u64,
    },
    /// More inputs than a file of this length plausibly has.
    #[error(
        "the header announces {inputs} inputs in a file of {length} bytes; at most {limit} are accepted for this length"
    )]
    TooManyInputs {
        /// I
        inputs: u64,
        /// The file's length.
        length: usize,
        /// The largest number accepted.
        limit: u64,
    },
    /// Liveness.
    #[error(
        "{count} {what} announced: liveness is not supported; remove them to check safety alone"
    )]
    Liveness {
        /// Justice properties or fairness constraints.
        what: &'static str,
        /// How many.
        count: u64,
    },
    /// A literal larger than the header allows.
    #[error(
        "literal {literal} exceeds the header's maximum {maximum} (twice the maximum variable, plus one)"
    )]
    LiteralTooLarge {
        /// The literal.
        literal: u64,
        /// 2M + 1
        maximum: u64,
    },
    /// A definition of a negated literal or of a constant.
    #[error("{what} must define an even literal of at least 2, not {literal}")]
    NotDefinable {
        /// What is being defined.
        what: &'static str,
        /// The literal.
        literal: u64,
    },
    /// Two definitions of one variable.
    #[error(
        "variable {variable} (literal {literal}) is defined a second time; first on line {first}"
    )]
    Redefined {
        /// The variable.
        variable: u64,
        /// Its literal.
        literal: u64,
        /// The line of the first definition.
        first: usize,
    },
    /// A literal that no input, latch or gate defines.
    #[error("literal {0} is used, but no input, latch or gate defines its variable")]
    Undefined(u64),
    /// A gate that depends on itself.
    #[error(
        "the gate of literal {0} depends on itself through gates alone; a latch must break the cycle"
    )]
    Cycle(u64),
    /// A reset that is neither a constant nor the latch itself.
    #[error(
        "latch {latch} resets to literal {reset}; only 0, 1 and {latch} (uninitialized) are possible"
    )]
    Reset {
        /// The latch's literal.
        latch: u64,
        /// What it resets to.
        reset: u64,
    },
    /// A binary gate whose operands are not below it.
    #[error(
        "difference {difference} leads below literal 0 from {from}: the gate's code is damaged"
    )]
    Difference {
        /// The code found.
        difference: u64,
        /// The literal it is subtracted from.
        from: u64,
    },
    /// A binary gate that names itself as operand.
    #[error(
        "the first difference of the gate of literal {0} is 0: a gate must lie above its operands"
    )]
    NotAbove(u64),
    /// A symbol for something that does not exist.
    #[error("symbol for {kind}{index}, but the file has only {count} of these (counted from 0)")]
    NoSuchSymbol {
        /// The kind's letter.
        kind: char,
        /// The position named.
        index: u64,
        /// How many there are.
        count: usize,
    },
    /// Two symbols for one thing.
    #[error("second symbol for {kind}{index}; keep one")]
    SymbolTwice {
        /// The kind's letter.
        kind: char,
        /// The position named.
        index: u64,
    },
}
