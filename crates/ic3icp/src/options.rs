//! What can be chosen. The defaults are the paper's, `ind2 +abort`.

/// Where the solvers of the search come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolverKind {
    /// CDCL over interval bounds.
    Icp,
    /// Bit-blasting.
    Blast,
}

/// The options of the search, by the names of [Sch, Table I].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// `indI`: how many steps more than one are before the violation that is looked for.
    pub ind: usize,
    /// `±abort`: whether a search without progress begins anew with a longer suffix.
    pub abort: bool,
    /// The obligations that are worked on before that, at first.
    pub abort_limit: usize,
    /// Whether assumptions are rotated.
    pub rotation: bool,
    /// `±bg`: whether bounds are made weaker.
    pub bg: bool,
    /// `±gentr`: whether obligations are generalized.
    pub gentr: bool,
    /// `+ld`: whether literals are dropped one by one too.
    pub ld: bool,
    /// Who answers questions.
    pub solver: SolverKind,
    /// The conflicts that a question may take that only makes a lemma stronger.
    pub conflicts: u64,
    /// Decides where runs may differ by luck.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            ind: 2,
            abort: true,
            abort_limit: 128,
            rotation: true,
            bg: true,
            gentr: true,
            ld: false,
            solver: SolverKind::Icp,
            conflicts: 2_000,
            seed: 0,
        }
    }
}
