//! Decides Horn clauses with this engine alone and checks what it says:
//! `cargo run --release -p cairn-callgraph --example solve -- FILE.smt2 [SECONDS]`.

use answer::Allowance;
use certify::{check_derivation, check_model};
use horn::Verdict;
use horn::simplify::simplify;
use passes::Back;
use std::time::{Duration, Instant};
use term::Pool;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("the name of a file is missing")?;
    let seconds: u64 = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let allowance = Allowance::default().within(Duration::from_secs(seconds));
    let begun = Instant::now();
    let pool = Pool::new();
    let system = horn::read(&pool, &std::fs::read(&file)?)?;
    let simplified = simplify(&pool, &system, &smt::Standard, &allowance);
    let simple = &simplified.system;
    eprintln!(
        "clauses: {} to {}, {} ({:.2} s)",
        system.clauses.len(),
        simple.clauses.len(),
        if simple.is_linear() { "linear" } else { "not linear" },
        begun.elapsed().as_secs_f64()
    );
    if std::env::var_os("SHOW").is_some() {
        println!("{}", horn::write::system_text(&pool, simple));
        let hull = callgraph::hull::hull(&pool, simple, &smt::Standard, &allowance);
        for (predicate, known) in simple.predicates.iter().zip(hull.iter().flat_map(|h| &h.of)) {
            for formula in known {
                println!("; {}: {}", predicate.name, term::print::term_to_string(&pool, *formula));
            }
        }
    }
    let mut statistics = lemmas::Statistics::default();
    let verdict = callgraph::decide(&pool, simple, &smt::Standard, &allowance, &mut statistics);
    eprintln!("found after {:.2} s", begun.elapsed().as_secs_f64());
    eprintln!("{statistics:?}");
    let mut statistics = Vec::new();
    match verdict {
        Verdict::Safe(model) => {
            let model = simplified.back.invariant(model).ok_or("no way back")?;
            check_model(&pool, &system, &model, &Allowance::default())?;
            statistics.push(format!("{} formulas", model.size(&pool)));
            println!("sat");
        }
        Verdict::Unsafe(refutation) => {
            let refutation = simplified.back.run(refutation).ok_or("no way back")?;
            check_derivation(&pool, &system, &refutation)?;
            statistics.push(format!("{} steps", refutation.steps.len()));
            println!("unsat");
        }
        Verdict::Unknown(reason) => println!("unknown ({reason})"),
    }
    eprintln!("{} ({:.2} s)", statistics.join(", "), begun.elapsed().as_secs_f64());
    Ok(())
}
