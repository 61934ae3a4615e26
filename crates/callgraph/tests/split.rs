//! Arguments with few values become part of predicates: what comes out, and the way back over it.

use answer::Allowance;
use certify::{check_derivation, check_model};
use horn::simplify::{Simplified, simplify};
use horn::{System, Verdict};
use passes::Back;
use std::time::Duration;
use term::{Pool, Sort};

fn allowance() -> Allowance {
    Allowance::default().within(Duration::from_secs(60))
}

/// A program with a counter of two Booleans and a phase of a real: x goes up in one place and down in
/// another one, and the query is asked in the third.
fn counting(asked: &str) -> String {
    format!(
        "(set-logic HORN)
         (declare-fun s (Bool Bool Int Real) Bool)
         (assert (forall ((p Bool) (q Bool) (x Int) (r Real))
           (=> (and (not p) (not q) (= x 0) (= r 1.0)) (s p q x r))))
         (assert (forall ((p Bool) (q Bool) (x Int) (r Real) (p1 Bool) (q1 Bool) (x1 Int) (r1 Real))
           (=> (and (s p q x r)
                    (or (and (not p) (not q) (not p1) (not q1) (< x 10) (= x1 (+ x 1)) (= r1 r))
                        (and (not p) (not q) p1 (not q1) (>= x 10) (= x1 x) (= r1 2.0))
                        (and p (not q) p1 (not q1) (> x 3) (= x1 (- x 1)) (= r1 r))
                        (and p (not q) (not p1) q1 (<= x 3) (= x1 x) (= r1 (+ r 1.0)))))
               (s p1 q1 x1 r1))))
         (assert (forall ((p Bool) (q Bool) (x Int) (r Real))
           (=> (and (s p q x r) q (not p) {asked}) false)))"
    )
}

fn read(pool: &Pool, text: &str) -> System {
    horn::read(pool, text.as_bytes()).expect("clauses")
}

fn simplified<'p>(pool: &'p Pool, system: &System) -> Simplified<'p> {
    simplify(pool, system, &smt::Standard, &allowance())
}

#[test]
fn program_counters_become_locations() {
    let pool = Pool::new();
    let system = read(&pool, &counting("(not (= x 3))"));
    let simple = simplified(&pool, &system).system;
    let used = |p: &usize| simple.clauses.iter().any(|c| c.assumes(*p) || c.concludes(*p));
    let used: Vec<usize> = (0..simple.predicates.len()).filter(used).collect();
    assert_eq!(used.len(), 3, "three places");
    for p in used {
        let sorts: Vec<Sort> =
            simple.predicates[p].parameters.iter().map(|v| pool.sort(*v)).collect();
        assert_eq!(sorts, [Sort::Int], "only the number that takes many values is left");
    }
    assert_eq!(simple.clauses.len(), 6, "each step is a clause, with the beginning and the query");
}

#[test]
fn evidence_finds_its_way_back() {
    for (asked, safe) in [("(not (= x 3))", true), ("(= x 3)", false), ("(= r 3.0)", false)] {
        let pool = Pool::new();
        let system = read(&pool, &counting(asked));
        let simplified = simplified(&pool, &system);
        let verdict =
            callgraph::decide(&pool, &simplified.system, &smt::Standard, &allowance(), &mut ());
        match verdict {
            Verdict::Safe(model) => {
                assert!(safe, "{asked}");
                let model = simplified.back.invariant(model).expect("a way back");
                check_model(&pool, &system, &model, &allowance()).expect("a model");
            }
            Verdict::Unsafe(run) => {
                assert!(!safe, "{asked}");
                let run = simplified.back.run(run).expect("a way back");
                check_derivation(&pool, &system, &run).expect("a derivation");
            }
            Verdict::Unknown(reason) => panic!("{asked}: {reason}"),
        }
    }
}

/// What takes more values than can be told apart stays as it is.
#[test]
fn many_values_are_left_alone() {
    let pool = Pool::new();
    let text = "(declare-fun s (Int) Bool)
        (assert (s 0))
        (assert (forall ((x Int)) (=> (and (s x) (< x 20)) (s (+ x 1)))))
        (assert (forall ((x Int)) (=> (and (s x) (> x 20)) false)))";
    let system = read(&pool, text);
    let simple = simplified(&pool, &system).system;
    assert_eq!(simple.predicates.len(), 1);
    assert_eq!(simple.clauses.len(), 3);
}
