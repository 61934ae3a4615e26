//! Projections of random formulas: true in the model, free of the variables, and implying by their
//! functions and relations what was projected, which Z3 is asked.

mod formulas;

use aeval::{Model, project};
use formulas::{Maker, THEORIES, Theory};
use smt::{Answer, Solver, Z3};
use std::time::Duration;
use term::traverse::{free_vars, substitute};
use term::{Pool, Term, Value, evaluate, print};

/// Whether a formula has no model; none if Z3 does not know.
fn is_unsat(pool: &Pool, formula: Term) -> Option<bool> {
    let mut z3 = Z3::new();
    z3.set_allowance(smt::Allowance::default().within(Duration::from_secs(2)));
    z3.assert(pool, formula).expect("Z3 takes all terms");
    match z3.check(pool, &[]).expect("Z3 answers") {
        Answer::Unsat => Some(true),
        Answer::Sat => Some(false),
        Answer::Unknown(_) => None,
    }
}

/// Projects one random formula along one of Z3's models; false if it has none.
fn one(theory: Theory, seed: u64) -> bool {
    let pool = Pool::new();
    let mut maker = Maker::new(&pool, theory, seed);
    let made = maker.formulas(2, 2, 3);
    let formula = made.conclusion;
    let mut z3 = Z3::new();
    z3.assert(&pool, formula).expect("Z3 takes all terms");
    if z3.check(&pool, &[]) != Ok(Answer::Sat) {
        return false;
    }
    let Ok(model) = Model::read(&pool, &mut z3, &[formula]) else { return false };
    if evaluate(&pool, formula, &model) != Ok(Value::Bool(true)) {
        return false;
    }
    let text = || print::script(&pool, None, &[formula]);
    let projection = project(&pool, &model, formula, &made.existential)
        .unwrap_or_else(|stuck| panic!("{theory:?} {seed}: {stuck}\n{}", text()));
    assert_eq!(evaluate(&pool, projection.formula, &model), Ok(Value::Bool(true)), "m ⊨ P");
    let left = free_vars(&pool, &[projection.formula]);
    assert!(left.iter().all(|v| made.universal.contains(v)), "{theory:?} {seed}: {}", text());
    // P ⇒ T[y := f(x)]
    let functions = projection.functions(&pool);
    let chosen = substitute(&pool, formula, functions.iter().copied());
    let wrong = pool.and([projection.formula, pool.not(chosen)]);
    assert_ne!(is_unsat(&pool, wrong), Some(false), "{theory:?} {seed}: function\n{}", text());
    // P ∧ φ ⇒ T, and P ⇒ φ[y := f(x)]
    let relation = pool.and(projection.definitions.iter().map(|d| d.relation));
    let wrong = pool.and([projection.formula, relation, pool.not(formula)]);
    assert_ne!(is_unsat(&pool, wrong), Some(false), "{theory:?} {seed}: relation\n{}", text());
    let chosen = substitute(&pool, relation, functions);
    let wrong = pool.and([projection.formula, pool.not(chosen)]);
    assert_ne!(is_unsat(&pool, wrong), Some(false), "{theory:?} {seed}: totality\n{}", text());
    true
}

#[test]
fn projections_of_random_formulas_hold() {
    for theory in THEORIES {
        let projected = (0..24).filter(|seed| one(theory, *seed)).count();
        assert!(projected > 8, "{theory:?}: only {projected} of 24 have models");
    }
}

/// `PROJECTIONS=10000 cargo test --release -p cairn-aeval --test projection -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn projections_of_many_random_formulas_hold() {
    let count = std::env::var("PROJECTIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    for theory in THEORIES {
        let projected = (1000..1000 + count).filter(|seed| one(theory, *seed)).count();
        println!("{theory:?}: {projected} of {count} projected");
    }
}
