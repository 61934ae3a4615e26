//! `qsort` and `bsearch`: how often and with which elements they call the comparison, and in which order,
//! C leaves open.
//!
//! So the comparison is called for every pair of elements, an element and itself among them, which shows
//! what can go wrong in it. Then the elements are sorted by insertion; `bsearch` finds any element that
//! equals the key. That is what every library does only if it makes no difference how often the
//! comparison is called, so it must be known and only read ([`crate::lower::pure`]). In which order
//! elements come that the comparison calls equal is open, too.

use super::Call;
use super::buffer::Block;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use crate::types::FunctionType;
use program::program::{Cause, Instruction, Storage, VariableId};
use term::{Sort, Term};

/// The elements, and how two of them are compared.
struct Elements {
    base: Term,
    count: Term,
    size: Term,
    function: Term,
    ty: FunctionType,
}

impl Lowerer<'_> {
    pub(super) fn sort_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let first = match (call.name, call.arguments.len()) {
            ("qsort", 4) => 0,
            ("bsearch", 5) => 1,
            _ => return Ok(None),
        };
        let Some(elements) = self.elements(call, first)? else { return Ok(None) };
        if first == 0 {
            self.compare_all(&elements)?;
            self.sort(&elements)?;
            return Ok(Some(Value::Void));
        }
        let key = self.word_argument(call, 0)?;
        let found = self.search(&elements, key)?;
        Ok(self.result(call, found))
    }

    /// The arguments from one on; none if the last one is no comparison that only reads.
    fn elements(&mut self, call: &Call<'_>, first: usize) -> Result<Option<Elements>> {
        let to = self.c.types.pointee(call.arguments[first + 3].1);
        let ty = to.and_then(|to| self.function_type(to.ty).cloned());
        let Some(ty) = ty.filter(|ty| ty.params.len() == 2) else { return Ok(None) };
        let address = self.word_argument(call, first + 3)?;
        let id = self.functions.iter().find(|(_, f)| f.address == Some(address)).map(|(id, _)| id);
        let known = self.known.iter().find(|(_, known)| Some(**known) == id);
        if !known.is_some_and(|(function, _)| self.only_reads(*function)) {
            return Ok(None);
        }
        let base = self.word_argument(call, first)?;
        let count = self.word_argument(call, first + 1)?;
        let size = self.word_argument(call, first + 2)?;
        let function = self.word_argument(call, first + 3)?;
        let kept = [base, count, size, function].map(|term| self.keep(term));
        let [base, count, size, function] = kept;
        let block = Block { address: base, length: self.pool.bv_mul(count, size) };
        match first {
            0 => self.check_writable(block),
            _ => self.check_readable(block),
        }
        Ok(Some(Elements { base, count, size, function, ty }))
    }

    fn element_at(&self, elements: &Elements, index: Term) -> Term {
        self.pool.bv_add(elements.base, self.pool.bv_mul(index, elements.size))
    }

    /// What the comparison says of what is at two addresses.
    fn compared(&mut self, elements: &Elements, a: Term, b: Term) -> Result<Term> {
        let types = [elements.ty.params[0].ty, elements.ty.params[1].ty];
        let arguments = vec![(Value::Scalar(a), types[0]), (Value::Scalar(b), types[1])];
        let result = (elements.ty.result, true);
        match self.call_pointer(elements.function, &elements.ty, arguments, result)? {
            Value::Scalar(term) => {
                let term = self.exact(term, elements.ty.result);
                Ok(self.keep(term))
            }
            _ => Ok(self.pool.bv(0, 32)),
        }
    }

    /// A register that counts from a number on, while it is below another one.
    fn counting(
        &mut self,
        count: Term,
        body: impl FnOnce(&mut Self, Term) -> Result<()>,
    ) -> Result<()> {
        let round = self.begin_loop();
        self.leave_if(self.pool.eq(self.term_of(round.index), count), round.end);
        body(self, self.term_of(round.index))?;
        self.next_round(&round);
        self.end_loop(&round);
        Ok(())
    }

    fn compare_all(&mut self, elements: &Elements) -> Result<()> {
        self.counting(elements.count, |l, i| {
            l.counting(elements.count, |l, j| {
                let (a, b) = (l.element_at(elements, i), l.element_at(elements, j));
                l.compared(elements, a, b).map(|_| ())
            })
        })
    }

    /// Every element goes down as long as the one before it is greater, and perhaps if it is equal.
    fn sort(&mut self, elements: &Elements) -> Result<()> {
        self.counting(elements.count, |l, i| {
            let at = l.temporary(Sort::BitVec(l.pointer_width()));
            l.assign(at, i);
            let round = l.begin_loop();
            l.leave_if(l.pool.eq(l.term_of(at), l.pointer_bits(0)), round.end);
            let below = l.pool.bv_sub(l.term_of(at), l.pointer_bits(1));
            let (lower, upper) =
                (l.element_at(elements, below), l.element_at(elements, l.term_of(at)));
            let (lower, upper) = (l.keep(lower), l.keep(upper));
            let order = l.compared(elements, lower, upper)?;
            let zero = l.pool.bv(0, l.pool.width(order));
            let stays = l.unknown(Sort::Bool, Cause::Unknown("qsort".into()));
            let equal = l.pool.and([l.pool.eq(order, zero), stays]);
            l.leave_if(l.pool.or([l.pool.bv_slt(order, zero), equal]), round.end);
            l.exchange(lower, upper, elements.size);
            let below = l.pool.bv_sub(l.term_of(at), l.pointer_bits(1));
            l.assign(at, below);
            l.next_round(&round);
            l.end_loop(&round);
            Ok(())
        })
    }

    fn exchange(&mut self, a: Term, b: Term, length: Term) {
        let to = self.block(length, Storage::Stack);
        self.emit(Instruction::Copy { to, from: a, length });
        self.emit(Instruction::Copy { to: a, from: b, length });
        self.emit(Instruction::Copy { to: b, from: to, length });
        self.emit(Instruction::Free { address: to, storage: Storage::Stack });
    }

    /// The address of an element that equals the key, or null.
    fn search(&mut self, elements: &Elements, key: Term) -> Result<Term> {
        let key = self.keep(key);
        let found: VariableId = self.temporary(Sort::BitVec(self.pointer_width()));
        self.variables[found].reading = program::program::Reading::Address;
        self.assign(found, self.pointer_bits(0));
        self.counting(elements.count, |l, i| {
            let here = l.element_at(elements, i);
            let here = l.keep(here);
            let order = l.compared(elements, key, here)?;
            let equal = l.pool.eq(order, l.pool.bv(0, l.pool.width(order)));
            let first = l.pool.eq(l.term_of(found), l.pointer_bits(0));
            let this = l.unknown(Sort::Bool, Cause::Unknown("bsearch".into()));
            let takes = l.pool.and([equal, l.pool.or([first, this])]);
            let next = l.pool.ite(takes, here, l.term_of(found));
            l.assign(found, next);
            Ok(())
        })?;
        Ok(self.term_of(found))
    }
}
