//! PLCopen's and TwinCAT's files: what they become as text, and messages at places in the XML.

mod kit;

use front_st::print;
use kit::read;

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn becomes(text: &str, expected: &str) {
    let unit = read(text.as_bytes(), "a.xml", None).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(words(&print::unit(&unit)), words(expected));
}

/// A program with a diagram and some Boolean variables, and the statements it becomes.
fn diagram(kind: &str, elements: &str, expected: &str) {
    let variables: String = ["a", "b", "c", "q", "r"]
        .iter()
        .map(|name| format!("<variable name='{name}'><type><BOOL/></type></variable>"))
        .collect();
    let text = format!(
        "<project><types><pous><pou name='p' pouType='program'><interface><localVars>{variables}
         <variable name='n'><type><INT/></type></variable><variable name='m'><type><INT/></type></variable>
         </localVars></interface><body><{kind}>{elements}</{kind}></body></pou></pous></types></project>"
    );
    let unit = read(text.as_bytes(), "a.xml", None).unwrap_or_else(|errors| panic!("{errors}"));
    let printed = words(&print::unit(&unit));
    let known = "PROGRAM p VAR a : BOOL; b : BOOL; c : BOOL; q : BOOL; r : BOOL; n : INT; m : INT; END_VAR ";
    let rest = printed.strip_prefix(known).and_then(|rest| rest.strip_suffix(" END_PROGRAM"));
    assert_eq!(rest.unwrap_or_default(), words(expected), "{printed}");
}

fn contact(id: u32, from: &[u32], y: u32, variable: &str, more: &str) -> String {
    element("contact", id, from, y, &format!("<variable>{variable}</variable>"), more)
}

fn coil(id: u32, from: &[u32], y: u32, variable: &str, more: &str) -> String {
    element("coil", id, from, y, &format!("<variable>{variable}</variable>"), more)
}

fn element(tag: &str, id: u32, from: &[u32], y: u32, inside: &str, more: &str) -> String {
    let lines: String = from.iter().map(|id| format!("<connection refLocalId='{id}'/>")).collect();
    format!(
        "<{tag} localId='{id}' {more}><position x='{id}' y='{y}'/><connectionPointIn>{lines}</connectionPointIn>{inside}</{tag}>"
    )
}

fn block(id: u32, ty: &str, y: u32, inputs: &[(&str, u32)], output: &str, more: &str) -> String {
    let inputs: String = inputs
        .iter()
        .map(|(pin, from)| {
            format!("<variable formalParameter='{pin}'><connectionPointIn><connection refLocalId='{from}'/></connectionPointIn></variable>")
        })
        .collect();
    format!(
        "<block localId='{id}' typeName='{ty}' {more}><position x='{id}' y='{y}'/><inputVariables>{inputs}</inputVariables>
         <outputVariables><variable formalParameter='{output}'/></outputVariables></block>"
    )
}

fn value(id: u32, expression: &str) -> String {
    format!("<inVariable localId='{id}'><expression>{expression}</expression></inVariable>")
}

const RAIL: &str = "<leftPowerRail localId='1'/>";

#[test]
fn contacts_in_series_and_parallel() {
    let elements = [
        RAIL.to_owned(),
        contact(2, &[1], 0, "a", ""),
        contact(3, &[1], 20, "b", "negated='true'"),
        contact(4, &[2, 3], 0, "c", ""),
        coil(5, &[4], 0, "q", ""),
    ];
    diagram("LD", &elements.concat(), "q := (a OR NOT b) AND c;");
}

#[test]
fn coils_set_reset_negate_and_rungs_come_in_order() {
    let elements = [
        RAIL.to_owned(),
        contact(6, &[1], 50, "b", ""),
        coil(7, &[6], 50, "q", "storage='reset'"),
        contact(2, &[1], 10, "a", ""),
        coil(3, &[2], 10, "q", "storage='set'"),
        coil(4, &[1], 90, "r", "negated='true'"),
    ];
    diagram("LD", &elements.concat(), "q S= a; q R= b; r := NOT TRUE;");
}

#[test]
fn power_that_goes_to_several_places_is_computed_once() {
    let elements = [
        RAIL.to_owned(),
        contact(2, &[1], 0, "a", ""),
        coil(3, &[2], 0, "a", "storage='reset'"),
        coil(4, &[2], 20, "q", ""),
    ];
    diagram(
        "LD",
        &elements.concat(),
        "VAR_TEMP _net2 : BOOL; END_VAR _net2 := a; a R= _net2; q := _net2;",
    );
}

#[test]
fn wide_networks_stay_small() {
    let mut elements = RAIL.to_owned();
    let mut before = vec![1, 1];
    for stage in 0..40 {
        let ids = [10 + 2 * stage, 11 + 2 * stage];
        for id in ids {
            elements.push_str(&contact(id, &before, id, "a", ""));
        }
        before = ids.to_vec();
    }
    elements.push_str(&coil(5, &before, 0, "q", ""));
    let text = format!(
        "<project><pou name='p' pouType='program'><body><LD>{elements}</LD></body></pou></project>"
    );
    let unit = read(text.as_bytes(), "a.xml", None).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(print::unit(&unit).len() < 10_000);
}

#[test]
fn edges_have_memory() {
    let elements = [
        RAIL.to_owned(),
        contact(2, &[1], 0, "a", "edge='rising'"),
        coil(3, &[2], 0, "q", "edge='falling'"),
    ];
    diagram(
        "LD",
        &elements.concat(),
        "VAR _edge2_contact : R_TRIG; _edge3_out : F_TRIG; END_VAR
         _edge2_contact(CLK := a); _edge3_out(CLK := _edge2_contact.Q); q := _edge3_out.Q;",
    );
}

#[test]
fn blocks_are_called_before_what_they_feed() {
    let elements = [
        value(1, "a"),
        value(2, "T#5s"),
        element("outVariable", 4, &[3], 0, "<expression>q</expression>", ""),
        block(3, "TON", 50, &[("IN", 1), ("PT", 2)], "Q", "instanceName='t'"),
    ];
    diagram("FBD", &elements.concat(), "VAR t : TON; END_VAR t(IN := a, PT := T#5s); q := t.Q;");
}

#[test]
fn functions_are_computed_once() {
    let elements = [
        value(1, "n"),
        value(2, "1"),
        block(3, "ADD", 0, &[("IN1", 1), ("IN2", 2)], "OUT", ""),
        element("outVariable", 4, &[3], 0, "<expression>n</expression>", ""),
        element("outVariable", 5, &[3], 20, "<expression>m</expression>", ""),
    ];
    diagram(
        "FBD",
        &elements.concat(),
        "VAR_TEMP _net3 : INT; END_VAR _net3 := ADD(n, 1); n := _net3; m := _net3;",
    );
}

#[test]
fn loops_go_through_blocks() {
    // What leads back to the left is what was computed a cycle before.
    let elements = [
        value(1, "a"),
        block(2, "SR", 0, &[("S1", 1), ("R", 3)], "Q1", "instanceName='x'"),
        block(3, "RS", 40, &[("S", 2), ("R1", 2)], "Q1", "instanceName='y'"),
    ];
    diagram(
        "FBD",
        &elements.concat(),
        "VAR x : SR; y : RS; END_VAR x(S1 := a, R := y.Q1); y(S := x.Q1, R1 := x.Q1);",
    );
    let looped = [
        RAIL.to_owned(),
        contact(2, &[1, 3], 0, "a", ""),
        contact(3, &[2], 0, "b", ""),
        coil(4, &[3], 0, "q", ""),
    ];
    let text = format!(
        "<project><pou name='p' pouType='program'><body><LD>{}</LD></body></pou></project>",
        looped.concat()
    );
    let said = read(text.as_bytes(), "a.xml", None).expect_err("a loop");
    assert!(said.contains("this value depends on itself"), "{said}");
}

#[test]
fn enabled_functions_keep_their_value() {
    let elements = [
        value(1, "a"),
        value(2, "n"),
        block(3, "MOVE", 0, &[("EN", 1), ("IN", 2)], "OUT", ""),
        element("outVariable", 4, &[3], 0, "<expression>m</expression>", ""),
    ];
    diagram(
        "FBD",
        &elements.concat(),
        "VAR _net3 : INT; END_VAR VAR_TEMP _net3_en : BOOL; END_VAR
         _net3_en := a; IF _net3_en THEN _net3 := MOVE(n); END_IF; m := _net3;",
    );
}

#[test]
fn what_is_written_and_read_is_written_first() {
    let elements = [
        element("outVariable", 3, &[2], 0, "<expression>q</expression>", ""),
        element("inOutVariable", 2, &[1], 10, "<expression>r</expression>", ""),
        value(1, "a"),
    ];
    diagram("FBD", &elements.concat(), "r := a; q := r;");
}

#[test]
fn numbers_of_order_come_before_places() {
    let out = |id: u32, y: u32, name: &str, order: &str| {
        element("outVariable", id, &[1], y, &format!("<expression>{name}</expression>"), order)
    };
    let elements = [
        value(1, "a"),
        out(2, 0, "q", "executionOrderId='2'"),
        out(3, 10, "r", "executionOrderId='1'"),
        out(4, 5, "b", "executionOrderId='0'"),
    ];
    diagram("FBD", &elements.concat(), "r := a; q := a; b := a;");
}

#[test]
fn chains_have_a_limit_that_is_told() {
    let chain: String = (2..2500).map(|id| contact(id, &[id - 1], 0, "a", "")).collect();
    let text = format!("<LD>{RAIL}{chain}{}</LD>", coil(9999, &[2499], 0, "q", ""));
    let said = read(text.as_bytes(), "a.xml", None).expect_err("too long");
    assert!(said.contains("more than 2000 elements follow each other here"), "{said}");
}

#[test]
fn diagrams_without_a_project() {
    let text = "<LD><leftPowerRail localId='1'/><coil localId='2'><connectionPointIn><connection refLocalId='1'/></connectionPointIn><variable>q</variable></coil></LD>";
    becomes(text, "PROGRAM diagram q := TRUE; END_PROGRAM");
}

#[test]
fn functions_remember_no_edges() {
    let elements =
        [RAIL.to_owned(), contact(2, &[1], 0, "a", "edge='rising'"), coil(3, &[2], 0, "f", "")];
    let text = format!(
        "<project><pou name='f' pouType='function'><interface><returnType><BOOL/></returnType></interface><body><LD>{}</LD></body></pou></project>",
        elements.concat()
    );
    becomes(&text, "FUNCTION f : BOOL f := _edge2_contact; END_FUNCTION");
    let unit = read(text.as_bytes(), "a.xml", None).expect("a unit");
    assert!(unit.warnings[0].message.contains("what it sees here is unknown"));
}

#[test]
fn jumps_labels_and_returns() {
    let elements = [
        value(1, "a"),
        element("jump", 2, &[1], 10, "", "label='done'"),
        element("return", 3, &[1], 20, "", ""),
        "<label localId='4' label='done'><position x='0' y='30'/></label>".to_owned(),
    ];
    diagram(
        "FBD",
        &elements.concat(),
        "IF a THEN JMP done; END_IF; IF a THEN RETURN; END_IF; done:",
    );
}

#[test]
fn rungs_without_a_graph() {
    diagram(
        "LD",
        "<rung localId='1'><contact variable='a'/><contact variable='b' negated='negated'/><coil variable='q'/><coil kind='reset' variable='r'/></rung>
         <rung localId='2'><contact variable='a'/><block typeName='ADD' instanceName='x'><variable formalParameter='IN1'>n</variable><variable formalParameter='IN2'>1</variable><variable formalParameter='OUT'>m</variable></block></rung>
         <rung localId='3'><block typeName='CTU' instanceName='k'><variable formalParameter='CU'>a</variable><variable formalParameter='PV'>5</variable><variable formalParameter='CV'>n</variable></block></rung>",
        "VAR k : CTU; END_VAR VAR_TEMP _rung1_2 : BOOL; END_VAR
         _rung1_2 := a AND NOT b; q := _rung1_2; r R= _rung1_2;
         IF a THEN m := ADD(n, 1); END_IF; k(CU := a, PV := 5); n := k.CV;",
    );
}

#[test]
fn declarations() {
    becomes(
        include_str!("texts/ladder.xml"),
        "TYPE Mode : (off, on := 5); Row : ARRAY[0..3] OF Mode; END_TYPE
         PROGRAM ladder
           VAR_INPUT a : BOOL; b : BOOL; END_VAR
           VAR_OUTPUT q AT %QX0.0 : BOOL := FALSE; r : BOOL; END_VAR
           VAR RETAIN n : INT; s : STRING[20]; END_VAR
           VAR _edge3_contact : R_TRIG; timer : TON; END_VAR
           VAR_TEMP _net2 : BOOL; END_VAR
           _net2 := a; _edge3_contact(CLK := b); q S= _net2 OR NOT _edge3_contact.Q;
           timer(IN := _net2, PT := T#5s); r := NOT NOT timer.Q;
           n := ADD(n, 1);
         END_PROGRAM
         FUNCTION text : BOOL VAR_INPUT x : INT; END_VAR text := x > 5 AND x < 7; END_FUNCTION
         PROGRAM rungs
           VAR_INPUT i : BOOL; END_VAR VAR o : BOOL; v : INT; END_VAR
           VAR c : CTU; END_VAR VAR_TEMP _rung1_2 : BOOL; END_VAR
           _rung1_2 := i AND NOT o; o := _rung1_2; o R= _rung1_2;
           IF i THEN c(CU := i, PV := 5); v := c.CV; END_IF;
         END_PROGRAM
         CONFIGURATION c RESOURCE r
           TASK t(INTERVAL := T#10ms, PRIORITY := 0); PROGRAM p WITH t : ladder;
         END_RESOURCE END_CONFIGURATION",
    );
}

#[test]
fn charts() {
    becomes(
        include_str!("texts/chart.xml"),
        "PROGRAM chart VAR n : INT; END_VAR
           ACTION count: n := n + 1; END_ACTION
           ACTION _action0: n := 0; END_ACTION
           INITIAL_STEP begin_: count(N); _action0(L, T#5s); END_STEP
           STEP left_: END_STEP STEP right_: END_STEP
           TRANSITION (PRIORITY := 1) FROM begin_ TO (left_, right_) := n >= 5; END_TRANSITION
           TRANSITION FROM (left_, right_) TO begin_ := n = 7; END_TRANSITION
         END_PROGRAM",
    );
}

#[test]
fn twincat() {
    becomes(
        include_str!("texts/pou.TcPOU"),
        "FUNCTION_BLOCK PUBLIC Tank EXTENDS Vessel
           VAR_INPUT level : INT; END_VAR VAR timer : TON; END_VAR
           METHOD PUBLIC drain : BOOL VAR_INPUT fast : BOOL; END_VAR drain := fast; END_METHOD
           PROPERTY full : BOOL GET VAR END_VAR full := level >= 100; END_GET END_PROPERTY
           ACTION reset: level := 0; END_ACTION
           timer(IN := level > 5 AND level < 90, PT := T#5s); overflow := timer.Q;
         END_FUNCTION_BLOCK
         TYPE Kind : (water, oil := 5) INT; END_TYPE
         {attribute 'qualified_only'} VAR_GLOBAL CONSTANT LIMIT_HIGH : INT := 5; END_VAR
         INTERFACE Vessel EXTENDS Thing METHOD drain : BOOL END_METHOD END_INTERFACE",
    );
}

#[test]
fn messages_lead_into_the_xml() {
    let text = "<project>\n <pou name='p' pouType='program'>\n  <body><ST><xhtml>a := 1 &gt;\n  2 &lt; ;</xhtml></ST></body>\n </pou>\n</project>";
    let said = read(text.as_bytes(), "a.xml", None).expect_err("wrong");
    assert_eq!(
        said,
        "a.xml:4:10: error: expected an expression, found ';'\n    4 |   2 &lt; ;</xhtml></ST></body>\n      |          ^\n"
    );
    let said = read(b"<project><pou></project>", "a.xml", None).expect_err("wrong");
    assert!(said.starts_with("a.xml:1:15: error: this is not XML: "), "{said}");
}
