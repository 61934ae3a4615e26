//! The table of passes: one row says all that there is to say of a pass but what it does.
//!
//! A pass over automata is a function from [`Work`] to what it did, with its own way back, in a file
//! of its own, and its row here. (The first three passes are part of building a model,
//! [`crate::model`], and have no such function.)

use super::back::Undo;
use super::{Work, bisimulation, propagate, prune, slice};
use crate::blocks;
use std::sync::Arc;

/// What a pass does to an automaton.
pub(super) type Rewrite = fn(&mut Work) -> Done;

/// What a pass did.
pub(super) enum Done {
    /// Nothing.
    Nothing,
    /// Something, and invariants hold before it as they are.
    Changed,
    /// Something that has a way back.
    With(Arc<dyn Undo>),
}

/// Makes the enumeration and everything that follows from the rows.
macro_rules! passes {
    ($($(#[$doc:meta])* $pass:ident, $name:literal, $rewrite:expr;)*) => {
        /// A pass.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Pass {
            $($(#[$doc])* $pass,)*
        }

        impl Pass {
            /// All of them, in the order of a round.
            pub const ALL: [Pass; [$($name),*].len()] = [$(Pass::$pass),*];

            /// Its name on the command line and in statistics.
            pub fn name(self) -> &'static str {
                match self {
                    $(Pass::$pass => $name,)*
                }
            }

            /// What it does to an automaton; none if it works before there is one.
            pub(super) fn rewrite(self) -> Option<Rewrite> {
                match self {
                    $(Pass::$pass => $rewrite,)*
                }
            }
        }
    };
}

passes! {
    /// What the properties depend on, in the program before inlining
    /// ([`crate::model::Options::cone`]).
    Cone, "cone", None;
    /// Variables that are assigned before they are read have no unknown first value
    /// ([`crate::model::Options::initialized`]).
    Initialized, "initialized", None;
    /// Pointers to one object are replaced by its address ([`crate::model::Options::pointers`]).
    Pointers, "pointers", None;
    /// Unreachable locations, and those that can't reach the error.
    Prune, "prune", Some(prune::prune);
    /// Assignments and variables that no assumption depends on.
    Slice, "slice", Some(slice::slice);
    /// Large-block encoding.
    Blocks, "blocks", Some(large_blocks);
    /// Forward substitution of definitions within an edge.
    Substitute, "substitute", Some(propagate::substitute);
    /// Constants and copies, by the definitions that reach a location.
    Propagate, "propagate", Some(propagate::propagate);
    /// Equivalent locations.
    Bisimulation, "bisimulation", Some(bisimulation::merge);
}

impl Pass {
    /// Whether it works on automata, and not before there is one.
    pub fn is_of_automata(self) -> bool {
        self.rewrite().is_some()
    }

    /// The pass with a name.
    pub fn named(name: &str) -> Option<Pass> {
        Pass::ALL.into_iter().find(|pass| pass.name() == name)
    }
}

/// [`crate::blocks`] keeps what holds at the locations that it keeps.
fn large_blocks(work: &mut Work) -> Done {
    blocks::encode_with(&mut work.terms, &mut work.cfa, &work.blocks, &work.heads);
    Done::Changed
}
