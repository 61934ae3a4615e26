//! What C promises of addresses: they are not null, aligned, within the address space, and objects
//! that live at the same time do not overlap. Nothing is said of order or distance: two objects may
//! touch, and an address may come again after the life of its object.
//!
//! Only the objects whose bases occur in a formula are spoken of; most formulas have none.

use crate::object::{Base, Kind, Object, Objects};
use crate::pointer::PAGE;
use program::interpret::layout::Layout;
use std::collections::BTreeSet;
use term::traverse::free_vars;
use term::{Pool, Term};

/// How many bytes lie between objects that are far from each other.
const FAR: u64 = PAGE / 4;

/// What holds of the bases in some formulas, and which these are.
pub fn promises(pool: &Pool, objects: &Objects, formulas: &[Term]) -> (Vec<Term>, Vec<Base>) {
    let mut promises = Vec::new();
    let mut known: BTreeSet<Base> = BTreeSet::new();
    let mut new = formulas.to_vec();
    while !new.is_empty() {
        let variables = free_vars(pool, &new);
        new.clear();
        let found = variables.into_iter().filter_map(|variable| objects.with_base(variable));
        let found: BTreeSet<Base> = found.filter(|base| !known.contains(base)).collect();
        for base in found {
            new.push(alone(pool, &objects[base]));
            new.extend(known.iter().map(|other| {
                let (old, young) = (base.min(*other), base.max(*other));
                apart(pool, objects, old, young)
            }));
            known.insert(base);
        }
        promises.extend_from_slice(&new);
    }
    (promises, known.into_iter().collect())
}

/// What holds of one object.
fn alone(pool: &Pool, object: &Object) -> Term {
    let width = pool.width(object.base);
    let zero = pool.bv(0, width);
    let zeros = object.align.max(1).trailing_zeros();
    let aligned = match zeros {
        0 => pool.tru(),
        _ => pool.eq(pool.bv_extract(object.base, zeros - 1, 0), pool.bv(0, zeros)),
    };
    // The end is below the page that is for errors.
    let last = pool.bv_sub(zero, pool.bv(PAGE, width));
    let fits = pool.and([
        pool.bv_ule(object.size, last),
        pool.bv_ule(object.base, pool.bv_sub(last, object.size)),
    ]);
    let fits = if_born(pool, object, fits);
    pool.and([pool.ne(object.base, zero), aligned, fits])
}

/// That objects do not lie where memory from outside does, if there is some: no promise of C, but what a
/// run needs that says where such memory is.
pub fn beside_outside(pool: &Pool, objects: &Objects, bases: &[Base]) -> Term {
    if objects.outside().next().is_none() {
        return pool.tru();
    }
    pool.and(bases.iter().map(|base| {
        let object = &objects[*base];
        let width = pool.width(object.base);
        let (start, size) = Layout::new(width).outside();
        let [start, end] = [start, start + size].map(|address| pool.bv(address, width));
        let before = [
            pool.bv_ule(object.size, start),
            pool.bv_ule(object.base, pool.bv_sub(start, object.size)),
        ];
        pool.or([pool.and(before), pool.bv_ule(end, object.base)])
    }))
}

/// A promise about an object's size holds only if there is the object.
fn if_born(pool: &Pool, object: &Object, promise: Term) -> Term {
    match (&object.born, object.bytes) {
        (Some((path, _)), None) => pool.implies(path.condition(pool), promise),
        _ => promise,
    }
}

/// What holds of two objects: if the older one lives when the younger one is made, they don't
/// overlap.
fn apart(pool: &Pool, objects: &Objects, old: Base, young: Base) -> Term {
    let (first, second) = (&objects[old], &objects[young]);
    let lives = match (&first.kind, &second.born) {
        (Kind::Allocated(..), Some((_, alive))) => alive.get(&old).copied(),
        _ => Some(pool.tru()),
    };
    let Some(lives) = lives else { return pool.tru() };
    pool.implies(lives, disjoint(pool, first, second, 0))
}

/// That at least so many bytes lie between two objects; fewer than a page, so that nothing wraps around.
fn disjoint(pool: &Pool, first: &Object, second: &Object, gap: u64) -> Term {
    let width = pool.width(first.base);
    let (zero, one) = (pool.bv(0, width), pool.bv(1, width));
    // Also an object of no bytes has an address of its own.
    let end = |object: &Object| {
        let size = match object.bytes {
            Some(0) => one,
            Some(_) => object.size,
            None => pool.ite(pool.eq(object.size, zero), one, object.size),
        };
        pool.bv_add(pool.bv_add(object.base, size), pool.bv(gap, width))
    };
    let apart =
        pool.or([pool.bv_ule(end(first), second.base), pool.bv_ule(end(second), first.base)]);
    if_born(pool, first, if_born(pool, second, apart))
}

/// That objects are far from each other, whether they live at the same time or not, and from null: what
/// is beyond one of them, behind a pointer to one that lives no more, or a little beyond null is not in
/// another. No promise, but what one likes a run to have.
pub fn far(pool: &Pool, objects: &Objects, bases: &[Base]) -> Term {
    let pairs = bases.iter().enumerate().flat_map(|(number, first)| {
        bases[..number]
            .iter()
            .map(|second| disjoint(pool, &objects[*first], &objects[*second], FAR))
    });
    let from_null = bases.iter().map(|base| {
        let base = objects[*base].base;
        pool.bv_ule(pool.bv(PAGE, pool.width(base)), base)
    });
    pool.and(pairs.chain(from_null))
}
