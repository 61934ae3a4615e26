//! Standard blocks against timing tables of the standard, and counters at their limits.

mod common;

use common::{at, values};
use front_st::run::Given;

/// What a timer shows at the times at which its input has these values.
fn timer(block: &str, preset: &str, inputs: &[(u64, bool)]) -> Vec<(bool, i64)> {
    let text = format!(
        "PROGRAM main VAR_INPUT i : BOOL; END_VAR VAR_OUTPUT q : BOOL; e : TIME; END_VAR
         VAR t : {block}; END_VAR t(IN := i, PT := {preset}, Q => q, ET => e); END_PROGRAM"
    );
    let cycles: Vec<_> =
        inputs.iter().map(|(time, input)| at(*time, &[("i", Given::Bool(*input))])).collect();
    let rows = values(&text, "main", &cycles, &["q", "e"]);
    rows.iter().map(|row| (row[0] == "1", row[1].parse().expect("a number"))).collect()
}

#[test]
fn on_delay() {
    let shown = timer(
        "TON",
        "T#5s",
        &[
            (0, false),
            (1000, true),
            (5999, true),
            (6000, true),
            (9000, true),
            (9001, false),
            (10000, true),
            (14000, true),
            (14500, false),
            (20000, false),
        ],
    );
    let expected = [
        (false, 0),
        (false, 0),
        (false, 4999),
        (true, 5000),
        (true, 5000),
        (false, 0),
        (false, 0),
        (false, 4000),
        (false, 0),
        (false, 0),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn off_delay() {
    let shown = timer(
        "TOF",
        "T#5s",
        &[
            (0, false),
            (100, true),
            (2000, false),
            (4000, false),
            (5000, true),
            (6000, false),
            (10999, false),
            (11000, false),
            (12000, false),
        ],
    );
    let expected = [
        (false, 0),
        (true, 0),
        (true, 0),
        (true, 2000),
        (true, 0),
        (true, 0),
        (true, 4999),
        (false, 5000),
        (false, 5000),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn pulse() {
    let shown = timer(
        "TP",
        "T#5s",
        &[
            (0, false),
            (1000, true),
            (2000, false),
            (3000, true),
            (5999, true),
            (6000, true),
            (8000, true),
            (9000, false),
            (10000, true),
            (12000, false),
            (15000, false),
        ],
    );
    let expected = [
        (false, 0),
        (true, 0),
        (true, 1000),
        (true, 2000),
        (true, 4999),
        (false, 5000),
        (false, 5000),
        (false, 0),
        (true, 0),
        (true, 2000),
        (false, 0),
    ];
    assert_eq!(shown, expected);
}

/// A timer that is not called in each cycle still sees all of the time.
#[test]
fn timers_see_the_time_between_their_calls() {
    let text = "PROGRAM main VAR_INPUT c : BOOL; END_VAR VAR t : TON; q : BOOL; END_VAR
         IF c THEN t(IN := TRUE, PT := T#100ms); END_IF; q := t.Q; END_PROGRAM";
    let given = |time, c| at(time, &[("c", Given::Bool(c))]);
    let cycles =
        [given(0, true), given(60, false), given(99, true), given(101, false), given(102, true)];
    let rows = values(text, "main", &cycles, &["q"]);
    let shown: Vec<&str> = rows.iter().map(|row| &*row[0]).collect();
    assert_eq!(shown, ["0", "0", "0", "0", "1"]);
}

/// Elapsed time stops at the preset, however long a timer runs.
#[test]
fn timers_do_not_wrap() {
    let shown = timer(
        "TON",
        "T#10ms",
        &[(0, true), (2_000_000_000, true), (4_000_000_000, true), (6_000_000_000, true)],
    );
    assert_eq!(shown, [(false, 0), (true, 10), (true, 10), (true, 10)]);
}

#[test]
fn counters() {
    let text = "PROGRAM main VAR_INPUT u, d, r, l : BOOL; END_VAR
         VAR up : CTU; down : CTD_UINT; both : CTUD_DINT; END_VAR
         VAR q1, q2, q3, q4 : BOOL; v1 : INT; v2 : UINT; v3 : DINT; END_VAR
         up(CU := u, R := r, PV := 2, Q => q1, CV => v1);
         down(CD := d, LD := l, PV := 2, Q => q2, CV => v2);
         both(CU := u, CD := d, R := r, LD := l, PV := 1, QU => q3, QD => q4, CV => v3);
         END_PROGRAM";
    let given = |u, d, r, l| {
        let bit = |bit: u8| Given::Bool(bit == 1);
        at(0, &[("u", bit(u)), ("d", bit(d)), ("r", bit(r)), ("l", bit(l))])
    };
    let cycles = [
        given(0, 0, 0, 1),
        given(1, 0, 0, 0),
        given(1, 1, 0, 0),
        given(0, 0, 0, 0),
        given(1, 1, 0, 0),
        given(0, 0, 1, 0),
        given(0, 1, 0, 0),
        given(0, 0, 0, 0),
        given(0, 1, 0, 0),
    ];
    let rows = values(text, "main", &cycles, &["q1", "v1", "q2", "v2", "q3", "q4", "v3"]);
    let shown: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
    let expected = [
        "0 0 0 2 1 0 1",
        "0 1 0 2 1 0 2",
        "0 1 0 1 1 0 1",
        "0 1 0 1 1 0 1",
        "1 2 1 0 1 0 1",
        "0 0 1 0 0 1 0",
        "0 0 1 0 0 1 -1",
        "0 0 1 0 0 1 -1",
        "0 0 1 0 0 1 -2",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn bistables_and_edges() {
    let text = "PROGRAM main VAR_INPUT a, b : BOOL; END_VAR
         VAR s : SR; r : RS; up : R_TRIG; down : F_TRIG; q1, q2, q3, q4 : BOOL; END_VAR
         s(S1 := a, R := b, Q1 => q1); r(S := a, R1 := b, Q1 => q2);
         up(CLK := a, Q => q3); down(CLK := a, Q => q4); END_PROGRAM";
    let given = |a, b| at(0, &[("a", Given::Bool(a)), ("b", Given::Bool(b))]);
    let cycles = [given(true, true), given(false, false), given(false, true), given(true, false)];
    let rows = values(text, "main", &cycles, &["q1", "q2", "q3", "q4"]);
    let shown: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
    assert_eq!(shown, ["1 0 1 0", "1 0 0 1", "0 0 0 0", "1 1 1 0"]);
}

/// Timers of `LTIME` count nanoseconds; a clock of milliseconds moves them.
#[test]
fn long_timers() {
    for block in ["TON_LTIME", "TP_LTIME", "TOF_LTIME"] {
        let text = format!(
            "PROGRAM main VAR_INPUT i : BOOL; END_VAR VAR t : {block}; q : BOOL; e : LTIME; END_VAR
             t(IN := i, PT := LTIME#2ms500us, Q => q, ET => e); END_PROGRAM"
        );
        let given = |time, i| at(time, &[("i", Given::Bool(i))]);
        let on = block != "TOF_LTIME";
        let cycles = [given(0, !on), given(1, on), given(3, on), given(4, on), given(9, on)];
        let rows = values(&text, "main", &cycles, &["q", "e"]);
        let shown: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
        let expected = match block {
            "TON_LTIME" => ["0 0", "0 0", "0 2000000", "1 2500000", "1 2500000"],
            "TP_LTIME" => ["0 0", "1 0", "1 2000000", "0 2500000", "0 2500000"],
            _ => ["1 0", "1 0", "1 2000000", "0 2500000", "0 2500000"],
        };
        assert_eq!(shown, expected, "{block}");
    }
}

/// Counters of each width stop at the ends of their types.
#[test]
fn counters_stop_at_the_ends_of_their_types() {
    let ends = [
        ("INT", "", "-32768", "32767"),
        ("INT", "_INT", "-32768", "32767"),
        ("UINT", "_UINT", "0", "65535"),
        ("DINT", "_DINT", "-2147483648", "2147483647"),
        ("UDINT", "_UDINT", "0", "4294967295"),
        ("LINT", "_LINT", "-9223372036854775808", "9223372036854775807"),
        ("ULINT", "_ULINT", "0", "18446744073709551615"),
    ];
    for (ty, suffix, least, most) in ends {
        let text = format!(
            "PROGRAM main VAR b : CTUD{suffix}; d : CTD{suffix}; n : INT; x : BOOL; low, high : {ty}; qu, qd : BOOL; END_VAR
             b(LD := TRUE, PV := {most});
             FOR n := 1 TO 3 DO x := NOT x; b(CU := x, LD := FALSE); END_FOR;
             high := b.CV; qu := b.QU;
             d(CD := FALSE, LD := TRUE, PV := {least});
             FOR n := 1 TO 3 DO x := NOT x; d(CD := x, LD := FALSE); END_FOR;
             low := d.CV; qd := d.Q; END_PROGRAM"
        );
        let row = values(&text, "main", &[at(0, &[])], &["low", "high", "qu", "qd"]).remove(0);
        assert_eq!(row, [least, most, "1", "1"], "CTUD{suffix}");
    }
}

/// Other tools call the inputs of counters in another way.
#[test]
fn names_of_inputs() {
    let text = "PROGRAM main VAR u : CTU; d : CTD; b : CTUD; x, y, z : INT; END_VAR
         u(CU := TRUE, RESET := FALSE, PV := 3); x := u.CV; u(CU := FALSE, RESET := TRUE); x := x * 10 + u.CV;
         d(CD := FALSE, LOAD := TRUE, PV := 5); y := d.CV;
         b(LOAD := TRUE, PV := 4); z := b.CV; b(LOAD := FALSE, RESET := TRUE); z := z * 10 + b.CV; END_PROGRAM";
    assert_eq!(values(text, "main", &[at(0, &[])], &["x", "y", "z"]).concat(), ["10", "5", "40"]);
}
