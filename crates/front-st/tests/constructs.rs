//! One small text per construct, and the tree that it is, printed. What is printed and read again
//! is the same tree.

mod kit;

use front_st::dialect::Dialect;
use kit::{again, read};

/// Reads a text and compares what is printed, blanks aside.
fn becomes_in(dialect: Option<Dialect>, text: &str, expected: &str) {
    let unit =
        read(text.as_bytes(), "test.st", dialect).unwrap_or_else(|errors| panic!("{errors}"));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&again(&unit)), words(expected));
}

fn becomes(text: &str, expected: &str) {
    becomes_in(None, text, expected);
}

/// A text that is printed as it is written.
fn stays(text: &str) {
    becomes(text, text);
}

/// Statements of a program.
fn code(text: &str, expected: &str) {
    let program = |code: &str| format!("PROGRAM p {code} END_PROGRAM");
    becomes(&program(text), &program(expected));
}

fn expression(text: &str, expected: &str) {
    code(&format!("x := {text};"), &format!("x := {expected};"));
}

#[test]
fn units() {
    stays("PROGRAM p END_PROGRAM FUNCTION f : INT f := 1; END_FUNCTION FUNCTION g END_FUNCTION");
    becomes("function_block B end_function_block;", "FUNCTION_BLOCK B END_FUNCTION_BLOCK");
    stays("FUNCTION add<T: ANY_NUM, U: ANY> : T END_FUNCTION");
    becomes("{external} FUNCTION f : VOID END_FUNCTION", "{external} FUNCTION f END_FUNCTION");
    becomes("@EXTERNAL FUNCTION f END_FUNCTION", "{EXTERNAL} FUNCTION f END_FUNCTION");
    stays("USING A.B, C; NAMESPACE INTERNAL D.E USING F; CLASS c END_CLASS END_NAMESPACE");
}

#[test]
fn members() {
    stays(
        "FUNCTION_BLOCK ABSTRACT b EXTENDS N.base IMPLEMENTS i, j
           VAR_OUTPUT q : BOOL; END_VAR
           METHOD PUBLIC FINAL m<T: ANY> : INT
             VAR_INST k : INT; END_VAR
             m := SUPER^.m() + THIS^.q;
           END_METHOD
           METHOD PRIVATE ABSTRACT n END_METHOD
           PROPERTY PUBLIC v : INT
             GET v := 1; END_GET
             PRIVATE SET VAR t : INT; END_VAR t := v; END_SET
           END_PROPERTY
           ACTION a: q := TRUE; END_ACTION
           a();
         END_FUNCTION_BLOCK",
    );
    becomes(
        "CLASS c PROPERTY_GET v : INT v := 1; END_PROPERTY PROPERTY_SET v : INT END_PROPERTY END_CLASS",
        "CLASS c PROPERTY v : INT GET v := 1; END_GET SET END_SET END_PROPERTY END_CLASS",
    );
    stays(
        "INTERFACE i EXTENDS a, b METHOD m : INT VAR_INPUT x : INT; END_VAR END_METHOD END_INTERFACE",
    );
    becomes(
        "PROGRAM p END_PROGRAM ACTIONS ACTION a x := 1; END_ACTION END_ACTIONS ACTION q.b END_ACTION",
        "PROGRAM p END_PROGRAM ACTIONS p ACTION a: x := 1; END_ACTION END_ACTIONS
         ACTIONS q ACTION b: END_ACTION END_ACTIONS",
    );
    becomes(
        "FUNCTION_BLOCK b x := 1; {test} METHOD m END_METHOD END_FUNCTION_BLOCK",
        "FUNCTION_BLOCK b METHOD m {test} END_METHOD x := 1; END_FUNCTION_BLOCK",
    );
}

#[test]
fn sections() {
    stays(
        "PROGRAM p
           VAR_INPUT RETAIN a : BOOL R_EDGE; b : BOOL F_EDGE; END_VAR
           VAR_INPUT {ref} c : INT; END_VAR
           VAR_OUTPUT d, e : INT := 5; END_VAR
           VAR_IN_OUT f : ARRAY[*, *] OF INT; END_VAR
           VAR CONSTANT PRIVATE g : REAL := 1.0; END_VAR
           VAR NON_RETAIN h AT %IX0.0 : BOOL; AT %QW3 : WORD := 16#FF; i AT %M* : INT; END_VAR
           VAR_TEMP END_VAR
           VAR_STAT j : INT; END_VAR
           VAR_EXTERNAL k : INT; END_VAR
           VAR RETAIN PERSISTENT l : INT; END_VAR
         END_PROGRAM
         VAR_GLOBAL {x} CONSTANT n : INT := 3; END_VAR
         VAR_CONFIG a.b.c AT %QX1.2 : BOOL; END_VAR",
    );
    // Words of other places are names here.
    stays(
        "PROGRAM p VAR in, ON, STEP, TP, last, to, by, at, get, Version, public : INT; END_VAR END_PROGRAM",
    );
    becomes(
        "PROGRAM p VAR t : TON(PT := T#5s); u : U(1, 2); a : ARRAY[1..4] OF INT := 1, 2(0), 3; END_VAR END_PROGRAM",
        "PROGRAM p VAR t : TON := (PT := T#5s); u : U := (1, 2); a : ARRAY[1..4] OF INT := [1, 2(0), 3]; END_VAR END_PROGRAM",
    );
}

#[test]
fn types() {
    stays(
        "TYPE
           s : STRUCT a : INT := 1; t : STRUCT b : BOOL; END_STRUCT; END_STRUCT;
           o EXTENDS s : STRUCT OVERLAP c AT %B0 : BYTE; END_STRUCT;
           u : UNION a : INT; b : WORD; END_UNION;
           e : (red, green := 5, blue) := green;
           f : (on, off := 16#10) BYTE;
           r : INT(-5..5) := 0;
           a : ARRAY[0..5, lo..hi - 1] OF ARRAY[color] OF s;
           t : STRING[80] := 'x';
           w : WSTRING[n + 1];
           p : REF_TO ARRAY[0..1] OF INT;
           q : POINTER TO REFERENCE TO N.s;
           v : s := (a := 1, t := (b := TRUE));
         END_TYPE",
    );
    becomes(
        "TYPE e : INT (a, b := 2); s : STRUCT EXTENDS t x : INT; END_STRUCT n : STRING(5); END_TYPE",
        "TYPE e : (a, b := 2) INT; s EXTENDS t : STRUCT x : INT; END_STRUCT; n : STRING[5]; END_TYPE",
    );
    stays("FUNCTION f VAR_INPUT a : {sized} INT...; b : T...; END_VAR END_FUNCTION");
}

#[test]
fn literals() {
    expression("3_000_000 + 16#F_f + 2#1010_1010 + 8#17", "3000000 + 16#FF + 2#10101010 + 8#17");
    expression("INT#5 + INT#-5 + WORD#16#AB + BOOL#1", "INT#5 + INT#-5 + WORD#16#AB + BOOL#1");
    expression("1_0.5_0 + 1.0E-3 + 2E5 + REAL#-1.5", "10.50 + 1.0E-3 + 2E5 + REAL#-1.5");
    expression("BOOL#TRUE", "BOOL#TRUE");
    expression("Color#Red + N.Color#Red", "Color#Red + N.Color#Red");
    expression(
        "T#1h_30m + t#1.5s + TIME#-5ms + LT#3us7ns",
        "T#1h30m + T#1s500ms + T#-5ms + LTIME#3us7ns",
    );
    expression("TIME#3.0d 4.0h", "T#3d4h");
    expression("T#90s + T#0ms + T#25h", "T#1m30s + T#0s + T#1d1h");
    expression("D#2024-2-29 + LDATE#1969-12-31", "D#2024-02-29 + LDATE#1969-12-31");
    expression("TOD#6:05 + LTOD#23:59:59.999_5", "TOD#06:05:00 + LTOD#23:59:59.9995");
    expression(
        "DT#1970-01-01-00:00:01 + LDT#2020-1-30-18:01:38.33",
        "DT#1970-01-01-00:00:01 + LDT#2020-01-30-18:01:38.33",
    );
    expression(
        "'It$'s $$5$N$l$0D' + \"wide $\" $00C4 'x'\"",
        "'It$'s $$5$N$N$R' + \"wide $\" Ä 'x'\"",
    );
    expression("STRING#'a' + %IX0.0 + %QW3", "STRING#'a' + %IX0.0 + %QW3");
}

#[test]
fn precedence() {
    expression("a + b * c - d", "a + b * c - d");
    expression("(a + b) * (c - (d - e))", "(a + b) * (c - (d - e))");
    expression("NOT a AND b OR c XOR d & e", "NOT a AND b OR c XOR d AND e");
    expression("a < b = c > d", "a < b = c > d");
    expression("-a ** b ** -c", "-a ** b ** -c");
    expression("-(a ** b)", "-(a ** b)");
    expression("a ** (b ** c)", "a ** (b ** c)");
    expression("NOT (a = b)", "NOT (a = b)");
    expression("a AND_THEN b OR_ELSE c", "a AND_THEN b OR_ELSE c");
    expression("a MOD b + - - c", "a MOD b + --c");
    becomes_in(
        Some(Dialect::Scl),
        "FUNCTION f x := -a ** b; y := (-a) ** b; END_FUNCTION",
        "FUNCTION f x := -a ** b; y := (-a) ** b; END_FUNCTION",
    );
}

#[test]
fn places_and_calls() {
    expression("a.b[i, j + 1].c^.d^^", "a.b[i, j + 1].c^.d^^");
    expression(
        "w.5 + w.%X3 + w.%W1.%B1.3 + w.%D0 + a[1].2",
        "w.5 + w.3 + w.%W1.%B1.3 + w.%D0 + a[1].2",
    );
    expression(".counter + NULL", ".counter + NULL");
    expression("&s.x", "ADR(s.x)");
    expression(
        "f() + g(1, x) + REF(y) + ADR(z)^ + AND(a, b)",
        "f() + g(1, x) + REF(y) + ADR(z)^ + AND(a, b)",
    );
    code(
        "t(IN := a, PT := T#5s, Q => b, NOT ET => c, R :=, S =>); arr[1](); a.b.c(x); SUPER(); t {p} (IN := a {q});",
        "t(IN := a, PT := T#5s, Q => b, NOT ET => c, R :=, S =>); arr[1](); a.b.c(x); SUPER(); t(IN := a);",
    );
    expression("[1, 3(0), 2(1, 2), (a := 1)]", "[1, 3(0), 2(1, 2), (a := 1)]");
}

#[test]
fn statements() {
    code(
        "a := b; p REF= c; q S= d; r R= e; s ?= f; t += 1; t -= 2; t *= 3; t /= 4; u := v := w; ;",
        "a := b; p REF= c; q S= d; r R= e; s ?= f; t += 1; t -= 2; t *= 3; t /= 4; v := w; u := v; ;",
    );
    code(
        "IF a THEN b := 1; ELSIF c THEN ELSE d; END_IF IF e THEN END_IF;",
        "IF a THEN b := 1; ELSIF c THEN ELSE d; END_IF; IF e THEN END_IF;",
    );
    code(
        "CASE s OF 1: a := 1; 2, 4..6, -7: Red, Color#Blue, c.d: CASE t OF 1: ELSE END_CASE b(1, 2); ELSE c := 1; END_CASE",
        "CASE s OF 1: a := 1; 2, 4..6, -7: Red, Color#Blue, c.d: CASE t OF 1: ELSE END_CASE; b(1, 2); ELSE c := 1; END_CASE;",
    );
    code(
        "FOR i := 1 TO n - 1 BY -2 DO EXIT; CONTINUE END_FOR WHILE a DO END_WHILE REPEAT x; UNTIL b; END_REPEAT RETURN",
        "FOR i := 1 TO n - 1 BY -2 DO EXIT; CONTINUE; END_FOR; WHILE a DO END_WHILE; REPEAT x; UNTIL b END_REPEAT; RETURN;",
    );
    code("l: x := 1; JMP l; GOTO l; {p} f; 1 + 2;", "l: x := 1; JMP l; JMP l; {p} f; 1 + 2;");
    code("jmp := 1; JMP & l;", "jmp := 1; JMP AND l;");
    code(
        "step := 1; until := 2; exit := step; continue(3);",
        "step := 1; until := 2; exit := step; continue(3);",
    );
}

#[test]
fn claims() {
    code(
        "//#ASSERT x > 0;\n //# assume y // why\n (*# havoc z *) assert(a); __ASSERT b; assert(a, b); assert := 1;",
        "__assert(x > 0); __assume(y); __havoc(z); __assert(a); __assert(b); assert(a, b); assert := 1;",
    );
    // A definition of the program wins.
    stays("FUNCTION assert END_FUNCTION PROGRAM p assert(a); END_PROGRAM");
}

#[test]
fn comments() {
    code("(* a (* b *) c *) x; // y;\n /* z; /* w */ */ v;", "x; v;");
    // Where nesting does not end, it is not meant.
    code("(* a (* b *) x; (* c *) y;", "x; y;");
    code("\u{a0}x\u{a0};", "x;");
    becomes("\u{feff}PROGRAM p END_PROGRAM", "PROGRAM p END_PROGRAM");
    // Latin-1, as older tools write.
    let unit = read(b"PROGRAM p (* \xe4 *) s := '\xe4'; END_PROGRAM", "p.st", None);
    assert!(again(&unit.expect("Latin-1 is read")).contains("s := 'ä';"));
}

#[test]
fn charts() {
    stays(
        "FUNCTION_BLOCK b
           ACTION go: x := 1; END_ACTION
           INITIAL_STEP a: go(N); lamp(L, T#5s, done); END_STEP
           STEP c: END_STEP STEP d: END_STEP
           TRANSITION t (PRIORITY := 2) FROM a TO (c, d) := x > 1; END_TRANSITION
           TRANSITION FROM (c, d) TO a := TRUE; END_TRANSITION
         END_FUNCTION_BLOCK",
    );
}

#[test]
fn configurations() {
    stays(
        "CONFIGURATION c
           VAR_GLOBAL g AT %MW1 : INT; END_VAR
           VAR_ACCESS n : r.p.x : INT READ_WRITE; END_VAR
           RESOURCE r ON PLC
             VAR_GLOBAL h : BOOL; END_VAR
             TASK fast(INTERVAL := T#10ms, PRIORITY := 0);
             TASK edge(SINGLE := h, PRIORITY := 1);
             PROGRAM RETAIN p WITH fast : N.main(in := 5, out => h, fb WITH edge);
             PROGRAM q : other;
           END_RESOURCE
         END_CONFIGURATION",
    );
    stays("CONFIGURATION c TASK t(INTERVAL := T#1s); PROGRAM p WITH t : main; END_CONFIGURATION");
}

#[test]
fn scl() {
    let scl = |text: &str, expected: &str| becomes_in(None, text, expected);
    scl(
        "FUNCTION_BLOCK \"Stack Min\"
         TITLE = It's a title
         { S7_Optimized_Access := 'TRUE' }
         VERSION : 0.1
         VAR_INPUT push { ExternalWritable := 'False' } : Bool; version : Int; END_VAR
         VAR x : Int; y AT x : Word; END_VAR
         BEGIN
           REGION Check OF the INPUT and OUTPUT // a comment
             IF #push THEN #x += 1; END_IF;
           END_REGION of it
           \"DB\".\"the field\"[#x].%X0 := #\"odd name\"; \"Block\"(a := #x);
           IF#push THEN FOR #x := 1 TO#x BY#x DO ; END_FOR; END_IF;
         END_FUNCTION_BLOCK",
        "FUNCTION_BLOCK \"Stack Min\"
         {TITLE = It's a title} {S7_Optimized_Access := 'TRUE'} {VERSION : 0.1}
         VAR_INPUT {ExternalWritable := 'False'} push : Bool; version : Int; END_VAR
         VAR x : Int; y AT x : Word; END_VAR
           REGION Check OF the INPUT and OUTPUT
             IF #push THEN #x += 1; END_IF;
           END_REGION
           \"DB\".\"the field\"[#x].0 := #\"odd name\"; \"Block\"(a := #x);
           IF #push THEN FOR #x := 1 TO #x BY #x DO ; END_FOR; END_IF;
         END_FUNCTION_BLOCK",
    );
    scl(
        "TYPE \"udt\"
         VERSION : 0.1
         STRUCT a : Int; b : Array[0..1] of \"other\"; END_STRUCT; END_TYPE
         DATA_BLOCK \"d\" { S7_Optimized_Access := 'TRUE' } NON_RETAIN STRUCT a : Int := 1; END_STRUCT; BEGIN a := 5; END_DATA_BLOCK
         DATA_BLOCK \"e\" \"udt\" BEGIN END_DATA_BLOCK
         ORGANIZATION_BLOCK \"Main\" BEGIN \"f\"(); END_ORGANIZATION_BLOCK",
        "TYPE {VERSION : 0.1} \"udt\" : STRUCT a : Int; b : ARRAY[0..1] OF \"other\"; END_STRUCT; END_TYPE
         DATA_BLOCK \"d\" {S7_Optimized_Access := 'TRUE'} STRUCT a : Int := 1; END_STRUCT; BEGIN a := 5; END_DATA_BLOCK
         DATA_BLOCK \"e\" \"udt\"; BEGIN END_DATA_BLOCK
         ORGANIZATION_BLOCK \"Main\" \"f\"(); END_ORGANIZATION_BLOCK",
    );
}

#[test]
fn dialects_are_noticed() {
    let noticed =
        |name: &str, text: &str| read(text.as_bytes(), name, None).expect("a unit").dialect;
    assert_eq!(noticed("a.st", "PROGRAM p s := \"x\"; END_PROGRAM"), Dialect::Iec);
    assert_eq!(noticed("a.st", "FUNCTION \"f\" : Void END_FUNCTION"), Dialect::Scl);
    assert_eq!(noticed("a.st", "FUNCTION f x := #y; END_FUNCTION"), Dialect::Scl);
    assert_eq!(noticed("a.scl", "FUNCTION f END_FUNCTION"), Dialect::Scl);
    assert_eq!(noticed("a.st", "{attribute 'x'} PROGRAM p END_PROGRAM"), Dialect::Codesys);
    assert_eq!("TwinCAT".parse(), Ok(Dialect::Twincat));
    assert!("pascal".parse::<Dialect>().is_err());
}
