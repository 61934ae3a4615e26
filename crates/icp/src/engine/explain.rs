//! Explanations: the bounds from which a contractor's deduction follows, made as weak as the
//! contractor allows.
//!
//! A deduction is made with the intervals of all variables of a constraint; when conflict analysis
//! asks for its reason, each bound is taken back in turn, as far as the contractor still deduces
//! what is needed: first to the ground level, then to earlier bounds in the variable's history, and
//! for decided bounds to any value between. So a clause is made only if it is needed, only says
//! what is needed, and is one that the contractor vouches for. The weakest bounds of assumptions
//! ([Sch §III-B]) come from the same.

use super::trail::{NONE, Reason};
use super::{Constraint, Engine};
use crate::bound::Side;
use crate::lit::{Lit, Var};
use intervals::keys::{Domain, Interval, Key};
use smallvec::SmallVec;

/// How often the distance between a decided bound and one that is too weak is halved.
const HALVINGS: u32 = 12;

/// One side of one variable of the constraint, with what it can be taken back to.
struct Candidate {
    place: usize,
    /// Newest first; the last is that of the ground level.
    history: SmallVec<[(u32, Key); 8]>,
    /// Which of them is taken.
    chosen: usize,
    /// The bound itself.
    key: Key,
}

/// A box of candidates for a constraint, and what has to follow from it.
struct Explanation<'a> {
    constraint: &'a Constraint,
    conclusion: Option<Lit>,
    candidates: SmallVec<[Candidate; 10]>,
}

impl Explanation<'_> {
    /// The box, with one bound replaced.
    fn intervals(&self, replaced: Option<(usize, Key)>) -> SmallVec<[Interval; 5]> {
        let bound = |place: usize| {
            let i = self.candidates.iter().position(|c| c.place == place);
            let i = i.expect("all sides are candidates");
            match replaced {
                Some((j, key)) if i == j => key,
                _ => self.candidates[i].key,
            }
        };
        let interval = |var: &Var| {
            let [low, high] = [Side::AtLeast, Side::AtMost].map(|side| bound(var.place(side)));
            Interval::new(low, high)
        };
        self.constraint.vars.iter().map(interval).collect()
    }

    /// Whether the conclusion follows, with one bound replaced.
    fn follows(&self, replaced: Option<(usize, Key)>) -> bool {
        let mut intervals = self.intervals(replaced);
        if self.constraint.contract(&mut intervals).is_err() {
            return true;
        }
        let Some(lit) = self.conclusion else { return false };
        let place = self.constraint.vars.iter().position(|var| *var == lit.var);
        let interval = intervals[place.expect("the conclusion is of the constraint")];
        match lit.side {
            Side::AtLeast => lit.follows_from(interval.low),
            Side::AtMost => lit.follows_from(interval.high),
        }
    }

    /// Takes one bound back as far as it goes.
    fn weaken(&mut self, i: usize, is_decision: impl Fn(u32) -> bool, domain: Domain) {
        let history = self.candidates[i].history.clone();
        let last = history.len() - 1;
        let (mut works, mut fails) = (0, last);
        if self.follows(Some((i, history[last].1))) {
            works = last;
        } else {
            while fails - works > 1 {
                let middle = works + (fails - works) / 2;
                if self.follows(Some((i, history[middle].1))) {
                    works = middle;
                } else {
                    fails = middle;
                }
            }
        }
        let candidate = &mut self.candidates[i];
        candidate.chosen = works;
        candidate.key = history[works].1;
        if works < last && domain != Domain::Truth && is_decision(history[works].0) {
            self.weaken_between(i, history[works].1, history[works + 1].1);
        }
    }

    /// Takes a bound back to a value between one that works and one that does not.
    fn weaken_between(&mut self, i: usize, mut works: Key, mut fails: Key) {
        for _ in 0..HALVINGS {
            if works.abs_diff(fails) <= 1 {
                break;
            }
            let middle = works.min(fails) + works.abs_diff(fails) / 2;
            if self.follows(Some((i, middle))) {
                works = middle;
            } else {
                fails = middle;
            }
        }
        self.candidates[i].key = works;
    }

    /// Whether the conclusion holds at points of the box: its ends, and some between. The reference
    /// semantics decides.
    #[cfg(debug_assertions)]
    fn is_confirmed(&self) -> bool {
        let intervals = self.intervals(None);
        let args = intervals.len() - 1;
        for sample in 0..24u32 {
            let point = |i: usize, interval: &Interval| match sample >> (i % 4) & 3 {
                0 => interval.low,
                1 => interval.high,
                2 => interval.low + (interval.high - interval.low) / 2,
                _ => interval.low + (interval.high - interval.low) / 7 * (Key::from(sample) % 7),
            };
            let mut keys: SmallVec<[Key; 5]> =
                intervals.iter().enumerate().map(|(i, interval)| point(i, interval)).collect();
            // One variable has one value.
            for i in 1..=args {
                if let Some(j) =
                    (1..i).find(|j| self.constraint.vars[*j] == self.constraint.vars[i])
                {
                    keys[i] = keys[j];
                }
            }
            let results = self.constraint.contractor.evaluate(&keys[1..]).meet(intervals[0]);
            if results.is_empty() {
                continue;
            }
            let holds = self.conclusion.is_some_and(|lit| {
                match self.constraint.vars[1..].iter().position(|var| *var == lit.var) {
                    Some(i) => lit.follows_from(keys[i + 1]),
                    None if lit.side == Side::AtLeast => lit.follows_from(results.low),
                    None => lit.follows_from(results.high),
                }
            });
            let itself = self.constraint.vars[1..].contains(&self.constraint.vars[0]);
            if !holds && !itself {
                return false;
            }
        }
        true
    }
}

impl Engine {
    /// Adds to `reasons` literals that were true when `seen` entries were there, and from which the
    /// conclusion follows by a constraint; without a conclusion, from which nothing is possible.
    pub(super) fn explain_constraint(
        &self,
        number: u32,
        conclusion: Option<Lit>,
        seen: u32,
        reasons: &mut Vec<Lit>,
    ) {
        let constraint = &self.constraints[number as usize];
        let mut candidates: SmallVec<[Candidate; 10]> = SmallVec::new();
        for (i, var) in constraint.vars.iter().enumerate() {
            if constraint.vars[..i].contains(var) {
                continue;
            }
            for side in [Side::AtLeast, Side::AtMost] {
                let place = var.place(side);
                let history = self.trail.history(place, seen);
                let key = history[0].1;
                candidates.push(Candidate { place, history, chosen: 0, key });
            }
        }
        // The latest bounds first: with luck they are not needed.
        candidates.sort_by_key(|candidate| {
            let entry = candidate.history[0].0;
            std::cmp::Reverse(if entry == NONE { 0 } else { entry + 1 })
        });
        let mut explanation = Explanation { constraint, conclusion, candidates };
        debug_assert!(explanation.follows(None), "the contractor deduces it again");
        for i in 0..explanation.candidates.len() {
            if explanation.candidates[i].history[0].0 == NONE {
                continue;
            }
            let var = Var(explanation.candidates[i].place as u32 / 2);
            let is_decision =
                |entry: u32| self.trail.entries[entry as usize].reason == Reason::Decision;
            explanation.weaken(i, is_decision, self.domain(var));
        }
        #[cfg(debug_assertions)]
        debug_assert!(explanation.is_confirmed(), "{constraint:?} {conclusion:?}");
        for candidate in &explanation.candidates {
            if candidate.history[candidate.chosen].0 != NONE {
                let var = Var(candidate.place as u32 / 2);
                let lower = candidate.place % 2 == Side::AtLeast as usize;
                let key = candidate.key;
                reasons.push(if lower { Lit::at_least(var, key) } else { Lit::at_most(var, key) });
            }
        }
    }
}
