//! Memory as variables: the last step of building a model.
//!
//! [`region`] says how each class of memory is represented; this file makes the variables, gives
//! them their first contents, and walks over the steps; `access` encodes loads and stores,
//! `range` what copies, fills and forgets many bytes, `lifetime` allocation.
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
mod range;
mod region;

use super::alignment::Alignment;
use super::flat::{Action, Flat};
use super::objects::{Kind, Objects};
use super::points_to::Classes;
use super::{Error, Loaded, Model, Options};
use crate::cfa::{Cfa, Command, Edge, EdgeId, Input, LocationId, Origin};
use crate::place::Place;
use crate::program::{Assumption, Cause, Program, Reading, Storage};
use crate::property::Property;
use region::{Cell, CellShape, Region};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use term::traverse::Substitution;
use term::{Op, Pool, Sort, Term};

/// The automaton of an inlined program.
pub(super) fn encode(
    program: &Program,
    options: &Options,
    flat: Flat,
    objects: &Objects,
    classes: &Classes,
) -> Result<Model, Error> {
    let Flat { cfa, steps, assumptions } = flat;
    let mut alignment = Alignment::analyze(program, &cfa, &steps, objects, classes);
    let regions = region::choose(program, &steps, objects, classes, &mut alignment);
    let mut encoder = Encoder::new(program, options, cfa, objects, classes, alignment);
    encoder.assumptions = assumptions;
    encoder.make_variables(regions);
    let tops = steps.iter().any(|step| match &step.action {
        Action::Allocate(a) => objects.all[a.object].address.is_none(),
        _ => false,
    });
    if tops {
        encoder.make_tops();
    }
    let mut made: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
    for step in &steps {
        if let Action::Allocate(a) = &step.action {
            made.entry(a.into).or_default().push(a.object);
        }
    }
    encoder.made = made;
    encoder.initialize();
    let mut loads = FxHashMap::default();
    for step in steps {
        let mut code = Code { at: step.from, commands: Vec::new(), place: step.place };
        let loaded = match step.action {
            Action::Load { into, instruction, .. } => Some(Loaded { into, instruction }),
            _ => None,
        };
        encoder.action(&mut code, step.action)?;
        let edge = encoder.finish(code, step.to, step.violates);
        loads.extend(loaded.map(|loaded| (edge, loaded)));
        if encoder.cfa.edges.len() > options.edges {
            let place = encoder.cfa.edges.values().next_back().map(|e| e.place.clone());
            return Err(Error::Size { place: place.unwrap_or_default(), limit: options.edges });
        }
    }
    let Encoder { cfa, assumptions, .. } = encoder;
    Ok(Model { cfa, assumptions, loads, cone: false, passes: Vec::new() })
}

/// The variables of a class.
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
    /// The one object that it is of; the index is then relative to its address.
    object: Option<usize>,
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
    cfa: Cfa,
    objects: &'a Objects,
    classes: &'a Classes,
    members: Vec<Vec<usize>>,
    alignment: Alignment<'a>,
    /// Whether accesses are checked.
    checked: bool,
    stores: Vec<Store>,
    /// Whether an object lives, by object, where that matters.
    alive: Vec<Option<Term>>,
    /// Where the next object goes that is placed during the run: heap, stack.
    tops: Option<(Term, Term)>,
    /// Objects by the register that takes their address.
    made: FxHashMap<Term, Vec<usize>>,
    numbers: Substitution,
    scratch: FxHashMap<(Sort, usize), Term>,
    assumptions: Vec<Assumption>,
}

impl<'a> Encoder<'a> {
    fn new(
        program: &'a Program,
        options: &Options,
        cfa: Cfa,
        objects: &'a Objects,
        classes: &'a Classes,
        alignment: Alignment<'a>,
    ) -> Self {
        let pool = &program.pool;
        let numbers = objects.numbers.iter().map(|(&term, bits)| (term, pool.bits(bits.clone())));
        let mut members = vec![Vec::new(); classes.len()];
        for (object, &class) in classes.of_object.iter().enumerate() {
            members[class].push(object);
        }
        Encoder {
            program,
            pool,
            width: program.pointer_width,
            cfa,
            objects,
            classes,
            members,
            alignment,
            checked: options.properties.contains(&Property::Pointer),
            stores: Vec::new(),
            alive: vec![None; objects.all.len()],
            tops: None,
            made: FxHashMap::default(),
            numbers: Substitution::new(numbers),
            scratch: FxHashMap::default(),
            assumptions: Vec::new(),
        }
    }

    /// A new state variable.
    fn variable(&mut self, name: &str, sort: Sort) -> Term {
        let term = self.pool.fresh_var(name, sort);
        let reading = match sort {
            Sort::Bool => Reading::Bool,
            Sort::Float(_) => Reading::Float,
            _ => Reading::Unsigned,
        };
        let name = name.into();
        self.cfa
            .variables
            .insert(term, Origin { sort, variable: None, context: None, name, reading });
        term
    }

    /// A variable for the duration of a command.
    fn scratch(&mut self, sort: Sort, number: usize) -> Term {
        if let Some(&variable) = self.scratch.get(&(sort, number)) {
            return variable;
        }
        let variable = self.variable("scratch", sort);
        self.scratch.insert((sort, number), variable);
        variable
    }

    fn make_variables(&mut self, regions: Vec<Region>) {
        for (class, region) in regions.into_iter().enumerate() {
            let store = match region {
                Region::Cells(cells) => {
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
                Region::Words { size, element } => Store::Array(self.array(class, size, element)),
                Region::Bytes => Store::Array(self.array(class, 1, Sort::BitVec(8))),
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

    fn array(&mut self, class: usize, unit: u64, element: Sort) -> Array {
        let only = match self.members[class][..] {
            [object] if !self.classes.external[class] => Some(object),
            _ => None,
        };
        let fixed = |object: &usize| {
            let object = &self.objects.all[*object];
            object.address.is_some() && object.size.is_some()
        };
        let object = only.filter(fixed);
        let index = match object.and_then(|object| self.objects.all[object].size) {
            Some(size) => {
                let elements = size.div_ceil(unit).max(2);
                (64 - (elements - 1).leading_zeros()).min(self.width)
            }
            None => self.width - unit.trailing_zeros(),
        };
        let sort = self.pool.array_sort(Sort::BitVec(index), element);
        let name = match self.members[class].first() {
            Some(&first) if object.is_some() => self.objects.all[first].name.to_string(),
            Some(&first) => format!("memory of {}", self.objects.all[first].name),
            None => "external memory".to_owned(),
        };
        let variable = self.variable(&name, sort);
        Array { variable, unit, element, index, object }
    }

    fn make_tops(&mut self) {
        let sort = Sort::BitVec(self.width);
        self.tops = Some((self.variable("heap top", sort), self.variable("stack top", sort)));
    }

    fn location(&mut self, like: LocationId) -> LocationId {
        let mut location = self.cfa.locations[like].clone();
        location.loop_head = false;
        self.cfa.locations.alloc(location)
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
        self.cfa.edges.alloc(Edge { from: at, to, command, place, violates })
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

    /// What must hold here: checked if `checked` says so, assumed otherwise.
    fn require(&mut self, code: &mut Code, formula: Term, checked: bool) {
        let formula = self.numbers.apply(self.pool, formula);
        if self.pool.as_bool(formula) == Some(true) {
            return;
        }
        if checked {
            self.cut(code);
            let commands = vec![Command::Assume(self.pool.not(formula))];
            let piece = Code { at: code.at, commands, place: code.place.clone() };
            let error = self.cfa.error.expect("inlining made the error location");
            self.finish(piece, error, Some(Property::Pointer));
        }
        code.commands.push(Command::Assume(formula));
    }

    /// An unknown value that no instruction asks for.
    fn forget(&mut self, code: &mut Code, variable: Term) {
        let sort = self.pool.sort(variable);
        let input = Input { instruction: None, cause: Cause::Uninitialized, sort };
        code.commands.push(Command::Havoc(variable, self.cfa.inputs.alloc(input)));
    }

    fn assume(&mut self, text: &str, place: &Place) {
        if !self.assumptions.iter().any(|assumption| assumption.text == text) {
            let (text, place) = (text.to_owned(), place.clone());
            self.assumptions.push(Assumption { text, place });
        }
    }

    fn action(&mut self, code: &mut Code, action: Action) -> Result<(), Error> {
        match action {
            Action::Skip => {}
            Action::Assume(formula) => code.commands.push(Command::Assume(formula)),
            Action::Assign(register, term) => code.assign(register, term),
            Action::Havoc(register, input) => code.commands.push(Command::Havoc(register, input)),
            Action::Load { into, address, .. } => self.load(code, into, address)?,
            Action::Store { address, value } => self.store(code, address, value)?,
            Action::Allocate(allocation) => self.allocate(code, &allocation),
            Action::Free { address, storage } => self.free(code, address, storage)?,
            Action::Return { objects } => self.leave(code, &objects),
            Action::Copy { to, from, length } => self.copy(code, to, from, length)?,
            Action::Fill { to, byte, length } => self.fill(code, to, byte, length)?,
            Action::HavocBytes { address, length, cause, instruction } => {
                self.havoc_bytes(code, address, length, &cause, instruction)?;
            }
        }
        Ok(())
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
        let low = array.unit.trailing_zeros();
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
