//! The program that begins where runs stand, and ends after a few cycles.
//!
//! Registers and static objects get the values that they have there, as constants, so that little is left to
//! ask about. If there are several states, what differs is unknown: of a register, within the range of its
//! values. A number of the width of a pointer that lies within an object is taken for a pointer where
//! the object has scalars of that size; what comes of a wrong guess is not confirmed by the interpreter.

use crate::probes::Probed;
use program::Place;
use program::interpret::{Interpreter, Snapshot};
use program::program::{
    Cause, Edge, EdgeId, FunctionId, Instruction, Location, LocationId, Object, Program, Reading,
    Variable, VariableId,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use term::eval::default_value;
use term::{Op, Sort, Term, Value};

/// The most bytes of objects whose contents are told.
const MOST: u64 = 1 << 16;
/// The width of the count of cycles.
const WIDTH: u32 = 16;

/// Registers whose values are not those of the states, and what holds of them.
pub type Free = (FxHashSet<Term>, Vec<Term>);

/// Where objects and functions are: by address, how long each is, and its address as a term.
type Places = BTreeMap<u64, (u64, Term)>;

/// Makes a question that is about all runs one about runs from some states, for so many cycles; none if that
/// can't be told.
pub fn from_states(
    mut program: Program,
    probed: &Probed,
    interpreter: &Interpreter<'_>,
    states: &[&Snapshot],
    cycles: u32,
    free: Option<&Free>,
) -> Option<Program> {
    let ((function, cycle), first) = (probed.cycle?, *states.first()?);
    let (of, at) = first.position();
    let size: u64 = first.objects().map(|(_, size)| size).sum();
    if of != function || size > MOST || states.iter().any(|state| state.position() != (of, at)) {
        return None;
    }
    initialize(&mut program);
    add_objects(&mut program, first);
    let places = places(&program);
    fill_objects(&mut program, states, &places);
    let none = Free::default();
    let (unknown, holding) = free.unwrap_or(&none);
    let mut chain = registers(&program, interpreter, states, &places, function, unknown);
    chain.extend(holding.iter().map(|formula| Instruction::Assume(*formula)));
    let count = counter(&mut program, function);
    chain.push(Instruction::Assign(count, program.pool.bv(1, WIDTH)));
    count_cycles(&mut program, (function, cycle), count, cycles);
    begin(&mut program, function, at, chain);
    Some(program)
}

/// What nobody initializes is zero, as it is where runs are executed.
fn initialize(program: &mut Program) {
    let Program { pool, variables, functions, .. } = program;
    let bodies = functions.values_mut().filter_map(|function| function.body.as_mut());
    for edge in bodies.flat_map(|body| body.edges.values_mut()) {
        edge.instruction = match &edge.instruction {
            Instruction::Havoc(into, Cause::Uninitialized) => {
                let zero = default_value(pool, variables[*into].sort);
                Instruction::Assign(*into, pool.constant(zero))
            }
            Instruction::HavocBytes { address, length, cause: Cause::Uninitialized } => {
                Instruction::Fill { to: *address, byte: pool.bv(0, 8), length: *length }
            }
            _ => continue,
        };
    }
}

/// Objects that were allocated become static ones.
fn add_objects(program: &mut Program, snapshot: &Snapshot) {
    let known = places(program);
    for (start, size) in snapshot.objects() {
        if known.contains_key(&start) || size == 0 {
            continue;
        }
        let width = program.pointer_width;
        let address = program.pool.fresh_var("coverage::object", Sort::BitVec(width));
        program.addresses.insert(address, value::Bits::from_u64(width, start));
        program.objects.alloc(Object {
            name: "allocated".into(),
            address,
            size,
            align: 1,
            initial: Vec::new(),
            unknown: true,
            constant: false,
            scalars: vec![width / 8],
            place: Place::default(),
        });
    }
}

fn places(program: &Program) -> Places {
    let objects = program.objects.values().map(|object| (object.address, object.size));
    let functions = program.functions.values().filter_map(|f| Some((f.address?, 1)));
    let at = |(term, size): (Term, u64)| {
        let start = program.addresses.get(&term)?.to_u64()?;
        Some((start, (size, term)))
    };
    objects.chain(functions).filter_map(at).collect()
}

/// A number as a pointer into what lies there.
fn pointer(program: &Program, places: &Places, number: u64) -> Option<Term> {
    let (start, (size, address)) = places.range(..=number).next_back()?;
    let offset = number - start;
    let pool = &program.pool;
    (offset <= *size).then(|| pool.bv_add(*address, pool.bv(offset, program.pointer_width)))
}

fn fill_objects(program: &mut Program, states: &[&Snapshot], places: &Places) {
    let width = u64::from(program.pointer_width / 8);
    let ids: Vec<_> = program.objects.iter().map(|(id, _)| id).collect();
    for id in ids {
        let object = &program.objects[id];
        let start = program.addresses.get(&object.address).and_then(|bits| bits.to_u64());
        let Some(start) = start.filter(|_| !object.constant) else { continue };
        let (size, pointers) = (object.size, object.scalars.contains(&(width as u32)));
        let (mut initial, mut unknown, mut at) = (Vec::new(), false, 0);
        while at < size {
            let address = start + at;
            if pointers
                && at % width == 0
                && at + width <= size
                && let Some(number) = word(states, address, width)
                && let Some(pointer) = pointer(program, places, number)
            {
                initial.push((at, pointer));
                at += width;
                continue;
            }
            match byte(states, address) {
                Some(byte) => initial.push((at, program.pool.bv(u64::from(byte), 8))),
                None => unknown = true,
            }
            at += 1;
        }
        let object = &mut program.objects[id];
        (object.initial, object.unknown) = (initial, unknown);
    }
}

/// The byte at an address, if it is the same in all states.
fn byte(states: &[&Snapshot], address: u64) -> Option<u8> {
    let (first, others) = states.split_first()?;
    let byte = first.byte(address)?;
    others.iter().all(|state| state.byte(address) == Some(byte)).then_some(byte)
}

fn word(states: &[&Snapshot], address: u64, bytes: u64) -> Option<u64> {
    let all = (0..bytes).rev().map(|at| byte(states, address + at));
    all.into_iter().try_fold(0, |word, byte| Some(word << 8 | u64::from(byte?)))
}

/// What gives the registers that are known there their values.
fn registers(
    program: &Program,
    interpreter: &Interpreter<'_>,
    states: &[&Snapshot],
    places: &Places,
    function: FunctionId,
    unknown: &FxHashSet<Term>,
) -> Vec<Instruction> {
    let mut chain = Vec::new();
    for (id, variable) in program.variables.iter() {
        if unknown.contains(&variable.term) {
            chain.push(Instruction::Havoc(id, Cause::Uninitialized));
            continue;
        }
        if variable.function.is_some_and(|of| of != function) {
            continue;
        }
        let values = states.iter().map(|state| state.register(interpreter, id));
        let Some(values) = values.collect::<Option<Vec<Value>>>() else { continue };
        let value = &values[0];
        if values.iter().any(|other| other != value) {
            chain.push(Instruction::Havoc(id, Cause::Uninitialized));
            chain.extend(range(program, variable, &values).map(Instruction::Assume));
            continue;
        }
        let number = match value {
            Value::Bits(bits) if variable.sort == Sort::BitVec(program.pointer_width) => {
                bits.to_u64()
            }
            _ => None,
        };
        let number = number.filter(|number| variable.reading == Reading::Address && *number != 0);
        let term = number.and_then(|number| pointer(program, places, number));
        let term = term.unwrap_or_else(|| program.pool.constant(value.clone()));
        chain.push(Instruction::Assign(id, term));
    }
    chain
}

/// A variable lies between the least and the greatest of some values; nothing is said of truth values, and
/// where one is no number.
fn range(program: &Program, variable: &Variable, values: &[Value]) -> Option<Term> {
    let pool = &program.pool;
    let (sort, signed) = (variable.sort, variable.reading == Reading::Signed);
    let below = |a: Term, b: Term| match sort {
        Sort::Float(_) => pool.make(Op::FpLeq, &[a, b]),
        _ if signed => pool.bv_sle(a, b),
        _ => pool.bv_ule(a, b),
    };
    if !matches!(sort, Sort::Float(_) | Sort::BitVec(_)) {
        return None;
    }
    let mut terms = values.iter().map(|value| pool.constant(value.clone()));
    let first = terms.next()?;
    let (mut least, mut most) = (first, first);
    for term in terms {
        if pool.as_bool(below(least, term))? {
            most = if pool.as_bool(below(most, term))? { term } else { most };
        } else {
            least = term;
        }
    }
    (pool.as_bool(below(least, most)) == Some(true))
        .then(|| pool.and([below(least, variable.term), below(variable.term, most)]))
}

fn counter(program: &mut Program, function: FunctionId) -> VariableId {
    let sort = Sort::BitVec(WIDTH);
    let term = program.pool.fresh_var("coverage::count", sort);
    program.variables.alloc(Variable {
        term,
        sort,
        name: None,
        reading: Reading::Unsigned,
        function: Some(function),
        place: Place::default(),
    })
}

/// No run begins another cycle after so many.
fn count_cycles(
    program: &mut Program,
    (function, cycle): (FunctionId, EdgeId),
    count: VariableId,
    cycles: u32,
) {
    let Program { pool, variables, functions, .. } = program;
    let Some(body) = functions[function].body.as_mut() else { return };
    let counted = variables[count].term;
    let between = body.locations.alloc(Location::default());
    let edge = &mut body.edges[cycle];
    let to = std::mem::replace(&mut edge.to, between);
    edge.instruction = Instruction::Assume(pool.bv_ult(counted, pool.bv(u64::from(cycles), WIDTH)));
    let next = pool.bv_add(counted, pool.bv(1, WIDTH));
    let instruction = Instruction::Assign(count, next);
    body.edges.alloc(Edge { from: between, to, instruction, place: Place::default() });
}

/// The program begins with these instructions, and goes on at a location of a function.
fn begin(program: &mut Program, function: FunctionId, at: LocationId, chain: Vec<Instruction>) {
    program.start = function;
    let Some(body) = program.functions[function].body.as_mut() else { return };
    let mut from = body.locations.alloc(Location::default());
    body.entry = from;
    let last = chain.len().saturating_sub(1);
    for (number, instruction) in chain.into_iter().enumerate() {
        let to = if number == last { at } else { body.locations.alloc(Location::default()) };
        body.edges.alloc(Edge { from, to, instruction, place: Place::default() });
        from = to;
    }
}
