//! Random ∀∃ formulas of each theory: what is decided is compared with Z3's quantifiers, of small
//! bit-vectors with all values. Skolem relations are checked by `decide` itself; here the functions
//! are once more put into the formula and evaluated at random places.

mod formulas;

use aeval::{Effort, Question, Validity, decide};
use answer::Allowance;
use formulas::{Formulas, Maker, THEORIES, Theory};
use rustc_hash::FxHashMap;
use smt::{Answer, Solver, Standard, Z3};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use term::traverse::substitute;
use term::value::all_values;
use term::{Pool, Sort, Term, Value, evaluate, print};

fn question(made: &Formulas) -> Question {
    let (premise, conclusion) = (made.premise, made.conclusion);
    Question { premise, conclusion, variables: made.existential.clone() }
}

fn text(pool: &Pool, question: &Question) -> String {
    let exists = pool.exists(&question.variables, question.conclusion);
    print::script(pool, None, &[question.premise, pool.not(exists)])
}

/// What Z3 says of S ∧ ¬∃y. T.
fn quantified(pool: &Pool, question: &Question) -> Option<bool> {
    let mut z3 = Z3::new();
    z3.set_allowance(Allowance::default().within(Duration::from_secs(1)));
    let exists = pool.exists(&question.variables, question.conclusion);
    z3.assert(pool, question.premise).expect("supported");
    z3.assert(pool, pool.not(exists)).expect("supported");
    match z3.check(pool, &[]).expect("an answer") {
        Answer::Unsat => Some(true),
        Answer::Sat => Some(false),
        Answer::Unknown(_) => None,
    }
}

/// Whether it is valid, by all values of all variables; they are few.
fn enumerated(pool: &Pool, made: &Formulas) -> bool {
    let assignments = |variables: &[Term]| {
        let mut all: Vec<FxHashMap<Term, Value>> = vec![FxHashMap::default()];
        for v in variables {
            let with = |a: &FxHashMap<Term, Value>, value: Value| {
                let mut a = a.clone();
                a.insert(*v, value);
                a
            };
            all = all
                .iter()
                .flat_map(|a| all_values(pool.sort(*v)).map(move |value| with(a, value)))
                .collect();
        }
        all
    };
    let holds = |t: Term, a: &FxHashMap<Term, Value>| evaluate(pool, t, a) == Ok(Value::Bool(true));
    assignments(&made.universal).iter().filter(|x| holds(made.premise, x)).all(|x| {
        let t = substitute(
            pool,
            made.conclusion,
            x.iter().map(|(v, value)| (*v, pool.constant(value.clone()))),
        );
        assignments(&made.existential).iter().any(|y| holds(t, y))
    })
}

#[derive(Default, Debug)]
struct Tally {
    valid: usize,
    invalid: usize,
    unknown: BTreeMap<String, usize>,
    compared: usize,
    ours: Duration,
    theirs: Duration,
    /// Σ ln(ours / theirs)
    ratio: f64,
}

fn one(theory: Theory, seed: u64, tally: &mut Tally) {
    let pool = Pool::new();
    let mut maker = Maker::new(&pool, theory, seed);
    let made = maker.formulas(2, 2, 3);
    let question = question(&made);
    let allowance = Allowance::default().within(Duration::from_secs(1));
    let effort = if seed.is_multiple_of(2) { Effort::Minimal } else { Effort::Plain };
    let start = Instant::now();
    let answer = decide(&pool, &question, &Standard, &allowance, effort)
        .unwrap_or_else(|broken| panic!("{theory:?} {seed}: {broken}\n{}", text(&pool, &question)));
    let ours = start.elapsed();
    let valid = match answer {
        Validity::Valid(skolem) => {
            assert_eq!(skolem.variables, question.variables);
            let functions = skolem.functions(&pool);
            let left = pool.and([
                question.premise,
                pool.not(substitute(&pool, question.conclusion, functions)),
            ]);
            let mut z3 = Z3::new();
            z3.set_allowance(Allowance::default().within(Duration::from_secs(2)));
            z3.assert(&pool, left).expect("supported");
            assert_ne!(z3.check(&pool, &[]), Ok(Answer::Sat), "{theory:?} {seed}");
            true
        }
        Validity::Invalid(_) => false,
        Validity::Unknown(why) => {
            *tally.unknown.entry(why.to_string()).or_default() += 1;
            return;
        }
    };
    let start = Instant::now();
    let theirs = quantified(&pool, &question);
    let time = start.elapsed();
    tally.ours += ours;
    tally.theirs += time;
    tally.ratio += (ours.as_secs_f64() / time.as_secs_f64()).ln();
    if let Some(expected) = theirs {
        tally.compared += 1;
        assert_eq!(valid, expected, "{theory:?} {seed}, Z3:\n{}", text(&pool, &question));
    }
    if theory == Theory::Booleans || theory == Theory::Bits && maker.width <= 2 {
        let expected = enumerated(&pool, &made);
        tally.compared += 1;
        assert_eq!(valid, expected, "{theory:?} {seed}, all:\n{}", text(&pool, &question));
    }
    *(if valid { &mut tally.valid } else { &mut tally.invalid }) += 1;
}

#[test]
fn random_formulas_are_decided_rightly() {
    for theory in THEORIES {
        let mut tally = Tally::default();
        (0..20).for_each(|seed| one(theory, seed, &mut tally));
        assert!(
            tally.valid > 1 && tally.invalid > 1 && tally.unknown.values().sum::<usize>() < 8,
            "{theory:?} {tally:?}"
        );
    }
}

/// `FORMULAS=10000 cargo test --release -p cairn-aeval --test validity -- --ignored --nocapture`
#[test]
#[ignore = "takes an hour"]
fn many_random_formulas_are_decided_rightly() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
    };
    let (count, start) = (number("FORMULAS", 1000), number("START", 1000));
    for theory in THEORIES {
        let mut tally = Tally::default();
        (start..start + count).for_each(|seed| one(theory, seed, &mut tally));
        let decided = (tally.valid + tally.invalid) as f64;
        println!(
            "{theory:?} {tally:?}, geometric mean of ratios {:.3}",
            (tally.ratio / decided).exp()
        );
    }
}

/// Elements of a sort of which nothing is known have no names, so little is decided; nothing wrongly.
#[test]
fn sorts_without_names_are_never_decided_wrongly() {
    let pool = Pool::new();
    let sort = Sort::Uninterpreted(pool.symbol("U"));
    let [a, b, y] = ["a", "b", "y"].map(|n| pool.var(n, sort));
    let ask = |premise, conclusion| {
        let question = Question { premise, conclusion, variables: vec![y] };
        decide(&pool, &question, &Standard, &Allowance::default(), Effort::Minimal)
            .expect("not broken")
    };
    let both = pool.and([pool.eq(y, a), pool.eq(y, b)]);
    assert!(!matches!(ask(pool.tru(), pool.or([both, pool.eq(y, a)])), Validity::Invalid(_)));
    assert!(!matches!(ask(pool.eq(a, b), both), Validity::Invalid(_)));
    assert!(!matches!(ask(pool.tru(), both), Validity::Valid(_)));
}
