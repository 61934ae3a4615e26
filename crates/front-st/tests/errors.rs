//! Messages with their places: what is said about wrong texts, all at once.

mod kit;

use front_st::dialect::Dialect;
use kit::read;

/// Reads a text that is wrong and compares what is said.
fn says_in(name: &str, dialect: Option<Dialect>, text: &str, expected: &str) {
    let said = read(text.as_bytes(), name, dialect).expect_err("the text is wrong");
    assert_eq!(said.trim_end(), expected.trim_end().trim_start_matches('\n'), "\n{said}");
}

fn says(text: &str, expected: &str) {
    says_in("a.st", None, text, expected);
}

#[test]
fn several_mistakes_are_told_at_once() {
    says(
        "PROGRAM p\nVAR\n  a : ;\n  b INT;\n  c : INT;\nEND_VAR\n  a := ;\n  b = 1);\n  IF a THEN\n    c := 2;\nEND_PROGRAM\n",
        "
a.st:3:7: error: expected a type, found ';'
    3 |   a : ;
      |       ^
a.st:4:5: error: expected ':' and a type, found 'INT'
    4 |   b INT;
      |     ^~~
a.st:7:8: error: expected an expression, found ';'
    7 |   a := ;
      |        ^
a.st:8:8: error: expected ';', found ')'
    8 |   b = 1);
      |        ^
  = help: write ';' after each statement
a.st:11:1: error: expected END_IF, found END_PROGRAM
   11 | END_PROGRAM
      | ^~~~~~~~~~~
a.st:9:3: note: to end what begins here
    9 |   IF a THEN
      |   ^~
",
    );
}

#[test]
fn operators_of_other_languages() {
    says(
        "PROGRAM p\n  IF a == b THEN x := !c; END_IF\n  y := a | b;\n  IF a := b THEN END_IF\nEND_PROGRAM",
        "
a.st:2:8: error: '==' is not an operator of Structured Text
    2 |   IF a == b THEN x := !c; END_IF
      |        ^~
  = help: write =
a.st:2:23: error: expected an expression, found '!'
    2 |   IF a == b THEN x := !c; END_IF
      |                       ^
a.st:3:9: error: expected ';', found 'b'
    3 |   y := a | b;
      |         ^
  = help: write ';' after each statement
a.st:3:10: error: '|' is not an operator
    3 |   y := a | b;
      |          ^
  = help: write OR
a.st:4:8: error: ':=' assigns, which a condition can't
    4 |   IF a := b THEN END_IF
      |        ^~
  = help: write = to compare
",
    );
}

#[test]
fn literals() {
    says(
        "PROGRAM p\n  a := 16#G1 + 2#12 + 5ms + 3#1;\n  t := T#5x + D#2023-02-29 + TOD#25:00 + T#0.5ns;\n  s := 'a$q';\n  u := 'open\n;\nEND_PROGRAM",
        "
a.st:2:8: error: digits are missing after '#'
    2 |   a := 16#G1 + 2#12 + 5ms + 3#1;
      |        ^~~
a.st:2:8: error: this number has letters in it
    2 |   a := 16#G1 + 2#12 + 5ms + 3#1;
      |        ^~~~~
  = help: durations are written T#5s, numbers of another base 16#FF
a.st:2:16: error: '2' is no digit of base 2
    2 |   a := 16#G1 + 2#12 + 5ms + 3#1;
      |                ^~~~
a.st:2:23: error: this number has letters in it
    2 |   a := 16#G1 + 2#12 + 5ms + 3#1;
      |                       ^~~
  = help: durations are written T#5s, numbers of another base 16#FF
a.st:2:29: error: there is no such base of numbers
    2 |   a := 16#G1 + 2#12 + 5ms + 3#1;
      |                             ^~
  = help: bases are 2, 8, 10 and 16
a.st:3:8: error: this is not a duration
    3 |   t := T#5x + D#2023-02-29 + TOD#25:00 + T#0.5ns;
      |        ^~~~
  = help: durations are written T#1d2h3m4s5ms6us7ns, with any of the parts
a.st:3:15: error: this is not a date
    3 |   t := T#5x + D#2023-02-29 + TOD#25:00 + T#0.5ns;
      |               ^~~~~~~~~~~~
  = help: the calendar has no such day
a.st:3:30: error: this is not a time of day
    3 |   t := T#5x + D#2023-02-29 + TOD#25:00 + T#0.5ns;
      |                              ^~~~~~~~~
  = help: the day has no such time
a.st:3:42: error: this is not a duration
    3 |   t := T#5x + D#2023-02-29 + TOD#25:00 + T#0.5ns;
      |                                          ^~~~~~~
  = help: nothing is finer than a nanosecond
a.st:4:10: error: there is no such escape
    4 |   s := 'a$q';
      |          ^~
  = help: escapes are $$ $' $L $N $P $R $T $hh
a.st:5:8: error: this string does not end
    5 |   u := 'open
      |        ^
  = help: write ' after it; $' stands for a quote in it
",
    );
}

#[test]
fn nesting_and_height_have_limits() {
    let deep = format!("PROGRAM p x := {}1{}; END_PROGRAM", "(".repeat(300), ")".repeat(300));
    let said = read(deep.as_bytes(), "a.st", None).expect_err("too deep");
    assert!(said.contains("this is nested more than 200 levels deep"), "{said}");
    let long = format!("PROGRAM p x := {}1; END_PROGRAM", "1 + ".repeat(3000));
    let said = read(long.as_bytes(), "a.st", None).expect_err("too long");
    assert!(said.contains("this expression is more than 2000 operators deep"), "{said}");
    let fine = format!("PROGRAM p x := {}1; END_PROGRAM", "1 + ".repeat(1500));
    assert!(read(fine.as_bytes(), "a.st", None).is_ok());
}

#[test]
fn values_take_no_values() {
    says(
        "PROGRAM p a := 1 := b; x + y := 2; END_PROGRAM",
        "
a.st:1:16: error: the left side of an assignment is a variable
    1 | PROGRAM p a := 1 := b; x + y := 2; END_PROGRAM
      |                ^ this is a value
a.st:1:24: error: the left side of an assignment is a variable
    1 | PROGRAM p a := 1 := b; x + y := 2; END_PROGRAM
      |                        ^~~~~ this is a value
",
    );
}

#[test]
fn what_no_file_is() {
    says(
        "hello world\n",
        "
a.st:1:1: error: expected a declaration, found 'hello'
    1 | hello world
      | ^~~~~
  = help: a file consists of PROGRAM, FUNCTION, FUNCTION_BLOCK, TYPE, VAR_GLOBAL, CONFIGURATION, …
",
    );
    says(
        "PROGRAM p (* open\nEND_PROGRAM\n",
        "
a.st:1:11: error: this comment does not end
    1 | PROGRAM p (* open
      |           ^~
  = help: write '*)' where it ends
a.st:3:1: error: expected END_PROGRAM, found the end of the text
    3 | 
      | ^
a.st:1:1: note: to end what begins here
    1 | PROGRAM p (* open
      | ^~~~~~~
",
    );
    says(
        "<html/>",
        "
a.st:1:1: error: a file with <html> is no program
    1 | <html/>
      | ^~~~~~~
  = help: PLCopen's files begin with <project>, TwinCAT's with <TcPlcObject>
",
    );
}

/// Printed without the space, it would be a date that there is not.
#[test]
fn a_date_is_not_a_number_apart() {
    says(
        "PROGRAM p\n  x := D# 24;\nEND_PROGRAM\n",
        "
a.st:2:11: error: this is not a date
    2 |   x := D# 24;
      |           ^~
  = help: dates are written D#2024-02-29
",
    );
}

#[test]
fn claims_that_claim_nothing_are_not_passed_over() {
    says(
        "PROGRAM p\n  //#ASSERT x >\n  y := 1;\nEND_PROGRAM\n",
        "
a.st:2:16: error: expected an expression, found the end of the comment
    2 |   //#ASSERT x >
      |                ^
  = help: comments that begin with '#assert' make a claim
",
    );
}

#[test]
fn warnings_come_with_the_unit() {
    let text = "PROGRAM p IF a THEN x := 1 ELSEIF b THEN y := -2 ** 2; END_IF END_PROGRAM";
    let unit = read(text.as_bytes(), "a.st", None).expect("accepted");
    let said: Vec<&str> = unit.warnings.iter().map(|w| w.message.as_str()).collect();
    assert_eq!(
        said,
        ["';' is missing here", "ELSEIF is read as ELSIF", "'-a ** b' is read as (-a) ** b"]
    );
}
