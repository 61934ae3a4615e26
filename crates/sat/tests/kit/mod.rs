//! The test kit that every [`Solver`] must pass.
//!
//! [`check_solver`] runs the whole contract of the trait on a solver made by the caller's
//! function: answers, models and cores against truth tables, the temporary clause, definitions,
//! corner cases, limits and interruption. A test file of a solver calls it once per flavour.

// Each test file compiles the kit for itself and need not use all of it.
#![allow(dead_code)]

pub mod formulas;
pub mod interpolation;
pub mod table;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use sat::{Allowance, Answer, Exhausted, Lit, Solver, Statistics, Var};
use std::time::{Duration, Instant};
use table::TruthTable;

/// How late a search may stop when the machine is busy. Those of the kit would run for hours.
const LATEST: Duration = Duration::from_secs(5);

/// Runs every test of the kit on solvers that `make` makes.
pub fn check_solver<S: Solver + Send>(make: impl Fn() -> S) {
    random_incremental_questions(&make);
    random_definitions(&make);
    empty_formula(&make);
    empty_clause(&make);
    temporary_clause(&make);
    contradictory_and_duplicate_assumptions(&make);
    odd_clauses(&make);
    unused_variables(&make);
    variables_made_between_questions(&make);
    statistics_count(&make);
    conflict_limit(&make);
    deadline(&make);
    interruption(&make);
}

/// `count` new variables.
pub fn new_vars<S: Solver>(solver: &mut S, count: usize) -> Vec<Var> {
    (0..count).map(|_| solver.new_var()).collect()
}

fn random_lit(rng: &mut StdRng, vars: &[Var]) -> Lit {
    vars.choose(rng).expect("there are variables").lit(rng.random())
}

fn random_lits(rng: &mut StdRng, vars: &[Var], max: usize) -> Vec<Lit> {
    let len = rng.random_range(0..=max);
    (0..len).map(|_| random_lit(rng, vars)).collect()
}

/// Asks the question and checks answer, model and core against the truth table.
fn ask<S: Solver>(
    solver: &mut S,
    formula: &TruthTable,
    assumptions: &[Lit],
    temporary: &[Lit],
) -> Answer {
    let mut question = formula.clone();
    if !temporary.is_empty() {
        question.add_clause(temporary);
    }
    let before = question.clone();
    for &assumption in assumptions {
        question.add_clause(&[assumption]);
    }
    // SAT? formula ∧ ⋀ assumptions ∧ ⋁ temporary
    let answer = solver.solve_with(assumptions, temporary);
    match answer {
        Answer::Sat => assert!(
            model_is_inside(solver, &question),
            "a completion of the model falsifies the question"
        ),
        Answer::Unsat => {
            assert!(question.is_empty(), "the question is satisfiable");
            let mut core = before;
            for &assumption in assumptions.iter().filter(|&&lit| solver.failed(lit)) {
                core.add_clause(&[assumption]);
            }
            assert!(core.is_empty(), "the failed assumptions are not a core");
        }
        Answer::Unknown(stop) => panic!("no limit was set, but {stop:?}"),
    }
    answer
}

/// Whether every completion of the solver's (possibly partial) model lies in the table.
fn model_is_inside<S: Solver>(solver: &S, question: &TruthTable) -> bool {
    let values: Vec<Option<bool>> =
        (0..question.var_count()).map(|index| solver.value(Var::new(index).pos())).collect();
    for (index, value) in values.iter().enumerate() {
        assert_eq!(solver.value(Var::new(index).neg()), value.map(|value| !value));
    }
    question.contains_all_completions(&values)
}

fn random_incremental_questions<S: Solver>(make: &impl Fn() -> S) {
    let mut rng = StdRng::seed_from_u64(1);
    let mut sat = 0;
    let mut unsat = 0;
    for _ in 0..120 {
        let mut solver = make();
        let count = rng.random_range(1..=14);
        let vars = new_vars(&mut solver, count);
        let mut formula = TruthTable::full(count);
        for _ in 0..rng.random_range(1..12) {
            for _ in 0..rng.random_range(0..=count) {
                let len = rng.random_range(1..=4);
                let clause: Vec<Lit> = (0..len).map(|_| random_lit(&mut rng, &vars)).collect();
                solver.add_clause(&clause);
                formula.add_clause(&clause);
            }
            let assumptions = random_lits(&mut rng, &vars, 5);
            let temporary = random_lits(&mut rng, &vars, 4);
            match ask(&mut solver, &formula, &assumptions, &temporary) {
                Answer::Sat => sat += 1,
                _ => unsat += 1,
            }
        }
    }
    assert!(sat > 100 && unsat > 100, "{sat} sat, {unsat} unsat");
}

/// Conjunctions and exclusive ors defined over earlier variables, then questions about some.
fn random_definitions<S: Solver>(make: &impl Fn() -> S) {
    let mut rng = StdRng::seed_from_u64(2);
    for _ in 0..80 {
        let mut solver = make();
        let inputs = rng.random_range(1..=6);
        let mut vars = new_vars(&mut solver, inputs);
        let mut gates: Vec<(Var, Lit, Lit, bool)> = Vec::new();
        for _ in 0..rng.random_range(0..=8) {
            let (a, b) = (random_lit(&mut rng, &vars), random_lit(&mut rng, &vars));
            let exclusive = rng.random();
            let out = solver.new_var();
            let o = out.pos();
            if exclusive {
                let clauses: [&[Lit]; 4] = [&[!o, a, b], &[!o, !a, !b], &[o, !a, b], &[o, a, !b]];
                solver.add_definition(out, &[a.var(), b.var()], &clauses);
            } else {
                let clauses: [&[Lit]; 3] = [&[!o, a], &[!o, b], &[o, !a, !b]];
                solver.add_definition(out, &[a.var(), b.var()], &clauses);
            }
            gates.push((out, a, b, exclusive));
            vars.push(out);
        }
        let mut constraints: Vec<Vec<Lit>> = Vec::new();
        for _ in 0..6 {
            if rng.random_bool(0.5) {
                let clause = vec![random_lit(&mut rng, &vars), random_lit(&mut rng, &vars)];
                solver.add_clause(&clause);
                constraints.push(clause);
            }
            let assumptions = random_lits(&mut rng, &vars, 3);
            let temporary = random_lits(&mut rng, &vars, 3);
            definition_question(
                &mut solver,
                inputs,
                &gates,
                &constraints,
                &assumptions,
                &temporary,
            );
        }
    }
}

fn definition_question<S: Solver>(
    solver: &mut S,
    inputs: usize,
    gates: &[(Var, Lit, Lit, bool)],
    constraints: &[Vec<Lit>],
    assumptions: &[Lit],
    temporary: &[Lit],
) {
    let holds = |values: &[bool], lit: Lit| values[lit.var().index()] != lit.is_neg();
    let complete = |inputs: &mut Vec<bool>| {
        for &(_, a, b, exclusive) in gates {
            let (a, b) = (holds(inputs, a), holds(inputs, b));
            inputs.push(if exclusive { a != b } else { a && b });
        }
    };
    let satisfies = |values: &[bool], assumptions: &[Lit]| {
        constraints.iter().all(|clause| clause.iter().any(|&lit| holds(values, lit)))
            && assumptions.iter().all(|&lit| holds(values, lit))
            && (temporary.is_empty() || temporary.iter().any(|&lit| holds(values, lit)))
    };
    let possible = |assumptions: &[Lit]| {
        (0..1u32 << inputs).any(|bits| {
            let mut values: Vec<bool> = (0..inputs).map(|input| bits >> input & 1 == 1).collect();
            complete(&mut values);
            satisfies(&values, assumptions)
        })
    };
    // SAT? definitions ∧ constraints ∧ ⋀ assumptions ∧ ⋁ temporary
    match solver.solve_with(assumptions, temporary) {
        Answer::Sat => {
            // Free variables without a value may have any; defined ones are computed.
            for filler in [false, true] {
                let mut values: Vec<bool> = (0..inputs)
                    .map(|input| solver.value(Var::new(input).pos()).unwrap_or(filler))
                    .collect();
                complete(&mut values);
                assert!(satisfies(&values, assumptions));
                for &(out, ..) in gates {
                    if let Some(value) = solver.value(out.pos()) {
                        assert_eq!(value, values[out.index()], "a definition is violated");
                    }
                }
            }
        }
        Answer::Unsat => {
            assert!(!possible(assumptions), "the question is satisfiable");
            let core: Vec<Lit> =
                assumptions.iter().copied().filter(|&lit| solver.failed(lit)).collect();
            assert!(!possible(&core), "the failed assumptions are not a core");
        }
        Answer::Unknown(stop) => panic!("no limit was set, but {stop:?}"),
    }
}

fn empty_formula<S: Solver>(make: &impl Fn() -> S) {
    let mut solver = make();
    assert_eq!(solver.var_count(), 0);
    assert_eq!(solver.solve(&[]), Answer::Sat);
    let vars = new_vars(&mut solver, 3);
    assert_eq!(solver.var_count(), 3);
    assert_eq!(vars, [Var::new(0), Var::new(1), Var::new(2)]);
    ask(&mut solver, &TruthTable::full(3), &[vars[2].neg()], &[]);
}

fn empty_clause<S: Solver>(make: &impl Fn() -> S) {
    let mut solver = make();
    let x = solver.new_var();
    solver.add_clause(&[]);
    for _ in 0..2 {
        assert_eq!(solver.solve(&[x.pos()]), Answer::Unsat);
        assert!(!solver.failed(x.neg()), "not an assumption");
        assert_eq!(solver.solve_with(&[], &[x.pos()]), Answer::Unsat);
        solver.add_clause(&[x.pos()]);
        assert_eq!(solver.solve(&[]), Answer::Unsat);
    }
}

fn temporary_clause<S: Solver>(make: &impl Fn() -> S) {
    let mut solver = make();
    let vars = new_vars(&mut solver, 3);
    let [x, y, z] = [vars[0].pos(), vars[1].pos(), vars[2].pos()];
    let mut formula = TruthTable::full(3);
    solver.add_clause(&[!x, !y]);
    formula.add_clause(&[!x, !y]);
    let cases: [(&[Lit], &[Lit], Answer); 9] = [
        (&[], &[], Answer::Sat),
        (&[x, y], &[], Answer::Unsat),
        (&[x], &[y], Answer::Unsat),
        (&[x], &[], Answer::Sat),
        (&[x, !z], &[y, z], Answer::Unsat),
        (&[x, !z], &[y, z, x], Answer::Sat),
        (&[!z], &[z], Answer::Unsat),
        (&[x], &[y, !y], Answer::Sat),
        (&[], &[z, z], Answer::Sat),
    ];
    for (assumptions, temporary, expected) in cases {
        assert_eq!(
            ask(&mut solver, &formula, assumptions, temporary),
            expected,
            "{assumptions:?} with {temporary:?}"
        );
        // Gone afterwards.
        assert_eq!(ask(&mut solver, &formula, &[], &[]), Answer::Sat);
    }
    // A temporary clause over literals that the formula already decides.
    solver.add_clause(&[x]);
    formula.add_clause(&[x]);
    assert_eq!(ask(&mut solver, &formula, &[], &[y]), Answer::Unsat);
    assert_eq!(ask(&mut solver, &formula, &[z], &[y, !x]), Answer::Unsat);
    assert_eq!(ask(&mut solver, &formula, &[z], &[y, x]), Answer::Sat);
}

fn contradictory_and_duplicate_assumptions<S: Solver>(make: &impl Fn() -> S) {
    let mut solver = make();
    let vars = new_vars(&mut solver, 3);
    let [x, y, z] = [vars[0].pos(), vars[1].pos(), vars[2].pos()];
    let mut formula = TruthTable::full(3);
    solver.add_clause(&[x, y]);
    formula.add_clause(&[x, y]);
    assert_eq!(ask(&mut solver, &formula, &[z, x, !x], &[]), Answer::Unsat);
    assert!(solver.failed(x) && solver.failed(!x));
    assert_eq!(ask(&mut solver, &formula, &[x, x, z, z], &[]), Answer::Sat);
    assert_eq!(ask(&mut solver, &formula, &[!x, !y, !x, !y], &[]), Answer::Unsat);
    assert!(solver.failed(!x) && solver.failed(!y));
    assert_eq!(ask(&mut solver, &formula, &[], &[]), Answer::Sat);
    solver.add_clause(&[!z]);
    formula.add_clause(&[!z]);
    assert_eq!(ask(&mut solver, &formula, &[x, z, !z], &[]), Answer::Unsat);
    assert!(solver.failed(z));
}

fn odd_clauses<S: Solver>(make: &impl Fn() -> S) {
    let mut solver = make();
    let vars = new_vars(&mut solver, 2);
    let [x, y] = [vars[0].pos(), vars[1].pos()];
    let mut formula = TruthTable::full(2);
    let clauses: [&[Lit]; 6] =
        [&[x, !x], &[x, x], &[!x, y, y, !x], &[y, !y, x], &[y], &[!x, !y, x]];
    for clause in clauses {
        solver.add_clause(clause);
        formula.add_clause(clause);
        ask(&mut solver, &formula, &[], &[]);
        ask(&mut solver, &formula, &[!y], &[]);
        ask(&mut solver, &formula, &[], &[!x, !y]);
    }
    solver.add_clause(&[!y, !x, !y]);
    formula.add_clause(&[!y, !x, !y]);
    assert_eq!(ask(&mut solver, &formula, &[x], &[y]), Answer::Unsat);
}

fn unused_variables<S: Solver>(make: &impl Fn() -> S) {
    let mut solver = make();
    let vars = new_vars(&mut solver, 10);
    let mut formula = TruthTable::full(10);
    solver.add_clause(&[vars[4].pos(), vars[7].neg()]);
    formula.add_clause(&[vars[4].pos(), vars[7].neg()]);
    ask(&mut solver, &formula, &[], &[]);
    ask(&mut solver, &formula, &[vars[9].pos(), vars[0].neg()], &[vars[8].pos()]);
    ask(&mut solver, &formula, &[vars[9].pos()], &[vars[9].neg(), vars[2].pos()]);
}

fn variables_made_between_questions<S: Solver>(make: &impl Fn() -> S) {
    let mut rng = StdRng::seed_from_u64(3);
    let mut solver = make();
    let mut clauses: Vec<Vec<Lit>> = Vec::new();
    let mut vars = Vec::new();
    for _ in 0..14 {
        vars.push(solver.new_var());
        let clause: Vec<Lit> = (0..3).map(|_| random_lit(&mut rng, &vars)).collect();
        solver.add_clause(&clause);
        clauses.push(clause);
        let mut formula = TruthTable::full(vars.len());
        clauses.iter().for_each(|clause| formula.add_clause(clause));
        let assumptions = random_lits(&mut rng, &vars, 3);
        ask(&mut solver, &formula, &assumptions, &[]);
    }
    // The last model, if there is one, outlives new variables and clauses.
    if solver.solve(&[]) == Answer::Sat {
        let model: Vec<_> = vars.iter().map(|var| solver.value(var.pos())).collect();
        let late = solver.new_var();
        solver.add_clause(&[late.pos(), vars[0].pos()]);
        let after: Vec<_> = vars.iter().map(|var| solver.value(var.pos())).collect();
        assert_eq!(model, after);
    }
}

fn statistics_count<S: Solver>(make: &impl Fn() -> S) {
    let mut solver = make();
    assert_eq!(solver.statistics(), Statistics::default());
    formulas::pigeonhole(6, 5).add_to(&mut solver);
    assert_eq!(solver.solve(&[]), Answer::Unsat);
    let first = solver.statistics();
    assert_eq!(first.queries, 1);
    assert!(first.conflicts > 0 && first.propagations > 0);
    solver.solve_with(&[], &[]);
    let second = solver.statistics();
    assert_eq!(second.queries, 2);
    assert!(second.conflicts >= first.conflicts && second.decisions >= first.decisions);
}

fn conflict_limit<S: Solver>(make: &impl Fn() -> S) {
    let mut solver = make();
    formulas::pigeonhole(9, 8).add_to(&mut solver);
    solver.set_allowance(Allowance::default().with_work(20));
    assert_eq!(solver.solve(&[]), Answer::Unknown(Exhausted::Work));
    let conflicts = solver.statistics().conflicts;
    assert!(conflicts <= 100, "{conflicts} conflicts with a limit of 20");
    // The limit is per question, and lifting it gives an answer.
    assert_eq!(solver.solve(&[]), Answer::Unknown(Exhausted::Work));
    solver.set_allowance(Allowance::default());
    let pigeon = Var::new(0).pos();
    let mut small = make();
    formulas::pigeonhole(6, 5).add_to(&mut small);
    small.set_work(Some(u64::MAX));
    assert_eq!(small.solve(&[pigeon]), Answer::Unsat);
}

fn deadline<S: Solver>(make: &impl Fn() -> S) {
    let mut solver = make();
    formulas::pigeonhole(13, 12).add_to(&mut solver);
    let start = Instant::now();
    solver.set_allowance(Allowance::default().until(start + Duration::from_millis(100)));
    assert_eq!(solver.solve(&[]), Answer::Unknown(Exhausted::Time));
    let late = start.elapsed();
    assert!(late >= Duration::from_millis(100) && late < LATEST, "stopped after {late:?}");
    // A deadline in the past stops the next question at once.
    assert_eq!(solver.solve(&[]), Answer::Unknown(Exhausted::Time));
    // Without a deadline easy questions are answered again.
    solver.set_allowance(Allowance::default());
    let (p, q) = (Var::new(0).pos(), Var::new(12).pos());
    assert_eq!(solver.solve(&[p, q]), Answer::Unsat, "two pigeons, one hole");
}

fn interruption<S: Solver + Send>(make: &impl Fn() -> S) {
    let mut solver = make();
    formulas::pigeonhole(13, 12).add_to(&mut solver);
    let allowance = Allowance::default();
    let flag = allowance.interrupt.clone();
    solver.set_allowance(allowance);
    let start = Instant::now();
    // The search runs on another thread, which also shows that the solver can move there.
    let mut solver = std::thread::scope(|scope| {
        let search = scope.spawn(move || {
            let answer = solver.solve(&[]);
            (solver, answer)
        });
        std::thread::sleep(Duration::from_millis(100));
        flag.raise();
        let (solver, answer) = search.join().expect("the search does not panic");
        assert_eq!(answer, Answer::Unknown(Exhausted::Interrupted));
        solver
    });
    let late = start.elapsed();
    assert!(late < LATEST, "stopped after {late:?}");
    // The flag stays up until it is cleared.
    assert_eq!(solver.solve(&[]), Answer::Unknown(Exhausted::Interrupted));
    flag.clear();
    let (p, q) = (Var::new(0).pos(), Var::new(12).pos());
    assert_eq!(solver.solve(&[p, q]), Answer::Unsat, "two pigeons, one hole");
}
