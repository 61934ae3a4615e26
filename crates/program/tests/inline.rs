//! Inlining: instances, recursion, calls through pointers, limits.

mod builder;

use builder::{Code, assert, call, declare, empty, input, register};
use program::model::{self, Options};
use program::program::{Callee, Program, VariableId};
use program::{Cfa, Instruction, Property};
use term::{Sort, Term};

const BYTE: Sort = Sort::BitVec(8);

fn build(program: &Program) -> Cfa {
    model::build(program, &Options::default()).expect("the program is well formed")
}

fn violations(cfa: &Cfa, property: Property) -> usize {
    cfa.edges.values().filter(|edge| edge.violates == Some(property)).count()
}

/// `int id(int a) { return a; }` called twice.
fn twice() -> Program {
    let mut program = empty();
    let start = program.start;
    let id = declare(&mut program, "id");
    let (a, a_term) = register(&mut program, "a", BYTE, Some(id));
    let (r, _) = register(&mut program, "r", BYTE, Some(id));
    program.functions[id].parameters = vec![a];
    program.functions[id].results = vec![r];
    let mut code = Code::default();
    code.then(Instruction::Assign(r, a_term));
    program.functions[id].body = Some(code.end());
    let (x, x_term) = register(&mut program, "x", BYTE, Some(start));
    let (y, y_term) = register(&mut program, "y", BYTE, Some(start));
    let equal = program.pool.eq(x_term, y_term);
    let mut code = Code::default();
    code.then(Instruction::Havoc(x, input()));
    code.then(call(id, vec![x_term], vec![y]));
    code.then(call(id, vec![y_term], vec![y]));
    code.then(assert(equal));
    program.functions[start].body = Some(code.end());
    program
}

#[test]
fn instances_have_their_own_registers() {
    let program = twice();
    let cfa = build(&program);
    assert_eq!(violations(&cfa, Property::Assert), 1);
    // x, y, and two instances of a and r.
    assert_eq!(cfa.variables.len(), 6);
    assert_eq!(cfa.contexts.len(), 3);
    assert_eq!(cfa.inputs.len(), 1);
}

#[test]
fn checks_not_asked_for_are_assumed_if_fatal() {
    let program = twice();
    let options = Options { properties: [Property::Overflow].into(), ..Options::default() };
    let cfa = model::build(&program, &options).expect("the program is well formed");
    assert_eq!(violations(&cfa, Property::Assert), 0);
}

/// A function that calls itself without end.
fn recursive() -> Program {
    let mut program = empty();
    let start = program.start;
    let f = declare(&mut program, "f");
    let mut code = Code::default();
    code.then(call(f, vec![], vec![]));
    program.functions[f].body = Some(code.end());
    let mut code = Code::default();
    code.then(call(f, vec![], vec![]));
    program.functions[start].body = Some(code.end());
    program
}

#[test]
fn recursion_is_cut_where_the_depth_ends() {
    let cfa = build(&recursive());
    assert_eq!(violations(&cfa, Property::Unwinding), 1);
    assert_eq!(cfa.contexts.len(), 4);
}

#[test]
fn deep_recursion_meets_the_size_limit_and_no_stack() {
    let options = Options { recursion: u32::MAX, edges: 5_000, ..Options::default() };
    let error = model::build(&recursive(), &options).expect_err("the limit is reached");
    assert!(matches!(error, model::Error::Size { limit: 5_000, .. }));
}

/// Functions f, g and h whose addresses are taken, and a start that calls through a pointer `p`
/// after these instructions; they are given p and the addresses.
fn pointer_call(
    first: impl Fn(&mut Program, VariableId, [Term; 3]) -> Vec<Instruction>,
) -> Program {
    let mut program = empty();
    let start = program.start;
    let addresses = ["f", "g", "h"].map(|name| {
        let function = declare(&mut program, name);
        let (_, address) = builder::object(&mut program, name, 1);
        program.functions[function].address = Some(address);
        program.functions[function].body = Some(Code::default().end());
        address
    });
    let (p, p_term) = register(&mut program, "p", Sort::BitVec(32), Some(start));
    let mut code = Code::default();
    for instruction in first(&mut program, p, addresses) {
        code.then(instruction);
    }
    let callee = Callee::Pointer(p_term);
    code.then(Instruction::Call { callee, arguments: vec![], results: vec![] });
    code.then(assert(program.pool.fls()));
    program.functions[start].body = Some(code.end());
    program
}

#[test]
fn a_call_through_a_pointer_is_a_choice() {
    let program = pointer_call(|program, p, [f, g, _]| {
        let start = Some(program.start);
        let (_, flag) = register(program, "flag", Sort::Bool, start);
        vec![Instruction::Assign(p, program.pool.ite(flag, f, g))]
    });
    // The start, f and g; h flows nowhere.
    assert_eq!(build(&program).contexts.len(), 3);
    let options = Options { properties: [Property::Pointer].into(), ..Options::default() };
    let cfa = model::build(&program, &options).expect("the program is well formed");
    assert_eq!(violations(&cfa, Property::Pointer), 1);
}

#[test]
fn a_pointer_that_was_compared_with_a_function_calls_it() {
    let program = pointer_call(|program, p, [_, _, h]| {
        let equal = program.pool.eq(program.variables[p].term, h);
        vec![Instruction::Havoc(p, input()), Instruction::Assume(equal)]
    });
    assert_eq!(build(&program).contexts.len(), 2);
}

#[test]
fn a_function_from_outside_returns() {
    let program = pointer_call(|_, p, _| vec![Instruction::Havoc(p, input())]);
    let model = model::model(&program, &Options::default()).expect("the program is well formed");
    assert!(model.assumptions.iter().any(|a| a.text.contains("outside the program")));
    assert_eq!(model.cfa.contexts.len(), 1);
    // Every way to the assertion leads over the call.
    let reached = program::minimize::minimize(&program.pool, &model.cfa, &Default::default());
    assert!(reached.cfa.edges.values().any(|edge| edge.violates == Some(Property::Assert)));
}
