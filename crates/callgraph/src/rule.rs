//! A clause with a solver of its own, and the questions that are asked of it.
//!
//! The solver knows the clause's constraint, what was said of the predicates that it assumes, and their
//! facts. Lemmas are switched on by literals for frames, and premise by premise a question says whether
//! it is about the frame or the facts.

use crate::facts::Facts;
use crate::frames::{Frames, excluded};
use answer::{Allowance, Reason};
use horn::{Application, Predicate, PredicateId, System};
use rustc_hash::FxHashMap;
use smt::{Answer, Error, Solver, Solvers};
use term::traverse::Substitution;
use term::{Pool, Sort, Term, Value};

/// What is taken for what a premise derives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    /// What may be derived within the height that is asked about.
    Frame,
    /// What certainly can be.
    Facts,
}

/// An answer.
pub enum Asked {
    /// Some derivation may do it: the values of the clause's variables.
    Yes(FxHashMap<Term, Value>),
    /// None does, because of these literals of the cube, by their numbers.
    No(Vec<usize>),
}

/// Why a search ends.
pub fn reason(error: &Error) -> Reason {
    match error {
        Error::Unsupported { .. } => Reason::Unsupported { what: error.to_string() },
        _ => Reason::GaveUp(error.to_string()),
    }
}

/// Why a question has no answer.
pub fn stopped(reason: smt::Reason) -> Reason {
    match reason {
        smt::Reason::Stopped(what) => Reason::Stopped(what),
        smt::Reason::Incomplete(what) => Reason::GaveUp(what),
    }
}

/// A clause that concludes some predicate.
pub struct Rule {
    /// Its number; of what stands for a predicate by itself, none.
    pub clause: Option<usize>,
    /// What it assumes.
    pub body: Vec<Application>,
    /// What else it assumes.
    pub constraint: Term,
    /// The arguments of what it concludes.
    pub head: Vec<Term>,
    variables: Vec<Term>,
    conclude: Substitution,
    assume: Vec<Substitution>,
    solver: Box<dyn Solver>,
    /// How much of each premise's log the solver knows.
    said: Vec<usize>,
    /// For each premise, the literals that switch on its frame, and its facts, as many as there are.
    frame: Vec<Term>,
    facts: Vec<Vec<Term>>,
    /// For each frame, the literal that switches on the lemmas that are known up to there.
    levels: Vec<Term>,
}

impl Rule {
    /// The rule of a clause, whose head belongs to a predicate.
    pub fn new(
        pool: &Pool,
        system: &System,
        number: usize,
        solvers: &dyn Solvers,
        allowance: &Allowance,
    ) -> Result<Rule, Reason> {
        let clause = &system.clauses[number];
        let conclude = match &clause.head {
            Some(head) => system.predicates[head.predicate].instance(head),
            None => Substitution::default(),
        };
        let head = clause.head.as_ref().map(|head| head.arguments.clone()).unwrap_or_default();
        let parts = Parts {
            clause: Some(number),
            body: clause.body.clone(),
            constraint: clause.constraint,
            variables: clause.variables(pool),
            head,
            conclude,
        };
        Rule::with(pool, &system.predicates, parts, solvers, allowance)
    }

    /// The rule that concludes of a predicate what it assumes of it: for questions about the predicate
    /// by itself.
    pub fn itself(
        pool: &Pool,
        system: &System,
        predicate: PredicateId,
        solvers: &dyn Solvers,
        allowance: &Allowance,
    ) -> Result<Rule, Reason> {
        let parameters = system.predicates[predicate].parameters.clone();
        let parts = Parts {
            clause: None,
            body: vec![Application { predicate, arguments: parameters.clone() }],
            constraint: pool.tru(),
            head: parameters.clone(),
            variables: parameters,
            conclude: Substitution::default(),
        };
        Rule::with(pool, &system.predicates, parts, solvers, allowance)
    }

    fn with(
        pool: &Pool,
        predicates: &[Predicate],
        parts: Parts,
        solvers: &dyn Solvers,
        allowance: &Allowance,
    ) -> Result<Rule, Reason> {
        let Parts { clause, body, constraint, head, variables, conclude } = parts;
        let assume = body.iter().map(|a| predicates[a.predicate].instance(a)).collect();
        let mut solver = solvers.general();
        solver.set_allowance(allowance.clone());
        solver.assert(pool, constraint).map_err(|error| reason(&error))?;
        let mut frame = Vec::new();
        let mut facts = Vec::new();
        for _ in &body {
            frame.push(pool.fresh_var("frame", Sort::Bool));
            let none = pool.fresh_var("facts", Sort::Bool);
            solver.assert(pool, pool.not(none)).map_err(|error| reason(&error))?;
            facts.push(vec![none]);
        }
        let (said, levels) = (vec![0; body.len()], Vec::new());
        Ok(Rule {
            clause,
            body,
            constraint,
            head,
            variables,
            conclude,
            assume,
            solver,
            said,
            frame,
            facts,
            levels,
        })
    }

    /// A formula over the parameters of what is concluded, over the clause's variables.
    pub fn concluded(&mut self, pool: &Pool, formula: Term) -> Term {
        self.conclude.apply(pool, formula)
    }

    /// A formula over the parameters of a premise, over the clause's variables.
    pub fn assumed(&mut self, pool: &Pool, premise: usize, formula: Term) -> Term {
        self.assume[premise].apply(pool, formula)
    }

    /// Whether anything can be derived of height `frame + 1`, as far as premises go.
    pub fn is_possible(&self, frame: usize) -> bool {
        frame > 0 || self.body.is_empty()
    }

    /// SAT? constraint ∧ cube(head) ∧ ⋀ Frame or Facts of each premise ∧ ⋀ also
    ///
    /// `also` are formulas over the clause's variables.
    pub fn ask(
        &mut self,
        pool: &Pool,
        known: (&Frames, &Facts),
        cube: &[Term],
        frame: usize,
        from: &dyn Fn(usize) -> From,
        also: &[Term],
    ) -> Result<Asked, Reason> {
        let (frames, facts) = known;
        self.catch_up(pool, frames, facts).map_err(|error| reason(&error))?;
        let mut assumptions: Vec<Term> = Vec::new();
        let mut uses_frame = false;
        for premise in 0..self.body.len() {
            match from(premise) {
                From::Frame => {
                    uses_frame = true;
                    assumptions.push(self.frame[premise]);
                }
                From::Facts => assumptions.extend(self.facts[premise].last()),
            }
        }
        if uses_frame {
            assumptions.extend(self.levels.iter().skip(frame));
        }
        let mut numbers: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        for (number, literal) in cube.iter().enumerate() {
            let literal = self.conclude.apply(pool, *literal);
            match pool.as_bool(literal) {
                Some(true) => continue,
                Some(false) => return Ok(Asked::No(vec![number])),
                None => {}
            }
            numbers.entry(literal).or_default().push(number);
            assumptions.push(literal);
        }
        assumptions.extend(also);
        match self.solver.check(pool, &assumptions).map_err(|error| reason(&error))? {
            Answer::Unknown(why) => Err(stopped(why)),
            Answer::Unsat => {
                let core = self.solver.core();
                let used = core.iter().filter_map(|literal| numbers.get(literal)?.first());
                let mut used: Vec<usize> = used.copied().collect();
                used.sort_unstable();
                used.dedup();
                Ok(Asked::No(used))
            }
            Answer::Sat => {
                let mut values = FxHashMap::default();
                for variable in &self.variables {
                    let value = self.solver.value(pool, *variable);
                    values.insert(*variable, value.map_err(|error| reason(&error))?);
                }
                Ok(Asked::Yes(values))
            }
        }
    }

    /// Tells the solver what it has missed.
    fn catch_up(&mut self, pool: &Pool, frames: &Frames, facts: &Facts) -> Result<(), Error> {
        for premise in 0..self.body.len() {
            let predicate = self.body[premise].predicate;
            for (formula, frame) in frames.said_since(predicate, self.said[premise]).iter().copied()
            {
                self.said[premise] += 1;
                while self.levels.len() <= frame {
                    self.levels.push(pool.fresh_var("level", Sort::Bool));
                }
                let formula = self.assume[premise].apply(pool, formula);
                let off = [pool.not(self.levels[frame]), pool.not(self.frame[premise])];
                self.solver.assert(pool, pool.or(off.into_iter().chain([formula])))?;
            }
            let all = facts.of(predicate);
            while self.facts[premise].len() <= all.len() {
                let count = self.facts[premise].len();
                let before = self.facts[premise][count - 1];
                let now = pool.fresh_var("facts", Sort::Bool);
                let formula = self.assume[premise].apply(pool, all[count - 1].formula);
                self.solver.assert(pool, pool.or([pool.not(now), before, formula]))?;
                self.facts[premise].push(now);
            }
        }
        Ok(())
    }

    /// For each premise of a predicate, that a cube does not hold of it.
    pub fn excluding(&mut self, pool: &Pool, predicate: PredicateId, cube: &[Term]) -> Vec<Term> {
        let formula = excluded(pool, cube);
        let mut found = Vec::new();
        for premise in 0..self.body.len() {
            if self.body[premise].predicate == predicate {
                found.push(self.assume[premise].apply(pool, formula));
            }
        }
        found
    }
}

/// What a rule is made of.
struct Parts {
    clause: Option<usize>,
    body: Vec<Application>,
    constraint: Term,
    head: Vec<Term>,
    variables: Vec<Term>,
    conclude: Substitution,
}
