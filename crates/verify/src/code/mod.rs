//! Deciding a program: a ladder of steps, each in a file of its own.
//!
//! What earlier runs know is tried first, if there is such a thing ([`recall`]).
//! The interpreter executes the program then: one that takes no unknown value that matters has
//! one run, which decides it ([`execute`]). Then all runs are followed at once, for a moment, and later beside the
//! engines ([`unwind`]). Recursive programs are tried call by call, by summaries of functions
//! ([`calls`]). Then the program is modelled as a control-flow automaton and minimized
//! ([`encode`]), and engines race on the small automaton ([`race`]), with random tests beside them
//! ([`mod@test`]). Where a proof holds for the places that objects have here, another one is looked for
//! that holds for all ([`unplace`]).
//!
//! Where an answer leaves nothing that later versions could begin with, it is looked for ([`evidence`]).
//!
//! What a step has is a [`Claim`]. It counts after it has been accepted ([`crate::accept`]); what is
//! refused sends the ladder on, to a larger model or to the next claim.

mod by_clauses;
mod calls;
pub mod encode;
mod evidence;
mod execute;
mod race;
mod recall;
mod test;
mod unplace;
mod unwind;
mod vacuity;

pub(crate) use by_clauses::ClausesProof;
pub use by_clauses::NAME as PROCEDURES;
pub(crate) use calls::CallProof;
pub use calls::NAME as CALLS;
pub use recall::NAME as RECALL;
pub(crate) use test::STEPS as TEST_STEPS;
pub use test::Values;
pub(crate) use unwind::{NAME as UNWIND, Unwound};

use crate::accept::{self, Judgement};
use crate::budget::Budget;
use crate::failure::Failure;
use crate::listener::Listener;
use crate::outcome::{Finding, Violation};
use crate::question::{Choice, Settings};
use crate::record::Record;
use crate::schedule::Starter;
use crate::task::Registers;
use answer::{EngineName, Held, ProofKind, Reason, Vacuity};
use encode::{Encoding, Scope};
use program::counterexample::Counterexample;
use program::verdict::{Invariant, Proof, Run};
use program::{Place, Program, Property};
use race::Race;
use recall::{Prepared, Recalling};
use std::collections::BTreeSet;
use std::time::Duration;
use term::Pool;
use test::Tests;
use unwind::Unwinding;

/// What is told of a proof that is about another program.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub kind: ProofKind,
    pub k: Option<usize>,
    pub formulas: Option<usize>,
}

/// What a step of the ladder says. Claims of the engines are about the minimized automaton.
pub(crate) enum Claim {
    /// The only run of the program, or of the slice of the properties, was executed, without a
    /// violation.
    Executed { slice: bool },
    /// A run was executed into a violation.
    Failed(EngineName, Box<Counterexample>),
    /// Summaries of calls.
    Called(Box<CallProof>),
    /// A model of the clauses that procedures stand for.
    Modelled(Box<ClausesProof>),
    /// All runs were followed, and a formula that says that one goes wrong was refuted.
    Unwound(Box<Unwound>),
    /// A proof for every placement of objects, accepted as one, and who found it.
    Unplaced(EngineName, Size),
    /// A proof whose terms are of a pool.
    Proof(EngineName, Box<(Pool, Proof)>),
    /// What another version had as a proof, as far as it holds here; terms are of the program's pool.
    Recalled(Box<Proof>),
    /// A run.
    Run(EngineName, Run),
}

/// What is known of a program, with what was noted on the way.
pub(crate) struct Decided {
    pub finding: Finding,
    pub engine: Option<EngineName>,
    pub solving: f64,
    pub check: Option<f64>,
    pub vacuity: Option<Vacuity>,
    /// Beside a violation, runs into others.
    pub others: Vec<Counterexample>,
}

/// What is the same for all programs that a question leads to.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a> {
    pub settings: &'a Settings,
    pub budget: &'a Budget,
    pub starter: &'a Starter,
}

/// Where on the ladder a program is.
#[derive(Clone)]
enum Stage {
    Recall,
    Execute,
    Unwind,
    Calls,
    Encode {
        depth: u32,
        scope: Scope,
    },
    Race,
    /// There is a proof for the places that objects have here, and the program looks at them.
    Unplace(Place),
    /// Engines are through; runs may still find something.
    Last,
    Over,
}

/// A program on the ladder.
pub(crate) struct Decider<'a, 'l> {
    pub(crate) setup: Setup<'a>,
    pub(crate) program: &'a Program,
    pub(crate) properties: &'a BTreeSet<Property>,
    pub(crate) record: &'l mut Record,
    stage: Stage,
    /// Where the ladder goes on when what is known was not enough.
    after_recall: Stage,
    /// How far what is known was tried.
    recalling: Recalling,
    /// A model that was made for what is known.
    prepared: Option<Prepared>,
    /// The model and the engines on it.
    race: Option<Race<'a>>,
    /// Random tests beside the engines, if they are wanted.
    tests: Option<Tests<'a>>,
    /// Symbolic execution, if it is wanted, has begun and is not at its end.
    unwinding: Option<Unwinding>,
    /// What is executed instead of the program, because that takes values that do not matter.
    executed_slice: Option<Box<Program>>,
    /// When the program is executed again, if it has one run, as far as that is known.
    reexecute_at: Option<f64>,
    /// Whether the first evidence that is not accepted ends the ladder.
    stop_at_first_refusal: bool,
    /// Whether a proof must also hold behind pointers that are always null.
    beyond_null: bool,
    /// Whether the program sees nothing of where objects lie.
    unplaced: bool,
    /// Where the only run, which was executed, looks at addresses.
    executed_placed: Option<Place>,
    /// Where a proof was found that holds for the places that objects have here.
    placed: Option<Place>,
    /// Why there is no answer, as far as that is known.
    reason: Reason,
    /// Runs into violations that were found beside the first one.
    others: Vec<Counterexample>,
    /// Whether other questions wait for the time that engines leave.
    awaited: bool,
}

impl<'a, 'l> Decider<'a, 'l> {
    /// At the foot of the ladder.
    pub fn new(
        setup: Setup<'a>,
        program: &'a Program,
        properties: &'a BTreeSet<Property>,
        record: &'l mut Record,
    ) -> Self {
        let all = matches!(setup.settings.choice, Choice::Auto | Choice::Portfolio);
        let tests = all.then(|| Tests::new(program, properties, setup.settings.seed));
        let known = !setup.settings.known.is_empty();
        Decider {
            setup,
            program,
            properties,
            record,
            unwinding: None,
            stage: if known { Stage::Recall } else { Stage::Execute },
            after_recall: Stage::Execute,
            recalling: Recalling::default(),
            prepared: None,
            race: None,
            tests,
            executed_slice: None,
            reexecute_at: None,
            stop_at_first_refusal: false,
            beyond_null: true,
            unplaced: false,
            executed_placed: None,
            placed: None,
            reason: Reason::NoEngine,
            others: Vec::new(),
            awaited: false,
        }
    }

    /// The same, where other questions wait for the time that this one leaves.
    pub fn awaited(mut self, awaited: bool) -> Self {
        self.awaited = awaited;
        self
    }

    /// The same without what comes before the model: for programs that stand for a part of another.
    pub fn part(mut self) -> Self {
        self.tests = None;
        self.stop_at_first_refusal = true;
        self.beyond_null = false;
        self.stage = Stage::Encode { depth: encode::FIRST_DEPTH, scope: Scope::Fitting };
        self
    }

    /// The same, with nothing but what is known.
    pub fn known_alone(mut self) -> Self {
        self.stage = Stage::Recall;
        self.after_recall = Stage::Over;
        self.recalling.patient = true;
        self
    }

    /// The same, for a program that sees nothing of where objects lie ([`program::model::unplaced`]).
    pub fn without_places(mut self) -> Self {
        self.unplaced = true;
        self
    }

    /// The same, for a program whose pointers are not what they are in the text.
    pub fn with_null_as_written(mut self) -> Self {
        self.beyond_null = false;
        self
    }

    /// One step at a time until something is accepted; every step is a file.
    pub fn decide(mut self, listener: &mut dyn Listener) -> Result<Decided, Failure> {
        loop {
            let claim = match self.stage.clone() {
                Stage::Recall => self.recall(listener)?,
                Stage::Execute => self.execute_first(listener),
                // What comes before there are engines takes its time, and has no use without them.
                Stage::Unwind | Stage::Calls | Stage::Encode { .. } if self.is_late() => None,
                Stage::Unwind => self.unwind_first(listener)?,
                Stage::Calls => self.call_by_call(listener)?,
                Stage::Encode { .. } if self.recall_again() => None,
                Stage::Encode { depth, scope } => self.encode(depth, scope, listener)?,
                Stage::Race => self.race(listener)?,
                Stage::Unplace(place) => self.unplace(place)?,
                Stage::Last => self.run_to_the_end(listener)?,
                Stage::Over => return Ok(self.open()),
            };
            let Some(claim) = claim else { continue };
            if let Some(decided) = self.judge(claim, listener)? {
                return Ok(decided);
            }
        }
    }

    /// Whether the time is over; then so is the ladder.
    fn is_late(&mut self) -> bool {
        let exhausted = self.setup.budget.allowance.exhausted();
        if let Some(exhausted) = exhausted {
            self.reason = Reason::Stopped(exhausted);
            self.stage = Stage::Over;
        }
        exhausted.is_some()
    }

    /// Asks whether a claim counts, and goes on where it does not.
    fn judge(
        &mut self,
        claim: Claim,
        listener: &mut dyn Listener,
    ) -> Result<Option<Decided>, Failure> {
        let solving = self.setup.budget.elapsed();
        let judgement = accept::judge(self, &claim)?;
        if matches!(claim, Claim::Proof(..) | Claim::Recalled(_) | Claim::Run(..)) {
            let seconds = self.setup.budget.elapsed() - solving;
            listener.note(&crate::listener::Note::Checked { seconds });
        }
        match judgement {
            Judgement::Accepted(finding) => {
                self.record.assume(&accept::outside::assumption(&finding), listener);
                self.record.assume(&accept::computed::assumption(self, &finding), listener);
                let check =
                    self.setup.settings.certify.then(|| self.setup.budget.elapsed() - solving);
                self.stop();
                return Ok(Some(self.decided(claim, finding, solving, check)));
            }
            Judgement::Refused(reason) => {
                let proof = matches!(claim, Claim::Proof(..));
                if proof && matches!(reason, Reason::Unchecked(_)) && self.setup.settings.learn {
                    self.learn(&claim, &Finding::Unknown(reason.clone()), None);
                }
                self.refused(&claim, reason);
            }
            Judgement::Open(reason) => {
                self.reason = reason;
                self.stage = Stage::Over;
            }
            Judgement::Impatient => self.wait_with(claim),
            Judgement::Deeper => self.deepen(),
            Judgement::Whole => self.widen(),
            Judgement::Placed(place) => self.narrow(place),
        }
        Ok(None)
    }

    /// An answer, with who found it.
    fn decided(
        &mut self,
        claim: Claim,
        finding: Finding,
        solving: f64,
        check: Option<f64>,
    ) -> Decided {
        if self.setup.settings.learn {
            self.learn(&claim, &finding, check);
        }
        let vacuity = matches!(finding, Finding::Safe(_)).then(|| self.vacuity(&claim)).flatten();
        let (engine, check) = match claim {
            Claim::Executed { .. } => (EngineName::new("execution"), check.map(|_| 0.0)),
            Claim::Called(proof) if proof.recalled.is_some() => (EngineName::new(RECALL), check),
            Claim::Called(_) => (EngineName::new(CALLS), check),
            Claim::Modelled(proof) if proof.recalled => (EngineName::new(RECALL), check),
            Claim::Modelled(_) => (EngineName::new(by_clauses::NAME), check),
            Claim::Unplaced(engine, _) => (engine, check),
            Claim::Unwound(_) => (EngineName::new(UNWIND), check),
            Claim::Recalled(_) => (EngineName::new(RECALL), check),
            Claim::Failed(engine, _) => (engine, check.map(|_| 0.0)),
            Claim::Proof(engine, _) | Claim::Run(engine, _) => (engine, check),
        };
        let others = std::mem::take(&mut self.others);
        Decided { finding, engine: Some(engine), solving, check, vacuity, others }
    }

    /// A claim does not count, and nothing is wrong with Cairn.
    fn refused(&mut self, claim: &Claim, reason: Reason) {
        if let (Claim::Executed { .. }, Reason::Placement(place)) = (claim, &reason) {
            self.executed_placed = Some(place.clone());
        }
        self.reason = match claim {
            Claim::Proof(engine, _) | Claim::Run(engine, _) => reason.of(engine),
            _ => reason,
        };
        match claim {
            Claim::Executed { .. } => {
                self.reexecute_at = None;
                if matches!(self.stage, Stage::Execute) {
                    self.stage = Stage::Unwind;
                }
            }
            Claim::Recalled(_) => {
                if matches!(self.reason, Reason::Unchecked(_)) {
                    self.recalling.cut_short();
                }
                self.take_back();
            }
            Claim::Called(proof) => self.recalling.again_without_trust(proof.recalled),
            Claim::Proof(..) | Claim::Run(..) if self.stop_at_first_refusal => {
                self.stop();
                self.stage = Stage::Over;
            }
            Claim::Proof(..)
            | Claim::Run(..)
            | Claim::Failed(..)
            | Claim::Unplaced(..)
            | Claim::Modelled(_)
            | Claim::Unwound(_) => {}
        }
    }

    /// There is no answer.
    fn open(&mut self) -> Decided {
        self.stop();
        self.keep_unfinished();
        let executed = self.executed_placed.take().map(Reason::Placement);
        let reason = match self.reason.exhausted() {
            Some(_) => executed.unwrap_or_else(|| self.reason.clone()),
            None => self.reason.clone(),
        };
        Decided {
            finding: Finding::Unknown(reason),
            engine: None,
            solving: self.setup.budget.elapsed(),
            check: None,
            vacuity: None,
            others: Vec::new(),
        }
    }

    /// Ends the race, if there is one, and goes on beside it.
    fn stop_race(&self) {
        self.race.iter().for_each(Race::stop);
    }

    /// Ends whatever works on the question.
    pub(crate) fn stop(&self) {
        self.stop_race();
        self.unwinding.iter().for_each(Unwinding::stop);
    }

    /// What is known to hold of the minimized automaton that is raced on.
    pub(crate) fn held(&self) -> Option<&Invariant> {
        self.race.as_ref().and_then(|race| race.held.as_ref())
    }

    /// The encoding that is raced on.
    pub(crate) fn encoding(&self) -> Option<&Encoding> {
        self.race.as_ref().map(|race| &*race.encoding)
    }

    /// Lets engines and tests wait while evidence is checked, but not longer than `most`.
    pub(crate) fn hold(&self, most: Duration) -> Vec<Held<'_>> {
        let engines = self.race.iter().flat_map(|race| race.hold(most));
        engines.chain(self.tests.as_ref().map(|tests| tests.hold(most))).collect()
    }

    /// Whether the program sees nothing of where objects lie.
    pub(crate) fn is_unplaced(&self) -> bool {
        self.unplaced
    }

    /// Whether a proof must also hold behind pointers that are always null.
    pub(crate) fn asks_beyond_null(&self) -> bool {
        self.beyond_null
    }

    /// How long a check may take while engines may still find a better proof.
    pub(crate) fn patience(&self) -> Duration {
        self.race.as_ref().map_or(Duration::MAX, |race| race.patience)
    }
}

impl Stage {
    /// The first model, of the whole program if it fits.
    fn first_model() -> Stage {
        Stage::Encode { depth: encode::FIRST_DEPTH, scope: Scope::Fitting }
    }
}

/// A violation, by the run that the interpreter followed into it.
pub(crate) fn violated(run: Box<Counterexample>, matter: Option<Registers>) -> Finding {
    Finding::Unsafe(Violation::Program { run, matter })
}
