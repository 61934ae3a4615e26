//! Dead code: for each block of the program, whether a run comes to it [Sch §I].
//!
//! Each place is a question of its own ([`mod@goals`]): a check that always fails stands there, and the
//! program is checked as for any other property. If it is safe, the place is dead, by a proof that was
//! accepted; if it is unsafe, the run that was replayed comes there. Before engines are asked, random
//! tests show what is easily reached; and what lies behind dead code is dead by the same proof. Functions
//! that nothing refers to are dead as the program is written.
//!
//! The whole is unsafe if some code is dead, and safe if all of it is reached.

mod goals;

use super::testing::{STEPS, Values};
use super::{Decision, Record, Run, Subject, record};
use crate::exit::Exit;
use crate::limits::{Budget, LastResort};
use crate::options::{Check, Format};
use answer::Allowance;
use front_c::lower::Unused;
use goals::{Goal, State, Visited, goals, is_of_user, mark_behind_dead};
use program::Property;
use program::interpret::{Interpreter, Limits, Step};
use program::program::{Assumption, Program};
use report::result::{Answer, Place, Verdict};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How much of the time random tests may take, and how long at most.
const TEST_SHARE: f64 = 0.1;
const TEST_TIME: Duration = Duration::from_secs(2);
/// How many of them in a row may show nothing new.
const IDLE_TESTS: u64 = 200;
/// The least time for a question.
const LEAST: Duration = Duration::from_millis(200);

/// Asks for each place of the program, and reports.
pub fn check(
    files: &[PathBuf],
    arguments: &Check,
    mut subject: Subject,
    budget: &Budget,
    last_resort: &LastResort,
) -> Exit {
    let mut goals = goals(&subject.program, files);
    test(&subject.program, arguments.seed, budget, &mut goals);
    let questions = Questions::new(arguments);
    let assumptions = match questions.ask_all(&mut subject, budget, &mut goals) {
        Ok(assumptions) => assumptions,
        Err(exit) => return exit,
    };
    let unused = std::mem::take(&mut subject.unused).into_iter();
    let mut unused: Vec<Unused> =
        unused.filter(|unused| is_of_user(files, &unused.place)).collect();
    unused.sort_by(|a, b| a.place.cmp(&b.place));
    let report = Report { goals: &goals, unused: &unused, program: &subject.program };
    let (verdict, exit) = report.verdict();
    let text = match arguments.format {
        Format::Text => {
            if arguments.talks() {
                report.print();
            }
            format!("verdict: {verdict}")
        }
        Format::Json => {
            let mut document = record::blank(files, arguments);
            document.answers = report.answers();
            document.verdict = match exit {
                Exit::Success => Verdict::Safe,
                Exit::Unsafe => Verdict::Unsafe,
                _ => Verdict::Unknown,
            };
            document.reason = report.reason();
            document.assumptions = assumptions.iter().map(assumption).collect();
            document.undefined =
                subject.program.undefined.iter().map(|name| name.to_string()).collect();
            document.statistics.seconds = budget.elapsed();
            document.json()
        }
    };
    last_resort.answer(|| println!("{text}"));
    // Engines that are still at work end with the process.
    std::process::exit(i32::from(exit.code()));
}

fn assumption(assumption: &Assumption) -> report::result::Assumption {
    let place = Place::known(&assumption.place);
    report::result::Assumption { text: assumption.text.clone(), place }
}

/// Random tests show which places are easily reached.
fn test(program: &Program, seed: u64, budget: &Budget, goals: &mut [Goal]) {
    let Ok(interpreter) = Interpreter::new(program) else { return };
    let end = Instant::now() + budget.share(TEST_SHARE, TEST_TIME);
    let allowance = Allowance::default().until(end);
    let limits = Limits { steps: STEPS, allowance, ..Limits::default() };
    let interpreter = interpreter.with_properties([]).with_limits(limits);
    let open = |goals: &[Goal]| goals.iter().filter(|goal| goal.state == State::Open).count();
    let (mut idle, mut number) = (0, 0);
    while idle < IDLE_TESTS && Instant::now() < end && open(goals) > 0 {
        let before = open(goals);
        let (values, mut visited) = (Values::new(number, seed), Visited::default());
        let mut watch = |step: &Step<'_>| visited.step(program, step);
        interpreter.watch(&mut values.clone(), &mut watch);
        if values.are_possible() {
            visited.mark(goals);
        }
        number += 1;
        idle = if open(goals) < before { 0 } else { idle + 1 };
    }
}

/// How questions are asked.
struct Questions {
    arguments: Check,
}

impl Questions {
    /// As the user wants, without what is made of a single verdict.
    fn new(arguments: &Check) -> Questions {
        let mut arguments = arguments.clone();
        arguments.quiet |= arguments.format == Format::Json;
        arguments.format = Format::Text;
        (arguments.witness, arguments.harness) = (None, None);
        Questions { arguments }
    }

    /// Asks for all places that are open; answers what was assumed on the way.
    fn ask_all(
        &self,
        subject: &mut Subject,
        budget: &Budget,
        goals: &mut [Goal],
    ) -> Result<Vec<Assumption>, Exit> {
        let mut assumptions = Vec::new();
        for n in 0..goals.len() {
            if goals[n].state != State::Open {
                continue;
            }
            let open = goals[n..].iter().filter(|goal| goal.state == State::Open).count();
            let left = budget.allowance.left();
            let share = left.map(|left| (left / open as u32).max(LEAST));
            let within = share.map(|share| budget.within(share));
            let Some(before) = goals[n].ask(&mut subject.program) else { continue };
            let record = Record { assumptions, ..Record::default() };
            let mut run =
                Run::new(&self.arguments, within.as_ref().unwrap_or(budget), subject, record);
            let decision = run.decide();
            let record = run.finish();
            assumptions = record.assumptions;
            goals[n].withdraw(&mut subject.program, before);
            goals[n].state = match decision? {
                Decision::Unsafe(_) => State::Reached,
                Decision::Unknown(why) => State::Unknown(why),
                Decision::Safe(_) => State::Dead(record.engine),
            };
            if matches!(goals[n].state, State::Dead(_)) {
                mark_behind_dead(&subject.program, goals[n].function, goals);
            }
        }
        Ok(assumptions)
    }
}

/// What is known in the end.
struct Report<'a> {
    goals: &'a [Goal],
    /// Functions that nothing refers to.
    unused: &'a [Unused],
    program: &'a Program,
}

impl Report<'_> {
    fn count(&self, wanted: impl Fn(&State) -> bool) -> usize {
        self.goals.iter().filter(|goal| wanted(&goal.state)).count()
    }

    fn dead(&self) -> usize {
        let found = self.count(|state| matches!(state, State::Dead(_) | State::BehindDead));
        found + self.unused.len()
    }

    fn open(&self) -> usize {
        self.count(|state| matches!(state, State::Open | State::Unknown(_)))
    }

    fn reason(&self) -> Option<String> {
        let open = self.open();
        let places = if open == 1 { "place is" } else { "places are" };
        (self.dead() == 0 && open > 0).then(|| format!("{open} {places} open"))
    }

    fn verdict(&self) -> (String, Exit) {
        match self.reason() {
            Some(reason) => (format!("unknown ({reason})"), Exit::Unknown),
            None if self.dead() > 0 => ("unsafe".to_owned(), Exit::Unsafe),
            None => ("safe".to_owned(), Exit::Success),
        }
    }

    /// What is dead at a goal: code, or a whole function.
    fn what(&self, goal: &Goal) -> String {
        let function = &self.program.functions[goal.function];
        match goal.place == function.place {
            true => never_entered(&function.name),
            false => format!("no run comes here (in function '{}')", function.name),
        }
    }

    fn print(&self) {
        for goal in self.goals {
            match &goal.state {
                State::Dead(_) => println!("{}: dead code: {}", goal.place, self.what(goal)),
                State::Unknown(why) => println!("{}: open: {why}", goal.place),
                State::Open | State::Reached | State::BehindDead => {}
            }
        }
        for unused in self.unused {
            println!("{}: dead code: {}", unused.place, never_entered(&unused.name));
        }
        println!(
            "{} places: {} reached, {} dead, {} open",
            self.goals.len() + self.unused.len(),
            self.count(|state| *state == State::Reached),
            self.dead(),
            self.open()
        );
    }

    fn answers(&self) -> Vec<Answer> {
        let blank = |place: &program::place::Place| Answer {
            property: format!("{} {place}", Property::DeadCode.name()),
            verdict: Verdict::Unknown,
            reason: None,
            engine: None,
            proof: None,
            run: None,
            check: None,
        };
        let answer = |goal: &Goal| {
            let mut answer = blank(&goal.place);
            match &goal.state {
                State::Reached => answer.verdict = Verdict::Safe,
                State::Dead(engine) => {
                    answer.verdict = Verdict::Unsafe;
                    answer.engine = engine.map(str::to_owned);
                    answer.reason = Some(self.what(goal));
                }
                State::BehindDead => {
                    answer.verdict = Verdict::Unsafe;
                    answer.reason = Some("all ways here lead over dead code".to_owned());
                }
                State::Unknown(why) => answer.reason = Some(why.clone()),
                State::Open => {}
            }
            answer
        };
        let unused = self.unused.iter().map(|unused| Answer {
            verdict: Verdict::Unsafe,
            reason: Some(never_entered(&unused.name)),
            ..blank(&unused.place)
        });
        self.goals.iter().map(answer).chain(unused).collect()
    }
}

fn never_entered(function: &str) -> String {
    format!("function '{function}' is never entered")
}
