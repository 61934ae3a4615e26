//! Recursive programs by summaries of their functions.
//!
//! `analysis` finds relations of arguments and results, and programs without recursion that justify
//! them ([`analysis::summaries`]); these are proved and certified as any other. If one of them
//! can't be, the summaries are given up and recursion is unrolled.

use super::{Claim, Decider, Setup, Stage};
use crate::failure::Failure;
use crate::listener::{Listener, Note};
use crate::outcome::Finding;
use crate::record::Record;
use analysis::summaries::{Obligations, replace, summarize};
use program::Property;
use std::time::Duration;

/// How much of the time that is left goes into summaries.
const SHARE: f64 = 0.3;
/// How much at most.
const TIME: Duration = Duration::from_secs(60);

impl Decider<'_, '_> {
    /// Tries to prove a recursive program by summaries; none if there is no such proof.
    pub(super) fn summarize(
        &mut self,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        self.stage = Stage::first_model();
        let whole = self.setup.budget;
        let budget = whole.within(whole.allowance.share(SHARE, TIME));
        let Ok(Some(summaries)) =
            summarize(self.program, self.setup.settings.solvers, &budget.allowance)
        else {
            return Ok(None);
        };
        let formulas = summaries.values().map(Vec::len).sum::<usize>();
        let (functions, seconds) = (summaries.len(), whole.elapsed());
        listener.note(&Note::Summaries { formulas, functions, seconds });
        let Obligations { program, claims } = replace(self.program, &summaries);
        let mut properties = self.properties.clone();
        properties.insert(Property::Claim);
        let mut size = formulas;
        for program in claims.into_iter().chain([program]) {
            if budget.allowance.is_late() {
                return Ok(None);
            }
            let setup = Setup { budget: &budget, ..self.setup };
            let mut record = Record::beside(self.record);
            let part = Decider::new(setup, &program, &properties, &mut record).part();
            let decided = part.decide(listener)?;
            self.record.assumptions = record.assumptions;
            let Finding::Safe(proved) = decided.finding else { return Ok(None) };
            size += proved.size.unwrap_or(0);
        }
        Ok(Some(Claim::Summaries(size)))
    }
}
