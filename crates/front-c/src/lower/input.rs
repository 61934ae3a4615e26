//! Which numbers a cyclic program gets anew in each step, as the user names them: `speed`, `in.left`,
//! `*sensor`, `table[*]`, each perhaps with a range (`speed=0..250`).

use std::fmt;
use std::str::FromStr;

/// A function that runs for ever, and what it gets.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// What runs before the first step.
    pub init: Option<String>,
    /// What takes new values in each step, beside the parameters.
    pub inputs: Vec<Input>,
}

/// A variable, or a part of one, that takes new values in each step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// The variable or parameter.
    pub name: String,
    /// The way from there to the part.
    pub way: Vec<Way>,
    /// The least and the greatest value, if not every value is meant.
    pub range: Option<(Bound, Bound)>,
}

/// A step from a variable to a part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Way {
    /// What a pointer points to.
    Pointee,
    /// A member.
    Member(String),
    /// An element.
    Element(u64),
    /// All elements.
    All,
}

/// The end of a range, as it is written: an integer or a decimal fraction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound(String);

impl Bound {
    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The number, if it is an integer.
    pub fn integer(&self) -> Option<i128> {
        let (negative, digits) = match self.0.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, self.0.as_str()),
        };
        let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let number = match hexadecimal {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => digits.parse::<i128>(),
        };
        number.ok().map(|number| if negative { -number } else { number })
    }

    /// A decimal for the number.
    pub fn decimal(&self) -> String {
        self.integer().map_or_else(|| self.0.clone(), |number| number.to_string())
    }
}

impl FromStr for Bound {
    type Err = ();

    fn from_str(text: &str) -> Result<Bound, ()> {
        let bound = Bound(text.trim().to_owned());
        let number = bound.0.parse::<f64>().is_ok_and(f64::is_finite);
        let digits = bound.0.strip_prefix('-').unwrap_or(&bound.0);
        let plain = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
        (bound.integer().is_some() || number && plain).then_some(bound).ok_or(())
    }
}

/// The part as it is written.
impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut way = self.way.iter().peekable();
        let mut text = self.name.clone();
        while let Some(step) = way.next() {
            text = match (step, way.peek()) {
                (Way::Pointee, Some(Way::Member(member))) => {
                    let text = format!("{text}->{member}");
                    way.next();
                    text
                }
                (Way::Pointee, _) => format!("*{text}"),
                (Way::Member(member), _) => format!("{text}.{member}"),
                (Way::Element(index), _) => format!("{text}[{index}]"),
                (Way::All, _) => format!("{text}[*]"),
            };
        }
        f.write_str(&text)
    }
}

impl FromStr for Input {
    type Err = String;

    fn from_str(text: &str) -> Result<Input, String> {
        let (part, range) = match text.split_once('=') {
            Some((part, range)) => (part, Some(range)),
            None => (text, None),
        };
        let (name, way) = part_of(part).ok_or_else(|| {
            format!(
                "'{text}' is not of the form NAME or NAME=LOW..HIGH, where NAME is a variable or a \
                 part of one, such as 'in.speed', 'table[*]' or '*sensor'"
            )
        })?;
        let bounds = |range: &str| {
            let (low, high) = range.split_once("..")?;
            Some((low.parse().ok()?, high.parse().ok()?))
        };
        let range = match range {
            Some(range) => Some(bounds(range).ok_or_else(|| {
                format!("'{range}' is not a range of two numbers, such as 0..100 or -1.5..1.5")
            })?),
            None => None,
        };
        Ok(Input { name, way, range })
    }
}

/// A variable, and the way to a part of it.
fn part_of(text: &str) -> Option<(String, Vec<Way>)> {
    let text = text.trim();
    let (pointee, text) = match text.strip_prefix('*') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let (name, mut rest) = split_name(text)?;
    let mut way = Vec::new();
    while !rest.is_empty() {
        if let Some(member) = rest.strip_prefix("->") {
            let (member, after) = split_name(member)?;
            way.extend([Way::Pointee, Way::Member(member)]);
            rest = after;
        } else if let Some(member) = rest.strip_prefix('.') {
            let (member, after) = split_name(member)?;
            way.push(Way::Member(member));
            rest = after;
        } else {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            way.push(match index.trim() {
                "*" => Way::All,
                index => Way::Element(index.parse().ok()?),
            });
            rest = after;
        }
    }
    if pointee {
        way.push(Way::Pointee);
    }
    Some((name, way))
}

/// A name at the beginning of a text, and the rest.
fn split_name(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let begins = name.starts_with(|c: char| !c.is_ascii_digit());
    begins.then(|| (name.to_owned(), rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_read_and_written() {
        for text in ["speed", "in.speed", "*sensor", "table[*]", "p->in.u[3]", "a[*].b", "p->u"] {
            let input: Input = text.parse().expect("it is an input");
            assert_eq!(input.to_string(), text);
            assert_eq!(input.range, None);
        }
        let ranged: Input = " in . speed = -1.5 .. 2e3 ".parse().expect("it is an input");
        assert_eq!(ranged.to_string(), "in.speed");
        let (low, high) = ranged.range.expect("it has a range");
        assert_eq!((low.text(), high.decimal().as_str()), ("-1.5", "2e3"));
        let hexadecimal: Input = "x=-0x10..0xff".parse().expect("it is an input");
        let range = hexadecimal.range.expect("it has a range");
        assert_eq!((range.0.integer(), range.1.integer()), (Some(-16), Some(255)));
    }

    #[test]
    fn what_is_no_input_is_refused() {
        for wrong in [
            "", "3x", "a[", "a[]", "a[-1]", "a b", "x=", "x=3", "x=1..", "x=1..b", "a.", "&x",
            "x=0..inf", "x=nan..1", "x=1...2",
        ] {
            assert!(wrong.parse::<Input>().is_err(), "{wrong}");
        }
    }
}
