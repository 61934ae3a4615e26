//! Random small Horn clauses, and what is true of them by enumeration.

use horn::{Application, Clause, Predicate, System};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashSet;
use term::smtlib::Place;
use term::value::all_values;
use term::{Op, Pool, Sort, Term, Value, evaluate};

/// Tuples of values.
pub type Relation = FxHashSet<Vec<Value>>;

/// What random clauses are like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The sort of all arguments: a bit-vector, or Int.
    pub sort: Sort,
    /// How many predicates a clause assumes at most.
    pub body: usize,
}

/// A random system: a few predicates of one or two arguments, a few clauses, one query at least.
pub fn random(pool: &Pool, shape: Shape, seed: u64) -> System {
    let mut random = StdRng::seed_from_u64(seed);
    let predicates = (0..random.random_range(1..=3))
        .map(|number| {
            let arity = random.random_range(1..=2);
            Predicate::new(pool, &format!("p{number}"), vec![shape.sort; arity])
        })
        .collect();
    let mut generator = Generator { pool, shape, random };
    let mut system = System { predicates, clauses: Vec::new() };
    let count = generator.random.random_range(3..=7);
    for number in 0..count {
        let clause = generator.clause(&system, number);
        system.clauses.push(clause);
    }
    system
}

struct Generator<'p> {
    pool: &'p Pool,
    shape: Shape,
    random: StdRng,
}

impl Generator<'_> {
    /// The first clause is a fact, the last one a query.
    fn clause(&mut self, system: &System, number: usize) -> Clause {
        let pool = self.pool;
        let count = self.random.random_range(2..=3);
        let variables: Vec<Term> =
            (0..count).map(|_| pool.fresh_var("x", self.shape.sort)).collect();
        let body = if number == 0 { 0 } else { self.random.random_range(1..=self.shape.body) };
        let body = (0..body).map(|_| self.application(system, &variables, false)).collect();
        let atoms = self.random.random_range(0..=2);
        let atoms: Vec<Term> = (0..atoms).map(|_| self.atom(&variables)).collect();
        let is_query = number > 1 && self.random.random_range(0..3) == 0;
        let head = (!is_query).then(|| self.application(system, &variables, true));
        let place = Place { line: number + 1, column: 1 };
        Clause { body, constraint: pool.and(atoms), head, place }
    }

    fn application(&mut self, system: &System, variables: &[Term], terms: bool) -> Application {
        let predicate = self.random.random_range(0..system.predicates.len());
        let arity = system.predicates[predicate].parameters.len();
        let argument = |generator: &mut Self| match terms && generator.random.random_bool(0.5) {
            true => generator.sum(variables),
            false => variables[generator.random.random_range(0..variables.len())],
        };
        let arguments = (0..arity).map(|_| argument(self)).collect();
        Application { predicate, arguments }
    }

    fn constant(&mut self) -> Term {
        let number = self.random.random_range(0..4u64);
        match self.shape.sort {
            Sort::BitVec(width) => {
                self.pool.constant(Value::Bits(value::Bits::from_u64(width, number)))
            }
            _ => self.pool.int(i64::try_from(number).expect("a small number") - 1),
        }
    }

    fn sum(&mut self, variables: &[Term]) -> Term {
        let variable = variables[self.random.random_range(0..variables.len())];
        let other = match self.random.random_bool(0.7) {
            true => self.constant(),
            false => variables[self.random.random_range(0..variables.len())],
        };
        match self.shape.sort {
            Sort::BitVec(_) => self.pool.bv_add(variable, other),
            _ => self.pool.add(variable, other),
        }
    }

    fn atom(&mut self, variables: &[Term]) -> Term {
        let (a, b) = (self.sum(variables), self.constant());
        let b = if self.random.random_bool(0.5) { self.sum(variables) } else { b };
        let less = if self.shape.sort == Sort::Int { Op::Lt } else { Op::BvUlt };
        let atom = match self.random.random_range(0..3) {
            0 => self.pool.eq(a, b),
            _ => self.pool.make(less, &[a, b]),
        };
        if self.random.random_bool(0.3) { self.pool.not(atom) } else { atom }
    }
}

/// What can be derived of each predicate, and whether `false` can be.
///
/// Requires: variables are of sorts with few values.
pub fn least(pool: &Pool, system: &System) -> (Vec<Relation>, bool) {
    let mut relations: Vec<Relation> = vec![Relation::default(); system.predicates.len()];
    loop {
        let mut new = Vec::new();
        let mut fails = false;
        for clause in &system.clauses {
            each_instance(pool, clause, &mut |tuples, head| {
                let pairs = clause.body.iter().zip(tuples);
                if pairs.into_iter().all(|(body, tuple)| relations[body.predicate].contains(tuple)) {
                    match (&clause.head, head) {
                        (Some(application), Some(tuple)) => {
                            new.push((application.predicate, tuple.clone()));
                        }
                        _ => fails = true,
                    }
                }
            });
        }
        let mut changed = false;
        for (predicate, tuple) in new {
            changed |= relations[predicate].insert(tuple);
        }
        if !changed {
            return (relations, fails);
        }
    }
}

/// Whether all clauses hold where predicates are these relations.
pub fn holds(pool: &Pool, system: &System, relation: &dyn Fn(usize, &[Value]) -> bool) -> bool {
    system.clauses.iter().all(|clause| {
        let mut all = true;
        each_instance(pool, clause, &mut |tuples, head| {
            let pairs = clause.body.iter().zip(tuples);
            let premises = pairs.into_iter().all(|(body, tuple)| relation(body.predicate, tuple));
            let concluded = match (&clause.head, head) {
                (Some(application), Some(tuple)) => relation(application.predicate, tuple),
                _ => false,
            };
            all &= !premises || concluded;
        });
        all
    })
}

/// All values for which the constraint of a clause holds: what its applications are then.
fn each_instance(
    pool: &Pool,
    clause: &Clause,
    visit: &mut dyn FnMut(&[Vec<Value>], Option<&Vec<Value>>),
) {
    let variables = clause.variables(pool);
    let mut assignments = vec![rustc_hash::FxHashMap::default()];
    for variable in &variables {
        let values: Vec<Value> = all_values(pool.sort(*variable)).collect();
        let with = |known: &rustc_hash::FxHashMap<Term, Value>| {
            let known = known.clone();
            let one = |value: &Value| {
                let mut known = known.clone();
                known.insert(*variable, value.clone());
                known
            };
            values.iter().map(one).collect::<Vec<_>>()
        };
        assignments = assignments.iter().flat_map(with).collect();
    }
    for values in assignments {
        let value = |term: Term| evaluate(pool, term, &values).expect("no quantifiers");
        if value(clause.constraint) != Value::Bool(true) {
            continue;
        }
        let tuple = |application: &Application| {
            application.arguments.iter().map(|argument| value(*argument)).collect::<Vec<Value>>()
        };
        let tuples: Vec<Vec<Value>> = clause.body.iter().map(tuple).collect();
        visit(&tuples, clause.head.as_ref().map(tuple).as_ref());
    }
}
