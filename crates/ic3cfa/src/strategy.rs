//! The strategies of a search: what the options choose, made once before it begins.
//!
//! The algorithms know no options. Where they can be varied, a type names the variants, and the
//! algorithm branches to a method for each.

use crate::generalize::Generalizer;
use crate::observer::Phase;
use crate::options::{Options, QueryForm};

/// One choice of each kind.
#[derive(Clone, Debug)]
pub(crate) struct Strategy {
    pub(crate) generalizer: Generalizer,
    pub(crate) query_form: QueryForm,
    pub(crate) arrow_query: ArrowQuery,
    pub(crate) image: Image,
    pub(crate) premise: Premise,
    pub(crate) predecessors: Predecessors,
    pub(crate) settled: Settled,
    pub(crate) blocking: Comparison,
    pub(crate) termination: Comparison,
    pub(crate) propagation: Propagation,
    pub(crate) effort: Effort,
    /// How many answers the solver of a node remembers.
    pub(crate) cached_answers: usize,
    pub(crate) seed: u64,
}

/// How an arrow is asked whether it leads into the cube of an obligation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ArrowQuery {
    /// A solver is.
    Solver,
    /// Only if no lemma in the precondition tells ([Lan18, Theorem 4.5]).
    LemmasFirst,
}

/// How a cube after an arrow is expressed before it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Image {
    /// By its weakest precondition: relIndAlt ([Lan18, Def. 4.9]).
    Precondition,
    /// By primed variables: relInd ([Lan18, Def. 4.6]).
    Primed,
}

/// What is assumed before an arrow beside its frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Premise {
    /// Nothing.
    None,
    /// On an arrow from a node to itself, the clause that is asked about, (4.11).
    OwnClause,
}

/// What becomes of a precondition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Predecessors {
    /// Its conjuncts are a cube as they are.
    Conjuncts,
    /// Cases are decided as in the model ([`crate::cases`]).
    Cases,
}

/// What becomes of an obligation that is settled ([Lan18 §4.2.4]).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Settled {
    /// It is forgotten with the iteration.
    Forgotten,
    /// It is kept for the next: *reuse*.
    Reused,
}

/// How lemmas and frames are compared ([`crate::semantic`]).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Comparison {
    /// By their literals and clauses.
    ByClauses,
    /// By what they mean.
    ByMeaning,
}

/// What is done for lemmas between iterations ([`crate::propagate`]).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Propagation {
    /// Nothing.
    None,
    /// They are moved up where they are inductive.
    Push,
    /// And where they are not, what is in the way may become an obligation ([`crate::may`]).
    PushAndTry,
}

/// How many conflicts queries are worth ([Lan18 §5.1.3]); none is no limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    critical: Option<u64>,
    non_critical: Option<u64>,
}

/// Conflicts for a question about guesses: they are many, and a hard one is dropped.
const SEED_CONFLICTS: u64 = 400;

impl Effort {
    /// Of a query in a phase.
    pub(crate) fn conflicts(self, phase: Phase) -> Option<u64> {
        match phase {
            Phase::Block => self.critical,
            Phase::Seed => Some(SEED_CONFLICTS),
            _ => self.non_critical,
        }
    }
}

impl Strategy {
    /// What the options choose.
    pub(crate) fn new(options: &Options) -> Strategy {
        let generalizer = Generalizer::new(options);
        let compare = |by_meaning| match by_meaning {
            true => Comparison::ByMeaning,
            false => Comparison::ByClauses,
        };
        Strategy {
            query_form: options.query_form,
            arrow_query: match options.pre_cubes {
                true => ArrowQuery::LemmasFirst,
                false => ArrowQuery::Solver,
            },
            image: if options.rel_ind_alt { Image::Precondition } else { Image::Primed },
            premise: match options.loop_premise && generalizer.asks_about_one_clause() {
                true => Premise::OwnClause,
                false => Premise::None,
            },
            predecessors: match options.case_split {
                true => Predecessors::Cases,
                false => Predecessors::Conjuncts,
            },
            settled: if options.reuse { Settled::Reused } else { Settled::Forgotten },
            blocking: compare(options.semantic_blocking),
            termination: compare(options.semantic_termination),
            propagation: match (options.propagate, options.may_obligations) {
                (false, _) => Propagation::None,
                (true, false) => Propagation::Push,
                (true, true) => Propagation::PushAndTry,
            },
            effort: Effort {
                critical: options.critical_conflicts,
                non_critical: options.non_critical_conflicts,
            },
            cached_answers: options.cached_answers,
            seed: options.seed,
            generalizer,
        }
    }
}
