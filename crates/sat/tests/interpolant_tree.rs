//! Families of interpolants from one refutation: the tree interpolation property holds where the
//! module says so, and fails where it says that it may.

mod kit;

use kit::formulas::{
    Parted, counter, parted_pigeonhole, random_cnf, random_miter, random_stretches,
};
use kit::interpolation::{
    assert_interpolant, inconsistent, proving_solver, refutation, with_assumptions,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sat::cadical::Preset;
use sat::interpolant::{
    Formula, Formulas, Interpolator, System, Tree, TreeError, tree_interpolants,
};
use sat::proof::{Partition, Refutation};
use sat::{Answer, Lit, Var};

/// A random tree: each node but the last hangs below a later one.
fn random_tree(rng: &mut StdRng, nodes: usize) -> Tree {
    let parents = (0..nodes)
        .map(|node| (node + 1 < nodes).then(|| rng.random_range(node + 1..nodes)))
        .collect();
    Tree::new(parents).expect("parents come later, so there is no cycle")
}

/// Whether ⋀ Iⱼ ∧ φᵢ ⇒ Iᵢ holds for node i.
fn property_holds_at(
    question: &Parted,
    tree: &Tree,
    formulas: &Formulas,
    nodes: &[Formula],
    node: usize,
) -> bool {
    let part =
        question.clauses().filter(|&(part, _)| part as usize == node).map(|(_, clause)| clause);
    let mut constraints: Vec<(Formula, bool)> =
        tree.children(node).map(|child| (nodes[child], true)).collect();
    constraints.push((nodes[node], false));
    inconsistent(question.cnf.vars, part, formulas, &constraints)
}

fn in_subtree(tree: &Tree, root: usize, mut node: usize) -> bool {
    while node != root {
        match tree.parent(node) {
            Some(parent) => node = parent,
            None => return false,
        }
    }
    true
}

fn check_tree(question: &Parted, refutation: &Refutation, tree: &Tree, system: System) {
    let family = tree_interpolants(refutation, tree, system, |part| Some(part.0 as usize))
        .expect("every part is a node");
    for node in 0..tree.len() {
        assert!(
            property_holds_at(question, tree, &family.formulas, &family.nodes, node),
            "{system:?} violates the tree property at node {node} of {tree:?}"
        );
        assert_interpolant(
            question,
            &|part| in_subtree(tree, node, part.0 as usize),
            &family.formulas,
            family.nodes[node],
        );
        if tree.parent(node).is_none() {
            let constant = family.formulas.as_constant(family.nodes[node]);
            assert_eq!(constant, Some(false), "the root's interpolant is ⊥");
        }
    }
}

/// Checks a random tree and a path over the parts, in all systems that guarantee the property.
fn check_question(rng: &mut StdRng, parted: &Parted, nodes: usize, assume: usize) -> bool {
    let assumptions: Vec<(Lit, Partition)> = (0..assume)
        .map(|_| {
            let lit = Var::new(rng.random_range(0..parted.cnf.vars)).lit(rng.random());
            (lit, Partition(rng.random_range(0..nodes as u32)))
        })
        .collect();
    let preset = [Preset::Standard, Preset::Unsat, Preset::Plain][rng.random_range(0..3)];
    let mut solver = proving_solver(parted, preset);
    // SAT? parts ∧ ⋀ assumptions
    if solver.solve(&assumptions) == Answer::Sat {
        return false;
    }
    let refutation = refutation(&solver, parted, &assumptions);
    let question = with_assumptions(parted, &assumptions);
    let tree = random_tree(rng, nodes);
    let path = Tree::path(nodes).expect("there are nodes");
    for system in [System::McMillan, System::Pudlak] {
        check_tree(&question, &refutation, &tree, system);
        check_tree(&question, &refutation, &path, system);
    }
    check_tree(&question, &refutation, &path, System::DualMcMillan);
    true
}

#[test]
fn random_formulas() {
    let mut rng = StdRng::seed_from_u64(31);
    let mut refuted = 0;
    for _ in 0..60 {
        let nodes = rng.random_range(3..=8);
        let vars = rng.random_range(5..40);
        let count = (vars as f64 * rng.random_range(4.5..7.0)) as usize;
        let cnf = random_cnf(&mut rng, vars, count, 3);
        let parted = Parted::randomly(&mut rng, cnf, nodes as u32);
        refuted += usize::from(check_question(&mut rng, &parted, nodes, 0));
    }
    assert!(refuted > 30, "only {refuted} unsatisfiable formulas");
}

#[test]
fn random_formulas_with_local_variables_and_assumptions() {
    let mut rng = StdRng::seed_from_u64(32);
    let mut refuted = 0;
    for _ in 0..40 {
        let nodes = rng.random_range(3..=8);
        let vars = rng.random_range(20..60);
        let count = (vars as f64 * rng.random_range(4.0..6.5)) as usize;
        let parted = random_stretches(&mut rng, vars, count, nodes as u32);
        let assume = rng.random_range(0..10);
        refuted += usize::from(check_question(&mut rng, &parted, nodes, assume));
    }
    assert!(refuted > 20, "only {refuted} unsatisfiable formulas");
}

#[test]
fn structured_formulas() {
    let mut rng = StdRng::seed_from_u64(33);
    for holes in 2..=4 {
        let parted = parted_pigeonhole(&mut rng, holes + 1, holes);
        assert!(check_question(&mut rng, &parted, holes + 1, 0));
    }
    for (bits, steps) in [(2, 1), (3, 5), (4, 6)] {
        let parted = counter(bits, steps);
        assert!(check_question(&mut rng, &parted, steps + 2, 0));
    }
    for _ in 0..8 {
        let mut parted = random_miter(&mut rng, 6, 25);
        let nodes = rng.random_range(3..=8);
        for part in &mut parted.parts {
            *part = rng.random_range(0..nodes as u32);
        }
        assert!(check_question(&mut rng, &parted, nodes, 0));
    }
}

/// The interpolants of McMillan's dual, each by itself, do not form a tree: this is why the
/// family is refused. If no counterexample were found, the refusal would be wrong.
#[test]
fn the_dual_system_has_no_tree_property() {
    let mut rng = StdRng::seed_from_u64(34);
    let mut violations = 0;
    for _ in 0..40 {
        let nodes = rng.random_range(3..=6);
        let cnf = random_cnf(&mut rng, 12, 80, 3);
        let parted = Parted::randomly(&mut rng, cnf, nodes as u32);
        let mut solver = proving_solver(&parted, Preset::Standard);
        // SAT? parts
        if solver.solve(&[]) == Answer::Sat {
            continue;
        }
        let refutation = refutation(&solver, &parted, &[]);
        let tree = random_tree(&mut rng, nodes);
        if tree.is_path() {
            continue;
        }
        let refused = tree_interpolants(&refutation, &tree, System::DualMcMillan, |part| {
            Some(part.0 as usize)
        });
        assert_eq!(
            refused.map(|family| family.nodes),
            Err(TreeError::NoTreeProperty(System::DualMcMillan))
        );
        let mut interpolator = Interpolator::new(&refutation);
        let mut family: Vec<Formula> = (0..nodes)
            .map(|node| {
                interpolator.interpolant(System::DualMcMillan, |part| {
                    in_subtree(&tree, node, part.0 as usize)
                })
            })
            .collect();
        let formulas = interpolator.into_formulas(&mut family);
        violations += usize::from(
            (0..nodes).any(|node| !property_holds_at(&parted, &tree, &formulas, &family, node)),
        );
    }
    assert!(violations > 0, "McMillan's dual never violated the property");
}

/// The smallest tree by hand: φ₀ = x and φ₁ = y below φ₂ = ¬x ∨ ¬y, with interpolants x and y.
#[test]
fn two_facts_and_a_rule() {
    let (x, y) = (Var::new(0).pos(), Var::new(1).pos());
    let mut parted = Parted::default();
    parted.cnf.vars = 2;
    for (part, clause) in [(0, vec![x]), (1, vec![y]), (2, vec![!x, !y])] {
        parted.cnf.add(&clause);
        parted.close_part(part);
    }
    let mut solver = proving_solver(&parted, Preset::Plain);
    assert_eq!(solver.solve(&[]), Answer::Unsat);
    let refutation = refutation(&solver, &parted, &[]);
    let tree = Tree::new(vec![Some(2), Some(2), None]).expect("a tree");
    for system in [System::McMillan, System::Pudlak] {
        check_tree(&parted, &refutation, &tree, system);
        let family =
            tree_interpolants(&refutation, &tree, system, |part| Some(part.0 as usize)).unwrap();
        assert_eq!(family.formulas.variables(family.nodes[0]), [x.var()]);
        assert_eq!(family.formulas.variables(family.nodes[1]), [y.var()]);
    }
}

#[test]
fn clauses_without_a_node_are_refused() {
    let parted = counter(2, 1);
    let mut solver = proving_solver(&parted, Preset::Plain);
    assert_eq!(solver.solve(&[]), Answer::Unsat);
    let refutation = refutation(&solver, &parted, &[]);
    let tree = Tree::path(2).expect("two nodes");
    for node_of in [|part: Partition| Some(part.0 as usize), |_| None] {
        let family = tree_interpolants(&refutation, &tree, System::Pudlak, node_of);
        assert!(matches!(family, Err(TreeError::Unplaced(_))));
    }
}
