//! Coverage on lines for reading.

use answer::{EngineName, Unit};
use coverage::goal::Kind;
use coverage::report::{Counts, Judged, Report, UnusedValue};
use coverage::status::{Evidence, Exclusion, Open, Status, Witness};

/// What is known of a goal: its place, its kind, what it is, and what was found.
#[must_use]
pub fn goal(judged: &Judged) -> String {
    let Judged { goal, status } = judged;
    let found = match status {
        Status::Covered(_) => "covered".to_owned(),
        Status::Infeasible(exclusion) => format!("infeasible: {}", excluded(exclusion)),
        Status::Open(open) => format!("open{}", why(open)),
        Status::Justified { reason, .. } => format!("justified: {reason}"),
    };
    format!("{}: {}: {}: {found}", goal.place(), goal.kind, goal.about)
}

/// How it is known that no run shows a goal.
fn excluded(Exclusion { how, proof, ends }: &Exclusion) -> String {
    let mut text = how.about().to_owned();
    if let Some(proof) = proof {
        text.push_str(&format!(" (proved by {})", proof.engine));
    }
    if let Some((place, what)) = ends {
        text.push_str(&format!("; runs end before, at {place}: {what}"));
    }
    text
}

fn why(Open { reason, reached, half }: &Open) -> String {
    let half = if *half { ", one half of the pair is shown" } else { "" };
    format!(" ({reason}{}){half}", came(reached))
}

/// How far engines came.
pub(super) fn came(reached: &[(EngineName, u64, Unit)]) -> String {
    let one = |(engine, number, unit): &(EngineName, u64, Unit)| {
        format!("{engine} {}", unit.count(*number))
    };
    let all: Vec<String> = reached.iter().map(one).collect();
    if all.is_empty() { String::new() } else { format!("; came to: {}", all.join(", ")) }
}

/// Where a goal is shown.
#[must_use]
pub fn evidence(evidence: &Evidence) -> String {
    let one = |Witness { vector, cycle, .. }: &Witness| {
        format!("vector {}, cycle {}", vector + 1, cycle + 1)
    };
    evidence.witnesses().map(one).collect::<Vec<_>>().join("; ")
}

/// The counts of each kind, and of all.
#[must_use]
pub fn table(report: &Report) -> Vec<String> {
    let header = ["", "goals", "covered", "infeasible", "justified", "open"].map(str::to_owned);
    let row = |name: &str, counts: Counts| {
        let Counts { covered, infeasible, open, justified } = counts;
        let numbers = [counts.all(), covered, infeasible, justified, open].map(|n| n.to_string());
        let mut row = vec![name.to_owned()];
        row.extend(numbers);
        row
    };
    let mut rows = vec![header.to_vec()];
    for kind in Kind::ALL {
        let counts = report.counts(Some(kind));
        if counts.all() > 0 {
            rows.push(row(kind.name(), counts));
        }
    }
    rows.push(row("all", report.counts(None)));
    let widths: Vec<usize> = (0..header.len())
        .map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0))
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, width))| match column {
            0 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect()
}

/// What else is to be known: where runs end, functions and values that are not used, how much was done.
#[must_use]
pub fn notes(report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    for (place, what, runs) in &report.ends {
        let runs = if *runs == 1 { "1 run ends".to_owned() } else { format!("{runs} runs end") };
        lines.push(format!("note: {runs} at {place}: {what}; what comes after it does not count"));
    }
    lines.extend(report.unused.iter().map(|(name, place)| {
        format!("note: {place}: function '{name}' is not part of the program: nothing refers to it")
    }));
    let (runs, cycles) = report.runs;
    lines.push(match report.suite.vectors.len() {
        0 => format!("{runs} runs with {cycles} cycles"),
        1 => format!("1 test vector, of {runs} runs with {cycles} cycles"),
        count => format!("{count} test vectors, of {runs} runs with {cycles} cycles"),
    });
    lines
}

/// The line of a value that nothing reads.
#[must_use]
pub fn unused_value(value: &UnusedValue) -> String {
    let UnusedValue { place, variable, function } = value;
    format!("{place}: the value of '{variable}' is never used (in function '{function}')")
}

/// The last line.
#[must_use]
pub fn verdict(report: &Report) -> String {
    let counts = report.counts(None);
    let left = match report.exhausted {
        Some(exhausted) if counts.open > 0 => format!(" ({exhausted})"),
        _ => String::new(),
    };
    format!(
        "coverage: {} of {} goals covered, {} infeasible, {} justified, {} open{left}",
        counts.covered,
        counts.all(),
        counts.infeasible,
        counts.justified,
        counts.open
    )
}
