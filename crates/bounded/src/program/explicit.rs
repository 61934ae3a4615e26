//! What runs that have ended were like: the values of control variables, by location.
//!
//! Once every run has been followed to its end, variables that only ever have one of few constants as their
//! value (states of machines, flags, counters of small loops) have been in few combinations at each location.
//! They are asked of the solver, and their disjunction holds there. Where it is inductive, which others find
//! out, it is evidence that is checked edge by edge, without following runs again, and that can be kept.

use super::unroll::Unrolling;
use ::program::cfa::LocationId;
use ::program::verdict::Invariant;
use answer::Allowance;
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Error, Solver};
use term::{Op, Pool, Sort, Term};

/// How many combinations there may be.
const MOST: usize = 1_000;
/// How many values of a variable are few.
const FEW: usize = 16;

/// Variables with their values.
type Values = Vec<(Term, Term)>;

/// The constants that terms can be, by cases; none if they may be anything else, or are many.
struct Constants<'a> {
    pool: &'a Pool,
    of: FxHashMap<Term, Option<Vec<Term>>>,
}

impl Constants<'_> {
    /// Whether a term is one of few constants.
    fn are_few(&mut self, term: Term) -> bool {
        let pool = self.pool;
        let mut pending = vec![term];
        while let Some(&top) = pending.last() {
            if self.of.contains_key(&top) {
                pending.pop();
                continue;
            }
            let constants = match (pool.op(top), pool.args(top)) {
                _ if pool.value(top).is_some() => Some(vec![top]),
                (Op::Ite, &[_, yes, no]) => {
                    let open = [yes, no].into_iter().filter(|part| !self.of.contains_key(part));
                    let before = pending.len();
                    pending.extend(open);
                    if pending.len() > before {
                        continue;
                    }
                    self.together(yes, no)
                }
                _ => None,
            };
            self.of.insert(top, constants);
            pending.pop();
        }
        self.of[&term].is_some()
    }

    fn together(&self, one: Term, other: Term) -> Option<Vec<Term>> {
        let mut all = self.of[&one].clone()?;
        all.extend(self.of[&other].as_ref()?);
        all.sort_unstable();
        all.dedup();
        (all.len() <= FEW).then_some(all)
    }
}

/// The combinations of values with which runs were at locations; `false` where none was. None if there are
/// too many, or finding them takes too long.
pub(super) fn combinations(
    pool: &Pool,
    unrolling: &Unrolling<'_>,
    solver: &mut dyn Solver,
    allowance: &Allowance,
) -> Result<Option<Invariant>, Error> {
    let mut found: ArenaMap<LocationId, FxHashSet<Term>> = ArenaMap::default();
    let mut count = 0;
    let mut constants = Constants { pool, of: FxHashMap::default() };
    for (location, at, state) in unrolling.followed() {
        let known = found.entry(location).or_default();
        let plain = |v: &Term| matches!(pool.sort(*v), Sort::Bool | Sort::BitVec(_));
        let live = unrolling.live(location).iter().copied().filter(plain);
        let values: Values = live
            .map(|variable| (variable, state.get(variable)))
            .filter(|(_, value)| constants.are_few(*value))
            .collect();
        let values = &values;
        let mut excluded = Vec::new();
        loop {
            if allowance.exhausted().is_some() || count > MOST {
                return Ok(None);
            }
            if excluded.is_empty() && values.iter().all(|(_, value)| pool.value(*value).is_some()) {
                count += usize::from(known.insert(equal(pool, values)));
                break;
            }
            let asked: Vec<Term> = excluded.iter().copied().chain([at]).collect();
            // SAT? a run of this depth ∧ it is here ∧ with values that were not seen yet
            match solver.check(pool, &asked)? {
                Answer::Unsat => break,
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat => {}
            }
            let mut here = Vec::new();
            for &(variable, value) in values {
                here.push((variable, value, pool.constant(solver.value(pool, value)?)));
            }
            let now = here.iter().map(|(_, value, constant)| pool.eq(*value, *constant));
            excluded.push(pool.not(pool.and(now)));
            let seen: Values = here.iter().map(|(v, _, constant)| (*v, *constant)).collect();
            count += usize::from(known.insert(equal(pool, &seen)));
        }
    }
    let all = unrolling.locations().map(|location| {
        let mut ways: Vec<Term> = found.get(location).into_iter().flatten().copied().collect();
        ways.sort_unstable();
        (location, vec![pool.or(ways)])
    });
    Ok(Some(Invariant { at: all.collect() }))
}

/// ⋀ variable = value
fn equal(pool: &Pool, values: &Values) -> Term {
    pool.and(values.iter().map(|(variable, value)| pool.eq(*variable, *value)))
}
