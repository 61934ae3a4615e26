//! Dead code: which places are dead, that they are named, and that the answer is that of all runs.

use std::path::PathBuf;
use std::process::{Command, Output};

fn check(name: &str, text: &str, arguments: &[&str]) -> (PathBuf, Output) {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("dead_code");
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    let path = directory.join(format!("{name}.i"));
    std::fs::write(&path, text).expect("the directory is writable");
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["check", "--property", "dead-code", "--time-limit", "60", "--data-model", "ILP32"])
        .args(arguments)
        .arg(&path)
        .output()
        .expect("cairn runs");
    (path, output)
}

/// The exit code, and the lines and columns that are said to be dead.
fn dead(name: &str, text: &str) -> (i32, Vec<(usize, usize)>, String) {
    let (path, output) = check(name, text, &[]);
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let place = |line: &str| {
        let (place, rest) = line.strip_prefix(&format!("{}:", path.display()))?.split_once(": ")?;
        let (line, column) = place.split_once(':')?;
        rest.starts_with("dead code").then_some((line.parse().ok()?, column.parse().ok()?))
    };
    let places = out.lines().filter_map(place).collect();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().expect("cairn ends by itself"), places, format!("{out}{errors}"))
}

/// The line and column of a text.
fn at(text: &str, what: &str) -> (usize, usize) {
    let offset = text.find(what).expect("the program has it");
    let before = &text[..offset];
    let line = before.matches('\n').count() + 1;
    (line, offset - before.rfind('\n').map_or(0, |n| n + 1) + 1)
}

#[test]
fn a_branch_that_no_run_takes_is_dead() {
    let text = "extern int nondet(void);\n\
                int main(void) {\n\
                  int x = nondet(), y = 0;\n\
                  if (x > 10) { y = 1; }\n\
                  if (y == 1 && x < 5) { y = 7; while (x) { x--; } }\n\
                  return y;\n\
                }\n";
    let (code, places, out) = dead("branch", text);
    assert_eq!(places, [at(text, "y = 7")], "{out}");
    assert!(code == 10 && out.ends_with("verdict: unsafe\n"), "{out}");
    assert!(out.contains("1 dead") || out.contains(" dead, 0 open"), "{out}");
}

#[test]
fn code_that_is_reached_is_not() {
    let text = "extern int nondet(void);\n\
                static int twice(int x) { return x > 100 ? 0 : 2 * x; }\n\
                int main(void) {\n\
                  int n = nondet(), sum = 0;\n\
                  for (int i = 0; i < n && i < 4; i++) { sum += twice(i); }\n\
                  switch (sum) { case 0: return 1; case 12: return twice(n + 96); default: ; }\n\
                  return 0;\n\
                }\n";
    let (code, places, out) = dead("reached", text);
    assert_eq!(places, [], "{out}");
    assert!(code == 0 && out.ends_with("verdict: safe\n"), "{out}");
}

#[test]
fn functions_and_what_follows_a_jump_can_be_dead() {
    let text = "extern int nondet(void);\n\
                extern void exit(int);\n\
                static int unused(int x) { if (x) { return 1; } return 2; }\n\
                static void fail(void) { exit(1); }\n\
                int main(void) {\n\
                  if (nondet()) { fail(); nondet(); }\n\
                  return 0;\n\
                }\n";
    let (code, places, out) = dead("functions", text);
    assert_eq!(code, 10, "{out}");
    assert!(places.contains(&at(text, "unused")), "{out}");
    assert!(out.contains("'unused' is never entered"), "{out}");
    assert!(places.contains(&at(text, "nondet(); }")), "{out}");
    // What lies in a function that is never entered is not told one by one.
    assert!(!places.contains(&at(text, "return 1")), "{out}");
}

#[test]
fn dead_code_is_asked_for_alone() {
    let text = "int main(void) { return 0; }\n";
    let (_, output) = check("alone", text, &["--property", "overflow"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("alone"));
}

#[test]
fn places_are_answers_of_the_document() {
    let text = "extern int nondet(void);\n\
                int main(void) { int x = nondet(); if (x > 3) { if (x == 2) { x = 9; } } return x; }\n";
    let (path, output) = check("document", text, &["--format", "json"]);
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(10), "{out}");
    let (line, column) = at(text, "x = 9");
    assert!(out.contains(&format!("dead-code {}:{line}:{column}", path.display())), "{out}");
    assert!(out.contains("no run comes here"), "{out}");
}
