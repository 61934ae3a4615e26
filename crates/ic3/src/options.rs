//! The strategies of the engine and their defaults.
//!
//! Each technique lives in its own file and is chosen here, so its effect can be measured alone;
//! [`crate::settings`] has the names by which a command line chooses. The engine turns options into
//! strategies when it is made and does not look at them again.
//! Two runs with equal options on equal systems do the same.

/// How a cube that is shown unreachable becomes a lemma; see [`crate::generalize`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Generalization {
    /// The unsatisfiable core of the consecution query, nothing more.
    Core,
    /// A prime implicate of F ∧ ¬c ∧ T [Bra11 §7]: literals are dropped from c' only.
    PrimeImplicate,
    /// A minimal inductive subclause by `down` [Bra11 §3].
    Down,
    /// As above, with counterexamples to generalization \[HBS13\] as [`Options::ctg`] allows.
    Ctg,
    /// As above; the limits grow with the effort that the obligation has cost \[SYCH25\].
    Dynamic,
}

/// How much work counterexamples to generalization may cause; see [`crate::ctg`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CtgLimits {
    /// How deep counterexamples to the generalization of counterexamples are blocked; 0 blocks
    /// none.
    pub depth: usize,
    /// How many are blocked before the cube is joined with one instead.
    pub count: usize,
}

impl CtgLimits {
    /// Plain `down`.
    pub const NONE: CtgLimits = CtgLimits { depth: 0, count: 0 };
    /// What \[HBS13\] found to be good.
    pub const STANDARD: CtgLimits = CtgLimits { depth: 1, count: 3 };
}

/// How a state that leads to a target becomes a cube of such states; see [`crate::lift`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifting {
    /// By the unsatisfiable core of a query.
    Sat,
    /// By ternary simulation, latch by latch \[EMB11\].
    Ternary,
    /// What the solver left unassigned is dropped, nothing more.
    Model,
}

/// The order in which literals are dropped; see [`crate::activity`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ordering {
    /// Least active first.
    Activity,
    /// By number.
    Static,
    /// At random.
    Random,
}

/// What is done to the system before the engine sees it; see [`crate::check`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preprocessing {
    /// What the property and the constraints depend on is kept.
    Cone,
    /// Of that, constants and equal latches and gates are merged too.
    Sweep,
}

/// What the engine does; [`Options::default`] is the choice for a design of which nothing is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// Where runs may differ by luck, the seed decides. Default 0.
    pub seed: u64,
    /// Default: [`Preprocessing::Sweep`].
    pub preprocessing: Preprocessing,
    /// Default: [`Generalization::Ctg`].
    pub generalization: Generalization,
    /// What [`Generalization::Ctg`] may do. Default: [`CtgLimits::STANDARD`].
    pub ctg: CtgLimits,
    /// After so many literals that could not be dropped the search for a minimal subclause ends
    /// ([Bra11 §7] takes 3). Default: never.
    pub mic_failures: usize,
    /// Default: [`Lifting::Sat`].
    pub lifting: Lifting,
    /// Default: [`Ordering::Activity`].
    pub ordering: Ordering,
    /// How many counterexamples to propagation of one lemma are blocked; see
    /// [`crate::propagate`]. Default 0.
    pub propagation_counterexamples: usize,
    /// Whether lemmas that are inductive alone are kept apart; see [`crate::infinite`]. Default
    /// true.
    pub infinite_frame: bool,
    /// Whether lemmas that a known state keeps from being propagated are not asked about; see
    /// [`crate::obstacle`]. Default true.
    pub keep_obstacles: bool,
    /// Whether obligations wait for higher frames when they are settled. Default true.
    pub keep_obligations: bool,
    /// The effort on one obligation after which it is given up until it is met again;
    /// infinite to never do so. Default 20.
    pub effort_limit: f64,
    /// Whether latches that simulation does not tell apart are lemmas up to the frames where they
    /// are equal; see [`crate::equivalence`]. Default false.
    pub latch_equivalences: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 0,
            preprocessing: Preprocessing::Sweep,
            generalization: Generalization::Ctg,
            ctg: CtgLimits::STANDARD,
            mic_failures: usize::MAX,
            lifting: Lifting::Sat,
            ordering: Ordering::Activity,
            propagation_counterexamples: 0,
            infinite_frame: true,
            keep_obstacles: true,
            keep_obligations: true,
            effort_limit: 20.0,
            latch_equivalences: false,
        }
    }
}
