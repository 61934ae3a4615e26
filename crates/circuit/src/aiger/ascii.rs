//! The body of an ascii file: one element a line, definitions in any order.
//!
//! The elements are read first, then the definitions are sorted by variable, then the gates are
//! built operands first. Faults that show only then are placed by the line number, which the
//! counts determine because every element takes one line.

use super::binary::reset_of;
use super::cursor::{Cursor, Fault};
use super::error::Problem;
use super::header::Header;
use super::symbols;
use crate::system::{Init, Signal, TransitionSystem};
use aig::Edge;

struct LatchLine {
    literal: u32,
    next: u32,
    init: Init,
}

/// The elements of a file, as written.
#[derive(Default)]
struct Body {
    inputs: Vec<u32>,
    latches: Vec<LatchLine>,
    outputs: Vec<u32>,
    bads: Vec<u32>,
    constraints: Vec<u32>,
    /// Output, left and right operand.
    ands: Vec<[u32; 3]>,
}

pub(super) fn read(header: &Header, cursor: &mut Cursor<'_>) -> Result<TransitionSystem, Fault> {
    let body = Body::read(header, cursor)?;
    let mut system = body.build()?;
    symbols::read(cursor, &mut system)?;
    Ok(system)
}

impl Body {
    fn read(header: &Header, cursor: &mut Cursor<'_>) -> Result<Self, Fault> {
        let maximum = header.maximum_literal();
        let mut body = Body::default();
        for _ in 0..header.inputs {
            body.inputs.push(defined(cursor, maximum, "an input")?);
            cursor.line_end()?;
        }
        for _ in 0..header.latches {
            body.latches.push(latch(cursor, maximum)?);
        }
        let mut literals = |count: u64, what: &'static str| -> Result<Vec<u32>, Fault> {
            let mut literals = Vec::new();
            for _ in 0..count {
                literals.push(cursor.literal(maximum, what)?);
                cursor.line_end()?;
            }
            Ok(literals)
        };
        body.outputs = literals(header.outputs, "the literal of an output")?;
        body.bads = literals(header.bads, "the literal of a bad property")?;
        body.constraints = literals(header.constraints, "the literal of a constraint")?;
        for _ in 0..header.ands {
            let out = defined(cursor, maximum, "a gate")?;
            cursor.blank("the left operand of a gate")?;
            let left = cursor.literal(maximum, "the left operand of a gate")?;
            cursor.blank("the right operand of a gate")?;
            let right = cursor.literal(maximum, "the right operand of a gate")?;
            cursor.line_end()?;
            body.ands.push([out, left, right]);
        }
        Ok(body)
    }

    fn build(&self) -> Result<TransitionSystem, Fault> {
        let mut system = TransitionSystem::new();
        let definitions = Definitions::of(self)?;
        let mut edges = Vec::new();
        edges.extend(self.inputs.iter().map(|_| system.add_input(None)));
        edges.extend(self.latches.iter().map(|l| system.add_latch(l.init, None)));
        let mut gates = Gates { body: self, definitions: &definitions, edges, system: &mut system };
        gates.build_all()?;
        let edges = gates.edges;

        let resolve = |literal: u32, line: usize, token: usize| -> Result<Edge, Fault> {
            let undefined = Problem::Undefined(u64::from(literal));
            match definitions.find(literal) {
                Found::Constant => Ok(Edge::FALSE.xor(literal & 1 == 1)),
                Found::Element(element) => Ok(edges[element].xor(literal & 1 == 1)),
                Found::Nothing => Err(Fault::at_token(line, token, undefined)),
            }
        };
        let mut line = 2 + self.inputs.len();
        for (latch, read) in system.latches.iter_mut().zip(&self.latches) {
            latch.next = resolve(read.next, line, 1)?;
            line += 1;
        }
        for (literals, signals) in [
            (&self.outputs, &mut system.outputs),
            (&self.bads, &mut system.bads),
            (&self.constraints, &mut system.constraints),
        ] {
            for literal in literals {
                signals.push(Signal::unnamed(resolve(*literal, line, 0)?));
                line += 1;
            }
        }
        Ok(system)
    }

    /// The line on which an element (inputs, then latches, then gates) is defined.
    fn line_of(&self, element: usize) -> usize {
        let leaves = self.inputs.len() + self.latches.len();
        let between = self.outputs.len() + self.bads.len() + self.constraints.len();
        2 + element + if element < leaves { 0 } else { between }
    }
}

/// A literal that a line defines.
fn defined(cursor: &mut Cursor<'_>, maximum: u64, what: &'static str) -> Result<u32, Fault> {
    let start = cursor.position();
    let literal = cursor.literal(maximum, what)?;
    if literal < 2 || literal & 1 == 1 {
        let problem = Problem::NotDefinable { what, literal: u64::from(literal) };
        return Err(Fault::at(start, problem));
    }
    Ok(literal)
}

/// `latch next [reset]`
fn latch(cursor: &mut Cursor<'_>, maximum: u64) -> Result<LatchLine, Fault> {
    let literal = defined(cursor, maximum, "a latch")?;
    cursor.blank("the next state of a latch")?;
    let next = cursor.literal(maximum, "the next state of a latch")?;
    let mut init = Init::Zero;
    if !cursor.at_line_end() {
        let start = cursor.position();
        let reset = cursor.literal(maximum, "the reset of a latch")?;
        init = reset_of(u64::from(literal), u64::from(reset)).map_err(|p| Fault::at(start, p))?;
    }
    cursor.line_end()?;
    Ok(LatchLine { literal, next, init })
}

/// What defines a literal's variable.
enum Found {
    Constant,
    /// Inputs, then latches, then gates, in the file's order.
    Element(usize),
    Nothing,
}

/// Which element defines which variable: pairs sorted by variable.
///
/// Not a table indexed by variable, because a header may claim two billion variables and define
/// three of them. Where the variables are numbered without gaps, which is usual, a look-up is a
/// single access all the same.
struct Definitions(Vec<(u32, u32)>);

impl Definitions {
    fn of(body: &Body) -> Result<Self, Fault> {
        let literals = body.inputs.iter().copied();
        let literals = literals.chain(body.latches.iter().map(|l| l.literal));
        let literals = literals.chain(body.ands.iter().map(|a| a[0]));
        let mut pairs: Vec<(u32, u32)> = literals.zip(0u32..).map(|(l, k)| (l >> 1, k)).collect();
        pairs.sort_unstable();
        for pair in pairs.windows(2) {
            let [(variable, first), (next, again)] = [pair[0], pair[1]];
            if variable == next {
                let problem = Problem::Redefined {
                    variable: u64::from(variable),
                    literal: 2 * u64::from(variable),
                    first: body.line_of(first as usize),
                };
                return Err(Fault::at_token(body.line_of(again as usize), 0, problem));
            }
        }
        Ok(Definitions(pairs))
    }

    #[inline]
    fn find(&self, literal: u32) -> Found {
        let variable = literal >> 1;
        if variable == 0 {
            return Found::Constant;
        }
        let guess = variable as usize - 1;
        if let Some((_, element)) = self.0.get(guess).filter(|p| p.0 == variable) {
            return Found::Element(*element as usize);
        }
        match self.0.binary_search_by_key(&variable, |p| p.0) {
            Ok(found) => Found::Element(self.0[found].1 as usize),
            Err(_) => Found::Nothing,
        }
    }
}

/// An operand on the way to its edge.
enum Operand {
    Ready(Edge),
    /// A gate that is not built yet.
    Gate(usize),
}

/// Builds the gates, operands first, without recursion.
struct Gates<'a> {
    body: &'a Body,
    definitions: &'a Definitions,
    /// The edge of every element that is built; gates beyond its end are not, and neither are
    /// those in it that have the node [`PENDING`]: inverted while their operands are built.
    edges: Vec<Edge>,
    system: &'a mut TransitionSystem,
}

/// A node that no graph has, of a gate that is not built: there are fewer than 2^31 - 1.
const PENDING: usize = (1 << 31) - 2;

impl Gates<'_> {
    fn build_all(&mut self) -> Result<(), Fault> {
        let leaves = self.edges.len();
        let pending = Edge::new(PENDING, false);
        self.edges.resize(leaves + self.body.ands.len(), pending);
        for gate in 0..self.body.ands.len() {
            if self.edges[leaves + gate] == pending {
                self.build(leaves, gate)?;
            }
        }
        Ok(())
    }

    /// Builds a gate and what it needs. The stack is the path from `root`, so a gate that is met
    /// while open closes a cycle.
    fn build(&mut self, leaves: usize, root: usize) -> Result<(), Fault> {
        let open = Edge::new(PENDING, true);
        let mut path = vec![root];
        while let Some(gate) = path.last().copied() {
            let [out, left, right] = self.body.ands[gate];
            let (left, right) =
                (self.operand(leaves, gate, left, 1)?, self.operand(leaves, gate, right, 2)?);
            match (left, right) {
                (Operand::Ready(left), Operand::Ready(right)) => {
                    self.edges[leaves + gate] = self.system.aig.and(left, right);
                    path.pop();
                }
                (Operand::Gate(needed), _) | (_, Operand::Gate(needed)) => {
                    self.edges[leaves + gate] = open;
                    if self.edges[leaves + needed] == open {
                        let problem = Problem::Cycle(u64::from(out));
                        let line = self.body.line_of(leaves + gate);
                        return Err(Fault::at_token(line, 0, problem));
                    }
                    path.push(needed);
                }
            }
        }
        Ok(())
    }

    fn operand(
        &self,
        leaves: usize,
        gate: usize,
        literal: u32,
        token: usize,
    ) -> Result<Operand, Fault> {
        let inverted = literal & 1 == 1;
        match self.definitions.find(literal) {
            Found::Constant => Ok(Operand::Ready(Edge::constant(inverted))),
            Found::Element(element) => Ok(match self.edges[element] {
                edge if edge.node() == PENDING => Operand::Gate(element - leaves),
                edge => Operand::Ready(edge.xor(inverted)),
            }),
            Found::Nothing => {
                let line = self.body.line_of(leaves + gate);
                Err(Fault::at_token(line, token, Problem::Undefined(u64::from(literal))))
            }
        }
    }
}
