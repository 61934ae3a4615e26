//! The body of a binary file: inputs are implicit, latches and gates are numbered in order, and a
//! gate is two differences.

use super::cursor::{Cursor, Fault};
use super::error::Problem;
use super::header::Header;
use super::symbols;
use crate::system::{Init, Signal, TransitionSystem};
use aig::Edge;

pub(super) fn read(header: &Header, cursor: &mut Cursor<'_>) -> Result<TransitionSystem, Fault> {
    let mut system = TransitionSystem::new();
    // The edge of every variable defined so far.
    let mut edges = vec![Edge::FALSE];
    for _ in 0..header.inputs {
        edges.push(system.add_input(None));
    }
    let mut nexts = Vec::new();
    for _ in 0..header.latches {
        let (next, init) = latch(header, cursor, edges.len() as u64)?;
        nexts.push(next);
        edges.push(system.add_latch(init, None));
    }
    let outputs = literals(header, cursor, header.outputs, "the literal of an output")?;
    let bads = literals(header, cursor, header.bads, "the literal of a bad property")?;
    let constraints = literals(header, cursor, header.constraints, "the literal of a constraint")?;
    for _ in 0..header.ands {
        let (left, right) = gate(cursor, 2 * edges.len() as u64)?;
        let edge = system.aig.and(resolve(&edges, left), resolve(&edges, right));
        edges.push(edge);
    }
    // From here every literal up to 2M + 1 resolves, because M = I + L + A.
    for (latch, next) in system.latches.iter_mut().zip(nexts) {
        latch.next = resolve(&edges, next);
    }
    let signals = |literals: Vec<u32>| -> Vec<Signal> {
        literals.into_iter().map(|l| Signal::unnamed(resolve(&edges, l))).collect()
    };
    system.outputs = signals(outputs);
    system.bads = signals(bads);
    system.constraints = signals(constraints);
    symbols::read(cursor, &mut system)?;
    Ok(system)
}

#[inline]
fn resolve(edges: &[Edge], literal: u32) -> Edge {
    edges[(literal >> 1) as usize].xor(literal & 1 == 1)
}

/// `next [reset]`
fn latch(header: &Header, cursor: &mut Cursor<'_>, variable: u64) -> Result<(u32, Init), Fault> {
    let next = cursor.literal(header.maximum_literal(), "the next state of a latch")?;
    let mut init = Init::Zero;
    if !cursor.at_line_end() {
        let start = cursor.position();
        let reset = cursor.literal(header.maximum_literal(), "the reset of a latch")?;
        init = reset_of(2 * variable, u64::from(reset)).map_err(|p| Fault::at(start, p))?;
    }
    cursor.line_end()?;
    Ok((next, init))
}

/// What a latch's reset literal means.
pub(super) fn reset_of(latch: u64, reset: u64) -> Result<Init, Problem> {
    match reset {
        0 => Ok(Init::Zero),
        1 => Ok(Init::One),
        _ if reset == latch => Ok(Init::Free),
        _ => Err(Problem::Reset { latch, reset }),
    }
}

fn literals(
    header: &Header,
    cursor: &mut Cursor<'_>,
    count: u64,
    what: &'static str,
) -> Result<Vec<u32>, Fault> {
    let mut literals = Vec::new();
    for _ in 0..count {
        literals.push(cursor.literal(header.maximum_literal(), what)?);
        cursor.line_end()?;
    }
    Ok(literals)
}

/// The operands of the gate that defines the even literal `out`.
#[inline]
fn gate(cursor: &mut Cursor<'_>, out: u64) -> Result<(u32, u32), Fault> {
    let start = cursor.position();
    let first = cursor.difference()?;
    if first == 0 {
        return Err(Fault::at(start, Problem::NotAbove(out)));
    }
    let left = subtract(start, out, first)?;
    let start = cursor.position();
    let second = cursor.difference()?;
    let right = subtract(start, left, second)?;
    Ok((left as u32, right as u32))
}

#[inline]
fn subtract(start: usize, from: u64, difference: u64) -> Result<u64, Fault> {
    let problem = Problem::Difference { difference, from };
    from.checked_sub(difference).ok_or_else(|| Fault::at(start, problem))
}
