//! Small C programs with known verdicts, by every engine.

use std::path::PathBuf;
use std::process::{Command, Output};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\n\
                    extern unsigned __VERIFIER_nondet_uint(void);\n\
                    extern float __VERIFIER_nondet_float(void);\n\
                    extern void *malloc(unsigned);\n\
                    extern void __VERIFIER_assume(int);\n\
                    extern void reach_error(void);\n";

fn check(name: &str, text: &str, arguments: &[&str]) -> Output {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("programs");
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    let path = directory.join(format!("{name}.i"));
    std::fs::write(&path, format!("{HEAD}{text}\n")).expect("the directory is writable");
    Command::new(env!("CARGO_BIN_EXE_cairn"))
        .arg("check")
        .args(arguments)
        .arg(&path)
        .output()
        .expect("cairn runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("cairn ends by itself")
}

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

/// A program, and the two texts that make it safe and unsafe.
struct Case {
    name: &'static str,
    text: &'static str,
    safe: &'static str,
    violated: &'static str,
}

const CASES: [Case; 9] = [
    Case {
        name: "counters",
        text: "int main(void) { unsigned x = 0, y = 0;
                 while (__VERIFIER_nondet_int()) { if (x < 10) { x++; y += 2; } }
                 if (y > HOLE) reach_error(); return 0; }",
        safe: "20",
        violated: "18",
    },
    Case {
        name: "table",
        text: "int a[10];
               int main(void) { int i; for (i = 0; i < 10; i++) a[i] = i * i;
                 int k = __VERIFIER_nondet_int();
                 if (k >= 0 && k < 10 && a[k] > HOLE) reach_error(); return 0; }",
        safe: "81",
        violated: "80",
    },
    Case {
        name: "swap_by_pointers",
        text: "void swap(int *p, int *q) { int t = *p; *p = *q; *q = t; }
               int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
                 int x = a, y = b; swap(&x, &y); if (HOLE) reach_error(); return 0; }",
        safe: "x != b || y != a",
        violated: "x != a",
    },
    Case {
        name: "recursion",
        text: "int sum(int n) { return n <= 0 ? 0 : n + sum(n - 1); }
               int main(void) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n <= 6);
                 if (sum(n) > HOLE) reach_error(); return 0; }",
        safe: "21",
        violated: "20",
    },
    Case {
        name: "floats",
        text: "int main(void) { float x = __VERIFIER_nondet_float();
                 __VERIFIER_assume(x >= 1.0f && x <= 2.0f); float y = x * x;
                 if (y > HOLE) reach_error(); return 0; }",
        safe: "4.0f",
        violated: "3.9f",
    },
    Case {
        name: "list_on_the_heap",
        text: "struct node { int value; struct node *next; };
               int main(void) { struct node *head = 0; int i, s = 0;
                 for (i = 0; i < 3; i++) { struct node *n = malloc(sizeof *n);
                   n->value = i; n->next = head; head = n; }
                 for (; head; head = head->next) s += head->value;
                 if (s != HOLE) reach_error(); return 0; }",
        safe: "3",
        violated: "4",
    },
    Case {
        // A loop that is never repeated: its head must keep an invariant all the same.
        name: "loop_that_breaks",
        text: "int main(void) { _Bool f = 1; int i, x = HOLE, y = __VERIFIER_nondet_int();
                 for (i = 0; i < 3; i++) { if (f) break; x += y; y++; }
                 while (__VERIFIER_nondet_int()) { if (y < 100) y++; }
                 if (x) reach_error(); return 0; }",
        safe: "0",
        violated: "1",
    },
    Case {
        name: "switch_and_goto",
        text: "int main(void) { int state = 0, n = 0;
               again: switch (state) {
                 case 0: state = 1; break;
                 case 1: n++; state = n < 5 ? 0 : 2; break;
                 case 2: if (n != HOLE) reach_error(); return 0; }
                 goto again; }",
        safe: "5",
        violated: "6",
    },
    Case {
        name: "function_pointers",
        text: "int up(int x) { return x + 1; } int down(int x) { return x - 1; }
               int main(void) { int (*f)(int) = __VERIFIER_nondet_int() ? up : down;
                 int y = f(3); if (HOLE) reach_error(); return 0; }",
        safe: "y != 2 && y != 4",
        violated: "y != 2",
    },
];

#[test]
fn every_engine_gives_the_known_verdict() {
    for case in &CASES {
        for engine in ["auto", "bmc", "ic3", "ic3cfa"] {
            for (hole, wrong, right) in [(case.safe, 10, 0), (case.violated, 0, 10)] {
                let program = case.text.replace("HOLE", hole);
                // One engine alone may have to give up; all together must not.
                let limit = if engine == "auto" { "60" } else { "2" };
                let output =
                    check(case.name, &program, &["--engine", engine, "--time-limit", limit]);
                let say = format!("{} by {engine}: {}", case.name, text(&output));
                let code = code(&output);
                assert!(code == right || code == 5, "{say}");
                assert_ne!(code, wrong, "{say}");
                assert!(engine != "auto" || code == right, "{say}");
            }
        }
    }
}

#[test]
fn properties_are_told_apart() {
    let program = "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
                     int z = x + 1; if (y) z = z / y; return z; }";
    assert_eq!(code(&check("overflow", program, &["--property", "overflow"])), 10);
    assert_eq!(code(&check("div0", program, &["--property", "div0"])), 0);
    assert_eq!(code(&check("reach", program, &["--property", "reach"])), 0);
    let divides = program.replace("if (y)", "");
    assert_eq!(code(&check("divides", &divides, &["--property", "div0"])), 10);
    let output = check("none", program, &["--property", "termination"]);
    assert_eq!(code(&output), 2, "{}", text(&output));
}

#[test]
fn mistakes_are_shown_with_their_place() {
    let output = check("mistake", "int main(void) { return x; }", &[]);
    assert_eq!(code(&output), 2);
    assert!(text(&output).contains("mistake.i:7:25"), "{}", text(&output));
    let output = check("no_main", "int f(void) { return 1; }", &[]);
    assert_eq!(code(&output), 2, "{}", text(&output));
}

/// A program that takes no input has one run, however long; a model of it would be of no use.
#[test]
fn a_program_without_inputs_is_executed() {
    let fibonacci = "int fibonacci(int n) { int one, two;
                       if (n < 2) return n;
                       one = fibonacci(n - 1); two = fibonacci(n - 2); return one + two; }
                     int main(void) { if (fibonacci(18) HOLE 2584) reach_error(); return 0; }";
    let safe = check("executed-safe", &fibonacci.replace("HOLE", "!="), &[]);
    assert_eq!(code(&safe), 0, "{}", text(&safe));
    let violated = check("executed-unsafe", &fibonacci.replace("HOLE", "=="), &[]);
    assert_eq!(code(&violated), 10, "{}", text(&violated));
    assert!(text(&violated).contains("violation of reach"), "{}", text(&violated));
}

/// What is read before it is written is an unknown value, of a register as of memory.
#[test]
fn uninitialized_values_are_not_executed() {
    for body in [
        "int x; if (x == 5) reach_error(); return 0;",
        "int a[3]; a[0] = 1; a[2] = 1; if (a[a[0]] == 5) reach_error(); return 0;",
        "int x, y = 1; if (y) x = 5; else x = 6; while (x < 6) { int z; x = z; } \
         if (x == 9) reach_error(); return 0;",
    ] {
        let output = check("uninitialized", &format!("int main(void) {{ {body} }}"), &[]);
        assert_eq!(code(&output), 10, "{body}: {}", text(&output));
    }
}
