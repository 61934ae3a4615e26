//! The engines on C programs together: recursion by summaries, k-induction, and one job.

mod asked;

use asked::asked;
use std::path::PathBuf;
use std::process::{Command, Output};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\n\
                    extern unsigned __VERIFIER_nondet_uint(void);\n\
                    extern void __VERIFIER_assume(int);\n\
                    extern void reach_error(void);\n";

fn check(name: &str, text: &str, arguments: &[&str]) -> Output {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("portfolio");
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    let path = directory.join(format!("{name}.i"));
    std::fs::write(&path, format!("{HEAD}{text}\n")).expect("the directory is writable");
    let mut cairn = Command::new(env!("CARGO_BIN_EXE_cairn"));
    cairn
        .args(["check", "--data-model", "ILP32"])
        .args(asked(arguments))
        .args(arguments)
        .arg(&path)
        .output()
        .expect("cairn runs")
}

fn verdict(name: &str, text: &str, arguments: &[&str]) -> i32 {
    let output = check(name, text, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    output.status.code().unwrap_or_else(|| panic!("{name} does not end by itself: {errors}"))
}

const MCCARTHY: &str = "int f(int n) { return n > 100 ? n - 10 : f(f(n + 11)); }
    int main(void) { int n = __VERIFIER_nondet_int(); int r = f(n);
        if (!(r == 91 || (n > HOLE && r == n - 10))) reach_error(); return 0; }";

const SUM: &str = "int sum(int n, int m) { if (n <= 0) return n + m; return sum(n - 1, m + 1); }
    int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
        if (sum(a, b) != a + b + HOLE) reach_error(); return 0; }";

const EVEN_ODD: &str = "int odd(int);
    int even(int n) { if (n == 0) return 1; return odd(n - 1); }
    int odd(int n) { if (n == 0) return 0; return even(n - 1); }
    int main(void) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0);
        int r = even(n); if (r < 0 || r > HOLE) reach_error(); return 0; }";

#[test]
fn summaries_prove_unbounded_recursion() {
    for (name, program, hole) in
        [("mccarthy", MCCARTHY, "101"), ("sum", SUM, "0"), ("even_odd", EVEN_ODD, "1")]
    {
        let text = program.replace("HOLE", hole);
        assert_eq!(verdict(name, &text, &["--time-limit", "60"]), 0, "{name}");
    }
}

#[test]
fn recursion_that_fails_is_found() {
    for (name, program, hole) in [("sum_fails", SUM, "1"), ("even_odd_fails", EVEN_ODD, "0")] {
        let text = program.replace("HOLE", hole);
        assert_eq!(verdict(name, &text, &["--time-limit", "60"]), 10, "{name}");
    }
}

/// The claim about the summary must be refused, and the recursion be unrolled.
#[test]
fn a_check_in_a_recursive_function_is_not_forgotten() {
    let text = "int f(int n) { if (n == 5) reach_error(); if (n <= 0) return 0; return f(n - 1); }
        int main(void) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n > 10 && n < 20);
            return f(n); }";
    assert_eq!(verdict("deep_check", text, &["--time-limit", "60"]), 10);
}

#[test]
fn k_induction_decides_programs() {
    let text = "int main(void) { unsigned a = 1, b = 2, c = 3;
        while (__VERIFIER_nondet_int()) { unsigned t = a; a = b; b = c; c = t;
            if (a == HOLE) reach_error(); } return 0; }";
    let arguments = ["--engine", "kind", "--time-limit", "60"];
    assert_eq!(verdict("kind_safe", &text.replace("HOLE", "b"), &arguments), 0);
    assert_eq!(verdict("kind_unsafe", &text.replace("HOLE", "3"), &arguments), 10);
}

/// Who decided, and how far everybody had come then.
fn efforts(arguments: &[&str]) -> String {
    // Hard enough that all engines have several turns.
    let text = "int main(void) { unsigned x = 0, i = 0;
        while (i < 25) { unsigned k = __VERIFIER_nondet_uint() % 4; x = x * 3 + k; i++; }
        if (x == 123456789) reach_error(); return 0; }";
    let all = [&["--format", "json", "--time-limit", "120"], arguments].concat();
    let output = check("efforts", text, &all);
    let document: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("the result is JSON");
    format!("{} {}", document["answers"][0]["engine"], document["statistics"]["engines"])
}

#[test]
fn one_job_does_the_same_again() {
    let first = efforts(&["--jobs", "1", "--seed", "7"]);
    for _ in 0..2 {
        assert_eq!(efforts(&["--jobs", "1", "--seed", "7"]), first);
    }
}

#[test]
fn any_number_of_jobs_decides() {
    for jobs in ["1", "2", "3", "8"] {
        let text = MCCARTHY.replace("HOLE", "101");
        assert_eq!(verdict("jobs", &text, &["--jobs", jobs, "--time-limit", "60"]), 0);
        let text = EVEN_ODD.replace("HOLE", "0");
        assert_eq!(verdict("jobs_fail", &text, &["--jobs", jobs, "--time-limit", "60"]), 10);
    }
}
