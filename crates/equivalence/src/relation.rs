//! What is known of both versions where they meet: variables that hold the same, up to a constant.
//!
//! The *slots* are the registers, memory and history of both versions, and expressions over them that
//! the versions compute or compare. A relation is a partition of slots into classes: of numbers, each
//! member is the leader plus a constant; all members of other sorts are equal. A class may also be
//! known to hold a value that does not change, such as an input. Relations are guessed from the first
//! arrival and split by those that do not keep them [as Houdini does: Flanagan, Leino 2001], so that
//! what is left is inductive.

use crate::ask::{Asker, Known};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use term::traverse::{conjuncts, subterms};
use term::{Op, Pool, Sort, Term};

/// How many conditions of what does not change are kept.
const MAX_FACTS: usize = 40;
/// How many classes of a sort are compared by their meaning.
const MAX_COMPARED: usize = 100;

/// Something that has a value in both versions together.
pub struct Slot {
    /// A variable, or an expression over variables.
    pub term: Term,
    /// Whether it is a variable.
    pub real: bool,
}

/// Slots that hold the same.
#[derive(Clone, Debug)]
pub struct Class {
    leader: usize,
    /// The leader's value, if it does not change.
    rigid: Option<Term>,
    members: Vec<Member>,
}

/// Another slot of a class, and what it is more than the leader.
type Member = (usize, Option<Term>);

/// What is known.
#[derive(Clone, Default, Debug)]
pub struct Relation {
    classes: Vec<Class>,
    /// Conditions of what does not change.
    facts: Vec<Term>,
}

/// Values of slots on an arrival, and the conditions of it.
pub struct Arrival<'a> {
    /// By slot; none where a slot is not read any more.
    pub values: &'a [Option<Term>],
    /// What holds.
    pub premises: &'a [Term],
    /// Whether a term does not depend on slots.
    pub is_rigid: &'a dyn Fn(Term) -> bool,
}

/// A number as a base and a constant; other terms as they are.
pub fn split(pool: &Pool, term: Term) -> (Term, Option<Term>) {
    let Sort::BitVec(width) = pool.sort(term) else { return (term, None) };
    let zero = pool.bv(0, width);
    if pool.value(term).is_some() {
        return (zero, Some(term));
    }
    if *pool.op(term) == Op::BvAdd {
        let [a, b] = [pool.args(term)[0], pool.args(term)[1]];
        for (constant, base) in [(a, b), (b, a)] {
            if pool.value(constant).is_some() {
                return (base, Some(constant));
            }
        }
    }
    (term, Some(zero))
}

fn plus(pool: &Pool, term: Term, more: Option<Term>) -> Term {
    more.map_or(term, |more| pool.bv_add(term, more))
}

/// Whether a term reads arrays; a counterexample need not tell all of their contents.
fn has_arrays(pool: &Pool, term: Term) -> bool {
    subterms(pool, &[term]).iter().any(|t| matches!(pool.sort(*t), Sort::Array(_)))
}

/// Which members keep what they are more than the leader, and which do not.
fn sorted(
    pool: &Pool,
    arrival: &Arrival<'_>,
    asker: &mut Asker<'_>,
    leader: Term,
    members: Vec<Member>,
) -> (Vec<Member>, Vec<Member>) {
    let (mut kept, mut lost, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for (slot, more) in members {
        let Some(value) = arrival.values[slot] else { continue };
        let same = pool.eq(value, plus(pool, leader, more));
        match pool.as_bool(same) {
            Some(true) => kept.push((slot, more)),
            Some(false) => lost.push((slot, more)),
            None => open.push((slot, more, same)),
        }
    }
    while let Some((slot, more, same)) = open.pop() {
        // ⊨ premises ⇒ value = leader + more
        match asker.implies(arrival.premises, same, false) {
            Known::Yes => kept.push((slot, more)),
            Known::Unknown => lost.push((slot, more)),
            Known::No => {
                lost.push((slot, more));
                // What else is wrong in the same counterexample need not be asked.
                open.retain(|(slot, more, same)| {
                    let value = asker.value(*same).and_then(|value| value.as_bool());
                    let wrong = value == Some(false) && !has_arrays(pool, *same);
                    if wrong {
                        lost.push((*slot, *more));
                    }
                    !wrong
                });
            }
        }
    }
    kept.sort_unstable_by_key(|(slot, _)| *slot);
    lost.sort_unstable_by_key(|(slot, _)| *slot);
    (kept, lost)
}

/// A class, with the value that its leader has in an example.
type Seen = (Class, Option<Term>);

/// Classes that hold the same by what the way here says, though by other terms.
fn merged(
    pool: &Pool,
    arrival: &Arrival<'_>,
    asker: &mut Asker<'_>,
    classes: Vec<Class>,
) -> Vec<Class> {
    // SAT? premises
    if asker.implies(arrival.premises, pool.fls(), false) != Known::No {
        return classes;
    }
    let mut by_sort: Vec<(Sort, Vec<Seen>)> = Vec::new();
    for class in classes {
        let value = arrival.values[class.leader].expect("a class has values");
        let sort = pool.sort(value);
        let seen = match sort {
            Sort::BitVec(_) | Sort::Float(_) => asker.value(value).map(|v| pool.constant(v)),
            _ => None,
        };
        match by_sort.iter_mut().find(|(known, _)| *known == sort) {
            Some((_, list)) => list.push((class, seen)),
            None => by_sort.push((sort, vec![(class, seen)])),
        }
    }
    let mut done = Vec::new();
    for (sort, list) in by_sort {
        if sort == Sort::Bool || list.len() > MAX_COMPARED {
            done.extend(list.into_iter().map(|(class, _)| class));
        } else {
            compare(pool, arrival, asker, list, &mut done);
        }
    }
    done
}

/// Compares classes of a sort, each with the value that its leader has in an example.
fn compare(
    pool: &Pool,
    arrival: &Arrival<'_>,
    asker: &mut Asker<'_>,
    list: Vec<Seen>,
    done: &mut Vec<Class>,
) {
    let mut pending: VecDeque<(Class, Option<Term>)> = list.into();
    while let Some((mut class, seen)) = pending.pop_front() {
        let leader = arrival.values[class.leader].expect("a class has values");
        let candidates = pending.iter().filter_map(|(other, value)| match pool.sort(leader) {
            Sort::BitVec(_) => Some((other.leader, Some(pool.bv_sub((*value)?, seen?)))),
            Sort::Float(_) => (*value == seen).then_some((other.leader, None)),
            _ => Some((other.leader, None)),
        });
        let (kept, _) = sorted(pool, arrival, asker, leader, candidates.collect());
        for (slot, more) in kept {
            let found = pending.iter().position(|(other, _)| other.leader == slot);
            let Some((other, _)) = found.and_then(|at| pending.remove(at)) else { continue };
            class.rigid = class.rigid.or_else(|| {
                let rigid = other.rigid?;
                Some(more.map_or(rigid, |more| pool.bv_sub(rigid, more)))
            });
            class.members.push((slot, more));
            let further = other.members.into_iter().map(|(slot, own)| {
                (slot, own.zip(more).map_or(own, |(own, more)| Some(pool.bv_add(own, more))))
            });
            class.members.extend(further);
        }
        class.members.sort_unstable_by_key(|(slot, _)| *slot);
        done.push(class);
    }
}

impl Relation {
    /// What holds on a first arrival.
    pub fn guess(pool: &Pool, arrival: &Arrival<'_>, asker: &mut Asker<'_>) -> Relation {
        let mut classes: Vec<Class> = Vec::new();
        let mut known: FxHashMap<(Sort, Term), (usize, Option<Term>)> = FxHashMap::default();
        for (slot, value) in arrival.values.iter().enumerate() {
            let Some(value) = *value else { continue };
            if pool.sort(value) == Sort::Bool && pool.value(value).is_none() {
                // Conditions that follow are kept as such.
                let holds = |asker: &mut Asker<'_>, v| {
                    asker.implies(arrival.premises, v, false) == Known::Yes
                };
                let truth = if holds(asker, value) {
                    Some(true)
                } else {
                    holds(asker, pool.not(value)).then_some(false)
                };
                if let Some(truth) = truth {
                    let rigid = Some(pool.bool(truth));
                    match classes.iter_mut().find(|class| class.rigid == rigid) {
                        Some(class) => class.members.push((slot, None)),
                        None => classes.push(Class { leader: slot, rigid, members: Vec::new() }),
                    }
                    continue;
                }
            }
            let (base, more) = split(pool, value);
            match known.get(&(pool.sort(value), base)) {
                Some((class, first)) => {
                    let distance = more.zip(*first).map(|(more, first)| pool.bv_sub(more, first));
                    classes[*class].members.push((slot, distance));
                }
                None => {
                    known.insert((pool.sort(value), base), (classes.len(), more));
                    let rigid = (arrival.is_rigid)(value).then_some(value);
                    classes.push(Class { leader: slot, rigid, members: Vec::new() });
                }
            }
        }
        let mut classes = merged(pool, arrival, asker, classes);
        classes.retain(|class| class.rigid.is_some() || !class.members.is_empty());
        classes.sort_unstable_by_key(|class| class.leader);
        // What the way here says of inputs alone stays true.
        let conditions = arrival.premises.iter().flat_map(|premise| conjuncts(pool, *premise));
        let mut facts: Vec<Term> = conditions
            .filter(|condition| pool.value(*condition).is_none() && (arrival.is_rigid)(*condition))
            .collect();
        facts.sort_unstable();
        facts.dedup();
        facts.truncate(MAX_FACTS);
        Relation { classes, facts }
    }

    /// Gives up what an arrival does not keep. Whether that was anything.
    pub fn refine(&mut self, pool: &Pool, arrival: &Arrival<'_>, asker: &mut Asker<'_>) -> bool {
        let mut changed = false;
        let mut pending = std::mem::take(&mut self.classes);
        while let Some(mut class) = pending.pop() {
            let Some(leader) = arrival.values[class.leader] else {
                changed = true;
                continue;
            };
            let before = class.rigid;
            if let Some(rigid) = before
                && asker.implies(arrival.premises, pool.eq(leader, rigid), false) != Known::Yes
            {
                class.rigid = None;
                changed = true;
            }
            let members = std::mem::take(&mut class.members);
            let count = members.len();
            let (kept, lost) = sorted(pool, arrival, asker, leader, members);
            changed |= kept.len() < count;
            class.members = kept;
            // Those that leave the class may still be alike, and hold what they held.
            if let [(first, base), others @ ..] = &lost[..]
                && (before.is_some() || !others.is_empty())
            {
                let distance = |more: &Option<Term>| {
                    more.zip(*base).map(|(more, base)| pool.bv_sub(more, base))
                };
                let members = others.iter().map(|(slot, more)| (*slot, distance(more))).collect();
                let rigid = before.map(|rigid| plus(pool, rigid, *base));
                pending.push(Class { leader: *first, rigid, members });
            }
            if class.rigid.is_some() || !class.members.is_empty() {
                self.classes.push(class);
            }
        }
        self.classes.sort_unstable_by_key(|class| class.leader);
        let count = self.facts.len();
        self.facts.retain(|fact| asker.implies(arrival.premises, *fact, false) == Known::Yes);
        changed || self.facts.len() < count
    }

    /// Values of variables by which what is known of them holds, and what is known beside it.
    pub fn assume(
        &self,
        pool: &Pool,
        slots: &[Slot],
        value: &mut dyn FnMut(&FxHashMap<Term, Term>, Term) -> Term,
    ) -> (FxHashMap<Term, Term>, Vec<Term>) {
        let mut values: FxHashMap<Term, Term> = FxHashMap::default();
        for class in &self.classes {
            let real = slots[class.leader].real;
            let leader = class.rigid.unwrap_or(slots[class.leader].term);
            if real {
                values.insert(slots[class.leader].term, leader);
            }
            for (slot, more) in &class.members {
                // A variable is given its value where the leader has one that is known by itself.
                if slots[*slot].real && (real || class.rigid.is_some()) {
                    values.insert(slots[*slot].term, plus(pool, leader, *more));
                }
            }
        }
        let mut known = Vec::new();
        for class in &self.classes {
            let own = value(&values, slots[class.leader].term);
            let leader = class.rigid.unwrap_or(own);
            known.push(pool.eq(own, leader));
            for (slot, more) in &class.members {
                let member = value(&values, slots[*slot].term);
                known.push(pool.eq(member, plus(pool, leader, *more)));
            }
        }
        known.extend(&self.facts);
        known.retain(|formula| pool.as_bool(*formula) != Some(true));
        (values, known)
    }
}
