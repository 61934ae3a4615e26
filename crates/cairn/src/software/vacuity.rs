//! Whether a proof says something: is any check of the property reached at all?
//!
//! A violation hangs on decisions: locations with several ways on, of which one leads to the error
//! location without a further decision. A proof is vacuous if no run comes to any of them. Where
//! they can be seen to be unreachable by minimization or by following all runs, the answer is
//! `vacuous`; where bounded model checking finds a run to one, `reached`; otherwise it is open, which
//! is said.

use bounded::ProgramBmc;
use certify::check_program;
use program::cfa::{Edge, EdgeId, LocationId};
use program::minimize::{self, minimize};
use program::program::Instruction;
use program::verdict::{Invariant, Proof};
use program::{Cfa, Command, Program, Property, Verdict};
use report::result::Vacuity;
use rustc_hash::FxHashSet;
use sat::Allowance;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use term::Pool;

/// The stack of the thread that unrolls, as large as that of engines.
const STACK: usize = 256 << 20;

/// The locations on which violations hang.
pub fn decisions(pool: &Pool, cfa: &Cfa) -> Vec<LocationId> {
    let impossible = |edge: &EdgeId| matches!(cfa.edges[*edge].command, Command::Assume(f) if pool.as_bool(f) == Some(false));
    let (leaving, arriving) = (cfa.leaving(), cfa.arriving());
    let violation = |edge: &&Edge| {
        Some(edge.to) == cfa.error && edge.violates.is_some_and(|p| p != Property::Unwinding)
    };
    let mut open: Vec<LocationId> =
        cfa.edges.values().filter(violation).map(|edge| edge.from).collect();
    let (mut seen, mut decisions) = (FxHashSet::default(), Vec::new());
    while let Some(location) = open.pop() {
        if !seen.insert(location) {
            continue;
        }
        let ways = leaving[location].iter().filter(|edge| !impossible(edge)).count();
        if ways > 1 || Some(location) == cfa.initial {
            decisions.push(location);
        } else {
            open.extend(arriving[location].iter().map(|edge: &EdgeId| cfa.edges[*edge].from));
        }
    }
    decisions.sort_unstable_by_key(|location| location.into_raw().into_u32());
    decisions
}

/// What the program alone shows: it has no check of the properties, or none that can fail.
pub fn by_structure(
    program: &Program,
    properties: &BTreeSet<Property>,
    cfa: &Cfa,
) -> Option<Vacuity> {
    if !decisions(&program.pool, cfa).is_empty() {
        return None;
    }
    let checks = program.edges().filter(|(_, edge)| {
        matches!(&edge.instruction, Instruction::Check(property, _) if properties.contains(property))
    });
    Some(match checks.count() {
        0 => verdict("vacuous", "The program has no check of it.".to_owned()),
        count => verdict(
            "undetermined",
            format!(
                "the program has {count} checks of it, but each holds by its own text or is in \
                 code that nothing calls"
            ),
        ),
    })
}

fn verdict(status: &str, how: String) -> Vacuity {
    Vacuity { status: status.to_owned(), how }
}

/// Whether a decision is reached, as far as can be found out in the time. `complete` says that no
/// run of the program leaves the model.
pub fn by_search(pool: &Pool, cfa: &Cfa, complete: bool, patience: Duration) -> Vacuity {
    let target = with_targets(cfa, &decisions(pool, cfa));
    let small = minimize(pool, &target, &minimize::Options::default()).cfa;
    let deadline = Instant::now() + patience;
    let vacuous = |proof: Proof, how: &str| {
        let accepted =
            check_program(pool, &target, &proof, &Allowance::default().until(deadline + patience));
        match accepted {
            Ok(()) if complete => verdict("vacuous", how.to_owned()),
            Ok(()) => verdict(
                "undetermined",
                "none is reached within the depth to which recursion was unrolled".to_owned(),
            ),
            Err(rejection) => {
                verdict("undetermined", format!("a proof of it was not accepted: {rejection}"))
            }
        }
    };
    if !small.edges.values().any(|edge| Some(edge.to) == small.error) {
        let how = "Minimization has found that no run comes to a decision on a violation.";
        return vacuous(Proof::Inductive(Invariant::default()), how);
    }
    let theirs = Pool::new();
    let imported = small.import(pool, &theirs);
    let unroll = move || match ProgramBmc::new(&theirs, &imported, &smt::Standard) {
        None => Verdict::Safe(Proof::Exhausted { depth: 0 }),
        Some(mut engine) => {
            engine.set_allowance(Allowance::default().until(deadline));
            engine.check(usize::MAX, &mut ())
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(unroll);
    match thread.map(|thread| thread.join()) {
        Ok(Ok(Verdict::Unsafe(run))) => {
            let last = run.steps.last().map(|step| small.edges[step.edge].place.clone());
            let place = last.filter(|place| place.is_known());
            let at = place.map_or(String::new(), |place| format!(" on the violation from {place}"));
            verdict("reached", format!("bounded model checking finds a run to a decision{at}."))
        }
        Ok(Ok(Verdict::Safe(proof))) => {
            vacuous(proof, "All runs were followed, and none comes to a decision on a violation.")
        }
        _ => verdict(
            "undetermined",
            format!("bounded model checking was stopped after {:.1} s", patience.as_secs_f64()),
        ),
    }
}

/// The automaton whose violations are to come to a decision.
fn with_targets(cfa: &Cfa, decisions: &[LocationId]) -> Cfa {
    let mut target = cfa.clone();
    let kept = cfa.edges.values().filter(|edge| Some(edge.to) != cfa.error).cloned();
    target.edges = kept.collect();
    let Some(error) = target.error else { return target };
    for &from in decisions {
        target.edges.alloc(Edge {
            from,
            to: error,
            command: Command::skip(),
            place: cfa.locations[from].place.clone(),
            violates: Some(Property::Reach),
        });
    }
    target
}
