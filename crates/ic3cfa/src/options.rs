//! The strategies of the engine: the options of [Lan18 §5.2.1] under their names there, and what
//! goes beyond them.
//!
//! [`Options::preset`] gives the configurations A to Q of [Lan18, Table 5.1]. What that table does
//! not name is in them as the thesis's verifier had it, as far as the text tells: unsatisfiable
//! cores (§4.3.1), don't-care and assumed literals (§4.3.2), the solver that remembers answers and
//! the limit of queries that are not critical (§5.1.3) are on; what is ours, from propagation to
//! seeds, is off. [`Options::default`] is our own choice. Two runs with equal options on equal
//! automata do the same.

/// How a cube that is shown unreachable becomes a lemma; see `generalize`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Generalize {
    /// It becomes one as it is.
    None,
    /// Literals are dropped one by one, as Bradley's IC3 does ([Lan18 §4.3.1]).
    Old,
    /// As above with don't-care and assumed literals, and the techniques that are switched on
    /// ([Lan18 §4.3.3, §4.3.4]).
    New,
    /// Literals are dropped after the cube was extended by formulas that it implies, relative to
    /// all arrows at once; see `generalize::inductive`.
    Inductive,
}

/// How literals that a cube can do without are looked for; see `generalize::search`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiteralSearch {
    /// One by one ([Lan18, Algorithm 10]).
    Linear,
    /// By halves ([Lan18, Algorithm 11]).
    Binary,
}

/// Which arrows a literal is tried on before it is dropped ([Lan18 §4.3.2]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeApproach {
    /// All of them for each literal.
    Multi,
    /// Each arrow by itself; the results are united.
    Single,
    /// As above, but what one arrow needs is not tried on the next.
    Incremental,
}

/// Which obligation of a frame comes first ([Lan18 §4.3.4]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObligationOrder {
    /// The one with the fewest literals.
    Smallest,
    /// The one with the most literals.
    Largest,
    /// Any, by the seed.
    Random,
}

/// How the incoming arrows are asked for predecessors of an obligation ([Lan18 §5.1.3]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryForm {
    /// One by one, up to the first that has one. Not in the thesis.
    First,
    /// All by one query, `joint`; its model gives one predecessor.
    Check,
    /// One by one, all of them.
    CheckByFilter,
    /// All by one query, and one by one if there is a predecessor.
    CheckAndFilter,
}

/// On which arrows the cube is interpolated before literals are dropped ([Lan18 §4.3.5]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interpolation {
    /// On none.
    Off,
    /// On arrows from a node to itself.
    LoopEdges,
    /// On all.
    AllEdges,
}

/// How many answers each solver remembers in the configurations of the thesis, which does not say.
const CACHED_ANSWERS: usize = 4096;

/// What the engine does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// Where runs may differ by luck, the seed decides.
    pub seed: u64,
    /// How lemmas are made.
    pub generalize: Generalize,
    /// For [`Generalize::Old`] and [`Generalize::New`].
    pub edge_approach: EdgeApproach,
    /// How literals are dropped; for all but [`Generalize::None`].
    pub literal_search: LiteralSearch,
    /// The order of work.
    pub obligation_order: ObligationOrder,
    /// Whether obligations are kept for the next iteration ([Lan18 §4.2.4]).
    pub reuse: bool,
    /// Whether c' is expressed by wep(c) instead of primed variables ([Lan18, Def. 4.9]).
    pub rel_ind_alt: bool,
    /// Whether lemmas of the frame before are looked for in wep(c) ([Lan18, Theorems 4.5 and
    /// 4.6]).
    pub pre_cubes: bool,
    /// For [`Generalize::New`]: whether literals that an arrow assumes are left out ([Lan18,
    /// Theorem 4.4]).
    pub assumed_literals: bool,
    /// For [`Generalize::New`]: whether literals that are clauses of the frame are left out
    /// ([Lan18 §4.3.2]).
    pub dont_care_literals: bool,
    /// Whether generalizations are kept as upper bounds of later ones ([Lan18, Theorem 4.7]).
    pub generalization_caching: bool,
    /// Whether they are lower bounds too ([Lan18, Theorem 4.9]).
    pub lower_bounds: bool,
    /// Whether upper bounds are also looked for among generalizations of other cubes ([Lan18,
    /// Theorem 4.8]).
    pub extended_context: bool,
    /// Where cubes are interpolated ([Lan18 §4.3.5]); for [`Generalize::Old`] and
    /// [`Generalize::New`], arrow by arrow.
    pub interpolation: Interpolation,
    /// Whether a lemma that the frame implies is left out ([Lan18 §5.2.1]).
    pub semantic_blocking: bool,
    /// Whether frames count as equal if they imply each other, and not only if they have the same
    /// clauses ([Lan18 §4.4] names it as a choice).
    pub semantic_termination: bool,
    /// How predecessors are asked for.
    pub query_form: QueryForm,
    /// Whether generalization begins with the unsatisfiable core.
    pub unsat_cores: bool,
    /// How many answers each solver remembers; 0 for none ([Lan18 §5.1.3]).
    pub cached_answers: usize,
    /// The bound on conflicts of *critical* queries, without whose answer the search can't go on:
    /// the run ends there ([Lan18 §5.1.3]).
    pub critical_conflicts: Option<u64>,
    /// The bound on conflicts of queries that only serve to make a lemma stronger ([Lan18 §5.1.3]
    /// bounds the time of these *non-critical* queries; a count keeps runs repeatable).
    pub non_critical_conflicts: Option<u64>,
    /// Whether lemmas are propagated to higher frames.
    pub propagate: bool,
    /// Whether what keeps a lemma from being propagated becomes an obligation that may fail
    /// (`may`).
    pub may_obligations: bool,
    /// Whether a clause is assumed on the arrows from its node to itself: query (4.11), sound
    /// where all arrows are asked about one and the same clause.
    pub loop_premise: bool,
    /// Whether predecessors are made cubes of simple literals by deciding disjunctions,
    /// if-then-elses and reads of written arrays as the model does.
    pub case_split: bool,
    /// Whether cubes about counters are extended by formulas they imply: guards of the program,
    /// and inequalities for equalities.
    pub saturate: bool,
    /// Whether bounds, residues and relations of counters are guessed and proved once the search has
    /// become hard; see `seed`.
    pub seeds: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 0,
            generalize: Generalize::Inductive,
            edge_approach: EdgeApproach::Incremental,
            literal_search: LiteralSearch::Linear,
            obligation_order: ObligationOrder::Smallest,
            reuse: true,
            rel_ind_alt: true,
            pre_cubes: false,
            assumed_literals: true,
            dont_care_literals: true,
            generalization_caching: false,
            lower_bounds: false,
            extended_context: false,
            interpolation: Interpolation::Off,
            semantic_blocking: false,
            semantic_termination: false,
            query_form: QueryForm::First,
            unsat_cores: true,
            cached_answers: 0,
            critical_conflicts: None,
            non_critical_conflicts: Some(5_000),
            propagate: true,
            may_obligations: false,
            loop_premise: true,
            case_split: true,
            saturate: true,
            seeds: true,
        }
    }
}

impl Options {
    /// The configuration with a letter from A to Q of [Lan18, Table 5.1].
    pub fn preset(letter: char) -> Option<Options> {
        use EdgeApproach::{Incremental, Multi, Single};
        use Generalize::{New, Old};
        use Interpolation::LoopEdges;
        use ObligationOrder::{Largest, Random};
        let a = Options {
            generalize: Generalize::None,
            reuse: false,
            rel_ind_alt: false,
            query_form: QueryForm::CheckByFilter,
            cached_answers: CACHED_ANSWERS,
            propagate: false,
            loop_premise: false,
            case_split: false,
            saturate: false,
            seeds: false,
            ..Options::default()
        };
        let d = Options { generalize: Old, edge_approach: Incremental, ..a };
        let h = Options { generalize: New, reuse: true, ..d };
        let l = Options { generalization_caching: true, lower_bounds: true, ..h };
        let o = Options { rel_ind_alt: true, pre_cubes: true, ..l };
        Some(match letter.to_ascii_uppercase() {
            'A' => a,
            'B' => Options { edge_approach: Multi, ..d },
            'C' => Options { edge_approach: Single, ..d },
            'D' => d,
            'E' => Options { obligation_order: Largest, ..d },
            'F' => Options { obligation_order: Random, ..d },
            'G' => Options { reuse: true, ..d },
            'H' => h,
            'I' => Options { rel_ind_alt: true, ..h },
            'J' => Options { pre_cubes: true, ..h },
            'K' => Options { generalization_caching: true, ..h },
            'L' => l,
            'M' => Options { extended_context: true, ..l },
            'N' => Options { interpolation: LoopEdges, ..h },
            'O' => o,
            'P' => Options { interpolation: LoopEdges, ..o },
            'Q' => Options { semantic_blocking: true, ..o },
            _ => return None,
        })
    }
}
