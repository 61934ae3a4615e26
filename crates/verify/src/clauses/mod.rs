//! Deciding Horn clauses: they are simplified, engines race on what is left, and what the first one
//! finds is taken back to the clauses as they were read and checked there.
//!
//! There is one goal, that the clauses can be satisfied; `safe` says that they can, by a model, and
//! `unsafe` that they can't, by a derivation of `false`.

use crate::accept::clauses as accept;
use crate::code::Setup;
use crate::engines::{ClausesCall, Engine, Takes};
use crate::failure::Failure;
use crate::listener::{Listener, Note, Size};
use crate::outcome::{Answer, Finding, Goal};
use crate::question::Choice;
use crate::record::Record;
use crate::schedule::baton::{Runner, Work};
use crate::schedule::{Courtesy, Found, Next, Schedule, Traveller};
use crate::task::Clauses;
use answer::{Allowance, Ended, EngineName, Exhausted, Interrupt, Reason};
use horn::simplify::{Simplified, simplify};
use horn::{System, Verdict};
use std::time::Duration;
use term::Pool;

/// How often the question's own interrupt is looked at.
const WATCH: Duration = Duration::from_millis(20);

/// How much less the work of engines counts that prove nothing, where there are others.
const POLITENESS: i32 = 5;

/// What is asked.
const GOAL: &str = "satisfiable";

/// What an engine answers: a verdict, and the pool its terms are of.
type Played = (Pool, Verdict);

/// Decides whether clauses can be satisfied.
pub(crate) fn decide(
    clauses: &Clauses,
    setup: Setup<'_>,
    record: &mut Record,
    listener: &mut dyn Listener,
) -> Result<Answer, Failure> {
    let Clauses { pool, system } = clauses;
    listener.note(&modelled(pool, system, setup, false));
    let simplified = simplify(pool, system, setup.settings.solvers, &setup.budget.allowance);
    listener.note(&modelled(pool, &simplified.system, setup, true));
    let mut reason = Reason::NoEngine;
    let interrupt = Interrupt::new();
    let players = players(pool, &simplified.system, setup, &interrupt, record);
    let jobs = setup.settings.jobs.unwrap_or(players.len().max(1));
    let mut schedule = Schedule::start(players, jobs, setup.starter);
    let mut answer = None;
    while answer.is_none() {
        match schedule.next(WATCH) {
            Next::Over => break,
            Next::Quiet => listener.waiting(),
            Next::Found(found) => {
                listener.resumed();
                note(&found, setup, record, listener);
                let held = interrupt.hold(Duration::from_secs(10));
                answer = judged(clauses, &simplified, setup, found, &mut reason)?;
                drop(held);
            }
        }
        if setup.budget.allowance.exhausted().is_some() {
            break;
        }
    }
    interrupt.raise();
    listener.resumed();
    let ended = setup.budget.ended().or_else(|| setup.budget.allowance.exhausted());
    let open = || {
        let reason = ended.map_or(reason, Reason::Stopped);
        Answer::new(Goal::Properties(vec![GOAL]), Finding::Unknown(reason))
    };
    let answer = answer.unwrap_or_else(open);
    listener.answered(&answer);
    Ok(answer)
}

/// Whether what an engine has found counts.
fn judged(
    clauses: &Clauses,
    simplified: &Simplified<'_>,
    setup: Setup<'_>,
    found: Found<Played>,
    reason: &mut Reason,
) -> Result<Option<Answer>, Failure> {
    let Found { player: engine, answer: (theirs, verdict) } = found;
    if let Verdict::Unknown(why) = verdict {
        *reason = why.of(&engine);
        return Ok(None);
    }
    let solving = setup.budget.elapsed();
    let finding = match accept::judge(clauses, simplified, setup, &engine, (&theirs, verdict))? {
        Finding::Unknown(why) => {
            *reason = why;
            return Ok(None);
        }
        finding => finding,
    };
    let mut answer = Answer::new(Goal::Properties(vec![GOAL]), finding);
    answer.engine = Some(engine);
    answer.solving = solving;
    answer.check = setup.settings.certify.then(|| setup.budget.elapsed() - solving);
    Ok(Some(answer))
}

/// What those who measure are told of clauses.
fn modelled(pool: &Pool, system: &System, setup: Setup<'_>, minimized: bool) -> Note<'static> {
    let used = |p: &usize| system.clauses.iter().any(|c| c.assumes(*p) || c.concludes(*p));
    let size = Size {
        locations: (0..system.predicates.len()).filter(used).count(),
        edges: system.clauses.len(),
        variables: system.clauses.iter().map(|clause| clause.variables(pool).len()).sum(),
    };
    let seconds = setup.budget.elapsed();
    match minimized {
        true => Note::Minimized { size, seconds },
        false => Note::Modelled { slice: false, size, seconds },
    }
}

fn note(found: &Found<Played>, setup: Setup<'_>, record: &Record, listener: &mut dyn Listener) {
    let ended = match &found.answer.1 {
        Verdict::Safe(_) => Ended::Safe,
        Verdict::Unsafe(refutation) => Ended::Unsafe { steps: refutation.steps.len() },
        Verdict::Unknown(reason) => Ended::Unknown(reason.clone()),
    };
    let (engine, seconds) = (&found.player, setup.budget.elapsed());
    let figures = record.board.ended(engine, None, ended.clone());
    listener.note(&Note::Ended { engine, goal: None, ended: &ended, figures, seconds });
}

/// The engines that are asked, each with clauses of its own.
fn players(
    pool: &Pool,
    system: &System,
    setup: Setup<'_>,
    interrupt: &Interrupt,
    record: &Record,
) -> Vec<Traveller<Played>> {
    let bits = system.is_linear() && system.is_of_bits(pool);
    let settings = setup.settings;
    let asked = |engine: &&&'static dyn Engine| match settings.choice {
        Choice::Auto | Choice::Portfolio => {
            engine.joins_clauses() && (bits || engine.row().takes != Takes::Automaton)
        }
        Choice::One(name) => engine.row().name == name && engine.takes_clauses(),
    };
    let engines: Vec<_> = settings.table.iter().filter(asked).copied().collect();
    let jobs = settings.jobs.unwrap_or(engines.len().max(1));
    let in_turns = jobs < engines.len();
    // What finds derivations only finds those of small height soon, and has what the others leave.
    let polite = Courtesy::default();
    polite.give_way(POLITENESS);
    let player = |engine: &'static dyn Engine| -> Traveller<Played> {
        let row = engine.row();
        let (theirs, system) = (pool.clone(), system.clone());
        let reached = record.board.enter(row, None);
        let (settings, deadline) = (settings.clone(), setup.budget.allowance.deadline);
        let polite = (!row.proves && !in_turns).then(|| polite.clone());
        let work: Work<Played> = Box::new(move |interrupt| {
            let visit = polite.as_ref().map(Courtesy::join);
            let call = ClausesCall {
                pool: &theirs,
                system: &system,
                allowance: Allowance { deadline, work: None, interrupt },
                settings: &settings,
                reached,
                in_turns,
            };
            let verdict = engine.clauses(&call);
            drop((call, visit));
            (theirs, verdict)
        });
        let name = EngineName::new(row.name);
        // There is no room for its stack.
        let excuse = || (Pool::new(), Verdict::Unknown(Reason::Stopped(Exhausted::Memory)));
        let excuse = Box::new(excuse);
        Box::new(Runner::new(name, row.looks, interrupt, setup.starter, work, excuse))
    };
    engines.into_iter().map(player).collect()
}
