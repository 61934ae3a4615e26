//! Programs and automata as graphs in the DOT language.

use super::term::Texts;
use super::text::{command_lines, instruction_text};
use crate::cfa::Cfa;
use crate::program::Program;
use std::fmt::Write;
use term::Pool;

/// A text as a quoted string of DOT, its lines aligned to the left.
fn quoted(lines: &[String]) -> String {
    let mut out = String::from("\"");
    for (i, line) in lines.iter().enumerate() {
        for c in line.chars() {
            match c {
                '"' | '\\' => {
                    out.push('\\');
                    out.push(c);
                }
                c if c.is_control() => out.push(' '),
                c => out.push(c),
            }
        }
        if i + 1 < lines.len() {
            out.push_str("\\l");
        }
    }
    if lines.len() > 1 {
        out.push_str("\\l");
    }
    out.push('"');
    out
}

/// A program as a graph: one cluster a function.
pub fn program_dot(program: &Program) -> String {
    let mut out = String::from("digraph program {\n  node [shape=circle, fontsize=10];\n");
    for (id, function) in program.functions.iter() {
        let Some(body) = &function.body else { continue };
        let f = id.into_raw();
        let _ = writeln!(out, "  subgraph cluster_{f} {{");
        let _ = writeln!(out, "    label={};", quoted(&[function.name.to_string()]));
        for (id, location) in body.locations.iter() {
            let mut lines = vec![format!("{}", id.into_raw())];
            lines.extend(location.label.iter().map(|label| label.to_string()));
            let shape = match () {
                () if location.loop_head => ", shape=doublecircle",
                () if id == body.entry || id == body.exit => ", shape=box",
                () => "",
            };
            let label = quoted(&lines);
            let _ = writeln!(out, "    f{f}_{} [label={label}{shape}];", id.into_raw());
        }
        for (_, edge) in body.edges.iter() {
            let (from, to) = (edge.from.into_raw(), edge.to.into_raw());
            let label = quoted(&[instruction_text(program, &edge.instruction)]);
            let _ = writeln!(out, "    f{f}_{from} -> f{f}_{to} [label={label}, fontsize=9];");
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

/// An automaton as a graph.
pub fn cfa_dot(cfa: &Cfa, pool: &Pool) -> String {
    let mut out = String::from("digraph cfa {\n  node [shape=circle, fontsize=10];\n");
    for (id, location) in cfa.locations.iter() {
        let shape = match () {
            () if cfa.error == Some(id) => ", shape=octagon, color=red",
            () if location.loop_head => ", shape=doublecircle",
            () if cfa.initial == Some(id) => ", shape=box",
            () => "",
        };
        let id = id.into_raw();
        let _ = writeln!(out, "  l{id} [label=\"{id}\"{shape}];");
    }
    let mut texts = Texts::new(pool);
    for (_, edge) in cfa.edges.iter() {
        let mut lines = command_lines(&mut texts, &edge.command);
        if let Some(property) = edge.violates {
            lines.push(format!("violates {property}"));
        }
        let (from, to) = (edge.from.into_raw(), edge.to.into_raw());
        let label = quoted(&lines);
        let _ = writeln!(out, "  l{from} -> l{to} [label={label}, fontsize=9];");
    }
    out.push_str("}\n");
    out
}
