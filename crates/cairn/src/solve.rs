//! `cairn solve`: the solver layer as a tool of its own.

use crate::exit::Exit;
use crate::limits::{LastResort, Watch};
use crate::options::{Solve, SolverName};
use crate::output::{complain, print};
use icp::Icp;
use sat::cadical::{Cadical, Preset};
use sat::cone::ConeSolver;
use smt::script::{Session, Step};
use smt::{Allowance, Answer, Auto, BitBlast, Error, Process, Solver, Z3, native};
use std::io::{self, Read};
use std::time::{Duration, Instant};
use term::Pool;
use term::smtlib::{self, Command};
use verify::{Budget, Limits};

/// Runs the script and prints its answers.
pub fn run(arguments: &Solve) -> Exit {
    let time = arguments.time_limit.map(Duration::from_secs_f64);
    let watch = Watch::start(&Limits { time, ..Limits::default() });
    let budget = Budget::start(&watch.limits());
    let last_resort = LastResort::beyond(&watch, |_| "unknown".to_owned(), Exit::Unknown);
    let name = arguments.file.display().to_string();
    let text = match read(arguments) {
        Ok(text) => text,
        Err(error) => {
            complain(&format!("{name}: {error}"));
            return Exit::Input;
        }
    };
    let pool = Pool::new();
    let script = match smtlib::parse(&pool, &text) {
        Ok(script) => script,
        Err(error) => {
            complain(&format!("{name}:{}: error: {}", error.place, error.message));
            complain(&format!("  help: {}", error.help));
            return Exit::Input;
        }
    };
    drop(text);
    let deadline = budget.allowance.deadline;
    let solver = arguments.solver;
    let mut session = Session::new(&pool, Box::new(move || make(solver, deadline)));
    let mut out = |line: &str| last_resort.answer(|| print(line));
    for located in &script.commands {
        if is_check(&located.command) {
            last_resort.ask();
        }
        match execute(&mut session, &located.command, arguments.model, &mut out) {
            Ok(Step::Continue) => {}
            Ok(Step::Exit) => break,
            Err(error) => {
                complain(&format!("{name}:{}: error: {error}", located.place));
                return match error {
                    Error::Unsupported { .. } => Exit::Input,
                    Error::WrongModel { .. } | Error::External { .. } => Exit::Internal,
                };
            }
        }
    }
    if arguments.stats {
        let statistics = session.solver().statistics();
        complain(&format!(
            "solver {}, {} queries, {} conflicts, {} lemmas, {} terms, {:.3} s",
            session.solver().name(),
            statistics.queries,
            statistics.conflicts,
            statistics.lemmas,
            pool.len(),
            budget.elapsed()
        ));
    }
    Exit::Success
}

fn is_check(command: &Command) -> bool {
    matches!(command, Command::CheckSat | Command::CheckSatAssuming(_))
}

fn execute(
    session: &mut Session<'_>,
    command: &Command,
    model: bool,
    out: &mut dyn FnMut(&str),
) -> Result<Step, Error> {
    let step = session.execute(command, out)?;
    if model && is_check(command) && session.last_answer() == Some(&Answer::Sat) {
        session.get_model(out)?;
    }
    Ok(step)
}

fn read(arguments: &Solve) -> io::Result<Vec<u8>> {
    if arguments.file.as_os_str() == "-" {
        let mut text = Vec::new();
        io::stdin().read_to_end(&mut text)?;
        return Ok(text);
    }
    std::fs::read(&arguments.file)
}

fn make(name: SolverName, deadline: Option<Instant>) -> Box<dyn Solver> {
    let mut solver: Box<dyn Solver> = match name {
        SolverName::Auto => Box::new(Auto::new()),
        SolverName::Native => Box::new(native()),
        SolverName::Cone => Box::new(BitBlast::new(ConeSolver::new())),
        SolverName::Cadical => Box::new(BitBlast::new(Cadical::new(Preset::Standard))),
        SolverName::Icp => Box::new(Icp::new()),
        SolverName::Z3 => Box::new(Z3::new()),
        SolverName::Bitwuzla => Box::new(Process::bitwuzla()),
        SolverName::Cvc5 => Box::new(Process::cvc5()),
    };
    solver.set_allowance(Allowance { deadline, ..Allowance::default() });
    solver
}
