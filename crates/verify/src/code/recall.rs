//! What earlier runs know ([`crate::known`]), tried before anything else.
//!
//! Inputs with which another version failed are executed. Formulas that held of another version are
//! candidates at the locations of this one that are called the same ([`portable::matching`]); those that
//! are not inductive here are dropped ([`analysis::houdini`]). If the others exclude every violation, that
//! is a claim like that of any engine. If not, they still hold, and the engines begin with them.
//!
//! The model that was made for this is kept for the engines.

use super::encode::Encoding;
use super::{Claim, Decider, Setup, Stage};
use crate::accept::certificate::completed;
use crate::accept::replay::violation;
use crate::code::encode::Scope;
use crate::code::test::Values;
use crate::failure::Failure;
use crate::known::{Extent, Knowledge};
use crate::listener::{Listener, Note};
use crate::outcome::{Finding, Violation};
use crate::question::Settings;
use analysis::houdini::{Candidates, Effort, Houdini};
use answer::{Allowance, EngineName};
use portable::{Inputs, Lemmas, matching};
use program::counterexample::Watched;
use program::interpret::{Interpreter, Limits, Outcome};
use program::verdict::{EVERY_FRAME, Invariant, Proof, Unfinished};
use std::sync::Arc;
use std::time::Duration;
use term::Term;

/// The name under which such claims are told.
pub const NAME: &str = "recall";
/// What dropping candidates may cost: it mostly takes one round.
const EFFORT: Effort = Effort { queries: 200_000, conflicts: 20_000 };
/// How long each piece of what is known is tried before the program is executed and its runs are followed,
/// which may decide sooner. What was cut short is tried again before the engines.
const FIRST: Duration = Duration::from_millis(150);
/// Then, the part of the time that is left that the check of a proof may take that took longer to find than
/// there is left, and the part for everything else; the part of what the formulas are worth; and the least.
const CHECK_SHARE: f64 = 0.75;
const SHARE: f64 = 0.25;
const WORTH: f64 = 0.5;
const LEAST: Duration = Duration::from_millis(50);
/// How long a run with inputs of another version is followed.
const RUN: Duration = Duration::from_millis(30);

/// A model, and what is known of it.
pub(super) struct Prepared {
    pub extent: (u32, Scope),
    pub encoding: Arc<Encoding>,
    /// What turned out to hold of it.
    pub held: Option<Invariant>,
    /// What may hold up to some frame.
    pub begun: Unfinished,
    /// What a piece of knowledge says of it: the number of the piece, and the candidates.
    matched: Option<(usize, Vec<Unfinished>)>,
}

impl Prepared {
    /// A model of which nothing is known.
    pub fn new(extent: (u32, Scope), encoding: Encoding) -> Prepared {
        let (encoding, begun) = (Arc::new(encoding), Unfinished::default());
        Prepared { extent, encoding, held: None, begun, matched: None }
    }
}

/// How a piece of what is known, given by its number, is tried.
#[derive(Clone, Copy)]
pub(super) enum Attempt {
    /// As it is: a proof may still be one.
    Whole(usize),
    /// As far as it holds.
    Sifted(usize),
}

impl Decider<'_, '_> {
    /// Tries what is known, one piece after the other.
    pub(super) fn recall(&mut self, listener: &mut dyn Listener) -> Result<Option<Claim>, Failure> {
        let known = self.setup.settings.known.clone();
        let again = self.patient;
        let wanted = |number: &usize| !again || !known[*number].is_unfinished();
        let all = || (0..known.len()).filter(wanted).map(Attempt::Whole).collect();
        let attempts = self.attempts.get_or_insert_with(all);
        let Some(attempt) = attempts.pop_front() else {
            self.stage = self.after_recall.clone();
            return Ok(None);
        };
        let (Attempt::Whole(number) | Attempt::Sifted(number)) = attempt;
        match (&known[number], attempt) {
            (Knowledge::Inputs(inputs), _) => Ok(self.run_again(inputs, listener)),
            (Knowledge::Clauses(_) | Knowledge::Stimulus(_), _) => Ok(None),
            (Knowledge::Finder { engine, seconds }, _) => {
                self.finder = Some((engine.clone(), *seconds));
                Ok(None)
            }
            (Knowledge::Lemmas { extent, worth, .. }, _) if extent.unplaced && !self.unplaced => {
                self.worth = *worth;
                self.recall_unplaced(&known[number])
            }
            (Knowledge::Lemmas { extent, .. }, _) if extent.unplaced != self.unplaced => Ok(None),
            (Knowledge::Lemmas { extent, lemmas, worth, engine }, attempt) => {
                self.worth = *worth;
                self.favoured = engine.clone().filter(|_| lemmas.proof).or(self.favoured.take());
                let whole = lemmas.proof && matches!(attempt, Attempt::Whole(_));
                if whole && let Some(attempts) = &mut self.attempts {
                    attempts.push_front(Attempt::Sifted(number));
                }
                let Some(prepared) = self.matched(number, extent, lemmas, listener)? else {
                    return Ok(None);
                };
                Ok(match whole {
                    true => self.recall_whole(prepared, lemmas, listener),
                    false => self.recall_sifted(prepared, lemmas, listener),
                })
            }
        }
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
        let claim = self
            .prove_unplaced(Setup { settings: &settings, budget: &budget, ..self.setup }, true)?;
        self.cut_short |= claim.is_none() && budget.allowance.exhausted().is_some();
        Ok(claim)
    }

    /// How long the check of what is known may take.
    pub(crate) fn patience_for_known(&self) -> Duration {
        let left = self.setup.budget.allowance.left();
        let hopeless = left.is_some_and(|left| left.as_secs_f64() < self.worth);
        self.patience_for(if hopeless { CHECK_SHARE } else { SHARE })
    }

    /// How long may be spent on what is known: a part of the time that is left, if it is worth that.
    fn patience_for(&self, share: f64) -> Duration {
        let left = self.setup.budget.allowance.left();
        let worth = Duration::try_from_secs_f64(WORTH * self.worth).unwrap_or(Duration::MAX);
        let patience = left.map_or(worth, |left| worth.min(left.mul_f64(share))).max(LEAST);
        if self.patient { patience } else { patience.min(FIRST) }
    }

    /// Before the engines: whether what was cut short is tried again, for longer.
    pub(super) fn recall_again(&mut self) -> bool {
        let again = self.cut_short && !self.patient;
        if again {
            self.patient = true;
            self.attempts = None;
            self.after_recall = std::mem::replace(&mut self.stage, Stage::Recall);
        }
        again
    }

    /// The model that lemmas are about, with what they say of it.
    fn matched(
        &mut self,
        number: usize,
        extent: &Extent,
        lemmas: &Lemmas,
        listener: &mut dyn Listener,
    ) -> Result<Option<Prepared>, Failure> {
        let key = (extent.depth, extent.scope);
        let mut prepared = match self.prepared.take().filter(|prepared| prepared.extent == key) {
            Some(prepared) => prepared,
            None => match self.prepare(key, listener)? {
                Some(prepared) => prepared,
                None => return Ok(None),
            },
        };
        if prepared.matched.as_ref().is_none_or(|(matched, _)| *matched != number) {
            let cfa = &prepared.encoding.minimized.cfa;
            let candidates = matching::candidates(self.program, &self.program.pool, cfa, lemmas);
            prepared.matched = Some((number, candidates));
        }
        Ok(Some(prepared))
    }

    /// Whether a proof of another version is one of this, as it is: the checker says so.
    fn recall_whole(
        &mut self,
        prepared: Prepared,
        lemmas: &Lemmas,
        listener: &mut dyn Listener,
    ) -> Option<Claim> {
        let close = prepared.matched.as_ref().and_then(|(_, candidates)| candidates.first());
        let Some(close) = close else {
            self.prepared = Some(prepared);
            return None;
        };
        let invariant = holding(close, |_| true);
        let count = size(&invariant);
        let proof = match lemmas.k {
            None => Proof::Inductive(invariant),
            Some(k) => Proof::KInductive { k, invariant },
        };
        let seconds = self.setup.budget.elapsed();
        listener.note(&Note::Recalled { count, kept: 0, proves: true, seconds });
        self.start_race(prepared, &[]);
        Some(Claim::Recalled(Box::new(proof)))
    }

    /// A proof of another version is none of this: the model is there for what comes next.
    pub(super) fn take_back(&mut self) {
        let Some(race) = self.race.take() else { return };
        let (extent, encoding) = (race.extent, race.encoding.clone());
        let (held, begun) = (race.held.clone(), race.begun.clone());
        self.prepared = Some(Prepared { extent, encoding, held, begun, matched: None });
    }

    /// Drops what does not hold here of another version's formulas; whether the rest is a proof.
    fn recall_sifted(
        &mut self,
        mut prepared: Prepared,
        lemmas: &Lemmas,
        listener: &mut dyn Listener,
    ) -> Option<Claim> {
        let allowance = self.setup.budget.allowance.within(self.patience_for(SHARE));
        let (_, all) = prepared.matched.take()?;
        for candidates in &all {
            let pool = &self.program.pool;
            // Clauses over bits are for bit-level IC3, which drops those that do not hold much sooner.
            let invariant = holding(candidates, |formula| !synth::is_clause(pool, formula));
            let count = size(&invariant);
            let tried = self.trial(&prepared.encoding, invariant.at, lemmas.k, &allowance);
            let seconds = self.setup.budget.elapsed();
            let proves = matches!(tried, Trial::Proves(_));
            let kept = if let Trial::Holds(invariant) = &tried { size(invariant) } else { 0 };
            listener.note(&Note::Recalled { count, kept, proves, seconds });
            match tried {
                Trial::Proves(proof) => {
                    self.start_race(prepared, &[]);
                    return Some(Claim::Recalled(Box::new(proof)));
                }
                Trial::Holds(invariant) => {
                    prepared.held.get_or_insert_default().add(&invariant);
                }
                Trial::Nothing => self.cut_short |= lemmas.proof,
            }
        }
        // What does not hold by itself may hold with what engines find.
        if let Some(close) = all.first() {
            prepared.begun.add(close);
        }
        self.prepared = Some(prepared);
        None
    }

    /// Notes what later questions may begin with: what was accepted, or what could not be checked in time.
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
        // Beside a proof, what was found on the way is not needed.
        self.record.learned.retain(|known| !known.is_unfinished());
        let (worth, engine) = match claim {
            Claim::Proof(engine, _) => (self.setup.budget.elapsed(), Some(engine.to_string())),
            _ => (self.worth, self.favoured.clone()),
        };
        self.record.learned.push(Knowledge::Lemmas { extent, worth, engine, lemmas });
    }

    /// Notes what a search without an end had come to.
    pub(super) fn keep_unfinished(&mut self) {
        let Some(race) = self.race.as_ref().filter(|_| self.setup.settings.learn) else { return };
        let pool = &self.program.pool;
        let unfinished = race.findings.unfinished(pool);
        if unfinished.is_empty() {
            return;
        }
        let cfa = &race.encoding.minimized.cfa;
        let lemmas = Lemmas::of(self.program, pool, cfa, &unfinished);
        let (depth, scope) = race.extent;
        let extent = Extent { depth, scope, unplaced: self.unplaced };
        let worth = self.setup.budget.elapsed();
        self.record.learned.push(Knowledge::Lemmas { extent, worth, engine: None, lemmas });
    }

    /// Drops what is not inductive, and asks what the rest is worth.
    fn trial(
        &self,
        encoding: &Encoding,
        candidates: Candidates,
        k: Option<usize>,
        allowance: &Allowance,
    ) -> Trial {
        let (pool, cfa) = (&self.program.pool, &encoding.minimized.cfa);
        let solvers = self.setup.settings.solvers;
        let houdini = Houdini::new(pool, cfa, candidates, EFFORT, solvers, allowance);
        let mut houdini = houdini.keeping_implied();
        let Ok(Some(invariant)) = houdini.prove() else { return Trial::Nothing };
        match (houdini.excludes_error(), k) {
            (Ok(true), _) => Trial::Proves(Proof::Inductive(invariant)),
            // The checker says whether it still is one.
            (Ok(false), Some(k)) => Trial::Proves(Proof::KInductive { k, invariant }),
            _ => Trial::Holds(invariant),
        }
    }
}

/// What held in all frames of another version, as far as it is wanted.
fn holding(candidates: &Unfinished, wanted: impl Fn(Term) -> bool) -> Invariant {
    let of = |formulas: &Vec<(usize, Term)>| {
        let all =
            formulas.iter().filter(|(frame, formula)| *frame == EVERY_FRAME && wanted(*formula));
        all.map(|(_, formula)| *formula).collect()
    };
    Invariant { at: candidates.at.iter().map(|(at, formulas)| (at, of(formulas))).collect() }
}

/// How many formulas there are.
fn size(invariant: &Invariant) -> usize {
    invariant.at.iter().map(|(_, formulas)| formulas.len()).sum()
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
