//! What earlier runs know ([`crate::known`]), tried before anything else.
//!
//! Inputs with which another version failed are executed. Formulas that held of another version are
//! candidates at the locations of this one that are called the same ([`portable::matching`]); those that
//! are not inductive here are dropped ([`analysis::houdini`]). If the others exclude every violation, that
//! is a claim like that of any engine. If not, they still hold, and the engines begin with them.
//!
//! The model that was made for this is kept for the engines.

use super::encode::Encoding;
use super::{Claim, Decider, Setup};
use crate::accept::certificate::completed;
use crate::accept::replay::violation;
use crate::code::encode::Scope;
use crate::code::test::Values;
use crate::failure::Failure;
use crate::known::{Extent, Knowledge};
use crate::listener::{Listener, Note};
use crate::outcome::{Finding, Violation};
use crate::question::Settings;
use analysis::houdini::{Effort, Houdini};
use answer::{Allowance, EngineName};
use portable::{Inputs, Lemmas, matching};
use program::counterexample::Watched;
use program::interpret::{Interpreter, Limits, Outcome};
use program::verdict::{Invariant, Proof};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The name under which such claims are told.
pub const NAME: &str = "recall";
/// What dropping candidates may cost: it mostly takes one round.
const EFFORT: Effort = Effort { queries: 200_000, conflicts: 20_000 };
/// The part of the time that is left that it may take, the part of what the formulas are worth, and the
/// least.
const SHARE: u32 = 4;
const WORTH: f64 = 0.5;
const LEAST: Duration = Duration::from_millis(50);
/// How long a run with inputs of another version is followed.
const RUN: Duration = Duration::from_millis(30);

/// A model that was made to try what is known, and what turned out to hold of it.
pub(super) struct Prepared {
    pub extent: (u32, Scope),
    pub encoding: Encoding,
    pub held: Option<Invariant>,
}

impl Decider<'_, '_> {
    /// Tries what is known, one piece after the other.
    pub(super) fn recall(&mut self, listener: &mut dyn Listener) -> Result<Option<Claim>, Failure> {
        self.stage = self.after_recall.clone();
        let known = self.setup.settings.known.clone();
        for knowledge in known.iter() {
            let claim = match knowledge {
                Knowledge::Inputs(inputs) => self.run_again(inputs, listener),
                Knowledge::Lemmas { extent, worth, .. } if extent.unplaced && !self.unplaced => {
                    self.worth = *worth;
                    self.recall_unplaced(knowledge)?
                }
                Knowledge::Lemmas { extent, .. } if extent.unplaced != self.unplaced => None,
                Knowledge::Lemmas { extent, lemmas, worth } => {
                    self.worth = *worth;
                    self.recall_lemmas(extent, lemmas, listener)?
                }
            };
            if claim.is_some() {
                return Ok(claim);
            }
        }
        Ok(None)
    }

    /// Whether the run with inputs of another version fails here, too.
    fn run_again(&mut self, inputs: &Inputs, listener: &mut dyn Listener) -> Option<Claim> {
        let interpreter = Interpreter::new(self.program).ok()?.with_properties(self.properties);
        let allowance = self.setup.budget.allowance.within(RUN);
        let interpreter = interpreter.with_limits(Limits { allowance, ..Limits::default() });
        let values = Values::remembered(inputs.oracle(&self.program.pool));
        let mut watched = Watched::new(self.program, values.clone());
        let outcome = interpreter.watch(&mut watched.clone(), &mut watched);
        let Outcome::Violation { property, at, .. } = outcome else { return None };
        if !values.are_possible() {
            return None;
        }
        self.record.assume(&self.program.assumptions, listener);
        let run = violation(self.program, property, &at, watched.notes());
        Some(Claim::Failed(EngineName::new(NAME), run))
    }

    /// The same program without what it sees of places, with what is known of that.
    fn recall_unplaced(&mut self, knowledge: &Knowledge) -> Result<Option<Claim>, Failure> {
        let known: Arc<[Knowledge]> = [knowledge.clone()].into();
        let settings = Settings { known, ..self.setup.settings.clone() };
        let budget = self.setup.budget.within(self.patience_for_known());
        self.prove_unplaced(Setup { settings: &settings, budget: &budget, ..self.setup }, true)
    }

    /// How long may be spent on what is known.
    fn patience_for_known(&self) -> Duration {
        let deadline = self.setup.budget.allowance.deadline;
        let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let worth = Duration::try_from_secs_f64(WORTH * self.worth).unwrap_or(Duration::MAX);
        left.map_or(worth, |left| worth.min(left / SHARE)).max(LEAST)
    }

    /// Whether formulas of another version prove this one.
    fn recall_lemmas(
        &mut self,
        extent: &Extent,
        lemmas: &Lemmas,
        listener: &mut dyn Listener,
    ) -> Result<Option<Claim>, Failure> {
        let key = (extent.depth, extent.scope);
        let prepared = match self.prepared.take().filter(|prepared| prepared.extent == key) {
            Some(prepared) => prepared,
            None => match self.prepare(key, listener)? {
                Some(encoding) => Prepared { extent: key, encoding, held: None },
                None => return Ok(None),
            },
        };
        let allowance = self.setup.budget.allowance.within(self.patience_for_known());
        let pool = &self.program.pool;
        let cfa = &prepared.encoding.minimized.cfa;
        let mut claim = None;
        let mut held: Option<Invariant> = prepared.held;
        for candidates in matching::candidates(self.program, pool, cfa, lemmas) {
            let count = candidates.iter().map(|(_, all)| all.len()).sum();
            let tried = self.trial(&prepared.encoding, candidates, lemmas.k, &allowance);
            let seconds = self.setup.budget.elapsed();
            let proves = matches!(tried, Trial::Proves(_));
            let kept = match &tried {
                Trial::Holds(invariant) => invariant.at.iter().map(|(_, all)| all.len()).sum(),
                _ => 0,
            };
            listener.note(&Note::Recalled { count, kept, proves, seconds });
            match tried {
                Trial::Proves(proof) => {
                    claim = Some(Claim::Recalled(Box::new(proof)));
                    break;
                }
                Trial::Holds(invariant) => held = Some(invariant),
                Trial::Nothing => {}
            }
        }
        let Prepared { extent, encoding, .. } = prepared;
        match claim {
            Some(claim) => {
                self.start_race(encoding, extent, &[], None);
                Ok(Some(claim))
            }
            None => {
                self.prepared = Some(Prepared { extent, encoding, held });
                Ok(None)
            }
        }
    }

    /// Notes what later questions may begin with.
    pub(super) fn learn(&mut self, claim: &Claim, finding: &Finding) {
        if let Finding::Unsafe(Violation::Program { run, .. }) = finding {
            let inputs = Inputs::of(&self.program.pool, &run.taken);
            self.record.learned.extend(inputs.map(Knowledge::Inputs));
            return;
        }
        let pool = &self.program.pool;
        let proof = match claim {
            Claim::Proof(_, proof) => &completed(self, &proof.0, &proof.1),
            Claim::Recalled(proof) => &**proof,
            _ => return,
        };
        let Some(race) = &self.race else { return };
        let cfa = &race.encoding.minimized.cfa;
        let Some(lemmas) = Lemmas::of_proof(self.program, pool, cfa, proof) else { return };
        let (depth, scope) = race.extent;
        let extent = Extent { depth, scope, unplaced: self.unplaced };
        let worth = match claim {
            Claim::Recalled(_) => self.worth,
            _ => self.setup.budget.elapsed(),
        };
        self.record.learned.push(Knowledge::Lemmas { extent, worth, lemmas });
    }

    /// Drops what is not inductive, and asks what the rest is worth.
    fn trial(
        &self,
        encoding: &Encoding,
        candidates: matching::Candidates,
        k: Option<usize>,
        allowance: &Allowance,
    ) -> Trial {
        let (pool, cfa) = (&self.program.pool, &encoding.minimized.cfa);
        let solvers = self.setup.settings.solvers;
        let mut houdini = Houdini::new(pool, cfa, candidates, EFFORT, solvers, allowance);
        let Ok(Some(invariant)) = houdini.prove() else { return Trial::Nothing };
        match (houdini.excludes_error(), k) {
            (Ok(true), _) => Trial::Proves(Proof::Inductive(invariant)),
            // The checker says whether it still is one.
            (Ok(false), Some(k)) => Trial::Proves(Proof::KInductive { k, invariant }),
            _ => Trial::Holds(invariant),
        }
    }
}

/// What came of candidates.
enum Trial {
    /// They prove the program, or may do so.
    Proves(Proof),
    /// They hold.
    Holds(Invariant),
    /// It took too long.
    Nothing,
}
