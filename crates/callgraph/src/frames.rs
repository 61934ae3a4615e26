//! What may be derived: lemmas by predicate, each with the highest frame in which it is known to hold.
//!
//! Frame 0 is empty, and nothing of it is kept: no derivation has height 0. Each predicate has a log of
//! its lemmas, to which solvers catch up when they are asked.

use horn::{PredicateId, System};
use term::{Pool, Term};

/// ¬⋀ literals holds of everything that is derived within a height.
#[derive(Clone, Debug)]
pub struct Lemma {
    /// The cube that is excluded, in order, over the parameters of the predicate.
    pub cube: Vec<Term>,
    /// The height.
    pub frame: usize,
}

/// The lemmas of all predicates.
pub struct Frames {
    /// Those that no other makes superfluous.
    lemmas: Vec<Vec<Lemma>>,
    /// Everything that was ever said: the formula, and the frame.
    logs: Vec<Vec<(Term, usize)>>,
}

impl Frames {
    /// Nothing is known of so many predicates.
    pub fn new(predicates: usize) -> Frames {
        Frames { lemmas: vec![Vec::new(); predicates], logs: vec![Vec::new(); predicates] }
    }

    /// Excludes a cube up to a frame.
    pub fn add(&mut self, pool: &Pool, predicate: PredicateId, mut cube: Vec<Term>, frame: usize) {
        cube.sort_unstable();
        cube.dedup();
        let weaker =
            |lemma: &Lemma| lemma.frame <= frame && cube.iter().all(|l| lemma.cube.contains(l));
        self.lemmas[predicate].retain(|lemma| !weaker(lemma));
        let formula = excluded(pool, &cube);
        self.logs[predicate].push((formula, frame));
        self.lemmas[predicate].push(Lemma { cube, frame });
    }

    /// Whether a lemma of the frame excludes the cube by its very literals.
    pub fn excludes(&self, predicate: PredicateId, cube: &[Term], frame: usize) -> bool {
        let by = |lemma: &Lemma| {
            lemma.frame >= frame && lemma.cube.iter().all(|literal| cube.contains(literal))
        };
        self.lemmas[predicate].iter().any(by)
    }

    /// The lemmas that are known up to exactly this frame.
    pub fn at(&self, frame: usize) -> Vec<(PredicateId, Vec<Term>)> {
        let mut found = Vec::new();
        for (predicate, lemmas) in self.lemmas.iter().enumerate() {
            let here = lemmas.iter().filter(|lemma| lemma.frame == frame);
            found.extend(here.map(|lemma| (predicate, lemma.cube.clone())));
        }
        found
    }

    /// Whether some lemma is known up to exactly this frame.
    pub fn is_used(&self, frame: usize) -> bool {
        self.lemmas.iter().flatten().any(|lemma| lemma.frame == frame)
    }

    /// What holds of a predicate in a frame.
    pub fn formulas(&self, pool: &Pool, predicate: PredicateId, frame: usize) -> Vec<Term> {
        let here = self.lemmas[predicate].iter().filter(|lemma| lemma.frame >= frame);
        here.map(|lemma| excluded(pool, &lemma.cube)).collect()
    }

    /// What was said of a predicate, from some moment on.
    pub fn said_since(&self, predicate: PredicateId, since: usize) -> &[(Term, usize)] {
        &self.logs[predicate][since..]
    }

    /// What frame `frame` says of the predicates of a system.
    pub fn model(&self, pool: &Pool, system: &System, frame: usize) -> horn::Model {
        let relation =
            |p: usize| horn::Interpretation::Formula(pool.and(self.formulas(pool, p, frame)));
        horn::Model { relations: (0..system.predicates.len()).map(relation).collect() }
    }
}

/// ¬⋀ cube
pub fn excluded(pool: &Pool, cube: &[Term]) -> Term {
    pool.not(pool.and(cube.iter().copied()))
}
