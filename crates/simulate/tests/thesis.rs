//! The programs of \[Fed15\] Figs. 3.1, 4.1 and 4.3, and what examples 8, 9 and 13 to 16 say of them.

use answer::Allowance;
use program::place::Place;
use simulate::graph::{Edge, Graph, Point, Variable};
use simulate::lift::{is_proof_of, lift};
use simulate::weaken::make_inductive;
use simulate::{Certificate, Outcome, Simulation, simulate};
use smt::{Answer, Solver, Standard, Z3};
use std::collections::BTreeMap;
use term::{Pool, Sort, Term, smtlib};

/// An edge: from, to, guard, values of variables, locals.
type Step<'a> = (usize, usize, &'a str, &'a [(&'a str, &'a str)], &'a [&'a str]);

const NAMES: [&str; 6] = ["a", "b", "x", "y", "z", "any"];

/// A formula or sum over the integers of a program.
fn term(pool: &Pool, prefix: &str, text: &str, is_formula: bool) -> Term {
    let declared: String = NAMES
        .map(|n| format!("(declare-const {prefix}{n} Int)(declare-const {prefix}{n}1 Int)"))
        .concat();
    let (text, sort) = (text.replace('@', prefix), if is_formula { "Bool" } else { "Int" });
    let text = format!("{declared}(define-fun it () {sort} {text})");
    let script = smtlib::parse(pool, text.as_bytes()).expect("well-formed");
    script
        .commands
        .iter()
        .find_map(|c| match &c.command {
            smtlib::Command::Define { body, .. } => Some(*body),
            _ => None,
        })
        .expect("a definition")
}

/// A program: the entry comes first, the error last if there is one.
fn program(
    pool: &Pool,
    prefix: &str,
    variables: &[&str],
    points: usize,
    error: bool,
    steps: &[Step<'_>],
) -> Graph {
    let variable = |name: &&str| Variable {
        term: pool.var(&format!("{prefix}{name}"), Sort::Int),
        name: (*name).to_owned(),
    };
    let last = points - 1;
    let point = |at: usize| {
        let live = at > 0 && !(error && at == last);
        let variables = if live { variables.iter().map(variable).collect() } else { vec![] };
        Point { place: Place::default(), variables }
    };
    let points: Vec<Point> = (0..points).map(point).collect();
    let edge = |(from, to, guard, values, locals): &Step<'_>| {
        let value = |(name, text): &(&str, &str)| {
            (pool.var(&format!("{prefix}{name}"), Sort::Int), term(pool, prefix, text, false))
        };
        Edge {
            from: *from,
            to: *to,
            guard: term(pool, prefix, guard, true),
            values: values.iter().map(value).collect::<BTreeMap<_, _>>(),
            locals: locals.iter().map(|n| pool.var(&format!("{prefix}{n}"), Sort::Int)).collect(),
            place: Place::default(),
        }
    };
    Graph {
        points,
        entry: 0,
        error: error.then_some(last),
        edges: steps.iter().map(edge).collect(),
        renamed: Default::default(),
    }
}

fn p0(pool: &Pool) -> Graph {
    program(
        pool,
        "P.",
        &["x"],
        3,
        true,
        &[
            (0, 1, "true", &[("x", "0")], &[]),
            (1, 1, "true", &[("x", "(+ @x 1)")], &[]),
            (1, 2, "(< @x 0)", &[], &[]),
        ],
    )
}

/// αP₀, and βP₀ with the weaker error edge.
fn abstraction(pool: &Pool, error: &str) -> Graph {
    program(
        pool,
        "P.",
        &["x"],
        3,
        true,
        &[
            (0, 1, "(>= @any 0)", &[("x", "@any")], &["any"]),
            (1, 1, "(>= @any @x)", &[("x", "@any")], &["any"]),
            (1, 2, error, &[], &[]),
        ],
    )
}

fn alpha(pool: &Pool) -> Graph {
    abstraction(pool, "(< @x 0)")
}

fn beta(pool: &Pool) -> Graph {
    abstraction(pool, "(or (< @x 0) (= @x 13))")
}

/// ψ̂ of P₀: x ≥ 0 at the loop, ⊥ at the error.
fn proof(pool: &Pool) -> Vec<Vec<Term>> {
    vec![vec![], vec![term(pool, "P.", "(>= @x 0)", true)], vec![pool.fls()]]
}

fn q0(pool: &Pool) -> Graph {
    program(
        pool,
        "Q.",
        &["y"],
        3,
        true,
        &[
            (0, 1, "true", &[("y", "0")], &[]),
            (1, 1, "true", &[("y", "(ite (= @y 12) (+ @y 2) (+ @y 1))")], &[]),
            (1, 2, "(or (< @y 0) (= @y 13))", &[], &[]),
        ],
    )
}

fn q1(pool: &Pool) -> Graph {
    program(
        pool,
        "R.",
        &["z"],
        4,
        true,
        &[
            (0, 1, "true", &[("z", "0")], &[]),
            (1, 1, "(< @z 12)", &[("z", "(+ @z 1)")], &[]),
            (1, 2, "(= @z 12)", &[("z", "(+ @z 2)")], &[]),
            (2, 2, "(> @z 12)", &[("z", "(+ @z 1)")], &[]),
            (1, 3, "(or (< @z 0) (= @z 13))", &[], &[]),
            (2, 3, "(or (< @z 0) (= @z 13))", &[], &[]),
        ],
    )
}

fn find(pool: &Pool, source: &Graph, target: &Graph) -> Simulation {
    let allowance = Allowance::default();
    let found = simulate(pool, source, target, &[], &Standard, &allowance).expect("not broken");
    assert_eq!(found.undecided, 0);
    let certificate = Certificate::of(pool, source, &found);
    assert_eq!(certificate.check(pool, &allowance), Ok(None));
    if found.outcome != Outcome::None {
        assert_eq!(certificate.refuted.len(), source.edges.len() + 1);
        smtlib::parse(&Pool::new(), certificate.script(pool).as_bytes()).expect("a script");
    }
    found
}

fn equivalent(pool: &Pool, a: Term, b: Term) -> bool {
    let mut z3 = Z3::new();
    z3.assert(pool, pool.xor(a, b)).expect("supported");
    z3.check(pool, &[]) == Ok(Answer::Unsat)
}

#[test]
fn examples_8_and_9_identity_fails_and_a_skolem_function_does() {
    let pool = Pool::new();
    let make = |prefix: &str, step: &str| {
        program(
            &pool,
            prefix,
            &["a", "b"],
            2,
            false,
            &[
                (0, 1, "true", &[("a", "@a1"), ("b", "@b1")], &["a1", "b1"]),
                (1, 1, "true", &[("a", step), ("b", "@b")], &[]),
            ],
        )
    };
    let (source, target) = (make("S.", "(+ @a @b)"), make("T.", "(- @a @b)"));
    let found = find(&pool, &source, &target);
    assert_eq!(found.outcome, Outcome::Skolem);
    assert_eq!(found.sigma, [0, 1]);
    // ρ_ext: a_S = a_T ∧ b_S = −b_T
    let [sa, sb] = ["S.a", "S.b"].map(|n| pool.var(n, Sort::Int));
    let [ta, tb] = ["T.a", "T.b"].map(|n| pool.var(n, Sort::Int));
    let printed = pool.and([pool.eq(sa, ta), pool.eq(sb, pool.neg(tb))]);
    let rho = found.rho[1].formula(&pool);
    assert!(equivalent(&pool, rho, printed), "{}", term::print::term_to_string(&pool, rho));
    assert_eq!(find(&pool, &source, &make("U.", "(+ @a @b)")).outcome, Outcome::Identity);
}

#[test]
fn example_13_and_16_which_abstractions_the_proof_is_safe_for() {
    let pool = Pool::new();
    let (allowance, proof) = (Allowance::default(), proof(&pool));
    let is_proof =
        |graph: &Graph| is_proof_of(&pool, graph, &proof, &Standard, &allowance).expect("decided");
    assert!(is_proof(&p0(&pool)));
    assert!(is_proof(&alpha(&pool)));
    assert!(!is_proof(&beta(&pool)));
    // Lemma 7: α^ψ P₀
    assert!(is_proof(&p0(&pool).proof_abstraction(&pool, &proof)));
    // Each is simulated by what abstracts it.
    let other = program(
        &pool,
        "O.",
        &["x"],
        3,
        true,
        &[
            (0, 1, "true", &[("x", "0")], &[]),
            (1, 1, "true", &[("x", "(+ @x 1)")], &[]),
            (1, 2, "(< @x 0)", &[], &[]),
        ],
    );
    for target in [p0(&pool), alpha(&pool), beta(&pool)] {
        assert_eq!(find(&pool, &other, &target).outcome, Outcome::Identity);
    }
}

#[test]
fn example_14_an_abstraction_simulates_and_lifts_what_is_inductive() {
    let pool = Pool::new();
    let q0 = q0(&pool);
    assert_eq!(find(&pool, &q0, &p0(&pool)).outcome, Outcome::None);
    assert_eq!(find(&pool, &q0, &alpha(&pool)).outcome, Outcome::None);
    let beta = beta(&pool);
    let found = find(&pool, &q0, &beta);
    assert_eq!((found.outcome, &found.sigma[..]), (Outcome::Identity, &[0, 1, 2][..]));
    let y = pool.var("Q.y", Sort::Int);
    assert_eq!(found.rho[1].formula(&pool), pool.eq(y, pool.var("P.x", Sort::Int)));
    // |ψ|: the label of the error goes.
    let allowance = Allowance::default();
    let weak = make_inductive(&pool, &beta, &proof(&pool), &Standard, &allowance).expect("decided");
    assert_eq!((weak[1].len(), weak[2].len()), (1, 0));
    // |φ|: y ≥ 0 at the loop, not safe; the edge to the error broke the proof.
    let lifted = lift(&pool, &q0, &beta, &found, &proof(&pool), &Standard, &allowance);
    let lifted = lifted.expect("decided");
    assert!(!lifted.safe);
    assert_eq!(lifted.impact, [2]);
    assert!(equivalent(&pool, lifted.invariant[1][0], pool.le(pool.int(0), y)));
}

#[test]
fn example_15_loop_splitting_is_simulated_and_the_proof_lifts() {
    let pool = Pool::new();
    let (q0, q1) = (q0(&pool), q1(&pool));
    let found = find(&pool, &q1, &q0);
    assert_eq!((found.outcome, &found.sigma[..]), (Outcome::Identity, &[0, 1, 1, 2][..]));
    let [y, z] = ["Q.y", "R.z"].map(|n| pool.var(n, Sort::Int));
    for point in [1, 2] {
        assert_eq!(found.rho[point].formula(&pool), pool.eq(z, y));
    }
    // φ̂ of Q₀ becomes π̂ of Q₁, which is safe.
    let loop_ = term(&pool, "Q.", "(and (>= @y 0) (distinct @y 13))", true);
    let proof = vec![vec![], vec![loop_], vec![pool.fls()]];
    let allowance = Allowance::default();
    let lifted = lift(&pool, &q1, &q0, &found, &proof, &Standard, &allowance).expect("decided");
    assert!(lifted.safe && lifted.impact.is_empty());
    let printed = term(&pool, "R.", "(and (>= @z 0) (distinct @z 13))", true);
    for point in [1, 2] {
        assert!(equivalent(&pool, pool.and(lifted.invariant[point].iter().copied()), printed));
    }
}

#[test]
fn example_16_the_versions_are_not_equivalent_by_the_first_proof() {
    let pool = Pool::new();
    let (q0, p0, proof) = (q0(&pool), p0(&pool), proof(&pool));
    let allowance = Allowance::default();
    // Not even what the proof says of P₀, without its code, simulates Q₀.
    let found = simulate(&pool, &q0, &p0, &proof, &Standard, &allowance).expect("not broken");
    assert_eq!(found.outcome, Outcome::None);
    // A change that keeps the property: x grows by two. The proof's abstraction simulates it.
    let other = program(
        &pool,
        "O.",
        &["x"],
        3,
        true,
        &[
            (0, 1, "true", &[("x", "0")], &[]),
            (1, 1, "true", &[("x", "(+ @x 2)")], &[]),
            (1, 2, "(< @x 0)", &[], &[]),
        ],
    );
    let found = simulate(&pool, &other, &p0, &proof, &Standard, &allowance).expect("not broken");
    assert_eq!(found.outcome, Outcome::Identity, "two steps of one match a step of two");
}
