//! Programs of controllers on the command line: requirements one by one, runs without end, pages, tables,
//! classes of inputs; and `cairn run` for every kind of file.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of a test's own, which goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("cairn-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder of our own");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("the folder is ours");
        path.display().to_string()
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("it was written")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What cairn prints, and its exit code.
fn cairn(arguments: &[&str]) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_cairn")).args(arguments).output();
    let output = output.expect("cairn runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    let text = String::from_utf8(output.stdout).expect("text");
    let code = output.status.code().expect("cairn ends by itself");
    assert!(!errors.contains("panicked"), "{errors}");
    (text, code)
}

fn document(arguments: &[&str]) -> Value {
    let (text, _) = cairn(&[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    path.display().to_string()
}

#[test]
fn the_washing_line_is_proved_over_unbounded_time() {
    let (program, requirements) = (example("wash.st"), example("wash.yaml"));
    let (text, code) = cairn(&["check", &program, "--entry", "Wash", "--property", &requirements]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("\n10 requirements: 10 safe\nverdict: safe\n"), "{text}");
    let line = "service: safe  Service is asked for if and only if five loads were washed\n";
    assert!(text.contains(line), "{text}");
}

/// Each timer of the washing line, a millisecond too short or too long.
#[test]
fn timers_that_are_off_by_one_are_refuted_with_a_diagram() {
    let folder = Folder::new("wash");
    let program = std::fs::read_to_string(example("wash.st")).expect("the example");
    let requirements = example("wash.yaml");
    for (timer, time, late, early) in [
        ("filled", 300, "water-in-time", "drum-not-early"),
        ("turned", 500, "drum-in-time", "pump-not-early"),
        ("emptied", 200, "pump-in-time", "done-not-early"),
    ] {
        for (wrong, violated) in [(time + 1, late), (time - 1, early)] {
            let before = format!("PT := T#{time}ms");
            assert_eq!(program.matches(&before).count(), 1);
            let mutant = program.replace(&before, &format!("PT := T#{wrong}ms"));
            let file = folder.write("mutant.st", &mutant);
            let (page, table) = (folder.path("run.html"), folder.path("run.csv"));
            let asked = ["check", &file, "--entry", "Wash", "--property", &requirements];
            let (text, code) = cairn(&[&asked[..], &["--html", &page, "--csv", &table]].concat());
            assert_eq!(code, 10, "{timer} {wrong}: {text}");
            assert!(text.contains(&format!("\n{violated}: unsafe")), "{timer} {wrong}: {text}");
            let page = folder.read("run.html");
            let diagram = &page[page.find("<svg").expect("a diagram")..];
            assert!(diagram.contains(&format!(">{timer}.ET</text>")), "{timer} {wrong}");
            assert!(!page.contains("__since"));
            let table = folder.read("run.csv");
            assert!(table.starts_with("cycle,time_ms,start,acknowledge,water,"), "{table}");
        }
    }
}

const DOOR: &str = "FUNCTION_BLOCK Door\nVAR_INPUT open, close : BOOL; END_VAR\n\
    VAR_OUTPUT moves, isopen : BOOL; END_VAR VAR t : TON; END_VAR\n\
    t(IN := moves, PT := T#200ms);\n\
    IF t.Q THEN isopen := NOT isopen; moves := FALSE;\n\
    ELSIF open AND NOT isopen OR close AND isopen THEN moves := TRUE; END_IF;\n\
    END_FUNCTION_BLOCK\n";

#[test]
fn each_requirement_has_an_answer_of_its_own() {
    let folder = Folder::new("requirements");
    let program = folder.write("door.st", DOOR);
    let requirements = folder.write(
        "door.yaml",
        "- {name: R1, text: It stands still in the end, pattern: response, 1: moves, 2: NOT moves}\n\
         - {name: R2, text: It never moves, pattern: forbidden, 1: moves}\n\
         - {name: R3, text: It can be open, pattern: reachability, 1: isopen}\n\
         - {name: R4, text: It can't be both, pattern: reachability, 1: isopen AND NOT isopen}\n",
    );
    let asked = ["check", &program, "--entry", "Door", "--property", &requirements];
    let (text, code) = cairn(&asked);
    assert_eq!(code, 10, "{text}");
    for line in [
        "R1: safe  It stands still in the end\n",
        "\nR2: unsafe  It never moves\n",
        "\nR3: safe  It can be open\n",
        "\nR4: unsafe  It can't be both\n",
        "\n4 requirements: 2 unsafe, 2 safe\nverdict: unsafe\n",
    ] {
        assert!(format!("\n{text}").contains(line), "{line}: {text}");
    }
    // The place of a violation is that of the requirement.
    assert!(text.contains(&format!("  {requirements}:")), "{text}");
    let document = document(&asked);
    assert_eq!(document["verdict"], "unsafe");
    let answers = document["answers"].as_array().expect("a list");
    let told = answers.iter().map(|answer| {
        let requirement = &answer["requirement"];
        json!([requirement["name"], requirement["verdict"], answer["run"]["cycles"].is_array()])
    });
    let expected = [
        json!(["R1", "safe", false]),
        json!(["R2", "unsafe", true]),
        json!(["R3", "safe", true]),
        json!(["R4", "unsafe", false]),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert_eq!(answers[0]["requirement"]["text"], "It stands still in the end");
}

#[test]
fn a_run_without_end_has_a_stem_and_a_loop() {
    let folder = Folder::new("lasso");
    let program = folder.write("door.st", DOOR);
    let pattern = r#"{"pattern": "response", "1": "isopen", "2": "NOT isopen"}"#;
    let asked = ["check", &program, "--entry", "Door", "--pattern", pattern];
    // A door that is open stays so, if nobody wants it closed.
    let (text, code) = cairn(&asked);
    assert_eq!(code, 10, "{text}");
    let repeats = |text: &str| text.contains(" for ever\n");
    assert!(repeats(&text), "{text}");
    assert!(!text.contains("loop begins"), "{text}");
    assert!(text.contains("No other inputs fail here in so many cycles.\n"), "{text}");
    let document = document(&asked);
    let run = &document["answers"][0]["run"];
    let first = run["repeats"].as_u64().expect("a number") as usize;
    let cycles = run["cycles"].as_array().expect("a list");
    assert!(0 < first && first <= cycles.len(), "{run}");
    for cycle in &cycles[first - 1..] {
        assert_eq!(cycle["isopen"], true, "{run}");
    }
    // Once it moves, it opens.
    let pattern = r#"{"pattern": "response", "1": "moves AND NOT isopen", "2": "isopen"}"#;
    let (text, code) = cairn(&["check", &program, "--entry", "Door", "--pattern", pattern]);
    assert_eq!(code, 0, "{text}");
    // Inputs can avoid that it moves, so nothing is known without a bound.
    let pattern = r#"{"pattern": "repeatability", "1": "moves"}"#;
    let (text, code) = cairn(&["check", &program, "--entry", "Door", "--pattern", pattern]);
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("verdict: unknown (inputs can avoid it for ever; "), "{text}");
    let pattern = r#"{"pattern": "repeatability", "1": "NOT moves"}"#;
    let (text, code) = cairn(&["check", &program, "--entry", "Door", "--pattern", pattern]);
    assert_eq!(code, 0, "{text}");
}

#[test]
fn memory_that_is_not_compared_leaves_a_loop_open() {
    let folder = Folder::new("memory");
    let text = "FUNCTION_BLOCK F\nVAR_INPUT i : INT; stop : BOOL; END_VAR\n\
        VAR list : ARRAY[0..999] OF INT; waits : BOOL; END_VAR\n\
        IF i >= 0 AND i < 1000 THEN list[i] := list[i] + 1; END_IF;\n\
        waits := list[0] < 5 AND NOT stop;\nEND_FUNCTION_BLOCK\n";
    let program = folder.write("list.st", text);
    let pattern = r#"{"pattern": "response", "1": "waits", "2": "NOT waits"}"#;
    let limit = ["--time-limit", "10"];
    let asked = ["check", &program, "--entry", "F", "--pattern", pattern];
    let (text, code) = cairn(&[&asked[..], &limit].concat());
    assert_eq!(code, 5, "{text}");
}

#[test]
fn classes_of_inputs_are_explained() {
    // The shortest run, in one round.
    let asked =
        ["check", &example("position_encoder.c"), "--property", "assert", "--engine", "bmc"];
    let folder = Folder::new("class");
    let (text, _) = cairn(&[&asked[..], &["--format", "json"]].concat());
    let (text, _) = cairn(&["explain", &folder.write("run.json", &text)]);
    let expected = "begin.multi < pos.multi < end.multi and pos.single < begin.single\n";
    assert!(text.contains(&format!("    for every end.single, whenever {expected}")), "{text}");
    assert!(text.contains("No other inputs fail here in so many rounds.\n"), "{text}");
    let encoder = example("position_encoder.st");
    let assertion = "NOT wanted OR dangerrange";
    let asked = ["check", &encoder, "--entry", "Encoder", "--assertion", assertion];
    let (text, _) = cairn(&[&asked[..], &["--engine", "bmc"]].concat());
    let expected = "first.multi < pos.multi < last.multi and pos.single < first.single\n";
    assert!(text.contains(&format!("for every last.single, whenever {expected}")), "{text}");
}

#[test]
fn programs_run_with_values_in_order() {
    let folder = Folder::new("run-c");
    let program = folder.write(
        "a.c",
        "extern int __VERIFIER_nondet_int(void);\nextern double __VERIFIER_nondet_double(void);\n\
         #include <assert.h>\nint main(void)\n{\n    int x = __VERIFIER_nondet_int();\n\
         double y = __VERIFIER_nondet_double();\n    assert(x + y < 10);\n    return 0;\n}\n",
    );
    let run = |values: &str| {
        let values = folder.write("values.json", values);
        cairn(&["run", &program, "--inputs", &values])
    };
    let (text, code) = run("[3, 2.5]");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("a.c:6:13: __VERIFIER_nondet_int() gives 3\n"), "{text}");
    assert!(text.contains(": y = 2.5"), "{text}");
    assert!(text.ends_with("the run finished\n"), "{text}");
    let (text, code) = run("[8, 2.5, 1]");
    assert_eq!(code, 10, "{text}");
    assert!(text.contains("not asked for: the last value given\n"), "{text}");
    assert!(text.contains("a.c:8:5: violation of assert\n"), "{text}");
    let (text, code) = run("[8]");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("zero was taken for the value not given\n"), "{text}");
    assert_eq!(run("[1.5]").1, 2);
    let values = folder.write("values.json", "[9, 1]");
    let document = document(&["run", &program, "--inputs", &values]);
    assert_eq!(document["ended"], "violation");
    assert_eq!(document["steps"][0]["value"], "9");
}

#[test]
fn circuits_run_along_traces() {
    let folder = Folder::new("run-circuit");
    // A bit that toggles while its input is set, and is bad when it is set.
    let circuit = folder.write("t.aag", "aag 2 1 1 0 0 1\n2\n4 4\n4\ni0 go\nl0 bit\n");
    let trace = folder.write("t.wit", "1\nb0\n0\n1\n0\n.\n");
    let (text, code) = cairn(&["run", &circuit, "--inputs", &trace]);
    assert_eq!((code, text.lines().count()), (0, 7), "{text}");
    let counter = example("counter.btor2");
    let witness = folder.path("counter.wit");
    assert_eq!(cairn(&["check", &counter, "--witness", &witness]).1, 10);
    let (text, code) = cairn(&["run", &counter, "--inputs", &witness]);
    assert_eq!(code, 10, "{text}");
    assert!(text.starts_with("cycle 1\n"), "{text}");
    let document = document(&["run", &counter, "--inputs", &witness]);
    let steps = document.as_array().expect("a list");
    let bad = |step: &Value| {
        let mut fields = step.as_object().expect("an object").iter();
        fields.any(|(name, value)| *name == "ran_too_long" && *value == json!(1))
    };
    assert!(steps.last().is_some_and(bad), "{document}");
    assert!(!steps[..steps.len() - 1].iter().any(bad), "{document}");
}

#[test]
fn controllers_run_cycle_by_cycle_with_a_page_and_a_table() {
    let folder = Folder::new("run-st");
    let program = folder.write("door.st", DOOR);
    let cycles =
        r#"[{"time_us": 0, "set": {"open": true}}, {"time_us": 150500}, {"time_us": 250000}]"#;
    let cycles = folder.write("cycles.json", cycles);
    let (page, table) = (folder.path("p.html"), folder.path("t.csv"));
    let asked = ["run", &program, "--entry", "Door", "--inputs", &cycles];
    let (text, code) = cairn(&[&asked[..], &["--html", &page, "--csv", &table]].concat());
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("t = (IN := TRUE, PT := 200, Q := FALSE, ET := 0)\n"), "{text}");
    assert!(folder.read("p.html").contains(">t.ET</text>"));
    let table = folder.read("t.csv");
    let lines: Vec<&str> = table.split("\r\n").collect();
    assert_eq!(lines[0], "cycle,time_ms,open,close,moves,isopen,t.IN,t.ET");
    assert_eq!(lines[2], "2,150.500,TRUE,FALSE,TRUE,FALSE,TRUE,0");
}
