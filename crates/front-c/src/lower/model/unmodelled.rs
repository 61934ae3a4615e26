//! Functions of the C library that compute something definite, for which there is no model; what a
//! system header declares counts as such, too, and these names where there is no header to see.
//!
//! Their results are unknown to us and not to a run of the program, so a failing run that takes such a
//! value need not exist: it is marked [`Cause::Approximated`].
//!
//! What they may write is unknown, too: one object of the type that an argument points to, or any
//! number of bytes where it points to characters or to `void`. What a pointer behind that points to
//! is assumed not to change. A pointer that comes back may point into what an argument points to.
//! A function whose address they get (`qsort`) they may call, any number of times, with unknown
//! arguments.

use super::Call;
use super::math::stem_in;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use crate::lower::memory::Access;
use crate::types::{IntKind, Type, TypeId};
use program::Property;
use program::program::{Cause, Instruction};
use term::{Sort, Term};

/// Of `math.h`, in the three precisions.
const MATH: [&str; 36] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "frexp",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nextafter",
    "nexttoward",
    "pow",
    "scalbln",
    "scalbn",
    "sin",
    "sinh",
    "tan",
    "tanh",
    "tgamma",
];

/// Of the other headers.
const OTHERS: [&str; 19] = [
    "__isoc99_sscanf",
    "__sprintf_chk",
    "__vsprintf_chk",
    "atof",
    "bsearch",
    "div",
    "gets",
    "ldiv",
    "lldiv",
    "memmem",
    "qsort",
    "sprintf",
    "sscanf",
    "strcasestr",
    "strerror",
    "strftime",
    "strxfrm",
    "vsprintf",
    "vsscanf",
];

/// Whether the function has a definite meaning that we don't model.
pub(super) fn is_unmodelled(name: &str) -> bool {
    stem_in(name, &MATH).is_some() || OTHERS.contains(&name)
}

impl Lowerer<'_> {
    /// A call of a function of the library without a model.
    pub(super) fn approximated_call(&mut self, call: &Call<'_>) -> Result<Value> {
        let name = call.name;
        let mut written = false;
        for index in 0..call.arguments.len() {
            written |= self.write_unknown(call, index)?;
        }
        for index in 0..call.arguments.len() {
            self.call_back(call, index)?;
        }
        let result = if self.c.types.is_void(call.ty) { "" } else { " its result is unknown, and" };
        let what = match written {
            true => "at most what its arguments point to, in an unknown way",
            false => "nothing",
        };
        self.warn_that(format!(
            "function '{name}' has no model:{result} it is assumed to change {what}"
        ));
        let cause = Cause::Approximated(name.into());
        self.forget_errno(&cause);
        let value = self.result_by(call, cause)?;
        match value {
            Value::Scalar(term) if call.used && matches!(self.ty(call.ty), Type::Pointer(_)) => {
                self.pointer_into_arguments(call, term).map(Value::Scalar)
            }
            other => Ok(other),
        }
    }

    /// Unknown values where an argument points to, if it may be written there and is not null.
    fn write_unknown(&mut self, call: &Call<'_>, index: usize) -> Result<bool> {
        let Some(to) = self.c.types.pointee(call.arguments[index].1) else { return Ok(false) };
        if to.is_const() || matches!(self.ty(to.ty), Type::Function(_)) {
            return Ok(false);
        }
        let Some(length) = self.written_length(call, to.ty) else { return Ok(false) };
        let address = self.word_argument(call, index)?;
        let (some, end) = (self.new_location(), self.new_location());
        self.split(self.pool.ne(address, self.pointer_bits(0)), some, end);
        self.continue_at(some);
        let cause = Cause::Approximated(call.name.into());
        match self.register_sort(to.ty).filter(|_| !self.is_text(to.ty)) {
            Some(_) => {
                if let Value::Scalar(value) = self.unknown_value(to.ty, cause)? {
                    self.store_scalar(Access::sure(address), to.ty, value);
                }
            }
            None => self.emit(Instruction::HavocBytes { address, length, cause }),
        }
        self.jump(end);
        self.continue_at(end);
        Ok(true)
    }

    /// Calls of the function that an argument points to, if it points to one.
    fn call_back(&mut self, call: &Call<'_>, index: usize) -> Result<()> {
        let to = self.c.types.pointee(call.arguments[index].1);
        let Some(function) = to.and_then(|to| self.function_type(to.ty).cloned()) else {
            return Ok(());
        };
        let address = self.word_argument(call, index)?;
        let cause = Cause::Approximated(call.name.into());
        let (head, again, end) = (self.new_location(), self.new_location(), self.new_location());
        self.jump(head);
        self.continue_at(head);
        let calls = self.unknown(Sort::Bool, cause.clone());
        self.split(calls, again, end);
        self.continue_at(again);
        let mut arguments = Vec::new();
        for parameter in &function.params {
            let value = match self.unknown_value(parameter.ty, cause.clone())? {
                Value::Scalar(term) if matches!(self.ty(parameter.ty), Type::Pointer(_)) => {
                    Value::Scalar(self.pointer_into_arguments(call, term)?)
                }
                other => other,
            };
            arguments.push((value, parameter.ty));
        }
        self.call_pointer(address, &function, arguments, (function.result, true))?;
        self.jump(head);
        self.continue_at(end);
        Ok(())
    }

    /// Whether a pointer to the type may be one to any number of bytes.
    fn is_text(&self, ty: TypeId) -> bool {
        let characters = [IntKind::Char, IntKind::SChar, IntKind::UChar];
        matches!(self.ty(ty), Type::Void)
            || matches!(self.ty(ty), Type::Int(kind) if characters.contains(kind))
    }

    /// How many bytes may be written through a pointer to the type; none if it can't be known that
    /// there are any.
    fn written_length(&mut self, call: &Call<'_>, ty: TypeId) -> Option<Term> {
        if !self.is_text(ty) {
            return self.c.types.size_of(ty).map(|size| self.pointer_bits(size));
        }
        // Where accesses are checked, too many bytes would be a violation that is none.
        let cause = match self.options.properties.contains(&Property::Pointer) {
            true => Cause::Approximated(call.name.into()),
            false => Cause::Unknown(call.name.into()),
        };
        Some(self.unknown(Sort::BitVec(self.pointer_width()), cause))
    }

    /// The unknown pointer, or one into what an argument points to.
    fn pointer_into_arguments(&mut self, call: &Call<'_>, unknown: Term) -> Result<Term> {
        let mut result = unknown;
        for index in 0..call.arguments.len() {
            let Some(to) = self.c.types.pointee(call.arguments[index].1) else { continue };
            if matches!(self.ty(to.ty), Type::Function(_)) {
                continue;
            }
            let base = self.word_argument(call, index)?;
            let cause = Cause::Approximated(call.name.into());
            let distance = self.unknown(Sort::BitVec(self.pointer_width()), cause.clone());
            let into = self.unknown(Sort::Bool, cause);
            result = self.pool.ite(into, self.pool.bv_add(base, distance), result);
        }
        Ok(result)
    }
}
