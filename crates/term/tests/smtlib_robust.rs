//! No bytes make the parser panic, recurse, or take much time or memory.

use proptest::prelude::*;
use std::time::{Duration, Instant};
use term::print::{script, term_to_string};
use term::smtlib::parse;
use term::{Pool, Sort};

/// Scripts with a bit of everything, to be mutated.
const SEEDS: &[&str] = &[
    "(set-logic QF_ABV)(declare-fun a () (Array (_ BitVec 2) (_ BitVec 8)))\n\
     (define-fun f ((x (_ BitVec 8)) (y Bool)) (_ BitVec 8) (ite y (bvadd x #x01) ((_ extract 7 0) (concat x x))))\n\
     (assert (! (= (f (select a #b01) true) (_ bv7 8)) :named n1))(push 1)(assert (not n1))(check-sat)(pop 1)\n\
     (get-value ((select a #b00)))(exit)",
    "(set-logic HORN)(declare-fun |inv x| (Int Real) Bool)\n\
     (assert (forall ((x Int) (y Real)) (=> (and (= x 0) (< y 1.5)) (|inv x| (+ x 1) (/ y 2)))))\n\
     (assert (exists ((q Bool)) (! (xor q (let ((z (- 5)) (w q)) (and w (< z 3 4)))) :pattern ((p q)))))(check-sat)",
    "(declare-sort P 2)(define-sort T (X) (Array X (P X Int)))(declare-const t (T Bool))(echo \"a\"\"b\")\n\
     (assert (= t ((as const (T Bool)) (select t false))))(check-sat-assuming (true))(minimize x)\n\
     (assert (fp.lt (fp.add RNE ((_ to_fp 5 11) RNE 0.1) (_ NaN 5 11)) (fp #b0 #b00000 #b0000000001)))\n\
     (assert (bvsmulo ((_ rotate_left 3) #xa5) ((_ repeat 2) #xf)))(set-info :status unsat)(reset)",
];

/// Fragments that change the meaning when inserted.
const PIECES: &[&str] = &[
    "(",
    ")",
    "((",
    "))",
    "|",
    "\"",
    ";",
    "#b",
    "#x",
    "_",
    "!",
    " let ",
    "(let ((x ",
    "forall",
    "(as ",
    "(_ ",
    " 99999999999999999999 ",
    " 0 ",
    "-1",
    "1.5",
    ":named a",
    "\u{e4}",
    "true",
    "x",
    "(bvadd #b1 ",
    "(push 9)",
    "(pop 9)",
    "(reset)",
    "(declare-fun ",
    "(define-fun ",
    "((_ extract 9 1) ",
    "((_ zero_extend 9999999) ",
    "((_ repeat 99999) ",
    "(distinct ",
    "Int",
    "(Array Int ",
    "RNE",
    "(fp.to_real ",
    "(* 9 ",
    "(/ 1 ",
];

#[derive(Clone, Debug)]
enum Edit {
    Delete(usize, usize),
    Insert(usize, usize),
    Byte(usize, u8),
    Copy(usize, usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (any::<usize>(), 1..20usize).prop_map(|(at, n)| Edit::Delete(at, n)),
        (any::<usize>(), 0..PIECES.len()).prop_map(|(at, i)| Edit::Insert(at, i)),
        (any::<usize>(), any::<u8>()).prop_map(|(at, b)| Edit::Byte(at, b)),
        (any::<usize>(), any::<usize>(), 1..60usize).prop_map(|(a, b, n)| Edit::Copy(a, b, n)),
    ]
}

fn mutated(seed: usize, edits: &[Edit]) -> Vec<u8> {
    let mut text = SEEDS[seed % SEEDS.len()].as_bytes().to_vec();
    for edit in edits {
        let len = text.len();
        let within = |at: &usize| at % (len + 1);
        match edit {
            Edit::Delete(at, n) => {
                let from = within(at);
                text.drain(from..len.min(from + n));
            }
            Edit::Insert(at, i) => {
                text.splice(within(at)..within(at), PIECES[*i].bytes());
            }
            Edit::Byte(at, b) => {
                if let Some(byte) = text.get_mut(within(at)) {
                    *byte = *b;
                }
            }
            Edit::Copy(from, to, n) => {
                let piece = text[within(from)..len.min(within(from) + n)].to_vec();
                text.splice(within(to)..within(to), piece);
            }
        }
    }
    text
}

/// Parses; an accepted script's assertions can be printed and read again.
fn survive(text: &[u8]) {
    let pool = Pool::new();
    if let Ok(parsed) = parse(&pool, text) {
        let assertions: Vec<_> = parsed.assertions().collect();
        let printed = script(&pool, None, &assertions);
        if let Err(error) = parse(&pool, printed.as_bytes()) {
            panic!("{error}\n{printed}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(text in prop::collection::vec(any::<u8>(), 0..200)) {
        survive(&text);
    }

    #[test]
    fn mutated_scripts(seed in 0..SEEDS.len(), edits in prop::collection::vec(edit(), 0..6)) {
        survive(&mutated(seed, &edits));
    }

    #[test]
    fn pieces_of_scripts(pieces in prop::collection::vec(0..PIECES.len(), 0..30)) {
        let text: Vec<&str> = pieces.iter().map(|i| PIECES[*i]).collect();
        survive(format!("(assert {}", text.join(" ")).as_bytes());
    }
}

#[test]
fn the_seeds_are_accepted() {
    for seed in SEEDS {
        let pool = Pool::new();
        if let Err(error) = parse(&pool, seed.as_bytes()) {
            panic!("{error}\n{seed}");
        }
        survive(seed.as_bytes());
    }
}

/// Long enough for a busy machine, and far too short for quadratic work.
const PATIENCE: Duration = Duration::from_secs(120);

/// Parses in good time.
fn quickly(what: &str, text: &str) -> (Pool, Vec<term::Term>) {
    let pool = Pool::new();
    let start = Instant::now();
    let script = match parse(&pool, text.as_bytes()) {
        Ok(script) => script,
        Err(error) => panic!("{what}: {error}"),
    };
    let elapsed = start.elapsed();
    assert!(elapsed < PATIENCE, "{what} took {elapsed:?}");
    let assertions = script.assertions().collect();
    (pool, assertions)
}

#[test]
fn deep_nesting() {
    const DEPTH: usize = 1_000_000;
    let declare = "(declare-fun f (Int) Int)(declare-const x Int)(declare-const p Bool)";
    for (open, close, depth) in [
        ("(not ", ")", DEPTH),
        ("(! ", " :a)", DEPTH),
        ("(let ((p p)) ", ")", DEPTH),
        // Each makes a variable and a name.
        ("(forall ((x Int)) ", ")", DEPTH / 5),
    ] {
        let text = format!("{declare}(assert {}p{})", open.repeat(depth), close.repeat(depth));
        quickly(open, &text);
    }
    let text = format!("{declare}(assert (= 0 {}x{}))", "(f ".repeat(DEPTH), ")".repeat(DEPTH));
    let (pool, assertions) = quickly("(f ", &text);
    let printed = term_to_string(&pool, assertions[0]);
    assert_eq!(printed.matches("(f ").count(), DEPTH);
    // Unbalanced, and deep where no term is.
    let pool = Pool::new();
    for text in [
        format!("(assert {}", "(not ".repeat(DEPTH)),
        format!("(assert {}", "(".repeat(DEPTH)),
        format!("(set-info :a {}", "(".repeat(DEPTH)),
        format!("(foo {}{})", "(".repeat(DEPTH), ")".repeat(DEPTH - 1)),
        format!("(declare-const x {}", "(Array Int ".repeat(DEPTH)),
        format!("(declare-const x {}Int{})", "(Array Int ".repeat(DEPTH), ")".repeat(DEPTH)),
    ] {
        assert!(parse(&pool, text.as_bytes()).is_err());
    }
}

#[test]
fn long_chains_of_let_share() {
    const LENGTH: usize = 100_000;
    // x0 + x0 = x1, …: the tree has 2^100000 leaves.
    let mut text = String::from("(declare-const x0 (_ BitVec 32))(assert ");
    for i in 0..LENGTH {
        text.push_str(&format!("(let ((x{} (bvmul x{i} x{i}))) ", i + 1));
    }
    text.push_str(&format!("(= x{LENGTH} #x00000003){})", ")".repeat(LENGTH)));
    let (pool, assertions) = quickly("let", &text);
    let printed = script(&pool, None, &assertions);
    assert!(printed.len() < 40 * LENGTH, "{} bytes", printed.len());
    let again = parse(&pool, printed.as_bytes()).expect("what was printed");
    assert_eq!(again.assertions().collect::<Vec<_>>(), assertions);
}

#[test]
fn many_arguments_and_commands() {
    const COUNT: usize = 100_000;
    let mut text = String::new();
    (0..COUNT).for_each(|i| text.push_str(&format!("(declare-const x{i} Bool)\n")));
    let names: String = (0..COUNT).map(|i| format!(" x{i}")).collect();
    for op in ["and", "or", "xor", "=>", "="] {
        text.push_str(&format!("(assert ({op}{names}))\n"));
    }
    let (pool, assertions) = quickly("arguments", &text);
    assert_eq!(pool.args(assertions[0]).len(), COUNT);
}

#[test]
fn chains_of_definitions() {
    const LENGTH: usize = 5_000;
    let mut text = String::from("(define-fun f0 ((x Int)) Int x)\n");
    for i in 0..LENGTH {
        text.push_str(&format!("(define-fun f{} ((x Int)) Int (+ 1 (f{i} x)))\n", i + 1));
    }
    // Each use copies the chain below it: either done in good time or refused.
    let pool = Pool::new();
    let start = Instant::now();
    let result = parse(&pool, text.as_bytes());
    assert!(start.elapsed() < PATIENCE);
    if let Err(error) = result {
        assert!(error.message.contains("too large"), "{error}");
    }
    assert!(pool.len() < 10_000_000);
}

#[test]
fn deeply_shared_quantifiers_print_in_linear_size() {
    const DEPTH: usize = 300;
    let pool = Pool::new();
    let p = pool.function("p", &[Sort::Int, Sort::Int], Sort::Bool);
    let mut body = pool.apply(p, &[pool.int(0), pool.int(0)]);
    for _ in 0..DEPTH {
        let x = pool.bound_var("x", Sort::Int);
        let atom = pool.apply(p, &[x, pool.int(1)]);
        // The body occurs twice, inside and outside of the quantifier.
        let quantified = pool.forall(&[x], pool.or([atom, body]));
        body = pool.and([quantified, pool.not(pool.and([body, pool.not(atom)]))]);
    }
    // x is free in the last atom of each level, so that every quantifier is renamed.
    let text = term_to_string(&pool, body);
    assert!(text.len() < 200 * DEPTH, "{} bytes for {DEPTH} levels", text.len());
}
