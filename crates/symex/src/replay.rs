//! A run that was found, for the interpreter: the values that it takes, in order.
//!
//! A byte that nobody has written is asked for by its address. Which object that is in is known from
//! the order of allocations, which the script follows as a listener.
//!
//! If a part of the program was executed, the whole of it takes more values and makes more objects.
//! These are told by the instructions that ask for them, and are zero.

use crate::object::Base;
use program::Program;
use program::checks::Check;
use program::interpret::{Branch, Effect, Listener, Oracle, Part, Placement, Request, Step};
use program::program::{EdgeId, FunctionId, LocationId, Site};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use term::{Term, Value};
use value::Bits;

/// What lies in the way is moved to multiples of this.
const FREE: u64 = 1 << 12;

/// Which edge a run takes where several can be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    /// The function.
    pub function: FunctionId,
    /// Where.
    pub location: LocationId,
    /// The edge.
    pub edge: EdgeId,
}

/// What a run takes.
#[derive(Clone, Default, Debug)]
pub struct Script {
    /// Values by the instruction that asks for them.
    pub values: VecDeque<(FunctionId, EdgeId, Part, Value)>,
    /// Ways where several can be taken.
    pub ways: VecDeque<Way>,
    /// The objects in the order of their allocation, and who allocates them.
    pub allocated: VecDeque<(Base, Site)>,
    /// Bytes that nobody has written, by object and offset.
    pub unwritten: FxHashMap<(Base, u64), u8>,
    /// Where objects must lie for the run to be one, and how long they are; of the others it does
    /// not matter.
    pub placed: BTreeMap<Base, (u64, u64)>,
    /// Memory from outside the program, and where it is.
    pub outside: Vec<(Base, u64)>,
    /// Whether these may lie so close to each other that what is beyond one is in another: for the
    /// interpreter, which goes by addresses, nothing is wrong then.
    pub close: bool,
    /// The check that fails.
    pub violates: Option<Check>,
    /// Objects by their addresses, as far as the run has made them.
    at: BTreeMap<u64, Base>,
    /// Whether something else was asked than the script says.
    pub strayed: bool,
}

/// Static objects and functions: their numbers, addresses as terms, and sizes.
fn statics(program: &Program) -> impl Iterator<Item = (Base, Term, u64)> + '_ {
    let objects = program.objects.values().map(|object| (object.address, object.size));
    let functions = program.functions.values().filter_map(|f| Some((f.address?, 1)));
    objects.chain(functions).enumerate().map(|(base, (address, size))| (base, address, size))
}

impl Script {
    /// Where the run needs objects to lie; what it says nothing about, and is in the way, goes
    /// elsewhere.
    pub fn placement(&self, program: &Program) -> Placement {
        let mut placement = Placement { outside: !self.outside.is_empty(), ..Placement::default() };
        if self.placed.is_empty() {
            return placement;
        }
        let ends = self.placed.values().map(|(at, size)| at.saturating_add(*size));
        let mut free = ends.max().unwrap_or(0).checked_next_multiple_of(FREE).unwrap_or(FREE);
        for (base, address, size) in statics(program) {
            let standard = program.addresses.get(&address).and_then(|bits| bits.to_u64());
            let hits = |from: u64| {
                let meets = |(at, length): &(u64, u64)| {
                    from < at.saturating_add(*length.max(&1)) && *at < from + size.max(1)
                };
                self.placed.values().any(meets)
            };
            if let Some((at, _)) = self.placed.get(&base) {
                placement = placement.with_static(address, *at);
            } else if standard.is_some_and(hits) {
                placement = placement.with_static(address, free);
                free = free.saturating_add(size.next_multiple_of(FREE) + FREE);
            }
        }
        for (base, _) in &self.allocated {
            placement = placement.with_allocation(self.placed.get(base).map(|(at, _)| *at));
        }
        placement
    }

    /// The same script, of a run under its placement.
    pub fn placed(mut self, program: &Program) -> (Script, Placement) {
        let placement = self.placement(program);
        let at = statics(program)
            .filter_map(|(base, term, _)| Some((placement.address(program, term)?, base)));
        let outside = self.outside.iter().map(|(base, address)| (*address, *base));
        self.at = at.chain(outside).collect();
        (self, placement)
    }

    fn byte(&self, address: u64) -> Option<u8> {
        let (start, base) = self.at.range(..=address).next_back()?;
        self.unwritten.get(&(*base, address - start)).copied()
    }
}

/// Takes what comes next, if it is what is meant.
fn next_if<T>(queue: &mut VecDeque<T>, meant: impl FnOnce(&T) -> bool) -> Option<T> {
    queue.front().is_some_and(meant).then(|| queue.pop_front()).flatten()
}

/// A script that is being played. Clones share it.
#[derive(Clone)]
pub struct Player {
    script: Rc<RefCell<Script>>,
    /// Whether the script is of a part of the program.
    part: bool,
}

impl Player {
    /// Plays a script.
    pub fn new(script: Script) -> Self {
        Player { script: Rc::new(RefCell::new(script)), part: false }
    }

    /// Plays the script of a part of the program to the whole of it.
    pub fn of_part(script: Script) -> Self {
        Player { part: true, ..Player::new(script) }
    }

    /// Whether the run was another than the script's.
    pub fn has_strayed(&self) -> bool {
        self.script.borrow().strayed
    }
}

impl Oracle for Player {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let mut script = self.script.borrow_mut();
        if let Part::Memory { address, .. } = request.part {
            let byte = script.byte(address).unwrap_or(0);
            return Some(Value::Bits(Bits::from_u64(8, u64::from(byte))));
        }
        let asked = (request.function, request.edge, request.part);
        let meant = |(function, edge, part, _): &_| (*function, *edge, *part) == asked;
        match next_if(&mut script.values, meant) {
            Some((_, _, _, value)) => Some(value),
            None => {
                script.strayed |= !self.part;
                None
            }
        }
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        let mut script = self.script.borrow_mut();
        let here = |way: &Way| (way.function, way.location) == (branch.function, branch.location);
        let way = next_if(&mut script.ways, here);
        let index = way.and_then(|way| branch.edges.iter().position(|edge| *edge == way.edge));
        script.strayed |= index.is_none() && !self.part;
        index.unwrap_or(0)
    }
}

impl Listener for Player {
    fn step(&mut self, step: &Step<'_>) {
        let Effect::Allocated(_, Value::Bits(address), _) = &step.effect else { return };
        let mut script = self.script.borrow_mut();
        let here = |(_, site): &(Base, Site)| *site == (step.function, step.edge);
        match (address.to_u64(), next_if(&mut script.allocated, here)) {
            (Some(address), Some((base, _))) => {
                script.at.insert(address, base);
            }
            _ => script.strayed |= !self.part,
        }
    }
}
