//! Unit propagation over watched literals, inside a domain or over the whole formula.
//!
//! Invariant of the clause watches, between propagations: where a watched literal is false, the
//! clause's blocker or its other watched literal is true, or outside of the domain, since a time
//! at which the false literal's level was the current one. Backtracking that level restores both
//! alike, and the domain doesn't change during a question, so the invariant survives both.
//!
//! Inside a question, a clause with a literal outside of the domain is left alone: that literal
//! stays unassigned, hence the clause neither is violated nor forces a literal of the domain. The
//! search for a new watch may settle on such a literal too, which parks the clause until a
//! question whose domain contains it.
//!
//! At level 0 every clause counts, and "outside" means no more than "unassigned": facts are
//! propagated through the whole formula. At that time no literal above level 0 is assigned and no
//! temporary clause is attached, so what is parked for a question is examined anew.

use super::ConeSolver;
use super::assignment::{
    Assignment, Conflict, FALSE, OUTSIDE, Reason, TRUE, UNASSIGNED, Value, blocks,
};
use super::literal::Literal;
use super::watch::{Target, Watch};

impl ConeSolver {
    /// Propagates inside the domain until nothing is left to do or a clause is violated.
    pub(super) fn propagate(&mut self) -> Option<Conflict> {
        self.propagate_in::<false>()
    }

    /// Propagates facts through the whole formula.
    /// Requires: level 0.
    pub(super) fn propagate_facts(&mut self) -> Option<Conflict> {
        debug_assert_eq!(self.assignment.level(), 0);
        self.propagate_in::<true>()
    }

    fn propagate_in<const EVERYWHERE: bool>(&mut self) -> Option<Conflict> {
        while let Some(&literal) = self.assignment.trail.get(self.assignment.head) {
            self.assignment.head += 1;
            self.statistics.propagations += 1;
            if let Some(conflict) = self.visit_watches::<EVERYWHERE>(!literal) {
                return Some(conflict);
            }
        }
        None
    }

    /// Visits the watches of a literal that has become false.
    fn visit_watches<const EVERYWHERE: bool>(&mut self, falsified: Literal) -> Option<Conflict> {
        let conflict = self.visit_packed::<EVERYWHERE>(falsified);
        if conflict.is_none() && self.watches.is_occupied(falsified) {
            return self.visit_list::<EVERYWHERE>(falsified);
        }
        conflict
    }

    fn visit_packed<const EVERYWHERE: bool>(&mut self, falsified: Literal) -> Option<Conflict> {
        let (binary, ternary) = self.watches.packed(falsified);
        for &other in binary {
            let other = Literal(other);
            let value = self.assignment.value(other);
            if !satisfies::<EVERYWHERE>(value) {
                if value == FALSE {
                    return Some(Conflict::Binary(falsified, other));
                }
                self.assignment.assign(other, Reason::Binary(falsified));
            }
        }
        for &[a, b] in ternary {
            let (a, b) = (Literal(a), Literal(b));
            if !satisfies::<EVERYWHERE>(self.assignment.value(a)) {
                let conflict = visit_ternary::<EVERYWHERE>(&mut self.assignment, falsified, a, b);
                if conflict.is_some() {
                    return conflict;
                }
            }
        }
        None
    }

    fn visit_list<const EVERYWHERE: bool>(&mut self, falsified: Literal) -> Option<Conflict> {
        // The list is taken out so that other lists can grow meanwhile; the falsified literal's
        // own list can't, because a new watch is never false.
        let mut list = std::mem::take(&mut self.watches.lists[falsified.code()]);
        let mut conflict = None;
        let mut at = 0;
        while at < list.len() && conflict.is_none() {
            let watch = list[at];
            let value = self.assignment.value(watch.blocker);
            if satisfies::<EVERYWHERE>(value) {
                at += 1;
                continue;
            }
            match watch.target() {
                Target::Binary => {
                    at += 1;
                    if value == FALSE {
                        conflict = Some(Conflict::Binary(falsified, watch.blocker));
                    } else {
                        self.assignment.assign(watch.blocker, Reason::Binary(falsified));
                    }
                }
                Target::Ternary(b) => {
                    at += 1;
                    let a = watch.blocker;
                    conflict = visit_ternary::<EVERYWHERE>(&mut self.assignment, falsified, a, b);
                }
                Target::Clause(_) => {
                    conflict = self.visit_clause::<EVERYWHERE>(falsified, &mut list, &mut at);
                }
            }
        }
        self.watches.lists[falsified.code()] = list;
        conflict
    }

    /// Visits the clause of the watch at `at`, which advances, or whose place is taken by another
    /// watch of the list where this one moves away.
    #[inline]
    fn visit_clause<const EVERYWHERE: bool>(
        &mut self,
        falsified: Literal,
        list: &mut Vec<Watch>,
        at: &mut usize,
    ) -> Option<Conflict> {
        let Target::Clause(clause) = list[*at].target() else {
            unreachable!("the caller has matched a clause")
        };
        let codes = self.arena.codes_mut(clause);
        if codes[0] == falsified.0 {
            codes.swap(0, 1);
        }
        let first = Literal(codes[0]);
        let value = self.assignment.value(first);
        if satisfies::<EVERYWHERE>(value) {
            list[*at].blocker = first;
            *at += 1;
            return None;
        }
        for position in 2..codes.len() {
            let candidate = Literal(codes[position]);
            if !self.assignment.is_false(candidate) {
                codes[1] = candidate.0;
                codes[position] = falsified.0;
                self.watches.push(candidate, Watch::clause(clause, first));
                list.swap_remove(*at);
                return None;
            }
        }
        *at += 1;
        if value == FALSE {
            return Some(Conflict::Clause(clause));
        }
        self.assignment.assign(first, Reason::Clause(clause));
        None
    }
}

/// Visits the ternary clause of `falsified`, `a` and `b`, where `a` doesn't satisfy it.
#[inline]
fn visit_ternary<const EVERYWHERE: bool>(
    assignment: &mut Assignment,
    falsified: Literal,
    a: Literal,
    b: Literal,
) -> Option<Conflict> {
    let value = assignment.value(b);
    if satisfies::<EVERYWHERE>(value) {
        return None;
    }
    match (assignment.is_false(a), value == FALSE) {
        (true, true) => return Some(Conflict::Ternary(falsified, a, b)),
        (true, false) => assignment.assign(b, Reason::Ternary(falsified, a)),
        (false, true) => assignment.assign(a, Reason::Ternary(falsified, b)),
        (false, false) => {}
    }
    None
}

/// Whether a literal of this value excuses a clause from being looked at.
#[inline]
fn satisfies<const EVERYWHERE: bool>(value: Value) -> bool {
    const { assert!(UNASSIGNED & 1 == 0 && FALSE & 1 == 0 && OUTSIDE & 1 == 1) };
    if EVERYWHERE { value == TRUE } else { blocks(value) }
}
