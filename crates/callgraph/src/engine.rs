//! The search: obligations, lowest first; what became of them are lemmas and facts.

use crate::derive::derivation;
use crate::facts::{Fact, Facts};
use crate::frames::Frames;
use crate::hull::hull;
use crate::predecessor::{Values, cube, split};
use crate::rule::{Asked, From, Rule};
use crate::sift::sift;
use answer::{Allowance, Reason};
use horn::{Model, PredicateId, System, Verdict};
use lemmas::{Observer, Phase};
use smt::Solvers;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use term::{Pool, Term, evaluate};

/// Decides clauses. Terms of the answer are of the pool.
///
/// What holds of everything derivable is looked for first ([`hull`]), and may be assumed afterwards.
pub fn decide(
    pool: &Pool,
    system: &System,
    solvers: &dyn Solvers,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Verdict {
    let Some(hull) = hull(pool, system, solvers, allowance) else {
        return search(pool, system, solvers, allowance, observer);
    };
    let nothing = || Model::everywhere(system, pool.tru());
    if hull.proves {
        return Verdict::Safe(hull.weakened(pool, nothing()));
    }
    let stronger = hull.strengthened(pool, system);
    match search(pool, &stronger, solvers, allowance, observer) {
        Verdict::Safe(model) => Verdict::Safe(hull.weakened(pool, model)),
        // Its steps are steps of the weaker clauses.
        verdict => verdict,
    }
}

/// The same, beginning with formulas that may hold of each predicate, over its parameters.
pub fn decide_from(
    pool: &Pool,
    system: &System,
    candidates: Vec<Vec<Term>>,
    solvers: &dyn Solvers,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Verdict {
    let Ok(held) = sift(pool, system, candidates, solvers, allowance) else {
        return decide(pool, system, solvers, allowance, observer);
    };
    if held.proves {
        return Verdict::Safe(held.weakened(pool, Model::everywhere(system, pool.tru())));
    }
    let stronger = held.strengthened(pool, system);
    match decide(pool, &stronger, solvers, allowance, observer) {
        Verdict::Safe(model) => Verdict::Safe(held.weakened(pool, model)),
        // Its steps are steps of the weaker clauses.
        verdict => verdict,
    }
}

/// Decides clauses by IC3.
fn search(
    pool: &Pool,
    system: &System,
    solvers: &dyn Solvers,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Verdict {
    let search = Search::new(pool, system, solvers, allowance, observer);
    match search.and_then(|mut search| search.run()) {
        Ok(Found::Model(model)) => Verdict::Safe(model),
        Ok(Found::Derivation(refutation)) => Verdict::Unsafe(refutation),
        Err(reason) => Verdict::Unknown(reason),
    }
}

enum Found {
    Model(Model),
    Derivation(horn::Refutation),
}

/// Asks whether something of a cube can be derived within a height.
#[derive(Clone, Debug)]
struct Obligation {
    predicate: PredicateId,
    cube: Vec<Term>,
}

/// What became of a look at an obligation.
enum Look {
    /// Nothing of it is derived within the height.
    Blocked,
    /// Something of it is derived.
    Reached,
    /// It depends on another one, a frame lower.
    Needs(Obligation),
}

/// The search. What queries ask for is a predicate without arguments, the last one.
pub(crate) struct Search<'a> {
    pub(crate) pool: &'a Pool,
    system: &'a System,
    solvers: &'a dyn Solvers,
    allowance: &'a Allowance,
    pub(crate) observer: &'a mut dyn Observer,
    /// The rules that conclude each predicate.
    pub(crate) rules: Vec<Vec<Rule>>,
    /// For questions about the predicates by themselves.
    themselves: Vec<Rule>,
    pub(crate) frames: Frames,
    pub(crate) facts: Facts,
    /// The highest frame.
    pub(crate) frontier: usize,
}

impl<'a> Search<'a> {
    fn new(
        pool: &'a Pool,
        system: &'a System,
        solvers: &'a dyn Solvers,
        allowance: &'a Allowance,
        observer: &'a mut dyn Observer,
    ) -> Result<Self, Reason> {
        let count = system.predicates.len();
        let mut rules: Vec<Vec<Rule>> = (0..=count).map(|_| Vec::new()).collect();
        for (number, clause) in system.clauses.iter().enumerate() {
            let predicate = clause.head.as_ref().map_or(count, |head| head.predicate);
            rules[predicate].push(Rule::new(pool, system, number, solvers, allowance)?);
        }
        let themselves = (0..count).map(|p| Rule::itself(pool, system, p, solvers, allowance));
        let themselves = themselves.collect::<Result<Vec<Rule>, Reason>>()?;
        observer.begin(count);
        let (frames, facts) = (Frames::new(count + 1), Facts::new(count + 1));
        Ok(Search {
            pool,
            system,
            solvers,
            allowance,
            observer,
            rules,
            themselves,
            frames,
            facts,
            frontier: 0,
        })
    }

    fn query(&self) -> PredicateId {
        self.system.predicates.len()
    }

    fn run(&mut self) -> Result<Found, Reason> {
        loop {
            self.frontier += 1;
            self.observer.frontier(self.frontier, &[], 0);
            if self.strengthen()? {
                let refutation =
                    derivation(self.pool, self.system, &self.facts, self.solvers, self.allowance)?;
                return Ok(Found::Derivation(refutation));
            }
            if let Some(frame) = self.propagate()? {
                return Ok(Found::Model(self.frames.model(self.pool, self.system, frame)));
            }
        }
    }

    /// Whether `false` can be derived; if not, the frontier excludes it.
    fn strengthen(&mut self) -> Result<bool, Reason> {
        let mut obligations = vec![Obligation { predicate: self.query(), cube: Vec::new() }];
        // The lowest frame first, of those the last one.
        let mut queue = BinaryHeap::from([(Reverse(self.frontier), 0)]);
        while let Some(&(Reverse(frame), number)) = queue.peek() {
            if let Some(exhausted) = self.allowance.exhausted() {
                return Err(Reason::Stopped(exhausted));
            }
            let obligation = obligations[number].clone();
            match self.look(&obligation, frame)? {
                Look::Needs(needed) => {
                    self.observer.obligation(frame - 1, needed.cube.len());
                    obligations.push(needed);
                    queue.push((Reverse(frame - 1), obligations.len() - 1));
                }
                Look::Reached => {
                    queue.pop();
                    if obligation.predicate == self.query() {
                        return Ok(true);
                    }
                }
                Look::Blocked => {
                    queue.pop();
                    if frame < self.frontier {
                        queue.push((Reverse(frame + 1), number));
                    }
                }
            }
        }
        Ok(false)
    }

    /// Looks at an obligation.
    fn look(&mut self, obligation: &Obligation, frame: usize) -> Result<Look, Reason> {
        let Obligation { predicate, cube } = obligation;
        if self.frames.excludes(*predicate, cube, frame) {
            return Ok(Look::Blocked);
        }
        if self.is_reached(*predicate, cube)? {
            return Ok(Look::Reached);
        }
        let mut used: Vec<usize> = Vec::new();
        for number in 0..self.rules[*predicate].len() {
            if !self.rules[*predicate][number].is_possible(frame - 1) {
                continue;
            }
            match self.enter(*predicate, number, cube, frame)? {
                Entered::No(core) => used.extend(core),
                Entered::Look(look) => return Ok(look),
            }
        }
        used.sort_unstable();
        used.dedup();
        let core: Vec<Term> = used.iter().map(|at| cube[*at]).collect();
        self.learn(*predicate, core, frame)?;
        Ok(Look::Blocked)
    }

    /// SAT? cube ∧ facts
    fn is_reached(&mut self, predicate: PredicateId, cube: &[Term]) -> Result<bool, Reason> {
        if self.facts.of(predicate).is_empty() {
            return Ok(false);
        }
        if predicate == self.query() {
            return Ok(true);
        }
        self.observer.query(Phase::Block);
        let known = (&self.frames, &self.facts);
        let facts = |_| From::Facts;
        let asked = self.themselves[predicate].ask(self.pool, known, cube, 0, &facts, &[])?;
        Ok(matches!(asked, Asked::Yes(_)))
    }

    /// Asks whether a rule may do what is asked for, and what that takes.
    fn enter(
        &mut self,
        predicate: PredicateId,
        number: usize,
        cube: &[Term],
        frame: usize,
    ) -> Result<Entered, Reason> {
        let (pool, known) = (self.pool, (&self.frames, &self.facts));
        let rule = &mut self.rules[predicate][number];
        self.observer.query(Phase::Block);
        let mut ask = |certain: usize| {
            let from = |premise| if premise < certain { From::Facts } else { From::Frame };
            rule.ask(pool, known, cube, frame - 1, &from, &[])
        };
        let mut values = match ask(0)? {
            Asked::No(core) => return Ok(Entered::No(core)),
            Asked::Yes(values) => values,
        };
        for premise in 0..self.rules[predicate][number].body.len() {
            self.observer.query(Phase::Block);
            let rule = &mut self.rules[predicate][number];
            let from = |other| if other <= premise { From::Facts } else { From::Frame };
            match rule.ask(pool, known, cube, frame - 1, &from, &[])? {
                Asked::Yes(better) => values = better,
                Asked::No(_) => {
                    let needed = self.needed((predicate, number), cube, premise, frame, values)?;
                    return Ok(Entered::Look(Look::Needs(needed)));
                }
            }
        }
        self.reach((predicate, number), values)?;
        Ok(Entered::Look(Look::Reached))
    }

    /// What a premise has to derive, where those before it have facts.
    fn needed(
        &mut self,
        (predicate, number): (PredicateId, usize),
        goal: &[Term],
        premise: usize,
        frame: usize,
        mut values: Values,
    ) -> Result<Obligation, Reason> {
        let pool = self.pool;
        let rule = &mut self.rules[predicate][number];
        let mut formulas: Vec<Term> = goal.iter().map(|l| rule.concluded(pool, *l)).collect();
        formulas.push(rule.constraint);
        for other in 0..rule.body.len() {
            let of = rule.body[other].predicate;
            if other < premise {
                let fact = true_fact(pool, rule, other, self.facts.of(of), &values)?;
                formulas.push(rule.assumed(pool, other, self.facts.of(of)[fact].formula));
            } else if other > premise {
                for lemma in self.frames.formulas(pool, of, frame - 1) {
                    formulas.push(rule.assumed(pool, other, lemma));
                }
            }
        }
        let application = rule.body[premise].clone();
        let parameters = &self.system.predicates[application.predicate].parameters;
        equate(pool, parameters, &application.arguments, &mut values, &mut formulas)?;
        let variables = term::traverse::free_vars(pool, &formulas);
        let variables: Vec<Term> =
            variables.into_iter().filter(|v| !parameters.contains(v)).collect();
        let cube = cube(pool, &values, &formulas, &variables)?;
        Ok(Obligation { predicate: application.predicate, cube: split(pool, &cube) })
    }

    /// Notes what a rule derives from facts.
    fn reach(
        &mut self,
        (predicate, number): (PredicateId, usize),
        mut values: Values,
    ) -> Result<(), Reason> {
        let (pool, query) = (self.pool, self.query());
        let rule = &mut self.rules[predicate][number];
        let mut formulas = vec![rule.constraint];
        let mut premises = Vec::new();
        for premise in 0..rule.body.len() {
            let of = rule.body[premise].predicate;
            let fact = true_fact(pool, rule, premise, self.facts.of(of), &values)?;
            formulas.push(rule.assumed(pool, premise, self.facts.of(of)[fact].formula));
            premises.push(fact);
        }
        let clause = rule.clause.expect("rules that conclude something are clauses");
        let formula = if predicate == query {
            pool.tru()
        } else {
            let parameters = &self.system.predicates[predicate].parameters;
            equate(pool, parameters, &rule.head, &mut values, &mut formulas)?;
            let variables = term::traverse::free_vars(pool, &formulas);
            let variables: Vec<Term> =
                variables.into_iter().filter(|v| !parameters.contains(v)).collect();
            pool.and(cube(pool, &values, &formulas, &variables)?)
        };
        self.facts.add(predicate, Fact { formula, clause, premises });
        Ok(())
    }

    /// Moves lemmas to higher frames. A frame all of whose lemmas move is a model: the one above it.
    fn propagate(&mut self) -> Result<Option<usize>, Reason> {
        for frame in 1..=self.frontier {
            for (predicate, cube) in self.frames.at(frame) {
                let blocked = self.blocked(predicate, &cube, frame + 1, Phase::Propagate, false)?;
                if blocked.core().is_some() {
                    self.frames.add(self.pool, predicate, cube, frame + 1);
                }
            }
            if !self.frames.is_used(frame) {
                return Ok(Some(frame + 1));
            }
        }
        Ok(None)
    }

    /// Whether nothing of a cube is derived within a height.
    ///
    /// With `inductive` it may be assumed that nothing of it is derived within less.
    pub(crate) fn blocked(
        &mut self,
        predicate: PredicateId,
        cube: &[Term],
        frame: usize,
        phase: Phase,
        inductive: bool,
    ) -> Result<Blocked, Reason> {
        let mut used = Vec::new();
        for number in 0..self.rules[predicate].len() {
            let rule = &mut self.rules[predicate][number];
            if !rule.is_possible(frame - 1) {
                continue;
            }
            if let Some(exhausted) = self.allowance.exhausted() {
                return Err(Reason::Stopped(exhausted));
            }
            self.observer.query(phase);
            let also = match inductive {
                true => rule.excluding(self.pool, predicate, cube),
                false => Vec::new(),
            };
            let known = (&self.frames, &self.facts);
            let frames = |_| From::Frame;
            match rule.ask(self.pool, known, cube, frame - 1, &frames, &also)? {
                Asked::Yes(mut values) => {
                    if let Some(predicate) = self.system.predicates.get(predicate) {
                        let parameters = &predicate.parameters;
                        equate(self.pool, parameters, &rule.head, &mut values, &mut Vec::new())?;
                    }
                    return Ok(Blocked::Not(values));
                }
                Asked::No(core) => used.extend(core),
            }
        }
        used.sort_unstable();
        used.dedup();
        Ok(Blocked::By(used))
    }
}

/// Whether something of a cube may be derived.
pub(crate) enum Blocked {
    /// No, because of these of its literals.
    By(Vec<usize>),
    /// Perhaps this, by the predicate's parameters.
    Not(Values),
}

impl Blocked {
    /// The literals that are needed; none if something may be derived.
    pub(crate) fn core(self) -> Option<Vec<usize>> {
        match self {
            Blocked::By(core) => Some(core),
            Blocked::Not(_) => None,
        }
    }
}

/// What asking a rule came to.
enum Entered {
    No(Vec<usize>),
    Look(Look),
}

/// A fact of a premise that is true under the values.
fn true_fact(
    pool: &Pool,
    rule: &mut Rule,
    premise: usize,
    facts: &[Fact],
    values: &Values,
) -> Result<usize, Reason> {
    for (number, fact) in facts.iter().enumerate() {
        let formula = rule.assumed(pool, premise, fact.formula);
        if evaluate(pool, formula, values) == Ok(term::Value::Bool(true)) {
            return Ok(number);
        }
    }
    Err(Reason::GaveUp("a model does not agree with evaluation".to_owned()))
}

/// Says that parameters are arguments, and gives them their values.
fn equate(
    pool: &Pool,
    parameters: &[Term],
    arguments: &[Term],
    values: &mut Values,
    formulas: &mut Vec<Term>,
) -> Result<(), Reason> {
    for (parameter, argument) in parameters.iter().zip(arguments) {
        let value = evaluate(pool, *argument, values);
        let value = value.map_err(|error| Reason::GaveUp(error.to_string()))?;
        values.insert(*parameter, value);
        formulas.push(pool.eq(*parameter, *argument));
    }
    Ok(())
}
