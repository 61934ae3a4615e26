//! Procedures as text.
//!
//! ```text
//! global g: bv32
//!
//! procedure f(n: bv32) -> r: bv32                   f.c:3:5
//!   reads g
//!   writes g
//!   L2: entry
//!     -> L4  r := call f(n - 1)                     f.c:4:9
//! ```
//!
//! What a call reads and writes is said where memory is variables.

use super::sort_text;
use super::term::{Texts, term_text};
use super::text::command_lines;
use crate::place::Place;
use crate::procedures::{
    Action, Call, Callee, Edge, Effects, Extent, Procedure, ProcedureId, Procedures,
};
use la_arena::ArenaMap;
use std::collections::BTreeSet;
use std::fmt::Write;
use term::{Pool, Term};

/// The column of places.
const COLUMN: usize = 60;

/// Procedures as text.
pub fn procedures_text(procedures: &Procedures, pool: &Pool) -> String {
    let printer = Printer { procedures, pool, effects: procedures.effects(pool) };
    let mut out = String::new();
    for assumption in &procedures.assumptions {
        line(&mut out, &format!("assumption: {}", assumption.text), &assumption.place);
    }
    let globals: BTreeSet<Term> = procedures.globals.keys().copied().collect();
    for global in globals {
        let _ = writeln!(out, "global {}", printer.declared(global));
    }
    for (id, procedure) in procedures.procedures.iter() {
        out.push('\n');
        printer.procedure(&mut out, id, procedure);
    }
    out
}

/// Adds a line with a place behind it.
fn line(out: &mut String, text: &str, place: &Place) {
    if place.is_known() {
        let _ = writeln!(out, "{text:<COLUMN$}  {place}");
    } else {
        let _ = writeln!(out, "{}", text.trim_end());
    }
}

struct Printer<'a> {
    procedures: &'a Procedures,
    pool: &'a Pool,
    effects: ArenaMap<ProcedureId, Effects>,
}

impl Printer<'_> {
    fn declared(&self, variable: Term) -> String {
        let sort = sort_text(self.pool, self.pool.sort(variable));
        format!("{}: {sort}", term_text(self.pool, variable))
    }

    fn list(&self, terms: impl IntoIterator<Item = Term>) -> String {
        let terms = terms.into_iter().map(|term| term_text(self.pool, term));
        terms.collect::<Vec<_>>().join(", ")
    }

    fn procedure(&self, out: &mut String, id: ProcedureId, procedure: &Procedure) {
        let declared = |variables: &[Term]| {
            let all = variables.iter().map(|variable| self.declared(*variable));
            all.collect::<Vec<_>>().join(", ")
        };
        let mut head = format!("procedure {}({})", procedure.name, declared(&procedure.parameters));
        if !procedure.results.is_empty() {
            let _ = write!(head, " -> {}", declared(&procedure.results));
        }
        if id == self.procedures.start {
            head.push_str(", the start");
        }
        head.push_str(match procedure.extent {
            Extent::Body => "",
            Extent::Unknown => ", without a body",
            Extent::Idle => ", does nothing",
            Extent::Endless => ", never returns",
        });
        line(out, &head, &procedure.place);
        if procedure.extent != Extent::Body {
            return;
        }
        let Effects { reads, writes } = &self.effects[id];
        for (what, globals) in [("reads", reads), ("writes", writes)] {
            if !globals.is_empty() {
                let _ = writeln!(out, "  {what} {}", self.list(globals.iter().copied()));
            }
        }
        let named = |variable: &Term| {
            procedure.parameters.contains(variable) || procedure.results.contains(variable)
        };
        let others = procedure.variables.iter().map(|(variable, _)| *variable);
        let others: Vec<Term> = others.filter(|variable| !named(variable)).collect();
        if !others.is_empty() {
            let _ = writeln!(out, "  variables {}", declared(&others));
        }
        self.body(out, procedure);
    }

    fn body(&self, out: &mut String, procedure: &Procedure) {
        let mut leaving = vec![Vec::new(); procedure.locations.len()];
        let mut reached = vec![false; procedure.locations.len()];
        let number = |location: la_arena::Idx<_>| location.into_raw().into_u32() as usize;
        for edge in procedure.edges.values() {
            leaving[number(edge.from)].push(edge);
            reached[number(edge.to)] = true;
        }
        for (id, location) in procedure.locations.iter() {
            let special = [procedure.entry, procedure.exit].contains(&id);
            if leaving[number(id)].is_empty() && !reached[number(id)] && !special {
                continue;
            }
            let mut text = format!("  L{}:", id.into_raw());
            for (special, name) in [
                (procedure.entry, " entry"),
                (procedure.exit, " exit"),
                (procedure.error, " error"),
                (procedure.dead_end, " dead end"),
            ] {
                if id == special {
                    text.push_str(name);
                }
            }
            if location.loop_head {
                text.push_str(" loop");
            }
            line(out, &text, &location.place);
            for edge in &leaving[number(id)] {
                self.edge(out, edge);
            }
        }
    }

    fn edge(&self, out: &mut String, edge: &Edge) {
        let violates = edge.violates.map_or(String::new(), |p| format!(" violates {p}"));
        let head = format!("    -> L{}{violates}", edge.to.into_raw());
        let lines = self.action(&edge.action);
        match &lines[..] {
            [] => line(out, &format!("{head}  skip"), &edge.place),
            [one] => line(out, &format!("{head}  {one}"), &edge.place),
            lines => {
                line(out, &head, &edge.place);
                for text in lines {
                    let _ = writeln!(out, "         {text}");
                }
            }
        }
    }

    fn action(&self, action: &Action) -> Vec<String> {
        let term = |t: &Term| term_text(self.pool, *t);
        vec![match action {
            Action::Command(command) => return command_lines(&mut Texts::new(self.pool), command),
            Action::Check { property, formula } => format!("check {property}: {}", term(formula)),
            Action::Load { into, address, .. } => {
                format!("{} := load at {}", term(into), term(address))
            }
            Action::Written { into, address, size } => {
                format!("{} := {size} bytes written at {}", term(into), term(address))
            }
            Action::Store { address, value } => {
                format!("store at {} := {}", term(address), term(value))
            }
            Action::Allocate(allocation) => {
                let (into, size) = (term(&allocation.into), term(&allocation.size));
                format!("{into} := allocate {size} bytes for {}", allocation.name)
            }
            Action::Free { address, .. } => format!("free {}", term(address)),
            Action::Return { objects } => {
                format!("end of objects at {}", self.list(objects.iter().copied()))
            }
            Action::Copy { to, from, length } => {
                format!("copy {} bytes from {} to {}", term(length), term(from), term(to))
            }
            Action::Fill { to, byte, length } => {
                format!("fill {} bytes at {} with {}", term(length), term(to), term(byte))
            }
            Action::HavocBytes { address, length, .. } => {
                format!("{} bytes at {} := any", term(length), term(address))
            }
            Action::Call(call) => self.call(call),
        }]
    }

    fn call(&self, call: &Call) -> String {
        let callee = match &call.callee {
            Callee::Procedure(callee) => self.procedures.procedures[*callee].name.to_string(),
            Callee::Pointer(behind) => format!("*({})", term_text(self.pool, behind.address)),
        };
        let text = format!("call {callee}({})", self.list(call.arguments.iter().copied()));
        match call.results.is_empty() {
            true => text,
            false => format!("{} := {text}", self.list(call.results.iter().copied())),
        }
    }
}
