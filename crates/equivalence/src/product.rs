//! Both versions side by side, from cut to cut.
//!
//! The cuts of a version are its entry, the heads of its loops and its exit. A *meeting* is a pair of
//! cuts; from there one version or both go on to their next cuts, as the [`Schedule`] says. Where both
//! loops are matched, they go on together; otherwise the one goes on that is behind. Any schedule is
//! sound: every pair of runs that end is a sequence of meetings. What is known at a meeting is a
//! [`Relation`], and at the last one outputs must be equal.

use crate::ask::{Asker, Known};
use crate::execute::{Executor, State, Stuck, UNSET, Way};
use crate::guess::Guesses;
use crate::linear::canonical;
use crate::relation::{Arrival, Relation, Slot};
use crate::shape::Shape;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;
use term::traverse::{Substitution, free_vars};
use term::{Pool, Sort, Term};

/// How often applications of abstracted functions are unfolded, and how many.
const UNFOLDED: usize = 2;
const MAX_APPLIED: usize = 24;
/// How long the question about an output may take.
const LAST_PATIENCE: Duration = Duration::from_secs(5);
/// How many meetings are looked at.
const MAX_ROUNDS: usize = 400;

/// Who goes on, where.
#[derive(Clone, Default, Debug)]
pub struct Schedule {
    /// Loops that go on together, by their numbers in the old and the new version.
    pub matched: Vec<(usize, usize)>,
    /// Which version goes on alone once when both come to these loops: 0 the old, 1 the new one.
    pub peeled: Vec<Option<usize>>,
}

/// A meeting.
type Meeting = (usize, usize, bool);

/// Inputs that may show a difference: values of the terms that were asked for.
pub type Hint = FxHashMap<Term, term::Value>;

/// How it went.
pub enum Result {
    /// Outputs are equal.
    Proved,
    /// There is no run in which both versions end without undefined behaviour.
    Nothing,
    /// No proof.
    Open,
    /// Something is not followed.
    Stuck(Stuck),
}

/// Both versions.
pub struct Product<'p, 'e> {
    pool: &'p Pool,
    sides: [&'e RefCell<Executor<'p>>; 2],
    shapes: [Shape; 2],
    live: [Vec<FxHashSet<Term>>; 2],
    slots: Vec<Slot>,
    /// Variables that hold the same from the beginning to the end.
    rigid: FxHashSet<Term>,
    schedule: Schedule,
    /// The first states.
    start: [State; 2],
    /// What holds of inputs.
    axioms: Vec<Term>,
    /// What must be equal in the end.
    outputs: Vec<(Term, Term)>,
    /// The name of the function.
    function: String,
}

impl<'p, 'e> Product<'p, 'e> {
    /// Puts versions side by side.
    pub fn new(
        pool: &'p Pool,
        sides: [&'e RefCell<Executor<'p>>; 2],
        start: [State; 2],
        axioms: Vec<Term>,
        outputs: Vec<(Term, Term)>,
        (function, schedule, expressions): (&str, Schedule, bool),
    ) -> Product<'p, 'e> {
        let flats = sides.map(|side| side.borrow().flat);
        let shapes = flats.map(Shape::of);
        let live = flats.map(|flat| flat.live(pool));
        let mut slots = Vec::new();
        for side in sides {
            let executor = side.borrow();
            let mut registers: Vec<Term> = executor.flat.registers.iter().copied().collect();
            registers.sort_unstable();
            registers.extend([executor.memory, executor.history]);
            registers.extend(&executor.contents);
            slots.extend(registers.into_iter().map(|term| Slot { term, real: true }));
        }
        let mut rigid: FxHashSet<Term> = FxHashSet::default();
        for (side, state) in sides.iter().zip(&start) {
            let executor = side.borrow();
            rigid.extend(state.values.values());
            rigid.extend(executor.objects.constants.keys());
            rigid.extend(executor.objects.others.keys());
            rigid.extend(executor.flat.locals.iter().map(|(base, _)| base));
        }
        let function = function.to_owned();
        let mut product = Product {
            pool,
            sides,
            shapes,
            live,
            slots,
            rigid,
            schedule,
            start,
            axioms,
            outputs,
            function,
        };
        if expressions {
            let guesses = Guesses { pool, sides, shapes: &product.shapes, live: &product.live };
            let found = guesses.expressions();
            product.slots.extend(found.into_iter().map(|term| Slot { term, real: false }));
        }
        product
    }

    /// Looks for relations that prove outputs equal. Hints are inputs that may show a difference.
    pub fn prove(&self, asker: &mut Asker<'_>, wanted: &[Term], hints: &mut Vec<Hint>) -> Result {
        let mut known: FxHashMap<Meeting, Relation> = FxHashMap::default();
        let entry = [0, 1].map(|side| self.sides[side].borrow().flat.entry);
        let exit = [0, 1].map(|side| self.sides[side].borrow().flat.exit);
        let first: Meeting = (entry[0], entry[1], false);
        let mut pending = VecDeque::from([first]);
        let (mut ended, mut rounds) = (false, 0);
        while let Some(meeting) = pending.pop_front() {
            rounds += 1;
            if asker.is_over() || rounds > MAX_ROUNDS {
                return Result::Open;
            }
            let ways = match self.ways(meeting, first, &known) {
                Ok(ways) => ways,
                Err(stuck) => return Result::Stuck(stuck),
            };
            for (target, premises, values) in ways {
                if asker.implies(&premises, self.pool.fls(), false) == Known::Yes {
                    continue;
                }
                if (target.0, target.1) == (exit[0], exit[1]) {
                    ended = true;
                    if !self.check(&premises, &values, asker, wanted, hints) {
                        return Result::Open;
                    }
                    continue;
                }
                let values = self.slot_values(target, &values);
                let is_unset =
                    |v: &Term| self.pool.var_name(*v).is_some_and(|name| name.starts_with(UNSET));
                let is_rigid = |term| {
                    let free = free_vars(self.pool, &[term]);
                    free.iter().all(|v| self.rigid.contains(v) || is_unset(v))
                };
                let arrival = Arrival { values: &values, premises: &premises, is_rigid: &is_rigid };
                let changed = match known.get_mut(&target) {
                    Some(relation) => relation.refine(self.pool, &arrival, asker),
                    None => {
                        known.insert(target, Relation::guess(self.pool, &arrival, asker));
                        true
                    }
                };
                if changed && !pending.contains(&target) {
                    pending.push_back(target);
                }
            }
        }
        match self.confirms(&known, first, &mut asker.checker()) {
            true if ended => Result::Proved,
            true => Result::Nothing,
            false => Result::Open,
        }
    }

    /// Whether relations are what they should be, asked anew: they hold at the first meeting's
    /// successors, every way from a meeting keeps them, and outputs are equal in the end.
    fn confirms(
        &self,
        known: &FxHashMap<Meeting, Relation>,
        first: Meeting,
        checker: &mut Asker<'_>,
    ) -> bool {
        let exit = [0, 1].map(|side| self.sides[side].borrow().flat.exit);
        for meeting in known.keys().copied().chain([first]) {
            let Ok(ways) = self.ways(meeting, first, known) else { return false };
            for (target, premises, values) in ways {
                if checker.implies(&premises, self.pool.fls(), false) == Known::Yes {
                    continue;
                }
                let holds = match known.get(&target) {
                    _ if (target.0, target.1) == (exit[0], exit[1]) => {
                        self.check(&premises, &values, checker, &[], &mut Vec::new())
                    }
                    Some(relation) => {
                        let values = self.slot_values(target, &values);
                        let is_rigid = |_| false;
                        let arrival =
                            Arrival { values: &values, premises: &premises, is_rigid: &is_rigid };
                        !relation.clone().refine(self.pool, &arrival, checker)
                    }
                    None => false,
                };
                if !holds {
                    return false;
                }
            }
        }
        true
    }

    /// Where both come to from a meeting: the next meeting, what holds, and what variables hold.
    #[allow(clippy::type_complexity)]
    fn ways(
        &self,
        meeting: Meeting,
        first: Meeting,
        known: &FxHashMap<Meeting, Relation>,
    ) -> std::result::Result<Vec<(Meeting, Vec<Term>, FxHashMap<Term, Term>)>, Stuck> {
        let (mut values, mut premises) = match known.get(&meeting) {
            Some(relation) => {
                let mut value = |values: &FxHashMap<Term, Term>, term: Term| {
                    let held = values.iter().map(|(v, t)| (*v, *t));
                    canonical(self.pool, Substitution::new(held).apply(self.pool, term))
                };
                relation.assume(self.pool, &self.slots, &mut value)
            }
            None => (FxHashMap::default(), Vec::new()),
        };
        if meeting == first {
            values.extend(self.start[0].values.iter().chain(&self.start[1].values));
        }
        premises.extend(&self.axioms);
        let state = State { values };
        let steps = self.steps(meeting);
        let mut sides: Vec<Vec<Way>> = Vec::new();
        for (side, node) in [meeting.0, meeting.1].into_iter().enumerate() {
            if !steps[side] {
                let condition = self.pool.tru();
                sides.push(vec![Way { to: node, condition, state: state.clone() }]);
                continue;
            }
            let mut executor = self.sides[side].borrow_mut();
            let exit = executor.flat.exit;
            let heads = &self.shapes[side].heads;
            let cut = |node: usize| node == exit || heads.contains(&node);
            sides.push(executor.run(node, &state, &cut)?);
        }
        let mut ways = Vec::new();
        for old in &sides[0] {
            for new in &sides[1] {
                let mut premises = premises.clone();
                premises.extend([old.condition, new.condition]);
                let mut values = state.values.clone();
                self.take(0, &old.state, &mut values);
                self.take(1, &new.state, &mut values);
                let target = self.target(meeting, (old.to, new.to), steps);
                ways.push((target, premises, values));
            }
        }
        Ok(ways)
    }

    /// Takes what belongs to a version from a state.
    fn take(&self, side: usize, state: &State, values: &mut FxHashMap<Term, Term>) {
        let executor = self.sides[side].borrow();
        for (variable, value) in &state.values {
            let own = executor.flat.registers.contains(variable)
                || *variable == executor.memory
                || *variable == executor.history
                || executor.contents.contains(variable);
            if own {
                values.insert(*variable, *value);
            }
        }
    }

    /// The values of slots at a meeting, of those that are read later.
    fn slot_values(&self, at: Meeting, values: &FxHashMap<Term, Term>) -> Vec<Option<Term>> {
        let mut substitution = Substitution::new(values.iter().map(|(v, t)| (*v, *t)));
        let nodes = [at.0, at.1];
        let is_dead = |variable: &Term| {
            (0..2).any(|side| {
                let executor = self.sides[side].borrow();
                executor.flat.registers.contains(variable)
                    && !self.live[side][nodes[side]].contains(variable)
            })
        };
        self.slots
            .iter()
            .map(|slot| {
                let dead = free_vars(self.pool, &[slot.term]).iter().any(is_dead);
                (!dead).then(|| canonical(self.pool, substitution.apply(self.pool, slot.term)))
            })
            .collect()
    }

    /// The meeting that comes next.
    fn target(&self, from: Meeting, (old, new): (usize, usize), steps: [bool; 2]) -> Meeting {
        let loops = (self.shapes[0].number(old), self.shapes[1].number(new));
        let (Some(a), Some(b)) = loops else { return (old, new, false) };
        let pair = self.schedule.matched.iter().position(|m| *m == (a, b));
        let peeled = pair.and_then(|pair| self.schedule.peeled.get(pair).copied().flatten());
        let Some(side) = peeled else { return (old, new, false) };
        let (node, body) = match side {
            0 => (from.0, &self.shapes[0].bodies[a]),
            _ => (from.1, &self.shapes[1].bodies[b]),
        };
        let outside = !body.contains(&node) || (from.2 && !steps[side]);
        // Who waits at the loop while the other comes has not gone on alone yet.
        let waits = !steps[side] && !from.2;
        (old, new, outside || waits)
    }

    /// Who goes on at a meeting.
    fn steps(&self, (old, new, peel): Meeting) -> [bool; 2] {
        let exit = [0, 1].map(|side| self.sides[side].borrow().flat.exit);
        let loops = (self.shapes[0].number(old), self.shapes[1].number(new));
        match loops {
            _ if old == exit[0] => [false, true],
            _ if new == exit[1] => [true, false],
            (Some(a), Some(b)) => {
                let partner = self.schedule.matched.iter().position(|m| *m == (a, b));
                if let Some(pair) = partner {
                    return match self.schedule.peeled.get(pair).copied().flatten() {
                        Some(side) if peel => [side == 0, side == 1],
                        _ => [true, true],
                    };
                }
                self.behind(a, b)
            }
            _ => [true, true],
        }
    }

    /// Which of two loops that are not matched is behind.
    fn behind(&self, a: usize, b: usize) -> [bool; 2] {
        let of_old = self.schedule.matched.iter().find(|m| m.0 == a).map(|m| m.1);
        let of_new = self.schedule.matched.iter().find(|m| m.1 == b).map(|m| m.0);
        match (of_old, of_new) {
            (None, _) => [true, false],
            (_, None) => [false, true],
            (Some(partner), Some(other)) => {
                if self.shapes[1].bodies[partner].contains(&self.shapes[1].heads[b]) {
                    [false, true]
                } else if self.shapes[0].bodies[other].contains(&self.shapes[0].heads[a]) {
                    [true, false]
                } else {
                    [partner < b, partner > b]
                }
            }
        }
    }

    /// Whether outputs are equal in the end.
    fn check(
        &self,
        premises: &[Term],
        values: &FxHashMap<Term, Term>,
        asker: &mut Asker<'_>,
        wanted: &[Term],
        hints: &mut Vec<Hint>,
    ) -> bool {
        let pool = self.pool;
        let mut substitution = Substitution::new(values.iter().map(|(v, t)| (*v, *t)));
        let premises = self.unfolded(premises);
        let patience = asker.patience;
        asker.patience = patience.max(LAST_PATIENCE);
        for (old, new) in &self.outputs {
            let [a, b] = [*old, *new].map(|term| substitution.apply(pool, term));
            let answer = asker.implies(&premises, same(pool, a, b), true);
            if answer == Known::No {
                let values = wanted.iter().filter_map(|t| Some((*t, asker.value(*t)?)));
                hints.push(values.collect());
            }
            if answer != Known::Yes {
                return false;
            }
        }
        asker.patience = patience;
        true
    }

    /// Premises with what abstracted functions give where the versions call them: what their own
    /// bodies give. Of functions that are compared themselves and have no loops.
    fn unfolded(&self, premises: &[Term]) -> Vec<Term> {
        let mut premises = premises.to_vec();
        for (side, executor) in self.sides.iter().enumerate() {
            if !self.shapes[side].heads.is_empty() {
                continue;
            }
            let mut executor = executor.borrow_mut();
            let mut done = 0;
            for _ in 0..UNFOLDED {
                let met = executor.applied.len();
                for number in done..met.min(MAX_APPLIED) {
                    premises.extend(self.unfold(&mut executor, number));
                }
                done = met;
            }
            executor.applied.clear();
        }
        premises
    }

    /// What the body says of an application.
    fn unfold(&self, executor: &mut Executor<'_>, number: usize) -> Vec<Term> {
        let pool = self.pool;
        let (condition, name, arguments) = executor.applied[number].clone();
        if self.function != name {
            return Vec::new();
        }
        let flat = executor.flat;
        let values = flat.parameters.iter().copied().zip(arguments.iter().copied()).collect();
        let met = executor.applied.len();
        let exit = flat.exit;
        let Ok(ways) = executor.run(flat.entry, &State { values }, &|node| node == exit) else {
            return Vec::new();
        };
        for (inner, ..) in &mut executor.applied[met..] {
            *inner = pool.and([condition, *inner]);
        }
        // A call that is met ends without undefined behaviour, by one of the ways.
        let ends = pool.or(ways.iter().map(|way| way.condition));
        let mut known = vec![pool.implies(condition, ends)];
        for way in ways {
            for (i, result) in flat.results.iter().enumerate() {
                let label = format!("{name} result {i}");
                let value = executor.application(&label, &arguments, pool.sort(*result));
                let same = pool.eq(value, executor.held(&way.state, *result));
                known.push(pool.implies(pool.and([condition, way.condition]), same));
            }
        }
        known
    }
}

/// Whether two outputs are the same: of floats, equal as C compares them, or both NaN.
pub fn same(pool: &Pool, a: Term, b: Term) -> Term {
    match pool.sort(a) {
        Sort::Float(_) if a != b => pool.or([
            pool.eq(a, b),
            pool.fp_eq(a, b),
            pool.and([pool.fp_is_nan(a), pool.fp_is_nan(b)]),
        ]),
        _ => pool.eq(a, b),
    }
}
