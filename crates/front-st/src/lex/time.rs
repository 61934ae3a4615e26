//! Durations and dates [IEC 61131-3 §6.3.4, §6.3.5]: `T#1h30m`, `D#2024-02-29`, `TOD#23:59:59.9`,
//! `DT#2024-02-29-23:59:59`. The calendar is the Gregorian one.

use super::Lexer;
use crate::ast::LiteralKind;

/// Nanoseconds of a second.
pub(crate) const SECOND: u64 = 1_000_000_000;

/// Units of durations with their nanoseconds; longer names before their prefixes.
const UNITS: [(&str, u64); 7] = [
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
    ("d", 86_400 * SECOND),
    ("h", 3_600 * SECOND),
    ("m", 60 * SECOND),
    ("s", SECOND),
];

/// What stands before the `#`.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Kind {
    Time,
    Date,
    TimeOfDay,
    DateAndTime,
}

/// The types with literals of their own, and whether they are the long ones.
const TYPES: [(&str, Kind, bool); 17] = [
    ("t", Kind::Time, false),
    ("time", Kind::Time, false),
    ("s5t", Kind::Time, false),
    ("s5time", Kind::Time, false),
    ("lt", Kind::Time, true),
    ("ltime", Kind::Time, true),
    ("d", Kind::Date, false),
    ("date", Kind::Date, false),
    ("ld", Kind::Date, true),
    ("ldate", Kind::Date, true),
    ("tod", Kind::TimeOfDay, false),
    ("time_of_day", Kind::TimeOfDay, false),
    ("ltod", Kind::TimeOfDay, true),
    ("ltime_of_day", Kind::TimeOfDay, true),
    ("dt", Kind::DateAndTime, false),
    ("date_and_time", Kind::DateAndTime, false),
    ("ldt", Kind::DateAndTime, true),
];

/// The type with literals of its own that a prefix stands for.
fn type_of(key: &str) -> Option<(Kind, bool)> {
    let key = match key {
        "ldate_and_time" | "dtl" => "ldt",
        other => other,
    };
    let found = TYPES.iter().find(|(name, ..)| *name == key);
    found.map(|&(_, kind, long)| (kind, long))
}

/// What a literal with a prefix is and how it is written, if numbers alone are none.
pub(crate) fn form_of(key: &str) -> Option<(&'static str, &'static str)> {
    type_of(key).map(|(kind, _)| (kind.name(), kind.form()))
}

impl Lexer<'_> {
    /// Reads a literal whose type was read and whose `#` is next, if it is one of a time.
    pub(super) fn time_literal(&mut self, start: usize, key: &str) -> bool {
        let Some((kind, long)) = type_of(key) else { return false };
        let negative = self.peek(1) == b'-';
        let signed = kind == Kind::Time && (negative || self.peek(1) == b'+');
        if !self.peek(1 + usize::from(signed)).is_ascii_digit() {
            // `D#name`: a value of an enumeration.
            return false;
        }
        self.at += 1 + usize::from(signed);
        let value = match kind {
            Kind::Time => self.duration().map(|nanoseconds| {
                let nanoseconds = if negative { -nanoseconds } else { nanoseconds };
                LiteralKind::Time { long, nanoseconds }
            }),
            Kind::Date => self.date().map(|days| LiteralKind::Date { long, days }),
            Kind::TimeOfDay => {
                self.clock().map(|nanoseconds| LiteralKind::TimeOfDay { long, nanoseconds })
            }
            Kind::DateAndTime => self
                .date_and_clock()
                .map(|nanoseconds| LiteralKind::DateAndTime { long, nanoseconds }),
        };
        let tail = self.rest().iter().take_while(|&&b| super::is_word_part(b)).count();
        self.at += tail;
        let value = value.and_then(|value| if tail > 0 { Err(kind.form()) } else { Ok(value) });
        let value = value.unwrap_or_else(|help| {
            self.error(start, self.at, format!("this is not {}", kind.name()), help);
            LiteralKind::Time { long, nanoseconds: 0 }
        });
        self.literal(start, value);
        true
    }

    /// Digits as a number, and whether there are any.
    fn count(&mut self) -> Option<(u128, u32)> {
        let (mut value, mut digits) = (0u128, 0);
        loop {
            match self.peek(0) {
                b @ b'0'..=b'9' => {
                    value = value.checked_mul(10)?.checked_add(u128::from(b - b'0'))?;
                    digits += 1;
                }
                b'_' if digits > 0 => {}
                _ => return (digits > 0).then_some((value, digits)),
            }
            self.at += 1;
        }
    }

    /// `1d_2h 3.5ms`
    fn duration(&mut self) -> Result<i128, &'static str> {
        let form = Kind::Time.form();
        let mut total = 0u128;
        loop {
            let (whole, _) = self.count().ok_or(form)?;
            let mut fraction = (0u128, 0u32);
            if self.peek(0) == b'.' {
                self.at += 1;
                fraction = self.count().ok_or(form)?;
            }
            let rest: Vec<u8> = self.rest().iter().take(2).map(u8::to_ascii_lowercase).collect();
            let unit = UNITS.iter().find(|(name, _)| rest.starts_with(name.as_bytes()));
            let &(name, nanoseconds) = unit.ok_or(form)?;
            self.at += name.len();
            let scale = 10u128.checked_pow(fraction.1).ok_or(form)?;
            let unit = u128::from(nanoseconds);
            let exact = fraction.0.checked_mul(unit).ok_or(form)?;
            if exact % scale != 0 {
                return Err("nothing is finer than a nanosecond");
            }
            let part = whole.checked_mul(unit).and_then(|w| w.checked_add(exact / scale));
            total = part.and_then(|part| total.checked_add(part)).ok_or("this is too long")?;
            let gap = self.rest().iter().take_while(|&&b| b == b'_' || b == b' ').count();
            if !self.part_follows(gap) {
                return i128::try_from(total).map_err(|_| "this is too long");
            }
            self.at += gap;
        }
    }

    /// Whether a number with a unit follows after the gap.
    fn part_follows(&self, gap: usize) -> bool {
        let rest = &self.rest()[gap..];
        let digits = rest.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        rest.first().is_some_and(u8::is_ascii_digit)
            && rest.get(digits).is_some_and(|b| b"dhmsunDHMSUN".contains(b))
    }

    fn date(&mut self) -> Result<i64, &'static str> {
        let form = Kind::Date.form();
        let (year, _) = self.count().ok_or(form)?;
        let mut parts = [0u32; 2];
        for part in &mut parts {
            if self.peek(0) != b'-' {
                return Err(form);
            }
            self.at += 1;
            *part = self.count().and_then(|(n, _)| u32::try_from(n).ok()).ok_or(form)?;
        }
        let year = u32::try_from(year).ok().filter(|y| (1..=9999).contains(y));
        let year = year.ok_or("years are 1 to 9999")?;
        days_of(year, parts[0], parts[1]).ok_or("the calendar has no such day")
    }

    fn clock(&mut self) -> Result<u64, &'static str> {
        let form = Kind::TimeOfDay.form();
        let mut parts = [0u64; 3];
        for (index, part) in parts.iter_mut().enumerate() {
            if index > 0 {
                match self.peek(0) {
                    b':' => self.at += 1,
                    // Seconds may be left out.
                    _ if index == 2 => break,
                    _ => return Err(form),
                }
            }
            *part = self.count().and_then(|(n, _)| u64::try_from(n).ok()).ok_or(form)?;
        }
        let mut fraction = 0;
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            let (value, digits) = self.count().ok_or(form)?;
            let scale = 10u128.checked_pow(digits).ok_or(form)?;
            let exact = value.checked_mul(u128::from(SECOND)).ok_or(form)?;
            if exact % scale != 0 {
                return Err("nothing is finer than a nanosecond");
            }
            fraction = (exact / scale) as u64;
        }
        let [hours, minutes, seconds] = parts;
        if hours > 24 || minutes > 59 || seconds > 59 || (hours == 24 && minutes + seconds > 0) {
            return Err("the day has no such time");
        }
        Ok((hours * 3600 + minutes * 60 + seconds) * SECOND + fraction)
    }

    fn date_and_clock(&mut self) -> Result<i128, &'static str> {
        let days = self.date()?;
        let mut clock = 0;
        if self.peek(0) == b'-' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            clock = self.clock()?;
        }
        Ok(i128::from(days) * 86_400 * i128::from(SECOND) + i128::from(clock))
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Time => "a duration",
            Kind::Date => "a date",
            Kind::TimeOfDay => "a time of day",
            Kind::DateAndTime => "a date and time",
        }
    }

    fn form(self) -> &'static str {
        match self {
            Kind::Time => "durations are written T#1d2h3m4s5ms6us7ns, with any of the parts",
            Kind::Date => "dates are written D#2024-02-29",
            Kind::TimeOfDay => "times of day are written TOD#23:59:59.999",
            Kind::DateAndTime => "dates with times are written DT#2024-02-29-23:59:59.999",
        }
    }
}

/// Days of the months of a year.
fn months(year: u32) -> [u32; 12] {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// Days since 1970-01-01.
fn days_of(year: u32, month: u32, day: u32) -> Option<i64> {
    let before = |year: u32| {
        let full = i64::from(year) - 1;
        full * 365 + full / 4 - full / 100 + full / 400
    };
    let months = months(year);
    let index = month.checked_sub(1)? as usize;
    if day == 0 || day > *months.get(index)? {
        return None;
    }
    let in_year: u32 = months[..index].iter().sum::<u32>() + day - 1;
    Some(before(year) - before(1970) + i64::from(in_year))
}

/// Year, month and day of a day counted from 1970-01-01.
#[must_use]
pub(crate) fn date_of(days: i64) -> (i64, u32, u32) {
    // An average year has 365.2425 days: the guess is off by one at most.
    let mut year = (1970 + (days * 400).div_euclid(146_097)).clamp(1, 9999) as u32;
    while year > 1 && days_of(year, 1, 1).is_some_and(|first| first > days) {
        year -= 1;
    }
    while year < 9999 && days_of(year + 1, 1, 1).is_some_and(|first| first <= days) {
        year += 1;
    }
    let mut rest = days - days_of(year, 1, 1).unwrap_or(0);
    for (index, length) in months(year).into_iter().enumerate() {
        if rest < i64::from(length) {
            return (i64::from(year), index as u32 + 1, rest as u32 + 1);
        }
        rest -= i64::from(length);
    }
    (i64::from(year), 12, 31)
}

#[cfg(test)]
mod tests {
    use super::{date_of, days_of};

    #[test]
    fn days_and_dates_are_inverse() {
        assert_eq!(days_of(1970, 1, 1), Some(0));
        assert_eq!(days_of(2000, 3, 1), Some(11_017));
        assert_eq!(days_of(1969, 12, 31), Some(-1));
        assert_eq!(days_of(2023, 2, 29), None);
        assert_eq!(days_of(1900, 2, 29), None);
        for days in (-719_000..2_900_000).step_by(97) {
            let (year, month, day) = date_of(days);
            assert_eq!(days_of(year as u32, month, day), Some(days));
        }
    }
}
