//! What earlier runs know ([`crate::known`]), tried before anything else.
//!
//! Inputs with which another version failed are executed. Formulas that held of another version are
//! candidates at the locations of this one that are called the same ([`portable::matching`]); those that
//! are not inductive here are dropped ([`analysis::houdini`]). If the others exclude every violation, that
//! is a claim like that of any engine. If not, they still hold, and the engines begin with them.
//!
//! The model that was made for this is kept for the engines.
//!
//! What is known of the very same program, as far as its instructions tell ([`Signatures::sum`]), comes
//! first and has all the time that it is worth: it mostly is a proof. Anything else has a moment before
//! runs are executed and followed, or a multiple of what its check took, and more time before the engines.

use super::encode::Encoding;
use super::{CallProof, Claim, Decider, Setup, Stage};
use crate::accept::certificate::completed;
use crate::accept::replay::violation;
use crate::code::encode::Scope;
use crate::code::test::Values;
use crate::failure::Failure;
use crate::known::{Extent, Knowledge};
use crate::listener::{Listener, Note};
use crate::outcome::{Finding, Violation};
use crate::question::{Goals, Settings};
use analysis::houdini::{Candidates, Effort, Houdini};
use answer::{Allowance, EngineName};
use portable::difference::Signatures;
use portable::{Calls, Inputs, Lemmas, Relations, matching};
use program::Cfa;
use program::counterexample::{Counterexample, Watched};
use program::interpret::{Interpreter, Limits, Outcome};
use program::verdict::{EVERY_FRAME, Invariant, Proof, Unfinished};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use term::Term;
use term::traverse::conjuncts;

/// The name under which such claims are told.
pub const NAME: &str = "recall";
/// What dropping candidates may cost: it mostly takes one round.
const EFFORT: Effort = Effort { queries: 200_000, conflicts: 20_000 };
/// How long each piece of what is known is tried before the program is executed and its runs are followed,
/// which may decide sooner; or, if that is longer, so many times what its check took. What was cut short is
/// tried again before the engines.
const FIRST: Duration = Duration::from_millis(150);
const CHECKS: f64 = 2.0;
/// Then, the part of the time that is left that the check of a proof may take that took longer to find than
/// there is left, and the part for everything else; the part of what the formulas are worth; and the least.
const CHECK_SHARE: f64 = 0.75;
const SHARE: f64 = 0.25;
const WORTH: f64 = 0.5;
const LEAST: Duration = Duration::from_millis(50);
/// How many times as long the check of a proof that sees nothing of places may take.
const UNPLACED: u32 = 2;
/// How long a run with inputs of another version is followed.
const RUN: Duration = Duration::from_millis(30);
/// So many clauses over bits are sifted here; bit-level IC3 is much faster for more.
const FEW_CLAUSES: usize = 400;
/// The part of the time that a proof took, and the least, for finding out what of it is needed.
const TRIMMING: f64 = 0.1;
const LEAST_TRIMMING: Duration = Duration::from_millis(80);

/// How far what is known was tried.
#[derive(Default)]
pub(super) struct Recalling {
    /// What is still to be tried, once it has begun.
    attempts: Option<VecDeque<Attempt>>,
    /// Pieces that were believed in vain.
    trusted: BTreeSet<usize>,
    /// The sum of the program, once somebody has asked.
    form: Option<u64>,
    /// Whether what is tried is about the very same program.
    same: bool,
    /// How many seconds what is tried took to find and to check, and who found it.
    pub worth: f64,
    check: f64,
    pub favoured: Option<String>,
    /// Who decided an earlier version.
    pub finder: Option<Finder>,
    /// What solved the clauses of another version.
    pub relations: Option<Relations>,
    /// Whether what is known has the time that it is worth, and whether something had too little.
    pub patient: bool,
    cut_short: bool,
}

/// Who decided an earlier version, how many seconds that took, how far it came, if that is known, and whether
/// it was the very same program.
pub(super) struct Finder {
    pub engine: String,
    pub seconds: f64,
    pub reached: Option<u64>,
    pub same: bool,
}

impl Recalling {
    /// Summaries that were believed because nothing had changed are no proof: each is asked about.
    pub fn again_without_trust(&mut self, number: Option<usize>) {
        if let Some(attempts) = &mut self.attempts {
            let sifted = number.filter(|n| self.trusted.insert(*n)).map(Attempt::Sifted);
            sifted.into_iter().for_each(|attempt| attempts.push_front(attempt));
        }
    }

    /// A check took longer than it may now: it is tried again later, and not in parts before.
    pub fn cut_short(&mut self) {
        if self.patient || self.same {
            return;
        }
        self.cut_short = true;
        let attempts = self.attempts.iter_mut();
        for attempts in attempts.filter(|all| matches!(all.front(), Some(Attempt::Sifted(_)))) {
            attempts.pop_front();
        }
    }
}

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
        if self.recalling.attempts.is_none() {
            self.recalling.attempts = Some(self.attempts(&known));
        }
        let Some(attempt) = self.recalling.attempts.as_mut().and_then(VecDeque::pop_front) else {
            self.stage = self.after_recall.clone();
            return Ok(None);
        };
        let (Attempt::Whole(number) | Attempt::Sifted(number)) = attempt;
        self.recalling.same = self.is_same(&known[number]);
        match (&known[number], attempt) {
            (Knowledge::Inputs(_), _) => Ok(self.run_all_again(number, &known, listener)),
            (Knowledge::Clauses(_) | Knowledge::Stimulus(_) | Knowledge::Unreachable { .. }, _) => {
                Ok(None)
            }
            (Knowledge::Finder { engine, seconds, reached, form }, _) => {
                let (engine, seconds, reached) = (engine.clone(), *seconds, *reached);
                let same = form.is_some_and(|form| form == self.form());
                self.recalling.finder = Some(Finder { engine, seconds, reached, same });
                Ok(None)
            }
            (Knowledge::Summaries { worth, check, calls, .. }, attempt) => {
                (self.recalling.worth, self.recalling.check) = (*worth, *check);
                let trusting = matches!(attempt, Attempt::Whole(_));
                self.recall_calls(number, calls, trusting, listener)
            }
            (Knowledge::Relations { worth, check, relations, .. }, _) => {
                (self.recalling.worth, self.recalling.check) = (*worth, *check);
                self.recall_relations(relations, listener)
            }
            (Knowledge::Lemmas { extent, worth, check, .. }, _)
                if extent.unplaced && !self.unplaced =>
            {
                (self.recalling.worth, self.recalling.check) = (*worth, *check);
                self.recall_unplaced(&known[number])
            }
            (Knowledge::Lemmas { extent, .. }, _)
                if (extent.unplaced, extent.beyond_null)
                    != (self.unplaced, self.is_beyond_null()) =>
            {
                Ok(None)
            }
            (Knowledge::Lemmas { extent, lemmas, worth, check, engine, .. }, attempt) => {
                let recalling = &mut self.recalling;
                (recalling.worth, recalling.check) = (*worth, *check);
                let favoured = engine.clone().filter(|_| lemmas.proof);
                recalling.favoured = favoured.or(recalling.favoured.take());
                let whole = lemmas.proof && matches!(attempt, Attempt::Whole(_));
                if whole && let Some(attempts) = &mut recalling.attempts {
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

    /// What is tried: what is known of the very same program first.
    fn attempts(&mut self, known: &[Knowledge]) -> VecDeque<Attempt> {
        let again = self.recalling.patient;
        let wanted = |number: &usize| !again || !known[*number].is_unfinished();
        let mut numbers: Vec<usize> = (0..known.len()).filter(wanted).collect();
        numbers.sort_by_key(|number| !self.is_same(&known[*number]));
        numbers.into_iter().map(Attempt::Whole).collect()
    }

    /// Whether something is known of the very same program.
    fn is_same(&mut self, knowledge: &Knowledge) -> bool {
        match knowledge {
            Knowledge::Lemmas { form, lemmas, .. } => lemmas.proof && *form == self.form(),
            Knowledge::Summaries { form, .. } | Knowledge::Relations { form, .. } => {
                *form == self.form()
            }
            _ => false,
        }
    }

    /// The sum of the program.
    pub(super) fn form(&mut self) -> u64 {
        let program = self.program;
        *self.recalling.form.get_or_insert_with(|| Signatures::of(program).sum())
    }

    /// Whether an engine decided an earlier version.
    pub(super) fn found_by(&self, name: &str) -> bool {
        self.recalling.finder.as_ref().is_some_and(|finder| finder.engine == name)
    }

    /// Whether the program is one whose pointers that are always null may be anything.
    fn is_beyond_null(&self) -> bool {
        !self.beyond_null && !self.unplaced
    }

    /// Notes what was learned of a variant of the program, as of the program.
    pub(crate) fn remember(&mut self, learned: Vec<Knowledge>) {
        for mut knowledge in learned {
            if let Knowledge::Lemmas { form, extent, .. } = &mut knowledge
                && extent.unplaced
            {
                *form = self.form();
            }
            self.record.learned.push(knowledge);
        }
    }

    /// Whether runs with inputs of another version fail here, too: where each check has its own answer,
    /// all that there are.
    fn run_all_again(
        &mut self,
        first: usize,
        known: &[Knowledge],
        listener: &mut dyn Listener,
    ) -> Option<Claim> {
        let mut numbers = vec![first];
        if matches!(self.setup.settings.goals, Goals::Each { stop: false, .. }) {
            let inputs = |attempt: &Attempt| match attempt {
                Attempt::Whole(n) if matches!(known[*n], Knowledge::Inputs(_)) => Some(*n),
                _ => None,
            };
            if let Some(attempts) = &mut self.recalling.attempts {
                numbers.extend(attempts.iter().filter_map(inputs));
                attempts.retain(|attempt| inputs(attempt).is_none());
            }
        }
        let inputs = numbers.into_iter().filter_map(|number| match &known[number] {
            Knowledge::Inputs(inputs) => Some(inputs),
            _ => None,
        });
        let mut runs: Vec<Box<Counterexample>> = Vec::new();
        for run in inputs.filter_map(|inputs| self.run_again(inputs)) {
            let check = |run: &Counterexample| (run.property, run.place.clone());
            if !runs.iter().any(|known| check(known) == check(&run)) {
                runs.push(run);
            }
        }
        let mut runs = runs.into_iter();
        let run = runs.next()?;
        self.others.extend(runs.map(|run| *run));
        self.record.assume(&self.program.assumptions, listener);
        Some(Claim::Failed(EngineName::new(NAME), run))
    }

    /// Whether the run with inputs of another version fails here, too.
    fn run_again(&self, inputs: &Inputs) -> Option<Box<Counterexample>> {
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
        Some(violation(self.program, property, &at, watched.notes()))
    }

    /// The same program without what it sees of places, with what is known of that. It needs a model of its
    /// own, so it is tried once; if that is in vain, two models with places come before it is tried anew.
    fn recall_unplaced(&mut self, knowledge: &Knowledge) -> Result<Option<Claim>, Failure> {
        if !self.recalling.patient && !self.recalling.same {
            self.recalling.cut_short = true;
            return Ok(None);
        }
        let known: Arc<[Knowledge]> = [knowledge.clone()].into();
        let settings = Settings { known, ..self.setup.settings.clone() };
        let patience = self.patience_for_known().saturating_mul(UNPLACED);
        let budget = self.setup.budget.within(patience);
        let claim = self
            .prove_unplaced(Setup { settings: &settings, budget: &budget, ..self.setup }, true)?;
        if claim.is_none() && budget.allowance.exhausted().is_some() {
            self.recalling.cut_short();
        }
        Ok(claim)
    }

    /// How long the check of what is known may take.
    pub(crate) fn patience_for_known(&self) -> Duration {
        let left = self.setup.budget.allowance.left();
        let hopeless = left.is_some_and(|left| left.as_secs_f64() < self.recalling.worth);
        self.patience_for(if hopeless || self.recalling.same { CHECK_SHARE } else { SHARE })
    }

    /// How long may be spent on what is known: a part of the time that is left, if it is worth that.
    fn patience_for(&self, share: f64) -> Duration {
        let Recalling { same, worth, check, patient, .. } = self.recalling;
        let seconds = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let left = self.setup.budget.allowance.left();
        let worth = seconds(if same { worth } else { WORTH * worth });
        let patience = left.map_or(worth, |left| worth.min(left.mul_f64(share))).max(LEAST);
        if patient || same { patience } else { patience.min(FIRST.max(seconds(CHECKS * check))) }
    }

    /// Before the engines: whether what was cut short is tried again, for longer.
    pub(super) fn recall_again(&mut self) -> bool {
        let again = self.recalling.cut_short && !self.recalling.patient;
        if again {
            self.recalling.patient = true;
            self.recalling.attempts = None;
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
            // Many clauses over bits are for bit-level IC3, which drops those that do not hold much sooner.
            let few = size(&holding(candidates, |_| true)) <= FEW_CLAUSES;
            let invariant = holding(candidates, |formula| few || !synth::is_clause(pool, formula));
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
                Trial::Nothing if lemmas.proof => self.recalling.cut_short(),
                Trial::Nothing => {}
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
    pub(super) fn learn(&mut self, claim: &Claim, finding: &Finding, check: Option<f64>) {
        if let Finding::Unsafe(Violation::Program { run, .. }) = finding {
            let runs = [&**run].into_iter().chain(&self.others);
            let inputs = runs.filter_map(|run| Inputs::of(&self.program.pool, &run.taken));
            self.record.learned.extend(inputs.map(Knowledge::Inputs));
            return;
        }
        let pool = &self.program.pool;
        let proof = match claim {
            Claim::Proof(_, proof) => &completed(self, &proof.0, &proof.1),
            Claim::Recalled(proof) => &**proof,
            Claim::Called(proof) => return self.learn_calls(proof, check),
            Claim::Modelled(proof) => return self.learn_relations(proof, check),
            Claim::Unwound(_) => return self.learn_beside(),
            _ => return,
        };
        if matches!(proof, Proof::Exhausted { .. }) {
            return self.learn_beside();
        }
        let form = self.form();
        let Some(race) = &self.race else { return };
        let cfa = &race.encoding.minimized.cfa;
        let trimmed = matches!(claim, Claim::Proof(..)).then(|| self.trimmed(cfa, proof)).flatten();
        let (untrimmed, proof) = (proof, trimmed.as_ref().unwrap_or(proof));
        let Some(lemmas) = Lemmas::of_proof(self.program, pool, cfa, proof) else { return };
        let extent = self.extent_of(race.extent);
        // Beside a proof, what was found on the way is not needed.
        self.record.learned.retain(|known| !known.is_unfinished());
        let (worth, engine) = match claim {
            Claim::Proof(engine, _) => (self.setup.budget.elapsed(), Some(engine.to_string())),
            _ => (self.recalling.worth, self.recalling.favoured.clone()),
        };
        let check = check.unwrap_or_default();
        // What this proof does not need may be what that of the next version needs.
        let beside = trimmed.and(match untrimmed {
            Proof::Inductive(all) => Some(Lemmas::of(self.program, pool, cfa, &all.into())),
            _ => None,
        });
        let count =
            |lemmas: &Lemmas| lemmas.cuts.iter().map(|cut| cut.formulas.len()).sum::<usize>();
        let more = beside.filter(|beside| count(beside) > count(&lemmas));
        let kept = [Some(lemmas), more].into_iter().flatten();
        self.record.learned.extend(kept.map(|lemmas| {
            let engine = engine.clone();
            Knowledge::Lemmas { extent, form, worth, check, engine, lemmas }
        }));
    }

    /// The same of summaries.
    fn learn_calls(&mut self, proof: &CallProof, check: Option<f64>) {
        let pool = &self.program.pool;
        let calls = Calls::of(self.program, pool, &proof.procedures, &proof.summaries);
        let worth = match proof.recalled {
            Some(_) => self.recalling.worth,
            None => self.setup.budget.elapsed(),
        };
        let (form, check) = (self.form(), check.unwrap_or_default());
        self.record.learned.push(Knowledge::Summaries { form, worth, check, calls });
    }

    /// What of a proof is needed: the formulas that the exclusion of violations and their own proofs rest
    /// on. None if that takes too long to find.
    pub(super) fn trimmed(&self, cfa: &Cfa, proof: &Proof) -> Option<Proof> {
        let Proof::Inductive(invariant) = proof else { return None };
        let (pool, budget) = (&self.program.pool, self.setup.budget);
        let time = Duration::from_secs_f64(TRIMMING * budget.elapsed()).max(LEAST_TRIMMING);
        let allowance = budget.allowance.within(time);
        let parts = |formulas: &Vec<Term>| {
            formulas.iter().flat_map(|formula| conjuncts(pool, *formula)).collect()
        };
        let candidates = invariant.at.iter().map(|(at, formulas)| (at, parts(formulas))).collect();
        let solvers = self.setup.settings.solvers;
        let mut houdini = Houdini::new(pool, cfa, candidates, EFFORT, solvers, &allowance);
        houdini.needed().ok().flatten().map(Proof::Inductive)
    }

    /// Of what automaton something is learned.
    pub(super) fn extent_of(&self, (depth, scope): (u32, Scope)) -> Extent {
        let (unplaced, beyond_null) = (self.unplaced, self.is_beyond_null());
        Extent { depth, scope, unplaced, beyond_null }
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
        let extent = self.extent_of(race.extent);
        let (worth, form) = (self.setup.budget.elapsed(), self.form());
        let learned = Knowledge::Lemmas { extent, form, worth, check: 0.0, engine: None, lemmas };
        self.record.learned.push(learned);
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
