//! Seeds: lemmas that are guessed and proved before the search.
//!
//! Nothing is guessed yet.

use crate::engine::{End, Engine};

impl Engine<'_> {
    pub(crate) fn plant_seeds(&mut self) -> Result<(), End> {
        Ok(())
    }
}
