//! Proofs that may hold only because runs end early: at the dereference of a static pointer that
//! nothing assigns ([`model::always_null`]). Such a proof counts if there is one for every value of
//! the pointer, too.

use super::record::Record;
use super::{Decision, Proved, Run, Subject};
use crate::exit::Exit;
use crate::options::{Check, Format};
use program::model;

impl Run<'_> {
    /// What a proof of the program as it is written says.
    pub(super) fn beyond_null(&mut self, proved: Proved) -> Result<Decision, Exit> {
        let Some(null) = model::always_null(&self.subject.program) else {
            return Ok(Decision::Safe(proved));
        };
        let mut program = self.subject.program.clone();
        null.forget(&mut program);
        let arguments = Check {
            quiet: true,
            format: Format::Text,
            witness: None,
            harness: None,
            ..self.arguments.clone()
        };
        let subject = Subject::new(program, self.subject.properties.clone(), &arguments.c);
        let mut run = Run::new(&arguments, self.budget, &subject, Record::default());
        Ok(match run.decide_as_written()? {
            Decision::Safe(_) => Decision::Safe(proved),
            Decision::Unsafe(_) | Decision::Unknown(_) => Decision::Unknown(format!(
                "no violation as far as runs get: {} dereferences a pointer that is always null",
                null.place
            )),
        })
    }
}
