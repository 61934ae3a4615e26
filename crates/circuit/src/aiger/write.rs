//! The writers: inputs, latches and gates are numbered in this order, without gaps, and only the
//! gates that some function needs are written.
//!
//! A file that has outputs but no bad properties means its outputs as bad properties. So the
//! outputs of a system without bad properties are left out.

use crate::system::{Init, Signal, SystemError, TransitionSystem};
use aig::{Edge, Node};
use std::io::Write as _;

/// The system as an ascii file.
pub fn write_ascii(system: &TransitionSystem) -> Result<Vec<u8>, SystemError> {
    let numbering = Numbering::of(system)?;
    let mut out = Vec::new();
    numbering.header(&mut out, "aag", system);
    for input in 1..=system.inputs.len() {
        line(&mut out, format_args!("{}", 2 * input));
    }
    for (latch, k) in system.latches.iter().zip(system.inputs.len() + 1..) {
        let next = numbering.literal(latch.next);
        line(&mut out, format_args!("{} {next}{}", 2 * k, reset(latch.init, 2 * k)));
    }
    numbering.signals(&mut out, system);
    for (node, left, right) in &numbering.ands {
        let out_literal = numbering.literal(Edge::new(*node, false));
        let (left, right) = numbering.operands(*left, *right);
        line(&mut out, format_args!("{out_literal} {left} {right}"));
    }
    symbols(&mut out, system);
    Ok(out)
}

/// The system as a binary file.
pub fn write_binary(system: &TransitionSystem) -> Result<Vec<u8>, SystemError> {
    let numbering = Numbering::of(system)?;
    let mut out = Vec::new();
    numbering.header(&mut out, "aig", system);
    for (latch, k) in system.latches.iter().zip(system.inputs.len() + 1..) {
        let next = numbering.literal(latch.next);
        line(&mut out, format_args!("{next}{}", reset(latch.init, 2 * k)));
    }
    numbering.signals(&mut out, system);
    for (node, left, right) in &numbering.ands {
        let out_literal = numbering.literal(Edge::new(*node, false));
        let (left, right) = numbering.operands(*left, *right);
        difference(&mut out, out_literal - left);
        difference(&mut out, left - right);
    }
    symbols(&mut out, system);
    Ok(out)
}

/// The AIGER variable of every node that is written.
struct Numbering {
    /// 0 for the constant and for nodes that are not written.
    variables: Vec<u32>,
    /// The gates, operands first.
    ands: Vec<(usize, Edge, Edge)>,
    maximum: usize,
}

impl Numbering {
    fn of(system: &TransitionSystem) -> Result<Self, SystemError> {
        system.check()?;
        let mut variables = vec![0; system.aig.len()];
        let inputs = system.inputs.iter().map(|s| s.edge);
        let leaves = inputs.chain(system.latches.iter().map(|l| l.state));
        let mut maximum = 0;
        for leaf in leaves {
            maximum += 1;
            variables[leaf.node()] = maximum;
        }
        let needed = crate::cone::marked(&system.aig, system.roots());
        let mut ands = Vec::new();
        for (node, kind) in system.aig.nodes().iter().enumerate() {
            if let Node::And(left, right) = *kind
                && needed[node]
            {
                maximum += 1;
                variables[node] = maximum;
                ands.push((node, left, right));
            }
        }
        Ok(Numbering { variables, ands, maximum: maximum as usize })
    }

    fn literal(&self, edge: Edge) -> u64 {
        2 * u64::from(self.variables[edge.node()]) + u64::from(edge.is_inverted())
    }

    /// The operands' literals, the larger first, as the binary form wants.
    fn operands(&self, left: Edge, right: Edge) -> (u64, u64) {
        let (left, right) = (self.literal(left), self.literal(right));
        (left.max(right), left.min(right))
    }

    fn header(&self, out: &mut Vec<u8>, magic: &str, system: &TransitionSystem) {
        let (inputs, latches) = (system.inputs.len(), system.latches.len());
        let outputs = outputs(system).len();
        let head =
            format!("{magic} {} {inputs} {latches} {outputs} {}", self.maximum, self.ands.len());
        match (system.bads.len(), system.constraints.len()) {
            (0, 0) => line(out, format_args!("{head}")),
            (bads, 0) => line(out, format_args!("{head} {bads}")),
            (bads, constraints) => line(out, format_args!("{head} {bads} {constraints}")),
        }
    }

    fn signals(&self, out: &mut Vec<u8>, system: &TransitionSystem) {
        for signal in outputs(system).iter().chain(&system.bads).chain(&system.constraints) {
            line(out, format_args!("{}", self.literal(signal.edge)));
        }
    }
}

/// The outputs that can be written without changing what the file means.
fn outputs(system: &TransitionSystem) -> &[Signal] {
    if system.bads.is_empty() { &[] } else { &system.outputs }
}

/// What follows the next state of a latch.
fn reset(init: Init, literal: usize) -> String {
    match init {
        Init::Zero => String::new(),
        Init::One => " 1".to_owned(),
        Init::Free => format!(" {literal}"),
    }
}

fn line(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("writing to memory succeeds");
}

fn difference(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn symbols(out: &mut Vec<u8>, system: &TransitionSystem) {
    let mut table = |kind: char, names: &mut dyn Iterator<Item = &Option<String>>| {
        for (position, name) in names.enumerate() {
            if let Some(name) = name {
                line(out, format_args!("{kind}{position} {}", one_line(name)));
            }
        }
    };
    table('i', &mut system.inputs.iter().map(|s| &s.name));
    table('l', &mut system.latches.iter().map(|l| &l.name));
    table('o', &mut outputs(system).iter().map(|s| &s.name));
    table('b', &mut system.bads.iter().map(|s| &s.name));
    table('c', &mut system.constraints.iter().map(|s| &s.name));
    if !system.comments.is_empty() {
        line(out, format_args!("c"));
        for comment in &system.comments {
            line(out, format_args!("{}", one_line(comment)));
        }
    }
}

/// A name can't contain the end of a line.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
