//! Bounds as assumptions, as IC3 uses them: random boxes under random arithmetic, with cores,
//! weakest bounds, literal rotation and levels; everything is asked of bit-blasting again.

use icp::{Bound, Domain, Icp, Means, Side};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use smt::{Answer, Solver, Solvers, native};
use term::{Op, Pool, Sort, Term};
use value::{Format, Rounding};

/// Variables of one domain, and a relation between those now and next.
struct System {
    pool: Pool,
    domain: Domain,
    now: Vec<Term>,
    next: Vec<Term>,
    relation: Vec<Term>,
}

fn sort(domain: Domain) -> Sort {
    match domain {
        Domain::Truth => Sort::Bool,
        Domain::Unsigned(width) | Domain::Signed(width) => Sort::BitVec(width),
        Domain::Float(format) => Sort::Float(format),
        Domain::Rounding => Sort::RoundingMode,
    }
}

fn key(random: &mut StdRng, domain: Domain) -> u128 {
    match random.random_range(0..5) {
        0 => domain.last() - random.random_range(0..4),
        1 => domain.last() / 2 + random.random_range(0..4),
        _ => random.random_range(0..=domain.last()),
    }
}

fn constant(pool: &Pool, random: &mut StdRng, domain: Domain) -> Term {
    pool.constant(domain.value(key(random, domain)))
}

fn operation(pool: &Pool, random: &mut StdRng, domain: Domain, terms: &[Term]) -> Term {
    let a = *terms.choose(random).expect("some");
    let b = match random.random_range(0..3) {
        0 => constant(pool, random, domain),
        _ => *terms.choose(random).expect("some"),
    };
    if let Domain::Float(_) = domain {
        let mode = pool.rounding(*Rounding::ALL.choose(random).expect("five"));
        return match random.random_range(0..7) {
            0 | 1 => pool.fp_add(mode, a, b),
            2 | 3 => pool.fp_mul(mode, a, b),
            4 => pool.fp_div(mode, a, b),
            5 => pool.ite(pool.fp_lt(a, b), a, b),
            _ => pool.fp_abs(a),
        };
    }
    match random.random_range(0..8) {
        0 | 1 => pool.bv_add(a, b),
        2 => pool.bv_sub(a, b),
        3 => pool.bv_mul(a, b),
        4 => pool.bv_sdiv(a, b),
        5 => pool.bv_and(a, b),
        6 => pool.ite(pool.bv_slt(a, b), a, b),
        _ => pool.make(Op::BvAshr, &[a, pool.bv(1, pool.width(a))]),
    }
}

fn system(seed: u64, domain: Domain) -> (System, StdRng) {
    let mut random = StdRng::seed_from_u64(seed);
    let pool = Pool::new();
    let vars = |prefix: &str| -> Vec<Term> {
        (0..2).map(|i| pool.var(&format!("{prefix}{i}"), sort(domain))).collect()
    };
    let (now, next, input) = (vars("now"), vars("next"), vars("input"));
    let mut terms = [&now[..], &input].concat();
    for _ in 0..4 {
        let term = operation(&pool, &mut random, domain, &terms);
        terms.push(term);
    }
    let relation = next
        .iter()
        .map(|next| pool.eq(*next, *terms[4..].choose(&mut random).expect("some")))
        .collect();
    (System { pool, domain, now, next, relation }, random)
}

/// A random box around the variables, bound by bound.
fn cube(system: &System, random: &mut StdRng) -> Vec<Bound> {
    let mut bounds = Vec::new();
    for term in system.now.iter().chain(&system.next) {
        let (a, b) = (key(random, system.domain), key(random, system.domain));
        for (side, key) in [(Side::AtLeast, a.min(b)), (Side::AtMost, a.max(b))] {
            let bound = Bound { term: *term, domain: system.domain, side, key };
            if random.random_bool(0.8) && !bound.is_trivial() {
                bounds.push(bound);
            }
        }
    }
    bounds
}

fn is_unsat(pool: &Pool, formulas: &[&[Term]]) -> bool {
    let mut solver = native();
    for formula in formulas.iter().copied().flatten() {
        solver.assert(pool, *formula).expect("supported");
    }
    match solver.check(pool, &[]).expect("supported") {
        Answer::Unsat => true,
        Answer::Sat => false,
        Answer::Unknown(reason) => panic!("there is no limit, but: {reason}"),
    }
}

/// Asks about boxes; the numbers of answers, and of cores that were weakened.
fn boxes(seed: u64, domain: Domain, means: Means, tally: &mut [u32; 4]) {
    let (system, mut random) = system(seed, domain);
    let pool = &system.pool;
    let mut solver = Icp::with_means(means);
    if means == Means::Bounds {
        solver.set_work(Some(2_000));
    }
    for formula in &system.relation {
        solver.assert(pool, *formula).expect("supported");
    }
    for _ in 0..6 {
        let cube = cube(&system, &mut random);
        let terms: Vec<Term> = cube.iter().map(|bound| bound.formula(pool)).collect();
        let answer = solver.check(pool, &terms).expect("supported");
        if let Answer::Unknown(_) = answer {
            tally[2] += 1;
            continue;
        }
        assert_eq!(
            answer == Answer::Unsat,
            is_unsat(pool, &[&system.relation, &terms]),
            "seed {seed}"
        );
        if answer == Answer::Sat {
            tally[0] += 1;
            continue;
        }
        tally[1] += 1;
        let weakest = solver.weakest(pool);
        let core = solver.core();
        assert_eq!(weakest.iter().map(|w| w.assumption).collect::<Vec<_>>(), core);
        let bounds: Vec<Term> = weakest.iter().map(|w| w.bound).collect();
        assert!(is_unsat(pool, &[&system.relation, &bounds]), "seed {seed}: {bounds:?}");
        for (bound, assumption) in bounds.iter().zip(&core) {
            let stronger = pool.not(*bound);
            assert!(is_unsat(pool, &[&[*assumption, stronger]]), "seed {seed}: not weaker");
        }
        tally[3] += u32::from(bounds != core);
        rotate(&system, &mut solver, bounds, seed);
    }
}

/// [Sch §III-A]: the core, the failed literal first, is asked until each had its turn.
fn rotate(system: &System, solver: &mut Icp, mut literals: Vec<Term>, seed: u64) {
    let mut turn = 0;
    while turn < literals.len() {
        match solver.check(&system.pool, &literals).expect("supported") {
            Answer::Unsat => {
                let weakest = solver.weakest(&system.pool);
                assert!(weakest.len() <= literals.len(), "seed {seed}");
                literals = weakest.iter().map(|w| w.bound).collect();
            }
            Answer::Unknown(_) => return,
            Answer::Sat => panic!("seed {seed}: a core has a model"),
        }
        turn += 1;
    }
    assert!(is_unsat(&system.pool, &[&system.relation, &literals]), "seed {seed}");
}

fn run(domain: Domain, seeds: std::ops::Range<u64>, means: Means) {
    let mut tally = [0; 4];
    let count = (seeds.end - seeds.start) as u32;
    for seed in seeds {
        boxes(seed, domain, means, &mut tally);
    }
    println!("{domain:?} {means:?}: [sat, unsat, open, weakened] = {tally:?}");
    assert!(tally[0] > count / 4 && tally[1] > count && tally[3] > count / 4, "{tally:?}");
    assert!(tally[2] < count / 2, "{tally:?}");
}

fn small() -> Format {
    Format::new(3, 5).expect("a format")
}

#[test]
fn unsigned() {
    run(Domain::Unsigned(6), 0..40, Means::Both);
}

#[test]
fn signed() {
    run(Domain::Signed(6), 100..140, Means::Bounds);
}

#[test]
fn floats() {
    run(Domain::Float(small()), 200..240, Means::Bounds);
}

#[test]
fn half_floats() {
    run(Domain::Float(Format::F16), 300..312, Means::Both);
}

/// `SYSTEMS=2000 cargo test --release -p cairn-icp --test bounds -- --ignored`
#[test]
#[ignore = "minutes"]
fn many() {
    let systems = std::env::var("SYSTEMS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000);
    run(Domain::Unsigned(8), 10_000..10_000 + systems, Means::Both);
    run(Domain::Signed(7), 20_000..20_000 + systems, Means::Bounds);
    run(Domain::Float(small()), 30_000..30_000 + systems, Means::Bounds);
}

/// x + 1 ≤ 10 from x ≥ 20 fails at x ≥ 10 already.
#[test]
fn the_weakest_bound_is_found() {
    let pool = Pool::new();
    let (x, y) = (pool.var("x", Sort::BitVec(32)), pool.var("y", Sort::BitVec(32)));
    let domain = Domain::Unsigned(32);
    let mut solver = Icp::new();
    let bound = |term, side, key| Bound { term, domain, side, key }.formula(&pool);
    solver.assert(&pool, pool.eq(y, pool.bv_add(x, pool.bv(1, 32)))).expect("supported");
    solver.assert(&pool, bound(x, Side::AtMost, 1_000)).expect("supported");
    let other = bound(pool.var("z", Sort::BitVec(32)), Side::AtLeast, 3);
    let (from, to) = (bound(x, Side::AtLeast, 20), bound(y, Side::AtMost, 10));
    assert_eq!(solver.check(&pool, &[other, from, to]), Ok(Answer::Unsat));
    // What failed comes first.
    assert_eq!(solver.core(), [to, from]);
    let weakest: Vec<Term> = solver.weakest(&pool).iter().map(|w| w.bound).collect();
    assert_eq!(weakest, [bound(y, Side::AtMost, 20), from]);
    // Rotated, x takes what y leaves.
    assert_eq!(solver.check(&pool, &[to, from]), Ok(Answer::Unsat));
    let weakest: Vec<Term> = solver.weakest(&pool).iter().map(|w| w.bound).collect();
    assert_eq!(weakest, [bound(x, Side::AtLeast, 10), to]);
}

#[test]
fn the_factory_hands_it_out() {
    let names = [icp::Solvers.floats(), icp::Solvers.bits(), icp::Solvers.general()];
    assert_eq!(names[0].name(), "icp");
    assert!(names[1..].iter().all(|solver| solver.name() != "icp"));
}

/// NaN is above all numbers, and the zeros are two.
#[test]
fn floats_are_totally_ordered() {
    let pool = Pool::new();
    let x = pool.var("x", Sort::Float(Format::F32));
    let mut solver = Icp::with_means(Means::Bounds);
    let nan = pool.fp_is_nan(x);
    let negative = pool.make(Op::FpIsNegative, &[x]);
    let zero = pool.make(Op::FpIsZero, &[x]);
    let positive = pool.make(Op::FpIsPositive, &[x]);
    let mut check = |terms: &[Term]| solver.check(&pool, terms).expect("supported");
    assert_eq!(check(&[nan, negative]), Answer::Unsat);
    assert_eq!(check(&[pool.not(negative), pool.not(positive)]), Answer::Sat);
    assert_eq!(check(&[pool.not(negative), pool.not(positive), pool.not(nan)]), Answer::Unsat);
    assert_eq!(check(&[zero, negative]), Answer::Sat);
    assert_eq!(check(&[zero, negative, positive]), Answer::Unsat);
    let square = pool.fp_mul(pool.rounding(Rounding::NearestEven), x, x);
    assert_eq!(check(&[pool.make(Op::FpIsNegative, &[square])]), Answer::Unsat);
}
