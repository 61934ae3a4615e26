//! The arguments of `main`: their number, and strings.
//!
//! Where nobody asks whether pointers are valid, the elements of `argv` are unknown pointers. Where
//! somebody does, there are at least one and at most [`MAX_STRINGS`] strings, which lie in one object of at
//! most [`MAX_BYTES`] bytes that ends with a zero: each begins somewhere in it, and ends at the next zero.
//! They may overlap, which is more than an environment does.

use super::Lowerer;
use crate::typed::FunctionId;
use crate::types::Type;
use program::Property;
use program::program::{Cause, Instruction, Storage};
use term::{Sort, Term};

/// No system passes this many arguments to a program.
const MAX_ARGUMENTS: u64 = 1 << 20;
/// The same where they are strings.
const MAX_STRINGS: u64 = 8;
/// How many bytes these have in all.
const MAX_BYTES: u64 = 256;

impl Lowerer<'_> {
    pub(super) fn arguments_of_main(&mut self, entry: FunctionId) -> Vec<Term> {
        let id = self.function_id(entry);
        let parameters = self.functions[id].parameters.clone();
        let vector = self.is_pointer_parameter(entry, 1);
        let strings = vector && self.options.properties.contains(&Property::Pointer);
        let mut arguments: Vec<Term> = Vec::new();
        for (i, parameter) in parameters.iter().enumerate() {
            let sort = self.variables[*parameter].sort;
            let argument = match i {
                0 => self.argument_count(sort, strings),
                1 if vector => self.argument_vector(arguments[0], strings),
                _ => self.unknown(sort, Cause::Input(format!("argument {}", i + 1).into())),
            };
            arguments.push(argument);
        }
        arguments
    }

    fn is_pointer_parameter(&self, function: FunctionId, index: usize) -> bool {
        let params = &self.c.functions[function].params;
        params
            .get(index)
            .is_some_and(|p| matches!(self.ty(self.c.objects[*p].ty.ty), Type::Pointer(_)))
    }

    fn argument_count(&mut self, sort: Sort, strings: bool) -> Term {
        let count = self.unknown(sort, Cause::Input("argc".into()));
        let Sort::BitVec(width) = sort else { return count };
        if width < 32 {
            return count;
        }
        let pool = &self.pool;
        let number = |n: u64| pool.bv(n, width);
        let possible = match strings {
            true => pool.and([pool.ne(count, number(0)), pool.bv_ule(count, number(MAX_STRINGS))]),
            false => pool.bv_ult(count, number(MAX_ARGUMENTS)),
        };
        self.assume_that(match strings {
            true => format!(
                "'main' is called with 1 to {MAX_STRINGS} arguments, of {MAX_BYTES} bytes in all"
            ),
            false => format!(
                "'main' is called with fewer than {MAX_ARGUMENTS} arguments, which are unknown \
                 pointers"
            ),
        });
        self.assume(possible);
        count
    }

    /// `argv`: as many pointers as the number says, and null.
    fn argument_vector(&mut self, count: Term, strings: bool) -> Term {
        let width = self.pointer_width();
        let word = u64::from(width / 8);
        let count = match self.pool.sort(count) {
            Sort::BitVec(_) => self.resize(count, width, true),
            _ => self.pointer_bits(0),
        };
        let bytes = self.pool.bv_mul(count, self.pointer_bits(word));
        let size = self.pool.bv_add(bytes, self.pointer_bits(word));
        let vector = self.object_of_caller("argv", size, word);
        let end = self.pool.bv_add(vector, bytes);
        self.emit_beyond(Instruction::Store { address: end, value: self.pointer_bits(0) });
        if strings {
            self.argument_strings(vector, count);
        }
        vector
    }

    /// The elements of `argv` point to strings.
    fn argument_strings(&mut self, vector: Term, count: Term) {
        let width = self.pointer_width();
        let length = Cause::Input("length of all arguments".into());
        let length = self.unknown(Sort::BitVec(width), length);
        let one = self.pointer_bits(1);
        let most = self.pointer_bits(MAX_BYTES);
        let room = self.pool.and([self.pool.bv_ule(one, length), self.pool.bv_ule(length, most)]);
        self.assume(room);
        let text = self.object_of_caller("arguments", length, 1);
        let last = self.pool.bv_sub(self.pool.bv_add(text, length), one);
        self.emit_beyond(Instruction::Store { address: last, value: self.pool.bv(0, 8) });
        let done = self.new_location();
        for number in 0..MAX_STRINGS {
            let more = self.new_location();
            self.split(self.pool.bv_ult(self.pointer_bits(number), count), more, done);
            self.continue_at(more);
            let begin = Cause::Input(format!("where argument {number} begins").into());
            let begin = self.unknown(Sort::BitVec(width), begin);
            self.assume(self.pool.bv_ult(begin, length));
            let address = self.moved(vector, number * u64::from(width / 8));
            let value = self.pool.bv_add(text, begin);
            self.emit_beyond(Instruction::Store { address, value });
        }
        self.jump(done);
        self.continue_at(done);
    }

    /// An object of elements of some bytes, with contents that are unknown and there.
    fn object_of_caller(&mut self, name: &str, size: Term, element: u64) -> Term {
        let into = self.temporary(Sort::BitVec(self.pointer_width()));
        self.emit(Instruction::Allocate {
            into,
            size,
            align: element,
            storage: Storage::Heap,
            written: true,
            scalars: vec![element as u32],
            name: Some(name.into()),
        });
        self.term_of(into)
    }
}
