//! Requirements: what has to hold of a program's cycles.
//!
//! The patterns are PLCverif's; each becomes a check at the end of a cycle, with a register where it
//! speaks of two moments. Expressions are evaluated with the unit's variables.

use super::Lowerer;
use crate::ast::Expr;
use crate::types::Type;
use program::Property;
use program::program::{Instruction, VariableId};
use source::diagnostic::Result;
use term::{Sort, Term};

/// A requirement.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// As the user wrote it.
    pub text: String,
    /// What it demands.
    pub pattern: Pattern,
}

/// What a requirement demands.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// The expression holds at the end of each cycle.
    Invariant(Expr),
    /// Where the first one holds at the end of a cycle, the second one does.
    Implication(Expr, Expr),
    /// The expression never holds at the end of a cycle.
    Forbidden(Expr),
    /// Where the first one holds when the inputs have been read, the second one holds at the end of
    /// the same cycle.
    DuringCycle(Expr, Expr),
    /// Where the first one holds at the end of a cycle and the second one at the end of the next,
    /// the third one holds there, too.
    BetweenCycles(Expr, Expr, Expr),
    /// Where the first one holds at the end of a cycle, the second one holds at the end of that cycle
    /// or of one of the next: of so many cycles in all, at least one.
    Response(Expr, Expr, u32),
    /// The expression holds at the end of some cycle. Its negation is what is checked: a run that
    /// fails shows that the requirement holds.
    Reachable(Expr),
}

impl Pattern {
    /// The expressions in it.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Pattern::Invariant(a) | Pattern::Forbidden(a) | Pattern::Reachable(a) => vec![a],
            Pattern::Implication(a, b)
            | Pattern::DuringCycle(a, b)
            | Pattern::Response(a, b, _) => vec![a, b],
            Pattern::BetweenCycles(a, b, c) => vec![a, b, c],
        }
    }
}

/// Bits of a counter of cycles.
const COUNTER: u32 = 32;

/// What a requirement remembers from an earlier moment.
pub(super) type Memory = Option<VariableId>;

impl<'a> Lowerer<'a> {
    /// Registers for what requirements remember; false at the start.
    pub(super) fn requirement_memory(&mut self) -> Vec<Memory> {
        let options = self.options;
        let mut memory = Vec::new();
        for requirement in &options.requirements {
            memory.push(match requirement.pattern {
                Pattern::DuringCycle(..) | Pattern::BetweenCycles(..) => {
                    let register = self.temporary(Sort::Bool);
                    let no = self.pool.fls();
                    self.at_start(|this| this.assign(register, no));
                    Some(register)
                }
                // For how many cycles a response has been waited for.
                Pattern::Response(..) => {
                    let register = self.temporary(Sort::BitVec(COUNTER));
                    let zero = self.pool.bv(0, COUNTER);
                    self.at_start(|this| this.assign(register, zero));
                    Some(register)
                }
                _ => None,
            });
        }
        memory
    }

    /// What is remembered when the inputs have been read.
    pub(super) fn requirements_before(&mut self, memory: &[Memory]) -> Result<()> {
        let options = self.options;
        for (requirement, memory) in options.requirements.iter().zip(memory) {
            if let (Pattern::DuringCycle(before, _), Some(register)) =
                (&requirement.pattern, memory)
            {
                let holds = self.required(before)?;
                self.assign(*register, holds);
            }
        }
        Ok(())
    }

    /// The checks at the end of a cycle.
    pub(super) fn requirements_after(&mut self, memory: &[Memory], at: source::Span) -> Result<()> {
        let options = self.options;
        for (requirement, memory) in options.requirements.iter().zip(memory) {
            let (holds, next) = match &requirement.pattern {
                Pattern::Invariant(a) => (self.required(a)?, None),
                Pattern::Forbidden(a) | Pattern::Reachable(a) => {
                    let holds = self.required(a)?;
                    (self.pool.not(holds), None)
                }
                Pattern::Implication(a, b) => {
                    let (a, b) = (self.required(a)?, self.required(b)?);
                    (self.pool.implies(a, b), None)
                }
                Pattern::DuringCycle(_, b) => {
                    let b = self.required(b)?;
                    (self.pool.implies(self.remembered(*memory), b), None)
                }
                Pattern::BetweenCycles(a, b, c) => {
                    let next = self.required(a)?;
                    let (b, c) = (self.required(b)?, self.required(c)?);
                    let premise = self.pool.and([self.remembered(*memory), b]);
                    (self.pool.implies(premise, c), Some(next))
                }
                Pattern::Response(a, b, cycles) => {
                    let (trigger, response) = (self.required(a)?, self.required(b)?);
                    let next = self.waited(*memory, trigger, response, *cycles);
                    let most = self.pool.bv(u64::from(*cycles), COUNTER);
                    (self.pool.bv_ult(next, most), Some(next))
                }
            };
            self.span = at;
            // Also one that holds anyway: it is what is asked about.
            self.emit(Instruction::Check(Property::Assert, holds));
            if let (Some(register), Some(next)) = (memory, next) {
                self.assign(*register, next);
            }
        }
        Ok(())
    }

    /// For how many cycles a response has been waited for now; no further than the bound.
    fn waited(&self, memory: Memory, trigger: Term, response: Term, cycles: u32) -> Term {
        let zero = self.pool.bv(0, COUNTER);
        let before = memory.map_or(zero, |register| self.term_of(register));
        let most = self.pool.bv(u64::from(cycles), COUNTER);
        let one_more = self.pool.bv_add(before, self.pool.bv(1, COUNTER));
        let more = self.pool.ite(self.pool.bv_ult(before, most), one_more, most);
        let open = self.pool.or([trigger, self.pool.not(self.pool.eq(before, zero))]);
        let waits = self.pool.and([open, self.pool.not(response)]);
        self.pool.ite(waits, more, zero)
    }

    fn remembered(&self, memory: Memory) -> Term {
        memory.map_or(self.pool.fls(), |register| self.term_of(register))
    }

    /// An expression of a requirement as a condition, without checks of its own.
    fn required(&mut self, expr: &'a Expr) -> Result<Term> {
        self.quiet += 1;
        let value = self.expression(expr);
        let holds = value.and_then(|value| self.coerce(value, &Type::Bool));
        self.quiet -= 1;
        holds
    }
}
