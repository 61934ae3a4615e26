//! Where an address leads: to objects, to null, or to nothing that can be followed.
//!
//! Most addresses are sums of a base and an offset, by cases ([`crate::pointer`]). Others were
//! computed: a tag in the lowest bits, a mask, two links of a list in one word. Such a number is in one
//! of the objects whose bases it was made of, as far as it lies within one; where these are is up to
//! the placement, so a proof holds for all of them. A number that is one of several cases is more often
//! a pointer with something written into it, which leads nowhere. What the environment gives may lead to
//! memory of its own ([`crate::outside`]).

use crate::execute::Executor;
use crate::found::Why;
use crate::object::Base;
use crate::pointer::{Case, is_data};
use crate::state::State;
use program::Property;
use term::Term;
use term::traverse::free_vars;

/// The most objects that a computed address is looked for in.
const OBJECTS: usize = 16;

impl Executor<'_> {
    /// What an address can be: objects with offsets, and numbers that are no addresses of objects. Runs
    /// in which it is something else are cut.
    pub(crate) fn follow(&mut self, state: &State, address: Term) -> Vec<Case> {
        let Some(cases) = self.pointers.cases(self.pool, &self.objects, address) else {
            self.cut(state, self.pool.tru(), Why::Pointer);
            return Vec::new();
        };
        let mut followed = Vec::with_capacity(cases.len());
        for case in cases.iter() {
            match (case.base, self.number(case.offset)) {
                (Some(_), _) | (None, Some(0)) => followed.push(*case),
                (None, Some(_)) => {
                    followed.push(*case);
                    self.stray(state, case.guard);
                }
                (None, None) => {
                    let origins = match cases.len() {
                        1 => self.origins(state, case.offset),
                        _ => Vec::new(),
                    };
                    self.follow_number(state, case, &origins, &mut followed);
                }
            }
        }
        followed
    }

    /// Some runs go to memory that is not the program's: that is wrong, or nobody knows what is there.
    pub(crate) fn stray(&mut self, state: &State, condition: Term) {
        if !self.asks(Property::Pointer) {
            self.cut(state, condition, Why::Pointer);
        }
    }

    /// A number that is not known: null, within one of some objects, or something else.
    fn follow_number(
        &mut self,
        state: &State,
        case: &Case,
        objects: &[Base],
        followed: &mut Vec<Case>,
    ) {
        let (pool, zero) = (self.pool, self.pool.bv(0, self.width));
        let null = pool.and([case.guard, pool.eq(case.offset, zero)]);
        let mut known = vec![null];
        followed.push(Case { guard: null, base: None, offset: zero });
        for &base in objects {
            let object = &self.objects[base];
            let offset = pool.bv_sub(case.offset, object.base);
            let guard = pool.and([case.guard, pool.bv_ult(offset, object.size)]);
            known.push(guard);
            followed.push(Case { guard, base: Some(base), offset });
        }
        let others = pool.and([case.guard, pool.not(pool.or(known.iter().copied()))]);
        for outside in self.outside(case) {
            known.push(outside.guard);
            followed.push(outside);
        }
        let left = pool.and([case.guard, pool.not(pool.or(known))]);
        self.cut_but(state, others, left, Why::Pointer);
    }

    /// The objects whose bases occur in a number, and that certainly live: no two of them have an
    /// address in common.
    fn origins(&self, state: &State, number: Term) -> Vec<Base> {
        let variables = free_vars(self.pool, &[number]).into_iter();
        let bases = variables.filter_map(|variable| self.objects.with_base(variable));
        let lives = |base: &Base| self.pool.as_bool(self.lives(state, *base)) == Some(true);
        let data = |base: &Base| is_data(&self.objects, *base);
        let found: Vec<Base> = bases.filter(data).filter(lives).collect();
        if found.len() > OBJECTS { Vec::new() } else { found }
    }
}
