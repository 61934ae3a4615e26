//! The symbol table and the comment section, alike in both encodings.

use super::cursor::{Cursor, Fault};
use super::error::Problem;
use crate::system::TransitionSystem;

/// Reads what follows the gates, and gives the outputs the role of bad properties where the file
/// has none of these.
///
/// Requires: everything that can carry a symbol is in `system`.
pub(super) fn read(cursor: &mut Cursor<'_>, system: &mut TransitionSystem) -> Result<(), Fault> {
    while let Some(kind) = cursor.peek() {
        if matches!(cursor.rest(), [b'c'] | [b'c', b'\n', ..] | [b'c', b'\r', b'\n', ..]) {
            cursor.line();
            system.comments = comments(cursor);
            break;
        }
        symbol(cursor, system, kind)?;
    }
    if system.bads.is_empty() {
        system.bads = std::mem::take(&mut system.outputs);
    }
    Ok(())
}

/// `i0 name` and the like.
fn symbol(cursor: &mut Cursor<'_>, system: &mut TransitionSystem, kind: u8) -> Result<(), Fault> {
    let start = cursor.position();
    if !b"ilobc".contains(&kind) {
        return Err(cursor.unexpected("a symbol (i, l, o, b or c with a position), a comment (c) or the end of the file; perhaps the header's counts are too small"));
    }
    cursor.advance(1);
    let index = cursor.number(u64::MAX, "the position of a symbol")?;
    cursor.blank("a blank and a name")?;
    let name = String::from_utf8_lossy(cursor.line()).into_owned();
    let position = usize::try_from(index).unwrap_or(usize::MAX);
    let (slot, count) = match kind {
        b'i' => name_slot(&mut system.inputs, position, |s| &mut s.name),
        b'l' => name_slot(&mut system.latches, position, |l| &mut l.name),
        b'o' => name_slot(&mut system.outputs, position, |s| &mut s.name),
        b'b' => name_slot(&mut system.bads, position, |s| &mut s.name),
        _ => name_slot(&mut system.constraints, position, |s| &mut s.name),
    };
    let kind = char::from(kind);
    match slot {
        None => Err(Fault::at(start, Problem::NoSuchSymbol { kind, index, count })),
        Some(Some(_)) => Err(Fault::at(start, Problem::SymbolTwice { kind, index })),
        Some(slot) => {
            *slot = Some(name);
            Ok(())
        }
    }
}

/// Where a name goes, if its position exists, and how many positions there are.
fn name_slot<T>(
    items: &mut [T],
    position: usize,
    name: impl Fn(&mut T) -> &mut Option<String>,
) -> (Option<&mut Option<String>>, usize) {
    let count = items.len();
    (items.get_mut(position).map(name), count)
}

fn comments(cursor: &mut Cursor<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    while cursor.peek().is_some() {
        lines.push(String::from_utf8_lossy(cursor.line()).into_owned());
    }
    lines
}
