//! Symbolic execution of guarded commands: the state after a command as terms over the state
//! before it.
//!
//! A command is made a function: what it leaves open becomes a free variable. A `Havoc` takes a
//! fresh variable of its sort, and a choice is decided by a fresh Bool, unless its branches
//! exclude each other by guards `c` and `¬c`: then `c` decides. So a [`State`] has one term a
//! variable, whatever the number of paths, and [`Executed::guard`] says for which states and
//! free variables the command gets through.
//!
//! [`Executed::trail`] keeps which free variable stands for which input, so that the values of
//! the havocs on the path that a model takes can be read off in order.

use crate::cfa::{Command, InputId};
use rustc_hash::FxHashMap;
use term::traverse::{conjuncts, rewrite};
use term::{Pool, Sort, Term};

/// The values of variables as terms; a variable without an entry stands for itself.
#[derive(Clone, Default, Debug)]
pub struct State {
    values: FxHashMap<Term, Term>,
}

impl State {
    /// Every variable stands for itself.
    pub fn new() -> State {
        State::default()
    }

    /// The value of a variable.
    pub fn get(&self, variable: Term) -> Term {
        self.values.get(&variable).copied().unwrap_or(variable)
    }

    /// Gives a variable a value.
    pub fn set(&mut self, variable: Term, value: Term) {
        self.values.insert(variable, value);
    }

    /// The variables with an entry, and their values.
    pub fn entries(&self) -> impl Iterator<Item = (Term, Term)> + '_ {
        self.values.iter().map(|(&variable, &value)| (variable, value))
    }

    /// A term with the variables' values in their places.
    pub fn apply(&self, pool: &Pool, term: Term) -> Term {
        let mut done = FxHashMap::default();
        rewrite(pool, term, &mut done, |variable| self.values.get(&variable).copied())
    }
}

/// The havocs of a command, in the order of execution.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    steps: Vec<TrailStep>,
}

#[derive(Clone, Debug)]
enum TrailStep {
    /// The free variable that stands for an input.
    Input(InputId, Term),
    /// The branch whose condition holds first was taken.
    Branch(Vec<(Term, Trail)>),
}

impl Trail {
    /// Whether there is no havoc.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Visits the free variables of the havocs and the conditions of branches.
    pub fn for_each_term(&self, visit: &mut dyn FnMut(Term)) {
        for step in &self.steps {
            match step {
                TrailStep::Input(_, variable) => visit(*variable),
                TrailStep::Branch(branches) => {
                    for (condition, trail) in branches {
                        visit(*condition);
                        trail.for_each_term(visit);
                    }
                }
            }
        }
    }

    /// The havocs on the path that `holds` decides, each with the free variable that stands for
    /// its value.
    pub fn inputs(&self, holds: &mut dyn FnMut(Term) -> bool) -> Vec<(InputId, Term)> {
        let mut inputs = Vec::new();
        let mut pending: Vec<std::slice::Iter<'_, TrailStep>> = vec![self.steps.iter()];
        while let Some(steps) = pending.last_mut() {
            match steps.next() {
                None => {
                    pending.pop();
                }
                Some(TrailStep::Input(input, variable)) => inputs.push((*input, *variable)),
                Some(TrailStep::Branch(branches)) => {
                    if let Some((_, trail)) = branches.iter().find(|(taken, _)| holds(*taken)) {
                        pending.push(trail.steps.iter());
                    }
                }
            }
        }
        inputs
    }
}

/// What came of executing a command.
#[derive(Clone, Debug)]
pub struct Executed {
    /// Whether it gets through.
    pub guard: Term,
    /// Its havocs.
    pub trail: Trail,
}

/// Executes a command on a state.
///
/// If the guard is false, the state afterwards means nothing.
pub fn execute(pool: &Pool, command: &Command, state: &mut State) -> Executed {
    let mut executor = Executor { pool, state, log: Vec::new() };
    let mut trail = Trail::default();
    let guard = executor.run(command, &mut trail);
    Executed { guard, trail }
}

/// Splits alternatives with these guards: a condition for each, of which exactly one holds, in a
/// chain: the first decides between the first alternative and the others, and so on; the
/// last condition is true. Alternatives that can't be taken should be left out before.
fn decisions(pool: &Pool, guards: &[Term]) -> Vec<Term> {
    let conjuncts: Vec<Vec<Term>> = guards.iter().map(|&g| conjuncts(pool, g)).collect();
    let mut conditions = Vec::with_capacity(guards.len());
    for (k, own) in conjuncts.iter().enumerate() {
        let others = &conjuncts[k + 1..];
        if others.is_empty() {
            conditions.push(pool.tru());
            break;
        }
        let excludes = |&c: &Term| others.iter().all(|other| other.contains(&pool.not(c)));
        let own = own.iter().copied().find(excludes);
        conditions.push(own.unwrap_or_else(|| pool.fresh_var("choice", Sort::Bool)));
    }
    conditions
}

/// When each of some alternatives with these guards is taken: never two at once.
pub fn exclusive(pool: &Pool, guards: &[Term]) -> Vec<Term> {
    let mut earlier = pool.tru();
    let taken = guards.iter().zip(decisions(pool, guards)).map(|(&guard, decision)| {
        let taken = pool.and([earlier, decision, guard]);
        earlier = pool.and([earlier, pool.not(decision)]);
        taken
    });
    taken.collect()
}

struct Executor<'a> {
    pool: &'a Pool,
    state: &'a mut State,
    /// The variables changed in the branch that is being executed, with their values before.
    log: Vec<(Term, Option<Term>)>,
}

/// A branch of a choice after its execution.
struct Branch {
    guard: Term,
    trail: Trail,
    changes: FxHashMap<Term, Term>,
}

impl Executor<'_> {
    /// Commands nest as deep as blocks of the source do within one edge, which the size of an
    /// edge bounds.
    fn run(&mut self, command: &Command, trail: &mut Trail) -> Term {
        let pool = self.pool;
        match command {
            Command::Assume(formula) => self.state.apply(pool, *formula),
            Command::Assign(variable, term) => {
                let value = self.state.apply(pool, *term);
                self.set(*variable, value);
                pool.tru()
            }
            Command::Havoc(variable, input) => {
                let name = pool.var_name(*variable).unwrap_or("input").to_owned();
                let value = pool.fresh_var(&name, pool.sort(*variable));
                trail.steps.push(TrailStep::Input(*input, value));
                self.set(*variable, value);
                pool.tru()
            }
            Command::Sequence(commands) => {
                let mut guard = pool.tru();
                for command in commands {
                    let next = self.run(command, trail);
                    guard = pool.and([guard, next]);
                    if pool.as_bool(guard) == Some(false) {
                        break;
                    }
                }
                guard
            }
            Command::Choice(commands) => self.choose(commands, trail),
        }
    }

    fn set(&mut self, variable: Term, value: Term) {
        self.log.push((variable, self.state.values.get(&variable).copied()));
        self.state.set(variable, value);
    }

    fn choose(&mut self, commands: &[Command], trail: &mut Trail) -> Term {
        let pool = self.pool;
        let mut branches: Vec<Branch> = commands.iter().map(|c| self.branch(c)).collect();
        branches.retain(|branch| pool.as_bool(branch.guard) != Some(false));
        let guards: Vec<Term> = branches.iter().map(|b| b.guard).collect();
        let conditions = decisions(pool, &guards);
        let Some(last) = branches.pop() else { return pool.fls() };
        // From the last branch backwards: condition ? this branch : the later ones.
        let Branch { mut guard, mut changes, trail: last_trail } = last;
        let mut trails = vec![(pool.tru(), last_trail)];
        for (branch, &condition) in branches.into_iter().zip(&conditions).rev() {
            guard = pool.ite(condition, branch.guard, guard);
            changes = self.merge(condition, &branch.changes, &changes);
            trails.push((condition, branch.trail));
        }
        trails.reverse();
        let mut changes: Vec<(Term, Term)> = changes.into_iter().collect();
        changes.sort_unstable();
        for (variable, value) in changes {
            self.set(variable, value);
        }
        if trails.iter().any(|(_, trail)| !trail.steps.is_empty()) {
            trail.steps.push(TrailStep::Branch(trails));
        }
        guard
    }

    /// Executes a branch and takes its changes back.
    fn branch(&mut self, command: &Command) -> Branch {
        let outer = std::mem::take(&mut self.log);
        let mut trail = Trail::default();
        let guard = self.run(command, &mut trail);
        let log = std::mem::replace(&mut self.log, outer);
        let changes = log.iter().map(|&(variable, _)| (variable, self.state.get(variable)));
        let changes = changes.collect();
        for (variable, before) in log.into_iter().rev() {
            match before {
                Some(value) => self.state.values.insert(variable, value),
                None => self.state.values.remove(&variable),
            };
        }
        Branch { guard, trail, changes }
    }

    /// What two alternatives change, by a condition.
    fn merge(
        &self,
        condition: Term,
        then: &FxHashMap<Term, Term>,
        otherwise: &FxHashMap<Term, Term>,
    ) -> FxHashMap<Term, Term> {
        let value = |changes: &FxHashMap<Term, Term>, variable: Term| {
            changes.get(&variable).copied().unwrap_or_else(|| self.state.get(variable))
        };
        let changed = then.keys().chain(otherwise.keys()).copied();
        let merged = changed.map(|variable| {
            let merged =
                self.pool.ite(condition, value(then, variable), value(otherwise, variable));
            (variable, merged)
        });
        merged.collect()
    }
}
