//! What verifiers give a meaning: assertions, assumptions, unknown values; and how programs end.

use super::Call;
use crate::diagnostic::{Diagnostic, Result};
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use program::Property;
use program::program::{Cause, Instruction};
use term::Term;

/// Whether reaching the function is the error.
pub(in crate::lower) fn is_error(name: &str) -> bool {
    matches!(name, "reach_error" | "__VERIFIER_error")
}

/// Whether the function gives a value from the environment.
pub(in crate::lower) fn is_input(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet_") || name.starts_with("nondet_") || name == "nondet"
}

/// Functions that end the run; those in the second list run destructors before.
const END: [&str; 7] =
    ["abort", "_exit", "_Exit", "quick_exit", "__stack_chk_fail", "panic", "__chk_fail"];
const ORDERLY_END: [&str; 1] = ["exit"];
/// Those of the first list that end the program without fault.
const QUICK_END: [&str; 3] = ["_exit", "_Exit", "quick_exit"];

/// Functions that a failed assertion calls.
const FAILURE: [&str; 7] = [
    "__assert_fail",
    "__assert_perror_fail",
    "__assert_rtn",
    "__assert",
    "__assert_func",
    "_assert",
    "_wassert",
];

/// Names that have a meaning for verifiers; to guess it would be wrong.
const INTRINSIC: [&str; 3] = ["__ESBMC_", "__CPROVER_", "__VERIFIER_"];

/// What is out of scope, and why.
const REJECTED: [(&str, &str); 15] = [
    ("setjmp", "non-local jumps are not supported"),
    ("_setjmp", "non-local jumps are not supported"),
    ("__sigsetjmp", "non-local jumps are not supported"),
    ("sigsetjmp", "non-local jumps are not supported"),
    ("longjmp", "non-local jumps are not supported"),
    ("_longjmp", "non-local jumps are not supported"),
    ("siglongjmp", "non-local jumps are not supported"),
    ("pthread_create", "concurrent programs are not supported"),
    ("thrd_create", "concurrent programs are not supported"),
    ("fork", "concurrent programs are not supported"),
    ("vfork", "concurrent programs are not supported"),
    ("clone", "concurrent programs are not supported"),
    ("fmemopen", "streams in memory are not supported"),
    ("open_memstream", "streams in memory are not supported"),
    ("fopencookie", "streams in memory are not supported"),
];

/// Functions that print a message and end the run if their first argument is not zero.
const ERRORS: [&str; 2] = ["error", "error_at_line"];

impl Lowerer<'_> {
    fn error_message(&mut self, call: &Call<'_>) -> Result<Value> {
        let status = self.first_truth(call)?;
        let (end, on) = (self.new_location(), self.new_location());
        self.split(status, end, on);
        self.continue_at(end);
        self.call_destructors();
        self.check_blocks();
        self.stop();
        self.continue_at(on);
        Ok(Value::Void)
    }

    pub(super) fn control_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let name = call.name;
        if let Some((_, why)) = REJECTED.iter().find(|(n, _)| *n == name) {
            return Err(Diagnostic::error(self.span, format!("call of '{name}': {why}")));
        }
        if self.ends_run(name) {
            return Ok(Some(Value::Void));
        }
        if is_input(name) {
            return self.input(call).map(Some);
        }
        if ERRORS.contains(&name) && call.system && !call.arguments.is_empty() {
            return self.error_message(call).map(Some);
        }
        match name {
            "__VERIFIER_assume" | "__CPROVER_assume" | "__ESBMC_assume" | "__builtin_assume"
            | "assume" => {
                let condition = self.first_truth(call)?;
                if self.options.caller.cycle.is_some() {
                    let place = self.here();
                    self.assume_that(format!(
                        "what '{name}' is given in line {} holds",
                        place.line
                    ));
                }
                self.assume(condition);
            }
            "__VERIFIER_assert" | "__CPROVER_assert" | "__ESBMC_assert" | "assert" => {
                let condition = self.first_truth(call)?;
                self.check(Property::Assert, condition);
                // A failed assertion ends the run, asked for or not.
                self.assume(condition);
            }
            "__CPROVER_havoc_slice" if call.arguments.len() == 2 => {
                let address = self.word_argument(call, 0)?;
                let length = self.word_argument(call, 1)?;
                let cause = Cause::Input(name.into());
                self.emit(Instruction::HavocBytes { address, length, cause });
            }
            "__VERIFIER_atomic_begin"
            | "__VERIFIER_atomic_end"
            | "__ESBMC_atomic_begin"
            | "__ESBMC_atomic_end"
            | "__CPROVER_atomic_begin"
            | "__CPROVER_atomic_end" => {}
            // Hints to other verifiers.
            "__CPROVER_loop_invariant" | "__ESBMC_unroll" => {}
            "__ESBMC_loop_invariant" => {
                let message = format!("'{name}' must stand directly before a loop");
                return Err(Diagnostic::error(self.span, message));
            }
            _ if INTRINSIC.iter().any(|prefix| name.starts_with(prefix)) => {
                let message = format!("'{name}' of another verifier is not supported");
                return Err(Diagnostic::error(self.span, message));
            }
            _ => return Ok(None),
        }
        match self.c.types.is_void(call.ty) {
            true => Ok(Some(Value::Void)),
            false => self.unknown_value(call.ty, Cause::Unknown(name.into())).map(Some),
        }
    }

    /// Functions after which nothing comes: whether this is one.
    fn ends_run(&mut self, name: &str) -> bool {
        if is_error(name) {
            let never = self.pool.fls();
            self.check(Property::Reach, never);
            self.stop();
            return true;
        }
        if FAILURE.contains(&name) {
            let never = self.pool.fls();
            self.check(Property::Assert, never);
            self.stop();
            return true;
        }
        if ORDERLY_END.contains(&name) {
            self.call_destructors();
            self.check_blocks();
            self.stop();
            return true;
        }
        if END.contains(&name) {
            if QUICK_END.contains(&name) {
                self.check_blocks();
            }
            self.stop();
            return true;
        }
        false
    }

    fn first_truth(&mut self, call: &Call<'_>) -> Result<Term> {
        let term = self.argument(call, 0)?;
        Ok(self.truth(term))
    }

    /// A value from the environment. A function declared without a type in its name gives what its
    /// result type says.
    fn input(&mut self, call: &Call<'_>) -> Result<Value> {
        if call.name == "__VERIFIER_nondet_memory" {
            let address = self.word_argument(call, 0)?;
            let length = self.word_argument(call, 1)?;
            let cause = Cause::Input(call.name.into());
            self.emit(Instruction::HavocBytes { address, length, cause });
            return Ok(Value::Void);
        }
        self.unknown_value(call.ty, Cause::Input(call.name.into()))
    }
}
