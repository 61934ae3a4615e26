//! Questions about memory as values.

use super::super::Lowerer;
use super::super::expression::Value;
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::typed::{ExprId, MemoryQuestion};
use program::program::{Cause, Extent, Instruction};
use term::{Sort, Term};

impl Lowerer<'_> {
    /// The answer to a question about memory.
    pub(in crate::lower) fn memory_answer(
        &mut self,
        question: MemoryQuestion,
        arguments: &[ExprId],
        span: Span,
    ) -> Result<Value> {
        let mut terms = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            let term = self.exact_scalar(argument)?;
            terms.push(self.keep(term));
        }
        self.span = span;
        let signed: Vec<bool> =
            arguments.iter().map(|a| self.is_signed(self.c.exprs[*a].ty)).collect();
        let answer = match (question, &terms[..]) {
            (MemoryQuestion::Readable, &[p, n]) => self.has_room(p, n, signed[1], Extent::Rest),
            (MemoryQuestion::Writable, &[p, n]) => self.has_room(p, n, signed[1], Extent::Writable),
            (MemoryQuestion::Fresh, &[p, n]) => self.is_fresh(p, n, signed[1], span)?,
            (MemoryQuestion::SameObject, &[p, q]) => self.are_of_one_object(p, q),
            (MemoryQuestion::Offset, &[p]) => self.measure(p, Extent::Before),
            (MemoryQuestion::Size, &[p]) => self.whole(p).1,
            (MemoryQuestion::Separated, &[p, n, q, m]) => {
                self.are_separated((p, n, signed[1]), (q, m, signed[3]))
            }
            _ => return Err(Diagnostic::error(span, "a question without its arguments")),
        };
        Ok(Value::Scalar(answer))
    }

    /// How much of an object there is at an address.
    pub(in crate::lower) fn measure(&mut self, address: Term, extent: Extent) -> Term {
        let into = self.temporary(Sort::BitVec(self.pointer_width()));
        self.emit(Instruction::Measure { into, address, extent });
        self.term_of(into)
    }

    /// The address of the first byte of the object at an address, and its size.
    pub(super) fn whole(&mut self, address: Term) -> (Term, Term) {
        let before = self.measure(address, Extent::Before);
        let rest = self.measure(address, Extent::Rest);
        (self.pool.bv_sub(address, before), self.pool.bv_add(before, rest))
    }

    /// Whether two addresses are in one object. Where one of them is in none, which object it was made
    /// from is not known here.
    fn are_of_one_object(&mut self, p: Term, q: Term) -> Term {
        let rests = [p, q].map(|address| self.measure(address, Extent::Rest));
        let none = self.pointer_bits(0);
        let alive = self.pool.and(rests.map(|rest| self.pool.ne(rest, none)));
        let (p, q) = (self.first_byte(p), self.first_byte(q));
        let same = self.pool.eq(p, q);
        let cause = Cause::Approximated("__CPROVER_same_object".into());
        let open = self.unknown(Sort::Bool, cause);
        self.pool.ite(alive, same, open)
    }

    fn first_byte(&mut self, address: Term) -> Term {
        let before = self.measure(address, Extent::Before);
        self.pool.bv_sub(address, before)
    }

    /// Whether so many bytes are there; none always are.
    fn has_room(&mut self, address: Term, bytes: Term, signed: bool, extent: Extent) -> Term {
        let room = self.measure(address, extent);
        let width = self.pool.width(bytes).max(self.pointer_width()) + 1;
        let (bytes, room) = (self.resize(bytes, width, signed), self.resize(room, width, false));
        self.pool.bv_sle(bytes, room)
    }

    /// Whether so many bytes are there, in an object that is none of those before.
    fn is_fresh(&mut self, address: Term, bytes: Term, signed: bool, span: Span) -> Result<Term> {
        let Some(others) = self.fresh.clone() else {
            let message = "'__CPROVER_is_fresh' is understood in clauses of contracts only";
            return Err(Diagnostic::error(span, message));
        };
        let valid = self.has_room(address, bytes, signed, Extent::Writable);
        let first = self.first_byte(address);
        let first = self.keep(first);
        let apart = others.iter().map(|other| self.pool.ne(*other, first));
        let apart: Vec<Term> = apart.collect();
        let known = self.watched_object().map(|watched| self.pool.ne(watched, first));
        if let Some(others) = &mut self.fresh {
            others.push(first);
        }
        Ok(self.pool.and(apart.into_iter().chain(known).chain([valid])))
    }

    /// p + n ≤ q or q + m ≤ p, or there is nothing at one of them.
    fn are_separated(
        &mut self,
        (p, n, p_signed): (Term, Term, bool),
        (q, m, q_signed): (Term, Term, bool),
    ) -> Term {
        let widest = self.pool.width(n).max(self.pool.width(m)).max(self.pointer_width());
        let width = widest + 2;
        let (n, m) = (self.resize(n, width, p_signed), self.resize(m, width, q_signed));
        let (p, q) = (self.resize(p, width, false), self.resize(q, width, false));
        let pool = &self.pool;
        let zero = pool.bv(0, width);
        pool.or([
            pool.bv_sle(n, zero),
            pool.bv_sle(m, zero),
            pool.bv_sle(pool.bv_add(p, n), q),
            pool.bv_sle(pool.bv_add(q, m), p),
        ])
    }
}
