//! The form that keeps calls: what its calls read and write, its text, and damage that is noticed.

mod builder;

use builder::{Code, assert, call, declare, empty, input, object, register};
use program::model::Options;
use program::print::procedures_text;
use program::procedures::{Action, Call, Callee, Procedure, Procedures, procedures};
use program::program::Program;
use program::wellformed::{Defect, ProcedureDefect};
use program::{Instruction, Property};
use std::collections::BTreeSet;
use term::{Pool, Sort, Term};

const WORD: Sort = Sort::BitVec(32);

/// `start` calls `outer`, which calls `inner(p)` with the address of an object; `inner` loads it,
/// adds it to the global register `g`, and returns the sum.
fn nested() -> Program {
    let mut program = empty();
    let (start, outer, inner) =
        (program.start, declare(&mut program, "outer"), declare(&mut program, "inner"));
    let (_, x) = object(&mut program, "x", 4);
    let (_, _) = object(&mut program, "unused", 4);
    let (g, g_term) = register(&mut program, "g", WORD, None);
    let (p, p_term) = register(&mut program, "p", WORD, Some(inner));
    let (r, r_term) = register(&mut program, "r", WORD, Some(inner));
    let mut code = Code::default();
    code.then(Instruction::Load { into: r, address: p_term });
    let sum = program.pool.bv_add(g_term, r_term);
    code.then(Instruction::Assign(g, sum));
    code.then(Instruction::Assign(r, g_term));
    program.functions[inner].parameters = vec![p];
    program.functions[inner].results = vec![r];
    program.functions[inner].body = Some(code.end());
    let (w, w_term) = register(&mut program, "w", WORD, Some(outer));
    let mut code = Code::default();
    code.then(Instruction::Store { address: x, value: program.pool.bv(3, 32) });
    code.then(call(inner, vec![x], vec![w]));
    let small = program.pool.bv_ult(w_term, program.pool.bv(4, 32));
    code.then(assert(small));
    program.functions[outer].body = Some(code.end());
    let mut code = Code::default();
    code.then(Instruction::Havoc(g, input()));
    code.then(call(outer, vec![], vec![]));
    program.functions[start].body = Some(code.end());
    program
}

fn kept(program: &Program) -> Procedures {
    let options = Options { properties: [Property::Assert].into(), ..Options::default() };
    procedures(program, &options).expect("the program is well formed")
}

fn named<'a>(procedures: &'a Procedures, name: &str) -> &'a Procedure {
    let mut all = procedures.procedures.values();
    all.find(|procedure| &*procedure.name == name).expect("it is called")
}

#[test]
fn calls_say_what_they_read_and_write() {
    let program = nested();
    let kept = kept(&program);
    let effects = kept.effects(&program.pool);
    let names = |terms: &BTreeSet<Term>| -> Vec<String> {
        let name = |t: &Term| program.pool.var_name(*t).unwrap_or_default().to_owned();
        terms.iter().map(name).collect()
    };
    for (id, procedure) in kept.procedures.iter() {
        let (reads, writes) = (names(&effects[id].reads), names(&effects[id].writes));
        let x = |names: &[String]| names.iter().any(|name| name.starts_with('x'));
        let g = |names: &[String]| names.iter().any(|name| name == "g");
        assert!(g(&reads) && g(&writes) && x(&reads), "{}", procedure.name);
        // Only the inner procedure leaves the object as it is.
        assert_eq!(x(&writes), &*procedure.name != "inner", "{}", procedure.name);
        assert!(!reads.iter().chain(&writes).any(|name| name.starts_with("unused")));
    }
}

#[test]
fn the_text_shows_calls_and_effects() {
    let program = nested();
    let text = procedures_text(&kept(&program), &program.pool);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for expected in ["procedure start(), the start", "procedure outer()", "global g: bv32"] {
        assert!(lines.contains(&expected), "{expected}\n{text}");
    }
    assert!(lines.iter().any(|line| line.contains("outer.w := call inner(")), "{text}");
    assert!(lines.iter().any(|line| line.contains("violates assert")), "{text}");
    let interface = "procedure inner(inner.p: bv32) -> inner.r: bv32";
    assert!(lines.contains(&interface), "{text}");
}

/// What is found after damage to the procedure that is called `outer`.
fn damaged(damage: impl Fn(&Pool, &mut Procedure, &Procedures)) -> ProcedureDefect {
    let program = nested();
    let mut procedures = kept(&program);
    assert_eq!(procedures.wellformed(&program.pool), Ok(()));
    let before = procedures.clone();
    for (_, procedure) in procedures.procedures.iter_mut() {
        if &*procedure.name == "outer" {
            damage(&program.pool, procedure, &before);
        }
    }
    procedures.wellformed(&program.pool).expect_err("the procedures are damaged")
}

fn with_call(procedure: &mut Procedure, damage: impl Fn(&mut Call)) {
    for (_, edge) in procedure.edges.iter_mut() {
        if let Action::Call(call) = &mut edge.action {
            damage(call);
        }
    }
}

#[test]
fn damage_is_noticed() {
    let found = damaged(|_, outer, _| with_call(outer, |call| call.arguments.clear()));
    assert!(matches!(found, ProcedureDefect::Fit(..)), "{found}");
    let found = damaged(|pool, outer, _| {
        with_call(outer, |call| call.arguments = vec![pool.tru()]);
    });
    assert!(matches!(found, ProcedureDefect::Fit(..)), "{found}");
    let found = damaged(|_, outer, all| {
        with_call(outer, |call| call.callee = Callee::Procedure(all.start));
    });
    assert!(matches!(found, ProcedureDefect::Callee(..)), "{found}");
    let found = damaged(|_, outer, _| {
        for (_, edge) in outer.edges.iter_mut() {
            edge.action = Action::Return { objects: [].into() };
        }
    });
    assert!(matches!(found, ProcedureDefect::Unencoded(..)), "{found}");
    let found = damaged(|_, outer, _| outer.exit = outer.entry);
    assert!(matches!(found, ProcedureDefect::LeavesEnd(..)), "{found}");
    let found = damaged(|_, outer, all| {
        outer.results = named(all, "inner").results.clone();
    });
    assert!(matches!(found, ProcedureDefect::Interface(..)), "{found}");
    let found = damaged(|_, outer, all| {
        outer.variables.extend(named(all, "inner").variables.clone());
    });
    assert!(matches!(found, ProcedureDefect::Twice(..)), "{found}");
    let found = damaged(|_, outer, _| outer.variables.clear());
    assert!(matches!(found, ProcedureDefect::Automaton(_, Defect::Undeclared { .. })), "{found}");
    let found = damaged(|_, outer, _| {
        for (_, edge) in outer.edges.iter_mut() {
            edge.violates = None;
        }
    });
    assert!(matches!(found, ProcedureDefect::Automaton(_, Defect::ViolatesNothing(_))), "{found}");
}
