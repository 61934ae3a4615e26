//! CaDiCaL against the solver test kit, in every preset, and what is particular to it.

mod kit;

use kit::formulas::random_cnf;
use rand::SeedableRng;
use rand::rngs::StdRng;
use sat::cadical::{Cadical, Preset};
use sat::{Allowance, Answer, Exhausted, Solver};
use std::time::{Duration, Instant};

#[test]
fn standard() {
    kit::check_solver(|| Cadical::new(Preset::Standard));
}

#[test]
fn plain() {
    kit::check_solver(|| Cadical::new(Preset::Plain));
}

#[test]
fn sat() {
    kit::check_solver(|| Cadical::new(Preset::Sat));
}

#[test]
fn unsat() {
    kit::check_solver(|| Cadical::new(Preset::Unsat));
}

#[test]
fn incremental() {
    kit::check_solver(|| Cadical::new(Preset::Incremental));
}

#[test]
fn presets_agree_on_threshold_formulas() {
    let mut rng = StdRng::seed_from_u64(11);
    let presets =
        [Preset::Standard, Preset::Plain, Preset::Sat, Preset::Unsat, Preset::Incremental];
    for _ in 0..20 {
        let cnf = random_cnf(&mut rng, 100, 426, 3);
        let answers = presets.map(|preset| {
            let mut solver = Cadical::new(preset);
            cnf.add_to(&mut solver);
            // SAT? cnf
            let answer = solver.solve(&[]);
            if answer == Answer::Sat {
                for clause in &cnf.clauses {
                    assert!(clause.iter().any(|&lit| solver.value(lit) == Some(true)));
                }
            }
            answer
        });
        assert!(answers.iter().all(|&answer| answer == answers[0]));
    }
}

/// Clauses that mention variables which inprocessing may have eliminated: CaDiCaL must restore
/// what it removed.
#[test]
fn clauses_after_elimination() {
    let mut rng = StdRng::seed_from_u64(12);
    for _ in 0..10 {
        let mut solver = Cadical::new(Preset::Standard);
        let mut plain = Cadical::new(Preset::Plain);
        let cnf = random_cnf(&mut rng, 150, 500, 3);
        cnf.add_to(&mut solver);
        cnf.add_to(&mut plain);
        for _ in 0..20 {
            let more = random_cnf(&mut rng, 150, 8, 3);
            for clause in &more.clauses {
                solver.add_clause(clause);
                plain.add_clause(clause);
            }
            let assumptions: Vec<_> = random_cnf(&mut rng, 150, 1, 3).clauses.remove(0);
            // SAT? cnf ∧ more ∧ ⋀ assumptions
            assert_eq!(solver.solve(&assumptions), plain.solve(&assumptions));
        }
    }
}

#[test]
fn a_search_within_inprocessing_meets_its_deadline() {
    let mut rng = StdRng::seed_from_u64(13);
    let mut solver = Cadical::new(Preset::Standard);
    random_cnf(&mut rng, 60_000, 250_000, 3).add_to(&mut solver);
    let start = Instant::now();
    solver.set_allowance(Allowance::default().until(start + Duration::from_millis(300)));
    // SAT? a large random formula just below the threshold
    assert_eq!(solver.solve(&[]), Answer::Unknown(Exhausted::Time));
    assert!(start.elapsed() < Duration::from_secs(5));
}
