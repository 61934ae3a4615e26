//! The first line: `aag M I L O A [B [C [J [F]]]]`.

use super::cursor::{Cursor, Fault};
use super::error::Problem;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    Ascii,
    Binary,
}

/// The counts as the file claims them; nothing may be allocated by them.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub encoding: Encoding,
    /// M, the maximum variable.
    pub maximum: u64,
    pub inputs: u64,
    pub latches: u64,
    pub outputs: u64,
    pub ands: u64,
    pub bads: u64,
    pub constraints: u64,
}

/// Edges have 31 bits for the node; the constant takes one, and one is kept from overflow.
const MAXIMUM_VARIABLE: u64 = (1 << 31) - 3;

/// Inputs that a binary file may announce whatever its length; above, it must have a byte for
/// each of them. Real circuits spend more than that on every input they use.
const INPUTS_FOR_FREE: u64 = 1 << 20;

impl Header {
    pub fn read(cursor: &mut Cursor<'_>) -> Result<Self, Fault> {
        let encoding = match cursor.rest() {
            [b'a', b'a', b'g', b' ' | b'\t', ..] => Encoding::Ascii,
            [b'a', b'i', b'g', b' ' | b'\t', ..] => Encoding::Binary,
            _ => return Err(Fault::at(0, Problem::NotAiger)),
        };
        cursor.advance(3);
        let start = cursor.position() + 1;
        let mut field = |name| -> Result<u64, Fault> {
            cursor.blank(name)?;
            cursor.number(MAXIMUM_VARIABLE, name)
        };
        let header = Header {
            encoding,
            maximum: field("the maximum variable")?,
            inputs: field("the number of inputs")?,
            latches: field("the number of latches")?,
            outputs: field("the number of outputs")?,
            ands: field("the number of ands")?,
            bads: 0,
            constraints: 0,
        };
        header.check(start, cursor.length())?;
        header.read_rest(cursor)
    }

    /// The fields that AIGER 1.9 added; all of them may be absent.
    fn read_rest(mut self, cursor: &mut Cursor<'_>) -> Result<Self, Fault> {
        let names = [
            "the number of bad properties",
            "the number of constraints",
            "the number of justice properties",
            "the number of fairness constraints",
        ];
        let mut counts = [0; 4];
        let mut places = [0; 4];
        for (k, name) in names.into_iter().enumerate() {
            if cursor.at_line_end() {
                break;
            }
            places[k] = cursor.position();
            counts[k] = cursor.number(MAXIMUM_VARIABLE, name)?;
        }
        cursor.line_end()?;
        for (k, what) in [(2, "justice properties"), (3, "fairness constraints")] {
            if counts[k] > 0 {
                let problem = Problem::Liveness { what, count: counts[k] };
                return Err(Fault::at(places[k], problem));
            }
        }
        [self.bads, self.constraints, ..] = counts;
        Ok(self)
    }

    fn check(&self, start: usize, length: usize) -> Result<(), Fault> {
        let sum = self.inputs + self.latches + self.ands;
        let wanted = match self.encoding {
            Encoding::Ascii if self.maximum < sum => "must be at least",
            Encoding::Binary if self.maximum != sum => "must equal",
            _ => return self.check_inputs(start, length),
        };
        Err(Fault::at(start, Problem::Maximum { maximum: self.maximum, wanted, sum }))
    }

    fn check_inputs(&self, start: usize, length: usize) -> Result<(), Fault> {
        let limit = INPUTS_FOR_FREE.max(length as u64);
        if self.encoding == Encoding::Binary && self.inputs > limit {
            let problem = Problem::TooManyInputs { inputs: self.inputs, length, limit };
            return Err(Fault::at(start, problem));
        }
        Ok(())
    }

    /// The largest literal: 2M + 1.
    pub fn maximum_literal(&self) -> u64 {
        2 * self.maximum + 1
    }
}
