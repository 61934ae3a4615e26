//! BTOR2: words and arrays.

use super::aiger::read;
use crate::language::{Input, Language, Rejection};
use crate::task::{Design, Reading, Task};
use circuit::btor2;
use std::sync::Arc;

/// The language.
pub struct Btor2;

impl Language for Btor2 {
    fn name(&self) -> &'static str {
        "BTOR2"
    }

    fn about(&self) -> &'static str {
        "BTOR2: bit-vectors and arrays"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["btor2", "btor"]
    }

    fn has_programs(&self) -> bool {
        false
    }

    fn read(&'static self, inputs: &[Input], reading: &Reading) -> Result<Task, Rejection> {
        read(self, inputs, reading, |bytes| {
            let words = btor2::read(bytes).map_err(|error| error.to_string())?;
            let mut lowered = btor2::lower(&words).map_err(|error| error.to_string())?;
            let system = Arc::new(std::mem::take(&mut lowered.system));
            Ok(Design { system, words: Some((words, lowered)) })
        })
    }
}
