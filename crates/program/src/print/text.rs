//! Instructions and automata as text, for people: pictures and messages. Whole programs are a
//! language of their own, which the crate `ivl` writes and reads.

use super::sort_text;
use super::term::{Texts, term_text};
use crate::cfa::{Cfa, Command};
use crate::place::Place;
use crate::program::{Callee, Cause, Instruction, Program, VariableId};
use std::fmt::Write;
use term::Pool;

/// The column of places.
const COLUMN: usize = 60;

/// Adds a line with a place behind it.
fn line(out: &mut String, text: &str, place: &Place) {
    if place.is_known() {
        let _ = writeln!(out, "{text:<COLUMN$}  {place}");
    } else {
        let _ = writeln!(out, "{}", text.trim_end());
    }
}

fn cause_text(cause: &Cause) -> String {
    match cause.words() {
        (word, Some(name)) => format!("{word} {name}"),
        (word, None) => word.to_owned(),
    }
}

/// An instruction as text.
pub fn instruction_text(program: &Program, instruction: &Instruction) -> String {
    let term = |t: &term::Term| term_text(&program.pool, *t);
    let register = |v: &VariableId| term_text(&program.pool, program.variables[*v].term);
    match instruction {
        Instruction::Skip => "skip".into(),
        Instruction::Assume(formula) => format!("assume {}", term(formula)),
        Instruction::Assign(variable, value) => {
            format!("{} := {}", register(variable), term(value))
        }
        Instruction::Havoc(variable, cause) => {
            format!("{} := any ({})", register(variable), cause_text(cause))
        }
        Instruction::Check(property, formula) => format!("check {property}: {}", term(formula)),
        Instruction::Load { into, address } => {
            let sort = sort_text(&program.pool, program.variables[*into].sort);
            format!("{} := load {sort} at {}", register(into), term(address))
        }
        Instruction::Written { into, address, size } => {
            format!("{} := {size} bytes written at {}", register(into), term(address))
        }
        Instruction::Store { address, value } => {
            let sort = sort_text(&program.pool, program.pool.sort(*value));
            format!("store {sort} at {} := {}", term(address), term(value))
        }
        Instruction::Allocate { into, size, align, storage, name, .. } => {
            let storage = storage.word();
            let name = name.as_ref().map_or(String::new(), |name| format!(" for {name}"));
            let (into, size) = (register(into), term(size));
            format!("{into} := allocate {size} bytes on the {storage}, aligned to {align}{name}")
        }
        Instruction::Free { address, storage } => {
            format!("free {} on the {}", term(address), storage.word())
        }
        Instruction::Copy { to, from, length } => {
            format!("copy {} bytes from {} to {}", term(length), term(from), term(to))
        }
        Instruction::Fill { to, byte, length } => {
            format!("fill {} bytes at {} with {}", term(length), term(to), term(byte))
        }
        Instruction::HavocBytes { address, length, cause } => {
            let cause = cause_text(cause);
            format!("{} bytes at {} := any ({cause})", term(length), term(address))
        }
        Instruction::Measure { into, address, extent } => {
            format!("{} := measure {} at {}", register(into), extent.name(), term(address))
        }
        Instruction::Call { callee, arguments, results } => {
            let callee = match callee {
                Callee::Function(function) => program.functions[*function].name.to_string(),
                Callee::Pointer(address) => format!("*({})", term(address)),
            };
            let arguments: Vec<String> = arguments.iter().map(term).collect();
            let call = format!("call {callee}({})", arguments.join(", "));
            let results: Vec<String> = results.iter().map(register).collect();
            if results.is_empty() { call } else { format!("{} := {call}", results.join(", ")) }
        }
    }
}

/// An automaton as text.
pub fn cfa_text(cfa: &Cfa, pool: &Pool) -> String {
    let mut out = String::new();
    let mut variables: Vec<_> = cfa.variables.iter().collect();
    variables.sort_unstable_by_key(|(term, _)| **term);
    for (term, origin) in variables {
        let (name, sort) = (term_text(pool, *term), sort_text(pool, origin.sort));
        let _ = writeln!(out, "variable {name}: {sort}");
    }
    let mut texts = Texts::new(pool);
    let mut outgoing = vec![Vec::new(); cfa.locations.len()];
    for (_, edge) in cfa.edges.iter() {
        outgoing[edge.from.into_raw().into_u32() as usize].push(edge);
    }
    for ((id, location), edges) in cfa.locations.iter().zip(outgoing) {
        let mut text = format!("L{}:", id.into_raw());
        if cfa.initial == Some(id) {
            text.push_str(" initial");
        }
        if cfa.error == Some(id) {
            text.push_str(" error");
        }
        if location.loop_head {
            text.push_str(" loop");
        }
        line(&mut out, &text, &location.place);
        for edge in edges {
            let violates = edge.violates.map_or(String::new(), |p| format!(" violates {p}"));
            let commands = command_lines(&mut texts, &edge.command);
            let head = format!("  -> L{}{violates}", edge.to.into_raw());
            match &commands[..] {
                [] => line(&mut out, &format!("{head}  skip"), &edge.place),
                [command] => line(&mut out, &format!("{head}  {command}"), &edge.place),
                commands => {
                    line(&mut out, &head, &edge.place);
                    for command in commands {
                        let _ = writeln!(out, "       {command}");
                    }
                }
            }
        }
    }
    out
}

/// What is left to write of a command.
enum Piece<'c> {
    Command(&'c Command, usize),
    Text(&'static str, usize),
}

/// A command in lines, those of choices indented.
pub(super) fn command_lines(texts: &mut Texts, command: &Command) -> Vec<String> {
    let mut lines = Vec::new();
    let mut pending = vec![Piece::Command(command, 0)];
    while let Some(piece) = pending.pop() {
        let (Piece::Command(_, depth) | Piece::Text(_, depth)) = piece;
        let mut line = "  ".repeat(depth);
        match piece {
            Piece::Text(text, _) => line.push_str(text),
            Piece::Command(Command::Assume(formula), _) => {
                line.push_str("assume ");
                line.push_str(texts.of(*formula));
            }
            Piece::Command(Command::Assign(variable, value), _) => {
                line.push_str(texts.of(*variable));
                line.push_str(" := ");
                line.push_str(texts.of(*value));
            }
            Piece::Command(Command::Havoc(variable, input), _) => {
                line.push_str(texts.of(*variable));
                let _ = write!(line, " := any (input {})", input.into_raw());
            }
            Piece::Command(Command::Sequence(commands), _) => {
                pending.extend(commands.iter().rev().map(|c| Piece::Command(c, depth)));
                continue;
            }
            Piece::Command(Command::Choice(commands), _) if commands.is_empty() => {
                line.push_str("assume false");
            }
            Piece::Command(Command::Choice(commands), _) => {
                pending.push(Piece::Text("}", depth));
                for (i, command) in commands.iter().enumerate().rev() {
                    pending.push(Piece::Command(command, depth + 1));
                    pending.push(Piece::Text(if i == 0 { "{" } else { "} or {" }, depth));
                }
                continue;
            }
        }
        lines.push(line);
    }
    lines
}
