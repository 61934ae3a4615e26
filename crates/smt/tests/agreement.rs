//! All solvers agree: random formulas over bit-vectors, floats, arrays and functions are given to
//! every back end, their answers compared with Z3's, every model evaluated, every core asked
//! again.

use rand::SeedableRng;
use rand::rngs::StdRng;
use rustc_hash::FxHashMap;
use sat::cadical::{Cadical, Preset};
use sat::cone::ConeSolver;
use smt::{Allowance, Answer, Auto, BitBlast, Cached, Process, Solver, Z3, native};
use std::num::NonZeroUsize;
use std::time::Duration;
use term::generate::{Generator, Options};
use term::traverse::{free_vars, subterms};
use term::{Op, Pool, Sort, Term, Value, evaluate, print};
use value::Format;

const Z3_TIME: Duration = Duration::from_millis(500);

fn back_ends() -> Vec<Box<dyn Solver>> {
    let capacity = NonZeroUsize::new(64).expect("not zero");
    vec![
        Box::new(native()),
        Box::new(BitBlast::new(ConeSolver::new())),
        Box::new(BitBlast::new(Cadical::new(Preset::Standard))),
        Box::new(Cached::new(Auto::new(), capacity)),
    ]
}

fn show(pool: &Pool, formulas: &[Term]) -> String {
    print::script(pool, None, formulas)
}

/// Formulas asserted for good, and assumptions for three questions.
struct Problem {
    asserted: Vec<Term>,
    questions: Vec<Vec<Term>>,
}

fn problem(pool: &Pool, options: Options, seed: u64, depth: u32) -> Problem {
    let mut generator = Generator::new(pool, StdRng::seed_from_u64(seed), options);
    let mut formulas =
        |n: usize| -> Vec<Term> { (0..n).map(|_| generator.term(Sort::Bool, depth)).collect() };
    let asserted = formulas(2);
    let questions = (0..3).map(|_| formulas(3)).collect();
    Problem { asserted, questions }
}

/// Asks one back end; on the way models are evaluated and cores checked by asking `Z3`.
fn ask(
    pool: &Pool,
    solver: &mut dyn Solver,
    asserted: &[Term],
    assumptions: &[Term],
    seed: u64,
) -> bool {
    let all = [asserted, assumptions].concat();
    match solver.check(pool, assumptions).expect("supported") {
        Answer::Sat => {
            for formula in &all {
                let value = solver.value(pool, *formula).expect("a value");
                assert_eq!(
                    value,
                    Value::Bool(true),
                    "seed {seed}, {}: model of\n{}",
                    solver.name(),
                    show(pool, &all)
                );
            }
            true
        }
        Answer::Unsat => {
            let core = solver.core();
            assert!(core.iter().all(|c| assumptions.contains(c)), "a core is of assumptions");
            let mut second = BitBlast::new(Cadical::new(Preset::Standard));
            for formula in asserted.iter().chain(&core) {
                second.assert(pool, *formula).expect("supported");
            }
            assert_eq!(
                second.check(pool, &[]).expect("supported"),
                Answer::Unsat,
                "seed {seed}, {}: core of\n{}",
                solver.name(),
                show(pool, &all)
            );
            false
        }
        Answer::Unknown(reason) => panic!("{} has no limit, but: {reason}", solver.name()),
    }
}

/// Whether there are variables for rounding modes. Z3 4.8 ends the process on some formulas with
/// such; the circuits for them are tested in `blast` without a second solver.
fn modes_are_free(pool: &Pool, formulas: &[Term]) -> bool {
    free_vars(pool, formulas).iter().any(|v| pool.sort(*v) == Sort::RoundingMode)
}

/// Whether Z3's model satisfies the formulas by our own evaluation. Z3 reasons wrongly about
/// constant arrays with few indices, and its model then does not; an answer whose model can't be
/// read as values is not counted either.
fn model_holds(pool: &Pool, z3: &mut Z3, formulas: &[Term]) -> bool {
    let mut assignment: FxHashMap<Term, Value> = FxHashMap::default();
    let applies = |t: &Term| matches!(pool.op(*t), Op::Apply(_));
    if subterms(pool, formulas).iter().any(applies) {
        // Tables of functions are not read back.
        return true;
    }
    for var in free_vars(pool, formulas) {
        let Ok(value) = z3.value(pool, var) else { return false };
        assignment.insert(var, value);
    }
    let holds = |f: &Term| evaluate(pool, *f, &assignment) == Ok(Value::Bool(true));
    formulas.iter().all(holds)
}

fn check(options: impl Fn(&Pool) -> Options, seeds: std::ops::Range<u64>, depth: u32) {
    let (mut sat, mut unsat, mut compared) = (0, 0, 0);
    for seed in seeds {
        let pool = Pool::new();
        let Problem { asserted, questions } = problem(&pool, options(&pool), seed, depth);
        let mut solvers = back_ends();
        let mut z3 = Z3::new();
        for formula in &asserted {
            if !modes_are_free(&pool, &asserted) {
                z3.assert(&pool, *formula).expect("supported");
            }
            for solver in &mut solvers {
                solver.assert(&pool, *formula).expect("supported");
            }
        }
        for assumptions in &questions {
            let answers: Vec<bool> = solvers
                .iter_mut()
                .map(|solver| ask(&pool, &mut **solver, &asserted, assumptions, seed))
                .collect();
            assert!(answers.windows(2).all(|w| w[0] == w[1]), "seed {seed}: {answers:?}");
            if answers[0] {
                sat += 1
            } else {
                unsat += 1
            }
            let all = [&asserted[..], assumptions].concat();
            if modes_are_free(&pool, &all) {
                continue;
            }
            z3.set_allowance(Allowance::default().within(Z3_TIME));
            let expected = match z3.check(&pool, assumptions).expect("supported") {
                Answer::Sat if !model_holds(&pool, &mut z3, &all) => continue,
                Answer::Sat => true,
                Answer::Unsat => false,
                Answer::Unknown(_) => continue,
            };
            compared += 1;
            assert_eq!(answers[0], expected, "seed {seed}: Z3 disagrees on\n{}", show(&pool, &all));
        }
    }
    assert!(sat > 10 && unsat > 10 && compared > 20, "{sat} sat, {unsat} unsat, {compared}");
}

#[test]
fn bit_vectors_and_arrays() {
    check(Options::bits, 0..120, 4);
}

fn functions_of_bits(pool: &Pool) -> Options {
    let mut options = Options { functions: true, ..Options::bits(pool) };
    options.sorts.retain(|sort| !matches!(sort, Sort::Array(_)));
    options
}

#[test]
fn functions() {
    check(functions_of_bits, 0..80, 4);
}

#[test]
fn floats() {
    check(Options::bits_and_floats, 0..60, 3);
}

#[test]
fn unspecified_results() {
    check(|pool| Options { partial: true, ..Options::bits_and_floats(pool) }, 1000..1120, 3);
}

/// `cargo test --release -p cairn-smt --test agreement -- --ignored`
#[test]
#[ignore = "an hour"]
fn many() {
    check(Options::bits, 10_000..20_000, 5);
    check(functions_of_bits, 20_000..24_000, 5);
    let floats = |pool: &Pool| Options { partial: true, ..Options::bits_and_floats(pool) };
    check(floats, 30_000..36_000, 4);
}

/// Bitwuzla knows variables for rounding modes, and floats well.
/// `cargo test --release -p cairn-smt --test agreement -- --ignored bitwuzla`
#[test]
#[ignore = "needs bitwuzla on the path"]
fn bitwuzla() {
    let mut compared = 0;
    for seed in 50_000..50_400 {
        let pool = Pool::new();
        let mut options = Options { partial: true, ..Options::bits_and_floats(&pool) };
        // It has the common formats only.
        options.sorts.retain(|sort| sort.format().is_none());
        options.sorts.push(Sort::Float(Format::F16));
        let Problem { asserted, questions } = problem(&pool, options, seed, 3);
        let (mut ours, mut theirs) = (native(), Process::bitwuzla());
        for formula in &asserted {
            ours.assert(&pool, *formula).expect("supported");
            theirs.assert(&pool, *formula).expect("supported");
        }
        for assumptions in &questions {
            let answer = ask(&pool, &mut ours, &asserted, assumptions, seed);
            let second = theirs.check(&pool, assumptions);
            // Equality of constant arrays is beyond it.
            let Ok(second @ (Answer::Sat | Answer::Unsat)) = second else { continue };
            compared += 1;
            let all = [&asserted[..], assumptions].concat();
            assert_eq!(answer, second == Answer::Sat, "seed {seed}:\n{}", show(&pool, &all));
        }
    }
    assert!(compared > 200, "{compared}");
}
