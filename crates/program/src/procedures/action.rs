//! What edges of procedures do.

use super::ProcedureId;
use crate::cfa::{Command, ContextId};
use crate::program::{Cause, EdgeId, FunctionId, Storage};
use crate::property::Property;
use std::sync::Arc;
use term::Term;

/// An instruction of the program, in a chain of calls that begins in the procedure.
pub type Instance = (ContextId, FunctionId, EdgeId);

/// What an edge does. Terms are over the procedure's variables, the globals, and the addresses of
/// static objects and functions.
#[derive(Clone, Debug)]
pub enum Action {
    /// Assumes, assigns, makes unknown: what automata can do.
    Command(Command),
    /// See [`crate::Instruction::Check`].
    Check {
        /// What is violated if the formula does not hold.
        property: Property,
        /// What should hold.
        formula: Term,
    },
    /// Reads the bytes at an address.
    Load {
        /// Takes the value; its sort says how many bytes.
        into: Term,
        /// From where.
        address: Term,
        /// The instruction.
        instruction: Instance,
    },
    /// Whether all of so many bytes at an address were written.
    Written {
        /// Takes the answer.
        into: Term,
        /// From where.
        address: Term,
        /// How many.
        size: u64,
    },
    /// Writes the bytes at an address.
    Store {
        /// Where to.
        address: Term,
        /// The value; its sort says how many bytes.
        value: Term,
    },
    /// A new object.
    Allocate(Box<Allocation>),
    /// The object that begins at the address ends to live.
    Free {
        /// Its first byte.
        address: Term,
        /// Which kind it must be of.
        storage: Storage,
    },
    /// The stack objects that these registers point to end with their function.
    Return {
        /// The registers.
        objects: Arc<[Term]>,
    },
    /// Bytes are copied; the ranges may overlap.
    Copy {
        /// Where to.
        to: Term,
        /// From where.
        from: Term,
        /// How many.
        length: Term,
    },
    /// Bytes are set to one byte.
    Fill {
        /// Where.
        to: Term,
        /// The byte.
        byte: Term,
        /// How many.
        length: Term,
    },
    /// Bytes take any values.
    HavocBytes {
        /// Where.
        address: Term,
        /// How many.
        length: Term,
        /// Why.
        cause: Cause,
        /// The instruction.
        instruction: Instance,
    },
    /// A call; it goes on when the callee's exit is reached.
    Call(Box<Call>),
}

/// See [`crate::Instruction::Allocate`].
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Takes the address.
    pub into: Term,
    /// How many bytes.
    pub size: Term,
    /// Alignment in bytes.
    pub align: u64,
    /// Where the object lives.
    pub storage: Storage,
    /// Whether its contents count as written.
    pub written: bool,
    /// What to call it in messages.
    pub name: Arc<str>,
    /// Whether several objects that it makes can live at the same time within one call.
    pub several: bool,
    /// Its object's number, which the memory pass gives.
    pub(crate) object: usize,
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Who is called.
    pub callee: Callee,
    /// What its parameters take, all at once.
    pub arguments: Vec<Term>,
    /// What takes its results, in order, all at once; fewer if they are not used.
    pub results: Vec<Term>,
    /// The instruction; none where a loop goes on ([`Procedures::with_loops_as_recursion`]).
    ///
    /// [`Procedures::with_loops_as_recursion`]: super::Procedures::with_loops_as_recursion
    pub instruction: Option<Instance>,
}

/// Who is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A procedure.
    Procedure(ProcedureId),
    /// The function at an address.
    Pointer(Box<Behind>),
}

/// What a call through a pointer can be to.
#[derive(Clone, Debug)]
pub struct Behind {
    /// The pointer.
    pub address: Term,
    /// Procedures whose address can flow there, with it.
    pub targets: Vec<(ProcedureId, Term)>,
    /// The addresses of all functions that fit the call by their parameters and results.
    pub fitting: Vec<Term>,
    /// Whether it may be to a function outside the program.
    pub outside: bool,
    /// Whether a call of no function is a violation, if invalid pointers are asked for at all.
    pub asked: bool,
}

impl Action {
    /// The action that does nothing.
    pub fn skip() -> Action {
        Action::Command(Command::skip())
    }

    /// Visits the registers that it gives a value, but for parameters of a callee.
    pub fn for_each_definition(&self, visit: &mut impl FnMut(Term)) {
        match self {
            Action::Command(command) => command.for_each_atom(&mut |command| match command {
                Command::Assign(register, _) | Command::Havoc(register, _) => visit(*register),
                _ => {}
            }),
            Action::Load { into, .. } | Action::Written { into, .. } => visit(*into),
            Action::Allocate(allocation) => visit(allocation.into),
            Action::Call(call) => call.results.iter().for_each(|result| visit(*result)),
            _ => {}
        }
    }

    /// Visits the terms that it reads.
    pub fn for_each_read(&self, visit: &mut impl FnMut(Term)) {
        match self {
            Action::Command(command) => command.for_each_atom(&mut |command| match command {
                Command::Assume(term) | Command::Assign(_, term) => visit(*term),
                _ => {}
            }),
            Action::Check { formula, .. } => visit(*formula),
            Action::Load { address, .. }
            | Action::Written { address, .. }
            | Action::Free { address, .. } => visit(*address),
            Action::Store { address: a, value: b }
            | Action::HavocBytes { address: a, length: b, .. } => {
                visit(*a);
                visit(*b);
            }
            Action::Allocate(allocation) => visit(allocation.size),
            Action::Copy { to: a, from: b, length: c }
            | Action::Fill { to: a, byte: b, length: c } => {
                visit(*a);
                visit(*b);
                visit(*c);
            }
            Action::Call(call) => {
                call.arguments.iter().for_each(|argument| visit(*argument));
                if let Callee::Pointer(behind) = &call.callee {
                    visit(behind.address);
                }
            }
            Action::Return { objects } => objects.iter().for_each(|object| visit(*object)),
        }
    }

    /// The addresses that it accesses memory at.
    pub fn addresses(&self) -> impl Iterator<Item = Term> + use<> {
        let (first, second) = match self {
            Action::Load { address, .. }
            | Action::Written { address, .. }
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
            Action::Command(command) => return map_read(command, map),
            Action::Call(call) => {
                call.arguments.iter_mut().for_each(|argument| *argument = map(*argument));
                match &mut call.callee {
                    Callee::Pointer(behind) => [Some(&mut behind.address), None, None],
                    Callee::Procedure(_) => [None, None, None],
                }
            }
            Action::Check { formula: a, .. }
            | Action::Load { address: a, .. }
            | Action::Written { address: a, .. }
            | Action::Free { address: a, .. } => [Some(a), None, None],
            Action::Allocate(allocation) => [Some(&mut allocation.size), None, None],
            Action::Store { address: a, value: b }
            | Action::HavocBytes { address: a, length: b, .. } => [Some(a), Some(b), None],
            Action::Copy { to: a, from: b, length: c }
            | Action::Fill { to: a, byte: b, length: c } => [Some(a), Some(b), Some(c)],
            Action::Return { .. } => [None, None, None],
        };
        for term in terms.into_iter().flatten() {
            *term = map(*term);
        }
    }
}

/// Replaces the terms that a command reads, and not the variables that it assigns.
fn map_read(command: &mut Command, map: &mut impl FnMut(Term) -> Term) {
    match command {
        Command::Assume(term) | Command::Assign(_, term) => *term = map(*term),
        Command::Havoc(..) => {}
        Command::Sequence(commands) | Command::Choice(commands) => {
            for command in commands {
                map_read(command, map);
            }
        }
    }
}
