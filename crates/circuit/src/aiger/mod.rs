//! AIGER 1.9: reader and writer of the ascii (`aag`) and the binary (`aig`) form.
//!
//! The format is described in Biere, Heljanko, Wieringa: *AIGER 1.9 and Beyond* (FMV report
//! 11/2, 2011). All safety parts are read: resets (0, 1, uninitialized), bad properties,
//! constraints, outputs, symbols and comments. As in the competition, the outputs of a file
//! without bad properties are its bad properties. Justice and fairness are liveness: they are
//! rejected, not ignored.
//!
//! The reader is written by hand: the crate `flussab-aiger` (0.1.1) allocates by the header's
//! counts, compares symbol positions of properties and constraints with the number of latches,
//! and limits the number of properties by the number of gates.
//!
//! Memory is bounded by the file's length, not by what its header claims. The one thing that a
//! binary file announces without spending bytes on it, its inputs, is limited (see
//! [`Problem::TooManyInputs`]).
//!
//! * `cursor`: bytes, numbers and line ends.
//! * `header`: the counts.
//! * `ascii`, `binary`: the two bodies.
//! * `symbols`: symbol table and comments, alike in both.
//! * [`mod@write`]: the writers.
//! * [`witness`]: traces as text.

mod ascii;
mod binary;
mod cursor;
mod error;
mod header;
mod symbols;
pub mod witness;
pub mod write;

use crate::place::Place;
use crate::system::TransitionSystem;
use cursor::{Cursor, Fault, Position};
pub use error::{Problem, ReadError};
use header::{Encoding, Header};
pub use witness::{Claim, Witness, WitnessError, read_witnesses, write_witnesses};
pub use write::{write_ascii, write_binary};

/// Reads an AIGER file, ascii or binary as its first word says.
///
/// Ensures: the result satisfies [`TransitionSystem::check`]; its inputs and latches are those of
/// the file in the file's order.
pub fn read(bytes: &[u8]) -> Result<TransitionSystem, ReadError> {
    let mut cursor = Cursor::new(bytes);
    let mut text = true;
    let result = Header::read(&mut cursor).and_then(|header| match header.encoding {
        Encoding::Ascii => ascii::read(&header, &mut cursor),
        Encoding::Binary => {
            text = false;
            binary::read(&header, &mut cursor)
        }
    });
    result.map_err(|fault| locate(bytes, text, fault))
}

/// Turns what the reader noted cheaply into a place that a person can find.
fn locate(bytes: &[u8], text: bool, fault: Fault) -> ReadError {
    let place = match fault.position {
        Position::Offset(offset) if text => Place::of_offset(bytes, offset),
        Position::Offset(offset) => Place::Byte(offset),
        Position::Token { line, token } => Place::of_token(bytes, line, token),
    };
    ReadError { place, problem: fault.problem }
}
