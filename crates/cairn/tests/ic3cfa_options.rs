//! IC3CFA's options and what it is compared with, from the command line: whatever is chosen, the
//! verdict is the same, and a run can be repeated.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Safe: y follows x, and both stay small.
const SAFE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
    int main(void) {\n  int x = 0, y = 0, mode = 0;\n  while (__VERIFIER_nondet_int()) {\n\
    if (mode == 0) { x = x + 1; mode = 1; } else { y = y + 1; mode = 0; }\n\
    if (x > 6) { x = 0; y = 0; mode = 0; }\n  }\n\
    if (mode == 0 && x != y) reach_error();\n  return 0;\n}\n";

/// Safe, and no number is counted: the unwinding of Tree-IC3 comes to an end.
const PROTOCOL: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
    int main(void) {\n  int state = 0, held = 0;\n  while (__VERIFIER_nondet_int()) {\n\
    if (state == 0) { held = 1; state = 1; }\n\
    else if (state == 1) { held = 0; state = 2; }\n\
    else { if (held) reach_error(); state = 0; }\n  }\n  return 0;\n}\n";

/// Unsafe after four rounds.
const UNSAFE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
    int main(void) {\n  int x = 0;\n  while (x < 100) {\n    int step = __VERIFIER_nondet_int();\n\
    if (step < 0 || step > 2) return 0;\n    x = x + step + 1;\n    if (x == 11) reach_error();\n\
    }\n  return 0;\n}\n";

fn check(name: &str, program: &str, arguments: &[&str]) -> Output {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    std::fs::write(&path, program).expect("the directory is writable");
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["check", "--property", "reach", "--stats", "--time-limit", "60"])
        .args(["--data-model", "ILP32"])
        .args(arguments)
        .arg(&path)
        .output()
        .expect("cairn runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The lines of statistics, without times.
fn counters(output: &Output) -> Vec<String> {
    let text = stderr(output);
    let lines = text.lines().filter(|line| line.starts_with("  ") && !line.contains("evidence"));
    let without_times = |line: &str| {
        let words = line
            .split_whitespace()
            .filter(|word| word.parse::<f64>().is_err() || !word.contains('.'));
        words.collect::<Vec<_>>().join(" ")
    };
    lines.map(without_times).collect()
}

#[test]
fn all_configurations_and_baselines_agree() {
    let letters: Vec<String> = ('A'..='Q').map(|letter| letter.to_string()).collect();
    let mut choices: Vec<Vec<&str>> = letters
        .iter()
        .map(|letter| vec!["--engine", "ic3cfa", "--ic3cfa-config", letter.as_str()])
        .collect();
    choices.push(vec!["--engine", "ic3smt"]);
    choices.push(vec!["--engine", "treeic3"]);
    for choice in choices {
        let safe = if choice.contains(&"treeic3") { PROTOCOL } else { SAFE };
        for (name, program, expected) in [("agree-safe", safe, 0), ("agree-unsafe", UNSAFE, 10)] {
            let output = check(name, program, &choice);
            assert_eq!(output.status.code(), Some(expected), "{choice:?}: {}", stderr(&output));
            assert!(stderr(&output).contains("smt calls "), "{}", stderr(&output));
        }
    }
}

#[test]
fn options_are_set_by_name() {
    let option =
        |text: &str| check("named", SAFE, &["--engine", "ic3cfa", "--ic3cfa-option", text]);
    let joint = option("query-form=check-and-filter");
    assert_eq!(joint.status.code(), Some(0), "{}", stderr(&joint));
    assert!(stderr(&joint).contains("JointQuery"), "{}", stderr(&joint));
    for (wrong, words) in [("query-form=all", "check-and-filter"), ("queries=all", "query-form")] {
        let output = option(wrong);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
}

#[test]
fn a_run_repeats() {
    for engine in ["ic3cfa", "ic3smt", "treeic3"] {
        let program = if engine == "treeic3" { PROTOCOL } else { SAFE };
        let run = || check("repeated", program, &["--engine", engine, "--seed", "3"]);
        let first = counters(&run());
        assert!(first.iter().any(|line| line.contains("smt calls")), "{first:?}");
        assert_eq!(first, counters(&run()), "{engine}");
    }
}
