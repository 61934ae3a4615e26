//! Scripts that are rejected: the message, the place and what to do.

use term::Pool;
use term::smtlib::parse;

/// The error as `line:column: message`.
fn error(text: &str) -> String {
    let pool = Pool::new();
    match parse(&pool, text.as_bytes()) {
        Ok(script) => panic!("accepted: {text}\n{script:?}"),
        Err(error) => {
            assert!(!error.help.is_empty(), "no help: {error}");
            format!("{}: {}", error.place, error.message)
        }
    }
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(error(text), *expected, "{text}");
    }
}

#[test]
fn tokens_and_parentheses() {
    check(&[
        ("x", "1:1: expected a command, found `x`"),
        (
            "(check-sat",
            "1:11: expected `)` after the arguments of `check-sat`, found the end of the file",
        ),
        ("(check-sat))", "1:12: expected a command, found `)`"),
        (
            "(assert true",
            "1:13: expected `)` after the arguments of `assert`, found the end of the file",
        ),
        ("(assert (and true", "1:18: expected a term, found the end of the file"),
        ("(assert )", "1:9: expected a term, found `)`"),
        ("(assert ())", "1:10: expected an operator or function, found `)`"),
        (
            "(assert true false)",
            "1:14: expected `)` after the arguments of `assert`, found `false`",
        ),
        ("\n\n  (|check-sat|)", "3:4: expected the name of a command, found `|check-sat|`"),
        ("(echo \"a\nb", "1:7: a string that does not end"),
        ("(declare-const |a\\b| Int)", "1:18: a backslash in a quoted symbol"),
        ("; ä\n(assert ä)", "2:9: the character `ä` can't stand here"),
        ("(set-info :x ä)", "1:14: the character `ä` can't stand here"),
        // Columns count characters, not bytes.
        ("(declare-const |äöü| Int) (assert y)", "1:35: unknown symbol `y`"),
        ("(assert 1a)", "1:9: a number followed by letters"),
        ("(assert #b012)", "1:9: a malformed binary literal"),
        ("(set-info", "1:10: expected a keyword, found the end of the file"),
        ("(set-info :status (a", "1:21: the file ends inside a command"),
        ("(foo (bar)", "1:11: the file ends inside a command"),
    ]);
    let pool = Pool::new();
    let error = parse(&pool, b"(set-logic ALL)\n(echo \"a\xff\")").expect_err("not UTF-8");
    assert_eq!(error.to_string(), "2:9: bytes that are not UTF-8; save the file as UTF-8");
    assert!(parse(&pool, b"; \xff\n(check-sat)").is_ok());
}

#[test]
fn symbols() {
    check(&[
        ("(assert p)", "1:9: unknown symbol `p`"),
        ("(assert (p 1))", "1:10: unknown symbol `p`"),
        ("(assert (< -5 1))", "1:12: unknown symbol `-5`"),
        ("(assert (extract 1))", "1:10: unknown symbol `extract`"),
        ("(declare-const x Int)\n(declare-const x Int)", "2:16: `x` is declared already"),
        ("(declare-fun + () Int)", "1:14: `+` is an operator of a theory"),
        ("(set-logic QF_BV)(declare-fun and () Bool)", "1:31: `and` is an operator of a theory"),
        ("(declare-const let Int)", "1:16: `let` is a reserved word"),
        ("(push)(declare-const p Bool)(pop)(assert p)", "1:42: unknown symbol `p`"),
        ("(declare-const x Bool)(assert (x))", "1:32: `x` is no function"),
        ("(declare-fun f (Bool) Bool)(assert f)", "1:36: the function `f` without arguments"),
        ("(assert (let ((x true) (x true)) x))", "1:9: `x` is bound twice at once"),
        ("(assert (forall ((x Int) (x Int)) true))", "1:27: `x` is bound twice at once"),
        ("(assert (let ((x true) (y x)) y))", "1:27: unknown symbol `x`"),
        ("(assert (and (let ((x true)) x) x))", "1:33: unknown symbol `x`"),
        ("(assert (let ((x)) x))", "1:17: expected a term, found `)`"),
        ("(assert (forall () true))", "1:9: a quantifier without variables"),
        ("(assert (! true))", "1:16: expected an attribute, found `)`"),
        ("(assert (! true :named a))(assert (! false :named a))", "1:51: `a` is declared already"),
        (
            "(assert (forall ((x Bool)) (! x :named a)))",
            "1:33: `:named` inside a quantifier or a definition with parameters",
        ),
        ("(assert (_ extract 1 0))", "1:9: `extract` takes 1 argument(s), not 0"),
        ("(assert ((_ extract 1) #b11))", "1:10: `extract` takes 2 index(es), not 1"),
        ("(assert ((_ foo 1) #b11))", "1:10: unknown indexed operator `foo`"),
        ("(assert ((foo) #b11))", "1:11: expected `_` or `as` after `((`, found `foo`"),
        ("(assert (as true Int))", "1:9: `true` is of sort Bool, not Int"),
        ("(assert (_ char #x41))", "1:9: unknown indexed operator `char`"),
        ("(assert (match x ((y true))))", "1:9: `match` is not supported"),
        ("(assert \"a\")", "1:9: a string"),
    ]);
}

#[test]
fn sorts() {
    check(&[
        ("(assert 1)", "1:9: an assertion must be Bool, but is Int"),
        ("(check-sat-assuming (true 1))", "1:27: an assumption must be Bool, but is Int"),
        ("(assert (not 1))", "1:14: argument 1 of `not` must be Bool, but is Int"),
        ("(assert (and true\n  1))", "2:3: argument 2 of `and` must be Bool, but is Int"),
        ("(assert (not))", "1:9: `not` takes 1 argument(s), not 0"),
        ("(assert (= 1 true))", "1:14: argument 2 of `=` must be Int, but is Bool"),
        ("(assert (= 1 1.5 true))", "1:18: argument 3 of `=` must be Int, but is Bool"),
        ("(assert (ite true 1 #b1))", "1:21: argument 3 of `ite` must be Int, but is (_ BitVec 1)"),
        (
            "(assert (= #b01 (bvadd #b01 #b011)))",
            "1:29: argument 2 of `bvadd` must be (_ BitVec 2), but is (_ BitVec 3)",
        ),
        (
            "(assert (bvuge #b01 #b011))",
            "1:21: argument 2 of `bvuge` must be (_ BitVec 2), but is (_ BitVec 3)",
        ),
        ("(assert (bvult 1 #b1))", "1:16: argument 1 of `bvult` must be a bit-vector, but is Int"),
        (
            "(assert (= #b1 ((_ extract 3 0) #b1)))",
            "1:16: `extract`: bits 3 to 0 of a bit-vector of width 1",
        ),
        ("(assert (< 1 #b1))", "1:14: argument 2 of `<` must be Int or Real, but is (_ BitVec 1)"),
        ("(assert (= (div 1 2.0) 1))", "1:19: argument 2 of `div` must be Int, but is Real"),
        (
            "(assert (fp.lt ((_ to_fp 5 11) RNE 1.0) ((_ to_fp 8 24) RNE 1.0)))",
            "1:41: argument 2 of `fp.lt` must be (_ FloatingPoint 5 11), but is (_ FloatingPoint 8 24)",
        ),
        (
            "(assert (fp.isNaN (fp.add ((_ to_fp 5 11) RNE 1.0) ((_ to_fp 5 11) RNE 1.0))))",
            "1:19: `fp.add` takes 3 argument(s), not 2",
        ),
        (
            "(assert (fp.isNaN ((_ to_fp 5 11) #b1)))",
            "1:35: argument 1 of `to_fp` must be (_ BitVec 16), but is (_ BitVec 1)",
        ),
        (
            "(declare-const a (Array Int Bool))(assert (select a true))",
            "1:53: argument 2 of `select` must be Int, but is Bool",
        ),
        (
            "(declare-fun f (Int) Bool)(assert (f true))",
            "1:38: argument 1 of `f` must be Int, but is Bool",
        ),
        ("(declare-fun f (Int) Bool)(assert (f 1 2))", "1:35: `f` takes 1 argument(s), not 2"),
        (
            "(define-fun f ((x Int)) Bool x)",
            "1:30: the body of the definition must be Bool, but is Int",
        ),
        (
            "(assert (= ((as const (Array Int Bool)) 1) ((as const (Array Int Bool)) true)))",
            "1:41: argument 1 of `(as const …)` must be Bool, but is Int",
        ),
        ("(assert ((as const Int) 1))", "1:20: the sort of `(as const …)` is no array sort"),
        (
            "(assert (exists ((x Int)) x))",
            "1:27: the body of a quantifier must be Bool, but is Int",
        ),
        ("(declare-const x Foo)", "1:18: unknown sort `Foo`"),
        ("(declare-const x String)", "1:18: unknown sort `String`"),
        ("(declare-const x (_ BitVec 0))", "1:28: a bit-vector of width 0"),
        ("(declare-const x (_ BitVec 99999999))", "1:28: a bit-vector of width 99999999"),
        ("(declare-const x (_ BitVec 9999999999))", "1:28: `9999999999` is no width"),
        ("(declare-const x (_ BitVec))", "1:27: expected an index of `BitVec`, found `)`"),
        ("(declare-const x (Array Int))", "1:18: the sort `Array` takes 2 argument(s), not 1"),
        ("(declare-const x Array)", "1:18: the sort `Array` needs arguments"),
        ("(declare-const x (Int Int))", "1:18: the sort `Int` has no parameters"),
        ("(declare-sort S 0)(declare-sort S 0)", "1:33: the sort name `S` is taken"),
        (
            "(declare-sort S 2)(declare-const x (S Int))",
            "1:36: the sort `S` takes 2 argument(s), not 1",
        ),
        ("(declare-const x 5)", "1:18: expected a sort, found the number `5`"),
    ]);
}

#[test]
fn commands() {
    check(&[
        ("(pop)", "1:5: pop of 1 level(s) where there are 0"),
        ("(push 3)(pop 4)", "1:14: pop of 4 level(s) where there are 3"),
        ("(push 4000000000)", "1:7: more than 10000 assertion levels"),
        ("(push 99999999999999999999)", "1:7: 99999999999999999999 is too large"),
        ("(define-fun-rec f ((x Int)) Int (f x))", "1:2: the command `define-fun-rec`"),
        ("(declare-datatypes () ())", "1:2: the command `declare-datatypes`"),
        ("(declare-rel p (Int))", "1:2: the command `declare-rel`"),
        ("(rule (p 1))", "1:2: the command `rule`"),
        ("(assert-not true)", "1:2: the command `assert-not`"),
        ("(simplify (a)", "1:14: the file ends inside a command"),
        ("(get-info status)", "1:11: expected a keyword, found `status`"),
        ("(echo x)", "1:7: expected a string, found `x`"),
        ("(get-value x)", "1:12: expected `(` before a list of terms, found `x`"),
    ]);
}

#[test]
fn sizes() {
    let nines = "9".repeat(20_000);
    check(&[
        (
            "(assert (= (_ bv4 2) #b00))",
            "1:12: `bv4`: the number does not fit a bit vector of width 2",
        ),
        ("(assert (= (_ bv1 0) #b00))", "1:12: `bv1` without a proper width"),
        ("(assert (= (_ bv1 100000000) #b00))", "1:12: `bv1` without a proper width"),
        (
            "(assert (= ((_ repeat 1000000000) #b1) #b0))",
            "1:12: `repeat`: a bit-vector of width 31250000 (widths from 1 to 16777216 are supported)",
        ),
        ("(assert (= ((_ repeat 0) #b1) #b0))", "1:23: `repeat` of zero copies"),
        (
            "(assert (= ((_ zero_extend 4294967295) #b1) #b0))",
            "1:12: `zero_extend`: a bit-vector of width 4294967296 (widths from 1 to 16777216 are supported)",
        ),
        (
            "(assert (= ((_ zero_extend 4294967296) #b1) #b0))",
            "1:28: the index 4294967296 of `zero_extend` is too large",
        ),
        ("(assert ((_ divisible 0) 1))", "1:23: the index of `divisible` is zero"),
    ]);
    assert_eq!(error(&format!("(assert (= 1 {nines}))")), "1:14: a number with 20000 digits");
    // Squared again and again, a number of n digits has 2^n·n digits.
    let mut squares = String::from("(assert (let ((x 3)) ");
    for _ in 0..60 {
        squares.push_str("(let ((x (* x x))) ");
    }
    squares.push_str(&format!("(= x 1){}))", ")".repeat(60)));
    assert!(error(&squares).ends_with("`*`: a number here is too large"));
    // Each definition calls the one before twice, with different arguments.
    let mut doubling = String::from("(define-fun f0 ((x Int)) Int x)");
    for i in 0..60 {
        doubling.push_str(&format!(
            "(define-fun f{} ((x Int)) Int (* (f{i} (+ x 1)) (f{i} (- x 1))))",
            i + 1
        ));
    }
    assert!(error(&doubling).ends_with("the expanded script is too large"));
    let many: String = (0..10_000).map(|i| format!(" {i}")).collect();
    assert_eq!(
        error(&format!("(assert (distinct{many}))")),
        "1:9: `distinct`: the expanded script is too large"
    );
    // Each sort contains the one before twice.
    let mut sorts = String::from("(define-sort S0 () Int)");
    for i in 0..60 {
        sorts.push_str(&format!("(define-sort S{} () (Array S{i} S{i}))", i + 1));
    }
    assert!(error(&sorts).ends_with("this sort is too large when written out"));
}
