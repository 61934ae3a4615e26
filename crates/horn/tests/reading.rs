//! What scripts say: the forms that clauses are written in, what is rejected, and that nothing panics.

use horn::write::system_text;
use horn::{System, read};
use proptest::prelude::*;
use term::Pool;

fn system(text: &str) -> System {
    read(&Pool::new(), text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Of each clause: how many predicates it assumes, and whether it concludes one.
fn shape(text: &str) -> Vec<(usize, bool)> {
    let mut shape: Vec<(usize, bool)> =
        system(text).clauses.iter().map(|c| (c.body.len(), c.head.is_some())).collect();
    shape.sort_unstable();
    shape
}

const HEAD: &str = "(set-logic HORN)
(declare-fun p (Int) Bool) (declare-fun q (Int Int) Bool) (declare-fun err () Bool)\n";

fn of(clauses: &str) -> Vec<(usize, bool)> {
    shape(&format!("{HEAD}{clauses}"))
}

#[test]
fn clauses_are_written_in_many_ways() {
    assert_eq!(of("(assert (forall ((x Int)) (=> (= x 0) (p x))))"), [(0, true)]);
    // Several heads, and implications in heads.
    assert_eq!(
        of("(assert (forall ((x Int)) (=> (p x) (and (q x x) (=> (> x 3) (p (+ x 1)))))))"),
        [(1, true), (1, true)]
    );
    // Queries.
    assert_eq!(of("(assert (forall ((x Int)) (=> (and (p x) (< x 0)) false)))"), [(1, false)]);
    assert_eq!(of("(assert (not (exists ((x Int)) (and (p x) (q x x)))))"), [(2, false)]);
    assert_eq!(of("(assert (forall ((x Int)) (not (p x))))"), [(1, false)]);
    assert_eq!(of("(assert (=> err false))"), [(1, false)]);
    assert_eq!(of("(assert (forall ((x Int)) (=> (p x) (> x 0))))"), [(1, false)]);
    // Disjunctions in bodies make several clauses.
    assert_eq!(
        of("(assert (forall ((x Int)) (=> (or (p x) (q x 1) (= x 2)) (p (+ x 1)))))"),
        [(0, true), (1, true), (1, true)]
    );
    // let, definitions, nested quantifiers, negated heads on the left.
    assert_eq!(
        of("(define-fun big ((x Int)) Bool (> x 9))
            (assert (forall ((x Int)) (let ((y (+ x 1)) (r (p x))) (=> (and r (big y)) (p y)))))"),
        [(1, true)]
    );
    assert_eq!(
        of("(assert (forall ((x Int)) (=> (p x) (forall ((y Int)) (=> (q x y) (p y))))))"),
        [(2, true)]
    );
    assert_eq!(of("(assert (forall ((x Int)) (or (not (p x)) (q x x) (< x 0))))"), [(1, true)]);
    assert_eq!(of("(assert (forall ((x Int)) (=> (exists ((y Int)) (q x y)) (p x))))"), [(1, true)]);
    assert_eq!(of("(assert (forall ((x Int)) (=> (not (p x)) (< x 0))))"), [(0, true)]);
    assert_eq!(of("(assert (p 0))"), [(0, true)]);
}

#[test]
fn rules_and_queries_are_clauses() {
    let text = "(declare-rel inv (Int)) (declare-rel fail ()) (declare-var x Int) (declare-var b Bool)
        (rule (inv 0)) (rule (=> (and (inv x) b (< x 9)) (inv (+ x 1))) step)
        (rule (=> (and (inv x) (> x 9)) fail)) (query fail :print-certificate true)";
    assert_eq!(shape(text), [(0, true), (1, false), (1, true), (1, true)]);
    let text = "(declare-rel inv (Int)) (rule (inv 0)) (query inv)";
    assert_eq!(shape(text), [(0, true), (1, false)]);
}

#[test]
fn what_is_no_clause_is_rejected_with_its_place() {
    let refused = |clauses: &str| {
        let text = format!("{HEAD}{clauses}");
        read(&Pool::new(), text.as_bytes()).map(drop).unwrap_err().to_string()
    };
    for (clauses, message) in [
        ("(assert (forall ((x Int)) (or (p x) (q x x))))", "3:1: this is no Horn clause"),
        ("(assert (forall ((x Int)) (=> (not (p x)) (q x x))))", "3:1: this is no Horn clause"),
        ("(assert (exists ((x Int)) (p x)))", "3:1: a quantifier"),
        ("(assert (= (p 1) (= 1 2)))\n(declare-const c Int)", "4:1: the constant `c`"),
        ("(declare-fun f (Int) Int)", "3:1: the function `f`"),
        ("(declare-sort S 0)", "3:1: the sort `S`"),
        ("(declare-datatypes ((T 0)) (((a))))", "3:2: the command `declare-datatypes`"),
        ("(push 1)", "3:1: one question a script"),
        ("", "2:30: the script has no clauses"),
    ] {
        let told = refused(clauses);
        let (place, rest) = message.split_once(": ").expect("a place");
        let line = place.split(':').next().expect("a line");
        assert!(told.starts_with(&format!("{line}:")) && told.contains(rest), "{clauses}: {told}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    let texts = [
        "(assert (forall ((x Int) (y Int)) (=> (and (p x) (q x y) (< x (* 2 y))) (p (- y)))))",
        "(assert (forall ((x Int)) (=> (and (p x) err (= x 3)) false))) (assert (=> (p 1) err))",
    ];
    for text in texts {
        let pool = Pool::new();
        let text = format!("{HEAD}{text}");
        let read_once = read(&pool, text.as_bytes()).expect("clauses");
        let written = system_text(&pool, &read_once);
        let again = Pool::new();
        let read_again = read(&again, written.as_bytes())
            .unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(read_once.clauses.len(), read_again.clauses.len(), "{written}");
        for (a, b) in read_once.clauses.iter().zip(&read_again.clauses) {
            assert_eq!((a.body.len(), a.head.is_some()), (b.body.len(), b.head.is_some()));
            assert_eq!(a.variables(&pool).len(), b.variables(&again).len());
        }
    }
}

/// Words that scripts are made of.
const WORDS: &[&str] = &[
    "(", ")", "(", ")", "assert", "forall", "exists", "=>", "and", "or", "not", "ite", "=", "let",
    "((x Int))", "((y Bool))", "x", "y", "p", "q", "err", "(p x)", "(q x x)", "true", "false", "1",
    "(< x 1)", "declare-fun", "declare-rel", "declare-var", "rule", "query", "define-fun", "|a b|",
    "(assert", "(=> (p x)", "check-sat", "Int", "Bool", "()", "(rule", "(query", "push",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_makes_the_reader_panic(words in prop::collection::vec(0..WORDS.len(), 0..60)) {
        let text: Vec<&str> = words.iter().map(|at| WORDS[*at]).collect();
        let text = format!("{HEAD}{}", text.join(" "));
        let _ = read(&Pool::new(), text.as_bytes());
    }

    #[test]
    fn no_formula_makes_the_reader_panic(seeds in prop::collection::vec(0u32..1_000, 1..40)) {
        let text = format!("{HEAD}(assert (forall ((x Int) (y Bool)) {}))", formula(&seeds, 0));
        let _ = read(&Pool::new(), text.as_bytes());
    }
}

/// A formula that a list of numbers stands for.
fn formula(seeds: &[u32], depth: usize) -> String {
    let Some((first, rest)) = seeds.split_first() else { return "(p x)".to_owned() };
    if depth > 6 {
        return "y".to_owned();
    }
    let half = rest.len() / 2;
    let (a, b) = (formula(&rest[..half], depth + 1), formula(&rest[half..], depth + 1));
    match first % 12 {
        0 => format!("(and {a} {b})"),
        1 => format!("(or {a} {b})"),
        2 => format!("(=> {a} {b})"),
        3 => format!("(not {a})"),
        4 => format!("(= {a} {b})"),
        5 => format!("(ite y {a} {b})"),
        6 => format!("(forall ((z Int)) {a})"),
        7 => format!("(exists ((z Int)) {a})"),
        8 => "(q x 1)".to_owned(),
        9 => "(< x 3)".to_owned(),
        10 => "err".to_owned(),
        _ => "y".to_owned(),
    }
}
