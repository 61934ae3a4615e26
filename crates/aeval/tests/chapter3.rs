//! The examples of \[Fed15\] chapter 3, as printed there, and what is wrong with two of them.

use aeval::{Effort, Model, Question, Skolem, Validity, check, decide, local_factor, project};
use answer::Allowance;
use num_rational::BigRational;
use smt::{Answer, Solver, Standard, Z3};
use term::smtlib;
use term::traverse::free_vars;
use term::{Pool, Sort, Term, Value};

/// A formula over reals, written in SMT-LIB; primed variables end in `1`.
fn real(pool: &Pool, text: &str) -> Term {
    let names = ["a", "b", "c", "d", "a1", "b1", "sa", "sb", "ta", "tb", "tc", "sa1", "ta1"];
    let declared: String = names.map(|n| format!("(declare-const {n} Real)")).concat();
    let script = smtlib::parse(pool, format!("{declared}(assert {text})").as_bytes());
    script.expect("a well-formed formula").assertions().next().expect("one assertion")
}

fn vars(pool: &Pool, names: &[&str]) -> Vec<Term> {
    names.iter().map(|n| pool.var(n, Sort::Real)).collect()
}

fn model(pool: &Pool, values: &[(&str, i64, i64)]) -> Model {
    let value = |(name, n, d): &(&str, i64, i64)| {
        let value = Value::Real(BigRational::new((*n).into(), (*d).into()));
        (pool.var(name, Sort::Real), value)
    };
    Model::new(values.iter().map(value).collect())
}

fn equivalent(pool: &Pool, a: Term, b: Term) -> bool {
    let mut z3 = Z3::new();
    z3.assert(pool, pool.xor(a, b)).expect("supported");
    z3.check(pool, &[]) == Ok(Answer::Unsat)
}

fn valid(pool: &Pool, question: &Question) -> Option<Skolem> {
    let answer = decide(pool, question, &Standard, &Allowance::default(), Effort::Minimal);
    match answer.expect("nothing is broken") {
        Validity::Valid(skolem) => Some(skolem),
        Validity::Invalid(_) => None,
        Validity::Unknown(why) => panic!("{why}"),
    }
}

#[test]
fn example_8_the_target_does_not_simulate_the_source_by_identity() {
    let pool = Pool::new();
    let premise = real(&pool, "(and (= sa ta) (= sb tb) (= sa1 (+ sa sb)))");
    let conclusion = real(&pool, "(and (= tc (- ta tb)) (= ta1 tc) (= sa1 ta1) (= sb tb))");
    let variables = vars(&pool, &["tc", "ta1"]);
    let question = Question { premise, conclusion, variables };
    let answer = decide(&pool, &question, &Standard, &Allowance::default(), Effort::Minimal);
    let Ok(Validity::Invalid(x)) = answer else { panic!("{answer:?}") };
    // a + b = a − b only where b = 0
    let b = x.value(&pool, pool.var("sb", Sort::Real));
    assert_ne!(b, Value::Real(BigRational::from_integer(0.into())));
    // The left implication of (3.10) is valid.
    let premise = real(&pool, "(and (= sa a) (= sb b))");
    let conclusion = real(&pool, "(and (= ta a) (= tb b) (= sa ta) (= sb tb))");
    let question = Question { premise, conclusion, variables: vars(&pool, &["ta", "tb"]) };
    assert!(valid(&pool, &question).is_some());
}

#[test]
fn example_9_its_abstraction_does_by_a_skolem_function() {
    let pool = Pool::new();
    let premise = real(&pool, "(and (= sa ta) (= sa1 (+ sa sb)))");
    let conclusion = real(&pool, "(and (= tc (- ta tb)) (= ta1 tc) (= sa1 ta1))");
    let question = Question { premise, conclusion, variables: vars(&pool, &["tb", "tc", "ta1"]) };
    let skolem = valid(&pool, &question).expect("(3.14) is valid");
    let (variable, function) = skolem.functions(&pool)[0];
    assert_eq!(variable, pool.var("tb", Sort::Real));
    // sk(b_S) = −b_S, where the premise holds
    let printed = pool.neg(pool.var("sb", Sort::Real));
    let agree = pool.implies(premise, pool.eq(function, printed));
    assert!(equivalent(&pool, agree, pool.tru()));
}

#[test]
fn example_10_projections_and_local_skolem_relations() {
    let pool = Pool::new();
    let conclusion = real(
        &pool,
        "(and (> a1 a) (=> (= b 1.0) (= b1 b)) (=> (= b 2.0) (> b1 b)) (=> (= b 3.0) (< b1 b)))",
    );
    let variables = vars(&pool, &["a1", "b1"]);
    let printed = [
        (
            model(&pool, &[("a", 0, 1), ("b", -2, 1), ("a1", 1, 2), ("b1", -5, 2)]),
            "(and (distinct b 1.0) (distinct b 2.0))",
            "(and (> a1 a) (< b1 b))",
        ),
        (
            model(&pool, &[("a", 4, 1), ("b", 2, 1), ("a1", 9, 2), ("b1", 5, 2)]),
            "(and (distinct b 1.0) (distinct b 3.0))",
            "(and (> a1 a) (> b1 b))",
        ),
        (
            model(&pool, &[("a", 3, 1), ("b", 1, 1), ("a1", 7, 2), ("b1", 1, 1)]),
            "(and (distinct b 2.0) (distinct b 3.0))",
            "(and (> a1 a) (= b1 b))",
        ),
    ];
    for (model, projected, relation) in printed {
        let projection = project(&pool, &model, conclusion, &variables).expect("a model");
        assert!(equivalent(&pool, projection.formula, real(&pool, projected)), "{projected}");
        let found = pool.and(projection.definitions.iter().map(|d| d.relation));
        assert!(equivalent(&pool, found, real(&pool, relation)), "{relation}");
    }
    let premise = real(&pool, "(= a (+ b 2.0))");
    let skolem = valid(&pool, &Question { premise, conclusion, variables }).expect("valid");
    assert!(skolem.cases.len() <= 3);
    // No guard is about a.
    let guards: Vec<Term> = skolem.cases.iter().map(|c| c.guard).collect();
    assert!(free_vars(&pool, &guards).len() <= 1);
}

/// Example 11.
fn eleven(pool: &Pool) -> Question {
    let premise = real(pool, "(> a b)");
    let conclusion = real(
        pool,
        "(and (> d (- 1.0)) (=> (>= a 0.0) (and (<= c 0.0) (<= d c)))
              (=> (< a 0.0) (and (< c b) (= d 0.0))))",
    );
    Question { premise, conclusion, variables: vars(pool, &["c", "d"]) }
}

#[test]
fn example_11_projections_and_the_constant_factor() {
    let pool = Pool::new();
    let question = eleven(&pool);
    let variables = &question.variables;
    let first = model(&pool, &[("a", -1, 1), ("b", -2, 1), ("c", -3, 1), ("d", 0, 1)]);
    let first = project(&pool, &first, question.conclusion, variables).expect("a model");
    assert!(equivalent(&pool, first.formula, real(&pool, "(< a 0.0)")));
    let second = model(&pool, &[("a", 1, 1), ("b", 0, 1), ("c", 0, 1), ("d", 0, 1)]);
    let second = project(&pool, &second, question.conclusion, variables).expect("a model");
    assert!(equivalent(&pool, second.formula, real(&pool, "(or (>= a 0.0) (> b 0.0))")));
    let skolem = valid(&pool, &question).expect("valid");
    let (d, function) = skolem.functions(&pool)[1];
    assert_eq!(d, pool.var("d", Sort::Real));
    assert_eq!(function, pool.real(BigRational::from_integer(0.into())), "d = 0");
}

/// The second local relation is printed as d = 0 ∧ c ≥ 0, which holds for c = 1 although T wants
/// c ≤ 0 where a ≥ 0: no Skolem relation by Definition 17. The check says so.
#[test]
fn example_11_the_printed_relation_is_refuted() {
    let pool = Pool::new();
    let question = eleven(&pool);
    let relation = "(and (= d 0.0) (ite (< a 0.0) (and (<= c a) (< c b) (< c 0.0)) OTHER))";
    let with = |other: &str| real(&pool, &relation.replace("OTHER", other));
    let check = |r: Term| check::inside(&pool, &question, r, &Allowance::default());
    assert!(check(with("(>= c 0.0)")).is_err());
    assert_eq!(check(with("(= c 0.0)")), Ok(None));
}

#[test]
fn example_12_local_factors() {
    let pool = Pool::new();
    let [c, d] = ["c", "d"].map(|n| pool.var(n, Sort::Real));
    let psi_d = real(&pool, "(= d a)");
    let of_d = local_factor(&pool, d, psi_d, &[]).expect("an equation");
    assert_eq!(of_d, pool.var("a", Sort::Real));
    let psi_c = real(&pool, "(and (<= 0.0 (+ (- (- c) 1.0) d)) (<= (+ (- c) d) 1.0))");
    let of_c = local_factor(&pool, c, psi_c, &[(d, of_d)]).expect("two adjacent inequalities");
    let printed = real(&pool, "(= c (- a 1.0))");
    assert!(equivalent(&pool, pool.eq(c, of_c), printed), "c = −1 + a");
}

/// What the thesis leaves to future work: min(a, b, 0) − 1, and the middle of an interval, which is
/// (a + b)/2 and not (b − a)/2.
#[test]
fn local_factors_of_other_inequalities() {
    let pool = Pool::new();
    for (sort, psi) in [
        (Sort::Real, "(and (<= c a) (< c b) (< c 0.0))"),
        (Sort::Real, "(and (> c a) (< c b))"),
        (Sort::Real, "(and (>= c a) (<= c b) (distinct c d))"),
        (Sort::Real, "(and (distinct c a) (distinct c b) (< c d))"),
        (Sort::Real, "(and (distinct c a) (distinct c b))"),
        (Sort::Real, "(> (* 2.0 c) (+ a b))"),
        (Sort::Int, "(and (<= (* 3 c) a) (< c b))"),
        (Sort::Int, "(and (<= a (* 3 c)) (< (* 2 c) b) (distinct c d))"),
        (Sort::Int, "(and (distinct c a) (distinct c b) (< c d))"),
        (Sort::Int, "(and (distinct c a) (> c b) (distinct c d))"),
    ] {
        let names = ["a", "b", "c", "d"];
        let sort_name = if sort == Sort::Int { "Int" } else { "Real" };
        let declared: String = names.map(|n| format!("(declare-const {n} {sort_name})")).concat();
        let script = smtlib::parse(&pool, format!("{declared}(assert {psi})").as_bytes());
        let relation = script.expect("well-formed").assertions().next().expect("one");
        let c = pool.var("c", sort);
        let function = local_factor(&pool, c, relation, &[]).expect("comparisons only");
        // ∃c. ψ ⇒ ψ[c := f]
        let chosen = term::traverse::substitute(&pool, relation, [(c, function)]);
        let mut z3 = Z3::new();
        z3.assert(&pool, relation).expect("supported");
        z3.assert(&pool, pool.not(chosen)).expect("supported");
        let answer = z3.check(&pool, &[]);
        // The middle of an interval that holds nothing but the excluded point is not there.
        assert_eq!(answer, Ok(Answer::Unsat), "{psi}");
    }
}

/// Why cases are merged as wholes: see the head of `skolem.rs`.
#[test]
fn factors_follow_the_same_case() {
    let pool = Pool::new();
    let premise = real(&pool, "(or (< a 0.0) (> a 3.0))");
    let conclusion = real(
        &pool,
        "(or (and (= c 0.0) (= d 0.0) (< a 0.0)) (and (= c 1.0) (= d 1.0) (> a 5.0))
             (and (= c 0.0) (= d 2.0) (> a 3.0)))",
    );
    let question = Question { premise, conclusion, variables: vars(&pool, &["c", "d"]) };
    let skolem = valid(&pool, &question).expect("valid, and its functions were checked");
    assert!(skolem.cases.len() >= 2);
    // Algorithm 7 as printed: y₁ = 0 on T₁ ∨ T₃, y₂ in the order of the cases.
    let c = real(&pool, "(= c (ite (or (< a 0.0) (> a 3.0)) 0.0 1.0))");
    let d = real(&pool, "(= d (ite (< a 0.0) 0.0 (ite (> a 5.0) 1.0 2.0)))");
    let printed = pool.and([c, d]);
    assert!(check::inside(&pool, &question, printed, &Allowance::default()).is_err());
}
