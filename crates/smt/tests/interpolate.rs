//! Interpolants of random formulas: what A implies, what B refutes and which variables they have
//! is asked of Z3 and, where values are few, tried out one by one.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::{FxHashMap, FxHashSet};
use sat::cadical::{Cadical, Preset};
use smt::interpolate::{
    Failure, Options, System, bit, interpolant, sequence, sequence_over, words,
};
use smt::{Allowance, Answer, BitBlast, Exhausted, Solver, Z3};
use std::time::Duration;
use term::generate::{self, Generator};
use term::traverse::{free_vars, substitute};
use term::value::all_values;
use term::{Op, Pool, Sort, Term, Value, evaluate, print};

const Z3_TIME: Duration = Duration::from_millis(500);
const SYSTEMS: [System; 3] = [System::McMillan, System::Pudlak, System::DualMcMillan];

/// SAT? ⋀ formulas, by Z3; by CaDiCaL where Z3 takes too long or has no model.
fn satisfiable(pool: &Pool, formulas: &[Term]) -> bool {
    let mut z3 = Z3::new();
    z3.set_allowance(Allowance::default().within(Z3_TIME));
    match z3.check(pool, formulas).expect("supported") {
        Answer::Sat if model_holds(pool, &mut z3, formulas) => return true,
        Answer::Unsat => return false,
        Answer::Sat | Answer::Unknown(_) => {}
    }
    let mut second = BitBlast::new(Cadical::new(Preset::Standard));
    second.check(pool, formulas).expect("supported") == Answer::Sat
}

/// Whether Z3's model satisfies the formulas; it reasons wrongly about constant arrays with few
/// indices.
fn model_holds(pool: &Pool, z3: &mut Z3, formulas: &[Term]) -> bool {
    let value = |v: Term| Some((v, z3.value(pool, v).ok()?));
    let model: Option<FxHashMap<Term, Value>> =
        free_vars(pool, formulas).into_iter().map(value).collect();
    let Some(model) = model else { return false };
    formulas.iter().all(|f| evaluate(pool, *f, &model) == Ok(Value::Bool(true)))
}

/// The same by trying all values.
fn satisfiable_by_trying(pool: &Pool, formulas: &[Term]) -> bool {
    let variables = free_vars(pool, formulas);
    let values: Vec<Vec<Value>> =
        variables.iter().map(|v| all_values(pool.sort(*v)).collect()).collect();
    let count: usize = values.iter().map(Vec::len).product();
    (0..count).any(|mut number| {
        let mut model: FxHashMap<Term, Value> = FxHashMap::default();
        for (variable, values) in variables.iter().zip(&values) {
            model.insert(*variable, values[number % values.len()].clone());
            number /= values.len();
        }
        formulas.iter().all(|f| evaluate(pool, *f, &model) == Ok(Value::Bool(true)))
    })
}

fn common(pool: &Pool, before: &[Term], after: &[Term]) -> FxHashSet<Term> {
    let after: FxHashSet<Term> = free_vars(pool, after).into_iter().collect();
    free_vars(pool, before).into_iter().filter(|v| after.contains(v)).collect()
}

/// Checks the property of sequence interpolants.
fn examine(
    pool: &Pool,
    parts: &[Vec<Term>],
    found: &[Term],
    satisfiable: impl Fn(&Pool, &[Term]) -> bool,
) {
    assert_eq!(found.len() + 1, parts.len());
    let mut known = pool.tru();
    for (i, part) in parts.iter().enumerate() {
        let next = found.get(i).copied().unwrap_or(pool.fls());
        let mut question = vec![known, pool.not(next)];
        question.extend(part);
        // SAT? Iᵢ₋₁ ∧ φᵢ ∧ ¬Iᵢ
        assert!(
            !satisfiable(pool, &question),
            "step {i}: {}",
            print::script(pool, None, &question)
        );
        let shared = common(pool, &parts[..=i].concat(), &parts[i + 1..].concat());
        for variable in free_vars(pool, &[next]) {
            assert!(shared.contains(&variable), "cut {i} has a variable of one side");
        }
        known = next;
    }
}

fn ask(pool: &Pool, parts: &[Vec<Term>], options: &Options) -> Result<Vec<Term>, Failure> {
    sequence(pool, parts, options, &Allowance::default())
}

/// Parts of a random conjunction; each mentions some variables of its neighbours.
fn random_parts(
    pool: &Pool,
    seed: u64,
    options: generate::Options,
    count: usize,
) -> Vec<Vec<Term>> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut generator = Generator::new(pool, StdRng::seed_from_u64(seed), options);
    let part = |n: usize| {
        let formulas = (0..random.random_range(1..=3)).map(|_| generator.term(Sort::Bool, 3));
        let formulas: Vec<Term> = formulas.collect();
        // Other names for some variables, so that not all are common.
        let own = free_vars(pool, &formulas).into_iter().filter(|_| random.random_bool(0.3));
        let own: Vec<(Term, Term)> =
            own.map(|v| (v, pool.var(&format!("own{n}-{}", v.index()), pool.sort(v)))).collect();
        formulas.iter().map(|f| substitute(pool, *f, own.iter().copied())).collect()
    };
    (0..count).map(part).collect()
}

fn tiny() -> generate::Options {
    let sorts = vec![Sort::Bool, Sort::BitVec(2)];
    generate::Options { sorts, variables: 2, functions: false, quantifiers: false, partial: false }
}

#[test]
fn interpolants_of_tiny_formulas_hold_by_trying() {
    let mut found = 0;
    for seed in 0..150 {
        let pool = Pool::new();
        let count = 2 + seed as usize % 3;
        let parts = random_parts(&pool, seed, tiny(), count);
        let bits = |v: &Term| if pool.sort(*v) == Sort::Bool { 1 } else { 2 };
        if free_vars(&pool, &parts.concat()).iter().map(bits).sum::<u32>() > 10 {
            continue;
        }
        let expected = satisfiable_by_trying(&pool, &parts.concat());
        for system in SYSTEMS {
            for words in [false, true] {
                let options = Options { system, words, ..Options::default() };
                match ask(&pool, &parts, &options) {
                    Err(Failure::Inseparable) => assert!(expected, "seed {seed}"),
                    Err(failure) => panic!("seed {seed}: {failure}"),
                    Ok(interpolants) => {
                        assert!(!expected, "seed {seed}");
                        found += 1;
                        examine(&pool, &parts, &interpolants, satisfiable_by_trying);
                    }
                }
            }
        }
    }
    assert!(found > 100, "{found}");
}

/// With words of many sizes, floats and arrays; Z3 is the judge.
#[test]
fn interpolants_hold_by_another_solver() {
    let (mut found, mut inseparable) = (0, 0);
    for seed in 0..100 {
        let pool = Pool::new();
        let sorts = match seed % 4 {
            0 => generate::Options::bits_and_floats(&pool),
            _ => generate::Options::bits(&pool),
        };
        let parts = random_parts(&pool, seed, sorts, 2 + seed as usize % 3);
        // Z3 4.8 ends the process on some formulas with variables for rounding modes.
        let is_mode = |v: &Term| pool.sort(*v) == Sort::RoundingMode;
        if free_vars(&pool, &parts.concat()).iter().any(is_mode) {
            continue;
        }
        let allowance = Allowance::default().within(Duration::from_secs(1));
        let system = SYSTEMS[seed as usize % 3];
        let options = Options { system, words: seed % 2 == 0, ..Options::default() };
        match sequence(&pool, &parts, &options, &allowance) {
            Err(Failure::Inseparable) => inseparable += 1,
            Err(_) => {}
            Ok(interpolants) => {
                found += 1;
                examine(&pool, &parts, &interpolants, satisfiable);
            }
        }
    }
    assert!(found > 20 && inseparable > 10, "{found} found, {inseparable} inseparable");
}

/// From x < 10, x' = x + 2 and x' > 100 a comparison of x' with a constant, no bits.
#[test]
fn words_are_preferred() {
    let pool = Pool::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| pool.var(n, Sort::BitVec(32)));
    let n = |n: u64| pool.bv(n, 32);
    let parts = vec![
        vec![pool.bv_ult(x, n(10))],
        vec![pool.eq(y, pool.bv_add(x, n(2)))],
        vec![pool.eq(z, pool.bv_add(y, n(1))), pool.bv_ult(n(100), z)],
    ];
    let is_bit = |t: Term| matches!(pool.op(t), Op::BvExtract { .. });
    let bits = |found: &[Term]| term::traverse::subterms(&pool, found).into_iter().any(is_bit);
    for system in SYSTEMS {
        let options = Options { system, ..Options::default() };
        let found = ask(&pool, &parts, &options).expect("interpolants");
        examine(&pool, &parts, &found, satisfiable);
        let plain = Options { words: false, ..options };
        let by_bits = ask(&pool, &parts, &plain).expect("interpolants");
        examine(&pool, &parts, &by_bits, satisfiable);
        assert!(bits(&by_bits) && !bits(&found), "{system:?}");
    }
}

/// The interpolant of the caller's predicates is a combination of them.
#[test]
fn predicates_of_the_caller_are_used() {
    let pool = Pool::new();
    let [x, y] = ["x", "y"].map(|n| pool.var(n, Sort::BitVec(8)));
    let n = |n: u64| pool.bv(n, 8);
    let even = pool.not(bit(&pool, x, 0));
    // x = 2y, x = 7
    let parts = vec![vec![pool.eq(x, pool.bv_mul(n(2), y))], vec![pool.eq(x, n(7))]];
    let groups = vec![vec![(0, even)], vec![(0, pool.bv_ult(x, n(50)))]];
    let allowance = Allowance::default();
    let options = Options::default();
    let found = sequence_over(&pool, &parts, &groups, &options, &allowance);
    assert_eq!(found, Ok(vec![even]));
    assert!(words(&pool, &parts).contains(&(0, pool.eq(x, n(7)))));
}

#[test]
fn arrays_are_separated_by_what_they_hold() {
    let pool = Pool::new();
    let sort = pool.array_sort(Sort::BitVec(4), Sort::BitVec(8));
    let (a, b) = (pool.var("a", sort), pool.var("b", sort));
    let i = pool.var("i", Sort::BitVec(4));
    let n = |n: u64| pool.bv(n, 8);
    let before = vec![pool.eq(b, pool.store(a, i, n(3)))];
    let after = vec![pool.bv_ult(n(5), pool.select(b, i))];
    let allowance = Allowance::default();
    let options = Options::default();
    let found = interpolant(&pool, &before, &after, &options, &allowance);
    let found = found.expect("a comparison of b[i]");
    examine(&pool, &[before, after], &[found], satisfiable);
}

#[test]
fn limits_are_kept() {
    let pool = Pool::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| pool.var(n, Sort::BitVec(64)));
    let (a, b) = (vec![pool.eq(x, pool.bv_mul(y, z))], vec![pool.eq(x, pool.bv(3, 64))]);
    let options = Options { gates: 100, ..Options::default() };
    let failed = interpolant(&pool, &a, &b, &options, &Allowance::default());
    assert!(matches!(failed, Err(Failure::Solver(_))), "{failed:?}");
    let allowance = Allowance::default();
    allowance.interrupt.raise();
    let failed = interpolant(&pool, &a, &b, &Options::default(), &allowance);
    assert_eq!(failed, Err(Failure::Stopped(Exhausted::Interrupted.into())));
    let small = Options { size: 0, words: false, ..Options::default() };
    let [p, q] = ["p", "q"].map(|n| pool.var(n, Sort::Bool));
    let (both, neither) = (vec![pool.and([p, q])], vec![pool.or([pool.not(p), pool.not(q)])]);
    let failed = interpolant(&pool, &both, &neither, &small, &Allowance::default());
    assert_eq!(failed, Err(Failure::TooLarge { size: 1 }));
}
