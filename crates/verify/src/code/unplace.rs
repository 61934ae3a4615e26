//! A proof for every placement of objects, where the program looks at addresses.
//!
//! A proof was found that holds for the places that objects have here. The same program without what
//! it sees of places ([`model::unplaced`]) has all runs of all placements, and perhaps more: a proof for
//! it counts, a run of it says nothing.

use super::{Claim, Decider, Setup, Size, Stage};
use crate::failure::Failure;
use crate::outcome::Finding;
use crate::record::Record;
use answer::Reason;
use program::{Place, model};
use std::time::{Duration, Instant};

/// How much of the time that is left is for such a proof: symbolic execution may still find a run.
const SHARE: u32 = 2;

impl Decider<'_, '_> {
    /// Looks for the proof.
    pub(super) fn unplace(&mut self, place: Place) -> Result<Option<Claim>, Failure> {
        self.reason = Reason::Placement(place);
        self.stage = Stage::Last;
        let deadline = self.setup.budget.allowance.deadline;
        let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let share = left.map_or(Duration::MAX, |left| left / SHARE);
        let budget = self.setup.budget.within(share);
        self.prove_unplaced(Setup { budget: &budget, ..self.setup }, false)
    }

    /// A proof of the program that sees nothing of places, if wanted by nothing but what is known.
    pub(super) fn prove_unplaced(
        &mut self,
        setup: Setup<'_>,
        known_alone: bool,
    ) -> Result<Option<Claim>, Failure> {
        let Some(program) = model::unplaced(self.program) else { return Ok(None) };
        let mut record = Record::default();
        let part = Decider::new(setup, &program, self.properties, &mut record).part();
        let part = part.without_places();
        let part = if known_alone { part.known_alone() } else { part };
        let decided = part.decide(&mut ())?;
        self.remember(record.learned);
        Ok(match (decided.finding, decided.engine) {
            (Finding::Safe(proved), Some(engine)) => {
                // Its formulas are about another program.
                let size = Size { kind: proved.kind, k: proved.k, formulas: proved.size };
                Some(Claim::Unplaced(engine, size))
            }
            _ => None,
        })
    }
}
