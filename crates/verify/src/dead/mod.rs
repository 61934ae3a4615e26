//! Dead code: for each block of the program, whether a run comes to it [Sch §I].
//!
//! Each place is a goal of its own ([`mod@goals`]): a check that always fails stands there, and the
//! program is decided as for any other property. If it is safe, the place is dead, by a proof that was
//! accepted; if it is unsafe, the run that was replayed comes there. Before engines are asked, random
//! tests show what is easily reached; and what lies behind dead code is dead by the same proof. Functions
//! that nothing refers to are dead as the program is written. The time that is left is shared among
//! the goals that are open.
//!
//! A goal's answer is `unsafe` if the place is dead, and `safe` if it is reached.

mod goals;

use crate::budget::Budget;
use crate::code::{Decider, Setup, TEST_STEPS, Values};
use crate::failure::Failure;
use crate::listener::Listener;
use crate::outcome::{Answer, Dead, Finding, Goal as Asked, Proved, Violation};
use crate::record::Record;
use crate::task::{Code, Task};
use answer::{ProofKind, Reason};
use goals::{Goal, State, Visited, goals, mark_behind_dead};
use program::Program;
use program::constants::constants;
use program::interpret::{Interpreter, Limits, Step};
use std::time::{Duration, Instant};

/// How much of the time random tests may take, and how long at most.
const TEST_SHARE: f64 = 0.1;
const TEST_TIME: Duration = Duration::from_secs(2);
/// How many of them in a row may show nothing new.
const IDLE_TESTS: u64 = 200;
/// The least time for a question.
const LEAST: Duration = Duration::from_millis(200);

/// Asks for each place of a program.
pub(crate) fn decide(
    task: &Task,
    code: &Code,
    setup: Setup<'_>,
    record: &mut Record,
    listener: &mut dyn Listener,
) -> Result<Vec<Answer>, Failure> {
    let mut program = code.program.clone();
    let mut goals = goals(task, &program);
    test(&program, setup.settings.seed, setup.budget, &mut goals);
    let mut told = vec![false; goals.len()];
    for number in 0..goals.len() {
        if goals[number].state == State::Open {
            ask(code, &mut program, number, &mut goals, setup, record, listener)?;
        }
        tell(&program, &goals[..=number], &mut told, listener);
    }
    let answers = goals.iter().map(|goal| answer(&program, goal));
    let unused = code.unused.iter().filter(|unused| task.is_of_user(&unused.place));
    let mut unused: Vec<Answer> = unused
        .map(|unused| {
            let (place, function) = (unused.place.clone(), unused.name.clone());
            let goal = Asked::Place { place, function, whole: true };
            Answer::new(goal, Finding::Unsafe(Violation::Dead(Dead::Unused)))
        })
        .collect();
    unused.sort_by(|a, b| place(a).cmp(&place(b)));
    unused.iter().for_each(|answer| listener.answered(answer));
    Ok(answers.chain(unused).collect())
}

fn place(answer: &Answer) -> Option<&program::Place> {
    match &answer.goal {
        Asked::Place { place, .. } => Some(place),
        _ => None,
    }
}

/// Gives the answers that have come to be known.
fn tell(program: &Program, goals: &[Goal], told: &mut [bool], listener: &mut dyn Listener) {
    for (goal, told) in goals.iter().zip(told) {
        if goal.state != State::Open && !std::mem::replace(told, true) {
            listener.answered(&answer(program, goal));
        }
    }
}

/// Random tests show which places are easily reached.
fn test(program: &Program, seed: u64, budget: &Budget, goals: &mut [Goal]) {
    let Ok(interpreter) = Interpreter::new(program) else { return };
    let time = budget.allowance.share(TEST_SHARE, TEST_TIME);
    let (end, allowance) = (Instant::now() + time, budget.allowance.within(time));
    let limits = Limits { steps: TEST_STEPS, allowance, ..Limits::default() };
    let interpreter = interpreter.with_properties([]).with_limits(limits);
    let open = |goals: &[Goal]| goals.iter().filter(|goal| goal.state == State::Open).count();
    let numbers = constants(program);
    let (mut idle, mut number) = (0, 0);
    while idle < IDLE_TESTS && Instant::now() < end && open(goals) > 0 {
        let before = open(goals);
        let values = Values::new(number, seed, numbers.clone());
        let mut visited = Visited::default();
        let mut watch = |step: &Step<'_>| visited.step(program, step);
        interpreter.watch(&mut values.clone(), &mut watch);
        if values.are_possible() {
            visited.mark(goals);
        }
        number += 1;
        idle = if open(goals) < before { 0 } else { idle + 1 };
    }
}

/// Decides one goal, with its share of the time.
fn ask(
    code: &Code,
    program: &mut Program,
    number: usize,
    goals: &mut [Goal],
    setup: Setup<'_>,
    record: &mut Record,
    listener: &mut dyn Listener,
) -> Result<(), Failure> {
    let open = goals[number..].iter().filter(|goal| goal.state == State::Open).count();
    let share = setup.budget.allowance.left().map(|left| (left / open as u32).max(LEAST));
    let within = share.map(|share| setup.budget.within(share));
    let budget = within.as_ref().unwrap_or(setup.budget);
    let Some(before) = goals[number].ask(program) else { return Ok(()) };
    let decider = Decider::new(Setup { budget, ..setup }, program, &code.properties, record);
    let decided = decider.decide(listener);
    goals[number].withdraw(program, before);
    let decided = decided?;
    goals[number].state = match decided.finding {
        Finding::Unsafe(_) => State::Reached,
        Finding::Unknown(reason) => State::Unknown(reason),
        Finding::Safe(_) => State::Dead(decided.engine),
    };
    if matches!(goals[number].state, State::Dead(_)) {
        mark_behind_dead(program, goals[number].function, goals);
    }
    Ok(())
}

/// What is known of a goal.
fn answer(program: &Program, goal: &Goal) -> Answer {
    let function = &program.functions[goal.function];
    let asked = Asked::Place {
        place: goal.place.clone(),
        function: function.name.clone(),
        whole: goal.place == function.place,
    };
    let dead = |how| Finding::Unsafe(Violation::Dead(how));
    let finding = match &goal.state {
        State::Reached => Finding::Safe(Proved::of_kind(ProofKind::Executed)),
        State::Dead(_) => dead(Dead::Proved),
        State::BehindDead => dead(Dead::Behind),
        State::Unknown(reason) => Finding::Unknown(reason.clone()),
        State::Open => Finding::Unknown(Reason::NoEngine),
    };
    let mut answer = Answer::new(asked, finding);
    if let State::Dead(engine) = &goal.state {
        answer.engine.clone_from(engine);
    }
    answer
}
