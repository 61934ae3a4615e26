//! Which goals a program has: names, places and words.

use coverage::goal::{Kind, goals};
use verify::languages::{C, StructuredText};
use verify::{Input, Language, Reading};

/// The goals of some kinds, one a line.
fn listed(text: &str, kinds: &[Kind]) -> Vec<String> {
    listed_of(&C, "p.i", text, kinds)
}

fn listed_of(
    language: &'static dyn Language,
    name: &str,
    text: &str,
    kinds: &[Kind],
) -> Vec<String> {
    let input = Input::Text { name: name.to_owned(), text: text.as_bytes().to_vec() };
    let read = language.read_covered(&[input], &Reading::default());
    let (_, map) = read.expect("it is covered").expect("it is well formed");
    let kinds = kinds.iter().copied().collect();
    let goals = goals(&map, &kinds);
    let line = |goal: coverage::goal::Goal| {
        let place = goal.place();
        format!("{} {}:{} {}", goal.id, place.line, place.column, goal.about)
    };
    goals.into_iter().map(line).collect()
}

#[test]
fn decisions_are_found_wherever_they_stand() {
    let text = "int f(int a, _Bool b) {\n\
                int x = a > 1;\n\
                while (a && !b) a--;\n\
                x += (a < 3) | b;\n\
                return a ? x : 4;\n}\n\
                int main(void) { return f(1, 0); }\n";
    let found = listed(text, &[Kind::Decision]);
    assert_eq!(
        found,
        [
            "p.i:f:d1.true 2:9 decision is true",
            "p.i:f:d1.false 2:9 decision is false",
            "p.i:f:d2.true 3:8 loop goes on: decision is true",
            "p.i:f:d2.false 3:8 loop ends: decision is false",
            "p.i:f:d3.true 4:6 decision is true",
            "p.i:f:d3.false 4:6 decision is false",
            "p.i:f:d4.true 5:8 first branch of ?: (decision is true)",
            "p.i:f:d4.false 5:8 second branch of ?: (decision is false)",
        ]
    );
    let conditions = listed(text, &[Kind::Mcdc]);
    assert_eq!(
        conditions,
        [
            "p.i:f:d1.c1.mcdc 2:9 condition 'a > 1' decides by itself",
            "p.i:f:d2.c1.mcdc 3:8 operand 'a' of && decides by itself",
            "p.i:f:d2.c2.mcdc 3:14 operand 'b' of && decides by itself",
            "p.i:f:d3.c1.mcdc 4:7 operand 'a < 3' of | decides by itself",
            "p.i:f:d3.c2.mcdc 4:16 operand 'b' of | decides by itself",
            "p.i:f:d4.c1.mcdc 5:8 condition 'a' decides by itself",
        ]
    );
}

#[test]
fn statements_and_calls_of_functions_that_are_not_called_count() {
    let text = "int f(int a) { if (a) return 1; else { a = 2; } return a; }\n\
                int g(void) { return f(f(1)); }\n\
                int main(void) { for (int i = 0; i < 3; i++) ; return 0; }\n";
    let found = listed(text, &[Kind::Statement]);
    assert_eq!(found.len(), 5 + 2 + 4, "{found:?}");
    assert_eq!(found[0], "p.i:f:entry 1:5 beginning of function 'f'");
    assert_eq!(found[1], "p.i:f:s1 1:16 statement");
    let calls = listed(text, &[Kind::Call]);
    assert_eq!(calls, ["p.i:g:k1 2:22 call of 'f'", "p.i:g:k2 2:24 call of 'f'"]);
}

#[test]
fn labels_of_a_switch_are_goals_with_the_one_that_is_not_written() {
    let text =
        "int main(void) { int a = 0; switch (a) { case 1: case 2 ... 4: a = 1; } return a; }\n";
    let found = listed(text, &[Kind::Decision]);
    assert_eq!(
        found,
        [
            "p.i:main:w1.default 1:29 no label of switch",
            "p.i:main:w1.case1 1:42 label 'case 1' of switch",
            "p.i:main:w1.case2 1:50 label 'case 2 ... 4' of switch",
        ]
    );
}

#[test]
fn a_goal_keeps_its_name_where_other_functions_change() {
    let rest = "int g(int a) { if (a > 2 && a < 5) return 1; return 0; }\nint main(void) { return g(3); }\n";
    let names = |before: &str| {
        let all = listed(&format!("{before}{rest}"), &Kind::ALL);
        let name = |line: &String| line.split(' ').next().map(str::to_owned);
        all.iter().filter_map(name).filter(|n| n.contains(":g:")).collect::<Vec<_>>()
    };
    let before = "int f(int a) { if (a) return 1; return a && g(1); }\n\n";
    assert_eq!(names("int g(int);\n"), names(&format!("int g(int);\n{before}")));
}

#[test]
fn what_the_preprocessor_says_of_lines_is_no_part_of_a_condition() {
    let text =
        "int main(void) { double x = 0; if (x < -\n# 1 \"m.h\" 3 4\n3.5\n# 1 \"p.i\"\n) x = 1; }\n";
    let found = listed(text, &[Kind::Mcdc]);
    assert!(found[0].ends_with("condition 'x < - 3.5' decides by itself"), "{found:?}");
}

const GUARD: &str = "FUNCTION_BLOCK Guard\n\
    VAR_INPUT a, b : BOOL; n : INT; w : WORD; END_VAR\n\
    VAR x : BOOL; t : TON; END_VAR\n\
    x := a AND NOT b AND n > 3;\n\
    IF (w AND 16#1) = 1 THEN w := w OR 16#2; END_IF;\n\
    t(IN := a OR_ELSE x);\n\
    WHILE n > 0 DO n := n - 1; END_WHILE;\n\
    REPEAT n := n + 1; UNTIL b END_REPEAT;\n\
    CASE n OF 1, 2: x := FALSE; 4..6: x := TRUE; END_CASE;\n\
    act();\n\
    ACTION act: x := ABS(n) = 1; END_ACTION\n\
    END_FUNCTION_BLOCK\n\
    FUNCTION_BLOCK Alone VAR y : INT; END_VAR y := 1; END_FUNCTION_BLOCK\n";

#[test]
fn structured_text_has_decisions_of_truth_values_only() {
    let of = |kind| listed_of(&StructuredText, "g.st", GUARD, &[kind]);
    let conditions = of(Kind::Mcdc);
    let expected = [
        "g.st:Guard:d1.c1.mcdc 4:6 operand 'a' of AND decides by itself",
        "g.st:Guard:d1.c2.mcdc 4:16 operand 'b' of AND decides by itself",
        "g.st:Guard:d1.c3.mcdc 4:22 operand 'n > 3' of AND decides by itself",
        "g.st:Guard:d3.c1.mcdc 6:9 operand 'a' of OR_ELSE decides by itself",
        "g.st:Guard:d3.c2.mcdc 6:19 operand 'x' of OR_ELSE decides by itself",
        "g.st:Guard:d4.c1.mcdc 7:7 condition 'n > 0' decides by itself",
        "g.st:Guard:d5.c1.mcdc 8:26 condition 'b' decides by itself",
        "g.st:Guard.act:d1.c1.mcdc 11:18 condition 'ABS(n) = 1' decides by itself",
    ];
    // Words are joined by no decision; what compares them is one.
    let others: Vec<&String> = conditions.iter().filter(|line| !line.contains(" 5:")).collect();
    assert_eq!(others, expected);
    assert_eq!(conditions.len(), expected.len() + 1, "{conditions:?}");
}

#[test]
fn arms_calls_and_loops_of_structured_text_are_goals() {
    let of = |kind| listed_of(&StructuredText, "g.st", GUARD, &[kind]);
    let decisions = of(Kind::Decision);
    for line in [
        "g.st:Guard:w1.case1 9:11 label '1, 2' of CASE",
        "g.st:Guard:w1.case2 9:29 label '4..6' of CASE",
        "g.st:Guard:w1.default 9:1 no label of CASE",
    ] {
        assert!(decisions.iter().any(|decision| decision == line), "{line}: {decisions:?}");
    }
    let ends = decisions.iter().filter(|line| line.contains("loop ends")).count();
    assert_eq!(ends, 2, "{decisions:?}");
    let calls = of(Kind::Call);
    let expected = ["g.st:Guard:k1 6:1 call of 't'", "g.st:Guard:k2 10:1 call of 'act'"];
    assert_eq!(calls, expected);
    let statements = of(Kind::Statement);
    let alone = |line: &&String| line.starts_with("g.st:Alone");
    assert_eq!(statements.iter().filter(alone).count(), 2, "{statements:?}");
}

#[test]
fn transitions_of_charts_are_goals() {
    let text = "PROGRAM P VAR go, q : BOOL; END_VAR\n\
        INITIAL_STEP s0: END_STEP\n\
        STEP s1: act(N); END_STEP\n\
        TRANSITION FROM s0 TO s1 := go AND NOT q; END_TRANSITION\n\
        TRANSITION FROM s1 TO s0 := NOT go; END_TRANSITION\n\
        ACTION act: q := TRUE; END_ACTION\nEND_PROGRAM\n";
    let decisions = listed_of(&StructuredText, "c.st", text, &[Kind::Decision]);
    for line in [
        "c.st:P:t1 4:1 transition from s0 to s1 fires",
        "c.st:P:t2 5:1 transition from s1 to s0 fires",
    ] {
        assert!(decisions.iter().any(|decision| decision == line), "{line}: {decisions:?}");
    }
    assert_eq!(decisions.len(), 2 + 2 * 2, "{decisions:?}");
}
