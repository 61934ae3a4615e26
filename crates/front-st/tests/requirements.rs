//! Files of requirements: what they state, messages, and the pattern of responses, which is run.

use front_st::compile::{Settings, Stated, Text, compile};
use front_st::requirements::{Required, is_file, read};
use program::Property;
use program::interpret::{Interpreter, Oracle, Outcome, Request};
use source::SourceMap;
use term::Value;

fn requirements(name: &str, text: &str) -> Result<Vec<Required>, String> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text.as_bytes()).expect("a small text");
    read(sources.file(file))
        .map_err(|errors| errors.iter().map(|error| error.render(&sources)).collect())
}

/// `name: pattern(expressions) text`
fn states(name: &str, text: &str, expected: &[&str]) {
    let all = requirements(name, text).unwrap_or_else(|errors| panic!("{errors}"));
    let shown = all.iter().map(|r| {
        let expressions = r.stated.expressions.join("; ");
        format!("{}: {}({expressions}) {}", r.name, r.stated.pattern, r.text).trim_end().to_owned()
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected);
}

#[test]
fn lists_in_yaml_and_json() {
    states(
        "a.yaml",
        "requirements:\n  - name: R1\n    text: The pump stands still\n    pattern: implication\n    1: closed\n    2: NOT pump\n  - {pattern: pattern-invariant, 1: x < 5}\n",
        &["R1: implication(closed; NOT pump) The pump stands still", "2: invariant(x < 5)"],
    );
    states(
        "a.json",
        r#"[{"name": "R", "pattern": "statechange-betweencycles", "1": "a", "2": "b", "3": "c"}]"#,
        &["R: statechange-betweencycles(a; b; c)"],
    );
    states(
        "b.yml",
        "properties:\n  - id: P1\n    kind: mutual_exclusion\n    variables: [a, b, c]\n  - id: P2\n    kind: absence\n    expression: \"x && !y\"\n    justification: why\n  - id: P3\n    kind: response\n    trigger: go\n    response: done\n    max_scans: 2\n",
        &[
            "P1: forbidden((a AND b) OR (a AND c) OR (b AND c))",
            "P2: forbidden(x && !y)",
            "P3: response(go; done; 2)",
        ],
    );
}

#[test]
fn verification_cases() {
    states(
        "case.vc3",
        "-id = \"demo1\"\n-name = \"Demo\"\n-description = \"says \\\"no\\\"\"\n-job = verif\n-job.req = pattern\n-job.req.pattern_id = \"pattern-implication\"\n-job.req.pattern_params.1 = \"instance.a AND myinstance.b\"\n-job.req.pattern_params.2 = \"(instance.c)\"\n-sourcefiles.0 = \"*.scl\"\n",
        &["Demo: implication(a AND myinstance.b; (c)) says \"no\""],
    );
    assert!(is_file("x/case.VC3") && is_file("a.json") && !is_file("a.prp"));
}

#[test]
fn places_and_messages() {
    let mut sources = SourceMap::new();
    let text = "- {pattern: invariant, 1: a > 1}\n- {pattern: invariant, 1: b > 1}\n";
    let file = sources.add("a.yaml", text.as_bytes()).expect("a small text");
    let all = read(sources.file(file)).expect("requirements");
    assert_eq!(sources.physical(all[1].span).to_string(), "a.yaml:2:27");
    let wrong = |text: &str| {
        requirements("a.yaml", text).expect_err("wrong").lines().next().map(str::to_owned)
    };
    let says = |text: &str, expected: &str| assert_eq!(wrong(text).as_deref(), Some(expected));
    says("x: 5", "a.yaml:1:1: error: expected a list of requirements");
    says("- {name: R, 1: a}", "a.yaml:1:10: error: requirement 'R' has no pattern");
    says(
        "- {name: R, pattern: implication, 2: a}",
        "a.yaml:1:10: error: requirement 'R' lacks an expression",
    );
    says("- {name: R, colour: red}", "a.yaml:1:13: error: a requirement has no 'colour'");
    assert!(wrong("- [").is_some_and(|line| line.contains("this is not YAML or JSON")));
}

/// The inputs of each cycle, one after the other.
struct Given(Vec<bool>);

impl Oracle for Given {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        (request.sort == term::Sort::Bool).then(|| Value::Bool(self.0.remove(0)))
    }
}

#[test]
fn responses_come_within_so_many_cycles() {
    const CYCLES: usize = 4;
    let text = "PROGRAM p VAR_INPUT go, done : BOOL; END_VAR END_PROGRAM";
    for within in 1..=3 {
        let expressions = vec!["go".into(), "done".into(), format!("{within}")];
        let stated = vec![Stated { pattern: "response".into(), expressions }];
        let settings = Settings { stated, cycles: Some(CYCLES as u64), ..Settings::default() };
        let texts = vec![Text { name: "p.st".into(), bytes: text.as_bytes().to_vec() }];
        let compiled = compile(texts, None, &[Property::Assert].into(), &settings);
        let lowered = compiled.lowered.expect("a program");
        for bits in 0..1u32 << (2 * CYCLES) {
            let inputs: Vec<bool> = (0..2 * CYCLES).map(|i| bits >> i & 1 == 1).collect();
            let (go, done) = (|k: usize| inputs[2 * k], |k: usize| inputs[2 * k + 1]);
            let missed = |k: usize| {
                go(k) && k + within <= CYCLES && (k..k + within).all(|later| !done(later))
            };
            let expected = (0..CYCLES).any(missed);
            let interpreter = Interpreter::new(&lowered.program).expect("well-formed");
            let outcome = interpreter.run(&mut Given(inputs.clone()));
            let violated = matches!(outcome, Outcome::Violation { .. });
            assert_eq!(violated, expected, "within {within}: {inputs:?}, {outcome:?}");
        }
    }
}

#[test]
fn what_is_to_be_reached_is_asked_alone() {
    let text = "PROGRAM p VAR_INPUT a : BOOL; END_VAR END_PROGRAM";
    let asked = |stated: Vec<Stated>| {
        let settings = Settings { stated, ..Settings::default() };
        let texts = vec![Text { name: "p.st".into(), bytes: text.as_bytes().to_vec() }];
        compile(texts, None, &[Property::Assert].into(), &settings).lowered.is_ok()
    };
    assert!(asked(vec![Stated::reachable("a")]));
    assert!(!asked(vec![Stated::reachable("a"), Stated::assertion("a")]));
    let wrong = vec!["a".into(), "a".into(), "0".into()];
    assert!(!asked(vec![Stated { pattern: "response".into(), expressions: wrong }]));
}
