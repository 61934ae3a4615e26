//! Inline assembly.
//!
//! What its instructions compute is not known here: its outputs take unknown values, and a run that
//! takes one need not exist ([`Cause::Assembly`]). A few instructions compute nothing but read what
//! is outside of the program: a port, a counter, a register of the machine, a source of random
//! numbers. Any value may come from there, so it is an input ([`Cause::Input`]). That is said only
//! of a template that has one such instruction and nothing else, and of outputs all of whose bits
//! the instruction writes.

use super::Lowerer;
use super::place::Spot;
use crate::diagnostic::Result;
use crate::typed::Asm;
use crate::types::TypeId;
use program::program::{Cause, Instruction};

/// How the inputs of instructions that read from outside are named.
pub(crate) const INSTRUCTION: &str = "the instruction ";

/// What an instruction reads from outside of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reads {
    /// So many bytes from a port, into the accumulator.
    Port(u64),
    /// Twice 32 bits, into two registers.
    Pair,
    /// Random bits, into all of a register.
    Random,
}

/// The instructions that read from outside of the program and do nothing else.
const DEVICES: [(&str, Reads); 8] = [
    ("inb", Reads::Port(1)),
    ("inw", Reads::Port(2)),
    ("inl", Reads::Port(4)),
    ("rdtsc", Reads::Pair),
    ("rdmsr", Reads::Pair),
    ("rdpmc", Reads::Pair),
    ("rdrand", Reads::Random),
    ("rdseed", Reads::Random),
];

/// The only instruction of a template, if it is one that reads from outside.
fn device(template: &str) -> Option<(&'static str, Reads)> {
    let instructions = template.split([';', '\n']).map(str::trim);
    let mut instructions = instructions.filter(|instruction| !instruction.is_empty());
    let (only, next) = (instructions.next()?, instructions.next());
    // A label, a prefix or a mnemonic in several dialects is none of the words.
    let (word, operands) = only.split_once(char::is_whitespace).unwrap_or((only, ""));
    if next.is_some() {
        return None;
    }
    if word == "in" {
        return Some(("in", Reads::Port(accumulator(operands)?)));
    }
    DEVICES.into_iter().find(|(name, _)| *name == word)
}

/// How many bytes the accumulator has that is the last operand.
fn accumulator(operands: &str) -> Option<u64> {
    let (_, last) = operands.rsplit_once(',')?;
    match last.trim().trim_start_matches('%') {
        "al" => Some(1),
        "ax" => Some(2),
        "eax" => Some(4),
        _ => None,
    }
}

impl Lowerer<'_> {
    /// Inline assembly: its outputs are unknown.
    pub(super) fn assembly(&mut self, asm: &Asm) -> Result<()> {
        let span = self.span;
        for (_, input) in &asm.inputs {
            self.discard(*input)?;
        }
        let memory = asm.memory_inputs.iter();
        let places: Vec<_> = asm.outputs.iter().chain(memory).map(|(_, p)| *p).collect();
        let input = |name: &str| Cause::Input(format!("{INSTRUCTION}{name}").into());
        let cause = self.device(asm).map_or(Cause::Assembly, input);
        for place in places {
            let spot = self.spot(place, true)?;
            self.span = span;
            self.havoc_spot(&spot, self.c.places[place].ty.ty, &cause)?;
        }
        let empty = asm.template.trim().is_empty();
        if !empty {
            self.warn_that("inline assembly changes nothing but its outputs".into());
        }
        if !asm.labels.is_empty() {
            // Any of the labels, or on.
            let (from, next) = (self.graph.at, self.new_location());
            for &label in &asm.labels {
                self.graph.at = from;
                self.goto(label);
            }
            self.graph.at = from;
            self.jump(next);
            self.continue_at(next);
        }
        Ok(())
    }

    /// The instruction by which assembly reads all of its outputs from outside, if it does only that.
    fn device(&self, asm: &Asm) -> Option<&'static str> {
        let (name, reads) = device(&asm.template)?;
        if !asm.memory_inputs.is_empty() || !asm.labels.is_empty() {
            return None;
        }
        let whole = asm.outputs.iter().all(|(constraint, place)| {
            let size = self.c.types.size_of(self.c.places[*place].ty.ty);
            match (reads, constraint.as_str()) {
                (Reads::Port(bytes), "=a") => size == Some(bytes),
                (Reads::Pair, "=a" | "=d") => size.is_some_and(|size| size <= 4),
                // Both registers at once, where these have 32 bits.
                (Reads::Pair, "=A") => size == Some(8) && self.pointer_width() == 32,
                (Reads::Random, "=r") => true,
                _ => false,
            }
        });
        whole.then_some(name)
    }

    fn havoc_spot(&mut self, spot: &Spot, ty: TypeId, cause: &Cause) -> Result<()> {
        match spot {
            Spot::Registers(registers) => {
                for &register in registers {
                    self.havoc(register, cause.clone());
                }
            }
            Spot::Memory(access) if access.bits.is_some() || self.register_sort(ty).is_some() => {
                if let Some(sort) = self.register_sort(ty) {
                    let value = self.unknown(sort, cause.clone());
                    self.store_scalar(*access, ty, value);
                }
            }
            Spot::Memory(access) => {
                self.check_pointer(*access);
                let length = self.size_term(ty)?;
                let (address, cause) = (access.address, cause.clone());
                self.emit(Instruction::HavocBytes { address, length, cause });
            }
            Spot::Leaves(_) => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_instruction_that_reads_from_outside() {
        assert_eq!(device("inb %w1, %b0"), Some(("inb", Reads::Port(1))));
        assert_eq!(device("\n\trdtsc;\n"), Some(("rdtsc", Reads::Pair)));
        assert_eq!(device("in %%dx, %%ax"), Some(("in", Reads::Port(2))));
        assert_eq!(device("rdrand\t%0"), Some(("rdrand", Reads::Random)));
    }

    #[test]
    fn anything_else_computes_something() {
        let others = [
            "",
            "rep insb",
            "rep; insb",
            "inb %w1, %b0; notb %b0",
            "rdtsc\nshl $32, %%rdx",
            "inc %0",
            "1: rdmsr",
            "in %1, %0",
            "in{b %1, %0|b %0, %1}",
            "rdrand %0; setc %1",
            "# inb",
        ];
        for template in others {
            assert_eq!(device(template), None, "{template}");
        }
    }
}
