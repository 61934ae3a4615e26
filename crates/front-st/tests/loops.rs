//! Loops that are written out do what loops do.

mod common;

use common::once;

/// The known value of a loop's variable keeps the variable's type: an `INT` and an `LWORD` are
/// compared as signed numbers, which a literal and an `LWORD` are not.
#[test]
fn a_known_value_has_the_type_of_its_variable() {
    let text = "PROGRAM main VAR i : INT; w : LWORD := 16#FFFFFFFFFFFFFFF3; a, b : BOOL; END_VAR
         FOR i := 3 TO 3 DO a := i > w; END_FOR;
         b := 3 > w; END_PROGRAM";
    assert_eq!(once(text, "main", &["a", "b"]), ["1", "0"]);
}

/// A loop whose variable is written by an action, or over a parameter, is no loop of known turns.
#[test]
fn a_variable_that_others_write_is_not_known() {
    let text = "FUNCTION skip VAR_IN_OUT x : INT; END_VAR x := x + 1; END_FUNCTION
         FUNCTION_BLOCK counts VAR i, n, m : INT; END_VAR
         METHOD leap i := i + 2; END_METHOD
         FOR i := 1 TO 10 DO n := n + 1; leap(); END_FOR;
         FOR i := 1 TO 10 DO m := m + i; skip(i); END_FOR;
         END_FUNCTION_BLOCK
         PROGRAM main VAR c : counts; n, m : INT; END_VAR c(); n := c.n; m := c.m; END_PROGRAM";
    assert_eq!(once(text, "main", &["n", "m"]), ["4", "25"]);
}
