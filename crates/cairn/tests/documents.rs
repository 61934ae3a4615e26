//! What the pages say is what is there: the table of crates and the manifests, names of engines,
//! reasons and kinds in docs/json.md and docs/usage.md and the enums.

use answer::{ProofKind, Reason, Unit, VacuityStatus, Verdict};
use std::collections::BTreeSet;
use std::process::Command;

const ARCHITECTURE: &str = include_str!("../../../ARCHITECTURE.md");
const JSON: &str = include_str!("../../../docs/json.md");
const USAGE: &str = include_str!("../../../docs/usage.md");

/// The first cells of the rows of a section's tables, without their quotes.
fn rows(page: &str, section: &str) -> Vec<String> {
    let mut parts = page.split("\n## ").flat_map(|part| part.split("\n### "));
    let found = parts.find(|part| part.starts_with(section));
    let lines = found.unwrap_or_else(|| panic!("there is no section {section}")).lines();
    let row = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    lines.filter_map(row).collect()
}

#[test]
fn the_table_of_crates_is_that_of_the_manifests() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let short = |name: &str| name.trim_start_matches("cairn-").to_owned();
    let table = rows(ARCHITECTURE, "Crates");
    let place = |name: &str| table.iter().position(|row| row == name);
    let packages = metadata["packages"].as_array().expect("a list");
    assert_eq!(packages.len(), table.len(), "every crate has one row: {table:?}");
    for package in packages {
        let name = short(package["name"].as_str().expect("a name"));
        let below = place(&name).unwrap_or_else(|| panic!("{name} is not in the table"));
        for dependency in package["dependencies"].as_array().expect("a list") {
            let of_ours = dependency["path"].is_string();
            if !of_ours || dependency["kind"] == "dev" {
                continue;
            }
            let used = short(dependency["name"].as_str().expect("a name"));
            let above = place(&used).unwrap_or_else(|| panic!("{used} is not in the table"));
            assert!(above < below, "{name} uses {used}, which is not above it");
        }
    }
}

#[test]
fn names_of_engines_are_documented() {
    let finders = rows(JSON, "Who finds answers");
    let engines = verify::ENGINES.iter().map(|engine| engine.row().name);
    let steps = verify::engines::STEPS.iter().map(|(name, _)| *name);
    assert_eq!(finders, engines.clone().chain(steps).collect::<Vec<_>>());
    let listed = rows(USAGE, "Engines");
    let names = ["auto"].into_iter().chain(engines).chain(["portfolio"]);
    assert_eq!(listed, names.collect::<Vec<_>>());
}

#[test]
fn reasons_are_documented() {
    let kind = |reason: &Reason| match serde_json::to_value(reason).expect("plain data") {
        serde_json::Value::String(kind) => kind,
        serde_json::Value::Object(object) => object.keys().next().expect("one field").clone(),
        other => panic!("{other}"),
    };
    let kinds: Vec<String> = Reason::samples().iter().map(kind).collect();
    assert_eq!(rows(JSON, "Reasons"), kinds);
}

#[test]
fn words_of_answers_are_documented() {
    let mut all: BTreeSet<String> = Verdict::ALL.iter().map(ToString::to_string).collect();
    all.extend(ProofKind::ALL.iter().map(ToString::to_string));
    all.extend(Unit::ALL.iter().map(ToString::to_string));
    all.extend(VacuityStatus::ALL.iter().map(ToString::to_string));
    for word in all {
        assert!(JSON.contains(&format!("`{word}`")), "{word} is not in docs/json.md");
    }
}

#[test]
fn settings_of_ic3_are_documented() {
    let table = lemmas::settings::markdown(ic3::settings::SETTINGS);
    assert!(USAGE.contains(&table), "docs/usage.md should have this table:\n{table}");
}

#[test]
fn settings_of_ic3_over_bounds_are_documented() {
    let table = lemmas::settings::markdown(ic3icp::settings::SETTINGS);
    assert!(USAGE.contains(&table), "docs/usage.md should have this table:\n{table}");
}

#[test]
fn settings_of_summaries_are_documented() {
    let table = lemmas::settings::markdown(summary::settings::SETTINGS);
    assert!(USAGE.contains(&table), "docs/usage.md should have this table:\n{table}");
}

/// Below the command line nothing prints, exits or unwraps: the lints say so in every crate.
#[test]
fn every_library_denies_what_only_the_command_line_may() {
    let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    for entry in std::fs::read_dir(crates).expect("the crates") {
        let path = entry.expect("a crate").path();
        if path.ends_with("cairn") {
            continue;
        }
        let text = std::fs::read_to_string(path.join("src/lib.rs")).expect("a library");
        for lint in ["exit", "print_stderr", "print_stdout", "unwrap_used"] {
            let denied = text.contains(&format!("clippy::{lint}"));
            assert!(denied, "{} does not deny {lint}", path.display());
        }
    }
}
