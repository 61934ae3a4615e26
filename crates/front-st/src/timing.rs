//! The timing diagram of a run, as engineers of controllers draw it: a lane for each variable, a
//! column for each cycle. Truth values are lines that are high or low; other values are boxes that
//! begin where they change. The drawing is SVG without scripts or fonts of its own.

use crate::lower::{Lowered, Role};
use crate::run::{Cycle, Seen};
use std::fmt::Write;

/// Lanes and cycles that are drawn; what is left out is said.
const MAX_LANES: usize = 120;
const MAX_CYCLES: usize = 400;

/// Sizes: the names' column, a cycle's column, a lane, and the line within it.
const NAMES: usize = 190;
const COLUMN: usize = 64;
const LANE: usize = 30;
const HIGH: usize = 7;
const LOW: usize = 23;
const HEAD: usize = 44;

/// A variable and its values at the ends of the cycles.
struct Lane {
    name: String,
    role: Role,
    values: Vec<Seen>,
}

/// The diagram of a run: its cycles as they were given, and what was seen at the end of each. Inputs
/// come first, then outputs, then what changes within.
#[must_use]
pub fn diagram(lowered: &Lowered, cycles: &[Cycle], seen: &[Vec<Seen>]) -> String {
    let mut lanes = Vec::new();
    for (index, entry) in lowered.observed.entries.iter().enumerate() {
        let values = seen.iter().map(|row| row.get(index).unwrap_or(&Seen::Unknown).clone());
        spread(entry.name.to_string(), entry.role, values.collect(), &mut lanes);
    }
    let changes = |lane: &Lane| lane.values.windows(2).any(|pair| pair[0] != pair[1]);
    lanes.retain(|lane| lane.role != Role::Internal || changes(lane));
    lanes.sort_by_key(|lane| match lane.role {
        Role::Input => 0,
        Role::Output => 1,
        Role::Internal => 2,
    });
    let times: Vec<u64> = cycles.iter().take(seen.len()).map(|cycle| cycle.time).collect();
    draw(&lanes, &times)
}

/// A variable with fields is a lane for each of them.
fn spread(name: String, role: Role, values: Vec<Seen>, lanes: &mut Vec<Lane>) {
    let parts = match values.first() {
        Some(Seen::Fields(fields)) => fields.len(),
        Some(Seen::List(list)) => list.len(),
        _ => 0,
    };
    if parts == 0 || lanes.len() > MAX_LANES {
        lanes.push(Lane { name, role, values });
        return;
    }
    for part in 0..parts {
        let mut label = format!("{name}[{part}]");
        let column = values.iter().map(|value| match value {
            Seen::Fields(fields) => fields.get(part).map_or(Seen::Unknown, |(field, value)| {
                label = format!("{name}.{field}");
                value.clone()
            }),
            Seen::List(list) => list.get(part).cloned().unwrap_or(Seen::Unknown),
            _ => Seen::Unknown,
        });
        let column: Vec<Seen> = column.collect();
        spread(label, role, column, lanes);
    }
}

fn draw(lanes: &[Lane], times: &[u64]) -> String {
    let count = times.len().min(MAX_CYCLES);
    let shown = lanes.len().min(MAX_LANES);
    let width = NAMES + count.max(1) * COLUMN + 16;
    let left_out = lanes.len() > shown || times.len() > count;
    let height = HEAD + shown * LANE + if left_out { 30 } else { 12 };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for (index, time) in times.iter().take(count).enumerate() {
        let x = NAMES + index * COLUMN;
        let bottom = HEAD + shown * LANE;
        let _ = write!(
            out,
            "<path d=\"M{x} {HEAD}V{bottom}\" stroke=\"#dddddd\"/>\n\
             <text x=\"{}\" y=\"16\">{}</text>\n\
             <text x=\"{}\" y=\"32\" fill=\"#777777\">{}</text>\n",
            x + 4,
            index + 1,
            x + 4,
            milliseconds(*time),
        );
    }
    for (index, lane) in lanes.iter().take(shown).enumerate() {
        lane.draw(&mut out, HEAD + index * LANE, count);
    }
    if left_out {
        let (more_lanes, more_cycles) = (lanes.len() - shown, times.len() - count);
        let _ = writeln!(
            out,
            "<text x=\"8\" y=\"{}\" fill=\"#777777\">not drawn: {more_lanes} variables, {more_cycles} cycles</text>",
            HEAD + shown * LANE + 20
        );
    }
    out.push_str("</svg>\n");
    out
}

/// A time of the clock, which is in microseconds.
fn milliseconds(time: u64) -> String {
    match time % 1000 {
        0 => format!("{} ms", time / 1000),
        rest => format!("{}.{rest:03} ms", time / 1000),
    }
}

impl Lane {
    fn draw(&self, out: &mut String, top: usize, count: usize) {
        let color = match self.role {
            Role::Input => "#1f6fb2",
            Role::Output => "#b23a1f",
            Role::Internal => "#555555",
        };
        let _ = writeln!(
            out,
            "<text x=\"8\" y=\"{}\" fill=\"{color}\">{}</text>",
            top + 19,
            escaped(&shortened(&self.name, 26))
        );
        let mut at = 0;
        while at < count.min(self.values.len()) {
            let value = &self.values[at];
            let same = self.values[at..count.min(self.values.len())].iter();
            let length = same.take_while(|other| *other == value).count().max(1);
            let (from, to) = (NAMES + at * COLUMN, NAMES + (at + length) * COLUMN);
            match value {
                Seen::Bool(truth) => {
                    let y = top + if *truth { HIGH } else { LOW };
                    // The edge from the value before.
                    let before = at.checked_sub(1).map(|before| &self.values[before]);
                    let edge = match before {
                        Some(Seen::Bool(_)) => format!("M{from} {}V{} ", top + HIGH, top + LOW),
                        _ => String::new(),
                    };
                    let line = format!("{edge}M{from} {y}H{to}");
                    let _ = writeln!(
                        out,
                        "<path d=\"{line}\" stroke=\"{color}\" stroke-width=\"2\" fill=\"none\"/>"
                    );
                }
                value => {
                    let text = shortened(&words(value), length * 8);
                    let fill = if *value == Seen::Unknown { "#eeeeee" } else { "none" };
                    let _ = writeln!(
                        out,
                        "<rect x=\"{from}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" stroke=\"{color}\" fill=\"{fill}\"/>\n\
                         <text x=\"{}\" y=\"{}\">{}</text>",
                        top + HIGH - 2,
                        to - from,
                        LOW - HIGH + 4,
                        from + 5,
                        top + 19,
                        escaped(&text)
                    );
                }
            }
            at += length;
        }
    }
}

fn words(value: &Seen) -> String {
    match value {
        Seen::Bool(true) => "TRUE".to_owned(),
        Seen::Bool(false) => "FALSE".to_owned(),
        Seen::Integer(number) => number.to_string(),
        Seen::Real { value, single: true } => (*value as f32).to_string(),
        Seen::Real { value, single: false } => value.to_string(),
        Seen::Text(text) => format!("'{text}'"),
        Seen::List(list) => format!("{} values", list.len()),
        Seen::Fields(fields) => format!("{} fields", fields.len()),
        Seen::Unknown => "?".to_owned(),
    }
}

/// At most so many characters.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Text as XML has it; characters that XML can't have become `?`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(name: &str, role: Role, values: Vec<Seen>) -> Vec<Lane> {
        let mut lanes = Vec::new();
        spread(name.to_owned(), role, values, &mut lanes);
        lanes
    }

    #[test]
    fn drawings_are_xml_with_a_lane_for_each_variable() {
        let fields = |q: bool, et: i128| {
            Seen::Fields(vec![("Q".into(), Seen::Bool(q)), ("ET".into(), Seen::Integer(et))])
        };
        let mut lanes = lane("t", Role::Internal, vec![fields(false, 0), fields(true, 50)]);
        let odd = Seen::Text("<&\"\u{1}>".to_owned());
        lanes.extend(lane("s", Role::Output, vec![odd, Seen::Unknown]));
        let list = Seen::List(vec![Seen::Integer(1), Seen::Integer(2)]);
        lanes.extend(lane("a", Role::Input, vec![list.clone(), list]));
        let text = draw(&lanes, &[0, 10_500]);
        let document = roxmltree::Document::parse(&text).expect("XML");
        let texts: Vec<&str> = (document.descendants())
            .filter(|node| node.tag_name().name() == "text")
            .filter_map(|node| node.text())
            .collect();
        let expected = [
            "1",
            "0 ms",
            "2",
            "10.500 ms",
            "t.Q",
            "t.ET",
            "0",
            "50",
            "s",
            "'<&\"?>'",
            "?",
            "a[0]",
            "1",
            "a[1]",
            "2",
        ];
        assert_eq!(texts, expected);
        // The value that stays is one box; the line rises between the cycles.
        assert!(text.contains("<path d=\"M254 51V67 M254 51H318\""), "{text}");
    }

    #[test]
    fn large_runs_are_cut_and_say_so() {
        let values: Vec<Seen> = (0..1000).map(|i| Seen::Bool(i % 3 == 0)).collect();
        let mut lanes = Vec::new();
        for index in 0..200 {
            lanes.extend(lane(&format!("x{index}"), Role::Input, values.clone()));
        }
        let times: Vec<u64> = (0..1000).map(|i| i * 1000).collect();
        let text = draw(&lanes, &times);
        assert!(text.contains("not drawn: 80 variables, 600 cycles"));
        roxmltree::Document::parse(&text).expect("XML");
    }
}
