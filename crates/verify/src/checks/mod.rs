//! Every check of a program by itself: a table with an answer for each.
//!
//! A check is a property at a place ([`program::checks`]). A run violates the first check that it fails
//! and says nothing of what would come later, so each check has an answer whatever the others have.
//!
//! All checks are asked about together first, which costs what the hardest of them costs. A run that is
//! found shows one that fails (symbolic execution shows more at once); that check becomes an assumption,
//! and the rest is asked about again. If nobody answers for all of them, those that need a model of
//! which objects live are asked about apart from those that do not, and then each by itself: what was
//! too hard together need not be.
//!
//! At the end it is asked of what holds whether a run comes there at all ([`reached`]).

pub(crate) mod ends;
mod reached;

use crate::budget::Budget;
use crate::code::{Decider, Setup};
use crate::failure::Failure;
use crate::listener::Listener;
use crate::outcome::{Answer, Checked, Finding, Goal, Status, Violation};
use crate::question::Goals;
use crate::record::Record;
use crate::task::Code;
use answer::Reason;
use program::checks::{Asked, Check, Found, checks, restricted};
use program::counterexample::Counterexample;
use program::{Program, Property};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::time::Duration;

/// What part of the time all checks together have, if they are not answered before.
const TOGETHER: f64 = 0.5;
/// How long that may take where there is no limit.
const PATIENCE: Duration = Duration::from_secs(60);
/// The least time for a question.
const LEAST: Duration = Duration::from_millis(200);
/// Once a check is known to fail, the rest may take so many times as long as that took, and at least so
/// many seconds.
const AFTER_VIOLATION: (f64, f64) = (4.0, 10.0);
/// What is asked after the answers may take this part of the time that they took, with the least and the
/// most.
const AFTERWARDS: f64 = 0.5;
const AFTERWARDS_TIME: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));

/// An answer for each check of a program, and the evidence for them.
pub(crate) fn decide(
    code: &Code,
    setup: Setup<'_>,
    record: &mut Record,
    listener: &mut dyn Listener,
) -> Result<(Vec<Answer>, Vec<Checked>), Failure> {
    let mut asking = Asking::new(&code.program, &code.properties, setup, record);
    asking.ask_all(listener)?;
    reached::tell_apart(&mut asking, listener)?;
    Ok(asking.answers())
}

/// The time for what is asked after the answers.
fn afterwards(budget: &Budget) -> Budget {
    let spent = Duration::from_secs_f64(AFTERWARDS * budget.elapsed());
    let (least, most) = AFTERWARDS_TIME;
    let half = budget.allowance.left().map_or(most, |left| left / 2);
    budget.within(spent.clamp(least, most).min(half))
}

/// A check on its way to an answer.
struct Row {
    found: Found,
    status: Option<Status>,
    /// The number of the answer that has the evidence.
    answer: Option<usize>,
    /// Why it is open.
    reason: Reason,
}

/// All checks on their way.
struct Asking<'a, 'l> {
    program: &'a Program,
    properties: &'a BTreeSet<Property>,
    setup: Setup<'a>,
    record: &'l mut Record,
    rows: Vec<Row>,
    answers: Vec<Answer>,
    /// When the first violation was known, in seconds.
    violated: Option<f64>,
}

impl<'a, 'l> Asking<'a, 'l> {
    fn new(
        program: &'a Program,
        properties: &'a BTreeSet<Property>,
        setup: Setup<'a>,
        record: &'l mut Record,
    ) -> Self {
        let found = checks(program, properties).into_iter();
        let rows = found.filter(|found| is_wanted(&setup.settings.goals, found)).map(|found| Row {
            found,
            status: None,
            answer: None,
            reason: Reason::NoEngine,
        });
        let rows = rows.collect();
        Asking { program, properties, setup, record, rows, answers: Vec::new(), violated: None }
    }

    /// All together, in groups, one by one.
    fn ask_all(&mut self, listener: &mut dyn Listener) -> Result<(), Failure> {
        self.together(listener)?;
        for group in self.groups() {
            self.rounds(&group, self.share(1, 2), listener)?;
        }
        self.each(listener)
    }

    /// The checks that are open.
    fn open(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|row| self.rows[*row].status.is_none()).collect()
    }

    /// Whether nothing more is to be asked.
    fn is_over(&self) -> bool {
        let stops = matches!(self.setup.settings.goals, Goals::Each { stop: true, .. });
        let budget = self.setup.budget;
        let late = self.left().is_some_and(|left| left.is_zero());
        self.violated.is_some() && stops || budget.is_interrupted() || late
    }

    /// The time that is left: to the limit, or until the rest has cost enough.
    fn left(&self) -> Option<Duration> {
        let left = self.setup.budget.allowance.left();
        let Some(violated) = self.violated else { return left };
        let (times, least) = AFTER_VIOLATION;
        let until = (times * violated).max(violated + least);
        let patience = Duration::from_secs_f64((until - self.setup.budget.elapsed()).max(0.0));
        Some(left.map_or(patience, |left| left.min(patience)))
    }

    /// A part of the time that is left.
    fn share(&self, parts: u32, of: u32) -> Option<Duration> {
        self.left().map(|left| (left * parts / of).max(LEAST))
    }

    /// All checks at once.
    fn together(&mut self, listener: &mut dyn Listener) -> Result<(), Failure> {
        let share = self.left().map_or(PATIENCE, |left| left.mul_f64(TOGETHER));
        let all = self.open();
        self.rounds(&all, (all.len() > 1).then_some(share), listener)
    }

    /// What is open in groups, the easier ones first: what needs no model of which objects live, what
    /// needs one, and what looks at where objects lie.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups = vec![Vec::new(); 3];
        for row in self.open() {
            let number = match self.rows[row].found.check.property {
                Property::Pointer | Property::Free => 1,
                Property::Overlap => 2,
                _ => 0,
            };
            groups[number].push(row);
        }
        groups.retain(|group| !group.is_empty());
        if groups.len() > 1 { groups } else { Vec::new() }
    }

    /// What is open one by one; those that nobody would expect to fail are one question.
    fn each(&mut self, listener: &mut dyn Listener) -> Result<(), Failure> {
        let (plain, other): (Vec<usize>, Vec<usize>) =
            self.open().into_iter().partition(|row| self.rows[*row].found.plain);
        let mut questions: Vec<Vec<usize>> = other.into_iter().map(|row| vec![row]).collect();
        questions.push(plain);
        questions.retain(|question| !question.is_empty());
        // The last question was about all of them.
        if questions.len() < 2 && self.asked_alone(&questions) {
            return Ok(());
        }
        for (number, question) in questions.iter().enumerate() {
            let left = (questions.len() - number) as u32;
            self.rounds(question, self.share(1, left), listener)?;
        }
        Ok(())
    }

    /// Whether these checks were all that was asked from the beginning.
    fn asked_alone(&self, questions: &[Vec<usize>]) -> bool {
        questions.iter().map(Vec::len).sum::<usize>() == self.rows.len()
    }

    /// Asks about some checks until all that fail are known and there is a proof for the others, or
    /// the time is up.
    fn rounds(
        &mut self,
        rows: &[usize],
        share: Option<Duration>,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let within = share.map(|share| self.setup.budget.within(share));
        let budget = within.as_ref().unwrap_or(self.setup.budget);
        loop {
            let open: Vec<usize> =
                rows.iter().copied().filter(|row| self.rows[*row].status.is_none()).collect();
            if open.is_empty() || self.is_over() {
                return Ok(());
            }
            let before = self.answers.len();
            self.ask(&open, budget, share.is_some(), listener)?;
            if self.answers.len() == before {
                return Ok(());
            }
        }
    }

    /// Asks about some checks once.
    fn ask(
        &mut self,
        open: &[usize],
        budget: &Budget,
        awaited: bool,
        listener: &mut dyn Listener,
    ) -> Result<(), Failure> {
        let whole = open.len() == self.rows.len() && self.is_everything();
        let restricted = (!whole).then(|| self.restricted(open));
        let program = restricted.as_ref().unwrap_or(self.program);
        let properties: BTreeSet<Property> = match whole {
            true => self.properties.clone(),
            false => open.iter().map(|row| self.rows[*row].found.check.property).collect(),
        };
        let setup = Setup { budget, ..self.setup };
        let decider = Decider::new(setup, program, &properties, self.record).awaited(awaited);
        let decided = decider.decide(listener)?;
        match decided.finding {
            Finding::Unknown(reason) => {
                open.iter().for_each(|row| self.rows[*row].reason = reason.clone());
            }
            Finding::Safe(mut proved) => {
                if !whole {
                    // Its terms are of the restricted program.
                    proved.invariant = None;
                }
                let names = properties.iter().map(|property| property.name()).collect();
                let mut answer = Answer::new(Goal::Properties(names), Finding::Safe(proved));
                (answer.engine, answer.vacuity) = (decided.engine, decided.vacuity);
                (answer.solving, answer.check) = (decided.solving, decided.check);
                let number = self.answers.len();
                for row in open {
                    self.rows[*row].status = Some(Status::Safe);
                    self.rows[*row].answer = Some(number);
                }
                self.answers.push(answer);
            }
            Finding::Unsafe(violation) => {
                let others = decided.others.into_iter();
                let others =
                    others.map(|run| Violation::Program { run: Box::new(run), matter: None });
                for violation in [violation].into_iter().chain(others) {
                    let mut answer =
                        Answer::new(Goal::Properties(Vec::new()), Finding::Unsafe(violation));
                    (answer.solving, answer.check) = (decided.solving, decided.check);
                    answer.engine.clone_from(&decided.engine);
                    self.violation(answer, listener);
                }
            }
        }
        Ok(())
    }

    /// Whether the table has all checks of the program, so that nothing needs to be left out.
    fn is_everything(&self) -> bool {
        matches!(self.setup.settings.goals, Goals::Each { only: None, .. } | Goals::Together)
    }

    /// The program of which only some checks are asked about.
    fn restricted(&self, open: &[usize]) -> Program {
        let only = open.iter().map(|row| self.rows[*row].found.check.clone());
        restricted(self.program, self.properties, Asked::Only(only.collect()))
    }

    /// A check fails.
    fn violation(&mut self, mut answer: Answer, listener: &mut dyn Listener) {
        let Finding::Unsafe(Violation::Program { run, .. }) = &answer.finding else { return };
        let row = self.row_of(run);
        if self.rows[row].status.is_some() {
            return;
        }
        answer.goal = Goal::Check(self.rows[row].found.check.clone());
        listener.answered(&answer);
        self.violated.get_or_insert(self.setup.budget.elapsed());
        self.rows[row].status = Some(Status::Unsafe);
        self.rows[row].answer = Some(self.answers.len());
        self.answers.push(answer);
    }

    /// No run comes to some checks that hold.
    fn mark_unreachable(&mut self, checks: &FxHashSet<Check>) {
        let holding = self.rows.iter_mut().filter(|row| row.status == Some(Status::Safe));
        for row in holding.filter(|row| checks.contains(&row.found.check)) {
            row.status = Some(Status::Unreachable);
        }
    }

    /// The row of the check that a run fails; a new one if nobody had listed it.
    fn row_of(&mut self, run: &Counterexample) -> usize {
        let property = run.property.unwrap_or(Property::Reach);
        let check = Check { place: run.place.clone(), property };
        let known = self.rows.iter().position(|row| row.found.check == check);
        known.unwrap_or_else(|| {
            let found = Found { check, function: run.function.clone(), plain: false };
            let reason = Reason::NoEngine;
            self.rows.push(Row { found, status: None, answer: None, reason });
            self.rows.len() - 1
        })
    }

    /// The table, with the evidence: what fails first, then what is open, then what holds.
    fn answers(mut self) -> (Vec<Answer>, Vec<Checked>) {
        let open = self.open();
        if let Some(&row) = open.first() {
            let names: BTreeSet<&str> =
                open.iter().map(|row| self.rows[*row].found.check.property.name()).collect();
            let reason = self.rows[row].reason.clone();
            let goal = Goal::Properties(names.into_iter().collect());
            open.iter().for_each(|row| self.rows[*row].answer = Some(self.answers.len()));
            self.answers.push(Answer::new(goal, Finding::Unknown(reason)));
        }
        if self.rows.is_empty() && self.answers.is_empty() {
            let names = self.properties.iter().map(|property| property.name()).collect();
            let nothing = crate::outcome::Proved::of_kind(answer::ProofKind::Inductive);
            let mut answer = Answer::new(Goal::Properties(names), Finding::Safe(nothing));
            answer.vacuity = Some(answer::Vacuity::NoCheck);
            self.answers.push(answer);
        }
        let mut table: Vec<Checked> = self.rows.into_iter().map(Row::told).collect();
        table.sort_by(|a, b| (a.status.rank(), &a.check).cmp(&(b.status.rank(), &b.check)));
        (self.answers, table)
    }
}

impl Row {
    fn told(self) -> Checked {
        let status = self.status.unwrap_or(Status::Unknown(self.reason));
        let Found { check, function, plain } = self.found;
        Checked { check, function, plain, status, answer: self.answer }
    }
}

/// Whether a check is among those that are asked for.
fn is_wanted(goals: &Goals, found: &Found) -> bool {
    match goals {
        Goals::Each { only: Some(text), .. } => {
            let Found { check, function, .. } = found;
            let line = format!("{} {} {function}", check.place, check.property);
            line.contains(text.as_str())
        }
        _ => true,
    }
}
