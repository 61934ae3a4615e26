//! Splitting of ranges as a solver: never wrong, right about what it is for, and asked before
//! bit-blasting, which then need not know of anything.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use smt::{Allowance, Answer, Boxes, Error, Floats, Reason, Solver, Statistics, native};
use std::cell::Cell;
use std::rc::Rc;
use term::{Pool, Sort, Term, Value, evaluate};
use value::{Float, Format, Rounding};

fn number(pool: &Pool, n: f64) -> Term {
    pool.constant(Value::Float(Float::from_f64(n)))
}

fn float(pool: &Pool, name: &str) -> Term {
    pool.var(name, Sort::Float(Format::F64))
}

/// A random term of two variables.
fn term(pool: &Pool, random: &mut StdRng, variables: &[Term], depth: u32) -> Term {
    if depth == 0 {
        return match random.random_range(0..3) {
            0 => number(pool, f64::from(random.random_range(-8..8)) / 2.0),
            _ => *variables.choose(random).expect("some"),
        };
    }
    let mode = pool.rounding(Rounding::NearestEven);
    let a = term(pool, random, variables, depth - 1);
    let b = term(pool, random, variables, depth - 1);
    match random.random_range(0..4) {
        0 | 1 => pool.fp_add(mode, a, b),
        2 => pool.fp_mul(mode, a, b),
        _ => pool.fp_neg(a),
    }
}

/// Variables that have few values, so that all assignments can be tried.
#[test]
fn answers_agree_with_enumeration() {
    let (mut sat, mut unsat, mut open) = (0, 0, 0);
    for seed in 0..200 {
        let mut random = StdRng::seed_from_u64(seed);
        let pool = Pool::new();
        let variables = [float(&pool, "x"), float(&pool, "y")];
        let domain: Vec<f64> =
            (0..6).map(|_| f64::from(random.random_range(-12..12)) / 4.0).collect();
        let domains =
            variables.map(|v| pool.or(domain.iter().map(|n| pool.eq(v, number(&pool, *n)))));
        let mut solver = Boxes::new();
        solver.set_work(Some(100_000));
        domains.iter().for_each(|f| solver.assert(&pool, *f).expect("any formula"));
        let asked: Vec<Term> = (0..3)
            .map(|_| {
                let (a, b) = (
                    term(&pool, &mut random, &variables, 2),
                    term(&pool, &mut random, &variables, 1),
                );
                if random.random() { pool.fp_lt(a, b) } else { pool.fp_leq(a, b) }
            })
            .collect();
        let (assumptions, clause) = asked.split_at(random.random_range(1..=3));
        let holds = |x: f64, y: f64| {
            let point: FxHashMap<Term, Value> = variables
                .into_iter()
                .zip([x, y].map(|n| Value::Float(Float::from_f64(n))))
                .collect();
            let holds = |f: &Term| evaluate(&pool, *f, &point) == Ok(Value::Bool(true));
            assumptions.iter().all(holds) && (clause.is_empty() || clause.iter().any(holds))
        };
        let expected = domain.iter().any(|x| domain.iter().any(|y| holds(*x, *y)));
        match solver.check_with(&pool, assumptions, clause).expect("any formula") {
            Answer::Sat => {
                assert!(expected, "seed {seed}: there is no model");
                for formula in domains.iter().chain(assumptions) {
                    let value = solver.value(&pool, *formula).expect("a value");
                    assert_eq!(value, Value::Bool(true), "seed {seed}");
                }
                sat += 1;
            }
            Answer::Unsat => {
                assert!(!expected, "seed {seed}: there is a model");
                unsat += 1;
            }
            Answer::Unknown(_) => open += 1,
        }
    }
    assert!(sat > 30 && unsat > 30, "{sat} with a model, {unsat} without, {open} open");
}

/// A solver that knows nothing and counts what it is told.
#[derive(Default, Clone)]
struct Counting {
    told: Rc<Cell<u32>>,
    asked: Rc<Cell<u32>>,
}

impl Solver for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn push(&mut self) {
        self.told.set(self.told.get() + 100);
    }

    fn pop(&mut self, levels: usize) {
        self.told.set(self.told.get() - 100 * levels as u32);
    }

    fn assert(&mut self, _: &Pool, _: Term) -> Result<(), Error> {
        self.told.set(self.told.get() + 1);
        Ok(())
    }

    fn check_with(&mut self, _: &Pool, _: &[Term], _: &[Term]) -> Result<Answer, Error> {
        self.asked.set(self.asked.get() + 1);
        Ok(Answer::Unknown(Reason::Incomplete("counts".to_owned())))
    }

    fn value(&mut self, _: &Pool, _: Term) -> Result<Value, Error> {
        unreachable!("it never has a model")
    }

    fn core(&self) -> Vec<Term> {
        Vec::new()
    }

    fn set_allowance(&mut self, _: Allowance) {}

    fn set_work(&mut self, _: Option<u64>) {}

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }
}

/// (x + 1)² for x between 0 and 10, named as engines name it: above 150 it is not, above 100 it is.
struct Square {
    pool: Pool,
    name: Term,
    definition: Term,
    square: Term,
}

fn square() -> Square {
    let pool = Pool::new();
    let x = float(&pool, "x");
    let mode = pool.rounding(Rounding::NearestEven);
    let next = pool.fp_add(mode, x, number(&pool, 1.0));
    let square = pool.fp_mul(mode, next, next);
    let bounds = [pool.fp_leq(number(&pool, 0.0), x), pool.fp_leq(x, number(&pool, 10.0))];
    let name = pool.var("reached", Sort::Bool);
    let definition = pool.implies(name, pool.and(bounds));
    Square { pool, name, definition, square }
}

#[test]
fn bit_blasting_is_told_only_what_it_is_asked() {
    let Square { pool, name, definition, square } = square();
    let counting = Counting::default();
    let mut solver = Floats::new(counting.clone());
    solver.assert(&pool, definition).expect("any formula");
    let above = |n: f64| pool.fp_lt(number(&pool, n), square);
    assert_eq!(solver.check(&pool, &[name, above(150.0)]), Ok(Answer::Unsat));
    assert_eq!(solver.core(), [name, above(150.0)]);
    assert_eq!(solver.check(&pool, &[name, above(100.0)]), Ok(Answer::Sat));
    assert_eq!(solver.value(&pool, above(100.0)), Ok(Value::Bool(true)));
    assert_eq!((counting.told.get(), counting.asked.get()), (0, 0));
    // Without float arithmetic boxes have nothing to say.
    assert!(matches!(solver.check(&pool, &[name]), Ok(Answer::Unknown(_))));
    assert_eq!((counting.told.get(), counting.asked.get()), (1, 1));
    // What comes and goes before anything is asked never gets there.
    solver.push();
    solver.assert(&pool, above(3.0)).expect("any formula");
    solver.pop(1);
    solver.push();
    solver.assert(&pool, above(4.0)).expect("any formula");
    assert_eq!(counting.told.get(), 1);
    assert!(matches!(solver.check(&pool, &[name]), Ok(Answer::Unknown(_))));
    assert_eq!(counting.told.get(), 102);
    solver.pop(1);
    assert_eq!(counting.told.get(), 2);
}

/// A question of little worth is not one for boxes.
#[test]
fn little_work_goes_to_bit_blasting() {
    let Square { pool, name, definition, square } = square();
    let counting = Counting::default();
    let mut solver = Floats::new(counting.clone());
    solver.assert(&pool, definition).expect("any formula");
    let question = [name, pool.fp_lt(number(&pool, 150.0), square)];
    solver.set_work(Some(500));
    assert!(matches!(solver.check(&pool, &question), Ok(Answer::Unknown(_))));
    assert_eq!(counting.asked.get(), 1);
    solver.set_work(None);
    assert_eq!(solver.check(&pool, &question), Ok(Answer::Unsat));
    assert_eq!(counting.asked.get(), 1);
}

/// Definitions that nobody mentions don't matter, facts do, and what is popped is forgotten.
#[test]
fn points_satisfy_everything() {
    let Square { pool, name, definition, square } = square();
    let x = float(&pool, "x");
    for mut solver in [Box::new(Boxes::new()) as Box<dyn Solver>, Box::new(Floats::new(native()))] {
        solver.assert(&pool, definition).expect("any formula");
        // Another name, whose formula is false.
        let other = pool.var("other", Sort::Bool);
        solver.assert(&pool, pool.implies(other, pool.fls())).expect("any formula");
        let above = pool.fp_lt(number(&pool, 50.0), square);
        assert_eq!(solver.check(&pool, &[name, above]), Ok(Answer::Sat));
        assert_eq!(solver.value(&pool, other), Ok(Value::Bool(false)));
        solver.push();
        // A fact that no question mentions.
        solver.assert(&pool, pool.fp_lt(number(&pool, 9.5), x)).expect("any formula");
        assert_eq!(solver.check(&pool, &[name, above]), Ok(Answer::Sat));
        let Ok(Value::Float(value)) = solver.value(&pool, x) else { panic!("a float") };
        assert!(value.to_f64() > Some(9.5), "{value:?}");
        let below = pool.fp_lt(square, number(&pool, 100.0));
        assert_eq!(solver.check(&pool, &[name, below]), Ok(Answer::Unsat));
        solver.pop(1);
        assert_eq!(solver.check(&pool, &[name, below]), Ok(Answer::Sat));
        assert_eq!(solver.check(&pool, &[name, other, above]), Ok(Answer::Unsat));
    }
}
