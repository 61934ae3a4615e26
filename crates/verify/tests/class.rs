//! The classes of failing inputs, against all inputs of small programs, and as they are printed.

use answer::Allowance;
use std::collections::BTreeMap;
use std::path::Path;
use verify::class::{Class, class};
use verify::language::{Input, Language};
use verify::languages::{C, StructuredText};
use verify::{Finding, Question, Reading, Settings, Violation, decide};

fn classified(
    language: &'static dyn Language,
    name: &str,
    text: &str,
    reading: &Reading,
) -> Option<Class> {
    let input = Input::Text { name: name.to_owned(), text: text.as_bytes().to_vec() };
    let task = language.read(&[input], reading).expect("the program is accepted");
    let outcome = decide(&Question::new(&task)).expect("no defect");
    let Finding::Unsafe(Violation::Program { run, .. }) = &outcome.answers[0].finding else {
        panic!("{name}: {:?}", outcome.answers[0].finding.verdict());
    };
    let code = task.code().expect("a program");
    class(code, run, &Settings::default(), &Allowance::default())
}

fn of_c(text: &str) -> Class {
    classified(&C, "class.i", text, &Reading::default()).expect("there is a class")
}

/// The conditions of the cases, without rounds.
fn said(class: &Class) -> Vec<Vec<String>> {
    let case = |case: &verify::class::Case| {
        case.conditions.iter().flat_map(|stage| stage.conditions.clone()).collect()
    };
    class.cases.iter().map(case).collect()
}

/// Whether a condition, a chain of comparisons of names and numbers, holds.
fn holds(condition: &str, values: &BTreeMap<&str, i64>) -> bool {
    let words: Vec<&str> = condition.split(' ').collect();
    let value = |word: &str| values.get(word).copied().or_else(|| word.parse().ok());
    let number = |word: &str| value(word).unwrap_or_else(|| panic!("{condition}: {word}"));
    words.windows(3).step_by(2).all(|part| {
        let (left, right) = (number(part[0]), number(part[2]));
        match part[1] {
            "<" => left < right,
            "≤" => left <= right,
            ">" => left > right,
            "≥" => left >= right,
            "=" => left == right,
            "≠" => left != right,
            sign => panic!("{condition}: {sign}"),
        }
    })
}

/// The class of a program with two bytes, x and y, is no larger than what fails, and if it is complete,
/// no smaller.
fn agrees(body: &str, fails: impl Fn(i64, i64) -> bool) -> Class {
    let text = format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern void __VERIFIER_assume(int);\n\
         extern void __assert_fail(const char *, const char *, unsigned, const char *);\n\
         int main(void) {{\n\
         unsigned char x = __VERIFIER_nondet_uchar();\n\
         unsigned char y = __VERIFIER_nondet_uchar();\n{body}\n}}\n"
    );
    let class = of_c(&text);
    let cases = said(&class);
    for x in 0..256 {
        for y in 0..256 {
            let values = BTreeMap::from([("x", x), ("y", y)]);
            let inside =
                cases.iter().any(|case| case.iter().all(|condition| holds(condition, &values)));
            let fails = fails(x, y);
            assert!(!inside || fails, "{body}: {x}, {y} does not fail: {cases:?}");
            assert!(inside || !fails || !class.complete, "{body}: {x}, {y} fails: {cases:?}");
        }
    }
    class
}

const FAIL: &str = "__assert_fail(\"\", \"\", 1, \"\");";

#[test]
fn comparisons_of_the_program_are_the_class() {
    let class = agrees(&format!("if (x < y && y < 100) {FAIL} return 0;"), |x, y| x < y && y < 100);
    assert_eq!(said(&class), [["x < y < 100"]]);
    assert!(class.complete);
    let class = agrees(&format!("if (x == 3) {FAIL} return y;"), |x, _| x == 3);
    assert_eq!(said(&class), [["x = 3"]]);
    assert_eq!(class.cases[0].any, ["y"]);
}

#[test]
fn values_become_ranges_where_the_program_compares_something_else() {
    // 3x over a byte of a table that no comparison speaks of.
    let body = format!("unsigned t[4] = {{9, 9, 1, 9}}; if (t[x / 64] == 1) {FAIL} return 0;");
    let class = agrees(&body, |x, _| x / 64 == 2);
    assert!(class.complete);
    assert_eq!(said(&class).len(), 1, "{class:?}");
    assert_eq!(class.cases[0].any, ["y"]);
}

#[test]
fn several_ways_to_fail_are_several_cases() {
    let body = format!("if (x > 250) {FAIL} return 0;");
    agrees(&body, |x, _| x > 250);
    let body = format!("int bad = x > 250 || (y == 7 && x < 3); if (bad) {FAIL} return 0;");
    let class = agrees(&body, |x, y| x > 250 || (y == 7 && x < 3));
    assert!(class.complete, "{class:?}");
    let body = format!("if (x & 1) {FAIL} return 0;");
    agrees(&body, |x, _| x & 1 == 1);
    let body = format!("unsigned char z = x + y; if (z > 200 && x < y) {FAIL} return 0;");
    agrees(&body, |x, y| (x + y) % 256 > 200 && x < y);
}

#[test]
fn arithmetic_is_that_of_numbers() {
    let body = format!("int z = x + y; if (z > 200 && x < y) {FAIL} return 0;");
    let text = said(&of_c(&format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern void __assert_fail(const char *, const char *, unsigned, const char *);\n\
         int main(void) {{ unsigned char x = __VERIFIER_nondet_uchar();\n\
         unsigned char y = __VERIFIER_nondet_uchar(); {body} }}\n"
    )));
    assert_eq!(text, [["x < y", "x + y > 200"]]);
}

#[test]
fn what_is_assumed_of_the_environment_is_not_said() {
    let body = format!("__VERIFIER_assume(x < 10);\nif (y > x) {FAIL} return 0;");
    let class = of_c(&format!(
        "extern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern void __VERIFIER_assume(int);\n\
         extern void __assert_fail(const char *, const char *, unsigned, const char *);\n\
         int main(void) {{ unsigned char x = __VERIFIER_nondet_uchar();\n\
         unsigned char y = __VERIFIER_nondet_uchar(); {body} }}\n"
    ));
    assert_eq!(said(&class), [["x < y"]]);
    assert!(class.complete);
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read_to_string(path).expect("the example is there")
}

/// [Lan18 §5.2.3]: beginMulti ≤ posMulti < endMulti and posSingle < beginSingle, for every endSingle; in
/// the first revolution of the range the position is before it, so there is `<`.
#[test]
fn the_position_encoder_has_the_class_of_the_thesis() {
    let stated = front_st::compile::Stated::assertion("NOT wanted OR dangerrange");
    let reading = Reading {
        entry: "Encoder".to_owned(),
        st: front_st::compile::Settings { stated: vec![stated], ..Default::default() },
        ..Reading::default()
    };
    let text = example("position_encoder.st");
    let class = classified(&StructuredText, "position_encoder.st", &text, &reading);
    let class = class.expect("there is a class");
    let expected = ["first.multi < pos.multi < last.multi", "pos.single < first.single"];
    let thesis = class.cases.iter().zip(said(&class)).find(|(_, said)| *said == expected);
    let (case, _) = thesis.unwrap_or_else(|| panic!("{class:?}"));
    assert_eq!(case.any, ["last.single"]);
    assert!(class.complete);
    let text = example("position_encoder.c").replace("#include <assert.h>", "#define assert(c) \\\n if (!(c)) __assert_fail(\"\", \"\", 1, \"\");\nextern void __assert_fail(const char *, const char *, unsigned, const char *);");
    let class = classified(&C, "position_encoder.c", &text, &Reading::default());
    let class = class.expect("there is a class");
    let expected = ["begin.multi < pos.multi < end.multi", "pos.single < begin.single"];
    assert!(said(&class).iter().any(|said| *said == expected), "{class:?}");
}

#[test]
fn conditions_are_told_cycle_by_cycle() {
    let text = "FUNCTION_BLOCK Pump\nVAR_INPUT start, stop, valve : BOOL; level : INT; END_VAR\n\
        VAR_OUTPUT motor : BOOL; END_VAR VAR t : TON; n : INT; END_VAR\n\
        t(IN := start AND NOT stop, PT := T#300ms);\n\
        IF t.Q AND level > 20 THEN n := n + 1; END_IF;\n\
        motor := n >= 2 AND NOT valve;\nEND_FUNCTION_BLOCK\n";
    let stated = front_st::compile::Stated::assertion("NOT motor");
    let reading = Reading {
        entry: "Pump".to_owned(),
        st: front_st::compile::Settings { stated: vec![stated], ..Default::default() },
        ..Reading::default()
    };
    let class = classified(&StructuredText, "pump.st", text, &reading).expect("there is a class");
    // Five cycles of at most 100 ms are the fewest in which the timer runs out and two cycles follow.
    let stages = &class.cases[0].conditions;
    let last = stages.last().expect("there are conditions");
    assert_eq!(last.rounds.map(|(_, to)| to), Some(5), "{class:?}");
    for condition in ["start", "not stop", "not valve", "level > 20"] {
        assert!(last.conditions.iter().any(|said| said == condition), "{class:?}");
    }
}
