//! Cyclic code: a step function that runs for ever, as a scheduler calls it.
//!
//! The run begins with the initial values of static objects and a call of the initialization, if there is
//! one. Then, for ever, the inputs take any values within their ranges and the step is called. Inputs are
//! the parameters, and what the user names ([`super::input`]); what functions without a body return is
//! unknown at each call. State is the rest: what is kept in static objects between steps, and in the
//! objects that pointer parameters lead to. These live over all steps, and the initialization gets the
//! same ones where it has a pointer to the same type. What a pointer to `const` leads to is an input.

use super::Lowerer;
use super::input::{Cycle, Input, Way};
use super::memory::Access;
use super::object::Home;
use super::parameters::Parameter;
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::typed::{FunctionId, ObjectId, Storage as Lifetime};
use crate::types::{QualType, TypeId};
use program::program::{Callee, Cause, Instruction};
use term::Term;

mod part;
mod range;

use part::Scalar;

/// A pointer of the caller that leads to the same object in all steps.
struct Lasting {
    name: String,
    span: Span,
    to: QualType,
    pointer: Term,
    /// How many elements it points to, if that is fixed.
    count: Option<u64>,
}

/// An input: the numbers that take new values.
struct Changing {
    /// Where they are.
    base: Base,
    scalars: Vec<Scalar>,
    input: Input,
    span: Span,
}

/// Where the numbers of an input are.
enum Base {
    /// In a static object.
    Object(ObjectId),
    /// Behind a pointer, which may be null.
    Behind(Term),
}

impl Lowerer<'_> {
    /// What cyclic code needs beside the step itself, met before anything gets its first value.
    pub(super) fn meet_cycle(&mut self) -> Result<()> {
        let options = self.options;
        let Some(cycle) = &options.caller.cycle else { return Ok(()) };
        if let Some(name) = &cycle.init {
            let init = self.defined(name).ok_or_else(|| self.no_function(name))?;
            self.function_id(init);
            self.meet_contract(init);
        }
        for input in &cycle.inputs {
            if let Some(object) = self.global(&input.name)? {
                self.home(object);
            }
        }
        Ok(())
    }

    /// That there is no such function, and which there are.
    pub(super) fn no_function(&self, name: &str) -> Box<Diagnostic> {
        let message = format!("there is no function '{name}' to start from");
        let error = Diagnostic::error(Span::default(), message);
        let bodies = self.c.functions.values().filter(|function| function.body.is_some());
        let there: Vec<&str> = bodies.map(|function| self.symbol_name(function.name)).collect();
        match there.is_empty() {
            true => error.help("there is no function with a body at all"),
            false => error.help(format!("functions with a body: {}", some_of(there, name))),
        }
    }

    /// The static object with a name, also of a function if only one has it.
    fn global(&self, name: &str) -> Result<Option<ObjectId>> {
        let c = self.c;
        let named = |function: bool| {
            let all = c.objects.iter().filter(move |(_, object)| {
                object.storage == Lifetime::Static && object.function.is_some() == function
            });
            let all = all.filter(|(_, object)| {
                object.name.is_some_and(|symbol| self.symbol_name(symbol) == name)
            });
            all.map(|(id, _)| id).collect::<Vec<ObjectId>>()
        };
        let mut found = named(false);
        if found.is_empty() {
            found = named(true);
        }
        // A declaration is no second variable.
        if found.iter().any(|object| c.objects[*object].defined) {
            found.retain(|object| c.objects[*object].defined);
        }
        match found[..] {
            [] => Ok(None),
            [object] => Ok(Some(object)),
            [first, second, ..] => {
                let message = format!("there are several variables '{name}'; an input must be one");
                let error = Diagnostic::error(c.objects[first].span, message);
                Err(error.note(c.objects[second].span, "another one"))
            }
        }
    }

    /// Calls the initialization, and the step for ever.
    pub(super) fn call_cycle(&mut self, step: FunctionId, cycle: &Cycle) -> Result<()> {
        self.span = self.c.functions[step].span;
        self.check_caller(step)?;
        let parameters = self.entry_parameters(step);
        let lasting = self.lasting(&parameters)?;
        let mut fixed = Vec::new();
        for parameter in &parameters {
            self.span = parameter.span;
            fixed.push(match self.is_passed_in_memory(parameter.ty) {
                true => Some(self.struct_argument(parameter)?),
                false => {
                    let named = lasting.iter().find(|pointer| pointer.name == parameter.name);
                    named.map(|pointer| pointer.pointer)
                }
            });
        }
        if let Some(init) = cycle.init.as_deref().and_then(|name| self.defined(name)) {
            self.call_initialization(init, &lasting)?;
        }
        let (changing, of_parameters) = self.inputs(cycle, &parameters, &lasting)?;
        let (before, after) =
            (self.hidden_argument(step, false)?, self.hidden_argument(step, true)?);
        self.span = self.c.functions[step].span;
        let head = self.new_location();
        self.graph.locations[head].loop_head = true;
        self.jump(head);
        self.continue_at(head);
        for input in &changing {
            self.change(input)?;
        }
        let mut arguments = before;
        for (parameter, fixed) in parameters.iter().zip(fixed) {
            match fixed {
                Some(term) => arguments.push(term),
                None => arguments.extend(self.parameter_in_range(parameter, &of_parameters)?),
            }
        }
        arguments.extend(after);
        self.call_once(step, arguments)?;
        self.jump(head);
        let never = self.new_location();
        self.continue_at(never);
        Ok(())
    }

    /// One call from outside, by the contract if there is one.
    fn call_once(&mut self, function: FunctionId, arguments: Vec<Term>) -> Result<()> {
        self.span = self.c.functions[function].span;
        if let Some(contract) = self.contract_of(function)? {
            return self.call_with_contract(function, contract, arguments);
        }
        let callee = Callee::Function(self.function_id(function));
        self.say_used(false);
        self.emit(Instruction::Call { callee, arguments, results: Vec::new() });
        Ok(())
    }

    /// The objects that pointer parameters lead to.
    fn lasting(&mut self, parameters: &[Parameter]) -> Result<Vec<Lasting>> {
        let mut lasting = Vec::new();
        let mut earlier = Vec::new();
        for parameter in parameters {
            let Some(to) = self.pointee(parameter.ty) else { continue };
            self.span = parameter.span;
            let region = self.region(&parameter.name, to, &[]);
            let count = region.fixed_count();
            if let Some(counted) = self.counted_by_parameter(&parameter.name) {
                let message = format!(
                    "what '{}' points to lives over all steps, and can't have as many elements as \
                     '{counted}' says in each",
                    parameter.name
                );
                let advice = format!("say how many there are: {}[NUMBER]", parameter.name);
                return Err(Diagnostic::error(parameter.span, message).help(advice));
            }
            let pointer = self.pointer_argument(parameter, region, &mut earlier)?;
            let (name, span) = (parameter.name.clone(), parameter.span);
            lasting.push(Lasting { name, span, to, pointer, count });
        }
        if !lasting.is_empty() {
            self.assume_that(
                "what pointer parameters lead to is the same in all steps, and only the step changes \
                 it, unless it is 'const' or named as an input"
                    .into(),
            );
        }
        Ok(lasting)
    }

    /// Calls the initialization: its pointers lead to the objects of the step, where one is of the type.
    fn call_initialization(&mut self, init: FunctionId, lasting: &[Lasting]) -> Result<()> {
        let parameters = self.entry_parameters(init);
        let mut arguments = self.hidden_argument(init, false)?;
        let mut earlier = Vec::new();
        for parameter in &parameters {
            self.span = parameter.span;
            let Some(to) = self.pointee(parameter.ty) else {
                arguments.extend(match self.is_passed_in_memory(parameter.ty) {
                    true => vec![self.struct_argument(parameter)?],
                    false => self.unknown_parameter(parameter),
                });
                continue;
            };
            let alike: Vec<&Lasting> = lasting.iter().filter(|l| l.to.ty == to.ty).collect();
            let named = alike.iter().find(|pointer| pointer.name == parameter.name);
            let same = named.or(alike.first().filter(|_| alike.len() == 1));
            arguments.push(match same {
                Some(same) => same.pointer,
                None => {
                    let region = self.usual_region(to);
                    self.pointer_argument(parameter, region, &mut earlier)?
                }
            });
        }
        arguments.extend(self.hidden_argument(init, true)?);
        self.call_once(init, arguments)
    }

    /// What the user names, and what pointers to constants lead to; ranges of parameters apart.
    fn inputs<'i>(
        &mut self,
        cycle: &'i Cycle,
        parameters: &[Parameter],
        lasting: &[Lasting],
    ) -> Result<(Vec<Changing>, Vec<&'i Input>)> {
        let (mut changing, mut of_parameters) = (Vec::new(), Vec::new());
        for input in &cycle.inputs {
            if let Some(pointer) = lasting.iter().find(|pointer| pointer.name == input.name) {
                changing.push(self.behind(pointer, input)?);
            } else if parameters.iter().any(|parameter| is_part(&parameter.name, input)) {
                of_parameters.push(input);
            } else if let Some(object) = self.global(&input.name)? {
                changing.push(self.in_object(object, input)?);
            } else {
                return Err(self.no_input(input, parameters));
            }
        }
        for pointer in lasting.iter().filter(|pointer| pointer.to.is_const()) {
            let way = match pointer.count {
                Some(_) => vec![Way::All],
                None => vec![Way::Pointee],
            };
            let input = Input { name: pointer.name.clone(), way, range: None };
            if !cycle.inputs.iter().any(|named| named.name == pointer.name) {
                changing.push(self.behind(pointer, &input)?);
            }
        }
        for input in cycle.inputs.iter().filter(|input| input.range.is_some()) {
            let (low, high) = input.range.as_ref().expect("those without one are left out");
            let text =
                format!("input '{input}' is from {} to {} in every step", low.text(), high.text());
            self.span = self.c.functions[self.entry().expect("it was found before")].span;
            self.assume_that(text);
        }
        Ok((changing, of_parameters))
    }

    /// An input that is a static object, or a part of one.
    fn in_object(&mut self, object: ObjectId, input: &Input) -> Result<Changing> {
        let c = self.c;
        let (ty, span) = (c.objects[object].ty, c.objects[object].span);
        self.span = span;
        if self.is_constant(ty) {
            let message = format!("'{}' is constant, and can't be an input", input.name);
            return Err(Diagnostic::error(span, message));
        }
        let scalars = self.scalars_of(ty.ty, &input.way, &input.name, span)?;
        Ok(Changing { base: Base::Object(object), scalars, input: input.clone(), span })
    }

    /// An input that a pointer parameter leads to.
    fn behind(&mut self, pointer: &Lasting, input: &Input) -> Result<Changing> {
        let span = pointer.span;
        let scalars = match input.way.split_first() {
            Some((Way::Pointee, rest)) => {
                let begins_with_member = matches!(rest.first(), Some(Way::Member(_)));
                let shown = match begins_with_member {
                    true => format!("{}->", pointer.name),
                    false => format!("*{}", pointer.name),
                };
                self.scalars_of(pointer.to.ty, rest, &shown, span)?
            }
            Some((way @ (Way::All | Way::Element(_)), rest)) => {
                let elements = match way {
                    Way::Element(index) => *index..*index + 1,
                    _ => 0..pointer.count.unwrap_or(1),
                };
                let most = pointer.count.unwrap_or(1);
                if elements.end > most {
                    let message = format!("'{}' points to {most} elements only", pointer.name);
                    let advice = format!("--valid '{}[NUMBER]' says how many", pointer.name);
                    return Err(Diagnostic::error(span, message).help(advice));
                }
                let size = self.c.types.size_of(pointer.to.ty).unwrap_or(0);
                let mut all = Vec::new();
                for index in elements {
                    let shown = format!("{}[{index}]", pointer.name);
                    let scalars = self.scalars_of(pointer.to.ty, rest, &shown, span)?;
                    all.extend(scalars.into_iter().map(|scalar| scalar.moved(index * size)));
                    part::check_count(all.len(), &pointer.name, span)?;
                }
                all
            }
            _ => {
                let message =
                    format!("'{}' is a pointer, which is the same in all steps", input.name);
                let advice = format!("what it leads to can be an input: *{}", input.name);
                return Err(Diagnostic::error(span, message).help(advice));
            }
        };
        let base = Base::Behind(pointer.pointer);
        Ok(Changing { base, scalars, input: input.clone(), span })
    }

    /// That there is no such input, and what there is.
    fn no_input(&self, input: &Input, parameters: &[Parameter]) -> Box<Diagnostic> {
        let name = &input.name;
        let message = format!("input '{input}': there is no variable and no parameter '{name}'");
        let globals = self.c.objects.values().filter(|object| {
            object.storage == Lifetime::Static
                && object.function.is_none()
                && !self.is_constant(object.ty)
                && !self.sources.in_system_header(object.span)
        });
        let globals = globals.filter_map(|object| object.name).map(|n| self.symbol_name(n));
        let there = parameters.iter().map(|parameter| &*parameter.name).chain(globals);
        let there: Vec<&str> = there.collect();
        let error = Diagnostic::error(Span::default(), message);
        match there.is_empty() {
            true => error,
            false => error.help(format!("there are {}", some_of(there, name))),
        }
    }

    /// New values for an input.
    fn change(&mut self, changing: &Changing) -> Result<()> {
        self.span = changing.span;
        let end = self.new_location();
        if let Base::Behind(pointer) = &changing.base {
            let some = self.new_location();
            self.split(self.pool.ne(*pointer, self.pointer_bits(0)), some, end);
            self.continue_at(some);
        }
        for scalar in &changing.scalars {
            let value = match &changing.base {
                Base::Object(object) => self.change_in_object(*object, scalar),
                Base::Behind(pointer) => self.change_in_memory(*pointer, scalar),
            };
            self.keep_in_range(value, scalar, &changing.input)?;
        }
        self.jump(end);
        self.continue_at(end);
        Ok(())
    }

    fn change_in_object(&mut self, object: ObjectId, scalar: &Scalar) -> Term {
        match self.home(object) {
            Home::Registers(registers) => {
                let leaves = self.leaves(self.c.objects[object].ty.ty);
                let index = leaves
                    .and_then(|leaves| leaves.iter().position(|leaf| leaf.offset == scalar.offset));
                let register = registers[index.unwrap_or(0)];
                self.havoc(register, Cause::Input(scalar.name.as_str().into()));
                self.term_of(register)
            }
            Home::Static(address) => self.change_in_memory(address, scalar),
            Home::Stack(variable) => self.change_in_memory(self.term_of(variable), scalar),
        }
    }

    fn change_in_memory(&mut self, base: Term, scalar: &Scalar) -> Term {
        let sort = self.register_sort(scalar.ty).expect("it is a scalar");
        let value = self.named_unknown(&scalar.name, sort, self.reading(scalar.ty));
        let access = Access { bits: scalar.bits, ..Access::sure(self.moved(base, scalar.offset)) };
        self.store_scalar(access, scalar.ty, value);
        value
    }

    /// A new value of a parameter, within its range.
    fn parameter_in_range(
        &mut self,
        parameter: &Parameter,
        ranges: &[&Input],
    ) -> Result<Vec<Term>> {
        let terms = self.unknown_parameter(parameter);
        for input in ranges.iter().filter(|input| is_part(&parameter.name, input)) {
            let scalar = Scalar {
                name: parameter.name.clone(),
                offset: 0,
                ty: parameter.ty,
                bits: None,
                span: parameter.span,
            };
            for &term in &terms {
                self.keep_in_range(term, &scalar, input)?;
            }
        }
        Ok(terms)
    }

    /// The function with a name and a body.
    fn defined(&self, name: &str) -> Option<FunctionId> {
        let name = self.c.symbols.get(name)?;
        let named = |f: &crate::typed::Function| f.name == name && f.body.is_some();
        self.c.functions.iter().find(|(_, f)| named(f)).map(|(id, _)| id)
    }

    /// The type of what can be an input.
    fn shown_type(&self, ty: TypeId) -> String {
        self.c.types.show(QualType::plain(ty), &self.c.symbols)
    }
}

/// Whether a scalar part of a parameter, by its name, belongs to an input.
fn is_part(parameter: &str, input: &Input) -> bool {
    let named = input.to_string();
    parameter == named || parameter.strip_prefix(&named).is_some_and(|rest| rest.starts_with('.'))
}

/// The names that are most like one, in a sentence.
pub(super) fn some_of(mut there: Vec<&str>, wanted: &str) -> String {
    /// How many are named.
    const MOST: usize = 8;
    let common = |name: &str| {
        let (name, wanted) = (name.to_lowercase(), wanted.to_lowercase());
        name.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count()
    };
    there.sort_by_key(|name| (std::cmp::Reverse(common(name)), name.to_string()));
    there.dedup();
    let more = there.len().saturating_sub(MOST);
    let named: Vec<String> = there.iter().take(MOST).map(|name| format!("'{name}'")).collect();
    match more {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
