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
    // What the timer keeps for itself is told nowhere.
    let asked = ["check", &program, "--entry", "Door", "--assertion", "NOT t.Q"];
    let failing = document(&asked).to_string();
    assert!(failing.contains("\"t.ET\"") && !failing.contains("__since"), "{failing}");
    let table = folder.read("t.csv");
    let lines: Vec<&str> = table.split("\r\n").collect();
    assert_eq!(lines[0], "cycle,time_ms,open,close,moves,isopen,t.IN,t.ET");
    assert_eq!(lines[2], "2,150.500,TRUE,FALSE,TRUE,FALSE,TRUE,0");
}

const SWITCH: &str = "FUNCTION_BLOCK Count\n\
    VAR_INPUT go : BOOL; END_VAR VAR_OUTPUT full : BOOL; END_VAR VAR n : INT; END_VAR\n\
    IF go AND n < 3 THEN n := n + 1; END_IF;\n\
    full := n = 3;\n\
    IF n > 3 THEN n := 0; END_IF;\n\
    END_FUNCTION_BLOCK\n\
    FUNCTION_BLOCK Switch\n\
    VAR_INPUT a, b : BOOL; END_VAR VAR_OUTPUT on : BOOL; END_VAR VAR one : Count; END_VAR\n\
    one(go := a AND_THEN b);\n\
    on := one.full OR a AND NOT a;\n\
    END_FUNCTION_BLOCK\n\
    FUNCTION Unused : INT Unused := 1; END_FUNCTION\n";

#[test]
fn programs_are_covered_with_vectors_and_proofs() {
    let folder = Folder::new("cover-st");
    let program = folder.write("switch.st", SWITCH);
    let vectors = folder.path("vectors");
    let (page, results) = (folder.path("page"), folder.path("results.xml"));
    let asked = ["cover", &program, "--entry", "Switch", "--vectors", &vectors, "--html", &page];
    let (text, code) = cairn(&[&asked[..], &["--junit", &results, "--all"]].concat());
    assert!(text.lines().last().is_some_and(|line| line.ends_with(" 0 open")), "{text}");
    assert_eq!(code, 0, "{text}");
    let line = |place: &str, about: &str, status: &str| {
        let found = text.lines().any(|line| {
            line.contains(&format!("{place}: ")) && line.contains(about) && line.contains(status)
        });
        assert!(found, "{place} {about} {status}: {text}");
    };
    line(":3:11", "'n < 3' of AND decides by itself", "covered");
    line(":5:4", "if-branch: decision is true", "infeasible");
    line(":5:15", "statement", "infeasible: no run does this");
    // Of two operands of AND that are never true together, neither decides.
    line(":10:19", "'a' of AND decides by itself", "infeasible");
    line(":10:29", "'a' of AND decides by itself", "infeasible");
    line(":12:10", "beginning of function 'Unused'", "nothing refers to the function");
    // The suite is a program of its own, which calls the unit as each vector does.
    let suite = folder.read("vectors/suite.st");
    let programs = suite.matches("\nPROGRAM vector_").count();
    assert!(programs > 0, "{suite}");
    let both = folder.write("both.st", &format!("{SWITCH}{suite}"));
    let (text, code) = cairn(&["show", &both, "--entry", "vector_1", "--stage", "program"]);
    assert_eq!(code, 0, "{text}");
    let kept: Value =
        serde_json::from_str(&folder.read("vectors/vectors.json")).expect("it is JSON");
    assert_eq!(kept["vectors"].as_array().map(Vec::len), Some(programs));
    assert!(folder.read("vectors/vectors.csv").starts_with("vector,cycle,a,b"));
    assert!(folder.read("page/index.html").contains("FUNCTION_BLOCK Switch"));
    assert!(folder.read("results.xml").contains("<testsuite"));
    // Without a unit that is named there is no suite, and that is said.
    let document = document(&["cover", &program, "--entry", "Switch", "--goal", "statement"]);
    assert_eq!(document["unused_functions"][0]["name"], "Unused", "{document}");
}

#[test]
fn goals_of_programs_are_justified() {
    let folder = Folder::new("justified-st");
    let program = folder.write("switch.st", SWITCH);
    let configuration = folder.write(
        "cairn.toml",
        "[[cover.justified]]\ngoal = \"switch.st:Count:d3\"\nreason = \"kept for more\"\n",
    );
    let asked = ["cover", &program, "--entry", "Switch", "--goal", "decision"];
    let (text, _) = cairn(&[&asked[..], &["--config", &configuration]].concat());
    assert!(text.lines().last().is_some_and(|line| line.contains(" 1 justified")), "{text}");
    assert!(text.contains("kept for more"), "{text}");
}

#[test]
fn dead_code_of_programs_is_told() {
    let folder = Folder::new("dead-st");
    let program = folder.write("switch.st", SWITCH);
    let (text, code) = cairn(&["dead", &program, "--entry", "Switch"]);
    assert_eq!(code, 10, "{text}");
    assert!(text.contains(":5:15: statement: statement: infeasible"), "{text}");
    assert!(text.contains("Unused"), "{text}");
}

/// Versions of a program with two units.
fn version(limit: &str, step: &str) -> String {
    format!(
        "FUNCTION_BLOCK Count\nVAR_INPUT go : BOOL; END_VAR\nVAR_OUTPUT n : INT; END_VAR\n\
         IF go THEN n := n + {step}; END_IF;\n\
         IF n >= {limit} THEN n := 0; END_IF;\nEND_FUNCTION_BLOCK\n\
         FUNCTION_BLOCK Main\nVAR_INPUT a : BOOL; END_VAR\nVAR_OUTPUT many : BOOL; END_VAR\n\
         VAR count : Count; END_VAR\ncount(go := a);\nmany := count.n > 3;\n\
         END_FUNCTION_BLOCK\n"
    )
}

#[test]
fn versions_are_compared_by_requirement_and_unit() {
    let folder = Folder::new("diff-st");
    let old = folder.write("old.st", &version("10", "1"));
    let requirements = folder.write(
        "main.yaml",
        "- {name: small, pattern: invariant, 1: count.n < 10}\n\
         - {name: positive, pattern: invariant, 1: count.n >= 0}\n\
         - {name: reached, pattern: reachability, 1: many}\n\
         - {name: nine, pattern: reachability, 1: count.n = 9}\n",
    );
    let store = folder.path("store");
    let options = ["--entry", "Main", "--property", &requirements, "--store", &store];
    let (text, code) = cairn(&[&["check", &old], &options[..]].concat());
    assert_eq!(code, 0, "{text}");
    let diff = |name: &str, text: &str| {
        let new = folder.write(name, text);
        cairn(&[&["diff", &old, &new], &options[..]].concat())
    };
    let has = |text: &str, line: &str| {
        assert!(text.lines().any(|found| found.starts_with(line)), "{line}: {text}");
    };
    // Comments and layout are no difference.
    let same = version("10", "1").replace("\nIF n >=", "\n\n(* wraps *)\nIF n >=");
    let (text, code) = diff("same.st", &same);
    assert_eq!(code, 0, "{text}");
    has(&text, "changed: nothing; 2 functions are the same");
    has(&text, "small: untouched: nothing has changed, and its proof was checked again");
    has(&text, "reached: still proved");
    // Numbers that are smaller need another proof at most; one is not reached any more.
    let (text, code) = diff("less.st", &version("8", "1"));
    assert_eq!(code, 10, "{text}");
    has(&text, "changed: 1 of 2 functions");
    has(&text, &format!("  Count: {}:5:", folder.path("less.st")));
    has(&text, "positive: still proved");
    has(&text, "nine: violated: no run does it any more");
    let (text, code) = diff("more.st", &version("12", "1"));
    assert_eq!(code, 10, "{text}");
    has(&text, "small: violated; the run passes");
    let more = folder.path("more.st");
    let document = document(&[&["diff", &old, &more], &options[..]].concat());
    let fates = document["comparison"]["fates"].as_array().expect("a list");
    let became: Vec<&Value> = fates.iter().map(|fate| &fate["became"]).collect();
    assert_eq!(became[0], "violated", "{document}");
    assert!(became[1] == "still-proved" || became[1] == "proved-anew", "{document}");
    assert_eq!(document["comparison"]["changed"][0]["function"], "Count");
}

#[test]
fn cycles_that_do_not_end_are_found() {
    let folder = Folder::new("ends");
    let asked = |body: &str, options: &[&str]| {
        let program = format!(
            "FUNCTION_BLOCK F\nVAR_INPUT n, m : INT; go : BOOL; END_VAR\n\
             VAR i, k : INT; done : BOOL; END_VAR\n{body}END_FUNCTION_BLOCK\n"
        );
        let file = folder.write("f.st", &program);
        cairn(&[&["check", &file, "--entry", "F", "--time-limit", "60"], options].concat())
    };
    let ends = |body: &str, expected: i32| {
        let (text, code) = asked(body, &["--property", "termination"]);
        assert_eq!(code, expected, "{body}: {text}");
        text
    };
    ends("i := 0; WHILE i < 5 DO i := i + 1; END_WHILE;\n", 0);
    // The counter stays where the input says so.
    let text = ends("i := 0; WHILE i < 5 DO IF NOT go THEN i := i + 1; END_IF; END_WHILE;\n", 10);
    assert!(text.contains("cycle 1 does not come to its end\n"), "{text}");
    assert!(text.contains("  in  go = TRUE\n"), "{text}");
    assert!(text.contains(":4:"), "{text}");
    // One loop within another, which begins anew each time.
    let nested = "FOR i := 0 TO 300 DO k := 3; WHILE k > 0 DO k := k - 1; END_WHILE; END_FOR;\n";
    ends(nested, 0);
    ends(&nested.replace("k := k - 1;", "k := k - 1; i := 0;"), 10);
    ends("i := 0; REPEAT i := i + 1; UNTIL i = 7 END_REPEAT;\n", 0);
    ends("i := 1; REPEAT i := 3 - i; UNTIL i = n END_REPEAT;\n", 10);
    // What one cycle leaves is where the next begins.
    ends(
        "IF go THEN done := TRUE; END_IF; REPEAT k := 0; UNTIL NOT done OR n < 3 END_REPEAT;\n",
        10,
    );
    // Jumps.
    ends("i := 0; again: i := i + 1; IF i < 4 THEN JMP again; END_IF;\n", 0);
    ends("i := 0; again: i := i + 1; IF i < n THEN JMP again; END_IF;\n", 0);
    ends("again: IF n = m AND go THEN JMP again; END_IF;\n", 10);
    // A watchdog counts the rounds of all loops of a cycle.
    let twice =
        "FOR i := 1 TO 4 DO k := k; END_FOR; i := 0; WHILE i < 6 DO i := i + 1; END_WHILE;\n";
    let (text, code) = asked(twice, &["--watchdog", "10"]);
    assert_eq!(code, 0, "{text}");
    let (text, code) = asked(twice, &["--watchdog", "9"]);
    assert_eq!(code, 10, "{text}");
    assert!(text.contains("violation of termination\n"), "{text}");
    let program = folder.write("a.c", "int main(void) { return 0; }\n");
    assert_eq!(cairn(&["check", &program, "--property", "termination"]).1, 2);
}

/// The program that is written for a run that fails calls the unit so that it fails again.
#[test]
fn a_failing_run_is_replayed_by_its_test() {
    let folder = Folder::new("replay-st");
    let program = folder.write("door.st", DOOR);
    let harness = folder.path("replay.st");
    let asked = ["check", &program, "--entry", "Door", "--assertion", "NOT isopen"];
    let (text, code) = cairn(&[&asked[..], &["--harness", &harness]].concat());
    assert_eq!(code, 10, "{text}");
    let table = folder.path("run.csv");
    assert_eq!(cairn(&[&asked[..], &["--csv", &table]].concat()).1, 10);
    let rows = folder.read("run.csv");
    let times = rows.lines().skip(1).filter_map(|row| row.split(',').nth(1));
    let times: Vec<f64> = times.map(|time| time.parse().expect("a time")).collect();
    let cycle = |time: &f64| json!({"time_us": (time * 1000.0) as u64, "set": {}});
    let cycles: Vec<Value> = times.iter().map(cycle).collect();
    let cycles = folder.write("cycles.json", &json!(cycles).to_string());
    let both = folder.write("both.st", &format!("{DOOR}{}", folder.read("replay.st")));
    let run = ["run", &both, "--entry", "replay", "--inputs", &cycles];
    let seen = document(&run);
    let seen = seen.as_array().expect("a list");
    assert_eq!(seen.last().expect("a cycle")["unit"]["isopen"], true, "{seen:?}");
    // Without a unit that is named there is none.
    let (text, _) = cairn(&["check", &program, "--assertion", "NOT isopen", "--harness", &harness]);
    assert!(text.contains("no harness is written"), "{text}");
}
