//! References to instances: which code a call runs, what an attempt gives, and what lies in memory.

mod common;

use common::{at, messages, observed, once, values};

/// Blocks that extend each other.
const FAMILY: &str = "
INTERFACE Named
  METHOD name : STRING END_METHOD
  PROPERTY weight : INT GET END_GET END_PROPERTY
END_INTERFACE
INTERFACE Other END_INTERFACE
FUNCTION_BLOCK A IMPLEMENTS Named
  VAR_INPUT step : INT := 1; END_VAR
  VAR_OUTPUT count : INT; END_VAR
  count := count + step;
  METHOD f : INT VAR_INPUT x : INT; END_VAR f := x + 1; END_METHOD
  METHOD g : INT g := THIS^.f(10); END_METHOD
  METHOD name : STRING name := 'A'; END_METHOD
  PROPERTY weight : INT GET weight := 5; END_GET END_PROPERTY
  ACTION zero: count := 0; END_ACTION
END_FUNCTION_BLOCK
FUNCTION_BLOCK B EXTENDS A IMPLEMENTS Other
  VAR more : INT; END_VAR
  SUPER^(); more := count * 2;
  METHOD f : INT VAR_INPUT x : INT; END_VAR f := x + 2; END_METHOD
  METHOD name : STRING name := 'B'; END_METHOD
  PROPERTY weight : INT GET weight := 7; END_GET END_PROPERTY
END_FUNCTION_BLOCK
";

fn family(variables: &str, code: &str, names: &[&str]) -> Vec<String> {
    let text = format!("{FAMILY} PROGRAM main VAR {variables} END_VAR {code} END_PROGRAM");
    once(&text, "main", names)
}

#[test]
fn a_pointer_runs_the_code_of_what_it_points_to() {
    let variables = "a : A; b : B; p : POINTER TO A; q : REF_TO A; r : REFERENCE TO A;
                     x, y, z, w, v : INT; s, t : STRING;";
    let code = "p := ADR(b); x := p^.f(1); q := REF(a); y := q^.f(1); r REF= b; z := r.g();
                s := p^.name(); t := q^.name(); w := p^.weight; p^(step := 3); p^(); v := b.more;
                p^.count := p^.count + 100; r.zero(); q := p; q^.step := 9;";
    let seen = family(
        variables,
        code,
        &["x", "y", "z", "s", "t", "w", "v", "b.count", "b.step"].map(|n| match n {
            "b.count" | "b.step" => "b",
            n => n,
        }),
    );
    assert_eq!(seen[..7], ["3", "2", "12", "B", "A", "7", "12"]);
    assert_eq!(seen[7], "(step=9 count=0 more=12)");
}

#[test]
fn an_array_of_pointers() {
    let variables = "a : A; b : ARRAY[1..2] OF B; p : ARRAY[0..2] OF POINTER TO A; i, n : INT;";
    let code = "p[0] := ADR(b[2]); p[1] := ADR(a); p[2] := ADR(b[1]);
                FOR i := 0 TO 2 DO n := n * 10 + p[i]^.f(0); END_FOR;";
    assert_eq!(family(variables, code, &["n"]), ["212"]);
}

#[test]
fn parameters_by_reference_are_what_they_are_given() {
    let text = format!(
        "{FAMILY}
         FUNCTION use : INT VAR_IN_OUT a : A; END_VAR use := a.g(); END_FUNCTION
         FUNCTION take : INT VAR_INPUT a : REF_TO A; END_VAR take := a^.g(); END_FUNCTION
         PROGRAM main VAR a : A; b : B; r : REFERENCE TO A; x, y, z, w : INT; END_VAR
           r REF= b; x := use(a); y := use(b); z := use(r); w := take(b);
         END_PROGRAM"
    );
    assert_eq!(once(&text, "main", &["x", "y", "z", "w"]), ["11", "12", "12", "12"]);
}

#[test]
fn an_attempt_gives_a_reference_only_to_what_fits() {
    let variables =
        "a : A; b : B; pa, pb : REF_TO A; p, q, s, t : REF_TO B; i, j : Named; o, u : Other;
                     n1, n2, n3, n4, n5, n6 : BOOL; m : INT; yes : BOOL;";
    let code = "pa := REF(a); pb := REF(b); p ?= pa; q ?= pb; n1 := p = NULL; n2 := q = NULL;
                i := a; j := b; s ?= i; t ?= j; n3 := s = NULL; n4 := t = NULL;
                o ?= i; n5 := o = NULL; o ?= pb; n6 := o = NULL; q ?= NULL;
                m := t^.f(3); yes := __QUERYINTERFACE(j, u);";
    let names = ["n1", "n2", "n3", "n4", "n5", "n6", "m", "yes"];
    assert_eq!(family(variables, code, &names), ["1", "0", "1", "0", "1", "0", "5", "1"]);
}

#[test]
fn this_is_a_pointer() {
    let text = "FUNCTION_BLOCK F VAR x : INT := 7; END_VAR
                  METHOD self : POINTER TO F self := THIS; END_METHOD
                END_FUNCTION_BLOCK
                PROGRAM main VAR f : F; p : POINTER TO F; x, y : INT; END_VAR
                  x := f.self()^.x; p := f.self(); p^.x := 8; y := f.x;
                END_PROGRAM";
    assert_eq!(once(text, "main", &["x", "y"]), ["7", "8"]);
}

#[test]
fn interfaces_refer_to_instances_in_memory() {
    let variables = "b : B; p : POINTER TO B; i : Named; x : INT; s : STRING;";
    let code = "p := ADR(b); i := b; x := i.weight; i := p^; s := i.name();";
    assert_eq!(family(variables, code, &["x", "s"]), ["7", "B"]);
}

#[test]
fn time_passes_for_timers_in_memory() {
    let text = "FUNCTION_BLOCK F VAR t : TON; END_VAR VAR_OUTPUT q : BOOL; END_VAR
                  t(IN := TRUE, PT := T#25ms); q := t.Q;
                END_FUNCTION_BLOCK
                PROGRAM main VAR f : ARRAY[1..2] OF F; p : POINTER TO F; q : BOOL; END_VAR
                  p := ADR(f[2]); p^(); q := f[2].q;
                END_PROGRAM";
    let cycles: Vec<_> = (0..4).map(|n| at(10 * n, &[])).collect();
    assert_eq!(values(text, "main", &cycles, &["q"]).concat(), ["0", "0", "0", "1"]);
}

#[test]
fn external_variables_are_the_global_ones() {
    let text = "VAR_GLOBAL g : INT := 5; END_VAR
                FUNCTION_BLOCK F VAR_EXTERNAL g : INT; END_VAR VAR_INPUT i : INT; END_VAR VAR x : INT; END_VAR
                  x := g; g := g + i;
                END_FUNCTION_BLOCK
                PROGRAM main VAR_EXTERNAL g : INT; END_VAR VAR e, f : F; p : POINTER TO F; x, y : INT; END_VAR
                  e(i := 3); p := ADR(f); p^(i := 2); x := g; y := f.x;
                END_PROGRAM";
    assert_eq!(once(text, "main", &["x", "y"]), ["10", "8"]);
}

#[test]
fn properties_and_functions_that_give_references() {
    let text = "TYPE S : STRUCT x : INT := 42; END_STRUCT END_TYPE
                FUNCTION_BLOCK F VAR s : S; n : INT; END_VAR
                  PROPERTY whole : REFERENCE TO S GET whole REF= s; END_GET SET s := whole; END_SET END_PROPERTY
                  METHOD number : REFERENCE TO INT number REF= n; END_METHOD
                END_FUNCTION_BLOCK
                FUNCTION plain : INT plain := 3; END_FUNCTION
                PROGRAM main VAR f : F; t : S; r : REFERENCE TO S; i : REFERENCE TO INT; a, b, c, d : INT; END_VAR
                  a := f.whole.x; t.x := 7; r REF= t; f.whole := r; b := f.whole.x;
                  f.whole.x := 9; f.number() := 5; c := f.number() + 1; i REF= f.number(); i := i + f.s.x;
                  d := f.n; plain() := 4;
                END_PROGRAM";
    assert_eq!(once(text, "main", &["a", "b", "c", "d"]), ["42", "7", "6", "14"]);
}

#[test]
fn bytes_are_copied_and_filled() {
    let text = "PROGRAM main VAR a : ARRAY[0..3] OF BYTE := [1, 2, 3, 4]; b : ARRAY[0..3] OF BYTE; n : UDINT; END_VAR
                  MEMCPY(ADR(b), ADR(a), SIZEOF(a)); MEMSET(ADR(a), 16#FF, 2);
                  n := MEMMOVE(destAddr := ADR(b[1]), srcAddr := ADR(b), n := 3);
                END_PROGRAM";
    assert_eq!(once(text, "main", &["a", "b", "n"]), ["[255 255 3 4]", "[1 1 2 3]", "3"]);
}

#[test]
fn what_is_unknown_may_change_what_it_is_given_the_address_of() {
    let text = "PROGRAM main VAR x : INT := 3; p : POINTER TO INT; END_VAR
                  p := ADR(x); Vendor(p);
                END_PROGRAM";
    let compiled = observed(text, "main", 1);
    let lowered = compiled.lowered.as_ref().expect("it is accepted");
    let forgotten = lowered.program.functions.iter().any(|(_, function)| {
        let body = function.body.as_ref().expect("there is one function, with a body");
        format!("{body:?}").contains("Unknown(\"Vendor\")")
    });
    assert!(forgotten);
}

#[test]
fn a_static_instance_that_is_made_too_late_is_rejected() {
    let text = format!(
        "{FAMILY}
         VAR_GLOBAL p : POINTER TO A; END_VAR
         FUNCTION late VAR_STAT b : B; END_VAR p := ADR(b); END_FUNCTION
         PROGRAM main VAR a : A; x : INT; END_VAR
           IF p = 0 THEN p := ADR(a); END_IF; x := p^.f(1); late();
         END_PROGRAM"
    );
    let said = messages(&observed(&text, "main", 1)).join("\n");
    assert!(said.contains("comes after a pointer that may point to it was followed"), "{said}");
}
