//! SV-COMP's witnesses, format 2.0: a list of entries in YAML, each an `invariant_set` (of a
//! correctness witness) or a `violation_sequence`; and GraphML for violations ([`graphml`]).
//!
//! The types here are the format: field names are its keys. Reading accepts what other tools write,
//! entries of other types included, which are passed over.

pub mod graphml;
mod violation;

pub use violation::violation_content;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::time::SystemTime;

/// An entry of a witness.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "entry_type", rename_all = "snake_case")]
pub enum Entry {
    /// What holds at places of the program.
    InvariantSet {
        /// Who says so, and of what.
        metadata: Metadata,
        /// The invariants.
        content: Vec<InvariantItem>,
    },
    /// What a run into a violation passes.
    ViolationSequence {
        /// Who says so, and of what.
        metadata: Metadata,
        /// The segments, in the order of the run.
        content: Vec<SegmentItem>,
    },
    /// An entry of another type.
    #[serde(other)]
    Other,
}

/// Where a witness comes from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Metadata {
    /// The format's version.
    pub format_version: String,
    /// Identifies the entry.
    pub uuid: String,
    /// When it was made, as ISO 8601 says.
    pub creation_time: String,
    /// The tool.
    pub producer: Producer,
    /// What it is about.
    pub task: Task,
}

/// A tool.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Producer {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What a witness is about.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The files of the program.
    pub input_files: Vec<String>,
    /// Their SHA-256 sums, in hexadecimal.
    #[serde(default)]
    pub input_file_hashes: BTreeMap<String, String>,
    /// The property, as in SV-COMP's property files.
    pub specification: String,
    /// `ILP32` or `LP64`.
    pub data_model: String,
    /// `C`.
    pub language: String,
}

/// An item of an invariant set.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InvariantItem {
    /// The invariant.
    pub invariant: Invariant,
}

/// What holds whenever a run is at a place.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Invariant {
    /// `loop_invariant` or `location_invariant`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The place: of a loop, its keyword; else the beginning of a statement.
    pub location: Location,
    /// A C expression.
    #[serde(deserialize_with = "words")]
    pub value: String,
    /// `c_expression`.
    pub format: String,
}

/// A place in a source file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Location {
    /// The file, as the task names it.
    pub file_name: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; without one, the first fitting place of the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The function around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

/// An item of a violation sequence.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SegmentItem {
    /// Waypoints, the last one to follow, those before it to avoid.
    pub segment: Vec<WaypointItem>,
}

/// An item of a segment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WaypointItem {
    /// The waypoint.
    pub waypoint: Waypoint,
}

/// Something that a run passes, or avoids.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Waypoint {
    /// `assumption`, `branching`, `function_enter`, `function_return` or `target`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `follow` or `avoid`.
    pub action: String,
    /// Where.
    pub location: Location,
    /// What must hold there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraint: Option<Constraint>,
}

/// What must hold at a waypoint.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Constraint {
    /// An expression; of a branching, `true`, `false` or a number.
    pub value: Text,
    /// `c_expression`; of a result `acsl_expression`, from 2.1 on `ext_c_expression`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// A text that tools may write without quotes, so that YAML takes it for another type.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// A text.
    Words(String),
    /// A truth value.
    Truth(bool),
    /// A number.
    Number(i64),
}

/// Reads a text, whatever YAML takes it for.
fn words<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Text::deserialize(deserializer)?.to_string())
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Text::Words(words) => f.write_str(words),
            Text::Truth(truth) => truth.fmt(f),
            Text::Number(number) => number.fmt(f),
        }
    }
}

/// Why a text is no witness.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not YAML, or not of the format.
    #[error("{0}")]
    Yaml(#[from] serde_yaml_ng::Error),
}

/// Reads a witness.
pub fn read(text: &str) -> Result<Vec<Entry>, ReadError> {
    Ok(serde_yaml_ng::from_str(text)?)
}

/// The text of a witness.
pub fn write(entries: &[Entry]) -> String {
    serde_yaml_ng::to_string(entries).expect("entries are plain data, which YAML can express")
}

/// The SHA-256 sum of a text, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Metadata {
    /// The metadata of a witness of ours. The identifier is derived from everything else, so that the
    /// same run at the same time gives the same witness.
    pub fn new(task: Task, time: SystemTime, content: &impl Serialize) -> Metadata {
        let creation_time = humantime::format_rfc3339_seconds(time).to_string();
        let producer =
            Producer { name: "Cairn".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
        let all = serde_json::to_vec(&(&task, &creation_time, content)).unwrap_or_default();
        let format_version = "2.0".to_owned();
        let uuid = uuid(&Sha256::digest(&all));
        Metadata { format_version, uuid, creation_time, producer, task }
    }
}

/// An identifier of version 8 (RFC 9562): the bits that are free come from a digest.
fn uuid(digest: &[u8]) -> String {
    let mut bytes: Vec<u8> = digest[..16].to_vec();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// The specification of properties, as a property file has it.
pub fn specification(properties: &[program::Property]) -> String {
    use program::Property;
    let mut lines: Vec<&str> = properties
        .iter()
        .map(|property| match property {
            Property::Reach => "CHECK( init(main()), LTL(G ! call(reach_error())) )",
            Property::Assert => "CHECK( init(main()), LTL(G assert) )",
            Property::Overflow => "CHECK( init(main()), LTL(G ! overflow) )",
            Property::Bounds | Property::Pointer => "CHECK( init(main()), LTL(G valid-deref) )",
            Property::DivisionByZero => "CHECK( init(main()), LTL(G ! division-by-zero) )",
            Property::Shift => "CHECK( init(main()), LTL(G ! invalid-shift) )",
            Property::Uninitialized => "CHECK( init(main()), LTL(G ! uninitialized-read) )",
            Property::Overlap => "CHECK( init(main()), LTL(G ! overlapping-copy) )",
            Property::Return => "CHECK( init(main()), LTL(G ! missing-return) )",
            Property::Promise => "CHECK( init(main()), LTL(G ! broken-promise) )",
            Property::Free => "CHECK( init(main()), LTL(G valid-free) )",
            Property::Cleanup => "CHECK( init(main()), LTL(G valid-memcleanup) )",
            Property::Tracked => "CHECK( init(main()), LTL(G valid-memtrack) )",
            Property::Float => "CHECK( init(main()), LTL(G ! float-exception) )",
            Property::Termination => "CHECK( init(main()), LTL(F end) )",
            Property::DeadCode => "CHECK( init(main()), LTL(G ! dead-code) )",
            Property::Unwinding => "CHECK( init(main()), LTL(G ! deep-recursion) )",
            Property::Claim => "CHECK( init(main()), LTL(G claim) )",
        })
        .collect();
    lines.dedup();
    lines.join("\n")
}
