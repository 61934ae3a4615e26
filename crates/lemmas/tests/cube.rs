//! Cubes against sets, and cubes of bounds against boxes of points.

mod bound;

use bound::{Bound, Direction};
use lemmas::Cube;
use proptest::prelude::*;
use sat::{Lit, Var};
use std::collections::BTreeSet;
use term::{Pool, Sort, Term};

fn literals(values: &[Option<bool>]) -> Vec<Lit> {
    let literal = |(i, v): (usize, &Option<bool>)| v.map(|v| Var::new(i).lit(v));
    values.iter().enumerate().filter_map(literal).collect()
}

fn bounds() -> impl Strategy<Value = Vec<Bound>> {
    let bound = (0..3usize, any::<bool>(), 0..6i64).prop_map(|(variable, upper, value)| {
        let direction = if upper { Direction::AtMost } else { Direction::AtLeast };
        Bound { variable, direction, value }
    });
    prop::collection::vec(bound, 0..7)
}

/// All points of a box that is larger than the bounds.
fn points() -> impl Iterator<Item = [i64; 3]> {
    let axis = -1..8;
    axis.clone().flat_map(move |x| {
        let axis = axis.clone();
        axis.clone().flat_map(move |y| axis.clone().map(move |z| [x, y, z]))
    })
}

fn satisfies(point: &[i64; 3], bounds: &[Bound]) -> bool {
    bounds.iter().all(|b| b.holds(point[b.variable]))
}

/// Bounds that have a common point.
fn satisfiable() -> impl Strategy<Value = Vec<Bound>> {
    bounds().prop_filter("no points", |bounds| points().any(|p| satisfies(&p, bounds)))
}

proptest! {
    #[test]
    fn subsumption_is_the_subset_relation(
        a in prop::collection::vec(any::<Option<bool>>(), 100),
        flips in prop::collection::vec((0..100usize, any::<Option<bool>>()), 0..4),
    ) {
        let mut b = a.clone();
        for (at, value) in flips {
            b[at] = value;
        }
        let (a, b) = (Cube::new(literals(&a)), Cube::new(literals(&b)));
        for (x, y) in [(&a, &b), (&b, &a)] {
            let subset = x.literals().iter().all(|l| y.literals().contains(l));
            prop_assert_eq!(x.subsumes(y), subset);
        }
    }

    #[test]
    fn cubes_of_atoms_are_sets(
        codes in prop::collection::vec(0..90usize, 0..20),
        asked in 0..90usize,
    ) {
        let positive: Vec<Lit> = codes.iter().map(|c| Var::new(*c).pos()).collect();
        let mut backwards = positive.clone();
        backwards.reverse();
        let set: BTreeSet<Lit> = positive.iter().copied().collect();
        let cube = Cube::new(positive);
        prop_assert_eq!(&cube, &Cube::new(backwards));
        prop_assert_eq!(cube.len(), set.len());
        prop_assert_eq!(cube.is_empty(), set.is_empty());
        prop_assert!(cube.literals().iter().eq(&set));
        prop_assert_eq!(cube.contains(&Var::new(asked).pos()), set.contains(&Var::new(asked).pos()));
        prop_assert!(cube.negation().iter().map(|l| !*l).eq(set));
    }

    /// Where literals imply each other, a cube has the states of its literals, one bound a subject,
    /// and subsumes exactly the cubes whose states are all its own.
    #[test]
    fn cubes_of_bounds_are_boxes(a in satisfiable(), b in satisfiable()) {
        let (x, y) = (Cube::new(a.clone()), Cube::new(b.clone()));
        for (cube, bounds) in [(&x, &a), (&y, &b)] {
            let same = points().all(|p| satisfies(&p, cube.literals()) == satisfies(&p, bounds));
            prop_assert!(same, "{cube:?} has other states than {bounds:?}");
            let subjects: BTreeSet<_> = bounds.iter().map(|b| (b.variable, b.direction)).collect();
            prop_assert_eq!(cube.len(), subjects.len());
        }
        let within = points().all(|p| !satisfies(&p, y.literals()) || satisfies(&p, x.literals()));
        prop_assert_eq!(x.subsumes(&y), within);
    }
}

#[test]
fn cubes_of_formulas_share_bits_of_the_signature() {
    let pool = Pool::new();
    let atoms: Vec<Term> = (0..80).map(|i| pool.var(&format!("a{i}"), Sort::Bool)).collect();
    let cube = |indices: &[usize]| Cube::new(indices.iter().map(|i| atoms[*i]).collect());
    assert!(cube(&[]).subsumes(&cube(&[3])));
    assert!(cube(&[70, 3]).subsumes(&cube(&[3, 5, 70])));
    assert!(!cube(&[3, 6]).subsumes(&cube(&[3, 70])), "6 and 70 share a bit of the signature");
    assert!(!cube(&[3, 5]).subsumes(&cube(&[3])));
    assert!(cube(&[3, 5]).contains(&atoms[5]) && !cube(&[3, 5]).contains(&atoms[4]));
    let negation = pool.or([pool.not(atoms[3]), pool.not(atoms[5])]);
    assert_eq!(cube(&[5, 3]).negation(&pool), negation);
    assert_eq!(Cube::<Term>::default().negation(&pool), pool.bool(false));
}

#[test]
fn the_default_is_the_cube_of_all_states() {
    let all = Cube::<Lit>::default();
    assert_eq!(all, Cube::new(Vec::new()));
    assert!(all.is_empty() && all.subsumes(&all));
    assert!(all.subsumes(&Cube::new(vec![Var::new(0).pos()])));
}

#[test]
#[should_panic(expected = "contradicts")]
#[cfg(debug_assertions)]
fn contradictory_cubes_are_refused() {
    Cube::new(vec![Var::new(3).pos(), Var::new(1).pos(), Var::new(3).neg()]);
}

#[test]
fn clones_share_literals_and_cross_threads() {
    let cube = Cube::new(vec![Var::new(1).pos(), Var::new(0).neg()]);
    let other = cube.clone();
    assert!(std::ptr::eq(cube.literals(), other.literals()));
    let length = std::thread::spawn(move || other.len()).join().expect("it only counts");
    assert_eq!(length, cube.len());
}
