//! The start of the run: initial values of global registers, constructors, the entry function
//! with unknown arguments ([`super::parameters`]), destructors.

use super::Lowerer;
use super::object::Home;
use crate::diagnostic::Result;
use crate::source::Span;
use crate::typed::{FunctionId, InitValue, ObjectId};
use program::program::{Callee, Cause, FunctionId as LoweredId, Instruction, VariableId};
use std::sync::Arc;
use term::Term;
use value::Rounding;

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
        self.begin_count(entry)?;
        self.begin_segments();
        self.watch_nothing();
        self.span = self.c.functions[entry].span;
        self.begin_looking();
        self.span = Span::default();
        self.initialize_static_registers()?;
        let special = self.constructors_and_destructors();
        for &constructor in special.iter().filter(|f| self.c.functions[**f].constructor) {
            self.call_without_arguments(constructor);
        }
        self.forget_memory()?;
        self.call_entry(entry)?;
        self.call_destructors();
        self.check_blocks();
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
            self.say_used(false);
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
        if self.is_forgotten(object) {
            return self.forget_registers(object, registers);
        }
        if let (Some(stream), [register]) = (self.standard_variable(object), registers) {
            self.assign(*register, stream);
            return Ok(());
        }
        if !entry.defined && entry.init.is_none() {
            let name = self.object_name(object);
            self.warn_that(format!("the value of '{name}', which is declared only, is unknown"));
            // Functions of the library set `errno`.
            let cause = match name.as_str() {
                "errno" => Cause::Approximated("the library's errno".into()),
                name => Cause::Unknown(name.into()),
            };
            for &register in registers {
                self.havoc(register, cause.clone());
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
}
