//! Functions without a body: what they do, by name.
//!
//! One file a subject; each function there that knows the name does the work. A function of the
//! library that nobody knows has an unknown result and writes unknown values through its arguments
//! ([`unmodelled`]); any other is missing ([`missing`]).

mod buffer;
mod character;
mod control;
mod curve;
mod format;
mod kept;
mod math;
mod memory;
mod missing;
mod number;
mod output;
mod print;
mod scan;
mod sort;
mod span;
mod stream;
mod string;
mod system;
mod unmodelled;

use super::Lowerer;
use super::expression::Value;
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::{FunctionId, ObjectId};
use crate::types::TypeId;
use program::program::Cause;
use term::Term;
use unmodelled::is_unmodelled;

pub(super) use control::{is_error, is_input};
pub(super) use kept::Kept;
pub(super) use math::is_function_of_floats;
pub(super) use missing::Changes;

/// The arguments of a call, with their types.
pub(super) type Arguments = Vec<(Value, TypeId)>;

/// What a call of a function without a body is.
struct Call<'c> {
    name: &'c str,
    arguments: &'c Arguments,
    /// The objects that arguments are addresses in, of those that are.
    objects: &'c [Option<ObjectId>],
    /// The function.
    function: FunctionId,
    /// The type of the result.
    ty: TypeId,
    /// Whether anybody uses it.
    used: bool,
    /// Whether a system header declares it: then it computes something definite, model or not.
    system: bool,
}

impl Lowerer<'_> {
    /// A call of a function without a body.
    pub(super) fn library_call(
        &mut self,
        function: FunctionId,
        arguments: Arguments,
        objects: &[Option<ObjectId>],
        (ty, used): (TypeId, bool),
    ) -> Result<Value> {
        let entry = &self.c.functions[function];
        let written = self.symbol_name(entry.name);
        let name = written.strip_prefix("__builtin_").unwrap_or(written);
        let system = self.sources.in_system_header(entry.span);
        let call = Call { name, arguments: &arguments, objects, function, ty, used, system };
        let place = self.here();
        self.library.insert(place);
        let known = match self.control_call(&call)? {
            Some(value) => Some(value),
            None => self.modelled_call(&call)?,
        };
        let value = match known {
            Some(value) => value,
            None => self.unknown_call(&call)?,
        };
        if entry.noreturn {
            self.stop();
        }
        Ok(value)
    }

    fn modelled_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let computing = [
            Self::memory_call,
            Self::string_call,
            Self::span_call,
            Self::number_call,
            Self::math_call,
            Self::character_call,
            Self::sort_call,
        ];
        let others = [
            Self::curve_call,
            Self::print_call,
            Self::scan_call,
            Self::stream_call,
            Self::system_call,
            Self::output_call,
        ];
        let others = if self.keeps_calls() { &[][..] } else { &others };
        if !self.keeps_calls() {
            self.check_stream(call)?;
        }
        for model in computing.iter().chain(others) {
            if let Some(value) = model(self, call)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn unknown_call(&mut self, call: &Call<'_>) -> Result<Value> {
        if self.keeps_calls() {
            return self.kept_call(call);
        }
        if call.system || is_unmodelled(call.name) {
            return self.approximated_call(call);
        }
        self.missing_call(call)
    }

    /// The term of an argument of scalar type.
    fn argument(&mut self, call: &Call<'_>, index: usize) -> Result<Term> {
        match call.arguments.get(index) {
            Some((Value::Scalar(term), ty)) => Ok(self.exact(*term, *ty)),
            _ => {
                let message = format!("argument {} of '{}' is no scalar", index + 1, call.name);
                Err(Diagnostic::error(self.span, message))
            }
        }
    }

    /// An argument as an integer of so many bits.
    fn integer_argument(&mut self, call: &Call<'_>, index: usize, width: u32) -> Result<Term> {
        let term = self.argument(call, index)?;
        let signed = self.is_signed(call.arguments[index].1);
        match self.pool.sort(term) {
            term::Sort::BitVec(_) => Ok(self.resize(term, width, signed)),
            term::Sort::Bool => Ok(self.bool_to_bits(term, width)),
            _ => {
                let message = format!("argument {} of '{}' is no integer", index + 1, call.name);
                Err(Diagnostic::error(self.span, message))
            }
        }
    }

    /// An argument that is an address or a size.
    fn word_argument(&mut self, call: &Call<'_>, index: usize) -> Result<Term> {
        let width = self.pointer_width();
        self.integer_argument(call, index, width)
    }

    /// A result that comes from somewhere; if nobody uses it, it is not asked for.
    fn result_by(&mut self, call: &Call<'_>, cause: Cause) -> Result<Value> {
        match self.register_sort(call.ty) {
            Some(sort) if !call.used => Ok(Value::Scalar(self.zero(sort))),
            _ => self.unknown_value(call.ty, cause),
        }
    }

    /// A result in the sort of the call's type.
    fn result(&mut self, call: &Call<'_>, term: Term) -> Option<Value> {
        match self.register_sort(call.ty) {
            Some(sort) => Some(Value::Scalar(self.coerce(term, sort))),
            None => Some(Value::Void),
        }
    }
}
