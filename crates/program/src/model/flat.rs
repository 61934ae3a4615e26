//! The inlined program: a control-flow automaton whose edges still access memory.

use super::Error;
use crate::cfa::{Cfa, Command, ContextId, Edge, InputId, LocationId};
use crate::place::Place;
use crate::program::{Cause, EdgeId, FunctionId, Program, Storage};
use crate::property::Property;
use std::sync::Arc;
use term::Term;
use term::traverse::Substitution;

/// An instruction in a chain of calls.
pub(super) type Instance = (ContextId, FunctionId, EdgeId);

/// The inlined program. The automaton has its locations, variables of registers, inputs and
/// contexts, but no edges: those are the steps.
pub(super) struct Flat {
    pub cfa: Cfa,
    pub steps: Vec<Step>,
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
#[allow(dead_code)]
pub(super) enum Action {
    Skip,
    Assume(Term),
    Assign(Term, Term),
    Havoc(Term, InputId),
    Load {
        into: Term,
        address: Term,
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
#[allow(dead_code)]
pub(super) struct Allocation {
    pub into: Term,
    pub size: Term,
    pub align: u64,
    pub storage: Storage,
    pub scalars: Vec<u32>,
    pub name: Arc<str>,
    /// Whether several objects of this instance of the instruction can live at the same time.
    pub several: bool,
    pub instruction: Instance,
}

impl Flat {
    /// The automaton, of a program that accesses no memory.
    pub fn into_cfa(self, program: &Program) -> Result<Cfa, Error> {
        let Flat { mut cfa, steps } = self;
        let constants = program.addresses.iter();
        let constants = constants.map(|(&term, bits)| (term, program.pool.bits(bits.clone())));
        let mut addresses = Substitution::new(constants);
        let mut number = |term: Term| addresses.apply(&program.pool, term);
        for Step { from, to, action, place, violates } in steps {
            let command = match action {
                Action::Skip => Command::skip(),
                Action::Assume(formula) => Command::Assume(number(formula)),
                Action::Assign(variable, term) => Command::Assign(variable, number(term)),
                Action::Havoc(variable, input) => Command::Havoc(variable, input),
                Action::Return { .. } => Command::skip(),
                _ => {
                    let what = "accesses to memory have no model yet".to_owned();
                    return Err(Error::Unsupported { place, what });
                }
            };
            cfa.edges.alloc(Edge { from, to, command, place, violates });
        }
        Ok(cfa)
    }
}
