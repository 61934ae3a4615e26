//! The summaries of a proof as contracts of functions, in the language of the source.
//!
//! What holds of every call that returns is what the function ensures; a call that meets none of the
//! conditions under which a violation can be reached is what it requires. Of a loop the same is said
//! from its head on: what holds when it is left, of the values there and at the head.

use crate::result::Contract;
use program::procedures::{Interface, Procedure, ProcedureId, Procedures, Summaries};
use program::program::{Program, Reading};
use std::collections::BTreeMap;
use term::traverse::{conjuncts, size};
use term::{Pool, Term};
use verify::Language;
use verify::language::Name;

/// The contracts of the functions that a proof speaks of, in the order of the source.
pub fn contracts(
    language: &dyn Language,
    program: &Program,
    procedures: &Procedures,
    summaries: &Summaries,
) -> Vec<Contract> {
    let mut known: BTreeMap<ProcedureId, (Vec<Term>, Vec<Vec<Term>>)> = BTreeMap::new();
    let pool = &program.pool;
    for (number, node) in summaries.nodes.iter().enumerate() {
        let Some(summary) = &node.summary else { continue };
        // Of the start nothing is said that a reader does not know.
        if number == summaries.start {
            continue;
        }
        let (returns, fails) = known.entry(node.procedure).or_default();
        returns.extend(summary.returns.iter().flat_map(|formula| conjuncts(pool, *formula)));
        fails.push(summary.fails.clone());
    }
    let writer = Writer { language, program, pool };
    let written = known.into_iter().map(|(id, (returns, fails))| {
        let procedure = &procedures.procedures[id];
        writer.contract(procedure, &summaries.interfaces[id], returns, &fails)
    });
    written.filter(|c| !(c.requires.is_empty() && c.ensures.is_empty())).collect()
}

struct Writer<'a> {
    language: &'a dyn Language,
    program: &'a Program,
    pool: &'a Pool,
}

impl Writer<'_> {
    fn contract(
        &self,
        procedure: &Procedure,
        interface: &Interface,
        mut returns: Vec<Term>,
        fails: &[Vec<Term>],
    ) -> Contract {
        let mut dropped = 0;
        let mut write = |formula: Term| {
            let name = |term| self.name(procedure, interface, term);
            let text = self.language.expression(self.pool, formula, &name);
            dropped += usize::from(text.is_none());
            text.filter(|text| text != "1")
        };
        returns.sort_by_key(|formula| (size(self.pool, *formula), *formula));
        returns.dedup();
        let ensures = returns.into_iter().filter_map(&mut write).collect();
        // A call that one of these excludes reaches no violation.
        let mut requires = Vec::new();
        for fails in fails {
            let possible = self.pool.and(fails.iter().copied());
            if self.pool.as_bool(possible) == Some(false) {
                requires.clear();
                break;
            }
            if self.pool.as_bool(possible) != Some(true) {
                requires.extend(write(self.pool.not(possible)));
            }
        }
        requires.sort();
        requires.dedup();
        let function = procedure.name.to_string();
        let place = procedure.place.clone();
        Contract { function, place, requires, ensures, left_out: dropped }
    }

    /// What a variable of a summary is called in a contract.
    fn name(&self, procedure: &Procedure, interface: &Interface, term: Term) -> Option<Name> {
        let is_loop = procedure.name.contains(" (loop");
        let output = interface.outputs.iter().position(|output| output.after == term);
        if let Some(n) = output {
            let name = self.variable(procedure, interface.outputs[n].variable);
            if n < interface.results && !is_loop {
                let signed = name.is_some_and(|name| name.signed);
                let text = "__CPROVER_return_value".to_owned();
                return Some(Name { text, signed });
            }
            return name;
        }
        let name = self.variable(procedure, term)?;
        // What a loop assigns has another value where it is left, whoever reads it there.
        let changes = interface.outputs.iter().any(|output| output.variable == term)
            || is_loop && assigns(procedure, term);
        let before = match (changes, is_loop) {
            (false, _) => name.text,
            (true, true) => format!("__CPROVER_loop_entry({})", name.text),
            (true, false) => format!("__CPROVER_old({})", name.text),
        };
        Some(Name { text: before, ..name })
    }

    /// What a variable is called in the source.
    fn variable(&self, procedure: &Procedure, term: Term) -> Option<Name> {
        let own = procedure.variables.iter().find(|(variable, _)| *variable == term);
        let id = match own {
            Some((_, origin)) => origin.variable,
            None => self.program.variables.iter().find(|(_, v)| v.term == term).map(|(id, _)| id),
        };
        let variable = id.map(|id| &self.program.variables[id])?;
        if variable.reading == Reading::Address {
            return None;
        }
        let signed = variable.reading == Reading::Signed;
        Some(Name { text: variable.name.as_deref().unwrap_or("result").to_owned(), signed })
    }
}

/// Whether some edge of a procedure gives a variable a value.
fn assigns(procedure: &Procedure, variable: Term) -> bool {
    let mut found = false;
    for edge in procedure.edges.values() {
        edge.action.for_each_definition(&mut |defined| found |= defined == variable);
    }
    found
}
