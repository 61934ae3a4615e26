//! `cairn skolem` on scripts: answers, exit codes, and that what it prints is what it says.

use std::process::{Command, Output};

fn cairn(arguments: &[&str], script: &str) -> Output {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .arg("skolem")
        .arg("-")
        .args(arguments)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the tool starts");
    child.stdin.take().expect("piped").write_all(script.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn answer(script: &str) -> (String, Option<i32>) {
    let output = cairn(&[], script);
    (String::from_utf8(output.stdout).expect("text"), output.status.code())
}

#[test]
fn a_formula_with_quantifiers() {
    let script = "(assert (forall ((x Int) (z Int)) (=> (< (* 3 x) z)
        (exists ((y Int)) (and (< (* 3 x) (* 2 y)) (<= (* 2 y) (+ 1 z)))))))";
    let (text, code) = answer(script);
    assert_eq!(code, Some(0), "{text}");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("valid"));
    assert!(lines.next().is_some_and(|l| l.starts_with("(define-fun y ((x Int) (z Int)) Int ")));
    // The printed function is one: put into the script, nothing is left to refute.
    let function = text.lines().nth(1).expect("a function");
    let check = format!(
        "{function}(declare-const x Int)(declare-const z Int)(assert (< (* 3 x) z))
         (assert (not (and (< (* 3 x) (* 2 (y x z))) (<= (* 2 (y x z)) (+ 1 z)))))(check-sat)"
    );
    let path = std::env::temp_dir().join(format!("cairn-skolem-{}.smt2", std::process::id()));
    std::fs::write(&path, check).expect("a temporary file");
    let solved = Command::new(env!("CARGO_BIN_EXE_cairn")).arg("solve").arg(&path).output();
    assert_eq!(solved.expect("the tool starts").stdout, b"unsat\n");
    std::fs::remove_file(&path).expect("it is there");
}

#[test]
fn two_assertions_with_the_variables_named() {
    let script = "(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))
        (set-info :exists (y))(assert (bvult x #xf0))(assert (= (bvadd x y) (bvmul #x03 x)))";
    let (text, code) = answer(script);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("(define-fun y () (_ BitVec 8) "), "{text}");
    let relation = cairn(&["--relation"], script);
    assert!(String::from_utf8_lossy(&relation.stdout).contains("(define-fun skolem ("));
}

#[test]
fn an_x_without_a_y() {
    let (text, code) = answer("(declare-const c Int)(assert (exists ((y Int)) (= (* 2 y) c)))");
    assert_eq!((code, text.lines().next()), (Some(10), Some("invalid")));
    assert!(text.contains("(define-fun c () Int "), "{text}");
}

#[test]
fn what_is_no_question_is_rejected_with_its_place() {
    for (script, place, word) in [
        ("(assert (exists ((y Int)) (forall ((x Int)) (< y x))))", "1:1", "form"),
        ("\n(check-sat)", "2:1", "nothing is asserted"),
        ("(declare-const y Int)(set-info :exists (z))(assert true)(assert true)", "1:22", "`z`"),
        ("(assert true)\n(assert true)", "2:1", "more than one"),
        ("(assert (and", "1:13", "end of the file"),
    ] {
        let output = cairn(&[], script);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(place) && said.contains(word), "{said}");
    }
}
