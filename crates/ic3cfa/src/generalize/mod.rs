//! Generalization: from a cube that no arrow leads into to a lemma that excludes more.
//!
//! | strategy | option `generalize` | where |
//! |---|---|---|
//! | the cube as it is | `none` | here |
//! | literals tried on all arrows at once | `old`, `new` with *multi* | [`together`] |
//! | literals tried arrow by arrow | `old`, `new` with *single*, *incremental* | [`by_arrow`] |
//! | our own | `inductive` | [`inductive`] |
//!
//! Which literals are tried in which order is a matter of [`search`]; what is known of them without
//! trying, of [`reduce`], with [`context`] and [`crate::static_check`].

pub(crate) mod by_arrow;
pub(crate) mod context;
pub(crate) mod inductive;
pub(crate) mod reduce;
pub(crate) mod saturate;
pub(crate) mod search;
pub(crate) mod together;

use crate::block::Unreachable;
use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::graph::NodeId;
use crate::options::{EdgeApproach, Generalize, Options};
use by_arrow::ByArrow;
use inductive::Inductive;
use lemmas::INFINITE;
use std::rc::Rc;
use term::Term;
use together::Together;

/// How lemmas are made.
#[derive(Clone, Debug)]
pub(crate) enum Generalizer {
    /// The cube becomes a lemma as it is.
    AsItIs,
    /// [Lan18 §4.3.2], *multi*.
    Together(Together),
    /// [Lan18 §4.3.2], *single* and *incremental*.
    ByArrow(ByArrow),
    /// Our own.
    Inductive(Inductive),
}

impl Generalizer {
    pub(crate) fn new(options: &Options) -> Generalizer {
        match (options.generalize, options.edge_approach) {
            (Generalize::None, _) => Generalizer::AsItIs,
            (Generalize::Inductive, _) => Generalizer::Inductive(Inductive::new(options)),
            (Generalize::Old | Generalize::New, EdgeApproach::Multi) => {
                Generalizer::Together(Together::new(options))
            }
            (Generalize::Old | Generalize::New, EdgeApproach::Single) => {
                Generalizer::ByArrow(ByArrow::new(options, by_arrow::Given::Nothing))
            }
            (Generalize::Old | Generalize::New, EdgeApproach::Incremental) => {
                Generalizer::ByArrow(ByArrow::new(options, by_arrow::Given::Needed))
            }
        }
    }

    /// Whether every arrow is asked about one and the same clause, so that the clause may be
    /// assumed before it. Where generalizations are made arrow by arrow and united, it may not
    /// ([Lan18, Theorem 4.1]).
    pub(crate) fn asks_about_one_clause(&self) -> bool {
        matches!(self, Generalizer::AsItIs | Generalizer::Inductive(_))
    }
}

impl Engine<'_> {
    /// A lemma that excludes the cube, and the frame up to which it holds.
    pub(crate) fn generalize(
        &mut self,
        node: NodeId,
        frame: usize,
        cube: &Cube,
        unreachable: Unreachable,
    ) -> Result<(Cube, usize), End> {
        let strategy = Rc::clone(&self.strategy);
        match &strategy.generalizer {
            Generalizer::AsItIs => {
                Ok((cube.clone(), if unreachable.framed { frame } else { INFINITE }))
            }
            Generalizer::Together(together) => {
                Ok((together.lemma(self, node, frame, cube, unreachable)?, frame))
            }
            Generalizer::ByArrow(by_arrow) => {
                Ok((by_arrow.lemma(self, frame, cube, unreachable)?, frame))
            }
            Generalizer::Inductive(inductive) => {
                inductive.lemma(self, node, frame, cube, unreachable)
            }
        }
    }
}

/// What becomes of unsatisfiable cores.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cores {
    /// Literals outside a core are dropped without being tried.
    Used,
    /// Every literal is tried.
    Ignored,
}

impl Cores {
    pub(crate) fn new(options: &Options) -> Cores {
        if options.unsat_cores { Cores::Used } else { Cores::Ignored }
    }

    /// The literals of a cube that are tried, with a core of the cube.
    pub(crate) fn first(self, cube: &Cube, core: impl FnOnce() -> Vec<Term>) -> Vec<Term> {
        match self {
            Cores::Used => core(),
            Cores::Ignored => cube.literals().to_vec(),
        }
    }

    /// The literals that are left after a query about a cube.
    pub(crate) fn of_answer(self, cube: &[Term], in_core: impl Fn(&Term) -> bool) -> Vec<Term> {
        match self {
            Cores::Used => cube.iter().copied().filter(in_core).collect(),
            Cores::Ignored => cube.to_vec(),
        }
    }
}
