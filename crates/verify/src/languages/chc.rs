//! Constrained Horn clauses in SMT-LIB.

use crate::language::{Input, Language, Rejection};
use crate::task::{Clauses, File, Reading, Subject, Task};
use source::map::Sum;
use std::sync::Arc;
use term::Pool;

/// The language.
pub struct Chc;

impl Language for Chc {
    fn name(&self) -> &'static str {
        "CHC"
    }

    fn option(&self) -> &'static str {
        "chc"
    }

    fn about(&self) -> &'static str {
        "SMT-LIB's logic HORN: constrained Horn clauses"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["smt2", "chc"]
    }

    fn has_programs(&self) -> bool {
        false
    }

    fn has_clauses(&self) -> bool {
        true
    }

    fn read(&'static self, inputs: &[Input], reading: &Reading) -> Result<Task, Rejection> {
        let [input] = inputs else {
            let count = inputs.len();
            return Err(Rejection::new(format!("one script at a time; {count} files were given")));
        };
        let (name, bytes) = (input.name(), input.bytes()?);
        let pool = Pool::new();
        let system =
            horn::read(&pool, &bytes).map_err(|error| Rejection::new(format!("{name}:{error}")))?;
        let file = File { name, sum: Sum::of(&bytes), text: Some(Arc::from(bytes)) };
        let subject = Subject::Clauses(Box::new(Clauses { pool, system }));
        Ok(Task { language: self, files: vec![file], reading: reading.clone(), subject })
    }
}
