//! Results as JSON, as docs/json.md describes them, and in words.

mod asked;

use answer::{ProofKind, VacuityStatus};
use asked::asked;
use report::result::{Document, Verdict};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

fn directory() -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("results");
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    directory
}

fn written(name: &str, text: &str) -> PathBuf {
    let path = directory().join(name);
    std::fs::write(&path, text).expect("the directory is writable");
    path
}

/// Checks a file and returns the exit code and what was printed.
fn check(file: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    let output = command
        .args(["check", "--format", "json", "--data-model", "ILP32"])
        .args(asked(arguments))
        .args(arguments)
        .arg(file)
        .output();
    let output = output.expect("cairn runs");
    let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    (output.status.code().expect("cairn ends by itself"), text)
}

fn check_program(name: &str, text: &str, arguments: &[&str]) -> (i32, Document, String) {
    let (code, text) = check(&written(name, &format!("{HEAD}{text}\n")), arguments);
    let document = Document::read(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    conforms(&text);
    (code, document, text)
}

/// What `cairn explain` says.
fn explained(name: &str, json: &str) -> String {
    let path = written(name, json);
    let output = Command::new(env!("CARGO_BIN_EXE_cairn")).arg("explain").arg(path).output();
    String::from_utf8(output.expect("cairn runs").stdout).expect("it is text")
}

/// The fields of the documentation.
fn documented() -> BTreeSet<String> {
    let page = include_str!("../../../docs/json.md");
    let (_, page) = page.split_once("\n## Fields").expect("the section of fields");
    let page = page.split("\n## ").next().unwrap_or(page);
    let row = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    page.lines().filter_map(row).collect()
}

/// The fields of a document; places, sizes and reasons are described once for all.
fn fields(value: &Value, path: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) if object.contains_key("column") || object.contains_key("edges") => {
            into.insert(path.to_owned());
        }
        Value::Object(_) if path.ends_with("why") || path.ends_with("ended") => {
            into.insert(path.to_owned());
        }
        Value::Object(object) => {
            if !path.is_empty() && !path.ends_with("[]") {
                into.insert(path.to_owned());
            }
            for (name, value) in object {
                let dot = if path.is_empty() { "" } else { "." };
                fields(value, &format!("{path}{dot}{name}"), into);
            }
        }
        Value::Array(values) => {
            into.insert(path.to_owned());
            for value in values {
                fields(value, &format!("{path}[]"), into);
            }
        }
        _ if !path.ends_with("[]") => {
            into.insert(path.to_owned());
        }
        _ => {}
    }
}

/// Every field is documented, and every documented field is there, unless what it is in is not.
fn conforms(json: &str) {
    let value: Value = serde_json::from_str(json).expect("the output is one JSON value");
    let mut found = BTreeSet::new();
    fields(&value, "", &mut found);
    let documented = documented();
    assert!(documented.len() > 50, "the table is read");
    let groups = ["tool", "outputs", "statistics"];
    for field in &found {
        assert!(documented.contains(field) || groups.contains(&&**field), "{field}: {json}");
    }
    for field in &documented {
        let present = found.contains(field);
        let parent = field.rsplit_once('.').map_or("", |(parent, _)| parent);
        let absent = at(&value, parent).is_empty();
        assert!(present || absent, "{field} is missing: {json}");
    }
}

/// The objects at a path.
fn at<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    let mut values = vec![value];
    for name in path.split('.').filter(|name| !name.is_empty()) {
        let field = name.trim_end_matches("[]");
        values = values.iter().filter_map(|value| value.get(field)).collect();
        if name.ends_with("[]") {
            values = values.iter().filter_map(|v| v.as_array()).flatten().collect();
        }
    }
    values.into_iter().filter(|value| value.is_object()).collect()
}

const COUNTERS: &str = "int main(void) { unsigned x = 0, y = 0; int idle = 0;
  while (__VERIFIER_nondet_int()) { idle++; if (x < 10) { x++; y += 2; } }
  if (y > HOLE) reach_error(); return 0; }";

#[test]
fn a_safe_program_has_its_invariant() {
    let program = COUNTERS.replace("HOLE", "20");
    let (code, document, json) = check_program("counters-safe.i", &program, &[]);
    assert_eq!((code, document.verdict), (0, Verdict::Safe), "{json}");
    let answer = &document.answers[0];
    let proof = answer.proof.as_ref().expect("safe answers have a proof");
    assert_eq!(proof.kind, ProofKind::Inductive, "{json}");
    assert_eq!(proof.invariants[0].place.line, 3, "{json}");
    assert!(answer.check.is_some(), "{json}");
    assert_eq!(document.vacuity.expect("it is safe").status, VacuityStatus::Reached, "{json}");
    let text = explained("counters-safe.json", &json);
    assert!(text.contains(": safe\n"), "{text}");
    assert!(text.contains("The property is not vacuous"), "{text}");
    assert!(text.contains("counters-safe.i:3:3 in main"), "{text}");
    assert!(text.contains("\n    ("), "{text}");
}

#[test]
fn an_unsafe_program_has_its_run() {
    let program = COUNTERS.replace("HOLE", "2");
    let (code, document, json) = check_program("counters-unsafe.i", &program, &[]);
    assert_eq!((code, document.verdict), (10, Verdict::Unsafe), "{json}");
    let run = document.answers[0].run.as_ref().expect("unsafe answers have a run");
    let place = run.place.as_ref().expect("it is known");
    assert_eq!((run.violated.as_str(), place.line), ("reach", 4), "{json}");
    let count = |what: &str| run.steps.iter().filter(|step| step.what == what).count();
    assert!(count("y") >= 3 && count("__VERIFIER_nondet_int()") >= 3, "{json}");
    assert_eq!(count("idle"), 0, "nothing depends on it: {json}");
    let text = explained("counters-unsafe.json", &json);
    assert!(text.contains("> y = 4"), "{text}");
    assert!(text.contains("__VERIFIER_nondet_int() gives"), "{text}");
    assert!(text.contains("if (y > 2) reach_error();"), "{text}");
}

#[test]
fn calls_that_are_open_are_told() {
    let program = "void inner(int a) { if (a == 7) reach_error(); }
                   int main(void) { inner(__VERIFIER_nondet_int()); return 0; }";
    let (code, document, json) = check_program("calls.i", program, &[]);
    assert_eq!(code, 10, "{json}");
    let run = document.answers[0].run.as_ref().expect("unsafe answers have a run");
    let callers: Vec<&str> = run.stack.iter().map(|call| call.function.as_str()).collect();
    assert_eq!(callers, ["main"], "{json}");
}

#[test]
fn vacuous_proofs_say_so() {
    let guarded = "int main(void) { int x = __VERIFIER_nondet_int();
        if (x > 5 && x < 3) { if (__VERIFIER_nondet_int() == 4) reach_error(); } return 0; }";
    let (code, document, json) = check_program("vacuous.i", guarded, &[]);
    assert_eq!(code, 0, "{json}");
    assert_eq!(document.vacuity.expect("it is safe").status, VacuityStatus::Vacuous, "{json}");
    assert!(explained("vacuous.json", &json).contains("VACUOUS"));
    let nothing = "int main(void) { return __VERIFIER_nondet_int(); }";
    let (code, document, json) = check_program("nothing.i", nothing, &[]);
    assert_eq!(code, 0, "{json}");
    assert_eq!(document.vacuity.expect("it is safe").status, VacuityStatus::Vacuous, "{json}");
    // The text says so too.
    let path = written("nothing-text.i", &format!("{HEAD}{nothing}"));
    let mut cairn = Command::new(env!("CARGO_BIN_EXE_cairn"));
    let output = cairn.args(["check", "--property", "assert"]).arg(path).output();
    let text = String::from_utf8(output.expect("cairn runs").stdout).expect("it is text");
    assert!(text.contains("the proof is vacuous"), "{text}");
    assert!(text.ends_with("verdict: safe\n"), "{text}");
    // An assertion that is reached and holds is none.
    let asserted = "extern void __VERIFIER_assert(int);
        int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assert((x & 1) < 2);
          return 0; }";
    let (code, document, json) = check_program("asserted.i", asserted, &[]);
    assert_eq!(code, 0, "{json}");
    assert_ne!(document.vacuity.expect("it is safe").status, VacuityStatus::Vacuous, "{json}");
}

#[test]
fn what_was_tried_is_told() {
    // Fermat for n = 3 over small numbers needs more than half a second.
    let program = "unsigned long long cube(unsigned long long x) { return x * x * x; }
        int main(void) { unsigned a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(),
            c = __VERIFIER_nondet_int();
          if (a && b && a < 60000 && b < 60000 && c < 90000 &&
              cube(a) + cube(b) == cube(c)) reach_error(); return 0; }";
    let (code, document, json) = check_program("fermat.i", program, &["--time-limit", "0.5"]);
    assert_eq!((code, document.verdict), (5, Verdict::Unknown), "{json}");
    assert!(document.reason.is_some(), "{json}");
    let text = explained("fermat.json", &json);
    assert!(text.contains("There is no answer"), "{text}");
    assert!(text.contains("the limit was 0.5 s"), "{text}");
}

#[test]
fn an_executed_program_has_its_assignments() {
    let program = "int main(void) { int i, s = 0; for (i = 0; i < 4; i++) s += i;
                     if (s HOLE 6) reach_error(); return 0; }";
    let (code, document, json) = check_program("run.i", &program.replace("HOLE", "=="), &[]);
    assert_eq!(code, 10, "{json}");
    let run = document.answers[0].run.as_ref().expect("unsafe answers have a run");
    assert!(run.steps.iter().any(|step| step.what == "s" && step.value == "6"), "{json}");
    let (code, document, json) = check_program("ran.i", &program.replace("HOLE", "!="), &[]);
    assert_eq!(code, 0, "{json}");
    let proof = document.answers[0].proof.as_ref().expect("safe answers have a proof");
    assert_eq!(proof.kind, ProofKind::Executed, "{json}");
}

#[test]
fn circuits_have_documents_too() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (file, code, engine) in
        [("arbiter.aag", 0, "auto"), ("counter.btor2", 10, "auto"), ("counter.btor2", 10, "bmc")]
    {
        let (exit, json) = check(&examples.join(file), &["--engine", engine]);
        let (text, _) = check(&examples.join(file), &["--engine", engine, "--quiet"]);
        assert_eq!(exit, text, "{json}");
        conforms(&json);
        let document = Document::read(&json).expect("it is of the form");
        assert_eq!(exit, code, "{json}");
        let answer = &document.answers[0];
        assert!(answer.check.is_some(), "{json}");
        let words = explained("circuit.json", &json);
        match &answer.run {
            Some(run) => {
                assert!(run.trace.as_ref().is_some_and(|trace| !trace.is_empty()), "{json}");
                assert!(words.contains("clock ticks"), "{words}");
            }
            None => assert!(words.contains("inductive"), "{words}"),
        }
    }
}

#[test]
fn what_is_no_result_is_rejected() {
    for text in ["", "{}", "[1, 2]", "{\"schema\": 99}", "verdict: safe"] {
        let path = written("no-result.json", text);
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        let output = command.arg("explain").arg(path).stdout(Stdio::piped()).output();
        assert_eq!(output.expect("cairn runs").status.code(), Some(2), "{text}");
    }
}
