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

/// What `cairn explain` says of the functions of an example that is proved by summaries.
fn contracts(file: &str) -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file);
    let cairn = || Command::new(env!("CARGO_BIN_EXE_cairn"));
    let arguments = ["--engine", "summaries", "--property", "assert", "--format", "json"];
    let mut check = cairn();
    check.arg("check").arg(path).args(arguments).args(LP64).args(["--time-limit", "60"]);
    let document = check.output().expect("cairn runs").stdout;
    let kept = std::env::temp_dir().join(format!("cairn-{}-{file}.json", std::process::id()));
    std::fs::write(&kept, document).expect("the document can be kept");
    let said = cairn().arg("explain").arg(&kept).output().expect("cairn runs").stdout;
    std::fs::remove_file(kept).expect("it was kept");
    let said = String::from_utf8(said).expect("it is text");
    let of_contracts = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("ensures")
            || line.starts_with("requires")
            || line.contains("(loop in line")
            || line.starts_with("gcd at ")
    };
    said.lines().filter(of_contracts).map(str::to_owned).collect()
}

/// Which of several formulas that would do is found may change; these two can't be missing.
#[test]
fn summaries_of_the_greatest_common_divisor_are_contracts() {
    let said = contracts("gcd.c");
    assert!(said.iter().any(|line| line.starts_with("gcd at ")), "{said:#?}");
    for ensures in ["a >= __CPROVER_return_value", "b >= __CPROVER_return_value"] {
        assert!(said.contains(&format!("    ensures  {ensures}")), "{said:#?}");
    }
    assert!(said.iter().any(|line| line.contains("__CPROVER_loop_entry(a) >= a")), "{said:#?}");
    assert!(said.len() < 12, "it is short: {said:#?}");
}

#[test]
fn the_summary_of_a_loop_speaks_of_its_entry() {
    let said = contracts("euclid.c");
    let bound =
        "    ensures  (__CPROVER_loop_entry(b) >= a) || (0 >= ((int)(__CPROVER_loop_entry(b))))";
    assert!(said.iter().any(|line| line == bound), "{said:#?}");
}
