//! The tool as its users see it: output, messages and exit codes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A file with this content in the tests' own directory.
fn file(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("the directory is writable");
    path
}

fn cairn(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cairn")).args(arguments).output().expect("cairn runs")
}

fn path(path: &Path) -> &str {
    path.to_str().expect("test files have plain names")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The input is rejected with exit code 2 and a message that starts with `file:place` and
/// contains `words`.
fn rejected(verb: &str, input: &Path, place: &str, words: &str) {
    let output = cairn(&[verb, path(input)]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    let head = format!("{}:{place}", path(input));
    assert!(message.starts_with(&head), "expected {head}, found {message}");
    assert!(message.contains(words), "expected {words}, found {message}");
    assert_eq!(stdout(&output), "");
}

#[test]
fn solve_prints_answers_and_models() {
    let script = file(
        "answers.smt2",
        "(declare-const x (_ BitVec 8))\n(assert (= (bvmul x x) #x31))\n(assert (bvult x #x10))\n\
         (check-sat)\n(get-value (x))\n(push 1)\n(assert (bvult x #x07))\n(check-sat)\n(pop 1)\n\
         (check-sat)\n",
    );
    let output = cairn(&["solve", path(&script)]);
    assert_eq!(stdout(&output), "sat\n((x #x07))\nunsat\nsat\n");
    assert_eq!(output.status.code(), Some(0));
    let output = cairn(&["solve", path(&script), "--model"]);
    assert!(stdout(&output).contains("(define-fun x () (_ BitVec 8) #x07)"));
}

#[test]
fn every_solver_answers() {
    let script = file(
        "floats.smt2",
        "(declare-const x Float32)\n(assert (fp.lt x (fp.neg x)))\n(check-sat)\n\
         (assert (fp.isPositive x))\n(check-sat)\n",
    );
    for solver in ["auto", "native", "cone", "cadical", "icp", "z3"] {
        let output = cairn(&["solve", path(&script), "--solver", solver]);
        assert_eq!(stdout(&output), "sat\nunsat\n", "{solver}: {}", stderr(&output));
    }
}

#[test]
fn cores_name_assertions() {
    let script = file(
        "core.smt2",
        "(set-option :produce-unsat-cores true)\n(declare-const a Bool)\n(declare-const b Bool)\n\
         (assert (! a :named first))\n(assert (! b :named second))\n\
         (assert (! (not a) :named third))\n(check-sat)\n(get-unsat-core)\n",
    );
    assert_eq!(stdout(&cairn(&["solve", path(&script)])), "unsat\n(first third)\n");
}

#[test]
fn quantifiers_and_integers_are_answered() {
    let script = file(
        "integers.smt2",
        "(declare-const n Int)\n(assert (forall ((m Int)) (=> (> m 0) (< n m))))\n\
         (assert (> n (- 2)))\n(check-sat)\n(assert (> n 0))\n(check-sat)\n",
    );
    assert_eq!(stdout(&cairn(&["solve", path(&script)])), "sat\nunsat\n");
}

#[test]
fn malformed_scripts_are_rejected_with_their_place() {
    rejected("solve", &file("open.smt2", "(assert (and true"), "1:18", "end of the file");
    let sorts = "(declare-const p Bool)\n(assert (= p #b1))\n";
    rejected("solve", &file("sorts.smt2", sorts), "2:", "Bool");
    rejected("solve", &file("name.smt2", "(assert\n  q)"), "2:3", "q");
    let strings = "(set-logic QF_S)\n(declare-const s String)\n";
    rejected("solve", &file("strings.smt2", strings), "2:18", "String");
    rejected("solve", &file("bytes.smt2", [0xff, 0xfe, 0x00]), "1:1", "");
    rejected("solve", &PathBuf::from("no-such-file.smt2"), "", "No such file");
}

#[test]
fn ten_megabytes_of_nesting() {
    let depth = 2_000_000;
    let nested = format!(
        "(declare-const p Bool)\n(assert {}p{})\n(assert (not p))\n(check-sat)\n",
        "(not ".repeat(depth),
        ")".repeat(depth)
    );
    let output = cairn(&["solve", path(&file("nested.smt2", nested))]);
    assert_eq!(stdout(&output), "unsat\n", "{}", stderr(&output));
    let unclosed = "(assert ".to_owned() + &"(not ".repeat(depth);
    rejected("solve", &file("unclosed.smt2", unclosed), "1:", "end of the file");
}

#[test]
fn time_limits_end_a_run() {
    // A product of two primes, wide enough to be out of reach.
    let script = file(
        "factor.smt2",
        "(declare-const a (_ BitVec 256))\n(declare-const b (_ BitVec 256))\n\
         (assert (= (bvmul a b) (_ bv26959946667150639794667015087019630673557916260026308143510066298881 256)))\n\
         (assert (bvult #x01 ((_ extract 127 120) a)))\n(assert (= ((_ extract 255 128) a) (_ bv0 128)))\n\
         (assert (= ((_ extract 255 128) b) (_ bv0 128)))\n(assert (bvult a b))\n(check-sat)\n",
    );
    let output = cairn(&["solve", path(&script), "--time-limit", "1"]);
    assert_eq!(stdout(&output), "unknown\n");
}

/// The unrolling grows with every step, and no step is the last one: x stays odd.
const GROWING: &str = "extern unsigned long __VERIFIER_nondet_ulong(void);
extern void reach_error(void);
int main(void)
{
    unsigned long x = 1, y = __VERIFIER_nondet_ulong() | 1;
    while (__VERIFIER_nondet_ulong()) {
        y = y * y + 2 * __VERIFIER_nondet_ulong();
        x = x * y * (x + 2 * __VERIFIER_nondet_ulong());
        if (x * y == 0)
            reach_error();
    }
    return 0;
}
";

#[test]
fn memory_limits_end_a_run() {
    const LIMIT: u64 = 100;
    let program = file("growing.c", GROWING);
    let megabytes = LIMIT.to_string();
    let arguments = ["--engine", "bmc", "--time-limit", "100", "--memory-limit", &megabytes];
    let mut child = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["check", path(&program), "--data-model", "LP64"])
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .expect("cairn starts");
    let mut peak = 0;
    while child.try_wait().expect("the child can be waited for").is_none() {
        peak = peak.max(peak_megabytes(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("the child has ended");
    let text = stdout(&output);
    assert!(last_line(&text).starts_with("verdict: unknown ("), "{text}");
    assert!(text.ends_with("memory limit)\n"), "{text}");
    assert_eq!(output.status.code(), Some(5));
    assert!(peak * 10 <= LIMIT * 11, "{peak} MB");
    assert!(peak * 10 >= LIMIT * 9, "{peak} MB are no test of the limit");
}

/// A limit of the system's on addresses ends a run as one of ours does, before allocations fail.
#[test]
fn address_space_ends_a_run() {
    let program = file("growing_addresses.c", GROWING);
    let cairn = env!("CARGO_BIN_EXE_cairn");
    let run = format!(
        "ulimit -v 2000000; exec {cairn} check {} --data-model LP64 --engine bmc --time-limit 100",
        path(&program)
    );
    let output = Command::new("sh").args(["-c", &run]).output().expect("sh runs");
    let text = stdout(&output);
    assert!(last_line(&text).starts_with("verdict: unknown ("), "{text}");
    assert!(text.ends_with("memory limit)\n"), "{text}");
    assert_eq!(output.status.code(), Some(5));
}

#[test]
fn an_interrupted_run_says_so() {
    let program = file("endless.c", GROWING);
    for signal in ["-INT", "-TERM"] {
        let child = Command::new(env!("CARGO_BIN_EXE_cairn"))
            .args(["check", path(&program), "--data-model", "LP64", "--engine", "ic3cfa"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("cairn starts");
        std::thread::sleep(Duration::from_millis(500));
        let kill = format!("kill {signal} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("sh runs").success());
        let output = child.wait_with_output().expect("the child has ended");
        let text = stdout(&output);
        assert!(last_line(&text).starts_with("verdict: unknown ("), "{text}");
        assert!(text.ends_with("interrupted)\n"), "{text}");
        assert_eq!(output.status.code(), Some(5));
    }
}

/// The most memory that a process has had in use.
fn peak_megabytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes >> 10)
}

#[test]
fn mistakes_in_the_command_line() {
    assert_eq!(cairn(&[]).status.code(), Some(1));
    assert_eq!(cairn(&["frobnicate"]).status.code(), Some(1));
    assert_eq!(cairn(&["solve", "x.smt2", "--time-limit", "-3"]).status.code(), Some(1));
    assert_eq!(cairn(&["--help"]).status.code(), Some(0));
    assert_eq!(cairn(&["--version"]).status.code(), Some(0));
}

#[test]
fn circuits_get_verdicts_and_witnesses() {
    // high' = ¬(¬low ∧ ¬high); bad is low ∧ high.
    let safe = file("safe.aag", "aag 4 0 2 0 2 1\n2 6\n4 7\n8\n6 3 5\n8 2 4\n");
    let output = cairn(&["check", path(&safe)]);
    assert_eq!(stdout(&output), "verdict: safe\n", "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(0));

    let reached = file("unsafe.aag", "aag 4 0 2 0 2 1\n2 6\n4 7\n4\n6 3 5\n8 2 4\n");
    let witness = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("unsafe.witness");
    let output = cairn(&["check", path(&reached), "--witness", path(&witness)]);
    assert_eq!(stdout(&output), "verdict: unsafe\n", "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(10));
    let text = std::fs::read_to_string(&witness).expect("a witness was written");
    assert!(text.starts_with("1\nb0\n00\n"), "{text}");

    for engine in ["ic3", "bmc", "kind", "portfolio"] {
        let output = cairn(&["check", path(&reached), "--engine", engine]);
        assert_eq!(stdout(&output), "verdict: unsafe\n", "{engine}: {}", stderr(&output));
    }
}

#[test]
fn words_get_verdicts() {
    let system = "1 sort bitvec 1\n2 sort bitvec 8\n3 zero 2\n4 state 2 count\n5 init 2 4 3\n\
                  6 one 2\n7 add 2 4 6\n8 next 2 4 7\n9 constd 2 200\n10 eq 1 4 9\n11 bad 10\n";
    let output = cairn(&["check", path(&file("count.btor2", system))]);
    assert_eq!(stdout(&output), "verdict: unsafe\n", "{}", stderr(&output));
    let odd = system.replace("6 one 2", "6 constd 2 2").replace("constd 2 200", "constd 2 201");
    let output = cairn(&["check", path(&file("even.btor2", odd))]);
    assert_eq!(stdout(&output), "verdict: safe\n", "{}", stderr(&output));
}

#[test]
fn malformed_circuits_are_rejected() {
    rejected("check", &file("header.aag", "aag 1 2 3\n"), "", "");
    rejected("check", &file("truncated.aig", "aig 2147483647 0 0 0 2147483647 1\n0\n"), "", "");
    rejected("check", &file("cycle.aag", "aag 2 0 0 0 2 1\n2\n2 4 4\n4 2 2\n"), "", "");
    let promise = "aig 4294967295 0 0 0 4294967295 1\n0\n";
    rejected("check", &file("promise.aig", promise), "1:5", "too large");
    let counts = "aag 3 1 1 0 1 1\n2\n4 6\n6\n";
    rejected("check", &file("counts.aag", counts), "5:1", "header");
    let binary = "aig 3 1 1 0 1 1\n6\n6\n\x02";
    rejected("check", &file("cut.aig", binary), "byte", "header");
    let noise: Vec<u8> =
        (0..1 << 20).map(|k: u32| (k.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    rejected("check", &file("noise.aig", &noise), "1:1", "not an AIGER file");
    rejected("check", &file("noise.btor2", &noise), "1:1", "");
    rejected("check", &file("cut.btor2", "1 sort bitvec 8\n2 state 1\n3 add 1 2"), "3:", "");
    let later = "1 sort bitvec 8\n2 add 1 3 3\n3 add 1 2 2\n";
    rejected("check", &file("cycle.btor2", later), "2:", "");
    rejected("check", &file("nothing.aag", "aag 1 1 0 0 0\n2\n"), "", "no bad property");
    rejected("check", &file("sort.btor2", "1 sort bitvec 0\n"), "", "");
    let unknown = file("program.xyz", "");
    assert_eq!(cairn(&["check", path(&unknown)]).status.code(), Some(2));
}

#[test]
fn witnesses_are_validated() {
    let safe = file("certified.aag", "aag 4 0 2 0 2 1\n2 6\n4 7\n8\n6 3 5\n8 2 4\n");
    let reached = file("violated.aag", "aag 4 0 2 0 2 1\n2 6\n4 7\n4\n6 3 5\n8 2 4\n");
    let witness = |name: &str| PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let (certificate, trace) = (witness("certified.aig"), witness("violated.trace"));
    for (circuit, witness) in [(&safe, &certificate), (&reached, &trace)] {
        cairn(&["check", path(circuit), "--witness", path(witness)]);
    }
    let validate = |circuit: &Path, witness: &Path| {
        let output = cairn(&["validate", path(circuit), "--witness", path(witness)]);
        (output.status.code(), stdout(&output) + &stderr(&output))
    };
    assert_eq!(validate(&safe, &certificate), (Some(0), "verdict: safe\n".to_owned()));
    assert_eq!(validate(&reached, &trace), (Some(10), "verdict: unsafe\n".to_owned()));
    // Each of the other circuit, and the circuit as its own certificate.
    for (circuit, witness) in [(&safe, &trace), (&reached, &certificate), (&reached, &reached)] {
        let (code, text) = validate(circuit, witness);
        assert_eq!(code, Some(5), "{text}");
        assert!(text.starts_with("verdict: unknown (the witness is not accepted"), "{text}");
    }
    let nonsense = file("nonsense.trace", "1\nb0\n0z\n.\n");
    let (code, text) = validate(&reached, &nonsense);
    assert_eq!(code, Some(2));
    assert!(text.starts_with(&format!("{}:3:", path(&nonsense))), "{text}");
}

#[test]
fn each_of_several_properties_gets_its_verdict_and_its_witness() {
    // As above, with low ∧ high, high, and low ∧ ¬low as bad.
    let text = "aag 5 0 2 0 3 3\n2 6\n4 7\n8\n4\n10\n6 3 5\n8 2 4\n10 2 3\n";
    let circuit = file("several.aag", text);
    let witness = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("several.witness");
    let output = cairn(&["check", path(&circuit), "--witness", path(&witness)]);
    // Each comes as soon as it is known.
    let text = stdout(&output);
    let mut lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.pop(), Some("verdict: unsafe"), "{}", stderr(&output));
    lines.sort_unstable();
    assert_eq!(lines, ["property b0: safe", "property b1: unsafe", "property b2: safe"]);
    assert_eq!(output.status.code(), Some(10));
    let validate = |witness: &str, property: &str| {
        let file = path(&circuit);
        let output = cairn(&["validate", file, "--witness", witness, "--property", property]);
        output.status.code()
    };
    assert_eq!(validate(path(&witness), "1"), Some(10));
    for (property, other) in [("0", "1"), ("2", "1")] {
        let certificate = format!("{}.b{property}.aig", path(&witness));
        assert_eq!(validate(&certificate, property), Some(0));
        assert_eq!(validate(&certificate, other), Some(5), "a certificate of another property");
        assert_eq!(validate(&certificate, "3"), Some(2), "there is no such property");
    }
}

#[test]
fn liveness_is_rejected_by_name() {
    let justice = "aag 1 0 1 0 0 1 0 1 0\n2 3\n2\n1\n2\n";
    rejected("check", &file("justice.aag", justice), "1:", "justice");
    let fairness = "aag 1 0 1 0 0 1 0 0 1\n2 3\n2\n2\n";
    rejected("check", &file("fairness.aag", fairness), "1:", "fairness");
}

#[test]
fn stages_are_shown() {
    let program = file("shown.i", "int main(void) { int i; for (i = 0; i < 3; i++); return i; }\n");
    for stage in ["program", "cfa", "lbe"] {
        for format in ["text", "dot"] {
            let output = cairn(&["show", path(&program), "--stage", stage, "--format", format]);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            let graph = stdout(&output).starts_with("digraph");
            assert_eq!(graph, format == "dot", "{}", stdout(&output));
        }
    }
}
