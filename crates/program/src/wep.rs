//! The weakest existential precondition of choice-free commands: [LPN18 §2], [Lan18, Def. 2.21].
//!
//! wep(C, φ) is the set of states from which C can reach φ. For a choice-free command it needs
//! no quantifier but for havocs: assignments are substitutions, assumptions conjuncts, and each
//! havoc becomes a free *input* variable. [`Effect`] keeps the parts of [Lan18, Lemma 4.9] apart:
//! the guards are wep(C, true), and [`Effect::before`] maps one literal after the command to the
//! formula before it, which is the map that wep⁻¹ ([Lan18, Def. 4.10]) inverts.
//!
//! Eliminating inputs from a precondition is the business of who has a model.

use crate::cfa::InputId;
use crate::split::Path;
use crate::symbolic::{State, execute};
use rustc_hash::FxHashMap;
use term::traverse::{conjuncts, rewrite};
use term::{Pool, Term};

/// A choice-free command as a function from states and inputs to states.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// The command gets through if all of these hold, over the state before and the inputs.
    pub guards: Vec<Term>,
    /// The variables that are assigned, with their values over the state before and the inputs.
    pub assigned: Vec<(Term, Term)>,
    /// The inputs in order of execution, with the variables that stand for their values.
    pub inputs: Vec<(InputId, Term)>,
    state: State,
    /// What [`Effect::before`] has computed.
    done: FxHashMap<Term, Term>,
}

impl Effect {
    /// The effect of a path.
    pub fn new(pool: &Pool, path: &Path) -> Effect {
        let mut state = State::new();
        let executed = execute(pool, &path.command(), &mut state);
        // No branch: a path has no choices.
        let inputs = executed.trail.inputs(&mut |_| true);
        let mut assigned: Vec<(Term, Term)> =
            state.entries().filter(|(variable, value)| variable != value).collect();
        assigned.sort_unstable();
        Effect {
            guards: conjuncts(pool, executed.guard),
            assigned,
            inputs,
            state,
            done: FxHashMap::default(),
        }
    }

    /// Whether no state gets through, by the shape of the guards alone.
    pub fn is_blocked(&self, pool: &Pool) -> bool {
        self.guards.iter().any(|guard| pool.as_bool(*guard) == Some(false))
    }

    /// A formula after the command as a formula before it, guards left aside: wep(C', φ), where
    /// C' is the command without its assumptions.
    pub fn before(&mut self, pool: &Pool, formula: Term) -> Term {
        let Effect { state, done, .. } = self;
        rewrite(pool, formula, done, |term| {
            let value = state.get(term);
            (value != term).then_some(value)
        })
    }

    /// wep(C, ⋀ cube) as a conjunction, over the state before and the inputs.
    pub fn wep(&mut self, pool: &Pool, cube: &[Term]) -> Vec<Term> {
        let mut literals = self.guards.clone();
        for literal in cube {
            literals.push(self.before(pool, *literal));
        }
        let conjunction = pool.and(literals);
        if pool.as_bool(conjunction) == Some(false) {
            return vec![conjunction];
        }
        conjuncts(pool, conjunction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::cfa::Input;
    use crate::program::Cause;
    use la_arena::Arena;
    use term::Sort;

    #[test]
    fn assignments_are_substituted_backwards() {
        let pool = Pool::new();
        let sort = Sort::BitVec(8);
        let [x, y] = ["x", "y"].map(|n| pool.var(n, sort));
        let one = pool.bv(1, 8);
        // x := x + 1; assume x < y; y := x
        let path = Path {
            steps: vec![
                Command::Assign(x, pool.bv_add(x, one)),
                Command::Assume(pool.bv_ult(x, y)),
                Command::Assign(y, x),
            ],
        };
        let mut effect = Effect::new(&pool, &path);
        let next = pool.bv_add(x, one);
        assert_eq!(effect.guards, vec![pool.bv_ult(next, y)]);
        let five = pool.bv(5, 8);
        assert_eq!(effect.before(&pool, pool.eq(y, five)), pool.eq(x, pool.bv(4, 8)));
        let mut wep = effect.wep(&pool, &[pool.eq(x, y)]);
        wep.sort_unstable();
        assert_eq!(wep, vec![pool.bv_ult(next, y)], "x = y holds after y := x");
    }

    #[test]
    fn havocs_become_inputs() {
        let pool = Pool::new();
        let x = pool.var("x", Sort::Bool);
        let mut inputs = Arena::default();
        let input = inputs.alloc(Input {
            instruction: None,
            cause: Cause::Uninitialized,
            sort: Sort::Bool,
        });
        let path = Path { steps: vec![Command::Havoc(x, input), Command::Assume(x)] };
        let mut effect = Effect::new(&pool, &path);
        let (id, variable) = effect.inputs[0];
        assert_eq!(id, input);
        assert_eq!(effect.wep(&pool, &[x]), vec![variable]);
    }
}
