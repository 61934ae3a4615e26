//! The solver against others: random formulas over bit-vectors and floats go to it, to
//! bit-blasting and to Z3; models are evaluated, cores and what they are weakened to asked again.
//!
//! 20,000 formulas, by bounds and bits and by bounds alone:
//! `FORMULAS=20000 cargo test --release -p cairn-icp --test agreement -- --ignored`

use icp::{Icp, Means};
use rand::SeedableRng;
use rand::rngs::StdRng;
use sat::cadical::{Cadical, Preset};
use smt::{Allowance, Answer, BitBlast, Solver, Z3};
use std::time::Duration;
use term::generate::{Generator, Options};
use term::traverse::free_vars;
use term::{Pool, Sort, Term, Value, print};
use value::Format;

/// Conflicts after which a question of the search alone is left open.
const CONFLICTS: u64 = 3_000;
const Z3_TIME: Duration = Duration::from_millis(500);

fn show(pool: &Pool, formulas: &[Term]) -> String {
    print::script(pool, None, formulas)
}

fn reference() -> BitBlast<Cadical> {
    BitBlast::new(Cadical::new(Preset::Standard))
}

/// Asks another solver, from the beginning.
fn second_opinion(pool: &Pool, formulas: &[Term]) -> bool {
    let mut solver = reference();
    for formula in formulas {
        solver.assert(pool, *formula).expect("supported");
    }
    match solver.check(pool, &[]).expect("supported") {
        Answer::Sat => true,
        Answer::Unsat => false,
        Answer::Unknown(reason) => panic!("there is no limit, but: {reason}"),
    }
}

/// What came of the questions.
#[derive(Default, Debug)]
struct Tally {
    sat: u32,
    unsat: u32,
    open: u32,
    weakened: u32,
    z3: u32,
}

/// Asks one question; models and cores are checked on the way.
fn ask(
    pool: &Pool,
    solver: &mut Icp,
    asserted: &[Term],
    assumptions: &[Term],
    clause: &[Term],
    tally: &mut Tally,
    seed: u64,
) {
    let mut all = [asserted, assumptions].concat();
    if !clause.is_empty() {
        all.push(pool.or(clause.iter().copied()));
    }
    let expected = second_opinion(pool, &all);
    match solver.check_with(pool, assumptions, clause).expect("supported") {
        Answer::Sat => {
            assert!(expected, "seed {seed}: there is no model of\n{}", show(pool, &all));
            for formula in &all {
                let value = solver.value(pool, *formula).expect("a value");
                assert_eq!(value, Value::Bool(true), "seed {seed}: {}", show(pool, &all));
            }
            tally.sat += 1;
        }
        Answer::Unsat => {
            assert!(!expected, "seed {seed}: there is a model of\n{}", show(pool, &all));
            let core = solver.core();
            assert!(core.iter().all(|term| assumptions.contains(term)), "seed {seed}");
            let mut rest = asserted.to_vec();
            if !clause.is_empty() {
                rest.push(pool.or(clause.iter().copied()));
            }
            let weakest = solver.weakest(pool);
            assert_eq!(weakest.iter().map(|w| w.assumption).collect::<Vec<_>>(), core);
            let bounds: Vec<Term> = weakest.iter().map(|w| w.bound).collect();
            for terms in [&core, &bounds] {
                let formulas = [&rest[..], terms].concat();
                assert!(
                    !second_opinion(pool, &formulas),
                    "seed {seed}: a core that has a model:\n{}\nof\n{}",
                    show(pool, &formulas),
                    show(pool, &all)
                );
            }
            tally.weakened += u32::from(bounds != core);
            tally.unsat += 1;
        }
        Answer::Unknown(_) => tally.open += 1,
    }
}

/// Formulas are asserted on two levels, with three questions on each and after the second is gone.
fn check(options: &dyn Fn(&Pool) -> Options, seed: u64, depth: u32, means: Means) -> Tally {
    let mut tally = Tally::default();
    let pool = Pool::new();
    let mut generator = Generator::new(&pool, StdRng::seed_from_u64(seed), options(&pool));
    let mut formulas =
        |n: usize| -> Vec<Term> { (0..n).map(|_| generator.term(Sort::Bool, depth)).collect() };
    let mut solver = Icp::with_means(means);
    if means == Means::Bounds {
        solver.set_work(Some(CONFLICTS));
    }
    let mut asserted = formulas(1);
    solver.assert(&pool, asserted[0]).expect("supported");
    for round in 0..3 {
        match round {
            1 => {
                solver.push();
                asserted.extend(formulas(1));
                solver.assert(&pool, asserted[1]).expect("supported");
            }
            2 => {
                solver.pop(1);
                asserted.truncate(1);
            }
            _ => {}
        }
        let assumptions = formulas(3);
        let clause = if round == 1 { formulas(2) } else { Vec::new() };
        ask(&pool, &mut solver, &asserted, &assumptions, &clause, &mut tally, seed);
    }
    compare_with_z3(&pool, &asserted, &mut solver, &mut tally, seed);
    tally
}

/// One more question, to Z3 as well.
fn compare_with_z3(pool: &Pool, asserted: &[Term], solver: &mut Icp, tally: &mut Tally, seed: u64) {
    // Z3 4.8 ends the process on some formulas with variables for rounding modes.
    if free_vars(pool, asserted).iter().any(|v| pool.sort(*v) == Sort::RoundingMode) {
        return;
    }
    let mut z3 = Z3::new();
    z3.set_allowance(Allowance::default().within(Z3_TIME));
    for formula in asserted {
        z3.assert(pool, *formula).expect("supported");
    }
    let theirs = z3.check(pool, &[]).expect("supported");
    let ours = solver.check(pool, &[]).expect("supported");
    if let (Answer::Sat | Answer::Unsat, Answer::Sat | Answer::Unsat) = (&theirs, &ours) {
        assert_eq!(ours, theirs, "seed {seed}: {}", show(pool, asserted));
        tally.z3 += 1;
    }
}

/// Sorts without arrays, with formats and widths of all kinds.
fn words(pool: &Pool) -> Options {
    let mut options = Options::bits(pool);
    options.sorts.retain(|sort| !matches!(sort, Sort::Array(_)));
    options
}

fn floats(pool: &Pool) -> Options {
    let mut options = Options { partial: true, ..Options::bits_and_floats(pool) };
    options.sorts.retain(|sort| !matches!(sort, Sort::Array(_)));
    options
}

/// The formats of programs; few, so that bit-blasting has time for its part.
fn common_floats(pool: &Pool) -> Options {
    let sorts = vec![Sort::Bool, Sort::BitVec(8), Sort::Float(Format::F16), Sort::RoundingMode];
    Options { sorts, ..floats(pool) }
}

fn run(options: &dyn Fn(&Pool) -> Options, seeds: std::ops::Range<u64>, depth: u32, means: Means) {
    let mut all = Tally::default();
    let count = (seeds.end - seeds.start) as u32;
    for seed in seeds {
        let tally = check(options, seed, depth, means);
        all.sat += tally.sat;
        all.unsat += tally.unsat;
        all.open += tally.open;
        all.weakened += tally.weakened;
        all.z3 += tally.z3;
    }
    println!("{means:?} {all:?}");
    assert!(all.sat > count / 2 && all.unsat > count / 8 && all.z3 > count / 4, "{all:?}");
    assert!(all.open < count / 2, "{all:?}");
}

#[test]
fn bit_vectors() {
    run(&words, 0..60, 4, Means::Both);
}

#[test]
fn small_floats() {
    run(&floats, 1_000..1_060, 3, Means::Both);
}

#[test]
fn bit_vectors_by_bounds_alone() {
    run(&words, 2_000..2_060, 3, Means::Bounds);
}

#[test]
fn small_floats_by_bounds_alone() {
    run(&floats, 3_000..3_060, 3, Means::Bounds);
}

#[test]
fn half_floats() {
    run(&common_floats, 4_000..4_010, 2, Means::Both);
}

#[test]
#[ignore = "an hour"]
fn many() {
    let formulas = std::env::var("FORMULAS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let quarter = formulas / 4;
    run(&words, 100_000..100_000 + quarter, 4, Means::Both);
    run(&floats, 200_000..200_000 + quarter, 4, Means::Both);
    run(&words, 300_000..300_000 + quarter, 3, Means::Bounds);
    run(&floats, 400_000..400_000 + quarter, 3, Means::Bounds);
}
