//! Cycles for spreadsheets: a row for each, a column for each variable.

use super::Cycles;
use front_st::run::Seen;
use front_st::timing::Lane;

impl Cycles {
    /// The run as CSV (RFC 4180): the number of the cycle, the clock in milliseconds, and the variables at
    /// its end, inputs first, then outputs, then what changes within. Parts of variables have columns of
    /// their own; times are numbers of their units.
    pub fn csv(&self) -> String {
        let lanes = self.lanes();
        let mut text = String::from("cycle,time_ms");
        for lane in &lanes {
            text.push(',');
            text.push_str(&field(&lane.name));
        }
        text.push_str("\r\n");
        for (number, time) in self.times().into_iter().enumerate() {
            let (whole, rest) = (time / 1000, time % 1000);
            let time = if rest == 0 { whole.to_string() } else { format!("{whole}.{rest:03}") };
            text.push_str(&format!("{},{time}", number + 1));
            for lane in &lanes {
                text.push(',');
                text.push_str(&field(&cell(lane, number)));
            }
            text.push_str("\r\n");
        }
        text
    }
}

fn cell(lane: &Lane, number: usize) -> String {
    match lane.values.get(number) {
        Some(Seen::Integer(number)) => number.to_string(),
        Some(Seen::Text(text)) => text.clone(),
        Some(Seen::Unknown) | None => String::new(),
        Some(value) => lane.word(value),
    }
}

/// A field, in quotes where it needs them.
fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
