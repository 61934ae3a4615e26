//! Whether a run comes to what holds: a check that no run comes to says nothing.
//!
//! Random runs show most of what is reached. Of the rest it is asked whether a run comes there, by the
//! same ladder: a check that always fails stands in place of each ([`program::checks::probing`]). What
//! that answers costs little or is left: then a check is said to hold, and nothing else.

use super::{Asking, afterwards};
use crate::budget::Budget;
use crate::code::{Decider, Setup, TEST_STEPS, Values};
use crate::failure::Failure;
use crate::listener::{Listener, Quiet};
use crate::outcome::{Finding, Status, Violation};
use crate::record::Record;
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
    let budget = afterwards(asking.setup.budget);
    let mut open = unseen(asking, &budget);
    while !open.is_empty() && !budget.is_interrupted() {
        let program = probing(asking.program, asking.properties, &open);
        let properties = [Property::DeadCode].into();
        let setup = Setup { budget: &budget, ..asking.setup };
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

/// The checks that hold and that no random run comes to. That an error function is not reached is what
/// its check says.
fn unseen(asking: &Asking<'_, '_>, budget: &Budget) -> Vec<Point> {
    let rows = asking.rows.iter().filter(|row| row.status == Some(Status::Safe));
    let rows = rows.filter(|row| !row.found.plain && row.found.check.place.is_known());
    let rows = rows.filter(|row| row.found.check.property != Property::Reach);
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
