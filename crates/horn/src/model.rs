//! What shows that a system is satisfiable: a relation for each predicate.

use crate::system::{Application, Clause, Predicate, PredicateId, System};
use rustc_hash::FxHashMap;
use term::traverse::{Substitution, conjuncts, import};
use term::{Pool, Term};

/// A relation for each predicate, in their order.
#[derive(Clone, Debug)]
pub struct Model {
    /// The relations.
    pub relations: Vec<Interpretation>,
}

/// A relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interpretation {
    /// All arguments for which a formula over the predicate's parameters holds.
    Formula(Term),
    /// What the clauses that conclude the predicate say, and nothing more: it does not depend on
    /// itself. This is what predicates are that were inlined; as a formula it needs quantifiers.
    Clauses,
}

impl Model {
    /// The same relation for all.
    pub fn everywhere(system: &System, formula: Term) -> Model {
        Model { relations: vec![Interpretation::Formula(formula); system.predicates.len()] }
    }

    /// The same model with terms of another pool. The parameters, `from` and `into` which are given,
    /// need not have the same names there.
    pub fn import(&self, from: (&Pool, &System), into: (&Pool, &System)) -> Model {
        let ((from, theirs), (into, ours)) = (from, into);
        let of = |(at, relation): (usize, &Interpretation)| match relation {
            Interpretation::Clauses => Interpretation::Clauses,
            Interpretation::Formula(formula) => {
                let parameters = theirs.predicates[at].parameters.iter().copied();
                let here = ours.predicates[at].parameters.iter().copied();
                let mut map: FxHashMap<Term, Term> = parameters.zip(here).collect();
                Interpretation::Formula(import(from, *formula, into, &mut map))
            }
        };
        Model { relations: self.relations.iter().enumerate().map(of).collect() }
    }

    /// How many formulas it is made of.
    pub fn size(&self, pool: &Pool) -> usize {
        let of = |relation: &Interpretation| match relation {
            Interpretation::Clauses => 1,
            Interpretation::Formula(formula) => term::traverse::conjuncts(pool, *formula).len(),
        };
        self.relations.iter().map(of).sum()
    }
}

/// Says what applications mean in a model.
pub struct Meaning<'a> {
    pool: &'a Pool,
    system: &'a System,
    model: &'a Model,
    concluding: Vec<Vec<usize>>,
}

/// Why a model says nothing of a predicate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Meaningless {
    /// Its relation is said to be what its clauses say, and they depend on it.
    #[error("the relation of {0} depends on itself")]
    Circular(String),
    /// There are not as many relations as predicates.
    #[error("there are {0} relations for {1} predicates")]
    Count(usize, usize),
    /// Unfolding clauses takes too many steps.
    #[error("the relations that clauses define are too large")]
    Large,
}

/// How many clauses may be unfolded for one question.
const MAX_UNFOLDED: usize = 100_000;

impl<'a> Meaning<'a> {
    /// Of the predicates of a system.
    pub fn new(pool: &'a Pool, system: &'a System, model: &'a Model) -> Result<Self, Meaningless> {
        let (relations, predicates) = (model.relations.len(), system.predicates.len());
        if relations != predicates {
            return Err(Meaningless::Count(relations, predicates));
        }
        let meaning = Meaning { pool, system, model, concluding: system.concluding() };
        meaning.ordered()?;
        Ok(meaning)
    }

    /// No relation that clauses define depends on itself over others of the kind.
    fn ordered(&self) -> Result<(), Meaningless> {
        let count = self.system.predicates.len();
        let defined = |p: PredicateId| self.model.relations[p] == Interpretation::Clauses;
        // 0: not seen, 1: open, 2: done.
        let mut state = vec![0u8; count];
        for root in (0..count).filter(|p| defined(*p)) {
            let mut pending = vec![(root, false)];
            while let Some((p, done)) = pending.pop() {
                if done {
                    state[p] = 2;
                    continue;
                }
                match state[p] {
                    0 => {}
                    _ => continue,
                }
                state[p] = 1;
                pending.push((p, true));
                let clauses = self.concluding[p].iter().map(|c| &self.system.clauses[*c]);
                for body in clauses.flat_map(|clause| &clause.body) {
                    if !defined(body.predicate) {
                        continue;
                    }
                    if state[body.predicate] == 1 {
                        let name = self.system.predicates[body.predicate].name.to_string();
                        return Err(Meaningless::Circular(name));
                    }
                    pending.push((body.predicate, false));
                }
            }
        }
        Ok(())
    }

    /// A formula that can be satisfied exactly if some of the arguments are in the relation; what
    /// clauses say of it is said with variables of their own.
    ///
    /// It is meant for places where it is asked whether it can be satisfied: under a negation it
    /// means something else, unless the relation is given by a formula.
    pub fn assumed(&self, application: &Application) -> Result<Term, Meaningless> {
        let mut steps = 0;
        self.unfolded(application, &mut steps)
    }

    fn unfolded(&self, application: &Application, steps: &mut usize) -> Result<Term, Meaningless> {
        let pool = self.pool;
        let predicate = &self.system.predicates[application.predicate];
        if let Interpretation::Formula(formula) = self.model.relations[application.predicate] {
            return Ok(instance(pool, predicate, application, formula));
        }
        let mut ways = Vec::new();
        for &number in &self.concluding[application.predicate] {
            *steps += 1;
            if *steps > MAX_UNFOLDED {
                return Err(Meaningless::Large);
            }
            let clause = renamed(pool, &self.system.clauses[number]);
            let mut parts = vec![clause.constraint];
            if let Some(head) = &clause.head {
                let pairs = head.arguments.iter().zip(&application.arguments);
                parts.extend(pairs.map(|(a, b)| pool.eq(*a, *b)));
            }
            for body in &clause.body {
                parts.push(self.unfolded(body, steps)?);
            }
            ways.push(pool.and(parts));
        }
        Ok(pool.or(ways))
    }

    /// The formulas of which one is false where an application does not hold; none if the clauses of
    /// its predicate define it, so that it holds wherever one of them says so.
    fn claimed(&self, application: &Application) -> Option<Vec<Term>> {
        match self.model.relations[application.predicate] {
            Interpretation::Clauses => None,
            Interpretation::Formula(formula) => {
                let predicate = &self.system.predicates[application.predicate];
                let claimed = instance(self.pool, predicate, application, formula);
                Some(conjuncts(self.pool, claimed))
            }
        }
    }

    /// What has to be shown of a clause; none if it holds by definition.
    pub fn question(&self, clause: &Clause) -> Result<Option<Question>, Meaningless> {
        let claims = match &clause.head {
            None => vec![self.pool.fls()],
            Some(head) => match self.claimed(head) {
                None => return Ok(None),
                Some(claims) => claims,
            },
        };
        let mut parts = vec![clause.constraint];
        for body in &clause.body {
            parts.push(self.assumed(body)?);
        }
        Ok(Some(Question { premise: self.pool.and(parts), claims }))
    }
}

/// A clause in a model: it holds exactly if no values satisfy the premise and violate a claim.
pub struct Question {
    /// What the clause assumes.
    pub premise: Term,
    /// What follows, all of it.
    pub claims: Vec<Term>,
}

/// A formula over the parameters of a predicate, at the arguments of an application.
pub fn instance(
    pool: &Pool,
    predicate: &Predicate,
    application: &Application,
    formula: Term,
) -> Term {
    predicate.instance(application).apply(pool, formula)
}

/// The clause with variables of its own.
pub fn renamed(pool: &Pool, clause: &Clause) -> Clause {
    clause.substituted(pool, &mut renaming(pool, clause))
}

/// What replaces the variables of a clause by new ones.
pub fn renaming(pool: &Pool, clause: &Clause) -> Substitution {
    let fresh = |v: &Term| (*v, pool.fresh_var("v", pool.sort(*v)));
    Substitution::new(clause.variables(pool).iter().map(fresh).collect::<Vec<_>>())
}
