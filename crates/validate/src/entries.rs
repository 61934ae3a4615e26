//! From the entries of a witness to claims about the program.

use ::program::Place;
use front_c::claim::{Claim, RESULT, Spot};
use front_c::lower::{Claims, Purpose};
use report::witness::{Entry, Invariant, Location, Metadata, SegmentItem, Task, Waypoint};

/// What a witness states.
pub struct Stated {
    pub kind: Kind,
    pub task: Task,
    pub claims: Vec<Claim>,
    purposes: Vec<Purpose>,
}

/// The kinds of witnesses.
#[derive(PartialEq, Eq)]
pub enum Kind {
    Correctness,
    Violation { target: Target },
}

/// Where a violation is said to happen.
#[derive(PartialEq, Eq)]
pub struct Target {
    /// After how many waypoints.
    pub segment: u32,
    file: String,
    line: u32,
}

impl Target {
    /// Whether a place is on the target's line. The format puts a target where the statement or
    /// the expression begins, in which the place is somewhere.
    pub fn is_at(&self, place: &Place) -> bool {
        place.line == self.line && file_name(&place.file) == file_name(&self.file)
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl Stated {
    /// What the claims are for.
    pub fn purposes(&self) -> Claims {
        let purposes = self.purposes.clone();
        match &self.kind {
            Kind::Correctness => Claims { purposes, ..Claims::default() },
            Kind::Violation { target } => Claims {
                purposes,
                last_segment: Some(target.segment),
                only_on_line: Some((file_name(&target.file).to_owned(), target.line)),
            },
        }
    }
}

/// What the entries state: invariants of all sets, or one sequence of segments.
pub fn stated(witness: &str, entries: &[Entry]) -> Result<Stated, String> {
    let mut invariants: Option<Stated> = None;
    for entry in entries {
        match entry {
            Entry::ViolationSequence { metadata, content } => {
                check_version(witness, metadata)?;
                return violation(witness, metadata, content);
            }
            Entry::InvariantSet { metadata, content } => {
                check_version(witness, metadata)?;
                let stated = invariants.get_or_insert_with(|| Stated {
                    kind: Kind::Correctness,
                    task: metadata.task.clone(),
                    claims: Vec::new(),
                    purposes: Vec::new(),
                });
                for item in content {
                    let number = stated.claims.len() + 1;
                    stated.claims.push(invariant(witness, number, &item.invariant)?);
                    stated.purposes.push(Purpose::Holds);
                }
            }
            Entry::Other => {}
        }
    }
    invariants.ok_or_else(|| {
        format!("{witness}: there is neither an invariant_set nor a violation_sequence")
    })
}

fn check_version(witness: &str, metadata: &Metadata) -> Result<(), String> {
    match metadata.format_version.as_str() {
        "2.0" | "2.1" => Ok(()),
        other => Err(format!("{witness}: the format is {other}; 2.0 and 2.1 can be read")),
    }
}

fn shown(location: &Location) -> String {
    let Location { file_name, line, column, .. } = location;
    match column {
        Some(column) => format!("{file_name}:{line}:{column}"),
        None => format!("{file_name}:{line}"),
    }
}

fn claim(name: String, spot: Spot, location: &Location, text: String) -> Claim {
    let Location { file_name, line, column, .. } = location;
    Claim { name, spot, file: file_name.clone(), line: *line, column: *column, text }
}

fn invariant(witness: &str, number: usize, invariant: &Invariant) -> Result<Claim, String> {
    let name = format!("{witness}: invariant {number} at {}", shown(&invariant.location));
    let spot = match invariant.kind.as_str() {
        "loop_invariant" => Spot::Loop,
        "location_invariant" => Spot::Statement,
        other => return Err(format!("{name}: there are no invariants of type {other}")),
    };
    if invariant.format != "c_expression" {
        return Err(format!("{name}: the format {} is none that we know", invariant.format));
    }
    Ok(claim(name, spot, &invariant.location, invariant.value.clone()))
}

fn violation(
    witness: &str,
    metadata: &Metadata,
    content: &[SegmentItem],
) -> Result<Stated, String> {
    let (mut claims, mut purposes, mut target) = (Vec::new(), Vec::new(), None);
    // Later segments come first: claims at one place are looked at in their order, and a run that
    // has gone over to the next segment must not end that at the same visit.
    for (number, item) in (0u32..).zip(content).collect::<Vec<_>>().into_iter().rev() {
        let segment = &item.segment;
        for (position, item) in segment.iter().enumerate() {
            let waypoint = &item.waypoint;
            let counted = format!("segment {}, waypoint {}", number + 1, position + 1);
            let name = format!("{witness}: {counted} at {}", shown(&waypoint.location));
            let is_last = position + 1 == segment.len();
            let purpose = match (waypoint.action.as_str(), is_last) {
                ("follow", true) => Purpose::Follow(number),
                ("avoid", false) => Purpose::Avoid(number),
                _ => {
                    return Err(format!(
                        "{name}: the last waypoint of a segment, and no other, is one to follow"
                    ));
                }
            };
            if waypoint.kind == "target" {
                if number as usize + 1 != content.len() || !is_last {
                    return Err(format!("{name}: a target ends the last segment"));
                }
                let Location { file_name, line, .. } = waypoint.location.clone();
                target = Some(Target { segment: number, file: file_name, line });
                continue;
            }
            let (spot, text) = passed(&name, waypoint)?;
            claims.push(claim(name, spot, &waypoint.location, text));
            purposes.push(purpose);
        }
        if segment.is_empty() {
            return Err(format!("{witness}: segment {} is empty", number + 1));
        }
    }
    let target = target.ok_or_else(|| format!("{witness}: there is no target"))?;
    let kind = Kind::Violation { target };
    Ok(Stated { kind, task: metadata.task.clone(), claims, purposes })
}

/// What a waypoint is about, and what must hold there.
fn passed(name: &str, waypoint: &Waypoint) -> Result<(Spot, String), String> {
    let constraint = waypoint.constraint.as_ref().map(|constraint| constraint.value.to_string());
    let needed = || constraint.clone().ok_or_else(|| format!("{name}: there is no constraint"));
    Ok(match waypoint.kind.as_str() {
        "assumption" => (Spot::Statement, needed()?),
        "function_enter" => (Spot::Enter, "1".to_owned()),
        "function_return" => (Spot::Return, constraint.unwrap_or_else(|| "1".to_owned())),
        "branching" => {
            let value = needed()?;
            let text = match value.trim() {
                "true" => RESULT.to_owned(),
                "false" => format!("!{RESULT}"),
                number if number.parse::<i128>().is_ok() => format!("{RESULT} == ({number})"),
                other => {
                    return Err(format!(
                        "{name}: a branching to '{other}' can't be followed; there are true, \
                         false, and values of a switch"
                    ));
                }
            };
            (Spot::Branch, text)
        }
        other => return Err(format!("{name}: there are no waypoints of type {other}")),
    })
}
