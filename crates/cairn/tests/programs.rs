//! Small C programs with known verdicts, by every engine.

mod asked;

use asked::asked;
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
        .args(["check", "--data-model", "ILP32"])
        .args(asked(arguments))
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
        let rows = verify::ENGINES.iter().map(|engine| engine.row());
        let joining = rows.filter(|row| row.programs && row.joins).map(|row| row.name);
        for engine in ["auto"].into_iter().chain(joining) {
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
fn the_cone_of_the_property_gives_the_known_verdict() {
    for case in &CASES {
        for (hole, expected) in [(case.safe, 0), (case.violated, 10)] {
            let program = case.text.replace("HOLE", hole);
            let name = format!("{}-cone", case.name);
            let output = check(&name, &program, &["--cone", "--time-limit", "60"]);
            assert_eq!(code(&output), expected, "{}: {}", case.name, text(&output));
        }
    }
}

/// A run of the cone that the program does not have: there, the loop before the violation never
/// ends, or an access before it is undefined. Then the whole program is looked at.
#[test]
fn a_run_of_the_cone_alone_is_no_verdict() {
    let endless = "int main(void) { int x = __VERIFIER_nondet_int(); int n = 1;
                     while (n != 0) n = 3 - n; if (x == 5) reach_error(); return 0; }";
    let output = check("endless", endless, &["--cone", "--time-limit", "60"]);
    assert_eq!(code(&output), 0, "{}", text(&output));
    let undefined = "int a[4]; int main(void) { int x = __VERIFIER_nondet_int();
                       if (x < 9) return 0; a[x] = 1; reach_error(); return 0; }";
    let output = check("undefined", undefined, &["--cone", "--time-limit", "60"]);
    assert_eq!(code(&output), 0, "{}", text(&output));
}

/// The command that the head of a harness names, with the harness in its place.
fn compiler(harness: &std::path::Path, executable: &std::path::Path) -> Command {
    let text = std::fs::read_to_string(harness).expect("the harness was written");
    let line = text.lines().find(|line| line.contains("gcc ")).expect("it says how to compile it");
    let line = line.trim_start_matches(" * ").trim_end_matches(" && ./a.out");
    let line = line.replace("THIS-FILE.c", harness.to_str().expect("the name is plain"));
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{line} -o {}", executable.display()));
    command
}

/// Checks a program, compiles the harness with it and runs both.
fn run_harness(name: &str, program: &str, property: &str) -> (Output, Output) {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("programs");
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    let harness = directory.join(format!("{name}-harness.c"));
    let path = harness.to_str().expect("the name is plain");
    let arguments = ["--property", property, "--harness", path, "--time-limit", "60"];
    let checked = check(name, program, &arguments);
    assert_eq!(code(&checked), 10, "{name}: {}", text(&checked));
    let executable = directory.join(format!("{name}-run"));
    let compiled = compiler(&harness, &executable).output().expect("gcc runs");
    assert!(compiled.status.success(), "{name}: {}", text(&compiled));
    (checked, Command::new(&executable).output().expect("the program runs"))
}

#[test]
fn harnesses_drive_compiled_programs_into_the_violation() {
    for case in &CASES {
        let program = case.text.replace("HOLE", case.violated);
        let (_, run) = run_harness(&format!("{}-driven", case.name), &program, "reach");
        assert_eq!(code(&run), 10, "{}: {}", case.name, text(&run));
        // A program that defines its error function is watched from outside.
        let defined = format!("{program}\nvoid reach_error(void) {{}}");
        let (_, run) = run_harness(&format!("{}-defined", case.name), &defined, "reach");
        assert_eq!(code(&run), 10, "{}: {}", case.name, text(&run));
    }
}

#[test]
fn sanitizers_report_what_harnesses_drive_into() {
    let overflow = "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 5) x = x * 3;
                      return x; }";
    let (_, run) = run_harness("overflow-driven", overflow, "overflow");
    assert!(text(&run).contains("signed integer overflow"), "{}", text(&run));
    let division = "int main(void) { int x = __VERIFIER_nondet_int(), y = x / 3;
                      return y == 4 ? 7 / (x - 13) : 0; }";
    let (_, run) = run_harness("division-driven", division, "div0");
    assert!(text(&run).contains("division by zero"), "{}", text(&run));
}

#[test]
fn functions_without_a_body_return_what_they_returned() {
    let program = "extern int sensor(void); extern double level(int); extern void log_it(int);
                   int main(void) { int a = sensor(), b = sensor(); double c = level(a);
                     log_it(a); if (a == 17 && b == -4 && c > 2.5 && c < 2.6) reach_error();
                     return 0; }";
    let (_, run) = run_harness("unknown-driven", program, "reach");
    assert_eq!(code(&run), 10, "{}", text(&run));
}

/// What stands on the heap before the program has written there is driven too; what only code that
/// is never reached refers to need not exist.
#[test]
fn garbage_and_missing_functions_do_not_stop_a_harness() {
    let program = "struct s { int a; int b; }; extern int nowhere(int); extern int absent;
                   int unused(void) { return nowhere(absent); } int (*taken)(int) = nowhere;
                   int main(void) { struct s *p = malloc(sizeof *p), *q = malloc(sizeof *q);
                     int x; p->a = 1; if (x < 5 && q->b == 77 && p->b == 1234567) reach_error();
                     return 0; }";
    let (_, run) = run_harness("garbage-driven", program, "reach");
    assert_eq!(code(&run), 10, "{}", text(&run));
}

/// Uninitialized variables have the values of the run, in every call and every round.
#[test]
fn uninitialized_variables_are_set_as_the_run_has_them() {
    let program = "unsigned any(void) { unsigned val; return val; }
struct pair { int a, b; };
int inspect(int *p) { return *p; }
int main(void) {
  int n, sum = 0; struct pair s; int taken;
  unsigned char bytes[4];
  for (int i = 0; i < 3; i++) { int digit; sum = sum * 10 + digit; }
  if (n == 5 && s.b == -9 && bytes[2] == 7 && sum == 123 && inspect(&taken) == 77 &&
      any() == 1 && any() == 70000) reach_error();
  return 0; }";
    let (_, run) = run_harness("uninitialized-driven", program, "reach");
    assert_eq!(code(&run), 10, "{}", text(&run));
}

/// A formula with a quantifier is decided by the value of the run.
#[test]
fn quantified_formulas_have_the_run_s_values() {
    let program = "int main(void) { int i, n = __VERIFIER_nondet_int();
        if (__ESBMC_exists(&i, i > 5 && i * 3 == 21))
          __ESBMC_assert(__ESBMC_forall(&i, i != n || i < 77), \"small\"); return 0; }";
    let (_, run) = run_harness("quantified-driven", program, "assert");
    assert_eq!(code(&run), 10, "{}", text(&run));
    // What holds of all values, or of none, is no value's.
    let program = "int main(void) { int i, j, a[5], n = __VERIFIER_nondet_int();
        for (i = 0; i < 5; i++) a[i] = __VERIFIER_nondet_int();
        if (__ESBMC_forall(&i, i < 0 || i > 4 || __ESBMC_exists(&j, a[i] < j && j < n)))
          if (!__ESBMC_exists(&i, n < i))
            __ESBMC_assert(__ESBMC_forall(&i, i < 0 || i > 4 || a[i] < 9), \"small\");
        return 0; }";
    let (_, run) = run_harness("quantified-by-all", program, "assert");
    assert_eq!(code(&run), 10, "{}", text(&run));
}

/// Assertions need no header.
#[test]
fn assertions_without_a_declaration_are_noticed() {
    for name in ["assert", "__CPROVER_assert", "__ESBMC_assert", "__VERIFIER_assert"] {
        let assume = name.replace("assert", "assume");
        let program = format!(
            "int main(void) {{ int x = __VERIFIER_nondet_int(); {assume}(x > 3);
               {name}(x < 4, \"small\"); return 0; }}"
        );
        let program = program.replace(if name == "assert" { ", \"small\"" } else { "?" }, "");
        let (_, run) = run_harness(&format!("{name}-driven"), &program, "assert");
        assert_eq!(code(&run), 10, "{name}: {}", text(&run));
    }
}

#[test]
fn invariants_of_witnesses_are_c_expressions() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("programs");
    let witness = directory.join("counted.yml");
    let program = "int main(void) { unsigned x = 0, y = 0;
                     while (__VERIFIER_nondet_int()) { if (x < 10) { x++; y += 2; } }
                     if (y > 20) reach_error(); return 0; }";
    let path = witness.to_str().expect("the name is plain");
    let output = check("counted", program, &["--witness", path, "--engine", "ic3cfa"]);
    assert_eq!(code(&output), 0, "{}", text(&output));
    let written = std::fs::read_to_string(&witness).expect("the witness was written");
    let entries = report::witness::read(&written).expect("our witnesses are of the format");
    let [report::witness::Entry::InvariantSet { metadata, content }] = &entries[..] else {
        panic!("one invariant set: {written}")
    };
    assert_eq!(metadata.format_version, "2.0");
    assert_eq!(metadata.task.data_model, "ILP32");
    let [item] = &content[..] else { panic!("one loop: {written}") };
    assert_eq!(item.invariant.location.line, 8, "{written}");
    // gcc accepts the expression where x and y are in scope, and it holds at the start.
    let source = directory.join("invariant.c");
    let text =
        format!("int main(void) {{ unsigned x = 0, y = 0; return !({}); }}", item.invariant.value);
    std::fs::write(&source, text).expect("the directory is writable");
    let executable = directory.join("invariant-run");
    let gcc = Command::new("gcc").arg(&source).arg("-o").arg(&executable).status();
    assert!(gcc.expect("gcc runs").success(), "{written}");
    let run = Command::new(&executable).status().expect("the program runs");
    assert_eq!(run.code(), Some(0), "{written}");
}

#[test]
fn violations_have_witnesses_in_both_formats() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("programs");
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    let program = "int main(void) { int x = __VERIFIER_nondet_int(); if (x == 41) reach_error();
                     return 0; }";
    let yaml = directory.join("violated.yml");
    let path = yaml.to_str().expect("the name is plain");
    assert_eq!(code(&check("violated", program, &["--witness", path])), 10);
    let written = std::fs::read_to_string(&yaml).expect("the witness was written");
    let entries = report::witness::read(&written).expect("our witnesses are of the format");
    let [report::witness::Entry::ViolationSequence { content, .. }] = &entries[..] else {
        panic!("one violation sequence: {written}")
    };
    let kinds: Vec<&str> = content.iter().map(|s| s.segment[0].waypoint.kind.as_str()).collect();
    assert_eq!(kinds, ["function_return", "target"], "{written}");
    let returned = &content[0].segment[0].waypoint;
    assert_eq!((returned.location.line, returned.location.column), (7, Some(48)), "{written}");
    let value = returned.constraint.as_ref().map(|constraint| constraint.value.to_string());
    assert_eq!(value.as_deref(), Some("\\result == 41"));
    let graph = directory.join("violated.graphml");
    let path = graph.to_str().expect("the name is plain");
    assert_eq!(code(&check("violated", program, &["--witness", path])), 10);
    let written = std::fs::read_to_string(&graph).expect("the witness was written");
    assert!(written.contains("<data key=\"witness-type\">violation_witness</data>"), "{written}");
    assert!(written.contains("\\result == 41;"), "{written}");
}

#[test]
fn the_manual_and_completions_know_every_verb() {
    let printed = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_cairn")).args(arguments).output();
        text(&output.expect("cairn runs"))
    };
    let (manual, bash) = (printed(&["man"]), printed(&["completions", "bash"]));
    for word in ["check", "validate", "show", "solve"] {
        assert!(manual.contains(word) && bash.contains(word), "{word}");
    }
    assert!(bash.contains("--harness"), "{bash}");
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

/// Each property with a program that violates it, and what makes it hold.
#[test]
fn every_property_is_checked() {
    let cases = [
        (
            "shift",
            "int x = __VERIFIER_nondet_int(); if (x < 0 || x > HOLE) return 0; return 1 << x;",
            "32",
            "30",
        ),
        (
            "shift",
            "unsigned x = __VERIFIER_nondet_uint(); return x HOLE 31 ? 0 : 1u << x;",
            "<",
            ">",
        ),
        (
            "bounds",
            "int a[4] = {0}, i = __VERIFIER_nondet_int();
                    if (i < 0 || i HOLE 4) return 0; return a[i];",
            ">",
            ">=",
        ),
        ("pointer", "int x = 1, *p = __VERIFIER_nondet_int() ? &x : HOLE; return *p;", "0", "&x"),
        ("uninit", "int x; if (__VERIFIER_nondet_int()) x = 1; HOLE return x;", ";", "x = 2;"),
        (
            "float",
            "float x = __VERIFIER_nondet_float();
                   if (!(x >= 0.0f && x <= 1e30f)) return 0; return x * HOLE > 1.0f;",
            "1e9f",
            "2.0f",
        ),
        (
            "float",
            "float x = __VERIFIER_nondet_float();
                   if (!(x >= HOLE && x <= 1.0f)) return 0; return x / x > 0.5f;",
            "0.0f",
            "0.5f",
        ),
        ("overflow", "int x = __VERIFIER_nondet_int(); return x HOLE 0 ? -x : x;", "<", ">"),
        (
            "assert",
            "int x = __VERIFIER_nondet_int(); __VERIFIER_assert(x * 2 != HOLE); return 0;",
            "6",
            "7",
        ),
    ];
    for (n, (property, body, violated, holds)) in cases.into_iter().enumerate() {
        for (hole, expected) in [(violated, 10), (holds, 0)] {
            let program = format!(
                "extern void __VERIFIER_assert(int); int main(void) {{ {} }}",
                body.replace("HOLE", hole)
            );
            let name = format!("property-{n}-{expected}");
            let output = check(&name, &program, &["--property", property, "--time-limit", "60"]);
            assert_eq!(code(&output), expected, "{program}: {}", text(&output));
        }
    }
}

#[test]
fn labels_can_be_errors() {
    let program = "int main(void) { int x = __VERIFIER_nondet_int();
                     if (x > 3 && x < HOLE) goto BAD; return 0; BAD: return 1; }";
    for (hole, expected) in [("5", 10), ("4", 0)] {
        let program = program.replace("HOLE", hole);
        let output = check("labels", &program, &["--error-label", "BAD"]);
        assert_eq!(code(&output), expected, "{}", text(&output));
    }
}

/// Several files are one program, and every message names its own.
#[test]
fn several_files_are_one_program() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("programs");
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    let write = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).expect("the directory is writable");
        path
    };
    let run = |files: &[PathBuf]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        let options = ["--data-model", "ILP32", "--property", "assert"];
        command.arg("check").args(options).args(files).output().expect("cairn runs")
    };
    let header = write("shared.h", "extern int limit; int next(int);\nstatic int own(void);\n");
    let first = write(
        "first.c",
        "#include \"shared.h\"\nextern int __VERIFIER_nondet_int(void);\n\
         extern void reach_error(void);\nstatic int own(void) { return 1; }\n\
         int main(void) { int x = __VERIFIER_nondet_int();\n  if (x < limit && next(x) + own() > 8)\n\
         \x20   reach_error();\n  return 0; }\n",
    );
    let second = |limit: &str| {
        let text = format!(
            "#include \"shared.h\"\nint limit = {limit};\nstatic int own(void) {{ return 2; }}\n\
             int next(int x) {{ return x + own() - 1; }}\n"
        );
        write("second.c", &text)
    };
    let output = run(&[first.clone(), second("7")]);
    assert_eq!(code(&output), 0, "{}", text(&output));
    let output = run(&[first.clone(), second("8")]);
    assert_eq!(code(&output), 10, "{}", text(&output));
    assert!(text(&output).contains("first.c:7:5"), "{}", text(&output));
    let output = run(&[first, second("missing")]);
    assert_eq!(code(&output), 2, "{}", text(&output));
    assert!(text(&output).contains("second.c:2:13"), "{}", text(&output));
    // Nothing depends on whether the header is left behind.
    let _ = std::fs::remove_file(header);
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

/// A block that `realloc` gives holds the addresses that the old one held.
#[test]
fn addresses_survive_realloc() {
    let program = "extern void *realloc(void *, unsigned);
                   int main(void) { int x = 0; int **a = malloc(sizeof(int *)); a[0] = &x;
                     int **b = realloc(a, 2 * sizeof(int *)); *b[0] = 5;
                     if (x HOLE 0) reach_error(); return 0; }";
    // The contents are unknown to us, so there is no run either; but nothing may be proved.
    let output = check("realloc", &program.replace("HOLE", "!="), &["--time-limit", "3"]);
    assert_ne!(code(&output), 0, "{}", text(&output));
}

/// A violation behind hundreds of thousands of steps: too deep for formulas, not for a test.
#[test]
fn tests_find_deep_violations() {
    let program = "int main(void) { unsigned s = __VERIFIER_nondet_uint(), i;
                     for (i = 0; i < 300000; i++) s = s * 1664525u + 1013904223u;
                     if (s != 7) reach_error(); return 0; }";
    let output = check("deep", program, &["--time-limit", "60"]);
    assert_eq!(code(&output), 10, "{}", text(&output));
    assert!(text(&output).contains("__VERIFIER_nondet_uint() = "), "{}", text(&output));
}

/// Arrays of any length are proved by what holds of all their elements.
#[test]
fn elements_of_long_arrays() {
    let program = "int a[100000];
                   int main(void) { int i, n = __VERIFIER_nondet_int();
                     if (n < 0 || n > 100000) return 0;
                     for (i = 0; i < n; i++) a[i] = n;
                     for (i = 0; i HOLE n; i++) if (a[i] != n) reach_error();
                     return 0; }";
    let safe = check("elements", &program.replace("HOLE", "<"), &["--format", "json"]);
    assert_eq!(code(&safe), 0, "{}", text(&safe));
    let arguments = ["--engine", "kind", "--without-analysis", "elements", "--time-limit", "1"];
    let without = check("no_elements", &program.replace("HOLE", "<"), &arguments);
    assert_eq!(code(&without), 5, "{}", text(&without));
    let output = check("beyond_elements", &program.replace("HOLE", "<="), &[]);
    assert_eq!(code(&output), 10, "{}", text(&output));
}

/// Bit-level IC3 leaves most elements of large arrays open. What it proves then holds; if it finds a
/// violation, there may be a run along the same edges or not.
#[test]
fn large_arrays_are_left_open() {
    let program = "int a[100000], turn, count;
                   int main(void) { a[7] = 3;
                     while (__VERIFIER_nondet_int()) {
                       unsigned i = __VERIFIER_nondet_uint();
                       if (i >= 100000 || i == 7) continue;
                       a[i] = turn; turn = 1 - turn; count += turn - a[i];
                       HOLE
                     }
                     return 0; }";
    for (hole, expected) in [
        // Of no element.
        ("if (turn > 1) reach_error();", 0),
        // Of one whose index stands there.
        ("if (a[7] != 3) reach_error();", 0),
        // Of others: true, and beyond it.
        (
            "unsigned j = __VERIFIER_nondet_uint();
          if (j < 100000 && j != 7 && a[j] > 1) reach_error();",
            5,
        ),
        // Not true.
        ("if (a[7] == 3) reach_error();", 10),
        // Not true, and the array is sliced away.
        ("if (turn == 1) reach_error();", 10),
    ] {
        let program = program.replace("HOLE", hole);
        let output = check("open_arrays", &program, &["--engine", "ic3"]);
        assert_eq!(code(&output), expected, "{hole}: {}", text(&output));
    }
}

/// The library calls the functions that it is given.
#[test]
fn callbacks_of_the_library_are_not_forgotten() {
    let program =
        "extern void qsort(void *, unsigned, unsigned, int (*)(const void *, const void *));
                   int calls;
                   int compare(const void *a, const void *b) { calls++; HOLE return 0; }
                   int main(void) { int a[3] = {3, 1, 2}; qsort(a, 3, sizeof(int), compare);
                     if (calls < 0) calls = 0; return 0; }";
    // How often and with what is not known, so that there is no run to show.
    let called =
        check("callback", &program.replace("HOLE", "reach_error();"), &["--time-limit", "3"]);
    assert_eq!(code(&called), 5, "{}", text(&called));
    let harmless = check(
        "no_callback",
        &program.replace("HOLE", "if (calls == calls + 1) reach_error();"),
        &[],
    );
    assert_eq!(code(&harmless), 0, "{}", text(&harmless));
}

/// Addresses may be looked at where no violation depends on it.
#[test]
fn proofs_where_addresses_do_not_matter() {
    for body in [
        "int x, n = 0; if ((unsigned)&x % 32 == 0) n++;
         int y = __VERIFIER_nondet_int(); if (y > 3 && y < 2) reach_error(); return n;",
        "int x, n = 0, i; for (i = 0; i < 10; i++) if ((unsigned)&x % 32 == 0) n++;
         if (i != 10) reach_error(); return n;",
        "int x; reader(&x, 5); void (*f)(unsigned) = number; f(3); return 0;",
    ] {
        let program = format!(
            "void (*f)(int *, int);
             void number(unsigned n) {{ if (n == 17) reach_error(); }}
             void reader(int *p, int n) {{ *p = n; }}
             int main(void) {{ f = reader; {body} }}"
        );
        let output = check("no_matter", &program, &[]);
        assert_eq!(code(&output), 0, "{body}: {}", text(&output));
    }
    // What ends a run or keeps it for ever matters.
    for body in [
        "if ((unsigned)&x % 32 HOLE) return 0; reach_error(); return 0;",
        "__VERIFIER_assume((unsigned)&x % 32 HOLE); reach_error(); return 0;",
        "while ((unsigned)&x % 32 HOLE) ; reach_error(); return 0;",
        "int a[2]; if ((unsigned)&x % 32 HOLE) x = 1 / (x - x); reach_error(); return 0;",
    ] {
        for hole in ["== 0", "!= 0"] {
            let program = format!("int main(void) {{ int x = 0; {body} }}").replace("HOLE", hole);
            let output = check("matter", &program, &["--time-limit", "3"]);
            assert_ne!(code(&output), 0, "{program}: {}", text(&output));
        }
    }
}

/// What bits an address has is nobody's promise; nor what inline assembly leaves behind.
#[test]
fn what_is_not_known_decides_nothing() {
    for body in [
        "int x; if ((unsigned)&x % 32 != 0) reach_error(); return 0;",
        "int x; if ((unsigned)&x % 32 == 0) reach_error(); return 0;",
        "unsigned short w; __asm__(\"fstcw %0\" : \"=m\"(w)); if (w & 0xc00) reach_error();
         return 0;",
    ] {
        let program = format!("int main(void) {{ {body} }}");
        let output = check("open", &program, &["--time-limit", "3"]);
        // A run with our places of objects is a run, a proof with them is none.
        let allowed: &[i32] = if body.contains("asm") { &[5] } else { &[5, 10] };
        assert!(allowed.contains(&code(&output)), "{body}: {}", text(&output));
    }
}

/// What lies behind the dereference of a pointer that is always null is not reached; a proof counts
/// if it does not need that.
#[test]
fn proofs_behind_null_pointers() {
    let program = "struct device { int state; };
                   struct device *device; int locked = 1;
                   void probe(struct device *d) { int before = d->state; HOLE }
                   int main(void) { if (__VERIFIER_nondet_int()) probe(device); return 0; }";
    for (hole, expected) in [
        ("if (!locked) reach_error();", 0),
        ("locked = 0; if (!locked) reach_error();", 5),
        ("if (before == 7) reach_error();", 5),
    ] {
        let output = check("null", &program.replace("HOLE", hole), &["--time-limit", "3"]);
        assert_eq!(code(&output), expected, "{hole}: {}", text(&output));
    }
    // The engine whose proof does not count is not named, and code behind is not called dead.
    let hidden = program.replace("HOLE", "locked = 0; if (!locked) reach_error();");
    let json = check("null_json", &hidden, &["--time-limit", "3", "--format", "json"]);
    let document: serde_json::Value =
        serde_json::from_slice(&json.stdout).expect("the result is JSON");
    assert_eq!(document["verdict"], "unknown", "{}", text(&json));
    assert!(document["answers"][0]["engine"].is_null(), "{}", text(&json));
    let dead = check("null_dead", &hidden, &["--property", "dead-code", "--time-limit", "20"]);
    assert_eq!(code(&dead), 5, "{}", text(&dead));
    assert!(text(&dead).contains("always null"), "{}", text(&dead));
    // It is null, and nobody dereferences it.
    let tested = "int *p; int main(void) { if (p) reach_error(); return 0; }";
    assert_eq!(code(&check("null_tested", tested, &[])), 0);
    // It is not always null.
    let assigned = "int x, *p; int main(void) { if (__VERIFIER_nondet_int()) p = &x; \
                    if (p) { *p = 5; if (x != 5) reach_error(); } return 0; }";
    assert_eq!(code(&check("null_assigned", assigned, &[])), 0);
}
