//! Bodies and instructions.
//!
//! A location has a label if more than one statement leads to it, or it has something to say.
//! The others stand between two statements, or are where a run stops.

use super::term::term_text;
use super::{Writer, scalars_text};
use crate::read::statement::ANY;
use crate::words::{name_text, sort_text, string_text};
use ::term::Term;
use program::place::Place;
use program::program::{
    Body, Callee, Cause, Edge, FunctionId, Instruction, LocationId, VariableId,
};
use std::fmt::Write;

/// How the locations of a body are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// With a label.
    Labelled,
    /// Between the one statement that leads to it and the next.
    Between,
    /// Behind the one statement that leads to it, with none that leaves.
    Stop,
}

/// The order and the names of a body's locations.
struct Order<'b> {
    body: &'b Body,
    /// The place of the function.
    place: &'b Place,
    leaving: Vec<Vec<&'b Edge>>,
    arriving: Vec<u32>,
    kinds: Vec<Kind>,
    /// Labelled locations, the entry first and the exit last.
    blocks: Vec<LocationId>,
    names: Vec<String>,
}

fn index(location: LocationId) -> usize {
    location.into_raw().into_u32() as usize
}

impl<'b> Order<'b> {
    fn new(body: &'b Body, place: &'b Place) -> Order<'b> {
        let count = body.locations.len();
        let mut leaving = vec![Vec::new(); count];
        let mut arriving = vec![0; count];
        for (_, edge) in body.edges.iter() {
            leaving[index(edge.from)].push(edge);
            arriving[index(edge.to)] += 1;
        }
        let kinds = vec![Kind::Labelled; count];
        let (blocks, names) = (Vec::new(), vec![String::new(); count]);
        let mut order = Order { body, place, leaving, arriving, kinds, blocks, names };
        order.find_kinds();
        order.find_blocks();
        order
    }

    /// The place that the reader gives a location with a label.
    fn usual_place(&self, location: LocationId) -> Place {
        if location == self.body.entry || location == self.body.exit {
            return self.place.clone();
        }
        self.leaving[index(location)].first().map(|edge| edge.place.clone()).unwrap_or_default()
    }

    /// Whether a location has nothing to say beside its place.
    fn is_silent(&self, id: LocationId) -> bool {
        let location = &self.body.locations[id];
        location.label.is_none() && !location.loop_head
    }

    fn find_kinds(&mut self) {
        for (_, edge) in self.body.edges.iter() {
            let to = edge.to;
            let ends = to == self.body.entry || to == self.body.exit;
            let usual = self.body.locations[to].place == edge.place;
            if ends || self.arriving[index(to)] != 1 || !self.is_silent(to) || !usual {
                continue;
            }
            if self.leaving[index(to)].is_empty() {
                self.kinds[index(to)] = Kind::Stop;
            } else if self.leaving[index(edge.from)].len() == 1 && edge.from != to {
                self.kinds[index(to)] = Kind::Between;
            }
        }
    }

    /// The statements from a labelled location on: those that leave it, or the only one and the
    /// ones that follow it.
    fn chain(&self, block: LocationId) -> Vec<LocationId> {
        let mut chain = vec![block];
        let mut at = block;
        while let [edge] = self.leaving[index(at)][..]
            && self.kinds[index(edge.to)] == Kind::Between
        {
            chain.push(edge.to);
            at = edge.to;
        }
        chain
    }

    fn find_blocks(&mut self) {
        let Body { entry, exit, .. } = *self.body;
        let inner = self.body.locations.iter().map(|(id, _)| id);
        let inner: Vec<LocationId> = inner.filter(|id| *id != entry && *id != exit).collect();
        let mut written = vec![false; self.kinds.len()];
        let labelled = inner.iter().copied().filter(|id| self.kinds[index(*id)] == Kind::Labelled);
        self.blocks = std::iter::once(entry).chain(labelled).collect();
        for block in &self.blocks {
            self.chain(*block).into_iter().for_each(|id| written[index(id)] = true);
        }
        // Cycles that nothing leads to get a label somewhere.
        for id in inner {
            if !written[index(id)] && self.kinds[index(id)] == Kind::Between {
                self.kinds[index(id)] = Kind::Labelled;
                self.blocks.push(id);
                self.chain(id).into_iter().for_each(|id| written[index(id)] = true);
            }
        }
        if exit != entry {
            self.blocks.push(exit);
        }
        let mut number = 0;
        for block in self.blocks.clone() {
            self.names[index(block)] = if block == exit {
                "exit".into()
            } else if self.needs_label(block) {
                number += 1;
                format!("L{number}")
            } else {
                continue;
            };
        }
    }

    /// Whether a block's label is written: the first block and the exit need none if they have
    /// nothing to say; something has to lead to the entry for it to need a name.
    fn needs_label(&self, block: LocationId) -> bool {
        let Body { entry, exit, .. } = *self.body;
        let usual = self.body.locations[block].place == self.usual_place(block);
        let plain = self.is_silent(block) && usual;
        if block == exit {
            // A body whose entry is the exit and that has other locations begins with it.
            return !plain || entry == exit && self.body.locations.len() > 1;
        }
        block != entry
            || !plain
            || self.arriving[index(block)] > 0
            || self.leaving[index(block)].is_empty()
    }
}

impl Writer<'_> {
    pub(super) fn body(&mut self, function: FunctionId, body: &Body) {
        let order = Order::new(body, &self.program.functions[function].place);
        for &block in &order.blocks {
            self.label(&order, block);
            let chain = order.chain(block);
            for (i, location) in chain.iter().enumerate() {
                for edge in &order.leaving[index(*location)] {
                    self.statement(function, &order, edge, i + 1 < chain.len());
                }
            }
        }
    }

    fn label(&mut self, order: &Order<'_>, block: LocationId) {
        if !order.needs_label(block) {
            return;
        }
        let location = &order.body.locations[block];
        let mut text = format!("  {}:", order.names[index(block)]);
        if location.loop_head {
            text.push_str(" loop");
        }
        if let Some(label) = &location.label {
            let _ = write!(text, " label {}", name_text(label));
        }
        if location.place != order.usual_place(block) {
            let place = self.stated(&location.place);
            text = format!("{text:<width$}  {place}", width = super::COLUMN);
        }
        let _ = writeln!(self.out, "{text}");
    }

    fn statement(&mut self, function: FunctionId, order: &Order<'_>, edge: &Edge, falls: bool) {
        let to = index(edge.to);
        let target = match order.kinds[to] {
            _ if falls => None,
            Kind::Stop => Some("stop"),
            _ => Some(order.names[to].as_str()),
        };
        let text = match (&edge.instruction, target) {
            (Instruction::Skip, Some(target)) => format!("    goto {target}"),
            (instruction, Some(target)) => {
                format!("    {} -> {target}", self.instruction(function, instruction))
            }
            (instruction, None) => format!("    {}", self.instruction(function, instruction)),
        };
        self.line(&text, &edge.place);
    }

    fn instruction(&self, function: FunctionId, instruction: &Instruction) -> String {
        let program = self.program;
        let of = Some(function);
        let term = |t: &Term| term_text(program, &self.names, of, *t, true);
        let register = |v: &VariableId| self.names.register(program.variables[*v].term, of);
        match instruction {
            Instruction::Skip => "skip".into(),
            Instruction::Assume(formula) => format!("assume {}", term(formula)),
            Instruction::Assign(variable, value) => {
                format!("{} := {}", register(variable), term(value))
            }
            Instruction::Havoc(variable, cause) => {
                let arguments: Vec<String> = cause.terms().iter().map(term).collect();
                let of = match cause {
                    Cause::Computed(computed) => {
                        format!("({}) within {}", arguments.join(", "), computed.error)
                    }
                    _ => String::new(),
                };
                format!("{} := any{}{of}", register(variable), cause_text(cause))
            }
            Instruction::Check(property, formula) => format!("check {property}: {}", term(formula)),
            Instruction::Load { into, address } => {
                let sort = sort_text(&program.pool, program.variables[*into].sort);
                format!("{} := load {sort} at {}", register(into), term(address))
            }
            Instruction::Measure { into, address, extent } => {
                format!("{} := measure {} at {}", register(into), extent.name(), term(address))
            }
            Instruction::Written { into, address, size } => {
                format!("{} := written {size} bytes at {}", register(into), term(address))
            }
            Instruction::Store { address, value } => {
                let sort = sort_text(&program.pool, program.pool.sort(*value));
                format!("store {sort} at {} := {}", term(address), term(value))
            }
            Instruction::Allocate { into, size, align, storage, written, scalars, name } => {
                let (into, size) = (register(into), term(size));
                let storage = storage.word();
                let align = if *align == 1 { String::new() } else { format!(" align {align}") };
                let scalars = scalars_text(scalars);
                let name = name.as_ref().map(|name| format!(" named {}", string_text(name)));
                let name = name.unwrap_or_default();
                let written = if *written { " written" } else { "" };
                format!(
                    "{into} := allocate {size} bytes on {storage}{written}{align}{scalars}{name}"
                )
            }
            Instruction::Free { address, storage } => {
                format!("free {} on {}", term(address), storage.word())
            }
            Instruction::Copy { to, from, length } => {
                format!("copy {} bytes from {} to {}", term(length), term(from), term(to))
            }
            Instruction::Fill { to, byte, length } => {
                format!("fill {} bytes at {} with {}", term(length), term(to), term(byte))
            }
            Instruction::HavocBytes { address, length, cause } => {
                let cause = cause_text(cause);
                format!("havoc {} bytes at {}{cause}", term(length), term(address))
            }
            Instruction::Call { callee, arguments, results } => {
                let (callee, known) = match callee {
                    Callee::Function(function) => (self.names.function(*function), true),
                    Callee::Pointer(address) => (format!("*({})", term(address)), false),
                };
                let argument = |t: &Term| term_text(program, &self.names, of, *t, known);
                let arguments: Vec<String> = arguments.iter().map(argument).collect();
                let call = format!("call {callee}({})", arguments.join(", "));
                let results: Vec<String> = results.iter().map(register).collect();
                if results.is_empty() { call } else { format!("{} := {call}", results.join(", ")) }
            }
        }
    }
}

/// A cause behind `any`; nothing for the usual one.
fn cause_text(cause: &Cause) -> String {
    match (cause, cause.words()) {
        (Cause::Input(name), _) if &**name == ANY => String::new(),
        (_, (word, Some(name))) => format!(" {word} {}", name_text(name)),
        (_, (word, None)) => format!(" {word}"),
    }
}
