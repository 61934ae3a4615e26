//! Refutations are accepted for their own formula and for no other.

use certify::refutation::{RefutationRejection, check_refutation};
use sat::proof::{Proof, Recording};
use smt::{Answer, BitBlast, Solver};
use term::{Pool, Sort, Term};

fn refuted(pool: &Pool, formula: Term) -> Option<Proof> {
    let mut solver = BitBlast::new(Recording::default());
    solver.assert(pool, formula).expect("bits");
    match solver.check(pool, &[]).expect("bits") {
        Answer::Unsat => Some(solver.sat().proof().expect("it was recorded")),
        _ => None,
    }
}

/// That the square of a sum is not what it is, and formulas that have models.
fn formulas(pool: &Pool) -> (Term, Vec<Term>) {
    let (x, y) = (pool.var("x", Sort::BitVec(4)), pool.var("y", Sort::BitVec(4)));
    let sum = pool.bv_add(x, y);
    let square = pool.bv_mul(sum, sum);
    let mixed = pool.bv_mul(pool.bv(2, 4), pool.bv_mul(x, y));
    let (xx, yy) = (pool.bv_mul(x, x), pool.bv_mul(y, y));
    let parts = pool.bv_add(pool.bv_add(xx, mixed), yy);
    let impossible = pool.ne(square, parts);
    let possible = vec![
        pool.ne(square, pool.bv_add(xx, yy)),
        pool.eq(square, parts),
        pool.ne(square, mixed),
        pool.bv_ult(x, y),
        pool.tru(),
    ];
    (impossible, possible)
}

#[test]
fn a_refutation_is_one_of_its_formula_alone() {
    let pool = Pool::new();
    let (impossible, possible) = formulas(&pool);
    let proof = refuted(&pool, impossible).expect("it has no model");
    assert_eq!(check_refutation(&pool, impossible, &proof), Ok(()));
    for other in possible {
        assert!(refuted(&pool, other).is_none());
        assert_eq!(
            check_refutation(&pool, other, &proof),
            Err(RefutationRejection::Foreign),
            "a proof of something else"
        );
    }
}

#[test]
fn steps_that_do_not_follow_are_refused() {
    let pool = Pool::new();
    let (impossible, _) = formulas(&pool);
    let proof = refuted(&pool, impossible).expect("it has no model");
    // The same proof with one of its derived clauses gone, or only claimed.
    let derived: Vec<_> =
        proof.steps().filter(|step| proof.origin(*step).partition().is_none()).collect();
    assert!(derived.len() > 10, "it takes some steps: {}", derived.len());
    let mut refused = 0;
    for &broken in &derived {
        let mut other = Proof::new();
        for step in proof.steps() {
            let clause = proof.clause(step);
            match proof.origin(step).partition() {
                Some(_) => other.leaf(proof.origin(step), clause),
                None if step == broken => other.derive(clause, &[]),
                None => other.derive(clause, proof.antecedents(step)),
            };
        }
        refused += usize::from(check_refutation(&pool, impossible, &other).is_err());
    }
    assert_eq!(refused, derived.len(), "every step is looked at");
}
