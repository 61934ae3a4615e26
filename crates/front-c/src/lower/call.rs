//! Calls.

use super::Lowerer;
use super::effect::Effect;
use super::expression::Value;
use crate::bounds;
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::typed::{Callee, Conversion, ExprId, ExprKind, FunctionId, ObjectId};
use crate::types::{FunctionType, TypeId};
use program::Property;
use program::program::{Callee as Called, Cause, Instruction, VariableId};
use term::Term;

impl Lowerer<'_> {
    /// A call, whose value of a type is used or not.
    pub(super) fn call(
        &mut self,
        callee: Callee,
        arguments: &[ExprId],
        (ty, used): (TypeId, bool),
        span: Span,
    ) -> Result<Value> {
        match callee {
            Callee::Function(function) => {
                let function = self.resolve(function);
                if let Some(contract) = self.contract_at_call(function)? {
                    let values = self.arguments(arguments)?;
                    self.span = span;
                    self.enter_claims(span)?;
                    return self.call_of_contract(function, contract, values, ty);
                }
                if self.c.functions[function].body.is_some() {
                    let values = self.arguments(arguments)?;
                    self.span = span;
                    self.enter_claims(span)?;
                    return self.call_defined(function, values, (ty, used));
                }
                let name = self.symbol_name(self.c.functions[function].name);
                if let Some(quantifier) = bounds::quantifier(name) {
                    self.span = span;
                    return self.quantified(quantifier, arguments, ty);
                }
                let values = self.arguments(arguments)?;
                self.span = span;
                self.enter_claims(span)?;
                let objects: Vec<_> = arguments.iter().map(|a| self.addressed(*a)).collect();
                self.library_call(function, values, &objects, (ty, used))
            }
            Callee::Pointer(pointer) => {
                let mut address = self.scalar(pointer)?;
                if arguments.iter().any(|a| self.effect(*a) == Effect::Changes) {
                    address = self.keep(address);
                }
                let values = self.arguments(arguments)?;
                self.span = span;
                self.enter_claims(span)?;
                let to = self.c.types.pointee(self.c.exprs[pointer].ty);
                let function = to.and_then(|t| self.function_type(t.ty).cloned());
                let Some(function) = function else {
                    return Err(Diagnostic::error(span, "call of something that is no function"));
                };
                self.call_pointer(address, &function, values, (ty, used))
            }
        }
    }

    /// The object that a pointer is an address in, if it can be seen.
    fn addressed(&self, mut pointer: ExprId) -> Option<ObjectId> {
        loop {
            match self.c.exprs[pointer].kind {
                ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                    return self.c.root(place);
                }
                ExprKind::Convert(Conversion::PointerToPointer, operand)
                | ExprKind::PointerAdd { pointer: operand, .. } => pointer = operand,
                _ => return None,
            }
        }
    }

    /// The values of arguments, from left to right; an earlier one is kept from later ones.
    fn arguments(&mut self, arguments: &[ExprId]) -> Result<Vec<(Value, TypeId)>> {
        let mut last_change = 0;
        for (i, &argument) in arguments.iter().enumerate() {
            if self.effect(argument) == Effect::Changes {
                last_change = i;
            }
        }
        let mut values = Vec::with_capacity(arguments.len());
        for (i, &argument) in arguments.iter().enumerate() {
            let ty = self.c.exprs[argument].ty;
            let value = match self.value(argument)? {
                Value::Scalar(term) => {
                    let term = self.exact(term, ty);
                    Value::Scalar(if i < last_change { self.keep(term) } else { term })
                }
                Value::Leaves(leaves) if i < last_change => {
                    Value::Leaves(leaves.into_iter().map(|l| self.keep(l)).collect())
                }
                other => other,
            };
            values.push((value, ty));
        }
        Ok(values)
    }

    /// Appends the terms that an argument is passed as.
    fn pass(&mut self, value: Value, ty: TypeId, terms: &mut Vec<Term>) -> Result<()> {
        match value {
            Value::Memory(from) if self.leaves(ty).is_none() => {
                let size = self.size_term(ty)?;
                let copy = self.temporary_object(ty, size);
                self.copy(copy, from, size);
                terms.push(copy);
            }
            value => terms.extend(self.value_leaves(value, ty)),
        }
        Ok(())
    }

    fn call_defined(
        &mut self,
        function: FunctionId,
        arguments: Vec<(Value, TypeId)>,
        (ty, used): (TypeId, bool),
    ) -> Result<Value> {
        let id = self.function_id(function);
        let c = self.c;
        let entry = &c.functions[function];
        let (count, variadic) =
            (entry.params.len(), self.function_type(entry.ty).is_some_and(|t| t.variadic));
        let declared = self.function_type(entry.ty).map_or(ty, |t| t.result);
        let (mut terms, address) = self.result_argument(declared)?;
        let mut arguments = arguments.into_iter();
        for (value, ty) in arguments.by_ref().take(count) {
            self.pass(value, ty, &mut terms)?;
        }
        let parameters = self.functions[id].parameters.clone();
        let fixed = parameters.len() - usize::from(variadic);
        self.fit_arguments(&mut terms, &parameters[..fixed]);
        if variadic {
            let rest = self.pass_variable(arguments.collect())?;
            terms.push(rest);
        }
        let results = self.functions[id].results.clone();
        let results: Vec<VariableId> =
            results.iter().map(|r| self.temporary(self.variables[*r].sort)).collect();
        self.say_used(used && !self.c.types.is_void(ty));
        self.emit(Instruction::Call {
            callee: Called::Function(id),
            arguments: terms,
            results: results.clone(),
        });
        if entry.noreturn {
            self.stop();
        }
        // A call through another declaration may expect another type.
        if self.register_sort(ty).is_some() != self.register_sort(declared).is_some() {
            return self.unknown_value(ty, Cause::Uninitialized);
        }
        Ok(match address {
            Some(address) => Value::Memory(address),
            None => self.result_value(&results, declared),
        })
    }

    /// Makes the arguments those that the parameters take, whatever the call gave.
    fn fit_arguments(&mut self, terms: &mut Vec<Term>, parameters: &[VariableId]) {
        terms.truncate(parameters.len());
        for (i, parameter) in parameters.iter().enumerate() {
            let sort = self.variables[*parameter].sort;
            match terms.get(i) {
                Some(&term) => terms[i] = self.coerce(term, sort),
                None => {
                    self.warn_that("an argument that a call leaves out is unknown".into());
                    let missing = self.unknown(sort, Cause::Uninitialized);
                    terms.push(missing);
                }
            }
        }
    }

    /// For a result in memory, a place for it.
    fn result_argument(&mut self, ty: TypeId) -> Result<(Vec<Term>, Option<Term>)> {
        if !self.is_returned_in_memory(ty) {
            return Ok((Vec::new(), None));
        }
        let size = self.size_term(ty)?;
        let address = self.temporary_object(ty, size);
        Ok((vec![address], Some(address)))
    }

    pub(super) fn call_pointer(
        &mut self,
        pointer: Term,
        function: &FunctionType,
        arguments: Vec<(Value, TypeId)>,
        (ty, used): (TypeId, bool),
    ) -> Result<Value> {
        if !self.is_static_address(pointer) {
            let condition = self.pool.ne(pointer, self.pointer_bits(0));
            self.check(Property::Pointer, condition);
        }
        let (mut terms, address) = self.result_argument(ty)?;
        let count = if function.prototype { function.params.len() } else { arguments.len() };
        let mut arguments = arguments.into_iter();
        for (value, ty) in arguments.by_ref().take(count) {
            self.pass(value, ty, &mut terms)?;
        }
        if function.variadic {
            let rest = self.pass_variable(arguments.collect())?;
            terms.push(rest);
        }
        let results = if address.is_some() { Vec::new() } else { self.result_registers(ty) };
        self.say_used(used && !self.c.types.is_void(ty));
        self.emit(Instruction::Call {
            callee: Called::Pointer(pointer),
            arguments: terms,
            results: results.clone(),
        });
        Ok(match address {
            Some(address) => Value::Memory(address),
            None => self.result_value(&results, ty),
        })
    }
}
