//! Whether a proof says something: is any check of the property reached at all?
//!
//! A violation hangs on decisions: locations with several ways on, of which one leads to the error
//! location without a further decision. A proof is vacuous if no run comes to any of them. Where
//! they can be seen to be unreachable by minimization or by following all runs, the answer is
//! `vacuous`; where bounded model checking finds a run to one, `reached`; otherwise it is open, which
//! is said.

use super::encode::{self, Scope};
use super::{Claim, Decider};
use crate::schedule::STACK;
use answer::{Allowance, Vacuity};
use bounded::ProgramBmc;
use certify::check_program;
use program::cfa::{Edge, EdgeId, LocationId};
use program::minimize::{self, minimize};
use program::program::Instruction;
use program::verdict::{Invariant, Proof};
use program::{Cfa, Command, Program, Property, Verdict};
use rustc_hash::FxHashSet;
use smt::Solvers;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use term::Pool;

/// How much of the time that is left the question is worth whether a proof is vacuous.
const SHARE: f64 = 0.25;
/// How long it is looked at most.
const TIME: Duration = Duration::from_secs(2);

/// The locations on which violations hang.
fn decisions(pool: &Pool, cfa: &Cfa) -> Vec<LocationId> {
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

/// A proof says nothing of a program without anything that could violate the properties.
pub(super) fn no_check(program: &Program, properties: &BTreeSet<Property>) -> Option<Vacuity> {
    let mut checks = program.edges().filter(|(_, edge)| match &edge.instruction {
        Instruction::Check(property, _) => properties.contains(property),
        Instruction::Load { .. } | Instruction::Store { .. } => {
            properties.contains(&Property::Pointer)
        }
        _ => false,
    });
    checks.next().is_none().then_some(Vacuity::NoCheck)
}

/// What the program alone shows: it has no check of the properties, or none that can fail.
fn by_structure(program: &Program, properties: &BTreeSet<Property>, cfa: &Cfa) -> Option<Vacuity> {
    if !decisions(&program.pool, cfa).is_empty() {
        return None;
    }
    let checks = program.edges().filter(|(_, edge)| {
        matches!(&edge.instruction, Instruction::Check(property, _) if properties.contains(property))
    });
    Some(match checks.count() {
        0 => Vacuity::NoCheck,
        count => Vacuity::HoldByText(count),
    })
}

/// Whether a decision is reached, as far as can be found out in the time. `complete` says that no
/// run of the program leaves the model.
fn by_search(
    pool: &Pool,
    cfa: &Cfa,
    solvers: &'static dyn Solvers,
    complete: bool,
    patience: Duration,
) -> Vacuity {
    let target = with_targets(cfa, &decisions(pool, cfa));
    let small = minimize(pool, &target, &minimize::Options::default()).cfa;
    let deadline = Instant::now() + patience;
    let vacuous = |proof: Proof, how: Vacuity| {
        let allowance = Allowance::default().until(deadline + patience);
        match check_program(pool, &target, &proof, &allowance) {
            Ok(()) if complete => how,
            Ok(()) => Vacuity::WithinDepth,
            Err(_) => Vacuity::NotAccepted,
        }
    };
    if !small.edges.values().any(|edge| Some(edge.to) == small.error) {
        return vacuous(Proof::Inductive(Invariant::default()), Vacuity::Minimized);
    }
    let theirs = Pool::new();
    let imported = small.import(pool, &theirs);
    let unroll = move || match ProgramBmc::new(&theirs, &imported, solvers) {
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
            Vacuity::Reached(last.filter(|place| place.is_known()))
        }
        Ok(Ok(Verdict::Safe(proof))) => vacuous(proof, Vacuity::Followed),
        _ => Vacuity::Stopped((patience.as_secs_f64() * 10.0).round() as u64),
    }
}

impl Decider<'_, '_> {
    /// Whether a proof says something: as far as that is plain, or, if it is to be explained, as far
    /// as it can be found out soon.
    pub(super) fn vacuity(&self, claim: &Claim) -> Option<Vacuity> {
        let (program, properties) = (self.program, self.properties);
        let search = |cfa: &Cfa, complete: bool| {
            let patience = self.setup.budget.allowance.share(SHARE, TIME);
            by_search(&program.pool, cfa, self.setup.settings.solvers, complete, patience)
        };
        let settings = self.setup.settings;
        let explains = settings.explain || settings.vacuity;
        match (claim, self.encoding()) {
            (Claim::Unwound(unwound), _) if !explains || unwound.is_reached() => {
                unwound.vacuity(program, properties)
            }
            (Claim::Executed { .. }, _) if !explains => no_check(program, properties),
            (Claim::Executed { .. } | Claim::Unwound(_) | Claim::Unplaced(..), _) if explains => {
                let depth = encode::FIRST_DEPTH;
                let model =
                    encode::model_of(program, properties, settings, depth, Scope::Whole).ok()?;
                let plain = by_structure(program, properties, &model.cfa);
                let cut = |edge: &Edge| edge.violates == Some(Property::Unwinding);
                let complete = !model.cfa.edges.values().any(cut);
                Some(plain.unwrap_or_else(|| search(&model.cfa, complete)))
            }
            (Claim::Proof(..), Some(encoding)) => {
                let cfa = &encoding.model.cfa;
                let plain = by_structure(program, properties, cfa);
                plain.or_else(|| explains.then(|| search(cfa, true)))
            }
            _ => None,
        }
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
