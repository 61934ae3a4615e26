//! The start of the run: initial values of global registers, constructors, the entry function
//! with unknown arguments, destructors.

use super::Lowerer;
use super::object::Home;
use crate::diagnostic::Result;
use crate::source::Span;
use crate::typed::{FunctionId, InitValue, ObjectId};
use crate::types::Type;
use program::program::{Callee, Cause, FunctionId as LoweredId, Instruction, Storage, VariableId};
use std::sync::Arc;
use term::{Sort, Term};
use value::Rounding;

/// No system passes this many arguments to a program.
const MAX_ARGUMENTS: u64 = 1 << 20;

impl Lowerer<'_> {
    pub(super) fn start_function(&mut self, entry: FunctionId) -> Result<LoweredId> {
        self.span = Span::default();
        let id = self.functions.alloc(program::Function {
            name: Arc::from("<start>"),
            place: program::Place::default(),
            address: None,
            parameters: Vec::new(),
            results: Vec::new(),
            body: None,
        });
        self.begin(id);
        if let Some(rounding) = self.rounding {
            self.assign(rounding, self.pool.rounding(Rounding::NearestEven));
        }
        self.begin_segments();
        self.initialize_static_registers()?;
        let special = self.constructors_and_destructors();
        for &constructor in special.iter().filter(|f| self.c.functions[**f].constructor) {
            self.call_without_arguments(constructor);
        }
        self.call_entry(entry);
        self.call_destructors();
        let exit = self.graph.exit;
        self.jump(exit);
        self.finish(id);
        Ok(id)
    }

    /// What runs when the program ends in an orderly way.
    pub(super) fn call_destructors(&mut self) {
        let special = self.constructors_and_destructors();
        for &destructor in special.iter().filter(|f| self.c.functions[**f].destructor) {
            self.call_without_arguments(destructor);
        }
    }

    fn call_without_arguments(&mut self, function: FunctionId) {
        let id = self.function_id(function);
        let arguments = Vec::new();
        if self.functions[id].parameters.is_empty() {
            let callee = Callee::Function(id);
            self.emit(Instruction::Call { callee, arguments, results: Vec::new() });
        }
    }

    /// Registers of static objects take their initial values; what the lowered functions don't
    /// mention has none.
    fn initialize_static_registers(&mut self) -> Result<()> {
        let mut objects = self.static_registers.clone();
        objects.sort_unstable_by_key(|o| o.into_raw());
        for object in objects {
            let Home::Registers(registers) = self.home(object) else { continue };
            self.span = self.c.objects[object].span;
            self.initialize_static_register(object, &registers)?;
        }
        self.span = Span::default();
        Ok(())
    }

    fn initialize_static_register(
        &mut self,
        object: ObjectId,
        registers: &[VariableId],
    ) -> Result<()> {
        let c = self.c;
        let entry = &c.objects[object];
        if !entry.defined && entry.init.is_none() {
            let name = self.object_name(object);
            self.warn_that(format!("the value of '{name}', which is declared only, is unknown"));
            for &register in registers {
                self.havoc(register, Cause::Unknown(name.as_str().into()));
            }
            return Ok(());
        }
        let mut values: Vec<Term> =
            registers.iter().map(|r| self.zero(self.variables[*r].sort)).collect();
        let leaves = self.leaves(entry.ty.ty);
        for part in entry.init.iter().flat_map(|i| &c.inits[*i].entries) {
            let size = c.types.size_of(part.ty.ty).unwrap_or(0);
            for i in 0..values.len() {
                let offset = leaves.as_ref().map_or(0, |l| l[i].offset);
                if !(part.offset..part.offset + size).contains(&offset) {
                    continue;
                }
                let sort = self.variables[registers[i]].sort;
                values[i] = match part.value {
                    InitValue::Expr(value) => {
                        let term = self.static_value(value)?;
                        self.coerce(term, sort)
                    }
                    InitValue::Zero | InitValue::String(_) => self.zero(sort),
                };
            }
        }
        for (&register, value) in registers.iter().zip(values) {
            self.assign(register, value);
        }
        Ok(())
    }

    /// Calls the entry function. `main` gets a number of arguments and as many unknown pointers
    /// with a null pointer behind them; parameters of others are unknown.
    fn call_entry(&mut self, entry: FunctionId) {
        let id = self.function_id(entry);
        self.span = self.c.functions[entry].span;
        let parameters = self.functions[id].parameters.clone();
        let is_main = self.symbol_name(self.c.functions[entry].name) == "main";
        let mut arguments: Vec<Term> = Vec::new();
        for (i, parameter) in parameters.iter().enumerate() {
            let sort = self.variables[*parameter].sort;
            let cause = Cause::Input(format!("argument {}", i + 1).into());
            let argument = match (is_main, i) {
                (true, 0) => self.argument_count(sort),
                (true, 1) if self.is_pointer_parameter(entry, 1) => {
                    self.argument_vector(arguments[0])
                }
                _ => self.unknown(sort, cause),
            };
            arguments.push(argument);
        }
        let callee = Callee::Function(id);
        self.emit(Instruction::Call { callee, arguments, results: Vec::new() });
    }

    fn is_pointer_parameter(&self, function: FunctionId, index: usize) -> bool {
        let params = &self.c.functions[function].params;
        params
            .get(index)
            .is_some_and(|p| matches!(self.ty(self.c.objects[*p].ty.ty), Type::Pointer(_)))
    }

    fn argument_count(&mut self, sort: Sort) -> Term {
        let count = self.unknown(sort, Cause::Input("argc".into()));
        if let Sort::BitVec(width) = sort
            && width >= 32
        {
            self.assume_that(format!(
                "'main' is called with fewer than {MAX_ARGUMENTS} arguments, which are unknown \
                 pointers"
            ));
            let few = self.pool.bv_ult(count, self.pool.bv(MAX_ARGUMENTS, width));
            self.assume(few);
        }
        count
    }

    fn argument_vector(&mut self, count: Term) -> Term {
        let width = self.pointer_width();
        let word = u64::from(width / 8);
        let count = match self.pool.sort(count) {
            Sort::BitVec(_) => self.resize(count, width, true),
            _ => self.pointer_bits(0),
        };
        let bytes = self.pool.bv_mul(count, self.pointer_bits(word));
        let size = self.pool.bv_add(bytes, self.pointer_bits(word));
        let into = self.temporary(Sort::BitVec(width));
        self.emit(Instruction::Allocate {
            into,
            size,
            align: word,
            storage: Storage::Heap,
            scalars: vec![word as u32],
            name: Some("argv".into()),
        });
        let vector = self.term_of(into);
        let end = self.pool.bv_add(vector, bytes);
        self.emit(Instruction::Store { address: end, value: self.pointer_bits(0) });
        vector
    }
}
