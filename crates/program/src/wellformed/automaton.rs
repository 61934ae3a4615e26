//! What holds of every control-flow automaton.
//!
//! An automaton is a graph with terms on its edges, and nothing in its type says that the terms
//! speak of its variables or that its edges end in it. [`Cfa::wellformed`] says so; the passes run
//! it in debug builds on what they made. The first defect that is found is the answer, as data, so
//! that a test can ask for the rule that it broke.

use crate::cfa::{Cfa, Command, ContextId, EdgeId, Input, InputId, LocationId};
use la_arena::Arena;
use rustc_hash::FxHashSet;
use term::{Op, Pool, Sort, Term};
use thiserror::Error;

/// An end of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// Where it leaves.
    From,
    /// Where it leads.
    To,
}

/// A promise of an automaton that is broken.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Defect {
    /// The initial or the error location does not exist.
    #[error("there is no location {0:?}, where runs begin or end")]
    NoSuchLocation(LocationId),
    /// An end of an edge does not exist.
    #[error("edge {edge:?} has an end that does not exist ({end:?})")]
    NoSuchEnd {
        /// The edge.
        edge: EdgeId,
        /// Which end.
        end: End,
    },
    /// An edge leaves the error location.
    #[error("edge {0:?} leaves the error location")]
    LeavesError(EdgeId),
    /// An edge to the error location does not say what it violates.
    #[error("edge {0:?} leads to the error location and violates nothing")]
    ViolatesNothing(EdgeId),
    /// An edge to another location says that it violates something.
    #[error("edge {0:?} violates a property and does not lead to the error location")]
    ViolatesElsewhere(EdgeId),
    /// What is declared as a variable is none, or is declared with another sort.
    #[error("{variable:?} is declared, but is no variable of sort {sort:?}")]
    Declaration {
        /// What is declared.
        variable: Term,
        /// The sort that it is declared with.
        sort: Sort,
    },
    /// A term of another pool.
    #[error("edge {edge:?} has a term that is not of the pool: {term:?}")]
    Foreign {
        /// The edge.
        edge: EdgeId,
        /// The term.
        term: Term,
    },
    /// A variable that is not declared.
    #[error("edge {edge:?} speaks of {variable:?}, which is not declared")]
    Undeclared {
        /// The edge.
        edge: EdgeId,
        /// The variable.
        variable: Term,
    },
    /// A guard that is no formula.
    #[error("edge {edge:?} assumes {term:?}, which is no formula")]
    Guard {
        /// The edge.
        edge: EdgeId,
        /// The guard.
        term: Term,
    },
    /// An assignment of a value of another sort.
    #[error("edge {edge:?} gives {variable:?} a value of another sort")]
    Assignment {
        /// The edge.
        edge: EdgeId,
        /// The variable.
        variable: Term,
    },
    /// A havoc of an input that does not exist.
    #[error("edge {edge:?} asks for input {input:?}, which does not exist")]
    NoSuchInput {
        /// The edge.
        edge: EdgeId,
        /// The input.
        input: InputId,
    },
    /// A havoc of an input of another sort.
    #[error("edge {edge:?} asks for input {input:?}, which is of another sort")]
    Input {
        /// The edge.
        edge: EdgeId,
        /// The input.
        input: InputId,
    },
    /// A chain of calls that does not exist.
    #[error("there is no chain of calls {0:?}")]
    NoSuchContext(ContextId),
}

impl Cfa {
    /// Checks the promises that an automaton makes, and says which is broken: ends of edges exist,
    /// and no edge leaves the error location; an edge says what it violates if and only if it leads
    /// there; declared variables are variables of the pool with their sorts, and terms speak of no
    /// others; guards are formulas, assignments and havocs are of the variable's sort; inputs and
    /// chains of calls exist.
    pub fn wellformed(&self, pool: &Pool) -> Result<(), Defect> {
        for location in self.initial.into_iter().chain(self.error) {
            if !exists(location, self.locations.len()) {
                return Err(Defect::NoSuchLocation(location));
            }
        }
        self.declarations(pool)?;
        self.contexts_exist()?;
        let declared = |variable: Term| self.variables.contains_key(&variable);
        let mut terms = Terms { pool, inputs: &self.inputs, declared, seen: FxHashSet::default() };
        for (id, edge) in self.edges.iter() {
            for (location, end) in [(edge.from, End::From), (edge.to, End::To)] {
                if !exists(location, self.locations.len()) {
                    return Err(Defect::NoSuchEnd { edge: id, end });
                }
            }
            if Some(edge.from) == self.error {
                return Err(Defect::LeavesError(id));
            }
            match (Some(edge.to) == self.error, edge.violates.is_some()) {
                (true, false) => return Err(Defect::ViolatesNothing(id)),
                (false, true) => return Err(Defect::ViolatesElsewhere(id)),
                _ => {}
            }
            terms.command(id, &edge.command)?;
        }
        Ok(())
    }

    fn declarations(&self, pool: &Pool) -> Result<(), Defect> {
        for (&variable, origin) in &self.variables {
            let known = variable.index() < pool.len();
            let fits = known
                && matches!(pool.op(variable), Op::Var(_))
                && pool.sort(variable) == origin.sort;
            if !fits {
                return Err(Defect::Declaration { variable, sort: origin.sort });
            }
        }
        Ok(())
    }

    fn contexts_exist(&self) -> Result<(), Defect> {
        let locations = self.locations.values().filter_map(|location| location.context);
        let inputs = self.inputs.values().filter_map(|input| Some(input.instruction?.0));
        let variables = self.variables.values().filter_map(|origin| origin.context);
        match locations.chain(inputs).chain(variables).find(|c| !exists(*c, self.contexts.len())) {
            Some(context) => Err(Defect::NoSuchContext(context)),
            None => Ok(()),
        }
    }
}

/// Whether an arena of a length has an index.
pub(super) fn exists<T>(index: la_arena::Idx<T>, length: usize) -> bool {
    (index.into_raw().into_u32() as usize) < length
}

/// What is looked at term by term.
pub(super) struct Terms<'a, D> {
    pub pool: &'a Pool,
    pub inputs: &'a Arena<Input>,
    /// Whether a variable is declared.
    pub declared: D,
    /// Terms that were looked at: large terms share most of their parts.
    pub seen: FxHashSet<Term>,
}

impl<D: Fn(Term) -> bool> Terms<'_, D> {
    pub fn command(&mut self, edge: EdgeId, command: &Command) -> Result<(), Defect> {
        let mut pending = vec![command];
        while let Some(command) = pending.pop() {
            match command {
                Command::Assume(formula) => {
                    self.term(edge, *formula)?;
                    if self.pool.sort(*formula) != Sort::Bool {
                        return Err(Defect::Guard { edge, term: *formula });
                    }
                }
                Command::Assign(variable, term) => {
                    self.variable(edge, *variable)?;
                    self.term(edge, *term)?;
                    if self.pool.sort(*variable) != self.pool.sort(*term) {
                        return Err(Defect::Assignment { edge, variable: *variable });
                    }
                }
                Command::Havoc(variable, input) => {
                    self.variable(edge, *variable)?;
                    if !exists(*input, self.inputs.len()) {
                        return Err(Defect::NoSuchInput { edge, input: *input });
                    }
                    if self.inputs[*input].sort != self.pool.sort(*variable) {
                        return Err(Defect::Input { edge, input: *input });
                    }
                }
                Command::Sequence(commands) | Command::Choice(commands) => {
                    pending.extend(commands.iter().rev());
                }
            }
        }
        Ok(())
    }

    pub fn variable(&self, edge: EdgeId, variable: Term) -> Result<(), Defect> {
        match (self.declared)(variable) {
            true => Ok(()),
            false => Err(Defect::Undeclared { edge, variable }),
        }
    }

    /// Every variable of a term is declared.
    pub fn term(&mut self, edge: EdgeId, term: Term) -> Result<(), Defect> {
        if term.index() >= self.pool.len() {
            return Err(Defect::Foreign { edge, term });
        }
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if !self.seen.insert(term) {
                continue;
            }
            match self.pool.op(term) {
                Op::Var(_) => self.variable(edge, term)?,
                _ => pending.extend(self.pool.args(term)),
            }
        }
        Ok(())
    }
}
