//! Memory as variables, of procedures with calls or without.
//!
//! [`region`] says how each region of memory is represented; this file makes the variables, gives
//! them their first contents at the beginning of the start, and walks over the edges; `access`
//! encodes loads and stores, `range` what copies, fills and forgets many bytes, `lifetime`
//! allocation. What memory becomes is global, and so known to every call; what a command needs for
//! a moment is the procedure's own.
//!
//! **What was written** is known of each byte where the program asks for it (`written`).
//!
//! **Validity.** If [`Property::Pointer`] is asked for, every access is checked: it must be within a
//! living object of its class, otherwise it leads to the error location. If not, a run ends with
//! an access outside of the only object of its class; if there are more, such an access is to a
//! byte that belongs to none of them, or to another of them, exactly as its address says.
//! External memory has no bounds.

mod access;
mod address;
mod initial;
mod lifetime;
mod outside;
mod range;
mod region;
mod written;

use super::alignment::Alignment;
use super::fields::Classes;
use super::objects::{Kind, Objects};
use super::outside::Access;
use super::{Error, Loaded, Options, asks_for_accesses};
use crate::cfa::{Command, Input, LocationId, Origin};
use crate::place::Place;
use crate::procedures::{Action, Edge, EdgeId, Procedure, ProcedureId, Procedures};
use crate::program::{Assumption, Cause, Program, Reading, Storage};
use crate::property::Property;
use region::{Cell, CellShape, Representation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use term::traverse::Substitution;
use term::{Op, Pool, Sort, Term};

/// The same procedures without memory. `pointers` are the registers that hold addresses.
pub(super) fn encode(
    program: &Program,
    options: &Options,
    source: Procedures,
    pointers: &FxHashSet<Term>,
    objects: &Objects,
    classes: &Classes,
) -> Result<Procedures, Error> {
    let mut alignment = Alignment::analyze(program, &source, pointers, objects, classes);
    let regions = region::choose(program, &source, objects, classes, &mut alignment);
    let mut encoder = Encoder::new(program, options, source, objects, classes, alignment);
    encoder.make_variables(regions);
    encoder.make_marks();
    encoder.note_contents();
    let mut placed = false;
    for edge in encoder.out.edges() {
        if let Action::Allocate(a) = &edge.action {
            placed |= objects.all[a.object].address.is_none();
            encoder.made.entry(a.into).or_default().push(a.object);
        }
    }
    if placed {
        encoder.make_tops();
    }
    let ids: Vec<ProcedureId> = encoder.out.procedures.iter().map(|(id, _)| id).collect();
    for id in ids {
        encoder.procedure(id, options)?;
    }
    Ok(encoder.out)
}

/// The variables of a region.
enum Store {
    Cells(BTreeMap<Cell, (Term, CellShape)>),
    Array(Array),
}

/// An array variable.
#[derive(Clone, Copy)]
struct Array {
    variable: Term,
    /// Bytes in an element.
    unit: u64,
    element: Sort,
    /// The width of an index.
    index: u32,
    /// How many low bits of an address are no part of the index.
    dropped: u32,
    /// The one object that it is of; the index is then relative to its address.
    object: Option<usize>,
    /// Whether what belongs to no object yet is zero: objects become unknown where they are allocated.
    clean: bool,
}

/// A piece of the automaton under construction: what has been done since the location.
struct Code {
    at: LocationId,
    commands: Vec<Command>,
    place: Place,
}

impl Code {
    fn assign(&mut self, variable: Term, term: Term) {
        self.commands.push(Command::Assign(variable, term));
    }
}

struct Encoder<'a> {
    program: &'a Program,
    pool: &'a Pool,
    /// The width of an address.
    width: u32,
    /// What has been made, and what is still to be done.
    out: Procedures,
    /// The procedure whose edges are being made.
    at: ProcedureId,
    /// How many edges have been made.
    edges: usize,
    objects: &'a Objects,
    classes: &'a Classes,
    alignment: Alignment<'a>,
    /// Whether some accesses are checked, so that it matters whether objects live.
    checked: bool,
    /// What is asked.
    properties: &'a BTreeSet<Property>,
    stores: Vec<Store>,
    /// By the variable of a cell or the array of a region whose bytes may not be written: what says
    /// which are.
    marks: FxHashMap<Term, Term>,
    /// Whether an object lives, by object, where that matters.
    alive: Vec<Option<Term>>,
    /// Where the next object goes that is placed during the run: heap, stack.
    tops: Option<(Term, Term)>,
    /// Objects by the register that takes their address.
    made: FxHashMap<Term, Vec<usize>>,
    numbers: Substitution,
    /// Of the procedure whose edges are being made.
    scratch: FxHashMap<(Sort, usize), Term>,
    /// What the action that is being encoded accesses that may be outside.
    outside: Vec<Access>,
}

impl<'a> Encoder<'a> {
    fn new(
        program: &'a Program,
        options: &'a Options,
        out: Procedures,
        objects: &'a Objects,
        classes: &'a Classes,
        alignment: Alignment<'a>,
    ) -> Self {
        let pool = &program.pool;
        let numbers = objects.numbers.iter().map(|(&term, bits)| (term, pool.bits(bits.clone())));
        Encoder {
            program,
            pool,
            width: program.pointer_width,
            at: out.start,
            out,
            edges: 0,
            objects,
            classes,
            alignment,
            checked: asks_for_accesses(&options.properties),
            properties: &options.properties,
            stores: Vec::new(),
            marks: FxHashMap::default(),
            alive: vec![None; objects.all.len()],
            tops: None,
            made: FxHashMap::default(),
            numbers: Substitution::new(numbers),
            scratch: FxHashMap::default(),
            outside: Vec::new(),
        }
    }

    /// The procedure whose edges are being made.
    fn body(&mut self) -> &mut Procedure {
        &mut self.out.procedures[self.at]
    }

    /// Encodes the edges of a procedure.
    fn procedure(&mut self, id: ProcedureId, options: &Options) -> Result<(), Error> {
        self.at = id;
        self.scratch.clear();
        let edges = std::mem::take(&mut self.body().edges);
        if id == self.out.start {
            self.initialize();
        }
        for (_, edge) in edges.into_iter() {
            let Edge { from, to, action, place, violates } = edge;
            let mut code = Code { at: from, commands: Vec::new(), place };
            let loaded = match action {
                Action::Load { into, instruction, .. } => Some(Loaded { into, instruction }),
                _ => None,
            };
            let made = match self.action(&mut code, action)? {
                None => self.finish(code, to, violates),
                Some(call) => {
                    let Code { at: from, place, .. } = code;
                    self.push(Edge { from, to, action: call, place, violates })
                }
            };
            let outside = std::mem::take(&mut self.outside);
            let body = self.body();
            body.loads.extend(loaded.map(|loaded| (made, loaded)));
            body.outside.extend((!outside.is_empty()).then_some((made, outside)));
            if self.edges > options.edges {
                let place = self.body().edges.values().next_back().map(|e| e.place.clone());
                return Err(Error::Size { place: place.unwrap_or_default(), limit: options.edges });
            }
        }
        Ok(())
    }

    fn push(&mut self, edge: Edge) -> EdgeId {
        self.edges += 1;
        self.body().edges.alloc(edge)
    }

    fn new_variable(&mut self, name: &str, sort: Sort) -> (Term, Origin) {
        let term = self.pool.fresh_var(name, sort);
        let reading = match sort {
            Sort::Bool => Reading::Bool,
            Sort::Float(_) => Reading::Float,
            _ => Reading::Unsigned,
        };
        let name = name.into();
        (term, Origin { sort, variable: None, context: None, name, reading })
    }

    /// A new variable that all procedures share.
    fn variable(&mut self, name: &str, sort: Sort) -> Term {
        let (term, origin) = self.new_variable(name, sort);
        self.out.globals.insert(term, origin);
        term
    }

    /// A new variable of the procedure.
    fn local(&mut self, name: &str, sort: Sort) -> Term {
        let (term, origin) = self.new_variable(name, sort);
        self.body().variables.push((term, origin));
        term
    }

    /// A variable for the duration of a command.
    fn scratch(&mut self, sort: Sort, number: usize) -> Term {
        if let Some(&variable) = self.scratch.get(&(sort, number)) {
            return variable;
        }
        let variable = self.local("scratch", sort);
        self.scratch.insert((sort, number), variable);
        variable
    }

    fn make_variables(&mut self, representations: Vec<Representation>) {
        for (region, representation) in representations.into_iter().enumerate() {
            let store = match representation {
                Representation::Cells(cells) => {
                    let made = cells.into_iter().map(|(cell, shape)| {
                        let object = &self.objects.all[cell.0];
                        let name = if object.size == Some(shape.size) {
                            object.name.to_string()
                        } else {
                            format!("{}+{}", object.name, cell.1)
                        };
                        (cell, (self.variable(&name, shape.sort), shape))
                    });
                    Store::Cells(made.collect())
                }
                Representation::Words { size, element, dropped } => {
                    Store::Array(self.array(region, (size, element), dropped))
                }
                Representation::Bytes => Store::Array(self.array(region, (1, Sort::BitVec(8)), 0)),
            };
            self.stores.push(store);
        }
        if self.checked {
            for object in 0..self.objects.all.len() {
                let of = &self.objects.all[object];
                if matches!(of.kind, Kind::Allocated(_)) && of.address.is_some() {
                    let name = format!("{} lives", of.name);
                    self.alive[object] = Some(self.variable(&name, Sort::Bool));
                }
            }
        }
    }

    fn array(&mut self, region: usize, element: (u64, Sort), dropped: u32) -> Array {
        let (unit, element) = element;
        let class = self.classes.class_of(region);
        let only = match class.members[..] {
            [(object, _)] if !class.external => Some(object),
            _ => None,
        };
        let first = class.members.first().map(|&(object, _)| object);
        let alone = class.regions.len() == 1;
        let fixed = |object: &usize| {
            let object = &self.objects.all[*object];
            object.address.is_some() && object.size.is_some()
        };
        let object = only.filter(fixed);
        let index = match object.and_then(|object| self.objects.all[object].size) {
            Some(size) => {
                let elements = size.div_ceil(1 << dropped).max(2);
                (64 - (elements - 1).leading_zeros()).min(self.width)
            }
            None => self.width - dropped,
        };
        let sort = self.pool.array_sort(Sort::BitVec(index), element);
        let mut name = match first {
            Some(first) if object.is_some() => self.objects.all[first].name.to_string(),
            Some(first) => format!("memory of {}", self.objects.all[first].name),
            None => "external memory".to_owned(),
        };
        if !alone {
            name = format!("{name}+{}", self.classes.regions[region].start);
        }
        let variable = self.variable(&name, sort);
        let mut array = Array { variable, unit, element, index, dropped, object, clean: false };
        array.clean = self.can_be_clean(region, array);
        array
    }

    fn make_tops(&mut self) {
        let sort = Sort::BitVec(self.width);
        self.tops = Some((self.variable("heap top", sort), self.variable("stack top", sort)));
    }

    fn location(&mut self, like: LocationId) -> LocationId {
        let mut location = self.body().locations[like].clone();
        location.loop_head = false;
        self.body().locations.alloc(location)
    }

    /// Ends the piece at a location.
    fn finish(&mut self, code: Code, to: LocationId, violates: Option<Property>) -> EdgeId {
        let Code { at, mut commands, place } = code;
        commands.retain(|command| match command {
            Command::Assume(formula) => self.pool.as_bool(*formula) != Some(true),
            _ => true,
        });
        let mut command = match commands.len() {
            1 => commands.remove(0),
            _ => Command::Sequence(commands),
        };
        command.map_terms(&mut |term| self.numbers.apply(self.pool, term));
        let action = Action::Command(command);
        self.push(Edge { from: at, to, action, place, violates })
    }

    /// Ends the piece at a new location and goes on from there.
    fn cut(&mut self, code: &mut Code) {
        if code.commands.is_empty() {
            return;
        }
        let next = self.location(code.at);
        let piece = Code {
            at: code.at,
            commands: std::mem::take(&mut code.commands),
            place: code.place.clone(),
        };
        self.finish(piece, next, None);
        code.at = next;
    }

    /// Whether it is asked here whether a property holds.
    fn asks(&self, property: Property, place: &Place) -> bool {
        self.properties.contains(&property) && self.program.asked.asks(property, place)
    }

    /// What must hold here: checked if that is asked, assumed otherwise.
    fn require(&mut self, code: &mut Code, formula: Term, property: Property) {
        let formula = self.numbers.apply(self.pool, formula);
        if self.pool.as_bool(formula) == Some(true) {
            return;
        }
        if self.asks(property, &code.place) {
            self.cut(code);
            let commands = vec![Command::Assume(self.pool.not(formula))];
            let piece = Code { at: code.at, commands, place: code.place.clone() };
            let error = self.body().error;
            self.finish(piece, error, Some(property));
        }
        code.commands.push(Command::Assume(formula));
    }

    /// What holds here by what the program is.
    fn suppose(&mut self, code: &mut Code, formula: Term) {
        let formula = self.numbers.apply(self.pool, formula);
        if self.pool.as_bool(formula) != Some(true) {
            code.commands.push(Command::Assume(formula));
        }
    }

    /// An unknown value that no instruction asks for.
    fn forget(&mut self, code: &mut Code, variable: Term) {
        let sort = self.pool.sort(variable);
        let input = Input { instruction: None, cause: Cause::Uninitialized, sort };
        code.commands.push(Command::Havoc(variable, self.out.inputs.alloc(input)));
    }

    fn assume(&mut self, text: &str, place: &Place) {
        let assumptions = &mut self.out.assumptions;
        if !assumptions.iter().any(|assumption| assumption.text == text) {
            let (text, place) = (text.to_owned(), place.clone());
            assumptions.push(Assumption { text, place });
        }
    }

    /// What an action does as commands; a call stays, with numbers for addresses, and is answered.
    fn action(&mut self, code: &mut Code, action: Action) -> Result<Option<Action>, Error> {
        match action {
            Action::Command(command) => {
                if !command.is_skip() {
                    code.commands.push(command);
                }
            }
            Action::Load { into, address, .. } => self.load(code, into, address)?,
            Action::Written { into, address, size } => self.look(code, into, address, size)?,
            Action::Store { address, value } => self.store(code, address, value)?,
            Action::Allocate(allocation) => {
                // The size may be the register that takes the address.
                let size = match allocation.written && !self.marks.is_empty() {
                    true => Some(self.snapshot(code, allocation.size, 2)),
                    false => None,
                };
                self.allocate(code, &allocation);
                if let Some(size) = size {
                    self.mark_new(code, &allocation, size);
                }
            }
            Action::Free { address, storage } => self.free(code, address, storage)?,
            Action::Return { objects } => self.leave(code, &objects),
            Action::Copy { to, from, length } => self.copy(code, to, from, length)?,
            Action::Fill { to, byte, length } => self.fill(code, to, byte, length)?,
            Action::HavocBytes { address, length, cause, instruction } => {
                self.havoc_bytes(code, address, length, &cause, instruction)?;
            }
            mut call @ (Action::Call(_) | Action::Check { .. }) => {
                call.map_terms(&mut |term| self.numbers.apply(self.pool, term));
                return Ok(Some(call));
            }
        }
        Ok(None)
    }

    /// A value as another sort of the same number of bits.
    fn convert(&self, value: Term, sort: Sort) -> Term {
        let pool = self.pool;
        if pool.sort(value) == sort {
            return value;
        }
        let bits = match pool.sort(value) {
            Sort::Float(_) => pool.fp_to_bits(value),
            _ => value,
        };
        match sort {
            Sort::Float(format) => pool.make(Op::FpFromBits(format), &[bits]),
            _ => bits,
        }
    }

    /// Zero of a sort that memory can hold.
    fn zero(&self, sort: Sort) -> Term {
        self.pool.constant(term::eval::default_value(self.pool, sort))
    }

    /// The index of the element that an address is of.
    fn index(&mut self, array: Array, address: Term) -> Term {
        let pool = self.pool;
        let low = array.dropped;
        let base = array.object.and_then(|object| self.objects.all[object].address);
        let offset = base.map_or(address, |base| address::offset(pool, address, base));
        let alignment = &mut self.alignment;
        let mut aligned = |term: Term| alignment.zeros(term) >= low;
        address::slice(pool, offset, low + array.index - 1, low, &mut aligned)
    }

    fn storage_top(&self, storage: Storage) -> Term {
        let (heap, stack) = self.tops.expect("made if an object is placed during the run");
        match storage {
            Storage::Heap => heap,
            Storage::Stack => stack,
        }
    }
}
