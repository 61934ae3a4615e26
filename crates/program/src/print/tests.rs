//! Texts of small terms, programs and automata.

use super::term::term_text;
use super::{cfa_dot, cfa_text, program_dot};
use crate::cfa::{self, Cfa, Command, Input, Origin};
use crate::place::Place;
use crate::program::*;
use crate::property::Property;
use ::term::{Pool, Sort, Term};
use la_arena::Arena;
use rustc_hash::FxHashMap;
use value::{Float, Format, Rounding};

#[test]
fn terms_are_infix() {
    let pool = Pool::new();
    let (a, b) = (pool.var("a", Sort::BitVec(32)), pool.var("b", Sort::BitVec(32)));
    let (p, q) = (pool.var("p", Sort::Bool), pool.var("q", Sort::Bool));
    let double = Format::new(11, 53).expect("a valid format");
    let x = pool.var("x", Sort::Float(double));
    let nearest = pool.rounding(Rounding::NearestEven);
    let up = pool.rounding(Rounding::TowardPositive);
    let one = pool.float(Float::one(double, false));
    let number = |n: u64| pool.bv(n, 32);
    let product = pool.bv_mul(a, b);
    for (term, text) in [
        (pool.bv_add(product, a), "a + a * b"),
        (pool.bv_mul(pool.bv_add(a, b), a), "a * (a + b)"),
        (pool.bv_add(a, number(0xffff_fffe)), "a - 2"),
        (pool.bv_sub(a, pool.bv_sub(b, a)), "a - (b - a)"),
        (pool.not(pool.bv_slt(a, b)), "a >= b"),
        (pool.not(pool.bv_ult(a, pool.bv_sub(b, a))), "a >=u b - a"),
        (pool.ne(a, number(7)), "a != 7"),
        (pool.and([p, pool.or([q, pool.bv_ult(a, b)])]), "p && (q || a <u b)"),
        (pool.ite(p, a, number(0xffff_ffff)), "p ? a : -1"),
        (pool.bv_extract(a, 15, 8), "a[15:8]"),
        (pool.bv_extract(pool.bv_xor(a, b), 15, 8), "(a ^ b)[15:8]"),
        (pool.bv_zero_extend(a, 32), "zext64(a)"),
        (pool.bv_lshr(a, b), "a >>u b"),
        (pool.bv_mul(a, number(0x8765_4321)), "a * 0x87654321"),
        (pool.fp_add(nearest, x, one), "x + 1.0"),
        (pool.fp_add(up, x, one), "add(RTP, x, 1.0)"),
        (pool.fp_lt(x, one), "x < 1.0"),
        (pool.eq(x, one), "x === 1.0"),
    ] {
        assert_eq!(term_text(&pool, term), text);
    }
}

#[test]
fn shared_terms_are_written_once() {
    let pool = Pool::new();
    let mut term = pool.var("a_long_name", Sort::BitVec(32));
    let b = pool.var("another_name", Sort::BitVec(32));
    for i in 0..200 {
        let sum = pool.bv_xor(term, pool.bv_add(b, pool.bv(i, 32)));
        term = pool.bv_mul(sum, pool.bv_udiv(sum, b));
    }
    let text = term_text(&pool, term);
    assert!(text.starts_with("let $1 = "), "{text}");
    assert!(text.len() < 40_000, "{}", text.len());
}

#[test]
fn deep_terms_need_no_native_stack() {
    let pool = Pool::new();
    let b = pool.var("b", Sort::BitVec(8));
    let term = (0..20_000u64).fold(b, |t, i| {
        let step = pool.bv_and(t, pool.var(&format!("v{i}"), Sort::BitVec(8)));
        pool.bv_or(step, b)
    });
    assert!(term_text(&pool, term).len() > 20_000);
}

/// `main` adds an input to itself and checks it.
fn sample() -> Program {
    let pool = Pool::new();
    let mut functions = Arena::new();
    let main = functions.alloc(Function {
        name: "main".into(),
        place: Place { file: "a.c".into(), line: 1, column: 1 },
        address: None,
        parameters: Vec::new(),
        results: Vec::new(),
        body: None,
    });
    let mut variables = Arena::new();
    let term = pool.var("x", Sort::BitVec(32));
    let x = variables.alloc(Variable {
        term,
        sort: Sort::BitVec(32),
        name: Some("x".into()),
        reading: Reading::Signed,
        function: Some(main),
        place: Place::default(),
    });
    let mut locations = Arena::new();
    let at: Vec<LocationId> = (0..3).map(|_| locations.alloc(Location::default())).collect();
    locations[at[1]].loop_head = true;
    let mut edges = Arena::new();
    let mut edge = |from: usize, to: usize, instruction, line| {
        let place = Place { file: "a.c".into(), line, column: 5 };
        edges.alloc(Edge { from: at[from], to: at[to], instruction, place });
    };
    edge(0, 1, Instruction::Havoc(x, Cause::Input("nondet_int".into())), 2);
    edge(1, 1, Instruction::Assign(x, pool.bv_add(term, pool.bv(1, 32))), 3);
    let check = pool.ne(term, pool.bv(7, 32));
    edge(1, 2, Instruction::Check(Property::Assert, check), 4);
    functions[main].body = Some(Body { locations, edges, entry: at[0], exit: at[2] });
    Program {
        pool,
        variables,
        objects: Arena::new(),
        functions,
        start: main,
        pointer_width: 32,
        addresses: FxHashMap::default(),
        assumptions: Vec::new(),
        undefined: Vec::new(),
        asked: crate::checks::Asked::default(),
    }
}

#[test]
fn programs_are_graphs() {
    let dot = program_dot(&sample());
    assert!(dot.contains("f0_1 -> f0_2 [label=\"check assert: x != 7\", fontsize=9];"), "{dot}");
    assert!(dot.contains("f0_1 [label=\"1\", shape=doublecircle];"), "{dot}");
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
}

/// One edge to the error location.
fn automaton(pool: &Pool) -> Cfa {
    let mut cfa = Cfa::default();
    let x: Term = pool.var("x", Sort::BitVec(32));
    let origin = Origin {
        sort: Sort::BitVec(32),
        variable: None,
        context: None,
        name: "x".into(),
        reading: Reading::Signed,
    };
    cfa.variables.insert(x, origin);
    let from = cfa.locations.alloc(cfa::Location::default());
    let to = cfa.locations.alloc(cfa::Location::default());
    (cfa.initial, cfa.error) = (Some(from), Some(to));
    let cause = Cause::Uninitialized;
    let input = cfa.inputs.alloc(Input { instruction: None, cause, sort: Sort::BitVec(32) });
    let zero = pool.bv(0, 32);
    let command = Command::Sequence(vec![
        Command::Havoc(x, input),
        Command::Choice(vec![
            Command::Assume(pool.eq(x, zero)),
            Command::Sequence(vec![Command::Assign(x, zero), Command::Choice(Vec::new())]),
        ]),
    ]);
    let place = Place::default();
    cfa.edges.alloc(cfa::Edge { from, to, command, place, violates: Some(Property::Assert) });
    cfa
}

#[test]
fn automata_are_text_and_graphs() {
    let pool = Pool::new();
    let cfa = automaton(&pool);
    let expected = "\
variable x: bv32
L0: initial
  -> L1 violates assert
       x := any (input 0)
       {
         assume x == 0
       } or {
         x := 0
         assume false
       }
L1: error
";
    assert_eq!(cfa_text(&cfa, &pool), expected);
    let dot = cfa_dot(&cfa, &pool);
    assert!(dot.contains("l0 -> l1 [label=\"x := any (input 0)\\l{\\l  assume x == 0\\l"), "{dot}");
}
