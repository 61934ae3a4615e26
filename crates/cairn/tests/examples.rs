//! The shipped examples say what their head comments promise.

use std::path::PathBuf;
use std::process::Command;

/// The exit code of `cairn check` on an example.
fn check(file: &str, arguments: &[&str]) -> i32 {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file);
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .arg("check")
        .arg(path)
        .args(arguments)
        .output()
        .expect("cairn runs");
    output.status.code().expect("cairn ends by itself")
}

const LP64: [&str; 2] = ["--data-model", "LP64"];

#[test]
fn programs() {
    assert_eq!(check("gcd.c", &LP64), 0);
    assert_eq!(check("ring.c", &LP64), 10);
}

#[test]
fn circuits() {
    assert_eq!(check("arbiter.aag", &[]), 0);
    assert_eq!(check("counter.btor2", &[]), 10);
}

/// [Lan18 §5.2.3]: the condition of formula (5.1) misses a part of the danger range.
#[test]
fn the_position_encoder_is_refuted_by_every_engine() {
    for engine in ["auto", "bmc", "ic3", "ic3cfa"] {
        assert_eq!(
            check("position_encoder.c", &[LP64[0], LP64[1], "--engine", engine]),
            10,
            "{engine}"
        );
    }
}

/// [Lan18 Listing 1]: Euclid's algorithm on signed bytes, by the configurations D and O.
#[test]
fn the_greatest_common_divisor_is_proved_with_d_and_o() {
    for configuration in ["D", "O"] {
        let arguments = ["--engine", "ic3cfa", "--ic3cfa-config", configuration];
        assert_eq!(check("euclid.c", &[&LP64[..], &arguments].concat()), 0, "{configuration}");
    }
}
