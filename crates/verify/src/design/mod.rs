//! Deciding a circuit: every bad property is a goal.
//!
//! One goal has all threads: IC3 and bounded model checking in turns on one ([`turns`]), or a team
//! ([`team`]). Several goals are players themselves: they take turns, so that one that is too hard
//! leaves the others their time, and those that are decided are answered at once. They share the
//! sweep of the circuit, lemmas, traces and invariants ([`share`]).
//!
//! What earlier runs know is tried first, and is where the engines begin ([`recall`]).
//!
//! A verdict counts only after `certify` has accepted its evidence on the circuit as it was read.

mod recall;
mod share;
mod team;
mod turns;

use self::recall::Recalled;
use self::share::{Common, Known, cone_size};
use crate::board::Board;
use crate::code::Setup;
use crate::engines::CircuitCall;
use crate::failure::Failure;
use crate::listener::{Listener, Note};
use crate::outcome::{Answer, Finding, Goal, Held, Proved, Violation};
use crate::question::{Choice, Settings};
use crate::record::Record;
use crate::schedule::baton::{Runner, Work};
use crate::schedule::{Found, Next, Schedule, Starter, Traveller};
use crate::task::Design;
use answer::{Allowance, Ended, EngineName, Exhausted, Interrupt, ProofKind, Reason};
use certify::{Rejection, check_circuit};
use circuit::TransitionSystem;
use circuit::verdict::{Proof, Verdict};
use ic3::options::Preprocessing;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// The least number of threads of a portfolio: IC3, bounded model checking, another IC3 and
/// k-induction.
const PORTFOLIO: usize = 4;
/// How many goals are worked on at a time, each with its own engines.
const WINDOW: usize = 32;
/// The first turn of a goal among several, in looks at the interrupt.
const LOOKS: u64 = 60_000;
/// After how many rounds without an answer the goals at work make room for those that wait.
const ROUNDS: usize = 12;
/// How often the question's own interrupt is looked at.
const WATCH: Duration = Duration::from_millis(20);

/// What was found of a goal, and by whom.
pub(crate) type Played = (EngineName, Verdict);

/// All goals of a circuit.
pub(crate) struct Goals<'a> {
    design: &'a Design,
    setup: Setup<'a>,
    board: &'a Board,
    /// What they work on.
    common: Common,
    answers: Vec<Option<Answer>>,
    /// What earlier runs know.
    recalled: Recalled,
}

/// Decides every bad property.
pub(crate) fn decide(
    design: &Design,
    setup: Setup<'_>,
    record: &mut Record,
    listener: &mut dyn Listener,
) -> Result<Vec<Answer>, Failure> {
    let board = &record.board.clone();
    let count = design.system.bads.len();
    let answers = (0..count).map(|_| None).collect();
    let common = Common::unswept(&design.system);
    let recalled = Recalled::default();
    let mut goals = Goals { design, setup, board, common, answers, recalled };
    goals.recall(listener)?;
    match count {
        _ if goals.answers.iter().all(Option::is_some) => {}
        1 => {
            goals.pass_on();
            goals.single(0, setup, listener)?;
        }
        _ if setup.settings.choice == Choice::Portfolio => goals.one_by_one(listener)?,
        _ => goals.in_turns(listener)?,
    }
    if setup.settings.learn {
        goals.learn(record);
    }
    let number = |number| Goal::Bad { number, name: design.name(number) };
    let ended = setup.budget.ended().unwrap_or(Exhausted::Time);
    let open = |at| Answer::new(number(at), Finding::Unknown(Reason::Stopped(ended)));
    Ok((0..).zip(goals.answers).map(|(at, answer)| answer.unwrap_or_else(|| open(at))).collect())
}

/// What a goal needs to be worked on, also in a thread of its own.
#[derive(Clone)]
struct Errand {
    system: Arc<TransitionSystem>,
    property: usize,
    settings: Settings,
    deadline: Option<std::time::Instant>,
    board: Board,
    goal: String,
    /// What other goals have found.
    known: Known,
}

impl Errand {
    /// Works on the goal with the engines that were asked for, on so many threads.
    fn run(&self, interrupt: Interrupt, jobs: usize, starter: &Starter) -> Played {
        let allowance = Allowance { deadline: self.deadline, work: None, interrupt };
        if let Choice::One(name) = self.settings.choice {
            let Some(engine) = self.settings.engine(name) else {
                let what = format!("there is no engine {name}");
                return (EngineName::new(name), Verdict::Unknown(Reason::Unsupported { what }));
            };
            let reached = self.board.enter(engine.row(), Some(&self.goal));
            let (system, property) = (&*self.system, self.property);
            let mut call =
                CircuitCall { system, property, allowance, settings: &self.settings, reached };
            return (EngineName::new(name), engine.circuit(&mut call));
        }
        match jobs {
            0 | 1 => turns::decide(self, &allowance),
            _ => team::decide(self, jobs, &allowance, starter),
        }
    }
}

impl Goals<'_> {
    fn errand(&self, property: usize, setup: Setup<'_>) -> Errand {
        let mut settings = setup.settings.clone();
        if self.common.swept {
            settings.ic3.preprocessing = Preprocessing::Cone;
        }
        Errand {
            system: self.common.system.clone(),
            property,
            settings,
            deadline: setup.budget.allowance.deadline,
            board: self.board.clone(),
            goal: self.design.name(property),
            known: self.common.known.clone(),
        }
    }

    fn jobs(&self) -> usize {
        let jobs = self.setup.settings.jobs.unwrap_or(1);
        match self.setup.settings.choice {
            Choice::Portfolio => jobs.max(PORTFOLIO),
            _ => jobs,
        }
    }

    /// A goal that has everything for itself.
    fn single(
        &mut self,
        property: usize,
        setup: Setup<'_>,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let interrupt = setup.budget.allowance.interrupt.clone();
        let errand = self.errand(property, setup);
        let played = errand.run(interrupt, self.jobs(), setup.starter);
        self.found(property, played, listener)
    }

    /// One goal after the other, each with its share of the time that is left.
    fn one_by_one(&mut self, listener: &mut dyn Listener) -> Result<(), Failure> {
        let count = self.answers.len();
        for property in 0..count {
            if self.answers[property].is_some() {
                continue;
            }
            let open = (count - property) as u32;
            let share = self.setup.budget.allowance.left().map(|left| left / open);
            let within = share.map(|share| self.setup.budget.within(share));
            let budget = within.as_ref().unwrap_or(self.setup.budget);
            self.single(property, Setup { budget, ..self.setup }, listener)?;
        }
        Ok(())
    }

    /// All goals in turns.
    fn in_turns(&mut self, listener: &mut dyn Listener) -> Result<(), Failure> {
        // What k-induction proves can't be carried back over a sweep.
        if !matches!(self.setup.settings.choice, Choice::One(_)) {
            let (system, allowance) = (&self.design.system, &self.setup.budget.allowance);
            self.common = Common::of(system, &self.setup.settings.ic3, allowance);
        }
        self.pass_on();
        let mut waiting = self.order();
        waiting.retain(|property| self.answers[*property].is_none());
        let mut patience = ROUNDS;
        while !waiting.is_empty() && self.setup.budget.allowance.exhausted().is_none() {
            let window: Vec<usize> = waiting.drain(..waiting.len().min(WINDOW)).collect();
            let rounds = if waiting.is_empty() { usize::MAX } else { patience };
            let open = self.play(&window, rounds, listener)?;
            waiting.extend(open);
            waiting.retain(|property| self.answers[*property].is_none());
            patience *= 2;
        }
        Ok(())
    }

    /// The goals, those that depend on little first: they are likely to be decided soon.
    fn order(&self) -> VecDeque<usize> {
        let mut goals: Vec<usize> = (0..self.answers.len()).collect();
        if goals.len() <= WINDOW {
            goals.sort_by_key(|property| cone_size(&self.common.system, &[*property]));
        }
        goals.into()
    }

    /// Lets some goals take turns, for so many rounds without an answer at most; those still open.
    fn play(
        &mut self,
        window: &[usize],
        rounds: usize,
        listener: &mut dyn Listener,
    ) -> Result<Vec<usize>, Failure> {
        let interrupt = Interrupt::new();
        let setup = self.setup;
        let player = |&property: &usize| -> Traveller<(usize, Played)> {
            let (errand, starter) = (self.errand(property, setup), setup.starter.clone());
            let work: Work<(usize, Played)> =
                Box::new(move |interrupt| (property, errand.run(interrupt, 1, &starter)));
            let name = EngineName::new("ic3");
            let excuse = Box::new(move || {
                let memory = Verdict::Unknown(Reason::Stopped(Exhausted::Memory));
                (property, (EngineName::new("ic3"), memory))
            });
            let runner = Runner::new(name, LOOKS, &interrupt, setup.starter, work, excuse);
            Box::new(runner.shallow())
        };
        let players = window.iter().map(player).collect();
        let mut schedule = Schedule::start(players, self.jobs(), setup.starter);
        let mut quiet = 0;
        while quiet < rounds && window.iter().any(|property| self.answers[*property].is_none()) {
            match schedule.next(WATCH) {
                Next::Over => break,
                Next::Found(Found { answer: (property, played), .. }) => {
                    quiet = 0;
                    if self.answers[property].is_none() {
                        self.found(property, played, listener)?;
                    }
                }
                Next::Quiet => {
                    quiet += 1;
                    listener.waiting();
                }
            }
            if setup.budget.allowance.exhausted().is_some() {
                break;
            }
        }
        interrupt.raise();
        listener.resumed();
        Ok(window.iter().copied().filter(|property| self.answers[*property].is_none()).collect())
    }

    /// An engine has ended on a goal: checks its evidence, answers the goal, and tries the others.
    fn found(
        &mut self,
        property: usize,
        (engine, verdict): Played,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let name = self.design.name(property);
        let ended = match &verdict {
            Verdict::Safe(_) => Ended::Safe,
            Verdict::Unsafe(trace) => Ended::Unsafe { steps: trace.inputs.len() },
            Verdict::Unknown(reason) => Ended::Unknown(reason.clone()),
        };
        let seconds = self.setup.budget.elapsed();
        let figures = self.board.ended(&engine, Some(&name), ended.clone());
        let (goal, ended) = (Some(name.as_str()), &ended);
        listener.note(&Note::Ended { engine: &engine, goal, ended, figures, seconds });
        if let Verdict::Safe(Proof::Inductive(clauses)) = &verdict {
            self.common.known.add(clauses);
        }
        let verdict = self.common.carry_back(verdict);
        self.answer(property, &engine, &verdict, listener)?;
        share::among(self, &engine, &verdict, listener)
    }

    /// Answers a goal, if the evidence is accepted.
    fn answer(
        &mut self,
        property: usize,
        engine: &EngineName,
        verdict: &Verdict,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let solving = self.setup.budget.elapsed();
        let finding = self.accepted(property, engine, verdict)?;
        let goal = Goal::Bad { number: property, name: self.design.name(property) };
        let decided = !matches!(finding, Finding::Unknown(_));
        let mut answer = Answer::new(goal, finding);
        answer.solving = solving;
        if decided {
            answer.engine = Some(engine.clone());
            answer.check =
                self.setup.settings.certify.then(|| self.setup.budget.elapsed() - solving);
        }
        listener.answered(&answer);
        self.answers[property] = Some(answer);
        Ok(())
    }

    /// What counts of a verdict.
    fn accepted(
        &self,
        property: usize,
        engine: &EngineName,
        verdict: &Verdict,
    ) -> Result<Finding, Failure> {
        let Setup { settings, budget, .. } = self.setup;
        if let Verdict::Unknown(reason) = verdict {
            let ended = budget.ended().map(Reason::Stopped);
            return Ok(Finding::Unknown(ended.unwrap_or_else(|| reason.clone())));
        }
        if settings.certify {
            match check_circuit(&self.design.system, property, verdict, &budget.allowance) {
                Ok(()) => {}
                Err(Rejection::Stopped(what)) => {
                    let what = budget.ended().unwrap_or(what);
                    return Ok(Finding::Unknown(Reason::Unchecked(what)));
                }
                Err(rejection) => {
                    let who = format!("{engine}, property b{property}");
                    return Err(Failure::defect(who, rejection));
                }
            }
        }
        Ok(match verdict.clone() {
            Verdict::Unsafe(trace) => Finding::Unsafe(Violation::Circuit(trace)),
            Verdict::Safe(Proof::Inductive(clauses)) => Finding::Safe(Proved {
                size: Some(clauses.len()),
                invariant: Some(Held::Latches(clauses)),
                ..Proved::of_kind(ProofKind::Inductive)
            }),
            Verdict::Safe(Proof::KInductive { k, .. }) => {
                Finding::Safe(Proved { k: Some(k), ..Proved::of_kind(ProofKind::KInductive) })
            }
            Verdict::Unknown(reason) => Finding::Unknown(reason),
        })
    }
}
