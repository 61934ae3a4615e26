//! Programs written by hand, for tests.
#![allow(dead_code)]

use program::place::Place;
use program::program::{Body, Callee, Cause, Edge, FunctionId, Location, LocationId, Reading};
use program::program::{ObjectId, VariableId};
use program::{Function, Instruction, Object, Program, Property, Variable};
use rustc_hash::FxHashMap;
use term::{Pool, Sort, Term};
use value::Bits;

/// A program without functions, with addresses of 32 bits.
pub fn empty() -> Program {
    let mut functions = la_arena::Arena::new();
    let start = functions.alloc(function("start"));
    Program {
        pool: Pool::new(),
        variables: Default::default(),
        objects: Default::default(),
        functions,
        start,
        pointer_width: 32,
        addresses: FxHashMap::default(),
        assumptions: Vec::new(),
        undefined: Vec::new(),
        asked: program::checks::Asked::default(),
    }
}

fn function(name: &str) -> Function {
    Function {
        name: name.into(),
        place: Place::default(),
        address: None,
        parameters: Vec::new(),
        results: Vec::new(),
        body: None,
    }
}

pub fn declare(program: &mut Program, name: &str) -> FunctionId {
    program.functions.alloc(function(name))
}

/// A register; global if it has no function.
pub fn register(
    program: &mut Program,
    name: &str,
    sort: Sort,
    function: Option<FunctionId>,
) -> (VariableId, Term) {
    let name = match function {
        Some(f) => format!("{}.{name}", program.functions[f].name),
        None => name.to_owned(),
    };
    let term = program.pool.var(&name, sort);
    let place = Place::default();
    let reading = Reading::Unsigned;
    let name = Some(name.as_str().into());
    (program.variables.alloc(Variable { term, sort, name, reading, function, place }), term)
}

/// A static object filled with zero; objects follow each other with room between them.
pub fn object(program: &mut Program, name: &str, size: u64) -> (ObjectId, Term) {
    let address = program.pool.var(&format!("&{name}"), Sort::BitVec(program.pointer_width));
    let number = 0x1000 + 0x100 * program.addresses.len() as u64;
    program.addresses.insert(address, Bits::from_u64(program.pointer_width, number));
    let object = Object {
        name: name.into(),
        address,
        size,
        align: 16,
        initial: Vec::new(),
        unknown: false,
        constant: false,
        scalars: Vec::new(),
        place: Place::default(),
    };
    (program.objects.alloc(object), address)
}

/// A body under construction: the cursor is where the next instruction starts.
pub struct Code {
    pub body: Body,
    pub at: LocationId,
}

impl Default for Code {
    fn default() -> Self {
        let mut locations = la_arena::Arena::new();
        let entry = locations.alloc(Location::default());
        let exit = locations.alloc(Location::default());
        Code { body: Body { locations, edges: Default::default(), entry, exit }, at: entry }
    }
}

impl Code {
    pub fn location(&mut self) -> LocationId {
        self.body.locations.alloc(Location::default())
    }

    pub fn edge(&mut self, from: LocationId, to: LocationId, instruction: Instruction) {
        self.body.edges.alloc(Edge { from, to, instruction, place: Place::default() });
    }

    /// One more instruction at the cursor.
    pub fn then(&mut self, instruction: Instruction) -> &mut Self {
        let next = self.location();
        self.edge(self.at, next, instruction);
        self.at = next;
        self
    }

    /// The end: a return.
    pub fn end(mut self) -> Body {
        self.edge(self.at, self.body.exit, Instruction::Skip);
        self.body
    }
}

pub fn input() -> Cause {
    Cause::Input("nondet".into())
}

pub fn call(function: FunctionId, arguments: Vec<Term>, results: Vec<VariableId>) -> Instruction {
    Instruction::Call { callee: Callee::Function(function), arguments, results }
}

pub fn assert(formula: Term) -> Instruction {
    Instruction::Check(Property::Assert, formula)
}
