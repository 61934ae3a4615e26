//! Executing guarded commands on values: the reference that runs of engines are held against.
//!
//! A run names its edges and the values of its havocs, not the branches of its choices
//! ([`crate::verdict::Step`]); execution follows all branches that get through with these inputs,
//! each of which must be read in full and in order. Where branches exclude each other by their
//! guards, as in programs, one state follows one.

use crate::cfa::{Cfa, Command, InputId};
use crate::verdict::{Run, Step};
use rustc_hash::FxHashMap;
use term::{Pool, Term, Value, evaluate};
use thiserror::Error;

/// The values of variables; those without an entry have the default value of their sort.
pub type Values = FxHashMap<Term, Value>;

/// Why a run can't be executed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RunError {
    /// The edges do not lead from the initial to the error location.
    #[error("step {0} does not begin where the run is")]
    Disconnected(usize),
    /// The run ends elsewhere than in the error location.
    #[error("the run does not end in the error location")]
    WrongEnd,
    /// No path of the edge's command gets through.
    #[error("step {0} does not get through its edge")]
    Stuck(usize),
    /// Too many branches get through.
    #[error("step {0} gets through its edge in too many ways")]
    TooManyWays(usize),
}

/// How many states are followed at once.
const MAX_STATES: usize = 1 << 12;

/// The states that a command leads to from a state with these inputs, all of which it reads.
pub fn outcomes(
    pool: &Pool,
    command: &Command,
    state: &Values,
    inputs: &[(InputId, Value)],
) -> Vec<Values> {
    let mut found = Vec::new();
    // Each entry: the commands still to be executed (the last is next), the state, inputs read.
    let mut pending = vec![(vec![command], state.clone(), 0)];
    while let Some((mut rest, mut state, mut read)) = pending.pop() {
        let Some(command) = rest.pop() else {
            if read == inputs.len() && !found.contains(&state) {
                found.push(state);
            }
            if found.len() > MAX_STATES {
                return found;
            }
            continue;
        };
        match command {
            Command::Assume(guard) => {
                if evaluate(pool, *guard, &state) != Ok(Value::Bool(true)) {
                    continue;
                }
            }
            Command::Assign(variable, term) => {
                let Ok(value) = evaluate(pool, *term, &state) else { continue };
                state.insert(*variable, value);
            }
            Command::Havoc(variable, input) => {
                let Some((_, value)) = inputs.get(read).filter(|(id, _)| id == input) else {
                    continue;
                };
                state.insert(*variable, value.clone());
                read += 1;
            }
            Command::Sequence(commands) => rest.extend(commands.iter().rev()),
            Command::Choice(commands) => {
                for command in commands.iter().rev() {
                    let mut rest = rest.clone();
                    rest.push(command);
                    pending.push((rest, state.clone(), read));
                }
                continue;
            }
        }
        pending.push((rest, state, read));
    }
    found
}

/// Executes a run from `first`; the states before each step and at the end, one for each branching
/// that gets through.
pub fn follow(pool: &Pool, cfa: &Cfa, run: &Run, first: &Values) -> Result<Vec<Values>, RunError> {
    let mut at = cfa.initial;
    let mut states = vec![first.clone()];
    for (number, Step { edge, inputs }) in run.steps.iter().enumerate() {
        let edge = &cfa.edges[*edge];
        if at != Some(edge.from) {
            return Err(RunError::Disconnected(number));
        }
        at = Some(edge.to);
        let mut next: Vec<Values> = Vec::new();
        for state in &states {
            for outcome in outcomes(pool, &edge.command, state, inputs) {
                if !next.contains(&outcome) {
                    next.push(outcome);
                }
            }
        }
        if next.is_empty() {
            return Err(RunError::Stuck(number));
        }
        if next.len() > MAX_STATES {
            return Err(RunError::TooManyWays(number));
        }
        states = next;
    }
    if at != cfa.error || at.is_none() {
        return Err(RunError::WrongEnd);
    }
    Ok(states)
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Sort;
    use value::Bits;

    #[test]
    fn branches_are_followed_where_their_guards_hold() {
        let pool = Pool::new();
        let x = pool.var("x", Sort::BitVec(4));
        let [two, three] = [2, 3].map(|n| pool.bv(n, 4));
        let set = |guard, value| {
            Command::Sequence(vec![Command::Assume(guard), Command::Assign(x, value)])
        };
        let small = pool.bv_ult(x, two);
        let command = Command::Choice(vec![set(small, three), set(pool.not(small), two)]);
        let state = |n| Values::from_iter([(x, Value::Bits(Bits::from_u64(4, n)))]);
        assert_eq!(outcomes(&pool, &command, &state(0), &[]), vec![state(3)]);
        assert_eq!(outcomes(&pool, &command, &state(9), &[]), vec![state(2)]);
        let any = Command::Choice(vec![Command::Assign(x, two), Command::Assign(x, three)]);
        assert_eq!(outcomes(&pool, &any, &state(9), &[]).len(), 2);
        assert!(outcomes(&pool, &Command::Choice(Vec::new()), &state(0), &[]).is_empty());
    }
}
