//! What the files of real projects contain, editions and vendors mixed: all of this is accepted, and
//! where values show how it is understood, they are compared.

mod common;

use common::{messages, observed, once};
use front_st::compile::{Settings, Text, compile};

/// Compiles a text, and checks the program that it becomes.
fn accepted_as(name: &str, text: &str) {
    let texts = vec![Text { name: name.into(), bytes: text.as_bytes().to_vec() }];
    let compiled = compile(texts, None, &Default::default(), &Settings::default());
    let said = messages(&compiled).join("\n");
    let lowered = compiled.lowered.unwrap_or_else(|_| panic!("{said}\n{text}"));
    program::wellformed::check(&lowered.program).expect("well-formed");
}

fn accepted(text: &str) {
    accepted_as("a.st", text);
}

/// The code of a program with these variables.
fn code(variables: &str, code: &str) {
    accepted(&format!("PROGRAM main VAR {variables} END_VAR {code} END_PROGRAM"));
}

#[test]
fn namespaces_classes_and_generics() {
    accepted(
        "USING Lib.Math;
         NAMESPACE Lib.Math
           FUNCTION PUBLIC Twice : INT VAR_INPUT x : INT; END_VAR Twice := 2 * x; END_FUNCTION
           TYPE Level : INT (0..100); END_TYPE
           TYPE Mode : (Off, Auto := 5, Manual); END_TYPE
           INTERFACE IValue METHOD Get : INT END_METHOD END_INTERFACE
           CLASS Counter IMPLEMENTS IValue
             VAR PRIVATE n : INT; END_VAR
             VAR PROTECTED m : INT; END_VAR
             METHOD PUBLIC Get : INT Get := THIS.n; END_METHOD
             METHOD PUBLIC Inc n := n + 1; m := m + 1; END_METHOD
           END_CLASS
         END_NAMESPACE
         PROGRAM main
           VAR c : Lib.Math.Counter; v : INT; l : Level; m : Lib.Math.Mode := Mode#Auto; i : IValue; END_VAR
           c.Inc(); i := c; v := Lib.Math.Twice(i.Get()); m := Lib.Math.Mode#Manual;
         END_PROGRAM",
    );
    accepted(
        "FUNCTION Bigger<T: ANY_NUM> : T VAR_INPUT a, b : T; END_VAR
           IF a > b THEN Bigger := a; ELSE Bigger := b; END_IF;
         END_FUNCTION
         PROGRAM main VAR x : INT; r : REAL; END_VAR x := Bigger(3, x); r := Bigger(r, 2.5); END_PROGRAM",
    );
    accepted(
        "CLASS FINAL C VAR PUBLIC a : INT; END_VAR METHOD PUBLIC INTERNAL x : BOOL END_METHOD END_CLASS
         FUNCTION_BLOCK D USING A.B; VAR c : C; END_VAR c.a := 3; END_FUNCTION_BLOCK",
    );
}

#[test]
fn pragmas_and_attributes() {
    accepted(
        "{attribute 'qualified_only'}
         {attribute 'strict'}
         TYPE E : ( {attribute 'x'} A := 0, // first
           B, C := 10 ) UINT := B;
         END_TYPE
         TYPE T : STRUCT {attribute 'displaymode' := 'hex'} a : WORD; (* c *) {attribute 'x'} b : E; END_STRUCT END_TYPE
         {attribute 'a' :=
         'b
         c'}
         VAR_GLOBAL CONSTANT MAX : INT := 10; END_VAR
         {region \"abc\"}
         FUNCTION_BLOCK F
         VAR_INPUT {attribute 'x'} i : INT; END_VAR
         {IF defined(abc)} i := 1; {ELSE} i := 2; {END_IF} {info 'x'} {endregion}
         END_FUNCTION_BLOCK
         PROGRAM main VAR f : F; e : E := E.B; t : T; x : ARRAY[0..MAX - 1] OF INT; END_VAR
           f(i := 3); {} CASE e OF E.A: f.i := 1; E.B, E.C: f.i := 2; END_CASE t.b := E.C;
         END_PROGRAM",
    );
    accepted(
        "(* @NESTEDCOMMENTS := 'Yes' *) (* @PATH := '' *)
         PROGRAM PLC_PRG VAR x: INT; (* a (* nested *) comment *) END_VAR
         (* @END_DECLARATION := '0' *)
         x := x + 1;
         END_PROGRAM",
    );
}

#[test]
fn types_and_initial_values() {
    accepted(
        "TYPE Color : (Red := 1, Green, Blue) BYTE; END_TYPE
         TYPE Shade : DINT (Dark := 100, Light := Dark + 1); END_TYPE
         TYPE Sub : INT (-5..5) := 2; END_TYPE
         TYPE Alias : ARRAY[1..3] OF Sub; Str20 : STRING[20] := 'x'; P : POINTER TO Alias; END_TYPE
         TYPE U : UNION w : WORD; b : ARRAY[0..1] OF BYTE; END_UNION END_TYPE
         TYPE S : STRUCT a, b : INT := 3; c : ARRAY[1..3] OF BOOL := [TRUE, FALSE, TRUE]; u : U;
                         d : STRUCT e : BOOL; END_STRUCT; END_STRUCT;
              S2 EXTENDS S : STRUCT f : INT; END_STRUCT; S3 : S; END_TYPE
         PROGRAM main
           VAR CONSTANT N : INT := 4; END_VAR
           VAR c : Color := Green; d : Color := Color#Blue; e : (x1, x2 := 7); a : Alias := [1, 2, 3]; st : Str20;
               u : U; s : S := (a := 5); s2 : ARRAY[1..2] OF S := [(a := 1), (a := 2)]; t : S2 := (a := 1, f := 3);
               g : ARRAY[0..N] OF ARRAY[1..2] OF INT := [[1, 2], [3, 4]]; h : ARRAY[-1..1, 0..2] OF REAL := [9(1.5)];
               k : ARRAY[1..3] OF TON; l : ARRAY[1..2] OF ARRAY[1..2] OF BOOL; x : BYTE; i : DINT := 1; END_VAR
           x := c; c := Color.Red; IF e = x2 THEN e := x1; END_IF; i := Shade#Light; IF c < Blue THEN c := Blue; END_IF;
           i := SIZEOF(a); u.w := 16#1234; x := u.b[0]; s2[1] := s; s.u := u; t.d.e := TRUE; g[1][2] := 3; g[1, 2] := 3;
           h[-1, 2] := 2.0; g[2] := g[1]; l[1][2] := l[1, 1]; FOR i := 1 TO 3 DO k[i](IN := TRUE, PT := T#1s * i); END_FOR;
         END_PROGRAM",
    );
    let text = "FUNCTION_BLOCK F VAR_INPUT a : INT := 3; END_VAR VAR b : INT := c; END_VAR
                VAR CONSTANT c : INT := 7; END_VAR END_FUNCTION_BLOCK
                PROGRAM main VAR f : F := (a := 5); g : F(a := 6); h : ARRAY[1..2] OF F := [(a := 1), (a := 2)];
                  x : INT; END_VAR
                  f(); x := f.a + g.b + h[2].a;
                END_PROGRAM";
    assert_eq!(once(text, "main", &["x"]), ["14"]);
}

#[test]
fn global_and_located_variables() {
    let text = "VAR_GLOBAL PERSISTENT RETAIN x : INT := 5; END_VAR
         VAR_GLOBAL RETAIN y AT %MW10 : WORD; END_VAR
         VAR_GLOBAL CONSTANT PI_ : LREAL := 3.14159; LIM : ARRAY[1..2] OF INT := [1, 2]; END_VAR
         VAR_GLOBAL in1 AT %IX0.0 : BOOL; in2 AT %I* : BOOL; out1 AT %Q* : BOOL; END_VAR
         FUNCTION_BLOCK F VAR mine AT %Q* : INT; fixed AT %QW7 : INT; END_VAR mine := mine + 1; fixed := mine; END_FUNCTION_BLOCK
         PROGRAM main VAR_EXTERNAL x : INT; END_VAR VAR RETAIN r : INT; END_VAR VAR PERSISTENT p : INT; END_VAR
           VAR bIn AT %I* : BOOL; bOut AT %Q* : BOOL; ml AT %MX1.0 : BOOL; f, g : F; m, n, k : INT; END_VAR
           x := x + 1; .x := 3; bOut := bIn AND in1; out1 := in2; r := LIM[1]; %QX0.1 := %IX0.2; y.3 := TRUE;
           f(); f(); g(); m := f.mine; n := g.mine; k := f.fixed;
         END_PROGRAM";
    accepted(&format!(
        "{text} CONFIGURATION Conf VAR_GLOBAL cg : INT; END_VAR RESOURCE Res ON PLC
         TASK T1(INTERVAL := T#20ms, PRIORITY := 1); PROGRAM P1 WITH T1 : main; END_RESOURCE
         VAR_CONFIG Res.P1.bIn AT %IX1.0 : BOOL; END_VAR END_CONFIGURATION"
    ));
    // A variable whose place is not written is its instance's own.
    assert_eq!(once(text, "main", &["m", "n", "k"]), ["2", "1", "1"]);
}

#[test]
fn statements_of_all_kinds() {
    code(
        "x : INT; c : (Red, Green, Blue); y : INT; w : WORD; b : BOOL;",
        "CASE x OF -3..-1, 5: y := 1; 10: ; 16#20..16#2F: y := 2; ELSE y := 3; END_CASE;
         CASE c OF Red: y := 1; Green..Blue: y := 2; END_CASE
         CASE w OF 16#8000: y := 4; 2#1: y := 5; END_CASE
         CASE x MOD 3 OF 0: y := 6; 1: CASE y OF 1: y := 2; END_CASE; 2: y := 7; END_CASE
         FOR x := 1 TO 10 DO CONTINUE; END_FOR; FOR x := 10 TO 1 BY -3 DO EXIT; END_FOR
         x := 0; again: x := x + 1; IF x < 5 THEN JMP again; END_IF; b S= x > 3; b R= x < 0; x := y := 3;
         IF b AND_THEN x / y > 1 OR_ELSE NOT b THEN; x := 2 ** 3; END_IF; ;; RETURN;",
    );
    code(
        "a, b : BOOL; i, j : INT; w : WORD; r : REAL; l : LREAL; d : DINT; u : UDINT;",
        "a := NOT a OR b AND (i > 3) XOR TRUE; a := i <> j; i := -i + +j * (3 - j) / 2 MOD 5;
         w := w AND 16#FF OR NOT w; r := i * 1.5; l := r + 2.0E3; d := i; u := d; r := 2.0 ** 0.5; a := a & b;
         w := SHL(w, 2) XOR ROL(w, 3); i := ADD(1, 2, 3); a := GT(3, 2, 1); i := MUX(2, 1, 2, 3); i := INT#16#FF;
         w := WORD#2#101; i := REAL_TO_INT(r); w := AND(w, 16#F); b := OR(b, TRUE, b); w := NOT(w); i := EXPT(2, 3);
         i := TO_INT(l); w := INT_TO_BCD_WORD(i); r := ATAN2(1.0, r); i := MIN(1, j, 3); a := LE(1, i, 3);",
    );
    let text = "PROGRAM main VAR w : WORD := 16#1234; b : BYTE; i : INT := 5; n : INT := 1; x, y : BOOL; END_VAR
                  b := w.%B1; w.%X0 := TRUE; i := i + 1; n := i; w.%Xi := TRUE; n := 1; w.%Bn := 16#56; x := w.%Xi; y := w.%B0.%X1;
                END_PROGRAM";
    assert_eq!(once(text, "main", &["b", "w", "x", "y"]), ["18", "22133", "1", "0"]);
}

#[test]
fn strings_times_and_functions_with_all_parameters() {
    code(
        "s : STRING(40) := 'abc$Ndef$'x'; t : STRING[10]; w : WSTRING := \"wide\"; i : INT; b : BOOL; c : CHAR;",
        "t := LEFT(s, 3); t := CONCAT(t, 'x', 'y'); i := FIND(s, 'def'); t := MID(s, 2, 1); t := REPLACE(s, 'z', 1, 2);
         t := INSERT(t, 'q', 1); t := DELETE(t, 1, 1); i := LEN(t); b := s = t; b := s > 'abc'; t := INT_TO_STRING(i);
         i := STRING_TO_INT('12'); w := CONCAT(w, \"x\"); c := s[1]; s[2] := c; t := BOOL_TO_STRING(b);",
    );
    code(
        "t : TIME := T#1h2m3s4ms; lt : LTIME := LTIME#1us500ns; d : DATE := D#2020-01-01; td : TOD := TOD#12:30:15.5;
         dt : DT := DT#2020-01-01-12:00:00; b : BOOL; r : REAL; q : TON_LTIME;",
        "t := t + T#5s; t := t * 2; t := t / 3; lt := lt + LTIME#3ms; dt := dt + t; t := dt - DT#2019-01-01-00:00:00;
         b := t > T#0s; td := td + t; dt := CONCAT_DATE_TOD(d, td); r := TIME_TO_REAL(t); t := t MOD T#1s; t := -t;
         t := TIME(); t := MAX(t, T#1s); t := SEL(b, t, T#2s); t := T#100.5ms; q(IN := b, PT := LTIME#1s);",
    );
    accepted(
        "FUNCTION f : INT VAR_INPUT a : INT; b : INT := 3; END_VAR VAR_OUTPUT o : INT; END_VAR
           VAR_IN_OUT io : INT; END_VAR f := a + b; o := a; io := io + 1; END_FUNCTION
         FUNCTION none VAR_INPUT a : INT; END_VAR END_FUNCTION
         FUNCTION arr : ARRAY[1..3] OF INT arr[1] := 5; END_FUNCTION
         FUNCTION st : STRING st := 'abc'; END_FUNCTION
         TYPE S : STRUCT a : INT; END_STRUCT END_TYPE
         FUNCTION strct : S strct.a := 3; END_FUNCTION
         {external} FUNCTION any : BOOL VAR_INPUT {ref} x : {sized} STRING...; END_VAR END_FUNCTION
         PROGRAM main VAR x, y : INT; a : ARRAY[1..3] OF INT; s : STRING; r : S; en : BOOL; END_VAR
           x := f(1, 2, y, x); x := f(a := 1, io := y, o => x); none(3); none(a := 3); a := arr(); s := st(); r := strct();
           x := f(EN := en, a := 1, io := y, ENO => en); x := strct().a; en := any(s, 'a', s);
         END_PROGRAM",
    );
}

#[test]
fn names_that_nobody_declares_are_unknown_in_any_place() {
    accepted("PROGRAM main a AND NOT b OR c XOR d; x := __VARINFO(y).z; GVL.v := 3; END_PROGRAM");
    accepted("FUNCTION_BLOCK F VAR_EXTERNAL g : INT; END_VAR g := g + 1; END_FUNCTION_BLOCK");
}

#[test]
fn siemens() {
    accepted_as(
        "a.scl",
        "TYPE \"UDT_Motor\"
         VERSION : 0.1
           STRUCT speed { ExternalWritable := 'False'} : Real := 1.5; // rpm
             state : Struct on : Bool; err : Word := 16#0; END_STRUCT;
             hist : Array[0..9] of Int; name : String[20] := 'motor'; t : Time := T#5s; s5 : S5Time := S5T#2s; d : DTL;
           END_STRUCT;
         END_TYPE
         FUNCTION \"Scale\" : Real
         TITLE = Scale a value
         { S7_Optimized_Access := 'TRUE' }
         AUTHOR : me
         FAMILY : math
         VERSION : 1.0
         //comment
         VAR_INPUT v : Int; lo : Real; hi : Real := 100.0; END_VAR VAR_TEMP tmp : Real; END_VAR
         BEGIN #tmp := INT_TO_REAL(#v) / 27648.0; #Scale := #tmp * (#hi - #lo) + #lo; END_FUNCTION
         FUNCTION_BLOCK \"Main_FB\"
         VAR_INPUT raw : Int; run : Bool; END_VAR VAR_IN_OUT m : \"UDT_Motor\"; END_VAR
         VAR_OUTPUT y : Real; done : Bool; o : Int; END_VAR
         VAR tmr {InstructionName := 'TON_TIME'; LibVersion := '1.0'} : TON_TIME; trig : R_TRIG; cnt : CTU_INT;
             stat : Array[1..3, 1..2] of \"UDT_Motor\"; END_VAR
         BEGIN
           REGION Scaling OF it
             #y := \"Scale\"(v := #raw, lo := 0.0, hi := 50.0);
           END_REGION
           #tmr(IN := #run, PT := T#500ms, Q => #done); #trig(CLK := #run);
           IF #trig.Q THEN #m.state.on := TRUE; #m.hist[0] := #m.hist[0] + 1; END_IF;
           #cnt(CU := #trig.Q, R := NOT #run, PV := 5); #stat[1, 2].speed := #y; #m.state.err.%X3 := TRUE;
           CASE #raw OF 1: GOTO one; 2: GOTO two; ELSE: GOTO three; END_CASE;
           one: #o := 1; two: #o := 2; three: #o += 3;
           #o := MUX(K := #raw, IN0 := 1, IN1 := 2, INELSE := 3); #o := SEL(G := #run, IN0 := 1, IN1 := 2);
           IF \"Tag_1\" AND NOT \"DB_Global\".flags[2] THEN \"DB_Global\".out := TRUE; ELSIF #run THEN ; END_IF; ENO := TRUE;
         END_FUNCTION_BLOCK",
    );
    let text = "ORGANIZATION_BLOCK \"Main\"
         TITLE = \"Main Program Sweep (Cycle)\"
         VAR_TEMP x : Int; END_VAR
         BEGIN \"Motor_DB\"(start := TRUE, stop := FALSE); \"DB\".on := \"Motor_DB\".on; \"DB\".a := \"DB\".a + 1; %Q0.0 := %I0.0 AND %M1.2; %QW2 := %IW4;
         END_ORGANIZATION_BLOCK
         FUNCTION_BLOCK \"Motor\" VAR_INPUT start, stop : Bool; END_VAR VAR_OUTPUT on : Bool; END_VAR
         BEGIN #on := (#start OR #on) AND NOT #stop; END_FUNCTION_BLOCK
         DATA_BLOCK \"Motor_DB\" { S7_Optimized_Access := 'TRUE' } NON_RETAIN \"Motor\" BEGIN END_DATA_BLOCK
         DATA_BLOCK \"DB\"
         VERSION : 0.1
         VAR a : Int := 5; on : Bool; flags : Array[0..3] of Bool; END_VAR
         BEGIN a := 7; flags[1] := TRUE; END_DATA_BLOCK";
    assert_eq!(once(text, "Main", &["db"]), ["(a=8 on=1 flags=[0 1 0 0])"]);
    let text = "FUNCTION \"f\" : Int VAR_INPUT k : Int; END_VAR BEGIN #f := MUX(K := #k - 3, IN0 := 1, IN1 := 2, INELSE := 9); END_FUNCTION
                ORGANIZATION_BLOCK \"m\" VAR x, y, z : Int; END_VAR BEGIN #x := \"f\"(2); #y := \"f\"(4); #z := \"f\"(5); END_ORGANIZATION_BLOCK";
    assert_eq!(once(text, "m", &["x", "y", "z"]), ["9", "2", "9"]);
}

#[test]
fn exceptions_are_rejected_by_name() {
    let text =
        "PROGRAM main VAR x : INT; END_VAR __TRY x := 1; __CATCH(e) x := 2; __ENDTRY END_PROGRAM";
    let said = messages(&observed(text, "main", 1)).join("\n");
    assert!(said.contains("what follows an exception (__TRY) is not known"), "{said}");
}
