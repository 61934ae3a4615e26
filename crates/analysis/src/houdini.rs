//! The largest set of candidates that is inductive.
//!
//! C. Flanagan, K. R. M. Leino: *Houdini, an annotation assistant for ESC/Java*, FME 2001: all
//! candidates are assumed; one that an edge does not preserve is dropped, and the edges behind it
//! are asked again, until nothing changes. Whatever the candidates were, what is left is certain.
//!
//! Candidates may have parameters ([`program::parameters`]): those that are assumed are also assumed of
//! every index at which a path reads an array.
//!
//! Edges with few paths are asked about path by path: then values are sums where the program has
//! sums, and equations are decided by elimination ([`crate::polynomial`]).

use crate::polynomial::{Equations, Polynomial, canonical};
use answer::Allowance;
use la_arena::ArenaMap;
use program::cfa::{Cfa, EdgeId, LocationId};
use program::parameters::{Instances, parameters, read_after_write, read_indices};
use program::split::{Path, count, split};
use program::symbolic::{State, execute};
use program::verdict::Invariant;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Error, Solver, Solvers};
use std::collections::{BTreeMap, BTreeSet};
use term::traverse::{free_vars, rewrite};
use term::{Pool, Sort, Term, Value};

/// What the proof may cost.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Questions in all.
    pub queries: usize,
    /// Conflicts of one question. What needs more is dropped.
    pub conflicts: u64,
}

/// Formulas by location.
pub type Candidates = ArenaMap<LocationId, Vec<Term>>;

/// How many times as much as another question one about a single candidate is worth: it is the last.
const LAST_EFFORT: u64 = 2;

/// How many paths of an edge are asked about one by one.
const MAX_PATHS: u64 = 16;

/// An edge or a path of one, executed.
struct Step {
    guard: Term,
    state: State,
    /// Formulas over the state after it, as formulas over the state before it.
    before: FxHashMap<Term, Term>,
    /// The indices at which it reads arrays.
    reads: Vec<Term>,
}

/// Candidates on trial.
pub struct Houdini<'a> {
    pool: &'a Pool,
    cfa: &'a Cfa,
    candidates: Candidates,
    steps: FxHashMap<EdgeId, Vec<Step>>,
    /// Formulas by their canonical form.
    forms: FxHashMap<Term, Term>,
    instances: Instances,
    solver: Box<dyn Solver>,
    effort: Effort,
    allowance: Allowance,
    queries: usize,
    /// Whether candidates that others imply stay.
    keeps_implied: bool,
}

enum Stop {
    /// The proof takes more than it may.
    Exhausted,
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Error(error)
    }
}

impl<'a> Houdini<'a> {
    /// All candidates are believed. At the initial location nothing is.
    pub fn new(
        pool: &'a Pool,
        cfa: &'a Cfa,
        mut candidates: Candidates,
        effort: Effort,
        solvers: &dyn Solvers,
        allowance: &Allowance,
    ) -> Self {
        for location in cfa.initial.into_iter().chain(cfa.error) {
            candidates.remove(location);
        }
        let all: Vec<Term> = candidates.iter().flat_map(|(_, all)| all.iter().copied()).collect();
        let is_float = |term: &Term| matches!(pool.sort(*term), Sort::Float(_));
        let mut solver = match free_vars(pool, &all).iter().any(is_float) {
            true => solvers.floats(),
            false => solvers.bits(),
        };
        solver.set_allowance(allowance.clone());
        let instances = Instances::of(parameters(pool, cfa, &all));
        Houdini {
            pool,
            cfa,
            candidates,
            steps: FxHashMap::default(),
            forms: FxHashMap::default(),
            instances,
            solver,
            effort,
            allowance: allowance.clone(),
            queries: 0,
            keeps_implied: false,
        }
    }

    /// The same, but candidates that others imply stay: to find them takes long if there are many.
    pub fn keeping_implied(mut self) -> Self {
        self.keeps_implied = true;
        self
    }

    /// Drops candidates until the others are inductive; none if that takes too much.
    pub fn prove(&mut self) -> Result<Option<Invariant>, Error> {
        match self.run() {
            Ok(()) => Ok(Some(Invariant { at: self.candidates.clone() })),
            Err(Stop::Exhausted) => Ok(None),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    /// After [`Houdini::prove`]: whether no edge leads from the invariant into the error location.
    pub fn excludes_error(&mut self) -> Result<bool, Error> {
        let Some(error) = self.cfa.error else { return Ok(true) };
        for edge in self.cfa.arriving()[error].clone() {
            for path in 0..self.steps(edge).len() {
                let guard = self.steps(edge)[path].guard;
                let assumptions = self.assumed(edge, path);
                if Equations::new(self.pool, &assumptions).contradict(self.pool, &[guard]) {
                    continue;
                }
                // SAT? candidates of ℓ ∧ guards on a path into the error location
                match self.ask(&assumptions, &[]) {
                    Ok(Answer::Unsat) => {}
                    Ok(_) | Err(Stop::Exhausted) => return Ok(false),
                    Err(Stop::Error(error)) => return Err(error),
                }
            }
        }
        Ok(true)
    }

    /// After [`Houdini::excludes_error`]: the candidates that this and their own proofs rest on, which
    /// are mostly few. None if finding them takes too much.
    pub fn needed(&mut self) -> Result<Option<Invariant>, Error> {
        self.queries = 0;
        match self.justify() {
            Ok(invariant) => Ok(Some(invariant)),
            Err(Stop::Exhausted) => Ok(None),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    fn justify(&mut self) -> Result<Invariant, Stop> {
        let (pool, cfa) = (self.pool, self.cfa);
        let arriving = cfa.arriving();
        let mut needed: Candidates =
            self.candidates.iter().map(|(location, _)| (location, Vec::new())).collect();
        let number = |location: LocationId| location.into_raw().into_u32();
        // What is claimed where, and has no reasons yet: all that is claimed somewhere is one question.
        let mut pending: BTreeMap<u32, (LocationId, Vec<Term>)> = BTreeMap::new();
        pending.extend(cfa.error.map(|error| (number(error), (error, vec![pool.fls()]))));
        while let Some((_, (to, claims))) = pending.pop_last() {
            for &edge in &arriving[to] {
                let from = cfa.edges[edge].from;
                for path in 0..self.steps(edge).len() {
                    let goals = self.goals(edge, path, &claims);
                    for used in self.reasons(edge, path, &goals)? {
                        let here = &mut needed[from];
                        if !here.contains(&used) {
                            here.push(used);
                            let waiting = pending.entry(number(from));
                            waiting.or_insert((from, Vec::new())).1.push(used);
                        }
                    }
                }
            }
        }
        Ok(Invariant { at: needed })
    }

    /// What must hold before a path of an edge for formulas to hold after it.
    fn goals(&mut self, edge: EdgeId, path: usize, claims: &[Term]) -> Vec<Term> {
        let pool = self.pool;
        let Step { state, before, .. } = &mut self.steps(edge)[path];
        let replacement = |term| Some(state.get(term)).filter(|value| *value != term);
        let goal = |claim: &Term| rewrite(pool, *claim, before, replacement);
        let goals: Vec<Term> = claims.iter().map(goal).collect();
        let parameters = self.instances.parameters();
        goals.into_iter().map(|goal| read_after_write(pool, goal, parameters)).collect()
    }

    /// The candidates of a location from which formulas follow on a path of an edge.
    fn reasons(&mut self, edge: EdgeId, path: usize, goals: &[Term]) -> Result<Vec<Term>, Stop> {
        let pool = self.pool;
        let known = self.at(self.cfa.edges[edge].from).to_vec();
        let forms: FxHashMap<Term, Term> =
            known.iter().rev().map(|formula| (self.form(*formula), *formula)).collect();
        let guard = self.steps(edge)[path].guard;
        let assumptions = self.assumed(edge, path);
        let equations = Equations::new(pool, &assumptions);
        let is_equation = |formula: &Term| Polynomial::of_equation(pool, *formula).is_some();
        let all_equations = || known.iter().copied().filter(is_equation).collect::<Vec<_>>();
        let (mut used, mut open) = (Vec::new(), Vec::new());
        for &goal in goals.iter().filter(|goal| pool.as_bool(**goal) != Some(true)) {
            if let Some(same) = forms.get(&self.form(goal)) {
                used.push(*same);
            } else if Polynomial::of_equation(pool, goal).is_some_and(|sum| equations.imply(&sum)) {
                used.extend(all_equations());
            } else {
                open.push(goal);
            }
        }
        if open.is_empty() {
            return Ok(used);
        }
        if equations.contradict(pool, &[guard]) {
            used.extend(all_equations());
            return Ok(used);
        }
        let never = open.iter().any(|goal| pool.as_bool(*goal) == Some(false));
        let broken: Vec<Term> =
            open.iter().filter(|_| !never).map(|goal| pool.not(*goal)).collect();
        // SAT? candidates of ℓ ∧ guards ∧ ⋁ ¬goal
        match self.ask(&assumptions, &broken)? {
            Answer::Unsat => {
                let core: FxHashSet<Term> = self.solver.core().iter().copied().collect();
                let reads = self.steps(edge)[path].reads.clone();
                used.extend(known.iter().copied().filter(|&formula| {
                    let instances = self.instances.of_formula(pool, formula, &reads);
                    core.contains(&formula) || instances.iter().any(|i| core.contains(i))
                }));
                Ok(used)
            }
            _ if open.len() > 1 => {
                for goal in open {
                    used.extend(self.reasons(edge, path, &[goal])?);
                }
                Ok(used)
            }
            _ => Err(Stop::Exhausted),
        }
    }

    /// What is believed where an edge begins, also of the indices that a path of it reads, and the
    /// path's guard.
    fn assumed(&mut self, edge: EdgeId, path: usize) -> Vec<Term> {
        let mut assumptions = self.at(self.cfa.edges[edge].from).to_vec();
        if !self.instances.is_empty() {
            let reads = self.steps(edge)[path].reads.clone();
            for n in 0..assumptions.len() {
                let instances = self.instances.of_formula(self.pool, assumptions[n], &reads);
                assumptions.extend(instances);
            }
        }
        assumptions.push(self.steps(edge)[path].guard);
        assumptions
    }

    /// The canonical form of a formula.
    fn form(&mut self, formula: Term) -> Term {
        let pool = self.pool;
        *self.forms.entry(formula).or_insert_with(|| canonical(pool, formula))
    }

    fn at(&self, location: LocationId) -> &[Term] {
        self.candidates.get(location).map_or(&[], |candidates| &candidates[..])
    }

    fn run(&mut self) -> Result<(), Stop> {
        let cfa = self.cfa;
        let order = |edge: EdgeId| (cfa.edges[edge].from.into_raw().into_u32(), edge);
        let mut pending: BTreeSet<(u32, EdgeId)> =
            cfa.edges.iter().map(|(edge, _)| order(edge)).collect();
        let leaving = cfa.leaving();
        while let Some((_, edge)) = pending.pop_first() {
            let to = cfa.edges[edge].to;
            if self.at(to).is_empty() {
                continue;
            }
            for path in 0..self.steps(edge).len() {
                while !self.preserves(edge, path)? {
                    pending.extend(leaving[to].iter().map(|edge| order(*edge)));
                }
            }
        }
        if !self.instances.is_empty() || self.keeps_implied {
            // There are many; what is needed is found at the end.
            return Ok(());
        }
        match self.drop_implied() {
            // What is left is inductive with or without what it implies.
            Err(Stop::Exhausted) => Ok(()),
            other => other,
        }
    }

    fn ask(&mut self, assumptions: &[Term], clause: &[Term]) -> Result<Answer, Stop> {
        self.queries += 1;
        if self.queries > self.effort.queries || self.allowance.exhausted().is_some() {
            return Err(Stop::Exhausted);
        }
        let last = if clause.len() == 1 { LAST_EFFORT } else { 1 };
        self.solver.set_work(Some(last * self.effort.conflicts));
        // SAT? ⋀ assumptions ∧ ⋁ clause
        let answer = self.solver.check_with(self.pool, assumptions, clause)?;
        Ok(answer)
    }

    /// The paths of an edge that get through.
    fn steps(&mut self, edge: EdgeId) -> &mut Vec<Step> {
        let (pool, cfa) = (self.pool, self.cfa);
        self.steps.entry(edge).or_insert_with(|| {
            let whole = &cfa.edges[edge].command;
            let commands = match count(pool, whole) <= MAX_PATHS {
                true => split(pool, whole).iter().map(Path::command).collect(),
                false => vec![whole.clone()],
            };
            let executed = commands.iter().map(|command| {
                let mut state = State::new();
                let guard = execute(pool, command, &mut state).guard;
                let mut terms = vec![guard];
                terms.extend(state.entries().map(|(_, value)| value));
                let reads = read_indices(pool, &terms);
                Step { guard, state, before: FxHashMap::default(), reads }
            });
            executed.filter(|step| pool.as_bool(step.guard) != Some(false)).collect()
        })
    }

    /// Whether a path of an edge preserves the candidates; if not, some where it leads are dropped.
    fn preserves(&mut self, edge: EdgeId, path: usize) -> Result<bool, Stop> {
        let pool = self.pool;
        let to = self.cfa.edges[edge].to;
        let claimed = self.at(to).to_vec();
        let assumptions = self.assumed(edge, path);
        let Step { state, before, .. } = &mut self.steps(edge)[path];
        let replacement = |term| Some(state.get(term)).filter(|value| *value != term);
        let claimed_before = claimed.iter().map(|&f| rewrite(pool, f, before, replacement));
        let mut after: Vec<Term> = claimed_before.collect();
        if !self.instances.is_empty() {
            let parameters = self.instances.parameters();
            after.iter_mut().for_each(|f| *f = read_after_write(pool, *f, parameters));
        }
        let equations = Equations::new(pool, &assumptions);
        let forms: FxHashSet<Term> = assumptions.iter().map(|f| self.form(*f)).collect();
        let mut clause = Vec::new();
        for &formula in &after {
            let known = pool.as_bool(formula) == Some(true)
                || forms.contains(&self.form(formula))
                || Polynomial::of_equation(pool, formula).is_some_and(|sum| equations.imply(&sum));
            if !known {
                clause.push(pool.not(formula));
            }
        }
        if clause.is_empty() {
            return Ok(true);
        }
        let kept: Vec<bool> = match self.ask(&assumptions, &clause)? {
            Answer::Unsat => return Ok(true),
            Answer::Sat => {
                let mut kept = Vec::with_capacity(after.len());
                for &formula in &after {
                    kept.push(self.solver.value(pool, formula)? == Value::Bool(true));
                }
                kept
            }
            Answer::Unknown(_) => self.one_by_one(&assumptions, &after, &clause)?,
        };
        let mut kept = kept.into_iter();
        let candidates = &mut self.candidates[to];
        candidates.retain(|_| kept.next() == Some(true));
        if candidates.len() == claimed.len() {
            // All were shown one by one.
            return Ok(true);
        }
        Ok(false)
    }

    /// Which formulas follow, asked about one by one, which is easier than all at once. Those whose
    /// negation is not in the clause are known to.
    fn one_by_one(
        &mut self,
        assumptions: &[Term],
        after: &[Term],
        clause: &[Term],
    ) -> Result<Vec<bool>, Stop> {
        let mut kept = Vec::with_capacity(after.len());
        for &formula in after {
            let broken = self.pool.not(formula);
            // SAT? candidates of ℓ ∧ guards ∧ ¬candidate' of ℓ'
            let holds =
                !clause.contains(&broken) || self.ask(assumptions, &[broken])? == Answer::Unsat;
            kept.push(holds);
        }
        Ok(kept)
    }

    /// Drops candidates that others at the same location imply.
    fn drop_implied(&mut self) -> Result<(), Stop> {
        let pool = self.pool;
        let locations: Vec<LocationId> = self.candidates.iter().map(|(at, _)| at).collect();
        for location in locations {
            let mut left = self.at(location).to_vec();
            let mut index = left.len();
            while index > 0 {
                index -= 1;
                let mut others = left.clone();
                let formula = others.remove(index);
                // SAT? the other candidates ∧ ¬candidate
                if self.ask(&others, &[pool.not(formula)])? == Answer::Unsat {
                    left = others;
                }
            }
            self.candidates.insert(location, left);
        }
        Ok(())
    }
}
