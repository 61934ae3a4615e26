//! Proofs: that the checker accepts what CaDiCaL proves and rejects what has been tampered with,
//! and that recording survives many questions, large proofs and deep implication chains.

mod kit;

use kit::formulas::{Parted, counter, pigeonhole, random_cnf, random_miter};
use kit::interpolation::{proving_solver, refutation};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sat::cadical::{Cadical, Preset};
use sat::interpolant::{System, interpolate};
use sat::proof::{CheckError, Origin, Partition, Proof, ProofError, ProvingSolver, StepId};
use sat::{Allowance, Answer, Exhausted, Lit, Solver, Var};
use std::time::{Duration, Instant};

fn one_part(cnf: kit::formulas::Cnf) -> Parted {
    let mut parted = Parted { cnf, parts: Vec::new() };
    parted.close_part(0);
    parted
}

fn lits(indices: &[i32]) -> Vec<Lit> {
    indices.iter().map(|&index| Lit::from_dimacs(index)).collect()
}

fn leaf(proof: &mut Proof, indices: &[i32]) -> StepId {
    proof.leaf(Origin::Clause(Partition(0)), &lits(indices))
}

/// A copy of the proof in which `change` may alter each derived step.
fn altered(
    proof: &Proof,
    mut change: impl FnMut(StepId, &mut Vec<Lit>, &mut Vec<StepId>),
) -> Proof {
    let mut copy = Proof::new();
    for step in proof.steps() {
        let mut clause = proof.clause(step).to_vec();
        let mut antecedents = proof.antecedents(step).to_vec();
        if proof.origin(step) == Origin::Derived {
            change(step, &mut clause, &mut antecedents);
            copy.derive(&clause, &antecedents);
        } else {
            copy.leaf(proof.origin(step), &clause);
        }
    }
    copy
}

#[test]
fn hand_written_proofs() {
    let mut proof = Proof::new();
    let first = leaf(&mut proof, &[1, 2]);
    let second = leaf(&mut proof, &[-1, 2]);
    let third = leaf(&mut proof, &[-2, 3]);
    let fourth = leaf(&mut proof, &[-2, -3]);
    let two = proof.derive(&lits(&[2]), &[first, second]);
    proof.derive(&[], &[two, third, fourth]);
    let refutation = proof.check().expect("a right proof");
    assert!(refutation.is_well_formed());
    assert_eq!(refutation.len(), 6);
    assert_eq!(refutation.resolution_count(), 3);
    assert_eq!(refutation.leaves().count(), 4);
    assert_eq!(refutation.var_bound(), 3);
}

/// A clause may be weaker than what its antecedents give; the checker keeps the stronger one.
#[test]
fn a_derived_clause_may_be_weakened() {
    let mut proof = Proof::new();
    let first = leaf(&mut proof, &[1, 2]);
    let second = leaf(&mut proof, &[-1, 2]);
    let third = leaf(&mut proof, &[-2]);
    let unused = leaf(&mut proof, &[4, 5]);
    let weak = proof.derive(&lits(&[2, 3, 4]), &[first, second]);
    let stray = leaf(&mut proof, &[-3]);
    let other = leaf(&mut proof, &[-4]);
    proof.derive(&[], &[third, stray, other, weak]);
    let refutation = proof.check().expect("a right proof");
    assert!(refutation.is_well_formed());
    // ¬3 and ¬4 are not needed, since 2 alone was derived; nor is 4 ∨ 5.
    assert_eq!(refutation.leaves().count(), 3);
    assert_eq!(refutation.len(), 5);
    assert_eq!(proof.clause(unused).len(), 2);
}

#[test]
fn wrong_proofs_are_rejected() {
    assert_eq!(Proof::new().check().unwrap_err(), CheckError::NoRefutation);

    let mut proof = Proof::new();
    let first = leaf(&mut proof, &[1, 2]);
    assert_eq!(proof.check().unwrap_err(), CheckError::NoRefutation);

    let mut dangling = proof.clone();
    let step = dangling.derive(&[], &[StepId::new(1)]);
    let antecedent = step;
    assert_eq!(dangling.check().unwrap_err(), CheckError::ForwardReference { step, antecedent });

    let mut open = proof.clone();
    let step = open.derive(&[], &[first]);
    let antecedent = first;
    assert_eq!(open.check().unwrap_err(), CheckError::NotUnit { step, antecedent });

    let mut unfinished = proof.clone();
    let unit = leaf(&mut unfinished, &[-1]);
    let step = unfinished.derive(&[], &[unit, first]);
    assert_eq!(unfinished.check().unwrap_err(), CheckError::NoConflict { step });

    let mut tautology = proof.clone();
    let step = tautology.derive(&lits(&[1, -1]), &[]);
    tautology.derive(&[], &[step]);
    assert_eq!(tautology.check().unwrap_err(), CheckError::Tautology { step });
}

/// Every antecedent of a trimmed resolution proof is needed by its step, and every step by the
/// conclusion: dropping one, or changing a literal, must be noticed.
#[test]
fn tampered_proofs_are_rejected() {
    let mut rng = StdRng::seed_from_u64(41);
    let mut examples =
        vec![one_part(pigeonhole(5, 4)), counter(3, 5), random_miter(&mut rng, 6, 30)];
    for _ in 0..6 {
        examples.push(one_part(random_cnf(&mut rng, 40, 230, 3)));
    }
    let (mut dropped, mut changed) = (0, 0);
    for parted in &examples {
        let mut solver = proving_solver(parted, Preset::Standard);
        // SAT? parts
        if solver.solve(&[]) == Answer::Sat {
            continue;
        }
        let proof = minimal(&solver.proof().expect("unsatisfiable"));
        proof.check().expect("still a proof");
        for _ in 0..30 {
            let victim = loop {
                let step = StepId::new(rng.random_range(0..proof.len()));
                if proof.origin(step) == Origin::Derived {
                    break step;
                }
            };
            let position = rng.random_range(0..proof.antecedents(victim).len());
            let without = altered(&proof, |step, _, antecedents| {
                if step == victim {
                    antecedents.remove(position);
                }
            });
            assert!(without.check().is_err(), "a dropped antecedent is not noticed");
            dropped += 1;
            if proof.clause(victim).is_empty() {
                continue;
            }
            let position = rng.random_range(0..proof.clause(victim).len());
            let negated = altered(&proof, |step, clause, _| {
                if step == victim {
                    clause[position] = !clause[position];
                }
            });
            assert!(negated.check().is_err(), "a negated literal is not noticed");
            let stronger = altered(&proof, |step, clause, _| {
                if step == victim {
                    clause.remove(position);
                }
            });
            assert!(stronger.check().is_err(), "a dropped literal is not noticed");
            changed += 1;
        }
    }
    assert!(dropped > 100 && changed > 100, "{dropped} and {changed} cases");
}

/// The proof reduced to what its resolutions use: the reasons in the order of propagation, then
/// the conflict; clauses as strong as they come out.
fn minimal(proof: &Proof) -> Proof {
    let refutation = proof.check().expect("a right proof");
    let mut result = Proof::new();
    for step in refutation.steps() {
        let clause = refutation.clause(step);
        if refutation.origin(step) == Origin::Derived {
            let reasons = refutation.links(step).iter().rev();
            let mut antecedents: Vec<StepId> = reasons.map(|link| link.antecedent).collect();
            antecedents.push(refutation.start(step));
            result.derive(clause, &antecedents);
        } else {
            result.leaf(refutation.origin(step), clause);
        }
    }
    result
}

/// Proofs that mention clauses of the formula which are not there are not proofs of it; the
/// leaves are compared with what was added.
#[test]
fn leaves_are_clauses_of_the_formula() {
    let mut rng = StdRng::seed_from_u64(42);
    for preset in [Preset::Standard, Preset::Sat, Preset::Unsat, Preset::Plain] {
        for _ in 0..5 {
            let cnf = random_cnf(&mut rng, 90, 480, 3);
            let parted = Parted::randomly(&mut rng, cnf, 5);
            let mut solver = proving_solver(&parted, preset);
            // SAT? parts
            if solver.solve(&[]) == Answer::Unsat {
                let refutation = refutation(&solver, &parted, &[]);
                let mut core = Cadical::new(Preset::Plain);
                for _ in 0..parted.cnf.vars {
                    core.new_var();
                }
                refutation.leaves().for_each(|(_, clause)| core.add_clause(clause));
                // SAT? leaves of the refutation
                assert_eq!(core.solve(&[]), Answer::Unsat);
            }
        }
    }
}

#[test]
fn there_is_no_proof_without_a_contradiction() {
    let mut solver = ProvingSolver::default();
    assert_eq!(solver.proof(), Err(ProofError::NotRefuted));
    let x = solver.new_var().pos();
    solver.add_clause_in(Partition(0), &[x]);
    assert_eq!(solver.solve(&[]), Answer::Sat);
    assert_eq!(solver.value(x), Some(true));
    assert_eq!(solver.proof(), Err(ProofError::NotRefuted));
    assert_eq!(solver.solve(&[(!x, Partition(1))]), Answer::Unsat);
    assert!(solver.failed(!x));
    solver.proof().expect("a proof").check().expect("right");
    assert_eq!(solver.solve(&[]), Answer::Sat);
    assert_eq!(solver.proof(), Err(ProofError::NotRefuted));
}

/// The proof of a question stays available when clauses are added after it.
#[test]
fn a_proof_outlives_later_clauses() {
    let mut solver = ProvingSolver::default();
    let x = solver.new_var().pos();
    let y = solver.new_var().pos();
    solver.add_clause_in(Partition(0), &[!x, y]);
    assert_eq!(solver.solve(&[(x, Partition(0)), (!y, Partition(1))]), Answer::Unsat);
    let before = solver.proof().expect("a proof");
    solver.add_clause_in(Partition(1), &[x]);
    solver.add_clause_in(Partition(1), &[!y]);
    assert_eq!(solver.proof().expect("a proof"), before);
    // Once the formula itself is contradictory, every question is.
    for _ in 0..3 {
        assert_eq!(solver.solve(&[(y, Partition(0))]), Answer::Unsat);
        assert!(!solver.failed(y));
        let refutation = solver.proof().expect("a proof").check().expect("right");
        assert_eq!(refutation.leaves().count(), 3);
    }
}

/// CaDiCaL analyses failed assumptions recursively when it records antecedents; a chain of
/// implications as long as this one would overflow a usual stack.
#[test]
fn long_implication_chains() {
    const LENGTH: usize = 400_000;
    let mut solver = ProvingSolver::new(Preset::Standard);
    let vars: Vec<Var> = (0..LENGTH).map(|_| solver.new_var()).collect();
    for pair in vars.windows(2) {
        let part = Partition((pair[0].index() * 2 / LENGTH) as u32);
        solver.add_clause_in(part, &[pair[0].neg(), pair[1].pos()]);
    }
    let first = (vars[0].pos(), Partition(0));
    let last = (vars[LENGTH - 1].neg(), Partition(1));
    // SAT? x₀ ∧ (x₀ ⇒ x₁) ∧ … ∧ ¬xₙ
    assert_eq!(solver.solve(&[first, last]), Answer::Unsat);
    let refutation = solver.proof().expect("a proof").check().expect("right");
    let interpolant = interpolate(&refutation, System::McMillan, |part| part.0 == 0);
    assert_eq!(interpolant.formulas.variables(interpolant.root).len(), 1);
}

/// The recorder forgets what nothing rests on any more; proofs stay right.
#[test]
fn many_questions_do_not_fill_the_memory() {
    let mut rng = StdRng::seed_from_u64(43);
    let cnf = random_cnf(&mut rng, 120, 490, 3);
    let parted = one_part(cnf);
    let mut solver = proving_solver(&parted, Preset::Standard);
    let mut refuted = 0;
    for round in 0..400 {
        let assumptions: Vec<(Lit, Partition)> = (0..8)
            .map(|_| (Var::new(rng.random_range(0..120)).lit(rng.random()), Partition(0)))
            .collect();
        // SAT? parts ∧ ⋀ assumptions
        if solver.solve(&assumptions) == Answer::Unsat {
            refuted += 1;
            if round % 10 == 0 {
                refutation(&solver, &parted, &assumptions);
            }
        }
    }
    assert!(refuted > 50, "only {refuted} questions were unsatisfiable");
}

#[test]
fn limits_and_interruption() {
    let mut solver = proving_solver(&one_part(pigeonhole(13, 12)), Preset::Standard);
    solver.set_allowance(Allowance::default().with_work(10));
    assert_eq!(solver.solve(&[]), Answer::Unknown(Exhausted::Work));
    assert_eq!(solver.proof(), Err(ProofError::NotRefuted));
    let start = Instant::now();
    solver.set_allowance(Allowance::default().until(start + Duration::from_millis(100)));
    assert_eq!(solver.solve(&[]), Answer::Unknown(Exhausted::Time));
    assert!(start.elapsed() < Duration::from_secs(5));
    let allowance = Allowance::default();
    let flag = allowance.interrupt.clone();
    solver.set_allowance(allowance);
    flag.raise();
    assert_eq!(solver.solve(&[]), Answer::Unknown(Exhausted::Interrupted));
    flag.clear();
    // Two pigeons in one hole: an easy question, after all that.
    let assumptions = [(Var::new(0).pos(), Partition(0)), (Var::new(12).pos(), Partition(1))];
    assert_eq!(solver.solve(&assumptions), Answer::Unsat);
    let refutation = solver.proof().expect("a proof").check().expect("right");
    assert!(refutation.is_well_formed());
}
