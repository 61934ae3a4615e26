//! Addresses by cases: which object, and how far from its beginning.
//!
//! An address is an ordinary term. Its *cases* are read off: a base is an object at offset zero, a
//! sum moves the offset, and where ways met, an `ite` has the cases of both, each object and offset
//! once. What a program does to an address beyond that (bits of it, products) leaves a term that is
//! a number to it, and can't be followed back to an object.

use crate::object::{Base, Kind, Objects};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use term::{Op, Pool, Sort, Term};

/// The most cases that are followed.
const CASES: usize = 128;
/// The numbers from here to the end are no addresses of objects: systems use that page for errors.
pub const PAGE: u64 = 4096;

/// One of the things that an address can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// When. The conditions of all cases exclude each other, and one holds.
    pub guard: Term,
    /// The object; none if it is a number.
    pub base: Option<Base>,
    /// The distance from the object's beginning, or the number.
    pub offset: Term,
}

/// What is known of terms as addresses.
#[derive(Default)]
pub struct Pointers {
    has_base: FxHashMap<Term, bool>,
    cases: FxHashMap<Term, Option<Rc<[Case]>>>,
}

impl Pointers {
    /// Whether a value is made of a base; what it is chosen by does not count.
    pub fn has_base(&mut self, pool: &Pool, objects: &Objects, term: Term) -> bool {
        if let Some(&known) = self.has_base.get(&term) {
            return known;
        }
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            let args = match (pool.op(top), pool.args(top)) {
                _ if pool.sort(top) == Sort::Bool => &[],
                (Op::Ite, args) => &args[1..],
                (_, args) => args,
            };
            let before = pending.len();
            pending.extend(args.iter().filter(|arg| !self.has_base.contains_key(arg)));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            let own = objects.with_base(top).is_some();
            let has = own || args.iter().any(|arg| self.has_base[arg]);
            self.has_base.insert(top, has);
        }
        self.has_base[&term]
    }

    /// The cases of an address; none if they are too many.
    pub fn cases(&mut self, pool: &Pool, objects: &Objects, term: Term) -> Option<Rc<[Case]>> {
        if let Some(known) = self.cases.get(&term) {
            return known.clone();
        }
        let found = self.find(pool, objects, term).filter(|cases| cases.len() <= CASES);
        let found: Option<Rc<[Case]>> = found.map(Rc::from);
        self.cases.insert(term, found.clone());
        found
    }

    fn find(&mut self, pool: &Pool, objects: &Objects, term: Term) -> Option<Vec<Case>> {
        let tru = pool.tru();
        if !self.has_base(pool, objects, term) {
            return Some(vec![Case { guard: tru, base: None, offset: term }]);
        }
        if let Some(base) = objects.with_base(term) {
            let offset = pool.bv(0, pool.width(term));
            return Some(vec![Case { guard: tru, base: Some(base), offset }]);
        }
        // What is made of an address by other operators is a number: where it leads is not known.
        let number = Some(vec![Case { guard: tru, base: None, offset: term }]);
        match (pool.op(term), pool.args(term)) {
            (Op::Ite, &[c, a, b]) => {
                let (then, otherwise) =
                    (self.cases(pool, objects, a)?, self.cases(pool, objects, b)?);
                Some(join(pool, c, &then, &otherwise))
            }
            (Op::BvAdd, &[a, b]) => {
                let (a, b) = match self.has_base(pool, objects, a) {
                    true => (a, b),
                    false => (b, a),
                };
                match self.has_base(pool, objects, b) {
                    false => self.moved(pool, objects, a, |offset| pool.bv_add(offset, b)),
                    true => number,
                }
            }
            (Op::BvSub, &[a, b]) => match self.has_base(pool, objects, b) {
                false => self.moved(pool, objects, a, |offset| pool.bv_sub(offset, b)),
                true => self.distances(pool, objects, a, b).or(number),
            },
            _ => number,
        }
    }

    fn moved(
        &mut self,
        pool: &Pool,
        objects: &Objects,
        term: Term,
        by: impl Fn(Term) -> Term,
    ) -> Option<Vec<Case>> {
        let cases = self.cases(pool, objects, term)?;
        Some(cases.iter().map(|case| Case { offset: by(case.offset), ..*case }).collect())
    }

    /// The difference of two addresses, if it is always one within an object.
    fn distances(&mut self, pool: &Pool, objects: &Objects, a: Term, b: Term) -> Option<Vec<Case>> {
        let (a, b) = (self.cases(pool, objects, a)?, self.cases(pool, objects, b)?);
        let mut cases: Vec<Case> = Vec::new();
        for (x, y) in a.iter().flat_map(|x| b.iter().map(move |y| (x, y))) {
            let guard = pool.and([x.guard, y.guard]);
            if pool.as_bool(guard) == Some(false) {
                continue;
            }
            let offset = pool.bv_sub(x.offset, y.offset);
            let base = match (x.base, y.base) {
                (Some(one), Some(other)) if one == other => None,
                (base, None) => base,
                _ => return None,
            };
            cases.push(Case { guard, base, offset });
        }
        Some(cases)
    }

    /// One address or the other, each object and offset once.
    pub fn choose(&mut self, pool: &Pool, objects: &Objects, c: Term, a: Term, b: Term) -> Term {
        let plain = pool.ite(c, a, b);
        if a == b || !self.has_base(pool, objects, plain) {
            return plain;
        }
        let Some(cases) = self.cases(pool, objects, plain) else { return plain };
        if cases.iter().any(|case| case.base.is_none() && pool.as_bits(case.offset).is_none()) {
            return plain;
        }
        let term = written(pool, objects, &cases);
        self.cases.insert(term, Some(cases));
        term
    }

    /// Whether two addresses are equal. `together` says of two objects whether they certainly live
    /// at the same time.
    pub fn equal(
        &mut self,
        pool: &Pool,
        objects: &Objects,
        (a, b): (Term, Term),
        together: &dyn Fn(Base, Base) -> bool,
    ) -> Term {
        let (Some(x), Some(y)) = (self.cases(pool, objects, a), self.cases(pool, objects, b))
        else {
            return pool.eq(a, b);
        };
        if x.len() * y.len() > CASES {
            return pool.eq(a, b);
        }
        let mut equal = Vec::new();
        for (one, other) in x.iter().flat_map(|one| y.iter().map(move |other| (one, other))) {
            let atom = same(pool, objects, one, other, together);
            if pool.as_bool(atom) != Some(false) {
                equal.push(pool.and([one.guard, other.guard, atom]));
            }
        }
        pool.or(equal)
    }

    /// Whether an address is below another; none if that is for the solver to find out.
    pub fn below(&mut self, pool: &Pool, objects: &Objects, a: Term, b: Term) -> Option<Term> {
        let (x, y) = (self.cases(pool, objects, a)?, self.cases(pool, objects, b)?);
        let ([one], [other]) = (&x[..], &y[..]) else { return None };
        let base = one.base.filter(|_| one.base == other.base)?;
        // Within the object, and at its end, nothing wraps around.
        let size = objects[base].size;
        let inside = |case: &Case| pool.bv_ule(case.offset, size);
        let both = pool.and([inside(one), inside(other)]);
        Some(pool.ite(both, pool.bv_ult(one.offset, other.offset), pool.bv_ult(a, b)))
    }
}

/// The term that has these cases.
pub(crate) fn written(pool: &Pool, objects: &Objects, cases: &[Case]) -> Term {
    let term = |case: &Case| match case.base {
        Some(base) => pool.bv_add(objects[base].base, case.offset),
        None => case.offset,
    };
    let (last, others) = cases.split_last().expect("an address has a case");
    others.iter().rev().fold(term(last), |rest, case| pool.ite(case.guard, term(case), rest))
}

/// The cases of an `ite`.
fn join(pool: &Pool, c: Term, then: &[Case], otherwise: &[Case]) -> Vec<Case> {
    let mut joined: Vec<Case> = Vec::with_capacity(then.len() + otherwise.len());
    let mut index: FxHashMap<(Option<Base>, Term), usize> = FxHashMap::default();
    let not = pool.not(c);
    let both = then.iter().map(|case| (c, case)).chain(otherwise.iter().map(|case| (not, case)));
    for (condition, case) in both {
        let guard = pool.and([condition, case.guard]);
        if pool.as_bool(guard) == Some(false) {
            continue;
        }
        match index.get(&(case.base, case.offset)) {
            Some(&at) => joined[at].guard = pool.or([joined[at].guard, guard]),
            None => {
                index.insert((case.base, case.offset), joined.len());
                joined.push(Case { guard, ..*case });
            }
        }
    }
    joined
}

/// Whether an offset is a number with at least so many bytes of the object after it.
fn is_within(pool: &Pool, objects: &Objects, base: Base, offset: Term, rest: u64) -> bool {
    let offset = pool.as_bits(offset).and_then(|bits| bits.to_u64());
    match (offset, objects[base].bytes) {
        (Some(offset), Some(size)) => offset <= size && rest <= size - offset,
        _ => false,
    }
}

/// Whether two cases are the same address.
fn same(
    pool: &Pool,
    objects: &Objects,
    one: &Case,
    other: &Case,
    together: &dyn Fn(Base, Base) -> bool,
) -> Term {
    match (one.base, other.base) {
        (None, None) => pool.eq(one.offset, other.offset),
        (Some(a), Some(b)) if a == b => pool.eq(one.offset, other.offset),
        (Some(a), Some(b)) => {
            let inside = |base, case: &Case| is_within(pool, objects, base, case.offset, 1);
            if inside(a, one) && inside(b, other) && together(a, b) {
                return pool.fls();
            }
            let at = |base: Base, case: &Case| pool.bv_add(objects[base].base, case.offset);
            pool.eq(at(a, one), at(b, other))
        }
        (Some(base), None) | (None, Some(base)) => {
            let (case, number) =
                if one.base.is_some() { (one, other.offset) } else { (other, one.offset) };
            let harmless = pool.as_bits(number).is_some_and(|bits| {
                let last_page = bits.neg().to_u64().is_some_and(|distance| distance <= PAGE);
                bits.is_zero() || last_page
            });
            let equal = pool.eq(pool.bv_add(objects[base].base, case.offset), number);
            match harmless {
                // Within an object, and at its end, there is no such address.
                true => pool.and([pool.bv_ult(objects[base].size, case.offset), equal]),
                false => equal,
            }
        }
    }
}

/// Whether an object is one that can be read and written.
pub fn is_data(objects: &Objects, base: Base) -> bool {
    !matches!(objects[base].kind, Kind::Function(_))
}
