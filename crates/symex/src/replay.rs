//! A run that was found, for the interpreter: the values that it takes, in order.
//!
//! A byte that nobody has written is asked for by its address. Which object that is in is known from
//! the order of allocations, which the script follows as a listener.

use crate::object::Base;
use program::Program;
use program::interpret::{Branch, Effect, Listener, Oracle, Part, Request, Step};
use program::program::{EdgeId, FunctionId, Instruction, LocationId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use term::Value;
use value::Bits;

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
    /// The objects in the order of their allocation.
    pub allocated: VecDeque<Base>,
    /// Bytes that nobody has written, by object and offset.
    pub unwritten: FxHashMap<(Base, u64), u8>,
    /// Where objects must lie for the run to be one; of the others it does not matter.
    pub placed: BTreeMap<Base, u64>,
    /// Objects by their addresses, as far as the run has made them.
    at: BTreeMap<u64, Base>,
    /// Whether something else was asked than the script says.
    pub strayed: bool,
}

impl Script {
    /// An empty one.
    pub fn new(program: &Program) -> Script {
        let address = |object: &program::Object| program.addresses.get(&object.address)?.to_u64();
        let objects = program.objects.values().enumerate();
        let at = objects.filter_map(|(base, object)| Some((address(object)?, base))).collect();
        Script { at, ..Script::default() }
    }

    fn byte(&self, address: u64) -> Option<u8> {
        let (start, base) = self.at.range(..=address).next_back()?;
        self.unwritten.get(&(*base, address - start)).copied()
    }
}

/// A script that is being played. Clones share it.
#[derive(Clone)]
pub struct Player<'p> {
    program: &'p Program,
    script: Rc<RefCell<Script>>,
}

impl<'p> Player<'p> {
    /// Plays a script.
    pub fn new(program: &'p Program, script: Script) -> Self {
        Player { program, script: Rc::new(RefCell::new(script)) }
    }

    /// Whether the run was another than the script's.
    pub fn has_strayed(&self) -> bool {
        self.script.borrow().strayed
    }
}

impl Oracle for Player<'_> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let mut script = self.script.borrow_mut();
        if let Part::Memory { address, .. } = request.part {
            let byte = script.byte(address).unwrap_or(0);
            return Some(Value::Bits(Bits::from_u64(8, u64::from(byte))));
        }
        let next = script.values.pop_front();
        let asked = (request.function, request.edge, request.part);
        match next {
            Some((function, edge, part, value)) if (function, edge, part) == asked => Some(value),
            _ => {
                script.strayed = true;
                None
            }
        }
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        let mut script = self.script.borrow_mut();
        let next = script.ways.pop_front();
        let here = |way: &Way| (way.function, way.location) == (branch.function, branch.location);
        let way = next.filter(here);
        let index = way.and_then(|way| branch.edges.iter().position(|edge| *edge == way.edge));
        script.strayed |= index.is_none();
        index.unwrap_or(0)
    }
}

impl Listener for Player<'_> {
    fn step(&mut self, step: &Step<'_>) {
        let Effect::Assigned(_, Value::Bits(address)) = &step.effect else { return };
        let Some(body) = &self.program.functions[step.function].body else { return };
        let Instruction::Allocate { .. } = body.edges[step.edge].instruction else { return };
        let mut script = self.script.borrow_mut();
        match (address.to_u64(), script.allocated.pop_front()) {
            (Some(address), Some(base)) => {
                script.at.insert(address, base);
            }
            _ => script.strayed = true,
        }
    }
}
