//! What scripts mean: operators against the reference values, commands and scopes.

use rustc_hash::FxHashMap;
use term::smtlib::{Command, Declared, Script, parse};
use term::{Op, Pool, Sort, Term, Value, evaluate};
use value::{BigInt, Bits};

fn script(pool: &Pool, text: &str) -> Script {
    parse(pool, text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The last assertion.
fn assertion(pool: &Pool, text: &str) -> Term {
    script(pool, text).assertions().last().expect("an assertion")
}

/// Ground formulas that must be true.
fn check_true(cases: &[&str]) {
    for text in cases {
        let pool = Pool::new();
        assert_eq!(assertion(&pool, &format!("(assert {text})")), pool.tru(), "{text}");
    }
}

#[test]
fn core() {
    check_true(&[
        "(and true)",
        "(=> false false false)",
        "(not (=> true false))",
        "(=> true (=> true true))",
        "(not (=> true true false))",
        "(xor true false false)",
        "(not (xor true true false))",
        "(= 1 1 1)",
        "(not (= 1 1 2))",
        "(distinct 1 2 3)",
        "(not (distinct 1 2 1))",
        "(= (ite true 1 2) 1)",
        "(= (ite true 1 2.5) 1.0)",
        "(let ((x 1) (y 2)) (let ((x y) (y x)) (and (= x 2) (= y 1))))",
        "(let ((and 1)) (= and 1))",
        "(= (as true Bool) true)",
        "(! (= 1 (! 1 :foo (a b) :bar)) :named n)",
        "(implies false true)",
        "(forall ((x Int)) (! true :pattern ((f x)) :weight 3))",
        "(= |true| true)",
    ]);
}

#[test]
fn arithmetic() {
    check_true(&[
        "(= (+ 1 2 3) 6)",
        "(= (- 5) (- 0 5))",
        "(= (- 10 1 2) 7)",
        "(= (* 2 3 4) 24)",
        "(= (div (- 7) 2) (- 4))",
        "(= (div 7 (- 2)) (- 3))",
        "(= (mod (- 7) 2) 1)",
        "(= (div 100 5 2) 10)",
        "(= (abs (- 3)) 3)",
        "(= (abs (- 1.5)) 1.5)",
        "(< 1 2 3)",
        "(not (< 1 3 2))",
        "(>= 3 3 2)",
        "(> 3 2.5 2)",
        "(<= 1 1.0)",
        "(= (/ 1 3) (/ 2.0 6))",
        "(= (/ 8 2 2) 2)",
        "(= 0.50 (/ 1 2))",
        "(= (to_int (- 1.5)) (- 2))",
        "(= (to_real 2) 2.0)",
        "(is_int 2.0)",
        "(not (is_int 2.5))",
        "((_ divisible 3) 9)",
        "(not ((_ divisible 3) 10))",
        "(= 007 7)",
    ]);
    let pool = Pool::new();
    let real = assertion(&pool, "(set-logic QF_LRA)(declare-const x Real)(assert (< x 1))");
    let one = pool.real(num_rational::BigRational::from_integer(1.into()));
    assert_eq!(real, pool.lt(pool.var("x", Sort::Real), one));
    // An Int where a Real is due.
    for text in [
        "(declare-fun f (Real) Bool)(assert (f 1))",
        "(define-fun g ((x Real)) Bool (= x 1))(assert (g 1))",
        "(define-fun h () Real 1)(assert (= h 1.0))",
        "(assert (= ((as const (Array Int Real)) 1) ((as const (Array Int Real)) 1.0)))",
    ] {
        assertion(&pool, text);
    }
}

#[test]
fn derived_bit_vector_operators_agree_with_values() {
    type Unary = fn(&Bits) -> Value;
    type Binary = fn(&Bits, &Bits) -> Value;
    let unary: [(&str, Unary); 9] = [
        ("bvnego", |a| Value::Bool(a.nego())),
        ("bvredand", |a| Value::Bits(Bits::from_bool(a.redand()))),
        ("bvredor", |a| Value::Bits(Bits::from_bool(a.redor()))),
        ("bvredxor", |a| Value::Bits(Bits::from_bool(a.redxor()))),
        ("ubv_to_int", |a| Value::Int(a.to_biguint().into())),
        ("sbv_to_int", |a| Value::Int(a.to_bigint())),
        ("(_ rotate_left 2)", |a| Value::Bits(a.rotate_left(2))),
        ("(_ rotate_right 100000000000000000001)", |a| {
            // 10^20 + 1 modulo the width.
            let by = (BigInt::from(10).pow(20) + 1) % a.width();
            Value::Bits(a.rotate_right(u64::try_from(by).expect("small")))
        }),
        ("(_ repeat 5)", |a| Value::Bits(a.repeat(5))),
    ];
    let binary: [(&str, Binary); 25] = [
        ("bvnand", |a, b| Value::Bits(a.nand(b))),
        ("bvnor", |a, b| Value::Bits(a.nor(b))),
        ("bvxnor", |a, b| Value::Bits(a.xnor(b))),
        ("bvcomp", |a, b| Value::Bits(a.comp(b))),
        ("bvsub", |a, b| Value::Bits(a.sub(b))),
        ("bvule", |a, b| Value::Bool(a.ule(b))),
        ("bvugt", |a, b| Value::Bool(a.ugt(b))),
        ("bvuge", |a, b| Value::Bool(a.uge(b))),
        ("bvsle", |a, b| Value::Bool(a.sle(b))),
        ("bvsgt", |a, b| Value::Bool(a.sgt(b))),
        ("bvsge", |a, b| Value::Bool(a.sge(b))),
        ("bvuaddo", |a, b| Value::Bool(a.uaddo(b))),
        ("bvsaddo", |a, b| Value::Bool(a.saddo(b))),
        ("bvusubo", |a, b| Value::Bool(a.usubo(b))),
        ("bvssubo", |a, b| Value::Bool(a.ssubo(b))),
        ("bvumulo", |a, b| Value::Bool(a.umulo(b))),
        ("bvsmulo", |a, b| Value::Bool(a.smulo(b))),
        ("bvsdivo", |a, b| Value::Bool(a.sdivo(b))),
        ("ext_rotate_left", |a, b| Value::Bits(a.rotate_left_by(b))),
        ("ext_rotate_right", |a, b| Value::Bits(a.rotate_right_by(b))),
        ("bvumul_noovfl", |a, b| Value::Bool(!a.umulo(b))),
        ("bvsmul_noovfl", |a, b| {
            Value::Bool(a.to_bigint() * b.to_bigint() <= Bits::max_signed(a.width()).to_bigint())
        }),
        ("bvsmul_noudfl", |a, b| {
            Value::Bool(a.to_bigint() * b.to_bigint() >= Bits::min_signed(a.width()).to_bigint())
        }),
        ("concat", |a, b| Value::Bits(a.concat(b))),
        ("bvsmod", |a, b| Value::Bits(a.smod(b))),
    ];
    for width in 1..=4 {
        let pool = Pool::new();
        let mut text = format!("(declare-const a (_ BitVec {width}))");
        text.push_str(&format!("(declare-const b (_ BitVec {width}))(get-value ("));
        unary.iter().for_each(|(name, _)| text.push_str(&format!("({name} a)")));
        binary.iter().for_each(|(name, _)| text.push_str(&format!("({name} a b)")));
        text.push_str("))");
        let script = script(&pool, &text);
        let Some(Command::GetValue(terms)) = script.commands.last().map(|l| &l.command) else {
            panic!("get-value is last");
        };
        let (a, b) = (pool.var("a", Sort::BitVec(width)), pool.var("b", Sort::BitVec(width)));
        for (x, y) in (0..1 << width).flat_map(|x| (0..1 << width).map(move |y| (x, y))) {
            let (x, y) = (Bits::from_u64(width, x), Bits::from_u64(width, y));
            let model =
                FxHashMap::from_iter([(a, Value::Bits(x.clone())), (b, Value::Bits(y.clone()))]);
            let expected = unary.iter().map(|(_, f)| f(&x));
            let expected = expected.chain(binary.iter().map(|(_, f)| f(&x, &y)));
            for (written, expected) in terms.iter().zip(expected) {
                let found = evaluate(&pool, written.term, &model);
                assert_eq!(found, Ok(expected), "{} for a = {x:?}, b = {y:?}", written.text);
            }
        }
    }
}

#[test]
fn bit_vector_literals_and_conversions() {
    check_true(&[
        "(= #x0f (_ bv15 8) #b00001111)",
        "(= (concat #b1 #b0 #b11) #b1011)",
        "(= (bvadd #x1 #x2 #x3) #x6)",
        "(= (bvsub #x9 #x2 #x3) #x4)",
        "(= ((_ int_to_bv 8) (- 1)) ((_ int2bv 8) 255) ((_ nat2bv 8) 511) #xff)",
        "(= (bv2nat #xff) (bv2int #xff) 255)",
        "(= ((_ repeat 1) #b10) #b10)",
        "(= ((_ rotate_left 0) #b10) #b10)",
        "(= (_ bv0 1) #b0)",
    ]);
}

#[test]
fn floats() {
    check_true(&[
        "(= ((_ to_fp 8 24) RNE 0.1) (fp #b0 #x7b #b10011001100110011001101))",
        "(= ((_ to_fp 8 24) RNE (/ 1 10)) ((_ to_fp 8 24) RNE 0.1))",
        "(= ((_ to_fp 8 24) RNE (- 0.1)) (fp.neg ((_ to_fp 8 24) RNE 0.1)))",
        "(= ((_ to_fp 8 24) RNE (- (/ 1 10))) (fp.neg ((_ to_fp 8 24) RNE 0.1)))",
        "(= ((_ to_fp 8 24) roundTowardZero 1) (fp #b0 #x7f #b00000000000000000000000))",
        "(= ((_ to_fp 8 24) #x3f800000) ((_ to_fp 8 24) RNE 1.0))",
        "(= ((_ to_fp_bv 8 24) #x3f800000) ((_ to_fp_real 8 24) RNE 1))",
        "(= ((_ to_fp 11 53) RNE ((_ to_fp 8 24) RNE 0.5)) ((_ to_fp 11 53) RNE 0.5))",
        "(= ((_ to_fp 8 24) RNE #xff) ((_ to_fp 8 24) RNE (- 1.0)) ((_ to_fp_signed 8 24) RNE #xff))",
        "(= ((_ to_fp_unsigned 8 24) RNE #xff) ((_ to_fp 8 24) RNE 255.0))",
        "(= (_ NaN 5 11) (fp #b1 #b11111 #b0000000001))",
        "(not (fp.eq (_ NaN 5 11) (_ NaN 5 11)))",
        "(fp.eq (_ +zero 5 11) (_ -zero 5 11) (_ +zero 5 11))",
        "(not (= (_ +zero 5 11) (_ -zero 5 11)))",
        "(fp.lt (_ -oo 5 11) (_ -zero 5 11) (_ +oo 5 11))",
        "(fp.gt (_ +oo 5 11) (_ -zero 5 11) (_ -oo 5 11))",
        "(fp.geq (_ +oo 5 11) (_ +oo 5 11))",
        "(fp.leq (_ +zero 5 11) (_ -zero 5 11))",
        "(= (fp.sub RNE ((_ to_fp 5 11) RNE 3.0) ((_ to_fp 5 11) RNE 1.0)) ((_ to_fp 5 11) RNE 2.0))",
        "(= (fp.to_real ((_ to_fp 5 11) RNE 0.5)) 0.5)",
        "(= ((_ fp.to_ubv 4) RTP ((_ to_fp 5 11) RNE 2.5)) #x3)",
        "(= ((_ fp.to_sbv 4) RNA ((_ to_fp 5 11) RNE (- 2.5))) #xd)",
        "(= (fp.to_ieee_bv (_ NaN 5 11)) (to_ieee_bv (_ NaN 5 11)) #x7e00)",
        "(= (fp.fma RNE ((_ to_fp 5 11) RNE 2) ((_ to_fp 5 11) RNE 3) ((_ to_fp 5 11) RNE 1)) ((_ to_fp 5 11) RNE 7))",
        "(fp.isNegative (fp.neg (fp.abs ((_ to_fp 5 11) RNE (- 1.0)))))",
        "(= RNE roundNearestTiesToEven)",
        "(distinct RNE RNA RTP RTN RTZ)",
    ]);
    let pool = Pool::new();
    for (name, format) in
        [("Float16", "5 11"), ("Float32", "8 24"), ("Float64", "11 53"), ("Float128", "15 113")]
    {
        let text = format!(
            "(reset)(declare-const x {name})(declare-const y (_ FloatingPoint {format}))(assert (= x y))"
        );
        script(&pool, &text);
    }
}

#[test]
fn arrays() {
    check_true(&[
        "(= (select (store ((as const (Array Int Bool)) false) 1 true) 1) true)",
        "(not (select ((as const (Array Int Bool)) false) 7))",
    ]);
}

#[test]
fn declarations_follow_the_levels() {
    let pool = Pool::new();
    let script = script(
        &pool,
        "(declare-const x Int)(push 2)(declare-const y Int)(define-fun f ((a Int)) Int (+ a y))
         (declare-sort S 0)(assert (! (< (f x) y) :named n))(assert n)(pop 1)(pop)
         (declare-const y Bool)(declare-const f Bool)(declare-sort S 1)(declare-const n (S Int))
         (assert (and y f))
         (reset-assertions)(declare-const x Real)(assert (< x 1.0))
         (set-option :global-declarations true)
         (push)(declare-const g Bool)(pop)(assert g)(reset-assertions)(assert g)
         (reset)(declare-const g Int)(exit)(this is not read",
    );
    let assertions: Vec<Term> = script.assertions().collect();
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    assert_eq!(assertions[0], pool.lt(pool.add(x, y), y));
    assert_eq!(assertions[1], assertions[0]);
    assert_eq!(pool.args(assertions[2]), [pool.var("y", Sort::Bool), pool.var("f", Sort::Bool)]);
    assert_eq!(assertions[4..], [pool.var("g", Sort::Bool); 2]);
    let name = script.commands.iter().find_map(|l| match l.command {
        Command::Assert { name, .. } => Some(name),
        _ => None,
    });
    assert_eq!(name, Some(Some(pool.symbol("n"))));
    assert!(
        script.commands.iter().any(|l| {
            l.command == Command::Named { name: pool.symbol("n"), term: assertions[0] }
        })
    );
    assert_eq!(script.commands.last().map(|l| &l.command), Some(&Command::Exit));
}

#[test]
fn commands_carry_their_arguments_and_places() {
    let pool = Pool::new();
    let script = script(
        &pool,
        "(set-logic QF_BV)\n(set-info :source |a\nb|)(set-option :produce-models true)
(declare-fun p () Bool) (declare-fun q (Bool) Bool)
(check-sat-assuming (p (not p)))(get-value ((and p  true) p))(echo \"a\"\"b\")
(get-info :name)(get-option :verbosity)(minimize (+ x 1))(simplify)(set-info :status)
(get-unsat-core)(get-unsat-assumptions)(get-assignment)(get-assertions)(get-model)(get-proof)",
    );
    use Command::*;
    let p = pool.var("p", Sort::Bool);
    let place = |i: usize| script.commands[i].place.to_string();
    let command = |i: usize| &script.commands[i].command;
    assert_eq!(script.logic(), Some("QF_BV"));
    assert_eq!(*command(1), SetInfo { keyword: ":source".into(), value: "|a\nb|".into() });
    assert_eq!((place(1), place(2)), ("2:1".into(), "3:4".into()));
    assert_eq!(*command(3), Declare { name: pool.symbol("p"), declared: Declared::Constant(p) });
    let CheckSatAssuming(assumptions) = command(5) else { panic!("{:?}", command(5)) };
    assert_eq!(assumptions[1].term, pool.not(p));
    assert_eq!(assumptions[1].text, "(not p)");
    let GetValue(values) = command(6) else { panic!("{:?}", command(6)) };
    assert_eq!((values[0].term, values[0].text.as_str()), (p, "(and p  true)"));
    assert_eq!(*command(7), Echo("a\"b".into()));
    assert_eq!(*command(8), GetInfo(":name".into()));
    assert_eq!(*command(10), Unsupported { name: "minimize".into() });
    assert_eq!(*command(12), SetInfo { keyword: ":status".into(), value: "".into() });
    assert_eq!(script.commands.len(), 19);
}

#[test]
fn bound_variables_are_apart_from_constants() {
    let pool = Pool::new();
    // The constants come after the quantifiers that bind their names.
    let script = script(
        &pool,
        "(assert (forall ((x Int)) (exists ((x Int) (y Int)) (< x y))))
         (define-fun f ((x Int)) Bool (forall ((y Int)) (< x y)))
         (declare-const x Int)(declare-const y Int)
         (assert (and (f x) (f y) (forall ((y Int)) (f y))))",
    );
    let assertions: Vec<Term> = script.assertions().collect();
    let free = |t: Term| term::traverse::free_vars(&pool, &[t]);
    let constants = [pool.var("x", Sort::Int), pool.var("y", Sort::Int)];
    assert_eq!(free(assertions[0]), []);
    assert_eq!(free(assertions[1]), constants);
    // No variable is bound twice, also not in the copies of the definition's body.
    let mut bound = std::collections::HashSet::new();
    for t in term::traverse::subterms(&pool, &assertions) {
        if matches!(pool.op(t), Op::Forall | Op::Exists) {
            let (_, vars) = pool.args(t).split_last().expect("a body");
            assert!(vars.iter().all(|v| bound.insert(*v)));
        }
    }
    assert_eq!(bound.len(), 3 + 4);
}

#[test]
fn sorts_with_parameters() {
    let pool = Pool::new();
    let script = script(
        &pool,
        "(declare-sort Pair 2)(define-sort Table (K) (Array K (Pair K Bool)))
         (define-sort Word () (_ BitVec 8))(define-sort Twice (X) (Table (Table X)))
         (declare-const a (Table Word))(declare-const b (Array (_ BitVec 8) (Pair (_ BitVec 8) Bool)))
         (assert (= a b))
         (declare-const c (Twice Int))
         (declare-const d (Array (Array Int (Pair Int Bool)) (Pair (Array Int (Pair Int Bool)) Bool)))
         (assert (= c d))
         (declare-sort |A B| 0)(declare-sort C 0)(declare-sort A 0)(declare-sort |B C| 0)
         (declare-const e (Pair |A B| C))(declare-const f (Pair A |B C|))",
    );
    assert_eq!(script.assertions().count(), 2);
    let sort = |i: usize| match script.commands[script.commands.len() - i].command {
        Command::Declare { declared: Declared::Constant(t), .. } => pool.sort(t),
        _ => panic!("a constant"),
    };
    assert_ne!(sort(1), sort(2), "names that look alike without bars");
}

#[test]
fn elements_of_uninterpreted_sorts() {
    let pool = Pool::new();
    let text = "(declare-sort S 0)(declare-const x S)(assert (= x (as @S_3 S)))";
    let element = pool.constant(Value::Element(pool.symbol("S"), 3));
    let x = pool.var("x", Sort::Uninterpreted(pool.symbol("S")));
    assert_eq!(assertion(&pool, text), pool.eq(x, element));
}
