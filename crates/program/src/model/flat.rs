//! The inlined program: a control-flow automaton whose edges still access memory.

use crate::cfa::{Cfa, ContextId, InputId, LocationId};
use crate::place::Place;
use crate::program::{Assumption, Cause, EdgeId, FunctionId, Storage};
use crate::property::Property;
use std::sync::Arc;
use term::Term;

/// An instruction in a chain of calls.
pub(super) type Instance = (ContextId, FunctionId, EdgeId);

/// The inlined program. The automaton has its locations, variables of registers, inputs and
/// contexts, but no edges: those are the steps.
pub(super) struct Flat {
    pub cfa: Cfa,
    pub steps: Vec<Step>,
    /// What was assumed in inlining.
    pub assumptions: Vec<Assumption>,
}

/// One edge.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub from: LocationId,
    pub to: LocationId,
    pub action: Action,
    pub place: Place,
    /// For a step to the error location.
    pub violates: Option<Property>,
}

/// What a step does; terms are over the registers of the instances and the addresses of static
/// objects and functions.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Skip,
    Assume(Term),
    Assign(Term, Term),
    Havoc(Term, InputId),
    Load {
        into: Term,
        address: Term,
        instruction: Instance,
    },
    Store {
        address: Term,
        value: Term,
    },
    Allocate(Box<Allocation>),
    Free {
        address: Term,
        storage: Storage,
    },
    /// The stack objects that these registers point to end with their function.
    Return {
        objects: Arc<[Term]>,
    },
    Copy {
        to: Term,
        from: Term,
        length: Term,
    },
    Fill {
        to: Term,
        byte: Term,
        length: Term,
    },
    HavocBytes {
        address: Term,
        length: Term,
        cause: Cause,
        instruction: Instance,
    },
}

/// See [`crate::Instruction::Allocate`].
#[derive(Clone, Debug)]
pub(super) struct Allocation {
    pub into: Term,
    pub size: Term,
    pub align: u64,
    pub storage: Storage,
    pub name: Arc<str>,
    /// Whether several objects of this instance of the instruction can live at the same time.
    pub several: bool,
    /// Its object's number; see [`super::objects`].
    pub object: usize,
}

impl Action {
    /// The register that it gives a value.
    pub fn defines(&self) -> Option<Term> {
        match self {
            Action::Assign(register, _) | Action::Havoc(register, _) => Some(*register),
            Action::Load { into, .. } => Some(*into),
            Action::Allocate(allocation) => Some(allocation.into),
            _ => None,
        }
    }

    /// The addresses that it accesses memory at.
    pub fn addresses(&self) -> impl Iterator<Item = Term> + use<> {
        let (first, second) = match self {
            Action::Load { address, .. }
            | Action::Store { address, .. }
            | Action::Free { address, .. }
            | Action::HavocBytes { address, .. }
            | Action::Fill { to: address, .. } => (Some(*address), None),
            Action::Copy { to, from, .. } => (Some(*to), Some(*from)),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Replaces every term that it reads.
    pub fn map_terms(&mut self, map: &mut impl FnMut(Term) -> Term) {
        let terms: [Option<&mut Term>; 3] = match self {
            Action::Assume(a) | Action::Assign(_, a) | Action::Load { address: a, .. } => {
                [Some(a), None, None]
            }
            Action::Free { address: a, .. } => [Some(a), None, None],
            Action::Allocate(allocation) => [Some(&mut allocation.size), None, None],
            Action::Store { address: a, value: b }
            | Action::HavocBytes { address: a, length: b, .. } => [Some(a), Some(b), None],
            Action::Copy { to: a, from: b, length: c }
            | Action::Fill { to: a, byte: b, length: c } => [Some(a), Some(b), Some(c)],
            Action::Skip | Action::Havoc(..) | Action::Return { .. } => [None, None, None],
        };
        for term in terms.into_iter().flatten() {
            *term = map(*term);
        }
    }
}
