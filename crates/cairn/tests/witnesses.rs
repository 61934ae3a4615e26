//! Witnesses of C programs: written by `check`, accepted by `validate`, and rejected when they are
//! changed; witnesses as other tools write them.

#[path = "witnesses/format.rs"]
mod format;

mod asked;

use asked::asked;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn directory() -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("witnesses");
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    directory
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = directory().join(name);
    std::fs::write(&path, text).expect("the directory is writable");
    path
}

fn cairn(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cairn")).args(arguments).output().expect("cairn runs")
}

fn plain(path: &Path) -> &str {
    path.to_str().expect("test files have plain names")
}

/// The exit code, the last line, and everything that was printed.
struct Answer {
    code: i32,
    last: String,
    all: String,
}

fn answer(output: &Output) -> Answer {
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let all = format!("{out}{}", String::from_utf8_lossy(&output.stderr));
    let last = out.lines().last().unwrap_or_default().to_owned();
    Answer { code: output.status.code().expect("cairn ends by itself"), last, all }
}

fn validate(program: &Path, witness: &Path) -> Answer {
    answer(&cairn(&["validate", plain(program), "--witness", plain(witness), "--time-limit", "60"]))
}

/// The program and the witness that `check` writes for it.
fn checked(name: &str, program: &str, code: i32, options: &[&str]) -> (PathBuf, PathBuf) {
    let program = file(&format!("{name}.i"), program);
    let witness = directory().join(format!("{name}.yml"));
    let mut arguments = vec!["check", plain(&program), "--witness", plain(&witness)];
    arguments.extend(["--data-model", "ILP32"]);
    arguments.extend(asked(options));
    arguments.extend(options);
    let found = answer(&cairn(&arguments));
    assert_eq!(found.code, code, "{}", found.all);
    let text = std::fs::read_to_string(&witness).expect("check has written it");
    assert_eq!(format::problems(&text), [""; 0], "{text}");
    (program, witness)
}

/// The witness with its text changed.
fn changed(witness: &Path, name: &str, change: impl Fn(&str) -> String) -> PathBuf {
    let text = std::fs::read_to_string(witness).expect("check has written it");
    let other = change(&text);
    assert_ne!(text, other, "nothing was changed");
    file(name, &other)
}

const COUNTERS: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned x = 0;
  unsigned y = 0;
  while (__VERIFIER_nondet_int()) {
    if (x < 10) {
      x++;
      y += 2;
    }
  }
  if (y > 20) reach_error();
  return 0;
}
";

const NESTED: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  int s = 0;
  if (n < 0 || n > 1000) return 0;
  for (int i = 0; i < n; i++) {
    int j = 0;
    do { j++; } while (j < 3);
    s += j;
  }
  if (s < 0) reach_error();
  return 0;
}
";

const CODE: &str = "extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int main(void) {
  int key = __VERIFIER_nondet_int();
  int door = __VERIFIER_nondet_int();
  unsigned char again = __VERIFIER_nondet_uchar();
  if (key == 4711 && door == -3) {
    if (again != 9) {
      reach_error();
    }
  }
  return 0;
}
";

/// The check of the form finds what is missing, misspelt, of another type or too much.
#[test]
fn what_is_not_of_the_format_is_noticed() {
    let (_, correctness) = checked("form", COUNTERS, 0, &[]);
    let (_, violation) = checked("form-unsafe", CODE, 10, &[]);
    let damage: [(&Path, &str, &str); 22] = [
        (&correctness, "invariant_set", "invariants_set"),
        (&correctness, "metadata:", "meta:"),
        (&correctness, "format_version: '2.0'", "format_version: '1.0'"),
        (&correctness, "format_version: '2.0'", "format_version: 2.0"),
        (&correctness, "uuid: ", "uuid: x"),
        (&correctness, "creation_time: ", "creation_time: x"),
        (&correctness, "producer:", "maker:"),
        (&correctness, "name: Cairn", "title: Cairn"),
        (&correctness, "ILP32", "32bit"),
        (&correctness, "language: C", "language: D"),
        (&correctness, "loop_invariant", "invariant"),
        (&correctness, "c_expression", "C"),
        (&correctness, "value: ", "value: 3 #"),
        (&correctness, "line: ", "line: -"),
        (&correctness, "content:", "contents:"),
        (&violation, "violation_sequence", "violation"),
        (&violation, "type: target", "type: goal"),
        (&violation, "action: follow", "action: avoid"),
        (&violation, "acsl_expression", "c_expression"),
        (&violation, "function_return", "function_enter"),
        (&violation, "file_name:", "file:"),
        (&violation, "segment:", "segments:"),
    ];
    for (witness, from, to) in damage {
        let text = std::fs::read_to_string(witness).expect("check has written it");
        let damaged = text.replacen(from, to, 1);
        assert_ne!(text, damaged, "there is no {from}");
        assert_ne!(format::problems(&damaged), [""; 0], "{from} instead of {to}");
    }
    assert_ne!(format::problems("[]"), [""; 0]);
    assert_ne!(format::problems("{"), [""; 0]);
}

#[test]
fn correctness_witnesses_of_ours_are_valid() {
    for (name, program) in [("counters", COUNTERS), ("nested", NESTED)] {
        let (program, witness) = checked(name, program, 0, &[]);
        let found = validate(&program, &witness);
        assert_eq!((found.code, &*found.last), (0, "witness: valid"), "{}", found.all);
    }
}

#[test]
fn violation_witnesses_of_ours_are_valid() {
    let (program, witness) = checked("code", CODE, 10, &[]);
    let found = validate(&program, &witness);
    assert_eq!((found.code, &*found.last), (0, "witness: valid"), "{}", found.all);
}

#[test]
fn changed_values_of_a_violation_are_invalid() {
    let (program, witness) = checked("changed-code", CODE, 10, &[]);
    let other = changed(&witness, "other-code.yml", |text| text.replace("4711", "4712"));
    let found = validate(&program, &other);
    assert_eq!(found.code, 10, "{}", found.all);
    assert!(found.last.starts_with("witness: invalid (no run"), "{}", found.last);
    let swapped = changed(&witness, "swapped-code.yml", |text| {
        text.replace("== 4711", "== HOLE").replace("== -3", "== 4711").replace("== HOLE", "== -3")
    });
    assert_eq!(validate(&program, &swapped).code, 10);
    let elsewhere =
        changed(&witness, "elsewhere-code.yml", |text| text.replace("line: 5", "line: 4"));
    let found = validate(&program, &elsewhere);
    assert_eq!(found.code, 2, "{}", found.all);
    assert!(found.all.contains("there is no closing parenthesis of a call at"), "{}", found.all);
}

#[test]
fn a_witness_of_another_text_is_rejected() {
    let (_, witness) = checked("text", COUNTERS, 0, &[]);
    let program = file("text.i", &COUNTERS.replace("y > 20", "y > 21"));
    let found = validate(&program, &witness);
    assert_eq!(found.code, 2, "{}", found.all);
    assert!(found.all.contains("SHA-256"), "{}", found.all);
}

/// The metadata of a witness without sums.
fn metadata(version: &str, specification: &str, data_model: &str) -> String {
    format!(
        "  metadata:
    format_version: \"{version}\"
    uuid: \"a0b1c2d3-0000-4000-8000-000000000000\"
    creation_time: \"2024-01-01T00:00:00Z\"
    producer: {{ name: \"Somebody\", version: \"1\" }}
    task:
      input_files: [\"p.i\"]
      input_file_hashes: {{}}
      specification: \"{specification}\"
      data_model: \"{data_model}\"
      language: \"C\"
"
    )
}

const REACH: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )";

/// An invariant: type, line, column (or nothing), expression.
type Item<'a> = (&'a str, u32, Option<u32>, &'a str);

fn correctness(name: &str, version: &str, program: &Path, items: &[Item<'_>]) -> PathBuf {
    let mut text = format!("- entry_type: invariant_set\n{}", metadata(version, REACH, "ILP32"));
    text.push_str("  content:\n");
    for (kind, line, column, value) in items {
        let column = column.map_or(String::new(), |c| format!(", column: {c}"));
        let file = plain(program);
        text.push_str(&format!(
            "  - invariant:
      type: {kind}
      location: {{ file_name: \"{file}\", line: {line}{column}, function: main }}
      value: \"{value}\"
      format: c_expression
"
        ));
    }
    file(name, &text)
}

#[test]
fn foreign_invariants() {
    let program = file("foreign.i", COUNTERS);
    let test = |name: &str, items: &[Item<'_>]| {
        let witness = correctness(&format!("foreign-{name}.yml"), "2.0", &program, items);
        validate(&program, &witness)
    };
    let good = ("loop_invariant", 6, Some(3), "x <= 10 && y == 2 * x");
    let found = test("good", &[good]);
    assert_eq!((found.code, &*found.last), (0, "witness: valid"), "{}", found.all);
    let without_column = ("loop_invariant", 6, None, "y == 2 * x");
    assert_eq!(test("line", &[without_column]).code, 0);
    let at_statement = ("location_invariant", 9, Some(7), "x >= 1 && x <= 10 && y <= 18");
    let found = test("statement", &[good, at_statement]);
    assert_eq!(found.code, 0, "{}", found.all);

    let wrong = ("loop_invariant", 6, Some(3), "x <= 9");
    let found = test("wrong", &[good, wrong]);
    assert_eq!(found.code, 10, "{}", found.all);
    assert!(found.last.contains("invariant 2 at"), "{}", found.last);
    assert!(found.last.contains("x <= 9"), "{}", found.last);
    assert!(found.all.contains("foreign.i:6:3: violation of claim"), "{}", found.all);
    // It holds after the increment, not before it.
    let moved = ("location_invariant", 8, Some(7), "x >= 1");
    assert_eq!(test("moved", &[moved]).code, 10);
    // An invariant that is undefined somewhere is none.
    let undefined = ("loop_invariant", 6, Some(3), "10 / x >= 1 || x == 0");
    assert_eq!(test("undefined", &[undefined]).code, 10);
    let defined = ("loop_invariant", 6, Some(3), "x == 0 || 10 / x >= 1");
    let found = test("defined", &[defined]);
    assert_eq!(found.code, 0, "{}", found.all);
}

#[test]
fn invariants_that_have_no_meaning_are_errors() {
    let program = file("meaning.i", NESTED);
    let test = |name: &str, item: Item<'_>, words: &str| {
        let witness = correctness(&format!("meaning-{name}.yml"), "2.0", &program, &[item]);
        let found = validate(&program, &witness);
        assert_eq!(found.code, 2, "{}", found.all);
        assert!(found.all.contains("invariant 1 at"), "{}", found.all);
        assert!(found.all.contains(words), "{}", found.all);
    };
    test("name", ("loop_invariant", 7, Some(3), "k >= 0"), "'k' is not declared");
    test("scope", ("loop_invariant", 7, Some(3), "j >= 0"), "'j' is not declared");
    test("syntax", ("loop_invariant", 7, Some(3), "i >="), "expected");
    test("rest", ("loop_invariant", 7, Some(3), "i >= 0) || (1"), "expected");
    test("place", ("loop_invariant", 8, Some(5), "i >= 0"), "there is no loop at");
    test("effect", ("loop_invariant", 7, Some(3), "i++ >= 0"), "side effects");
    let i = correctness(
        "meaning-for.yml",
        "2.1",
        &program,
        &[
            ("loop_invariant", 7, Some(3), "0 <= i && i <= n && n <= 1000 && s == 3 * i"),
            ("loop_invariant", 9, Some(5), "0 <= j && j <= 2 && 0 <= i && i < n && s == 3 * i"),
        ],
    );
    let found = validate(&program, &i);
    assert_eq!(found.code, 0, "{}", found.all);
    let version = correctness("meaning-version.yml", "1.0", &program, &[]);
    assert_eq!(validate(&program, &version).code, 2);
    let nonsense = file("meaning-nonsense.yml", "- entry_type: loop_invariant\n");
    assert_eq!(validate(&program, &nonsense).code, 2);
}

/// An invariant that reads through a pointer must not hide what comes after it.
#[test]
fn an_invariant_hides_no_run() {
    let program = file(
        "hidden.i",
        "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int *p = 0;
  int x = 0;
  if (__VERIFIER_nondet_int()) p = &x;
  while (x < 3) {
    x++;
  }
  if (p == 0) reach_error();
  return 0;
}
",
    );
    let reads = ("loop_invariant", 7, Some(3), "*p >= 0");
    let witness = correctness("hidden.yml", "2.0", &program, &[reads]);
    let found = validate(&program, &witness);
    assert_eq!(found.code, 10, "{}", found.all);
}

/// A waypoint: type, action, line, column, constraint.
type Way<'a> = (&'a str, &'a str, u32, u32, Option<&'a str>);

fn violation(name: &str, program: &Path, segments: &[&[Way<'_>]]) -> PathBuf {
    let mut text = format!("- entry_type: violation_sequence\n{}", metadata("2.0", REACH, "ILP32"));
    text.push_str("  content:\n");
    for segment in segments {
        text.push_str("  - segment:\n");
        for (kind, action, line, column, constraint) in *segment {
            let file = plain(program);
            text.push_str(&format!(
                "    - waypoint:
        type: {kind}
        action: {action}
        location: {{ file_name: \"{file}\", line: {line}, column: {column} }}
"
            ));
            if let Some(value) = constraint {
                text.push_str(&format!(
                    "        constraint: {{ value: '{value}', format: c_expression }}\n"
                ));
            }
        }
    }
    file(name, &text)
}

const LOOP: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int twice(int x) { return x + x; }
int main(void) {
  int n = 0;
  int m = 0;
  while (n < 5) {
    int c = __VERIFIER_nondet_int();
    if (c > 7)
      m = twice(m + 1);
    n++;
  }
  if (m == 6) reach_error();
  return 0;
}
";

#[test]
fn foreign_waypoints() {
    let program = file("waypoints.i", LOOP);
    let target: Way<'_> = ("target", "follow", 13, 15, None);
    let test = |name: &str, segments: &[&[Way<'_>]]| {
        let witness = violation(&format!("waypoints-{name}.yml"), &program, segments);
        validate(&program, &witness)
    };
    let valid = |name: &str, segments: &[&[Way<'_>]]| {
        let found = test(name, segments);
        assert_eq!((found.code, &*found.last), (0, "witness: valid"), "{name}: {}", found.all);
    };
    let invalid = |name: &str, segments: &[&[Way<'_>]]| {
        let found = test(name, segments);
        assert_eq!(found.code, 10, "{name}: {}", found.all);
    };
    valid("target", &[&[target]]);
    // The violation needs exactly two rounds with the branch taken.
    let taken: Way<'_> = ("branching", "follow", 9, 5, Some("true"));
    valid("two", &[&[taken], &[taken], &[target]]);
    invalid("three", &[&[taken], &[taken], &[taken], &[target]]);
    let not_taken: Way<'_> = ("branching", "follow", 9, 5, Some("false"));
    valid("not", &[&[not_taken], &[not_taken], &[not_taken], &[target]]);
    invalid("never", &[&[not_taken], &[not_taken], &[not_taken], &[not_taken], &[target]]);
    let value: Way<'_> = ("function_return", "follow", 8, 35, Some("\\result == 100"));
    valid("value", &[&[value], &[value], &[target]]);
    invalid("values", &[&[value], &[value], &[value], &[target]]);
    let result: Way<'_> = ("function_return", "follow", 10, 22, Some("\\result == 6"));
    valid("result", &[&[result], &[target]]);
    let wrong: Way<'_> = ("function_return", "follow", 10, 22, Some("\\result == 5"));
    invalid("wrong", &[&[wrong], &[target]]);
    let enter: Way<'_> = ("function_enter", "follow", 10, 22, None);
    valid("enter", &[&[enter], &[enter], &[target]]);
    invalid("enters", &[&[enter], &[enter], &[enter], &[target]]);
    let assumed: Way<'_> = ("assumption", "follow", 11, 5, Some("n == 2 && m == 2"));
    valid("assumed", &[&[assumed], &[target]]);
    let false_one: Way<'_> = ("assumption", "follow", 11, 5, Some("n == 2 && m == 3"));
    invalid("false", &[&[false_one], &[target]]);
    // Until the second call, no round without it.
    let avoid: Way<'_> = ("branching", "avoid", 9, 5, Some("false"));
    valid("avoid", &[&[avoid, enter], &[avoid, enter], &[target]]);
    let late: Way<'_> = ("assumption", "follow", 11, 5, Some("n == 4"));
    invalid("avoids", &[&[avoid, late], &[target]]);
    let elsewhere: Way<'_> = ("target", "follow", 11, 5, None);
    assert_ne!(test("elsewhere", &[&[elsewhere]]).code, 0);
}

#[test]
fn properties_and_data_models_come_from_the_witness() {
    let text = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  long x = __VERIFIER_nondet_int();
  x = x + 1;
  return 0;
}
";
    let (program, witness) = checked("model", text, 10, &["--property", "overflow"]);
    let found = validate(&program, &witness);
    assert_eq!((found.code, &*found.last), (0, "witness: valid"), "{}", found.all);
    let other = changed(&witness, "model-lp64.yml", |text| text.replace("ILP32", "LP64"));
    let found = validate(&program, &other);
    assert_eq!(found.code, 10, "{}", found.all);
}
