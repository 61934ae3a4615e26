//! Contracts of functions: checked where the function is the entry, used where it is called.
//!
//! **The entry.** The start of the run makes the arguments; then what the contract requires is
//! assumed. A pointer that the contract says memory of gets an object of its own of that size
//! ([`make`]). Then the function is called, and where it returns, what the contract ensures is
//! checked. What it may write is checked at every write ([`watch`]).
//!
//! **A call.** If contracts are used, or the function has no body, a call is its contract: what it
//! requires is checked, what it may write takes any value ([`target`]), what it ensures is assumed.
//!
//! **Formulas** are assumed and checked part by part ([`formula`]), so that quantifiers are exact
//! where they can be: a formula about all values fails for one, which a check may choose. Elsewhere
//! a quantifier is a loop over its interval ([`quantifier`]).

mod formula;
mod loops;
mod make;
mod meet;
mod memory;
mod quantifier;
mod target;
mod unwritten;
mod watch;

pub(super) use loops::Cut;
pub(super) use watch::Watch;

use super::Lowerer;
use super::expression::Value;
use super::object::Home;
use crate::contract::{Contract, Old};
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::{ExprId, ExprKind, FunctionId, ObjectId};
use crate::types::TypeId;
use program::program::{Callee, Cause, Instruction, VariableId};
use target::By;
use term::Term;

impl<'a> Lowerer<'a> {
    /// The contract of a function, which must be understood.
    pub(super) fn contract_of(&self, function: FunctionId) -> Result<Option<&'a Contract>> {
        let c = self.c;
        match c.functions[function].contract.as_deref() {
            Some(Contract { problem: Some(problem), .. }) => Err(problem.clone()),
            contract => Ok(contract),
        }
    }

    /// The contract that stands for a call of a function.
    pub(super) fn contract_at_call(
        &mut self,
        function: FunctionId,
    ) -> Result<Option<&'a Contract>> {
        let entry = &self.c.functions[function];
        if entry.body.is_some() && !self.options.contracts {
            return Ok(None);
        }
        let Some(contract) = self.contract_of(function)? else { return Ok(None) };
        if contract.assigns.is_none() {
            let message = "the contract does not say what the function may write ('assigns')";
            return Err(Diagnostic::error(contract.span, message));
        }
        Ok(Some(contract))
    }

    /// Tells of contracts that are not understood, and were not used.
    pub(super) fn remark_contracts(&mut self) {
        let c = self.c;
        for (_, function) in c.functions.iter() {
            if let Some(problem) = function.contract.as_ref().and_then(|c| c.problem.as_ref()) {
                let message = format!("a contract that is not used: {}", problem.message);
                self.warnings.push(*Diagnostic::warning(problem.span, message));
            }
        }
    }

    /// Gives an object of a contract its value; registers are new ones each time.
    fn bind(&mut self, object: ObjectId, value: Value) -> Result<()> {
        let ty = self.c.objects[object].ty.ty;
        self.homes.remove(&object);
        if let Home::Stack(register) = self.home(object) {
            self.allocate(object)?;
            self.frame.temporary_objects.push(register);
        }
        let spot = self.object_spot(object);
        self.store(&spot, ty, value)
    }

    /// Keeps the values of the state before.
    fn bind_olds(&mut self, olds: &[Old]) -> Result<()> {
        for old in olds {
            let value = self.value(old.value)?;
            let ty = self.c.exprs[old.value].ty;
            let value = match value {
                Value::Scalar(term) => Value::Scalar(self.exact(term, ty)),
                other => other,
            };
            self.bind(old.object, value)?;
        }
        Ok(())
    }

    /// Calls the entry function, whose contract is checked.
    pub(super) fn call_with_contract(
        &mut self,
        entry: FunctionId,
        contract: &Contract,
        arguments: Vec<Term>,
    ) -> Result<()> {
        let span = self.span;
        let name = self.symbol_name(self.c.functions[entry].name);
        if !contract.requires.is_empty() {
            self.assume_that(format!("callers of '{name}' do what its contract requires"));
        }
        let result = self.function_type(self.c.functions[entry].ty).map(|ty| ty.result);
        let hidden = result.is_some_and(|ty| self.is_returned_in_memory(ty));
        let (address, rest) = arguments.split_at(usize::from(hidden));
        let values = self.group(&contract.params, rest);
        for (&object, value) in contract.params.iter().zip(values) {
            self.bind(object, value)?;
        }
        self.require(contract)?;
        let arguments = self.arguments_again(contract, &arguments, hidden);
        self.bind_olds(&contract.olds)?;
        self.begin_watch(contract)?;
        self.span = span;
        let id = self.function_id(entry);
        let results = self.functions[id].results.clone();
        let results: Vec<VariableId> =
            results.iter().map(|r| self.temporary(self.variables[*r].sort)).collect();
        let callee = Callee::Function(id);
        self.say_used(self.speaks_of_result(contract));
        self.emit(Instruction::Call { callee, arguments, results: results.clone() });
        if let Some(object) = contract.result {
            let ty = self.c.objects[object].ty.ty;
            let value = match address {
                [address] => Value::Memory(*address),
                _ => self.result_value(&results, ty),
            };
            self.bind(object, value)?;
        }
        self.fresh = Some(Vec::new());
        for formula in &contract.ensures {
            self.check_clause(formula, formula.span)?;
        }
        self.fresh = None;
        self.watch_nothing();
        self.span = span;
        Ok(())
    }

    /// Whether what a contract ensures uses the value that the function returns.
    fn speaks_of_result(&self, contract: &Contract) -> bool {
        let is_result = |kind: &ExprKind| match kind {
            ExprKind::Load(place) | ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                let object = self.c.root(*place);
                object.is_some() && object == contract.result
            }
            _ => false,
        };
        contract.ensures.iter().any(|formula| self.has(formula.truth, is_result))
    }

    /// Whether an expression of some kind is in a formula.
    fn has(&self, root: ExprId, wanted: impl Fn(&ExprKind) -> bool) -> bool {
        let mut todo = vec![root];
        while let Some(expr) = todo.pop() {
            let kind = &self.c.exprs[expr].kind;
            if wanted(kind) {
                return true;
            }
            self.c.operands(kind, &mut todo);
        }
        false
    }

    /// Terms by the objects that they are the values of.
    fn group(&mut self, objects: &[ObjectId], terms: &[Term]) -> Vec<Value> {
        let (mut values, mut terms) = (Vec::new(), terms.iter().copied());
        for &object in objects {
            let ty = self.c.objects[object].ty.ty;
            let leaves = self.leaves(ty).map(|leaves| leaves.len());
            let value = match (self.register_sort(ty), leaves) {
                (Some(_), _) => terms.next().map(Value::Scalar),
                (None, Some(count)) => Some(Value::Leaves(terms.by_ref().take(count).collect())),
                (None, None) => terms.next().map(Value::Memory),
            };
            values.extend(value);
        }
        values
    }

    /// The arguments, after what the contract requires gave pointers their objects.
    fn arguments_again(
        &mut self,
        contract: &Contract,
        arguments: &[Term],
        hidden: bool,
    ) -> Vec<Term> {
        let mut terms = arguments.to_vec();
        let mut at = usize::from(hidden);
        for &object in &contract.params {
            let ty = self.c.objects[object].ty.ty;
            let count = self.argument_sorts(ty, false).len();
            let in_registers = self.register_sort(ty).is_some() || self.leaves(ty).is_some();
            let spot = self.object_spot(object);
            if in_registers {
                let value = self.load(&spot, ty);
                let leaves = self.value_leaves(value, ty);
                for (place, leaf) in terms[at..].iter_mut().zip(leaves) {
                    *place = self.coerce(leaf, self.pool.sort(*place));
                }
            }
            at += count;
        }
        terms
    }

    /// A call of a function whose contract stands for it.
    pub(super) fn call_of_contract(
        &mut self,
        function: FunctionId,
        contract: &Contract,
        arguments: Vec<(Value, TypeId)>,
        ty: TypeId,
    ) -> Result<Value> {
        let span = self.span;
        let name = self.symbol_name(self.c.functions[function].name);
        for (&object, (value, given)) in contract.params.iter().zip(arguments) {
            let value = match value {
                Value::Scalar(term) => {
                    let sort = self.register_sort(self.c.objects[object].ty.ty);
                    let term = self.exact(term, given);
                    Value::Scalar(sort.map_or(term, |sort| self.coerce(term, sort)))
                }
                other => other,
            };
            self.bind(object, value)?;
        }
        let outer = self.fresh.replace(Vec::new());
        for formula in &contract.requires {
            self.check_clause(formula, span)?;
        }
        self.fresh = outer;
        self.bind_olds(&contract.olds)?;
        let targets = self.resolve_targets(contract.assigns.iter().flatten())?;
        self.span = span;
        self.forget_targets(&targets, By::Call(name))?;
        self.free_allowed(contract)?;
        let result = self.unknown_value(ty, Cause::Unknown(name.into()))?;
        if let Some(object) = contract.result {
            let declared = self.c.objects[object].ty.ty;
            if self.register_sort(declared) == self.register_sort(ty) {
                self.bind(object, result)?;
            } else {
                let unknown = self.unknown_value(declared, Cause::Unknown(name.into()))?;
                self.bind(object, unknown)?;
            }
        }
        for formula in &contract.ensures {
            self.assume_clause(formula, true)?;
        }
        self.span = span;
        self.assume_that(format!("the contract of '{name}' holds"));
        if self.c.functions[function].noreturn {
            self.stop();
        }
        match contract.result {
            Some(object) if !self.c.types.is_void(ty) => {
                let spot = self.object_spot(object);
                Ok(self.load(&spot, ty))
            }
            _ => Ok(Value::Void),
        }
    }

    /// What a contract says may be freed may be gone afterwards.
    fn free_allowed(&mut self, contract: &Contract) -> Result<()> {
        match contract.frees.first() {
            None => Ok(()),
            Some(pointer) => {
                let span = self.c.exprs[*pointer].span;
                Err(Diagnostic::error(span, "a call of a function that frees is not supported"))
            }
        }
    }
}
