//! Functions: their parameters and results, and the lowering of their bodies.

use super::Lowerer;
use super::expression::Value;
use super::jump::{self, Scopes};
use super::object::Home;
use crate::diagnostic::Result;
use crate::typed::{ExprId, FunctionId, ObjectId};
use crate::types::{FloatKind, FunctionType, IntKind, Type, TypeId};
use program::program::{
    Cause, FunctionId as LoweredId, Instruction, LocationId, Reading, Storage as Lifetime,
    VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use term::Sort;

/// What is known of the function that is being lowered.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) id: Option<LoweredId>,
    /// The typed function, if it is one of the source.
    pub(super) function: Option<FunctionId>,
    pub(super) name: String,
    /// Registers made up so far.
    pub(super) temporaries: u32,
    /// Objects that live until the end of the full expression.
    pub(super) temporary_objects: Vec<VariableId>,
    /// Values that [`crate::typed::ExprKind::Shared`] refers to.
    pub(super) shared: FxHashMap<ExprId, Value>,
    /// Whether nobody uses the value of the update that is evaluated next.
    pub(super) old_value_is_unused: bool,
    /// Calls whose value nobody uses.
    pub(super) unused: FxHashSet<ExprId>,
    /// Whether the caller uses the value of this function, if that is to be checked.
    pub(super) wanted: Option<VariableId>,
    pub(super) results: Vec<VariableId>,
    /// Where a struct result goes that is not kept in registers.
    pub(super) result_address: Option<VariableId>,
    /// The address of the variable arguments.
    pub(super) variable_arguments: Option<VariableId>,
    /// Where returns go.
    pub(super) end: Option<LocationId>,
    pub(super) labels: Vec<LocationId>,
    pub(super) scopes: Scopes,
    /// Objects allocated in open blocks.
    pub(super) live: Vec<(ObjectId, VariableId)>,
    pub(super) loops: Vec<super::statement::Target>,
    pub(super) breaks: Vec<super::statement::Target>,
    pub(super) switches: Vec<super::statement::Switch>,
}

/// How a function is called.
struct Signature {
    params: Vec<(TypeId, Option<ObjectId>)>,
    result: TypeId,
    variadic: bool,
    /// Arguments come promoted, and are converted by the function.
    promoted: bool,
}

impl Lowerer<'_> {
    pub(super) fn index_functions(&mut self) {
        for (id, function) in self.c.functions.iter() {
            if function.linkage != crate::typed::Linkage::External {
                continue;
            }
            let entry = self.by_name.entry(function.name).or_insert(id);
            if self.c.functions[*entry].body.is_none() {
                *entry = id;
            }
        }
    }

    /// The function that a declaration means: what it is an alias of.
    pub(super) fn resolve(&self, function: FunctionId) -> FunctionId {
        let mut id = function;
        // Aliases of aliases exist, circles would not link; a bound is enough.
        for _ in 0..8 {
            let entry = &self.c.functions[id];
            if entry.body.is_some() {
                return id;
            }
            let next = match entry.alias {
                Some(target) => {
                    let named = |(_, f): &(FunctionId, &crate::typed::Function)| f.name == target;
                    self.c.functions.iter().find(named).map(|(id, _)| id)
                }
                None if entry.linkage == crate::typed::Linkage::External => {
                    self.by_name.get(&entry.name).copied()
                }
                None => None,
            };
            match next {
                Some(next) if next != id => id = next,
                _ => return id,
            }
        }
        id
    }

    pub(super) fn entry(&self) -> Option<FunctionId> {
        let name = self.c.symbols.get(&self.options.entry)?;
        let named = |f: &crate::typed::Function| f.name == name && f.body.is_some();
        self.c.functions.iter().find(|(_, f)| named(f)).map(|(id, _)| id)
    }

    pub(super) fn function_type(&self, ty: TypeId) -> Option<&FunctionType> {
        match self.ty(ty) {
            Type::Function(function) => Some(function),
            _ => None,
        }
    }

    fn signature(&self, function: FunctionId) -> Signature {
        let entry = &self.c.functions[function];
        let ty = self.function_type(entry.ty);
        let result = ty.map_or(entry.ty, |t| t.result);
        let variadic = ty.is_some_and(|t| t.variadic);
        let prototype = ty.is_none_or(|t| t.prototype);
        let params = if entry.body.is_some() {
            entry.params.iter().map(|&p| (self.c.objects[p].ty.ty, Some(p))).collect()
        } else {
            ty.map_or(&[][..], |t| &t.params).iter().map(|p| (p.ty, None)).collect()
        };
        Signature { params, result, variadic, promoted: !prototype }
    }

    /// The sort of an argument after the default promotions.
    pub(super) fn promoted_sort(&self, ty: TypeId) -> Option<Sort> {
        let int = self.c.types.int_shape(IntKind::Int).width;
        match (self.ty(ty), self.register_sort(ty)?) {
            (Type::Float(FloatKind::Float), _) => Some(Sort::Float(value::Format::F64)),
            (_, Sort::Bool) => Some(Sort::BitVec(int)),
            (_, Sort::BitVec(width)) => Some(Sort::BitVec(width.max(int))),
            (_, sort) => Some(sort),
        }
    }

    /// The program's function for a defined one, whose body will be lowered.
    pub(super) fn function_id(&mut self, function: FunctionId) -> LoweredId {
        let function = self.resolve(function);
        self.addressed_function(function)
    }

    /// The program's function, also for one without a body: that of its model is made.
    pub(super) fn addressed_function(&mut self, function: FunctionId) -> LoweredId {
        if let Some(&id) = self.known.get(&function) {
            return id;
        }
        let c = self.c;
        let entry = &c.functions[function];
        let name: Arc<str> = self.symbol_name(entry.name).into();
        let place = self.place_of(entry.span);
        let id = self.functions.alloc(program::Function {
            name: name.clone(),
            place,
            address: None,
            parameters: Vec::new(),
            results: Vec::new(),
            body: None,
        });
        self.known.insert(function, id);
        self.pending.push(function);
        let caller = self.frame.id.replace(id);
        let parameters = self.parameters(function, &name);
        let results = self.results(function, &name);
        self.functions[id].parameters = parameters;
        self.functions[id].results = results;
        self.frame.id = caller;
        id
    }

    fn parameters(&mut self, function: FunctionId, name: &str) -> Vec<VariableId> {
        let signature = self.signature(function);
        let span = self.c.functions[function].span;
        let address = Sort::BitVec(self.pointer_width());
        let mut parameters = Vec::new();
        if self.is_returned_in_memory(signature.result) {
            let name = format!("{name}::&result");
            parameters.push(self.new_variable(name, None, address, Reading::Address, true, span));
        }
        for (i, &(ty, object)) in signature.params.iter().enumerate() {
            let in_registers = self.register_sort(ty).is_some() || self.leaves(ty).is_some();
            match object {
                Some(object) if self.lives_in_registers(object) && !signature.promoted => {
                    let registers = self.object_registers(object);
                    self.homes.insert(object, Home::Registers(registers.clone()));
                    parameters.extend(registers);
                }
                Some(object) if !in_registers => {
                    // The caller made a copy, which the function uses as its own.
                    let name = format!("&{}", self.object_name(object));
                    let reading = Reading::Address;
                    let register = self.new_variable(name, None, address, reading, true, span);
                    self.homes.insert(object, Home::Stack(register));
                    parameters.push(register);
                }
                _ => {
                    let sorts = self.argument_sorts(ty, signature.promoted);
                    for sort in sorts {
                        let name = format!("{name}::argument {}", i + 1);
                        let reading = self.reading(ty);
                        parameters.push(self.new_variable(name, None, sort, reading, true, span));
                    }
                }
            }
        }
        if signature.variadic {
            let name = format!("{name}::&arguments");
            parameters.push(self.new_variable(name, None, address, Reading::Address, true, span));
        }
        parameters
    }

    /// The sorts of the terms that an argument is passed as.
    pub(super) fn argument_sorts(&mut self, ty: TypeId, promoted: bool) -> Vec<Sort> {
        let scalar = if promoted { self.promoted_sort(ty) } else { self.register_sort(ty) };
        match (scalar, self.leaves(ty)) {
            (Some(sort), _) => vec![sort],
            (None, Some(leaves)) => {
                leaves.iter().filter_map(|leaf| self.register_sort(leaf.ty)).collect()
            }
            (None, None) => vec![Sort::BitVec(self.pointer_width())],
        }
    }

    pub(super) fn is_returned_in_memory(&mut self, ty: TypeId) -> bool {
        self.is_record(ty) && self.leaves(ty).is_none()
    }

    fn results(&mut self, function: FunctionId, name: &str) -> Vec<VariableId> {
        let result = self.signature(function).result;
        let span = self.c.functions[function].span;
        if let Some(sort) = self.register_sort(result) {
            let (name, reading) = (format!("{name}::result"), self.reading(result));
            return vec![self.new_variable(name, None, sort, reading, true, span)];
        }
        let mut results = Vec::new();
        for leaf in self.leaves(result).iter().flat_map(|l| l.iter()) {
            let Some(sort) = self.register_sort(leaf.ty) else { continue };
            let (name, reading) = (format!("{name}::result{}", leaf.path), self.reading(leaf.ty));
            results.push(self.new_variable(name, None, sort, reading, true, span));
        }
        results
    }

    /// Lowers the body of a function, or makes one from its model.
    pub(super) fn lower_function(&mut self, function: FunctionId) -> Result<()> {
        let c = self.c;
        let entry = &c.functions[function];
        let id = self.known[&function];
        self.span = entry.span;
        self.begin(id);
        self.frame.function = Some(function);
        let name = self.symbol_name(entry.name);
        let is_error = super::model::is_error(name);
        // A call of an error function does not return, whatever its body does.
        let end = if is_error { self.new_location() } else { self.graph.exit };
        self.frame.end = Some(end);
        self.reach_entry(function);
        let arguments = self.enter(function)?;
        self.keep_wanted(function);
        if is_error {
            let never = self.pool.fls();
            self.check(program::Property::Reach, never);
        }
        match entry.body {
            Some(body) => {
                self.frame.scopes = jump::scopes(c, function);
                self.frame.labels = entry.labels.iter().map(|_| self.new_location()).collect();
                self.allocate_hoisted(function)?;
                self.statement(body)?;
                self.span = self.closing_brace(function);
                if self.is_live() {
                    self.check_end(false);
                }
                self.span = entry.span;
                self.fall_off(function);
            }
            None => self.model_body(function, arguments)?,
        }
        self.jump(end);
        self.finish(id);
        Ok(())
    }

    /// Starts a new graph.
    pub(super) fn begin(&mut self, id: LoweredId) {
        self.graph = Default::default();
        let place = self.here();
        self.graph.locations[self.graph.entry].place = place.clone();
        self.graph.locations[self.graph.exit].place = place;
        let name = self.functions[id].name.to_string();
        self.frame = Frame { id: Some(id), name, ..Frame::default() };
        self.frame.results = self.functions[id].results.clone();
    }

    /// Ends the graph.
    pub(super) fn finish(&mut self, id: LoweredId) {
        let graph = std::mem::take(&mut self.graph);
        self.functions[id].body = Some(graph.finish());
    }

    /// Puts arguments where the parameters live; for a function without a body, gives them.
    fn enter(&mut self, function: FunctionId) -> Result<Vec<(Value, TypeId)>> {
        let signature = self.signature(function);
        let id = self.known[&function];
        let mut registers = self.functions[id].parameters.clone().into_iter();
        if self.is_returned_in_memory(signature.result) {
            self.frame.result_address = registers.next();
        }
        let mut arguments = Vec::new();
        for (ty, object) in signature.params {
            let count = self.argument_sorts(ty, signature.promoted).len();
            let own: Vec<VariableId> = registers.by_ref().take(count).collect();
            let terms: Vec<term::Term> = own.iter().map(|r| self.term_of(*r)).collect();
            let scalar = self.register_sort(ty);
            let value = match (scalar, self.leaves(ty)) {
                (Some(sort), _) => Value::Scalar(self.coerce(terms[0], sort)),
                (None, Some(_)) => Value::Leaves(terms),
                (None, None) => Value::Memory(terms[0]),
            };
            match object {
                Some(object) if !self.homes.contains_key(&object) => {
                    let home = self.home(object);
                    if let Home::Stack(_) = home {
                        self.allocate(object)?;
                    }
                    let spot = self.object_spot(object);
                    self.store(&spot, ty, value)?;
                }
                Some(_) => {}
                None => arguments.push((value, ty)),
            }
        }
        if signature.variadic {
            self.frame.variable_arguments = registers.next();
        }
        Ok(arguments)
    }

    /// A new object on the stack for an automatic object in memory.
    pub(super) fn allocate(&mut self, object: ObjectId) -> Result<()> {
        let Home::Stack(into) = self.home(object) else { return Ok(()) };
        let entry = &self.c.objects[object];
        let ty = entry.ty;
        let align = entry.align.unwrap_or(1).max(self.align_of(ty));
        let name = entry.name.map(|n| Arc::from(self.symbol_name(n)));
        let scalars = self.scalar_sizes(ty.ty);
        let size = self.size_term(ty.ty)?;
        // An object without bytes still has an address of its own.
        let size = match self.pool.as_bits(size) {
            Some(bits) if bits.is_zero() => self.pointer_bits(1),
            _ => size,
        };
        let storage = Lifetime::Stack;
        self.own_sizes.insert(self.term_of(into), size);
        self.emit(Instruction::Allocate {
            into,
            size,
            align,
            storage,
            written: false,
            scalars,
            name,
        });
        Ok(())
    }

    /// Objects whose declaration a jump can pass by, and compound literals, live from the
    /// function's entry on.
    fn allocate_hoisted(&mut self, function: FunctionId) -> Result<()> {
        let c = self.c;
        let mut hoisted: Vec<ObjectId> = self.frame.scopes.hoisted.iter().copied().collect();
        hoisted.sort_unstable_by_key(|o| o.into_raw());
        let literals = c.functions[function].locals.iter().copied().filter(|&o| {
            let object = &c.objects[o];
            object.name.is_none() && object.storage == crate::typed::Storage::Automatic
        });
        for literal in literals {
            if self.frame.scopes.hoisted.insert(literal) {
                hoisted.push(literal);
            }
        }
        for object in hoisted {
            match self.home(object) {
                Home::Registers(registers) => {
                    for register in registers {
                        self.begin_without_value(register);
                    }
                }
                _ => self.allocate(object)?,
            }
        }
        Ok(())
    }

    /// The end of a body without `return`.
    fn fall_off(&mut self, function: FunctionId) {
        if !self.is_live() {
            return;
        }
        let is_main = self.symbol_name(self.c.functions[function].name) == "main";
        for result in self.frame.results.clone() {
            match self.variables[result].sort {
                Sort::BitVec(width) if is_main => self.assign(result, self.pool.bv(0, width)),
                _ => self.havoc(result, Cause::Uninitialized),
            }
        }
    }

    fn model_body(&mut self, function: FunctionId, arguments: Vec<(Value, TypeId)>) -> Result<()> {
        let result = self.signature(function).result;
        let value = match self.contract_at_call(function)? {
            Some(contract) => self.call_of_contract(function, contract, arguments, result)?,
            None => self.library_call(function, arguments, &[], (result, true))?,
        };
        self.return_value(value, result)
    }

    /// Puts the result of the function where the caller finds it.
    pub(super) fn return_value(&mut self, value: Value, ty: TypeId) -> Result<()> {
        match (self.frame.result_address, value) {
            (_, Value::Void) => {}
            (Some(address), value) => {
                let address = self.term_of(address);
                let spot = super::place::Spot::Memory(super::memory::Access::sure(address));
                self.store(&spot, ty, value)?;
            }
            (None, value) => {
                let terms = self.value_leaves(value, ty);
                let results = self.frame.results.clone();
                self.assign_all(&results, &terms);
            }
        }
        Ok(())
    }

    pub(super) fn constructors_and_destructors(&self) -> Vec<FunctionId> {
        let special =
            |f: &crate::typed::Function| (f.constructor || f.destructor) && f.body.is_some();
        self.c.functions.iter().filter(|(_, f)| special(f)).map(|(id, _)| id).collect()
    }
}
