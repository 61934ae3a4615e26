//! Functions of CODESYS and TwinCAT that copy and fill bytes in memory, through pointers.

use super::super::Lowerer;
use super::super::expression::Value;
use crate::ast::Argument;
use crate::types::{POINTER_WIDTH, Type};
use program::Property;
use program::program::Instruction;
use source::diagnostic::Result;
use term::Term;

/// Names with the names of their parameters.
const COPY: [(&str, [&str; 3]); 4] = [
    ("memcpy", ["destaddr", "srcaddr", "n"]),
    ("memmove", ["destaddr", "srcaddr", "n"]),
    ("sysmemcpy", ["pdest", "psrc", "udicount"]),
    ("sysmemmove", ["pdest", "psrc", "udicount"]),
];
const FILL: [(&str, [&str; 3]); 2] =
    [("memset", ["destaddr", "fillbyte", "n"]), ("sysmemset", ["pdest", "byvalue", "udicount"])];

impl<'a> Lowerer<'a> {
    /// A call of one of them; it gives the number of bytes.
    pub(super) fn memory_function(
        &mut self,
        key: &str,
        arguments: &'a [Argument],
    ) -> Result<Option<Value<'a>>> {
        let parameters = |list: &[(&str, [&'static str; 3])]| {
            list.iter().find(|(name, _)| *name == key).map(|(_, parameters)| *parameters)
        };
        if let Some(names) = parameters(&COPY) {
            let [to, from, length] = self.exactly(arguments, names)?;
            let (to, from) = (self.pointer_term(to)?, self.pointer_term(from)?);
            let length = self.pointer_term(length)?;
            self.accessed(&[to, from], length, Instruction::Copy { to, from, length });
            return Ok(Some(Value::Scalar(length, Type::Bits(POINTER_WIDTH))));
        }
        if let Some(names) = parameters(&FILL) {
            let [to, byte, length] = self.exactly(arguments, names)?;
            let (to, length) = (self.pointer_term(to)?, self.pointer_term(length)?);
            let byte = self.coerce(byte, &Type::Bits(8))?;
            self.accessed(&[to], length, Instruction::Fill { to, byte, length });
            return Ok(Some(Value::Scalar(length, Type::Bits(POINTER_WIDTH))));
        }
        Ok(None)
    }

    fn pointer_term(&mut self, value: Value<'a>) -> Result<Term> {
        let term = self.coerce(value, &Type::Bits(POINTER_WIDTH))?;
        Ok(self.keep(term))
    }

    /// Does something with memory, if there is anything to do.
    fn accessed(&mut self, addresses: &[Term], length: Term, instruction: Instruction) {
        let none = self.address(0);
        let some = self.pool.ne(length, none);
        let present: Vec<Term> =
            addresses.iter().map(|address| self.pool.ne(*address, none)).collect();
        let present = self.pool.and(present);
        self.when(Some(some), |this| {
            this.check(Property::Pointer, present);
            this.emit(instruction);
        });
    }
}
