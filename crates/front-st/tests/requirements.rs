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
    let shown = all.into_iter().map(|r| {
        let expressions = r.stated.expressions.join("; ");
        let Stated { name, pattern, text, .. } = r.stated;
        format!("{name}: {pattern}({expressions}) {text}").trim_end().to_owned()
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

/// The place is that of the first expression itself, not of the same text in a name, in a text, or in the
/// requirement before.
#[test]
fn each_requirement_has_its_own_place() {
    let places = |name: &str, text: &str| {
        let mut sources = SourceMap::new();
        let file = sources.add(name, text.as_bytes()).expect("a small text");
        let all = read(sources.file(file)).expect("they are well formed");
        let place = |required: Required| {
            let at = sources.presumed(required.span);
            (at.line, at.column)
        };
        all.into_iter().map(place).collect::<Vec<_>>()
    };
    let text = "- name: a or b\n  pattern: implication\n  1: a\n  2: b\n\
                - {name: b, text: not b, pattern: invariant, 1: b}\n\
                - id: P3\n  expression: \"b\"\n  kind: absence\n\
                - id: P4\n  kind: mutual_exclusion\n  variables: [a, b]\n\
                - id: P5\n  pattern: invariant\n  1: >\n    b\n";
    assert_eq!(places("a.yaml", text), [(3, 6), (5, 49), (7, 16), (11, 3), (14, 3)]);
    let text = "[{\"1\": \"a\", \"2\": \"b\", \"pattern\": \"implication\"},\n\
                {\"name\": \"b\", \"pattern\": \"forbidden\", \"1\": \"b\"}]\n";
    assert_eq!(places("a.json", text), [(1, 9), (2, 45)]);
    let text = "-id = \"c\"\n-job.req.pattern_id = \"pattern-invariant\"\n\
                -job.req.pattern_params.1 = \"instance.c\"\n";
    assert_eq!(places("case.vc3", text), [(3, 30)]);
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

/// The inputs of each cycle, one after the other, and how long cycles take.
struct Given {
    inputs: Vec<bool>,
    times: Vec<u64>,
}

impl Oracle for Given {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        match request.sort {
            term::Sort::Bool => Some(Value::Bool(self.inputs.remove(0))),
            term::Sort::BitVec(width) => {
                Some(Value::Bits(value::Bits::from_u64(width, self.times.remove(0))))
            }
            _ => None,
        }
    }
}

/// How many cycles are looked at, and how long each takes, in milliseconds.
const CYCLES: usize = 5;
const TIMES: [u64; CYCLES] = [7, 10, 20, 10, 30];

/// Two inputs, cycle by cycle.
struct Inputs(Vec<bool>);

impl Inputs {
    fn a(&self, cycle: usize) -> bool {
        self.0[2 * cycle]
    }

    fn b(&self, cycle: usize) -> bool {
        self.0[2 * cycle + 1]
    }

    /// The time between the ends of two cycles.
    fn between(&self, from: usize, to: usize) -> u64 {
        TIMES[from + 1..=to].iter().sum()
    }
}

/// A pattern is violated by the runs that its meaning says, of all runs of so many cycles.
fn means(pattern: &str, expressions: &[&str], violated: impl Fn(&Inputs) -> bool) {
    let text = "PROGRAM p VAR_INPUT a, b : BOOL; END_VAR END_PROGRAM";
    let expressions = expressions.iter().map(|text| (*text).to_owned()).collect();
    let stated = vec![Stated::new(pattern, expressions)];
    let settings = Settings { stated, cycles: Some(CYCLES as u64), ..Settings::default() };
    let texts = vec![Text { name: "p.st".into(), bytes: text.as_bytes().to_vec() }];
    let compiled = compile(texts, None, &[Property::Assert].into(), &settings);
    let lowered = compiled.lowered.unwrap_or_else(|errors| panic!("{pattern}: {errors:?}"));
    for bits in 0..1u32 << (2 * CYCLES) {
        let inputs: Vec<bool> = (0..2 * CYCLES).map(|i| bits >> i & 1 == 1).collect();
        let mut given = Given { inputs: inputs.clone(), times: TIMES.to_vec() };
        let expected = violated(&Inputs(inputs));
        let interpreter = Interpreter::new(&lowered.program).expect("well-formed");
        let outcome = interpreter.run(&mut given);
        let found = matches!(outcome, Outcome::Violation { .. });
        assert_eq!(found, expected, "{pattern} {:?}: {bits:b}, {outcome:?}", settings.stated);
    }
}

/// Whether something is so of some cycle.
fn some(test: impl Fn(usize) -> bool) -> bool {
    (0..CYCLES).any(test)
}

#[test]
fn responses_come_within_a_bound() {
    for within in 1..=3 {
        let missed = |i: &Inputs, k: usize| {
            i.a(k) && k + within <= CYCLES && (k..k + within).all(|later| !i.b(later))
        };
        means("response", &["a", "b", &within.to_string()], |i| some(|k| missed(i, k)));
        means("response", &["a", "b", &format!("{within} cycles")], |i| some(|k| missed(i, k)));
    }
    for bound in [10, 25, 30] {
        let missed = |i: &Inputs, k: usize| {
            let late = |end: usize| i.between(k, end) > bound;
            i.a(k) && (k..CYCLES).any(late) && (k..CYCLES).all(|end| late(end) || !i.b(end))
        };
        means("response", &["a", "b", &format!("T#{bound}ms")], |i| some(|k| missed(i, k)));
    }
    means("repeatability", &["a", "2"], |i| (1..CYCLES).any(|k| !i.a(k - 1) && !i.a(k)));
}

#[test]
fn what_has_to_come_before() {
    means("leadsto", &["a", "b"], |i| some(|k| i.a(k) && (0..k).all(|before| !i.b(before))));
    let missed = |i: &Inputs, k: usize| i.a(k) && (k.saturating_sub(2)..k).all(|p| !i.b(p));
    means("leadsto", &["a", "b", "2"], |i| some(|k| missed(i, k)));
    let missed = |i: &Inputs, k: usize| i.a(k) && (0..k).all(|p| !i.b(p) || i.between(p, k) > 30);
    means("leadsto", &["a", "b", "T#30ms"], |i| some(|k| missed(i, k)));
    means("leadsto-earlier", &["a", "b"], |i| some(|k| i.a(k) && (0..=k).all(|p| !i.b(p))));
    let changed = |i: &Inputs, k: usize| (1..k).any(|p| i.b(p - 1) && !i.b(p));
    means("leadsto-trigger", &["a", "b", "NOT b"], |i| some(|k| i.a(k) && !changed(i, k)));
}

#[test]
fn what_holds_for_long_has_an_effect() {
    let held = |i: &Inputs, k: usize, from: usize| (from..=k).all(|p| i.a(p));
    means("timed-trigger", &["a", "3 cycles", "b"], |i| {
        some(|k| k >= 2 && held(i, k, k - 2) && !i.b(k))
    });
    for bound in ["30", "T#30ms"] {
        means("timed-trigger", &["a", bound, "b"], |i| {
            some(|k| !i.b(k) && (0..=k).any(|from| held(i, k, from) && i.between(from, k) >= 30))
        });
    }
}

#[test]
fn patterns_of_one_and_two_moments() {
    means("invariant", &["a"], |i| some(|k| !i.a(k)));
    means("forbidden", &["a"], |i| some(|k| i.a(k)));
    means("implication", &["a", "b"], |i| some(|k| i.a(k) && !i.b(k)));
    means("statechange-duringcycle", &["a", "b"], |i| some(|k| i.a(k) && !i.b(k)));
    means("statechange-betweencycles", &["a", "b", "NOT a"], |i| {
        (1..CYCLES).any(|k| i.a(k - 1) && i.b(k) && i.a(k))
    });
}

#[test]
fn bounds_that_are_none_are_rejected() {
    let asked = |pattern: &str, expressions: &[&str], cycles: Option<u64>| {
        let text = "PROGRAM p VAR_INPUT a : BOOL; END_VAR END_PROGRAM";
        let expressions = expressions.iter().map(|text| (*text).to_owned()).collect();
        let stated = vec![Stated::new(pattern, expressions)];
        let settings = Settings { stated, cycles, ..Settings::default() };
        let texts = vec![Text { name: "p.st".into(), bytes: text.as_bytes().to_vec() }];
        let compiled = compile(texts, None, &[Property::Assert].into(), &settings);
        compiled.lowered.map_err(|errors| errors[0].message.to_string()).err()
    };
    for wrong in ["0", "T#0ms", "T#1us", "a", "-3", "0 cycles"] {
        let error = asked("response", &["a", "a", wrong], None).unwrap_or_default();
        assert!(error.contains("expected"), "{wrong}: {error}");
    }
    assert_eq!(asked("response", &["a", "a"], None), None);
    let error = asked("response", &["a", "a"], Some(3)).unwrap_or_default();
    assert!(error.contains("runs without end"), "{error}");
    let error = asked("leadsto", &["a"], None).unwrap_or_default();
    assert_eq!(error, "leadsto has 2 or 3 expressions, from \"1\" on; there are 1");
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
    assert!(!asked(vec![Stated::new("response", wrong)]));
}
