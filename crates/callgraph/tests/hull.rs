//! What is found to hold of everything derivable is inductive, which the checker is asked of random
//! clauses, and says what it should of known ones; guesses are sifted.

use answer::Allowance;
use callgraph::decide_from;
use callgraph::hull::hull;
use callgraph::sift::sift;
use certify::check_model;
use horn::{Application, Clause, Interpretation, Model, Predicate, System, Verdict};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use smt::Standard;
use std::time::Duration;
use term::{Pool, Sort, Term};

fn allowance() -> Allowance {
    Allowance::default().within(Duration::from_secs(20))
}

fn read(text: &str) -> (Pool, System) {
    let pool = Pool::new();
    let system = horn::read(&pool, text.as_bytes()).expect("clauses");
    (pool, system)
}

/// Two loops, the second of which counts what the first has left over: y − x is bounded, and with the
/// second loop y + 2z.
#[test]
fn forms_that_loops_keep_are_bounded() {
    let (pool, system) = read(
        "(declare-fun p (Int Int) Bool) (declare-fun q (Int Int Int) Bool)
         (assert (forall ((x Int) (y Int)) (=> (< y x) (p x y))))
         (assert (forall ((x Int) (y Int)) (=> (and (p x y) (< y x)) (p x (+ y 1000)))))
         (assert (forall ((x Int) (y Int)) (=> (and (p x y) (<= x y)) (q 0 x y))))
         (assert (forall ((z Int) (x Int) (y Int))
           (=> (and (q z x y) (< x y)) (q (+ z 1) (+ x 2) y))))
         (assert (forall ((z Int) (x Int) (y Int)) (=> (and (q z x y) (> z 501)) false)))",
    );
    let hull = hull(&pool, &system, &Standard, &allowance()).expect("there are numbers");
    assert!(hull.proves);
    let model = hull.weakened(&pool, Model::everywhere(&system, pool.tru()));
    check_model(&pool, &system, &model, &allowance()).expect("a model");
}

/// x is even and y = 3x + 1, which no bounds say.
#[test]
fn equations_and_congruences_are_found() {
    let (pool, system) = read(
        "(declare-fun p (Int Int) Bool)
         (assert (p 4 13))
         (assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 2) (+ y 6)))))
         (assert (forall ((x Int) (y Int)) (=> (p x y) (p (- x 6) (- y 18)))))
         (assert (forall ((x Int) (y Int))
           (=> (and (p x y) (or (= (mod x 2) 1) (not (= y (+ (* 3 x) 1))))) false)))",
    );
    assert!(hull(&pool, &system, &Standard, &allowance()).expect("there are numbers").proves);
}

/// What can go wrong is not excluded.
#[test]
fn what_is_derived_is_covered() {
    let (pool, system) = read(
        "(declare-fun p (Int Real) Bool)
         (assert (p 0 0.5))
         (assert (forall ((x Int) (y Real)) (=> (and (p x y) (< x 40)) (p (+ x 3) (* 2.0 y)))))
         (assert (forall ((x Int) (y Real)) (=> (and (p x y) (= x 42)) false)))",
    );
    let hull = hull(&pool, &system, &Standard, &allowance()).expect("there are numbers");
    assert!(!hull.proves);
}

struct Maker<'p> {
    pool: &'p Pool,
    random: StdRng,
    variables: Vec<Term>,
}

impl Maker<'_> {
    fn term(&mut self) -> Term {
        let pool = self.pool;
        let at = self.random.random_range(0..self.variables.len());
        let (variable, number) = (self.variables[at], self.random.random_range(-3i64..4));
        let other = self.variables[self.random.random_range(0..self.variables.len())];
        match self.random.random_range(0..4) {
            0 => pool.int(number),
            1 => variable,
            2 => pool.add(variable, pool.int(number)),
            _ => pool.add(variable, pool.mul(other, pool.int(number))),
        }
    }

    fn application(&mut self, system: &System) -> Application {
        let predicate = self.random.random_range(0..system.predicates.len());
        let count = system.predicates[predicate].parameters.len();
        Application { predicate, arguments: (0..count).map(|_| self.term()).collect() }
    }

    fn clause(&mut self, system: &System) -> Clause {
        let pool = self.pool;
        let premises = self.random.random_range(0..3);
        let body = (0..premises).map(|_| self.application(system)).collect();
        let mut atoms = Vec::new();
        for _ in 0..self.random.random_range(0..3) {
            let (a, b) = (self.term(), self.term());
            atoms.push(if self.random.random_bool(0.3) { pool.eq(a, b) } else { pool.le(a, b) });
        }
        let head = Some(self.application(system));
        Clause { body, constraint: pool.and(atoms), head, place: horn::system::NOWHERE }
    }
}

/// Without queries the model is what is found, and nothing more.
#[test]
fn what_is_found_is_inductive() {
    let mut found = 0;
    for seed in 0..60 {
        let pool = Pool::new();
        let mut system = System::default();
        for (name, count) in [("p", 2), ("q", 3)] {
            let sorts = std::iter::repeat_n(Sort::Int, count);
            system.predicates.push(Predicate::new(&pool, name, sorts));
        }
        let variables = ["x", "y", "z", "w"].map(|name| pool.var(name, Sort::Int)).to_vec();
        let random = StdRng::seed_from_u64(seed);
        let mut maker = Maker { pool: &pool, random, variables };
        for _ in 0..5 {
            let clause = maker.clause(&system);
            system.clauses.push(clause);
        }
        let Some(hull) = hull(&pool, &system, &Standard, &allowance()) else { continue };
        let claimed = |known: &Vec<Term>| Interpretation::Formula(pool.and(known.iter().copied()));
        let model = Model { relations: hull.of.iter().map(claimed).collect() };
        check_model(&pool, &system, &model, &allowance())
            .unwrap_or_else(|error| panic!("{seed}: {error}"));
        found += usize::from(hull.of.iter().any(|known| !known.is_empty()));
    }
    assert!(found > 20, "something is found of {found} systems only");
}

/// Of formulas that somebody had guessed, those that hold are kept, and nothing else; where they exclude
/// what must not be, they are a model, and otherwise where the search begins.
#[test]
fn guesses_are_sifted() {
    let (pool, system) = read(
        "(declare-fun p ((_ BitVec 8) (_ BitVec 8)) Bool)
         (assert (p #x00 #x07))
         (assert (forall ((x (_ BitVec 8)) (y (_ BitVec 8)))
           (=> (p x y) (p (bvadd x #x02) (bvadd y y)))))
         (assert (forall ((x (_ BitVec 8)) (y (_ BitVec 8)))
           (=> (and (p x y) (= x #x05)) false)))",
    );
    let [x, y] = system.predicates[0].parameters[..] else { panic!("two parameters") };
    let byte = |value| pool.bv(value, 8);
    let even = pool.eq(pool.bv_and(x, byte(1)), byte(0));
    let wrong = [pool.eq(x, byte(0)), pool.bv_ult(y, byte(20)), pool.fls()];
    let sifted =
        |formulas: Vec<Term>| sift(&pool, &system, vec![formulas], &Standard, &allowance());
    let all = sifted(wrong.into_iter().chain([even]).collect()).expect("there is time");
    assert_eq!((all.of.clone(), all.proves), (vec![vec![even]], true));
    let model = all.weakened(&pool, Model::everywhere(&system, pool.tru()));
    check_model(&pool, &system, &model, &allowance()).expect("a model");
    let none = sifted(wrong.to_vec()).expect("there is time");
    assert_eq!((none.of, none.proves), (vec![vec![]], false));
    for guesses in [wrong.to_vec(), vec![even]] {
        let verdict = decide_from(&pool, &system, vec![guesses], &Standard, &allowance(), &mut ());
        let Verdict::Safe(model) = verdict else { panic!("{verdict:?}") };
        check_model(&pool, &system, &model, &allowance()).expect("a model");
    }
}
