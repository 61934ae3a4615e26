//! Evidence for later versions where an answer leaves none.
//!
//! That all runs were followed to their ends, at once or edge by edge, is shown by following them again,
//! which takes as long. Where it took long, nothing was known, and what is found is kept, engines look for an
//! invariant that says the same, for as long again at most: it is checked sooner than runs are followed,
//! and a later version may begin with it. The answer does not rest on it.

use super::{Decider, encode};
use crate::code::encode::Scope;
use crate::known::Knowledge;
use crate::prove;
use crate::question::Choice;
use portable::Lemmas;
use program::verdict::{Invariant, Proof};
use std::time::{Duration, Instant};

/// What took less is as soon found again.
const LONG: Duration = Duration::from_millis(300);
/// How long is looked for an invariant at most.
const MOST: Duration = Duration::from_secs(30);

impl Decider<'_, '_> {
    /// Looks for formulas that say what an answer without any says, and keeps them.
    pub(super) fn learn_beside(&mut self) {
        let (settings, budget) = (self.setup.settings, self.setup.budget);
        let spent = Duration::from_secs_f64(budget.elapsed());
        let all = matches!(settings.choice, Choice::Auto | Choice::Portfolio);
        if !all || !settings.known.is_empty() || spent < LONG {
            return;
        }
        self.stop();
        let first = (encode::FIRST_DEPTH, Scope::Fitting);
        let (at, encoding) = match &self.race {
            Some(race) => (race.extent, race.encoding.clone()),
            None => match self.prepare(first, &mut ()) {
                Ok(Some(prepared)) => (prepared.extent, prepared.encoding),
                _ => return,
            },
        };
        let (pool, cfa) = (&self.program.pool, &encoding.minimized.cfa);
        let allowance = budget.allowance.within(spent.min(MOST));
        let nothing = Invariant::default();
        let Some(found) = prove::invariant(pool, cfa, &nothing, settings, &allowance) else {
            return;
        };
        let begin = Instant::now();
        let proof = Proof::Inductive(found);
        let proof = self.trimmed(cfa, &proof).unwrap_or(proof);
        let check = begin.elapsed().as_secs_f64();
        let Some(lemmas) = Lemmas::of_proof(self.program, pool, cfa, &proof) else { return };
        let (extent, form, worth) = (self.extent_of(at), self.form(), spent.as_secs_f64());
        let learned = Knowledge::Lemmas { extent, form, worth, check, engine: None, lemmas };
        self.record.learned.push(learned);
    }
}
