//! The transition relation as the solvers see it.
//!
//! All solvers of the engine number their variables alike: latches first, then inputs, then the
//! gates as the encoder meets them. There are no variables for next states and no equations
//! x' = f(x, i): a literal of the next state *is* the literal of the latch's next function
//! ([`Transition::prime`]). Every gate is a definition, so a solver that searches in the cone of
//! its question sees only the functions of the latches that the question is about: the
//! *stepwise cone of influence* of [Bra11 §7] comes for free.

use aig::{Edge, Encoder};
use circuit::TransitionSystem;
use sat::{Lit, Solver, Var};

/// A system and one of its bad properties, ready for solvers.
pub struct Transition<'a> {
    system: &'a TransitionSystem,
    bad_edge: Edge,
    next: Vec<Lit>,
    init: Vec<Option<bool>>,
    bad: Lit,
    constraints: Vec<Lit>,
}

/// The literals of what the engine asks about, in the numbering of all solvers.
struct Roots {
    next: Vec<Lit>,
    bad: Lit,
    constraints: Vec<Lit>,
}

/// Encodes the whole system; the numbering depends on nothing but the system.
fn encode<S: Solver + ?Sized>(system: &TransitionSystem, bad: Edge, solver: &mut S) -> Roots {
    let mut encoder = Encoder::new();
    let leaves = system.latches.iter().map(|l| l.state);
    for edge in leaves.chain(system.inputs.iter().map(|i| i.edge)) {
        let var = solver.new_var();
        encoder.bind(edge, var.pos());
    }
    let mut lit = |edge| encoder.lit(&system.aig, solver, edge);
    Roots {
        next: system.latches.iter().map(|l| lit(l.next)).collect(),
        bad: lit(bad),
        constraints: system.constraints.iter().map(|c| lit(c.edge)).collect(),
    }
}

impl<'a> Transition<'a> {
    /// Prepares a system for one bad property, given by its index, with a solver of type `S` to
    /// find out the numbering.
    ///
    /// # Panics
    /// If the system has no such property.
    pub fn new<S: Solver + Default>(system: &'a TransitionSystem, property: usize) -> Self {
        let bad_edge = system.bads[property].edge;
        let Roots { next, bad, constraints } = encode(system, bad_edge, &mut S::default());
        let init = system.latches.iter().map(|l| l.init.value()).collect();
        Transition { system, bad_edge, next, init, bad, constraints }
    }

    /// The system.
    pub fn system(&self) -> &'a TransitionSystem {
        self.system
    }

    /// A solver that knows T and nothing else.
    pub fn functions<S: Solver + Default>(&self) -> S {
        let mut solver = S::default();
        let roots = encode(self.system, self.bad_edge, &mut solver);
        debug_assert_eq!(roots.next, self.next, "all solvers number alike");
        solver
    }

    /// A solver that knows T ∧ C, the constraints C assumed of the present step.
    pub fn step<S: Solver + Default>(&self) -> S {
        let mut solver = self.functions::<S>();
        for constraint in &self.constraints {
            solver.add_clause(&[*constraint]);
        }
        solver
    }

    /// The literal of the next state that belongs to a literal of the present state.
    #[inline]
    pub fn prime(&self, literal: Lit) -> Lit {
        self.next[literal.var().index()].xor(literal.is_neg())
    }

    /// The bad property.
    pub fn bad(&self) -> Lit {
        self.bad
    }

    /// The bad property, in the system's graph.
    pub fn bad_edge(&self) -> Edge {
        self.bad_edge
    }

    /// The constraints.
    pub fn constraints(&self) -> &[Lit] {
        &self.constraints
    }

    /// The variables of the latches.
    pub fn latches(&self) -> impl ExactSizeIterator<Item = Var> + use<> {
        (0..self.next.len()).map(Var::new)
    }

    /// The variables of the inputs.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = Var> + use<> {
        let first = self.next.len();
        (first..first + self.system.inputs.len()).map(Var::new)
    }

    /// The reset literals: I is their conjunction.
    pub fn init(&self) -> impl Iterator<Item = Lit> + '_ {
        let literal = |(i, value): (usize, &Option<bool>)| value.map(|v| Var::new(i).lit(v));
        self.init.iter().enumerate().filter_map(literal)
    }

    /// Whether the literal contradicts the reset values.
    #[inline]
    pub fn excludes_init(&self, literal: Lit) -> bool {
        self.init[literal.var().index()] == Some(literal.is_neg())
    }

    /// Whether I ∧ cube is satisfiable. As I is a cube itself, no solver is needed.
    pub fn intersects_init(&self, cube: &[Lit]) -> bool {
        !cube.iter().any(|l| self.excludes_init(*l))
    }
}
