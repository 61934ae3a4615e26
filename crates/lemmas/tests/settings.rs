//! Options by name: what can be read can be set, and what can't be set says why.

use lemmas::settings::{Setting, SettingError, assign, markdown};
use lemmas::{choice_setting, number_setting, switch_setting};

#[derive(Clone, Copy, PartialEq, Debug, Default)]
enum Kind {
    #[default]
    Plain,
    Fancy,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Inner {
    depth: usize,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Options {
    kind: Kind,
    fast: bool,
    inner: Inner,
    limit: f64,
}

const SETTINGS: &[Setting<Options>] = &[
    choice_setting!("kind", kind, "plain or fancy", "what it is", "[Bra11]",
        "plain" => Kind::Plain, "fancy" => Kind::Fancy),
    switch_setting!("fast", fast, "whether it is fast", ""),
    number_setting!("depth", inner.depth, "how deep", ""),
    number_setting!("limit", limit, "how much", ""),
];

fn set(assignments: &[&str]) -> Result<Options, SettingError> {
    let mut options = Options::default();
    for assignment in assignments {
        assign(SETTINGS, &mut options, assignment)?;
    }
    Ok(options)
}

#[test]
fn assignments_change_the_fields_they_name() {
    let options = set(&["kind=fancy", "fast=on", "depth=3", "limit=inf"]).expect("all are right");
    let expected =
        Options { kind: Kind::Fancy, fast: true, inner: Inner { depth: 3 }, limit: f64::INFINITY };
    assert_eq!(options, expected);
    assert_eq!(set(&["fast=on", "fast=off"]), Ok(Options::default()), "the last one counts");
    assert_eq!(set(&["fast=true"]).map(|o| o.fast), Ok(true));
}

#[test]
fn what_is_read_can_be_set() {
    let options = set(&["kind=fancy", "fast=on", "depth=3", "limit=inf"]).expect("all are right");
    let mut copy = Options::default();
    for setting in SETTINGS {
        (setting.set)(&mut copy, &(setting.get)(&options)).expect("a value that it has");
    }
    assert_eq!(copy, options);
}

#[test]
fn wrong_assignments_say_what_is_right() {
    let message = |assignment: &str| set(&[assignment]).expect_err("wrong").to_string();
    assert_eq!(
        message("knid=fancy"),
        "no option is called \"knid\"; there are kind, fast, depth, limit"
    );
    assert_eq!(message("kind=odd"), "kind takes plain or fancy, and not \"odd\"");
    assert_eq!(message("fast=maybe"), "fast takes on or off, and not \"maybe\"");
    assert_eq!(message("depth=-1"), "depth takes a number, and not \"-1\"");
    assert_eq!(message("fast"), "expected NAME=VALUE instead of \"fast\"");
}

#[test]
fn the_table_has_the_defaults() {
    let table = markdown(SETTINGS);
    assert_eq!(table.lines().count(), 2 + SETTINGS.len());
    assert!(table.contains("| `kind` | plain or fancy | plain | what it is | [Bra11] |"));
    assert!(table.contains("| `fast` | on or off | off |"));
}
