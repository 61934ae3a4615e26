//! What is known of a goal, from what runs have shown and what proofs exclude.
//!
//! A goal is about *events* ([`Event`]): that a point is reached, or a decision evaluated with some values
//! of its conditions. It is covered if an event that shows it was seen, for a condition that decides by
//! itself a pair of them; infeasible if all of them are excluded, or one of every pair.

use crate::explore::seen::{First, Seen};
use crate::goal::What;
use crate::probes::{Event, Probed};
use crate::status::How;
use program::coverage::{Evaluation, Map, Tree};
use rustc_hash::FxHashMap;

/// The most evaluations of a decision that are looked at one by one.
pub const MAX_VECTORS: usize = 600;

/// Which pairs of evaluations show that a condition decides by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pairs {
    /// Those in which it does, whatever the others are (masking MC/DC).
    #[default]
    Masking,
    /// Those in which no other condition has another value (unique-cause MC/DC); one that is not evaluated
    /// may have any.
    UniqueCause,
}

/// What is known of a goal.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// An event has shown it.
    Shown(Event, First),
    /// Two have.
    Paired((u64, First), (u64, First)),
    /// Nothing can; the events that are excluded.
    Excluded(How, Vec<Event>),
    /// Nobody knows; what may show it, the likeliest first, and whether a half of a pair was seen.
    Open(Vec<Event>, bool),
}

/// The evaluations of decisions, and what they mean.
pub struct Judge {
    pairs: Pairs,
    trees: Vec<Tree>,
    /// None if there are too many.
    vectors: Vec<Option<Vec<(u64, Evaluation)>>>,
    /// Whether a point, or a decision, is part of the program.
    points: Vec<bool>,
    decisions: Vec<bool>,
    /// Whether the function of a point, or of a decision, is used.
    used: Vec<bool>,
    functions: (Vec<usize>, Vec<usize>),
    constants: Vec<Vec<Option<bool>>>,
}

impl Judge {
    /// Looks at all decisions.
    #[must_use]
    pub fn new(map: &Map, probed: &Probed, pairs: Pairs) -> Judge {
        let vectors = |tree: &Tree| {
            let mut vectors = Vec::new();
            let mut add = |values: u64| vectors.push((values, tree.evaluate(values)));
            tree.vectors(MAX_VECTORS, &mut add).then_some(vectors)
        };
        let constants = |decision: &program::coverage::Decision| {
            decision.conditions.iter().map(|condition| condition.constant).collect()
        };
        Judge {
            pairs,
            trees: probed.trees.clone(),
            vectors: probed.trees.iter().map(vectors).collect(),
            points: probed.points.iter().map(|sites| !sites.is_empty()).collect(),
            decisions: probed.decisions.iter().map(|sites| !sites.is_empty()).collect(),
            used: map.functions.iter().map(|function| function.used).collect(),
            functions: (
                map.points.iter().map(|point| point.spot.function).collect(),
                map.decisions.iter().map(|decision| decision.spot.function).collect(),
            ),
            constants: map.decisions.iter().map(constants).collect(),
        }
    }

    /// Whether the event is excluded by the text of the program, and how.
    fn by_text(&self, event: Event) -> Option<How> {
        match event {
            Event::Point(point) if self.points[point] => None,
            Event::Point(point) if self.used[self.functions.0[point]] => Some(How::NoWay),
            Event::Decision(decision, values) if self.decisions[decision] => {
                let evaluated = self.trees[decision].evaluate(values).evaluated;
                let against = |(number, constant): (usize, &Option<bool>)| {
                    let value = values >> number & 1 == 1;
                    evaluated >> number & 1 == 1 && constant.is_some_and(|known| known != value)
                };
                let against = self.constants[decision].iter().enumerate().any(against);
                against.then_some(How::Constant)
            }
            Event::Decision(decision, _) if self.used[self.functions.1[decision]] => {
                Some(How::NoWay)
            }
            _ => Some(How::Unused),
        }
    }

    /// What is known of a goal.
    #[must_use]
    pub fn judge(&self, what: What, seen: &Seen, excluded: &FxHashMap<Event, usize>) -> Judgement {
        match what {
            What::Point(point) => self.one_of(&[Event::Point(point)], How::Proved, seen, excluded),
            What::Outcome { decision, value } => {
                self.evaluations(decision, seen, excluded, How::Proved, &|_, evaluation| {
                    evaluation.outcome == value
                })
            }
            What::Truth { decision, condition, value } => {
                self.evaluations(decision, seen, excluded, How::Proved, &|values, evaluation| {
                    let evaluated = evaluation.evaluated >> condition & 1 == 1;
                    evaluated && (values >> condition & 1 == 1) == value
                })
            }
            What::Independence { decision, condition } => {
                self.pair(decision, condition, seen, excluded)
            }
        }
    }

    /// Whether an evaluation of a decision was seen, or all are excluded.
    fn evaluations(
        &self,
        decision: usize,
        seen: &Seen,
        excluded: &FxHashMap<Event, usize>,
        how: How,
        shows: &dyn Fn(u64, &Evaluation) -> bool,
    ) -> Judgement {
        let tree = &self.trees[decision];
        let shown = seen.vectors(decision).into_iter();
        let mut shown = shown.filter(|(values, _)| shows(*values, &tree.evaluate(*values)));
        if let Some((values, first)) = shown.next() {
            return Judgement::Shown(Event::Decision(decision, values), first);
        }
        if let Some(how) = self.whole(decision) {
            return Judgement::Excluded(how, Vec::new());
        }
        let Some(vectors) = &self.vectors[decision] else {
            return Judgement::Open(Vec::new(), false);
        };
        let showing = vectors.iter().filter(|(values, evaluation)| shows(*values, evaluation));
        let events: Vec<Event> =
            showing.map(|(values, _)| Event::Decision(decision, *values)).collect();
        self.one_of(&events, how, seen, excluded)
    }

    /// Whether a decision is no part of the program.
    fn whole(&self, decision: usize) -> Option<How> {
        if self.decisions[decision] {
            return None;
        }
        let used = self.used[self.functions.1[decision]];
        Some(if used { How::NoWay } else { How::Unused })
    }

    fn one_of(
        &self,
        events: &[Event],
        how: How,
        seen: &Seen,
        excluded: &FxHashMap<Event, usize>,
    ) -> Judgement {
        let mut how = how;
        let (mut open, mut by_proof) = (Vec::new(), Vec::new());
        for &event in events {
            if let Some(first) = seen.event(event) {
                return Judgement::Shown(event, first);
            }
            match self.by_text(event) {
                Some(text) if by_proof.is_empty() => how = text,
                Some(_) => {}
                None if excluded.contains_key(&event) => by_proof.push(event),
                None => open.push(event),
            }
        }
        match open.is_empty() {
            true if by_proof.is_empty() => Judgement::Excluded(how, by_proof),
            true => Judgement::Excluded(How::Proved, by_proof),
            false => Judgement::Open(open, false),
        }
    }

    /// Whether two evaluations show that a condition decides by itself.
    fn pair(
        &self,
        decision: usize,
        condition: usize,
        seen: &Seen,
        excluded: &FxHashMap<Event, usize>,
    ) -> Judgement {
        let tree = &self.trees[decision];
        let decisive = |values: &u64| tree.evaluate(*values).decisive >> condition & 1 == 1;
        let shown: Vec<(u64, First)> = seen.vectors(decision);
        let (yes, no): (Vec<_>, Vec<_>) = shown
            .iter()
            .copied()
            .filter(|(values, _)| decisive(values))
            .partition(|(values, _)| values >> condition & 1 == 1);
        for &a in &yes {
            if let Some(&b) = no.iter().find(|b| self.shows(tree, condition, a.0, b.0)) {
                return Judgement::Paired(a, b);
            }
        }
        if let Some(how) = self.whole(decision) {
            return Judgement::Excluded(how, Vec::new());
        }
        if self.constants[decision][condition].is_some() {
            return Judgement::Excluded(How::Constant, Vec::new());
        }
        let Some(vectors) = &self.vectors[decision] else {
            return Judgement::Open(Vec::new(), !yes.is_empty() || !no.is_empty());
        };
        self.open_pair(decision, condition, vectors, seen, excluded)
    }

    /// The pairs that are left, where none was seen.
    fn open_pair(
        &self,
        decision: usize,
        condition: usize,
        vectors: &[(u64, Evaluation)],
        seen: &Seen,
        excluded: &FxHashMap<Event, usize>,
    ) -> Judgement {
        let event = |values: u64| Event::Decision(decision, values);
        let is_out = |values: u64| {
            let event = event(values);
            excluded.contains_key(&event) || self.by_text(event).is_some()
        };
        let is_seen = |values: u64| seen.event(event(values)).is_some();
        let decisive =
            |(_, evaluation): &&(u64, Evaluation)| evaluation.decisive >> condition & 1 == 1;
        let side = |value: bool| {
            let of_side = vectors.iter().filter(decisive);
            of_side.map(|(v, _)| *v).filter(move |v| (v >> condition & 1 == 1) == value)
        };
        let (mut near, mut far, mut half) = (Vec::new(), Vec::new(), false);
        for a in side(true).filter(|a| !is_out(*a)) {
            for b in side(false).filter(|b| !is_out(*b)) {
                if !self.shows(&self.trees[decision], condition, a, b) {
                    continue;
                }
                match (is_seen(a), is_seen(b)) {
                    (true, _) => near.push(event(b)),
                    (_, true) => near.push(event(a)),
                    _ => far.extend([event(a), event(b)]),
                }
            }
        }
        half |= !near.is_empty();
        near.extend(far);
        let mut known = rustc_hash::FxHashSet::default();
        near.retain(|event| known.insert(*event));
        if !near.is_empty() {
            return Judgement::Open(near, half);
        }
        // What kind of exclusion it is: of evaluations that were seen, or may be, which values are there?
        let possible = |value: bool| {
            vectors.iter().any(|(v, evaluation)| {
                let evaluated = evaluation.evaluated >> condition & 1 == 1;
                evaluated && (v >> condition & 1 == 1) == value && !is_out(*v)
            })
        };
        let how = match (possible(true), possible(false)) {
            (true, true) => How::NoPair,
            (false, false) => How::Unreached,
            _ => How::OneValue,
        };
        let out = vectors.iter().map(|(values, _)| event(*values));
        Judgement::Excluded(how, out.filter(|event| excluded.contains_key(event)).collect())
    }

    /// Whether two evaluations in which a condition is decisive show that it decides by itself.
    fn shows(&self, tree: &Tree, condition: usize, yes: u64, no: u64) -> bool {
        let (a, b) = (tree.evaluate(yes), tree.evaluate(no));
        let both = a.evaluated & b.evaluated & !(1 << condition);
        let same = (yes ^ no) & both == 0;
        a.outcome != b.outcome && (self.pairs == Pairs::Masking || same)
    }
}
