//! Which bytes of memory were written, where the program asks ([`Instruction::Written`]).
//!
//! Each object has marks beside it: as many bytes, of which each is all ones if the object's byte was
//! written, and zero if not. They are contents as others are ([`crate::contents`]): what writes to an
//! object writes ones to its marks, at the same place and under the same condition; a copy copies
//! marks as it copies bytes; states are merged with them. A program that does not ask has none.
//!
//! [`Instruction::Written`]: program::program::Instruction::Written

use crate::contents::{Contents, as_bits};
use crate::execute::{Executor, Stop};
use crate::object::Base;
use crate::pointer::Case;
use crate::state::State;
use term::Term;

impl Executor<'_> {
    /// The marks of so many bytes that were written.
    fn all_written(&self, size: u64) -> Term {
        self.pool.bits(value::Bits::ones(8 * size as u32))
    }

    /// The same place in the marks of an object.
    fn marks_of(&self, case: &Case) -> Option<Case> {
        let marks = self.objects.marks(case.base?)?;
        Some(Case { base: Some(marks), ..*case })
    }

    /// Whether all bytes of an object were written when it was made, and nothing has changed that.
    fn is_unchanged(&self, state: &State, base: Base, marks: Base) -> bool {
        self.objects.begins_written(base)
            && state.with_contents(marks, |contents| *contents == Contents::default())
    }

    /// So many bytes in a case were written, if a condition holds: all of them, or those of some marks.
    pub(crate) fn mark_case(
        &mut self,
        state: &mut State,
        case: &Case,
        condition: Term,
        (size, marks): (u64, Option<Term>),
    ) {
        let Some(place) = self.marks_of(case) else { return };
        let all = self.all_written(size);
        let new = marks.unwrap_or(all);
        if let (Some(base), Some(marks)) = (case.base, place.base)
            && new == all
            && self.is_unchanged(state, base, marks)
        {
            return;
        }
        self.write_case(state, &place, condition, (size, new));
    }

    /// The marks of so many bytes in one of some cases; none if all were written.
    pub(crate) fn marks_at(&mut self, state: &State, cases: &[Case], size: u64) -> Option<Term> {
        let places: Option<Vec<Case>> = cases.iter().map(|case| self.marks_of(case)).collect();
        let marks = self.read_any(state, &places?, size)?;
        Some(as_bits(self.pool, marks))
    }

    /// Whether all of so many bytes at an address were written.
    pub(crate) fn is_written(
        &mut self,
        state: &mut State,
        address: Term,
        size: u64,
    ) -> Result<Term, Stop> {
        let length = self.pool.bv(size, self.width);
        let cases = self.reach(state, address, length, false)?;
        let all = self.all_written(size);
        Ok(match self.marks_at(state, &cases, size) {
            Some(marks) => self.pool.eq(marks, all),
            None => self.pool.tru(),
        })
    }
}
