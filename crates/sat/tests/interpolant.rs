//! Interpolants of two parts: every one is checked by another solver, in all systems, on random
//! and structured formulas, with and without assumptions.

mod kit;

use kit::formulas::{
    Parted, counter, parted_pigeonhole, random_cnf, random_miter, random_stretches,
};
use kit::interpolation::{check_cut, proving_solver, refutation, with_assumptions};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sat::cadical::Preset;
use sat::interpolant::{Label, System, interpolate};
use sat::proof::Partition;
use sat::{Answer, Lit, Var};

const PRESETS: [Preset; 4] = [Preset::Standard, Preset::Plain, Preset::Unsat, Preset::Incremental];

fn random_labelling(rng: &mut StdRng, vars: usize) -> Vec<Label> {
    (0..vars)
        .map(|_| match rng.random_range(0..3) {
            0 => Label::A,
            1 => Label::B,
            _ => Label::AB,
        })
        .collect()
}

/// Asks the question; if it is unsatisfiable, checks its interpolants for all cuts of two parts
/// or for some cuts of more. Returns whether it was.
fn check_question(
    rng: &mut StdRng,
    parted: &Parted,
    preset: Preset,
    assumptions: &[(Lit, Partition)],
) -> bool {
    let mut solver = proving_solver(parted, preset);
    // SAT? parts ∧ ⋀ assumptions
    if solver.solve(assumptions) == Answer::Sat {
        return false;
    }
    let refutation = refutation(&solver, parted, assumptions);
    let question = with_assumptions(parted, assumptions);
    let labels = random_labelling(rng, question.cnf.vars);
    let parts = question.parts.iter().max().map_or(1, |&part| part + 1);
    if parts == 2 {
        check_cut(&question, &refutation, &|part| part.0 == 0, |var| labels[var.index()]);
    } else {
        let inside: Vec<bool> = (0..parts).map(|_| rng.random()).collect();
        let in_a = |part: Partition| inside[part.0 as usize];
        check_cut(&question, &refutation, &in_a, |var| labels[var.index()]);
    }
    true
}

fn random_assumptions(rng: &mut StdRng, vars: usize, max: usize) -> Vec<(Lit, Partition)> {
    let len = rng.random_range(0..=max);
    (0..len)
        .map(|_| {
            let lit = Var::new(rng.random_range(0..vars)).lit(rng.random());
            (lit, Partition(rng.random_range(0..2)))
        })
        .collect()
}

#[test]
fn random_formulas() {
    let mut rng = StdRng::seed_from_u64(21);
    let mut refuted = 0;
    for round in 0..120 {
        let vars = rng.random_range(3..60);
        let count = (vars as f64 * rng.random_range(4.2..7.0)) as usize;
        let cnf = random_cnf(&mut rng, vars, count, 3);
        let parted = Parted::randomly(&mut rng, cnf, 2);
        let preset = PRESETS[round % PRESETS.len()];
        refuted += usize::from(check_question(&mut rng, &parted, preset, &[]));
    }
    assert!(refuted > 60, "only {refuted} unsatisfiable formulas");
}

#[test]
fn random_formulas_with_local_variables() {
    let mut rng = StdRng::seed_from_u64(22);
    let mut refuted = 0;
    for round in 0..60 {
        let vars = rng.random_range(20..70);
        let count = (vars as f64 * rng.random_range(5.0..7.0)) as usize;
        let parted = random_stretches(&mut rng, vars, count, 2);
        let preset = PRESETS[round % PRESETS.len()];
        let assumptions = random_assumptions(&mut rng, vars, 4);
        refuted += usize::from(check_question(&mut rng, &parted, preset, &assumptions));
    }
    assert!(refuted > 30, "only {refuted} unsatisfiable formulas");
}

/// Satisfiable formulas that assumptions make unsatisfiable, so that the proof ends in a clause
/// of negated assumptions.
#[test]
fn random_formulas_with_assumptions() {
    let mut rng = StdRng::seed_from_u64(23);
    let mut refuted = 0;
    for round in 0..200 {
        let vars = rng.random_range(3..40);
        let count = (vars as f64 * rng.random_range(1.0..3.5)) as usize;
        let cnf = random_cnf(&mut rng, vars, count, 3);
        let parted = Parted::randomly(&mut rng, cnf, 2);
        let preset = PRESETS[round % PRESETS.len()];
        let assumptions = random_assumptions(&mut rng, vars, vars);
        refuted += usize::from(check_question(&mut rng, &parted, preset, &assumptions));
    }
    assert!(refuted > 80, "only {refuted} unsatisfiable questions");
}

#[test]
fn pigeonhole() {
    let mut rng = StdRng::seed_from_u64(24);
    for holes in 1..=5 {
        for preset in PRESETS {
            let parted = parted_pigeonhole(&mut rng, holes + 1, holes);
            assert!(check_question(&mut rng, &parted, preset, &[]));
        }
    }
}

#[test]
fn circuits_that_are_equal() {
    let mut rng = StdRng::seed_from_u64(25);
    for round in 0..40 {
        let inputs = rng.random_range(2..10);
        let gates = rng.random_range(1..60);
        let parted = random_miter(&mut rng, inputs, gates);
        let preset = PRESETS[round % PRESETS.len()];
        assert!(check_question(&mut rng, &parted, preset, &[]));
    }
}

#[test]
fn bounded_model_checking() {
    let mut rng = StdRng::seed_from_u64(26);
    for (bits, steps) in [(2, 1), (3, 4), (4, 9), (5, 14)] {
        for preset in PRESETS {
            let mut parted = counter(bits, steps);
            assert!(check_question(&mut rng, &parted, preset, &[]));
            // Reachable states against the claim, as a model checker cuts it.
            let cut = rng.random_range(0..=steps as u32);
            for part in &mut parted.parts {
                *part = u32::from(*part > cut);
            }
            assert!(check_question(&mut rng, &parted, preset, &[]));
        }
    }
}

#[test]
fn assumptions_alone_can_be_the_contradiction() {
    let parted = Parted { cnf: kit::formulas::Cnf { vars: 3, clauses: vec![] }, parts: vec![] };
    let x = Var::new(1).pos();
    let mut rng = StdRng::seed_from_u64(27);
    for (first, second) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let assumptions = [
            (Var::new(0).pos(), Partition(0)),
            (x, Partition(first)),
            (x, Partition(first)),
            (!x, Partition(second)),
            (Var::new(2).pos(), Partition(1)),
        ];
        for preset in PRESETS {
            assert!(check_question(&mut rng, &parted, preset, &assumptions));
        }
    }
}

#[test]
fn an_empty_clause_is_a_refutation() {
    for part in [0, 1] {
        let mut parted = Parted::default();
        parted.cnf.var();
        parted.cnf.add(&[]);
        parted.close_part(part);
        let mut solver = proving_solver(&parted, Preset::Standard);
        assert_eq!(solver.solve(&[]), Answer::Unsat);
        let refutation = refutation(&solver, &parted, &[]);
        let interpolant = interpolate(&refutation, System::Pudlak, |part| part.0 == 0);
        let constant = interpolant.formulas.as_constant(interpolant.root);
        assert_eq!(constant, Some(part == 1), "⊥ if A is false, ⊤ if B is");
    }
}

/// Several questions to one solver, clauses added in between, a proof of each.
#[test]
fn incremental_questions() {
    let mut rng = StdRng::seed_from_u64(28);
    let mut refuted = 0;
    for round in 0..32 {
        let vars = rng.random_range(10..60);
        let mut parted = Parted::default();
        parted.cnf.vars = vars;
        let preset = PRESETS[round % PRESETS.len()];
        let mut solver = proving_solver(&parted, preset);
        for _ in 0..16 {
            for clause in random_cnf(&mut rng, vars, vars / 4, 3).clauses {
                let part = rng.random_range(0..2);
                solver.add_clause_in(Partition(part), &clause);
                parted.cnf.add(&clause);
                parted.close_part(part);
            }
            let assumptions = random_assumptions(&mut rng, vars, vars / 4);
            // SAT? clauses so far ∧ ⋀ assumptions
            if solver.solve(&assumptions) == Answer::Unsat {
                refuted += 1;
                let refutation = refutation(&solver, &parted, &assumptions);
                let question = with_assumptions(&parted, &assumptions);
                let labels = random_labelling(&mut rng, vars);
                check_cut(&question, &refutation, &|part| part.0 == 0, |var| labels[var.index()]);
            }
        }
    }
    assert!(refuted > 100, "only {refuted} unsatisfiable questions");
}
