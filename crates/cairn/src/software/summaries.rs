//! Recursive programs by summaries of their functions.
//!
//! `analysis` finds relations of arguments and results, and programs without recursion that justify
//! them ([`analysis::summaries`]); these are proved and certified as any other. If one of them
//! can't be, the summaries are given up and recursion is unrolled.

use super::record::Record;
use super::{Decision, Proved, Run, Subject};
use crate::exit::Exit;
use analysis::summaries::{Obligations, replace, summarize};
use program::Property;
use std::time::Duration;

/// How much of the time that is left goes into summaries.
const SHARE: f64 = 0.3;
/// How much at most.
const TIME: Duration = Duration::from_secs(60);

impl Run<'_> {
    /// Tries to prove a recursive program by summaries; none if there is no such proof.
    pub(super) fn by_summaries(&mut self) -> Result<Option<Decision>, Exit> {
        let begin = self.budget.elapsed();
        let budget = self.budget.within(self.budget.share(SHARE, TIME));
        let program = &self.subject.program;
        let Ok(Some(summaries)) = summarize(program, &smt::Standard, &budget.allowance) else {
            return Ok(None);
        };
        if self.arguments.stats {
            let count: usize = summaries.values().map(Vec::len).sum();
            let seconds = self.budget.elapsed();
            eprintln!("summaries: {count} of {} functions ({seconds:.3} s)", summaries.len());
        }
        let Obligations { program, claims } = replace(program, &summaries);
        let mut size = 0;
        for program in claims.into_iter().chain([program]) {
            let mut properties = self.subject.properties.clone();
            properties.insert(Property::Claim);
            let subject = Subject::new(program, properties, &self.arguments.c);
            if budget.allowance.is_late() {
                return Ok(None);
            }
            let assumptions = self.record.assumptions.clone();
            let mut run = Run {
                arguments: self.arguments,
                budget: &budget,
                subject: &subject,
                record: Record {
                    assumptions,
                    board: self.record.board.clone(),
                    ..Record::default()
                },
                tests: None,
                again: None,
                hasty: true,
            };
            let decision = run.model_and_race()?;
            self.record.assumptions = run.record.assumptions;
            match decision {
                Decision::Safe(proved) => size += proved.size.unwrap_or(0),
                Decision::Unsafe(_) | Decision::Unknown(_) => return Ok(None),
            }
        }
        self.record.engine = Some("summaries");
        self.certified(begin);
        let size = size + summaries.values().map(Vec::len).sum::<usize>();
        Ok(Some(Decision::Safe(Proved {
            kind: "summaries",
            size: Some(size),
            ..Proved::default()
        })))
    }
}
