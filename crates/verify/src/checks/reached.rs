//! Whether a run comes to what holds: a check that no run comes to says nothing.
//!
//! Random runs show most of what is reached. Of the rest it is asked whether a run comes there, by the
//! same ladder: a check that always fails stands in place of each ([`program::checks::probing`]). What
//! that answers costs little or is left: then a check is said to hold, and nothing else. Where an earlier
//! run has told this of the very same program, only those that no run came to are asked about again.

use super::{Asking, Row, afterwards};
use crate::budget::Budget;
use crate::code::{Decider, Setup, TEST_STEPS, Values};
use crate::failure::Failure;
use crate::known::Knowledge;
use crate::listener::{Listener, Quiet};
use crate::outcome::{Finding, Status, Violation};
use crate::record::Record;
use portable::difference::Signatures;
use program::checks::{Check, points, probing};
use program::constants::constants;
use program::interpret::{Interpreter, Limits, Step};
use program::program::{FunctionId, LocationId};
use program::{Place, Property};
use rustc_hash::FxHashSet;

/// How many random runs.
const RUNS: u64 = 20;

/// Where a run is when it comes to a check.
type Point = (FunctionId, LocationId, Check);

/// Tells checks that hold from those that no run comes to.
pub(super) fn tell_apart(
    asking: &mut Asking<'_, '_>,
    listener: &mut dyn Listener,
) -> Result<(), Failure> {
    let told = told_before(asking);
    if told.as_ref().is_some_and(Vec::is_empty) {
        keep(asking);
        return Ok(());
    }
    let budget = afterwards(asking.setup.budget);
    let open = match told {
        Some(told) => points(asking.program, |check| told.contains(check)),
        None => unseen(asking, &budget),
    };
    ask(asking, &budget, open, listener)?;
    keep(asking);
    Ok(())
}

/// The checks of the very same program that no run came to, if an earlier run has told them apart.
fn told_before(asking: &Asking<'_, '_>) -> Option<Vec<Check>> {
    let known = &asking.setup.settings.known;
    let count = asking.rows.len();
    let mut told = known.iter().filter_map(|known| match known {
        Knowledge::Unreachable { form, checks, of } if *of == count => Some((form, checks)),
        _ => None,
    });
    let first = told.next()?;
    let form = Signatures::of(asking.program).sum();
    let (_, checks) = [first].into_iter().chain(told).find(|(of, _)| **of == form)?;
    let rows = checks.iter().filter_map(|number| asking.rows.get(*number));
    let rows = rows.filter(|row| is_asked_about(row));
    Some(rows.map(|row| row.found.check.clone()).collect())
}

/// Keeps for later runs which checks no run comes to.
fn keep(asking: &mut Asking<'_, '_>) {
    let asked = |row: &Row| is_asked_about(row) || row.status == Some(Status::Unreachable);
    if !asking.setup.settings.learn || !asking.rows.iter().any(asked) {
        return;
    }
    let unreachable = |(_, row): &(usize, &Row)| row.status == Some(Status::Unreachable);
    let rows = asking.rows.iter().enumerate().filter(unreachable);
    let checks = rows.map(|(number, _)| number).collect();
    let (form, of) = (Signatures::of(asking.program).sum(), asking.rows.len());
    asking.record.learned.push(Knowledge::Unreachable { form, checks, of });
}

/// Asks of points whether a run comes there.
fn ask(
    asking: &mut Asking<'_, '_>,
    budget: &Budget,
    mut open: Vec<Point>,
    listener: &mut dyn Listener,
) -> Result<(), Failure> {
    while !open.is_empty() && !budget.is_interrupted() {
        let program = probing(asking.program, asking.properties, &open);
        let properties = [Property::DeadCode].into();
        let setup = Setup { budget, ..asking.setup };
        let mut record = Record::default();
        let decider = Decider::new(setup, &program, &properties, &mut record);
        let decided = match decider.decide(&mut Quiet(listener)) {
            Ok(decided) => decided,
            Err(failure @ Failure::Defect { .. }) => return Err(failure),
            Err(Failure::Rejected(_)) => return Ok(()),
        };
        match decided.finding {
            Finding::Safe(_) => {
                let unreachable: FxHashSet<Check> =
                    open.into_iter().map(|(_, _, check)| check).collect();
                asking.mark_unreachable(&unreachable);
                return Ok(());
            }
            Finding::Unsafe(Violation::Program { run, .. }) => {
                let before = open.len();
                let places = decided.others.iter().map(|run| &run.place).chain([&run.place]);
                let places: FxHashSet<&Place> = places.collect();
                open.retain(|(_, _, check)| !places.contains(&check.place));
                if open.len() == before {
                    return Ok(());
                }
            }
            _ => return Ok(()),
        }
    }
    Ok(())
}

/// Whether it is worth asking if a run comes to a check that holds. That an error function is not reached is
/// what its check says.
fn is_asked_about(row: &Row) -> bool {
    let check = &row.found.check;
    let says = check.property != Property::Reach && check.place.is_known() && !row.found.plain;
    says && row.status == Some(Status::Safe)
}

/// The checks that hold and that no random run comes to.
fn unseen(asking: &Asking<'_, '_>, budget: &Budget) -> Vec<Point> {
    let rows = asking.rows.iter().filter(|row| is_asked_about(row));
    let holding: FxHashSet<&Check> = rows.map(|row| &row.found.check).collect();
    let program = asking.program;
    let mut open = points(program, |check| holding.contains(check));
    let Ok(interpreter) = Interpreter::new(program) else { return open };
    let allowance = budget.allowance.clone();
    let limits = Limits { steps: TEST_STEPS, allowance, ..Limits::default() };
    let interpreter = interpreter.with_properties(asking.properties).with_limits(limits);
    let numbers = constants(program);
    for number in 0..RUNS {
        if open.is_empty() || budget.allowance.exhausted().is_some() {
            break;
        }
        let values = Values::new(number, asking.setup.settings.seed, numbers.clone());
        let mut seen = FxHashSet::default();
        let mut watch = |step: &Step<'_>| {
            let edge = &program.functions[step.function].body().edges[step.edge];
            seen.insert((step.function, edge.from));
        };
        interpreter.watch(&mut values.clone(), &mut watch);
        if values.are_possible() {
            let reached = |(function, at, _): &&Point| seen.contains(&(*function, *at));
            let reached: FxHashSet<Check> =
                open.iter().filter(reached).map(|(_, _, check)| check.clone()).collect();
            open.retain(|(_, _, check)| !reached.contains(check));
        }
    }
    open
}
