//! A run counts if it takes no value that nothing says can be taken.
//!
//! The model of some library functions and of inline assembly is wider than what they do: their
//! results are unknown to us, and not to the program. A run that takes one need not exist.

use crate::code::encode::Encoding;
use program::program::Cause;
use program::verdict::Run;

/// Where a run takes a value from, though nothing says that it can be taken.
pub(super) fn source(encoding: &Encoding, run: &Run) -> Option<String> {
    let inputs = run.steps.iter().flat_map(|step| &step.inputs);
    let causes = inputs.map(|(input, _)| &encoding.minimized.cfa.inputs[*input].cause);
    causes.into_iter().find_map(approximate)
}

/// What gives a value that is unknown to us and not to the program.
pub(crate) fn approximate(cause: &Cause) -> Option<String> {
    match cause {
        Cause::Approximated(what) if what.contains(' ') => Some(what.to_string()),
        Cause::Approximated(function) => Some(format!("{function}()")),
        Cause::Assembly => Some("inline assembly".to_owned()),
        _ => None,
    }
}
