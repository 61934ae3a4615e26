//! The arguments of the entry function: every value of its parameters' types.
//!
//! A pointer to a function is any address. Every other pointer is null, or points to an object of
//! its own with unknown contents ([`super::environment`]). `main` gets a number of arguments, and
//! as many unknown pointers with a null pointer behind them. A struct that is passed in memory is
//! an object of its own; the variable arguments of a function are unknown.

use super::Lowerer;
use super::caller::Count;
use super::environment::{Pointee, Region};
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::typed::{FunctionId, ObjectId};
use crate::types::{QualType, Type, TypeId};
use program::program::{Callee, Cause, Instruction, Storage, VariableId};
use term::{Sort, Term};

/// A parameter, or a scalar part of one, with the registers of the function that take it.
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) ty: TypeId,
    pub(super) span: Span,
    registers: Vec<VariableId>,
}

impl Lowerer<'_> {
    /// Calls the entry function.
    pub(super) fn call_entry(&mut self, entry: FunctionId) -> Result<()> {
        let id = self.function_id(entry);
        let options = self.options;
        if let Some(cycle) = &options.caller.cycle {
            return self.call_cycle(entry, cycle);
        }
        self.span = self.c.functions[entry].span;
        self.check_caller(entry)?;
        let is_main = self.symbol_name(self.c.functions[entry].name) == "main";
        let arguments = match is_main {
            true => self.arguments_of_main(entry),
            false => self.arguments_of_entry(entry)?,
        };
        self.span = self.c.functions[entry].span;
        if let Some(contract) = self.contract_of(entry)? {
            return self.call_with_contract(entry, contract, arguments);
        }
        let callee = Callee::Function(id);
        self.say_used(false);
        self.emit(Instruction::Call { callee, arguments, results: Vec::new() });
        Ok(())
    }

    /// What is said of parameters is about some that there are.
    pub(super) fn check_caller(&self, entry: FunctionId) -> Result<()> {
        let caller = &self.options.caller;
        let span = self.c.functions[entry].span;
        let named = |name: &str| {
            let params = self.c.functions[entry].params.iter();
            let mut types = params.filter(|p| self.parameter_name(**p) == name);
            types.next().map(|p| self.c.objects[*p].ty.ty)
        };
        let wrong = |name: &str, what: &str| {
            let function = &self.options.entry;
            Err(Diagnostic::error(span, format!("'{function}' has no {what} parameter '{name}'")))
        };
        let pointer = |name: &str| named(name).is_some_and(|ty| self.pointee(ty).is_some());
        for extent in &caller.valid {
            if !pointer(&extent.parameter) {
                return wrong(&extent.parameter, "pointer");
            }
            if let Count::Parameter(count) = &extent.count
                && !named(count).is_some_and(|ty| self.c.types.is_integer(ty))
            {
                return wrong(count, "integer");
            }
        }
        if let super::Nonnull::Named(names) = &caller.nonnull
            && let Some(name) = names.iter().find(|name| !pointer(name))
        {
            return wrong(name, "pointer");
        }
        Ok(())
    }

    fn parameter_name(&self, object: ObjectId) -> &str {
        self.c.objects[object].name.map_or("", |name| self.symbol_name(name))
    }

    /// What a pointer to data points to.
    pub(super) fn pointee(&self, ty: TypeId) -> Option<QualType> {
        self.c.types.pointee(ty).filter(|to| !matches!(self.ty(to.ty), Type::Function(_)))
    }

    /// The arguments of any other function: numbers first, as pointers may point to as many.
    fn arguments_of_entry(&mut self, entry: FunctionId) -> Result<Vec<Term>> {
        let parameters = self.entry_parameters(entry);
        let mut arguments: Vec<Vec<Term>> = vec![Vec::new(); parameters.len()];
        for (parameter, terms) in parameters.iter().zip(&mut arguments) {
            if self.pointee(parameter.ty).is_none() && !self.is_passed_in_memory(parameter.ty) {
                *terms = self.unknown_parameter(parameter);
            }
        }
        let numbers: Vec<(String, TypeId, Option<Term>)> = parameters
            .iter()
            .zip(&arguments)
            .map(|(p, terms)| (p.name.clone(), p.ty, terms.first().copied()))
            .collect();
        let mut earlier: Vec<(Region, String, Term)> = Vec::new();
        for (parameter, terms) in parameters.iter().zip(&mut arguments) {
            self.span = parameter.span;
            if self.is_passed_in_memory(parameter.ty) {
                terms.push(self.struct_argument(parameter)?);
            } else if self.is_made_by_contract(entry, &parameter.name) {
                terms.push(self.pointer_bits(0));
            } else if let Some(to) = self.pointee(parameter.ty) {
                let region = self.region(&parameter.name, to, &numbers);
                terms.push(self.pointer_argument(parameter, region, &mut earlier)?);
            }
        }
        let mut terms = self.hidden_argument(entry, false)?;
        terms.extend(arguments.into_iter().flatten());
        terms.extend(self.hidden_argument(entry, true)?);
        Ok(terms)
    }

    pub(super) fn is_passed_in_memory(&mut self, ty: TypeId) -> bool {
        self.register_sort(ty).is_none() && self.leaves(ty).is_none()
    }

    /// The parameters of the source, each struct that is passed in registers by its leaves.
    pub(super) fn entry_parameters(&mut self, entry: FunctionId) -> Vec<Parameter> {
        let c = self.c;
        let id = self.function_id(entry);
        let result = self.function_type(c.functions[entry].ty).map(|ty| ty.result);
        let hidden = result.is_some_and(|ty| self.is_returned_in_memory(ty));
        let registers = self.functions[id].parameters.clone();
        let mut registers = registers.into_iter().skip(usize::from(hidden));
        let mut parameters = Vec::new();
        for (i, &object) in c.functions[entry].params.iter().enumerate() {
            let (ty, span) = (c.objects[object].ty.ty, c.objects[object].span);
            let name = match self.parameter_name(object) {
                "" => format!("argument {}", i + 1),
                name => name.to_owned(),
            };
            let Some(leaves) = self.leaves(ty) else {
                let registers = registers.by_ref().take(1).collect();
                parameters.push(Parameter { name, ty, span, registers });
                continue;
            };
            for leaf in leaves.iter() {
                let name = format!("{name}{}", leaf.path);
                let registers = registers.by_ref().take(1).collect();
                parameters.push(Parameter { name, ty: leaf.ty, span, registers });
            }
        }
        parameters
    }

    /// What is passed beside the parameters of the source: where a struct result goes, or the
    /// variable arguments.
    pub(super) fn hidden_argument(&mut self, entry: FunctionId, last: bool) -> Result<Vec<Term>> {
        let Some(ty) = self.function_type(self.c.functions[entry].ty) else {
            return Ok(Vec::new());
        };
        let (result, variadic) = (ty.result, ty.variadic);
        if last && variadic {
            let cause = Cause::Input("variable arguments".into());
            return Ok(vec![self.unknown(Sort::BitVec(self.pointer_width()), cause)]);
        }
        if !last && self.is_returned_in_memory(result) {
            let size = self.size_term(result)?;
            return Ok(vec![self.temporary_object(result, size)]);
        }
        Ok(Vec::new())
    }

    /// Any value, which the parameter's name is shown with.
    pub(super) fn unknown_parameter(&mut self, parameter: &Parameter) -> Vec<Term> {
        self.span = parameter.span;
        let mut terms = Vec::new();
        for &register in &parameter.registers {
            let sort = self.variables[register].sort;
            let reading = self.reading(parameter.ty);
            terms.push(self.named_unknown(&parameter.name, sort, reading));
        }
        terms
    }

    /// The address of an object with a struct that is passed in memory.
    pub(super) fn struct_argument(&mut self, parameter: &Parameter) -> Result<Term> {
        let size = self.size_term(parameter.ty)?;
        let to = QualType::plain(parameter.ty);
        self.object_of(to, size, &parameter.name, Storage::Stack)
    }

    /// The parameter that says how many elements another one points to.
    pub(super) fn counted_by_parameter(&self, name: &str) -> Option<String> {
        let extent = self.options.caller.valid.iter().find(|extent| extent.parameter == name)?;
        match &extent.count {
            Count::Parameter(count) => Some(count.clone()),
            _ => None,
        }
    }

    /// What the user says of the memory that a parameter points to.
    pub(super) fn region(
        &mut self,
        name: &str,
        to: QualType,
        numbers: &[(String, TypeId, Option<Term>)],
    ) -> Region {
        let nullable = !self.options.caller.nonnull.contains(name);
        let extent = self.options.caller.valid.iter().find(|extent| extent.parameter == name);
        let pointee = match extent.map(|extent| &extent.count) {
            None => self.usual_region(to).pointee,
            Some(Count::Any) => Pointee::Any,
            Some(Count::Number(count)) => Pointee::Number(*count),
            Some(Count::Parameter(count)) => {
                let known = numbers.iter().find(|(name, ..)| name == count);
                match known.and_then(|(_, ty, term)| Some((*ty, (*term)?))) {
                    Some((ty, term)) => Pointee::Count(count.clone(), ty, term),
                    None => Pointee::Any,
                }
            }
        };
        let most = extent.and_then(|extent| extent.most);
        Region { to, pointee, most, nullable }
    }

    /// A pointer parameter: null, an object of its own, or that of an earlier parameter.
    pub(super) fn pointer_argument(
        &mut self,
        parameter: &Parameter,
        region: Region,
        earlier: &mut Vec<(Region, String, Term)>,
    ) -> Result<Term> {
        let name = &parameter.name;
        let others: Vec<(String, Term)> = match self.options.caller.alias {
            true => earlier
                .iter()
                .filter(|(other, ..)| other.is_like(&region))
                .map(|(_, name, term)| (name.clone(), *term))
                .collect(),
            false => Vec::new(),
        };
        let shared: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
        let text = self.describe(name, &region, &shared);
        self.assume_that(text);
        let value = self.temporary(Sort::BitVec(self.pointer_width()));
        let end = self.new_location();
        for (other, term) in &others {
            let same = format!("{name} is {other}");
            let same = self.unknown(Sort::Bool, Cause::Input(same.into()));
            let (yes, no) = (self.new_location(), self.new_location());
            self.split(same, yes, no);
            self.continue_at(yes);
            self.assign(value, *term);
            self.jump(end);
            self.continue_at(no);
        }
        let own = self.pointer_to(&region, name)?;
        self.assign(value, own);
        self.jump(end);
        self.continue_at(end);
        let term = self.term_of(value);
        earlier.push((region, name.clone(), term));
        Ok(term)
    }
}
