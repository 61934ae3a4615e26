//! Choice-free commands: `split` of [Lan18, Def. 4.8].
//!
//! The weakest existential precondition of a cube under a choice-free command is a cube again
//! ([LPN18, Lemma 5]), which is what IC3CFA works with. A command with choices is the union of
//! its [`Path`]s. As [LPN18, Def. 1] has no disjunction in guards, `assume a ∨ b` counts as a
//! choice, and `assume a ∧ b` as two commands.
//!
//! The number of paths is exponential in the number of choices in sequence; [`count`] tells it
//! before anything is built.

use crate::cfa::Command;
use term::{Op, Pool, Term};

/// A choice-free command: assumptions, assignments and havocs, one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path {
    /// The commands; none is a sequence or a choice.
    pub steps: Vec<Command>,
}

impl Path {
    /// The same as one command.
    pub fn command(&self) -> Command {
        Command::Sequence(self.steps.clone())
    }
}

/// How many cases of a guard are told apart; with more the guard stays whole.
const MAX_CASES: usize = 8;

/// How many paths [`split`] makes of a command.
pub fn count(pool: &Pool, command: &Command) -> u64 {
    match command {
        Command::Assume(guard) => cases(pool, *guard).len() as u64,
        Command::Assign(..) | Command::Havoc(..) => 1,
        Command::Sequence(commands) => {
            commands.iter().map(|c| count(pool, c)).fold(1, u64::saturating_mul)
        }
        Command::Choice(commands) => {
            commands.iter().map(|c| count(pool, c)).fold(0, u64::saturating_add)
        }
    }
}

/// The choice-free commands whose union is the command.
///
/// Commands nest as deep as blocks of the source do within one edge.
pub fn split(pool: &Pool, command: &Command) -> Vec<Path> {
    match command {
        Command::Assume(guard) => {
            let path =
                |case: Vec<Term>| Path { steps: case.into_iter().map(Command::Assume).collect() };
            cases(pool, *guard).into_iter().map(path).collect()
        }
        Command::Assign(..) | Command::Havoc(..) => vec![Path { steps: vec![command.clone()] }],
        Command::Sequence(commands) => {
            let mut paths = vec![Path::default()];
            for command in commands {
                let next = split(pool, command);
                paths = product(&paths, &next);
            }
            paths
        }
        Command::Choice(commands) => commands.iter().flat_map(|c| split(pool, c)).collect(),
    }
}

fn product(first: &[Path], then: &[Path]) -> Vec<Path> {
    let mut paths = Vec::with_capacity(first.len() * then.len());
    for a in first {
        for b in then {
            paths.push(Path { steps: a.steps.iter().chain(&b.steps).cloned().collect() });
        }
    }
    paths
}

/// A guard in disjunctive normal form: cases, each a conjunction of formulas without ∧ and ∨ on
/// top. One case with the guard's conjuncts as they are, where there would be more than
/// [`MAX_CASES`].
pub fn cases(pool: &Pool, guard: Term) -> Vec<Vec<Term>> {
    expand(pool, guard).unwrap_or_else(|| vec![term::traverse::conjuncts(pool, guard)])
}

/// The disjunctive normal form of a formula; `None` where it is too large.
fn expand(pool: &Pool, formula: Term) -> Option<Vec<Vec<Term>>> {
    // Conjunctions to be expanded further, each with the literals found so far.
    let mut pending = vec![(vec![formula], Vec::new())];
    let mut done: Vec<Vec<Term>> = Vec::new();
    while let Some((mut open, mut literals)) = pending.pop() {
        if pending.len() + done.len() >= MAX_CASES {
            return None;
        }
        let Some(next) = open.pop() else {
            done.push(literals);
            continue;
        };
        match junction(pool, next) {
            Junction::Constant(true) => pending.push((open, literals)),
            Junction::Constant(false) => {}
            Junction::Literal => {
                if !literals.contains(&next) {
                    literals.push(next);
                }
                pending.push((open, literals));
            }
            Junction::All(parts) => {
                open.extend(parts.into_iter().rev());
                pending.push((open, literals));
            }
            Junction::Any(parts) => {
                for part in parts.into_iter().rev() {
                    let mut open = open.clone();
                    open.push(part);
                    pending.push((open, literals.clone()));
                }
                if pending.len() + done.len() > MAX_CASES {
                    return None;
                }
            }
        }
    }
    Some(done)
}

/// How a formula is made of parts.
pub enum Junction {
    /// True or false.
    Constant(bool),
    /// Neither a conjunction nor a disjunction.
    Literal,
    /// The conjunction of these.
    All(Vec<Term>),
    /// The disjunction of these.
    Any(Vec<Term>),
}

/// How a formula is made of parts, looking through negation and Boolean if-then-else.
pub fn junction(pool: &Pool, formula: Term) -> Junction {
    if let Some(value) = pool.as_bool(formula) {
        return Junction::Constant(value);
    }
    let args = pool.args(formula);
    match pool.op(formula) {
        Op::And => Junction::All(args.to_vec()),
        Op::Or => Junction::Any(args.to_vec()),
        Op::Ite => {
            let [c, t, e] = args[..] else { unreachable!("ite has three arguments") };
            Junction::Any(vec![pool.and([c, t]), pool.and([pool.not(c), e])])
        }
        Op::Not => {
            let inner = args[0];
            let negated = || pool.args(inner).iter().map(|a| pool.not(*a)).collect();
            match pool.op(inner) {
                Op::And => Junction::Any(negated()),
                Op::Or => Junction::All(negated()),
                Op::Ite => {
                    let [c, t, e] = pool.args(inner)[..] else { unreachable!("ite") };
                    let (t, e) = (pool.not(t), pool.not(e));
                    Junction::Any(vec![pool.and([c, t]), pool.and([pool.not(c), e])])
                }
                _ => Junction::Literal,
            }
        }
        _ => Junction::Literal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Sort;

    #[test]
    fn a_guard_is_split_into_its_cases() {
        let pool = Pool::new();
        let [a, b, c] = ["a", "b", "c"].map(|n| pool.var(n, Sort::Bool));
        let guard = pool.and([a, pool.or([b, pool.not(c)])]);
        let mut cases = cases(&pool, guard);
        cases.iter_mut().for_each(|case| case.sort_unstable());
        cases.sort_unstable();
        let mut expected = vec![vec![a, b], vec![a, pool.not(c)]];
        expected.iter_mut().for_each(|case| case.sort_unstable());
        expected.sort_unstable();
        assert_eq!(cases, expected);
    }

    #[test]
    fn a_guard_with_too_many_cases_stays_whole() {
        let pool = Pool::new();
        let pair = |i: usize| {
            let [a, b] = ["a", "b"].map(|n| pool.var(&format!("{n}{i}"), Sort::Bool));
            pool.or([a, b])
        };
        let guard = pool.and((0..40).map(pair).collect::<Vec<_>>());
        assert_eq!(cases(&pool, guard).len(), 1);
        assert_eq!(cases(&pool, guard)[0].len(), 40);
    }

    #[test]
    fn paths_are_counted_and_made() {
        let pool = Pool::new();
        let [a, b] = ["a", "b"].map(|n| pool.var(n, Sort::Bool));
        let either = Command::Choice(vec![Command::Assume(a), Command::Assign(a, b)]);
        let command = Command::Sequence(vec![either.clone(), either.clone(), either]);
        assert_eq!(count(&pool, &command), 8);
        assert_eq!(split(&pool, &command).len(), 8);
        assert_eq!(split(&pool, &Command::Choice(Vec::new())), Vec::new());
        assert_eq!(split(&pool, &Command::skip()), vec![Path::default()]);
    }
}
