//! The cone solver on generated circuits and formulas, with every answer checked.
//!
//! The soak test is left out by default:
//! `cargo test --release -p cairn-sat --test cone_differential -- --ignored`

mod cone_session;

use cone_session::{Gate, Session};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sat::cone::Options;
use sat::{Answer, Lit, Solver, Var};

/// One thing to do in a session; the numbers are taken modulo what exists.
#[derive(Clone, Debug)]
enum Op {
    Input,
    And(Vec<u16>),
    Xor(u16, u16),
    Mux(u16, u16, u16),
    Clause(Vec<u16>),
    Ask(Vec<u16>, Vec<u16>),
    /// A definition over others than the fan-in, mostly of a variable mentioned before.
    Misdefine(u16, u16, u16),
}

fn op() -> impl Strategy<Value = Op> {
    let lits = |max| prop::collection::vec(any::<u16>(), 0..max);
    let some = |max| prop::collection::vec(any::<u16>(), 1..max);
    prop_oneof![
        2 => Just(Op::Input),
        3 => lits(5).prop_map(Op::And),
        2 => any::<(u16, u16)>().prop_map(|(a, b)| Op::Xor(a, b)),
        1 => any::<(u16, u16, u16)>().prop_map(|(a, b, c)| Op::Mux(a, b, c)),
        3 => some(5).prop_map(Op::Clause),
        6 => (lits(5), lits(4)).prop_map(|(a, t)| Op::Ask(a, t)),
        1 => any::<(u16, u16, u16)>().prop_map(|(a, b, c)| Op::Misdefine(a, b, c)),
    ]
}

fn run(session: &mut Session, op: &Op) {
    if session.var_count() == 0 {
        session.new_var();
    }
    let count = session.var_count();
    let lit = |number: u16| Lit::from_code(usize::from(number) % (2 * count));
    let lits = |numbers: &[u16]| numbers.iter().map(|&n| lit(n)).collect::<Vec<_>>();
    match op {
        Op::Input => {
            session.new_var();
        }
        Op::And(numbers) => {
            session.define(Gate::And(lits(numbers)));
        }
        Op::Xor(a, b) => {
            session.define(Gate::Xor(lit(*a), lit(*b)));
        }
        Op::Mux(a, b, c) => {
            session.define(Gate::Mux(lit(*a), lit(*b), lit(*c)));
        }
        Op::Clause(numbers) => session.add_clause(&lits(numbers)),
        Op::Ask(assumptions, temporary) => {
            session.ask(&lits(assumptions), &lits(temporary));
        }
        Op::Misdefine(a, b, c) => {
            let (a, b, c) = (lit(*a), lit(*b), lit(*c));
            session.add_definition(a.var(), &[], &[vec![a, b], vec![!a, b, c]]);
        }
    }
}

/// Options that make the rare parts of the solver frequent.
fn eager_options(seed: u64) -> Options {
    Options {
        seed,
        hard_after_conflicts: seed % 4,
        reduce_after_conflicts: 3 + seed % 5,
        ..Options::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_session(ops in prop::collection::vec(op(), 1..60), seed in 0u64..8) {
        let mut session = Session::new(eager_options(seed), seed);
        for op in &ops {
            run(&mut session, op);
        }
        session.ask(&[], &[]);
    }
}

/// A circuit of random gates, then questions, lemmas and more gates.
fn circuit_session(options: Options, seed: u64, gates: usize, steps: usize) -> Session {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut session = Session::new(options, seed);
    for _ in 0..rng.random_range(3..20) {
        session.new_var();
    }
    for _ in 0..gates {
        add_gate(&mut session, &mut rng);
    }
    for step in 0..steps {
        match rng.random_range(0..20) {
            0 => add_gate(&mut session, &mut rng),
            1 => add_lemma(&mut session),
            2 if step % 7 == 0 => {
                // The next model, if any, must obey a phase only where it is free to.
                let lit = session.random_lit();
                session.cone.set_phase(lit);
            }
            _ => {}
        }
        let temporary = if rng.random_bool(0.5) { session.random_lits(1, 5) } else { Vec::new() };
        let assumptions = session.random_lits(0, 8);
        if session.ask(&assumptions, &temporary) == Answer::Unsat {
            drop_assumptions(&mut session, &assumptions, &temporary);
        }
    }
    session
}

fn add_gate(session: &mut Session, rng: &mut StdRng) {
    let gate = match rng.random_range(0..10) {
        0..5 => Gate::And(session.random_lits(2, 2)),
        5 => Gate::And(session.random_lits(0, 6)),
        6..9 => Gate::Xor(session.random_lit(), session.random_lit()),
        _ => Gate::Mux(session.random_lit(), session.random_lit(), session.random_lit()),
    };
    session.define(gate);
}

/// Adds a clause that keeps the formula satisfiable: the negation of a core, or one that holds in
/// the current model.
fn add_lemma(session: &mut Session) {
    let clause = session.random_lits(2, 5);
    let negation: Vec<Lit> = clause.iter().map(|&l| !l).collect();
    // SAT? formula ∧ clause
    if session.ask(&[], &clause) == Answer::Sat {
        session.add_clause(&clause);
    } else if session.ask(&negation, &[]) == Answer::Unsat {
        let core: Vec<Lit> =
            negation.iter().filter(|&&l| session.cone.failed(l)).map(|&l| !l).collect();
        session.add_clause(&core);
    }
}

/// Asks again with one assumption less each time, as generalization does.
fn drop_assumptions(session: &mut Session, assumptions: &[Lit], temporary: &[Lit]) {
    let mut core: Vec<Lit> =
        assumptions.iter().copied().filter(|&l| session.cone.failed(l)).collect();
    let mut at = 0;
    while at < core.len() {
        let dropped = core.remove(at);
        if session.ask(&core, temporary) == Answer::Unsat {
            core.retain(|&l| session.cone.failed(l));
            at = 0;
        } else {
            core.insert(at, dropped);
            at += 1;
        }
    }
}

fn circuit_sessions(seeds: std::ops::Range<u64>, gates: usize, steps: usize) {
    let (mut sat, mut unsat, mut learnt) = (0, 0, 0);
    for seed in seeds {
        let options = if seed % 2 == 0 { eager_options(seed / 2) } else { Options::default() };
        let session = circuit_session(options, seed, gates, steps);
        sat += session.sat;
        unsat += session.unsat;
        learnt += session.learnt;
    }
    assert!(sat > steps && unsat > steps && learnt > steps, "{sat} {unsat} {learnt}");
}

#[test]
fn small_circuits() {
    circuit_sessions(0..60, 25, 40);
}

#[test]
fn larger_circuits() {
    circuit_sessions(1000..1008, 200, 100);
}

/// Random clauses over free variables near the threshold of satisfiability.
fn random_formula(options: Options, seed: u64, vars: usize, ratio: f64) -> Answer {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut session = Session::new(options, seed);
    for _ in 0..vars {
        session.new_var();
    }
    for _ in 0..(vars as f64 * ratio) as usize {
        let clause: Vec<Lit> =
            (0..3).map(|_| Var::new(rng.random_range(0..vars)).lit(rng.random())).collect();
        session.add_clause(&clause);
    }
    for _ in 0..4 {
        let assumptions = session.random_lits(0, 4);
        let temporary = session.random_lits(0, 3);
        session.ask(&assumptions, &temporary);
    }
    session.ask(&[], &[])
}

#[test]
fn threshold_formulas() {
    let mut sat = 0;
    for seed in 0..24 {
        let options = if seed % 2 == 0 { eager_options(seed) } else { Options::default() };
        sat += usize::from(random_formula(options, seed, 70, 4.26) == Answer::Sat);
    }
    assert!(sat > 3 && sat < 21, "{sat} of 24 satisfiable");
}

#[test]
fn pigeons() {
    for (pigeons, holes) in [(5, 5), (6, 5), (7, 6)] {
        for options in [Options::default(), eager_options(3)] {
            let mut session = Session::new(options, 1);
            let sits = |pigeon: usize, hole: usize| Var::new(pigeon * holes + hole).pos();
            for _ in 0..pigeons * holes {
                session.new_var();
            }
            for pigeon in 0..pigeons {
                let somewhere: Vec<Lit> = (0..holes).map(|hole| sits(pigeon, hole)).collect();
                session.add_clause(&somewhere);
            }
            for hole in 0..holes {
                for pigeon in 0..pigeons {
                    for other in 0..pigeon {
                        session.add_clause(&[!sits(pigeon, hole), !sits(other, hole)]);
                    }
                }
            }
            let expected = if pigeons > holes { Answer::Unsat } else { Answer::Sat };
            assert_eq!(session.ask(&[sits(0, 0)], &[]), expected);
            assert_eq!(session.ask(&[], &[sits(0, 0), sits(0, 1)]), expected);
            assert_eq!(session.ask(&[], &[]), expected);
        }
    }
}

/// Thousands of questions to one solver, so that clauses are reduced, simplified and moved.
#[test]
fn one_long_session() {
    let session = circuit_session(eager_options(3), 77, 60, 2000);
    assert!(session.sat + session.unsat > 3000, "{} {}", session.sat, session.unsat);
}

#[test]
#[ignore = "takes minutes; see the head of this file"]
fn soak() {
    circuit_sessions(10_000..20_000, 25, 40);
    circuit_sessions(20_000..20_500, 150, 100);
    circuit_sessions(30_000..30_020, 600, 400);
    for seed in 0..300 {
        random_formula(eager_options(seed), seed, 90, 4.26);
        random_formula(Options::default(), seed, 120, 4.26);
    }
}
