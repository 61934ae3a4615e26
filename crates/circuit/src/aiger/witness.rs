//! The witness format of AIGER 1.9: traces as text.
//!
//! ```text
//! 1            the claim: 1 violated, 0 not violated, 2 not known
//! b0           for which properties (b0b2 for several)
//! 01x          the latches at the first step, x where it does not matter
//! 1100         the inputs of the first step
//! 0x00         the inputs of the second
//! .
//! ```
//! Claims other than a violation have no trace. A file may hold several witnesses; lines that
//! start with `c` or `u` are skipped, as the competition's simulator skips them.

use crate::place::Place;
use crate::trace::Trace;

/// What a witness says of its properties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// They are violated by this trace.
    Violated(Trace),
    /// They are never violated.
    Holds,
    /// Nothing.
    Unknown,
}

/// A claim about some properties.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The bad properties that the claim is about.
    pub bads: Vec<usize>,
    /// The claim.
    pub claim: Claim,
}

/// A witness file that can't be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: expected {expected}{}", found.as_ref().map(|f| format!(", found \"{f}\"")).unwrap_or_else(|| ", found the end of the file".to_owned()))]
pub struct WitnessError {
    /// Where.
    pub place: Place,
    /// What the format wants.
    pub expected: &'static str,
    /// What is there, if anything.
    pub found: Option<String>,
}

/// The witnesses as text.
pub fn write_witnesses(witnesses: &[Witness]) -> Vec<u8> {
    let mut out = String::new();
    for witness in witnesses {
        let status = match witness.claim {
            Claim::Violated(_) => "1",
            Claim::Holds => "0",
            Claim::Unknown => "2",
        };
        let bads: String = witness.bads.iter().map(|b| format!("b{b}")).collect();
        out.push_str(&format!("{status}\n{bads}\n"));
        if let Claim::Violated(trace) = &witness.claim {
            for values in std::iter::once(&trace.initial).chain(&trace.inputs) {
                out.extend(values.iter().map(|v| match v {
                    Some(true) => '1',
                    Some(false) => '0',
                    None => 'x',
                }));
                out.push('\n');
            }
        }
        out.push_str(".\n");
    }
    out.into_bytes()
}

/// Reads all witnesses of a file. Whether a trace fits a system, replay finds out.
pub fn read_witnesses(bytes: &[u8]) -> Result<Vec<Witness>, WitnessError> {
    let mut lines = Lines { bytes, position: 0, number: 0 };
    let mut witnesses = Vec::new();
    while let Some(status) = lines.next() {
        if status.is_empty() && lines.position == bytes.len() {
            break;
        }
        let claim = match status {
            b"1" => Claim::Violated(Trace::default()),
            b"0" => Claim::Holds,
            b"2" => Claim::Unknown,
            _ => return Err(lines.error(1, "0, 1 or 2 alone on the line")),
        };
        let bads = lines.bads()?;
        let claim = match claim {
            Claim::Violated(_) => Claim::Violated(lines.trace()?),
            other => {
                if lines.next() != Some(b".") {
                    return Err(lines.error(1, "\".\", because only a violation has a trace"));
                }
                other
            }
        };
        witnesses.push(Witness { bads, claim });
    }
    Ok(witnesses)
}

/// The lines of a file that are not skipped.
struct Lines<'a> {
    bytes: &'a [u8],
    position: usize,
    /// Of the last line given, from 1; one more than there are after the last.
    number: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            self.number += 1;
            if self.position >= self.bytes.len() {
                return None;
            }
            let rest = &self.bytes[self.position..];
            let length = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            self.position += (length + 1).min(rest.len());
            let line = rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length]);
            if !matches!(line, [b'c' | b'u', ..]) {
                return Some(line);
            }
        }
    }

    /// An error on the line given last.
    fn error(&self, column: usize, expected: &'static str) -> WitnessError {
        let line = self.bytes.split(|b| *b == b'\n').nth(self.number - 1);
        let found = line.filter(|_| self.position > 0).and_then(|line| {
            let text: String = String::from_utf8_lossy(line).chars().take(40).collect();
            (!text.is_empty() || self.position < self.bytes.len()).then_some(text)
        });
        WitnessError { place: Place::Text { line: self.number, column }, expected, found }
    }

    /// `b0` or `b0b2`
    fn bads(&mut self) -> Result<Vec<usize>, WitnessError> {
        let expected = "bad properties, as b0 or b0b2; liveness (j) is not supported";
        let line = self.next().ok_or_else(|| self.error(1, expected))?;
        let text = std::str::from_utf8(line).map_err(|_| self.error(1, expected))?;
        let numbers = text.strip_prefix('b').ok_or_else(|| self.error(1, expected))?;
        let parsed = numbers.split('b').map(|n| match n.bytes().all(|b| b.is_ascii_digit()) {
            true => n.parse().map_err(|_| self.error(1, expected)),
            false => Err(self.error(1, expected)),
        });
        parsed.collect()
    }

    fn trace(&mut self) -> Result<Trace, WitnessError> {
        let mut trace = Trace { initial: self.values()?, inputs: Vec::new() };
        loop {
            let before = (self.position, self.number);
            if self.next() == Some(b".") {
                return Ok(trace);
            }
            (self.position, self.number) = before;
            trace.inputs.push(self.values()?);
        }
    }

    fn values(&mut self) -> Result<Vec<Option<bool>>, WitnessError> {
        let expected = "values 0, 1 or x, or \".\" after the last step";
        let line = self.next().ok_or_else(|| self.error(1, expected))?;
        let values = line.iter().enumerate().map(|(k, b)| match b {
            b'0' => Ok(Some(false)),
            b'1' => Ok(Some(true)),
            b'x' => Ok(None),
            _ => Err(self.error(k + 1, expected)),
        });
        values.collect()
    }
}
