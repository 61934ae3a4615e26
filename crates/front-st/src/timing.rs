//! The timing diagram of a run, as engineers of controllers draw it: a lane for each variable, a
//! column for each cycle. Truth values are lines that are high or low; other values are buses, with the
//! value between two lines that cross where it changes. The drawing is SVG without scripts or fonts of its
//! own.

use crate::lower::{Kind, Lowered, Role, Tree};
use crate::run::Seen;
use crate::types::Clock;
use std::fmt::Write;

/// Lanes and cycles that are drawn; what is left out is said.
const MAX_LANES: usize = 120;
const MAX_CYCLES: usize = 400;

/// Sizes: the most and the least width of a cycle's column, a lane, and the line within it.
const COLUMN: (usize, usize) = (46, 120);
const LANE: usize = 30;
const HIGH: usize = 7;
const LOW: usize = 23;
const HEAD: usize = 44;
/// The width of a character, more or less, and of the slope of a bus.
const CHARACTER: usize = 7;
const SLOPE: usize = 4;

/// A variable without parts, and its values at the ends of the cycles.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// What it is to the unit.
    pub role: Role,
    /// Its values.
    pub values: Vec<Seen>,
    /// How they are written.
    kind: Option<Kind>,
}

/// The variables of a run: inputs first, then outputs, then what changes within.
#[must_use]
pub fn lanes(lowered: &Lowered, seen: &[Vec<Seen>]) -> Vec<Lane> {
    let mut lanes = Vec::new();
    for (index, entry) in lowered.observed.entries.iter().enumerate() {
        let values = seen.iter().map(|row| row.get(index).unwrap_or(&Seen::Unknown).clone());
        spread(entry.name.to_string(), entry.role, &entry.value, values.collect(), &mut lanes);
    }
    let changes = |lane: &Lane| lane.values.windows(2).any(|pair| pair[0] != pair[1]);
    lanes.retain(|lane| lane.role != Role::Internal || changes(lane));
    lanes.sort_by_key(|lane| match lane.role {
        Role::Input => 0,
        Role::Output => 1,
        Role::Internal => 2,
    });
    lanes
}

/// A variable with fields or elements is a lane for each of them.
fn spread(name: String, role: Role, tree: &Tree, values: Vec<Seen>, lanes: &mut Vec<Lane>) {
    let of = |value: &Seen, part: usize, field: &str| match value {
        Seen::List(list) => list.get(part).cloned().unwrap_or(Seen::Unknown),
        Seen::Fields(fields) => {
            let found = fields.iter().find(|(name, _)| **name == *field);
            found.map_or(Seen::Unknown, |(_, value)| value.clone())
        }
        _ => Seen::Unknown,
    };
    match tree {
        Tree::Array(elements) => {
            for (number, element) in elements.iter().enumerate() {
                let values = values.iter().map(|value| of(value, number, "")).collect();
                spread(format!("{name}[{number}]"), role, element, values, lanes);
            }
        }
        Tree::Fields(fields) => {
            let shown = |field: &str| match values.first() {
                Some(Seen::Fields(seen)) => seen.iter().any(|(name, _)| **name == *field),
                _ => true,
            };
            for (field, inner) in fields.iter().filter(|(field, _)| shown(field)) {
                let values = values.iter().map(|value| of(value, 0, field)).collect();
                spread(format!("{name}.{field}"), role, inner, values, lanes);
            }
        }
        Tree::Scalar(_, kind) => {
            lanes.push(Lane { name, role, values, kind: Some(kind.clone()) });
        }
        Tree::Text(_) | Tree::Nothing => lanes.push(Lane { name, role, values, kind: None }),
    }
}

impl Lane {
    /// A value as people write it.
    pub fn word(&self, value: &Seen) -> String {
        match (value, &self.kind) {
            (Seen::Integer(number), Some(Kind::Enumeration(values))) => {
                let named = values.iter().find(|(_, other)| other == number);
                named.map_or_else(|| number.to_string(), |(name, _)| name.to_string())
            }
            (Seen::Integer(number), Some(Kind::Time(Clock::Time))) => format!("{number} ms"),
            (Seen::Integer(number), Some(Kind::Time(Clock::LongTime))) => format!("{number} ns"),
            (Seen::Bool(true), _) => "TRUE".to_owned(),
            (Seen::Bool(false), _) => "FALSE".to_owned(),
            (Seen::Integer(number), _) => number.to_string(),
            (Seen::Real { value, single: true }, _) => (*value as f32).to_string(),
            (Seen::Real { value, single: false }, _) => value.to_string(),
            (Seen::Text(text), _) => format!("'{text}'"),
            (Seen::List(list), _) => format!("{} values", list.len()),
            (Seen::Fields(fields), _) => format!("{} fields", fields.len()),
            (Seen::Unknown, _) => "?".to_owned(),
        }
    }

    fn color(&self) -> &'static str {
        match self.role {
            Role::Input => "#1f6fb2",
            Role::Output => "#b23a1f",
            Role::Internal => "#555555",
        }
    }
}

/// What is special about cycles.
#[derive(Clone, Copy, Default, Debug)]
pub struct Marks {
    /// The run fails at the end of the last cycle.
    pub fails: bool,
    /// The number of the first cycle, from zero, of those that go on for ever.
    pub repeats: Option<usize>,
}

/// The diagram of lanes, for cycles that begin at these times of the clock, in microseconds.
#[must_use]
pub fn diagram(lanes: &[Lane], times: &[u64], marks: Marks) -> String {
    let count = times.len().min(MAX_CYCLES);
    let shown = lanes.len().min(MAX_LANES);
    let longest = lanes[..shown].iter().map(|lane| lane.name.chars().count()).max();
    let names = 24 + CHARACTER * longest.unwrap_or(0).clamp(10, 36);
    let words = lanes[..shown].iter().flat_map(|lane| lane.values.iter().map(|v| lane.word(v)));
    let widest = words.map(|word| word.chars().count()).max().unwrap_or(0);
    let column = (CHARACTER * widest + 2 * SLOPE + 8).clamp(COLUMN.0, COLUMN.1);
    let width = names + count.max(1) * column + 16;
    let left_out = lanes.len() > shown || times.len() > count;
    let bottom = HEAD + shown * LANE;
    let height = bottom + if left_out { 30 } else { 12 };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let band = |out: &mut String, from: usize, to: usize, fill: &str| {
        let (x, width) = (names + from * column, (to - from) * column);
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"0\" width=\"{width}\" height=\"{bottom}\" fill=\"{fill}\"/>"
        );
    };
    if let Some(from) = marks.repeats.filter(|from| *from < count) {
        band(&mut out, from, count, "#f0ecf9");
    }
    if marks.fails && times.len() == count && count > 0 {
        band(&mut out, count - 1, count, "#fdeae6");
    }
    for (index, lane) in lanes[..shown].iter().enumerate() {
        // Lanes of one role belong together.
        if index > 0 && lanes[index - 1].role != lane.role {
            let y = HEAD + index * LANE;
            let _ = writeln!(out, "<path d=\"M8 {y}H{}\" stroke=\"#bbbbbb\"/>", width - 16);
        }
    }
    for (index, time) in times.iter().take(count).enumerate() {
        let x = names + index * column;
        let _ = write!(
            out,
            "<path d=\"M{x} {HEAD}V{bottom}\" stroke=\"#e2e2e2\"/>\n\
             <text x=\"{}\" y=\"16\" font-weight=\"bold\">{}</text>\n\
             <text x=\"{}\" y=\"33\" fill=\"#777777\" font-size=\"11\">{}</text>\n",
            x + 4,
            index + 1,
            x + 4,
            milliseconds(*time),
        );
    }
    for (index, lane) in lanes[..shown].iter().enumerate() {
        lane.draw(&mut out, HEAD + index * LANE, count, (names, column));
    }
    if left_out {
        let (more_lanes, more_cycles) = (lanes.len() - shown, times.len() - count);
        let _ = writeln!(
            out,
            "<text x=\"8\" y=\"{}\" fill=\"#777777\">not drawn: {more_lanes} variables, \
             {more_cycles} cycles</text>",
            bottom + 20
        );
    }
    out.push_str("</svg>\n");
    out
}

/// A time of the clock, which is in microseconds.
#[must_use]
pub fn milliseconds(time: u64) -> String {
    match time % 1000 {
        0 => format!("{} ms", time / 1000),
        rest => format!("{}.{rest:03} ms", time / 1000),
    }
}

impl Lane {
    fn draw(&self, out: &mut String, top: usize, count: usize, (names, column): (usize, usize)) {
        let color = self.color();
        let _ = writeln!(
            out,
            "<text x=\"8\" y=\"{}\" fill=\"{color}\">{}</text>",
            top + 19,
            escaped(&shortened(&self.name, 36))
        );
        let values = &self.values[..count.min(self.values.len())];
        let mut at = 0;
        while let Some(value) = values.get(at) {
            let length = values[at..].iter().take_while(|other| *other == value).count().max(1);
            let (from, to) = (names + at * column, names + (at + length) * column);
            let ends = (at == 0, at + length == values.len());
            match value {
                Seen::Bool(truth) => {
                    let before = at.checked_sub(1).map(|before| &values[before]);
                    self.level(out, top, (from, to), *truth, matches!(before, Some(Seen::Bool(_))));
                }
                value => self.bus(out, top, (from, to), value, ends),
            }
            at += length;
        }
    }

    /// A line that is high or low, with the edge from the value before.
    fn level(
        &self,
        out: &mut String,
        top: usize,
        (from, to): (usize, usize),
        high: bool,
        edge: bool,
    ) {
        let y = top + if high { HIGH } else { LOW };
        let edge = match edge {
            true => format!("M{from} {}V{} ", top + HIGH, top + LOW),
            false => String::new(),
        };
        if high {
            let _ = writeln!(
                out,
                "<rect x=\"{from}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{}\" \
                 fill-opacity=\"0.12\"/>",
                to - from,
                LOW - HIGH,
                self.color()
            );
        }
        let _ = writeln!(
            out,
            "<path d=\"{edge}M{from} {y}H{to}\" stroke=\"{}\" stroke-width=\"2\" fill=\"none\"/>",
            self.color()
        );
    }

    /// A value between two lines, which meet where another one comes before or after.
    fn bus(
        &self,
        out: &mut String,
        top: usize,
        (from, to): (usize, usize),
        value: &Seen,
        (first, last): (bool, bool),
    ) {
        let (high, low, middle) = (top + HIGH, top + LOW, top + (HIGH + LOW) / 2);
        let left = match first {
            true => format!("M{from} {high}"),
            false => format!("M{from} {middle}L{} {high}", from + SLOPE),
        };
        let right = match last {
            true => format!("H{to}V{low}"),
            false => format!("H{}L{to} {middle}L{} {low}", to - SLOPE, to - SLOPE),
        };
        let back = if first { from } else { from + SLOPE };
        let fill = if *value == Seen::Unknown { "#eeeeee" } else { "#ffffff" };
        let room = (to - from - 2 * SLOPE) / CHARACTER;
        let _ = writeln!(
            out,
            "<path d=\"{left}{right}H{back}Z\" stroke=\"{}\" stroke-width=\"1.3\" fill=\"{fill}\"/>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            self.color(),
            (from + to) / 2,
            top + 19,
            escaped(&shortened(&self.word(value), room))
        );
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

    fn lane(name: &str, role: Role, kind: Kind, values: Vec<Seen>) -> Lane {
        Lane { name: name.to_owned(), role, values, kind: Some(kind) }
    }

    #[test]
    fn drawings_are_xml_with_a_lane_for_each_variable() {
        let odd = Seen::Text("<&\"\u{1}>".to_owned());
        let state = Kind::Enumeration(vec![("IDLE".into(), 0), ("BUSY".into(), 1)]);
        let lanes = [
            lane("a", Role::Input, Kind::Signed, vec![Seen::Integer(7), Seen::Integer(7)]),
            lane("s", Role::Output, Kind::Bool, vec![odd, Seen::Unknown]),
            lane("q", Role::Output, Kind::Bool, vec![Seen::Bool(false), Seen::Bool(true)]),
            lane("e", Role::Internal, state, vec![Seen::Integer(0), Seen::Integer(1)]),
            lane(
                "t.ET",
                Role::Internal,
                Kind::Time(Clock::Time),
                vec![Seen::Integer(0), Seen::Integer(50)],
            ),
        ];
        let marks = Marks { fails: true, repeats: Some(1) };
        let text = diagram(&lanes, &[0, 10_500], marks);
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
            "a",
            "7",
            "s",
            "'<&\"?>'",
            "?",
            "q",
            "e",
            "IDLE",
            "BUSY",
            "t.ET",
            "0 ms",
            "50 ms",
        ];
        assert_eq!(texts, expected);
        // The line of q rises between the cycles, and the columns of the loop and of the violation
        // have colours.
        assert!(text.contains("V127 M"), "{text}");
        assert_eq!((text.matches("#f0ecf9").count(), text.matches("#fdeae6").count()), (1, 1));
    }

    #[test]
    fn variables_with_parts_are_several_lanes() {
        let register = |n: u32| la_arena::Idx::from_raw(la_arena::RawIdx::from(n));
        let tree = Tree::Fields(vec![
            ("Q".into(), Tree::Scalar(register(0), Kind::Bool)),
            ("__since".into(), Tree::Scalar(register(1), Kind::Signed)),
            ("list".into(), Tree::Array(vec![Tree::Scalar(register(2), Kind::Signed)])),
        ]);
        let value = |q, number| {
            let list = Seen::List(vec![Seen::Integer(number)]);
            Seen::Fields(vec![("Q".into(), Seen::Bool(q)), ("list".into(), list)])
        };
        let mut lanes = Vec::new();
        spread("t".into(), Role::Output, &tree, vec![value(false, 1), value(true, 2)], &mut lanes);
        let found: Vec<_> =
            lanes.iter().map(|lane| (&*lane.name, lane.values[1].clone())).collect();
        assert_eq!(found, [("t.Q", Seen::Bool(true)), ("t.list[0]", Seen::Integer(2))]);
    }

    #[test]
    fn large_runs_are_cut_and_say_so() {
        let values: Vec<Seen> = (0..1000).map(|i| Seen::Bool(i % 3 == 0)).collect();
        let lanes: Vec<Lane> = (0..200)
            .map(|index| lane(&format!("x{index}"), Role::Input, Kind::Bool, values.clone()))
            .collect();
        let times: Vec<u64> = (0..1000).map(|i| i * 1000).collect();
        let text = diagram(&lanes, &times, Marks { fails: true, repeats: None });
        assert!(text.contains("not drawn: 80 variables, 600 cycles"));
        roxmltree::Document::parse(&text).expect("XML");
    }
}
