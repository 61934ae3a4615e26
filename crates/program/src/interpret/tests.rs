//! Programs written by hand, each for one rule of the semantics.

mod placement;
mod written;

use super::*;
use crate::cfa::{Cfa, Context, EdgeId as CfaEdgeId, Input};
use crate::place::Place;
use crate::program::*;
use crate::verdict;
use answer::Allowance;
use la_arena::{Arena, RawIdx};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};
use term::{Pool, Sort, Term, traverse};
use value::Bits;

const W32: Sort = Sort::BitVec(32);

/// A program under construction: function 0 is the start.
struct Build {
    program: Program,
}

impl Build {
    fn new() -> Build {
        let mut functions = Arena::new();
        let start = functions.alloc(function("start"));
        Build {
            program: Program {
                pool: Pool::new(),
                variables: Arena::new(),
                objects: Arena::new(),
                functions,
                start,
                pointer_width: 32,
                addresses: FxHashMap::default(),
                assumptions: Vec::new(),
                undefined: Vec::new(),
                asked: crate::checks::Asked::default(),
            },
        }
    }

    fn start(&self) -> FunctionId {
        self.program.start
    }

    fn function(&mut self, name: &str) -> FunctionId {
        self.program.functions.alloc(function(name))
    }

    fn variable(
        &mut self,
        name: &str,
        sort: Sort,
        owner: Option<FunctionId>,
    ) -> (VariableId, Term) {
        let term = self.program.pool.var(name, sort);
        let variable = Variable {
            term,
            sort,
            name: Some(name.into()),
            reading: Reading::Signed,
            function: owner,
            place: Place::default(),
        };
        (self.program.variables.alloc(variable), term)
    }

    fn bv(&self, value: u64) -> Term {
        self.program.pool.bv(value, 32)
    }

    fn object(&mut self, name: &str, address: u64, size: u64, constant: bool) -> Term {
        let term = self.program.pool.var(&format!("&{name}"), W32);
        self.program.addresses.insert(term, Bits::from_u64(32, address));
        self.program.objects.alloc(Object {
            name: name.into(),
            address: term,
            size,
            align: 4,
            initial: vec![(0, self.program.pool.bv(0x0403_0201, 32))],
            unknown: false,
            constant,
            scalars: vec![4],
            place: Place::default(),
        });
        term
    }

    /// Gives the function the graph: edges by the numbers of locations, from 0 to `exit`.
    fn graph(&mut self, id: FunctionId, exit: u32, edges: Vec<(u32, u32, Instruction)>) {
        let last = edges.iter().map(|e| e.0.max(e.1)).max().unwrap_or(0).max(exit);
        let mut locations = Arena::new();
        (0..=last).for_each(|_| {
            locations.alloc(Location::default());
        });
        let at = |n: u32| LocationId::from_raw(RawIdx::from_u32(n));
        let mut arena = Arena::new();
        for (from, to, instruction) in edges {
            let (from, to) = (at(from), at(to));
            arena.alloc(Edge { from, to, instruction, place: Place::default() });
        }
        let body = Body { locations, edges: arena, entry: at(0), exit: at(exit) };
        self.program.functions[id].body = Some(body);
    }

    /// The start function is a straight line of instructions.
    fn line(&mut self, id: FunctionId, instructions: Vec<Instruction>) {
        let exit = instructions.len() as u32;
        let edges = (0..).zip(instructions).map(|(n, i)| (n, n + 1, i)).collect();
        self.graph(id, exit, edges);
    }

    fn run(&self, oracle: &mut dyn Oracle) -> (Outcome, FxHashMap<VariableId, Value>) {
        let interpreter = Interpreter::new(&self.program).expect("well-formed");
        watch(&interpreter, oracle)
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

/// The outcome, and the last value of each register.
fn watch(
    interpreter: &Interpreter<'_>,
    oracle: &mut dyn Oracle,
) -> (Outcome, FxHashMap<VariableId, Value>) {
    let mut values = FxHashMap::default();
    let mut listen = |step: &Step<'_>| match &step.effect {
        Effect::Assigned(variable, value) | Effect::Allocated(variable, value, _) => {
            values.insert(*variable, (*value).clone());
        }
        Effect::Returned(_, results) => values.extend(results.iter().cloned()),
        _ => {}
    };
    let outcome = interpreter.watch(oracle, &mut listen);
    (outcome, values)
}

fn bits(value: u64) -> Value {
    Value::Bits(Bits::from_u64(32, value))
}

fn finished(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Finished { .. })
}

#[test]
fn a_loop_sums_up() {
    let mut b = Build::new();
    let start = b.start();
    let (i, ti) = b.variable("i", W32, Some(start));
    let (sum, tsum) = b.variable("sum", W32, None);
    let pool = &b.program.pool;
    let below = pool.bv_ult(ti, b.bv(10));
    let edges = vec![
        (0, 1, Instruction::Assume(below)),
        (0, 3, Instruction::Assume(pool.not(below))),
        (1, 2, Instruction::Assign(sum, pool.bv_add(tsum, ti))),
        (2, 0, Instruction::Assign(i, pool.bv_add(ti, b.bv(1)))),
    ];
    b.graph(start, 3, edges);
    let (outcome, values) = b.run(&mut Fixed::default());
    assert!(finished(&outcome), "{outcome:?}");
    assert_eq!(values[&sum], bits(45));
}

/// `f(n) = n = 0 ? 0 : n + f(n - 1)`, and what it needs to be called from the start.
fn recursive(depth: u64) -> (Build, VariableId) {
    let mut b = Build::new();
    let start = b.start();
    let f = b.function("f");
    let (n, tn) = b.variable("n", W32, Some(f));
    let (r, tr) = b.variable("r", W32, Some(f));
    let (out, _) = b.variable("out", W32, Some(start));
    b.program.functions[f].parameters = vec![n];
    b.program.functions[f].results = vec![r];
    let pool = &b.program.pool;
    let zero = pool.eq(tn, b.bv(0));
    let call = |argument, into| Instruction::Call {
        callee: Callee::Function(f),
        arguments: vec![argument],
        results: vec![into],
    };
    let edges = vec![
        (0, 1, Instruction::Assume(zero)),
        (1, 4, Instruction::Assign(r, b.bv(0))),
        (0, 2, Instruction::Assume(pool.not(zero))),
        (2, 3, call(pool.bv_sub(tn, b.bv(1)), r)),
        (3, 4, Instruction::Assign(r, pool.bv_add(tn, tr))),
    ];
    let first = call(b.bv(depth), out);
    b.graph(f, 4, edges);
    b.line(start, vec![first]);
    (b, out)
}

#[test]
fn calls_have_registers_of_their_own() {
    let (b, out) = recursive(100);
    let (outcome, values) = b.run(&mut Fixed::default());
    assert_eq!(outcome, Outcome::Finished { results: vec![bits(5050)] });
    assert_eq!(values[&out], bits(5050));
}

#[test]
fn deep_recursion_needs_no_native_stack() {
    let (b, _) = recursive(1_000_000);
    let (outcome, _) = b.run(&mut Fixed::default());
    assert!(finished(&outcome), "{outcome:?}");
}

#[test]
fn limits_stop_a_run() {
    let (b, _) = recursive(u64::from(u32::MAX));
    let mut oracle = Fixed::default();
    let mut stopped = |limits| {
        let interpreter = Interpreter::new(&b.program).expect("well-formed").with_limits(limits);
        match interpreter.run(&mut oracle) {
            Outcome::Stopped { by, .. } => by,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(stopped(Limits { steps: 1000, ..Limits::default() }), Limit::Steps);
    assert_eq!(stopped(Limits { memory: 1 << 20, ..Limits::default() }), Limit::Memory);
    let allowance = Allowance::default().within(Duration::from_millis(5));
    assert_eq!(stopped(Limits { allowance, ..Limits::default() }), Limit::Time);
    let allowance = Allowance::default();
    allowance.interrupt.raise();
    assert_eq!(stopped(Limits { allowance, ..Limits::default() }), Limit::Interrupted);
}

#[test]
fn a_run_that_stops_after_a_call_has_a_place() {
    let mut b = Build::new();
    let start = b.start();
    let f = b.function("f");
    b.line(f, vec![Instruction::Skip]);
    let callee = Callee::Function(f);
    let call = Instruction::Call { callee, arguments: Vec::new(), results: Vec::new() };
    // The number of the call's edge is none of `f`.
    b.line(start, vec![Instruction::Skip, Instruction::Skip, Instruction::Skip, call]);
    for steps in 1..8 {
        let limits = Limits { steps, ..Limits::default() };
        let interpreter = Interpreter::new(&b.program).expect("well-formed").with_limits(limits);
        let outcome = interpreter.run(&mut Fixed::default());
        if let Some(position) = outcome.position() {
            position.place(&b.program);
        }
    }
}

#[test]
fn checks_are_violations_pass_or_end_the_run() {
    for (property, asked, fatal) in [
        (Property::Overflow, true, false),
        (Property::Overflow, false, false),
        (Property::DivisionByZero, true, true),
        (Property::DivisionByZero, false, true),
        // Made beside those that can be asked for on the command line.
        (Property::Claim, true, false),
        (Property::Claim, false, false),
        (Property::Unwinding, true, true),
        (Property::Unwinding, false, true),
    ] {
        let mut b = Build::new();
        let start = b.start();
        b.line(start, vec![Instruction::Check(property, b.program.pool.fls())]);
        let properties: &[Property] = if asked { &[property] } else { &[] };
        let interpreter = Interpreter::new(&b.program).expect("well-formed");
        let outcome = interpreter.with_properties(properties).run(&mut Fixed::default());
        match outcome {
            Outcome::Violation { property: p, fault: None, .. } => assert!(asked && p == property),
            Outcome::Undefined { fault: Fault::Check(p), .. } => {
                assert!(!asked && fatal && p == property);
            }
            Outcome::Finished { .. } => assert!(!asked && !fatal),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn assumptions_end_runs_silently() {
    let mut b = Build::new();
    let start = b.start();
    let fls = b.program.pool.fls();
    b.line(start, vec![Instruction::Assume(fls)]);
    let (outcome, _) = b.run(&mut Fixed::default());
    assert!(matches!(outcome, Outcome::Ended { by: Ending::Assumption, .. }), "{outcome:?}");
    b.graph(start, 2, vec![(0, 1, Instruction::Assume(fls)), (0, 2, Instruction::Assume(fls))]);
    let (outcome, _) = b.run(&mut Fixed::default());
    assert!(matches!(outcome, Outcome::Ended { by: Ending::Assumption, .. }), "{outcome:?}");
    b.graph(start, 2, vec![(0, 1, Instruction::Skip)]);
    let (outcome, _) = b.run(&mut Fixed::default());
    assert!(matches!(outcome, Outcome::Ended { by: Ending::Stop, .. }), "{outcome:?}");
}

#[test]
fn memory_is_little_endian_bytes() {
    let mut b = Build::new();
    let start = b.start();
    let object = b.object("x", 0x1000, 8, false);
    let (byte, _) = b.variable("byte", Sort::BitVec(8), Some(start));
    let (half, _) = b.variable("half", Sort::BitVec(16), Some(start));
    let pool = &b.program.pool;
    let plus = |n| pool.bv_add(object, b.bv(n));
    let program = vec![
        Instruction::Load { into: byte, address: plus(1) },
        Instruction::Store { address: plus(2), value: b.bv(0xaabb_ccdd) },
        Instruction::Load { into: half, address: plus(3) },
    ];
    b.line(start, program);
    let (outcome, values) = b.run(&mut Fixed::default());
    assert!(finished(&outcome), "{outcome:?}");
    assert_eq!(values[&byte], Value::Bits(Bits::from_u64(8, 2)));
    assert_eq!(values[&half], Value::Bits(Bits::from_u64(16, 0xbbcc)));
}

#[test]
fn copies_may_overlap() {
    let mut b = Build::new();
    let start = b.start();
    let object = b.object("x", 0x1000, 6, false);
    let (word, _) = b.variable("word", W32, Some(start));
    let pool = &b.program.pool;
    let plus = |n| pool.bv_add(object, b.bv(n));
    let program = vec![
        Instruction::Copy { to: plus(1), from: object, length: b.bv(4) },
        Instruction::Fill { to: plus(3), byte: pool.bv(9, 8), length: b.bv(1) },
        Instruction::Load { into: word, address: plus(1) },
    ];
    b.line(start, program);
    let (outcome, values) = b.run(&mut Fixed::default());
    assert!(finished(&outcome), "{outcome:?}");
    assert_eq!(values[&word], bits(0x0409_0201));
}

/// The outcome of one instruction on the object at 0x1000 of 4 bytes, with its property asked for or not.
fn fault(constant: bool, instruction: impl Fn(&Build, Term) -> Instruction) -> (Fault, Fault) {
    let mut b = Build::new();
    let start = b.start();
    let object = b.object("x", 0x1000, 4, constant);
    let instruction = instruction(&b, object);
    b.line(start, vec![instruction]);
    let outcome = |properties: &[Property]| {
        let interpreter = Interpreter::new(&b.program).expect("well-formed");
        interpreter.with_properties(properties).run(&mut Fixed::default())
    };
    let asked = match outcome(&[Property::Pointer, Property::Free]) {
        Outcome::Violation { property, fault: Some(fault), .. } => {
            assert_eq!(property, fault.property());
            fault
        }
        other => panic!("{other:?}"),
    };
    let unasked = match outcome(&[Property::Reach]) {
        Outcome::Undefined { fault, .. } => fault,
        other => panic!("{other:?}"),
    };
    (asked, unasked)
}

#[test]
fn faults_of_memory_are_violations_if_asked_for() {
    let store = |b: &Build, object| {
        let address = b.program.pool.bv_add(object, b.bv(1));
        Instruction::Store { address, value: b.bv(0) }
    };
    let expected = Fault::Access { address: 0x1001, length: 4, write: true };
    assert_eq!(fault(false, store), (expected.clone(), expected));

    let store = |b: &Build, address| Instruction::Store { address, value: b.bv(0) };
    let expected = Fault::Constant { address: 0x1000 };
    assert_eq!(fault(true, store), (expected.clone(), expected));

    let free = |_: &Build, address| Instruction::Free { address, storage: Storage::Heap };
    let expected = Fault::Free { address: 0x1000 };
    assert_eq!(fault(false, free), (expected.clone(), expected));

    let call = |_: &Build, address| Instruction::Call {
        callee: Callee::Pointer(address),
        arguments: Vec::new(),
        results: Vec::new(),
    };
    let expected = Fault::Call { address: 0x1000 };
    assert_eq!(fault(false, call), (expected.clone(), expected));
}

#[test]
fn stack_objects_die_with_their_function() {
    let mut b = Build::new();
    let start = b.start();
    let f = b.function("f");
    let (p, tp) = b.variable("p", W32, None);
    let (x, _) = b.variable("x", W32, Some(start));
    let allocate = Instruction::Allocate {
        into: p,
        size: b.bv(4),
        align: 4,
        storage: Storage::Stack,
        written: false,
        scalars: vec![4],
        name: None,
    };
    let store = Instruction::Store { address: tp, value: b.bv(7) };
    b.line(f, vec![allocate, store]);
    let call = Instruction::Call {
        callee: Callee::Function(f),
        arguments: Vec::new(),
        results: Vec::new(),
    };
    b.line(start, vec![call, Instruction::Load { into: x, address: tp }]);
    let (outcome, values) = b.run(&mut Fixed::default());
    assert_eq!(values[&p], bits(layout::Layout::new(32).stack));
    assert!(
        matches!(
            outcome,
            Outcome::Violation {
                property: Property::Pointer,
                fault: Some(Fault::Access { .. }),
                ..
            }
        ),
        "{outcome:?}"
    );
}

#[test]
fn pointers_to_functions_are_called() {
    let mut b = Build::new();
    let start = b.start();
    let f = b.function("f");
    let address = b.program.pool.var("&f", W32);
    b.program.addresses.insert(address, Bits::from_u64(32, 0x500));
    b.program.functions[f].address = Some(address);
    let (n, tn) = b.variable("n", W32, Some(f));
    let (r, _) = b.variable("r", W32, Some(f));
    b.program.functions[f].parameters = vec![n];
    b.program.functions[f].results = vec![r];
    let double = b.program.pool.bv_add(tn, tn);
    b.line(f, vec![Instruction::Assign(r, double)]);
    let (out, _) = b.variable("out", W32, Some(start));
    let call = |arguments| Instruction::Call {
        callee: Callee::Pointer(address),
        arguments,
        results: vec![out],
    };
    let good = call(vec![b.bv(21)]);
    b.line(start, vec![good]);
    assert_eq!(b.run(&mut Fixed::default()).1[&out], bits(42));
    b.line(start, vec![call(Vec::new())]);
    let (outcome, _) = b.run(&mut Fixed::default());
    assert_eq!(outcome.violates(), Some(Property::Pointer));
}

/// Counts what it is asked for and answers with numbers from 1.
#[derive(Default)]
struct Counting(Vec<Part>);

impl Oracle for Counting {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        self.0.push(request.part);
        let width = request.sort.width()?;
        Some(Value::Bits(Bits::from_u64(width, self.0.len() as u64)))
    }
}

#[test]
fn unknown_bytes_are_asked_once() {
    let mut b = Build::new();
    let start = b.start();
    let (p, tp) = b.variable("p", W32, Some(start));
    let (x, _) = b.variable("x", W32, Some(start));
    let (y, _) = b.variable("y", W32, Some(start));
    let pool = &b.program.pool;
    let plus = |n| pool.bv_add(tp, b.bv(n));
    let program = vec![
        Instruction::Allocate {
            into: p,
            size: b.bv(12),
            align: 4,
            storage: Storage::Heap,
            written: false,
            scalars: Vec::new(),
            name: None,
        },
        Instruction::Store { address: plus(1), value: pool.bv(0xee, 8) },
        // Copying asks, so that both have the same bytes.
        Instruction::Copy { to: plus(4), from: tp, length: b.bv(4) },
        Instruction::Load { into: x, address: tp },
        Instruction::Load { into: y, address: plus(4) },
        Instruction::HavocBytes { address: plus(8), length: b.bv(4), cause: Cause::Assembly },
        Instruction::Load { into: x, address: plus(8) },
    ];
    b.line(start, program);
    let mut oracle = Counting::default();
    let (outcome, values) = b.run(&mut oracle);
    assert!(finished(&outcome), "{outcome:?}");
    assert_eq!(values[&y], bits(0x0302_ee01));
    assert_eq!(values[&x], bits(0x0706_0504));
    let heap = layout::Layout::new(32).heap;
    let memory = [0, 2, 3].map(|i| Part::Memory { address: heap + i, offset: i });
    let bytes = [0, 1, 2, 3].map(Part::Byte);
    assert_eq!(oracle.0, [&memory[..], &bytes[..]].concat());
}

#[test]
fn functions_without_a_body_return_anything() {
    let mut b = Build::new();
    let start = b.start();
    let f = b.function("f");
    let (x, _) = b.variable("x", W32, Some(start));
    let call = Instruction::Call {
        callee: Callee::Function(f),
        arguments: vec![b.bv(3)],
        results: vec![x],
    };
    b.line(start, vec![call]);
    let mut oracle = Counting::default();
    let (_, values) = b.run(&mut oracle);
    assert_eq!(values[&x], bits(1));
    assert_eq!(oracle.0, [Part::Result(0)]);
}

#[test]
fn a_recorded_run_is_replayed() {
    let mut b = Build::new();
    let start = b.start();
    let f = b.function("f");
    let (x, tx) = b.variable("x", W32, Some(f));
    let (y, _) = b.variable("y", W32, Some(f));
    b.program.functions[f].results = vec![x];
    let even = b.program.pool.eq(b.program.pool.bv_urem(tx, b.bv(2)), b.bv(0));
    let input = |v| Instruction::Havoc(v, Cause::Input("nondet".into()));
    b.line(f, vec![input(x), input(y), Instruction::Check(Property::Assert, even)]);
    let call = || Instruction::Call {
        callee: Callee::Function(f),
        arguments: Vec::new(),
        results: Vec::new(),
    };
    b.line(start, vec![call(), call()]);

    let edge = |n| EdgeId::from_raw(RawIdx::from_u32(n));
    let mut cfa = Cfa::default();
    let inputs = [0, 1].map(|n| {
        let context =
            cfa.contexts.alloc(Context { calls: [(start, edge(n))].into_iter().collect() });
        let instruction = Some((context, f, edge(0)));
        cfa.inputs.alloc(Input { instruction, cause: Cause::Uninitialized, sort: W32 })
    });
    // Only the second call fails.
    let step = verdict::Step {
        edge: CfaEdgeId::from_raw(RawIdx::from_u32(0)),
        inputs: vec![(inputs[1], bits(5)), (inputs[0], bits(4))],
    };
    let mut recorded = Recorded::new(&cfa, &verdict::Run { steps: vec![step] });
    let (outcome, values) = b.run(&mut recorded);
    assert_eq!(outcome.violates(), Some(Property::Assert));
    let position = outcome.position().expect("not finished");
    assert_eq!((position.function, position.edge), (f, Some(edge(2))));
    assert_eq!(position.calls, [(start, edge(1))]);
    assert_eq!((&values[&x], &values[&y]), (&bits(5), &bits(0)));
}

#[test]
fn recorded_values_are_handed_out_in_pieces() {
    let mut b = Build::new();
    let start = b.start();
    let object = b.object("x", 0x1000, 4, false);
    let (x, _) = b.variable("x", W32, Some(start));
    let program = vec![
        Instruction::HavocBytes { address: object, length: b.bv(4), cause: Cause::Assembly },
        Instruction::Load { into: x, address: object },
    ];
    b.line(start, program);
    let mut recorded = Recorded::default();
    recorded.push(&[], start, EdgeId::from_raw(RawIdx::from_u32(0)), bits(0x1234_5678));
    assert_eq!(b.run(&mut recorded).1[&x], bits(0x1234_5678));
}

#[test]
fn choices_are_the_oracles() {
    let mut b = Build::new();
    let start = b.start();
    let (x, _) = b.variable("x", W32, Some(start));
    let set = |n| Instruction::Assign(x, b.bv(n));
    let edges = vec![(0, 1, set(1)), (0, 1, set(2)), (0, 1, set(3))];
    b.graph(start, 1, edges);
    assert_eq!(b.run(&mut Fixed::default()).1[&x], bits(1));
    let mut recorded = Recorded::default();
    recorded.choices.push_back(2);
    assert_eq!(b.run(&mut recorded).1[&x], bits(3));
    let all: std::collections::BTreeSet<_> =
        (0..30).map(|seed| b.run(&mut Random::new(seed)).1[&x].clone()).collect();
    assert_eq!(all.len(), 3);
}

#[test]
fn huge_objects_are_cheap() {
    let mut b = Build::new();
    let start = b.start();
    let (p, tp) = b.variable("p", W32, Some(start));
    let (x, _) = b.variable("x", W32, Some(start));
    let size = (1 << 30) - 16;
    let pool = &b.program.pool;
    let program = vec![
        Instruction::Allocate {
            into: p,
            size: b.bv(size),
            align: 16,
            storage: Storage::Heap,
            written: false,
            scalars: Vec::new(),
            name: None,
        },
        Instruction::Fill { to: tp, byte: pool.bv(1, 8), length: b.bv(size) },
        Instruction::Load { into: x, address: pool.bv_add(tp, b.bv(size - 4)) },
        Instruction::HavocBytes { address: tp, length: b.bv(size), cause: Cause::Assembly },
        Instruction::Load { into: x, address: pool.bv_add(tp, b.bv(size - 4)) },
        Instruction::Free { address: tp, storage: Storage::Heap },
        Instruction::Free { address: b.bv(0), storage: Storage::Heap },
        // There is no second gigabyte.
        Instruction::Allocate {
            into: p,
            size: b.bv(size),
            align: 16,
            storage: Storage::Heap,
            written: false,
            scalars: Vec::new(),
            name: None,
        },
    ];
    b.line(start, program);
    let limits = Limits { memory: 1 << 16, ..Limits::default() };
    let interpreter = Interpreter::new(&b.program).expect("well-formed").with_limits(limits);
    let (outcome, values) = watch(&interpreter, &mut Fixed::default());
    assert!(matches!(outcome, Outcome::Ended { by: Ending::Memory, .. }), "{outcome:?}");
    assert_eq!(values[&x], bits(0));
}

#[test]
fn programs_that_break_the_rules_are_rejected() {
    let mut b = Build::new();
    let start = b.start();
    let other = b.function("other");
    let (x, tx) = b.variable("x", W32, Some(start));
    let (y, ty) = b.variable("y", W32, Some(other));
    let (flag, tflag) = b.variable("flag", Sort::Bool, Some(start));
    let stranger = b.program.pool.var("stranger", W32);
    assert!(matches!(Interpreter::new(&b.program), Err(Malformed::Start)));
    for wrong in [
        Instruction::Assume(tx),
        Instruction::Check(Property::Assert, tx),
        Instruction::Assign(x, tflag),
        Instruction::Assign(y, tx),
        Instruction::Assign(x, ty),
        Instruction::Assign(x, stranger),
        Instruction::Load { into: flag, address: tx },
        Instruction::Load { into: x, address: tflag },
        Instruction::Store { address: tx, value: tflag },
        Instruction::Free { address: tflag, storage: Storage::Heap },
        Instruction::Copy { to: tx, from: tx, length: tflag },
        Instruction::Fill { to: tx, byte: tx, length: tx },
        Instruction::Call {
            callee: Callee::Function(start),
            arguments: vec![tx],
            results: Vec::new(),
        },
        Instruction::Call {
            callee: Callee::Function(FunctionId::from_raw(RawIdx::from_u32(77))),
            arguments: Vec::new(),
            results: Vec::new(),
        },
        Instruction::Havoc(VariableId::from_raw(RawIdx::from_u32(77)), Cause::Uninitialized),
    ] {
        b.line(start, vec![wrong.clone()]);
        assert!(Interpreter::new(&b.program).is_err(), "{wrong:?}");
    }
    b.line(start, vec![Instruction::Skip]);
    assert!(Interpreter::new(&b.program).is_ok());
    b.program.pointer_width = 65;
    assert!(matches!(Interpreter::new(&b.program), Err(Malformed::PointerWidth(65))));
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    let mut b = Build::new();
    let start = b.start();
    let (i, ti) = b.variable("i", W32, Some(start));
    let (sum, tsum) = b.variable("sum", W32, None);
    let pool = &b.program.pool;
    let below = pool.bv_ult(ti, b.bv(3_000_000));
    let mixed = pool.bv_xor(pool.bv_add(pool.bv_mul(tsum, b.bv(31)), ti), b.bv(0x1234_5678));
    let edges = vec![
        (0, 1, Instruction::Assume(below)),
        (0, 3, Instruction::Assume(pool.not(below))),
        (1, 2, Instruction::Assign(sum, mixed)),
        (2, 0, Instruction::Assign(i, pool.bv_add(ti, b.bv(1)))),
    ];
    b.graph(start, 3, edges);
    let interpreter = Interpreter::new(&b.program).expect("well-formed");
    let begin = Instant::now();
    interpreter.run(&mut Fixed::default());
    println!("{:?} for 9 million steps", begin.elapsed());
}

/// Hands out values in the order of the havocs.
struct Listed(std::collections::VecDeque<Value>);

impl Oracle for Listed {
    fn value(&mut self, _: &Request<'_>) -> Option<Value> {
        self.0.pop_front()
    }
}

#[test]
fn terms_have_the_values_that_the_reference_gives_them() {
    use rand::SeedableRng;
    use rand::rngs::StdRng;
    use term::generate::{Generator, Options};
    for seed in 0..300 {
        let mut b = Build::new();
        let start = b.start();
        let float = value::Format::new(3, 5).expect("a valid format");
        let widths = [1, 7, 8, 32, 64, 65, 100].map(Sort::BitVec);
        let sorts = [&[Sort::Bool, Sort::Float(float), Sort::RoundingMode], &widths[..]].concat();
        let mut options = Options::bits_and_floats(&b.program.pool);
        options.sorts = sorts.clone();
        let pool = b.program.pool.clone();
        let mut generator = Generator::new(&pool, StdRng::seed_from_u64(seed), options);
        let sort = generator.sort();
        let term = generator.term(sort, 6);
        // The copy has the same numbers.
        let term = traverse::import(&pool, term, &b.program.pool, &mut FxHashMap::default());
        let mut values = FxHashMap::default();
        let mut instructions = Vec::new();
        let mut listed = Listed(std::collections::VecDeque::new());
        for variable in traverse::free_vars(&b.program.pool, &[term]) {
            let sort = b.program.pool.sort(variable);
            let name = b.program.pool.var_name(variable).expect("a variable").to_string();
            let owner = (instructions.len() % 2 == 0).then_some(start);
            let (id, _) = b.variable(&name, sort, owner);
            let value = generator.value(sort);
            values.insert(variable, value.clone());
            listed.0.push_back(value);
            instructions.push(Instruction::Havoc(id, Cause::Uninitialized));
        }
        let (result, _) = b.variable("result", b.program.pool.sort(term), Some(start));
        instructions.push(Instruction::Assign(result, term));
        b.line(start, instructions);
        let expected = term::evaluate(&b.program.pool, term, &values).expect("no quantifiers");
        let (outcome, values) = b.run(&mut listed);
        assert!(finished(&outcome), "{outcome:?}");
        assert_eq!(values[&result], expected, "seed {seed}");
    }
}
