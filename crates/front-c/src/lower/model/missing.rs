//! Functions that nobody defines and nobody knows.
//!
//! Such a function gives any value. It may change what its arguments point to, where they do not
//! point to something constant: all of an object whose address is seen in the call, otherwise any
//! number of bytes from where the pointer points on. It may change variables that it can name, which
//! are those with external linkage, and static ones whose address some call gave to one such
//! function. That it changes nothing else, calls no function of the program and keeps no address is
//! assumed, and said; and where the user says so, that it changes nothing at all.
//!
//! The variables of a program are known when all of it is lowered. So a call of such a function is
//! followed by the call of a function that is made in the end, one for each function that is missing.
//!
//! Bytes behind a pointer are written as code beyond the program writes them
//! ([`program::Place::is_beyond`]): how many there are is unknown, and that these are too many is no
//! violation, but a run that there is not. One in which none are written goes on in any case.

use super::Call;
use crate::diagnostic::Result;
use crate::lower::expression::Value;
use crate::lower::memory::Access;
use crate::lower::object::Home;
use crate::lower::{Lowerer, Missing};
use crate::typed::{FunctionId, Linkage, ObjectId, Storage};
use crate::types::{Type, TypeId};
use program::program::{Callee, Cause, FunctionId as LoweredId, Instruction};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use term::{Sort, Term};

/// Functions of the system that change nothing of a program's.
const HARMLESS: [&str; 42] = [
    "_write",
    "access",
    "alarm",
    "chdir",
    "chmod",
    "close",
    "closedir",
    "closelog",
    "creat",
    "difftime",
    "dprintf",
    "dup",
    "dup2",
    "feof",
    "ferror",
    "fileno",
    "fseek",
    "fsync",
    "ftell",
    "getegid",
    "getenv",
    "geteuid",
    "getgid",
    "getpid",
    "getppid",
    "getuid",
    "isatty",
    "kill",
    "lseek",
    "mkdir",
    "open",
    "opendir",
    "openlog",
    "remove",
    "rename",
    "rewind",
    "rmdir",
    "sched_yield",
    "send",
    "syslog",
    "unlink",
    "write",
];

/// What functions without a body change beside what their arguments point to.
#[derive(Default)]
pub(in crate::lower) struct Changes {
    /// What they do, each by a function of its own.
    functions: Vec<(FunctionId, LoweredId)>,
    /// Static objects whose address one of them was given.
    given: FxHashSet<ObjectId>,
}

impl Lowerer<'_> {
    /// A call of a function that nobody knows.
    pub(super) fn missing_call(&mut self, call: &Call<'_>) -> Result<Value> {
        let name = call.name;
        if !self.undefined.iter().any(|known| **known == *name) {
            self.undefined.push(name.into());
        }
        let pure = self.options.world.missing == Missing::Pure || HARMLESS.contains(&name);
        self.state_missing(call, pure);
        if !pure {
            for index in 0..call.arguments.len() {
                self.change_argument(call, index)?;
            }
            self.change_variables(call.function);
            self.forget_errno(&Cause::Unknown(format!("errno after {name}()").into()));
        }
        self.unknown_value(call.ty, Cause::Unknown(name.into()))
    }

    fn state_missing(&mut self, call: &Call<'_>, pure: bool) {
        let name = call.name;
        let pointers =
            call.arguments.iter().any(|(_, ty)| matches!(self.ty(*ty), Type::Pointer(_)));
        let result = if self.c.types.is_void(call.ty) { "" } else { " its result is unknown, and" };
        let what = match (pure, pointers) {
            (true, true) => "nothing, nor what its arguments point to",
            (true, false) => "nothing",
            (false, true) => "at most what its arguments point to and variables that it can name",
            (false, false) => "at most variables that it can name",
        };
        self.warn_that(format!(
            "function '{name}' has no body:{result} it is assumed to change {what}"
        ));
    }

    /// What an argument points to is unknown, if it may be changed.
    fn change_argument(&mut self, call: &Call<'_>, index: usize) -> Result<()> {
        let Some(to) = self.pointee(call.arguments[index].1) else { return Ok(()) };
        if to.is_const() {
            return Ok(());
        }
        let address = self.word_argument(call, index)?;
        if let Some(object) = call.objects.get(index).copied().flatten() {
            let entry = &self.c.objects[object];
            let (ty, constant) = (entry.ty.ty, entry.ty.is_const());
            if entry.storage == Storage::Static {
                self.changes.given.insert(object);
            }
            let base = self.object_address(object)?;
            return match constant {
                true => Ok(()),
                false => self.change_memory(base, ty, after(self.shown(object), call.name)),
            };
        }
        if self.pool.value(address).is_some() {
            return Ok(());
        }
        let what = |what: &str| {
            let text = format!("{what} argument {} of {}() points to", index + 1, call.name);
            Cause::Unknown(text.into())
        };
        let length = self.unknown(Sort::BitVec(self.pointer_width()), what("bytes written where"));
        let cause = what("what");
        self.emit_beyond(Instruction::HavocBytes { address, length, cause });
        Ok(())
    }

    /// The name of an object as the source has it.
    fn shown(&self, object: ObjectId) -> &str {
        self.c.objects[object].name.map_or("object", |name| self.symbol_name(name))
    }

    /// An object in memory that lives takes any value.
    fn change_memory(&mut self, address: Term, ty: TypeId, cause: Cause) -> Result<()> {
        if self.register_sort(ty).is_none() {
            let length = self.size_term(ty)?;
            self.emit(Instruction::HavocBytes { address, length, cause });
        } else if let Value::Scalar(value) = self.unknown_value(ty, cause)? {
            self.store_scalar(Access::sure(address), ty, value);
        }
        Ok(())
    }

    /// Calls what stands for the changes of variables by a function.
    fn change_variables(&mut self, function: FunctionId) {
        let known = self.changes.functions.iter().find(|(known, _)| *known == function);
        let id = match known {
            Some((_, id)) => *id,
            None => {
                let name = self.symbol_name(self.c.functions[function].name);
                let place = self.place_of(self.c.functions[function].span);
                let id = self.functions.alloc(program::Function {
                    name: Arc::from(format!("<variables after {name}>")),
                    place,
                    address: None,
                    parameters: Vec::new(),
                    results: Vec::new(),
                    body: None,
                });
                self.changes.functions.push((function, id));
                id
            }
        };
        self.trust_missing();
        let (callee, arguments, results) = (Callee::Function(id), Vec::new(), Vec::new());
        self.emit(Instruction::Call { callee, arguments, results });
    }

    /// Makes the functions that stand for changes of variables, when all variables are known.
    pub(in crate::lower) fn finish_changes(&mut self) -> Result<()> {
        let mut objects: Vec<(ObjectId, Home)> = Vec::new();
        for (&object, home) in &self.homes {
            if self.is_nameable(object) || self.changes.given.contains(&object) {
                objects.push((object, home.clone()));
            }
        }
        objects.retain(|(object, _)| {
            !self.c.objects[*object].ty.is_const() && self.standard_variable(*object).is_none()
        });
        objects.sort_unstable_by_key(|(object, _)| object.into_raw());
        for (function, id) in std::mem::take(&mut self.changes.functions) {
            self.span = self.c.functions[function].span;
            self.begin(id);
            let name = self.symbol_name(self.c.functions[function].name);
            for (object, home) in &objects {
                let cause = after(self.shown(*object), name);
                match home {
                    Home::Registers(registers) => {
                        registers.iter().for_each(|register| self.havoc(*register, cause.clone()));
                    }
                    Home::Static(address) => {
                        self.change_memory(*address, self.c.objects[*object].ty.ty, cause)?;
                    }
                    Home::Stack(_) => {}
                }
            }
            let exit = self.graph.exit;
            self.jump(exit);
            self.finish(id);
        }
        Ok(())
    }

    /// Whether code of another file can name a variable.
    fn is_nameable(&self, object: ObjectId) -> bool {
        let entry = &self.c.objects[object];
        entry.storage == Storage::Static && entry.linkage == Linkage::External
    }
}

/// Why an object has an unknown value.
fn after(object: &str, function: &str) -> Cause {
    Cause::Unknown(format!("'{object}' after {function}()").into())
}
