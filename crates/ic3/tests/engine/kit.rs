//! The engine test kit: every verdict on every small case is compared with explicit-state search,
//! and its evidence is checked.

use circuit::explicit::{self, Outcome};
use circuit::verdict::{Proof, Verdict};
use circuit::{Clause, Init, TransitionSystem, replay};
use sat::cadical::Cadical;
use sat::{Answer, Lit, Solver};

/// Checks a verdict of an engine on property `bad` of a small system.
pub fn examine(system: &TransitionSystem, bad: usize, verdict: &Verdict, context: &str) {
    let expected = explicit::check(system, bad).expect("the case is small");
    match (verdict, &expected) {
        (Verdict::Safe(proof), Outcome::Safe { .. }) => {
            if let Proof::Inductive(invariant) = proof {
                check_invariant(system, bad, invariant, context);
            }
        }
        (Verdict::Unsafe(trace), Outcome::Unsafe(_)) => {
            replay(system, trace, bad).unwrap_or_else(|e| panic!("{context}: {e}"));
        }
        _ => panic!("{context}: {verdict:?}, but the truth is {expected:?}"),
    }
}

/// Checks I ⇒ Inv, Inv ∧ C ∧ T ⇒ Inv' and Inv ∧ C ⇒ ¬bad.
pub fn check_invariant(system: &TransitionSystem, bad: usize, invariant: &[Clause], context: &str) {
    let mut solver = Cadical::default();
    let mut encoder = aig::Encoder::new();
    let mut lit = |solver: &mut Cadical, edge| encoder.lit(&system.aig, solver, edge);
    let state: Vec<Lit> = system.latches.iter().map(|l| lit(&mut solver, l.state)).collect();
    let next: Vec<Lit> = system.latches.iter().map(|l| lit(&mut solver, l.next)).collect();
    let bad = lit(&mut solver, system.bads[bad].edge);
    let constraints: Vec<Lit> =
        system.constraints.iter().map(|c| lit(&mut solver, c.edge)).collect();
    let negated = |clause: &Clause, bits: &[Lit]| -> Vec<Lit> {
        clause.iter().map(|l| bits[l.latch].xor(l.value)).collect()
    };
    for clause in invariant {
        let initial =
            clause.iter().any(|l| system.latches[l.latch].init == Init::constant(l.value));
        assert!(initial, "{context}: {clause:?} does not follow from the resets");
        let positive: Vec<Lit> = negated(clause, &state).iter().map(|l| !*l).collect();
        solver.add_clause(&positive);
    }
    for constraint in constraints {
        solver.add_clause(&[constraint]);
    }
    // SAT? Inv ∧ C ∧ bad
    assert_eq!(solver.solve(&[bad]), Answer::Unsat, "{context}: the invariant is not safe");
    for clause in invariant {
        // SAT? Inv ∧ C ∧ T ∧ ¬clause'
        let answer = solver.solve(&negated(clause, &next));
        assert_eq!(answer, Answer::Unsat, "{context}: {clause:?} is not inductive");
    }
}
