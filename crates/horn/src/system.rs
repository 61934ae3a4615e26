//! Predicates and clauses.

use crate::model::Model;
use crate::refutation::Refutation;
use answer::Reason;
use std::sync::Arc;
use term::smtlib::Place;
use term::traverse::{Substitution, free_vars, import, import_sort};
use term::{Pool, Sort, Term};

/// A predicate's number.
pub type PredicateId = usize;

/// Clauses over unknown predicates. Terms are of one pool, which goes with the system.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The unknown predicates.
    pub predicates: Vec<Predicate>,
    /// What must hold of them.
    pub clauses: Vec<Clause>,
}

/// An unknown predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// As the source calls it.
    pub name: Arc<str>,
    /// Variables that stand for its arguments where something is said of the predicate by itself.
    /// They occur in no clause.
    pub parameters: Vec<Term>,
}

/// ∀ variables. body ∧ constraint ⇒ head.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Applications of predicates that are assumed.
    pub body: Vec<Application>,
    /// What else is assumed: a formula without predicates and quantifiers.
    pub constraint: Term,
    /// What follows; `false` if there is none.
    pub head: Option<Application>,
    /// Where it was read.
    pub place: Place,
}

/// A predicate applied to terms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Application {
    /// The predicate.
    pub predicate: PredicateId,
    /// Its arguments.
    pub arguments: Vec<Term>,
}

/// What is known of a system.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All clauses can hold.
    Safe(Model),
    /// `false` follows.
    Unsafe(Refutation),
    /// Undecided.
    Unknown(Reason),
}

/// The place of what nobody wrote.
pub const NOWHERE: Place = Place { line: 0, column: 0 };

impl Application {
    /// The application with its arguments rewritten.
    pub fn map(&self, map: impl FnMut(Term) -> Term) -> Application {
        let arguments = self.arguments.iter().copied().map(map).collect();
        Application { predicate: self.predicate, arguments }
    }
}

impl Clause {
    /// All its terms.
    pub fn terms(&self) -> Vec<Term> {
        let applications = self.body.iter().chain(&self.head);
        let arguments = applications.flat_map(|application| application.arguments.iter().copied());
        arguments.chain([self.constraint]).collect()
    }

    /// The variables that it is about, in order of creation.
    pub fn variables(&self, pool: &Pool) -> Vec<Term> {
        free_vars(pool, &self.terms())
    }

    /// The clause with all terms rewritten.
    pub fn map(&self, mut map: impl FnMut(Term) -> Term) -> Clause {
        Clause {
            body: self.body.iter().map(|application| application.map(&mut map)).collect(),
            constraint: map(self.constraint),
            head: self.head.as_ref().map(|head| head.map(&mut map)),
            place: self.place,
        }
    }

    /// The clause with variables replaced.
    pub fn substituted(&self, pool: &Pool, substitution: &mut Substitution) -> Clause {
        self.map(|term| substitution.apply(pool, term))
    }

    /// Whether a predicate is among those assumed.
    pub fn assumes(&self, predicate: PredicateId) -> bool {
        self.body.iter().any(|application| application.predicate == predicate)
    }

    /// Whether it is about this predicate.
    pub fn concludes(&self, predicate: PredicateId) -> bool {
        self.head.as_ref().is_some_and(|head| head.predicate == predicate)
    }
}

impl Predicate {
    /// A predicate over arguments of these sorts.
    pub fn new(pool: &Pool, name: &str, sorts: impl IntoIterator<Item = Sort>) -> Predicate {
        let parameter = |sort| pool.fresh_var("argument", sort);
        Predicate { name: name.into(), parameters: sorts.into_iter().map(parameter).collect() }
    }

    /// What replaces its parameters by the arguments of an application.
    pub fn instance(&self, application: &Application) -> Substitution {
        let arguments = application.arguments.iter().copied();
        Substitution::new(self.parameters.iter().copied().zip(arguments))
    }
}

impl System {
    /// Whether every clause assumes one predicate at most.
    pub fn is_linear(&self) -> bool {
        self.clauses.iter().all(|clause| clause.body.len() <= 1)
    }

    /// The clauses that conclude each predicate.
    pub fn concluding(&self) -> Vec<Vec<usize>> {
        let mut clauses = vec![Vec::new(); self.predicates.len()];
        for (number, clause) in self.clauses.iter().enumerate() {
            if let Some(head) = &clause.head {
                clauses[head.predicate].push(number);
            }
        }
        clauses
    }

    /// The clauses that assume each predicate, each once.
    pub fn assuming(&self) -> Vec<Vec<usize>> {
        let mut clauses = vec![Vec::new(); self.predicates.len()];
        for (number, clause) in self.clauses.iter().enumerate() {
            for application in &clause.body {
                if clauses[application.predicate].last() != Some(&number) {
                    clauses[application.predicate].push(number);
                }
            }
        }
        clauses
    }

    /// The sorts of everything that clauses are about.
    pub fn sorts(&self, pool: &Pool) -> Vec<Sort> {
        let terms: Vec<Term> = self.clauses.iter().flat_map(Clause::terms).collect();
        let terms = term::traverse::subterms(pool, &terms);
        let mut sorts: Vec<Sort> = terms.into_iter().map(|term| pool.sort(term)).collect();
        sorts.sort_unstable();
        sorts.dedup();
        sorts
    }

    /// Whether everything is made of bits: Booleans, bit-vectors, floats, and arrays of them.
    pub fn is_of_bits(&self, pool: &Pool) -> bool {
        fn of_bits(pool: &Pool, sort: Sort) -> bool {
            match sort {
                Sort::Bool | Sort::BitVec(_) | Sort::Float(_) | Sort::RoundingMode => true,
                // Of arrays of arrays our own solver knows nothing.
                Sort::Array(_) => pool.array_parts(sort).is_some_and(|(index, element)| {
                    let plain = |sort| !matches!(sort, Sort::Array(_)) && of_bits(pool, sort);
                    plain(index) && plain(element)
                }),
                Sort::Int | Sort::Real | Sort::Uninterpreted(_) => false,
            }
        }
        self.sorts(pool).into_iter().all(|sort| of_bits(pool, sort))
    }

    /// The same system with terms of another pool.
    pub fn import(&self, from: &Pool, into: &Pool) -> System {
        let mut map = Default::default();
        let predicates = self.predicates.iter().map(|predicate| {
            let sorts = predicate.parameters.iter();
            let sorts = sorts.map(|term| import_sort(from, from.sort(*term), into));
            Predicate::new(into, &predicate.name, sorts)
        });
        let predicates = predicates.collect();
        let mut clause = |clause: &Clause| clause.map(|term| import(from, term, into, &mut map));
        System { predicates, clauses: self.clauses.iter().map(&mut clause).collect() }
    }
}
