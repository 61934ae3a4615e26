//! Questions per second of the solvers on the questions that IC3 asks.
//!
//! `cargo bench -p cairn-sat --bench ic3_queries [-- QUESTIONS]`
//!
//! For each design a small IC3 records its questions, driven by CaDiCaL. The same stream is then
//! played to each solver: clauses are added, questions asked, and the failed assumptions or the
//! latches' and inputs' values read. All answers must agree. The processor time
//! of the whole stream counts; only loading the transition relation, with a first question, is
//! left out.

mod design;
mod direct;
mod driver;
mod play;

use design::Design;
use direct::{Direct, SETTINGS};
use sat::{ConeSolver, Solver};

const QUESTIONS: usize = 10_000;

fn main() {
    // Cargo passes flags of its own.
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let questions = numbers.next().unwrap_or(QUESTIONS);
    let designs: [(&str, Design); 3] = [
        ("random logic", design::random_logic(1)),
        ("machines", design::machines(2)),
        ("datapath", design::datapath(3)),
    ];
    for (name, design) in &designs {
        compare(name, design, questions);
    }
}

fn compare(name: &str, design: &Design, questions: usize) {
    let driven_by = || Box::new(Direct::new(&SETTINGS[4], design.vars)) as Box<dyn Solver>;
    let stream = driver::record(design, questions, &driven_by);
    println!("{name}: {}", play::describe(design, &stream));
    let cone = play::play(design, &stream, ConeSolver::new);
    println!("  {:<32} {}", "cone", cone);
    let mut best: f64 = 0.0;
    for setting in &SETTINGS {
        let played = play::play(design, &stream, || Direct::new(setting, design.vars));
        best = best.max(played.questions_per_second());
        println!("  {:<32} {}", setting.name, played);
    }
    let ratio = cone.questions_per_second() / best;
    println!("  cone against the fastest CaDiCaL: {ratio:.1}\n");
}
