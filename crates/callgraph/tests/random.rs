//! Random small clauses against enumeration: the answer, with and without simplification before it, the
//! evidence on the clauses as they were made, and that evidence which is wrong is refused.
//!
//! `SYSTEMS=20000 cargo test --release -p cairn-callgraph --test random` tries more.

use answer::Allowance;
use certify::{check_derivation, check_model};
use horn::simplify::simplify;
use horn::{Interpretation, Model, Refutation, System, Verdict};
use kit::clauses::{Shape, holds, least, random};
use passes::Back;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::time::Duration;
use term::{Pool, Sort, Term, Value, evaluate};

const BITS: Shape = Shape { sort: Sort::BitVec(2), body: 2 };

fn count(usual: u64) -> u64 {
    std::env::var("SYSTEMS").ok().map_or(usual, |text| text.parse().expect("a number"))
}

fn allowance() -> Allowance {
    Allowance::default().within(Duration::from_secs(60))
}

fn decided(pool: &Pool, system: &System) -> Verdict {
    callgraph::decide(pool, system, &smt::Standard, &allowance(), &mut ())
}

#[test]
fn answers_are_those_of_enumeration() {
    let (mut safe, mut unsafe_) = (0, 0);
    for seed in 0..count(300) {
        let pool = Pool::new();
        let system = random(&pool, BITS, seed);
        let (_, fails) = least(&pool, &system);
        let simplified = simplify(&pool, &system, &smt::Standard, &allowance());
        let (_, still) = least(&pool, &simplified.system);
        assert_eq!(fails, still, "seed {seed}: simplification changes the answer");
        let ways: [(&System, bool); 2] = [(&system, false), (&simplified.system, true)];
        for (asked, simple) in ways {
            match decided(&pool, asked) {
                Verdict::Safe(model) => {
                    assert!(!fails, "seed {seed}: false can be derived");
                    let model = match simple {
                        true => simplified.back.invariant(model).expect("a way back"),
                        false => model,
                    };
                    check_model(&pool, &system, &model, &allowance())
                        .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                    safe += 1;
                }
                Verdict::Unsafe(run) => {
                    assert!(fails, "seed {seed}: false can't be derived");
                    let run = match simple {
                        true => simplified.back.run(run).expect("a way back"),
                        false => run,
                    };
                    check_derivation(&pool, &system, &run)
                        .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                    damaged(&pool, &system, &run, seed);
                    unsafe_ += 1;
                }
                Verdict::Unknown(reason) => panic!("seed {seed}: {reason}"),
            }
        }
    }
    assert!(safe > 50 && unsafe_ > 50, "{safe} safe, {unsafe_} unsafe");
}

/// Unfolding finds derivations where there are some, mostly, and nowhere else.
#[test]
fn unfolding_finds_derivations() {
    let (mut found, mut missed) = (0, 0);
    for seed in 0..count(120) {
        let pool = Pool::new();
        let system = random(&pool, BITS, seed);
        let (_, fails) = least(&pool, &system);
        let short =
            Allowance::default().within(Duration::from_millis(if fails { 2_000 } else { 30 }));
        match callgraph::unfold(&pool, &system, &smt::Standard, &short, &mut ()) {
            Verdict::Unsafe(run) => {
                assert!(fails, "seed {seed}: false can't be derived");
                check_derivation(&pool, &system, &run)
                    .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                found += 1;
            }
            _ => missed += usize::from(fails),
        }
    }
    assert!(found > 10 * missed, "{found} found, {missed} missed");
}

/// A derivation that lacks its end, or derives a premise by another clause, is none.
fn damaged(pool: &Pool, system: &System, run: &Refutation, seed: u64) {
    let mut short = run.clone();
    short.steps.pop();
    assert!(check_derivation(pool, system, &short).is_err(), "seed {seed}: without its end");
    let mut random = StdRng::seed_from_u64(seed);
    let mut changed = run.clone();
    let step = random.random_range(0..changed.steps.len());
    let Some((_, value)) = changed.steps[step].values.first_mut() else { return };
    let Value::Bits(bits) = value else { return };
    *bits = bits.add(&value::Bits::from_u64(2, random.random_range(1..4)));
    let accepted = check_derivation(pool, system, &changed).is_ok();
    // What is accepted is a derivation: everything in it can be derived.
    if accepted {
        let (relations, fails) = least(pool, system);
        assert!(fails, "seed {seed}");
        for (predicate, tuple) in
            changed.replay(pool, system).expect("accepted").into_iter().flatten()
        {
            assert!(relations[predicate].contains(&tuple), "seed {seed}");
        }
    }
}

/// The checker says of random relations what enumeration says.
#[test]
fn models_are_checked() {
    let (mut right, mut wrong) = (0, 0);
    for seed in 0..count(300) {
        let pool = Pool::new();
        let system = random(&pool, BITS, seed);
        let (relations, fails) = least(&pool, &system);
        let mut random = StdRng::seed_from_u64(seed);
        for exact in [true, false, false] {
            let formula = |p: usize, random: &mut StdRng| {
                let parameters = &system.predicates[p].parameters;
                let mut tuples: Vec<&Vec<Value>> = relations[p].iter().collect();
                tuples.sort();
                if !exact && !tuples.is_empty() {
                    tuples.remove(random.random_range(0..tuples.len()));
                }
                let is = |tuple: &Vec<Value>| {
                    let pairs = parameters.iter().zip(tuple);
                    pool.and(pairs.map(|(v, x)| pool.eq(*v, pool.constant(x.clone()))))
                };
                pool.or(tuples.into_iter().map(is))
            };
            let formulas: Vec<Term> =
                (0..system.predicates.len()).map(|p| formula(p, &mut random)).collect();
            let relation = |p: usize, tuple: &[Value]| {
                let parameters = system.predicates[p].parameters.iter().copied();
                let values: rustc_hash::FxHashMap<Term, Value> =
                    parameters.zip(tuple.iter().cloned()).collect();
                evaluate(&pool, formulas[p], &values) == Ok(Value::Bool(true))
            };
            let expected = holds(&pool, &system, &relation);
            assert!(!exact || expected != fails, "seed {seed}: the least model");
            let relations = formulas.iter().map(|f| Interpretation::Formula(*f)).collect();
            let accepted = check_model(&pool, &system, &Model { relations }, &allowance()).is_ok();
            assert_eq!(accepted, expected, "seed {seed}");
            if expected { right += 1 } else { wrong += 1 }
        }
    }
    assert!(right > 50 && wrong > 50, "{right} right, {wrong} wrong");
}

/// Of integers there may be no answer in time, but two answers never differ: with and without
/// simplification.
#[test]
fn integers_agree_with_themselves() {
    let shape = Shape { sort: Sort::Int, body: 2 };
    let mut answers = 0;
    for seed in 0..count(40) {
        let pool = Pool::new();
        let system = random(&pool, shape, seed);
        let short = Allowance::default().within(Duration::from_millis(500));
        let simplified = simplify(&pool, &system, &smt::Standard, &short);
        let mut told = None;
        for (asked, simple) in [(&system, false), (&simplified.system, true)] {
            let verdict = callgraph::decide(&pool, asked, &smt::Standard, &short, &mut ());
            let safe = match verdict {
                Verdict::Unknown(_) => continue,
                Verdict::Safe(model) => {
                    let back = |model| simplified.back.invariant(model).expect("a way back");
                    let model = if simple { back(model) } else { model };
                    check_model(&pool, &system, &model, &allowance())
                        .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                    true
                }
                Verdict::Unsafe(run) => {
                    let back = |run| simplified.back.run(run).expect("a way back");
                    let run = if simple { back(run) } else { run };
                    check_derivation(&pool, &system, &run)
                        .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                    false
                }
            };
            assert!(told.is_none_or(|told| told == safe), "seed {seed}");
            told = Some(safe);
            answers += 1;
        }
    }
    assert!(answers > 20, "only {answers} answers");
}
