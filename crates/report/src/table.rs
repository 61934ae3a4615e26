//! The checks of a program as a table: what fails first, then what is open, what no run comes to, and
//! what holds.

use verify::outcome::{Checked, Outcome, Status};

/// The lines of the table, and one that counts.
///
/// Accesses to objects by their own names that are not known to fail have no line of their own.
pub fn lines(outcome: &Outcome) -> Vec<String> {
    let listed: Vec<&Checked> = outcome.checks.iter().filter(|row| is_listed(row)).collect();
    let places: Vec<String> = listed.iter().map(|row| row.check.place.to_string()).collect();
    let width = places.iter().map(String::len).max().unwrap_or(0);
    let kinds = listed.iter().map(|row| row.check.property.name().len()).max().unwrap_or(0);
    let mut lines: Vec<String> = listed
        .iter()
        .zip(&places)
        .map(|(row, place)| {
            format!("{place:width$}  {:kinds$}  {}", row.check.property.name(), told(&row.status))
        })
        .collect();
    lines.extend(summary(outcome));
    lines
}

/// Whether a check has a line of its own.
pub fn is_listed(row: &Checked) -> bool {
    !row.plain || row.status == Status::Unsafe
}

/// What is known of a check, with the reason where nothing is.
fn told(status: &Status) -> String {
    match status {
        Status::Unknown(reason) => format!("unknown ({reason})"),
        status => status.word().to_owned(),
    }
}

/// How many checks are what.
fn summary(outcome: &Outcome) -> Option<String> {
    let checks = &outcome.checks;
    let count = |rank: usize, plain: bool| {
        let of_rank = checks.iter().filter(|row| row.status.rank() == rank);
        of_rank.filter(|row| is_listed(row) != plain).count()
    };
    let listed = checks.iter().filter(|row| is_listed(row)).count();
    let words = ["unsafe", "unknown", "unreachable", "safe"];
    let counts = words.iter().enumerate().map(|(rank, word)| (count(rank, false), word));
    let counts: Vec<String> = counts
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let checks = if listed == 1 { "check" } else { "checks" };
    let open = match count(1, true) {
        0 => String::new(),
        open => format!("; of accesses to objects by name, {open} unknown"),
    };
    match (listed, open.is_empty()) {
        (0, true) => None,
        (0, false) => Some(format!("no checks{open}")),
        _ => Some(format!("{listed} {checks}: {}{open}", counts.join(", "))),
    }
}
