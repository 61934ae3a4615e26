//! Calls of functions without a body that are kept as calls, where that is asked for
//! ([`Missing::Kept`]).
//!
//! Such a call is an instruction with its arguments, of a function without a body: who reads the
//! program says what it does. That a function may change what its arguments point to is not lowered.
//! A function that is called with arguments of several sorts is several functions of one name.

use super::Call;
use crate::diagnostic::{Diagnostic, Result};
use crate::lower::expression::Value;
use crate::lower::{Lowerer, Missing};
use program::program::{Callee, FunctionId as LoweredId, Instruction, Reading, VariableId};
use rustc_hash::FxHashMap;
use term::{Sort, Term};

/// The functions that calls were kept of, by name and the sorts of arguments and results.
pub(in crate::lower) type Kept = FxHashMap<(String, Vec<Sort>, Vec<Sort>), LoweredId>;

impl Lowerer<'_> {
    /// Whether calls of functions that have no exact model are kept.
    pub(super) fn keeps_calls(&self) -> bool {
        self.options.world.missing == Missing::Kept
    }

    /// The call as an instruction.
    pub(super) fn kept_call(&mut self, call: &Call<'_>) -> Result<Value> {
        let mut arguments: Vec<Term> = Vec::new();
        for (value, ty) in call.arguments {
            match value {
                Value::Void => {}
                Value::Scalar(term) => arguments.push(self.exact(*term, *ty)),
                Value::Leaves(leaves) => arguments.extend(leaves),
                Value::Memory(_) => {
                    let message = format!("'{}' has no body and takes a struct", call.name);
                    return Err(Diagnostic::error(self.span, message));
                }
            }
        }
        if self.is_record(call.ty) && self.leaves(call.ty).is_none() {
            let message = format!("'{}' has no body and returns a struct", call.name);
            return Err(Diagnostic::error(self.span, message));
        }
        let results = self.result_registers(call.ty);
        let id = self.kept_function(call, &arguments, &results);
        self.say_used(call.used && !self.c.types.is_void(call.ty));
        let (callee, into) = (Callee::Function(id), results.clone());
        self.emit(Instruction::Call { callee, arguments, results: into });
        Ok(self.result_value(&results, call.ty))
    }

    fn kept_function(
        &mut self,
        call: &Call<'_>,
        arguments: &[Term],
        results: &[VariableId],
    ) -> LoweredId {
        let sorts: Vec<Sort> = arguments.iter().map(|term| self.pool.sort(*term)).collect();
        let given: Vec<Sort> = results.iter().map(|r| self.variables[*r].sort).collect();
        let key = (call.name.to_owned(), sorts.clone(), given.clone());
        if let Some(id) = self.kept.get(&key) {
            return *id;
        }
        let span = self.c.functions[call.function].span;
        let place = self.place_of(span);
        let id = self.functions.alloc(program::Function {
            name: call.name.into(),
            place,
            address: None,
            parameters: Vec::new(),
            results: Vec::new(),
            body: None,
        });
        let caller = self.frame.id.replace(id);
        let made = |sorts: Vec<Sort>, what: &str, lowerer: &mut Self| {
            let variables = sorts.into_iter().map(|sort| {
                let name = format!("{}::{what}", call.name);
                lowerer.new_variable(name, None, sort, Reading::Unsigned, true, span)
            });
            variables.collect::<Vec<_>>()
        };
        self.functions[id].parameters = made(sorts, "argument", self);
        self.functions[id].results = made(given, "result", self);
        self.frame.id = caller;
        self.kept.insert(key, id);
        id
    }
}
