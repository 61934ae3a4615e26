//! The strategies of the engine: the options of [Lan18 §5.2.1] under their names there, and what
//! goes beyond them.
//!
//! [`Options::preset`] gives the configurations A to Q of [Lan18, Table 5.1]; what that table
//! does not know is off in them. [`Options::default`] is our own choice. Two runs with equal
//! options on equal automata do the same.

/// How a cube that is shown unreachable becomes a lemma; see [`crate::generalize`].
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
    /// all arrows at once; see [`crate::inductive`].
    Inductive,
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

/// Which obligation of a level comes first ([Lan18 §4.3.4]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObligationOrder {
    /// The one with the fewest literals.
    Smallest,
    /// The one with the most literals.
    Largest,
    /// Any, by the seed.
    Random,
}

/// How many arrows are asked for predecessors of an obligation at once ([Lan18 §5.1.3]).
///
/// The thesis also asks about all arrows by one query (*check*) and, if there is a predecessor,
/// about each of them (*check and filter*). With a solver for each node there is no such query;
/// [`QueryForm::Check`] stops at the first answer instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryForm {
    /// Up to the first that has one.
    Check,
    /// All.
    CheckByFilter,
}

/// What the engine does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// Where runs may differ by luck, the seed decides.
    pub seed: u64,
    /// How lemmas are made.
    pub generalize: Generalize,
    /// For [`Generalize::Old`] and [`Generalize::New`].
    pub edge_approach: EdgeApproach,
    /// The order of work.
    pub obligation_order: ObligationOrder,
    /// Whether obligations are kept for the next iteration ([Lan18 §4.2.4]).
    pub reuse: bool,
    /// Whether c' is expressed by wep(c) instead of primed variables ([Lan18, Def. 4.9]).
    pub rel_ind_alt: bool,
    /// Whether lemmas of the frame before are looked for in wep(c) ([Lan18, Theorem 4.6]).
    pub pre_cubes: bool,
    /// Whether generalizations are kept as upper bounds of later ones ([Lan18, Theorem 4.7]).
    pub generalization_caching: bool,
    /// Whether they are lower bounds too ([Lan18, Theorem 4.9]).
    pub lower_bounds: bool,
    /// Whether upper bounds are also looked for among generalizations of other cubes ([Lan18,
    /// Theorem 4.8]).
    pub extended_context: bool,
    /// Whether a lemma that the frame implies is left out ([Lan18 §5.2.1]).
    pub semantic_blocking: bool,
    /// How predecessors are asked for.
    pub query_form: QueryForm,
    /// Whether generalization begins with the unsatisfiable core.
    pub unsat_cores: bool,
    /// How many answers each solver remembers; 0 for none ([Lan18 §5.1.3]).
    pub cached_answers: usize,
    /// The bound on conflicts of queries that only serve to make a lemma stronger ([Lan18 §5.1.3]
    /// bounds the time of these *non-critical* queries; a count keeps runs repeatable).
    pub non_critical_conflicts: Option<u64>,
    /// Whether lemmas are propagated to higher levels.
    pub propagate: bool,
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
    /// become hard; see [`crate::seed`].
    pub seeds: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 0,
            generalize: Generalize::Inductive,
            edge_approach: EdgeApproach::Incremental,
            obligation_order: ObligationOrder::Smallest,
            reuse: true,
            rel_ind_alt: true,
            pre_cubes: false,
            generalization_caching: false,
            lower_bounds: false,
            extended_context: false,
            semantic_blocking: false,
            query_form: QueryForm::Check,
            unsat_cores: true,
            cached_answers: 0,
            non_critical_conflicts: Some(5_000),
            propagate: true,
            loop_premise: true,
            case_split: true,
            saturate: true,
            seeds: true,
        }
    }
}

impl Options {
    /// The configuration with a letter from A to Q of [Lan18, Table 5.1].
    ///
    /// N and P differ from H and O by interpolation, which has no counterpart here (our solver
    /// has no interpolants of terms), so they are H and O.
    pub fn preset(letter: char) -> Option<Options> {
        use EdgeApproach::{Incremental, Multi, Single};
        use Generalize::{New, Old};
        use ObligationOrder::{Largest, Random};
        let a = Options {
            generalize: Generalize::None,
            reuse: false,
            rel_ind_alt: false,
            query_form: QueryForm::CheckByFilter,
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
            'H' | 'N' => h,
            'I' => Options { rel_ind_alt: true, ..h },
            'J' => Options { pre_cubes: true, ..h },
            'K' => Options { generalization_caching: true, ..h },
            'L' => l,
            'M' => Options { extended_context: true, ..l },
            'O' | 'P' => o,
            'Q' => Options { semantic_blocking: true, ..o },
            _ => return None,
        })
    }
}
