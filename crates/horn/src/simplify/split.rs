//! Arguments that take few values, such as program counters, become part of the predicate: for each
//! combination of their values that may be derived there is a predicate of its own over the other
//! arguments, and for each clause what it says of such combinations.
//!
//! Two fixed points are computed, both by a solver that names what is not covered yet: which arguments
//! have few values, each by itself, and which combinations of these there are. A model of a predicate
//! says in each case what that of the case says, and nothing holds of other combinations; a derivation
//! is one of the clauses as they were. So predicates that were split can't be inlined afterwards, which
//! is why this comes last.

use super::tidy::solved;
use super::{Origin, each_step};
use crate::model::{Interpretation, Model};
use crate::refutation::Refutation;
use crate::system::{Application, Clause, Predicate, PredicateId, System};
use answer::Allowance;
use passes::Back;
use rustc_hash::FxHashSet;
use smt::{Answer, Solver, Solvers};
use std::collections::VecDeque;
use term::traverse::{conjuncts, substitute};
use term::{Pool, Sort, Term, Value};

/// The most values that an argument may take.
const MAX_VALUES: usize = 8;
/// The most combinations of one predicate.
const MAX_CASES: usize = 40;
/// How many clauses there may be for each new case.
const SPARSE: usize = 3;
/// The most clauses that may come of it.
const MAX_CLAUSES: usize = 1_500;

/// Values of the chosen arguments of a predicate.
type Case = Vec<Value>;

pub(super) struct Split<'p> {
    pool: &'p Pool,
    before: Vec<Predicate>,
    origins: Vec<Origin>,
    /// What became of each of them; none if it stays.
    parts: Vec<Option<Parts>>,
    /// The parameters after it.
    after: Vec<Vec<Term>>,
}

/// What became of a predicate.
struct Parts {
    /// The arguments that tell cases apart.
    chosen: Vec<usize>,
    /// The predicate that each case is now, and that its parameters are in that case.
    cases: Vec<(PredicateId, Term)>,
}

/// Splits predicates; none if nothing is to be split, or that takes too much.
pub(super) fn pass<'p>(
    pool: &'p Pool,
    system: &System,
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Option<(System, Split<'p>)> {
    let candidates = (0..system.predicates.len()).any(|p| {
        system.predicates[p].parameters.iter().any(|term| may_be_finite(pool.sort(*term)))
    });
    if !candidates {
        return None;
    }
    let mut search = Search::new(pool, system, solvers, allowance)?;
    let values = search.values()?;
    let few = |values: &Vec<Option<Vec<Value>>>| -> Vec<usize> {
        (0..values.len()).filter(|i| values[*i].is_some()).collect()
    };
    let candidates: Vec<Vec<usize>> = values.iter().map(few).collect();
    let found = match search.instances(&candidates) {
        Some(found) if found.is_sparse(system.clauses.len()) => found,
        _ => search.greedy(&candidates)?,
    };
    if found.chosen.iter().all(Vec::is_empty) {
        return None;
    }
    Some(made(pool, system, &found))
}

/// Whether arguments of a sort may be told by their values.
fn may_be_finite(sort: Sort) -> bool {
    matches!(sort, Sort::Bool | Sort::Int | Sort::Real | Sort::BitVec(_))
}

/// A clause in one case of each predicate that it is about.
struct Instance {
    clause: usize,
    /// The case of each application, assumed ones first.
    cases: Vec<usize>,
}

/// What becomes of a system.
struct Found {
    /// The arguments of each predicate that tell its cases apart.
    chosen: Vec<Vec<usize>>,
    /// Their values in each case.
    cases: Vec<Vec<Case>>,
    instances: Vec<Instance>,
}

impl Found {
    /// How many cases there are beyond one of each predicate.
    fn more(&self) -> usize {
        self.cases.iter().map(|cases| cases.len().saturating_sub(1)).sum()
    }

    /// Whether cases follow each other as the places of a program do, where few come after each; what
    /// may change to anything at any time is better left to the constraints.
    fn is_sparse(&self, clauses: usize) -> bool {
        self.instances.len() <= clauses + SPARSE * self.more()
    }
}

struct Search<'a> {
    pool: &'a Pool,
    system: &'a System,
    /// A solver for each clause, which knows its constraint.
    solvers: Vec<Box<dyn Solver>>,
    allowance: &'a Allowance,
    /// What was found of each predicate.
    cases: Vec<Vec<Case>>,
}

impl<'a> Search<'a> {
    fn new(
        pool: &'a Pool,
        system: &'a System,
        solvers: &dyn Solvers,
        allowance: &'a Allowance,
    ) -> Option<Self> {
        let mut own = Vec::new();
        for clause in &system.clauses {
            let mut solver = solvers.general();
            solver.set_allowance(allowance.clone());
            solver.assert(pool, clause.constraint).ok()?;
            own.push(solver);
        }
        let cases = vec![Vec::new(); system.predicates.len()];
        Some(Search { pool, system, solvers: own, allowance, cases })
    }

    /// SAT? φ ∧ ⋀ assumed ∧ ⋁ open; the values of terms, if it is. None: it was not decided.
    fn ask(
        &mut self,
        clause: usize,
        assumed: &[Term],
        open: &[Term],
        terms: &[Term],
    ) -> Option<Option<Vec<Value>>> {
        if self.allowance.exhausted().is_some() {
            return None;
        }
        let solver = &mut self.solvers[clause];
        match solver.check_with(self.pool, assumed, open).ok()? {
            Answer::Unknown(_) => None,
            Answer::Unsat => Some(None),
            Answer::Sat => {
                let values = terms.iter().map(|term| solver.value(self.pool, *term).ok());
                Some(Some(values.collect::<Option<Vec<Value>>>()?))
            }
        }
    }

    /// The values of each argument by itself; none if they are many.
    fn values(&mut self) -> Option<Vec<Vec<Option<Vec<Value>>>>> {
        let (pool, system) = (self.pool, self.system);
        let begin = |predicate: &Predicate| -> Vec<Option<Vec<Value>>> {
            let sorts = predicate.parameters.iter().map(|parameter| pool.sort(*parameter));
            sorts.map(|sort| may_be_finite(sort).then(Vec::new)).collect()
        };
        let mut known: Vec<_> = system.predicates.iter().map(begin).collect();
        let mut derived = vec![false; known.len()];
        let assuming = system.assuming();
        let mut pending: VecDeque<usize> = (0..system.clauses.len()).collect();
        let mut waits = vec![true; pending.len()];
        while let Some(number) = pending.pop_front() {
            waits[number] = false;
            let clause = &system.clauses[number];
            let Some(head) = &clause.head else { continue };
            if !clause.body.iter().all(|body| derived[body.predicate]) {
                continue;
            }
            let mut changed = false;
            loop {
                let assumed = assumptions(pool, clause, &known);
                let open = outside(pool, head, &known[head.predicate]);
                if open.is_empty() && derived[head.predicate] {
                    break;
                }
                // SAT? φ ∧ ⋀ argument(pᵢ) ∈ values ∧ ⋁ argument(p) ∉ values
                let open = if derived[head.predicate] { open } else { Vec::new() };
                let found = self.ask(number, &assumed, &open, &head.arguments)?;
                let Some(found) = found else { break };
                derived[head.predicate] = true;
                changed = true;
                for (values, value) in known[head.predicate].iter_mut().zip(found) {
                    let Some(few) = values else { continue };
                    if !few.contains(&value) {
                        few.push(value);
                    }
                    if few.len() > MAX_VALUES {
                        *values = None;
                    }
                }
            }
            if changed {
                for &other in &assuming[head.predicate] {
                    if !std::mem::replace(&mut waits[other], true) {
                        pending.push_back(other);
                    }
                }
            }
        }
        Some(known)
    }

    /// What the clauses say of each combination of cases; none if there are too many.
    fn instances(&mut self, chosen: &[Vec<usize>]) -> Option<Found> {
        let system = self.system;
        self.cases.iter_mut().for_each(Vec::clear);
        let mut instances = Vec::new();
        let mut seen: FxHashSet<(usize, Vec<usize>)> = FxHashSet::default();
        loop {
            let before = seen.len();
            for (number, clause) in system.clauses.iter().enumerate() {
                let counts: Vec<usize> =
                    clause.body.iter().map(|body| self.cases[body.predicate].len()).collect();
                if counts.iter().product::<usize>() > MAX_CLAUSES {
                    return None;
                }
                for combination in combinations(&counts) {
                    if seen.insert((number, combination.clone())) {
                        self.derive(number, combination, chosen, &mut instances)?;
                    }
                }
            }
            if seen.len() == before {
                let cases = self.cases.clone();
                return Some(Found { chosen: chosen.to_vec(), cases, instances });
            }
        }
    }

    /// Chooses arguments one after the other, as long as what comes out is sparse and there is time.
    fn greedy(&mut self, candidates: &[Vec<usize>]) -> Option<Found> {
        let clauses = self.system.clauses.len();
        let mut best = self.instances(&vec![Vec::new(); candidates.len()])?;
        for (p, arguments) in candidates.iter().enumerate() {
            for argument in arguments {
                let mut chosen = best.chosen.clone();
                chosen[p].push(*argument);
                match self.instances(&chosen) {
                    Some(found) if found.is_sparse(clauses) => best = found,
                    None if self.allowance.exhausted().is_some() => return Some(best),
                    _ => {}
                }
            }
        }
        Some(best)
    }

    /// What a clause says in these cases of what it assumes.
    fn derive(
        &mut self,
        number: usize,
        body: Vec<usize>,
        chosen: &[Vec<usize>],
        instances: &mut Vec<Instance>,
    ) -> Option<()> {
        let (pool, system) = (self.pool, self.system);
        let clause = &system.clauses[number];
        let pairs = clause.body.iter().zip(&body);
        let assumed: Vec<Term> = pairs
            .map(|(body, case)| {
                let p = body.predicate;
                pool.and(equations(pool, body, &chosen[p], &self.cases[p][*case]))
            })
            .collect();
        let Some(head) = &clause.head else {
            if self.ask(number, &assumed, &[], &[])?.is_some() {
                instances.push(Instance { clause: number, cases: body });
            }
            return Some(());
        };
        let p = head.predicate;
        let told: Vec<Term> = chosen[p].iter().map(|i| head.arguments[*i]).collect();
        let mut excluded = assumed.clone();
        // SAT? φ ∧ case(pᵢ) ∧ none of the cases of p that were found
        while let Some(case) = self.ask(number, &excluded, &[], &told)? {
            let at = self.cases[p].iter().position(|known| *known == case);
            let at = at.unwrap_or_else(|| {
                self.cases[p].push(case.clone());
                self.cases[p].len() - 1
            });
            let cases = body.iter().copied().chain([at]).collect();
            instances.push(Instance { clause: number, cases });
            if self.cases[p].len() > MAX_CASES || instances.len() > MAX_CLAUSES {
                return None;
            }
            excluded.push(pool.not(pool.and(equations(pool, head, &chosen[p], &case))));
        }
        Some(())
    }
}

/// That arguments of what a clause assumes have values that they may have.
fn assumptions(pool: &Pool, clause: &Clause, known: &[Vec<Option<Vec<Value>>>]) -> Vec<Term> {
    let mut assumed = Vec::new();
    for body in &clause.body {
        for (argument, values) in body.arguments.iter().zip(&known[body.predicate]) {
            let Some(values) = values else { continue };
            let one = |value: &Value| pool.eq(*argument, pool.constant(value.clone()));
            assumed.push(pool.or(values.iter().map(one)));
        }
    }
    assumed
}

/// That an argument has a value that is not known yet.
fn outside(pool: &Pool, head: &Application, known: &[Option<Vec<Value>>]) -> Vec<Term> {
    let new = |(argument, values): (&Term, &Option<Vec<Value>>)| {
        let other = |value: &Value| pool.not(pool.eq(*argument, pool.constant(value.clone())));
        let new = pool.and(values.as_ref()?.iter().map(other));
        (pool.as_bool(new) != Some(false)).then_some(new)
    };
    head.arguments.iter().zip(known).filter_map(new).collect()
}

/// That the chosen arguments have the values of a case.
fn equations(pool: &Pool, application: &Application, chosen: &[usize], case: &Case) -> Vec<Term> {
    let pairs = chosen.iter().zip(case);
    let equation = |(i, value): (&usize, &Value)| {
        pool.eq(application.arguments[*i], pool.constant(value.clone()))
    };
    pairs.map(equation).collect()
}

/// All ways to take one of each count.
fn combinations(counts: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for count in counts {
        let longer = |way: &Vec<usize>| {
            let way = way.clone();
            (0..*count).map(move |at| way.iter().copied().chain([at]).collect::<Vec<usize>>())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The system of the instances, in which each case is a predicate.
fn made<'p>(pool: &'p Pool, system: &System, found: &Found) -> (System, Split<'p>) {
    let Found { chosen, cases, instances } = found;
    let mut predicates = system.predicates.clone();
    let mut parts: Vec<Option<Parts>> = Vec::new();
    for (p, predicate) in system.predicates.iter().enumerate() {
        if chosen[p].is_empty() {
            parts.push(None);
            continue;
        }
        let whole = Application { predicate: p, arguments: predicate.parameters.clone() };
        let mut of = Vec::new();
        for (number, case) in cases[p].iter().enumerate() {
            let kept = rest(&chosen[p], &predicate.parameters);
            let sorts = kept.iter().map(|parameter| pool.sort(*parameter));
            let name = format!("{}@{number}", predicate.name);
            of.push((predicates.len(), pool.and(equations(pool, &whole, &chosen[p], case))));
            predicates.push(Predicate::new(pool, &name, sorts));
        }
        parts.push(Some(Parts { chosen: chosen[p].clone(), cases: of }));
    }
    let in_case = |application: &Application, case: usize| match &parts[application.predicate] {
        None => application.clone(),
        Some(parts) => Application {
            predicate: parts.cases[case].0,
            arguments: rest(&parts.chosen, &application.arguments),
        },
    };
    let (mut clauses, mut origins) = (Vec::new(), Vec::new());
    for instance in instances {
        let clause = &system.clauses[instance.clause];
        let mut told = Vec::new();
        for (application, case) in clause.body.iter().chain(&clause.head).zip(&instance.cases) {
            let p = application.predicate;
            told.extend(equations(pool, application, &chosen[p], &cases[p][*case]));
        }
        told.push(clause.constraint);
        let body = clause.body.iter().zip(&instance.cases);
        let split = Clause {
            body: body.map(|(body, case)| in_case(body, *case)).collect(),
            constraint: pool.and(told),
            head: clause.head.as_ref().zip(instance.cases.last()).map(|(h, c)| in_case(h, *c)),
            place: clause.place,
        };
        let (split, definitions) = solved(pool, &split);
        clauses.push(split);
        origins.push(Origin { clause: instance.clause, definitions });
    }
    let after = predicates.iter().map(|predicate| predicate.parameters.clone()).collect();
    let before = system.predicates.clone();
    (System { predicates, clauses }, Split { pool, before, origins, parts, after })
}

/// What was not chosen.
fn rest(chosen: &[usize], terms: &[Term]) -> Vec<Term> {
    let all = terms.iter().enumerate();
    all.filter(|(i, _)| !chosen.contains(i)).map(|(_, term)| *term).collect()
}

impl Split<'_> {
    /// What holds of a predicate that these are the parts of: one of the cases, and in each what is
    /// said of it. Not as a disjunction, as conjuncts are checked one by one.
    fn joined(&self, p: PredicateId, parts: &Parts, invariant: &Model) -> Option<Term> {
        let pool = self.pool;
        let kept = rest(&parts.chosen, &self.before[p].parameters);
        let mut said = vec![pool.or(parts.cases.iter().map(|(_, case)| *case))];
        for (now, case) in &parts.cases {
            let Interpretation::Formula(formula) = invariant.relations.get(*now)? else {
                return None;
            };
            let back = self.after[*now].iter().copied().zip(kept.iter().copied());
            let formula = substitute(pool, *formula, back);
            let here = |conjunct: Term| pool.or([pool.not(*case), conjunct]);
            said.extend(conjuncts(pool, formula).into_iter().map(here));
        }
        Some(pool.and(said))
    }
}

impl Back for Split<'_> {
    type Before = System;
    type After = System;

    fn invariant(&self, invariant: Model) -> Option<Model> {
        let mut relations = Vec::new();
        for (p, parts) in self.parts.iter().enumerate() {
            relations.push(match parts {
                None => *invariant.relations.get(p)?,
                Some(parts) => Interpretation::Formula(self.joined(p, parts, &invariant)?),
            });
        }
        Some(Model { relations })
    }

    fn run(&self, run: Refutation) -> Option<Refutation> {
        each_step(&run, |step| self.origins.get(step.clause)?.step(self.pool, step))
    }
}
