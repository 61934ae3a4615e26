//! Printing and parsing again yields the same term, on random terms of all sorts and operators.

use rand::SeedableRng;
use rand::rngs::StdRng;
use rustc_hash::FxHashMap;
use term::generate::{Generator, Options};
use term::print::{Printer, script, standard, value_to_string};
use term::smtlib::{Command, parse, parse_values};
use term::traverse::subterms;
use term::{Op, Pool, Sort, Term, Value};

/// The text of a term with its declarations, as a definition.
fn definition(pool: &Pool, term: Term) -> String {
    let mut printer = Printer::new(pool);
    let text = printer.term(term);
    let sort = printer.sort(pool.sort(term));
    format!("{}(define-fun |the result| () {sort} {text})\n", printer.take_declarations())
}

/// The term of the last definition.
fn reparsed(pool: &Pool, text: &str) -> Term {
    let script = match parse(pool, text.as_bytes()) {
        Ok(script) => script,
        Err(error) => panic!("{error}\n{text}"),
    };
    match script.commands.last().map(|located| &located.command) {
        Some(Command::Define { body, .. }) => *body,
        other => panic!("{other:?}"),
    }
}

/// The term with variables of quantifiers named by how many quantifiers are nested below: equal
/// for terms that differ in the names of bound variables only.
fn canonical(pool: &Pool, term: Term) -> Term {
    let mut done: FxHashMap<Term, (Term, usize)> = FxHashMap::default();
    for t in subterms(pool, &[term]) {
        let args: Vec<Term> = pool.args(t).iter().map(|a| done[a].0).collect();
        let height = pool.args(t).iter().map(|a| done[a].1).max().unwrap_or(0);
        let result = match (pool.op(t), args.split_last()) {
            (op @ (Op::Forall | Op::Exists), Some((body, bound))) => {
                let name = |i| format!("canonical.{height}.{i}");
                let new: Vec<Term> = bound
                    .iter()
                    .enumerate()
                    .map(|(i, v)| pool.var(&name(i), pool.sort(*v)))
                    .collect();
                let map = bound.iter().copied().zip(new.iter().copied());
                let body = term::traverse::substitute(pool, *body, map);
                (pool.make(op.clone(), &[&new[..], &[body]].concat()), height + 1)
            }
            (Op::Var(_) | Op::Value(_), _) => (t, 0),
            (op, _) => (pool.make(op.clone(), &args), height),
        };
        done.insert(t, result);
    }
    done[&term].0
}

#[test]
fn quantifier_free_terms_come_back_the_same() {
    for seed in 0..500 {
        let pool = Pool::new();
        let options = Options { quantifiers: false, ..Options::all(&pool) };
        let mut generator = Generator::new(&pool, StdRng::seed_from_u64(seed), options);
        for depth in 1..7 {
            let sort = generator.sort();
            let term = generator.term(sort, depth);
            let text = definition(&pool, term);
            assert_eq!(reparsed(&pool, &text), term, "seed {seed}, depth {depth}\n{text}");
        }
    }
}

#[test]
fn quantified_terms_come_back_with_other_variables() {
    for seed in 0..500 {
        let pool = Pool::new();
        let random = StdRng::seed_from_u64(seed);
        let mut generator = Generator::new(&pool, random, Options::all(&pool));
        for depth in 2..7 {
            let term = generator.term(Sort::Bool, depth);
            let text = definition(&pool, term);
            let back = reparsed(&pool, &text);
            assert_eq!(
                canonical(&pool, back),
                canonical(&pool, term),
                "seed {seed}, depth {depth}\n{text}"
            );
        }
    }
}

#[test]
fn values_come_back_the_same() {
    let pool = Pool::new();
    let options = Options::all(&pool);
    let sorts = options.sorts.clone();
    let mut generator = Generator::new(&pool, StdRng::seed_from_u64(1), options);
    for _ in 0..300 {
        for sort in &sorts {
            let value = generator.value(*sort);
            let text = value_to_string(&pool, &value);
            let sort = term::print::sort_to_string(&pool, *sort);
            let text = format!("(declare-sort U 0)(define-const c {sort} {text})");
            assert_eq!(reparsed(&pool, &text), pool.constant(value), "{text}");
        }
    }
}

#[test]
fn whole_scripts_come_back_the_same() {
    for seed in 0..300 {
        let pool = Pool::new();
        let options = Options { quantifiers: false, ..Options::all(&pool) };
        let mut generator = Generator::new(&pool, StdRng::seed_from_u64(seed), options);
        let terms: Vec<Term> = (0..4).map(|_| generator.term(Sort::Bool, 4)).collect();
        let text = script(&pool, None, &terms);
        let back = parse(&pool, text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(back.assertions().collect::<Vec<_>>(), terms, "{text}");
    }
}

#[test]
fn one_variable_of_two_quantifiers_and_free() {
    let pool = Pool::new();
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    // A term with x is shared by the two bodies and the free occurrence: it must not be bound
    // by a `let` outside of the quantifiers.
    let sum = pool.add(x, y);
    let (small, large) = (pool.lt(pool.mul(sum, sum), y), pool.lt(y, pool.mul(sum, sum)));
    let forall = pool.forall(&[x], small);
    let exists = pool.exists(&[x], large);
    let nested = pool.forall(&[y], pool.or([small, pool.exists(&[y, x], large)]));
    for term in [
        pool.and([forall, exists]),
        pool.and([forall, small]),
        pool.and([nested, large]),
        pool.not(nested),
        pool.and([forall, exists, nested, small, large]),
    ] {
        let text = definition(&pool, term);
        assert_eq!(canonical(&pool, reparsed(&pool, &text)), canonical(&pool, term), "{text}");
    }
}

#[test]
fn names_are_made_unique_and_writable() {
    let pool = Pool::new();
    let terms = [
        pool.var("x", Sort::Int),
        pool.var("x", Sort::Real),
        pool.var("x!1", Sort::Int),
        pool.var("and", Sort::Bool),
        pool.var("extract", Sort::Bool),
        pool.var("let", Sort::Bool),
        pool.var("a|b", Sort::Bool),
        pool.var("a_b", Sort::Bool),
        pool.var("", Sort::Bool),
        pool.var("?1", Sort::Bool),
        pool.apply(pool.function("x", &[Sort::Bool], Sort::Bool), &[pool.var("?1", Sort::Bool)]),
        pool.var("u", Sort::Uninterpreted(pool.symbol("Int"))),
    ];
    let equalities: Vec<Term> =
        terms.iter().map(|t| pool.eq(*t, pool.var("other", pool.sort(*t)))).collect();
    let all = pool.and(equalities.iter().copied());
    let mut printer = Printer::new(&pool);
    let (p, q) = (pool.var("p", Sort::Bool), pool.var("q", Sort::Bool));
    let shared = pool.and([pool.or([all, p]), pool.not(pool.and([all, q]))]);
    let text = printer.term(shared);
    let text = format!("{}(assert {text})", printer.take_declarations());
    let script = parse(&pool, text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let names: Vec<_> = printer.declared().map(|(name, _)| name.to_string()).collect();
    let distinct: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
    // And `other` of four sorts, p and q.
    assert_eq!(names.len(), terms.len() + 4 + 2, "{names:?}");
    // And the sort and the assertion.
    assert_eq!(script.commands.len(), names.len() + 2);
}

#[test]
fn answers_are_read_under_the_printed_names() {
    let pool = Pool::new();
    let (x, y) = (pool.var("x", Sort::Int), pool.var("x", Sort::Real));
    let array = pool.var("and", pool.array_sort(Sort::Int, Sort::Bool));
    let term = pool.and([pool.lt(x, pool.int(3)), pool.lt(y, pool.neg(y)), pool.select(array, x)]);
    let term = pool.or([term, pool.lt(pool.neg(y), y)]);
    let mut printer = Printer::new(&pool);
    printer.term(term);
    let answer =
        "((x (- 5)) (x!1 (/ 1 3)) (and!1 (store ((as const (Array Int Bool)) false) 1 true)))";
    let values = parse_values(&pool, answer.as_bytes(), printer.declared()).expect("an answer");
    let third = pool.real(num_rational::BigRational::new(1.into(), 3.into()));
    assert_eq!(values[..2], [(x, pool.int(-5)), (y, third)]);
    assert_eq!(values[2].0, array);
    assert_eq!(pool.select(values[2].1, pool.int(1)), pool.tru());
    for wrong in ["", "((x))", "((z 1))", "((x 1) 2)", "((x 1.5))", "((x 1)) ()", "(error \"no\")"]
    {
        assert!(parse_values(&pool, wrong.as_bytes(), printer.declared()).is_err(), "{wrong}");
    }
}

#[test]
fn the_logic_has_what_occurs() {
    let declarations = "(declare-const b (_ BitVec 8))(declare-const f Float32)(declare-const i Int)
        (declare-const r Real)(declare-const p Bool)(declare-sort U 0)(declare-const u U)
        (declare-const v U)(declare-fun g ((_ BitVec 8)) (_ BitVec 8))(declare-const a (Array Int Int))
        (declare-const m (Array (_ BitVec 8) (_ BitVec 8)))(declare-const t (Array Int Bool))";
    for (formula, expected) in [
        ("p", "QF_UF"),
        ("(bvult b #x03)", "QF_BV"),
        ("(bvult (g b) #x03)", "QF_UFBV"),
        ("(= (select m b) b)", "QF_ABV"),
        ("(fp.isZero f)", "QF_FP"),
        ("(fp.lt f ((_ to_fp 8 24) RNE r))", "QF_FPLRA"),
        ("(fp.lt f ((_ to_fp 8 24) RNE b))", "QF_BVFP"),
        ("(< i 1)", "QF_LIA"),
        ("(< (* i i) 1)", "QF_NIA"),
        ("(< (div i 2) 1)", "QF_LIA"),
        ("(< (div i 2) (div 2 i))", "QF_NIA"),
        ("(< r 1.5)", "QF_LRA"),
        ("(< r i)", "QF_LIRA"),
        ("(< (select a i) 0)", "QF_ALIA"),
        ("(select t i)", "ALL"),
        ("(= i (bv2nat b))", "ALL"),
        ("(forall ((x Int)) (< x i))", "LIA"),
        ("(= u v)", "QF_UF"),
        ("(and (= u v) (< i 1))", "QF_UFLIA"),
    ] {
        let pool = Pool::new();
        let text = format!("{declarations}(assert {formula})");
        let parsed = parse(&pool, text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let terms: Vec<Term> = parsed.assertions().collect();
        assert_eq!(term::print::logic(&pool, &terms), expected, "{formula}");
    }
}

#[test]
fn models_are_definitions() {
    let pool = Pool::new();
    let mut printer = Printer::new(&pool);
    let byte = |n| Value::Bits(value::Bits::from_u64(8, n));
    let x = pool.var("a b", Sort::BitVec(8));
    assert_eq!(printer.model([(x, &byte(7))]), "(\n  (define-fun |a b| () (_ BitVec 8) #x07)\n)\n");
    let f = pool.function("f", &[Sort::BitVec(8), Sort::Bool], Sort::BitVec(8));
    let table = [(vec![byte(1), Value::Bool(true)], byte(2))];
    let table = table.iter().map(|(args, value)| (&args[..], value));
    let text = printer.function_definition(f, table, &byte(0));
    assert_eq!(
        text,
        "(define-fun f ((x!0 (_ BitVec 8)) (x!1 Bool)) (_ BitVec 8) \
         (ite (and (= x!0 #x01) (= x!1 true)) #x02 #x00))"
    );
    assert!(parse(&pool, text.as_bytes()).is_ok());
}

#[test]
fn bits_of_floats_can_be_written_in_the_standard() {
    let pool = Pool::new();
    let float = Sort::Float(value::Format::F32);
    let (x, y) = (pool.var("x", float), pool.var("y", float));
    let inner = pool.fp_to_bits(x);
    let bits = pool.fp_to_bits(pool.ite(pool.bv_slt(inner, pool.bv(9, 32)), x, y));
    let q = pool.bound_var("q", float);
    let open = pool.forall(&[q], pool.ne(pool.fp_to_bits(q), bits));
    let result = standard(&pool, &[pool.bv_ult(bits, inner), open]);
    assert_eq!(result.len(), 2 + 4);
    let left = subterms(&pool, &result);
    let left = left.iter().filter(|t| *pool.op(**t) == Op::FpToBits).count();
    assert_eq!(left, 1, "only the one under the quantifier stays");
}
