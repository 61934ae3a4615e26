//! Checks of proofs and interpolants by a solver that had no part in making them.

use super::formulas::Parted;
use sat::cadical::{Cadical, Preset};
use sat::interpolant::{Formula, Formulas, Interpolator, Label, System};
use sat::proof::{Partition, ProvingSolver, Refutation};
use sat::{Answer, Lit, Solver};
use std::collections::BTreeSet;

/// A solver with the formula's variables and clauses.
pub fn proving_solver(parted: &Parted, preset: Preset) -> ProvingSolver {
    let mut solver = ProvingSolver::new(preset);
    for _ in 0..parted.cnf.vars {
        solver.new_var();
    }
    for (part, clause) in parted.clauses() {
        solver.add_clause_in(Partition(part), clause);
    }
    solver
}

/// The checked refutation of the solver's last question; its leaves are clauses of the question.
pub fn refutation(
    solver: &ProvingSolver,
    parted: &Parted,
    assumptions: &[(Lit, Partition)],
) -> Refutation {
    let proof = solver.proof().expect("an unsatisfiable question has a proof");
    let refutation = proof.check().expect("the proof is right");
    assert!(refutation.is_well_formed());
    let sorted = |clause: &[Lit]| {
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        clause
    };
    let mut known: BTreeSet<(Partition, Vec<Lit>)> =
        parted.clauses().map(|(part, clause)| (Partition(part), sorted(clause))).collect();
    known.extend(assumptions.iter().map(|&(lit, part)| (part, vec![lit])));
    for (partition, clause) in refutation.leaves() {
        assert!(
            known.contains(&(partition, clause.to_vec())),
            "{clause:?} is not a clause of {partition:?}"
        );
    }
    refutation
}

/// Whether the clauses and the formulas (each with the value it shall have) are inconsistent.
pub fn inconsistent<'a>(
    vars: usize,
    clauses: impl IntoIterator<Item = &'a [Lit]>,
    formulas: &Formulas,
    constraints: &[(Formula, bool)],
) -> bool {
    let mut solver = Cadical::new(Preset::Plain);
    for _ in 0..vars {
        solver.new_var();
    }
    for clause in clauses {
        solver.add_clause(clause);
    }
    let roots: Vec<Formula> = constraints.iter().map(|&(formula, _)| formula).collect();
    let lits = formulas.encode(&roots, &mut solver, |lit| lit);
    for (lit, &(_, value)) in lits.into_iter().zip(constraints) {
        solver.add_clause(&[lit.xor(!value)]);
    }
    // SAT? clauses ∧ ⋀ (formula = value)
    solver.solve(&[]) == Answer::Unsat
}

/// The question as one parted formula: assumptions are unit clauses of their parts.
pub fn with_assumptions(parted: &Parted, assumptions: &[(Lit, Partition)]) -> Parted {
    let mut question = parted.clone();
    for &(lit, partition) in assumptions {
        question.cnf.add(&[lit]);
        question.close_part(partition.0);
    }
    question
}

/// Checks A ⇒ I, I ∧ B ⇒ ⊥ and the variables of I.
pub fn assert_interpolant(
    question: &Parted,
    in_a: &dyn Fn(Partition) -> bool,
    formulas: &Formulas,
    interpolant: Formula,
) {
    let side = |wanted: bool| {
        question
            .clauses()
            .filter(move |&(part, _)| in_a(Partition(part)) == wanted)
            .map(|(_, clause)| clause)
    };
    let vars = question.cnf.vars;
    assert!(
        inconsistent(vars, side(true), formulas, &[(interpolant, false)]),
        "A does not imply the interpolant"
    );
    assert!(
        inconsistent(vars, side(false), formulas, &[(interpolant, true)]),
        "the interpolant is consistent with B"
    );
    let vars_of = |wanted| -> BTreeSet<_> { side(wanted).flatten().map(|lit| lit.var()).collect() };
    let (a, b) = (vars_of(true), vars_of(false));
    for var in formulas.variables(interpolant) {
        assert!(a.contains(&var) && b.contains(&var), "{var:?} is not shared");
    }
}

/// Checks the interpolants of all systems for one cut, and their order by strength. `shared`
/// gives another labelling, whose interpolant must lie between the strongest and the weakest.
pub fn check_cut(
    question: &Parted,
    refutation: &Refutation,
    in_a: &dyn Fn(Partition) -> bool,
    shared: impl Fn(sat::Var) -> Label,
) {
    let mut interpolator = Interpolator::new(refutation);
    let systems = [System::McMillan, System::Pudlak, System::DualMcMillan];
    let [strong, middle, weak] = systems.map(|system| interpolator.interpolant(system, in_a));
    let custom = interpolator.labelled(in_a, shared);
    let mut roots = [strong, middle, weak, custom];
    let formulas = interpolator.into_formulas(&mut roots);
    let [strong, middle, weak, custom] = roots;
    for interpolant in roots {
        assert_interpolant(question, in_a, &formulas, interpolant);
    }
    for (stronger, weaker) in [(strong, middle), (middle, weak), (strong, custom), (custom, weak)] {
        assert!(
            inconsistent(question.cnf.vars, [], &formulas, &[(stronger, true), (weaker, false)]),
            "the order of strength is violated"
        );
    }
}
