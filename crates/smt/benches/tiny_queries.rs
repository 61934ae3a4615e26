//! Tiny incremental questions per second for every SMT back end, on the workload that IC3 makes:
//! one transition relation over bit-vectors, thousands of questions that assume a few literals
//! before and after a step, cores read after `unsat`, a state read after `sat`.
//!
//! Run with `cargo bench -p cairn-smt --bench tiny_queries`. All back ends answer the same
//! questions, and the answers are compared.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sat::cadical::{Cadical, Preset};
use sat::cone::ConeSolver;
use smt::{Answer, BitBlast, Solver, Z3, native};
use std::time::{Duration, Instant};
use term::{Pool, Sort, Term};

const QUESTIONS: usize = 20_000;
const LONGEST: Duration = Duration::from_secs(20);

/// A loop body as a front end delivers it: state variables, inputs, and the state after one step.
struct Step {
    state: Vec<Term>,
    next: Vec<Term>,
}

/// Counters, an accumulator with a bound, a mode, a flag word, a timer: the arithmetic of
/// controllers.
fn controller(pool: &Pool, width: u32) -> Step {
    let var = |name: &str| pool.var(name, Sort::BitVec(width));
    let number = |n: u64| pool.bv(n, width);
    let (i, n, sum, mode, flags, timer) =
        (var("i"), var("n"), var("sum"), var("mode"), var("flags"), var("timer"));
    let input = var("input");
    let running = pool.bv_slt(i, n);
    let overflow = pool.bv_slt(number(1000), sum);
    let expired = pool.eq(timer, number(0));
    let next = vec![
        pool.ite(running, pool.bv_add(i, number(1)), number(0)),
        n,
        pool.ite(overflow, number(0), pool.bv_add(sum, pool.bv_and(input, number(255)))),
        pool.ite(expired, pool.ite(overflow, number(2), number(1)), mode),
        pool.bv_or(pool.bv_shl(flags, number(1)), pool.ite(overflow, number(1), number(0))),
        pool.ite(expired, pool.bv_urem(input, number(50)), pool.bv_sub(timer, number(1))),
    ];
    Step { state: vec![i, n, sum, mode, flags, timer], next }
}

/// A random literal over one word: a bound, an equality, a bit, or a comparison of two words.
fn literal(pool: &Pool, rng: &mut StdRng, words: &[Term], width: u32) -> Term {
    let word = words[rng.random_range(0..words.len())];
    let number = pool.bv(rng.random_range(0..1200), width);
    let atom = match rng.random_range(0..5) {
        0 => pool.bv_slt(word, number),
        1 => pool.bv_ult(word, number),
        2 => pool.eq(word, number),
        3 => {
            let bit = rng.random_range(0..width);
            pool.eq(pool.bv_extract(word, bit, bit), pool.bv(1, 1))
        }
        _ => pool.bv_slt(word, words[rng.random_range(0..words.len())]),
    };
    if rng.random_bool(0.5) { pool.not(atom) } else { atom }
}

/// The assumptions of every question: a few literals before and a few after the step.
fn questions(pool: &Pool, step: &Step, width: u32, seed: u64) -> Vec<Vec<Term>> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut literals = |words: &[Term]| -> Vec<Term> {
        (0..150).map(|_| literal(pool, &mut rng, words, width)).collect()
    };
    let (before, after) = (literals(&step.state), literals(&step.next));
    let mut rng = StdRng::seed_from_u64(seed + 1);
    let mut pick = |from: &[Term], most: usize| -> Vec<Term> {
        let count = rng.random_range(1..=most);
        (0..count).map(|_| from[rng.random_range(0..from.len())]).collect()
    };
    (0..QUESTIONS).map(|_| [pick(&before, 5), pick(&after, 3)].concat()).collect()
}

struct Run {
    name: &'static str,
    answered: usize,
    seconds: f64,
    answers: Vec<bool>,
}

fn run(
    name: &'static str,
    pool: &Pool,
    step: &Step,
    questions: &[Vec<Term>],
    solver: &mut dyn Solver,
) -> Run {
    let start = Instant::now();
    let mut answers = Vec::new();
    for assumptions in questions {
        if start.elapsed() > LONGEST {
            break;
        }
        // SAT? ⋀ literals before ∧ T ∧ ⋀ literals after
        match solver.check(pool, assumptions).expect("bit-vectors are supported") {
            Answer::Sat => {
                for word in &step.state {
                    std::hint::black_box(solver.value(pool, *word).expect("a model"));
                }
                answers.push(true);
            }
            Answer::Unsat => {
                std::hint::black_box(solver.core());
                answers.push(false);
            }
            Answer::Unknown(reason) => panic!("{name} has no limit, but: {reason}"),
        }
    }
    Run { name, answered: answers.len(), seconds: start.elapsed().as_secs_f64(), answers }
}

fn main() {
    println!("tiny bit-vector questions, {QUESTIONS} at most, {} s at most", LONGEST.as_secs());
    for width in [8, 32, 64] {
        let pool = Pool::new();
        let step = controller(&pool, width);
        let questions = questions(&pool, &step, width, u64::from(width));
        let incremental = || Cadical::new(Preset::Incremental);
        let runs = [
            run("native (cone + CaDiCaL)", &pool, &step, &questions, &mut native()),
            run("cone", &pool, &step, &questions, &mut BitBlast::new(ConeSolver::new())),
            run("CaDiCaL", &pool, &step, &questions, &mut BitBlast::new(incremental())),
            run("Z3", &pool, &step, &questions, &mut Z3::new()),
        ];
        let rate = |run: &Run| run.answered as f64 / run.seconds;
        let z3 = rate(&runs[3]);
        let sat = runs[0].answers.iter().filter(|a| **a).count();
        println!("\nwidth {width}: {sat} of {} satisfiable", runs[0].answers.len());
        for run in &runs {
            let common = run.answered.min(runs[0].answered);
            assert_eq!(run.answers[..common], runs[0].answers[..common], "{} disagrees", run.name);
            println!(
                "  {:24} {:8} answered {:10.0} /s {:7.1} x Z3",
                run.name,
                run.answered,
                rate(run),
                rate(run) / z3
            );
        }
    }
}
