//! Decides the assertions of SMT-LIB scripts by bounds alone, by bounds with bit-blasting, and by
//! bit-blasting alone, and says how long each took.
//!
//! `cargo run --release -p cairn-icp --example script -- SECONDS FILE…`

use icp::{Icp, Means};
use smt::{Allowance, Answer, Error, Solver, native};
use std::time::{Duration, Instant};
use term::{Pool, smtlib};

/// What a solver says of all assertions, and how long it took, building included.
fn run(text: &[u8], mut solver: Box<dyn Solver>, limit: Duration) -> (String, f64) {
    let pool = Pool::new();
    let script = match smtlib::parse(&pool, text) {
        Ok(script) => script,
        Err(error) => return (error.message.to_string(), 0.0),
    };
    let begun = Instant::now();
    solver.set_allowance(Allowance::default().within(limit));
    let mut ask = || -> Result<Answer, Error> {
        for formula in script.assertions() {
            solver.assert(&pool, formula)?;
        }
        solver.check(&pool, &[])
    };
    let answer = match ask() {
        Ok(Answer::Sat) => "sat".to_owned(),
        Ok(Answer::Unsat) => "unsat".to_owned(),
        Ok(Answer::Unknown(_)) => "-".to_owned(),
        Err(error) => error.to_string(),
    };
    (answer, begun.elapsed().as_secs_f64())
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(10.0);
    let limit = Duration::from_secs_f64(seconds);
    println!("{:>7} {:>7} {:>7} {:>7} {:>7} {:>7}", "bounds", "", "both", "", "bits", "");
    for file in arguments {
        let text = match std::fs::read(&file) {
            Ok(text) => text,
            Err(error) => {
                println!("{file}: {error}");
                continue;
            }
        };
        let solvers: [Box<dyn Solver>; 3] =
            [Box::new(Icp::with_means(Means::Bounds)), Box::new(Icp::new()), Box::new(native())];
        for solver in solvers {
            let (answer, time) = run(&text, solver, limit);
            print!("{answer:>7.7} {time:>7.3} ");
        }
        println!(" {file}");
    }
}
