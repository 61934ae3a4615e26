//! Sequential function charts in time: steps, and actions with each qualifier of the standard.

mod common;

use common::{at, messages, observed, values};
use front_st::run::Given;

/// A chart with one step that is left when `go` falls, and an action of it: what the action's
/// variable is, in cycles of 10 ms. The step is active from 10 ms to 60 ms.
fn action(association: &str, second: &str) -> String {
    let text = format!(
        "PROGRAM main VAR_INPUT go : BOOL; END_VAR VAR v : BOOL; END_VAR
           INITIAL_STEP wait: END_STEP
           STEP active: {association} END_STEP
           STEP last: {second} END_STEP
           TRANSITION FROM wait TO active := go; END_TRANSITION
           TRANSITION FROM active TO last := NOT go; END_TRANSITION
         END_PROGRAM"
    );
    let cycles: Vec<_> =
        (0..10).map(|n| at(10 * n, &[("go", Given::Bool((1..6).contains(&n)))])).collect();
    values(&text, "main", &cycles, &["v"]).concat().concat()
}

#[test]
fn qualifiers() {
    assert_eq!(action("v(N);", ""), "0111110000");
    assert_eq!(action("v;", ""), "0111110000");
    assert_eq!(action("v(S);", ""), "0111111111");
    assert_eq!(action("v(S);", "v(R);"), "0111110000");
    assert_eq!(action("v(L, T#20ms);", ""), "0110000000");
    assert_eq!(action("v(D, T#20ms);", ""), "0001110000");
    assert_eq!(action("v(D, T#90ms);", ""), "0000000000");
    assert_eq!(action("v(P);", ""), "0100000000");
    assert_eq!(action("v(P1);", ""), "0100000000");
    assert_eq!(action("v(P0);", ""), "0000001000");
    // Stored, whether the step is still active when the time is over or not.
    assert_eq!(action("v(SD, T#70ms);", ""), "0000000011");
    assert_eq!(action("v(SD, T#20ms);", "v(R);"), "0001110000");
    assert_eq!(action("v(DS, T#20ms);", ""), "0001111111");
    assert_eq!(action("v(DS, T#70ms);", ""), "0000000000");
    assert_eq!(action("v(DS, T#20ms);", "v(R);"), "0001110000");
    assert_eq!(action("v(SL, T#70ms);", ""), "0111111100");
    assert_eq!(action("v(SL, T#70ms);", "v(R);"), "0111110000");
}

#[test]
fn an_action_of_two_steps_runs_once_in_a_call() {
    let text = "PROGRAM main VAR n, m : INT; END_VAR
                  INITIAL_STEP a: both(N); once(P); END_STEP STEP b: both(N); END_STEP STEP c: both(N); once(P); END_STEP
                  TRANSITION FROM a TO (b, c) := n > 0; END_TRANSITION
                  ACTION both: n := n + 1; END_ACTION ACTION once: m := m + 1; END_ACTION
                END_PROGRAM";
    let cycles: Vec<_> = (0..4).map(|n| at(10 * n, &[])).collect();
    let seen = values(text, "main", &cycles, &["n", "m"]);
    // The pulse comes at the start, too: the initial step becomes active.
    assert_eq!(seen.concat(), ["1", "1", "2", "2", "3", "2", "4", "2"]);
}

#[test]
fn the_time_of_a_step() {
    let cycles: Vec<_> = (0..8).map(|n| at(10 * n, &[])).collect();
    let active = "PROGRAM main VAR q : BOOL; t : TIME; END_VAR
                    t := a.T;
                    INITIAL_STEP a: END_STEP STEP b: q(N); END_STEP
                    TRANSITION FROM a TO b := a.T >= T#20ms; END_TRANSITION
                    TRANSITION FROM b TO a := b.T >= T#30ms; END_TRANSITION
                  END_PROGRAM";
    assert_eq!(values(active, "main", &cycles, &["q"]).concat().concat(), "00111001");
    // What is beside the chart comes first; a step that was left keeps its time.
    let seen = values(active, "main", &cycles, &["t"]).concat();
    assert_eq!(seen, ["0", "10", "20", "20", "20", "20", "10", "20"]);
}

#[test]
fn statements_beside_a_chart_are_done_first() {
    let text = "PROGRAM main VAR n : INT; v : BOOL; END_VAR
                  n := n + 1;
                  INITIAL_STEP a: END_STEP STEP b: v(N); END_STEP
                  TRANSITION FROM a TO b := n = 2; END_TRANSITION
                END_PROGRAM";
    let cycles: Vec<_> = (0..3).map(|n| at(10 * n, &[])).collect();
    assert_eq!(values(text, "main", &cycles, &["v"]).concat().concat(), "011");
}

#[test]
fn a_qualifier_without_its_time_is_rejected() {
    let text = "PROGRAM main VAR v : BOOL; END_VAR INITIAL_STEP a: v(L); END_STEP END_PROGRAM";
    let said = messages(&observed(text, "main", 1)).join("\n");
    assert!(said.contains("the qualifier L needs a time"), "{said}");
    let text = "PROGRAM main VAR v : BOOL; END_VAR INITIAL_STEP a: v(X); END_STEP END_PROGRAM";
    let said = messages(&observed(text, "main", 1)).join("\n");
    assert!(said.contains("there is no qualifier X"), "{said}");
}
