//! What holds of procedures in which memory is variables and calls are direct: every procedure is
//! an automaton by itself ([`Cfa::wellformed`](crate::Cfa::wellformed)), and calls fit.

use super::Defect;
use super::automaton::End;
use super::automaton::{Terms, exists};
use crate::cfa::EdgeId;
use crate::procedures::{Action, Call, Callee, Procedure, ProcedureId, Procedures};
use rustc_hash::FxHashSet;
use term::{Op, Pool, Term};
use thiserror::Error;

/// A promise of procedures that is broken.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProcedureDefect {
    /// A procedure is no automaton; its edges are meant.
    #[error("procedure {0:?}: {1}")]
    Automaton(ProcedureId, Defect),
    /// An edge leaves the exit or the dead end.
    #[error("procedure {0:?}: edge {1:?} leaves the exit or the dead end")]
    LeavesEnd(ProcedureId, EdgeId),
    /// An edge that accesses memory, checks something, or calls through a pointer.
    #[error("procedure {0:?}: edge {1:?} is neither a command nor a direct call")]
    Unencoded(ProcedureId, EdgeId),
    /// A call of a procedure that does not exist, or of the start.
    #[error("procedure {0:?}: edge {1:?} calls what can't be called")]
    Callee(ProcedureId, EdgeId),
    /// Arguments or results that don't fit the callee's in number or sort.
    #[error("procedure {0:?}: edge {1:?} does not fit what it calls")]
    Fit(ProcedureId, EdgeId),
    /// A parameter or result that is no variable of the procedure.
    #[error("procedure {0:?}: {1:?} is not declared")]
    Interface(ProcedureId, Term),
    /// A variable that two procedures, or a procedure and the globals, declare.
    #[error("{0:?} is declared twice")]
    Twice(Term),
}

impl Procedures {
    /// Checks the promises of procedures in which memory is variables and calls are direct.
    pub fn wellformed(&self, pool: &Pool) -> Result<(), ProcedureDefect> {
        let mut declared: FxHashSet<Term> = self.globals.keys().copied().collect();
        for (id, procedure) in self.procedures.iter() {
            for (variable, origin) in &procedure.variables {
                let (variable, sort) = (*variable, origin.sort);
                if !declared.insert(variable) {
                    return Err(ProcedureDefect::Twice(variable));
                }
                if !matches!(pool.op(variable), Op::Var(_)) || pool.sort(variable) != sort {
                    let defect = Defect::Declaration { variable, sort };
                    return Err(ProcedureDefect::Automaton(id, defect));
                }
            }
        }
        self.procedures.iter().try_for_each(|(id, procedure)| self.procedure(pool, id, procedure))
    }

    fn procedure(
        &self,
        pool: &Pool,
        id: ProcedureId,
        procedure: &Procedure,
    ) -> Result<(), ProcedureDefect> {
        let own = procedure.variables.iter().map(|(variable, _)| *variable);
        let own: FxHashSet<Term> = own.collect();
        let declared =
            |variable: Term| own.contains(&variable) || self.globals.contains_key(&variable);
        let mut interface = procedure.parameters.iter().chain(&procedure.results);
        if let Some(variable) = interface.find(|variable| !declared(**variable)) {
            return Err(ProcedureDefect::Interface(id, *variable));
        }
        let mut terms = Terms { pool, inputs: &self.inputs, declared, seen: FxHashSet::default() };
        let automaton = |defect| ProcedureDefect::Automaton(id, defect);
        for (number, edge) in procedure.edges.iter() {
            let number = EdgeId::from_raw(number.into_raw());
            for (location, end) in [(edge.from, End::From), (edge.to, End::To)] {
                if !exists(location, procedure.locations.len()) {
                    return Err(automaton(Defect::NoSuchEnd { edge: number, end }));
                }
            }
            if edge.from == procedure.error {
                return Err(automaton(Defect::LeavesError(number)));
            }
            if edge.from == procedure.exit || edge.from == procedure.dead_end {
                return Err(ProcedureDefect::LeavesEnd(id, number));
            }
            match (edge.to == procedure.error, edge.violates.is_some()) {
                (true, false) => return Err(automaton(Defect::ViolatesNothing(number))),
                (false, true) => return Err(automaton(Defect::ViolatesElsewhere(number))),
                _ => {}
            }
            match &edge.action {
                Action::Command(command) => terms.command(number, command).map_err(automaton)?,
                Action::Call(call) => {
                    for argument in &call.arguments {
                        terms.term(number, *argument).map_err(automaton)?;
                    }
                    for result in &call.results {
                        terms.variable(number, *result).map_err(automaton)?;
                    }
                    self.call(pool, call).map_err(|defect| defect(id, number))?;
                }
                _ => return Err(ProcedureDefect::Unencoded(id, number)),
            }
        }
        Ok(())
    }

    fn call(
        &self,
        pool: &Pool,
        call: &Call,
    ) -> Result<(), fn(ProcedureId, EdgeId) -> ProcedureDefect> {
        let Callee::Procedure(callee) = call.callee else {
            return Err(ProcedureDefect::Unencoded);
        };
        if !exists(callee, self.procedures.len()) || callee == self.start {
            return Err(ProcedureDefect::Callee);
        }
        let callee = &self.procedures[callee];
        let sorts = |terms: &[Term]| terms.iter().map(|t| pool.sort(*t)).collect::<Vec<_>>();
        let taken = callee.results.get(..call.results.len());
        let fits = sorts(&call.arguments) == sorts(&callee.parameters)
            && taken.is_some_and(|taken| sorts(taken) == sorts(&call.results));
        if fits { Ok(()) } else { Err(ProcedureDefect::Fit) }
    }
}
