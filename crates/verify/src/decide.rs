//! The one door: a question in, an outcome out.

use crate::board::Board;
use crate::budget::Budget;
use crate::code::{Decider, Setup};
use crate::failure::Failure;
use crate::listener::Listener;
use crate::outcome::{Answer, Finding, Goal, Outcome};
use crate::question::{Goals, Question};
use crate::record::Record;
use crate::schedule::Workers;
use crate::task::{Code, Subject};
use crate::{checks, clauses, dead, design};
use program::Property;

/// Decides a question. Every thread that was started has ended when this returns.
pub fn decide(question: &Question<'_>) -> Result<Outcome, Failure> {
    let outcome = decide_with(question, &Board::default(), &mut ())?;
    drop(outcome.workers);
    Ok(Outcome { workers: Workers::default(), ..outcome })
}

/// The same for those who want to hear of it meanwhile. Threads that have been told to end may still
/// be on their way; dropping the outcome waits for them.
pub fn decide_with(
    question: &Question<'_>,
    board: &Board,
    listener: &mut dyn Listener,
) -> Result<Outcome, Failure> {
    let budget = Budget::start(&question.limits);
    let workers = Workers::default();
    let setup = Setup { settings: &question.settings, budget: &budget, starter: workers.starter() };
    let mut record = Record { board: board.clone(), ..Record::default() };
    let mut table = Vec::new();
    let answers = match &question.task.subject {
        Subject::Circuit(circuit) => design::decide(circuit, setup, &mut record, listener)?,
        Subject::Clauses(system) => {
            vec![clauses::decide(system, setup, &mut record, listener)?]
        }
        Subject::Program(code) if code.properties.contains(&Property::DeadCode) => {
            dead::decide(question.task, code, setup, &mut record, listener)?
        }
        Subject::Program(code) if question.settings.goals != Goals::Together => {
            let answers;
            (answers, table) = checks::decide(code, setup, &mut record, listener)?;
            answers
        }
        Subject::Program(code) => vec![whole(code, setup, &mut record, listener)?],
    };
    let proved = |answer: &Answer| {
        let about_runs = !matches!(answer.goal, Goal::Place { .. });
        about_runs && matches!(answer.finding, Finding::Safe(_))
    };
    if let (Subject::Program(code), true) = (&question.task.subject, answers.iter().all(proved)) {
        checks::ends::note(code, &question.task.reading, setup, &mut record, listener)?;
    }
    let Record { assumptions, board, learned } = record;
    let seconds = budget.elapsed();
    Ok(Outcome { answers, checks: table, assumptions, seconds, learned, board, workers })
}

/// All properties of a program together.
fn whole(
    code: &Code,
    setup: Setup<'_>,
    record: &mut Record,
    listener: &mut dyn Listener,
) -> Result<Answer, Failure> {
    let names = code.properties.iter().map(|property| property.name()).collect();
    let decider = Decider::new(setup, &code.program, &code.properties, record);
    let decided = decider.decide(listener)?;
    let mut answer = Answer::new(Goal::Properties(names), decided.finding);
    (answer.engine, answer.vacuity) = (decided.engine, decided.vacuity);
    (answer.solving, answer.check) = (decided.solving, decided.check);
    listener.answered(&answer);
    Ok(answer)
}
